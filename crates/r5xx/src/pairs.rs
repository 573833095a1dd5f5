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
}

/// A word for each of two pixels side by side.
pub type Pair = [u32; 2];

/// Which of two pixels side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen(u64);

impl Chosen {
    /// None of them.
    pub const NONE: Chosen = Chosen(0);
    /// Both.
    pub const BOTH: Chosen = Chosen(1 << 32 | 1);

    /// Those whose word has bit `bit`.
    #[inline(always)]
    pub fn with_bit(words: Pair, bit: u32) -> Self {
        Chosen((u64::from(words[0]) | u64::from(words[1]) << 32) >> bit & Self::BOTH.0)
    }

    /// Whether it is the left (0) or the right pixel, or both.
    #[inline(always)]
    pub fn has(self, pixel: usize) -> bool {
        self.0 >> (32 * pixel) & 1 != 0
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

    fn quads(&self) -> Quads<'_> {
        let PairPlaces { columns, rows, below, .. } = &*self.places;
        Quads { words: self.words, columns, rows, below: *below }
    }

    /// Reads the words of quads whose upper left pixels are in these columns and rows, which are even: of their upper and of their lower
    /// pixels; 0 where there is none.
    #[inline]
    pub fn read(&self, quads: impl Iterator<Item = (u16, u16)>, [upper, lower]: [&mut [Pair]; 2]) {
        let buffer = self.quads();
        for (((x, y), upper), lower) in quads.zip(upper).zip(lower) {
            let place = buffer.place(x, y);
            *upper = buffer.words.pair(place);
            *lower = buffer.words.pair(place + buffer.below);
        }
    }

    /// Writes words of those pixels of quads that are chosen; nothing happens where there is none.
    #[inline(always)]
    pub fn write(
        &self,
        quads: impl Iterator<Item = (u16, u16)>,
        [upper, lower]: [&[Pair]; 2],
        chosen: impl Iterator<Item = [Chosen; 2]>,
    ) {
        let buffer = self.quads();
        let set = |place: usize, words: Pair, chosen: Chosen| match chosen {
            // Most often, it is both.
            Chosen::BOTH => buffer.words.set(place, words),
            Chosen::NONE => {}
            chosen if chosen.has(0) => buffer.words.set(place, [words[0]]),
            _ => buffer.words.set(place + 1, [words[1]]),
        };
        for ((((x, y), upper), lower), chosen) in quads.zip(upper).zip(lower).zip(chosen) {
            let place = buffer.place(x, y);
            set(place, *upper, chosen[0]);
            set(place + buffer.below, *lower, chosen[1]);
        }
    }

    /// Asks for the memory of the quads in these columns of an even row, which is accessed soon.
    #[inline]
    pub fn prefetch(&self, y: u32, columns: Range<u32>) {
        /// Words of a line of a cache.
        const LINE: usize = 16;
        let buffer = self.quads();
        for x in columns.step_by(4) {
            let place = buffer.place(x as u16, y as u16);
            buffer.words.prefetch(place);
            if buffer.below >= LINE {
                buffer.words.prefetch(place + buffer.below);
            }
        }
    }
}

/// The same, as loops have it at hand.
#[derive(Clone, Copy)]
struct Quads<'a> {
    words: Words<'a>,
    columns: &'a [Part],
    rows: &'a [Part],
    below: usize,
}

impl Quads<'_> {
    /// The number of the word of the pixel in an even column and an even row; none that there is if these are outside.
    #[inline(always)]
    fn place(&self, x: u16, y: u16) -> usize {
        match (self.columns.get(usize::from(x / 2)), self.rows.get(usize::from(y / 2))) {
            (Some(column), Some(row)) => column.with(*row) as usize / 4,
            _ => usize::MAX / 2,
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
            let read = |x, y| {
                let (mut upper, mut lower) = ([[7; 2]], [[7; 2]]);
                pairs.read([(x, y)].into_iter(), [&mut upper, &mut lower]);
                [upper[0], lower[0]]
            };
            for (x, y) in (0..64).step_by(2).flat_map(|y| (0..128).step_by(2).map(move |x| (x, y))) {
                let word = |x: u16, y: u16| layout.offset(x.into(), y.into()) / 4;
                let expected = [[word(x, y), word(x + 1, y)], [word(x, y + 1), word(x + 1, y + 1)]];
                assert_eq!(read(x, y), expected, "{layout:?} {x} {y}");
                let write = |[upper, lower]: [Pair; 2], chosen| {
                    pairs.write([(x, y)].into_iter(), [&[upper], &[lower]], [chosen].into_iter());
                };
                write([[1, 2], [3, 4]], [Chosen::with_bit([6, 3], 2), Chosen::with_bit([3, 6], 2)]);
                assert_eq!(read(x, y), [[1, expected[0][1]], [expected[1][0], 4]]);
                write([[5, 6], [7, 8]], [Chosen::NONE, Chosen::BOTH]);
                assert_eq!(read(x, y), [[1, expected[0][1]], [7, 8]]);
                write(expected, [Chosen::BOTH; 2]);
            }
            assert_eq!(read(128, 0), [[0; 2]; 2], "outside");
        }
    }
}
