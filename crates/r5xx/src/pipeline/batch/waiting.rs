//! Quads that wait for their kernel, with what their primitives bring.

use super::memory::LEVELS;
use crate::pipeline::interpolate::Value;
use ctm_raster::depth::Facing;
use ctm_raster::plane::{DepthPlane, Perspective, Setup};

/// Quads that wait at most.
const CAPACITY: usize = 4096;

/// A quad.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitingQuad {
    /// Column of its left pixels.
    pub x: u16,
    /// Row of its upper pixels.
    pub y: u16,
    /// Its primitive, by its number in [`Waiting::primitives`].
    pub primitive: u16,
    /// Bit n: pixel n is covered.
    pub covered: u8,
}

impl WaitingQuad {
    /// Column of its left pixels.
    pub fn x(&self) -> u32 {
        self.x.into()
    }

    /// Row of its upper pixels.
    pub fn y(&self) -> u32 {
        self.y.into()
    }
}

/// What quads need to know of their primitive.
pub struct WaitingPrimitive {
    /// The places of its vertices.
    pub setup: Setup,
    /// How values run over it; points have no such.
    pub perspective: Option<Perspective>,
    /// Depth over it.
    pub depth: DepthPlane,
    /// Which side is seen.
    pub facing: Facing,
}

/// Quads, with their primitives.
#[derive(Default)]
pub struct Waiting {
    /// By how many of the same place are drawn before them, in the order in which they came.
    levels: [Vec<WaitingQuad>; LEVELS],
    /// All of them.
    count: usize,
    /// Their primitives.
    pub primitives: Vec<WaitingPrimitive>,
    /// The values of each primitive's components, one primitive behind the other.
    pub values: Vec<Value>,
}

impl Waiting {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether there may not be so many more, or another primitive.
    pub fn is_full(&self, more: usize) -> bool {
        self.count + more > CAPACITY || self.primitives.len() >= CAPACITY
    }

    /// Adds one, with how many of its place are drawn before it.
    #[inline]
    pub fn push(&mut self, quad: WaitingQuad, level: usize) {
        self.levels[level % LEVELS].push(quad);
        self.count += 1;
    }

    /// Those of each level, from level 0 on.
    pub fn levels(&self) -> impl Iterator<Item = &[WaitingQuad]> {
        self.levels.iter().map(Vec::as_slice)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.levels.iter_mut().for_each(Vec::clear);
        self.count = 0;
        self.primitives.clear();
        self.values.clear();
    }
}
