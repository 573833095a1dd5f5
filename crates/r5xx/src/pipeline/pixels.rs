//! From covered pixels to memory: scissors, early tests, the program, late tests, colour.

use super::DrawError;
use super::colour::{Resolve, Target, samples, targets};
use super::depth::{ColourClear, DepthUnit};
use super::fragment::{AlphaUnit, kills};
use super::interpolate::Inputs;
use super::shading::Shading;
use super::window::{GRID, MAX_DEPTH};
use crate::registers::{
    GbMspos0, GbMspos1, RegisterFile, ScClipRule, ScCliprectBr, ScCliprectTl, ScScissorsBr, ScScissorsTl, ScScreendoor,
    ZbZtop,
};
use ctm_memory::Arena;
use ctm_num::convert::f32_to_unorm;
use ctm_raster::coverage::{self, Shape};
use ctm_raster::depth::Facing;
use ctm_raster::grid::{Point, Rect};
use ctm_raster::plane::{DepthPlane, Setup};
use ctm_x1k::Program;
use ctm_x1k::fragments::Quad;

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

/// A primitive as pixels see it.
pub struct Covering<'a> {
    /// What it covers.
    pub shape: &'a Shape,
    /// The places of its vertices.
    pub setup: Option<Setup>,
    /// Depth over it.
    pub depth: DepthPlane,
    /// Which side is seen.
    pub facing: Facing,
    /// What the program gets.
    pub inputs: &'a Inputs,
    /// Whether a pixel is drawn, where a stipple leaves some out.
    pub stipple: Option<&'a dyn Fn(u32, u32) -> bool>,
}

/// Everything behind the rasteriser.
pub struct Pixels<'a> {
    visible: Visible,
    samples: Vec<Point>,
    screendoor: u32,
    depth: DepthUnit<'a>,
    early: bool,
    clear: Option<ColourClear<'a>>,
    resolve: Option<Resolve<'a>>,
    targets: Vec<Target<'a>>,
    alpha: AlphaUnit,
    /// The program has an effect.
    shades: bool,
}

impl<'a> Pixels<'a> {
    /// For a draw with this program.
    ///
    /// # Errors
    /// If a colour buffer has a format that the card does not have.
    pub fn of(registers: &RegisterFile, memory: &'a Arena, program: &Program) -> Result<Self, DrawError> {
        let alpha = AlphaUnit::of(registers);
        let resolve = Resolve::of(registers, memory)?;
        let mut targets = targets(registers, memory)?;
        targets.retain(|target| resolve.is_none() && target.writes());
        let shades = !targets.is_empty() || alpha.drops() || alpha.depth_from_program || kills(program);
        Ok(Pixels {
            visible: Visible::of(registers),
            samples: sample_places(registers),
            screendoor: registers.get::<ScScreendoor>().mask,
            depth: DepthUnit::of(registers, memory),
            early: registers.get::<ZbZtop>().before_program,
            clear: ColourClear::of(registers, memory),
            resolve,
            targets,
            alpha,
            shades,
        })
    }

    /// Draws a primitive, and gives the number of samples that passed the tests.
    ///
    /// # Errors
    /// If the program does what the machine cannot do.
    pub fn draw(&self, covering: &Covering, shading: &mut Shading) -> Result<u64, DrawError> {
        let mut passed = 0;
        let mut result = Ok(());
        let mut quad = Quad::default();
        coverage::quads(GRID, covering.shape, &self.visible.framebuffer, &self.samples, |covered| {
            if result.is_ok() {
                result = self.quad(covering, shading, covered, &mut quad).map(|samples| passed += samples);
            }
        });
        result.map(|()| passed)
    }

    fn quad(
        &self,
        covering: &Covering,
        shading: &mut Shading,
        covered: coverage::Quad,
        quad: &mut Quad,
    ) -> Result<u64, DrawError> {
        let coverage::Quad { x, y, coverage: mut masks } = covered;
        let pixels = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
        for (lane, (mask, &(x, y))) in masks.iter_mut().zip(&pixels).enumerate() {
            *mask &= (self.screendoor >> (6 * lane)) as u8 & 0x3F;
            if !self.visible.shows(x, y) || covering.stipple.is_some_and(|stipple| !stipple(x, y)) {
                *mask = 0;
            }
        }
        for (&mask, &(x, y)) in masks.iter().zip(&pixels).filter(|(mask, _)| **mask != 0) {
            if let Some(clear) = &self.clear {
                clear.pixel(x, y);
            }
            if let Some(resolve) = self.resolve.as_ref().filter(|_| mask != 0) {
                resolve.pixel(x, y);
            }
        }
        let mut passed = 0;
        if self.early {
            passed += self.test(covering, &mut masks, &pixels, None);
        }
        if masks == [0; 4] {
            return Ok(passed);
        }
        let mut outputs = [[[0; 4]; 4]; ctm_x1k::OUTPUTS];
        let mut depth = None;
        if self.shades {
            quad.position = (x, y);
            quad.covered = (0..4).fold(0, |covered, lane| covered | u8::from(masks[lane] != 0) << lane);
            if shading.needs_inputs() {
                covering.inputs.at(x, y, &mut quad.inputs);
            }
            let shaded = shading.shade(quad)?;
            outputs = shaded.outputs;
            for (lane, mask) in masks.iter_mut().enumerate() {
                *mask = match shaded.live >> lane & 1 {
                    0 => 0,
                    _ => *mask & self.alpha.samples(outputs[0][lane][3], self.samples.len() as u32),
                };
            }
            depth = self.alpha.depth_from_program.then_some(shaded.depth);
        }
        if !self.early {
            passed += self.test(covering, &mut masks, &pixels, depth);
        }
        for target in &self.targets {
            for (lane, &(x, y)) in pixels.iter().enumerate().filter(|&(lane, _)| masks[lane] != 0) {
                target.write(x, y, masks[lane], outputs[target.output][lane]);
            }
        }
        Ok(passed)
    }

    /// Depth and stencil tests of the pixels of a quad; gives the number of samples that pass.
    fn test(
        &self,
        covering: &Covering,
        masks: &mut [u8; 4],
        pixels: &[(u32, u32); 4],
        program: Option<[u32; 4]>,
    ) -> u64 {
        let mut passed = 0;
        for (lane, &(x, y)) in pixels.iter().enumerate() {
            if masks[lane] == 0 {
                continue;
            }
            let depth = |sample: u32| match program {
                Some(depths) => f32_to_unorm(depths[lane], MAX_DEPTH),
                None => {
                    let place = self.samples[sample as usize];
                    let (x, y) = (i64::from(x) * GRID.per_pixel, i64::from(y) * GRID.per_pixel);
                    let place = Point { x: x + place.x, y: y + place.y };
                    covering.setup.map_or_else(
                        || covering.depth.at(ctm_raster::plane::Offset { dx: 0.0, dy: 0.0 }, MAX_DEPTH),
                        |setup| covering.depth.at(setup.offset(place), MAX_DEPTH),
                    )
                }
            };
            masks[lane] = self.depth.test(x, y, masks[lane], covering.facing, depth);
            passed += u64::from(masks[lane].count_ones());
        }
        passed
    }
}
