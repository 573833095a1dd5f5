//! Flow control: which lanes of a group are active, and where the group goes next (CTM Guide p.34-40).

use crate::codes::{AddressOp, BranchOp, FlowOp};
use crate::instruction::Flow;
use crate::job::TrapKind;
use crate::program::IntConstant;

/// Where a lane stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Not live: never ran, was killed, or has terminated.
    Gone,
    /// Executes, and takes part in decisions.
    Active,
    /// Inactive because of a conditional, with its branch counter.
    Branch(u8),
    /// Inactive in the loop of this frame of the loop stack.
    Loop { frame: usize, exit: Exit },
}

/// How a lane left the body of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Break,
    Continue,
}

/// What the loop stack holds per loop.
#[derive(Clone, Debug, PartialEq)]
struct Frame {
    /// Passes left.
    remaining: u8,
    /// Passes when it was entered.
    passes: u8,
    /// aL before the loop.
    saved_al: i32,
    /// Lanes that were active when the loop was entered.
    entry: Vec<bool>,
}

/// Sizes of the stacks and of the branch counters: how many levels nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    pub address_stack: usize,
    pub loop_stack: usize,
    pub branches: u8,
}

impl Limits {
    /// The guide gives 6 levels of branches and no stacks for partial flow control, 32 levels for full flow control,
    /// where shader model 3 asks for 4 nested loops and 4 nested calls.
    pub fn new(full_flow_control: bool) -> Self {
        if full_flow_control {
            Limits { address_stack: 4, loop_stack: 4, branches: 32 }
        } else {
            Limits { address_stack: 0, loop_stack: 0, branches: 6 }
        }
    }
}

/// A flow-control instruction with its target and its integer constant looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowStep {
    pub flow: Flow,
    pub target: usize,
    pub int: IntConstant,
}

/// The control state of a group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Control {
    limits: Limits,
    lanes: Vec<Lane>,
    /// Helper lanes compute for their quad, but take no part in decisions.
    helper: Vec<bool>,
    address_stack: Vec<usize>,
    loop_stack: Vec<Frame>,
    al: i32,
}

impl Control {
    pub fn new(limits: Limits) -> Self {
        Control {
            limits,
            lanes: Vec::new(),
            helper: Vec::new(),
            address_stack: Vec::new(),
            loop_stack: Vec::new(),
            al: 0,
        }
    }

    /// Starts anew: the lanes that `runs` and `helps` name are active, the others are not live.
    pub fn start(&mut self, runs: &[bool], helps: &[bool]) {
        self.lanes.clear();
        self.lanes.extend(runs.iter().zip(helps).map(|(&runs, &helps)| match runs || helps {
            true => Lane::Active,
            false => Lane::Gone,
        }));
        self.helper.clear();
        self.helper.extend_from_slice(helps);
        self.address_stack.clear();
        self.loop_stack.clear();
        self.al = 0;
    }

    /// The loop variable.
    pub fn al(&self) -> i32 {
        self.al
    }

    /// Number of calls that have not returned.
    pub fn calls(&self) -> usize {
        self.address_stack.len()
    }

    /// Where calls that have not returned go back to, the outermost first.
    pub fn returns(&self) -> &[usize] {
        &self.address_stack
    }

    /// The pass of each open loop, from 1, and its number of passes, the outermost first.
    pub fn loops(&self) -> impl Iterator<Item = (u32, u32)> {
        self.loop_stack.iter().map(|frame| (u32::from(frame.passes - frame.remaining) + 1, frame.passes.into()))
    }

    /// How many loops are open, and of the innermost one the pass, from 1, and the number of passes.
    pub fn innermost_loop(&self) -> Option<(u32, u32, u32)> {
        let (pass, of) = self.loops().last()?;
        Some((self.loop_stack.len() as u32, pass, of))
    }

    /// Where a lane stands.
    pub fn lane(&self, lane: usize) -> Lane {
        self.lanes[lane]
    }

    pub fn is_active(&self, lane: usize) -> bool {
        self.lanes[lane] == Lane::Active
    }

    pub fn is_live(&self, lane: usize) -> bool {
        self.lanes[lane] != Lane::Gone
    }

    /// True if the lane is live and is not a helper: it decides, and its results reach memory.
    pub fn is_live_covered(&self, lane: usize) -> bool {
        self.is_live(lane) && !self.helper[lane]
    }

    /// True if no lane is left that could have an effect.
    pub fn is_over(&self) -> bool {
        !(0..self.lanes.len()).any(|lane| self.is_live_covered(lane))
    }

    /// True if every live lane is active (helper lanes aside).
    pub fn is_converged(&self) -> bool {
        (0..self.lanes.len()).all(|lane| !self.is_live_covered(lane) || self.is_active(lane))
    }

    /// Ends a lane; it takes part in nothing any more.
    pub fn kill(&mut self, lane: usize) {
        self.lanes[lane] = Lane::Gone;
    }

    /// The lane that stands for the group in messages: the first active one, else the first live one.
    pub fn first_lane(&self) -> Option<usize> {
        let covered = |&lane: &usize| self.is_live_covered(lane);
        let lanes = 0..self.lanes.len();
        lanes.clone().filter(covered).find(|&lane| self.is_active(lane)).or_else(|| lanes.clone().find(covered))
    }

    /// The lanes that an instruction with this operation counts for: the active ones, at a loop end also those that come
    /// back from a CONTINUE; helper lanes do not count.
    pub fn participants(&self, op: FlowOp) -> impl Iterator<Item = usize> {
        let top = self.loop_stack.len().checked_sub(1);
        let returns = matches!(op, FlowOp::EndLoop | FlowOp::EndRep);
        let takes_part = move |lane: Lane| match lane {
            Lane::Active => true,
            Lane::Loop { frame, exit: Exit::Continue } => returns && Some(frame) == top,
            Lane::Gone | Lane::Branch(_) | Lane::Loop { exit: Exit::Break, .. } => false,
        };
        let lanes = self.lanes.iter().zip(&self.helper).enumerate();
        lanes.filter(move |&(_, (&lane, &helper))| takes_part(lane) && !helper).map(|(number, _)| number)
    }

    /// Executes the instruction at `pc` and gives the address of the next one. `wants` says of each lane whether its
    /// entry of JUMP_FUNC is set; only those of active lanes matter.
    pub fn execute(&mut self, step: &FlowStep, pc: usize, wants: &[bool]) -> Result<usize, TrapKind> {
        let flow = &step.flow;
        let next = pc + 1;
        if flow.b_else {
            self.swap_innermost_branch();
        }
        if matches!(flow.op, FlowOp::EndLoop | FlowOp::EndRep) {
            let frame = self.top_frame()?;
            self.activate_lanes(|lane| lane == Lane::Loop { frame, exit: Exit::Continue });
        }

        let active: Vec<bool> = self.lanes.iter().map(|&lane| lane == Lane::Active).collect();
        let wants = |lane: usize| active[lane] && wants[lane];
        let mut deciding = (0..self.lanes.len()).filter(|&lane| active[lane] && !self.helper[lane]);
        let jump = if flow.jump_any { deciding.any(wants) } else { deciding.all(wants) };

        let everyone = |_: usize| true;
        match flow.op {
            FlowOp::Jump => {
                self.branch_op(flow, jump, &active, wants, everyone)?;
                match flow.a_op {
                    _ if !jump => Ok(next),
                    AddressOp::None => Ok(step.target),
                    AddressOp::Push if self.address_stack.len() == self.limits.address_stack => {
                        Err(TrapKind::AddressStackOverflow)
                    }
                    AddressOp::Push => {
                        self.address_stack.push(next);
                        Ok(step.target)
                    }
                    AddressOp::Pop => self.address_stack.pop().ok_or(TrapKind::AddressStackEmpty),
                    AddressOp::Reserved3 => Err(TrapKind::ReservedOperation),
                }
            }
            FlowOp::Loop | FlowOp::Rep => {
                let jump = jump || step.int.count == 0;
                self.branch_op(flow, jump, &active, wants, everyone)?;
                if jump {
                    return Ok(step.target);
                }
                if self.loop_stack.len() == self.limits.loop_stack {
                    return Err(TrapKind::LoopStackOverflow);
                }
                let entry = self.lanes.iter().map(|&lane| lane == Lane::Active).collect();
                self.loop_stack.push(Frame {
                    remaining: step.int.count,
                    passes: step.int.count,
                    saved_al: self.al,
                    entry,
                });
                if flow.op == FlowOp::Loop {
                    self.al = i32::from(step.int.init);
                }
                Ok(next)
            }
            FlowOp::EndLoop | FlowOp::EndRep => {
                let frame = self.top_frame()?;
                let remaining = self.loop_stack[frame].remaining - 1;
                self.loop_stack[frame].remaining = remaining;
                let jump = jump && remaining != 0;
                if jump && flow.op == FlowOp::EndLoop {
                    self.al = self.al.wrapping_add(i32::from(step.int.step));
                }
                self.branch_op(flow, jump, &active, wants, everyone)?;
                if jump {
                    return Ok(step.target);
                }
                self.activate_lanes(|lane| matches!(lane, Lane::Loop { frame: f, .. } if f == frame));
                self.pop_loop(flow.op == FlowOp::EndLoop);
                Ok(next)
            }
            FlowOp::BreakLoop | FlowOp::BreakRep | FlowOp::Continue => {
                let frame = self.top_frame()?;
                let exit = if flow.op == FlowOp::Continue { Exit::Continue } else { Exit::Break };
                let entry = self.loop_stack[frame].entry.clone();
                let live: Vec<usize> =
                    (0..self.lanes.len()).filter(|&lane| entry[lane] && self.is_live_covered(lane)).collect();
                // A CONTINUE lane comes back in this pass or the next, so a BREAK has to wait for it.
                let has_left = |lane: usize| match self.lanes[lane] {
                    Lane::Loop { frame: f, exit: left } => {
                        f == frame && (left == Exit::Break || exit == Exit::Continue)
                    }
                    Lane::Gone | Lane::Active | Lane::Branch(_) => false,
                };
                let somebody_wants = (0..self.lanes.len()).any(|lane| wants(lane) && !self.helper[lane]);
                let nobody_stays = live.iter().all(|&lane| wants(lane) || has_left(lane));
                if (somebody_wants && nobody_stays) || live.is_empty() {
                    self.branch_op(flow, true, &active, wants, |lane| !entry[lane])?;
                    if exit == Exit::Break {
                        for (lane, state) in self.lanes.iter_mut().enumerate() {
                            if entry[lane] && *state != Lane::Gone {
                                *state = Lane::Active;
                            }
                        }
                        self.pop_loop(flow.op == FlowOp::BreakLoop);
                    }
                    Ok(step.target)
                } else {
                    self.branch_op(flow, false, &active, wants, everyone)?;
                    for lane in (0..self.lanes.len()).filter(|&lane| wants(lane)) {
                        self.lanes[lane] = Lane::Loop { frame, exit };
                    }
                    Ok(next)
                }
            }
        }
    }

    /// The else operation: active lanes and the lanes of the innermost branch change places.
    fn swap_innermost_branch(&mut self) {
        for lane in &mut self.lanes {
            *lane = match *lane {
                Lane::Active => Lane::Branch(0),
                Lane::Branch(0) => Lane::Active,
                other @ (Lane::Gone | Lane::Branch(_) | Lane::Loop { .. }) => other,
            };
        }
    }

    fn activate_lanes(&mut self, which: impl Fn(Lane) -> bool) {
        for lane in &mut self.lanes {
            if which(*lane) {
                *lane = Lane::Active;
            }
        }
    }

    fn top_frame(&self) -> Result<usize, TrapKind> {
        self.loop_stack.len().checked_sub(1).ok_or(TrapKind::LoopStackEmpty)
    }

    /// Leaves the innermost loop.
    fn pop_loop(&mut self, restore_al: bool) {
        if let Some(frame) = self.loop_stack.pop()
            && restore_al
        {
            self.al = frame.saved_al;
        }
    }

    /// The branch operation that goes with the decision `jump`, on the lanes that `on` names.
    fn branch_op(
        &mut self,
        flow: &Flow,
        jump: bool,
        active: &[bool],
        wants: impl Fn(usize) -> bool,
        on: impl Fn(usize) -> bool,
    ) -> Result<(), TrapKind> {
        let lanes = self.lanes.iter_mut().enumerate().filter(|(lane, _)| on(*lane));
        match if jump { flow.b_op1 } else { flow.b_op0 } {
            BranchOp::None => {}
            BranchOp::Decr => {
                for (_, state) in lanes {
                    if let Lane::Branch(counter) = *state {
                        *state = counter.checked_sub(flow.b_pop_cnt).map_or(Lane::Active, Lane::Branch);
                    }
                }
            }
            BranchOp::Incr => {
                let lanes: Vec<_> = lanes.collect();
                if lanes.iter().any(|(_, state)| **state == Lane::Branch(self.limits.branches - 1)) {
                    return Err(TrapKind::BranchCounterOverflow);
                }
                for (lane, state) in lanes {
                    match *state {
                        Lane::Branch(counter) => *state = Lane::Branch(counter + 1),
                        Lane::Active if active[lane] && wants(lane) != jump => *state = Lane::Branch(0),
                        Lane::Gone | Lane::Active | Lane::Loop { .. } => {}
                    }
                }
            }
            BranchOp::Reserved3 => return Err(TrapKind::ReservedOperation),
        }
        Ok(())
    }
}
