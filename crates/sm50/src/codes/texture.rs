//! Textures.

use ctm_bits::codes;

codes! {
    /// Dimensions of a texture.
    pub enum TextureDim: 3 {
        /// One.
        0 D1 "1D",
        /// Two.
        1 D2 "2D",
        /// Three.
        2 D3 "3D",
        /// Six faces.
        3 Cube "CUBE",
        /// Layers of one.
        4 Array1 "ARRAY_1D",
        /// Layers of two.
        5 Array2 "ARRAY_2D",
        /// Layers of three.
        6 Array3 "ARRAY_3D",
        /// Layers of six faces.
        7 ArrayCube "ARRAY_CUBE",
    }
}

codes! {
    /// How the level of detail is found.
    pub enum LodMode: 3 {
        /// From the differences in the quad.
        0 Implicit "",
        /// Level 0.
        1 Zero ".LZ",
        /// From the differences, and a bias.
        2 Bias ".LB",
        /// It is given.
        3 Level ".LL",
        /// No mode.
        4 Invalid4 "?",
        /// No mode.
        5 Invalid5 "?",
        /// As LB.
        6 BiasA ".LBA",
        /// As LL.
        7 LevelA ".LLA",
    }
}

codes! {
    /// Which level a texel is fetched from.
    pub enum FetchLod: 1 {
        /// Level 0.
        0 Zero ".LZ",
        /// It is given.
        1 Level ".LL",
    }
}

codes! {
    /// Component of a texel.
    pub enum Component: 2 {
        /// Red.
        0 R ".R",
        /// Green.
        1 G ".G",
        /// Blue.
        2 B ".B",
        /// Alpha.
        3 A ".A",
    }
}

codes! {
    /// Offsets of a gather.
    pub enum GatherOffset: 2 {
        /// None.
        0 None "",
        /// One for all texels.
        1 Aoffi ".AOFFI",
        /// One for each texel.
        2 Ptp ".PTP",
        /// No offsets.
        3 Invalid "?",
    }
}

codes! {
    /// What is asked of a texture.
    pub enum TextureQuery: 6 {
        /// No question.
        0 Invalid0 "?",
        /// Size, and number of levels.
        1 Dimension "TEX_HEADER_DIMENSION",
        /// Number of samples.
        2 TextureType "TEX_HEADER_TEXTURE_TYPE",
        /// No question.
        3 Invalid3 "?",
        /// No question.
        4 Invalid4 "?",
        /// Position of a sample.
        5 SamplerPos "TEX_HEADER_SAMPLER_POS",
        /// No question.
        6 Invalid6 "?",
        /// No question.
        7 Invalid7 "?",
        /// No question.
        8 Invalid8 "?",
        /// No question.
        9 Invalid9 "?",
        /// No question.
        10 Invalid10 "?",
        /// No question.
        11 Invalid11 "?",
        /// No question.
        12 Invalid12 "?",
        /// No question.
        13 Invalid13 "?",
        /// No question.
        14 Invalid14 "?",
        /// No question.
        15 Invalid15 "?",
        /// Filter.
        16 Filter "TEX_SAMPLER_FILTER",
        /// No question.
        17 Invalid17 "?",
        /// Range of levels.
        18 Lod "TEX_SAMPLER_LOD",
        /// No question.
        19 Invalid19 "?",
        /// Wrapping.
        20 Wrap "TEX_SAMPLER_WRAP",
        /// No question.
        21 Invalid21 "?",
        /// Border colour.
        22 BorderColor "TEX_SAMPLER_BORDER_COLOR",
        /// No question.
        23 Invalid23 "?",
        /// No question.
        24 Invalid24 "?",
        /// No question.
        25 Invalid25 "?",
        /// No question.
        26 Invalid26 "?",
        /// No question.
        27 Invalid27 "?",
        /// No question.
        28 Invalid28 "?",
        /// No question.
        29 Invalid29 "?",
        /// No question.
        30 Invalid30 "?",
        /// No question.
        31 Invalid31 "?",
        /// No question.
        32 Invalid32 "?",
        /// No question.
        33 Invalid33 "?",
        /// No question.
        34 Invalid34 "?",
        /// No question.
        35 Invalid35 "?",
        /// No question.
        36 Invalid36 "?",
        /// No question.
        37 Invalid37 "?",
        /// No question.
        38 Invalid38 "?",
        /// No question.
        39 Invalid39 "?",
        /// No question.
        40 Invalid40 "?",
        /// No question.
        41 Invalid41 "?",
        /// No question.
        42 Invalid42 "?",
        /// No question.
        43 Invalid43 "?",
        /// No question.
        44 Invalid44 "?",
        /// No question.
        45 Invalid45 "?",
        /// No question.
        46 Invalid46 "?",
        /// No question.
        47 Invalid47 "?",
        /// No question.
        48 Invalid48 "?",
        /// No question.
        49 Invalid49 "?",
        /// No question.
        50 Invalid50 "?",
        /// No question.
        51 Invalid51 "?",
        /// No question.
        52 Invalid52 "?",
        /// No question.
        53 Invalid53 "?",
        /// No question.
        54 Invalid54 "?",
        /// No question.
        55 Invalid55 "?",
        /// No question.
        56 Invalid56 "?",
        /// No question.
        57 Invalid57 "?",
        /// No question.
        58 Invalid58 "?",
        /// No question.
        59 Invalid59 "?",
        /// No question.
        60 Invalid60 "?",
        /// No question.
        61 Invalid61 "?",
        /// No question.
        62 Invalid62 "?",
        /// No question.
        63 Invalid63 "?",
    }
}

codes! {
    /// Kinds of scalar texture accesses.
    pub enum TexsKind: 4 {
        /// 1D, level 0.
        0 D1Lz ".LZ",
        /// 2D.
        1 D2 "",
        /// 2D, level 0.
        2 D2Lz ".LZ",
        /// 2D, the level is given.
        3 D2Ll ".LL",
        /// 2D, compared.
        4 D2Dc ".DC",
        /// 2D, the level is given, compared.
        5 D2LlDc ".LL.DC",
        /// 2D, level 0, compared.
        6 D2LzDc ".LZ.DC",
        /// 2D array.
        7 Array2 "",
        /// 2D array, level 0.
        8 Array2Lz ".LZ",
        /// 2D array, level 0, compared.
        9 Array2LzDc ".LZ.DC",
        /// 3D.
        10 D3 "",
        /// 3D, level 0.
        11 D3Lz ".LZ",
        /// Cube.
        12 Cube "",
        /// Cube, the level is given.
        13 CubeLl ".LL",
        /// No code.
        14 Invalid14 "?",
        /// No code.
        15 Invalid15 "?",
    }
}

codes! {
    /// Kinds of scalar texel fetches.
    pub enum TldsKind: 4 {
        /// 1D, level 0.
        0 D1Lz ".LZ",
        /// 1D, the level is given.
        1 D1Ll ".LL",
        /// 2D, level 0.
        2 D2Lz ".LZ",
        /// No code.
        3 Invalid3 "?",
        /// 2D, level 0, with offsets.
        4 D2LzAoffi ".LZ.AOFFI",
        /// 2D, the level is given.
        5 D2Ll ".LL",
        /// 2D, a sample.
        6 D2LzMs ".LZ.MS",
        /// 3D, level 0.
        7 D3Lz ".LZ",
        /// 2D array, level 0.
        8 Array2Lz ".LZ",
        /// No code.
        9 Invalid9 "?",
        /// No code.
        10 Invalid10 "?",
        /// No code.
        11 Invalid11 "?",
        /// 2D, the level is given, with offsets.
        12 D2LlAoffi ".LL.AOFFI",
        /// No code.
        13 Invalid13 "?",
        /// No code.
        14 Invalid14 "?",
        /// No code.
        15 Invalid15 "?",
    }
}

impl TexsKind {
    /// Dimensions of the texture.
    pub const fn dim(self) -> TextureDim {
        match self {
            Self::D1Lz | Self::Invalid14 | Self::Invalid15 => TextureDim::D1,
            Self::D2 | Self::D2Lz | Self::D2Ll | Self::D2Dc | Self::D2LlDc | Self::D2LzDc => TextureDim::D2,
            Self::Array2 | Self::Array2Lz | Self::Array2LzDc => TextureDim::Array2,
            Self::D3 | Self::D3Lz => TextureDim::D3,
            Self::Cube | Self::CubeLl => TextureDim::Cube,
        }
    }
}

impl TldsKind {
    /// Dimensions of the texture.
    pub const fn dim(self) -> TextureDim {
        match self {
            Self::D1Lz
            | Self::D1Ll
            | Self::Invalid3
            | Self::Invalid9
            | Self::Invalid10
            | Self::Invalid11
            | Self::Invalid13
            | Self::Invalid14
            | Self::Invalid15 => TextureDim::D1,
            Self::D2Lz | Self::D2LzAoffi | Self::D2Ll | Self::D2LzMs | Self::D2LlAoffi => TextureDim::D2,
            Self::D3Lz => TextureDim::D3,
            Self::Array2Lz => TextureDim::Array2,
        }
    }
}

codes! {
    /// Components that a scalar access keeps: the first name without a second destination, the second with one.
    pub enum ScalarMask: 3 {
        /// R, or RGB.
        0 R "R",
        /// G, or RGA.
        1 G "G",
        /// B, or RBA.
        2 B "B",
        /// A, or GBA.
        3 A "A",
        /// RG, or RGBA.
        4 Rg "RG",
        /// RA.
        5 Ra "RA",
        /// GA.
        6 Ga "GA",
        /// BA.
        7 Ba "BA",
    }
}

impl ScalarMask {
    /// The spelling with a second destination.
    pub const fn long_name(self) -> &'static str {
        match self {
            Self::R => "RGB",
            Self::G => "RGA",
            Self::B => "RBA",
            Self::A => "GBA",
            Self::Rg => "RGBA",
            Self::Ra | Self::Ga | Self::Ba => super::INVALID,
        }
    }

    /// The components, a bit for each; `long` with a second destination.
    pub const fn components(self, long: bool) -> u8 {
        match (self, long) {
            (Self::R, false) => 0b0001,
            (Self::G, false) => 0b0010,
            (Self::B, false) => 0b0100,
            (Self::A, false) => 0b1000,
            (Self::Rg, false) => 0b0011,
            (Self::Ra, _) => 0b1001,
            (Self::Ga, _) => 0b1010,
            (Self::Ba, _) => 0b1100,
            (Self::R, true) => 0b0111,
            (Self::G, true) => 0b1011,
            (Self::B, true) => 0b1101,
            (Self::A, true) => 0b1110,
            (Self::Rg, true) => 0b1111,
        }
    }
}

impl TexsKind {
    /// How the level of detail is found.
    pub const fn lod_mode(self) -> LodMode {
        use TexsKind::*;
        match self {
            D1Lz | D2Lz | D2LzDc | Array2Lz | Array2LzDc | D3Lz => LodMode::Zero,
            D2Ll | D2LlDc | CubeLl => LodMode::Level,
            D2 | D2Dc | Array2 | D3 | Cube | Invalid14 | Invalid15 => LodMode::Implicit,
        }
    }

    /// Whether texels are compared with a reference.
    pub const fn compares(self) -> bool {
        matches!(self, TexsKind::D2Dc | TexsKind::D2LlDc | TexsKind::D2LzDc | TexsKind::Array2LzDc)
    }
}
