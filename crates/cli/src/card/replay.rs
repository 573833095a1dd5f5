//! `ctm card replay`.

use super::trace::Trace;
use crate::args::CardReplayArgs;
use crate::failure::no_engine;
use crate::outputs::{Form, Sink};
use crate::report::Message;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_array::{Array, Data, Shape, WriteOptions};
use ctm_card::trace::TraceRecord;
use ctm_card::{Card as _, Submission};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_memory::Arena;
use ctm_r5xx::packets::{Opcode, Packet, packets};
use ctm_r5xx::stream::{Command, commands};
use ctm_r5xx::{Card, Model, Picture, picture};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The first card address that is used, and the bytes from there to the end of addresses.
const MEMORY: (u32, u32) = (0x1000, 0xFFFF_F000);

/// What came of executing a trace.
#[derive(Default)]
struct Outcome {
    submissions: usize,
    draws: usize,
    time: Duration,
    messages: Vec<Message>,
}

/// Executes a trace, and writes the picture that a draw leaves.
pub fn replay(args: &CardReplayArgs, console: &mut Console) -> Result<(), Failure> {
    let sink = args.output.as_ref().map(|file| Sink::open(console.host, &file.path, Form::Array)).transpose()?;
    let trace = Trace::read(&args.trace, console)?;
    let executor = args.engine.unwrap_or_else(EngineName::fastest).executor().map_err(no_engine)?;
    let card = Card::new(model(args, &trace)?);
    let mut card = match executor {
        Executor::Engine(engine) => card.with_engine(engine),
        Executor::Reference => card,
    };
    let memory = Arena::new(MEMORY.0, MEMORY.1)
        .map(Arc::new)
        .map_err(|error| Failure::Limit(Message::error(error.to_string()).help("raise the limit of addresses")))?;
    let mut outcome = Outcome::default();
    for submission in trace.submissions()? {
        let (number, record) = submission?;
        let is_last = execute(&mut card, &memory, (number, &record), args.draw, &mut outcome);
        if is_last {
            break;
        }
    }
    if let Some(draw) = args.draw.filter(|&draw| draw >= outcome.draws) {
        let message = format!("the trace has {}, and no number {draw}", number_of(outcome.draws, "draw"));
        return Err(Failure::Usage(
            Message::error(message).help("draws are counted from 0; 'ctm card stats' lists them"),
        ));
    }
    outcome.messages.iter().for_each(|message| console.report(message));
    let shown = picture(card.state(), &memory, args.target.into()).map_err(|error| trace.wrong(error))?;
    if let (Some(file), Some(mut sink)) = (&args.output, sink) {
        let shown = shown.as_ref().ok_or_else(|| {
            Message::error(format!("the last draw writes no colour buffer {}", args.target))
                .help("--draw N shows what another one left, --target N another buffer")
        })?;
        let array = array(shown, args.bottom_up);
        let bytes = ctm_array::encode(file.kind, &array, &WriteOptions::default());
        sink.write(&bytes.map_err(|error| Message::error(error.to_string()))?)?;
        Sink::commit([sink], console)?;
    }
    print(args, &outcome, shown.as_ref(), console)
}

/// The card of the command line, or that of the trace.
fn model(args: &CardReplayArgs, trace: &Trace) -> Result<Model, Message> {
    let reader = trace.reader()?;
    let recorded = Model::ALL.into_iter().find(|model| model.identity().name == reader.card());
    args.card.or(recorded).ok_or_else(|| {
        let known = Model::ALL.map(|model| model.identity().name).join(", ");
        trace
            .wrong(format!("the trace is of a card that is not known: {:?}", reader.card()))
            .help(format!("--card CARD chooses another: {known}"))
    })
}

/// Executes a submission, and says whether it has the last draw.
fn execute(
    card: &mut Card,
    memory: &Arc<Arena>,
    (number, record): (usize, &TraceRecord),
    last: Option<usize>,
    outcome: &mut Outcome,
) -> bool {
    let submission = record.submission();
    let draws: Vec<usize> = commands(&submission).map_or_else(
        |_| Vec::new(),
        |commands| {
            commands
                .iter()
                .filter_map(|command| match command {
                    Command::Draw(draw) => Some(draw.at),
                    Command::Write { .. } | Command::Upload { .. } | Command::VertexArrays(_) => None,
                })
                .collect()
        },
    );
    let last = last.and_then(|last| last.checked_sub(outcome.draws)).filter(|&last| last < draws.len());
    let words = last.map_or(submission.words, |last| &submission.words[..end_of_draw(submission.words, draws[last])]);
    record.write_pages(memory);
    let start = Instant::now();
    let done = card.submit(memory, &Submission { words, ..submission });
    outcome.time += start.elapsed();
    outcome.submissions += 1;
    outcome.draws += last.map_or(draws.len(), |last| last + 1);
    let prefix = format!("submission {number}");
    if let Err(rejected) = done {
        outcome.messages.push(Message::warning(format!("{prefix} is rejected: {rejected}")));
    }
    let warnings = card.take_warnings();
    outcome.messages.extend(warnings.into_iter().map(|warning| Message::warning(format!("{prefix}: {warning}"))));
    last.is_some()
}

/// Where the draw that begins at a word ends, with what belongs to it.
fn end_of_draw(words: &[u32], at: usize) -> usize {
    let belongs = |packet: &Packet| matches!(packet, Packet::Command { opcode: Opcode::IndxBuffer | Opcode::Nop, .. });
    let mut behind = packets(words).skip_while(|&(place, _)| place <= at);
    let end = behind.find(|(_, packet)| !packet.as_ref().is_ok_and(belongs));
    end.map_or(words.len(), |(place, _)| place)
}

/// The picture as an array. OpenGL has the bottom row first in framebuffer objects.
fn array(picture: &Picture, bottom_up: bool) -> Array {
    let rows = picture.pixels.chunks(picture.width as usize);
    let rows: Vec<&[[u32; 4]]> = if bottom_up { rows.rev().collect() } else { rows.collect() };
    let shape = Shape { width: picture.width as usize, height: picture.height as usize, channels: 4 };
    Array { shape, data: Data::F32(rows.into_iter().flatten().flatten().copied().collect()) }
}

fn print(
    args: &CardReplayArgs,
    outcome: &Outcome,
    picture: Option<&Picture>,
    console: &mut Console,
) -> Result<(), Failure> {
    let Outcome { submissions, draws, time, .. } = outcome;
    if args.json {
        let picture = picture.map(|picture| json!({ "width": picture.width, "height": picture.height }));
        return Ok(console.json(&json!({
            "submissions": submissions, "draws": draws, "run_seconds": time.as_secs_f64(), "picture": picture,
        }))?);
    }
    let [submissions, draws] = [(submissions, "submission"), (draws, "draw")].map(|(&n, noun)| number_of(n, noun));
    let size =
        picture.map_or("no colour buffer".into(), |picture| format!("{}x{} pixels", picture.width, picture.height));
    Ok(writeln!(
        console.out,
        "{submissions} with {draws} in {:.3} s; the last draw's buffer: {size}",
        time.as_secs_f64()
    )?)
}
