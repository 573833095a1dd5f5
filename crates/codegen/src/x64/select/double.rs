//! binary64 numbers. As values they are a vector of low and a vector of high words; for arithmetic the words are put side
//! by side, which makes two vectors of half the lanes each: the first two lanes of every four, and the last two.

use super::arithmetic::{float_predicate, round_immediate};
use super::{Selector, Val};
use crate::mir::{Arg, Class, Reg};
use crate::target::Target;
use crate::x64::InstKind;
use crate::x64::isa::{VectorIsa, Vop};
use ctm_lane::{FloatTest, Round, Value};
use iced_x86::Code;

const NAN: f64 = f64::from_bits(0x7FF8_0000_0000_0000);
const NARROW_NAN: u32 = 0x7FC0_0000;
/// 2^52: as the high word of a number, it makes the low word the distance from here.
const TWO_52: f64 = 4_503_599_627_370_496.0;
const TWO_52_HIGH: u32 = 0x4330_0000;
const TWO_31: f64 = 2_147_483_648.0;

/// The numbers of all lanes, in the order of the halves.
pub type Wide = [Reg; 2];

impl Selector<'_> {
    /// Gives a number's words to the two results of an operation.
    pub(super) fn set_number(&mut self, results: &[Value], number: Wide) -> Option<Val> {
        for (&result, high) in results.iter().zip([false, true]) {
            let words = self.words_of(number, high);
            self.set(result, words);
        }
        None
    }

    pub fn float_to_number(&mut self, a: Value) -> Wide {
        let a = self.reg(a);
        let widened = self.widened(a);
        self.canonical_wide(widened, NAN)
    }

    pub fn signed_to_number(&mut self, a: Value) -> Wide {
        let a = self.reg(a);
        let moved = self.with_constant(Vop::Xor, a, 1 << 31);
        self.unsigned_to_wide(moved, TWO_52 + TWO_31)
    }

    pub fn unsigned_to_number(&mut self, a: Value) -> Wide {
        let a = self.reg(a);
        self.unsigned_to_wide(a, TWO_52)
    }

    pub fn number_to_float(&mut self, words: &[Value]) -> Reg {
        let a = self.number(words);
        let narrowed = self.narrowed(a);
        self.canonical(narrowed, NARROW_NAN)
    }

    pub fn number_to_signed(&mut self, words: &[Value]) -> Reg {
        let a = self.number(words);
        let a = self.canonical_wide(a, 0.0);
        let a = self.with_wide_constant(Vop::WideMax, a, -TWO_31);
        let a = self.with_wide_constant(Vop::WideMin, a, TWO_31 - 1.0);
        self.truncated_wide(a)
    }

    pub fn number_to_unsigned(&mut self, words: &[Value]) -> Reg {
        let a = self.number(words);
        // The maximum of a NaN and a number is the number.
        let a = self.with_wide_constant(Vop::WideMax, a, 0.0);
        let a = self.with_wide_constant(Vop::WideMin, a, 2.0 * TWO_31 - 1.0);
        self.truncated_wide(a)
    }

    pub fn compare_numbers(&mut self, test: FloatTest, words: &[Value]) -> Reg {
        let (a, b) = (self.number(words), self.number(&words[2..]));
        self.compare_wide(test, a, b)
    }

    pub fn multiply_add_numbers(&mut self, words: &[Value]) -> Wide {
        let (a, b, c) = (self.number(words), self.number(&words[2..]), self.number(&words[4..]));
        let kind = InstKind::Tied(self.isa.code(Vop::WideMultiplyAdd));
        let sum = [0, 1]
            .map(|half| self.define(Class::Vector, kind, &[Arg::Reg(a[half]), Arg::Reg(b[half]), Arg::Reg(c[half])]));
        self.canonical_wide(sum, NAN)
    }

    pub fn square_root(&mut self, words: &[Value]) -> Wide {
        let root = self.number(words).map(|a| self.vector_op(Vop::WideSqrt, &[Arg::Reg(a)]));
        self.canonical_wide(root, NAN)
    }

    pub fn rounded_number(&mut self, round: Round, words: &[Value]) -> Wide {
        let a = self.number(words);
        let rounded = a.map(|a| self.vector_op(Vop::WideRound, &[Arg::Reg(a), round_immediate(round)]));
        self.canonical_wide(rounded, NAN)
    }

    /// a / b of unsigned integers, rounded down, and all ones where b is 0. A quotient that is not an integer is farther from
    /// the next one than rounding to binary64 goes.
    pub fn unsigned_quotient(&mut self, a: Reg, b: Reg) -> Reg {
        let [a, b] = [a, b].map(|integer| self.unsigned_to_wide(integer, TWO_52));
        let quotient = [0, 1].map(|half| self.two(Vop::WideDiv, a[half], b[half]));
        // The minimum of a NaN and a number is the number.
        let quotient = self.with_wide_constant(Vop::WideMin, quotient, 2.0 * TWO_31 - 1.0);
        self.truncated_wide(quotient)
    }

    /// The number whose words these are.
    fn number(&mut self, words: &[Value]) -> Wide {
        let (low, high) = (self.reg(words[0]), self.arg(words[1]));
        self.joined(low, high)
    }

    fn joined(&mut self, low: Reg, high: Arg) -> Wide {
        [Vop::InterleaveFirst, Vop::InterleaveLast].map(|op| self.vector_op(op, &[Arg::Reg(low), high]))
    }

    /// The low or the high words of numbers, in the order of lanes.
    fn words_of(&mut self, [first, last]: Wide, high: bool) -> Reg {
        let order = if high { 0b11_01_11_01 } else { 0b10_00_10_00 };
        self.vector_op(Vop::PickWords, &[Arg::Reg(first), Arg::Reg(last), Arg::Imm(order)])
    }

    pub fn two_numbers(&mut self, op: Vop, args: &[Value]) -> Wide {
        let (a, b) = (self.number(args), self.number(&args[2..]));
        let result = [0, 1].map(|half| self.two(op, a[half], b[half]));
        self.canonical_wide(result, NAN)
    }

    fn wide_constant(&mut self, number: f64) -> Arg {
        let bits = number.to_bits();
        let words = [bits as u32, (bits >> 32) as u32].repeat(self.isa.lanes() as usize / 2);
        self.vector_constant(&words)
    }

    fn with_wide_constant(&mut self, op: Vop, a: Wide, number: f64) -> Wide {
        let number = self.wide_constant(number);
        a.map(|a| self.vector_op(op, &[Arg::Reg(a), number]))
    }

    /// The lanes of one vector of numbers, as a mask of the form's for numbers.
    fn compare_half(&mut self, test: FloatTest, a: Reg, b: Reg) -> Reg {
        let code = self.isa.code(Vop::WideCompare);
        self.mask(code, &[Arg::Reg(a), Arg::Reg(b), Arg::Imm(float_predicate(test))])
    }

    fn compare_wide(&mut self, test: FloatTest, a: Wide, b: Wide) -> Reg {
        let found = [0, 1].map(|half| self.compare_half(test, a[half], b[half]));
        match self.isa {
            VectorIsa::Avx512 => {
                let found = found.map(|mask| self.vector(Code::EVEX_Vpmovm2q_zmm_kr, &[Arg::Reg(mask)]));
                let lanes = self.words_of(found, false);
                self.mask(Code::EVEX_Vpmovd2m_kr_zmm, &[Arg::Reg(lanes)])
            }
            VectorIsa::Avx2 => self.words_of(found, false),
        }
    }

    /// `nan` for all NaNs.
    fn canonical_wide(&mut self, a: Wide, nan: f64) -> Wide {
        let nan = self.wide_constant(nan);
        a.map(|a| {
            let is_nan = self.compare_half(FloatTest::Uno, a, a);
            let canonical = self.vector_op(Vop::WideBlend, &[Arg::Reg(a), nan]);
            self.under(is_nan, false);
            canonical
        })
    }

    /// 2^52 + a - `start`, for unsigned integers a.
    fn unsigned_to_wide(&mut self, a: Reg, start: f64) -> Wide {
        let high = self.constant(TWO_52_HIGH);
        let high = Arg::Reg(self.load_arg(high));
        let moved = self.joined(a, high);
        self.with_wide_constant(Vop::WideSub, moved, start)
    }

    /// Numbers in the range of integers, signed or unsigned, truncated.
    fn truncated_wide(&mut self, a: Wide) -> Reg {
        let a = a.map(|a| self.vector_op(Vop::WideRound, &[Arg::Reg(a), round_immediate(Round::Trunc)]));
        // There the low word of a number is the integer modulo 2^32.
        let a = self.with_wide_constant(Vop::WideAdd, a, 1.5 * TWO_52);
        self.words_of(a, false)
    }

    /// The lanes in the order in which halves have them: the first two of every four, then the last two.
    fn halves_order(&self) -> Vec<u32> {
        let lanes = self.isa.lanes();
        let pairs = |first: u32| (0..lanes).filter(move |lane| lane & 2 == first);
        pairs(0).chain(pairs(2)).collect()
    }

    /// Floats as numbers.
    fn widened(&mut self, a: Reg) -> Wide {
        let order = self.halves_order();
        let order = self.vector_constant(&order);
        let order = self.load_arg(order);
        let ordered = self.two(Vop::Permute, order, a);
        let last = self.vector_op(Vop::LastHalf, &[Arg::Reg(ordered), Arg::Imm(1)]);
        [ordered, last].map(|half| self.vector_op(Vop::Widen, &[Arg::Reg(half)]))
    }

    /// Numbers as floats.
    fn narrowed(&mut self, a: Wide) -> Reg {
        let [first, last] = a.map(|a| self.vector_op(Vop::Narrow, &[Arg::Reg(a)]));
        let both = self.vector_op(Vop::JoinHalves, &[Arg::Reg(first), Arg::Reg(last), Arg::Imm(1)]);
        let order = self.halves_order();
        let mut from = vec![0; order.len()];
        for (at, &lane) in order.iter().enumerate() {
            from[lane as usize] = at as u32;
        }
        let from = self.vector_constant(&from);
        let from = self.load_arg(from);
        self.two(Vop::Permute, from, both)
    }
}
