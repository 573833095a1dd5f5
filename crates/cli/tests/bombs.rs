//! Small or unending inputs that ask for much time or memory are refused in little of both: 2 s of processor time and 1 GB of
//! address space. Each of these runs within such limits.
#![cfg(target_os = "linux")]

use crate::common;

use common::limits::{KIBIBYTES, SECONDS, is_refusal, limited, limited_to, refused};
use common::{Done, Folder, POSITION, project};
use std::fs;
use std::process::Command;

/// Longest text that is looked into.
const MAX_TEXT: usize = 16 << 20;

/// Endings of the names of texts, one for each language.
const LANGUAGES: [&str; 4] = ["x1k", "r700", "sm50", "ctmcb"];

#[test]
fn texts_that_are_too_large_are_not_read() {
    let folder = Folder::new("bomb-large-text");
    let garbage = "@#$ garbage ".repeat((63 << 20) / 12);
    for name in LANGUAGES.map(|language| format!("large.{language}")) {
        folder.write(&name, &garbage);
        for command in ["asm", "check", "run"].iter().filter(|command| **command == "asm" || !name.ends_with("ctmcb")) {
            refused(&folder, &format!("{command} {name}"), &[&name, "too large", "16 MiB"]);
        }
        fs::remove_file(folder.0.join(name)).expect("a file");
    }
    folder.write("large.txt", &garbage);
    // Logs are read as they come, so their size does not matter.
    refused(&folder, "import mesa large.txt -o out.x1k", &["large.txt", "no line says `R500 Fragment Program:`"]);
    refused(&folder, "draw --vs large.txt --primitive points --vertices 1", &["large.txt", "too large"]);
    fs::File::create(folder.0.join("sparse.x1k")).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    refused(&folder, "check sparse.x1k", &["too large", "64 MiB"]);
}

/// Whatever a text of the largest size consists of, it is refused in time, with messages that people can read. Slow builds
/// look at an eighth of the size in an eighth of the time, rounded up to a second; for the text that takes longest of all,
/// instructions, they look at all of it.
#[test]
fn texts_that_repeat_something() {
    let folder = Folder::new("bomb-repeated-text");
    let pieces = [
        "{",
        "(",
        "((((",
        "[",
        "a",
        "a ",
        "a\n",
        "a:\n",
        "1",
        "1.",
        "-",
        "\"",
        "#",
        "#include \"\"\n",
        "#include \"b.x1k\"\n",
        "src0.rgb = ",
        "NOP; ",
        ". ",
        "!",
        "0x",
        "é",
        "\u{0}",
    ];
    for language in LANGUAGES {
        for piece in pieces {
            let is_part = cfg!(debug_assertions) && piece != "NOP; ";
            let (size, seconds) = if is_part { (MAX_TEXT / 8, SECONDS.div_ceil(4)) } else { (MAX_TEXT, SECONDS) };
            let line = format!("asm bomb.{language}");
            folder.write(&format!("bomb.{language}"), piece.repeat(size / piece.len()));
            println!("ctm {line}: {piece:?}");
            let done = limited_to(seconds, &folder, &line);
            match (language, piece) {
                // Comments, and no program.
                ("x1k" | "ctmcb", "-") | ("r700", "NOP; ") => drop(done.ok()),
                _ => is_refusal(done, &line, &[]),
            }
        }
    }
}

/// Labels that are looked for among very many others.
#[test]
fn labels_without_end() {
    let folder = Folder::new("bomb-labels");
    for (language, label, jump) in [
        ("x1k", "label{n}:\n", "FC JUMP lable{n}, when = always ;\n"),
        ("r700", "label{n}:\n", "JUMP lable{n}\n"),
        ("sm50", "label{n}:\n", "BRA lable{n};\n"),
    ] {
        let mut text = String::new();
        (0..400_000).for_each(|n| text += &label.replace("{n}", &n.to_string()));
        (0..1000).for_each(|n| text += &jump.replace("{n}", &n.to_string()));
        let name = format!("labels.{language}");
        folder.write(&name, text);
        refused(&folder, &format!("asm {name}"), &[&name]);
    }
}

#[test]
fn numbers_without_end() {
    let folder = Folder::new("bomb-numbers");
    let digits = "9".repeat(8 << 20);
    for (name, text) in [
        ("n.x1k", format!("OUT : src0.rgb = {digits}.{digits}")),
        ("n.r700", format!("ALU: 0 x: MOV R0.x, {digits}.{digits}")),
        ("n.sm50", format!("FADD R0, R1, {digits}.{digits};")),
        ("n.ctmcb", format!(".dword {digits}{digits}")),
        ("e.sm50", "FADD R0, R1, 1e99999999999999999999;".into()),
    ] {
        folder.write(name, &text[..text.len().min(MAX_TEXT)]);
        refused(&folder, &format!("asm {name}"), &[]);
    }
}

#[test]
fn includes_that_multiply() {
    let folder = Folder::new("bomb-includes");
    for n in 0..60 {
        folder.write(&format!("{n}.x1k"), format!("#include \"{0}.x1k\"\n#include \"{0}.x1k\"\n", n + 1));
    }
    folder.write("60.x1k", "-- the last one\n");
    refused(&folder, "asm 0.x1k", &["inclusions"]);
    folder.write("self.x1k", "#include \"self.x1k\"\n");
    refused(&folder, "asm self.x1k", &["includes itself"]);
    folder.write("big.x1k", " ".repeat(MAX_TEXT - 1));
    folder.write("often.x1k", "#include \"big.x1k\"\n".repeat(9_000));
    refused(&folder, "asm often.x1k", &["more than 16 MiB"]);
    folder.write("big.x1k", "x".repeat(MAX_TEXT + 1));
    refused(&folder, "asm often.x1k", &["big.x1k", "more than 16 MiB"]);
}

/// Texts reach no files but those below their directory and those below the directories of `-I`.
#[test]
fn includes_stay_in_their_directory() {
    let folder = Folder::new("include-policy");
    for directory in ["inner", "inner/parts", "library"] {
        fs::create_dir(folder.0.join(directory)).expect("a directory");
    }
    folder.write("secret.x1k", "secret words\n").write("library/fill.x1k", "OUT TEX_SEM_WAIT : ;\n");
    folder
        .write("inner/parts/part.x1k", "#include \"next.x1k\"\n")
        .write("inner/parts/next.x1k", "OUT TEX_SEM_WAIT : ;\n");
    std::os::unix::fs::symlink("../secret.x1k", folder.0.join("inner/link.x1k")).expect("a link");
    std::os::unix::fs::symlink("/dev/zero", folder.0.join("inner/zero.x1k")).expect("a link");
    std::os::unix::fs::symlink("parts", folder.0.join("inner/same.x1k")).expect("a link");
    let fifo = Command::new("mkfifo").arg(folder.0.join("inner/pipe.x1k")).status().expect("mkfifo");
    assert!(fifo.success());

    let secret = folder.0.join("secret.x1k").canonicalize().expect("a file");
    for (wanted, why) in [
        ("../secret.x1k", "without '..'"),
        ("parts/../../secret.x1k", "without '..'"),
        (secret.to_str().expect("a name"), "must be relative"),
        ("/dev/zero", "must be relative"),
        ("link.x1k", "a link out of its directory"),
        ("zero.x1k", "a link out of its directory"),
        ("nowhere.x1k", "no such file"),
        ("pipe.x1k", "only regular files"),
        ("parts", "directory"),
        ("same.x1k", "directory"),
    ] {
        folder.write("inner/main.x1k", format!("#include \"{wanted}\"\n"));
        println!("{wanted}");
        let line = "asm inner/main.x1k";
        refused(&folder, line, &["inner/main.x1k:1:10", "cannot include", why]);
        assert!(!limited(&folder, line).err().contains("secret words"));
    }
    for wanted in ["../secret.x1k", "link.x1k", "nowhere.x1k"] {
        folder.write("inner/main.x1k", format!("#include \"{wanted}\"\n"));
        refused(&folder, "asm inner/main.x1k", &["-I DIR"]);
    }

    folder.write("inner/main.x1k", "#include \"parts/part.x1k\"\n#include \"fill.x1k\"\n");
    refused(&folder, "asm inner/main.x1k", &["inner/main.x1k:2:10", "no such file"]);
    limited(&folder, "-I library asm inner/main.x1k -o out.elf").ok();
    limited(&folder, "asm inner/main.x1k -I library -o out.elf").ok();
}

/// What never ends, and what never begins, is not read.
#[test]
fn files_that_are_none() {
    let folder = Folder::new("bomb-no-files");
    folder.write("position.x1k", POSITION).write("copy.x1k", COPY);
    let fifo =
        |name: &str| assert!(Command::new("mkfifo").arg(folder.0.join(name)).status().expect("mkfifo").success());
    ["pipe.npy", "pipe.x1k", "pipe.ctmtrace"].into_iter().for_each(fifo);
    for (name, target) in [("zero.npy", "/dev/zero"), ("zero.x1k", "/dev/zero"), ("zero.f32", "/dev/zero")] {
        std::os::unix::fs::symlink(target, folder.0.join(name)).expect("a link");
    }
    for line in [
        "run pipe.x1k",
        "run /dev/zero",
        "check zero.x1k",
        "dis pipe.x1k --isa r700",
        "info /dev/random",
        "asm pipe.x1k",
        "import mesa pipe.x1k -o -",
        "replay pipe.ctmtrace",
        "replay /dev/zero",
        "run copy.x1k --input 2=pipe.npy",
        "run copy.x1k --input 2=zero.npy",
        "run copy.x1k --input 2=zero.f32:4x4x4",
        "run position.x1k --consts zero.f32",
        "draw --vs pipe.x1k --primitive points --vertices 1",
    ] {
        refused(&folder, line, &["only regular files are read"]);
    }
    for line in ["run .", "run copy.x1k --input 2=..npy", "replay ."] {
        fs::create_dir_all(folder.0.join("..npy")).expect("a directory");
        refused(&folder, line, &["directory"]);
    }
    for line in ["run position.x1k --domain 4x4 -o pipe.npy", "asm position.x1k -o pipe.x1k"] {
        refused(&folder, line, &["cannot write", "nobody reads this pipe"]);
    }
    // Standard input may be a pipe, but has its limit.
    let mut endless = Command::new("sh");
    let script = format!("ulimit -t {SECONDS}; ulimit -v {KIBIBYTES}; exec \"$0\" run - < /dev/zero");
    let done = Done(endless.args(["-c", &script, env!("CARGO_BIN_EXE_ctm")]).output().expect("ctm starts"));
    done.fails(1, &["standard input", "too large"]);
}

const COPY: &str = "\
TEX TEX_SEM_ACQUIRE temp[0].rgba = LD tex[2].rgba temp[0].rgba ;
OUT TEX_SEM_WAIT
  src0.rgb = temp[0], src0.a = temp[0] :
  out[0].rgb = MAX src0.rgb src0.rgb,
  out[0].a = MAX src0.a src0.a ;
";

fn npy(header: &str, values: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), values].concat()
}

#[test]
fn arrays_that_claim_more_than_they_have() {
    let folder = Folder::new("bomb-npy");
    folder.write("copy.x1k", COPY);
    let shape = |descr: &str, shape: &str| {
        npy(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"), &[])
    };
    for (name, bytes) in [
        ("huge.npy", shape("'<f4'", "(4294967295, 4294967295)")),
        ("overflow.npy", shape("'<f4'", "(4294967296, 4294967296, 4)")),
        ("digits.npy", shape("'<f4'", &format!("({},)", "9".repeat(9_000)))),
        ("axes.npy", shape("'<f4'", &format!("({})", "1,".repeat(4_000)))),
        ("deep.npy", shape("'<f4'", &format!("{}{}", "(".repeat(4_000), ")".repeat(4_000)))),
        ("object.npy", shape("'|O'", "(4, 4)")),
        ("string.npy", shape("'<U4294967295'", "(4, 4)")),
        ("fields.npy", shape(&format!("[{}]", "('a','<f4'),".repeat(700)), "(4, 4)")),
        ("header.npy", [b"\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF".to_vec(), vec![b' '; 1 << 20]].concat()),
        ("garbage.npy", [b"\x93NUMPY\x01\x00\x10\x27".to_vec(), vec![b'{'; 20_000]].concat()),
    ] {
        folder.write(name, bytes);
        refused(&folder, &format!("run copy.x1k --input 2={name} -o out.npy"), &[name]);
    }
    fs::File::create(folder.0.join("long.npy")).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    refused(&folder, "run copy.x1k --input 2=long.npy -o out.npy", &["long.npy", "more than a surface"]);
    refused(&folder, "run copy.x1k --consts long.npy --input 2=long.npy -o out.npy", &["long.npy"]);
}

/// A PNG file of these chunks, with their checksums.
fn png(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in chunks {
        let body = [&name[..], content].concat();
        file.extend((content.len() as u32).to_be_bytes());
        file.extend(&body);
        file.extend(crc(&body).to_be_bytes());
    }
    file
}

/// CRC-32 of the PNG specification.
fn crc(bytes: &[u8]) -> u32 {
    let table: Vec<u32> =
        (0..256).map(|n| (0..8).fold(n, |c: u32, _| if c & 1 == 1 { 0xEDB8_8320 ^ c >> 1 } else { c >> 1 })).collect();
    !bytes.iter().fold(!0, |crc, byte| table[((crc ^ u32::from(*byte)) & 0xFF) as usize] ^ crc >> 8)
}

#[test]
fn pictures_that_unfold() {
    let folder = Folder::new("bomb-png");
    folder.write("copy.x1k", COPY);
    let header =
        |width: u32, height: u32, rest: [u8; 5]| [&width.to_be_bytes()[..], &height.to_be_bytes(), &rest].concat();
    let rgba16 = header(4096, 4096, [16, 6, 0, 0, 0]);
    let gray = header(4, 4, [8, 0, 0, 0, 0]);
    // A stored block of no bytes, which is not the last: as many of them as there are bytes, and no value.
    let empty_blocks = [&[0x78, 0x01][..], &[0, 0, 0, 0xFF, 0xFF].repeat(4 << 20)].concat();
    let compressed = |content: &[u8]| [b"name\0\0\x78\x01", content].concat();
    let many = (0..400_000).map(|_| (b"tEXt", &b"a\0b"[..]));
    let unknown = (0..400_000).map(|_| (b"abCd", &b""[..]));
    let first = [(b"IHDR", &gray[..])];
    for (name, bytes) in [
        ("large.png", png(&[(b"IHDR", &header(0x7FFF_FFFF, 0x7FFF_FFFF, [16, 6, 0, 0, 0]))])),
        ("none.png", png(&[(b"IHDR", &header(0, 0, [8, 6, 0, 0, 0]))])),
        ("cut.png", png(&[(b"IHDR", &rgba16), (b"IDAT", b"\x78\x01")])),
        ("empty.png", png(&[(b"IHDR", &rgba16), (b"IDAT", &empty_blocks)])),
        ("text.png", png(&first.into_iter().chain(many).collect::<Vec<_>>())),
        ("unknown.png", png(&first.into_iter().chain(unknown).collect::<Vec<_>>())),
        ("ztxt.png", png(&[first[0], (b"zTXt", &compressed(&empty_blocks[2..]))])),
        ("iccp.png", png(&[first[0], (b"iCCP", &compressed(&empty_blocks[2..]))])),
        ("length.png", b"\x89PNG\r\n\x1a\n\xFF\xFF\xFF\xFFIHDR".to_vec()),
    ] {
        folder.write(name, bytes);
        refused(&folder, &format!("run copy.x1k --input 2={name} -o out.npy"), &[name]);
    }
}

#[test]
fn option_values_that_ask_for_much() {
    let folder = Folder::new("bomb-options");
    folder.write("position.x1k", POSITION);
    for line in [
        "run position.x1k --domain 4294967295x4294967295",
        "run position.x1k --domain 99999999999999999999x1",
        "run position.x1k --group 4294967295",
        "run position.x1k --threads 4294967295",
        "run position.x1k --threads 65535",
        "run position.x1k --repeat 4294967295 --domain 1x1",
        "run position.x1k --repeat 18446744073709551615",
        "run position.x1k --domain 4x4 -o a.npy:4096x4096x4 --output 1=b.npy:4097x4096x4",
        "run position.x1k -o a.npy:99999999999x99999999999x4",
        "run position.x1k -o a.npy:18446744073709551615x18446744073709551615x18446744073709551615",
    ] {
        refused(&folder, line, &[]);
    }
    let many: String = (0..20_000).map(|n| format!(" --const {}={n}", n % 256)).collect();
    refused(&folder, &format!("run position.x1k --domain 4x4{many} -o a.npy"), &["constant 0 is given twice"]);

    let draw = "draw --primitive points --vs";
    let vertex = project("examples/ripple/vertex.sm50").display().to_string();
    for line in [
        format!("{draw} {vertex} --vertices 1 --capture 0x70:4294967295"),
        format!("{draw} {vertex} --vertices 1 --threads 65535"),
    ] {
        refused(&folder, &line, &[]);
    }
    limited(&folder, &format!("{draw} {vertex} --vertices 4294967295")).fails(4, &["memory", "--memory SIZE"]);
}
