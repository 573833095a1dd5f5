//! ALU instructions: the opcode tables and the field tables of the OP2 and OP3 forms.
//!
//! Sources: R700 guide, chapters 4 and 9; Mesa's `r600_isa.h`, `r600_sq.h`, `r700_sq.h`; decaf-emu's
//! `latte_instructions.h`; LLVM's `R600InstrFormats.td`.

use crate::cf::Qword;
use crate::codes::*;
use crate::opcodes::opcodes;
use ctm_bits::{Field, extract, field_table, insert};

/// Which of the five units of a group can execute an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Every unit.
    Any,
    /// The vector unit of the destination channel.
    Vector,
    /// The trans unit.
    Trans,
    /// All four vector units together, with the same operation in each.
    Reduction,
}

/// What bits stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// binary32.
    Float,
    /// A 32-bit integer, or bits. As a result it takes neither output modifier nor clamp.
    Integer,
    /// Half of a binary64 value.
    Double,
}

/// What an operation does beside giving a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// It sets the address register and writes no other.
    Address,
    /// It may set the predicate and the active mask.
    Predicate,
    /// It may make the pixel invalid.
    Kill,
}

/// Facts about an ALU operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AluFacts {
    /// Number of sources.
    pub sources: u8,
    /// Where it executes.
    pub units: Units,
    /// Where it executes on R600.
    pub units_r600: Units,
    /// What the sources are.
    pub operands: Number,
    /// What the result is.
    pub result: Number,
    /// What else it does.
    pub effect: Effect,
    /// The families that have it.
    pub families: Families,
}

impl AluFacts {
    const fn new(sources: u8, operands: Number, result: Number) -> Self {
        AluFacts {
            sources,
            units: Units::Any,
            units_r600: Units::Any,
            operands,
            result,
            effect: Effect::None,
            families: Families::Both,
        }
    }

    const fn in_units(self, units: Units) -> Self {
        AluFacts { units, units_r600: units, ..self }
    }

    const fn trans_on_r600(self) -> Self {
        AluFacts { units_r600: Units::Trans, ..self }
    }

    const fn only(self, family: Family) -> Self {
        AluFacts { families: Families::Only(family), ..self }
    }

    /// Where the operation executes on this family.
    pub const fn units_of(&self, family: Family) -> Units {
        match family {
            Family::R600 => self.units_r600,
            Family::R700 => self.units,
        }
    }
}

use Number::{Double, Float, Integer};

const fn float(sources: u8) -> AluFacts {
    AluFacts::new(sources, Float, Float)
}
const fn integer(sources: u8) -> AluFacts {
    AluFacts::new(sources, Integer, Integer)
}
/// A float comparison that gives all ones or zero.
const MASK: AluFacts = AluFacts::new(2, Float, Integer);
const fn trans(operands: Number, result: Number) -> AluFacts {
    AluFacts::new(1, operands, result).in_units(Units::Trans)
}
const fn integer_trans(sources: u8) -> AluFacts {
    integer(sources).in_units(Units::Trans)
}
const SHIFT: AluFacts = integer(2).trans_on_r600();
const fn address(operands: Number) -> AluFacts {
    AluFacts { effect: Effect::Address, ..AluFacts::new(1, operands, Integer) }.in_units(Units::Vector)
}
const fn predicate(sources: u8, operands: Number) -> AluFacts {
    AluFacts { effect: Effect::Predicate, ..AluFacts::new(sources, operands, Float) }
}
const fn kill(operands: Number) -> AluFacts {
    AluFacts { effect: Effect::Kill, ..AluFacts::new(2, operands, Float) }
}
const fn reduction(sources: u8) -> AluFacts {
    float(sources).in_units(Units::Reduction)
}
const fn double(sources: u8, operands: Number, result: Number) -> AluFacts {
    AluFacts::new(sources, operands, result).in_units(Units::Vector)
}

opcodes! {
    /// `ALU_INST` of the OP2 form: operations with up to two sources.
    pub enum Op2: u8 => AluFacts {
        0x00 Add "ADD" float(2);
        0x01 Mul "MUL" float(2);
        0x02 MulIeee "MUL_IEEE" float(2);
        0x03 Max "MAX" float(2);
        0x04 Min "MIN" float(2);
        0x05 MaxDx10 "MAX_DX10" float(2);
        0x06 MinDx10 "MIN_DX10" float(2);
        0x07 Frexp64 "FREXP_64" double(1, Double, Double);
        0x08 SetE "SETE" float(2);
        0x09 SetGt "SETGT" float(2);
        0x0A SetGe "SETGE" float(2);
        0x0B SetNe "SETNE" float(2);
        0x0C SetEDx10 "SETE_DX10" MASK;
        0x0D SetGtDx10 "SETGT_DX10" MASK;
        0x0E SetGeDx10 "SETGE_DX10" MASK;
        0x0F SetNeDx10 "SETNE_DX10" MASK;
        0x10 Fract "FRACT" float(1);
        0x11 Trunc "TRUNC" float(1);
        0x12 Ceil "CEIL" float(1);
        0x13 RndNe "RNDNE" float(1);
        0x14 Floor "FLOOR" float(1);
        0x15 MovA "MOVA" address(Float);
        0x16 MovAFloor "MOVA_FLOOR" address(Float);
        0x17 Add64 "ADD_64" double(2, Double, Double);
        0x18 MovAInt "MOVA_INT" address(Integer);
        0x19 Mov "MOV" float(1);
        0x1A Nop "NOP" float(0);
        0x1B Mul64 "MUL_64" double(2, Double, Double);
        0x1C Flt64ToFlt32 "FLT64_TO_FLT32" double(1, Double, Float);
        0x1D Flt32ToFlt64 "FLT32_TO_FLT64" double(1, Float, Double);
        0x1E PredSetGtUint "PRED_SETGT_UINT" predicate(2, Integer);
        0x1F PredSetGeUint "PRED_SETGE_UINT" predicate(2, Integer);
        0x20 PredSetE "PRED_SETE" predicate(2, Float);
        0x21 PredSetGt "PRED_SETGT" predicate(2, Float);
        0x22 PredSetGe "PRED_SETGE" predicate(2, Float);
        0x23 PredSetNe "PRED_SETNE" predicate(2, Float);
        0x24 PredSetInv "PRED_SET_INV" predicate(1, Float);
        0x25 PredSetPop "PRED_SET_POP" predicate(2, Float);
        0x26 PredSetClr "PRED_SET_CLR" predicate(0, Float);
        0x27 PredSetRestore "PRED_SET_RESTORE" predicate(1, Float);
        0x28 PredSetEPush "PRED_SETE_PUSH" predicate(2, Float);
        0x29 PredSetGtPush "PRED_SETGT_PUSH" predicate(2, Float);
        0x2A PredSetGePush "PRED_SETGE_PUSH" predicate(2, Float);
        0x2B PredSetNePush "PRED_SETNE_PUSH" predicate(2, Float);
        0x2C KillE "KILLE" kill(Float);
        0x2D KillGt "KILLGT" kill(Float);
        0x2E KillGe "KILLGE" kill(Float);
        0x2F KillNe "KILLNE" kill(Float);
        0x30 AndInt "AND_INT" integer(2);
        0x31 OrInt "OR_INT" integer(2);
        0x32 XorInt "XOR_INT" integer(2);
        0x33 NotInt "NOT_INT" integer(1);
        0x34 AddInt "ADD_INT" integer(2);
        0x35 SubInt "SUB_INT" integer(2);
        0x36 MaxInt "MAX_INT" integer(2);
        0x37 MinInt "MIN_INT" integer(2);
        0x38 MaxUint "MAX_UINT" integer(2);
        0x39 MinUint "MIN_UINT" integer(2);
        0x3A SetEInt "SETE_INT" integer(2);
        0x3B SetGtInt "SETGT_INT" integer(2);
        0x3C SetGeInt "SETGE_INT" integer(2);
        0x3D SetNeInt "SETNE_INT" integer(2);
        0x3E SetGtUint "SETGT_UINT" integer(2);
        0x3F SetGeUint "SETGE_UINT" integer(2);
        0x40 KillGtUint "KILLGT_UINT" kill(Integer);
        0x41 KillGeUint "KILLGE_UINT" kill(Integer);
        0x42 PredSetEInt "PRED_SETE_INT" predicate(2, Integer);
        0x43 PredSetGtInt "PRED_SETGT_INT" predicate(2, Integer);
        0x44 PredSetGeInt "PRED_SETGE_INT" predicate(2, Integer);
        0x45 PredSetNeInt "PRED_SETNE_INT" predicate(2, Integer);
        0x46 KillEInt "KILLE_INT" kill(Integer);
        0x47 KillGtInt "KILLGT_INT" kill(Integer);
        0x48 KillGeInt "KILLGE_INT" kill(Integer);
        0x49 KillNeInt "KILLNE_INT" kill(Integer);
        0x4A PredSetEPushInt "PRED_SETE_PUSH_INT" predicate(2, Integer);
        0x4B PredSetGtPushInt "PRED_SETGT_PUSH_INT" predicate(2, Integer);
        0x4C PredSetGePushInt "PRED_SETGE_PUSH_INT" predicate(2, Integer);
        0x4D PredSetNePushInt "PRED_SETNE_PUSH_INT" predicate(2, Integer);
        0x4E PredSetLtPushInt "PRED_SETLT_PUSH_INT" predicate(2, Integer);
        0x4F PredSetLePushInt "PRED_SETLE_PUSH_INT" predicate(2, Integer);
        0x50 Dot4 "DOT4" reduction(2);
        0x51 Dot4Ieee "DOT4_IEEE" reduction(2);
        0x52 Cube "CUBE" reduction(2);
        0x53 Max4 "MAX4" reduction(1);
        0x60 MovAGprInt "MOVA_GPR_INT" address(Integer).in_units(Units::Trans).only(Family::R600);
        0x61 ExpIeee "EXP_IEEE" trans(Float, Float);
        0x62 LogClamped "LOG_CLAMPED" trans(Float, Float);
        0x63 LogIeee "LOG_IEEE" trans(Float, Float);
        0x64 RecipClamped "RECIP_CLAMPED" trans(Float, Float);
        0x65 RecipFf "RECIP_FF" trans(Float, Float);
        0x66 RecipIeee "RECIP_IEEE" trans(Float, Float);
        0x67 RecipSqrtClamped "RECIPSQRT_CLAMPED" trans(Float, Float);
        0x68 RecipSqrtFf "RECIPSQRT_FF" trans(Float, Float);
        0x69 RecipSqrtIeee "RECIPSQRT_IEEE" trans(Float, Float);
        0x6A SqrtIeee "SQRT_IEEE" trans(Float, Float);
        0x6B FltToInt "FLT_TO_INT" trans(Float, Integer);
        0x6C IntToFlt "INT_TO_FLT" trans(Integer, Float);
        0x6D UintToFlt "UINT_TO_FLT" trans(Integer, Float);
        0x6E Sin "SIN" trans(Float, Float);
        0x6F Cos "COS" trans(Float, Float);
        0x70 AshrInt "ASHR_INT" SHIFT;
        0x71 LshrInt "LSHR_INT" SHIFT;
        0x72 LshlInt "LSHL_INT" SHIFT;
        0x73 MulLoInt "MULLO_INT" integer_trans(2);
        0x74 MulHiInt "MULHI_INT" integer_trans(2);
        0x75 MulLoUint "MULLO_UINT" integer_trans(2);
        0x76 MulHiUint "MULHI_UINT" integer_trans(2);
        0x77 RecipInt "RECIP_INT" integer_trans(1);
        0x78 RecipUint "RECIP_UINT" integer_trans(1);
        0x79 FltToUint "FLT_TO_UINT" trans(Float, Integer);
        0x7A Ldexp64 "LDEXP_64" double(2, Double, Double);
        0x7B Fract64 "FRACT_64" double(1, Double, Double);
        0x7C PredSetGt64 "PRED_SETGT_64" predicate(2, Double).in_units(Units::Vector);
        0x7D PredSetE64 "PRED_SETE_64" predicate(2, Double).in_units(Units::Vector);
        0x7E PredSetGe64 "PRED_SETGE_64" predicate(2, Double).in_units(Units::Vector);
    }
}

opcodes! {
    /// `ALU_INST` of the OP3 form: operations with three sources.
    pub enum Op3: u8 => AluFacts {
        0x08 MulAdd64 "MULADD_64" double(3, Double, Double);
        0x09 MulAdd64M2 "MULADD_64_M2" double(3, Double, Double);
        0x0A MulAdd64M4 "MULADD_64_M4" double(3, Double, Double);
        0x0B MulAdd64D2 "MULADD_64_D2" double(3, Double, Double);
        0x0C MulLit "MUL_LIT" float(3).in_units(Units::Trans);
        0x0D MulLitM2 "MUL_LIT_M2" float(3).in_units(Units::Trans);
        0x0E MulLitM4 "MUL_LIT_M4" float(3).in_units(Units::Trans);
        0x0F MulLitD2 "MUL_LIT_D2" float(3).in_units(Units::Trans);
        0x10 MulAdd "MULADD" float(3);
        0x11 MulAddM2 "MULADD_M2" float(3);
        0x12 MulAddM4 "MULADD_M4" float(3);
        0x13 MulAddD2 "MULADD_D2" float(3);
        0x14 MulAddIeee "MULADD_IEEE" float(3);
        0x15 MulAddIeeeM2 "MULADD_IEEE_M2" float(3);
        0x16 MulAddIeeeM4 "MULADD_IEEE_M4" float(3);
        0x17 MulAddIeeeD2 "MULADD_IEEE_D2" float(3);
        0x18 CndE "CNDE" float(3);
        0x19 CndGt "CNDGT" float(3);
        0x1A CndGe "CNDGE" float(3);
        0x1C CndEInt "CNDE_INT" integer(3);
        0x1D CndGtInt "CNDGT_INT" integer(3);
        0x1E CndGeInt "CNDGE_INT" integer(3);
    }
}

/// An ALU operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AluOp {
    /// Up to two sources.
    Op2(Op2),
    /// Three sources.
    Op3(Op3),
    /// A reserved opcode of the OP2 form: below 0x100, on R600 below 0x80.
    Reserved2(u8),
    /// A reserved opcode of the OP3 form, 4 to 31.
    Reserved3(u8),
}

impl AluOp {
    /// Facts about the operation. Reserved ones count as arithmetic with all sources of their form.
    pub const fn facts(self) -> &'static AluFacts {
        match self {
            AluOp::Op2(op) => op.facts(),
            AluOp::Op3(op) => op.facts(),
            AluOp::Reserved2(_) => const { &integer(2) },
            AluOp::Reserved3(_) => const { &integer(3) },
        }
    }

    /// The spelling in assembly text; none for reserved opcodes.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            AluOp::Op2(op) => Some(op.name()),
            AluOp::Op3(op) => Some(op.name()),
            AluOp::Reserved2(_) | AluOp::Reserved3(_) => None,
        }
    }

    /// True if the operation is encoded in the OP3 form.
    pub const fn is_op3(self) -> bool {
        matches!(self, AluOp::Op3(_) | AluOp::Reserved3(_))
    }
}

/// What an operand of the machine's own is: a constant, or something that later families have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialValue {
    /// These bits.
    Constant(u32),
    /// Documented for later families only, or not at all.
    Undocumented,
}

use SpecialValue::{Constant, Undocumented};

opcodes! {
    /// Source selectors with a meaning of their own (Mesa `r600_sq.h`, decaf-emu `SQ_ALU_SRC`).
    pub enum Special: u8 => SpecialValue {
        219 LdsOqA "LDS_OQ_A" Undocumented;
        220 LdsOqB "LDS_OQ_B" Undocumented;
        221 LdsOqAPop "LDS_OQ_A_POP" Undocumented;
        222 LdsOqBPop "LDS_OQ_B_POP" Undocumented;
        223 LdsDirectA "LDS_DIRECT_A" Undocumented;
        224 LdsDirectB "LDS_DIRECT_B" Undocumented;
        227 TimeHi "TIME_HI" Undocumented;
        228 TimeLo "TIME_LO" Undocumented;
        229 MaskHi "MASK_HI" Undocumented;
        230 MaskLo "MASK_LO" Undocumented;
        231 HwWaveId "HW_WAVE_ID" Undocumented;
        232 SimdId "SIMD_ID" Undocumented;
        233 SeId "SE_ID" Undocumented;
        234 HwThreadGrpId "HW_THREADGRP_ID" Undocumented;
        235 WaveIdInGrp "WAVE_ID_IN_GRP" Undocumented;
        236 NumThreadGrpWaves "NUM_THREADGRP_WAVES" Undocumented;
        237 HwAluOdd "HW_ALU_ODD" Undocumented;
        238 LoopIdx "LOOP_IDX" Undocumented;
        240 ParamBaseAddr "PARAM_BASE_ADDR" Undocumented;
        241 NewPrimMask "NEW_PRIM_MASK" Undocumented;
        242 PrimMaskHi "PRIM_MASK_HI" Undocumented;
        243 PrimMaskLo "PRIM_MASK_LO" Undocumented;
        /// The low dword of the double 1.0.
        244 OneDoubleLow "1.0_L" Constant(0);
        /// The high dword of the double 1.0.
        245 OneDoubleHigh "1.0_M" Constant(0x3FF0_0000);
        /// The low dword of the double 0.5.
        246 HalfDoubleLow "0.5_L" Constant(0);
        /// The high dword of the double 0.5.
        247 HalfDoubleHigh "0.5_M" Constant(0x3FE0_0000);
        248 Zero "0.0f" Constant(0);
        249 One "1.0f" Constant(0x3F80_0000);
        250 OneInt "1" Constant(1);
        251 MinusOneInt "-1" Constant(u32::MAX);
        252 Half "0.5f" Constant(0x3F00_0000);
    }
}

/// What a source selector names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Selector {
    /// Register 0..=127.
    Gpr(u8),
    /// Entry 0..=31 of a constant-cache window.
    Kcache {
        /// Window 0 or 1.
        window: u8,
        /// Entry from the start of the window.
        entry: u8,
    },
    /// A constant of the machine, or one of the selectors that no R700 guide describes.
    Special(Special),
    /// A literal of the group; the channel selects the dword.
    Literal,
    /// The result of a vector unit in the group before.
    PreviousVector,
    /// The result of the trans unit in the group before.
    PreviousScalar,
    /// Constant 0..=255 of the constant file.
    Constant(u8),
    /// A reserved selector.
    Reserved(u8),
}

/// `SRC_SEL` of literals.
pub const LITERAL: u16 = 253;

impl Selector {
    /// What a 9-bit selector names (R700 guide 4-12; Mesa `r600_sq.h`).
    pub fn decode(sel: u16) -> Self {
        match sel {
            0..=127 => Selector::Gpr(sel as u8),
            128..=159 => Selector::Kcache { window: 0, entry: (sel - 128) as u8 },
            160..=191 => Selector::Kcache { window: 1, entry: (sel - 160) as u8 },
            LITERAL => Selector::Literal,
            254 => Selector::PreviousVector,
            255 => Selector::PreviousScalar,
            256.. => Selector::Constant(sel as u8),
            _ => Special::from_code(sel as u8).map_or(Selector::Reserved(sel as u8), Selector::Special),
        }
    }

    /// The selector in the instruction word.
    pub const fn encode(self) -> u16 {
        match self {
            Selector::Gpr(register) => register as u16,
            Selector::Kcache { window: 0, entry } => 128 + entry as u16,
            Selector::Kcache { entry, .. } => 160 + entry as u16,
            Selector::Special(special) => special.code() as u16,
            Selector::Literal => LITERAL,
            Selector::PreviousVector => 254,
            Selector::PreviousScalar => 255,
            Selector::Constant(number) => 256 + number as u16,
            Selector::Reserved(sel) => sel as u16,
        }
    }
}

/// A source as the instruction word has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// 9-bit selector, see [`Source::selector`].
    pub sel: u16,
    /// Add what INDEX_MODE says.
    pub relative: bool,
    /// Channel.
    pub chan: Channel,
    /// Invert the sign.
    pub negate: bool,
}

impl Source {
    /// What the selector names.
    pub fn selector(self) -> Selector {
        Selector::decode(self.sel)
    }
}

/// The destination of an ALU instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Destination {
    /// Register.
    pub gpr: u8,
    /// Add what INDEX_MODE says.
    pub relative: bool,
    /// Channel; it selects the vector unit, too.
    pub chan: Channel,
}

/// The fields that both forms have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AluFields {
    /// Sources 0 and 1.
    pub src: [Source; 2],
    /// What relative operands add.
    pub index_mode: IndexMode,
    /// Which pixels the instruction works on.
    pub pred_sel: PredicateSelect,
    /// It is the last of its group.
    pub last: bool,
    /// Cycles in which sources are read.
    pub bank_swizzle: BankSwizzle,
    /// Destination.
    pub dst: Destination,
    /// Clamp the result to [0, 1].
    pub clamp: bool,
}

field_table! { AluFields, words 2;
    SRC0_SEL,     0 [8:0],   {src[0].sel},      u16,             "source 0: selector";
    SRC0_REL,     0 [9:9],   {src[0].relative}, bool,            "source 0: add the index";
    SRC0_CHAN,    0 [11:10], {src[0].chan},     Channel,         "source 0: channel";
    SRC0_NEG,     0 [12:12], {src[0].negate},   bool,            "source 0: invert the sign";
    SRC1_SEL,     0 [21:13], {src[1].sel},      u16,             "source 1: selector";
    SRC1_REL,     0 [22:22], {src[1].relative}, bool,            "source 1: add the index";
    SRC1_CHAN,    0 [24:23], {src[1].chan},     Channel,         "source 1: channel";
    SRC1_NEG,     0 [25:25], {src[1].negate},   bool,            "source 1: invert the sign";
    INDEX_MODE,   0 [28:26], {index_mode},      IndexMode,       "what relative operands add";
    PRED_SEL,     0 [30:29], {pred_sel},        PredicateSelect, "which pixels the instruction works on";
    LAST,         0 [31:31], {last},            bool,            "last instruction of the group";
    BANK_SWIZZLE, 1 [20:18], {bank_swizzle},    BankSwizzle,     "cycles in which sources are read";
    DST_GPR,      1 [27:21], {dst.gpr},         u8,              "destination register";
    DST_REL,      1 [28:28], {dst.relative},    bool,            "destination: add the index";
    DST_CHAN,     1 [30:29], {dst.chan},        Channel,         "destination channel and vector unit";
    CLAMP,        1 [31:31], {clamp},           bool,            "clamp the result to [0,1]";
}

/// The fields of the OP2 form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Op2Fields {
    /// Take the absolute value of source 0, of source 1.
    pub abs: [bool; 2],
    /// The result of the test becomes the active mask.
    pub update_execute_mask: bool,
    /// The result of the test becomes the predicate.
    pub update_pred: bool,
    /// Write the destination.
    pub write_mask: bool,
    /// R600 only.
    pub fog_merge: bool,
    /// Factor of the result.
    pub omod: OutputModifier,
}

field_table! { Op2Fields, words 2;
    SRC0_ABS,            1 [0:0], {abs[0]},              bool, "absolute value of source 0";
    SRC1_ABS,            1 [1:1], {abs[1]},              bool, "absolute value of source 1";
    UPDATE_EXECUTE_MASK, 1 [2:2], {update_execute_mask}, bool, "the test sets the active mask";
    UPDATE_PRED,         1 [3:3], {update_pred},         bool, "the test sets the predicate";
    WRITE_MASK,          1 [4:4], {write_mask},          bool, "write the destination";
}

/// The rest of the OP2 form on R700.
#[derive(Default)]
struct Op2R700 {
    omod: OutputModifier,
    inst: u8,
}

field_table! { Op2R700, words 2;
    OMOD,     1 [6:5],  {omod}, OutputModifier, "factor of the result";
    ALU_INST, 1 [14:7], {inst}, u8,             "operation; the field has 11 bits, the upper three select OP3";
}

/// The rest of the OP2 form on R600.
#[derive(Default)]
struct Op2R600 {
    fog_merge: bool,
    omod: OutputModifier,
    inst: u8,
}

field_table! { Op2R600, words 2;
    FOG_MERGE, 1 [5:5],  {fog_merge}, bool,           "merge fog";
    OMOD,      1 [7:6],  {omod},      OutputModifier, "factor of the result";
    ALU_INST,  1 [14:8], {inst},      u8,             "operation; the field has 10 bits, the upper three select OP3";
}

/// The fields of the OP3 form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Op3Fields {
    /// Source 2.
    pub src2: Source,
}

field_table! { Op3Fields, words 2;
    SRC2_SEL,  1 [8:0],   {src2.sel},      u16,     "source 2: selector";
    SRC2_REL,  1 [9:9],   {src2.relative}, bool,    "source 2: add the index";
    SRC2_CHAN, 1 [11:10], {src2.chan},     Channel, "source 2: channel";
    SRC2_NEG,  1 [12:12], {src2.negate},   bool,    "source 2: invert the sign";
}

/// The fields that depend on the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AluForm {
    /// Up to two sources.
    Op2(Op2Fields),
    /// Three sources; the destination is always written.
    Op3(Op3Fields),
}

/// An ALU instruction: the work of one unit of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alu {
    /// The operation; its form must be that of `form`.
    pub op: AluOp,
    /// The fields that both forms have.
    pub fields: AluFields,
    /// The others.
    pub form: AluForm,
}

/// A source with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// What is read.
    pub selector: Selector,
    /// Add what INDEX_MODE says.
    pub relative: bool,
    /// Channel.
    pub chan: Channel,
    /// Take the absolute value, first.
    pub abs: bool,
    /// Invert the sign, then.
    pub negate: bool,
}

/// Bits of ALU_DWORD1 that are zero in the OP2 form.
const ENCODING: (u32, u32) = (17, 15);
/// The opcode of the OP3 form.
const OP3_INST: (u32, u32) = (17, 13);

impl Alu {
    /// Decodes a qword. Every value is an instruction; [`encode`](Self::encode) gives the same words back.
    ///
    /// ```
    /// use ctm_r700::{Alu, AluOp, Family, Op2};
    /// let add = Alu::decode(&[0x8080_0000, 0x0000_0010], Family::R700);
    /// assert_eq!(add.op, AluOp::Op2(Op2::Add));
    /// assert!(add.fields.last && add.writes());
    /// ```
    pub fn decode(words: &Qword, family: Family) -> Self {
        let fields = AluFields::read(words);
        if extract(words[1], ENCODING.0, ENCODING.1) != 0 {
            let code = extract(words[1], OP3_INST.0, OP3_INST.1) as u8;
            let op = Op3::from_code(code).map_or(AluOp::Reserved3(code), AluOp::Op3);
            return Alu { op, fields, form: AluForm::Op3(Op3Fields::read(words)) };
        }
        let mut op2 = Op2Fields::read(words);
        let code = match family {
            Family::R700 => {
                let rest = Op2R700::read(words);
                op2.omod = rest.omod;
                rest.inst
            }
            Family::R600 => {
                let rest = Op2R600::read(words);
                (op2.omod, op2.fog_merge) = (rest.omod, rest.fog_merge);
                rest.inst
            }
        };
        let op = Op2::from_code(code).map_or(AluOp::Reserved2(code), AluOp::Op2);
        Alu { op, fields, form: AluForm::Op2(op2) }
    }

    /// Encodes into a qword. What the family has no bits for is dropped: `fog_merge` on R700, bit 7 of reserved opcodes
    /// on R600.
    pub fn encode(&self, family: Family) -> Qword {
        let mut words = [0; 2];
        self.fields.write(&mut words);
        match &self.form {
            AluForm::Op2(op2) => {
                let inst = match self.op {
                    AluOp::Op2(op) => op.code(),
                    AluOp::Op3(op) => op.code(),
                    AluOp::Reserved2(code) | AluOp::Reserved3(code) => code,
                };
                op2.write(&mut words);
                match family {
                    Family::R700 => Op2R700 { omod: op2.omod, inst }.write(&mut words),
                    Family::R600 => Op2R600 { fog_merge: op2.fog_merge, omod: op2.omod, inst }.write(&mut words),
                }
            }
            AluForm::Op3(op3) => {
                let inst = match self.op {
                    AluOp::Op2(op) => op.code(),
                    AluOp::Op3(op) => op.code(),
                    AluOp::Reserved2(code) | AluOp::Reserved3(code) => code,
                };
                op3.write(&mut words);
                words[1] = insert(words[1], OP3_INST.0, OP3_INST.1, inst.into());
            }
        }
        words
    }

    /// The fields of the instruction's form, without the opcode.
    pub fn fields(&self, family: Family) -> impl Iterator<Item = &'static Field> + use<> {
        let (form, rest): (&'static [Field], &'static [Field]) = match (&self.form, family) {
            (AluForm::Op3(_), _) => (Op3Fields::FIELDS, &[]),
            (AluForm::Op2(_), Family::R700) => (Op2Fields::FIELDS, &Op2R700::FIELDS[..1]),
            (AluForm::Op2(_), Family::R600) => (Op2Fields::FIELDS, &Op2R600::FIELDS[..2]),
        };
        AluFields::FIELDS.iter().chain(form).chain(rest)
    }

    /// The OP2 fields, if the instruction has that form.
    pub const fn op2(&self) -> Option<&Op2Fields> {
        match &self.form {
            AluForm::Op2(op2) => Some(op2),
            AluForm::Op3(_) => None,
        }
    }

    /// True if the destination register is written, as far as the word says; MOVA writes none all the same.
    pub const fn writes(&self) -> bool {
        match &self.form {
            AluForm::Op2(op2) => op2.write_mask,
            AluForm::Op3(_) => true,
        }
    }

    /// Factor of the result.
    pub const fn omod(&self) -> OutputModifier {
        match &self.form {
            AluForm::Op2(op2) => op2.omod,
            AluForm::Op3(_) => OutputModifier::None,
        }
    }

    /// Source `number` as the word encodes it; none if the form has no such source.
    pub const fn source(&self, number: usize) -> Option<Source> {
        match (&self.form, number) {
            (_, 0 | 1) => Some(self.fields.src[number]),
            (AluForm::Op3(op3), 2) => Some(op3.src2),
            _ => None,
        }
    }

    /// Source `number`, to change it.
    ///
    /// # Panics
    /// The form has no such source.
    pub fn source_mut(&mut self, number: usize) -> &mut Source {
        match (&mut self.form, number) {
            (AluForm::Op3(op3), 2) => &mut op3.src2,
            _ => &mut self.fields.src[number],
        }
    }

    /// The sources that the word encodes, whether the operation uses them or not: two or three.
    pub fn encoded_operands(&self) -> impl Iterator<Item = Operand> + use<> {
        let operand = |source: Source, abs: bool| Operand {
            selector: source.selector(),
            relative: source.relative,
            chan: source.chan,
            abs,
            negate: source.negate,
        };
        let [src0, src1] = self.fields.src;
        let (abs, src2) = match &self.form {
            AluForm::Op2(op2) => (op2.abs, None),
            AluForm::Op3(op3) => ([false; 2], Some(op3.src2)),
        };
        let src2 = src2.map(|source| operand(source, false));
        [operand(src0, abs[0]), operand(src1, abs[1])].into_iter().chain(src2)
    }

    /// The sources that the operation uses.
    pub fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        self.encoded_operands().take(usize::from(self.op.facts().sources))
    }
}
