//! Rules about NaNs that cost nothing while no NaN turns up.
//!
//! Three kinds of rules go beyond what the processor does: zero times infinity or NaN may be zero; NaN results may have
//! bits of their own (`canon_nan`); and the first NaN operand may come through (`pass_nan`, in chains behind arithmetic).
//!
//! # Natively
//!
//! The processor's result is a NaN in two cases. If an operand is one, the result is the first such operand, quieted: that
//! is what a chain says that passes the operands on in the order in which the instruction has them. If not, the operation
//! was invalid: the result is the processor's own NaN, and the sticky flag is up. So where chain and instruction name the
//! same registers in the same order, nothing remains to be done while the flag is down; exact code has to put the guest's
//! NaN where the result is a NaN and no operand is.
//!
//! An operand may stand for another whose NaN it carries: the square root of x, or x times a number, is a NaN with the
//! quieted bits of x if x is a NaN, and otherwise only after an invalid operation.
//!
//! # Watched
//!
//! What is left asks whether an operand is a NaN at all. Going back from those operands through everything that passes NaNs
//! on, one comes to the *sources*: loads, tables, integers read as floats. Their NaNs raise the flag by a comparison that
//! signals. While the flag is down, no source was a NaN, and no arithmetic on the way was invalid; so none of the operands
//! was a NaN, and the rule did not apply. By induction over the operations of a group, all values are then those of exact
//! code, but for bits of NaNs that the function leaves open. A source that is a NaN constant makes watching useless.
//!
//! When the flag is up, which more than these causes can do (conversions of numbers without an integer, lanes that no mask
//! has), the caller runs the groups again with exact code.

use super::arithmetic::QUIET;
use super::{Selector, Val};
use crate::jit::form::Vop;
use crate::jit::mir::{Arg, Base, Mem, Reg};
use ctm_lane::{Def, FloatTest, Function, NanBits, Op, Type, Value, Zero};
use std::collections::HashMap;

/// The ordered compare "less" that raises the invalid flag for every NaN.
const SIGNALING_LESS: i32 = 1;

/// The operands that have to be numbers for an operation to be what the processor makes of it without further ado.
fn wanted_numbers(op: &Op, with_chains: bool) -> usize {
    match op {
        Op::Fmul { zero: Zero::Special, .. } | Op::Fma { zero: Zero::Special, .. } => 2,
        Op::CanonNan { .. } | Op::PassNan {} if with_chains => 1,
        _ => 0,
    }
}

/// `canon_nan` and the `pass_nan`s behind it, behind one operation.
#[derive(Clone, Debug)]
struct Chain {
    base: Value,
    nan: u32,
    /// The operands that are passed on, the first one first.
    passes: Vec<Value>,
}

/// What is known of NaNs in a function.
#[derive(Default)]
pub struct Nans {
    /// Chains by their last value.
    chains: HashMap<Value, Chain>,
    /// What the chain behind an operation passes on.
    passes: HashMap<Value, Vec<Value>>,
    /// Members of chains that only the next member reads.
    inner: Vec<bool>,
    /// For results of arithmetic the block, and the operands that may be NaNs, in the instruction's order.
    operands: HashMap<Reg, (usize, Vec<Val>)>,
    /// Values that have to be numbers.
    suspects: Vec<bool>,
    /// All operands of chains are among them.
    all_numbers: bool,
}

impl Nans {
    pub fn new(function: &Function) -> Self {
        let mut uses = vec![0u32; function.value_count()];
        let mut continued = vec![false; function.value_count()];
        let mut members = Vec::new();
        for block in function.blocks() {
            for value in function.terminator(block).values() {
                uses[value.index()] += 1;
            }
            for &inst in function.insts(block) {
                let args = function.args(inst);
                args.iter().for_each(|arg| uses[arg.index()] += 1);
                match function.op(inst) {
                    Op::PassNan {} => {
                        continued[args[0].index()] = true;
                        members.push(inst);
                    }
                    Op::CanonNan { .. } => members.push(inst),
                    _ => {}
                }
            }
        }
        let inner = (0..uses.len()).map(|at| continued[at] && uses[at] == 1).collect();
        let mut nans = Self { inner, ..Self::default() };
        for inst in members {
            let (last, mut passes) = (function.result(inst), Vec::new());
            let mut at = last;
            let chain = loop {
                match function.defining_op(at) {
                    Some((Op::PassNan {}, args)) => {
                        passes.push(args[1]);
                        at = args[0];
                    }
                    Some((Op::CanonNan { nan }, args)) => break Some(Chain { base: args[0], nan: nan.0, passes }),
                    _ => break None,
                }
            };
            if let Some(chain) = chain {
                let known = nans.passes.entry(chain.base).or_default();
                if chain.passes.len() > known.len() {
                    known.clone_from(&chain.passes);
                }
                nans.chains.insert(last, chain);
            }
        }
        nans
    }
}

impl Selector<'_> {
    /// Decides what is watched.
    pub fn start_watch(&mut self) {
        if !self.mode.watch {
            return;
        }
        if let Some(suspects) = self.find_suspects(true) {
            (self.nans.suspects, self.nans.all_numbers) = (suspects, true);
        } else if let Some(suspects) = self.find_suspects(false) {
            self.nans.suspects = suspects;
        } else {
            self.mode.watch = false;
        }
    }

    /// A sum or a product: `operands` in the order in which their NaNs come through.
    pub fn commuted(&mut self, op: Vop, (a, b): (Value, Value), result: Value) -> Reg {
        let passes = self.nans.passes.get(&result).map_or(&[][..], Vec::as_slice);
        let may_be_nan = |value: &Value| self.ranges.get(*value).nan;
        let both = may_be_nan(&a) && may_be_nan(&b) && !passes.is_empty();
        if !both {
            let (a, b) = if matches!(self.arg(a), Arg::Mem(_)) { (b, a) } else { (a, b) };
            let reg = self.binary(op, a, b);
            return self.note_operands(reg, &[a, b]);
        }
        let carried = |value: Value| self.carried(self.values[value.index()]);
        let first = passes.iter().copied().find(may_be_nan).map(carried);
        let (a, b) = if first == Some(carried(b)) && first != Some(carried(a)) { (b, a) } else { (a, b) };
        let reg = self.binary(op, a, b);
        self.note_operands(reg, &[a, b])
    }

    /// A difference; if a chain behind it passes the negated subtrahend on, a sum with that.
    pub fn difference(&mut self, (a, b): (Value, Value), result: Value) -> Reg {
        let passes = self.nans.passes.get(&result).map_or(&[][..], Vec::as_slice);
        let negated = passes.iter().copied().find(|&pass| match self.function.defining_op(pass) {
            Some((Op::Neg {}, args)) => {
                self.values[args[0].index()] == self.values[b.index()]
                    && matches!(self.values[pass.index()], Val::Reg(_))
            }
            _ => false,
        });
        match negated {
            Some(negated) => self.commuted(Vop::Add, (a, negated), result),
            None => {
                let reg = self.binary(Vop::Sub, a, b);
                self.note_operands(reg, &[a, b])
            }
        }
    }

    /// Notes the operands of an instruction whose NaNs come through, the first one first; gives the result.
    pub fn note_operands(&mut self, result: Reg, operands: &[Value]) -> Reg {
        let may_be_nan = operands.iter().filter(|&&operand| self.ranges.get(operand).nan);
        let operands = may_be_nan.map(|operand| self.values[operand.index()]).collect();
        self.nans.operands.insert(result, (self.here, operands));
        result
    }

    /// Whose NaN the value carries.
    fn carried(&self, mut val: Val) -> Val {
        while let Val::Reg(reg) = val
            && let Some((_, operands)) = self.nans.operands.get(&reg)
            && let [only] = operands.as_slice()
        {
            val = *only;
        }
        val
    }

    /// Whether the value carries the NaN of the other one.
    fn carries(&self, mut val: Val, other: Val) -> bool {
        while val != other {
            let Val::Reg(reg) = val else { return false };
            match self.nans.operands.get(&reg).map(|(_, operands)| operands.as_slice()) {
                Some([only]) => val = *only,
                _ => return false,
            }
        }
        true
    }

    /// The value of a `canon_nan` or a `pass_nan`; `None` if its turn comes with the last of its chain.
    pub(super) fn with_nan_bits(&mut self, value: Value, op: &Op, args: &[Value]) -> Val {
        let is_number = !self.ranges.get(args[0]).nan;
        if is_number || self.nans.all_numbers {
            return self.values[args[0].index()];
        }
        let Some(chain) = self.nans.chains.get(&value).cloned() else {
            return self.one_by_one(op, args);
        };
        if self.nans.inner[value.index()] {
            return Val::None;
        }
        if let Some(val) = self.native(&chain) {
            return val;
        }
        let base = self.reg(chain.base);
        let mut reg = self.canonical(base, chain.nan);
        for &pass in chain.passes.iter().rev() {
            if self.ranges.get(pass).nan {
                let pass = self.reg(pass);
                reg = self.passed(reg, pass);
            }
        }
        Val::Reg(reg)
    }

    fn one_by_one(&mut self, op: &Op, args: &[Value]) -> Val {
        let a = self.reg(args[0]);
        Val::Reg(match op {
            Op::CanonNan { nan } => self.canonical(a, nan.0),
            _ => {
                let pass = self.reg(args[1]);
                self.passed(a, pass)
            }
        })
    }

    /// a's NaN quieted where r is a NaN too.
    fn passed(&mut self, r: Reg, a: Reg) -> Reg {
        let first = self.compare(FloatTest::Uno, r, Arg::Reg(r), None);
        let both = self.compare(FloatTest::Uno, a, Arg::Reg(a), Some(first));
        let quieted = self.with_constant(Vop::Or, a, QUIET);
        self.blend(both, Arg::Reg(quieted), r)
    }

    /// The last value of a chain whose instruction passes the same operands on in the same order.
    fn native(&mut self, chain: &Chain) -> Option<Val> {
        let Val::Reg(result) = self.values[chain.base.index()] else { return None };
        let (block, operands) = self.nans.operands.get(&result)?.clone();
        let distinct = |all: Vec<Val>| {
            let mut distinct: Vec<Val> = Vec::new();
            all.into_iter().for_each(|val| {
                if !distinct.contains(&val) {
                    distinct.push(val)
                }
            });
            distinct
        };
        let passes = chain.passes.iter().filter(|pass| self.ranges.get(**pass).nan);
        let passes = distinct(passes.map(|pass| self.values[pass.index()]).collect());
        if self.mode.watch {
            let carried = |all: Vec<Val>| distinct(all.into_iter().map(|val| self.carried(val)).collect());
            return (carried(operands) == carried(passes)).then_some(Val::Reg(result));
        }
        let operands = distinct(operands);
        let is_native = match (operands.as_slice(), passes.as_slice()) {
            (&[operand], &[pass]) => self.carries(operand, pass),
            _ => operands == passes,
        };
        if !is_native {
            return None;
        }
        // Where no operand is a NaN, the guest has its own.
        let numbers = match *passes.as_slice() {
            [] => None,
            [first, ref rest @ ..] => {
                let last = rest.first().copied().unwrap_or(first);
                let (first, last) = (self.reg_of(first)?, self.reg_of(last)?);
                Some(self.compare(FloatTest::Ord, first, Arg::Reg(last), None))
            }
        };
        let invalid = self.compare(FloatTest::Uno, result, Arg::Reg(result), numbers);
        let nan = self.constant(chain.nan);
        let val = Val::Reg(self.blend(invalid, nan, result));
        // Whatever comes later reads the result with its NaNs as they are to be.
        if block == self.here {
            self.values[chain.base.index()] = val;
        }
        Some(val)
    }

    fn reg_of(&mut self, val: Val) -> Option<Reg> {
        match val {
            Val::Reg(reg) => Some(reg),
            Val::Entry(pointer, index) => {
                let entry = Mem { broadcast: true, ..Mem::at(Base::Reg(pointer), index.cast_signed() * 4) };
                Some(self.load_arg(Arg::Mem(entry)))
            }
            _ => None,
        }
    }

    /// Values that reach the operands of operations with rules about NaNs, NaNs and all. `None` if a NaN constant does, or
    /// if watching costs more than it saves.
    fn find_suspects(&self, with_chains: bool) -> Option<Vec<bool>> {
        let mut reached = vec![false; self.function.value_count()];
        let mut work: Vec<Value> = Vec::new();
        for &block in &self.graph.order {
            for &inst in self.function.insts(block) {
                let wanted = wanted_numbers(self.function.op(inst), with_chains);
                work.extend_from_slice(&self.function.args(inst)[..wanted]);
            }
        }
        let rules = work.len();
        let mut sources = 0;
        while let Some(value) = work.pop() {
            if std::mem::replace(&mut reached[value.index()], true) {
                continue;
            }
            match self.function.def(value) {
                Def::Param(block, number) => {
                    for &from in self.graph.predecessors(block) {
                        for target in self.function.terminator(from).targets().filter(|target| target.block == block) {
                            work.push(target.args[number as usize]);
                        }
                    }
                }
                Def::Result(inst, _) => {
                    let op = self.function.op(inst);
                    let is_nan = |value: Value| {
                        let constant = self.function.defining_op(value);
                        matches!(constant, Some((Op::Lane { bits }, _)) if f32::from_bits(bits.0).is_nan())
                    };
                    // The complement of a mask of all bits is another one.
                    let complements =
                        matches!(op, Op::Xor {}) && self.function.args(inst).iter().any(|&arg| is_nan(arg));
                    if is_nan(value) || complements {
                        return None;
                    }
                    sources += usize::from(is_source(op) && self.ranges.get(value).nan);
                    if passes_nan(op) {
                        let args = self.function.args(inst);
                        work.extend(args.iter().copied().filter(|&arg| self.function.value_type(arg) == Type::Lane));
                    }
                }
            }
        }
        let pays = if with_chains { rules > sources / 2 } else { rules > 0 || !self.nans.chains.is_empty() };
        pays.then_some(reached)
    }

    /// Raises the invalid flag if one of these values that are factors somewhere is a NaN.
    pub fn watch_nans(&mut self, values: &[Value]) {
        let mut regs = Vec::new();
        for &value in values {
            if !self.nans.suspects.get(value.index()).copied().unwrap_or(false) || !self.ranges.get(value).nan {
                continue;
            }
            match self.values[value.index()] {
                Val::Reg(reg) => regs.push(reg),
                Val::Entry(pointer, index) => self.once(|selector| {
                    let entry = Arg::Mem(Mem::at(Base::Reg(pointer), index.cast_signed() * 4));
                    let entry = selector.vector_op(Vop::Broadcast, &[entry]);
                    selector.watch_pair(entry, entry);
                }),
                _ => {}
            }
        }
        for pair in regs.chunks(2) {
            self.watch_pair(pair[0], pair[pair.len() - 1]);
        }
    }

    /// An ordered compare that signals.
    fn watch_pair(&mut self, a: Reg, b: Reg) {
        self.compare(FloatTest::Olt, a, Arg::Reg(b), None);
        if let Some(last) = self.insts.last_mut() {
            last.args[2] = Arg::Imm(SIGNALING_LESS);
            last.effect = true;
        }
    }
}

/// Whether the result has to be looked at in each group to know that it is a number.
fn is_source(op: &Op) -> bool {
    !passes_nan(op) && !matches!(op, Op::Lane { .. } | Op::TableSplat { .. })
}

/// Whether a NaN of the result is a NaN of an operand, or comes from an operation that raises the invalid flag.
pub fn passes_nan(op: &Op) -> bool {
    match op {
        Op::Ln2 {} => false,
        Op::CanonNan { .. } => true,
        _ => matches!(op.nan_bits(), NanBits::Loose | NanBits::Passed),
    }
}
