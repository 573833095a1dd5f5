//! What masks and branches say: bounds of registers in the lanes of a mask, and where a branch has found no lane in it.

use super::registers::{Bound, Fact, Registers};
use super::value::{Int, Value};
use crate::jit::mir::{Arg, Condition, End, Inst, Kind, Reg};
use iced_x86::Code;

/// A comparison of integers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Test {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Below,
    BelowEqual,
    Above,
    AboveEqual,
}

impl Test {
    /// The test that holds where this one fails.
    fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
            Self::Below => Self::AboveEqual,
            Self::BelowEqual => Self::Above,
            Self::Above => Self::BelowEqual,
            Self::AboveEqual => Self::Below,
        }
    }

    /// As the predicates of AVX-512 number them.
    fn of_predicate(number: i32, signed: bool) -> Option<Self> {
        Some(match (number, signed) {
            (0, _) => Self::Equal,
            (4, _) => Self::NotEqual,
            (1, true) => Self::Less,
            (2, true) => Self::LessEqual,
            (5, true) => Self::GreaterEqual,
            (6, true) => Self::Greater,
            (1, false) => Self::Below,
            (2, false) => Self::BelowEqual,
            (5, false) => Self::AboveEqual,
            (6, false) => Self::Above,
            _ => return None,
        })
    }
}

/// How far mask operations are followed.
const DEPTH: u32 = 12;

impl Registers<'_> {
    /// What holds in the lanes of a mask, or where a lane is not in it.
    pub fn facts_of_mask(&self, mask: Reg, holds: bool, facts: &mut Vec<Fact>) {
        self.follow_mask(mask, holds, facts, DEPTH);
    }

    fn follow_mask(&self, mask: Reg, holds: bool, facts: &mut Vec<Fact>, depth: u32) {
        use Code::*;
        let Some(inst) = self.definition(mask) else { return };
        let Kind::Plain(code) = inst.kind else { return };
        if depth == 0 {
            return;
        }
        let mut follow = |arg: Arg, holds: bool| {
            if let Arg::Reg(reg) = arg {
                self.follow_mask(reg, holds, facts, depth - 1);
            }
        };
        let [a, b, c, _] = inst.args;
        match code {
            VEX_Kmovw_kr_km16 | EVEX_Vmovaps_zmm_k1z_zmmm512 | VEX_Vmovaps_ymm_ymmm256 => follow(a, holds),
            VEX_Kandw_kr_kr_kr | VEX_Vpand_ymm_ymm_ymmm256 if holds => {
                follow(a, true);
                follow(b, true);
            }
            VEX_Korw_kr_kr_kr | VEX_Vpor_ymm_ymm_ymmm256 if !holds => {
                follow(a, false);
                follow(b, false);
            }
            VEX_Kandnw_kr_kr_kr | VEX_Vpandn_ymm_ymm_ymmm256 if holds => {
                follow(a, false);
                follow(b, true);
            }
            VEX_Knotw_kr_kr => follow(a, !holds),
            VEX_Vpxor_ymm_ymm_ymmm256 if self.operand(inst, 1).int().as_constant() == Some(u32::MAX) => {
                follow(a, !holds);
            }
            EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 | EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8 => {
                let is_signed = code == EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
                let test = if let Arg::Imm(number) = c { Test::of_predicate(number, is_signed) } else { None };
                // Outside of its own mask the comparison gives nothing, whatever it finds.
                match (test, inst.mask) {
                    (Some(test), Some(within)) if holds => {
                        self.compared(test, inst, facts);
                        self.follow_mask(within, true, facts, depth - 1);
                    }
                    (Some(test), None) => self.compared(if holds { test } else { test.negated() }, inst, facts),
                    _ => {}
                }
            }
            VEX_Vpcmpgtd_ymm_ymm_ymmm256 => {
                self.compared(if holds { Test::Greater } else { Test::LessEqual }, inst, facts);
            }
            VEX_Vpcmpeqd_ymm_ymm_ymmm256 => match self.compared_extreme(inst) {
                Some((test, extreme)) => {
                    self.compared(if holds { test } else { test.negated() }, extreme, facts);
                }
                None if holds => self.compared(Test::Equal, inst, facts),
                None => {}
            },
            _ => {}
        }
    }

    /// For `a == min(a, b)` and `a == max(a, b)`, unsigned: how a compares to b, and the instruction with these operands.
    fn compared_extreme(&self, equal: &Inst) -> Option<(Test, &Inst)> {
        let [a, Arg::Reg(extreme), ..] = equal.args else { return None };
        let inst = self.definition(extreme)?;
        if inst.args[0] != a {
            return None;
        }
        match inst.kind {
            Kind::Plain(Code::VEX_Vpminud_ymm_ymm_ymmm256) => Some((Test::BelowEqual, inst)),
            Kind::Plain(Code::VEX_Vpmaxud_ymm_ymm_ymmm256) => Some((Test::AboveEqual, inst)),
            _ => None,
        }
    }

    /// Notes what the comparison of an instruction's first two operands says of them.
    fn compared(&self, test: Test, inst: &Inst, facts: &mut Vec<Fact>) {
        let (a, b) = (self.operand(inst, 0), self.operand(inst, 1));
        let [first, second, ..] = inst.args;
        let mut note = |arg: Arg, bound: Bound| {
            if let Arg::Reg(reg) = arg {
                facts.push(Fact { reg, bound });
            }
        };
        let within = |lo: i64, hi: i64| Bound::In(Int::range(lo.max(i32::MIN.into()), hi.min(i32::MAX.into())));
        let (lo, hi) = (|value: Value| i64::from(value.int().lo), |value: Value| i64::from(value.int().hi));
        let (least, greatest) = (i32::MIN.into(), i32::MAX.into());
        match test {
            Test::Equal => {
                note(first, Bound::In(b.int()));
                note(second, Bound::In(a.int()));
                if let (Arg::Reg(first), Arg::Reg(second)) = (first, second) {
                    note(Arg::Reg(first), Bound::Same(second));
                }
            }
            Test::Less => {
                note(first, within(least, hi(b) - 1));
                note(second, within(lo(a) + 1, greatest));
            }
            Test::LessEqual => {
                note(first, within(least, hi(b)));
                note(second, within(lo(a), greatest));
            }
            Test::Greater => {
                note(first, within(lo(b) + 1, greatest));
                note(second, within(least, hi(a) - 1));
            }
            Test::GreaterEqual => {
                note(first, within(lo(b), greatest));
                note(second, within(least, hi(a)));
            }
            Test::Below => match b {
                Value::Words(buffer) => note(first, Bound::BelowWords(buffer)),
                _ if lo(b) >= 0 => note(first, within(0, (hi(b) - 1).max(0))),
                _ => {}
            },
            Test::BelowEqual if lo(b) >= 0 => note(first, within(0, hi(b))),
            Test::BelowEqual | Test::Above | Test::AboveEqual | Test::NotEqual => {}
        }
    }

    /// What holds in every lane where a block is entered, because its only predecessor has found a mask empty.
    pub fn facts_of_branch(&self, from: usize, to: usize) -> Vec<Fact> {
        let block = &self.machine.blocks[from];
        let mut facts = Vec::new();
        let End::Branch { condition, then, otherwise } = &block.end else { return facts };
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
            | Condition::AboveEqual => return facts,
        };
        let Some(Inst { kind: Kind::Plain(code), args: [Arg::Reg(a), Arg::Reg(b), ..], .. }) = block.insts.last()
        else {
            return facts;
        };
        // The one tells whether both are empty, the other whether they have no bit in common.
        let finds_empty = match code {
            Code::VEX_Kortestw_kr_kr => true,
            Code::VEX_Vptest_ymm_ymmm256 => a == b,
            _ => false,
        };
        if finds_empty && when_empty == to && then.block != otherwise.block {
            for mask in [*a, *b] {
                self.facts_of_mask(mask, false, &mut facts);
            }
        }
        let firsts: Vec<Fact> = facts.iter().filter_map(|fact| self.first_of_row(fact)).collect();
        facts.extend(firsts);
        facts
    }

    /// Where every lane is the same as a number plus a constant of its own: the number is below the lanes' bound by the
    /// greatest of the constants.
    fn first_of_row(&self, fact: &Fact) -> Option<Fact> {
        let Bound::Same(row) = fact.bound else { return None };
        let sum = self.definition(row)?;
        let Kind::Plain(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 | Code::VEX_Vpaddd_ymm_ymm_ymmm256) = sum.kind else {
            return None;
        };
        let (Arg::Reg(repeated), Arg::Mem(_), None) = (sum.args[0], sum.args[1], sum.mask) else { return None };
        let farthest = i64::from(self.operand(sum, 1).int().hi);
        let number = self.repeated(repeated)?;
        let (known, lanes) = (self.value(number).int(), self.value(fact.reg).int());
        // Nothing wraps, so that the sum is a sum of integers.
        let is_exact = known.lo >= 0 && farthest >= 0 && i64::from(known.hi) + farthest <= i32::MAX.into();
        let bound = Int::range(i32::MIN.into(), (i64::from(lanes.hi) - farthest).max(i32::MIN.into()));
        is_exact.then_some(Fact { reg: number, bound: Bound::In(bound) })
    }

    /// The general register that a vector repeats in every lane.
    fn repeated(&self, vector: Reg) -> Option<Reg> {
        let inst = self.definition(vector)?;
        match (inst.kind, inst.args[0]) {
            (Kind::Plain(Code::EVEX_Vpbroadcastd_zmm_k1z_r32), Arg::Reg(reg)) if inst.mask.is_none() => Some(reg),
            (Kind::Plain(Code::VEX_Vpbroadcastd_ymm_xmmm32), Arg::Reg(reg)) => {
                let first = self.definition(reg)?;
                let is_move = first.kind == Kind::Plain(Code::VEX_Vmovd_xmm_rm32);
                first.args[0].reg().filter(|_| is_move)
            }
            _ => None,
        }
    }
}
