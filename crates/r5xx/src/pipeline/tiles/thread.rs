//! A thread that runs kernels for tiles.

use super::job::{BoundTileJob, TileJob, TileKernel};
use super::lift::{Prefetch, PrefetchedValue};
use super::planes::{Planes, Side};
use super::{Component, Key, TileState};
use crate::pipeline::detiled::DetiledTextures;
use ctm_engine::Compiled;
use ctm_lane::budget::Halt;
use ctm_lane::clock::Instant;
use ctm_pipeline::{ComponentLines, Lines, TileProgram};
use ctm_raster::covered::ShadingRate;
use ctm_x1k::fragments::{Fetch, TextureUnit};
use ctm_x1k::{RunError, RunOptions};

/// Quads that launches are a multiple of: no vector of any engine is wider.
const MULTIPLE: u32 = 32;

/// A kernel, and what it fetches from.
pub struct BoundKernel<'d> {
    pub key: &'d Key,
    pub compiled: &'d Compiled<Key, Option<TileKernel>>,
    /// What it fetches from instead of textures.
    pub copies: Option<&'d DetiledTextures>,
}

/// What a thread runs it with.
pub struct TileThread<'d> {
    state: &'d TileState<'d>,
    kernel: &'d BoundKernel<'d>,
    planes: &'d Planes,
    lines: Lines<'d>,
    options: RunOptions<'d>,
    /// What runs, as soon as something did.
    bound: Option<BoundTileJob<'d>>,
}

impl<'d> TileThread<'d> {
    /// With planes of its own.
    pub fn new(state: &'d TileState<'d>, kernel: &'d BoundKernel<'d>, planes: &'d Planes) -> Self {
        let results = &state.results;
        let result = |plane: usize| planes.lines(Side::Output, plane);
        let colour = |(output, first): (usize, &Option<usize>)| {
            let first = (*first)?;
            Some((output, [result(first)?, result(first + 1)?, result(first + 2)?, result(first + 3)?]))
        };
        let lines = Lines {
            inputs: (0..state.planes).map(|plane| planes.lines(Side::Input, plane)).collect(),
            colours: results.outputs.iter().enumerate().filter_map(colour).collect(),
            depth: results.depth.and_then(result),
            stencil: None,
            mask: None,
            valid: results.valid.and_then(result),
        };
        let options = RunOptions { threads: 1, ..*state.options };
        TileThread { state, kernel, planes, lines, options, bound: None }
    }

    /// What the kernel runs.
    fn bound(&self, kernel: &TileKernel) -> Option<BoundTileJob<'d>> {
        let TileThread { state, kernel: BoundKernel { key, copies, .. }, planes, .. } = *self;
        kernel.bound(&TileJob { state, key, copies: *copies, planes, extent: [0; 2] })
    }

    /// Works out what the kernel expects of a fetch.
    fn fetch(&self, (number, prefetch): (usize, &Prefetch), quads: usize) -> Option<()> {
        let Prefetch { wanted, unit, op, unscaled, coordinates } = *prefetch;
        let lines = |plane: usize| self.planes.lines(Side::Input, plane);
        let first = self.state.planes + 4 * number;
        let results = [lines(first)?, lines(first + 1)?, lines(first + 2)?, lines(first + 3)?];
        let coordinates: [(u32, Option<ComponentLines>); 4] = coordinates.map(|component| match component {
            Component::Constant(bits) => (bits, None),
            Component::Plane(plane) => (0, lines(plane)),
        });
        let textures = self.state.units;
        for quad in 0..quads {
            let mut vectors = [[0; 4]; 4];
            for (channel, (bits, lines)) in coordinates.iter().enumerate() {
                let values = lines.map_or([*bits; 4], |lines| lines.quad(quad));
                vectors.iter_mut().zip(values).for_each(|(vector, value)| vector[channel] = value);
            }
            let (dx, dy) = ([[0; 4]; 4], [[0; 4]; 4]);
            let fetch = Fetch { unit, op, unscaled, coordinates: vectors, dx, dy };
            let texels = match wanted {
                PrefetchedValue::Texel => textures.fetch(&fetch),
                PrefetchedValue::Level => {
                    let levels = textures.unit(unit).map_or([0; 4], |texture| texture.levels_of_detail(&fetch));
                    levels.map(|level| [level, 0, 0, 0])
                }
            };
            for (channel, lines) in results.iter().enumerate() {
                lines.set_quad(quad, texels.map(|texel| texel[channel]));
            }
        }
        Some(())
    }
}

impl TileProgram for TileThread<'_> {
    type Error = RunError;

    fn check(&self) -> Result<(), RunError> {
        match self.state.options.budget.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(RunError::Halted(Halt::Deadline)),
            _ => Ok(()),
        }
    }

    fn lines(&self) -> &Lines<'_> {
        &self.lines
    }

    fn run(&mut self, rate: ShadingRate, count: usize) -> Result<(), RunError> {
        // There is a kernel: that was looked at when drawing began.
        let Some(kernel) = self.kernel.compiled.kernels().and_then(Option::as_ref) else { return Ok(()) };
        for prefetch in kernel.prefetches.iter().enumerate() {
            _ = self.fetch(prefetch, count);
        }
        let count = count as u32;
        let extent = match rate {
            ShadingRate::Quads => [2 * count.next_multiple_of(MULTIPLE), 2],
            ShadingRate::Pixels => [count.next_multiple_of(2 * MULTIPLE), 1],
        };
        if self.bound.is_none() {
            self.bound = self.bound(kernel);
        }
        match &mut self.bound {
            Some(bound) => kernel.run_bound(bound, extent, &self.options),
            None => Ok(()),
        }
    }
}
