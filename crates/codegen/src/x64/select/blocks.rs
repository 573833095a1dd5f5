//! Blocks: one loop over the groups of a row around those of the function.

use super::{Selector, Val};
use crate::context;
use crate::mir::{Arg, Base, Class, Condition, Edge, End, Mem, Reg, Steps};
use crate::select::Selected;
use crate::target::Target;
use crate::x64::isa::Vop;
use crate::x64::{Block, Inst, InstKind};
use ctm_lane::{IntTest, Terminator, Type};
use iced_x86::Code;
use std::collections::HashSet;

/// The labels of the blocks around those of the function.
const ENTRY: usize = 0;
const HEAD: usize = 1;
const FIRST: usize = 2;

impl Selector<'_> {
    /// Selects the whole function. If that cannot be done, gives the stores that have to be transposed next time.
    pub fn run(mut self) -> Result<Selected<Code>, HashSet<ctm_lane::Inst>> {
        match self.all_blocks() {
            Some(()) => Ok(self.finish()),
            None => Err(self.interleaved_stores.abandoned),
        }
    }

    fn all_blocks(&mut self) -> Option<()> {
        let order = self.graph.order.clone();
        let depths = self.depths();
        self.plan_untransposed(&depths);
        self.positions();
        let mut numbers = vec![usize::MAX; self.function.block_count()];
        for (at, &block) in order.iter().enumerate() {
            numbers[block.index()] = FIRST + at;
            for &param in self.function.params(block) {
                let class = match self.function.value_type(param) {
                    Type::Lane => Class::Vector,
                    Type::Mask => self.isa.mask_class(),
                    Type::Uniform => Class::General,
                };
                self.values[param.index()] = Val::Reg(self.machine.reg(class));
            }
        }
        let latch = FIRST + order.len();
        let stop = latch + 2;
        self.exit = latch + 1;
        self.labels = latch + 3;
        for &block in &order {
            self.here = numbers[block.index()];
            self.depth = depths[block.index()];
            let params = self.function.params(block).iter().filter_map(|&param| self.known_reg(param));
            self.params = params.collect();
            self.follow_plans(block, 0);
            self.irregular.clear();
            self.clamped_rows.clear();
            self.tiles.enter_block();
            self.speculation.enter_block();
            let counted = self.counted_later.remove(&block).unwrap_or_default();
            self.steps.extend(counted.into_iter().map(|(mask, count)| (Some(mask), count)));
            let goes_on = |&from: &ctm_lane::Block| self.graph.position(from) >= self.graph.position(block);
            if self.mode.may_stop && self.graph.predecessors(block).iter().any(goes_on) {
                self.leave_if_too_long(stop);
            }
            for (at, &inst) in self.function.insts(block).iter().enumerate() {
                self.inst(inst);
                self.follow_plans(block, at + 1);
                if self.refused {
                    return None;
                }
            }
            self.change_mode(self.usual_mode);
            let end = self.end(block, &numbers, (latch, stop))?;
            self.finish_block(end, self.here, Vec::new());
        }
        (self.here, self.depth) = (latch, 1);
        self.latch(stop);
        Some(())
    }

    /// How many loops each block is in, that over the groups counted.
    fn depths(&self) -> Vec<u32> {
        let order = &self.graph.order;
        // At each place, the loops that begin, less those that have ended.
        let mut changes = vec![0i32; order.len() + 1];
        for &block in order {
            for target in self.function.terminator(block).targets() {
                let (from, to) = (self.graph.position(block), self.graph.position(target.block));
                if to <= from {
                    changes[to] += 1;
                    changes[from + 1] -= 1;
                }
            }
        }
        let (mut depths, mut depth) = (vec![1; self.function.block_count()], 1i32);
        for (&block, change) in order.iter().zip(changes) {
            depth += change;
            depths[block.index()] = depth.unsigned_abs();
        }
        depths
    }

    /// On to the next group, or out.
    fn latch(&mut self, stop: usize) {
        if self.mode.may_stop {
            self.leave_if_too_long(stop);
        }
        let next = self.machine.reg(Class::General);
        let lanes = self.isa.lanes();
        let width = if self.mode.quads { lanes / 2 } else { lanes };
        let add = Inst::new(
            InstKind::Tied(Code::Add_rm32_imm32),
            Some(next),
            &[Arg::Reg(self.x), Arg::Imm(width.cast_signed())],
        );
        let compare = Inst::new(
            InstKind::Plain(Code::Cmp_r32_rm32),
            None,
            &[Arg::Reg(next), Arg::Mem(Mem::at(Base::Context, context::X_END))],
        );
        let end = End::Branch {
            condition: Condition::Below,
            then: Edge { block: HEAD, args: vec![Arg::Reg(next)] },
            otherwise: Edge { block: self.exit, args: Vec::new() },
        };
        self.insts.extend([add, compare]);
        self.finish_block(end, self.exit, Vec::new());
        self.depth = 0;
        self.finish_block(End::Exit, stop, Vec::new());
        if self.mode.may_stop {
            let stopped = Mem::at(Base::Context, context::STOPPED);
            let note = Inst::new(InstKind::Plain(Code::Mov_rm32_imm32), None, &[Arg::Mem(stopped), Arg::Imm(1)]);
            self.insts.push(note);
            self.finish_block(End::Exit, stop, Vec::new());
        }
    }

    /// All blocks in the order of the code, with their numbers for labels.
    fn finish(mut self) -> Selected<Code> {
        let start = self.machine.reg(Class::General);
        let mut prologue = vec![Inst::new(
            InstKind::Plain(Code::Mov_r32_rm32),
            Some(start),
            &[Arg::Mem(Mem::at(Base::Context, context::X))],
        )];
        prologue.append(&mut self.prologue);
        let entry = Block {
            params: Vec::new(),
            insts: prologue,
            end: End::Jump(Edge { block: HEAD, args: vec![Arg::Reg(start)] }),
            depth: 0,
        };
        let head = Block {
            params: vec![self.x],
            insts: self.head,
            end: End::Jump(Edge { block: FIRST, args: Vec::new() }),
            depth: 1,
        };
        let mut all = vec![(ENTRY, entry), (HEAD, head)];
        all.append(&mut self.done);
        let mut numbers = vec![0; self.labels];
        for (at, &(label, _)) in all.iter().enumerate() {
            numbers[label] = at;
        }
        for edge in all.iter_mut().flat_map(|(_, block)| block.end.edges_mut()) {
            edge.block = numbers[edge.block];
        }
        self.machine.blocks = all.into_iter().map(|(_, block)| block).collect();
        self.machine.remove_dead();
        Selected { machine: self.machine, window: self.window, speculates: self.mode.speculates }
    }

    pub fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels - 1
    }

    /// Ends the block in the making, and begins the one with this label and these parameters.
    pub fn finish_block(&mut self, end: End, next: usize, params: Vec<Reg>) {
        self.note_origins();
        let insts = std::mem::take(&mut self.insts);
        let params = std::mem::replace(&mut self.params, params);
        self.done.push((self.here, Block { params, insts, end, depth: self.depth }));
        self.here = next;
    }

    /// Goes to `stop` if the group has executed too many steps.
    fn leave_if_too_long(&mut self, stop: usize) {
        self.insts.push(Inst::new(InstKind::Steps(Steps::Test), None, &[]));
        self.leave_on(Condition::Less, stop);
    }

    /// Goes to a block without parameters if the last instruction says so.
    pub fn leave_on(&mut self, condition: Condition, to: usize) {
        let next = self.label();
        let end = End::Branch {
            condition,
            then: Edge { block: to, args: Vec::new() },
            otherwise: Edge { block: next, args: Vec::new() },
        };
        self.finish_block(end, next, Vec::new());
    }

    /// Makes instructions that run once per call.
    pub fn once<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        if self.is_prologue {
            return make(self);
        }
        std::mem::swap(&mut self.insts, &mut self.prologue);
        self.is_prologue = true;
        let made = make(self);
        self.is_prologue = false;
        std::mem::swap(&mut self.insts, &mut self.prologue);
        made
    }

    /// Makes instructions that run first in each group.
    pub fn first<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.insts, &mut self.head);
        let made = make(self);
        std::mem::swap(&mut self.insts, &mut self.head);
        made
    }

    /// The positions of the lanes, and which of them are covered.
    pub fn positions(&mut self) {
        let lanes = 0..self.isa.lanes();
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
                if selector.isa.broadcasts() { Arg::Mem(mem) } else { Arg::Reg(selector.load_arg(Arg::Mem(mem))) }
            })
        });
        self.first(|selector| {
            if selector.mode.may_stop {
                selector.insts.push(Inst::new(InstKind::Steps(Steps::Refill), None, &[]));
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

    fn edge(&mut self, target: &ctm_lane::BranchTarget, numbers: &[usize]) -> Edge {
        let args = target.args.iter().map(|&arg| match self.values[arg.index()] {
            Val::Reg(reg) => Arg::Reg(reg),
            Val::Const(bits) => self.constant(bits),
            Val::Entry(..) | Val::Vector(..) => Arg::Reg(self.reg(arg)),
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
        let mut args: Vec<Arg> = args.collect();
        args.extend(self.planned_args(target));
        Edge { block: numbers[target.block.index()], args }
    }

    fn end(&mut self, block: ctm_lane::Block, numbers: &[usize], (latch, stop): (usize, usize)) -> Option<End> {
        let branch = match self.function.terminator(block) {
            Terminator::Any { mask, then, otherwise } => Some((*mask, then.block, otherwise.block)),
            Terminator::Jump(_) | Terminator::If { .. } | Terminator::Return | Terminator::Trap { .. } => None,
        };
        self.count_steps(branch);
        let end = match self.function.terminator(block) {
            Terminator::Jump(target) => End::Jump(self.edge(target, numbers)),
            Terminator::Return => End::Jump(Edge { block: latch, args: Vec::new() }),
            Terminator::If { test, a, b, then, otherwise } => {
                let (then, otherwise) = (self.edge(then, numbers), self.edge(otherwise, numbers));
                let a = Arg::Reg(self.uniform_reg(*a));
                let b = self.uniform(*b);
                let code = if matches!(b, Arg::Imm(_)) { Code::Cmp_rm32_imm32 } else { Code::Cmp_r32_rm32 };
                self.insts.push(Inst::new(InstKind::Plain(code), None, &[a, b]));
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
