//! The vertices of a draw: each is fetched and transformed when a primitive wants it, and kept for those that follow.

use super::corner::{Corner, CornerPlace, Projection};
use super::fetch::{Fetch, VertexNumbers};
use super::known::KnownProgram;
use super::program::{VertexProgram, vertex_constants};
use super::programs::Programs;
use super::vertex::{Vertex, VertexFormat, VertexPart};
use super::{DrawContext, DrawError};
use crate::registers::codes::PrimitiveType;
use crate::state::State;
use crate::stream::Draw;
use ctm_card::history::{Vector, VertexHistory};
use ctm_engine::{Compiled, Engine, GuestJob};
use ctm_memory::{Access, Arena, Buffer, Space, Words};
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::{Constants, run};
use ctm_pvs::{Job, OUTPUTS};
use ctm_raster::simd::{self, Simd, SimdTask, dispatch};
use ctm_x1k::RunOptions;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

const ONE: u32 = 0x3F80_0000;

/// Vertices that are kept at most: a power of two.
const KEPT: usize = 1 << 14;
/// Vertices after which all are forgotten when another primitive begins: there may be any number in a draw.
const FORGOTTEN: usize = 2 * KEPT;
/// Vertices after which all are forgotten when another primitive begins with one that is not among them: so few stay in the caches next to a
/// thread.
const SOON_FORGOTTEN: usize = 2 * VERTEX_BATCH;
/// Instructions that a vertex may take.
const STEP_LIMIT: u64 = 1 << 20;

/// Where the vectors of a vertex stand that no program makes: position, point size, colours, texture coordinates.
const BYPASS_VECTORS: usize = 14;

/// Vertices of a program, in all of its draws, from which on a kernel of it is worth it.
const MANY: u64 = 256;
/// Vertices from which on they are transformed together.
const LEAST: usize = 4;
/// Vertices that are transformed together at most.
const VERTEX_BATCH: usize = 1024;
/// Places of a draw that are looked through for them.
const LOOK_AHEAD: usize = 4 * VERTEX_BATCH;
/// Bytes of all vectors of a vertex that a program reads, or of those that it writes, at most.
const VERTEX_BYTES: usize = 4 * VECTOR * 32;
/// Words of a vector.
const VECTOR: usize = 4;

/// Memory for vertices on their way through kernels: what they bring, then what they get.
pub struct VertexMemory {
    space: Space,
    base: u32,
}

impl VertexMemory {
    const HALF: u32 = (VERTEX_BATCH * VERTEX_BYTES) as u32;

    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        let mut space = Space::default();
        let base = space.append(u64::from(2 * Self::HALF)).ok()?;
        Some(VertexMemory { space, base })
    }

    fn buffer(&self, half: u32) -> Option<Buffer<'_>> {
        Buffer::new(&self.space, self.base + half * Self::HALF, Self::HALF).ok()
    }
}

/// The words of a buffer.
fn words_of<'m>(space: &'m Space, buffer: Buffer) -> Option<Words<'m>> {
    let memory = space.arena_of(buffer.base(), buffer.length())?;
    memory.shared_words(buffer.base(), buffer.length() as usize / 4)
}

/// Whether a program has made so many vertices with these that a kernel of it is worth it.
fn is_worth_it(context: &DrawContext, program: &KnownProgram<VertexProgram>, vertices: usize) -> bool {
    let Some(cache) = context.cache else { return false };
    let all = cache.transformed.borrow_mut().add(program.hash, vertices as u64);
    vertices >= LEAST && all >= MANY
}

/// Whether primitives name one vertex after the other, each of them once.
fn is_list(kind: PrimitiveType) -> bool {
    match kind {
        PrimitiveType::Points
        | PrimitiveType::Lines
        | PrimitiveType::Triangles
        | PrimitiveType::TrianglesWithFlags
        | PrimitiveType::Quads => true,
        PrimitiveType::LineStrip
        | PrimitiveType::LineLoop
        | PrimitiveType::TriangleStrip
        | PrimitiveType::TriangleFan
        | PrimitiveType::QuadStrip
        | PrimitiveType::Polygon
        | PrimitiveType::None
        | PrimitiveType::Reserved8
        | PrimitiveType::Reserved9
        | PrimitiveType::Reserved10
        | PrimitiveType::Reserved11 => false,
    }
}

/// Transforms many vertices together.
struct VertexKernel<'a> {
    engine: &'a Engine,
    inputs: Buffer<'a>,
    outputs: Buffer<'a>,
    space: &'a Space,
    options: RunOptions<'static>,
    /// What ran last.
    compiled: &'a RefCell<Option<KnownVertexKernel>>,
}

/// A compiled program, and the number that it is known by.
pub type KnownVertexKernel = (u64, Compiled<<Job<'static> as GuestJob>::Key, <Job<'static> as GuestJob>::Kernels>);

impl<'a> VertexKernel<'a> {
    fn of(context: &DrawContext<'a>) -> Option<Self> {
        let (engine, cache) = context.engine.zip(context.cache)?;
        let memory = &cache.vertices;
        let (inputs, outputs) = (memory.buffer(0)?, memory.buffer(1)?);
        let options = RunOptions { step_limit: STEP_LIMIT, ..context.options() };
        Some(VertexKernel { engine, inputs, outputs, space: &memory.space, options, compiled: &cache.vertex_kernel })
    }

    /// Transforms vertices, at most [`VERTEX_BATCH`]; false if the program does not come to its end for one of them.
    fn run(&self, known: &KnownProgram<VertexProgram>, constants: Constants, vertices: &[u32], fetch: &Fetch) -> bool {
        let VertexProgram { program, layout } = &known.program;
        let Some(words) = words_of(self.space, self.inputs) else { return false };
        fetch.write(vertices, &layout.inputs, words);
        let job = Job {
            program,
            constants,
            layout,
            vertices: vertices.len() as u32,
            inputs: self.inputs,
            outputs: self.outputs,
            memory: self.space,
        };
        let Ok(mut compiled) = self.compiled.try_borrow_mut() else { return false };
        let last = compiled.as_ref().filter(|(hash, _)| *hash == known.hash);
        if let Some(done) = last.and_then(|(_, last)| last.run_fitting(&job, &self.options)) {
            return done.is_ok();
        }
        let Ok(made) = self.engine.compile(&job) else { return false };
        compiled.insert((known.hash, made)).1.run(&job, &self.options).is_ok()
    }
}

/// What becomes of vertices that were transformed: a task that is faster on hosts with wide vectors.
struct Placing<'p, 'a> {
    together: &'p VertexKernel<'a>,
    layout: &'p Layout,
    parts: &'p [VertexPart],
    projection: &'p Projection,
    /// What they are put to: vectors of each part for a vertex, and where it is.
    vectors: &'p mut [[u32; 4]],
    places: &'p mut [CornerPlace],
}

impl SimdTask for Placing<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Placing { together: VertexKernel { outputs, space, .. }, layout, parts, projection, vectors, places } =
            self;
        let access = simd.access();
        let Some(words) = words_of(space, *outputs) else { return };
        let mut given = [None; OUTPUTS];
        (0..).zip(&layout.outputs).for_each(|(place, &number)| given[usize::from(number)] = Some(VECTOR * place));
        let step = VECTOR * layout.outputs.len();
        for (part, given) in given.iter().enumerate().take(parts.len()) {
            let places = vectors[part..].iter_mut().step_by(parts.len());
            let Some(first) = given else {
                places.for_each(|vector| *vector = [0, 0, 0, ONE]);
                continue;
            };
            for (vector, first) in places.zip((*first..).step_by(step)) {
                if let Some(words) = words.four(first) {
                    *vector = access.get(words);
                }
            }
        }
        let position = parts.iter().position(|part| *part == VertexPart::Position);
        for (number, places) in places.chunks_mut(simd::LANES).enumerate() {
            let mut positions = [[0; 4]; simd::LANES];
            if let Some(position) = position {
                let first = number * simd::LANES * parts.len() + position;
                let all = vectors[first..].iter().step_by(parts.len());
                positions.iter_mut().zip(all).for_each(|(position, vector)| *position = *vector);
            }
            projection.place_together(simd, &positions, places);
        }
    }
}

/// Memory of vertices between draws with the same vectors.
#[derive(Default)]
pub struct SpareVertices {
    vectors: Vec<[u32; 4]>,
    places: Vec<CornerPlace>,
    kept: Vec<Option<(u32, u32)>>,
    wanted: Vec<u32>,
}

/// The vertices of a draw.
pub struct Vertices<'a> {
    numbers: VertexNumbers,
    fetch: Fetch<'a>,
    format: VertexFormat,
    /// Its vectors.
    parts: Vec<VertexPart>,
    program: Option<(Arc<KnownProgram<VertexProgram>>, Constants<'a>)>,
    together: Option<VertexKernel<'a>>,
    projection: &'a Projection,
    /// Those that were transformed, in that order: a vector for each part, and where they are. Others after them, which are forgotten, are kept for
    /// their memory.
    vectors: Vec<[u32; 4]>,
    places: Vec<CornerPlace>,
    /// Those of the triangle that is drawn.
    chosen: Box<[Corner; 4]>,
    /// How many were transformed.
    made: usize,
    /// The number of the first of them, if each has a number that is one more than that of the one before: only such come.
    first: Option<u32>,
    /// Otherwise, by number modulo its length: the number, and where the vertex is among these, or will be.
    kept: Vec<Option<(u32, u32)>>,
    /// Numbers of vertices that are to be transformed together.
    wanted: Vec<u32>,
    /// A primitive has begun that has no vertex yet.
    begins: bool,
}

impl<'a> Vertices<'a> {
    /// Of a draw with its programs, in memory that is there.
    ///
    /// # Errors
    /// If an element has a type that there is not.
    pub fn new(
        state: &'a State,
        memory: &'a Arena,
        context: &DrawContext<'a>,
        (draw, programs): (&Draw<'a>, &Programs),
        projection: &'a Projection,
        spare: SpareVertices,
    ) -> Result<Self, DrawError> {
        let numbers = VertexNumbers::of(state, memory, draw);
        let distinct = numbers.greatest().map_or(numbers.count, |greatest| greatest as usize + 1);
        let program = programs.vertices.clone().map(|program| (program, vertex_constants(state)));
        let together = program.as_ref().filter(|(program, _)| is_worth_it(context, program, numbers.count));
        let together = together.and_then(|_| VertexKernel::of(context));
        let follow_each_other = together.is_some() && numbers.are_counted() && is_list(draw.control.primitive);
        let kept = if follow_each_other { 1 } else { distinct.min(2 * numbers.count).clamp(1, KEPT) };
        let format = VertexFormat::of(&state.registers);
        let SpareVertices { vectors, places, kept: mut all_kept, wanted } = spare;
        all_kept.clear();
        all_kept.resize(kept.next_power_of_two(), None);
        Ok(Vertices {
            together,
            vectors,
            places,
            chosen: Box::new([Corner::NONE; 4]),
            made: 0,
            first: follow_each_other.then_some(0),
            kept: all_kept,
            numbers,
            fetch: Fetch::new(state, memory, draw)?,
            parts: format.parts().collect(),
            format,
            program,
            projection,
            wanted,
            begins: false,
        })
    }

    /// Gives the memory for vertices of other draws.
    pub fn into_spare(self) -> SpareVertices {
        let Vertices { vectors, places, kept, wanted, .. } = self;
        SpareVertices { vectors, places, kept, wanted }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.numbers.count
    }

    /// Begins another primitive: vertices may have other numbers from now on.
    pub fn begin_primitive(&mut self) {
        self.begins = true;
        if self.made >= FORGOTTEN {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.made = 0;
        match &mut self.first {
            Some(_) => {}
            None => self.kept.fill(None),
        }
    }

    /// The number of the vertex at a place of the draw, by which it is [`corner`](Self::corner) until another primitive begins.
    ///
    /// # Errors
    /// If its program does not come to its end.
    #[inline]
    pub fn get(&mut self, place: usize) -> Result<usize, DrawError> {
        match self.known(self.numbers.get(place)) {
            Some(corner) => {
                self.begins = false;
                Ok(corner)
            }
            None => self.make(place),
        }
    }

    /// Transforms the vertex at a place, and maybe others that follow.
    fn make(&mut self, place: usize) -> Result<usize, DrawError> {
        if std::mem::take(&mut self.begins) && self.made >= SOON_FORGOTTEN {
            self.forget();
        }
        if let Some(corner) = self.transform_from(place) {
            return Ok(corner);
        }
        let number = self.numbers.get(place);
        let vertex = self.transform(number)?;
        self.keep(number);
        self.reserve(1);
        let (place, each) = (self.made, self.parts.len());
        for (vector, &part) in self.vectors[place * each..].iter_mut().zip(&self.parts) {
            *vector = vertex.get(part);
        }
        self.places[place] = self.projection.place(vertex.position);
        self.made += 1;
        Ok(place)
    }

    /// Keeps the number of the vertex that is made next.
    fn keep(&mut self, number: u32) {
        let slot = self.slot(number);
        match &mut self.first {
            Some(first) if self.made == 0 => *first = number,
            Some(_) => {}
            None => self.kept[slot] = Some((number, self.made as u32)),
        }
    }

    /// Makes memory for so many vertices after those that were made.
    fn reserve(&mut self, count: usize) {
        let end = self.made + count;
        if self.places.len() < end {
            self.places.resize(end, CornerPlace::NONE);
            self.vectors.resize(end * self.parts.len(), [0; 4]);
        }
    }

    /// A vertex.
    pub fn corner(&self, number: usize) -> Corner {
        let mut corner = Corner::NONE;
        put(&self.parts, &self.vectors, &self.places, number, &mut corner);
        corner
    }

    /// The corners of a triangle, and the vertex whose colours it has where they are flat.
    pub fn triangle(&mut self, numbers: [usize; 3], provoking: usize) -> ([&Corner; 3], &Vertex) {
        let Vertices { parts, vectors, places, chosen, .. } = self;
        for (corner, number) in chosen.iter_mut().zip(numbers) {
            put(parts, vectors, places, number, corner);
        }
        let place = numbers.iter().position(|&number| number == provoking).unwrap_or(3);
        if place == 3 {
            put(parts, vectors, places, provoking, &mut chosen[3]);
        }
        let [a, b, c, _] = &**chosen;
        ([a, b, c], &chosen[place].vertex)
    }

    /// Where vertices are.
    #[inline(always)]
    pub fn places(&self, [a, b, c]: [usize; 3]) -> [&CornerPlace; 3] {
        [&self.places[a], &self.places[b], &self.places[c]]
    }

    /// Where a vertex is kept.
    fn slot(&self, number: u32) -> usize {
        number as usize & (self.kept.len() - 1)
    }

    /// A vertex that is kept.
    #[inline]
    fn known(&self, number: u32) -> Option<usize> {
        if let Some(first) = self.first {
            return Some(number.wrapping_sub(first) as usize).filter(|&place| place < self.made);
        }
        self.kept[self.slot(number)].filter(|&(kept, _)| kept == number).map(|(_, corner)| corner as usize)
    }

    /// The vertex at a place of the draw, with what its program gets.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn history(&mut self, place: usize) -> Result<VertexHistory, DrawError> {
        let corner = self.get(place)?;
        let vertex = self.corner(corner).vertex;
        let number = self.numbers.get(place);
        let inputs = self.fetch.inputs(number);
        let read = self.program.as_ref().map(|(known, _)| known.program.layout.inputs.clone()).unwrap_or_default();
        let input = |input: u8| Vector::new(format!("in[{input}]"), inputs[usize::from(input)]);
        let inputs = read.into_iter().map(input).collect();
        Ok(VertexHistory { place, number, inputs, run: None, outputs: self.format.vectors(&vertex) })
    }

    /// Transforms the vertex at a place together with those that follow, and gives it; `None` if these are few, or if a program does not
    /// come to its end: then primitives before that are drawn.
    fn transform_from(&mut self, place: usize) -> Option<usize> {
        let is_possible = self.together.is_some() && self.program.is_some();
        let count = if is_possible { self.numbers.count.saturating_sub(place).min(LOOK_AHEAD) } else { return None };
        let before = self.made;
        self.wanted.clear();
        match self.first {
            Some(_) => {
                self.wanted.extend((place..place + count.min(VERTEX_BATCH)).map(|place| place as u32));
                self.keep(place as u32);
            }
            None => self.want(place..place + count),
        }
        if self.wanted.len() < LEAST || !self.transform_wanted() {
            for n in 0..self.wanted.len() {
                let slot = self.slot(self.wanted[n]);
                self.kept[slot] = None;
            }
            return None;
        }
        Some(before)
    }

    /// Wants the vertices at these places that are not kept, as many as are transformed together.
    fn want(&mut self, places: Range<usize>) {
        let before = self.made;
        for place in places {
            let number = self.numbers.get(place);
            let slot = self.slot(number);
            match self.kept[slot] {
                Some((kept, _)) if kept == number => continue,
                // Only one of both can be kept.
                Some((_, corner)) if corner as usize >= before => break,
                _ => {}
            }
            self.kept[slot] = Some((number, (before + self.wanted.len()) as u32));
            self.wanted.push(number);
            if self.wanted.len() == VERTEX_BATCH {
                break;
            }
        }
    }

    /// Transforms the vertices that are wanted; false, and never again, if a program does not come to its end.
    fn transform_wanted(&mut self) -> bool {
        let count = self.wanted.len();
        self.reserve(count);
        let Vertices { together, program, wanted, fetch, parts, projection, vectors, places, made, .. } = self;
        let Some((all, (program, constants))) = together.as_ref().zip(program.as_ref()) else { return false };
        if !all.run(program, *constants, wanted, fetch) {
            *together = None;
            return false;
        }
        let vectors = &mut vectors[*made * parts.len()..(*made + count) * parts.len()];
        let places = &mut places[*made..*made + count];
        dispatch(Placing { together: all, layout: &program.program.layout, parts, projection, vectors, places });
        *made += count;
        true
    }

    fn transform(&self, number: u32) -> Result<Vertex, DrawError> {
        let inputs = self.fetch.inputs(number);
        let Some((program, constants)) = &self.program else {
            // The inputs are the vertex's vectors, each at its own place.
            let present = |number: usize| match number {
                0 => self.format.position,
                1 => self.format.point_size,
                2..6 => self.format.colours[number - 2],
                _ => self.format.textures[number - 6] != 0,
            };
            let vectors = (0..BYPASS_VECTORS).filter(|&number| present(number)).map(|number| inputs[number]);
            return Ok(self.format.vertex(vectors));
        };
        let outputs: [[u32; 4]; OUTPUTS] = run(&program.program.program, *constants, &inputs, STEP_LIMIT)?.outputs;
        Ok(self.format.vertex(outputs.into_iter()))
    }
}

/// Puts a vertex in place of another one of a draw, or of none: all have the same vectors.
#[inline]
fn put(parts: &[VertexPart], vectors: &[[u32; 4]], places: &[CornerPlace], number: usize, corner: &mut Corner) {
    for (&part, &vector) in parts.iter().zip(&vectors[number * parts.len()..]) {
        corner.vertex.set(part, vector);
    }
    (corner.is_inside, corner.window) = (places[number].is_inside, places[number].window);
}

#[cfg(test)]
mod tests;
