//! Arithmetic instructions (CTM Guide p.25-32, 40-43).

use super::machine::{ALPHA, LiftState, NAN, gate};
use crate::codes::*;
use crate::instruction::{Alu, Arg, Common, Operand, inline_constant};
use crate::program::WriteMode;
use ctm_lane::{Denorm, FloatTest, QuadOrder, Value, Zero};

const ONE: f32 = 1.0;
const HALF: f32 = 0.5;
/// Lanes of a quad.
const TOP_LEFT: u8 = 0;
const TOP_RIGHT: u8 = 1;
const BOTTOM_LEFT: u8 = 2;

/// A result, and whether it is flushed, with the standard NaN, as arithmetic leaves it.
#[derive(Clone, Copy)]
struct Computed {
    value: Value,
    rounded: bool,
}

/// What a unit of an instruction is to compute.
struct Use {
    wmask: u8,
    omask: u8,
    /// Channels of the RGB unit that are used.
    rgb: [bool; 3],
    alpha: bool,
    copies_dot: bool,
    copies_alpha: bool,
}

impl Use {
    fn of(common: &Common, alu: &Alu) -> Self {
        let (wmask, omask) = (common.rgb.wmask | common.alpha.wmask << 3, common.rgb.omask | common.alpha.omask << 3);
        let result = |channel| alu.alu_wmask && common.result_sel == channel;
        let mut rgb: [bool; 3] = std::array::from_fn(|channel| (wmask | omask) >> channel & 1 != 0);
        rgb[0] |= result(ResultChannel::Red);
        let alpha = (wmask | omask) >> ALPHA & 1 != 0 || alu.w_omask || result(ResultChannel::Alpha);
        Use {
            wmask,
            omask,
            rgb,
            alpha,
            copies_dot: alpha && alu.alpha.op == AlphaOp::Dp,
            copies_alpha: rgb.contains(&true) && alu.rgb.op == RgbOp::Sop,
        }
    }

    fn needs_rgb(&self) -> bool {
        self.rgb.contains(&true) || self.copies_dot
    }

    fn needs_alpha(&self) -> bool {
        self.alpha || self.copies_alpha
    }
}

/// Whether the instruction is one that the guide reserves, so far as its results are used.
pub(super) fn is_reserved(common: &Common, alu: &Alu, out: Option<WriteMode>) -> bool {
    let used = Use::of(common, alu);
    used.copies_dot && !alu.rgb.op.is_dot_product()
        || used.copies_alpha && !alu.alpha.op.is_transcendental()
        || used.needs_rgb() && alu.rgb.op.is_reserved()
        || used.needs_alpha() && alu.alpha.op.is_reserved()
        || out == Some(WriteMode::Umrt) && !matches!(used.omask & 0xF, 0 | 0xF)
}

/// Whether the instruction writes memory at once.
pub(super) fn writes_immediately(common: &Common, out: Option<WriteMode>) -> bool {
    out == Some(WriteMode::Umrt) && common.rgb.omask & 1 != 0
}

impl LiftState<'_> {
    /// Executes the instruction, which is not reserved, in these lanes; `None` where nobody looks at the others. `live`
    /// are the lanes whose immediate writes reach memory.
    pub fn arithmetic(&mut self, common: &Common, alu: &Alu, out: Option<WriteMode>, executing: Option<Value>) {
        let used = Use::of(common, alu);
        let mut results: [Option<Value>; 4] = [None; 4];
        let rgb = if used.needs_rgb() { alu.rgb.op.class() } else { RgbClass::Reserved };
        let dot = if let RgbClass::Dot(op) = rgb { Some(self.dot(alu, op)) } else { None };
        let alpha = if used.needs_alpha() { self.alpha_result(alu, dot) } else { None };
        for channel in (0..3).filter(|&channel| used.rgb[channel]) {
            let result = match rgb {
                RgbClass::PerChannel(op) => Some(self.per_channel(alu, op, channel)),
                RgbClass::Dot(_) => dot,
                RgbClass::CopyAlpha => alpha,
                RgbClass::Reserved => None,
            };
            let Some(result) = result else { continue };
            results[channel] = Some(self.modify(result, alu.rgb.omod, common.rgb.clamp));
        }
        if let Some(alpha) = alpha {
            results[ALPHA] = Some(self.modify(alpha, alu.alpha.omod, common.alpha.clamp));
        }
        self.write_results(common, alu, out, &used, results, executing);
    }

    fn write_results(
        &mut self,
        common: &Common,
        alu: &Alu,
        out: Option<WriteMode>,
        used: &Use,
        results: [Option<Value>; 4],
        executing: Option<Value>,
    ) {
        // The old predicate bits gate all writes, those of predicate bits come last.
        let lanes: [Option<Value>; 4] = std::array::from_fn(|channel| {
            let unit = if channel == ALPHA { &common.alpha } else { &common.rgb };
            self.gated(gate(unit.pred_sel, unit.pred_inv, channel), executing)
        });
        for channel in 0..4 {
            let Some(result) = results[channel] else { continue };
            let (dest, relative, target) = if channel == ALPHA {
                (alu.alpha.dest, alu.alpha.dest_relative, alu.alpha.target)
            } else {
                (alu.rgb.dest, alu.rgb.dest_relative, alu.rgb.target)
            };
            if used.wmask >> channel & 1 != 0 {
                self.write_temp(dest, relative, channel, result, lanes[channel]);
            }
            if used.omask >> channel & 1 != 0 && out == Some(WriteMode::Cached) {
                self.write_output(usize::from(target & 3), channel, result, lanes[channel]);
            }
        }
        if alu.w_omask
            && let Some(result) = results[ALPHA]
        {
            self.write_cond_value(result, lanes[ALPHA]);
        }
        if writes_immediately(common, out)
            && let [Some(value), Some(x), Some(y), _] = results
        {
            let live = self.b.get(self.live);
            let all = lanes.into_iter().flatten().fold(live, |all, lanes| self.b.mask_and(all, lanes));
            self.write_immediately([value, x, y], all);
        }
        if out.is_none() {
            for channel in (0..4).filter(|channel| used.omask >> channel & 1 != 0) {
                let test = if channel == ALPHA { alu.alpha.predicate_test() } else { alu.rgb.predicate_test() };
                if let Some(result) = results[channel] {
                    let bits = self.test(test, result);
                    self.write_mask(self.predicates[channel], bits, executing);
                }
            }
        }
        let channel = if common.result_sel == ResultChannel::Red { 0 } else { ALPHA };
        if alu.alu_wmask
            && let Some(result) = results[channel]
        {
            let bits = self.test(common.result_op, result);
            self.write_mask(self.alu_result, bits, executing);
        }
    }

    /// A comparison with zero (CTM Guide p.41).
    fn test(&mut self, test: ZeroTest, value: Value) -> Value {
        let zero = self.b.constant(0);
        let test = match test {
            ZeroTest::Equal => FloatTest::Oeq,
            ZeroTest::Less => FloatTest::Olt,
            ZeroTest::GreaterEqual => FloatTest::Oge,
            ZeroTest::NotEqual => FloatTest::Une,
        };
        self.b.fcmp(test, Denorm::Flush, value, zero)
    }

    /// Output modifier, then clamp.
    fn modify(&mut self, result: Computed, omod: OutputModifier, clamp: bool) -> Value {
        let exponent = match omod {
            OutputModifier::X1 => 0,
            OutputModifier::X2 => 1,
            OutputModifier::X4 => 2,
            OutputModifier::X8 => 3,
            OutputModifier::Half => -1,
            OutputModifier::Quarter => -2,
            OutputModifier::Eighth => -3,
            OutputModifier::Disabled => return result.value,
        };
        let value = if exponent == 0 && result.rounded {
            result.value
        } else {
            let scaled = self.b.scale(exponent, result.value);
            self.b.canon_nan(NAN, scaled)
        };
        if clamp { self.b.clamp01(Denorm::Flush, value) } else { value }
    }

    fn standard(&mut self, value: Value) -> Computed {
        Computed { value: self.b.canon_nan(NAN, value), rounded: true }
    }

    fn zero_rule(&self) -> Zero {
        if self.program.info.zero_times_anything { Zero::Special } else { Zero::Ieee }
    }

    /// a * b + c, NaNs with any bits.
    fn mad(&mut self, a: Value, b: Value, c: Value) -> Value {
        let zero = self.zero_rule();
        if self.specialisation.unfused {
            let product = self.b.fmul(Denorm::Flush, zero, a, b);
            self.b.fadd(Denorm::Flush, product, c)
        } else {
            self.b.fma(Denorm::Flush, zero, a, b, c)
        }
    }

    fn dot(&mut self, alu: &Alu, op: DotOp) -> Computed {
        let factors = |machine: &mut Self, channel| {
            let [a, b] = [0, 1].map(|operand| machine.operand(alu, operand, channel));
            (a, b)
        };
        let (count, start) = match op {
            DotOp::D2a => (2, Some(self.operand(alu, 2, 2))),
            DotOp::Dp3 => (3, None),
            DotOp::Dp4 => (4, None),
        };
        let mut sum = start;
        for channel in 0..count {
            let (a, b) = factors(self, channel);
            sum = Some(match sum {
                Some(sum) => self.mad(a, b, sum),
                None => {
                    let zero = self.zero_rule();
                    self.b.fmul(Denorm::Flush, zero, a, b)
                }
            });
        }
        let sum = sum.unwrap_or_else(|| self.b.constant(0));
        self.standard(sum)
    }

    /// The result of the alpha unit; `None` if nothing has a meaning, which [`is_reserved`] excludes.
    fn alpha_result(&mut self, alu: &Alu, dot: Option<Computed>) -> Option<Computed> {
        match alu.alpha.op.class() {
            AlphaClass::PerChannel(op) => Some(self.per_channel(alu, op, ALPHA)),
            AlphaClass::Transcendental(op) => {
                let a = self.operand(alu, 0, ALPHA);
                let value = match op {
                    TranscendentalOp::Ex2 => self.b.ex2(a),
                    TranscendentalOp::Ln2 => self.b.ln2(a),
                    TranscendentalOp::Rcp => self.b.rcp(Denorm::Flush, a),
                    TranscendentalOp::Rsq => self.b.rsq(Denorm::Flush, a),
                    TranscendentalOp::Sin => self.b.sin(a),
                    TranscendentalOp::Cos => self.b.cos(a),
                };
                Some(self.standard(value))
            }
            AlphaClass::CopyDot => dot,
            AlphaClass::Reserved => None,
        }
    }

    fn per_channel(&mut self, alu: &Alu, op: ChannelOp, channel: usize) -> Computed {
        // MIN, MAX, CND and CMP give one of their operands, bit by bit.
        let chosen = |value| Computed { value, rounded: false };
        match op {
            ChannelOp::Mad => {
                let [a, b, c] = self.operands(alu, channel);
                let value = self.mad(a, b, c);
                self.standard(value)
            }
            ChannelOp::Min => {
                let [a, b] = self.operands(alu, channel);
                chosen(self.b.fmin(Denorm::Flush, a, b))
            }
            ChannelOp::Max => {
                let [a, b] = self.operands(alu, channel);
                chosen(self.b.fmax(Denorm::Flush, a, b))
            }
            ChannelOp::Cnd => {
                let [a, b, c] = self.operands(alu, channel);
                let half = self.b.float_constant(HALF);
                let lanes = self.b.fcmp(FloatTest::Ogt, Denorm::Flush, c, half);
                chosen(self.b.select(lanes, a, b))
            }
            ChannelOp::Cmp => {
                let [a, b, c] = self.operands(alu, channel);
                let lanes = self.test(ZeroTest::GreaterEqual, c);
                chosen(self.b.select(lanes, a, b))
            }
            ChannelOp::Frc => {
                let [a] = self.operands(alu, channel);
                let value = self.b.frc(a);
                self.standard(value)
            }
            ChannelOp::Mdh => self.derivative(alu, channel, TOP_RIGHT),
            ChannelOp::Mdv => self.derivative(alu, channel, BOTTOM_LEFT),
        }
    }

    /// One channel of operands A, B, C, as many as are wanted.
    fn operands<const N: usize>(&mut self, alu: &Alu, channel: usize) -> [Value; N] {
        std::array::from_fn(|operand| self.operand(alu, operand, channel))
    }

    /// A multiply-add of source 0 as the top left lane of the quad reads it, B, and source 0 as the other lane reads it.
    fn derivative(&mut self, alu: &Alu, channel: usize, other: u8) -> Computed {
        let source = self.source(alu, 0, channel);
        let [a, c] = [(TOP_LEFT, 0), (other, 2)].map(|(lane, operand)| {
            let value = self.b.quad(QuadOrder::all(lane), source);
            self.with_modifier(value, modifier_of(alu, operand, channel))
        });
        let b = self.operand(alu, 1, channel);
        let value = self.mad(a, b, c);
        self.standard(value)
    }

    /// One channel of operand A, B or C.
    fn operand(&mut self, alu: &Alu, operand: usize, channel: usize) -> Value {
        let (select, swizzle) = if channel == ALPHA {
            let arg: &Arg<1> = &alu.alpha.arg[operand];
            (arg.sel, arg.swizzle[0])
        } else {
            let arg: &Arg<3> = &alu.rgb.arg[operand];
            (arg.sel, arg.swizzle[channel])
        };
        let value = self.selected(alu, select, swizzle);
        self.with_modifier(value, modifier_of(alu, operand, channel))
    }

    fn with_modifier(&mut self, value: Value, modifier: InputModifier) -> Value {
        match modifier {
            InputModifier::None => value,
            InputModifier::Negate => self.b.neg(value),
            InputModifier::Absolute => self.b.abs(value),
            InputModifier::NegateAbsolute => self.b.nabs(value),
        }
    }

    fn selected(&mut self, alu: &Alu, select: Select, swizzle: Swizzle) -> Value {
        let channel = match swizzle {
            Swizzle::R => 0,
            Swizzle::G => 1,
            Swizzle::B => 2,
            Swizzle::A => ALPHA,
            Swizzle::Zero | Swizzle::Unused => return self.b.constant(0),
            Swizzle::Half => return self.b.float_constant(HALF),
            Swizzle::One => return self.b.float_constant(ONE),
        };
        match select {
            Select::Src0 => self.source(alu, 0, channel),
            Select::Src1 => self.source(alu, 1, channel),
            Select::Src2 => self.source(alu, 2, channel),
            Select::Srcp => self.presubtract(alu, channel),
        }
    }

    fn presubtract(&mut self, alu: &Alu, channel: usize) -> Value {
        let op = if channel == ALPHA { alu.alpha.srcp } else { alu.rgb.srcp };
        let source0 = self.source(alu, 0, channel);
        let value = match op {
            Presubtract::Bias => {
                let (factor, one) = (self.b.float_constant(-2.0), self.b.float_constant(ONE));
                self.mad(factor, source0, one)
            }
            Presubtract::Inv => {
                let one = self.b.float_constant(ONE);
                self.b.fsub(Denorm::Flush, one, source0)
            }
            Presubtract::Sub => {
                let source1 = self.source(alu, 1, channel);
                self.b.fsub(Denorm::Flush, source1, source0)
            }
            Presubtract::Add => {
                let source1 = self.source(alu, 1, channel);
                self.b.fadd(Denorm::Flush, source1, source0)
            }
        };
        self.standard(value).value
    }

    /// One channel of source vector `number`: R, G, B come from the RGB side's address, A from the alpha side's.
    fn source(&mut self, alu: &Alu, number: usize, channel: usize) -> Value {
        let source = if channel == ALPHA { alu.alpha.src[number] } else { alu.rgb.src[number] };
        match source.operand() {
            Operand::Temp { index, relative } => self.temp(index, relative, channel),
            Operand::Const { index, relative } => self.constant(index, relative, channel),
            Operand::Inline(code) => self.b.float_constant(inline_constant(code)),
        }
    }
}

fn modifier_of(alu: &Alu, operand: usize, channel: usize) -> InputModifier {
    if channel == ALPHA { alu.alpha.arg[operand].modifier } else { alu.rgb.arg[operand].modifier }
}
