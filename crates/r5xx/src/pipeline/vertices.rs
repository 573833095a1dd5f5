//! The vertices of a draw: each is fetched and transformed when a primitive wants it, and kept for those that follow.

use super::DrawError;
use super::fetch::{Fetch, VertexNumbers};
use super::program::{vertex_constants, vertex_program};
use super::vertex::{Vertex, VertexFormat};
use crate::registers::VapCntlStatus;
use crate::state::State;
use crate::stream::Draw;
use ctm_memory::Arena;
use ctm_pvs::reference::{Constants, run};
use ctm_pvs::{OUTPUTS, Program};

/// Vertices that are kept at most: a power of two.
const KEPT: usize = 1 << 14;
/// Instructions that a vertex may take.
const STEP_LIMIT: u64 = 1 << 20;

/// Where the vectors of a vertex stand that no program makes: position, point size, colours, texture coordinates.
const BYPASS_VECTORS: usize = 14;

/// The vertices of a draw.
pub struct Vertices<'a> {
    numbers: VertexNumbers,
    fetch: Fetch<'a>,
    format: VertexFormat,
    program: Option<(Program, Constants<'a>)>,
    /// By number modulo its length.
    kept: Vec<Option<(u32, Vertex)>>,
}

impl<'a> Vertices<'a> {
    /// Of a draw.
    ///
    /// # Errors
    /// If an element has a type that there is not.
    pub fn new(state: &'a State, memory: &'a Arena, draw: &Draw<'a>) -> Result<Self, DrawError> {
        let numbers = VertexNumbers::of(state, memory, draw);
        let bypass = state.registers.get::<VapCntlStatus>().bypass;
        let distinct = numbers.greatest().map_or(numbers.count, |greatest| greatest as usize + 1);
        Ok(Vertices {
            kept: vec![None; distinct.clamp(1, KEPT).next_power_of_two()],
            numbers,
            fetch: Fetch::new(state, memory, draw)?,
            format: VertexFormat::of(&state.registers),
            program: (!bypass).then(|| (vertex_program(state), vertex_constants(state))),
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.numbers.count
    }

    /// The vertex at a place of the draw.
    ///
    /// # Errors
    /// If its program does not come to its end.
    pub fn get(&mut self, place: usize) -> Result<Vertex, DrawError> {
        let number = self.numbers.get(place);
        let slot = number as usize & (self.kept.len() - 1);
        if let Some((_, vertex)) = self.kept[slot].filter(|(kept, _)| *kept == number) {
            return Ok(vertex);
        }
        let vertex = self.transform(number)?;
        self.kept[slot] = Some((number, vertex));
        Ok(vertex)
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
            let vectors: Vec<_> =
                (0..BYPASS_VECTORS).filter(|&number| present(number)).map(|number| inputs[number]).collect();
            return Ok(self.format.vertex(&vectors));
        };
        let outputs: [[u32; 4]; OUTPUTS] = run(program, *constants, &inputs, STEP_LIMIT)?.outputs;
        Ok(self.format.vertex(&outputs))
    }
}
