//! `ctm card replay`.

use super::execution::execute;
use super::history;
use super::trace::Trace;
use crate::args::CardReplayArgs;
use crate::options::values::Pixel;
use crate::outputs::{OutputKind, Sink};
use crate::report::Message;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_array::{Array, Data, Shape, WriteOptions};
use ctm_card::Picture;
use ctm_card::history::PixelWatch;
use ctm_cards::CardOptions;
use ctm_replay::card::Execution;
use serde_json::json;

/// Executes a trace, writes the picture that a draw leaves, and prints the history of a pixel.
pub fn replay(args: &CardReplayArgs, console: &mut Console) -> Result<(), Failure> {
    let sink = args.output.as_ref().map(|file| Sink::open(console.host, &file.path, OutputKind::Array)).transpose()?;
    let trace = Trace::read(&args.trace, console)?;
    let steps = if args.follow { args.follow_steps } else { 0 };
    let pixel = args.pixel.map(|pixel| place(&trace, args, pixel)).transpose()?;
    let watch = pixel.map(|(x, y)| PixelWatch { x, y, steps });
    let execution = execute(&trace, &args.execution, CardOptions { watch, ..CardOptions::default() })?;
    execution.warnings.iter().for_each(|warning| console.report(&Message::warning(warning)));
    let shown = shown(&trace, &execution, args)?;
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
    if let Some(pixel) = pixel {
        let size = shown.as_ref().map(|shown| (shown.width, shown.height));
        let shown =
            history::HistoryOptions { pixel, size, draws: execution.draws, follow: args.follow, json: args.json };
        history::print(&execution.history, &shown, console)?;
        // Histories of two traces can be compared: they have no times.
        if !args.json {
            return Ok(());
        }
    }
    print(args, &execution, shown.as_ref(), console)
}

/// What the last draw left.
fn shown(trace: &Trace, execution: &Execution, args: &CardReplayArgs) -> Result<Option<Picture>, Message> {
    execution.card.picture(&execution.memory, args.target.into()).map_err(|error| trace.wrong(error))
}

/// Where the pixel of the command line is in buffers: rows may count from the bottom of the picture.
fn place(trace: &Trace, args: &CardReplayArgs, Pixel { x, y }: Pixel) -> Result<(u32, u32), Failure> {
    if !args.bottom_up {
        return Ok((x, y));
    }
    let execution = execute(trace, &args.execution, CardOptions::default())?;
    let height = shown(trace, &execution, args)?.map_or(0, |shown| shown.height);
    let row = height.checked_sub(1).and_then(|last| last.checked_sub(y)).ok_or_else(|| {
        Failure::Usage(Message::error(format!(
            "there is no pixel {x},{y}: the picture has {}",
            number_of(height as usize, "row")
        )))
    })?;
    Ok((x, row))
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
    execution: &Execution,
    picture: Option<&Picture>,
    console: &mut Console,
) -> Result<(), Failure> {
    let Execution { submissions, draws, time, .. } = execution;
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
