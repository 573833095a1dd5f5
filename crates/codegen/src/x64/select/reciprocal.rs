//! Roots by way of their reciprocals: guests without a square root have the reciprocal of one, and the reciprocal of that. The second division is
//! done without the divider, which is busy with the root and the first.
//!
//! A square root is zero, infinity, a NaN, or a number from 2^-75 to 2^64, of which nothing here overflows or underflows. The quotient is that of
//! division, rounded to nearest: `tests/transcendentals.rs` compares all arguments.

use super::Selector;
use super::arithmetic::ONE;
use crate::mir::{Arg, Class, Reg};
use crate::x64::Kind;
use crate::x64::form::Form;
use ctm_lane::{Op, Value};
use iced_x86::Code;

/// What `vfixupimmps` makes of the result by the root's class, four bits for each from the lowest on: quiet and signalling NaN, zero, one, infinity
/// below and above, number below and above zero. 0 keeps the result, 1 is the root, 2 its NaN, quieted.
const SPECIALS: u32 = 0x0011_0122;

impl Selector<'_> {
    /// The quotient of two values, if it is the reciprocal of the reciprocal of a square root, and if this form has instructions for that.
    pub fn root_by_reciprocals(&mut self, args: &[Value]) -> Option<Reg> {
        let divisor = self.divisor_of_one(args).filter(|_| self.form == Form::Avx512)?;
        let (Op::Fdiv { .. }, of) = self.function.defining_op(divisor)? else { return None };
        let root = self.divisor_of_one(of)?;
        let (Op::Fsqrt { .. }, _) = self.function.defining_op(root)? else { return None };
        let (root, reciprocal) = (self.reg(root), self.reg(divisor));
        // One of Newton's steps from the root, which is the reciprocal before it was rounded.
        let one = self.constant_reg(ONE);
        let kind = Kind::Fma { negate_product: true, negate_addend: false };
        let error = self.define(Class::Vector, kind, &[Arg::Reg(reciprocal), Arg::Reg(root), Arg::Reg(one)]);
        let stepped = self.fused(error, Arg::Reg(root), Arg::Reg(root));
        let specials = self.constant(SPECIALS);
        let kind = Kind::Tied(Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae);
        Some(self.define(Class::Vector, kind, &[Arg::Reg(stepped), Arg::Reg(root), specials, Arg::Imm(0)]))
    }

    /// What one is divided by.
    fn divisor_of_one(&self, args: &[Value]) -> Option<Value> {
        (self.function.lane_constant(args[0]) == Some(ONE)).then_some(args[1])
    }
}
