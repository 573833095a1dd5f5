//! A thread that draws tiles and parts of rectangles.

use super::drawn_pixels;
use super::interpolation::Interpolation;
use super::primitives::{Primitive, Primitives};
use super::rasterising::{Rasterising, Testing};
use super::rectangle_stores::{StoringRows, StoringVectors};
use super::rectangles::Rectangle;
use super::storing::Storing;
use super::surfaces::{Block, Chunk, PlacedBlocks, SurfaceBlocks, SurfaceQuads};
use super::{PIXELS, QUADS};
use crate::pipeline::DrawError;
use crate::pipeline::stage::{Lines, PixelStage, Regions};
use crate::pipeline::targets::ColourTarget;
use ctm_card::DrawCounts;
use ctm_engine::{Compiled, GuestJob};
use ctm_lane::clock::Instant;
use ctm_lane::domain::Domain;
use ctm_lane::run::RunOptions;
use ctm_memory::{Access, Arena, Words};
use ctm_r700::engine::{BoundJob, Kernels};
use ctm_r700::{Job, Region};
use ctm_raster::covered::{ShadingRate, chunks, pixels_of};
use ctm_raster::simd::{LANES, dispatch};
use ctm_raster::tiles::Tiles;

/// The program as an engine runs it.
pub type CompiledProgram = Compiled<<Job<'static> as GuestJob>::Key, <Job<'static> as GuestJob>::Kernels>;

/// Blocks from which on they wait for no others.
pub const BLOCKS: usize = 1536;

/// What threads have in common.
pub struct Shared<'d, 'a> {
    pub stage: &'d PixelStage<'a>,
    /// The depth buffer.
    pub depth: Option<&'d SurfaceQuads<'d>>,
    /// The targets.
    pub targets: &'d [SurfaceQuads<'d>],
    pub primitives: &'d Primitives,
    pub tiles: &'d Tiles,
    /// What runs the program, if not the reference.
    pub compiled: Option<CompiledProgram>,
    /// What it runs for.
    pub rate: ShadingRate,
    /// How it runs in one thread.
    pub options: RunOptions<'static>,
    /// What it works on.
    pub arena: &'d Arena,
    /// How many shares there are.
    pub shares: u32,
}

/// One of the shares that a thread draws.
pub struct Share<'s, 'd, 'a> {
    pub shared: &'s Shared<'d, 'a>,
    /// The thread's runs of the program.
    pub job: Job<'s>,
    /// The same bound to memory for all runs over tiles, if that can be, as soon as it was tried.
    pub bound: Option<Option<BoundJob<'s>>>,
    /// Which one it is.
    pub number: u32,
}

/// A thread.
pub struct Worker {
    /// Where its program works.
    pub regions: Regions,
    pub lines: Lines,
    /// What it works with.
    pub memory: WorkerMemory,
    /// What was done with pixels.
    pub counts: DrawCounts,
}

/// What a thread works with, which outlives draws.
#[derive(Default)]
pub struct WorkerMemory {
    lines: drawn_pixels::WorkerLines,
    /// What primitives cover.
    blocks: Vec<Block>,
    /// What passes tests that come before the program.
    passed: Vec<Block>,
}

impl Worker {
    /// One that works there.
    pub fn new(regions: Regions, lines: Lines, memory: WorkerMemory) -> Self {
        Worker { regions, lines, memory, counts: DrawCounts::default() }
    }

    /// Draws a tile.
    ///
    /// # Errors
    /// The program stops, or the time is up.
    pub fn draw_tile(&mut self, share: &mut Share) -> Result<(), DrawError> {
        let shared = share.shared;
        let Some((area, numbers)) = shared.tiles.get(share.number as usize) else { return Ok(()) };
        let mut numbers = numbers.iter();
        while !numbers.as_slice().is_empty() {
            let (blocks, numbers) = (&mut self.memory.blocks, &mut numbers);
            blocks.clear();
            dispatch(Rasterising { shared, area, numbers, blocks });
            self.draw_blocks(share)?;
        }
        Ok(())
    }

    /// Draws the blocks that were found.
    fn draw_blocks(&mut self, share: &mut Share) -> Result<(), DrawError> {
        let Worker { regions, lines, memory: WorkerMemory { lines: own_lines, blocks, passed }, counts } = self;
        let (shared, rules) = (share.shared, &share.shared.stage.rules);
        if shared.options.budget.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(DrawError::TimeIsUp);
        }
        let covered = pixels_of(blocks);
        counts.pixels += covered;
        if shared.stage.samples.mask() & 1 == 0 {
            return Ok(());
        }
        counts.fragments += covered;
        passed.clear();
        if rules.early {
            dispatch(Testing { shared, blocks, passed });
            counts.passed += pixels_of(passed);
        } else {
            passed.append(blocks);
        }
        if !rules.runs {
            return Ok(());
        }
        match shared.rate {
            ShadingRate::Quads => {
                chunks(passed, ShadingRate::Quads, QUADS).try_for_each(|chunk| shade(share, regions, chunk, counts))
            }
            ShadingRate::Pixels => chunks(passed, ShadingRate::Pixels, PIXELS)
                .try_for_each(|chunk| drawn_pixels::shade(share, lines, own_lines, chunk)),
        }
    }

    /// Draws a share of a rectangle's pieces, of which each lane `exports_all` colours or some.
    ///
    /// # Errors
    /// The program stops.
    pub fn draw_rectangle(
        &mut self,
        share: &mut Share,
        rectangle: &Rectangle,
        exports_all: bool,
    ) -> Result<(), DrawError> {
        let (shared, regions) = (share.shared, &self.regions);
        for piece in rectangle.pieces().skip(share.number as usize).step_by(shared.shares as usize) {
            if !shared.stage.move_job(&mut share.job, &piece) {
                return Ok(());
            }
            if !exports_all {
                regions.clear_words(shared.arena, piece.pitch * piece.size[1]);
            }
            share.run()?;
            if shared.stage.targets.iter().all(ColourTarget::stores_vectors) {
                dispatch(StoringVectors { shared, regions, rectangle, piece: &piece });
                continue;
            }
            dispatch(StoringRows { shared, regions, rectangle, piece: &piece });
        }
        Ok(())
    }
}

/// Runs the program for the quads of a launch, and uses what it exports.
fn shade(share: &mut Share, regions: &Regions, chunk: Chunk, counts: &mut DrawCounts) -> Result<(), DrawError> {
    let shared = share.shared;
    let Some(domain) = Domain::of_size(2 * chunk.count as u32, 2) else { return Ok(()) };
    dispatch(Interpolation { shared, regions, chunk });
    regions.clear_outputs(shared.arena, chunk.count);
    share.run_lanes(domain)?;
    let passed = &mut counts.passed;
    dispatch(Storing { shared, regions, chunk, passed });
    Ok(())
}

impl Shared<'_, '_> {
    /// The primitive of a block.
    #[inline(always)]
    pub fn primitive(&self, block: &Block) -> Option<&Primitive> {
        self.primitives.all.get(usize::from(block.primitive))
    }

    /// The program's kernels, if an engine has some.
    pub fn kernels(&self) -> Option<&Kernels> {
        self.compiled.as_ref()?.kernels()?.as_ref().ok()
    }

    /// Planes that most primitives have.
    pub fn planes(&self) -> usize {
        4 * self.stage.inputs.registers().len()
    }

    /// The surfaces in which blocks that are covered know their places.
    pub fn known_blocks(&self) -> Option<PlacedBlocks<'_>> {
        PlacedBlocks::of(self.depth.into_iter().chain(self.targets).filter_map(SurfaceQuads::blocks))
    }

    /// The blocks of a surface, if it has such.
    pub fn blocks_of<'s>(&'s self, surface_quads: &'s SurfaceQuads) -> Option<SurfaceBlocks<'s>> {
        Some(surface_quads.blocks()?.with(&self.known_blocks()?))
    }
}

impl Share<'_, '_, '_> {
    /// Runs the program, which stores its colours itself, for a strip of a rectangle.
    ///
    /// # Errors
    /// The program stops.
    pub fn run_strip(&mut self, rectangle: &Rectangle) -> Result<(), DrawError> {
        let Some(strip) = rectangle.strip(self.number, self.shared.shares) else { return Ok(()) };
        self.shared.stage.move_to_strip(&mut self.job, strip);
        self.run()
    }

    /// Runs the program for what lies in memory for these lanes.
    ///
    /// # Errors
    /// The program stops.
    pub fn run_lanes(&mut self, lanes: Domain) -> Result<(), DrawError> {
        let shared = self.shared;
        let fitting = || shared.kernels().filter(|_| shared.compiled.as_ref().is_some_and(|of| of.fits(&self.job)));
        let bound = self.bound.get_or_insert_with(|| fitting()?.bound(&self.job));
        if let Some((bound, kernels)) = bound.as_mut().zip(shared.kernels()) {
            kernels.run_bound(bound, lanes, &shared.options)?;
            return Ok(());
        }
        self.job.lanes = lanes.into();
        self.run()
    }

    /// Runs the program.
    pub fn run(&self) -> Result<(), DrawError> {
        match &self.shared.compiled {
            Some(compiled) => compiled.run(&self.job, &self.shared.options)?,
            None => ctm_r700::reference::run(&self.job, &self.shared.options)?,
        };
        Ok(())
    }
}

/// The words of a region.
#[inline(always)]
pub fn vectors(arena: &Arena, region: Region) -> Option<Words<'_>> {
    arena.shared_words(region.base, region.length as usize / 4)
}

/// Sets eight vectors from one on.
#[inline(always)]
pub fn set_eight(words: &Words, first: usize, vectors: &[[u32; 4]; LANES], access: impl Access) {
    if let Some(fours) = words.fours_from::<LANES>(4 * first) {
        for (four, vector) in fours.into_iter().zip(vectors) {
            access.set(four, *vector);
        }
    }
}

/// The eight vectors from one on; zeros if not all of them are there.
#[inline(always)]
pub fn get_eight(words: &Words, first: usize, access: impl Access) -> [[u32; 4]; LANES] {
    let Some([a, b, c, d, e, f, g, h]) = words.fours_from(4 * first) else { return [[0; 4]; LANES] };
    let (a, b, c, d) = (access.get(a), access.get(b), access.get(c), access.get(d));
    [a, b, c, d, access.get(e), access.get(f), access.get(g), access.get(h)]
}

/// Where a pixel of a quad is among vectors with so many columns.
#[inline(always)]
pub fn place(quad: usize, pixel: usize, columns: usize) -> usize {
    pixel / 2 * columns + 2 * quad + pixel % 2
}
