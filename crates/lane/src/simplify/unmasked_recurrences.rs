//! Loops that carry values as they are calculated.
//!
//! What a loop carries has its rules about the bits of NaNs applied, and is a choice where lanes leave: those that have left keep what they had.
//! Arithmetic wants neither: whether an operand is a NaN is all that it asks, in lanes that are still there. So the loop also carries the bare
//! value, and calculates with that. The other one is left to those who look at it: in loops that lanes leave one by one, to the choices that keep
//! what they leave with.
//!
//! As with other lanes that go on, the host says which operations take what becomes of the bare value in lanes that have left.

use super::demanded_lanes::{DemandedLanes, Ways, each_use, look_through};
use super::duplicate_full_mask_loop::MOST_BLOCKS;
use super::mask_implication::implies_by_params;
use crate::effort::Effort;
use crate::entity::{Block, Inst, Type, Value};
use crate::function::Function;
use crate::graph::Graph;
use crate::hash::{FastMap, FastSet};
use crate::op::{Effect, NanBits, Op};

/// A parameter of a loop's head, and what its bare value is on each edge to there, in the lanes of a mask that is another parameter.
struct UnmaskedRecurrence {
    param: Value,
    mask: Value,
    values: Vec<Value>,
}

/// Gives loops the parameters that are worth it, in a simplified function; gives whether there are some. `harmless` says of an operation without
/// effects that it may take any numbers and NaNs in lanes that nobody looks at.
pub(super) fn run(function: &mut Function, harmless: &impl Fn(&Op) -> bool, effort: &Effort) -> bool {
    let patience = effort.patience(function);
    let mut changed = false;
    let mut graph = Graph::new(function);
    for body in graph.innermost_loops(MOST_BLOCKS) {
        if !patience.spend(function.params(body[0]).len() * graph.predecessors(body[0]).len()) {
            break;
        }
        let unmasked_recurrences_of = unmasked_recurrences_of(function, &graph, body[0]);
        if unmasked_recurrences_of.is_empty() {
            continue;
        }
        if !patience.spend(function.size()) {
            break;
        }
        let users = users(function, &graph, (&body, &unmasked_recurrences_of), effort);
        if users.is_empty() || spoils(function, &body, &users, harmless) {
            continue;
        }
        add(function, &graph, body[0], &unmasked_recurrences_of, &users);
        graph = Graph::new(function);
        changed = true;
    }
    changed
}

/// The parameters whose values around the loop have rules applied, and are choices that the lanes of a mask decide.
fn unmasked_recurrences_of(function: &Function, graph: &Graph, head: Block) -> Vec<UnmaskedRecurrence> {
    let edges = graph.edges(function, head);
    if edges.len() != graph.predecessors(head).len() {
        // A block that goes there on both of its ways.
        return Vec::new();
    }
    let params = function.params(head);
    let of_type = |ty| params.iter().enumerate().filter(move |&(_, &param)| function.value_type(param) == ty);
    let bare = |number: usize, mask: usize| -> Vec<Value> {
        edges.iter().map(|edge| bare(function, graph, edge.args[number], edge.args[mask])).collect()
    };
    let mut unmasked_recurrences_of = Vec::new();
    for (number, &param) in of_type(Type::Lane) {
        let with_mask = of_type(Type::Mask).find_map(|(place, &mask)| {
            let values = bare(number, place);
            let mut pairs = edges.iter().map(|edge| edge.args[number]).zip(&values);
            pairs.any(|(value, &bare)| !is_choice(function, value, bare)).then_some(UnmaskedRecurrence {
                param,
                mask,
                values,
            })
        });
        unmasked_recurrences_of.extend(with_mask);
    }
    unmasked_recurrences_of
}

/// Whether a value is another one but for choices.
fn is_choice(function: &Function, mut value: Value, bare: Value) -> bool {
    while value != bare {
        match function.defining_op(value) {
            Some((Op::Select {}, &[_, a, _])) => value = a,
            _ => return false,
        }
    }
    true
}

/// A value in the lanes of a mask, without rules about the bits of NaNs.
fn bare(function: &Function, graph: &Graph, mut value: Value, mask: Value) -> Value {
    loop {
        let inside = look_through(function, graph, value, DemandedLanes::Inside(mask));
        let next = match function.defining_op(inside) {
            Some((Op::CanonNan { .. } | Op::PassNan {}, args)) => args[0],
            _ => inside,
        };
        if next == value {
            return value;
        }
        value = next;
    }
}

/// The operands of the loop that may be bare values, each with the number of its parameter among these.
fn users(
    function: &Function,
    graph: &Graph,
    (body, unmasked_recurrences_of): (&[Block], &[UnmaskedRecurrence]),
    effort: &Effort,
) -> FastMap<(Inst, usize), usize> {
    let inside: FastSet<Inst> = body.iter().flat_map(|&block| function.insts(block)).copied().collect();
    let mut users = FastMap::default();
    each_use(function, graph, Ways::AsParams, effort, |inst, at, demand| {
        let value = function.args(inst)[at];
        let is_loose = matches!(function.op(inst).nan_bits(), NanBits::Loose | NanBits::Ignored);
        if let (DemandedLanes::Inside(lanes), true) = (demand, is_loose && inside.contains(&inst))
            && let Some(number) = unmasked_recurrences_of.iter().position(|bare| bare.param == value)
            && implies_by_params(function, graph, lanes, unmasked_recurrences_of[number].mask)
        {
            users.insert((inst, at), number);
        }
        value
    });
    users
}

/// Whether something in the loop is harmed by what bare values may be in lanes that have left.
fn spoils(
    function: &Function,
    body: &[Block],
    users: &FastMap<(Inst, usize), usize>,
    harmless: &impl Fn(&Op) -> bool,
) -> bool {
    let mut touched: FastSet<Value> = FastSet::default();
    let mut compared: FastSet<Value> = FastSet::default();
    for &block in body {
        for &inst in function.insts(block) {
            let (op, args) = (function.op(inst), function.args(inst));
            if args.iter().any(|arg| compared.contains(arg)) && !matches!(op, Op::MaskAnd {} | Op::MaskAndnot {}) {
                return true;
            }
            let is_touched = |(at, arg): (usize, &Value)| touched.contains(arg) || users.contains_key(&(inst, at));
            if !args.iter().enumerate().any(is_touched) {
                continue;
            }
            match op {
                Op::Fcmp { .. } => _ = compared.insert(function.result(inst)),
                // What is chosen is wanted.
                Op::Select {} => {}
                _ if op.effect() == Effect::Pure && harmless(op) => touched.extend(function.results(inst)),
                _ => return true,
            }
        }
        for target in function.terminator(block).targets() {
            let params = function.params(target.block);
            let handed = target.args.iter().zip(params).filter(|(arg, _)| touched.contains(arg));
            touched.extend(handed.map(|(_, &param)| param).collect::<Vec<_>>());
        }
    }
    false
}

fn add(
    function: &mut Function,
    graph: &Graph,
    head: Block,
    unmasked_recurrences_of: &[UnmaskedRecurrence],
    users: &FastMap<(Inst, usize), usize>,
) {
    let used: FastSet<usize> = users.values().copied().collect();
    let mut params: FastMap<usize, Value> = FastMap::default();
    for (number, bare) in unmasked_recurrences_of.iter().enumerate().filter(|(number, _)| used.contains(number)) {
        params.insert(number, function.add_param(head, Type::Lane));
        for (&from, &value) in graph.predecessors(head).iter().zip(&bare.values) {
            for target in function.terminator_mut(from).targets_mut().filter(|target| target.block == head) {
                target.args.push(value);
            }
        }
    }
    for (&(inst, at), number) in users {
        function.args_mut(inst)[at] = params[number];
    }
}
