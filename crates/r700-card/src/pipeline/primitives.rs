//! From primitives to the shapes that are drawn.

use super::DrawError;
use super::assemble::{Form, Primitive};
use super::clip::{Corner, Projection};
use super::depth::DepthOffset;
use super::inputs::{Face, Placed};
use super::pixels::{GRID, Pixels};
use super::vertices::Vertex;
use crate::registers::{
    PaScGenericScissorBr, PaScGenericScissorTl, PaScModeCntl, PaScScreenScissorBr, PaScScreenScissorTl,
    PaScVportScissorBr, PaScVportScissorTl, PaScVportZmax, PaScVportZmin, PaScWindowScissorBr, PaScWindowScissorTl,
    PaSuLineCntl, PaSuPointMinmax, PaSuPointSize, PaSuScModeCntl, RegisterFile,
};
use ctm_raster::coverage::{LIMIT, cross};
use ctm_raster::grid::{Point, Rect};
use ctm_raster::outline::{LineEnds, line, point};
use ctm_raster::plane::Setup;

/// Steps of the grid in a sixteenth of a pixel, in which widths are.
const STEPS: i64 = 16;

/// How primitives become shapes.
pub struct Shapes {
    projection: Projection,
    mode: PaSuScModeCntl,
    points: PaSuPointSize,
    bounds: PaSuPointMinmax,
    lines: PaSuLineCntl,
    /// The pixels that can be drawn.
    clip: Rect,
    /// The least and the greatest depth.
    depths: [f32; 2],
    /// Of front and back faces.
    offsets: [Option<DepthOffset>; 2],
}

impl Shapes {
    /// As the registers say.
    pub fn of(registers: &RegisterFile) -> Self {
        let mode = registers.get::<PaSuScModeCntl>();
        Shapes {
            offsets: [
                mode.poly_offset_front_enable.then(|| DepthOffset::of(registers, true)),
                mode.poly_offset_back_enable.then(|| DepthOffset::of(registers, false)),
            ],
            projection: Projection::of(registers),
            clip: scissor(registers),
            depths: [registers.float::<PaScVportZmin>(), registers.float::<PaScVportZmax>()],
            mode,
            points: registers.get(),
            bounds: registers.get(),
            lines: registers.get(),
        }
    }

    /// Draws a primitive.
    pub fn draw(&self, primitive: &Primitive, vertices: &[Vertex], pixels: &mut Pixels) -> Result<(), DrawError> {
        let Some(chosen) = primitive.form.vertices().iter().map(|&n| vertices.get(n)).collect::<Option<Vec<_>>>()
        else {
            return Ok(());
        };
        let Some(provoking) = vertices.get(primitive.provoking) else { return Ok(()) };
        let face = Face {
            vertices: &chosen,
            provoking,
            front: true,
            offset: None,
            sprite: None,
            clip: self.clip,
            depths: self.depths,
            layer: 0,
        };
        let corners = Projection::corners(&chosen);
        match primitive.form {
            Form::Point(_) => self.point(face, &corners, pixels),
            Form::Line(_) => self.line(&face, &corners, pixels),
            Form::Triangle(_) => self.triangle(face, &corners, pixels),
            Form::Rectangle(_) => self.rectangle(&face, &corners, pixels),
        }
    }

    /// The corners in the window; `None` if one has no place there, or one that is far outside of any.
    fn placed(&self, corners: &[Corner]) -> Option<Vec<Placed>> {
        let placed = |corner: &Corner| {
            let placed = Placed { window: self.projection.window(corner)?, weights: corner.weights };
            let Point { x, y } = placed.point();
            [x, y].iter().all(|place| (-LIMIT..=LIMIT).contains(place)).then_some(placed)
        };
        corners.iter().map(placed).collect()
    }

    fn point(&self, mut face: Face, corners: &[Corner], pixels: &mut Pixels) -> Result<(), DrawError> {
        let Some(placed) = self.placed(&self.projection.clip(corners)) else { return Ok(()) };
        let [centre] = &placed[..] else { return Ok(()) };
        let size = face.provoking.size.map(|size| (size * 8.0) as u16);
        let half = |fixed: u16| {
            let half = size.unwrap_or(fixed).min(self.bounds.max_size).max(self.bounds.min_size);
            i64::from(half) * STEPS
        };
        let square = point(centre.point(), half(self.points.width), half(self.points.height));
        face.sprite = Some([square[0], square[2]]);
        pixels.polygon(&face, &square, Setup::constant(GRID), [centre; 3])
    }

    fn line(&self, face: &Face, corners: &[Corner], pixels: &mut Pixels) -> Result<(), DrawError> {
        let Some(placed) = self.placed(&self.projection.clip(corners)) else { return Ok(()) };
        let [from, to] = &placed[..] else { return Ok(()) };
        let ends = [from.point(), to.point()];
        let Some(setup) = Setup::line(GRID, ends) else { return Ok(()) };
        let half = i64::from(self.lines.width) * STEPS;
        pixels.polygon(face, &line(ends[0], ends[1], half, LineEnds::AcrossMajor), setup, [from, to, from])
    }

    fn triangle(&self, mut face: Face, corners: &[Corner], pixels: &mut Pixels) -> Result<(), DrawError> {
        let Some(placed) = self.placed(&self.projection.clip(corners)) else { return Ok(()) };
        let points: Vec<Point> = placed.iter().map(Placed::point).collect();
        let area: i128 = (2..points.len()).map(|n| i128::from(cross(points[0], points[n - 1], points[n]))).sum();
        face.front = (area > 0) == self.mode.face;
        if face.front && self.mode.cull_front || !face.front && self.mode.cull_back {
            return Ok(());
        }
        face.offset = self.offsets[usize::from(!face.front)];
        for n in 2..placed.len() {
            let three = [points[0], points[n - 1], points[n]];
            if let Some(setup) = Setup::triangle(GRID, three) {
                pixels.polygon(&face, &three, setup, [&placed[0], &placed[n - 1], &placed[n]])?;
            }
        }
        Ok(())
    }

    fn rectangle(&self, face: &Face, corners: &[Corner], pixels: &mut Pixels) -> Result<(), DrawError> {
        let Some(placed) = self.placed(corners) else { return Ok(()) };
        let [first, second, third] = &placed[..] else { return Ok(()) };
        let [a, b, c] = [first.point(), second.point(), third.point()];
        let Some(setup) = Setup::triangle(GRID, [a, b, c]) else { return Ok(()) };
        let fourth = Point { x: b.x + c.x - a.x, y: b.y + c.y - a.y };
        pixels.polygon(face, &[a, b, fourth, c], setup, [first, second, third])
    }
}

/// The pixels that can be drawn.
fn scissor(registers: &RegisterFile) -> Rect {
    let rect = |left: u16, top: u16, right: u16, bottom: u16| Rect {
        left: left.into(),
        top: top.into(),
        right: right.into(),
        bottom: bottom.into(),
    };
    let (tl, br) = (registers.get::<PaScScreenScissorTl>(), registers.get::<PaScScreenScissorBr>());
    let screen = rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y);
    let (tl, br) = (registers.get::<PaScWindowScissorTl>(), registers.get::<PaScWindowScissorBr>());
    let window = rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y);
    let (tl, br) = (registers.get::<PaScGenericScissorTl>(), registers.get::<PaScGenericScissorBr>());
    let mut all = screen.intersection(window).intersection(rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y));
    if registers.get::<PaScModeCntl>().r700_vport_scissor_enable {
        let (tl, br) = (registers.get::<PaScVportScissorTl>(), registers.get::<PaScVportScissorBr>());
        all = all.intersection(rect(tl.tl_x, tl.tl_y, br.br_x, br.br_y));
    }
    all
}
