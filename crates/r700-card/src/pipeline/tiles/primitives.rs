//! Primitives that wait to be drawn.

use crate::pipeline::attributes::{Gradients, Inputs, PrimitiveContext, SetupVertex, depth_over};
use crate::pipeline::stage::ShadedPrimitive;
use ctm_raster::coverage::ConvexPolygon;
use ctm_raster::grid::{Point, Rect};
use ctm_raster::plane::{Plane, PrimitiveSetup};

/// Primitives that are collected at most: their numbers have 16 bits.
const CAPACITY: usize = 1 << 14;

/// A primitive that waits.
pub struct Primitive {
    /// What it covers.
    pub shape: ConvexPolygon,
    /// The pixels that may be covered.
    pub area: Rect,
    /// The place of its vertex 0.
    pub origin: Point,
    /// Its depth.
    pub depth: Plane,
    /// What depths are clamped to.
    pub range: [f32; 2],
    /// It is seen from the front.
    pub front: bool,
    /// The layer that it is drawn to.
    pub layer: u32,
    /// What registers get over it.
    pub components: Components,
}

/// What registers get over a primitive.
#[derive(Clone, Copy, Debug)]
pub enum Components {
    /// Linear on the screen, with [normal](Plane::has_normal_values) values: four planes for each register from this one of
    /// [`Primitives::planes`] on.
    Planes(usize),
    /// Any: this one of [`Primitives::gradients`].
    Gradients(usize),
}

/// Primitives in their order.
#[derive(Default)]
pub struct Primitives {
    /// All of them.
    pub all: Vec<Primitive>,
    /// Planes of those whose registers are such, one primitive after the other.
    pub planes: Vec<Plane>,
    /// What registers of the others get.
    pub gradients: Vec<Gradients>,
}

impl Primitives {
    /// Whether they are to be drawn before another one comes.
    pub fn are_full(&self) -> bool {
        self.all.len() >= CAPACITY
    }

    /// Adds one with planes through three places, of which `setup` is.
    pub fn add(
        &mut self,
        inputs: &Inputs,
        (shape, area): (&ConvexPolygon, Rect),
        face: &PrimitiveContext,
        setup: PrimitiveSetup,
        corners: [&SetupVertex; 3],
    ) {
        let first = self.planes.len();
        let components = match inputs.add_planes(face, setup, corners, &mut self.planes) {
            true => Components::Planes(first),
            false => {
                self.gradients.push(inputs.over(face, setup, corners));
                Components::Gradients(self.gradients.len() - 1)
            }
        };
        self.all.push(Primitive {
            shape: shape.clone(),
            area,
            origin: setup.origin(),
            depth: depth_over(face, &setup, corners),
            range: face.depths,
            front: face.front,
            layer: face.layer,
            components,
        });
    }

    /// Adds one of which all is known.
    pub fn add_shaded(&mut self, shape: ConvexPolygon, area: Rect, shaded: ShadedPrimitive) {
        let ShadedPrimitive { gradients, front, layer, range } = shaded;
        self.all.push(Primitive {
            shape,
            area,
            origin: gradients.perspective.setup().origin(),
            depth: gradients.depth,
            range,
            front,
            layer,
            components: Components::Gradients(self.gradients.len()),
        });
        self.gradients.push(gradients);
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
        self.gradients.clear();
    }
}
