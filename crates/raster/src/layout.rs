//! How the bytes of surfaces lie in memory: row by row, or in blocks.
//!
//! A GOB is 64 bytes of 8 rows. A block is a column of GOBs, or several columns one behind the other; a surface is blocks in the order of
//! columns, rows and slices (envytools' documentation of `GF100+` tiling; Mesa nvc0_miptree.c). Inside of a GOB the order is the same for
//! all units, whatever the size of elements is.

/// Bytes of a GOB's row.
pub const GOB_BYTES: u64 = 64;
/// Rows of a GOB.
pub const GOB_ROWS: u64 = 8;
/// log2 of a GOB's bytes.
const GOB_LOG2: u32 = 9;
/// Bytes of a row that lie together, from multiples of as many on.
pub const CONTIGUOUS_BYTES: u64 = 16;
/// log2 of the GOBs of a block's height and of its depth, at most.
pub const MOST_LOG2: u8 = 5;
/// An offset that lies in no object: what would be larger.
const OUTSIDE: u64 = 1 << 40;

/// How bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Row by row.
    Linear {
        /// Bytes from one row to the next.
        pitch: u32,
    },
    /// In blocks.
    Blocks(BlockLayout),
}

impl Layout {
    /// The offset of a byte of a row, in a slice.
    #[inline]
    pub fn offset(&self, x: u64, y: u64, z: u64) -> u64 {
        self.row(y, z).saturating_add(self.column(x))
    }

    /// What a row in a slice adds to the offset. Linear surfaces have one slice.
    #[inline]
    pub fn row(&self, y: u64, z: u64) -> u64 {
        match self {
            Layout::Linear { pitch } => y.saturating_mul((*pitch).into()).min(OUTSIDE),
            Layout::Blocks(blocks) => blocks.row(y, z),
        }
    }

    /// What a byte of a row adds to the offset.
    #[inline]
    pub fn column(&self, x: u64) -> u64 {
        match self {
            Layout::Linear { .. } => x,
            Layout::Blocks(blocks) => blocks.column(x),
        }
    }

    /// Bytes of a row from one on that lie together with it.
    #[inline]
    pub fn contiguous(&self, x: u64) -> u64 {
        match self {
            Layout::Linear { .. } => u64::MAX,
            Layout::Blocks(_) => CONTIGUOUS_BYTES - x % CONTIGUOUS_BYTES,
        }
    }
}

/// A layout in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockLayout {
    /// GOBs of a row.
    gobs: u64,
    /// Blocks of a column.
    blocks: u64,
    height_log2: u32,
    depth_log2: u32,
}

impl BlockLayout {
    /// Rows of so many bytes, and so many rows; blocks of 2^`height_log2` GOBs one below the other and 2^`depth_log2` one behind the other.
    pub fn new(row_bytes: u64, rows: u64, height_log2: u8, depth_log2: u8) -> Self {
        let [height_log2, depth_log2] = [height_log2, depth_log2].map(|log2| u32::from(log2.min(MOST_LOG2)));
        BlockLayout {
            gobs: row_bytes.div_ceil(GOB_BYTES).min(OUTSIDE),
            blocks: rows.div_ceil(GOB_ROWS << height_log2).min(OUTSIDE),
            height_log2,
            depth_log2,
        }
    }

    /// log2 of a block's bytes.
    pub fn block_log2(&self) -> u32 {
        GOB_LOG2 + self.height_log2 + self.depth_log2
    }

    /// Bytes of so many slices.
    pub fn bytes(&self, slices: u64) -> u64 {
        let deep = slices.div_ceil(1 << self.depth_log2);
        self.in_blocks(deep.saturating_mul(self.blocks).saturating_mul(self.gobs))
    }

    /// So many blocks, as far as they can lie in memory.
    #[inline]
    fn in_blocks(&self, blocks: u64) -> u64 {
        blocks.min(OUTSIDE >> GOB_LOG2) << self.block_log2()
    }

    /// What a row in a slice adds to the offset.
    #[inline]
    pub fn row(&self, y: u64, z: u64) -> u64 {
        let (height_log2, depth_log2) = (self.height_log2, self.depth_log2);
        let block = (z >> depth_log2).saturating_mul(self.blocks).saturating_add(y >> (3 + height_log2));
        let gob = (z & ((1 << depth_log2) - 1)) << height_log2 | y >> 3 & ((1 << height_log2) - 1);
        self.in_blocks(block.saturating_mul(self.gobs)) + (gob << GOB_LOG2) + ((y >> 1 & 3) << 6) + ((y & 1) << 4)
    }

    /// What a byte of a row adds to the offset.
    #[inline]
    pub fn column(&self, x: u64) -> u64 {
        self.in_blocks(x >> 6) + ((x >> 5 & 1) << 8) + ((x >> 4 & 1) << 5) + (x & 15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same in one formula.
    fn expected(row_bytes: u64, rows: u64, (h, d): (u32, u32), (x, y, z): (u64, u64, u64)) -> u64 {
        let gobs = row_bytes.div_ceil(64);
        let block = ((z >> d) * rows.div_ceil(8 << h) + (y >> (3 + h))) * gobs + (x >> 6);
        let gob = (z & ((1 << d) - 1)) << h | (y >> 3) & ((1 << h) - 1);
        let (gob_x, gob_y) = (x & 63, y & 7);
        let inside = (gob_x >> 5) << 8 | (gob_y >> 1) << 6 | (gob_x >> 4 & 1) << 5 | (gob_y & 1) << 4 | gob_x & 15;
        (block << (9 + h + d)) + (gob << 9) + inside
    }

    #[test]
    fn every_byte_has_a_place_of_its_own() {
        ctm_cases::check(200, |u| {
            let (h, d) = (u.int_in_range(0..=3u8)?, u.int_in_range(0..=2u8)?);
            let [width, rows, slices]: [u64; 3] =
                [u.int_in_range(1..=150)?, u.int_in_range(1..=40)?, u.int_in_range(1..=6)?];
            let layout = BlockLayout::new(width, rows, h, d);
            let mut taken = vec![false; layout.bytes(slices) as usize];
            for z in 0..slices {
                for y in 0..rows {
                    for x in 0..width {
                        let offset = Layout::Blocks(layout).offset(x, y, z);
                        assert_eq!(offset, expected(width, rows, (h.into(), d.into()), (x, y, z)));
                        assert!(!std::mem::replace(&mut taken[offset as usize], true), "{layout:?} {x} {y} {z}");
                    }
                }
            }
            Ok(())
        });
    }

    #[test]
    fn bytes_that_lie_together_do() {
        let layout = Layout::Blocks(BlockLayout::new(256, 16, 1, 0));
        for x in 0..256 {
            let together = layout.contiguous(x);
            assert_eq!(layout.column(x) + together - 1, layout.column(x + together - 1));
        }
        assert_eq!([0, 15, 16, 33].map(|x| layout.contiguous(x)), [16, 1, 16, 15]);
        let linear = Layout::Linear { pitch: 100 };
        assert_eq!((linear.offset(3, 2, 9), linear.contiguous(3)), (203, u64::MAX));
    }

    /// The target of 64x64 pixels of 4 bytes that Debian's driver makes: 64 rows in blocks of 8 GOBs.
    #[test]
    fn offsets_are_those_of_a_target() {
        let layout = BlockLayout::new(256, 64, 3, 0);
        let offset = |x, y| Layout::Blocks(layout).offset(x, y, 0);
        assert_eq!([offset(16, 0), offset(0, 1), offset(32, 0), offset(0, 2)], [32, 16, 256, 64]);
        assert_eq!([offset(0, 8), offset(64, 0), offset(255, 63)], [512, 4096, 16383]);
        assert_eq!((layout.bytes(1), layout.block_log2()), (16384, 12));
    }

    #[test]
    fn wild_sizes_lie_outside() {
        let layout = BlockLayout::new(u64::MAX, u64::MAX, 255, 255);
        let offset = Layout::Blocks(layout).offset(u64::MAX, u64::MAX, u64::MAX);
        assert!(offset >= 1 << 40 && layout.bytes(u64::MAX) >= 1 << 40);
        assert!(Layout::Linear { pitch: u32::MAX }.offset(u64::MAX, u64::MAX, 0) >= 1 << 40);
    }
}
