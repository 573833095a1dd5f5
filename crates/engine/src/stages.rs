//! What becomes of a program on its way to machine code, for people to look at.

use crate::backend::{Source, SurfaceFacts};
use crate::choice::EngineName;
use crate::x1k::{Key, is_free};
use ctm_lane::{Function, assume_covered, simplify};
use ctm_x1k::lift::{self, Form, NotLifted};
use ctm_x1k::{Job, RunOptions};

/// The stages of a program for one job.
#[derive(Clone, Debug)]
pub struct Stages {
    /// As it was lifted.
    pub lifted: Function,
    /// Simplified, for any group of lanes.
    pub general: Function,
    /// What becomes machine code.
    pub compiled: Option<Compiled>,
}

/// A function that machine code is made of.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Simplified for groups all of whose lanes are covered: the interior of the domain.
    pub interior: Function,
    surfaces: Vec<SurfaceFacts>,
}

impl Stages {
    /// The stages of an X1K job: those of the free form if that is what runs, else those of the exact form, which is
    /// interpreted.
    ///
    /// # Errors
    /// If the reference runs the program, because it is too large for the exact form.
    pub fn of_x1k(job: &Job, options: &RunOptions) -> Result<Self, NotLifted> {
        let key = Key::new(job);
        if let Ok(lifted) = lift::lift(job.program, &key.facts, Form::Free)
            && is_free(job, options, &lifted)
        {
            let surfaces: Option<Vec<SurfaceFacts>> = lifted.surfaces.iter().map(|&role| key.surface(role)).collect();
            let mut stages = Self::of(lifted.function);
            stages.compiled = surfaces.filter(|surfaces| surfaces.iter().all(|facts| facts.whole)).map(|surfaces| {
                let mut interior = stages.general.clone();
                assume_covered(&mut interior);
                simplify(&mut interior);
                Compiled { interior, surfaces }
            });
            return Ok(stages);
        }
        Ok(Self::of(lift::lift(job.program, &key.facts, Form::Exact)?.function))
    }

    fn of(mut lifted: Function) -> Self {
        // Text numbers values in the order of their definitions.
        lifted.compact();
        let mut general = lifted.clone();
        simplify(&mut general);
        Stages { lifted, general, compiled: None }
    }

    /// The machine code that an engine makes, as text with addresses, one instruction on a line; `None` if it makes none.
    pub fn machine_code(&self, engine: EngineName) -> Option<String> {
        let Compiled { interior, surfaces } = self.compiled.as_ref()?;
        engine.disassemble(&Source { function: &self.general, interior, surfaces, may_stop: false })
    }
}
