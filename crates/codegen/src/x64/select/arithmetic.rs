//! Operations of lanes, masks and uniforms.

use super::masks::MaskOp;
use super::{Lanes, Selector, Val};
use crate::mir::{Arg, Base, Class, Mem, Reg};
use crate::x64::Kind;
use crate::x64::form::Vop;
use ctm_lane::{Denorm, FloatTest, Op, Round, Value, Zero};
use iced_x86::Code;

pub const SIGN: u32 = 0x8000_0000;
pub const ONE: u32 = 0x3F80_0000;
pub const HALF: u32 = 0x3F00_0000;
/// The bit of quiet NaNs.
pub const QUIET: u32 = 0x0040_0000;

/// A float compare as the instruction numbers it, without raising the invalid flag for quiet NaNs.
pub const fn float_predicate(test: FloatTest) -> i32 {
    match test {
        FloatTest::Oeq => 0,
        FloatTest::Olt => 17,
        FloatTest::Ole => 18,
        FloatTest::Ogt => 30,
        FloatTest::Oge => 29,
        FloatTest::One => 12,
        FloatTest::Ord => 7,
        FloatTest::Ueq => 8,
        FloatTest::Ult => 25,
        FloatTest::Ule => 26,
        FloatTest::Ugt => 22,
        FloatTest::Uge => 21,
        FloatTest::Une => 4,
        FloatTest::Uno => 3,
    }
}

/// The bit of a compare's number that raises the invalid flag for quiet NaNs, or not: the other way round than above.
pub const SIGNALLING: i32 = 16;

/// A direction of rounding to an integral value as the instructions have it.
pub const fn round_immediate(round: Round) -> Arg {
    Arg::Imm(match round {
        Round::Even => 8,
        Round::Floor => 9,
        Round::Ceil => 10,
        Round::Trunc => 11,
    })
}

impl Selector<'_> {
    pub fn inst(&mut self, inst: ctm_lane::Inst) {
        let op = *self.function.op(inst);
        let args = self.function.args(inst).to_vec();
        let results: Vec<Value> = self.function.results(inst).collect();
        self.prepare(&op);
        // A store knows best in which form to look at what it stores.
        if !matches!(op, Op::SurfaceStore { .. }) {
            self.check_operands(&op, &args);
        }
        if let Some(&result) = results.first()
            && let Some(val) = self.operation(&op, &args, result)
        {
            self.values[result.index()] = val;
        } else if !self.double(&op, &args, &results) {
            self.special(&op, &args, &results);
        }
    }

    /// Operations with one result that need nothing but their operands and constants of the run; `None` for those that are
    /// selected elsewhere, or by no form.
    #[deny(clippy::wildcard_enum_match_arm, reason = "a new operation has to be selected, or refused, by name")]
    fn operation(&mut self, op: &Op, args: &[Value], result: Value) -> Option<Val> {
        let reg = match *op {
            Op::Lane { bits } => return Some(Val::Const(bits.0)),
            Op::Mask { value } => return Some(Val::MaskConst(value)),
            Op::Uniform { value } => return Some(Val::UniformConst(value)),
            Op::PosX {} => self.lane_x,
            Op::PosY {} => self.lane_y,
            Op::Covered {} if self.mode.interior => return Some(Val::MaskConst(true)),
            Op::Covered {} => self.covered,
            Op::Splat {} => {
                let from = self.uniform_reg(args[0]);
                self.splat(from)
            }
            Op::TableSplat { table, index } => {
                let entries = self.function.tables[table.index()].entries;
                return Some(Val::Entry(self.table(table), index & entries.wrapping_sub(1)));
            }
            Op::TableAt { table } => {
                let index = self.wrapped(args[0], self.function.tables[table.index()].entries);
                let base = Base::Reg(self.table(table));
                let mem = Mem { index: Some(index), scale: 4, ..Mem::at(base, 0) };
                self.vector_op(Vop::Broadcast, &[Arg::Mem(mem)])
            }
            Op::TableGather { table } => {
                let index = self.reg(args[0]);
                let limit = self.constant(self.function.tables[table.index()].entries.wrapping_sub(1));
                let index = self.vector_op(Vop::And, &[Arg::Reg(index), limit]);
                let base = self.table(table);
                self.gather_scaled(base, (index, 4), 0, None)
            }
            Op::TableUniform { table, index } => {
                let index = index & self.function.tables[table.index()].entries.wrapping_sub(1);
                let mem = Mem::at(Base::Reg(self.table(table)), index.cast_signed() * 4);
                self.general(Code::Mov_r32_rm32, &[Arg::Mem(mem)])
            }
            Op::Fadd { .. } | Op::FaddRounded { .. } => self.commuted(Vop::Add, (args[0], args[1]), result),
            Op::Fsub { .. } => self.difference((args[0], args[1]), result),
            Op::Fmul { zero, .. } => self.product(zero, (args[0], args[1]), result),
            Op::Fma { zero, .. } => self.multiply_add(zero, args[0], args[1], args[2]),
            Op::FmulRounded { .. } => self.product(Zero::Ieee, (args[0], args[1]), result),
            Op::FmaRounded { .. } => self.multiply_add(Zero::Ieee, args[0], args[1], args[2]),
            Op::Fdiv { .. } => {
                let quotient = self.binary(Vop::Div, args[0], args[1]);
                self.note_operands(quotient, args)
            }
            Op::Fsqrt { .. } => {
                let root = self.unary(Vop::Sqrt, args[0]);
                self.note_operands(root, args)
            }
            Op::Fround { round, .. } => {
                let a = self.reg(args[0]);
                let rounded = self.round(round, Arg::Reg(a));
                self.note_operands(rounded, args)
            }
            Op::Frc {} => self.fraction(args[0]),
            Op::Ex2 {} => self.ex2(args[0]),
            Op::Ln2 {} => self.ln2(args[0]),
            Op::Sin {} => self.sin(args[0]),
            Op::Cos {} => self.cos(args[0]),
            Op::CanonNan { .. } | Op::PassNan {} => return Some(self.with_nan_bits(result, op, args)),
            Op::Fmin { denorm: Denorm::Keep } => self.binary(Vop::Min, args[0], args[1]),
            Op::Fmax { denorm: Denorm::Keep } => self.binary(Vop::Max, args[0], args[1]),
            Op::Fmin { .. } => self.extreme((Vop::Min, FloatTest::Olt), (args[0], args[1]), result),
            Op::Fmax { .. } => self.extreme((Vop::Max, FloatTest::Ogt), (args[0], args[1]), result),
            Op::Select {} => {
                let mask = match self.lanes(args[0]) {
                    Lanes::All => return Some(self.values[args[1].index()]),
                    Lanes::No => return Some(self.values[args[2].index()]),
                    Lanes::Of(mask) => mask,
                };
                match (self.values[args[1].index()], self.values[args[2].index()]) {
                    (_, Val::Const(0)) => {
                        let a = self.arg(args[1]);
                        self.zero_outside(mask, a)
                    }
                    _ => {
                        let a = self.arg(args[1]);
                        let b = self.reg(args[2]);
                        self.blend(mask, a, b)
                    }
                }
            }
            Op::Clamp01 { .. } => {
                let a = self.reg(args[0]);
                self.clamped_to_one(a)
            }
            Op::Neg {} => self.with_bits(Vop::Xor, args[0], SIGN),
            Op::Abs {} => self.with_bits(Vop::And, args[0], !SIGN),
            Op::Nabs {} => self.with_bits(Vop::Or, args[0], SIGN),
            Op::Itof {} => self.unary(Vop::FromInt, args[0]),
            Op::Utof {} => {
                let a = self.arg(args[0]);
                self.unsigned_to_float(a)
            }
            Op::Ftoi {} => {
                let a = self.reg(args[0]);
                let saturated = self.truncated(a);
                let number = self.compare(FloatTest::Ord, a, Arg::Reg(a), None);
                self.zero_outside(number, Arg::Reg(saturated))
            }
            Op::Ftou {} => {
                let a = self.reg(args[0]);
                let zero = self.constant(0);
                let positive = self.vector_op(Vop::Max, &[Arg::Reg(a), zero]);
                self.float_to_unsigned(positive)
            }
            Op::FloatToIndex { limit } if limit <= 1 << 24 => {
                let a = self.reg(args[0]);
                let zero = self.constant(0);
                let positive = self.vector_op(Vop::Max, &[Arg::Reg(a), zero]);
                let last = self.constant((limit.max(1) as f32 - 1.0).to_bits());
                let inside = self.vector_op(Vop::Min, &[Arg::Reg(positive), last]);
                self.vector_op(Vop::ToInt, &[Arg::Reg(inside)])
            }
            Op::FloatToCoordinate {} => {
                let a = self.reg(args[0]);
                let floor = self.round(Round::Floor, Arg::Reg(a));
                self.truncated(floor)
            }
            Op::Fcmp { test, .. } => {
                let a = self.reg(args[0]);
                let b = self.arg(args[1]);
                self.compare_checked(test, args, (a, b))
            }
            Op::Icmp { test } => {
                let a = self.reg(args[0]);
                let b = self.arg(args[1]);
                self.compare_integers(test, a, b, None)
            }
            Op::MaskAnd {} => match self
                .comparison_within(args[1], args[0], false)
                .or_else(|| self.comparison_within(args[0], args[1], false))
            {
                Some(reg) => reg,
                None => self.mask_operation(MaskOp::And, args[0], args[1]),
            },
            Op::MaskOr {} => self.mask_operation(MaskOp::Or, args[0], args[1]),
            Op::MaskXor {} => self.mask_operation(MaskOp::Xor, args[0], args[1]),
            Op::MaskAndnot {} => match self.comparison_within(args[1], args[0], true) {
                Some(reg) => reg,
                None => self.mask_operation(MaskOp::AndNot, args[1], args[0]),
            },
            Op::MaskNot {} => {
                let a = self.mask_reg(args[0]);
                self.mask_not(a)
            }
            Op::MaskSelect {} => {
                let [m, a, b] = [0, 1, 2].map(|at| self.mask_reg(args[at]));
                let inside = self.mask_binary(MaskOp::And, m, a);
                let outside = self.mask_binary(MaskOp::AndNot, m, b);
                self.mask_binary(MaskOp::Or, inside, outside)
            }
            Op::Iadd {} => self.commutative(Vop::IntAdd, args),
            Op::Isub {} => self.binary(Vop::IntSub, args[0], args[1]),
            Op::Imul {} => self.commutative(Vop::IntMul, args),
            Op::SmulHigh {} => {
                let (a, b) = (self.reg(args[0]), self.reg(args[1]));
                self.high_halves(Vop::SignedMulEven, a, b)
            }
            Op::UmulHigh {} => {
                let (a, b) = (self.reg(args[0]), self.reg(args[1]));
                self.high_halves(Vop::UnsignedMulEven, a, b)
            }
            Op::Smin {} => self.commutative(Vop::SignedMin, args),
            Op::Smax {} => self.commutative(Vop::SignedMax, args),
            Op::Umin {} => self.commutative(Vop::UnsignedMin, args),
            Op::Umax {} => self.commutative(Vop::UnsignedMax, args),
            Op::And {} => self.commutative(Vop::And, args),
            Op::Or {} => self.commutative(Vop::Or, args),
            Op::Xor {} => self.commutative(Vop::Xor, args),
            Op::Shl {} => self.binary(Vop::ShiftLeftBy, args[0], args[1]),
            Op::Shr {} => self.binary(Vop::ShiftRightBy, args[0], args[1]),
            Op::Sar {} => self.binary(Vop::ShiftRightSignedBy, args[0], args[1]),
            Op::Udiv {} => {
                let (a, b) = (self.reg(args[0]), self.reg(args[1]));
                self.unsigned_quotient(a, b)
            }
            Op::Popcount {} => {
                let a = self.reg(args[0]);
                self.count_of_ones(a)
            }
            Op::Clz {} => {
                let a = self.reg(args[0]);
                self.leading_zeros(a)
            }
            Op::BitReverse {} => {
                let a = self.reg(args[0]);
                self.reversed(a)
            }
            Op::Htof {} => {
                let a = self.reg(args[0]);
                self.half_to_float(a)
            }
            Op::Ftoh { .. } => {
                let a = self.reg(args[0]);
                self.float_to_half(a)
            }
            Op::UniformAdd {} => self.uniform_binary(Code::Add_r32_rm32, Code::Add_rm32_imm32, args),
            Op::UniformSub {} => {
                let a = self.uniform_reg(args[0]);
                let b = self.uniform_reg(args[1]);
                self.tied_general(Code::Sub_r32_rm32, &[Arg::Reg(a), Arg::Reg(b)])
            }
            Op::UniformMul {} => {
                let a = self.uniform_reg(args[0]);
                let b = self.uniform_reg(args[1]);
                self.tied_general(Code::Imul_r32_rm32, &[Arg::Reg(a), Arg::Reg(b)])
            }
            Op::UniformAnd {} => self.uniform_binary(Code::And_r32_rm32, Code::And_rm32_imm32, args),
            Op::Quad { order } => {
                let a = self.arg(args[0]);
                let order = order.0.iter().rev().fold(0, |bits, &lane| bits << 2 | i32::from(lane));
                let a = Arg::Reg(self.load_arg(a));
                self.vector_op(Vop::PermuteQuad, &[a, Arg::Imm(order)])
            }
            // In `double`.
            Op::Ftod {}
            | Op::Itod {}
            | Op::Utod {}
            | Op::Dtof { .. }
            | Op::Dtoi {}
            | Op::Dtou {}
            | Op::Dcmp { .. }
            | Op::Dadd { .. }
            | Op::Dmul { .. }
            | Op::Ddiv {}
            | Op::Dfma { .. }
            | Op::Dsqrt {}
            | Op::Dround { .. } => return None,
            // In `memory`.
            Op::SurfaceLoad { .. }
            | Op::SurfaceLoad2x2 { .. }
            | Op::SurfaceStore { .. }
            | Op::SurfaceTest { .. }
            | Op::BufferLoad { .. }
            | Op::BufferStore { .. }
            | Op::ArrayRead { .. }
            | Op::ArrayWrite { .. }
            | Op::ArrayGather { .. }
            | Op::ArrayScatter { .. }
            | Op::MaskArrayRead { .. }
            | Op::MaskArrayWrite { .. }
            | Op::UniformArrayRead { .. }
            | Op::UniformArrayWrite { .. }
            | Op::Steps { .. } => return None,
            // Refused: limits that are no floats, and what looks across a warp, which is wider than a group.
            Op::FloatToIndex { .. } | Op::Ballot {} | Op::Shuffle {} => return None,
        };
        Some(Val::Reg(reg))
    }

    /// A uniform index modulo a power of two.
    pub fn wrapped(&mut self, index: Value, entries: u32) -> Reg {
        let index = Arg::Reg(self.uniform_reg(index));
        self.tied_general(Code::And_rm32_imm32, &[index, Arg::Imm(entries.wrapping_sub(1).cast_signed())])
    }

    fn uniform_binary(&mut self, code: Code, immediate: Code, args: &[Value]) -> Reg {
        let (a, b) = match (self.uniform(args[0]), self.uniform(args[1])) {
            (Arg::Imm(_), b @ Arg::Reg(_)) => (b, self.uniform(args[0])),
            (a @ Arg::Reg(_), b) => (a, b),
            (_, b) => (Arg::Reg(self.uniform_reg(args[0])), b),
        };
        let code = if matches!(b, Arg::Imm(_)) { immediate } else { code };
        self.tied_general(code, &[a, b])
    }

    fn unary(&mut self, op: Vop, a: Value) -> Reg {
        let a = self.arg(a);
        self.vector_op(op, &[a])
    }

    pub fn binary(&mut self, op: Vop, a: Value, b: Value) -> Reg {
        let a = self.reg(a);
        let b = self.arg(b);
        self.vector_op(op, &[Arg::Reg(a), b])
    }

    fn commutative(&mut self, op: Vop, args: &[Value]) -> Reg {
        if self.is_constant(args[0]) { self.binary(op, args[1], args[0]) } else { self.binary(op, args[0], args[1]) }
    }

    fn with_bits(&mut self, op: Vop, a: Value, bits: u32) -> Reg {
        let a = self.reg(a);
        self.with_constant(op, a, bits)
    }

    fn mask_operation(&mut self, op: MaskOp, a: Value, b: Value) -> Reg {
        let (a, b) = (self.mask_reg(a), self.mask_reg(b));
        self.mask_binary(op, a, b)
    }

    fn unordered(&mut self, a: Reg, within: Option<Reg>) -> Reg {
        self.compare(FloatTest::Uno, a, Arg::Reg(a), within)
    }

    pub fn canonical(&mut self, a: Reg, nan: u32) -> Reg {
        let is_nan = self.unordered(a, None);
        let nan = self.constant(nan);
        self.blend(is_nan, nan, a)
    }

    pub fn round(&mut self, round: Round, a: Arg) -> Reg {
        self.vector_op(Vop::Round, &[a, round_immediate(round)])
    }

    /// Truncation; numbers too great saturate, what is too small or a NaN gives the smallest integer.
    fn truncated(&mut self, a: Reg) -> Reg {
        let integer = self.vector_op(Vop::ToInt, &[Arg::Reg(a)]);
        let bound = self.constant(0x4F00_0000);
        let great = self.compare(FloatTest::Oge, a, bound, None);
        let greatest = self.constant(0x7FFF_FFFF);
        self.blend(great, greatest, integer)
    }

    fn is_zero(&mut self, a: Value, within: Option<Reg>) -> Reg {
        let a = self.reg(a);
        let zero = self.constant(0);
        self.compare(FloatTest::Oeq, a, zero, within)
    }

    /// The lanes in which the zero rule replaces the product of a and b, whose result is `result`.
    fn vanished(&mut self, zero: Zero, a: Value, b: Value, result: Reg) -> Option<Reg> {
        let within = match zero {
            Zero::Ieee => return None,
            Zero::Special if self.mode.speculates => return None,
            Zero::Special => Some(self.unordered(result, None)),
            Zero::Always => None,
        };
        let (first, second) = (self.is_zero(a, within), self.is_zero(b, within));
        Some(self.mask_binary(MaskOp::Or, first, second))
    }

    fn product(&mut self, zero: Zero, (a, b): (Value, Value), result: Value) -> Reg {
        let product = self.commuted(Vop::Mul, (a, b), result);
        match self.vanished(zero, a, b, product) {
            None => product,
            Some(vanished) => {
                let nothing = self.constant(0);
                self.blend(vanished, nothing, product)
            }
        }
    }

    fn multiply_add(&mut self, zero: Zero, a: Value, b: Value, c: Value) -> Reg {
        // The sign of a factor goes into the instruction.
        let stripped = |selector: &Self, value: Value| match selector.function.defining_op(value) {
            Some((Op::Neg {}, args)) if matches!(selector.values[args[0].index()], Val::Reg(_) | Val::Entry(..)) => {
                (args[0], true)
            }
            _ => (value, false),
        };
        let ((a, negative_a), (b, negative_b), (c0, negative_c)) =
            (stripped(self, a), stripped(self, b), stripped(self, c));
        let mut operands = [a, b, c0].map(|value| self.arg(value));
        // At most one operand can be memory.
        let mut has_memory = false;
        for operand in &mut operands {
            if matches!(operand, Arg::Mem(_)) && std::mem::replace(&mut has_memory, true) {
                *operand = Arg::Reg(self.hoisted(*operand));
            }
        }
        let kind = Kind::Fma { negate_product: negative_a != negative_b, negate_addend: negative_c };
        let result = self.define(Class::Vector, kind, &operands);
        match self.vanished(zero, a, b, result) {
            None => result,
            Some(vanished) => {
                let addend = self.reg(c);
                let sum = self.with_constant(Vop::Add, addend, 0);
                self.blend(vanished, Arg::Reg(sum), result)
            }
        }
    }

    /// A minimum or maximum: the machine's own where no denormal would be flushed on the way, or nobody would notice.
    fn extreme(&mut self, (op, test): (Vop, FloatTest), (a, b): (Value, Value), result: Value) -> Reg {
        let normal = !self.ranges.get(a).denormal && !self.ranges.get(b).denormal;
        if normal || self.is_flushed_by_all(result) {
            return self.binary(op, a, b);
        }
        let first = self.reg(a);
        let second = self.arg(b);
        let chosen = self.compare_checked(test, &[a, b], (first, second));
        let second = self.load_arg(second);
        self.blend(chosen, Arg::Reg(first), second)
    }

    fn fraction(&mut self, a: Value) -> Reg {
        let a = self.reg(a);
        let floor = self.round(Round::Floor, Arg::Reg(a));
        let fraction = self.two(Vop::Sub, a, floor);
        let below_one = self.constant_reg(ONE - 1);
        self.two(Vop::Min, below_one, fraction)
    }
}
