//! Pixels: what primitives cover, what the pixel program gets there, and what becomes of its exports.

use super::bindings::{PIXEL, bindings};
use super::clip::Window;
use super::depth::{DepthBuffer, DepthCopy, DepthOffset, function};
use super::targets::Target;
use super::vertices::{Vertex, stage_program};
use super::workspace::{Plan, Workspace};
use super::{DrawError, run};
use crate::registers::{
    DbShaderControl, RegisterFile, RegisterType, SpiInterpControl0, SpiPsInControl0, SpiPsInControl1, SpiPsInputCntl,
    SpiVsOutConfig, SpiVsOutId, SxAlphaRef, SxAlphaTestControl, VgtPrimitiveType, codes::PrimitiveType,
};
use crate::state::State;
use ctm_card::Counts;
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Format, Surface, Tiling};
use ctm_r700::{Bindings, Input, Job, Program, Region, Stage};
use ctm_raster::coverage::{EdgeRule, Quad, Shape, quads};
use ctm_raster::depth::CompareFunction;
use ctm_raster::grid::{Grid, Point, Rect};
use ctm_raster::plane::{AttributePlane, Perspective, Plane, Setup};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Quads that the program runs for together.
const BATCH: usize = 256;
/// Window coordinates are kept in 1/256 pixel.
pub const GRID: Grid = Grid { per_pixel: 256 };
const ONE: u32 = 0x3F80_0000;
const MINUS_ONE: u32 = 0xBF80_0000;

/// Where a register of the pixel program comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// A parameter of the vertices.
    Parameter { number: usize, flat: bool, linear: bool },
    /// No vertex has it.
    Default([u32; 4]),
    /// Place, depth and w of the pixel.
    Position,
    /// Which face it is, in this component.
    Face { component: usize },
    /// The place in a point; `flipped`: from the bottom on.
    Sprite { selects: [u8; 4], flipped: bool },
}

/// A primitive whose pixels are drawn.
pub struct Face<'v> {
    /// The vertices that attributes come from.
    pub vertices: &'v [&'v Vertex],
    /// The one of flat attributes.
    pub provoking: &'v Vertex,
    /// Whether it is a front face.
    pub front: bool,
    /// How far it is moved in depth.
    pub offset: Option<DepthOffset>,
    /// The upper left and the lower right corner of a point.
    pub sprite: Option<[Point; 2]>,
}

/// A corner of what is drawn of it.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Where it is.
    pub window: Window,
    /// How much of each vertex it is.
    pub weights: [f64; 3],
}

/// What the pixels of a draw need.
pub struct Pixels<'a> {
    program: Program,
    bindings: Bindings,
    sources: Vec<(u8, Source)>,
    targets: Vec<Target<'a>>,
    clip: Rect,
    workspace: Workspace,
    inputs: Vec<Region>,
    outputs: BTreeMap<usize, Region>,
    waiting: Vec<Waiting>,
    counts: Counts,
    options: RunOptions<'static>,
    depth: Option<DepthBuffer<'a>>,
    /// Draws copy the depth buffer to this target, and do nothing else.
    copy: Option<(DepthCopy<'a>, Target<'a>)>,
    /// Where the program exports depth.
    depth_output: Option<Region>,
    alpha: Option<(CompareFunction, f32)>,
    /// The program may kill pixels.
    kills: bool,
}

/// A quad that waits for the program.
struct Waiting {
    quad: Quad,
    /// Depth of the four pixels.
    depths: [f32; 4],
    /// Of a front face.
    front: bool,
    /// For each source, of the four pixels.
    inputs: Vec<[[u32; 4]; 4]>,
}

impl Placed {
    /// Where it is on the grid.
    pub fn point(&self) -> Point {
        let [x, y, _] = self.window.place;
        Point { x: GRID.snap(x), y: GRID.snap(y) }
    }
}

impl<'a> Pixels<'a> {
    /// Of the state.
    pub fn of(
        state: &State,
        memory: &'a Arena,
        targets: Vec<Target<'a>>,
        mut clip: Rect,
        options: RunOptions<'static>,
    ) -> Result<Self, DrawError> {
        let copy = copy(&state.registers, memory)?;
        let program = match copy {
            Some(_) => Program::default(),
            None => stage_program(state, memory, Stage::Pixel).ok_or(DrawError::NoProgram { stage: "pixel" })?,
        };
        if let Some((from, to)) = &copy {
            for [right, bottom] in [from.size(), to.size()] {
                clip = clip.intersection(Rect { left: 0, top: 0, right, bottom });
            }
        }
        let mut plan = Plan::default();
        let bindings = bindings(PIXEL, state, memory, &[&program], &mut plan)?;
        let sources = if copy.is_some() { Vec::new() } else { sources(&state.registers)? };
        let registers = &state.registers;
        let test = registers.get::<SxAlphaTestControl>();
        let tests_alpha = test.alpha_test_enable && !test.alpha_test_bypass;
        let alpha = tests_alpha.then(|| (function(test.alpha_func), registers.float::<SxAlphaRef>()));
        let control = registers.get::<DbShaderControl>();
        let kills = control.kill_enable;
        let depth_output = if control.z_export_enable { Some(plan.reserve(8 * 4 * BATCH as u64)?) } else { None };
        let depth = DepthBuffer::of(registers, memory)?;
        if let Some(depth) = &depth {
            let [right, bottom] = depth.size();
            clip = clip.intersection(Rect { left: 0, top: 0, right, bottom });
        }
        let bytes = 16 * 4 * BATCH as u64;
        let inputs = sources.iter().map(|_| plan.reserve(bytes)).collect::<Result<_, _>>()?;
        let mut outputs = BTreeMap::new();
        // Alpha is that of the first.
        let first = (alpha.is_some() || kills).then_some(0);
        for output in targets.iter().map(|target| target.output).chain(first) {
            if let Entry::Vacant(place) = outputs.entry(output) {
                place.insert(plan.reserve(bytes)?);
            }
        }
        let (workspace, waiting, counts) = (plan.make()?, Vec::new(), Counts::default());
        Ok(Pixels {
            program,
            bindings,
            sources,
            targets,
            clip,
            workspace,
            inputs,
            outputs,
            waiting,
            counts,
            options,
            depth,
            copy,
            depth_output,
            alpha,
            kills,
        })
    }

    /// Draws a convex polygon with planes through three places, of which `setup` is.
    pub fn polygon(
        &mut self,
        face: &Face,
        points: &[Point],
        setup: Setup,
        corners: [&Placed; 3],
    ) -> Result<(), DrawError> {
        let Some(shape) = Shape::new(points, EdgeRule::TOP_LEFT) else { return Ok(()) };
        self.counts.drawn += 1;
        let corner = |n: usize| corners[n];
        let reciprocals = [0, 1, 2].map(|n| corner(n).window.reciprocal.to_bits());
        let (perspective, linear) = (Perspective::new(setup, reciprocals), Perspective::new(setup, [ONE; 3]));
        let plane = |value: &dyn Fn(&Placed) -> f64| setup.plane([0, 1, 2].map(|n| value(corner(n))));
        if let Some((from, to)) = &self.copy {
            return copy_bits(&shape, &self.clip, from, to, &mut self.counts);
        }
        let mut depth = plane(&|placed| placed.window.place[2].into());
        if let Some(offset) = &face.offset {
            let greatest = corners.iter().fold(0.0, |most: f32, corner| most.max(corner.window.place[2].abs()));
            depth.value += offset.distance(depth.dx.abs().max(depth.dy.abs()), greatest);
        }
        let inverse = plane(&|placed| placed.window.reciprocal.into());
        let attributes: Vec<Option<[AttributePlane; 4]>> = self
            .sources
            .iter()
            .map(|(_, source)| match *source {
                Source::Parameter { number, flat: false, linear: is_linear } => {
                    let kind = if is_linear { &linear } else { &perspective };
                    Some(std::array::from_fn(|component| {
                        kind.attribute([0, 1, 2].map(|n| attribute(face, corner(n), number, component)))
                    }))
                }
                Source::Parameter { flat: true, .. }
                | Source::Default(_)
                | Source::Position
                | Source::Face { .. }
                | Source::Sprite { .. } => None,
            })
            .collect();
        let centre = [Point { x: GRID.per_pixel / 2, y: GRID.per_pixel / 2 }];
        let mut found = Vec::new();
        quads(GRID, &shape, &self.clip, &centre, |quad| found.push(quad));
        for quad in found {
            let places = [0, 1, 2, 3].map(|n| (quad.x + n % 2, quad.y + n / 2));
            let inputs = self.sources.iter().zip(&attributes).map(|((_, source), planes)| {
                places.map(|place| {
                    value(source, planes.as_ref(), face, place, (&perspective, &linear), (&depth, &inverse))
                })
            });
            let inputs = inputs.collect();
            let depths = places.map(|(x, y)| depth.at(setup.offset(GRID.pixel_centre(x, y))) as f32);
            self.waiting.push(Waiting { quad, depths, front: face.front, inputs });
            if self.waiting.len() == BATCH {
                self.run()?;
            }
        }
        Ok(())
    }

    /// Runs the program for all quads that wait, and writes what it exports.
    fn run(&mut self) -> Result<(), DrawError> {
        let waiting = std::mem::take(&mut self.waiting);
        let columns = 2 * waiting.len();
        let Some(domain) = Domain::of_size(columns as u32, 2) else { return Ok(()) };
        let lane = |quad: usize, pixel: usize| pixel / 2 * columns + 2 * quad + pixel % 2;
        let mut vectors = vec![[0; 4]; 2 * columns];
        for (number, region) in self.inputs.iter().enumerate() {
            for (quad, waiting) in waiting.iter().enumerate() {
                for pixel in 0..4 {
                    vectors[lane(quad, pixel)] = waiting.inputs[number][pixel];
                }
            }
            self.workspace.set(*region, &vectors);
        }
        let mut job = Job::new(&self.program, domain, &self.workspace.space);
        job.bindings = self.bindings.clone();
        job.quad_derivatives = true;
        for ((register, _), region) in self.sources.iter().zip(&self.inputs) {
            job.inputs.insert(*register, Input::Buffer(*region));
        }
        job.targets.depth = self.depth_output.map(|region| Surface {
            base: region.base,
            pitch: columns.next_multiple_of(4) as u32,
            height: 2,
            tiling: Tiling::Linear,
            superfine: false,
            format: Format::Float32_2,
        });
        for (&output, region) in &self.outputs {
            let colour = job.targets.colours.get_mut(output);
            if let Some(colour) = colour {
                *colour = Some(Surface {
                    base: region.base,
                    pitch: columns.next_multiple_of(4) as u32,
                    height: 2,
                    tiling: Tiling::Linear,
                    superfine: false,
                    format: Format::Float32_4,
                });
            }
        }
        let pitch = columns.next_multiple_of(4);
        let alive = self.export(&job, 2 * pitch)?;
        for (quad, Waiting { quad: found, depths, front, .. }) in waiting.iter().enumerate() {
            for pixel in (0..4).filter(|&pixel| found.coverage[pixel] & 1 != 0) {
                let (x, y) = (found.x + pixel as u32 % 2, found.y + pixel as u32 / 2);
                let number = pixel / 2 * pitch + 2 * quad + pixel % 2;
                self.counts.pixels += 1;
                self.counts.fragments += 1;
                let alpha = |region: &Region| f32::from_bits(self.workspace.vector(*region, number)[3]);
                let is_dropped = match (self.alpha, self.outputs.get(&0)) {
                    (Some((function, reference)), Some(region)) => !function.holds(alpha(region), reference),
                    _ => false,
                };
                if is_dropped || alive.as_ref().is_some_and(|alive| !alive[number]) {
                    continue;
                }
                let exported = self.depth_output.map(|region| f32::from_bits(self.workspace.word(region, 2 * number)));
                let depth = exported.unwrap_or(depths[pixel]);
                if self.depth.as_ref().is_some_and(|buffer| !buffer.test((x, y), depth, *front)) {
                    continue;
                }
                for target in &self.targets {
                    let region = self.outputs[&target.output];
                    target.write(x, y, self.workspace.vector(region, number));
                }
                self.counts.passed += 1;
            }
        }
        Ok(())
    }

    /// Runs the program, and says which of so many vectors it has exported, if it may kill pixels: those of killed ones it has not. That shows by
    /// what was there before: no export leaves it in two runs that begin with different numbers.
    fn export(&self, job: &Job, vectors: usize) -> Result<Option<Vec<bool>>, DrawError> {
        let left = |value: u32| -> Result<Vec<bool>, DrawError> {
            let filled = vec![[value; 4]; vectors];
            self.outputs.values().for_each(|region| self.workspace.set(*region, &filled));
            run(job, &self.options)?;
            let is_left = |number| {
                let mut vectors = self.outputs.values().map(|region| self.workspace.vector(*region, number));
                vectors.all(|vector| vector == [value; 4])
            };
            Ok((0..vectors).map(is_left).collect())
        };
        let other = if self.kills { Some(left(1)?) } else { None };
        let zero = left(0)?;
        Ok(other.map(|other| other.into_iter().zip(zero).map(|(other, zero)| !(other && zero)).collect()))
    }

    /// Runs what still waits, and gives what was done.
    pub fn finish(mut self) -> Result<Counts, DrawError> {
        self.run()?;
        Ok(self.counts)
    }
}

/// What a copy of the depth buffer is between; `None` if draws are none.
fn copy<'a>(registers: &RegisterFile, memory: &'a Arena) -> Result<Option<(DepthCopy<'a>, Target<'a>)>, DrawError> {
    let Some(from) = DepthCopy::of(registers, memory)? else { return Ok(None) };
    let to = Target::surface(registers, memory, 0)?.filter(|to| to.pixel_bytes() == from.pixel_bytes());
    let to = to.ok_or(DrawError::NotYet { what: "a copy of depth to a target of another size" })?;
    Ok(Some((from, to)))
}

/// Copies what a shape covers.
fn copy_bits(shape: &Shape, clip: &Rect, from: &DepthCopy, to: &Target, counts: &mut Counts) -> Result<(), DrawError> {
    let centre = [Point { x: GRID.per_pixel / 2, y: GRID.per_pixel / 2 }];
    quads(GRID, shape, clip, &centre, |quad| {
        for pixel in (0..4).filter(|&pixel| quad.coverage[pixel] & 1 != 0) {
            let (x, y) = (quad.x + pixel as u32 % 2, quad.y + pixel as u32 / 2);
            to.write_bits(x, y, from.read(x, y));
            counts.pixels += 1;
        }
    });
    Ok(())
}

/// A component of a parameter at a corner: bits.
fn attribute(face: &Face, corner: &Placed, number: usize, component: usize) -> u32 {
    let value = |n: usize| {
        let parameter = face.vertices.get(n).and_then(|vertex| vertex.parameters.get(number));
        parameter.map_or(0, |parameter| parameter[component])
    };
    match corner.weights.iter().position(|&weight| weight == 1.0) {
        Some(vertex) => value(vertex),
        None => {
            let part = |n: usize| corner.weights[n] * f64::from(f32::from_bits(value(n)));
            ((part(0) + part(1) + part(2)) as f32).to_bits()
        }
    }
}

/// What a register gets in a pixel.
fn value(
    source: &Source,
    planes: Option<&[AttributePlane; 4]>,
    face: &Face,
    (x, y): (u32, u32),
    (perspective, linear): (&Perspective, &Perspective),
    (depth, inverse): (&Plane, &Plane),
) -> [u32; 4] {
    let point = GRID.pixel_centre(x, y);
    match *source {
        Source::Parameter { number, flat: true, .. } => {
            face.provoking.parameters.get(number).copied().unwrap_or_default()
        }
        Source::Parameter { linear: is_linear, .. } => {
            let place = if is_linear { linear.place(point) } else { perspective.place(point) };
            planes.map_or([0; 4], |planes| std::array::from_fn(|component| planes[component].at(&place)))
        }
        Source::Default(value) => value,
        Source::Position => {
            let offset = perspective.setup().offset(point);
            let (z, w) = (depth.at(offset) as f32, (1.0 / inverse.at(offset)) as f32);
            [x as f32 + 0.5, y as f32 + 0.5, z, w].map(f32::to_bits)
        }
        Source::Sprite { selects, flipped } => {
            let [low, high] = face.sprite.unwrap_or_default();
            let part = |at: i64, low: i64, high: i64| (at - low) as f32 / (high - low).max(1) as f32;
            let (s, t) = (part(point.x, low.x, high.x), part(point.y, low.y, high.y));
            let t = if flipped { 1.0 - t } else { t };
            selects
                .map(|select| match select {
                    0 => 0.0f32,
                    1 => 1.0,
                    2 => s,
                    _ => t,
                })
                .map(f32::to_bits)
        }
        Source::Face { component } => {
            let mut value = [0; 4];
            value[component] = if face.front { ONE } else { MINUS_ONE };
            value
        }
    }
}

/// The registers of the pixel program, and where they come from.
fn sources(registers: &RegisterFile) -> Result<Vec<(u8, Source)>, DrawError> {
    let (control, more) = (registers.get::<SpiPsInControl0>(), registers.get::<SpiPsInControl1>());
    let interpolation = registers.get::<SpiInterpControl0>();
    let flat_shading = interpolation.flat_shade_ena;
    let has_sprites =
        interpolation.pnt_sprite_ena && registers.get::<VgtPrimitiveType>().prim_type == PrimitiveType::POINTS;
    let exports = u32::from(registers.get::<SpiVsOutConfig>().vs_export_count) + 1;
    let semantic = |number: u32| registers.value(SpiVsOutId::ADDRESS + 4 * (number / 4)) >> (8 * (number % 4)) & 0xFF;
    let mut sources = Vec::new();
    for number in 0..u32::from(control.num_interp).min(SpiPsInputCntl::COUNT) {
        let input = registers.at::<SpiPsInputCntl>(number);
        let found = (0..exports).find(|&export| input.semantic != 0 && semantic(export) == input.semantic.into());
        let sprite = Source::Sprite {
            selects: [
                interpolation.pnt_sprite_ovrd_x,
                interpolation.pnt_sprite_ovrd_y,
                interpolation.pnt_sprite_ovrd_z,
                interpolation.pnt_sprite_ovrd_w,
            ],
            flipped: interpolation.pnt_sprite_top_1,
        };
        let source = match (found, input.default_val) {
            _ if has_sprites && input.pt_sprite_tex => sprite,
            (Some(export), _) => Source::Parameter {
                number: export as usize,
                flat: input.flat_shade && flat_shading,
                linear: input.sel_linear,
            },
            (None, 0) => Source::Default([0; 4]),
            (None, 1) => Source::Default([0, 0, 0, ONE]),
            (None, 2) => Source::Default([ONE, ONE, ONE, 0]),
            (None, _) => Source::Default([ONE; 4]),
        };
        sources.push((number as u8, source));
    }
    if control.position_ena {
        sources.push((control.position_addr, Source::Position));
    }
    if more.front_face_ena {
        sources.push((more.front_face_addr, Source::Face { component: more.front_face_chan.into() }));
    }
    if more.fixed_pt_position_ena || more.gen_index_pix || control.param_gen != 0 {
        return Err(DrawError::NotYet { what: "numbers of pixels and samples as inputs" });
    }
    Ok(sources)
}
