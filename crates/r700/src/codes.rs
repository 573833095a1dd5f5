//! The enumerated fields of R700 instructions: every code with its name.
//!
//! Sources: AMD R700-Family Instruction Set Architecture guide, chapters 3 to 6 and 9; Mesa's `r600_sq.h` and
//! `r700_sq.h`; decaf-emu's `latte_enum_sq.h`.

use crate::opcodes::opcodes;
use ctm_bits::{FieldValue, codes};

codes! {
    /// The encoding of a program: the two families differ in where OP2 instructions have their opcode, in the longest
    /// fetch clause and in a few instructions.
    pub enum Family: 1 {
        /// R600, RV610..RV635, RS780, RS880, RV670.
        0 R600 "r600",
        /// RV770, RV730, RV710, RV740, Latte.
        1 R700 "r700",
    }
}

/// Which families have an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Families {
    /// R600 and R700.
    Both,
    /// This one only.
    Only(Family),
}

impl Families {
    /// True if this family has it.
    pub fn has(self, family: Family) -> bool {
        matches!(self, Families::Both) || self == Families::Only(family)
    }
}

codes! {
    /// `COND`: the condition test of a control-flow instruction (guide 3-13).
    pub enum Condition: 2 {
        /// Pixels that are active.
        0 Active "ACTIVE",
        /// No pixel.
        1 False "FALSE",
        /// Active pixels, if the boolean constant is 1.
        2 Bool "BOOL",
        /// Active pixels, if the boolean constant is 0.
        3 NotBool "NOT_BOOL",
    }
}

codes! {
    /// `KCACHE_MODE`: what a constant-cache window holds, in lines of 16 constants.
    pub enum KcacheMode: 2 {
        /// Nothing.
        0 Nop "NOP",
        /// One line.
        1 Lock1 "LOCK_1",
        /// Two lines.
        2 Lock2 "LOCK_2",
        /// Two lines, offset by the loop index.
        3 LockLoopIndex "LOCK_LOOP_INDEX",
    }
}

impl KcacheMode {
    /// Constants that a window in this mode holds.
    pub const fn constants(self) -> u8 {
        match self {
            KcacheMode::Nop => 0,
            KcacheMode::Lock1 => 16,
            KcacheMode::Lock2 | KcacheMode::LockLoopIndex => 32,
        }
    }
}

codes! {
    /// A channel of a register.
    pub enum Channel: 2 {
        /// x
        0 X "x",
        /// y
        1 Y "y",
        /// z
        2 Z "z",
        /// w
        3 W "w",
    }
}

codes! {
    /// `*_SEL_*` of exports and fetches: a channel, a constant, or nothing.
    pub enum Select: 3 {
        /// x
        0 X "x",
        /// y
        1 Y "y",
        /// z
        2 Z "z",
        /// w
        3 W "w",
        /// 0.0
        4 Zero "0",
        /// 1.0
        5 One "1",
        /// Reserved.
        6 Reserved6 "6",
        /// The component is left out.
        7 Mask "_",
    }
}

impl Select {
    /// The channel that is selected, if one is.
    pub const fn channel(self) -> Option<Channel> {
        match self {
            Select::X => Some(Channel::X),
            Select::Y => Some(Channel::Y),
            Select::Z => Some(Channel::Z),
            Select::W => Some(Channel::W),
            Select::Zero | Select::One | Select::Reserved6 | Select::Mask => None,
        }
    }
}

codes! {
    /// `TYPE` of exports.
    pub enum ExportType: 2 {
        /// Colours and depth of a pixel shader.
        0 Pixel "PIX",
        /// Position and its companions.
        1 Position "POS",
        /// Interpolated parameters.
        2 Parameter "PARAM",
        /// Unused.
        3 Reserved3 "TYPE3",
    }
}

codes! {
    /// `TYPE` of memory writes. On R600 the acknowledged forms are reads (Mesa `r600_sq.h`, `r700_sq.h`).
    pub enum MemoryType: 2 {
        /// Write at ARRAY_BASE.
        0 Write "WRITE",
        /// Write at ARRAY_BASE plus an index register.
        1 WriteIndexed "WRITE_IND",
        /// R700: acknowledged write; R600: read.
        2 WriteAck "WRITE_ACK",
        /// R700: acknowledged indexed write; R600: indexed read.
        3 WriteIndexedAck "WRITE_IND_ACK",
    }
}

impl MemoryType {
    /// True if INDEX_GPR takes part in the address.
    pub const fn is_indexed(self) -> bool {
        matches!(self, MemoryType::WriteIndexed | MemoryType::WriteIndexedAck)
    }

    /// True if the instruction reads memory: the acknowledged forms on R600.
    pub const fn is_read(self, family: Family) -> bool {
        matches!((self, family), (MemoryType::WriteAck | MemoryType::WriteIndexedAck, Family::R600))
    }
}

codes! {
    /// `INDEX_MODE`: what relative operands of an ALU instruction add.
    pub enum IndexMode: 3 {
        /// AR.x
        0 ArX "AR.x",
        /// AR.y (of registers: AR.x)
        1 ArY "AR.y",
        /// AR.z (of registers: AR.x)
        2 ArZ "AR.z",
        /// AR.w (of registers: AR.x)
        3 ArW "AR.w",
        /// The loop index aL.
        4 Loop "AL",
        /// Reserved.
        5 Reserved5 "INDEX5",
        /// Reserved.
        6 Reserved6 "INDEX6",
        /// Reserved.
        7 Reserved7 "INDEX7",
    }
}

codes! {
    /// `PRED_SEL`: which pixels an ALU instruction works on.
    pub enum PredicateSelect: 2 {
        /// All.
        0 Off "PRED_SEL_OFF",
        /// Reserved.
        1 Reserved1 "PRED_SEL_RESERVED",
        /// Those whose predicate is 0.
        2 Zero "PRED_SEL_ZERO",
        /// Those whose predicate is 1.
        3 One "PRED_SEL_ONE",
    }
}

codes! {
    /// `OMOD`: the factor of a float result.
    pub enum OutputModifier: 2 {
        /// 1
        0 None "",
        /// 2
        1 Mul2 "*2",
        /// 4
        2 Mul4 "*4",
        /// 1/2
        3 Div2 "/2",
    }
}

/// `BANK_SWIZZLE`: the cycles in which the register operands of an ALU instruction are read. The names depend on the
/// unit that executes the instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BankSwizzle(pub u8);

const VECTOR_SWIZZLES: [(&str, [u8; 3]); 6] = [
    ("VEC_012", [0, 1, 2]),
    ("VEC_021", [0, 2, 1]),
    ("VEC_120", [1, 2, 0]),
    ("VEC_102", [1, 0, 2]),
    ("VEC_201", [2, 0, 1]),
    ("VEC_210", [2, 1, 0]),
];
const TRANS_SWIZZLES: [(&str, [u8; 3]); 4] =
    [("SCL_210", [2, 1, 0]), ("SCL_122", [1, 2, 2]), ("SCL_212", [2, 1, 2]), ("SCL_221", [2, 2, 1])];

impl BankSwizzle {
    const fn table(trans: bool) -> &'static [(&'static str, [u8; 3])] {
        if trans { &TRANS_SWIZZLES } else { &VECTOR_SWIZZLES }
    }

    /// The codes that a unit knows, in order: the trans unit (`true`) or a vector unit.
    pub fn all(trans: bool) -> impl Iterator<Item = BankSwizzle> {
        (0..Self::table(trans).len() as u8).map(BankSwizzle)
    }

    /// The spelling, for the trans unit or a vector unit; none for invalid codes.
    pub fn name(self, trans: bool) -> Option<&'static str> {
        Self::table(trans).get(usize::from(self.0)).map(|row| row.0)
    }

    /// The cycles of sources 0, 1, 2; none for invalid codes.
    pub fn cycles(self, trans: bool) -> Option<[u8; 3]> {
        Self::table(trans).get(usize::from(self.0)).map(|row| row.1)
    }

    /// The code with this spelling, and whether it belongs to the trans unit.
    pub fn parse(name: &str) -> Option<(BankSwizzle, bool)> {
        [false, true].into_iter().find_map(|trans| {
            let place = Self::table(trans).iter().position(|row| row.0.eq_ignore_ascii_case(name))?;
            Some((BankSwizzle(place as u8), trans))
        })
    }
}

impl FieldValue for BankSwizzle {
    fn from_raw(raw: u32) -> Self {
        BankSwizzle(raw as u8)
    }
    fn to_raw(self) -> u32 {
        self.0.into()
    }
}

codes! {
    /// `FETCH_TYPE`: what is added to the index of a vertex fetch.
    pub enum FetchType: 2 {
        /// The base vertex.
        0 VertexData "VERTEX_DATA",
        /// The first instance.
        1 InstanceData "INSTANCE_DATA",
        /// Nothing.
        2 NoIndexOffset "NO_INDEX_OFFSET",
        /// Reserved.
        3 Reserved3 "FETCH_TYPE3",
    }
}

codes! {
    /// `NUM_FORMAT_ALL`: what integer components stand for.
    pub enum NumberFormat: 2 {
        /// A fraction of the largest value.
        0 Norm "NORM",
        /// An integer.
        1 Int "INT",
        /// A float with the integer's value.
        2 Scaled "SCALED",
        /// Reserved.
        3 Reserved3 "NUM_FORMAT3",
    }
}

codes! {
    /// `ENDIAN_SWAP`: bytes that change places in memory.
    pub enum EndianSwap: 2 {
        /// None.
        0 None "NONE",
        /// Within 16 bits.
        1 In16 "8IN16",
        /// Within 32 bits.
        2 In32 "8IN32",
        /// Reserved.
        3 Reserved3 "ENDIAN_SWAP3",
    }
}

/// How an element of a data format is made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatLayout {
    /// Integer components of these widths, x (least significant) first; `NUM_FORMAT_ALL` says what they stand for.
    Integer(&'static [u8]),
    /// Float components of these widths, x first.
    Float(&'static [u8]),
    /// A mixture or packing of its own; the name says it.
    Other,
}

opcodes! {
    /// `DATA_FORMAT`: layout of an element in memory. Names list the widths from the most significant component down.
    pub enum DataFormat: u8 => FormatLayout {
        0 Invalid "INVALID" FormatLayout::Other;
        1 F8 "8" FormatLayout::Integer(&[8]);
        2 F4_4 "4_4" FormatLayout::Integer(&[4, 4]);
        3 F3_3_2 "3_3_2" FormatLayout::Integer(&[2, 3, 3]);
        5 F16 "16" FormatLayout::Integer(&[16]);
        6 F16Float "16_FLOAT" FormatLayout::Float(&[16]);
        7 F8_8 "8_8" FormatLayout::Integer(&[8, 8]);
        8 F5_6_5 "5_6_5" FormatLayout::Integer(&[5, 6, 5]);
        9 F6_5_5 "6_5_5" FormatLayout::Integer(&[5, 5, 6]);
        10 F1_5_5_5 "1_5_5_5" FormatLayout::Integer(&[5, 5, 5, 1]);
        11 F4_4_4_4 "4_4_4_4" FormatLayout::Integer(&[4, 4, 4, 4]);
        12 F5_5_5_1 "5_5_5_1" FormatLayout::Integer(&[1, 5, 5, 5]);
        13 F32 "32" FormatLayout::Integer(&[32]);
        14 F32Float "32_FLOAT" FormatLayout::Float(&[32]);
        15 F16_16 "16_16" FormatLayout::Integer(&[16, 16]);
        16 F16_16Float "16_16_FLOAT" FormatLayout::Float(&[16, 16]);
        17 F8_24 "8_24" FormatLayout::Integer(&[24, 8]);
        18 F8_24Float "8_24_FLOAT" FormatLayout::Other;
        19 F24_8 "24_8" FormatLayout::Integer(&[8, 24]);
        20 F24_8Float "24_8_FLOAT" FormatLayout::Other;
        21 F10_11_11 "10_11_11" FormatLayout::Integer(&[11, 11, 10]);
        22 F10_11_11Float "10_11_11_FLOAT" FormatLayout::Float(&[11, 11, 10]);
        23 F11_11_10 "11_11_10" FormatLayout::Integer(&[10, 11, 11]);
        24 F11_11_10Float "11_11_10_FLOAT" FormatLayout::Float(&[10, 11, 11]);
        25 F2_10_10_10 "2_10_10_10" FormatLayout::Integer(&[10, 10, 10, 2]);
        26 F8_8_8_8 "8_8_8_8" FormatLayout::Integer(&[8, 8, 8, 8]);
        27 F10_10_10_2 "10_10_10_2" FormatLayout::Integer(&[2, 10, 10, 10]);
        28 FX24_8_32Float "X24_8_32_FLOAT" FormatLayout::Other;
        29 F32_32 "32_32" FormatLayout::Integer(&[32, 32]);
        30 F32_32Float "32_32_FLOAT" FormatLayout::Float(&[32, 32]);
        31 F16_16_16_16 "16_16_16_16" FormatLayout::Integer(&[16, 16, 16, 16]);
        32 F16_16_16_16Float "16_16_16_16_FLOAT" FormatLayout::Float(&[16, 16, 16, 16]);
        34 F32_32_32_32 "32_32_32_32" FormatLayout::Integer(&[32, 32, 32, 32]);
        35 F32_32_32_32Float "32_32_32_32_FLOAT" FormatLayout::Float(&[32, 32, 32, 32]);
        37 F1 "1" FormatLayout::Other;
        39 GbGr "GB_GR" FormatLayout::Other;
        40 BgRg "BG_RG" FormatLayout::Other;
        41 F32As8 "32_AS_8" FormatLayout::Other;
        42 F32As8_8 "32_AS_8_8" FormatLayout::Other;
        43 F5_9_9_9SharedExp "5_9_9_9_SHAREDEXP" FormatLayout::Other;
        44 F8_8_8 "8_8_8" FormatLayout::Integer(&[8, 8, 8]);
        45 F16_16_16 "16_16_16" FormatLayout::Integer(&[16, 16, 16]);
        46 F16_16_16Float "16_16_16_FLOAT" FormatLayout::Float(&[16, 16, 16]);
        47 F32_32_32 "32_32_32" FormatLayout::Integer(&[32, 32, 32]);
        48 F32_32_32Float "32_32_32_FLOAT" FormatLayout::Float(&[32, 32, 32]);
        49 Bc1 "BC1" FormatLayout::Other;
        50 Bc2 "BC2" FormatLayout::Other;
        51 Bc3 "BC3" FormatLayout::Other;
        52 Bc4 "BC4" FormatLayout::Other;
        53 Bc5 "BC5" FormatLayout::Other;
        54 Apc0 "APC0" FormatLayout::Other;
        55 Apc1 "APC1" FormatLayout::Other;
        56 Apc2 "APC2" FormatLayout::Other;
        57 Apc3 "APC3" FormatLayout::Other;
        58 Apc4 "APC4" FormatLayout::Other;
        59 Apc5 "APC5" FormatLayout::Other;
        60 Apc6 "APC6" FormatLayout::Other;
        61 Apc7 "APC7" FormatLayout::Other;
        62 Ctx1 "CTX1" FormatLayout::Other;
    }
}

codes! {
    /// `TEX_INST`, `VTX_INST`: the opcode of a fetch instruction, for all kinds of fetch clauses.
    pub enum FetchOp: 5 {
        /// Vertex fetch into a register.
        0 VtxFetch "FETCH",
        /// Vertex fetch into the register of a semantic.
        1 VtxSemantic "SEMANTIC",
        /// A memory instruction; `MEM_OP` says which.
        2 Mem "MEM",
        /// Texel by integer coordinates.
        3 Ld "LD",
        /// Size and number of levels.
        4 GetTextureInfo "GET_TEXTURE_INFO",
        /// Number of samples.
        5 GetSampleInfo "GET_SAMPLE_INFO",
        /// Level of detail that a sample would have.
        6 GetCompTexLod "GET_COMP_TEX_LOD",
        /// Horizontal differences in the quad.
        7 GetGradientsH "GET_GRADIENTS_H",
        /// Vertical differences in the quad.
        8 GetGradientsV "GET_GRADIENTS_V",
        /// Weights of the filter.
        9 GetLerp "GET_LERP",
        /// Keep the gradients of the last sample (R700).
        10 KeepGradients "KEEP_GRADIENTS",
        /// Horizontal gradients of the `_G` instructions.
        11 SetGradientsH "SET_GRADIENTS_H",
        /// Vertical gradients of the `_G` instructions.
        12 SetGradientsV "SET_GRADIENTS_V",
        /// Nothing.
        13 Pass "PASS",
        /// Index of a cube map in an array of them.
        14 SetCubemapIndex "SET_CUBEMAP_INDEX",
        /// The four texels of a bilinear filter, one channel.
        15 Fetch4 "FETCH4",
        /// Sample, level from the quad.
        16 Sample "SAMPLE",
        /// Sample, level from w.
        17 SampleL "SAMPLE_L",
        /// Sample, level from the quad plus w.
        18 SampleLb "SAMPLE_LB",
        /// Sample, level 0.
        19 SampleLz "SAMPLE_LZ",
        /// Sample, level from set gradients.
        20 SampleG "SAMPLE_G",
        /// With gradients and level.
        21 SampleGL "SAMPLE_G_L",
        /// With gradients and bias.
        22 SampleGLb "SAMPLE_G_LB",
        /// With gradients, level 0.
        23 SampleGLz "SAMPLE_G_LZ",
        /// Sample and compare with w.
        24 SampleC "SAMPLE_C",
        /// Compare with z, level from w.
        25 SampleCL "SAMPLE_C_L",
        /// Compare with z, level from the quad plus w.
        26 SampleCLb "SAMPLE_C_LB",
        /// Compare, level 0.
        27 SampleCLz "SAMPLE_C_LZ",
        /// Compare, level from set gradients.
        28 SampleCG "SAMPLE_C_G",
        /// Compare, with gradients and level.
        29 SampleCGL "SAMPLE_C_G_L",
        /// Compare, with gradients and bias.
        30 SampleCGLb "SAMPLE_C_G_LB",
        /// Compare, with gradients, level 0.
        31 SampleCGLz "SAMPLE_C_G_LZ",
    }
}

/// Where a sample takes its level from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelSource {
    /// The differences of the coordinates across the quad.
    Detail,
    /// w.
    Given,
    /// The differences across the quad, w and the bias of the instruction.
    Biased,
    /// Level 0.
    Zero,
    /// What SET_GRADIENTS_H and _V of the clause have set.
    Gradients,
    /// The same, w and the bias of the instruction.
    BiasedGradients,
}

/// A sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOp {
    /// Where it takes its level from.
    pub level: LevelSource,
    /// It compares texels with a reference.
    pub compares: bool,
}

impl SampleOp {
    pub(crate) const fn of(level: LevelSource, compares: bool) -> Self {
        SampleOp { level, compares }
    }

    /// True if w is a level or a bias, and the reference of a comparison stands elsewhere: in z.
    pub(crate) const fn has_level_in_w(self) -> bool {
        match self.level {
            LevelSource::Given | LevelSource::Biased | LevelSource::BiasedGradients => true,
            LevelSource::Detail | LevelSource::Zero | LevelSource::Gradients => false,
        }
    }
}

/// What an instruction of a texture clause means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureClass {
    /// A texel by integer coordinates.
    Load,
    /// Size and number of levels.
    Info,
    /// Number of samples of a texel.
    Samples,
    /// The level of detail that a sample would have.
    LevelOfDetail,
    /// A filtered texel.
    Sample(SampleOp),
    /// The four texels of a linear filter, one channel of each.
    Gather,
    /// Which cube of several a sample looks at: textures here have one.
    SetCubeIndex,
    /// Differences across the quad.
    GradientsH,
    /// Differences down the quad.
    GradientsV,
    /// Gradients across, for the samples of the clause that take them.
    SetGradientsH,
    /// Gradients down, likewise.
    SetGradientsV,
    /// Decoded, but not executed; or no texture instruction.
    Unsupported,
}

impl FetchOp {
    /// What the instruction means in a texture clause.
    pub const fn texture_class(self) -> TextureClass {
        use LevelSource::*;
        match self {
            FetchOp::Ld => TextureClass::Load,
            FetchOp::GetTextureInfo => TextureClass::Info,
            FetchOp::GetSampleInfo => TextureClass::Samples,
            FetchOp::GetCompTexLod => TextureClass::LevelOfDetail,
            FetchOp::GetGradientsH => TextureClass::GradientsH,
            FetchOp::GetGradientsV => TextureClass::GradientsV,
            FetchOp::SetGradientsH => TextureClass::SetGradientsH,
            FetchOp::SetGradientsV => TextureClass::SetGradientsV,
            FetchOp::Sample => TextureClass::Sample(SampleOp::of(Detail, false)),
            FetchOp::SampleL => TextureClass::Sample(SampleOp::of(Given, false)),
            FetchOp::SampleLb => TextureClass::Sample(SampleOp::of(Biased, false)),
            FetchOp::SampleLz => TextureClass::Sample(SampleOp::of(Zero, false)),
            FetchOp::SampleG => TextureClass::Sample(SampleOp::of(Gradients, false)),
            FetchOp::SampleGL => TextureClass::Sample(SampleOp::of(Given, false)),
            FetchOp::SampleGLb => TextureClass::Sample(SampleOp::of(BiasedGradients, false)),
            FetchOp::SampleGLz => TextureClass::Sample(SampleOp::of(Zero, false)),
            FetchOp::SampleC => TextureClass::Sample(SampleOp::of(Detail, true)),
            FetchOp::SampleCL => TextureClass::Sample(SampleOp::of(Given, true)),
            FetchOp::SampleCLb => TextureClass::Sample(SampleOp::of(Biased, true)),
            FetchOp::SampleCLz => TextureClass::Sample(SampleOp::of(Zero, true)),
            FetchOp::SampleCG => TextureClass::Sample(SampleOp::of(Gradients, true)),
            FetchOp::SampleCGL => TextureClass::Sample(SampleOp::of(Given, true)),
            FetchOp::SampleCGLb => TextureClass::Sample(SampleOp::of(BiasedGradients, true)),
            FetchOp::SampleCGLz => TextureClass::Sample(SampleOp::of(Zero, true)),
            FetchOp::Fetch4 => TextureClass::Gather,
            FetchOp::SetCubemapIndex => TextureClass::SetCubeIndex,
            FetchOp::VtxFetch
            | FetchOp::VtxSemantic
            | FetchOp::Mem
            | FetchOp::GetLerp
            | FetchOp::KeepGradients
            | FetchOp::Pass => TextureClass::Unsupported,
        }
    }
}

codes! {
    /// `MEM_OP`: the operation of a memory instruction in a fetch clause (R700).
    pub enum MemOp: 3 {
        /// Read from scratch memory.
        0 RdScratch "MEM_RD_SCRATCH",
        /// Read from the reduction buffer.
        1 RdReduc "MEM_RD_REDUC",
        /// Read from the scatter buffer.
        2 RdScatter "MEM_RD_SCATTER",
        /// Reserved.
        3 Reserved3 "MEM_OP3",
        /// Write to local memory; its layout is not published.
        4 LocalDsWrite "MEM_LOCAL_DS_WRITE",
        /// Read from local memory; its layout is not published.
        5 LocalDsRead "MEM_LOCAL_DS_READ",
        /// Write to global memory; its layout is not published.
        6 DsGlobalWrite "MEM_DS_GLOBAL_WRITE",
        /// Read from global memory; its layout is not published.
        7 DsGlobalRead "MEM_DS_GLOBAL_READ",
    }
}

impl MemOp {
    /// True for the reads of scratch, reduction and scatter memory, whose words are described.
    pub const fn is_read(self) -> bool {
        matches!(self, MemOp::RdScratch | MemOp::RdReduc | MemOp::RdScatter)
    }
}
