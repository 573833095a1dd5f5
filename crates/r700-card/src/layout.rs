//! Where the elements of a surface lie: rows, or tiles of 8x8 elements over banks. The card has one pipe.
//!
//! Sources: libdrm's `radeon_surface.c` (sizes), the family's published address equations.

use crate::registers::codes::ArrayMode;

/// Banks that tiles are spread over.
const BANKS: u64 = 4;
/// Bytes of a group: what lies together in a bank.
const GROUP: u64 = 256;
/// Bytes of a tile that lie in one slice of memory.
const TILE_SPLIT: u64 = 2048;
/// Elements of a tile's side.
const SIDE: u64 = 8;

/// The layout of one level, of elements with one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    mode: Mode,
    /// Elements from one row to the next.
    pitch: u64,
    /// Rows of a slice.
    rows: u64,
    /// Bytes of an element.
    bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Linear,
    Tiles,
    Banks,
}

impl Layout {
    /// Elements of 1, 2, 4, 8 or 16 bytes; `None` for orders that no driver uses, and other elements.
    pub fn new(mode: ArrayMode, pitch: u32, rows: u32, bytes: u32) -> Option<Self> {
        let mode = match mode {
            ArrayMode::LinearGeneral | ArrayMode::LinearAligned => Mode::Linear,
            ArrayMode::Tiled1d => Mode::Tiles,
            ArrayMode::Tiled2d => Mode::Banks,
            _ => return None,
        };
        let known = matches!(bytes, 1 | 2 | 4 | 8 | 16);
        known.then_some(Layout { mode, pitch: pitch.into(), rows: rows.into(), bytes: bytes.into() })
    }

    /// Elements from one row to the next.
    pub fn pitch(&self) -> u32 {
        self.pitch as u32
    }

    /// Rows of a slice.
    pub fn rows(&self) -> u32 {
        self.rows as u32
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> u32 {
        self.bytes as u32
    }

    /// Bytes from the beginning of the level to an element.
    pub fn offset(&self, x: u32, y: u32, slice: u32) -> u64 {
        let (x, y, slice) = (u64::from(x), u64::from(y), u64::from(slice));
        let Layout { mode, pitch, rows, bytes } = *self;
        match mode {
            Mode::Linear => (slice * pitch * rows + y * pitch + x) * bytes,
            Mode::Tiles => {
                let tile = (y / SIDE) * (pitch / SIDE) + x / SIDE;
                slice * pitch * rows * bytes + tile * SIDE * SIDE * bytes + self.element(x, y)
            }
            Mode::Banks => self.banked(x, y, slice),
        }
    }

    /// Bytes from the beginning of a tile to an element.
    fn element(&self, x: u64, y: u64) -> u64 {
        let [x0, x1, x2] = [0, 1, 2].map(|bit| x >> bit & 1);
        let [y0, y1, y2] = [0, 1, 2].map(|bit| y >> bit & 1);
        // Lowest bit first.
        let bits = match self.bytes {
            1 => [x0, x1, x2, y1, y0, y2],
            2 => [x0, x1, x2, y0, y1, y2],
            4 => [x0, x1, y0, x2, y1, y2],
            8 => [x0, y0, x1, x2, y1, y2],
            _ => [y0, x0, x1, x2, y1, y2],
        };
        bits.iter().rev().fold(0, |number, bit| number << 1 | bit) * self.bytes
    }

    fn banked(&self, x: u64, y: u64, slice: u64) -> u64 {
        let Layout { pitch, rows, bytes, .. } = *self;
        let tile = SIDE * SIDE * bytes;
        let split = (tile / TILE_SPLIT).max(1);
        let part = tile / split;
        let (element, sub_slice) = (self.element(x, y) % part, self.element(x, y) / part);
        let bank = ((y >> 4 ^ x >> 3) & 1) | ((y >> 3 ^ x >> 4) & 1) << 1;
        let turns = [sub_slice * (BANKS / 2 + 1), slice * (BANKS / 2 - 1)];
        let bank = (bank ^ turns[0] ^ turns[1]) % BANKS;
        let macros = (y / SIDE) * (pitch / (SIDE * BANKS)) + x / (SIDE * BANKS);
        let before = macros * part * BANKS + pitch * rows * bytes / split * (sub_slice + split * slice);
        let offset = element + before / BANKS;
        BANKS * (offset & !(GROUP - 1)) + GROUP * bank + offset % GROUP
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_element_has_its_place() {
        for bytes in [1, 2, 4, 8, 16] {
            for mode in [ArrayMode::LinearAligned, ArrayMode::Tiled1d, ArrayMode::Tiled2d] {
                let pitch = (GROUP * BANKS / (SIDE * u64::from(bytes))).max(64) as u32;
                let layout = Layout::new(mode, pitch, 32, bytes).unwrap();
                let mut places = HashSet::new();
                for slice in 0..3 {
                    for (x, y) in (0..32).flat_map(|y| (0..pitch).map(move |x| (x, y))) {
                        let offset = layout.offset(x, y, slice);
                        assert!(offset.is_multiple_of(bytes.into()) && places.insert(offset), "{layout:?} {x} {y}");
                    }
                }
                let last = places.iter().max().unwrap() + u64::from(bytes);
                assert_eq!(last, u64::from(3 * 32 * pitch * bytes), "{layout:?}: they fill their memory");
            }
        }
        assert_eq!(Layout::new(ArrayMode::Reserved5, 64, 64, 4), None);
    }

    /// Places of four bytes in a surface of 64x64, worked out by hand from the equations.
    #[test]
    fn tiles_lie_in_banks() {
        let layout = Layout::new(ArrayMode::Tiled2d, 64, 64, 4).unwrap();
        let places = [(0, 0), (1, 0), (0, 1), (4, 0), (8, 0), (16, 0), (0, 8), (0, 16), (32, 0)];
        let expected = [0, 4, 16, 32, 0x100, 0x200, 0xA00, 0x1100, 0x400];
        assert_eq!(places.map(|(x, y)| layout.offset(x, y, 0)), expected);
    }
}
