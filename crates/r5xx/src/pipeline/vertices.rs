//! The vertices of a draw: each is fetched and transformed when a primitive wants it, and kept for those that follow.

use super::corner::{Corner, Projection};
use super::fetch::{Fetch, VertexNumbers};
use super::known::KnownProgram;
use super::program::{VertexProgram, vertex_constants};
use super::programs::Programs;
use super::vertex::{Vertex, VertexFormat};
use super::{DrawContext, DrawError};
use crate::state::State;
use crate::stream::Draw;
use ctm_card::history::{Vector, VertexHistory};
use ctm_engine::Engine;
use ctm_memory::{Access, Arena, Buffer, Space, Words};
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::{Constants, run};
use ctm_pvs::{Job, OUTPUTS};
use ctm_raster::simd::{self, Simd, SimdTask, dispatch};
use ctm_x1k::RunOptions;
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

/// Transforms many vertices together.
struct VertexKernel<'a> {
    engine: &'a Engine,
    inputs: Buffer<'a>,
    outputs: Buffer<'a>,
    space: &'a Space,
    options: RunOptions<'static>,
}

impl<'a> VertexKernel<'a> {
    fn of(context: &DrawContext<'a>) -> Option<Self> {
        let (engine, cache) = context.engine.zip(context.cache)?;
        let memory = &cache.vertices;
        let (inputs, outputs) = (memory.buffer(0)?, memory.buffer(1)?);
        let options = RunOptions { step_limit: STEP_LIMIT, ..context.options() };
        Some(VertexKernel { engine, inputs, outputs, space: &memory.space, options })
    }

    /// Transforms vertices, at most [`VERTEX_BATCH`]; false if the program does not come to its end for one of them.
    fn run(&self, program: &VertexProgram, constants: Constants, vertices: &[u32], fetch: &Fetch) -> bool {
        let VertexProgram { program, layout } = program;
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
        self.engine.run(&job, &self.options).is_ok()
    }
}

/// What becomes of vertices that were transformed: a task that is faster on hosts with wide vectors.
struct Placing<'p, 'a> {
    together: &'p VertexKernel<'a>,
    layout: &'p Layout,
    format: &'p VertexFormat,
    projection: &'p Projection,
    /// What they are put to. The same vectors are set in all corners of a draw.
    corners: &'p mut [Corner],
}

impl SimdTask for Placing<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Placing { together: VertexKernel { outputs, space, .. }, layout, format, projection, corners } = self;
        let access = simd.access();
        let Some(words) = words_of(space, *outputs) else { return };
        let mut places = [None; OUTPUTS];
        (0..).zip(&layout.outputs).for_each(|(place, &number)| places[usize::from(number)] = Some(VECTOR * place));
        let parts: Vec<_> = format.parts().zip(places).collect();
        let step = VECTOR * layout.outputs.len();
        let mut first = 0;
        for corners in corners.chunks_mut(simd::LANES) {
            for corner in &mut *corners {
                for &(part, place) in &parts {
                    let vector = match place.and_then(|place| words.four(first + place)) {
                        Some(words) => access.get(words),
                        None => [0, 0, 0, ONE],
                    };
                    corner.vertex.set(part, vector);
                }
                first += step;
            }
            projection.place_together(simd, corners);
        }
    }
}

/// The vertices of a draw.
pub struct Vertices<'a> {
    numbers: VertexNumbers,
    fetch: Fetch<'a>,
    format: VertexFormat,
    program: Option<(Arc<KnownProgram<VertexProgram>>, Constants<'a>)>,
    together: Option<VertexKernel<'a>>,
    projection: &'a Projection,
    /// Those that were transformed, in that order. Others after them, which are forgotten, are kept for their memory.
    corners: Vec<Corner>,
    /// How many were transformed.
    made: usize,
    /// By number modulo its length: the number, and where the vertex is among these, or will be.
    kept: Vec<Option<(u32, u32)>>,
    /// Numbers of vertices that are to be transformed together.
    wanted: Vec<u32>,
    /// A primitive has begun that has no vertex yet.
    begins: bool,
}

impl<'a> Vertices<'a> {
    /// Of a draw with its programs.
    ///
    /// # Errors
    /// If an element has a type that there is not.
    pub fn new(
        state: &'a State,
        memory: &'a Arena,
        context: &DrawContext<'a>,
        (draw, programs): (&Draw<'a>, &Programs),
        projection: &'a Projection,
    ) -> Result<Self, DrawError> {
        let numbers = VertexNumbers::of(state, memory, draw);
        let distinct = numbers.greatest().map_or(numbers.count, |greatest| greatest as usize + 1);
        let program = programs.vertices.clone().map(|program| (program, vertex_constants(state)));
        let together = program.as_ref().filter(|(program, _)| is_worth_it(context, program, numbers.count));
        Ok(Vertices {
            together: together.and_then(|_| VertexKernel::of(context)),
            corners: Vec::new(),
            made: 0,
            kept: vec![None; distinct.min(2 * numbers.count).clamp(1, KEPT).next_power_of_two()],
            numbers,
            fetch: Fetch::new(state, memory, draw)?,
            format: VertexFormat::of(&state.registers),
            program,
            projection,
            wanted: Vec::new(),
            begins: false,
        })
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
        self.kept.fill(None);
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
        let corner = self.projection.corner(self.transform(number)?);
        let slot = self.slot(number);
        let place = self.made;
        self.kept[slot] = Some((number, place as u32));
        self.next_corners(1)[0] = corner;
        self.made += 1;
        Ok(place)
    }

    /// The memory of so many corners after those that were made.
    fn next_corners(&mut self, count: usize) -> &mut [Corner] {
        let next = self.made..self.made + count;
        if self.corners.len() < next.end {
            self.corners.resize(next.end, Corner::NONE);
        }
        &mut self.corners[next]
    }

    /// A vertex.
    pub fn corner(&self, number: usize) -> &Corner {
        &self.corners[number]
    }

    /// Where a vertex is kept.
    fn slot(&self, number: u32) -> usize {
        number as usize & (self.kept.len() - 1)
    }

    /// A vertex that is kept.
    fn known(&self, number: u32) -> Option<usize> {
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
        for place in place..place + count {
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
        if self.wanted.len() < LEAST || !self.transform_wanted() {
            for n in 0..self.wanted.len() {
                let slot = self.slot(self.wanted[n]);
                self.kept[slot] = None;
            }
            return None;
        }
        Some(before)
    }

    /// Transforms the vertices that are wanted; false, and never again, if a program does not come to its end.
    fn transform_wanted(&mut self) -> bool {
        let count = self.wanted.len();
        self.next_corners(count);
        let Vertices { together, program, wanted, fetch, format, projection, corners, made, .. } = self;
        let Some((all, (program, constants))) = together.as_ref().zip(program.as_ref()) else { return false };
        if !all.run(&program.program, *constants, wanted, fetch) {
            *together = None;
            return false;
        }
        let corners = &mut corners[*made..*made + count];
        dispatch(Placing { together: all, layout: &program.program.layout, format, projection, corners });
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

#[cfg(test)]
mod tests;
