//! Streamout: what vertex programs write to buffers, primitive by primitive.

use super::assemble::Primitive;
use crate::registers::{
    RegisterFile, VgtStrmoutBufferBase, VgtStrmoutBufferEn, VgtStrmoutBufferSize, VgtStrmoutEn, VgtStrmoutVtxStride,
};
use crate::state::{STREAMOUT_BUFFERS, State};
use ctm_card::{Object, ObjectBytes};
use ctm_memory::Arena;

/// A buffer that vertices are written to.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Its number.
    pub number: usize,
    /// Dwords of a vertex.
    pub stride: u32,
    /// Dwords from the beginning of the object to the end of the range.
    size: u32,
    /// Byte offset of the buffer in its object.
    offset: u64,
    object: Object,
}

/// What programs wrote to a buffer: a record for each vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// Dwords of a record.
    stride: usize,
    words: Vec<u32>,
    /// Which of these were written.
    written: Vec<bool>,
}

impl Records {
    /// Adds records of so many dwords, and which dwords of these were written.
    pub fn add(&mut self, stride: u32, words: &[u32], written: &[bool]) {
        self.stride = stride as usize;
        self.words.extend_from_slice(words);
        self.written.extend_from_slice(written);
    }

    /// The dwords that were written of a record, and what was written.
    fn of(&self, vertex: usize) -> impl Iterator<Item = (usize, u32)> {
        let range = vertex * self.stride..(vertex + 1) * self.stride;
        let words = self.words.get(range.clone()).unwrap_or_default();
        let written = self.written.get(range).unwrap_or_default();
        words.iter().zip(written).enumerate().filter_map(|(n, (&word, &written))| written.then_some((n, word)))
    }
}

/// The buffers that are written to; `None` if streamout is off.
pub fn buffers(registers: &RegisterFile) -> Option<Vec<Buffer>> {
    if !registers.get::<VgtStrmoutEn>().enable {
        return None;
    }
    let enabled = registers.get::<VgtStrmoutBufferEn>();
    let enabled = [enabled.buffer_0_en, enabled.buffer_1_en, enabled.buffer_2_en, enabled.buffer_3_en];
    let buffer = |number: usize| {
        let binding = registers.binding::<VgtStrmoutBufferBase>(number as u32)?;
        Some(Buffer {
            number,
            stride: registers.at::<VgtStrmoutVtxStride>(number as u32).value,
            size: registers.at::<VgtStrmoutBufferSize>(number as u32).value,
            offset: u64::from(binding.value) << 8,
            object: binding.object,
        })
    };
    Some((0..STREAMOUT_BUFFERS).filter(|&number| enabled[number]).filter_map(buffer).collect())
}

/// Writes the primitives that fit into all buffers, and counts them. `records` are those of each buffer.
pub fn write(state: &mut State, memory: &Arena, buffers: &[Buffer], records: &[Records], primitives: &[Primitive]) {
    let mut full = false;
    for primitive in primitives {
        let vertices = primitive.form.vertices();
        let fits = |buffer: &Buffer| {
            let end = u64::from(state.filled[buffer.number]) + vertices.len() as u64 * u64::from(buffer.stride);
            end <= buffer.size.into()
        };
        // After one that does not fit none is written.
        full |= !buffers.iter().all(fits);
        if !state.counters.stopped {
            state.counters.needed += 1;
            state.counters.written += u64::from(!full && !buffers.is_empty());
        }
        if full {
            continue;
        }
        for (buffer, records) in buffers.iter().zip(records) {
            let object = ObjectBytes::new(memory, buffer.object, 0);
            for &vertex in vertices {
                let filled = &mut state.filled[buffer.number];
                for (dword, value) in records.of(vertex) {
                    let offset = buffer.offset + 4 * (u64::from(*filled) + dword as u64);
                    object.write(offset, 4, [value, 0, 0, 0]);
                }
                *filled += buffer.stride;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::assemble::Assembly;
    use super::*;
    use crate::registers::codes::PrimitiveType;

    #[test]
    fn primitives_that_do_not_fit_are_counted_and_not_written() {
        let memory = Arena::new(0x1000, 0x1000).unwrap();
        let object = Object { address: 0x1000, size: 0x200 };
        let mut state = State::default();
        state.filled[1] = 1;
        let buffer = Buffer { number: 1, stride: 2, size: 13, offset: 0x100, object };
        let mut records = Records::default();
        records.add(2, &[1, 9, 2, 9, 3, 9, 4, 9], &[true, false].repeat(4));
        let records = [records];
        let assembly = Assembly::new(PrimitiveType(6), 4, true).unwrap();
        let triangles: Vec<_> = (0..assembly.len()).map(|n| assembly.get(n)).collect();
        write(&mut state, &memory, &[buffer], &records, &triangles);
        assert_eq!((state.filled[1], state.counters.needed, state.counters.written), (13, 2, 2));
        let stored = |dword: u32| memory.read_u32(0x1100 + 4 * dword).unwrap();
        assert_eq!([1, 2, 3, 5, 7, 9, 11].map(stored), [1, 0, 2, 3, 3, 2, 4], "the odd triangle is turned");
        write(&mut state, &memory, &[buffer], &records, &triangles);
        assert_eq!((state.filled[1], state.counters.needed, state.counters.written), (13, 4, 2));
    }
}
