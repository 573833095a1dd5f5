//! What vertex programs of a [`Draw`](super::Draw) are fed: vertex arrays, numbers of vertices and instances.

use super::gather::{Vertex, VertexFeed, VertexRow};
use crate::attributes::{GENERIC, INSTANCE_ID, VERTEX_ID, View};
use std::ops::Range;

/// Values of a vertex attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexArray {
    /// Attribute address of the first component.
    pub address: u32,
    /// Components of each vertex, 1 to 4.
    pub components: u32,
    /// The components of vertex 0, then those of vertex 1, and so on. Vertices beyond the end have zeros.
    pub values: Vec<u32>,
}

impl VertexArray {
    fn get(&self, vertex: u64, component: u32) -> u32 {
        let place = vertex * u64::from(self.components) + u64::from(component);
        usize::try_from(place).ok().and_then(|place| self.values.get(place)).copied().unwrap_or(0)
    }
}

/// Vertices of one instance, one after the other.
pub(super) struct Counted {
    pub count: u32,
    pub instance: u32,
}

impl VertexRow for Counted {
    fn count(&self) -> u32 {
        self.count
    }

    fn append(&self, places: Range<u32>, vertices: &mut Vec<Vertex>) {
        vertices.extend(places.map(|number| Vertex { number, instance: self.instance, is_indexed: false }));
    }
}

/// Arrays, whose vertices have numbers from `first` on.
pub(super) struct ArrayFeed<'a> {
    pub arrays: &'a [VertexArray],
    pub first: u32,
}

/// Where the values of an attribute word come from.
enum Source<'a> {
    VertexId,
    InstanceId,
    Constant(u32),
    Array(&'a VertexArray, u32),
}

impl VertexFeed for ArrayFeed<'_> {
    fn feed(&self, vertices: &[Vertex], records: &View) {
        for address in records.addresses() {
            let source = self.source(address);
            let word = |vertex: &Vertex| {
                let number = u64::from(self.first) + u64::from(vertex.number);
                match source {
                    Source::VertexId => number as u32,
                    Source::InstanceId => vertex.instance,
                    Source::Constant(value) => value,
                    Source::Array(array, component) => array.get(number, component),
                }
            };
            records.set_all(address, vertices.iter().map(word));
        }
    }
}

impl ArrayFeed<'_> {
    fn source(&self, address: u32) -> Source<'_> {
        match address {
            VERTEX_ID => return Source::VertexId,
            INSTANCE_ID => return Source::InstanceId,
            _ => {}
        }
        let components = |array: &VertexArray| array.address..array.address + 4 * array.components;
        if let Some(array) = self.arrays.iter().find(|array| components(array).contains(&address)) {
            return Source::Array(array, (address - array.address) / 4);
        }
        // Components that an array lacks are those of (0, 0, 0, 1), and so are attributes without an array (OpenGL).
        let last = (GENERIC..0x280).contains(&address) && address % 16 == 12;
        Source::Constant(if last { 1.0f32.to_bits() } else { 0 })
    }
}
