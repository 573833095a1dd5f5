//! Buffers whose pixels have four bytes and one sample, two pixels of a row at a time.

use crate::layout::{Layout, Part};
use ctm_memory::{Access, Four, Pair as WordPair, Tiling, Words};
use ctm_raster::bytes::ByteColours;
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
    /// The pixels of a row lie together.
    has_rows: bool,
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
pub const FOUR: usize = 4;

/// A word for each of two pixels side by side.
pub type Pair = [u32; 2];

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

    /// The pixels of so many quads from the one whose upper left pixel is in this column and row, which are even; `None` if not all of them are
    /// there.
    #[inline(always)]
    pub fn span(&self, (x, y): (u16, u16), quads: usize) -> Option<PairSpan<'_>> {
        let PairPlaces { columns, rows, below, has_rows, .. } = &*self.places;
        let first = usize::from(x / 2);
        let (columns, row) = (columns.get(first..first + quads)?, *rows.get(usize::from(y / 2))?);
        Some(PairSpan { words: self.words, columns, row, below: *below, has_rows: *has_rows })
    }
}

/// The pixels of quads side by side.
#[derive(Clone, Copy)]
pub struct PairSpan<'a> {
    words: Words<'a>,
    columns: &'a [Part],
    row: Part,
    below: usize,
    has_rows: bool,
}

impl PairSpan<'_> {
    /// The number of the word of the upper left pixel of a quad.
    #[inline(always)]
    fn place(&self, column: &Part) -> usize {
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
    fn pair(&self, column: &Part, line: usize) -> Option<WordPair<'_>> {
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
    pub fn write(&self, lines: [&[Pair]; 2], masks: [u64; 2]) {
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

    /// Writes colours that are rounded to bytes to the pixels whose bit is set in the mask of the upper or the lower ones, eight at a time. The
    /// column of the first quad is a multiple of [`FOUR`], and there are words for whole eights of pixels.
    #[inline(always)]
    pub fn write_colours(&self, lines: [&[Pair]; 2], masks: [u64; 2], colours: &ByteColours, access: impl Access) {
        for ((line, words), mut mask) in lines.into_iter().enumerate().zip(masks) {
            for (number, &words) in words.as_chunks::<FOUR>().0.iter().enumerate() {
                let bits = u32::from(mask as u8);
                mask >>= 2 * FOUR;
                if bits != 0 {
                    let group = self.group(FOUR * number, line);
                    let chosen = std::array::from_fn(|n| chosen(bits, n));
                    let new = colours.write(eight(words), group.get(access), chosen);
                    group.set(as_vector(&new), access);
                }
            }
        }
    }

    /// The words of a line of four quads, from one on whose number and column are multiples of [`FOUR`]: each half, if it is there.
    #[inline(always)]
    pub fn group(&self, first: usize, line: usize) -> Group<'_> {
        let four = |n: usize| {
            let column = self.columns.get(first + n * FOUR / 2)?;
            self.words.four(self.place(column) + line * self.below)
        };
        Group([four(0), four(1)])
    }

    /// Asks for the memory of the pixels, which is accessed soon.
    #[inline(always)]
    pub fn prefetch(&self) {
        /// Words of a line of a cache.
        const LINE: usize = 16;
        for column in self.columns.iter().step_by(LINE / 4) {
            let place = self.place(column);
            self.words.prefetch(place);
            if self.below >= LINE {
                self.words.prefetch(place + self.below);
            }
        }
    }
}

/// The words of eight pixels of a row.
type Eight = [u32; 2 * FOUR];

/// The words of four pairs.
#[inline(always)]
fn eight([a, b, c, d]: [Pair; FOUR]) -> Eight {
    [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
}

/// All bits if bit `n`, of 32, is set, else none.
#[inline(always)]
pub fn chosen(bits: u32, n: usize) -> u32 {
    ((bits << (31 - n)).cast_signed() >> 31).cast_unsigned()
}

/// The same words, as the compiler does not see: else it takes apart what makes them, as they are stored in pairs, and calculates many of them one
/// by one.
#[inline(always)]
pub fn as_vector(words: &Eight) -> &Eight {
    std::hint::black_box(words)
}

/// Replaces those words of a pair whose bit of the lowest two is set.
#[inline(always)]
fn replace(pair: WordPair, new: Pair, mask: u64) {
    const CHOSEN: [u64; 4] = [0, u32::MAX as u64, (u32::MAX as u64) << 32, u64::MAX];
    let join = |[first, second]: Pair| u64::from(first) | u64::from(second) << 32;
    let (old, chosen) = (join(pair.get()), CHOSEN[mask as usize & 3]);
    let bits = old ^ (old ^ join(new)) & chosen;
    pair.set([bits as u32, (bits >> 32) as u32]);
}

/// The words of eight pixels of a row.
#[derive(Clone, Copy)]
pub struct Group<'a>([Option<Four<'a>>; 2]);

impl Group<'_> {
    /// The words; 0 where there is none.
    #[inline(always)]
    pub fn get(self, access: impl Access) -> Eight {
        let mut words = [0; 2 * FOUR];
        for (words, four) in words.as_chunks_mut().0.iter_mut().zip(self.0) {
            *words = four.map_or([0; FOUR], |four| access.get(four));
        }
        words
    }

    /// Replaces them; nothing happens where there is none.
    #[inline(always)]
    pub fn set(self, words: &Eight, access: impl Access) {
        for (words, four) in words.as_chunks().0.iter().zip(self.0) {
            if let Some(four) = four {
                access.set(four, *words);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MicroTile;
    use ctm_memory::{Arena, ByVector, InPairs};
    use ctm_raster::channel::{Channel, Kind};
    use ctm_raster::colour::{ColourState, Operation};
    use ctm_raster::target::TargetFormat;

    const BASE: u32 = 0x1_0000;

    /// Colours of which the first channel is not written.
    fn colours_without_the_first_channel() -> ByteColours {
        let channels = [0, 1, 2, 3].map(|n| Some(Channel::new(8 * n, 8, Kind::Unorm)));
        let state = ColourState::new(TargetFormat { bytes: 4, channels }, Operation::Copy, 0xE, None, [0; 4]);
        ByteColours::of(&state).unwrap()
    }

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
            let span = pairs.span((4, 2), 6).unwrap();
            let given = [[[0x01FF_0100, 0x01FF_0200]; 8], [[0x01FF_0300, 0x01FF_0400]; 8]];
            let (masks, colours) = ([0b10, 0b11 << 9], colours_without_the_first_channel());
            match (ByVector::new(), micro) {
                (Some(access), MicroTile::Linear | MicroTile::Tiled) => {
                    span.write_colours([&given[0], &given[1]], masks, &colours, access);
                }
                _ => span.write_colours([&given[0], &given[1]], masks, &colours, InPairs),
            }
            for (line, x) in (0..2).flat_map(|line| (0..12).map(move |x| (line, x))) {
                let address = layout.offset(4 + x as u32, 2 + line as u32);
                let old = address / 4;
                let new = if masks[line] >> x & 1 != 0 { old & 0xFF | given[line][0][x % 2] & !0xFF } else { old };
                assert_eq!(memory.read_u32(BASE + address), Some(new), "{line} {x}");
                memory.write_u32(BASE + address, old);
            }
            let group = span.group(4, 1).get(InPairs);
            assert_eq!(group[..4], [12, 13, 14, 15].map(|x| layout.offset(x, 3) / 4));
            assert_eq!(group[4..], [0; 4], "those that the span lacks");
            span.group(4, 1).set(&[20, 21, 22, 23, 24, 25, 26, 27], InPairs);
            assert_eq!(
                pairs.span((12, 2), 4).unwrap().group(0, 1).get(InPairs)[..5],
                [20, 21, 22, 23, layout.offset(16, 3) / 4]
            );
        }
    }
}
