//! One group of lanes, from program start to the last write.

use super::alu::{self, Scratch};
use super::cycle::{CycleDetector, skip_periods};
use super::flow::{Control, FlowStep, Limits};
use super::prepare::{Action, AluKind, Gate, Prepared, Step};
use super::registers::{Registers, temp_index};
use super::tex;
use super::view::{is_flow, participation, results, view};
use crate::codes::FlowOp;
use crate::conditional::{CondLocation, ConditionalUnit};
use crate::fragments::{Quad, Shaded, TextureUnit};
use crate::instruction::Flow;
use crate::job::{Job, RunError, RunOptions, RunStats, Trap, TrapKind};
use crate::program::{INPUTS, OUTPUTS, WriteMode};
use crate::sampled::InputSampler;
use ctm_follow::{Address, Event, Follow, MemoryAccess, Next, Participation, StepPart, ValueKind, note};
use ctm_lane::budget::{Meter, Poller};
use ctm_lane::counts::Tally;
use ctm_lane::domain::QUAD;
use ctm_memory::{Bounds, Surface, View};
use ctm_num::convert::float_to_coordinate;
use ctm_num::x1k::MadRules;
use std::sync::Arc;

/// A job with its surfaces bound to memory and its program prepared; shared by all workers.
pub(super) struct BoundJob<'a> {
    pub job: &'a Job<'a>,
    pub prepared: Arc<Prepared>,
    rules: MadRules,
    textures: Textures<'a>,
    outputs: [Option<View<'a>>; OUTPUTS],
    conditional: ConditionalUnit<'a>,
}

/// An input of a job.
pub(super) struct Input<'a> {
    pub view: View<'a>,
    /// Further levels.
    pub levels: Vec<View<'a>>,
    pub sampler: Option<&'a InputSampler>,
}

/// What texture instructions fetch from.
pub(super) enum Textures<'a> {
    /// The inputs of a job.
    Inputs(Box<[Option<Input<'a>>; INPUTS]>),
    /// The texture unit of a card.
    Unit(&'a dyn TextureUnit),
}

impl<'a> BoundJob<'a> {
    pub fn new(job: &'a Job<'a>) -> Self {
        Self::with_prepared(job, Arc::new(Prepared::of(job)))
    }

    /// A job whose program was [prepared](Prepared::of) before.
    pub fn with_prepared(job: &'a Job<'a>, prepared: Arc<Prepared>) -> Self {
        let input = |number: usize| {
            let sampler = job.samplers[number].as_ref();
            // Samplers know nothing of the 2x2 option.
            let surface = job.inputs[number]?;
            let surface = Surface { superfine: surface.superfine && sampler.is_none(), ..surface };
            let view = View::new(job.memory, surface, Bounds::Clamp);
            let levels = sampler.into_iter().flat_map(|sampler| &sampler.levels);
            let levels =
                levels.map(|&level| View::new(job.memory, Surface { superfine: false, ..level }, Bounds::Clamp));
            let levels = levels.collect();
            Some(Input { view, levels, sampler })
        };
        Self::bind(job, prepared, Textures::Inputs(Box::new(std::array::from_fn(input))))
    }

    /// A job whose inputs are those of a texture unit.
    pub fn with_textures(job: &'a Job<'a>, textures: Textures<'a>) -> Self {
        Self::bind(job, Arc::new(Prepared::new(job.program, &job.constants)), textures)
    }

    fn bind(job: &'a Job<'a>, prepared: Arc<Prepared>, textures: Textures<'a>) -> Self {
        BoundJob {
            job,
            prepared,
            rules: MadRules { unfused: job.unfused, zero_times_anything: job.program.info.zero_times_anything },
            textures,
            outputs: job.outputs.each_ref().map(|surface| bound(job, surface, Bounds::Drop)),
            conditional: ConditionalUnit::new(&job.conditional, job.memory),
        }
    }

    /// True if some access left the mapped memory.
    pub fn out_of_range(&self) -> bool {
        let inputs = match &self.textures {
            Textures::Inputs(inputs) => &inputs[..],
            Textures::Unit(_) => &[],
        };
        let inputs = inputs.iter().flatten().flat_map(|input| std::iter::once(&input.view).chain(&input.levels));
        let views = inputs.chain(self.outputs.iter().flatten());
        views.fold(self.conditional.out_of_range(), |any, view| any | view.out_of_range())
    }

    /// The request of conditional execution: says whether the lane at (i, j) is to run.
    pub fn lets_run(&self, i: u32, j: u32) -> bool {
        self.conditional.request(CondLocation::Pe, i, j, self.job.conditional.pe_value)
    }
}

fn bound<'a>(job: &'a Job, surface: &Option<Surface>, bounds: Bounds) -> Option<View<'a>> {
    surface.map(|surface| View::new(job.memory, surface, bounds))
}

/// Everything that decides what a group does next.
#[derive(Clone, PartialEq)]
pub(super) struct State {
    pub pc: usize,
    pub control: Control,
    pub registers: Registers,
}

/// What a group is between two steps.
pub(super) struct Idle {
    pub state: State,
    /// Steps that it has made.
    pub steps: u64,
    /// (i, j) per lane.
    pub positions: Vec<(u32, u32)>,
    /// What steps work with.
    scratch: Box<Scratch>,
}

impl Idle {
    /// Of groups of this width, none of which has started.
    pub fn new(machine: &BoundJob, width: usize) -> Self {
        let control = Control::new(Limits::new(machine.job.program.info.full_flow_control));
        Idle {
            state: State { pc: 0, control, registers: Registers::new(width, machine.prepared.temps) },
            steps: 0,
            positions: Vec::with_capacity(width),
            scratch: Box::new(Scratch::new()),
        }
    }
}

/// Whether a group goes on after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Going,
    Ended,
}

/// A group, reused for one set of lanes after the other.
pub(super) struct Group<'a> {
    machine: &'a BoundJob<'a>,
    options: &'a RunOptions<'a>,
    poller: Poller<'a>,
    state: State,
    /// Steps that it has made.
    steps: u64,
    /// (i, j) per lane.
    positions: Vec<(u32, u32)>,
    /// The lanes of the quads that run, if it runs quads.
    lanes: Vec<Lane>,
    /// Lanes that execute the current instruction.
    executing: Vec<bool>,
    scratch: Box<Scratch>,
    follow: Option<Follow<'a>>,
    tally: Option<Tally<'a>>,
}

/// A lane that a group is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Column.
    pub i: u32,
    /// Row.
    pub j: u32,
    /// What the lane is there for.
    pub kind: LaneKind,
}

/// What a lane of a group is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// It runs the program.
    Runs,
    /// It computes for the other lanes of its quad, and has no effect.
    Helper,
    /// It takes no part.
    Uncovered,
}

impl<'a> Group<'a> {
    pub fn new(
        machine: &'a BoundJob<'a>,
        options: &'a RunOptions<'a>,
        meter: &'a Meter<'a>,
        width: usize,
        follow: Option<Follow<'a>>,
    ) -> Self {
        Self::resume(machine, options, meter, Idle::new(machine, width), follow)
    }

    /// A group that goes on where it was left.
    pub fn resume(
        machine: &'a BoundJob<'a>,
        options: &'a RunOptions<'a>,
        meter: &'a Meter<'a>,
        idle: Idle,
        follow: Option<Follow<'a>>,
    ) -> Self {
        let Idle { state, steps, positions, scratch } = idle;
        let width = state.registers.width();
        Group {
            machine,
            options,
            poller: Poller::new(meter),
            state,
            steps,
            positions,
            lanes: Vec::new(),
            executing: vec![false; width],
            scratch,
            follow,
            tally: options.counts.map(|counts| Tally::new(counts, width)),
        }
    }

    /// Leaves the group where it is.
    pub fn leave(self) -> Idle {
        let Group { state, steps, positions, scratch, .. } = self;
        Idle { state, steps, positions, scratch }
    }

    /// Runs the program for these lanes, at most as many as the group is wide.
    pub fn run(&mut self, lanes: &[Lane], stats: &mut RunStats) -> Result<(), RunError> {
        self.start(lanes);
        self.report_start(lanes);
        self.poller.begin_group();
        stats.lanes += lanes.iter().filter(|lane| lane.kind == LaneKind::Runs).count() as u64;
        stats.groups += 1;
        let result = self.execute_program(stats);
        if result.is_ok() {
            self.finish();
        }
        self.report_end(&result);
        result
    }

    /// Runs the program for quads of fragments, at most as many as the group is wide, which bring values of these temporaries.
    pub fn shade(
        &mut self,
        quads: &[Quad],
        presets: &[u8],
        stats: &mut RunStats,
        shaded: &mut Vec<Shaded>,
    ) -> Result<(), RunError> {
        self.lanes.clear();
        self.lanes.extend(quads.iter().flat_map(|quad| {
            let (x, y) = quad.position;
            (0..QUAD as u32).map(move |lane| {
                let kind = if quad.covered >> lane & 1 != 0 { LaneKind::Runs } else { LaneKind::Helper };
                Lane { i: x + lane % 2, j: y + lane / 2, kind }
            })
        }));
        let lanes = std::mem::take(&mut self.lanes);
        self.start(&lanes);
        self.poller.begin_group();
        for (n, &preset) in presets.iter().enumerate() {
            let index = temp_index(preset, false, 0);
            // Temporaries that the program does not name do not exist.
            if index >= self.state.registers.temps() {
                continue;
            }
            for channel in 0..4 {
                let row = self.state.registers.temp_mut(index, channel);
                for (row, quad) in row.chunks_exact_mut(QUAD).zip(quads) {
                    row.iter_mut().zip(&quad.inputs[n]).for_each(|(value, lane)| *value = lane[channel]);
                }
            }
        }
        self.report_start(&lanes);
        self.lanes = lanes;
        stats.lanes += quads.iter().map(|quad| u64::from(quad.covered.count_ones())).sum::<u64>();
        stats.groups += 1;
        let result = self.execute_program(stats);
        self.report_end(&result);
        result?;
        let State { control, registers, .. } = &self.state;
        shaded.clear();
        shaded.extend((0..quads.len()).map(|quad| {
            let mut shaded = Shaded::default();
            for lane in 0..QUAD {
                let of_group = quad * QUAD + lane;
                shaded.live |= u8::from(control.is_live_covered(of_group)) << lane;
                shaded.depth[lane] = registers.cond_value[of_group];
                for &output in &self.machine.job.program.references.outputs {
                    shaded.outputs[usize::from(output)][lane] = registers.output_of(output.into(), of_group);
                }
            }
            shaded
        }));
        Ok(())
    }

    /// Goes to the program's start with these lanes.
    pub fn start(&mut self, lanes: &[Lane]) {
        let width = self.state.registers.width();
        let kind = |lane: usize| lanes.get(lane).map_or(LaneKind::Uncovered, |lane| lane.kind);
        let has = |wanted: LaneKind| -> Vec<bool> { (0..width).map(|lane| kind(lane) == wanted).collect() };
        self.positions.clear();
        self.positions.extend(lanes.iter().map(|lane| (lane.i, lane.j)));
        self.steps = 0;
        self.state.pc = self.machine.prepared.start;
        self.state.control.start(&has(LaneKind::Runs), &has(LaneKind::Helper));
        self.state.registers.start(self.machine.job.conditional.pe_value);
        if let Some(position) = self.machine.job.program.info.position {
            let position = temp_index(position, false, 0);
            let origin = self.machine.job.origin;
            for (lane, &(i, j)) in self.positions.iter().enumerate() {
                for (channel, place) in [i, j].into_iter().enumerate() {
                    let place = place as f32 + origin[channel] as f32;
                    self.state.registers.temp_mut(position, channel)[lane] = place.to_bits();
                }
            }
        }
        self.start_interpolants();
    }

    /// Interpolated inputs are written after the position, in the order of their numbers.
    fn start_interpolants(&mut self) {
        let job = self.machine.job;
        let Some(interpolants) = &job.interpolants else { return };
        for (slot, register) in job.program.info.interpolant_registers() {
            let register = temp_index(register, false, 0);
            for (lane, &(i, j)) in self.positions.iter().enumerate() {
                let [column, row] =
                    [(i, 0), (j, 1)].map(|(place, axis)| (place as f32 + job.origin[axis] as f32).to_bits());
                for (channel, plane) in interpolants.planes[slot].iter().enumerate() {
                    self.state.registers.temp_mut(register, channel)[lane] = plane.at(column, row);
                }
            }
        }
    }

    fn report_start(&mut self, lanes: &[Lane]) {
        let Group { state, follow, .. } = self;
        if let Some(follow) = follow {
            let lanes = lanes.iter().map(|lane| (lane.kind == LaneKind::Runs).then_some((lane.i, lane.j)));
            follow.start(lanes, |lane| view(&state.control, &state.registers, lane));
        }
    }

    fn report_end(&mut self, result: &Result<(), RunError>) {
        let Group { state, follow, .. } = self;
        if let Some(follow) = follow {
            let trap = result.as_ref().err().map(ToString::to_string);
            follow.end(trap, |lane| view(&state.control, &state.registers, lane));
        }
    }

    fn execute_program(&mut self, stats: &mut RunStats) -> Result<(), RunError> {
        let mut cycles =
            (self.machine.job.program.info.write_mode == WriteMode::Cached).then(CycleDetector::<State>::new);
        loop {
            let pc = self.state.pc;
            if self.step(stats)? == Progress::Ended {
                let Group { tally, positions, .. } = self;
                tally.iter_mut().for_each(|tally| tally.finish(positions.iter().copied()));
                return Ok(());
            }
            if is_jump(&self.machine.prepared.steps[pc])
                && self.state.pc <= pc
                && let Some(detector) = &mut cycles
                && let Some(period) = detector.period(&self.state, self.steps)
            {
                self.steps = skip_periods(self.steps, period, self.options.step_limit);
                cycles = None;
            }
        }
    }

    /// Executes the next instruction.
    pub fn step(&mut self, stats: &mut RunStats) -> Result<Progress, RunError> {
        let prepared = &self.machine.prepared;
        let pc = self.state.pc;
        let Some(step) = prepared.steps.get(pc) else { return Err(self.trap(TrapKind::PcOutsideCode)) };
        if self.steps == self.options.step_limit {
            return Err(self.trap(TrapKind::StepLimit));
        }
        self.steps += 1;
        self.poller.step(1, stats.instructions, || self.positions.first().copied().unwrap_or_default())?;
        self.tell_before(step);
        self.count(step);
        let executed = self.execute(step);
        let control = &self.state.control;
        let ends = pc == prepared.end || control.is_over() || (step.last && control.is_converged());
        self.tell_after(pc, executed.as_ref().err(), ends);
        stats.instructions += executed.map_err(|kind| self.trap(kind))?;
        Ok(if ends { Progress::Ended } else { Progress::Going })
    }

    /// Counts an instruction that is about to execute, if some lane takes part.
    fn count(&mut self, step: &Step) {
        let Group { state: State { pc, control, .. }, tally, .. } = self;
        if let Some(tally) = tally {
            let mut lanes = control.participants(operation(step)).peekable();
            if lanes.peek().is_some() {
                tally.add(*pc as u32, lanes);
            }
        }
    }

    fn tell_before(&mut self, step: &Step) {
        let Group { state: State { pc, control, registers }, follow, .. } = self;
        if let Some(follow) = follow {
            follow.before(StepPart::Whole, |lane| {
                let (participation, held) = participation(step, control, registers, lane);
                let at = Address::from(*pc as u32);
                (
                    Event { at, part: StepPart::Whole, participation, held, flow: is_flow(step) },
                    view(control, registers, lane),
                )
            });
            let executes = |lane| participation(step, control, registers, lane).0 == Participation::Executes;
            follow.results(|lane| if executes(lane) { results(step, registers, lane) } else { Vec::new() });
        }
    }

    fn tell_after(&mut self, pc: usize, trap: Option<&TrapKind>, ends: bool) {
        let Group { state, follow, .. } = self;
        let next = || match trap {
            Some(kind) => Next::Trap(kind.to_string()),
            None if ends => Next::End,
            None if state.pc == pc + 1 => Next::Following,
            None => Next::Jump((state.pc as u32).into()),
        };
        if let Some(follow) = follow {
            follow.after(next, |lane| view(&state.control, &state.registers, lane));
        }
    }

    /// Executes the instruction at the program counter, sets that to the next one, and gives the number of lanes that
    /// took part.
    fn execute(&mut self, step: &Step) -> Result<u64, TrapKind> {
        match &step.action {
            Action::Reserved => Err(TrapKind::ReservedOperation),
            Action::Flow { step, predicate, boolean } => self.execute_flow(step, *predicate, *boolean),
            Action::Alu(alu) => {
                let participants = self.choose_lanes(step.write_inactive);
                let BoundJob { job, rules, .. } = self.machine;
                let State { pc, control, registers } = &mut self.state;
                let al = control.al();
                alu::execute(alu, *rules, &job.constants, al, &self.executing, registers, &mut self.scratch);
                *pc += 1;
                if alu.kind == AluKind::UmrtWrite && alu.omask[0] {
                    self.write_immediately();
                }
                Ok(participants)
            }
            Action::Tex(tex) => {
                let participants = self.choose_lanes(step.write_inactive);
                let State { pc, control, registers } = &mut self.state;
                let textures = &self.machine.textures;
                tex::execute(tex, textures, &self.executing, control, registers, &mut self.follow);
                *pc += 1;
                Ok(participants)
            }
        }
    }

    /// Sets the lanes that execute an instruction which is not flow control, and gives the number of those that count.
    fn choose_lanes(&mut self, write_inactive: bool) -> u64 {
        let control = &self.state.control;
        for (lane, executes) in self.executing.iter_mut().enumerate() {
            *executes = if write_inactive { control.is_live(lane) } else { control.is_active(lane) };
        }
        control.participants(FlowOp::Jump).count() as u64
    }

    fn execute_flow(&mut self, step: &FlowStep, predicate: Gate, boolean: bool) -> Result<u64, TrapKind> {
        let State { pc, control, registers } = &mut self.state;
        let participants = control.participants(step.flow.op).count() as u64;
        let lanes = 0..registers.width();
        let wants: Vec<bool> = lanes.map(|lane| wants(&step.flow, predicate, boolean, registers, lane)).collect();
        *pc = control.execute(step, *pc, &wants)?;
        registers.alu_result.fill(false);
        Ok(participants)
    }

    /// The write of a UMRT program: red goes to column green, row blue of output 0, lanes in ascending order.
    fn write_immediately(&mut self) {
        let Some(output) = &self.machine.outputs[0] else { return };
        for lane in 0..self.positions.len() {
            if !self.scratch.wrote_all_channels(lane) || !self.state.control.is_live_covered(lane) {
                continue;
            }
            let [value, x, y, _] = self.scratch.result_of(lane);
            if let (Some(x), Some(y)) = (float_to_coordinate(x), float_to_coordinate(y)) {
                output.store(x, y, [value, 0, 0, 0], self.machine.job.out_mask);
                note(&mut self.follow, lane, || {
                    MemoryAccess::write(format!("out[0] ({x}, {y})"), ValueKind::Float, [value])
                });
            }
        }
    }

    /// The end of the lanes that are still live: the request of conditional output, and if it passes the outputs.
    pub fn finish(&mut self) {
        let BoundJob { job, conditional, outputs, .. } = self.machine;
        let info = &job.program.info;
        let from_program = info.cond_value_from_program || job.program.references.cond_output;
        for (lane, &(i, j)) in self.positions.iter().enumerate() {
            if !self.state.control.is_live_covered(lane) {
                continue;
            }
            let registers = &self.state.registers;
            let value = if from_program { registers.cond_value[lane] } else { job.conditional.pe_value };
            if !conditional.request(CondLocation::Dpp, i, j, value) || info.write_mode == WriteMode::Umrt {
                continue;
            }
            for &number in &job.program.references.outputs {
                if let Some(output) = &outputs[usize::from(number)] {
                    let value = registers.output_of(number.into(), lane);
                    output.store(i.into(), j.into(), value, job.out_mask);
                    let place = || format!("out[{number}] ({i}, {j})");
                    note(&mut self.follow, lane, || MemoryAccess::write(place(), ValueKind::Float, value));
                }
            }
        }
    }

    fn trap(&self, kind: TrapKind) -> RunError {
        let (i, j) = self.state.control.first_lane().map_or((0, 0), |lane| self.positions[lane]);
        RunError::Trap(Trap { kind, pc: self.state.pc, i, j })
    }
}

fn is_jump(step: &Step) -> bool {
    matches!(&step.action, Action::Flow { step, .. } if step.flow.op == FlowOp::Jump)
}

/// The flow operation of an instruction; those that have none take the lanes of a jump.
fn operation(step: &Step) -> FlowOp {
    match &step.action {
        Action::Flow { step, .. } => step.flow.op,
        Action::Alu(_) | Action::Tex(_) | Action::Reserved => FlowOp::Jump,
    }
}

/// The lane's entry of JUMP_FUNC (CTM Guide p.36).
fn wants(flow: &Flow, predicate: Gate, boolean: bool, registers: &Registers, lane: usize) -> bool {
    let predicate = predicate.is_none_or(|(channel, inverted)| registers.predicates[channel][lane] != inverted);
    let entry = u32::from(registers.alu_result[lane]) << 2 | u32::from(predicate) << 1 | u32::from(boolean);
    flow.jump_func >> entry & 1 != 0
}
