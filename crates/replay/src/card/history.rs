//! The history of a pixel as text.

use ctm_card::history::{
    Colour, CopyHistory, CopyKind, CoverageRejection, DrawHistory, FragmentHistory, PixelEvent, PrimitiveHistory,
    ProgramHistory, ProgramRun, SampleHistory, TestHistory, Vector, VertexHistory, WindowVertex, WriteHistory,
    WriteOperation,
};
use ctm_follow::ValueKind;
use ctm_follow::words::value;
use ctm_raster::channel::Words;
use ctm_raster::depth::{DepthNumbers, Facing, StencilState};
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

/// What a draw did to a pixel, for people.
pub struct Page<'a> {
    /// The draw.
    pub draw: &'a PixelDraw,
    /// Shows the runs of its programs instruction by instruction, if that is wanted.
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
                PixelEvent::Copy(copy) => {
                    self.primitive(&mut text, &copy.primitive);
                    copied(&mut text, copy);
                }
            }
        }
        text
    }

    fn primitive(&self, text: &mut String, primitive: &PrimitiveHistory) {
        let side = match primitive.facing {
            Some(Facing::Back) => ", back face",
            Some(Facing::Front) | None => "",
        };
        _ = writeln!(text, "  primitive {}{side}", primitive.number);
        primitive.programs.iter().for_each(|run| self.run(text, run));
        for vertex in &primitive.vertices {
            self.vertex(text, vertex);
        }
        let window: Vec<_> = primitive.window.iter().map(place).collect();
        let shape = ["nothing", "a point", "a line", "a triangle", "a polygon"][window.len().min(4)];
        line(text, &format!("drawn as {shape}: {}", window.join("; ")));
    }

    fn vertex(&self, text: &mut String, vertex: &VertexHistory) {
        let VertexHistory { place, number, inputs, run, outputs } = vertex;
        line(text, &format!("vertex {place} (element {number}): {}", named(outputs)));
        if !inputs.is_empty() {
            line(text, &format!("  its program got {}", named(inputs)));
        }
        run.iter().for_each(|run| self.run(text, run));
    }

    /// A run, instruction by instruction, if that is wanted.
    fn run(&self, text: &mut String, run: &ProgramRun) {
        if let Some(show) = self.run {
            text.push('\n');
            *text += &show(run);
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
                    line(text, &format!("alpha test: {value} {function} {reference}: {result}"));
                }
                None => line(text, &format!("alpha keeps {}", bits(alpha.passed))),
            }
        }
        if !early {
            samples.iter().for_each(|sample| tests(text, sample));
        }
        for sample in samples {
            sample.writes.iter().for_each(|write| written(text, sample, write));
        }
    }

    fn program(&self, text: &mut String, program: &ProgramHistory) {
        if !program.inputs.is_empty() {
            line(text, &format!("the program gets {}", named(&program.inputs)));
        }
        if !program.constants.is_empty() {
            line(text, &format!("its constants are {}", named(&program.constants)));
        }
        program.run.iter().for_each(|run| self.run(text, run));
        let steps = match program.run.as_ref().map_or(0, |run| run.end.steps) {
            0 => "no instructions".to_owned(),
            1 => "1 instruction".to_owned(),
            steps => format!("{steps} instructions"),
        };
        match &program.trap {
            Some(trap) => line(text, &format!("the program stops after {steps}: {trap}; the draw is dropped")),
            None if program.killed => line(text, &format!("the program kills the fragment, in {steps}")),
            None => {
                let outputs = program.outputs.iter().enumerate();
                let outputs = outputs.filter(|(n, output)| *n == 0 || output.bits != [0; 4]).map(|(_, output)| output);
                line(text, &format!("the program gives {}, in {steps}", named(outputs)));
            }
        }
    }
}

/// A copy.
fn copied(text: &mut String, copy: &CopyHistory) {
    let CopyHistory { kind, place: (x, y), samples, before, result, after, .. } = copy;
    let samples = || samples.iter().map(words).collect::<Vec<_>>().join(", ");
    line(
        text,
        &match kind {
            CopyKind::Clear => format!("the depth unit clears the pixel: it is its buffer's ({x}, {y})"),
            CopyKind::Resolve => format!("resolves samples {}", samples()),
            CopyKind::Depth => format!("copies what the depth buffer holds, {}", samples()),
        },
    );
    line(text, &format!("stored: {} -> {}{}", words(before), words(after), differs(after, result)));
}

/// A write to a colour buffer.
fn written(text: &mut String, sample: &SampleHistory, write: &WriteHistory) {
    let WriteHistory { target, operation, written, before, result, after, .. } = write;
    let mask: String =
        CHANNELS.into_iter().zip(written).filter(|(_, written)| **written).map(|(name, _)| name).collect();
    match operation {
        WriteOperation::Copy => {}
        WriteOperation::Blend { colour, alpha, source, second } => {
            let equations = if colour == alpha { colour.clone() } else { format!("{colour}; alpha: {alpha}") };
            line(text, &format!("blends {equations}"));
            let second = second.map_or_else(String::new, |second| format!(", second source {}", vector(&second)));
            line(text, &format!("  source {}{second}, destination {}", vector(source), vector(&before.rgba)));
        }
        WriteOperation::Logic(table) => line(text, &format!("logic operation with truth table {table:#06b}")),
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
            "colour buffer {target}{of_sample}: {} -> {}{masked}{}",
            stored(before),
            stored(after),
            differs(after, result)
        ),
    );
}

fn line(text: &mut String, content: &str) {
    _ = writeln!(text, "    {content}");
}

/// Depth and stencil tests.
fn tests(text: &mut String, sample: &SampleHistory) {
    let Some(TestHistory { state, facing, numbers, before, incoming, outcome, after }) = &sample.tests else { return };
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
        let show = |value| share(value, *numbers);
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
        stored.push(format!("depth {} -> {}", share(before.depth, *numbers), share(after.depth, *numbers)));
    }
    if before.stencil != after.stencil {
        stored.push(format!("stencil {:#04x} -> {:#04x}", before.stencil, after.stencil));
    }
    if !stored.is_empty() {
        line(text, &format!("{of_sample}stored: {}{}", stored.join(", "), differs(after, &outcome.stored)));
    }
}

/// A depth: its bits, and the number.
fn share(depth: u32, numbers: DepthNumbers) -> String {
    let value = numbers.value(depth);
    match numbers {
        DepthNumbers::Fraction(bits) => format!("{depth:#0width$x} ({value:.6})", width = 2 + bits as usize / 4),
        DepthNumbers::OrderedFloat => format!("{value:.6}"),
    }
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

fn reason(hidden: CoverageRejection) -> &'static str {
    match hidden {
        CoverageRejection::Scissor => "the scissor rectangle",
        CoverageRejection::ClipRule => "the rule of the clip rectangles",
        CoverageRejection::Stipple => "the stipple of lines",
        CoverageRejection::Screendoor => "the mask of samples",
    }
}

/// A stored pixel.
fn words(words: &Words) -> String {
    let used = words.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
    words[..used].iter().map(|word| format!("{word:#010x}")).collect::<Vec<_>>().join(":")
}

/// A stored pixel with its colour.
fn stored(colour: &Colour) -> String {
    let kind = if colour.is_integer { ValueKind::Integer } else { ValueKind::Float };
    format!("{} {}", words(&colour.words), numbers(kind, &colour.rgba))
}

fn numbers(kind: ValueKind, values: &[u32; 4]) -> String {
    format!("({})", values.map(|bits| value(kind, bits)).join(", "))
}

fn vector(values: &[u32; 4]) -> String {
    numbers(ValueKind::Float, values)
}

/// Vectors with their names.
fn named<'v>(vectors: impl IntoIterator<Item = &'v Vector>) -> String {
    let named = |Vector { name, kind, bits }: &Vector| format!("{name} {}", numbers(*kind, bits));
    vectors.into_iter().map(named).collect::<Vec<_>>().join("; ")
}

fn place(vertex: &WindowVertex) -> String {
    let pixel = |place: f64| {
        let text = format!("{place:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let WindowVertex { x, y, depth, bits, reciprocal } = vertex;
    let depth = match bits {
        Some(bits) => share(*depth as u32, DepthNumbers::Fraction(*bits)),
        None => format!("{depth:.6}"),
    };
    format!("({}, {}) depth {depth} 1/w {}", pixel(*x), pixel(*y), value(ValueKind::Float, *reciprocal))
}
