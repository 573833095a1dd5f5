//! What vertices are read from: vertex arrays in memory, constants of attributes, and their numbers.

use super::formats::VertexFormat;
use super::window::MemoryWindow;
use crate::methods::{
    VbElementBase, VbInstanceBase, VertexArrayDivisor, VertexArrayFetch, VertexArrayLimitHigh, VertexArrayPerInstance,
    VertexArrayStartHigh, VertexAttribFormat, VertexIdBase, VertexIdReplace,
};
use crate::objects::Objects;
use crate::state::{ATTRIBUTES, Channel, Methods};
use ctm_card::register::RegisterType;
use ctm_sm50::attributes::{GENERIC, INSTANCE_ID, VERTEX_ID, View};
use ctm_sm50::pipeline::{Vertex, VertexFeed};

/// Addresses of the card have 40 bits.
const ADDRESSES: u64 = (1 << 40) - 1;
/// Bytes of an attribute of vertices.
const ATTRIBUTE_BYTES: u32 = 16;
/// What attributes read whose array is not there.
const NOTHING: [u32; 4] = [0, 0, 0, 0x3F80_0000];

/// Where elements of an array are.
#[derive(Clone, Debug)]
struct ArrayPlace<'a> {
    /// The memory around the last byte.
    memory: Option<MemoryWindow<'a>>,
    /// The attribute in element 0.
    start: u64,
    stride: u64,
    /// Address of the last byte.
    limit: u64,
    /// Elements are those of instances: so many of them have one.
    divisor: Option<u32>,
}

/// Where an attribute comes from.
#[derive(Clone, Debug)]
enum Attribute<'a> {
    Constant([u32; 4]),
    Array(ArrayPlace<'a>, VertexFormat),
}

/// The vertices of a draw.
#[derive(Debug)]
pub struct VertexFetch<'a> {
    attributes: [Option<Attribute<'a>>; ATTRIBUTES],
    /// Attributes that programs read: bit n for attribute n.
    read: u32,
    element_base: u32,
    instance_base: u32,
    id_base: u32,
    /// The attribute and its component that is the vertex number.
    id_source: Option<(usize, usize)>,
}

impl<'a> VertexFetch<'a> {
    /// In the state of a channel, of attributes that a program reads: bit n for attribute n.
    pub fn new(channel: &Channel, objects: &'a Objects, read: u32) -> Self {
        let methods = &channel.three_d;
        let replace = methods.get::<VertexIdReplace>();
        let id_source = (4 * u32::from(replace.source)).checked_sub(GENERIC).filter(|_| replace.enable);
        let id_source = id_source.map(|at| ((at / ATTRIBUTE_BYTES) as usize, (at / 4 % 4) as usize));
        let id_source = id_source.filter(|&(attribute, _)| attribute < ATTRIBUTES);
        let fetched = read | id_source.map_or(0, |(attribute, _)| 1 << attribute);
        let attribute = |n: usize| (fetched >> n & 1 != 0).then(|| Attribute::of(channel, objects, n));
        VertexFetch {
            attributes: std::array::from_fn(attribute),
            read,
            element_base: methods.get::<VbElementBase>().value,
            instance_base: methods.get::<VbInstanceBase>().value,
            id_base: methods.get::<VertexIdBase>().value,
            id_source,
        }
    }

    /// The element of an array that a vertex has.
    #[inline]
    fn element(&self, place: &ArrayPlace, vertex: &Vertex) -> u32 {
        match place.divisor {
            Some(divisor) => self.instance_base.wrapping_add(vertex.instance.checked_div(divisor).unwrap_or(0)),
            None if vertex.is_indexed => vertex.number.wrapping_add(self.element_base),
            None => vertex.number,
        }
    }

    /// The attribute of a vertex.
    fn value(&self, attribute: usize, vertex: &Vertex) -> [u32; 4] {
        match &self.attributes[attribute] {
            None => NOTHING,
            Some(Attribute::Constant(value)) => *value,
            Some(Attribute::Array(place, format)) => {
                let address = place.address(self.element(place, vertex));
                match place.inside(address, format.bytes()) {
                    Some(memory) => format.decode(|word| memory.word(address + 4 * u64::from(word))),
                    None => [0; 4],
                }
            }
        }
    }

    /// Writes the components of an attribute that records have.
    fn feed_attribute(&self, attribute: usize, vertices: &[Vertex], records: &View) {
        let first = GENERIC + ATTRIBUTE_BYTES * attribute as u32;
        let components = (0..4).filter(|&component| records.has(first + 4 * component));
        match &self.attributes[attribute] {
            Some(Attribute::Array(place, format)) if format.plain_words().is_some() => {
                let bytes = format.bytes();
                for component in components {
                    let is_there = format.plain_words().is_some_and(|words| component < words);
                    let missing = format.missing(component);
                    let word = |vertex: &Vertex| {
                        let address = place.address(self.element(place, vertex));
                        match place.inside(address, bytes) {
                            Some(memory) if is_there => memory.word(address + 4 * u64::from(component)),
                            Some(_) => missing,
                            None => 0,
                        }
                    };
                    records.set_all(first + 4 * component, vertices.iter().map(word));
                }
            }
            Some(Attribute::Array(..)) => {
                for (record, vertex) in (0..).zip(vertices) {
                    let value = self.value(attribute, vertex);
                    for component in components.clone() {
                        records.set(record, first + 4 * component, value[component as usize]);
                    }
                }
            }
            constant @ (Some(Attribute::Constant(_)) | None) => {
                let value = if let Some(Attribute::Constant(value)) = constant { value } else { &NOTHING };
                for component in components {
                    records.set_all(first + 4 * component, vertices.iter().map(|_| value[component as usize]));
                }
            }
        }
    }

    /// The number of a vertex, as programs see it.
    fn id(&self, vertex: &Vertex) -> u32 {
        match self.id_source {
            Some((attribute, component)) => self.value(attribute, vertex)[component],
            None if vertex.is_indexed => vertex.number.wrapping_add(self.id_base),
            None => vertex.number,
        }
    }
}

impl VertexFeed for VertexFetch<'_> {
    fn feed(&self, vertices: &[Vertex], records: &View) {
        let mut left = self.read;
        while left != 0 {
            self.feed_attribute(left.trailing_zeros() as usize, vertices, records);
            left &= left - 1;
        }
        if records.has(VERTEX_ID) {
            records.set_all(VERTEX_ID, vertices.iter().map(|vertex| self.id(vertex)));
        }
        if records.has(INSTANCE_ID) {
            records.set_all(INSTANCE_ID, vertices.iter().map(|vertex| vertex.instance));
        }
    }
}

impl<'a> Attribute<'a> {
    fn of(channel: &Channel, objects: &'a Objects, number: usize) -> Self {
        let methods = &channel.three_d;
        let format: VertexAttribFormat = methods.at(number as u32);
        if format.constant {
            return Attribute::Constant(channel.attributes[number]);
        }
        let place = ArrayPlace::of(methods, objects, format.buffer.into(), format.offset);
        match (place, VertexFormat::of(format.size, format.kind, format.bgra)) {
            (Some(place), Some(format)) => Attribute::Array(place, format),
            _ => Attribute::Constant(NOTHING),
        }
    }
}

impl<'a> ArrayPlace<'a> {
    /// The elements of an array, from this byte of each on; `None` if the array is not there.
    fn of(methods: &Methods, objects: &'a Objects, array: u32, offset: u16) -> Option<Self> {
        let fetch: VertexArrayFetch = methods.at(array);
        if !fetch.enable {
            return None;
        }
        let start = methods.address(VertexArrayStartHigh::ADDRESS + array * VertexArrayStartHigh::STRIDE);
        let limit = methods.address(VertexArrayLimitHigh::ADDRESS + array * VertexArrayLimitHigh::STRIDE) & ADDRESSES;
        let is_per_instance = methods.at::<VertexArrayPerInstance>(array).enable;
        Some(ArrayPlace {
            memory: MemoryWindow::around(objects, limit),
            start: start.wrapping_add(offset.into()) & ADDRESSES,
            stride: fetch.stride.into(),
            limit,
            divisor: is_per_instance.then(|| methods.at::<VertexArrayDivisor>(array).value),
        })
    }

    #[inline]
    fn address(&self, element: u32) -> u64 {
        self.start.wrapping_add(self.stride * u64::from(element)) & ADDRESSES
    }

    /// The memory, if so many bytes at an address are in the array.
    #[inline]
    fn inside(&self, address: u64, bytes: u32) -> Option<&MemoryWindow<'a>> {
        let memory = self.memory.as_ref()?;
        (address + u64::from(bytes) - 1 <= self.limit && memory.holds(address, bytes.into())).then_some(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{VertexArrayLimitLow, VertexArrayStartLow};
    use ctm_card::Object;
    use ctm_memory::Arena;
    use ctm_sm50::attributes::{Records, Slots};
    use std::sync::Arc;

    const BASE: u32 = 0x1_0000;

    /// Words 100, 101, 102, …
    fn objects() -> Objects {
        let memory = Arc::new(Arena::new(BASE, 0x1000).unwrap());
        memory.write_words(BASE, &(100..164).collect::<Vec<u32>>());
        Objects::new(&memory, &[Object { address: BASE, size: 0x100 }])
    }

    /// Attribute 1 from array 2: two integers at byte 4 of elements of 16 bytes.
    fn channel() -> Channel {
        let mut channel = Channel::default();
        let methods = &mut channel.three_d;
        methods.write(VertexAttribFormat::ADDRESS + 4, 2 | 4 << 7 | 0x04 << 21 | 4 << 27);
        methods.write(VertexArrayFetch::ADDRESS + 2 * VertexArrayFetch::STRIDE, 0x1010);
        methods.write(VertexArrayStartLow::ADDRESS + 2 * VertexArrayStartLow::STRIDE, BASE);
        methods.write(VertexArrayLimitLow::ADDRESS + 2 * VertexArrayLimitLow::STRIDE, BASE + 0x7F);
        channel
    }

    fn fed(channel: &Channel, addresses: &[u32], vertices: &[Vertex]) -> Vec<Vec<u32>> {
        let records = Records::new(Slots::of(&addresses.iter().copied().collect()), vertices.len() as u32).unwrap();
        let objects = objects();
        VertexFetch::new(channel, &objects, u32::MAX).feed(vertices, &records.view());
        let record = |n: u32| addresses.iter().map(|&address| records.view().get(n, address)).collect();
        (0..vertices.len() as u32).map(record).collect()
    }

    fn vertex(number: u32, instance: u32, is_indexed: bool) -> Vertex {
        Vertex { number, instance, is_indexed }
    }

    #[test]
    fn elements_lie_in_arrays() {
        let mut channel = channel();
        channel.three_d.write(VbElementBase::ADDRESS, 1u32.wrapping_neg());
        let vertices = [
            vertex(0, 0, false),
            vertex(3, 0, false),
            vertex(3, 0, true),
            vertex(7, 0, false),
            vertex(8, 0, false),
            vertex(0, 0, true),
        ];
        let found = fed(&channel, &[0x90, 0x94, 0x98, 0x9C], &vertices);
        let all = [[101, 102, 0, 1], [113, 114, 0, 1], [109, 110, 0, 1], [129, 130, 0, 1], [0; 4], [0; 4]];
        assert_eq!(found, all, "beyond the end nothing is 1");
    }

    #[test]
    fn other_formats_are_converted() {
        let mut channel = channel();
        channel.three_d.write(VertexAttribFormat::ADDRESS + 4, 2 | 1 << 7 | 0x1D << 21 | 4 << 27);
        let found = fed(&channel, &[0x90, 0x9C], &[vertex(1, 0, false), vertex(8, 0, false)]);
        assert_eq!(found, [[0, 1], [0, 0]], "the second byte of 104");
        channel.three_d.write(VertexAttribFormat::ADDRESS + 4, 2 | 0x0A << 21 | 4 << 27 | 1 << 31);
        assert_eq!(fed(&channel, &[0x90, 0x98], &[vertex(1, 0, false)]), [[0, 104]]);
    }

    #[test]
    fn instances_have_elements() {
        let mut channel = channel();
        channel.three_d.write(VertexArrayPerInstance::ADDRESS + 8, 1);
        channel.three_d.write(VbInstanceBase::ADDRESS, 2);
        let vertices = [vertex(5, 0, true), vertex(6, 3, false)];
        assert_eq!(fed(&channel, &[0x90], &vertices), [[109], [109]], "all instances have one");
        channel.three_d.write(VertexArrayDivisor::ADDRESS + 2 * VertexArrayDivisor::STRIDE, 2);
        assert_eq!(fed(&channel, &[0x90, INSTANCE_ID], &vertices), [[109, 0], [113, 3]]);
    }

    #[test]
    fn attributes_without_arrays() {
        let mut channel = channel();
        channel.attributes[1] = [5, 6, 7, 8];
        channel.three_d.write(VertexAttribFormat::ADDRESS + 4, 1 << 6);
        // Attribute 0 has a format without meaning, and array 0 is not there.
        let found = fed(&channel, &[0x80, 0x8C, 0x90, 0x9C], &[vertex(0, 0, false)]);
        assert_eq!(found, [[0, 0x3F80_0000, 5, 8]]);
        channel.three_d.write(VertexAttribFormat::ADDRESS + 4, 2 | 0x04 << 21 | 4 << 27);
        channel.three_d.write(VertexArrayFetch::ADDRESS + 2 * VertexArrayFetch::STRIDE, 0x10);
        assert_eq!(fed(&channel, &[0x90, 0x9C], &[vertex(0, 0, false)]), [[0, 0x3F80_0000]]);
    }

    #[test]
    fn vertices_have_numbers() {
        let mut channel = channel();
        channel.three_d.write(VertexIdBase::ADDRESS, 10);
        let vertices = [vertex(1, 0, false), vertex(2, 0, true)];
        assert_eq!(fed(&channel, &[VERTEX_ID], &vertices), [[1], [12]]);
        channel.three_d.write(VertexIdReplace::ADDRESS, 1 | (0x94 / 4) << 4);
        assert_eq!(fed(&channel, &[VERTEX_ID], &vertices), [[106], [110]]);
    }

    #[test]
    fn arrays_may_begin_before_their_object() {
        let mut channel = channel();
        let start = VertexArrayStartLow::ADDRESS + 2 * VertexArrayStartLow::STRIDE;
        channel.three_d.write(start, BASE - 0x20);
        assert_eq!(fed(&channel, &[0x90], &[vertex(1, 0, false), vertex(2, 0, false)]), [[0], [101]]);
        channel.three_d.write(start - 4, u32::MAX);
        channel.three_d.write(start, 0xFFFF_0000);
        assert_eq!(fed(&channel, &[0x90], &[vertex(0x2000, 0, false)]), [[101]], "addresses come round");
    }
}
