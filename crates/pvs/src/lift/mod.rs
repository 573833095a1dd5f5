//! From programs to lane IR: lanes are vertices. Flow control is the same for all of them, and predicates are masks.
//!
//! Loops count down uniforms. A loop is left when a pass has changed nothing in any vertex of the group, as the reference leaves it when a
//! pass has changed nothing in its vertex: compilers break out of loops by a predicate that stays false through the rest of the passes.

mod arithmetic;
mod machine;

use crate::program::{CONSTANTS, FlowOp, INPUTS, MAX_DEPTH, OUTPUTS, Program};
use crate::uses::Uses;
use ctm_lane::effort::Effort;
use ctm_lane::{Block, Function, IntTest, Type, Value, Variable};
use machine::Machine;
use std::collections::{BTreeSet, HashMap};

/// Entries of each of the four tables of constants, a component each. Those above `MAX_CONST_ADDR` are 0.
pub const CONSTANT_ENTRIES: u32 = CONSTANTS as u32;
/// Places that a function may have.
const MAX_POINTS: usize = 8192;

/// The vectors of a vertex in the buffers of a function: buffer 0 has those that it reads, buffer 1 those that it writes, four dwords each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Input vectors, in order.
    pub inputs: Vec<u8>,
    /// Output vectors, in order.
    pub outputs: Vec<u8>,
}

impl Layout {
    /// The vectors that a program reads and writes.
    pub fn of(program: &Program) -> Self {
        let uses = Uses::of(program);
        let below = |numbers: BTreeSet<u8>, limit: usize| {
            numbers.into_iter().filter(|&number| usize::from(number) < limit).collect()
        };
        Layout { inputs: below(uses.inputs, INPUTS), outputs: below(uses.outputs, OUTPUTS) }
    }
}

/// A program as a function.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The function.
    pub function: Function,
    /// Most instructions that a group executes.
    pub max_steps: u64,
}

/// Why a program is not lifted. The reference runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLifted {
    /// An instruction traps, or computes the number of an input, output or alternate temporary.
    #[error("instruction {0} is left to the reference")]
    Instruction(u16),
    /// The program may leave its code, or nest too deep.
    #[error("the program may stop after instruction {0}")]
    Flow(u16),
    /// The program goes around in other ways than by loops that count.
    #[error("the program may run forever")]
    Endless,
    /// There are too many ways through the program.
    #[error("the program has too many ways through its loops and subroutines")]
    TooLarge,
}

/// A loop or call that has begun and not ended, by its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Frame {
    entry: usize,
    is_loop: bool,
}

/// An instruction, with the loops and calls around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Point {
    pc: u16,
    frames: Vec<Frame>,
}

struct Walk<'a> {
    m: Machine<'a>,
    program: &'a Program,
    blocks: HashMap<Point, Block>,
    open: Vec<Point>,
    /// What was there when the last pass of the loop at each depth began, by entry.
    before: HashMap<(usize, usize), Vec<(Variable, Variable)>>,
    settles: bool,
    max_steps: u64,
    /// The point that is walked through, and the ways from points to others but for those from the ends of passes to the next.
    at: usize,
    ways: Vec<(usize, usize)>,
}

/// Lifts a program.
///
/// # Errors
/// If it is left to the reference.
pub fn lift(program: &Program, layout: &Layout) -> Result<Lifted, NotLifted> {
    lift_within(program, layout, &Effort::default())
}

/// The same, if it does not take more than the effort.
///
/// # Errors
/// If it does, or the program is left to the reference.
pub fn lift_within(program: &Program, layout: &Layout, effort: &Effort) -> Result<Lifted, NotLifted> {
    let m = Machine::new(program, layout);
    let settles = m.index_is_unread();
    let mut walk = Walk {
        m,
        program,
        blocks: HashMap::new(),
        open: Vec::new(),
        before: HashMap::new(),
        settles,
        max_steps: 0,
        at: 0,
        ways: Vec::new(),
    };
    let start = Point { pc: program.first, frames: Vec::new() };
    let block = walk.block(start)?;
    walk.m.b.jump(block, &[]);
    while let Some(point) = walk.open.pop() {
        if !walk.m.b.keeps_to(effort) {
            return Err(NotLifted::TooLarge);
        }
        let block = walk.blocks[&point];
        walk.m.b.switch_to(block);
        walk.at = block.index();
        walk.point(point)?;
    }
    if is_cyclic(&walk.ways) {
        return Err(NotLifted::Endless);
    }
    let blocks: Vec<Block> = walk.blocks.values().copied().collect();
    blocks.into_iter().for_each(|block| walk.m.b.seal(block));
    if !walk.m.b.seal_all(effort) {
        return Err(NotLifted::TooLarge);
    }
    Ok(Lifted { function: walk.m.b.finish(), max_steps: walk.max_steps })
}

impl Walk<'_> {
    /// The block of a point, which is walked through once.
    fn block(&mut self, point: Point) -> Result<Block, NotLifted> {
        if let Some(&block) = self.blocks.get(&point) {
            return Ok(block);
        }
        if self.blocks.len() == MAX_POINTS {
            return Err(NotLifted::TooLarge);
        }
        let block = self.m.b.new_block();
        self.blocks.insert(point.clone(), block);
        self.open.push(point);
        Ok(block)
    }

    fn go_to(&mut self, pc: u16, frames: Vec<Frame>) -> Result<(), NotLifted> {
        let block = self.block(Point { pc, frames })?;
        self.ways.push((self.at, block.index()));
        self.m.b.jump(block, &[]);
        Ok(())
    }

    fn point(&mut self, Point { pc, mut frames }: Point) -> Result<(), NotLifted> {
        let program = self.program;
        let instruction = program.code.get(usize::from(pc)).ok_or(NotLifted::Flow(pc))?;
        let passes = frames.iter().filter(|frame| frame.is_loop).fold(1u64, |passes, frame| {
            passes.saturating_mul(u64::from(program.flow[frame.entry].count_or_target).max(1))
        });
        self.max_steps = self.max_steps.saturating_add(passes);
        let covered = self.m.b.covered();
        self.m.b.steps(1, pc.into(), covered);
        self.m.execute(pc, instruction, frames.len())?;
        if let Some((entry, flow)) = program.entry_at(pc) {
            let depth = frames.len();
            if flow.op != FlowOp::Jump && depth == MAX_DEPTH {
                return Err(NotLifted::Flow(pc));
            }
            match flow.op {
                FlowOp::None | FlowOp::Jump => return self.go_to(flow.count_or_target, frames),
                FlowOp::Call => {
                    self.begin(depth, None, None);
                    frames.push(Frame { entry, is_loop: false });
                    return self.go_to(flow.count_or_target, frames);
                }
                FlowOp::Loop => {
                    let index = (!flow.inherits).then(|| flow.index.into());
                    self.begin(depth, Some(flow.count_or_target.into()), index);
                    frames.push(Frame { entry, is_loop: true });
                    self.remember(depth, entry);
                    return self.go_to(flow.resume, frames);
                }
            }
        }
        let Some(&frame) = frames.last() else { return self.following(pc, frames) };
        let flow = &program.flow[frame.entry];
        if flow.last != pc {
            return self.following(pc, frames);
        }
        if !frame.is_loop {
            frames.pop();
            return self.go_to(flow.resume, frames);
        }
        self.end_of_pass(pc, frames)
    }

    /// The next instruction, or the end.
    fn following(&mut self, pc: u16, frames: Vec<Frame>) -> Result<(), NotLifted> {
        if pc == self.program.last {
            self.m.finish();
            return Ok(());
        }
        self.go_to(pc.checked_add(1).ok_or(NotLifted::Flow(pc))?, frames)
    }

    /// Sets the passes and the index of a loop or call at this depth; an index of `None` is that of what is around it.
    fn begin(&mut self, depth: usize, passes: Option<i32>, index: Option<i32>) {
        if let Some(passes) = passes {
            let passes = self.m.b.uniform_constant(passes);
            self.m.b.set(self.m.left[depth], passes);
        }
        let index = match (index, depth.checked_sub(1)) {
            (Some(index), _) => self.m.b.uniform_constant(index),
            (None, Some(around)) => self.m.b.get(self.m.index[around]),
            (None, None) => self.m.b.uniform_constant(0),
        };
        self.m.b.set(self.m.index[depth], index);
    }

    /// Keeps what a pass of a loop may change.
    fn remember(&mut self, depth: usize, entry: usize) {
        let flow = &self.program.flow[entry];
        // Jumps and subroutines lead out of the loop's range.
        let leads_out = self.program.flow.iter().any(|entry| matches!(entry.op, FlowOp::Jump | FlowOp::Call));
        let range = if leads_out { (0, self.program.code.len() as u16 - 1) } else { (flow.resume, flow.last) };
        let written = if self.settles { self.m.written(range.0, range.1) } else { None };
        let Some(written) = written else { return };
        if !self.before.contains_key(&(depth, entry)) {
            let mut kept: Vec<(Variable, Variable)> =
                written.into_iter().map(|variable| (variable, self.m.b.variable(Type::Lane))).collect();
            kept.push((self.m.predicate, self.m.b.variable(Type::Mask)));
            self.before.insert((depth, entry), kept);
        }
        for (variable, kept) in self.before[&(depth, entry)].clone() {
            let value = self.m.b.get(variable);
            self.m.b.set(kept, value);
        }
    }

    /// The lanes in which a pass has changed something; `None` if that is not known.
    fn changed(&mut self, depth: usize, entry: usize) -> Option<Value> {
        let kept = self.before.get(&(depth, entry))?.clone();
        let mut changed = self.m.b.mask_constant(false);
        for (variable, before) in kept {
            let (now, before) = (self.m.b.get(variable), self.m.b.get(before));
            let differs = if variable == self.m.predicate {
                self.m.b.mask_xor(now, before)
            } else {
                self.m.b.icmp(IntTest::Ne, now, before)
            };
            changed = self.m.b.mask_or(changed, differs);
        }
        let covered = self.m.b.covered();
        Some(self.m.b.mask_and(changed, covered))
    }

    fn end_of_pass(&mut self, pc: u16, mut frames: Vec<Frame>) -> Result<(), NotLifted> {
        let depth = frames.len() - 1;
        let entry = frames[depth].entry;
        let flow = self.program.flow[entry];
        let (left, one) = (self.m.b.get(self.m.left[depth]), self.m.b.uniform_constant(1));
        let rest = self.m.b.uniform_sub(left, one);
        let (index, step) = (self.m.b.get(self.m.index[depth]), self.m.b.uniform_constant(flow.step.into()));
        let index = self.m.b.uniform_add(index, step);
        let (more, again, over) = (self.m.b.new_block(), self.m.b.new_block(), self.m.b.new_block());
        self.m.b.branch_if(IntTest::Sgt, left, one, (more, &[]), (over, &[]));
        self.m.b.seal(more);
        self.m.b.switch_to(more);
        match self.changed(depth, entry) {
            Some(changed) => self.m.b.branch_any(changed, (again, &[]), (over, &[])),
            None => self.m.b.jump(again, &[]),
        }
        self.m.b.seal(again);
        self.m.b.seal(over);
        self.m.b.switch_to(again);
        self.m.b.set(self.m.left[depth], rest);
        self.m.b.set(self.m.index[depth], index);
        self.remember(depth, entry);
        let first = self.block(Point { pc: flow.resume, frames: frames.clone() })?;
        self.m.b.jump(first, &[]);
        self.m.b.switch_to(over);
        frames.pop();
        self.following(pc, frames)
    }
}

/// Whether some way leads back to where it began.
fn is_cyclic(ways: &[(usize, usize)]) -> bool {
    let mut entering: HashMap<usize, usize> = HashMap::new();
    let mut leaving: HashMap<usize, Vec<usize>> = HashMap::new();
    for &(from, to) in ways {
        entering.entry(from).or_default();
        *entering.entry(to).or_default() += 1;
        leaving.entry(from).or_default().push(to);
    }
    let mut free: Vec<usize> = entering.iter().filter(|(_, count)| **count == 0).map(|(&point, _)| point).collect();
    let mut passed = 0;
    while let Some(point) = free.pop() {
        passed += 1;
        for to in leaving.get(&point).into_iter().flatten() {
            if let Some(count) = entering.get_mut(to) {
                *count -= 1;
                if *count == 0 {
                    free.push(*to);
                }
            }
        }
    }
    passed < entering.len()
}
