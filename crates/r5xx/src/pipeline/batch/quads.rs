//! Quads on their way through a kernel: they are collected, laid out for launches, and what becomes of them is stored.

use super::buffers::Buffers;
use super::early::{EarlyTests, Rasterising, Testing};
use super::job::{BatchJob, BatchKernel};
use super::memory::Memory;
use super::planes::QUADS;
use super::transfer::Transfer;
use super::waiting::WaitingPrimitive;
use super::{BatchState, Key};
use crate::pipeline::pixels::{Covering, Pixels};
use crate::pipeline::window::GRID;
use ctm_card::Counts;
use ctm_engine::Compiled;
use ctm_raster::coverage;
use ctm_raster::plane::Setup;
use ctm_x1k::RunError;
use std::cell::RefMut;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Quads that launches are a multiple of: no vector of any engine is wider.
pub(super) const MULTIPLE: usize = 32;

/// Quads that wait for their kernel.
pub struct KernelBatch<'s> {
    state: &'s BatchState<'s>,
    pixels: &'s Pixels<'s>,
    memory: RefMut<'s, Memory>,
    key: Key,
    kind: u64,
    compiled: Compiled<Key, Option<BatchKernel>>,
    /// The number of the primitive that is drawn, if it has one.
    primitive: Option<u16>,
    /// What was done with pixels.
    counts: Counts,
    buffers: Buffers<'s>,
    /// The tests, if they are done before there is a kernel.
    tests: Option<EarlyTests<'s>>,
}

impl<'s> KernelBatch<'s> {
    /// Begins, if so many quads of a draw so far, with those of earlier draws of its kind, are worth a kernel, and if there is one.
    ///
    /// # Errors
    /// If the time is up.
    pub fn begin(state: &'s BatchState<'s>, pixels: &'s Pixels<'s>, quads: u64) -> Result<Option<Self>, RunError> {
        let Ok(mut memory) = state.memory.try_borrow_mut() else { return Ok(None) };
        let buffers = Buffers::of(pixels, &mut memory.places);
        let tests = EarlyTests::of(pixels, &buffers, state.program);
        let key = state.key(pixels, &memory.planes, tests.is_some());
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let kind = hasher.finish();
        if memory.count(kind, quads) < memory.many {
            return Ok(None);
        }
        let job = BatchJob { state, key: &key, planes: &memory.planes, quads: 0 };
        let compiled = state.engine.compile(&job)?;
        if !compiled.run(&job, state.options)? {
            return Ok(None);
        }
        let framebuffer = pixels.framebuffer();
        memory.marks.begin(framebuffer.right, framebuffer.bottom);
        // A draw that was given up has left its own.
        memory.waiting.clear();
        memory.levels.clear();
        let counts = Counts::default();
        Ok(Some(KernelBatch { state, pixels, memory, key, kind, compiled, primitive: None, counts, buffers, tests }))
    }

    /// Draws a primitive.
    ///
    /// # Errors
    /// If the time is up.
    pub fn draw(&mut self, covering: &Covering) -> Result<(), RunError> {
        self.primitive = None;
        let rasterising = self.rasterise(covering)?;
        pulp::Arch::new().dispatch(rasterising);
        Ok(())
    }

    /// Draws a quad of a primitive. Others of the same one may follow.
    ///
    /// # Errors
    /// If the time is up.
    pub fn add(&mut self, covering: &Covering, quad: &coverage::Quad) -> Result<(), RunError> {
        let covered = [0, 2].map(|n| u64::from(quad.coverage[n] != 0) | u64::from(quad.coverage[n + 1] != 0) << 1);
        self.rasterise(covering)?.add((quad.x, quad.y), 1, covered);
        Ok(())
    }

    fn rasterise<'r>(&'r mut self, covering: &'r Covering<'r>) -> Result<Rasterising<'r, 's>, RunError> {
        if self.memory.waiting.is_full() {
            self.flush()?;
        }
        let primitive = self.primitive.unwrap_or_else(|| self.add_primitive(covering));
        let KernelBatch { pixels, buffers, memory, .. } = self;
        Ok(Rasterising { pixels, buffers, covering, primitive, waiting: &mut memory.waiting })
    }

    fn add_primitive(&mut self, covering: &Covering) -> u16 {
        let waiting = &mut self.memory.waiting;
        let number = waiting.primitives.len() as u16;
        let depth = &covering.depth;
        let perspective = covering.inputs.perspective().copied();
        let setup = depth.setup.unwrap_or(Setup::constant(GRID));
        waiting.primitives.push(WaitingPrimitive { setup, perspective, depth: depth.plane, facing: depth.facing });
        waiting.values.extend(self.state.components.iter().map(|&component| covering.inputs.value(component)));
        self.primitive = Some(number);
        number
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
        if !self.memory.waiting.spans.is_empty() {
            self.draw_waiting()?;
        }
        // There may be primitives without pixels.
        self.memory.waiting.clear();
        self.primitive = None;
        Ok(())
    }

    fn draw_waiting(&mut self) -> Result<(), RunError> {
        let KernelBatch { pixels, tests, counts, .. } = self;
        let Memory { waiting, passed, .. } = &mut *self.memory;
        passed.clear();
        if let Some(tests) = tests {
            let (primitives, spans) = (&waiting.primitives, &waiting.spans);
            let tested = pulp::Arch::new().dispatch(Testing { tests, primitives, spans, left: passed });
            counts.add_pixels(tested.counts(pixels));
        } else {
            passed.append(&mut waiting.spans);
        }
        if pixels.shades() || tests.is_none() { self.order() } else { Ok(()) }
    }

    /// Draws what has passed the tests that come before the kernel.
    fn order(&mut self) -> Result<(), RunError> {
        let reads_pixels = self.key.reads_pixels();
        for n in 0..self.memory.passed.len() {
            let span = self.memory.passed[n];
            let level = if reads_pixels { self.memory.marks.insert(&span) } else { Some(0) };
            let level = match level {
                Some(level) => level,
                None => {
                    self.launch()?;
                    self.memory.marks.insert(&span).unwrap_or_default()
                }
            };
            self.memory.levels.add(span, level);
        }
        self.launch()
    }

    /// Draws the quads of all levels.
    fn launch(&mut self) -> Result<(), RunError> {
        let KernelBatch { state, pixels, memory, key, compiled, buffers, counts, .. } = self;
        let Memory { planes, waiting, levels, .. } = &mut **memory;
        let prefetches = compiled.kernels().and_then(Option::as_ref).map_or(&[][..], |kernel| &kernel.prefetches);
        let mut drawn = 0;
        for launch in levels.launches(QUADS - MULTIPLE) {
            let transfer = Transfer { state, pixels, buffers, waiting, launch, prefetches, is_tested: key.is_tested };
            if let Some([mut inputs, _]) = planes.words() {
                transfer.lay_out(&mut inputs);
            }
            let quads = launch.quads.next_multiple_of(MULTIPLE);
            compiled.run(&BatchJob { state, key, planes, quads }, state.options)?;
            if let Some([inputs, results]) = planes.words() {
                counts.add_pixels(transfer.store(&inputs, &results));
            }
            drawn += launch.quads as u64;
        }
        levels.clear();
        if key.reads_pixels() {
            memory.marks.next();
        }
        memory.count(self.kind, drawn);
        Ok(())
    }
}
