//! The history of a pixel as text.

use ctm_follow::Kind;
use ctm_follow::words::value;
use ctm_r5xx::history::{
    CopyHistory, DrawHistory, FragmentHistory, GRID, Hidden, PixelEvent, PrimitiveHistory, ProgramHistory, ProgramRun,
    SampleHistory, TestHistory, Vertex, VertexFormat, VertexHistory, WindowVertex, WriteHistory,
};
use ctm_raster::blend::{BlendEquation, BlendFunction};
use ctm_raster::channel::Words;
use ctm_raster::colour::Operation;
use ctm_raster::depth::{Facing, StencilState};
use ctm_x1k::References;
use std::fmt::Write;

/// Channels of a colour.
const CHANNELS: [char; 4] = ['r', 'g', 'b', 'a'];

/// A draw that did something to the pixel.
pub struct PixelDraw {
    /// Its number in the trace, from 0.
    pub number: usize,
    /// The number of its submission, from 0.
    pub submission: usize,
    /// What it did.
    pub history: DrawHistory,
}

impl PixelDraw {
    /// The constants that its fragment program reads, but zeros: numbers and vectors.
    pub fn constants(&self) -> Vec<(u8, [u32; 4])> {
        let DrawHistory { program, constants, .. } = &self.history;
        let info = &program.info;
        let code = program.code.get(info.start.into()..=info.end.into()).unwrap_or_default();
        let read = References::of(code, info).float_constants;
        let values = read.into_iter().map(|number| (number, constants.floats[usize::from(number)]));
        values.filter(|(_, value)| *value != [0; 4]).collect()
    }
}

/// What a draw did to a pixel, for people.
pub struct Page<'a> {
    /// The draw.
    pub draw: &'a PixelDraw,
    /// Shows the runs of its program instruction by instruction, if that is wanted.
    pub run: Option<&'a dyn Fn(&ProgramRun) -> String>,
}

impl Page<'_> {
    /// Which draw it is, and where the pixel lies in memory: one line.
    pub fn title(&self) -> String {
        let PixelDraw { number, submission, history } = self.draw;
        let mut text = format!("draw {number} (submission {submission}, dword {})", history.at);
        for (n, target) in history.targets.iter().enumerate() {
            let place = target.address.map_or("outside".into(), |address| format!("at {address:#010x}"));
            let before = if n == 0 { "; in" } else { "," };
            _ = write!(text, "{before} colour buffer {} it is {place}", target.number);
        }
        text
    }

    /// What happened, a line each.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for event in &self.draw.history.events {
            match event {
                PixelEvent::Fragment(fragment) => self.fragment(&mut text, fragment),
                PixelEvent::Culled(primitive) => {
                    self.primitive(&mut text, primitive);
                    line(&mut text, "covers the pixel, but faces of its side are not drawn");
                }
                PixelEvent::Clear(copy) => {
                    self.primitive(&mut text, &copy.primitive);
                    let (x, y) = copy.place;
                    let what = format!("the depth unit clears the pixel: it is its buffer's ({x}, {y})");
                    self.copy(&mut text, copy, &what);
                }
                PixelEvent::Resolve(copy) => {
                    self.primitive(&mut text, &copy.primitive);
                    let samples: Vec<_> = copy.samples.iter().map(words).collect();
                    self.copy(&mut text, copy, &format!("resolves samples {}", samples.join(", ")));
                }
            }
        }
        text
    }

    fn copy(&self, text: &mut String, copy: &CopyHistory, what: &str) {
        line(text, what);
        let CopyHistory { before, result, after, .. } = copy;
        line(text, &format!("stored: {} -> {}{}", words(before), words(after), differs(after, result)));
    }

    fn primitive(&self, text: &mut String, primitive: &PrimitiveHistory) {
        let side = match primitive.facing {
            Some(Facing::Back) => ", back face",
            Some(Facing::Front) | None => "",
        };
        _ = writeln!(text, "  primitive {}{side}", primitive.number);
        for vertex in &primitive.vertices {
            self.vertex(text, vertex);
        }
        let window: Vec<_> = primitive.window.iter().map(place).collect();
        let shape = ["nothing", "a point", "a line", "a triangle", "a polygon"][window.len().min(4)];
        line(text, &format!("drawn as {shape}: {}", window.join("; ")));
    }

    fn vertex(&self, text: &mut String, vertex: &VertexHistory) {
        let VertexHistory { place, number, inputs, vertex } = vertex;
        let vectors: Vec<_> = vectors(&self.draw.history.format, vertex)
            .into_iter()
            .map(|(name, value)| format!("{name} {}", vector(&value)))
            .collect();
        line(text, &format!("vertex {place} (element {number}): {}", vectors.join("; ")));
        if !inputs.is_empty() {
            let inputs: Vec<_> = inputs.iter().map(|(input, value)| format!("in[{input}] {}", vector(value))).collect();
            line(text, &format!("  its program got {}", inputs.join("; ")));
        }
    }

    fn fragment(&self, text: &mut String, fragment: &FragmentHistory) {
        let FragmentHistory { primitive, covered, visible, hidden, early, program, alpha, samples } = fragment;
        self.primitive(text, primitive);
        let hidden = hidden.map_or_else(String::new, |hidden| {
            let left = if *visible == 0 { "nothing of it".into() } else { bits(*visible) };
            format!("; {} is drawn to: {}", left, reason(hidden))
        });
        line(text, &format!("covers {}{hidden}", bits(*covered)));
        if *early {
            samples.iter().for_each(|sample| tests(text, sample));
        }
        if let Some(program) = program {
            self.program(text, program);
        }
        if let Some(alpha) = alpha {
            match &alpha.test {
                Some((function, value, reference)) => {
                    let result = if alpha.passed == 0 { "fails" } else { "passes" };
                    line(text, &format!("alpha test: {value} {} {reference}: {result}", function.name()));
                }
                None => line(text, &format!("alpha keeps {}", bits(alpha.passed))),
            }
        }
        if !early {
            samples.iter().for_each(|sample| tests(text, sample));
        }
        for sample in samples {
            sample.writes.iter().for_each(|write| self.write(text, sample, write, program.as_ref()));
        }
    }

    fn program(&self, text: &mut String, program: &ProgramHistory) {
        let named = |name, vectors: &[(u8, [u32; 4])]| {
            let vectors = vectors.iter().map(|(number, value)| format!("{name}[{number}] {}", vector(value)));
            vectors.collect::<Vec<_>>().join("; ")
        };
        let constants = self.draw.constants();
        if !program.inputs.is_empty() {
            line(text, &format!("the program gets {}", named("temp", &program.inputs)));
        }
        if !constants.is_empty() {
            line(text, &format!("its constants are {}", named("const", &constants)));
        }
        if let (Some(run), Some(show)) = (&program.run, self.run) {
            text.push('\n');
            *text += &show(run);
        }
        let steps = match program.run.as_ref().map_or(0, |run| run.end.steps) {
            0 => "no instructions".to_owned(),
            1 => "1 instruction".to_owned(),
            steps => format!("{steps} instructions"),
        };
        match &program.trap {
            Some(trap) => line(text, &format!("the program stops after {steps}: {trap}; the draw is dropped")),
            None if program.killed => line(text, &format!("the program kills the fragment, in {steps}")),
            None => {
                let outputs = program.outputs.iter().enumerate().filter(|(n, value)| *n == 0 || **value != [0; 4]);
                let outputs: Vec<_> = outputs.map(|(n, value)| format!("out[{n}] {}", vector(value))).collect();
                line(text, &format!("the program gives {}, in {steps}", outputs.join("; ")));
            }
        }
    }

    fn write(&self, text: &mut String, sample: &SampleHistory, write: &WriteHistory, program: Option<&ProgramHistory>) {
        let WriteHistory { target, state, before, result, after, .. } = write;
        let mask: String = (0..4).filter(|n| state.mask() >> n & 1 != 0).map(|n| CHANNELS[write.selects[n]]).collect();
        let source = program.map_or([0; 4], |program| program.outputs[write.output]);
        match state.operation() {
            Operation::Copy => {}
            Operation::BlendInteger { state: blend, .. } | Operation::BlendFloat(blend) => {
                let (colour, alpha) = (equation(&blend.colour), equation(&blend.alpha));
                let equations = if colour == alpha { colour } else { format!("{colour}; alpha: {alpha}") };
                let destination = write.colour(before);
                line(text, &format!("blends {equations}"));
                line(text, &format!("  source {}, destination {}", vector(&source), vector(&destination)));
            }
            Operation::Logic { operation, .. } => {
                line(text, &format!("logic operation with truth table {:#06b}", operation.0))
            }
        }
        let masked = match mask.len() {
            4 => String::new(),
            0 => " (no channel is written)".into(),
            _ => format!(" (only {mask} is written)"),
        };
        let of_sample = if sample.number == 0 { String::new() } else { format!(", sample {}", sample.number) };
        line(
            text,
            &format!(
                "colour buffer {target}{of_sample}: {} {} -> {} {}{masked}{}",
                words(before),
                vector(&write.colour(before)),
                words(after),
                vector(&write.colour(after)),
                differs(after, result)
            ),
        );
    }
}

fn line(text: &mut String, content: &str) {
    _ = writeln!(text, "    {content}");
}

/// Depth and stencil tests.
fn tests(text: &mut String, sample: &SampleHistory) {
    let Some(TestHistory { state, facing, bits, before, incoming, outcome, after }) = &sample.tests else { return };
    let of_sample = if sample.number == 0 { String::new() } else { format!("sample {}: ", sample.number) };
    if let Some(sides) = &state.stencil {
        let StencilState { function, reference, mask, .. } = sides[*facing as usize];
        let masked = if mask == 0xFF { String::new() } else { format!(" (both & {mask:#04x})") };
        let passes = function.holds(reference & mask, before.stencil & mask);
        let result = if passes { "passes" } else { "fails" };
        line(
            text,
            &format!(
                "{of_sample}stencil test: {reference:#04x} {} {:#04x}{masked}: {result}",
                function.name(),
                before.stencil
            ),
        );
    }
    if let Some(depth) = &state.depth {
        let result = if depth.function.holds(*incoming, before.depth) { "passes" } else { "fails" };
        let show = |value| share(value, *bits);
        line(
            text,
            &format!(
                "{of_sample}depth test: {} {} {}: {result}",
                show(*incoming),
                depth.function.name(),
                show(before.depth)
            ),
        );
    }
    let mut stored = Vec::new();
    if before.depth != after.depth {
        stored.push(format!("depth {} -> {}", share(before.depth, *bits), share(after.depth, *bits)));
    }
    if before.stencil != after.stencil {
        stored.push(format!("stencil {:#04x} -> {:#04x}", before.stencil, after.stencil));
    }
    if !stored.is_empty() {
        line(text, &format!("{of_sample}stored: {}{}", stored.join(", "), differs(after, &outcome.stored)));
    }
}

/// A depth: its bits, and the fraction.
fn share(value: u32, bits: u32) -> String {
    let most = (1u32 << bits) - 1;
    format!("{value:#0width$x} ({:.6})", f64::from(value) / f64::from(most), width = 2 + bits as usize / 4)
}

/// What is said where something else is stored than the references work out.
fn differs<T: PartialEq>(after: &T, result: &T) -> &'static str {
    if after == result { "" } else { "; not what the reference works out: please report this" }
}

/// The names of samples.
fn bits(samples: u8) -> String {
    let numbers: Vec<_> = (0..8).filter(|n| samples >> n & 1 != 0).map(|n: u32| n.to_string()).collect();
    match &numbers[..] {
        [only] if only == "0" => "the pixel".into(),
        [] => "no sample".into(),
        [only] => format!("sample {only}"),
        _ => format!("samples {}", numbers.join(", ")),
    }
}

fn reason(hidden: Hidden) -> &'static str {
    match hidden {
        Hidden::Scissor => "the scissor rectangle (SC_SCISSORS, SC_CLIP_0)",
        Hidden::ClipRule => "the rule of the clip rectangles (SC_CLIP_RULE)",
        Hidden::Stipple => "the stipple of lines (GA_LINE_STIPPLE_VALUE)",
        Hidden::Screendoor => "the mask of samples (SC_SCREENDOOR)",
    }
}

/// A stored pixel.
fn words(words: &Words) -> String {
    let used = words.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
    words[..used].iter().map(|word| format!("{word:#010x}")).collect::<Vec<_>>().join(":")
}

fn vector(values: &[u32; 4]) -> String {
    format!("({})", values.map(|bits| value(Kind::Float, bits)).join(", "))
}

fn place(vertex: &WindowVertex) -> String {
    let pixel = |sub_pixel: i64| {
        let text = format!("{:.3}", sub_pixel as f64 / GRID.per_pixel as f64);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let WindowVertex { point, depth, reciprocal } = vertex;
    let one_over_w = value(Kind::Float, *reciprocal);
    format!("({}, {}) depth {} 1/w {one_over_w}", pixel(point.x), pixel(point.y), share(*depth as u32, 24))
}

/// The vectors that vertices of a format have, with their names: bits of binary32 numbers.
pub fn vectors(format: &VertexFormat, vertex: &Vertex) -> Vec<(String, [u32; 4])> {
    let mut vectors = Vec::new();
    if format.position {
        vectors.push(("position".to_owned(), vertex.position));
    }
    if format.point_size {
        vectors.push(("point size".to_owned(), [vertex.point_size, 0, 0, 0]));
    }
    let colours = format.colours.iter().zip(vertex.colours).enumerate().filter(|(_, (present, _))| **present);
    vectors.extend(colours.map(|(n, (_, value))| (format!("colour {n}"), value)));
    let textures = format.textures.iter().zip(vertex.textures).enumerate().filter(|(_, (count, _))| **count != 0);
    vectors.extend(textures.map(|(n, (_, value))| (format!("texture {n}"), value)));
    vectors
}

/// An equation of blending, as a formula.
pub fn equation(equation: &BlendEquation) -> String {
    let BlendEquation { function, source, destination, .. } = equation;
    let (source, destination) = (source.name(), destination.name());
    match function {
        BlendFunction::Add => format!("source * {source} + destination * {destination}"),
        BlendFunction::Subtract => format!("source * {source} - destination * {destination}"),
        BlendFunction::ReverseSubtract => format!("destination * {destination} - source * {source}"),
        BlendFunction::Min => "min(source, destination)".into(),
        BlendFunction::Max => "max(source, destination)".into(),
    }
}
