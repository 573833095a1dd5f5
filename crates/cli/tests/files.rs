//! Files that other tools made are read for what they hold, whatever their names.

use crate::common;

use common::{Folder, POSITION};
use std::io::Write;
use std::process::Stdio;

const FRAGMENT: &str = "precision mediump float;\nvoid main() { gl_FragColor = vec4(0.25, 0.5, 0.75, 1.0); }\n";
const WGSL: &str = "@fragment\nfn main() -> @location(0) vec4f {\n    return vec4f(0.25, 0.5, 0.75, 1.0);\n}\n";
const PIXEL: &str = "ps_3_0\ndef c0, 0.25, 0.5, 0.75, 1.0\nmov oC0, c0\n";
const R700: &str = "00 ALU: CNT(1)\n    0  x: MOV R1.x, R0.x\n01 EXP_DONE: PIX0, R1\nEND_OF_PROGRAM\n";
const SM50: &str = "S2R R0, SR_TID.X;\nMOV R1, c[0x0][0x140];\nEXIT;\n";
const PVS: &str = "out[0].xyzw = VE_ADD input[0].xyzw input[0].0000 ;\n";
const COMMANDS: &str = "set_domain      i0=0 j0=0 i1=63 j1=63\nstart_program\n";

/// What `ctm` makes of a text on standard input.
fn of_input(folder: &Folder, arguments: &[&str], text: &str) -> common::Done {
    let mut command = folder.command(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ctm starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("ctm reads");
    common::Done(child.wait_with_output().expect("ctm ends"))
}

#[test]
fn texts_are_recognised_without_a_name() {
    let folder = Folder::new("files-recognised");
    for (text, expected) in [
        (POSITION, "out[0].rgb = MAD"),
        (R700, "EXP_DONE: PIX0, R1.xyzw"),
        (SM50, "S2R R0, SR_TID.X;"),
        (PVS, "VE_ADD"),
        (FRAGMENT, "out[0]"),
        (WGSL, "out[0]"),
        (PIXEL, "out[0]"),
    ] {
        let printed = of_input(&folder, &["dis", "-"], text).ok();
        assert!(printed.out().contains(expected), "{text}\n{}", printed.out());
        folder.write("program.txt", text);
        assert_eq!(folder.ctm("dis program.txt").ok().out(), printed.out());
    }
    // Names that several languages have count less than what is in the file.
    folder.write("latte.psh", R700).write("direct3d.psh", PIXEL);
    assert!(folder.ctm("dis latte.psh").ok().out().contains("EXP_DONE"));
    assert!(folder.ctm("dis direct3d.psh").ok().out().contains("out[0]"));
    // Both say it.
    folder.write("shader.txt", FRAGMENT);
    folder.ctm("compile shader.txt -o shader.elf").ok();
    folder.ctm("run shader.txt --isa glsl --domain 4x4 -o out.npy").ok();
    folder.ctm("run shader.txt --domain 4x4 -o out.npy").ok();
    folder.ctm("asm program.txt -o program.elf").fails(1, &["a Direct3D 9 pixel shader", "ctm compile"]);
    assert!(of_input(&folder, &["asm", "-", "-o", "copy.bin"], COMMANDS).ok().err().is_empty());
}

#[test]
fn what_a_file_is_takes_one_sentence() {
    let folder = Folder::new("files-sentence");
    folder
        .write("shader.x1k", FRAGMENT)
        .write("shader.hlsl", "cbuffer A : register(b0)\nfloat4 main() : SV_Target\n")
        .write("shader.frag", "float4 main() : SV_Target\nreturn tex.Sample(s, uv) : register(t0);\n")
        .write("prose.txt", "Dear reader,\nthis is not a program.\n")
        .write("vertex.txt", "vs_3_0\ndcl_position v0\nmov oPos, v0\n")
        .write("listing.x1k", "        /*0008*/     MOV R1, c[0x0][0x20] ;  /* 0x4c98078000870001 */\n");
    for (line, expected) in [
        ("run shader.x1k --domain 4x4 -o o.npy", &["the text is GLSL", "assembly of X1K", "--isa glsl"][..]),
        ("run shader.hlsl --domain 4x4 -o o.npy", &["the file is HLSL", "fxc"]),
        ("run shader.frag --domain 4x4 -o o.npy", &["the text is HLSL", "was taken for GLSL"]),
        ("dis prose.txt", &["an unrecognised language", "--isa"]),
        ("asm prose.txt", &["an unrecognised language"]),
        ("dis vertex.txt", &["a Direct3D 9 vertex shader", "PVS"]),
        ("asm listing.x1k", &["a listing of SM50 code", "ctm import sass"]),
    ] {
        println!("ctm {line}");
        let done = folder.ctm(line).fails(1, expected);
        assert_eq!(done.err().matches("error").count(), 1, "{}", done.err());
    }
    folder.ctm("dis prose.txt --isa hlsl").fails(2, &["glsl", "wgsl", "x1k"]);
}

#[test]
fn arrays_of_c_hold_files() {
    let folder = Folder::new("files-c");
    folder.write("position.x1k", POSITION).ctm("asm position.x1k").ok();
    let image = folder.read("position.elf");
    let bytes: Vec<String> = image.iter().map(|byte| format!("0x{byte:02x}")).collect();
    let header =
        format!("unsigned char position_elf[] = {{\n  {}\n}};\nunsigned int position_elf_len = 1;\n", bytes.join(", "));
    folder.write("position.h", header);
    assert_eq!(folder.ctm("dis position.h").ok().out(), folder.ctm("dis position.elf").ok().out());
    folder.write("two.h", "char a[] = { 1 };\nchar b[] = { 2 };\n");
    folder.ctm("dis two.h").fails(1, &["several arrays (a, b)"]);
}

const LISTING: &str = "\
\tcode for sm_50
\t\tFunction : _Z4storePi
                                             /* 0x001fbc00fe2007f6 */
        /*0008*/     MOV R1, c[0x0][0x20] ;  /* 0x4c98078000870001 */
        /*0010*/     NOP ;                   /* 0x50b0000000070f00 */
        /*0018*/     EXIT ;                  /* 0xe30000000007000f */
";

#[test]
fn listings_of_sm50_code() {
    let folder = Folder::new("files-sass");
    folder.write("listing.sass", LISTING).ctm("import sass listing.sass -o program.sm50").ok();
    let text = String::from_utf8(folder.read("program.sm50")).expect("text");
    assert!(text.contains("MOV R1, c[0x0][0x20];") && text.contains("EXIT;"), "{text}");
    assert_eq!(folder.ctm("dis listing.sass").ok().out(), text);
    folder.ctm("asm program.sm50 -o program.code.u32").ok();
    assert_eq!(folder.read("program.code.u32")[8..16], 0x4c98_0780_0087_0001u64.to_le_bytes());
    folder.write("two.sass", format!("{LISTING}{}", LISTING.replace("_Z4store", "_Z4other")));
    folder.ctm("import sass two.sass -o -").fails(2, &["2 functions", "_Z4storePi", "--kernel"]);
    folder.ctm("import sass two.sass --kernel _Z4otherPi -o -").ok();
    folder.ctm("import sass two.sass --kernel 2 -o -").fails(2, &["no function '2'"]);
    folder.write("wrong.sass", "/*0008*/ FROB R0 ;\n");
    folder.ctm("import sass wrong.sass -o -").fails(1, &["wrong.sass:1:", "FROB"]);
}

const VERTEX_LOG: &str = "\
Final vertex program code:
 0: op: 0x00f00203 dst: 0o op: VE_ADD
 src0: 0x00d10001 reg: 0i swiz: X/ Y/ Z/ W
 src1: 0x01248001 reg: 0i swiz: 0/ 0/ 0/ 0
 src2: 0x01248001 reg: 0i swiz: 0/ 0/ 0/ 0
Flow Control Ops: 0x00000000
";

#[test]
fn logs_with_several_programs() {
    let folder = Folder::new("files-logs");
    let fragment = std::fs::read_to_string(common::project("tests/corpus/x1k/op_mad/dump.txt")).expect("a log");
    folder.write("vertex.txt", VERTEX_LOG).write("both.txt", format!("{VERTEX_LOG}{fragment}{VERTEX_LOG}"));
    let list = folder.ctm("import mesa both.txt --list").ok();
    let stages: Vec<&str> = list.out().lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(stages, ["vertex", "fragment", "vertex"], "{}", list.out());
    let imported = folder.ctm("import mesa both.txt -o -").ok();
    assert!(imported.err().contains("3 programs; this is number 1"), "{}", imported.err());
    assert!(folder.ctm("import mesa both.txt --index 2 -o -").ok().out().contains("VE_ADD"));
    assert!(folder.ctm("dis vertex.txt").ok().out().contains("VE_ADD"));
    assert!(folder.ctm("dis both.txt --isa pvs --kernel 1").ok().out().contains("VE_ADD"));
    folder.ctm("dis both.txt --isa r700").fails(1, &["a log of Mesa's r300 driver", "no programs of R700"]);
    folder.ctm("import mesa both.txt").fails(2, &["--output"]);
}

/// A log that is longer than any program is read as it comes.
#[test]
fn logs_longer_than_programs() {
    let folder = Folder::new("files-long-log");
    let noise = "shader-db: compiling another shader\n".repeat(600_000);
    folder.write("long.txt", format!("{noise}{VERTEX_LOG}{noise}"));
    assert!(folder.ctm("import mesa long.txt -o -").ok().out().contains("VE_ADD"));
    assert!(folder.ctm("dis long.txt").ok().out().contains("VE_ADD"));
}

/// Words of Direct3D's assembler: `ps_3_0`, `def c0, 0.25, 0.5, 0.75, 1.0`, `mov oC0, c0`.
#[test]
fn code_of_pixel_shaders() {
    let folder = Folder::new("files-d3d9");
    let tokens: [u32; 11] = [
        0xFFFF_0300,
        0x0500_0051,
        0xA00F_0000,
        0x3E80_0000,
        0x3F00_0000,
        0x3F40_0000,
        0x3F80_0000,
        0x0200_0001,
        0x800F_0800,
        0xA0E4_0000,
        0x0000_FFFF,
    ];
    folder.write("shader.pso", tokens.map(u32::to_le_bytes).concat()).write("shader.ps", PIXEL);
    folder.ctm("run shader.pso --domain 2x2 -o code.f32").ok();
    folder.ctm("run shader.ps --domain 2x2 -o text.f32").ok();
    assert_eq!(folder.read_floats("code.f32")[..4], [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(folder.read("code.f32"), folder.read("text.f32"));
    folder.ctm("compile shader.pso -o shader.elf").ok();
    folder.write("cut.pso", tokens[..9].iter().flat_map(|token| token.to_le_bytes()).collect::<Vec<u8>>());
    folder.ctm("run cut.pso -o o.npy").fails(1, &["cut.pso", "end token"]);
}

/// A vertex program whose position is a constant of its own, as deko3d's compiler leaves it in a module.
#[test]
fn modules_of_deko3d() {
    let folder = Folder::new("files-dksh");
    let module = |text: &str, constants: [f32; 3]| {
        folder.write("plain.sm50", text).ctm("asm plain.sm50 -o plain.sph").ok();
        let program = folder.read("plain.sph");
        let mut code = vec![0; 0x30];
        code.extend(&program);
        code.resize(code.len().next_multiple_of(0x100), 0);
        let place = code.len() as u32;
        code.extend(constants.iter().flat_map(|value| value.to_le_bytes()));
        code.resize(code.len().next_multiple_of(0x100), 0);
        let mut module: Vec<u32> = vec![0x4853_4B44, 0x18, 0x100, code.len() as u32, 0x18, 1];
        module.extend([0, 0x30, 4, place, 12, 0]);
        let mut bytes: Vec<u8> = module.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(0x100, 0);
        bytes.extend(&code);
        bytes
    };
    let moves = "MOV R0, c[0x1][0x0];\nMOV R1, c[0x1][0x4];\nMOV R2, RZ;\nMOV R3, c[0x1][0x8];\n";
    let bytes = module(&format!(".stage vertex\n{moves}AST.128 a[0x70], R0;\nEXIT;\n"), [0.5, -0.25, 1.0]);
    folder.write("triangle.dksh", &bytes);
    // Each program has constants of its own.
    folder.write("colour.dksh", module(&format!(".stage pixel\n{moves}EXIT;\n"), [0.25, 0.75, 0.5]));
    let draw = "draw --vs triangle.dksh --fs colour.dksh --primitive points --vertices 1 --size 4x4 -o p.f32";
    folder.ctm(draw).ok();
    let pixels = folder.read_floats("p.f32");
    let coloured: Vec<_> = pixels.chunks(4).enumerate().filter(|(_, pixel)| *pixel != [0.0; 4]).collect();
    assert_eq!(coloured, [(2 * 4 + 2, &[0.25, 0.75, 0.0, 0.5][..])]);
    let printed = folder.ctm("dis triangle.dksh").ok();
    for part in [".stage vertex", ".constants 0x3f000000, 0xbe800000, 0x3f800000", "AST.128 a[0x70], R0;"] {
        assert!(printed.out().contains(part), "{part}\n{}", printed.out());
    }
    folder.write("triangle.sm50", printed.out());
    for program in ["triangle.dksh", "triangle.sm50"] {
        for engine in ["reference", "interp", "jit"] {
            folder.ctm(&format!("draw --vs {program} --primitive points --vertices 1 --engine {engine} -o p.f32")).ok();
            assert_eq!(folder.read_floats("p.f32"), [0.5, -0.25, 0.0, 1.0], "{program} {engine}");
        }
    }
    // What the command line gives counts more.
    folder.write("bank.f32", [2.0f32, 3.0, 4.0].map(f32::to_le_bytes).concat());
    folder.ctm("draw --vs triangle.dksh --const 1=bank.f32 --primitive points --vertices 1 -o p.f32").ok();
    assert_eq!(folder.read_floats("p.f32"), [2.0, 3.0, 0.0, 4.0]);
    assert!(folder.ctm("asm triangle.sm50 -o t.sph").ok().err().contains("constants of the program are lost"));
    folder.write("cut.dksh", &bytes[..0x200]);
    folder.ctm("dis cut.dksh").fails(1, &["cut.dksh", "the code section"]);
}

/// A program header in front of code in any file is seen; without it the code would be read as compute code.
#[test]
fn headers_in_front_of_code() {
    let folder = Folder::new("files-header");
    folder.write("vertex.sm50", ".stage vertex\n.sass_version 3\nALD.128 R0, a[0x80];\nAST.128 a[0x70], R0;\nEXIT;\n");
    folder.ctm("asm vertex.sm50 -o vertex.sph").ok();
    folder.write("shader.bin", folder.read("vertex.sph"));
    assert!(folder.ctm("dis shader.bin").ok().out().contains(".stage vertex"));
    assert!(folder.ctm("dis shader.bin --isa sm50").ok().out().contains(".stage vertex"));
}

/// The dialect of latte-assembler: swizzles may be left out, and lengths are those of the clauses.
#[test]
fn texts_of_latte_assembler() {
    let folder = Folder::new("files-latte");
    folder.write(
        "a.psh",
        "; $MODE = \"UniformRegister\"\n; $NUM_SPI_PS_INPUT_CNTL = 1\n\
         00 TEX: ADDR(48) CNT(1) VALID_PIX\n    0  SAMPLE R0, R0.xy0x, t0, s0\n\
         01 ALU: ADDR(32) CNT(4)\n    1  x: MUL R0.x, R0.x, R1.x\n       y: MOV R0.y, 0.0f\n\
         02 EXP_DONE: PIX0, R0\nEND_OF_PROGRAM\n",
    );
    let printed = folder.ctm("dis a.psh").ok();
    assert!(printed.out().contains("SAMPLE R0.xyzw, R0.xy0x, t0, s0"), "{}", printed.out());
    assert!(printed.err().contains("the clause has a length of 2, not 4"), "{}", printed.err());
    folder.write("a.vsh", "; $MODE = \"UniformRegister\"\n00 CALL_FS NO_BARRIER\n01 EXP_DONE: POS0, R1\n02 EXP_DONE: PARAM0, R2 NO_BARRIER\nEND_OF_PROGRAM\n");
    assert!(folder.ctm("dis a.vsh").ok().out().contains(".stage vs"));
}

/// Vertex programs as they are written for the R500 today.
#[test]
fn alternate_temporaries_and_comments_of_pvs() {
    let folder = Folder::new("files-pvs");
    folder.write(
        "spin.vs.asm",
        "# the angle is in y\nalt_temp[3].z = ME_SIN input[0].___y ;\n\
         temp[1].xyzw = VE_MUL input[0].xyzw alt_temp[3].zzzz ;\nout[0].xyzw = VE_ADD temp[1].xyz1 temp[1].0000 ;\n",
    );
    let printed = folder.ctm("dis spin.vs.asm").ok();
    assert!(printed.out().contains("alt[3].z = ME_SIN"), "{}", printed.out());
}
