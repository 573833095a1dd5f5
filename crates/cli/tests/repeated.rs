//! Runs that take place several times: one for each frame of a sequence, and again when a file changes (`--watch`).

use crate::common;

use common::{Folder, POSITION, project};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

fn prepared(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("position.x1k", POSITION);
    folder
}

/// A dword of a chunk of a PNG file, in the order of the file.
fn dword(file: &[u8], chunk: &[u8; 4], at: usize) -> u32 {
    let start = file.windows(4).position(|name| name == chunk).expect("a chunk of this name") + 4;
    u32::from_be_bytes(file[start + at..start + at + 4].try_into().expect("4 bytes"))
}

#[test]
fn each_frame_has_a_file_with_its_number() {
    let folder = prepared("frames-files");
    for options in ["", "--sandbox", "--engine reference"] {
        folder
            .ctm(&format!("run position.x1k --domain 2x1 --frames 4 --fps 4 --uniform 0=time -o t-%02d.f32 {options}"))
            .ok();
        let frame = |number: u32| folder.read_floats(&format!("t-{number:02}.f32"));
        for (number, time) in [(0, 0.0), (1, 0.25), (2, 0.5), (3, 0.75)] {
            let expected = [time, time, time, 1.0 + time, 1.0 + time, time, 1.0 + time, 1.0 + time];
            assert_eq!(frame(number), expected, "frame {number} {options}");
            fs::remove_file(folder.0.join(format!("t-{number:02}.f32"))).expect("a file");
        }
        assert_eq!(folder.names(), ["position.x1k"], "{options}");
    }
    folder.ctm("run position.x1k --domain 1x1 --frames 3 --uniform 0=frame --output 0=%d.f32 --output 1=b%d.npy").ok();
    assert_eq!(folder.names(), ["0.f32", "1.f32", "2.f32", "b0.npy", "b1.npy", "b2.npy", "position.x1k"]);
    assert_eq!(folder.read_floats("2.f32"), [2.0, 2.0, 2.0, 3.0]);
}

#[test]
fn every_instruction_set_has_uniforms() {
    let folder = Folder::new("frames-sets");
    folder.write("uniform.r700", ".gprs 1\nALU:\n  x: MOV R0.x, C3.y LAST\nEXP_DONE: PIX0, R0.xxxx\nEND_OF_PROGRAM\n");
    folder.ctm("run uniform.r700 --domain 1x1 --frames 2 --fps 2 --uniform 3=time -o r%d.f32").ok();
    assert_eq!([folder.read_floats("r0.f32")[0], folder.read_floats("r1.f32")[0]], [0.0, 0.5]);
    folder.write(
        "uniform.sm50",
        "MOV R0, c[0x2][0x10];\nMOV32I R1, 0x10000;\nLDG R2, [R1];\nFADD R0, R0, R2;\nSTG [R1], R0;\nEXIT;\n",
    );
    folder.write("seven.f32", 7.0_f32.to_le_bytes());
    let line = "run uniform.sm50 --block 1 --global 0x10000=seven.f32 --global-output 0x10000:1=s%d.f32";
    folder.ctm(&format!("{line} --frames 3 --uniform 2:0x10=frame")).ok();
    let frames = [0, 1, 2].map(|frame| folder.read_floats(&format!("s{frame}.f32"))[0]);
    assert_eq!(frames, [7.0, 8.0, 9.0], "each frame begins with the same memory");
}

#[test]
fn frames_of_one_file() {
    let folder = prepared("frames-animation");
    let line = "run position.x1k --domain 4x2 --frames 5 --uniform 0=time --tonemap 0,4";
    folder.ctm(&format!("{line} -o a.apng")).ok();
    let file = folder.read("a.apng");
    assert_eq!([dword(&file, b"acTL", 0), dword(&file, b"acTL", 4)], [5, 0], "five frames, without end");
    assert_eq!(dword(&file, b"fcTL", 20), 1 << 16 | 25, "1/25 s each");
    folder.ctm(&format!("{line} --fps 10 -o a.apng")).ok();
    assert_eq!(dword(&folder.read("a.apng"), b"fcTL", 20), 1 << 16 | 10);
    // Who reads it as a picture gets the first frame.
    folder.write("copy.x1k", fs::read(project("examples/copy.x1k")).expect("an example"));
    folder.ctm("run copy.x1k --domain 4x2 --input 0=a.apng -o a.npy").ok();
}

#[test]
fn pictures_of_frames_are_warned_of_once() {
    let folder = prepared("frames-hidden");
    let report = folder.ctm("run position.x1k --domain 4x1 --frames 3 --uniform 0=frame -o f%d.png").ok();
    let report = report.err();
    assert_eq!(report.matches("warning").count(), 1, "{report}");
    for part in ["'f%d.png'", "above 1 of 48 values were clamped in", "--tonemap 0,5"] {
        assert!(report.contains(part), "{part} is not in:\n{report}");
    }
}

#[test]
fn what_makes_no_sequence_is_refused() {
    let folder = prepared("frames-refused");
    folder.write("kernel.sm50", "EXIT;\n");
    let before = folder.names();
    for (line, expected) in [
        (
            "run position.x1k --frames 2 --uniform 0=time -o a.png",
            &["no place for a number", "frame-%04d.png", "out.apng"][..],
        ),
        ("run position.x1k --const 0=0 -o a.apng", &["an animation", "--frames N"]),
        ("run position.x1k --uniform 0=time -o a.png", &["--frames N"]),
        ("run position.x1k --uniform 0=0:10 -o a.png", &["--frames N"]),
        ("run position.x1k --const 0=0 --fps 9 -o a.png", &["--frames <N>"]),
        ("run position.x1k --frames 2 --uniform 0=tide -o %d.npy", &["--uniform 0=tide", "expected time, frame"]),
        ("run position.x1k --frames 2 --uniform c0=time -o %d.npy", &["--uniform c0=time", "write 0=time"]),
        (
            "run position.x1k --frames 2 --uniform 256=time -o %d.npy",
            &["expected a number from 0 to 255 before '=', found '256'"],
        ),
        ("run position.x1k --frames 2 --uniform 0=time --uniform 0=frame -o %d.npy", &["constant 0 is given twice"]),
        ("run position.x1k --frames 2 --uniform 0=time --const 0=1 -o %d.npy", &["constant 0", "--const", "--uniform"]),
        ("run position.x1k --frames 2 --uniform 0=time --stats", &["--stats"]),
        ("run kernel.sm50 --frames 2 --uniform 3=time --global-output 0x1000:1=%d.npy", &["BANK:ADDR"]),
        ("run kernel.sm50 --frames 2 --uniform 0:0x8=frame --global-output 0x1000:1=%d.npy", &["constant bank 0"]),
    ] {
        println!("ctm {line}");
        folder.ctm(line).fails(2, expected);
        assert_eq!(folder.names(), before, "ctm {line}");
    }
    let report = folder.ctm("run position.x1k --domain 1x1 --const 0=0 --frames 2 -o %d.npy").ok();
    assert!(report.err().contains("warning: all frames are the same"), "{}", report.err());
}

/// Files of all frames appear together; that they are many matters to nobody.
#[cfg(unix)]
#[test]
fn all_frames_appear_or_none() {
    let folder = prepared("frames-together");
    fs::create_dir(folder.0.join("f3.npy")).expect("a folder");
    let before = folder.names();
    let line = "run position.x1k --domain 1x1 --frames 5 --uniform 0=time -o f%d.npy";
    folder.ctm(line).fails(1, &["cannot write 'f3.npy'"]);
    assert_eq!(folder.names(), before);
    folder.ctm("run position.x1k --domain 512x512 --frames 90000 --uniform 0=time -o a.apng").fails(4, &["--memory"]);
    assert_eq!(folder.names(), before);
    let script = "ulimit -n 40 && exec \"$0\" run position.x1k --domain 1x1 --frames 100 --uniform 0=time -o g%d.f32";
    let mut command = Command::new("sh");
    let done = command.current_dir(&folder.0).args(["-c", script, env!("CARGO_BIN_EXE_ctm")]).output();
    common::Done(done.expect("sh starts")).ok();
    assert_eq!(folder.names().len(), before.len() + 100);
}

/// `ctm run --watch`, with the lines of its messages.
struct Watched {
    child: Child,
    lines: Receiver<String>,
}

impl Watched {
    fn start(folder: &Folder, line: &str) -> Self {
        let mut command = folder.command(line.split_whitespace());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("ctm starts");
        let (send, lines) = channel();
        let messages = BufReader::new(child.stderr.take().expect("messages"));
        std::thread::spawn(move || messages.lines().map_while(Result::ok).all(|line| send.send(line).is_ok()));
        Watched { child, lines }
    }

    /// Waits for a message with these words.
    #[track_caller]
    fn says(&self, words: &str) {
        while !self.lines.recv_timeout(Duration::from_secs(60)).expect("a message").contains(words) {}
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a file to hold something that is right.
#[track_caller]
fn eventually(folder: &Folder, name: &str, is_right: impl Fn(&[u8]) -> bool) {
    for _ in 0..600 {
        if fs::read(folder.0.join(name)).is_ok_and(|content| is_right(&content)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{name}: {:?}", fs::read(folder.0.join(name)));
}

#[cfg(unix)]
#[test]
fn a_watched_run_follows_its_files() {
    for options in ["", "--sandbox"] {
        let folder = prepared(&format!("watch{options}"));
        folder
            .write("main.x1k", "#include \"value.inc\"\n#include \"position.x1k\"\n")
            .write("value.inc", ".const c0 = 1\n");
        let mut watched = Watched::start(&folder, &format!("run main.x1k --domain 1x1 -o out.f32 --watch {options}"));
        let red = |value: f32| move |content: &[u8]| content.starts_with(&value.to_le_bytes());
        eventually(&folder, "out.f32", red(1.0));
        folder.write("value.inc", ".const c0 = 2, 2, 2, 2\n");
        eventually(&folder, "out.f32", red(2.0));
        // What is wrong is shown, and does not end it.
        folder.write("value.inc", ".const c0 = wrong\n");
        watched.says("error");
        fs::remove_file(folder.0.join("value.inc")).expect("a file");
        watched.says("no such file");
        folder.write("value.inc", ".const c0 = 3, 3, 3, 3\n");
        eventually(&folder, "out.f32", red(3.0));
        assert!(watched.child.try_wait().expect("a child").is_none(), "it goes on");
        let process = watched.child.id().to_string();
        Command::new("kill").args(["-INT", &process]).status().expect("kill starts");
        assert_eq!(watched.child.wait().expect("a child").code(), Some(130), "{options}");
    }
}

#[test]
fn standard_input_cannot_be_watched() {
    let folder = prepared("watch-input");
    let input = File::open(folder.0.join("position.x1k")).expect("a file");
    let line = ["run", "-", "--domain", "1x1", "--const", "0=0", "--watch"];
    let output = folder.command(line).stdin(input).output().expect("ctm starts");
    common::Done(output).fails(2, &["--watch", "standard input", "as a file"]);
}

/// A run that reads what it writes finds the same there each time.
#[test]
fn runs_begin_with_the_same_memory() {
    let folder = Folder::new("repeated-in-place");
    folder.write(
        "count.x1k",
        "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[0].rgba = LD tex[0].rgba temp[0].rgba ;\n\
         OUT TEX_SEM_WAIT src0.a = temp[0] , src0.rgb = temp[0] :\n\
         out[0].rgb = MAD src0.rgb src0.111 src0.111 , out[0].a = MAD src0.a src0.1 src0.1 ;\n",
    );
    folder.ctm("run count.x1k --domain 1x1 --input 0=@0 --clear 2 --output 0=o.f32 --repeat 3 --stats").ok();
    assert_eq!(folder.read_floats("o.f32"), [3.0; 4]);
}
