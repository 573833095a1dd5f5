//! Operations of lanes, masks and uniforms.

use super::{Lanes, Selector, Val};
use crate::jit::mir::{Arg, Base, Class, Inst, Kind, Mem, Reg};
use ctm_lane::{Denorm, FloatTest, IntTest, Op, Round, Type, Value, Zero};
use iced_x86::Code;

pub const SIGN: u32 = 0x8000_0000;
pub const ONE: u32 = 0x3F80_0000;

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

impl Selector<'_> {
    pub fn inst(&mut self, inst: ctm_lane::Inst) {
        let op = *self.function.op(inst);
        let args = self.function.args(inst).to_vec();
        let results: Vec<Value> = self.function.results(inst).collect();
        if let Some(&result) = results.first()
            && let Some(val) = self.operation(&op, &args, result)
        {
            self.values[result.index()] = val;
            self.watch_if_source(&op, result);
            return;
        }
        self.special(&op, &args, &results);
        if matches!(op, Op::SurfaceLoad { .. } | Op::SurfaceLoad2x2 { .. }) {
            self.watch_nans(&results);
        }
    }

    fn watch_if_source(&mut self, op: &Op, result: Value) {
        if self.mode.watch && self.function.value_type(result) == Type::Lane && !super::passes_nan(op) {
            self.watch_nans(&[result]);
        }
    }

    /// Operations with one result that need nothing but their operands and constants of the run.
    fn operation(&mut self, op: &Op, args: &[Value], result: Value) -> Option<Val> {
        let flush = |denorm: Denorm| denorm == Denorm::Flush;
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
                self.vector(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, &[Arg::Mem(mem)])
            }
            Op::TableGather { table } => {
                let index = self.reg(args[0]);
                let limit = self.constant(self.function.tables[table.index()].entries.wrapping_sub(1));
                let index = self.vector(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(index), limit]);
                let base = Base::Reg(self.table(table));
                let mem = Mem { index: Some(index), scale: 4, ..Mem::at(base, 0) };
                self.define(Class::Vector, Kind::Gather, &[Arg::Mem(mem)])
            }
            Op::TableUniform { table, index } => {
                let index = index & self.function.tables[table.index()].entries.wrapping_sub(1);
                let mem = Mem::at(Base::Reg(self.table(table)), index.cast_signed() * 4);
                self.general(Code::Mov_r32_rm32, &[Arg::Mem(mem)])
            }
            Op::Fadd { denorm } if flush(denorm) => self.sum(args[0], args[1]),
            Op::Fsub { denorm } if flush(denorm) => {
                self.binary(Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, args[0], args[1])
            }
            Op::Fmul { denorm, zero } if flush(denorm) => self.product(zero, args[0], args[1]),
            Op::Fma { denorm, zero } if flush(denorm) => self.multiply_add(zero, args[0], args[1], args[2]),
            Op::Fdiv { denorm } if flush(denorm) => {
                self.binary(Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, args[0], args[1])
            }
            Op::Fsqrt { denorm } if flush(denorm) => self.unary(Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, args[0]),
            Op::Fround { round, denorm } if flush(denorm) => {
                let a = self.reg(args[0]);
                self.round(round, Arg::Reg(a))
            }
            Op::Frc {} => self.fraction(args[0]),
            Op::Ex2 {} => self.ex2(args[0]),
            Op::Ln2 {} => self.ln2(args[0]),
            Op::Sin {} => self.sin(args[0]),
            Op::Cos {} => self.cos(args[0]),
            Op::CanonNan { nan } => {
                let a = self.reg(args[0]);
                if !self.ranges.get(args[0]).nan {
                    return Some(Val::Reg(a));
                }
                self.canonical(a, nan.0)
            }
            Op::PassNan {} => {
                let (r, a) = (self.reg(args[0]), self.reg(args[1]));
                let first = self.unordered(r, None);
                let both = self.unordered(a, Some(first));
                let quiet = self.constant(0x0040_0000);
                let quieted = self.vector(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(a), quiet]);
                self.blend(both, Arg::Reg(quieted), r)
            }
            Op::Fmin { denorm } if flush(denorm) => {
                self.extreme((Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, FloatTest::Olt), (args[0], args[1]), result)
            }
            Op::Fmax { denorm } if flush(denorm) => {
                self.extreme((Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, FloatTest::Ogt), (args[0], args[1]), result)
            }
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
            Op::Clamp01 { denorm } if flush(denorm) => {
                let a = self.reg(args[0]);
                let zero = self.constant(0);
                let positive = self.vector(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, &[Arg::Reg(a), zero]);
                let one = self.constant(ONE);
                self.vector(Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, &[Arg::Reg(positive), one])
            }
            Op::Neg {} => self.with_bits(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, args[0], SIGN),
            Op::Abs {} => self.with_bits(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, args[0], !SIGN),
            Op::Nabs {} => self.with_bits(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, args[0], SIGN),
            Op::Itof {} => self.unary(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, args[0]),
            Op::Utof {} => self.unary(Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, args[0]),
            Op::Ftoi {} => {
                let a = self.reg(args[0]);
                let saturated = self.truncated(a);
                let number = self.compare(FloatTest::Ord, a, Arg::Reg(a), None);
                self.zero_outside(number, Arg::Reg(saturated))
            }
            Op::Ftou {} => {
                let a = self.reg(args[0]);
                let zero = self.constant(0);
                let positive = self.vector(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, &[Arg::Reg(a), zero]);
                self.vector(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, &[Arg::Reg(positive)])
            }
            Op::FloatToIndex { limit } if limit <= 1 << 24 => {
                let a = self.reg(args[0]);
                let zero = self.constant(0);
                let positive = self.vector(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, &[Arg::Reg(a), zero]);
                let last = self.constant((limit.max(1) as f32 - 1.0).to_bits());
                let inside = self.vector(Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, &[Arg::Reg(positive), last]);
                self.vector(Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, &[Arg::Reg(inside)])
            }
            Op::FloatToCoordinate {} => {
                let a = self.reg(args[0]);
                let floor = self.round(Round::Floor, Arg::Reg(a));
                self.truncated(floor)
            }
            Op::Fcmp { test, denorm } if flush(denorm) => {
                let a = self.reg(args[0]);
                let b = self.arg(args[1]);
                self.compare(test, a, b, None)
            }
            Op::Icmp { test } => {
                let a = self.reg(args[0]);
                let b = self.arg(args[1]);
                self.compare_integers(test, a, b, None)
            }
            Op::MaskAnd {} => self.mask_binary(Code::VEX_Kandw_kr_kr_kr, args[0], args[1]),
            Op::MaskOr {} => self.mask_binary(Code::VEX_Korw_kr_kr_kr, args[0], args[1]),
            Op::MaskXor {} => self.mask_binary(Code::VEX_Kxorw_kr_kr_kr, args[0], args[1]),
            Op::MaskAndnot {} => self.mask_binary(Code::VEX_Kandnw_kr_kr_kr, args[1], args[0]),
            Op::MaskNot {} => {
                let a = Arg::Reg(self.mask_reg(args[0]));
                self.mask(Code::VEX_Knotw_kr_kr, &[a])
            }
            Op::MaskSelect {} => {
                let [m, a, b] = [0, 1, 2].map(|at| Arg::Reg(self.mask_reg(args[at])));
                let inside = self.mask(Code::VEX_Kandw_kr_kr_kr, &[m, a]);
                let outside = self.mask(Code::VEX_Kandnw_kr_kr_kr, &[m, b]);
                self.mask(Code::VEX_Korw_kr_kr_kr, &[Arg::Reg(inside), Arg::Reg(outside)])
            }
            Op::Iadd {} => self.commutative(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, args),
            Op::Isub {} => self.binary(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, args[0], args[1]),
            Op::Imul {} => self.commutative(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, args),
            Op::SmulHigh {} => self.high(Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64, args),
            Op::UmulHigh {} => self.high(Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64, args),
            Op::Smin {} => self.commutative(Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, args),
            Op::Smax {} => self.commutative(Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, args),
            Op::Umin {} => self.commutative(Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, args),
            Op::Umax {} => self.commutative(Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, args),
            Op::And {} => self.commutative(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, args),
            Op::Or {} => self.commutative(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, args),
            Op::Xor {} => self.commutative(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, args),
            Op::Shl {} => self.binary(Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, args[0], args[1]),
            Op::Shr {} => self.binary(Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, args[0], args[1]),
            Op::Sar {} => self.binary(Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32, args[0], args[1]),
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
                self.vector(Code::EVEX_Vpermilps_zmm_k1z_zmmm512b32_imm8, &[a, Arg::Imm(order)])
            }
            _ => return None,
        };
        Some(Val::Reg(reg))
    }

    pub fn splat(&mut self, from: Reg) -> Reg {
        let reg = self.vector(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, &[Arg::Reg(from)]);
        if let Some(last) = self.insts.last_mut() {
            last.foldable = false;
        }
        reg
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

    fn unary(&mut self, code: Code, a: Value) -> Reg {
        let a = self.arg(a);
        self.vector(code, &[a])
    }

    fn binary(&mut self, code: Code, a: Value, b: Value) -> Reg {
        let a = self.reg(a);
        let b = self.arg(b);
        self.vector(code, &[Arg::Reg(a), b])
    }

    fn commutative(&mut self, code: Code, args: &[Value]) -> Reg {
        match self.arg(args[0]) {
            Arg::Mem(_) => self.binary(code, args[1], args[0]),
            _ => self.binary(code, args[0], args[1]),
        }
    }

    fn with_bits(&mut self, code: Code, a: Value, bits: u32) -> Reg {
        let a = self.reg(a);
        let bits = self.constant(bits);
        self.vector(code, &[Arg::Reg(a), bits])
    }

    fn mask_binary(&mut self, code: Code, a: Value, b: Value) -> Reg {
        let (a, b) = (Arg::Reg(self.mask_reg(a)), Arg::Reg(self.mask_reg(b)));
        self.mask(code, &[a, b])
    }

    /// The high halves of products of even and odd lanes.
    fn high(&mut self, code: Code, args: &[Value]) -> Reg {
        let (a, b) = (self.reg(args[0]), self.reg(args[1]));
        let odd = |selector: &mut Self, reg| {
            selector.vector(Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, &[Arg::Reg(reg), Arg::Imm(32)])
        };
        let even = self.vector(code, &[Arg::Reg(a), Arg::Reg(b)]);
        let even = odd(self, even);
        let (a, b) = (odd(self, a), odd(self, b));
        let product = self.vector(code, &[Arg::Reg(a), Arg::Reg(b)]);
        let at = self.pool_at(&[0xAAAA]);
        let mask = self.mask(Code::VEX_Kmovw_kr_km16, &[Arg::Mem(Mem::at(Base::Pool, at))]);
        self.blend(mask, Arg::Reg(product), even)
    }

    /// a in the lanes of the mask, b in the others.
    pub fn blend(&mut self, mask: Reg, a: Arg, b: Reg) -> Reg {
        let reg = self.vector(Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(b), a]);
        self.under(mask, false);
        reg
    }

    pub fn zero_outside(&mut self, mask: Reg, a: Arg) -> Reg {
        let reg = match a {
            Arg::Mem(mem) if mem.broadcast => {
                let plain = Arg::Mem(Mem { broadcast: false, ..mem });
                self.vector(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32, &[plain])
            }
            a => self.vector(Code::EVEX_Vmovaps_zmm_k1z_zmmm512, &[a]),
        };
        self.under(mask, true);
        reg
    }

    pub fn compare(&mut self, test: FloatTest, a: Reg, b: Arg, within: Option<Reg>) -> Reg {
        let code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        let reg = self.mask(code, &[Arg::Reg(a), b, Arg::Imm(float_predicate(test))]);
        if let Some(mask) = within {
            self.under(mask, false);
        }
        reg
    }

    pub fn compare_integers(&mut self, test: IntTest, a: Reg, b: Arg, within: Option<Reg>) -> Reg {
        let signed = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
        let unsigned = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
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

    fn unordered(&mut self, a: Reg, within: Option<Reg>) -> Reg {
        self.compare(FloatTest::Uno, a, Arg::Reg(a), within)
    }

    pub fn canonical(&mut self, a: Reg, nan: u32) -> Reg {
        let is_nan = self.unordered(a, None);
        let nan = self.constant(nan);
        self.blend(is_nan, nan, a)
    }

    pub fn round(&mut self, round: Round, a: Arg) -> Reg {
        let way = match round {
            Round::Even => 8,
            Round::Floor => 9,
            Round::Ceil => 10,
            Round::Trunc => 11,
        };
        self.vector(Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, &[a, Arg::Imm(way)])
    }

    /// Truncation; numbers too great saturate, what is too small or a NaN gives the smallest integer.
    fn truncated(&mut self, a: Reg) -> Reg {
        let integer = self.vector(Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, &[Arg::Reg(a)]);
        let bound = self.constant(0x4F00_0000);
        let great = self.compare(FloatTest::Oge, a, bound, None);
        let greatest = self.constant(0x7FFF_FFFF);
        self.blend(great, greatest, integer)
    }

    fn sum(&mut self, a: Value, b: Value) -> Reg {
        self.commutative(Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, &[a, b])
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
            Zero::Special if self.mode.watch => return None,
            Zero::Special => Some(self.unordered(result, None)),
            Zero::Always => None,
        };
        let (first, second) = (self.is_zero(a, within), self.is_zero(b, within));
        Some(self.mask(Code::VEX_Korw_kr_kr_kr, &[Arg::Reg(first), Arg::Reg(second)]))
    }

    fn product(&mut self, zero: Zero, a: Value, b: Value) -> Reg {
        let product = self.commutative(Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, &[a, b]);
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
                let nothing = self.constant(0);
                let mut sum = Inst::new(
                    Kind::Plain(Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er),
                    Some(self.machine.reg(Class::Vector)),
                    &[Arg::Reg(addend), nothing],
                );
                sum.foldable = true;
                let sum_reg = sum.def.unwrap_or(result);
                self.insts.push(sum);
                self.blend(vanished, Arg::Reg(sum_reg), result)
            }
        }
    }

    /// A minimum or maximum: the machine's own where no denormal would be flushed on the way, or nobody would notice.
    fn extreme(&mut self, (code, test): (Code, FloatTest), (a, b): (Value, Value), result: Value) -> Reg {
        let normal = !self.ranges.get(a).denormal && !self.ranges.get(b).denormal;
        if normal || self.is_flushed_by_all(result) {
            return self.binary(code, a, b);
        }
        let first = self.reg(a);
        let second = self.arg(b);
        let chosen = self.compare(test, first, second, None);
        let second = self.load_arg(second);
        self.blend(chosen, Arg::Reg(first), second)
    }

    fn fraction(&mut self, a: Value) -> Reg {
        let a = self.reg(a);
        let floor = self.round(Round::Floor, Arg::Reg(a));
        let code = Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er;
        let fraction = self.vector(code, &[Arg::Reg(a), Arg::Reg(floor)]);
        let below_one = self.constant_reg(ONE - 1);
        let code = Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae;
        self.vector(code, &[Arg::Reg(below_one), Arg::Reg(fraction)])
    }
}
