//! Where the elements of a surface lie: rows, or tiles of 8x8 elements over banks. The card has one pipe.
//!
//! Sources: libdrm's `radeon_surface.c` (sizes), the family's published address equations.

use crate::registers::codes::ArrayMode;
use ctm_card::ObjectBytes;
use ctm_pipeline::{AddressPart, Layers};

/// Banks that tiles are spread over.
const BANKS: u64 = 4;
/// Bytes of a group: what lies together in a bank.
const GROUP: u64 = 256;
/// Bytes of a tile that lie in one slice of memory.
const TILE_SPLIT: u64 = 2048;
/// Elements of a tile's side.
const SIDE: u64 = 8;
/// Where the elements of a tile lie in it, row by row, of elements of 1, 2, 4, 8 and 16 bytes: in elements.
const ELEMENTS: [[u8; 64]; 5] = [elements(1), elements(2), elements(4), elements(8), elements(16)];

const fn elements(bytes: u32) -> [u8; 64] {
    let mut places = [0; 64];
    let mut element = 0;
    while element < 64 {
        let (x, y) = (element as u8 & 7, element as u8 >> 3);
        let [x0, x1, x2, y0, y1, y2] = [x & 1, x >> 1 & 1, x >> 2, y & 1, y >> 1 & 1, y >> 2];
        // Lowest bit first.
        let bits = match bytes {
            1 => [x0, x1, x2, y1, y0, y2],
            2 => [x0, x1, x2, y0, y1, y2],
            4 => [x0, x1, y0, x2, y1, y2],
            8 => [x0, y0, x1, x2, y1, y2],
            _ => [y0, x0, x1, x2, y1, y2],
        };
        places[element] = bits[0] | bits[1] << 1 | bits[2] << 2 | bits[3] << 3 | bits[4] << 4 | bits[5] << 5;
        element += 1;
    }
    places
}

/// The layout of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    mode: Mode,
    /// Elements from one row to the next.
    pitch: u64,
    /// Rows of a slice.
    rows: u64,
    /// Bytes of a sample of an element.
    bytes: u64,
    /// Samples of an element, and the one whose places are asked for.
    samples: u64,
    sample: u64,
    /// Slices of memory that a tile is split over, and the binary logarithm of the bytes that it has in each.
    split: u64,
    part: u32,
    /// Bytes of a slice, and of a row of its tiles, that lie in one bank of one slice of memory: whole groups, as those of pitches that drivers choose
    /// are, so that columns and rows say by themselves where elements lie.
    bank_slice: u64,
    bank_row: u64,
}

/// To what pitches and rows of levels are rounded up, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granule {
    /// Elements.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
}

impl Granule {
    /// Of levels in this order, of elements of so many bytes and samples; `None` for orders that no driver uses.
    pub fn new(mode: ArrayMode, bytes: u32, samples: u32) -> Option<Self> {
        let (group, banks, side) = (GROUP as u32, BANKS as u32, SIDE as u32);
        let of_tiles = group / (side * bytes * samples).max(1);
        Some(match Mode::of(mode)? {
            Mode::Linear => Granule { columns: (group / bytes.max(1)).max(64), rows: 1 },
            Mode::Tiles => Granule { columns: of_tiles.max(side), rows: side },
            Mode::Banks => Granule { columns: (of_tiles * banks).max(side * banks), rows: side },
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Linear,
    Tiles,
    Banks,
}

impl Mode {
    fn of(mode: ArrayMode) -> Option<Self> {
        match mode {
            ArrayMode::LinearGeneral | ArrayMode::LinearAligned => Some(Mode::Linear),
            ArrayMode::Tiled1d => Some(Mode::Tiles),
            ArrayMode::Tiled2d => Some(Mode::Banks),
            _ => None,
        }
    }
}

impl Layout {
    /// Elements of 1, 2, 4, 8 or 16 bytes; `None` for orders that no driver uses, and other elements.
    pub fn new(mode: ArrayMode, pitch: u32, rows: u32, bytes: u32) -> Option<Self> {
        let known = matches!(bytes, 1 | 2 | 4 | 8 | 16);
        let mode = Mode::of(mode).filter(|_| known)?;
        let (pitch, rows, bytes) = (pitch.into(), rows.into(), bytes.into());
        Some(
            Layout { mode, pitch, rows, bytes, samples: 1, sample: 0, split: 1, part: 0, bank_slice: 0, bank_row: 0 }
                .with_samples(1),
        )
    }

    /// The same, of elements of so many samples.
    pub fn with_samples(self, samples: u32) -> Self {
        let layout = Layout { samples: samples.max(1).into(), ..self };
        let split = (layout.tile_bytes() / TILE_SPLIT).max(1);
        let part = (layout.tile_bytes() / split).ilog2();
        let bank_row = ((layout.pitch / (SIDE * BANKS)) << part).next_multiple_of(GROUP);
        let bank_slice = (layout.slice_bytes() / split / BANKS).next_multiple_of(GROUP);
        Layout { split, part, bank_slice, bank_row, ..layout }
    }

    /// How much farther a sample of an element lies than its first one, whichever element it is; none where that depends on the element.
    fn sample_distance(&self, sample: u32) -> Option<u64> {
        (!self.is_split()).then(|| self.sample_offset(0, 0, 0, sample))
    }

    /// Samples of an element.
    pub fn samples(&self) -> u32 {
        self.samples as u32
    }

    /// Elements from one row to the next.
    pub fn pitch(&self) -> u32 {
        self.pitch as u32
    }

    /// Rows of a slice.
    pub fn rows(&self) -> u32 {
        self.rows as u32
    }

    /// Whether elements of one sample lie row by row.
    pub fn is_linear(&self) -> bool {
        self.mode == Mode::Linear && self.samples == 1
    }

    /// Bytes of a slice.
    #[inline(always)]
    pub fn slice_bytes(&self) -> u64 {
        self.pitch * self.rows * self.bytes * self.samples
    }

    /// Bytes of a sample of an element.
    #[inline(always)]
    pub fn bytes(&self) -> u32 {
        self.bytes as u32
    }

    /// Bytes from the beginning of the level to an element; to its first sample, unless this is the layout of another one.
    #[inline(always)]
    pub fn offset(&self, x: u32, y: u32, slice: u32) -> u64 {
        self.sample_offset(x, y, slice, self.sample as u32)
    }

    /// Bytes from the beginning of the level to a sample of an element.
    #[inline(always)]
    pub fn sample_offset(&self, x: u32, y: u32, slice: u32, sample: u32) -> u64 {
        let (x, y, slice, sample) = (u64::from(x), u64::from(y), u64::from(slice), u64::from(sample));
        let Layout { mode, pitch, bytes, .. } = *self;
        match mode {
            Mode::Linear => slice * self.slice_bytes() + (y * pitch + x) * bytes,
            Mode::Tiles => {
                let tile = (y / SIDE) * (pitch / SIDE) + x / SIDE;
                slice * self.slice_bytes() + tile * self.tile_bytes() + self.element(x, y, sample)
            }
            Mode::Banks => self.banked(x, y, slice, sample),
        }
    }

    /// What column `x` says of where elements lie.
    pub fn column(&self, x: u32) -> AddressPart {
        self.part(self.sample_offset(x, 0, 0, 0))
    }

    /// The same of row `y` of a slice.
    pub fn row(&self, y: u32, slice: u32) -> AddressPart {
        self.part(self.offset(0, y, slice))
    }

    fn part(&self, offset: u64) -> AddressPart {
        let bank = match self.mode {
            Mode::Banks => offset & (GROUP * (BANKS - 1)),
            Mode::Linear | Mode::Tiles => 0,
        };
        AddressPart { added: offset - bank, toggled: bank }
    }

    fn is_split(&self) -> bool {
        self.mode == Mode::Banks && self.tile_bytes() > TILE_SPLIT
    }

    /// How much farther the eight elements of a row of a tile lie than the first one, whichever row it is.
    pub fn columns(&self) -> [u64; SIDE as usize] {
        std::array::from_fn(|x| self.offset(x as u32, 0, 0) - self.offset(0, 0, 0))
    }

    /// How much farther the elements of a square of two by two lie than its first one, which is at an even column and row: row by row.
    pub fn quad(&self) -> [u64; 4] {
        // Of a tile, the lowest bits of column and row are bits of places by themselves.
        let distance = |x, y| self.offset(x, y, 0) - self.offset(0, 0, 0);
        [0, distance(1, 0), distance(0, 1), distance(1, 1)]
    }

    /// Bytes of a tile.
    #[inline(always)]
    fn tile_bytes(&self) -> u64 {
        SIDE * SIDE * self.bytes * self.samples
    }

    /// Bytes from the beginning of a tile to a sample of an element: those of the first sample lie together.
    #[inline(always)]
    fn element(&self, x: u64, y: u64, sample: u64) -> u64 {
        let elements = &ELEMENTS[self.bytes.trailing_zeros() as usize % ELEMENTS.len()];
        (sample * SIDE * SIDE + u64::from(elements[(y % SIDE * SIDE + x % SIDE) as usize])) * self.bytes
    }

    #[inline(always)]
    fn banked(&self, x: u64, y: u64, slice: u64, sample: u64) -> u64 {
        let Layout { split, part, bank_slice, bank_row, .. } = *self;
        let element = self.element(x, y, sample);
        let (element, sub_slice) = (element & ((1 << part) - 1), element >> part);
        let bank = ((y >> 4 ^ x >> 3) & 1) | ((y >> 3 ^ x >> 4) & 1) << 1;
        let turns = [sub_slice * (BANKS / 2 + 1), slice * (BANKS / 2 - 1)];
        let bank = (bank ^ turns[0] ^ turns[1]) % BANKS;
        let tiles = (y / SIDE) * bank_row + ((x / (SIDE * BANKS)) << part);
        let offset = element + tiles + bank_slice * (sub_slice + split * slice);
        BANKS * (offset & !(GROUP - 1)) + GROUP * bank + offset % GROUP
    }
}

impl ctm_pipeline::Layout for Layout {
    fn bytes(&self) -> u32 {
        self.bytes()
    }

    fn size(&self) -> [u32; 2] {
        [self.pitch(), self.rows()]
    }

    fn column(&self, x: u32) -> AddressPart {
        self.column(x)
    }

    fn row(&self, y: u32, slice: u32) -> AddressPart {
        self.row(y, slice)
    }

    fn offset(&self, x: u32, y: u32, slice: u32) -> u64 {
        self.offset(x, y, slice)
    }

    fn quad(&self) -> [u64; 4] {
        self.quad()
    }
}

/// The quads of a surface.
pub type SurfaceQuads<'a> = ctm_pipeline::SurfaceQuads<'a, Layout>;

/// The quads of each sample of a surface, with places as `placed` gives them.
pub fn sample_quads<'a>(
    layout: Layout,
    bytes: ObjectBytes<'a>,
    layers: Layers,
    placed: impl Fn(SurfaceQuads<'a>) -> SurfaceQuads<'a>,
) -> Vec<SurfaceQuads<'a>> {
    let first = placed(SurfaceQuads::new(layout, bytes, layers));
    let quads = |sample: u32| match layout.sample_distance(sample) {
        Some(distance) => first.farther(distance),
        None => placed(SurfaceQuads::new(Layout { sample: sample.into(), ..layout }, bytes, layers)),
    };
    (0..layout.samples()).map(quads).collect()
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
                let granule = Granule::new(mode, bytes, 1).unwrap();
                let is_linear = mode == ArrayMode::LinearAligned;
                assert!(is_linear || pitch.is_multiple_of(granule.columns), "{granule:?}");
                let layout = Layout::new(mode, pitch, 32, bytes).unwrap();
                let mut places = HashSet::new();
                let (columns, quad) = (layout.columns(), layout.quad());
                for slice in 0..3 {
                    for (x, y) in (0..32).flat_map(|y| (0..pitch).map(move |x| (x, y))) {
                        let offset = layout.offset(x, y, slice);
                        assert_eq!(
                            offset,
                            layout.offset(x & !7, y, slice) + columns[x as usize % 8],
                            "{layout:?} {x} {y}"
                        );
                        let first = layout.offset(x & !1, y & !1, slice);
                        assert_eq!(offset, first + quad[(y % 2 * 2 + x % 2) as usize], "{layout:?} {x} {y}");
                        let parts = (layout.column(x), layout.row(y, slice));
                        assert_eq!(offset, parts.0.with(parts.1), "{layout:?} {x} {y}");
                        assert!(offset.is_multiple_of(bytes.into()) && places.insert(offset), "{layout:?} {x} {y}");
                    }
                }
                let last = places.iter().max().unwrap() + u64::from(bytes);
                assert_eq!(last, u64::from(3 * 32 * pitch * bytes), "{layout:?}: they fill their memory");
            }
        }
        assert_eq!(Layout::new(ArrayMode::Reserved5, 64, 64, 4), None);
    }

    #[test]
    fn every_sample_has_its_place() {
        for (bytes, samples) in [(1, 2), (2, 4), (4, 2), (4, 8), (8, 8), (16, 8)] {
            for mode in [ArrayMode::Tiled1d, ArrayMode::Tiled2d] {
                let Granule { columns, rows } = Granule::new(mode, bytes, samples).unwrap();
                let (pitch, rows) = (2 * columns, 4 * rows);
                let layout = Layout::new(mode, pitch, rows, bytes).unwrap().with_samples(samples);
                let (mut places, quad) = (HashSet::new(), layout.quad());
                for (slice, sample) in (0..3).flat_map(|slice| (0..samples).map(move |sample| (slice, sample))) {
                    for (x, y) in (0..rows).flat_map(|y| (0..pitch).map(move |x| (x, y))) {
                        let offset = layout.sample_offset(x, y, slice, sample);
                        let first = layout.sample_offset(x & !1, y & !1, slice, sample);
                        assert_eq!(offset, first + quad[(y % 2 * 2 + x % 2) as usize], "{layout:?} {x} {y}");
                        let of_sample = Layout { sample: sample.into(), ..layout };
                        assert_eq!(offset, of_sample.column(x).with(of_sample.row(y, slice)), "{layout:?} {x} {y}");
                        if let Some(distance) = layout.sample_distance(sample) {
                            assert_eq!(offset, layout.offset(x, y, slice) + distance, "{layout:?} {x} {y}");
                        }
                        assert!(places.insert(offset), "{layout:?} {x} {y}");
                    }
                }
                let last = places.iter().max().unwrap() + u64::from(bytes);
                assert_eq!(last, 3 * layout.slice_bytes(), "{layout:?}: they fill their memory");
            }
        }
    }

    /// Pitches that no driver chooses, as a guest may: of tiles whose groups are not whole in a row.
    #[test]
    fn columns_and_rows_say_where_elements_are_at_any_pitch() {
        for (bytes, samples) in [(1, 1), (2, 1), (4, 1), (16, 1), (1, 2), (2, 8)] {
            for (mode, pitch) in [ArrayMode::Tiled1d, ArrayMode::Tiled2d]
                .into_iter()
                .flat_map(|mode| [32, 40, 96, 160].map(|pitch| (mode, pitch)))
            {
                let layout = Layout::new(mode, pitch, 40, bytes).unwrap().with_samples(samples);
                let mut places = HashSet::new();
                for (x, y) in (0..40).flat_map(|y| (0..pitch / 32 * 32).map(move |x| (x, y))) {
                    let offset = layout.offset(x, y, 0);
                    assert_eq!(offset, layout.column(x).with(layout.row(y, 0)), "{layout:?} {x} {y}");
                    assert!(places.insert(offset), "{layout:?} {x} {y}");
                }
                let slice = layout.column(33).with(layout.row(17, 3));
                assert_eq!(layout.offset(33, 17, 3), slice, "{layout:?}");
            }
        }
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
