//! X1K instructions: the field table, and what it decodes to.
//!
//! An instruction is six dwords. The first is common to all types; the rest depends on the type. The rows below are the
//! only description of the words in the project. Sources: CTM Guide v1.01 p.23-33, 36-38; R5xx register tables.

use crate::codes::*;
use ctm_bits::{Field, field_table};
use ctm_num::ieee::power_of_two;

/// Number of dwords of an instruction.
pub const DWORDS: usize = 6;

/// The six dwords of an instruction.
pub type Words = [u32; DWORDS];

/// What one of the two arithmetic units does with its result, as the common word says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UnitControl {
    /// Which predicate gates the unit's writes.
    pub pred_sel: PredicateSelect,
    /// Invert the selected predicate.
    pub pred_inv: bool,
    /// Channels written to the temporary. RGB: bit 0 red, 1 green, 2 blue. Alpha: bit 0.
    pub wmask: u8,
    /// OUT: channels written to the output register. ALU: predicate bits written. Bits as in `wmask`.
    pub omask: u8,
    /// Clamp the result to [0, 1].
    pub clamp: bool,
}

/// The first dword, common to all types (`US_CMN_INST`), without the type itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Common {
    /// Wait for the texture semaphore before issuing.
    pub tex_sem_wait: bool,
    /// Control of the RGB unit.
    pub rgb: UnitControl,
    /// Writes also reach inactive lanes.
    pub write_inactive: bool,
    /// All active lanes may terminate after this instruction.
    pub last: bool,
    /// Insert one idle slot after this instruction.
    pub nop: bool,
    /// Wait for earlier ALU instructions before issuing.
    pub alu_wait: bool,
    /// Control of the alpha unit.
    pub alpha: UnitControl,
    /// Channel that feeds the ALU result.
    pub result_sel: ResultChannel,
    /// Comparison that makes the ALU result.
    pub result_op: ZeroTest,
    /// Statistics enable; ignored by CTM.
    pub stat_we: u8,
}

field_table! { Common, words 6;
    TEX_SEM_WAIT,   0 [2:2],   {tex_sem_wait},   bool,            "wait for the texture semaphore before issuing";
    RGB_PRED_SEL,   0 [5:3],   {rgb.pred_sel},   PredicateSelect, "predicate of the RGB channels; flow control: of the instruction";
    RGB_PRED_INV,   0 [6:6],   {rgb.pred_inv},   bool,            "invert the selected predicate";
    WRITE_INACTIVE, 0 [7:7],   {write_inactive}, bool,            "writes also reach inactive lanes";
    LAST,           0 [8:8],   {last},           bool,            "all active lanes may terminate after this instruction";
    NOP,            0 [9:9],   {nop},            bool,            "insert one idle slot after this instruction";
    ALU_WAIT,       0 [10:10], {alu_wait},       bool,            "wait for earlier ALU instructions before issuing";
    RGB_WMASK,      0 [13:11], {rgb.wmask},      u8,              "write red, green, blue to the temporary";
    ALPHA_WMASK,    0 [14:14], {alpha.wmask},    u8,              "write alpha to the temporary";
    RGB_OMASK,      0 [17:15], {rgb.omask},      u8,              "OUT: write to the output register; ALU: write predicate bits";
    ALPHA_OMASK,    0 [18:18], {alpha.omask},    u8,              "as RGB_OMASK, for alpha";
    RGB_CLAMP,      0 [19:19], {rgb.clamp},      bool,            "clamp the RGB result to [0,1]";
    ALPHA_CLAMP,    0 [20:20], {alpha.clamp},    bool,            "clamp the alpha result to [0,1]";
    ALU_RESULT_SEL, 0 [21:21], {result_sel},     ResultChannel,   "channel that feeds the ALU result";
    ALPHA_PRED_INV, 0 [22:22], {alpha.pred_inv}, bool,            "invert the alpha predicate";
    ALU_RESULT_OP,  0 [24:23], {result_op},      ZeroTest,        "comparison with zero that makes the ALU result";
    ALPHA_PRED_SEL, 0 [27:25], {alpha.pred_sel}, PredicateSelect, "predicate of the alpha channel";
    STAT_WE,        0 [31:28], {stat_we},        u8,              "statistics enable; ignored";
}

/// One source address of an ALU instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// `ADDR`: register, constant or inline-constant number, see [`Source::operand`].
    pub addr: u8,
    /// `ADDR_CONST`.
    pub constant: bool,
    /// `ADDR_REL`: add aL.
    pub relative: bool,
}

/// What a source address names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Temporary 0..=127; `relative` adds aL, modulo 128.
    Temp {
        /// Register number.
        index: u8,
        /// aL is added.
        relative: bool,
    },
    /// Float constant 0..=255; `relative` adds aL, modulo 256.
    Const {
        /// Constant number.
        index: u8,
        /// aL is added.
        relative: bool,
    },
    /// Inline constant with this 7-bit code, see [`inline_constant`].
    Inline(u8),
}

impl Source {
    /// An unused source: inline constant 0.
    pub const UNUSED: Source = Source { addr: 0x80, constant: false, relative: false };

    /// What the address names (CTM Guide p.26). An inline constant ignores `relative`.
    pub const fn operand(self) -> Operand {
        match (self.constant, self.addr >= 0x80) {
            (true, _) => Operand::Const { index: self.addr, relative: self.relative },
            (false, false) => Operand::Temp { index: self.addr, relative: self.relative },
            (false, true) => Operand::Inline(self.addr & 0x7F),
        }
    }
}

/// Value of an inline constant: a 7-bit unsigned float, exponent in bits 6:3 (bias 7), mantissa in bits 2:0, with
/// denormals, without infinity and NaN (CTM Guide p.26).
pub fn inline_constant(code: u8) -> f32 {
    let (exponent, mantissa) = (i32::from(code >> 3 & 15), f64::from(code & 7));
    // In eighths of the power of two. No bit is lost.
    let value = match exponent {
        0 => mantissa * power_of_two(-9),
        _ => (8.0 + mantissa) * power_of_two(exponent - 10),
    };
    value as f32
}

/// One operand (A, B or C) of a unit with `N` channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arg<const N: usize> {
    /// Source vector.
    pub sel: Select,
    /// Channel of the source vector, per channel of the operand.
    pub swizzle: [Swizzle; N],
    /// Input modifier.
    pub modifier: InputModifier,
}

impl<const N: usize> Default for Arg<N> {
    fn default() -> Self {
        Arg { sel: Select::Src0, swizzle: [Swizzle::R; N], modifier: InputModifier::None }
    }
}

/// One arithmetic unit of an ALU or OUT instruction: `N` = 3 channels for RGB, 1 for alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unit<Op, const N: usize> {
    /// Sources 0, 1, 2.
    pub src: [Source; 3],
    /// Presubtract operation.
    pub srcp: Presubtract,
    /// The operation.
    pub op: Op,
    /// Operands A, B, C.
    pub arg: [Arg<N>; 3],
    /// Destination temporary.
    pub dest: u8,
    /// Add aL to the destination.
    pub dest_relative: bool,
    /// Output modifier.
    pub omod: OutputModifier,
    /// OUT: output register A..D. ALU: predicate test, see [`Unit::predicate_test`].
    pub target: u8,
}

impl<Op, const N: usize> Unit<Op, N> {
    /// The predicate test that `target` stands for in an ALU instruction.
    pub fn predicate_test(&self) -> ZeroTest {
        ZeroTest::ALL[usize::from(self.target & 3)]
    }
}

/// Dwords 1 to 5 of ALU and OUT instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Alu {
    /// The RGB unit.
    pub rgb: Unit<RgbOp, 3>,
    /// The alpha unit.
    pub alpha: Unit<AlphaOp, 1>,
    /// Update the ALU result.
    pub alu_wmask: bool,
    /// Write the alpha result as the conditional value.
    pub w_omask: bool,
}

field_table! { Alu, words 6;
    RGB_ADDR0,         1 [7:0],   {rgb.src[0].addr},         u8,             "RGB source 0: register, constant or inline code";
    RGB_ADDR0_CONST,   1 [8:8],   {rgb.src[0].constant},     bool,           "RGB source 0 is a constant";
    RGB_ADDR0_REL,     1 [9:9],   {rgb.src[0].relative},     bool,           "RGB source 0 adds aL";
    RGB_ADDR1,         1 [17:10], {rgb.src[1].addr},         u8,             "RGB source 1: register, constant or inline code";
    RGB_ADDR1_CONST,   1 [18:18], {rgb.src[1].constant},     bool,           "RGB source 1 is a constant";
    RGB_ADDR1_REL,     1 [19:19], {rgb.src[1].relative},     bool,           "RGB source 1 adds aL";
    RGB_ADDR2,         1 [27:20], {rgb.src[2].addr},         u8,             "RGB source 2: register, constant or inline code";
    RGB_ADDR2_CONST,   1 [28:28], {rgb.src[2].constant},     bool,           "RGB source 2 is a constant";
    RGB_ADDR2_REL,     1 [29:29], {rgb.src[2].relative},     bool,           "RGB source 2 adds aL";
    RGB_SRCP_OP,       1 [31:30], {rgb.srcp},                Presubtract,    "RGB presubtract operation";
    ALPHA_ADDR0,       2 [7:0],   {alpha.src[0].addr},       u8,             "alpha source 0: register, constant or inline code";
    ALPHA_ADDR0_CONST, 2 [8:8],   {alpha.src[0].constant},   bool,           "alpha source 0 is a constant";
    ALPHA_ADDR0_REL,   2 [9:9],   {alpha.src[0].relative},   bool,           "alpha source 0 adds aL";
    ALPHA_ADDR1,       2 [17:10], {alpha.src[1].addr},       u8,             "alpha source 1: register, constant or inline code";
    ALPHA_ADDR1_CONST, 2 [18:18], {alpha.src[1].constant},   bool,           "alpha source 1 is a constant";
    ALPHA_ADDR1_REL,   2 [19:19], {alpha.src[1].relative},   bool,           "alpha source 1 adds aL";
    ALPHA_ADDR2,       2 [27:20], {alpha.src[2].addr},       u8,             "alpha source 2: register, constant or inline code";
    ALPHA_ADDR2_CONST, 2 [28:28], {alpha.src[2].constant},   bool,           "alpha source 2 is a constant";
    ALPHA_ADDR2_REL,   2 [29:29], {alpha.src[2].relative},   bool,           "alpha source 2 adds aL";
    ALPHA_SRCP_OP,     2 [31:30], {alpha.srcp},              Presubtract,    "alpha presubtract operation";
    RGB_SEL_A,         3 [1:0],   {rgb.arg[0].sel},          Select,         "RGB operand A: source vector";
    RED_SWIZ_A,        3 [4:2],   {rgb.arg[0].swizzle[0]},   Swizzle,        "RGB operand A: what red takes";
    GREEN_SWIZ_A,      3 [7:5],   {rgb.arg[0].swizzle[1]},   Swizzle,        "RGB operand A: what green takes";
    BLUE_SWIZ_A,       3 [10:8],  {rgb.arg[0].swizzle[2]},   Swizzle,        "RGB operand A: what blue takes";
    RGB_MOD_A,         3 [12:11], {rgb.arg[0].modifier},     InputModifier,  "RGB operand A: input modifier";
    RGB_SEL_B,         3 [14:13], {rgb.arg[1].sel},          Select,         "RGB operand B: source vector";
    RED_SWIZ_B,        3 [17:15], {rgb.arg[1].swizzle[0]},   Swizzle,        "RGB operand B: what red takes";
    GREEN_SWIZ_B,      3 [20:18], {rgb.arg[1].swizzle[1]},   Swizzle,        "RGB operand B: what green takes";
    BLUE_SWIZ_B,       3 [23:21], {rgb.arg[1].swizzle[2]},   Swizzle,        "RGB operand B: what blue takes";
    RGB_MOD_B,         3 [25:24], {rgb.arg[1].modifier},     InputModifier,  "RGB operand B: input modifier";
    RGB_OMOD,          3 [28:26], {rgb.omod},                OutputModifier, "RGB output modifier";
    RGB_TARGET,        3 [30:29], {rgb.target},              u8,             "OUT: output register A..D, or kind of UMRT write; ALU: predicate test";
    ALU_WMASK,         3 [31:31], {alu_wmask},               bool,           "update the ALU result";
    ALPHA_OP,          4 [3:0],   {alpha.op},                AlphaOp,        "alpha operation";
    ALPHA_ADDRD,       4 [10:4],  {alpha.dest},              u8,             "alpha destination temporary";
    ALPHA_ADDRD_REL,   4 [11:11], {alpha.dest_relative},     bool,           "alpha destination adds aL";
    ALPHA_SEL_A,       4 [13:12], {alpha.arg[0].sel},        Select,         "alpha operand A: source vector";
    ALPHA_SWIZ_A,      4 [16:14], {alpha.arg[0].swizzle[0]}, Swizzle,        "alpha operand A: channel";
    ALPHA_MOD_A,       4 [18:17], {alpha.arg[0].modifier},   InputModifier,  "alpha operand A: input modifier";
    ALPHA_SEL_B,       4 [20:19], {alpha.arg[1].sel},        Select,         "alpha operand B: source vector";
    ALPHA_SWIZ_B,      4 [23:21], {alpha.arg[1].swizzle[0]}, Swizzle,        "alpha operand B: channel";
    ALPHA_MOD_B,       4 [25:24], {alpha.arg[1].modifier},   InputModifier,  "alpha operand B: input modifier";
    ALPHA_OMOD,        4 [28:26], {alpha.omod},              OutputModifier, "alpha output modifier";
    ALPHA_TARGET,      4 [30:29], {alpha.target},            u8,             "OUT: output register A..D; ALU: predicate test";
    W_OMASK,           4 [31:31], {w_omask},                 bool,           "write the alpha result as the conditional value";
    RGB_OP,            5 [3:0],   {rgb.op},                  RgbOp,          "RGB operation";
    RGB_ADDRD,         5 [10:4],  {rgb.dest},                u8,             "RGB destination temporary";
    RGB_ADDRD_REL,     5 [11:11], {rgb.dest_relative},       bool,           "RGB destination adds aL";
    RGB_SEL_C,         5 [13:12], {rgb.arg[2].sel},          Select,         "RGB operand C: source vector";
    RED_SWIZ_C,        5 [16:14], {rgb.arg[2].swizzle[0]},   Swizzle,        "RGB operand C: what red takes";
    GREEN_SWIZ_C,      5 [19:17], {rgb.arg[2].swizzle[1]},   Swizzle,        "RGB operand C: what green takes";
    BLUE_SWIZ_C,       5 [22:20], {rgb.arg[2].swizzle[2]},   Swizzle,        "RGB operand C: what blue takes";
    RGB_MOD_C,         5 [24:23], {rgb.arg[2].modifier},     InputModifier,  "RGB operand C: input modifier";
    ALPHA_SEL_C,       5 [26:25], {alpha.arg[2].sel},        Select,         "alpha operand C: source vector";
    ALPHA_SWIZ_C,      5 [29:27], {alpha.arg[2].swizzle[0]}, Swizzle,        "alpha operand C: channel";
    ALPHA_MOD_C,       5 [31:30], {alpha.arg[2].modifier},   InputModifier,  "alpha operand C: input modifier";
}

/// Dwords 1 to 5 of flow-control instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flow {
    /// The operation.
    pub op: FlowOp,
    /// Else operation before anything else.
    pub b_else: bool,
    /// Jump if any lane wants to, instead of all.
    pub jump_any: bool,
    /// Address stack operation, if the instruction jumps.
    pub a_op: AddressOp,
    /// Truth table over (ALU result, predicate, boolean).
    pub jump_func: u8,
    /// Amount that DECR subtracts.
    pub b_pop_cnt: u8,
    /// Branch operation if the instruction stays.
    pub b_op0: BranchOp,
    /// Branch operation if the instruction jumps.
    pub b_op1: BranchOp,
    /// No effect here: uncovered lanes never take part.
    pub ignore_uncovered: bool,
    /// Boolean constant.
    pub bool_addr: u8,
    /// Integer constant.
    pub int_addr: u8,
    /// Target.
    pub jump_addr: u16,
    /// The target is not relative to the program's code offset.
    pub jump_global: bool,
}

field_table! { Flow, words 6;
    OP,               2 [2:0],   {op},               FlowOp,    "operation";
    B_ELSE,           2 [4:4],   {b_else},           bool,      "else operation before anything else";
    JUMP_ANY,         2 [5:5],   {jump_any},         bool,      "jump if any active lane wants to, instead of all";
    A_OP,             2 [7:6],   {a_op},             AddressOp, "address stack operation if jump";
    JUMP_FUNC,        2 [15:8],  {jump_func},        u8,        "truth table over (ALU result, predicate, boolean)";
    B_POP_CNT,        2 [20:16], {b_pop_cnt},        u8,        "amount for DECR";
    B_OP0,            2 [25:24], {b_op0},            BranchOp,  "branch operation if stay";
    B_OP1,            2 [27:26], {b_op1},            BranchOp,  "branch operation if jump";
    IGNORE_UNCOVERED, 2 [28:28], {ignore_uncovered}, bool,      "uncovered lanes take no part; no effect here";
    BOOL_ADDR,        3 [4:0],   {bool_addr},        u8,        "boolean constant";
    INT_ADDR,         3 [12:8],  {int_addr},         u8,        "integer constant";
    JUMP_ADDR,        3 [24:16], {jump_addr},        u16,       "jump target";
    JUMP_GLOBAL,      3 [31:31], {jump_global},      bool,      "do not add the program's code offset to the target";
}

/// A register address of a texture instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TexRegister {
    /// Temporary.
    pub addr: u8,
    /// Add aL.
    pub relative: bool,
    /// Source: which channel is S, T, R, Q. Destination: which fetched channel goes to R, G, B, A.
    pub swizzle: [TexSwizzle; 4],
}

/// Dwords 1 to 5 of texture instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tex {
    /// Input 0..=15.
    pub id: u8,
    /// The operation.
    pub op: TexOp,
    /// Hold the texture semaphore until this fetch and all earlier ones have landed.
    pub sem_acquire: bool,
    /// No effect here.
    pub ignore_uncovered: bool,
    /// Coordinates are in elements; otherwise S is multiplied by the width and T by the height.
    pub unscaled: bool,
    /// Coordinates.
    pub src: TexRegister,
    /// Destination.
    pub dst: TexRegister,
    /// Derivative in x, for DXDY.
    pub dx: TexRegister,
    /// Derivative in y, for DXDY.
    pub dy: TexRegister,
}

field_table! { Tex, words 6;
    TEX_ID,           1 [19:16], {id},               u8,         "input 0..15";
    INST,             1 [24:22], {op},               TexOp,      "operation";
    TEX_SEM_ACQUIRE,  1 [25:25], {sem_acquire},      bool,       "hold the texture semaphore until the fetch has landed";
    IGNORE_UNCOVERED, 1 [26:26], {ignore_uncovered}, bool,       "uncovered lanes fetch nothing; no effect here";
    UNSCALED,         1 [27:27], {unscaled},         bool,       "coordinates are in elements";
    SRC_ADDR,         2 [6:0],   {src.addr},         u8,         "temporary with the coordinates";
    SRC_ADDR_REL,     2 [7:7],   {src.relative},     bool,       "coordinates: add aL";
    SRC_S_SWIZ,       2 [9:8],   {src.swizzle[0]},   TexSwizzle, "channel that is S";
    SRC_T_SWIZ,       2 [11:10], {src.swizzle[1]},   TexSwizzle, "channel that is T";
    SRC_R_SWIZ,       2 [13:12], {src.swizzle[2]},   TexSwizzle, "channel that is R";
    SRC_Q_SWIZ,       2 [15:14], {src.swizzle[3]},   TexSwizzle, "channel that is Q";
    DST_ADDR,         2 [22:16], {dst.addr},         u8,         "destination temporary";
    DST_ADDR_REL,     2 [23:23], {dst.relative},     bool,       "destination: add aL";
    DST_R_SWIZ,       2 [25:24], {dst.swizzle[0]},   TexSwizzle, "fetched channel that goes to red";
    DST_G_SWIZ,       2 [27:26], {dst.swizzle[1]},   TexSwizzle, "fetched channel that goes to green";
    DST_B_SWIZ,       2 [29:28], {dst.swizzle[2]},   TexSwizzle, "fetched channel that goes to blue";
    DST_A_SWIZ,       2 [31:30], {dst.swizzle[3]},   TexSwizzle, "fetched channel that goes to alpha";
    DX_ADDR,          3 [6:0],   {dx.addr},          u8,         "temporary with the x derivatives";
    DX_ADDR_REL,      3 [7:7],   {dx.relative},      bool,       "x derivatives: add aL";
    DX_S_SWIZ,        3 [9:8],   {dx.swizzle[0]},    TexSwizzle, "x derivative of S";
    DX_T_SWIZ,        3 [11:10], {dx.swizzle[1]},    TexSwizzle, "x derivative of T";
    DX_R_SWIZ,        3 [13:12], {dx.swizzle[2]},    TexSwizzle, "x derivative of R";
    DX_Q_SWIZ,        3 [15:14], {dx.swizzle[3]},    TexSwizzle, "x derivative of Q";
    DY_ADDR,          3 [22:16], {dy.addr},          u8,         "temporary with the y derivatives";
    DY_ADDR_REL,      3 [23:23], {dy.relative},      bool,       "y derivatives: add aL";
    DY_S_SWIZ,        3 [25:24], {dy.swizzle[0]},    TexSwizzle, "y derivative of S";
    DY_T_SWIZ,        3 [27:26], {dy.swizzle[1]},    TexSwizzle, "y derivative of T";
    DY_R_SWIZ,        3 [29:28], {dy.swizzle[2]},    TexSwizzle, "y derivative of R";
    DY_Q_SWIZ,        3 [31:30], {dy.swizzle[3]},    TexSwizzle, "y derivative of Q";
}

/// The part of an instruction that depends on its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// Type 0: arithmetic that may set predicate bits.
    Alu(Alu),
    /// Type 1: arithmetic that may write output registers.
    Out(Alu),
    /// Type 2: flow control.
    Flow(Flow),
    /// Type 3: texture.
    Tex(Tex),
}

/// One X1K instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The common word.
    pub common: Common,
    /// What the type makes of the other words.
    pub body: Body,
    /// Bits that no field of the type describes, in place. The machine ignores them; tools write 0.
    pub reserved: Words,
}

const fn reserved_bits(covered: [u32; DWORDS]) -> Words {
    let mut bits = [0; DWORDS];
    let mut i = 1;
    while i < DWORDS {
        bits[i] = !covered[i];
        i += 1;
    }
    bits
}

/// Names of the types.
const TYPES: [&str; 4] = ["ALU", "OUT", "FC", "TEX"];
/// What they are.
const ABOUT_TYPES: [&str; 4] = [
    "Arithmetic that writes temporaries and predicates.",
    "Arithmetic that writes temporaries and outputs.",
    "Flow control.",
    "A fetch.",
];

impl Instruction {
    /// Which form dwords 1 to 5 have: the bits of the first dword that are not in its [`Common`] fields.
    pub const TYPE: Field = Field {
        name: "TYPE",
        word: 0,
        hi: 1,
        lo: 0,
        doc: "form of the instruction",
        spell: |code| TYPES.get(code as usize).copied(),
        about: |code| ABOUT_TYPES.get(code as usize).copied(),
    };

    /// Decodes six dwords. Every 192-bit value is an instruction; [`encode`](Self::encode) gives the same words back.
    ///
    /// ```
    /// use ctm_x1k::{Body, Instruction, TexOp};
    /// let words = [0x0000_7807, 0x0A43_0000, 0xE401_E400, 0, 0, 0];
    /// let Body::Tex(tex) = Instruction::decode(&words).body else { panic!() };
    /// assert_eq!((tex.op, tex.id, tex.unscaled), (TexOp::Ld, 3, true));
    /// assert_eq!(Instruction::decode(&words).encode(), words);
    /// ```
    pub fn decode(words: &Words) -> Self {
        let body = match Self::TYPE.get(words) {
            0 => Body::Alu(Alu::read(words)),
            1 => Body::Out(Alu::read(words)),
            2 => Body::Flow(Flow::read(words)),
            _ => Body::Tex(Tex::read(words)),
        };
        let mut reserved = *words;
        for (word, bits) in reserved.iter_mut().zip(body.reserved_bits()) {
            *word &= bits;
        }
        Instruction { common: Common::read(words), body, reserved }
    }

    /// Encodes into six dwords.
    pub fn encode(&self) -> Words {
        let mut words = self.reserved;
        self.common.write(&mut words);
        Self::TYPE.set(&mut words, self.body.type_code());
        match &self.body {
            Body::Alu(alu) | Body::Out(alu) => alu.write(&mut words),
            Body::Flow(flow) => flow.write(&mut words),
            Body::Tex(tex) => tex.write(&mut words),
        }
        words
    }

    /// The fields of the instruction's form, the common word first (without the type).
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        Common::FIELDS.iter().chain(self.body.fields())
    }

    /// The ALU part, for types 0 and 1.
    pub fn alu(&self) -> Option<&Alu> {
        match &self.body {
            Body::Alu(alu) | Body::Out(alu) => Some(alu),
            _ => None,
        }
    }
}

impl Body {
    const fn type_code(&self) -> u32 {
        match self {
            Body::Alu(_) => 0,
            Body::Out(_) => 1,
            Body::Flow(_) => 2,
            Body::Tex(_) => 3,
        }
    }

    /// The guide's name of the type.
    pub const fn type_name(&self) -> &'static str {
        TYPES[self.type_code() as usize]
    }

    /// The fields of dwords 1 to 5.
    pub const fn fields(&self) -> &'static [Field] {
        match self {
            Body::Alu(_) | Body::Out(_) => Alu::FIELDS,
            Body::Flow(_) => Flow::FIELDS,
            Body::Tex(_) => Tex::FIELDS,
        }
    }

    /// Per dword, the bits that no field describes.
    pub const fn reserved_bits(&self) -> Words {
        match self {
            Body::Alu(_) | Body::Out(_) => const { reserved_bits(Alu::COVERED) },
            Body::Flow(_) => const { reserved_bits(Flow::COVERED) },
            Body::Tex(_) => const { reserved_bits(Tex::COVERED) },
        }
    }
}
