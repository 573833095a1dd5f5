//! What kernels get of a primitive: components of temporaries.

use crate::pipeline::attributes::{Inputs, PrimitiveValues};
use ctm_pipeline::{Components, Primitives};
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

/// Adds these components of a primitive, and says where they are.
pub fn add(primitives: &mut Primitives<PrimitiveValues>, inputs: &Inputs, groups: &[Channels]) -> Components {
    let divisor = inputs.divisor();
    primitives.add_components(
        |planes| divisor.is_none() && groups.iter().all(|group| group.add_planes(inputs, planes)),
        || {
            let components = groups.iter().flat_map(|group| group.components());
            PrimitiveValues { divisor, values: components.map(|component| inputs.value(component)).collect() }
        },
    )
}
