//! What programs get over primitives.

use crate::raster::primitives::GRID;
use crate::tiles::{LineValue, LineValues};
use ctm_pipeline::{Attribute, ComponentSource};
use ctm_raster::plane::{AttributePlane, Plane};
use ctm_sm50::launch::{FRAGMENT_POSITION, LineInput};
use ctm_sm50::pipeline::inputs::{Covering, Inputs};

/// Where a component comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// An input, by its number.
    Input(usize),
    /// The provoking vertex' value of one.
    Provoking(usize),
    /// The place in the window along an axis.
    Place(usize),
    /// Nothing: it is 0.
    Missing,
}

impl Component {
    /// That of what a program reads.
    pub fn of(input: &LineInput, inputs: &Inputs) -> Self {
        const Y: u32 = FRAGMENT_POSITION + 4;
        let number = inputs.addresses().position(|address| address == input.address);
        match (number, input) {
            (Some(number), LineInput { is_provoking: true, .. }) => Component::Provoking(number),
            (Some(number), LineInput { is_provoking: false, .. }) => Component::Input(number),
            // What is provoked there is the corner of the window.
            (None, LineInput { address: FRAGMENT_POSITION, is_provoking: false }) => Component::Place(0),
            (None, LineInput { address: Y, is_provoking: false }) => Component::Place(1),
            (None, _) => Component::Missing,
        }
    }
}

/// The components of a primitive.
pub struct PrimitiveSource<'s> {
    /// Where they come from.
    pub components: &'s [Component],
    /// The inputs.
    pub inputs: &'s Inputs,
    /// The primitive.
    pub covering: &'s Covering<'s>,
}

impl PrimitiveSource<'_> {
    fn value(&self, component: Component) -> LineValue {
        let PrimitiveSource { inputs, covering, .. } = self;
        match component {
            Component::Missing => LineValue::Constant(0),
            Component::Provoking(number) => LineValue::Constant(inputs.provoking(number, covering)),
            Component::Place(axis) => {
                let origin = covering.setup.origin();
                let first = (if axis == 0 { origin.x } else { origin.y }) as f64 / GRID.per_pixel as f64;
                let [dx, dy] = if axis == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
                LineValue::Varying(Plane { value: first, dx, dy })
            }
            Component::Input(number) => match inputs.plane(number, covering) {
                (AttributePlane::Constant(bits), _) => LineValue::Constant(bits),
                (AttributePlane::Varying(plane), None) => LineValue::Varying(plane),
                (AttributePlane::Varying(plane), Some(range)) => LineValue::Clamped(plane, range),
            },
        }
    }
}

impl ComponentSource for PrimitiveSource<'_> {
    type Values = LineValues;

    fn add_planes(&self, planes: &mut Vec<Plane>) -> bool {
        self.components.iter().all(|component| {
            let plane = match self.value(*component) {
                LineValue::Constant(bits) => AttributePlane::Constant(bits).normal(),
                LineValue::Varying(plane) => AttributePlane::Varying(plane).normal(),
                LineValue::Clamped(..) => None,
            };
            planes.extend(plane);
            plane.is_some()
        })
    }

    fn add_attributes(&self, _: &mut Vec<Attribute>) -> Option<Plane> {
        None
    }

    fn values(&self) -> LineValues {
        LineValues(self.components.iter().map(|component| self.value(*component)).collect())
    }
}
