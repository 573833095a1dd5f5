//! Warps that are run step by step, from outside: for debuggers.

pub(crate) use super::flow::Kind as Token;

use super::block::Turns;
use super::view::{Register, participation, standing};
use super::warp::{LANES, State, Warp, local_size};
use super::warps_together;
use crate::launch::{MAX_SHARED_MEMORY, StageLaunch, Stop, WARP};
use crate::program::Code;
use ctm_follow::{Cell, Participation, Standing};
use ctm_lane::budget::{Budget, Meter};
use ctm_lane::run::RunOptions;
use std::mem;

/// Bytes of local memory that have cells: their addresses are the cells' numbers.
const LOCAL_CELLS: usize = 1 << 16;

/// The warps of a launch that are executed step by step, in the same steps and the same order as [`Reference`](super::Reference) does: those of a
/// block, if they may meet, and one otherwise. Whoever has it gives it the launch again for each step, always the one that the warps are of.
pub(crate) struct Stepper {
    step_limit: u64,
    registers: Vec<Register>,
    group: Option<Moment>,
}

/// A group of warps between two steps.
#[derive(Clone)]
pub(crate) struct Moment {
    /// They are there unless they execute. The block's memory is with the one whose turn it is, or was last.
    warps: Vec<Option<State>>,
    turns: Turns,
    /// The warp that has the block's memory.
    holder: usize,
    is_over: bool,
}

impl Moment {
    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.warps.iter().flatten().map(State::bytes).sum()
    }

    fn warp(&self, n: usize) -> Option<&State> {
        self.warps.get(n)?.as_ref()
    }

    /// The warp that executes the next instruction.
    fn current(&self) -> Option<&State> {
        self.warp(self.turns.current().filter(|_| !self.is_over)?)
    }

    /// Gives the block's memory to a warp.
    fn hand_over(&mut self, to: usize) {
        let from = self.warps.get_mut(self.holder).and_then(Option::as_mut);
        let memory = from.map(|warp| mem::take(&mut warp.shared)).unwrap_or_default();
        if let Some(Some(warp)) = self.warps.get_mut(to) {
            warp.shared = memory;
        }
        self.holder = to;
    }
}

impl Stepper {
    /// For the warps of launches that use so many registers.
    pub fn new(launches: &[StageLaunch], registers: u8, options: &RunOptions) -> Self {
        let local = launches.iter().map(local_size).max().unwrap_or(0).min(LOCAL_CELLS);
        let shared = launches.iter().map(|launch| launch.shader.shared_memory).max().unwrap_or(0);
        let shared = shared.min(MAX_SHARED_MEMORY) as usize;
        Stepper {
            step_limit: options.step_limit,
            registers: Register::all(registers.into(), local / 4, shared / 4).collect(),
            group: None,
        }
    }

    /// Goes to the start of a group of a launch, and says whether it has anything to execute.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn start(&mut self, launch: &StageLaunch, number: u32) -> Result<bool, Stop> {
        let together = warps_together(launch);
        let meter = Meter::new(Budget::default(), None);
        let turns = Turns::new(together);
        let mut group = Moment { warps: Vec::new(), turns, holder: 0, is_over: false };
        for n in 0..together {
            let mut state = State::new(launch, &meter)?;
            if n > 0 {
                state.shared = Vec::new();
            }
            group.warps.push(Some(state));
        }
        self.group = Some(group);
        for n in 0..together {
            self.with_warp(launch, n as usize, |warp| {
                warp.start(number * together + n);
                Ok(())
            })?;
        }
        self.pass_turns(launch)
    }

    /// Executes the next instruction, and says whether there is one after it.
    ///
    /// # Errors
    /// It traps, or all warps of the block wait.
    pub fn step(&mut self, launch: &StageLaunch) -> Result<bool, Stop> {
        let Some(n) = self.group.as_ref().filter(|group| !group.is_over).and_then(|group| group.turns.current()) else {
            return Ok(false);
        };
        let stepped = self.with_warp(launch, n, |warp| warp.step().map(drop)).and_then(|()| self.pass_turns(launch));
        if let (Err(_), Some(group)) = (&stepped, &mut self.group) {
            group.is_over = true;
        }
        stepped
    }

    /// Has warps go on that neither wait nor have ended; whether there is one.
    fn pass_turns(&mut self, launch: &StageLaunch) -> Result<bool, Stop> {
        loop {
            let Some(group) = &mut self.group else { return Ok(false) };
            let Some(n) = group.turns.current() else {
                group.is_over = true;
                return Ok(false);
            };
            if group.holder != n {
                group.hand_over(n);
            }
            let Some(Some(warp)) = group.warps.get_mut(n) else { return Ok(false) };
            let is_going = warp.control.pc().is_some();
            let waits = warp.arrival.take().is_some_and(|arrival| group.turns.arrive(&arrival)) && is_going;
            if is_going && !waits {
                return Ok(true);
            }
            if !is_going {
                self.with_warp(launch, n, |warp| {
                    warp.finish();
                    Ok(())
                })?;
            }
            let Some(Moment { warps, turns, .. }) = &mut self.group else { return Ok(false) };
            let passed = turns.pass(waits, |n, released| {
                warps[n].iter_mut().for_each(|warp| warp.reduced = released.reduced);
            });
            if let Err(n) = passed {
                let stage = launch.shader.stage();
                return warps[n].as_ref().map_or(Ok(false), |warp| Err(warp.deadlock(stage).into()));
            }
        }
    }

    fn with_warp(
        &mut self,
        launch: &StageLaunch,
        n: usize,
        body: impl FnOnce(&mut Warp) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let place = self.group.as_mut().and_then(|group| group.warps.get_mut(n));
        let Some((place, state)) = place.and_then(|place| place.take().map(|state| (place, state))) else {
            return Ok(());
        };
        let options = RunOptions { step_limit: self.step_limit, ..RunOptions::default() };
        // It is looked at so rarely that it never is in one step: who steps watches the time.
        let meter = Meter::new(Budget::default(), None);
        let mut warp = Warp::new(launch, &options, &meter, None, state);
        let result = body(&mut warp);
        *place = Some(warp.leave());
        result
    }

    /// The group as it is now.
    pub fn save(&self) -> Option<Moment> {
        self.group.clone()
    }

    /// Goes back to a moment of one of the groups.
    pub fn restore(&mut self, moment: &Moment) {
        self.group = Some(moment.clone());
    }

    /// The byte address of the instruction that is next; none at the end.
    pub fn pc(&self) -> Option<u32> {
        self.group.as_ref()?.current()?.control.pc()
    }

    /// The invocations of the lanes, with whether each has one. Lanes after the last that has one are not among them.
    pub fn lanes(&self) -> Vec<(u32, bool)> {
        let warps = self.group.iter().flat_map(|group| group.warps.iter().flatten());
        let lanes =
            warps.flat_map(|warp| (0..WARP).map(|lane| (warp.number * WARP + lane, warp.live >> lane & 1 != 0)));
        let mut lanes: Vec<_> = lanes.collect();
        let last = lanes.iter().rposition(|(_, is_live)| *is_live);
        lanes.truncate(last.map_or(0, |last| last + 1));
        lanes
    }

    /// What lanes hold: registers, predicates, condition codes, local memory, memory of the block.
    pub fn cells(&self) -> Vec<Cell> {
        self.registers.iter().map(|register| register.cell()).collect()
    }

    /// What a lane holds in a cell.
    pub fn read(&self, lane: usize, cell: usize) -> Option<u32> {
        let (group, &register) = (self.group.as_ref()?, self.registers.get(cell)?);
        let warp = group.warp(if register.is_shared() { group.holder } else { lane / LANES })?;
        Some(register.read(warp, lane % LANES))
    }

    /// Changes what a lane holds in a cell, if that is possible.
    pub fn write(&mut self, lane: usize, cell: usize, bits: u32) -> Option<()> {
        let (group, &register) = (self.group.as_mut()?, self.registers.get(cell)?);
        let number = if register.is_shared() { group.holder } else { lane / LANES };
        let warp = group.warps.get_mut(number)?.as_mut()?;
        register.write(warp, lane % LANES, bits).then_some(())
    }

    /// Where a lane stands. Those of warps that wait for their turn meet the others.
    pub fn standing(&self, lane: usize) -> Standing {
        let (number, lane) = (lane / LANES, lane % LANES);
        let Some(group) = self.group.as_ref().filter(|group| !group.is_over && !group.turns.has_ended(number)) else {
            return Standing::Ended;
        };
        let warp = group.warp(number).filter(|warp| warp.live >> lane & 1 != 0);
        let standing = warp.map_or(Standing::Ended, |warp| standing(&warp.control, lane));
        let is_its_turn = group.turns.current() == Some(number);
        if standing == Standing::Active && !is_its_turn { Standing::Meeting } else { standing }
    }

    /// Whether a lane executes the next instruction of this code.
    pub fn participation(&self, code: &Code, lane: usize) -> Participation {
        let instruction = self.pc().and_then(|pc| code.instructions().get(code.index_at(pc)?));
        let group = self.group.as_ref().filter(|group| group.turns.current() == Some(lane / LANES));
        let lane = lane % LANES;
        match instruction.zip(group.and_then(Moment::current)) {
            Some((instruction, warp)) if warp.control.active() >> lane & 1 != 0 => {
                participation(instruction, warp.mask_of(instruction.guard()), lane)
            }
            Some(_) | None => Participation::Waits(None),
        }
    }

    /// The stack of the warp that executes, the lowest token first: what made each, its lanes that have not ended, and the byte address where they
    /// go on.
    pub fn tokens(&self) -> Vec<(Token, u32, u32)> {
        let warp = self.group.as_ref().and_then(Moment::current);
        warp.map_or(Vec::new(), |warp| warp.control.tokens().collect())
    }
}
