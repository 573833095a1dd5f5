//! What becomes of a program on its way to machine code, for people to look at.

use crate::backend::{Source, SurfaceFacts};
use crate::choice::EngineName;
use crate::kernel::may_stop;
use crate::{r700, x1k};
use ctm_lane::run::RunOptions;
use ctm_lane::{Function, assume_covered, simplify};
use ctm_x1k::lift::Form;

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
    may_stop: bool,
}

impl Stages {
    /// The stages of an X1K job: those of the free form if that is what runs, else those of the exact form, which is
    /// interpreted.
    ///
    /// # Errors
    /// If the reference runs the program, because it is too large for the exact form.
    pub fn of_x1k(job: &ctm_x1k::Job, options: &RunOptions) -> Result<Self, ctm_x1k::lift::NotLifted> {
        let key = x1k::Key::new(job);
        let lift = |form| ctm_x1k::lift::lift(job.program, &key.facts, form);
        if let Ok(lifted) = lift(Form::Free)
            && x1k::is_free(job, options, &lifted)
        {
            let surfaces: Option<Vec<SurfaceFacts>> = lifted.surfaces.iter().map(|&role| key.surface(role)).collect();
            let most_steps = x1k::max_steps(job, &lifted);
            return Ok(Self::of(lifted.function).compile(surfaces, Some(most_steps)));
        }
        Ok(Self::of(lift(Form::Exact)?.function))
    }

    /// The stages of an R700 job.
    ///
    /// # Errors
    /// If the reference runs the program, because it cannot be lifted.
    pub fn of_r700(job: &ctm_r700::Job) -> Result<Self, ctm_r700::lift::NotLifted> {
        let key = r700::Key::new(job);
        let lifted = key.lift()?;
        let is_free = lifted.is_free && !r700::order_matters(job);
        let surfaces = lifted.surfaces.iter().map(|&role| key.surface(role)).collect::<Option<_>>();
        Ok(Self::of(lifted.function).compile(surfaces.filter(|_| is_free), None))
    }

    /// Adds what becomes machine code, if these are the surfaces of a function that does. `most_steps` are the most that a
    /// group takes, if the guest knows.
    fn compile(mut self, surfaces: Option<Vec<SurfaceFacts>>, most_steps: Option<u64>) -> Self {
        self.compiled = surfaces.filter(|surfaces| surfaces.iter().all(|facts| facts.whole)).map(|surfaces| {
            let mut interior = self.general.clone();
            if assume_covered(&mut interior) {
                simplify(&mut interior);
            }
            Compiled { interior, surfaces, may_stop: may_stop(&self.general, most_steps) }
        });
        self
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
        let Compiled { interior, surfaces, may_stop } = self.compiled.as_ref()?;
        engine.disassemble(&Source { function: &self.general, interior, surfaces, may_stop: *may_stop })
    }
}
