//! A thread that draws tiles and parts of rectangles.

use super::R700;
use super::rectangle_stores::{StoringRows, StoringVectors};
use super::rectangles::Rectangle;
use crate::pipeline::DrawError;
use crate::pipeline::context::{CompiledProgram, kernels};
use crate::pipeline::stage::{LineRegions, PixelStage, Regions};
use ctm_lane::clock::Instant;
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Words};
use ctm_pipeline::{ColourTarget, Lines, PixelCounts, TileDraw, TileProgram, TileWorker};
use ctm_r700::engine::{BoundJob, Kernels};
use ctm_r700::{Job, Region};
use ctm_raster::covered::ShadingRate;
use ctm_raster::simd::dispatch;

/// Whether no lane of the program looks at another one.
pub fn is_by_pixels(compiled: &CompiledProgram) -> bool {
    kernels(compiled).is_some_and(Kernels::is_by_lanes)
}

/// What threads have in common.
pub struct Shared<'d, 'a> {
    pub stage: &'d PixelStage<'a>,
    pub draw: TileDraw<'d, 'a, R700>,
    /// What runs the program, if not the reference.
    pub compiled: Option<CompiledProgram>,
    /// How it runs in one thread.
    pub options: RunOptions<'static>,
    /// What it works on.
    pub arena: &'d Arena,
    /// How many shares there are.
    pub shares: u32,
}

/// What a thread does its shares with.
pub struct Share<'s, 'd, 'a> {
    shared: &'s Shared<'d, 'a>,
    /// The thread's runs of the program.
    job: Job<'s>,
    /// The program was compiled for this job.
    is_compiled: bool,
    /// The same bound to memory for all runs over tiles, if that can be, as soon as it was tried.
    bound: Option<Option<BoundJob<'s>>>,
    regions: LineRegions,
    lines: Lines<'s>,
}

/// A thread.
pub struct Worker {
    /// Where its program works.
    pub regions: Regions,
    pub lines: LineRegions,
    /// What it works with.
    pub tiles: TileWorker,
    /// What was done with pixels of tiles.
    pub counts: PixelCounts,
}

impl Worker {
    /// One that works there.
    pub fn new(regions: Regions, lines: LineRegions, tiles: TileWorker) -> Self {
        Worker { regions, lines, tiles, counts: PixelCounts::default() }
    }

    /// Draws a tile.
    ///
    /// # Errors
    /// The program stops, or the time is up.
    pub fn draw_tile(&mut self, share: &mut Share, tile: u32) -> Result<(), DrawError> {
        self.counts.add(self.tiles.draw(&share.shared.draw, tile as usize, share)?);
        Ok(())
    }

    /// Draws a share of a rectangle's pieces, of which each lane exports all colours or some.
    ///
    /// # Errors
    /// The program stops.
    pub fn draw_rectangle(
        &mut self,
        share: &mut Share,
        (rectangle, exports_all): (&Rectangle, bool),
        number: u32,
    ) -> Result<(), DrawError> {
        let (shared, regions) = (share.shared, &self.regions);
        for piece in rectangle.pieces().skip(number as usize).step_by(shared.shares as usize) {
            if !shared.stage.move_job(&mut share.job, &piece) {
                return Ok(());
            }
            if !exports_all {
                regions.clear_words(shared.arena, piece.pitch * piece.size[1]);
            }
            share.run_job()?;
            if shared.stage.targets.iter().all(ColourTarget::stores_vectors) {
                dispatch(StoringVectors { shared, regions, rectangle, piece: &piece });
                continue;
            }
            dispatch(StoringRows { shared, regions, rectangle, piece: &piece });
        }
        Ok(())
    }
}

impl<'s, 'd, 'a> Share<'s, 'd, 'a> {
    /// With the job of a thread; that of the first one is what the program was compiled for.
    pub fn new(shared: &'s Shared<'d, 'a>, (job, is_first): (Job<'s>, bool), worker: &Worker) -> Self {
        let kernels = shared.compiled.as_ref().and_then(kernels);
        let reads = |register, component| kernels.is_none_or(|kernels| kernels.reads_channel(register, component));
        let regions = worker.lines.clone();
        let lines = regions.lines(shared.arena, &shared.stage.inputs, reads);
        Share { shared, job, is_compiled: is_first, bound: None, regions, lines }
    }

    fn kernels(&self) -> Option<&'s Kernels> {
        kernels(self.shared.compiled.as_ref()?)
    }

    /// Runs the program, which stores its colours itself, for a strip of a rectangle.
    ///
    /// # Errors
    /// The program stops.
    pub fn run_strip(&mut self, rectangle: &Rectangle, number: u32) -> Result<(), DrawError> {
        let Some(strip) = rectangle.strip(number, self.shared.shares) else { return Ok(()) };
        self.shared.stage.move_to_strip(&mut self.job, strip);
        self.run_job()
    }

    /// Runs the program for what lies in memory for these lanes.
    fn run_lanes(&mut self, lanes: Domain) -> Result<(), DrawError> {
        let (shared, kernels) = (self.shared, self.kernels());
        let fits = || self.is_compiled || shared.compiled.as_ref().is_some_and(|of| of.fits(&self.job));
        let fitting = || kernels.filter(|_| fits());
        let bound = self.bound.get_or_insert_with(|| fitting()?.bound(&self.job));
        if let Some((bound, kernels)) = bound.as_mut().zip(kernels) {
            kernels.run_bound(bound, lanes, &shared.options)?;
            return Ok(());
        }
        self.job.lanes = lanes.into();
        self.run_job()
    }

    fn run_job(&self) -> Result<(), DrawError> {
        match &self.shared.compiled {
            Some(compiled) => compiled.run(&self.job, &self.shared.options)?,
            None => ctm_r700::reference::run(&self.job, &self.shared.options)?,
        };
        Ok(())
    }
}

impl TileProgram for Share<'_, '_, '_> {
    type Error = DrawError;

    fn check(&self) -> Result<(), DrawError> {
        match self.shared.options.budget.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(DrawError::TimeIsUp),
            _ => Ok(()),
        }
    }

    fn lines(&self) -> &Lines<'_> {
        &self.lines
    }

    fn run(&mut self, rate: ShadingRate, count: usize) -> Result<(), DrawError> {
        let size = match rate {
            ShadingRate::Quads => [2 * count, 2],
            ShadingRate::Pixels => [count, 1],
        };
        let Some(domain) = Domain::of_size(size[0] as u32, size[1] as u32) else { return Ok(()) };
        let (arena, kernels) = (self.shared.arena, self.kernels());
        let is_cleared = |output| kernels.is_none_or(|kernels| !kernels.replaces_colour_channels(output));
        self.regions.clear(arena, size, is_cleared);
        self.run_lanes(domain)?;
        self.regions.collect(arena, size);
        Ok(())
    }
}

/// The words of a region.
#[inline(always)]
pub fn vectors(arena: &Arena, region: Region) -> Option<Words<'_>> {
    arena.shared_words(region.base, region.length as usize / 4)
}
