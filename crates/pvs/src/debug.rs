//! Runs of vertex programs in a debugger (`ctm_debug`). A vertex is a group of its own, of one lane.

use crate::instruction::Instruction;
use crate::job::{Job, VECTOR_BYTES};
use crate::lift::Layout;
use crate::program::{CONSTANTS, Program};
use crate::reference::{self, Constants, Register, Stepper, Trap, Vector};
use crate::text;
use ctm_debug::{
    Extent, Frame, FrameKind, Guest, GuestView, LaneInfo, Listing, ListingRow, Output, OutputElements, SavedState,
    Session, SessionError, StepOutcome,
};
use ctm_follow::{InstructionPlace, Participation, Pass, Standing};
use ctm_lane::domain::{AXIS, Lanes};
use ctm_lane::run::RunOptions;
use ctm_memory::{AppendError, Buffer, RangeError, Space};
use std::ops::Range;
use thiserror::Error;

/// Why there is no session over a run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DebugError {
    /// The vectors of vertices are not in the job's memory.
    #[error(transparent)]
    Vectors(#[from] RangeError),
    /// There is no memory for a copy of the job's.
    #[error(transparent)]
    Memory(#[from] AppendError),
    /// The session cannot begin there.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// A session over a job, on a copy of its memory, at the start of a vertex. The listing is that of [`listing`], perhaps with source lines.
/// Of the options, the step limit counts, and what ends a run early ends the way to the vertex.
///
/// The lane of vertex n is in column `n % AXIS` and row `n / AXIS` ([`AXIS`]). Outputs come to memory with the last instruction.
///
/// # Errors
/// There is no memory, or there is no such vertex.
pub fn session(job: &Job, options: &RunOptions, listing: Listing, lane: (u32, u32)) -> Result<Session, DebugError> {
    let mut memory = job.memory.copy()?;
    memory.record();
    let [inputs, outputs] = [job.inputs, job.outputs].map(Part::of);
    inputs.within(&memory)?;
    outputs.within(&memory)?;
    let registers = Register::all(job.program, job.layout);
    let shown = GuestView {
        machine: "PVS",
        listing,
        memory,
        is_independent: !inputs.meets(outputs),
        cells: registers.iter().map(|register| register.cell()).collect(),
        lanes: Vec::new(),
    };
    let guest = Debugged {
        program: job.program.clone(),
        constants: Box::new(*job.constants.memory),
        base: job.constants.base,
        layout: job.layout.clone(),
        vertices: job.vertices,
        inputs,
        outputs,
        step_limit: options.step_limit,
        shown,
        registers,
        vertex: 0,
        stepper: None,
    };
    Ok(Session::new(Box::new(guest), lane, &|| options.is_over())?)
}

/// The instructions of a program, each in one line, with what flow control does after it as a comment.
pub fn listing(program: &Program) -> Listing {
    let row = |(pc, instruction): (u16, &Instruction)| {
        let flow = program.entry_at(pc).and_then(|(_, entry)| Some((entry.op, entry.words()?)));
        let comment = flow.map_or(String::new(), |(op, words)| format!(" -- {}: {words}", op.name()));
        ListingRow {
            place: InstructionPlace::from(u32::from(pc)),
            address: pc.to_string(),
            text: text::print_instruction(instruction) + &comment,
            labels: Vec::new(),
            line: None,
        }
    };
    Listing { rows: (0..).zip(&program.code).map(row).collect(), sources: Vec::new() }
}

/// Bytes of memory.
#[derive(Clone, Copy)]
struct Part {
    base: u32,
    length: u32,
}

impl Part {
    fn of(buffer: Buffer) -> Self {
        Part { base: buffer.base(), length: buffer.length() }
    }

    fn within(self, memory: &Space) -> Result<Buffer<'_>, RangeError> {
        Buffer::new(memory, self.base, self.length)
    }

    fn meets(self, other: Part) -> bool {
        let end = |part: Part| u64::from(part.base) + u64::from(part.length);
        u64::from(self.base) < end(other) && u64::from(other.base) < end(self)
    }
}

/// A run as a debugger's guest.
struct Debugged {
    program: Program,
    constants: Box<[Vector; CONSTANTS]>,
    base: u8,
    layout: Layout,
    vertices: u32,
    inputs: Part,
    outputs: Part,
    step_limit: u64,
    shown: GuestView,
    /// What the cells are.
    registers: Vec<Register>,
    vertex: u32,
    /// The vertex on its way, once one has started.
    stepper: Option<Stepper>,
}

impl Debugged {
    /// The job over the session's memory.
    fn job(&self) -> Result<Job<'_>, RangeError> {
        Ok(Job {
            program: &self.program,
            constants: Constants { memory: &self.constants, base: self.base },
            layout: &self.layout,
            vertices: self.vertices,
            inputs: self.inputs.within(&self.shown.memory)?,
            outputs: self.outputs.within(&self.shown.memory)?,
            memory: &self.shown.memory,
        })
    }
}

impl Guest for Debugged {
    fn view(&self) -> &GuestView {
        &self.shown
    }

    fn extent(&self) -> Extent {
        Extent { first: (0, 0), columns: self.vertices.min(AXIS), rows: self.vertices.div_ceil(AXIS) }
    }

    fn groups(&self) -> u64 {
        self.vertices.into()
    }

    fn group_of(&self, (column, row): (u32, u32)) -> Option<u64> {
        let is_there = Lanes::Line(self.vertices).contains(column, row);
        is_there.then(|| u64::from(row) * u64::from(AXIS) + u64::from(column))
    }

    fn outputs(&self) -> Vec<Output> {
        let stride = VECTOR_BYTES * self.layout.outputs.len() as u32;
        let output = |(place, number): (u32, &u8)| Output {
            name: format!("output {number}"),
            elements: OutputElements::Lanes {
                base: self.outputs.base + VECTOR_BYTES * place,
                stride,
                row_stride: u64::from(stride) * u64::from(AXIS),
                words: VECTOR_BYTES / 4,
            },
        };
        (0..).zip(&self.layout.outputs).map(output).collect()
    }

    fn start(&mut self, group: u64) -> StepOutcome {
        self.vertex = group as u32;
        self.shown.lanes = vec![LaneInfo { at: (self.vertex % AXIS, self.vertex / AXIS), runs: true }];
        match self.job().map(|job| Stepper::new(job.program, &job.vertex(self.vertex))) {
            Ok(stepper) => {
                self.stepper = Some(stepper);
                StepOutcome::Going
            }
            Err(error) => StepOutcome::Trapped(error.to_string()),
        }
    }

    fn step(&mut self) -> StepOutcome {
        let Some(mut stepper) = self.stepper.take() else { return StepOutcome::Ended };
        let outcome = match self.job() {
            Err(error) => StepOutcome::Trapped(error.to_string()),
            Ok(job) => match stepper.step(job.program, job.constants, self.step_limit) {
                Ok(true) => StepOutcome::Going,
                Ok(false) => {
                    job.keep(self.vertex, stepper.outputs());
                    StepOutcome::Ended
                }
                Err(Trap { kind, pc }) => StepOutcome::Trapped(Trap { kind, pc }.to_string()),
            },
        };
        self.stepper = Some(stepper);
        outcome
    }

    fn save(&self) -> SavedState {
        let bytes = self.stepper.as_ref().map_or(0, Stepper::bytes);
        SavedState::new(self.stepper.clone(), bytes)
    }

    fn restore(&mut self, saved: &SavedState) {
        if let Some(stepper) = saved.get::<Option<Stepper>>() {
            self.stepper.clone_from(stepper);
        }
    }

    fn place(&self) -> Option<InstructionPlace> {
        self.stepper.as_ref()?.pc().map(|pc| InstructionPlace::from(u32::from(pc)))
    }

    fn output_cells(&self) -> Range<usize> {
        let is_output = |register: &Register| matches!(register, Register::Output(..));
        let first = self.registers.iter().position(is_output).unwrap_or(self.registers.len());
        first..first + self.registers[first..].iter().take_while(|register| is_output(register)).count()
    }

    fn read(&self, lane: usize, cell: usize) -> u32 {
        let register = self.registers.get(cell).filter(|_| lane == 0);
        let read = |stepper: &Stepper| register.map(|&register| stepper.read(register));
        self.stepper.as_ref().and_then(read).unwrap_or(0)
    }

    fn write(&mut self, lane: usize, cell: usize, bits: u32) -> bool {
        let Some(&register) = self.registers.get(cell).filter(|_| lane == 0) else { return false };
        self.stepper.as_mut().is_some_and(|stepper| stepper.write(register, bits))
    }

    fn standing(&self, _: usize) -> Standing {
        if self.place().is_some() { Standing::Active } else { Standing::Ended }
    }

    fn participation(&self, _: usize) -> (Participation, String) {
        let stands = |stepper: &Stepper| match stepper.pc() {
            None => Participation::Waits(None),
            Some(_) if stepper.lets_execute(&self.program) => Participation::Executes,
            Some(_) => Participation::Skips(format!("p is {}", stepper.read(Register::Predicate))),
        };
        (self.stepper.as_ref().map_or(Participation::Waits(None), stands), String::new())
    }

    fn pass(&self) -> Option<Pass> {
        self.stepper.as_ref()?.pass()
    }

    fn stack(&self) -> Vec<Frame> {
        let frame = |frame: reference::Frame| match frame {
            reference::Frame::Loop(number, of) => {
                Frame { kind: FrameKind::Loop, text: format!("loop, pass {number} of {of}"), returns: None }
            }
            reference::Frame::Call(at) => Frame {
                kind: FrameKind::Call,
                text: format!("call, returns to {at}"),
                returns: Some(InstructionPlace::from(u32::from(at))),
            },
        };
        self.stepper.iter().flat_map(Stepper::frames).map(frame).collect()
    }
}
