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
//! Sums and products are rewritten as the languages allow it: results differ from the source's order in roundings.

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

/// Makes a function better, and brings it into the form that the back end takes: conditions of `If`s are tests of numbers, and
/// there are no other booleans.
pub fn optimise(function: &Function) -> Function {
    let mut function = dead::eliminate(function);
    for _ in 0..MAX_ROUNDS {
        let next = dead::eliminate(&rebuild::rebuild(&function, true));
        if next == function {
            break;
        }
        function = next;
    }
    let function = dead::eliminate(&relative::by_loops(&function));
    let function = dead::eliminate(&booleans::lower(&function));
    let function = dead::eliminate(&rebuild::rebuild(&function, false));
    let function = dead::eliminate(&sums::order(&function));
    dead::eliminate(&contract::contract(&function))
}

/// Rounds of rebuilding: a round can make room for the next one, and each is cheap.
const MAX_ROUNDS: usize = 6;
