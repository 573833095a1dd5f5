//! Primitives that wait to be drawn, and quads that wait for their kernel.

use super::memory::LEVELS;
use crate::pipeline::interpolate::Value;
use crate::pipeline::stipple::LineStipple;
use ctm_raster::coverage::Shape;
use ctm_raster::depth::Facing;
use ctm_raster::grid::Point;
use ctm_raster::plane::{DepthPlane, Plane};

/// Primitives that wait at most: their numbers have 16 bits.
const CAPACITY: usize = 1 << 14;
/// Quads from which on they wait for no others.
const QUADS: usize = 4096;

/// Quads of a primitive side by side: at most [`SPAN`](ctm_raster::quads::SPAN).
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// Column of the left pixels of the first quad.
    pub x: u16,
    /// Row of the upper pixels.
    pub y: u16,
    /// Their primitive, by its number in [`Primitives::all`].
    pub primitive: u16,
    /// How many there are.
    pub quads: u16,
    /// Bit n: pixel n of the upper, or of the lower row is drawn.
    pub drawn: [u64; 2],
}

impl Span {
    /// How many quads there are.
    pub fn len(&self) -> usize {
        self.quads.into()
    }

    /// The pixels with their places in the span: column and line.
    pub fn pixels(&self) -> impl Iterator<Item = ((u32, u32), (usize, usize))> {
        let (x, y, columns) = (u32::from(self.x), u32::from(self.y), 2 * self.len());
        (0..2).flat_map(move |line| (0..columns).map(move |n| ((x + n as u32, y + line as u32), (n, line))))
    }
}

/// A primitive that waits.
pub struct Primitive {
    /// What it covers.
    pub shape: Shape,
    /// The pixels of a line that are left out.
    pub stipple: Option<Box<LineStipple>>,
    /// The place of its vertex 0.
    pub origin: Point,
    /// What values are divided by, if they are not linear on the screen.
    pub divisor: Option<Plane>,
    /// Depth over it.
    pub depth: DepthPlane,
    /// Which side is seen.
    pub facing: Facing,
}

/// Primitives in their order.
#[derive(Default)]
pub struct Primitives {
    /// All of them.
    pub all: Vec<Primitive>,
    /// The values of each one's components, one primitive behind the other.
    pub values: Vec<Value>,
}

impl Primitives {
    /// Whether they are to be drawn before another one comes.
    pub fn are_full(&self) -> bool {
        self.all.len() >= CAPACITY
    }

    /// Asks for the memory of a primitive with so many values.
    #[inline(always)]
    pub fn prefetch(&self, number: u16, values: usize) {
        let number = usize::from(number);
        ctm_memory::prefetch(self.all.get(number..=number).unwrap_or_default());
        ctm_memory::prefetch(self.values.get(number * values..(number + 1) * values).unwrap_or_default());
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.all.clear();
        self.values.clear();
    }
}

/// Quads that wait.
#[derive(Default)]
pub struct Waiting {
    /// All of them, in an order in which those of the same place are drawn.
    pub spans: Vec<Span>,
    /// How many there are.
    count: usize,
}

impl Waiting {
    /// Whether they are to be drawn before those of another primitive.
    pub fn is_full(&self) -> bool {
        self.count >= QUADS
    }

    /// Adds some.
    #[inline(always)]
    pub fn add(&mut self, span: Span) {
        self.spans.push(span);
        self.count += span.len();
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.spans.clear();
        self.count = 0;
    }
}

/// Quads by how many of the same place are drawn before them, in the order in which they came.
#[derive(Default)]
pub struct Levels([Vec<Span>; LEVELS]);

impl Levels {
    /// Adds some.
    #[inline]
    pub fn add(&mut self, span: Span, level: usize) {
        self.0[level % LEVELS].push(span);
    }

    /// Those of each level, from level 0 on, in launches of at most so many quads.
    pub fn launches(&self, most: usize) -> impl Iterator<Item = Launch<'_>> {
        self.0.iter().flat_map(move |level| launches(level, most))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }
}

/// Quads in their order, in launches of at most so many.
pub fn launches(spans: &[Span], most: usize) -> impl Iterator<Item = Launch<'_>> {
    let mut rest = spans;
    std::iter::from_fn(move || {
        let mut quads = 0;
        let fits = |span: &&Span| {
            quads += span.len();
            quads <= most
        };
        let (spans, behind) = rest.split_at(rest.iter().take_while(fits).count());
        rest = behind;
        (!spans.is_empty()).then(|| Launch { spans, quads: spans.iter().map(Span::len).sum() })
    })
}

/// Quads that run together.
#[derive(Clone, Copy)]
pub struct Launch<'w> {
    /// The quads, in the order of their words.
    pub spans: &'w [Span],
    /// How many there are.
    pub quads: usize,
}

impl<'w> Launch<'w> {
    /// The spans, each with the number of its first quad.
    pub fn places(self) -> impl Iterator<Item = (usize, &'w Span)> {
        self.spans.iter().scan(0, |next, span| {
            let first = *next;
            *next += span.len();
            Some((first, span))
        })
    }
}
