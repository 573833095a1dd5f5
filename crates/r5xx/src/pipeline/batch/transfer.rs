//! What quads bring to a launch, and what becomes of them.

use super::lift::{Prefetch, Wanted};
use super::planes::PlaneWords;
use super::quads::MULTIPLE;
use super::waiting::{Waiting, WaitingQuad};
use super::{BatchState, Component, DEPTH, FLAGS, Flags, OTHERS};
use crate::pipeline::counts::Counts;
use crate::pipeline::pixels::Pixels;
use crate::pipeline::window::{GRID, MAX_DEPTH};
use crate::surface::{SurfaceRow, SurfaceRows};
use ctm_raster::coverage::QUAD_PIXELS;
use ctm_raster::depth::Facing;
use ctm_raster::quads::{QUADS, QuadPlaces};
use ctm_x1k::fragments::{Fetch, TextureUnit};
use std::ops::Range;

/// What is read and written.
pub struct Buffers<'s> {
    depth: Option<SurfaceRows<'s>>,
    targets: Vec<SurfaceRows<'s>>,
    /// Every pixel has its place in the depth buffer.
    has_depths: bool,
}

impl<'s> Buffers<'s> {
    /// Of a draw.
    pub fn of(pixels: &'s Pixels<'s>) -> Self {
        let framebuffer = pixels.framebuffer();
        Buffers {
            depth: pixels.depth().map(|(_, surface)| surface.rows(framebuffer.right)),
            targets: pixels.targets().iter().map(|target| target.surface().rows(framebuffer.right)).collect(),
            has_depths: pixels.depth().is_some_and(|(_, surface)| surface.holds(framebuffer)),
        }
    }

    /// Asks for the memory of quads from this upper row on, in these columns.
    #[inline]
    pub fn prefetch(&self, y: u32, columns: Range<u32>) {
        for rows in self.depth.iter().chain(&self.targets) {
            rows.prefetch(y, columns.clone());
            rows.prefetch(y + 1, columns.clone());
        }
    }
}

/// The quads of a launch.
pub struct Transfer<'t> {
    pub state: &'t BatchState<'t>,
    pub pixels: &'t Pixels<'t>,
    pub buffers: &'t Buffers<'t>,
    pub waiting: &'t Waiting,
    pub quads: &'t [WaitingQuad],
    pub prefetches: &'t [Prefetch],
}

/// Two rows of a buffer.
type Lines<'a> = [Option<SurfaceRow<'a>>; 2];

fn lines<'a>(rows: &'a SurfaceRows, y: u16) -> Lines<'a> {
    [rows.row(y.into()), rows.row(u32::from(y) + 1)]
}

/// Word `word` of the pixels of a quad; 0 where there is none.
#[inline]
fn read(lines: &Lines, x: u16, word: usize) -> [u32; 4] {
    let pair = |line: &Option<SurfaceRow>| line.as_ref().map_or([0; 2], |line| line.read_pair(x.into(), word));
    let ([a, b], [c, d]) = (pair(&lines[0]), pair(&lines[1]));
    [a, b, c, d]
}

/// Writes word 0 of those pixels of a quad whose bit is set.
#[inline]
fn write(lines: &Lines, x: u16, [a, b, c, d]: [u32; 4], chosen: u8) {
    if let Some(line) = &lines[0] {
        line.write_pair(x.into(), [a, b], chosen & 3);
    }
    if let Some(line) = &lines[1] {
        line.write_pair(x.into(), [c, d], chosen >> 2);
    }
}

impl Transfer<'_> {
    /// Lays out what quads bring.
    pub fn lay_out(&self, inputs: &mut PlaneWords) {
        let Transfer { state, buffers, .. } = self;
        if let Some(rows) = &buffers.depth {
            self.read(rows, DEPTH, 0, inputs);
        }
        for (rows, key) in buffers.targets.iter().zip(&state.targets) {
            for (word, plane) in key.memory.clone().enumerate() {
                self.read(rows, plane, word, inputs);
            }
        }
        pulp::Arch::new().dispatch(Interpolation { transfer: self, inputs });
        for prefetch in (0..).zip(self.prefetches) {
            self.fetch(prefetch, inputs);
        }
        for quad in self.quads.len()..self.quads.len().next_multiple_of(MULTIPLE) {
            inputs.set(FLAGS, quad, [0; 4]);
        }
    }

    /// Reads word `word` of the pixels of a buffer.
    fn read(&self, rows: &SurfaceRows, plane: usize, word: usize, inputs: &mut PlaneWords) {
        let mut place = 0;
        for row in self.quads.chunk_by(|quad, next| quad.y == next.y) {
            let lines = lines(rows, row[0].y);
            for quad in row {
                inputs.set(plane, place, read(&lines, quad.x, word));
                place += 1;
            }
        }
    }

    /// Whether pixels have a place in the depth buffer, as a bit for each.
    fn existing(&self, quad: &WaitingQuad) -> u8 {
        let Some(depth) = &self.buffers.depth else { return 0 };
        let place = |n: usize| (u32::from(quad.x) + QUAD_PIXELS[n].0, u32::from(quad.y) + QUAD_PIXELS[n].1);
        let exists = |(x, y)| depth.row(y).is_some_and(|line| line.contains(x));
        bits([0; 4], |n, _| exists(place(n)))
    }

    /// Works out what a kernel expects of a fetch.
    fn fetch(&self, (number, prefetch): (usize, &Prefetch), inputs: &mut PlaneWords) {
        let Prefetch { wanted, unit, op, unscaled, coordinates } = *prefetch;
        let plane = self.state.planes + 4 * number;
        let textures = self.state.units;
        for quad in 0..self.quads.len() {
            let mut vectors = [[0; 4]; 4];
            for (channel, component) in coordinates.into_iter().enumerate() {
                let values = match component {
                    Component::Constant(bits) => [bits; 4],
                    Component::Plane(plane) => inputs.get(plane, quad),
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
                inputs.set(plane + channel, quad, texels.map(|texel| texel[channel]));
            }
        }
    }

    /// Stores what became of quads.
    pub fn store(&self, inputs: &PlaneWords, results: &PlaneWords) -> Counts {
        let Transfer { state, buffers, pixels, .. } = self;
        let (mut covered, mut passed) = (0, 0);
        let mut place = 0;
        for row in self.quads.chunk_by(|quad, next| quad.y == next.y) {
            let y = row[0].y;
            let depth = buffers.depth.as_ref().map(|rows| lines(rows, y));
            let chosen = |place: usize, flag: u32| bits(results.get(FLAGS, place), |_, flags| flags & flag != 0);
            for (n, quad) in row.iter().enumerate() {
                covered += u64::from(quad.covered.count_ones());
                passed += u64::from(chosen(place + n, Flags::COUNTED).count_ones());
                if let Some(depth) = &depth {
                    let (new, old) = (results.get(DEPTH, place + n), inputs.get(DEPTH, place + n));
                    let changed = bits(new, |pixel, new| new != old[pixel]);
                    write(depth, quad.x, new, chosen(place + n, Flags::TESTED) & changed);
                }
            }
            for (rows, key) in buffers.targets.iter().zip(&state.targets) {
                let lines = lines(rows, y);
                for (n, quad) in row.iter().enumerate() {
                    let chosen = chosen(place + n, Flags::WRITTEN);
                    if key.results.len() == 1 {
                        write(&lines, quad.x, results.get(key.results.start, place + n), chosen);
                        continue;
                    }
                    for (pixel, (dx, dy)) in QUAD_PIXELS.into_iter().enumerate().filter(|(n, _)| chosen >> n & 1 != 0) {
                        let mut texel = [0; 4];
                        for (word, plane) in texel.iter_mut().zip(key.results.clone()) {
                            *word = results.get(plane, place + n)[pixel];
                        }
                        if let Some(line) = &lines[dy as usize] {
                            line.write(u32::from(quad.x) + dx, texel);
                        }
                    }
                }
            }
            place += row.len();
        }
        let fragments = match (pixels.shades(), pixels.tests_early()) {
            (false, _) => 0,
            (true, true) => passed,
            (true, false) => covered,
        };
        Counts { pixels: covered, fragments, passed, ..Counts::default() }
    }
}

/// What primitives bring to their quads: a task that is faster on hosts with wide vectors.
struct Interpolation<'t, 'w, 'p> {
    transfer: &'t Transfer<'t>,
    inputs: &'w mut PlaneWords<'p>,
}

impl pulp::NullaryFnOnce for Interpolation<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Interpolation { transfer, inputs } = self;
        let Transfer { state, waiting, quads, buffers, .. } = transfer;
        let count = state.components.len();
        let first = OTHERS + state.targets.iter().map(|target| target.memory.len()).sum::<usize>();
        let mut places = QuadPlaces::default();
        let mut place = 0;
        let same = |quad: &WaitingQuad, next: &WaitingQuad| quad.primitive == next.primitive;
        for quads in quads.chunk_by(same).flat_map(|quads| quads.chunks(QUADS)) {
            let number = usize::from(quads[0].primitive);
            let primitive = &waiting.primitives[number];
            let range = place..place + quads.len();
            let positions = quads.iter().map(|quad| (u32::from(quad.x), u32::from(quad.y)));
            let centres = positions.clone().map(|(x, y)| GRID.pixel_centre(x, y));
            places.set(&primitive.setup, primitive.perspective.as_ref(), centres);
            places.depth(&primitive.depth, MAX_DEPTH, inputs.lines(FLAGS, range.clone()));
            let side = if primitive.facing == Facing::Back { Flags::BACK } else { 0 };
            let common = side | if buffers.has_depths { Flags::EXISTS } else { 0 };
            let [upper, lower] = inputs.lines(FLAGS, range.clone());
            for (quad, (upper, lower)) in quads.iter().zip(upper.iter_mut().zip(lower)) {
                let bit = |n: u8| common | (u32::from(quad.covered >> n & 1) * Flags::COVERED);
                (upper[0], upper[1]) = (upper[0] | bit(0), upper[1] | bit(1));
                (lower[0], lower[1]) = (lower[0] | bit(2), lower[1] | bit(3));
                if !buffers.has_depths {
                    let existing = transfer.existing(quad);
                    let bit = |n: u8| u32::from(existing >> n & 1) * Flags::EXISTS;
                    (upper[0], upper[1]) = (upper[0] | bit(0), upper[1] | bit(1));
                    (lower[0], lower[1]) = (lower[0] | bit(2), lower[1] | bit(3));
                }
            }
            for (plane, value) in (first..).zip(&waiting.values[number * count..][..count]) {
                value.at_quads(&mut places, positions.clone(), inputs.lines(plane, range.clone()));
            }
            place = range.end;
        }
    }
}

/// A bit for each pixel of a quad: whether this holds for its number and its word.
#[inline]
fn bits(words: [u32; 4], holds: impl Fn(usize, u32) -> bool) -> u8 {
    let mut bits = 0;
    for (n, word) in words.into_iter().enumerate() {
        bits |= u8::from(holds(n, word)) << n;
    }
    bits
}
