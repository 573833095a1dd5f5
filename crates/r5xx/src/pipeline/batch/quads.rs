//! Primitives on their way through a kernel: they are collected, by the tiles that they touch, and drawn tile by tile.

use super::buffers::{Buffer, Buffers};
use super::early::EarlyTests;
use super::job::{BatchJob, BatchKernel};
use super::memory::Memory;
use super::waiting::{Primitive, Unit};
use super::worker::{Done, Shared, Worker};
use super::{BatchState, BatchTarget, Key};
use crate::pipeline::copies::Copies;
use crate::pipeline::pixels::{Covering, Pixels};
use ctm_card::Counts;
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
pub struct KernelBatch<'s> {
    state: &'s BatchState<'s>,
    pixels: &'s Pixels<'s>,
    memory: RefMut<'s, Memory>,
    key: Key,
    kind: u64,
    compiled: Compiled<Key, Option<BatchKernel>>,
    /// Pixels around the primitives that wait.
    around: u64,
    /// What was done with pixels.
    counts: Counts,
    buffers: Buffers<'s>,
    /// The tests, if they are done before there is a kernel.
    tests: Option<EarlyTests<'s>>,
    /// Of each colour buffer, how colours are written that the kernel has only rounded.
    colours: Vec<Option<ByteColours>>,
    /// What is drawn with instead of the textures, from some time on.
    in_rows: Option<InRows>,
}

/// Copies of textures, and a kernel that fetches from them.
struct InRows {
    copies: Copies,
    key: Key,
    compiled: Compiled<Key, Option<BatchKernel>>,
}

impl<'s> KernelBatch<'s> {
    /// Begins, if so many quads of a draw, with those of earlier draws of its kind, are worth a kernel, and if there is one.
    ///
    /// # Errors
    /// If the time is up.
    pub fn begin(
        state: &'s BatchState<'s>,
        pixels: &'s Pixels<'s>,
        memory: &'s RefCell<Memory>,
        quads: u64,
    ) -> Result<Option<Self>, RunError> {
        let Ok(mut memory) = memory.try_borrow_mut() else { return Ok(None) };
        let buffers = Buffers::of(pixels, &mut memory.places);
        let tests = EarlyTests::of(pixels, &buffers, state.program);
        let Some(own) = memory.own() else { return Ok(None) };
        let colours = |(buffer, target): (&Buffer, &BatchTarget)| match buffer {
            Buffer::Pairs(_) => ByteColours::of(&target.state).filter(|_| tests.is_some()),
            Buffer::Pixels(_) => None,
        };
        let colours: Vec<_> = buffers.targets.iter().zip(&state.targets).map(colours).collect();
        let key = state.key(pixels, &own.planes, tests.is_some(), &colours, None);
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let kind = hasher.finish();
        if memory.count(kind, quads) < memory.many {
            return Ok(None);
        }
        let Some(own) = memory.own() else { return Ok(None) };
        let job = BatchJob { state, key: &key, copies: None, planes: &own.planes, extent: [0; 2] };
        let compiled = state.engine.compile(&job)?;
        if !compiled.run(&job, state.options)? {
            return Ok(None);
        }
        // A draw that was given up has left its own.
        memory.primitives.clear();
        let tile = memory.tile;
        memory.tiles.begin(pixels.framebuffer(), tile);
        let counts = Counts::default();
        let (around, in_rows) = (0, None);
        Ok(Some(KernelBatch {
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
    pub fn draw(&mut self, covering: &Covering) -> Result<(), RunError> {
        if self.memory.primitives.are_full() {
            self.flush()?;
        }
        let area = self.pixels.area(covering.shape);
        if area.is_empty() {
            return Ok(());
        }
        self.around += u64::from(area.right - area.left) * u64::from(area.bottom - area.top);
        let Memory { primitives, tiles, .. } = &mut *self.memory;
        tiles.add(area, primitives.all.len() as u16);
        let depth = &covering.depth;
        let primitive = Primitive {
            shape: covering.shape.clone(),
            area,
            stipple: covering.stipple.map(Box::new),
            origin: depth.setup.map_or(Point::default(), |setup| setup.origin()),
            divisor: covering.inputs.divisor(),
            depth: depth.plane,
            facing: depth.facing,
            components: primitives.add_components(covering.inputs, &self.state.channels),
        };
        primitives.all.push(primitive);
        Ok(())
    }

    /// What was done with pixels since this was asked for last.
    pub fn take_counts(&mut self) -> Counts {
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
            let Done { counts, quads } = done?;
            self.counts.add_pixels(counts);
            self.memory.count(self.kind, quads);
        }
        Ok(())
    }

    /// Copies the textures in tiles, if what waits is worth it.
    fn copy_textures(&mut self) -> Result<(), RunError> {
        let KernelBatch { state, pixels, memory, tests, colours, .. } = self;
        let texels = Copies::texels(&state.textures);
        let pays = texels > 0 && self.around >= texels.saturating_mul(memory.pixels_per_texel);
        if self.in_rows.is_some() || !pays {
            return Ok(());
        }
        let Some(copies) = Copies::of(&state.textures, state.space, &mut memory.copies) else { return Ok(()) };
        let Some(own) = memory.own() else { return Ok(()) };
        let key = state.key(pixels, &own.planes, tests.is_some(), colours, Some(&copies));
        let job = BatchJob { state, key: &key, copies: Some(&copies), planes: &own.planes, extent: [0; 2] };
        let compiled = state.engine.compile(&job)?;
        if compiled.run(&job, state.options)? {
            self.in_rows = Some(InRows { copies, key, compiled });
        }
        Ok(())
    }

    fn draw_tiles(&mut self) -> Result<Done, RunError> {
        let KernelBatch { state, pixels, memory, key, compiled, buffers, tests, colours, in_rows, .. } = self;
        let (copies, key, compiled) = match in_rows {
            Some(InRows { copies, key, compiled }) => (Some(&*copies), key, compiled),
            None => (None, key, compiled),
        };
        let workers = state.engine.runtime().workers();
        let pieces = (memory.tiles.touched() as u64).min(self.around.div_ceil(memory.pixels_per_thread));
        memory.reserve(workers.threads(state.options.threads, pieces));
        let Memory { primitives, tiles, threads, .. } = &**memory;
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
            unit: Unit::Quads,
        };
        // Alone, pixels need neither those that are not drawn nor an order.
        let uses_quads = compiled.kernels().and_then(Option::as_ref).is_none_or(|kernel| kernel.uses_quads);
        let shared = Shared {
            unit: match key.is_tested && !uses_quads && colours.iter().all(Option::is_some) {
                true => Unit::Pixels,
                false => Unit::Quads,
            },
            ..shared
        };
        let framebuffer = pixels.framebuffer();
        let all = Mutex::new(Ok(Done::default()));
        let work = |thread: usize| {
            let Some(memory) = threads.get(thread) else { return };
            let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            memory.begin(framebuffer.right, framebuffer.bottom);
            let done = Worker::new(&shared, &mut memory).draw();
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            match (done, &mut *all) {
                (Ok(Done { counts, quads }), Ok(all)) => {
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
