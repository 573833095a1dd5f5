//! What may be written: no output replaces an input or another output, and outputs appear whole or not at all.

use crate::common;

use common::{Folder, POSITION, project};
use std::fs;

/// The words of a refusal.
const BOTH: &[&str] = &["cannot write", "it is an input and an output of this command", "a file of its own"];

fn corpus(folder: &Folder, from: &str, to: &str) {
    folder.write(to, fs::read(project("tests/corpus").join(from)).expect("a file of the corpus"));
}

/// A folder with a file of each kind that commands read, and other names for some.
fn prepared(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("position.x1k", POSITION).write("including.x1k", "#include \"position.x1k\"\n");
    folder.write("copy.x1k", fs::read(project("examples/copy.x1k")).expect("an example"));
    folder.write("kernel.sm50", "EXIT;\n");
    corpus(&folder, "x1k/op_mad/dump.txt", "dump.txt");
    corpus(&folder, "sm50/v_basic/vert.sph.u32", "vert.sph.u32");
    corpus(&folder, "sm50/v_basic/vert.code.u32", "vert.code.u32");
    folder.ctm("run position.x1k --domain 4x4 --const 0=0 -o in.npy").ok();
    folder.write("words.u32", [0; 64]);
    folder
}

/// The content of every file.
fn contents(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    folder.names().into_iter().map(|name| (name.clone(), folder.read(&name))).collect()
}

#[test]
fn no_output_of_any_command_replaces_an_input() {
    let folder = prepared("outputs-inputs");
    let before = contents(&folder);
    for line in [
        "asm position.x1k -o position.x1k",
        "asm including.x1k -o position.x1k",
        "asm kernel.sm50 -o kernel.sm50",
        "import mesa dump.txt -o dump.txt",
        "run position.x1k --domain 4x4 --const 0=0 --emit lane=position.x1k",
        "run including.x1k --domain 4x4 --const 0=0 --emit lane=position.x1k",
        "run position.x1k --domain 4x4 --const 0=0 --emit-trace position.x1k",
        "run copy.x1k --domain 4x4 --input 0=in.npy --emit-trace in.npy",
        "run copy.x1k --domain 4x4 --input 0=in.npy -o in.npy",
        "run copy.x1k --domain 4x4 --input 0=in.npy -o in.npy --sandbox",
        "run copy.x1k --domain 4x4 --input 0=in.npy --cond-output in.npy",
        "run kernel.sm50 --global 0x10000=in.npy --global-output 0x10000:4=in.npy",
        "draw --vs vert.sph.u32 --primitive points --vertices 1 --svg vert.sph.u32",
        "draw --vs vert.sph.u32 --primitive points --vertices 1 --obj vert.code.u32",
        "draw --vs vert.sph.u32 --primitive points --vertices 1 --const 0=words.u32 --svg words.u32",
        "draw --vs vert.sph.u32 --primitive points --vertices 1 --attribute 0x80:4=in.npy -o in.npy",
    ] {
        println!("ctm {line}");
        folder.ctm(line).fails(2, BOTH);
        assert_eq!(contents(&folder), before, "ctm {line}");
    }
}

#[test]
fn other_names_of_a_file_do_not_hide_it() {
    let folder = prepared("outputs-names");
    fs::create_dir(folder.0.join("sub")).expect("a folder");
    let before = folder.read("dump.txt");
    let absolute = folder.0.join("dump.txt").display().to_string();
    let mut names = vec!["./dump.txt", "sub/../dump.txt", &absolute];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("dump.txt", folder.0.join("link.txt")).expect("a link");
        fs::hard_link(folder.0.join("dump.txt"), folder.0.join("hard.txt")).expect("a link");
        names.extend(["link.txt", "hard.txt"]);
    }
    for name in names {
        folder.ctm(&format!("import mesa dump.txt -o {name}")).fails(2, BOTH);
        folder.ctm(&format!("import mesa {name} -o dump.txt")).fails(2, BOTH);
        assert_eq!(folder.read("dump.txt"), before, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn standard_input_may_be_a_file_too() {
    let folder = prepared("outputs-standard-input");
    let input = fs::File::open(folder.0.join("dump.txt")).expect("a file");
    let before = folder.read("dump.txt");
    let output = folder.command(["import", "mesa", "-", "-o", "dump.txt"]).stdin(input).output().expect("ctm starts");
    common::Done(output).fails(2, BOTH);
    assert_eq!(folder.read("dump.txt"), before);
}

/// R700 opens files for results before it reads textures.
#[test]
fn a_file_that_is_read_after_it_was_opened_to_be_written() {
    let folder = prepared("outputs-read-later");
    corpus(&folder, "r700/op_dot/listing.txt", "listing.txt");
    let before = contents(&folder);
    folder
        .ctm("run listing.txt --domain 4x4 --input 18=in.npy --input 19=in.npy -o in.npy")
        .fails(1, &["cannot read 'in.npy'", "it is an input and an output of this command"]);
    assert_eq!(contents(&folder), before);
}

#[test]
fn two_outputs_never_share_a_file() {
    let folder = prepared("outputs-shared");
    let before = contents(&folder);
    for line in [
        "run position.x1k --domain 4x4 --const 0=0 -o a.npy --output 1=./a.npy",
        "run position.x1k --domain 4x4 --const 0=0 -o a.npy --output 1=a.npy --sandbox",
        "run kernel.sm50 --global-output 0x10000:4=a.npy --global-output 0x20000:4=a.npy",
        "draw --vs vert.sph.u32 --primitive points --vertices 1 --svg a --obj a",
        "draw --vs vert.sph.u32 --primitive points --vertices 1 --svg a.npy -o a.npy",
    ] {
        println!("ctm {line}");
        folder.ctm(line).fails(2, &["it is to receive more than one output", "a file of its own"]);
        assert_eq!(contents(&folder), before, "ctm {line}");
    }
    // Standard output is for what people read.
    folder
        .ctm("draw --vs vert.sph.u32 --primitive points --vertices 1 --svg -")
        .fails(2, &["cannot go to standard output", "'./-'"]);
}

#[cfg(unix)]
#[test]
fn devices_take_all_outputs() {
    let folder = prepared("outputs-devices");
    folder.ctm("draw --vs vert.sph.u32 --primitive points --vertices 1 --svg /dev/null --obj /dev/null").ok();
    folder.ctm("import mesa dump.txt -o /dev/null").ok();
}

/// Header and code belong together.
#[test]
fn files_of_one_command_appear_together() {
    let folder = prepared("outputs-together");
    let text = folder.ctm("dis vert.sph.u32").ok();
    folder.write("vert.sm50", text.out());
    fs::create_dir(folder.0.join("pair.code.u32")).expect("a folder");
    folder.ctm("asm vert.sm50 -o pair.sph.u32").fails(1, &["cannot write", "pair.code.u32"]);
    assert!(!folder.names().contains(&"pair.sph.u32".to_string()), "half of it was written");
    folder.ctm("asm vert.sm50 -o other.sph.u32").ok();
    assert_eq!(folder.read("other.code.u32"), folder.read("vert.code.u32"));
}

/// What was there keeps who may use it, and what is new is as open as other new files.
#[cfg(unix)]
#[test]
fn outputs_have_the_usual_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = prepared("outputs-permissions");
    let mode = |name: &str| fs::metadata(folder.0.join(name)).expect("a file").permissions().mode() & 0o777;
    folder.ctm("import mesa dump.txt -o new.x1k").ok();
    assert_eq!(mode("new.x1k"), mode("dump.txt"));
    fs::set_permissions(folder.0.join("new.x1k"), fs::Permissions::from_mode(0o640)).expect("permissions");
    folder.ctm("import mesa dump.txt -o new.x1k").ok();
    assert_eq!(mode("new.x1k"), 0o640);
}
