//! Control flow: one walk over every control-flow address with every shape that the stack can have there.
//!
//! The kinds of the frames on the stack are known at every place; what they hold are values. So states of pixels become
//! masks, pushes and pops give masks new names, and no counter is left but those of loops.

use super::context::{Context, Frame, Place};
use super::free::{Jump, Leave};
use super::machine::Machine;
use super::{NotLifted, Walked};
use crate::cf::{Cf, CfAlu, CfAluOp, CfFields, CfOp, CfPlain};
use crate::codes::Condition;
use crate::job::{LoopConstant, TrapKind};
use crate::outline::Outline;
use crate::program::Stage;
use ctm_lane::{Block, IntTest, Value};
use std::collections::{BTreeMap, HashSet};

/// Contexts that a walk may visit.
const MAX_CONTEXTS: usize = 1 << 14;
/// Deepest stack that a walk follows.
const MAX_FRAMES: usize = 512;
/// Deepest nesting of calls, in units of CALL_COUNT.
const CALL_LIMIT: u32 = 32;

/// What a loop counts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LoopKind {
    /// LOOP_START: counts, and has an aL of its own.
    Dx9,
    /// LOOP_START_NO_AL: counts.
    NoAl,
    /// LOOP_START_DX10: goes on while pixels take part.
    Dx10,
}

/// A condition test with the constant looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    /// No pixel passes.
    pub never: bool,
    pub valid_only: bool,
    pub whole_quad: bool,
}

impl Test {
    const ACTIVE: Test = Test { never: false, valid_only: false, whole_quad: false };

    /// True if exactly the active pixels pass.
    fn is_active(self) -> bool {
        !self.never && !self.valid_only && !self.whole_quad
    }
}

/// What is known where several ways meet, before the first instruction there is lifted.
#[derive(Clone, Copy)]
struct Entry {
    block: Block,
    /// Some pixel is active, whatever way led here.
    some: bool,
}

pub(super) struct Walk<'a> {
    pub m: Machine<'a>,
    /// Contexts that are lifted.
    entries: BTreeMap<Context, Entry>,
    /// Those that are not lifted yet, the lowest address first.
    pending: BTreeMap<Context, Entry>,
    /// Addresses that jumps lead to, in the program and in the fetch program.
    targets: [HashSet<u32>; 2],
    /// Addresses that LOOP_ENDs go back to.
    heads: HashSet<u32>,
    /// Only LOOP_ENDs go back.
    is_forward: bool,
    pub here: Context,
    /// Some pixel is active here.
    some: bool,
    /// Jumps that the group takes together.
    pub jumps: Vec<Jump>,
    /// What lanes do depends on others in another way.
    pub depends: bool,
    /// Where lanes were last seen to trap.
    pub last_trap: Option<(Place, Option<u32>, TrapKind)>,
}

impl<'a> Walk<'a> {
    /// A walk from the start of the program. `careful` ones know less of what they meet, and seal no block early; they are
    /// for code whose loops do not nest.
    pub(super) fn new(m: Machine<'a>, careful: bool) -> Self {
        let mut targets = [HashSet::new(), HashSet::new()];
        let mut heads = HashSet::new();
        let mut is_forward = !careful;
        for (image, targets) in targets.iter_mut().enumerate() {
            let outline = Outline::of(m.code(image == 1), m.program.info.family);
            for (pc, cf) in outline.cf.iter().enumerate() {
                let Cf::Plain(plain) = cf else { continue };
                let Some(target) = cf.target() else { continue };
                targets.insert(target);
                match plain.op {
                    CfOp::LoopEnd => _ = heads.insert(target),
                    CfOp::Call | CfOp::CallFs => is_forward = false,
                    _ => is_forward &= target as usize > pc,
                }
            }
        }
        let here = Context { place: Place { in_fetch_program: false, pc: 0 }, call_depth: 0, frames: Vec::new() };
        Walk {
            m,
            entries: BTreeMap::new(),
            pending: BTreeMap::new(),
            targets,
            heads,
            is_forward,
            here,
            // Groups without a lane do not run.
            some: true,
            jumps: Vec::new(),
            depends: false,
            last_trap: None,
        }
    }

    /// Lifts everything that can be reached.
    pub(super) fn run(&mut self) -> Walked<()> {
        let start = self.here.clone();
        let first = self.enter(start, true)?;
        self.m.b.jump(first, &[]);
        while let Some((context, entry)) = self.pending.pop_first() {
            let may_seal = self.is_forward && !self.heads.contains(&context.place.pc);
            self.some = entry.some && self.is_forward;
            self.entries.insert(context.clone(), entry);
            self.here = context;
            self.m.b.switch_to(entry.block);
            if may_seal {
                self.m.b.seal(entry.block);
            }
            self.straight()?;
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
            let is_head = self.heads.contains(&context.place.pc);
            if self.is_forward && (!is_head || entry.some && !some) {
                return Err(NotLifted::Backward);
            }
            return Ok(entry.block);
        }
        if self.entries.len() + self.pending.len() == MAX_CONTEXTS || context.frames.len() > MAX_FRAMES {
            return Err(NotLifted::TooLarge);
        }
        let block = self.m.b.new_block();
        self.pending.insert(context, Entry { block, some });
        Ok(block)
    }

    /// Lifts from here to the next place where ways part or meet.
    fn straight(&mut self) -> Walked<()> {
        loop {
            let place = self.here.place;
            let Some(qword) = self.m.code(place.in_fetch_program).get(place.pc as usize) else {
                return self.trap(TrapKind::BadAddress, None);
            };
            let cf = Cf::decode(qword);
            let test = self.test(&cf);
            let passing = self.passing(&test);
            self.m.steps(place, None, passing);
            self.instruction(&cf, &test, passing)?;
            if self.m.b.is_ended() {
                return Ok(());
            }
            if cf.ends_program() || matches!(&cf, Cf::Plain(CfPlain { op: CfOp::EndProgram, .. })) {
                return self.end(place.in_fetch_program);
            }
            self.here.place.pc += 1;
            if self.targets[usize::from(place.in_fetch_program)].contains(&self.here.place.pc) {
                return self.go_on();
            }
        }
    }

    /// The end of the program; that of the fetch program returns from it.
    fn end(&mut self, in_fetch_program: bool) -> Walked<()> {
        if in_fetch_program {
            if self.end_call()? {
                self.go_on()?;
            }
        } else {
            self.m.b.ret();
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
    fn go_to(&mut self, target: Place, fields: &CfFields) -> Walked<()> {
        let in_fetch_program = std::mem::replace(&mut self.here.place, target).in_fetch_program;
        if fields.end_of_program { self.end(in_fetch_program) } else { self.go_on() }
    }

    /// The target of the instruction here.
    fn target(&self, fields: &CfFields) -> Place {
        Place { pc: fields.addr, ..self.here.place }
    }

    /// The group traps.
    pub(super) fn trap(&mut self, kind: TrapKind, slot: Option<u32>) -> Walked<()> {
        let active = self.m.b.get(self.m.active);
        self.m.trap(kind, self.here.place, slot, active);
        Ok(())
    }

    fn instruction(&mut self, cf: &Cf, test: &Test, passing: Value) -> Walked<()> {
        let family = self.m.program.info.family;
        match cf {
            Cf::Reserved(_) => self.trap(TrapKind::BadOpcode, None),
            Cf::Plain(plain) if !plain.op.facts().families.has(family) => self.trap(TrapKind::BadOpcode, None),
            Cf::Export(export) if !export.op.facts().families.has(family) => self.trap(TrapKind::BadOpcode, None),
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

    fn test(&self, cf: &Cf) -> Test {
        match cf {
            Cf::Plain(CfPlain { fields, .. }) => {
                let boolean = self.m.facts.bools[usize::from(fields.cf_const)];
                let never = match fields.cond {
                    Condition::Active => false,
                    Condition::False => true,
                    Condition::Bool => !boolean,
                    Condition::NotBool => boolean,
                };
                Test { never, valid_only: fields.valid_pixel_mode, whole_quad: fields.whole_quad_mode }
            }
            Cf::Alu(alu) => Test { whole_quad: alu.fields.whole_quad_mode, ..Test::ACTIVE },
            Cf::Export(export) => Test {
                valid_only: export.fields.valid_pixel_mode,
                whole_quad: export.fields.whole_quad_mode,
                ..Test::ACTIVE
            },
            Cf::Reserved(_) => Test::ACTIVE,
        }
    }

    /// The pixels that pass.
    fn passing(&mut self, test: &Test) -> Value {
        if test.never {
            return self.m.b.mask_constant(false);
        }
        let active = self.m.b.get(self.m.active);
        if test.whole_quad {
            return self.m.quads_of(active);
        }
        if test.valid_only {
            let valid = self.m.b.get(self.m.valid);
            return self.m.b.mask_and(active, valid);
        }
        active
    }

    /// Whether some pixel passes, where that is known.
    fn is_some(&self, test: &Test) -> Option<bool> {
        match test {
            Test { never: true, .. } => Some(false),
            Test { valid_only: false, .. } if self.some => Some(true),
            _ => None,
        }
    }

    /// Splits: what follows is for groups in which some pixel passes. Gives the block in which the others go on.
    fn unless_nobody(&mut self, passing: Value, test: &Test) -> Option<Block> {
        if self.is_some(test) == Some(true) {
            return None;
        }
        let (then, join) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(passing, (then, &[]), (join, &[]));
        self.m.b.seal(then);
        self.m.b.switch_to(then);
        Some(join)
    }

    /// Where the ways of [`unless_nobody`](Self::unless_nobody) meet.
    fn join(&mut self, join: Option<Block>) {
        let Some(join) = join else { return };
        if !self.m.b.is_ended() {
            self.m.b.jump(join, &[]);
        }
        self.m.b.seal(join);
        self.m.b.switch_to(join);
    }

    /// An ALU clause with the pushes and pops around it.
    fn alu(&mut self, alu: &CfAlu, passing: Value) -> Walked<()> {
        let test = self.test(&Cf::Alu(*alu));
        if alu.op.facts().pushes && !self.push_mask(alu.fields.whole_quad_mode)? {
            return Ok(());
        }
        let before = self.m.b.get(self.m.active);
        let skips = self.unless_nobody(passing, &test);
        let narrows = self.alu_clause(alu, passing)?;
        self.join(skips);
        if self.m.b.is_ended() {
            return Ok(());
        }
        if narrows {
            self.some = false;
        }
        match alu.op {
            CfAluOp::ElseAfter => self.invert(&Test::ACTIVE),
            CfAluOp::Continue | CfAluOp::Break => {
                if self.here.innermost_loop().is_none() {
                    return self.trap(TrapKind::NoLoop, None);
                }
                let active = self.m.b.get(self.m.active);
                let failed = self.m.b.mask_andnot(before, active);
                self.leave_pass(alu.op == CfAluOp::Break, &Test::ACTIVE, failed);
                Ok(())
            }
            _ => self.pop_masks(alu.op.facts().pops),
        }
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
            CfOp::Call => self.call(fields, test, passing, Place { pc: fields.addr, ..self.here.place }),
            CfOp::CallFs if self.m.fetch_program.is_some() => {
                self.call(fields, test, passing, Place { in_fetch_program: true, pc: 0 })
            }
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
                if self.end_call()? {
                    // The end of the fetch program is a return itself.
                    match fields.end_of_program && !context.place.in_fetch_program {
                        true => self.m.b.ret(),
                        false => self.go_on()?,
                    }
                }
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
                let valid = self.m.b.get(self.m.valid);
                let valid = self.m.b.mask_andnot(valid, passing);
                self.m.b.set(self.m.valid, valid);
                let some = self.some;
                self.branch(valid, fields, Leave::Pop(0), None)?;
                // Pixels that are killed may go on.
                self.depends |= fields.addr != self.here.place.pc + 1;
                self.some = some;
                Ok(())
            }
            CfOp::EmitVertex | CfOp::EmitCutVertex | CfOp::CutVertex => {
                if self.m.program.info.stage != Stage::Geometry {
                    return self.trap(TrapKind::WrongStage, None);
                }
                self.m.emit_vertex(*op, passing);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Goes on here where the mask has a pixel; where it has none, the group leaves the stack and jumps. `pushes` is what an
    /// instruction is about to push that goes on.
    fn branch(&mut self, mask: Value, fields: &CfFields, leave: Leave, pushes: Option<Frame>) -> Walked<()> {
        let after = {
            let mut after = self.here.clone();
            after.place.pc += 1;
            after.frames.extend(pushes.clone());
            after
        };
        let (at, to) = (self.here.place, self.target(fields));
        self.jumps.push(Jump { at, after, pushed: usize::from(pushes.is_some()), to, leave });
        let (stay, jump) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(mask, (stay, &[]), (jump, &[]));
        self.m.b.seal(stay);
        self.m.b.seal(jump);
        let (context, some) = (self.here.clone(), self.some);
        // What variables hold differs from block to block, and so needs no saving.
        self.m.b.switch_to(jump);
        // With nobody passing a test for valid pixels, somebody may be active.
        self.some = false;
        match leave {
            Leave::Pop(count) => self.pop_masks(count)?,
            Leave::Truncate(depth) => {
                let is_mask = |frame: &Frame| matches!(frame, Frame::Mask { .. });
                if !self.here.frames[depth..].iter().all(is_mask) {
                    self.trap(TrapKind::StackMismatch, None)?;
                }
                self.here.frames.truncate(depth);
            }
        }
        if !self.m.b.is_ended() {
            self.go_to(self.target(fields), fields)?;
        }
        (self.here, self.some) = (context, some);
        self.m.b.switch_to(stay);
        Ok(())
    }

    /// Jumps, and pops, where no pixel passes.
    fn jump_if_nobody(
        &mut self,
        fields: &CfFields,
        test: &Test,
        passing: Value,
        pops: u8,
        pushes: Option<Frame>,
    ) -> Walked<()> {
        match self.is_some(test) {
            Some(true) => return Ok(()),
            Some(false) => {
                self.pop_masks(pops)?;
                if !self.m.b.is_ended() {
                    self.go_to(self.target(fields), fields)?;
                }
                return Ok(());
            }
            None => {}
        }
        self.branch(passing, fields, Leave::Pop(pops), pushes)?;
        self.depends |= test.valid_only || test.whole_quad;
        self.some = true;
        Ok(())
    }

    fn jump_if_none_active(&mut self, fields: &CfFields, pops: u8) -> Walked<()> {
        self.some = false;
        let active = self.m.b.get(self.m.active);
        self.jump_if_nobody(fields, &Test::ACTIVE, active, pops, None)
    }

    /// Pushes the active mask. False if the stack overflowed.
    fn push_mask(&mut self, whole_quad: bool) -> Walked<bool> {
        if !self.push(Frame::Mask { whole_quad, some: self.some })? {
            return Ok(false);
        }
        let active = self.m.b.get(self.m.active);
        let frame = self.m.frame(self.here.frames.len() - 1);
        self.m.b.set(frame.active, active);
        Ok(true)
    }

    fn push(&mut self, frame: Frame) -> Walked<bool> {
        self.here.frames.push(frame);
        if self.here.entries(self.m.facts.wavefront) > self.m.stack_size() {
            self.here.frames.pop();
            self.trap(TrapKind::StackOverflow, None)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Pops mask frames. No pixel that left the loop or its pass comes back.
    fn pop_masks(&mut self, count: u8) -> Walked<()> {
        for _ in 0..count {
            let some = match self.here.frames.last() {
                Some(Frame::Mask { some, .. }) => *some,
                Some(_) => return self.trap(TrapKind::StackMismatch, None),
                None => return self.trap(TrapKind::StackUnderflow, None),
            };
            let frame = self.m.frame(self.here.frames.len() - 1);
            let pushed = self.m.b.get(frame.active);
            let active = self.m.in_pass(pushed);
            self.m.b.set(self.m.active, active);
            self.here.frames.pop();
            self.some = some && self.here.innermost_loop().is_none();
        }
        Ok(())
    }

    /// POP's test: the mask as it is now, narrowed.
    fn narrow(&mut self, test: &Test) {
        if !self.m.b.is_ended() {
            let passing = self.passing(test);
            self.set_failing(test, passing);
        }
    }

    /// The pixels that pass are the active ones; whole-quad mode brings in those that wait for a branch.
    fn set_failing(&mut self, test: &Test, passing: Value) {
        if test.is_active() {
            return;
        }
        let active = if test.whole_quad { self.m.in_pass(passing) } else { passing };
        self.m.b.set(self.m.active, active);
        self.some &= test.whole_quad && !test.never;
    }

    /// Pixels that pass wait for a branch.
    fn deactivate(&mut self, test: &Test, passing: Value) {
        self.m.remove(self.m.active, passing);
        if test.whole_quad {
            // A pixel that passed by its quad waits for the branch, whatever it waited for.
            self.m.add(self.m.stays, passing);
            self.m.remove(self.m.waits, passing);
        }
        self.some = false;
    }

    /// ELSE: of the pixels that were active at the last push, those that took the first arm and those that did not change
    /// places.
    fn invert(&mut self, test: &Test) -> Walked<()> {
        match self.here.frames.last() {
            Some(Frame::Mask { .. }) => {}
            Some(_) => return self.trap(TrapKind::StackMismatch, None),
            None => return self.trap(TrapKind::StackUnderflow, None),
        }
        let frame = self.m.frame(self.here.frames.len() - 1);
        let pushed = self.m.b.get(frame.active);
        let mut active = self.m.b.get(self.m.active);
        if !test.never {
            let waiting = self.m.b.mask_andnot(pushed, active);
            let waiting = self.m.in_pass(waiting);
            // Active pixels were active at the push, unless whole-quad mode brought them in later.
            active = if self.m.widens {
                let others = self.m.b.mask_andnot(active, pushed);
                self.m.b.mask_or(waiting, others)
            } else {
                waiting
            };
        }
        if test.valid_only {
            let valid = self.m.b.get(self.m.valid);
            active = self.m.b.mask_and(active, valid);
        }
        self.m.b.set(self.m.active, active);
        self.some = false;
        Ok(())
    }

    fn call(&mut self, fields: &CfFields, test: &Test, passing: Value, target: Place) -> Walked<()> {
        let call_count = u32::from(fields.call_count);
        if self.is_some(test) == Some(false) || self.here.call_depth + call_count > CALL_LIMIT {
            return Ok(());
        }
        let skip = (self.is_some(test).is_none()).then(|| {
            let (enter, skip) = (self.m.b.new_block(), self.m.b.new_block());
            self.m.b.branch_any(passing, (enter, &[]), (skip, &[]));
            self.m.b.seal(enter);
            self.m.b.seal(skip);
            self.m.b.switch_to(enter);
            skip
        });
        let (context, some) = (self.here.clone(), self.some);
        let to = Place { pc: self.here.place.pc + 1, ..self.here.place };
        if self.push(Frame::Return { to, call_count })? {
            self.here.call_depth += call_count;
            if skip.is_some() {
                let after = Context { place: target, ..self.here.clone() };
                let at = self.here.place;
                self.jumps.push(Jump { at, after, pushed: 1, to, leave: Leave::Pop(0) });
                self.depends |= test.valid_only || test.whole_quad;
            }
            self.go_to(target, fields)?;
        }
        (self.here, self.some) = (context, some);
        if let Some(skip) = skip {
            self.m.b.switch_to(skip);
        }
        Ok(())
    }

    /// Puts the context to where the innermost call came from. False if the group trapped.
    fn end_call(&mut self) -> Walked<bool> {
        let (to, call_count) = match self.here.frames.last() {
            Some(Frame::Return { to, call_count }) => (*to, *call_count),
            frame => {
                let kind = if frame.is_some() { TrapKind::StackMismatch } else { TrapKind::StackUnderflow };
                self.trap(kind, None)?;
                return Ok(false);
            }
        };
        self.here.frames.pop();
        self.here.call_depth -= call_count;
        self.here.place = to;
        Ok(true)
    }

    fn begin_loop(&mut self, fields: &CfFields, test: &Test, passing: Value, kind: LoopKind) -> Walked<()> {
        let constant: LoopConstant = self.m.facts.loops[usize::from(fields.cf_const)];
        if kind != LoopKind::Dx10 && constant.count == 0 {
            return self.jump_if_nobody(fields, &Test { never: true, ..*test }, passing, fields.pop_count, None);
        }
        let frame = Frame::Loop { kind, step: constant.step, some: true };
        self.jump_if_nobody(fields, test, passing, fields.pop_count, Some(frame))?;
        if self.m.b.is_ended() {
            return Ok(());
        }
        let al = match kind {
            LoopKind::Dx9 => self.m.b.uniform_constant(constant.init.into()),
            LoopKind::NoAl | LoopKind::Dx10 => self.al(),
        };
        if !self.push(Frame::Loop { kind, step: constant.step, some: self.some })? {
            return Ok(());
        }
        let frame = self.m.frame(self.here.frames.len() - 1);
        let count = self.m.b.uniform_constant(constant.count.into());
        self.m.b.set(frame.count, count);
        self.m.b.set(frame.al, al);
        for (saved, state) in [(frame.active, self.m.active), (frame.stays, self.m.stays), (frame.waits, self.m.waits)]
        {
            let value = self.m.b.get(state);
            self.m.b.set(saved, value);
        }
        // Who is not in the loop waits as one that has left it, or the loop's end would bring it in.
        let none = self.m.b.mask_constant(false);
        let inside = if test.whole_quad { self.m.in_pass(passing) } else { passing };
        // A pixel that passes by its quad takes part, but keeps waiting for the end of a pass or loop if it did.
        let [waits, stays] = match test.whole_quad {
            true => [self.m.waits, self.m.stays].map(|state| {
                let lanes = self.m.b.get(state);
                self.m.b.mask_and(passing, lanes)
            }),
            false => [none, passing],
        };
        self.m.b.set(self.m.active, inside);
        self.m.b.set(self.m.stays, stays);
        self.m.b.set(self.m.waits, waits);
        Ok(())
    }

    /// The loop index: that of the innermost loop, 0 outside all.
    pub(super) fn al(&mut self) -> Value {
        match self.here.innermost_loop() {
            Some(depth) => {
                let frame = self.m.frame(depth);
                self.m.b.get(frame.al)
            }
            None => self.m.b.uniform_constant(0),
        }
    }

    /// LOOP_END. Pixels that wait for the end of the pass come back before the test.
    fn end_pass(&mut self, fields: &CfFields, test: &Test) -> Walked<()> {
        if self.here.innermost_loop().is_none() {
            return self.trap(TrapKind::NoLoop, None);
        }
        let Some(&Frame::Loop { kind, step, some }) = self.here.frames.last() else {
            return self.trap(TrapKind::StackMismatch, None);
        };
        let frame = self.m.frame(self.here.frames.len() - 1);
        let stays = self.m.b.get(self.m.stays);
        self.m.b.set(self.m.active, stays);
        let none = self.m.b.mask_constant(false);
        self.m.b.set(self.m.waits, none);
        let passing = self.passing(test);
        self.depends |= test.valid_only;
        if kind == LoopKind::Dx9 {
            let (al, step) = (self.m.b.get(frame.al), self.m.b.uniform_constant(step.into()));
            let al = self.m.b.uniform_add(al, step);
            self.m.b.set(frame.al, al);
        }
        let (again, exit) = (self.m.b.new_block(), self.m.b.new_block());
        if kind != LoopKind::Dx10 {
            let (count, one) = (self.m.b.get(frame.count), self.m.b.uniform_constant(1));
            let count = self.m.b.uniform_sub(count, one);
            self.m.b.set(frame.count, count);
            let (next, zero) = (self.m.b.new_block(), self.m.b.uniform_constant(0));
            self.m.b.branch_if(IntTest::Ne, count, zero, (next, &[]), (exit, &[]));
            self.m.b.seal(next);
            self.m.b.switch_to(next);
        }
        self.m.b.branch_any(passing, (again, &[]), (exit, &[]));
        self.m.b.seal(again);
        self.m.b.seal(exit);
        self.m.b.switch_to(again);
        let (context, again) = (self.here.clone(), self.target(fields));
        // Pixels that have left the loop come along for another pass; those of other groups stay here.
        let (at, after) = (context.place, Context { place: again, ..context.clone() });
        self.jumps.push(Jump { at, after, pushed: 0, to: at, leave: Leave::Truncate(context.frames.len()) });
        self.some = true;
        self.go_to(again, fields)?;
        self.here = context;
        self.m.b.switch_to(exit);
        for (saved, state) in [(frame.active, self.m.active), (frame.stays, self.m.stays), (frame.waits, self.m.waits)]
        {
            let value = self.m.b.get(saved);
            self.m.b.set(state, value);
        }
        self.here.frames.pop();
        self.some = some;
        Ok(())
    }

    /// Pixels leave the loop, or the pass.
    fn leave_pass(&mut self, breaks: bool, test: &Test, leaving: Value) {
        self.m.remove(self.m.active, leaving);
        if breaks {
            self.m.remove(self.m.stays, leaving);
        } else {
            self.m.add(self.m.waits, leaving);
            if test.whole_quad {
                // One that had left the loop, and passed by its quad, waits for the end of the pass now.
                self.m.add(self.m.stays, leaving);
            }
        }
        self.some = false;
    }

    /// LOOP_BREAK, LOOP_CONTINUE. They jump, past open branches, when nobody is left in the pass.
    fn leave_loop(&mut self, fields: &CfFields, test: &Test, passing: Value, breaks: bool) -> Walked<()> {
        let Some(depth) = self.here.innermost_loop() else {
            return self.trap(TrapKind::NoLoop, None);
        };
        self.leave_pass(breaks, test, passing);
        let stays = self.m.b.get(self.m.stays);
        let left = self.m.in_pass(stays);
        self.branch(left, fields, Leave::Truncate(depth + 1), None)
    }
}
