//! The history of a pixel for machines.

use super::{HistoryOptions, guest};
use crate::run::follow;
use ctm_card::history::{
    AlphaHistory, Colour, CopyHistory, CopyKind, CoverageRejection, FragmentHistory, PixelEvent, PrimitiveHistory,
    ProgramHistory, ProgramRun, SampleHistory, TestHistory, Vector, VertexHistory, WindowVertex, WriteHistory,
    WriteOperation,
};
use ctm_raster::channel::Words;
use ctm_raster::depth::{DepthStencilValue, Facing};
use ctm_replay::card::PixelDraw;
use serde_json::{Value, json};

/// A line: what a draw did.
pub fn draw(draw: &PixelDraw, shown: &HistoryOptions) -> Value {
    let PixelDraw { number, submission, history } = draw;
    let targets = history.targets.iter().map(|target| json!({ "number": target.number, "address": target.address }));
    let events = history.events.iter().map(|event| event_of(event, shown));
    json!({
        "draw": number,
        "submission": submission,
        "dword": history.at,
        "pixel": [shown.pixel.0, shown.pixel.1],
        "targets": targets.collect::<Vec<_>>(),
        "events": events.collect::<Vec<_>>(),
    })
}

fn event_of(event: &PixelEvent, shown: &HistoryOptions) -> Value {
    let (kind, primitive, fragment, copy) = match event {
        PixelEvent::Fragment(fragment) => ("fragment", &fragment.primitive, Some(&**fragment), None),
        PixelEvent::Culled(primitive) => ("culled", primitive, None, None),
        PixelEvent::Copy(copy) => {
            let kind = match copy.kind {
                CopyKind::Clear => "clear",
                CopyKind::Resolve => "resolve",
                CopyKind::Depth => "depth",
            };
            (kind, &copy.primitive, None, Some(copy))
        }
    };
    json!({
        "kind": kind,
        "primitive": primitive_of(primitive),
        "fragment": fragment.map(|fragment| fragment_of(fragment, shown)),
        "copy": copy.map(copy_of),
    })
}

fn primitive_of(primitive: &PrimitiveHistory) -> Value {
    let PrimitiveHistory { number, programs, vertices, window, facing } = primitive;
    json!({
        "number": number,
        "back_facing": *facing == Some(Facing::Back),
        "programs": programs.iter().map(run_of).collect::<Vec<_>>(),
        "vertices": vertices.iter().map(vertex_of).collect::<Vec<_>>(),
        "window": window.iter().map(window_vertex).collect::<Vec<_>>(),
    })
}

fn vertex_of(vertex: &VertexHistory) -> Value {
    let VertexHistory { place, number, inputs, run, outputs } = vertex;
    json!({
        "place": place,
        "element": number,
        "inputs": vectors(inputs),
        "run": run.as_ref().map(run_of),
        "outputs": vectors(outputs),
    })
}

fn window_vertex(vertex: &WindowVertex) -> Value {
    let WindowVertex { x, y, depth, reciprocal, .. } = vertex;
    json!({ "x": x, "y": y, "depth": depth, "reciprocal_w": f32::from_bits(*reciprocal) })
}

fn fragment_of(fragment: &FragmentHistory, shown: &HistoryOptions) -> Value {
    let FragmentHistory { covered, visible, hidden, early, program, alpha, samples, .. } = fragment;
    let hidden = hidden.map(|hidden| match hidden {
        CoverageRejection::Scissor => "scissor",
        CoverageRejection::ClipRule => "clip_rule",
        CoverageRejection::Stipple => "stipple",
        CoverageRejection::Screendoor => "screendoor",
    });
    json!({
        "covered": covered,
        "visible": visible,
        "hidden": hidden,
        "early_tests": early,
        "program": program.as_ref().map(|program| program_of(program, shown)),
        "alpha": alpha.as_ref().map(alpha_of),
        "samples": samples.iter().map(sample_of).collect::<Vec<_>>(),
    })
}

fn program_of(program: &ProgramHistory, shown: &HistoryOptions) -> Value {
    let ProgramHistory { inputs, constants, run, trap, killed, outputs, depth } = program;
    let steps = run.as_ref().map_or(0, |run| run.end.steps);
    let run = run.as_ref().filter(|_| shown.follow);
    let run = run.map(|run| follow::json(&guest(run), &run.start, &run.steps, &run.end));
    json!({
        "inputs": vectors(inputs),
        "constants": vectors(constants),
        "steps": steps,
        "run": run,
        "trap": trap,
        "killed": killed,
        "outputs": vectors(outputs),
        "depth": f32::from_bits(*depth),
    })
}

/// A run of another program than the fragment's.
fn run_of(run: &ProgramRun) -> Value {
    let steps = follow::json(&guest(run), &run.start, &run.steps, &run.end);
    json!({ "stage": run.listing.stage, "lane": run.lane, "steps": run.end.steps, "run": steps })
}

fn alpha_of(alpha: &AlphaHistory) -> Value {
    let AlphaHistory { test, passed } = alpha;
    json!({
        "function": test.map(|(function, ..)| function),
        "value": test.map(|(_, value, _)| value),
        "reference": test.map(|(.., reference)| reference),
        "passed": passed,
    })
}

fn sample_of(sample: &SampleHistory) -> Value {
    let SampleHistory { number, tests, writes } = sample;
    json!({
        "number": number,
        "tests": tests.as_ref().map(tests_of),
        "writes": writes.iter().map(write_of).collect::<Vec<_>>(),
    })
}

fn tests_of(tests: &TestHistory) -> Value {
    let TestHistory { state, facing, numbers, before, incoming, outcome, after } = tests;
    let stencil = state.stencil.map(|sides| sides[*facing as usize]);
    let stored =
        |DepthStencilValue { depth, stencil }: DepthStencilValue| json!({ "depth": depth, "stencil": stencil });
    json!({
        "depth_function": state.depth.map(|depth| depth.function.name()),
        "depth_bits": numbers.bits(),
        "depth": incoming,
        "stencil_function": stencil.map(|stencil| stencil.function.name()),
        "stencil_reference": stencil.map(|stencil| stencil.reference),
        "stencil_mask": stencil.map(|stencil| stencil.mask),
        "passed": outcome.passed,
        "before": stored(*before),
        "result": stored(outcome.stored),
        "after": stored(*after),
    })
}

fn write_of(write: &WriteHistory) -> Value {
    let WriteHistory { target, output, operation, before, result, after, .. } = write;
    let (blend, logic) = match operation {
        WriteOperation::Copy => (None, None),
        WriteOperation::Blend { colour, alpha, .. } => (Some((colour, alpha)), None),
        WriteOperation::Logic(table) => (None, Some(table)),
    };
    let colour = |colour: &Colour| {
        let Colour { words, rgba, is_integer } = colour;
        let numbers =
            rgba.map(|bits| if *is_integer { json!(bits.cast_signed()) } else { json!(f32::from_bits(bits)) });
        json!({ "words": words.map(|word| format!("{word:#010x}")), "colour": numbers })
    };
    json!({
        "target": target,
        "output": output,
        "blend": blend.map(|(colour, _)| colour),
        "blend_alpha": blend.map(|(_, alpha)| alpha),
        "logic": logic,
        "before": colour(before),
        "result": colour(result),
        "after": colour(after),
    })
}

fn copy_of(copy: &CopyHistory) -> Value {
    let CopyHistory { place, samples, before, result, after, .. } = copy;
    let words = |words: &Words| words.map(|word| format!("{word:#010x}"));
    json!({
        "place": [place.0, place.1],
        "samples": samples.iter().map(words).collect::<Vec<_>>(),
        "before": words(before),
        "result": words(result),
        "after": words(after),
    })
}

fn vectors(vectors: &[Vector]) -> Vec<Value> {
    vectors.iter().map(vector).collect()
}

fn vector(Vector { name, kind, bits }: &Vector) -> Value {
    let words = bits.map(|bits| format!("{bits:#010x}"));
    json!({ "name": name, "bits": words, "values": bits.map(|bits| follow::number(*kind, bits)) })
}
