//! Primitives that wait to be drawn, and quads that wait for their kernel.

use super::memory::LEVELS;
use super::planes::QUADS;
use super::quads::MULTIPLE;
use crate::pairs::BlockPlace;
use crate::pipeline::interpolate::{Inputs, Value};
use crate::pipeline::stipple::LineStipple;
use ctm_raster::coverage::Shape;
use ctm_raster::depth::Facing;
use ctm_raster::grid::{Point, Rect};
use ctm_raster::plane::{DepthPlane, Plane};
use std::ops::Range;

/// Primitives that wait at most: their numbers have 16 bits.
const CAPACITY: usize = 1 << 14;
/// Blocks from which on they wait for no others.
const BLOCKS: usize = 1536;

/// Quads of a primitive side by side: those of a block of which pixels are drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block {
    /// Column of the left pixels of the block: a multiple of [`FOUR`](crate::pairs::FOUR).
    pub x: u16,
    /// Row of the upper pixels.
    pub y: u16,
    /// Their primitive, by its number in [`Primitives::all`].
    pub primitive: u16,
    /// Bit n: pixel n of the upper, or of the lower row of the block is drawn.
    pub drawn: [u8; 2],
    /// Where its pixels lie in the first buffer that has four bytes for each.
    pub place: BlockPlace,
}

impl Block {
    /// Whether no pixel is drawn.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.drawn == [0; 2]
    }

    /// Pixels that are drawn.
    #[inline(always)]
    pub fn pixel_count(&self) -> usize {
        u16::from_le_bytes(self.drawn).count_ones() as usize
    }

    /// The first quad with a pixel that is drawn, by its number in the block.
    #[inline(always)]
    pub fn first(&self) -> usize {
        let [upper, lower] = self.drawn;
        (upper | lower).trailing_zeros() as usize / 2
    }

    /// The quads from there to the last one.
    #[inline(always)]
    pub fn len(&self) -> usize {
        let [upper, lower] = self.drawn;
        let behind = (u8::BITS - (upper | lower).leading_zeros()).div_ceil(2) as usize;
        behind.saturating_sub(self.first())
    }

    /// Column and row of the first one's upper left pixel.
    #[inline(always)]
    pub fn first_quad(&self) -> (u16, u16) {
        (self.x + 2 * self.first() as u16, self.y)
    }

    /// The quads' pixels that are drawn: bit n is pixel n from the first quad on, of the upper and of the lower row.
    #[inline(always)]
    pub fn masks(&self) -> [u8; 2] {
        self.drawn.map(|drawn| drawn.checked_shr(2 * self.first() as u32).unwrap_or_default())
    }

    /// The pixels of the quads with their places: column from the first quad on, and line.
    pub fn pixels(&self) -> impl Iterator<Item = ((u32, u32), (usize, usize))> {
        let ((x, y), columns) = (self.first_quad(), 2 * self.len());
        let (x, y) = (u32::from(x), u32::from(y));
        (0..2).flat_map(move |line| (0..columns).map(move |n| ((x + n as u32, y + line as u32), (n, line))))
    }
}

/// A primitive that waits.
pub struct Primitive {
    /// What it covers.
    pub shape: Shape,
    /// The pixels that may be covered.
    pub area: Rect,
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
    /// Its components.
    pub components: Components,
}

/// Where the components of a primitive are, one behind the other: the first one's number.
#[derive(Clone, Copy, Debug)]
pub enum Components {
    /// In [`Primitives::planes`].
    Planes(usize),
    /// In [`Primitives::values`].
    Values(usize),
}

/// Channels of a temporary that are among the components of primitives.
#[derive(Clone, Copy, Debug)]
pub struct Channels {
    /// The temporary, by its number among those that are filled.
    pub input: usize,
    /// Bit n: channel n.
    pub chosen: u8,
}

impl Channels {
    /// The components: temporary and channel.
    fn components(self) -> impl Iterator<Item = (usize, usize)> {
        (0..4).filter(move |channel| self.chosen >> channel & 1 != 0).map(move |channel| (self.input, channel))
    }
}

/// Primitives in their order.
#[derive(Default)]
pub struct Primitives {
    /// All of them.
    pub all: Vec<Primitive>,
    /// Their components that are linear on the screen with [normal](Plane::has_normal_values) values, one primitive behind the other.
    pub planes: Vec<Plane>,
    /// Those of the other primitives.
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
        // Most have planes, as many as all that came before.
        ctm_memory::prefetch(self.planes.get(number * values..(number + 1) * values).unwrap_or_default());
    }

    /// Adds the components of a primitive, and says where they are: these channels of temporaries.
    pub fn add_components(&mut self, inputs: &Inputs, groups: &[Channels]) -> Components {
        let first = self.planes.len();
        if inputs.divisor().is_none() && groups.iter().all(|group| self.add_planes(inputs, group)) {
            return Components::Planes(first);
        }
        self.planes.truncate(first);
        let first = self.values.len();
        for group in groups {
            self.values.extend(group.components().map(|component| inputs.value(component)));
        }
        Components::Values(first)
    }

    /// Adds planes of channels, if they have normal ones.
    fn add_planes(&mut self, inputs: &Inputs, group: &Channels) -> bool {
        if let Some(planes) = inputs.normal_planes(group.input, group.chosen) {
            for (n, plane) in planes.into_iter().enumerate() {
                if group.chosen >> n & 1 != 0 {
                    self.planes.push(plane);
                }
            }
            return true;
        }
        group.components().all(|component| {
            let plane = inputs.value(component).normal_plane();
            plane.map(|plane| self.planes.push(plane)).is_some()
        })
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.all.clear();
        self.planes.clear();
        self.values.clear();
    }
}

/// Quads that wait, in an order in which those of the same place are drawn.
#[derive(Default)]
pub struct Waiting(pub Vec<Block>);

impl Waiting {
    /// Whether they are to be drawn before those of another primitive.
    pub fn is_full(&self) -> bool {
        self.0.len() >= BLOCKS
    }
}

/// Quads by how many of the same place are drawn before them, in the order in which they came.
#[derive(Default)]
pub struct Levels([Vec<Block>; LEVELS]);

impl Levels {
    /// Adds some.
    #[inline]
    pub fn add(&mut self, block: Block, level: usize) {
        self.0[level % LEVELS].push(block);
    }

    /// Those of each level, from level 0 on, in launches of at most so many quads.
    pub fn launches(&self, unit: Unit) -> impl Iterator<Item = Launch<'_>> {
        self.0.iter().flat_map(move |level| launches(level, unit))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }
}

/// What kernels run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Whole quads.
    Quads,
    /// Pixels that are drawn, one behind the other: for kernels in which none looks at the others of its quad.
    Pixels,
}

impl Unit {
    /// How many of them a block has.
    #[inline(always)]
    fn of(self, block: &Block) -> usize {
        match self {
            Unit::Quads => block.len(),
            Unit::Pixels => block.pixel_count(),
        }
    }

    /// How many run together at most.
    fn most(self) -> usize {
        match self {
            Unit::Quads => QUADS - MULTIPLE,
            Unit::Pixels => 2 * (QUADS - MULTIPLE),
        }
    }
}

/// Quads or pixels in their order, in launches.
pub fn launches(blocks: &[Block], unit: Unit) -> impl Iterator<Item = Launch<'_>> {
    let mut rest = blocks;
    std::iter::from_fn(move || {
        let mut count = 0;
        let fits = |block: &&Block| {
            let more = count + unit.of(block);
            let fits = more <= unit.most();
            count = if fits { more } else { count };
            fits
        };
        let (blocks, behind) = rest.split_at(rest.iter().take_while(fits).count());
        rest = behind;
        (!blocks.is_empty()).then_some(Launch { blocks, unit, count })
    })
}

/// What runs together.
#[derive(Clone, Copy)]
pub struct Launch<'w> {
    /// In the order of their words.
    pub blocks: &'w [Block],
    /// What the kernel runs for.
    pub unit: Unit,
    /// How many there are.
    pub count: usize,
}

/// Quads of planes before those of a launch, so that words of whole blocks are there for each of them.
const MARGIN: usize = 4;

impl<'w> Launch<'w> {
    /// The places in planes.
    pub fn range(self) -> Range<usize> {
        let first = match self.unit {
            Unit::Quads => MARGIN,
            Unit::Pixels => 0,
        };
        first..first + self.count
    }

    /// The blocks, with the place of the first quad or pixel of each.
    #[inline(always)]
    pub fn places(self) -> impl Iterator<Item = (usize, &'w Block)> {
        self.blocks.iter().scan(self.range().start, move |next, block| {
            let first = *next;
            *next += self.unit.of(block);
            Some((first, block))
        })
    }

    /// Columns and rows of planes that the kernel runs over: whole vectors.
    pub fn extent(self) -> [u32; 2] {
        let end = self.range().end as u32;
        match self.unit {
            Unit::Quads => [2 * end.next_multiple_of(MULTIPLE as u32), 2],
            Unit::Pixels => [end.next_multiple_of(2 * MULTIPLE as u32), 1],
        }
    }
}
