//! Batches of primitives on their way through the stages.

use super::assembled::{Assembled, Receiver};
use super::feed;
use super::primitive::{Primitive, Shape};
use super::tessellate::{Levels, Mesh, tessellate};
use super::{Draw, DrawError, strips, threads};
use crate::attributes::{
    Emissions, INNER_LEVELS, OUTER_LEVELS, Records, Slots, TESS_COORD_U, TESS_COORD_V, Words, surviving,
};
use crate::header::{AttributeMap, Header};
use crate::launch::{
    Column, Invocations, LaunchReport, MAX_HANDLES, NO_INVOCATION, Primitives, Shader, StageLaunch, StageRunner, WARP,
};
use ctm_lane::budget::{self, Meter};
use ctm_lane::run::RunOptions;
use ctm_memory::Buffer;
use std::ops::Range;

/// Vertices of a batch, about.
const BATCH_VERTICES: u32 = 1 << 16;
/// Patches of a batch: a patch record has 1 KiB.
const BATCH_PATCHES: u32 = 1 << 12;
/// Domain points that are evaluated together, about.
const BATCH_POINTS: usize = 1 << 16;
/// Output words of geometry lanes that run together, at most, if one primitive has no more.
const GEOMETRY_WORDS: u64 = 1 << 23;
/// Bytes that a batch takes for lists of its points and indices, at most: no error is made of an allocation that fails there.
const BATCH_BYTES: u64 = 1 << 24;
/// Geometry lanes that run together, at most.
const GEOMETRY_LANES: u32 = 1 << 16;

/// What all stages of a draw run with, also those of who receives its primitives.
pub struct Stages<'a> {
    executor: &'a dyn StageRunner,
    /// Limits of the draw.
    pub options: &'a RunOptions<'a>,
    /// The budget between launches.
    pub meter: Meter<'a>,
    report: LaunchReport,
}

impl Stages<'_> {
    /// Launches a stage, while so many bytes are kept for the draw.
    ///
    /// # Errors
    /// As those of [`StageRunner::run`].
    pub fn launch(&mut self, launch: &StageLaunch, kept: u64) -> Result<(), DrawError> {
        let records = [launch.inputs, launch.outputs, launch.patches].into_iter().flatten();
        let blocks = records.map(Records::buffer).chain(launch.emissions.map(Emissions::buffer));
        let bytes: u64 = blocks.map(|block| u64::from(block.length())).sum();
        let mut budget = self.options.budget;
        budget.allows_memory(kept + bytes)?;
        budget::require(BATCH_BYTES)?;
        // Every executor counts the same, so what is left does not depend on it.
        budget.instructions = budget.instructions.saturating_sub(self.report.stats.instructions);
        let options = RunOptions { progress: None, counts: None, budget, ..*self.options };
        let report: LaunchReport = self.executor.run(launch, &options)?;
        self.report.merge(&report);
        Ok(())
    }
}

/// Runs a draw that fits together and makes `shape`. Gives what all launches did.
pub(super) fn run(
    draw: &Draw,
    executor: &dyn StageRunner,
    options: &RunOptions,
    shape: Shape,
    receiver: &mut dyn Receiver,
) -> Result<LaunchReport, DrawError> {
    let count = draw.primitive.count(draw.vertices, draw.patch_vertices);
    let meter = Meter::new(options.budget, options.cancel);
    let stages = Stages { executor, options, meter, report: LaunchReport::default() };
    let mut batch = Batch { draw, stages, shape, count, instance: 0, receiver };
    let size = match draw.primitive {
        Primitive::Patches => BATCH_PATCHES,
        primitive => BATCH_VERTICES / primitive.vertices(draw.patch_vertices),
    };
    let instances = if count == 0 { 0 } else { draw.instances };
    for instance in 0..instances {
        batch.instance = instance;
        let mut start = 0;
        while start < count {
            let end = count.min(start.saturating_add(size));
            batch.run(start..end)?;
            start = end;
        }
    }
    Ok(batch.stages.report)
}

struct Batch<'a> {
    draw: &'a Draw<'a>,
    stages: Stages<'a>,
    /// What comes out.
    shape: Shape,
    /// Primitives of an instance.
    count: u32,
    /// The instance that is drawn.
    instance: u32,
    receiver: &'a mut dyn Receiver,
}

/// Primitives with the records of their vertices.
struct Assembly {
    /// Vertices of each.
    vertices: u32,
    /// The records, primitive by primitive.
    indices: Vec<u32>,
    /// The number of each primitive in the draw.
    ids: Vec<u32>,
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

impl Batch<'_> {
    fn run(&mut self, some: Range<u32>) -> Result<(), DrawError> {
        self.stages.meter.check()?;
        let draw = self.draw;
        let window = draw.primitive.window(some.clone(), draw.vertices, draw.patch_vertices);
        let inputs = feed::vertices(draw, self.instance, &window)?;
        let next = draw.tess_init.or(draw.tessellation).or(draw.geometry);
        let (outputs, survivors) = outputs(&draw.vertex, next, window.count(), &[])?;
        let invocations = Invocations { count: window.count(), columns: None };
        self.launch(&StageLaunch {
            inputs: Some(&inputs),
            outputs: Some(&outputs),
            ..StageLaunch::new(draw.vertex, &draw.environment, &invocations, survivors)
        })?;

        let vertices = draw.primitive.vertices(draw.patch_vertices);
        let mut indices = Vec::with_capacity((vertices * some.len() as u32) as usize);
        for k in some.clone() {
            draw.primitive.assemble(k, draw.vertices, draw.patch_vertices, &window, &mut indices);
        }
        let assembly = Assembly { vertices, indices, ids: some.collect() };
        match draw.tessellation {
            Some(shader) => self.tessellate(&shader, &outputs, assembly),
            None => self.assembled(&outputs, assembly),
        }
    }

    fn launch(&mut self, launch: &StageLaunch) -> Result<(), DrawError> {
        self.stages.launch(launch, self.receiver.bytes())
    }

    /// Hands primitives on.
    fn receive(&mut self, records: &Records, vertices: &[u32], ids: &[u32]) -> Result<(), DrawError> {
        let assembled = Assembled {
            shape: self.shape,
            stream: if self.draw.geometry.is_some() { self.draw.stream } else { 0 },
            records: records.view(),
            vertices,
            ids,
            provoking: self.shape.vertices() - 1,
            outlines: &[],
        };
        self.receiver.receive(&mut self.stages, &assembled)
    }

    /// Reports progress: what primitives up to this one became has been received.
    fn received(&self, last: Option<&u32>) {
        if let (Some(progress), Some(&last)) = (self.stages.options.progress, last) {
            let of = |instances: u32| u64::from(instances) * u64::from(self.count);
            progress(of(self.instance) + u64::from(last) + 1, of(self.draw.instances));
        }
    }

    /// Tessellation: initialisation, the tessellator, evaluation.
    fn tessellate(&mut self, shader: &Shader, vertices: &Records, patches: Assembly) -> Result<(), DrawError> {
        let draw = self.draw;
        let count = patches.len() as u32;
        let patch_records = Records::new(Slots::all(), count)?;
        let mut points = Points::default();
        match draw.tess_init {
            None => {
                for patch in 0..count {
                    write_levels(&patch_records, patch, &draw.levels);
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
                    ..StageLaunch::new(init, &draw.environment, &invocations, survivors)
                })?;
                let control_points = |patch| (0..threads).map(move |thread| packing.invocation(patch, thread));
                let indices = (0..count).flat_map(control_points).collect();
                let patches = Assembly { vertices: threads, indices, ids: patches.ids };
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
        match self.draw.domain_points {
            None => tessellate(&self.draw.tessellator, levels),
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
        // A program finds the coordinates of its point among its outputs.
        let coordinates = [TESS_COORD_U, TESS_COORD_V];
        let (outputs, survivors) = outputs(shader, self.draw.geometry, invocations.count, &coordinates)?;
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
            ..StageLaunch::new(*shader, &self.draw.environment, &invocations, survivors)
        })?;
        let vertices = self.mesh_shape().vertices();
        let assembly =
            Assembly { vertices, indices: std::mem::take(&mut points.indices), ids: std::mem::take(&mut points.ids) };
        *points = Points::default();
        self.assembled(&outputs, assembly)
    }

    /// What comes out of tessellation.
    fn mesh_shape(&self) -> Shape {
        if self.draw.domain_points.is_some() { Shape::Point } else { self.draw.tessellator.shape() }
    }

    /// Primitives that are ready for the geometry program, or for capture.
    fn assembled(&mut self, records: &Records, assembly: Assembly) -> Result<(), DrawError> {
        let draw = self.draw;
        if let Some(shader) = draw.geometry {
            return self.geometry(&shader, records, &assembly);
        }
        let kept = match draw.primitive.shape() {
            // Neighbours are for geometry programs only.
            Some((_, kept)) if draw.tessellation.is_none() => kept,
            _ => &[0, 1, 2][..assembly.vertices as usize],
        };
        let primitives = assembly.indices.chunks_exact(assembly.vertices as usize);
        let vertices = primitives.flat_map(|primitive| kept.iter().map(|&vertex| primitive[vertex as usize]));
        self.receive(records, &vertices.collect::<Vec<_>>(), &assembly.ids)?;
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
                ..StageLaunch::new(*shader, &self.draw.environment, &invocations, survivors)
            })?;
            // Each vertex of a strip is in up to three primitives.
            budget::require(3 * 4 * u64::from(invocations.count) * u64::from(max_vertices))?;
            let (mut strip, mut vertices, mut ids) = (Vec::new(), Vec::new(), Vec::new());
            let size = self.shape.vertices() as usize;
            let lanes = (0..count).flat_map(|p| (0..threads).map(move |thread| (p, packing.invocation(p, thread))));
            for (primitive, lane) in lanes {
                let (events, first) = (emissions.events(lane), lane * max_vertices);
                if header.stream_out_mask >> self.draw.stream & 1 != 0 {
                    strips::assemble(self.shape, self.draw.stream, events, first, &mut strip, &mut vertices);
                }
                ids.resize(vertices.len() / size, assembly.ids[start + primitive as usize]);
            }
            self.receive(&outputs, &vertices, &ids)?;
            self.received(assembly.ids[..end].last());
            start = end;
        }
        Ok(())
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

/// How the lanes of primitives fill warps: all lanes of a primitive in one warp, next to each other.
#[derive(Clone, Copy)]
struct Packing {
    /// Lanes of a primitive.
    threads: u32,
    /// Vertices of a primitive.
    vertices: u32,
    /// Primitives of a warp.
    primitives: u32,
}

impl Packing {
    fn new(threads: u32, vertices: u32) -> Self {
        Packing { threads, vertices, primitives: (WARP / threads).min(MAX_HANDLES / vertices) }
    }

    /// The invocation of a primitive's lane.
    fn invocation(&self, primitive: u32, thread: u32) -> u32 {
        primitive / self.primitives * WARP + primitive % self.primitives * self.threads + thread
    }

    fn invocations(&self, primitives: u32) -> Result<Invocations, DrawError> {
        let count = if primitives == 0 { 0 } else { self.invocation(primitives - 1, self.threads - 1) + 1 };
        invocations(count, |columns| {
            for primitive in 0..primitives {
                let first = primitive - primitive % self.primitives;
                let handles = self.primitives.min(primitives - first) * self.vertices;
                for thread in 0..self.threads {
                    let lane = self.invocation(primitive, thread);
                    columns.place(lane, primitive, first, handles);
                    columns.set(Column::Invocation, lane, thread);
                }
            }
        })
    }
}

/// Facts about invocations, in the making.
struct Columns<'a> {
    count: u32,
    buffer: Buffer<'a>,
}

/// `count` lanes, of which those are invocations that `place` gives a place.
fn invocations(count: u32, place: impl FnOnce(&Columns)) -> Result<Invocations, DrawError> {
    let words = Words::new(u64::from(count) * u64::from(Column::COUNT))?;
    let columns = Columns { count, buffer: words.buffer() };
    (0..count).for_each(|lane| columns.set(Column::Primitive, lane, NO_INVOCATION));
    place(&columns);
    Ok(Invocations { count, columns: Some(words) })
}

impl Columns<'_> {
    fn set(&self, column: Column, lane: u32, value: u32) {
        self.buffer.store(4 * (column as u32 * self.count + lane), value);
    }

    fn place(&self, lane: u32, primitive: u32, first: u32, handles: u32) {
        self.set(Column::Primitive, lane, primitive);
        self.set(Column::FirstPrimitive, lane, first);
        self.set(Column::Handles, lane, handles);
    }
}

/// Domain points that wait for evaluation.
#[derive(Default)]
struct Points {
    /// Patch and coordinates of every lane, with lanes left free where a warp cannot have more patches.
    coordinates: Vec<(Option<u32>, [f32; 2])>,
    /// Vertices of a patch.
    patch_vertices: u32,
    /// Lanes of the primitives' vertices.
    indices: Vec<u32>,
    /// Numbers of the primitives' patches.
    ids: Vec<u32>,
}

impl Points {
    fn add(&mut self, patch: u32, id: u32, mesh: &Mesh, patch_vertices: u32) {
        self.patch_vertices = patch_vertices;
        let mut lanes = Vec::with_capacity(mesh.points.len());
        for &point in &mesh.points {
            let lane = self.coordinates.len();
            let start = lane - lane % WARP as usize;
            if let Some(&(Some(first), _)) = self.coordinates.get(start)
                && (patch - first + 1) * patch_vertices > MAX_HANDLES
            {
                self.coordinates.resize(start + WARP as usize, (None, [0.0; 2]));
            }
            lanes.push(self.coordinates.len() as u32);
            self.coordinates.push((Some(patch), point));
        }
        self.indices.extend(mesh.indices.iter().map(|&point| lanes[point as usize]));
        let primitives = mesh.indices.len() / mesh.shape.vertices() as usize;
        self.ids.extend(std::iter::repeat_n(id, primitives));
    }

    fn invocations(&self) -> Result<Invocations, DrawError> {
        invocations(self.coordinates.len() as u32, |columns| {
            for (warp, lanes) in (0..).zip(self.coordinates.chunks(WARP as usize)) {
                let mut patches = lanes.iter().filter_map(|&(patch, _)| patch);
                let Some(first) = patches.next() else { continue };
                let last = patches.next_back().unwrap_or(first);
                let handles = (last - first + 1) * self.patch_vertices;
                for (lane, &(patch, uv)) in (warp * WARP..).zip(lanes) {
                    if let Some(patch) = patch {
                        columns.place(lane, patch, first, handles);
                        columns.set(Column::U, lane, uv[0].to_bits());
                        columns.set(Column::V, lane, uv[1].to_bits());
                    }
                }
            }
        })
    }
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
