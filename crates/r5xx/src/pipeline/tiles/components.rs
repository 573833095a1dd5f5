//! What kernels get of a primitive: components of temporaries.

use crate::pipeline::attributes::{Inputs, PrimitiveValues, Value};
use ctm_pipeline::{Attribute, ComponentSource};
use ctm_raster::plane::Plane;

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

    /// Adds their attributes, if all are such.
    fn add_attributes(&self, inputs: &Inputs, all: &mut Vec<Attribute>) -> Option<()> {
        if let Some(attributes) = inputs.attributes(self.input, self.chosen) {
            all.extend((0..4).filter(|n| self.chosen >> n & 1 != 0).map(|n| Attribute::from(attributes[n])));
            return Some(());
        }
        for component in self.components() {
            match inputs.value(component) {
                Value::Plane(plane) => all.push(plane.into()),
                Value::Position(_) | Value::Generated(..) => return None,
            }
        }
        Some(())
    }

    /// Adds their planes, if they have normal ones.
    fn add_planes(&self, inputs: &Inputs, all: &mut Vec<Plane>) -> bool {
        if let Some(planes) = inputs.normal_planes(self.input, self.chosen) {
            all.extend((0..4).filter(|n| self.chosen >> n & 1 != 0).map(|n| planes[n]));
            return true;
        }
        self.components().all(|component| {
            let plane = inputs.value(component).normal_plane();
            plane.map(|plane| all.push(plane)).is_some()
        })
    }
}

/// What gives these components of a primitive.
pub struct PrimitiveSource<'s, 'p> {
    /// Its values.
    pub inputs: &'s Inputs<'p>,
    /// Which of them.
    pub groups: &'s [Channels],
}

impl PrimitiveSource<'_, '_> {
    fn components(&self) -> impl Iterator<Item = Value> {
        self.groups.iter().flat_map(|group| group.components()).map(|component| self.inputs.value(component))
    }
}

impl ComponentSource for PrimitiveSource<'_, '_> {
    type Values = PrimitiveValues;

    fn add_planes(&self, planes: &mut Vec<Plane>) -> bool {
        self.inputs.divisor().is_none() && self.groups.iter().all(|group| group.add_planes(self.inputs, planes))
    }

    fn add_attributes(&self, attributes: &mut Vec<Attribute>) -> Option<Plane> {
        let divisor = self.inputs.divisor()?;
        self.groups.iter().try_for_each(|group| group.add_attributes(self.inputs, attributes))?;
        Some(divisor)
    }

    fn values(&self) -> PrimitiveValues {
        PrimitiveValues { divisor: self.inputs.divisor(), values: self.components().collect() }
    }
}
