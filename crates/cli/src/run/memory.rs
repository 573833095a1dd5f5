//! The memory of a run: files into inputs, outputs into files.

use crate::args::run::RunArgs;
use crate::args::values::{Extent, InputSource, Numbered, Vector};
use crate::files::{self, FileError, FileKind, FileSpec, Shape, WriteOptions};
use crate::report::Message;
use crate::sink::Sink;
use crate::{Console, Failure};
use ctm_memory::{Arena, BASE_ALIGNMENT, Bounds, Format, Space, Surface, Tiling, View};
use ctm_x1k::{Body, CondLocation, CondTest, Conditional, Effects, INPUTS, OUTPUTS, Program, WriteMode};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Address of the first arena.
const FIRST_BASE: u32 = 0x10_0000;

/// The surfaces of a run, and the files that outputs go to.
pub struct Data {
    /// What the surfaces lie in.
    pub memory: Space,
    /// Inputs, filled.
    pub inputs: [Option<Surface>; INPUTS],
    /// Outputs: those that the program writes, and those that files are to receive.
    pub outputs: [Option<Surface>; OUTPUTS],
    /// The conditional unit, which does nothing but write the values, if a file is to receive them.
    pub conditional: Conditional,
    /// Everything that the run writes to.
    written: Vec<Written>,
    /// First address behind the arenas.
    next: u32,
}

/// A surface that the run writes to.
struct Written {
    surface: Surface,
    /// Width and height of the part that counts.
    size: (usize, usize),
    file: Option<Target>,
}

/// A file that receives a surface.
struct Target {
    path: PathBuf,
    kind: FileKind,
    sink: Sink,
}

impl Data {
    /// Reads the inputs, makes surfaces for the outputs, and makes sure that their files can be written.
    pub fn prepare(args: &RunArgs, program: &Program, domain: Extent, console: &mut Console) -> Result<Self, Failure> {
        let inputs = once_each("input", &args.inputs)?;
        let mut outputs = once_each("output", &args.outputs)?;
        let formats = once_each("the format of output", &args.output_formats)?;
        if let Some(file) = &args.output0
            && outputs.insert(0, file).is_some()
        {
            return Err(Failure::Usage(Message::error("output 0 is given twice").help("-o FILE is --output 0=FILE")));
        }
        let files = outputs.values().copied().chain(&args.cond_output).map(|file| file.path.as_path());
        different_files(files.chain(args.emit_trace.as_deref()))?;
        tell_differences(args, program, &inputs, &outputs, console)?;

        let mut data = Data {
            memory: Space::default(),
            inputs: [None; INPUTS],
            outputs: [None; OUTPUTS],
            conditional: Conditional::default(),
            written: Vec::new(),
            next: FIRST_BASE,
        };
        for (&number, source) in &inputs {
            if let InputSource::File(file) = source {
                let spec = FileSpec::parse(file).map_err(|error| Message::error(error.to_string()))?;
                let (surface, width) = data.load(&spec)?;
                data.inputs[usize::from(number)] = Some(surface);
                if surface.pitch as usize != width && looks_up_scaled(program, number) {
                    console.tell(&widened(number, width, surface.pitch));
                }
            }
        }
        let default_format = match program.info.write_mode {
            WriteMode::Cached => Format::Float32_4,
            WriteMode::Umrt => Format::Float32_1,
        };
        for number in 0..OUTPUTS as u8 {
            let file = outputs.get(&number).copied();
            if file.is_some() || program.references.outputs.contains(&number) {
                let format = formats.get(&number).map(|name| name.0);
                data.outputs[usize::from(number)] = Some(data.place_written(file, domain, format, default_format)?);
            }
        }
        for (&number, source) in &inputs {
            if let InputSource::Output(output) = **source {
                let surface = data.outputs[usize::from(output)].ok_or_else(|| no_such_output(number, output))?;
                data.inputs[usize::from(number)] = Some(surface);
            }
        }
        if let Some(file) = &args.cond_output {
            let format = Format::Float32_1;
            data.conditional = Conditional {
                test: CondTest::Always,
                location: CondLocation::Dpp,
                write: true,
                surface: Some(data.place_written(Some(file), domain, Some(format), format)?),
                ..Conditional::default()
            };
        }
        Ok(data)
    }

    /// Reads a file into a new surface. Also gives the width of what was in the file.
    fn load(&mut self, spec: &FileSpec) -> Result<(Surface, usize), Message> {
        let array = files::read(spec)?;
        let unusable = |cause| FileError::Content { path: spec.path.clone(), cause };
        let surface = self.place(files::surface_for(&array, spec.tiling).map_err(unusable)?)?;
        files::upload(&array, &self.memory, surface).map_err(|error| Message::error(error.to_string()))?;
        Ok((surface, array.shape.width))
    }

    /// Makes a surface that the run writes to, and opens the file that is to receive it, if there is one.
    fn place_written(
        &mut self,
        file: Option<&FileSpec>,
        domain: Extent,
        format: Option<Format>,
        default_format: Format,
    ) -> Result<Surface, Failure> {
        let shape = file.and_then(|spec| spec.shape);
        let format = match shape {
            None => format.unwrap_or(default_format),
            Some(shape) => format_for(shape, format)?,
        };
        let size = shape.map_or((domain.width as usize, domain.height as usize), |shape| (shape.width, shape.height));
        let tiling = file.map_or(Tiling::Linear, |spec| spec.tiling);
        let surface = files::surface(size.0, size.1, format, tiling)
            .map_err(|error| Failure::Usage(Message::error(format!("an output is too large: {error}"))))?;
        let surface = self.place(surface)?;
        let target = |spec: &FileSpec| {
            let sink = Sink::open(&spec.path)?;
            Ok::<_, Message>(Target { path: spec.path.clone(), kind: spec.kind, sink })
        };
        self.written.push(Written { surface, size, file: file.map(target).transpose()? });
        Ok(surface)
    }

    /// Gives a surface an arena of its own, behind all others.
    fn place(&mut self, surface: Surface) -> Result<Surface, Message> {
        let too_much = || {
            Message::error("inputs and outputs together need more memory than there is")
                .help("the device addresses 4 GiB; use a smaller domain, or --output-format with a smaller format")
        };
        let base = self.next;
        let size = surface.bytes().next_multiple_of(BASE_ALIGNMENT.into());
        let size = u32::try_from(size).map_err(|_| too_much())?;
        let arena = Arena::new(base, size).map_err(|_| too_much())?;
        self.next = base.checked_add(size).ok_or_else(too_much)?;
        self.memory.map(arena).map_err(|_| too_much())?;
        Ok(Surface { base, ..surface })
    }

    /// Fills everything that the run can write to with one value: also the columns between width and pitch, which
    /// immediate writes and lookups in outputs reach.
    pub fn clear(&self, Vector(value): Vector) {
        for Written { surface, .. } in &self.written {
            let view = View::new(&self.memory, *surface, Bounds::Drop);
            for y in 0..surface.height.into() {
                for x in 0..surface.pitch.into() {
                    view.store(x, y, value, 0xF);
                }
            }
        }
    }

    /// Writes the files. They appear together, after all of them have been written, unless `cancel` is raised by then.
    pub fn write(self, args: &RunArgs, cancel: &AtomicBool) -> Result<(), Failure> {
        let options = WriteOptions { tonemap: args.tonemap };
        let mut sinks = Vec::new();
        for Written { surface, size: (width, height), file } in self.written {
            let Some(mut file) = file else { continue };
            let bytes = files::download(&self.memory, surface, width, height)
                .map_err(|error| error.to_string())
                .and_then(|array| files::encode(file.kind, &array, &options).map_err(|error| error.to_string()))
                .map_err(|error| Message::error(format!("cannot write '{}': {error}", file.path.display())))?;
            file.sink.write(&bytes)?;
            sinks.push(file.sink);
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        Ok(sinks.into_iter().try_for_each(Sink::commit)?)
    }
}

/// The format of an output with this shape: the given one if it has as many channels; without one, floats.
fn format_for(shape: Shape, given: Option<Format>) -> Result<Format, Failure> {
    let candidates = given.map_or(vec![Format::Float32_1, Format::Float32_2, Format::Float32_4], |format| vec![format]);
    candidates.iter().copied().find(|format| format.channels() == shape.channels).ok_or_else(|| {
        let names = candidates.iter().map(|format| format.name().to_lowercase()).collect::<Vec<_>>().join(", ");
        let message =
            format!("an output of the shape {shape} has {} channels, which is not that of {names}", shape.channels);
        Failure::Usage(Message::error(message))
    })
}

/// True if some lookup in this input has its coordinates multiplied by the size of the surface.
fn looks_up_scaled(program: &Program, input: u8) -> bool {
    program.code.iter().any(|instruction| {
        let scaled = matches!(&instruction.body, Body::Tex(tex) if !tex.unscaled);
        scaled && Effects::of(instruction, program.info.write_mode).input == Some(input)
    })
}

fn widened(input: u8, width: usize, pitch: u32) -> Message {
    Message::warning(format!(
        "input {input} is {width} elements wide, but its surface {pitch}: lookups scale their coordinates by {pitch}"
    ))
    .help("use a width that is a multiple of 32 bytes (tiled: of a tile), or coordinates in elements (UNSCALED)")
}

fn no_such_output(input: u8, output: u8) -> Failure {
    let message = format!("input {input} is to read output {output}, but the program does not write that");
    Failure::Usage(
        Message::error(message).help(format!("give it a file with --output {output}=FILE, or another input")),
    )
}

/// Values by number; none may be given twice.
fn once_each<'a, T, const COUNT: usize>(
    what: &str,
    given: &'a [Numbered<T, COUNT>],
) -> Result<BTreeMap<u8, &'a T>, Failure> {
    let mut values = BTreeMap::new();
    for Numbered { number, value } in given {
        if values.insert(*number, value).is_some() {
            return Err(Failure::Usage(Message::error(format!("{what} {number} is given twice"))));
        }
    }
    Ok(values)
}

fn different_files<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    for path in paths {
        if !seen.insert(place_of(path)) {
            let message = format!("'{}' is to receive more than one output", path.display());
            return Err(Failure::Usage(Message::error(message).help("give each output a file of its own")));
        }
    }
    Ok(())
}

/// The one name of a file that other names may lead to as well. It may not be there yet.
fn place_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    path.canonicalize()
        .or_else(|_| Ok::<_, io::Error>(folder.canonicalize()?.join(path.file_name().unwrap_or_default())))
        .unwrap_or_else(|_| path.into())
}

/// Compares what the program reads and writes with what the command line gives. A missing input is an error.
fn tell_differences(
    args: &RunArgs,
    program: &Program,
    inputs: &BTreeMap<u8, &InputSource>,
    outputs: &BTreeMap<u8, &FileSpec>,
    console: &mut Console,
) -> Result<(), Failure> {
    let uses = &program.references;
    let missing: Vec<Message> = uses
        .inputs
        .iter()
        .filter(|number| !inputs.contains_key(number))
        .map(|number| {
            Message::error(format!("the program reads input {number}, but nothing is given for it"))
                .help(format!("add --input {number}=FILE"))
        })
        .collect();
    if !missing.is_empty() {
        return Err(Failure::Input(missing));
    }
    for number in inputs.keys().filter(|number| !uses.inputs.contains(number)) {
        console.tell(&Message::warning(format!("input {number} is given, but the program does not read it")));
    }
    for (number, file) in outputs.iter().filter(|(number, _)| !uses.outputs.contains(number)) {
        let file = file.path.display();
        let message = format!("the program does not write output {number}; '{file}' receives what it held before");
        console.tell(&Message::warning(message));
    }
    if args.cond_output.is_some() && !uses.cond_output {
        console.tell(&Message::warning("the program writes no conditional value; it is 0 everywhere"));
    }
    if outputs.is_empty() && args.cond_output.is_none() && !args.stats {
        console.tell(&Message::note("results are not kept; add -o FILE or --output N=FILE"));
    }
    Ok(())
}
