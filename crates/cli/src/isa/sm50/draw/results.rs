//! Writes the results of a draw: files, and a summary.

use super::DrawArgs;
use super::svg::svg;
use super::values::{CaptureRange, DrawOutput};
use crate::failure::require_memory;
use crate::host::Host;
use crate::isa::sm50::data::array_kind;
use crate::outputs::{OutputKind, Sink};
use crate::report::Message;
use crate::wording::number_of;
use crate::{Console, Failure};
use ctm_array::{Array, Data, FileKind, Shape as ArrayShape, WriteOptions};
use ctm_sm50::attributes::name;
use ctm_sm50::pipeline::{Drawn, FragmentCounts, Shape, Wireframe};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that writing records takes on the way, at most, for each of their own: positions, points, text.
const WRITING: u64 = 3;
/// Dwords of a position.
const POSITION_WORDS: usize = 4;

/// The files that receive results, opened for writing.
pub struct Results {
    records: Option<(FileKind, Sink)>,
    obj: Option<Sink>,
    svg: Option<Sink>,
}

impl Results {
    /// Makes sure that the files can be written.
    pub fn open(host: &dyn Host, args: &DrawArgs) -> Result<Self, Failure> {
        let open = |path: &Option<_>, form| path.as_deref().map(|path| Sink::open(host, path, form)).transpose();
        let records = match &args.outputs[..] {
            _ if args.fs.is_some() => None,
            [] => None,
            [output @ DrawOutput { number: 0, .. }] => {
                let path = output.path(false);
                Some((array_kind(&path)?, Sink::open(host, &path, OutputKind::Array)?))
            }
            _ => {
                let message = "a draw without a fragment program has one output, its records";
                return Err(Failure::Usage(Message::error(message).help("--fs FILE gives it one, and colours")));
            }
        };
        Ok(Results { records, obj: open(&args.obj, OutputKind::Obj)?, svg: open(&args.svg, OutputKind::Svg)? })
    }

    /// Whether something is to be seen.
    pub fn need_positions(&self) -> bool {
        self.obj.is_some() || self.svg.is_some()
    }

    /// Writes the files, which appear together with those that are complete unless `cancel` is raised by then, and reports what was drawn.
    pub fn write(
        self,
        args: &DrawArgs,
        Outcome { engine, drawn, fragments, seconds, complete }: Outcome,
        cancel: &AtomicBool,
        console: &mut Console,
    ) -> Result<(), Failure> {
        require_memory(4 * drawn.words.len() as u64 * WRITING)?;
        let has_positions = self.need_positions();
        let all = drawn.record_words as usize;
        let wanted = if has_positions { all - POSITION_WORDS } else { all };
        let mut sinks = complete;
        if has_positions {
            let position = |record: &[u32]| std::array::from_fn(|n| f32::from_bits(record[wanted + n]));
            let positions: Vec<[f32; POSITION_WORDS]> = drawn.words.chunks_exact(all).map(position).collect();
            let frame = Wireframe::new(drawn.shape, &positions);
            if frame.left_out > 0 {
                let left_out = number_of(frame.left_out, shape_name(drawn.shape));
                let message = format!("{left_out} cannot be shown: their positions, divided by w, are not finite");
                console.report(&Message::warning(message));
            }
            for (sink, text) in [(self.obj, Wireframe::obj as fn(&_) -> _), (self.svg, svg)] {
                if let Some(mut sink) = sink {
                    sink.write(text(&frame).as_bytes())?;
                    sinks.push(sink);
                }
            }
        }
        if let Some((kind, mut sink)) = self.records {
            // Space for all of them at once: a vector that grows takes more than was asked for above.
            let mut records = Vec::with_capacity(drawn.words.len() / all * wanted);
            records.extend(drawn.words.chunks_exact(all).flat_map(|record| &record[..wanted]));
            let shape = ArrayShape { width: wanted, height: drawn.records as usize, channels: 1 };
            let array = Array { shape, data: Data::F32(records) };
            let bytes = ctm_array::encode(kind, &array, &WriteOptions::default());
            sink.write(&bytes.map_err(|error| Message::error(error.to_string()))?)?;
            sinks.push(sink);
        } else if sinks.is_empty() && !args.json {
            console.report(&Message::note("results are not kept; add -o FILE, --obj FILE or --svg FILE"));
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        Sink::commit(sinks, console)?;
        if args.json {
            return Ok(console.json(&summary(args, engine, &drawn, (wanted, fragments), seconds))?);
        }
        let count = drawn.records / u64::from(drawn.shape.vertices());
        let made = number_of(count as usize, shape_name(drawn.shape));
        if let Some(FragmentCounts { taken, stored }) = fragments {
            let taken = number_of(taken as usize, "fragment");
            return Ok(writeln!(console.out, "{made}: {taken}, of which {stored} passed the depth test")?);
        }
        let records = number_of(drawn.records as usize, "record");
        Ok(writeln!(console.out, "{made}: {records} of {}", number_of(wanted, "dword"))?)
    }
}

/// What a draw did.
pub struct Outcome<'a> {
    /// The engine.
    pub engine: &'a str,
    /// What comes out of the stages before the rasteriser.
    pub drawn: Drawn,
    /// How many fragments there were, if a program ran for them.
    pub fragments: Option<FragmentCounts>,
    /// How long it took.
    pub seconds: f64,
    /// Files that are complete.
    pub complete: Vec<Sink>,
}

fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Point => "point",
        Shape::Line => "line",
        Shape::Triangle => "triangle",
    }
}

fn summary(
    args: &DrawArgs,
    engine: &str,
    drawn: &Drawn,
    (words, fragments): (usize, Option<FragmentCounts>),
    seconds: f64,
) -> Value {
    let captured = args.capture.iter().filter(|_| args.fs.is_none());
    let capture = captured.map(|CaptureRange(capture)| {
        json!({ "address": capture.address, "words": capture.words, "name": name(capture.address) })
    });
    let warnings = drawn.report.warnings.iter().map(|(stage, pc, kind, warning)| {
        json!({ "stage": stage.name(), "address": pc, "message": kind.to_string(), "count": warning.count })
    });
    let stats = &drawn.report.stats;
    json!({
        "engine": engine,
        "primitive": args.primitive.name(),
        "vertices": args.vertices,
        "instances": args.instances,
        "shape": shape_name(drawn.shape),
        "records": drawn.records,
        "record_dwords": words,
        "capture": capture.collect::<Vec<_>>(),
        "fragments": fragments.map(|fragments| fragments.taken),
        "fragments_stored": fragments.map(|fragments| fragments.stored),
        "lanes": stats.lanes,
        "warps": stats.groups,
        "instructions": stats.instructions,
        "run_seconds": seconds,
        "warnings": warnings.collect::<Vec<_>>(),
    })
}
