//! Speculation on NaNs: rules about them cost nothing while nobody looks at a NaN.
//!
//! Three kinds of rules go beyond what the processor does: zero times infinity or NaN may be zero; NaN results may have
//! bits of their own (`canon_nan`); and the first NaN operand may come through (`pass_nan`). Code that speculates leaves all of
//! them out, and a NaN stands for "not known" in it:
//!
//! > In every lane, a value is that of exact code, or a NaN.
//!
//! A rule left out keeps to that: where it would have changed anything, the processor's own result is a NaN. So does
//! arithmetic: a NaN operand makes the result a NaN, whatever the exact operand may be. Choices, signs, exchanges between
//! lanes and arrays pass their operands on as they are.
//!
//! All else *looks* at its operands: comparisons, conversions, integer operations, stores. Those among them that the
//! processor calculates by instructions that take a NaN operand for invalid raise the sticky flag themselves: minima and
//! maxima, conversions to integers, and comparisons in their signalling form. For the others a comparison raises it. While
//! the flag is down, nobody has looked at a NaN; so all that was seen, and hence all that was done, is what exact code does.
//! When it is up, the caller runs the groups again with exact code.
//!
//! Running them again has to make good what was stored. What was stored while the flag was down is stored again as it is,
//! since nothing that is read is written. What was stored later may be wrong, but is written over, if neither the address nor
//! the lanes depend on any number. In front of a store where they do, code leaves if the flag is up.
//!
//! Only values that a rule may have touched (*tainted* values) need to be looked at. Flags of lanes that nobody looks at, such as
//! those that have left a loop and compute on to infinity minus infinity, would be false deoptimisations: arithmetic raises none
//! where an instruction can say so, and comparisons know their lanes.

use super::floats::{NanUse, floats};
use super::masks::MaskOp;
use super::{Lanes, Selector, Val};
use crate::context;
use crate::mir::{Arg, Base, Condition, Mem, Reg};
use crate::x64::form::{Form, INVALID, Vop};
use crate::x64::{Inst, Kind};
use ctm_lane::{Array, Effect, FloatTest, Op, Value};
use iced_x86::Code;
use std::collections::HashSet;

/// What is known of the values that have to be looked at.
#[derive(Default)]
pub struct Speculation {
    /// Values that may be NaNs where exact code has something else.
    tainted: Vec<bool>,
    /// Tainted values of which, in the block in the making, no lane is a NaN while the flag is down.
    seen: HashSet<Value>,
}

impl Speculation {
    /// What was seen in one block need not have been seen in the next.
    pub fn enter_block(&mut self) {
        self.seen.clear();
    }
}

/// The operands of an operation that looks at them and that raises no flag itself.
fn looked_at<'a>(op: &Op, args: &'a [Value]) -> &'a [Value] {
    match floats(op).nans {
        NanUse::Passed | NanUse::PassedByRule | NanUse::Raise => &[],
        NanUse::Stored => &args[..1],
        NanUse::Seen => args,
    }
}

impl Selector<'_> {
    /// Decides whether to speculate, and finds the tainted values.
    pub fn start_speculation(&mut self) {
        if !self.mode.speculates {
            return;
        }
        let tainted = self.find_tainted();
        let (mut rules, mut looks) = (0, 0);
        for &block in &self.graph.order {
            for &inst in self.function.insts(block) {
                let op = self.function.op(inst);
                rules += usize::from(floats(op).nans == NanUse::PassedByRule);
                let seen = looked_at(op, self.function.args(inst));
                looks += seen.iter().filter(|&&arg| tainted[arg.index()]).count();
            }
        }
        self.speculation.tainted = tainted;
        self.mode.speculates = rules > looks / 2;
    }

    fn find_tainted(&self) -> Vec<bool> {
        let mut tainted = vec![false; self.function.value_count()];
        let mut arrays: HashSet<Array> = HashSet::new();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &self.graph.order {
                for (number, &param) in self.function.params(block).iter().enumerate() {
                    let sources = self.graph.predecessors(block).iter().flat_map(|&from| {
                        self.function.terminator(from).targets().filter(move |target| target.block == block)
                    });
                    let is = sources.into_iter().any(|target| tainted[target.args[number].index()]);
                    changed |= is && !std::mem::replace(&mut tainted[param.index()], true);
                }
                for &inst in self.function.insts(block) {
                    let (op, args) = (self.function.op(inst), self.function.args(inst));
                    let array = op.array().map(|(array, _)| array);
                    if let (Op::ArrayWrite { .. } | Op::ArrayScatter { .. }, Some(array)) = (op, array) {
                        changed |= tainted[args[1].index()] && arrays.insert(array);
                        continue;
                    }
                    let is = match (op, floats(op).nans) {
                        (Op::ArrayRead { .. } | Op::ArrayGather { .. }, _) => {
                            array.is_some_and(|at| arrays.contains(&at))
                        }
                        // Of a number, no rule makes another one.
                        (Op::CanonNan { .. } | Op::PassNan {}, _) => {
                            self.ranges.get(args[0]).nan || tainted[args[0].index()]
                        }
                        (_, NanUse::PassedByRule) => true,
                        (_, NanUse::Passed) => args.iter().any(|arg| tainted[arg.index()]),
                        (_, NanUse::Raise | NanUse::Seen | NanUse::Stored) => false,
                    };
                    if is {
                        for result in self.function.results(inst) {
                            changed |= !std::mem::replace(&mut tainted[result.index()], true);
                        }
                    }
                }
            }
        }
        tainted
    }

    fn is_tainted(&self, value: Value) -> bool {
        self.mode.speculates && self.speculation.tainted.get(value.index()).copied().unwrap_or(false)
    }

    /// Whether one of these is a NaN where exact code may have something else.
    pub fn has_tainted(&self, values: &[Value]) -> bool {
        values.iter().any(|&value| self.is_tainted(value))
    }

    /// Whether the operation looks at what may be a NaN, and does not raise the flag itself.
    pub fn needs_nan_check(&self, op: &Op, args: &[Value]) -> bool {
        self.has_tainted(looked_at(op, args))
    }

    /// Raises the flag for every NaN in these.
    pub fn check_regs(&mut self, regs: &[Reg]) {
        for pair in regs.chunks(2) {
            self.raise_for_nans(pair[0], pair[pair.len() - 1], None);
        }
    }

    /// Raises the flag if the operation looks at a NaN and does not raise it itself.
    pub fn check_operands(&mut self, op: &Op, args: &[Value]) {
        let mut seen = Vec::new();
        // A store looks at the lanes that it writes.
        let lanes = match (self.form, op.effect(), args.last()) {
            (Form::Avx512, Effect::WritesMemory, Some(&mask)) => self.lanes(mask),
            _ => Lanes::All,
        };
        let lanes = if let Lanes::Of(mask) = lanes { Some(mask) } else { None };
        for &value in looked_at(op, args) {
            self.collect(value, lanes, &mut seen);
        }
        while let Some((value, lanes)) = seen.pop() {
            let other = seen.iter().position(|&(_, others)| others == lanes).map(|at| seen.swap_remove(at).0);
            self.raise_for_nans(value, other.unwrap_or(value), lanes);
        }
    }

    /// The registers, and the lanes of them, that are tainted in a value.
    fn collect(&mut self, value: Value, lanes: Option<Reg>, seen: &mut Vec<(Reg, Option<Reg>)>) {
        if !self.is_tainted(value) || self.speculation.seen.contains(&value) {
            return;
        }
        if lanes.is_none() {
            self.speculation.seen.insert(value);
        }
        // What only a choice taints.
        if let (Form::Avx512, Some((Op::Select {}, &[mask, a, b]))) = (self.form, self.function.defining_op(value))
            && self.is_tainted(a) != self.is_tainted(b)
            && let Lanes::Of(mask) = self.lanes(mask)
        {
            let (part, chosen) = if self.is_tainted(a) { (a, mask) } else { (b, self.mask_not(mask)) };
            let chosen = match lanes {
                Some(lanes) => self.mask_binary(MaskOp::And, lanes, chosen),
                None => chosen,
            };
            return self.collect(part, Some(chosen), seen);
        }
        match self.values[value.index()] {
            Val::Reg(reg) => seen.push((reg, lanes)),
            Val::Entry(pointer, index) => self.once(|selector| {
                let entry = Arg::Mem(Mem::at(Base::Reg(pointer), index.cast_signed() * 4));
                let entry = selector.vector_op(Vop::Broadcast, &[entry]);
                selector.raise_for_nans(entry, entry, None);
            }),
            Val::None | Val::Const(_) | Val::MaskConst(_) | Val::UniformConst(_) => {}
        }
    }

    /// Leaves the groups to the caller if the flag is up.
    pub fn leave_if_raised(&mut self) {
        if self.mode.speculates {
            let flags = Arg::Mem(Mem::at(Base::Context, context::FLAGS));
            let invalid = Arg::Imm(INVALID.cast_signed());
            let store = Inst::new(Kind::Plain(Code::Stmxcsr_m32), None, &[flags]);
            self.insts.extend([store, Inst::new(Kind::Plain(Code::Test_rm8_imm8), None, &[flags, invalid])]);
            self.leave_on(Condition::NotEqual, self.exit);
        }
    }

    fn raise_for_nans(&mut self, a: Reg, b: Reg, lanes: Option<Reg>) {
        self.compare_signalling(FloatTest::Uno, a, Arg::Reg(b), lanes);
        if let Some(last) = self.insts.last_mut() {
            last.effect = true;
        }
    }
}
