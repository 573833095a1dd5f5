//! Geometry programs: the export program leaves vertices in a ring, the geometry program reads them for each primitive and leaves vertices in
//! another one, from which the copy program takes them. Rings are not memory of the card (decision D207).

use super::assemble::{Assembly, Primitive};
use super::bindings::{ANYTHING, GEOMETRY, bindings};
use super::draw_memory::{DrawMemory, DrawMemoryBuilder};
use super::history::listing;
use super::streamout::Buffer;
use super::vertices::{FirstPrograms, RING, Transformed, VertexStage, ring_buffer};
use super::{DrawContext, DrawError};
use crate::programs::StageProgram;
use crate::registers::codes::{OutputPrimitive, PrimitiveType};
use crate::registers::{
    PaSuScModeCntl, SqEsgsRingItemsize, SqGsVertItemsize, SqGsvsRingItemsize, SqVtxStartInstLoc, VgtGsMaxVertOut,
    VgtGsOutPrimType,
};
use crate::state::State;
use ctm_card::history::{Listing, ProgramRun};
use ctm_lane::domain::Lanes;
use ctm_r700::{Bindings, Input, Items, Job, Region, STRIP_CUT, Stage};
use std::sync::Arc;

/// Primitives that the programs run for together at most.
const PRIMITIVE_BATCH: u64 = 1024;
/// Vertices that they make together at most, if they run for more than one.
const VERTICES: u64 = 1 << 16;
/// Bytes of what they leave together at most, if they run for more than one.
const BYTES: u64 = 1 << 25;
/// Vertices that the copy program runs for together.
const COPIED: usize = 1 << 12;
/// Bits of a place in the ring.
const PLACE: u32 = (1 << 30) - 1;

/// A primitive that a geometry program runs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputPrimitive {
    /// Its number in its instance.
    pub number: u32,
    /// Its vertices, neighbours among them.
    pub vertices: [usize; 6],
}

/// The programs of the geometry path.
pub struct Geometry {
    first: FirstPrograms,
    first_bindings: Bindings,
    start_instance: u32,
    program: Arc<StageProgram>,
    bindings: Bindings,
    copy: VertexStage,
    /// R0 of the export program, R0 and R1 of the geometry program.
    inputs: [Region; 3],
    /// Vertices of the export program.
    vertices: Items,
    /// What the geometry program leaves.
    output: Items,
    /// What it emits.
    strips: Items,
    /// Dwords of a vertex that it leaves, and how many it leaves at most.
    vertex_dwords: u32,
    most: u32,
    kind: PrimitiveType,
    /// The last vertex of a primitive provokes.
    last: bool,
    together: usize,
    /// The texts of the export program and of the geometry program, if a pixel is watched.
    listings: Option<[Arc<Listing>; 2]>,
}

impl Geometry {
    /// Those of the state, in memory that `builder` lays out, for primitives of so many vertices.
    ///
    /// # Errors
    /// There is no program, no memory, or something that cannot be read.
    pub fn new(
        state: &State,
        context: &DrawContext,
        streams: &[Buffer],
        corners: usize,
        builder: &mut DrawMemoryBuilder,
    ) -> Result<Self, DrawError> {
        let registers = &state.registers;
        let first = FirstPrograms::of(state, context, Stage::Export, "export")?;
        let program = context.program(state, Stage::Geometry).ok_or(DrawError::NoProgram { stage: "geometry" })?;
        let most = u32::from(registers.get::<VgtGsMaxVertOut>().max_vert_out);
        let [vertex, output] =
            [registers.get::<SqEsgsRingItemsize>().value, registers.get::<SqGsvsRingItemsize>().value];
        // A count, and for each vertex it and a cut after it.
        let events = 2 * most + 2;
        let bytes = 4 * (u64::from(output) + u64::from(events));
        let together = PRIMITIVE_BATCH.min(VERTICES / u64::from(most.max(1))).min(BYTES / bytes).max(1);
        let items = |lanes: u64, dwords: u32, builder: &mut DrawMemoryBuilder| {
            let region = builder.reserve((4 * lanes).saturating_mul(dwords.into()))?;
            Ok::<_, DrawError>(Items { region, item_dwords: dwords })
        };
        let lanes = together * corners as u64;
        let vertices = items(lanes, vertex, builder)?;
        let output = items(together, output, builder)?;
        let strips = items(together, events, builder)?;
        let mut bindings = bindings(GEOMETRY, state, (context.memory, &ANYTHING), &[program.uses()], builder)?;
        bindings.buffers.insert(RING, ring_buffer(vertices.region));
        let copied = COPIED.min((together * u64::from(most.max(1))) as usize);
        Ok(Geometry {
            listings: context.probe.map(|_| [first.listing("export"), listing("geometry", &program.program, None)]),
            first_bindings: first.bindings(state, context, builder)?,
            first,
            start_instance: registers.get::<SqVtxStartInstLoc>().value,
            program,
            bindings,
            copy: VertexStage::new(state, context, Some(output.region), streams, copied, builder)?,
            inputs: [builder.reserve(16 * lanes)?, builder.reserve(16 * together)?, builder.reserve(16 * together)?],
            vertices,
            output,
            strips,
            vertex_dwords: registers.get::<SqGsVertItemsize>().value,
            most,
            kind: match registers.get::<VgtGsOutPrimType>().outprim_type {
                OutputPrimitive::Points => PrimitiveType::POINTS,
                OutputPrimitive::LineStrip => PrimitiveType::LINE_STRIP,
                OutputPrimitive::TriangleStrip => PrimitiveType::TRIANGLE_STRIP,
                OutputPrimitive::Reserved3 => return Err(DrawError::NotYet { what: "a reserved kind of primitives" }),
            },
            last: registers.get::<PaSuScModeCntl>().provoking_vtx_last,
            together: together as usize,
        })
    }

    /// Primitives that it runs for together.
    pub fn together(&self) -> usize {
        self.together
    }

    /// Runs the programs for vertices with these values of R0, and primitives of these. Gives the primitives that come of them, and their
    /// vertices.
    ///
    /// # Errors
    /// A program stops, or ends strips too often.
    pub fn run(
        &self,
        context: &DrawContext,
        draw_memory: &DrawMemory,
        vertices: &[[u32; 4]],
        primitives: &[InputPrimitive],
    ) -> Result<(Transformed, Vec<Primitive>), DrawError> {
        context.run(&self.export_job(draw_memory, vertices), self.first.hash())?;
        let mut made = GeometryOutput::default();
        let (mut rest, mut together, mut strips) = (primitives, self.together.max(1), self.strips);
        while !rest.is_empty() {
            let (some, behind) = rest.split_at(together.min(rest.len()));
            context.run(&self.geometry_job(draw_memory, some, strips), self.program.hash)?;
            let events = draw_memory.words(strips.region, some.len() * strips.item_dwords as usize);
            let needed =
                (0..some.len()).map(|lane| events[lane * strips.item_dwords as usize]).max().unwrap_or_default();
            if needed >= strips.item_dwords {
                // Events were lost: again, with space for all of them.
                strips.item_dwords = needed.saturating_add(1);
                together = (self.strips.region.length / 4 / strips.item_dwords) as usize;
                if together == 0 {
                    return Err(DrawError::Strips { count: needed });
                }
                continue;
            }
            let mut places = Vec::new();
            for lane in 0..some.len() {
                let events = &events[lane * strips.item_dwords as usize..];
                let events = &events[1..=events[0] as usize];
                self.strips_of(lane as u32, events, &mut places, &mut made)?;
            }
            self.copy.run(context, draw_memory, &places, &mut made.transformed)?;
            rest = behind;
        }
        Ok((made.transformed, made.primitives))
    }

    /// Runs the programs on the reference for one primitive of vertices with these values of R0, and gives what each goes through: the
    /// export program for each vertex, and the geometry program; then the copy program for each of these vertices that are made, whose R0 is
    /// given. What the rings held before is lost.
    pub fn follow(
        &self,
        context: &DrawContext,
        draw_memory: &DrawMemory,
        vertices: &[[u32; 4]],
        number: u32,
        made: &[[u32; 4]],
    ) -> (Vec<ProgramRun>, Vec<Option<ProgramRun>>) {
        let Some((probe, [export, geometry])) = context.probe.zip(self.listings.as_ref()) else {
            return Default::default();
        };
        let mut runs = Vec::new();
        let job = self.export_job(draw_memory, vertices);
        for (lane, [element, ..]) in vertices.iter().enumerate() {
            let name = format!("vertex with element {element}");
            runs.extend(probe.run(&job, &context.options, lane as u32, export, name).0);
        }
        let places: [usize; 6] = std::array::from_fn(|n| n.min(vertices.len().saturating_sub(1)));
        let job = self.geometry_job(draw_memory, &[InputPrimitive { number, vertices: places }], self.strips);
        runs.extend(probe.run(&job, &context.options, 0, geometry, format!("primitive {number}")).0);
        let copies = made.iter().map(|&[place, rest @ ..]| {
            // It is the first primitive now.
            let place = place.checked_rem(self.output.item_dwords).unwrap_or_default();
            let name = format!("vertex at {place} of the ring");
            self.copy.follow(context, draw_memory, [place, rest[0], rest[1], rest[2]], name)
        });
        (runs, copies.collect())
    }

    /// The number of the primitive that a vertex was made of, whose copy program got this in R0.
    pub fn primitive_of(&self, [place, ..]: [u32; 4]) -> usize {
        place.checked_div(self.output.item_dwords).unwrap_or_default() as usize
    }

    /// The export program.
    fn export_job<'j>(&'j self, draw_memory: &'j DrawMemory, vertices: &[[u32; 4]]) -> Job<'j> {
        draw_memory.set(self.inputs[0], 0, vertices);
        let dwords = vertices.len() * self.vertices.item_dwords as usize;
        draw_memory.fill_part(self.vertices.region, 0, dwords, 0);
        let mut job = self.first.job(vertices.len(), draw_memory);
        job.inputs.insert(0, Input::Buffer(self.inputs[0]));
        job.start_instance = self.start_instance;
        job.bindings = self.first_bindings.clone();
        job.memories.ring = Some(self.vertices);
        job
    }

    /// The geometry program; what it emits comes to `strips`.
    fn geometry_job<'j>(
        &'j self,
        draw_memory: &'j DrawMemory,
        primitives: &[InputPrimitive],
        strips: Items,
    ) -> Job<'j> {
        let place = |vertex: usize| (vertex as u32).wrapping_mul(self.vertices.item_dwords);
        let inputs = primitives.iter().map(|primitive| {
            let [a, b, c, d, e, f] = primitive.vertices.map(place);
            ([a, b, primitive.number, c], [d, e, f, 0])
        });
        let (first, second): (Vec<_>, Vec<_>) = inputs.unzip();
        draw_memory.set(self.inputs[1], 0, &first);
        draw_memory.set(self.inputs[2], 0, &second);
        let count = primitives.len();
        let dwords = count * strips.item_dwords as usize;
        draw_memory.fill_part(self.output.region, 0, count * self.output.item_dwords as usize, 0);
        draw_memory.fill_part(strips.region, 0, dwords, 0);
        let mut job = Job::of(self.program.known(), Lanes::Line(count as u32), draw_memory.space());
        job.inputs.insert(0, Input::Buffer(self.inputs[1]));
        job.inputs.insert(1, Input::Buffer(self.inputs[2]));
        job.bindings = self.bindings.clone();
        job.memories.ring = Some(self.output);
        job.memories.strips = Some(strips);
        job
    }

    /// Adds the primitives of what a lane has emitted, and R0 of the copy program for their vertices.
    fn strips_of(
        &self,
        lane: u32,
        events: &[u32],
        places: &mut Vec<[u32; 4]>,
        made: &mut GeometryOutput,
    ) -> Result<(), DrawError> {
        let before = made.transformed.positions.len();
        let (mut emitted, mut begin) = (0, places.len());
        for &event in events.iter().chain([&STRIP_CUT]) {
            if event == STRIP_CUT {
                let strip = Assembly::new(self.kind, places.len() - begin, self.last)?;
                for n in 0..strip.len() {
                    made.primitives.push(strip.get(n).map(|vertex| before + begin + vertex));
                }
                begin = places.len();
            } else if emitted < self.most {
                let place = lane.wrapping_mul(self.output.item_dwords);
                let place = place.wrapping_add(u32::wrapping_mul(emitted, self.vertex_dwords));
                places.push([place & PLACE, 0, 0, 0]);
                emitted += 1;
            }
        }
        Ok(())
    }
}

/// What comes of primitives.
#[derive(Default)]
struct GeometryOutput {
    transformed: Transformed,
    primitives: Vec<Primitive>,
}
