//! The history of a pixel for machines.

use super::{Shown, guest};
use crate::run::follow;
use ctm_r5xx::history::{
    AlphaHistory, CopyHistory, FragmentHistory, GRID, Hidden, PixelEvent, PrimitiveHistory, ProgramHistory,
    SampleHistory, TestHistory, VertexFormat, VertexHistory, WindowVertex, WriteHistory,
};
use ctm_raster::channel::Words;
use ctm_raster::colour::Operation;
use ctm_raster::depth::{Facing, Stored};
use ctm_replay::card::{PixelDraw, equation, vectors};
use serde_json::{Value, json};

/// A line: what a draw did.
pub fn draw(draw: &PixelDraw, shown: &Shown) -> Value {
    let PixelDraw { number, submission, history } = draw;
    let targets = history.targets.iter().map(|target| json!({ "number": target.number, "address": target.address }));
    let events = history.events.iter().map(|event| event_of(event, draw, shown));
    json!({
        "draw": number,
        "submission": submission,
        "dword": history.at,
        "pixel": [shown.pixel.0, shown.pixel.1],
        "targets": targets.collect::<Vec<_>>(),
        "events": events.collect::<Vec<_>>(),
    })
}

fn event_of(event: &PixelEvent, draw: &PixelDraw, shown: &Shown) -> Value {
    let format = &draw.history.format;
    let (kind, primitive, fragment, copy) = match event {
        PixelEvent::Fragment(fragment) => ("fragment", &fragment.primitive, Some(&**fragment), None),
        PixelEvent::Culled(primitive) => ("culled", primitive, None, None),
        PixelEvent::Clear(copy) => ("clear", &copy.primitive, None, Some(copy)),
        PixelEvent::Resolve(copy) => ("resolve", &copy.primitive, None, Some(copy)),
    };
    json!({
        "kind": kind,
        "primitive": primitive_of(primitive, format),
        "fragment": fragment.map(|fragment| fragment_of(fragment, draw, shown)),
        "copy": copy.map(copy_of),
    })
}

fn primitive_of(primitive: &PrimitiveHistory, format: &VertexFormat) -> Value {
    let PrimitiveHistory { number, vertices, window, facing } = primitive;
    json!({
        "number": number,
        "back_facing": *facing == Some(Facing::Back),
        "vertices": vertices.iter().map(|vertex| vertex_of(vertex, format)).collect::<Vec<_>>(),
        "window": window.iter().map(window_vertex).collect::<Vec<_>>(),
    })
}

fn vertex_of(vertex: &VertexHistory, format: &VertexFormat) -> Value {
    let VertexHistory { place, number, inputs, vertex } = vertex;
    let outputs = vectors(format, vertex).into_iter().map(|(name, value)| vector(&name, &value));
    json!({
        "place": place,
        "element": number,
        "inputs": numbered("in", inputs),
        "outputs": outputs.collect::<Vec<_>>(),
    })
}

fn window_vertex(vertex: &WindowVertex) -> Value {
    let WindowVertex { point, depth, reciprocal } = vertex;
    let pixel = |sub_pixel: i64| sub_pixel as f64 / GRID.per_pixel as f64;
    json!({ "x": pixel(point.x), "y": pixel(point.y), "depth": depth, "reciprocal_w": f32::from_bits(*reciprocal) })
}

fn fragment_of(fragment: &FragmentHistory, draw: &PixelDraw, shown: &Shown) -> Value {
    let FragmentHistory { covered, visible, hidden, early, program, alpha, samples, .. } = fragment;
    let hidden = hidden.map(|hidden| match hidden {
        Hidden::Scissor => "scissor",
        Hidden::ClipRule => "clip_rule",
        Hidden::Stipple => "stipple",
        Hidden::Screendoor => "screendoor",
    });
    json!({
        "covered": covered,
        "visible": visible,
        "hidden": hidden,
        "early_tests": early,
        "program": program.as_ref().map(|program| program_of(program, draw, shown)),
        "alpha": alpha.as_ref().map(alpha_of),
        "samples": samples.iter().map(sample_of).collect::<Vec<_>>(),
    })
}

fn program_of(program: &ProgramHistory, draw: &PixelDraw, shown: &Shown) -> Value {
    let ProgramHistory { inputs, run, trap, killed, outputs, depth } = program;
    let outputs: Vec<_> = (0..).zip(outputs.iter().copied()).collect();
    let guest = guest(&draw.history.program, shown.pixel);
    let steps = run.as_ref().map_or(0, |run| run.end.steps);
    let run = run.as_ref().filter(|_| shown.follow).map(|run| follow::json(&guest, &run.start, &run.steps, &run.end));
    json!({
        "inputs": numbered("temp", inputs),
        "constants": numbered("const", &draw.constants()),
        "steps": steps,
        "run": run,
        "trap": trap,
        "killed": killed,
        "outputs": numbered("out", &outputs),
        "depth": f32::from_bits(*depth),
    })
}

fn alpha_of(alpha: &AlphaHistory) -> Value {
    let AlphaHistory { test, passed } = alpha;
    json!({
        "function": test.map(|(function, ..)| function.name()),
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
    let TestHistory { state, facing, bits, before, incoming, outcome, after } = tests;
    let stencil = state.stencil.map(|sides| sides[*facing as usize]);
    let stored = |Stored { depth, stencil }: Stored| json!({ "depth": depth, "stencil": stencil });
    json!({
        "depth_function": state.depth.map(|depth| depth.function.name()),
        "depth_bits": bits,
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
    let WriteHistory { target, output, state, before, result, after, .. } = write;
    let (blend, logic) = match state.operation() {
        Operation::Copy => (None, None),
        Operation::BlendInteger { state, .. } | Operation::BlendFloat(state) => (Some(state), None),
        Operation::Logic { operation, .. } => (None, Some(operation.0)),
    };
    let colour = |words: &Words| {
        let colour = write.colour(words).map(f32::from_bits);
        json!({ "words": words.map(|word| format!("{word:#010x}")), "colour": colour })
    };
    json!({
        "target": target,
        "output": output,
        "blend": blend.map(|blend| equation(&blend.colour)),
        "blend_alpha": blend.map(|blend| equation(&blend.alpha)),
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

fn numbered(name: &str, vectors: &[(u8, [u32; 4])]) -> Vec<Value> {
    vectors.iter().map(|(number, value)| vector(&format!("{name}[{number}]"), value)).collect()
}

fn vector(name: &str, value: &[u32; 4]) -> Value {
    let bits = value.map(|bits| format!("{bits:#010x}"));
    json!({ "name": name, "bits": bits, "values": value.map(f32::from_bits) })
}
