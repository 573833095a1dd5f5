//! In which lanes a value is wanted. Where an operand is a select that those lanes decide, its user takes the arm directly;
//! masks are treated alike. So code under a condition works on plain values, and the selects that keep the other lanes'
//! old values remain only where the ways meet.
//!
//! A value may be anything in lanes where it is not wanted; masks that keep lanes from memory and decisions are wanted
//! everywhere. All reasoning is about the function as it was before the pass: masks too may change where nobody wants them,
//! so what one implies afterwards says nothing. New operands therefore go to a pool of their own.

use super::implication::{disjoint, implies_by_params};
use crate::entity::{Inst, Type, Value};
use crate::function::Function;
use crate::graph::Graph;
use crate::op::{Effect, Op};

/// The lanes in which a value is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Demand {
    Nowhere,
    Inside(Value),
    Everywhere,
}

impl Demand {
    fn join(self, other: Self, function: &Function, graph: &Graph) -> Self {
        match (self, other) {
            (Self::Nowhere, demand) | (demand, Self::Nowhere) => demand,
            (Self::Inside(m), Self::Inside(n)) if implies_by_params(function, graph, m, n) => other,
            (Self::Inside(m), Self::Inside(n)) if implies_by_params(function, graph, n, m) => self,
            _ => Self::Everywhere,
        }
    }
}

/// Arms that are looked through for one operand.
const MAX_STEPS: usize = 32;

pub(crate) fn run(function: &mut Function) -> bool {
    let graph = Graph::new(function);
    let mut pass = Pass {
        function,
        graph: &graph,
        demands: vec![Demand::Nowhere; function.value_count()],
        pool: function.pool.clone(),
    };
    for &block in graph.order.iter().rev() {
        for value in function.terminator(block).values() {
            pass.demands[value.index()] = Demand::Everywhere;
        }
        for &inst in function.insts(block).iter().rev() {
            pass.visit(inst);
        }
    }
    let pool = pass.pool;
    let changed = pool != function.pool;
    function.pool = pool;
    changed
}

struct Pass<'a> {
    /// The function before the pass.
    function: &'a Function,
    graph: &'a Graph,
    /// Where each value is wanted by the instructions visited so far: from the last to the first, users come before.
    demands: Vec<Demand>,
    /// The operands after the pass.
    pool: Vec<Value>,
}

impl Pass<'_> {
    /// Passes the demand of an instruction on to its operands, which are simplified on the way.
    fn visit(&mut self, inst: Inst) {
        let (function, graph) = (self.function, self.graph);
        let op = function.op(inst);
        let wanted = function.results(inst).map(|result| self.demands[result.index()]);
        let own = wanted.fold(Demand::Nowhere, |all, demand| all.join(demand, function, graph));
        if own == Demand::Nowhere && op.effect() == Effect::Pure {
            return;
        }
        let first = function.insts[inst.index()].args as usize;
        for (at, &old) in function.args(inst).iter().enumerate() {
            if function.value_type(old) == Type::Uniform {
                continue;
            }
            let demand = of_operand(function, graph, op, inst, at, own);
            let new = look_through(function, graph, old, demand);
            self.pool[first + at] = new;
            let slot = &mut self.demands[new.index()];
            *slot = slot.join(demand, function, graph);
        }
    }
}

/// Where operand `at` of an instruction is wanted, the results of which are wanted in `own`.
fn of_operand(function: &Function, graph: &Graph, op: &Op, inst: Inst, at: usize, own: Demand) -> Demand {
    let args = function.args(inst);
    let implies = |m, n| implies_by_params(function, graph, m, n);
    match (op, at) {
        (Op::Quad { .. } | Op::Ballot {} | Op::Shuffle {}, _) => Demand::Everywhere,
        (Op::Select {} | Op::MaskSelect {}, 1) => match own {
            // The narrower of the two, if that is known. If not, the outer one is more likely to be that of other users.
            Demand::Inside(outer) if !implies(args[0], outer) => own,
            _ => Demand::Inside(args[0]),
        },
        (Op::MaskAnd {} | Op::MaskAndnot {}, 1) => match own {
            Demand::Inside(outer) if implies(outer, args[0]) => own,
            _ => Demand::Inside(args[0]),
        },
        _ => match op.effect() {
            Effect::Pure => own,
            // The mask of an access, which comes last, is wanted everywhere, and all else inside the mask.
            Effect::ReadsMemory | Effect::WritesMemory | Effect::ReadsArray | Effect::WritesArray | Effect::Counts => {
                match args.last() {
                    Some(&mask) if function.value_type(mask) == Type::Mask && at + 1 < args.len() => {
                        Demand::Inside(mask)
                    }
                    _ => Demand::Everywhere,
                }
            }
        },
    }
}

/// The value that an operand is in the lanes where it is wanted.
pub(super) fn look_through(function: &Function, graph: &Graph, mut value: Value, demand: Demand) -> Value {
    let Demand::Inside(inside) = demand else { return value };
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
