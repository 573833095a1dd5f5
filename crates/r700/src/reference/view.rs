//! What an observer is shown of a pixel: its registers and where it stands (`ctm_follow`).

use super::clause::ClauseRegisters;
use super::control::{CodeAddress, Control, Image, Pixel};
use super::registers::Registers;
use super::wavefront::{State, Wave};
use crate::cf::{Cf, CfPlain};
use crate::job::TrapKind;
use ctm_follow::{Address, Cell, Event, LaneView, Next, Participation, Pass, Standing, StepPart, ValueKind};

const CHANNELS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Where a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    General(usize, usize),
    Address(usize),
    PreviousVector(usize),
    PreviousScalar,
    Predicate,
    Valid,
    LoopIndex,
    Stack,
}

impl Register {
    /// Everything that a pixel holds, with these registers, in the order in which it is shown.
    pub fn all(general: impl Iterator<Item = usize>) -> impl Iterator<Item = Register> {
        let channels = 0..CHANNELS.len();
        let general =
            general.flat_map(|index| (0..CHANNELS.len()).map(move |channel| Register::General(index, channel)));
        let clause = channels.clone().map(Register::Address).chain(channels.map(Register::PreviousVector));
        let rest =
            [Register::PreviousScalar, Register::Predicate, Register::Valid, Register::LoopIndex, Register::Stack];
        general.chain(clause).chain(rest)
    }

    /// How it is shown.
    pub fn cell(self) -> Cell {
        let channel = |channel: usize| Some(CHANNELS[channel % CHANNELS.len()]);
        let (pattern, number, channel, kind) = match self {
            Register::General(number, at) => ("R#", number, channel(at), ValueKind::Word),
            Register::Address(at) => ("AR", 0, channel(at), ValueKind::Integer),
            Register::PreviousVector(at) => ("PV", 0, channel(at), ValueKind::Word),
            Register::PreviousScalar => ("PS", 0, None, ValueKind::Word),
            Register::Predicate => ("predicate", 0, None, ValueKind::Truth),
            Register::Valid => ("valid", 0, None, ValueKind::Truth),
            Register::LoopIndex => ("aL", 0, None, ValueKind::Integer),
            Register::Stack => ("stack", 0, None, ValueKind::Integer),
        };
        Cell { pattern, number: number as u16, channel, kind, echoes: matches!(pattern, "PV" | "PS") }
    }

    /// What a pixel holds there; nothing if only clauses have it, and none runs.
    pub fn read(
        self,
        control: &Control,
        registers: &Registers,
        clause: Option<&ClauseRegisters>,
        pixel: usize,
    ) -> Option<u32> {
        Some(match self {
            Register::General(index, channel) => registers.gpr(pixel, index)[channel],
            Register::Address(channel) => clause?.ar[channel].cast_unsigned(),
            Register::PreviousVector(channel) => clause?.pv[channel],
            Register::PreviousScalar => clause?.ps,
            Register::Predicate => registers.predicate(pixel).into(),
            Register::Valid => control.valid[pixel].into(),
            Register::LoopIndex => control.al().cast_unsigned(),
            Register::Stack => control.depth(),
        })
    }

    /// Changes what a pixel holds there, and says whether that is possible: what clauses have, and what all pixels have together, is not
    /// changed.
    pub fn write(self, registers: &mut Registers, pixel: usize, bits: u32) -> bool {
        match self {
            Register::General(index, channel) => registers.gpr_mut(pixel, index)[channel] = bits,
            Register::Predicate => registers.set_predicate(pixel, bits != 0),
            Register::Address(_)
            | Register::PreviousVector(_)
            | Register::PreviousScalar
            | Register::Valid
            | Register::LoopIndex
            | Register::Stack => return false,
        }
        true
    }
}

/// Where a pixel stands.
pub(super) fn standing(control: &Control, pixel: usize) -> Standing {
    match control.state[pixel] {
        Pixel::Active => Standing::Active,
        Pixel::Branch => Standing::Branch(None),
        Pixel::Continue => Standing::Continue,
        Pixel::Break => Standing::Break,
    }
}

/// The loop that the wavefront is in.
pub(super) fn pass(control: &Control) -> Option<Pass> {
    let registers = control.innermost_loop()?;
    Some(Pass { depth: control.loops(), number: registers.pass, of: registers.passes })
}

/// Whether a pixel executes the next instruction, if these do.
pub(super) fn participation(control: &Control, executing: &[bool], pixel: usize) -> Participation {
    match executing[pixel] {
        true => Participation::Executes,
        false if !control.valid[pixel] => Participation::Skips("the pixel is not valid".into()),
        false => Participation::Skips("its condition fails".into()),
    }
}

/// Everything that the pixel holds, and where it stands. In a clause it has the clause's registers, too.
fn view(control: &Control, registers: &Registers, clause: Option<&ClauseRegisters>, pixel: usize) -> LaneView {
    let held = |register: Register| Some((register.cell(), register.read(control, registers, clause, pixel)?));
    let cells = Register::all(registers.existing()).filter_map(held).collect();
    let active = control.pixels().filter(|&pixel| control.is_active(pixel)).count() as u32;
    LaneView { cells, standing: standing(control, pixel), active, pass: pass(control) }
}

/// An address as it is reported to observers.
fn address(CodeAddress { image, pc }: CodeAddress) -> Address {
    Address { program: (image == Image::Fetch).into(), pc }
}

impl Wave<'_, '_> {
    /// Reports that the program starts.
    pub(super) fn tell_start(&mut self) {
        let Wave { state: State { control, registers, lanes, .. }, follow, .. } = self;
        if let Some(follow) = follow {
            let lanes = lanes.iter().map(|lane| lane.covered.then_some((lane.i, lane.j)));
            follow.start(lanes, |pixel| view(control, registers, None, pixel));
        }
    }

    /// Reports that an instruction is about to execute for these pixels, with the registers of the clause that it is in. `held`
    /// gives the slots that predicates hold back in a pixel.
    pub(super) fn tell_before(
        &mut self,
        (pc, part): (u32, StepPart),
        flow: bool,
        passing: &[bool],
        clause: Option<&[ClauseRegisters]>,
        held: impl FnOnce(&Registers, usize) -> String,
    ) {
        let at = address(CodeAddress { pc, ..self.here() });
        let Wave { state: State { control, registers, .. }, follow, .. } = self;
        if let Some(follow) = follow {
            follow.before(part, |pixel| {
                let participation = participation(control, passing, pixel);
                let clause = clause.map(|clause| &clause[pixel]);
                let event = Event { at, part, participation, held: held(registers, pixel), flow };
                (event, view(control, registers, clause, pixel))
            });
        }
    }

    /// Reports that it has executed.
    pub(super) fn report_after(&mut self, next: impl FnOnce() -> Next, clause: Option<&[ClauseRegisters]>) {
        let Wave { state: State { control, registers, .. }, follow, .. } = self;
        if let Some(follow) = follow {
            follow.after(next, |pixel| view(control, registers, clause.map(|clause| &clause[pixel]), pixel));
        }
    }

    /// Reports that the program has ended.
    pub(super) fn tell_end(&mut self, trap: Option<String>) {
        let Wave { state: State { control, registers, .. }, follow, .. } = self;
        if let Some(follow) = follow {
            follow.end(trap, |pixel| view(control, registers, None, pixel));
        }
    }
}

/// Where the wavefront goes after the instruction at `here`.
pub(super) fn next_of(here: CodeAddress, done: &Result<Option<CodeAddress>, TrapKind>) -> Next {
    match done {
        Ok(None) => Next::End,
        Ok(Some(next)) if *next == (CodeAddress { pc: here.pc + 1, ..here }) => Next::Following,
        Ok(Some(next)) => Next::Jump(address(*next)),
        Err(kind) => Next::Trap(kind.to_string()),
    }
}

/// Where the wavefront goes within a clause.
pub(super) fn in_clause<T>(done: &Result<T, TrapKind>) -> Next {
    done.as_ref().err().map_or(Next::Following, |kind| Next::Trap(kind.to_string()))
}

/// Whether an instruction runs a clause, whose instructions are steps of their own.
pub(super) fn runs_clause(cf: &Cf) -> bool {
    match cf {
        Cf::Alu(_) => true,
        Cf::Plain(CfPlain { op, .. }) => op.is_fetch(),
        Cf::Export(_) | Cf::Reserved(_) => false,
    }
}
