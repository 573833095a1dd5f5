//! From programs to lane IR.
//!
//! The walk (`control`) visits every control-flow address with every shape that the stack can have there: the kinds of
//! frames are known, the masks that they hold are values. States of pixels are three masks: those that are active, those
//! that have left the innermost loop, and those that wait for the end of its pass. Where kills end pixels, a fourth has those
//! that none has ended. Registers are values, but those that are reached by index; resources and constants are named by
//! their roles ([`SurfaceBinding`], [`TableBinding`], [`BufferBinding`]).
//!
//! The function does what a group of the reference does, step by step, in groups of any width. Where jumps are mere short
//! cuts ([`Dependence::Independent`]), what a lane does depends on no other.
#![deny(clippy::wildcard_enum_match_arm)]

mod axis;
mod clause;
mod context;
mod control;
mod cube;
mod element;
mod export;
mod fetch;
mod gradient;
mod independence;
mod level;
mod machine;
mod operation;
mod sample;
mod specialisation;
#[cfg(test)]
mod tests;
mod unrolled;

pub use gradient::gradient_words;
pub use specialisation::*;

use crate::job::{TrapKind, TrapLocation};
use crate::program::Program;
use control::Walk;
use ctm_lane::effort::Effort;
use ctm_lane::{Function, SurfaceDecl, TableDecl};
use independence::Checks;
use machine::LiftState;

/// A program as a function.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The function.
    pub function: Function,
    /// What its surfaces are.
    pub surfaces: Vec<SurfaceBinding>,
    /// What its tables hold.
    pub tables: Vec<TableBinding>,
    /// What its buffers are.
    pub buffers: Vec<BufferBinding>,
    /// What its trap codes stand for.
    pub traps: Vec<TrapKind>,
    /// Where its instructions are: what it calls addresses of traps and steps are places in this list.
    pub locations: Vec<TrapLocation>,
    /// What lanes have to do with each other.
    pub dependence: Dependence,
    /// Most steps of a group, if the program has no loops of its own.
    pub most_steps: Option<u64>,
}

/// What the surfaces, tables and buffers of a function are, in the order of their numbers.
#[derive(Clone, Debug)]
pub struct Names {
    surfaces: Vec<(SurfaceBinding, SurfaceDecl)>,
    tables: Vec<(TableBinding, TableDecl)>,
    buffers: Vec<BufferBinding>,
}

impl Lifted {
    /// The names of its function.
    pub fn names(&self) -> Names {
        let surfaces = self.surfaces.iter().copied().zip(self.function.surfaces.iter().cloned());
        let tables = self.tables.iter().cloned().zip(self.function.tables.iter().cloned());
        Names { surfaces: surfaces.collect(), tables: tables.collect(), buffers: self.buffers.clone() }
    }
}

/// What the lanes of a program have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// What a lane does depends on no other lane, but those of its quad: jumps are mere short cuts.
    Independent,
    /// It depends on which lanes form its group, since these jump together, or kills end lanes.
    Group,
    /// It depends on the order in which an instruction goes through the lanes of a group: they write memory that they
    /// share, or several traps may come of one instruction.
    Order,
}

/// Why a program is not lifted. The reference runs it all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLifted {
    /// Too many ways through the program, too much memory for each lane, or more than the effort.
    #[error("the program is too large, or its stack has too many shapes")]
    TooLarge,
    /// Code that goes back other than by the end of a loop.
    #[error("the program goes back to code that is not the head of a loop")]
    Backward,
    /// A fetch of single bytes from a buffer of less than four.
    #[error("a fetch buffer is shorter than a dword")]
    ShortBuffer,
    /// Control flow that leaves the control-flow program: it runs into a clause.
    #[error("control flow runs into the words of a clause")]
    RunsIntoClause,
    /// What looks like an unrolled loop does not do what a loop does. Only [`lift_with_loops`] meets this, and lifts the code as it is.
    #[error("the code of an unrolled loop is not a loop")]
    NotALoop,
}

type Walked<T> = Result<T, NotLifted>;

/// Lifts a program.
///
/// # Errors
/// If the program has no such form.
pub fn lift(
    program: &Program,
    fetch_program: Option<&Program>,
    specialisation: &Specialisation,
) -> Result<Lifted, NotLifted> {
    lift_within(program, fetch_program, specialisation, &Effort::default())
}

/// The same, if it does not take more than the effort.
///
/// # Errors
/// If it does, or the program has no such form.
pub fn lift_within(
    program: &Program,
    fetch_program: Option<&Program>,
    specialisation: &Specialisation,
    effort: &Effort,
) -> Result<Lifted, NotLifted> {
    let state = || LiftState::new(program, fetch_program, specialisation);
    match walk(Walk::new(state()?, false), effort) {
        Err(NotLifted::Backward) => walk(Walk::new(state()?, true), effort),
        walked => walked,
    }
}

/// Lifts a program with the names that the function of [`lift_with_loops`] has.
///
/// # Errors
/// If the program has no such form.
pub fn lift_with_names(
    program: &Program,
    fetch_program: Option<&Program>,
    specialisation: &Specialisation,
    names: &Names,
    effort: &Effort,
) -> Result<Lifted, NotLifted> {
    walk(Walk::new(LiftState::new_with_names(program, fetch_program, specialisation, names)?, false), effort)
}

/// Lifts a program in which loops that a compiler has unrolled are loops again. Lanes leave the same and take as many steps, but places of steps
/// and traps are those of the first trips. None if the program has no such loops, or lanes depend on each other.
pub fn lift_with_loops(
    program: &Program,
    fetch_program: Option<&Program>,
    specialisation: &Specialisation,
    effort: &Effort,
) -> Option<Lifted> {
    let lifted = |with_nests| {
        let unrolled = unrolled::find(&program.code, program.info.family, with_nests);
        if unrolled.is_empty() {
            return None;
        }
        let state = LiftState::new(program, fetch_program, specialisation).ok()?;
        let lifted = walk(Walk::new(state, false).with_loops(unrolled), effort).ok()?;
        (lifted.dependence == Dependence::Independent).then_some(lifted)
    };
    // What only looks like a nest does not keep clauses in line from being a loop.
    lifted(true).or_else(|| lifted(false))
}

fn walk(mut walk: Walk, effort: &Effort) -> Result<Lifted, NotLifted> {
    walk.run(effort)?;
    if !walk.m.b.seal_all(effort) {
        return Err(NotLifted::TooLarge);
    }
    let specialisation = walk.m.specialisation;
    let code = [false, true].map(|in_fetch_program| walk.m.code(in_fetch_program));
    let counts = specialisation.loops.iter().map(|constant| constant.count).collect();
    let mut checks = Checks::new(code, &specialisation.bools, counts, walk.m.fetch_program.is_some());
    let are_alone = !walk.depends && !walk.m.ends_lanes && checks.are_short_cuts(std::mem::take(&mut walk.jumps));
    let dependence = match (walk.ordered || walk.m.writes_shared, are_alone) {
        (true, _) => Dependence::Order,
        (false, false) => Dependence::Group,
        (false, true) => Dependence::Independent,
    };
    Ok(walk.m.done(dependence))
}
