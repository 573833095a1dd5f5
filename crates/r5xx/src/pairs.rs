//! Buffers whose pixels have four bytes and one sample, two pixels of a row at a time.

use crate::layout::{Layout, Part};
use ctm_memory::Words;
use std::ops::Range;
use std::sync::Arc;

/// Where the pixels of a layout lie, worked out once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairPlaces {
    layout: Layout,
    /// Of every second column.
    columns: Vec<Part>,
    /// Of every second row.
    rows: Vec<Part>,
    /// Words from a pixel of such a row to that below it.
    below: usize,
}

impl PairPlaces {
    /// Of so many columns and rows of pixels of four bytes; `None` if pixels of odd rows lie in no fixed distance from those above them.
    pub fn new(layout: Layout, columns: u32, rows: u32) -> Option<Self> {
        let [column, row] = layout.formula();
        let below = if row.tile_log2 == 0 { row.tile_bytes } else { row.toggled[0] };
        // Then the bytes of the distance are added.
        let others = column.toggled.iter().chain(&row.toggled[1..]).fold(0, |all, bits| all | bits);
        (row.tile_log2 == 0 || others & below == 0).then(|| PairPlaces {
            layout,
            columns: (0..columns).step_by(2).map(|x| layout.column(x)).collect(),
            rows: (0..rows).step_by(2).map(|y| layout.row(y)).collect(),
            below: below as usize / 4,
        })
    }

    /// Whether this is [`new`](Self::new) for these.
    pub fn is_of(&self, layout: Layout, columns: u32, rows: u32) -> bool {
        let counts = (self.columns.len() as u32, self.rows.len() as u32);
        self.layout == layout && counts == (columns.div_ceil(2), rows.div_ceil(2))
    }

    /// The number of the word of the pixel in an even column and an even row.
    #[inline(always)]
    fn place(&self, x: u16, y: u16) -> Option<usize> {
        let column = self.columns.get(usize::from(x / 2))?;
        Some(column.with(*self.rows.get(usize::from(y / 2))?) as usize / 4)
    }
}

/// The pixels of a buffer.
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    words: Words<'a>,
    places: Arc<PairPlaces>,
}

impl<'a> Pairs<'a> {
    /// The pixels at these places of these words.
    pub fn new(words: Words<'a>, places: Arc<PairPlaces>) -> Self {
        Pairs { words, places }
    }

    /// The words of the quad whose upper left pixel this is: of its upper and of its lower pixels; 0 where there is none.
    #[inline(always)]
    pub fn read(&self, x: u16, y: u16) -> [[u32; 2]; 2] {
        let Some(place) = self.places.place(x, y) else { return [[0; 2]; 2] };
        [self.words.pair(place), self.words.pair(place + self.places.below)]
    }

    /// Writes words of those pixels of a quad that are chosen; nothing happens where there is none.
    #[inline(always)]
    pub fn write(&self, x: u16, y: u16, [upper, lower]: [[u32; 2]; 2], chosen: [[bool; 2]; 2]) {
        let Some(place) = self.places.place(x, y) else { return };
        self.words.set_pair(place, upper, chosen[0]);
        self.words.set_pair(place + self.places.below, lower, chosen[1]);
    }

    /// Asks for the memory of the quads in these columns of an even row, which is accessed soon.
    #[inline]
    pub fn prefetch(&self, y: u32, columns: Range<u32>) {
        /// Words of a line of a cache.
        const LINE: usize = 16;
        for x in columns.step_by(4) {
            let Some(place) = self.places.place(x as u16, y as u16) else { return };
            self.words.prefetch(place);
            if self.places.below >= LINE {
                self.words.prefetch(place + self.places.below);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MicroTile;
    use ctm_memory::Arena;

    const BASE: u32 = 0x1_0000;

    #[test]
    fn quads_are_their_pixels() {
        let micros = [MicroTile::Linear, MicroTile::Tiled, MicroTile::Square];
        for (macro_tile, micro) in [false, true].into_iter().flat_map(|on| micros.map(|micro| (on, micro))) {
            let layout = Layout::new(4, 128 * 4, macro_tile, micro);
            let places = Arc::new(PairPlaces::new(layout, 128, 64).unwrap());
            let memory = Arena::new(BASE, 0x1_0000).unwrap();
            (0..128 * 64).for_each(|n| assert!(memory.write_u32(BASE + 4 * n, n)));
            let pairs = Pairs::new(memory.shared_words(BASE, 128 * 64).unwrap(), places);
            for (x, y) in (0..64).step_by(2).flat_map(|y| (0..128).step_by(2).map(move |x| (x, y))) {
                let word = |x: u16, y: u16| layout.offset(x.into(), y.into()) / 4;
                let expected = [[word(x, y), word(x + 1, y)], [word(x, y + 1), word(x + 1, y + 1)]];
                assert_eq!(pairs.read(x, y), expected, "{layout:?} {x} {y}");
                pairs.write(x, y, [[1, 2], [3, 4]], [[true, false], [false, true]]);
                assert_eq!(pairs.read(x, y), [[1, expected[0][1]], [expected[1][0], 4]]);
                pairs.write(x, y, expected, [[true; 2]; 2]);
            }
            assert_eq!(pairs.read(128, 0), [[0; 2]; 2], "outside");
        }
    }
}
