//! Warps that are run step by step, from outside: for debuggers.

pub(crate) use super::flow::Kind as Token;

use super::view::{Register, participation, standing};
use super::warp::{LANES, State, Warp, local_size};
use crate::launch::{StageLaunch, Stop};
use crate::program::Code;
use ctm_follow::{Cell, Participation, Standing};
use ctm_lane::budget::{Budget, Meter};
use ctm_lane::run::RunOptions;

/// Bytes of local memory that have cells: their addresses are the cells' numbers.
const LOCAL_CELLS: usize = 1 << 16;

/// The warp of a launch that is executed step by step: the same steps as those of [`Reference`](super::Reference). Whoever has it gives it the
/// launch again for each step, always the one that the warp is of.
pub(crate) struct Stepper {
    step_limit: u64,
    registers: Vec<Register>,
    /// The warp; it is not there while it executes.
    state: Option<State>,
    is_over: bool,
}

/// A warp between two steps.
#[derive(Clone)]
pub(crate) struct Moment {
    state: State,
    is_over: bool,
}

impl Moment {
    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.state.bytes()
    }
}

impl Stepper {
    /// For the warps of launches that use so many registers.
    pub fn new(launches: &[StageLaunch], registers: u8, options: &RunOptions) -> Self {
        let local = launches.iter().map(local_size).max().unwrap_or(0).min(LOCAL_CELLS);
        Stepper {
            step_limit: options.step_limit,
            registers: Register::all(registers.into(), local / 4).collect(),
            state: None,
            is_over: true,
        }
    }

    /// Goes to the start of a warp of a launch, and says whether it has anything to execute.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn start(&mut self, launch: &StageLaunch, warp: u32) -> Result<bool, Stop> {
        self.state = Some(State::new(launch, &Meter::new(Budget::default(), None))?);
        self.with_warp(launch, |running| {
            running.start(warp);
            Ok(())
        })?;
        self.is_over = self.state.as_ref().is_none_or(|state| state.control.pc().is_none());
        Ok(!self.is_over)
    }

    /// Executes the next instruction, and says whether there is one after it.
    ///
    /// # Errors
    /// It traps.
    pub fn step(&mut self, launch: &StageLaunch) -> Result<bool, Stop> {
        if self.is_over {
            return Ok(false);
        }
        let stepped = self.with_warp(launch, |running| {
            running.step()?;
            if running.state.control.pc().is_none() {
                running.finish();
            }
            Ok(())
        });
        self.is_over = stepped.is_err() || self.state.as_ref().is_none_or(|state| state.control.pc().is_none());
        stepped.map(|()| !self.is_over)
    }

    fn with_warp(
        &mut self,
        launch: &StageLaunch,
        body: impl FnOnce(&mut Warp) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Some(state) = self.state.take() else { return Ok(()) };
        let options = RunOptions { step_limit: self.step_limit, ..RunOptions::default() };
        // It is looked at so rarely that it never is in one step: who steps watches the time.
        let meter = Meter::new(Budget::default(), None);
        let mut warp = Warp::new(launch, &options, &meter, None, state);
        warp.alone = true;
        let result = body(&mut warp);
        self.state = Some(warp.leave());
        result
    }

    /// The warp as it is now.
    pub fn save(&self) -> Option<Moment> {
        Some(Moment { state: self.state.clone()?, is_over: self.is_over })
    }

    /// Goes back to a moment of one of the warps.
    pub fn restore(&mut self, moment: &Moment) {
        match &mut self.state {
            Some(state) => state.clone_from(&moment.state),
            None => self.state = Some(moment.state.clone()),
        }
        self.is_over = moment.is_over;
    }

    /// The byte address of the instruction that is next; none at the end.
    pub fn pc(&self) -> Option<u32> {
        self.state.as_ref().filter(|_| !self.is_over)?.control.pc()
    }

    /// The lanes that have an invocation, as a mask.
    pub fn live(&self) -> u32 {
        self.state.as_ref().map_or(0, |state| state.live)
    }

    /// What lanes hold: registers, predicates, condition codes, local memory.
    pub fn cells(&self) -> Vec<Cell> {
        self.registers.iter().map(|register| register.cell()).collect()
    }

    /// What a lane of the warp holds in a cell.
    pub fn read(&self, lane: usize, cell: usize) -> Option<u32> {
        let (state, register) = (self.state.as_ref()?, self.registers.get(cell)?);
        (lane < LANES).then(|| register.read(state, lane))
    }

    /// Changes what a lane of the warp holds in a cell, if that is possible.
    pub fn write(&mut self, lane: usize, cell: usize, bits: u32) -> Option<()> {
        let (state, register) = (self.state.as_mut()?, self.registers.get(cell)?);
        (lane < LANES && register.write(state, lane, bits)).then_some(())
    }

    /// Where a lane of the warp stands.
    pub fn standing(&self, lane: usize) -> Standing {
        let state = self.state.as_ref().filter(|state| !self.is_over && lane < LANES && state.live >> lane & 1 != 0);
        state.map_or(Standing::Ended, |state| standing(&state.control, lane))
    }

    /// Whether a lane executes the next instruction of this code.
    pub fn participation(&self, code: &Code, lane: usize) -> Participation {
        let instruction = self.pc().and_then(|pc| code.instructions().get(code.index_at(pc)?));
        match (instruction, &self.state) {
            (Some(instruction), Some(state)) if lane < LANES && state.control.active() >> lane & 1 != 0 => {
                participation(instruction, state.mask_of(instruction.guard()), lane)
            }
            _ => Participation::Waits(None),
        }
    }

    /// The stack, the lowest token first: what made each, its lanes that have not ended, and the byte address where they go on.
    pub fn tokens(&self) -> Vec<(Token, u32, u32)> {
        self.state.as_ref().map_or(Vec::new(), |state| state.control.tokens().collect())
    }
}
