//! Which samples of which pixels a shape covers, and which of them are left out.

use super::Rasteriser;
use super::batch::PendingPrimitive;
use super::primitives::{Face, GRID};
use ctm_pipeline::Shown;
use ctm_raster::coverage::{ConvexPolygon, EdgeRule, QUAD_PIXELS, Quad, quads};
use ctm_raster::depth::Facing;
use ctm_raster::grid::{Point, Rect};
use ctm_sm50::launch::{SAMPLE_GRID, sample_positions};
use ctm_sm50::pipeline::inputs::Covering;
use ctm_sm50::pipeline::{DrawError, Stages};
use std::sync::Arc;

/// How a shape covers samples.
#[derive(Clone, Copy)]
pub struct CoverRules {
    /// Which samples on an edge belong to it.
    pub edges: EdgeRule,
    /// Holes of polygons.
    pub polygon_stipple: Option<[u32; 32]>,
    /// Gaps of a line.
    pub line_stipple: Option<Stipple>,
    /// It is round.
    pub disc: Option<Disc>,
}

impl CoverRules {
    /// Those of a whole shape.
    pub fn of(edges: EdgeRule) -> Self {
        CoverRules { edges, polygon_stipple: None, line_stipple: None, disc: None }
    }

    /// Whether nothing of a shape is left out.
    fn is_plain(&self) -> bool {
        self.polygon_stipple.is_none() && self.line_stipple.is_none() && self.disc.is_none()
    }

    /// Whether a pixel of a shape is drawn, as far as stipple says.
    fn keeps(&self, pixel: (u32, u32)) -> bool {
        let has_hole = self.polygon_stipple.as_ref().is_some_and(|rows| !is_stippled(rows, pixel));
        let has_gap = self.line_stipple.is_some_and(|stipple| !stipple.keeps(pixel));
        !(has_hole || has_gap)
    }
}

/// Rectangles in which alone, or outside of which alone, is drawn.
type Rectangles = (Arc<[Rect]>, bool);

fn is_in_view((rectangles, outside): &Rectangles, (x, y): (u32, u32)) -> bool {
    rectangles.iter().any(|rectangle| rectangle.contains(x, y)) != *outside
}

/// The gaps of a line.
#[derive(Clone, Copy, Debug)]
pub struct Stipple {
    pub pattern: u16,
    /// Pixels of each bit.
    pub repeat: i64,
    /// Pixels of the lines before.
    pub passed: i64,
    /// The pixel where it begins, along its major axis.
    pub first: i64,
    pub is_x_major: bool,
}

impl Stipple {
    fn keeps(&self, (x, y): (u32, u32)) -> bool {
        let along = i64::from(if self.is_x_major { x } else { y });
        let step = (self.passed + (along - self.first).abs()) / self.repeat % 16;
        self.pattern >> step & 1 != 0
    }
}

/// What is no further away from a place than this.
#[derive(Clone, Copy, Debug)]
pub struct Disc {
    pub centre: Point,
    pub radius: i64,
}

impl Disc {
    fn covers(&self, place: Point) -> bool {
        let (dx, dy) = (place.x - self.centre.x, place.y - self.centre.y);
        dx * dx + dy * dy <= self.radius * self.radius
    }
}

/// Whether a row of polygon stipple has a pixel.
fn is_stippled(rows: &[u32; 32], (x, y): (u32, u32)) -> bool {
    let bit = 8 * ((x & 31) >> 3) + 7 - (x & 7);
    rows[(y & 31) as usize] >> bit & 1 != 0
}

/// The places of samples in a pixel, on the grid of the window.
pub fn sample_places(samples: u32) -> Vec<Point> {
    let step = GRID.per_pixel / i64::from(SAMPLE_GRID);
    let place = |&[x, y]: &[u8; 2]| Point { x: i64::from(x) * step, y: i64::from(y) * step };
    sample_positions(samples).iter().map(place).collect()
}

impl Rasteriser<'_> {
    /// Adds the quads that a primitive of this outline covers.
    pub fn cover(
        &mut self,
        stages: &mut Stages,
        covering: &Covering,
        face: Face,
        outline: &[Point],
        rules: &CoverRules,
    ) -> Result<(), DrawError> {
        let Some(polygon) = ConvexPolygon::new(outline, rules.edges) else { return Ok(()) };
        let area = self.state.viewport(face.viewport).area.intersection(self.bounds);
        self.note_hidden(&polygon, &area, rules);
        if area.is_empty() {
            return Ok(());
        }
        self.counts.draw.drawn += 1;
        if self.tiles.is_some() {
            return self.cover_tiles(covering, face, (polygon, area), rules);
        }
        let (low, high) = polygon.bounds();
        let row = |y: i64| y.div_euclid(GRID.per_pixel).clamp(area.top.into(), area.bottom.into()) as u32;
        let (top, bottom) = (row(low.y) & !1, row(high.y + GRID.per_pixel));
        // As many rows at a time as have the quads of a launch.
        let rows = self.rows_at_once(area.right - area.left);
        let mut number = None;
        for top in (top..bottom).step_by(rows as usize) {
            stages.meter.check()?;
            let window = Rect { top: top.max(area.top), bottom: bottom.min(top + rows), ..area };
            let mut found = std::mem::take(&mut self.found);
            quads(GRID, &polygon, &window, &self.places, |quad| found.push(quad));
            for quad in found.drain(..) {
                let Some(quad) = self.kept(quad, rules) else { continue };
                let primitive = *number.get_or_insert_with(|| {
                    self.pending.add(PendingPrimitive {
                        setup: covering.setup,
                        depth: covering.depth,
                        depth_range: covering.depth_range,
                        facing: if face.is_front { Facing::Front } else { Facing::Back },
                        layer: face.layer,
                    });
                    self.pending.planes.extend(self.inputs.over(covering));
                    self.pending.primitives.len() as u32 - 1
                });
                self.add_quad(&quad, primitive);
            }
            self.found = found;
            if self.is_full() {
                self.flush(stages)?;
                number = None;
            }
        }
        Ok(())
    }

    /// Adds a shape to the tiles.
    fn cover_tiles(
        &mut self,
        covering: &Covering,
        face: Face,
        shape: (ConvexPolygon, Rect),
        rules: &CoverRules,
    ) -> Result<(), DrawError> {
        let Some(tiles) = &mut self.tiles else { return Ok(()) };
        let shown = if rules.is_plain() && self.state.rectangles.is_none() {
            None
        } else {
            let (rules, rectangles) = (*rules, self.state.rectangles.clone());
            Some(Box::new(move |x, y| {
                rules.keeps((x, y))
                    && rectangles.as_ref().is_none_or(|rectangles| is_in_view(rectangles, (x, y)))
                    && rules.disc.is_none_or(|disc| disc.covers(GRID.pixel_centre(x, y)))
            }) as Box<Shown>)
        };
        let program = (self.program.as_deref(), &self.environment);
        Ok(tiles.add(program, &self.inputs, (covering, face), shape, shown)?)
    }

    /// What of a quad is drawn; `None` if nothing is.
    pub fn kept(&self, mut quad: Quad, rules: &CoverRules) -> Option<Quad> {
        if rules.is_plain() && self.state.rectangles.is_none() {
            return Some(quad);
        }
        for (coverage, (right, down)) in quad.coverage.iter_mut().zip(QUAD_PIXELS) {
            let pixel = (quad.x + right, quad.y + down);
            let is_outside = self.state.rectangles.as_ref().is_some_and(|rectangles| !is_in_view(rectangles, pixel));
            if is_outside || !rules.keeps(pixel) {
                *coverage = 0;
            }
            if let Some(disc) = &rules.disc {
                let missing = |&(_, &place): &(usize, &Point)| !disc.covers(GRID.inside(pixel.0, pixel.1, place));
                let missing = self.places.iter().enumerate().filter(missing);
                *coverage &= !missing.fold(0, |bits, (sample, _)| bits | 1 << sample);
            }
        }
        (quad.coverage != [0; 4]).then_some(quad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stipples_have_the_bit_order_of_opengl() {
        let mut rows = [0; 32];
        // The first byte of a row is its left part, the highest bit its first pixel.
        rows[1] = 0x0000_0180;
        assert!(is_stippled(&rows, (0, 1)) && is_stippled(&rows, (15, 33)) && !is_stippled(&rows, (1, 1)));
        assert!(is_stippled(&rows, (32, 1)) && !is_stippled(&rows, (0, 0)));
    }

    #[test]
    fn gaps_follow_the_line() {
        let stipple = Stipple { pattern: 0b101, repeat: 2, passed: 2, first: 10, is_x_major: true };
        let kept: Vec<u32> = (6..16).filter(|&x| stipple.keeps((x, 3))).collect();
        assert_eq!(kept, [7, 8, 12, 13], "bits 1 and 2 from pixel 10 on, both ways");
    }

    #[test]
    fn samples_lie_on_the_grid() {
        assert_eq!(sample_places(1), [Point { x: 128, y: 128 }]);
        assert_eq!(sample_places(2), [Point { x: 64, y: 64 }, Point { x: 192, y: 192 }]);
    }
}
