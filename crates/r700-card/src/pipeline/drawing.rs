//! Draws while their primitives come in: programs run for many of them together. A draw whose registers are those of the draws before continues these,
//! so that all that they have in common is prepared once, and programs run for the vertices and pixels of all of them together.

use super::assemble::{Assembly, Primitive};
use super::bindings::{addresses_of, is_apart};
use super::draw_memory::{DrawMemory, DrawMemoryBuilder};
use super::geometry::{Geometry, InputPrimitive};
use super::history::Probe;
use super::indices;
use super::pixels::Pixels;
use super::primitives::Shapes;
use super::streamout::{self, Buffer};
use super::vertex_batch::{BatchLimits, CORNERS, VertexBatch, VertexSharing};
use super::vertices::{Transformed, VertexStage};
use super::{DrawContext, DrawError, refuse};
use crate::counters::Statistics;
use crate::programs::STAGES;
use crate::registers::codes::GeometryMode;
use crate::registers::{self, PaClClipCntl, PaSuScModeCntl, RegisterFile, VgtGsMode, VgtPrimitiveType};
use crate::state::State;
use crate::stream::{Draw, Indices};
use ctm_card::DrawCounts;
use ctm_card::history::{PrimitiveHistory, Vector, VertexHistory};
use ctm_lane::clock::Instant;

/// Vertices that the vertex program runs for together, and primitives that wait for them.
const VERTICES: usize = 1 << 12;
const PRIMITIVES: usize = 1 << 16;
/// Vertices that there is memory for at least, for those of draws that continue others.
const ROOM: usize = 1 << 10;

/// The programs that make primitives.
enum Programs {
    Vertex(Box<VertexStage>),
    Geometry(Box<Geometry>),
}

/// What a drawing was made of beside what lies in the card's memory, by how often that changed.
#[derive(Clone, Copy, PartialEq)]
struct Versions {
    /// [All registers](registers::OTHERS) but those of vertex buffers.
    registers: u64,
    /// Textures that are decoded.
    textures: u64,
}

impl Versions {
    fn of(state: &State) -> Self {
        Versions { registers: state.registers.changes(registers::OTHERS), textures: state.textures.doubts() }
    }
}

/// Draws, of parts each with the numbers of its vertices.
pub struct Drawing<'a> {
    context: &'a DrawContext<'a>,
    versions: Versions,
    /// How often registers of [vertex buffers](registers::VERTEX_BUFFERS) had changed.
    buffers: u64,
    /// Vertices that there is memory for.
    room: usize,
    may_wait: bool,
    programs: Programs,
    draw_memory: DrawMemory<'a>,
    shapes: Shapes,
    pixels: Option<Pixels<'a>>,
    streams: Option<Vec<Buffer>>,
    batch: VertexBatch,
    statistics: Statistics,
    /// Memory for vertices, those of the last batch.
    transformed: Transformed,
    /// Vertices and primitives that were drawn before what waits.
    drawn: (usize, u32),
}

/// What vertices and primitives were made of, if a pixel is watched.
#[derive(Default)]
struct Origins {
    /// R0 of the vertices.
    vertices: Vec<[u32; 4]>,
    /// Primitives that a geometry program got.
    inputs: Vec<InputPrimitive>,
    /// Vertices that each of these has.
    corners: usize,
}

/// What batches of a draw of so many vertices hold, if no geometry program runs.
fn limits(sharing: VertexSharing, vertices: usize) -> BatchLimits {
    // Strips name most of their vertices three times.
    let most = if sharing == VertexSharing::Numbers { vertices } else { vertices.saturating_mul(CORNERS) };
    BatchLimits { vertices: most.clamp(CORNERS, VERTICES) + CORNERS, primitives: PRIMITIVES }
}

impl<'a> Drawing<'a> {
    /// Of the state, for a draw, and for those that continue it.
    ///
    /// # Errors
    /// Something that it needs is not there, or not executed.
    pub fn of(state: &State, context: &'a DrawContext<'a>, draw: &Draw) -> Result<Self, DrawError> {
        let registers = &state.registers;
        // Of a kind that cannot be drawn nothing is.
        Assembly::new(registers.get::<VgtPrimitiveType>().prim_type, 0, true)?;
        refuse(registers)?;
        let vertices = indices::count(state, draw)?;
        let pixels = match registers.get::<PaClClipCntl>().dx_rasterization_kill {
            true => None,
            false => Some(Pixels::of(state, context)?),
        };
        let streams = streamout::buffers(registers);
        let streamed = streams.as_deref().unwrap_or_default();
        let mut builder = DrawMemoryBuilder::new(context.cache, context.memory);
        let (programs, sharing, room) = match registers.get::<VgtGsMode>().mode {
            GeometryMode::ScenarioG => {
                let geometry = Geometry::new(state, context, streamed, CORNERS, &mut builder)?;
                let room = geometry.together() * CORNERS;
                (Programs::Geometry(Box::new(geometry)), VertexSharing::Numbers, room)
            }
            mode @ (GeometryMode::Off | GeometryMode::ScenarioA) => {
                let sharing = if mode == GeometryMode::Off { VertexSharing::Numbers } else { VertexSharing::Nothing };
                let room = limits(sharing, vertices.saturating_mul(state.instances as usize)).vertices.max(ROOM);
                let stage = VertexStage::new(state, context, None, streamed, room, &mut builder)?;
                (Programs::Vertex(Box::new(stage)), sharing, room)
            }
            GeometryMode::ScenarioB => return Err(DrawError::NotYet { what: "a geometry program of scenario B" }),
        };
        let mut drawing = Drawing {
            context,
            versions: Versions::of(state),
            buffers: registers.changes(registers::VERTEX_BUFFERS),
            room,
            may_wait: false,
            programs,
            draw_memory: builder.make()?,
            shapes: Shapes::of(registers),
            pixels,
            streams,
            batch: VertexBatch::new(sharing),
            statistics: Statistics::default(),
            transformed: Transformed::default(),
            drawn: (0, 0),
        };
        drawing.may_wait = drawing.is_fixed(registers);
        Ok(drawing)
    }

    /// Whether what waits may be drawn later, after other draws that [continue](Self::is_continued_by) this one.
    pub fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Whether nothing but registers says what further draws do: programs do not stop, and neither they nor what they read lies where pixels
    /// are written.
    fn is_fixed(&self, registers: &RegisterFile) -> bool {
        let (Programs::Vertex(stage), Some(pixels), None) = (&self.programs, &self.pixels, &self.streams) else {
            return false;
        };
        let Some(written) = pixels.written_later() else { return false };
        let programs = STAGES.iter().filter_map(|stage| registers.binding_at(stage.start));
        let mut programs = programs.map(|binding| addresses_of(binding.object));
        !self.shapes.is_stippled()
            && stage.is_fixed(self.context, &written)
            && programs.all(|of| is_apart(&of, &written))
    }

    /// Whether a draw does no more than continue those before: then it is drawn with them. Nothing is written to the card's memory meanwhile but by them.
    ///
    /// # Errors
    /// The time is up.
    pub fn is_continued_by(&mut self, state: &mut State, draw: &Draw) -> Result<bool, DrawError> {
        let registers = &state.registers;
        let (Programs::Vertex(_), true) = (&self.programs, self.may_wait && self.versions == Versions::of(state))
        else {
            return Ok(false);
        };
        let Ok(vertices) = indices::count(state, draw) else { return Ok(false) };
        let vertices = vertices.saturating_mul(state.instances as usize);
        let written = self.pixels.as_ref().and_then(Pixels::written_later).unwrap_or_default();
        let reads_apart = match draw.indices {
            Indices::Memory(place) => is_apart(&addresses_of(place.object), &written),
            Indices::Counted | Indices::Packet(_) => true,
        };
        if !reads_apart || limits(self.batch.sharing(), vertices).vertices > self.room {
            return Ok(false);
        }
        let buffers = registers.changes(registers::VERTEX_BUFFERS);
        if buffers != self.buffers {
            self.transform(state)?;
            let Programs::Vertex(stage) = &mut self.programs else { return Ok(false) };
            self.buffers = buffers;
            self.may_wait = stage.bind(state, self.context).is_ok_and(|is_bound| is_bound)
                && stage.is_fixed(self.context, &written);
        }
        Ok(self.may_wait)
    }

    /// Adds a draw.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    pub fn draw(&mut self, state: &mut State, draw: &Draw) -> Result<(), DrawError> {
        let parts = indices::parts(state, self.context.memory, draw)?;
        let vertices = parts.iter().map(Vec::len).sum::<usize>();
        let instances = if vertices == 0 { 0 } else { state.instances };
        let vertices = vertices.saturating_mul(instances as usize);
        let limits = match &self.programs {
            Programs::Vertex(_) => limits(self.batch.sharing(), vertices),
            Programs::Geometry(geometry) => BatchLimits { vertices: self.room, primitives: geometry.together() },
        };
        if self.batch.vertices.len() + limits.vertices > self.room || self.batch.primitives.len() > PRIMITIVES {
            self.transform(state)?;
        }
        self.batch.begin(limits, vertices);
        let is_counted = matches!(draw.indices, Indices::Counted);
        (0..instances).try_for_each(|instance| self.instance(state, (&parts, is_counted), instance))
    }

    /// Draws an instance, of parts whose vertices are counted or not.
    fn instance(
        &mut self,
        state: &mut State,
        (parts, is_counted): (&[Vec<u32>], bool),
        instance: u32,
    ) -> Result<(), DrawError> {
        let kind = state.registers.get::<VgtPrimitiveType>().prim_type;
        let last = state.registers.get::<PaSuScModeCntl>().provoking_vtx_last;
        if self.context.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(DrawError::TimeIsUp);
        }
        let mut number = 0;
        for part in parts {
            let assembly = Assembly::new(kind, part.len(), last)?;
            let is_apart = is_counted && assembly.is_triangle_list() && self.batch.sharing() == VertexSharing::Numbers;
            let mut n = 0;
            while n < assembly.len() {
                let mut count = 1;
                match self.programs {
                    Programs::Vertex(_) if is_apart => count = self.batch.triangles(&assembly, n, part, instance),
                    Programs::Vertex(_) => self.batch.primitive(&assembly, n, part, instance, number),
                    Programs::Geometry(_) => self.batch.input(&assembly, n, part, instance, number),
                }
                n += count;
                number = number.wrapping_add(count as u32);
                if self.batch.is_full() {
                    self.transform(state)?;
                }
            }
            self.statistics.vertices += part.len() as u64;
            self.statistics.primitives += assembly.len() as u64;
        }
        Ok(())
    }

    /// Runs programs for the vertices that wait, and draws their primitives.
    fn transform(&mut self, state: &mut State) -> Result<(), DrawError> {
        if self.batch.vertices.is_empty() {
            return Ok(());
        }
        self.statistics.vertex_programs += self.batch.vertices.len() as u64;
        let (transformed, primitives) = match &self.programs {
            Programs::Vertex(stage) => {
                let mut transformed = std::mem::take(&mut self.transformed);
                transformed.clear();
                stage.run(self.context, &self.draw_memory, &self.batch.vertices, &mut transformed)?;
                (transformed, std::mem::take(&mut self.batch.primitives))
            }
            Programs::Geometry(geometry) => {
                let (vertices, inputs) = (&self.batch.vertices, &self.batch.inputs);
                let made = geometry.run(self.context, &self.draw_memory, vertices, inputs)?;
                self.statistics.geometry_programs += inputs.len() as u64;
                self.statistics.geometry_primitives += made.1.len() as u64;
                made
            }
        };
        let kind = state.registers.get::<VgtPrimitiveType>().prim_type;
        let origins = self.context.probe.map(|_| Origins {
            vertices: self.batch.vertices.clone(),
            inputs: self.batch.inputs.clone(),
            corners: Assembly::new(kind, 0, true).map_or(0, |assembly| assembly.inputs()),
        });
        self.batch.clear();
        if let Some(buffers) = &self.streams {
            streamout::write(state, self.context.memory, buffers, &transformed.records, &primitives);
        }
        self.rasterise(&transformed, &primitives, origins.as_ref())?;
        self.drawn.0 += transformed.positions.len();
        self.drawn.1 = self.drawn.1.wrapping_add(primitives.len() as u32);
        self.transformed = transformed;
        Ok(())
    }

    fn rasterise(
        &mut self,
        transformed: &Transformed,
        primitives: &[Primitive],
        origins: Option<&Origins>,
    ) -> Result<(), DrawError> {
        let Some(pixels) = &mut self.pixels else { return Ok(()) };
        self.statistics.clipped += primitives.len() as u64;
        self.shapes.begin(transformed);
        let events = || self.context.probe.map_or(0, Probe::events);
        let mut noted = Vec::new();
        let done = primitives.iter().enumerate().try_for_each(|(number, primitive)| {
            let before = events();
            let left = self.shapes.draw(primitive, transformed, pixels);
            if events() > before {
                noted.push((before, number));
            }
            self.statistics.clipping_left += left?;
            Ok(())
        });
        if let (Some(probe), Some(origins)) = (self.context.probe, origins) {
            for (event, number) in noted {
                probe.name_primitives(event, &self.history(number, &primitives[number], transformed, origins));
            }
        }
        done
    }

    /// What a primitive is, for the history of a pixel.
    fn history(
        &self,
        number: usize,
        primitive: &Primitive,
        transformed: &Transformed,
        origins: &Origins,
    ) -> PrimitiveHistory {
        let (first_vertex, first_primitive) = self.drawn;
        let places = primitive.form.vertices();
        let inputs: Vec<[u32; 4]> = places.iter().filter_map(|&place| transformed.inputs.get(place).copied()).collect();
        let follows = self.context.probe.is_some_and(Probe::follows);
        let (programs, runs) = match &self.programs {
            _ if !follows => (Vec::new(), vec![None; places.len()]),
            Programs::Vertex(stage) => {
                let name = |place: usize| format!("vertex {}", first_vertex + place);
                let run = |(&place, &input)| stage.follow(self.context, &self.draw_memory, input, name(place));
                (Vec::new(), places.iter().zip(&inputs).map(run).collect())
            }
            Programs::Geometry(geometry) => {
                let input = inputs.first().and_then(|&vertex| origins.inputs.get(geometry.primitive_of(vertex)));
                input.map_or_else(Default::default, |input| {
                    let vertices = input.vertices.iter().take(origins.corners);
                    let vertices: Vec<_> =
                        vertices.filter_map(|&vertex| origins.vertices.get(vertex).copied()).collect();
                    geometry.follow(self.context, &self.draw_memory, &vertices, input.number, &inputs)
                })
            }
        };
        let outputs = |place: usize| {
            let vertex = transformed.vertex(place);
            vertex.map(|vertex| vertex.vectors(&transformed.parameters)).unwrap_or_default()
        };
        let vertices = places.iter().zip(&inputs).zip(runs).map(|((&place, &input), run)| VertexHistory {
            place: first_vertex + place,
            number: input[0],
            inputs: vec![Vector::words("R0", input)],
            run,
            outputs: outputs(place),
        });
        let (vertices, number) = (vertices.collect(), first_primitive.wrapping_add(number as u32));
        PrimitiveHistory { number, programs, vertices, ..PrimitiveHistory::default() }
    }

    /// Draws what still waits, and gives what was done.
    ///
    /// # Errors
    /// A program stops.
    pub fn finish(mut self, state: &mut State) -> Result<DrawCounts, DrawError> {
        self.transform(state)?;
        let done = self.pixels.map(Pixels::finish).transpose()?.unwrap_or_default();
        self.statistics.pixel_programs = done.fragments;
        state.counters.add(&self.statistics);
        Ok(DrawCounts { vertices: self.statistics.vertices, primitives: self.statistics.primitives, ..done })
    }
}
