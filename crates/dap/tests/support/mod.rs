//! A client that speaks to a server in another thread, and a launcher of X1K programs.

use ctm_dap::{Launch, serve};
use ctm_debug::{Session, SourceText};
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_x1k::{Domain, Job, RunOptions, debug, text};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::{JoinHandle, spawn};

/// The path that the program's source has.
pub const PATH: &str = "/home/user/program.x1k";

/// Launches one program over 8x2 lanes.
pub struct Program(pub String);

impl Launch for Program {
    fn launch(&mut self, arguments: &Value, _: &Arc<AtomicBool>) -> Result<Session, String> {
        let lane = arguments["lane"].as_str().ok_or("a launch names a lane")?;
        let (i, j) = lane.split_once(',').ok_or("a lane is two numbers")?;
        let lane = (i.parse().map_err(|_| "no number")?, j.parse().map_err(|_| "no number")?);
        let assembled = text::parse(&self.0).map_err(|errors| format!("{errors:#?}"))?;
        let mut memory = Space::default();
        let base = memory.append(4096).map_err(|error| error.to_string())?;
        let mut job = Job::new(&assembled.program, Domain::of_size(8, 2).ok_or("empty")?, &memory);
        let (tiling, format) = (Tiling::Linear, Format::Float32_4);
        job.outputs[0] = Some(Surface { base, pitch: 8, height: 2, tiling, superfine: false, format });
        let mut listing = debug::listing(&assembled.program);
        listing.sources.push(SourceText { name: PATH.into(), text: self.0.clone() });
        for (row, origin) in listing.rows.iter_mut().zip(&assembled.origins) {
            row.line = Some((0, self.0[..origin.span.start].matches('\n').count() as u32 + 1));
        }
        let options = RunOptions { group_width: 8, ..RunOptions::default() };
        debug::session(&job, &options, listing, lane).map_err(|error| error.to_string())
    }
}

/// A client with its server.
pub struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    server: Option<JoinHandle<()>>,
    sequence: u64,
    /// Events that have come.
    pub events: Vec<Value>,
    /// Requests that were made since the start.
    pub requests: Vec<String>,
}

impl Client {
    pub fn new(program: &str) -> Self {
        let (input, to) = pipe().unwrap();
        let (from, mut output) = pipe().unwrap();
        let mut program = Program(program.into());
        let server = spawn(move || serve(BufReader::new(input), &mut output, &mut program).unwrap());
        Client {
            to: Some(to),
            from: BufReader::new(from),
            server: Some(server),
            sequence: 0,
            events: Vec::new(),
            requests: Vec::new(),
        }
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to.as_mut().unwrap(), "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    }

    pub fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Makes a request, and gives the response.
    pub fn request(&mut self, command: &str, arguments: Value) -> Value {
        self.sequence += 1;
        self.requests.push(command.into());
        self.send(&json!({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}));
        self.response(self.sequence)
    }

    /// The response to a request; events before it are kept.
    pub fn response(&mut self, sequence: u64) -> Value {
        loop {
            let message = self.receive();
            if message["type"] == "response" {
                assert_eq!(message["request_seq"], sequence);
                return message;
            }
            self.events.push(message);
        }
    }

    /// As [`request`](Self::request), which has to succeed; gives the body.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.request(command, arguments);
        assert_eq!(response["success"], true, "{command}: {response}");
        response["body"].clone()
    }

    /// Makes a request that moves the session, and gives the body of the event that says where it stops.
    pub fn go(&mut self, command: &str, arguments: Value) -> Value {
        self.ask(command, arguments);
        self.stopped()
    }

    pub fn stopped(&mut self) -> Value {
        loop {
            let message = self.receive();
            if message["event"] == "stopped" {
                return message["body"].clone();
            }
            assert_ne!(message["event"], "terminated", "there was nothing left to run");
            self.events.push(message);
        }
    }

    /// Initializes, launches at a lane, and configures.
    pub fn start(&mut self, lane: &str) -> Value {
        let can = self.ask("initialize", json!({"adapterID": "ctm", "linesStartAt1": true}));
        assert_eq!(can["supportsStepBack"], true);
        self.launch(lane)
    }

    /// Launches at a lane, and configures.
    pub fn launch(&mut self, lane: &str) -> Value {
        self.ask("launch", json!({"lane": lane}));
        self.go("configurationDone", json!({}))
    }

    /// The name of the topmost frame, and its line.
    pub fn top(&mut self) -> (String, u64) {
        let frames = self.ask("stackTrace", json!({"threadId": 1, "levels": 1}));
        let frame = &frames["stackFrames"][0];
        (frame["name"].as_str().unwrap_or_default().into(), frame["line"].as_u64().unwrap_or(0))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.to = None;
        if let Some(server) = self.server.take()
            && server.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the server failed");
        }
    }
}
