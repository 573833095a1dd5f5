//! From primitives to the shapes that are drawn.

use super::DrawError;
use super::assemble::{Primitive, PrimitiveForm};
use super::attributes::{PrimitiveContext, SetupVertex};
use super::clip::{Corner, Projection, WindowVertex};
use super::depth::DepthOffset;
use super::pixels::{GRID, Pixels};
use super::stipple::Stipple;
use super::vertex_places::VertexPlaces;
use super::vertices::{Transformed, Vertex};
use super::viewports::{Viewport, Viewports};
use crate::registers::codes::{GeometryMode, OutputPrimitive, PolygonMode, PrimitiveType};
use crate::registers::{
    PaScLineCntl, PaScModeCntl, PaSuLineCntl, PaSuPointMinmax, PaSuPointSize, PaSuScModeCntl, PaSuVtxCntl,
    RegisterFile, VgtGsMode, VgtGsOutPrimType, VgtPrimitiveType,
};
use ctm_raster::coverage::{LIMIT, cross};
use ctm_raster::grid::Point;
use ctm_raster::outline::{LineEnds, line, point};
use ctm_raster::plane::PrimitiveSetup;

/// Steps of the grid in a sixteenth of a pixel, in which widths are.
const STEPS: i64 = 16;

/// Whether points are drawn: those of draws, or those of a geometry program.
pub fn are_points(registers: &RegisterFile) -> bool {
    match registers.get::<VgtGsMode>().mode {
        GeometryMode::ScenarioG => registers.get::<VgtGsOutPrimType>().outprim_type == OutputPrimitive::Points,
        GeometryMode::Off | GeometryMode::ScenarioA | GeometryMode::ScenarioB => {
            registers.get::<VgtPrimitiveType>().prim_type == PrimitiveType::POINTS
        }
    }
}

/// How primitives become shapes.
pub struct Shapes {
    projection: Projection,
    viewports: Viewports,
    mode: PaSuScModeCntl,
    /// What becomes of front and back faces.
    polygons: [PolygonMode; 2],
    points: PaSuPointSize,
    bounds: PaSuPointMinmax,
    lines: PaSuLineCntl,
    line_ends: LineEnds,
    stipple: Option<Stipple>,
    /// Of front faces, of back faces, and of points and lines.
    offsets: [Option<DepthOffset>; 3],
    /// What is added to coordinates, in steps of the grid.
    centre: i64,
    /// Triangles are filled, none is moved in depth, and the volume that is drawn alone clips.
    fills: bool,
    /// Then: where the vertices are that primitives share.
    places: VertexPlaces,
}

/// A shape that is drawn.
struct DrawnShape<'f, 'v> {
    face: &'f mut PrimitiveContext<'v>,
    /// The viewport of its primitive.
    viewport: u32,
}

/// Corner `n` of a triangle, which is a vertex that is there.
fn corner(n: usize, (window, point): (WindowVertex, Point)) -> SetupVertex {
    let mut weights = [0.0; 3];
    weights[n % 3] = 1.0;
    SetupVertex { window, weights, linear: weights, point }
}

impl Shapes {
    /// As the registers say.
    pub fn of(registers: &RegisterFile) -> Self {
        let mode = registers.get::<PaSuScModeCntl>();
        let samples = registers.get::<PaScModeCntl>();
        let polygon = |kind: PolygonMode| match (mode.poly_mode, kind) {
            (1, PolygonMode::Points | PolygonMode::Lines) => kind,
            _ => PolygonMode::Filled,
        };
        let is_expanded = samples.msaa_enable && registers.get::<PaScLineCntl>().expand_line_width;
        let projection = Projection::of(registers);
        let polygons = [polygon(mode.polymode_front_ptype), polygon(mode.polymode_back_ptype)];
        let is_moved = mode.poly_offset_front_enable || mode.poly_offset_back_enable;
        Shapes {
            fills: polygons == [PolygonMode::Filled; 2] && !is_moved && projection.has_volume_alone(),
            projection,
            places: VertexPlaces::default(),
            viewports: Viewports::of(registers),
            polygons,
            points: registers.get(),
            bounds: registers.get(),
            lines: registers.get(),
            line_ends: if is_expanded { LineEnds::Perpendicular } else { LineEnds::AcrossMajor },
            stipple: samples.line_stipple_enable.then(|| Stipple::of(registers)),
            offsets: [
                mode.poly_offset_front_enable.then(|| DepthOffset::of(registers, true)),
                mode.poly_offset_back_enable.then(|| DepthOffset::of(registers, false)),
                mode.poly_offset_para_enable.then(|| DepthOffset::of(registers, true)),
            ],
            mode,
            centre: if registers.get::<PaSuVtxCntl>().pix_center_half { 0 } else { GRID.per_pixel / 2 },
        }
    }

    /// Whether patterns along lines go on from primitive to primitive of a draw.
    pub fn is_stippled(&self) -> bool {
        self.stipple.is_some()
    }

    /// Looks at the vertices of the primitives that are drawn next.
    pub fn begin(&mut self, transformed: &Transformed) {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        match self.viewports.are_several() {
            _ if !self.fills => {}
            false => places.add_all(&self.projection, (self.viewports.get(0), self.centre), &transformed.positions),
            true => transformed.others.iter().for_each(|vertex| {
                let window = self.place(vertex, self.viewports.get(vertex.viewport));
                places.add(window, self.projection.outside(vertex));
            }),
        }
        self.places = places;
    }

    /// Draws a primitive. Gives the points, lines and triangles that clipping leaves of it.
    pub fn draw(
        &mut self,
        primitive: &Primitive,
        transformed: &Transformed,
        pixels: &mut Pixels,
    ) -> Result<u64, DrawError> {
        if self.is_outside(primitive.form) && !pixels.is_watched() {
            if let Some(stipple) = &mut self.stipple {
                stipple.begin_primitive();
            }
            return Ok(0);
        }
        if let (PrimitiveForm::Triangle(numbers), true) = (primitive.form, self.fills)
            && self.whole(numbers, primitive.provoking, transformed, pixels)?
        {
            return Ok(1);
        }
        let vertex = |number: usize| transformed.vertex(number);
        let Some(chosen) = primitive.form.vertices().iter().map(|&n| vertex(n)).collect::<Option<Vec<_>>>() else {
            return Ok(0);
        };
        let Some(provoking) = &vertex(primitive.provoking) else { return Ok(0) };
        let chosen: Vec<_> = chosen.iter().collect();
        let viewport = self.viewports.get(provoking.viewport);
        let mut face = PrimitiveContext {
            vertices: &chosen,
            parameters: &transformed.parameters,
            provoking,
            front: true,
            offset: 0.0,
            sprite: None,
            clip: viewport.scissor,
            scissor: viewport.scissor,
            depths: viewport.depths,
            layer: provoking.layer,
        };
        let corners = Projection::corners(&chosen);
        if self.projection.culls(&corners) {
            return Ok(0);
        }
        if let Some(stipple) = &mut self.stipple {
            stipple.begin_primitive();
        }
        let mut drawn = DrawnShape { face: &mut face, viewport: provoking.viewport };
        match primitive.form {
            PrimitiveForm::Point(_) => {
                drawn.face.offset = self.offset(2, 0.0, &corners, &drawn);
                self.point(&mut drawn, &corners, true, pixels)
            }
            PrimitiveForm::Line(_) => {
                drawn.face.offset = self.offset(2, 0.0, &corners, &drawn);
                self.line(&mut drawn, &corners, pixels)
            }
            PrimitiveForm::Triangle(_) => self.triangle(&mut drawn, &corners, primitive.edges, pixels),
            PrimitiveForm::Rectangle(_) => self.rectangle(&drawn, &corners, pixels),
        }
    }

    /// Whether a primitive that is clipped is outside of a plane.
    #[inline(always)]
    fn is_outside(&self, form: PrimitiveForm) -> bool {
        let outside = |number: usize| self.places.outside(number);
        match form {
            PrimitiveForm::Point([a]) => outside(a) != 0,
            PrimitiveForm::Line([a, b]) => outside(a) & outside(b) != 0,
            PrimitiveForm::Triangle([a, b, c]) => outside(a) & outside(b) & outside(c) != 0,
            PrimitiveForm::Rectangle(_) => false,
        }
    }

    /// Draws a triangle if it [fills](Self::fills), and nothing is clipped; whether it did, as [`triangle`](Self::triangle) would.
    fn whole(
        &mut self,
        numbers: [usize; 3],
        provoking: usize,
        transformed: &Transformed,
        pixels: &mut Pixels,
    ) -> Result<bool, DrawError> {
        let has_viewports = self.viewports.are_several();
        if !has_viewports
            && !pixels.is_watched()
            && let Some(points) = self.places.points(numbers)
            && self.facing(points).is_none()
        {
            if let Some(stipple) = &mut self.stipple {
                stipple.begin_primitive();
            }
            return Ok(true);
        }
        let [a, b, c] = numbers;
        let (Some(a), Some(b), Some(c)) = (transformed.vertex(a), transformed.vertex(b), transformed.vertex(c)) else {
            return Ok(false);
        };
        let Some(provoking) = &transformed.vertex(provoking) else { return Ok(false) };
        let viewport = self.viewports.get(provoking.viewport);
        let place = |vertex: &Vertex| match has_viewports && vertex.viewport != provoking.viewport {
            // Primitives are drawn to the viewport of one of their vertices.
            true => self.place(vertex, viewport),
            false => self.places.window(vertex.number),
        };
        let (Some(first), Some(second), Some(third)) = (place(&a), place(&b), place(&c)) else { return Ok(false) };
        let points = [first.1, second.1, third.1];
        let front = self.facing(points);
        if front.is_none() && pixels.is_watched() {
            return Ok(false);
        }
        if let Some(stipple) = &mut self.stipple {
            stipple.begin_primitive();
        }
        let Some(front) = front else { return Ok(true) };
        let face = PrimitiveContext {
            vertices: &[&a, &b, &c],
            parameters: &transformed.parameters,
            provoking,
            front,
            offset: 0.0,
            sprite: None,
            clip: viewport.scissor,
            scissor: viewport.scissor,
            depths: viewport.depths,
            layer: provoking.layer,
        };
        if let Some(setup) = PrimitiveSetup::triangle(GRID, points) {
            pixels.polygon(&face, &points, setup, [&corner(0, first), &corner(1, second), &corner(2, third)])?;
        }
        Ok(true)
    }

    /// Whether the front of a triangle is seen; `None` if it is culled.
    #[inline(always)]
    fn facing(&self, [a, b, c]: [Point; 3]) -> Option<bool> {
        let area = cross(a, b, c);
        let front = (area > 0) == self.mode.face;
        let is_culled = area == 0 || front && self.mode.cull_front || !front && self.mode.cull_back;
        (!is_culled).then_some(front)
    }

    /// Where a vertex of a triangle is, if nothing of it is clipped there, and it has a place.
    #[inline(always)]
    fn place(&self, vertex: &Vertex, viewport: &Viewport) -> Option<(WindowVertex, Point)> {
        if !self.projection.holds(vertex) {
            return None;
        }
        let window = self.projection.window(&vertex.position.map(f64::from), viewport)?;
        let [x, y, _] = window.place;
        let (x, y) = (GRID.snap(x).saturating_add(self.centre), GRID.snap(y).saturating_add(self.centre));
        let is_near = (-LIMIT..=LIMIT).contains(&x) && (-LIMIT..=LIMIT).contains(&y);
        is_near.then_some((window, Point { x, y }))
    }

    /// How far a primitive with these corners and this slope of depth is moved in depth.
    fn offset(&self, side: usize, slope: f64, corners: &[Corner], drawn: &DrawnShape) -> f64 {
        let Some(offset) = &self.offsets[side] else { return 0.0 };
        let viewport = self.viewports.get(drawn.viewport);
        let depths = corners.iter().filter_map(|corner| self.projection.window(&corner.position, viewport));
        let greatest = depths.fold(0.0, |most: f32, window| most.max(window.place[2].abs()));
        offset.distance(slope, greatest)
    }

    /// The corners in the window; `None` if one has no place there, or one that is far outside of any.
    fn placed(&self, drawn: &DrawnShape, corners: &[Corner]) -> Option<Vec<SetupVertex>> {
        let viewport = self.viewports.get(drawn.viewport);
        let placed = |corner: &Corner| {
            let window = self.projection.window(&corner.position, viewport)?;
            let [x, y] = [0, 1].map(|axis| GRID.snap(window.place[axis]).saturating_add(self.centre));
            let placed = SetupVertex { window, weights: corner.weights, linear: corner.linear, point: Point { x, y } };
            [x, y].iter().all(|place| (-LIMIT..=LIMIT).contains(place)).then_some(placed)
        };
        corners.iter().map(placed).collect()
    }

    /// `is_sprite`: it is not a corner of a polygon.
    fn point(
        &self,
        drawn: &mut DrawnShape,
        corners: &[Corner],
        is_sprite: bool,
        pixels: &mut Pixels,
    ) -> Result<u64, DrawError> {
        let Some(placed) = self.placed(drawn, &self.projection.clip(corners)) else { return Ok(0) };
        let [centre] = &placed[..] else { return Ok(0) };
        let vertex = corners[0].weights.iter().position(|&weight| weight == 1.0).unwrap_or_default();
        let size = drawn.face.vertices.get(vertex).and_then(|vertex| vertex.size).map(|size| (size * 8.0) as u16);
        let half = |fixed: u16| {
            let half = size.unwrap_or(fixed).min(self.bounds.max_size).max(self.bounds.min_size);
            i64::from(half) * STEPS
        };
        let square = point(centre.point, half(self.points.width), half(self.points.height));
        drawn.face.sprite = is_sprite.then_some([square[0], square[2]]);
        pixels.polygon(drawn.face, &square, PrimitiveSetup::constant(GRID), [centre; 3])?;
        Ok(1)
    }

    fn line(&mut self, drawn: &mut DrawnShape, corners: &[Corner], pixels: &mut Pixels) -> Result<u64, DrawError> {
        let Some(placed) = self.placed(drawn, &self.projection.clip(corners)) else { return Ok(0) };
        let [from, to] = &placed[..] else { return Ok(0) };
        let ends = [from.point, to.point];
        let Some(setup) = PrimitiveSetup::line(GRID, ends) else { return Ok(1) };
        let half = i64::from(self.lines.width) * STEPS;
        let shape = line(ends[0], ends[1], half, self.line_ends);
        let Some(stipple) = &mut self.stipple else {
            pixels.polygon(drawn.face, &shape, setup, [from, to, from])?;
            return Ok(1);
        };
        let clip = drawn.face.clip;
        for part in stipple.parts(ends, &shape, clip) {
            drawn.face.clip = part;
            pixels.polygon(drawn.face, &shape, setup, [from, to, from])?;
        }
        drawn.face.clip = clip;
        Ok(1)
    }

    /// Bit n of `edges`: the edge from corner n to the next one, and corner n, are of the outline.
    fn triangle(
        &mut self,
        drawn: &mut DrawnShape,
        corners: &[Corner],
        edges: u8,
        pixels: &mut Pixels,
    ) -> Result<u64, DrawError> {
        let clipped = self.projection.clip(corners);
        let Some(placed) = self.placed(drawn, &clipped) else { return Ok(0) };
        let points: Vec<Point> = placed.iter().map(|placed| placed.point).collect();
        let area: i128 = (2..points.len()).map(|n| i128::from(cross(points[0], points[n - 1], points[n]))).sum();
        let front = (area > 0) == self.mode.face;
        let pieces = placed.len().saturating_sub(2) as u64;
        let pieces_of = |n: usize| ([points[0], points[n - 1], points[n]], [&placed[0], &placed[n - 1], &placed[n]]);
        if area == 0 || front && self.mode.cull_front || !front && self.mode.cull_back {
            (2..placed.len())
                .map(pieces_of)
                .for_each(|(three, placed)| pixels.note_culled(drawn.face, front, three, placed));
            return Ok(pieces);
        }
        drawn.face.front = front;
        let side = usize::from(!front);
        let setups =
            (2..placed.len()).filter_map(|n| Some((pieces_of(n), PrimitiveSetup::triangle(GRID, pieces_of(n).0)?)));
        let outlined = self.polygons[side] != PolygonMode::Filled;
        for ((three, placed), setup) in setups {
            if self.offsets[side].is_some() {
                let depth = setup.plane(placed.map(|placed| placed.window.place[2].into()));
                drawn.face.offset = self.offset(side, depth.dx.abs().max(depth.dy.abs()), corners, drawn);
            }
            if outlined {
                // The first piece says how far all of the outline is moved.
                break;
            }
            pixels.polygon(drawn.face, &three, setup, placed)?;
        }
        if outlined {
            self.outline(drawn, corners, edges, self.polygons[side], pixels)?;
        }
        Ok(pieces)
    }

    /// Draws corners or edges of a polygon.
    fn outline(
        &mut self,
        drawn: &mut DrawnShape,
        corners: &[Corner],
        edges: u8,
        mode: PolygonMode,
        pixels: &mut Pixels,
    ) -> Result<(), DrawError> {
        let is_drawn = |n: &usize| edges >> n & 1 != 0 && drawn.face.vertices.get(*n).is_some_and(|vertex| vertex.edge);
        let chosen: Vec<usize> = (0..corners.len()).filter(is_drawn).collect();
        for n in chosen {
            let (from, to) = (corners[n], corners[(n + 1) % corners.len()]);
            match mode {
                PolygonMode::Points => self.point(drawn, &[from], false, pixels)?,
                _ => self.line(drawn, &[from, to], pixels)?,
            };
        }
        Ok(())
    }

    fn rectangle(&self, drawn: &DrawnShape, corners: &[Corner], pixels: &mut Pixels) -> Result<u64, DrawError> {
        let Some(placed) = self.placed(drawn, corners) else { return Ok(0) };
        let [first, second, third] = &placed[..] else { return Ok(0) };
        let [a, b, c] = [first.point, second.point, third.point];
        let Some(setup) = PrimitiveSetup::triangle(GRID, [a, b, c]) else { return Ok(0) };
        let fourth = Point { x: b.x + c.x - a.x, y: b.y + c.y - a.y };
        pixels.polygon(drawn.face, &[a, b, fourth, c], setup, [first, second, third])?;
        Ok(1)
    }
}
