//! A function laid out for the interpreter: values in numbered rows, rows used again within a block.

use ctm_lane::{
    ArrayDecl, Block, BranchTarget, Function, Graph, Inst, IntTest, Op, Terminator, Type, Value, ValueRanges,
};

/// Most operands of an operation.
const MAX_ARGS: usize = 7;

/// An instruction: numbers of rows, or of uniforms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub op: Op,
    /// Its first result.
    pub results: [u32; 4],
    pub args: [u32; MAX_ARGS],
    /// Bit n: operand n is never a denormal. Known only where it saves something ([`HEEDS_NORMAL`]).
    pub normal: u8,
}

/// Whether the loops of this host take less time for operands that are not denormals.
const HEEDS_NORMAL: bool = cfg!(all(target_arch = "wasm32", target_feature = "simd128"));

/// How an argument gets into a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// The argument's row is not needed any more.
    Swap {
        to: u32,
        from: u32,
    },
    Copy {
        to: u32,
        from: u32,
    },
    Uniform {
        to: u32,
        from: u32,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub block: usize,
    pub moves: Vec<Move>,
}

#[derive(Clone, Debug)]
pub(super) enum End {
    Jump(Edge),
    If { test: IntTest, a: u32, b: u32, then: Edge, otherwise: Edge },
    Any { mask: u32, then: Edge, otherwise: Edge },
    Return,
    Trap { code: u16, pc: u32, mask: u32 },
}

#[derive(Clone, Debug)]
pub(super) struct BlockCode {
    pub steps: Vec<Step>,
    pub end: End,
}

/// A function, ready to run.
#[derive(Clone, Debug)]
pub struct Code {
    pub(super) blocks: Vec<BlockCode>,
    /// Constants, whose rows never change: computed once per run.
    pub(super) constants: Vec<Step>,
    pub(super) rows: usize,
    pub(super) uniforms: usize,
    pub(super) arrays: Vec<ArrayDecl>,
    /// The function uses other lanes of quads.
    pub uses_quads: bool,
    /// Lanes may go on for different times.
    pub has_loops: bool,
}

/// Gives numbers to values.
struct Numbers<'a> {
    function: &'a Function,
    ranges: Option<ValueRanges>,
    /// Per value its row or uniform; `NONE` while it has none.
    of: Vec<u32>,
    /// Where in its block each value is used last, until its row is free again; `NONE` for values that other blocks use.
    last_use: Vec<u32>,
    free: Vec<u32>,
    rows: u32,
    uniforms: u32,
}

impl Numbers<'_> {
    fn row(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.rows += 1;
            self.rows - 1
        })
    }

    fn define(&mut self, value: Value) -> u32 {
        let number = match self.function.value_type(value) {
            Type::Uniform => {
                self.uniforms += 1;
                self.uniforms - 1
            }
            Type::Lane | Type::Mask => self.row(),
        };
        self.of[value.index()] = number;
        number
    }

    /// The row of a value that is used here for the last time may hold another.
    fn release(&mut self, value: Value, here: usize) {
        let last_use = &mut self.last_use[value.index()];
        if *last_use == here as u32 {
            *last_use = NONE;
            if self.function.value_type(value) != Type::Uniform {
                self.free.push(self.of[value.index()]);
            }
        }
    }
}

/// Stands for "none" in tables of numbers.
const NONE: u32 = u32::MAX;

fn is_constant(op: &Op) -> bool {
    matches!(op, Op::Lane { .. } | Op::Mask { .. } | Op::TableSplat { .. })
}

impl Code {
    /// Bytes of memory that it takes, about.
    pub fn bytes(&self) -> usize {
        let steps: usize = self.blocks.iter().map(|block| block.steps.len()).sum();
        (steps + self.constants.len()) * size_of::<Step>() + self.blocks.len() * size_of::<BlockCode>()
    }

    /// Bytes that the code of a function takes, about, before it is made.
    pub(crate) fn bytes_of(function: &Function) -> usize {
        function.live_inst_count() * size_of::<Step>() + function.block_count() * size_of::<BlockCode>()
    }

    /// Lays out a verified function.
    pub fn new(function: &Function) -> Self {
        let graph = Graph::new(function);
        let mut numbers = Numbers {
            function,
            ranges: HEEDS_NORMAL.then(|| ValueRanges::new(function, &graph)),
            of: vec![NONE; function.value_count()],
            last_use: last_uses(function, &graph),
            free: Vec::new(),
            rows: 0,
            uniforms: 0,
        };
        let mut constants = Vec::new();
        for &block in &graph.order {
            for &inst in function.insts(block) {
                if is_constant(function.op(inst)) {
                    numbers.last_use[function.result(inst).index()] = NONE;
                    numbers.define(function.result(inst));
                    constants.push(step(function, &numbers, inst));
                }
            }
        }
        // Values that live beyond their block get rows of their own first.
        for &block in &graph.order {
            for &param in function.params(block) {
                numbers.define(param);
            }
            for &inst in function.insts(block) {
                for result in function.results(inst) {
                    if numbers.last_use[result.index()] == NONE && numbers.of[result.index()] == NONE {
                        numbers.define(result);
                    }
                }
            }
        }
        let mut blocks = vec![BlockCode { steps: Vec::new(), end: End::Return }; graph.order.len()];
        for (at, &block) in graph.order.iter().enumerate() {
            blocks[at] = lay_out(function, &graph, &mut numbers, block);
        }
        let is_quad = |block: &BlockCode| block.steps.iter().any(|step| matches!(step.op, Op::Quad { .. }));
        Code {
            uses_quads: blocks.iter().any(is_quad),
            has_loops: graph.loop_heads().next().is_some(),
            blocks,
            constants,
            rows: numbers.rows as usize,
            uniforms: numbers.uniforms as usize,
            arrays: function.arrays.clone(),
        }
    }
}

/// Where in its block each result is used last, counting from the start; the terminator comes after all instructions, and
/// what nobody uses counts as used where it is made. `NONE` for what other blocks use, and for parameters.
fn last_uses(function: &Function, graph: &Graph) -> Vec<u32> {
    let mut home = vec![NONE; function.value_count()];
    let mut last_use = home.clone();
    for &block in &graph.order {
        let mut used = |value: Value, at: usize, home: &[u32]| {
            last_use[value.index()] = if home[value.index()] == block.0 { at as u32 } else { NONE };
        };
        let insts = function.insts(block);
        for (at, &inst) in insts.iter().enumerate() {
            for result in function.results(inst) {
                home[result.index()] = block.0;
                used(result, at, &home);
            }
            function.args(inst).iter().for_each(|&value| used(value, at, &home));
        }
        function.terminator(block).values().for_each(|value| used(value, insts.len(), &home));
    }
    last_use
}

fn step(function: &Function, numbers: &Numbers, inst: Inst) -> Step {
    let is_normal = |value| numbers.ranges.as_ref().is_some_and(|ranges| !ranges.get(value).denormal);
    let bits = function.args(inst).iter().take(3).enumerate();
    let normal = bits.map(|(number, &arg)| u8::from(is_normal(arg)) << number).sum();
    let mut step = Step { op: *function.op(inst), results: [0; 4], args: [0; MAX_ARGS], normal };
    for (number, &arg) in step.args.iter_mut().zip(function.args(inst)) {
        *number = numbers.of[arg.index()];
    }
    for (number, result) in step.results.iter_mut().zip(function.results(inst)) {
        *number = numbers.of[result.index()];
    }
    step
}

fn lay_out(function: &Function, graph: &Graph, numbers: &mut Numbers, block: Block) -> BlockCode {
    let insts = function.insts(block);
    let mut steps = Vec::with_capacity(insts.len());
    for (at, &inst) in insts.iter().enumerate() {
        if is_constant(function.op(inst)) {
            continue;
        }
        for result in function.results(inst) {
            if numbers.of[result.index()] == NONE {
                numbers.define(result);
            }
        }
        steps.push(step(function, numbers, inst));
        for value in function.args(inst).iter().copied().chain(function.results(inst)) {
            numbers.release(value, at);
        }
    }
    let terminator = function.terminator(block);
    let number = |value: &Value| numbers.of[value.index()];
    let edge = |target: &BranchTarget| edge(function, graph, numbers, terminator, target);
    let end = match terminator {
        Terminator::Jump(target) => End::Jump(edge(target)),
        Terminator::If { test, a, b, then, otherwise } => {
            End::If { test: *test, a: number(a), b: number(b), then: edge(then), otherwise: edge(otherwise) }
        }
        Terminator::Any { mask, then, otherwise } => {
            End::Any { mask: number(mask), then: edge(then), otherwise: edge(otherwise) }
        }
        Terminator::Return => End::Return,
        Terminator::Trap { code, pc, mask } => End::Trap { code: *code, pc: *pc, mask: number(mask) },
    };
    // Rows of values that the terminator uses last are free for the next block.
    terminator.values().for_each(|value| numbers.release(value, insts.len()));
    BlockCode { steps, end }
}

/// The moves of an edge, in an order in which no argument is overwritten before it is read.
fn edge(function: &Function, graph: &Graph, numbers: &Numbers, terminator: &Terminator, target: &BranchTarget) -> Edge {
    let params = function.params(target.block);
    let uses = |value: Value| terminator.values().filter(|used| *used == value).count();
    let mut moves = Vec::new();
    for (&param, &arg) in params.iter().zip(&target.args) {
        let (to, from) = (numbers.of[param.index()], numbers.of[arg.index()]);
        if param == arg {
            continue;
        }
        moves.push(match function.value_type(param) {
            Type::Uniform => Move::Uniform { to, from },
            // A local value whose row nobody reads again: the rows change places.
            _ if numbers.last_use[arg.index()] != NONE && uses(arg) == 1 => Move::Swap { to, from },
            _ => Move::Copy { to, from },
        });
    }
    Edge { block: graph.position(target.block), moves: in_order(moves) }
}

/// Puts moves that read a row before those that overwrite it. Circles cannot be put in order; the interpreter reads
/// all of those first ([`needs_buffer`]).
fn in_order(mut moves: Vec<Move>) -> Vec<Move> {
    let mut ordered = Vec::with_capacity(moves.len());
    while !moves.is_empty() {
        let ready = (0..moves.len()).find(|&at| {
            let (to, uniform) = target(moves[at]);
            moves.iter().enumerate().all(|(other, reads)| {
                let (from, other_uniform) = source(*reads);
                other == at || from != to || uniform != other_uniform
            })
        });
        // Whatever is left is circles, in any order.
        ordered.push(moves.remove(ready.unwrap_or(0)));
        if ready.is_none() {
            ordered.append(&mut moves);
        }
    }
    ordered
}

pub(super) fn target(step: Move) -> (u32, bool) {
    match step {
        Move::Swap { to, .. } | Move::Copy { to, .. } => (to, false),
        Move::Uniform { to, .. } => (to, true),
    }
}

pub(super) fn source(step: Move) -> (u32, bool) {
    match step {
        Move::Swap { from, .. } | Move::Copy { from, .. } => (from, false),
        Move::Uniform { from, .. } => (from, true),
    }
}

/// Whether some move reads what an earlier one has overwritten.
pub(super) fn needs_buffer(moves: &[Move]) -> bool {
    moves.iter().enumerate().any(|(at, later)| moves[..at].iter().any(|earlier| target(*earlier) == source(*later)))
}
