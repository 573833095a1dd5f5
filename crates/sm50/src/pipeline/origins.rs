//! Where vertices come from: which invocations of the stages have made one, and what these go through, once more on the scalar reference.

use super::gather::Vertex;
use super::state::PipelineState;
use crate::attributes::{Emissions, NoMemory, Records};
use crate::header::{AttributeMap, Stage};
use crate::launch::{Column, Invocations, NO_INVOCATION, Primitives, Shader, StageLaunch, Stop};
use crate::reference::Reference;
use ctm_follow::Observer;
use ctm_lane::run::RunOptions;
use thiserror::Error;

/// The launches of a batch, as far as their vertices have come.
#[derive(Debug)]
pub struct Origins<'a> {
    state: &'a PipelineState<'a>,
    vertices: Vec<Vertex>,
    /// Of each stage the last one, in the order of stages.
    launches: Vec<KeptLaunch>,
}

/// An invocation of a stage that has made a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Maker {
    /// The launch among those that are kept.
    launch: usize,
    /// Which invocation.
    pub invocation: u32,
    /// The record that it left.
    pub record: u32,
}

/// Why an invocation cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FollowError {
    /// It stops; what it went through so far has been reported.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// The host has no memory for copies of what it writes.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// It stores to memory, so that running it twice is not running it once.
    #[error("it stores to memory, and runs only once")]
    Stores,
}

/// What a launch was given.
#[derive(Debug)]
struct KeptLaunch {
    stage: Stage,
    invocations: Invocations,
    inputs: Option<Records>,
    primitives: Option<Primitives>,
    patches: Option<Records>,
    outputs: Option<Records>,
    surviving: AttributeMap,
    /// Vertices of each geometry invocation, at most.
    vertices: u32,
}

impl<'a> Origins<'a> {
    pub(super) fn new(state: &'a PipelineState<'a>) -> Self {
        Origins { state, vertices: Vec::new(), launches: Vec::new() }
    }

    /// A batch of these vertices begins.
    pub(super) fn begin(&mut self, vertices: &[Vertex]) {
        self.launches.clear();
        self.vertices.clear();
        self.vertices.extend_from_slice(vertices);
    }

    /// Keeps what a launch was given; what stages behind its own were given is of other vertices.
    pub(super) fn keep(&mut self, launch: &StageLaunch) {
        let stage = launch.shader.stage();
        let place = self.launches.iter().position(|kept| kept.stage == stage).unwrap_or(self.launches.len());
        self.launches.truncate(place);
        self.launches.push(KeptLaunch {
            stage,
            invocations: launch.invocations.clone(),
            inputs: launch.inputs.cloned(),
            primitives: launch.primitives.cloned(),
            patches: launch.patches.cloned(),
            outputs: launch.outputs.cloned(),
            surviving: launch.surviving,
            vertices: launch.shader.header.map_or(0, |header| header.max_output_vertex_count.into()),
        });
    }

    /// What has made a vertex that has come out of the stages, by its record.
    pub fn maker(&self, record: u32) -> Option<Maker> {
        self.maker_in(self.launches.len().checked_sub(1)?, record)
    }

    fn maker_in(&self, launch: usize, record: u32) -> Option<Maker> {
        let kept = self.launches.get(launch)?;
        let invocation = if kept.stage == Stage::Geometry { record.checked_div(kept.vertices)? } else { record };
        Some(Maker { launch, invocation, record })
    }

    /// What has made the vertices that a maker was given, in the order of its primitive; nothing of vertex programs.
    pub fn sources(&self, maker: Maker) -> Vec<Maker> {
        let Some((kept, before)) = self.launches.get(maker.launch).zip(maker.launch.checked_sub(1)) else {
            return Vec::new();
        };
        let Some(Primitives { vertices, indices, .. }) = &kept.primitives else { return Vec::new() };
        let primitive = kept.invocations.get(Column::Primitive, maker.invocation);
        if primitive == NO_INVOCATION {
            return Vec::new();
        }
        let indices = indices.buffer();
        let records = (0..*vertices).map(|vertex| indices.load(4 * (primitive * vertices + vertex)));
        records.filter_map(|record| self.maker_in(before, record)).collect()
    }

    /// The stage of a maker.
    pub fn stage(&self, maker: Maker) -> Stage {
        self.launches.get(maker.launch).map_or(Stage::None, |kept| kept.stage)
    }

    /// The program of a maker.
    pub fn shader(&self, maker: Maker) -> Option<Shader<'a>> {
        let PipelineState { vertex, tess_init, tessellation, geometry, .. } = self.state;
        let shaders = [Some(*vertex), *tess_init, *tessellation, *geometry];
        shaders.into_iter().flatten().find(|shader| shader.stage() == self.stage(maker))
    }

    /// The vertex of the draw that a vertex program has run for.
    pub fn vertex(&self, maker: Maker) -> Option<Vertex> {
        let is_vertex = self.stage(maker) == Stage::Vertex;
        self.vertices.get(maker.invocation as usize).copied().filter(|_| is_vertex)
    }

    /// What a vertex program was given: byte addresses, with the words there.
    pub fn inputs(&self, maker: Maker) -> Vec<(u32, u32)> {
        let records = self.launches.get(maker.launch).and_then(|kept| kept.inputs.as_ref());
        let records = records.filter(|_| self.stage(maker) == Stage::Vertex);
        records.map(|records| words(records, maker.record)).unwrap_or_default()
    }

    /// What a maker has left: byte addresses, with the words there.
    pub fn outputs(&self, maker: Maker) -> Vec<(u32, u32)> {
        let records = self.launches.get(maker.launch).and_then(|kept| kept.outputs.as_ref());
        records.map(|records| words(records, maker.record)).unwrap_or_default()
    }

    /// Runs a maker once more on the scalar reference, and reports what it goes through. Nothing that it writes stays.
    ///
    /// # Errors
    /// It stops, it stores to memory, or the host has no memory.
    pub fn follow(&self, maker: Maker, options: &RunOptions, observer: &mut dyn Observer) -> Result<(), FollowError> {
        let Some((shader, kept)) = self.shader(maker).zip(self.launches.get(maker.launch)) else { return Ok(()) };
        if shader.header.is_some_and(|header| header.does_global_store) {
            return Err(FollowError::Stores);
        }
        let copy = |records: &Option<Records>| records.as_ref().map(Records::copied).transpose();
        let (patches, outputs) = (copy(&kept.patches)?, copy(&kept.outputs)?);
        let emissions = (kept.stage == Stage::Geometry)
            .then(|| Emissions::new(kept.invocations.count, kept.vertices))
            .transpose()?;
        let launch = StageLaunch {
            inputs: kept.inputs.as_ref(),
            primitives: kept.primitives.as_ref(),
            patches: patches.as_ref(),
            outputs: outputs.as_ref(),
            emissions: emissions.as_ref(),
            ..StageLaunch::new(shader, self.state.environment, &kept.invocations, kept.surviving)
        };
        let options = RunOptions { progress: None, counts: None, ..*options };
        Reference.follow(&launch, &options, maker.invocation, observer)?;
        Ok(())
    }
}

fn words(records: &Records, record: u32) -> Vec<(u32, u32)> {
    let view = records.view();
    view.addresses().map(|address| (address, view.get(record, address))).collect()
}
