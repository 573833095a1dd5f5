//! Batches of primitives on their way through the stages.

use super::assembled::{Assembled, Outline, Receiver};
use super::gather::{BatchMemory, Gathering, VertexFeed, VertexRow};
use super::origins::Origins;
use super::packing::{Packing, Points};
use super::primitive::Shape;
use super::stages::Stages;
use super::tessellate::{Levels, Mesh, tessellate};
use super::{DrawError, PipelineState, strips, threads};
use crate::attributes::{
    Emissions, INNER_LEVELS, OUTER_LEVELS, Records, Slots, TESS_COORD_U, TESS_COORD_V, Words, surviving,
};
use crate::header::{AttributeMap, Header};
use crate::launch::{Invocations, LaunchReport, Primitives, Shader, StageLaunch, StageRunner, WARP};
use ctm_lane::budget;
use ctm_lane::run::RunOptions;
use std::ops::Range;

/// Domain points that are evaluated together, about.
const BATCH_POINTS: usize = 1 << 16;
/// Output words of geometry lanes that run together, at most, if one primitive has no more.
const GEOMETRY_WORDS: u64 = 1 << 23;
/// Geometry lanes that run together, at most.
const GEOMETRY_LANES: u32 = 1 << 16;

/// What the stages of a pipeline did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// Primitives that vertices made, patches among them.
    pub primitives: u64,
    /// Vertices that the vertex program ran for.
    pub vertices: u64,
    /// Patches.
    pub patches: u64,
    /// Domain points that the tessellation program ran for.
    pub points: u64,
    /// Primitives that the geometry program ran for, once for each of its instances.
    pub geometry_runs: u64,
    /// Primitives that it put out.
    pub geometry_primitives: u64,
}

/// Draws on their way through the stages. Their rows of vertices are put in one after the other; primitives come out in their order.
pub struct Pipeline<'a> {
    state: &'a PipelineState<'a>,
    feed: &'a dyn VertexFeed,
    stages: Stages<'a>,
    /// What comes out.
    shape: Shape,
    gathering: Gathering,
    memory: &'a mut BatchMemory,
    receiver: &'a mut dyn Receiver,
    counts: StageCounts,
    /// Primitives of rows before, and of all rows, if progress is reported.
    progress: (u64, u64),
}

/// Primitives with the records of their vertices.
struct Assembly {
    /// Vertices of each.
    vertices: u32,
    /// The records, primitive by primitive.
    indices: Vec<u32>,
    /// The number of each primitive in the draw.
    ids: Vec<u32>,
    outlines: Vec<Outline>,
}

impl Assembly {
    fn primitives(&self, some: Range<usize>) -> Result<Primitives, DrawError> {
        let size = self.vertices as usize;
        let indices = &self.indices[some.start * size..some.end * size];
        Ok(Primitives { vertices: self.vertices, indices: Words::of(indices)?, ids: Words::of(&self.ids[some])? })
    }

    fn len(&self) -> usize {
        self.ids.len()
    }
}

impl<'a> Pipeline<'a> {
    /// For a state, whose vertices come from `feed`, and whose primitives go to `receiver`. `memory` is for batches; it may have been used
    /// before.
    ///
    /// # Errors
    /// The programs and the state do not fit together.
    pub fn new(
        state: &'a PipelineState<'a>,
        (feed, receiver): (&'a dyn VertexFeed, &'a mut dyn Receiver),
        (executor, options): (&'a dyn StageRunner, &'a RunOptions<'a>),
        memory: &'a mut BatchMemory,
    ) -> Result<Self, DrawError> {
        let shape = state.check()?;
        memory.clear();
        let gathering = Gathering {
            primitive: state.primitive,
            patch_vertices: state.patch_vertices,
            provoking: state.provoking,
            has_outlines: state.geometry.is_none() && state.has_outlines(),
        };
        let (stages, counts) = (Stages::new(executor, options), StageCounts::default());
        Ok(Pipeline { state, feed, stages, shape, gathering, memory, receiver, counts, progress: (0, 0) })
    }

    /// The same, which keeps where vertices come from: its receiver finds that in [`Stages::origins`].
    pub fn with_origins(mut self) -> Self {
        self.stages.origins = Some(Origins::new(self.state));
        self
    }

    /// Puts in a row of vertices, whose primitives have numbers from `first_id` on; gives the number after them.
    ///
    /// # Errors
    /// As [`Draw::run`](super::Draw::run), also for rows before.
    pub fn add(&mut self, row: &dyn VertexRow, first_id: u32) -> Result<u32, DrawError> {
        let count = self.gathering.count(row.count());
        let mut start = 0;
        while start < count {
            if self.memory.room(&self.gathering) == 0 {
                self.flush()?;
            }
            let end = count.min(start.saturating_add(self.memory.room(&self.gathering).max(1)));
            self.memory.add(&self.gathering, row, start..end, first_id);
            start = end;
        }
        let ids = if count == 0 { 0 } else { self.gathering.primitive.id(count - 1) + 1 };
        Ok(first_id.wrapping_add(ids))
    }

    /// Runs what has been put in so far.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn flush(&mut self) -> Result<(), DrawError> {
        if !self.memory.ids.is_empty() {
            self.run_batch()?;
        }
        self.memory.clear();
        Ok(())
    }

    /// Runs the rest; gives what the launches did, those of the receiver among them, and how many there were.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn finish(mut self) -> Result<(LaunchReport, StageCounts), DrawError> {
        self.flush()?;
        Ok((self.stages.finish(), self.counts))
    }

    /// Progress is reported for rows that come from now on: before them were so many primitives, and there are so many in all.
    pub(super) fn expect(&mut self, before: u64, all: u64) {
        self.progress = (before, all);
    }

    fn run_batch(&mut self) -> Result<(), DrawError> {
        self.stages.meter.check()?;
        let state = self.state;
        let count = self.memory.vertices.len() as u32;
        if let Some(origins) = &mut self.stages.origins {
            origins.begin(&self.memory.vertices);
        }
        let map = state.vertex.header.map(|header| header.imap).unwrap_or_default();
        let inputs = Records::new(Slots::of(&map), count)?;
        self.feed.feed(&self.memory.vertices, &inputs.view());
        let next = state.tess_init.or(state.tessellation).or(state.geometry);
        let (outputs, survivors) = outputs(&state.vertex, next, count, &[])?;
        let invocations = Invocations { count, columns: None };
        self.launch(&StageLaunch {
            inputs: Some(&inputs),
            outputs: Some(&outputs),
            ..StageLaunch::new(state.vertex, state.environment, &invocations, survivors)
        })?;
        self.counts.vertices += u64::from(count);

        let memory = &mut self.memory;
        let assembly = Assembly {
            vertices: state.primitive.vertices(state.patch_vertices),
            indices: std::mem::take(&mut memory.indices),
            ids: std::mem::take(&mut memory.ids),
            outlines: std::mem::take(&mut memory.outlines),
        };
        self.counts.primitives += assembly.len() as u64;
        match state.tessellation {
            Some(shader) => self.tessellate(&shader, &outputs, assembly),
            None => {
                self.assembled(&outputs, &assembly)?;
                // Their memory is that of the next batch.
                let Assembly { indices, ids, outlines, .. } = assembly;
                (self.memory.indices, self.memory.ids, self.memory.outlines) = (indices, ids, outlines);
                Ok(())
            }
        }
    }

    fn launch(&mut self, launch: &StageLaunch) -> Result<(), DrawError> {
        self.stages.launch(launch, self.receiver.bytes())?;
        if let Some(origins) = &mut self.stages.origins {
            origins.keep(launch);
        }
        Ok(())
    }

    /// Hands primitives on.
    fn receive(
        &mut self,
        stream: u8,
        records: &Records,
        (vertices, ids, outlines): (&[u32], &[u32], &[Outline]),
    ) -> Result<(), DrawError> {
        let (shape, records) = (self.shape, records.view());
        let provoking = self.state.provoking_of(shape);
        let assembled = Assembled { shape, stream, records, vertices, ids, provoking, outlines };
        self.receiver.receive(&mut self.stages, &assembled)
    }

    /// Reports progress: what primitives up to this one became has been received.
    fn received(&self, last: Option<&u32>) {
        if let (Some(progress), Some(&last)) = (self.stages.options.progress, last) {
            let (before, all) = self.progress;
            progress(before + u64::from(last) + 1, all);
        }
    }

    /// Tessellation: initialisation, the tessellator, evaluation.
    fn tessellate(&mut self, shader: &Shader, vertices: &Records, patches: Assembly) -> Result<(), DrawError> {
        let state = self.state;
        let count = patches.len() as u32;
        self.counts.patches += u64::from(count);
        let patch_records = Records::new(Slots::all(), count)?;
        let mut points = Points::default();
        match state.tess_init {
            None => {
                for patch in 0..count {
                    write_levels(&patch_records, patch, &state.levels);
                }
                self.evaluate_patches(shader, vertices, patches, &patch_records, &mut points)
            }
            Some(init) => {
                let threads = threads(&init);
                let primitives = patches.primitives(0..patches.len())?;
                let packing = Packing::new(threads, patches.vertices);
                let invocations = packing.invocations(count)?;
                let (outputs, survivors) = outputs(&init, Some(*shader), invocations.count, &[])?;
                self.launch(&StageLaunch {
                    inputs: Some(vertices),
                    primitives: Some(&primitives),
                    patches: Some(&patch_records),
                    outputs: Some(&outputs),
                    ..StageLaunch::new(init, state.environment, &invocations, survivors)
                })?;
                let control_points = |patch| (0..threads).map(move |thread| packing.invocation(patch, thread));
                let indices = (0..count).flat_map(control_points).collect();
                let patches = Assembly { vertices: threads, indices, ids: patches.ids, outlines: Vec::new() };
                self.evaluate_patches(shader, &outputs, patches, &patch_records, &mut points)
            }
        }
    }

    /// Cuts patches and evaluates the points, as many patches at a time as have about [`BATCH_POINTS`].
    fn evaluate_patches(
        &mut self,
        shader: &Shader,
        control_points: &Records,
        patches: Assembly,
        patch_records: &Records,
        points: &mut Points,
    ) -> Result<(), DrawError> {
        let primitives = patches.primitives(0..patches.len())?;
        let mut known: Option<(Levels, Mesh)> = None;
        for patch in 0..patches.len() as u32 {
            self.stages.meter.check()?;
            let levels = read_levels(patch_records, patch);
            let mesh = match known.take() {
                Some((same, mesh)) if same == levels => mesh,
                _ => self.mesh(&levels),
            };
            points.add(patch, patches.ids[patch as usize], &mesh, patches.vertices);
            known = Some((levels, mesh));
            if points.coordinates.len() >= BATCH_POINTS {
                self.evaluate(shader, control_points, &primitives, patch_records, points)?;
            }
        }
        self.evaluate(shader, control_points, &primitives, patch_records, points)
    }

    fn mesh(&self, levels: &Levels) -> Mesh {
        match self.state.domain_points {
            None => tessellate(&self.state.tessellator, levels),
            Some(points) => {
                Mesh { points: points.to_vec(), shape: Shape::Point, indices: (0..points.len() as u32).collect() }
            }
        }
    }

    fn evaluate(
        &mut self,
        shader: &Shader,
        control_points: &Records,
        primitives: &Primitives,
        patch_records: &Records,
        points: &mut Points,
    ) -> Result<(), DrawError> {
        if points.coordinates.is_empty() {
            return Ok(());
        }
        let invocations = points.invocations()?;
        self.counts.points += points.coordinates.iter().filter(|(patch, _)| patch.is_some()).count() as u64;
        // A program finds the coordinates of its point among its outputs.
        let coordinates = [TESS_COORD_U, TESS_COORD_V];
        let (outputs, survivors) = outputs(shader, self.state.geometry, invocations.count, &coordinates)?;
        let view = outputs.view();
        for (lane, (_, uv)) in (0..).zip(&points.coordinates) {
            for (address, value) in coordinates.into_iter().zip(uv) {
                view.set(lane, address, value.to_bits());
            }
        }
        self.launch(&StageLaunch {
            inputs: Some(control_points),
            primitives: Some(primitives),
            patches: Some(patch_records),
            outputs: Some(&outputs),
            ..StageLaunch::new(*shader, self.state.environment, &invocations, survivors)
        })?;
        let assembly = Assembly {
            vertices: self.state.mesh_shape().vertices(),
            indices: std::mem::take(&mut points.indices),
            ids: std::mem::take(&mut points.ids),
            outlines: Vec::new(),
        };
        *points = Points::default();
        self.assembled(&outputs, &assembly)
    }

    /// Primitives that are ready for the geometry program, or for who receives them.
    fn assembled(&mut self, records: &Records, assembly: &Assembly) -> Result<(), DrawError> {
        if let Some(shader) = self.state.geometry {
            return self.geometry(&shader, records, assembly);
        }
        let kept = match self.state.primitive.shape() {
            // Neighbours are for geometry programs only.
            Some((_, kept)) if self.state.tessellation.is_none() => kept,
            _ => &[0, 1, 2][..assembly.vertices as usize],
        };
        let (ids, outlines) = (&assembly.ids[..], &assembly.outlines[..]);
        if kept.len() == assembly.vertices as usize {
            self.receive(0, records, (&assembly.indices, ids, outlines))?;
        } else {
            let primitives = assembly.indices.chunks_exact(assembly.vertices as usize);
            let vertices = primitives.flat_map(|primitive| kept.iter().map(|&vertex| primitive[vertex as usize]));
            self.receive(0, records, (&vertices.collect::<Vec<_>>(), ids, outlines))?;
        }
        self.received(assembly.ids.last());
        Ok(())
    }

    fn geometry(&mut self, shader: &Shader, records: &Records, assembly: &Assembly) -> Result<(), DrawError> {
        let header = shader.header.unwrap_or_default();
        let (threads, max_vertices) = (threads(shader), u32::from(header.max_output_vertex_count));
        let survivors = surviving(&header, None);
        let lane_words = u64::from(max_vertices) * (u64::from(Slots::of(&survivors).count()) + 2);
        let lanes = (GEOMETRY_WORDS / lane_words.max(1)).min(GEOMETRY_LANES.into()) as usize;
        let packing = Packing::new(threads, assembly.vertices);
        let step = (lanes / WARP as usize).max(1) * packing.primitives as usize;
        let mut start = 0;
        while start < assembly.len() {
            let end = assembly.len().min(start + step);
            let primitives = assembly.primitives(start..end)?;
            let count = (end - start) as u32;
            let invocations = packing.invocations(count)?;
            let outputs = Records::new(Slots::of(&survivors), invocations.count * max_vertices)?;
            let emissions = Emissions::new(invocations.count, max_vertices)?;
            self.launch(&StageLaunch {
                inputs: Some(records),
                primitives: Some(&primitives),
                outputs: Some(&outputs),
                emissions: Some(&emissions),
                ..StageLaunch::new(*shader, self.state.environment, &invocations, survivors)
            })?;
            self.counts.geometry_runs += u64::from(count) * u64::from(threads);
            // Each vertex of a strip is in up to three primitives.
            budget::require(3 * 4 * u64::from(invocations.count) * u64::from(max_vertices))?;
            for stream in (0..4).filter(|stream| header.stream_out_mask & self.state.streams >> stream & 1 != 0) {
                let lanes = (0..count).flat_map(|p| (0..threads).map(move |thread| (p, packing.invocation(p, thread))));
                let lanes = lanes.map(|(primitive, lane)| (lane, assembly.ids[start + primitive as usize]));
                self.emitted(stream, lanes, &emissions, (&outputs, max_vertices))?;
            }
            self.received(assembly.ids[..end].last());
            start = end;
        }
        Ok(())
    }

    /// Hands on what lanes, each with the number of its primitive, have emitted to a stream.
    fn emitted(
        &mut self,
        stream: u8,
        lanes: impl Iterator<Item = (u32, u32)>,
        emissions: &Emissions,
        (outputs, max_vertices): (&Records, u32),
    ) -> Result<(), DrawError> {
        let (mut strip, mut made, mut ids) = (Vec::new(), strips::Strips::default(), Vec::new());
        let size = self.shape.vertices() as usize;
        for (lane, id) in lanes {
            let (events, first) = (emissions.events(lane), lane * max_vertices);
            strips::assemble((self.shape, self.state.provoking), stream, events, first, &mut strip, &mut made);
            ids.resize(made.records.len() / size, id);
        }
        self.counts.geometry_primitives += ids.len() as u64;
        self.receive(stream, outputs, (&made.records, &ids, &made.outlines))
    }
}

/// The output records of a stage, with the words that survive its stores and `more`.
fn outputs(
    shader: &Shader,
    next: Option<Shader>,
    count: u32,
    more: &[u32],
) -> Result<(Records, AttributeMap), DrawError> {
    let next: Option<Header> = next.and_then(|shader| shader.header);
    let survivors = surviving(&shader.header.unwrap_or_default(), next.as_ref());
    let words: AttributeMap = survivors.iter().chain(more.iter().copied()).collect();
    Ok((Records::new(Slots::of(&words), count)?, survivors))
}

/// Addresses of the six levels in patch records.
fn level_addresses() -> impl Iterator<Item = u32> {
    (0..4).map(|n| OUTER_LEVELS + 4 * n).chain((0..2).map(|n| INNER_LEVELS + 4 * n))
}

fn write_levels(patches: &Records, patch: u32, levels: &Levels) {
    let view = patches.view();
    for (address, level) in level_addresses().zip(levels.outer.iter().chain(&levels.inner)) {
        view.set(patch, address, level.to_bits());
    }
}

fn read_levels(patches: &Records, patch: u32) -> Levels {
    let view = patches.view();
    let mut levels = Levels::default();
    let places = levels.outer.iter_mut().chain(&mut levels.inner);
    for (address, level) in level_addresses().zip(places) {
        *level = f32::from_bits(view.get(patch, address));
    }
    levels
}
