//! Constants that are chosen by the counter of a loop: the machine's loop variable aL counts with the loop, and addresses by it take no selection.

use super::known::Known;
use super::rebuild::change_ends;
use crate::ir::{End, Function, Inst, Loop, Node, Op, Passes, Region, Type, Value};

/// Whole numbers are exact up to here.
const EXACT: f32 = 16_777_216.0;

/// The function with addresses by loop variables where indices allow them.
pub(super) fn by_loops(function: &Function) -> Function {
    let mut changed = function.clone();
    let none = Region { nodes: Vec::new(), end: End::Yield(Vec::new()) };
    let mut body = std::mem::replace(&mut changed.body, none);
    let mut walk = Walk { known: Known::of(function), function: &mut changed, loops: Vec::new() };
    walk.region(&mut body);
    changed.body = body;
    changed
}

/// A parameter that changes by the same number in each pass.
#[derive(Clone, Copy)]
struct Counter {
    param: Value,
    first: i64,
    step: i64,
}

/// A loop around the place that is looked at.
struct Open {
    counters: Vec<Counter>,
    /// If their number is known.
    passes: Option<u8>,
    /// Counts passes from 0, and whether it is a parameter to be added.
    pass: (Value, bool),
    /// How the loop variable counts, once it is wanted.
    step: Option<i8>,
    /// The loop variable of a loop around is wanted inside.
    hidden: bool,
}

struct Walk<'a> {
    known: Known<'a>,
    function: &'a mut Function,
    loops: Vec<Open>,
}

/// factor * counter + addend
#[derive(Clone, Copy)]
struct Affine {
    /// The place of the loop among those that are open.
    depth: usize,
    counter: Counter,
    factor: i64,
    addend: i64,
}

impl Walk<'_> {
    fn region(&mut self, region: &mut Region) {
        let mut nodes = Vec::with_capacity(region.nodes.len());
        for mut node in std::mem::take(&mut region.nodes) {
            match &mut node {
                Node::Inst(inst) => {
                    if let Op::UniformAt { register, channel, count } = inst.op
                        && let Some((pass, register, step)) = self.place(inst.args[0], register, count)
                    {
                        (inst.op, inst.args) = (Op::UniformInLoop { register, channel, step }, vec![pass]);
                    }
                }
                Node::If(choice) => {
                    self.region(&mut choice.then);
                    self.region(&mut choice.otherwise);
                }
                Node::Loop(repeat) => self.repeat(repeat, &mut nodes),
            }
            nodes.push(node);
        }
        region.nodes = nodes;
    }

    fn repeat(&mut self, repeat: &mut Loop, before: &mut Vec<Node>) {
        let counters = self.counters(repeat);
        let own = counters.iter().find(|counter| (counter.first, counter.step) == (0, 1)).map(|counter| counter.param);
        let passes = match repeat.passes {
            Passes::Times(passes) => Some(passes),
            Passes::Endless | Passes::Constant(_) => None,
        };
        let pass = (own.unwrap_or_else(|| self.function.add_value(Type::Float)), own.is_none());
        self.loops.push(Open { counters, passes, pass, step: None, hidden: false });
        self.region(&mut repeat.body);
        let Some(Open { pass: (pass, true), step: Some(_), .. }) = self.loops.pop() else { return };
        let (zero, one) = (self.function.add_value(Type::Float), self.function.add_value(Type::Float));
        let (next, result) = (self.function.add_value(Type::Float), self.function.add_value(Type::Float));
        let inst = |op: Op, args: Vec<Value>, result: Value| {
            Node::Inst(Inst { op, args, results: vec![result], line: repeat.line })
        };
        before.push(inst(Op::Const { bits: 0 }, Vec::new(), zero));
        let count = [inst(Op::Const { bits: 1f32.to_bits() }, Vec::new(), one), inst(Op::Add, vec![pass, one], next)];
        repeat.body.nodes.splice(0..0, count);
        repeat.params.push(pass);
        repeat.init.push(zero);
        repeat.results.push(result);
        change_ends(&mut repeat.body, &mut |end| match end {
            End::Continue(values) => values.push(next),
            End::Break(values) => values.push(pass),
            End::Yield(_) => {}
        });
    }

    fn whole(&self, value: Value) -> Option<i64> {
        let number = f32::from_bits(self.known.constant(value)?);
        (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64)
    }

    fn counters(&self, repeat: &mut Loop) -> Vec<Counter> {
        let mut counters: Vec<(usize, Counter)> = Vec::new();
        for (k, (&param, &init)) in repeat.params.iter().zip(&repeat.init).enumerate() {
            if let Some(first) = self.whole(init) {
                counters.push((k, Counter { param, first, step: 0 }));
            }
        }
        let step = |param: Value, next: Value| match self.known.by(next) {
            Some(Inst { op: Op::Add, args, .. }) if args[0] == param => self.whole(args[1]),
            Some(Inst { op: Op::Add, args, .. }) if args[1] == param => self.whole(args[0]),
            _ => None,
        };
        change_ends(&mut repeat.body, &mut |end| {
            if let End::Continue(values) = end {
                counters.retain_mut(|(k, counter)| match step(counter.param, values[*k]) {
                    Some(step) if counter.step == 0 || counter.step == step => {
                        counter.step = step;
                        true
                    }
                    _ => false,
                });
            }
        });
        counters.into_iter().map(|(_, counter)| counter).collect()
    }

    fn affine(&self, value: Value) -> Option<Affine> {
        for (depth, open) in self.loops.iter().enumerate() {
            if let Some(&counter) = open.counters.iter().find(|counter| counter.param == value) {
                return Some(Affine { depth, counter, factor: 1, addend: 0 });
            }
        }
        let inst = self.known.by(value)?;
        let either = |a: Value, b: Value| match (self.whole(a), self.whole(b)) {
            (_, Some(number)) => Some((self.affine(a)?, number)),
            (Some(number), _) => Some((self.affine(b)?, number)),
            _ => None,
        };
        let scaled = |affine: Affine, by: i64| {
            Some(Affine { factor: affine.factor.checked_mul(by)?, addend: affine.addend.checked_mul(by)?, ..affine })
        };
        let moved = |affine: Affine, by: i64| Some(Affine { addend: affine.addend.checked_add(by)?, ..affine });
        match (inst.op, inst.args.as_slice()) {
            (Op::Add, &[a, b]) => either(a, b).and_then(|(affine, by)| moved(affine, by)),
            (Op::Mul, &[a, b]) => either(a, b).and_then(|(affine, by)| scaled(affine, by)),
            (Op::Mad, &[a, b, c]) => {
                let (affine, by) = either(a, b)?;
                moved(scaled(affine, by)?, self.whole(c)?)
            }
            (Op::Neg, &[a]) => scaled(self.affine(a)?, -1),
            _ => None,
        }
    }

    /// The counter of passes, the register of the first pass and the step, if the loop variable can choose among `count` registers from `register` on.
    fn place(&mut self, index: Value, register: u8, count: u8) -> Option<(Value, u8, i8)> {
        let Affine { depth, counter, factor, addend } = self.affine(index)?;
        let open = &self.loops[depth];
        let last = i64::from(open.passes?.checked_sub(1)?);
        let first = counter.first.checked_mul(factor)?.checked_add(addend)?;
        let step = counter.step.checked_mul(factor)?;
        let fits = |index: i64| (0..i64::from(count)).contains(&index);
        let step = i8::try_from(step).ok().filter(|&step| fits(first) && fits(first + last * i64::from(step)))?;
        // Inside of a loop that has a variable of its own those around are hidden.
        let inner_hides = self.loops[depth + 1..].iter().any(|inner| inner.step.is_some());
        if open.hidden || inner_hides || open.step.is_some_and(|known| known != step) {
            return None;
        }
        self.loops[depth].step = Some(step);
        self.loops[depth + 1..].iter_mut().for_each(|inner| inner.hidden = true);
        Some((self.loops[depth].pass.0, register + first as u8, step))
    }
}
