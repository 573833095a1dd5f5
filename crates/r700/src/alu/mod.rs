//! ALU instructions: the opcode tables and the field tables of the OP2 and OP3 forms.
//!
//! Sources: R700 guide, chapters 4 and 9; Mesa's `r600_isa.h`, `r600_sq.h`, `r700_sq.h`; decaf-emu's
//! `latte_instructions.h`; LLVM's `R600InstrFormats.td`.

mod op;

use crate::cf::Qword;
use crate::codes::*;
use crate::opcodes::opcodes;
use ctm_bits::{Field, extract, field_table, insert};

pub use op::*;

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
    pub fn encoded_sources(&self) -> impl Iterator<Item = Source> + use<> {
        let src2 = match &self.form {
            AluForm::Op2(_) => None,
            AluForm::Op3(op3) => Some(op3.src2),
        };
        self.fields.src.into_iter().chain(src2)
    }

    /// What these sources name, and what is done to it.
    pub fn encoded_operands(&self) -> impl Iterator<Item = Operand> + use<> {
        let [abs0, abs1] = match &self.form {
            AluForm::Op2(op2) => op2.abs,
            AluForm::Op3(_) => [false; 2],
        };
        self.encoded_sources().zip([abs0, abs1, false]).map(|(source, abs)| Operand {
            selector: source.selector(),
            relative: source.relative,
            chan: source.chan,
            abs,
            negate: source.negate,
        })
    }

    /// The sources that the operation uses.
    pub fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        self.encoded_operands().take(usize::from(self.op.properties().sources))
    }
}
