//! Instructions that can be had for less: constants, neutral arguments, chains of the same operation, choices of constants.
//!
//! Rewriting keeps to what shading languages allow: sums and products of constants are put together, and what only differs for NaNs and
//! signs of zeros counts as the same. What rounds otherwise than the source says is left out in functions that are exact.

use crate::ir::{Op, Value};

/// What is known of values, and where instructions are added.
pub(super) trait Defined {
    /// The instruction that gives a value.
    fn definition(&self, value: Value) -> Option<(Op, &[Value])>;
    /// Whether a condition is known to hold, or not, where the next instruction stands.
    fn assumed(&self, value: Value) -> Option<bool>;
    /// Adds an instruction with one result.
    fn emit(&mut self, op: Op, args: &[Value]) -> Value;
    /// Whether numbers keep all of their roundings.
    fn is_exact(&self) -> bool;
}

const ZERO: u32 = 0;
const ONE: u32 = 0x3F80_0000;
const MINUS_ONE: u32 = 0xBF80_0000;

/// The arguments of a kill, without selections of signs: what is less than zero where they are.
pub(super) fn kill(d: &impl Defined, args: &[Value]) -> Vec<Value> {
    let sign = |arg: Value| {
        let (condition, holds, fails) = match d.definition(arg) {
            Some((Op::Select, &[condition, a, b])) => match d.definition(condition) {
                Some((Op::IsNonNegative, &[number])) => (number, a, b),
                _ => return arg,
            },
            Some((Op::Cmp, &[number, a, b])) => (number, a, b),
            _ => return arg,
        };
        let negative = |value: Value| bits(d, value).map(|bits| f32::from_bits(bits) < 0.0);
        if (negative(holds), negative(fails)) == (Some(false), Some(true)) { condition } else { arg }
    };
    args.iter().map(|&arg| sign(arg)).collect()
}

/// The bits of a value that is known.
pub(super) fn bits(defined: &impl Defined, value: Value) -> Option<u32> {
    if let Some(holds) = defined.assumed(value) {
        return Some(holds.into());
    }
    match defined.definition(value)?.0 {
        Op::Const { bits } => Some(bits),
        Op::Bool { value } => Some(value.into()),
        _ => None,
    }
}

/// The definition of a value, with its arguments to keep.
fn def(defined: &impl Defined, value: Value) -> Option<(Op, Vec<Value>)> {
    defined.definition(value).map(|(op, args)| (op, args.to_vec()))
}

/// The two arguments of a value that is `op` of them, with a constant among them last, as its bits.
fn with_constant(d: &impl Defined, op: Op, value: Value) -> Option<(Value, u32)> {
    let (found, args) = def(d, value)?;
    if found != op {
        return None;
    }
    match (bits(d, args[0]), bits(d, args[1])) {
        (_, Some(bits)) => Some((args[0], bits)),
        (Some(bits), _) => Some((args[1], bits)),
        _ => None,
    }
}

fn constant(d: &mut impl Defined, bits: u32) -> Value {
    d.emit(Op::Const { bits }, &[])
}

fn boolean(d: &mut impl Defined, value: bool) -> Value {
    d.emit(Op::Bool { value }, &[])
}

/// What an operation makes of two constants.
fn both(op: Op, a: u32, b: u32) -> u32 {
    op.calculate(&[a, b]).unwrap_or(ZERO)
}

fn is_zero(bits: u32) -> bool {
    bits & 0x7FFF_FFFF == 0
}

fn argument(d: &impl Defined, op: Op, value: Value) -> Option<Value> {
    match d.definition(value) {
        Some((found, &[inner])) if found == op => Some(inner),
        _ => None,
    }
}

/// A value that is what `op` would give, if there is a better way to it.
pub(super) fn simplify(d: &mut impl Defined, op: Op, args: &[Value]) -> Option<Value> {
    if matches!(op, Op::Const { .. } | Op::Bool { .. }) {
        return None;
    }
    let known: Vec<Option<u32>> = args.iter().map(|&arg| bits(d, arg)).collect();
    if let Some(all) = known.iter().copied().collect::<Option<Vec<u32>>>()
        && let Some(bits) = op.calculate(&all)
    {
        let is_float = op.results() == [crate::ir::Type::Float];
        return Some(if is_float { constant(d, bits) } else { boolean(d, bits != 0) });
    }
    match op {
        Op::Neg => argument(d, Op::Neg, args[0]),
        Op::Abs => {
            if is_non_negative(d, args[0], FACT_DEPTH) {
                return Some(args[0]);
            }
            let inner = argument(d, Op::Neg, args[0])?;
            Some(d.emit(Op::Abs, &[inner]))
        }
        Op::Saturate => argument(d, op, args[0]).map(|_| args[0]),
        Op::Frc => {
            if is_whole(d, args[0], FACT_DEPTH) {
                return Some(constant(d, ZERO));
            }
            argument(d, op, args[0]).map(|_| args[0])
        }
        Op::Add => add(d, args, &known),
        Op::Mul => mul(d, args, &known),
        Op::Mad => mad(d, args, &known),
        Op::Min | Op::Max => extreme(d, op, args, &known),
        Op::Cmp | Op::Cnd => {
            if args[1] == args[2] {
                return Some(args[1]);
            }
            if op == Op::Cmp && is_non_negative(d, args[0], FACT_DEPTH) {
                return Some(args[1]);
            }
            let first = known[0]?;
            // The other two do not matter.
            let takes = op.calculate(&[first, 1, 0])?;
            Some(if takes == 1 { args[1] } else { args[2] })
        }
        Op::Select => select(d, args, &known),
        Op::Not => argument(d, Op::Not, args[0]),
        Op::And | Op::Or => logic(d, op, args, &known),
        Op::IsZero | Op::IsNonNegative => test(d, op, args[0]),
        Op::Rcp | Op::Log2 | Op::Exp2 | Op::Dot2Add | Op::Dot3 | Op::Dot4 if d.is_exact() => None,
        Op::Rcp => {
            if let Some(inner) = argument(d, Op::Rcp, args[0]) {
                return Some(inner);
            }
            let root = square_root(d, args[0])?;
            Some(d.emit(Op::Rsq, &[root]))
        }
        Op::Dot2Add | Op::Dot3 | Op::Dot4 => dot(d, op, args),
        Op::Log2 => argument(d, Op::Exp2, args[0]),
        Op::Exp2 => {
            // Small whole powers.
            let (log, power) = with_constant(d, Op::Mul, args[0])?;
            let base = argument(d, Op::Log2, log)?;
            match f32::from_bits(power) {
                2.0 => Some(d.emit(Op::Mul, &[base, base])),
                3.0 => {
                    let square = d.emit(Op::Mul, &[base, base]);
                    Some(d.emit(Op::Mul, &[square, base]))
                }
                4.0 => {
                    let square = d.emit(Op::Mul, &[base, base]);
                    Some(d.emit(Op::Mul, &[square, square]))
                }
                0.5 => {
                    let root = d.emit(Op::Rsq, &[base]);
                    Some(d.emit(Op::Mul, &[base, root]))
                }
                -0.5 => Some(d.emit(Op::Rsq, &[base])),
                -1.0 => Some(d.emit(Op::Rcp, &[base])),
                _ => None,
            }
        }
        Op::UniformAt { register, channel, count } => {
            let index = known[0]?;
            let index = ctm_num::convert::float_to_index(index, count.into()) as u8;
            Some(d.emit(Op::Uniform { register: register + index, channel }, &[]))
        }
        Op::UniformInLoop { register, channel, step } => {
            let pass = f32::from_bits(known[0]?) as u8;
            let register = register.wrapping_add(pass.wrapping_mul(step as u8));
            Some(d.emit(Op::Uniform { register, channel }, &[]))
        }
        Op::Const { .. }
        | Op::Bool { .. }
        | Op::Uniform { .. }
        | Op::BoolConstant { .. }
        | Op::Position { .. }
        | Op::Varying { .. }
        | Op::Scale { .. }
        | Op::Rsq
        | Op::Sin
        | Op::Cos
        | Op::Ddx
        | Op::Ddy
        | Op::Fetch(_)
        | Op::Kill(_) => None,
    }
}

/// x, if a value is x * 1/sqrt(x) or 1/(1/sqrt(x)): its root.
fn square_root(d: &impl Defined, value: Value) -> Option<Value> {
    match d.definition(value)? {
        (Op::Mul, &[a, b]) => match (argument(d, Op::Rsq, a), argument(d, Op::Rsq, b)) {
            (Some(x), _) if x == b => Some(b),
            (_, Some(x)) if x == a => Some(a),
            _ => None,
        },
        (Op::Rcp, &[a]) => argument(d, Op::Rsq, a),
        _ => None,
    }
}

/// A value as a multiple of another one: that, and the factor's bits.
fn multiple(d: &impl Defined, value: Value) -> (Value, u32) {
    if let Some(inner) = argument(d, Op::Neg, value) {
        let (of, factor) = multiple(d, inner);
        return (of, factor ^ 0x8000_0000);
    }
    with_constant(d, Op::Mul, value).unwrap_or((value, ONE))
}

fn add(d: &mut impl Defined, args: &[Value], known: &[Option<u32>]) -> Option<Value> {
    let (x, constant_bits) = match (known[0], known[1]) {
        (_, Some(bits)) => (args[0], Some(bits)),
        (Some(bits), _) => (args[1], Some(bits)),
        _ => (args[0], None),
    };
    if let Some(c) = constant_bits {
        if is_zero(c) {
            return Some(x);
        }
        if let Some((inner, other)) = with_constant(d, Op::Add, x).filter(|_| !d.is_exact()) {
            let sum = constant(d, both(Op::Add, c, other));
            return Some(d.emit(Op::Add, &[inner, sum]));
        }
        if let Some((condition, a, b)) = choice_of_constants(d, x) {
            let (a, b) = (constant(d, both(Op::Add, a, c)), constant(d, both(Op::Add, b, c)));
            return Some(d.emit(Op::Select, &[condition, a, b]));
        }
        return None;
    }
    if d.is_exact() {
        return None;
    }
    // Multiples of the same number, but for a - a, by which infinities are found.
    let ((x, a), (y, b)) = (multiple(d, args[0]), multiple(d, args[1]));
    if x == y && (a, b) != (ONE, MINUS_ONE) && (a, b) != (MINUS_ONE, ONE) {
        let factor = constant(d, both(Op::Add, a, b));
        return Some(d.emit(Op::Mul, &[x, factor]));
    }
    for (sum, other) in [(args[0], args[1]), (args[1], args[0])] {
        // The third term of a dot product of two.
        if let Some((Op::Dot2Add, &[a0, a1, b0, b1, c])) = d.definition(sum)
            && bits(d, c).is_some_and(is_zero)
        {
            return Some(d.emit(Op::Dot2Add, &[a0, a1, b0, b1, other]));
        }
    }
    None
}

fn mul(d: &mut impl Defined, args: &[Value], known: &[Option<u32>]) -> Option<Value> {
    let (x, constant_bits) = match (known[0], known[1]) {
        (_, Some(bits)) => (args[0], Some(bits)),
        (Some(bits), _) => (args[1], Some(bits)),
        _ => (args[0], None),
    };
    if let Some(c) = constant_bits {
        match c {
            ONE => return Some(x),
            MINUS_ONE => return Some(d.emit(Op::Neg, &[x])),
            _ if is_zero(c) => return Some(constant(d, ZERO)),
            _ => {}
        }
        if let Some(inner) = argument(d, Op::Neg, x) {
            let minus = constant(d, c ^ 0x8000_0000);
            return Some(d.emit(Op::Mul, &[inner, minus]));
        }
        if let Some((inner, other)) = with_constant(d, Op::Mul, x).filter(|_| !d.is_exact()) {
            let product = both(Op::Mul, c, other);
            // Products that leave the range are left alone.
            if f32::from_bits(product).is_normal() {
                let product = constant(d, product);
                return Some(d.emit(Op::Mul, &[inner, product]));
            }
        }
        if let Some((inner, other)) = with_constant(d, Op::Add, x).filter(|_| !d.is_exact()) {
            let product = both(Op::Mul, c, other);
            if f32::from_bits(product).is_normal() {
                let (scaled, c) = (constant(d, product), constant(d, c));
                let multiple = d.emit(Op::Mul, &[inner, c]);
                return Some(d.emit(Op::Add, &[multiple, scaled]));
            }
        }
        if let Some((condition, a, b)) = choice_of_constants(d, x) {
            let (a, b) = (constant(d, both(Op::Mul, a, c)), constant(d, both(Op::Mul, b, c)));
            return Some(d.emit(Op::Select, &[condition, a, b]));
        }
        return None;
    }
    if let (Some(a), Some(b)) = (argument(d, Op::Neg, args[0]), argument(d, Op::Neg, args[1])) {
        return Some(d.emit(Op::Mul, &[a, b]));
    }
    if args[0] == args[1] {
        // |a|^2, (-a)^2, sqrt(a)^2
        if let Some(inner) = argument(d, Op::Abs, args[0]).or_else(|| argument(d, Op::Neg, args[0])) {
            return Some(d.emit(Op::Mul, &[inner, inner]));
        }
        return square_root(d, args[0]).filter(|_| !d.is_exact());
    }
    // a * (c ? 1 : 0) and the like.
    for (x, choice) in [(args[0], args[1]), (args[1], args[0])] {
        if let Some((condition, a, b)) = choice_of_constants(d, choice)
            && (a == ONE && is_zero(b) || is_zero(a) && b == ONE)
        {
            let zero = constant(d, ZERO);
            let (a, b) = if a == ONE { (x, zero) } else { (zero, x) };
            return Some(d.emit(Op::Select, &[condition, a, b]));
        }
    }
    None
}

fn mad(d: &mut impl Defined, args: &[Value], known: &[Option<u32>]) -> Option<Value> {
    if let (Some(a), Some(b), false) = (known[0], known[1], d.is_exact()) {
        let product = constant(d, both(Op::Mul, a, b));
        return Some(d.emit(Op::Add, &[product, args[2]]));
    }
    if known[2].is_some_and(is_zero) {
        return Some(d.emit(Op::Mul, &[args[0], args[1]]));
    }
    let (x, factor) = match (known[0], known[1]) {
        (_, Some(bits)) => (args[0], bits),
        (Some(bits), _) => (args[1], bits),
        _ => return None,
    };
    match factor {
        ONE => Some(d.emit(Op::Add, &[x, args[2]])),
        MINUS_ONE => {
            let x = d.emit(Op::Neg, &[x]);
            Some(d.emit(Op::Add, &[x, args[2]]))
        }
        _ if is_zero(factor) => Some(args[2]),
        _ => None,
    }
}

fn extreme(d: &mut impl Defined, op: Op, args: &[Value], known: &[Option<u32>]) -> Option<Value> {
    if args[0] == args[1] {
        return Some(args[0]);
    }
    let (x, bound) = match (known[0], known[1]) {
        (_, Some(bits)) => (args[0], bits),
        (Some(bits), _) => (args[1], bits),
        _ => return None,
    };
    let (other, lowest, highest) = if op == Op::Min { (Op::Max, ZERO, ONE) } else { (Op::Min, ONE, ZERO) };
    // min(max(x, 0), 1) and max(min(x, 1), 0)
    let (inner, inner_bound) = match with_constant(d, other, x) {
        Some(found) => found,
        None => {
            let (inner, inner_bound) = with_constant(d, op, x)?;
            let bound = constant(d, both(op, bound, inner_bound));
            return Some(d.emit(op, &[inner, bound]));
        }
    };
    let zero = |bits: u32| is_zero(bits);
    let unit = if op == Op::Min {
        zero(inner_bound) && lowest == ZERO && bound == highest
    } else {
        inner_bound == lowest && zero(bound)
    };
    unit.then(|| d.emit(Op::Saturate, &[inner]))
}

/// A selection of two constants: the condition, and the bits of both.
fn choice_of_constants(d: &impl Defined, value: Value) -> Option<(Value, u32, u32)> {
    match d.definition(value)? {
        (Op::Select, &[condition, a, b]) => Some((condition, bits(d, a)?, bits(d, b)?)),
        _ => None,
    }
}

/// MAX if a number is a - b, MIN if it is b - a.
fn extreme_of(d: &impl Defined, number: Value, a: Value, b: Value) -> Option<Op> {
    let (x, y) = match d.definition(number)? {
        (Op::Add, &[x, y]) => (x, y),
        _ => return None,
    };
    let negative_of = |value: Value, of: Value| {
        argument(d, Op::Neg, value) == Some(of)
            || bits(d, value).zip(bits(d, of)).is_some_and(|(value, of)| value == of ^ 0x8000_0000)
    };
    let difference = |a: Value, b: Value| (x == a && negative_of(y, b)) || (y == a && negative_of(x, b));
    match (difference(a, b), difference(b, a)) {
        (true, _) => Some(Op::Max),
        (_, true) => Some(Op::Min),
        _ => None,
    }
}

fn select(d: &mut impl Defined, args: &[Value], known: &[Option<u32>]) -> Option<Value> {
    let [condition, a, b] = *args else { return None };
    if a == b {
        return Some(a);
    }
    if let Some(bits) = known[0] {
        return Some(if bits != 0 { a } else { b });
    }
    if let Some(inner) = argument(d, Op::Not, condition) {
        return Some(d.emit(Op::Select, &[inner, b, a]));
    }
    // a >= b ? a : b
    if let Some((Op::IsNonNegative, &[number])) = d.definition(condition)
        && let Some(op) = extreme_of(d, number, a, b)
    {
        return Some(d.emit(op, &[a, b]));
    }
    // c ? (c ? x : y) : z and the like.
    if let Some((Op::Select, &[inner, x, _])) = d.definition(a)
        && inner == condition
    {
        return Some(d.emit(Op::Select, &[condition, x, b]));
    }
    if let Some((Op::Select, &[inner, _, y])) = d.definition(b)
        && inner == condition
    {
        return Some(d.emit(Op::Select, &[condition, a, y]));
    }
    None
}

fn logic(d: &mut impl Defined, op: Op, args: &[Value], known: &[Option<u32>]) -> Option<Value> {
    let neutral = u32::from(op == Op::And);
    for (k, other) in [(0, args[1]), (1, args[0])] {
        if let Some(bits) = known[k] {
            return Some(if bits == neutral { other } else { boolean(d, bits != 0) });
        }
    }
    if args[0] == args[1] {
        return Some(args[0]);
    }
    if argument(d, Op::Not, args[0]) == Some(args[1]) || argument(d, Op::Not, args[1]) == Some(args[0]) {
        return Some(boolean(d, op == Op::Or));
    }
    if let (Some(a), Some(b)) = (argument(d, Op::Not, args[0]), argument(d, Op::Not, args[1])) {
        let inner = d.emit(if op == Op::And { Op::Or } else { Op::And }, &[a, b]);
        return Some(d.emit(Op::Not, &[inner]));
    }
    None
}

/// How far back facts are looked for.
const FACT_DEPTH: u32 = 6;

/// Whether a number is known to be whole.
fn is_whole(d: &impl Defined, value: Value, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let whole = |value: &Value| is_whole(d, *value, depth);
    match d.definition(value) {
        Some((Op::Const { bits }, _)) => f32::from_bits(bits).fract() == 0.0,
        Some((Op::Position { .. }, _)) => true,
        Some((Op::Neg | Op::Abs | Op::Mul | Op::Mad | Op::Min | Op::Max, args)) => args.iter().all(whole),
        Some((Op::Cmp | Op::Cnd | Op::Select, args)) => args[1..].iter().all(whole),
        Some((Op::Add, args)) => {
            let less_fraction = |a: Value, b: Value| {
                argument(d, Op::Neg, b).and_then(|inner| argument(d, Op::Frc, inner)).is_some_and(|of| of == a)
            };
            args.iter().all(whole) || less_fraction(args[0], args[1]) || less_fraction(args[1], args[0])
        }
        _ => false,
    }
}

/// Whether a number is known not to be less than zero; whether it is a NaN does not count.
fn is_non_negative(d: &impl Defined, value: Value, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let holds = |value: &Value| is_non_negative(d, *value, depth);
    match d.definition(value) {
        Some((Op::Const { bits }, _)) => f32::from_bits(bits) >= 0.0,
        Some((Op::Position { .. } | Op::Abs | Op::Saturate | Op::Frc | Op::Exp2, _)) => true,
        Some((Op::Mul, args)) => args[0] == args[1] || args.iter().all(holds),
        Some((Op::Mad, args)) => (args[0] == args[1] || args[..2].iter().all(holds)) && holds(&args[2]),
        Some((Op::Add | Op::Min, args)) => args.iter().all(holds),
        Some((Op::Max, args)) => args.iter().any(holds),
        Some((Op::Cmp | Op::Cnd | Op::Select, args)) => args[1..].iter().all(holds),
        _ => false,
    }
}

/// Tests of numbers that come from conditions.
fn test(d: &mut impl Defined, op: Op, x: Value) -> Option<Value> {
    if op == Op::IsNonNegative && matches!(d.definition(x), Some((Op::Position { .. }, _))) {
        return Some(boolean(d, true));
    }
    if let Some((condition, a, b)) = choice_of_constants(d, x) {
        return match (op.calculate(&[a])?, op.calculate(&[b])?) {
            (1, 0) => Some(condition),
            (0, 1) => Some(d.emit(Op::Not, &[condition])),
            (same, _) => Some(boolean(d, same != 0)),
        };
    }
    if op == Op::IsZero {
        let inner = argument(d, Op::Neg, x).or_else(|| argument(d, Op::Abs, x))?;
        return Some(d.emit(op, &[inner]));
    }
    // The sign of a multiple, unless that may round to zero.
    let (inner, factor) = with_constant(d, Op::Mul, x).filter(|_| !d.is_exact())?;
    let factor = f32::from_bits(factor);
    if !factor.is_normal() {
        return None;
    }
    let inner = if factor > 0.0 { inner } else { d.emit(Op::Neg, &[inner]) };
    Some(d.emit(op, &[inner]))
}

/// Dot products without the terms that are zero, or only sums.
fn dot(d: &mut impl Defined, op: Op, args: &[Value]) -> Option<Value> {
    let (count, addend) = match op {
        Op::Dot2Add => (2, Some(args[4])),
        Op::Dot3 => (3, None),
        _ => (4, None),
    };
    let terms: Vec<(Value, Value)> = (0..count).map(|k| (args[k], args[count + k])).collect();
    let is = |d: &_, value: Value, wanted: u32| bits(d, value).is_some_and(|bits| bits == wanted);
    let zero = |d: &_, value: Value| bits(d, value).is_some_and(is_zero);
    let left: Vec<(Value, Value)> = terms.iter().copied().filter(|&(a, b)| !zero(d, a) && !zero(d, b)).collect();
    // A factor of one makes a term an addend.
    let single = left.iter().position(|&(a, b)| is(d, a, ONE) || is(d, b, ONE));
    let sum = |d: &mut _, terms: &[(Value, Value)], addend: Option<Value>| -> Option<Value> {
        let d: &mut _ = d;
        Some(match (terms, addend) {
            ([], None) => constant(d, ZERO),
            ([], Some(c)) => c,
            (&[(a, b)], None) => Defined::emit(d, Op::Mul, &[a, b]),
            (&[(a, b)], Some(c)) => Defined::emit(d, Op::Mad, &[a, b, c]),
            (&[(a0, b0), (a1, b1)], None) => {
                let zero = constant(d, ZERO);
                Defined::emit(d, Op::Dot2Add, &[a0, a1, b0, b1, zero])
            }
            (&[(a0, b0), (a1, b1)], Some(c)) => Defined::emit(d, Op::Dot2Add, &[a0, a1, b0, b1, c]),
            (&[(a0, b0), (a1, b1), (a2, b2)], None) => Defined::emit(d, Op::Dot3, &[a0, a1, a2, b0, b1, b2]),
            _ => return None,
        })
    };
    match (single, addend) {
        (Some(k), None) if left.len() <= 3 && left.len() >= 2 => {
            let (a, b) = left[k];
            let addend = if is(d, a, ONE) { b } else { a };
            let others: Vec<(Value, Value)> =
                left.iter().copied().enumerate().filter(|&(at, _)| at != k).map(|(_, term)| term).collect();
            sum(d, &others, Some(addend))
        }
        _ if left.len() < terms.len() => sum(d, &left, addend),
        _ => None,
    }
}
