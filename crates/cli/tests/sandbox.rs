//! `--sandbox` changes nothing but what a command may do: results, messages and exit codes are the same, and how a child ends is
//! reported.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

use crate::common::{Folder, POSITION, project};
use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a command line with and without the sandbox, each in a new folder with links to the examples, and compares all that comes
/// of it. Gives the exit code.
#[track_caller]
fn same(folder: &Folder, name: &str, line: &str) -> Option<i32> {
    println!("ctm {line}");
    let mut seen = Vec::new();
    for (kind, option) in [("plain", ""), ("sandboxed", " --sandbox")] {
        let path = folder.0.join(format!("{name}-{kind}"));
        fs::create_dir(&path).expect("a folder");
        for (link, target) in [("examples", project("examples")), ("given", folder.0.join("given"))] {
            std::os::unix::fs::symlink(target, path.join(link)).expect("a link");
        }
        let inner = Folder(path);
        let done = inner.ctm(&format!("{line}{option}"));
        let files: Vec<(String, Vec<u8>)> = inner
            .names()
            .into_iter()
            .filter(|name| name != "examples" && name != "given")
            .map(|name| (name.clone(), inner.read(&name)))
            .collect();
        seen.push((done.0.status.code(), done.out().to_owned(), done.err().to_owned(), files));
    }
    let sandboxed = seen.pop().expect("two runs");
    let plain = seen.pop().expect("two runs");
    assert_eq!((plain.0, &plain.1, &plain.2), (sandboxed.0, &sandboxed.1, &sandboxed.2), "ctm {line}");
    assert!(plain.3 == sandboxed.3, "ctm {line}: the files differ");
    plain.0
}

#[test]
fn results_are_the_same() {
    let folder = Folder::new("sandbox-same");
    fs::create_dir(folder.0.join("given")).expect("a folder");
    folder
        .write("given/main.x1k", "#include \"part.x1k\"\n#include \"shared.x1k\"\n")
        .write("given/part.x1k", "-- empty\n");
    folder.write("given/endless.x1k", "again:\n  FC JUMP again, when = always ;\nOUT TEX_SEM_WAIT : ;\n");
    folder.write("given/wrong.x1k", POSITION.replace("MAD", "MUD"));
    fs::create_dir(folder.0.join("given/library")).expect("a folder");
    folder.write("given/library/shared.x1k", POSITION);
    folder.ctm("run examples/julia.x1k --domain 64x64 -o given/julia.png").fails(1, &["no such file"]);
    folder
        .ctm_args([
            "run".as_ref(),
            project("examples/julia.x1k").as_os_str(),
            "-o".as_ref(),
            "given/julia.png".as_ref(),
        ])
        .ok();

    let ripple = "--vs examples/ripple/vertex.sm50 --tcs examples/ripple/control.sm50 --tes examples/ripple/evaluation.sm50 \
                  --gs examples/ripple/geometry.sm50 --primitive patches --vertices 16 --patch-vertices 4 --tess-domain quads";
    let chain = "--vs examples/chain/vertex.sm50 --tes examples/chain/evaluation.sm50 --fs examples/chain/fragment.sm50 --primitive patches \
                 --vertices 1 --patch-vertices 1 --tess-domain quads --tess-levels 8,8,8,8,8,8 --size 64x48 --depth less";
    for (number, (code, line)) in [
        (0, "run examples/mandelbrot.x1k --domain 70x65 -o out.png".to_string()),
        (0, "run examples/mandelbrot.x1k --domain 70x65 --engine interp -o out.npy".into()),
        (0, "run examples/mandelbrot.x1k --domain 16x16 --engine reference -o out.f32".into()),
        (0, "run examples/blur.x1k --domain 512x512 --input 0=given/julia.png -o out.png".into()),
        (0, "run examples/mandelbrot.x1k --domain 64x64 --emit asm".into()),
        (0, "run examples/mandelbrot.x1k --domain 64x64 --emit lane=lane.txt".into()),
        (0, "run examples/mandelbrot.x1k --domain 64x64 --follow 9,40 --follow-steps 20 -o out.png".into()),
        (
            0,
            "run examples/copy.x1k --domain 512x512 --input 0=given/julia.png -o out.png --emit-trace copy.ctmtrace"
                .into(),
        ),
        (0, "run given/main.x1k -I given/library --domain 16x16 -o out.npy".into()),
        (1, "run given/main.x1k --domain 16x16 -o out.npy".into()),
        (0, "run examples/newton.r700 --domain 65x33 -o out.png".into()),
        (0, "run examples/collatz.sm50 --block 24 --global-output 0x10000:24=steps.npy".into()),
        (0, format!("draw {ripple} -o out.npy --obj out.obj --svg out.svg")),
        (0, format!("draw {chain} --input 0=given/julia.png:2d,linear --depth-output depth.npy -o 0=out.png")),
        (3, "run given/endless.x1k --domain 8x8 --step-limit 1000 -o out.png".into()),
        (1, "run given/wrong.x1k -o out.png".into()),
        (1, "run given/nowhere.x1k -o out.png".into()),
        (1, "run examples/blur.x1k --input 0=nowhere.png -o out.png".into()),
        (1, "run examples/mandelbrot.x1k --domain 8x8 -o nowhere/out.png".into()),
        (2, "run examples/mandelbrot.x1k --domain 8x8 -o a.npy --output 1=a.npy".into()),
        (1, "replay given/julia.png".into()),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(same(&folder, &number.to_string(), &line), Some(code), "ctm {line}");
    }
}

#[test]
fn standard_input_is_a_program() {
    let folder = Folder::new("sandbox-stdin");
    folder.write("position.x1k", POSITION);
    let file = || fs::File::open(folder.0.join("position.x1k")).expect("a program");
    let run = |arguments: &[&str]| folder.command(arguments).stdin(file()).output().expect("ctm starts");
    let done = run(&["run", "-", "--domain", "9x9", "-o", "sandboxed.npy", "--sandbox"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(run(&["run", "-", "--domain", "9x9", "-o", "plain.npy"]).status.success());
    assert_eq!(folder.read("plain.npy"), folder.read("sandboxed.npy"));
}

/// Never ends, and is never where it was before.
const COUNTING: &str = "\
again: src0.rgb = temp[1] : temp[1].r = MAD src0.r00 src0.111 src0.100 ;
  FC JUMP again, when = always ;
OUT TEX_SEM_WAIT : ;
";

/// A run that does not end, with more options, and the process that computes.
fn endless(folder: &Folder, options: &str) -> (Child, u32) {
    folder.write("endless.x1k", COUNTING);
    let before = folder.names();
    let arguments = ["run", "endless.x1k", "--step-limit", "18446744073709551615", "-o", "out.png", "--sandbox"];
    let arguments = arguments.into_iter().chain(options.split_whitespace());
    let mut supervisor = folder.command(arguments).stderr(Stdio::piped()).spawn().expect("ctm starts");
    let id = supervisor.id();
    // The file that waits for the picture shows that the run is about to begin.
    while !folder.names().iter().any(|name| name.ends_with(".part") && !before.contains(name)) {
        assert!(supervisor.try_wait().expect("ctm can be watched").is_none(), "ctm ended by itself");
        std::thread::sleep(Duration::from_millis(10));
    }
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).expect("children");
    (supervisor, children.trim().parse().expect("one child"))
}

fn kill(signal: &str, process: u32) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().expect("kill starts").success());
}

/// Whether a process is there and not yet dead.
fn lives(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn ends(mut supervisor: Child) -> (Option<i32>, String) {
    let status = supervisor.wait().expect("ctm ends");
    let mut messages = String::new();
    supervisor.stderr.take().expect("a pipe").read_to_string(&mut messages).expect("text");
    (status.code(), messages)
}

#[test]
fn the_child_is_locked_up() {
    let folder = Folder::new("sandbox-locked");
    let (mut supervisor, child) = endless(&folder, "--group-timeout none");
    let status = fs::read_to_string(format!("/proc/{child}/status")).expect("a status");
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    assert_eq!([field("Seccomp:"), field("NoNewPrivs:")], [Some("2"), Some("1")], "{status}");
    for set in ["CapInh:", "CapPrm:", "CapEff:"] {
        assert_eq!(field(set), Some("0000000000000000"), "{set} {status}");
    }
    let limits = fs::read_to_string(format!("/proc/{child}/limits")).expect("limits");
    let limit = |name: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).expect(name);
        line.split_whitespace().next().map(str::to_owned)
    };
    for name in
        ["Max data size", "Max address space", "Max cpu time", "Max file size", "Max open files", "Max processes"]
    {
        assert_ne!(limit(name).as_deref(), Some("unlimited"), "{name}");
    }
    for name in ["Max core file size", "Max locked memory"] {
        assert_eq!(limit(name).as_deref(), Some("0"), "{name}");
    }
    // No open files but the standard ones, the socket, and those that a thread pool has of its own.
    let files = fs::read_dir(format!("/proc/{child}/fd")).expect("files");
    for file in files.flatten() {
        let target = fs::read_link(file.path()).expect("a file").display().to_string();
        assert!(!target.contains(".x1k") && !target.contains(".part"), "{target}");
    }
    supervisor.kill().expect("ctm can be killed");
    supervisor.wait().expect("ctm ends");
    // The child does not outlive it.
    let start = Instant::now();
    while lives(child) {
        assert!(start.elapsed() < Duration::from_secs(60), "the child lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_end_of_the_child_is_reported() {
    for (signal, name) in
        [("-SYS", "SIGSYS"), ("-ILL", "SIGILL"), ("-KILL", "SIGKILL"), ("-XCPU", "SIGXCPU"), ("-ABRT", "SIGABRT")]
    {
        let folder = Folder::new(&format!("sandbox-ends-{name}"));
        let (supervisor, child) = endless(&folder, "--group-timeout none");
        kill(signal, child);
        let (code, messages) = ends(supervisor);
        assert_eq!(code, Some(5), "{messages}");
        assert!(messages.contains(&format!("sandbox: the run was ended by {name}")), "{messages}");
        assert_eq!(folder.names(), ["endless.x1k"]);
    }
}

#[test]
fn memory_that_the_budget_has_is_within_the_limits() {
    let folder = Folder::new("sandbox-memory");
    for (memory, limit) in [("1G", 21u64 << 30), ("64G", 84 << 30)] {
        let (mut supervisor, child) = endless(&folder, &format!("--memory {memory}"));
        let limits = fs::read_to_string(format!("/proc/{child}/limits")).expect("limits");
        let line = limits.lines().find(|line| line.starts_with("Max data size")).expect("a limit");
        assert!(line.contains(&format!(" {limit} ")), "--memory {memory}: {line}");
        supervisor.kill().expect("ctm can be killed");
        supervisor.wait().expect("ctm ends");
    }
}

#[test]
fn ctrl_c_ends_the_child_too() {
    let folder = Folder::new("sandbox-interrupted");
    let (supervisor, child) = endless(&folder, "--group-timeout none");
    kill("-INT", supervisor.id());
    let (code, messages) = ends(supervisor);
    assert_eq!(code, Some(130), "{messages}");
    assert!(messages.contains("interrupted"), "{messages}");
    assert!(!lives(child));
    assert_eq!(folder.names(), ["endless.x1k"]);
}
