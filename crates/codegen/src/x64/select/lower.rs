//! Operations that one form has as an instruction and the other makes of several.

use super::Selector;
use super::arithmetic::{HALF, ONE};
use crate::mir::{Arg, Class, Directed, Reg};
use crate::x64::InstKind;
use crate::x64::isa::{VectorIsa, Vop};
use ctm_lane::FloatTest;
use iced_x86::Code;

/// 2^31 and 2^32.
const TWO_31: u32 = 0x4F00_0000;
const TWO_32: u32 = 0x4F80_0000;
const TWO_16: u32 = 0x4780_0000;

impl Selector<'_> {
    /// The general register's 32 bits in every lane.
    pub fn splat(&mut self, from: Reg) -> Reg {
        match self.isa {
            VectorIsa::Avx512 => self.vector(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, &[Arg::Reg(from)]),
            VectorIsa::Avx2 => {
                let first = self.vector(Code::VEX_Vmovd_xmm_rm32, &[Arg::Reg(from)]);
                self.vector(Code::VEX_Vpbroadcastd_ymm_xmmm32, &[Arg::Reg(first)])
            }
        }
    }

    /// Unsigned integers as floats.
    pub fn unsigned_to_float(&mut self, a: Arg) -> Reg {
        match self.isa {
            VectorIsa::Avx512 => self.vector(Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, &[a]),
            VectorIsa::Avx2 => {
                // Both halves are exact; joining them rounds once.
                let a = self.load_arg(a);
                let high = self.vector_op(Vop::ShiftRight, &[Arg::Reg(a), Arg::Imm(16)]);
                let bits = self.constant(0xFFFF);
                let low = self.vector_op(Vop::And, &[Arg::Reg(a), bits]);
                let [high, low] = [high, low].map(|half| self.vector_op(Vop::FromInt, &[Arg::Reg(half)]));
                let weight = self.constant(TWO_16);
                self.fused(high, weight, Arg::Reg(low))
            }
        }
    }

    /// Floats that are not negative as unsigned integers, toward zero, saturated.
    pub fn float_to_unsigned(&mut self, a: Reg) -> Reg {
        match self.isa {
            VectorIsa::Avx512 => self.vector(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, &[Arg::Reg(a)]),
            VectorIsa::Avx2 => {
                // What is too great for a signed integer leaves the top bit, and the rest is what is beyond.
                let low = self.vector_op(Vop::ToInt, &[Arg::Reg(a)]);
                let bound = self.constant(TWO_31);
                let beyond = self.vector_op(Vop::Sub, &[Arg::Reg(a), bound]);
                let beyond = self.vector_op(Vop::ToInt, &[Arg::Reg(beyond)]);
                let is_great = self.vector_op(Vop::ShiftRightSigned, &[Arg::Reg(low), Arg::Imm(31)]);
                let beyond = self.vector_op(Vop::And, &[Arg::Reg(beyond), Arg::Reg(is_great)]);
                let all = self.vector_op(Vop::Or, &[Arg::Reg(low), Arg::Reg(beyond)]);
                let bound = self.constant(TWO_32);
                let too_great = self.compare(FloatTest::Oge, a, bound, None);
                self.vector_op(Vop::Or, &[Arg::Reg(all), Arg::Reg(too_great)])
            }
        }
    }

    /// The floor of `a * max + 1/2`, exactly, for a in [0, 1] and a `max` below 2^24.
    pub fn nearest_code(&mut self, a: Reg, max: u32) -> Reg {
        match self.isa {
            VectorIsa::Avx512 => {
                // Rounding toward zero keeps the floor of the exact sum.
                let half = self.constant_reg(HALF);
                let max = self.constant_reg((max as f32).to_bits());
                let kind = InstKind::Fma { negate_product: false, negate_addend: false };
                let sum = self.define(Class::Vector, kind, &[Arg::Reg(a), Arg::Reg(max), Arg::Reg(half)]);
                if let Some(last) = self.insts.last_mut() {
                    last.rounding = Some(Directed::Zero);
                }
                self.vector_op(Vop::ToInt, &[Arg::Reg(sum)])
            }
            VectorIsa::Avx2 => {
                // In 64 bits product and sum are exact, but for numbers far too small to matter.
                let wide = |number: f64| {
                    let bits = number.to_bits();
                    [bits as u32, (bits >> 32) as u32].repeat(4)
                };
                let (max, half) = (self.vector_constant(&wide(max.into())), self.vector_constant(&wide(0.5)));
                let high = self.vector(Code::VEX_Vextractf128_xmmm128_ymm_imm8, &[Arg::Reg(a), Arg::Imm(1)]);
                let max = self.load_arg(max);
                let [low, high] = [a, high].map(|part| {
                    let part = self.vector(Code::VEX_Vcvtps2pd_ymm_xmmm128, &[Arg::Reg(part)]);
                    let kind = InstKind::Tied(Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256);
                    let sum = self.define(Class::Vector, kind, &[Arg::Reg(part), Arg::Reg(max), half]);
                    self.vector(Code::VEX_Vcvttpd2dq_xmm_ymmm256, &[Arg::Reg(sum)])
                });
                let join = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
                self.vector(join, &[Arg::Reg(low), Arg::Reg(high), Arg::Imm(1)])
            }
        }
    }

    /// The high halves of products of even and odd lanes.
    pub fn high_halves(&mut self, multiply: Vop, a: Reg, b: Reg) -> Reg {
        let odd = |selector: &mut Self, reg| selector.vector_op(Vop::ShiftRightWide, &[Arg::Reg(reg), Arg::Imm(32)]);
        let even = self.vector_op(multiply, &[Arg::Reg(a), Arg::Reg(b)]);
        let even = odd(self, even);
        let (a, b) = (odd(self, a), odd(self, b));
        let product = self.vector_op(multiply, &[Arg::Reg(a), Arg::Reg(b)]);
        let mask = self.mask_of(|lane| lane % 2 != 0);
        self.blend(mask, Arg::Reg(product), even)
    }

    /// a clamped to [0, 1]; 0 for NaN.
    pub fn clamped_to_one(&mut self, a: Reg) -> Reg {
        let zero = self.constant(0);
        let positive = self.vector_op(Vop::Max, &[Arg::Reg(a), zero]);
        let one = self.constant(ONE);
        self.vector_op(Vop::Min, &[Arg::Reg(positive), one])
    }
}
