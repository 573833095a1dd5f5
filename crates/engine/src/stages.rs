//! What becomes of a program on its way to machine code, for people to look at.

use crate::backend::{KernelSource, SurfaceLayout};
use crate::ending::may_stop;
use crate::interior::interior_of;
use ctm_lane::effort::Effort;
use ctm_lane::{Function, simplify_once_within, simplify_within};

/// The stages of a program for one job. Guests make them.
#[derive(Clone, Debug)]
pub struct Stages {
    /// As it was lifted.
    pub lifted: Function,
    /// Simplified, for any group of lanes.
    pub general: Function,
    /// What becomes machine code.
    pub compiled: Option<Specialised>,
}

/// A function that machine code is made of.
#[derive(Clone, Debug)]
pub struct Specialised {
    /// Simplified for groups all of whose lanes are covered: the interior of the domain.
    pub interior: Function,
    surfaces: Vec<SurfaceLayout>,
    may_stop: bool,
}

impl Stages {
    /// The stages of a function that is interpreted, simplified as far as the effort goes.
    pub fn new(mut lifted: Function, effort: &Effort) -> Self {
        // Text numbers values in the order of their definitions.
        lifted.compact();
        let mut general = lifted.clone();
        simplify_within(&mut general, effort);
        Stages { lifted, general, compiled: None }
    }

    /// Adds what becomes machine code, if these are the surfaces of a function that does. `most_steps` are the most that a
    /// group takes, if the guest knows.
    pub fn with_machine_code(
        mut self,
        surfaces: Option<Vec<SurfaceLayout>>,
        most_steps: Option<u64>,
        effort: &Effort,
    ) -> Self {
        self.compiled = surfaces.filter(|surfaces| surfaces.iter().all(|layout| layout.whole)).map(|surfaces| {
            let mut function = self.lifted.clone();
            simplify_once_within(&mut function, effort);
            let interior = interior_of(&mut function, effort);
            Specialised { interior, surfaces, may_stop: may_stop(&function, most_steps) }
        });
        self
    }

    /// What a backend is given, if a function becomes machine code.
    pub fn source(&self) -> Option<KernelSource<'_>> {
        let Specialised { interior, surfaces, may_stop } = self.compiled.as_ref()?;
        Some(KernelSource { function: &self.general, interior, surfaces, may_stop: *may_stop })
    }
}
