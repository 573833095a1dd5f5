//! Primitives that wait to be drawn.

use crate::values::Values;
use ctm_raster::coverage::ConvexPolygon;
use ctm_raster::depth::Facing;
use ctm_raster::grid::{Point, Rect};
use ctm_raster::plane::Plane;

/// Primitives that are collected at most: their numbers have 16 bits.
const CAPACITY: usize = 1 << 14;

/// Whether the pixel in this column and row can be drawn to.
pub type Shown = dyn Fn(u32, u32) -> bool + Send + Sync;

/// A primitive that waits.
pub struct Primitive {
    /// What it covers.
    pub shape: ConvexPolygon,
    /// The pixels that may be covered.
    pub area: Rect,
    /// Those of them that are drawn, if others are left out.
    pub shown: Option<Box<Shown>>,
    /// The place of its vertex 0.
    pub origin: Point,
    /// Its depth.
    pub depth: Plane,
    /// What depths are clamped to.
    pub range: [f32; 2],
    /// The side that is seen.
    pub facing: Facing,
    /// The layer that it is drawn to.
    pub layer: u32,
    /// What programs get over it.
    pub components: Components,
}

/// What programs get over a primitive.
#[derive(Clone, Copy, Debug)]
pub enum Components {
    /// Linear on the screen, with [normal](Plane::has_normal_values) values: a plane for each component from this one of
    /// [`Primitives::planes`] on.
    Planes(usize),
    /// Any: this one of [`Primitives::values`].
    Values(usize),
}

/// Primitives in their order.
pub struct Primitives<V> {
    /// All of them.
    pub all: Vec<Primitive>,
    /// Planes of those whose components are such, one primitive after the other.
    pub planes: Vec<Plane>,
    /// What programs get over the others.
    pub values: Vec<V>,
}

impl<V> Default for Primitives<V> {
    fn default() -> Self {
        Primitives { all: Vec::new(), planes: Vec::new(), values: Vec::new() }
    }
}

impl<V: Values> Primitives<V> {
    /// Whether they are to be drawn before another one comes.
    pub fn are_full(&self) -> bool {
        self.all.len() >= CAPACITY
    }

    /// Keeps the planes that `add` adds, if it says that there is one for each component, or else `values`.
    pub fn add_components(
        &mut self,
        add: impl FnOnce(&mut Vec<Plane>) -> bool,
        values: impl FnOnce() -> V,
    ) -> Components {
        let first = self.planes.len();
        if add(&mut self.planes) {
            return Components::Planes(first);
        }
        self.planes.truncate(first);
        self.values.push(values());
        Components::Values(self.values.len() - 1)
    }

    /// The primitive of a block.
    #[inline(always)]
    pub fn get(&self, number: u16) -> Option<&Primitive> {
        self.all.get(usize::from(number))
    }

    /// Asks for the memory of a primitive with so many planes.
    #[inline(always)]
    pub fn prefetch(&self, number: u16, planes: usize) {
        let number = usize::from(number);
        ctm_memory::prefetch(self.all.get(number..=number).unwrap_or_default());
        // Most have planes, as many as all that came before.
        ctm_memory::prefetch(self.planes.get(number * planes..(number + 1) * planes).unwrap_or_default());
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.all.clear();
        self.planes.clear();
        self.values.clear();
    }
}
