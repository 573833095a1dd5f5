//! How groups come to the end of a function: by how many steps, and whether by a trap.

use ctm_lane::{Function, Graph, Op, Terminator};

/// Steps of a group, at most, that machine code takes without a look at the run's budget: at 100 ns for the slowest, 26 ms.
pub const SHORT: u64 = 1 << 18;

/// Whether machine code of a function has to be able to stop in the middle of a group: some way ends in a trap, or is long.
/// `most_steps` are the most that a group takes, if the guest knows.
pub(crate) fn may_stop(function: &Function, most_steps: Option<u64>) -> bool {
    let steps = [longest(function), most_steps].into_iter().flatten().min();
    may_trap(function) || steps.is_none_or(|steps| steps > SHORT)
}

/// Whether machine code of a function can always come to the end of a group: only the run's budget stops it, after which it is never run again.
pub(crate) fn is_complete(function: &Function, most_steps: Option<u64>) -> bool {
    !may_trap(function) && (longest(function).is_some() || most_steps.is_some())
}

/// Whether some way through a function ends in a trap.
pub(crate) fn may_trap(function: &Function) -> bool {
    function.blocks().any(|block| matches!(function.terminator(block), Terminator::Trap { .. }))
}

/// Most steps that a group can execute; `None` if there are loops.
pub(crate) fn longest(function: &Function) -> Option<u64> {
    let graph = Graph::new(function);
    let insts = function.blocks().flat_map(|block| function.insts(block));
    let steps = insts.map(|&inst| match *function.op(inst) {
        Op::Steps { count, .. } => u64::from(count),
        _ => 0,
    });
    graph.loop_heads().next().is_none().then(|| steps.sum())
}
