//! What compiled programs depend on.

use crate::lift::{SampledInput, Specialisation, SurfaceBinding};
use crate::{INPUTS, Instruction, Job, OUTPUTS, Program, ProgramInfo, References};
use ctm_engine::SurfaceLayout;
use ctm_memory::{Bounds, Surface};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What is known of a job's environment when its program is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Environment {
    pub specialisation: Specialisation,
    inputs: [Option<SurfaceLayout>; INPUTS],
    /// Further levels of inputs that are sampled.
    levels: BTreeMap<u8, Vec<SurfaceLayout>>,
    outputs: [Option<SurfaceLayout>; OUTPUTS],
    conditional: Option<SurfaceLayout>,
}

/// Everything that a compiled program depends on.
#[derive(Clone, Debug)]
pub struct Key {
    /// Without its constants: jobs have them.
    pub(super) program: Program,
    pub(super) environment: Environment,
}

/// A [`Key`], borrowed from a job. What is compared first differs most often.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyRef<'k> {
    info: ProgramInfo,
    environment: Cow<'k, Environment>,
    code: &'k [Instruction],
    references: &'k References,
}

impl<'k> KeyRef<'k> {
    pub(super) fn of(job: &'k Job) -> Self {
        Self::new(job.program, Cow::Owned(Environment::of(job)))
    }

    fn new(program: &'k Program, environment: Cow<'k, Environment>) -> Self {
        KeyRef { info: program.info, environment, code: &program.code, references: &program.references }
    }

    pub(super) fn into_owned(self) -> Key {
        let program = Program {
            code: self.code.to_vec(),
            info: self.info,
            references: self.references.clone(),
            ..Program::default()
        };
        Key { program, environment: self.environment.into_owned() }
    }

    pub(super) fn equals(&self, key: &Key) -> bool {
        *self == KeyRef::new(&key.program, Cow::Borrowed(&key.environment))
    }
}

impl Environment {
    fn of(job: &Job) -> Self {
        let layout = |surface: &Option<Surface>, bounds| {
            surface.as_ref().map(|surface| SurfaceLayout::of(job.memory, surface, bounds))
        };
        let inputs = job.inputs.each_ref().map(|surface| layout(surface, Bounds::Clamp));
        let finite = std::array::from_fn(|channel| {
            job.constants.floats.iter().all(|value| f32::from_bits(value[channel]).is_finite())
        });
        let (mut samplers, mut levels) = (BTreeMap::new(), BTreeMap::new());
        for (number, sampler) in (0..).zip(&job.samplers) {
            let Some(sampler) = sampler else { continue };
            let layouts = sampler.levels.iter().map(|level| SurfaceLayout::of(job.memory, level, Bounds::Clamp));
            let layouts: Vec<SurfaceLayout> = layouts.collect();
            let sampled = SampledInput {
                sampler: sampler.sampler,
                shape: sampler.shape,
                levels: layouts.iter().map(|layout| (layout.surface, layout.whole)).collect(),
            };
            samplers.insert(number, sampled);
            levels.insert(number, layouts);
        }
        Environment {
            specialisation: Specialisation {
                inputs: inputs.each_ref().map(|input| input.map(|layout| (layout.surface, layout.whole))),
                samplers,
                outputs: job.outputs.each_ref().map(Option::is_some),
                out_mask: job.out_mask,
                test: job.conditional.test,
                location: job.conditional.location,
                write: job.conditional.write,
                has_origin: job.origin != [0; 2],
                unfused: job.unfused,
                finite,
            },
            inputs,
            levels,
            outputs: job.outputs.each_ref().map(|surface| layout(surface, Bounds::Drop)),
            conditional: layout(&job.conditional.surface, Bounds::Drop),
        }
    }

    pub fn surface(&self, binding: SurfaceBinding) -> Option<SurfaceLayout> {
        match binding {
            SurfaceBinding::Input(number) => self.inputs[number],
            SurfaceBinding::Level(number, level) => self.levels.get(&u8::try_from(number).ok()?)?.get(level).copied(),
            SurfaceBinding::Output(number) => self.outputs[number],
            SurfaceBinding::Conditional => self.conditional,
        }
    }
}
