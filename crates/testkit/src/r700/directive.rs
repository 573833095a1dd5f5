//! Parses and prints the lines of a filetest of R700 that describe a job. [`filetest`](super::filetest) has
//! the other directives.
//!
//! ```text
//! ;; agree: --lanes 0,0..43,7 --memory 2 --run 4:1:5000 --run 48:2:5000 --clamp-gpr --quad-derivatives
//! ;; texture 3: D2 33x2x1 X,Y,Z,W Float FLOAT32_4:Linear:64x2@0x20000800
//! ;; texture 4: D2 8x8x1 X,Y,Z,W Fraction vectors:4:1:0x20000800+1360
//! ;; sampler 0: Linear,Nearest,Linear Repeat,Mirror,Clamp Less 0x0,0x0,0x0,0x3f800000 0,1023,0 true
//! ;; buffer 1: 0x20001000+512 16 35 Norm,true,false In16
//! ;; bank 0: 0x20001300+1024
//! ;; constant 7: 0x3f800000,0x0,0x0,0x0
//! ;; other constant 7: 0x3f800000,0x0,0x0,0x0
//! ;; bool 3: true
//! ;; loop 3: 3,0,1
//! ;; input 0: position
//! ;; colour 0: FLOAT32_4:Tiled:48x10@0x20002000
//! ;; parameter 1: 0x20004000+512
//! ;; ring: 0x20005000+512/16
//! ```
//!
//! `--memory` is the number of the contents of memory, a `--run` is a group width, threads, and a step limit. Lines that begin
//! with `other` are about what ALT_CONST selects.

use crate::filetest::value::{Parsed, dword, one, one_of, options, several};
use ctm_lane::domain::{Domain, Lanes};
use ctm_lane::run::RunOptions;
use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_r700::*;
use std::fmt::{self, Display, Formatter};

const MARK: &str = ";; ";
/// What begins the line that asks for agreement.
const AGREE: &str = "agree";
/// What stands for no divisor of a gradient.
const NO_DIVISOR: &str = "-";
/// Most lanes, levels of a texture, and elements of scratch memory.
const MOST_LANES: u64 = 1 << 12;
const MOST_LEVELS: usize = 16;
const MOST_SCRATCH: u32 = 64;
/// Constants of a file.
const CONSTANTS: usize = 256;

const DIMENSIONS: [Dimension; 6] =
    [Dimension::D1, Dimension::D2, Dimension::D3, Dimension::D1Array, Dimension::D2Array, Dimension::Cube];
const FILTERS: [Filter; 2] = [Filter::Nearest, Filter::Linear];
const MIPS: [MipFilter; 3] = [MipFilter::None, MipFilter::Nearest, MipFilter::Linear];
const NUMBERS: [TexelNumbers; 3] = [TexelNumbers::Float, TexelNumbers::Fraction, TexelNumbers::Integer];
/// All wraps.
pub(super) const WRAPS: [Wrap; 8] = [
    Wrap::Repeat,
    Wrap::Mirror,
    Wrap::Clamp,
    Wrap::MirrorOnce,
    Wrap::HalfBorder,
    Wrap::MirrorOnceHalfBorder,
    Wrap::Border,
    Wrap::MirrorOnceBorder,
];
const COMPARES: [Compare; 8] = [
    Compare::Never,
    Compare::Less,
    Compare::Equal,
    Compare::LessEqual,
    Compare::Greater,
    Compare::NotEqual,
    Compare::GreaterEqual,
    Compare::Always,
];

/// Whether a text asks for agreement.
pub(super) fn asks_for_agreement(source: &str) -> bool {
    source.lines().any(|line| line.trim().strip_prefix(MARK).is_some_and(|line| line.starts_with(AGREE)))
}

/// A job as directives, with the number of what is in memory.
pub(super) struct Directives<'a>(pub &'a Job<'a>, pub usize, pub &'a [RunOptions<'a>]);

impl Display for Directives<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let &Directives(job, image, options) = self;
        write!(f, "{MARK}{AGREE}: --lanes ")?;
        match job.lanes {
            Lanes::Area(Domain { i0, j0, i1, j1 }) => write!(f, "{i0},{j0}..{i1},{j1}")?,
            Lanes::Line(count) => write!(f, "{count}")?,
        }
        write!(f, " --memory {image}")?;
        for RunOptions { group_width, threads, step_limit, .. } in options {
            write!(f, " --run {group_width}:{threads}:{step_limit}")?;
        }
        let flags = [
            ("clamp-gpr", job.clamp_gpr),
            ("kill-stops-pixel", job.kill_stops_pixel),
            ("quad-derivatives", job.quad_derivatives),
        ];
        for (flag, _) in flags.iter().filter(|(_, set)| *set) {
            write!(f, " --{flag}")?;
        }
        write!(f, " --base-vertex {} --start-instance {}", job.base_vertex, job.start_instance)?;
        write!(f, " --scratch {}", job.memories.scratch_elements)?;
        for semantic in &job.semantics {
            write!(f, " --semantic {semantic}")?;
        }
        writeln!(f)?;
        let mut line = |name: &str, value: &dyn Display| writeln!(f, "{MARK}{name}: {value}");
        for (number, _) in job.bools.iter().enumerate().filter(|(_, set)| **set) {
            line(&format!("bool {number}"), &true)?;
        }
        for (number, LoopConstant { count, init, step }) in job.loops.iter().enumerate() {
            line(&format!("loop {number}"), &format!("{count},{init},{step}"))?;
        }
        for (other, bindings) in [("", &job.bindings), ("other ", &job.alternate)] {
            let Bindings { constants, kcache, textures, samplers, buffers } = bindings;
            for (number, value) in constants.iter().enumerate() {
                line(&format!("{other}constant {number}"), &list(value))?;
            }
            for (number, bank) in kcache.iter().enumerate() {
                bank.iter().try_for_each(|bank| line(&format!("{other}bank {number}"), &region(bank)))?;
            }
            for (number, Texture { dimension, size: [x, y, z], texels, numbers, swizzle }) in textures {
                let swizzle: Vec<String> = swizzle.iter().map(|select| format!("{select:?}")).collect();
                let levels = match texels {
                    Texels::Surfaces(levels) => levels.iter().map(|level| format!(" {}", surface(level))).collect(),
                    Texels::Vectors { region: place, form, levels, samples } => {
                        format!(" {}{levels}:{samples}:{}", vectors(*form), region(place))
                    }
                };
                let value = format!("{dimension:?} {x}x{y}x{z} {} {numbers:?}{levels}", swizzle.join(","));
                line(&format!("{other}texture {number}"), &value)?;
            }
            for (number, sampler) in samplers {
                let Sampler { magnification, minification, mip, wrap: [x, y, z], border, compare, .. } = sampler;
                let Sampler { least_level, greatest_level, bias, seamless, .. } = sampler;
                let filters = format!("{magnification:?},{minification:?},{mip:?}");
                let levels = format!("{least_level},{greatest_level},{bias} {seamless}");
                let value = format!("{filters} {x:?},{y:?},{z:?} {compare:?} {} {levels}", list(border));
                line(&format!("{other}sampler {number}"), &value)?;
            }
            for (number, VertexBuffer { region: place, tail, beyond, stride, format, endian_swap }) in buffers {
                let ElementFormat { data_format, number: numbers, signed, no_zero } = format;
                let format = format!("{data_format} {numbers:?},{signed},{no_zero}");
                let value = format!("{} {stride} {format} {endian_swap:?} {tail} {beyond}", region(place));
                line(&format!("{other}buffer {number}"), &value)?;
            }
        }
        for (register, input) in &job.inputs {
            let value = match input {
                Input::Position => "position".to_owned(),
                Input::PositionFrom([x, y]) => format!("position {x},{y}"),
                Input::Vertex { first, instance } => format!("vertex {first},{instance}"),
                Input::Surface(place) => format!("surface {}", surface(place)),
                Input::Channels(places) => format!("channels {}", channels(places)),
                Input::Buffer(place) => format!("buffer {}", region(place)),
                Input::Value(value) => format!("value {}", list(value)),
                Input::Gradient(value) => format!("gradient {}", gradient(value)),
            };
            line(&format!("input {register}"), &value)?;
        }
        let Targets { colours, colour_channels, depth, positions, parameters, valid } = &job.targets;
        for (number, colour) in colours.iter().enumerate() {
            colour.iter().try_for_each(|colour| line(&format!("colour {number}"), &surface(colour)))?;
        }
        for (number, places) in colour_channels.iter().enumerate() {
            places.iter().try_for_each(|places| line(&format!("channels {number}"), &channels(places)))?;
        }
        depth.iter().try_for_each(|depth| line("depth", &surface(depth)))?;
        for (name, targets) in [("position", &positions[..]), ("parameter", &parameters[..])] {
            for (number, target) in targets.iter().enumerate() {
                target.iter().try_for_each(|target| line(&format!("{name} {number}"), &region(target)))?;
            }
        }
        valid.iter().try_for_each(|valid| line("valid", &region(valid)))?;
        let Memories { scratch_elements: _, ring, streams, reduction, export, strips } = &job.memories;
        ring.iter().try_for_each(|ring| line("ring", &items(ring)))?;
        for (number, stream) in streams.iter().enumerate() {
            stream.iter().try_for_each(|stream| line(&format!("stream {number}"), &items(stream)))?;
        }
        strips.iter().try_for_each(|strips| line("strips", &items(strips)))?;
        reduction.iter().try_for_each(|reduction| line("reduction", &region(reduction)))?;
        export.iter().try_for_each(|export| line("export", &region(export)))
    }
}

fn list(values: &[u32; 4]) -> String {
    values.map(|value| format!("{value:#x}")).join(",")
}

fn region(Region { base, length }: &Region) -> String {
    format!("{base:#x}+{length}")
}

fn items(Items { region: place, item_dwords }: &Items) -> String {
    format!("{}/{item_dwords}", region(place))
}

fn surface(Surface { base, pitch, height, tiling, superfine, format }: &Surface) -> String {
    debug_assert!(!superfine, "R700 has none");
    format!("{format}:{tiling:?}:{pitch}x{height}@{base:#x}")
}

fn channels(places: &[Surface; 4]) -> String {
    places.each_ref().map(surface).join(",")
}

/// Reads the directives of a text: the job, the number of what is in memory, and the options of its runs.
pub(super) fn read<'a>(
    source: &str,
    program: &'a Program,
    fetch_program: Option<&'a Program>,
    space: &'a Space,
) -> Parsed<(Job<'a>, usize, Vec<RunOptions<'a>>)> {
    let mut read = Read { job: Job::new(program, Lanes::Line(1), space), image: 0, options: Vec::new() };
    read.job.fetch_program = fetch_program;
    for (number, text) in (1..).zip(source.lines()) {
        let Some(directive) = text.trim().strip_prefix(MARK) else { continue };
        read.line(directive).map_err(|error| format!("line {number}: {error}"))?;
    }
    Ok((read.job, read.image, read.options))
}

struct Read<'a> {
    job: Job<'a>,
    image: usize,
    options: Vec<RunOptions<'a>>,
}

impl Read<'_> {
    fn line(&mut self, directive: &str) -> Parsed<()> {
        let (name, value) = directive.split_once(": ").ok_or("write NAME: VALUE")?;
        let job = &mut self.job;
        let (bindings, name) = match name.strip_prefix("other ") {
            Some(name) => (&mut job.alternate, name),
            None => (&mut job.bindings, name),
        };
        let (name, number) = name.split_once(' ').unwrap_or((name, "0"));
        let number: u8 = one(number)?;
        let words: Vec<&str> = value.split_whitespace().collect();
        match name {
            AGREE => return self.options(value),
            "bool" => *place(&mut job.bools, number)? = one(value)?,
            "loop" => {
                let [count, init, step] = several(value, ',', one::<i32>)?;
                let constant = |value: i32| u16::try_from(value).map_err(|_| "a constant that does not fit".to_owned());
                let step = i8::try_from(step).map_err(|_| "a step that does not fit")?;
                *place(&mut job.loops, number)? = LoopConstant { count: constant(count)?, init: constant(init)?, step };
            }
            "constant" => {
                let number = usize::from(number);
                bindings.constants.resize(bindings.constants.len().max(number + 1).min(CONSTANTS), [0; 4]);
                bindings.constants[number] = several(value, ',', dword)?;
            }
            "bank" => *place(&mut bindings.kcache, number)? = Some(read_region(value)?),
            "texture" => drop(bindings.textures.insert(number, read_texture(&words)?)),
            "sampler" => {
                bindings.samplers.insert(number, read_sampler(&words)?);
            }
            "buffer" => drop(bindings.buffers.insert(number, read_buffer(&words)?)),
            "input" => drop(job.inputs.insert(number, read_input(value)?)),
            "colour" => *place(&mut job.targets.colours, number)? = Some(read_surface(value)?),
            "channels" => {
                *place(&mut job.targets.colour_channels, number)? = Some(several(value, ',', read_surface)?);
            }
            "depth" => job.targets.depth = Some(read_surface(value)?),
            "valid" => job.targets.valid = Some(read_region(value)?),
            "position" => *place(&mut job.targets.positions, number)? = Some(read_region(value)?),
            "parameter" => *place(&mut job.targets.parameters, number)? = Some(read_region(value)?),
            "ring" => job.memories.ring = Some(read_items(value)?),
            "stream" => *place(&mut job.memories.streams, number)? = Some(read_items(value)?),
            "strips" => job.memories.strips = Some(read_items(value)?),
            "reduction" => job.memories.reduction = Some(read_region(value)?),
            "export" => job.memories.export = Some(read_region(value)?),
            _ => return Err(format!("unexpected directive `{name}`")),
        }
        Ok(())
    }

    fn options(&mut self, line: &str) -> Parsed<()> {
        let job = &mut self.job;
        for (option, value) in options(line, &["--clamp-gpr", "--kill-stops-pixel", "--quad-derivatives"])? {
            match option {
                "--clamp-gpr" => job.clamp_gpr = true,
                "--kill-stops-pixel" => job.kill_stops_pixel = true,
                "--quad-derivatives" => job.quad_derivatives = true,
                "--lanes" => job.lanes = read_lanes(value)?,
                "--memory" => self.image = one(value)?,
                "--run" => {
                    let [group_width, threads, step_limit] = several(value, ':', one::<u64>)?;
                    let (group_width, threads) = (group_width.clamp(1, 64) as usize, threads.clamp(1, 4) as usize);
                    self.options.push(RunOptions { group_width, threads, step_limit, ..crate::untimed() });
                }
                "--base-vertex" => job.base_vertex = one(value)?,
                "--start-instance" => job.start_instance = one(value)?,
                "--scratch" => job.memories.scratch_elements = one::<u32>(value)?.min(MOST_SCRATCH),
                "--semantic" => job.semantics.push(one(value)?),
                _ => return Err(format!("unknown option `{option}`")),
            }
        }
        Ok(())
    }
}

fn place<T>(places: &mut [T], number: u8) -> Parsed<&mut T> {
    places.get_mut(usize::from(number)).ok_or_else(|| format!("there is no number {number}"))
}

fn read_lanes(text: &str) -> Parsed<Lanes> {
    let lanes = match text.split_once("..") {
        None => Lanes::Line(one(text)?),
        Some((first, last)) => {
            let ([i0, j0], [i1, j1]) = (several(first, ',', one)?, several(last, ',', one)?);
            if i1 < i0 || j1 < j0 {
                return Err("an area without lanes".into());
            }
            Lanes::Area(Domain { i0, j0, i1, j1 })
        }
    };
    if lanes.count() > MOST_LANES { Err(format!("more than {MOST_LANES} lanes")) } else { Ok(lanes) }
}

fn read_region(text: &str) -> Parsed<Region> {
    let [base, length] = several(text, '+', dword)?;
    Ok(Region { base, length })
}

fn read_items(text: &str) -> Parsed<Items> {
    let (region, item_dwords) = text.split_once('/').ok_or("write BASE+BYTES/DWORDS")?;
    Ok(Items { region: read_region(region)?, item_dwords: one(item_dwords)? })
}

fn read_surface(text: &str) -> Parsed<Surface> {
    let [format, tiling, place] = several(text, ':', |part| Ok(part.to_owned()))?;
    let (sides, base) = place.split_once('@').ok_or("write FORMAT:TILING:WxH@BASE")?;
    let [pitch, height] = several(sides, 'x', one)?;
    let format = Format::parse(&format).ok_or_else(|| format!("unknown format `{format}`"))?;
    let tiling = one_of(&tiling, &[Tiling::Linear, Tiling::Tiled])?;
    Ok(Surface { base: dword(base)?, pitch, height, tiling, superfine: false, format })
}

/// What begins the place of texels that are vectors.
fn vectors(form: VectorForm) -> &'static str {
    match form {
        VectorForm::Dwords => "vectors:",
        VectorForm::Bytes => "bytes:",
        VectorForm::Scalar => "scalars:",
    }
}

fn read_texture(words: &[&str]) -> Parsed<Texture> {
    let [dimension, size, swizzle, levels @ ..] = words else {
        return Err("write DIMENSION WxHxD SWIZZLE LEVEL".into());
    };
    let (numbers, levels) = match levels {
        [numbers, levels @ ..] if one_of(numbers, &NUMBERS).is_ok() => (one_of(numbers, &NUMBERS)?, levels),
        levels => (TexelNumbers::Float, levels),
    };
    if levels.len() > MOST_LEVELS {
        return Err(format!("more than {MOST_LEVELS} levels"));
    }
    let stored = |form: VectorForm| Some((form, levels.first()?.strip_prefix(vectors(form))?));
    let texels = match VectorForm::ALL.into_iter().find_map(stored) {
        Some((form, place)) => {
            let [levels, samples, place] = several(place, ':', |part| Ok(part.to_owned()))?;
            Texels::Vectors { region: read_region(&place)?, form, levels: one(&levels)?, samples: one(&samples)? }
        }
        None => Texels::Surfaces(levels.iter().map(|level| read_surface(level)).collect::<Parsed<_>>()?),
    };
    Ok(Texture {
        dimension: one_of(dimension, &DIMENSIONS)?,
        size: several(size, 'x', one)?,
        texels,
        numbers,
        swizzle: several(swizzle, ',', |select| one_of(select, &Select::ALL))?,
    })
}

/// A sampler: its filter, or three; its wraps, comparison and border; then limits and bias of its levels, and whether it is seamless.
fn read_sampler(words: &[&str]) -> Parsed<Sampler> {
    let [filters, wrap, compare, border, rest @ ..] = words else { return Err("write four words or six".into()) };
    let mut sampler = match filters.contains(',') {
        false => Sampler::with_filter(one_of(filters, &FILTERS)?),
        true => {
            let [magnification, minification, mip] = several(filters, ',', |filter| Ok(filter.to_owned()))?;
            Sampler {
                magnification: one_of(&magnification, &FILTERS)?,
                minification: one_of(&minification, &FILTERS)?,
                mip: one_of(&mip, &MIPS)?,
                ..Sampler::default()
            }
        }
    };
    sampler.wrap = several(wrap, ',', |wrap| one_of(wrap, &WRAPS))?;
    sampler.compare = one_of(compare, &COMPARES)?;
    sampler.border = several(border, ',', dword)?;
    if let [levels, seamless] = rest {
        let [least, greatest, bias] = several(levels, ',', one::<i16>)?;
        let limit = |level: i16| u16::try_from(level).map_err(|_| "a level below 0".to_owned());
        (sampler.least_level, sampler.greatest_level, sampler.bias) = (limit(least)?, limit(greatest)?, bias);
        sampler.seamless = one(seamless)?;
    }
    Ok(sampler)
}

fn read_buffer(words: &[&str]) -> Parsed<VertexBuffer> {
    let [place, stride, data_format, numbers, swap, rest @ ..] = words else { return Err("write five words".into()) };
    let [tail, beyond] = [0, 1].map(|n| rest.get(n).map_or(Ok(0), |bytes| one(bytes)));
    let (tail, beyond) = (tail?, beyond?);
    let [number, signed, no_zero] = several(numbers, ',', |part| Ok(part.to_owned()))?;
    let format = ElementFormat {
        data_format: one(data_format)?,
        number: one_of(&number, &NumberFormat::ALL)?,
        signed: one(&signed)?,
        no_zero: one(&no_zero)?,
    };
    let endian_swap = one_of(swap, &EndianSwap::ALL)?;
    Ok(VertexBuffer { region: read_region(place)?, tail, beyond, stride: one(stride)?, format, endian_swap })
}

fn gradient(Gradient { first: [x, y], offset, divisor, components }: &Gradient) -> String {
    let plane = |LinearPlane { value, dx, dy }: &LinearPlane| format!("{value}/{dx}/{dy}");
    let component = |component: &Component| match component {
        Component::Value(bits) => format!("value:{bits}"),
        Component::Column(bits) => format!("column:{bits}"),
        Component::Row(bits) => format!("row:{bits}"),
        Component::Plane(numbers) => format!("plane:{}", plane(numbers)),
    };
    let components: Vec<String> = components.iter().map(component).collect();
    let divisor = divisor.as_ref().map_or(NO_DIVISOR.to_owned(), plane);
    format!("{x},{y} {},{} {divisor} {}", offset[0], offset[1], components.join(","))
}

fn read_gradient(text: &str) -> Parsed<Gradient> {
    let plane = |text: &str| -> Parsed<LinearPlane> {
        let [value, dx, dy] = several(text, '/', one)?;
        Ok(LinearPlane { value, dx, dy })
    };
    let component = |text: &str| -> Parsed<Component> {
        let [kind, numbers] = several(text, ':', |part| Ok(part.to_owned()))?;
        Ok(match &*kind {
            "value" => Component::Value(one(&numbers)?),
            "column" => Component::Column(one(&numbers)?),
            "row" => Component::Row(one(&numbers)?),
            "plane" => Component::Plane(plane(&numbers)?),
            _ => return Err(format!("unknown kind of component `{kind}`")),
        })
    };
    let [first, offset, divisor, components] = several(text, ' ', |part| Ok(part.to_owned()))?;
    Ok(Gradient {
        first: several(&first, ',', one)?,
        offset: several(&offset, ',', one)?,
        divisor: if divisor == NO_DIVISOR { None } else { Some(plane(&divisor)?) },
        components: several(&components, ',', component)?,
    })
}

fn read_input(text: &str) -> Parsed<Input> {
    let (kind, value) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match kind {
        "position" if value.is_empty() => Input::Position,
        "position" => Input::PositionFrom(several(value, ',', one)?),
        "vertex" => {
            let [first, instance] = several(value, ',', one)?;
            Input::Vertex { first, instance }
        }
        "surface" => Input::Surface(read_surface(value)?),
        "channels" => Input::Channels(several(value, ',', read_surface)?),
        "buffer" => Input::Buffer(read_region(value)?),
        "value" => Input::Value(several(value, ',', dword)?),
        "gradient" => Input::Gradient(read_gradient(value)?),
        _ => return Err(format!("unknown kind of input `{kind}`")),
    })
}
