//! Simplifications that all engines share. They preserve every observable bit: memory, decisions, traps, counts.
//!
//! Passes take turns until nothing changes:
//!
//! - *dead code* removes what nobody wants, parameters in circles included;
//! - *value numbering* walks once along the dominator tree: it folds constants, applies the rules of single operations, replaces a
//!   computation by an equal one that dominates it, and uses what branches imply about masks;
//! - *redundant parameters* removes those that always are the same value, or the same as another;
//! - *demanded lanes* finds the lanes in which a value is wanted, and passes by selects and masks that only matter in others;
//! - *uniform counters* compares what the lanes of a loop have in common as such;
//! - *NaN bits* removes the operations that fix bits of NaNs which nothing observes;
//! - *negations* moves them from factors to products, which sums subtract;
//! - *blocks* folds branches that are decided, and merges blocks in a row.
//!
//! Between and after such rounds come those that run once: *jump threading*, *full-mask loops* (tail duplication), *strength reduction*, the
//! *complement masks* of lanes that stay, and *sinking* to the exits of loops, which are in loop-closed SSA form (LCSSA) there.

mod blocks;
mod complement_masks;
mod congruence;
mod dead_code;
mod demanded_lanes;
mod duplicate_full_mask_loop;
mod jump_threading;
mod loop_closed_ssa;
mod loop_invariants;
mod mask_facts;
mod mask_implication;
mod nan_bits;
mod negations;
mod redundant_params;
mod replacement;
mod rules;
mod run_inactive_lanes;
mod sink_to_exits;
mod strength_reduction;
mod uniform_counters;
mod unmasked_recurrences;
mod value_numbering;
mod version_full_mask_loops;
mod zero_inactive_lanes;
mod zero_signs;

use crate::attribute::Bits;
use crate::effort::Effort;
use crate::entity::{Inst, Table, Value};
use crate::function::Function;
use crate::graph::Graph;
use crate::op::{Effect, Op};
use value_numbering::Facts;

pub(crate) use nan_bits::Observed;
pub use run_inactive_lanes::run_inactive_lanes;
pub use version_full_mask_loops::version_full_mask_loops;
pub use zero_inactive_lanes::zero_inactive_lanes;

/// A pass: its name, and what it does, which returns whether it changed something. Wherever it ends for want of effort, the function is what it was.
type Pass = (&'static str, fn(&mut Function, &mut Analyses, &Effort) -> bool);

/// What is known of a function while passes take turns.
struct Analyses {
    /// Its blocks, which only the pass of that name changes.
    graph: Graph,
    /// What was known in front of the last walk of *value numbering*, while it holds.
    facts: Option<Facts>,
    /// Nothing but dead code has gone since that walk.
    is_walked: bool,
}

/// The name of the pass that removes what nobody wants.
const DEAD_CODE: &str = "dead code";
/// The name of the pass that keeps what it knows for its next walk.
const VALUE_NUMBERING: &str = "value numbering";
/// The name of the pass that removes parameters; what is known of other values holds.
const REDUNDANT_PARAMS: &str = "redundant parameters";

/// The passes, in the order in which a round runs them.
const PASSES: &[Pass] = &[
    (DEAD_CODE, |function, _, _| dead_code::run(function)),
    (VALUE_NUMBERING, |function, analyses, effort| {
        let walked = analyses.facts.take().filter(|_| analyses.is_walked);
        let (changed, facts) = value_numbering::run(function, &analyses.graph, walked, effort);
        analyses.facts = Some(facts);
        analyses.is_walked = true;
        changed
    }),
    (REDUNDANT_PARAMS, |function, analyses, effort| redundant_params::run(function, &analyses.graph, effort)),
    ("demanded lanes", |function, analyses, effort| demanded_lanes::run(function, &analyses.graph, effort)),
    ("uniform counters", |function, Analyses { graph, facts, .. }, effort| {
        uniform_counters::run(function, graph, facts.as_ref().map(Facts::shapes), effort)
    }),
    ("NaN bits", |function, analyses, _| nan_bits::run(function, &analyses.graph)),
    ("negations", |function, _, _| negations::run(function)),
    ("blocks", |function, analyses, _| {
        let changed = blocks::run(function, &analyses.graph);
        if changed {
            analyses.graph = Graph::new(function);
        }
        changed
    }),
];

/// How often, at most, ways through the code are made anew.
const MAX_RESTRUCTURINGS: usize = 2;
/// Passes after which simplification ends even if something could still change: eight rounds.
const MAX_TURNS: usize = 8 * PASSES.len();

/// Simplifies a function that passes the verifier, and puts it in order ([`Function::compact`]).
pub fn simplify(function: &mut Function) {
    simplify_within(function, &Effort::default());
}

/// The same, as far as the effort goes.
pub fn simplify_within(function: &mut Function, effort: &Effort) {
    simplify_observed(function, effort, &mut |_, _| ());
}

/// Like [`simplify`], and shows the function to `observe` with the pass's name after every pass that changed something, so
/// that a test can run it and compare.
pub fn simplify_with(function: &mut Function, mut observe: impl FnMut(&'static str, &Function)) {
    simplify_observed(function, &Effort::default(), &mut observe);
}

fn simplify_observed(function: &mut Function, effort: &Effort, observe: &mut impl FnMut(&'static str, &Function)) {
    function.compact();
    run_to_fixpoint(function, MAX_TURNS, effort, observe);
    // Edges past a loop's head can be told apart once the loop has an inner one, which then leaves it in other places.
    for _ in 0..MAX_RESTRUCTURINGS {
        let threaded = has_effort(function, effort) && jump_threading::run(function, effort);
        if threaded {
            blocks::run(function, &Graph::new(function));
            function.compact();
            observe("jump threading", function);
            run_to_fixpoint(function, PASSES.len(), effort, observe);
        }
        let has_inner = has_effort(function, effort) && duplicate_full_mask_loop::run(function, effort);
        if has_inner {
            blocks::run(function, &Graph::new(function));
            function.compact();
            observe("full-mask loops", function);
        }
        if !threaded && !has_inner {
            break;
        }
        run_to_fixpoint(function, MAX_TURNS, effort, observe);
    }
    if has_effort(function, effort) && strength_reduction::run(function, effort) {
        dead_code::run(function);
        observe("strength reduction", function);
    }
    finish_exits(function, effort);
    observe("sinking", function);
}

/// What comes last: the lanes that stay, and the ways out of loops.
fn finish_exits(function: &mut Function, effort: &Effort) {
    if has_effort(function, effort) {
        complement_masks::run(function);
        sink_to_exits::run(function, effort);
    }
    function.compact();
}

/// Gives loops inner loops in a function that was simplified before something could have them.
fn simplify_loops(function: &mut Function, effort: &Effort) {
    if has_effort(function, effort) && duplicate_full_mask_loop::run(function, effort) {
        blocks::run(function, &Graph::new(function));
    }
    function.compact();
    run_to_fixpoint(function, MAX_TURNS, effort, &mut |_, _| ());
    finish_exits(function, effort);
}

/// Simplifies a function that passes the verifier in one round: for who makes several functions of it, each of which is simplified by itself.
pub fn simplify_once(function: &mut Function) {
    simplify_once_within(function, &Effort::default());
}

/// The same, as far as the effort goes.
pub fn simplify_once_within(function: &mut Function, effort: &Effort) {
    function.compact();
    run_to_fixpoint(function, PASSES.len(), effort, &mut |_, _| ());
    dead_code::run(function);
    function.compact();
}

/// Notes that a pass looks at the function; gives whether there is effort for that.
fn has_effort(function: &Function, effort: &Effort) -> bool {
    effort.spend(function.size()) && effort.has_memory_for(function.value_count())
}

/// Runs the passes until nothing changes, so many of them at most.
fn run_to_fixpoint(
    function: &mut Function,
    turns: usize,
    effort: &Effort,
    observe: &mut impl FnMut(&'static str, &Function),
) {
    // Passes in a row that found nothing for others: when all of them have seen the function as it is, it is done. What nobody
    // wants hides little from the others, and so is not a reason to run them all again.
    let mut idle = 0;
    let mut analyses = Analyses { graph: Graph::new(function), facts: None, is_walked: false };
    for &(name, pass) in PASSES.iter().cycle().take(turns) {
        if !has_effort(function, effort) {
            break;
        }
        let changed = pass(function, &mut analyses, effort);
        if changed {
            observe(name, function);
            analyses.is_walked &= name == DEAD_CODE || name == VALUE_NUMBERING;
            if !matches!(name, DEAD_CODE | VALUE_NUMBERING | REDUNDANT_PARAMS) {
                analyses.facts = None;
            }
        }
        idle = if changed && name != DEAD_CODE { 0 } else { idle + 1 };
        if idle == PASSES.len() {
            break;
        }
    }
}

/// Takes long computations that are the same in every pass of a loop out of it, in a simplified function. For hosts with registers for what then
/// lives through the loop.
pub fn hoist_invariants(function: &mut Function) {
    hoist_invariants_within(function, &Effort::default());
}

/// The same, as far as the effort goes.
pub fn hoist_invariants_within(function: &mut Function, effort: &Effort) {
    if has_effort(function, effort) && loop_invariants::run(function, effort) {
        function.compact();
    }
}

/// Makes a function for groups that lie wholly inside the domain out of one for any group: every lane is covered. Gives
/// whether that is worth another simplification: that an access takes place in all lanes implies no more.
pub fn assume_covered(function: &mut Function) -> bool {
    let mut covered = vec![false; function.value_count()];
    for inst in (0..function.inst_count()).map(Inst::new) {
        if *function.op(inst) == (Op::Covered {}) {
            covered[function.result(inst).index()] = true;
            function.replace_op(inst, Op::Mask { value: true }, &[]);
        }
    }
    let is_told = |value: Value| covered[value.index()];
    function.blocks().any(|block| {
        let computes = |inst: &Inst| function.op(*inst).effect() == Effect::Pure;
        let mut insts = function.insts(block).iter().copied().filter(computes);
        insts.any(|inst| function.args(inst).iter().copied().any(is_told))
            || function.terminator(block).values().any(is_told)
    })
}

/// Makes a function for runs in which entries of tables are known: those for which there is a constant.
pub fn assume_constants(function: &mut Function, constant: impl Fn(Table, u32) -> Option<u32>) {
    for inst in (0..function.inst_count()).map(Inst::new) {
        if let Op::TableSplat { table, index } = *function.op(inst)
            && let Some(bits) = constant(table, index)
        {
            function.replace_op(inst, lane(bits), &[]);
        }
    }
}

/// A float constant's operation.
pub(crate) fn lane(bits: u32) -> Op {
    Op::Lane { bits: Bits(bits) }
}
