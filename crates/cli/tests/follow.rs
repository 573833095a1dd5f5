//! `ctm run --follow`: what one lane goes through, of every instruction set.

use crate::common::{Folder, project};
use serde_json::Value;
use std::collections::BTreeMap;

/// The objects of `--json`, one of each line.
fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

type Cells = BTreeMap<(String, String), u32>;

/// Makes changes; what is 0 is not kept.
fn change(cells: &mut Cells, changes: &Value) {
    for change in changes.as_array().into_iter().flatten() {
        let name = |key: &str| change[key].as_str().unwrap_or_default().to_owned();
        let bits = u32::from_str_radix(&name("bits")[2..], 16).expect("bits");
        cells.insert((name("register"), name("channel")), bits);
    }
    cells.retain(|_, bits| *bits != 0);
}

/// What the lane holds at the end, by register and channel. The changes of all steps must lead there from the start, those of
/// the registers of clauses aside.
#[track_caller]
fn replayed(objects: &[Value]) -> Cells {
    let [start, steps @ .., end] = objects else { panic!("{} objects", objects.len()) };
    let (mut cells, mut last) = (Cells::new(), Cells::new());
    change(&mut cells, &start["holds"]);
    steps.iter().for_each(|step| change(&mut cells, &step["changes"]));
    change(&mut last, &end["holds"]);
    cells.retain(|(register, _), _| !["AR", "PV", "PS"].contains(&register.as_str()));
    assert_eq!(cells, last);
    cells
}

/// Checks that each of these is on a line, one after the other.
#[track_caller]
fn in_order(page: &str, parts: &[&str]) {
    let mut lines = page.lines();
    for part in parts {
        assert!(lines.any(|line| line.contains(part)), "'{part}' does not come in its turn:\n{page}");
    }
}

/// Lanes from column 2 on go into the branch, and lanes before it stay out; then three passes, of which column 3 runs two.
const X1K: &str = "\
.int i0 = 3
src0.rgb = temp[0], src1.rgb = 2.0 : result[ge] = MAD src0.r00 src0.1__ -src1.r00 ;
IF alu;
  src0.rgb = temp[0] : temp[1].r = MAX src0.r__ src0.r__ ;
ENDIF;
LOOP i[0];
  src0.rgb = temp[2] : temp[2].r = MAD src0.1__ src0.1__ src0.r__ ;
  src0.rgb = temp[2], src1.rgb = temp[1] : result[ge] = MAD src0.r00 src0.1__ -src1.r00 ;
  src0.rgb = temp[2] : temp[3].r = MAX src0.r__ src0.r__ ;
ENDLOOP;
OUT TEX_SEM_WAIT src0.rgb = temp[2] : out[0].rgb = MAX src0.r00 src0.r00 ;
";

#[test]
fn branches_and_loops_of_x1k() {
    let folder = Folder::new("follow-x1k");
    folder.write("flow.x1k", X1K);
    let run = "run flow.x1k --domain 4x2 -o out.f32 --follow";
    let outside = folder.ctm(&format!("{run} 1,1")).ok();
    in_order(
        outside.out(),
        &[
            "lane (1, 1) in a group of 8 lanes: starts with temp[0].rg = 1, 1",
            "8/8",
            "the lane waits in a branch",
            "4/8",
            "the lane is active again",
            "pass 1 of 3",
            "temp[2].r = 1",
            "pass 2 of 3",
            "temp[2].r = 2",
            "pass 3 of 3",
            "temp[2].r = 3",
            "the loop ends in pass 3 of 3",
            "the program ends",
            "lane (1, 1) writes out[0] (1, 1): 3, 0, 0, 0",
        ],
    );
    let waiting =
        outside.out().lines().find(|line| line.contains("temp[1].r = MAX")).expect("the branch's instruction");
    assert!(waiting.contains("waits in a branch since 1"), "{waiting}");
    let inside = folder.ctm(&format!("{run} 3,0")).ok();
    let executed =
        inside.out().lines().find(|line| line.contains("temp[1].r = MAX")).expect("the branch's instruction");
    assert!(executed.ends_with("  temp[1].r = 3"), "{executed}");
    assert!(!outside.out().contains('\u{1b}'), "colours are for terminals");
    assert_eq!(folder.read_floats("out.f32")[..4], [3.0, 0.0, 0.0, 0.0]);
}

#[test]
fn steps_as_json_lead_to_what_is_written() {
    let folder = Folder::new("follow-json");
    std::os::unix::fs::symlink(project("examples"), folder.0.join("examples")).expect("a link");
    let run = "run examples/mandelbrot.x1k --domain 64x64 -o out.npy --json --follow";
    let report = objects(folder.ctm(&format!("{run} 50,60")).ok().out());
    let (start, end) = (&report[0], report.last().expect("lines"));
    assert_eq!((&start["event"], &start["lane"]), (&Value::from("start"), &Value::from("lane (50, 60)")));
    assert_eq!((&end["event"], &end["complete"]), (&Value::from("end"), &Value::from(true)));
    assert_eq!(end["steps"].as_u64(), Some(report.len() as u64 - 2));
    let cells = replayed(&report);
    for (channel, written) in ["r", "g", "b", "a"].iter().zip(end["writes"][0]["bits"].as_array().expect("bits")) {
        let held = cells.get(&("out[0]".to_owned(), channel.to_string())).copied().unwrap_or(0);
        assert_eq!(Value::from(format!("{held:#010x}")), *written);
    }
    let first = report[1].clone();
    assert_eq!((&first["address"], &first["next"], &first["executes"]), (&0.into(), &"following".into(), &true.into()));
    assert!(first["text"].as_str().expect("text").contains("temp[0].rg = MAD"));
}

#[test]
fn kills_traps_and_limits_of_x1k() {
    let folder = Folder::new("follow-ends");
    let kill = "\
src0.rgb = temp[0], src1.rgb = 1.5 : temp[1].r = MAD src0.r__ src0.1__ -src1.r__ ;
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[0].rgba = TEXKILL tex[0].rgba temp[1].rrrr ;
OUT TEX_SEM_WAIT : out[0].rgb = MAX src0.111 src0.111 ;
";
    folder.write("kill.x1k", kill);
    let killed = folder.ctm("run kill.x1k --domain 4x1 -o out.f32 --follow 1,0").ok();
    in_order(killed.out(), &["temp[1].r = -0.5", "the lane is killed"]);
    assert!(!killed.out().contains("out[0].rgb ="), "a killed lane goes through nothing:\n{}", killed.out());
    let alive = folder.ctm("run kill.x1k --domain 4x1 -o out.f32 --follow 2,0").ok();
    in_order(alive.out(), &["TEXKILL", "2/4", "writes out[0] (2, 0): 1, 1, 1, 0"]);

    folder
        .write("trap.x1k", "src0.rgb = temp[0] : temp[1].r = MAX src0.1__ src0.1__ ;\nFC ENDLOOP 0, i[0];\nOUT : ;\n");
    let trapped = folder.ctm("run trap.x1k --domain 2x2 --flow full --follow 0,0").fails(3, &["loop stack empty"]);
    in_order(trapped.out(), &["temp[1].r = 1", "trap: loop operation", "wrote nothing at its end"]);

    folder.write("flow.x1k", X1K);
    let run = "run flow.x1k --domain 4x2 -o out.f32";
    let cut = folder.ctm(&format!("{run} --follow 3,0 --follow-steps 4")).ok();
    assert_eq!(
        cut.out().lines().filter(|line| line.contains("8/8") || line.contains("4/8")).count(),
        4,
        "{}",
        cut.out()
    );
    in_order(cut.out(), &["steps in all; --follow-steps ", "lane (3, 0) writes out[0] (3, 0): 3, 0, 0, 0"]);

    for (line, expected) in [
        (format!("{run} --follow 4,0"), &["no lane (4, 0)", "4x2"][..]),
        (format!("{run} --follow 7"), &["columns and rows", "256,200"]),
        (format!("{run} --follow 0,0 --engine interp"), &["--follow", "interp", "leave --engine out"]),
        (format!("{run} --follow a,b"), &["column and row"]),
        (format!("{run} --follow-steps 3"), &["--follow"]),
        (format!("{run} --json"), &["--follow"]),
    ] {
        folder.ctm(&line).fails(2, expected);
    }
}

/// Column 0 stays out of the branch; column 1 is killed; all make two passes of a loop.
const R700: &str = "\
.gprs 4
.stack 3
ALU_PUSH_BEFORE:
  x: PRED_SETGT ____, R0.x, 0.5f UPDATE_EXEC_MASK
JUMP ADDR(over)
ALU_POP_AFTER:
  x: ADD R1.x, R0.x, 10.0f
  y: MOV R1.y, R0.y LAST
  x: KILLE ____, R0.x, 1.0f LAST
over:
LOOP_START CF_CONST(3) FAIL_JUMP_ADDR(out)
again:
ALU:
  z: ADD R1.z, R1.z, 0.5f
LOOP_END CF_CONST(3) PASS_JUMP_ADDR(again)
out:
EXP_DONE: PIX0, R1.xyz1
END_OF_PROGRAM
";

#[test]
fn branches_loops_and_kills_of_r700() {
    let folder = Folder::new("follow-r700");
    folder.write("flow.r700", R700.replace("JUMP ADDR(over)", "JUMP POP_CNT(1) ADDR(over)"));
    let run = "run flow.r700 --domain 4x2 --loop-const 3=2 -o out.f32 --follow";
    let outside = folder.ctm(&format!("{run} 0,1")).ok();
    in_order(
        outside.out(),
        &[
            "lane (0, 1) in a group of 8 lanes: starts with R0.y = 1; valid = true",
            "stack = 1",
            "the lane waits in a branch",
            "x: ADD",
            "waits in a branch since",
            "end of ALU_POP_AFTER",
            "the lane is active again",
            "pass 1 of 2",
            "R1.z = 0.5",
            "pass 2 of 2",
            "R1.z = 1",
            "the loop ends in pass 2 of 2",
            "writes PIX0.xyzw: 0, 0, 1, 1",
        ],
    );
    let killed = folder.ctm(&format!("{run} 1,0")).ok();
    in_order(killed.out(), &["R1.x = 11", "valid = false", "writes PIX0.xyzw in vain"]);
    let report = objects(folder.ctm(&format!("{run} 3,1 --json")).ok().out());
    let cells = replayed(&report);
    let held = |channel: &str| f32::from_bits(cells[&("R1".to_owned(), channel.to_owned())]);
    assert_eq!([held("x"), held("y"), held("z"), 1.0], folder.read_floats("out.f32")[7 * 4..]);

    let beyond = " 0 x: MOV R1.x, 1.0f LAST\n 1 x: MOVA_INT ____.x, -1 LAST\n 2 x: MOV R2.x, R0[AR.x].x";
    folder.write("trap.r700", format!("ALU:\n{beyond}\nEND_OF_PROGRAM\n"));
    let trapped = folder.ctm("run trap.r700 --domain 2x2 --follow 1,1").fails(3, &["trap"]);
    in_order(trapped.out(), &["R1.x = 1", "trap: ", "wrote nothing at its end"]);
    folder.write("vertex.r700", "ALU:\n  x: MOV R1.x, 1.0f\nEXP_DONE: POS0, R1.xyz1\nEND_OF_PROGRAM\n");
    let vertex = folder.ctm("run vertex.r700 --stage vs --vertices 5 --follow 4").ok();
    in_order(vertex.out(), &["vertex 4 in a group", "writes POS0.xyzw: 1, 0, 0, 1"]);
    folder.ctm("run vertex.r700 --stage vs --vertices 5 --follow 5").fails(2, &["no vertex 5", "vertex 4"]);
    folder.ctm("run vertex.r700 --stage vs --vertices 5 --follow 1,0").fails(2, &["number of a vertex"]);
}

#[test]
fn threads_of_sm50() {
    let folder = Folder::new("follow-sm50");
    std::os::unix::fs::symlink(project("examples"), folder.0.join("examples")).expect("a link");
    let run = "run examples/collatz.sm50 --block 40 --global-output 0x10000:40=out.f32 --follow";
    let report = folder.ctm(&format!("{run} 2 --follow-steps 2000")).ok();
    in_order(
        report.out(),
        &[
            "thread 2 in a group of 32 lanes: starts with all registers 0",
            "R0 = 2 0x2",
            "R1 = 3 0x3",
            "stack = 1",
            "P1 = true",
            "skips: P1 is true",
            "jumps to ",
            "P0 = true",
            "the lane waits where lanes meet",
            "waits where lanes meet since",
            "the lane is active again",
            "writes global 0x10008: 7 0x7",
            "the lane ends",
        ],
    );
    // A thread of the second warp, which has 8.
    let report = objects(folder.ctm(&format!("{run} 38 --json")).ok().out());
    assert_eq!(report[0]["lanes"], 8);
    let cells = replayed(&report);
    assert_eq!(cells[&("R2".to_owned(), String::new())], folder.read_floats("out.f32")[38].to_bits());
    assert_eq!(report.last().expect("lines")["steps"].as_u64(), Some(report.len() as u64 - 2));
    folder.ctm(&format!("{run} 40")).fails(2, &["no thread 40", "thread 39"]);

    folder.write("trap.sm50", "MOV32I R1, 0x5;\nLDG R0, [R1+0x4000];\nEXIT;\n");
    let trapped = folder.ctm("run trap.sm50 --strict --follow 0").fails(3, &["MisalignedAddr"]);
    in_order(trapped.out(), &["R1 = 5 0x5", "trap: MisalignedAddr", "wrote nothing at its end"]);
}
