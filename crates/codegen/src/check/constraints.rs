//! What masks and branches say: bounds of registers in the lanes of a mask, and where a branch has found no lane in it.

use super::registers::{Bound, Constraint, Registers};
use super::value::{Int, Value};
use crate::mir::{Arg, Condition, End, Inst, Reg};
use crate::target::{Operation, Semantics, Target};

/// How far mask operations are followed.
const DEPTH: u32 = 12;
/// Constraints that are looked for, at most.
const MOST: usize = 256;

impl<T: Target> Registers<'_, T> {
    /// What holds in the lanes of a mask, or where a lane is not in it.
    pub fn constraints_of_mask(&self, mask: Reg, holds: bool, constraints: &mut Vec<Constraint>) {
        self.follow_mask(mask, holds, constraints, DEPTH);
    }

    fn follow_mask(&self, mask: Reg, holds: bool, constraints: &mut Vec<Constraint>, depth: u32) {
        let Some(inst) = self.definition(mask) else { return };
        if depth == 0 || constraints.len() >= MOST {
            return;
        }
        let mut follow = |arg: Arg, holds: bool| {
            if let Arg::Reg(reg) = arg {
                self.follow_mask(reg, holds, constraints, depth - 1);
            }
        };
        let [a, b, ..] = inst.args;
        match self.target.semantics(inst) {
            Semantics::Integers(Operation::And) if holds => {
                follow(a, true);
                follow(b, true);
            }
            Semantics::Integers(Operation::Or) if !holds => {
                follow(a, false);
                follow(b, false);
            }
            Semantics::AndNot if holds => {
                follow(a, false);
                follow(b, true);
            }
            Semantics::Not => follow(a, !holds),
            Semantics::Integers(Operation::Xor) if self.operand(inst, 1).int().as_constant() == Some(u32::MAX) => {
                follow(a, !holds);
            }
            Semantics::Compare(test) => match inst.mask {
                None => {
                    let (test, inst) = self.compared_extreme(test, inst).unwrap_or((test, inst));
                    self.compared(if holds { test } else { test.negated() }, inst, constraints);
                }
                // Outside of its own mask the comparison gives nothing, whatever it finds.
                Some(within) if holds => {
                    self.compared(test, inst, constraints);
                    self.follow_mask(within, true, constraints, depth - 1);
                }
                Some(_) => {}
            },
            Semantics::Integers(_)
            | Semantics::AndNot
            | Semantics::Unknown
            | Semantics::Step
            | Semantics::Repeat
            | Semantics::RepeatFirst
            | Semantics::SetFirst
            | Semantics::Load
            | Semantics::LoadPointer
            | Semantics::AddPointer
            | Semantics::Address
            | Semantics::Choose
            | Semantics::FloatMax
            | Semantics::FloatMin
            | Semantics::Truncate
            | Semantics::Within(..)
            | Semantics::CompareGeneral
            | Semantics::TestEither
            | Semantics::TestCommon => {}
        }
    }

    /// For `a == min(a, b)` and `a == max(a, b)`, unsigned: how a compares to b, and the instruction with these operands.
    fn compared_extreme<'s>(&'s self, test: Condition, equal: &Inst<T::Op>) -> Option<(Condition, &'s Inst<T::Op>)> {
        let [a, Arg::Reg(extreme), ..] = equal.args else { return None };
        let inst = self.definition(extreme)?;
        let origin = |arg: Arg| arg.reg().map_or(arg, |reg| Arg::Reg(self.origin(reg)));
        if test != Condition::Equal || origin(inst.args[0]) != origin(a) || inst.mask.is_some() {
            return None;
        }
        let semantics = self.target.semantics(inst);
        if semantics == Semantics::Integers(Operation::UnsignedMin) {
            Some((Condition::BelowEqual, inst))
        } else {
            (semantics == Semantics::Integers(Operation::UnsignedMax)).then_some((Condition::AboveEqual, inst))
        }
    }

    /// Notes what the comparison of an instruction's first two operands says of them.
    fn compared(&self, test: Condition, inst: &Inst<T::Op>, constraints: &mut Vec<Constraint>) {
        let (a, b) = (self.operand(inst, 0), self.operand(inst, 1));
        let [first, second, ..] = inst.args;
        let mut note = |arg: Arg, bound: Bound| {
            if let Arg::Reg(reg) = arg {
                constraints.push(Constraint { reg: self.origin(reg), bound });
            }
        };
        let within = |lo: i64, hi: i64| Bound::In(Int::range(lo.max(i32::MIN.into()), hi.min(i32::MAX.into())));
        let (lo, hi) = (|value: Value| i64::from(value.int().lo), |value: Value| i64::from(value.int().hi));
        let (least, greatest) = (i32::MIN.into(), i32::MAX.into());
        match test {
            Condition::Equal => {
                note(first, Bound::In(b.int()));
                note(second, Bound::In(a.int()));
                if let (Arg::Reg(first), Arg::Reg(second)) = (first, second) {
                    note(Arg::Reg(first), Bound::Same(self.origin(second)));
                }
            }
            Condition::Less => {
                note(first, within(least, hi(b) - 1));
                note(second, within(lo(a) + 1, greatest));
            }
            Condition::LessEqual => {
                note(first, within(least, hi(b)));
                note(second, within(lo(a), greatest));
            }
            Condition::Greater => {
                note(first, within(lo(b) + 1, greatest));
                note(second, within(least, hi(a) - 1));
            }
            Condition::GreaterEqual => {
                note(first, within(lo(b), greatest));
                note(second, within(least, hi(a)));
            }
            Condition::Below => {
                if let Value::Words(buffer) = b {
                    note(first, Bound::BelowWords(buffer));
                } else if lo(b) >= 0 {
                    note(first, within(0, (hi(b) - 1).max(0)));
                }
            }
            Condition::BelowEqual if lo(b) >= 0 => note(first, within(0, hi(b))),
            Condition::BelowEqual | Condition::Above | Condition::AboveEqual | Condition::NotEqual => {}
        }
    }

    /// What holds in every lane where a block is entered, because its only predecessor has found a mask empty.
    pub fn constraints_of_branch(&self, from: usize, to: usize) -> Vec<Constraint> {
        let block = &self.machine.blocks[from];
        let mut constraints = Vec::new();
        let End::Branch { condition, then, otherwise } = &block.end else { return constraints };
        let when_empty = match condition {
            Condition::Equal => then.block,
            Condition::NotEqual => otherwise.block,
            Condition::Less
            | Condition::LessEqual
            | Condition::Greater
            | Condition::GreaterEqual
            | Condition::Below
            | Condition::BelowEqual
            | Condition::Above
            | Condition::AboveEqual => return constraints,
        };
        let Some(last) = block.insts.last() else { return constraints };
        let [Arg::Reg(a), Arg::Reg(b), ..] = last.args else { return constraints };
        // The one finds whether both are empty, the other whether they have no bit in common.
        let semantics = self.target.semantics(last);
        let finds_empty = semantics == Semantics::TestEither || semantics == Semantics::TestCommon && a == b;
        if finds_empty && when_empty == to && then.block != otherwise.block {
            for mask in [a, b] {
                self.constraints_of_mask(mask, false, &mut constraints);
            }
        }
        let firsts: Vec<Constraint> =
            constraints.iter().filter_map(|constraint| self.first_of_row(constraint)).collect();
        constraints.extend(firsts);
        constraints
    }

    /// Where every lane is the same as a number plus a constant of its own: the number is below the lanes' bound by the
    /// greatest of the constants.
    fn first_of_row(&self, constraint: &Constraint) -> Option<Constraint> {
        let Bound::Same(row) = constraint.bound else { return None };
        let sum = self.definition(row)?;
        if self.target.semantics(sum) != Semantics::Integers(Operation::Add) {
            return None;
        }
        let (Arg::Reg(repeated), Arg::Mem(_), None) = (sum.args[0], sum.args[1], sum.mask) else { return None };
        let farthest = i64::from(self.operand(sum, 1).int().hi);
        let number = self.repeated(repeated)?;
        let (known, lanes) = (self.value(number).int(), self.value(constraint.reg).int());
        // Nothing wraps, so that the sum is a sum of integers.
        let is_exact = known.lo >= 0 && farthest >= 0 && i64::from(known.hi) + farthest <= i32::MAX.into();
        let bound = Int::range(i32::MIN.into(), (i64::from(lanes.hi) - farthest).max(i32::MIN.into()));
        is_exact.then_some(Constraint { reg: self.origin(number), bound: Bound::In(bound) })
    }

    /// The general register that a vector repeats in every lane.
    fn repeated(&self, vector: Reg) -> Option<Reg> {
        let inst = self.definition(vector)?;
        match (self.target.semantics(inst), inst.args[0]) {
            (Semantics::Repeat, Arg::Reg(reg)) if inst.mask.is_none() => Some(reg),
            (Semantics::RepeatFirst, Arg::Reg(reg)) => self.set_first(reg),
            _ => None,
        }
    }
}
