//! Ranges: which floats and integers a lane value can be.
//!
//! Arithmetic rounds monotonously, so the ends of a result's range are results for ends of the operands' ranges, computed
//! by the operation's own rule.

use crate::attribute::{Denorm, Round, Zero};
use crate::effort::{Effort, Patience};
use crate::entity::{Block, Type, Value};
use crate::function::{Def, Function};
use crate::graph::Graph;
use crate::op::Op;
use crate::scalar::evaluate;
use ctm_num::ieee::power_of_two;

/// What a lane value can be, read as a float and as a signed integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// The least number that it can be.
    pub lo: f32,
    /// The greatest number that it can be.
    pub hi: f32,
    /// Whether it can be a NaN.
    pub nan: bool,
    /// Whether it can be a denormal.
    pub denormal: bool,
    /// The least and greatest integer that its bits can be.
    pub int: (i32, i32),
}

const ANY_INT: (i32, i32) = (i32::MIN, i32::MAX);
/// Ends of ranges that loops often keep to: nothing, fractions, signed fractions, positions, any finite number.
const LANDMARKS: [f32; 5] = [-1.0, 0.0, 1.0, 65_536.0, f32::MAX];
const MIN_NORMAL: f32 = f32::MIN_POSITIVE;

impl ValueRange {
    /// Any bits at all.
    pub const ANY: Self = Self { lo: f32::NEG_INFINITY, hi: f32::INFINITY, nan: true, denormal: true, int: ANY_INT };

    /// Numbers between these, but denormals.
    fn numbers(lo: f32, hi: f32) -> Self {
        Self { lo, hi, nan: false, denormal: false, int: ANY_INT }
    }

    fn with_nan(self, nan: bool) -> Self {
        Self { nan, ..self }
    }

    fn with_denormal(self, denormal: bool) -> Self {
        Self { denormal, ..self }
    }

    fn constant(bits: u32) -> Self {
        let float = f32::from_bits(bits);
        let int = (bits.cast_signed(), bits.cast_signed());
        if float.is_nan() {
            // No number at all; the ends are chosen so that joins and sums stay sound.
            return Self { lo: f32::NEG_INFINITY, hi: f32::INFINITY, nan: true, denormal: false, int };
        }
        Self { lo: float, hi: float, nan: false, denormal: float.is_subnormal(), int }
    }

    /// Bits that are this integer.
    fn integers(int: (i64, i64)) -> Self {
        match (i32::try_from(int.0), i32::try_from(int.1)) {
            (Ok(lo), Ok(hi)) => Self { int: (lo, hi), ..Self::ANY },
            _ => Self::ANY,
        }
    }

    /// What is in either.
    fn join(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            nan: self.nan || other.nan,
            denormal: self.denormal || other.denormal,
            int: (self.int.0.min(other.int.0), self.int.1.max(other.int.1)),
        }
    }

    /// This range, grown to hold `next`. Ends that move go to the next of a few landmarks, so that growing ends.
    fn widen(self, next: Self) -> Self {
        let joined = self.join(next);
        let landmark = |end: f32| LANDMARKS.into_iter().find(|&mark| mark >= end).unwrap_or(f32::INFINITY);
        Self {
            lo: if joined.lo < self.lo { -landmark(-joined.lo) } else { joined.lo },
            hi: if joined.hi > self.hi { landmark(joined.hi) } else { joined.hi },
            int: if joined.int == self.int { joined.int } else { ANY_INT },
            ..joined
        }
    }

    /// As an operation with this rule reads it. Flushing keeps the order.
    fn read(self, denorm: Denorm) -> Self {
        match denorm {
            Denorm::Keep => self,
            Denorm::Flush => {
                let flush = |end: f32| f32::from_bits(ctm_num::flush(end.to_bits()));
                Self { lo: flush(self.lo), hi: flush(self.hi), denormal: false, ..self }
            }
        }
    }

    /// Whether it can be an infinity.
    pub fn may_be_infinite(&self) -> bool {
        self.lo == f32::NEG_INFINITY || self.hi == f32::INFINITY
    }

    /// Whether it can be an infinity or a NaN.
    pub fn may_be_special(&self) -> bool {
        self.nan || self.may_be_infinite()
    }

    /// Whether it can be a zero, denormals counted as zeros.
    pub fn may_be_zero(&self) -> bool {
        self.lo < MIN_NORMAL && self.hi > -MIN_NORMAL
    }

    /// Whether a product of these can be zero times infinity or NaN.
    pub fn may_be_zero_times_special(&self, other: &Self) -> bool {
        self.may_be_zero() && other.may_be_special() || other.may_be_zero() && self.may_be_special()
    }
}

/// The range of every lane value of a function.
#[derive(Clone, Debug)]
pub struct ValueRanges {
    ranges: Vec<Option<ValueRange>>,
}

impl ValueRanges {
    /// Looks at a function that passes the verifier.
    pub fn new(function: &Function, graph: &Graph) -> Self {
        Self::within(function, graph, &Effort::default().patience(function))
    }

    /// The same. Where that takes too long, nothing is known.
    pub(crate) fn within(function: &Function, graph: &Graph, patience: &Patience) -> Self {
        let unknown = || Self { ranges: vec![None; function.value_count()] };
        let mut ranges = unknown();
        let visit = |ranges: &mut Self, block| ranges.visit(function, graph, block);
        let enter = |ranges: &mut Self, head| ranges.enter(function, graph, head);
        if graph.visit_until_settled(function, &mut ranges, visit, enter, patience) { ranges } else { unknown() }
    }

    fn visit(&mut self, function: &Function, graph: &Graph, block: Block) {
        self.enter(function, graph, block);
        for &inst in function.insts(block) {
            let op = function.op(inst);
            if op.info().results.first() == Some(&Type::Lane) {
                let new = self.of_op(function, op, function.args(inst));
                for result in function.results(inst) {
                    self.ranges[result.index()] = Some(new);
                }
            }
        }
    }

    /// Joins what comes into the parameters of a block; gives whether anything moved.
    fn enter(&mut self, function: &Function, graph: &Graph, block: Block) -> bool {
        if function.params(block).is_empty() {
            return false;
        }
        let mut changed = false;
        let edges = graph.edges(function, block);
        let lanes = function.params(block).iter().enumerate();
        for (number, &param) in lanes.filter(|&(_, &param)| function.value_type(param) == Type::Lane) {
            let args = edges.iter().map(|edge| edge.args[number]);
            let incoming = args.filter_map(|arg| self.ranges[arg.index()]).reduce(ValueRange::join);
            let old = self.ranges[param.index()];
            let new = incoming.map(|incoming| old.map_or(incoming, |old| old.widen(incoming)));
            changed |= new != old;
            self.ranges[param.index()] = new;
        }
        changed
    }

    /// The range of a lane value; any bits where nothing is known.
    pub fn get(&self, value: Value) -> ValueRange {
        self.ranges.get(value.index()).copied().flatten().unwrap_or(ValueRange::ANY)
    }

    /// What is known of a value that was made after the ranges.
    pub(crate) fn of(&self, function: &Function, value: Value) -> ValueRange {
        match function.def(value) {
            Def::Result(inst, _) if value.index() >= self.ranges.len() => match function.op(inst) {
                Op::Lane { bits } => ValueRange::constant(bits.0),
                _ => ValueRange::ANY,
            },
            _ => self.get(value),
        }
    }

    fn of_op(&self, function: &Function, op: &Op, args: &[Value]) -> ValueRange {
        let arg = |at: usize| self.get(args[at]);
        let is = |denorm| denorm == Denorm::Keep;
        match *op {
            Op::Lane { bits } => ValueRange::constant(bits.0),
            Op::Splat {} => match function.defining_op(args[0]) {
                Some((Op::UniformAnd {}, bits)) => {
                    let least =
                        bits.iter().filter_map(|&bits| function.uniform_constant(bits)).filter(|&bits| bits >= 0);
                    least.min().map_or(ValueRange::ANY, |most| ValueRange::integers((0, most.into())))
                }
                _ => ValueRange::ANY,
            },
            Op::PosX {} | Op::PosY {} => ValueRange::integers((0, 0xFFFF)),
            Op::TableSplat { table, .. } | Op::TableAt { table } | Op::TableGather { table }
                if function.tables[table.index()].finite =>
            {
                ValueRange::numbers(f32::MIN, f32::MAX).with_denormal(true)
            }
            Op::SurfaceLoad { surface } | Op::SurfaceLoad2x2 { surface } if function.surfaces[surface.index()].unit => {
                ValueRange::numbers(0.0, 1.0)
            }
            Op::Fadd { denorm } => {
                let (a, b) = (arg(0).read(denorm), arg(1).read(denorm));
                sum(op, a, b, (b.lo, b.hi)).with_denormal(is(denorm))
            }
            // Just below an integer, the difference rounds to 1.
            Op::Fsub { denorm }
                if function.defining_op(args[1]) == Some((&Op::Fround { round: Round::Floor, denorm }, &args[..1])) =>
            {
                let a = arg(0).read(denorm);
                ValueRange::numbers(0.0, 1.0).with_nan(a.may_be_special()).with_denormal(is(denorm))
            }
            Op::Fsub { denorm } => {
                let (a, b) = (arg(0).read(denorm), arg(1).read(denorm));
                sum(op, a, b, (b.hi, b.lo)).with_denormal(is(denorm))
            }
            Op::Fmul { denorm, .. } if args[0] == args[1] => {
                let a = absolute(arg(0).read(denorm));
                corners(op, &[(a.lo, a.hi), (a.lo, a.hi)]).with_nan(a.nan).with_denormal(is(denorm))
            }
            Op::Fmul { denorm, zero } => {
                product(op, zero, arg(0).read(denorm), arg(1).read(denorm)).with_denormal(is(denorm))
            }
            // Only the sum of infinities has no number, and a square grows with the magnitude.
            Op::Fma { denorm, .. } if args[0] == args[1] && !arg(2).may_be_special() => {
                let (a, c) = (absolute(arg(0).read(denorm)), arg(2).read(denorm));
                let (least, most) = (
                    corners(op, &[(a.lo, a.lo), (a.lo, a.lo), (c.lo, c.lo)]),
                    corners(op, &[(a.hi, a.hi), (a.hi, a.hi), (c.hi, c.hi)]),
                );
                least.join(most).with_nan(a.nan).with_denormal(is(denorm))
            }
            Op::Fma { denorm, .. } => {
                let [a, b, c] = [0, 1, 2].map(|at| arg(at).read(denorm));
                let special = [a, b, c].iter().any(ValueRange::may_be_special);
                if special { ValueRange::ANY } else { corners(op, &[(a.lo, a.hi), (b.lo, b.hi), (c.lo, c.hi)]) }
                    .with_denormal(is(denorm))
            }
            Op::Fdiv { denorm } => {
                let (a, b) = (arg(0).read(denorm), arg(1).read(denorm));
                let nan =
                    a.nan || b.nan || a.may_be_zero() && b.may_be_zero() || a.may_be_infinite() && b.may_be_infinite();
                if b.may_be_zero() || a.may_be_special() || b.may_be_special() {
                    ValueRange::ANY.with_nan(nan)
                } else {
                    corners(op, &[(a.lo, a.hi), (b.lo, b.hi)])
                }
                .with_denormal(is(denorm))
            }
            Op::Fsqrt { denorm } => {
                let a = arg(0).read(denorm);
                let ends = (a.lo.max(0.0), a.hi.max(0.0));
                corners(op, &[ends]).with_nan(a.nan || a.lo < 0.0).with_denormal(false)
            }
            Op::Fround { denorm, .. } => {
                let a = arg(0).read(denorm);
                corners(op, &[(a.lo, a.hi)]).with_nan(a.nan)
            }
            Op::Frc {} => ValueRange::numbers(0.0, 1.0).with_nan(arg(0).may_be_special()),
            Op::Sin {} | Op::Cos {} => ValueRange::numbers(-1.0, 1.0).with_nan(arg(0).may_be_special()),
            Op::Ex2 {} => {
                // Twice the power above the greatest exponent leaves a margin for the error of the approximation.
                let hi = arg(0).hi;
                let hi = if hi < 120.0 { power_of_two(hi.max(-120.0).ceil() as i32 + 1) as f32 } else { f32::INFINITY };
                ValueRange::numbers(0.0, hi).with_nan(arg(0).nan)
            }
            Op::Ln2 {} => {
                let a = arg(0).read(Denorm::Flush);
                let lo = if a.may_be_zero() { f32::NEG_INFINITY } else { -127.0 };
                let hi = if a.hi == f32::INFINITY { f32::INFINITY } else { 129.0 };
                ValueRange::numbers(lo, hi).with_nan(a.nan || a.lo < 0.0)
            }
            Op::CanonNan { .. } | Op::PassNan {} | Op::Quad { .. } => ValueRange { int: ANY_INT, ..arg(0) },
            Op::Fmin { denorm } => {
                let (a, b) = (arg(0), arg(1));
                let hi = if a.nan { b.hi } else { a.hi.min(b.hi) };
                chosen(denorm, a, b, (a.lo.min(b.lo), hi))
            }
            Op::Fmax { denorm } => {
                let (a, b) = (arg(0), arg(1));
                let lo = if a.nan { b.lo } else { a.lo.max(b.lo) };
                chosen(denorm, a, b, (lo, a.hi.max(b.hi)))
            }
            Op::Select {} => arg(1).join(arg(2)),
            Op::Clamp01 { denorm } => ValueRange::numbers(0.0, 1.0).with_denormal(is(denorm) && arg(0).denormal),
            Op::Neg {} => ValueRange { lo: -arg(0).hi, hi: -arg(0).lo, int: ANY_INT, ..arg(0) },
            Op::Abs {} => absolute(arg(0)),
            Op::Nabs {} => {
                let positive = absolute(arg(0));
                ValueRange { lo: -positive.hi, hi: -positive.lo, ..positive }
            }
            Op::Itof {} => ValueRange::numbers(arg(0).int.0 as f32, arg(0).int.1 as f32),
            Op::Utof {} if arg(0).int.0 >= 0 => ValueRange::numbers(arg(0).int.0 as f32, arg(0).int.1 as f32),
            Op::Utof {} => ValueRange::numbers(0.0, 4_294_967_296.0),
            Op::FloatToIndex { limit } => ValueRange::integers((0, i64::from(limit.max(1)) - 1)),
            Op::And {} => {
                let bits = [arg(0).int, arg(1).int].into_iter().filter(|int| int.0 >= 0);
                bits.map(|int| int.1).min().map_or(ValueRange::ANY, |most| ValueRange::integers((0, most.into())))
            }
            Op::Shr {} => match (arg(0).int, arg(1).int) {
                ((lo, hi), (least @ 1..=31, _)) if lo >= 0 => ValueRange::integers((0, i64::from(hi) >> least)),
                (_, (least @ 1..=31, _)) => ValueRange::integers((0, i64::from(u32::MAX >> least))),
                _ => ValueRange::ANY,
            },
            Op::Popcount {} | Op::Clz {} => ValueRange::integers((0, 32)),
            Op::Ftoh { .. } => ValueRange::integers((0, 0xFFFF)),
            Op::Iadd {} => {
                let (a, b) = (arg(0).int, arg(1).int);
                ValueRange::integers((i64::from(a.0) + i64::from(b.0), i64::from(a.1) + i64::from(b.1)))
            }
            Op::Isub {} => {
                let (a, b) = (arg(0).int, arg(1).int);
                ValueRange::integers((i64::from(a.0) - i64::from(b.1), i64::from(a.1) - i64::from(b.0)))
            }
            _ => ValueRange::ANY,
        }
    }
}

/// The ends of the results for all combinations of ends; only for operations that are monotonous between them.
fn corners(op: &Op, ends: &[(f32, f32)]) -> ValueRange {
    let mut range: Option<ValueRange> = None;
    for choice in 0..1u32 << ends.len() {
        let mut args = [0; 3];
        for (at, &(lo, hi)) in ends.iter().enumerate() {
            args[at] = if choice >> at & 1 == 0 { lo } else { hi }.to_bits();
        }
        let result = f32::from_bits(evaluate(op, &args[..ends.len()]).unwrap_or(f32::NAN.to_bits()));
        // Zero times infinity: what lies between is zero on one side.
        let result = if result.is_nan() { 0.0 } else { result };
        let point = ValueRange::numbers(result, result);
        range = Some(range.map_or(point, |range| range.join(point)));
    }
    range.unwrap_or(ValueRange::ANY)
}

/// a + b or a - b; `ends` are what gives the least and the greatest result.
fn sum(op: &Op, a: ValueRange, b: ValueRange, ends: (f32, f32)) -> ValueRange {
    let end =
        |x: f32, y: f32| evaluate(op, &[x.to_bits(), y.to_bits()]).map(f32::from_bits).filter(|sum| !sum.is_nan());
    let lo = end(a.lo, ends.0);
    let hi = end(a.hi, ends.1);
    let opposed = end(a.lo, ends.1).is_none() || end(a.hi, ends.0).is_none() || lo.is_none() || hi.is_none();
    ValueRange::numbers(lo.unwrap_or(f32::NEG_INFINITY), hi.unwrap_or(f32::INFINITY))
        .with_nan(a.nan || b.nan || opposed)
}

fn product(op: &Op, zero: Zero, a: ValueRange, b: ValueRange) -> ValueRange {
    let infinity_times_zero = a.may_be_infinite() && b.may_be_zero() || b.may_be_infinite() && a.may_be_zero();
    let mut range = corners(op, &[(a.lo, a.hi), (b.lo, b.hi)]);
    if zero != Zero::Ieee && (a.may_be_special() || b.may_be_special()) {
        range = range.join(ValueRange::numbers(0.0, 0.0));
    }
    range.with_nan(a.nan || b.nan || zero == Zero::Ieee && infinity_times_zero)
}

/// A minimum or maximum with these ends. A comparison that flushes may choose between denormals the other way.
fn chosen(denorm: Denorm, a: ValueRange, b: ValueRange, (lo, hi): (f32, f32)) -> ValueRange {
    let denormal = a.denormal || b.denormal;
    // An unordered pair gives b, whatever it is.
    let (lo, hi) = if a.nan || b.nan { (lo.min(b.lo), hi.max(b.hi)) } else { (lo, hi) };
    let blurred = denorm == Denorm::Flush && denormal;
    let lo = if blurred && lo.abs() < MIN_NORMAL { -MIN_NORMAL } else { lo };
    let hi = if blurred && hi.abs() < MIN_NORMAL { MIN_NORMAL } else { hi };
    ValueRange { lo, hi, nan: b.nan, denormal, int: ANY_INT }
}

fn absolute(a: ValueRange) -> ValueRange {
    let lo = if a.lo <= 0.0 && a.hi >= 0.0 { 0.0 } else { a.lo.abs().min(a.hi.abs()) };
    ValueRange { lo, hi: a.lo.abs().max(a.hi.abs()), int: ANY_INT, ..a }
}
