//! `ctm run --counts` and `--heat`: how often instructions executed, of every instruction set.

use crate::common::{Folder, project};
use ctm_codegen::EngineName;
use serde_json::Value;

/// Columns from 2 on go into the branch, and then all make three passes.
const X1K: &str = "\
.int i0 = 3
src0.rgb = temp[0], src1.rgb = 2.0 : result[ge] = MAD src0.r00 src0.1__ -src1.r00 ;
IF alu;
  src0.rgb = temp[0] : temp[1].r = MAX src0.r__ src0.r__ ;
ENDIF;
LOOP i[0];
  src0.rgb = temp[2] : temp[2].r = MAD src0.1__ src0.1__ src0.r__ ;
ENDLOOP;
OUT TEX_SEM_WAIT src0.rgb = temp[2] : out[0].rgb = MAX src0.r00 src0.r00 ;
";

/// The counts of `--json`: address, executions, lanes.
fn counts(text: &str) -> Vec<(String, u64, u64)> {
    let report: Value = serde_json::from_str(text).expect("an object");
    let row = |row: &Value| {
        let number = |key: &str| row[key].as_u64().expect("a number");
        (row["address"].to_string(), number("executions"), number("lanes"))
    };
    report["counts"].as_array().expect("counts").iter().map(row).collect()
}

#[test]
fn counts_stand_beside_the_listing() {
    let folder = Folder::new("counts-x1k");
    folder.write("flow.x1k", X1K);
    let page = folder.ctm("run flow.x1k --domain 4x2 -o out.f32 --counts").ok();
    let lines: Vec<&str> = page.out().lines().collect();
    assert_eq!(lines.len(), 11, "{}", page.out());
    let words: Vec<&str> = lines[3].split_whitespace().collect();
    assert_eq!(words[..6], ["2", "1", "4", "4.0", "4.5%", "##"], "{}", lines[3]);
    assert!(lines[3].contains("temp[1].r = MAX"));
    assert_eq!(lines[10], "12 executions by 1 group, 88 by their 8 lanes; every instruction executed");
    assert!(!page.out().contains('\u{1b}'), "colours are for terminals");
    assert_eq!(folder.read_floats("out.f32")[..4], [3.0, 0.0, 0.0, 0.0]);

    // The second group has no lane in the branch, and the instructions of a branch that nobody takes are there, too.
    let by_two = counts(folder.ctm("run flow.x1k --domain 4x2 -o out.f32 --group 4 --counts --json").ok().out());
    assert_eq!(by_two[..3], [("0".into(), 2, 8), ("1".into(), 2, 8), ("2".into(), 1, 4)]);
    folder.write("never.x1k", X1K.replace("= 2.0", "= 30.0"));
    let never = folder.ctm("run never.x1k --domain 4x2 -o out.f32 --counts").ok();
    assert!(never.out().ends_with("2 instructions never executed\n"), "{}", never.out());
    assert!(never.out().lines().nth(3).expect("a line").split_whitespace().nth(1) == Some("-"));

    // The lanes are those of the statistics.
    let both = folder.ctm("run flow.x1k --domain 30x20 -o out.f32 --counts --stats --json").ok();
    let lines: Vec<&str> = both.out().lines().collect();
    let stats: Value = serde_json::from_str(lines[0]).expect("an object");
    assert_eq!(stats["instructions"].as_u64(), Some(counts(lines[1]).iter().map(|count| count.2).sum()));
    assert_eq!(stats["engine"], "interp");
    // Every engine counts the same.
    for engine in EngineName::available().map(EngineName::name) {
        let line = format!("run flow.x1k --domain 30x20 -o out.f32 --counts --json --engine {engine}");
        assert_eq!(folder.ctm(&line).ok().out().trim(), lines[1], "{engine}");
    }
    // What counts utilisation runs once more, and counts nothing.
    let more = folder.ctm("run flow.x1k --domain 30x20 -o out.f32 --counts --stats --utilisation --json").ok();
    assert_eq!(more.out().lines().last(), Some(lines[1]));
    // All frames count.
    let frames = folder.ctm("run flow.x1k --domain 30x20 -o out-%d.f32 --frames 2 --counts --json").ok();
    assert_eq!(counts(frames.out())[0].2, 2 * 30 * 20);
}

#[test]
fn other_instruction_sets_are_counted() {
    let folder = Folder::new("counts-others");
    std::os::unix::fs::symlink(project("examples"), folder.0.join("examples")).expect("a link");
    let page = folder.ctm("run examples/newton.r700 --domain 32x32 -o small.png --counts").ok();
    assert!(page.out().contains("PRED_SETGT"), "{}", page.out());
    let r700 = folder.ctm("run examples/newton.r700 --domain 32x32 -o small.png --counts --stats --json").ok();
    let lines: Vec<&str> = r700.out().lines().collect();
    let stats: Value = serde_json::from_str(lines[0]).expect("an object");
    assert_eq!(stats["instructions"].as_u64(), Some(counts(lines[1]).iter().map(|count| count.2).sum()));
    assert!(lines[1].contains(r#""clause":true"#));

    let run = "run examples/collatz.sm50 --block 40 --global-output 0x10000:40=out.f32 --counts";
    let sm50 = counts(folder.ctm(&format!("{run} --json")).ok().out());
    assert_eq!(sm50[0], ("8".into(), 2, 40));
    let most = sm50.iter().map(|count| count.2).max().expect("instructions");
    // Thread 27 makes 111 passes.
    assert!(sm50.iter().any(|count| count.1 > 111) && most > 40, "{sm50:?}");
}

#[test]
fn pictures_show_where_lanes_part() {
    let folder = Folder::new("counts-heat");
    folder.write("flow.x1k", X1K);
    folder.ctm("run flow.x1k --domain 4x2 -o out.f32 --heat heat.f32").ok();
    assert_eq!(folder.read_floats("heat.f32"), [10.0, 10.0, 12.0, 12.0, 10.0, 10.0, 12.0, 12.0]);
    folder.ctm("run flow.x1k --domain 4x2 -o out.f32 --heat heat.png --counts").ok();
    // Read as an input, the picture has 1 where most instructions are, and less blue where there are fewer.
    folder.write("blue.x1k", "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgrg ;\nOUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.rgb src0.rgb ;\n");
    folder.ctm("run blue.x1k --domain 4x2 --input 0=heat.png -o blue.f32").ok();
    let colours = folder.read_floats("blue.f32");
    assert_eq!(colours[2 * 4..2 * 4 + 3], [1.0; 3], "{colours:?}");
    assert!(colours[..2] == [1.0; 2] && (colours[2] - 0.5).abs() < 0.01, "{colours:?}");
    for (line, expected) in [
        ("run flow.x1k --heat h.xyz", &["h.xyz"][..]),
        ("run flow.x1k --heat out.f32 -o out.f32", &["out.f32"]),
        ("run flow.x1k --counts --repeat 2", &["--repeat"]),
    ] {
        folder.ctm(line).fails(2, expected);
    }
    let small = "--output-format 0=uint8_4 --memory 1500K";
    folder
        .ctm(&format!("run flow.x1k --domain 512x512 -o out.npy --heat h.png {small}"))
        .fails(4, &["2097152 bytes", "--memory"]);
}
