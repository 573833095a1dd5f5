//! Pixels: what primitives cover, and what is done there.

use super::attributes::{PrimitiveContext, SetupVertex};
use super::history::Probe;
use super::resolve::SurfaceCopy;
use super::samples::Samples;
use super::shading::Shading;
use super::tiles::TileRenderer;
use super::{DrawContext, DrawError};
use crate::state::State;
use ctm_card::history::{CopyHistory, CoverageRejection, PixelEvent};
use ctm_card::{DrawCounts, SlowPath};
use ctm_lane::clock::Instant;
use ctm_raster::coverage::{ConvexPolygon, EdgeRule, Quad, quad_spans, quads};
use ctm_raster::grid::{Grid, Point, Rect};
use ctm_raster::plane::PrimitiveSetup;
use ctm_raster::rows::same_of_all;
use std::ops::Range;

/// Window coordinates are kept in 1/256 pixel (decision D209).
pub const GRID: Grid = Grid { per_pixel: 256 };
/// Rows of pixels whose quads are looked for together.
const BAND: u32 = 32;

/// What the pixels of a draw need.
pub struct Pixels<'a> {
    /// The pixels that targets have.
    clip: Rect,
    samples: Samples,
    work: Work<'a>,
    context: &'a DrawContext<'a>,
    found: Vec<Quad>,
    counts: DrawCounts,
}

/// What is done with pixels.
enum Work<'a> {
    /// Draws copy, and do nothing else.
    Copy(Box<SurfaceCopy<'a>>),
    /// A program runs, and each pixel is drawn by itself.
    Shade(Box<Shading<'a>>),
    /// A program runs, and many pixels are drawn together.
    Tiles(Box<TileRenderer<'a>>),
}

impl<'a> Pixels<'a> {
    /// Of the state.
    pub fn of(state: &State, context: &'a DrawContext<'a>) -> Result<Self, DrawError> {
        let registers = &state.registers;
        let samples = Samples::of(registers);
        let (work, size) = match SurfaceCopy::of(registers, context.memory)? {
            Some(copy) => {
                let size = copy.size().unwrap_or_default();
                (Work::Copy(Box::new(copy)), Some(size))
            }
            None => {
                let quads = match context.probe {
                    Some(_) => None,
                    None => TileRenderer::of(state, context, samples.clone())?,
                };
                match quads {
                    Some(quads) => {
                        let size = quads.size();
                        (Work::Tiles(Box::new(quads)), size)
                    }
                    None => {
                        context.slow.add(SlowPath::SharedMemory);
                        let shading = Shading::of(state, context, samples.clone())?;
                        let size = shading.size();
                        (Work::Shade(Box::new(shading)), size)
                    }
                }
            }
        };
        let [right, bottom] = size.unwrap_or([u32::MAX; 2]);
        let clip = Rect { left: 0, top: 0, right, bottom };
        Ok(Pixels { clip, samples, work, context, found: Vec::new(), counts: DrawCounts::default() })
    }

    /// The addresses that are written to, if what waits may be drawn after other draws: nothing else says what it does meanwhile.
    pub fn written_later(&self) -> Option<Vec<Range<u64>>> {
        match &self.work {
            Work::Tiles(tiles) => tiles.written_later(),
            Work::Copy(_) | Work::Shade(_) => None,
        }
    }

    /// Whether a pixel is watched.
    pub fn is_watched(&self) -> bool {
        self.context.probe.is_some()
    }

    /// Draws a convex polygon with planes through three places, of which `setup` is.
    pub fn polygon(
        &mut self,
        face: &PrimitiveContext,
        points: &[Point],
        setup: PrimitiveSetup,
        corners: [&SetupVertex; 3],
    ) -> Result<(), DrawError> {
        let Some(shape) = ConvexPolygon::new(points, EdgeRule::TOP_LEFT) else { return Ok(()) };
        self.counts.drawn += 1;
        let clip = self.clip.intersection(face.clip);
        match &mut self.work {
            Work::Copy(copy) if self.context.probe.is_none() && copy.is_by_rows() => {
                let rows = same_of_all(
                    self.samples.tested().iter().map(|place| Some(quad_spans(GRID, &shape, &clip, *place).collect())),
                );
                if let Some(rows) = rows {
                    let rows: Vec<_> = rows;
                    self.counts.pixels +=
                        rows.iter().flat_map(|(_, rows)| rows).map(|row| row.len() as u64).sum::<u64>();
                    copy.rows(&rows, face.layer, self.samples.mask(), self.context);
                    return Ok(());
                }
                self.context.slow.add(SlowPath::Copy);
            }
            Work::Copy(_) => self.context.slow.add(SlowPath::Copy),
            Work::Shade(shading) => shading.begin(face, setup, corners),
            Work::Tiles(quads) => {
                return quads.polygon(&shape, &clip, face, setup, corners);
            }
        }
        if let Some(probe) = self.context.probe {
            probe.begin_shape(face.front, points, corners);
            self.note_hidden(probe, face, &shape);
        }
        let row = |at: i64| at.div_euclid(GRID.per_pixel).clamp(0, u32::MAX.into()) as u32;
        let (low, high) = shape.bounds();
        let bottom = row(high.y).saturating_add(1).min(clip.bottom);
        let mut top = row(low.y).max(clip.top) & !1;
        let places = self.samples.tested();
        while top < bottom {
            let band = clip.intersection(Rect { top, bottom: top.saturating_add(BAND).min(bottom), ..clip });
            self.found.clear();
            quads(GRID, &shape, &band, &places, |quad| self.found.push(quad));
            self.draw(face)?;
            top = top.saturating_add(BAND);
        }
        Ok(())
    }

    /// Which samples a shape covers of the pixel that is watched.
    fn covered(&self, probe: &Probe, shape: &ConvexPolygon) -> u8 {
        let (x, y) = probe.pixel();
        let (left, top) = (x & !1, y & !1);
        let quad = Rect { left, top, right: left.saturating_add(2), bottom: top.saturating_add(2) };
        let mut found = [0; 4];
        quads(GRID, shape, &quad, &self.samples.tested(), |quad| found = self.samples.covered(&quad));
        probe.of_quad((left, top)).map_or(0, |pixel| found[pixel])
    }

    /// Notes a shape that covers the pixel that is watched, outside of the scissor.
    fn note_hidden(&self, probe: &Probe, face: &PrimitiveContext, shape: &ConvexPolygon) {
        let (x, y) = probe.pixel();
        if !self.clip.intersection(face.scissor).contains(x, y) {
            let covered = self.covered(probe, shape);
            if covered != 0 {
                probe.push_fragment(covered, 0, Some(CoverageRejection::Scissor), false);
            }
        }
    }

    /// Notes a polygon whose side is not drawn, if it covers the pixel that is watched.
    pub fn note_culled(&self, face: &PrimitiveContext, front: bool, points: [Point; 3], corners: [&SetupVertex; 3]) {
        let Some((probe, shape)) = self.context.probe.zip(ConvexPolygon::new(&points, EdgeRule::TOP_LEFT)) else {
            return;
        };
        let (x, y) = probe.pixel();
        if self.clip.intersection(face.scissor).contains(x, y) && self.covered(probe, &shape) != 0 {
            probe.begin_shape(front, &points, corners);
            probe.push(PixelEvent::Culled(probe.shape()));
        }
    }

    /// Draws the quads that were found.
    fn draw(&mut self, face: &PrimitiveContext) -> Result<(), DrawError> {
        if self.context.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(DrawError::TimeIsUp);
        }
        for quad in &self.found {
            let covered = self.samples.covered(quad);
            self.counts.pixels += covered.iter().filter(|&&samples| samples != 0).count() as u64;
            match &mut self.work {
                Work::Copy(copy) => {
                    for pixel in (0..4).filter(|&pixel| covered[pixel as usize] != 0) {
                        let (place, mask) = ((quad.x + pixel % 2, quad.y + pixel / 2), self.samples.mask());
                        let probe = self.context.probe.filter(|probe| probe.pixel() == place);
                        let history = probe.and_then(|probe| copy.history(place, face.layer, mask, probe.shape()));
                        copy.pixel(place.0, place.1, face.layer, mask);
                        if let (Some(probe), Some(history)) = (probe, history) {
                            let after = copy.stored(place, face.layer).unwrap_or_default();
                            probe.push(PixelEvent::Copy(CopyHistory { after, ..history }));
                        }
                    }
                }
                Work::Shade(shading) => shading.quad((quad.x, quad.y), covered)?,
                // They take whole rows.
                Work::Tiles(_) => {}
            }
        }
        Ok(())
    }

    /// Does what still waits, and gives what was done.
    pub fn finish(self) -> Result<DrawCounts, DrawError> {
        let Pixels { work, counts, .. } = self;
        match work {
            Work::Copy(_) => Ok(counts),
            Work::Shade(shading) => {
                let done = shading.finish()?;
                Ok(DrawCounts { fragments: done.fragments, passed: done.passed, ..counts })
            }
            Work::Tiles(quads) => Ok(DrawCounts { drawn: counts.drawn, ..quads.finish()? }),
        }
    }
}
