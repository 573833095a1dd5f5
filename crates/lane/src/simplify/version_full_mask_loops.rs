//! Loops that go on with the lanes that pass a test, and have several such tests in a pass.
//!
//! What such a pass does next, it does under another mask after each test, though most tests are passed by all. Here each asks first whether a lane
//! leaves; where none does, the mask is still the one that the pass began with, so that passes in which no lane leaves can have a loop of their own
//! ([`duplicate_full_mask_loop`](super::duplicate_full_mask_loop)):
//!
//! ```text
//!     block(mask):                    block(mask):
//!         test                            test
//!         stay = mask and test            leave = mask and not test
//!         after                          any leave, some, none
//!         any stay, next, out         some:
//!                                         stay = mask and test
//!                                         after
//!                                         any stay, next(stay), out
//!                                     none:
//!                                         after, with mask in place of stay
//!                                         next(mask)
//! ```

use super::duplicate_full_mask_loop::{MOST, MOST_BLOCKS, copy_blocks};
use super::loop_closed_ssa::{add_params, can_be_closed, used};
use crate::effort::Effort;
use crate::entity::{Block, Inst, Type, Value};
use crate::function::{BranchTarget, Def, Function, Terminator};
use crate::graph::Graph;
use crate::hash::FastSet;
use crate::op::Op;

/// Tests in a pass, at least: one alone is the loop's own.
const TESTS: usize = 2;

/// Lets loops with several tests in a pass ask whether lanes leave, and gives them inner loops for the passes in which none does, in a simplified
/// function; gives whether there was one.
pub fn version_full_mask_loops(function: &mut Function, effort: &Effort) -> bool {
    let patience = effort.patience(function);
    let mut graph = Graph::new(function);
    let mut changed = false;
    for body in graph.innermost_loops(MOST_BLOCKS) {
        if !patience.spend(function.size()) {
            break;
        }
        let tests = tests(function, &graph, &body);
        if !tests.is_empty() {
            tests.iter().for_each(|test| ask(function, &graph, test));
            graph = Graph::new(function);
            changed = true;
        }
    }
    if changed {
        super::simplify_loops(function, effort);
    }
    changed
}

/// A test of which lanes stay.
struct Test {
    /// The block at whose end it is looked at.
    block: Block,
    /// The number of the instruction that makes the mask of those that stay, and which operand is the mask that they are taken from.
    at: usize,
    operand: usize,
    /// Where they go.
    next: Block,
}

/// The tests of a loop from its head to the way around it, each of which takes lanes from the mask of the one before; none where they cannot ask.
fn tests(function: &Function, graph: &Graph, body: &[Block]) -> Vec<Test> {
    let head = body[0];
    let is_mask = |param: &Value| function.value_type(*param) == Type::Mask;
    for (number, &mask) in function.params(head).iter().enumerate().filter(|(_, param)| is_mask(param)) {
        let (mut masks, mut tests, mut size) = (FastSet::from_iter([mask]), Vec::new(), 0);
        for &block in body {
            size += function.insts(block).len();
            if let Some((test, staying)) = test(function, graph, body, (block, &masks)) {
                masks.insert(staying);
                size += function.insts(block).len() - test.at;
                tests.push(test);
            }
        }
        masks.remove(&mask);
        let latches = graph.predecessors(head).iter().filter(|&&from| graph.is_loop_edge(from, head));
        let mut around = latches.flat_map(|&from| function.terminator(from).targets()).filter(|to| to.block == head);
        let goes_around = around.all(|target| masks.contains(&target.args[number]));
        if tests.len() >= TESTS && goes_around && size <= MOST && can_be_closed(function, graph, body) {
            return tests;
        }
    }
    Vec::new()
}

/// The test at the end of a block, if it takes lanes from one of these masks, and the mask of the lanes that stay.
fn test(
    function: &Function,
    graph: &Graph,
    body: &[Block],
    (block, masks): (Block, &FastSet<Value>),
) -> Option<(Test, Value)> {
    let Terminator::Any { mask: staying, ref then, ref otherwise } = *function.terminator(block) else { return None };
    let (next, out) = (then.block, otherwise.block);
    if next == body[0] || !body.contains(&next) || body.contains(&out) || graph.predecessors(next) != [block] {
        return None;
    }
    let Def::Result(inst, _) = function.def(staying) else { return None };
    let operand = match (function.op(inst), function.args(inst)) {
        (Op::MaskAnd {}, args) => args.iter().position(|arg| masks.contains(arg))?,
        (Op::MaskAndnot {}, [mask, _]) if masks.contains(mask) => 0,
        _ => return None,
    };
    let at = function.insts(block).iter().position(|&other| other == inst)?;
    // What is after the test comes twice, so that no block sees both.
    let tail = results(function, &function.insts(block)[at..]);
    let sees_one = |other: Block| {
        other == block
            || graph.dominates(next, other)
            || graph.predecessors(out) == [block] && graph.dominates(out, other)
    };
    let others: Vec<Block> = graph.order.iter().copied().filter(|&other| !sees_one(other)).collect();
    let is_seen = used(function, &others).iter().any(|value| tail.contains(value));
    (!is_seen).then_some((Test { block, at, operand, next }, staying))
}

fn results(function: &Function, insts: &[Inst]) -> FastSet<Value> {
    insts.iter().flat_map(|&inst| function.results(inst)).collect()
}

fn ask(function: &mut Function, graph: &Graph, &Test { block, at, operand, next }: &Test) {
    let tail = function.blocks[block.index()].insts.split_off(at);
    let test = tail[0];
    let (mask, condition) = (function.args(test)[operand], function.args(test)[1 - operand]);
    let others = if *function.op(test) == (Op::MaskAnd {}) { Op::MaskAndnot {} } else { Op::MaskAnd {} };
    // Both ways come to the next block.
    let behind: Vec<Block> = graph.order.iter().copied().filter(|&other| graph.dominates(next, other)).collect();
    let made = results(function, &tail);
    let wanted: Vec<Value> = used(function, &behind).into_iter().filter(|value| made.contains(value)).collect();
    add_params(function, graph, (next, &wanted), &behind);
    let some = function.add_block();
    let end = function.blocks[block.index()].terminator.take();
    let data = &mut function.blocks[some.index()];
    (data.insts, data.terminator) = (tail, end);
    let none = copy_blocks(function, &[some])[&some];
    stay(function, none, mask);
    let leave = function.make_inst(others, &[mask, condition]);
    let (leaving, then, otherwise) = (function.result(leave), BranchTarget::new(some), BranchTarget::new(none));
    let data = &mut function.blocks[block.index()];
    data.insts.push(leave);
    data.terminator = Some(Terminator::Any { mask: leaving, then, otherwise });
}

/// Lets all lanes of a mask pass the test that a block begins with.
fn stay(function: &mut Function, block: Block, mask: Value) {
    let test = function.blocks[block.index()].insts.remove(0);
    let staying = function.result(test);
    let all = |value: &mut Value| {
        if *value == staying {
            *value = mask;
        }
    };
    for inst in function.insts(block).to_vec() {
        function.args_mut(inst).iter_mut().for_each(all);
    }
    function.terminator_mut(block).for_each_value_mut(all);
    if let Terminator::Any { then, .. } = function.terminator(block).clone() {
        *function.terminator_mut(block) = Terminator::Jump(then);
    }
}
