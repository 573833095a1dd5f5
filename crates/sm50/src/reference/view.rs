//! What an observer is shown of a lane: its registers and where it stands (`ctm_follow`).

use super::flow::Kind as Token;
use super::warp::{LANES, Warp};
use crate::instruction::Instruction;
use crate::launch::{TrapKind, WARP};
use crate::operand::Reg;
use crate::table::Op;
use ctm_follow::{Cell, Event, Kind, Next, Part, Participation, Standing, View};
use ctm_num::sm50::Flags;

/// Predicates without PT.
const PREDICATES: usize = 7;

impl Warp<'_> {
    /// Everything that the lane holds, and where it stands.
    fn view(&self, lane: usize) -> View {
        let mut cells = Vec::new();
        let mut add = |pattern, number: usize, channel, kind, bits| {
            cells.push((Cell { pattern, number: number as u16, channel, kind, echoes: false }, bits));
        };
        for (number, register) in self.registers.iter().enumerate().take(Reg::RZ.0.into()) {
            add("R#", number, None, Kind::Word, register[lane]);
        }
        for (number, mask) in self.predicates.iter().enumerate().take(PREDICATES) {
            add("P#", number, None, Kind::Truth, mask >> lane & 1);
        }
        let Flags { zero, sign, carry, overflow } = self.flags[lane];
        for (flag, is_set) in [('Z', zero), ('S', sign), ('C', carry), ('O', overflow)] {
            add("CC", 0, Some(flag), Kind::Truth, is_set.into());
        }
        add("stack", 0, None, Kind::Integer, self.control.depth());
        let standing = match self.control.waits_at(lane) {
            _ if self.control.active() >> lane & 1 != 0 => Standing::Active,
            Some(Token::Divergence) => Standing::Branch(None),
            Some(Token::Break) => Standing::Break,
            Some(Token::Continue) => Standing::Continue,
            Some(Token::Sync | Token::Call | Token::LongJump) => Standing::Meeting,
            None => Standing::Ended,
        };
        View { cells, standing, active: self.control.active().count_ones(), pass: None }
    }

    /// Reports that the warp starts.
    pub fn tell_start(&mut self) {
        self.with_follow(|warp, follow| {
            let number = |lane: usize| (warp.number * WARP + lane as u32, 0);
            let lanes = (0..LANES).map(|lane| (warp.live >> lane & 1 != 0).then(|| number(lane)));
            follow.start(lanes, |lane| warp.view(lane));
        });
    }

    /// Reports that an instruction is about to execute in the lanes of `taken`.
    pub fn tell_before(&mut self, instruction: &Instruction, taken: u32) {
        self.with_follow(|warp, follow| {
            follow.before(Part::Whole, |lane| {
                let participation = match taken >> lane & 1 != 0 {
                    true => Participation::Executes,
                    false => {
                        Participation::Skips(format!("P{} is {}", instruction.guard().pred.0, instruction.guard().not))
                    }
                };
                let flow = is_flow(instruction.op());
                (
                    Event { at: warp.pc.into(), part: Part::Whole, participation, held: String::new(), flow },
                    warp.view(lane),
                )
            });
        });
    }

    /// Reports that it has executed.
    pub fn report_after(&mut self, index: usize, done: Result<(), TrapKind>) {
        self.with_follow(|warp, follow| {
            let next = || match (done, warp.control.pc()) {
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
