//! Where the pixels of surfaces lie: in quads of two by two pixels, and in blocks of quads. Surfaces of several samples are as many surfaces, which
//! lie one after the other or between each other.

use ctm_card::ObjectBytes;
use ctm_memory::{EightWords, FourWords, WordPair, Words};
use ctm_raster::covered;
use std::sync::Arc;

/// What the column or the row of an element says of where it lies, in bytes: something is added, and bits are toggled by both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressPart {
    /// What is added.
    pub added: u64,
    /// The bits that are toggled.
    pub toggled: u64,
}

impl AddressPart {
    /// Bytes from the beginning of the surface to the element of this column and that row.
    #[inline(always)]
    pub fn with(self, other: AddressPart) -> u64 {
        self.added + other.added + (self.toggled ^ other.toggled)
    }
}

/// Where the elements of a surface lie. Four elements of four bytes side by side lie together, if the first one's column is a multiple of that.
pub trait Layout: Copy + PartialEq {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    fn bytes(&self) -> u32;
    /// Columns and rows. There is nothing beyond them.
    fn size(&self) -> [u32; 2];
    /// What a column says.
    fn column(&self, x: u32) -> AddressPart;
    /// The same of a row of a slice.
    fn row(&self, y: u32, slice: u32) -> AddressPart;
    /// Bytes from the beginning of the surface to an element.
    fn offset(&self, x: u32, y: u32, slice: u32) -> u64;
    /// How much farther the elements of a quad lie than its first one, which is at an even column and row: row by row.
    fn quad(&self) -> [u64; 4];
}

/// Slices of a surface that are drawn to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers {
    /// The first slice.
    pub first: u32,
    /// The last slice.
    pub last: u32,
}

impl Layers {
    /// The slice of a layer; those after the last one are the last one (decision D234 of the card).
    #[inline(always)]
    pub fn slice(self, layer: u32) -> u32 {
        self.first.saturating_add(layer).min(self.last.max(self.first))
    }
}

/// Where the quads of a slice lie, by column and row: what many draws have in common.
#[derive(Debug)]
struct QuadPlaces {
    slice: u32,
    columns: Vec<AddressPart>,
    rows: Vec<AddressPart>,
}

/// Columns and rows whose places are kept.
const MOST: u32 = 1 << 13;
/// Slices whose places are kept.
const SLICES: usize = 32;

impl QuadPlaces {
    /// Of a layout.
    fn new(layout: &impl Layout, slice: u32) -> Self {
        let every_second = |size: u32| (0..size.min(MOST)).step_by(2);
        let [width, height] = layout.size();
        let columns = every_second(width).map(|x| layout.column(x)).collect();
        let rows = every_second(height).map(|y| layout.row(y, slice)).collect();
        QuadPlaces { slice, columns, rows }
    }
}

/// Finds out where elements of a row of slice 0 lie: of every `STEP` of them, the first one.
pub fn row_places<const STEP: usize>(layout: impl Layout) -> impl Fn(u32, &mut [u64]) {
    let columns: Vec<_> = (0..layout.size()[0]).step_by(STEP).map(|x| layout.column(x)).collect();
    move |y, places| {
        let row = layout.row(y, 0);
        places.iter_mut().zip(&columns).for_each(|(place, column)| *place = column.with(row));
    }
}

/// Places of quads that draws have asked for, by layout and slice.
#[derive(Debug)]
pub struct PlaceCache<L>(Vec<(L, Arc<QuadPlaces>)>);

impl<L> Default for PlaceCache<L> {
    fn default() -> Self {
        PlaceCache(Vec::new())
    }
}

impl<L: Layout> PlaceCache<L> {
    /// Of the slice of a layout; if they are not known, they are found only where that is `worth` it.
    fn of(&mut self, layout: L, slice: u32, worth: bool) -> Option<Arc<QuadPlaces>> {
        if let Some((_, known)) = self.0.iter().find(|(other, known)| *other == layout && known.slice == slice) {
            return Some(Arc::clone(known));
        }
        let places = if worth { Arc::new(QuadPlaces::new(&layout, slice)) } else { return None };
        if self.0.len() >= SLICES {
            self.0.clear();
        }
        self.0.push((layout, Arc::clone(&places)));
        Some(places)
    }
}

/// A block, with where its pixels lie in the surfaces of which that is known.
pub type Block = covered::Block<BlockPlaces>;

/// What runs together.
pub type Chunk<'w> = covered::Chunk<'w, BlockPlaces>;

/// Where the pixels of a block lie in two surfaces: in one that has [`SurfaceBlocks`], and in the next one where they lie elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockPlaces([BlockPlace; 2]);

/// Where the pixels of a block lie: the numbers of the first of four words of its upper row, twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPlace([u32; 2]);

impl BlockPlace {
    /// Words that there are not: no surface has so many.
    const NONE: BlockPlace = BlockPlace([u32::MAX / 2; 2]);
}

impl Default for BlockPlace {
    fn default() -> Self {
        BlockPlace::NONE
    }
}

/// The blocks of a surface of pixels of four bytes of which one slice is drawn to, and it is known where its quads lie.
#[derive(Clone, Copy)]
pub struct SurfaceBlocks<'t> {
    words: Words<'t>,
    places: &'t QuadPlaces,
    /// Words from a row to the next one.
    below: usize,
    /// Which of the [places](Block::place) that blocks know is theirs in it.
    known: Option<usize>,
}

/// The blocks of the surfaces in which blocks know their places.
pub struct PlacedBlocks<'t> {
    first: SurfaceBlocks<'t>,
    second: Option<SurfaceBlocks<'t>>,
}

impl<'t> PlacedBlocks<'t> {
    /// Of surfaces in their order; none if none has such.
    pub fn of(mut surfaces: impl Iterator<Item = SurfaceBlocks<'t>>) -> Option<Self> {
        let first = surfaces.next()?;
        let second = surfaces.find(|blocks| !blocks.are_at_places_of(&first));
        Some(PlacedBlocks { first, second })
    }

    /// The places of the block whose upper left pixel is in this column, a multiple of four, and in this row, which is even.
    #[inline(always)]
    pub fn places(&self, corner: (u16, u16)) -> BlockPlaces {
        let second = match &self.second {
            Some(second) => second.place(corner),
            None => BlockPlace::NONE,
        };
        BlockPlaces([self.first.place(corner), second])
    }
}

impl<'t> SurfaceBlocks<'t> {
    /// The same, for blocks that know their places in these.
    pub fn with(self, known: &PlacedBlocks) -> Self {
        let all = [Some(&known.first), known.second.as_ref()];
        let known = all.iter().position(|other| other.is_some_and(|other| self.are_at_places_of(other)));
        SurfaceBlocks { known, ..self }
    }

    /// Whether blocks lie at the same places in another surface.
    fn are_at_places_of(&self, other: &SurfaceBlocks) -> bool {
        std::ptr::eq(self.places, other.places) && self.below == other.below
    }

    /// Where the block lies whose upper left pixel is in this column, a multiple of four, and in this row, which is even.
    #[inline(always)]
    pub fn place(&self, (x, y): (u16, u16)) -> BlockPlace {
        let QuadPlaces { columns, rows, .. } = self.places;
        let (columns, row) = (columns.get(usize::from(x / 2)..), rows.get(usize::from(y / 2)));
        // Four pixels of a row lie together.
        let (Some([first, _, second, ..]), Some(row)) = (columns, row) else { return BlockPlace::NONE };
        BlockPlace([first, second].map(|column| (column.with(*row) / 4) as u32))
    }

    #[inline(always)]
    fn place_of(&self, block: &Block) -> BlockPlace {
        match self.known {
            Some(0) => block.place.0[0],
            Some(_) => block.place.0[1],
            None => self.place((block.x, block.y)),
        }
    }

    /// The words of both rows of a block; `None` if not all of it is there.
    #[inline(always)]
    pub fn rows(&self, block: &Block) -> Option<[[FourWords<'t>; 2]; 2]> {
        self.rows_at(self.place_of(block))
    }

    /// The same of the block at a place.
    #[inline(always)]
    pub fn rows_at(&self, BlockPlace(places): BlockPlace) -> Option<[[FourWords<'t>; 2]; 2]> {
        self.words.rows_of_fours(places.map(|place| place as usize), self.below)
    }

    /// The words of the eight rows of eight pixels from a column and a row on, which are multiples of that, in the order of memory, if they lie together,
    /// and all of them are there.
    #[inline(always)]
    pub fn tile(&self, (x, y): (u16, u16)) -> Option<[EightWords<'t>; 8]> {
        let QuadPlaces { columns, rows, .. } = self.places;
        let [first, _, second, ..] = columns.get(usize::from(x / 2)..)? else { return None };
        let [a, b, c, d, ..] = rows.get(usize::from(y / 2)..)? else { return None };
        let place = first.with(*a);
        let pairs = [second.with(*a), first.with(*b), first.with(*c), first.with(*d)];
        let lie_together = self.below == 4 && pairs == [32, 64, 128, 192].map(|distance| place + distance);
        if lie_together { self.words.eights_from((place / 4) as usize) } else { None }
    }

    /// Asks for the memory of a block, which is read or written soon.
    #[inline(always)]
    pub fn prefetch(&self, block: &Block) {
        self.prefetch_at(self.place_of(block));
    }

    /// The same of the block at a place.
    #[inline(always)]
    pub fn prefetch_at(&self, BlockPlace([first, second]): BlockPlace) {
        // Where both rows are in a line of a cache, the other half of the block may be in another.
        let other = if self.below >= LINE { first as usize + self.below } else { second as usize };
        self.words.prefetch(first as usize);
        self.words.prefetch(other);
    }
}

/// A surface, as that of one sample of pixels: its quads, and its blocks, if there are such.
pub type SampleSurface<'t, 'd, L> = (&'t SurfaceQuads<'d, L>, Option<SurfaceBlocks<'t>>);

/// Words of a line of a cache.
const LINE: usize = 16;

/// The place of what lies beyond a surface: no bytes are there.
const NOWHERE: u64 = u64::MAX / 2;

/// The quads of a surface.
#[derive(Clone)]
pub struct SurfaceQuads<'a, L> {
    bytes: ObjectBytes<'a>,
    /// The same, where pixels are whole words.
    words: Option<Words<'a>>,
    /// The same, where they are single words, and four of a row are all inside of the surface or outside.
    fours: Option<Words<'a>>,
    layout: L,
    layers: Layers,
    /// How much farther the pixels of a quad lie than its first one.
    distances: [u64; 4],
    /// Where those of one slice lie, if that is known.
    places: Option<Arc<QuadPlaces>>,
}

impl<'a, L: Layout> SurfaceQuads<'a, L> {
    /// Of the surface that lies there.
    pub fn new(layout: L, bytes: ObjectBytes<'a>, layers: Layers) -> Self {
        let words = if layout.bytes() >= 4 { bytes.words() } else { None };
        let has_fours = layout.bytes() == 4 && layout.size()[0].is_multiple_of(covered::FOUR);
        let (fours, distances) = (words.filter(|_| has_fours), layout.quad());
        SurfaceQuads { bytes, words, fours, layout, layers, distances, places: None }
    }

    /// The same of the surface that lies so many bytes farther: another sample of the same pixels.
    pub fn farther(&self, bytes: u64) -> Self {
        let bytes = self.bytes.from(bytes);
        let words = self.words.and_then(|_| bytes.words());
        let (fours, places) = (self.fours.and(words), self.places.clone());
        SurfaceQuads { bytes, words, fours, places, ..*self }
    }

    /// The same, with the places of the slice of the first layer that is drawn to, if they are known or finding them is `worth` it.
    pub fn with_places(self, kept: &mut PlaceCache<L>, worth: bool) -> Self {
        SurfaceQuads { places: kept.of(self.layout, self.layers.slice(0), worth), ..self }
    }

    /// The blocks, if pixels and layers are such.
    pub fn blocks(&self) -> Option<SurfaceBlocks<'_>> {
        let (words, places) = self.fours.zip(self.places.as_ref())?;
        let is_one = self.layers.first >= self.layers.last && self.layers.first == places.slice;
        let below = (self.distances[2] / 4) as usize;
        // Places are numbers of words of 32 bits.
        let fits = self.bytes.size() < 1 << 32;
        (is_one && fits).then_some(SurfaceBlocks { words, places, below, known: None })
    }

    /// Where the quad with this upper left pixel lies.
    #[inline(always)]
    pub fn place(&self, (x, y): (u32, u32), layer: u32) -> u64 {
        let slice = self.layers.slice(layer);
        if let Some(places) = &self.places
            && slice == places.slice
            && let (Some(column), Some(row)) = (places.columns.get(x as usize / 2), places.rows.get(y as usize / 2))
        {
            return column.with(*row);
        }
        self.place_of(x, y, slice)
    }

    #[inline(never)]
    fn place_of(&self, x: u32, y: u32, slice: u32) -> u64 {
        let [width, height] = self.layout.size();
        if x < width && y < height { self.layout.offset(x, y, slice) } else { NOWHERE }
    }

    /// Which pixels of the quad at a place are there: bit n for pixel n, row by row.
    pub fn existing(&self, place: u64) -> u8 {
        let is_there = |pixel: usize| self.bytes.address(place + self.distances[pixel], self.layout.bytes()).is_some();
        (0..4).fold(0, |existing, pixel| existing | u8::from(is_there(pixel)) << pixel)
    }

    /// Asks for the memory of a quad, which is read or written soon.
    #[inline(always)]
    pub fn prefetch(&self, place: u64) {
        if let Some(words) = self.words {
            words.prefetch((place / 4) as usize);
        }
    }

    /// The words of a pixel of sixteen bytes, if all of it is there.
    #[inline(always)]
    fn four(&self, place: u64) -> Option<FourWords<'a>> {
        self.words.filter(|_| self.layout.bytes() == 16)?.four((place / 4) as usize)
    }

    /// The pairs of words of a quad of pixels of four bytes, if all of it is there.
    #[inline(always)]
    fn pairs(&self, place: u64) -> Option<[WordPair<'a>; 2]> {
        let words = self.words.filter(|_| self.layout.bytes() == 4)?;
        let pair = |distance: u64| words.pair(((place + distance) / 4) as usize);
        Some([pair(0)?, pair(self.distances[2])?])
    }

    /// The words of both rows of the block of pixels of four bytes whose upper left one is in this column, a multiple of four, and in this row, which is
    /// even; `None` if pixels have others, or not all of it is there.
    #[inline(always)]
    pub fn rows(&self, (x, y): (u16, u16), layer: u32) -> Option<[[FourWords<'a>; 2]; 2]> {
        let words = self.fours?;
        let (x, y) = (u32::from(x), u32::from(y));
        // Four pixels of a row lie together.
        let first = (self.place((x, y), layer) / 4) as usize;
        let second = (self.place((x + 4, y), layer) / 4) as usize;
        let below = (self.distances[2] / 4) as usize;
        words.rows_of_fours([first, second], below)
    }

    /// The words of the pixels of a quad, row by row, if pixels have sixteen bytes, and all of them are there.
    #[inline(always)]
    pub fn vectors(&self, place: u64) -> Option<[[FourWords<'a>; 2]; 2]> {
        let words = self.words.filter(|_| self.layout.bytes() == 16)?;
        // The second pixel of a row is as far from the first one in both rows.
        let first = (place / 4) as usize;
        words.rows_of_fours([first, first + (self.distances[1] / 4) as usize], (self.distances[2] / 4) as usize)
    }

    /// Stores the words of the pixels of a mask, if pixels have sixteen bytes, and all of them are there; whether it did.
    #[inline(always)]
    pub fn write_vectors(&self, place: u64, mask: u8, mut vector: impl FnMut(usize) -> [u32; 4]) -> bool {
        let [a, b, c, d] = self.distances.map(|distance| self.four(place + distance));
        let (Some(a), Some(b), Some(c), Some(d)) = (a, b, c, d) else { return false };
        for (pixel, four) in [a, b, c, d].into_iter().enumerate() {
            if mask >> pixel & 1 != 0 {
                four.set(vector(pixel));
            }
        }
        true
    }

    /// What is stored becomes quad `number` of some: of each word, that of each pixel, row by row. 0 where there is nothing.
    #[inline(always)]
    pub fn read<const N: usize>(&self, place: u64, number: usize, words: &mut [[u32; N]; 4]) {
        if let (Some([upper, lower]), Some(quad)) = (self.pairs(place), words[0].as_chunks_mut().0.get_mut(number)) {
            let ([a, b], [c, d]) = (upper.get(), lower.get());
            *quad = [a, b, c, d];
            return;
        }
        for (pixel, distance) in self.distances.into_iter().enumerate() {
            let stored = match self.four(place + distance) {
                Some(four) => four.get(),
                None => self.bytes.read(place + distance, self.layout.bytes()),
            };
            words.iter_mut().zip(stored).for_each(|(word, stored)| word[4 * number + pixel] = stored);
        }
    }

    /// Stores the pixels of a mask of quad `number` of some, where they are there. Nobody else writes to the others meanwhile.
    #[inline(always)]
    pub fn write<const N: usize>(&self, place: u64, number: usize, words: &[[u32; N]; 4], mask: u8) {
        if let (Some(pairs), Some(quad)) = (self.pairs(place), words[0].as_chunks::<4>().0.get(number)) {
            for (row, pair) in pairs.into_iter().enumerate() {
                let new = [quad[2 * row], quad[2 * row + 1]];
                match mask >> (2 * row) & 3 {
                    0 => {}
                    1 => pair.set([new[0], pair.get()[1]]),
                    2 => pair.set([pair.get()[0], new[1]]),
                    _ => pair.set(new),
                }
            }
            return;
        }
        for (pixel, distance) in self.distances.into_iter().enumerate().filter(|(pixel, _)| mask >> pixel & 1 != 0) {
            let pixel = 4 * number + pixel;
            let stored = [words[0][pixel], words[1][pixel], words[2][pixel], words[3][pixel]];
            match self.four(place + distance) {
                Some(four) => four.set(stored),
                None => self.bytes.write(place + distance, self.layout.bytes(), stored),
            }
        }
    }
}
