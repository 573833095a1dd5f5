//! A scripted client: the whole of the protocol that the server speaks, over an X1K program.

#[path = "../../debug/tests/support/halving.rs"]
mod halving;
mod support;

use ctm_dap::{Launch, WireError, serve};
use ctm_debug::Session;
use halving::first_wrong;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use support::{Client, PATH};

/// Counts passes up to the column, four at most; then the logarithm of what is left, which columns from 5 on do not have.
const PROGRAM: &str = "-- A loop.
.int i0 = 4, 0, 1
LOOP i[0];
  src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;
  src0.rgb = temp[0], src1.rgb = temp[1] : result[ge] = MAD src1.r__ src0.1__ -src0.r__ ;
  BREAK IF alu;
ENDLOOP;
src0.rgb = temp[0], src1.rgb = temp[1] : temp[2].r = MAD src1.r__ src0.1__ -src0.r__ ;
src0.rgb = temp[2] : temp[3].a = LN2 src0.r ;
OUT TEX_SEM_WAIT src0.rgb = temp[1], src0.a = temp[3] : out[0].rgb = MAX src0.rgb src0.rgb, out[0].a = MAX src0.a src0.a ;
";

const OUTPUT: &str = "OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.rgb src0.rgb ;\n";

fn names(of: &Value, key: &str) -> Vec<String> {
    of.as_array().unwrap().iter().map(|one| one[key].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn lines_lanes_and_registers() {
    let mut client = Client::new(PROGRAM);
    let stopped = client.start("2,0");
    assert_eq!((&stopped["reason"], &stopped["threadId"]), (&json!("entry"), &json!(5)));
    assert!(client.events.iter().any(|event| event["event"] == "initialized"));
    let threads = client.ask("threads", json!({}));
    assert_eq!(threads["threads"].as_array().unwrap().len(), 8);
    assert_eq!(threads["threads"][4]["name"], "lane (2, 0): active");
    assert_eq!(client.top(), ("0: FC ALU_WAIT LOOP L5, i[0] ;".into(), 3));

    let set = client.ask(
        "setBreakpoints",
        json!({"source": {"path": PATH}, "breakpoints": [
            {"line": 4, "condition": "temp[1].x == 1"}, {"line": 1}, {"line": 99}, {"line": 4, "condition": "temp[1]"},
        ]}),
    );
    let verified: Vec<_> = set["breakpoints"].as_array().unwrap().iter().map(|one| one["verified"].clone()).collect();
    assert_eq!(verified, [true, true, false, false]);
    assert_eq!(set["breakpoints"][1]["line"], 3, "the first line with code");
    let stopped = client.go("continue", json!({"threadId": 5}));
    assert_eq!(stopped["reason"], "breakpoint");
    assert_eq!(client.top().1, 4);
    let scopes = client.ask("scopes", json!({"frameId": 5000}));
    assert_eq!(names(&scopes["scopes"], "name"), ["Registers", "Outputs in memory", "Lanes of the group"]);
    let reference = scopes["scopes"][0]["variablesReference"].clone();
    let registers = client.ask("variables", json!({"variablesReference": reference}));
    let counter = &registers["variables"][1];
    assert_eq!((&counter["name"], &counter["value"]), (&json!("temp[1]"), &json!("1, 0, 0, 0")));
    let channels = client.ask("variables", json!({"variablesReference": counter["variablesReference"]}));
    assert_eq!(channels["variables"][0]["value"], "1 (0x3f800000)");
    let format = json!({"variablesReference": counter["variablesReference"], "format": {"hex": true}});
    assert_eq!(client.ask("variables", format)["variables"][0]["value"], "0x3f800000");

    // Back: the condition held at no moment before, so that the group's start stops.
    client.ask("setBreakpoints", json!({"source": {"path": PATH}, "breakpoints": []}));
    assert_eq!(client.go("stepBack", json!({"threadId": 5}))["reason"], "step");
    assert_eq!(client.go("reverseContinue", json!({"threadId": 5}))["reason"], "entry");
    assert_eq!(client.top().1, 3);
    assert_eq!(client.go("stepIn", json!({"threadId": 5}))["reason"], "step");
    assert_eq!(client.go("next", json!({"threadId": 5, "granularity": "instruction"}))["reason"], "step");
    assert_eq!(client.top().1, 5);
}

#[test]
fn data_breakpoints_events_and_values() {
    let mut client = Client::new(PROGRAM);
    client.start("6,0");
    let info = client.ask("dataBreakpointInfo", json!({"name": "temp[1].r"}));
    let none = client.ask("dataBreakpointInfo", json!({"name": "temp"}));
    assert_eq!(none["dataId"], Value::Null);
    let set = client.ask("setDataBreakpoints", json!({"breakpoints": [{"dataId": info["dataId"]}, {"dataId": "x"}]}));
    assert_eq!((&set["breakpoints"][0]["verified"], &set["breakpoints"][1]["verified"]), (&json!(true), &json!(false)));
    let stopped = client.go("continue", json!({"threadId": 5}));
    assert_eq!((&stopped["reason"], &stopped["hitBreakpointIds"]), (&json!("data breakpoint"), &json!([1])));
    client.ask("setDataBreakpoints", json!({"breakpoints": []}));

    client.ask("setExceptionBreakpoints", json!({"filters": ["nan"]}));
    let stopped = client.go("continue", json!({"threadId": 5}));
    assert_eq!(stopped["reason"], "exception");
    assert!(stopped["description"].as_str().unwrap().contains("temp[3].a of lane (5, 0) becomes a NaN"), "{stopped}");
    client.ask("exceptionInfo", json!({"threadId": 5}));

    let evaluate = |client: &mut Client, text: &str, context: &str| {
        client.ask("evaluate", json!({"expression": text, "context": context, "frameId": 5000}))["result"].clone()
    };
    assert_eq!(evaluate(&mut client, "temp[1].r * 2 > 7", "watch"), "1");
    assert_eq!(evaluate(&mut client, "temp[0]", "hover"), "6, 0, 0, 0");
    let who = evaluate(&mut client, "who temp[1].r", "repl");
    assert!(who.as_str().unwrap().contains("1: src0.rgb = temp[1] : temp[1].r"), "{who}");
    let error = client.request("evaluate", json!({"expression": "temp[1].r +", "context": "watch"}));
    assert!(error["message"].as_str().unwrap().contains("column 12"), "{error}");

    client.ask("setExceptionBreakpoints", json!({"filters": []}));
    client.go("restart", json!({}));
    client.go("stepIn", json!({"threadId": 5}));
    let new = client.ask("setExpression", json!({"expression": "temp[1].r", "value": "9"}));
    assert_eq!(new["value"], "9 (0x41100000)");
    let ended = client.go("continue", json!({"threadId": 5}));
    assert_eq!(ended["description"], "The group has ended");
    let outputs = client.ask("variables", json!({"variablesReference": 3 + 4 * 4}));
    assert!(outputs["variables"][0]["value"].as_str().unwrap().starts_with("10.0 (0x41200000)"), "{outputs}");
    // Little-endian bytes in base64; arenas have more bytes than the output, and an end.
    let reference = outputs["variables"][0]["memoryReference"].clone();
    let read = client.ask("readMemory", json!({"memoryReference": reference, "count": 4}));
    assert_eq!((&read["address"], &read["data"]), (&reference, &json!("AAAgQQ==")));
    let read = client.ask("readMemory", json!({"memoryReference": reference, "offset": -1_000_000, "count": 8}));
    assert_eq!((&read["unreadableBytes"], &read["data"]), (&json!(8), &json!("")));
    let read = client.ask("readMemory", json!({"memoryReference": reference, "count": u64::MAX}));
    assert!(read["unreadableBytes"].as_u64().unwrap() > 1 << 62, "{read}");
    let error = client.request("readMemory", json!({"memoryReference": "temp[1]", "count": 4}));
    assert!(error["message"].as_str().unwrap().contains("not a memory address"), "{error}");
    let error = client.request("setExpression", json!({"expression": "calls", "value": "1"}));
    assert!(error["message"].as_str().unwrap().contains("calls cannot be changed"), "{error}");
    client.ask("continue", json!({"threadId": 5}));
    assert_eq!(client.receive()["event"], "terminated");
    client.ask("disconnect", json!({}));
}

#[test]
fn registers_and_memory_are_watched() {
    let mut client = Client::new(PROGRAM);
    client.start("6,0");
    let info = |client: &mut Client, arguments: Value| client.ask("dataBreakpointInfo", arguments);
    let outputs = client.ask("variables", json!({"variablesReference": 3 + 4 * 4}));
    let address = outputs["variables"][0]["memoryReference"].clone();
    let places = [
        info(&mut client, json!({"name": "temp[2]"})),
        info(&mut client, json!({"name": "output 0", "variablesReference": 3 + 4 * 4})),
        info(&mut client, json!({"name": address, "asAddress": true, "bytes": 16})),
        info(&mut client, json!({"name": "output 0 at 6,0"})),
    ];
    assert_eq!(places[0]["description"], "temp[2] of lane (6, 0)");
    assert!(places[1]["description"].as_str().unwrap().starts_with("output 0, 16 bytes of memory at 0x"), "{places:?}");
    assert!(places[1..].iter().all(|place| place == &places[1]), "{places:?}");
    for (arguments, why) in [
        (json!({"name": "0x4", "asAddress": true}), "no 4 bytes of memory at 0x00000004"),
        (json!({"name": "0x4", "asAddress": true, "bytes": 1_u64 << 40}), "too many"),
        (json!({"name": "temp[2]", "asAddress": true}), "not an address"),
        (json!({"name": "0x4"}), "nothing called '0x4'"),
    ] {
        let none = info(&mut client, arguments);
        assert!(none["dataId"].is_null() && none["description"].as_str().unwrap().contains(why), "{none}");
    }
    let points: Vec<Value> = places[..2].iter().map(|place| json!({"dataId": place["dataId"]})).collect();
    let wrong = ["cells 0+9999 of 6,0", "cells 9+18446744073709551615 of 6,0", "memory 4+4 of 6,0", "memory 4 of 6,0"];
    let points: Vec<Value> = points.into_iter().chain(wrong.map(|id| json!({"dataId": id}))).collect();
    let set = client.ask("setDataBreakpoints", json!({"breakpoints": points}));
    let verified: Vec<bool> =
        set["breakpoints"].as_array().unwrap().iter().map(|one| one["verified"] == true).collect();
    assert_eq!(verified, [true, true, false, false, false, false]);
    let mut stops = Vec::new();
    for _ in 0..2 {
        let stopped = client.go("continue", json!({"threadId": 5}));
        assert_eq!(stopped["reason"], "data breakpoint", "{stopped}");
        stops.push(stopped["description"].as_str().unwrap().to_owned());
    }
    assert_eq!(stops[0], "temp[2] changes");
    assert!(stops[1].starts_with("output 0, 16 bytes of memory at 0x"), "{stops:?}");
    let who = client.ask("evaluate", json!({"expression": "who output 0", "context": "repl"}))["result"].clone();
    assert!(who.as_str().unwrap().contains(": OUT TEX_SEM_WAIT"), "{who}");
    assert!(who.as_str().unwrap().ends_with(": 0, 0, 0, 0 -> 4, 0, 0, nan 0x7fffffff"), "{who}");
    let several = client.request("setExpression", json!({"expression": "temp[2]", "value": "1"}));
    assert!(several["message"].as_str().unwrap().contains("several channels"), "{several}");
    let memory = client.request("setExpression", json!({"expression": "output 0", "value": "1"}));
    assert!(memory["message"].as_str().unwrap().contains("memory, which is not changed"), "{memory}");
}

/// What a client of Microsoft's package `@vscode/debugadapter-testsupport` (1.68) has sent: its bytes are answered, and it stops where it did.
#[test]
fn a_recorded_client_is_answered() {
    let text = String::from_utf8_lossy(include_bytes!("recorded/debugclient.bin"));
    let mut client = Client::new(PROGRAM);
    let mut messages = Vec::new();
    for request in text.split("Content-Length: ").skip(1) {
        let request: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
        client.send(&request);
        // As that client did, each waits for the one before, and for the stop where it moves.
        let command = request["command"].as_str().unwrap();
        let moves =
            ["configurationDone", "continue", "next", "stepIn", "stepBack", "reverseContinue"].contains(&command);
        let mut waits = vec![("response", "")];
        waits.extend(moves.then_some(("event", "stopped")));
        while !waits.is_empty() {
            let message = client.receive();
            waits.retain(|(kind, event)| message["type"] != *kind || !event.is_empty() && message["event"] != *event);
            messages.push(message);
        }
        // It sent another one, which nobody was there to answer.
        if command == "disconnect" {
            break;
        }
    }
    let responses: Vec<&Value> = messages.iter().filter(|message| message["type"] == "response").collect();
    assert!(responses.iter().all(|response| response["success"] == true), "{responses:#?}");
    assert_eq!(responses.len(), 15);
    let stops = messages.iter().filter(|message| message["event"] == "stopped");
    let stops: Vec<String> = stops.map(|stop| stop["body"]["text"].as_str().unwrap().to_owned()).collect();
    let [entry, breakpoint, steps @ .., back] = &stops[..] else { panic!("{stops:?}") };
    assert!(entry.ends_with("(group 0, step 0)") && breakpoint == "breakpoint (group 0, step 5)" && back == breakpoint);
    assert_eq!(steps, [6, 7, 6].map(|step| format!("Step (group 0, step {step})")));
}

#[test]
fn a_pause_ends_a_long_run() {
    let passes = ".int i0 = 255, 0, 1\n.int i1 = 255, 0, 1\n.int i2 = 255, 0, 1\n";
    let body = "src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;";
    let loops = "LOOP i[0];\nLOOP i[1];\nLOOP i[2];\n";
    let mut client = Client::new(&format!("{passes}{loops}{body}\nENDLOOP;\nENDLOOP;\nENDLOOP;\n{OUTPUT}"));
    client.start("2,0");
    // A busy machine may not have begun to run it.
    let mut reached = json!("0");
    while reached == "0" {
        // The response comes at once, so that the client can ask for more.
        client.ask("continue", json!({"threadId": 3}));
        std::thread::sleep(std::time::Duration::from_millis(100));
        let paused = client.go("pause", json!({"threadId": 3}));
        assert_eq!(paused["reason"], "pause", "{paused}");
        assert!(client.events.iter().all(|event| event["event"] != "stopped"), "one stop only");
        reached = client.ask("evaluate", json!({"expression": "temp[1].r", "context": "watch"}))["result"].clone();
    }
    // What comes after the pause runs again.
    assert_eq!(client.go("stepIn", json!({"threadId": 3}))["reason"], "step");
    assert_eq!(client.go("reverseContinue", json!({"threadId": 3}))["reason"], "entry");
    client.ask("continue", json!({"threadId": 3}));
}

#[test]
fn instructions_labels_and_errors() {
    let mut client = Client::new(PROGRAM);
    client.ask("initialize", json!({}));
    for (command, expected) in [("threads", "'launch' comes first"), ("initialize", "'initialize' comes once")] {
        let early = client.request(command, json!({}));
        assert!(early["message"].as_str().unwrap().contains(expected), "{early}");
    }
    let wrong = client.request("launch", json!({"lane": "99,0"}));
    assert!(wrong["message"].as_str().unwrap().contains("no lane (99, 0)"), "{wrong}");
    client.launch("1,1");
    let rows =
        client.ask("disassemble", json!({"memoryReference": "0x0", "instructionOffset": -1, "instructionCount": 3}));
    assert_eq!(names(&rows["instructions"], "address"), ["-1", "0x0", "0x1"]);
    assert_eq!(rows["instructions"][2]["line"], 4);
    let huge = json!({"memoryReference": "0x0", "instructionOffset": i64::MAX, "instructionCount": i64::MAX});
    client.ask("disassemble", huge);
    client.ask("setInstructionBreakpoints", json!({"breakpoints": [{"instructionReference": "0x5"}]}));
    let labels = client.ask("setFunctionBreakpoints", json!({"breakpoints": [{"name": "L1"}, {"name": "nowhere"}]}));
    assert_eq!(labels["breakpoints"][1]["verified"], false);
    assert_eq!(client.go("continue", json!({"threadId": 4}))["reason"], "breakpoint");
    assert_eq!(client.top().1, 4);
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    client.go("continue", json!({"threadId": 4}));
    assert_eq!(client.top().1, 8);
    let unknown = client.request("fly", json!({}));
    assert!(unknown["message"].as_str().unwrap().contains("'fly' is not a request"));
}

/// A program of 40 instructions adds to three channels, of which red is the greatest; one instruction exchanges two of them. The lane's
/// output is wrong, and halving the way leads there.
#[test]
fn a_wrong_swizzle_is_found_in_ten_actions() {
    let mut client = Client::new(include_str!("../../debug/tests/support/wrong_swizzle.x1k"));
    client.start("3,0");
    let before = client.requests.len();
    let frame = 1000 * 5;
    client.go("continue", json!({"threadId": 6}));
    let wrong = first_wrong(|register| {
        let expression = format!("temp[{register}].r > temp[{register}].g");
        client.ask("evaluate", json!({"expression": expression, "context": "watch", "frameId": frame}))["result"] == "1"
    });
    let who = client
        .ask("evaluate", json!({"expression": format!("who temp[{wrong}].r"), "context": "repl", "frameId": frame}));
    assert!(who["result"].as_str().unwrap().contains("MAD src0.grb"), "{who}");
    let actions = client.requests.len() - before;
    assert!(actions <= 10, "{actions} actions");
}

/// Who has not introduced itself gets one answer, and nothing is launched.
#[test]
fn the_first_request_is_initialize() {
    let launch = json!({"seq": 1, "type": "request", "command": "launch", "arguments": {"lane": "1,1"}}).to_string();
    let input = format!("Content-Length: {}\r\n\r\n{launch}", launch.len()).repeat(2);
    let mut output = Vec::new();
    let served = serve(std::io::Cursor::new(input.into_bytes()), &mut output, &mut Nobody);
    assert!(matches!(served, Err(WireError::Uninitialized(command)) if command == "launch"));
    let output = String::from_utf8(output).unwrap();
    assert_eq!(output.matches("'initialize' comes first").count(), 2, "a message, and its form for people: {output}");
    assert_eq!(output.matches("Content-Length").count(), 1, "{output}");
}

/// Launches nothing.
struct Nobody;

impl Launch for Nobody {
    fn launch(&mut self, _: &Value, _: &Arc<AtomicBool>) -> Result<Session, String> {
        panic!("nobody has introduced itself")
    }
}
