//! From primitives to the shapes that cover pixels: clipping, the window, faces, points and lines.

use super::Rasteriser;
use super::cover::{CoverRules, Disc, Stipple};
use super::noting::shape_history;
use super::state::{RasterState, Viewport};
use crate::methods::codes::{CullFace, FrontFace, PolygonMode};
use ctm_raster::coverage::{EdgeOrientation, EdgeRule, LIMIT, cross};
use ctm_raster::grid::{Grid, Point, Rect};
use ctm_raster::outline::{self, LineDirection, LineEnds};
use ctm_raster::plane::{Plane, PrimitiveSetup};
use ctm_sm50::attributes::{POSITION, View};
use ctm_sm50::pipeline::clip::{
    ClipVertex, Corner, DISTANCES, clip, clip_in_window, corner_of, is_inside, is_vertex_inside,
};
use ctm_sm50::pipeline::inputs::Covering;
use ctm_sm50::pipeline::{DrawError, Outline, Shape, Stages};

/// The grid of window coordinates.
pub const GRID: Grid = Grid { per_pixel: 256 };
/// The first clip distance.
const CLIP_DISTANCE: u32 = 0x2C0;
/// The size of points.
const POINT_SIZE: u32 = 0x06C;
/// The layer and the viewport.
const LAYER: u32 = 0x064;
const VIEWPORT: u32 = 0x068;
/// Largest size of points, in pixels (decision D325).
const MAX_POINT_SIZE: f32 = 2048.0;

/// A primitive as it comes.
#[derive(Clone, Copy)]
pub struct Primitive<'a> {
    pub records: View<'a>,
    /// The records of its vertices; those that there are not repeat the first one.
    pub vertices: [u32; 3],
    /// The record of the provoking one.
    pub provoking: u32,
    pub id: u32,
    pub outline: Outline,
}

/// What all shapes of a primitive have in common.
#[derive(Clone, Copy)]
pub struct Face {
    pub is_front: bool,
    pub viewport: usize,
    pub layer: u32,
}

/// A corner in the window.
#[derive(Clone, Copy)]
pub struct WindowCorner {
    corner: Corner,
    /// It is the vertex with the same number.
    is_vertex: bool,
    pub place: Point,
    pub depth: f64,
    /// 1/w.
    pub reciprocal: f64,
}

/// A vertex in the window that nothing cuts away.
#[derive(Clone, Copy)]
pub struct PlacedVertex {
    place: Point,
    depth: f64,
    reciprocal: f64,
}

impl PlacedVertex {
    /// It, as a corner of a primitive.
    fn corner(self, number: usize) -> WindowCorner {
        let PlacedVertex { place, depth, reciprocal } = self;
        WindowCorner { corner: corner_of(number), is_vertex: true, place, depth, reciprocal }
    }
}

/// The corners of what is left of a primitive.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and nearly all primitives are whole")]
enum Corners {
    /// Nothing was cut: so many of these.
    Whole([WindowCorner; 3], usize),
    Cut(Vec<WindowCorner>),
}

impl Corners {
    const NONE: Corners = Corners::Cut(Vec::new());

    fn all(&self) -> &[WindowCorner] {
        match self {
            Corners::Whole(corners, count) => &corners[..*count],
            Corners::Cut(corners) => corners,
        }
    }
}

/// Moves the depth of a shape, and bounds it.
#[derive(Clone, Copy)]
struct DepthMove(f64);

impl Primitive<'_> {
    fn number(&self, record: u32, address: u32) -> f64 {
        f32::from_bits(self.records.get(record, address)).into()
    }

    /// The vertices, with their distances if these count.
    fn clip_vertices(&self, has_distances: bool) -> [ClipVertex; 3] {
        self.vertices.map(|record| ClipVertex {
            position: position_of(&self.records, record),
            distances: match has_distances {
                true => std::array::from_fn(|n: usize| self.number(record, CLIP_DISTANCE + 4 * n as u32)),
                false => [0.0; DISTANCES],
            },
        })
    }

    /// The primitive of two of its vertices, as a line.
    fn edge(&self, from: usize, to: usize) -> Self {
        let [from, to] = [from, to].map(|n| self.vertices[n]);
        Primitive { vertices: [from, to, from], ..*self }
    }

    /// The primitive of one of its vertices, as a point.
    fn corner(&self, n: usize) -> Self {
        Primitive { vertices: [self.vertices[n]; 3], ..*self }
    }
}

/// The position of a vertex. Components that no program writes are those of (0, 0, 0, 1).
fn position_of(records: &View, record: u32) -> [f64; 4] {
    let has_w = records.has(POSITION + 12);
    std::array::from_fn(|n| match n {
        3 if !has_w => 1.0,
        _ => f32::from_bits(records.get(record, POSITION + 4 * n as u32)).into(),
    })
}

impl RasterState {
    /// Places all vertices of a batch in the window, as far as nothing cuts them away; none if each primitive has a viewport of its own, or is cut by
    /// distances.
    pub fn place_all(&self, records: &View, placed: &mut Vec<Option<PlacedVertex>>) {
        let has_distances = self.volume.distances | self.cull_distances != 0;
        if !self.has_transform || has_distances || records.has(VIEWPORT) {
            return;
        }
        let viewport = self.viewport(0);
        placed.extend((0..records.count()).map(|record| {
            let position = position_of(records, record);
            let vertex = ClipVertex { position, distances: [0.0; DISTANCES] };
            let is_kept = is_vertex_inside(&vertex, self.volume);
            if is_kept { self.placed_vertex(position.map(|coordinate| coordinate as f32), viewport) } else { None }
        }));
    }

    /// The corners of what is left of a primitive.
    fn clipped(&self, shape: Shape, primitive: &Primitive, viewport: &Viewport) -> Corners {
        let mut volume = self.volume;
        let has_distances = volume.distances | self.cull_distances != 0;
        let vertices = primitive.clip_vertices(has_distances);
        let count = shape.vertices() as usize;
        if has_distances {
            // Distances that no program writes clip nothing.
            let written = |n: &usize| primitive.records.has(CLIP_DISTANCE + 4 * *n as u32);
            let written = (0..DISTANCES).filter(written).fold(0u8, |bits, n| bits | 1 << n);
            let is_culled = |n: usize| vertices[..count].iter().all(|vertex| vertex.distances[n] < 0.0);
            if (0..DISTANCES).any(|n| self.cull_distances & written & 1 << n != 0 && is_culled(n)) {
                return Corners::NONE;
            }
            volume.distances &= written;
        }
        if self.has_transform && is_inside(shape, &vertices, volume) {
            let corner = |n: usize| self.window_corner((corner_of(n.min(count - 1)), true), &vertices, viewport);
            return match [corner(0), corner(1), corner(2)] {
                [Some(a), Some(b), Some(c)] => Corners::Whole([a, b, c], count),
                // What is that far away is in no window.
                [_, _, _] => Corners::NONE,
            };
        }
        let corners = match self.has_transform {
            true => clip(shape, &vertices, volume),
            false => clip_in_window(shape, &vertices, volume.distances),
        };
        let corners: Option<Vec<_>> =
            corners.into_iter().map(|corner| self.window_corner((corner, false), &vertices, viewport)).collect();
        Corners::Cut(corners.unwrap_or_default())
    }

    fn window_corner(
        &self,
        (corner, is_vertex): (Corner, bool),
        vertices: &[ClipVertex; 3],
        viewport: &Viewport,
    ) -> Option<WindowCorner> {
        let position = [0, 1, 2, 3].map(|axis| corner.of(vertices.map(|vertex| vertex.position[axis])) as f32);
        let PlacedVertex { place, depth, reciprocal } = self.placed_vertex(position, viewport)?;
        Some(WindowCorner { corner, is_vertex, place, depth, reciprocal })
    }

    /// A position in the window; `None` if it is too far away.
    #[inline]
    fn placed_vertex(&self, position: [f32; 4], viewport: &Viewport) -> Option<PlacedVertex> {
        let w = if self.has_transform { position[3] } else { 1.0 };
        let place = |axis: usize| match self.has_transform {
            true => position[axis] / w * viewport.scale[axis] + viewport.offset[axis],
            false => position[axis],
        };
        let half = if self.has_integer_centres { GRID.per_pixel / 2 } else { 0 };
        let (x, y) = (GRID.snap(place(0)), GRID.snap(place(1)));
        let is_near = |at: i64| (-LIMIT / 2..LIMIT / 2).contains(&at);
        (is_near(x) && is_near(y)).then(|| PlacedVertex {
            place: Point { x: x + half, y: y + half },
            depth: place(2).into(),
            reciprocal: (1.0 / w).into(),
        })
    }

    /// How far the depth of a polygon is moved that is drawn as this.
    fn depth_move(&self, mode: PolygonMode, corners: &[WindowCorner], unit: DepthUnit) -> DepthMove {
        let mode = match mode {
            PolygonMode::Point => 0,
            PolygonMode::Line => 1,
            PolygonMode::Fill => 2,
        };
        let Some(offset) = self.offsets[mode] else { return DepthMove(0.0) };
        let slope = match corners {
            [a, b, c, ..] => PrimitiveSetup::triangle(GRID, [a.place, b.place, c.place])
                .map(|setup| setup.plane([a.depth, b.depth, c.depth]))
                .map_or(0.0, |plane| plane.dx.abs().max(plane.dy.abs())),
            _ => 0.0,
        };
        let largest = corners.iter().fold(0.0f64, |largest, corner| largest.max(corner.depth.abs()));
        let unit = match unit {
            DepthUnit::Fixed(unit) => unit,
            // The step of binary32 at the largest depth.
            DepthUnit::Float => ((largest as f32).max(f32::MIN_POSITIVE).log2().floor() - 23.0).exp2().into(),
        };
        let moved = f64::from(offset.factor) * slope + f64::from(offset.units) / 2.0 * unit;
        let clamp = f64::from(offset.clamp);
        let moved = match clamp {
            _ if clamp > 0.0 => moved.min(clamp),
            _ if clamp < 0.0 => moved.max(clamp),
            _ => moved,
        };
        DepthMove(if moved.is_finite() { moved } else { 0.0 })
    }
}

/// What a unit of depth offset is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DepthUnit {
    /// It is the same everywhere.
    Fixed(f64),
    /// A step of binary32.
    Float,
}

impl Rasteriser<'_> {
    /// Draws a primitive.
    pub fn primitive(&mut self, stages: &mut Stages, shape: Shape, primitive: &Primitive) -> Result<(), DrawError> {
        self.counts.clipped += 1;
        let records = primitive.records;
        let number = |address: u32| if records.has(address) { records.get(primitive.provoking, address) } else { 0 };
        let viewport = (number(VIEWPORT) & 0xF) as usize;
        let face = Face { is_front: true, viewport, layer: self.state.layer.unwrap_or_else(|| number(LAYER)) };
        let corners = match self.placed_corners(shape, primitive) {
            Some(corners) => corners,
            None => self.state.clipped(shape, primitive, self.state.viewport(viewport)),
        };
        let corners = corners.all();
        if corners.is_empty() {
            return Ok(());
        }
        self.counts.clipping_left += 1;
        match (shape, corners) {
            (Shape::Point, [centre]) => self.point(stages, primitive, face, centre, DepthMove(0.0)),
            (Shape::Line, [from, to]) => self.line(stages, primitive, face, [from, to], DepthMove(0.0)),
            (Shape::Triangle, [_, _, _, ..]) => self.polygon(stages, primitive, face, corners),
            (Shape::Point | Shape::Line | Shape::Triangle, _) => Ok(()),
        }
    }

    /// The corners of a primitive whose vertices are placed in the window.
    fn placed_corners(&self, shape: Shape, primitive: &Primitive) -> Option<Corners> {
        let placed = |n: usize| *self.placed.get(primitive.vertices[n] as usize)?;
        let corners = [placed(0)?.corner(0), placed(1)?.corner(1), placed(2)?.corner(2)];
        Some(Corners::Whole(corners, shape.vertices() as usize))
    }

    fn polygon(
        &mut self,
        stages: &mut Stages,
        primitive: &Primitive,
        face: Face,
        corners: &[WindowCorner],
    ) -> Result<(), DrawError> {
        let area: i64 = corners[1..]
            .windows(2)
            .map(|pair| cross(corners[0].place, pair[0].place, pair[1].place))
            .fold(0, i64::saturating_add);
        if area == 0 {
            return Ok(());
        }
        // With y downwards, a positive area is clockwise.
        let is_front = (area > 0) == (self.state.front == FrontFace::Clockwise);
        let is_culled = match self.state.cull {
            None => false,
            Some(CullFace::Front) => is_front,
            Some(CullFace::Back) => !is_front,
            Some(CullFace::Both) => true,
        };
        if is_culled {
            self.note_culled(Face { is_front, ..face }, corners);
            return Ok(());
        }
        let face = Face { is_front, ..face };
        let mode = self.state.modes[usize::from(!is_front)];
        let moved = self.state.depth_move(mode, corners, self.depth_unit);
        let viewport = *self.state.viewport(face.viewport);
        match mode {
            PolygonMode::Fill => corners[1..]
                .windows(2)
                .try_for_each(|pair| self.triangle(stages, primitive, face, [&corners[0], &pair[0], &pair[1]], moved)),
            PolygonMode::Line => (0..3).filter(|&n| primitive.outline.has_edge(n)).try_for_each(|n| {
                let edge = primitive.edge(n as usize, (n as usize + 1) % 3);
                match self.state.clipped(Shape::Line, &edge, &viewport).all() {
                    [from, to] => self.line(stages, &edge, face, [from, to], moved),
                    _ => Ok(()),
                }
            }),
            PolygonMode::Point => (0..3).filter(|&n| primitive.outline.has_edge(n)).try_for_each(|n| {
                let corner = primitive.corner(n as usize);
                match self.state.clipped(Shape::Point, &corner, &viewport).all() {
                    [centre] => self.point(stages, &corner, face, centre, moved),
                    _ => Ok(()),
                }
            }),
        }
    }

    fn triangle(
        &mut self,
        stages: &mut Stages,
        primitive: &Primitive,
        face: Face,
        corners: [&WindowCorner; 3],
        moved: DepthMove,
    ) -> Result<(), DrawError> {
        let outline = corners.map(|corner| corner.place);
        if self.probe.is_none() && self.is_beside(face, &outline) {
            return Ok(());
        }
        let Some(setup) = PrimitiveSetup::triangle(GRID, outline) else { return Ok(()) };
        let covering = self.covering(primitive, face, corners, (setup, moved), None);
        let rules = CoverRules { polygon_stipple: self.state.polygon_stipple, ..CoverRules::of(EdgeRule::TOP_LEFT) };
        self.cover(stages, &covering, face, &outline, &rules)
    }

    /// Whether a shape of these corners lies beside all pixels that can be drawn to.
    fn is_beside(&self, face: Face, corners: &[Point; 3]) -> bool {
        let Rect { left, top, right, bottom } = self.state.viewport(face.viewport).area.intersection(self.bounds);
        let edge = |pixel: u32| i64::from(pixel) * GRID.per_pixel;
        let all = |is_beyond: &dyn Fn(&Point) -> bool| corners.iter().all(is_beyond);
        all(&|corner| corner.x < edge(left))
            || all(&|corner| corner.x > edge(right))
            || all(&|corner| corner.y < edge(top))
            || all(&|corner| corner.y > edge(bottom))
    }

    fn point(
        &mut self,
        stages: &mut Stages,
        primitive: &Primitive,
        face: Face,
        centre: &WindowCorner,
        moved: DepthMove,
    ) -> Result<(), DrawError> {
        let records = primitive.records;
        let given = match self.state.has_point_sizes && records.has(POINT_SIZE) {
            true => f32::from_bits(records.get(primitive.vertices[0], POINT_SIZE)),
            false => self.state.point_size,
        };
        let is_round = !self.state.has_sprites && (self.state.is_multisampled || self.state.has_smooth_points);
        let least = if self.state.is_multisampled { 1.0 / 16.0 } else { 1.0 };
        // Sizes that are not numbers count as the least.
        let size = if given > least { given.min(MAX_POINT_SIZE) } else { least };
        let size = if self.state.has_sprites || is_round { size } else { size.round() };
        let half = (GRID.snap(size) / 2).max(1);
        let outline = outline::point(centre.place, half, half);
        let Point { x, y } = centre.place;
        let axes = [centre.place, Point { x: x + 1, y }, Point { x, y: y + 1 }];
        let Some(setup) = PrimitiveSetup::triangle(GRID, axes) else { return Ok(()) };
        let covering = self.covering(primitive, face, [centre; 3], (setup, moved), Some(2.0 * half as f64));
        let disc = is_round.then_some(Disc { centre: centre.place, radius: half });
        let rules = CoverRules { disc, ..CoverRules::of(EdgeRule::TOP_LEFT) };
        self.cover(stages, &covering, face, &outline, &rules)
    }

    fn line(
        &mut self,
        stages: &mut Stages,
        primitive: &Primitive,
        face: Face,
        [from, to]: [&WindowCorner; 2],
        moved: DepthMove,
    ) -> Result<(), DrawError> {
        let Some(setup) = PrimitiveSetup::line(GRID, [from.place, to.place]) else { return Ok(()) };
        let half = (GRID.snap(self.state.line_width.clamp(1.0 / 16.0, MAX_POINT_SIZE)) / 2).max(1);
        let direction = LineDirection::of(from.place, to.place);
        let is_rectangle = self.state.is_multisampled;
        let ends = if is_rectangle { LineEnds::Perpendicular } else { LineEnds::AcrossMajor };
        let outline = outline::line(from.place, to.place, half, ends);
        let rule = match is_rectangle {
            true => EdgeRule::TOP_LEFT,
            false => {
                // The pixel where a line begins belongs to it, and not the one where it ends.
                let (left, top) = (direction != LineDirection::RightToLeft, direction != LineDirection::BottomToTop);
                let orientation =
                    if direction.is_x_major() { EdgeOrientation::YMajor } else { EdgeOrientation::XMajor };
                EdgeRule { orientation, left, right: !left, top, bottom: !top }
            }
        };
        let line_stipple = self.state.line_stipple.map(|(pattern, repeat)| {
            if !primitive.outline.continues() {
                self.stippled = 0;
            }
            let along = |point: Point| if direction.is_x_major() { point.x } else { point.y };
            let (start, end) = (along(from.place), along(to.place));
            let passed = self.stippled;
            self.stippled += ((end - start).abs() + GRID.per_pixel / 2) / GRID.per_pixel;
            let first = start.div_euclid(GRID.per_pixel);
            Stipple { pattern, repeat, passed, first, is_x_major: direction.is_x_major() }
        });
        let covering = self.covering(primitive, face, [from, to, from], (setup, moved), None);
        let rules = CoverRules { line_stipple, ..CoverRules::of(rule) };
        self.cover(stages, &covering, face, &outline, &rules)
    }

    fn covering<'p>(
        &self,
        primitive: &Primitive<'p>,
        face: Face,
        corners: [&WindowCorner; 3],
        (setup, DepthMove(moved)): (PrimitiveSetup, DepthMove),
        point_size: Option<f64>,
    ) -> Covering<'p> {
        if let Some(probe) = self.probe {
            probe.begin_shape(shape_history(face, &corners));
        }
        let depth = setup.plane(corners.map(|corner| corner.depth));
        Covering {
            records: primitive.records,
            vertices: primitive.vertices,
            provoking: primitive.provoking,
            id: primitive.id,
            corners: corners.map(|corner| corner.corner),
            is_whole: corners.iter().all(|corner| corner.is_vertex),
            setup,
            reciprocals: corners.map(|corner| corner.reciprocal),
            depth: Plane { value: depth.value + moved, ..depth },
            is_front: face.is_front,
            point_size,
            depth_range: self.state.viewport(face.viewport).depth_range,
        }
    }
}
