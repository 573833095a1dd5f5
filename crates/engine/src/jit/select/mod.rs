//! Selection: machine instructions for a function, one loop over the groups of a row around it.

mod arithmetic;
mod bits;
mod double;
mod float_mode;
mod lower;
mod masks;
mod memory;
mod nans;
mod transcendental;
mod watch;

use super::context;
use super::form::{self, Form, Vop};
use super::mir::{Arg, Base, Block, Class, Condition, Edge, End, Inst, Kind, Machine, Mem, Reg, Steps};
use crate::backend::SurfaceFacts;
use ctm_lane::{Axis, Denorm, Function, Graph, IntTest, Op, Ranges, Shape, Shapes, Terminator, Type, Value};
use float_mode::FloatMode;
use iced_x86::Code;
use memory::Untransposed;
use nans::Nans;
use std::collections::{HashMap, HashSet};
use watch::Watch;

/// What selection assumes.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// Groups are quads side by side, two rows high; otherwise they are parts of a row.
    pub quads: bool,
    /// All lanes are covered, and the group lies inside the window.
    pub interior: bool,
    /// Rules about NaNs are left to IEEE rules; the caller looks at the invalid flag.
    pub watch: bool,
    /// Groups may trap or execute too many steps.
    pub may_stop: bool,
}

/// Positions at which accesses to surfaces at fixed distances stay inside, bounds inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub x: (i64, i64),
    pub y: (i64, i64),
}

/// What a lane, mask or uniform value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Val {
    /// Not selected (yet).
    None,
    Reg(Reg),
    /// The same bits in every lane.
    Const(u32),
    /// An entry of a table: pointer, index.
    Entry(Reg, u32),
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

/// Selection at work.
pub struct Selector<'a> {
    function: &'a Function,
    facts: &'a [SurfaceFacts],
    form: Form,
    mode: Mode,
    graph: Graph,
    ranges: Ranges,
    shapes: Shapes,
    machine: Machine,
    /// Values by number, and how often each is used.
    values: Vec<Val>,
    uses: Vec<u32>,
    pool: HashMap<Vec<u32>, i32>,
    /// What runs once per call.
    prologue: Vec<Inst>,
    /// What runs first in each group.
    head: Vec<Inst>,
    insts: Vec<Inst>,
    /// Constants that are in registers for the whole call.
    hoisted: Vec<(Mem, Reg)>,
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
    watch: Watch,
    untransposed: Untransposed,
    /// Steps of the block in the making, by their lanes: all, or those of a mask.
    steps: Vec<(Option<Reg>, u32)>,
    /// Steps that a block counts for the one before it.
    counted_later: HashMap<ctm_lane::Block, (Reg, u32)>,
    /// Values whose denormals every user reads as zeros.
    flushed_by_all: Vec<bool>,
    window: Window,
    /// The mode of the floating-point unit here, and between blocks.
    float_mode: FloatMode,
    usual_mode: FloatMode,
    /// The blocks so far, with their labels; the one in the making has label `here` and these parameters.
    done: Vec<(usize, Block)>,
    here: usize,
    params: Vec<Reg>,
    depth: u32,
    labels: usize,
    /// For coordinates of the block in the making: the lanes that are not where a row has them, or not all the same.
    astray: HashMap<(Value, bool), (Reg, Reg)>,
    refused: bool,
}

/// Machine code for a function, and where it may run.
pub struct Selected {
    pub machine: Machine,
    pub window: Window,
    /// The mode's watch was kept up; otherwise the code is exact.
    pub watches: bool,
}

/// Machine instructions for a function; `None` if it has something that they cannot do.
pub fn select(function: &Function, facts: &[SurfaceFacts], form: Form, mode: Mode) -> Option<Selected> {
    let graph = Graph::new(function);
    let (ranges, shapes) = (Ranges::new(function, &graph), Shapes::new(function, &graph));
    if facts.len() < function.surfaces.len() {
        return None;
    }
    let mut machine = Machine { counts_steps: mode.may_stop, ..Machine::default() };
    let (x, y, x16) = (machine.reg(Class::General), machine.reg(Class::General), machine.reg(Class::General));
    let (lane_x, lane_y) = (machine.reg(Class::Vector), machine.reg(Class::Vector));
    let covered = machine.reg(form.mask_class());
    let mut selector = Selector {
        function,
        facts,
        form,
        mode,
        graph,
        ranges,
        shapes,
        machine,
        values: vec![Val::None; function.value_count()],
        uses: count_uses(function),
        pool: HashMap::new(),
        prologue: Vec::new(),
        head: Vec::new(),
        insts: Vec::new(),
        hoisted: Vec::new(),
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
        watch: Watch::default(),
        untransposed: Untransposed::default(),
        steps: Vec::new(),
        counted_later: HashMap::new(),
        flushed_by_all: Vec::new(),
        window: Window { x: (0, i64::MAX), y: (0, i64::MAX) },
        float_mode: FloatMode::ENTRY,
        usual_mode: FloatMode::ENTRY,
        done: Vec::new(),
        here: 0,
        params: Vec::new(),
        depth: 0,
        labels: 0,
        astray: HashMap::new(),
        refused: false,
    };
    selector.nans = Nans::new(function, &selector.uses);
    let (usual_mode, is_only_mode) = selector.find_usual_mode();
    selector.once(|selector| selector.change_mode(usual_mode));
    selector.usual_mode = usual_mode;
    // A change of the mode takes the invalid flag down.
    selector.mode.watch &= is_only_mode;
    selector.start_watch();
    selector.run()
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
    fn run(mut self) -> Option<Selected> {
        let order = self.graph.order.clone();
        let mut depths = vec![1u32; self.function.block_count()];
        for &block in &order {
            for target in self.function.terminator(block).targets() {
                let (from, to) = (self.graph.place(block), self.graph.place(target.block));
                if to <= from {
                    for &inside in &order[to..=from] {
                        depths[inside.index()] += 1;
                    }
                }
            }
        }
        self.flushed_by_all = self.find_flushed();
        self.plan_untransposed();
        self.positions();
        // Block 0 is the prologue, block 1 the head of a group; the latch comes last but one.
        let mut numbers = vec![usize::MAX; self.function.block_count()];
        for (at, &block) in order.iter().enumerate() {
            numbers[block.index()] = at + 2;
            for &param in self.function.params(block) {
                let class = match self.function.value_type(param) {
                    Type::Lane => Class::Vector,
                    Type::Mask => self.form.mask_class(),
                    Type::Uniform => Class::General,
                };
                self.values[param.index()] = Val::Reg(self.machine.reg(class));
            }
        }
        let latch = order.len() + 2;
        let stop = order.len() + 4;
        self.labels = order.len() + 5;
        for &block in &order {
            self.here = numbers[block.index()];
            self.depth = depths[block.index()];
            let params = self.function.params(block).iter().filter_map(|&param| match self.values[param.index()] {
                Val::Reg(reg) => Some(reg),
                _ => None,
            });
            self.params = params.collect();
            self.astray.clear();
            self.watch.enter_block();
            self.steps.extend(self.counted_later.remove(&block).map(|(mask, count)| (Some(mask), count)));
            let goes_on = |&from: &ctm_lane::Block| self.graph.place(from) >= self.graph.place(block);
            if self.mode.may_stop && self.graph.predecessors(block).iter().any(goes_on) {
                self.leave_if_too_long(stop);
            }
            for &inst in self.function.insts(block) {
                self.inst(inst);
                self.follow_plan(inst);
                if self.refused {
                    return None;
                }
            }
            self.change_mode(self.usual_mode);
            let end = self.end(block, &numbers, (latch, stop))?;
            self.finish_block(end, self.here, Vec::new());
        }
        // The latch: on to the next group.
        (self.here, self.depth) = (latch, 1);
        if self.mode.may_stop {
            self.leave_if_too_long(stop);
        }
        let next = self.machine.reg(Class::General);
        let lanes = self.form.lanes();
        let width = if self.mode.quads { lanes / 2 } else { lanes };
        let add =
            Inst::new(Kind::Tied(Code::Add_rm32_imm32), Some(next), &[Arg::Reg(self.x), Arg::Imm(width.cast_signed())]);
        let compare = Inst::new(
            Kind::Plain(Code::Cmp_r32_rm32),
            None,
            &[Arg::Reg(next), Arg::Mem(Mem::at(Base::Context, context::X_END))],
        );
        let end = End::Branch {
            condition: Condition::Below,
            then: Edge { block: 1, args: vec![Arg::Reg(next)] },
            otherwise: Edge { block: latch + 1, args: Vec::new() },
        };
        self.insts.extend([add, compare]);
        self.finish_block(end, latch + 1, Vec::new());
        self.depth = 0;
        self.finish_block(End::Exit, stop, Vec::new());
        if self.mode.may_stop {
            let stopped = Mem::at(Base::Context, context::STOPPED);
            let note = Inst::new(Kind::Plain(Code::Mov_rm32_imm32), None, &[Arg::Mem(stopped), Arg::Imm(1)]);
            self.insts.push(note);
            self.finish_block(End::Exit, stop, Vec::new());
        }
        let mut blocks = std::mem::take(&mut self.done);
        let start = self.machine.reg(Class::General);
        let mut prologue = vec![Inst::new(
            Kind::Plain(Code::Mov_r32_rm32),
            Some(start),
            &[Arg::Mem(Mem::at(Base::Context, context::X))],
        )];
        prologue.append(&mut self.prologue);
        let entry = Block {
            params: Vec::new(),
            insts: prologue,
            end: End::Jump(Edge { block: 1, args: vec![Arg::Reg(start)] }),
            depth: 0,
        };
        let head = Block {
            params: vec![self.x],
            insts: std::mem::take(&mut self.head),
            end: End::Jump(Edge { block: 2, args: Vec::new() }),
            depth: 1,
        };
        let mut all = vec![(0, entry), (1, head)];
        all.append(&mut blocks);
        let mut places = vec![0; self.labels];
        for (at, &(label, _)) in all.iter().enumerate() {
            places[label] = at;
        }
        for (_, block) in &mut all {
            match &mut block.end {
                End::Jump(edge) => edge.block = places[edge.block],
                End::Branch { then, otherwise, .. } => {
                    then.block = places[then.block];
                    otherwise.block = places[otherwise.block];
                }
                End::Exit => {}
            }
        }
        self.machine.blocks = all.into_iter().map(|(_, block)| block).collect();
        self.machine.remove_dead();
        Some(Selected { machine: self.machine, window: self.window, watches: self.mode.watch })
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels - 1
    }

    /// Ends the block in the making, and begins the one with this label and these parameters.
    fn finish_block(&mut self, end: End, next: usize, params: Vec<Reg>) {
        let insts = std::mem::take(&mut self.insts);
        let params = std::mem::replace(&mut self.params, params);
        self.done.push((self.here, Block { params, insts, end, depth: self.depth }));
        self.here = next;
    }

    /// Goes to `stop` if the group has executed too many steps.
    fn leave_if_too_long(&mut self, stop: usize) {
        let next = self.label();
        self.insts.push(Inst::new(Kind::Steps(Steps::Test), None, &[]));
        let end = End::Branch {
            condition: Condition::Less,
            then: Edge { block: stop, args: Vec::new() },
            otherwise: Edge { block: next, args: Vec::new() },
        };
        self.finish_block(end, next, Vec::new());
    }

    /// Makes instructions that run once per call.
    fn once<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.insts, &mut self.prologue);
        let made = make(self);
        std::mem::swap(&mut self.insts, &mut self.prologue);
        made
    }

    /// Makes instructions that run first in each group.
    fn first<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.insts, &mut self.head);
        let made = make(self);
        std::mem::swap(&mut self.insts, &mut self.head);
        made
    }

    /// The positions of the lanes, and which of them are covered.
    fn positions(&mut self) {
        let lanes = 0..self.form.lanes();
        let (columns, rows): (Vec<u32>, Vec<u32>) = if self.mode.quads {
            lanes.map(|lane| (lane / 4 * 2 + lane % 2, lane / 2 % 2)).unzip()
        } else {
            lanes.map(|lane| (lane, 0)).unzip()
        };
        let bounds = self.once(|selector| {
            selector.y = selector.general(Code::Mov_r32_rm32, &[Arg::Mem(Mem::at(Base::Context, context::Y))]);
            let row = selector.splat(selector.y);
            let rows = selector.vector_constant(&rows);
            selector.lane_y = selector.vector_op(Vop::IntAdd, &[Arg::Reg(row), rows]);
            [0, 1, 2, 3].map(|at| {
                let mem = Mem { broadcast: true, ..Mem::at(Base::Context, context::DOMAIN + 4 * at) };
                if selector.form.broadcasts() { Arg::Mem(mem) } else { Arg::Reg(selector.load_arg(Arg::Mem(mem))) }
            })
        });
        self.first(|selector| {
            if selector.mode.may_stop {
                selector.insts.push(Inst::new(Kind::Steps(Steps::Refill), None, &[]));
            }
            let column = selector.splat(selector.x);
            let columns = selector.vector_constant(&columns);
            selector.lane_x = selector.vector_op(Vop::IntAdd, &[Arg::Reg(column), columns]);
            selector.x16 = selector.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(selector.x), Arg::Imm(4)]);
            if !selector.mode.interior {
                let [left, top, right, bottom] = bounds;
                let (x, y) = (selector.lane_x, selector.lane_y);
                let tests = [
                    (x, IntTest::Sge, left),
                    (y, IntTest::Sge, top),
                    (x, IntTest::Sle, right),
                    (y, IntTest::Sle, bottom),
                ];
                let mut inside = None;
                for (lanes, test, bound) in tests {
                    inside = Some(selector.compare_integers(test, lanes, bound, inside));
                }
                selector.covered = inside.unwrap_or(selector.covered);
            }
        });
    }

    /// Values all of whose users read denormals as zeros.
    fn find_flushed(&self) -> Vec<bool> {
        let mut flushed = vec![true; self.function.value_count()];
        for &block in self.graph.order.iter().rev() {
            for value in self.function.terminator(block).values() {
                flushed[value.index()] = false;
            }
            for &inst in self.function.insts(block).iter().rev() {
                let op = self.function.op(inst);
                let keeps = match op {
                    Op::Fadd { denorm }
                    | Op::Fsub { denorm }
                    | Op::Fmul { denorm, .. }
                    | Op::Fma { denorm, .. }
                    | Op::Fdiv { denorm }
                    | Op::Fsqrt { denorm }
                    | Op::Fround { denorm, .. }
                    | Op::Fcmp { denorm, .. }
                    | Op::Clamp01 { denorm } => *denorm == Denorm::Keep,
                    Op::Frc {} | Op::Ex2 {} | Op::Ln2 {} | Op::Sin {} | Op::Cos {} => false,
                    Op::FloatToIndex { .. } | Op::FloatToCoordinate {} | Op::Ftoi {} | Op::Ftou {} => false,
                    Op::Neg {}
                    | Op::Abs {}
                    | Op::Nabs {}
                    | Op::Select {}
                    | Op::CanonNan { .. }
                    | Op::PassNan {}
                    | Op::Quad { .. } => !flushed[self.function.result(inst).index()],
                    Op::Fmin { denorm } | Op::Fmax { denorm } => {
                        *denorm == Denorm::Keep || !flushed[self.function.result(inst).index()]
                    }
                    _ => true,
                };
                if keeps {
                    for &arg in self.function.args(inst) {
                        flushed[arg.index()] = false;
                    }
                }
            }
        }
        flushed
    }

    fn is_flushed_by_all(&self, value: Value) -> bool {
        self.flushed_by_all.get(value.index()).copied().unwrap_or(false)
    }

    fn refuse(&mut self) {
        self.refused = true;
    }

    /// Appends an instruction that defines a new register.
    fn define(&mut self, class: Class, kind: Kind, args: &[Arg]) -> Reg {
        let mut inst = Inst::new(kind, None, args);
        inst.effect = false;
        for arg in &mut inst.args {
            if let Arg::Mem(mem) = *arg
                && !self.can_read(kind, mem)
            {
                *arg = Arg::Reg(self.load_arg(*arg));
            }
        }
        inst.def = Some(self.machine.reg(class));
        inst.quiet = self.mode.watch && self.float_mode.rounds_to_nearest() && kind.rounds();
        self.insts.push(inst);
        Reg(self.machine.classes.len() as u32 - 1)
    }

    /// Whether an instruction can have this memory operand.
    fn can_read(&self, kind: Kind, mem: Mem) -> bool {
        match kind {
            Kind::Plain(code) | Kind::Tied(code) => {
                form::takes_memory(code) && (self.form.broadcasts() || !mem.broadcast)
            }
            _ => self.form.broadcasts() || !mem.broadcast,
        }
    }

    fn vector(&mut self, code: Code, args: &[Arg]) -> Reg {
        self.define(Class::Vector, Kind::Plain(code), args)
    }

    fn vector_op(&mut self, op: Vop, args: &[Arg]) -> Reg {
        let class = if op == Vop::FirstLane { Class::General } else { Class::Vector };
        self.define(class, Kind::Plain(self.form.code(op)), args)
    }

    fn two(&mut self, op: Vop, a: Reg, b: Reg) -> Reg {
        self.vector_op(op, &[Arg::Reg(a), Arg::Reg(b)])
    }

    fn with_constant(&mut self, op: Vop, a: Reg, bits: u32) -> Reg {
        let bits = self.constant(bits);
        self.vector_op(op, &[Arg::Reg(a), bits])
    }

    fn shifted(&mut self, op: Vop, a: Reg, count: u32) -> Reg {
        self.vector_op(op, &[Arg::Reg(a), Arg::Imm(count.cast_signed())])
    }

    /// `a * b + c` with one rounding.
    fn fused(&mut self, a: Reg, b: Arg, c: Arg) -> Reg {
        let kind = Kind::Fma { negate_product: false, negate_addend: false };
        self.define(Class::Vector, kind, &[Arg::Reg(a), b, c])
    }

    fn general(&mut self, code: Code, args: &[Arg]) -> Reg {
        self.define(Class::General, Kind::Plain(code), args)
    }

    fn tied_general(&mut self, code: Code, args: &[Arg]) -> Reg {
        self.define(Class::General, Kind::Tied(code), args)
    }

    /// Gives the last instruction a mask.
    fn under(&mut self, mask: Reg, zeroing: bool) {
        if let Some(last) = self.insts.last_mut() {
            last.mask = Some(mask);
            last.zeroing = zeroing;
        }
    }

    fn pool_at(&mut self, words: &[u32]) -> i32 {
        if let Some(&at) = self.pool.get(words) {
            return at;
        }
        let pool = &mut self.machine.pool;
        if words.len() > 1 {
            pool.resize(pool.len().next_multiple_of(16), 0);
        }
        let at = pool.len() as i32 * 4;
        pool.extend_from_slice(words);
        self.pool.insert(words.to_vec(), at);
        at
    }

    /// A constant in every lane, as a memory operand.
    fn constant(&mut self, bits: u32) -> Arg {
        if self.form.broadcasts() {
            let at = self.pool_at(&[bits]);
            Arg::Mem(Mem { broadcast: true, ..Mem::at(Base::Pool, at) })
        } else {
            self.vector_constant(&vec![bits; self.form.lanes() as usize])
        }
    }

    /// A constant for each lane, as a memory operand.
    fn vector_constant(&mut self, words: &[u32]) -> Arg {
        let at = self.pool_at(words);
        Arg::Mem(Mem::at(Base::Pool, at))
    }

    /// An operand that can be memory.
    fn arg(&mut self, value: Value) -> Arg {
        self.arg_of(self.values[value.index()])
    }

    fn arg_of(&mut self, val: Val) -> Arg {
        match val {
            Val::Reg(reg) => Arg::Reg(reg),
            Val::Const(bits) => self.constant(bits),
            Val::Entry(pointer, index) => {
                Arg::Mem(Mem { broadcast: true, ..Mem::at(Base::Reg(pointer), index.cast_signed() * 4) })
            }
            _ => {
                self.refuse();
                Arg::None
            }
        }
    }

    /// A register for what may be memory.
    fn load_arg(&mut self, arg: Arg) -> Reg {
        match arg {
            Arg::Reg(reg) => reg,
            Arg::Mem(mem) if mem.broadcast => {
                let plain = Arg::Mem(Mem { broadcast: false, ..mem });
                self.vector_op(Vop::Broadcast, &[plain])
            }
            arg => self.vector_op(Vop::Load, &[arg]),
        }
    }

    /// A register for a constant or an entry of a table, loaded once per call.
    fn hoisted(&mut self, arg: Arg) -> Reg {
        let Arg::Mem(mem) = arg else { return self.load_arg(arg) };
        if let Some(&(_, reg)) = self.hoisted.iter().find(|(known, _)| *known == mem) {
            return reg;
        }
        let reg = self.once(|selector| selector.load_arg(arg));
        self.hoisted.push((mem, reg));
        reg
    }

    /// An operand that is a register.
    fn reg(&mut self, value: Value) -> Reg {
        let arg = self.arg(value);
        self.load_arg(arg)
    }

    fn constant_reg(&mut self, bits: u32) -> Reg {
        let arg = self.constant(bits);
        self.load_arg(arg)
    }

    /// A uniform as an operand: a register or an immediate.
    fn uniform(&mut self, value: Value) -> Arg {
        match self.values[value.index()] {
            Val::UniformConst(value) => Arg::Imm(value),
            _ => Arg::Reg(self.uniform_reg(value)),
        }
    }

    fn uniform_reg(&mut self, value: Value) -> Reg {
        match self.values[value.index()] {
            Val::Reg(reg) => reg,
            Val::UniformConst(value) => {
                let at = self.pool_at(&[value.cast_unsigned()]);
                self.general(Code::Mov_r32_rm32, &[Arg::Mem(Mem::at(Base::Pool, at))])
            }
            _ => {
                self.refuse();
                self.x
            }
        }
    }

    fn set(&mut self, value: Value, reg: Reg) {
        self.values[value.index()] = Val::Reg(reg);
    }

    /// One of the context's pointers, loaded once per call.
    fn pointer(&mut self, number: usize) -> Reg {
        if let Some(&reg) = self.pointers.get(&number) {
            return reg;
        }
        let reg = self.once(|selector| {
            let all = selector.general(Code::Mov_r64_rm64, &[Arg::Mem(Mem::at(Base::Context, context::POINTERS))]);
            let at = Mem::at(Base::Reg(all), 8 * number as i32);
            selector.general(Code::Mov_r64_rm64, &[Arg::Mem(at)])
        });
        self.pointers.insert(number, reg);
        reg
    }

    fn table(&mut self, table: ctm_lane::Table) -> Reg {
        self.pointer(table.index())
    }

    fn base(&mut self, surface: ctm_lane::Surface) -> Reg {
        self.pointer(self.function.tables.len() + surface.index())
    }

    fn array_pointer(&mut self, array: ctm_lane::Array) -> Reg {
        let buffers = self.function.buffers as usize;
        self.pointer(self.function.tables.len() + self.facts.len() + buffers + array.index())
    }

    /// The place 2^31 bytes behind the start of a buffer, from which signed offsets reach all of it.
    fn buffer_middle(&mut self, buffer: ctm_lane::Buffer) -> Reg {
        self.pointer(self.function.tables.len() + self.facts.len() + buffer.index())
    }

    /// In every lane the number of byte addresses of a buffer that have a whole word.
    fn word_count(&mut self, buffer: ctm_lane::Buffer) -> Reg {
        let all = match self.words {
            Some(reg) => reg,
            None => {
                let at = Arg::Mem(Mem::at(Base::Context, context::WORDS));
                let reg = self.once(|selector| selector.general(Code::Mov_r64_rm64, &[at]));
                *self.words.insert(reg)
            }
        };
        let at = Mem { broadcast: true, ..Mem::at(Base::Reg(all), 4 * buffer.index() as i32) };
        self.hoisted(Arg::Mem(at))
    }

    fn edge(&mut self, target: &ctm_lane::Target, numbers: &[usize]) -> Edge {
        let args = target.args.iter().map(|&arg| match self.values[arg.index()] {
            Val::Reg(reg) => Arg::Reg(reg),
            Val::Const(bits) => self.constant(bits),
            Val::Entry(..) => Arg::Reg(self.reg(arg)),
            Val::MaskConst(all) => Arg::Mem(self.mask_memory(|_| all)),
            Val::UniformConst(value) => {
                let at = self.pool_at(&[value.cast_unsigned()]);
                Arg::Mem(Mem::at(Base::Pool, at))
            }
            Val::None => {
                self.refuse();
                Arg::None
            }
        });
        let args = args.collect();
        Edge { block: numbers[target.block.index()], args }
    }

    fn end(&mut self, block: ctm_lane::Block, numbers: &[usize], (latch, stop): (usize, usize)) -> Option<End> {
        let next = match self.function.terminator(block) {
            Terminator::Any { mask, then, .. } if self.graph.predecessors(then.block).len() == 1 => {
                match self.values[mask.index()] {
                    Val::Reg(mask) => Some((mask, then.block)),
                    _ => None,
                }
            }
            _ => None,
        };
        self.count_steps(next);
        let end = match self.function.terminator(block) {
            Terminator::Jump(target) => End::Jump(self.edge(target, numbers)),
            Terminator::Return => End::Jump(Edge { block: latch, args: Vec::new() }),
            Terminator::If { test, a, b, then, otherwise } => {
                let (then, otherwise) = (self.edge(then, numbers), self.edge(otherwise, numbers));
                let a = Arg::Reg(self.uniform_reg(*a));
                let b = self.uniform(*b);
                let code = if matches!(b, Arg::Imm(_)) { Code::Cmp_rm32_imm32 } else { Code::Cmp_r32_rm32 };
                self.insts.push(Inst::new(Kind::Plain(code), None, &[a, b]));
                End::Branch { condition: condition(*test), then, otherwise }
            }
            Terminator::Any { mask, then, otherwise } => {
                let (then, otherwise) = (self.edge(then, numbers), self.edge(otherwise, numbers));
                let mask = self.mask_reg(*mask);
                self.test_masks(mask, mask);
                End::Branch { condition: Condition::NotEqual, then, otherwise }
            }
            Terminator::Trap { .. } if !self.mode.may_stop => return None,
            Terminator::Trap { .. } => End::Jump(Edge { block: stop, args: Vec::new() }),
        };
        (!self.refused).then_some(end)
    }

    /// Whether the value is the same in all lanes of a group.
    fn is_uniform(&self, value: Value) -> bool {
        match self.shapes.get(value) {
            Shape::Uniform => true,
            Shape::Index { axis: Axis::Y, .. } | Shape::Coordinate { axis: Axis::Y, .. } => !self.mode.quads,
            _ => false,
        }
    }
}

fn condition(test: IntTest) -> Condition {
    match test {
        IntTest::Eq => Condition::Equal,
        IntTest::Ne => Condition::NotEqual,
        IntTest::Slt => Condition::Less,
        IntTest::Sle => Condition::LessEqual,
        IntTest::Sgt => Condition::Greater,
        IntTest::Sge => Condition::GreaterEqual,
        IntTest::Ult => Condition::Below,
        IntTest::Ule => Condition::BelowEqual,
        IntTest::Ugt => Condition::Above,
        IntTest::Uge => Condition::AboveEqual,
    }
}
