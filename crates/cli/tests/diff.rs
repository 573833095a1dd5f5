//! `ctm diff`: whether two runs leave the same, and where they diverge.

use crate::common::{Folder, project};
use serde_json::Value;

/// Twice the column, and three times from column 3 on.
const X1K: &str = "\
src0.rgb = temp[0] : temp[1].r = MAD src0.r__ src0.1__ src0.r__ ;
src0.rgb = temp[0], src1.rgb = 3.0 : result[ge] = MAD src0.r00 src0.1__ -src1.r00 ;
IF alu;
  src0.rgb = temp[0], src1.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src1.r__ ;
ENDIF;
OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.r00 src0.r00 ;
";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("a.x1k", X1K).write("same.x1k", X1K.replace("src0.1__ src0.r__ ;", "src0.1__ src0.r__ ; -- the same"));
    folder.write("b.x1k", X1K.replace("src0.1__ src1.r__", "src0.1__ -src1.r__"));
    folder
}

#[test]
fn the_first_lane_and_the_instruction_that_differ() {
    let folder = folder("diff-x1k");
    let equal = folder.ctm("diff a.x1k same.x1k --domain 6x2").ok();
    assert_eq!(equal.out(), "output 0: equal\n");
    let done = folder.ctm("diff a.x1k b.x1k --domain 6x2");
    assert_eq!(done.0.status.code(), Some(1), "{}", done.err());
    let lines: Vec<&str> = done.out().lines().collect();
    let first = "output 0: 6 of 12 differ, the first at lane (3, 0), channel 0: 9 in A, -3 in B";
    assert_eq!(lines[..2], [first, "  the largest difference is 20, 2182086656 ulp"], "{}", done.out());
    assert_eq!(lines[2], "lane 3,0 diverges at");
    assert!(lines[3].starts_with("  A: step 4, 3  ") && lines[3].contains("src1.r__ ;"), "{}", lines[3]);
    assert_eq!((lines[4].trim(), lines[6].trim()), ("temp[1].r = 9", "temp[1].r = -3"));
    assert!(lines[5].starts_with("  B: step 4, 3  ") && lines[5].contains("-src1.r__ ;"), "{}", lines[5]);
    assert_eq!(lines[7], "the values were written by");
    assert!(lines[8].contains("out[0].rgb = MAX"), "{}", lines[8]);
    assert_eq!(done.err(), "", "it runs in silence");
    assert_eq!(folder.names(), ["a.x1k", "b.x1k", "same.x1k"], "no file is written");

    let other = folder.ctm("diff --lane 0,0 a.x1k b.x1k --domain 6x2 -o never.png");
    assert!(other.out().contains("lane 0,0 goes the same way"), "{}", other.out());
    assert_eq!(folder.names().len(), 3, "no file is written");
}

#[test]
fn one_program_with_two_engines_and_options() {
    let folder = folder("diff-options");
    folder.ctm("diff a.x1k --domain 40x20 --a --engine reference --b --engine interp").ok();
    folder.write("fused.x1k", "src0.rgb = temp[0], src1.rgb = const[0], src2.rgb = const[1] : temp[1].r = MAD src1.r__ src1.r__ -src2.r__ ;\nOUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.r00 src0.r00 ;\n");
    let run = "diff fused.x1k --domain 2x1 --const 0=1.00001 --const 1=1.00002 --a --mad fused --b --mad unfused";
    let done = folder.ctm(&format!("{run} --json"));
    assert_eq!(done.0.status.code(), Some(1), "{}", done.err());
    let report: Value = serde_json::from_str(done.out()).expect("an object");
    assert_eq!((&report["equal"], &report["lane"]), (&Value::from(false), &Value::from("0,0")));
    let difference = &report["outputs"][0]["difference"];
    assert_eq!((&difference["elements"], &difference["first"]), (&2.into(), &Value::from(vec![0, 0])));
    assert!(difference["largest"].as_f64().expect("a number") < 1e-7);
    assert_eq!(report["parting"][0]["step"], 1);
    assert_eq!(report["parting"][0]["text"], report["parting"][1]["text"]);
    assert_ne!(report["parting"][0]["changes"], report["parting"][1]["changes"]);
    let equal = folder.ctm("diff a.x1k --domain 4x4 --json").ok();
    let report: Value = serde_json::from_str(equal.out()).expect("an object");
    assert_eq!((&report["equal"], &report["parting"]), (&true.into(), &Value::Null));
}

#[test]
fn other_instruction_sets_are_compared() {
    let folder = Folder::new("diff-others");
    let example = |name: &str| std::fs::read_to_string(project("examples").join(name)).expect("an example");
    let newton = example("newton.r700");
    folder.write("a.r700", &newton).write("b.r700", newton.replace("MUL_IEEE*2", "MUL_IEEE*4"));
    folder.ctm("diff a.r700 --domain 16x16 --b --engine interp").ok();
    let done = folder.ctm("diff a.r700 b.r700 --domain 16x16");
    assert_eq!(done.0.status.code(), Some(1), "{}", done.err());
    assert!(done.out().contains("MUL_IEEE*2") && done.out().contains("MUL_IEEE*4"), "{}", done.out());

    let collatz = example("collatz.sm50");
    folder.write("a.sm50", &collatz).write("c.sm50", collatz.replace("STG", "IADD32I R2, R2, 1;\n    STG"));
    let run = "--block 24 --global-output 0x10000:24=out.npy";
    folder.ctm(&format!("diff a.sm50 {run}")).ok();
    let done = folder.ctm(&format!("diff a.sm50 c.sm50 {run}"));
    assert_eq!(done.0.status.code(), Some(1), "{}\n{}", done.out(), done.err());
    for part in
        ["memory 0x10000: 24 of 24 differ", "word 0, at 0x10000", "lane 0 diverges at", "IADD32I R2, R2, 0x1", "STG"]
    {
        assert!(done.out().contains(part), "'{part}' is not in\n{}", done.out());
    }

    // Programs of different instruction sets are compared, too.
    folder.write("one.x1k", "OUT TEX_SEM_WAIT : out[0].rgb = MAX src0.111 src0.111, out[0].a = MAX src0.1 src0.1 ;\n");
    folder.write("one.r700", "EXP_DONE: PIX0, R0.1111\nEND_OF_PROGRAM\n");
    folder.ctm("diff one.x1k one.r700 --domain 4x4").ok();
}

/// A value that was there before is written all the same, and one that nothing wrote is said to be that.
#[test]
fn writes_that_change_nothing_are_named() {
    let folder = Folder::new("diff-unchanged");
    let text = |rgb: &str| format!("OUT TEX_SEM_WAIT : {rgb}out[0].a = MAX src0.1 src0.1 ;\n");
    folder.write("zero.x1k", text("out[0].rgb = MAX src0.000 src0.000, ")).write("none.x1k", text(""));
    folder.write("one.x1k", text("out[0].rgb = MAX src0.111 src0.111, "));
    let kill = "\
src0.rgb = temp[0], src1.rgb = 1.5 : temp[1].r = MAD src0.r__ src0.1__ -src1.r__ ;
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[0].rgba = TEXKILL tex[0].rgba temp[1].rrrr ;
OUT TEX_SEM_WAIT : out[0].rgb = MAX src0.111 src0.111, out[0].a = MAX src0.1 src0.1 ;
";
    folder.write("kill.x1k", kill);
    let differ = |line: &str| {
        let done = folder.ctm(line);
        assert_eq!(done.0.status.code(), Some(1), "{}", done.err());
        let (_, written) = done.out().split_once("the values were written by\n").expect("the writers");
        written.to_owned()
    };
    let written = differ("diff zero.x1k one.x1k --domain 2x2");
    assert!(written.starts_with("  A: step 1, 0  OUT") && written.contains("\n  B: step 1, 0  OUT"), "{written}");
    assert!(written.contains("out[0].rgb = 0, 0, 0, as before") && written.contains("= 1, 1, 1"), "{written}");
    let written = differ("diff none.x1k one.x1k --domain 2x2");
    assert!(written.starts_with("  A: no step: the output register held the value from the start"), "{written}");
    let written = differ("diff kill.x1k one.x1k --domain 2x2 --clear 7");
    assert!(written.starts_with("  A: no step of this lane: the value was there before"), "{written}");
    let report = folder.ctm("diff zero.x1k one.x1k --domain 2x2 --json");
    let report: Value = serde_json::from_str(report.out()).expect("an object");
    assert_eq!(report["written"][0]["results"][0]["bits"], "0x00000000", "{report}");

    let export = |selectors: &str| format!("EXP_DONE: PIX0, R0.{selectors}\nEND_OF_PROGRAM\n");
    folder.write("a.r700", export("0001")).write("b.r700", export("1111"));
    let written = differ("diff a.r700 b.r700 --domain 2x2");
    assert!(written.starts_with("  A: step 1, 0  EXP_DONE"), "{written}");
}

#[test]
fn what_cannot_be_compared_is_no_difference() {
    let folder = folder("diff-errors");
    folder
        .write("wrong.x1k", "MUL ;\n")
        .write("two.x1k", format!("{X1K}OUT TEX_SEM_WAIT : out[1].rgb = MAX src0.111 src0.111 ;\n"));
    folder.write("nothing.sm50", "EXIT;\n");
    for (code, line, expected) in [
        (2, "diff a.x1k wrong.x1k --domain 4x4", &["wrong.x1k", "run B"][..]),
        (2, "diff nowhere.x1k a.x1k", &["nowhere.x1k", "run A"]),
        (2, "diff a.x1k two.x1k --domain 4x4", &["A leaves output 0", "output 0, output 1"]),
        (2, "diff a.x1k b.x1k same.x1k --domain 4x4", &["one or two programs"]),
        (2, "diff --domain 4x4", &["one or two programs"]),
        (2, "diff a.x1k b.x1k --stats", &["one run of 'ctm diff' does not take --stats", "'ctm run' shows them"]),
        (2, "diff a.x1k b.x1k --b --emit-trace a.trace", &["does not take --emit-trace"]),
        (2, "diff a.x1k b.x1k --tonemap 0,1", &["does not take --tonemap"]),
        (2, "diff a.x1k b.x1k --walk", &["--walk"]),
        (2, "diff a.x1k --b --domain 5x4 --a --domain 4x4", &["output 0 of A and B cannot be compared", "4x4x4"]),
        (2, "diff nothing.sm50", &["nothing to compare", "--global-output"]),
        (4, "diff a.x1k b.x1k --memory 1K --domain 64x64", &["run A", "--memory"]),
    ] {
        println!("ctm {line}");
        folder.ctm(line).fails(code, expected);
    }
}

/// The lane makes more steps than are compared: 255 passes of 255 passes of three instructions.
#[test]
fn long_ways_are_compared_as_far_as_they_are_kept() {
    let folder = Folder::new("diff-long");
    let text = "\
.int i0 = 255
LOOP i[0];
  LOOP i[0];
    src0.rgb = temp[1] : temp[1].r = MAD src0.1__ src0.1__ src0.r__ ;
    src0.rgb = temp[1] : temp[2].r = MAX src0.r__ src0.r__ ;
  ENDLOOP;
ENDLOOP;
OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.r00 src0.r00 ;
";
    folder.write("a.x1k", text).write("b.x1k", text.replace("= MAX src0.r00 src0.r00", "= MAX src0.1r0 src0.1r0"));
    let done = folder.ctm("diff a.x1k b.x1k --domain 1x1 --group-timeout none");
    assert_eq!(done.0.status.code(), Some(1), "{}", done.err());
    assert!(done.out().contains("the first 131072 steps of lane 0,0 are alike"), "{}", done.out());
}
