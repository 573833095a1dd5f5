//! Clients in C and C++, compiled by the system's compilers and run.
#![cfg(all(unix, not(target_vendor = "apple")))]

mod compiler;

use compiler::{EXAMPLES, INCLUDE, Link, Scratch, build, is_compiler_there, is_there, library_directory, succeed};
use ctm_device::{Options, Trace, replay};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The example clients and what they print.
const CLIENTS: [(&str, &str); 5] = [
    ("copy.c", "64 x 64 elements to tiles and back: the same\n"),
    ("gradient.c", "49 words, 64 x 64 elements: 0 wrong\n"),
    ("sparse.cpp", "586 of 4096 elements updated, 0 wrong\n"),
    ("streams.cpp", "6 kernels over 480 elements: 0 wrong\n"),
    ("relaxation.cpp", "100 passes: 77.792 below the hot edge, as computed here\n"),
];

fn example(name: &str) -> PathBuf {
    Path::new(EXAMPLES).join(name)
}

/// Runs a client, which must print this, and nothing about errors.
fn expect(command: &mut Command, printed: &str) {
    let output = succeed(command);
    assert_eq!([&*output.stdout, &output.stderr].map(String::from_utf8_lossy), [printed, ""], "{command:?}");
}

#[test]
fn examples_run() {
    let scratch = Scratch::new();
    for (name, printed) in CLIENTS.into_iter().filter(|(name, _)| is_compiler_there(&example(name))) {
        let client = scratch.path("client");
        build(&example(name), &client, Link::Shared, &["-O2"]);
        expect(&mut Command::new(client), printed);
    }
}

/// A client that was linked with the file's path still looks for the library by its name.
#[cfg(target_os = "linux")]
#[test]
fn the_shared_library_has_a_name() {
    use object::read::elf::{Dyn, ElfFile64};
    let bytes = std::fs::read(library_directory().join("libctm.so")).unwrap();
    let file = ElfFile64::<object::Endianness>::parse(&*bytes).unwrap();
    let (endian, sections) = (file.endian(), file.elf_section_table());
    let (dynamic, strings) = sections.dynamic(endian, &*bytes).unwrap().unwrap();
    let strings = sections.strings(endian, &*bytes, strings).unwrap();
    let names = dynamic.iter().filter(|entry| entry.tag(endian) == object::elf::DT_SONAME);
    let names: Vec<_> = names.map(|entry| entry.string(endian, strings).unwrap()).collect();
    assert_eq!(names, [b"libctm.so"]);
}

#[test]
fn examples_run_with_the_static_library() {
    let scratch = Scratch::new();
    let (name, printed) = CLIENTS[0];
    if is_compiler_there(&example(name)) {
        build(&example(name), &scratch.path("client"), Link::Static, &[]);
        expect(&mut Command::new(scratch.path("client")), printed);
    }
}

#[test]
fn examples_are_clean_under_address_sanitizer() {
    let scratch = Scratch::new();
    let nothing = scratch.file("nothing.c", "int main(void) { return 0; }\n");
    let sanitize = ["-fsanitize=address", "-fno-omit-frame-pointer"];
    if !is_compiler_there(&nothing) {
        return;
    }
    if !compiler::compile(&nothing, &scratch.path("nothing"), &sanitize).output().unwrap().status.success() {
        return eprintln!("SKIPPED: the compiler has no AddressSanitizer");
    }
    for (name, printed) in CLIENTS {
        let client = scratch.path("client");
        build(&example(name), &client, Link::Shared, &sanitize);
        expect(Command::new(client).env("ASAN_OPTIONS", "detect_leaks=1"), printed);
    }
}

#[test]
fn valgrind_finds_nothing() {
    let scratch = Scratch::new();
    let (name, printed) = CLIENTS[0];
    if !is_compiler_there(&example(name)) || !is_there("valgrind") {
        return;
    }
    let client = scratch.path("client");
    build(&example(name), &client, Link::Shared, &[]);
    expect(Command::new("valgrind").args(["-q", "--leak-check=full", "--error-exitcode=9"]).arg(client), printed);
}

#[test]
fn the_makefile_makes_and_runs_the_examples() {
    if !is_compiler_there(&example("copy.c")) || !is_compiler_there(&example("sparse.cpp")) || !is_there("make") {
        return;
    }
    let scratch = Scratch::new();
    let mut make = Command::new("make");
    make.args(["-s", "-C", EXAMPLES]);
    make.arg(format!("INCLUDE={INCLUDE}")).arg(format!("LIBDIR={}", library_directory().display()));
    make.arg(format!("OUT={}", scratch.path("out").display()));
    // The tests may themselves have been started by a make.
    make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    expect(&mut make, &CLIENTS.map(|(_, printed)| printed).concat());
}

#[test]
fn examples_leave_out_no_command() {
    let scratch = Scratch::new();
    for (name, printed) in CLIENTS.into_iter().filter(|(name, _)| is_compiler_there(&example(name))) {
        let (client, trace) = (scratch.path("client"), scratch.path("trace"));
        build(&example(name), &client, Link::Shared, &[]);
        expect(Command::new(client).env("CTM_TRACE", &trace), printed);
        let trace = Trace::from_bytes(&std::fs::read(trace).unwrap()).unwrap();
        let replay = replay(&trace, Options { strict: true, ..trace.options }).unwrap();
        assert_eq!((replay.differences, replay.reports), (vec![], vec![]), "{name}");
    }
}

#[test]
fn the_manual_installs_what_pkg_config_finds() {
    let manual = include_str!("../../../docs/c-interface.md");
    let recipe = manual.split("\nPREFIX=/usr/local\n").nth(1).unwrap().split("\ncc ").next().unwrap();
    let scratch = Scratch::new();
    let (prefix, source) = (scratch.path("prefix"), example("copy.c"));
    let recipe = recipe.replace("target/release", library_directory().to_str().unwrap());
    let project = Path::new(EXAMPLES).join("../..");
    succeed(Command::new("sh").args(["-eu", "-c", &recipe]).current_dir(project).env("PREFIX", &prefix));
    assert!(prefix.join("include/ctm/amuCbufPack.h").is_file());
    if !is_compiler_there(&source) || !is_there("pkg-config") {
        return;
    }
    let client = scratch.path("client");
    let compile = format!("cc {} $(pkg-config --cflags --libs ctm) -o {}", source.display(), client.display());
    let mut shell = Command::new("sh");
    succeed(shell.args(["-eu", "-c", &compile]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
    let output = Command::new(client).env("LD_LIBRARY_PATH", prefix.join("lib")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), CLIENTS[0].1);
}

/// Opens two devices, submits a hundred buffers to the second one, and closes both without looking at the results.
const HASTY: &str = r#"
#include "amDeviceManaged.h"
#include "amuCbufTypes.h"
int main(void)
{
    AMmanagedDeviceInfo info;
    AMmanagedDevice first = amOpenManagedConnection(NULL, &info);
    AMmanagedDevice second = amOpenManagedConnection("", &info);
    AMuint32 *words = (AMuint32 *)info.baseAddressCPUc;
    int n, submitted = 0;
    words[0] = AMU_CBUF_OP_INIT_PERF_COUNTERS;
    words[1] = 1;
    words[2] = AMU_CBUF_OP_READ_PERF_COUNTERS;
    words[3] = info.baseAddressGPU;
    for (n = 0; n < 100; n++) {
        submitted += amSubmitCommandBuffer(second, info.baseAddressSYSc, 4) != 0;
    }
    amCloseManagedConnection(second);
    amCloseManagedConnection(first);
    return submitted == 100 ? 0 : 1;
}
"#;

#[test]
fn the_environment_makes_devices_write_traces_when_they_are_closed() {
    let scratch = Scratch::new();
    let source = scratch.file("hasty.c", &format!("#include <stddef.h>\n{HASTY}"));
    if !is_compiler_there(&source) {
        return;
    }
    let client = scratch.path("client");
    build(&source, &client, Link::Shared, &[]);
    let trace = scratch.path("client.ctmtrace");
    expect(Command::new(&client).env("CTM_TRACE", &trace), "");
    let read = |path: &Path| Trace::from_bytes(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(read(&trace).steps.len(), 0, "the first device was opened only");
    let second = read(&scratch.path("client.ctmtrace.2"));
    assert_eq!(second.steps.len(), 100, "closing waits for everything submitted");
    assert!(replay(&second, second.options).unwrap().differences.is_empty());

    let nowhere = scratch.path("no/such/directory");
    let output = succeed(Command::new(&client).env("CTM_TRACE", &nowhere));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("CTM_TRACE: cannot write") && told.contains("no/such/directory.2"), "{told}");
}
