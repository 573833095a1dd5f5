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
use ctm_pipeline::{AlphaTest, BYTES, ComponentLines, Lines, PIXELS, WORDS};
use ctm_r700::{Bindings, Component, Gradient, Input, Job, Region, Stage};
use ctm_raster::depth::CompareFunction;
use ctm_raster::plane::PrimitiveSetup;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a vector.
const VECTOR: u64 = 16;
/// Bytes of a line of words.
const LINE_BYTES: u32 = 4 * WORDS as u32;

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

/// Where the program of tiles finds and leaves what it works on: words, as [`Lines`] has them.
#[derive(Clone)]
pub struct LineRegions {
    /// Of each register that gets something.
    inputs: Vec<[Region; 4]>,
    /// Of each colour that is used, by its number.
    outputs: Vec<(usize, [Region; 4])>,
    /// Depths and stencil values, if it exports some.
    depths: Option<ExportedDepths>,
    /// Pixels that it does not kill, if it may kill some: as it notes them, lane by lane, and in lines.
    valid: Option<[Region; 2]>,
}

/// Depths and stencil values that the program exports.
#[derive(Clone)]
struct ExportedDepths {
    /// As it exports them, with masks of samples: two rows of vectors.
    vectors: Region,
    /// Depths in lines, if they count.
    depth: Option<Region>,
    /// Stencil values in lines, if they count.
    stencil: Option<Region>,
    /// Masks of samples in lines, if they count.
    mask: Option<Region>,
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
        let written = self.written();
        let buffers = self.bindings.buffers.values().map(|buffer| &buffer.region);
        let mut read = self.bindings.kcache.iter().flatten().chain(buffers);
        (1..written.len()).all(|n| is_apart(&written[n], &written[..n]))
            && read.all(|region| is_apart(&addresses(region), &written))
    }

    /// The addresses of targets and of the depth buffer.
    pub fn written(&self) -> Vec<Range<u64>> {
        written(&self.targets, self.depth.as_ref())
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

    /// Memory for tiles.
    ///
    /// # Errors
    /// There is none left.
    pub fn lines(&self, builder: &mut DrawMemoryBuilder) -> Result<LineRegions, DrawError> {
        let rules = &self.rules;
        let mut line = || builder.reserve(BYTES as u64);
        let mut inputs = Vec::new();
        for _ in self.inputs.registers() {
            inputs.push([line()?, line()?, line()?, line()?]);
        }
        // Alpha is that of the first.
        let first = (rules.alpha.is_some() || rules.alpha_to_mask).then_some(0);
        let used = self.targets.iter().flat_map(|target| [Some(target.output), target.second]).flatten().chain(first);
        let mut outputs: Vec<(usize, _)> = Vec::new();
        for output in used {
            if outputs.iter().all(|&(known, _)| known != output) {
                outputs.push((output, [line()?, line()?, line()?, line()?]));
            }
        }
        let valid = if rules.kills { Some([line()?, line()?]) } else { None };
        let depth = if rules.exports_depth { Some(line()?) } else { None };
        let stencil = if rules.exports_stencil { Some(line()?) } else { None };
        let mask = if rules.exports_mask { Some(line()?) } else { None };
        let depths = match rules.exports_depth || rules.exports_stencil || rules.exports_mask {
            true => Some(ExportedDepths { vectors: builder.reserve(4 * BYTES as u64)?, depth, stencil, mask }),
            false => None,
        };
        Ok(LineRegions { inputs, outputs, depths, valid })
    }

    /// The program for what lies in lines, with these bindings.
    pub fn job_of_lines<'j>(&'j self, lines: &LineRegions, bindings: &Bindings, memory: &'j Space) -> Option<Job<'j>> {
        let domain = Domain::of_size(PIXELS as u32, 1)?;
        let size = [WORDS as u32, 2];
        let line = |region: &Region| {
            let ([pitch, height], format) = (size, Format::Float32_1);
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
        job.targets.depth = lines.depths.as_ref().map(|depths| vectors_of(&depths.vectors, size));
        job.targets.valid = lines.valid.map(|[noted, _]| noted);
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

impl LineRegions {
    /// What the program works on; of inputs, what it reads (register and component).
    pub fn lines<'l>(&self, arena: &'l Arena, inputs: &Inputs, reads: impl Fn(u8, usize) -> bool) -> Lines<'l> {
        let of = |region: &Region| ComponentLines::of(arena, region.base);
        let component = |(register, lines): (u8, &[Region; 4])| {
            [0, 1, 2, 3].map(|n| if reads(register, n) { of(&lines[n]) } else { None })
        };
        let colour = |(output, lines): &(usize, [Region; 4])| {
            let [Some(a), Some(b), Some(c), Some(d)] = lines.each_ref().map(of) else { return None };
            Some((*output, [a, b, c, d]))
        };
        Lines {
            inputs: inputs.registers().zip(&self.inputs).flat_map(component).collect(),
            colours: self.outputs.iter().filter_map(colour).collect(),
            depth: self.depths.as_ref().and_then(|depths| of(depths.depth.as_ref()?)),
            stencil: self.depths.as_ref().and_then(|depths| of(depths.stencil.as_ref()?)),
            mask: self.depths.as_ref().and_then(|depths| of(depths.mask.as_ref()?)),
            valid: self.valid.as_ref().and_then(|[_, lines]| of(lines)),
        }
    }

    /// Nothing is exported yet for so many columns and rows of lines, of colours for which that matters: what is not is zero.
    pub fn clear(&self, arena: &Arena, [columns, rows]: [usize; 2], is_cleared: impl Fn(usize) -> bool) {
        let cleared = self.outputs.iter().filter(|(output, _)| is_cleared(*output));
        for (line, row) in cleared.flat_map(|(_, lines)| lines).flat_map(|line| (0..rows).map(move |row| (line, row))) {
            arena.fill_words(line.base + row as u32 * LINE_BYTES, columns, 0, u32::MAX);
        }
        if let Some(ExportedDepths { vectors, .. }) = &self.depths {
            (0..rows).for_each(|row| {
                arena.fill_words(vectors.base + row as u32 * 4 * LINE_BYTES, 4 * columns, 0, u32::MAX);
            });
        }
        if let Some([noted, _]) = &self.valid {
            arena.fill_words(noted.base, columns * rows, 0, u32::MAX);
        }
    }

    /// Moves what the program has exported for so many columns and rows to lines.
    pub fn collect(&self, arena: &Arena, [columns, rows]: [usize; 2]) {
        let mut words = vec![0; columns];
        for row in 0..rows as u32 {
            if let Some([noted, lines]) = &self.valid {
                arena.read_words(noted.base + row * 4 * columns as u32, &mut words);
                arena.write_words(lines.base + row * LINE_BYTES, &words);
            }
            let Some(ExportedDepths { vectors, depth, stencil, mask }) = &self.depths else { continue };
            let mut all = vec![[0; 4]; columns];
            arena.read_words(vectors.base + row * 4 * LINE_BYTES, all.as_flattened_mut());
            for (component, lines) in [depth, stencil, mask].into_iter().enumerate() {
                if let Some(lines) = lines {
                    words.iter_mut().zip(&all).for_each(|(word, vector)| *word = vector[component]);
                    arena.write_words(lines.base + row * LINE_BYTES, &words);
                }
            }
        }
    }
}

impl Rules {
    /// The same as tiles see it.
    pub fn of_tiles(&self) -> ctm_pipeline::Rules {
        let alpha = |(function, reference): (_, f32)| AlphaTest::Float { function, reference: reference.to_bits() };
        let Rules { early, runs, kills, alpha_to_mask, exports_mask, .. } = *self;
        ctm_pipeline::Rules { early, runs, kills, alpha: self.alpha.map(alpha), alpha_to_mask, exports_mask }
    }

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
