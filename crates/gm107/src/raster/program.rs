//! The fragment program of a draw.

use crate::constants::constants;
use crate::context::{DrawContext, DrawError};
use crate::methods::ShadeModelMethod;
use crate::methods::codes::ShadeModel;
use crate::programs::StageProgram;
use crate::state::Channel;
use ctm_sm50::launch::{BankMemory, Constants, Environment, Invocations, LineInput, Shader, StageLaunch};
use ctm_sm50::lift::samples_by_calls;
use ctm_sm50::pipeline::inputs::{InputRules, Inputs};
use ctm_sm50::{AttributeMap, PixelMaps, Stage};
use std::ops::Range;
use std::sync::Arc;

/// The number of the stage among those that have constants.
const STAGE: usize = 4;

/// A fragment program, with what state says about how it runs.
#[derive(Debug)]
pub struct FragmentProgram {
    program: Arc<StageProgram>,
    constants: Constants,
    /// What its header says about inputs and outputs.
    pub maps: PixelMaps,
    /// Every target gets a colour of its own; else all get the first.
    pub has_targets_apart: bool,
    /// Colours that it reads by the shade model are those of provoking vertices.
    pub has_flat_colours: bool,
    /// It reads inputs at centroids.
    pub reads_centroids: bool,
    /// Whether depth is tested before or after it makes no difference: it puts out neither depth nor samples, drops nothing, and writes no memory.
    pub is_behind_tests: bool,
    /// Its code kills fragments.
    pub kills: bool,
    /// What it reads of primitives, if it can run over lines.
    pub lines: Option<Arc<[LineInput]>>,
}

impl FragmentProgram {
    /// That of draws in the state of a channel, if there is one.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(channel: &Channel, context: &DrawContext) -> Result<Option<Self>, DrawError> {
        let program = context.cache.programs.program(&channel.three_d, context.objects, Stage::Pixel)?;
        Ok(program.map(|program| {
            let header = program.header();
            let has_flat_colours = channel.three_d.get::<ShadeModelMethod>().model == ShadeModel::Flat;
            FragmentProgram {
                constants: constants(&channel.constants[STAGE], &program, context.objects),
                maps: header.pixel,
                has_targets_apart: header.mrt_enable,
                has_flat_colours,
                kills: program.kills,
                lines: program.lines[usize::from(has_flat_colours)].clone(),
                reads_centroids: program.reads_centroids,
                is_behind_tests: !(header.kills_pixels
                    || header.does_global_store
                    || header.pixel.depth
                    || header.pixel.sample_mask),
                program,
            }
        }))
    }

    /// Its inputs, in this state.
    pub fn inputs(&self, rules: InputRules) -> Inputs {
        Inputs::of_list(&self.program.inputs, rules)
    }

    /// The memory that it reads as constants.
    pub fn read(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let memory = (0..Constants::BANKS).filter_map(|bank| self.constants.memory(bank));
        memory.map(|BankMemory { address, bytes }| u64::from(address)..u64::from(address) + u64::from(bytes))
    }

    /// Whether it samples textures of this environment in ways that machine code leaves to calls, which come from quads.
    pub fn samples_by_calls(&self, environment: &Environment) -> bool {
        let shader = self.shader();
        let none = Invocations { count: 0, columns: None };
        let launch = StageLaunch::new(shader, environment, &none, AttributeMap::default());
        shader.code.has_textures() && samples_by_calls(&launch)
    }

    /// The program as executors see it.
    pub fn shader(&self) -> Shader<'_> {
        Shader { banks: Some(&self.constants), ..self.program.shader() }
    }
}
