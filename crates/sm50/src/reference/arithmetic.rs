//! Sums, products, minimum and maximum of floats and integers.

use super::warp::Warp;
use crate::codes::{Fmz, Iadd3Shift, MinMaxExtend, MufuOp, Rounding, Signedness, XmadMode};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::product::Part;
use crate::table::{DoubleOp, FloatOp, IntegerOp};
use ctm_num::ieee::{self, BINARY32, BINARY64};
use ctm_num::sm50::{self, AddRules, AddendOfXmad, Denormals, Flags, FloatRules, SumShift, XmadRules};

/// The direction of rounding that an instruction names.
pub(super) fn rounding(rounding: Rounding) -> ieee::Rounding {
    match rounding {
        Rounding::Nearest => ieee::Rounding::NearestEven,
        Rounding::Minus => ieee::Rounding::Down,
        Rounding::Plus => ieee::Rounding::Up,
        Rounding::Zero => ieee::Rounding::Zero,
    }
}

/// What an instruction does with denormals.
pub(super) fn denormals(instruction: &Instruction) -> Denormals {
    match instruction.get(key::FMZ) {
        Fmz::Fmz => Denormals::FlushZero,
        Fmz::Ftz => Denormals::Flush,
        Fmz::None | Fmz::Invalid if instruction.get(key::FTZ) => Denormals::Flush,
        Fmz::None | Fmz::Invalid => Denormals::Keep,
    }
}

fn float_rules(instruction: &Instruction) -> FloatRules {
    FloatRules {
        rounding: rounding(instruction.get(key::ROUND)),
        denormals: denormals(instruction),
        saturate: instruction.get(key::SAT),
    }
}

fn add_rules(instruction: &Instruction) -> AddRules {
    AddRules {
        negate_a: instruction.a().neg,
        negate_b: instruction.b().neg,
        plus_one: instruction.get(key::PO),
        extended: instruction.get(key::X),
        saturate: instruction.get(key::SAT),
    }
}

impl Warp<'_> {
    pub fn float(&mut self, op: FloatOp, instruction: &Instruction) -> Result<(), TrapKind> {
        use FloatOp::*;
        let rules = float_rules(instruction);
        let result = match op {
            Fadd | Fadd32i => {
                let [a, b] = self.singles(instruction)?;
                sm50::fadd(rules, a, b)
            }
            Fmul | Fmul32i => {
                let [a, b] = self.singles(instruction)?;
                sm50::fmul(rules, a, b, instruction.get(key::SCALE).exponent())
            }
            Ffma | Ffma32i => {
                let [a, b] = self.singles(instruction)?;
                sm50::ffma(rules, a, b, self.single(instruction.c())?)
            }
            Fmnmx => {
                let [a, b] = self.singles(instruction)?;
                sm50::fmnmx(self.pred(instruction.pred_c()), rules.denormals, a, b)
            }
            Mufu => self.function(instruction)?,
            // MUFU reduces the range itself.
            Rro => self.single(instruction.b())?,
        };
        self.set_result(instruction, result, Flags::of_float(BINARY32, result.into()));
        Ok(())
    }

    /// Operands A and B of binary32.
    fn singles(&mut self, instruction: &Instruction) -> Result<[u32; 2], TrapKind> {
        Ok([self.single(instruction.a())?, self.single(instruction.b())?])
    }

    fn function(&mut self, instruction: &Instruction) -> Result<u32, TrapKind> {
        let a = self.single(instruction.a())?;
        let result = match instruction.get(key::MUFU_OP) {
            MufuOp::Cos => sm50::cos(a),
            MufuOp::Sin => sm50::sin(a),
            MufuOp::Ex2 => sm50::ex2(a),
            MufuOp::Lg2 => sm50::lg2(a),
            MufuOp::Rcp => sm50::rcp(a),
            MufuOp::Rsq => sm50::rsq(a),
            MufuOp::Rcp64h => sm50::rcp64h(a),
            MufuOp::Rsq64h => sm50::rsq64h(a),
            MufuOp::Invalid8
            | MufuOp::Invalid9
            | MufuOp::Invalid10
            | MufuOp::Invalid11
            | MufuOp::Invalid12
            | MufuOp::Invalid13
            | MufuOp::Invalid14
            | MufuOp::Invalid15 => return Err(TrapKind::IllegalInstrEncoding),
        };
        Ok(if instruction.get(key::SAT) { sm50::saturate(result) } else { result })
    }

    pub fn double(&mut self, op: DoubleOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let rounding = rounding(instruction.get(key::ROUND));
        let (a, b) = (self.long(instruction.a())?, self.long(instruction.b())?);
        let result = match op {
            DoubleOp::Dadd => sm50::dadd(rounding, a, b),
            DoubleOp::Dmul => sm50::dmul(rounding, a, b),
            DoubleOp::Dfma => sm50::dfma(rounding, a, b, self.long(instruction.c())?),
            DoubleOp::Dmnmx => sm50::dmnmx(self.pred(instruction.pred_c()), a, b),
        };
        self.set_pair(instruction.dst(), result)?;
        self.set_flags(instruction, Flags::of_float(BINARY64, result));
        Ok(())
    }

    pub fn integer(&mut self, op: IntegerOp, instruction: &Instruction) -> Result<(), TrapKind> {
        use IntegerOp::*;
        let (rules, before) = (add_rules(instruction), self.condition());
        let (extended, shift) = (rules.extended, u32::from(instruction.get(key::SHIFT)));
        // Most rules do the negations themselves.
        let (a, b) = (self.word(instruction.a().value)?, self.word(instruction.b().value)?);
        let (result, flags) = match op {
            Iadd | Iadd32i => sm50::iadd(rules, a, b, before),
            Iscadd | Iscadd32i => sm50::iscadd(rules, a, b, shift),
            Iadd3 => {
                let operands = [self.int(instruction.a())?, self.int(instruction.b())?, self.int(instruction.c())?];
                let shift = match instruction.get(key::IADD3_SHIFT) {
                    Iadd3Shift::None | Iadd3Shift::Invalid => SumShift::None,
                    Iadd3Shift::Rs => SumShift::Right,
                    Iadd3Shift::Ls => SumShift::Left,
                };
                sm50::iadd3(shift, extended, operands, before)
            }
            Lea => {
                let (result, flags) = sm50::lea(extended, self.int(instruction.a())?, b, shift, before);
                self.set_pred(instruction.pred(key::PD), flags.carry);
                (result, flags)
            }
            LeaHi => {
                let operands = [self.int(instruction.a())?, b, self.word(instruction.c().value)?];
                let (result, flags) = sm50::lea_high(extended, operands, shift, before);
                self.set_pred(instruction.pred(key::PD), flags.carry);
                (result, flags)
            }
            Imul | Imul32i => {
                let result = sm50::imul(a, b, factor_signs(instruction), instruction.get(key::HI));
                (result, Flags::of(result))
            }
            Imad | Imad32i => {
                let c = self.word(instruction.c().value)?;
                let rules = AddRules { negate_b: instruction.c().neg, ..rules };
                sm50::imad(rules, [a, b, c], factor_signs(instruction), instruction.get(key::HI), before)
            }
            Imadsp => {
                let c = self.word(instruction.c().value)?;
                let (a, b) = (Part::of_a(instruction).of(a), Part::of_b(instruction).of(b));
                let c = Part::of_c(instruction).of(c);
                sm50::imad(AddRules::default(), [a, b, c], [true; 2], false, before)
            }
            Xmad => {
                let c = self.word(instruction.c().value)?;
                sm50::xmad(xmad_rules(instruction), [a, b, c], before)
            }
            Imnmx => {
                let (min, signed) = (self.pred(instruction.pred_c()), is_signed(instruction));
                match instruction.get(key::MINMAX_EXTEND) {
                    MinMaxExtend::None => {
                        let result = sm50::imnmx(min, signed, a, b);
                        (result, Flags::of(result))
                    }
                    MinMaxExtend::Xlo | MinMaxExtend::Xmed => sm50::imnmx_extended(false, min, signed, a, b, before),
                    MinMaxExtend::Xhi => sm50::imnmx_extended(true, min, signed, a, b, before),
                }
            }
        };
        self.set_result(instruction, result, flags);
        Ok(())
    }
}

/// Whether the operands are signed.
pub(super) fn is_signed(instruction: &Instruction) -> bool {
    instruction.get(key::SIGNED) == Signedness::S32
}

fn factor_signs(instruction: &Instruction) -> [bool; 2] {
    let signs = instruction.value(FieldId::FACTORS);
    [signs & 1 != 0, signs & 2 != 0]
}

fn xmad_rules(instruction: &Instruction) -> XmadRules {
    let signs = instruction.value(FieldId::HALF_FACTORS);
    XmadRules {
        high: [instruction.get(key::HIGH_A), instruction.get(key::HIGH_B)],
        signed: [signs & 1 != 0, signs & 2 != 0],
        shift_product: instruction.get(key::PSL),
        merge: instruction.get(key::MRG),
        addend: match instruction.get(key::XMAD_MODE) {
            XmadMode::C | XmadMode::Invalid5 | XmadMode::Invalid6 | XmadMode::Invalid7 => AddendOfXmad::Whole,
            XmadMode::Clo => AddendOfXmad::Low,
            XmadMode::Chi => AddendOfXmad::High,
            XmadMode::Csfu => AddendOfXmad::Signed,
            XmadMode::Cbcc => AddendOfXmad::WithB,
        },
        extended: instruction.get(key::X),
    }
}
