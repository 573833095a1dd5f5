//! Vertex fetch: indices, arrays, and the conversion of elements (programmable stream control).

use super::DrawError;
use crate::registers::{
    RegisterFile, VapAltNumVertices, VapIndexOffset, VapProgStreamCntl, VapProgStreamCntlExt, VapPscSgnNormCntl,
    VapVfMaxVtxIndx, VapVfMinVtxIndx, VapVtxSize,
};
use crate::state::State;
use crate::stream::{Draw, VertexArray, VertexSource};
use ctm_card::Object;
use ctm_memory::{Access, Arena, FourWords, Words};
use ctm_num::convert::f16_to_f32;
use ctm_pvs::INPUTS;
use ctm_raster::simd::{Simd, SimdTask, dispatch};

/// Input vectors of a vertex.
pub type Inputs = [[u32; 4]; INPUTS];

const ONE: u32 = 0x3F80_0000;
/// Input vectors that no element writes.
const NO_INPUTS: Inputs = [[0, 0, 0, ONE]; INPUTS];
/// Elements of a vertex at most.
const ELEMENTS: usize = 16;

/// An object's dword; 0 outside of it.
pub fn read(memory: &Arena, object: Object, offset: u64) -> u32 {
    let inside = offset + 4 <= u64::from(object.size);
    let address = u64::from(object.address) + offset;
    let value = u32::try_from(address).ok().filter(|_| inside).and_then(|address| memory.read_u32(address));
    value.unwrap_or_default()
}

/// The vertices of a draw, by number: each stands for one set of inputs.
pub struct VertexNumbers {
    /// Number of vertices.
    pub count: usize,
    /// Which element of the arrays, or which vertex of the packet, each is; `None` if they go up from 0.
    indices: Option<Vec<u32>>,
}

impl VertexNumbers {
    /// Of a draw.
    pub fn of(state: &State, memory: &Arena, draw: &Draw) -> Self {
        let registers = &state.registers;
        let count = match draw.control.alternate_count {
            true => registers.get::<VapAltNumVertices>().count,
            false => draw.control.count.into(),
        } as usize;
        let indices = Indices { wide: draw.control.wide_indices, window: IndexWindow::of(registers), count };
        let indices = match draw.vertices {
            VertexSource::List => return VertexNumbers { count, indices: None },
            VertexSource::Embedded(data) => {
                let size = usize::from(registers.get::<VapVtxSize>().dwords).max(1);
                return VertexNumbers { count: count.min(data.len() / size), indices: None };
            }
            VertexSource::EmbeddedIndices(data) => indices.list(data.len() as u64, |n| data[n as usize]),
            VertexSource::IndexBuffer { offset, dwords, object } => match object_words(memory, object) {
                Some(words) if offset.is_multiple_of(4) => {
                    let number = |n: u64| usize::try_from(u64::from(offset / 4) + n).ok();
                    indices.list(dwords.into(), |n| number(n).and_then(|n| words.word(n)).unwrap_or_default())
                }
                _ => indices.list(dwords.into(), |n| read(memory, object, u64::from(offset) + 4 * n)),
            },
        };
        VertexNumbers { count: indices.len(), indices: Some(indices) }
    }

    /// Whether they go up from 0.
    pub fn are_counted(&self) -> bool {
        self.indices.is_none()
    }

    /// Of a vertex.
    #[inline]
    pub fn get(&self, vertex: usize) -> u32 {
        self.indices.as_ref().map_or(vertex as u32, |indices| indices[vertex])
    }

    /// The greatest of all, if vertices come by indices.
    pub fn greatest(&self) -> Option<u32> {
        self.indices.as_ref()?.iter().copied().max()
    }
}

/// The indices of a draw.
struct Indices {
    /// Each is a dword, not half of one.
    wide: bool,
    window: IndexWindow,
    count: usize,
}

impl Indices {
    /// The numbers of vertices, by indices in so many dwords, which are numbered from 0.
    #[inline]
    fn list(&self, dwords: u64, dword: impl Fn(u64) -> u32) -> Vec<u32> {
        let available = dwords * if self.wide { 1 } else { 2 };
        let index = |n: u64| match self.wide {
            true => dword(n),
            false => dword(n / 2) >> (n % 2 * 16) & 0xFFFF,
        };
        (0..(self.count as u64).min(available)).map(|n| self.window.clamp(index(n))).collect()
    }
}

/// The words of an object, if it lies in memory as a whole and dwords are whole words of it.
fn object_words(memory: &Arena, object: Object) -> Option<Words<'_>> {
    let is_aligned = object.address.is_multiple_of(4);
    if is_aligned { memory.shared_words(object.address, object.size as usize / 4) } else { None }
}

/// What is done to indices. Vertices are counted modulo 2^24: registers have no more bits, and applications add offsets of 32 bits to
/// indices of 32 bits.
struct IndexWindow {
    offset: i32,
    min: u32,
    max: u32,
}

impl IndexWindow {
    fn of(registers: &RegisterFile) -> Self {
        // 25 bits, two's complement.
        let offset = (registers.get::<VapIndexOffset>().offset << 7).cast_signed() >> 7;
        let (min, max) = (registers.get::<VapVfMinVtxIndx>().index, registers.get::<VapVfMaxVtxIndx>().index);
        IndexWindow { offset, min, max: max.max(min) }
    }

    fn clamp(&self, index: u32) -> u32 {
        let moved = i64::from(index) + i64::from(self.offset);
        let moved = if moved < 0 { moved } else { moved & 0xFF_FFFF };
        moved.clamp(self.min.into(), self.max.into()) as u32
    }
}

/// An element of a vertex, as the stream control registers describe it.
#[derive(Clone, Copy, Debug)]
struct Element {
    kind: ElementType,
    /// The first of its dwords, among those of a vertex.
    first: usize,
    location: usize,
    signed: bool,
    normalised: bool,
    /// How signed fractions are meant.
    method: u32,
    swizzle: [u8; 4],
    mask: u8,
    /// Where four dwords from its first one on are, if all of its own are among these: an array, and the number among those of a vertex.
    four: Option<(usize, u32)>,
}

/// `DATA_TYPE`.
#[derive(Clone, Copy, Debug)]
enum ElementType {
    /// So many binary32 numbers.
    Float(usize),
    /// Fields of one or two dwords: bits of each, low ones first.
    Fixed(usize, &'static [u32]),
    /// Four bytes.
    Bytes,
    /// Four bytes, of which the first and the third change places.
    Colour,
    /// So many binary16 numbers.
    Half(usize),
}

impl ElementType {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            0..=3 => ElementType::Float(usize::from(code) + 1),
            4 => ElementType::Bytes,
            5 => ElementType::Colour,
            6 => ElementType::Fixed(1, &[16, 16]),
            7 => ElementType::Fixed(2, &[16, 16, 16, 16]),
            8 => ElementType::Fixed(1, &[10, 10, 10]),
            9 => ElementType::Fixed(1, &[11, 11, 10]),
            10 => ElementType::Float(8),
            11 => ElementType::Half(2),
            12 => ElementType::Half(4),
            _ => return None,
        })
    }

    /// Dwords that an element takes.
    fn dwords(self) -> usize {
        match self {
            ElementType::Float(count) => count,
            ElementType::Fixed(dwords, _) => dwords,
            ElementType::Bytes | ElementType::Colour => 1,
            ElementType::Half(count) => count / 2,
        }
    }
}

impl Element {
    /// Its components, of the dwords that it takes; any others follow.
    #[inline]
    fn components(&self, dwords: &[u32; ELEMENT_DWORDS]) -> [u32; 4] {
        let mut components = [0, 0, 0, ONE];
        let mut fixed = |bits: &[u32], dwords: &[u32]| {
            let mut at = 0;
            for (component, &width) in components.iter_mut().zip(bits) {
                let field = dwords[at / 32] >> (at % 32) & (u32::MAX >> (32 - width));
                *component = self.number(field, width);
                at += width as usize;
            }
        };
        match self.kind {
            ElementType::Float(count) => {
                for (n, (component, &dword)) in components.iter_mut().zip(dwords).enumerate() {
                    *component = if n < count { dword } else { *component };
                }
            }
            ElementType::Fixed(_, bits) => fixed(bits, dwords),
            ElementType::Bytes => components = self.numbers(dwords[0].to_le_bytes()),
            ElementType::Colour => {
                let [first, second, third, fourth] = dwords[0].to_le_bytes();
                components = self.numbers([third, second, first, fourth]);
            }
            ElementType::Half(count) => {
                for (n, component) in components.iter_mut().enumerate().take(count) {
                    *component = f16_to_f32((dwords[n / 2] >> (n % 2 * 16)) as u16);
                }
            }
        }
        components
    }

    /// A fixed-point number of `width` bits as binary32 bits.
    #[inline]
    fn number(&self, field: u32, width: u32) -> u32 {
        let max = (1u32 << width) - 1;
        let signed = (field << (32 - width)).cast_signed() >> (32 - width);
        let value = match (self.signed, self.normalised) {
            (false, false) => field as f32,
            (true, false) => signed as f32,
            (false, true) => field as f32 / max as f32,
            (true, true) => match self.method {
                0 => signed as f32 / (max / 2) as f32,
                1 => (signed as f32 / (max / 2) as f32).max(-1.0),
                _ => (2 * signed + 1) as f32 / max as f32,
            },
        };
        value.to_bits()
    }

    /// Bytes as [numbers](Self::number).
    #[inline]
    fn numbers(&self, bytes: [u8; 4]) -> [u32; 4] {
        match (self.signed, self.normalised) {
            (false, true) => fractions(bytes),
            (true, _) | (false, false) => bytes.map(|byte| self.number(byte.into(), 8)),
        }
    }

    /// Whether its components are those of its vector.
    fn is_plain(&self) -> bool {
        let [x, y, z, w] = self.swizzle;
        // Three numbers or fewer are followed by 1 as the last.
        let is_one = matches!(self.kind, ElementType::Float(1..=3)) && w == 5;
        self.mask == 0xF && [x, y, z] == [0, 1, 2] && (w == 3 || is_one)
    }

    /// Its vector, which has been another one, with these components where they belong.
    #[inline(always)]
    fn placed(&self, [x, y, z, w]: [u32; 4], mut vector: [u32; 4]) -> [u32; 4] {
        let selected = [x, y, z, w, 0, ONE, 0, 0];
        for (n, (component, &select)) in vector.iter_mut().zip(&self.swizzle).enumerate() {
            if self.mask >> n & 1 != 0 {
                *component = selected[usize::from(select & 7)];
            }
        }
        vector
    }
}

/// Bytes as fractions.
#[inline]
fn fractions(bytes: [u8; 4]) -> [u32; 4] {
    bytes.map(|byte| (f32::from(byte) / 255.0).to_bits())
}

/// Where one vector of each of many vertices lies.
#[derive(Clone, Copy)]
struct Column<'w> {
    words: Words<'w>,
    /// The first one's number among all vectors, and that of one vertex's vectors.
    first: usize,
    step: usize,
}

impl<'w> Column<'w> {
    /// The vector of a vertex; nothing if it is not there.
    #[inline(always)]
    fn four(self, vertex: usize) -> Option<FourWords<'w>> {
        self.words.four(4 * (self.first + vertex * self.step))
    }

    #[inline(always)]
    fn get(self, vertex: usize) -> [u32; 4] {
        self.four(vertex).map_or([0; 4], |four| four.get())
    }

    #[inline(always)]
    fn set(self, vertex: usize, vector: [u32; 4]) {
        if let Some(four) = self.four(vertex) {
            four.set(vector);
        }
    }
}

/// Elements of vertices whose components are those of four dwords, and where they go: a task that is faster on hosts with wide vectors.
struct Converting<'t, C, M> {
    array: ArrayWords<'t>,
    /// The first of the four dwords.
    first: u32,
    vertices: &'t [u32],
    column: Column<'t>,
    components: C,
    /// Components of vertices whose dwords are not all there.
    missing: M,
}

impl<C: Fn([u32; 4]) -> [u32; 4], M: Fn(u32) -> [u32; 4]> SimdTask for Converting<'_, C, M> {
    type Output = ();

    #[inline(always)]
    fn run(self, simd: impl Simd) {
        let Converting { array: ArrayWords { array, words }, first, vertices, column, components, missing } = self;
        let access = simd.access();
        for (n, &vertex) in vertices.iter().enumerate() {
            let word = array.word(vertex, first);
            let four = words.zip(word).and_then(|(words, word)| words.four(word));
            let vector = match four {
                Some(four) => components(access.get(four)),
                None => missing(vertex),
            };
            if let Some(place) = column.four(n) {
                access.set(place, vector);
            }
        }
    }
}

/// Dwords of a vertex at most; those after the last are 0.
const DWORDS: usize = 128;
/// Dwords of an element at most.
const ELEMENT_DWORDS: usize = 8;

/// Turns the dwords of vertices into input vectors.
pub struct Fetch<'a> {
    elements: Vec<Element>,
    source: ElementSource<'a>,
    memory: &'a Arena,
}

enum ElementSource<'a> {
    Arrays {
        arrays: Vec<ArrayWords<'a>>,
        /// Of each dword of a vertex: its array, and its number among those that a vertex takes from there.
        dwords: Vec<(usize, u32)>,
    },
    /// Dwords of a vertex, and those of all.
    Packet(usize, &'a [u32]),
}

impl<'a> ElementSource<'a> {
    fn of(arrays: &[VertexArray], memory: &'a Arena) -> Self {
        let dwords = arrays.iter().enumerate().flat_map(|(n, array)| (0..array.size).map(move |dword| (n, dword)));
        ElementSource::Arrays {
            dwords: dwords.take(DWORDS).collect(),
            arrays: arrays.iter().map(|&array| ArrayWords::of(array, memory)).collect(),
        }
    }

    /// [`Element::four`] of an element.
    fn four(&self, element: &Element) -> Option<(usize, u32)> {
        let (ElementSource::Arrays { dwords, .. }, count @ 1..=4) = (self, element.kind.dwords()) else { return None };
        let own = dwords.get(element.first..element.first + count)?;
        let (array, first) = *own.first()?;
        own.iter().zip(first..).all(|(&place, dword)| place == (array, dword)).then_some((array, first))
    }
}

/// An array that vertices take dwords from.
#[derive(Clone, Copy)]
struct ArrayWords<'a> {
    array: VertexArray,
    /// Those of its object, if that lies in memory as a whole and dwords are whole words of it.
    words: Option<Words<'a>>,
}

impl VertexArray {
    /// The number of a vertex's dword among the words of the object.
    #[inline(always)]
    fn word(&self, vertex: u32, dword: u32) -> Option<usize> {
        let behind = u64::from(self.stride) * u64::from(vertex) + u64::from(dword);
        usize::try_from(u64::from(self.offset / 4) + behind).ok()
    }
}

impl<'a> ArrayWords<'a> {
    fn of(array: VertexArray, memory: &'a Arena) -> Self {
        let VertexArray { offset, object, .. } = array;
        ArrayWords { array, words: object_words(memory, object).filter(|_| offset.is_multiple_of(4)) }
    }

    /// Four dwords from one of a vertex on, if all of them are there.
    #[inline(always)]
    fn four(&self, vertex: u32, dword: u32) -> Option<[u32; 4]> {
        Some(self.words?.four(self.array.word(vertex, dword)?)?.get())
    }

    /// A dword of a vertex; 0 if it is outside of the object.
    #[inline(always)]
    fn read(&self, vertex: u32, dword: u32, memory: &Arena) -> u32 {
        let VertexArray { stride, offset, object, .. } = self.array;
        match self.words {
            Some(words) => {
                let number = self.array.word(vertex, dword);
                number.and_then(|number| words.word(number)).unwrap_or_default()
            }
            None => {
                let behind = u64::from(stride) * u64::from(vertex) + u64::from(dword);
                read(memory, object, u64::from(offset) + 4 * behind)
            }
        }
    }
}

impl<'a> Fetch<'a> {
    /// For a draw.
    ///
    /// # Errors
    /// If an element has a type that there is not.
    pub fn new(state: &'a State, memory: &'a Arena, draw: &Draw<'a>) -> Result<Self, DrawError> {
        let registers = &state.registers;
        let source = match draw.vertices {
            VertexSource::Embedded(data) => ElementSource::Packet(registers.get::<VapVtxSize>().dwords.into(), data),
            VertexSource::List | VertexSource::EmbeddedIndices(_) | VertexSource::IndexBuffer { .. } => {
                ElementSource::of(&state.arrays, memory)
            }
        };
        let mut elements = elements(registers)?;
        for element in &mut elements {
            element.four = source.four(element);
        }
        Ok(Fetch { elements, source, memory })
    }

    /// The input vectors of a vertex. What no element writes is (0, 0, 0, 1).
    pub fn inputs(&self, number: u32) -> Inputs {
        let mut inputs = NO_INPUTS;
        self.fill(number, &mut inputs);
        inputs
    }

    /// Sets the components of input vectors that elements write, which are the same for all vertices, to those of a vertex.
    fn fill(&self, number: u32, inputs: &mut Inputs) {
        for element in &self.elements {
            let input = &mut inputs[element.location];
            *input = element.placed(self.components(element, number), *input);
        }
    }

    /// The components of an element of a vertex.
    fn components(&self, element: &Element, number: u32) -> [u32; 4] {
        let mut dwords = [0; ELEMENT_DWORDS];
        for (place, dword) in (element.first..).zip(&mut dwords[..element.kind.dwords()]) {
            *dword = self.dword(number, place);
        }
        element.components(&dwords)
    }

    /// Writes input vectors of vertices, as [`inputs`](Self::inputs) gives them: of each vertex those with these numbers, in this order.
    pub fn write(&self, vertices: &[u32], numbers: &[u8], words: Words) {
        for (first, &number) in numbers.iter().enumerate() {
            let column = Column { words, first, step: numbers.len() };
            let elements = || self.elements.iter().filter(|element| element.location == usize::from(number));
            if !elements().any(|element| element.mask == 0xF) {
                (0..vertices.len()).for_each(|vertex| column.set(vertex, NO_INPUTS[0]));
            }
            for element in elements() {
                self.write_element(element, vertices, column);
            }
        }
    }

    /// Writes an element of vertices. The most common types have loops of their own.
    fn write_element(&self, element: &Element, vertices: &[u32], column: Column) {
        match element.kind {
            ElementType::Float(count) => {
                let kept: [u32; 4] = std::array::from_fn(|n| if n < count { u32::MAX } else { 0 });
                let others: [u32; 4] = std::array::from_fn(|n| if n < count { 0 } else { NO_INPUTS[0][n] });
                let components = |four: [u32; 4]| std::array::from_fn(|n| four[n] & kept[n] | others[n]);
                self.write_converted(element, vertices, column, components);
            }
            ElementType::Bytes if !element.signed && element.normalised => {
                self.write_converted(element, vertices, column, |[bytes, ..]| fractions(bytes.to_le_bytes()));
            }
            ElementType::Bytes | ElementType::Colour | ElementType::Fixed(..) | ElementType::Half(_) => {
                self.write_converted(element, vertices, column, |[a, b, c, d]| {
                    element.components(&[a, b, c, d, 0, 0, 0, 0])
                });
            }
        }
    }

    /// Writes an element of vertices whose components are those of four dwords where these are there.
    #[inline(always)]
    fn write_converted(
        &self,
        element: &Element,
        vertices: &[u32],
        column: Column,
        components: impl Fn([u32; 4]) -> [u32; 4],
    ) {
        let place = element.four.and_then(|(number, first)| match &self.source {
            ElementSource::Arrays { arrays, .. } => arrays.get(number).map(|&array| (array, first)),
            ElementSource::Packet(..) => None,
        });
        let is_plain = element.is_plain();
        if let Some((array, first)) = place.filter(|_| is_plain) {
            let missing = |vertex| self.components(element, vertex);
            dispatch(Converting { array, first, vertices, column, components, missing });
            return;
        }
        for (n, &vertex) in vertices.iter().enumerate() {
            let four = place.and_then(|(array, first)| array.four(vertex, first));
            let components = match four {
                Some(four) => components(four),
                None => self.components(element, vertex),
            };
            column.set(n, if is_plain { components } else { element.placed(components, column.get(n)) });
        }
    }

    /// A dword of a vertex; 0 if it has fewer.
    #[inline(always)]
    fn dword(&self, vertex: u32, place: usize) -> u32 {
        match &self.source {
            ElementSource::Arrays { arrays, dwords } => {
                dwords.get(place).map_or(0, |&(array, dword)| arrays[array].read(vertex, dword, self.memory))
            }
            &ElementSource::Packet(size, data) => {
                let first = vertex as usize * size;
                let own = data.get(first..first + size.min(DWORDS)).filter(|_| first + size <= data.len());
                own.and_then(|own| own.get(place)).copied().unwrap_or_default()
            }
        }
    }
}

fn elements(registers: &RegisterFile) -> Result<Vec<Element>, DrawError> {
    let methods = registers.get::<VapPscSgnNormCntl>().value;
    let mut elements = Vec::new();
    let mut first = 0;
    for number in 0..ELEMENTS as u32 {
        let control = registers.at::<VapProgStreamCntl>(number / 2);
        let extension = registers.at::<VapProgStreamCntlExt>(number / 2);
        let even = number % 2 == 0;
        let pick = |first: u8, second: u8| if even { first } else { second };
        let flag = |first: bool, second: bool| if even { first } else { second };
        let code = pick(control.type_0, control.type_1);
        let kind = ElementType::of(code).ok_or(DrawError::VertexElement { number, code })?;
        let element = Element {
            kind,
            first,
            location: pick(control.location_0, control.location_1).into(),
            signed: flag(control.signed_0, control.signed_1),
            normalised: flag(control.normalise_0, control.normalise_1),
            method: methods >> (2 * number) & 3,
            swizzle: [
                pick(extension.x_0, extension.x_1),
                pick(extension.y_0, extension.y_1),
                pick(extension.z_0, extension.z_1),
                pick(extension.w_0, extension.w_1),
            ],
            mask: pick(extension.mask_0, extension.mask_1),
            four: None,
        };
        first += kind.dwords();
        // Those after the last dword write nothing.
        if first <= DWORDS {
            elements.push(element);
        }
        first += usize::from(pick(control.skip_0, control.skip_1));
        if flag(control.last_0, control.last_1) {
            break;
        }
    }
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(kind: ElementType, signed: bool, normalised: bool, method: u32) -> Element {
        Element { kind, first: 0, location: 0, signed, normalised, method, swizzle: [0, 1, 2, 3], mask: 15, four: None }
    }

    #[test]
    fn numbers_of_each_type() {
        let floats = |element: Element, own: &[u32]| {
            let mut dwords = [7; ELEMENT_DWORDS];
            dwords[..own.len()].copy_from_slice(own);
            element.components(&dwords).map(f32::from_bits)
        };
        let bytes = ElementType::of(4).unwrap();
        assert_eq!(floats(element(bytes, false, false, 0), &[0x80FF_0102]), [2.0, 1.0, 255.0, 128.0]);
        assert_eq!(floats(element(bytes, true, false, 0), &[0x80FF_0102]), [2.0, 1.0, -1.0, -128.0]);
        assert_eq!(floats(element(bytes, false, true, 0), &[0x00FF_0033]), [0.2, 0.0, 1.0, 0.0]);
        assert_eq!(floats(element(bytes, true, true, 0), &[0x8081_007F])[2..], [-1.0, -128.0 / 127.0]);
        assert_eq!(floats(element(bytes, true, true, 1), &[0x8081_007F])[2..], [-1.0, -1.0]);
        assert_eq!(floats(element(bytes, true, true, 2), &[0x8000_007F]), [1.0, 1.0 / 255.0, 1.0 / 255.0, -1.0]);
        assert_eq!(floats(element(ElementType::Colour, false, false, 0), &[0x0403_0201]), [3.0, 2.0, 1.0, 4.0]);
        let (three, halves) = (ElementType::of(8).unwrap(), ElementType::of(12).unwrap());
        assert_eq!(floats(element(three, false, false, 0), &[1 | 2 << 10 | 1023 << 20]), [1.0, 2.0, 1023.0, 1.0]);
        assert_eq!(
            floats(element(halves, false, false, 0), &[0x4000_3C00, 0x0000_0001]),
            [1.0, 2.0, 2f32.powi(-24), 0.0]
        );
        assert_eq!(floats(element(ElementType::Float(2), false, false, 0), &[0x4000_0000, ONE]), [2.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn indices_are_moved_then_clamped() {
        let window = IndexWindow { offset: -3, min: 1, max: 10 };
        assert_eq!([0, 3, 5, 200].map(|index| window.clamp(index)), [1, 1, 2, 10]);
        let far = IndexWindow { offset: -(1_615_959_458 & 0xFF_FFFF), min: 0, max: 10 };
        assert_eq!([1_615_959_458, 1_615_959_461].map(|index| far.clamp(index)), [0, 3]);
    }
}
