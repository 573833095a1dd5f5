//! Programs that work on surfaces of memory: machine code for these loads and stores elements of a row together, and knows the sizes of textures, but
//! it is made for each of these.

use super::TileRenderer;
use super::rectangles::Rectangle;
use crate::pipeline::DrawError;
use crate::pipeline::bindings::make_surfaces;
use crate::pipeline::stage::PixelStage;
use ctm_memory::Surface;
use ctm_pipeline::ColourTarget as _;
use ctm_r700::Bindings;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::PoisonError;

/// What is known of the program of rectangles that is made for surfaces.
pub struct SurfaceVariant {
    /// What it names by number.
    pub bindings: Bindings,
    /// Where it stores which of its colours itself, if it does so with all of them.
    pub colours: Option<Vec<(usize, Surface)>>,
    /// Every lane exports all channels of all colours that are used.
    pub exports_all: bool,
}

impl SurfaceVariant {
    /// With the surfaces that a program can have, and the hash of all that it depends on by these.
    fn of(stage: &PixelStage, rectangle: &Rectangle) -> (Self, u64) {
        let mut bindings = stage.bindings.clone();
        let made = make_surfaces(&mut bindings);
        let colours = colours(stage, rectangle);
        let mut hash = DefaultHasher::new();
        let sizes = colours.iter().flatten().map(|(output, surface)| (output, surface.pitch, surface.height));
        (stage.program.hash, made, sizes.collect::<Vec<_>>()).hash(&mut hash);
        (SurfaceVariant { bindings, colours, exports_all: false }, hash.finish())
    }
}

/// Surfaces for all colours of a rectangle, if they are stored as they are exported, and their pixels lie as those of surfaces.
fn colours(stage: &PixelStage, rectangle: &Rectangle) -> Option<Vec<(usize, Surface)>> {
    let mut colours: Vec<(usize, Surface)> = Vec::new();
    for target in &stage.targets {
        let is_known = colours.iter().any(|&(output, _)| output == target.output);
        let surface = target.surface.vectors(rectangle.layer.into());
        colours.push((target.output, surface.filter(|_| target.stores_vectors() && !is_known)?));
    }
    (rectangle.is_even() && !colours.is_empty()).then_some(colours)
}

impl TileRenderer<'_> {
    /// What a program that runs for pixels names by number, with textures that are surfaces, if making it for these is worth it.
    pub(super) fn bindings_of_pixels(&self, pixels: u64) -> Option<Bindings> {
        let mut bindings = self.stage.bindings.clone();
        let made = make_surfaces(&mut bindings);
        let mut hash = DefaultHasher::new();
        ("pixels", self.stage.program.hash, &made).hash(&mut hash);
        (!made.is_empty() && self.context.cache.is_worth_surfaces(hash.finish(), pixels)).then_some(bindings)
    }

    /// The surfaces of a rectangle's program, if making it for them is worth it.
    ///
    /// # Errors
    /// What the program needs is not there.
    pub(super) fn bound(&self, rectangle: &Rectangle) -> Result<Option<SurfaceVariant>, DrawError> {
        let (stage, context) = (&self.stage, self.context);
        let (mut bound, hash) = SurfaceVariant::of(stage, rectangle);
        if !context.cache.is_worth_surfaces(hash, rectangle.pixels()) {
            return Ok(None);
        }
        bound.exports_all = self.exports_all(&bound, rectangle)?;
        // What is not exported is zero, not what was there.
        if !bound.exports_all {
            bound.colours = None;
        }
        Ok(Some(bound))
    }

    /// Whether every lane of the program exports all that is used.
    fn exports_all(&self, bound: &SurfaceVariant, rectangle: &Rectangle) -> Result<bool, DrawError> {
        let Some(worker) = self.workers.first() else { return Ok(false) };
        let worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
        let regions = &worker.regions;
        let job = self.stage.job_of_rectangle(regions, (rectangle, Some(bound)), self.draw_memory.space());
        let Some(job) = job else { return Ok(false) };
        let compiled = self.context.executor.compile(&job)?;
        let kernels = compiled.kernels().and_then(|kernels| kernels.as_ref().ok());
        let mut outputs = regions.outputs.iter();
        Ok(kernels.is_some_and(|kernels| outputs.all(|&(output, _)| kernels.replaces_colour(output))))
    }
}
