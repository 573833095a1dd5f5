//! Levels of branches, each inside the one before.

use super::{Repeat, Repeats, Search, Shape, Unrolled};
use crate::cf::{Cf, CfAluOp, CfFields, CfOp, CfPlain};
use crate::codes::Condition;
use crate::program::Program;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Clauses on the other side of a branch, at most.
const MAX_CLAUSES: usize = 16;

/// A level of a nest: a clause that pushes and tests, a jump to an ELSE, whose branch ends by a pop, and in between the level inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lift) struct Level {
    /// The address of the ALU_PUSH_BEFORE. The JUMP follows.
    pub push: u32,
    /// The address of the ELSE. ALU clauses follow.
    pub other: u32,
    /// The address after the clause that pops, the last of these.
    pub end: u32,
}

/// The branches of a nest.
#[derive(Clone, Debug)]
pub(in crate::lift) struct Branches {
    /// The levels of the first trip.
    pub levels: Vec<Level>,
    /// The first address inside the innermost level of all.
    pub inner: u32,
    /// The address of its ELSE.
    pub inner_end: u32,
    /// The address after all levels.
    pub end: u32,
}

impl Level {
    /// Qwords of the clauses that lanes run which leave the level.
    pub fn clause_qwords(self, program: &Program) -> u32 {
        let clauses = (self.other + 1..self.end).filter_map(|pc| program.code.get(pc as usize));
        clauses.filter_map(|qword| Cf::decode(qword).clause(program.info.family)).map(|clause| clause.length).sum()
    }

    /// All of its instructions.
    fn instructions(self) -> impl Iterator<Item = usize> {
        [self.push, self.push + 1].into_iter().chain(self.other..self.end).map(|pc| pc as usize)
    }
}

impl Search<'_> {
    /// Levels of branches.
    pub(super) fn nests(&mut self, found: &mut BTreeMap<u32, Unrolled>) {
        let mut pc = 0;
        while pc < self.cf.len() {
            let levels = self.levels(pc);
            let mut numbers = HashMap::new();
            let mut names: Vec<Option<u32>> = Vec::new();
            for level in &levels {
                let name: Option<Vec<u32>> = level.instructions().map(|pc| self.name(pc)).collect();
                let next = numbers.len() as u32;
                names.push(name.map(|name| *numbers.entry(name).or_insert(next)));
            }
            let cost = |at: usize| levels[at].instructions().map(|pc| self.words(pc)).sum();
            let repeats = Repeats::of(&names, cost);
            let mut first = 0;
            while first < levels.len() {
                let nest = repeats.from(first).and_then(|repeat| self.nest(&levels[first..], repeat, found));
                first += nest.unwrap_or(1);
            }
            pc += (2 * levels.len()).max(1);
        }
    }

    /// Adds the nest that these levels begin with, if they are one. Gives how many of them it has.
    fn nest(&mut self, levels: &[Level], repeat: Repeat, found: &mut BTreeMap<u32, Unrolled>) -> Option<usize> {
        let Repeat { period, trips } = repeat;
        // What repeats has as many clauses in each trip.
        let numbered = levels[..period].iter().enumerate().flat_map(|(at, level)| {
            let others = (level.other + 1..level.end).map(move |pc| (at, Some(pc - level.other)));
            [(at, None)].into_iter().chain(others)
        });
        let numbered: Vec<(usize, Option<u32>)> = numbered.collect();
        let clause = |trip: usize, number: usize| {
            let (at, behind) = numbered[number];
            let level = levels[trip * period + at];
            behind.map_or(level.push, |behind| level.other + behind) as usize
        };
        let first: Vec<usize> = (0..numbered.len()).map(|number| clause(0, number)).collect();
        let (trips, literals) = self.unrolled(trips, &first, clause)?;
        let count = trips * period;
        let innermost = levels[count - 1];
        let (inner, inner_end) = (innermost.push + 2, innermost.other);
        let all = &levels[..count];
        if !self.is_closed(all) || !(inner..inner_end).all(|pc| self.is_inner(pc, inner, inner_end)) {
            return None;
        }
        let shape = Shape::Nest(Branches { levels: levels[..period].to_vec(), inner, inner_end, end: levels[0].end });
        found.insert(levels[0].push, Unrolled { trips: trips as u32, literals, shape });
        Some(count)
    }

    /// The levels from an address inwards.
    fn levels(&self, pc: usize) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        while let Some(level) = self.level(pc + 2 * levels.len()) {
            if levels.last().is_some_and(|outer| level.end != outer.other) {
                break;
            }
            levels.push(level);
        }
        levels
    }

    fn level(&self, pc: usize) -> Option<Level> {
        let Cf::Alu(push) = self.cf.get(pc)? else { return None };
        let jump = self.plain(pc + 1, CfOp::Jump).filter(|fields| fields.pop_count == 0)?;
        let other = jump.addr as usize;
        let fields = self.plain(other, CfOp::Else).filter(|fields| fields.pop_count == 1)?;
        if push.op != CfAluOp::PushBefore || other < pc + 2 {
            return None;
        }
        let alu = |pc: usize| match self.cf.get(pc)? {
            Cf::Alu(alu) => Some(alu.op),
            Cf::Plain(_) | Cf::Export(_) | Cf::Reserved(_) => None,
        };
        let last = (other + 1..self.cf.len().min(other + MAX_CLAUSES)).find(|&pc| alu(pc) != Some(CfAluOp::Alu))?;
        let ends = alu(last) == Some(CfAluOp::PopAfter) && fields.addr as usize == last + 1;
        ends.then_some(Level { push: pc as u32, other: other as u32, end: fields.addr })
    }

    /// A plain instruction for the active lanes, whatever they are.
    fn plain(&self, pc: usize, op: CfOp) -> Option<&CfFields> {
        match self.cf.get(pc)? {
            Cf::Plain(plain) if plain.op == op && is_for_active_lanes(plain) => Some(&plain.fields),
            Cf::Plain(_) | Cf::Alu(_) | Cf::Export(_) | Cf::Reserved(_) => None,
        }
    }

    /// Whether ways lead into these levels at their start only, and from level to level.
    fn is_closed(&self, levels: &[Level]) -> bool {
        let (outermost, innermost) = (levels[0], levels[levels.len() - 1]);
        let jumps: HashSet<u32> = levels.iter().flat_map(|level| [level.push + 1, level.other]).collect();
        let inside = outermost.push + 1..outermost.end;
        let inner = innermost.push + 2..innermost.other;
        self.cf.iter().enumerate().all(|(pc, cf)| {
            let pc = pc as u32;
            cf.target().is_none_or(|target| !inside.contains(&target) || jumps.contains(&pc) || inner.contains(&pc))
        })
    }

    /// Whether an instruction inside the innermost level stays there, looks at no other lane, and leaves the mask of active lanes to the branches that it
    /// is in.
    fn is_inner(&self, pc: u32, inner: u32, inner_end: u32) -> bool {
        let cf = &self.cf[pc as usize];
        let stays = cf.target().is_none_or(|target| target > pc && (inner..=inner_end).contains(&target));
        let is_known = match cf {
            Cf::Alu(alu) => match alu.op {
                CfAluOp::Alu | CfAluOp::PushBefore | CfAluOp::PopAfter | CfAluOp::Pop2After => true,
                CfAluOp::Continue | CfAluOp::Break | CfAluOp::ElseAfter => false,
            },
            Cf::Plain(plain) => {
                let is_branch =
                    matches!(plain.op, CfOp::Nop | CfOp::Jump | CfOp::Push | CfOp::Else | CfOp::Pop | CfOp::PopJump);
                is_branch && is_for_active_lanes(plain)
            }
            Cf::Export(_) | Cf::Reserved(_) => false,
        };
        stays && is_known && !cf.ends_program()
    }
}

fn is_for_active_lanes(CfPlain { fields, .. }: &CfPlain) -> bool {
    fields.cond == Condition::Active && !fields.valid_pixel_mode && !fields.whole_quad_mode && !fields.end_of_program
}
