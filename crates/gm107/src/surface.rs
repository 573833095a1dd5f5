//! Surfaces in memory, row by row. What lies outside of their object reads 0 and is not written (decision D340).

use crate::layout::{CONTIGUOUS_BYTES, GOB_BYTES, GOB_ROWS, Layout};
use crate::objects::Objects;
use ctm_card::ObjectBytes;
use ctm_memory::Words;
use ctm_raster::channel::Words as PixelWords;
use std::ops::Range;

/// The bytes of a surface, from its address to the end of the object there.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a> {
    bytes: ObjectBytes<'a>,
    /// The same as words, if the address is that of one.
    words: Option<Words<'a>>,
    layout: Layout,
}

/// A rectangle of bytes: the part of some rows between two columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Bytes of each row.
    pub columns: Range<u64>,
    /// Rows.
    pub rows: Range<u64>,
    /// The slice.
    pub slice: u64,
}

impl<'a> Plane<'a> {
    /// A surface at an address.
    pub fn new(objects: &'a Objects, address: u64, layout: Layout) -> Self {
        Plane::of_bytes(objects.bytes(address), layout)
    }

    /// A surface that begins with the first of these bytes.
    pub fn of_bytes(bytes: ObjectBytes<'a>, layout: Layout) -> Self {
        Plane { bytes, words: bytes.words(), layout }
    }

    /// Whether it lies in an object.
    pub fn is_there(&self) -> bool {
        self.bytes.size() != 0
    }

    /// How its bytes lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its bytes.
    pub fn bytes(&self) -> &ObjectBytes<'a> {
        &self.bytes
    }

    /// Reads a part of a row from this byte of it on.
    pub fn read_row(&self, x: u64, y: u64, z: u64, bytes: &mut [u8]) {
        bytes.fill(0);
        self.segments(x, y, z, bytes.len(), |plane, offset, part| {
            let part = &mut bytes[part];
            match (plane.four(offset), <&mut [u8; 16]>::try_from(&mut *part)) {
                (Some(four), Ok(part)) => *part = bytes_of(four.get()),
                (Some(_) | None, _) => _ = plane.bytes.read_bytes(offset, part),
            }
        });
    }

    /// Writes a part of a row from this byte of it on.
    pub fn write_row(&self, x: u64, y: u64, z: u64, bytes: &[u8]) {
        self.segments(x, y, z, bytes.len(), |plane, offset, part| {
            let part = &bytes[part];
            match (plane.four(offset), <&[u8; 16]>::try_from(part)) {
                (Some(four), Ok(part)) => four.set(words_of(part)),
                (Some(_) | None, _) => _ = plane.bytes.write_bytes(offset, part),
            }
        });
    }

    /// The bytes of a row that lie in the object, as offsets there and places in the row's part.
    fn segments(&self, x: u64, y: u64, z: u64, count: usize, mut each: impl FnMut(&Self, u64, Range<usize>)) {
        let (row, size) = (self.layout.row(y, z), self.bytes.size());
        let mut place = 0;
        while place < count {
            let x = x.saturating_add(place as u64);
            let offset = row.saturating_add(self.layout.column(x));
            let length = usize::try_from(self.layout.contiguous(x)).unwrap_or(usize::MAX).min(count - place);
            let there = size.saturating_sub(offset).min(length as u64) as usize;
            if there > 0 {
                each(self, offset, place..place + there);
            }
            // Columns further on lie further behind.
            if offset >= size && x.is_multiple_of(GOB_BYTES) {
                return;
            }
            place += length;
        }
    }

    #[inline]
    fn four(&self, offset: u64) -> Option<ctm_memory::FourWords<'a>> {
        self.words.filter(|_| offset.is_multiple_of(4))?.four((offset / 4) as usize)
    }

    /// Replaces these bits of an area by those of a pattern, which is repeated from multiples of 16 bytes of a row on. Linear rows end where
    /// the next one begins.
    pub fn fill(&self, area: &Area, pattern: PixelWords, bits: PixelWords) {
        let row_end = match self.layout {
            Layout::Linear { pitch } => pitch.into(),
            Layout::Blocks(_) => u64::MAX,
        };
        let columns = area.columns.start..area.columns.end.min(row_end);
        let Area { columns, rows, slice } = self.reachable(&Area { columns, ..area.clone() });
        if let Layout::Linear { .. } = self.layout {
            rows.for_each(|y| self.fill_row(columns.clone(), y, slice, pattern, bits));
            return;
        }
        let whole_columns = columns.start.next_multiple_of(GOB_BYTES)..columns.end / GOB_BYTES * GOB_BYTES;
        let whole_rows = rows.start.next_multiple_of(GOB_ROWS)..rows.end / GOB_ROWS * GOB_ROWS;
        if whole_columns.is_empty() || whole_rows.is_empty() {
            rows.for_each(|y| self.fill_row(columns.clone(), y, slice, pattern, bits));
            return;
        }
        for y in (rows.start..whole_rows.start).chain(whole_rows.end..rows.end) {
            self.fill_row(columns.clone(), y, slice, pattern, bits);
        }
        for y in whole_rows.clone() {
            self.fill_row(columns.start..whole_columns.start, y, slice, pattern, bits);
            self.fill_row(whole_columns.end..columns.end, y, slice, pattern, bits);
        }
        for y in whole_rows.step_by(GOB_ROWS as usize) {
            let row = self.layout.row(y, slice);
            for x in whole_columns.clone().step_by(GOB_BYTES as usize) {
                self.fill_bytes(row.saturating_add(self.layout.column(x)), GOB_BYTES * GOB_ROWS, pattern, bits);
            }
        }
    }

    /// The part of an area that can lie in the object: what is behind need not take time.
    pub fn reachable(&self, area: &Area) -> Area {
        let size = self.bytes.size();
        let first = |mut range: Range<u64>, lies_behind: &dyn Fn(u64) -> bool| {
            // Offsets grow from each block to the next one.
            while range.start < range.end {
                let middle = range.start + (range.end - range.start) / 2;
                if lies_behind(middle) { range.end = middle } else { range.start = middle + 1 }
            }
            range.start
        };
        let rows = &area.rows;
        let end = first(rows.start..rows.end, &|y| self.layout.row(y / BLOCK_ROWS * BLOCK_ROWS, area.slice) >= size);
        let columns = &area.columns;
        let last = first(columns.start..columns.end, &|x| self.layout.column(x / GOB_BYTES * GOB_BYTES) >= size);
        Area { columns: columns.start..last, rows: rows.start..end, slice: area.slice }
    }

    fn fill_row(&self, columns: Range<u64>, y: u64, z: u64, pattern: PixelWords, bits: PixelWords) {
        let row = self.layout.row(y, z);
        let mut x = columns.start;
        while x < columns.end {
            let length = self.layout.contiguous(x).min(columns.end - x);
            let offset = row.saturating_add(self.layout.column(x));
            let phase = (x % CONTIGUOUS_BYTES) as u32;
            self.fill_bytes(offset, length, rotated(pattern, phase), rotated(bits, phase));
            if offset >= self.bytes.size() {
                return;
            }
            x += length;
        }
    }

    /// Replaces bits of bytes that lie together.
    fn fill_bytes(&self, offset: u64, length: u64, pattern: PixelWords, bits: PixelWords) {
        let there = self.bytes.size().saturating_sub(offset).min(length);
        let is_one_word = [pattern, bits].iter().all(|words| words.iter().all(|&word| word == words[0]));
        if let Some(words) = self.words.filter(|_| offset.is_multiple_of(4)) {
            let whole = there / CONTIGUOUS_BYTES;
            if is_one_word {
                self.bytes.fill_words(offset, (4 * whole) as u32, pattern[0], bits[0]);
            } else {
                let fours = (0..whole).filter_map(|n| words.four((offset / 4 + 4 * n) as usize));
                fours.for_each(|four| four.set(replaced(four.get(), pattern, bits)));
            }
            self.fill_rest(offset + CONTIGUOUS_BYTES * whole, there % CONTIGUOUS_BYTES, pattern, bits);
            return;
        }
        for start in (0..there).step_by(CONTIGUOUS_BYTES as usize) {
            self.fill_rest(offset + start, (there - start).min(CONTIGUOUS_BYTES), pattern, bits);
        }
    }

    /// The same of at most 16 bytes.
    fn fill_rest(&self, offset: u64, length: u64, pattern: PixelWords, bits: PixelWords) {
        let mut stored = [0; CONTIGUOUS_BYTES as usize];
        let part = &mut stored[..length as usize];
        if length != 0 && self.bytes.read_bytes(offset, part) {
            let (pattern, bits) = (bytes_of(pattern), bytes_of(bits));
            for (byte, (pattern, bits)) in part.iter_mut().zip(pattern.into_iter().zip(bits)) {
                *byte = *byte & !bits | pattern & bits;
            }
            self.bytes.write_bytes(offset, part);
        }
    }
}

/// Rows of the highest block.
const BLOCK_ROWS: u64 = GOB_ROWS << 5;

/// Bytes of so many rows in so many slices, about: no byte lies behind.
pub fn extent(layout: &Layout, rows: u64, slices: u64) -> u64 {
    match layout {
        Layout::Linear { pitch } => rows.saturating_mul((*pitch).into()),
        Layout::Blocks(blocks) => blocks.bytes(slices),
    }
}

/// Words with some bits replaced.
fn replaced(stored: PixelWords, pattern: PixelWords, bits: PixelWords) -> PixelWords {
    std::array::from_fn(|n| stored[n] & !bits[n] | pattern[n] & bits[n])
}

fn bytes_of(words: PixelWords) -> [u8; 16] {
    u128_of(words).to_le_bytes()
}

fn words_of(bytes: &[u8; 16]) -> PixelWords {
    let all = u128::from_le_bytes(*bytes);
    std::array::from_fn(|n| (all >> (32 * n)) as u32)
}

fn u128_of(words: PixelWords) -> u128 {
    words.iter().rev().fold(0, |all, &word| all << 32 | u128::from(word))
}

/// The words that begin with this byte of 16, and go round.
fn rotated(words: PixelWords, byte: u32) -> PixelWords {
    words_of(&u128_of(words).rotate_right(8 * byte).to_le_bytes())
}

/// The words of 16 bytes that repeat a pixel of 1, 2, 4, 8 or 16 bytes.
pub fn repeated(words: PixelWords, bytes: u32) -> PixelWords {
    let mut all = u128_of(words);
    if bytes < 16 {
        all &= (1 << (8 * bytes)) - 1;
    }
    let mut filled = bytes;
    while filled < 16 {
        all |= all << (8 * filled);
        filled *= 2;
    }
    words_of(&all.to_le_bytes())
}

/// A pixel of so many bytes, the first of these.
pub fn pixel(bytes: &[u8]) -> PixelWords {
    let mut all = [0; 16];
    let length = bytes.len().min(16);
    all[..length].copy_from_slice(&bytes[..length]);
    words_of(&all)
}

/// Stores a pixel in these bytes, as many as it has.
pub fn set_pixel(bytes: &mut [u8], words: PixelWords) {
    let length = bytes.len().min(16);
    bytes[..length].copy_from_slice(&bytes_of(words)[..length]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::BlockLayout;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use std::sync::Arc;

    const SIZE: u32 = 0x1_0000;

    fn objects(bytes: u32) -> Objects {
        let memory = Arc::new(Arena::new(0x1_0000, SIZE).unwrap());
        Objects::new(&memory, &[Object { address: 0x1_0000, size: bytes }])
    }

    fn any_layout(u: &mut ctm_cases::Unstructured) -> ctm_cases::Result<Layout> {
        Ok(match u.arbitrary()? {
            true => Layout::Linear { pitch: u.int_in_range(1..=400)? },
            false => {
                let (h, d) = (u.int_in_range(0..=3)?, u.int_in_range(0..=1)?);
                Layout::Blocks(BlockLayout::new(u.int_in_range(1..=400)?, u.int_in_range(1..=80)?, h, d))
            }
        })
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        ctm_cases::check(500, |u| {
            let objects = objects(u.int_in_range(1..=SIZE)?);
            let plane = Plane::new(&objects, 0x1_0000 + u.int_in_range(0..=64u64)?, any_layout(u)?);
            let [x, y, z]: [u64; 3] = [u.int_in_range(0..=300)?, u.int_in_range(0..=60)?, u.int_in_range(0..=1)?];
            let written: Vec<u8> = (0..u.int_in_range(0..=100)?).map(|n| n as u8 + 1).collect();
            plane.write_row(x, y, z, &written);
            let mut read = vec![9; written.len()];
            plane.read_row(x, y, z, &mut read);
            for (n, (&read, &written)) in read.iter().zip(&written).enumerate() {
                let offset = plane.layout().offset(x + n as u64, y, z);
                let expected = if offset < plane.bytes().size() { written } else { 0 };
                assert_eq!(read, expected, "{plane:?} {x} {y} {z} {n}");
            }
            Ok(())
        });
    }

    #[test]
    fn areas_are_filled_as_byte_by_byte() {
        ctm_cases::check(500, |u| {
            let objects = objects(u.int_in_range(1..=SIZE)?);
            // Linear surfaces lie anywhere, those in blocks where a block can.
            let layout = any_layout(u)?;
            let base = if u.arbitrary()? { 0 } else { 512 };
            let plane = Plane::new(&objects, 0x1_0000 + base, layout);
            let row_end = if let Layout::Linear { pitch } = layout { pitch.into() } else { u64::MAX };
            let [x, y]: [u64; 2] = [u.int_in_range(0..=150)?, u.int_in_range(0..=40)?];
            let [w, h]: [u64; 2] = [u.int_in_range(0..=250)?, u.int_in_range(0..=40)?];
            let area = Area { columns: x..x + w, rows: y..y + h, slice: u.int_in_range(0..=1)? };
            let pattern: [u32; 4] = if u.arbitrary()? { [u.arbitrary()?; 4] } else { u.arbitrary()? };
            let bits = *u.choose(&[[u32::MAX; 4], [0x00FF_00FF; 4], [u32::MAX, 0, 0xFF, 0xFF00_0000]])?;
            let size = SIZE as usize;
            let mut expected = vec![0x5A; size];
            let memory = objects.memory();
            memory.write_bytes(0x1_0000, &expected);
            plane.fill(&area, pattern, bits);
            for y in area.rows.clone() {
                for x in area.columns.clone().filter(|&x| x < row_end) {
                    let offset = layout.offset(x, y, area.slice);
                    if offset < plane.bytes().size() {
                        let (pattern, bits) = (bytes_of(pattern), bytes_of(bits));
                        let (pattern, bits) = (pattern[(x % 16) as usize], bits[(x % 16) as usize]);
                        let byte: &mut u8 = &mut expected[(base + offset) as usize];
                        *byte = *byte & !bits | pattern & bits;
                    }
                }
            }
            let mut found = vec![0; size];
            memory.read_bytes(0x1_0000, &mut found);
            assert_eq!(found.iter().zip(&expected).position(|(a, b)| a != b), None, "{plane:?} {area:?}");
            Ok(())
        });
    }

    #[test]
    fn wild_areas_take_no_time() {
        let objects = objects(SIZE);
        for layout in [
            Layout::Blocks(BlockLayout::new(u64::from(u32::MAX) * 16, 0xFFFF, 4, 0)),
            Layout::Linear { pitch: 0x7FFF_0000 },
            Layout::Linear { pitch: u32::MAX },
        ] {
            let plane = Plane::new(&objects, 0x1_0000, layout);
            let area = Area { columns: 0..u64::from(u32::MAX) * 16, rows: 0..u64::from(u32::MAX), slice: 0x3DFF };
            plane.fill(&area, [1; 4], [u32::MAX; 4]);
        }
        assert!(!Plane::new(&objects, 5, Layout::Linear { pitch: 4 }).is_there());
    }

    #[test]
    fn pixels_are_repeated() {
        assert_eq!(repeated([0xAABB_CC12, 7, 7, 7], 1), [0x1212_1212; 4]);
        assert_eq!(repeated([0xAABB_1234, 7, 7, 7], 2), [0x1234_1234; 4]);
        assert_eq!(repeated([1, 2, 7, 7], 8), [1, 2, 1, 2]);
        assert_eq!(repeated([1, 2, 3, 4], 16), [1, 2, 3, 4]);
        assert_eq!(rotated([0x0302_0100, 0x0706_0504, 0x0B0A_0908, 0x0F0E_0D0C], 5)[0], 0x0807_0605);
        let mut bytes = [9; 3];
        set_pixel(&mut bytes, pixel(&[1, 2, 3, 4, 5]));
        assert_eq!(bytes, [1, 2, 3]);
    }
}
