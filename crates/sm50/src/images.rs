//! Images that programs load and store texel by texel: what the headers of textures say on the machine of their sizes and formats, over
//! global memory.
//!
//! A handle names an image by its lower twenty bits, as it names a texture. Mesa's nouveau keeps handles of images, and what its programs
//! look at before they use one, in the bank that has those of textures ([`Images::driver_words`]).

use crate::codes::SurfaceDim;
use ctm_num::convert::{f16_to_f32, f32_to_f16, f32_to_snorm, f32_to_unorm};
use ctm_raster::layout::BlockLayout;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// Images that a stage has.
pub const IMAGES: u32 = 8;
/// The word of the handle of image 0 in the bank of handles.
const FIRST_HANDLE: u32 = 0xa0 / 4;
/// The word from which on image 0 is described in that bank.
const FIRST_DESCRIPTION: u32 = 0x4a0 / 4;
/// Words of a description.
const DESCRIPTION: u32 = 16;
/// The number of image 0: the numbers before are those of textures.
const FIRST_NUMBER: u32 = 0x400;
/// Images begin at multiples of it.
pub const IMAGE_ALIGNMENT: u32 = 256;

/// What the components of a format are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageNumbers {
    /// Fractions from 0 to 1.
    Unorm,
    /// Fractions from -1 to 1.
    Snorm,
    /// Floats.
    Float,
    /// Integers with a sign.
    Sint,
    /// Integers without a sign.
    Uint,
}

/// A format of texels: OpenGL's formats of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageFormat {
    name: &'static str,
    /// Bits of each component, from the lowest bit on.
    widths: [u8; 4],
    kind: ImageNumbers,
}

macro_rules! formats {
    ($($name:literal $kind:ident $widths:expr;)*) => {
        /// Every format.
        const FORMATS: &[ImageFormat] = &[$(ImageFormat { name: $name, widths: $widths, kind: ImageNumbers::$kind }),*];
    };
}

formats! {
    "rgba32f" Float [32; 4];
    "rgba16f" Float [16; 4];
    "rg32f" Float [32, 32, 0, 0];
    "rg16f" Float [16, 16, 0, 0];
    "r11f_g11f_b10f" Float [11, 11, 10, 0];
    "r32f" Float [32, 0, 0, 0];
    "r16f" Float [16, 0, 0, 0];
    "rgba16" Unorm [16; 4];
    "rgb10_a2" Unorm [10, 10, 10, 2];
    "rgba8" Unorm [8; 4];
    "rg16" Unorm [16, 16, 0, 0];
    "rg8" Unorm [8, 8, 0, 0];
    "r16" Unorm [16, 0, 0, 0];
    "r8" Unorm [8, 0, 0, 0];
    "rgba16_snorm" Snorm [16; 4];
    "rgba8_snorm" Snorm [8; 4];
    "rg16_snorm" Snorm [16, 16, 0, 0];
    "rg8_snorm" Snorm [8, 8, 0, 0];
    "r16_snorm" Snorm [16, 0, 0, 0];
    "r8_snorm" Snorm [8, 0, 0, 0];
    "rgba32i" Sint [32; 4];
    "rgba16i" Sint [16; 4];
    "rgba8i" Sint [8; 4];
    "rg32i" Sint [32, 32, 0, 0];
    "rg16i" Sint [16, 16, 0, 0];
    "rg8i" Sint [8, 8, 0, 0];
    "r32i" Sint [32, 0, 0, 0];
    "r16i" Sint [16, 0, 0, 0];
    "r8i" Sint [8, 0, 0, 0];
    "rgba32ui" Uint [32; 4];
    "rgba16ui" Uint [16; 4];
    "rgb10_a2ui" Uint [10, 10, 10, 2];
    "rgba8ui" Uint [8; 4];
    "rg32ui" Uint [32, 32, 0, 0];
    "rg16ui" Uint [16, 16, 0, 0];
    "rg8ui" Uint [8, 8, 0, 0];
    "r32ui" Uint [32, 0, 0, 0];
    "r16ui" Uint [16, 0, 0, 0];
    "r8ui" Uint [8, 0, 0, 0];
}

impl ImageFormat {
    /// The format that OpenGL's shading language calls so.
    pub fn parse(name: &str) -> Option<Self> {
        FORMATS.iter().find(|format| format.name == name).copied()
    }

    /// The format whose components have so many bits, from the lowest bit on, and are such numbers.
    pub fn of_components(widths: [u8; 4], numbers: ImageNumbers) -> Option<Self> {
        FORMATS.iter().find(|format| (format.widths, format.kind) == (widths, numbers)).copied()
    }

    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FORMATS.iter().map(|format| format.name)
    }

    /// What OpenGL's shading language calls it.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Bytes of a texel: 1, 2, 4, 8 or 16.
    pub fn bytes(self) -> u32 {
        self.widths.iter().map(|&width| u32::from(width)).sum::<u32>() / 8
    }

    /// Whether components are floats; fractions are not.
    pub(crate) const fn has_floats(self) -> bool {
        matches!(self.kind, ImageNumbers::Float)
    }

    /// Whether components are signed integers.
    pub(crate) const fn has_signed_integers(self) -> bool {
        matches!(self.kind, ImageNumbers::Sint)
    }

    /// The components of a stored texel: binary32 or integers. Those that the format lacks are 0, 0, 0, 1.
    pub fn decode(self, texel: u128) -> [u32; 4] {
        let is_integer = matches!(self.kind, ImageNumbers::Sint | ImageNumbers::Uint);
        let mut place = 0;
        std::array::from_fn(|n| {
            let width = u32::from(self.widths[n]);
            if width == 0 {
                return match (n, is_integer) {
                    (3, true) => 1,
                    (3, false) => 1.0f32.to_bits(),
                    _ => 0,
                };
            }
            let bits = (texel >> place) as u32 & u32::MAX >> (32 - width);
            place += width;
            self.kind.decode(bits, width)
        })
    }

    /// The stored texel of four components. Integers that do not fit lose their upper bits; fractions are clamped.
    ///
    /// (Decision S64: floats of 11 and 10 bits are rounded to zero, and negative ones become 0.)
    pub fn encode(self, components: [u32; 4]) -> u128 {
        let mut place = 0;
        components.into_iter().zip(self.widths).filter(|&(_, width)| width > 0).fold(0, |texel, (value, width)| {
            let width = u32::from(width);
            let bits = self.kind.encode(value, width) & u32::MAX >> (32 - width);
            let at = place;
            place += width;
            texel | u128::from(bits) << at
        })
    }
}

impl ImageNumbers {
    fn decode(self, bits: u32, width: u32) -> u32 {
        let max = u32::MAX >> (32 - width);
        let signed = (bits << (32 - width)).cast_signed() >> (32 - width);
        match self {
            ImageNumbers::Unorm => (bits as f32 / max as f32).to_bits(),
            ImageNumbers::Snorm => (signed as f32 / (max >> 1) as f32).max(-1.0).to_bits(),
            ImageNumbers::Float => match width {
                32 => bits,
                16 => f16_to_f32(bits as u16),
                // Binary16 without its sign, and with fewer bits of the significand.
                _ => f16_to_f32((bits << (15 - width)) as u16),
            },
            ImageNumbers::Sint => signed.cast_unsigned(),
            ImageNumbers::Uint => bits,
        }
    }

    fn encode(self, value: u32, width: u32) -> u32 {
        let max = u32::MAX >> (32 - width);
        match self {
            ImageNumbers::Unorm => f32_to_unorm(value, max),
            ImageNumbers::Snorm => f32_to_snorm(value, max >> 1).cast_unsigned(),
            ImageNumbers::Float => match width {
                32 => value,
                16 => f32_to_f16(value).into(),
                _ => small_float(value, width - 5),
            },
            ImageNumbers::Sint | ImageNumbers::Uint => value,
        }
    }
}

/// A float of five bits of exponent, without a sign, rounded to zero.
fn small_float(value: u32, significand: u32) -> u32 {
    let infinity = 31 << significand;
    let number = f32::from_bits(value);
    if number.is_nan() {
        return infinity | 1;
    }
    if value >> 31 != 0 {
        return 0;
    }
    let (exponent, fraction) = (value >> 23, value & 0x7f_ffff);
    match exponent.checked_sub(127 - 15) {
        Some(0) | None => {
            // Denormal: 2^-14 is the unit that the significand divides.
            let shift = 23 - significand + (127 - 14 - exponent.max(1));
            (fraction | if exponent == 0 { 0 } else { 1 << 23 }).checked_shr(shift).unwrap_or(0)
        }
        Some(biased @ 1..31) => biased << significand | fraction >> (23 - significand),
        Some(_) if number.is_infinite() => infinity,
        Some(_) => infinity - 1,
    }
}

/// An image over global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// The byte address of its first texel.
    pub address: u32,
    /// Its dimensions.
    pub dim: SurfaceDim,
    /// Texels across and down, slices or layers.
    pub size: [u32; 3],
    /// What a texel is.
    pub format: ImageFormat,
    /// Where texels are.
    pub layout: ImageLayout,
    /// For each component that programs see, the component of texels that it is; 4 for 0, 5 for the integer 1, 6 for 1.0.
    pub swizzle: [u8; 4],
}

/// Where the texels of an image are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageLayout {
    /// Rows follow each other without gaps, and so do slices and layers.
    Packed,
    /// Rows are so many bytes apart; there is one slice.
    Rows(u32),
    /// In blocks of GOBs. Columns count texels in all instructions.
    Blocks {
        /// The blocks of a layer, or of all slices of a volume.
        blocks: BlockLayout,
        /// From one layer to the next, in bytes; 0 of volumes.
        layer_stride: u32,
    },
}

impl Image {
    /// An image whose rows and slices follow each other without gaps.
    pub const fn packed(address: u32, dim: SurfaceDim, size: [u32; 3], format: ImageFormat) -> Self {
        Image { address, dim, size, format, layout: ImageLayout::Packed, swizzle: [0, 1, 2, 3] }
    }

    /// The byte address of so many bytes of a texel, by its coordinates as instructions have them; the first counts bytes if `by_bytes`, of packed
    /// images. `None` outside of the image.
    pub(crate) fn place(&self, coordinates: [u32; 3], by_bytes: bool, bytes: u32) -> Option<u32> {
        // Sizes are anybody's.
        let [width, height, depth] = self.size.map(u128::from);
        let texel = u128::from(self.format.bytes());
        let [x, second, third] = coordinates.map(u128::from);
        let (y, z) = match self.dim {
            SurfaceDim::D1 | SurfaceDim::Buffer => (0, 0),
            SurfaceDim::Array1 => (0, second),
            SurfaceDim::D2 => (second, 0),
            SurfaceDim::Array2 | SurfaceDim::D3 => (second, third),
            SurfaceDim::Invalid6 | SurfaceDim::Invalid7 => return None,
        };
        let x = if by_bytes && self.layout == ImageLayout::Packed { x } else { x * texel };
        if x + u128::from(bytes) > width * texel || y >= height || z >= depth {
            return None;
        }
        let offset = match self.layout {
            ImageLayout::Packed => ((z * height + y) * width) * texel + x,
            ImageLayout::Rows(pitch) => y * u128::from(pitch) + x,
            ImageLayout::Blocks { blocks, layer_stride } => {
                let [x, y, z] = [x, y, z].map(|at| at as u64);
                let (layer, slice) = if layer_stride == 0 { (0, z) } else { (z, 0) };
                u128::from(layer) * u128::from(layer_stride) + u128::from(blocks.row(y, slice) + blocks.column(x))
            }
        };
        u32::try_from(u128::from(self.address) + offset).ok()
    }

    /// The components of a stored texel, as programs see them.
    pub(crate) fn decode(&self, texel: u128) -> [u32; 4] {
        let components = self.format.decode(texel);
        self.swizzle.map(|source| match source {
            0..=3 => components[usize::from(source)],
            5 => 1,
            6 => 1.0f32.to_bits(),
            _ => 0,
        })
    }

    /// The texel that programs store with these components: each goes where it comes from.
    pub(crate) fn encode(&self, components: [u32; 4]) -> u128 {
        let mut stored = [0; 4];
        for (component, source) in components.into_iter().zip(self.swizzle) {
            if let Some(place) = stored.get_mut(usize::from(source)) {
                *place = component;
            }
        }
        self.format.encode(stored)
    }

    /// What TXQ says of its dimensions.
    pub(crate) fn dimensions(&self) -> [u32; 4] {
        let [width, height, depth] = self.size;
        match self.dim {
            SurfaceDim::D1 | SurfaceDim::Buffer => [width, 0, 0, 1],
            SurfaceDim::Array1 => [width, depth, 0, 1],
            SurfaceDim::D2 => [width, height, 0, 1],
            SurfaceDim::Array2 | SurfaceDim::D3 => [width, height, depth, 1],
            SurfaceDim::Invalid6 | SurfaceDim::Invalid7 => [0; 4],
        }
    }
}

/// The headers of images that handles name: a card finds them in its memory when programs ask for them.
pub trait ImageHeaders: Debug + Send + Sync {
    /// The image that a handle names; `None` if it names nothing that programs can store to.
    fn image(&self, handle: u32) -> Option<Image>;
}

/// The images of a launch.
#[derive(Clone, Debug, Default)]
pub struct Images {
    /// By their numbers.
    numbered: BTreeMap<u32, Image>,
    /// The others.
    headers: Option<Arc<dyn ImageHeaders>>,
}

impl Images {
    /// Images that are found as they are asked for.
    pub fn of_headers(headers: Arc<dyn ImageHeaders>) -> Self {
        Images { numbered: BTreeMap::new(), headers: Some(headers) }
    }

    /// Puts an image in.
    pub fn insert(&mut self, number: u32, image: Image) {
        self.numbered.insert(number, image);
    }

    /// The image that a handle names.
    pub fn of_handle(&self, handle: u32) -> Option<Image> {
        match self.numbered(handle) {
            Some(&image) => Some(image),
            None => self.headers.as_ref()?.image(handle),
        }
    }

    /// The image with a number that a handle names.
    pub fn numbered(&self, handle: u32) -> Option<&Image> {
        self.numbered.get(&(handle & 0xf_ffff).checked_sub(FIRST_NUMBER)?)
    }

    /// The handle of an image.
    pub const fn handle(number: u32) -> u32 {
        FIRST_NUMBER + number
    }

    /// The images with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Image)> {
        self.numbered.iter().map(|(&number, image)| (number, image))
    }

    /// The words of the bank of handles by which nouveau's programs know the images, by their number in the bank: handles, and
    /// descriptions, of which programs look at the address and at the bytes of a texel.
    pub fn driver_words(&self) -> impl Iterator<Item = (usize, u32)> {
        self.iter().filter(|&(number, _)| number < IMAGES).flat_map(|(number, image)| {
            let [width, height, depth] = image.size;
            let texel = image.format.bytes();
            let (row, slice) = (width.wrapping_mul(texel), width.wrapping_mul(height).wrapping_mul(texel));
            let described = [
                (0, image.address / IMAGE_ALIGNMENT),
                (2, width),
                (3, row),
                (4, height),
                (5, slice),
                (6, depth),
                (8, width),
                (9, height),
                (10, depth),
                (12, texel),
            ];
            let first = FIRST_DESCRIPTION + number * DESCRIPTION;
            let described = described.into_iter().map(move |(word, value)| ((first + word) as usize, value));
            described.chain([((FIRST_HANDLE + number) as usize, Images::handle(number))])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(format: &str, texel: u128) -> [f32; 4] {
        ImageFormat::parse(format).unwrap().decode(texel).map(f32::from_bits)
    }

    #[test]
    fn stored_texels_are_what_they_stand_for() {
        assert_eq!(floats("rgba8", 0xff00_80ff), [1.0, 128.0 / 255.0, 0.0, 1.0]);
        assert_eq!(floats("rg8_snorm", 0x8081), [-1.0, -1.0, 0.0, 1.0]);
        assert_eq!(floats("rgb10_a2", 0xc000_03ff), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(floats("r11f_g11f_b10f", 15 << 27 | 0x7c0), [f32::INFINITY, 0.0, 1.0, 1.0]);
        let signed = ImageFormat::parse("rg16i").unwrap();
        assert_eq!(signed.decode(0x7fff_8000).map(u32::cast_signed), [-32768, 32767, 0, 1]);
    }

    #[test]
    fn what_is_decoded_is_encoded_again() {
        for format in FORMATS {
            let bits = 8 * format.bytes();
            for seed in [0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10u128, 0x3f81_3c00_4000_3e66_3f00_3800_3f81_3c00] {
                let texel = seed & u128::MAX >> (128 - bits);
                assert_eq!(format.encode(format.decode(texel)), texel, "{} {texel:#x}", format.name);
            }
        }
    }

    #[test]
    fn small_floats_are_rounded_to_zero() {
        let format = ImageFormat::parse("r11f_g11f_b10f").unwrap();
        let red = |value: f32| format.decode(format.encode([value.to_bits(), 0, 0, 0]))[0];
        let rows = [
            (1.0, 1.0),
            (1.0 + 1.99 / 64.0, 1.0 + 1.0 / 64.0),
            (-1.0, 0.0),
            (1e9, 65024.0),
            (f32::INFINITY, f32::INFINITY),
            (2.0f32.powi(-20), 2.0f32.powi(-20)),
            (2.0f32.powi(-21), 0.0),
            (2.0f32.powi(-14), 2.0f32.powi(-14)),
            (1e-40, 0.0),
        ];
        for (value, expected) in rows {
            assert_eq!(f32::from_bits(red(value)), expected, "{value}");
        }
        assert!(f32::from_bits(red(f32::NAN)).is_nan());
    }

    #[test]
    fn places_are_inside() {
        let format = ImageFormat::parse("r32ui").unwrap();
        let image = |dim, size| Image::packed(0x100, dim, size, format);
        let flat = image(SurfaceDim::D2, [4, 3, 1]);
        assert_eq!(flat.place([3, 2, 9], false, 4), Some(0x100 + 4 * 11));
        assert_eq!(flat.place([4, 2, 0], false, 4), None);
        assert_eq!(flat.place([u32::MAX, 0, 0], false, 4), None);
        assert_eq!(flat.place([15, 0, 0], true, 1), Some(0x10f));
        assert_eq!(flat.place([15, 0, 0], true, 2), None);
        assert_eq!(image(SurfaceDim::Array1, [4, 1, 3]).place([1, 2, 0], false, 4), Some(0x100 + 4 * 9));
        assert_eq!(image(SurfaceDim::D3, [2, 2, 2]).place([0, 1, 1], false, 4), Some(0x100 + 4 * 6));
        let huge = image(SurfaceDim::D3, [u32::MAX; 3]);
        assert_eq!(huge.place([u32::MAX - 1; 3], false, 4), None);
    }
}
