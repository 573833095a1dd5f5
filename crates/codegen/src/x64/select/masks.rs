//! Masks: mask registers in one form, vectors whose lanes are all zeros or all ones in the other.

use super::arithmetic::{SIGNALLING, float_predicate};
use super::{Lanes, Selector, Val};
use crate::mir::{Arg, Base, Class, Mem, Reg, Steps};
use crate::target::Target;
use crate::x64::isa::{VectorIsa, Vop};
use crate::x64::{Inst, InstKind};
use ctm_lane::{FloatTest, IntTest, Op, Value};
use iced_x86::Code;

const SIGNED_COMPARE: Code = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
const UNSIGNED_COMPARE: Code = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
/// The bit of a compare's number that tells it from its negation, in floats and in integers.
const NEGATION: i32 = 4;

/// A logical operation on two masks.
#[derive(Clone, Copy)]
pub enum MaskOp {
    And,
    Or,
    Xor,
    /// In the second but not in the first.
    AndNot,
}

/// Instructions after a comparison in which its only user is looked for.
const FAR: usize = 2048;
/// Masks whose steps are counted together in one block or left to the next ones.
const MOST_LATER: usize = 64;

impl Selector<'_> {
    /// Appends an instruction that defines a mask.
    pub fn mask(&mut self, code: Code, args: &[Arg]) -> Reg {
        self.define(self.isa.mask_class(), InstKind::Plain(code), args)
    }

    /// A mask in memory that holds these lanes.
    pub fn mask_memory(&mut self, holds: impl Fn(u32) -> bool) -> Mem {
        let lanes = 0..self.isa.lanes();
        let at = match self.isa {
            VectorIsa::Avx512 => self.pool_at(&[lanes.fold(0, |bits, lane| bits | u32::from(holds(lane)) << lane)]),
            VectorIsa::Avx2 => {
                let words: Vec<u32> = lanes.map(|lane| if holds(lane) { u32::MAX } else { 0 }).collect();
                self.pool_at(&words)
            }
        };
        Mem::at(Base::Pool, at)
    }

    /// A mask that holds these lanes.
    pub fn mask_of(&mut self, holds: impl Fn(u32) -> bool) -> Reg {
        let mem = self.mask_memory(holds);
        self.load_mask(mem)
    }

    pub fn mask_constant(&mut self, all: bool) -> Reg {
        self.mask_of(|_| all)
    }

    pub fn load_mask(&mut self, mem: Mem) -> Reg {
        let code = match self.isa {
            VectorIsa::Avx512 => Code::VEX_Kmovw_kr_km16,
            VectorIsa::Avx2 => self.isa.code(Vop::Load),
        };
        self.mask(code, &[Arg::Mem(mem)])
    }

    pub fn store_mask(&mut self, mem: Mem, mask: Reg) {
        let code = match self.isa {
            VectorIsa::Avx512 => Code::VEX_Kmovw_m16_kr,
            VectorIsa::Avx2 => self.isa.code(Vop::Store),
        };
        self.insts.push(Inst::new(InstKind::Plain(code), None, &[Arg::Mem(mem), Arg::Reg(mask)]));
    }

    pub fn mask_reg(&mut self, value: Value) -> Reg {
        match self.values[value.index()] {
            Val::Reg(reg) => reg,
            Val::MaskConst(all) => self.mask_constant(all),
            Val::None | Val::Const(_) | Val::Entry(..) | Val::Vector(..) | Val::UniformConst(_) => {
                self.refuse();
                self.covered
            }
        }
    }

    pub fn lanes(&mut self, value: Value) -> Lanes {
        match self.values[value.index()] {
            Val::MaskConst(true) => Lanes::All,
            Val::MaskConst(false) => Lanes::No,
            Val::None | Val::Reg(_) | Val::Const(_) | Val::Entry(..) | Val::Vector(..) | Val::UniformConst(_) => {
                Lanes::Of(self.mask_reg(value))
            }
        }
    }

    pub fn mask_binary(&mut self, op: MaskOp, a: Reg, b: Reg) -> Reg {
        let code = match (self.isa, op) {
            (VectorIsa::Avx512, MaskOp::And) => Code::VEX_Kandw_kr_kr_kr,
            (VectorIsa::Avx512, MaskOp::Or) => Code::VEX_Korw_kr_kr_kr,
            (VectorIsa::Avx512, MaskOp::Xor) => Code::VEX_Kxorw_kr_kr_kr,
            (VectorIsa::Avx512, MaskOp::AndNot) => Code::VEX_Kandnw_kr_kr_kr,
            (VectorIsa::Avx2, MaskOp::And) => Code::VEX_Vpand_ymm_ymm_ymmm256,
            (VectorIsa::Avx2, MaskOp::Or) => Code::VEX_Vpor_ymm_ymm_ymmm256,
            (VectorIsa::Avx2, MaskOp::Xor) => Code::VEX_Vpxor_ymm_ymm_ymmm256,
            (VectorIsa::Avx2, MaskOp::AndNot) => Code::VEX_Vpandn_ymm_ymm_ymmm256,
        };
        self.mask(code, &[Arg::Reg(a), Arg::Reg(b)])
    }

    pub fn mask_not(&mut self, a: Reg) -> Reg {
        match self.isa {
            VectorIsa::Avx512 => self.mask(Code::VEX_Knotw_kr_kr, &[Arg::Reg(a)]),
            VectorIsa::Avx2 => {
                let all = self.mask_memory(|_| true);
                self.mask(Code::VEX_Vpxor_ymm_ymm_ymmm256, &[Arg::Reg(a), Arg::Mem(all)])
            }
        }
    }

    /// Sets the flags: "equal" if neither mask has a lane.
    pub fn test_masks(&mut self, a: Reg, b: Reg) {
        let (code, a, b) = match self.isa {
            VectorIsa::Avx512 => (Code::VEX_Kortestw_kr_kr, a, b),
            VectorIsa::Avx2 => {
                let either = if a == b { a } else { self.mask_binary(MaskOp::Or, a, b) };
                (Code::VEX_Vptest_ymm_ymmm256, either, either)
            }
        };
        self.insts.push(Inst::new(InstKind::Plain(code), None, &[Arg::Reg(a), Arg::Reg(b)]));
    }

    /// a in the lanes of the mask, b in the others.
    pub fn blend(&mut self, mask: Reg, a: Arg, b: Reg) -> Reg {
        let code = match self.isa {
            VectorIsa::Avx512 => Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32,
            VectorIsa::Avx2 => Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm,
        };
        let reg = self.vector(code, &[Arg::Reg(b), a]);
        self.under(mask, false);
        reg
    }

    /// a in the lanes of the mask, 0 in the others.
    pub fn zero_outside(&mut self, mask: Reg, a: Arg) -> Reg {
        match (self.isa, a) {
            (VectorIsa::Avx2, a) => self.vector_op(Vop::And, &[Arg::Reg(mask), a]),
            (VectorIsa::Avx512, Arg::Mem(mem)) if mem.broadcast => {
                let plain = Arg::Mem(Mem { broadcast: false, ..mem });
                let reg = self.vector_op(Vop::Broadcast, &[plain]);
                self.under(mask, true);
                reg
            }
            (VectorIsa::Avx512, a) => {
                let reg = self.vector_op(Vop::Move, &[a]);
                self.under(mask, true);
                reg
            }
        }
    }

    /// The lanes of `found` that are `within`.
    fn restricted(&mut self, found: Reg, within: Option<Reg>) -> Reg {
        match within {
            Some(mask) => self.mask_binary(MaskOp::And, found, mask),
            None => found,
        }
    }

    pub fn compare(&mut self, test: FloatTest, a: Reg, b: Arg, within: Option<Reg>) -> Reg {
        self.compare_by(float_predicate(test), a, b, within)
    }

    /// The same; raises the invalid flag where one of the operands is a NaN.
    pub fn compare_signalling(&mut self, test: FloatTest, a: Reg, b: Arg, within: Option<Reg>) -> Reg {
        self.compare_by(float_predicate(test) ^ SIGNALLING, a, b, within)
    }

    /// A comparison of values, which raises the invalid flag if a rule about NaNs may have touched them.
    pub fn compare_checked(&mut self, test: FloatTest, values: &[Value], (a, b): (Reg, Arg)) -> Reg {
        match self.has_tainted(values) {
            true => self.compare_signalling(test, a, b, None),
            false => self.compare(test, a, b, None),
        }
    }

    fn compare_by(&mut self, predicate: i32, a: Reg, b: Arg, within: Option<Reg>) -> Reg {
        let code = self.isa.code(Vop::Compare);
        let found = self.mask(code, &[Arg::Reg(a), b, Arg::Imm(predicate)]);
        match (self.isa, within) {
            (VectorIsa::Avx512, Some(mask)) => {
                self.under(mask, false);
                found
            }
            _ => self.restricted(found, within),
        }
    }

    pub fn compare_integers(&mut self, test: IntTest, a: Reg, b: Arg, within: Option<Reg>) -> Reg {
        if self.isa == VectorIsa::Avx2 {
            return self.compare_integers_by_vectors(test, a, b, within);
        }
        let signed = SIGNED_COMPARE;
        let unsigned = UNSIGNED_COMPARE;
        let (code, predicate) = match test {
            IntTest::Eq => (signed, 0),
            IntTest::Ne => (signed, 4),
            IntTest::Slt => (signed, 1),
            IntTest::Sle => (signed, 2),
            IntTest::Sgt => (signed, 6),
            IntTest::Sge => (signed, 5),
            IntTest::Ult => (unsigned, 1),
            IntTest::Ule => (unsigned, 2),
            IntTest::Ugt => (unsigned, 6),
            IntTest::Uge => (unsigned, 5),
        };
        let reg = self.mask(code, &[Arg::Reg(a), b, Arg::Imm(predicate)]);
        if let Some(mask) = within {
            self.under(mask, false);
        }
        reg
    }

    /// There are "equal" and "greater, signed"; the others are made of them.
    fn compare_integers_by_vectors(&mut self, test: IntTest, a: Reg, b: Arg, within: Option<Reg>) -> Reg {
        let greater = Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256;
        let equal = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        let found = match test {
            IntTest::Eq => self.mask(equal, &[Arg::Reg(a), b]),
            IntTest::Sgt => self.mask(greater, &[Arg::Reg(a), b]),
            IntTest::Slt => {
                let b = self.load_arg(b);
                self.mask(greater, &[Arg::Reg(b), Arg::Reg(a)])
            }
            IntTest::Ule | IntTest::Uge => {
                let extreme = if test == IntTest::Ule { Vop::UnsignedMin } else { Vop::UnsignedMax };
                let extreme = self.vector_op(extreme, &[Arg::Reg(a), b]);
                self.mask(equal, &[Arg::Reg(a), Arg::Reg(extreme)])
            }
            IntTest::Ne | IntTest::Sge | IntTest::Sle | IntTest::Ult | IntTest::Ugt => {
                let opposite = self.compare_integers_by_vectors(test.negated(), a, b, None);
                return match within {
                    Some(mask) => self.mask_binary(MaskOp::AndNot, opposite, mask),
                    None => self.mask_not(opposite),
                };
            }
        };
        self.restricted(found, within)
    }

    /// The lanes of `within` in which a comparison holds, or fails, that nothing else wants: the comparison itself comes to
    /// compare in these lanes only.
    pub fn comparison_within(&mut self, comparison: Value, within: Value, negated: bool) -> Option<Reg> {
        let (Val::Reg(found), Val::Reg(within)) = (self.values[comparison.index()], self.values[within.index()]) else {
            return None;
        };
        // Other operations that compare may want the result for themselves, such as a test that writes.
        let is_plain = matches!(self.function.defining_op(comparison), Some((Op::Fcmp { .. } | Op::Icmp { .. }, _)));
        if self.isa != VectorIsa::Avx512 || !is_plain || self.uses[comparison.index()] != 1 {
            return None;
        }
        let near = self.insts.len().saturating_sub(FAR);
        let at = near + self.insts[near..].iter().rposition(|inst| inst.def == Some(found))?;
        let is_late = self.insts[at..].iter().any(|inst| inst.def == Some(within));
        let Inst { kind: InstKind::Plain(code), args: [_, _, Arg::Imm(predicate), _], mask, .. } = &mut self.insts[at]
        else {
            return None;
        };
        let compares = [VectorIsa::Avx512.code(Vop::Compare), SIGNED_COMPARE, UNSIGNED_COMPARE];
        if is_late || mask.is_some() || !compares.contains(code) {
            return None;
        }
        *mask = Some(within);
        if negated {
            *predicate ^= NEGATION;
        }
        Some(found)
    }

    /// The lanes that are in the mask and whose value compares like this to the bound.
    pub fn within(&mut self, lanes: Lanes, test: IntTest, value: Reg, bound: u32) -> Lanes {
        let bound = self.constant(bound);
        match lanes {
            Lanes::No => Lanes::No,
            Lanes::All => Lanes::Of(self.compare_integers(test, value, bound, None)),
            Lanes::Of(mask) => Lanes::Of(self.compare_integers(test, value, bound, Some(mask))),
        }
    }

    /// Notes guest instructions of this block: `count` for each lane.
    pub fn note_steps(&mut self, count: u32, lanes: Lanes) {
        let lanes = match lanes {
            Lanes::All => Some(None),
            Lanes::Of(mask) => Some(Some(mask)),
            Lanes::No => None,
        };
        self.taken = self.taken.saturating_add(count);
        let Some(lanes) = lanes else { return };
        let are_many = self.steps.len() > 2 * MOST_LATER;
        match self.steps.iter_mut().find(|(other, _)| *other == lanes) {
            Some((_, sum)) => *sum = sum.saturating_add(count),
            None if are_many => self.count_lanes(count, lanes.map_or(Lanes::All, Lanes::Of)),
            None => self.steps.push((lanes, count)),
        }
    }

    /// Counts the guest instructions of the block, those of masks in the blocks that come next if nothing else leads to these:
    /// they may have more of the same mask. Of lanes that a branch asks for there are none on its other way.
    pub fn count_steps(&mut self, branch: Option<(Value, ctm_lane::Block, ctm_lane::Block)>) {
        self.take_steps();
        let are_many = self.steps.len() > MOST_LATER;
        for (lanes, count) in std::mem::take(&mut self.steps) {
            let Some((asked, then, otherwise)) = branch else {
                self.count_lanes(count, lanes.map_or(Lanes::All, Lanes::Of));
                continue;
            };
            let is_only_way = |block| self.graph.predecessors(block).len() == 1;
            let later = match lanes {
                Some(mask) if self.known_reg(asked) == Some(mask) && is_only_way(then) => vec![(then, mask)],
                Some(mask) if !are_many && is_only_way(then) && is_only_way(otherwise) => {
                    vec![(then, mask), (otherwise, mask)]
                }
                Some(_) | None => Vec::new(),
            };
            if later.is_empty() {
                self.count_lanes(count, lanes.map_or(Lanes::All, Lanes::Of));
            }
            for (block, mask) in later {
                self.counted_later.entry(block).or_default().push((mask, count));
            }
        }
    }

    /// Counts guest instructions: `count` for each lane.
    fn count_lanes(&mut self, count: u32, lanes: Lanes) {
        match lanes {
            Lanes::No => {}
            Lanes::All => match count.checked_mul(self.isa.lanes()).filter(|&total| i32::try_from(total).is_ok()) {
                Some(total) => self.count(total, &[]),
                None => self.refuse(),
            },
            Lanes::Of(mask) => self.count(count, &[Arg::Reg(mask)]),
        }
    }

    /// Takes the steps of the block from those that the group may still execute, at once: nobody looks at them before the block ends.
    fn take_steps(&mut self) {
        let count = std::mem::take(&mut self.taken);
        if count == 0 || !self.machine.counts_steps {
            return;
        }
        if i32::try_from(count).is_err() {
            self.refuse();
        }
        self.insts.push(Inst::new(InstKind::Steps(Steps::Take(count)), None, &[]));
    }

    fn count(&mut self, count: u32, args: &[Arg]) {
        if let (Some(Inst { kind: InstKind::Count(before), args: [Arg::None, ..], .. }), []) =
            (self.insts.last_mut(), args)
            && let Some(sum) = before.checked_add(count).filter(|&sum| i32::try_from(sum).is_ok())
        {
            *before = sum;
            return;
        }
        if count != 0 {
            self.insts.push(Inst::new(InstKind::Count(count), None, args));
        }
    }

    /// Stores a vector in the lanes of the mask; nothing else in memory is touched.
    pub fn put(&mut self, mem: Mem, value: Reg, lanes: Lanes) {
        let plain = self.isa.code(Vop::Store);
        let mask = match lanes {
            Lanes::No => return,
            Lanes::All => {
                self.insts.push(Inst::new(InstKind::Plain(plain), None, &[Arg::Mem(mem), Arg::Reg(value)]));
                return;
            }
            Lanes::Of(mask) => mask,
        };
        let store = match self.isa {
            VectorIsa::Avx512 => {
                let mut store = Inst::new(InstKind::Plain(plain), None, &[Arg::Mem(mem), Arg::Reg(value)]);
                store.mask = Some(mask);
                store
            }
            VectorIsa::Avx2 => Inst::new(
                InstKind::Plain(Code::VEX_Vmaskmovps_m256_ymm_ymm),
                None,
                &[Arg::Mem(mem), Arg::Reg(mask), Arg::Reg(value)],
            ),
        };
        self.insts.push(store);
    }

    /// Stores words at byte offsets, in ascending order of lanes.
    pub fn scatter(&mut self, base: Reg, offset: Reg, disp: i32, value: Reg, lanes: Lanes) {
        let mem = Mem { index: Some(offset), ..Mem::at(Base::Reg(base), disp) };
        let mut scatter = Inst::new(InstKind::Scatter, None, &[Arg::Reg(value), Arg::Mem(mem)]);
        scatter.mask = match lanes {
            Lanes::No => return,
            Lanes::All => None,
            Lanes::Of(mask) => Some(mask),
        };
        self.insts.push(scatter);
    }

    /// Loads words at byte offsets; 0 outside the mask.
    pub fn gather(&mut self, base: Reg, offset: Reg, disp: i32, lanes: Lanes) -> Reg {
        let mask = match lanes {
            Lanes::All => None,
            Lanes::No => return self.constant_reg(0),
            Lanes::Of(mask) => Some(mask),
        };
        self.gather_scaled(base, (offset, 1), disp, mask)
    }

    /// Loads words at offsets from the base.
    pub fn gather_scaled(&mut self, base: Reg, (index, scale): (Reg, u8), disp: i32, mask: Option<Reg>) -> Reg {
        let mem = Mem { index: Some(index), scale, ..Mem::at(Base::Reg(base), disp) };
        let reg = self.define(Class::Vector, InstKind::Gather, &[Arg::Mem(mem)]);
        if let Some(last) = self.insts.last_mut() {
            last.mask = mask;
        }
        reg
    }
}
