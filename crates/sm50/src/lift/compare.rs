//! Comparisons, and the logic of predicates and flags.

use super::float::Denormals;
use super::integer::is_signed;
use super::machine::LiftState;
use crate::codes::{Flags, FloatCondition, IntCondition};
use crate::field::key;
use crate::instruction::Instruction;
use crate::operand::{Pred, PredSource, WordPart};
use crate::table::{CompareOp, FlagsOp};
use ctm_lane::{FloatTest, IntTest, Value};

const ONE: u32 = 0x3F80_0000;

/// The test that a condition of floats is.
fn float_test(condition: FloatCondition) -> Result<FloatTest, bool> {
    Ok(match condition {
        FloatCondition::F => return Err(false),
        FloatCondition::T => return Err(true),
        FloatCondition::Lt => FloatTest::Olt,
        FloatCondition::Eq => FloatTest::Oeq,
        FloatCondition::Le => FloatTest::Ole,
        FloatCondition::Gt => FloatTest::Ogt,
        FloatCondition::Ne => FloatTest::One,
        FloatCondition::Ge => FloatTest::Oge,
        FloatCondition::Num => FloatTest::Ord,
        FloatCondition::Nan => FloatTest::Uno,
        FloatCondition::Ltu => FloatTest::Ult,
        FloatCondition::Equ => FloatTest::Ueq,
        FloatCondition::Leu => FloatTest::Ule,
        FloatCondition::Gtu => FloatTest::Ugt,
        FloatCondition::Neu => FloatTest::Une,
        FloatCondition::Geu => FloatTest::Uge,
    })
}

impl LiftState<'_> {
    pub fn compare(&mut self, op: CompareOp, instruction: &Instruction) {
        use CompareOp::*;
        match op {
            Fset | Fsetp => {
                let [a, b] = [instruction.a(), instruction.b()].map(|source| self.single(source));
                let test = self.float_order(instruction, a, b);
                self.deliver(op == Fset, instruction, test);
            }
            Dset | Dsetp => {
                let [[a0, a1], [b0, b1]] = [instruction.a(), instruction.b()].map(|source| self.long(source));
                let test = match float_test(instruction.get(key::FLOAT_CONDITION)) {
                    Ok(test) => self.b.dcmp(test, a0, a1, b0, b1),
                    Err(always) => self.b.mask_constant(always),
                };
                self.deliver(op == Dset, instruction, test);
            }
            Iset | Isetp => {
                let [a, b] = [instruction.a(), instruction.b()].map(|source| self.int(source));
                let test = if instruction.get(key::X) {
                    let [equal, less] = self.extended_order(is_signed(instruction), a, b);
                    let less = self.b.mask_andnot(less, equal);
                    self.integer_condition(instruction.get(key::INT_CONDITION), less, equal)
                } else {
                    self.integer_order(instruction, a, b)
                };
                self.deliver(op == Iset, instruction, test);
            }
            Pset | Psetp => {
                let (a, b) = (self.pred(instruction.pred_a()), self.pred(instruction.pred_b()));
                let without_a = self.b.mask_not(a);
                let [test, opposite] = [a, without_a].map(|a| self.combine(instruction.get(key::BOOL_AB), a, b));
                self.deliver_both(op == Pset, instruction, test, opposite);
            }
            Cset | Csetp => match self.holds(instruction.test()) {
                Some(test) => self.deliver(op == Cset, instruction, test),
                None => self.trap(),
            },
            Fcmp => {
                let (c, zero) = (self.word(instruction.c().value), self.b.constant(0));
                let test = self.float_order(instruction, c, zero);
                self.select_operand(instruction, test);
            }
            Icmp => {
                let (c, zero) = (self.word(instruction.c().value), self.b.constant(0));
                let test = self.integer_order(instruction, c, zero);
                self.select_operand(instruction, test);
            }
            Fchk => self.division_check(instruction),
        }
    }

    fn float_order(&mut self, instruction: &Instruction, a: Value, b: Value) -> Value {
        match float_test(instruction.get(key::FLOAT_CONDITION)) {
            Ok(test) => self.b.fcmp(test, Denormals::of(instruction).rule(), a, b),
            Err(always) => self.b.mask_constant(always),
        }
    }

    fn integer_order(&mut self, instruction: &Instruction, a: Value, b: Value) -> Value {
        let test = match (instruction.get(key::INT_CONDITION), is_signed(instruction)) {
            (IntCondition::F, _) => return self.b.mask_constant(false),
            (IntCondition::T, _) => return self.b.mask_constant(true),
            (IntCondition::Eq, _) => IntTest::Eq,
            (IntCondition::Ne, _) => IntTest::Ne,
            (IntCondition::Lt, true) => IntTest::Slt,
            (IntCondition::Le, true) => IntTest::Sle,
            (IntCondition::Gt, true) => IntTest::Sgt,
            (IntCondition::Ge, true) => IntTest::Sge,
            (IntCondition::Lt, false) => IntTest::Ult,
            (IntCondition::Le, false) => IntTest::Ule,
            (IntCondition::Gt, false) => IntTest::Ugt,
            (IntCondition::Ge, false) => IntTest::Uge,
        };
        self.b.icmp(test, a, b)
    }

    fn integer_condition(&mut self, condition: IntCondition, less: Value, equal: Value) -> Value {
        let at_most = self.b.mask_or(less, equal);
        match condition {
            IntCondition::F => self.b.mask_constant(false),
            IntCondition::T => self.b.mask_constant(true),
            IntCondition::Lt => less,
            IntCondition::Eq => equal,
            IntCondition::Le => at_most,
            IntCondition::Gt => self.b.mask_not(at_most),
            IntCondition::Ne => self.b.mask_not(equal),
            IntCondition::Ge => self.b.mask_not(less),
        }
    }

    /// Combines a test with the predicate source, and writes the register or the predicates.
    fn deliver(&mut self, to_register: bool, instruction: &Instruction, test: Value) {
        let opposite = self.b.mask_not(test);
        self.deliver_both(to_register, instruction, test, opposite);
    }

    /// As [`deliver`](Self::deliver), with a test of its own for the second predicate.
    fn deliver_both(&mut self, to_register: bool, instruction: &Instruction, test: Value, opposite: Value) {
        let (op, source) = (instruction.get(key::BOOL), self.pred(instruction.pred_c()));
        let result = self.combine(op, test, source);
        if to_register {
            let truth = self.b.constant(if instruction.get(key::BF) { ONE } else { u32::MAX });
            let zero = self.b.constant(0);
            let value = self.b.select(result, truth, zero);
            self.set_result(instruction, value);
            return;
        }
        let opposite = self.combine(op, opposite, source);
        // If both name one predicate, the comparison itself stays.
        self.set_pred(instruction.pred(key::PQ), opposite);
        self.set_pred(instruction.pred(key::PD), result);
    }

    /// Writes operand A where the test holds, else B.
    fn select_operand(&mut self, instruction: &Instruction, test: Value) {
        let (a, b) = (self.word(instruction.a().value), self.word(instruction.b().value));
        let result = self.b.select(test, a, b);
        self.set_reg(instruction.dst(), result);
    }

    /// FCHK, see [`ctm_num::sm50::division_needs_care`].
    fn division_check(&mut self, instruction: &Instruction) {
        let [a, b] = [instruction.a(), instruction.b()].map(|source| {
            let bits = self.single(source);
            let bits = self.shifted_right(bits, 23);
            self.only(bits, 0xFF)
        });
        let difference = self.b.isub(a, b);
        let apart = self.plus(difference, 125);
        let tests = [
            (IntTest::Eq, a, 255),
            (IntTest::Ule, a, 24),
            (IntTest::Uge, b, 253),
            (IntTest::Eq, b, 0),
            // From -125 to 125 it is near.
            (IntTest::Ugt, apart, 250),
        ];
        let mut care = self.b.mask_constant(false);
        for (test, value, limit) in tests {
            let limit = self.b.constant(limit);
            let holds = self.b.icmp(test, value, limit);
            care = self.b.mask_or(care, holds);
        }
        self.set_pred(instruction.pred(key::PD), care);
    }

    /// P2R and R2P.
    pub fn transfer_flags(&mut self, op: FlagsOp, instruction: &Instruction) {
        let predicates = instruction.get(key::FLAGS) == Flags::Pr;
        let mask = self.word(instruction.b().value);
        let register = self.reg(instruction.reg(key::RA));
        let bits: Vec<Value> = if predicates {
            (0..7).map(|n| self.pred(PredSource { pred: Pred(n), not: false })).collect()
        } else {
            self.condition().to_vec()
        };
        if op == FlagsOp::P2r {
            let mut image = self.b.constant(0);
            for (n, bit) in (0..).zip(bits) {
                let bit = self.bit(bit);
                let bit = self.shifted_left(bit, n);
                image = self.b.or(image, bit);
            }
            let shift = 8 * (instruction.get(key::BYTE) as u32);
            let image = self.b.and(image, mask);
            let (image, mask) = (self.shifted_left(image, shift), self.shifted_left(mask, shift));
            let outside = self.not(mask);
            let kept = self.b.and(register, outside);
            let result = self.b.or(kept, image);
            self.set_reg(instruction.dst(), result);
            return;
        }
        let byte = match instruction.a().part {
            WordPart::Byte(byte) => u32::from(byte),
            WordPart::Whole | WordPart::Half(_) => 0,
        };
        let source = self.shifted_right(register, 8 * byte);
        let new: Vec<Value> = (0..)
            .zip(bits)
            .map(|(n, old)| {
                let [named, set] = [mask, source].map(|word| {
                    let bit = self.only(word, 1 << n);
                    let zero = self.b.constant(0);
                    self.b.icmp(IntTest::Ne, bit, zero)
                });
                self.b.mask_select(named, set, old)
            })
            .collect();
        if predicates {
            for (n, value) in (0..).zip(new) {
                self.set_pred(Pred(n), value);
            }
        } else {
            self.keep_flags([new[0], new[1], new[2], new[3]]);
        }
    }
}
