//! Where the levels of textures are.
//!
//! Source: the layout that Mesa's driver computes (`nvc0_miptree.c`, `nvc0_tex_choose_tile_dims`), which texture headers do not spell out
//! (decision D318).

use super::header::{HeaderType, HeaderVersion, TextureHeader};
use crate::layout::BlockLayout;

/// Levels of a texture at most.
const MAX_LEVELS: u32 = 16;

/// How the texels of a texture are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Rows of so many bytes, one below the other.
    Rows(u64),
    /// In blocks.
    Blocks {
        /// The levels of the view, finest first.
        levels: Vec<Level>,
        /// From one layer to the next, in bytes; 0 of volumes.
        layer_stride: u64,
    },
}

/// A level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Where in the texture, or in a layer of it, it begins, in bytes.
    pub begin: u64,
    /// Its blocks.
    pub blocks: BlockLayout,
}

impl Storage {
    /// Of a texture whose texels are stored in blocks of this size (columns, rows, bytes); `None` if it has a version that is not known. Each pixel has
    /// 2^`across` by 2^`down` samples beside each other that the header's sizes do not count.
    pub fn of(header: &TextureHeader, [columns, rows, bytes]: [u32; 3], [across, down]: [u32; 2]) -> Option<Self> {
        let [width, height, depth] = header.size();
        match header.version {
            HeaderVersion::Buffer => Some(Storage::Rows(0)),
            HeaderVersion::Pitch | HeaderVersion::PitchColourKey => Some(Storage::Rows(header.pitch().into())),
            HeaderVersion::Blocks | HeaderVersion::BlocksColourKey => {
                let is_volume = header.kind == HeaderType::D3;
                let depth = if is_volume { depth } else { 1 };
                let mut levels = Vec::new();
                let mut begin = 0;
                for number in 0..=u32::from(header.resource_last_level).min(MAX_LEVELS - 1) {
                    let size = |size: u32| (size >> number).max(1);
                    let (width, height) = (size(width) << across, size(height) << down);
                    let row = u64::from(width.div_ceil(columns)) * u64::from(bytes);
                    let (lines, depth) = (height.div_ceil(rows), size(depth));
                    let [block_height, block_depth] = block_size(header.blocks(), number, lines, depth, is_volume);
                    let blocks = BlockLayout::new(row, lines.into(), block_height, block_depth);
                    levels.push(Level { begin, blocks });
                    begin += blocks.bytes(depth.into());
                }
                let layer_stride = begin.next_multiple_of(1 << levels[0].blocks.block_log2());
                let first = usize::from(header.first_level).min(levels.len() - 1);
                let last = usize::from(header.last_level).clamp(first, levels.len() - 1);
                let levels = levels[first..=last].to_vec();
                Some(Storage::Blocks { levels, layer_stride: if is_volume { 0 } else { layer_stride } })
            }
            HeaderVersion::Invalid5 | HeaderVersion::Invalid6 | HeaderVersion::Invalid7 => None,
        }
    }

    /// Levels of the view.
    pub fn levels(&self) -> u32 {
        match self {
            Storage::Rows(_) => 1,
            Storage::Blocks { levels, .. } => levels.len() as u32,
        }
    }

    /// Where a byte of a row of a layer, or of a slice, of a level is.
    pub fn offset(&self, level: u32, layer: u32, [x, y]: [u64; 2]) -> u64 {
        match self {
            Storage::Rows(pitch) => y * pitch + x,
            Storage::Blocks { levels, layer_stride } => {
                let Some(Level { begin, blocks }) = levels.get(level as usize) else { return 0 };
                let (layer, slice) = if *layer_stride == 0 { (0, layer.into()) } else { (layer.into(), 0) };
                begin + u64::saturating_mul(layer, *layer_stride) + blocks.row(y, slice) + blocks.column(x)
            }
        }
    }

    /// Bytes from the beginning to the end of the last of so many layers, or slices of level 0. Rows have so many bytes, and there are so many of them.
    pub fn bytes(&self, layers: u32, [row, rows]: [u64; 2]) -> u64 {
        match self {
            Storage::Rows(pitch) => (pitch * rows.saturating_sub(1)).saturating_add(row),
            Storage::Blocks { levels, layer_stride: 0 } => {
                let ends = levels.iter().map(|level| level.begin + level.blocks.bytes(layers.into()));
                ends.max().unwrap_or(0)
            }
            Storage::Blocks { layer_stride, .. } => layer_stride.saturating_mul(layers.into()),
        }
    }
}

/// log2 of the GOBs of a block's height and depth, of a level with so many rows and slices.
fn block_size([height, depth]: [u8; 2], level: u32, rows: u32, slices: u32, is_volume: bool) -> [u8; 2] {
    if level == 0 {
        return [height, depth];
    }
    let least = match rows {
        0..=8 => 0,
        9..=16 => 1,
        17..=32 => 2,
        33..=64 => 3,
        _ => 4,
    };
    if !is_volume {
        return [height.min(least), 0];
    }
    let height = least.min(2);
    let depth = match slices {
        0..=1 => 0,
        2 => 1,
        3..=4 => 2,
        5..=8 => 3,
        9..=16 => 4,
        _ if height < 2 => 5,
        _ => 4,
    };
    [height, depth]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(kind: HeaderType, [width, height, depth]: [u16; 3], blocks: [u16; 2], levels: u8) -> TextureHeader {
        TextureHeader {
            version: HeaderVersion::Blocks,
            kind,
            width: width - 1,
            height: height - 1,
            depth: depth - 1,
            layout: blocks[0] << 3 | blocks[1] << 6,
            resource_last_level: levels - 1,
            last_level: levels - 1,
            ..TextureHeader::default()
        }
    }

    fn begins(storage: &Storage) -> (Vec<u64>, u64) {
        match storage {
            Storage::Blocks { levels, layer_stride } => {
                (levels.iter().map(|level| level.begin).collect(), *layer_stride)
            }
            Storage::Rows(_) => (Vec::new(), 0),
        }
    }

    #[test]
    fn levels_follow_each_other() {
        // 64 x 64 texels of 4 bytes: rows of 256, 128, 64 bytes and less; blocks of 64, 32, 16, 8 rows.
        let header = header(HeaderType::Array2, [64, 64, 3], [3, 0], 7);
        let storage = Storage::of(&header, [1, 1, 4], [0, 0]).unwrap();
        let (begin, stride) = begins(&storage);
        assert_eq!(begin, [0, 16384, 20480, 21504, 22016, 22528, 23040]);
        assert_eq!(stride, 24576, "a multiple of 4096");
        assert_eq!(storage.offset(1, 2, [0, 0]), 2 * 24576 + 16384);
        assert_eq!(storage.bytes(3, [0, 0]), 3 * 24576);
        let part = TextureHeader { first_level: 2, last_level: 3, ..header };
        assert_eq!(begins(&Storage::of(&part, [1, 1, 4], [0, 0]).unwrap()), (vec![20480, 21504], 24576));
    }

    #[test]
    fn volumes_have_deep_blocks() {
        let header = header(HeaderType::D3, [32, 32, 64], [2, 4], 3);
        let storage = Storage::of(&header, [1, 1, 4], [0, 0]).unwrap();
        // 128 x 32 x 64 bytes; 64 x 16 x 32 in blocks of 16 rows and 32 slices; 64 x 8 x 16.
        assert_eq!(begins(&storage), (vec![0, 262_144, 294_912], 0));
        assert_eq!(storage.bytes(64, [0, 0]), 294_912 + 64 * 512);
    }

    #[test]
    fn compressed_rows_are_rows_of_blocks() {
        let header = header(HeaderType::D2, [40, 40, 1], [1, 0], 2);
        let (begin, _) = begins(&Storage::of(&header, [4, 4, 16], [0, 0]).unwrap());
        // 160 bytes and 10 rows, in blocks of 16 rows.
        assert_eq!(begin, [0, 192 * 16]);
    }

    #[test]
    fn anything_has_a_storage_or_none() {
        let mut word = 1u32;
        for _ in 0..2000 {
            let words = [(); 8].map(|()| {
                word = word.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
                word
            });
            if let Some(storage) = Storage::of(&TextureHeader::read(&words), [4, 4, 16], [2, 1]) {
                assert!((1..=16).contains(&storage.levels()));
                storage.offset(15, u32::MAX, [u64::from(u32::MAX); 2]);
                storage.bytes(u32::MAX, [u64::from(u32::MAX); 2]);
            }
        }
    }
}
