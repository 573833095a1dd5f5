//! How passes look at the budget of what they are part of.

use ctm_lane::budget::{Halt, Meter};

/// Looks between two that cost a look at the clock.
const LOOKS: u32 = 256;

/// A look at a meter that is cheap enough for every instruction.
#[derive(Debug)]
pub(crate) struct Poll<'a> {
    meter: &'a Meter<'a>,
    looks: u32,
    halt: Option<Halt>,
}

impl<'a> Poll<'a> {
    /// Of a pass that begins.
    pub(crate) fn new(meter: &'a Meter<'a>) -> Self {
        Poll { meter, looks: 0, halt: None }
    }

    /// Whether there is time.
    pub(crate) fn look(&mut self) -> Result<(), Halt> {
        self.looks += 1;
        if self.looks >= LOOKS {
            self.looks = 0;
            self.halt = self.meter.check().err();
        }
        self.halt.map_or(Ok(()), Err)
    }

    /// What is looked at.
    pub(crate) fn meter(&self) -> &'a Meter<'a> {
        self.meter
    }
}
