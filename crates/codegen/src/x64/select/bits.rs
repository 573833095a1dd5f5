//! Bits of integers, and half precision.

use super::Selector;
use crate::mir::{Arg, Reg};
use crate::target::Target;
use crate::x64::isa::{VectorIsa, Vop};
use ctm_lane::FloatTest;
use iced_x86::Code;

const NARROW_NAN: u32 = 0x7FC0_0000;
const HALF_NAN: u32 = 0x7E00;
/// Half a byte in every byte.
const LOW_DIGITS: u32 = 0x0F0F_0F0F;
/// Where the exponent of a float starts, and the one of 2^31.
const EXPONENT_AT: u32 = 23;
const EXPONENT_OF_TWO_31: u32 = 127 + 31;

impl Selector<'_> {
    /// In every byte what a table has for its low and for its high half; the tables are indexed by half bytes.
    fn by_digits(&mut self, a: Reg, tables: [fn(u8) -> u8; 2]) -> [Reg; 2] {
        let low = self.with_constant(Vop::And, a, LOW_DIGITS);
        let high = self.shifted(Vop::ShiftRight, a, 4);
        let high = self.with_constant(Vop::And, high, LOW_DIGITS);
        let [of_low, of_high] = tables;
        [(low, self.byte_table(of_low)), (high, self.byte_table(of_high))]
            .map(|(digits, table)| self.two(Vop::ShuffleBytes, table, digits))
    }

    /// 16 bytes, in every 16 bytes of a vector.
    fn byte_table(&mut self, byte: impl Fn(u8) -> u8) -> Reg {
        let words = [0, 4, 8, 12].map(|at| u32::from_le_bytes([at, at + 1, at + 2, at + 3].map(&byte)));
        let table = self.vector_constant(&words.repeat(self.isa.lanes() as usize / words.len()));
        self.load_arg(table)
    }

    pub fn count_of_ones(&mut self, a: Reg) -> Reg {
        let count = |digits| u8::count_ones(digits) as u8;
        let [low, high] = self.by_digits(a, [count; 2]);
        let bytes = self.two(Vop::IntAdd, low, high);
        // The top byte of the product is the sum of all four.
        let sums = self.with_constant(Vop::IntMul, bytes, 0x0101_0101);
        self.shifted(Vop::ShiftRight, sums, 24)
    }

    pub fn reversed(&mut self, a: Reg) -> Reg {
        let [low, high] = self.by_digits(a, [|digits| digits.reverse_bits(), |digits| digits.reverse_bits() >> 4]);
        let bytes = self.two(Vop::Or, low, high);
        let order = self.byte_table(|at| at ^ 3);
        self.two(Vop::ShuffleBytes, bytes, order)
    }

    pub fn leading_zeros(&mut self, a: Reg) -> Reg {
        match self.isa {
            VectorIsa::Avx512 => self.vector(Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32, &[Arg::Reg(a)]),
            VectorIsa::Avx2 => {
                // The exponent of the float tells. Without the bit below the highest it does not round to the next one.
                let below = self.shifted(Vop::ShiftRight, a, 1);
                let below = self.two(Vop::And, a, below);
                let top = self.two(Vop::Xor, a, below);
                let float = self.vector_op(Vop::FromInt, &[Arg::Reg(top)]);
                let exponent = self.shifted(Vop::ShiftRight, float, EXPONENT_AT);
                let greatest = self.constant_reg(EXPONENT_OF_TWO_31);
                let count = self.two(Vop::IntSub, greatest, exponent);
                // Less than 0 with the top bit, where the float is negative; far above 32 for 0.
                let count = self.with_constant(Vop::SignedMax, count, 0);
                self.with_constant(Vop::SignedMin, count, 32)
            }
        }
    }

    /// The binary16 number in the low half of each lane as a float.
    pub fn half_to_float(&mut self, a: Reg) -> Reg {
        let packed = match self.isa {
            VectorIsa::Avx512 => self.vector(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, &[Arg::Reg(a)]),
            VectorIsa::Avx2 => {
                let low = self.with_constant(Vop::And, a, 0xFFFF);
                let packed = self.vector(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, &[Arg::Reg(low), Arg::Reg(low)]);
                self.vector(Code::VEX_Vpermq_ymm_ymmm256_imm8, &[Arg::Reg(packed), Arg::Imm(0b10_00)])
            }
        };
        let float = self.vector_op(Vop::FromHalf, &[Arg::Reg(packed)]);
        self.canonical(float, NARROW_NAN)
    }

    /// Floats as binary16 in the low half of each lane.
    pub fn float_to_half(&mut self, a: Reg) -> Reg {
        let packed = self.vector_op(Vop::ToHalf, &[Arg::Reg(a), Arg::Imm(4)]);
        let halves = self.vector_op(Vop::LoadHalves, &[Arg::Reg(packed)]);
        let is_nan = self.compare(FloatTest::Uno, a, Arg::Reg(a), None);
        let nan = self.constant(HALF_NAN);
        self.blend(is_nan, nan, halves)
    }
}
