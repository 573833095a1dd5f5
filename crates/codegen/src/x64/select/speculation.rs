//! Speculation on NaNs in code: where values are looked at, an instruction raises the invalid flag for those that may be NaNs
//! where exact code has something else. `crate::speculation` has the argument.

use super::floats::floats;
use super::masks::MaskOp;
use super::{Lanes, Selector, Val};
use crate::context;
use crate::mir::{Arg, Base, Condition, Mem, Reg};
use crate::speculation::Tainted;
use crate::x64::isa::{INVALID, VectorIsa, Vop};
use crate::x64::{Inst, InstKind};
use ctm_lane::{Effect, FloatTest, Op, Value};
use iced_x86::Code;
use std::collections::HashSet;

/// What is known of the values that have to be looked at.
#[derive(Default)]
pub struct Speculation {
    tainted: Tainted,
    /// Tainted values of which, in the block in the making, no lane is a NaN while the flag is down.
    seen: HashSet<Value>,
}

impl Speculation {
    /// What was seen in one block need not have been seen in the next.
    pub fn enter_block(&mut self) {
        self.seen.clear();
    }
}

impl Selector<'_> {
    /// Decides whether to speculate, and finds the tainted values.
    pub fn start_speculation(&mut self) {
        if self.mode.speculates {
            let tainted = Tainted::find(self.function, &self.graph, &self.ranges, |op| floats(op).nans);
            self.mode.speculates = tainted.is_some();
            self.speculation.tainted = tainted.unwrap_or_default();
        }
    }

    fn is_tainted(&self, value: Value) -> bool {
        self.mode.speculates && self.speculation.tainted.has(value)
    }

    /// Whether one of these is a NaN where exact code may have something else.
    pub fn has_tainted(&self, values: &[Value]) -> bool {
        values.iter().any(|&value| self.is_tainted(value))
    }

    /// Whether the operation looks at what may be a NaN, and does not raise the flag itself.
    pub fn needs_nan_check(&self, op: &Op, args: &[Value]) -> bool {
        self.has_tainted(floats(op).nans.looked_at(args))
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
        let lanes = match (self.isa, op.effect(), args.last()) {
            (VectorIsa::Avx512, Effect::WritesMemory, Some(&mask)) => self.lanes(mask),
            _ => Lanes::All,
        };
        let lanes = if let Lanes::Of(mask) = lanes { Some(mask) } else { None };
        for &value in floats(op).nans.looked_at(args) {
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
        if let (VectorIsa::Avx512, Some((Op::Select {}, &[mask, a, b]))) = (self.isa, self.function.defining_op(value))
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
            vector @ Val::Vector(..) => {
                let vector = self.arg_of(vector);
                let vector = self.load_arg(vector);
                seen.push((vector, lanes));
            }
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
            let store = Inst::new(InstKind::Plain(Code::Stmxcsr_m32), None, &[flags]);
            self.insts.extend([store, Inst::new(InstKind::Plain(Code::Test_rm8_imm8), None, &[flags, invalid])]);
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
