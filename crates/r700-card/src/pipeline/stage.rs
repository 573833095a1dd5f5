//! The pixel program of a draw: what it gets, where it finds and leaves what it works on, and what is done with that.

use super::attributes::{Gradients, Inputs, PrimitiveContext, SetupVertex};
use super::bindings::{ANYTHING, PIXEL, addresses, bindings, is_apart};
use super::depth::{DepthBuffer, function};
use super::draw_memory::DrawMemoryBuilder;
use super::samples::Samples;
use super::streamout;
use super::targets::{ColourTarget, TARGETS};
use super::tiles::{Piece, Rectangle, SurfaceVariant};
use super::{DrawContext, DrawError};
use crate::programs::StageProgram;
use crate::registers::{DbAlphaToMask, DbShaderControl, RegisterFile, SxAlphaRef, SxAlphaTestControl};
use crate::state::State;
use ctm_lane::domain::Domain;
use ctm_memory::{Arena, Format, Space, Surface, Tiling};
use ctm_r700::{Bindings, Component, Gradient, Input, Job, Region, Stage};
use ctm_raster::depth::CompareFunction;
use ctm_raster::plane::PrimitiveSetup;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a vector.
const VECTOR: u64 = 16;

/// What the pixels of a draw have in common.
pub struct PixelStage<'a> {
    /// The pixel program.
    pub program: Arc<StageProgram>,
    /// What it names by number.
    pub bindings: Bindings,
    /// Its registers that get something.
    pub inputs: Inputs,
    /// Where its colours go.
    pub targets: Vec<ColourTarget<'a>>,
    /// The samples of pixels.
    pub samples: Samples,
    /// The depth buffer, if there are tests.
    pub depth: Option<DepthBuffer<'a>>,
    /// What happens between.
    pub rules: Rules,
}

/// What happens between the program and the targets.
pub struct Rules {
    /// Depth and stencil tests come before the program.
    pub early: bool,
    /// Something depends on the program.
    pub runs: bool,
    /// The program may kill pixels.
    pub kills: bool,
    /// The alpha test, with its reference.
    pub alpha: Option<(CompareFunction, f32)>,
    /// Alpha says how many samples are drawn to.
    pub alpha_to_mask: bool,
    /// The program exports depth.
    pub exports_depth: bool,
    /// It exports stencil values.
    pub exports_stencil: bool,
    /// It exports masks of samples.
    pub exports_mask: bool,
}

/// A primitive whose quads are drawn.
pub struct ShadedPrimitive {
    /// What registers get over it.
    pub gradients: Gradients,
    /// It is seen from the front.
    pub front: bool,
    /// The layer that it is drawn to.
    pub layer: u32,
    /// What depths are clamped to.
    pub range: [f32; 2],
}

/// Where the program finds and leaves what it works on, for so many quads: a row of upper pixels, and one of lower ones.
pub struct Regions {
    /// Pixels of a row.
    pub columns: usize,
    /// Of each register that gets something.
    pub inputs: Vec<Region>,
    /// Of each colour that is used, by its number.
    pub outputs: Vec<(usize, Region)>,
    /// Depth, stencil value and mask of samples, if it exports one of them.
    pub depth: Option<Region>,
    /// Where pixels are noted that it does not kill, if it may kill some.
    pub valid: Option<Region>,
}

/// Where the program finds and leaves what it works on, for so many pixels: words, a line for each component of a register.
pub struct Lines {
    /// Of each register that gets something.
    pub inputs: Vec<[Region; 4]>,
    /// Of each colour that is used, by its number.
    pub outputs: Vec<(usize, [Region; 4])>,
    /// Words of a line.
    words: u32,
}

impl<'a> PixelStage<'a> {
    /// Of the state. What the program reads is put where `builder` says.
    ///
    /// # Errors
    /// Something that it needs is not there, or not executed.
    pub fn of(
        state: &State,
        context: &DrawContext<'a>,
        samples: Samples,
        builder: &mut DrawMemoryBuilder,
    ) -> Result<Self, DrawError> {
        let registers = &state.registers;
        let program = context.program(state, Stage::Pixel).ok_or(DrawError::NoProgram { stage: "pixel" })?;
        let targets: Vec<ColourTarget> = (0..TARGETS)
            .filter_map(|number| ColourTarget::of(registers, context.memory, number).transpose())
            .collect::<Result<_, _>>()?;
        let depth = DepthBuffer::of(registers, context.memory)?;
        let written: &[Range<u64>] = match streamout::buffers(registers) {
            Some(_) => &ANYTHING,
            None => &written(&targets, depth.as_ref()),
        };
        let bindings = bindings(PIXEL, state, (context.memory, written), &[program.uses()], builder)?;
        let control = registers.get::<DbShaderControl>();
        Ok(PixelStage {
            bindings,
            inputs: Inputs::of(registers)?,
            rules: Rules::of(registers, &control, samples.count() > 1, !targets.is_empty()),
            depth,
            program,
            targets,
            samples,
        })
    }

    /// Columns and rows that all targets and the depth buffer have; `None` if there are none.
    pub fn size(&self) -> Option<[u32; 2]> {
        let sizes = self.targets.iter().map(ColourTarget::size).chain(self.depth.as_ref().map(DepthBuffer::size));
        sizes.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])])
    }

    /// Whether targets and the depth buffer share no memory with each other, nor with buffers that the program reads. Otherwise it matters in which
    /// order pixels are drawn.
    pub fn is_apart(&self) -> bool {
        let written = written(&self.targets, self.depth.as_ref());
        let buffers = self.bindings.buffers.values().map(|buffer| &buffer.region);
        let mut read = self.bindings.kcache.iter().flatten().chain(buffers);
        (1..written.len()).all(|n| is_apart(&written[n], &written[..n]))
            && read.all(|region| is_apart(&addresses(region), &written))
    }

    /// Memory for so many quads.
    ///
    /// # Errors
    /// There is none left.
    pub fn regions(&self, quads: usize, builder: &mut DrawMemoryBuilder) -> Result<Regions, DrawError> {
        let rules = &self.rules;
        let mut reserve = |bytes: u64| builder.reserve(4 * quads as u64 * bytes);
        // Alpha is that of the first.
        let first = (rules.alpha.is_some() || rules.alpha_to_mask).then_some(0);
        let used = self.targets.iter().flat_map(|target| [Some(target.output), target.second]).flatten().chain(first);
        let mut outputs: Vec<(usize, Region)> = Vec::new();
        for output in used {
            if outputs.iter().all(|&(known, _)| known != output) {
                outputs.push((output, reserve(VECTOR)?));
            }
        }
        let exports = rules.exports_depth || rules.exports_stencil || rules.exports_mask;
        Ok(Regions {
            columns: 2 * quads,
            inputs: self.inputs.registers().map(|_| reserve(VECTOR)).collect::<Result<_, _>>()?,
            outputs,
            depth: if exports { Some(reserve(VECTOR)?) } else { None },
            valid: if rules.kills { Some(reserve(4)?) } else { None },
        })
    }

    /// Memory for so many pixels in lines.
    ///
    /// # Errors
    /// There is none left.
    pub fn lines(&self, pixels: usize, builder: &mut DrawMemoryBuilder) -> Result<Lines, DrawError> {
        let mut line = || builder.reserve(4 * pixels as u64);
        let mut inputs = Vec::new();
        for _ in self.inputs.registers() {
            inputs.push([line()?, line()?, line()?, line()?]);
        }
        let mut outputs: Vec<(usize, _)> = Vec::new();
        for target in &self.targets {
            if outputs.iter().all(|&(known, _)| known != target.output) {
                outputs.push((target.output, [line()?, line()?, line()?, line()?]));
            }
        }
        Ok(Lines { inputs, outputs, words: pixels as u32 })
    }

    /// The program for so many pixels in lines, with these bindings.
    pub fn job_of_pixels<'j>(
        &'j self,
        lines: &Lines,
        pixels: usize,
        bindings: &Bindings,
        memory: &'j Space,
    ) -> Option<Job<'j>> {
        let domain = Domain::of_size(pixels as u32, 1)?;
        let line = |region: &Region| {
            let (pitch, height, format) = (lines.words, 1, Format::Float32_1);
            Surface { base: region.base, pitch, height, tiling: Tiling::Linear, superfine: false, format }
        };
        let inputs = lines.inputs.iter().map(|lines| Input::Channels(lines.each_ref().map(line)));
        let mut job = self.job_without_targets(domain, inputs, memory);
        job.bindings = bindings.clone();
        for (output, lines) in &lines.outputs {
            if let Some(channels) = job.targets.colour_channels.get_mut(*output) {
                *channels = Some(lines.each_ref().map(line));
            }
        }
        Some(job)
    }

    /// The program for so many quads.
    pub fn job<'j>(&'j self, regions: &Regions, quads: usize, memory: &'j Space) -> Option<Job<'j>> {
        let domain = Domain::of_size(2 * quads as u32, 2)?;
        let size = [regions.columns as u32, 2];
        let inputs = regions.inputs.iter().map(|region| Input::Surface(vectors_of(region, size)));
        Some(self.job_of(regions, (domain, size), inputs, memory))
    }

    /// The program for a rectangle, piece by piece, unless it stores colours itself.
    pub fn job_of_rectangle<'j>(
        &'j self,
        regions: &Regions,
        (rectangle, bound): (&Rectangle, Option<&SurfaceVariant>),
        memory: &'j Space,
    ) -> Option<Job<'j>> {
        let piece = rectangle.pieces().next()?;
        let domain = Domain::of_size(piece.size[0], piece.size[1])?;
        let size = [piece.pitch, piece.height()];
        let is_whole = bound.is_some_and(|bound| bound.colours.is_some());
        let inputs = rectangle.gradients.iter().map(|gradient| match is_whole && is_place(gradient) {
            true => Input::Position,
            false => Input::Gradient(*gradient),
        });
        let mut job = self.job_of(regions, (domain, size), inputs, memory);
        if let Some(bound) = bound {
            job.bindings = bound.bindings.clone();
            for (output, surface) in bound.colours.iter().flatten() {
                if let Some(colour) = job.targets.colours.get_mut(*output) {
                    *colour = Some(*surface);
                }
            }
        }
        self.move_job(&mut job, &piece).then_some(job)
    }

    /// Moves a job of a rectangle whose colours the program stores itself to a strip of it.
    pub fn move_to_strip(&self, job: &mut Job, strip: Domain) {
        job.lanes = strip.into();
        self.begin_at(job, [0; 2]);
    }

    /// Moves a job of a rectangle to one of its pieces; whether that can be.
    pub fn move_job(&self, job: &mut Job, piece: &Piece) -> bool {
        let Some(domain) = Domain::of_size(piece.size[0], piece.size[1]) else { return false };
        job.lanes = domain.into();
        self.begin_at(job, piece.corner);
        true
    }

    /// Lane (0, 0) is this pixel.
    fn begin_at(&self, job: &mut Job, pixel: [u32; 2]) {
        for input in job.inputs.values_mut() {
            if let Input::Gradient(gradient) = input {
                gradient.first = pixel;
            }
        }
    }

    /// The program for a domain, for whose colours there is memory of so many columns and rows.
    fn job_of<'j>(
        &'j self,
        regions: &Regions,
        (domain, size): (Domain, [u32; 2]),
        inputs: impl Iterator<Item = Input>,
        memory: &'j Space,
    ) -> Job<'j> {
        let plane = |region: &Region| vectors_of(region, size);
        let mut job = self.job_without_targets(domain, inputs, memory);
        for (output, region) in &regions.outputs {
            if let Some(colour) = job.targets.colours.get_mut(*output) {
                *colour = Some(plane(region));
            }
        }
        job.targets.depth = regions.depth.as_ref().map(plane);
        job.targets.valid = regions.valid;
        job
    }

    fn job_without_targets<'j>(
        &'j self,
        domain: Domain,
        inputs: impl Iterator<Item = Input>,
        memory: &'j Space,
    ) -> Job<'j> {
        let mut job = Job::of(self.program.known(), domain, memory);
        job.bindings = self.bindings.clone();
        job.quad_derivatives = true;
        job.inputs = self.inputs.registers().zip(inputs).collect();
        job
    }
}

/// The addresses of targets and of the depth buffer.
fn written(targets: &[ColourTarget], depth: Option<&DepthBuffer>) -> Vec<Range<u64>> {
    let depth = depth.map(|depth| depth.surface.addresses());
    targets.iter().map(|target| target.surface.addresses()).chain(depth).collect()
}

/// Whether a register gets the place of the lane, where lanes are pixels.
fn is_place(gradient: &Gradient) -> bool {
    gradient.components == [Component::Column(0), Component::Row(0), Component::Value(0), Component::Value(0)]
}

/// A region as vectors of so many columns and rows.
fn vectors_of(region: &Region, [pitch, height]: [u32; 2]) -> Surface {
    Surface { base: region.base, pitch, height, tiling: Tiling::Linear, superfine: false, format: Format::Float32_4 }
}

impl ShadedPrimitive {
    /// With planes through three corners, of which `setup` is.
    pub fn of(inputs: &Inputs, face: &PrimitiveContext, setup: PrimitiveSetup, corners: [&SetupVertex; 3]) -> Self {
        let gradients = inputs.over(face, setup, corners);
        ShadedPrimitive { gradients, front: face.front, layer: face.layer, range: face.depths }
    }
}

impl Regions {
    /// Where a colour is, if it is used.
    pub fn output(&self, number: usize) -> Option<Region> {
        self.outputs.iter().find(|&&(output, _)| output == number).map(|&(_, region)| region)
    }

    /// Nothing is exported yet for the first so many pixels of outputs.
    pub fn clear_words(&self, arena: &Arena, pixels: u32) {
        for (_, region) in &self.outputs {
            arena.fill_words(region.base, 4 * pixels as usize, 0, u32::MAX);
        }
    }

    /// Nothing is exported yet for so many quads: what is not is zero.
    pub fn clear_outputs(&self, arena: &Arena, quads: usize) {
        for region in self.outputs.iter().map(|(_, region)| region).chain(&self.depth) {
            for row in 0..2 {
                arena.fill_words(region.base + row * 16 * self.columns as u32, 8 * quads, 0, u32::MAX);
            }
        }
        if let Some(valid) = self.valid {
            arena.fill_words(valid.base, 4 * quads, 0, u32::MAX);
        }
    }
}

impl Lines {
    /// The lines of a colour, if it is used.
    pub fn output(&self, number: usize) -> Option<&[Region; 4]> {
        self.outputs.iter().find(|&&(output, _)| output == number).map(|(_, lines)| lines)
    }

    /// Nothing of these colours is exported yet for the first so many pixels.
    pub fn clear_outputs(&self, arena: &Arena, pixels: usize, is_cleared: impl Fn(usize) -> bool) {
        let cleared = self.outputs.iter().filter(|(output, _)| is_cleared(*output));
        for line in cleared.flat_map(|(_, lines)| lines) {
            arena.fill_words(line.base, pixels, 0, u32::MAX);
        }
    }
}

impl Rules {
    fn of(registers: &RegisterFile, control: &DbShaderControl, has_samples: bool, has_targets: bool) -> Self {
        let test = registers.get::<SxAlphaTestControl>();
        let tests_alpha = test.alpha_test_enable && !test.alpha_test_bypass;
        let alpha = tests_alpha.then(|| (function(test.alpha_func), registers.float::<SxAlphaRef>()));
        let alpha_to_mask = has_samples && registers.get::<DbAlphaToMask>().alpha_to_mask_enable;
        let exports_mask = has_samples && control.mask_export_enable;
        let early = alpha.is_none()
            && !alpha_to_mask
            && !exports_mask
            && !control.kill_enable
            && !control.z_export_enable
            && !control.stencil_ref_export_enable;
        Rules {
            early,
            kills: control.kill_enable,
            runs: has_targets || !early,
            alpha,
            alpha_to_mask,
            exports_depth: control.z_export_enable,
            exports_stencil: control.stencil_ref_export_enable,
            exports_mask,
        }
    }
}
