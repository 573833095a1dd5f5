//! Parses and prints the directive lines of a filetest.

use crate::random::Random;
use crate::sampled::Sampled;
use ctm_memory::{Format, Tiling};
use ctm_x1k::{CondLocation, CondTest, Conditional, DEFAULT_STEP_LIMIT, Domain, TrapKind};
use std::fmt;
use std::ops::RangeInclusive;

/// What begins a directive: a comment of the assembly language, marked.
const MARK: &str = "--;";

/// Everything that a file asks for.
#[derive(Debug, Default)]
pub struct Directives {
    /// Runs, in order.
    pub runs: Vec<Run>,
    /// Codes of errors that assembling or checking the text must give; with their lines.
    pub errors: Vec<(usize, String)>,
}

/// `--; run: ...` and the expectations after it.
#[derive(Clone, Debug)]
pub struct Run {
    /// Line, from 1.
    pub line: usize,
    /// `--domain 8x4` or `--domain 3,1..10,4` (first and last pair).
    pub domain: Domain,
    /// `--input N=SURFACE`
    pub inputs: Vec<(usize, Contents)>,
    /// `--sampled N=TEXTURE`: the input is sampled as a texture ([`Sampled`]). Further levels have contents like the first.
    pub sampled: Vec<(usize, Sampled)>,
    /// `--output N=SURFACE`; outputs that are not given are FLOAT32_4 of the domain's size.
    pub outputs: Vec<(usize, OutputPlacement)>,
    /// `--clear VALUE`: what all channels of outputs hold before.
    pub clear: u32,
    /// `--out-mask 0xF`
    pub out_mask: u8,
    /// `--cond-test less`, `--cond-location pe`, `--cond-write`, `--cond-value 0.5`
    pub conditional: Conditional,
    /// `--cond-buffer SURFACE`
    pub cond_buffer: Option<Contents>,
    /// `--mad unfused`
    pub unfused: bool,
    /// `--step-limit 100`
    pub step_limit: u64,
    /// `--widths 4,16`: for programs whose result depends on the group width.
    pub widths: Option<Vec<usize>>,
    /// `--threads 1`: for runs whose lanes depend on each other.
    pub threads: Option<Vec<usize>>,
    /// What must come out.
    pub expectations: Vec<Expectation>,
}

/// `8x4:FLOAT32_1[:tiled][:2x2]`
#[derive(Clone, Copy, Debug)]
pub struct SurfaceSpec {
    /// Elements in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// What an element is.
    pub format: Format,
    /// Order of the elements.
    pub tiling: Tiling,
    /// The 2x2 option.
    pub superfine: bool,
}

/// Where an output lies.
#[derive(Clone, Copy, Debug)]
pub enum OutputPlacement {
    /// `SURFACE`
    Own(SurfaceSpec),
    /// `SURFACE:end`: its first [`BASE_ALIGNMENT`](ctm_memory::BASE_ALIGNMENT) bytes are the last of memory.
    End(SurfaceSpec),
    /// `outN` or `outN+BYTES`: the surface of an output with a lower number, or one like it so many bytes after it.
    Output(usize, u32),
}

/// A surface with what is in it.
#[derive(Clone, Debug)]
pub enum Contents {
    /// `SURFACE:iota`: element (x, y) holds x, y, y * width + x, 1.
    Iota(SurfaceSpec),
    /// `SURFACE:v,v,v...`: values channel by channel, element by element; they repeat.
    Values(SurfaceSpec, Vec<u32>),
    /// `SURFACE:random:SEED:RARITY`: ordinary numbers, and one element in so many has numbers of every kind.
    Random(SurfaceSpec, u64, usize),
    /// `outN` or `outN+BYTES`: the surface of an output, or one like it so many bytes after it.
    Output(usize, u32),
}

/// The elements of [`Contents::Random`].
pub fn random_elements(seed: u64, rarity: usize) -> impl Iterator<Item = [u32; 4]> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(move || {
        let is_any = random.one_in(rarity.max(1));
        std::array::from_fn(|_| if is_any { random.float() } else { random.number() })
    })
}

/// `--; expect ...`
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Line, from 1.
    pub line: usize,
    /// What is expected.
    pub what: Expected,
}

/// What a run must give.
#[derive(Clone, Debug)]
pub enum Expected {
    /// `out0[i,j] = v, v, v, v`, with a place `*`, `2` or `0..3` for i and j.
    Elements {
        /// Output, or `None` for the conditional buffer.
        output: Option<usize>,
        /// Columns.
        columns: Option<RangeInclusive<u32>>,
        /// Rows.
        rows: Option<RangeInclusive<u32>>,
        /// A value per channel.
        values: Vec<Value>,
    },
    /// `trap: StepLimit pc 3`
    Trap(TrapKind, usize),
    /// `state: NoInput`: the name of a `StateError`.
    State(String),
    /// `lanes: 12`: how many lanes ran.
    Lanes(u64),
    /// `instructions: 40`: per-lane sum.
    Instructions(u64),
    /// `out of range`: some access left memory.
    OutOfRange,
    /// `agreement`: the reference's statistics or error, and its memory, on every engine.
    Agreement,
}

/// An expected value.
#[derive(Clone, Debug)]
pub enum Value {
    /// `_`
    Any,
    /// `0x3F800000`, `1.5`, `-inf`: these bits.
    Bits(u32),
    /// `2*i+j-1`: this number.
    Expression(String),
}

type Parsed<T> = Result<T, String>;

/// Reads the directives of a text.
pub fn parse(text: &str) -> Parsed<Directives> {
    let mut directives = Directives::default();
    for (line, text) in (1..).zip(text.lines()) {
        let Some(directive) = text.trim().strip_prefix(MARK) else { continue };
        read_line(&mut directives, line, directive.trim()).map_err(|error| format!("line {line}: {error}"))?;
    }
    if directives.runs.is_empty() && directives.errors.is_empty() {
        return Err(format!("there is no `{MARK} run:` and no `{MARK} error:` line"));
    }
    for run in &directives.runs {
        if run.expectations.is_empty() {
            return Err(format!("line {}: this run has no `{MARK} expect` line", run.line));
        }
    }
    Ok(directives)
}

fn read_line(directives: &mut Directives, line: usize, text: &str) -> Parsed<()> {
    if let Some(options) = text.strip_prefix("run:") {
        directives.runs.push(read_run(line, options)?);
    } else if let Some(code) = text.strip_prefix("error:") {
        directives.errors.push((line, code.trim().to_owned()));
    } else if let Some(expectation) = text.strip_prefix("expect ") {
        let run = directives.runs.last_mut().ok_or("an expectation before any run")?;
        run.expectations.push(Expectation { line, what: read_expectation(expectation.trim())? });
    } else {
        return Err(format!("unknown directive `{text}`; they are `run:`, `expect` and `error:`"));
    }
    Ok(())
}

fn read_run(line: usize, options: &str) -> Parsed<Run> {
    let mut run = Run { line, ..Run::new(Domain::default()) };
    let mut words = options.split_whitespace();
    while let Some(option) = words.next() {
        if option == "--cond-write" {
            run.conditional.write = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("`{option}` needs a value"))?;
        match option {
            "--domain" => run.domain = domain(value)?,
            "--input" => {
                let (number, contents) = value.split_once('=').ok_or("write --input N=SURFACE")?;
                run.inputs.push((number_of(number)?, read_contents(contents)?));
            }
            "--sampled" => {
                let (number, sampled) = value.split_once('=').ok_or("write --sampled N=TEXTURE")?;
                run.sampled.push((number_of(number)?, Sampled::parse(sampled)?));
            }
            "--output" => {
                let (number, surface) = value.split_once('=').ok_or("write --output N=SURFACE")?;
                run.outputs.push((number_of(number)?, read_target(surface)?));
            }
            "--clear" => run.clear = bits(value)?,
            "--out-mask" => run.out_mask = bits(value)? as u8,
            "--cond-test" => {
                let spelled = |test: &CondTest| format!("{test:?}").eq_ignore_ascii_case(value);
                let test = CondTest::ALL.into_iter().find(spelled);
                run.conditional.test = test.ok_or_else(|| format!("unknown test `{value}`"))?;
            }
            "--cond-location" => {
                run.conditional.location = match value {
                    "pe" => CondLocation::Pe,
                    "dpp" => CondLocation::Dpp,
                    _ => return Err(format!("`{value}` is neither `pe` nor `dpp`")),
                };
            }
            "--cond-value" => run.conditional.pe_value = bits(value)?,
            "--cond-buffer" => run.cond_buffer = Some(read_contents(value)?),
            "--mad" => run.unfused = value == "unfused",
            "--step-limit" => run.step_limit = number_of(value)?,
            "--threads" => run.threads = Some(value.split(',').map(number_of).collect::<Parsed<_>>()?),
            "--widths" => run.widths = Some(value.split(',').map(number_of).collect::<Parsed<_>>()?),
            _ => return Err(format!("unknown option `{option}`")),
        }
    }
    Ok(run)
}

fn number_of<T: std::str::FromStr>(text: &str) -> Parsed<T> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

/// Binary32 bits: hexadecimal, or a number.
fn bits(text: &str) -> Parsed<u32> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).map_err(|_| format!("`{text}` is not a dword")),
        None => text.parse().map(f32::to_bits).map_err(|_| format!("`{text}` is not a number")),
    }
}

fn pair(text: &str, between: char) -> Parsed<(u32, u32)> {
    let (x, y) = text.split_once(between).ok_or_else(|| format!("`{text}` is not two numbers with `{between}`"))?;
    Ok((number_of(x)?, number_of(y)?))
}

fn domain(text: &str) -> Parsed<Domain> {
    match text.split_once("..") {
        Some((first, last)) => {
            let ((i0, j0), (i1, j1)) = (pair(first, ',')?, pair(last, ',')?);
            Ok(Domain { i0, j0, i1, j1 })
        }
        None => {
            let (width, height) = pair(text, 'x')?;
            Domain::of_size(width, height).ok_or_else(|| "an empty domain".to_owned())
        }
    }
}

/// The surface, and what follows it.
fn read_surface(text: &str) -> Parsed<(SurfaceSpec, Option<&str>)> {
    let mut parts = text.split(':');
    let (width, height) = pair(parts.next().unwrap_or_default(), 'x')?;
    let format = parts.next().and_then(Format::parse).ok_or_else(|| format!("`{text}` names no format"))?;
    let mut surface = SurfaceSpec { width, height, format, tiling: Tiling::Linear, superfine: false };
    for part in parts.by_ref() {
        match part {
            "tiled" => surface.tiling = Tiling::Tiled,
            "2x2" => surface.superfine = true,
            contents => return Ok((surface, Some(contents))),
        }
    }
    Ok((surface, None))
}

/// The number of an output, and how far after it something lies.
fn read_output(text: &str) -> Parsed<(usize, u32)> {
    let (number, bytes) = text.split_once('+').unwrap_or((text, "0"));
    Ok((number_of(number)?, number_of(bytes)?))
}

fn read_target(text: &str) -> Parsed<OutputPlacement> {
    if let Some(output) = text.strip_prefix("out") {
        let (number, bytes) = read_output(output)?;
        return Ok(OutputPlacement::Output(number, bytes));
    }
    match read_surface(text)? {
        (surface, None) => Ok(OutputPlacement::Own(surface)),
        (surface, Some("end")) => Ok(OutputPlacement::End(surface)),
        (_, Some(other)) => Err(format!("`{other}` is not a place for an output")),
    }
}

fn read_contents(text: &str) -> Parsed<Contents> {
    if let Some(output) = text.strip_prefix("out") {
        let (number, bytes) = read_output(output)?;
        return Ok(Contents::Output(number, bytes));
    }
    if let Some((surface, numbers)) = text.split_once(":random:") {
        let (seed, rarity) = numbers.split_once(':').ok_or("write random:SEED:RARITY")?;
        return Ok(Contents::Random(read_surface(surface)?.0, number_of(seed)?, number_of(rarity)?));
    }
    match read_surface(text)? {
        (surface, Some("iota")) => Ok(Contents::Iota(surface)),
        (surface, Some(values)) => Ok(Contents::Values(surface, values.split(',').map(bits).collect::<Parsed<_>>()?)),
        (_, None) => Err(format!("`{text}` does not say what is in the surface")),
    }
}

fn read_expectation(text: &str) -> Parsed<Expected> {
    match text {
        "out of range" => return Ok(Expected::OutOfRange),
        "agreement" => return Ok(Expected::Agreement),
        _ => {}
    }
    if let Some((what, value)) = text.split_once(':') {
        let value = value.trim();
        return match what {
            "trap" => {
                let (kind, pc) = value.split_once(" pc ").ok_or("write `trap: KIND pc N`")?;
                let found = TrapKind::ALL.into_iter().find(|known| format!("{known:?}") == kind);
                Ok(Expected::Trap(found.ok_or_else(|| format!("unknown trap `{kind}`"))?, number_of(pc)?))
            }
            "state" => Ok(Expected::State(value.to_owned())),
            "lanes" => Ok(Expected::Lanes(number_of(value)?)),
            "instructions" => Ok(Expected::Instructions(number_of(value)?)),
            _ => Err(format!("`{what}` cannot be expected")),
        };
    }
    let (place, values) = text.split_once('=').ok_or("write `expect out0[i,j] = values`")?;
    let (name, place) = place.trim().strip_suffix(']').and_then(|place| place.split_once('[')).ok_or("no place")?;
    let output = match name.strip_prefix("out") {
        Some(number) => Some(number_of(number)?),
        None if name == "cond" => None,
        None => return Err(format!("`{name}` is neither an output nor `cond`")),
    };
    let (columns, rows) = place.split_once(',').ok_or("a place is `[i,j]`")?;
    Ok(Expected::Elements {
        output,
        columns: range(columns)?,
        rows: range(rows)?,
        values: values.split(',').map(|value| read_value(value.trim())).collect::<Parsed<_>>()?,
    })
}

/// `None` is everything.
fn range(text: &str) -> Parsed<Option<RangeInclusive<u32>>> {
    Ok(match text.trim() {
        "*" => None,
        text => match text.split_once("..") {
            Some((first, last)) => Some(number_of(first)?..=number_of(last)?),
            None => {
                let number = number_of(text)?;
                Some(number..=number)
            }
        },
    })
}

fn read_value(text: &str) -> Parsed<Value> {
    if text == "_" {
        return Ok(Value::Any);
    }
    if let Ok(bits) = bits(text) {
        return Ok(Value::Bits(bits));
    }
    evaluate(text, 0, 0)?;
    Ok(Value::Expression(text.to_owned()))
}

impl Run {
    /// A run over a domain with nothing else given, and nothing expected.
    pub fn new(domain: Domain) -> Self {
        Run {
            line: 0,
            domain,
            inputs: Vec::new(),
            sampled: Vec::new(),
            outputs: Vec::new(),
            clear: 0,
            out_mask: 0xF,
            conditional: Conditional::default(),
            cond_buffer: None,
            unfused: false,
            step_limit: DEFAULT_STEP_LIMIT,
            widths: None,
            threads: None,
            expectations: Vec::new(),
        }
    }
}

/// The `run:` line; expectations are not part of it.
impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Domain { i0, j0, i1, j1 } = self.domain;
        write!(f, "{MARK} run: --domain {i0},{j0}..{i1},{j1}")?;
        for (number, contents) in &self.inputs {
            write!(f, " --input {number}={contents}")?;
        }
        for (number, sampled) in &self.sampled {
            write!(f, " --sampled {number}={sampled}")?;
        }
        for (number, target) in &self.outputs {
            write!(f, " --output {number}={target}")?;
        }
        let conditional = &self.conditional;
        write!(
            f,
            " --clear {:#x} --out-mask {:#x} --cond-value {:#x}",
            self.clear, self.out_mask, conditional.pe_value
        )?;
        write!(f, " --cond-test {}", format!("{:?}", conditional.test).to_lowercase())?;
        write!(f, " --cond-location {}", format!("{:?}", conditional.location).to_lowercase())?;
        if conditional.write {
            f.write_str(" --cond-write")?;
        }
        if let Some(buffer) = &self.cond_buffer {
            write!(f, " --cond-buffer {buffer}")?;
        }
        if self.unfused {
            f.write_str(" --mad unfused")?;
        }
        write!(f, " --step-limit {}", self.step_limit)?;
        let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        if let Some(widths) = &self.widths {
            write!(f, " --widths {}", list(widths))?;
        }
        if let Some(threads) = &self.threads {
            write!(f, " --threads {}", list(threads))?;
        }
        Ok(())
    }
}

impl fmt::Display for SurfaceSpec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}x{}:{}", self.width, self.height, self.format)?;
        if self.tiling == Tiling::Tiled {
            f.write_str(":tiled")?;
        }
        if self.superfine { f.write_str(":2x2") } else { Ok(()) }
    }
}

impl fmt::Display for OutputPlacement {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            OutputPlacement::Own(spec) => spec.fmt(f),
            OutputPlacement::End(spec) => write!(f, "{spec}:end"),
            OutputPlacement::Output(number, bytes) => write!(f, "out{number}+{bytes}"),
        }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Contents::Iota(spec) => write!(f, "{spec}:iota"),
            Contents::Values(spec, values) => {
                let values: Vec<String> = values.iter().map(|value| format!("{value:#x}")).collect();
                write!(f, "{spec}:{}", values.join(","))
            }
            Contents::Random(spec, seed, rarity) => write!(f, "{spec}:random:{seed}:{rarity}"),
            Contents::Output(number, bytes) => write!(f, "out{number}+{bytes}"),
        }
    }
}

impl Contents {
    /// What a further level of an input has.
    pub fn of_level(&self, level: u32, sampled: &Sampled) -> Parsed<Self> {
        let resized = |spec: &SurfaceSpec| sampled.surface(level, spec.format, spec.tiling);
        Ok(match self {
            Contents::Iota(spec) => Contents::Iota(resized(spec)),
            Contents::Values(spec, values) => Contents::Values(resized(spec), values.clone()),
            Contents::Random(spec, seed, rarity) => Contents::Random(resized(spec), seed + u64::from(level), *rarity),
            Contents::Output(..) => return Err("an output has one level".into()),
        })
    }
}

impl Value {
    /// The bits expected at (i, j), if any are.
    pub fn bits(&self, i: u32, j: u32) -> Option<u32> {
        match self {
            Value::Any => None,
            Value::Bits(bits) => Some(*bits),
            Value::Expression(text) => evaluate(text, i, j).ok().map(|value| (value as f32).to_bits()),
        }
    }
}

/// Sums of products of numbers, `i` and `j`.
fn evaluate(text: &str, i: u32, j: u32) -> Parsed<f64> {
    let text = text.replace(' ', "").replace('-', "+-1*");
    let factor = |factor: &str| match factor {
        "i" => Ok(f64::from(i)),
        "j" => Ok(f64::from(j)),
        number => number.parse().map_err(|_| format!("`{number}` is not a number, `i` or `j`")),
    };
    let product = |term: &str| term.split('*').map(factor).product::<Parsed<f64>>();
    text.split('+').filter(|term| !term.is_empty()).map(product).sum()
}
