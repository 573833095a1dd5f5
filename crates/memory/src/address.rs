//! The two address maps of the memory controller (CTM Guide p.6, tables 1 and 2).

/// Bits of a coordinate that take part in addressing.
const COORDINATE: u32 = 0xFFF;
/// Bits of a pitch that take part in addressing.
const PITCH: u32 = 0x3FFF;
/// log2 of the bytes that linear rows are counted in.
const GRANULE: u32 = 5;
/// log2 of the bytes of a tile.
const TILE: u32 = 11;

/// Address of element (`x`, `y`) in a linear surface; `pitch` in elements, `base` and the result in bytes.
///
/// Coordinates wrap at 4096. Rows are as far apart as the pitch rounded *down* to 32 bytes, and the low five bits of
/// `base` are ignored, as the printed equations have it.
///
/// # Panics
///
/// Unless `bytes_per_element` is 1, 2, 4, 8 or 16.
#[inline]
pub fn linear_address(x: u32, y: u32, pitch: u32, base: u32, bytes_per_element: u32) -> u32 {
    LinearLayout::new(pitch, base, bytes_per_element).address(x, y)
}

/// Address of element (`x`, `y`) in a tiled surface; `pitch` in elements, `base` and the result in bytes.
///
/// Coordinates wrap at 4096. Rows of tiles are as far apart as the pitch rounded *down* to whole tiles, and the low
/// eleven bits of `base` are ignored, as the printed equations have it.
///
/// # Panics
///
/// Unless `bytes_per_element` is 1, 2, 4, 8 or 16.
#[inline]
pub fn tiled_address(x: u32, y: u32, pitch: u32, base: u32, bytes_per_element: u32) -> u32 {
    TiledLayout::new(pitch, base, bytes_per_element).address(x, y)
}

fn element_log2(bytes_per_element: u32) -> u32 {
    assert!(matches!(bytes_per_element, 1 | 2 | 4 | 8 | 16), "no element has {bytes_per_element} bytes");
    bytes_per_element.trailing_zeros()
}

/// The address map of a surface, with all that it needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Row after row.
    Linear(LinearLayout),
    /// In tiles.
    Tiled(TiledLayout),
}

impl Layout {
    /// Address of element (`x`, `y`); coordinates wrap at 4096.
    #[inline]
    pub fn address(&self, x: u32, y: u32) -> u32 {
        match self {
            Layout::Linear(layout) => layout.address(x, y),
            Layout::Tiled(layout) => layout.address(x, y),
        }
    }
}

/// What the linear map needs to know: `address = base + y * row_bytes + (x << element_log2)`, modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinearLayout {
    /// Address of element (0, 0).
    pub base: u32,
    /// Bytes from one row to the next: a multiple of 32.
    pub row_bytes: u32,
    /// log2 of the bytes of an element.
    pub element_log2: u32,
}

impl LinearLayout {
    /// The layout of a surface of this pitch (elements) at this base address.
    ///
    /// # Panics
    ///
    /// Unless `bytes_per_element` is 1, 2, 4, 8 or 16.
    #[inline]
    pub fn new(pitch: u32, base: u32, bytes_per_element: u32) -> Self {
        let element_log2 = element_log2(bytes_per_element);
        let granules = (pitch & PITCH) >> (GRANULE - element_log2);
        LinearLayout { base: base >> GRANULE << GRANULE, row_bytes: granules << GRANULE, element_log2 }
    }

    /// Address of element (`x`, `y`); coordinates wrap at 4096.
    #[inline]
    pub fn address(&self, x: u32, y: u32) -> u32 {
        let (x, y) = (x & COORDINATE, y & COORDINATE);
        self.base.wrapping_add(y.wrapping_mul(self.row_bytes)).wrapping_add(x << self.element_log2)
    }
}

/// What the tiled map needs to know.
///
/// Tiles of 2048 bytes follow each other in row-major order. Inside a tile, every address bit is the exclusive or of
/// some coordinate bits, so that the place of an element is the exclusive or of a part that only x decides and a part
/// that only y decides:
/// `address = base + (y >> tile_height_log2) * tile_row_bytes + (x >> tile_width_log2) * 2048 + (column(x) ^ row(y))`,
/// modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TiledLayout {
    /// Address of element (0, 0): a multiple of 2048.
    pub base: u32,
    /// Bytes from one row of tiles to the next: a multiple of 2048.
    pub tile_row_bytes: u32,
    /// log2 of the bytes of an element.
    pub element_log2: u32,
    /// log2 of the elements across a tile.
    pub tile_width_log2: u32,
    /// log2 of the rows of a tile.
    pub tile_height_log2: u32,
}

impl TiledLayout {
    /// The layout of a surface of this pitch (elements) at this base address.
    ///
    /// # Panics
    ///
    /// Unless `bytes_per_element` is 1, 2, 4, 8 or 16.
    #[inline]
    pub fn new(pitch: u32, base: u32, bytes_per_element: u32) -> Self {
        let element_log2 = element_log2(bytes_per_element);
        let tile = &TILES[element_log2 as usize];
        TiledLayout {
            base: base >> TILE << TILE,
            tile_row_bytes: ((pitch & PITCH) >> tile.width_log2) << TILE,
            element_log2,
            tile_width_log2: tile.width_log2,
            tile_height_log2: tile.height_log2,
        }
    }

    /// Address of element (`x`, `y`); coordinates wrap at 4096.
    #[inline]
    pub fn address(&self, x: u32, y: u32) -> u32 {
        let (x, y) = (x & COORDINATE, y & COORDINATE);
        self.base
            .wrapping_add((y >> self.tile_height_log2).wrapping_mul(self.tile_row_bytes))
            .wrapping_add((x >> self.tile_width_log2) << TILE)
            .wrapping_add(self.column(x) ^ self.row(y))
    }

    /// The part of an element's place inside its tile (bytes) that `x` decides.
    #[inline]
    pub fn column(&self, x: u32) -> u32 {
        u32::from(SWIZZLES[self.element_log2 as usize].columns[x as usize % X_PERIOD])
    }

    /// The part of an element's place inside its tile (bytes) that `y` decides.
    #[inline]
    pub fn row(&self, y: u32) -> u32 {
        u32::from(SWIZZLES[self.element_log2 as usize].rows[y as usize % Y_PERIOD])
    }
}

/// Elements after which the part that x decides repeats, for every element size.
const X_PERIOD: usize = 128;
/// Rows after which the part that y decides repeats, for every element size.
const Y_PERIOD: usize = 64;

/// A row of the guide's table of tiled addresses.
struct Tile {
    width_log2: u32,
    height_log2: u32,
    /// For address bits 10 down to 0: the coordinate bits whose exclusive or the address bit is.
    bits: [(Option<u32>, Option<u32>); TILE as usize],
}

/// An address bit made of one bit of x and one bit of y.
const fn xy(x: u32, y: u32) -> (Option<u32>, Option<u32>) {
    (Some(x), Some(y))
}
/// An address bit that is a bit of x.
const fn x(bit: u32) -> (Option<u32>, Option<u32>) {
    (Some(bit), None)
}
/// An address bit that is a bit of y.
const fn y(bit: u32) -> (Option<u32>, Option<u32>) {
    (None, Some(bit))
}
/// An address bit inside an element.
const INSIDE: (Option<u32>, Option<u32>) = (None, None);

/// The guide's table of tiled addresses, by log2 of the element's bytes.
#[rustfmt::skip]
const TILES: [Tile; 5] = [
    Tile {
        width_log2: 6, height_log2: 5,
        bits: [xy(6, 4), xy(5, 5), xy(5, 3), xy(4, 4), y(2), x(3), y(1), y(0), x(2), x(1), x(0)],
    },
    Tile {
        width_log2: 5, height_log2: 5,
        bits: [xy(5, 4), xy(4, 5), xy(4, 3), xy(3, 4), y(2), x(2), y(1), y(0), x(1), x(0), INSIDE],
    },
    Tile {
        width_log2: 5, height_log2: 4,
        bits: [xy(5, 3), xy(4, 4), xy(4, 2), xy(3, 3), y(1), x(2), y(0), x(1), x(0), INSIDE, INSIDE],
    },
    Tile {
        width_log2: 4, height_log2: 4,
        bits: [xy(4, 3), xy(3, 4), xy(3, 2), xy(2, 3), y(1), x(1), y(0), x(0), INSIDE, INSIDE, INSIDE],
    },
    Tile {
        width_log2: 4, height_log2: 3,
        bits: [xy(4, 2), xy(3, 3), xy(3, 1), xy(2, 2), y(0), x(1), x(0), INSIDE, INSIDE, INSIDE, INSIDE],
    },
];

/// The contributions of x and y to a place inside a tile.
struct Swizzle {
    columns: [u16; X_PERIOD],
    rows: [u16; Y_PERIOD],
}

static SWIZZLES: [Swizzle; 5] =
    [swizzle(&TILES[0]), swizzle(&TILES[1]), swizzle(&TILES[2]), swizzle(&TILES[3]), swizzle(&TILES[4])];

const fn swizzle(tile: &Tile) -> Swizzle {
    let mut swizzle = Swizzle { columns: [0; X_PERIOD], rows: [0; Y_PERIOD] };
    let mut n = 0;
    while n < tile.bits.len() {
        let address_bit = TILE as usize - 1 - n;
        let (x_bit, y_bit) = tile.bits[n];
        if let Some(bit) = x_bit {
            let mut x = 0;
            while x < X_PERIOD {
                swizzle.columns[x] |= ((x >> bit & 1) << address_bit) as u16;
                x += 1;
            }
        }
        if let Some(bit) = y_bit {
            let mut y = 0;
            while y < Y_PERIOD {
                swizzle.rows[y] |= ((y >> bit & 1) << address_bit) as u16;
                y += 1;
            }
        }
        n += 1;
    }
    swizzle
}

#[cfg(test)]
mod tests {
    use super::*;

    type Map = fn(u32, u32, u32, u32, u32) -> u32;
    const SIZES: [u32; 5] = [1, 2, 4, 8, 16];

    /// x, y, pitch, then the address for elements of 1, 2, 4, 8 and 16 bytes at base 0x100000.
    type Row = (u32, u32, u32, [u32; 5]);

    const LINEAR: [Row; 16] = [
        (0, 0, 256, [0x0010_0000, 0x0010_0000, 0x0010_0000, 0x0010_0000, 0x0010_0000]),
        (1, 0, 256, [0x0010_0001, 0x0010_0002, 0x0010_0004, 0x0010_0008, 0x0010_0010]),
        (3, 2, 256, [0x0010_0203, 0x0010_0406, 0x0010_080C, 0x0010_1018, 0x0010_2030]),
        (5, 9, 256, [0x0010_0905, 0x0010_120A, 0x0010_2414, 0x0010_4828, 0x0010_9050]),
        (17, 3, 256, [0x0010_0311, 0x0010_0622, 0x0010_0C44, 0x0010_1888, 0x0010_3110]),
        (31, 15, 256, [0x0010_0F1F, 0x0010_1E3E, 0x0010_3C7C, 0x0010_78F8, 0x0010_F1F0]),
        (32, 0, 256, [0x0010_0020, 0x0010_0040, 0x0010_0080, 0x0010_0100, 0x0010_0200]),
        (33, 16, 256, [0x0010_1021, 0x0010_2042, 0x0010_4084, 0x0010_8108, 0x0011_0210]),
        (40, 31, 256, [0x0010_1F28, 0x0010_3E50, 0x0010_7CA0, 0x0010_F940, 0x0011_F280]),
        (63, 63, 256, [0x0010_3F3F, 0x0010_7E7E, 0x0010_FCFC, 0x0011_F9F8, 0x0013_F3F0]),
        (100, 77, 256, [0x0010_4D64, 0x0010_9AC8, 0x0011_3590, 0x0012_6B20, 0x0014_D640]),
        (255, 200, 256, [0x0010_C8FF, 0x0011_91FE, 0x0013_23FC, 0x0016_47F8, 0x001C_8FF0]),
        (4, 4, 256, [0x0010_0404, 0x0010_0808, 0x0010_1010, 0x0010_2020, 0x0010_4040]),
        (0, 32, 256, [0x0010_2000, 0x0010_4000, 0x0010_8000, 0x0011_0000, 0x0012_0000]),
        (64, 0, 256, [0x0010_0040, 0x0010_0080, 0x0010_0100, 0x0010_0200, 0x0010_0400]),
        (2047, 1023, 2048, [0x002F_FFFF, 0x004F_FFFE, 0x008F_FFFC, 0x010F_FFF8, 0x020F_FFF0]),
    ];

    const TILED: [Row; 16] = [
        (0, 0, 256, [0x0010_0000, 0x0010_0000, 0x0010_0000, 0x0010_0000, 0x0010_0000]),
        (1, 0, 256, [0x0010_0001, 0x0010_0002, 0x0010_0004, 0x0010_0008, 0x0010_0010]),
        (3, 2, 256, [0x0010_0013, 0x0010_0016, 0x0010_004C, 0x0010_0068, 0x0010_0130]),
        (5, 9, 256, [0x0010_010D, 0x0010_012A, 0x0010_04B4, 0x0010_0418, 0x0010_82D0]),
        (17, 3, 256, [0x0010_0099, 0x0010_031A, 0x0010_0354, 0x0010_0C58, 0x0010_0D50]),
        (31, 15, 256, [0x0010_01FF, 0x0010_02FE, 0x0010_067C, 0x0010_0A78, 0x0010_8870]),
        (32, 0, 256, [0x0010_0300, 0x0010_0C00, 0x0010_0C00, 0x0010_1000, 0x0010_1000]),
        (33, 16, 256, [0x0010_0781, 0x0010_0882, 0x0010_4E04, 0x0010_9208, 0x0011_1010]),
        (40, 31, 256, [0x0010_06F8, 0x0010_0958, 0x0010_4B50, 0x0010_94D0, 0x0011_94C0]),
        (63, 63, 256, [0x0010_247F, 0x0010_487E, 0x0010_C87C, 0x0011_9878, 0x0013_9870]),
        (100, 77, 256, [0x0010_4E4C, 0x0010_9D68, 0x0011_19B0, 0x0012_3510, 0x0014_B640]),
        (255, 200, 256, [0x0010_DEA7, 0x0011_BEA6, 0x0013_3B2C, 0x0016_7B28, 0x001C_FDB0]),
        (4, 4, 256, [0x0010_0044, 0x0010_0060, 0x0010_0120, 0x0010_0180, 0x0010_0400]),
        (0, 32, 256, [0x0010_2200, 0x0010_4200, 0x0010_8000, 0x0011_0000, 0x0012_0000]),
        (64, 0, 256, [0x0010_0C00, 0x0010_1000, 0x0010_1000, 0x0010_2000, 0x0010_2000]),
        (2047, 1023, 2048, [0x002F_F87F, 0x004F_F87E, 0x008F_F87C, 0x010F_F878, 0x020F_F870]),
    ];

    fn check_examples(map: Map, rows: &[Row]) {
        for &(x, y, pitch, addresses) in rows {
            let found = SIZES.map(|size| map(x, y, pitch, 0x0010_0000, size));
            assert_eq!(found, addresses, "({x},{y}) pitch {pitch}: {found:#x?}");
        }
    }

    #[test]
    fn linear_examples() {
        check_examples(linear_address, &LINEAR);
    }

    #[test]
    fn tiled_examples() {
        check_examples(tiled_address, &TILED);
    }

    #[test]
    fn both_maps_fill_a_square_without_holes() {
        for map in [linear_address as Map, tiled_address] {
            for size in SIZES.into_iter().step_by(if cfg!(miri) { 5 } else { 1 }) {
                let mut seen: Vec<u32> =
                    (0..64 * 64).map(|n| map(n % 64, n / 64, 64, 0x8000_0000, size) - 0x8000_0000).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq((0..64 * 64).map(|n| n * size)), "{size} bytes");
            }
        }
    }

    #[test]
    fn tiled_map_keeps_elements_apart_in_wide_surfaces() {
        for pitch in [128, 256, 4096] {
            for size in SIZES {
                let elements = (0..pitch * 64).step_by(if cfg!(miri) { 997 } else { 1 });
                let count = elements.len();
                let mut seen: Vec<u32> =
                    elements.map(|n| tiled_address(n % pitch, n / pitch, pitch, 0, size)).collect();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), count, "pitch {pitch}, {size} bytes");
            }
        }
    }

    #[test]
    fn pitch_is_rounded_down() {
        for (size, granule) in [(1, 32), (2, 16), (4, 8), (8, 4), (16, 2)] {
            assert_eq!(linear_address(0, 1, 3 * granule - 1, 0, size), 64);
        }
        assert_eq!(linear_address(8, 0, 12, 0, 4), linear_address(0, 1, 12, 0, 4), "rows of pitch 12 overlap");
        assert_eq!(tiled_address(0, 32, 63, 0, 4), 2 * 2048, "a tile of 4-byte elements is 32 wide");
    }

    #[test]
    fn coordinates_pitch_and_base_are_cut_to_their_fields() {
        for map in [linear_address as Map, tiled_address] {
            assert_eq!(map(4096 + 5, 8192 + 6, 64, 0, 4), map(5, 6, 64, 0, 4));
            assert_eq!(map(5, 6, 0x4000 + 64, 0, 4), map(5, 6, 64, 0, 4));
        }
        assert_eq!(linear_address(1, 0, 64, 0x101F, 4), 0x1004);
        assert_eq!(tiled_address(1, 0, 64, 0x17FF, 4), 0x1004);
    }

    #[test]
    fn addresses_wrap() {
        assert_eq!(linear_address(0, 1, 4096, 0xFFFF_F800, 16), 0xF800);
        assert_eq!(tiled_address(16, 0, 4096, 0xFFFF_F800, 16), 1 << 10);
        assert_eq!(linear_address(0, 4095, 8188, 0, 16), 4095u32.wrapping_mul(8188 * 16));
    }
}
