//! What kernels of a program depend on.

use crate::backend::SurfaceFacts;
use ctm_memory::{Bounds, Surface};
use ctm_x1k::lift::{Facts, Role};
use ctm_x1k::{INPUTS, Instruction, Job, OUTPUTS, ProgramInfo, References};

/// Everything that kernels of a program depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    code: Vec<Instruction>,
    info: ProgramInfo,
    references: References,
    pub facts: Facts,
    inputs: [Option<SurfaceFacts>; INPUTS],
    outputs: [Option<SurfaceFacts>; OUTPUTS],
    conditional: Option<SurfaceFacts>,
}

impl Key {
    pub fn new(job: &Job) -> Self {
        let facts = |surface: &Option<Surface>, bounds| {
            surface.as_ref().map(|surface| SurfaceFacts::of(job.memory, surface, bounds))
        };
        let inputs = job.inputs.each_ref().map(|surface| facts(surface, Bounds::Clamp));
        let finite = std::array::from_fn(|channel| {
            job.constants.floats.iter().all(|value| f32::from_bits(value[channel]).is_finite())
        });
        Key {
            code: job.program.code.clone(),
            info: job.program.info,
            references: job.program.references.clone(),
            facts: Facts {
                inputs: inputs.each_ref().map(|input| input.map(|facts| (facts.surface, facts.whole))),
                outputs: job.outputs.each_ref().map(Option::is_some),
                out_mask: job.out_mask,
                test: job.conditional.test,
                location: job.conditional.location,
                write: job.conditional.write,
                unfused: job.unfused,
                finite,
            },
            inputs,
            outputs: job.outputs.each_ref().map(|surface| facts(surface, Bounds::Drop)),
            conditional: facts(&job.conditional.surface, Bounds::Drop),
        }
    }

    pub fn surface(&self, role: Role) -> Option<SurfaceFacts> {
        match role {
            Role::Input(number) => self.inputs[number],
            Role::Output(number) => self.outputs[number],
            Role::Conditional => self.conditional,
        }
    }
}
