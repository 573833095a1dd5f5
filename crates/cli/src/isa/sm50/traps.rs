//! Reports traps and warnings of programs.

use super::Loaded;
use crate::report::{Location, Message};
use ctm_sm50::Stage;
use ctm_sm50::launch::{DEFAULT_STEP_LIMIT, Trap, TrapKind, Warning, WarningKind};

impl Loaded {
    /// The location of an instruction, by its byte address.
    fn location_at(&self, pc: u32) -> Location {
        self.program.code.index_at(pc).map_or_else(|| Location::File(self.name.clone()), |index| self.location(index))
    }

    /// A trap as a message.
    pub fn trap(&self, trap: &Trap) -> Message {
        let &Trap { kind, stage, pc, warp, lane } = trap;
        let note = format!("it happened at {pc:#06x}{}, in lane {lane} of warp {warp}", of_stage(stage));
        let message = Message::error(format!("trap: {kind}")).at(self.location_at(pc)).with_note(note);
        remedy(kind).into_iter().fold(message, Message::help)
    }

    /// A warning as a message.
    pub fn warning(&self, stage: Stage, pc: u32, kind: WarningKind, warning: Warning) -> Message {
        let Warning { warp, lane, count } = warning;
        let times = if count == 1 { "once".into() } else { format!("{count} times") };
        let note = format!("it happened {times} at {pc:#06x}{}, first in lane {lane} of warp {warp}", of_stage(stage));
        let message = Message::warning(kind.to_string()).at(self.location_at(pc)).with_note(note);
        let remedy = match kind {
            WarningKind::Violation(kind) => remedy(kind),
            WarningKind::Race { .. } => {
                Some("put a BAR.SYNC between them, which all warps of the block come to".into())
            }
            WarningKind::SpecialRegister(_) | WarningKind::PatchBeyondCount => None,
        };
        remedy.into_iter().fold(message, Message::help)
    }
}

fn of_stage(stage: Stage) -> String {
    if stage == Stage::None { String::new() } else { format!(" of the {} program", stage.name()) }
}

/// What to do about a trap.
fn remedy(kind: TrapKind) -> Option<String> {
    Some(match kind {
        TrapKind::StepLimit => {
            format!("a warp executed {DEFAULT_STEP_LIMIT} instructions: look for a loop without an end")
        }
        TrapKind::InvalidConstAddr => "give the bank a file that is long enough: --const BANK=FILE, or with 'ctm run' \
                                       --bank BANK=FILE"
            .into(),
        TrapKind::Deadlock => {
            "all warps of a block must come to the same barriers, or end: look for a BAR under a condition".into()
        }
        TrapKind::PcOverflow => "end the program with EXIT".into(),
        TrapKind::StackError => "'ctm check' shows where a token is missing".into(),
        TrapKind::GeometryError => {
            "hand the register that the last OUT gave to the next one, and to R0 at the end".into()
        }
        TrapKind::IllegalInstrEncoding
        | TrapKind::OutOfRangeReg
        | TrapKind::MisalignedReg
        | TrapKind::MisalignedAddr
        | TrapKind::OutOfRangeAddr
        | TrapKind::IllegalSphInstrCombo
        | TrapKind::Unsupported
        | TrapKind::MisalignedPc => return None,
    })
}
