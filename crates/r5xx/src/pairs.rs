//! Buffers whose pixels have four bytes and one sample, two pixels of a row at a time.

use crate::layout::{AddressPart, Layout};
use ctm_memory::{FourWords, Tiling, WordPair, Words};
use std::sync::Arc;

/// Where the pixels of a layout lie, worked out once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PixelPairPlaces {
    layout: Layout,
    /// Of every second column.
    columns: Vec<AddressPart>,
    /// Of every second row.
    rows: Vec<AddressPart>,
    /// Words from a pixel of such a row to that below it.
    below: usize,
    /// The pixels of a row lie together.
    has_rows: bool,
}

impl PixelPairPlaces {
    /// Of so many columns and rows of pixels of four bytes; `None` if pixels of odd rows lie in no fixed distance from those above them.
    pub fn new(layout: Layout, columns: u32, rows: u32) -> Option<Self> {
        let [column, row] = layout.formula();
        let below = if row.tile_log2 == 0 { row.tile_bytes } else { row.toggled[0] };
        // Then the bytes of the distance are added.
        let others = column.toggled.iter().chain(&row.toggled[1..]).fold(0, |all, bits| all | bits);
        (row.tile_log2 == 0 || others & below == 0).then(|| PixelPairPlaces {
            layout,
            columns: (0..columns.next_multiple_of(FOUR as u32)).step_by(2).map(|x| layout.column(x)).collect(),
            rows: (0..rows).step_by(2).map(|y| layout.row(y)).collect(),
            below: below as usize / 4,
            has_rows: matches!(layout.surface(), Some((Tiling::Linear, _))),
        })
    }

    /// Whether this is [`new`](Self::new) for these.
    pub fn is_of(&self, layout: Layout, columns: u32, rows: u32) -> bool {
        let counts = (self.columns.len() as u32, self.rows.len() as u32);
        self.layout == layout && counts == (columns.next_multiple_of(FOUR as u32) / 2, rows.div_ceil(2))
    }
}

/// Pixels side by side whose words lie together, if the first one's column is a multiple of that: no tile has less.
pub const FOUR: usize = ctm_raster::covered::FOUR as usize;

/// A word for each of two pixels side by side.
pub type Pair = [u32; 2];

impl PixelPairPlaces {
    /// Where the pixels of the block lie whose upper left pixel is in this column, a multiple of [`FOUR`], and in this row, which is even.
    #[inline(always)]
    fn block(&self, (x, y): (u16, u16)) -> BlockPlace {
        let column = usize::from(x / 2);
        let (Some(first), Some(&row)) = (self.columns.get(column), self.rows.get(usize::from(y / 2))) else {
            return BlockPlace::default();
        };
        let place = |column: &AddressPart| column.with(row) / 4;
        BlockPlace([place(first), self.columns.get(column + FOUR / 2).map_or(BlockPlace::NONE, place)])
    }

    /// Where the memory of a block begins, and where another line of a cache begins that it may have.
    #[inline(always)]
    fn lines(&self, BlockPlace([first, second]): BlockPlace) -> [usize; 2] {
        let (first, second) = (first as usize, second as usize);
        // Where both rows are in a line, the other half of a row may be in another.
        [first, if self.below >= LINE { first + self.below } else { second }]
    }
}

/// Where the pixels of a block lie: the numbers of the first of four words of its upper row, twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPlace([u32; 2]);

impl BlockPlace {
    /// Words that there are not: no buffer has so many.
    const NONE: u32 = u32::MAX / 2;
}

impl Default for BlockPlace {
    fn default() -> Self {
        BlockPlace([Self::NONE; 2])
    }
}

/// The pixels of a buffer.
#[derive(Clone, Debug)]
pub struct PixelPairs<'a> {
    words: Words<'a>,
    places: Arc<PixelPairPlaces>,
}

impl<'a> PixelPairs<'a> {
    /// The pixels at these places of these words.
    pub fn new(words: Words<'a>, places: Arc<PixelPairPlaces>) -> Self {
        PixelPairs { words, places }
    }

    /// Whether the pixels of both buffers lie at the same places.
    pub fn is_like(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.places, &other.places)
    }

    /// Where the pixels of the block lie whose upper left pixel is in this column, a multiple of [`FOUR`], and in this row, which is even.
    #[inline(always)]
    pub fn place(&self, place: (u16, u16)) -> BlockPlace {
        self.places.block(place)
    }

    /// The pixels of the block that lies there.
    #[inline(always)]
    pub fn block(&self, BlockPlace([first, second]): BlockPlace) -> PixelPairBlock<'_> {
        PixelPairBlock { words: self.words, places: [first as usize, second as usize], below: self.places.below }
    }

    /// Asks for the memory of the block that lies there, which is accessed soon.
    #[inline(always)]
    pub fn prefetch(&self, place: BlockPlace) {
        let [first, second] = self.places.lines(place);
        self.words.prefetch(first);
        self.words.prefetch(second);
    }

    /// The pixels of so many quads from the one whose upper left pixel is in this column and row, which are even; `None` if not all of them are
    /// there.
    #[inline(always)]
    pub fn span(&self, (x, y): (u16, u16), quads: usize) -> Option<PixelPairSpan<'_>> {
        let PixelPairPlaces { columns, rows, below, has_rows, .. } = &*self.places;
        let first = usize::from(x / 2);
        let (columns, row) = (columns.get(first..first + quads)?, *rows.get(usize::from(y / 2))?);
        Some(PixelPairSpan { words: self.words, columns, row, below: *below, has_rows: *has_rows })
    }
}

/// The pixels of quads side by side.
#[derive(Clone, Copy)]
pub struct PixelPairSpan<'a> {
    words: Words<'a>,
    columns: &'a [AddressPart],
    row: AddressPart,
    below: usize,
    has_rows: bool,
}

impl PixelPairSpan<'_> {
    /// The number of the word of the upper left pixel of a quad.
    #[inline(always)]
    fn place(&self, column: &AddressPart) -> usize {
        column.with(self.row) as usize / 4
    }

    /// The pairs of a line, if they lie together.
    #[inline(always)]
    fn row(&self, line: usize) -> Option<impl Iterator<Item = WordPair<'_>>> {
        let first = self.place(self.columns.first().filter(|_| self.has_rows)?);
        self.words.pairs(first + line * self.below, self.columns.len())
    }

    /// The pair of a line in a column, if it is there.
    #[inline(always)]
    fn pair(&self, column: &AddressPart, line: usize) -> Option<WordPair<'_>> {
        self.words.pair(self.place(column) + line * self.below)
    }

    /// Reads the words of the upper and of the lower pixels.
    #[inline(always)]
    pub fn read(&self, lines: [&mut [Pair]; 2]) {
        for (line, words) in lines.into_iter().enumerate() {
            if let Some(pairs) = self.row(line) {
                for (words, pair) in words.iter_mut().zip(pairs) {
                    *words = pair.get();
                }
            } else {
                for (words, column) in words.iter_mut().zip(self.columns) {
                    *words = self.pair(column, line).map_or([0; 2], |pair| pair.get());
                }
            }
        }
    }

    /// Writes the words of pixels: bit n of the upper or the lower mask is that of the upper or lower pixel in column n. The others of a quad are
    /// written as they are: conditions that vary so much take longer.
    #[inline(always)]
    pub fn write(&self, lines: [&[Pair]; 2], masks: [u8; 2]) {
        for ((line, words), mut mask) in lines.into_iter().enumerate().zip(masks) {
            if let Some(pairs) = self.row(line) {
                for (&words, pair) in words.iter().zip(pairs) {
                    replace(pair, words, mask);
                    mask >>= 2;
                }
            } else {
                for (&words, column) in words.iter().zip(self.columns) {
                    if let Some(pair) = self.pair(column, line) {
                        replace(pair, words, mask);
                    }
                    mask >>= 2;
                }
            }
        }
    }
}

/// The pixels of a block of quads.
#[derive(Clone, Copy)]
pub struct PixelPairBlock<'a> {
    words: Words<'a>,
    /// The numbers of the first of four words of the upper row, twice.
    places: [usize; 2],
    below: usize,
}

impl<'a> PixelPairBlock<'a> {
    /// The upper and the lower row, if all of their pixels are there.
    #[inline(always)]
    pub fn rows(&self) -> Option<[[FourWords<'a>; 2]; 2]> {
        self.words.rows_of_fours(self.places, self.below)
    }

    /// The same, each half of a row as far as it is there.
    pub fn parts(&self) -> [[Option<FourWords<'a>>; 2]; 2] {
        let [first, second] = self.places;
        let row = |below: usize| [self.words.four(first + below), self.words.four(second + below)];
        [row(0), row(self.below)]
    }
}

/// Words of a line of a cache.
const LINE: usize = 16;

/// Replaces those words of a pair whose bit of the lowest two is set.
#[inline(always)]
fn replace(pair: WordPair, new: Pair, mask: u8) {
    const CHOSEN: [u64; 4] = [0, u32::MAX as u64, (u32::MAX as u64) << 32, u64::MAX];
    let join = |[first, second]: Pair| u64::from(first) | u64::from(second) << 32;
    let (old, chosen) = (join(pair.get()), CHOSEN[usize::from(mask & 3)]);
    let bits = old ^ (old ^ join(new)) & chosen;
    pair.set([bits as u32, (bits >> 32) as u32]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MicroTile;
    use ctm_memory::{Arena, AvxAccess, RowWords, ScalarAccess};

    const BASE: u32 = 0x1_0000;

    #[test]
    fn quads_are_their_pixels() {
        let micros = [MicroTile::Linear, MicroTile::Tiled, MicroTile::Square];
        for (macro_tile, micro) in [false, true].into_iter().flat_map(|on| micros.map(|micro| (on, micro))) {
            let layout = Layout::new(4, 128 * 4, macro_tile, micro);
            let places = Arc::new(PixelPairPlaces::new(layout, 128, 64).unwrap());
            let memory = Arena::new(BASE, 0x1_0000).unwrap();
            (0..128 * 64).for_each(|n| assert!(memory.write_u32(BASE + 4 * n, n)));
            let pairs = PixelPairs::new(memory.shared_words(BASE, 128 * 64).unwrap(), places);
            let read = |x, y| {
                let (mut upper, mut lower) = ([[7; 2]], [[7; 2]]);
                pairs.span((x, y), 1).unwrap().read([&mut upper, &mut lower]);
                [upper[0], lower[0]]
            };
            for (x, y) in (0..64).step_by(2).flat_map(|y| (0..128).step_by(2).map(move |x| (x, y))) {
                let word = |x: u16, y: u16| layout.offset(x.into(), y.into()) / 4;
                let expected = [[word(x, y), word(x + 1, y)], [word(x, y + 1), word(x + 1, y + 1)]];
                assert_eq!(read(x, y), expected, "{layout:?} {x} {y}");
                let write = |[upper, lower]: [Pair; 2], masks| {
                    pairs.span((x, y), 1).unwrap().write([&[upper], &[lower]], masks);
                };
                write([[1, 2], [3, 4]], [0b01, 0b10]);
                assert_eq!(read(x, y), [[1, expected[0][1]], [expected[1][0], 4]]);
                write([[5, 6], [7, 8]], [0b00, 0b11]);
                assert_eq!(read(x, y), [[1, expected[0][1]], [7, 8]]);
                write(expected, [0b11; 2]);
            }
            assert!(pairs.span((128, 0), 1).is_none() && pairs.span((0, 64), 1).is_none(), "outside");
            let block = |x| pairs.block(pairs.place((x, 2)));
            let addresses = |x: u32, y: u32| (x..x + 8).map(move |x| layout.offset(x, y));
            let [upper, lower] = block(20).rows().unwrap();
            let words = [20, 21, 22, 23, 24, 25, 26, 27];
            match AvxAccess::new() {
                Some(access) => lower.set(words, access),
                None => lower.set(words, ScalarAccess),
            }
            assert!(upper.get(ScalarAccess).into_iter().eq(addresses(20, 2).map(|address| address / 4)));
            for (address, word) in addresses(20, 3).zip(words) {
                assert_eq!(memory.read_u32(BASE + address), Some(word));
                memory.write_u32(BASE + address, address / 4);
            }
            // The last columns are half a block.
            assert!(block(124).rows().is_none());
            let [_, lower] = block(124).parts();
            let found = lower.get(ScalarAccess);
            assert!(found.into_iter().take(4).eq(addresses(124, 3).take(4).map(|address| address / 4)));
            assert_eq!(found[4..], [0; 4]);
            lower.set(words, ScalarAccess);
            assert!(addresses(124, 3).zip(20..24).all(|(address, word)| memory.read_u32(BASE + address) == Some(word)));
            for outside in [(128, 2), (124, 64)] {
                let block = pairs.block(pairs.place(outside));
                assert!(block.rows().is_none() && block.parts().as_flattened().iter().all(Option::is_none), "outside");
            }
        }
    }
}
