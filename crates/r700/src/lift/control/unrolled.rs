//! Loops that a compiler has unrolled, as loops.
//!
//! What a lane does stays the same, and how many steps it takes. Instructions are those of the first trip, and so are the places of steps and traps.

use super::{Test, Walk};
use crate::cf::Cf;
use crate::group::Group;
use crate::lift::context::CodeAddress;
use crate::lift::unrolled::{Branches, Level, Progression, Step};
use crate::lift::{NotLifted, Walked};
use ctm_lane::{Block, Denorm, IntTest, Type, Value, Variable};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Qwords of the other side of a branch up to which all groups run it, whether they have a lane there or not.
const SHORT_SIDE: u32 = 8;
/// Contexts, at most, of the plain walk for a level of a nest.
const CONTEXTS_OF_LEVEL: usize = 8;

/// A nest of branches that has become a loop.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    /// The addresses inside the innermost level, and that of its ELSE.
    inner: RangeInclusive<u32>,
    /// Frames on the stack there. One stands for all levels.
    depth: usize,
    levels: usize,
    /// The address after all levels.
    end: u32,
}

/// Literals that differ from trip to trip.
#[derive(Default)]
pub(super) struct Literals {
    /// What is added to literals of the first trip.
    sums: Vec<(Step, Variable)>,
    /// The sums of literals, by their places.
    places: HashMap<(u32, usize), usize>,
}

/// A loop whose trips are being lifted.
struct Trips {
    head: Block,
    left: Variable,
}

impl Walk<'_> {
    /// Clauses in line.
    pub(super) fn run_of_clauses(&mut self, trips: u32, literals: &[Progression], period: u32) -> Walked<()> {
        let (first, some) = (self.here.address.pc, self.some);
        let open = self.begin_trips(trips, literals);
        for pc in first..first + period {
            let cf = self.go_to_instruction(pc)?;
            self.execute(&cf)?;
            if self.m.b.is_ended() {
                break;
            }
        }
        self.end_trips(&open);
        self.here.address.pc = first + trips * period;
        if self.some == some { Ok(()) } else { Err(NotLifted::NotALoop) }
    }

    /// Levels of branches. Lanes that leave a level run the other side of its branch at once, and then wait for the end of all levels.
    pub(super) fn nest(&mut self, trips: u32, literals: &[Progression], branches: &Branches) -> Walked<()> {
        let Branches { levels, inner, inner_end, end } = branches;
        let count = levels.len() * trips as usize;
        let is_open = self.nests.iter().any(|nest| nest.inner.contains(inner));
        let is_plain = self.some && self.is_forward && !self.m.widens && !self.m.specialisation.kill_stops_pixel;
        let wavefront = self.m.specialisation.wavefront;
        let fits = self.here.entries(wavefront, self.hidden_frames() + count) <= self.m.stack_size();
        if is_open || !is_plain || !fits || self.here.innermost_loop().is_some() || !self.push_mask(false)? {
            return Err(NotLifted::NotALoop);
        }
        let nest = Nest { inner: *inner..=*inner_end, depth: self.here.frames.len(), levels: count, end: *end };
        let open = self.begin_trips(trips, literals);
        for level in levels {
            self.level(level, &nest)?;
            if self.m.b.is_ended() {
                break;
            }
        }
        self.end_trips(&open);
        self.nests.push(nest);
        if self.m.b.is_ended() {
            return Ok(());
        }
        self.here.address.pc = *inner;
        self.go_on()
    }

    fn level(&mut self, level: &Level, nest: &Nest) -> Walked<()> {
        let outside = self.m.b.get(self.m.active);
        self.clause_at(level.push)?;
        if self.m.b.is_ended() {
            return Ok(());
        }
        let inside = self.m.b.get(self.m.active);
        for pc in [level.push + 1, level.other] {
            self.m.steps(CodeAddress { pc, ..self.here.address }, None, inside);
        }
        let left = self.m.b.mask_andnot(outside, inside);
        self.m.b.set(self.m.active, left);
        self.some = level.clause_qwords(self.m.program) <= SHORT_SIDE;
        let skips = self.unless_nobody(left, &Test::ACTIVE);
        for pc in level.other + 1..level.end {
            self.clause_at(pc)?;
            if self.m.b.is_ended() {
                break;
            }
        }
        self.join(skips);
        if self.m.b.is_ended() {
            return Ok(());
        }
        self.m.b.set(self.m.active, inside);
        let (stay, leave) = (self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_any(inside, (stay, &[]), (leave, &[]));
        self.m.b.seal(stay);
        self.m.b.seal(leave);
        self.m.b.switch_to(leave);
        let context = self.here.clone();
        self.leave_nest(nest)?;
        self.here = context;
        self.m.b.switch_to(stay);
        self.some = true;
        Ok(())
    }

    /// The clause of the ALU instruction at an address, without its pushes and pops.
    fn clause_at(&mut self, pc: u32) -> Walked<()> {
        let Cf::Alu(alu) = self.go_to_instruction(pc)? else { return Err(NotLifted::NotALoop) };
        let active = self.m.b.get(self.m.active);
        self.m.steps(self.here.address, None, active);
        self.alu_clause(&alu, active)?;
        Ok(())
    }

    fn go_to_instruction(&mut self, pc: u32) -> Walked<Cf> {
        self.here.address.pc = pc;
        let code = self.m.code(self.here.address.in_fetch_program);
        code.get(pc as usize).map(Cf::decode).ok_or(NotLifted::NotALoop)
    }

    /// The nest whose innermost level ends here, if one does.
    pub(super) fn nest_that_ends_here(&self) -> Walked<Option<Nest>> {
        let CodeAddress { in_fetch_program, pc } = self.here.address;
        let ends = |nest: &&Nest| !in_fetch_program && *nest.inner.end() == pc;
        match self.nests.iter().find(ends) {
            Some(nest) if nest.depth != self.here.frames.len() => Err(NotLifted::NotALoop),
            nest => Ok(nest.cloned()),
        }
    }

    /// Goes on after all levels, with all lanes that came to the first.
    pub(super) fn leave_nest(&mut self, nest: &Nest) -> Walked<()> {
        self.here.address.pc = nest.end;
        self.pop_masks(1)?;
        if self.m.b.is_ended() { Ok(()) } else { self.go_on() }
    }

    /// Errors where the topmost frame stands for all levels of a nest: it does not hold what the frame of the innermost level would.
    pub(super) fn check_top_frame(&self) -> Walked<()> {
        let is_top = self.nests_around().any(|nest| nest.depth == self.here.frames.len());
        if is_top { Err(NotLifted::NotALoop) } else { Ok(()) }
    }

    fn nests_around(&self) -> impl Iterator<Item = &Nest> {
        let CodeAddress { in_fetch_program, pc } = self.here.address;
        self.nests.iter().filter(move |nest| !in_fetch_program && nest.inner.contains(&pc))
    }

    /// Frames that the plain program has on its stack here beside those that are known.
    pub(super) fn hidden_frames(&self) -> usize {
        self.nests_around().map(|nest| nest.levels - 1).sum()
    }

    /// Contexts that the plain program has in nests beside those that are visited.
    pub(super) fn hidden_contexts(&self) -> usize {
        self.nests.iter().map(|nest| nest.levels * CONTEXTS_OF_LEVEL).sum()
    }

    fn begin_trips(&mut self, trips: u32, literals: &[Progression]) -> Trips {
        let b = &mut self.m.b;
        let left = b.variable(Type::Uniform);
        let count = b.uniform_constant(trips.cast_signed());
        b.set(left, count);
        let zero = b.constant(0);
        let mut known = Literals::default();
        for progression in literals {
            let sum = known.sums.iter().position(|(step, _)| *step == progression.step).unwrap_or_else(|| {
                let sum = b.variable(Type::Lane);
                b.set(sum, zero);
                known.sums.push((progression.step, sum));
                known.sums.len() - 1
            });
            known.places.insert(progression.place, sum);
        }
        let head = b.new_block();
        b.jump(head, &[]);
        b.switch_to(head);
        self.literals = known;
        self.m.repeats = u64::from(trips);
        Trips { head, left }
    }

    fn end_trips(&mut self, &Trips { head, left }: &Trips) {
        self.m.repeats = 1;
        let literals = std::mem::take(&mut self.literals);
        if !self.m.b.is_ended() {
            for (step, sum) in literals.sums {
                let old = self.m.b.get(sum);
                let new = self.after_step(step, old);
                self.m.b.set(sum, new);
            }
            let b = &mut self.m.b;
            let (count, one, zero) = (b.get(left), b.uniform_constant(1), b.uniform_constant(0));
            let count = b.uniform_sub(count, one);
            b.set(left, count);
            let exit = b.new_block();
            b.branch_if(IntTest::Ne, count, zero, (head, &[]), (exit, &[]));
            b.seal(exit);
            b.switch_to(exit);
        }
        self.m.b.seal(head);
    }

    fn after_step(&mut self, step: Step, old: Value) -> Value {
        match step {
            Step::Float(bits) => {
                let step = self.m.b.constant(bits);
                self.m.b.fadd(Denorm::Flush, old, step)
            }
            Step::Integer(bits) => {
                let step = self.m.b.constant(bits);
                self.m.b.iadd(old, step)
            }
        }
    }

    /// A literal of a group, which begins at a qword.
    pub(in crate::lift) fn literal(&mut self, group: &Group, at: u32, channel: usize) -> Value {
        let first = self.m.b.constant(group.literals[channel]);
        let place = (at + (group.slots.len() + channel / 2) as u32, channel % 2);
        let Some(&sum) = self.literals.places.get(&place) else { return first };
        let (step, sum) = self.literals.sums[sum];
        let sum = self.m.b.get(sum);
        match step {
            Step::Float(_) => self.m.b.fadd(Denorm::Flush, sum, first),
            Step::Integer(_) => self.m.b.iadd(sum, first),
        }
    }
}
