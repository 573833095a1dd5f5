//! What an observer is shown of a lane: its registers and where it stands (`ctm_follow`).

use super::flow::{Control, Exit, Lane};
use super::prepare::{Action, AluKind, Gate, Step};
use super::registers::Registers;
use crate::program::OUTPUTS;
use ctm_follow::{Cell, LaneView, Participation, Pass, Standing, ValueKind};

const CHANNELS: [char; 4] = ['r', 'g', 'b', 'a'];

/// Where a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    /// Number and channel.
    Temp(usize, usize),
    /// Number and channel.
    Output(usize, usize),
    Predicate(usize),
    AluResult,
    CondValue,
    LoopVariable,
    Calls,
}

impl Register {
    /// Everything that a lane holds, in the order in which it is shown.
    pub fn all(temps: usize) -> impl Iterator<Item = Register> {
        let channels = |index| (0..4).map(move |channel| (index, channel));
        let temps = (0..temps).flat_map(channels).map(|(index, channel)| Register::Temp(index, channel));
        let outputs = (0..OUTPUTS).flat_map(channels).map(|(index, channel)| Register::Output(index, channel));
        let single = [Register::AluResult, Register::CondValue, Register::LoopVariable, Register::Calls];
        temps.chain(outputs).chain((0..4).map(Register::Predicate)).chain(single)
    }

    /// How it is shown.
    pub fn cell(self) -> Cell {
        let (pattern, number, channel, kind) = match self {
            Register::Temp(index, channel) => ("temp[#]", index, Some(channel), ValueKind::Float),
            Register::Output(index, channel) => ("out[#]", index, Some(channel), ValueKind::Float),
            Register::Predicate(channel) => ("pred", 0, Some(channel), ValueKind::Truth),
            Register::AluResult => ("alu", 0, None, ValueKind::Truth),
            Register::CondValue => ("cond", 0, None, ValueKind::Float),
            Register::LoopVariable => ("aL", 0, None, ValueKind::Integer),
            Register::Calls => ("calls", 0, None, ValueKind::Integer),
        };
        let channel = channel.map(|channel| CHANNELS[channel]);
        Cell { pattern, number: number as u16, channel, kind, echoes: false }
    }

    /// What a lane holds there.
    pub fn read(self, control: &Control, registers: &Registers, lane: usize) -> u32 {
        match self {
            Register::Temp(index, channel) => registers.temp(index, channel)[lane],
            Register::Output(index, channel) => registers.output_of(index, lane)[channel],
            Register::Predicate(channel) => registers.predicates[channel][lane].into(),
            Register::AluResult => registers.alu_result[lane].into(),
            Register::CondValue => registers.cond_value[lane],
            Register::LoopVariable => control.al().cast_unsigned(),
            Register::Calls => control.calls() as u32,
        }
    }

    /// Changes what a lane holds there, and says whether that is possible: what all lanes have together is not changed.
    pub fn write(self, registers: &mut Registers, lane: usize, bits: u32) -> bool {
        match self {
            Register::Temp(index, channel) => registers.temp_mut(index, channel)[lane] = bits,
            Register::Output(index, channel) => registers.output_mut(index, channel)[lane] = bits,
            Register::Predicate(channel) => registers.predicates[channel][lane] = bits != 0,
            Register::AluResult => registers.alu_result[lane] = bits != 0,
            Register::CondValue => registers.cond_value[lane] = bits,
            Register::LoopVariable | Register::Calls => return false,
        }
        true
    }
}

/// Everything that the lane holds, and where it stands.
pub(super) fn view(control: &Control, registers: &Registers, lane: usize) -> LaneView {
    let cells = Register::all(registers.temps());
    let cells = cells.map(|register| (register.cell(), register.read(control, registers, lane))).collect();
    let active = (0..registers.width()).filter(|&lane| control.is_active(lane)).count() as u32;
    LaneView { cells, standing: standing(control.lane(lane)), active, pass: pass(control) }
}

/// The loop that the group is in.
pub(super) fn pass(control: &Control) -> Option<Pass> {
    control.innermost_loop().map(|(depth, number, of)| Pass { depth, number, of: Some(of) })
}

pub(super) fn standing(lane: Lane) -> Standing {
    match lane {
        Lane::Active => Standing::Active,
        Lane::Branch(counter) => Standing::Branch(Some(counter.into())),
        Lane::Loop { exit: Exit::Continue, .. } => Standing::Continue,
        Lane::Loop { exit: Exit::Break, .. } => Standing::Break,
        Lane::Gone => Standing::Ended,
    }
}

/// Whether the lane executes an instruction that is about to, and the channels that predicates then hold back.
pub(super) fn participation(
    step: &Step,
    control: &Control,
    registers: &Registers,
    lane: usize,
) -> (Participation, String) {
    let executes = control.is_active(lane) || step.write_inactive && !is_flow(step) && control.is_live(lane);
    let participation = if executes { Participation::Executes } else { Participation::Waits(None) };
    let (gates, writes): (_, [bool; 4]) = match &step.action {
        Action::Alu(alu) => (alu.gates, std::array::from_fn(|c| alu.wmask[c] || alu.gates_output(c))),
        Action::Tex(tex) => (tex.gates, tex.wmask),
        Action::Flow { .. } | Action::Reserved => return (participation, String::new()),
    };
    let closed = |gate: Gate| gate.is_some_and(|(channel, inverted)| registers.predicates[channel][lane] == inverted);
    let held = (0..4).filter(|&channel| writes[channel] && closed(gates[channel]));
    (participation, held.map(|channel| CHANNELS[channel]).collect())
}

/// The channels of output registers that an instruction is about to write in a lane that executes it.
pub(super) fn results(step: &Step, registers: &Registers, lane: usize) -> Vec<Cell> {
    let Action::Alu(alu) = &step.action else { return Vec::new() };
    let channels = (0..4).filter(|&channel| alu.kind == AluKind::Out && alu.omask[channel]);
    let is_open = |gate: Gate| gate.is_none_or(|(channel, inverted)| registers.predicates[channel][lane] != inverted);
    let written = channels.filter(|&channel| is_open(alu.gates[channel]));
    written.map(|channel| Register::Output(alu.unit(channel).target, channel).cell()).collect()
}

/// True for instructions of flow control.
pub(super) fn is_flow(step: &Step) -> bool {
    matches!(step.action, Action::Flow { .. })
}
