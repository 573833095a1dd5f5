//! What an observer is shown of a pixel: its registers and where it stands (`ctm_follow`).

use super::clause::ClauseRegisters;
use super::control::{CodeAddress, Control, Image, Pixel};
use super::registers::Registers;
use super::wavefront::{State, Wave};
use crate::cf::{Cf, CfPlain};
use crate::job::TrapKind;
use ctm_follow::{Address, Cell, Event, Kind, Next, Part, Participation, Pass, Standing, View};

const CHANNELS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Everything that the pixel holds, and where it stands. In a clause it has the clause's registers, too.
fn view(control: &Control, registers: &Registers, clause: Option<&ClauseRegisters>, pixel: usize) -> View {
    let mut cells = Vec::new();
    let mut add = |pattern, number: usize, channel: Option<char>, kind, bits| {
        let echoes = matches!(pattern, "PV" | "PS");
        cells.push((Cell { pattern, number: number as u16, channel, kind, echoes }, bits));
    };
    for index in registers.existing() {
        let gpr = registers.gpr(pixel, index);
        CHANNELS.iter().zip(gpr).for_each(|(&channel, bits)| add("R#", index, Some(channel), Kind::Word, bits));
    }
    if let Some(ClauseRegisters { ar, pv, ps }) = clause {
        let address = ar.map(i32::cast_unsigned);
        CHANNELS.iter().zip(address).for_each(|(&channel, bits)| add("AR", 0, Some(channel), Kind::Integer, bits));
        CHANNELS.iter().zip(*pv).for_each(|(&channel, bits)| add("PV", 0, Some(channel), Kind::Word, bits));
        add("PS", 0, None, Kind::Word, *ps);
    }
    add("predicate", 0, None, Kind::Truth, registers.predicate(pixel).into());
    add("valid", 0, None, Kind::Truth, control.valid[pixel].into());
    add("aL", 0, None, Kind::Integer, control.al().cast_unsigned());
    add("stack", 0, None, Kind::Integer, control.depth());
    let active = control.pixels().filter(|&pixel| control.is_active(pixel)).count() as u32;
    let standing = match control.state[pixel] {
        Pixel::Active => Standing::Active,
        Pixel::Branch => Standing::Branch(None),
        Pixel::Continue => Standing::Continue,
        Pixel::Break => Standing::Break,
    };
    let pass = control.innermost_loop().map(|registers| Pass {
        depth: control.loops(),
        number: registers.pass,
        of: registers.passes,
    });
    View { cells, standing, active, pass }
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
        (pc, part): (u32, Part),
        flow: bool,
        passing: &[bool],
        clause: Option<&[ClauseRegisters]>,
        held: impl FnOnce(&Registers, usize) -> String,
    ) {
        let at = address(CodeAddress { pc, ..self.here() });
        let Wave { state: State { control, registers, .. }, follow, .. } = self;
        if let Some(follow) = follow {
            follow.before(part, |pixel| {
                let participation = match passing[pixel] {
                    true => Participation::Executes,
                    false if !control.valid[pixel] => Participation::Skips("the pixel is not valid".into()),
                    false => Participation::Skips("its condition fails".into()),
                };
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
