//! The memory of a run: files into it, results out of it.

use crate::failure::require_memory;
use crate::files::{self, FileError};
use crate::host::Host;
use crate::options::RunArgs;
use crate::options::values::{Extent, Vector};
use crate::outputs::{Form, Sink};
use crate::report::Message;
use crate::{Console, Failure};
use ctm_array::{Array, Data, FileKind, FileSpec, Hidden, Shape, WriteOptions};
use ctm_lane::budget::Halt;
use ctm_memory::{Arena, ArenaError, BASE_ALIGNMENT, Bounds, Format, Space, Surface, Tiling, View};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Address of the first arena.
const FIRST_BASE: u32 = 0x10_0000;
/// Rows that are cleared at a time.
const CLEARED_ROWS: usize = 1 << 12;
/// Bytes that writing a result takes on the way, at most, for each of its own: its values, a picture of them, the file.
const WRITING: u64 = 3;

/// What the surfaces and buffers of a run lie in, and the files that results go to.
pub struct Memory {
    /// The memory.
    pub space: Space,
    /// Everything that the run writes to.
    written: Vec<Written>,
    /// Bytes from the first base on that are taken.
    taken: u32,
    /// Bytes that may be.
    limit: u64,
}

/// Something that the run writes to.
struct Written {
    region: Region,
    file: Option<Target>,
}

enum Region {
    /// A surface, with the width and height of the part that counts.
    Surface(Surface, (usize, usize)),
    /// Rows of so many dwords, one after the other.
    Rows { base: u32, count: usize, dwords: usize },
}

/// A file that receives a result.
struct Target {
    path: PathBuf,
    kind: FileKind,
    sink: Sink,
}

impl Target {
    /// Makes sure that the file can be written.
    fn open(host: &dyn Host, spec: &FileSpec) -> Result<Self, Failure> {
        Ok(Target { path: spec.path.clone(), kind: spec.kind, sink: Sink::open(host, &spec.path, Form::Array)? })
    }
}

impl Memory {
    /// Memory for so many bytes at most.
    pub fn new(limit: u64) -> Self {
        Memory { space: Space::default(), written: Vec::new(), taken: 0, limit }
    }

    /// Reads a file into a new surface. Also gives the width and height of what was in the file.
    pub fn load(&mut self, host: &dyn Host, file: &str) -> Result<(Surface, Shape), Failure> {
        let spec = FileSpec::parse(file).map_err(|error| Message::error(error.to_string()))?;
        let array = files::read(host, &spec).map_err(Message::from)?;
        Ok((self.add_array(&spec, &array)?, array.shape))
    }

    /// Puts what was in a file into a new surface.
    pub fn add_array(&mut self, spec: &FileSpec, array: &Array) -> Result<Surface, Failure> {
        let unusable = |cause| FileError::Content { path: spec.path.clone(), cause };
        let surface = ctm_array::surface_for(array, spec.tiling).map_err(unusable).map_err(Message::from)?;
        let surface = self.allocate(surface)?;
        ctm_array::upload(array, &self.space, surface).map_err(|error| Message::error(error.to_string()))?;
        Ok(surface)
    }

    /// Puts bytes into new memory, and gives their address.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Result<u32, Failure> {
        let base = self.reserve(bytes.len() as u64)?;
        self.space.write_bytes(base, bytes).map_err(|error| Message::error(error.to_string()))?;
        Ok(base)
    }

    /// Makes a surface that the run writes to, and opens the file that is to receive it, if there is one.
    pub fn add_surface(
        &mut self,
        host: &dyn Host,
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
        let surface = ctm_array::surface(size.0, size.1, format, tiling)
            .map_err(|error| Failure::Usage(Message::error(format!("an output is too large: {error}"))))?;
        let surface = self.allocate(surface)?;
        let region = Region::Surface(surface, size);
        self.written.push(Written { region, file: file.map(|file| Target::open(host, file)).transpose()? });
        Ok(surface)
    }

    /// Allocates rows of so many dwords that the run writes, gives their address, and opens the file that is to
    /// receive them, if there is one.
    pub fn add_rows(
        &mut self,
        host: &dyn Host,
        file: Option<&FileSpec>,
        count: u32,
        dwords: u32,
    ) -> Result<u32, Failure> {
        let base = self.reserve(4 * u64::from(count) * u64::from(dwords))?;
        let region = Region::Rows { base, count: count as usize, dwords: dwords as usize };
        self.written.push(Written { region, file: file.map(|file| Target::open(host, file)).transpose()? });
        Ok(base)
    }

    /// Gives a surface an arena of its own, behind all others.
    fn allocate(&mut self, surface: Surface) -> Result<Surface, Failure> {
        Ok(Surface { base: self.reserve(surface.bytes())?, ..surface })
    }

    /// Maps an arena of at least so many bytes, behind all others.
    fn reserve(&mut self, bytes: u64) -> Result<u32, Failure> {
        let too_much = || {
            Message::error("inputs and outputs together need more memory than there is")
                .help("the device addresses 4 GiB; use a smaller domain, or --output-format with a smaller format")
        };
        let base = FIRST_BASE.checked_add(self.taken).ok_or_else(too_much)?;
        let size = u32::try_from(bytes.next_multiple_of(BASE_ALIGNMENT.into())).map_err(|_| too_much())?;
        let wanted = u64::from(self.taken) + u64::from(size);
        if wanted > self.limit {
            return Err(Halt::Memory { wanted, limit: self.limit }.into());
        }
        let arena = Arena::new(base, size).map_err(|error| match error {
            ArenaError::NoMemory { size } => Failure::from(Halt::NoMemory { bytes: size.into() }),
            ArenaError::Misaligned { .. } | ArenaError::OutsideAddressSpace { .. } => too_much().into(),
        })?;
        self.taken = self.taken.checked_add(size).ok_or_else(too_much)?;
        self.space.map(arena).map_err(|_| too_much())?;
        Ok(base)
    }

    /// Fills everything that the run can write to with one value: also the columns between width and pitch, which
    /// immediate writes and lookups in outputs reach.
    pub fn clear(&self, Vector(value): Vector) {
        for Written { region, .. } in &self.written {
            match *region {
                Region::Surface(surface, _) => {
                    let view = View::new(&self.space, surface, Bounds::Drop);
                    for y in 0..surface.height.into() {
                        for x in 0..surface.pitch.into() {
                            view.store(x, y, value, 0xF);
                        }
                    }
                }
                Region::Rows { base, count, dwords } => {
                    let row = value.into_iter().cycle().take(dwords).flat_map(u32::to_le_bytes);
                    let rows = row.collect::<Vec<u8>>().repeat(count.min(CLEARED_ROWS));
                    let end = base + (4 * dwords * count) as u32;
                    for at in (base..end).step_by(rows.len().max(1)) {
                        let piece = &rows[..rows.len().min((end - at) as usize)];
                        self.space.write_bytes(at, piece).expect("the arena was mapped for them");
                    }
                }
            }
        }
    }

    /// Writes the files. They appear together, after all of them have been written, unless `cancel` is raised by then.
    pub fn write(self, options: &WriteOptions, cancel: &AtomicBool, console: &mut Console) -> Result<(), Failure> {
        let mut sinks = Vec::new();
        for Written { region, file } in self.written {
            let Some(mut file) = file else { continue };
            let values = match region {
                Region::Surface(surface, (width, height)) => width * height * surface.format.channels(),
                Region::Rows { count, dwords, .. } => count * dwords,
            };
            require_memory(values as u64 * 4 * WRITING)?;
            let array = match region {
                Region::Surface(surface, (width, height)) => ctm_array::download(&self.space, surface, width, height),
                Region::Rows { base, count, dwords } => rows(&self.space, base, count, dwords),
            };
            let name = file.path.display();
            let unwritable = |error: String| Message::error(format!("cannot write '{name}': {error}"));
            let array = array.map_err(|error| unwritable(error.to_string()))?;
            let hidden = (file.kind == FileKind::Png).then(|| Hidden::of(&array, options.tonemap)).flatten();
            hidden.iter().for_each(|hidden| console.report(&hides(&name.to_string(), hidden)));
            let bytes = ctm_array::encode(file.kind, &array, options).map_err(|error| unwritable(error.to_string()))?;
            file.sink.write(&bytes)?;
            sinks.push(file.sink);
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        Sink::commit(sinks, console)
    }
}

/// Warns of values that a picture does not show.
fn hides(name: &str, &Hidden { below, above, nan, of, range }: &Hidden) -> Message {
    let counts = [(below, "below 0"), (above, "above 1"), (nan, "NaN")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let message = Message::warning(format!("the picture '{name}' does not show all of its {of} values: {counts}"));
    match range.filter(|_| below + above > 0) {
        Some([min, max]) => {
            message.help(format!("--tonemap {min},{max} shows all numbers; .npy and .f32 keep the values"))
        }
        None => message.help(".npy and .f32 keep the values"),
    }
}

/// Warns of results outside of an output that is smaller than the domain.
pub fn cut_output(number: u8, file: &FileSpec, domain: Extent) -> Option<Message> {
    let shape = file.shape?;
    let is_cut = shape.width < domain.width as usize || shape.height < domain.height as usize;
    is_cut.then(|| {
        let message =
            format!("output {number} ({}x{}) is smaller than the domain ({domain})", shape.width, shape.height);
        Message::warning(format!("{message}: what lies outside is lost"))
            .help("leave the shape out, or choose a smaller --domain")
    })
}

/// Rows of dwords as an array.
fn rows(space: &Space, base: u32, count: usize, dwords: usize) -> Result<Array, ctm_memory::RangeError> {
    let mut bytes = vec![0; 4 * dwords * count];
    space.read_bytes(base, &mut bytes)?;
    let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    Ok(Array { shape: Shape { width: dwords, height: count, channels: 1 }, data: Data::F32(words) })
}

/// The files of outputs by number: those of `--output`, and that of `-o`.
pub fn output_files(args: &RunArgs, limit: usize) -> Result<BTreeMap<u8, &FileSpec>, Failure> {
    let mut outputs = super::once_each("output", &args.outputs, limit)?;
    if let Some(file) = &args.output0
        && outputs.insert(0, file).is_some()
    {
        return Err(Failure::Usage(Message::error("output 0 is given twice").help("-o FILE is --output 0=FILE")));
    }
    Ok(outputs)
}

/// Says that an input is to read an output that there is not in this run.
pub fn no_such_output(input: u8, output: u8) -> Failure {
    let message = format!("input {input} is to read output {output}, but the program does not write that");
    Failure::Usage(
        Message::error(message).help(format!("give it a file with --output {output}=FILE, or another input")),
    )
}

/// Says that the machine has not so many outputs.
pub fn not_an_output(output: u8, outputs: usize) -> Failure {
    Failure::Usage(Message::error(format!("'@{output}' is no output; outputs are @0 to @{}", outputs - 1)))
}

/// The float constants of the command line by number: those of `--consts`, under those that have an option of their own.
pub fn float_constants(host: &dyn Host, args: &RunArgs, limit: usize) -> Result<BTreeMap<u8, [u32; 4]>, Failure> {
    let mut values = BTreeMap::new();
    if let Some(path) = &args.consts {
        values.extend((0..=u8::MAX).zip(files::read_vectors(host, path, limit).map_err(Message::from)?));
    }
    values.extend(
        super::once_each("constant", &args.floats, limit)?.into_iter().map(|(number, value)| (number, value.0)),
    );
    Ok(values)
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
