//! From primitives to pixels: clipping, the window, coverage, and the fragment program over quads of pixels.
//!
//! Primitives come from the last stage before the rasteriser, in order. What they cover waits in quads until there are enough for a launch
//! of the fragment program, or the primitives end; then its fragments go to [`Fragments`], in the order of primitives. Who receives
//! them tests and stores them: [`Targets`] does that for the surfaces of a run.
//!
//! Pixels have one sample, at their centre. Places are on a grid of 1/256 of a pixel; the rules of coverage are those of OpenGL: top and left
//! edges belong to triangles, lines are parallelograms along their major axis, points are squares. x grows to the right and y downwards.

pub mod clip;
pub mod inputs;
mod targets;

pub use targets::{ColourTarget, DepthTarget, FragmentCounts, Targets};

use super::assembled::{Assembled, Receiver};
use super::capture::Captured;
use super::stages::Stages;
use super::{DrawError, Shape};
use crate::attributes::{POSITION, View};
use crate::header::{AttributeMap, PixelMaps};
use crate::launch::{Environment, Invocations, PixelInput, PixelQuad, Pixels, PrimitiveValues, Shader, StageLaunch};
use clip::{ClipVertex, ClipVolume, Corner, DISTANCES, NearPlane};
use ctm_raster::coverage::{ConvexPolygon, EdgeOrientation, EdgeRule, QUAD_PIXELS, cross, quads};
use ctm_raster::grid::{Grid, Point, Rect};
use ctm_raster::outline::{self, LineDirection, LineEnds};
use ctm_raster::plane::{Plane, PrimitiveSetup};
use inputs::{Covering, InputPlane, InputRules, Inputs};

named! {
    /// Which triangles are not drawn. Names are those of OpenGL without `GL_`.
    Cull:
    /// All are drawn.
    None "none",
    /// Those that are seen from the front.
    Front "front",
    /// Those that are seen from the back.
    Back "back",
    /// All of them.
    FrontAndBack "front_and_back",
}

named! {
    /// Which triangles are seen from the front. Names are those of OpenGL without `GL_`.
    FrontFace:
    /// Those whose vertices go around counter-clockwise.
    CounterClockwise "ccw",
    /// Those whose vertices go around clockwise.
    Clockwise "cw",
}

/// The grid of window coordinates.
const GRID: Grid = Grid { per_pixel: 256 };
/// Quads of a launch, about.
const BATCH_QUADS: usize = 1 << 14;
/// Inputs of all primitives of a launch, about.
const BATCH_PLANES: usize = 1 << 18;
/// The first clip distance.
const CLIP_DISTANCE: u32 = 0x2c0;
/// The size of points.
const POINT_SIZE: u32 = 0x06c;
/// Largest size of points, in pixels (decision S72).
const MAX_POINT_SIZE: f32 = 2048.0;

/// From clip space to the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// What x/w, y/w and z/w are multiplied with.
    pub scale: [f32; 3],
    /// What is added then.
    pub offset: [f32; 3],
}

impl Viewport {
    /// The whole of a window, with y upwards before and downwards in it. Depths are from 0 to 1.
    pub fn whole(width: u32, height: u32) -> Self {
        let (x, y) = (width as f32 / 2.0, height as f32 / 2.0);
        Viewport { scale: [x, -y, 0.5], offset: [x, y, 0.5] }
    }
}

/// How primitives become pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterState {
    /// Columns and rows of the window.
    pub size: (u32, u32),
    /// Where in it primitives are.
    pub viewport: Viewport,
    /// Triangles that are not drawn.
    pub cull: Cull,
    /// Triangles that are seen from the front.
    pub front: FrontFace,
    /// Width of lines, in pixels.
    pub line_width: u32,
    /// Size of points whose size no program says, in pixels.
    pub point_size: f32,
}

impl RasterState {
    /// A window in which everything is drawn.
    pub fn new(width: u32, height: u32) -> Self {
        RasterState {
            size: (width, height),
            viewport: Viewport::whole(width, height),
            cull: Cull::default(),
            front: FrontFace::default(),
            line_width: 1,
            point_size: 1.0,
        }
    }
}

/// The last stage of a draw: fragments.
#[derive(Clone, Copy, Debug)]
pub struct FragmentStage<'a> {
    /// The fragment program.
    pub shader: Shader<'a>,
    /// Its constants, textures, images, memory.
    pub environment: &'a Environment<'a>,
    /// Where primitives are in the window.
    pub state: RasterState,
}

/// What a fragment leaves that no rule of the program has dropped.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    /// Its column and row.
    pub pixel: (u32, u32),
    /// The depth of its primitive there, or the one that the program puts out: from 0 to 1.
    pub depth: f32,
    /// The colours that the program puts out, four words for each target that gets one, in their order.
    pub colours: &'a [u32],
}

/// Who receives the fragments of a draw.
pub trait Fragments {
    /// Takes a fragment. Those of a pixel come in the order of their primitives.
    fn take(&mut self, fragment: &Fragment);
}

/// Takes primitives, and makes fragments of them.
pub(super) struct Rasteriser<'a> {
    stage: &'a FragmentStage<'a>,
    fragments: &'a mut dyn Fragments,
    maps: PixelMaps,
    inputs: Inputs,
    /// What is captured of the primitives.
    pub captured: Captured<'a>,
    pending: Pending,
}

/// What waits for a launch.
#[derive(Default)]
struct Pending {
    quads: Vec<PixelQuad>,
    /// The primitives of the quads.
    primitives: Vec<PendingPrimitive>,
    /// The inputs of one primitive after the other.
    planes: Vec<InputPlane>,
}

struct PendingPrimitive {
    setup: PrimitiveSetup,
    depth: Plane,
}

/// A corner in the window.
struct WindowCorner {
    corner: Corner,
    place: Point,
    depth: f64,
    /// 1/w.
    reciprocal: f64,
}

/// The vertices of a primitive.
struct Vertices<'a> {
    records: View<'a>,
    /// Their records; those that there are not repeat the first one.
    numbers: [u32; 3],
    /// The last one of the primitive (decision S73).
    provoking: u32,
    id: u32,
}

impl Receiver for Rasteriser<'_> {
    fn receive(&mut self, stages: &mut Stages, made: &Assembled) -> Result<(), DrawError> {
        self.captured.receive(stages, made)?;
        let size = made.shape.vertices() as usize;
        for (vertices, &id) in made.vertices.chunks_exact(size).zip(made.ids) {
            let number = |n: usize| vertices.get(n).copied().unwrap_or(vertices[0]);
            let numbers = [number(0), number(1), number(2)];
            self.primitive(
                stages,
                made.shape,
                &Vertices { records: made.records, numbers, provoking: vertices[size - 1], id },
            )?;
        }
        self.flush(stages)
    }

    fn bytes(&self) -> u64 {
        self.captured.bytes()
    }
}

impl<'a> Rasteriser<'a> {
    pub fn new(stage: &'a FragmentStage<'a>, fragments: &'a mut dyn Fragments, captured: Captured<'a>) -> Self {
        let maps = stage.shader.header.map(|header| header.pixel).unwrap_or_default();
        let inputs = Inputs::of(&stage.shader, InputRules::default());
        Rasteriser { stage, fragments, maps, inputs, captured, pending: Pending::default() }
    }

    /// Clips a primitive and covers what is left of it.
    fn primitive(&mut self, stages: &mut Stages, shape: Shape, vertices: &Vertices) -> Result<(), DrawError> {
        let records = vertices.records;
        let number = |record: u32, address: u32| f64::from(f32::from_bits(records.get(record, address)));
        // Components that no program writes are those of (0, 0, 0, 1).
        let has_w = records.has(POSITION + 12);
        let clip_vertices = vertices.numbers.map(|record| {
            let component = |n: usize| if n == 3 && !has_w { 1.0 } else { number(record, POSITION + 4 * n as u32) };
            let distance = |n: usize| number(record, CLIP_DISTANCE + 4 * n as u32);
            ClipVertex { position: std::array::from_fn(component), distances: std::array::from_fn(distance) }
        });
        let has_distance = |n: &usize| records.has(CLIP_DISTANCE + 4 * *n as u32);
        let distances = (0..DISTANCES).filter(has_distance).fold(0, |bits, n| bits | 1 << n);
        let corners = clip::clip(shape, &clip_vertices, ClipVolume { near: NearPlane::MinusW, far: true, distances });
        let corners: Vec<WindowCorner> =
            corners.into_iter().map(|corner| self.window_corner(corner, &clip_vertices)).collect();
        match (shape, &corners[..]) {
            (Shape::Point, [centre]) => self.point(stages, vertices, centre),
            (Shape::Line, [from, to]) => self.line(stages, vertices, from, to),
            (Shape::Triangle, [first, rest @ ..]) => {
                rest.windows(2).try_for_each(|pair| self.triangle(stages, vertices, [first, &pair[0], &pair[1]]))
            }
            // It is outside.
            (Shape::Point | Shape::Line | Shape::Triangle, _) => Ok(()),
        }
    }

    fn window_corner(&self, corner: Corner, vertices: &[ClipVertex; 3]) -> WindowCorner {
        let Viewport { scale, offset } = self.stage.state.viewport;
        let position = |axis: usize| corner.of(vertices.map(|vertex| vertex.position[axis])) as f32;
        let w = position(3);
        let place = |axis: usize| position(axis) / w * scale[axis] + offset[axis];
        let point = Point { x: GRID.snap(place(0)), y: GRID.snap(place(1)) };
        WindowCorner { corner, place: point, depth: place(2).into(), reciprocal: (1.0 / w).into() }
    }

    fn point(&mut self, stages: &mut Stages, vertices: &Vertices, centre: &WindowCorner) -> Result<(), DrawError> {
        let given = match vertices.records.has(POINT_SIZE) {
            true => f32::from_bits(vertices.records.get(vertices.numbers[0], POINT_SIZE)),
            false => self.stage.state.point_size,
        };
        // Sizes that are not numbers count as the least.
        let size = if given > 1.0 { given.min(MAX_POINT_SIZE) } else { 1.0 };
        let half = GRID.snap(size) / 2;
        let outline = outline::point(centre.place, half, half);
        let Point { x, y } = centre.place;
        let axes = [centre.place, Point { x: x + 1, y }, Point { x, y: y + 1 }];
        let Some(setup) = PrimitiveSetup::triangle(GRID, axes) else { return Ok(()) };
        let corners = [centre; 3];
        let primitive = covering(vertices, corners, setup, true, Some(2.0 * half as f64));
        self.cover(stages, &primitive, &outline, EdgeRule::TOP_LEFT)
    }

    fn line(
        &mut self,
        stages: &mut Stages,
        vertices: &Vertices,
        from: &WindowCorner,
        to: &WindowCorner,
    ) -> Result<(), DrawError> {
        let Some(setup) = PrimitiveSetup::line(GRID, [from.place, to.place]) else { return Ok(()) };
        let half = i64::from(self.stage.state.line_width) * GRID.per_pixel / 2;
        let outline = outline::line(from.place, to.place, half, LineEnds::AcrossMajor);
        // The pixel where a line begins belongs to it, and not the one where it ends.
        let direction = LineDirection::of(from.place, to.place);
        let (left, top) = (direction != LineDirection::RightToLeft, direction != LineDirection::BottomToTop);
        let orientation = if direction.is_x_major() { EdgeOrientation::YMajor } else { EdgeOrientation::XMajor };
        let rule = EdgeRule { orientation, left, right: !left, top, bottom: !top };
        let primitive = covering(vertices, [from, to, from], setup, true, None);
        self.cover(stages, &primitive, &outline, rule)
    }

    fn triangle(
        &mut self,
        stages: &mut Stages,
        vertices: &Vertices,
        corners: [&WindowCorner; 3],
    ) -> Result<(), DrawError> {
        let outline = corners.map(|corner| corner.place);
        let Some(setup) = PrimitiveSetup::triangle(GRID, outline) else { return Ok(()) };
        let is_clockwise = cross(outline[0], outline[1], outline[2]) > 0;
        let is_front = is_clockwise == (self.stage.state.front == FrontFace::Clockwise);
        let is_culled = match self.stage.state.cull {
            Cull::None => false,
            Cull::Front => is_front,
            Cull::Back => !is_front,
            Cull::FrontAndBack => true,
        };
        if is_culled {
            return Ok(());
        }
        let primitive = covering(vertices, corners, setup, is_front, None);
        self.cover(stages, &primitive, &outline, EdgeRule::TOP_LEFT)
    }

    /// Adds the quads that a primitive of this outline covers.
    fn cover(
        &mut self,
        stages: &mut Stages,
        primitive: &Covering,
        outline: &[Point],
        rule: EdgeRule,
    ) -> Result<(), DrawError> {
        let Some(polygon) = ConvexPolygon::new(outline, rule) else { return Ok(()) };
        let (width, height) = self.stage.state.size;
        // As many rows at a time as have the quads of a launch.
        let rows = 2 * (BATCH_QUADS as u32 / width.div_ceil(2).max(1)).max(1);
        let (low, high) = polygon.bounds();
        let row = |y: i64| y.div_euclid(GRID.per_pixel).clamp(0, height.into()) as u32;
        let (top, bottom) = (row(low.y) & !1, row(high.y + GRID.per_pixel));
        let centre = [GRID.pixel_centre(0, 0)];
        let mut is_new = true;
        for top in (top..bottom).step_by(rows as usize) {
            let window = Rect { left: 0, top, right: width, bottom: bottom.min(top + rows) };
            let before = self.pending.quads.len();
            let number = self.pending.primitives.len() as u32 - u32::from(!is_new);
            quads(GRID, &polygon, &window, &centre, |quad| {
                let covered = (0..).zip(quad.coverage).fold(0, |bits, (n, covered)| bits | covered << n);
                self.pending.quads.push(PixelQuad::of_one_sample((quad.x, quad.y), covered, number));
            });
            if self.pending.quads.len() > before && is_new {
                self.pending.primitives.push(PendingPrimitive { setup: primitive.setup, depth: primitive.depth });
                self.pending.planes.extend(self.inputs.over(primitive));
                is_new = false;
            }
            if self.pending.quads.len() >= BATCH_QUADS || self.pending.planes.len() >= BATCH_PLANES {
                self.flush(stages)?;
                is_new = true;
            }
        }
        Ok(())
    }

    /// Runs the program over what waits, and hands its fragments on.
    fn flush(&mut self, stages: &mut Stages) -> Result<(), DrawError> {
        if self.pending.quads.is_empty() {
            return Ok(());
        }
        let Pending { quads, primitives, planes } = std::mem::take(&mut self.pending);
        let inputs = self.inputs.addresses().enumerate().map(|(n, address)| {
            let of = |primitive: usize| &planes[primitive * self.inputs.addresses().len() + n];
            let mut values = PrimitiveValues::default();
            for (primitive, _) in primitives.iter().enumerate() {
                values.slopes.push(of(primitive).slopes());
                values.provoking.push(of(primitive).provoking);
            }
            for quad in &quads {
                let (plane, setup) = (of(quad.primitive as usize), &primitives[quad.primitive as usize].setup);
                let at = |(x, y)| plane.at(setup.offset(GRID.pixel_centre(quad.x + x, quad.y + y)));
                values.centres.extend(QUAD_PIXELS.map(at));
            }
            (address, PixelInput::Primitives(values))
        });
        let inputs: Vec<_> = inputs.collect();
        let pixels = Pixels::of_quads(quads.clone(), &self.maps, inputs)?;
        let invocations = Invocations { count: pixels.invocations(), columns: None };
        let FragmentStage { shader, environment, .. } = self.stage;
        let launch = StageLaunch {
            pixels: Some(&pixels),
            ..StageLaunch::new(*shader, environment, &invocations, AttributeMap::default())
        };
        stages.launch(&launch, self.captured.bytes())?;
        let colours = self.maps.colour_registers() as usize;
        for (invocation, quad) in (0..).zip(quads.iter().flat_map(|quad| [quad; 4])) {
            let Some(registers) = pixels.result_of(invocation) else { continue };
            let register = |n: u32| registers[n as usize];
            // A pixel has one sample.
            if self.maps.sample_mask_register().is_some_and(|n| register(n) & 1 == 0) {
                continue;
            }
            let pixel = pixels.pixel(invocation);
            let depth = match self.maps.depth_register() {
                Some(n) => f32::from_bits(register(n)),
                None => {
                    let PendingPrimitive { setup, depth } = &primitives[quad.primitive as usize];
                    depth.at(setup.offset(GRID.pixel_centre(pixel.0, pixel.1))) as f32
                }
            };
            let colours = &registers[..colours];
            self.fragments.take(&Fragment { pixel, depth: from_0_to_1(depth), colours });
        }
        Ok(())
    }
}

/// The nearest number from 0 to 1; 0 for what is not a number.
fn from_0_to_1(number: f32) -> f32 {
    if number > 0.0 { number.min(1.0) } else { 0.0 }
}

fn covering<'a>(
    vertices: &Vertices<'a>,
    corners: [&WindowCorner; 3],
    setup: PrimitiveSetup,
    is_front: bool,
    point_size: Option<f64>,
) -> Covering<'a> {
    Covering {
        records: vertices.records,
        vertices: vertices.numbers,
        provoking: vertices.provoking,
        id: vertices.id,
        corners: corners.map(|corner| corner.corner),
        is_whole: false,
        setup,
        reciprocals: corners.map(|corner| corner.reciprocal),
        depth: setup.plane(corners.map(|corner| corner.depth)),
        is_front,
        point_size,
        depth_range: [0.0, 1.0],
    }
}
