//! What an observer is shown of a lane: its registers and where it stands (`ctm_follow`).

use super::flow::{Control, Exit, Lane};
use super::prepare::{Action, Gate, Step};
use super::registers::Registers;
use crate::program::OUTPUTS;
use ctm_follow::{Cell, Kind, Participation, Pass, Standing, View};

const CHANNELS: [char; 4] = ['r', 'g', 'b', 'a'];

/// Everything that the lane holds, and where it stands.
pub(super) fn view(control: &Control, registers: &Registers, lane: usize) -> View {
    let mut cells = Vec::new();
    let mut add = |pattern, number: usize, channel: Option<usize>, kind, bits| {
        let channel = channel.map(|channel| CHANNELS[channel]);
        cells.push((Cell { pattern, number: number as u16, channel, kind, echoes: false }, bits));
    };
    for index in 0..registers.temps() {
        (0..4).for_each(|c| add("temp[#]", index, Some(c), Kind::Float, registers.temp(index, c)[lane]));
    }
    for index in 0..OUTPUTS {
        let output = registers.output_of(index, lane);
        (0..4).for_each(|c| add("out[#]", index, Some(c), Kind::Float, output[c]));
    }
    (0..4).for_each(|c| add("pred", 0, Some(c), Kind::Truth, registers.predicates[c][lane].into()));
    add("alu", 0, None, Kind::Truth, registers.alu_result[lane].into());
    add("cond", 0, None, Kind::Float, registers.cond_value[lane]);
    add("aL", 0, None, Kind::Integer, control.al().cast_unsigned());
    add("calls", 0, None, Kind::Integer, control.calls() as u32);
    let active = (0..registers.width()).filter(|&lane| control.is_active(lane)).count() as u32;
    let pass = control.innermost_loop().map(|(depth, number, of)| Pass { depth, number, of: Some(of) });
    View { cells, standing: standing(control.lane(lane)), active, pass }
}

fn standing(lane: Lane) -> Standing {
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

/// True for instructions of flow control.
pub(super) fn is_flow(step: &Step) -> bool {
    matches!(step.action, Action::Flow { .. })
}
