//! What vertex programs are fed: vertex arrays, numbers of vertices and instances.

use super::Draw;
use super::primitive::Window;
use crate::attributes::{GENERIC, INSTANCE_ID, NoMemory, Records, Slots, VERTEX_ID};

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

/// Where the values of an attribute word come from.
enum Source<'a> {
    VertexId,
    Constant(u32),
    Array(&'a VertexArray, u32),
}

/// The input records of the vertices of a window: the words that the header's map names.
pub(super) fn vertices(draw: &Draw, instance: u32, window: &Window) -> Result<Records, NoMemory> {
    let map = draw.vertex.header.map(|header| header.imap).unwrap_or_default();
    let records = Records::new(Slots::of(&map), window.count())?;
    let view = records.view();
    for address in map.iter() {
        let source = source(draw, instance, address);
        if matches!(source, Source::Constant(0)) {
            continue;
        }
        for (vertex, record) in window.vertices().zip(0..) {
            let number = u64::from(draw.first) + u64::from(vertex);
            let value = match source {
                Source::VertexId => number as u32,
                Source::Constant(value) => value,
                Source::Array(array, component) => array.get(number, component),
            };
            view.set(record, address, value);
        }
    }
    Ok(records)
}

fn source<'a>(draw: &Draw<'a>, instance: u32, address: u32) -> Source<'a> {
    match address {
        VERTEX_ID => return Source::VertexId,
        INSTANCE_ID => return Source::Constant(instance),
        _ => {}
    }
    let components = |array: &VertexArray| array.address..array.address + 4 * array.components;
    if let Some(array) = draw.arrays.iter().find(|array| components(array).contains(&address)) {
        return Source::Array(array, (address - array.address) / 4);
    }
    // Components that an array lacks are those of (0, 0, 0, 1), and so are attributes without an array (OpenGL).
    let last = (GENERIC..0x280).contains(&address) && address % 16 == 12;
    Source::Constant(if last { 1.0f32.to_bits() } else { 0 })
}
