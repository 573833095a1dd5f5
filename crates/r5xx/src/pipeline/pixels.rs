//! From covered pixels to memory: scissors, early tests, the program, late tests, colour.

mod examine;
mod pending;

pub use pending::PendingQuads;

use super::DrawError;
use super::attributes::Inputs;
use super::depth::{ColourClear, DepthFill, DepthUnit};
use super::fills::PrimitiveFill;
use super::fragment::{AlphaUnit, kills};
use super::rectangles::RectangleTarget;
use super::resolve::SampleResolve;
use super::stipple::LineStipple;
use super::targets::{ColourTarget, samples, targets};
use super::window::{GRID, MAX_DEPTH, WindowVertex};
use crate::layout::{Layout, SurfaceQuads};
use crate::registers::{
    GbMspos0, GbMspos1, RegisterFile, ScClipRule, ScCliprectBr, ScCliprectTl, ScScissorsBr, ScScissorsTl, ScScreendoor,
    ZbZtop,
};
use crate::surface::Surface;
use ctm_engine::Workers;
use ctm_memory::{Arena, Space};
use ctm_num::convert::f32_to_unorm;
use ctm_pipeline::{DepthTests, Rules, SamplePattern};
use ctm_raster::coverage::{self, ConvexPolygon};
use ctm_raster::depth::Facing;
use ctm_raster::grid::{Point, Rect};
use ctm_raster::plane::{DepthPlane, PlaneOffset, PrimitiveSetup};
use ctm_raster::rows::same_of_all;
use ctm_x1k::Program;
use std::ops::Range;

/// Clip rectangles.
const CLIP_RECTANGLES: u32 = 4;
/// The clip rule under which every pixel is visible.
const ALL_VISIBLE: u16 = 0xFFFF;

/// What can be drawn to: the framebuffer and clip rectangles.
struct Visible {
    framebuffer: Rect,
    rule: u16,
    rectangles: [Rect; CLIP_RECTANGLES as usize],
}

impl Visible {
    fn of(registers: &RegisterFile) -> Self {
        let (low, high) = (registers.get::<ScScissorsTl>(), registers.get::<ScScissorsBr>());
        let rule = registers.get::<ScClipRule>().rule;
        let rectangle = |number: usize| {
            let low = registers.at::<ScCliprectTl>(number as u32);
            let high = registers.at::<ScCliprectBr>(number as u32);
            rect((low.x, low.y), (high.x, high.y))
        };
        let rectangles: [Rect; CLIP_RECTANGLES as usize] = std::array::from_fn(rectangle);
        let framebuffer = rect((low.x, low.y), (high.x, high.y));
        // Visible is what is inside of rectangle 0: what every driver sets for its scissor.
        match rule {
            0xAAAA => Visible { framebuffer: framebuffer.intersection(rectangles[0]), rule: ALL_VISIBLE, rectangles },
            _ => Visible { framebuffer, rule, rectangles },
        }
    }

    /// Whether the clip rule lets a pixel be seen.
    fn shows(&self, x: u32, y: u32) -> bool {
        if self.rule == ALL_VISIBLE {
            return true;
        }
        let inside =
            self.rectangles.iter().rev().fold(0, |flags, rectangle| flags << 1 | u32::from(rectangle.contains(x, y)));
        self.rule >> inside & 1 != 0
    }
}

/// Both corners are inside.
fn rect((left, top): (u16, u16), (right, bottom): (u16, u16)) -> Rect {
    Rect { left: left.into(), top: top.into(), right: u32::from(right) + 1, bottom: u32::from(bottom) + 1 }
}

/// The places of samples in a pixel.
fn sample_places(registers: &RegisterFile) -> Vec<Point> {
    let count = samples(registers) as usize;
    if count == 1 {
        return vec![GRID.pixel_centre(0, 0)];
    }
    let (low, high) = (registers.get::<GbMspos0>(), registers.get::<GbMspos1>());
    let places = [
        (low.x0, low.y0),
        (low.x1, low.y1),
        (low.x2, low.y2),
        (high.x3, high.y3),
        (high.x4, high.y4),
        (high.x5, high.y5),
    ];
    places[..count].iter().map(|&(x, y)| Point { x: x.into(), y: y.into() }).collect()
}

/// A screendoor that lets all samples through.
const ALL_SAMPLES: u32 = 0xFF_FFFF;
/// Pixels around a primitive from which on a kernel draws it.
const LARGE_PIXELS: u64 = 4096;

/// A primitive as pixels see it.
pub struct RasterPrimitive<'a> {
    /// What it covers.
    pub shape: &'a ConvexPolygon,
    /// Its vertices.
    pub window: &'a [WindowVertex],
    /// Depth over it.
    pub depth: QuadDepth,
    /// What the program gets.
    pub inputs: &'a Inputs<'a>,
    /// The pixels of a line that are left out.
    pub stipple: Option<LineStipple>,
}

/// Everything after the rasteriser.
pub struct Pixels<'a> {
    visible: Visible,
    samples: Vec<Point>,
    screendoor: u32,
    depth: DepthUnit<'a>,
    early: bool,
    clear: Option<ColourClear<'a>>,
    resolve: Option<SampleResolve<'a>>,
    targets: Vec<ColourTarget<'a>>,
    alpha: AlphaUnit,
    /// The program has an effect.
    shades: bool,
    /// Pixels count that the program then kills.
    counts_killed: bool,
}

impl<'a> Pixels<'a> {
    /// For a draw with this program.
    ///
    /// # Errors
    /// If a colour buffer has a format that the card does not have.
    pub fn of(registers: &RegisterFile, memory: &'a Arena, program: &Program) -> Result<Self, DrawError> {
        let alpha = AlphaUnit::of(registers);
        let resolve = SampleResolve::of(registers, memory)?;
        let mut targets = targets(registers, memory)?;
        targets.retain(|target| resolve.is_none() && target.writes());
        let early = registers.get::<ZbZtop>().before_program;
        let shades = !targets.is_empty() || alpha.drops() || alpha.depth_from_program || kills(program);
        Ok(Pixels {
            visible: Visible::of(registers),
            samples: sample_places(registers),
            screendoor: registers.get::<ScScreendoor>().mask,
            depth: DepthUnit::of(registers, memory),
            early,
            clear: ColourClear::of(registers, memory),
            resolve,
            targets,
            alpha,
            shades,
            counts_killed: early || !kills(program),
        })
    }

    /// Whether fragments go through the program and the tests to colour buffers, and nothing else is done with them; and their samples are inside of
    /// their pixels.
    pub fn is_plain(&self) -> bool {
        let are_inside = self.samples.iter().all(|&Point { x, y }| x.max(y) < GRID.per_pixel);
        are_inside && self.clear.is_none() && self.resolve.is_none()
    }

    /// The colour buffers that are written.
    pub fn targets(&self) -> &[ColourTarget<'a>] {
        &self.targets
    }

    /// The depth buffer, if there are tests.
    pub fn depth_surface(&self) -> Option<&Surface<'a>> {
        self.depth.surface()
    }

    /// The samples of pixels.
    pub fn samples(&self) -> SamplePattern<'_> {
        SamplePattern { places: &self.samples, are_separate: true, mask: u8::MAX, iterates: false }
    }

    /// Whether all pixels of the framebuffer can be drawn to.
    pub fn shows_all(&self) -> bool {
        self.screendoor == ALL_SAMPLES && self.visible.rule == ALL_VISIBLE
    }

    /// The samples of a pixel of the framebuffer that can be drawn to.
    #[inline]
    pub fn samples_shown(&self, x: u32, y: u32) -> u8 {
        let lane = 2 * (y & 1) + (x & 1);
        if self.visible.shows(x, y) { self.shown_samples(lane as usize) } else { 0 }
    }

    /// The depth and stencil tests as tiles see them, with places as `placed` gives them.
    pub fn depth_tests(
        &self,
        placed: impl FnOnce(SurfaceQuads<'a>) -> SurfaceQuads<'a>,
    ) -> Option<DepthTests<'a, Layout>> {
        self.depth.tests(placed)
    }

    /// What happens to pixels around this program.
    pub fn rules(&self, program: &Program) -> Rules {
        Rules {
            early: self.early || !self.shades,
            runs: self.shades,
            kills: kills(program),
            alpha: self.alpha.test(),
            alpha_to_mask: self.alpha.chooses_samples() && self.samples.len() > 1,
            exports_mask: false,
        }
    }

    /// Whether depth is the program's W.
    pub fn depth_from_program(&self) -> bool {
        self.alpha.depth_from_program
    }

    /// The pixels that can be drawn to.
    pub fn framebuffer(&self) -> Rect {
        self.visible.framebuffer
    }

    /// The only colour buffer, if each pixel of a program's output whose tests pass is stored there as it is, or none, if the program has no
    /// effect; `None` if pixels are drawn in another way.
    pub fn fill_targets(&self) -> Option<Option<&ColourTarget<'a>>> {
        let passes = !self.alpha.drops() && !self.alpha.depth_from_program;
        match &self.targets[..] {
            [target] if passes && target.output == 0 && !target.reads() => Some(Some(target)),
            [] if passes && !self.shades => Some(None),
            _ => None,
        }
    }

    /// What is stored in the depth buffer for all pixels of a primitive alike, if they all pass.
    pub fn depth_fill(&self, primitive: &RasterPrimitive) -> Option<DepthFill<'_>> {
        if self.depth.is_off() {
            return self.depth.fill(0, primitive.depth.facing);
        }
        let fill = self.depth.fill(primitive.depth.plane.everywhere(MAX_DEPTH)?, primitive.depth.facing)?;
        (fill.is_empty() || self.clear.is_none() && self.resolve.is_none()).then_some(fill)
    }

    /// The colour buffers as surfaces that kernels write, if what kernels do is all that is done with pixels.
    pub fn rectangle_targets(&self, space: &Space) -> Option<Vec<RectangleTarget>> {
        let passes = self.depth.is_off() && !self.alpha.drops() && !self.alpha.depth_from_program;
        let plain = self.samples.len() == 1 && self.screendoor == ALL_SAMPLES && self.visible.rule == ALL_VISIBLE;
        let alone = self.clear.is_none() && self.resolve.is_none() && self.counts_killed;
        let Rect { left, top, right, bottom: height } = self.visible.framebuffer;
        let size = u64::from(right.saturating_sub(left)) * u64::from(height.saturating_sub(top));
        if size < LARGE_PIXELS {
            return None;
        }
        let target = |target: &ColourTarget| if target.reads() { None } else { target.area(space, height) };
        let targets = self.targets.iter().map(target).collect::<Option<Vec<_>>>()?;
        (passes && plain && alone && !targets.is_empty()).then_some(targets)
    }

    /// The rows and columns of pixels that a shape covers, if they are many.
    fn spans(&self, primitive: &RasterPrimitive) -> Option<Vec<(u32, Range<u32>)>> {
        let Rect { left, top, right, bottom } = self.area(primitive.shape);
        let size = u64::from(right.saturating_sub(left)) * u64::from(bottom.saturating_sub(top));
        if size < LARGE_PIXELS || primitive.stipple.is_some() {
            return None;
        }
        let mut spans = Vec::with_capacity((bottom - top) as usize);
        let (framebuffer, sample) = (&self.visible.framebuffer, self.samples[0]);
        coverage::spans(GRID, primitive.shape, framebuffer, sample, |y, columns| spans.push((y, columns)));
        Some(spans)
    }

    /// The pixels that a shape may cover.
    pub fn area(&self, shape: &ConvexPolygon) -> Rect {
        coverage::area(GRID, shape, self.visible.framebuffer)
    }

    /// The pixels of a primitive, if they are a rectangle, and all samples of it are drawn. It is not empty.
    pub fn rectangle(&self, primitive: &RasterPrimitive) -> Option<Rect> {
        let all = (1 << self.samples.len()) - 1;
        let shows_all = (0..4).all(|lane| self.shown_samples(lane) & all == all) && self.visible.rule == ALL_VISIBLE;
        if !shows_all || primitive.stipple.is_some() {
            return None;
        }
        let of_sample = |sample: &Point| coverage::rectangle(GRID, primitive.shape, &self.visible.framebuffer, *sample);
        same_of_all(self.samples.iter().map(of_sample)).filter(|area| !area.is_empty())
    }

    /// Draws a primitive without a program, by as many of the threads as that is worth; gives the number of pixels.
    fn draw_directly(
        &self,
        primitive: &RasterPrimitive,
        direct: &PrimitiveFill,
        threads: Option<(&Workers, usize)>,
    ) -> u64 {
        if let Some(area) = self.rectangle(primitive)
            && self.resolve.as_ref().is_none_or(SampleResolve::is_apart)
            && direct.rectangle(area).is_some()
        {
            if let Some(clear) = &self.clear {
                clear.rectangle(area);
            }
            if let Some(resolve) = &self.resolve {
                resolve.rectangle(area, threads);
            }
            return u64::from(area.right - area.left) * u64::from(area.bottom - area.top);
        }
        let mut drawn = 0;
        coverage::quads(GRID, primitive.shape, &self.visible.framebuffer, &self.samples, |covered| {
            let are_drawn = self.visible(primitive, covered).map(|mask| mask != 0);
            direct.pixels(pixels_of(covered.x, covered.y), are_drawn);
            drawn += are_drawn.iter().filter(|&&is_drawn| is_drawn).count() as u64;
        });
        drawn
    }

    /// The samples of a quad that can be drawn to, where clears and resolves are made.
    fn visible(&self, primitive: &RasterPrimitive, covered: coverage::Quad) -> [u8; 4] {
        let mut masks = covered.coverage;
        for (lane, (mask, (x, y))) in masks.iter_mut().zip(pixels_of(covered.x, covered.y)).enumerate() {
            *mask &= self.shown_samples(lane);
            if *mask == 0 {
                continue;
            }
            if !self.visible.shows(x, y) || primitive.stipple.is_some_and(|stipple| !stipple.draws(x, y)) {
                *mask = 0;
                continue;
            }
            if let Some(clear) = &self.clear {
                clear.pixel(x, y);
            }
            if let Some(resolve) = &self.resolve {
                resolve.pixel(x, y);
            }
        }
        masks
    }

    /// The samples that the screendoor lets through, of a pixel of each quad.
    fn shown_samples(&self, lane: usize) -> u8 {
        (self.screendoor >> (6 * lane)) as u8 & 0x3F
    }

    /// Depth and stencil tests of the pixels of a quad; gives the number of samples that pass.
    fn test(&self, depth: &QuadDepth, x: u32, y: u32, masks: &mut [u8; 4], program: Option<[u32; 4]>) -> u64 {
        let mut passed = 0;
        for (lane, (x, y)) in pixels_of(x, y).into_iter().enumerate() {
            if masks[lane] == 0 {
                continue;
            }
            let program = program.map(|depths| depths[lane]);
            let value = |sample| self.depth_of_sample(depth, (x, y), sample, program);
            masks[lane] = self.depth.test(x, y, masks[lane], depth.facing, value);
            passed += u64::from(masks[lane].count_ones());
        }
        passed
    }

    /// The depth of a sample: what the program gave, or that of the primitive.
    #[inline]
    fn depth_of_sample(&self, depth: &QuadDepth, (x, y): (u32, u32), sample: u32, program: Option<u32>) -> u32 {
        match program {
            Some(depth) => f32_to_unorm(depth, MAX_DEPTH),
            None => depth.at(x, y, self.samples[sample as usize]),
        }
    }
}

/// The pixels of the quad whose upper left one this is.
fn pixels_of(x: u32, y: u32) -> [(u32, u32); 4] {
    [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
}

/// Depth over a primitive.
#[derive(Clone, Copy)]
pub struct QuadDepth {
    /// The places of its vertices; points have none.
    pub setup: Option<PrimitiveSetup>,
    /// Depth over it.
    pub plane: DepthPlane,
    /// Which side is seen.
    pub facing: Facing,
}

impl QuadDepth {
    /// The depth of a sample at a place inside of a pixel.
    fn at(&self, x: u32, y: u32, place: Point) -> u32 {
        let (x, y) = (i64::from(x) * GRID.per_pixel, i64::from(y) * GRID.per_pixel);
        let offset = match &self.setup {
            Some(setup) => setup.offset(Point { x: x + place.x, y: y + place.y }),
            None => PlaneOffset { dx: 0.0, dy: 0.0 },
        };
        self.plane.at(offset, MAX_DEPTH)
    }
}
