//! Passes over functions: the same results with fewer instructions.
//!
//! - `rebuild`: makes a function anew, instruction by instruction: constants are calculated, sums and products rewritten (`rules`), what was
//!   calculated before is taken from there, choices that are known are made, short ones become selections, short loops are unrolled;
//! - `dead`: leaves out what nobody uses;
//! - `sums`: sums in the order that takes the fewest operations;
//! - `contract`: products and their sums become multiply-adds;
//! - `relative`: constants chosen by the counters of loops are addressed by loop variables;
//! - `booleans`: booleans become numbers with signs, as the machine has no others.
//!
//! Sums and products are rewritten as the languages allow it: results differ from the source's order in roundings. Not so in functions
//! that are exact: what passes do to those leaves all bits as they were, but for the signs of zeros and for what NaNs are compared with.

mod booleans;
mod contract;
mod counting;
mod dead;
mod known;
mod rebuild;
mod relative;
mod rules;
mod sums;

use crate::ir::Function;
use ctm_lane::budget::{Budget, Halt, Meter};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Makes a function better, within a budget: see [`optimise`].
///
/// # Errors
/// The budget is used up.
pub fn optimise_within(function: &Function, meter: &Meter<'_>) -> Result<Function, Halt> {
    Ok(optimise_listing(function, meter)?.0)
}

/// A loop of the source that became straight code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnrolledLoop {
    /// Its line, from 1; 0 if there is none.
    pub line: u32,
    /// How many passes it has: the most that one of its places has.
    pub passes: u32,
    /// In how many places it stands: calls and loops around it have one each.
    pub places: usize,
}

/// As [`optimise_within`], with the loops of several passes that became straight code, by their lines.
///
/// # Errors
/// The budget is used up.
pub fn optimise_listing(function: &Function, meter: &Meter<'_>) -> Result<(Function, Vec<UnrolledLoop>), Halt> {
    let straightened = RefCell::default();
    let optimised = optimise_with(function, rebuild::UNROLLED, &straightened, meter)?;
    let mut loops: BTreeMap<u32, UnrolledLoop> = BTreeMap::new();
    for (line, passes) in straightened.into_inner() {
        let found = loops.entry(line).or_insert(UnrolledLoop { line, passes, places: 0 });
        (found.passes, found.places) = (found.passes.max(passes), found.places + 1);
    }
    Ok((optimised, loops.into_values().collect()))
}

/// Makes a function better whose code would else be too long: loops of several passes stay loops.
///
/// # Errors
/// The budget is used up.
pub fn shorten_within(function: &Function, meter: &Meter<'_>) -> Result<Function, Halt> {
    optimise_with(function, 0, &RefCell::default(), meter)
}

fn optimise_with(
    function: &Function,
    unrolled: usize,
    straightened: &RefCell<Vec<(u32, u32)>>,
    meter: &Meter<'_>,
) -> Result<Function, Halt> {
    let is_exact = function.is_exact;
    let mut function = dead::eliminate(function);
    for _ in 0..MAX_ROUNDS {
        meter.check()?;
        let next = dead::eliminate(&rebuild::rebuild(&function, true, unrolled, is_exact, straightened, meter));
        if next == function {
            break;
        }
        function = next;
    }
    let passes: [&dyn Fn(&Function) -> Function; 5] = [
        &relative::by_loops,
        &booleans::lower,
        &|function| rebuild::rebuild(function, false, unrolled, is_exact, straightened, meter),
        &|function| if is_exact { function.clone() } else { sums::order(function) },
        &|function| contract::contract(function, is_exact),
    ];
    for pass in passes {
        meter.check()?;
        function = dead::eliminate(&pass(&function));
    }
    meter.check()?;
    Ok(function.exactly(is_exact))
}

/// Makes a function better, and brings it into the form that the back end takes: conditions of `If`s are tests of numbers, and
/// there are no other booleans.
///
/// # Panics
/// Never: nothing is cancelled here.
pub fn optimise(function: &Function) -> Function {
    optimise_within(function, &Meter::new(Budget::default(), None)).expect("a budget without a deadline has no end")
}

/// Rounds of rebuilding: a round can make space for the next one, and each is cheap.
const MAX_ROUNDS: usize = 6;
