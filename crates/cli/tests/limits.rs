//! Programs and options that want more than a run may have: exit code 4, one line of cause and one of remedy, and no output.

use crate::common;

use common::{Folder, POSITION};
use std::time::{Duration, Instant};

const ENDLESS_R700: &str = "\
.gprs 2
.stack 1
LOOP_START_DX10 FAIL_JUMP_ADDR(done)
again:
ALU:
  x: ADD R1.x, R1.x, 1.0f
LOOP_END PASS_JUMP_ADDR(again)
done:
EXP_DONE: PIX0, R1.xxxx
END_OF_PROGRAM
";

const ENDLESS_SM50: &str = "\
MOV R0, RZ;
again:
IADD32I R0, R0, 2;
ISETP.NE.U32.AND P0, PT, R0, 1, PT;
@P0 BRA again;
EXIT;
";

const ENDLESS_VERTEX: &str = "\
.stage vertex
.omap 0x70
MOV R0, RZ;
again:
IADD32I R0, R0, 2;
ISETP.NE.U32.AND P0, PT, R0, 1, PT;
@P0 BRA again;
AST a[0x70], R0;
EXIT;
";

fn four_loops() -> String {
    let constants: String = (0..4).map(|n| format!(".int i{n} = 255\n")).collect();
    let start: String = (0..4).map(|n| format!("REP i[{n}];\n")).collect();
    let body = "src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;\n";
    let store = "OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.rgb src0.rgb ;\n";
    format!(".flow full\n{constants}{start}{body}{}{store}", "ENDREP;\n".repeat(4))
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder
        .write("loops.x1k", four_loops())
        .write("endless.r700", ENDLESS_R700)
        .write("endless.sm50", ENDLESS_SM50)
        .write("vertex.sm50", ENDLESS_VERTEX)
        .write("position.x1k", POSITION)
        .write("nothing.sm50", "EXIT;\n");
    folder
}

/// Who takes longer than this has no limit, however busy the machine is.
const HANG: Duration = Duration::from_secs(90);

const ENDLESS: [&str; 5] = [
    "run loops.x1k --domain 64x64 -o out.npy",
    "run loops.x1k --domain 64x64 -o out.npy --follow 3,3 --follow-steps 1",
    "run endless.r700 --domain 64x64 -o out.npy",
    "run endless.sm50",
    "draw --vs vertex.sm50 --primitive points --vertices 100 -o out.npy",
];

#[test]
fn runs_end_after_their_time() {
    let folder = folder("timeouts");
    let files = folder.names();
    let more = "--step-limit 18446744073709551615";
    for line in ENDLESS {
        let more = if line.starts_with("draw") { "" } else { more };
        for (limit, report) in [
            ("--timeout 0.2 --group-timeout none", "--timeout none"),
            ("--group-timeout 0.2", "--group-timeout none"),
            ("--instruction-limit 1000000", "--instruction-limit"),
        ] {
            let start = Instant::now();
            println!("ctm {line} {limit}");
            folder.ctm(&format!("{line} {limit} {more}")).fails(4, &["error: ", "help: ", report]);
            assert!(start.elapsed() < HANG, "{line} {limit}: {:?}", start.elapsed());
        }
    }
    assert_eq!(folder.names(), files, "nothing was written");
}

#[test]
fn engines_of_the_command_line_end_endless_programs() {
    let folder = folder("engines");
    for engine in ["reference", "interp", "jit"] {
        for program in ["loops.x1k", "endless.r700"] {
            let line = format!("run {program} --domain 64x64 --engine {engine} --group-timeout 0.2 -o out.npy");
            println!("ctm {line}");
            let done = folder.ctm(&line);
            // Machine code may be done with the step limit before.
            let code = done.0.status.code();
            assert!(code == Some(4) || code == Some(3) && engine != "reference", "{code:?}: {}", done.err());
        }
    }
}

/// By default, infinite loops end within seconds.
#[test]
fn nothing_is_endless_by_default() {
    let folder = folder("defaults");
    for line in ["run endless.r700 --domain 64x64 --engine reference -o out.npy", "run endless.sm50"] {
        let start = Instant::now();
        let done = folder.ctm(line);
        assert!(matches!(done.0.status.code(), Some(3 | 4)), "{}", done.err());
        assert!(start.elapsed() < HANG, "{line}: {:?}", start.elapsed());
    }
}

#[test]
fn the_instruction_limit_is_the_number_that_stats_tell() {
    let folder = folder("instructions");
    let stats = folder.ctm("run position.x1k --domain 33x17 --stats --json").ok();
    let stats: serde_json::Value = serde_json::from_str(stats.out()).unwrap();
    let count = stats["instructions"].as_u64().unwrap();
    for engine in ["reference", "interp", "jit"] {
        let run = |limit| {
            let line =
                format!("run position.x1k --domain 33x17 --engine {engine} --instruction-limit {limit} -o out.npy");
            folder.ctm(&line)
        };
        run(count).ok();
        run(count - 1).fails(4, &["more instructions than its budget", "--instruction-limit"]);
    }
}

#[test]
fn memory_is_bounded() {
    let folder = folder("memory");
    folder.ctm("run position.x1k --domain 512x512 --memory 1M -o out.npy").fails(4, &["4194304 bytes", "--memory"]);
    folder.ctm("run position.x1k --domain 64x64 --memory 1M -o out.npy").ok();
    folder.ctm("run nothing.sm50 --global-output 0x10000:1000000=out.npy --memory 1M").fails(4, &["--memory"]);
    folder.write("short.sm50", ".stage vertex\n.omap 0x70\nAST a[0x70], RZ;\nEXIT;\n");
    let draw = "draw --vs short.sm50 --primitive points --vertices 4000000000 --instances 4000000000 -o out.npy";
    folder.ctm(&format!("{draw} --memory 16M")).fails(4, &["--memory"]);
    let line = "run nothing.sm50 --block 1024 --local-memory 4294967295";
    folder.ctm(line).fails(2, &["--local-memory", "524288"]);
    for wrong in ["--memory=1T", "--timeout=-1", "--group-timeout=soon", "--instruction-limit=-1"] {
        folder.ctm(&format!("run position.x1k {wrong}")).fails(2, &[wrong.split('=').next().unwrap()]);
    }
}

/// Whatever a system refuses, there is a message and an exit code.
#[cfg(unix)]
#[test]
fn a_host_without_memory_is_an_error() {
    let folder = folder("ulimit");
    let program = env!("CARGO_BIN_EXE_ctm");
    for (kilobytes, line) in [
        (200_000, "run position.x1k --domain 4096x4096 -o out.npy"),
        (500_000, "run position.x1k --domain 4096x4096 -o out.npy"),
        (500_000, "run nothing.sm50 --global-output 0x10000:50000000=out.npy"),
        (500_000, "run nothing.sm50 --global-output 0x10000:400000000=out.npy"),
    ] {
        let script = format!("ulimit -v {kilobytes}; exec '{program}' {line}");
        let output = std::process::Command::new("sh").current_dir(&folder.0).args(["-c", &script]).output().unwrap();
        common::Done(output).fails(4, &["memory", "help: "]);
    }
}

/// A program that the device ends is an error of the device, in its record as well.
#[test]
fn a_trace_of_an_ended_program_replays() {
    let folder = folder("trace");
    let limits = "--group-timeout 0.2";
    let line = format!("run loops.x1k --domain 8x8 --emit-trace out.ctmtrace {limits}");
    folder.ctm(&line).fails(4, &["--group-timeout"]);
    assert!(folder.ctm(&format!("replay out.ctmtrace {limits}")).ok().out().contains("the same"));
}

/// A program that adds so many products up, twice: as equal products are calculated once, all of them live at a time.
fn products(count: usize) -> String {
    let group = |at: usize| {
        let factor = 1.0 + ((at * 7919 + 13) % 100_003) as f32 / 65_536.0;
        format!("  x: MUL R1.x, R0.x, {factor:?}f LAST\n  x: ADD R2.x, R2.x, R1.x LAST\n")
    };
    let groups: Vec<String> = (0..count).chain(0..count).map(group).collect();
    let clauses = groups.chunks(30).map(|groups| format!("ALU:\n{}", groups.concat()));
    format!(".gprs 3\n{}EXP_DONE: PIX0, R2.xxxx\nEND_OF_PROGRAM\n", clauses.collect::<String>())
}

/// Code that is not made is said, once and with the reason: the interpreter runs the program, and the results are the same.
#[test]
fn code_that_is_not_made_is_said() {
    let folder = folder("missing-code");
    folder.write("products.r700", products(2500)).write("more.r700", products(9000));
    let run = "--domain 4x4 -o out.f32 --engine";
    let said = |done: common::Done, reason: &str| {
        let done = done.ok();
        let is_said = done.err().matches("note: the program runs without machine code").count() == 1;
        assert_eq!(is_said && done.err().contains(reason), !reason.is_empty(), "{reason:?}: {}", done.err());
        folder.read("out.f32")
    };
    for (program, limit, reason) in [
        ("products.r700", "", ""),
        ("products.r700", "--memory 16M", "16777216 bytes of memory"),
        ("more.r700", "", "outside of registers take"),
    ] {
        let expected = said(folder.ctm(&format!("run {program} {run} reference")), "");
        let has_code = folder.ctm("run products.r700 --domain 4x4 --emit asm").0.status.success();
        let reason = if has_code { reason } else { "" };
        assert_eq!(
            said(folder.ctm(&format!("run {program} {run} jit {limit}")), reason),
            expected,
            "{program} {limit}"
        );
    }
}

/// What prints the stages of a program keeps to the limits of runs.
#[test]
fn stages_are_made_within_limits() {
    let folder = folder("stages");
    folder.write("products.r700", products(2500)).write("more.r700", products(9000));
    folder.write("plain.frag", "void main() { gl_FragColor = vec4(1.0); }\n");
    for stage in ["lane", "lane-opt", "asm"] {
        let emit = format!("run products.r700 --domain 4x4 --engine jit-avx2 --emit {stage}");
        folder.ctm(&format!("{emit} --timeout 0.000001")).fails(4, &["deadline", "--timeout"]);
    }
    folder.ctm("run position.x1k --emit lane-opt --timeout 0.000001").fails(4, &["deadline", "--timeout"]);
    for stage in ["ast", "interface", "ir", "opt", "asm"] {
        folder
            .ctm(&format!("compile plain.frag --emit {stage} --timeout 0.000001"))
            .fails(4, &["deadline", "--timeout"]);
    }
    if folder.ctm("run products.r700 --domain 4x4 --emit asm").0.status.success() {
        let emit = "--domain 4x4 --emit asm";
        folder.ctm(&format!("run products.r700 {emit} --memory 16M")).fails(4, &["16777216 bytes", "--memory"]);
        folder.ctm(&format!("run more.r700 {emit}")).fails(1, &["no machine code", "outside of registers take"]);
    }
}
