//! Textures and images of a run, from the command line.

use super::options::{ImageArea, MemoryArgs};
use crate::Failure;
use crate::host::Host;
use crate::options::values::{InputSource, Name, NamedValue};
use crate::report::Message;
use crate::run::sampling::InputFile;
use crate::run::{Memory, TextureKind, TextureLevel, TextureSpec, once_each};
use ctm_memory::{Bounds, View};
use ctm_sm50::codes::{SurfaceDim, TextureDim};
use ctm_sm50::images::{IMAGES, Image, Images};
use ctm_sm50::launch::Constants;
use ctm_sm50::textures::{FIRST_HANDLE, Texture, Textures};

/// What programs sample, and what they load and store texel by texel.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    pub textures: Textures,
    pub images: Images,
}

impl Resources {
    /// Those that the command line names: textures by `--input` and `--mip`. Their files go through this memory.
    ///
    /// # Errors
    /// An option or a file is wrong.
    pub fn read(
        (inputs, mips): (&[NamedValue<InputSource>], &[NamedValue<String>]),
        args: &MemoryArgs,
        memory: &mut Memory,
        host: &dyn Host,
    ) -> Result<Self, Failure> {
        let mut images = Images::default();
        for (number, area) in once_each("image", &args.images, IMAGES as usize)? {
            images.insert(number.into(), image(area));
        }
        Ok(Resources { textures: textures(inputs, mips, memory, host)?, images })
    }

    /// Puts the words by which Mesa's nouveau tells programs of them into the bank that has handles, where that is 0.
    pub fn bind(&self, constants: &mut Constants, bank: u8) {
        let textures = self.textures.numbers();
        let handles = textures.map(|number| ((FIRST_HANDLE + number) as usize, Textures::handle(number)));
        let mut words = constants.bank(bank).unwrap_or_default().to_vec();
        for (at, word) in handles.chain(self.images.driver_words()) {
            words.resize(words.len().max(at + 1), 0);
            if words[at] == 0 {
                words[at] = word;
            }
        }
        if !words.is_empty() {
            constants.set_bank(bank, words);
        }
    }
}

fn image(&ImageArea { address, size, kind, format }: &ImageArea) -> Image {
    let dim = match kind {
        TextureKind::D1 => SurfaceDim::D1,
        TextureKind::D2 => SurfaceDim::D2,
        TextureKind::D3 => SurfaceDim::D3,
        TextureKind::D1Array => SurfaceDim::Array1,
        TextureKind::D2Array | TextureKind::Cube => SurfaceDim::Array2,
    };
    // Layers are counted apart from rows.
    let size = if kind == TextureKind::D1Array { [size[0], 1, size[1]] } else { size };
    Image::packed(address, dim, size, format)
}

/// The textures of the command line, by the number of their unit.
fn textures(
    inputs: &[NamedValue<InputSource>],
    mips: &[NamedValue<String>],
    memory: &mut Memory,
    host: &dyn Host,
) -> Result<Textures, Failure> {
    let number = |name: &Name| match name {
        Name::Number(number) => Ok(u32::from(*number)),
        Name::Word(word) => {
            let message = format!("input '{word}': textures of SM50 programs have numbers");
            Err(Failure::Usage(Message::error(message).help("--input 0=FILE is the texture of unit 0")))
        }
    };
    let mut textures = Textures::default();
    for given in inputs {
        let unit = number(&given.name)?;
        let InputSource::File(text) = &given.value else {
            let message = format!("input {unit} of an SM50 program is a texture, and comes from a file");
            return Err(Failure::Usage(Message::error(message).help("--attribute 0x80=uv makes interpolated inputs")));
        };
        if textures.numbers().any(|number| number == unit) {
            return Err(Failure::Usage(Message::error(format!("input {unit} is given twice"))));
        }
        let file = InputFile::parse(text)?;
        let first = file.spec.load(host, memory, None)?;
        let mut sampler = file.sampler(first.kind)?;
        let mut levels = vec![texels(memory, &first)];
        for mip in mips {
            if number(&mip.name)? != unit {
                continue;
            }
            let level = levels.len() as u32;
            let found = TextureSpec::parse(&mip.value)?.load(host, memory, Some(first.kind))?;
            let [width, height, depth] = first.size;
            let deep = if first.kind == TextureKind::D3 { (depth >> level).max(1) } else { depth };
            let size = [(width >> level).max(1), (height >> level).max(1), deep];
            found.require(&TextureLevel { size, ..first }, &mip.value, &format!("level {level} of input {unit}"))?;
            levels.push(texels(memory, &found));
            sampler = sampler.between_levels();
        }
        let [width, height, deep] = first.size;
        let (dim, depth, layers) = match first.kind {
            TextureKind::D1 => (TextureDim::D1, 1, 1),
            TextureKind::D2 => (TextureDim::D2, 1, 1),
            TextureKind::D3 => (TextureDim::D3, deep, 1),
            TextureKind::D1Array => (TextureDim::Array1, 1, deep),
            TextureKind::D2Array => (TextureDim::Array2, 1, deep),
            TextureKind::Cube => (TextureDim::Cube, 1, 1),
        };
        textures.insert(unit, Texture::of_levels(dim, ([width, height, depth], layers), sampler, levels));
    }
    if let Some(mip) = mips
        .iter()
        .map(|mip| number(&mip.name))
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .find(|unit| textures.numbers().all(|number| number != *unit))
    {
        let message = format!("--mip {mip} has no --input {mip} whose level it is");
        return Err(Failure::Usage(Message::error(message)));
    }
    Ok(textures)
}

/// The texels of a level, row by row.
fn texels(memory: &Memory, level: &TextureLevel) -> Vec<[u32; 4]> {
    let [width, height, deep] = level.size;
    let view = View::new(&memory.space, level.surface, Bounds::Drop);
    let places = (0..height * deep).flat_map(|y| (0..width).map(move |x| (x, y)));
    places.map(|(x, y)| view.load(x.into(), y.into())).collect()
}
