//! A vertex that is brought through its program instruction by instruction.

use super::flow::{self, Flow, Next};
use super::view::Register;
use super::{Constants, State, Trap, TrapKind, Vector};
use crate::instruction::Instruction;
use crate::program::{INPUTS, OUTPUTS, Program};
use ctm_follow::Pass;

/// A vertex on its way through a program: the same steps as those of [`run`](super::run). Whoever has it gives it the program and its constants
/// again for each step, always the same ones. Clones are its moments.
#[derive(Clone)]
pub struct Stepper {
    /// The instruction that is next; none at the end.
    pc: Option<u16>,
    steps: u64,
    state: State,
    flow: Flow,
}

/// A loop or call that the vertex is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A loop: the pass, from 1, and how many it has.
    Loop(u32, u32),
    /// A call, with the instruction that it returns to.
    Call(u16),
}

impl Stepper {
    /// A vertex with these inputs, in front of a program's first instruction.
    pub fn new(program: &Program, inputs: &[Vector; INPUTS]) -> Self {
        Stepper { pc: Some(program.first), steps: 0, state: State::new(*inputs), flow: Flow::new(program) }
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.flow.frames().len() * (size_of::<flow::Frame>() + size_of::<Option<State>>())
    }

    /// The instruction that is next; none at the end.
    pub fn pc(&self) -> Option<u16> {
        self.pc
    }

    /// Instructions executed.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The output vectors as they are now.
    pub fn outputs(&self) -> &[Vector; OUTPUTS] {
        &self.state.outputs
    }

    /// Whether there is a next instruction and its predicate lets it execute.
    pub fn lets_execute(&self, program: &Program) -> bool {
        self.next(program).is_some_and(|(_, instruction)| self.state.lets_execute(instruction))
    }

    /// The instruction that is next, if it is there.
    fn next<'p>(&self, program: &'p Program) -> Option<(u16, &'p Instruction)> {
        let pc = self.pc?;
        Some((pc, program.code.get(usize::from(pc))?))
    }

    /// Executes the next instruction, and says whether there is one after it. At the end nothing happens, nor after a trap.
    ///
    /// # Errors
    /// It traps, or `step_limit` instructions were executed.
    pub fn step(&mut self, program: &Program, constants: Constants<'_>, step_limit: u64) -> Result<bool, Trap> {
        let Some(pc) = self.pc else { return Ok(false) };
        let next = self.go(program, constants, step_limit, pc);
        self.pc = match next {
            Ok(Next::At(next)) => Some(next),
            Ok(Next::End) | Err(_) => None,
        };
        next.map(|_| self.pc.is_some()).map_err(|kind| Trap { kind, pc })
    }

    fn go(&mut self, program: &Program, constants: Constants<'_>, step_limit: u64, pc: u16) -> Result<Next, TrapKind> {
        let instruction = program.code.get(usize::from(pc)).ok_or(TrapKind::NoInstruction)?;
        if self.steps == step_limit {
            return Err(TrapKind::StepLimit);
        }
        self.steps += 1;
        self.state.execute(instruction, program, constants, self.flow.index())?;
        self.flow.after(program, pc, &self.state)
    }

    /// What it holds there.
    pub fn read(&self, register: Register) -> u32 {
        register.read(&self.state, self.flow.index())
    }

    /// Changes what it holds there, and says whether that is possible: the loop index is not changed.
    pub fn write(&mut self, register: Register, bits: u32) -> bool {
        register.write(&mut self.state, bits)
    }

    /// The loop that it is in.
    pub fn pass(&self) -> Option<Pass> {
        let loops = self.frames().filter_map(|frame| match frame {
            Frame::Loop(number, of) => Some((number, of)),
            Frame::Call(_) => None,
        });
        let depth = loops.clone().count() as u32;
        loops.last().map(|(number, of)| Pass { depth, number, of: Some(of) })
    }

    /// Loops and calls that it is in, the outermost first.
    pub fn frames(&self) -> impl Iterator<Item = Frame> + Clone {
        self.flow.frames().iter().map(|frame| match *frame {
            // A loop of no passes makes one.
            flow::Frame::Loop { passes, left, .. } => {
                let of = u32::from(passes.max(1));
                Frame::Loop(of - u32::from(left.max(1)) + 1, of)
            }
            flow::Frame::Call { resume, .. } => Frame::Call(resume),
        })
    }
}
