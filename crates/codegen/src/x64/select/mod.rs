//! Selection: machine instructions for a function, one loop over the groups of a row around it.

mod arithmetic;
mod bits;
mod blocks;
mod double;
mod float_mode;
pub(super) mod floats;
mod lower;
mod masks;
mod memory;
mod nans;
mod operands;
mod operations;
mod reciprocal;
mod speculation;
mod transcendental;

use super::isa::VectorIsa;
use crate::mir::{Class, Mem, Reg};
use crate::select::{Mode, Selected, Window};
use crate::target::Target;
use crate::x64::{Block, Inst, MachineFunction};
use ctm_engine::SurfaceLayout;
use ctm_lane::{Function, Graph, LaneShapes, Value, ValueRanges};
use float_mode::FloatMode;
use iced_x86::Code;
use memory::{InterleavedStores, Operands, Tiles};
use nans::Nans;
use speculation::Speculation;
use std::collections::{HashMap, HashSet};

/// What a lane, mask or uniform value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Val {
    /// Not selected (yet).
    #[default]
    None,
    Reg(Reg),
    /// The same bits in every lane.
    Const(u32),
    /// An entry of a table: pointer, index.
    Entry(Reg, u32),
    /// A vector of a row in memory: the number of the row, and of the vector.
    Vector(usize, u8),
    MaskConst(bool),
    UniformConst(i32),
}

/// The lanes that an access concerns.
#[derive(Clone, Copy)]
pub enum Lanes {
    All,
    No,
    Of(Reg),
}

/// A coordinate of an access, clamped to a surface: everything that the test of its lanes depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Coordinate {
    value: Value,
    /// Each lane should have one more than the lane before it; otherwise all should have the same.
    in_row: bool,
    /// Elements of the surface in this direction.
    size: u32,
}

/// Selection at work.
pub struct Selector<'a> {
    function: &'a Function,
    layouts: &'a [SurfaceLayout],
    isa: VectorIsa,
    mode: Mode,
    graph: Graph,
    ranges: ValueRanges,
    shapes: LaneShapes,
    machine: MachineFunction,
    /// Values by number, and how often each is used.
    values: Vec<Val>,
    uses: Vec<u32>,
    pool: HashMap<Vec<u32>, i32>,
    /// What runs once per call.
    prologue: Vec<Inst>,
    /// It is in the making now.
    is_prologue: bool,
    /// What runs first in each group.
    head: Vec<Inst>,
    insts: Vec<Inst>,
    /// The guest instruction that the last steps belong to.
    pc: Option<u32>,
    /// Constants that are in registers for the whole call.
    hoisted: HashMap<Mem, Reg>,
    /// Pointers of the context that are in registers, by their number.
    pointers: HashMap<usize, Reg>,
    rows: HashMap<ctm_lane::Surface, Reg>,
    /// The counts of the words of buffers.
    words: Option<Reg>,
    /// Arrays that are cleared at the start of a group.
    arrays: HashSet<ctm_lane::Array>,
    x: Reg,
    y: Reg,
    x16: Reg,
    lane_x: Reg,
    lane_y: Reg,
    covered: Reg,
    nans: Nans,
    speculation: Speculation,
    interleaved_stores: InterleavedStores,
    /// Steps of the block in the making, by their lanes: all, or those of a mask.
    steps: Vec<(Option<Reg>, u32)>,
    /// Steps of the block in the making, for the group's limit.
    taken: u32,
    /// Steps that a block counts for the one before it.
    counted_later: HashMap<ctm_lane::Block, Vec<(Reg, u32)>>,
    /// Values whose denormals nobody sees.
    flushed_by_all: Vec<bool>,
    window: Window,
    /// The mode of the floating-point unit here, and between blocks.
    float_mode: FloatMode,
    usual_mode: FloatMode,
    /// The blocks so far, with their labels; the one in the making has label `here` and these parameters.
    done: Vec<(usize, Block)>,
    here: usize,
    params: Vec<Reg>,
    /// The label of the way out.
    exit: usize,
    depth: u32,
    labels: usize,
    /// For coordinates of the block in the making: the lanes that are not where a row has them, or not all the same, if there
    /// may be such, and the first lane's.
    irregular: HashMap<Coordinate, (Option<Reg>, Reg)>,
    /// For columns of the block in the making, clamped to so many: the column with which a row begins that has them all, and the number of each in it.
    clamped_rows: HashMap<(Value, u32), (Reg, Reg)>,
    /// Rows whose vectors are operands.
    operands: Operands,
    tiles: Tiles,
    refused: bool,
}

/// Machine instructions for a function; `None` if it has something that they cannot do.
pub fn select(function: &Function, layouts: &[SurfaceLayout], isa: VectorIsa, mode: Mode) -> Option<Selected<Code>> {
    let mut transposed = HashSet::new();
    loop {
        let known = transposed.len();
        match select_with(function, layouts, (isa, mode), transposed)? {
            Ok(selected) => return Some(selected),
            Err(more) if more.len() == known => return None,
            Err(more) => transposed = more,
        }
    }
}

/// Selects with these stores transposed. The error is that there are more of them, or no more if that is not the reason.
fn select_with(
    function: &Function,
    layouts: &[SurfaceLayout],
    (isa, mode): (VectorIsa, Mode),
    transposed: HashSet<ctm_lane::Inst>,
) -> Option<Result<Selected<Code>, HashSet<ctm_lane::Inst>>> {
    let graph = Graph::new(function);
    let (ranges, shapes) = (ValueRanges::new(function, &graph), LaneShapes::new(function, &graph));
    if layouts.len() < function.surfaces.len() {
        return None;
    }
    let mut machine = MachineFunction { counts_steps: mode.may_stop, ..MachineFunction::default() };
    let (x, y, x16) = (machine.reg(Class::General), machine.reg(Class::General), machine.reg(Class::General));
    let (lane_x, lane_y) = (machine.reg(Class::Vector), machine.reg(Class::Vector));
    let covered = machine.reg(isa.mask_class());
    let mut selector = Selector {
        function,
        layouts,
        isa,
        mode,
        graph,
        ranges,
        shapes,
        machine,
        values: vec![Val::None; function.value_count()],
        uses: count_uses(function),
        pool: HashMap::new(),
        prologue: Vec::new(),
        is_prologue: false,
        head: Vec::new(),
        insts: Vec::new(),
        pc: None,
        hoisted: HashMap::new(),
        pointers: HashMap::new(),
        rows: HashMap::new(),
        words: None,
        arrays: HashSet::new(),
        x,
        y,
        x16,
        lane_x,
        lane_y,
        covered,
        nans: Nans::default(),
        speculation: Speculation::default(),
        interleaved_stores: InterleavedStores::without(transposed),
        steps: Vec::new(),
        taken: 0,
        counted_later: HashMap::new(),
        flushed_by_all: Vec::new(),
        window: Window { x: (0, i64::MAX), y: (0, i64::MAX) },
        float_mode: FloatMode::ENTRY,
        usual_mode: FloatMode::ENTRY,
        done: Vec::new(),
        here: 0,
        params: Vec::new(),
        exit: 0,
        depth: 0,
        labels: 0,
        irregular: HashMap::new(),
        clamped_rows: HashMap::new(),
        operands: Operands::default(),
        tiles: Tiles::default(),
        refused: false,
    };
    selector.flushed_by_all = selector.find_flushed();
    let (usual_mode, is_only_mode) = selector.find_usual_mode();
    selector.once(|selector| selector.change_mode(usual_mode));
    selector.usual_mode = usual_mode;
    // A change of the mode takes the invalid flag down.
    selector.mode.speculates &= is_only_mode;
    selector.start_speculation();
    if !selector.mode.speculates {
        selector.nans = Nans::new(function, &selector.uses);
    }
    Some(selector.run())
}

fn count_uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.value_count()];
    for block in function.blocks() {
        let args = function.insts(block).iter().flat_map(|&inst| function.args(inst));
        for value in args.copied().chain(function.terminator(block).values()) {
            uses[value.index()] += 1;
        }
    }
    uses
}

impl Selector<'_> {
    /// Gives the instructions since the last call the guest instruction that they belong to.
    fn note_origins(&mut self) {
        for inst in self.insts.iter_mut().rev().take_while(|inst| inst.pc.is_none()) {
            inst.pc = self.pc;
        }
    }

    fn refuse(&mut self) {
        self.refused = true;
    }

    /// Whether the value is the same in all lanes of a group.
    fn is_uniform(&self, value: Value) -> bool {
        self.shapes.is_uniform(value) || !self.mode.quads && self.shapes.is_same_in_rows(value)
    }
}
