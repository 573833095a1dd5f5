//! Instructions of the machine: arithmetic and fetches with their registers, and the flow of control around them.

use super::bundle::{Bundle, UnitUse};
use super::machine::{Code, Condition, Item, Op, Operand};
use super::operand::Address;
use super::place::Places;
use super::schedule::Issue;
use super::variables::Tracker;
use crate::ir::{FetchKind, Passes};
use ctm_x1k::{
    AlphaOp, Alu, Arg, Body, BranchOp, Common, Flow, FlowOp, Instruction, IntConstant, PredicateSelect, RgbOp, Select,
    Source, Swizzle, Tex, TexOp, TexRegister, TexSwizzle, Unit, UnitControl, ZeroTest,
};
use std::collections::BTreeMap;

/// Passes of a loop that has no number of its own: its body runs so often between two looks at whether lanes go on.
const ENDLESS: u8 = 255;
/// Loops inside of each other (CTM Guide, 5.3 of the specification's limits: the loop stack).
pub(super) const MAX_LOOPS: usize = 4;
/// Branches inside of each other under full flow control.
pub(super) const MAX_BRANCHES: usize = 32;

/// What does not fit, where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overflow {
    Loops { line: u32 },
    Branches { line: u32 },
    IntConstants { line: u32 },
}

/// A list of instructions with the source line of each.
#[derive(Debug, Default)]
pub(super) struct Emitted {
    pub code: Vec<Instruction>,
    pub lines: Vec<u32>,
    pub ints: BTreeMap<u8, IntConstant>,
}

struct Emit<'a, 't> {
    tracker: &'t mut Tracker<'a>,
    places: &'a Places,
    registers: &'a [u8],
    out: Emitted,
    /// Integer constants of the user are below.
    first_int: u8,
    /// Per open loop: instructions that leave it and that go to its next pass, the predicate of the lanes that left it if it has no number
    /// of passes, and how many branches were open at its head.
    loops: Vec<OpenLoop>,
    branches: usize,
}

struct OpenLoop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    left: Option<usize>,
    /// It counts in aL.
    variable: bool,
    branches: usize,
}

/// The instructions of a program whose vectors have registers.
pub(super) fn emit<'a>(
    items: &[Item<Issue>],
    places: &'a Places,
    registers: &'a [u8],
    first_int: u8,
    tracker: &mut Tracker<'a>,
) -> Result<Emitted, Overflow> {
    let mut emit =
        Emit { tracker, places, registers, out: Emitted::default(), first_int, loops: Vec::new(), branches: 0 };
    emit.items(items)?;
    emit.end();
    Ok(emit.out)
}

/// Jump functions: bit index (ALU result << 2) | (predicate << 1) | boolean.
mod when {
    pub const NEVER: u8 = 0x00;
    pub const ALWAYS: u8 = 0xFF;
    pub const RESULT: u8 = 0xF0;
    pub const PREDICATE: u8 = 0xCC;
    pub const BOOLEAN: u8 = 0xAA;
}

const PREDICATES: [PredicateSelect; 4] =
    [PredicateSelect::Red, PredicateSelect::Green, PredicateSelect::Blue, PredicateSelect::Alpha];

impl Emit<'_, '_> {
    fn push(&mut self, common: Common, body: Body, line: u32) -> usize {
        self.push_with(common, body, line, None)
    }

    /// An instruction that calculates up to a value.
    fn push_with(&mut self, common: Common, body: Body, line: u32, order: Option<u32>) -> usize {
        self.tracker.row(order);
        self.out.code.push(Instruction { common, body, reserved: [0; 6] });
        self.out.lines.push(line);
        self.out.code.len() - 1
    }

    fn flow(&mut self, flow: Flow, line: u32) -> usize {
        self.push(Common { alu_wait: true, ..Common::default() }, Body::Flow(flow), line)
    }

    fn patch(&mut self, at: usize, target: usize) {
        if let Body::Flow(flow) = &mut self.out.code[at].body {
            flow.jump_addr = target as u16;
        }
    }

    fn items(&mut self, items: &[Item<Issue>]) -> Result<(), Overflow> {
        for item in items {
            match item {
                Item::Block(issues) => issues.iter().for_each(|issue| self.issue(issue)),
                Item::If { condition, then, otherwise, line } => self.choice(*condition, then, otherwise, *line)?,
                Item::Loop { passes, step, body, line } => self.repeat(*passes, *step, body, *line)?,
                Item::Break => self.leave(when::ALWAYS, 0, true, 0),
                Item::Continue => self.leave(when::ALWAYS, 0, false, 0),
            }
        }
        Ok(())
    }

    /// The jump function of a condition that holds.
    fn holds(condition: Condition) -> (u8, u8) {
        match condition {
            Condition::Left => (when::PREDICATE, 0),
            Condition::Test { inverted: false } => (when::RESULT, 0),
            Condition::Test { inverted: true } => (!when::RESULT, 0),
            Condition::Constant { index } => (when::BOOLEAN, index),
        }
    }

    /// BREAK or CONTINUE of the innermost loop, for lanes for which the function holds.
    fn leave(&mut self, jump_func: u8, bool_addr: u8, breaks: bool, line: u32) {
        let Some(open) = self.loops.last() else { return };
        let depth = (self.branches - open.branches) as u8;
        let by_predicate = jump_func == when::PREDICATE;
        let (left, variable) = (open.left, open.variable);
        if let (true, Some(predicate), false) = (breaks, left, by_predicate) {
            self.set_predicate(predicate, true, line);
        }
        let op = match breaks {
            true if variable => FlowOp::BreakLoop,
            true => FlowOp::BreakRep,
            false => FlowOp::Continue,
        };
        let flow = Flow { op, jump_func, bool_addr, b_op1: BranchOp::Decr, b_pop_cnt: depth, ..Flow::default() };
        let at = self.flow(flow, line);
        if let (true, Some(predicate)) = (by_predicate, left) {
            self.out.code[at].common.rgb.pred_sel = PREDICATES[predicate];
        }
        if let Some(open) = self.loops.last_mut() {
            if breaks { open.breaks.push(at) } else { open.continues.push(at) }
        }
    }

    fn choice(
        &mut self,
        condition: Condition,
        then: &[Item<Issue>],
        otherwise: &[Item<Issue>],
        line: u32,
    ) -> Result<(), Overflow> {
        let (mut jump_func, bool_addr) = Self::holds(condition);
        let (mut then, mut otherwise) = (then, otherwise);
        if then.is_empty() {
            (then, otherwise, jump_func) = (otherwise, then, !jump_func);
        }
        if then.is_empty() {
            return Ok(());
        }
        // Lanes that only leave the loop need no branch.
        if let ([single], true) = (then, otherwise.is_empty()) {
            let counted = self.loops.last().is_some_and(|open| open.left.is_none());
            match single {
                Item::Break if counted || condition == Condition::Left => {
                    self.leave(jump_func, bool_addr, true, line);
                    return Ok(());
                }
                Item::Continue => {
                    self.leave(jump_func, bool_addr, false, line);
                    return Ok(());
                }
                Item::Break | Item::Block(_) | Item::If { .. } | Item::Loop { .. } => {}
            }
        }
        self.branches += 1;
        if self.branches > MAX_BRANCHES {
            return Err(Overflow::Branches { line });
        }
        let b_op1 = if otherwise.is_empty() { BranchOp::None } else { BranchOp::Incr };
        let head = Flow { jump_func: !jump_func, bool_addr, b_op0: BranchOp::Incr, b_op1, ..Flow::default() };
        let mut open = self.flow(head, line);
        let before = self.tracker.now();
        self.items(then)?;
        let mut after = before.clone();
        if !otherwise.is_empty() {
            let turn =
                Flow { jump_func: when::NEVER, b_op1: BranchOp::Decr, b_pop_cnt: 1, b_else: true, ..Flow::default() };
            let turn = self.flow(turn, line);
            self.patch(open, turn + 1);
            after = self.tracker.now();
            self.tracker.go_on_with(before);
            self.items(otherwise)?;
            open = turn;
        }
        self.tracker.meet(&after);
        let end =
            Flow { jump_func: when::NEVER, jump_any: true, b_op0: BranchOp::Decr, b_pop_cnt: 1, ..Flow::default() };
        let end = self.flow(end, line);
        self.patch(open, end + 1);
        self.patch(end, end + 1);
        self.branches -= 1;
        Ok(())
    }

    fn repeat(&mut self, passes: Passes, step: Option<i8>, body: &[Item<Issue>], line: u32) -> Result<(), Overflow> {
        if self.loops.len() == MAX_LOOPS {
            return Err(Overflow::Loops { line });
        }
        // The end of the body goes to the next pass anyway.
        let body = match body {
            [rest @ .., Item::Continue] => rest,
            body => body,
        };
        match passes {
            Passes::Times(count) => {
                let int = self.int(IntConstant { count, init: 0, step: step.unwrap_or(0) }, line)?;
                self.counted(int, step.is_some(), body, None, line)
            }
            Passes::Constant(index) => self.counted(index, false, body, None, line),
            Passes::Endless => {
                let left = self.loops.len();
                let int = self.int(IntConstant { count: ENDLESS, init: 0, step: 0 }, line)?;
                self.set_predicate(left, false, line);
                self.branches += 1;
                if self.branches > MAX_BRANCHES {
                    return Err(Overflow::Branches { line });
                }
                let head = Flow { jump_func: when::PREDICATE, b_op0: BranchOp::Incr, ..Flow::default() };
                let head = self.flow(head, line);
                self.out.code[head].common.rgb.pred_sel = PREDICATES[left];
                self.counted(int, false, body, Some(left), line)?;
                let end = Flow {
                    jump_func: when::NEVER,
                    jump_any: true,
                    b_op0: BranchOp::Decr,
                    b_pop_cnt: 1,
                    ..Flow::default()
                };
                let end = self.flow(end, line);
                self.patch(head, end + 1);
                self.patch(end, end + 1);
                self.branches -= 1;
                let again = Flow { jump_func: !when::PREDICATE, jump_any: true, ..Flow::default() };
                let again = self.flow(again, line);
                self.out.code[again].common.rgb.pred_sel = PREDICATES[left];
                self.patch(again, head);
                Ok(())
            }
        }
    }

    /// A loop whose integer constant says how often it repeats, and how aL counts if it is `variable`.
    fn counted(
        &mut self,
        int_addr: u8,
        variable: bool,
        body: &[Item<Issue>],
        left: Option<usize>,
        line: u32,
    ) -> Result<(), Overflow> {
        let (head, end) = if variable { (FlowOp::Loop, FlowOp::EndLoop) } else { (FlowOp::Rep, FlowOp::EndRep) };
        let head = self.flow(Flow { op: head, int_addr, ..Flow::default() }, line);
        self.tracker.begin_loop(body);
        let before = self.tracker.now();
        let (breaks, continues, branches) = (Vec::new(), Vec::new(), self.branches);
        self.loops.push(OpenLoop { breaks, continues, left, variable, branches });
        self.items(body)?;
        // Lanes leave it where they are.
        self.tracker.go_on_with(before);
        let OpenLoop { breaks, continues, .. } = self.loops.pop().expect("the loop was opened above");
        let end = Flow { op: end, int_addr, jump_func: when::ALWAYS, jump_any: true, ..Flow::default() };
        let end = self.flow(end, line);
        self.patch(head, end + 1);
        self.patch(end, head + 1);
        breaks.into_iter().for_each(|at| self.patch(at, end + 1));
        continues.into_iter().for_each(|at| self.patch(at, end));
        Ok(())
    }

    /// The integer constant that is this one.
    fn int(&mut self, wanted: IntConstant, line: u32) -> Result<u8, Overflow> {
        let known = self.out.ints.iter().find(|(_, have)| **have == wanted).map(|(index, _)| *index);
        if let Some(index) = known {
            return Ok(index);
        }
        let index = usize::from(self.first_int) + self.out.ints.len();
        if index >= ctm_x1k::INT_CONSTANTS {
            return Err(Overflow::IntConstants { line });
        }
        self.out.ints.insert(index as u8, wanted);
        Ok(index as u8)
    }

    fn set_predicate(&mut self, predicate: usize, value: bool, line: u32) {
        let swizzle = if value { Swizzle::One } else { Swizzle::Zero };
        let mut alu = idle();
        let mut common = Common::default();
        if predicate < 3 {
            alu.rgb.op = RgbOp::Max;
            alu.rgb.arg = [Arg { swizzle: [swizzle; 3], ..Arg::default() }; 3];
            alu.rgb.target = ZeroTest::NotEqual as u8;
            common.rgb.omask = 1 << predicate;
        } else {
            alu.alpha.op = AlphaOp::Max;
            alu.alpha.arg = [Arg { swizzle: [swizzle; 1], ..Arg::default() }; 3];
            alu.alpha.target = ZeroTest::NotEqual as u8;
            common.alpha.omask = 1;
        }
        self.push(common, Body::Alu(alu), line);
    }

    fn issue(&mut self, issue: &Issue) {
        match issue {
            Issue::Alu(bundle, ..) => self.alu(bundle),
            Issue::Texture(op) => self.texture(op),
        }
        self.tracker.issue(issue);
    }

    fn source(&self, address: Option<Address>) -> Source {
        match address {
            None => Source::UNUSED,
            Some(Address::Vector(vector)) => Source { addr: self.registers[vector], constant: false, relative: false },
            Some(Address::Constant(register)) => Source { addr: register, constant: true, relative: false },
            Some(Address::Relative(register)) => Source { addr: register, constant: true, relative: true },
            Some(Address::Inline(code)) => Source { addr: 0x80 | code, constant: false, relative: false },
        }
    }

    fn unit<O: Copy, const N: usize>(
        &self,
        unit: &UnitUse<O, N>,
        into: &mut Unit<O, N>,
        control: &mut UnitControl,
    ) -> bool {
        into.op = unit.op;
        into.arg = unit.args.map(|(source, swizzle, modifier)| Arg { sel: select(source), swizzle, modifier });
        into.omod = unit.scale;
        control.clamp = unit.clamp;
        if let Some((vector, mask)) = unit.dest {
            (into.dest, control.wmask) = (self.registers[vector], mask);
        }
        if let Some((slot, mask)) = unit.output {
            (into.target, control.omask) = (slot, mask);
        }
        unit.output.is_some()
    }

    fn alu(&mut self, bundle: &Bundle) {
        let mut common = Common::default();
        let mut alu = idle();
        let mut writes_output = false;
        for k in 0..3 {
            alu.rgb.src[k] = self.source(bundle.sources[0][k]);
            alu.alpha.src[k] = self.source(bundle.sources[1][k]);
        }
        alu.rgb.srcp = bundle.presubtract[0].unwrap_or_default();
        alu.alpha.srcp = bundle.presubtract[1].unwrap_or_default();
        if let Some(unit) = &bundle.colours {
            writes_output |= self.unit(unit, &mut alu.rgb, &mut common.rgb);
        }
        if let Some(unit) = &bundle.alpha {
            writes_output |= self.unit(unit, &mut alu.alpha, &mut common.alpha);
        }
        if let Some((test, channel)) = bundle.test {
            (alu.alu_wmask, common.result_op, common.result_sel) = (true, test, channel);
        }
        if let Some((test, channel)) = bundle.predicate {
            if channel < 3 {
                (alu.rgb.target, common.rgb.omask) = (test as u8, 1 << channel);
            } else {
                (alu.alpha.target, common.alpha.omask) = (test as u8, 1);
            }
        }
        alu.w_omask = bundle.depth;
        let body = if writes_output { Body::Out(alu) } else { Body::Alu(alu) };
        self.push_with(common, body, bundle.line, Some(bundle.order));
    }

    /// The register and channels of operands that lie together; fewer than four end with the last one.
    fn register(&self, operands: &[Operand]) -> TexRegister {
        let place = |operand: &Operand| operand.as_web().and_then(|web| self.places.get(web));
        let swizzle = std::array::from_fn(|k| {
            let operand = operands.get(k).or(operands.last());
            channel(operand.and_then(place).map_or(0, |place| place.channel))
        });
        let addr = operands.first().and_then(place).map_or(0, |place| self.registers[place.vector]);
        TexRegister { addr, relative: false, swizzle }
    }

    fn texture(&mut self, op: &Op) {
        let mut tex = Tex::default();
        let mut common = Common::default();
        match op.code {
            Code::Fetch(fetch) => {
                let n = usize::from(fetch.coordinates);
                let kind = match fetch.kind {
                    FetchKind::Plain => TexOp::Ld,
                    FetchKind::Project => TexOp::Proj,
                    FetchKind::Bias => TexOp::Lodbias,
                    FetchKind::Level => TexOp::Lod,
                    FetchKind::Gradient => TexOp::Dxdy,
                };
                (tex.op, tex.id, tex.unscaled) = (kind, fetch.unit, !fetch.scaled);
                tex.src = self.register(&op.args[..n]);
                match fetch.kind {
                    FetchKind::Plain => {}
                    FetchKind::Project | FetchKind::Bias | FetchKind::Level => {
                        // The last argument is the fourth coordinate.
                        tex.src = self.register(&op.args);
                        let last = self.register(&op.args[n..]);
                        tex.src.swizzle[3] = last.swizzle[0];
                        if n < 3 {
                            let known = self.register(&op.args[..n]);
                            tex.src.swizzle[..3].copy_from_slice(&known.swizzle[..3]);
                        }
                    }
                    FetchKind::Gradient => {
                        tex.dx = self.register(&op.args[n..2 * n]);
                        tex.dy = self.register(&op.args[2 * n..]);
                    }
                }
                for (k, web) in op.results.iter().enumerate() {
                    let Some(place) = web.and_then(|web| self.places.get(web)) else { continue };
                    tex.dst.addr = self.registers[place.vector];
                    tex.dst.swizzle[place.channel] = channel(k);
                    if place.channel < 3 {
                        common.rgb.wmask |= 1 << place.channel;
                    } else {
                        common.alpha.wmask = 1;
                    }
                }
            }
            _ => {
                tex.op = TexOp::Texkill;
                tex.src = self.register(&op.args);
            }
        }
        self.push_with(common, Body::Tex(tex), op.line, Some(op.order));
    }

    /// The last instruction writes outputs, or stands for those that none writes, and waits for what was fetched.
    fn end(&mut self) {
        let jumps_behind = self.out.code.iter().any(|instruction| match &instruction.body {
            Body::Flow(flow) => usize::from(flow.jump_addr) >= self.out.code.len(),
            _ => false,
        });
        let last_is_out = matches!(self.out.code.last(), Some(Instruction { body: Body::Out(_), .. }));
        if !last_is_out || jumps_behind {
            self.push(Common::default(), Body::Out(idle()), 0);
        }
    }
}

/// An arithmetic instruction that does nothing.
fn idle() -> Alu {
    let mut alu = Alu::default();
    alu.rgb.src = [Source::UNUSED; 3];
    alu.alpha.src = [Source::UNUSED; 3];
    alu
}

fn select(source: usize) -> Select {
    [Select::Src0, Select::Src1, Select::Src2, Select::Srcp][source]
}

fn channel(channel: usize) -> TexSwizzle {
    [TexSwizzle::R, TexSwizzle::G, TexSwizzle::B, TexSwizzle::A][channel]
}
