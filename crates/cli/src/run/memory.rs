//! The memory of a run, and what files fill it with.

use super::frames::numbered_uniforms;
use super::results::{Region, ResultSettings, Results};
use crate::files::{self, FileError};
use crate::host::Host;
use crate::options::values::{Extent, Vector};
use crate::options::{Generator, RunArgs};
use crate::report::Message;
use crate::wording::ranges;
use crate::{Console, Failure};
use ctm_array::{Array, FileSpec, Shape};
use ctm_lane::budget::Halt;
use ctm_memory::{AppendError, BASE_ALIGNMENT, Format, Space, Surface, Tiling};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the surfaces and buffers of a run lie in, and the files that results go to.
pub struct Memory {
    /// The memory.
    pub space: Space,
    results: Results,
    /// Whether row 0 of surfaces is the last one of files.
    bottom_up: bool,
    /// Bytes that are taken.
    taken: u64,
    /// Bytes that may be.
    limit: u64,
}

impl Memory {
    /// The memory of a run.
    pub fn new(args: &RunArgs, host: &dyn Host) -> Self {
        let mut memory = Memory::with(ResultSettings::of(args), args.execution.budget.memory(host));
        memory.set_bottom_up(args.bottom_up.unwrap_or(false));
        memory
    }

    /// Memory of at most `limit` bytes, for results that are wanted so.
    pub fn with(settings: ResultSettings, limit: u64) -> Self {
        let results = Results::new(settings, limit);
        Memory { space: Space::default(), results, bottom_up: false, taken: 0, limit }
    }

    /// Says whether row 0 of surfaces is the last one of files.
    pub fn set_bottom_up(&mut self, bottom_up: bool) {
        self.bottom_up = bottom_up;
        self.results.set_bottom_up(bottom_up);
    }

    /// Reads a file into a new surface. Also gives the width and height of what was in the file.
    pub fn load(&mut self, host: &dyn Host, file: &str) -> Result<(Surface, Shape), Failure> {
        let spec = FileSpec::parse(file).map_err(|error| Message::error(error.to_string()))?;
        let array = files::read(host, &spec).map_err(Message::from)?;
        let shape = array.shape;
        Ok((self.add_picture(&spec.path, spec.tiling, array)?, shape))
    }

    /// Puts the picture of a file into a new surface, in the order of rows that the run has.
    pub fn add_picture(&mut self, path: &Path, tiling: Tiling, mut array: Array) -> Result<Surface, Failure> {
        if self.bottom_up {
            array.flip_rows();
        }
        self.add_array(path, tiling, &array)
    }

    /// Makes a surface with values for each pixel of a domain. Also gives its width and height.
    pub fn make(
        &mut self,
        generator: Generator,
        Extent { width, height }: Extent,
    ) -> Result<(Surface, Shape), Failure> {
        let array = generator.array(width, height);
        Ok((self.add_array(Path::new(&generator.to_string()), Tiling::Linear, &array)?, array.shape))
    }

    /// Puts what was in a file into a new surface.
    pub fn add_array(&mut self, path: &Path, tiling: Tiling, array: &Array) -> Result<Surface, Failure> {
        let unusable = |cause| FileError::Content { path: path.into(), cause };
        let surface = ctm_array::surface_for(array, tiling).map_err(unusable).map_err(Message::from)?;
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

    /// Puts the same vector into new memory, so many times, and gives its address.
    pub fn add_repeated(&mut self, Vector(vector): Vector, count: u32) -> Result<u32, Failure> {
        let dwords = vector.len();
        let base = self.reserve(4 * dwords as u64 * u64::from(count))?;
        Region::Rows { base, count: count as usize, dwords }.clear(&self.space, vector);
        Ok(base)
    }

    /// Makes a surface of this name that the run writes to, and opens the file that is to receive it, if there is one.
    pub fn add_surface(
        &mut self,
        host: &dyn Host,
        name: String,
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
        self.results.add(host, name, Region::Surface(surface, size), file)?;
        Ok(surface)
    }

    /// Makes a surface of zeros that no file receives, for what a run keeps from one frame to the next.
    pub fn add_hidden(&mut self, domain: Extent, format: Format) -> Result<Surface, Failure> {
        let surface = ctm_array::surface(domain.width as usize, domain.height as usize, format, Tiling::Linear);
        self.allocate(surface.map_err(|error| Message::error(error.to_string()))?)
    }

    /// Allocates rows of so many dwords, of this name, that the run writes, gives their address, and opens the file that is to
    /// receive them, if there is one.
    pub fn add_rows(
        &mut self,
        host: &dyn Host,
        name: String,
        file: Option<&FileSpec>,
        count: u32,
        dwords: u32,
    ) -> Result<u32, Failure> {
        let base = self.reserve(4 * u64::from(count) * u64::from(dwords))?;
        let region = Region::Rows { base, count: count as usize, dwords: dwords as usize };
        self.results.add(host, name, region, file)?;
        Ok(base)
    }

    /// Gives a surface an arena of its own, after all others.
    fn allocate(&mut self, surface: Surface) -> Result<Surface, Failure> {
        Ok(Surface { base: self.reserve(surface.bytes())?, ..surface })
    }

    /// Maps an arena of at least so many bytes, after all others.
    fn reserve(&mut self, bytes: u64) -> Result<u32, Failure> {
        let size = bytes.checked_next_multiple_of(BASE_ALIGNMENT.into()).unwrap_or(bytes);
        let wanted = self.taken.saturating_add(size);
        if wanted > self.limit {
            return Err(Halt::Memory { wanted, limit: self.limit }.into());
        }
        let base = self.space.append(bytes).map_err(|full| match full {
            AppendError::Memory { bytes } => Failure::from(Halt::NoMemory { bytes }),
            AppendError::Addresses { .. } => {
                Message::error("inputs and outputs together need more memory than there is")
                    .help("the device addresses 4 GiB; use a smaller domain, or --output-format with a smaller format")
                    .into()
            }
        })?;
        self.taken = wanted;
        Ok(base)
    }

    /// What the run writes to; no more surfaces come.
    pub fn take_results(&mut self) -> Results {
        std::mem::take(&mut self.results)
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

/// Warns of things that are given by number, and that nothing asks for: they are called `what`, and nobody does `verb` with them.
pub fn unused<'n>(
    what: &str,
    verb: &str,
    given: impl IntoIterator<Item = &'n u8>,
    wanted: impl Fn(u8) -> bool,
    console: &mut Console,
) {
    for number in given.into_iter().filter(|number| !wanted(**number)) {
        let message = format!("{what} {number} is given, but the program does not {verb} it");
        console.report(&Message::warning(message));
    }
}

/// Compares the inputs that a program reads with those that are given: warns of those that are not read.
///
/// # Errors
/// If some are not given.
pub fn require_inputs<'n, T>(
    read: impl IntoIterator<Item = &'n u8>,
    given: &BTreeMap<u8, T>,
    console: &mut Console,
) -> Result<(), Failure> {
    let read: BTreeSet<u8> = read.into_iter().copied().collect();
    let missing: Vec<Message> = read
        .iter()
        .filter(|number| !given.contains_key(number))
        .map(|number| {
            Message::error(format!("the program reads input {number}, but nothing is given for it"))
                .help(format!("add --input {number}=FILE"))
        })
        .collect();
    if !missing.is_empty() {
        return Err(Failure::Input(missing));
    }
    unused("input", "read", given.keys(), |number| read.contains(&number), console);
    Ok(())
}

/// Warns of constants that a program reads and nothing gives: they are called by `prefix` and their number, and `option` with that number and
/// `value` gives one.
pub fn missing_constants(
    prefix: &str,
    option: &str,
    value: &str,
    read: &BTreeSet<u8>,
    is_given: impl Fn(&u8) -> bool,
) -> Option<Message> {
    let missing: Vec<u8> = read.iter().copied().filter(|number| !is_given(number)).collect();
    let first = missing.first()?;
    let names = ranges(prefix, missing.iter().copied());
    let verb = if missing.len() == 1 { "has no value and is" } else { "have no value and are" };
    Some(
        Message::warning(format!("the program reads {names}, which {verb} taken as 0"))
            .help(format!("give one with {option} {first}{value}")),
    )
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
    Failure::Usage(Message::error(format!("unknown output '@{output}'; outputs are @0 to @{}", outputs - 1)))
}

/// The float constants of the command line by number: those of `--consts`, under those that have an option of their own. Those
/// of `--uniform` are 0 until a frame begins.
pub fn float_constants(host: &dyn Host, args: &RunArgs, limit: usize) -> Result<BTreeMap<u8, [u32; 4]>, Failure> {
    let mut values = BTreeMap::new();
    if let Some(path) = &args.consts {
        values.extend((0..=u8::MAX).zip(files::read_vectors(host, path, limit).map_err(Message::from)?));
    }
    values.extend(
        super::once_each("constant", &args.floats, limit)?.into_iter().map(|(number, value)| (number, value.0)),
    );
    for number in numbered_uniforms(&args.frames, limit)?.into_keys() {
        if args.floats.iter().any(|constant| constant.number == number) {
            let message = format!("constant {number} has a value by --const and another one by --uniform");
            return Err(Failure::Usage(Message::error(message).help("leave one of them out")));
        }
        values.insert(number, [0; 4]);
    }
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
