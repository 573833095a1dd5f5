//! Roots by way of their reciprocals, without the divider, which is busy with the roots: guests without a square root have the reciprocal of one, and the
//! reciprocal of that. A reciprocal that is wanted for itself is left to the divider, which has little else to do then.
//!
//! A square root is zero, infinity, a NaN, or a number from 2^-75 to 2^64, of which nothing here overflows or underflows. The quotient is that of
//! division, rounded to nearest: `tests/transcendentals.rs` compares all arguments.

use super::Selector;
use super::arithmetic::ONE;
use crate::mir::{Arg, Class, Directed, Reg};
use crate::x64::InstKind;
use crate::x64::isa::VectorIsa;
use ctm_lane::{Op, Value};
use iced_x86::Code;

/// What `vfixupimmps` makes of the result by the root's class, four bits for each from the lowest on: quiet and signalling NaN, zero, one, infinity
/// below and above, number below and above zero. 0 keeps the result, 1 is the root, 2 its NaN, quieted.
const SPECIALS: u32 = 0x0011_0122;

impl Selector<'_> {
    /// The quotient of two values, if it is the reciprocal of the reciprocal of a square root, or the latter, and if this form has instructions for it.
    pub fn quotient_of_root(&mut self, args: &[Value], result: Value) -> Option<Reg> {
        self.root_by_reciprocals(args).or_else(|| self.way_to_root(args, result))
    }

    /// An estimate and two of Newton's steps. The first one rounds up, as the second one needs: of a number with all bits of the significand set, the
    /// reciprocal lies just above the middle of two numbers, and from the lower one of these the step would get no farther than the middle.
    ///
    /// Of zero, infinity and NaNs the result is a NaN: the root has its own place for these.
    fn way_to_root(&mut self, args: &[Value], result: Value) -> Option<Reg> {
        let root = self.divisor_of_one(args).filter(|_| self.isa == VectorIsa::Avx512)?;
        let (Op::Fsqrt { .. }, _) = self.function.defining_op(root)? else { return None };
        if !self.is_way_to_root(result) {
            return None;
        }
        let root = self.reg(root);
        let estimate = self.vector(Code::EVEX_Vrcp14ps_zmm_k1z_zmmm512b32, &[Arg::Reg(root)]);
        let above = self.reciprocal_step(root, estimate);
        if let Some(last) = self.insts.last_mut() {
            last.rounding = Some(Directed::Up);
        }
        Some(self.reciprocal_step(root, above))
    }

    /// Whether only the reciprocal of this is wanted.
    fn is_way_to_root(&self, reciprocal: Value) -> bool {
        let divides_one = |args: &[Value]| self.divisor_of_one(args) == Some(reciprocal);
        let mut insts = self.function.blocks().flat_map(|block| self.function.insts(block)).copied();
        self.uses[reciprocal.index()] == 1
            && insts
                .any(|inst| matches!(self.function.op(inst), Op::Fdiv { .. }) && divides_one(self.function.args(inst)))
    }

    /// One of Newton's steps from what is nearly the reciprocal of a number.
    fn reciprocal_step(&mut self, of: Reg, nearly: Reg) -> Reg {
        let one = self.constant_reg(ONE);
        let kind = InstKind::Fma { negate_product: true, negate_addend: false };
        let error = self.define(Class::Vector, kind, &[Arg::Reg(of), Arg::Reg(nearly), Arg::Reg(one)]);
        self.fused(error, Arg::Reg(nearly), Arg::Reg(nearly))
    }

    /// The quotient of two values, if it is the reciprocal of the reciprocal of a square root, and if this form has instructions for that.
    fn root_by_reciprocals(&mut self, args: &[Value]) -> Option<Reg> {
        let divisor = self.divisor_of_one(args).filter(|_| self.isa == VectorIsa::Avx512)?;
        let (Op::Fdiv { .. }, of) = self.function.defining_op(divisor)? else { return None };
        let root = self.divisor_of_one(of)?;
        let (Op::Fsqrt { .. }, _) = self.function.defining_op(root)? else { return None };
        let (root, reciprocal) = (self.reg(root), self.reg(divisor));
        // One of Newton's steps from the root, which is the reciprocal before it was rounded.
        let stepped = self.reciprocal_step(reciprocal, root);
        let specials = self.constant(SPECIALS);
        let kind = InstKind::Tied(Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae);
        Some(self.define(Class::Vector, kind, &[Arg::Reg(stepped), Arg::Reg(root), specials, Arg::Imm(0)]))
    }

    /// What one is divided by.
    fn divisor_of_one(&self, args: &[Value]) -> Option<Value> {
        (self.function.lane_constant(args[0]) == Some(ONE)).then_some(args[1])
    }
}
