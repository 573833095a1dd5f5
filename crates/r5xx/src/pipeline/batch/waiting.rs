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
    /// Quads at its place that are drawn before it.
    pub level: u8,
    /// Bit n: pixel n is covered.
    pub covered: u8,
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

/// Quads, in the order in which they came.
#[derive(Default)]
pub struct Waiting {
    quads: Vec<WaitingQuad>,
    /// The same by their levels.
    sorted: Vec<WaitingQuad>,
    /// Their primitives.
    pub primitives: Vec<WaitingPrimitive>,
    /// The values of each primitive's components, one primitive behind the other.
    pub values: Vec<Value>,
}

impl Waiting {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.quads.is_empty()
    }

    /// Whether there are as many as there may be, of quads or of primitives.
    pub fn is_full(&self) -> bool {
        self.quads.len() >= CAPACITY || self.primitives.len() >= CAPACITY
    }

    /// Adds one.
    pub fn push(&mut self, quad: WaitingQuad) {
        self.quads.push(quad);
    }

    /// Sorts them by levels, in each in the order in which they came.
    pub fn sort(&mut self) {
        let mut ends = [0; LEVELS];
        self.quads.iter().for_each(|quad| ends[usize::from(quad.level) % LEVELS] += 1);
        let mut next = 0;
        let mut places = ends.map(|count: usize| {
            next += count;
            next - count
        });
        self.sorted.resize(self.quads.len(), WaitingQuad::default());
        for quad in &self.quads {
            let place = &mut places[usize::from(quad.level) % LEVELS];
            self.sorted[*place] = *quad;
            *place += 1;
        }
    }

    /// Those of each level, from level 0 on, after they were sorted.
    pub fn levels(&self) -> impl Iterator<Item = &[WaitingQuad]> {
        self.sorted.chunk_by(|quad, next| quad.level == next.level)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.quads.clear();
        self.sorted.clear();
        self.primitives.clear();
        self.values.clear();
    }
}
