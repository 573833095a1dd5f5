//! What machines read: every object is what `docs/json.schema.json` says, and `docs/json.md` says the same.

mod schema;

use crate::common;

use common::{Folder, POSITION, project};
use ctm_card::trace::TraceWriter;
use ctm_card::{Object, Submission};
use ctm_memory::Arena;
use schema::Schema;
use serde_json::{Value, json};
use std::fs;

/// Checks a line against the definition of this name, and against what commands print at all.
#[track_caller]
fn is(name: &str, value: &Value) {
    let schema = Schema::read();
    for definition in [Some(name), None] {
        if let Some(wrong) = schema.explain(definition, value) {
            panic!("{name}: {wrong}\n{value}");
        }
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn messages_of_every_command_are_objects() {
    let folder = Folder::new("json-messages");
    folder.write("wrong.x1k", "MUL ;\n\n  src0.rbg = temp[0] : ;\n").write("position.x1k", POSITION);
    folder.write("far.sm50", "MOV R0, 1.5;\n");
    for (code, line) in [
        (1, "dis wrong.x1k --json"),
        (1, "check wrong.x1k --json"),
        (1, "info wrong.x1k --json"),
        (1, "info nowhere.x1k --json"),
        (1, "run wrong.x1k --stats --json"),
        (1, "run wrong.x1k --follow 0,0 --json"),
        (1, "run position.x1k --stats --json --strict"),
        (1, "run position.x1k --stats --json --strict --sandbox"),
        (1, "draw --vs far.sm50 --primitive points --vertices 1 --json"),
        (2, "explain X1K999 --json"),
        (2, "run position.x1k --stats --json --const c0=1"),
        (2, "walk --json"),
    ] {
        println!("ctm {line}");
        let done = folder.ctm(line);
        assert_eq!(done.0.status.code(), Some(code), "{}", done.err());
        let messages = lines(done.err());
        assert!(!messages.is_empty());
        messages.iter().for_each(|message| is("message", message));
        assert!(messages.iter().any(|message| message["severity"] == "error"), "{}", done.err());
    }
    let messages = lines(folder.ctm("check wrong.x1k --json").err());
    let place = |message: &Value| [&message["file"], &message["line"], &message["column"]].map(Value::to_string);
    assert_eq!(place(&messages[0]), ["\"wrong.x1k\"", "1", "1"]);
    assert_eq!(place(&messages[1]), ["\"wrong.x1k\"", "3", "8"]);
    assert_eq!(messages[1]["help"][0], "did you mean `rgb`?");
}

/// Checks each line that a command prints.
#[track_caller]
fn prints(folder: &Folder, line: &str, names: &[&str]) -> Vec<Value> {
    println!("ctm {line} --json");
    let found = lines(folder.ctm(&format!("{line} --json")).out());
    assert!(found.len() >= names.len(), "{names:?}: {found:?}");
    // The last but one name stands for all lines between.
    for (n, value) in found.iter().enumerate() {
        let name =
            if n + 1 == found.len() { names[names.len() - 1] } else { names[n.min(names.len().saturating_sub(2))] };
        is(name, value);
    }
    found
}

/// A vertex program with constants and flow control.
const LOOP: &str = "
    .const c1 = 1, inf, nan, -0.5
    .flow 0 LOOP act=0 count=3 resume=1 last=1 step=-1
    VE_NOP ;
    (!p) out[0].xyzw = VE_ADD.SAT const[aL + 1] temp[0] ;
";

/// A trace of a card, with one draw.
fn scene() -> Vec<u8> {
    let (mut file, memory) = (Vec::new(), Arena::new(0x1000, 0x1000).expect("memory"));
    let card = ctm_r5xx::Model::Rv515.identity();
    let submission = Submission {
        words: &[0xC000_3400, 0x0003_0024],
        objects: &[Object { address: 0x1000, size: 0x1000 }],
        untouched: &[],
    };
    TraceWriter::new(&mut file, &card).and_then(|mut writer| writer.record(&memory, &submission)).expect("a trace");
    file
}

#[test]
fn results_are_what_the_schema_says() {
    let folder = Folder::new("json-results");
    let project = |path: &str| project(path).display().to_string();
    folder
        .write("position.x1k", POSITION)
        .write("unset.x1k", "OUT TEX_SEM_WAIT src0.rgb = temp[3] : out[0].rgb = MAX src0.rgb src0.rgb ;\n")
        .write("constants.x1k", format!(".const c0 = 1, inf, nan, -0.5\n.int i1 = 3\n.bool b2 = true\n{POSITION}"))
        .write("vertex.r700", ".stage vs\n.gprs 1\nEXP_DONE: POS0, R0.xyzw\nEND_OF_PROGRAM\n")
        .write("wrong.r700", ".gprs 1\nEXP_DONE: PIX0, R9.xyzw\nEND_OF_PROGRAM\n")
        .write("loop.pvs", LOOP)
        .write("wrong.sm50", "BRA 0x4000;\n")
        .write("buffer.bin", [0xc001_0a00_u32, 0x8010_0000, 0, 0xffff_ffff].map(u32::to_le_bytes).concat());
    let [newton, collatz] = ["examples/newton.r700", "examples/collatz.sm50"].map(project);
    let [vertex, listing] =
        ["tests/corpus/sm50/v_basic/vert.sph.u32", "tests/corpus/r700/op_dot/listing.txt"].map(project);
    folder.write("two.txt", fs::read_to_string(&listing).expect("a listing").repeat(2));

    for file in ["unset.x1k", "wrong.r700", "wrong.sm50"] {
        let report = prints(&folder, &format!("check {file}"), &["check"]);
        let findings = report[0]["findings"].as_array().expect("findings");
        assert!(!findings.is_empty(), "{file}");
        findings.iter().for_each(|finding| assert_eq!(Schema::read().explain(Some("finding"), finding), None));
    }
    prints(&folder, "check unset.x1k wrong.r700", &["checks"]);
    prints(&folder, "explain X1K001", &["explained_code"]);
    prints(&folder, "explain", &["codes"]);
    prints(&folder, "explain angle turns", &["matches"]);
    for name in ["CMP", "SR_TID", "RGB_PRED_SEL", "MUFU", "VE_MAD", "set_domain", "swizzle", "unknown-word"] {
        prints(&folder, &format!("explain {name}"), &["topics"]);
    }
    let files =
        [("constants.x1k", "x1k"), (&newton, "r700"), (&collatz, "sm50"), (&vertex, "sm50"), ("loop.pvs", "pvs")];
    for (file, isa) in files {
        prints(&folder, &format!("info {file}"), &[&format!("info_{isa}")]);
        prints(&folder, &format!("dis {file}"), &[&format!("dis_{isa}")]);
    }
    prints(&folder, "info two.txt", &["infos"]);
    prints(&folder, "info .", &["folder"]);
    prints(&folder, "dis buffer.bin --isa ctm", &["dis_ctm"]);
    prints(&folder, "run position.x1k --domain 4x4 --const 0=0 --stats", &["run"]);
    prints(&folder, "run position.x1k --domain 4x4 --const 0=0 --stats --utilisation", &["run"]);
    prints(&folder, "run vertex.r700 --vertices 3 --stats", &["run"]);
    prints(&folder, &format!("run {collatz} --block 4 --stats"), &["grid"]);
    prints(&folder, &format!("run {collatz} --block 4 --stats --utilisation"), &["grid"]);
    prints(&folder, "run position.x1k --domain 4x4 --const 0=0 --counts", &["counts"]);
    prints(&folder, "run vertex.r700 --vertices 3 --counts --stats", &["run", "counts"]);
    prints(&folder, &format!("run {collatz} --block 4 --counts"), &["counts"]);
    prints(&folder, "diff position.x1k --domain 4x4 --const 0=0", &["diff"]);
    prints(&folder, "diff position.x1k --domain 4x4 --a --const 0=0 --b --const 0=1", &["diff"]);
    let follow = ["start", "step", "end"];
    prints(&folder, "run position.x1k --domain 4x4 --const 0=0 --follow 1,2", &follow);
    prints(&folder, &format!("run {newton} --domain 64x64 --follow 9,40"), &follow);
    prints(&folder, &format!("run {collatz} --block 24 --follow 6"), &follow);
    folder.write("scene.ctmcard", scene());
    #[cfg(unix)]
    prints(&folder, "card doctor", &["card_doctor"]);
    prints(&folder, "card info scene.ctmcard", &["card_info"]);
    prints(&folder, "card dis scene.ctmcard", &["card_submission"]);
    prints(&folder, "card stats scene.ctmcard", &["card_draw", "card_totals"]);
    prints(&folder, "card replay scene.ctmcard", &["card_replay"]);
    let wave = project("tests/card/wave.ctmcard");
    prints(&folder, &format!("card replay {wave}"), &["card_replay"]);
    let depth = project("tests/card/depth.ctmcard");
    let history = ["card_history", "card_history", "card_history", "card_replay"];
    for follow in ["", "--follow"] {
        prints(&folder, &format!("card replay {depth} --draw 4 --pixel 40,20 {follow}"), &history);
    }
    let grass = project("tests/card/rv770/grass.ctmcard");
    prints(&folder, &format!("card replay {grass} --draw 2 --pixel 40,20 --follow"), &history[1..]);
    prints(&folder, &format!("draw --vs {vertex} --primitive points --vertices 2"), &["draw"]);
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let schema = Schema::read();
    let message = json!({
        "severity": "error", "code": null, "message": "m", "file": null, "line": 1, "column": null, "notes": [], "help": ["h"],
    });
    assert_eq!(schema.explain(Some("message"), &message), None);
    for (member, wrong) in [
        ("severity", json!("bad")),
        ("message", json!(null)),
        ("line", json!(1.5)),
        ("help", json!([1])),
        ("more", json!(0)),
    ] {
        let mut message = message.clone();
        message[member] = wrong;
        assert!(schema.explain(Some("message"), &message).is_some(), "{message}");
    }
    assert!(schema.explain(Some("message"), &json!({ "severity": "error" })).is_some());
    assert!(schema.explain(None, &json!({})).is_some());
}

#[test]
fn the_page_says_what_the_schema_says() {
    let (path, page) = (project("docs/json.md"), Schema::read().page());
    if fs::read_to_string(&path).expect("the page") != page {
        fs::write(&path, page).expect("a page that can be written");
        panic!("docs/json.md was not what the schema says; it has been rewritten: look at it, and run again");
    }
}

#[test]
fn integers_of_registers_are_integers() {
    let folder = Folder::new("json-integers");
    folder.write("kernel.sm50", "MOV32I R0, 0x7;\nMOV32I R1, 0.5;\nIADD R2, R0, -0x9;\nEXIT;\n");
    let steps = lines(folder.ctm("run kernel.sm50 --follow 0 --json").ok().out());
    let values: Vec<&Value> =
        steps.iter().flat_map(|step| step["changes"].as_array()).flatten().map(|change| &change["value"]).collect();
    assert!(
        values.contains(&&7.into()) && values.contains(&&0.5.into()) && values.contains(&&(-2).into()),
        "{values:?}"
    );
}
