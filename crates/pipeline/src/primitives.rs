//! Primitives that wait to be drawn.

use crate::values::Values;
use ctm_raster::coverage::ConvexPolygon;
use ctm_raster::depth::Facing;
use ctm_raster::grid::{Point, Rect};
use ctm_raster::plane::{AttributePlane, Plane};

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
    /// With perspective: an attribute for each component from the `first` one of [`Primitives::attributes`] on, divided by this one of
    /// [`Primitives::planes`].
    Attributes {
        /// The first attribute.
        first: usize,
        /// The divisor.
        divisor: usize,
    },
    /// Any: this one of [`Primitives::values`].
    Values(usize),
}

/// A component over a primitive.
#[derive(Clone, Copy, Debug)]
pub enum Attribute {
    /// It has the same bits everywhere.
    Constant(u32),
    /// It is linear but for perspective.
    Varying(Plane),
    /// The numbers of a plane, as places and depths are.
    Numbers(Plane),
    /// One divided by these.
    Reciprocals(Plane),
}

impl From<AttributePlane> for Attribute {
    fn from(plane: AttributePlane) -> Self {
        match plane {
            AttributePlane::Constant(bits) => Attribute::Constant(bits),
            AttributePlane::Varying(plane) => Attribute::Varying(plane),
        }
    }
}

/// What gives the components of a primitive. Each way is tried only if those before it cannot do it.
pub trait ComponentSource {
    /// What programs get over a primitive that is neither of planes nor of attributes.
    type Values;

    /// Adds the [planes](Components::Planes) of all components; whether all are such. What it added else is dropped.
    fn add_planes(&self, planes: &mut Vec<Plane>) -> bool;

    /// Adds the [attributes](Components::Attributes) of all components and gives their divisor, if all are such. What it added else is dropped.
    fn add_attributes(&self, attributes: &mut Vec<Attribute>) -> Option<Plane>;

    /// All components.
    fn values(&self) -> Self::Values;
}

/// Primitives in their order.
pub struct Primitives<V> {
    /// All of them.
    pub all: Vec<Primitive>,
    /// Planes of those whose components are such, one primitive after the other.
    pub planes: Vec<Plane>,
    /// Attributes of those whose components are such.
    pub attributes: Vec<Attribute>,
    /// What programs get over the others.
    pub values: Vec<V>,
}

impl<V> Default for Primitives<V> {
    fn default() -> Self {
        Primitives { all: Vec::new(), planes: Vec::new(), attributes: Vec::new(), values: Vec::new() }
    }
}

impl<V: Values> Primitives<V> {
    /// Whether they are to be drawn before another one comes.
    pub fn are_full(&self) -> bool {
        self.all.len() >= CAPACITY
    }

    /// Keeps the components of a primitive.
    pub fn add_components(&mut self, source: &impl ComponentSource<Values = V>) -> Components {
        let first = self.planes.len();
        if source.add_planes(&mut self.planes) {
            return Components::Planes(first);
        }
        self.planes.truncate(first);
        let attributes = self.attributes.len();
        if let Some(divisor) = source.add_attributes(&mut self.attributes) {
            self.planes.push(divisor);
            return Components::Attributes { first: attributes, divisor: first };
        }
        self.attributes.truncate(attributes);
        self.values.push(source.values());
        Components::Values(self.values.len() - 1)
    }

    /// The primitive of a block.
    #[inline(always)]
    pub fn get(&self, number: u16) -> Option<&Primitive> {
        self.all.get(usize::from(number))
    }

    /// Asks for the memory of a primitive with so many components.
    #[inline(always)]
    pub fn prefetch(&self, number: u16, components: usize) {
        let number = usize::from(number);
        ctm_memory::prefetch(self.all.get(number..=number).unwrap_or_default());
        // Most have planes or attributes, as all that came before.
        let own = number * components..(number + 1) * components;
        ctm_memory::prefetch(self.planes.get(own.clone()).unwrap_or_default());
        ctm_memory::prefetch(self.attributes.get(own).unwrap_or_default());
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.all.clear();
        self.planes.clear();
        self.attributes.clear();
        self.values.clear();
    }
}
