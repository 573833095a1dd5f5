//! One wavefront, from program start to its end.

use super::clause::{AluLanes, ClauseRegisters};
use super::control::{CodeAddress, Control, Image, Pixel, Test};
use super::flow::{self, Next};
use super::machine::BoundJob;
use super::registers::Registers;
use super::view::{next_of, runs_clause};
use crate::cf::{Cf, CfAlu, CfOp, CfPlain, Qword};
use crate::codes::Condition;
use crate::fetch::Fetch;
use crate::group::{Group, groups};
use crate::job::{RunError, STRIP_CUT, STRIP_VERTEX, Trap, TrapKind, TrapLocation};
use crate::outline::{Clause, fetches};
use crate::program::{GPRS, ProgramInfo, Stage};
use ctm_follow::{Follow, InstructionPlace, StepPart};
use ctm_lane::budget::{Halt, Meter, Poller, allocate};
use ctm_lane::counts::Tally;
use ctm_lane::run::{RunOptions, RunStats};
use std::collections::HashMap;
use std::rc::Rc;

/// Clauses that a worker has decoded.
#[derive(Default)]
pub(super) struct Clauses {
    alu: HashMap<(bool, Clause), Rc<Vec<Group>>>,
    fetch: HashMap<(bool, Clause), Rc<Vec<Fetch>>>,
}

/// A lane that a wavefront is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    /// Column.
    pub i: u32,
    /// Row.
    pub j: u32,
    /// It belongs to the job; otherwise it is there for its quad.
    pub covered: bool,
}

/// Everything that changes while a wavefront runs, but memory.
#[derive(Clone)]
pub(super) struct State {
    pub lanes: Vec<Lane>,
    pub control: Control,
    pub registers: Registers,
    /// Dwords of scratch memory, those of lane 0 first.
    pub scratch: Vec<u32>,
    /// What SET_GRADIENTS_H and _V of the clause that runs have set.
    pub gradients: Vec<[[u32; 4]; 2]>,
    /// The control-flow instruction that is next, or whose clause runs.
    here: CodeAddress,
    /// The clause that runs, if it has more instructions.
    clause: Option<RunningClause>,
    /// The instruction of the clause that executes.
    slot: Option<u32>,
    /// Steps at the last look of the poller.
    polled: u64,
    steps: u64,
    instructions: u64,
    /// The first lane that would have executed the instruction at which the step limit was reached.
    limited: Option<usize>,
}

impl State {
    /// At program start.
    ///
    /// # Errors
    /// The host has no memory for it.
    pub fn new(machine: &BoundJob, lanes: Vec<Lane>) -> Result<Self, Halt> {
        let info = machine.info();
        let covered: Vec<bool> = lanes.iter().map(|lane| lane.covered).collect();
        let mut registers = Registers::new(lanes.len(), info, machine.job.clamp_gpr);
        for (register, input) in &machine.inputs {
            for (pixel, lane) in lanes.iter().enumerate() {
                *registers.gpr_mut(pixel, *register) = machine.input(input, lane.i, lane.j);
            }
        }
        let scratch_dwords = machine.job.memories.scratch_elements as usize * 4;
        Ok(State {
            control: Control::new(&covered, info, machine.job),
            registers,
            scratch: allocate(scratch_dwords * lanes.len())?,
            gradients: vec![[[0; 4]; 2]; lanes.len()],
            lanes,
            here: CodeAddress { image: Image::Main, pc: 0 },
            clause: None,
            slot: None,
            polled: 0,
            steps: 0,
            instructions: 0,
            limited: None,
        })
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.lanes.len() * (GPRS * 16 + 256) + 4 * self.scratch.len() + size_of::<Self>()
    }

    /// The registers that a pixel has in the ALU clause that runs, if one does.
    pub fn clause_registers(&self, pixel: usize) -> Option<&ClauseRegisters> {
        match &self.clause.as_ref()?.kind {
            ClauseKind::Alu { lanes, .. } => lanes.registers(pixel),
            ClauseKind::Fetch { .. } => None,
        }
    }
}

/// The instruction that is next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Upcoming {
    /// Where it is.
    pub place: InstructionPlace,
    /// The pixels that execute it.
    pub executing: Vec<bool>,
}

/// A clause between two of its instructions.
#[derive(Clone)]
struct RunningClause {
    /// The pixels that pass the test of its instruction.
    passing: Vec<bool>,
    /// How many of its instructions have executed.
    done: usize,
    kind: ClauseKind,
}

#[derive(Clone)]
enum ClauseKind {
    /// Groups of ALU instructions, and where the pixels stood when it began.
    Alu { cf: CfAlu, lanes: AluLanes, before: Vec<Pixel> },
    /// Fetch instructions.
    Fetch { cf: CfPlain },
}

/// A wavefront that runs.
pub(super) struct Wave<'a, 'o> {
    pub machine: &'a BoundJob<'a>,
    options: &'a RunOptions<'a>,
    poller: Poller<'a>,
    clauses: &'a mut Clauses,
    pub follow: &'a mut Option<Follow<'o>>,
    tally: Option<Tally<'a>>,
    pub state: State,
}

/// Runs the program for these lanes: whole quads.
///
/// # Errors
/// What the program trapped with, or why the run was ended.
pub(super) fn run(
    machine: &BoundJob,
    options: &RunOptions,
    meter: &Meter,
    clauses: &mut Clauses,
    follow: &mut Option<Follow>,
    lanes: Vec<Lane>,
    stats: &mut RunStats,
) -> Result<(), RunError> {
    stats.lanes += lanes.iter().filter(|lane| lane.covered).count() as u64;
    stats.groups += 1;
    let state = State::new(machine, lanes)?;
    let mut wave = Wave::new(machine, options, meter, clauses, follow, state);
    wave.tell_start();
    let result = wave.run_program();
    if result.is_ok() {
        let Wave { tally, state, .. } = &mut wave;
        tally.iter_mut().for_each(|tally| tally.finish(state.lanes.iter().map(|lane| (lane.i, lane.j))));
    }
    wave.tell_end(result.as_ref().err().map(ToString::to_string));
    stats.instructions += wave.state.instructions;
    result
}

/// Why a wavefront goes on no further.
enum Stop {
    Trap(TrapKind),
    Halted(Halt),
}

impl From<TrapKind> for Stop {
    fn from(kind: TrapKind) -> Self {
        Stop::Trap(kind)
    }
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Stop::Halted(halt)
    }
}

impl<'a, 'o> Wave<'a, 'o> {
    /// A wavefront in this state.
    pub fn new(
        machine: &'a BoundJob<'a>,
        options: &'a RunOptions<'a>,
        meter: &'a Meter<'a>,
        clauses: &'a mut Clauses,
        follow: &'a mut Option<Follow<'o>>,
        state: State,
    ) -> Self {
        let tally = options.counts.map(|counts| Tally::new(counts, state.lanes.len()));
        Wave { machine, options, poller: Poller::new(meter), clauses, follow, tally, state }
    }

    fn run_program(&mut self) -> Result<(), RunError> {
        while self.advance()? {}
        Ok(())
    }

    /// Executes the next instruction, and says whether there is one after it.
    ///
    /// # Errors
    /// It traps, or the run is ended.
    pub fn advance(&mut self) -> Result<bool, RunError> {
        self.step().map_err(|stop| match stop {
            Stop::Trap(kind) => RunError::Trap(self.trap(kind)),
            Stop::Halted(halt) => halt.into(),
        })
    }

    /// The instruction that is next; none if there is none, and one that traps.
    pub fn upcoming(&mut self) -> Option<Upcoming> {
        let here = self.state.here;
        let cf = Cf::decode(self.code().get(here.pc as usize)?);
        let Some(clause) = self.state.clause.clone() else {
            let executing = self.state.control.passing(&self.test(&cf));
            return Some(Upcoming { place: location(here, None).place(), executing });
        };
        let RunningClause { passing, done, kind } = clause;
        let (slot, executing) = match kind {
            ClauseKind::Alu { cf, lanes, .. } => {
                let groups = self.alu_groups(&cf).ok()?;
                let executing = lanes.executing(&self.state.control, &passing);
                (cf.fields.addr + groups.get(done)?.start as u32, executing)
            }
            ClauseKind::Fetch { cf } => {
                let fetches = self.fetch_instructions(&cf).ok()?;
                (cf.fields.addr + 2 * done as u32, self.fetching(fetches.get(done)?, &passing))
            }
        };
        Some(Upcoming { place: location(here, Some(slot)).place(), executing })
    }

    /// Executes the next instruction of the clause that runs, or the control-flow instruction at the program counter; says whether there is
    /// a next one.
    fn step(&mut self) -> Result<bool, Stop> {
        let State { lanes, steps, polled, instructions, .. } = &mut self.state;
        let executed = *steps - std::mem::replace(polled, *steps);
        let place = || lanes.first().map_or((0, 0), |lane| (lane.i, lane.j));
        self.poller.step(executed.try_into().unwrap_or(u32::MAX), *instructions, place)?;
        self.state.slot = None;
        let here = self.state.here;
        let qword = self.code().get(here.pc as usize).ok_or(TrapKind::BadAddress)?;
        let cf = Cf::decode(qword);
        let done = match self.state.clause.take() {
            Some(clause) => self.step_clause(clause),
            None => {
                let passing = self.reach(&cf)?;
                self.execute(&cf, passing)
            }
        };
        let next = match done {
            // The clause has more instructions.
            Ok(None) => return Ok(true),
            Ok(Some(next)) => self.after(&cf, next),
            Err(kind) => Err(kind),
        };
        self.report_after(|| next_of(here, &next), None);
        match next? {
            Some(next) => self.state.here = next,
            None => {
                self.note_valid();
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts a control-flow instruction, reports it, and gives the pixels that pass its test.
    fn reach(&mut self, cf: &Cf) -> Result<Vec<bool>, TrapKind> {
        let passing = self.state.control.passing(&self.test(cf));
        self.count(&passing)?;
        let part = if runs_clause(cf) { StepPart::Begin } else { StepPart::Whole };
        let flow = matches!(cf, Cf::Plain(_)) && part == StepPart::Whole;
        self.tell_before((self.state.here.pc, part), flow, &passing, None, |_, _| String::new());
        Ok(passing)
    }

    /// Executes the next instruction of a clause; after the last one, gives where its control-flow instruction leads.
    fn step_clause(&mut self, mut clause: RunningClause) -> Result<Option<Next>, TrapKind> {
        let RunningClause { passing, done, kind } = &mut clause;
        let is_last = match kind {
            ClauseKind::Alu { cf, lanes, .. } => self.step_alu_clause(cf, passing, lanes, *done),
            ClauseKind::Fetch { cf } => self.step_fetch_clause(cf, passing, *done),
        }?;
        *done += 1;
        if !is_last {
            self.state.clause = Some(clause);
            return Ok(None);
        }
        self.state.slot = None;
        self.tell_before((self.state.here.pc, StepPart::End), false, &clause.passing, None, |_, _| String::new());
        match clause.kind {
            ClauseKind::Alu { cf, before, .. } => flow::after_clause(&mut self.state.control, cf.op, &before)?,
            ClauseKind::Fetch { .. } => {}
        }
        Ok(Some(Next::Following))
    }

    /// Begins a clause. What its instruction does before and after are parts of their own.
    fn begin_clause(&mut self, passing: Vec<bool>, kind: ClauseKind) {
        self.report_after(|| ctm_follow::Next::Following, None);
        self.state.clause = Some(RunningClause { passing, done: 0, kind });
    }

    /// Where the wavefront goes after an instruction that leads there, unless the instruction is also the last one.
    fn after(&mut self, cf: &Cf, mut next: Next) -> Result<Option<CodeAddress>, TrapKind> {
        let ends = cf.ends_program() || matches!(cf, Cf::Plain(CfPlain { op: CfOp::EndProgram, .. }));
        match (ends, self.state.here.image, next) {
            (true, Image::Main, _) => return Ok(None),
            // The end of a fetch program is a return.
            (true, Image::Fetch, Next::Following | Next::Goto(_) | Next::EnterFetchProgram) => {
                next = flow::end_call(&mut self.state.control)?;
            }
            _ => {}
        }
        Ok(Some(self.place_of(next)))
    }

    /// Where the wavefront is.
    pub(super) fn here(&self) -> CodeAddress {
        self.state.here
    }

    fn place_of(&self, next: Next) -> CodeAddress {
        match next {
            Next::Following => CodeAddress { pc: self.state.here.pc + 1, ..self.state.here },
            Next::Goto(pc) => CodeAddress { pc, ..self.state.here },
            Next::EnterFetchProgram => CodeAddress { image: Image::Fetch, pc: 0 },
            Next::Return(place) => place,
        }
    }

    /// Counts an instruction that is about to execute, for these pixels.
    fn count(&mut self, executing: &[bool]) -> Result<(), TrapKind> {
        let mut lanes =
            self.state.control.pixels().filter(|&pixel| self.state.lanes[pixel].covered && executing[pixel]);
        if self.state.steps == self.options.step_limit {
            self.state.limited = lanes.next();
            return Err(TrapKind::StepLimit);
        }
        self.state.steps += 1;
        let Some(tally) = &mut self.tally else {
            self.state.instructions += lanes.count() as u64;
            return Ok(());
        };
        let lanes: Vec<usize> = lanes.collect();
        self.state.instructions += lanes.len() as u64;
        if !lanes.is_empty() {
            let place = location(self.state.here, self.state.slot).place();
            tally.add(place, lanes.into_iter());
        }
        Ok(())
    }

    /// Goes to a group or fetch instruction of a clause, for these pixels.
    pub(super) fn begin_slot(&mut self, address: u32, executing: &[bool]) -> Result<(), TrapKind> {
        self.state.slot = Some(address);
        self.count(executing)
    }

    /// Where an instruction leads, or nothing if its clause has begun.
    fn execute(&mut self, cf: &Cf, passing: Vec<bool>) -> Result<Option<Next>, TrapKind> {
        match cf {
            Cf::Reserved(_) => Err(TrapKind::BadOpcode),
            Cf::Alu(alu) => {
                let control = &mut self.state.control;
                let before = flow::before_clause(control, alu.op, alu.fields.whole_quad_mode)?;
                if passing.contains(&true) {
                    let lanes = AluLanes::new(control, &passing);
                    self.begin_clause(passing, ClauseKind::Alu { cf: *alu, lanes, before });
                    return Ok(None);
                }
                flow::after_clause(control, alu.op, &before)?;
                Ok(Some(Next::Following))
            }
            Cf::Export(export) => {
                if !export.op.properties().families.has(self.info().family) {
                    return Err(TrapKind::BadOpcode);
                }
                self.export(export, &passing)?;
                Ok(Some(Next::Following))
            }
            Cf::Plain(plain) => self.execute_plain(plain, passing),
        }
    }

    fn execute_plain(&mut self, plain: &CfPlain, passing: Vec<bool>) -> Result<Option<Next>, TrapKind> {
        let CfPlain { op, fields } = plain;
        if !op.properties().families.has(self.info().family) {
            return Err(TrapKind::BadOpcode);
        }
        match op {
            CfOp::Tex | CfOp::Vtx | CfOp::VtxTc | CfOp::TexAck | CfOp::VtxAck | CfOp::VtxTcAck => {
                if passing.contains(&true) {
                    self.begin_clause(passing, ClauseKind::Fetch { cf: *plain });
                    return Ok(None);
                }
                Ok(Some(Next::Following))
            }
            CfOp::EmitVertex => self.emit(&[STRIP_VERTEX], &passing),
            CfOp::EmitCutVertex => self.emit(&[STRIP_VERTEX, STRIP_CUT], &passing),
            CfOp::CutVertex => self.emit(&[STRIP_CUT], &passing),
            CfOp::Nop | CfOp::EndProgram | CfOp::WaitAck => Ok(Some(Next::Following)),
            CfOp::LoopStart
            | CfOp::LoopEnd
            | CfOp::LoopStartDx10
            | CfOp::LoopStartNoAl
            | CfOp::LoopContinue
            | CfOp::LoopBreak
            | CfOp::Jump
            | CfOp::Push
            | CfOp::PushElse
            | CfOp::Else
            | CfOp::Pop
            | CfOp::PopJump
            | CfOp::PopPush
            | CfOp::PopPushElse
            | CfOp::Call
            | CfOp::CallFs
            | CfOp::Return
            | CfOp::Kill => {
                let test = self.test(&Cf::Plain(*plain));
                let loop_constant = self.machine.job.loops[usize::from(fields.cf_const)];
                let has_fetch_program = self.machine.job.fetch_program.is_some();
                let state = &mut self.state;
                flow::execute(&mut state.control, plain, &test, loop_constant, has_fetch_program, state.here).map(Some)
            }
        }
    }

    fn emit(&self, events: &[u32], passing: &[bool]) -> Result<Option<Next>, TrapKind> {
        if self.info().stage != Stage::Geometry {
            return Err(TrapKind::WrongStage);
        }
        self.note_strip_events(events, passing);
        Ok(Some(Next::Following))
    }

    /// The condition test of an instruction. Formats without condition test for active pixels.
    fn test(&self, cf: &Cf) -> Test {
        match cf {
            Cf::Plain(CfPlain { fields, .. }) => Test {
                condition: fields.cond,
                boolean: self.machine.job.bools[usize::from(fields.cf_const)],
                valid_only: fields.valid_pixel_mode,
                whole_quad: fields.whole_quad_mode,
            },
            Cf::Alu(alu) => flow::alu_test(alu.fields.whole_quad_mode),
            Cf::Export(export) => Test {
                condition: Condition::Active,
                boolean: false,
                valid_only: export.fields.valid_pixel_mode,
                whole_quad: export.fields.whole_quad_mode,
            },
            Cf::Reserved(_) => flow::alu_test(false),
        }
    }

    pub(super) fn info(&self) -> &'a ProgramInfo {
        self.machine.info()
    }

    fn code(&self) -> &'a [Qword] {
        self.machine.code(self.state.here.image)
    }

    /// The qwords of a clause.
    fn clause(&self, cf: &Cf) -> Result<(Clause, &'a [Qword]), TrapKind> {
        let clause = cf.clause(self.info().family).ok_or(TrapKind::ClauseOutOfRange)?;
        let range = clause.range(self.code().len()).ok_or(TrapKind::ClauseOutOfRange)?;
        Ok((clause, &self.code()[range]))
    }

    /// The groups of an ALU clause.
    pub(super) fn alu_groups(&mut self, cf: &CfAlu) -> Result<Rc<Vec<Group>>, TrapKind> {
        let (clause, code) = self.clause(&Cf::Alu(*cf))?;
        let family = self.info().family;
        let key = (self.state.here.image == Image::Fetch, clause);
        Ok(self.clauses.alu.entry(key).or_insert_with(|| Rc::new(groups(code, family))).clone())
    }

    /// The instructions of a fetch clause.
    pub(super) fn fetch_instructions(&mut self, cf: &CfPlain) -> Result<Rc<Vec<Fetch>>, TrapKind> {
        let (clause, code) = self.clause(&Cf::Plain(*cf))?;
        let key = (self.state.here.image == Image::Fetch, clause);
        Ok(self.clauses.fetch.entry(key).or_insert_with(|| Rc::new(fetches(code).collect())).clone())
    }

    fn trap(&self, kind: TrapKind) -> Trap {
        let concerned = match kind {
            TrapKind::StepLimit => self.state.limited,
            TrapKind::BadOpcode
            | TrapKind::BadAddress
            | TrapKind::ClauseOutOfRange
            | TrapKind::StackUnderflow
            | TrapKind::StackOverflow
            | TrapKind::StackMismatch
            | TrapKind::NoLoop
            | TrapKind::WrongStage
            | TrapKind::GroupIllegal(_)
            | TrapKind::GprOutOfRange
            | TrapKind::ConstOutOfRange { .. }
            | TrapKind::Unsupported(_) => {
                self.state.control.pixels().find(|&pixel| self.state.control.is_active(pixel))
            }
        };
        let lane = concerned
            .or_else(|| self.state.lanes.iter().position(|lane| lane.covered))
            .map(|pixel| self.state.lanes[pixel]);
        let (i, j) = lane.map_or((0, 0), |lane| (lane.i, lane.j));
        Trap { kind, location: location(self.state.here, self.state.slot), i, j }
    }
}

/// Where a wavefront is, that is at this slot of a clause.
fn location(here: CodeAddress, slot: Option<u32>) -> TrapLocation {
    TrapLocation { pc: here.pc, slot, in_fetch_program: here.image == Image::Fetch }
}
