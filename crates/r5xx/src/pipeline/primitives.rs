//! Primitives: clipping, culling, the shapes of points, lines and polygons (GA, SU).

use super::DrawError;
use super::assemble::{Primitive, triangles};
use super::attributes::{AttributeShape, Attributes, PrimitiveKind, Routing};
use super::corner::{Corner, CornerPlace, Projection};
use super::history::Probe;
use super::kernels::Kernels;
use super::pixels::{PendingQuads, Pixels, QuadDepth, RasterPrimitive};
use super::shading::Shading;
use super::stipple::Stipple;
use super::vertex::{Vertex, VertexFormat};
use super::vertices::Vertices;
use super::window::{GRID, WindowVertex};
use crate::registers::codes::{LineEnd, PolygonMode};
use crate::registers::{
    GaLineCntl, GaPointMinmax, GaPointSize, GaPolyMode, RegisterFile, ScEdgerule, SuCullMode, SuPolyOffsetBackOffset,
    SuPolyOffsetBackScale, SuPolyOffsetEnable, SuPolyOffsetFrontOffset, SuPolyOffsetFrontScale,
};
use crate::state::State;
use ctm_card::DrawCounts;
use ctm_card::history::PixelEvent;
use ctm_raster::coverage::{ConvexPolygon, EdgeOrientation, EdgeRule, cross};
use ctm_raster::depth::Facing;
use ctm_raster::grid::Point;
use ctm_raster::outline::{LineDirection, LineEnds, line, point};
use ctm_raster::plane::{DepthPlane, Perspective, PrimitiveSetup};

/// A five-bit code of `SC_EDGERULE`: bit k set means that samples on those edges are outside.
fn edge_rule(code: u8) -> EdgeRule {
    let inside = |bit: u8| code >> bit & 1 == 0;
    match code {
        0..16 => EdgeRule {
            orientation: EdgeOrientation::XMajor,
            left: inside(3),
            right: inside(2),
            top: inside(1),
            bottom: inside(0),
        },
        _ => EdgeRule {
            orientation: EdgeOrientation::YMajor,
            bottom: inside(3),
            top: inside(2),
            left: inside(1),
            right: inside(0),
        },
    }
}

/// The rules for samples on edges.
struct EdgeRules {
    triangles: EdgeRule,
    points: EdgeRule,
    lines: [EdgeRule; 4],
}

impl EdgeRules {
    fn of(registers: &RegisterFile) -> Self {
        let rules = registers.get::<ScEdgerule>();
        EdgeRules {
            triangles: edge_rule(rules.triangles),
            points: edge_rule(rules.points),
            lines: [rules.lines_right, rules.lines_left, rules.lines_down, rules.lines_up].map(edge_rule),
        }
    }

    fn of_line(&self, direction: LineDirection) -> EdgeRule {
        match direction {
            LineDirection::LeftToRight => self.lines[0],
            LineDirection::RightToLeft => self.lines[1],
            LineDirection::TopToBottom => self.lines[2],
            LineDirection::BottomToTop => self.lines[3],
        }
    }
}

/// What primitives become, as the registers say.
pub struct Primitives<'a> {
    pixels: &'a Pixels<'a>,
    projection: Projection,
    rules: EdgeRules,
    format: VertexFormat,
    routings: [Routing; 3],
    cull: SuCullMode,
    mode: GaPolyMode,
    point_size: GaPointSize,
    point_bounds: GaPointMinmax,
    line: GaLineCntl,
    stipple: Option<Stipple>,
    /// Scale and offset of front and back faces.
    offset: [Option<(f32, f32)>; 2],
}

impl<'a> Primitives<'a> {
    /// For a draw.
    pub fn of(state: &State, pixels: &'a Pixels<'a>) -> Self {
        let registers = &state.registers;
        let format = VertexFormat::of(registers);
        let routing = |kind| Routing::of(registers, &format, kind);
        let offset = registers.get::<SuPolyOffsetEnable>();
        let front = (registers.float::<SuPolyOffsetFrontScale>(), registers.float::<SuPolyOffsetFrontOffset>());
        let back = (registers.float::<SuPolyOffsetBackScale>(), registers.float::<SuPolyOffsetBackOffset>());
        Primitives {
            pixels,
            projection: Projection::of(state),
            rules: EdgeRules::of(registers),
            routings: [PrimitiveKind::Point, PrimitiveKind::Line, PrimitiveKind::Triangle].map(routing),
            format,
            cull: registers.get(),
            mode: registers.get(),
            point_size: registers.get(),
            point_bounds: registers.get(),
            line: registers.get(),
            stipple: Stipple::of(registers),
            offset: [offset.front.then_some(front), offset.back.then_some(back)],
        }
    }

    fn routing(&self, kind: PrimitiveKind) -> &Routing {
        &self.routings[kind as usize]
    }

    /// The temporaries that programs find filled. They are the same for all kinds of primitives.
    pub fn presets(&self) -> &[u8] {
        &self.routings[0].presets
    }

    /// How the values of vertices go to temporaries, for each kind of primitive.
    pub fn routings(&self) -> &[Routing] {
        &self.routings
    }

    /// Begins to draw.
    pub fn begin<'s, 'x, 'k>(
        &'s self,
        shading: Shading<'s, 'x>,
        kernels: &'s Kernels<'k>,
        probe: Option<&'s Probe<'s>>,
    ) -> Drawing<'s, 'x, 'k> {
        Drawing { primitives: self, quads: self.pixels.begin(shading, kernels, probe), probe, stippled: 0 }
    }

    /// From clip coordinates to the window.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// Calls `draw` with the triangles that clipping leaves of a polygon, and with their corners in the window, if they can be drawn, as long
    /// as it says so.
    ///
    /// # Errors
    /// Those of `draw`.
    fn triangles_of(
        &self,
        corners: &[&Corner],
        mut draw: impl FnMut([&Corner; 3], [WindowVertex; 3]) -> Result<bool, DrawError>,
    ) -> Result<(), DrawError> {
        for triangle in triangles(corners.len()) {
            let whole = triangle.map(|corner| corners[corner]);
            if let [Corner { is_inside: true, .. }, Corner { is_inside: true, .. }, Corner { is_inside: true, .. }] =
                whole
            {
                if let [Some(first), Some(second), Some(third)] = whole.map(|corner| corner.window)
                    && !draw(whole, [first, second, third])?
                {
                    return Ok(());
                }
                continue;
            }
            let cut = self.projection.cut(&whole);
            let Some(window) = cut.iter().map(|corner| corner.window).collect::<Option<Vec<_>>>() else { continue };
            for n in 2..cut.len() {
                let part = [0, n - 1, n];
                if !draw(part.map(|n| &cut[n]), part.map(|n| window[n]))? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Whether nothing is drawn of a triangle with corners there: they are outside of one plane, or nothing is clipped and its side is culled.
    #[inline]
    fn drops(&self, [a, b, c]: [&CornerPlace; 3]) -> bool {
        if a.outside & b.outside & c.outside != 0 {
            return true;
        }
        let (true, Some(first), Some(second), Some(third)) =
            (a.is_inside && b.is_inside && c.is_inside, a.window, b.window, c.window)
        else {
            return false;
        };
        let area = cross(first.point, second.point, third.point);
        area == 0 || self.is_culled(self.facing(area))
    }

    /// Whether faces of this winding are front faces.
    fn facing(&self, area: i64) -> Facing {
        if (area > 0) == self.cull.positive_is_front { Facing::Front } else { Facing::Back }
    }

    fn is_culled(&self, facing: Facing) -> bool {
        match facing {
            Facing::Front => self.cull.front,
            Facing::Back => self.cull.back,
        }
    }

    fn polygon_mode(&self, facing: Facing) -> PolygonMode {
        match (self.mode.mode, facing) {
            (1, Facing::Front) => self.mode.front,
            (1, Facing::Back) => self.mode.back,
            _ => PolygonMode::Filled,
        }
    }
}

/// A draw while primitives come in.
pub struct Drawing<'s, 'x, 'k> {
    primitives: &'s Primitives<'s>,
    quads: PendingQuads<'s, 'x, 'k>,
    probe: Option<&'s Probe<'s>>,
    /// Pixels of connected lines so far.
    stippled: i64,
}

/// What a polygon's outline takes from it.
#[derive(Clone, Copy)]
struct PolygonContext {
    facing: Facing,
    /// Added to depth.
    offset: f32,
}

impl PolygonContext {
    const NONE: PolygonContext = PolygonContext { facing: Facing::Front, offset: 0.0 };
}

impl Drawing<'_, '_, '_> {
    /// Begins another draw: patterns along lines begin anew.
    pub fn begin_draw(&mut self) {
        self.stippled = 0;
    }

    /// Ends the draws, and gives what was done with pixels.
    ///
    /// # Errors
    /// If a program stops.
    pub fn finish(self) -> Result<DrawCounts, DrawError> {
        self.quads.finish()
    }

    /// Notes the vertices of a primitive, if a pixel is watched.
    ///
    /// # Errors
    /// If a vertex program stops.
    pub fn note(&self, number: u32, primitive: &Primitive, vertices: &mut Vertices) -> Result<(), DrawError> {
        let Some(probe) = self.probe else { return Ok(()) };
        let places = match primitive {
            Primitive::Point(vertex) => std::slice::from_ref(vertex),
            Primitive::Line { ends, .. } => ends,
            Primitive::Polygon { corners, .. } => corners,
        };
        let vertices = places.iter().map(|&place| vertices.history(place)).collect::<Result<Vec<_>, _>>()?;
        probe.begin_primitive(number, vertices);
        Ok(())
    }

    /// Draws a primitive.
    ///
    /// # Errors
    /// If a program stops.
    pub fn primitive(&mut self, primitive: &Primitive, vertices: &mut Vertices) -> Result<(), DrawError> {
        vertices.begin_primitive();
        match *primitive {
            Primitive::Point(vertex) => {
                let vertex = vertices.get(vertex)?;
                let vertex = &vertices.corner(vertex);
                self.point(vertex, &vertex.vertex, PolygonContext::NONE)
            }
            Primitive::Line { ends: [start, end], provoking, continues } => {
                if !continues {
                    self.stippled = 0;
                }
                let [start, end, provoking] = [vertices.get(start)?, vertices.get(end)?, vertices.get(provoking)?];
                let [start, end, provoking] = [start, end, provoking].map(|vertex| vertices.corner(vertex));
                self.line([&start, &end], &provoking.vertex, PolygonContext::NONE)
            }
            Primitive::Polygon { corners: &[first, second, third], provoking } => {
                let [first, second, third] = [vertices.get(first)?, vertices.get(second)?, vertices.get(third)?];
                let provoking = vertices.get(provoking)?;
                if self.probe.is_none() && self.primitives.drops(vertices.places([first, second, third])) {
                    return Ok(());
                }
                let (corners, provoking) = vertices.triangle([first, second, third], provoking);
                self.polygon(&corners, provoking)
            }
            Primitive::Polygon { corners, provoking } => {
                let corners = corners.iter().map(|&corner| vertices.get(corner)).collect::<Result<Vec<_>, _>>()?;
                let provoking = vertices.get(provoking)?;
                let corners: Vec<_> = corners.into_iter().map(|vertex| vertices.corner(vertex)).collect();
                self.polygon(&corners.iter().collect::<Vec<_>>(), &vertices.corner(provoking).vertex)
            }
        }
    }

    fn point(&mut self, corner: &Corner, provoking: &Vertex, face: PolygonContext) -> Result<(), DrawError> {
        let primitives = self.primitives;
        let Corner { vertex, is_inside: true, window: Some(window) } = corner else { return Ok(()) };
        let half = if primitives.format.point_size {
            let bounds = primitives.point_bounds;
            let radius = (f32::from_bits(vertex.point_size) * 6.0).trunc();
            // NaN gives the least size.
            let radius = radius.max(f32::from(bounds.min)).min(f32::from(bounds.max)) as i64;
            (radius, radius)
        } else {
            (primitives.point_size.half_width.into(), primitives.point_size.half_height.into())
        };
        let corners = point(window.point, half.0, half.1);
        let Some(shape) = ConvexPolygon::new(&corners, primitives.rules.points) else { return Ok(()) };
        let attributes = Attributes {
            provoking,
            back_facing: face.facing == Facing::Back,
            shape: AttributeShape::Constant { vertex, centre: window.point, half },
        };
        self.quads.draw(&RasterPrimitive {
            shape: &shape,
            window: &[*window],
            depth: QuadDepth {
                setup: None,
                plane: DepthPlane::constant(window.depth + face.offset),
                facing: face.facing,
            },
            inputs: &primitives.routing(PrimitiveKind::Point).inputs(&attributes),
            stipple: None,
        })
    }

    fn line(&mut self, ends: [&Corner; 2], provoking: &Vertex, face: PolygonContext) -> Result<(), DrawError> {
        let primitives = self.primitives;
        if !ends.iter().all(|end| end.is_inside) {
            return match &primitives.projection.cut(&ends)[..] {
                [start, end] => self.line_inside([start, end], provoking, face),
                _ => Ok(()),
            };
        }
        self.line_inside(ends, provoking, face)
    }

    fn line_inside(&mut self, ends: [&Corner; 2], provoking: &Vertex, face: PolygonContext) -> Result<(), DrawError> {
        let primitives = self.primitives;
        let [start, end] = ends.map(|end| &end.vertex);
        let [Some(from), Some(to)] = ends.map(|end| end.window) else { return Ok(()) };
        let Some(setup) = PrimitiveSetup::line(GRID, [from.point, to.point]) else { return Ok(()) };
        let ends = match primitives.line.end {
            LineEnd::Horizontal => LineEnds::Horizontal,
            LineEnd::Vertical => LineEnds::Vertical,
            LineEnd::Square => LineEnds::AcrossMajor,
            LineEnd::Perpendicular => LineEnds::Perpendicular,
        };
        let direction = LineDirection::of(from.point, to.point);
        let corners = line(from.point, to.point, primitives.line.half_width.into(), ends);
        let along = |point: Point| if direction.is_x_major() { point.x } else { point.y };
        let pixel = |sub_pixel: i64| sub_pixel.div_euclid(GRID.per_pixel);
        let (first, last) = (pixel(along(from.point)), pixel(along(to.point)));
        let before = self.stippled;
        self.stippled += (last - first).abs();
        let Some(shape) = ConvexPolygon::new(&corners, primitives.rules.of_line(direction)) else { return Ok(()) };
        let attributes = Attributes {
            provoking,
            back_facing: face.facing == Facing::Back,
            shape: AttributeShape::Plane {
                vertices: [start, end, start],
                perspective: Perspective::new(setup, [from.reciprocal, to.reciprocal, from.reciprocal]),
            },
        };
        let depths = [from.depth, to.depth, from.depth].map(|depth| depth + face.offset);
        self.quads.draw(&RasterPrimitive {
            shape: &shape,
            window: &[from, to],
            depth: QuadDepth { setup: Some(setup), plane: DepthPlane::new(&setup, depths), facing: face.facing },
            inputs: &primitives.routing(PrimitiveKind::Line).inputs(&attributes),
            stipple: primitives.stipple.map(|stipple| stipple.along(direction, first, before)),
        })
    }

    fn polygon(&mut self, corners: &[&Corner], provoking: &Vertex) -> Result<(), DrawError> {
        let primitives = self.primitives;
        let mut facing = None;
        primitives.triangles_of(corners, |part, window| {
            let points = window.map(|vertex| vertex.point);
            let Some(setup) = PrimitiveSetup::triangle(GRID, points) else { return Ok(true) };
            let facing = *facing.get_or_insert_with(|| primitives.facing(cross(points[0], points[1], points[2])));
            if primitives.is_culled(facing) {
                self.note_culled(corners, facing)?;
                return Ok(false);
            }
            let depth = DepthPlane::new(&setup, window.map(|vertex| vertex.depth));
            let offset = primitives.offset[facing as usize];
            match primitives.polygon_mode(facing) {
                PolygonMode::Points | PolygonMode::Lines => {
                    let offset = offset.map_or(0.0, |(scale, bias)| (f64::from(scale) * depth.slope()) as f32 + bias);
                    self.outline(corners, provoking, PolygonContext { facing, offset })?;
                    return Ok(false);
                }
                PolygonMode::Filled
                | PolygonMode::Reserved3
                | PolygonMode::Reserved4
                | PolygonMode::Reserved5
                | PolygonMode::Reserved6
                | PolygonMode::Reserved7 => {}
            }
            let depth = match offset {
                Some((scale, bias)) => depth.with_offset(scale, bias),
                None => depth,
            };
            let Some(shape) = ConvexPolygon::new(&points, primitives.rules.triangles) else { return Ok(true) };
            let attributes = Attributes {
                provoking,
                back_facing: facing == Facing::Back,
                shape: AttributeShape::Plane {
                    vertices: part.map(|corner| &corner.vertex),
                    perspective: Perspective::new(setup, window.map(|vertex| vertex.reciprocal)),
                },
            };
            self.quads.draw(&RasterPrimitive {
                shape: &shape,
                window: &window,
                depth: QuadDepth { setup: Some(setup), plane: depth, facing },
                inputs: &primitives.routing(PrimitiveKind::Triangle).inputs(&attributes),
                stipple: None,
            })?;
            Ok(true)
        })
    }

    /// Notes a polygon whose side is not drawn, if it would cover a pixel that is watched.
    fn note_culled(&self, corners: &[&Corner], facing: Facing) -> Result<(), DrawError> {
        let Some(probe) = self.probe else { return Ok(()) };
        let primitives = self.primitives;
        primitives.triangles_of(corners, |_, window| {
            let shape = ConvexPolygon::new(&window.map(|vertex| vertex.point), primitives.rules.triangles);
            if shape.is_some_and(|shape| primitives.pixels.covers(&shape, probe.pixel())) {
                probe.push(PixelEvent::Culled(probe.primitive(&window, facing)));
            }
            Ok(true)
        })
    }

    /// Points at a polygon's corners, or lines along its edges.
    fn outline(&mut self, corners: &[&Corner], provoking: &Vertex, face: PolygonContext) -> Result<(), DrawError> {
        match self.primitives.polygon_mode(face.facing) {
            PolygonMode::Points => corners.iter().try_for_each(|corner| self.point(corner, provoking, face)),
            _ => {
                self.stippled = 0;
                (0..corners.len()).try_for_each(|n| {
                    let next = (n + 1) % corners.len();
                    self.line([corners[n], corners[next]], provoking, face)
                })
            }
        }
    }
}
