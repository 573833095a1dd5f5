//! Machine code for constants that stay as they are.
//!
//! Guests keep numbers of their programs' text in the same tables as numbers that change from run to run. Where a coordinate
//! is a position and such a constant, machine code has to find out for each group where in a surface it reads; where it is a loop's counter and such
//! a constant, the loop has to calculate it in each pass. So a kernel
//! that runs again with the same of these constants gets another piece of machine code, for which they are known numbers. A
//! run with others has the code that works for all. This is done once for a kernel.

use crate::backend::{Backend, Bindings, Code, KernelSource, SurfaceLayout};
use crate::budgeted_once::BudgetedOnce;
use crate::interior::interior_of;
use ctm_lane::effort::Effort;
use ctm_lane::{Function, Graph, LaneShape, LaneShapes, Op, Table, Value, assume_constants, simplify_once_within};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Lanes that have run with the same constants when other code for them is worth the time that it takes to make.
const LANES: u64 = 1 << 18;
/// Operations between a coordinate and a constant that it is made of, at most.
const DEPTH: u32 = 12;

/// A kernel's code for known constants, once there is some.
pub(crate) struct Variants {
    backend: Arc<dyn Backend>,
    function: Function,
    surfaces: Vec<SurfaceLayout>,
    may_stop: bool,
    /// The entries of tables that coordinates are made of.
    entries: Vec<(Table, u32)>,
    /// The number of such coordinates.
    unknown: usize,
    seen: Mutex<Seen>,
    made: BudgetedOnce<Variant>,
}

/// The constants of the last run, and the lanes that have run with them.
#[derive(Default)]
struct Seen {
    constants: Vec<u32>,
    lanes: u64,
}

/// Code for these constants, if it is worth anything.
struct Variant {
    constants: Vec<u32>,
    code: Option<Box<dyn Code>>,
}

impl Variants {
    /// For a kernel's functions; `None` if no coordinate of a load is a position, or a loop's counter, and a constant.
    pub fn new(backend: &Arc<dyn Backend>, source: &KernelSource) -> Option<Self> {
        let &KernelSource { function, interior, surfaces, may_stop } = source;
        let entries = entries(interior);
        (!entries.is_empty()).then(|| Self {
            backend: Arc::clone(backend),
            function: function.clone(),
            surfaces: surfaces.to_vec(),
            may_stop,
            entries,
            unknown: unknown_coordinates(interior).len(),
            seen: Mutex::default(),
            made: BudgetedOnce::default(),
        })
    }

    /// The code for a run of so many lanes, if there is better code than that for all constants.
    pub fn code(&self, bindings: &Bindings, lanes: u64, effort: &Effort) -> Option<&dyn Code> {
        let constant = |&(table, entry): &(Table, u32)| bindings.tables[table.index()].get(entry as usize).copied();
        let constants: Vec<u32> = self.entries.iter().map(constant).collect::<Option<_>>()?;
        let variant = match self.made.get() {
            Some(variant) => variant,
            None if self.is_worth(&constants, lanes) => {
                self.made.get_or_make(effort, || self.make(constants.clone(), effort))?
            }
            None => return None,
        };
        variant.code.as_deref().filter(|code| variant.constants == constants && code.is_sound())
    }

    /// Bytes that the code takes.
    pub fn bytes(&self) -> usize {
        self.made.get().and_then(|variant| variant.code.as_deref()).map_or(0, |code| code.bytes())
    }

    fn is_worth(&self, constants: &[u32], lanes: u64) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.constants != constants {
            *seen = Seen { constants: constants.to_vec(), lanes };
            return false;
        }
        seen.lanes = seen.lanes.saturating_add(lanes);
        seen.lanes >= LANES
    }

    fn make(&self, constants: Vec<u32>, effort: &Effort) -> Variant {
        let mut general = self.function.clone();
        assume_constants(&mut general, |table, entry| {
            let known = self.entries.iter().position(|&known| known == (table, entry));
            known.map(|at| constants[at])
        });
        simplify_once_within(&mut general, effort);
        let interior = interior_of(&mut general, effort);
        let is_better = unknown_coordinates(&interior).len() < self.unknown;
        let source =
            KernelSource { function: &general, interior: &interior, surfaces: &self.surfaces, may_stop: self.may_stop };
        // Without it, the code for all constants runs.
        let code = if is_better { self.backend.compile(&source, effort).ok() } else { None };
        Variant { constants, code }
    }
}

/// The coordinates of loads of which constants may tell more: those that go along with positions, but not by a known distance, and those that all
/// lanes have and a loop calculates anew in each pass.
fn unknown_coordinates(function: &Function) -> Vec<Value> {
    let graph = Graph::new(function);
    let shapes = LaneShapes::new(function, &graph);
    let loops = graph.looping_blocks();
    let is_index = |value| matches!(function.defining_op(value), Some((Op::FloatToIndex { .. }, _)));
    let mut unknown = Vec::new();
    for block in function.blocks() {
        let loads = function.insts(block).iter().filter(|inst| matches!(function.op(**inst), Op::SurfaceLoad { .. }));
        for &value in loads.flat_map(|&load| &function.args(load)[..2]) {
            let tells_more = match shapes.get(value) {
                LaneShape::Along(_) => true,
                LaneShape::Uniform => loops.contains(&block) && is_index(value),
                LaneShape::Index { .. } | LaneShape::Coordinate { .. } | LaneShape::Varying => false,
            };
            unknown.extend(tells_more.then_some(value));
        }
    }
    unknown
}

/// The entries of tables that such coordinates are made of.
fn entries(function: &Function) -> Vec<(Table, u32)> {
    let operations = || function.blocks().flat_map(|block| function.insts(block)).map(|&inst| function.op(inst));
    let has = |wanted: fn(&Op) -> bool| operations().any(wanted);
    if !has(|op| matches!(op, Op::SurfaceLoad { .. })) || !has(|op| matches!(op, Op::TableSplat { .. })) {
        return Vec::new();
    }
    let mut entries = Vec::new();
    let mut known = HashSet::new();
    let mut seen = HashSet::new();
    let mut open: Vec<(Value, u32)> = unknown_coordinates(function).into_iter().map(|value| (value, DEPTH)).collect();
    while let Some((value, depth)) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match function.defining_op(value) {
            Some((&Op::TableSplat { table, index }, _)) => {
                let count = function.tables[table.index()].entries;
                if index < count && known.insert((table, index)) {
                    entries.push((table, index));
                }
            }
            Some((Op::SurfaceLoad { .. } | Op::SurfaceLoad2x2 { .. }, _)) | None => {}
            Some((_, args)) => {
                let inner = depth.checked_sub(1).into_iter();
                open.extend(inner.flat_map(|depth| args.iter().map(move |&arg| (arg, depth))));
            }
        }
    }
    entries
}
