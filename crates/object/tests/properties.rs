//! Laws of containers: what is written comes back, sizes at their limits, and parts that share bytes.

use ctm_object::probe::{Content, Foreign, Format};
use ctm_object::r700::{self, LlvmError, Loaded, WordsError};
use ctm_object::{elf, hex, mesa, probe, raw, sm50};
use ctm_r700::{ProgramInfo as R700Info, Stage};
use ctm_x1k::{INTERPOLANTS, Instruction, IntConstant, Program, ProgramInfo, References, TEXTURE_KINDS, WriteMode};
use std::collections::BTreeSet;
use std::path::Path;

const CUBIN: &[u8] = include_bytes!("sm50/kernels.cubin");

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn set(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Every value of everything that an image has a place for comes back, and each by itself is in the bytes.
#[test]
fn images_hold_all_of_a_program() {
    ctm_cases::check(2000, |u| {
        let numbers = |u: &mut ctm_cases::Unstructured, last: u8| -> ctm_cases::Result<BTreeSet<u8>> {
            (0..u.int_in_range(0..=4)?).map(|_| u.int_in_range(0..=last)).collect()
        };
        let mut program = Program::from_code(vec![Instruction::decode(&[0; 6]); u.int_in_range(1..=5)?]);
        let mut interpolants = [None; INTERPOLANTS];
        for register in &mut interpolants {
            *register = if u.arbitrary()? { Some(u.int_in_range(0..=127)?) } else { None };
        }
        let mut textures = program.info.textures;
        for kind in &mut textures {
            *kind = if u.arbitrary()? { Some(u.choose(&TEXTURE_KINDS)?.1) } else { None };
        }
        let cond_output = u.arbitrary()?;
        program.info = ProgramInfo {
            start: u.int_in_range(0..=511)?,
            end: u.int_in_range(0..=511)?,
            code_offset: u.int_in_range(0..=511)?,
            full_flow_control: u.arbitrary()?,
            zero_times_anything: u.arbitrary()?,
            cond_value_from_program: u.arbitrary::<bool>()? || cond_output,
            write_mode: if u.arbitrary()? { WriteMode::Umrt } else { WriteMode::Cached },
            position: if u.arbitrary()? { Some(u.int_in_range(0..=127)?) } else { None },
            temps: u.int_in_range(0..=127)?,
            early_exit: u.arbitrary()?,
            interpolants,
            textures,
        };
        program.references = References {
            inputs: numbers(u, 15)?,
            outputs: numbers(u, 3)?,
            float_constants: numbers(u, 255)?,
            int_constants: numbers(u, 31)?,
            bool_constants: References::of(&program.code, &program.info).bool_constants,
            cond_output,
        };
        for number in numbers(u, 255)? {
            program.constants.floats.insert(number, u.arbitrary()?);
        }
        for number in numbers(u, 31)? {
            let (count, init, step) = (u.arbitrary()?, u.arbitrary()?, u.arbitrary()?);
            program.constants.ints.insert(number, IntConstant { count, init, step });
        }
        for number in numbers(u, 31)? {
            program.constants.bools.insert(number, u.arbitrary()?);
        }
        let image = elf::write(&program);
        assert_eq!(elf::read(&image), Ok(program));
        Ok(())
    });
}

/// An input is sampled as one kind, and kinds have codes.
#[test]
fn notes_of_textures_have_rules() {
    let mut program = Program::from_code(vec![Instruction::decode(&[0; 6])]);
    program.info.textures[3] = Some(TEXTURE_KINDS[1].1);
    program.info.textures[15] = Some(TEXTURE_KINDS[0].1);
    let image = elf::write(&program);
    let name = image.windows(4).position(|bytes| bytes == b"ctm\0").unwrap();
    let records = [name + 4, name + 12].map(|at| [word(&image, at), word(&image, at + 4)]);
    assert_eq!(records, [[3, 1], [15, 0]]);
    let with = |at: usize, value| {
        let mut image = image.clone();
        set(&mut image, name + at, value);
        elf::read(&image)
    };
    assert_eq!(with(4, 2).unwrap().info.textures[2], Some(TEXTURE_KINDS[1].1));
    for (at, value, message) in
        [(4, 16, "16"), (8, TEXTURE_KINDS.len() as u32, "ctm kinds of textures"), (4, 15, "named once")]
    {
        let error = with(at, value).unwrap_err().to_string();
        assert!(error.contains(message), "{at} = {value}: {error}");
    }
}

/// Note segments may have as many bytes together as the file, not more.
#[test]
fn notes_may_have_as_many_bytes_as_the_file() {
    let plain = elf::write(&Program::from_code(vec![Instruction::decode(&[0; 6])]));
    let headers = word(&plain, 28) as usize;
    let (own, start) = (word(&plain, headers + 32 + 16) as usize, plain.len() + 4 * 32);
    // The same segments, and twice the rest of the file: one note that nobody knows.
    let image = |rest: usize| {
        let mut image = [&plain, &plain[headers..headers + 64]].concat();
        let twice = [4, start, 0, 0, rest, rest, 4, 4].repeat(2);
        let note = [0, rest - 12, 99];
        image.extend(twice.into_iter().chain(note).flat_map(|dword| (dword as u32).to_le_bytes()));
        image.resize(start + rest, 0);
        set(&mut image, 28, plain.len() as u32);
        image[44] = 4;
        image
    };
    assert!(elf::read(&image(start - own)).is_ok());
    assert!(matches!(elf::read(&image(start - own + 4)), Err(elf::ElfError::OverlappingNotes { .. })));
}

/// The names of files with a program's two parts lead to each other, others to nothing.
#[test]
fn halves_of_programs() {
    let halves = |name: &str| sm50::halves(Path::new(name));
    let both = Some(["a/b.sph.u32", "a/b.code.u32"].map(Into::into));
    assert_eq!([halves("a/b.sph.u32"), halves("a/b.code.u32")], [both.clone(), both]);
    assert_eq!([halves("a/b.u32"), halves("a/b.sph"), halves("..")], [const { None }; 3]);
}

/// What is taken for a header has the type, version and stage of one, and code after it.
#[test]
fn headers_are_told_from_code() {
    let program = |kind: u32, version: u32, stage: u32, sass: u32| {
        // A control word and EXIT come after it.
        let mut bytes = vec![0; 96];
        set(&mut bytes, 0, kind | version << 5 | stage << 10 | sass << 17);
        bytes[88..].copy_from_slice(&0xE300_0000_0007_000F_u64.to_le_bytes());
        sm50::begins_with_header(&bytes)
    };
    for stage in 0..16 {
        assert_eq!(program(1, 3, stage, 1), (1..=4).contains(&stage), "{stage}");
        assert_eq!(program(2, 3, stage, 1), stage == 5, "{stage}");
        assert!(!program(0, 3, stage, 1) && !program(3, 3, stage, 1));
    }
    let versions = [0, 1, 2, 3, 4].map(|sass| program(1, 3, 1, sass));
    assert!(!program(1, 2, 1, 1) && versions == [false, true, true, true, false], "{versions:?}");
    assert!(!sm50::begins_with_header(&[0; 79]));
}

/// Sections of a cubin that name the same bytes are read once.
#[test]
fn sections_that_share_bytes_are_refused() {
    let table = u64::from_le_bytes(CUBIN[40..48].try_into().unwrap()) as usize;
    let count = usize::from(u16::from_le_bytes([CUBIN[60], CUBIN[61]]));
    let kernels: Vec<usize> = (0..count)
        .map(|number| table + 64 * number)
        .filter(|&at| {
            let name = sections_name(CUBIN, at);
            name.starts_with(b".text.")
        })
        .collect();
    assert_eq!(kernels.len(), 2);
    let mut cubin = CUBIN.to_vec();
    // Both kernels are nearly the whole file, each of whole bundles of 32 bytes.
    let size = (CUBIN.len() as u64 / 2 / 32 + 1) * 32;
    for &at in &kernels {
        cubin[at + 24..at + 32].copy_from_slice(&0u64.to_le_bytes());
        cubin[at + 32..at + 40].copy_from_slice(&size.to_le_bytes());
    }
    assert_eq!(sm50::read_cubin(&cubin), Err(sm50::Sm50Error::Overlap));
    let mut cubin = CUBIN.to_vec();
    for &at in &kernels {
        // SHT_NOBITS.
        set(&mut cubin, at + 4, 8);
    }
    assert_eq!(sm50::read_cubin(&cubin), Err(sm50::Sm50Error::NoKernel));
}

/// The name of a section of a 64-bit ELF file, whose header is here.
fn sections_name(bytes: &[u8], header: usize) -> &[u8] {
    let table = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let strings = table + 64 * usize::from(u16::from_le_bytes([bytes[62], bytes[63]]));
    let start = u64::from_le_bytes(bytes[strings + 24..strings + 32].try_into().unwrap()) as usize;
    &bytes[start + word(bytes, header) as usize..]
}

/// An object of LLVM: where its sections' headers are, by name.
fn sections(object: &[u8]) -> impl Fn(&str) -> usize {
    let table = word(object, 32) as usize;
    let strings = table + 40 * usize::from(u16::from_le_bytes([object[50], object[51]]));
    let names = word(object, strings + 16) as usize;
    let count = usize::from(u16::from_le_bytes([object[48], object[49]]));
    let object = object.to_vec();
    move |wanted| {
        let name = |at: usize| object[names + word(&object, at) as usize..].split(|&byte| byte == 0).next().unwrap();
        (0..count).map(|n| table + 40 * n).find(|&at| name(at) == wanted.as_bytes()).unwrap()
    }
}

/// Every rule of objects for R700, broken once.
#[test]
fn rules_of_objects() {
    let program = ctm_r700::Program { code: vec![[1, 2]; 3], info: R700Info::default() };
    let object = r700::write_object(&program, "one");
    assert_eq!(r700::load(&object).unwrap(), [Loaded { name: Some("one".into()), program, repaired: 0, gfd: None }]);
    let header = sections(&object);
    let offset = |name: &str| word(&object, header(name) + 16) as usize;
    let with = |at: usize, value: u32| {
        let mut object = object.clone();
        set(&mut object, at, value);
        r700::read_llvm(&object)
    };
    let (text, config, symbols) = (header(".text"), offset(".AMDGPU.config"), offset(".symtab"));
    assert_eq!(with(config + 8, 0x1234), Err(LlvmError::Register(0x1234)));
    assert_eq!(with(config + 8, 0x28868), Err(LlvmError::Records { records: 2, functions: 1 }));
    // LDS_ALLOC says nothing here, but it belongs to a program.
    assert!(with(config + 8, 0x288E8).is_ok());
    assert_eq!(with(config, 0x288E8), Err(LlvmError::Register(0x288E8)));
    assert_eq!(with(config, 0x2880C), Err(LlvmError::Register(0x2880C)));
    // The symbol after the null one: its value, size and kind.
    let symbol = symbols + 16;
    let outside = |start, end| LlvmError::Function { name: "one".into(), start, end, size: 24 };
    assert_eq!(with(symbol + 4, 8), Err(outside(8, 32)));
    assert_eq!(with(symbol + 8, 25), Err(outside(0, 25)));
    assert_eq!(with(symbol + 12, word(&object, symbol + 12) & !0xF), Err(LlvmError::NoFunction));
    assert_eq!(with(text, 0), Err(LlvmError::NoSection(".text")));
    let own = offset(".ctm.info");
    for (at, wrong) in [(0, 99), (4, 2), (8, 2)] {
        assert_eq!(with(own + at, wrong), Err(LlvmError::OwnInfo));
    }
    // The stage of the project's own section counts, and without it that of the registers.
    assert_eq!(with(own, Stage::Geometry.code().into()).unwrap()[0].program.info.stage, Stage::Geometry);
    assert_eq!(with(header(".ctm.info"), 0).unwrap()[0].program.info.stage, Stage::Pixel);
    for flags in 0..9 {
        assert_eq!(with(36, flags).is_ok(), (1..=7).contains(&flags), "{flags}");
    }
}

/// LLVM's wrong opcode is set right wherever it stands in a clause.
#[test]
fn address_loads_are_set_right() {
    const EVERGREEN_MOVA_INT: u32 = 0xCC << 7;
    const MOV: u32 = 0x19 << 7;
    // The clause has three slots; the last two are one group.
    let clause =
        [[2, 0xA008_0000], [0, 0x8020_0000], [0x8000_0000, MOV], [0, MOV], [0x8000_0000, EVERGREEN_MOVA_INT | 1 << 29]];
    let program = ctm_r700::Program { code: clause.to_vec(), info: R700Info::default() };
    let mut object = r700::write_object(&program, "one");
    // As if LLVM had written it.
    let own = sections(&object)(".ctm.info");
    set(&mut object, own, 0);
    let found = r700::read_llvm(&object).unwrap().swap_remove(0);
    let op = |words| ctm_r700::Alu::decode(words, ctm_r700::Family::R700).op;
    assert_eq!(found.repaired, 1);
    assert_eq!(op(&found.program.code[4]), ctm_r700::AluOp::Op2(ctm_r700::Op2::MovAInt));
    assert_eq!(found.program.code[..4], clause[..4]);
}

/// Objects have functions up to a limit.
#[test]
fn objects_have_functions_at_most() {
    let program = ctm_r700::Program { code: vec![[1, 2]; 3], info: R700Info::default() };
    let object = r700::write_object(&program, "f");
    let table = sections(&object)(".symtab");
    let with = |count: usize| {
        let mut object = object.clone();
        let (symbols, moved) = (word(&object, table + 16) as usize, object.len());
        object.extend_from_within(symbols..symbols + 16);
        (0..count).for_each(|_| object.extend_from_within(symbols + 16..symbols + 32));
        set(&mut object, table + 16, moved as u32);
        set(&mut object, table + 20, 16 * (count as u32 + 1));
        r700::read_llvm(&object)
    };
    let most = 1 << 16;
    assert_eq!(with(most), Err(LlvmError::Records { records: 1, functions: most }));
    assert_eq!(with(most + 1), Err(LlvmError::TooManyFunctions(most + 1)));
}

/// Names of sections may share their ends, but not be longer together than a linker makes them.
#[test]
fn names_of_sections_have_a_length_together() {
    let program = ctm_r700::Program { code: vec![[1, 2]; 3], info: R700Info::default() };
    let object = r700::write_object(&program, "one");
    let strings = word(&object, 32) as usize + 40 * usize::from(u16::from_le_bytes([object[50], object[51]]));
    let with_name = |length: usize| {
        let mut object = object.clone();
        let (table, names) = (word(&object, 32) as usize, object.len());
        let count = u16::from_le_bytes([object[48], object[49]]);
        // All sections after the null one, and a hundred more, have the name that is the whole table.
        object.extend(std::iter::repeat_n(b'a', length).chain([0]));
        let headers = object.len();
        object.extend_from_within(table..table + 40 * usize::from(count));
        let (own, more) = (headers + strings - table, object.len());
        set(&mut object, own + 16, names as u32);
        set(&mut object, own + 20, length as u32 + 1);
        (0..100).for_each(|_| object.extend_from_within(own..own + 40));
        for section in (headers + 40..more + 100 * 40).step_by(40) {
            set(&mut object, section, 0);
        }
        set(&mut object, 32, headers as u32);
        object[48..50].copy_from_slice(&(count + 100).to_le_bytes());
        r700::read_llvm(&object)
    };
    assert_eq!(with_name(10), Err(LlvmError::NoSection(".text")));
    assert_eq!(with_name(1000), Err(LlvmError::Overlap));
}

/// Dwords, at both ends of what addresses reach.
#[test]
fn words_have_limits() {
    let most = r700::MAX_QWORDS * 8;
    assert_eq!(r700::read_words(&vec![0; most + 4]), Err(WordsError::TooLong { length: most + 4 }));
    assert_eq!(r700::read_words(&vec![0; most]).unwrap().code.len(), r700::MAX_QWORDS);
    assert!(WordsError::PartialDword { length: 7 }.to_string().contains("3 are left over"));
    ctm_cases::check(500, |u| {
        let dwords: Vec<u32> = u.arbitrary()?;
        let text: String = dwords.iter().map(|dword| format!("{dword:08X} ")).collect();
        assert_eq!(hex::read(&text), (!dwords.is_empty()).then_some(Ok(dwords)));
        let bytes: Vec<u8> = (0..24 * u.int_in_range(1..=4)?).map(|_| u.arbitrary()).collect::<Result<_, _>>()?;
        assert_eq!(raw::write_words(&raw::read_words(&bytes).unwrap()), bytes);
        Ok(())
    });
}

/// Logs of both drivers: what a heading needs, and how long a program may be.
#[test]
fn logs_have_limits() {
    let long: String = (0..513).map(|n| format!("{n}\t0:CMN_INST   0x00000000:x\n\t1:RGB_ADDR 0x00000000:\n\t2:ALPHA_ADDR 0x00000000:\n\t3 RGB_INST: 0x00000000:\n\t4 ALPHA_INST:0x00000000:\n\t5 RGBA_INST: 0x00000000:\n")).collect();
    let import = |text: &str| mesa::import(&format!("R500 Fragment Program:\n--------\n{text}"));
    assert_eq!(import(&long), Err(mesa::MesaError::TooLong { line: 3 + 512 * 6 }));
    let fits = long.lines().take(512 * 6).collect::<Vec<_>>().join("\n");
    assert_eq!(ctm_x1k::text::parse(&import(&fits).unwrap()).unwrap().program.code.len(), 512);

    let code = "0000 00000000 80200000 NOP EOP\n";
    let of = |heading: &str| mesa::import(&format!("{heading}\n{code}"));
    let program = |heading: &str| ctm_r700::text::parse(&of(heading).unwrap()).unwrap().program.info;
    for heading in [
        "2 dwords, 7 gprs, stack 5",
        "===== 2 dw ===== 7 gprs ===== 5 stack ===",
        "bytecode 2 dw -- 7 gprs -- 5 nstack --",
    ] {
        let info = program(heading);
        assert_eq!((info.num_gprs, info.stack_size, info.stage), (7, Some(5), Stage::Pixel), "{heading}");
    }
    let most = 2 * r700::MAX_QWORDS;
    assert_eq!(of(&format!("{} dwords, 1 gprs, stack 1", most + 1)), Err(mesa::MesaError::TooLong { line: 1 }));
    assert!(matches!(of(&format!("{most} dwords, 1 gprs, stack 1")), Err(mesa::MesaError::CutOff { .. })));
    // One dword may be left out at the end, and none may be beyond it.
    assert!(of("3 dwords, 1 gprs, stack 1").is_ok());
    assert!(matches!(of("4 dwords, 1 gprs, stack 1"), Err(mesa::MesaError::CutOff { found: 2, expected: 4, .. })));
    assert!(matches!(of("1 dwords, 1 gprs, stack 1"), Err(mesa::MesaError::Unexpected { line: 2, .. })));
    let both = format!("{code}R500 Fragment Program:\n");
    assert_eq!(mesa::driver(&both), Some(mesa::Driver::R300), "a log of R500 is nothing else");
    let log = |text: &str| mesa::Log::of(text, mesa::Keep::None);
    assert_eq!((mesa::driver("nothing"), log("nothing").entries().len()), (None, 0));
    assert_eq!(log(&format!("2 dwords, 1 gprs, stack 1\n{code}").repeat(3)).entries().len(), 3);
}

/// A container of Direct3D has so many parts as it says, and not more than 64 are looked at.
#[test]
fn parts_of_containers() {
    let container = |parts: usize, dxil: usize| {
        let mut bytes = [b"DXBC".as_slice(), &[0; 24], &(parts as u32).to_le_bytes()].concat();
        let data = 32 + 4 * 70;
        (0..70).for_each(|part| bytes.extend((if part == dxil { data + 4 } else { data } as u32).to_le_bytes()));
        bytes.extend(b"SHEXDXIL");
        matches!(probe(&bytes), Content::Foreign(Foreign::Format(Format::Dxil)))
    };
    assert!(container(3, 2) && !container(2, 2) && container(70, 63) && !container(70, 64) && !container(0, 0));
}

/// Formats that have only their first bytes.
#[test]
fn first_bytes_are_enough() {
    for (bytes, format) in [(b"\xCF\xFA\xED\xFE".as_slice(), Format::MachO), (b"PK\x03\x04", Format::Zip)] {
        assert_eq!(probe(bytes), Content::Foreign(Foreign::Format(format)));
        assert_ne!(probe(&bytes[..3]), Content::Foreign(Foreign::Format(format)));
    }
    // Vertex shaders of Direct3D 9: versions 1 to 3 with minor versions up to 4.
    for (minor, major, kind, is_code) in [
        (4u8, 3u8, 0xFEu8, true),
        (5, 3, 0xFE, false),
        (0, 1, 0xFE, true),
        (0, 0, 0xFE, false),
        (0, 4, 0xFE, false),
        (0, 2, 0xFD, false),
    ] {
        let content = probe(&[minor, major, kind, 0xFF, 0xFF, 0xFF, 0, 0]);
        let is_found = match kind {
            0xFF => content == Content::PixelShaderCode,
            _ => content == Content::Foreign(Foreign::Format(Format::Direct3D9Vertex)),
        };
        assert_eq!(is_found, is_code, "{minor} {major} {kind:#x}");
    }
    for content in [Content::Trace, Content::CardTrace, Content::Text, Content::Unknown, Content::HexWords] {
        assert!(!content.to_string().is_empty());
    }
}
