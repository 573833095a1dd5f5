//! Textures: what programs sample, as vectors of four dwords.

mod decoding;
mod kept;
mod source;

pub use kept::Textures;

use crate::levels::{Level, levels};
use crate::resources::{Dimensions, TextureResource, WORDS};
use crate::texels::{KeptTexel, TexelDecoder, is_vector};
use ctm_card::{Object, ObjectBytes};
use ctm_memory::Arena;
use ctm_r700::{Dimension, Region, Select, TexelNumbers, Texels, Texture, VectorForm};
use decoding::{Input, LevelDecoder};
use source::{Changes, TextureSource};
use std::ops::Range;

/// Vectors of a texture at most.
const MAX_VECTORS: u64 = 1 << 25;
/// Faces of a cube.
const FACES: u32 = 6;
/// Bytes of a vector.
pub const VECTOR_BYTES: u64 = 16;

/// Why a texture cannot be sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureError {
    /// What of it is not known.
    Unknown(&'static str),
    /// The host has no memory.
    Memory,
}

/// What a texture is besides its texels.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    dimension: Dimension,
    size: [u32; 3],
    form: VectorForm,
    levels: usize,
    samples: u32,
    numbers: TexelNumbers,
}

impl Shape {
    /// What programs sample where there is no texture.
    pub fn nothing() -> Self {
        let form = VectorForm::Dwords;
        Shape { dimension: Dimension::D2, size: [1; 3], form, levels: 1, samples: 1, numbers: TexelNumbers::Float }
    }

    /// The texture whose vectors are there, with these selectors.
    pub fn with_texels(&self, region: Region, selects: [u8; 4]) -> Texture {
        let Shape { dimension, size, form, levels, samples, numbers } = *self;
        let select = |code: u8| match code {
            0 => Select::X,
            1 => Select::Y,
            2 => Select::Z,
            3 => Select::W,
            5 => Select::One,
            _ => Select::Zero,
        };
        let swizzle = selects.map(select);
        Texture { dimension, size, texels: Texels::Vectors { region, form, levels, samples }, numbers, swizzle }
    }
}

/// A texture that can be decoded.
struct Encoded {
    /// What it is besides its texels.
    shape: Shape,
    /// How many vectors it becomes.
    vectors: u64,
    decoder: TexelDecoder,
    levels: Vec<Level>,
    slices: Range<u32>,
}

impl Encoded {
    /// What a resource describes, of whose texels perhaps nothing but the `first` number is read.
    ///
    /// # Errors
    /// What of it is not known.
    fn of(resource: &TextureResource, first: bool) -> Result<Self, &'static str> {
        let decoder = TexelDecoder::new(resource).ok_or("has a format that is not known")?;
        let levels = levels(resource, decoder.block()).ok_or("has an order of texels that is not known")?;
        let (dimension, slices) = slices(resource);
        let [width, height, deep] = levels.first().map_or([1; 3], |level| level.size);
        let layers = if dimension == Dimension::D3 { deep } else { slices.len() as u32 };
        let shape = Shape {
            dimension,
            size: [width, height, layers],
            form: decoder.form(first),
            levels: levels.len(),
            samples: resource.samples(),
            numbers: decoder.numbers(),
        };
        let mut encoded = Encoded { shape, vectors: 0, decoder, levels, slices };
        encoded.vectors = encoded.levels().map(|level| level.vectors()).sum();
        if encoded.vectors > MAX_VECTORS { Err("is large") } else { Ok(encoded) }
    }

    /// Bytes of its vectors.
    fn bytes(&self) -> u64 {
        self.vectors * u64::from(self.shape.form.bytes())
    }

    fn slices_of(&self, level: &Level) -> Range<u32> {
        match self.shape.dimension {
            Dimension::D3 => 0..level.size[2],
            Dimension::D1 | Dimension::D2 | Dimension::D1Array | Dimension::D2Array | Dimension::Cube => {
                self.slices.clone()
            }
        }
    }

    fn levels(&self) -> impl Iterator<Item = LevelDecoder<'_>> {
        let samples = self.shape.samples;
        self.levels.iter().map(move |level| LevelDecoder {
            decoder: &self.decoder,
            level,
            slices: self.slices_of(level),
            samples,
        })
    }

    /// What each level is made of. The first level, and the others, are at these places of objects, in bytes.
    fn sources(&self, places: [(Object, u64); 2]) -> Vec<TextureSource> {
        let source = |(number, level): (usize, &Level)| {
            let (object, offset) = places[usize::from(number > 0)];
            let slices = self.slices_of(level);
            let slice = level.layout.slice_bytes();
            let begin = offset + level.begin + u64::from(slices.start) * slice;
            TextureSource::new(object, begin, slices.len() as u64 * slice)
        };
        self.levels.iter().enumerate().map(source).collect()
    }

    /// Decodes what has changed of its sources. What lies beyond the end of an object is 0.
    fn decode(&self, memory: &Arena, sources: &[TextureSource], changes: &[Changes], words: &mut [u32]) {
        let inputs = sources.iter().zip(changes);
        let inputs = inputs.map(|(source, changes)| Input { source: source.words(memory), changes });
        match self.shape.form {
            VectorForm::Dwords => self.decode_as(inputs, words.as_chunks_mut::<4>().0),
            VectorForm::Bytes => self.decode_as(inputs, words),
            VectorForm::Scalar => self.decode_as(inputs, words.as_chunks_mut::<1>().0),
        }
    }

    fn decode_as<'i>(&self, inputs: impl Iterator<Item = Input<'i>>, mut vectors: &mut [impl KeptTexel]) {
        for (level, input) in self.levels().zip(inputs) {
            let Some((of_level, others)) = vectors.split_at_mut_checked(level.vectors() as usize) else { return };
            level.decode(input, of_level);
            vectors = others;
        }
    }
}

/// A texture that needs no decoding: its texels are vectors that lie one after the other in memory, row by row, at this place of an object, in
/// bytes. None if it is not such a texture.
pub fn in_place(memory: &Arena, words: &[u32; WORDS], (object, offset): (Object, u64)) -> Option<(Shape, Region)> {
    let resource = TextureResource::read(words);
    // A decoder of other formats takes longer to make than small draws take.
    if !is_vector(resource.format) {
        return None;
    }
    let encoded = Encoded::of(&resource, false).ok()?;
    let [level] = &encoded.levels[..] else { return None };
    let ([width, height, _], slices) = (level.size, encoded.slices_of(level));
    let is_packed = level.layout.is_linear() && (level.layout.pitch() == width || height == 1);
    if !is_packed || slices.len() != 1 || encoded.shape.samples != 1 || !encoded.decoder.keeps_bits() {
        return None;
    }
    let length = u32::try_from(encoded.vectors * VECTOR_BYTES).ok()?;
    let begin = offset + level.begin + u64::from(slices.start) * level.layout.slice_bytes();
    let base = ObjectBytes::new(memory, object, 0).address(begin, length)?;
    memory.shared_words(base, length as usize / 4)?;
    Some((encoded.shape, Region { base, length }))
}

/// How coordinates are read, and the slices that they choose from.
fn slices(resource: &TextureResource) -> (Dimension, Range<u32>) {
    let first = u32::from(resource.first_layer);
    let layers = first..u32::from(resource.last_layer).max(first) + 1;
    match resource.dimensions {
        Dimensions::One => (Dimension::D1, first..first + 1),
        Dimensions::Two | Dimensions::TwoSamples => (Dimension::D2, first..first + 1),
        Dimensions::Three => (Dimension::D3, 0..1),
        Dimensions::Cube => (Dimension::Cube, first..first + FACES),
        Dimensions::OneArray => (Dimension::D1Array, layers),
        Dimensions::TwoArray | Dimensions::TwoArraySamples => (Dimension::D2Array, layers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::codes::ArrayMode;
    use crate::resources::NumberFormat;

    fn decode_all(encoded: &Encoded, memory: &Arena, sources: &[TextureSource], words: &mut [u32]) {
        let all: Vec<_> = sources.iter().map(|_| Changes::All).collect();
        encoded.decode(memory, sources, &all, words);
    }

    /// A texture of 32-bit integers that hold where they lie.
    fn numbered(resource: TextureResource) -> (Encoded, Vec<[u32; 4]>) {
        let memory = Arena::new(0x1_0000, 0x10_0000).unwrap();
        for word in 0..0x2_0000 {
            memory.write_u32(0x1_0000 + 4 * word, 4 * word);
        }
        let object = Object { address: 0x1_0000, size: 0x8_0000 };
        let resource = TextureResource { format: 0x0D, numbers: NumberFormat::Int, ..resource };
        let encoded = Encoded::of(&resource, false).unwrap();
        let sources = encoded.sources([(object, 0x100), (object, 0x4_0000)]);
        let mut words = vec![0; 4 * encoded.vectors as usize];
        decode_all(&encoded, &memory, &sources, &mut words);
        (encoded, words.as_chunks::<4>().0.to_vec())
    }

    #[test]
    fn every_texel_comes_from_its_place() {
        for tile_mode in [ArrayMode::LinearAligned, ArrayMode::Tiled1d, ArrayMode::Tiled2d] {
            let resource = TextureResource {
                dimensions: Dimensions::TwoArray,
                tile_mode,
                width: 39,
                height: 19,
                depth: 3,
                pitch: 7,
                first_layer: 1,
                last_layer: 2,
                last_level: 2,
                ..TextureResource::default()
            };
            let (encoded, vectors) = numbered(resource);
            assert_eq!((encoded.shape.size, encoded.shape.levels), ([40, 20, 2], 3));
            let mut vectors = vectors.iter();
            for (number, level) in levels(&resource, (1, 1, 4)).unwrap().iter().enumerate() {
                let base = if number == 0 { 0x100 } else { 0x4_0000 + level.begin };
                let [width, height, _] = level.size;
                for (slice, y, x) in
                    (1..3).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (z, y, x))))
                {
                    let place = base + level.layout.offset(x, y, slice);
                    assert_eq!(
                        *vectors.next().unwrap(),
                        [place as u32, 0, 0, 1],
                        "{tile_mode:?} {number} {slice} {x} {y}"
                    );
                }
            }
            assert_eq!(vectors.next(), None);
        }
    }

    #[test]
    fn samples_follow_each_other() {
        let resource = TextureResource {
            dimensions: Dimensions::TwoSamples,
            tile_mode: ArrayMode::Tiled2d,
            width: 9,
            height: 2,
            pitch: 7,
            last_level: 3,
            ..TextureResource::default()
        };
        let (encoded, vectors) = numbered(resource);
        assert_eq!((encoded.shape.samples, vectors.len()), (8, 8 * 30));
        let layout = levels(&resource, (1, 1, 4)).unwrap()[0].layout;
        for (n, vector) in vectors.iter().enumerate() {
            let (texel, sample) = (n as u32 / 8, n as u32 % 8);
            let place = 0x100 + layout.sample_offset(texel % 10, texel / 10, 0, sample);
            assert_eq!(u64::from(vector[0]), place, "{texel} {sample}");
        }
    }

    #[test]
    fn what_is_behind_an_object_is_zero() {
        let memory = Arena::new(0x1_0000, 0x1_0000).unwrap();
        memory.fill_words(0x1_0000, 0x4000, u32::MAX, u32::MAX);
        let resource = TextureResource {
            dimensions: Dimensions::Two,
            tile_mode: ArrayMode::LinearAligned,
            width: 63,
            height: 3,
            pitch: 7,
            format: 0x0D,
            numbers: NumberFormat::Int,
            ..TextureResource::default()
        };
        let encoded = Encoded::of(&resource, false).unwrap();
        let object = Object { address: 0x1_0000, size: 0x200 };
        let sources = encoded.sources([(object, 0); 2]);
        let mut words = vec![7; 4 * encoded.vectors as usize];
        decode_all(&encoded, &memory, &sources, &mut words);
        assert_eq!((words[4 * 127], words[4 * 128], words[4 * 255 + 3]), (u32::MAX, 0, 1));
        let huge = TextureResource { dimensions: Dimensions::Three, width: 8191, height: 8191, depth: 9, ..resource };
        assert_eq!(Encoded::of(&huge, false).err(), Some("is large"));
    }

    /// What needs no decoding is what decoding gives.
    #[test]
    fn vectors_are_read_in_place() {
        let memory = Arena::new(0x1_0000, 0x4_0000).unwrap();
        for word in 0..0x1_0000 {
            memory.write_u32(0x1_0000 + 4 * word, word.wrapping_mul(0x9E37_79B9));
        }
        let object = Object { address: 0x1_0000, size: 0x3_0000 };
        // Of a kind, with an order, a pitch, a size, a format, numbers, levels, and a first layer.
        let words = |[kind, order, pitch, width, height]: [u32; 5], [format, numbers, levels, layer]: [u32; 4]| {
            let first = kind | order << 3 | (pitch / 8 - 1) << 8 | (width - 1) << 19;
            let second = (height - 1) | 3 << 13 | format << 26;
            [first, second, 0, 0, 0x0688_0000 | numbers << 8, levels | layer << 4, 2 << 30]
        };
        let found = |words: [u32; WORDS], begin: u64| in_place(&memory, &words, (object, begin));
        let (floats, integers) = ([0x23, 0, 0, 0], [0x22, 1, 0, 0]);
        let flat = [1, 1, 64, 64, 17];
        for (sizes, others) in
            [(flat, floats), (flat, integers), ([0, 1, 128, 90, 1], floats), ([5, 1, 64, 64, 17], [0x23, 0, 0, 3])]
        {
            let words = words(sizes, others);
            let (shape, region) = found(words, 0x100).unwrap_or_else(|| panic!("{sizes:?}"));
            let encoded = Encoded::of(&TextureResource::read(&words), false).unwrap();
            let mut expected = vec![0; 4 * encoded.vectors as usize];
            decode_all(&encoded, &memory, &encoded.sources([(object, 0x100); 2]), &mut expected);
            let mut stored = vec![0; region.length as usize / 4];
            assert!(memory.read_words(region.base, &mut stored));
            assert!(stored == expected && shape == encoded.shape, "{sizes:?}");
        }
        for (sizes, others) in [
            // Tiles, rows that lie apart, words, fractions, levels, layers, samples.
            ([1, 2, 64, 64, 17], floats),
            ([1, 4, 64, 64, 16], floats),
            ([1, 1, 128, 64, 17], floats),
            (flat, [0x0E, 0, 0, 0]),
            (flat, [0x22, 2, 0, 0]),
            (flat, [0x23, 0, 2, 0]),
            ([5, 1, 64, 64, 17], [0x23, 0, 1 << 17, 0]),
            ([6, 4, 64, 64, 16], [0x23, 0, 1, 0]),
        ] {
            assert_eq!(found(words(sizes, others), 0x100), None, "{sizes:?} {others:?}");
        }
        assert_eq!(found(words(flat, floats), 0x3_0000 - 64 * 17 * 16 + 0x100), None, "the object ends before");
        assert!(found(words(flat, floats), 0x3_0000 - 64 * 17 * 16).is_some());
    }
}
