//! Quads on their way through a kernel: they are collected, laid out for launches, and what becomes of them is stored.

use super::buffers::Buffers;
use super::job::{BatchJob, BatchKernel};
use super::memory::Memory;
use super::planes::QUADS;
use super::transfer::Transfer;
use super::waiting::{WaitingPrimitive, WaitingQuad};
use super::{BatchState, Key};
use crate::pipeline::counts::Counts;
use crate::pipeline::pixels::{Covering, Pixels};
use crate::pipeline::window::GRID;
use ctm_engine::Compiled;
use ctm_raster::coverage;
use ctm_raster::plane::Setup;
use ctm_x1k::RunError;
use std::cell::RefMut;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

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
}

impl<'s> KernelBatch<'s> {
    /// Begins, if so many quads of a draw so far, with those of earlier draws of its kind, are worth a kernel, and if there is one.
    ///
    /// # Errors
    /// If the time is up.
    pub fn begin(state: &'s BatchState<'s>, pixels: &'s Pixels<'s>, quads: u64) -> Result<Option<Self>, RunError> {
        let Ok(mut memory) = state.memory.try_borrow_mut() else { return Ok(None) };
        let key = state.key(pixels, &memory.planes);
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
        let (buffers, counts) = (Buffers::of(pixels, &mut memory.places), Counts::default());
        Ok(Some(KernelBatch { state, pixels, memory, key, kind, compiled, primitive: None, counts, buffers }))
    }

    /// Draws a primitive.
    ///
    /// # Errors
    /// If the time is up.
    pub fn draw(&mut self, covering: &Covering) -> Result<(), RunError> {
        let pixels = self.pixels;
        let mut result = Ok(());
        self.primitive = None;
        coverage::quad_spans(GRID, covering.shape, &pixels.framebuffer(), pixels.sample(), |y, spans| {
            if result.is_ok() {
                result = self.add_row(covering, y, &spans);
            }
        });
        result
    }

    /// Adds a quad of a primitive.
    ///
    /// # Errors
    /// If the time is up.
    pub fn add(&mut self, covering: &Covering, quad: &coverage::Quad) -> Result<(), RunError> {
        self.primitive = None;
        let covered = quad.coverage.iter().rev().fold(0, |covered, &samples| covered << 1 | u8::from(samples != 0));
        let covered = shown(self.pixels, covering, (quad.x, quad.y), covered);
        self.add_quads(covering, (quad.x, quad.y), 1, |_| covered)
    }

    /// Adds a row of quads in which a primitive covers these columns of the upper and of the lower pixels.
    fn add_row(&mut self, covering: &Covering, y: u32, spans: &[Range<u32>; 2]) -> Result<(), RunError> {
        let covered = || spans.iter().filter(|span| !span.is_empty());
        let first = covered().map(|span| span.start & !1).min().unwrap_or_default();
        let end = covered().map(|span| span.end).max().unwrap_or_default();
        self.buffers.prefetch(y, first..end);
        let all = self.pixels.shows_all(covering);
        let (pixels, spans) =
            (self.pixels, spans.each_ref().map(|span| (span.start, span.end.saturating_sub(span.start))));
        let covers = |line: usize, x: u32| u8::from(x.wrapping_sub(spans[line].0) < spans[line].1);
        self.add_quads(covering, (first, y), (end - first).div_ceil(2) as usize, |quad| {
            let x = first + 2 * quad as u32;
            let covered = covers(0, x) | covers(0, x + 1) << 1 | covers(1, x) << 2 | covers(1, x + 1) << 3;
            if all { covered } else { shown(pixels, covering, (x, y), covered) }
        })
    }

    /// Adds so many quads of a row from the one with this left upper pixel on; each covers these pixels, if it covers any.
    #[inline]
    fn add_quads(
        &mut self,
        covering: &Covering,
        (x, y): (u32, u32),
        count: usize,
        covered: impl Fn(usize) -> u8,
    ) -> Result<(), RunError> {
        if self.memory.waiting.is_full(count) {
            self.flush()?;
        }
        let mut next = 0;
        loop {
            let primitive = self.primitive.unwrap_or_else(|| self.add_primitive(covering));
            let Memory { marks, waiting, .. } = &mut *self.memory;
            let mut row = marks.row(y);
            while next < count {
                let covered = covered(next);
                if covered != 0 {
                    let x = x as u16 + 2 * next as u16;
                    let Some(level) = row.insert(x) else { break };
                    waiting.push(WaitingQuad { x, y: y as u16, primitive, covered }, level);
                }
                next += 1;
            }
            if next == count {
                return Ok(());
            }
            self.flush()?;
        }
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
        let KernelBatch { state, pixels, memory, key, compiled, buffers, counts, .. } = self;
        if memory.waiting.is_empty() {
            return Ok(());
        }
        let Memory { planes, waiting, .. } = &mut **memory;
        let prefetches = compiled.kernels().and_then(Option::as_ref).map_or(&[][..], |kernel| &kernel.prefetches);
        let mut drawn = 0;
        for quads in waiting.levels().flat_map(|level| level.chunks(QUADS - MULTIPLE)) {
            let transfer = Transfer { state, pixels, buffers, waiting, quads, prefetches };
            if let Some([mut inputs, _]) = planes.words() {
                transfer.lay_out(&mut inputs);
            }
            let count = quads.len().next_multiple_of(MULTIPLE);
            compiled.run(&BatchJob { state, key, planes, quads: count }, state.options)?;
            if let Some([inputs, results]) = planes.words() {
                counts.add_pixels(transfer.store(&inputs, &results));
            }
            drawn += quads.len() as u64;
        }
        waiting.clear();
        memory.marks.next();
        memory.count(self.kind, drawn);
        self.primitive = None;
        Ok(())
    }
}

/// Those of the pixels that a primitive covers of a quad which can be drawn to.
fn shown(pixels: &Pixels, covering: &Covering, (x, y): (u32, u32), covered: u8) -> u8 {
    (0..).zip(coverage::QUAD_PIXELS).fold(covered, |covered, (n, (dx, dy))| {
        if pixels.shows(covering, x + dx, y + dy) { covered } else { covered & !(1 << n) }
    })
}
