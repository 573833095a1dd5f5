//! Loops that a compiler has unrolled, found again.
//!
//! Mesa's compilers for these chips unroll loops of up to some hundred passes. As their schedulers and allocators soon come to the same
//! state again, the words of a number of passes, which here are one *trip*, repeat, but for literals that count. Such code is a
//! loop again for machine code: it takes a fraction of the time to compile, and stays in the cache of instructions.
//!
//! There are two shapes. In a *run*, clauses follow each other. In a *nest*, each pass is inside a branch of the pass before: lanes that leave the
//! loop early run the other side of the branch, and nothing else until the end of all branches.

mod literals;
mod nest;
#[cfg(test)]
mod tests;

pub(super) use literals::{Progression, Step};
pub(super) use nest::{Branches, Level};

use crate::cf::{Cf, CfAluOp, Qword};
use crate::codes::Family;
use crate::group::groups;
use crate::outline::Outline;
use std::collections::{BTreeMap, HashMap};

/// Instructions, or levels of a nest, of a trip at most.
const MAX_PERIOD: usize = 32;
/// Trips of a loop, at least.
const MIN_TRIPS: usize = 4;
/// Qwords that a loop saves, at least: little code has better uses than being a loop.
const MIN_SAVED: usize = 1024;
/// Instructions of the control-flow program, at most.
const MAX_INSTRUCTIONS: usize = 1 << 14;
/// Parts of a program that repeat but for literals that do not count, at most: a program may have any number of them.
const MAX_FAILURES: usize = 64;

/// A loop.
#[derive(Clone, Debug)]
pub(super) struct Unrolled {
    pub trips: u32,
    /// Literals that differ from trip to trip.
    pub literals: Vec<Progression>,
    pub shape: Shape,
}

/// What the instructions of a trip are.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// So many instructions in line.
    Run { period: u32 },
    /// Levels of branches.
    Nest(Branches),
}

/// The loops of a control-flow program, by the addresses where they begin; with or without nests.
pub(super) fn find(code: &[Qword], family: Family, with_nests: bool) -> BTreeMap<u32, Unrolled> {
    // A program that is shorter than what a loop has to save has none.
    if code.len() < MIN_SAVED {
        return BTreeMap::new();
    }
    let outline = Outline::of(code, family);
    if outline.cf.len() > MAX_INSTRUCTIONS {
        return BTreeMap::new();
    }
    let mut search =
        Search { code, family, cf: &outline.cf, names: HashMap::new(), literals: HashMap::new(), failures: 0 };
    let mut found = BTreeMap::new();
    search.runs(&mut found);
    if with_nests {
        search.nests(&mut found);
    }
    found
}

struct Search<'a> {
    code: &'a [Qword],
    family: Family,
    cf: &'a [Cf],
    /// What instructions are but for addresses and literals, numbered.
    names: HashMap<(Cf, Vec<u32>), u32>,
    /// Where the clauses of the instructions that have been looked at have literals.
    literals: HashMap<usize, Vec<usize>>,
    /// Parts that repeat and are not loops, so far.
    failures: usize,
}

/// A part of a sequence that repeats.
#[derive(Clone, Copy)]
struct Repeat {
    period: usize,
    trips: usize,
}

impl Search<'_> {
    /// Clauses in line.
    fn runs(&mut self, found: &mut BTreeMap<u32, Unrolled>) {
        let names: Vec<Option<u32>> = (0..self.cf.len()).map(|pc| self.name_in_line(pc)).collect();
        let repeats = Repeats::of(&names, |pc| self.words(pc));
        // A jump into the middle goes on in the code as it is written.
        let mut first = 0;
        while first < names.len() {
            let found_here = repeats.from(first).and_then(|repeat| {
                let Repeat { period, trips } = repeat;
                let clauses: Vec<usize> = (first..first + period).collect();
                let (trips, literals) = self.unrolled(trips, &clauses, |trip, at| first + trip * period + at)?;
                Some((period, trips, literals))
            });
            let Some((period, trips, literals)) = found_here else {
                first += 1;
                continue;
            };
            let shape = Shape::Run { period: period as u32 };
            found.insert(first as u32, Unrolled { trips: trips as u32, literals, shape });
            first += trips * period;
        }
    }

    /// The trips whose literals are progressions, if they are worth a loop, and the progressions. `later` gives for each instruction of the first trip
    /// that of another.
    fn unrolled(
        &mut self,
        trips: usize,
        first: &[usize],
        later: impl Fn(usize, usize) -> usize,
    ) -> Option<(usize, Vec<Progression>)> {
        if self.failures == MAX_FAILURES {
            return None;
        }
        let cost: usize = first.iter().map(|&pc| self.words(pc)).sum();
        let worth = |trips: usize| trips >= MIN_TRIPS && (trips - 1) * cost >= MIN_SAVED;
        let (trips, literals) = self.progressions(trips, first, later, worth);
        self.failures += usize::from(!worth(trips));
        worth(trips).then_some((trips, literals))
    }

    /// The number of an instruction that may be part of a run.
    fn name_in_line(&mut self, pc: usize) -> Option<u32> {
        match self.cf[pc] {
            Cf::Alu(alu) if alu.op == CfAluOp::Alu => self.name(pc),
            Cf::Plain(plain) if plain.op.is_fetch() => self.name(pc),
            Cf::Alu(_) | Cf::Plain(_) | Cf::Export(_) | Cf::Reserved(_) => None,
        }
    }

    /// The number of an instruction with the words of its clause. None if it ends the program, looks at quads, or its clause is not whole.
    fn name(&mut self, pc: usize) -> Option<u32> {
        let mut cf = self.cf[pc];
        match &mut cf {
            Cf::Alu(alu) => alu.fields.addr = 0,
            Cf::Plain(plain) => plain.fields.addr = 0,
            Cf::Export(_) | Cf::Reserved(_) => return None,
        }
        let brings_in_quads = match &cf {
            Cf::Alu(alu) => alu.fields.whole_quad_mode,
            Cf::Plain(plain) => plain.fields.whole_quad_mode,
            Cf::Export(_) | Cf::Reserved(_) => true,
        };
        if cf.ends_program() || brings_in_quads {
            return None;
        }
        let mut words = Vec::new();
        if let Some(clause) = self.cf[pc].clause(self.family) {
            let range = clause.range(self.code.len())?;
            let first = range.start;
            words.extend_from_slice(self.code[range].as_flattened());
            let literals = self.find_literals(pc)?;
            for &qword in &literals {
                words[2 * (qword - first)..][..2].fill(0);
            }
            self.literals.insert(pc, literals);
        }
        let next = self.names.len() as u32;
        Some(*self.names.entry((cf, words)).or_insert(next))
    }

    /// Where an instruction's clause has literals; none if it is cut off.
    fn find_literals(&self, pc: usize) -> Option<Vec<usize>> {
        let Cf::Alu(alu) = &self.cf[pc] else { return Some(Vec::new()) };
        let range = Cf::Alu(*alu).clause(self.family)?.range(self.code.len())?;
        let first = range.start;
        let mut literals = Vec::new();
        for group in groups(&self.code[range], self.family) {
            if group.cut_off {
                return None;
            }
            let behind = first + group.start + group.slots.len();
            literals.extend(behind..behind + group.literal_qwords);
        }
        Some(literals)
    }

    /// Qwords of an instruction and its clause.
    fn words(&self, pc: usize) -> usize {
        1 + self.cf[pc].clause(self.family).map_or(0, |clause| clause.length as usize)
    }
}

/// Where a sequence repeats.
struct Repeats {
    /// For each period how many elements in a row, from each on, are the same as those a period later.
    same: Vec<Vec<u32>>,
    /// Qwords of all elements in front of each.
    costs: Vec<usize>,
}

impl Repeats {
    /// Of elements with these names, if they may be part of a loop, and so many qwords.
    fn of(names: &[Option<u32>], cost: impl Fn(usize) -> usize) -> Self {
        let most = MAX_PERIOD.min(names.len() / MIN_TRIPS);
        let same = (1..=most).map(|period| {
            let mut same = vec![0; names.len()];
            for at in (0..names.len() - period).rev() {
                if names[at].is_some() && names[at] == names[at + period] {
                    same[at] = same[at + 1] + 1;
                }
            }
            same
        });
        let costs = (0..names.len()).scan(0, |sum, at| Some(std::mem::replace(sum, *sum + cost(at))));
        Self { same: same.collect(), costs: costs.collect() }
    }

    /// What repeats from an element on and saves most, if anything saves enough.
    fn from(&self, first: usize) -> Option<Repeat> {
        let mut best = None;
        for (period, same) in (1..).zip(&self.same) {
            let trips = 1 + same[first] as usize / period;
            let Some(behind) = self.costs.get(first + period).filter(|_| trips >= MIN_TRIPS) else { continue };
            let saved = (trips - 1) * (behind - self.costs[first]);
            if saved >= MIN_SAVED && best.is_none_or(|(most, _)| saved > most) {
                best = Some((saved, Repeat { period, trips }));
            }
        }
        best.map(|(_, repeat)| repeat)
    }
}
