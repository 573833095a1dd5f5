//! In which lanes a value is wanted. Where an operand is a select that those lanes decide, its user takes the arm directly;
//! masks are treated alike. So code under a condition works on plain values, and the selects that keep the other lanes'
//! old values remain only where the ways meet.
//!
//! A value may be anything in lanes where it is not wanted; masks that keep lanes from memory and decisions are wanted
//! everywhere. All reasoning is about the function as it was before the pass: masks too may change where nobody wants them,
//! so what one implies afterwards says nothing. New operands therefore go to a pool of their own.

use super::mask_implication::{disjoint, implies_by_params};
use crate::effort::Effort;
use crate::entity::{Block, Inst, Type, Value};
use crate::function::{BranchTarget, Def, Function};
use crate::graph::Graph;
use crate::op::{Effect, Op};

/// The lanes in which a value is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DemandedLanes {
    Nowhere,
    Inside(Value),
    Everywhere,
}

impl DemandedLanes {
    fn join(self, other: Self, function: &Function, graph: &Graph) -> Self {
        match (self, other) {
            (Self::Nowhere, demand) | (demand, Self::Nowhere) => demand,
            (Self::Inside(m), Self::Inside(n)) if implies_by_params(function, graph, m, n) => other,
            (Self::Inside(m), Self::Inside(n)) if implies_by_params(function, graph, n, m) => self,
            _ => Self::Everywhere,
        }
    }
}

/// Masks that are looked into for one that is there in front of a block.
const DEPTH: u32 = 4;
/// Steps of questions about masks that come to an instruction, about.
pub(super) const QUESTIONS: usize = 8;
/// Arms that are looked through for one operand.
const MAX_STEPS: usize = 32;

pub(crate) fn run(function: &mut Function, graph: &Graph, effort: &Effort) -> bool {
    let mut pool = function.pool.clone();
    each_use(function, graph, Ways::Everywhere, effort, |inst, at, demand| {
        let old = function.args(inst)[at];
        let new = look_through(function, graph, old, demand);
        pool[function.insts[inst.index()].args as usize + at] = new;
        new
    });
    let changed = pool != function.pool;
    function.pool = pool;
    changed
}

/// Where what blocks hand on is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ways {
    /// In all lanes.
    Everywhere,
    /// Where the parameter is wanted, but for what goes back to a loop's head.
    AsParams,
}

/// Visits the operands that are lanes or masks, of all instructions that somebody wants something of, from the last to the first, with the demand for
/// each. What `visit` gives takes the operand's place: the demand is one for that. Those that come first are left out where that takes too long.
pub(super) fn each_use(
    function: &Function,
    graph: &Graph,
    ways: Ways,
    effort: &Effort,
    mut visit: impl FnMut(Inst, usize, DemandedLanes) -> Value,
) {
    let homes = if ways == Ways::AsParams { homes(function) } else { Vec::new() };
    // From the last to the first, users come before.
    let mut demands = vec![DemandedLanes::Nowhere; function.value_count()];
    for &block in graph.order.iter().rev() {
        let terminator = function.terminator(block);
        for value in terminator.operands() {
            demands[value.index()] = DemandedLanes::Everywhere;
        }
        for target in terminator.targets() {
            let is_visited = graph.position(target.block) > graph.position(block);
            for (&arg, &param) in target.args.iter().zip(function.params(target.block)) {
                let demand = match demands[param.index()] {
                    demand if ways == Ways::AsParams && is_visited => in_front(function, &homes, target, demand),
                    _ => DemandedLanes::Everywhere,
                };
                let slot = &mut demands[arg.index()];
                *slot = slot.join(demand, function, graph);
            }
        }
        for &inst in function.insts(block).iter().rev() {
            if !effort.spend(QUESTIONS) {
                return;
            }
            let op = function.op(inst);
            let wanted = function.results(inst).map(|result| demands[result.index()]);
            let own = wanted.fold(DemandedLanes::Nowhere, |all, demand| all.join(demand, function, graph));
            if own == DemandedLanes::Nowhere && op.effect() == Effect::Pure {
                continue;
            }
            for (at, &old) in function.args(inst).iter().enumerate() {
                if function.value_type(old) == Type::Uniform {
                    continue;
                }
                let demand = of_operand(function, graph, op, inst, at, own);
                let slot = &mut demands[visit(inst, at, demand).index()];
                *slot = slot.join(demand, function, graph);
            }
        }
    }
}

/// The blocks of instructions.
fn homes(function: &Function) -> Vec<Option<Block>> {
    let mut homes = vec![None; function.inst_count()];
    for block in function.blocks() {
        function.insts(block).iter().for_each(|inst| homes[inst.index()] = Some(block));
    }
    homes
}

/// The demand for a parameter in front of its block.
fn in_front(
    function: &Function,
    homes: &[Option<Block>],
    target: &BranchTarget,
    demand: DemandedLanes,
) -> DemandedLanes {
    /// A mask in front of the block that has all of its lanes.
    fn outer(
        function: &Function,
        homes: &[Option<Block>],
        target: &BranchTarget,
        mask: Value,
        depth: u32,
    ) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let from_block = |inst: Inst| homes[inst.index()] == Some(target.block);
        match (function.def(mask), function.defining_op(mask)) {
            (Def::Param(block, number), _) if block == target.block => Some(target.args[number as usize]),
            (Def::Param(..), _) => Some(mask),
            (Def::Result(inst, _), _) if !from_block(inst) => Some(mask),
            (_, Some((Op::MaskAnd {}, &[a, b]))) => {
                [a, b].into_iter().find_map(|part| outer(function, homes, target, part, depth))
            }
            (_, Some((Op::MaskAndnot {}, &[a, _]))) => outer(function, homes, target, a, depth),
            _ => None,
        }
    }
    match demand {
        DemandedLanes::Inside(mask) => {
            outer(function, homes, target, mask, DEPTH).map_or(DemandedLanes::Everywhere, DemandedLanes::Inside)
        }
        demand => demand,
    }
}

/// Where operand `at` of an instruction is wanted, the results of which are wanted in `own`.
fn of_operand(function: &Function, graph: &Graph, op: &Op, inst: Inst, at: usize, own: DemandedLanes) -> DemandedLanes {
    let args = function.args(inst);
    let implies = |m, n| implies_by_params(function, graph, m, n);
    match (op, at) {
        (Op::Quad { .. } | Op::Ballot {} | Op::Shuffle {}, _) => DemandedLanes::Everywhere,
        (Op::Select {} | Op::MaskSelect {}, 1) => match own {
            // The narrower of the two, if that is known. If not, the outer one is more likely to be that of other users.
            DemandedLanes::Inside(outer) if !implies(args[0], outer) => own,
            _ => DemandedLanes::Inside(args[0]),
        },
        (Op::MaskAnd {} | Op::MaskAndnot {}, 1) => match own {
            DemandedLanes::Inside(outer) if implies(outer, args[0]) => own,
            _ => DemandedLanes::Inside(args[0]),
        },
        _ => match op.effect() {
            Effect::Pure => own,
            // The mask of an access, which comes last, is wanted everywhere, and all else inside the mask.
            Effect::ReadsMemory | Effect::WritesMemory | Effect::ReadsArray | Effect::WritesArray | Effect::Counts => {
                match args.last() {
                    Some(&mask) if function.value_type(mask) == Type::Mask && at + 1 < args.len() => {
                        DemandedLanes::Inside(mask)
                    }
                    _ => DemandedLanes::Everywhere,
                }
            }
        },
    }
}

/// The value that an operand is in the lanes where it is wanted.
pub(super) fn look_through(function: &Function, graph: &Graph, mut value: Value, demand: DemandedLanes) -> Value {
    let DemandedLanes::Inside(inside) = demand else { return value };
    let implies = |n| implies_by_params(function, graph, inside, n);
    for _ in 0..MAX_STEPS {
        value = match function.defining_op(value) {
            Some((Op::Select {} | Op::MaskSelect {}, &[m, a, _])) if implies(m) => a,
            Some((Op::Select {} | Op::MaskSelect {}, &[m, _, b])) if disjoint(function, inside, m) => b,
            Some((Op::MaskAnd {}, &[a, b])) if implies(a) => b,
            Some((Op::MaskAnd {}, &[a, b])) if implies(b) => a,
            Some((Op::MaskAndnot {}, &[a, b])) if disjoint(function, inside, b) => a,
            Some((Op::MaskOr {}, &[a, b])) if disjoint(function, inside, a) => b,
            Some((Op::MaskOr {}, &[a, b])) if disjoint(function, inside, b) => a,
            _ => return value,
        };
    }
    value
}
