//! Primitives that wait to be drawn, and quads that wait for their kernel.

use super::memory::LAYERS;
use super::planes::QUADS;
use super::renderer::MULTIPLE;
use crate::pairs::BlockPlace;
use crate::pipeline::attributes::{Inputs, Value};
use crate::pipeline::stipple::LineStipple;
use ctm_raster::coverage::ConvexPolygon;
use ctm_raster::covered;
pub use ctm_raster::covered::ShadingRate;
use ctm_raster::depth::Facing;
use ctm_raster::grid::{Point, Rect};
use ctm_raster::plane::{DepthPlane, Plane};
use std::ops::Range;

/// Primitives that wait at most: their numbers have 16 bits.
const CAPACITY: usize = 1 << 14;
/// Blocks from which on they wait for no others.
const BLOCKS: usize = 2944;

/// A block, with where its pixels lie in the first buffer that has four bytes for each.
pub type Block = covered::Block<BlockPlace>;

/// What runs together.
pub type Chunk<'w> = covered::Chunk<'w, BlockPlace>;

/// A primitive that waits.
pub struct Primitive {
    /// What it covers.
    pub shape: ConvexPolygon,
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

/// Where the components of a primitive are, one after the other: the first one's number.
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
    /// Their components that are linear on the screen with [normal](Plane::has_normal_values) values, one primitive after the other.
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
pub struct PendingBlocks(pub Vec<Block>);

impl PendingBlocks {
    /// Whether they are to be drawn before those of another primitive.
    pub fn is_full(&self) -> bool {
        self.0.len() >= BLOCKS
    }
}

/// Quads by how many of the same place are drawn before them, in the order in which they came.
#[derive(Default)]
pub struct OverdrawLayers([Vec<Block>; LAYERS]);

impl OverdrawLayers {
    /// Adds some.
    #[inline]
    pub fn add(&mut self, block: Block, layer: usize) {
        self.0[layer % LAYERS].push(block);
    }

    /// Those of each level, from level 0 on, in launches of at most so many quads.
    pub fn chunks(&self, rate: ShadingRate) -> impl Iterator<Item = Chunk<'_>> {
        self.0.iter().flat_map(move |layer| chunks(layer, rate))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }
}

/// Quads or pixels in their order, in launches of as many as planes have.
pub fn chunks(blocks: &[Block], rate: ShadingRate) -> impl Iterator<Item = Chunk<'_>> {
    let most = match rate {
        ShadingRate::Quads => QUADS - MULTIPLE,
        ShadingRate::Pixels => 2 * (QUADS - MULTIPLE),
    };
    covered::chunks(blocks, rate, most)
}

/// Quads of planes before those of a launch, so that words of whole blocks are there for each of them.
const MARGIN: usize = 4;

/// A launch whose quads or pixels lie in planes.
pub trait InPlanes<'w>: Copy {
    /// The places in planes.
    fn range(self) -> Range<usize>;

    /// The blocks, with the place of the first quad or pixel of each.
    fn places(self) -> impl Iterator<Item = (usize, &'w Block)>;

    /// Columns and rows of planes that the kernel runs over: whole vectors.
    fn extent(self) -> [u32; 2];
}

impl<'w> InPlanes<'w> for Chunk<'w> {
    fn range(self) -> Range<usize> {
        let first = match self.rate {
            ShadingRate::Quads => MARGIN,
            ShadingRate::Pixels => 0,
        };
        first..first + self.count
    }

    #[inline(always)]
    fn places(self) -> impl Iterator<Item = (usize, &'w Block)> {
        self.places_from(self.range().start)
    }

    fn extent(self) -> [u32; 2] {
        let end = self.range().end as u32;
        match self.rate {
            ShadingRate::Quads => [2 * end.next_multiple_of(MULTIPLE as u32), 2],
            ShadingRate::Pixels => [end.next_multiple_of(2 * MULTIPLE as u32), 1],
        }
    }
}
