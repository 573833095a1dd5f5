//! The pixels of primitives before there is a kernel: what is covered, and the depth test, where nothing behind it drops pixels.

use super::buffers::{Buffer, Buffers};
use super::waiting::{Primitive, Primitives, Span, Waiting};
use crate::pairs::{FOUR, Pairs, as_vector, chosen};
use crate::pipeline::fragment::kills;
use crate::pipeline::pixels::Pixels;
use crate::pipeline::stipple::LineStipple;
use crate::pipeline::window::{GRID, MAX_DEPTH};
use ctm_card::Counts;
use ctm_memory::Access;
use ctm_raster::coverage;
use ctm_raster::depth::{CompareFunction, DepthState};
use ctm_raster::grid::Rect;
use ctm_raster::plane::DepthPlane;
use ctm_raster::quads::{SPAN, SpanPlaces, TOGETHER};
use ctm_x1k::Program;
use std::ops::Range;

/// All tests of a draw, whose programs drop no pixels.
pub struct EarlyTests<'s> {
    /// The depth test, if there is one.
    depth: Option<DepthTest<'s>>,
}

impl<'s> EarlyTests<'s> {
    /// Of a draw; `None` if there are others.
    pub fn of(pixels: &Pixels<'s>, buffers: &Buffers<'s>, program: &Program) -> Option<Self> {
        if pixels.alpha_test().is_some() || pixels.depth_from_program() || kills(program) {
            return None;
        }
        let depth = match (pixels.depth(), &buffers.depth) {
            (None, _) => None,
            (Some((unit, _)), Some(Buffer::Pairs(pairs))) if buffers.has_depths && !unit.has_sixteen_bits() => {
                let (state, None) = (unit.state().depth?, unit.state().stencil) else { return None };
                Some(DepthTest::new(state, pairs.clone()))
            }
            _ => return None,
        };
        Some(EarlyTests { depth })
    }
}

/// The depth test in a buffer of 24 bits of depth and 8 of stencil, which stays as it is.
struct DepthTest<'s> {
    pairs: Pairs<'s>,
    /// All bits if depths pass that are less than what is stored, equal, greater.
    passes: [u32; 3],
    write: bool,
}

impl<'s> DepthTest<'s> {
    fn new(DepthState { function, write }: DepthState, pairs: Pairs<'s>) -> Self {
        let passes = match function {
            CompareFunction::Never => [false, false, false],
            CompareFunction::Less => [true, false, false],
            CompareFunction::LessOrEqual => [true, true, false],
            CompareFunction::Equal => [false, true, false],
            CompareFunction::GreaterOrEqual => [false, true, true],
            CompareFunction::Greater => [false, false, true],
            CompareFunction::NotEqual => [true, false, true],
            CompareFunction::Always => [true, true, true],
        };
        DepthTest { pairs, passes: passes.map(|passes| if passes { u32::MAX } else { 0 }), write }
    }

    /// Tests the pixels of these masks, stores their depths if they pass, and gives those that do.
    #[inline(always)]
    fn test(
        &self,
        places: &SpanPlaces,
        plane: &DepthPlane,
        place: (u16, u16),
        quads: usize,
        masks: [u64; 2],
        access: impl Access,
    ) -> [u64; 2] {
        let Some(span) = self.pairs.span(place, quads) else { return masks };
        let [less, equal, greater] = self.passes;
        let (depths, write) = (places.depths(plane, MAX_DEPTH), self.write);
        let mut passed = [0; 2];
        for (line, passed) in passed.iter_mut().enumerate() {
            for group in 0..(2 * quads).div_ceil(TOGETHER) {
                let mask = u32::from((masks[line] >> (group * TOGETHER)) as u8);
                if mask == 0 {
                    continue;
                }
                let (depths, stored_group) = (depths.group(line, group), span.group(group * TOGETHER / 2, line));
                let words = stored_group.get(access);
                let mut passes = [0; TOGETHER];
                for n in 0..TOGETHER {
                    // Of 24 bits, so that the sign of differences is that of the comparison.
                    let (depth, stored) = (depths[n].cast_signed(), (words[n] >> 8).cast_signed());
                    let (is_less, is_greater) = (all_if_negative(depth - stored), all_if_negative(stored - depth));
                    let holds = is_less & less | is_greater & greater | !(is_less | is_greater) & equal;
                    passes[n] = holds & chosen(mask, n);
                }
                let bits = passes.iter().enumerate().fold(0, |bits, (n, pass)| bits | pass & 1 << n);
                *passed |= u64::from(bits) << (group * TOGETHER);
                if write && bits != 0 {
                    let mut new = [0; TOGETHER];
                    for n in 0..TOGETHER {
                        new[n] = words[n] ^ (words[n] ^ depths[n] << 8) & passes[n] & !0xFF;
                    }
                    stored_group.set(as_vector(&new), access);
                }
            }
        }
        passed
    }
}

/// All bits if a number is negative, else none.
#[inline(always)]
fn all_if_negative(number: i32) -> u32 {
    (number >> 31).cast_unsigned()
}

/// Primitives that are asked for before they are wanted: those of a tile lie anywhere in memory.
const AHEAD: usize = 4;

/// The quads that primitives cover, of one after the other until enough wait: a task that is faster on hosts with wide vectors.
pub struct Rasterising<'r, 's, 'n> {
    pub pixels: &'r Pixels<'s>,
    pub buffers: &'r Buffers<'s>,
    pub primitives: &'r Primitives,
    /// Values of each.
    pub values: usize,
    /// The pixels of which quads are wanted.
    pub area: Rect,
    /// The primitives that are left.
    pub numbers: &'r mut std::slice::Iter<'n, u16>,
    pub waiting: &'r mut Waiting,
}

impl pulp::NullaryFnOnce for Rasterising<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Rasterising { pixels, buffers, primitives, values, area, numbers, waiting } = self;
        let (sample, shows_all) = (pixels.sample(), pixels.shows_all());
        while !waiting.is_full()
            && let Some(&primitive) = numbers.next()
        {
            if let Some(&next) = numbers.as_slice().get(AHEAD) {
                primitives.prefetch(next, values);
            }
            let Primitive { shape, stipple, .. } = &primitives.all[usize::from(primitive)];
            for (y, rows) in coverage::quad_spans(GRID, shape, &area, sample) {
                let covered = || rows.iter().filter(|row| !row.is_empty());
                let mut x = covered().map(|row| row.start & !1).min().unwrap_or_default();
                let end = covered().map(|row| row.end).max().unwrap_or_default();
                while x < end {
                    // Spans that end there are still spans where they begin at multiples of `FOUR`.
                    let next = (x + 1).next_multiple_of(2 * SPAN as u32).min(end);
                    let quads = (next - x).div_ceil(2) as u16;
                    let mut drawn = rows.each_ref().map(|row| columns(row, x, 2 * u32::from(quads)));
                    if !shows_all || stipple.is_some() {
                        drawn = [0, 1].map(|line| shown(pixels, stipple.as_deref(), (x, y + line as u32), drawn[line]));
                    }
                    let span = Span { x: x as u16, y: y as u16, primitive, quads, drawn };
                    buffers.prefetch((span.x, span.y), span.len());
                    waiting.add(span);
                    x = next;
                }
            }
        }
    }
}

/// Tests of all quads that wait: a task that is faster on hosts with wide vectors.
pub struct Testing<'t, 's, A> {
    pub tests: &'t EarlyTests<'s>,
    pub primitives: &'t [Primitive],
    pub spans: &'t [Span],
    /// The quads that are left.
    pub left: &'t mut Vec<Span>,
    /// How memory is accessed.
    pub access: A,
}

/// Pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tested {
    /// Those that are covered.
    pub covered: u64,
    /// Those that also pass the tests.
    pub passed: u64,
}

impl Tested {
    /// What counts of that, where these are all tests.
    pub fn counts(self, pixels: &Pixels) -> Counts {
        let Tested { covered, passed } = self;
        let fragments = match (pixels.shades(), pixels.tests_early()) {
            (false, _) => 0,
            (true, true) => passed,
            (true, false) => covered,
        };
        Counts { pixels: covered, fragments, passed, ..Counts::default() }
    }
}

impl<A: Access> pulp::NullaryFnOnce for Testing<'_, '_, A> {
    type Output = Tested;

    #[inline(always)]
    fn call(self) -> Tested {
        let Testing { tests, primitives, spans, left, access } = self;
        let (mut tested, mut places) = (Tested::default(), SpanPlaces::default());
        for span in spans {
            let mut passed = span.drawn;
            if let Some(depth) = &tests.depth {
                let primitive = &primitives[usize::from(span.primitive)];
                // Words are accessed four at a time.
                let before = span.x % FOUR as u16;
                let (place, quads) = ((span.x - before, span.y), span.len() + usize::from(before / 2));
                let quads = quads.next_multiple_of(FOUR / 2);
                places.set(GRID, primitive.origin, place, quads);
                let masks = passed.map(|mask| mask << before);
                let tested = depth.test(&places, &primitive.depth, place, quads, masks, access);
                passed = tested.map(|mask| mask >> before);
            }
            tested.covered += pixels_of(span.drawn);
            tested.passed += pixels_of(passed);
            keep(left, span, passed);
        }
        tested
    }
}

/// Keeps those quads of a span of which some pixels passed.
#[inline(always)]
fn keep(kept: &mut Vec<Span>, span: &Span, passed: [u64; 2]) {
    // Of each quad, the left pixel.
    let mut left = passed[0] | passed[1];
    left = (left | left >> 1) & (u64::MAX / 3);
    while left != 0 {
        let first = left.trailing_zeros();
        let columns = (!(left | left << 1) >> first).trailing_zeros();
        let all = u64::MAX.checked_shr(64 - columns).unwrap_or_default();
        let drawn = passed.map(|mask| mask >> first & all);
        kept.push(Span { x: span.x + first as u16, quads: (columns / 2) as u16, drawn, ..*span });
        left &= !(all << first);
    }
}

/// Of so many columns from one on, at most 64, those that are in a range: from the lowest bit on.
#[inline(always)]
fn columns(range: &Range<u32>, x: u32, count: u32) -> u64 {
    let below = |column: u32| u64::MAX.checked_shr(64 - column.saturating_sub(x).min(count)).unwrap_or_default();
    below(range.end) & !below(range.start)
}

/// How many bits are set.
pub fn pixels_of(masks: [u64; 2]) -> u64 {
    masks.iter().map(|mask| u64::from(mask.count_ones())).sum()
}

/// Those of the covered pixels of a row from a pixel on which can be drawn to.
fn shown(pixels: &Pixels, stipple: Option<&LineStipple>, (x, y): (u32, u32), covered: u64) -> u64 {
    let draws = |x| pixels.shows(x, y) && stipple.is_none_or(|stipple| stipple.draws(x, y));
    (0..64).filter(|n| covered >> n & 1 != 0 && draws(x + n)).fold(0, |shown, n| shown | 1 << n)
}
