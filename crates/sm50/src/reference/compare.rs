//! Comparisons, and the logic of predicates and flags.

use super::arithmetic::{denormals, is_signed};
use super::flow::holds;
use super::operand::combine;
use super::warp::Warp;
use crate::codes::{BoolOp, Flags as FlagFile, IntCondition};
use crate::field::key;
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::{Pred, PredSource, WordPart};
use crate::table::{CompareOp, FlagsOp};
use ctm_num::sm50::{self, Flags, Relation};

const ONE: u32 = 0x3F80_0000;

impl Warp<'_> {
    pub fn compare(&mut self, op: CompareOp, instruction: &Instruction) -> Result<(), TrapKind> {
        use CompareOp::*;
        let float = |relation: Relation| relation.satisfies(instruction.get(key::FLOAT_CONDITION) as u8);
        match op {
            Fset | Fsetp => {
                let (a, b) = (self.single(instruction.a())?, self.single(instruction.b())?);
                let test = float(sm50::fcompare(denormals(instruction), a, b));
                self.deliver(op == Fset, instruction, test);
            }
            Dset | Dsetp => {
                let (a, b) = (self.long(instruction.a())?, self.long(instruction.b())?);
                self.deliver(op == Dset, instruction, float(sm50::dcompare(a, b)));
            }
            Iset | Isetp => {
                let (a, b) = (self.int(instruction.a())?, self.int(instruction.b())?);
                let relation = if instruction.get(key::X) {
                    sm50::icompare_extended(is_signed(instruction), a, b, self.condition())
                } else {
                    sm50::icompare(is_signed(instruction), a, b)
                };
                self.deliver(op == Iset, instruction, integer(relation, instruction.get(key::INT_CONDITION)));
            }
            Pset | Psetp => {
                let (a, b) = (self.pred(instruction.pred_a()), self.pred(instruction.pred_b()));
                // The second predicate inverts A alone (hardware, second hand).
                let [test, opposite] = [a, !a].map(|a| combine(instruction.get(key::BOOL_AB), a, b));
                self.deliver_both(op == Pset, instruction, test, opposite);
            }
            Cset | Csetp => {
                let test = holds(instruction.test(), self.condition())?;
                self.deliver(op == Cset, instruction, test);
            }
            Fcmp => {
                let c = self.word(instruction.c().value)?;
                self.select(instruction, float(sm50::fcompare(denormals(instruction), c, 0)))?;
            }
            Icmp => {
                let c = self.word(instruction.c().value)?;
                let relation = sm50::icompare(is_signed(instruction), c, 0);
                self.select(instruction, integer(relation, instruction.get(key::INT_CONDITION)))?;
            }
            Fchk => {
                let (a, b) = (self.single(instruction.a())?, self.single(instruction.b())?);
                self.set_pred(instruction.pred(key::PD), sm50::division_needs_care(a, b));
            }
        }
        Ok(())
    }

    /// Combines a test with the predicate source, and writes the register or the predicates.
    pub(super) fn deliver(&mut self, to_register: bool, instruction: &Instruction, test: bool) {
        self.deliver_both(to_register, instruction, test, !test);
    }

    /// As [`deliver`](Self::deliver), with a test of its own for the second predicate.
    fn deliver_both(&mut self, to_register: bool, instruction: &Instruction, test: bool, opposite: bool) {
        let (op, source): (BoolOp, _) = (instruction.get(key::BOOL), self.pred(instruction.pred_c()));
        let [result, opposite] = [test, opposite].map(|test| combine(op, test, source));
        if to_register {
            let truth = if instruction.get(key::BF) { ONE } else { u32::MAX };
            let value = if result { truth } else { 0 };
            self.set_result(instruction, value, Flags::of(value));
        } else {
            // If both name one predicate, the comparison itself stays (decision S29).
            self.set_pred(instruction.pred(key::PQ), opposite);
            self.set_pred(instruction.pred(key::PD), result);
        }
    }

    /// Writes operand A where the test holds, else B.
    fn select(&mut self, instruction: &Instruction, test: bool) -> Result<(), TrapKind> {
        let (a, b) = (self.word(instruction.a().value)?, self.word(instruction.b().value)?);
        self.set_reg(instruction.dst(), if test { a } else { b });
        Ok(())
    }

    /// P2R and R2P: predicates or flags to and from a byte of a register. (Decision S43: the byte is the one that the text
    /// names; the order of the flags is envytools'.)
    pub fn transfer_flags(&mut self, op: FlagsOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let predicates = instruction.get(key::FLAGS) == FlagFile::Pr;
        let mask = self.word(instruction.b().value)?;
        let register = self.reg(instruction.reg(key::RA));
        if op == FlagsOp::P2r {
            let image = if predicates {
                let bit = |n: u8| u32::from(self.pred(PredSource { pred: Pred(n), not: false })) << n;
                (0..7).map(bit).sum()
            } else {
                self.condition().image()
            };
            let shift = 8 * (instruction.get(key::BYTE) as u32);
            self.set_reg(instruction.dst(), register & !(mask << shift) | (image & mask) << shift);
            return Ok(());
        }
        let byte = match instruction.a().part {
            WordPart::Byte(byte) => u32::from(byte),
            WordPart::Whole | WordPart::Half(_) => 0,
        };
        let source = register >> (8 * byte);
        if predicates {
            for n in (0..7).filter(|n| mask >> n & 1 != 0) {
                self.set_pred(Pred(n), source >> n & 1 != 0);
            }
        } else {
            let image = self.condition().image();
            self.state.flags[self.lane] = Flags::from_image(image & !mask | source & mask);
        }
        Ok(())
    }
}

/// Whether a condition of integers holds; always true has a code of its own, as no integers are unordered.
fn integer(relation: Relation, condition: IntCondition) -> bool {
    relation.satisfies(condition as u8)
}
