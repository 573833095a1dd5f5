//! One client: its requests, and what it is told.

use crate::answer::{capabilities, disassembly, memory, scopes, stack_trace, threads};
use crate::breakpoints::{Breakpoints, LISTING, data_info};
use crate::values::{Reference, target, text, variables};
use crate::wire::{self, WireError};
use ctm_debug::{
    Direction, Expression, Position, Session, StepKind, StepOutcome, StopReason, Value, WriteTarget, command,
    parse_bits,
};
use serde_json::{Value as Json, json};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::spawn;

/// Opens the sessions that launch requests ask for.
pub trait Launch {
    /// The client speaks the protocol. Until then nothing of it is answered, and it may be anybody.
    ///
    /// # Errors
    /// The stream fails.
    fn initialized(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Opens the session that the arguments of a launch request ask for. The flag is raised when that is to end.
    ///
    /// # Errors
    /// Why there is none, for people.
    fn launch(&mut self, arguments: &Json, interrupt: &Arc<AtomicBool>) -> Result<Session, String>;
}

/// Answers a client until it disconnects, or the stream ends. Its first request has to be `initialize`. Later requests are read by a thread,
/// so that a pause ends a run; it lasts until the stream ends.
///
/// # Errors
/// The stream fails, or what comes is not a request.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
    launch: &mut dyn Launch,
) -> Result<(), WireError> {
    let mut wire = Sequence { output, sent: 0 };
    let Some(first) = wire::read(&mut input)? else { return Ok(()) };
    if first["command"] != INITIALIZE {
        let command = first["command"].as_str().unwrap_or_default().to_owned();
        wire.respond(&first, Err("'initialize' comes first".into()))?;
        return Err(WireError::Uninitialized(command));
    }
    launch.initialized()?;
    wire.respond(&first, Ok(capabilities()))?;

    let interrupt = Arc::new(AtomicBool::new(false));
    let (sender, requests) = channel();
    let interrupts = interrupt.clone();
    spawn(move || {
        loop {
            let message = wire::read(&mut input);
            let is_last = !matches!(message, Ok(Some(_)));
            if is_last || message.iter().flatten().any(ends_runs) {
                interrupts.store(true, Ordering::Relaxed);
            }
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
    });
    let mut server = Server {
        launch,
        session: None,
        breakpoints: Breakpoints::default(),
        settings: Settings::default(),
        interrupt: interrupt.clone(),
    };
    for message in requests {
        let Some(request) = message? else { break };
        if ends_runs(&request) {
            interrupt.store(false, Ordering::Relaxed);
        }
        if let Some(session) = &mut server.session {
            session.begin_request();
        }
        let mut reply = Reply::default();
        let command = request["command"].as_str().unwrap_or_default();
        let result = server.answer(command, &request["arguments"], &mut reply);
        wire.respond(&request, result)?;
        // Clients offer a pause only after the response.
        if let Some(movement) = reply.movement {
            server.go(movement, &mut reply);
        }
        for event in reply.events {
            wire.send(event)?;
        }
        if reply.is_last {
            break;
        }
    }
    Ok(())
}

/// The first request.
const INITIALIZE: &str = "initialize";

/// Whether a request ends what runs.
fn ends_runs(request: &Json) -> bool {
    matches!(request["command"].as_str(), Some("pause" | "terminate" | "disconnect"))
}

/// What is sent, with its numbers.
struct Sequence<'o> {
    output: &'o mut dyn Write,
    sent: u64,
}

impl Sequence<'_> {
    /// Answers a request: with a body, or by what is wrong.
    fn respond(&mut self, request: &Json, result: Result<Json, String>) -> Result<(), WireError> {
        let mut response = json!({
            "type": "response",
            "request_seq": request["seq"],
            "command": request["command"],
            "success": result.is_ok(),
        });
        match result {
            Ok(Json::Null) => {}
            Ok(body) => response["body"] = body,
            Err(why) => {
                response["message"] = json!(why);
                response["body"] = json!({"error": {"id": 1, "format": why, "showUser": true}});
            }
        }
        self.send(response)
    }

    fn send(&mut self, mut message: Json) -> Result<(), WireError> {
        self.sent += 1;
        message["seq"] = json!(self.sent);
        wire::write(self.output, &message)
    }
}

/// A movement of the session, which may last.
#[derive(Clone, Copy)]
enum Movement {
    /// A step.
    Step(StepKind, Direction),
    /// To the next stop.
    Run(Direction),
}

/// What goes out after a response.
#[derive(Default)]
struct Reply {
    events: Vec<Json>,
    movement: Option<Movement>,
    is_last: bool,
}

impl Reply {
    fn event(&mut self, name: &str, body: Json) {
        self.events.push(json!({"type": "event", "event": name, "body": body}));
    }
}

/// What a launch request asks for.
struct Settings {
    stop_on_entry: bool,
    all_groups: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { stop_on_entry: true, all_groups: false }
    }
}

struct Server<'l> {
    launch: &'l mut dyn Launch,
    session: Option<Session>,
    breakpoints: Breakpoints,
    settings: Settings,
    /// A request that ends what runs has come.
    interrupt: Arc<AtomicBool>,
}

/// The lane of a thread, or of a frame.
fn lane_of(number: &Json) -> Option<usize> {
    usize::try_from(number.as_u64()?.checked_sub(1)?).ok()
}

/// Frames of a thread.
const FRAMES: u64 = 1000;

impl Server<'_> {
    fn answer(&mut self, command: &str, arguments: &Json, reply: &mut Reply) -> Result<Json, String> {
        match command {
            INITIALIZE => return Err("'initialize' comes once".into()),
            "launch" => {
                let session = self.session.insert(self.launch.launch(arguments, &self.interrupt)?);
                session.set_interrupt(self.interrupt.clone());
                self.settings = Settings {
                    stop_on_entry: arguments["stopOnEntry"].as_bool().unwrap_or(true),
                    all_groups: arguments["allGroups"].as_bool().unwrap_or(false),
                };
                reply.event("initialized", Json::Null);
                return Ok(Json::Null);
            }
            "disconnect" | "terminate" => {
                self.session = None;
                reply.is_last = command == "disconnect";
                if !reply.is_last {
                    reply.event("terminated", json!({}));
                }
                return Ok(Json::Null);
            }
            _ => {}
        }
        let Server { session, breakpoints, settings, .. } = self;
        let session = session.as_mut().ok_or("nothing is launched: 'launch' comes first")?;
        match command {
            "configurationDone" => {
                if settings.stop_on_entry {
                    stopped(session, reply, "entry", "At the start of the lane's group", None);
                } else {
                    reply.movement = Some(Movement::Run(Direction::Forward));
                }
                Ok(Json::Null)
            }
            "threads" => Ok(threads(session)),
            "stackTrace" => Ok(stack_trace(session, arguments, FRAMES)),
            "scopes" => {
                let frame = arguments["frameId"].as_u64().unwrap_or(0);
                Ok(scopes(session, (frame / FRAMES).saturating_sub(1) as usize))
            }
            "variables" => {
                let reference = arguments["variablesReference"].as_u64().and_then(Reference::of);
                let reference = reference.ok_or("there are no such variables")?;
                let hexadecimal = arguments["format"]["hex"].as_bool().unwrap_or(false);
                let all = variables(session, reference, hexadecimal);
                let start = arguments["start"].as_u64().unwrap_or(0) as usize;
                let count = arguments["count"].as_u64().filter(|&count| count > 0).unwrap_or(u64::MAX);
                let some = all.into_iter().skip(start).take(usize::try_from(count).unwrap_or(usize::MAX));
                Ok(json!({"variables": some.collect::<Vec<_>>()}))
            }
            "setVariable" | "setExpression" => set(session, arguments, reply),
            "evaluate" => evaluate(session, arguments, reply),
            "readMemory" => memory(session, arguments),
            "disassemble" => Ok(disassembly(session, arguments)),
            "source" => match arguments["sourceReference"].as_u64() {
                Some(LISTING) => {
                    let rows = session.guest().listing().rows.iter();
                    let lines: Vec<String> = rows.map(|row| format!("{}: {}", row.address, row.text)).collect();
                    Ok(json!({"content": lines.join("\n")}))
                }
                _ => Err("there is no such source".into()),
            },
            "setBreakpoints" => Ok(breakpoints.set_lines(session, arguments)),
            "setInstructionBreakpoints" => Ok(breakpoints.set_instructions(session, arguments)),
            "setFunctionBreakpoints" => Ok(breakpoints.set_labels(session, arguments)),
            "setExceptionBreakpoints" => Ok(breakpoints.set_events(session, arguments)),
            "dataBreakpointInfo" => Ok(data_info(session, arguments)),
            "setDataBreakpoints" => Ok(breakpoints.set_data(session, arguments)),
            "exceptionInfo" => Ok(exception(session)),
            "restart" => {
                session.clear_edits().map_err(|error| error.to_string())?;
                stopped(session, reply, "entry", "At the start of the lane's group", None);
                Ok(Json::Null)
            }
            "pause" => {
                stopped(session, reply, "pause", "Paused", None);
                Ok(Json::Null)
            }
            "next" | "stepIn" | "stepOut" | "stepBack" => {
                look_at(session, arguments);
                let by_line = arguments["granularity"].as_str() != Some("instruction") && has_long_lines(session);
                let unit = match command {
                    "stepOut" => StepKind::Out,
                    _ if by_line => StepKind::Line,
                    "next" => StepKind::Over,
                    _ => StepKind::Lane,
                };
                let direction = if command == "stepBack" { Direction::Back } else { Direction::Forward };
                reply.movement = Some(Movement::Step(unit, direction));
                Ok(Json::Null)
            }
            "continue" | "reverseContinue" => {
                look_at(session, arguments);
                let direction = if command == "continue" { Direction::Forward } else { Direction::Back };
                let is_over = session.outcome() != &StepOutcome::Going && direction == Direction::Forward;
                if is_over && !settings.all_groups {
                    reply.event("terminated", json!({}));
                } else {
                    reply.movement = Some(Movement::Run(direction));
                }
                Ok(if direction == Direction::Forward { json!({"allThreadsContinued": true}) } else { Json::Null })
            }
            _ => Err(format!("'{command}' is not a request that this debugger knows")),
        }
    }

    /// Moves the session, and tells where it stops. A request that ends a run tells so itself.
    fn go(&mut self, movement: Movement, reply: &mut Reply) {
        let Server { session: Some(session), settings, interrupt, .. } = self else { return };
        let reason = match movement {
            Movement::Step(unit, direction) => Ok(session.step(unit, direction)),
            Movement::Run(Direction::Forward) if settings.all_groups => session.run_groups(),
            Movement::Run(direction) => Ok(session.run(direction)),
        };
        match reason {
            Ok(StopReason::Limit) if interrupt.load(Ordering::Relaxed) => {}
            Ok(reason) => tell(session, reply, &reason),
            Err(error) => stopped(session, reply, "exception", &error.to_string(), None),
        }
    }
}

/// Whether some source line has several instructions.
fn has_long_lines(session: &Session) -> bool {
    let rows = &session.guest().listing().rows;
    rows.windows(2).any(|pair| pair[0].line.is_some() && pair[0].line == pair[1].line)
}

/// Looks at the lane that a request is about.
fn look_at(session: &mut Session, arguments: &Json) {
    let lane = lane_of(&arguments["threadId"]).and_then(|lane| session.guest().lanes().get(lane));
    if let Some(at) = lane.filter(|lane| lane.runs).map(|lane| lane.at) {
        // The lane is one of this group, so that there is nothing to run before.
        let _ = session.set_focus(at);
    }
}

/// Tells why the session is where it is.
fn tell(session: &Session, reply: &mut Reply, reason: &StopReason) {
    match reason {
        StopReason::Step => stopped(session, reply, "step", "Step", None),
        StopReason::Breakpoint(hits) => {
            let text = hits.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>().join("; ");
            let numbers: Vec<u32> = hits.iter().map(|(number, _)| *number).collect();
            let what = |wanted: &str| hits.iter().any(|(_, text)| text.contains(wanted));
            let word = if what("NaN") || what("leaves") {
                "exception"
            } else if what("changes") {
                "data breakpoint"
            } else {
                "breakpoint"
            };
            stopped(session, reply, word, &text, Some(numbers));
        }
        StopReason::End => stopped(session, reply, "pause", "The group has ended", None),
        StopReason::Start => stopped(session, reply, "entry", "At the start of the group", None),
        StopReason::Trap(trap) => stopped(session, reply, "exception", trap, None),
        StopReason::Limit => stopped(
            session,
            reply,
            "pause",
            "Paused: it took the steps, or the time, that one request may; continue goes on",
            None,
        ),
    }
}

fn stopped(session: &Session, reply: &mut Reply, reason: &str, text: &str, breakpoints: Option<Vec<u32>>) {
    let lane = session.lane_number(session.focus()).unwrap_or(0);
    let Position { group, step } = session.position();
    let mut body = json!({
        "reason": reason,
        "description": text,
        "text": format!("{text} (group {group}, step {step})"),
        "threadId": lane + 1,
        "allThreadsStopped": true,
    });
    if let Some(numbers) = breakpoints {
        body["hitBreakpointIds"] = json!(numbers);
    }
    reply.event("stopped", body);
}

fn exception(session: &Session) -> Json {
    match session.outcome() {
        StepOutcome::Trapped(trap) => json!({"exceptionId": "trap", "description": trap, "breakMode": "always"}),
        StepOutcome::Going | StepOutcome::Ended => {
            json!({"exceptionId": "event", "description": "a NaN, or a lane that left", "breakMode": "always"})
        }
    }
}

/// `setVariable`, `setExpression`.
fn set(session: &mut Session, arguments: &Json, reply: &mut Reply) -> Result<Json, String> {
    let reference = arguments["variablesReference"].as_u64().and_then(Reference::of);
    let name = arguments["name"].as_str().or(arguments["expression"].as_str()).unwrap_or_default();
    let (lane, found) = target(session, reference, name).ok_or_else(|| format!("'{name}' cannot be changed"))?;
    let number = match found {
        WriteTarget::Cells(cells) if cells.len() == 1 => cells.start,
        WriteTarget::Cells(_) => return Err(format!("'{name}' has several channels: change one of them")),
        WriteTarget::Memory { .. } => return Err(format!("'{name}' is memory, which is not changed by hand")),
    };
    let kind = session.guest().cells().get(number).map(|cell| cell.kind).ok_or("there is no such register")?;
    let new = parse_bits(kind, arguments["value"].as_str().unwrap_or_default())?;
    look_at(session, &json!({"threadId": lane + 1}));
    session.set(number, new).map_err(|error| error.to_string())?;
    reply.event("invalidated", json!({"areas": ["variables"]}));
    let value = Value::new(number, &session.guest().cells()[number], session.guest().read(lane, number));
    Ok(json!({"value": text(&value, false), "type": value.kind, "variablesReference": 0}))
}

/// `evaluate`: expressions, and commands of the console.
fn evaluate(session: &mut Session, arguments: &Json, reply: &mut Reply) -> Result<Json, String> {
    let input = arguments["expression"].as_str().unwrap_or_default().trim().to_owned();
    let frame = arguments["frameId"].as_u64().map(|frame| (frame / FRAMES).saturating_sub(1) as usize);
    let focused = session.lane_number(session.focus());
    let lane = frame.or(focused).ok_or("the lane does not run here")?;
    let said = |text: String| json!({"result": text, "variablesReference": 0});
    if arguments["context"].as_str() == Some("repl") {
        look_at(session, &json!({"threadId": lane + 1}));
        if let Some(answer) = command(session, &input)? {
            if answer.moved {
                stopped(session, reply, "goto", &answer.text, None);
            }
            return Ok(said(answer.text));
        }
    }
    let cells = session.guest().cells();
    let registers = session.registers(lane);
    if let Some(number) = registers.iter().position(|register| register.name == input)
        && registers[number].values.len() > 1
    {
        let values: Vec<String> = registers[number].values.iter().map(Value::text).collect();
        let reference = Reference::Channels(lane, number).number();
        return Ok(json!({"result": values.join(", "), "variablesReference": reference}));
    }
    let variables = session.variables(lane);
    if let Some(number) = variables.iter().position(|variable| variable.name == input)
        && variables[number].values.len() > 1
    {
        let values: Vec<String> = variables[number].values.iter().map(Value::text).collect();
        let reference = Reference::Parts(lane, number).number();
        return Ok(json!({"result": values.join(", "), "variablesReference": reference}));
    }
    let input = session.with_registers(&input, session.row())?;
    let expression = Expression::parse(&input, cells).map_err(|error| error.to_string())?;
    let hexadecimal = arguments["format"]["hex"].as_bool().unwrap_or(false);
    Ok(match expression.cell() {
        Some(cell) => {
            let value = Value::new(cell, &cells[cell], session.guest().read(lane, cell));
            json!({"result": text(&value, hexadecimal), "type": value.kind, "variablesReference": 0})
        }
        None => said(expression.value(&|cell| session.guest().read(lane, cell)).to_string()),
    })
}
