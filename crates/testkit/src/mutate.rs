//! Inputs for [fuzz targets](crate::targets): files of the project, with random changes.

use crate::project_path;
use crate::random::Random;
use std::path::Path;

/// Inputs that a target takes as they are, to start from.
///
/// # Panics
/// There is no such target, or a file is missing.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let read = |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let list = |folder: &str| {
        let mut paths: Vec<_> = std::fs::read_dir(project_path(folder))
            .unwrap_or_else(|error| panic!("{folder}: {error}"))
            .map(|entry| entry.expect("a directory entry").path())
            .collect();
        paths.sort();
        paths
    };
    let programs = || list("examples").into_iter().filter(|path| path.extension().is_some_and(|end| end == "x1k"));
    let assemble = |path: &Path| {
        let source = String::from_utf8(read(path)).expect("UTF-8");
        ctm_x1k::text::parse(&source).unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display())).program
    };
    match target {
        "assembly" => programs().map(|path| read(&path)).collect(),
        "elf_image" => programs().map(|path| ctm_object::elf::write(&assemble(&path))).collect(),
        "instruction_round_trip" | "run" => {
            let corpus = list("tests/corpus/x1k").into_iter().map(|case| read(&case.join("program.u32")));
            corpus.chain(programs().map(|path| ctm_object::raw::write_words(&assemble(&path).code))).collect()
        }
        // All that these bytes do is choose.
        "engines" | "r700_engines" | "sm50_engines" | "allocation" => {
            let mut random = Random::new(3);
            (0..8).map(|_| (0..4096).map(|_| random.bits() as u8).collect()).collect()
        }
        "mesa_dump" => {
            let r300 = list("tests/corpus/x1k").into_iter().map(|case| read(&case.join("dump.txt")));
            let r600 = list("tests/corpus/r700").into_iter().map(|case| read(&case.join("listing.txt")));
            r300.chain(r600).collect()
        }
        "ps_text" => list("examples/ps").iter().map(|path| read(path)).collect(),
        "compile_call" => seeds("ps_text").into_iter().map(|text| [vec![0], text].concat()).collect(),
        "glsl" => ["benches/glsl", "tests/shaders/glsl"].into_iter().flat_map(list).map(|path| read(&path)).collect(),
        "wgsl" => list("tests/shaders/wgsl").iter().map(|path| read(path)).collect(),
        "r700_words" => {
            let corpus = list("tests/corpus/r700").into_iter().map(|case| read(&case.join("program.u32")));
            corpus.map(|words| [vec![1], words].concat()).collect()
        }
        "r700_assembly" => {
            let corpus = list("tests/corpus/r700").into_iter().map(|case| read(&case.join("program.u32")));
            let print = |words: Vec<u8>| {
                let program = ctm_object::r700::read_words(&words).expect("a program");
                ctm_r700::text::print_program(&program).into_bytes()
            };
            corpus.map(print).collect()
        }
        "file_content" => {
            let files =
                ["elf_image", "r700_file", "sm50_file", "mesa_dump", "png", "trace"].into_iter().flat_map(seeds);
            files.chain(TEXTS.map(|text| text.as_bytes().to_vec())).chain([pixel_shader_code()]).collect()
        }
        "r700_file" => vec![read(&project_path("crates/object/tests/r700/branches.o"))],
        "sm50_words" | "sm50_file" => vec![
            read(&project_path("tests/corpus/sm50/v_basic/vert.code.u32")),
            [
                read(&project_path("tests/corpus/sm50/t_quads/tesc.sph.u32")),
                read(&project_path("tests/corpus/sm50/t_quads/tesc.code.u32")),
            ]
            .concat(),
            read(&project_path("crates/object/tests/sm50/kernels.cubin")),
            deko3d_module(),
        ],
        "sm50_assembly" => {
            let header = read(&project_path("tests/corpus/sm50/g_strip2/geom.sph.u32"));
            let code = read(&project_path("tests/corpus/sm50/g_strip2/geom.code.u32"));
            let program = ctm_object::sm50::read_pair(&header, &code).expect("a program");
            vec![ctm_sm50::text::print_program(&program).into_bytes()]
        }
        "pvs_assembly" => vec![read(&project_path("examples/transform.pvs"))],
        "pvs_words" => {
            let source = String::from_utf8(read(&project_path("examples/transform.pvs"))).expect("UTF-8");
            let program = ctm_pvs::text::parse(&source).expect("a program").program;
            vec![program.words().flatten().flat_map(u32::to_le_bytes).collect()]
        }
        "card_trace" => {
            let trace = |name: &str| read(&project_path("tests/card").join(name));
            let r5xx = ["blend.ctmcard", "lines.ctmcard", "wave.ctmcard"];
            let others =
                ["rv770/depth.ctmcard", "rv770/wave.ctmcard", "gm107/indirect.ctmcard", "gm107/numbers.ctmcard"];
            r5xx.into_iter().chain(others).map(trace).collect()
        }
        "lane_text" => list("tests/filetests/lane").iter().map(|path| read(path)).collect(),
        "object_writers" => {
            let code = |path: &str| read(&project_path(path));
            vec![
                [vec![0; 33], code("tests/corpus/x1k/op_mad/program.u32")].concat(),
                [vec![1; 17], code("tests/corpus/r700/op_dot/program.u32")].concat(),
                [vec![2, 1], code("tests/corpus/sm50/v_basic/vert.code.u32")].concat(),
                [
                    vec![2, 0],
                    code("tests/corpus/sm50/t_quads/tesc.sph.u32"),
                    code("tests/corpus/sm50/t_quads/tesc.code.u32"),
                ]
                .concat(),
            ]
        }
        "c_calls" => c_calls(),
        "commands" => {
            let buffer = read(&project_path("examples/copy.ctmcb"));
            let text = String::from_utf8(buffer).expect("UTF-8");
            // What the target's memory has: the program after the buffer, and surfaces after it.
            let text = text.replace("0x80100000", "0x80008000").replace("0x80500000", "0x80010000");
            let text = text.replace("0x10000000", "0x80080000").replace("63", "7");
            let words = ctm_device::command::parse(&text).expect("commands").words;
            vec![words.into_iter().flat_map(u32::to_le_bytes).collect()]
        }
        "command_text" => vec![read(&project_path("examples/copy.ctmcb"))],
        "trace" => vec![trace()],
        "npy" => {
            let header = |order: &str, dtype: &str| {
                let mut text = format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': (2, 3, 4), }}");
                text += &" ".repeat(117 - text.len());
                let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
                bytes.extend(text.bytes());
                bytes.push(b'\n');
                bytes.extend((0..96u8).map(|byte| byte.wrapping_mul(7)));
                bytes
            };
            vec![header("False", "<f4"), header("True", ">f4")]
        }
        "png" => ["life.png"].iter().map(|name| read(&project_path("docs/images").join(name))).collect(),
        "arguments" => ["a.npy", "b.f32:64x32x4:tiled", "c.png:tiled"].map(|text| text.as_bytes().to_vec()).into(),
        _ => panic!("{target}: where do its seeds come from?"),
    }
}

/// Calls that a client makes, as the target reads them: a device is opened, memory is filled with a command buffer, that is
/// submitted and waited for; text is assembled, and an image taken apart.
fn c_calls() -> Vec<Vec<u8>> {
    let mut words = seeds("commands").concat();
    words.resize(words.len().next_multiple_of(16), 0);
    let open = vec![0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 2, 0];
    let write = [vec![13, 0, 0, (words.len() / 16) as u8], words.clone()].concat();
    let submit = vec![2, 0, 0, 5, (words.len() / 4) as u8, 0, 0, 0, 0];
    let others = vec![6, 0, 1, 8, 0, 64, 7, 0, 64, 9, 0, 0, 0, 0, 0, 0, 0, 0x40, 2, 10, 0, 2, 1, 0];
    let text = b"OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;\n";
    let assemble = [vec![11, 0, 0, 0, (text.len() / 4) as u8 + 1], text.to_vec()].concat();
    let image = ctm_object::elf::write(&crate::targets::copy_program());
    let image = [vec![12, 0], (image.len() as u32).to_le_bytes().to_vec(), image].concat();
    vec![[open.clone(), write, submit, others.clone()].concat(), assemble, image, [open, others].concat()]
}

/// The file of a small run.
fn trace() -> Vec<u8> {
    use ctm_device::{Client, Connection, Heap, Options, Pass};
    use ctm_memory::{Format, Tiling};
    let options = Options { local_bytes: 0x10_0000, host_bytes: 0x10_0000, ..Options::default() };
    let device = Connection::open_recording(options).expect("a device");
    let mut client = Client::new(&device);
    let program = client.load(&crate::targets::copy_program()).expect("memory");
    let input = client.buffer(Heap::Host, Format::Float32_4, Tiling::Linear, 4, 4).expect("memory");
    let output = client.buffer(Heap::Local, Format::Float32_4, Tiling::Linear, 4, 4).expect("memory");
    client.write(&input, 4, &[[1.0, 2.0, 3.0, 4.0]; 16]);
    client.run(&[Pass::new(program, 4, 4).input(0, input).output(0, output)]).expect("a run");
    device.take_trace().expect("a recording").to_bytes()
}

/// An input: mostly a seed with a few random changes.
pub fn input(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    if random.one_in(16) {
        return (0..random.below(200)).map(|_| random.bits() as u8).collect();
    }
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(8) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(8) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.bits() as u8,
            2 => bytes.truncate(at),
            3 => bytes.insert(at, random.bits() as u8),
            4 => drop(bytes.drain(at..bytes.len().min(at + random.below(16)))),
            5 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let part = other[from..other.len().min(from + random.below(64))].to_vec();
                bytes.splice(at..at, part);
            }
            6 => bytes[at] = random.pick(b"[](){},.;:=+-|@#\0\xFF09azAZ\n"),
            _ => {
                let end = bytes.len().min(at + 4);
                bytes[at..end].fill(random.pick(&[0, 0x7F, 0x80, 0xFF]));
            }
        }
    }
    bytes
}

/// Files that are recognised by what is in them: a listing of SM50 code with words, one with control bits, an array of C, and the log of a
/// vertex program.
const TEXTS: [&str; 4] = [
    "\tFunction : f\n /* 0x001fbc00fe2007f6 */\n /*0008*/ MOV R1, c[0x0][0x20] ; /* 0x4c98078000870001 */\n",
    "--:-:1:-:f S2R R0, SR_TID.X;\nL:\n01:-:-:-:6 {IADD32I R0, R0, 1;\n[----:B------:R-:W-:-:S13] @P0 BRA `(.L) ; }\n",
    "unsigned char const a[] = { 0x47, 0x66, 0x78, 0x32, /* more */ 7 };\n",
    "Final vertex program code:\n0: op: 0x00f00203 dst\n src0: 0x00d10001\n src1: 0x01248001\n src2: 0x01248001\n\
     Flow Control Ops: 0x00000002\nLOOP: uw-> 0x00000001 lw-> 0x00080001\n",
];

/// A module of deko3d with compute code and a constant.
fn deko3d_module() -> Vec<u8> {
    let mut words = vec![0x4853_4B44u32, 24, 0x80, 0x40, 24, 1, 5, 0, 4, 0x20, 4, 0];
    words.resize(0x20, 0);
    words.extend([0xFC00_07E0, 0x001F_8000, 0x0007_000F, 0xE300_0000, 0, 0, 0, 0, 0x3F80_0000]);
    words.resize(0x30, 0);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// `ps_3_0`, a constant, an input and a comparison.
fn pixel_shader_code() -> Vec<u8> {
    let words: [u32; 16] = [
        0xFFFF_0300,
        0x0500_0051,
        0xA00F_0000,
        0x3F80_0000,
        0,
        0,
        0,
        0x0200_001F,
        0x8001_0005,
        0x9003_0000,
        0x0303_005E,
        0xB00F_1000,
        0x80E4_0000,
        0xA0E4_0000,
        0x0000_FFFF,
        0,
    ];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
