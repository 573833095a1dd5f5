//! A draw while its primitives come in: programs run for many of them together.

use super::assemble::{Assembly, Primitive};
use super::batch::{Batch, CORNERS, Limits, Sharing};
use super::geometry::Geometry;
use super::pixels::Pixels;
use super::primitives::Shapes;
use super::streamout::{self, Buffer};
use super::vertices::{Transformed, VertexStage};
use super::workspace::{Plan, Workspace};
use super::{DrawError, Means};
use crate::counters::Statistics;
use crate::registers::codes::GeometryMode;
use crate::registers::{PaSuScModeCntl, VgtGsMode, VgtPrimitiveType};
use crate::state::State;
use ctm_card::Counts;
use ctm_lane::clock::Instant;

/// Vertices that the vertex program runs for together, and primitives that wait for them.
const VERTICES: usize = 1 << 12;
const PRIMITIVES: usize = 1 << 16;

/// The programs that make primitives.
enum Programs {
    Vertex(Box<VertexStage>),
    Geometry(Box<Geometry>),
}

/// A draw of parts, each with the numbers of its vertices.
pub struct Drawing<'a> {
    means: &'a Means<'a>,
    programs: Programs,
    workspace: Workspace<'a>,
    shapes: Shapes,
    pixels: Option<Pixels<'a>>,
    streams: Option<Vec<Buffer>>,
    batch: Batch,
    statistics: Statistics,
}

impl<'a> Drawing<'a> {
    /// Of the state, of so many vertices in all.
    ///
    /// # Errors
    /// Something that it needs is not there, or not executed.
    pub fn new(
        state: &State,
        means: &'a Means<'a>,
        vertices: usize,
        pixels: Option<Pixels<'a>>,
    ) -> Result<Self, DrawError> {
        let registers = &state.registers;
        let streams = streamout::buffers(registers);
        let streamed = streams.as_deref().unwrap_or_default();
        let mut plan = Plan::new(means.scratch, means.memory);
        let (programs, sharing, limits) = match registers.get::<VgtGsMode>().mode {
            GeometryMode::ScenarioG => {
                let geometry = Geometry::new(state, means, streamed, CORNERS, &mut plan)?;
                let primitives = geometry.together();
                let limits = Limits { vertices: primitives * CORNERS, primitives };
                (Programs::Geometry(Box::new(geometry)), Sharing::Numbers, limits)
            }
            mode @ (GeometryMode::Off | GeometryMode::ScenarioA) => {
                let sharing = if mode == GeometryMode::Off { Sharing::Numbers } else { Sharing::Nothing };
                // Strips name most of their vertices three times.
                let most = if sharing == Sharing::Numbers { vertices } else { vertices.saturating_mul(CORNERS) };
                let capacity = most.clamp(CORNERS, VERTICES) + CORNERS;
                let stage = VertexStage::new(state, means, None, streamed, capacity, &mut plan)?;
                let limits = Limits { vertices: capacity, primitives: PRIMITIVES };
                (Programs::Vertex(Box::new(stage)), sharing, limits)
            }
            GeometryMode::ScenarioB => return Err(DrawError::NotYet { what: "a geometry program of scenario B" }),
        };
        Ok(Drawing {
            means,
            programs,
            workspace: plan.make()?,
            shapes: Shapes::of(registers),
            pixels,
            streams,
            batch: Batch::new(limits, sharing, vertices),
            statistics: Statistics::default(),
        })
    }

    /// Draws an instance.
    ///
    /// # Errors
    /// A program stops.
    pub fn instance(&mut self, state: &mut State, parts: &[Vec<u32>], instance: u32) -> Result<(), DrawError> {
        let kind = state.registers.get::<VgtPrimitiveType>().prim_type;
        let last = state.registers.get::<PaSuScModeCntl>().provoking_vtx_last;
        if self.means.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(DrawError::TimeIsUp);
        }
        let mut number = 0;
        for part in parts {
            let assembly = Assembly::new(kind, part.len(), last)?;
            for n in 0..assembly.len() {
                match self.programs {
                    Programs::Vertex(_) => self.batch.primitive(&assembly, n, part, instance, number),
                    Programs::Geometry(_) => self.batch.input(&assembly, n, part, instance, number),
                }
                number = number.wrapping_add(1);
                if self.batch.is_full() {
                    self.draw(state)?;
                }
            }
            self.statistics.vertices += part.len() as u64;
            self.statistics.primitives += assembly.len() as u64;
        }
        Ok(())
    }

    /// Draws what waits.
    fn draw(&mut self, state: &mut State) -> Result<(), DrawError> {
        if self.batch.vertices.is_empty() {
            return Ok(());
        }
        self.statistics.vertex_programs += self.batch.vertices.len() as u64;
        let (transformed, primitives) = match &self.programs {
            Programs::Vertex(stage) => {
                let mut transformed = Transformed::default();
                stage.run(self.means, &self.workspace, &self.batch.vertices, &mut transformed)?;
                (transformed, std::mem::take(&mut self.batch.primitives))
            }
            Programs::Geometry(geometry) => {
                let (vertices, inputs) = (&self.batch.vertices, &self.batch.inputs);
                let made = geometry.run(self.means, &self.workspace, vertices, inputs)?;
                self.statistics.geometry_programs += inputs.len() as u64;
                self.statistics.geometry_primitives += made.1.len() as u64;
                made
            }
        };
        self.batch.clear();
        if let Some(buffers) = &self.streams {
            streamout::write(state, self.means.memory, buffers, &transformed.records, &primitives);
        }
        self.rasterise(&transformed, &primitives)
    }

    fn rasterise(&mut self, transformed: &Transformed, primitives: &[Primitive]) -> Result<(), DrawError> {
        let Some(pixels) = &mut self.pixels else { return Ok(()) };
        self.statistics.clipped += primitives.len() as u64;
        for primitive in primitives {
            self.statistics.clipping_left += self.shapes.draw(primitive, &transformed.vertices, pixels)?;
        }
        Ok(())
    }

    /// Draws what still waits, and gives what was done.
    ///
    /// # Errors
    /// A program stops.
    pub fn finish(mut self, state: &mut State) -> Result<Counts, DrawError> {
        self.draw(state)?;
        let done = self.pixels.map(Pixels::finish).transpose()?.unwrap_or_default();
        self.statistics.pixel_programs = done.fragments;
        state.counters.add(&self.statistics);
        Ok(Counts { vertices: self.statistics.vertices, primitives: self.statistics.primitives, ..done })
    }
}
