//! `ctm debug` in a terminal, and `ctm dap` over streams and TCP.
#![cfg(unix)]

use crate::common::{Folder, project};
use crate::halving::first_wrong;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longest time that something on the screen is waited for. Debug builds on busy machines are slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal of 80 columns and 24 rows in which a program runs.
struct Terminal {
    pty: pty_process::blocking::Pty,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    child: Child,
}

impl Terminal {
    fn new(arguments: &[&str]) -> Self {
        Self::with_locale(arguments, "C.UTF-8")
    }

    fn with_locale(arguments: &[&str], locale: &str) -> Self {
        let (pty, pts) = pty_process::blocking::open().expect("a terminal");
        pty.resize(pty_process::Size::new(24, 80)).expect("a size");
        let command = pty_process::blocking::Command::new(env!("CARGO_BIN_EXE_ctm"));
        let child =
            command.args(arguments).env("TERM", "xterm-256color").env("LC_ALL", locale).spawn(pts).expect("ctm starts");
        let (sender, output) = channel();
        let mut reader = std::fs::File::from(rustix::io::dup(&pty).expect("the terminal can be read"));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { pty, output, screen: vt100::Parser::new(24, 80, 0), child }
    }

    fn press(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).expect("keys are taken");
    }

    /// Waits until the screen has this text, and gives the screen.
    fn shows(&mut self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let shown = self.screen.screen().contents();
            if shown.contains(text) {
                return shown;
            }
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.screen.process(&bytes),
                Err(_) => panic!("no '{text}' in\n{shown}"),
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const RIGHT: &str = "\x1b[C";
const LEFT: &str = "\x1b[D";

#[test]
fn a_session_in_a_terminal() {
    let program = project("examples/mandelbrot.x1k");
    let mut terminal = Terminal::new(&["debug", program.to_str().unwrap(), "--domain", "64x64", "--lane", "20,30"]);
    let screen = terminal.shows("q quit");
    for part in
        ["lane (20, 30)", "step 0", "registers", "temp[0]", "program, with counts of lanes", "of 64 execute", "▀"]
    {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.press(RIGHT);
    terminal.shows("step 1 ");
    terminal.press(RIGHT);
    terminal.shows("step 2 ");
    terminal.press(LEFT);
    terminal.shows("step 1 ");
    terminal.press(":goto 30\r");
    terminal.shows("step 30 ");
    terminal.press(":who temp[0].r\r");
    terminal.shows("step ");
    terminal.press("?");
    terminal.shows("any key closes");
    terminal.press("xq");
    assert!(terminal.child.wait().unwrap().success());
}

/// A loop with a function, over what `speed` says.
const SHADER: &str = "\
uniform float speed;
float tri(float x) {
    float part = fract(x * speed);
    return abs(part - 0.5) * 2.0;
}
void main() {
    vec2 p = gl_FragCoord.xy / 8.0;
    bool inside = dot(p, p) < 2.0;
    float sum = 0.0;
    for (int i = 0; i < 40; i++) {
        float step = tri(p.x + float(i)) * p.y;
        sum = sum * 0.5 + step;
        if (sum > 3.0) break;
    }
    vec3 color = inside ? vec3(sum, p) : vec3(p, sum);
    gl_FragColor = vec4(color, 1.0);
}
";

/// What the sum of [`SHADER`] is in a lane after some passes.
fn sum_after(passes: usize, [column, row]: [f32; 2]) -> f32 {
    let (x, y) = ((column + 0.5) / 8.0, (row + 0.5) / 8.0);
    let tri = |x: f32| ((x * 0.5).fract() - 0.5).abs() * 2.0;
    (0..passes).fold(0.0, |sum, i| sum * 0.5 + tri(x + i as f32) * y)
}

/// A shader is shown by its source: its lines, its variables, and breakpoints in lines, with conditions over variables.
#[test]
fn a_session_over_a_shader_has_its_source() {
    let folder = Folder::new("debug-shader");
    folder.write("tri.frag", SHADER);
    let path = folder.0.join("tri.frag");
    let run = ["debug", path.to_str().unwrap(), "--domain", "8x8", "--lane", "4,2", "--uniform", "speed=0.5"];
    let mut terminal = Terminal::new(&run);
    let screen = terminal.shows("q quit");
    for part in ["tri.frag", "▶ 7     vec2 p", "variables", "speed   0.5"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.press(":break line 13 if i == 2 && sum > 0.2\r");
    terminal.shows("breakpoint 1");
    terminal.press("c");
    let screen = terminal.shows("1: breakpoint");
    for part in ["pass 3", "▶13", "p       0.562 0.312", "inside  1"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.press(":sum\r");
    terminal.shows(&format!("sum = {}", sum_after(3, [4.0, 2.0])));
    terminal.press(":sum * 2 + i\r");
    terminal.shows(&format!("= {}", f64::from(sum_after(3, [4.0, 2.0])) * 2.0 + 2.0));
    terminal.press("v");
    terminal.shows("program, with counts of lanes");
    terminal.press("q");
    assert!(terminal.child.wait().unwrap().success());

    let mut terminal = Terminal::with_locale(&run, "C");
    let screen = terminal.shows("q quit");
    assert!(screen.is_ascii() && screen.contains("+ variables -") && screen.contains("> 7     vec2 p"), "{screen}");
}

/// A session is over the first frame: buffers have been made, those that the frame before would have left are 0.
#[test]
fn a_session_over_a_shader_reads_buffers() {
    let folder = Folder::new("debug-buffers");
    let fetch = |number: u32| format!("texelFetch(iChannel{number}, ivec2(gl_FragCoord.xy), 0)");
    folder.write(
        "a.frag",
        format!(
            "uniform float level; void main() {{ gl_FragColor = vec4(gl_FragCoord.xy, level, 1.0) + {}; }}\n",
            fetch(0)
        ),
    );
    folder.write(
        "image.frag",
        format!("void main() {{\n    vec4 held = {};\n    float sum = held.x + held.y * held.z;\n    gl_FragColor = vec4(sum, sum * sum, held.xw);\n}}\n", fetch(0)),
    );
    let (image, a) = (folder.0.join("image.frag"), folder.0.join("a.frag"));
    let buffer = format!("A={}", a.display());
    let mut run = vec!["debug", image.to_str().unwrap(), "--domain", "8x8", "--lane", "4,2", "--buffer", &buffer];
    run.extend(["--input", "iChannel0=A", "--input", "A.iChannel0=A", "--uniform", "level=3"]);
    let mut terminal = Terminal::new(&run);
    terminal.shows("q quit");
    terminal.press(":break line 4\r");
    terminal.shows("breakpoint 1");
    terminal.press("c");
    terminal.shows("1: breakpoint");
    terminal.press(":sum\r");
    terminal.shows("sum = 12");
    terminal.press("q");
    assert!(terminal.child.wait().unwrap().success());
    // A buffer that is wrong is an error in front of the screen.
    let wrong: Vec<&str> = run.iter().map(|&word| if word == buffer { "A=none.frag" } else { word }).collect();
    Terminal::new(&wrong).shows("none.frag");
}

/// Editors see the same.
#[test]
fn an_editor_sees_the_variables_of_a_shader() {
    let folder = Folder::new("dap-shader");
    folder.write("tri.frag", SHADER);
    let mut child = folder.command(["dap"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut number = 0;
    let mut ask = |command: &str, arguments: Value| {
        number += 1;
        send(&mut to, number, command, arguments);
        loop {
            let message = receive(&mut from);
            if message["request_seq"] == number {
                assert_eq!(message["success"], true, "{message}");
                return message["body"].clone();
            }
        }
    };
    ask("initialize", json!({"adapterID": "ctm"}));
    let program = folder.0.join("tri.frag");
    let args = json!(["--domain", "8x8", "--uniform", "speed=0.5"]);
    ask("launch", json!({"program": program, "lane": "0,0", "args": args}));
    let lines = json!([{"line": 13, "condition": "i == 2"}]);
    let set = ask("setBreakpoints", json!({"source": {"path": program}, "breakpoints": lines}));
    assert_eq!(set["breakpoints"][0]["line"], 13, "{set}");
    ask("configurationDone", json!({}));
    ask("continue", json!({"threadId": 1}));
    let frame = ask("stackTrace", json!({"threadId": 1}))["stackFrames"][0].clone();
    assert_eq!(frame["line"], 13, "{frame}");
    let scopes = ask("scopes", json!({"frameId": frame["id"]}));
    assert_eq!(scopes["scopes"][0]["name"], "Variables");
    let reference = scopes["scopes"][0]["variablesReference"].clone();
    let variables = ask("variables", json!({"variablesReference": reference}))["variables"].clone();
    let value = |name: &str| variables.as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
    assert!(
        value("sum").unwrap()["value"].as_str().unwrap().starts_with(&sum_after(3, [0.0; 2]).to_string()),
        "{variables}"
    );
    assert_eq!(value("p").unwrap()["value"], "0.0625, 0.0625");
    assert!(value("part").is_none(), "that belongs to another function: {variables}");
    let parts = ask("variables", json!({"variablesReference": value("p").unwrap()["variablesReference"]}));
    assert_eq!(parts["variables"][1]["evaluateName"], "p.y");
    let evaluated = ask("evaluate", json!({"expression": "p.y * 2", "context": "watch", "frameId": frame["id"]}));
    assert_eq!(evaluated["result"], "0.125");
    drop(to);
    child.wait().unwrap();
}

#[test]
fn a_session_over_compute_code_writes_no_file() {
    let folder = Folder::new("debug-sm50");
    let (program, output) = (project("examples/collatz.sm50"), folder.0.join("steps.npy"));
    let global = format!("0x10000:24={}", output.to_str().unwrap());
    let run = ["--block", "24", "--global-output", &global, "--lane", "6"];
    let mut terminal = Terminal::new(&[&["debug", program.to_str().unwrap()], &run[..]].concat());
    let screen = terminal.shows("q quit");
    for part in ["lane (6, 0)", "step 0", "R0", "24 of 24 execute"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.press(&RIGHT.repeat(3));
    terminal.shows("step 3 ");
    terminal.press(LEFT);
    terminal.shows("step 2 ");
    terminal.press(":when R1 == 16\rc");
    terminal.shows("R1 == 16 holds");
    terminal.press("q");
    assert!(terminal.child.wait().unwrap().success());
    assert!(!output.exists());
}

/// Lanes are pixels, and colours are outputs.
#[test]
fn a_session_over_a_fragment_program() {
    let folder = Folder::new("debug-fragments");
    folder.write(
        "fragment.sm50",
        ".stage pixel\nIPA.PASS R0, a[0x70], RZ;\nIPA.PASS R1, a[0x74], RZ;\nFADD R2, R0, R1;\nEXIT;\n",
    );
    let program = folder.0.join("fragment.sm50");
    let mut terminal = Terminal::new(&["debug", program.to_str().unwrap(), "--domain", "9x5", "--lane", "7,3"]);
    let screen = terminal.shows("q quit");
    for part in ["lane (7, 3)", "step 0", "R0"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.press(":break 0028\rc");
    terminal.shows("step 3 ");
    terminal.shows("R2      11 ");
    terminal.press(":watch colour 0.b\rc");
    terminal.shows("colour 0.b");
    terminal.press("q");
    assert!(terminal.child.wait().unwrap().success());
}

/// A block is one group, whose memory can be looked at.
#[test]
fn a_session_over_warps_that_meet() {
    let folder = Folder::new("debug-blocks");
    folder.write(
        "block.sm50",
        "S2R R0, SR_TID.X;\nSHL R1, R0, 2;\nSTS [R1], R0;\nBAR.SYNC 0x0;\nLDS R2, [0xfc];\nEXIT;\n",
    );
    let program = folder.0.join("block.sm50");
    let run = ["--block", "64", "--shared-memory", "256", "--lane", "40"];
    let mut terminal = Terminal::new(&[&["debug", program.to_str().unwrap()], &run[..]].concat());
    terminal.shows("q quit");
    terminal.press(":when shared[252] == 63\rc");
    terminal.shows("shared[252] == 63 holds");
    terminal.press("q");
    assert!(terminal.child.wait().unwrap().success());
}

/// Options of a run of examples/transform.pvs over four vertices.
const VERTICES: [&str; 8] =
    ["--domain", "4x1", "--input", "0=uv", "--input", "1=constant:0,0,1,0", "--input", "2=constant:1,0.5,0.25,1"];

#[test]
fn a_session_over_a_vertex() {
    let program = project("examples/transform.pvs");
    let arguments = ["debug", program.to_str().unwrap(), "--lane", "2"].into_iter().chain(VERTICES);
    let mut terminal = Terminal::new(&arguments.collect::<Vec<_>>());
    let screen = terminal.shows("q quit");
    for part in ["PVS", "lane (2, 0)", "step 0", "▶4  0 out[0].x = VE_DOT", "temp[0]", "1 of 1 execute"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    terminal.press(":break 10\rc");
    terminal.shows("step 10 ");
    terminal.press(":who temp[1].x\r");
    terminal.shows("step 9: 9: temp[1].x = VE_ADD.SAT");
    terminal.press(":lane 3,0\r");
    terminal.shows("lane (3, 0)");
    terminal.press(":input[0].x\r");
    terminal.shows("input[0].x = 0.875");
    terminal.press("q");
    assert!(terminal.child.wait().unwrap().success());
}

/// A program of 40 instructions of R700 adds to three channels, of which the first is the greatest; one instruction exchanges two of them.
fn wrong_swizzle() -> String {
    let mut lines = vec![".gprs 40".to_owned(), "ALU:".to_owned()];
    lines.push("x: ADD R1.x, R0.x, 1.0f\ny: MOV R1.y, R0.x\nz: MOV R1.z, R0.y LAST".to_owned());
    for n in 2..40 {
        let (from, [x, y]) = (n - 1, if n == 23 { ["y", "x"] } else { ["x", "y"] });
        let [x, y, z] =
            [("x", x), ("y", y), ("z", "z")].map(|(to, of)| format!("{to}: ADD R{n}.{to}, R{from}.{of}, 1.0f"));
        lines.push([x, y, z].join("\n") + " LAST");
    }
    lines.push("EXP_DONE: PIX0, R39.xyz1\nEND_OF_PROGRAM\n".to_owned());
    lines.join("\n")
}

#[test]
fn a_wrong_swizzle_of_r700_is_found_in_ten_actions() {
    let folder = Folder::new("debug-r700");
    folder.write("wrong.r700", wrong_swizzle());
    let program = folder.0.join("wrong.r700");
    let mut terminal = Terminal::new(&["debug", program.to_str().unwrap(), "--domain", "16x16", "--lane", "3,2"]);
    let screen = terminal.shows("q quit");
    for part in ["R700", "lane (3, 2)", "▶256   0 ALU: ", "R0      3 2 0 0", "64 of 64 execute", "▀"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let mut actions = 2;
    terminal.press("\x1b[F");
    terminal.shows("ended");
    let wrong = first_wrong(|register| {
        actions += 1;
        let asked = format!("R{register}.x > R{register}.y");
        terminal.press(&format!(":{asked}\r"));
        terminal.shows(&format!("{asked} = ")).contains(&format!("{asked} = 1"))
    });
    terminal.press(&format!(":who R{wrong}.x\r"));
    terminal.shows("x: ADD R23.x, R22.y");
    assert!(actions <= 10, "{actions}");
    terminal.press(":who colour 0\r");
    terminal.shows("EXP_DONE: PIX0, R39.xyz1");
    terminal.press("q");
    assert!(terminal.child.wait().unwrap().success());
}

/// `ctm draw` of examples/ripple, without results.
fn ripple() -> Vec<String> {
    let programs = [("vs", "vertex"), ("tcs", "control"), ("tes", "evaluation"), ("gs", "geometry")];
    let path = |name: &str| project(&format!("examples/ripple/{name}.sm50")).to_str().unwrap().to_owned();
    let programs = programs.iter().flat_map(|(option, name)| [format!("--{option}"), path(name)]);
    let rest = "--primitive patches --vertices 4 --patch-vertices 4 --tess-domain quads";
    programs.chain(rest.split(' ').map(str::to_owned)).collect()
}

#[test]
fn a_session_over_all_stages_of_a_draw() {
    let ripple = ripple();
    let ripple = ripple.iter().map(String::as_str);
    let mut terminal = Terminal::new(
        &["draw"].into_iter().chain(ripple).chain(["--debug", "tes", "--lane", "100"]).collect::<Vec<_>>(),
    );
    let screen = terminal.shows("q quit");
    for part in ["SM50", "lane (100, 2)", "step 0", "▶tes:0008 S2R R2, SR_LANEID", "32 of 32 execute"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    // Parameters of the tessellator, by which positions are found.
    terminal.press(":break tes:0188\rc");
    terminal.shows("1: breakpoint");
    terminal.press(":who R0\r");
    terminal.shows("ALD.O.64 R0, a[0x2f0]");
    terminal.press(":lane 3,0\r");
    terminal.shows("▶ vs:0008 ALD R0, a[0x2fc]");
    terminal.press("ii:R0\r");
    terminal.shows("R0 = ");
    terminal.press("q");
    assert!(terminal.child.wait().unwrap().success());
}

fn send(to: &mut dyn Write, seq: u64, command: &str, arguments: Value) {
    let text = json!({"seq": seq, "type": "request", "command": command, "arguments": arguments}).to_string();
    write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    to.flush().unwrap();
}

fn receive(from: &mut dyn BufRead) -> Value {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    let length = line.trim_end().strip_prefix("Content-Length: ").unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    from.read_line(&mut line).unwrap();
    let mut body: Vec<u8> = vec![0; length];
    from.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// Reads messages up to the response to a request.
fn response(from: &mut dyn BufRead, seq: u64) -> Value {
    loop {
        let message = receive(from);
        if message["type"] == "response" && message["request_seq"] == seq {
            return message;
        }
    }
}

#[test]
fn an_editor_over_streams() {
    let folder = Folder::new("dap");
    folder.write("wrong.x1k", "src0.rgb = temp[0] : temp[1].rgb = MADD src0.rgb src0.111 src0.000 ;\n");
    folder.write("empty.x1k", "OUT TEX_SEM_WAIT : ;\n");
    let mut child = folder.command(["dap"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    send(&mut to, 1, "initialize", json!({"adapterID": "ctm"}));
    assert_eq!(response(&mut from, 1)["body"]["supportsStepBack"], true);
    for (seq, arguments, expected) in [
        (2, json!({}), "needs 'program'"),
        (3, json!({"program": "missing.x1k"}), "missing.x1k"),
        (4, json!({"program": "wrong.x1k"}), "wrong.x1k:1: "),
        (5, json!({"program": "wrong.x1k", "args": ["--nothing"]}), "--nothing"),
        (6, json!({"program": "wrong.x1k", "args": ["-o", "a.npy"]}), "writes no output"),
        (10, json!({"program": "wrong.x1k", "args": ["--sandbox"]}), "does not take --sandbox"),
        (11, json!({"program": "wrong.x1k", "args": ["--engine", "interp"]}), "does not take --engine"),
        (12, json!({"program": "empty.x1k", "args": ["--domain", "8x8", "--const", "5=1", "--strict"]}), "warning"),
    ] {
        send(&mut to, seq, "launch", arguments.clone());
        let answer = response(&mut from, seq);
        assert_eq!(answer["success"], false);
        assert!(answer["message"].as_str().unwrap().contains(expected), "{arguments}: {answer}");
    }
    let program = project("examples/mandelbrot.x1k");
    let launch = json!({"program": program, "lane": "20,30", "args": ["--domain", "64x64"]});
    send(&mut to, 7, "launch", launch);
    assert_eq!(response(&mut from, 7)["success"], true);
    send(&mut to, 8, "stackTrace", json!({"threadId": 1}));
    let frame = &response(&mut from, 8)["body"]["stackFrames"][0];
    assert_eq!(frame["source"]["path"].as_str(), program.to_str());
    send(&mut to, 9, "disconnect", json!({}));
    assert_eq!(response(&mut from, 9)["success"], true);
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_editor_finds_a_wrong_swizzle_of_r700_in_ten_actions() {
    let folder = Folder::new("dap-r700");
    folder.write("wrong.r700", wrong_swizzle());
    let program = folder.0.join("wrong.r700");
    let mut child = folder.command(["dap"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut seq = 0;
    let mut ask = |command: &str, arguments: Value| {
        seq += 1;
        send(&mut to, seq, command, arguments);
        let answer = response(&mut from, seq);
        assert_eq!(answer["success"], true, "{command}: {answer}");
        answer["body"].clone()
    };
    ask("initialize", json!({"adapterID": "ctm"}));
    ask("launch", json!({"program": program, "lane": "3,2", "args": ["--domain", "16x16"]}));
    // The line of the third instruction of the clause, which begins in the twelfth line.
    let points = json!({"source": {"path": program}, "breakpoints": [{"line": 12}]});
    assert_eq!(ask("setBreakpoints", points)["breakpoints"][0]["line"], 12);
    ask("configurationDone", json!({}));
    ask("continue", json!({"threadId": 20}));
    let frame = ask("stackTrace", json!({"threadId": 20}))["stackFrames"][0].clone();
    assert_eq!(frame["line"], 12, "{frame}");
    ask("setBreakpoints", json!({"source": {"path": program}, "breakpoints": []}));
    ask("continue", json!({"threadId": 20}));
    let mut actions = 3;
    let mut evaluate = |text: String, context: &str| {
        actions += 1;
        let answer = ask("evaluate", json!({"expression": text, "context": context}));
        answer["result"].as_str().unwrap().to_owned()
    };
    let wrong = first_wrong(|register| evaluate(format!("R{register}.x > R{register}.y"), "watch") == "1");
    let who = evaluate(format!("who R{wrong}.x"), "repl");
    assert!(who.contains("x: ADD R23.x, R22.y"), "{who}");
    assert!(actions <= 10, "{actions}");
    ask("disconnect", json!({}));
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_editor_looks_at_a_vertex() {
    let folder = Folder::new("dap-vertex");
    let mut child = folder.command(["dap"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let program = project("examples/transform.pvs");
    send(&mut to, 0, "initialize", json!({}));
    response(&mut from, 0);
    send(&mut to, 1, "launch", json!({"program": program, "args": VERTICES, "lane": 4}));
    let answer = response(&mut from, 1);
    assert!(answer["message"].as_str().is_some_and(|message| message.contains("vertex 4")), "{answer}");
    send(&mut to, 2, "launch", json!({"program": program, "args": VERTICES, "lane": 3}));
    assert_eq!(response(&mut from, 2)["success"], true);
    send(&mut to, 3, "continue", json!({"threadId": 1}));
    assert_eq!(response(&mut from, 3)["success"], true);
    send(&mut to, 4, "evaluate", json!({"expression": "who out[1].y", "context": "repl"}));
    let answer = response(&mut from, 4);
    assert!(answer["body"]["result"].as_str().is_some_and(|who| who.contains("10: out[1].xyz = VE_MUL")), "{answer}");
    send(&mut to, 5, "disconnect", json!({}));
    assert_eq!(response(&mut from, 5)["success"], true);
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_editor_looks_at_a_draw() {
    let folder = Folder::new("dap-draw");
    let mut child = folder.command(["dap"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let of_stage = |stage: &str, lane: u32| {
        let args: Vec<String> = ripple().into_iter().chain(["--debug".to_owned(), stage.to_owned()]).collect();
        json!({"command": "draw", "args": args, "lane": lane})
    };
    let sandboxed: Vec<String> = ripple().into_iter().chain(["--sandbox".to_owned()]).collect();
    send(&mut to, 0, "initialize", json!({}));
    response(&mut from, 0);
    for (seq, arguments, expected) in [
        (1, json!({"command": "nothing"}), "nothing"),
        (2, json!({"command": "asm", "args": ["a.x1k"]}), "'command' is one that draws"),
        (3, json!({"command": "replay", "args": ["a.trace"]}), "no debugger"),
        (4, of_stage("vs", 4), "stage vertex has 4 lanes"),
        (8, json!({"command": "draw", "args": sandboxed}), "does not take --sandbox"),
    ] {
        send(&mut to, seq, "launch", arguments.clone());
        let answer = response(&mut from, seq);
        assert_eq!(answer["success"], false);
        assert!(answer["message"].as_str().unwrap().contains(expected), "{arguments}: {answer}");
    }
    send(&mut to, 5, "launch", of_stage("gs", 7));
    assert_eq!(response(&mut from, 5)["success"], true);
    send(&mut to, 6, "stackTrace", json!({"threadId": 8}));
    let frame = &response(&mut from, 6)["body"]["stackFrames"][0];
    assert!(frame["name"].as_str().unwrap().starts_with("gs:0008"), "{frame}");
    assert!(frame["source"]["path"].as_str().unwrap().ends_with("ripple/geometry.sm50"), "{frame}");
    send(&mut to, 7, "disconnect", json!({}));
    assert_eq!(response(&mut from, 7)["success"], true);
    assert!(child.wait().unwrap().success());
}

/// `ctm dap` with options, and the place where it waits.
struct Server(Child, String);

impl Server {
    fn new(folder: &Folder, options: &[&str]) -> Self {
        let mut command = folder.command(["dap"].iter().chain(options));
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        err.read_line(&mut said).unwrap();
        let place = said.split_whitespace().nth(5).expect(&said).to_owned();
        // What it says later must have somewhere to go.
        std::thread::spawn(move || std::io::copy(&mut err, &mut std::io::sink()));
        Server(child, place)
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.1).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Introduces a client and lets it go.
fn is_served(mut to: impl Write, from: impl Read) {
    let mut from = BufReader::new(from);
    send(&mut to, 1, "initialize", json!({}));
    assert_eq!(response(&mut from, 1)["success"], true);
    send(&mut to, 2, "disconnect", json!({}));
    assert_eq!(response(&mut from, 2)["success"], true);
    assert_eq!(from.read(&mut [0]).unwrap(), 0, "the server ends the connection");
}

/// Reads every group before the last lane's, each of which takes a million steps: the run reads what it writes.
const DEPENDENT: &str = ".int i0 = 255
.int i1 = 255
.int i2 = 255
.flow full
LOOP i[0]; LOOP i[1]; LOOP i[2];
src0.rgb = temp[0] : temp[1].rgb = MAD src0.rgb src0.rgb src0.rgb ;
ENDLOOP; ENDLOOP; ENDLOOP;
OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;
";

#[test]
fn editors_over_tcp_do_not_wait_for_each_other() {
    let folder = Folder::new("dap-tcp");
    folder.write("dependent.x1k", DEPENDENT);
    let server = Server::new(&folder, &["--port", "0"]);
    // One says nothing, one is in the middle of a launch that does not end soon, and others come.
    let silent = server.connect();
    let mut busy = server.connect();
    let mut from_busy = BufReader::new(busy.try_clone().unwrap());
    send(&mut busy, 1, "initialize", json!({}));
    response(&mut from_busy, 1);
    let launch = |timeout: &str| {
        let args =
            ["--domain", "64x64", "--input", "0=@0", "--step-limit", "18446744073709551615", "--timeout", timeout];
        json!({"program": "dependent.x1k", "lane": "60,60", "args": args})
    };
    send(&mut busy, 2, "launch", launch("none"));
    for _ in 0..2 {
        let client = server.connect();
        is_served(client.try_clone().unwrap(), client);
    }
    // What was asked for last ends the launch.
    send(&mut busy, 3, "disconnect", json!({}));
    let answer = response(&mut from_busy, 2);
    assert!(answer["message"].as_str().is_some_and(|why| why.contains("interrupted")), "{answer}");
    assert_eq!(response(&mut from_busy, 3)["success"], true);

    // A session has the time that its launch says.
    let mut client = server.connect();
    let mut from = BufReader::new(client.try_clone().unwrap());
    send(&mut client, 1, "initialize", json!({}));
    response(&mut from, 1);
    let start = Instant::now();
    send(&mut client, 2, "launch", launch("1"));
    let answer = response(&mut from, 2);
    assert!(answer["message"].as_str().is_some_and(|why| why.contains("longer than the time limit")), "{answer}");
    send(&mut client, 3, "launch", json!({"program": "dependent.x1k", "args": ["--timeout", "1"]}));
    assert_eq!(response(&mut from, 3)["success"], true);
    send(&mut client, 4, "continue", json!({"threadId": 1}));
    loop {
        let message = receive(&mut from);
        if message["event"] == "stopped" {
            assert_eq!(message["body"]["reason"], "pause");
            break;
        }
    }
    assert!(start.elapsed() < PATIENCE);
    drop(silent);
}

/// What is not a client of the protocol is not answered, whatever it has in its body; a page in a browser begins with a line of HTTP.
#[test]
fn pages_cannot_speak_to_a_server() {
    let folder = Folder::new("dap-http");
    let server = Server::new(&folder, &["--port", "0"]);
    let body = json!({"seq": 1, "type": "request", "command": "initialize", "arguments": {}}).to_string();
    let length = format!("Content-Length: {}\r\n", body.len());
    for text in [
        format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n{length}\r\n{body}"),
        "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n".to_owned(),
        format!("{length}Origin: http://example.com\r\n\r\n{body}"),
    ] {
        let mut client = server.connect();
        client.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // What was not read yet may reset the connection.
        let _ = client.read_to_end(&mut answer);
        assert_eq!(String::from_utf8_lossy(&answer), "", "{text}");
    }
    // One that speaks the protocol introduces itself.
    let mut client = server.connect();
    let mut from = BufReader::new(client.try_clone().unwrap());
    send(&mut client, 1, "launch", json!({"program": "a.x1k"}));
    let answer = receive(&mut from);
    assert_eq!((&answer["success"], &answer["message"]), (&json!(false), &json!("'initialize' comes first")));
    assert_eq!(from.read(&mut [0]).unwrap(), 0);
    let client = server.connect();
    is_served(client.try_clone().unwrap(), client);
}

/// The socket is this user's alone, is there as long as the server, and takes no other file's place.
#[test]
fn an_editor_over_a_socket_in_the_file_system() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;
    let folder = Folder::new("dap-socket");
    let mut server = Server::new(&folder, &["--socket", "here"]);
    assert_eq!(server.1, "here");
    let path = folder.0.join("here");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    for _ in 0..2 {
        let client = UnixStream::connect(&path).unwrap();
        is_served(client.try_clone().unwrap(), client);
    }
    let second = folder.command(["dap", "--socket", "here"]).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&second.stderr).contains("remove the file, if no other 'ctm dap' is waiting there")
    );
    assert!(Command::new("kill").args(["-INT", &server.0.id().to_string()]).status().unwrap().success());
    assert_eq!(server.0.wait().unwrap().code(), Some(130));
    assert!(!path.exists());

    folder.write("mine", "mine");
    let refused = folder.command(["dap", "--socket", "mine"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(folder.read("mine"), b"mine");
}

/// What a session cannot keep is said before anything is executed.
#[test]
fn a_session_refuses_what_it_does_not_keep() {
    let folder = Folder::new("debug-options");
    let ripple = ripple();
    let ripple: Vec<&str> = ["draw"].into_iter().chain(ripple.iter().map(String::as_str)).chain(["--debug"]).collect();
    let program = project("examples/mandelbrot.x1k");
    let debug = ["debug", program.to_str().unwrap()];
    for (command, option) in [
        (&debug[..], "--sandbox"),
        (&debug, "--stats"),
        (&debug, "--counts"),
        (&ripple, "--sandbox"),
        (&ripple, "--json"),
    ] {
        let done = folder.command(command.iter().chain([&option])).output().unwrap();
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{err}");
        assert!(err.contains(&format!("a debugger's session does not take {option}")), "{err}");
    }
}

#[test]
fn without_a_terminal_there_is_no_screen() {
    let folder = Folder::new("no_terminal");
    let program = project("examples/mandelbrot.x1k");
    let output = folder.command(["debug", program.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no terminal"));
}
