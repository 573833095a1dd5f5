//! The opcode tables.

use crate::codes::*;
use crate::opcodes::opcodes;

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
    Reduction(Reduction),
}

/// What the four vector units compute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum of products, where zero times anything is zero.
    Dot4,
    /// The sum of products.
    Dot4Ieee,
    /// The face of a cube, and the coordinates on it.
    Cube,
    /// The largest of four.
    Max4,
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

/// Properties of an ALU operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AluProperties {
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

impl AluProperties {
    /// What the operation computes together with those of the other vector units, if it does.
    pub const fn reduction(&self) -> Option<Reduction> {
        match self.units {
            Units::Reduction(reduction) => Some(reduction),
            Units::Any | Units::Vector | Units::Trans => None,
        }
    }

    const fn new(sources: u8, operands: Number, result: Number) -> Self {
        AluProperties {
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
        AluProperties { units, units_r600: units, ..self }
    }

    const fn trans_on_r600(self) -> Self {
        AluProperties { units_r600: Units::Trans, ..self }
    }

    const fn only(self, family: Family) -> Self {
        AluProperties { families: Families::Only(family), ..self }
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

const fn float(sources: u8) -> AluProperties {
    AluProperties::new(sources, Float, Float)
}
const fn integer(sources: u8) -> AluProperties {
    AluProperties::new(sources, Integer, Integer)
}
/// A float comparison that gives all ones or zero.
const MASK: AluProperties = AluProperties::new(2, Float, Integer);
const fn trans(operands: Number, result: Number) -> AluProperties {
    AluProperties::new(1, operands, result).in_units(Units::Trans)
}
const fn integer_trans(sources: u8) -> AluProperties {
    integer(sources).in_units(Units::Trans)
}
const SHIFT: AluProperties = integer(2).trans_on_r600();
const fn address(operands: Number) -> AluProperties {
    AluProperties { effect: Effect::Address, ..AluProperties::new(1, operands, Integer) }.in_units(Units::Vector)
}
const fn predicate(sources: u8, operands: Number) -> AluProperties {
    AluProperties { effect: Effect::Predicate, ..AluProperties::new(sources, operands, Float) }
}
const fn kill(operands: Number) -> AluProperties {
    AluProperties { effect: Effect::Kill, ..AluProperties::new(2, operands, Float) }
}
const fn reduction(sources: u8, reduction: Reduction) -> AluProperties {
    float(sources).in_units(Units::Reduction(reduction))
}
const fn double(sources: u8, operands: Number, result: Number) -> AluProperties {
    AluProperties::new(sources, operands, result).in_units(Units::Vector)
}

opcodes! {
    /// `ALU_INST` of the OP2 form: operations with up to two sources.
    pub enum Op2: u8 => AluProperties {
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
        0x50 Dot4 "DOT4" reduction(2, Reduction::Dot4);
        0x51 Dot4Ieee "DOT4_IEEE" reduction(2, Reduction::Dot4Ieee);
        0x52 Cube "CUBE" reduction(2, Reduction::Cube);
        0x53 Max4 "MAX4" reduction(1, Reduction::Max4);
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
    pub enum Op3: u8 => AluProperties {
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
    /// Properties of the operation. Reserved ones count as arithmetic with all sources of their form.
    pub const fn properties(self) -> &'static AluProperties {
        match self {
            AluOp::Op2(op) => op.properties(),
            AluOp::Op3(op) => op.properties(),
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
