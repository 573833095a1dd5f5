//! Vertices: the program that gives them, run for many of them together. It is the vertex program with its fetch program, or, after a geometry
//! program, the copy program.

use super::bindings::{ANYTHING, VERTEX, addresses, bindings, is_apart};
use super::context::{self, CompiledProgram, is_safe};
use super::draw_memory::{DrawMemory, DrawMemoryBuilder};
use super::history::listing;
use super::streamout::{Buffer, Records};
use super::{DrawContext, DrawError};
use crate::programs::StageProgram;
use crate::registers::{PaClVsOutCntl, SqVtxStartInstLoc};
use crate::state::State;
use ctm_card::history::{Listing, ProgramRun, Vector};
use ctm_lane::domain::Lanes;
use ctm_r700::{Bindings, ExportTarget, Input, Items, Job, PARAMETERS, POSITIONS, Region, Stage, VertexBuffer};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Clip distances that there are.
pub const DISTANCES: usize = 8;
/// Number of the buffer by which programs read the ring that the program before them has written, in dwords.
pub const RING: u8 = 17;
/// What records are filled with before programs write to them; if a dword has the first one afterwards, the second one tells whether it was
/// written.
const FILLS: [u32; 2] = [0x7FA5_C3D2, 0x7FA5_C3D3];

/// What the vertex program gives for a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// The position in clip space.
    pub position: [f32; 4],
    /// Width and height of a point, in pixels, if the program gives it.
    pub size: Option<f32>,
    /// Distances from clip planes.
    pub distances: [f32; DISTANCES],
    /// As the corner of a polygon whose outline is drawn: it, and the edge from it to the next corner, are drawn.
    pub edge: bool,
    /// The layer that its primitive is drawn to, if it provokes.
    pub layer: u32,
    /// The viewport that its primitive is in, if it provokes.
    pub viewport: u32,
    /// Its number among all vertices, by which its parameters are found.
    pub number: usize,
}

/// The parameters of vertices: for each of them, those of all vertices. Bits.
pub type Parameters = [Vec<[u32; 4]>];

impl Vertex {
    /// What a program gave, with its names; `parameters` are those of all vertices.
    pub fn vectors(&self, parameters: &Parameters) -> Vec<Vector> {
        let position = Vector::new("position", self.position.map(f32::to_bits));
        let size = self.size.map(|size| Vector::new("point size", [size.to_bits(), 0, 0, 0]));
        let parameters = parameters.iter().filter_map(|all| all.get(self.number)).enumerate();
        let parameters = parameters.map(|(n, &bits)| Vector::words(format!("PARAM{n}"), bits));
        std::iter::once(position).chain(size).chain(parameters).collect()
    }
}

/// The program that comes first, and the fetch program that it calls.
pub struct FirstPrograms {
    /// The vertex program, or before a geometry program the export program.
    main: Arc<StageProgram>,
    /// What it calls.
    fetch: Option<Arc<StageProgram>>,
}

impl FirstPrograms {
    /// Those of a stage.
    ///
    /// # Errors
    /// There is no program.
    pub fn of(state: &State, context: &DrawContext, stage: Stage, name: &'static str) -> Result<Self, DrawError> {
        let main = context.program(state, stage).ok_or(DrawError::NoProgram { stage: name })?;
        Ok(FirstPrograms { main, fetch: context.program(state, Stage::Fetch) })
    }

    /// What they name by number.
    ///
    /// # Errors
    /// Something of it cannot be read.
    pub fn bindings(
        &self,
        state: &State,
        context: &DrawContext,
        builder: &mut DrawMemoryBuilder,
    ) -> Result<Bindings, DrawError> {
        let programs: Vec<_> =
            [Some(&self.main), self.fetch.as_ref()].into_iter().flatten().map(|p| p.uses()).collect();
        bindings(VERTEX, state, (context.memory, &ANYTHING), &programs, builder)
    }

    /// A run for so many lanes, with nothing bound.
    pub fn job<'j>(&'j self, lanes: usize, draw_memory: &'j DrawMemory) -> Job<'j> {
        let job = Job::of(self.main.known(), Lanes::Line(lanes as u32), draw_memory.space());
        Job {
            fetch_program: self.fetch.as_ref().map(|fetch| &fetch.program),
            known_fetch: self.fetch.as_ref().map(|fetch| fetch.known()),
            ..job
        }
    }

    /// A number that other programs do not have, most likely.
    pub fn hash(&self) -> u64 {
        self.fetch.as_ref().map_or(0, |fetch| fetch.hash).rotate_left(1) ^ self.main.hash
    }

    /// Their texts.
    pub fn listing(&self, stage: &'static str) -> Arc<Listing> {
        listing(stage, &self.main.program, self.fetch.as_ref().map(|fetch| &fetch.program))
    }
}

/// The buffer by which a program reads a ring.
pub fn ring_buffer(region: Region) -> VertexBuffer {
    VertexBuffer { region, stride: 4, ..VertexBuffer::default() }
}

/// Vertices, and what their program wrote to each streamout buffer.
#[derive(Default)]
pub struct Transformed {
    /// The positions of vertices in clip space: bits.
    pub positions: Vec<[u32; 4]>,
    /// The vertices, if their program gives more than positions and parameters.
    pub others: Vec<Vertex>,
    /// Their parameters.
    pub parameters: Vec<Vec<[u32; 4]>>,
    /// Of each buffer, a record for each vertex.
    pub records: Vec<Records>,
    /// What the program got in R0 for each vertex, if a pixel is watched.
    pub inputs: Vec<[u32; 4]>,
}

impl Transformed {
    /// Forgets all.
    pub fn clear(&mut self) {
        let Transformed { positions, others, parameters, records, inputs } = self;
        positions.clear();
        others.clear();
        parameters.iter_mut().for_each(Vec::clear);
        records.clear();
        inputs.clear();
    }

    /// The vertex with this number.
    #[inline]
    pub fn vertex(&self, number: usize) -> Option<Vertex> {
        if let Some(vertex) = self.others.get(number) {
            return Some(*vertex);
        }
        let position = self.positions.get(number)?.map(f32::from_bits);
        Some(Vertex { position, edge: true, number, ..Vertex::default() })
    }
}

/// The program that gives vertices, with memory for so many of them together.
pub struct VertexStage {
    programs: FirstPrograms,
    bindings: Bindings,
    /// All that these name is where it is in the card's memory.
    is_in_place: bool,
    /// What ran last.
    compiled: RefCell<Option<CompiledProgram>>,
    start_instance: u32,
    /// Vertices that it runs for together.
    capacity: usize,
    input: Region,
    positions: [Option<Region>; POSITIONS],
    parameters: Vec<Region>,
    streams: Vec<Stream>,
    exports: Exports,
    /// The texts of its programs, if a pixel is watched.
    listing: Option<Arc<Listing>>,
}

/// What goes to a streamout buffer.
struct Stream {
    number: usize,
    stride: u32,
    region: Region,
    /// Which dwords of a record instructions of the program write.
    written: Vec<bool>,
}

impl VertexStage {
    /// That of the state, in memory that `builder` lays out. After a geometry program, it reads what that has left in `ring`.
    ///
    /// # Errors
    /// There is no program, no memory, or something that cannot be read.
    pub fn new(
        state: &State,
        context: &DrawContext,
        ring: Option<Region>,
        streams: &[Buffer],
        capacity: usize,
        builder: &mut DrawMemoryBuilder,
    ) -> Result<Self, DrawError> {
        let mut programs = FirstPrograms::of(state, context, Stage::Vertex, "vertex")?;
        if ring.is_some() {
            programs.fetch = None;
        }
        let uses = programs.main.uses();
        let before = builder.laid_out();
        let mut bindings = programs.bindings(state, context, builder)?;
        let is_in_place = builder.laid_out() == before;
        if let Some(region) = ring {
            bindings.buffers.insert(RING, ring_buffer(region));
        }
        let bytes = 16 * capacity as u64;
        let mut positions = [None; POSITIONS];
        let mut parameters = 0;
        for target in &uses.exports {
            match *target {
                ExportTarget::Position(number) => positions[number] = Some(builder.reserve(bytes)?),
                ExportTarget::Parameter(number) => parameters = parameters.max(number + 1).min(PARAMETERS),
                ExportTarget::Colour(_) | ExportTarget::Depth => {}
            }
        }
        let stream = |buffer: &Buffer, builder: &mut DrawMemoryBuilder| {
            let region = builder.reserve(4 * capacity as u64 * u64::from(buffer.stride))?;
            let named = &uses.streams[buffer.number];
            let written = (0..buffer.stride).map(|dword| named.contains(&dword)).collect();
            Ok(Stream { number: buffer.number, stride: buffer.stride, region, written })
        };
        let stage = if ring.is_some() { "copy" } else { "vertex" };
        Ok(VertexStage {
            listing: context.probe.map(|_| programs.listing(stage)),
            bindings,
            is_in_place,
            compiled: RefCell::default(),
            start_instance: state.registers.get::<SqVtxStartInstLoc>().value,
            capacity,
            input: builder.reserve(bytes)?,
            positions,
            parameters: (0..parameters).map(|_| builder.reserve(bytes)).collect::<Result<_, _>>()?,
            streams: streams.iter().map(|buffer| stream(buffer, builder)).collect::<Result<_, DrawError>>()?,
            exports: Exports::of(&state.registers.get()),
            programs,
        })
    }

    /// Binds what the state's buffers are; false if that is not where it is in the card's memory.
    ///
    /// # Errors
    /// Something of it cannot be read.
    pub fn bind(&mut self, state: &State, context: &DrawContext) -> Result<bool, DrawError> {
        let mut builder = DrawMemoryBuilder::new(context.cache, context.memory);
        let before = builder.laid_out();
        self.bindings = self.programs.bindings(state, context, &mut builder)?;
        self.is_in_place = builder.laid_out() == before;
        Ok(self.is_in_place)
    }

    /// Whether its programs do not stop, and read buffers alone, of which none is at these addresses.
    pub fn is_fixed(&self, context: &DrawContext, written: &[Range<u64>]) -> bool {
        let Bindings { kcache, textures, buffers, .. } = &self.bindings;
        let mut read = kcache.iter().flatten().chain(buffers.values().map(|buffer| &buffer.region));
        self.is_in_place
            && textures.is_empty()
            && context.cache.is_safe(self.programs.hash())
            && read.all(|region| is_apart(&addresses(region), written))
    }

    /// Runs the program for vertices with these values of R0, and adds what it gives.
    ///
    /// # Errors
    /// A program stops.
    pub fn run(
        &self,
        context: &DrawContext,
        draw_memory: &DrawMemory,
        inputs: &[[u32; 4]],
        transformed: &mut Transformed,
    ) -> Result<(), DrawError> {
        transformed.records.resize_with(self.streams.len(), Records::default);
        inputs
            .chunks(self.capacity.max(1))
            .try_for_each(|inputs| self.run_together(context, draw_memory, inputs, transformed))
    }

    fn run_together(
        &self,
        context: &DrawContext,
        draw_memory: &DrawMemory,
        inputs: &[[u32; 4]],
        transformed: &mut Transformed,
    ) -> Result<(), DrawError> {
        let count = inputs.len();
        let job = self.job(draw_memory, inputs);
        self.run_streams(&job, context, draw_memory, count, &mut transformed.records)?;
        self.add_vertices(draw_memory, count, transformed);
        if context.probe.is_some() {
            transformed.inputs.extend_from_slice(inputs);
        }
        Ok(())
    }

    /// Runs the program on the reference for a vertex with this value of R0, and gives what it goes through.
    pub fn follow(
        &self,
        context: &DrawContext,
        draw_memory: &DrawMemory,
        input: [u32; 4],
        name: String,
    ) -> Option<ProgramRun> {
        let (probe, listing) = context.probe.zip(self.listing.as_ref())?;
        probe.run(&self.job(draw_memory, &[input]), &context.options, 0, listing, name).0
    }

    /// The program for vertices with these values of R0.
    fn job<'j>(&'j self, draw_memory: &'j DrawMemory, inputs: &[[u32; 4]]) -> Job<'j> {
        let count = inputs.len();
        draw_memory.set(self.input, 0, inputs);
        let exported = || self.positions.iter().flatten().chain(&self.parameters);
        // What is not exported is 0.
        exported().for_each(|region| draw_memory.fill_part(*region, 0, 4 * count, 0));
        let mut job = self.programs.job(count, draw_memory);
        job.inputs.insert(0, Input::Buffer(self.input));
        job.start_instance = self.start_instance;
        job.bindings = self.bindings.clone();
        job.targets.positions = self.positions;
        for (target, region) in job.targets.parameters.iter_mut().zip(&self.parameters) {
            *target = Some(*region);
        }
        for stream in &self.streams {
            job.memories.streams[stream.number] = Some(Items { region: stream.region, item_dwords: stream.stride });
        }
        job
    }

    /// Runs the program, and adds what it wrote to streams. Which dwords it wrote its instructions say, but for those that were not executed:
    /// these leave what was there before.
    fn run_streams(
        &self,
        job: &Job,
        context: &DrawContext,
        draw_memory: &DrawMemory,
        count: usize,
        records: &mut [Records],
    ) -> Result<(), DrawError> {
        let contents = |fill: u32| -> Result<Vec<Vec<u32>>, DrawError> {
            let dwords = |stream: &Stream| count * stream.stride as usize;
            self.streams.iter().for_each(|stream| draw_memory.fill_part(stream.region, 0, dwords(stream), fill));
            self.run_program(job, context)?;
            let words = |stream: &Stream| draw_memory.words(stream.region, dwords(stream));
            Ok(self.streams.iter().map(words).collect())
        };
        let first = contents(FILLS[0])?;
        let is_named = |stream: &Stream, n: usize| stream.written[n % stream.written.len()];
        let is_filled = |(stream, words): (&Stream, &Vec<u32>)| {
            words.iter().enumerate().any(|(n, &word)| word == FILLS[0] && is_named(stream, n))
        };
        let second = match self.streams.iter().zip(&first).any(is_filled) {
            true => Some(contents(FILLS[1])?),
            false => None,
        };
        for (number, (stream, words)) in self.streams.iter().zip(first).enumerate() {
            let is_left = |n: usize| {
                let second = second.as_ref().and_then(|second| second.get(number)?.get(n));
                words[n] == FILLS[0] && second.is_some_and(|&word| word == FILLS[1])
            };
            let written: Vec<bool> = (0..words.len()).map(|n| is_named(stream, n) && !is_left(n)).collect();
            records[number].add(stream.stride, &words, &written);
        }
        Ok(())
    }

    fn run_program(&self, job: &Job, context: &DrawContext) -> Result<(), DrawError> {
        let hash = self.programs.hash();
        let Some(executor) = context.executor_of(hash, context::lanes(job)) else { return context.run_reference(job) };
        let mut compiled = self.compiled.borrow_mut();
        if let Some(done) = compiled.as_ref().and_then(|compiled| compiled.run_fitting(job, &context.options)) {
            return Ok(done.map(drop)?);
        }
        let made = compiled.insert(executor.compile(job)?);
        if is_safe(made, &context.options) {
            context.cache.note_safe(hash);
        }
        made.run(job, &context.options)?;
        Ok(())
    }

    /// Adds what the program exported for so many vertices.
    fn add_vertices(&self, draw_memory: &DrawMemory, count: usize, transformed: &mut Transformed) {
        let Transformed { positions, others, parameters, .. } = transformed;
        parameters.resize_with(self.parameters.len(), Vec::new);
        for (all, region) in parameters.iter_mut().zip(&self.parameters) {
            draw_memory.add_vectors(*region, count, all);
        }
        let before = positions.len();
        match self.positions[0] {
            Some(region) => draw_memory.add_vectors(region, count, positions),
            None => positions.resize(before + count, [0; 4]),
        }
        if self.exports.is_position_alone() {
            return;
        }
        let exported = self.positions.map(|region| {
            let mut vectors = Vec::new();
            region.into_iter().for_each(|region| draw_memory.add_vectors(region, count, &mut vectors));
            vectors
        });
        others.extend((0..count).map(|number| {
            let vector = |place: usize| exported.get(place).and_then(|vectors| vectors.get(number)).copied();
            let vertex = self.vertex(|place| vector(place).unwrap_or_default().map(f32::from_bits));
            Vertex { number: before + number, ..vertex }
        }));
    }

    /// The vertex of these position exports, without parameters.
    fn vertex(&self, position: impl Fn(usize) -> [f32; 4]) -> Vertex {
        let exports = &self.exports;
        let mut distances = [0.0; DISTANCES];
        for (distances, place) in distances.as_chunks_mut::<4>().0.iter_mut().zip(exports.distances) {
            *distances = place.map_or([0.0; 4], &position);
        }
        Vertex {
            position: position(0),
            size: exports.misc(exports.size).map(|place| position(place)[0]),
            edge: exports.misc(exports.edge).is_none_or(|place| position(place)[1].to_bits() != 0),
            layer: exports.misc(exports.layer).map_or(0, |place| position(place)[2].to_bits()),
            viewport: exports.misc(exports.viewport).map_or(0, |place| position(place)[3].to_bits()),
            distances,
            number: 0,
        }
    }
}

/// Which position exports hold what is not the position.
struct Exports {
    /// Sizes, flags, layers and viewports, and which of these are used.
    misc: Option<usize>,
    size: bool,
    edge: bool,
    layer: bool,
    viewport: bool,
    distances: [Option<usize>; 2],
}

impl Exports {
    /// The vectors that there are follow each other.
    fn of(control: &PaClVsOutCntl) -> Self {
        let mut next = 1;
        let mut take = |there: bool| {
            let place = there.then_some(next);
            next += usize::from(there);
            place
        };
        let misc = take(control.vs_out_misc_vec_ena);
        let distances = [take(control.vs_out_ccdist0_vec_ena), take(control.vs_out_ccdist1_vec_ena)];
        Exports {
            misc,
            size: control.use_vtx_point_size,
            edge: control.use_vtx_edge_flag,
            layer: control.use_vtx_render_target_indx,
            viewport: control.use_vtx_viewport_indx,
            distances,
        }
    }

    /// Whether there is nothing but the position.
    fn is_position_alone(&self) -> bool {
        let Exports { misc, distances, .. } = self;
        misc.is_none() && *distances == [None; 2]
    }

    /// The place of the vector with a part that is used.
    fn misc(&self, used: bool) -> Option<usize> {
        self.misc.filter(|_| used)
    }
}
