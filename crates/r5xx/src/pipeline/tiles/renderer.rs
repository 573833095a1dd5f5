//! Primitives on their way through a kernel: they are collected, by the tiles that they touch, and drawn tile by tile.

use super::buffers::{Buffer, Buffers};
use super::early::EarlyTests;
use super::job::{TileJob, TileKernel};
use super::memory::TileMemory;
use super::pending::{Primitive, ShadingRate};
use super::worker::{Shared, Worker, WorkerResult};
use super::{Key, TileState, TileTarget};
use crate::pipeline::detiled::DetiledTextures;
use crate::pipeline::pixels::{Pixels, RasterPrimitive};
use ctm_card::DrawCounts;
use ctm_engine::Compiled;
use ctm_raster::bytes::ByteColours;
use ctm_raster::grid::Point;
use ctm_x1k::RunError;
use std::cell::{RefCell, RefMut};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};

/// Quads that launches are a multiple of: no vector of any engine is wider.
pub(super) const MULTIPLE: usize = 32;

/// Primitives that wait for their kernel.
pub struct TileRenderer<'s> {
    state: &'s TileState<'s>,
    pixels: &'s Pixels<'s>,
    memory: RefMut<'s, TileMemory>,
    key: Key,
    kind: u64,
    compiled: Compiled<Key, Option<TileKernel>>,
    /// Pixels around the primitives that wait.
    around: u64,
    /// What was done with pixels.
    counts: DrawCounts,
    buffers: Buffers<'s>,
    /// The tests, if they are done before there is a kernel.
    tests: Option<EarlyTests<'s>>,
    /// Of each colour buffer, how colours are written that the kernel has only rounded.
    colours: Vec<Option<ByteColours>>,
    /// What is drawn with instead of the textures, from some time on.
    in_rows: Option<DetiledKernel>,
}

/// Copies of textures, and a kernel that fetches from them.
struct DetiledKernel {
    copies: DetiledTextures,
    key: Key,
    compiled: Compiled<Key, Option<TileKernel>>,
}

impl<'s> TileRenderer<'s> {
    /// Begins, if so many quads of a draw, with those of earlier draws of its kind, are worth a kernel, and if there is one.
    ///
    /// # Errors
    /// If the time is up.
    pub fn begin(
        state: &'s TileState<'s>,
        pixels: &'s Pixels<'s>,
        memory: &'s RefCell<TileMemory>,
        quads: u64,
    ) -> Result<Option<Self>, RunError> {
        let Ok(mut memory) = memory.try_borrow_mut() else { return Ok(None) };
        let buffers = Buffers::of(pixels, &mut memory.places);
        let tests = EarlyTests::of(pixels, &buffers, state.program);
        let Some(own) = memory.own() else { return Ok(None) };
        let colours = |(buffer, target): (&Buffer, &TileTarget)| match buffer {
            Buffer::PixelPairs(_) => ByteColours::of(&target.state).filter(|_| tests.is_some()),
            Buffer::Pixels(_) => None,
        };
        let colours: Vec<_> = buffers.targets.iter().zip(&state.targets).map(colours).collect();
        let key = state.key(pixels, &own.planes, tests.is_some(), &colours, None);
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let kind = hasher.finish();
        if memory.drawn.add(kind, quads) < memory.many {
            return Ok(None);
        }
        let Some(own) = memory.own() else { return Ok(None) };
        let job = TileJob { state, key: &key, copies: None, planes: &own.planes, extent: [0; 2] };
        let compiled = state.engine.compile(&job)?;
        if !compiled.run(&job, state.options)? {
            return Ok(None);
        }
        // A draw that was given up has left its own.
        memory.primitives.clear();
        let tile = memory.tile;
        memory.tiles.begin(pixels.framebuffer(), tile);
        let counts = DrawCounts::default();
        let (around, in_rows) = (0, None);
        Ok(Some(TileRenderer {
            state,
            pixels,
            memory,
            key,
            kind,
            compiled,
            around,
            counts,
            buffers,
            tests,
            colours,
            in_rows,
        }))
    }

    /// Draws a primitive.
    ///
    /// # Errors
    /// If the time is up.
    pub fn draw(&mut self, raster_primitive: &RasterPrimitive) -> Result<(), RunError> {
        if self.memory.primitives.are_full() {
            self.flush()?;
        }
        let area = self.pixels.area(raster_primitive.shape);
        if area.is_empty() {
            return Ok(());
        }
        self.around += u64::from(area.right - area.left) * u64::from(area.bottom - area.top);
        let TileMemory { primitives, tiles, .. } = &mut *self.memory;
        tiles.add(area, primitives.all.len() as u16);
        let depth = &raster_primitive.depth;
        let primitive = Primitive {
            shape: raster_primitive.shape.clone(),
            area,
            stipple: raster_primitive.stipple.map(Box::new),
            origin: depth.setup.map_or(Point::default(), |setup| setup.origin()),
            divisor: raster_primitive.inputs.divisor(),
            depth: depth.plane,
            facing: depth.facing,
            components: primitives.add_components(raster_primitive.inputs, &self.state.channels),
        };
        primitives.all.push(primitive);
        Ok(())
    }

    /// What was done with pixels since this was asked for last.
    pub fn take_counts(&mut self) -> DrawCounts {
        std::mem::take(&mut self.counts)
    }

    /// Draws what waits.
    ///
    /// # Errors
    /// If the time is up.
    pub fn flush(&mut self) -> Result<(), RunError> {
        if self.memory.tiles.touched() > 0 {
            let done = self.copy_textures().and_then(|()| self.draw_tiles());
            self.memory.primitives.clear();
            self.memory.tiles.clear();
            self.around = 0;
            let WorkerResult { counts, quads } = done?;
            self.counts.add_pixels(counts);
            self.memory.drawn.add(self.kind, quads);
        }
        Ok(())
    }

    /// Copies the textures in tiles, if what waits is worth it.
    fn copy_textures(&mut self) -> Result<(), RunError> {
        let TileRenderer { state, pixels, memory, tests, colours, .. } = self;
        let texels = DetiledTextures::texels(&state.textures);
        let pays = texels > 0 && self.around >= texels.saturating_mul(memory.pixels_per_texel);
        if self.in_rows.is_some() || !pays {
            return Ok(());
        }
        let Some(copies) = DetiledTextures::of(&state.textures, state.space, &mut memory.copies) else { return Ok(()) };
        let Some(own) = memory.own() else { return Ok(()) };
        let key = state.key(pixels, &own.planes, tests.is_some(), colours, Some(&copies));
        let job = TileJob { state, key: &key, copies: Some(&copies), planes: &own.planes, extent: [0; 2] };
        let compiled = state.engine.compile(&job)?;
        if compiled.run(&job, state.options)? {
            self.in_rows = Some(DetiledKernel { copies, key, compiled });
        }
        Ok(())
    }

    fn draw_tiles(&mut self) -> Result<WorkerResult, RunError> {
        let TileRenderer { state, pixels, memory, key, compiled, buffers, tests, colours, in_rows, .. } = self;
        let (copies, key, compiled) = match in_rows {
            Some(DetiledKernel { copies, key, compiled }) => (Some(&*copies), key, compiled),
            None => (None, key, compiled),
        };
        let workers = state.engine.runtime().workers();
        let pieces = (memory.tiles.touched() as u64).min(self.around.div_ceil(memory.pixels_per_thread));
        memory.reserve(workers.threads(state.options.threads, pieces));
        let TileMemory { primitives, tiles, threads, .. } = &**memory;
        let shared = Shared {
            state,
            pixels,
            buffers,
            tests: tests.as_ref(),
            key,
            colours,
            compiled,
            copies,
            primitives,
            tiles,
            next: AtomicUsize::new(0),
            rate: ShadingRate::Quads,
        };
        // Alone, pixels need neither those that are not drawn nor an order.
        let uses_quads = compiled.kernels().and_then(Option::as_ref).is_none_or(|kernel| kernel.uses_quads);
        let shared = Shared {
            rate: match key.is_tested && !uses_quads && colours.iter().all(Option::is_some) {
                true => ShadingRate::Pixels,
                false => ShadingRate::Quads,
            },
            ..shared
        };
        let framebuffer = pixels.framebuffer();
        let all = Mutex::new(Ok(WorkerResult::default()));
        let work = |thread: usize| {
            let Some(memory) = threads.get(thread) else { return };
            let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            memory.begin(framebuffer.right, framebuffer.bottom);
            let done = Worker::new(&shared, &mut memory).draw();
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            match (done, &mut *all) {
                (Ok(WorkerResult { counts, quads }), Ok(all)) => {
                    all.counts.add_pixels(counts);
                    all.quads += quads;
                }
                (Err(error), Ok(_)) => *all = Err(error),
                (_, Err(_)) => {}
            }
        };
        workers.run(workers.threads(state.options.threads, pieces), work, || {});
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
