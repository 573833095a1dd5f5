//! Quads on their way through a kernel: what they bring is laid out, and what becomes of them is stored.

use super::job::{BatchJob, BatchKernel};
use super::lift::{Prefetch, Wanted};
use super::memory::Memory;
use super::planes::{Line, PlaneWords, QUADS};
use super::{BatchState, Component, DEPTH, FLAGS, Flags, Key, OTHERS};
use crate::pipeline::counts::Counts;
use crate::pipeline::pixels::{Covering, Pixels};
use crate::pipeline::window::{GRID, MAX_DEPTH};
use crate::surface::SurfaceRows;
use crate::tx::Textures;
use ctm_engine::Compiled;
use ctm_raster::coverage;
use ctm_raster::depth::Facing;
use ctm_raster::row::Row;
use ctm_x1k::RunError;
use ctm_x1k::fragments::{Fetch, TextureUnit};
use std::cell::RefMut;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Quads that launches are a multiple of: no vector of any engine is wider.
const MULTIPLE: usize = 32;

/// Quads that wait for their kernel, no two of which have the same place.
pub struct KernelBatch<'s> {
    state: &'s BatchState<'s>,
    pixels: &'s Pixels<'s>,
    memory: RefMut<'s, Memory>,
    key: Key,
    kind: u64,
    compiled: Compiled<Key, Option<BatchKernel>>,
    /// Neighbours that came together.
    runs: Vec<Run>,
    /// Quads of all of them.
    count: usize,
    row: Row,
    /// What was done with pixels.
    counts: Counts,
    /// Every pixel has its place in the depth buffer.
    has_depths: bool,
    buffers: Buffers<'s>,
}

/// What is read and written.
struct Buffers<'s> {
    depth: Option<SurfaceRows<'s>>,
    targets: Vec<SurfaceRows<'s>>,
}

/// Neighbouring quads of a row, from the one whose upper left pixel this is.
#[derive(Clone, Copy)]
struct Run {
    x: u32,
    y: u32,
    quads: usize,
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
        let has_depths = pixels.depth().is_some_and(|(_, surface)| surface.holds(framebuffer));
        let (runs, row, counts) = (Vec::new(), Row::default(), Counts::default());
        let buffers = Buffers {
            depth: pixels.depth().map(|(_, surface)| surface.rows(framebuffer.right)),
            targets: pixels.targets().iter().map(|target| target.surface().rows(framebuffer.right)).collect(),
        };
        let count = 0;
        Ok(Some(KernelBatch {
            state,
            pixels,
            memory,
            key,
            kind,
            compiled,
            runs,
            count,
            row,
            counts,
            has_depths,
            buffers,
        }))
    }

    /// Draws a primitive.
    ///
    /// # Errors
    /// If the time is up.
    pub fn draw(&mut self, covering: &Covering) -> Result<(), RunError> {
        let pixels = self.pixels;
        let mut result = Ok(());
        coverage::quad_spans(GRID, covering.shape, &pixels.framebuffer(), pixels.sample(), |y, spans| {
            if result.is_ok() {
                result = self.add(covering, y, &spans);
            }
        });
        result
    }

    /// Adds a row of quads in which a primitive covers these columns of the upper and of the lower pixels.
    ///
    /// # Errors
    /// If the time is up.
    pub fn add(&mut self, covering: &Covering, y: u32, spans: &[Range<u32>; 2]) -> Result<(), RunError> {
        let covered = || spans.iter().filter(|span| !span.is_empty());
        let mut x = covered().map(|span| span.start & !1).min().unwrap_or_default();
        let end = covered().map(|span| span.end).max().unwrap_or_default();
        while x < end {
            let most = ((end - x).div_ceil(2) as usize).min(QUADS - self.count);
            let quads = self.memory.marks.insert(x, y, most);
            if quads == 0 {
                // What comes before at the same place comes first.
                self.flush()?;
                continue;
            }
            self.fill(covering, Run { x, y, quads }, spans);
            x += 2 * quads as u32;
        }
        Ok(())
    }

    /// Lays out what quads bring.
    fn fill(&mut self, covering: &Covering, run: Run, spans: &[Range<u32>; 2]) {
        let KernelBatch { state, pixels, memory, row, buffers, .. } = self;
        let Some([mut inputs, _]) = memory.planes.words() else { return };
        let columns = run.x..run.x + 2 * run.quads as u32;
        if let Some(setup) = &covering.depth.setup {
            row.set_columns(setup, GRID.centre(run.x), columns.len());
        }
        for (line, span) in spans.iter().enumerate() {
            let y = run.y + line as u32;
            let line = Line { row: line, quad: self.count, quads: run.quads };
            if let Some(setup) = &covering.depth.setup {
                row.set_line(setup, covering.inputs.perspective(), GRID.centre(y));
            }
            let flags = inputs.of_mut(line, FLAGS);
            match (&buffers.depth, &covering.depth.setup) {
                (None, _) => flags.fill(0),
                (Some(_), Some(_)) => row.depth(&covering.depth.plane, MAX_DEPTH, flags),
                (Some(_), None) => flags.fill(pixels.depth_of(covering, run.x, y)),
            }
            let side = if covering.depth.facing == Facing::Back { Flags::BACK } else { 0 };
            let common = side | if self.has_depths { Flags::EXISTS } else { 0 };
            flags.iter_mut().for_each(|flags| *flags |= common);
            if let Some(depth) = &buffers.depth
                && !self.has_depths
                && let Some(stored) = depth.row(y)
            {
                for (_, flags) in columns.clone().zip(&mut *flags).filter(|(x, _)| stored.contains(*x)) {
                    *flags |= Flags::EXISTS;
                }
            }
            let [first, end] = [span.start, span.end].map(|x| x.clamp(columns.start, columns.end));
            let all = pixels.shows_all(covering);
            for (x, flags) in (first..end).zip(&mut flags[(first - run.x) as usize..]) {
                if all || pixels.shows(covering, x, y) {
                    *flags |= Flags::COVERED;
                }
            }
            if let Some(stored) = buffers.depth.as_ref().and_then(|depth| depth.row(y)) {
                stored.read(run.x, 0, inputs.of_mut(line, DEPTH));
            }
            for (rows, key) in buffers.targets.iter().zip(&state.targets) {
                let Some(stored) = rows.row(y) else { continue };
                for (word, plane) in key.memory.clone().enumerate() {
                    stored.read(run.x, word, inputs.of_mut(line, plane));
                }
            }
            let first = OTHERS + state.targets.iter().map(|target| target.memory.len()).sum::<usize>();
            for (plane, &component) in (first..).zip(&state.components) {
                covering.inputs.component_along(component, row, run.x, y, inputs.of_mut(line, plane));
            }
        }
        if let Some(Some(kernel)) = self.compiled.kernels() {
            let lines = [0, 1].map(|row| Line { row, quad: self.count, quads: run.quads });
            for (prefetch, plane) in kernel.prefetches.iter().zip((state.planes..).step_by(4)) {
                fetch(prefetch, state.units, &mut inputs, lines, plane);
            }
        }
        self.count += run.quads;
        self.runs.push(run);
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
        if self.count == 0 {
            return Ok(());
        }
        let KernelBatch { state, pixels, memory, key, compiled, buffers, .. } = self;
        let quads = self.count.next_multiple_of(MULTIPLE);
        if let Some([mut inputs, _]) = memory.planes.words() {
            for row in 0..2 {
                inputs.of_mut(Line { row, quad: self.count, quads: quads - self.count }, FLAGS).fill(0);
            }
        }
        compiled.run(&BatchJob { state, key, planes: &memory.planes, quads }, state.options)?;
        let mut quad = 0;
        if let Some([inputs, results]) = memory.planes.words() {
            for run in self.runs.drain(..) {
                for row in 0..2 {
                    let line = Line { row, quad, quads: run.quads };
                    self.counts.add_pixels(store(pixels, (state, buffers), [&inputs, &results], run, line));
                }
                quad += run.quads;
            }
        }
        memory.count(self.kind, self.count as u64);
        memory.marks.next();
        self.count = 0;
        Ok(())
    }
}

/// Works out what a kernel expects of a fetch in four planes from this one on.
fn fetch(prefetch: &Prefetch, textures: &Textures, inputs: &mut PlaneWords, [upper, lower]: [Line; 2], plane: usize) {
    let Prefetch { wanted, unit, op, unscaled, coordinates } = *prefetch;
    for left in (0..2 * upper.quads).step_by(2) {
        let mut vectors = [[0; 4]; 4];
        for (channel, component) in coordinates.into_iter().enumerate() {
            let values = match component {
                Component::Constant(bits) => [bits; 4],
                Component::Plane(plane) => {
                    let (upper, lower) = (inputs.of(upper, plane), inputs.of(lower, plane));
                    [upper[left], upper[left + 1], lower[left], lower[left + 1]]
                }
            };
            vectors.iter_mut().zip(values).for_each(|(vector, value)| vector[channel] = value);
        }
        let (dx, dy) = ([[0; 4]; 4], [[0; 4]; 4]);
        let fetch = Fetch { unit, op, unscaled, coordinates: vectors, dx, dy };
        let texels = match wanted {
            Wanted::Texel => textures.fetch(&fetch),
            Wanted::Level => {
                let levels = textures.unit(unit).map_or([0; 4], |texture| texture.levels_of_detail(&fetch));
                levels.map(|level| [level, 0, 0, 0])
            }
        };
        for channel in 0..4 {
            let [a, b, c, d] = texels.map(|texel| texel[channel]);
            inputs.of_mut(upper, plane + channel)[left..left + 2].copy_from_slice(&[a, b]);
            inputs.of_mut(lower, plane + channel)[left..left + 2].copy_from_slice(&[c, d]);
        }
    }
}

/// Stores what became of a row of neighbouring quads.
fn store(
    pixels: &Pixels,
    (state, buffers): (&BatchState, &Buffers),
    [inputs, results]: [&PlaneWords; 2],
    Run { x, y, .. }: Run,
    line: Line,
) -> Counts {
    let y = y + line.row as u32;
    let flags = results.of(line, FLAGS);
    if let Some(stored) = buffers.depth.as_ref().and_then(|depth| depth.row(y)) {
        let (new, old) = (results.of(line, DEPTH), inputs.of(line, DEPTH));
        stored.write_words(x, new, |n| flags[n] & Flags::TESTED != 0 && new[n] != old[n]);
    }
    for (rows, key) in buffers.targets.iter().zip(&state.targets) {
        let Some(stored) = rows.row(y) else { continue };
        let is_written = |n: usize| flags[n] & Flags::WRITTEN != 0;
        if key.results.len() == 1 {
            stored.write_words(x, results.of(line, key.results.start), is_written);
            continue;
        }
        for n in (0..flags.len()).filter(|&n| is_written(n)) {
            let mut texel = [0; 4];
            for (word, plane) in texel.iter_mut().zip(key.results.clone()) {
                *word = results.of(line, plane)[n];
            }
            stored.write(x + n as u32, texel);
        }
    }
    let count = |flags: &[u32], flag: u32| flags.iter().map(|&flags| u64::from(flags & flag != 0)).sum();
    let covered = count(inputs.of(line, FLAGS), Flags::COVERED);
    let passed = count(flags, Flags::COUNTED);
    let fragments = match (pixels.shades(), pixels.tests_early()) {
        (false, _) => 0,
        (true, true) => passed,
        (true, false) => covered,
    };
    Counts { pixels: covered, fragments, passed, ..Counts::default() }
}
