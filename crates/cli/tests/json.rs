//! What machines read: every object has the members that `docs/json.md` says, of these types.

mod common;

use common::{Folder, POSITION, project};
use serde_json::Value;

/// The members of an object as the page says: names and types.
fn members(object: &str) -> Vec<(String, String)> {
    let page = std::fs::read_to_string(project("docs/json.md")).expect("the page");
    let section = page.split("\n## ").find(|section| section.starts_with(object)).expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        (cells[1].trim_matches('`').to_owned(), cells[2].to_owned())
    };
    rows.map(row).collect()
}

/// Checks an object against the page. It may have `more` members.
#[track_caller]
fn is(object: &str, value: &Value, more: &[&str]) {
    let members = members(object);
    assert!(members.len() > 2, "{object}: {members:?}");
    for (name, types) in &members {
        let found = match &value[name] {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let allowed: Vec<&str> = types.split([' ', ',']).collect();
        let fits = allowed.contains(&found) || found == "integer" && allowed.contains(&"number");
        assert!(value.get(name).is_some() && fits, "{object}: {name} is {found}, not {types}\n{value}");
    }
    for name in value.as_object().expect("an object").keys() {
        let known = members.iter().any(|(member, _)| member == name) || more.contains(&name.as_str());
        assert!(known, "{object} has {name}, which the page does not know\n{value}");
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
        messages.iter().for_each(|message| is("message", message, &[]));
        assert!(messages.iter().any(|message| message["severity"] == "error"), "{}", done.err());
    }
    let messages = lines(folder.ctm("check wrong.x1k --json").err());
    let place = |message: &Value| [&message["file"], &message["line"], &message["column"]].map(Value::to_string);
    assert_eq!(place(&messages[0]), ["\"wrong.x1k\"", "1", "1"]);
    assert_eq!(place(&messages[1]), ["\"wrong.x1k\"", "3", "8"]);
    assert_eq!(messages[1]["help"][0], "did you mean `rgb`?");
}

#[test]
fn results_have_the_members_of_the_page() {
    let folder = Folder::new("json-results");
    folder
        .write("position.x1k", POSITION)
        .write("unset.x1k", "OUT TEX_SEM_WAIT src0.rgb = temp[3] : out[0].rgb = MAX src0.rgb src0.rgb ;\n");
    let report = lines(folder.ctm("check unset.x1k --json").ok().out());
    is("check", &report[0], &[]);
    let findings = report[0]["findings"].as_array().expect("findings");
    assert!(!findings.is_empty());
    findings.iter().for_each(|finding| is("message", finding, &["program", "pc"]));
    let stats = lines(folder.ctm("run position.x1k --domain 4x4 --const 0=0 --stats --json").ok().out());
    is("run", &stats[0], &[]);
    let steps = lines(folder.ctm("run position.x1k --domain 4x4 --const 0=0 --follow 1,2 --json").ok().out());
    assert_eq!((&steps[0]["event"], &steps[steps.len() - 1]["event"]), (&"start".into(), &"end".into()));
    steps[1..steps.len() - 1].iter().for_each(|step| is("follow", step, &[]));
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
