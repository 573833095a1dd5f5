//! Where the levels of a texture lie. The card is given the places of the first and of the second one; the others follow.
//!
//! Source: libdrm's `radeon_surface.c`, which allocates them.

use crate::layout::{Granule, Layout};
use crate::registers::codes::ArrayMode;
use crate::resources::{Dimensions, TextureResource};

/// Slices that are allocated for a cube.
const CUBE_SLICES: u32 = 8;
/// Levels that there are at most.
const MAX_LEVELS: u8 = 13;

/// One level. An element is a texel, or a compressed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// How its elements lie.
    pub layout: Layout,
    /// Bytes from the place of the first level, or for others from that of the second.
    pub begin: u64,
    /// Texels across, down and deep: at least 1.
    pub size: [u32; 3],
    /// Bytes of all of its slices.
    pub bytes: u64,
}

impl TextureResource {
    /// Samples of a texel.
    pub fn samples(&self) -> u32 {
        match self.dimensions {
            Dimensions::TwoSamples | Dimensions::TwoArraySamples => 1 << self.last_level.min(3),
            Dimensions::One
            | Dimensions::Two
            | Dimensions::Three
            | Dimensions::Cube
            | Dimensions::OneArray
            | Dimensions::TwoArray => 1,
        }
    }

    /// Texels of the first level across, down and deep.
    fn size(&self) -> [u32; 3] {
        let [width, height, depth] = [self.width, self.height, self.depth].map(|last| u32::from(last) + 1);
        match self.dimensions {
            Dimensions::One | Dimensions::OneArray => [width, 1, 1],
            Dimensions::Three => [width, height, depth],
            Dimensions::Two
            | Dimensions::Cube
            | Dimensions::TwoArray
            | Dimensions::TwoSamples
            | Dimensions::TwoArraySamples => [width, height, 1],
        }
    }

    /// Slices of a level that are allocated, but those of its depth.
    fn slices(&self) -> u32 {
        match self.dimensions {
            Dimensions::Cube => CUBE_SLICES,
            Dimensions::OneArray | Dimensions::TwoArray | Dimensions::TwoArraySamples => {
                (u32::from(self.depth) + 1).next_power_of_two()
            }
            Dimensions::One | Dimensions::Two | Dimensions::Three | Dimensions::TwoSamples => 1,
        }
    }
}

/// The levels of a texture whose elements are blocks of so many texels and bytes, finest first; `None` for orders and elements that no
/// driver uses.
pub fn levels(texture: &TextureResource, (width, height, bytes): (u32, u32, u32)) -> Option<Vec<Level>> {
    let samples = texture.samples();
    let last = if samples > 1 { 0 } else { texture.last_level.min(MAX_LEVELS) };
    let full = texture.size();
    let mut mode = texture.tile_mode;
    let mut begin = 0;
    let mut levels = Vec::new();
    for number in 0..=last {
        let size = full.map(|size| (size >> number).max(1));
        let granule = Granule::new(mode, bytes, samples)?;
        let (granule, columns, rows, deep) = if number == 0 {
            let pitch = (u32::from(texture.pitch) + 1) * 8 / width;
            (granule, pitch, size[1].div_ceil(height), size[2])
        } else {
            // Sizes of powers of two are allocated.
            let [across, down, deep] = size.map(u32::next_power_of_two);
            let (columns, rows) = (across.div_ceil(width), down.div_ceil(height));
            let is_small = columns < granule.columns || rows < granule.rows;
            if mode == ArrayMode::Tiled2d && samples == 1 && is_small {
                mode = ArrayMode::Tiled1d;
            }
            let granule = Granule::new(mode, bytes, samples)?;
            (granule, columns.next_multiple_of(granule.columns), rows, deep)
        };
        let layout = Layout::new(mode, columns, rows.next_multiple_of(granule.rows), bytes)?.with_samples(samples);
        let bytes = layout.slice_bytes() * u64::from(deep) * u64::from(texture.slices());
        levels.push(Level { layout, begin, size, bytes });
        begin = if number == 0 { 0 } else { begin + bytes };
    }
    Some(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texture(dimensions: Dimensions, [width, height, depth]: [u16; 3], pitch: u16) -> TextureResource {
        TextureResource {
            dimensions,
            tile_mode: ArrayMode::Tiled2d,
            width: width - 1,
            height: height - 1,
            depth: depth - 1,
            pitch: pitch / 8 - 1,
            ..TextureResource::default()
        }
    }

    /// Sizes of an allocation of libdrm for 100x60 texels of four bytes, all levels: 2D tiles have 32 columns there, 1D tiles 8.
    #[test]
    fn small_levels_have_simpler_tiles() {
        let resource = TextureResource { last_level: 6, ..texture(Dimensions::Two, [100, 60, 1], 128) };
        let levels = levels(&resource, (1, 1, 4)).unwrap();
        let found: Vec<_> =
            levels.iter().map(|level| (level.layout.pitch(), level.layout.rows(), level.begin)).collect();
        let expected = [
            (128, 64, 0),
            (64, 32, 0),
            (32, 16, 0x2000),
            // 12 columns are less than a 2D tile has.
            (16, 8, 0x2800),
            (8, 8, 0x2A00),
            (8, 8, 0x2B00),
            (8, 8, 0x2C00),
        ];
        assert_eq!(found, expected);
        assert_eq!(levels.iter().map(|level| level.size).collect::<Vec<_>>()[1..3], [[50, 30, 1], [25, 15, 1]]);
        let offset = levels[3].layout.offset(8, 0, 0);
        assert_eq!(offset, 0x100, "the second tile of a row");
    }

    #[test]
    fn slices_are_allocated_in_powers_of_two() {
        let resource = TextureResource { last_level: 1, ..texture(Dimensions::TwoArray, [64, 64, 5], 64) };
        let bytes = |resource: &TextureResource| levels(resource, (1, 1, 4)).unwrap().map_bytes();
        assert_eq!(bytes(&resource), [8 * 0x4000, 8 * 0x1000]);
        let cube = TextureResource { dimensions: Dimensions::Cube, depth: 0, ..resource };
        assert_eq!(bytes(&cube), [8 * 0x4000, 8 * 0x1000]);
        let volume = TextureResource { dimensions: Dimensions::Three, depth: 9, ..resource };
        assert_eq!(bytes(&volume), [10 * 0x4000, 8 * 0x1000], "level 1 has 5 slices");
        let line = TextureResource { dimensions: Dimensions::One, tile_mode: ArrayMode::Tiled1d, ..resource };
        let level = levels(&line, (1, 1, 4)).unwrap()[0];
        assert_eq!((level.size, level.layout.rows()), ([64, 1, 1], 8));
    }

    #[test]
    fn blocks_and_samples() {
        let resource = TextureResource { last_level: 2, ..texture(Dimensions::Two, [64, 64, 1], 128) };
        let found = levels(&resource, (4, 4, 8)).unwrap();
        let sides: Vec<_> = found.iter().map(|level| (level.layout.pitch(), level.layout.rows())).collect();
        assert_eq!(sides, [(32, 16), (8, 8), (8, 8)]);
        let resource = TextureResource { last_level: 2, ..texture(Dimensions::TwoSamples, [40, 24, 1], 64) };
        let found = levels(&resource, (1, 1, 4)).unwrap();
        assert_eq!((found.len(), found[0].bytes, resource.samples()), (1, 64 * 24 * 4 * 4, 4));
        // 256 bytes of the first sample fill the group of their bank; four banks take turns.
        assert_eq!(found[0].layout.sample_offset(0, 0, 0, 1), 0x400);
    }

    trait Bytes {
        fn map_bytes(self) -> Vec<u64>;
    }

    impl Bytes for Vec<Level> {
        fn map_bytes(self) -> Vec<u64> {
            self.into_iter().map(|level| level.bytes).collect()
        }
    }
}
