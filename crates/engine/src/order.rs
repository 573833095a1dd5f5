//! The rule of order.
//!
//! Lanes of most runs keep to themselves: how many run together, and on how many threads, does not matter. Where a lane can read or write
//! what another one writes ([`Aliasing`]), what the run leaves in memory depends on their order, and so the run has one: groups of the
//! machine's own width ([`GuestJob::GROUP_WIDTH`]), in the order of the domain, on one thread; inside of a group, the order of the
//! guest's reference. Every engine keeps it, so that such runs too give the same for every engine, width and number of threads.
//!
//! A guest says of a run how its lanes may meet ([`GuestJob::order`]). The engine applies the rule to what it runs, guests to their
//! references and debuggers, both by [`in_order`].

use crate::guest::GuestJob;
use ctm_lane::run::RunOptions;
use ctm_memory::Aliasing;

/// The options that a run has where these are given.
pub fn in_order<'o, J: GuestJob>(job: &J, options: &RunOptions<'o>) -> RunOptions<'o> {
    keep::<J>(job.order(), options)
}

/// The same of a run whose lanes meet so.
pub(crate) fn keep<'o, J: GuestJob>(order: Option<Aliasing>, options: &RunOptions<'o>) -> RunOptions<'o> {
    match order {
        Some(_) => RunOptions { group_width: J::GROUP_WIDTH, threads: 1, ..*options },
        None => *options,
    }
}
