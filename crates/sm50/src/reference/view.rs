//! What an observer is shown of a lane: its registers and where it stands (`ctm_follow`).

use super::flow::{Control, Kind as Token};
use super::warp::{LANES, State, Warp};
use crate::instruction::Instruction;
use crate::launch::{TrapKind, WARP};
use crate::operand::Reg;
use crate::table::Op;
use ctm_follow::{Cell, Event, LaneView, Next, Participation, Standing, StepPart, ValueKind};
use ctm_num::sm50::Flags;

/// Predicates without PT.
const PREDICATES: usize = 7;

/// Where a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    General(usize),
    Predicate(usize),
    Zero,
    Sign,
    Carry,
    Overflow,
    Stack,
    /// A word of local memory.
    Local(usize),
    /// A word of the block's memory.
    Shared(usize),
}

impl Register {
    /// Everything that a lane holds, with so many registers, words of local memory, and words of its block's, in the order in which it is shown.
    pub fn all(registers: usize, local: usize, shared: usize) -> impl Iterator<Item = Register> {
        let flags = [Register::Zero, Register::Sign, Register::Carry, Register::Overflow, Register::Stack];
        let general = (0..registers).map(Register::General);
        let memory = (0..local).map(Register::Local).chain((0..shared).map(Register::Shared));
        general.chain((0..PREDICATES).map(Register::Predicate)).chain(flags).chain(memory)
    }

    /// Whether all lanes of a block have it together.
    pub fn is_shared(self) -> bool {
        matches!(self, Register::Shared(_))
    }

    /// How it is shown.
    pub fn cell(self) -> Cell {
        let (pattern, number, channel, kind) = match self {
            Register::General(number) => ("R#", number, None, ValueKind::Word),
            Register::Predicate(number) => ("P#", number, None, ValueKind::Truth),
            Register::Zero => ("CC", 0, Some('Z'), ValueKind::Truth),
            Register::Sign => ("CC", 0, Some('S'), ValueKind::Truth),
            Register::Carry => ("CC", 0, Some('C'), ValueKind::Truth),
            Register::Overflow => ("CC", 0, Some('O'), ValueKind::Truth),
            Register::Stack => ("stack", 0, None, ValueKind::Integer),
            Register::Local(word) => ("local[#]", 4 * word, None, ValueKind::Word),
            Register::Shared(word) => ("shared[#]", 4 * word, None, ValueKind::Word),
        };
        Cell { pattern, number: number as u16, channel, kind, echoes: false }
    }

    /// What a lane holds there.
    pub fn read(self, state: &State, lane: usize) -> u32 {
        let Flags { zero, sign, carry, overflow } = state.flags[lane];
        match self {
            Register::General(number) => state.registers[number][lane],
            Register::Predicate(number) => state.predicates[number] >> lane & 1,
            Register::Zero => zero.into(),
            Register::Sign => sign.into(),
            Register::Carry => carry.into(),
            Register::Overflow => overflow.into(),
            Register::Stack => state.control.depth(),
            Register::Local(word) => {
                let bytes = state.local.chunks_exact((state.local.len() / LANES).max(1)).nth(lane);
                let bytes = bytes.and_then(|bytes| bytes.get(4 * word..));
                bytes.and_then(|bytes| bytes.first_chunk()).map_or(0, |&bytes| u32::from_le_bytes(bytes))
            }
            Register::Shared(word) => state.shared.as_chunks().0.get(word).map_or(0, |&word| u32::from_le_bytes(word)),
        }
    }

    /// Changes what a lane holds there, and says whether that is possible: what all lanes have together is not changed.
    pub fn write(self, state: &mut State, lane: usize, bits: u32) -> bool {
        let flags = &mut state.flags[lane];
        match self {
            Register::General(number) => state.registers[number][lane] = bits,
            Register::Predicate(number) => {
                let mask = &mut state.predicates[number];
                *mask = *mask & !(1 << lane) | u32::from(bits != 0) << lane;
            }
            Register::Zero => flags.zero = bits != 0,
            Register::Sign => flags.sign = bits != 0,
            Register::Carry => flags.carry = bits != 0,
            Register::Overflow => flags.overflow = bits != 0,
            Register::Stack => return false,
            Register::Local(word) => {
                let first = state.local.len() / LANES * lane + 4 * word;
                let Some(bytes) = state.local.get_mut(first..first + 4) else { return false };
                bytes.copy_from_slice(&bits.to_le_bytes());
            }
            Register::Shared(word) => {
                let Some(bytes) = state.shared.as_chunks_mut().0.get_mut(word) else { return false };
                *bytes = bits.to_le_bytes();
            }
        }
        true
    }
}

/// Where a lane stands.
pub(super) fn standing(control: &Control, lane: usize) -> Standing {
    match control.waits_at(lane) {
        _ if control.active() >> lane & 1 != 0 => Standing::Active,
        Some(Token::Divergence) => Standing::Branch(None),
        Some(Token::Break) => Standing::Break,
        Some(Token::Continue) => Standing::Continue,
        Some(Token::Sync | Token::Call | Token::LongJump) => Standing::Meeting,
        None => Standing::Ended,
    }
}

/// Whether an active lane executes an instruction, if those of `taken` do.
pub(super) fn participation(instruction: &Instruction, taken: u32, lane: usize) -> Participation {
    match taken >> lane & 1 != 0 {
        true => Participation::Executes,
        false => Participation::Skips(format!("P{} is {}", instruction.guard().pred.0, instruction.guard().not)),
    }
}

impl Warp<'_> {
    /// Everything that the lane holds, and where it stands.
    fn view(&self, lane: usize) -> LaneView {
        let registers = Register::all(Reg::RZ.0.into(), 0, 0);
        let cells = registers.map(|register| (register.cell(), register.read(&self.state, lane))).collect();
        let control = &self.state.control;
        LaneView { cells, standing: standing(control, lane), active: control.active().count_ones(), pass: None }
    }

    /// Reports that the warp starts.
    pub fn tell_start(&mut self) {
        self.with_follow(|warp, follow| {
            let number = |lane: usize| (warp.state.number * WARP + lane as u32, 0);
            let lanes = (0..LANES).map(|lane| (warp.state.live >> lane & 1 != 0).then(|| number(lane)));
            follow.start(lanes, |lane| warp.view(lane));
        });
    }

    /// Reports that an instruction is about to execute in the lanes of `taken`.
    pub fn tell_before(&mut self, instruction: &Instruction, taken: u32) {
        self.with_follow(|warp, follow| {
            follow.before(StepPart::Whole, |lane| {
                let participation = participation(instruction, taken, lane);
                let flow = is_flow(instruction.op());
                (
                    Event { at: warp.pc.into(), part: StepPart::Whole, participation, held: String::new(), flow },
                    warp.view(lane),
                )
            });
        });
    }

    /// Reports that it has executed.
    pub fn report_after(&mut self, index: usize, done: Result<(), TrapKind>) {
        self.with_follow(|warp, follow| {
            let next = || match (done, warp.state.control.pc()) {
                (Err(kind), _) => Next::Trap(kind.to_string()),
                (Ok(()), None) => Next::End,
                (Ok(()), Some(pc)) if warp.code.index_at(pc) == Some(index + 1) => Next::Following,
                (Ok(()), Some(pc)) => Next::Jump(pc.into()),
            };
            follow.after(next, |lane| warp.view(lane));
        });
    }

    /// Reports that the warp is done.
    pub fn tell_end(&mut self, trap: Option<String>) {
        self.with_follow(|warp, follow| follow.end(trap, |lane| warp.view(lane)));
    }

    fn with_follow(&mut self, report: impl FnOnce(&Self, &mut ctm_follow::Follow)) {
        if let Some(mut follow) = self.follow.take() {
            report(self, &mut follow);
            self.follow = Some(follow);
        }
    }
}

/// Instructions after which lanes may go on elsewhere.
fn is_flow(op: Op) -> bool {
    use Op::*;
    matches!(op, Bra | Brx | Jmp | Jmx | Cal | Jcal | Sync | Brk | Cont | Ret | Exit | Kil | Longjmp)
}
