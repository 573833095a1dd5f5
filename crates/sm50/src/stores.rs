//! Memory that programs store to.
//!
//! Kernels may have to be undone: where their lanes met, or did what they should not, the reference runs the launch again. So what memory held
//! before is kept, and whoever makes a launch over a large memory says where its programs store.

use std::ops::Range;
use std::sync::Arc;

/// log2 of the bytes of a piece that is kept or not.
const PIECE_LOG2: u32 = 16;
/// Words of a table with a bit for every piece of 32-bit addresses.
pub(crate) const TABLE_WORDS: u32 = 1 << (32 - PIECE_LOG2 - 5);
/// Bits of an address that say which bit of a table's word its piece has, and which word that is.
pub(crate) const BIT_SHIFT: u32 = PIECE_LOG2;
pub(crate) const WORD_SHIFT: u32 = PIECE_LOG2 + 5;

/// Where the programs of a launch store, as whoever makes it knows. Programs that store elsewhere are run by the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreRanges(Arc<[Range<u64>]>);

impl StoreRanges {
    /// These bytes, and what lies in the same pieces of 64 KiB.
    pub fn new(ranges: impl IntoIterator<Item = Range<u64>>) -> Self {
        let piece = |range: Range<u64>| {
            let end = range.end.min(1 << 32).div_ceil(1 << PIECE_LOG2) << PIECE_LOG2;
            (range.start >> PIECE_LOG2 << PIECE_LOG2)..end
        };
        let filled = ranges.into_iter().filter(|range| range.start < range.end.min(1 << 32));
        let mut pieces: Vec<Range<u64>> = filled.map(piece).collect();
        pieces.sort_unstable_by_key(|piece| piece.start);
        let mut merged: Vec<Range<u64>> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match merged.last_mut() {
                Some(last) if piece.start <= last.end => last.end = last.end.max(piece.end),
                Some(_) | None => merged.push(piece),
            }
        }
        StoreRanges(merged.into())
    }

    /// Whole pieces, in order, that do not meet.
    pub fn pieces(&self) -> &[Range<u64>] {
        &self.0
    }

    /// A table with the bits of all pieces.
    pub(crate) fn table(&self) -> Vec<u32> {
        let mut table = vec![0; TABLE_WORDS as usize];
        for range in self.pieces() {
            for piece in range.start >> PIECE_LOG2..range.end >> PIECE_LOG2 {
                table[(piece / 32) as usize] |= 1 << (piece % 32);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_whole_pieces() {
        let last = 0xFFFF_FFFF..u64::MAX;
        let inner = [0x5_FFFF..0x6_0001, 0x3_0010..0x3_0020, 9..9, 0x4_0000..0x4_0001, 1 << 32..1 << 33];
        let ranges = StoreRanges::new(inner.into_iter().chain([last]));
        assert_eq!(ranges.pieces(), [0x3_0000..0x7_0000, 0xFFFF_0000..1 << 32]);
        let table = ranges.table();
        assert_eq!((table.len(), table[0], table[1], table[2047]), (2048, 0b111_1000, 0, 1 << 31));
    }
}
