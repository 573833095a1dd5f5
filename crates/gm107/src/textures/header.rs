//! Headers of textures and samplers: what handles name in memory.
//!
//! Sources: envytools' rnndb `g80_texture.xml` and `gm107_texture.xml`; Mesa `nvc0_tex.c`, `nv50_state.c`.

use ctm_bits::{codes, field_table};

/// Words of a header of a texture, and of one of a sampler.
pub const WORDS: usize = 8;
/// Bytes of a header.
pub const BYTES: u64 = 4 * WORDS as u64;

codes! {
    /// What a component's bits stand for.
    pub enum ComponentType: 3 {
        /// Nothing.
        0 Invalid0 "invalid",
        /// Fractions from -1 to 1.
        1 Snorm "snorm",
        /// Fractions from 0 to 1.
        2 Unorm "unorm",
        /// Integers with a sign.
        3 Sint "sint",
        /// Integers without a sign.
        4 Uint "uint",
        /// Fractions that filters take as binary16.
        5 SnormForced "snorm as binary16",
        /// Fractions that filters take as binary16.
        6 UnormForced "unorm as binary16",
        /// Floats.
        7 Float "float",
    }
}

codes! {
    /// Where a component that programs get comes from.
    pub enum ComponentSource: 3 {
        /// It is 0.
        0 Zero "0",
        /// Nothing.
        1 Invalid1 "invalid",
        /// The first component.
        2 R "r",
        /// The second component.
        3 G "g",
        /// The third component.
        4 B "b",
        /// The fourth component.
        5 A "a",
        /// It is the integer 1.
        6 IntegerOne "1",
        /// It is 1.0.
        7 FloatOne "1.0",
    }
}

codes! {
    /// How a header says where texels are.
    pub enum HeaderVersion: 3 {
        /// A buffer: texels follow each other.
        0 Buffer "buffer",
        /// Row by row, with a colour key.
        1 PitchColourKey "pitch, colour key",
        /// Row by row.
        2 Pitch "pitch",
        /// In blocks.
        3 Blocks "block-linear",
        /// In blocks, with a colour key.
        4 BlocksColourKey "block-linear, colour key",
        /// Nothing.
        5 Invalid5 "invalid",
        /// Nothing.
        6 Invalid6 "invalid",
        /// Nothing.
        7 Invalid7 "invalid",
    }
}

codes! {
    /// The dimensions of a texture.
    pub enum HeaderType: 4 {
        /// One.
        0 D1 "1D",
        /// Two.
        1 D2 "2D",
        /// Three.
        2 D3 "3D",
        /// Six faces.
        3 Cube "cube",
        /// Layers of one.
        4 Array1 "1D array",
        /// Layers of two.
        5 Array2 "2D array",
        /// A buffer.
        6 Buffer "buffer",
        /// Two, of one level.
        7 D2NoMipmap "2D without levels",
        /// Layers of six faces.
        8 CubeArray "cube array",
        /// Nothing.
        9 Invalid9 "invalid",
        /// Nothing.
        10 Invalid10 "invalid",
        /// Nothing.
        11 Invalid11 "invalid",
        /// Nothing.
        12 Invalid12 "invalid",
        /// Nothing.
        13 Invalid13 "invalid",
        /// Nothing.
        14 Invalid14 "invalid",
        /// Nothing.
        15 Invalid15 "invalid",
    }
}

/// The words of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureHeader {
    /// Sizes of the components.
    pub sizes: u8,
    /// What the components stand for.
    pub types: [ComponentType; 4],
    /// Where what programs get comes from.
    pub sources: [ComponentSource; 4],
    /// Lower half of the address.
    pub address_low: u32,
    /// Upper half of the address.
    pub address_high: u16,
    /// How it says where texels are.
    pub version: HeaderVersion,
    /// Of a buffer, the upper half of its width - 1; of rows, their pitch in units of 32 bytes; of blocks, their size.
    pub layout: u16,
    /// The last level of the resource.
    pub resource_last_level: u8,
    /// The maximum anisotropy is the header's.
    pub own_anisotropy: bool,
    /// Width of the resource - 1; of a buffer its lower half.
    pub width: u16,
    /// Colours are sRGB.
    pub srgb: bool,
    /// Dimensions.
    pub kind: HeaderType,
    /// Height of the resource - 1.
    pub height: u16,
    /// Depth of the resource, layers, or cubes, - 1.
    pub depth: u16,
    /// Coordinates count the texture's sizes.
    pub normalised: bool,
    /// Maximum anisotropy.
    pub anisotropy: u8,
    /// The first level that there is.
    pub first_level: u8,
    /// The last level that there is.
    pub last_level: u8,
    /// log2 of the samples of a texel.
    pub samples: u8,
}

field_table! { TextureHeader, words 8;
    COMPONENT_SIZES, 0 [6:0],   {sizes},               u8,              "sizes of the components";
    R_TYPE,          0 [9:7],   {types[0]},            ComponentType,   "what the first component is";
    G_TYPE,          0 [12:10], {types[1]},            ComponentType,   "what the second component is";
    B_TYPE,          0 [15:13], {types[2]},            ComponentType,   "what the third component is";
    A_TYPE,          0 [18:16], {types[3]},            ComponentType,   "what the fourth component is";
    X_SOURCE,        0 [21:19], {sources[0]},          ComponentSource, "where x comes from";
    Y_SOURCE,        0 [24:22], {sources[1]},          ComponentSource, "where y comes from";
    Z_SOURCE,        0 [27:25], {sources[2]},          ComponentSource, "where z comes from";
    W_SOURCE,        0 [30:28], {sources[3]},          ComponentSource, "where w comes from";
    ADDRESS_LOW,     1 [31:0],  {address_low},         u32,             "address, lower half";
    ADDRESS_HIGH,    2 [15:0],  {address_high},        u16,             "address, upper half";
    HEADER_VERSION,  2 [23:21], {version},             HeaderVersion,   "how texels are stored";
    LAYOUT,          3 [15:0],  {layout},              u16,             "width of a buffer, pitch, or size of blocks";
    OWN_ANISOTROPY,  3 [26:26], {own_anisotropy},      bool,            "the maximum anisotropy is that of word 6";
    MAX_MIP_LEVEL,   3 [31:28], {resource_last_level}, u8,              "last level of the resource";
    WIDTH,           4 [15:0],  {width},               u16,             "width - 1";
    SRGB,            4 [22:22], {srgb},                bool,            "sRGB";
    TEXTURE_TYPE,    4 [26:23], {kind},                HeaderType,      "dimensions";
    HEIGHT,          5 [15:0],  {height},              u16,             "height - 1";
    DEPTH,           5 [29:16], {depth},               u16,             "depth, layers or cubes, - 1";
    NORMALISED,      5 [31:31], {normalised},          bool,            "coordinates from 0 to 1";
    MAX_ANISOTROPY,  6 [29:27], {anisotropy},          u8,              "maximum anisotropy";
    VIEW_MIN_LEVEL,  7 [3:0],   {first_level},         u8,              "first level of the view";
    VIEW_MAX_LEVEL,  7 [7:4],   {last_level},          u8,              "last level of the view";
    MULTI_SAMPLE,    7 [11:8],  {samples},             u8,              "log2 of the samples";
}

impl TextureHeader {
    /// Address of the first texel of the resource, or of the view's first layer.
    pub fn address(&self) -> u64 {
        u64::from(self.address_high) << 32 | u64::from(self.address_low)
    }

    /// Sizes of level 0 of the resource.
    pub fn size(&self) -> [u32; 3] {
        let upper = if self.version == HeaderVersion::Buffer { u32::from(self.layout) << 16 } else { 0 };
        let width = (upper | u32::from(self.width)).saturating_add(1);
        [width, u32::from(self.height) + 1, u32::from(self.depth) + 1]
    }

    /// log2 of the GOBs of a block's height and depth.
    pub fn blocks(&self) -> [u8; 2] {
        [(self.layout >> 3 & 7) as u8, (self.layout >> 6 & 7) as u8]
    }

    /// Bytes of a row of a texture that is stored row by row.
    pub fn pitch(&self) -> u32 {
        u32::from(self.layout) << 5
    }

    /// Samples of a texel.
    pub fn samples(&self) -> u32 {
        1 << self.samples.min(3)
    }
}

codes! {
    /// What coordinates outside of a texture mean.
    pub enum WrapCode: 3 {
        /// The texture goes on.
        0 Repeat "repeat",
        /// It goes on mirrored.
        1 Mirror "mirror",
        /// Its edge goes on.
        2 ClampToEdge "clamp to edge",
        /// There is the border.
        3 Border "border",
        /// Half of the edge, half of the border.
        4 Clamp "clamp",
        /// Mirrored at 0, then its edge goes on.
        5 MirrorOnceToEdge "mirror once to edge",
        /// Mirrored at 0, then there is the border.
        6 MirrorOnceBorder "mirror once, border",
        /// Mirrored at 0, then half of the edge, half of the border.
        7 MirrorOnceClamp "mirror once, clamp",
    }
}

codes! {
    /// A comparison: true if "reference OP texel".
    pub enum DepthComparison: 3 {
        /// Never.
        0 Never "never",
        /// Less.
        1 Less "less",
        /// Equal.
        2 Equal "equal",
        /// Less or equal.
        3 LessOrEqual "less or equal",
        /// Greater.
        4 Greater "greater",
        /// Not equal.
        5 NotEqual "not equal",
        /// Greater or equal.
        6 GreaterOrEqual "greater or equal",
        /// Always.
        7 Always "always",
    }
}

codes! {
    /// A filter of texels.
    pub enum TexelFilter: 2 {
        /// Nothing.
        0 Invalid0 "invalid",
        /// The nearest texel.
        1 Nearest "nearest",
        /// Between texels.
        2 Linear "linear",
        /// Nothing.
        3 Invalid3 "invalid",
    }
}

codes! {
    /// A filter of levels.
    pub enum LevelFilter: 2 {
        /// Nothing.
        0 Invalid0 "invalid",
        /// One level.
        1 None "none",
        /// The nearest level.
        2 Nearest "nearest",
        /// Between levels.
        3 Linear "linear",
    }
}

/// The words of a sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplerHeader {
    /// What coordinates outside mean, in each direction.
    pub wraps: [WrapCode; 3],
    /// Texels are compared.
    pub compares: bool,
    /// How.
    pub comparison: DepthComparison,
    /// Colours that are sRGB become linear.
    pub srgb: bool,
    /// Maximum anisotropy.
    pub anisotropy: u8,
    /// Filter of large texels.
    pub magnification: TexelFilter,
    /// Filter of small texels.
    pub minification: TexelFilter,
    /// Filter of levels.
    pub mip: LevelFilter,
    /// Filters of cubes go over the edges of faces.
    pub seamless: bool,
    /// What is added to levels of detail: 5 bits and 8 bits of a fraction, with a sign.
    pub bias: u16,
    /// Coordinates count texels.
    pub unnormalised: bool,
    /// The least level of detail: 4 bits and 8 bits of a fraction.
    pub least: u16,
    /// The greatest level of detail.
    pub greatest: u16,
    /// The border as sRGB.
    pub srgb_border: [u8; 3],
    /// The border, as bits.
    pub border: [u32; 4],
}

field_table! { SamplerHeader, words 8;
    ADDRESS_U,        0 [2:0],   {wraps[0]},       WrapCode,        "what coordinates outside mean: u";
    ADDRESS_V,        0 [5:3],   {wraps[1]},       WrapCode,        "what coordinates outside mean: v";
    ADDRESS_P,        0 [8:6],   {wraps[2]},       WrapCode,        "what coordinates outside mean: p";
    DEPTH_COMPARE,    0 [9:9],   {compares},       bool,            "texels are compared";
    COMPARE_FUNCTION, 0 [12:10], {comparison},     DepthComparison, "comparison";
    SRGB_CONVERSION,  0 [13:13], {srgb},           bool,            "sRGB becomes linear";
    MAX_ANISOTROPY,   0 [22:20], {anisotropy},     u8,              "maximum anisotropy";
    MAG_FILTER,       1 [1:0],   {magnification},  TexelFilter,     "filter of large texels";
    MIN_FILTER,       1 [5:4],   {minification},   TexelFilter,     "filter of small texels";
    MIP_FILTER,       1 [7:6],   {mip},            LevelFilter,     "filter of levels";
    SEAMLESS,         1 [9:9],   {seamless},       bool,            "filters go over the edges of faces";
    LOD_BIAS,         1 [24:12], {bias},           u16,             "bias of levels, in 1/256";
    UNNORMALISED,     1 [25:25], {unnormalised},   bool,            "coordinates count texels";
    MIN_LOD,          2 [11:0],  {least},          u16,             "least level of detail, in 1/256";
    MAX_LOD,          2 [23:12], {greatest},       u16,             "greatest level of detail, in 1/256";
    SRGB_BORDER_R,    2 [31:24], {srgb_border[0]}, u8,              "red of the border as sRGB";
    SRGB_BORDER_G,    3 [19:12], {srgb_border[1]}, u8,              "green of the border as sRGB";
    SRGB_BORDER_B,    3 [27:20], {srgb_border[2]}, u8,              "blue of the border as sRGB";
    BORDER_R,         4 [31:0],  {border[0]},      u32,             "red of the border";
    BORDER_G,         5 [31:0],  {border[1]},      u32,             "green of the border";
    BORDER_B,         6 [31:0],  {border[2]},      u32,             "blue of the border";
    BORDER_A,         7 [31:0],  {border[3]},      u32,             "alpha of the border";
}

/// The numbers of probes that codes of anisotropy stand for.
pub const ANISOTROPY: [u32; 8] = [1, 2, 4, 6, 8, 10, 12, 16];

#[cfg(test)]
mod tests {
    use super::*;

    /// What Mesa writes for a texture of 64 x 64 texels with 7 levels, and for one of 8 samples that it resolves.
    #[test]
    fn textures_are_those_of_mesa() {
        let words =
            [0x58D2_4908, 0x02A2_0000, 0x0060_0000, 0x6007_0018, 0xE880_003F, 0x8000_003F, 0x0300_0000, 0x0000_0060];
        let header = TextureHeader::read(&words);
        assert_eq!((header.sizes, header.kind, header.version), (8, HeaderType::D2, HeaderVersion::Blocks));
        assert_eq!((header.address(), header.size(), header.blocks()), (0x2A2_0000, [64, 64, 1], [3, 0]));
        assert_eq!((header.resource_last_level, header.first_level, header.last_level), (6, 0, 6));
        assert_eq!(header.types, [ComponentType::Unorm; 4]);
        use ComponentSource::{A, B, G, R};
        assert_eq!(header.sources, [R, G, B, A]);
        assert!(header.normalised && !header.own_anisotropy && !header.srgb);
        let words =
            [0x58D2_4908, 0x02B2_0000, 0x0060_0000, 0x0401_0020, 0xE880_03FF, 0x0000_01FF, 0x8800_0000, 0x0000_0300];
        let header = TextureHeader::read(&words);
        assert_eq!((header.size(), header.samples(), header.blocks()), ([1024, 512, 1], 8, [4, 0]));
        assert!(header.own_anisotropy && !header.normalised);
        assert_eq!(ANISOTROPY[usize::from(header.anisotropy)], 2);
    }

    #[test]
    fn samplers_are_those_of_mesa() {
        let words = [0x0002_600B, 0x0018_00E2, 0xFFF0_0000, 0x089B_C000, 0x3F80_0000, 0x3F00_0000, 0x3E80_0000, 0];
        let header = SamplerHeader::read(&words);
        assert_eq!(header.wraps, [WrapCode::Border, WrapCode::Mirror, WrapCode::Repeat]);
        assert_eq!((header.magnification, header.minification), (TexelFilter::Linear, TexelFilter::Linear));
        assert_eq!((header.mip, header.bias, header.least, header.greatest), (LevelFilter::Linear, 0x180, 0, 0xF00));
        assert_eq!(header.border, [1.0f32, 0.5, 0.25, 0.0].map(f32::to_bits));
        assert_eq!(header.srgb_border, [0xFF, 0xBC, 0x89]);
    }
}
