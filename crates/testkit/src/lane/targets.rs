//! Runs the functions of the fuzz target of the lane IR's text, see [`crate::targets::lane_text`].

use super::functions::{Kind, check};
use super::support::Data;
use super::{Draft, support};
use ctm_lane::domain::Domain;
use ctm_lane::{Function, Graph, Op};
use ctm_memory::{Bounds, Format, Tiling};

/// Most instructions, names and entries of a function that runs: what is larger only takes longer.
const LONGEST: usize = 400;
const MOST_NAMES: usize = 14;
const MOST_ENTRIES: u32 = 1 << 10;
/// Steps that a group may execute.
const BUDGET: u64 = 200;

/// All backends run a function that verifies as the evaluator does, if it is small.
pub fn agree(function: Function) {
    if !is_small(&function) || !loops_count_steps(&function) {
        return;
    }
    let surfaces = function.surfaces.iter().map(|surface| kind(surface.unit)).collect();
    let domain = Domain { i0: 1, j0: 0, i1: 40, j1: 2 };
    let draft = Draft { function, surfaces, data: (Data::Sparse, 1), domain, budget: BUDGET };
    for backend in support::backends() {
        check(&backend, &draft).unwrap_or_else(|difference| panic!("{difference}"));
    }
}

/// A surface with one channel, which all operations can have.
fn kind(unit: bool) -> Kind {
    match unit {
        true => (Format::Uint16_1, Tiling::Linear, 64, 9, Bounds::Clamp),
        false => (Format::Float32_1, Tiling::Tiled, 64, 9, Bounds::Drop),
    }
}

fn is_small(function: &Function) -> bool {
    let tables = function.tables.iter().map(|table| table.entries);
    let arrays = function.arrays.iter().map(|array| array.entries);
    let insts: usize = function.blocks().map(|block| function.insts(block).len()).sum();
    insts <= LONGEST
        && function.surfaces.len().max(function.tables.len()).max(usize::from(function.buffers)) <= MOST_NAMES
        && tables.chain(arrays).all(|entries| entries <= MOST_ENTRIES)
}

/// Whether every loop counts its steps, so that the step limit ends it. Lifts see to that.
fn loops_count_steps(function: &Function) -> bool {
    let graph = Graph::new(function);
    let counts = |&inst: &ctm_lane::Inst| matches!(function.op(inst), Op::Steps { count: 1.., .. });
    graph.loop_heads().all(|head| function.insts(head).iter().any(counts))
}
