//! The constructs that are open at a place of the walk.

use crate::codes::FlowOp;
use ctm_lane::{Block, Value, Variable};

/// Why lanes of a conditional wait, and where the group goes when all do.
#[derive(Clone, Copy)]
pub(super) enum Skip {
    /// An IF, or after its ELSE. The group goes to this address; where it does, counters are lowered by so much.
    /// `None` stands for what an IF with an ELSE does: they are raised as if some lane stayed.
    To { target: usize, lowers: Option<u8> },
    /// A conditional call, which the group leaves out.
    Call,
    /// An early RETURN, to after the call.
    Return,
}

/// A conditional whose end has not come yet.
pub(super) struct If {
    pub skip: Skip,
    /// Lanes that were active before.
    pub before: Value,
    /// Lanes that do not take the first part.
    pub others: Value,
    /// Where the lanes go that take neither part, or have taken one.
    pub join: Block,
    /// Where the second part begins.
    pub second: Block,
    pub has_else: bool,
    /// Lanes may have left by BREAK, CONTINUE or TEXKILL.
    pub left: bool,
}

pub(super) struct Loop {
    /// Address after the head.
    pub body: usize,
    pub head: FlowOp,
    pub int: u8,
    /// Where the head jumps to.
    pub skips_to: usize,
    /// Addresses of the instruction after the end, as the BREAKs have it, and of the end, as the CONTINUEs have it.
    pub break_to: Option<usize>,
    pub continue_to: Option<usize>,
    pub top: Block,
    pub exit: Block,
    pub remaining: Variable,
    pub al_before: Value,
    /// Lanes that entered.
    pub entry: Value,
    /// Lanes that have not left by BREAK or TEXKILL.
    pub stay: Variable,
    /// Of these, the ones that have not left this pass by CONTINUE.
    pub running: Variable,
    /// Some BREAK or CONTINUE is about this loop.
    pub is_left: bool,
    pub kills: bool,
}

pub(super) enum Open {
    If(If),
    Loop(Loop),
    /// A subroutine, with the address to return to.
    Call(usize),
}

/// The open constructs, each inside the one before.
#[derive(Default)]
pub(super) struct Opened(Vec<Open>);

impl Opened {
    pub fn push(&mut self, open: Open) {
        self.0.push(open);
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Open> {
        self.0.iter_mut()
    }

    /// The innermost construct, if it is a conditional.
    pub fn innermost_if(&mut self) -> Option<&mut If> {
        match self.0.last_mut() {
            Some(Open::If(open)) => Some(open),
            _ => None,
        }
    }

    /// Closes the innermost construct if it is a conditional that `fits`.
    pub fn pop_if(&mut self, fits: impl Fn(&If) -> bool) -> Option<If> {
        match self.0.pop_if(|open| matches!(open, Open::If(open) if fits(open))) {
            Some(Open::If(open)) => Some(open),
            _ => None,
        }
    }

    /// Closes the innermost construct if it is a loop that `fits`.
    pub fn pop_loop(&mut self, fits: impl Fn(&Loop) -> bool) -> Option<Loop> {
        match self.0.pop_if(|open| matches!(open, Open::Loop(open) if fits(open))) {
            Some(Open::Loop(open)) => Some(open),
            _ => None,
        }
    }

    /// Closes the innermost construct if it is a subroutine, and gives the address to return to.
    pub fn pop_call(&mut self) -> Option<usize> {
        match self.0.pop_if(|open| matches!(open, Open::Call(_))) {
            Some(Open::Call(back)) => Some(back),
            _ => None,
        }
    }

    /// The place of the innermost loop, and the number of conditionals in it. No call may lie between, as its return would
    /// be left out.
    pub fn innermost_loop(&self) -> Option<(usize, u8)> {
        let mut depth = 0;
        for (at, open) in self.0.iter().enumerate().rev() {
            match open {
                Open::If(_) => depth += 1,
                Open::Loop(_) => return Some((at, depth)),
                Open::Call(_) => return None,
            }
        }
        None
    }

    /// The loop at this place, and what is open in it.
    pub fn loop_at(&mut self, place: usize) -> Option<(&mut Loop, &mut [Open])> {
        match self.0.get_mut(place..)? {
            [Open::Loop(open), inside @ ..] => Some((open, inside)),
            _ => None,
        }
    }

    pub fn loops(&self) -> impl Iterator<Item = &Loop> {
        self.0.iter().filter_map(|open| match open {
            Open::Loop(open) => Some(open),
            Open::If(_) | Open::Call(_) => None,
        })
    }

    pub fn ifs(&self) -> usize {
        self.0.iter().filter(|open| matches!(open, Open::If(_))).count()
    }

    pub fn calls(&self) -> usize {
        self.0.iter().filter(|open| matches!(open, Open::Call(_))).count()
    }

    /// How many conditionals end when the innermost subroutine does: its early RETURNs, and its call if that has a condition.
    /// `None` if some other construct is open in it.
    pub fn levels_of_call(&self) -> Option<u8> {
        let is_return = |open: &&Open| matches!(open, Open::If(If { skip: Skip::Return, .. }));
        let returns = self.0.iter().rev().take_while(is_return).count();
        let outside = &self.0[..self.0.len() - returns];
        let has_condition = match outside {
            [.., Open::If(If { skip: Skip::Call, .. }), Open::Call(_)] => true,
            [.., Open::Call(_)] => false,
            _ => return None,
        };
        u8::try_from(returns + usize::from(has_condition)).ok()
    }

    /// Whether every live lane is active here. That is so in a loop that nobody leaves before its end, and in a subroutine
    /// that everybody calls.
    pub fn is_converged(&self) -> bool {
        self.0.iter().all(|open| match open {
            Open::If(_) => false,
            Open::Loop(open) => !open.is_left,
            Open::Call(_) => true,
        })
    }

    /// Whether all ways to this place go on alike.
    pub fn is_only_calls(&self) -> bool {
        self.0.iter().all(|open| matches!(open, Open::Call(_)))
    }
}
