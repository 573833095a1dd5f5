//! The inputs of a program: files, values that are made, buffers of other shaders.

use super::buffers::Buffer;
use crate::isa::x1k::shader;
use crate::options::RunArgs;
use crate::options::values::{Extent, InputSource, Name, NamedValue, Numbered};
use crate::report::Message;
use crate::run::sampling::{self, InputFile};
use crate::run::{Memory, TextureKind, TextureSpec, once_each};
use crate::{Console, Failure};
use ctm_array::Shape;
use ctm_compile::front::Interface;
use ctm_memory::Surface;
use ctm_raster::sampler::TextureShape;
use ctm_x1k::{Body, Effects, INPUTS, InputSampler, Program};

/// What reads inputs.
#[derive(Clone, Copy)]
pub struct Reader<'r> {
    /// Its program.
    pub program: &'r Program,
    /// What its names stand for, if it is a shader in source.
    pub interface: Option<&'r Interface>,
    /// The buffer that it makes, if it makes one: its inputs are called `BUFFER.NAME`.
    pub buffer: Option<&'r str>,
}

impl Reader<'_> {
    /// What of the command line is for this reader, with the names that it has itself.
    fn own<T: Clone>(&self, given: &[NamedValue<T>], buffers: &[Buffer]) -> Vec<NamedValue<T>> {
        let own = |given: &NamedValue<T>| {
            let Name::Word(name) = &given.name else { return self.buffer.is_none().then(|| given.clone()) };
            let of = name.split_once('.').filter(|(of, _)| buffers.iter().any(|buffer| buffer.name == *of));
            let name = match (of, self.buffer) {
                (Some((of, rest)), Some(buffer)) if of == buffer => rest,
                (None, None) => name,
                (Some(_) | None, _) => return None,
            };
            Some(NamedValue { name: Name::Word(name.to_owned()), value: given.value.clone() })
        };
        given.iter().filter_map(own).collect()
    }

    /// The inputs that the command line gives it, and their further levels, by number.
    ///
    /// # Errors
    /// A name is not that of a texture, or a texture has nothing.
    pub fn given(&self, args: &RunArgs, buffers: &[Buffer]) -> Result<GivenInputs, Failure> {
        let (inputs, mips) = (self.own(&args.inputs, buffers), self.own(&args.mips, buffers));
        let mut given = GivenInputs { inputs: numbered(&inputs), mips: numbered(&mips) };
        if let Some(interface) = self.interface {
            given.inputs.extend(shader::numbered(interface, &inputs)?);
            given.mips.extend(shader::numbered(interface, &mips)?);
            shader::require_textures(interface, self.buffer, &given.inputs)?;
        }
        Ok(given)
    }
}

fn numbered<T: Clone>(given: &[NamedValue<T>]) -> Vec<Numbered<T, 256>> {
    let number = |given: &NamedValue<T>| match given.name {
        Name::Number(number) => Some(Numbered { number, value: given.value.clone() }),
        Name::Word(_) => None,
    };
    given.iter().filter_map(number).collect()
}

/// What the command line gives a reader.
pub struct GivenInputs {
    /// Inputs.
    pub inputs: Vec<Numbered<InputSource, 256>>,
    /// Further levels of them.
    pub mips: Vec<Numbered<String, 256>>,
}

/// The inputs of a program, filled.
#[derive(Default)]
pub struct Inputs {
    /// What they lie in.
    pub surfaces: [Option<Surface>; INPUTS],
    /// How they are sampled.
    pub samplers: [Option<InputSampler>; INPUTS],
    /// What they are as textures: columns, rows, depth and levels.
    pub sizes: [Option<TextureShape>; INPUTS],
    /// Those that are buffers: their places among those of the run.
    pub buffers: [Option<usize>; INPUTS],
    /// Those that are outputs of the run: `(input, output)`.
    pub outputs: Vec<(u8, u8)>,
}

impl Inputs {
    /// Fills the inputs of a reader.
    ///
    /// # Errors
    /// A file cannot be read, or is not what the program reads.
    pub fn load(
        args: &RunArgs,
        reader: &Reader<'_>,
        buffers: &[Buffer],
        domain: Extent,
        memory: &mut Memory,
        console: &mut Console,
    ) -> Result<Self, Failure> {
        let GivenInputs { inputs, mips } = reader.given(args, buffers)?;
        let given = once_each("input", &inputs, INPUTS)?;
        let mut inputs = Inputs::default();
        let Reader { program, interface, .. } = *reader;
        for (&number, source) in &given {
            let place = usize::from(number);
            let levels: Vec<&str> =
                mips.iter().filter(|mip| mip.number == number).map(|mip| mip.value.as_str()).collect();
            match source {
                InputSource::File(text) if levels.is_empty() && buffer(text, buffers).is_some() => {
                    let (buffer, rest) = buffer(text, buffers).unwrap_or_default();
                    shader::require_kind(interface, number, text, TextureKind::D2, domain.height)?;
                    let shape = TextureShape::flat(domain.width, domain.height);
                    let sampler = sampling::of_buffer(text, rest).map_err(Failure::Usage)?;
                    inputs.samplers[place] = Some(InputSampler { sampler, shape, levels: Vec::new() });
                    inputs.sizes[place] = Some(shape);
                    inputs.buffers[place] = Some(buffer);
                }
                InputSource::File(text) => inputs.file(number, text, &levels, reader, memory, console)?,
                InputSource::Made(generator) if levels.is_empty() => {
                    shader::require_kind(interface, number, &generator.to_string(), TextureKind::D2, domain.height)?;
                    let (surface, Shape { width, height, .. }) = memory.make(*generator, domain)?;
                    inputs.surfaces[place] = Some(surface);
                    inputs.sizes[place] = Some(TextureShape::flat(width as u32, height as u32));
                    if interface.is_none() && surface.pitch as usize != width && looks_up_scaled(program, number) {
                        console.report(&widened(number, width, surface.pitch));
                    }
                }
                InputSource::Output(output) if levels.is_empty() => {
                    shader::require_kind(interface, number, &format!("@{output}"), TextureKind::D2, domain.height)?;
                    inputs.outputs.push((number, *output));
                }
                InputSource::Made(_) | InputSource::Output(_) => {
                    let message = format!("input {number} has a further level, but is not a file");
                    return Err(Failure::Usage(Message::error(message).help("leave --mip out, or give a file")));
                }
            }
        }
        if let Some(mip) = mips.iter().find(|mip| !given.contains_key(&mip.number)) {
            let message = format!("input {} has a further level, but no first one", mip.number);
            let help = format!("give it with --input {}=FILE", mip.number);
            return Err(Failure::Usage(Message::error(message).help(help)));
        }
        Ok(inputs)
    }

    /// Reads the file of an input, and those of further levels.
    fn file(
        &mut self,
        number: u8,
        text: &str,
        levels: &[&str],
        reader: &Reader<'_>,
        memory: &mut Memory,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let Reader { program, interface, .. } = *reader;
        let file = InputFile::parse(text)?.without_layers()?;
        let first = file.spec.load(console.host, memory, None)?;
        let [width, height, _] = first.size;
        shader::require_kind(interface, number, &file.spec.file.path.display().to_string(), first.kind, height)?;
        let shape = sampling::shape(&first, levels.len());
        let padded = first.surface.pitch != width && looks_up_scaled(program, number);
        // A shader's coordinates are parts of the picture, not of the memory that it lies in.
        let is_texture = file.spec.kind.is_some()
            || first.kind != TextureKind::D2
            || !levels.is_empty()
            || padded && interface.is_some();
        if is_texture {
            let mut sampler = file.sampler(first.kind)?;
            let mut surfaces = Vec::new();
            for (level, &text) in (1..).zip(levels) {
                let spec = TextureSpec::parse(text)?;
                let found = spec.load(console.host, memory, Some(first.kind))?;
                let what = format!("level {level} of input {number}");
                found.require(&sampling::expected(&first, &shape, level), text, &what)?;
                surfaces.push(found.surface);
            }
            if !levels.is_empty() {
                sampler = sampler.between_levels();
            }
            self.samplers[usize::from(number)] = Some(InputSampler { sampler, shape, levels: surfaces });
        } else if padded {
            console.report(&widened(number, width as usize, first.surface.pitch));
        }
        self.surfaces[usize::from(number)] = Some(first.surface);
        self.sizes[usize::from(number)] = Some(shape);
        Ok(())
    }
}

/// The place of the buffer that the text of an input names, `NAME[:2d[,FILTER][,WRAP...]]`, and what follows the name.
fn buffer<'t>(text: &'t str, buffers: &[Buffer]) -> Option<(usize, &'t str)> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    Some((buffers.iter().position(|buffer| buffer.name == name)?, rest))
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
