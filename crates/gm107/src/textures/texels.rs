//! Texels in the card's memory.

use super::format::{Format, Stored};
use super::levels::{Level, Storage};
use crate::layout::Layout;
use crate::surface::Plane;
use ctm_card::{Object, ObjectBytes};
use ctm_memory::Arena;
use ctm_sm50::textures::StoredTexels;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The texels of a texture where they are in memory. What lies outside of its object reads 0 (decision D340).
pub struct MemoryTexels {
    pub memory: Arc<Arena>,
    /// The addresses of the object.
    pub object: Range<u64>,
    /// Where the first texel is.
    pub address: u64,
    pub format: Format,
    pub storage: Storage,
    /// How samples lie, of a texture that has several for each texel.
    pub samples: Option<Samples>,
}

/// How the samples of a texture lie whose sizes count texels (decision D329).
pub struct Samples {
    /// log2 of the samples beside each other, and below each other.
    pub grid: [u32; 2],
    pub storage: Storage,
}

/// log2 of the samples of a pixel beside each other, and below each other.
pub const fn sample_grid(samples: u32) -> [u32; 2] {
    match samples {
        2 => [1, 0],
        4 => [1, 1],
        8 => [2, 1],
        _ => [0, 0],
    }
}

/// Where a sample lies among those of its pixel.
pub const fn sample_place(sample: u32) -> [u32; 2] {
    [sample & 1 | sample >> 1 & 2, sample >> 1 & 1]
}

impl fmt::Debug for MemoryTexels {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("MemoryTexels").field("address", &self.address).field("format", &self.format).finish()
    }
}

impl MemoryTexels {
    /// The stored texel or block so far from the first one.
    fn stored(&self, offset: u64) -> Stored {
        let [_, _, bytes] = self.format.block();
        let mut stored = [0; 4];
        let Some(address) = self.address.checked_add(offset) else { return stored };
        if address < self.object.start || address.saturating_add(bytes.into()) > self.object.end {
            return stored;
        }
        // Objects are in memory, whose addresses have 32 bits.
        let address = address as u32;
        let memory = &self.memory;
        match bytes {
            1 => stored[0] = memory.read_u8(address).unwrap_or(0).into(),
            2 => stored[0] = memory.read_u16(address).unwrap_or(0).into(),
            4 => stored[0] = memory.read_u32(address).unwrap_or(0),
            _ if address.is_multiple_of(4) => _ = memory.read_words(address, &mut stored[..bytes as usize / 4]),
            _ => {
                let mut buffer = [0; 16];
                memory.read_bytes(address, &mut buffer[..bytes as usize]);
                stored
                    .iter_mut()
                    .zip(buffer.as_chunks::<4>().0)
                    .for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
            }
        }
        stored
    }
}

impl MemoryTexels {
    /// The bytes of a layer of a level, and the slice that it is; `None` of buffers, and where texels may be cut by the end of the object.
    fn plane(&self, level: u32, layer: u32) -> Option<(Plane<'_>, u64)> {
        let [_, _, bytes] = self.format.block();
        let Range { start, end } = self.object;
        let pitch = if let Storage::Rows(pitch) = self.storage { pitch } else { 0 };
        let is_whole = [self.address, end, pitch].iter().all(|place| place.is_multiple_of(bytes.into()));
        let object = Object { address: u32::try_from(start).ok()?, size: u32::try_from(end - start).ok()? };
        let (begin, layout, slice) = match &self.storage {
            Storage::Rows(0) => return None,
            Storage::Rows(pitch) => (0, Layout::Linear { pitch: u32::try_from(*pitch).ok()? }, 0),
            Storage::Blocks { levels, layer_stride } => {
                let Level { begin, blocks } = *levels.get(level as usize)?;
                let (layer, slice) = if *layer_stride == 0 { (0, layer.into()) } else { (layer.into(), 0) };
                (begin + u64::saturating_mul(layer, *layer_stride), Layout::Blocks(blocks), slice)
            }
        };
        let first = self.address.checked_sub(start)?.checked_add(begin)?;
        let bytes = ObjectBytes::new(&self.memory, object, 0).from(first);
        is_whole.then(|| (Plane::of_bytes(bytes, layout), slice))
    }
}

impl StoredTexels for MemoryTexels {
    fn texel(&self, level: u32, layer: u32, x: u32, y: u32) -> [u32; 4] {
        let [columns, rows, bytes] = self.format.block();
        let place = [u64::from(x / columns) * u64::from(bytes), u64::from(y / rows)];
        let stored = match self.storage {
            // Buffers are wider than any row.
            Storage::Rows(0) => self.stored(place[0]),
            Storage::Rows(_) | Storage::Blocks { .. } => self.stored(self.storage.offset(level, layer, place)),
        };
        self.format.decode(&stored, x, y)
    }

    fn sample(&self, layer: u32, x: u32, y: u32, sample: u32) -> [u32; 4] {
        let Some(Samples { grid, storage }) = &self.samples else { return self.texel(0, layer, x, y) };
        let [_, _, bytes] = self.format.block();
        let [right, down] = sample_place(sample);
        let [x, y] =
            [(x, grid[0], right), (y, grid[1], down)].map(|(at, log2, part)| (u64::from(at) << log2) + u64::from(part));
        let place = [x * u64::from(bytes), y];
        self.format.decode(&self.stored(storage.offset(0, layer, place)), 0, 0)
    }

    fn slice(&self, level: u32, layer: u32, [width, height]: [u32; 2], each: &mut dyn FnMut(&[u32])) {
        let rows = self.format.rows().zip(self.plane(level, layer));
        let (mut values, mut words) = (Vec::new(), Vec::new());
        let mut row = rows.as_ref().map_or_else(Vec::new, |(rows, _)| vec![0; width as usize * rows.bytes()]);
        for y in 0..height {
            words.clear();
            match &rows {
                Some((rows, (plane, slice))) => {
                    plane.read_row(0, y.into(), *slice, &mut row);
                    rows.decode(&row, &mut values, &mut words);
                }
                None => (0..width).for_each(|x| words.extend(self.texel(level, layer, x, y))),
            }
            each(&words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::textures::header::{ComponentSource, ComponentType, HeaderType, HeaderVersion, TextureHeader};

    fn texels(header: &TextureHeader, address: u64) -> MemoryTexels {
        let memory = Arena::new(0x1_0000, 0x1_0000).unwrap();
        for word in 0..0x4000 {
            memory.write_u32(0x1_0000 + 4 * word, 4 * word);
        }
        let format = Format::of(header, true).unwrap();
        let storage = Storage::of(header, format.block(), [0, 0]).unwrap();
        let grid = sample_grid(header.samples());
        let samples = Samples { grid, storage: Storage::of(header, format.block(), grid).unwrap() };
        let object = 0x1_0000..0x1_F000;
        MemoryTexels { memory: Arc::new(memory), object, address, format, storage, samples: Some(samples) }
    }

    fn header(version: HeaderVersion) -> TextureHeader {
        TextureHeader {
            sizes: 0x0F,
            types: [ComponentType::Uint; 4],
            sources: [ComponentSource::R, ComponentSource::Zero, ComponentSource::Zero, ComponentSource::IntegerOne],
            version,
            kind: HeaderType::D2,
            width: 19,
            height: 19,
            ..TextureHeader::default()
        }
    }

    #[test]
    fn texels_are_where_they_are() {
        let blocks = texels(&header(HeaderVersion::Blocks), 0x1_0100);
        assert_eq!(blocks.texel(0, 0, 4, 1), [0x100 + 32 + 16, 0, 0, 1]);
        assert_eq!(blocks.texel(0, 0, 16, 8)[0], 0x100 + 1024 + 512);
        let rows = texels(&TextureHeader { layout: 4, ..header(HeaderVersion::Pitch) }, 0x1_0100);
        assert_eq!(rows.texel(0, 0, 3, 2), [0x100 + 2 * 128 + 12, 0, 0, 1]);
        let buffer = texels(&header(HeaderVersion::Buffer), 0x1_0100);
        assert_eq!(buffer.texel(0, 0, 9, 0)[0], 0x100 + 36);
        assert_eq!(buffer.texel(0, 0, u32::MAX, 0)[0], 0, "outside of the object");
        let near_the_end = texels(&header(HeaderVersion::Buffer), 0x1_EFFC);
        assert_eq!([0, 1].map(|x| near_the_end.texel(0, 0, x, 0)[0]), [0xEFFC, 0]);
    }

    #[test]
    fn slices_have_all_texels() {
        let types = [ComponentType::Unorm, ComponentType::Snorm, ComponentType::Float, ComponentType::Uint];
        let depth = [ComponentSource::G, ComponentSource::R, ComponentSource::FloatOne, ComponentSource::A];
        let plain = [ComponentSource::R, ComponentSource::G, ComponentSource::B, ComponentSource::A];
        let rows = TextureHeader { layout: 4, ..header(HeaderVersion::Pitch) };
        for (sizes, types, sources) in (0..0x40)
            .flat_map(|sizes| types.map(|of| (sizes, [of; 4])))
            .flat_map(|(sizes, types)| [depth, plain].map(|sources| (sizes, types, sources)))
        {
            for header in [header(HeaderVersion::Blocks), rows, header(HeaderVersion::Buffer)] {
                let header = TextureHeader { sizes, types, sources, srgb: sizes & 1 == 0, ..header };
                if Format::of(&header, true).is_none() {
                    continue;
                }
                for address in [0x1_0200, 0x1_EC00, 0x1_EFF4] {
                    let texels = texels(&header, address);
                    let mut expected = Vec::new();
                    for (y, x) in (0..20).flat_map(|y| (0..20).map(move |x| (y, x))) {
                        expected.extend(texels.texel(0, 0, x, y));
                    }
                    let mut found: Vec<u32> = Vec::new();
                    texels.slice(0, 0, [20, 20], &mut |row| found.extend(row));
                    assert!(found == expected, "{sizes:#x} {types:?} {sources:?} {address:#x}");
                }
            }
        }
    }

    #[test]
    fn samples_lie_in_their_pixels() {
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 7].map(sample_place),
            [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [3, 0], [2, 1], [3, 1]]
        );
        let four = texels(&TextureHeader { samples: 2, ..header(HeaderVersion::Blocks) }, 0x1_0000);
        // Pixel (1, 0) begins in column 2; sample 2 is in the row below.
        assert_eq!(four.sample(0, 1, 0, 2), [16 + 8, 0, 0, 1]);
    }
}
