//! Resources: what textures and buffers are that programs fetch from. Each has seven words in a row of registers.
//!
//! Source: Mesa `r600d.h` (`SQ_TEX_RESOURCE_WORD...`, `SQ_VTX_CONSTANT_WORD...`).

use crate::registers::{self, codes::ArrayMode};
use ctm_bits::{Field, codes, field_table};

/// Byte offset of the first resource's first word.
pub const ADDRESS: u32 = registers::RESOURCES;
/// Words of a resource.
pub const WORDS: usize = registers::RESOURCE_WORDS;
/// Resources that there are.
pub const COUNT: u32 = 585;
/// Bytes from one resource to the next.
pub const STRIDE: u32 = 4 * WORDS as u32;

codes! {
    /// What a resource is.
    pub enum ResourceType: 2 {
        /// Nothing valid.
        0 Invalid "invalid",
        /// Nothing valid.
        1 InvalidBuffer "invalid buffer",
        /// A texture.
        2 Texture "texture",
        /// A buffer.
        3 Buffer "buffer",
    }
}

codes! {
    /// The dimensions of a texture.
    pub enum Dimensions: 3 {
        /// One.
        0 One "1D",
        /// Two.
        1 Two "2D",
        /// Three.
        2 Three "3D",
        /// Six faces.
        3 Cube "cube",
        /// Layers of one.
        4 OneArray "1D array",
        /// Layers of two.
        5 TwoArray "2D array",
        /// Two, with several samples.
        6 TwoSamples "2D with samples",
        /// Layers of two, with several samples.
        7 TwoArraySamples "2D array with samples",
    }
}

codes! {
    /// What the numbers of a resource are.
    pub enum NumberFormat: 2 {
        /// Fractions.
        0 Norm "norm",
        /// Integers.
        1 Int "int",
        /// Integers as numbers.
        2 Scaled "scaled",
        /// Reserved.
        3 Reserved3 "reserved 3",
    }
}

/// The words of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureResource {
    /// Dimensions.
    pub dimensions: Dimensions,
    /// Order of texels.
    pub tile_mode: ArrayMode,
    /// Whether tiles are those of depth buffers; not looked at.
    pub tile_type: bool,
    /// An eighth of the pitch of the first level in texels, - 1.
    pub pitch: u16,
    /// Width of the first level, - 1.
    pub width: u16,
    /// Height of the first level, - 1.
    pub height: u16,
    /// Depth of the first level, or layers, - 1.
    pub depth: u16,
    /// What texels are.
    pub format: u8,
    /// Where the first level lies, in units of 256 bytes.
    pub base: u32,
    /// Where the other levels lie, in units of 256 bytes.
    pub mips: u32,
    /// Signs of the four components: 1 is signed.
    pub signs: [u8; 4],
    /// What its numbers are.
    pub numbers: NumberFormat,
    /// Rules of signed fractions.
    pub surface_mode: bool,
    /// Texels are sRGB.
    pub degamma: bool,
    /// Order of bytes.
    pub swap: u8,
    /// Where the four results come from: a component, 4 for zero, 5 for one.
    pub selects: [u8; 4],
    /// The first level that there is.
    pub base_level: u8,
    /// The last level; with samples log2 of their number.
    pub last_level: u8,
    /// The first layer.
    pub first_layer: u16,
    /// The last layer.
    pub last_layer: u16,
    /// Greatest anisotropy.
    pub anisotropy: u8,
    /// What it is.
    pub kind: ResourceType,
}

field_table! { TextureResource, words 7;
    DIM,            0 [2:0],   {dimensions},   Dimensions,   "dimensions";
    TILE_MODE,      0 [6:3],   {tile_mode},    ArrayMode,    "order of texels";
    TILE_TYPE,      0 [7:7],   {tile_type},    bool,         "tiles of depth buffers";
    PITCH,          0 [18:8],  {pitch},        u16,          "an eighth of the pitch, - 1";
    TEX_WIDTH,      0 [31:19], {width},        u16,          "width, - 1";
    TEX_HEIGHT,     1 [12:0],  {height},       u16,          "height, - 1";
    TEX_DEPTH,      1 [25:13], {depth},        u16,          "depth or layers, - 1";
    DATA_FORMAT,    1 [31:26], {format},       u8,           "what texels are";
    BASE_ADDRESS,   2 [31:0],  {base},         u32,          "in units of 256 bytes";
    MIP_ADDRESS,    3 [31:0],  {mips},         u32,          "in units of 256 bytes";
    FORMAT_COMP_X,  4 [1:0],   {signs[0]},     u8,           "sign of x";
    FORMAT_COMP_Y,  4 [3:2],   {signs[1]},     u8,           "sign of y";
    FORMAT_COMP_Z,  4 [5:4],   {signs[2]},     u8,           "sign of z";
    FORMAT_COMP_W,  4 [7:6],   {signs[3]},     u8,           "sign of w";
    NUM_FORMAT_ALL, 4 [9:8],   {numbers},      NumberFormat, "what numbers are";
    SRF_MODE_ALL,   4 [10:10], {surface_mode}, bool,         "rules of signed fractions";
    FORCE_DEGAMMA,  4 [11:11], {degamma},      bool,         "texels are sRGB";
    ENDIAN_SWAP,    4 [13:12], {swap},         u8,           "order of bytes";
    DST_SEL_X,      4 [18:16], {selects[0]},   u8,           "where x comes from";
    DST_SEL_Y,      4 [21:19], {selects[1]},   u8,           "where y comes from";
    DST_SEL_Z,      4 [24:22], {selects[2]},   u8,           "where z comes from";
    DST_SEL_W,      4 [27:25], {selects[3]},   u8,           "where w comes from";
    BASE_LEVEL,     4 [31:28], {base_level},   u8,           "the first level";
    LAST_LEVEL,     5 [3:0],   {last_level},   u8,           "the last level, or log2 of the samples";
    BASE_ARRAY,     5 [16:4],  {first_layer},  u16,          "the first layer";
    LAST_ARRAY,     5 [29:17], {last_layer},   u16,          "the last layer";
    MAX_ANISO,      6 [4:2],   {anisotropy},   u8,           "greatest anisotropy";
    TYPE,           6 [31:30], {kind},         ResourceType,         "what it is";
}

/// The words of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferResource {
    /// Where it begins, in bytes.
    pub base: u32,
    /// Bytes, - 1.
    pub last: u32,
    /// High bits of where it begins.
    pub base_high: u8,
    /// Bytes from one element to the next.
    pub stride: u16,
    /// Coordinates are clamped.
    pub clamp: bool,
    /// What elements are.
    pub format: u8,
    /// What its numbers are.
    pub numbers: NumberFormat,
    /// Numbers are signed.
    pub signed: bool,
    /// Rules of signed fractions.
    pub surface_mode: bool,
    /// Order of bytes.
    pub swap: u8,
    /// What it is.
    pub kind: ResourceType,
}

field_table! { BufferResource, words 7;
    BASE_ADDRESS,    0 [31:0],  {base},         u32,          "in bytes";
    SIZE,            1 [31:0],  {last},         u32,          "bytes, - 1";
    BASE_ADDRESS_HI, 2 [7:0],   {base_high},    u8,           "high bits of the address";
    STRIDE,          2 [18:8],  {stride},       u16,          "bytes from one element to the next";
    CLAMP_X,         2 [19:19], {clamp},        bool,         "coordinates are clamped";
    DATA_FORMAT,     2 [25:20], {format},       u8,           "what elements are";
    NUM_FORMAT_ALL,  2 [27:26], {numbers},      NumberFormat, "what numbers are";
    FORMAT_COMP_ALL, 2 [28:28], {signed},       bool,         "numbers are signed";
    SRF_MODE_ALL,    2 [29:29], {surface_mode}, bool,         "rules of signed fractions";
    ENDIAN_SWAP,     2 [31:30], {swap},         u8,           "order of bytes";
    TYPE,            6 [31:30], {kind},         ResourceType,         "what it is";
}

/// What the words of a resource are.
pub fn kind(words: &[u32; WORDS]) -> ResourceType {
    TextureResource::read(words).kind
}

/// The fields of a resource.
pub fn fields(kind: ResourceType) -> &'static [Field] {
    match kind {
        ResourceType::Texture => TextureResource::FIELDS,
        ResourceType::Buffer => BufferResource::FIELDS,
        ResourceType::Invalid | ResourceType::InvalidBuffer => &[],
    }
}

/// The words that name an object, in the order of their relocations.
pub fn relocated(kind: ResourceType) -> &'static [usize] {
    match kind {
        ResourceType::Texture => &[2, 3],
        ResourceType::Buffer => &[0],
        ResourceType::Invalid | ResourceType::InvalidBuffer => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resource 320 of Debian's driver for a triangle: vertices of 16 bytes.
    #[test]
    fn words_of_a_buffer() {
        let words = [0, 0xF_FFFF, 0x1000, 0, 0, 0, 0xC000_0000];
        assert_eq!(kind(&words), ResourceType::Buffer);
        let buffer = BufferResource::read(&words);
        assert_eq!((buffer.last, buffer.stride, buffer.kind), (0xF_FFFF, 16, ResourceType::Buffer));
    }

    /// 64x64 texels of four bytes.
    #[test]
    fn words_of_a_texture() {
        let words = [0x01F8_0721, 0x6800_003F, 0, 0, 0x0688_4000, 0, 0x8000_0000];
        let texture = TextureResource::read(&words);
        assert_eq!((texture.dimensions, texture.tile_mode), (Dimensions::Two, ArrayMode::Tiled2d));
        assert_eq!(((texture.pitch + 1) * 8, texture.width, texture.height), (64, 63, 63));
        assert_eq!((texture.format, texture.selects, texture.kind), (0x1A, [0, 1, 2, 3], ResourceType::Texture));
    }
}
