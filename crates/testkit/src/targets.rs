//! Fuzz targets: functions that take any bytes, and may do anything but panic, hang, or break the promise that they check.
//! libFuzzer calls them (`fuzz/`), long hunts do ([`crate::hunt`]), and so does a short deterministic test.

use crate::buffers::Buffers;
use crate::differential::Differential;
use crate::random::Random;
use ctm_device::{Options, Processor, Trace, command, replay};
use ctm_lane::{Function, simplify, verify, verify_form};
use ctm_memory::{Arena, Format, Space, Tiling};
use ctm_object::probe::Content;
use ctm_object::{c_array, d3d9, elf, mesa, r700, raw, sass, sm50};
use ctm_x1k::{
    Body, Domain, INSTRUCTION_BYTES, Instruction, Job, Program, ProgramInfo, RunOptions, check, reference, text,
};

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct FuzzTarget {
    /// Its name, which is that of the function, of the libFuzzer binary and of its folder of regressions.
    pub name: &'static str,
    /// What checks the promise.
    pub run: fn(&[u8]),
}

const fn target(name: &'static str, run: fn(&[u8])) -> FuzzTarget {
    FuzzTarget { name, run }
}

/// Every fuzz target.
pub const TARGETS: [FuzzTarget; 32] = [
    target("instruction_round_trip", instruction_round_trip),
    target("assembly", assembly),
    target("elf_image", elf_image),
    target("mesa_dump", mesa_dump),
    target("file_content", file_content),
    target("npy", npy),
    target("png", png),
    target("arguments", arguments),
    target("run", reference_run),
    target("engines", engines),
    target("commands", commands),
    target("command_text", command_text),
    target("trace", trace),
    target("r700_words", crate::r700::targets::words),
    target("r700_assembly", crate::r700::targets::assembly),
    target("r700_file", crate::r700::targets::file),
    target("r700_engines", crate::r700::targets::engines),
    target("sm50_words", crate::sm50::targets::words),
    target("sm50_assembly", crate::sm50::targets::assembly),
    target("sm50_file", crate::sm50::targets::file),
    target("sm50_engines", crate::sm50::targets::engines),
    target("pvs_words", crate::pvs::words),
    target("pvs_assembly", crate::pvs::assembly),
    target("card_trace", crate::card::trace),
    target("object_writers", crate::writers::object_writers),
    target("c_calls", crate::c_calls::c_calls),
    target("compile_call", crate::c_calls::compile),
    target("ps_text", crate::ps::text),
    target("glsl", crate::languages::glsl),
    target("wgsl", crate::languages::wgsl),
    target("lane_text", lane_text),
    target("allocation", allocation),
];

/// Runs the target of this name, for binaries that have one each.
///
/// # Panics
/// There is no such target, or the input breaks it.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("there is no fuzz target {name}")).run)(bytes);
}

fn instructions(bytes: &[u8]) -> Vec<Instruction> {
    raw::read_words(&bytes[..bytes.len() / INSTRUCTION_BYTES * INSTRUCTION_BYTES]).unwrap_or_default()
}

/// Words decode, encode, print and parse back to themselves.
pub fn instruction_round_trip(bytes: &[u8]) {
    let code = instructions(bytes);
    for instruction in &code {
        assert_eq!(Instruction::decode(&instruction.encode()), *instruction);
        let printed = text::print_instruction(instruction);
        let parsed = text::parse(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
        assert_eq!(parsed.program.code, [*instruction], "{printed}");
    }
    if code.is_empty() {
        return;
    }
    let program = Program {
        info: ProgramInfo { end: (code.len() - 1) as u16, ..Default::default() },
        code,
        ..Default::default()
    };
    let printed = text::print_program(&program);
    let parsed = text::parse(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
    assert_eq!(parsed.program, program, "{printed}");
}

/// Any text gives a program or diagnostics whose spans lie in the text; a program prints and parses back to itself.
pub fn assembly(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    match text::parse(&source) {
        Ok(assembled) => {
            let printed = text::print_program(&assembled.program);
            let again = text::parse(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
            assert_eq!(again.program, assembled.program, "{printed}");
            check::check(&assembled.program);
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            for diagnostic in &diagnostics {
                assert!(source.get(diagnostic.span.clone()).is_some(), "{diagnostic:?}");
            }
        }
    }
}

/// Any bytes give a program or an error; a program is written and read back as itself.
pub fn elf_image(bytes: &[u8]) {
    if let Ok(program) = elf::read(bytes) {
        check::check(&program);
        assert_eq!(elf::read(&elf::write(&program)).as_ref(), Ok(&program));
    }
}

/// Any text gives assembly that assembles, or an error with a text.
pub fn mesa_dump(bytes: &[u8]) {
    match mesa::import(&String::from_utf8_lossy(bytes)) {
        Ok(assembly) => match mesa::driver(&String::from_utf8_lossy(bytes)) {
            Some(mesa::Driver::R600) => assert!(ctm_r700::text::parse(&assembly).is_ok(), "{assembly}"),
            Some(mesa::Driver::R300Vertex) => assert!(ctm_pvs::text::parse(&assembly).is_ok(), "{assembly}"),
            _ => assert!(text::parse(&assembly).is_ok(), "{assembly}"),
        },
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Any bytes are identified, with a name; what cannot be loaded has a remedy, and what can be is read by its loader, which gives
/// a program or an error with a text.
pub fn file_content(bytes: &[u8]) {
    let content = ctm_object::probe(bytes);
    assert!(!content.to_string().is_empty());
    let error = match content {
        Content::CtmImage => elf::read(bytes).err().map(|error| error.to_string()),
        Content::R600Object => r700::read_llvm(bytes).err().map(|error| error.to_string()),
        Content::Gfd => r700::read_gfd(bytes).err().map(|error| error.to_string()),
        Content::Sm50Program => sm50::read_program(bytes).err().map(|error| error.to_string()),
        Content::Cubin => sm50::read_cubin(bytes).err().map(|error| error.to_string()),
        Content::Dksh => sm50::read_dksh(bytes).err().map(|error| error.to_string()),
        Content::SassListing => {
            sass::read("fuzz", &String::from_utf8_lossy(bytes)).err().map(|error| error.to_string())
        }
        Content::PixelShaderCode => d3d9::read(bytes).err().map(|error| error.to_string()),
        Content::CArray => {
            c_array::read(&String::from_utf8_lossy(bytes)).and_then(Result::err).map(|error| error.to_string())
        }
        Content::Foreign(foreign) => Some(foreign.help().to_owned()),
        Content::MesaLog(_)
        | Content::HexWords
        | Content::Trace
        | Content::CardTrace
        | Content::Source(_)
        | Content::Text
        | Content::Unknown => None,
    };
    assert_ne!(error.as_deref(), Some(""));
}

/// Any bytes give an array with as many values as its shape says, or an error with a text.
pub fn npy(bytes: &[u8]) {
    array(ctm_array::read_npy(bytes));
}

/// As [`npy`].
pub fn png(bytes: &[u8]) {
    array(ctm_array::read_png(bytes));
}

fn array(array: Result<ctm_array::Array, ctm_array::ContentError>) {
    match array {
        Ok(array) => assert_eq!(Some(array.data.to_f32().len()), array.shape.values()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Any text is a file argument or an error with a text.
pub fn arguments(bytes: &[u8]) {
    if let Err(error) = ctm_array::FileSpec::parse(&String::from_utf8_lossy(bytes)) {
        assert!(!error.to_string().is_empty());
    }
}

/// Whatever the words are, they run to an end or to a trap; and programs that do not write to memory at once do so alike
/// in groups of 4 and of 16 lanes, on one thread and on two.
pub fn reference_run(bytes: &[u8]) {
    let mut code = instructions(bytes);
    let Some(last) = code.last_mut() else { return };
    if let Body::Alu(alu) = last.body {
        last.body = Body::Out(alu);
    }
    code.truncate(64);
    let info = ProgramInfo {
        end: (code.len() - 1) as u16,
        full_flow_control: bytes[0] & 1 == 0,
        zero_times_anything: bytes[0] & 2 == 0,
        cond_value_from_program: bytes[0] & 4 == 0,
        early_exit: bytes[0] & 8 == 0,
        ..ProgramInfo::default()
    };
    let mut references = ctm_x1k::References::of(&code, &info);
    references.inputs.retain(|&input| input < 16);
    let program = Program { code, info, references, ..Program::default() };
    check::check(&program);

    let outcome = |group_width, threads| {
        let mut buffers = Buffers::new(0x40_0000);
        let input = buffers.allocate(8, 4, Format::Float32_4, Tiling::Linear);
        buffers.fill(&input, 8, |x, y| [x, y, x * y, 1].map(|value| (value as f32 - 3.0).to_bits()));
        let outputs: [_; 4] = std::array::from_fn(|_| buffers.allocate(5, 3, Format::Float32_4, Tiling::Tiled));
        let mut job = Job::new(&program, Domain::of_size(5, 3).expect("sides"), buffers.space());
        job.inputs = [Some(input); 16];
        job.outputs = outputs.map(Some);
        for (index, constant) in job.constants.ints.iter_mut().enumerate() {
            constant.count = index as u8 % 5;
        }
        let result = reference::run(&job, &RunOptions { group_width, threads, step_limit: 500, ..crate::untimed() });
        let pixels = (0..15).flat_map(|at| outputs.map(|output| buffers.read(&output, at % 5, at / 5)));
        (result.map(|stats| stats.lanes), pixels.collect::<Vec<_>>())
    };
    let whole = outcome(16, 1);
    assert_eq!(whole, outcome(16, 1));
    let (quads, threads) = (outcome(4, 1), outcome(4, 2));
    if quads.0.is_ok() {
        assert_eq!(quads, threads);
    }
}

/// Whatever program and environment the bytes stand for, all engines agree on memory, conditional values, statistics and
/// traps.
pub fn engines(bytes: &[u8]) {
    Differential::new().check(Random::from_bytes(bytes)).unwrap_or_else(|difference| panic!("{difference}"));
}

/// Bytes of the memory that command buffers from outside run in, from this address on.
const DEVICE_BASE: u32 = 0x8000_0000;
const DEVICE_BYTES: u32 = 0x10_0000;

/// Whatever the words of a command buffer are, they print, and parse back to themselves; the device gets to their end,
/// with the caches and without, and leaves the same memory on one thread and on two. The buffer itself is the memory's
/// first bytes, and a program that copies comes after it.
pub fn commands(bytes: &[u8]) {
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let printed = command::print(&words);
    let parsed = command::parse(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
    assert_eq!(parsed.words, words, "{printed}");

    let memory = |threads, strict| {
        let mut space = Space::default();
        space.map(Arena::new(DEVICE_BASE, DEVICE_BYTES).expect("an arena")).expect("an empty space takes an arena");
        space.write_bytes(DEVICE_BASE, &bytes[..bytes.len().min(0x4000)]).expect("the buffer fits");
        space.write_bytes(DEVICE_BASE + 0x8000, &elf::write(&copy_program())).expect("the program fits");
        let options = Options { threads, strict, step_limit: 200, deterministic_clock: true, ..Options::default() };
        let mut device = Processor::new(space.clone(), options).expect("the fastest engine of the host");
        let fault = device.execute(1, &words);
        let mut contents = vec![0; DEVICE_BYTES as usize];
        space.read_bytes(DEVICE_BASE, &mut contents).expect("mapped memory");
        (fault, contents)
    };
    // After a trap it is open which later groups ran.
    let (one, two) = (memory(1, false), memory(2, false));
    if !matches!(&one.0, Err(fault) if matches!(fault.cause, ctm_device::Cause::Trap(_))) {
        assert!(one == two, "{printed}");
    }
    // The caches of strict mode may well leave other memory.
    drop(memory(1, true));
}

/// A program that copies input 0 to output 0.
pub fn copy_program() -> Program {
    let text = "
        TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;
        OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[1] :
          out[0].rgb = exact * MAX src0.rgb src0.rgb, out[0].a = exact * MAX src0.a src0.a ;";
    text::parse(text).expect("the program assembles").program
}

/// Any text gives a command buffer that prints and parses back to itself, or diagnostics.
pub fn command_text(bytes: &[u8]) {
    match command::parse(&String::from_utf8_lossy(bytes)) {
        Ok(assembled) => {
            let printed = command::print(&assembled.words);
            let again = command::parse(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
            assert_eq!(again.words, assembled.words, "{printed}");
        }
        Err(diagnostics) => assert!(!diagnostics.is_empty()),
    }
}

/// Any bytes are a trace that writes and reads back as itself and replays to an end, or an error with a text.
pub fn trace(bytes: &[u8]) {
    match Trace::from_bytes(bytes) {
        Ok(trace) => {
            assert_eq!(Trace::from_bytes(&trace.to_bytes()).as_ref(), Ok(&trace));
            let options = Options { step_limit: 200, ..trace.options };
            // Memory that the machine does not have is not a mistake of the trace.
            drop(replay(&trace, options));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Any text gives a function of the lane IR that prints and parses back to itself, or an error; what verifies still has the
/// form when it is simplified, and all backends run it as the evaluator does.
pub fn lane_text(bytes: &[u8]) {
    let Ok(function) = String::from_utf8_lossy(bytes).parse::<Function>() else { return };
    let printed = function.to_string();
    let again: Function = printed.parse().unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again.to_string(), printed);
    if verify(&function).is_err() {
        return;
    }
    let mut simplified = function.clone();
    simplify(&mut simplified);
    verify_form(&simplified).unwrap_or_else(|error| panic!("{error}\n{printed}\nis simplified to\n{simplified}"));
    #[cfg(target_arch = "x86_64")]
    crate::lane::targets::agree(function);
}

/// Code of random machine instructions finds every register where it is used. Only builds with debug assertions find it.
pub fn allocation(bytes: &[u8]) {
    #[cfg(all(target_arch = "x86_64", debug_assertions))]
    ctm_codegen::x64::fuzz::allocation(bytes);
    let _ = bytes;
}
