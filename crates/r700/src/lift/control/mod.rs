//! Control flow: one walk over every control-flow address with every shape that the stack can have there.
//!
//! The kinds of the frames on the stack are known at every address; what they hold are values. So states of pixels become
//! masks, pushes and pops give masks new names, and no counter is left but those of loops.

mod loops;
mod stack;
mod test;
mod unrolled;

use super::context::{CodeAddress, Context, Frame};
use super::independence::{Jump, Leave};
use super::machine::LiftState;
use super::unrolled::{Shape, Unrolled};
use super::{NotLifted, Walked};
use crate::cf::{Cf, CfAlu, CfAluOp, CfFields, CfOp, CfPlain};
use crate::job::{STRIP_CUT, STRIP_VERTEX, TrapKind};
use crate::outline::Outline;
use crate::program::Stage;
use ctm_lane::effort::Effort;
use ctm_lane::{Block, Type, Value, Variable};
use std::collections::{BTreeMap, HashSet};
use test::Test;
use unrolled::{Literals, Nest};

pub(super) use loops::LoopKind;

/// Contexts that a walk may visit.
const MAX_CONTEXTS: usize = 1 << 14;
/// Deepest stack that a walk follows.
const MAX_FRAMES: usize = 512;

/// What is known where several ways meet, before the first instruction there is lifted.
#[derive(Clone, Copy)]
struct Entry {
    block: Block,
    /// Some pixel is active, whatever way led here.
    some: bool,
}

pub(super) struct Walk<'a> {
    pub m: LiftState<'a>,
    /// Contexts that are lifted.
    entries: BTreeMap<Context, Entry>,
    /// Those that are not lifted yet, the lowest address first.
    pending: BTreeMap<Context, Entry>,
    /// Addresses that jumps lead to, in the program and in the fetch program.
    targets: [HashSet<u32>; 2],
    /// Lengths of the control-flow programs. What is known of them as a whole leaves out words after their end.
    lengths: [usize; 2],
    /// Addresses that LOOP_ENDs go back to.
    heads: HashSet<u32>,
    /// Only LOOP_ENDs go back.
    is_forward: bool,
    pub here: Context,
    /// Some pixel is active here.
    some: bool,
    /// Pixels that fail a test of the clause at hand.
    pub failed: Variable,
    /// Jumps that the group takes together.
    pub jumps: Vec<Jump>,
    /// What lanes do depends in another way on those of their group.
    pub depends: bool,
    /// Which trap is reported depends on the order of lanes.
    pub ordered: bool,
    /// Where lanes were last seen to trap.
    pub last_trap: Option<(CodeAddress, Option<u32>, TrapKind)>,
    /// Loops that the program has unrolled and that become loops, by their addresses in the program.
    unrolled: BTreeMap<u32, Unrolled>,
    /// Nests of branches that have become loops.
    nests: Vec<Nest>,
    /// Literals that differ from trip to trip of the loop at hand.
    literals: Literals,
}

impl<'a> Walk<'a> {
    /// A walk from the start of the program. `careful` ones know less of what they meet, and seal no block early; they are
    /// for code whose loops do not nest.
    pub(super) fn new(mut m: LiftState<'a>, careful: bool) -> Self {
        let mut targets = [HashSet::new(), HashSet::new()];
        let mut lengths = [0; 2];
        let mut heads = HashSet::new();
        let mut is_forward = !careful;
        for (image, targets) in targets.iter_mut().enumerate() {
            let outline = Outline::of(m.code(image == 1), m.program.info.family);
            lengths[image] = outline.cf.len();
            for (pc, cf) in outline.cf.iter().enumerate() {
                let Cf::Plain(plain) = cf else { continue };
                let Some(target) = cf.target() else { continue };
                targets.insert(target);
                match plain.op {
                    CfOp::LoopEnd => _ = heads.insert(target),
                    CfOp::Call | CfOp::CallFs => is_forward = false,
                    CfOp::Nop
                    | CfOp::Tex
                    | CfOp::Vtx
                    | CfOp::VtxTc
                    | CfOp::LoopStart
                    | CfOp::LoopStartDx10
                    | CfOp::LoopStartNoAl
                    | CfOp::LoopContinue
                    | CfOp::LoopBreak
                    | CfOp::Jump
                    | CfOp::Push
                    | CfOp::PushElse
                    | CfOp::Else
                    | CfOp::Pop
                    | CfOp::PopJump
                    | CfOp::PopPush
                    | CfOp::PopPushElse
                    | CfOp::Return
                    | CfOp::EmitVertex
                    | CfOp::EmitCutVertex
                    | CfOp::CutVertex
                    | CfOp::Kill
                    | CfOp::EndProgram
                    | CfOp::WaitAck
                    | CfOp::TexAck
                    | CfOp::VtxAck
                    | CfOp::VtxTcAck => is_forward &= target as usize > pc,
                }
            }
        }
        m.has_loops = careful;
        let here =
            Context { address: CodeAddress { in_fetch_program: false, pc: 0 }, call_depth: 0, frames: Vec::new() };
        Walk {
            failed: m.b.variable(Type::Mask),
            m,
            entries: BTreeMap::new(),
            pending: BTreeMap::new(),
            targets,
            lengths,
            heads,
            is_forward,
            here,
            // Groups without a lane do not run.
            some: true,
            jumps: Vec::new(),
            depends: false,
            ordered: false,
            last_trap: None,
            unrolled: BTreeMap::new(),
            nests: Vec::new(),
            literals: Literals::default(),
        }
    }

    /// The same walk, in which these loops of the program are loops again.
    pub(super) fn with_loops(self, unrolled: BTreeMap<u32, Unrolled>) -> Self {
        Walk { unrolled, ..self }
    }

    /// Lifts everything that can be reached.
    pub(super) fn run(&mut self, effort: &Effort) -> Walked<()> {
        let start = self.here.clone();
        let first = self.enter(start, true)?;
        self.m.b.jump(first, &[]);
        while let Some((context, entry)) = self.pending.pop_first() {
            let may_seal = self.is_forward && !self.heads.contains(&context.address.pc);
            self.some = entry.some && self.is_forward;
            self.entries.insert(context.clone(), entry);
            self.here = context;
            self.m.b.switch_to(entry.block);
            if may_seal {
                self.m.b.seal(entry.block);
            }
            self.straight(effort)?;
        }
        Ok(())
    }

    /// The block of a context.
    fn enter(&mut self, context: Context, some: bool) -> Walked<Block> {
        if let Some(entry) = self.pending.get_mut(&context) {
            entry.some &= some;
            return Ok(entry.block);
        }
        if let Some(&entry) = self.entries.get(&context) {
            let is_head = self.heads.contains(&context.address.pc);
            if self.is_forward && (!is_head || entry.some && !some) {
                return Err(NotLifted::Backward);
            }
            return Ok(entry.block);
        }
        let too_many = self.entries.len() + self.pending.len() + self.hidden_contexts() >= MAX_CONTEXTS;
        if too_many || context.frames.len() + self.hidden_frames() > MAX_FRAMES {
            return Err(NotLifted::TooLarge);
        }
        let block = self.m.b.new_block();
        self.pending.insert(context, Entry { block, some });
        Ok(block)
    }

    /// Lifts from here to the next address where paths diverge or meet.
    fn straight(&mut self, effort: &Effort) -> Walked<()> {
        loop {
            if !self.m.b.keeps_to(effort) {
                return Err(NotLifted::TooLarge);
            }
            let address = self.here.address;
            let Some(qword) = self.m.code(address.in_fetch_program).get(address.pc as usize) else {
                return self.trap(TrapKind::BadAddress, None);
            };
            if address.pc as usize >= self.lengths[usize::from(address.in_fetch_program)] {
                return Err(NotLifted::RunsIntoClause);
            }
            if let Some(nest) = self.nest_that_ends_here()? {
                return self.leave_nest(&nest);
            }
            let unrolled = if address.in_fetch_program { None } else { self.unrolled.get(&address.pc).cloned() };
            match unrolled {
                Some(Unrolled { trips, literals, shape: Shape::Run { period } }) => {
                    self.run_of_clauses(trips, &literals, period)?
                }
                Some(Unrolled { trips, literals, shape: Shape::Nest(nest) }) => {
                    return self.nest(trips, &literals, &nest);
                }
                None => {
                    let cf = Cf::decode(qword);
                    self.execute(&cf)?;
                    if self.m.b.is_ended() {
                        return Ok(());
                    }
                    if cf.ends_program() || matches!(&cf, Cf::Plain(CfPlain { op: CfOp::EndProgram, .. })) {
                        return self.end(address.in_fetch_program);
                    }
                    self.here.address.pc += 1;
                }
            }
            if self.m.b.is_ended() {
                return Ok(());
            }
            if self.targets[usize::from(address.in_fetch_program)].contains(&self.here.address.pc) {
                return self.go_on();
            }
        }
    }

    /// The instruction here.
    fn execute(&mut self, cf: &Cf) -> Walked<()> {
        let test = self.test(cf);
        let passing = self.passing(&test);
        self.m.steps(self.here.address, None, passing);
        self.instruction(cf, &test, passing)
    }

    /// The end of the program; that of the fetch program returns from it.
    fn end(&mut self, in_fetch_program: bool) -> Walked<()> {
        if in_fetch_program {
            if self.end_call()? {
                self.go_on()?;
            }
        } else {
            self.m.end();
        }
        Ok(())
    }

    /// Jumps to where the context is now.
    fn go_on(&mut self) -> Walked<()> {
        let block = self.enter(self.here.clone(), self.some)?;
        self.m.b.jump(block, &[]);
        Ok(())
    }

    /// Jumps. An instruction that ends the program does so wherever it jumps to.
    fn go_to(&mut self, target: CodeAddress, fields: &CfFields) -> Walked<()> {
        let in_fetch_program = std::mem::replace(&mut self.here.address, target).in_fetch_program;
        if fields.end_of_program { self.end(in_fetch_program) } else { self.go_on() }
    }

    /// The target of the instruction here.
    fn target(&self, fields: &CfFields) -> CodeAddress {
        CodeAddress { pc: fields.addr, ..self.here.address }
    }

    /// The group traps.
    pub(super) fn trap(&mut self, kind: TrapKind, slot: Option<u32>) -> Walked<()> {
        let active = self.m.b.get(self.m.active);
        self.m.trap(kind, self.here.address, slot, active);
        Ok(())
    }

    fn instruction(&mut self, cf: &Cf, test: &Test, passing: Value) -> Walked<()> {
        let family = self.m.program.info.family;
        match cf {
            Cf::Reserved(_) => self.trap(TrapKind::BadOpcode, None),
            Cf::Plain(plain) if !plain.op.properties().families.has(family) => self.trap(TrapKind::BadOpcode, None),
            Cf::Export(export) if !export.op.properties().families.has(family) => self.trap(TrapKind::BadOpcode, None),
            Cf::Export(export) => self.export(export, passing),
            Cf::Alu(alu) => self.alu(alu, passing),
            Cf::Plain(plain) if plain.op.is_fetch() => {
                let skips = self.unless_nobody(passing, test);
                self.fetch_clause(plain, passing)?;
                self.join(skips);
                Ok(())
            }
            Cf::Plain(plain) => self.plain(plain, test, passing),
        }
    }

    /// An ALU clause with the pushes and pops around it.
    fn alu(&mut self, alu: &CfAlu, passing: Value) -> Walked<()> {
        let test = self.test(&Cf::Alu(*alu));
        if alu.op.properties().pushes && !self.push_mask(alu.fields.whole_quad_mode)? {
            return Ok(());
        }
        let before = self.m.b.get(self.m.active);
        if self.m.specialisation.kill_stops_pixel {
            let none = self.m.b.mask_constant(false);
            self.m.b.set(self.failed, none);
        }
        let skips = self.unless_nobody(passing, &test);
        let narrows = self.alu_clause(alu, passing)?;
        self.join(skips);
        if self.m.b.is_ended() {
            return Ok(());
        }
        if narrows {
            self.check_top_frame()?;
            self.some = false;
        }
        match alu.op {
            CfAluOp::ElseAfter => self.invert(&Test::ACTIVE),
            CfAluOp::Continue | CfAluOp::Break => {
                if self.here.innermost_loop().is_none() {
                    return self.trap(TrapKind::NoLoop, None);
                }
                // A pixel that a kill has ended fails no test any more.
                let failed = if self.m.specialisation.kill_stops_pixel {
                    let failed = self.m.b.get(self.failed);
                    self.m.b.mask_and(before, failed)
                } else {
                    let active = self.m.b.get(self.m.active);
                    self.m.b.mask_andnot(before, active)
                };
                self.leave_pass(alu.op == CfAluOp::Break, &Test::ACTIVE, failed);
                Ok(())
            }
            CfAluOp::Alu | CfAluOp::PushBefore | CfAluOp::PopAfter | CfAluOp::Pop2After => {
                self.pop_masks(alu.op.properties().pops)
            }
        }
    }

    fn emit(&mut self, events: &[u32], passing: Value) -> Walked<()> {
        if self.m.program.info.stage != Stage::Geometry {
            return self.trap(TrapKind::WrongStage, None);
        }
        self.m.note_strip_events(events, passing);
        Ok(())
    }

    /// Every pixel returns.
    fn end_subroutine(&mut self, fields: &CfFields) -> Walked<()> {
        let in_fetch_program = self.here.address.in_fetch_program;
        if self.end_call()? {
            // The end of the fetch program is a return itself.
            match fields.end_of_program && !in_fetch_program {
                true => self.m.end(),
                false => self.go_on()?,
            }
        }
        Ok(())
    }

    fn plain(&mut self, CfPlain { op, fields }: &CfPlain, test: &Test, passing: Value) -> Walked<()> {
        match op {
            CfOp::Push => {
                let frame = Frame::Mask { whole_quad: test.whole_quad, some: true };
                self.jump_if_nobody(fields, test, passing, fields.pop_count, Some(frame))?;
                if self.m.b.is_ended() {
                    return Ok(());
                }
                if self.push_mask(test.whole_quad)? {
                    self.set_failing(test, passing);
                }
                Ok(())
            }
            CfOp::Pop => {
                self.pop_masks(fields.pop_count)?;
                self.narrow(test);
                Ok(())
            }
            CfOp::PushElse | CfOp::PopPushElse => {
                if *op == CfOp::PopPushElse {
                    self.pop_masks(fields.pop_count)?;
                }
                if self.m.b.is_ended() || !self.push_mask(test.whole_quad)? {
                    return Ok(());
                }
                let passing = self.passing(test);
                self.deactivate(test, passing);
                let pops = if *op == CfOp::PushElse { fields.pop_count } else { 0 };
                self.jump_if_none_active(fields, pops)
            }
            CfOp::Else => {
                self.invert(test)?;
                if self.m.b.is_ended() {
                    return Ok(());
                }
                self.jump_if_none_active(fields, fields.pop_count)
            }
            CfOp::Jump => self.jump_if_nobody(fields, test, passing, fields.pop_count, None),
            CfOp::PopJump | CfOp::PopPush => {
                self.pop_masks(fields.pop_count)?;
                if self.m.b.is_ended() {
                    return Ok(());
                }
                let passing = self.passing(test);
                let frame = Frame::Mask { whole_quad: test.whole_quad, some: true };
                let pushes = (*op == CfOp::PopPush).then_some(frame);
                self.jump_if_nobody(fields, test, passing, 0, pushes)?;
                if *op == CfOp::PopPush && !self.m.b.is_ended() && self.push_mask(test.whole_quad)? {
                    self.set_failing(test, passing);
                }
                Ok(())
            }
            CfOp::Call => self.call(fields, test, passing, CodeAddress { pc: fields.addr, ..self.here.address }),
            CfOp::CallFs if self.m.fetch_program.is_some() => {
                self.call(fields, test, passing, CodeAddress { in_fetch_program: true, pc: 0 })
            }
            CfOp::Return if test.is_active() => self.end_subroutine(fields),
            CfOp::Return => {
                let active = self.m.b.get(self.m.active);
                let staying = self.m.b.mask_andnot(active, passing);
                // Groups without an active pixel return whatever the test.
                self.depends |= test.valid_only || test.never;
                let (stay, leave) = (self.m.b.new_block(), self.m.b.new_block());
                self.m.b.branch_any(staying, (stay, &[]), (leave, &[]));
                self.m.b.seal(stay);
                self.m.b.seal(leave);
                self.m.b.switch_to(leave);
                let context = self.here.clone();
                self.end_subroutine(fields)?;
                self.here = context;
                self.m.b.switch_to(stay);
                Ok(())
            }
            CfOp::LoopStart => self.begin_loop(fields, test, passing, LoopKind::Dx9),
            CfOp::LoopStartNoAl => self.begin_loop(fields, test, passing, LoopKind::NoAl),
            CfOp::LoopStartDx10 => self.begin_loop(fields, test, passing, LoopKind::Dx10),
            CfOp::LoopEnd => self.end_pass(fields, test),
            CfOp::LoopContinue => self.leave_loop(fields, test, passing, false),
            CfOp::LoopBreak => self.leave_loop(fields, test, passing, true),
            CfOp::Kill => {
                self.m.kill(passing);
                let valid = self.m.b.get(self.m.valid);
                let some = self.some && !self.m.specialisation.kill_stops_pixel;
                self.branch(valid, fields, Leave::Pop(0), None)?;
                // Pixels that are killed may go on.
                self.depends |= fields.addr != self.here.address.pc + 1;
                self.some = some;
                Ok(())
            }
            CfOp::EmitVertex => self.emit(&[STRIP_VERTEX], passing),
            CfOp::EmitCutVertex => self.emit(&[STRIP_VERTEX, STRIP_CUT], passing),
            CfOp::CutVertex => self.emit(&[STRIP_CUT], passing),
            CfOp::Nop
            | CfOp::Tex
            | CfOp::Vtx
            | CfOp::VtxTc
            | CfOp::CallFs
            | CfOp::EndProgram
            | CfOp::WaitAck
            | CfOp::TexAck
            | CfOp::VtxAck
            | CfOp::VtxTcAck => Ok(()),
        }
    }
}
