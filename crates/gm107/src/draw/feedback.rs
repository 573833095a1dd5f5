//! Transform feedback: what of primitives is written to memory (decision D323).

use crate::methods::{
    TfbAddressHigh, TfbBufferEnable, TfbBufferSize, TfbBufferStride, TfbEnable, TfbStream, TfbVaryingCount,
    TfbVaryingLocs,
};
use crate::objects::Objects;
use crate::state::{FEEDBACK_BUFFERS, Methods};
use ctm_card::register::RegisterType;
use ctm_sm50::pipeline::Assembled;

/// Methods of the words of a buffer.
const LOCS_OF_BUFFER: u32 = 32;
/// A place that keeps what it has.
const LEFT_ALONE: u8 = 0xFF;

/// A buffer that vertices are written to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FeedbackBuffer {
    number: usize,
    stream: u8,
    address: u64,
    size: u32,
    stride: u32,
    /// For each word of a vertex the attribute that it has.
    words: Vec<Option<u32>>,
}

/// Where primitives are written to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    buffers: Vec<FeedbackBuffer>,
    /// Where writing goes on in each buffer.
    offsets: [u32; FEEDBACK_BUFFERS],
    /// A primitive of the stream did not fit: no more of the draw are written.
    is_full: [bool; 4],
}

impl Feedback {
    /// What the methods say, with buffers filled so far; `None` if nothing is written.
    pub fn new(methods: &Methods, offsets: [u32; FEEDBACK_BUFFERS]) -> Option<Self> {
        if !methods.get::<TfbEnable>().enable {
            return None;
        }
        let buffers = (0..FEEDBACK_BUFFERS as u32).filter_map(|number| FeedbackBuffer::of(methods, number)).collect();
        Some(Feedback { buffers, offsets, is_full: [false; 4] })
    }

    /// Where writing goes on in each buffer.
    pub fn offsets(&self) -> [u32; FEEDBACK_BUFFERS] {
        self.offsets
    }

    /// Writes primitives of a stream; gives how many. Those of streams without a buffer count as written.
    pub fn write(&mut self, objects: &Objects, assembled: &Assembled) -> u64 {
        let Feedback { buffers, offsets, is_full } = self;
        let of_stream = || buffers.iter().filter(|buffer| buffer.stream == assembled.stream);
        let Some(is_full) = is_full.get_mut(usize::from(assembled.stream)) else { return 0 };
        let vertices = u64::from(assembled.shape.vertices());
        let mut written = 0;
        let mut bytes = Vec::new();
        for primitive in assembled.primitives() {
            let fits = |buffer: &FeedbackBuffer| {
                u64::from(offsets[buffer.number]) + vertices * u64::from(buffer.stride) <= u64::from(buffer.size)
            };
            *is_full |= !of_stream().all(fits);
            if *is_full {
                break;
            }
            for buffer in of_stream() {
                for &record in primitive {
                    let offset = &mut offsets[buffer.number];
                    let address = buffer.address.wrapping_add((*offset).into());
                    let word = |attribute: u32| assembled.records.get(record, attribute);
                    buffer.write(objects, address, word, &mut bytes);
                    *offset += buffer.stride;
                }
            }
            written += 1;
        }
        written
    }
}

impl FeedbackBuffer {
    fn of(methods: &Methods, number: u32) -> Option<Self> {
        let count = u32::from(methods.at::<TfbVaryingCount>(number).count);
        if !methods.at::<TfbBufferEnable>(number).enable || count == 0 {
            return None;
        }
        let word = |n: u32| {
            let locs: TfbVaryingLocs = methods.at(number * LOCS_OF_BUFFER + n / 4);
            let loc = [locs.loc0, locs.loc1, locs.loc2, locs.loc3][(n % 4) as usize];
            (loc != LEFT_ALONE).then(|| 4 * u32::from(loc))
        };
        Some(FeedbackBuffer {
            number: number as usize,
            stream: methods.at::<TfbStream>(number).stream,
            address: methods.address(TfbAddressHigh::ADDRESS + number * TfbAddressHigh::STRIDE),
            size: methods.at::<TfbBufferSize>(number).bytes,
            stride: methods.at::<TfbBufferStride>(number).bytes,
            words: (0..count.min(4 * LOCS_OF_BUFFER)).map(word).collect(),
        })
    }

    /// Writes a vertex.
    fn write(&self, objects: &Objects, address: u64, word: impl Fn(u32) -> u32, bytes: &mut Vec<u8>) {
        let mut first = 0;
        // Words in a row.
        while let Some(start) = self.words[first..].iter().position(Option::is_some) {
            first += start;
            bytes.clear();
            let row = self.words[first..].iter().map_while(|attribute| *attribute);
            row.for_each(|attribute| bytes.extend(word(attribute).to_le_bytes()));
            objects.write(address.wrapping_add(4 * first as u64), bytes);
            first += bytes.len() / 4;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::TfbAddressLow;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use ctm_sm50::attributes::{Records, Slots};
    use ctm_sm50::pipeline::Shape;
    use std::sync::Arc;

    const BASE: u32 = 0x1_0000;

    /// Buffer 0: position.x, nothing, position.y; buffer 2: position.z, 20 bytes apart.
    fn methods() -> Methods {
        let mut methods = Methods::default();
        methods.write(TfbEnable::ADDRESS, 1);
        for (buffer, address, size, count, stride, locs) in
            [(0, BASE, 0x30, 3, 12, 0x001D_FF1C), (2, BASE + 0x100, 0x100, 1, 20, 0x1E)]
        {
            methods.write(TfbBufferEnable::ADDRESS + buffer * TfbBufferEnable::STRIDE, 1);
            methods.write(TfbAddressLow::ADDRESS + buffer * TfbAddressLow::STRIDE, address);
            methods.write(TfbBufferSize::ADDRESS + buffer * TfbBufferSize::STRIDE, size);
            methods.write(TfbVaryingCount::ADDRESS + buffer * TfbVaryingCount::STRIDE, count);
            methods.write(TfbBufferStride::ADDRESS + buffer * TfbBufferStride::STRIDE, stride);
            methods.write(TfbVaryingLocs::ADDRESS + 128 * buffer, locs);
        }
        methods
    }

    fn write(feedback: &mut Feedback, objects: &Objects, shape: Shape, stream: u8, vertices: &[u32]) -> u64 {
        let records = Records::new(Slots::of(&[0x70, 0x74, 0x78].into_iter().collect()), 4).unwrap();
        for record in 0..4 {
            (0..3).for_each(|n| records.view().set(record, 0x70 + 4 * n, 10 * record + n + 1));
        }
        let assembled =
            Assembled { shape, stream, records: records.view(), vertices, ids: &[], provoking: 0, outlines: &[] };
        feedback.write(objects, &assembled)
    }

    #[test]
    fn primitives_are_written_until_one_does_not_fit() {
        let memory = Arc::new(Arena::new(BASE, 0x1000).unwrap());
        memory.fill_words(BASE, 0x100, 99, u32::MAX);
        let objects = Objects::new(&memory, &[Object { address: BASE, size: 0x1000 }]);
        let mut feedback = Feedback::new(&methods(), [0; 4]).unwrap();
        assert_eq!(write(&mut feedback, &objects, Shape::Triangle, 0, &[0, 1, 2, 1, 2, 3]), 1, "six do not fit");
        let mut words = [0; 10];
        memory.read_words(BASE, &mut words);
        assert_eq!(words, [1, 99, 2, 11, 99, 12, 21, 99, 22, 99]);
        let others = [0, 20, 40, 60].map(|offset| memory.read_u32(BASE + 0x100 + offset));
        assert_eq!((others, feedback.offsets()), ([3, 13, 23, 99].map(Some), [36, 0, 60, 0]));
        assert_eq!(write(&mut feedback, &objects, Shape::Point, 0, &[0]), 0, "though it would fit");
        // The next draw goes on there.
        let mut next = Feedback::new(&methods(), feedback.offsets()).unwrap();
        assert_eq!(write(&mut next, &objects, Shape::Point, 0, &[3, 3]), 1);
        assert_eq!(next.offsets(), [48, 0, 80, 0]);
    }

    #[test]
    fn streams_have_their_buffers() {
        let memory = Arc::new(Arena::new(BASE, 0x1000).unwrap());
        let objects = Objects::new(&memory, &[Object { address: BASE, size: 0x1000 }]);
        let mut methods = methods();
        methods.write(TfbStream::ADDRESS + 2 * TfbStream::STRIDE, 1);
        let mut feedback = Feedback::new(&methods, [0; 4]).unwrap();
        let written = [0, 1, 2].map(|stream| write(&mut feedback, &objects, Shape::Point, stream, &[0, 1]));
        assert_eq!((written, feedback.offsets()), ([2, 2, 2], [24, 0, 40, 0]));
        assert_eq!(write(&mut feedback, &objects, Shape::Line, 0, &[0, 1, 2, 3]), 1);
        assert_eq!(write(&mut feedback, &objects, Shape::Point, 1, &[0]), 1, "the other stream has space");
        methods.write(TfbEnable::ADDRESS, 0);
        assert_eq!(Feedback::new(&methods, [0; 4]), None);
    }
}
