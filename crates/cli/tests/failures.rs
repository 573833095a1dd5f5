//! What goes wrong is reported in words, with the right exit code, and leaves no half-written files.

use crate::common;

use common::{Folder, POSITION};

/// A folder with `position.x1k` and `position.elf`.
fn prepared(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("position.x1k", POSITION);
    folder.ctm("asm position.x1k").ok();
    folder
}

#[test]
fn a_program_that_is_not_there() {
    let folder = Folder::new("no-program");
    for line in ["run", "dis", "check", "info", "asm"].map(|command| format!("{command} nowhere.x1k")) {
        folder.ctm(&line).fails(1, &["cannot read 'nowhere.x1k'", "no such file"]);
    }
    folder.ctm("run .").fails(1, &["cannot read '.'", "directory"]);
}

#[test]
fn a_file_that_is_no_program() {
    let folder = Folder::new("no-program-inside");
    folder.write("noise.bin", b"\xF8\x01\xFF").write("empty.x1k", b"").write("prose.x1k", "Hello, world.\n");
    folder.ctm("run noise.bin").fails(1, &["noise.bin", "not text", "--isa x1k"]);
    folder.ctm("run empty.x1k").fails(1, &["empty.x1k", "empty"]);
    folder.ctm("run prose.x1k").fails(1, &["prose.x1k:1:1", "Hello"]);
}

/// The first bytes of an ELF file for this machine, with these flags; of a cubin those of the older ABI.
fn elf(machine: u16, flags: u32) -> Vec<u8> {
    let mut header = vec![0; 64];
    header[..9].copy_from_slice(b"\x7FELF\x02\x01\x01\x33\x07");
    header[18..20].copy_from_slice(&machine.to_le_bytes());
    header[48..52].copy_from_slice(&flags.to_le_bytes());
    header
}

#[test]
fn files_of_other_machines_and_formats() {
    let folder = Folder::new("foreign");
    for (name, bytes, what, remedy) in [
        ("gcn.o", elf(224, 0x2C), "AMD GPU of the GCN family (gfx900)", "-mcpu=rv770"),
        ("rdna.o", elf(224, 0x36), "AMD GPU of the RDNA family (gfx1030)", "-mcpu=rv770"),
        ("volta.cubin", elf(190, 0x0046_0546), "a cubin for sm_70", "-arch=sm_50"),
        ("hopper.cubin", elf(190, 0x005A_055A), "a cubin for sm_90", "-arch=sm_50"),
        ("phone.so", elf(183, 0), "an ELF file for AArch64", "CTM images"),
        ("shader.spv", 0x0723_0203u32.to_le_bytes().to_vec(), "a SPIR-V module", "compile it"),
        ("shader.dxbc", b"DXBC\0\0\0\0".to_vec(), "shader model 4 or 5", "compile it"),
        ("picture.png", b"\x89PNG\r\n\x1A\n".to_vec(), "a PNG picture", "--input N=FILE"),
        ("shader.vert", b"#version 450\nvoid main() {}\n".to_vec(), "GLSL", "compile it"),
        ("client.ctmtrace", b"CTMTRACE\x01\0\0\0".to_vec(), "a trace of the CTM device", "ctm replay"),
        ("scene.ctmcard", b"CTM CARD\x01\0\0\0".to_vec(), "a trace of a card", "ctm card dis"),
    ] {
        folder.write(name, bytes);
        for command in ["dis", "check", "info", "run"] {
            folder.ctm(&format!("{command} {name}")).fails(1, &[name, what, remedy]);
        }
    }
    // Saying what it should be does not make an ELF file of another machine one.
    folder.ctm("dis gcn.o --isa r700").fails(1, &["gfx900"]);
    folder.ctm("draw --vs volta.cubin --primitive points --vertices 1").fails(1, &["sm_70"]);
}

#[test]
fn a_container_of_another_instruction_set() {
    let folder = prepared("other-isa");
    let message = ["position.elf", "a program image of CTM", "no programs of R700", "--isa x1k"];
    folder.ctm("dis position.elf --isa r700").fails(1, &message);
    let message = ["position.elf", "a program image of CTM", "no programs of SM50"];
    folder.ctm("draw --vs position.elf --primitive points --vertices 1").fails(1, &message);
    folder.ctm("asm position.elf -o out.elf").fails(1, &["position.elf", "a program image of CTM", "ctm dis"]);
}

#[test]
fn every_error_of_a_text_is_shown_with_its_location() {
    let folder = Folder::new("text-errors");
    let wrong = POSITION.replace("MAD src0.rgr", "MUD src0.rgr").replace("src1.a ;", "src1.q ;");
    folder.write("wrong.x1k", wrong);
    for command in ["asm", "check", "run", "info", "dis"] {
        folder.ctm(&format!("{command} wrong.x1k")).fails(1, &["wrong.x1k:3:", "wrong.x1k:4:", "MUD", "^"]);
    }
    assert_eq!(folder.names(), ["wrong.x1k"]);
}

#[test]
fn a_truncated_program() {
    let folder = prepared("truncated");
    let image = folder.read("position.elf");
    for length in [4, 40, 52, 100, 160] {
        folder.write("short.elf", &image[..length]);
        folder.ctm("run short.elf").fails(1, &["short.elf"]);
    }
    folder.write("short.u32", [0; 23]);
    folder.ctm("run short.u32").fails(1, &["short.u32", "24 bytes"]);
}

#[test]
fn a_program_that_the_machine_refuses() {
    let folder = Folder::new("refused");
    folder.write("refused.x1k", "TEX temp[0].rgba = LD tex[0].rgba temp[0].rgba ;\n");
    folder.ctm("run refused.x1k -o out.png").fails(1, &["X1K003", "refused.x1k:1:"]);
    folder.ctm("check refused.x1k").fails(1, &["X1K003", "1 error"]);
    folder.ctm("asm refused.x1k -o refused.u32").ok();
    folder.ctm("run refused.u32").fails(1, &["X1K003", "disassembly of refused.u32", "LD"]);
    assert_eq!(folder.names(), ["refused.u32", "refused.x1k"]);
}

const COPY: &str = "\
TEX TEX_SEM_ACQUIRE temp[0].rgba = LD tex[2].rgba temp[0].rgba ;
OUT TEX_SEM_WAIT
  src0.rgb = temp[0], src0.a = temp[0] :
  out[0].rgb = MAX src0.rgb src0.rgb,
  out[0].a = MAX src0.a src0.a ;
";

/// What people are likely to give by mistake has its own message.
#[test]
fn files_of_another_kind() {
    let folder = Folder::new("another-kind");
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = |path: &str| project.join(path).display().to_string();
    folder
        .ctm_args(["asm", &file("tests/corpus/x1k/cf_nest3/dump.txt")])
        .fails(1, &["dump.txt", "a log of Mesa's r300 driver", "ctm import mesa"]);
    let words = file("tests/corpus/r700/op_dot/program.u32");
    assert!(folder.ctm_args(["dis", &words]).ok().err().contains("read as X1K words"));
    folder.write("part.u32", &std::fs::read(words).expect("words of R700")[..100]);
    folder.ctm("dis part.u32").fails(1, &["whole instructions", "--isa r700"]);
    folder.write("prose.r700", "one\ntwo\nthree\n".repeat(30));
    folder.ctm("check prose.r700").fails(1, &["more like these are not shown"]);
}

#[test]
fn an_input_that_is_missing() {
    let folder = Folder::new("missing-input");
    folder.write("copy.x1k", COPY);
    folder.ctm("run copy.x1k -o out.npy").fails(1, &["input 2", "--input 2=FILE"]);
    folder
        .ctm("run copy.x1k --input 2=nowhere.npy -o out.npy")
        .fails(1, &["cannot read 'nowhere.npy'", "no such file"]);
    assert_eq!(folder.names(), ["copy.x1k"]);
}

#[test]
fn an_input_of_the_wrong_shape_or_content() {
    let folder = Folder::new("wrong-input");
    folder
        .write("copy.x1k", COPY)
        .write("raw.f32", [0; 80])
        .write("cut.npy", b"\x93NUMPY\x01\x00")
        .write("cut.png", b"\x89PNG");
    folder.ctm("run copy.x1k --input 2=raw.f32 -o out.npy").fails(1, &["raw.f32", "its shape", "FILE.f32:640x480x4"]);
    folder.ctm("run copy.x1k --input 2=raw.f32:4x4x4 -o out.npy").fails(1, &["raw.f32", "256", "80"]);
    folder.ctm("run copy.x1k --input 2=raw.f32:4x1x5 -o out.npy").fails(1, &["raw.f32", "channels"]);
    folder.ctm("run copy.x1k --input 2=raw.f32:0x4x4 -o out.npy").fails(1, &[":0x4x4"]);
    folder.ctm("run copy.x1k --input 2=cut.npy -o out.npy").fails(1, &["cut.npy"]);
    folder.ctm("run copy.x1k --input 2=cut.png -o out.npy").fails(1, &["cut.png"]);
    folder.ctm("run copy.x1k --input 2=copy.x1k -o out.npy").fails(1, &["copy.x1k", ".npy", ".png"]);
    folder.ctm("run copy.x1k --input 2=raw.f32:5x1x4 --consts cut.npy -o out.npy").fails(1, &["cut.npy"]);
    folder.write("odd.f32", [0; 20]);
    folder.ctm("run copy.x1k --input 2=raw.f32:5x1x4 --consts odd.f32 -o out.npy").fails(1, &["odd.f32"]);
    assert!(!folder.names().contains(&"out.npy".to_string()));
}

#[test]
fn an_output_that_cannot_be_written() {
    let folder = prepared("unwritable");
    folder
        .ctm("run position.elf --domain 4x4 -o nowhere/out.png")
        .fails(1, &["cannot write 'nowhere/out.png'", "folder"]);
    folder.ctm("run position.elf --domain 4x4 -o out.jpg").fails(2, &["out.jpg", ".npy", ".png"]);
    std::fs::create_dir(folder.0.join("taken.png")).expect("a folder can be made");
    folder.ctm("run position.elf --domain 4x4 -o taken.png").fails(1, &["cannot write 'taken.png'", "directory"]);
    folder.ctm("asm position.x1k -o nowhere/out.elf").fails(1, &["cannot write 'nowhere/out.elf'"]);
    folder.ctm("run position.elf --domain 4x4 -o a.npy --output 1=a.npy").fails(2, &["a.npy"]);
    folder.ctm("run position.elf --domain 4x4 -o a.npy --output 0=b.npy").fails(2, &["output 0"]);
    assert_eq!(folder.names(), ["position.elf", "position.x1k", "taken.png"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let folder = prepared("full-disk");
    folder.ctm("asm position.x1k -o /dev/full").fails(1, &["cannot write '/dev/full'", "no space"]);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("the device is there");
    let output = folder.command(["info", "position.elf"]).stdout(full).output().expect("ctm starts");
    common::Done(output).fails(1, &["standard output", "no space"]);
}

const ENDLESS: &str = "\
again:
  FC JUMP again, when = always ;
OUT TEX_SEM_WAIT : ;
";

/// A program that never ends, and never is where it was before.
fn counting() -> String {
    ENDLESS.replace("again:\n", "again: src0.rgb = temp[1] : temp[1].r = MAD src0.r00 src0.111 src0.100 ;\n")
}

#[test]
fn an_endless_loop() {
    let folder = Folder::new("endless");
    folder.write("counting.x1k", counting());
    folder
        .ctm("run counting.x1k --domain 1x1 --step-limit 4194304")
        .fails(3, &["step limit", "executed 4194304 instructions"]);
    folder.write("endless.x1k", ENDLESS);
    let expected = ["step limit", "endless.x1k:2:", "instruction 0", "(0, 0)", "--step-limit"];
    folder.ctm("run endless.x1k --domain 8x8 -o out.png").fails(3, &expected);
    folder.ctm("run endless.x1k --domain 8x8 --step-limit 100 -o out.png").fails(3, &["executed 100 instructions"]);
    assert_eq!(folder.names(), ["counting.x1k", "endless.x1k"]);
}

#[test]
fn command_lines_that_make_no_sense() {
    let folder = prepared("usage");
    let wrong = [
        ("", &["Usage"][..]),
        ("walk", &["walk"]),
        ("run", &["<PROGRAM>"]),
        ("run position.elf --engine warp", &["warp", "reference"]),
        ("run position.elf --domain 10", &["WIDTHxHEIGHT"]),
        ("run position.elf --domain 0x4", &["1 to 4096"]),
        ("run position.elf --domain 4x4097", &["1 to 4096"]),
        ("run position.elf --const 0=1,2,3", &["1 or 4 numbers"]),
        ("run position.elf --const 0=one", &["'one' is not a number"]),
        ("run position.elf --const 256=1", &["0 to 255"]),
        ("run position.elf --const 1", &["NUMBER=VALUE"]),
        ("run position.elf --iconst 0=256,0,0", &["0 to 255"]),
        ("run position.elf --iconst 32=1,0,0", &["0 to 31"]),
        ("run position.elf --iconst 0=1,2,3,4", &["COUNT,INIT,STEP"]),
        ("run position.elf --bconst 0=maybe", &["true or false"]),
        ("run position.elf --input 16=a.png", &["0 to 15"]),
        ("run position.elf --input 0=", &["file name"]),
        ("run position.elf --input 0=@4", &["unknown output '@4'"]),
        ("run position.elf --input 0=@3", &["output 3", "--output 3=FILE"]),
        ("run position.elf --output 4=a.png", &["0 to 3"]),
        ("run position.elf --output 0=a.npy:4x4x3", &["4x4x3", "float32_4"]),
        ("run position.elf --output 0=a.npy:4x4x2 --output-format 0=uint8_4", &["4x4x2", "uint8_4"]),
        ("run position.elf --output 0=a.npy:5000x4x4", &["5000x4", "4096x4096"]),
        ("run position.elf --output-format 0=float64", &["float32_4"]),
        ("run position.elf --position r128", &["r0 to r127"]),
        ("run position.elf --tonemap 1,1", &["differ"]),
        ("run position.elf --group 0", &["1..=256"]),
        ("run position.elf --threads 0", &["--threads"]),
        ("run position.elf --repeat 0", &["--repeat"]),
        ("run position.elf --end 5", &["--end", "0 to 0"]),
        ("run position.elf --json", &["--stats"]),
        ("dis position.elf --json --fields", &["--fields"]),
        ("dis position.elf --isa r9000", &["x1k"]),
        ("explain X1K999", &["X1K999", "ctm explain"]),
        ("explain CMPX", &["CMPX", "did you mean `CMP`"]),
        ("explain MUFU --isa x1k", &["MUFU", "x1k"]),
        ("completions tcsh", &["bash"]),
        ("man rum", &["'ctm' has no command 'rum'", "run"]),
        ("man run fast", &["'ctm run' has no command 'fast'"]),
        ("import mesa dump.txt", &["--output"]),
    ];
    for (line, expected) in wrong {
        println!("ctm {line}");
        folder.ctm(line).fails(2, expected);
    }
    assert_eq!(folder.names(), ["position.elf", "position.x1k"]);
}

#[test]
fn a_dump_without_a_program() {
    let folder = Folder::new("no-dump");
    folder.write("dump.txt", "nothing of interest\n");
    folder.ctm("import mesa dump.txt -o out.x1k").fails(1, &["dump.txt", "R500 Fragment Program", "RADEON_DEBUG=fp"]);
    folder.ctm("import mesa nowhere.txt -o out.x1k").fails(1, &["cannot read 'nowhere.txt'"]);
    assert_eq!(folder.names(), ["dump.txt"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_and_leaves_nothing() {
    use std::io::Read;
    use std::process::{Command, Stdio};

    let folder = Folder::new("interrupted");
    folder.write("endless.x1k", counting());
    let arguments = ["run", "endless.x1k", "--step-limit", "18446744073709551615", "-o", "out.png"];
    let mut child = folder.command(arguments).stderr(Stdio::piped()).spawn().expect("ctm starts");
    // The file that waits for the picture shows that the run is about to begin.
    while !folder.names().iter().any(|name| name.starts_with(".out.png.") && name.ends_with(".part")) {
        assert!(child.try_wait().expect("ctm can be watched").is_none(), "ctm ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(killed.success());
    let status = child.wait().expect("ctm ends");
    let mut messages = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut messages).expect("text");
    assert_eq!(status.code(), Some(130), "{messages}");
    assert!(messages.contains("interrupted"), "{messages}");
    assert_eq!(folder.names(), ["endless.x1k"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = prepared("broken-pipe");
    let script = format!("'{}' dis position.elf --fields | head -n 1", env!("CARGO_BIN_EXE_ctm"));
    let output =
        std::process::Command::new("sh").current_dir(&folder.0).args(["-c", &script]).output().expect("a shell");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.stdout.starts_with(b"0: OUT"));
}

/// Each message names what to do.
#[test]
fn mistakes_of_newcomers() {
    let folder = prepared("newcomers");
    let corpus = |from: &str| std::fs::read(common::project("tests/corpus").join(from)).expect("a file of the corpus");
    folder.write("newton.r700", std::fs::read(common::project("examples/newton.r700")).expect("an example"));
    folder.write("vert.sph.u32", corpus("sm50/v_basic/vert.sph.u32"));
    folder.write("vert.code.u32", corpus("sm50/v_basic/vert.code.u32"));
    folder.write("r700.x1k", folder.read("newton.r700")).write("x1k.sm50", POSITION);
    folder.write("mul.x1k", "MUL temp[0], temp[1], temp[2] ;\n");
    folder.write("kernel.sm50", "MOV R0, RZ;\nEXIT;\n").write("sm50.r700", "MOV R0, RZ;\nEXIT;\n");
    for (line, expected) in [
        ("run position.x1k --const c0=1", &["write 0=1"][..]),
        ("run position.x1k --bconst b31=true --const c0=1", &["write 31=true"]),
        ("run position.x1k --input photo.png", &["such as 0=photo.png"]),
        ("run position.x1k --domain -5x5", &["'-5x5'", "WIDTHxHEIGHT"]),
        ("draw --vs vert.sph.u32 --primitive points --vertices -1", &["'-1'", "--vertices"]),
        ("run newton.r700 --bconst 0=1", &["--bconst is an option of X1K programs", "R700 programs have --bool-const"]),
        ("run position.x1k --loop-const 0=1", &["--loop-const is an option of R700", "X1K programs have --iconst"]),
        ("run kernel.sm50 --kcache 0=a.npy", &["SM50 programs have --bank"]),
        ("run position.x1k --block 64", &["--block is an option of SM50 programs", "lists the options of X1K"]),
        (
            "explain MUL --isa x1k",
            &["unknown code or name 'MUL' of x1k", "x1k: `MAD src0.rgb src1.rgb src0.000` multiplies"],
        ),
        ("explain FMADD", &["sm50: "]),
        ("run vert.sph.u32 -o out.npy", &["stage vertex", "'ctm draw --vs vert.sph.u32 --primitive triangles"]),
    ] {
        println!("ctm {line}");
        folder.ctm(line).fails(2, expected);
    }
    for (line, expected) in [
        ("asm r700.x1k", &["the text is assembly of R700", "'--isa r700'", ".r700"][..]),
        ("asm mul.x1k", &["`MAD src0.rgb src1.rgb src0.000` multiplies", "sources come first"]),
        ("run r700.x1k", &["the text is assembly of R700"]),
        ("asm x1k.sm50", &["the text is assembly of X1K", "'--isa x1k'"]),
        ("dis sm50.r700", &["the text is assembly of SM50", ".sm50"]),
        ("asm position.x1k --isa sm50", &["the text is assembly of X1K"]),
    ] {
        println!("ctm {line}");
        let done = folder.ctm(line).fails(1, expected);
        assert_eq!(done.err().matches("error").count(), 1, "{}", done.err());
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = prepared("names");
    let name = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    std::fs::write(folder.0.join(name(b"p\xFF.x1k")), POSITION).expect("a file");
    folder.ctm_args([name(b"check"), name(b"p\xFF.x1k")]).ok();
    folder.ctm_args([name(b"asm"), name(b"p\xFF.x1k"), name(b"-o"), name(b"\xFF.elf")]).ok();
    let run = |option: &'static [u8], file: &'static [u8]| {
        let line: [&[u8]; 8] = [b"run", b"p\xFF.x1k", b"--domain", b"1x1", b"--const", b"0=0", option, file];
        folder.ctm_args(line.map(std::ffi::OsStr::from_bytes))
    };
    run(b"-o", b"\xFF.npy").ok();
    assert!(folder.0.join(name(b"\xFF.npy")).exists());
    run(b"-o", b"\xFF.npi").fails(2, &["has an unknown type"]);
    run(b"--output", b"0=\xFF.npy").fails(2, &["an argument is not UTF-8", ".npy'", "rename the file"]);
}

#[test]
fn texts_in_other_encodings() {
    let folder = prepared("encodings");
    let expected = folder.ctm("dis position.x1k").ok().out().to_string();
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    folder.write("mark.x1k", format!("\u{feff}{POSITION}"));
    folder.write("little.x1k", utf16(POSITION, u16::to_le_bytes)).write("big.x1k", utf16(POSITION, u16::to_be_bytes));
    folder.write("including.x1k", utf16("#include \"little.x1k\"\n", u16::to_le_bytes));
    for name in ["mark.x1k", "little.x1k", "big.x1k", "including.x1k"] {
        assert_eq!(folder.ctm(&format!("dis {name}")).ok().out(), expected, "{name}");
        folder.ctm(&format!("asm {name} -o out.elf")).ok();
        assert_eq!(folder.read("out.elf"), folder.read("position.elf"), "{name}");
    }
    let dump = std::fs::read_to_string(common::project("tests/corpus/x1k/op_mad/dump.txt")).expect("a dump");
    folder.write("dump.txt", utf16(&dump, u16::to_le_bytes)).ctm("import mesa dump.txt -o dump.x1k").ok();
}

#[test]
fn errors_beyond_the_last_that_is_looked_at() {
    let folder = Folder::new("many-errors");
    folder.write("few.x1k", "MUL ;\n".repeat(30)).write("many.x1k", "MUL ;\n".repeat(3000));
    let few = folder.ctm("check few.x1k").fails(1, &["10 more like these are not shown"]);
    assert!(!few.err().contains("was not looked at"), "{}", few.err());
    folder
        .ctm("check many.x1k")
        .fails(1, &["236 more like these are not shown, and the text after them was not looked at"]);
}

/// The system refuses memory; every command says so, and none aborts.
#[cfg(target_os = "linux")]
#[test]
fn a_host_without_memory() {
    let folder = prepared("no-memory");
    let side = 2048;
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({side}, {side}, 4), }}");
    let header = format!("{header:<117}\n");
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    array.resize(array.len() + side * side * 16, 0);
    folder.write("big.npy", array);
    folder.write("copy.x1k", std::fs::read(common::project("examples/copy.x1k")).expect("an example"));
    folder.ctm("run copy.x1k --domain 2048x2048 --input 0=big.npy -o big.png").ok();
    let ripple = |stage: &str| common::project("examples/ripple").join(stage).display().to_string();
    let [vertex, control, evaluation, geometry] =
        ["vertex.sm50", "control.sm50", "evaluation.sm50", "geometry.sm50"].map(ripple);
    let patches = format!(
        "--vs {vertex} --tcs {control} --tes {evaluation} --primitive patches --vertices 40000 --patch-vertices 4 --tess-domain quads"
    );
    for line in [
        "run copy.x1k --domain 2048x2048 --input 0=big.npy -o out.npy --threads 2".to_string(),
        "run copy.x1k --domain 2048x2048 --input 0=big.png -o out.npy --threads 2".to_string(),
        format!("draw {patches} -o out.npy --threads 2"),
        format!("draw {patches} --gs {geometry} -o out.npy --threads 2"),
        format!("draw --vs {vertex} --primitive points --vertices 3000000 -o out.npy --threads 2"),
        format!("draw --vs {vertex} --primitive points --vertices 3000000 --obj out.obj --threads 2"),
    ] {
        for kibibytes in (100..=400).step_by(50).map(|mebibytes| mebibytes << 10) {
            let script = format!("ulimit -v {kibibytes} && ulimit -c 0 && exec \"$0\" \"$@\"");
            let mut command = std::process::Command::new("sh");
            command.current_dir(&folder.0).args(["-c", &script, env!("CARGO_BIN_EXE_ctm")]);
            let done = common::Done(command.args(line.split_whitespace()).output().expect("ctm starts"));
            let code = done.0.status.code();
            assert!(matches!(code, Some(0 | 1 | 4)), "{kibibytes} KiB, ctm {line}: {}\n{}", done.0.status, done.err());
            if code != Some(0) {
                assert!(done.err().contains("memory"), "{}", done.err());
            }
        }
    }
}

/// What a draw needs at least is known before it begins.
#[test]
fn a_draw_of_more_than_there_is_memory() {
    let folder = Folder::new("large-draw");
    let vertex = common::project("examples/ripple/vertex.sm50").display().to_string();
    for primitive in ["points", "triangles", "triangle_strip"] {
        let start = std::time::Instant::now();
        folder
            .ctm(&format!("draw --vs {vertex} --primitive {primitive} --vertices 4294967295 -o out.npy"))
            .fails(4, &["bytes of memory", "--memory"]);
        assert!(start.elapsed() < std::time::Duration::from_secs(60), "{primitive}: {:?}", start.elapsed());
    }
}

#[test]
fn words_in_the_other_byte_order() {
    let folder = Folder::new("byte-order");
    let corpus = |from: &str| std::fs::read(common::project("tests/corpus").join(from)).expect("a file of the corpus");
    folder.write("kernel.sm50", "MOV R0, RZ;\nEXIT;\n").ctm("asm kernel.sm50 -o kernel.code.u32").ok();
    for (name, bytes, isa) in [
        ("r700.u32", corpus("r700/op_dot/program.u32"), "r700"),
        ("x1k.u32", corpus("x1k/op_mad/program.u32"), "x1k"),
        ("sm50.bin", folder.read("kernel.code.u32"), "sm50"),
    ] {
        folder.write(name, &bytes);
        assert_eq!(folder.ctm(&format!("dis {name} --isa {isa}")).ok().err(), "");
        folder.write(name, bytes.as_chunks().0.iter().flat_map(|&[a, b, c, d]| [d, c, b, a]).collect::<Vec<u8>>());
        let done = folder.ctm(&format!("dis {name} --isa {isa}"));
        let swap = format!("--reverse-bytes=4 {name} SWAPPED");
        for part in ["would be one with the bytes of each swapped", &swap] {
            assert!(done.err().contains(part), "{name}: {}", done.err());
        }
    }
}
