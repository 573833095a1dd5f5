//! What each operation of the lane IR becomes. A new one does not build until it is selected, or refused, by name.

use super::arithmetic::{SIGN, TWO_TO_31};
use super::masks::MaskOp;
use super::{Lanes, Selector, Val};
use crate::mir::{Arg, Base, Mem};
use crate::x64::isa::{VectorIsa, Vop};
use crate::x64::{Inst, InstKind};
use ctm_lane::{Denorm, FloatTest, Op, Round, Value, Zero};
use iced_x86::Code;

impl Selector<'_> {
    /// Selects an instruction.
    pub fn inst(&mut self, inst: ctm_lane::Inst) {
        let op = *self.function.op(inst);
        let args = self.function.args(inst).to_vec();
        let results: Vec<Value> = self.function.results(inst).collect();
        self.prepare(&op);
        // A store knows best in which form to look at what it stores.
        if !matches!(op, Op::SurfaceStore { .. }) {
            self.check_operands(&op, &args);
        }
        if let Some(val) = self.operation(&op, &args, &results) {
            self.values[results[0].index()] = val;
        }
    }

    fn refused(&mut self) -> Option<Val> {
        self.refuse();
        None
    }

    /// The value of an operation's only result; `None` if it has none or several, which are set here, or if it is refused.
    fn operation(&mut self, op: &Op, args: &[Value], results: &[Value]) -> Option<Val> {
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
            Op::Fadd { .. } | Op::FaddRounded { .. } => self.commuted(Vop::Add, (args[0], args[1]), results[0]),
            Op::Fsub { .. } => self.difference((args[0], args[1]), results[0]),
            Op::Fmul { zero, .. } => self.product(zero, (args[0], args[1]), results[0]),
            Op::Fma { zero, .. } => self.multiply_add(zero, args[0], args[1], args[2]),
            Op::FmulRounded { .. } => self.product(Zero::Ieee, (args[0], args[1]), results[0]),
            Op::FmaRounded { .. } => self.multiply_add(Zero::Ieee, args[0], args[1], args[2]),
            Op::Fdiv { .. } => {
                let quotient = match self.quotient_of_root(args, results[0]) {
                    Some(quotient) => quotient,
                    None => self.binary(Vop::Div, args[0], args[1]),
                };
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
            Op::CanonNan { .. } | Op::PassNan {} => return Some(self.with_nan_bits(results[0], op, args)),
            Op::Fmin { denorm: Denorm::Keep } => self.binary(Vop::Min, args[0], args[1]),
            Op::Fmax { denorm: Denorm::Keep } => self.binary(Vop::Max, args[0], args[1]),
            Op::Fmin { .. } => self.extreme((Vop::Min, FloatTest::Olt), (args[0], args[1]), results[0]),
            Op::Fmax { .. } => self.extreme((Vop::Max, FloatTest::Ogt), (args[0], args[1]), results[0]),
            Op::Select {} => {
                let mask = match self.lanes(args[0]) {
                    Lanes::All => return Some(self.values[args[1].index()]),
                    Lanes::No => return Some(self.values[args[2].index()]),
                    Lanes::Of(mask) => mask,
                };
                match (self.values[args[1].index()], self.values[args[2].index()]) {
                    // The lanes of such a mask have all bits, or none.
                    (Val::Const(u32::MAX), Val::Const(0)) if self.isa == VectorIsa::Avx2 => mask,
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
            Op::Utof {} if self.ranges.get(args[0]).int.0 >= 0 => self.unary(Vop::FromInt, args[0]),
            Op::Utof {} => {
                let a = self.arg(args[0]);
                self.unsigned_to_float(a)
            }
            Op::Ftoi {} if self.fits_signed(args[0]) => self.unary(Vop::ToInt, args[0]),
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
                match self.ranges.get(args[0]).hi < TWO_TO_31 {
                    true => self.vector_op(Vop::ToInt, &[Arg::Reg(positive)]),
                    false => self.float_to_unsigned(positive),
                }
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
                match self.fits_signed(args[0]) {
                    true => self.vector_op(Vop::ToInt, &[Arg::Reg(floor)]),
                    false => self.truncated(floor),
                }
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
                let a = Arg::Reg(self.uniform_reg(args[0]));
                match self.uniform(args[1]) {
                    Arg::Imm(b) => self.tied_general(Code::Add_rm32_imm32, &[a, Arg::Imm(b.wrapping_neg())]),
                    b @ (Arg::Reg(_) | Arg::Mem(_) | Arg::None) => self.tied_general(Code::Sub_r32_rm32, &[a, b]),
                }
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
            Op::Ftod {} => {
                let number = self.float_to_number(args[0]);
                return self.set_number(results, number);
            }
            Op::Itod {} => {
                let number = self.signed_to_number(args[0]);
                return self.set_number(results, number);
            }
            Op::Utod {} => {
                let number = self.unsigned_to_number(args[0]);
                return self.set_number(results, number);
            }
            Op::Dtof { .. } => self.number_to_float(args),
            Op::Dtoi {} => self.number_to_signed(args),
            Op::Dtou {} => self.number_to_unsigned(args),
            Op::Dcmp { test } => self.compare_numbers(test, args),
            Op::Dadd { .. } => {
                let sum = self.two_numbers(Vop::WideAdd, args);
                return self.set_number(results, sum);
            }
            Op::Dmul { .. } => {
                let product = self.two_numbers(Vop::WideMul, args);
                return self.set_number(results, product);
            }
            Op::Ddiv {} => {
                let quotient = self.two_numbers(Vop::WideDiv, args);
                return self.set_number(results, quotient);
            }
            Op::Dfma { .. } => {
                let sum = self.multiply_add_numbers(args);
                return self.set_number(results, sum);
            }
            Op::Dsqrt {} => {
                let root = self.square_root(args);
                return self.set_number(results, root);
            }
            Op::Dround { round } => {
                let rounded = self.rounded_number(round, args);
                return self.set_number(results, rounded);
            }
            Op::SurfaceLoad { surface } => {
                let lanes = self.lanes(args[2]);
                let channels = self.load(surface, (args[0], args[1]), lanes, results[0]);
                for (&result, val) in results.iter().zip(channels) {
                    self.values[result.index()] = val;
                }
                return None;
            }
            Op::SurfaceLoad2x2 { surface } => {
                self.load_2x2(surface, args, results);
                return None;
            }
            Op::SurfaceStore { surface, channels } => {
                self.store(surface, channels, args);
                return None;
            }
            Op::SurfaceTest { surface, test, write } => match self.test(surface, (test, write), args) {
                Some(passed) => passed,
                None => return self.refused(),
            },
            Op::BufferLoad { buffer } => {
                let (base, offset, lanes) = self.words(buffer, args[0], args[1]);
                self.gather(base, offset, 0, lanes)
            }
            Op::BufferStore { buffer } => {
                let (base, offset, lanes) = self.words(buffer, args[0], args[2]);
                let value = self.reg(args[1]);
                self.leave_if_raised();
                self.scatter(base, offset, 0, value, lanes);
                return None;
            }
            // Reads must not move across writes; keeping all of them in order does it.
            Op::ArrayRead { array } => {
                let entry = self.entry(array, args[0]);
                self.vector_op(Vop::Load, &[Arg::Mem(entry)])
            }
            Op::ArrayGather { array } => {
                let (base, offset) = self.entries(array, args[0]);
                self.gather(base, offset, 0, Lanes::All)
            }
            Op::ArrayWrite { array } => {
                let (entry, value) = (self.entry(array, args[0]), self.reg(args[1]));
                let lanes = self.lanes(args[2]);
                self.put(entry, value, lanes);
                return None;
            }
            Op::ArrayScatter { array } => {
                let ((base, offset), value) = (self.entries(array, args[0]), self.reg(args[1]));
                let lanes = self.lanes(args[2]);
                self.scatter(base, offset, 0, value, lanes);
                return None;
            }
            Op::MaskArrayRead { array } => {
                let entry = self.entry(array, args[0]);
                self.load_mask(entry)
            }
            Op::MaskArrayWrite { array } => {
                let (entry, mask) = (self.entry(array, args[0]), self.mask_reg(args[1]));
                self.store_mask(entry, mask);
                return None;
            }
            Op::UniformArrayRead { array } => {
                let entry = self.entry(array, args[0]);
                self.general(Code::Mov_r32_rm32, &[Arg::Mem(entry)])
            }
            Op::UniformArrayWrite { array } => {
                let (entry, value) = (self.entry(array, args[0]), Arg::Reg(self.uniform_reg(args[1])));
                self.insts.push(Inst::new(InstKind::Plain(Code::Mov_rm32_r32), None, &[Arg::Mem(entry), value]));
                return None;
            }
            Op::Steps { count, pc } => {
                self.note_origins();
                self.pc = Some(pc);
                let lanes = self.lanes(args[0]);
                self.note_steps(count, lanes);
                return None;
            }
            // Limits that are not floats, and what looks across a warp, which is wider than a group.
            Op::FloatToIndex { .. } | Op::Ballot {} | Op::Shuffle {} => return self.refused(),
        };
        Some(Val::Reg(reg))
    }
}
