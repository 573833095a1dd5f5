//! Where the pixels and texels of a surface lie: tiles of 2 KiB (macro tiles) and of 32 bytes (micro tiles).

use ctm_memory::{TiledLayout, Tiling};

/// log2 of the bytes of a macro tile.
const MACRO_LOG2: u32 = 11;
/// log2 of the bytes of a micro tile.
const MICRO_LOG2: u32 = 5;

/// Elements of 4 bytes, from a multiple of so many columns on, that lie side by side in every layout.
pub const CONTIGUOUS_COLUMNS: u32 = 4;

/// Rows at most.
pub const ROWS: u32 = 4096;

/// How the elements of 32 bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MicroTile {
    /// In one row.
    Linear,
    /// In tiles that are as a rule wider than high.
    Tiled,
    /// In tiles as wide as high, of elements of 2 bytes.
    Square,
}

impl MicroTile {
    /// The meaning of a register's field of two bits.
    pub fn of(code: u8) -> Self {
        match code {
            0 => MicroTile::Linear,
            2 => MicroTile::Square,
            _ => MicroTile::Tiled,
        }
    }

    /// Columns and rows that a level of elements of so many bytes is a multiple of: a tile.
    pub fn tile(self, bytes: u32, macro_tile: bool) -> [u32; 2] {
        let (width_log2, height_log2) = self.size(bytes.trailing_zeros());
        // A macro tile is eight micro tiles wide and eight high.
        let more = if macro_tile { 3 } else { 0 };
        [1 << (width_log2 + more), 1 << (height_log2 + more)]
    }

    /// log2 of the columns and rows of a micro tile, of elements of this log2 of bytes.
    fn size(self, element_log2: u32) -> (u32, u32) {
        match (self, element_log2) {
            (MicroTile::Linear, _) | (_, 4..) => (MICRO_LOG2.saturating_sub(element_log2), 0),
            (MicroTile::Square, 1) => (2, 2),
            (_, 0) => (3, 2),
            (_, 1) => (3, 1),
            (_, 2) => (2, 1),
            (_, _) => (1, 1),
        }
    }
}

/// The layout of one level, layer or buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    form: Form,
    element_log2: u32,
    /// Bytes of a row of elements.
    stride: u32,
    /// Samples of an element: each page of macro tiles is followed by those of the other samples.
    samples: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Row after row.
    Rows,
    /// Tiles of so many columns and rows (log2), row-major; elements inside of them row-major.
    Tiles { width_log2: u32, height_log2: u32 },
    /// Macro tiles, and in them micro tiles of so many columns and rows (log2), all row-major.
    Nested { width_log2: u32, height_log2: u32, micro: (u32, u32) },
    /// Macro tiles with micro tiles in an order that spreads them over memory banks.
    Swizzled(TiledLayout),
}

impl Layout {
    /// Of a surface with this stride in bytes, whose elements have `bytes` bytes: 1, 2, 4, 8 or 16.
    ///
    /// Sources: the texture layouts of Mesa's r300 driver, and the tiled address map of the CTM Guide.
    pub fn new(bytes: u32, stride: u32, macro_tile: bool, micro: MicroTile) -> Self {
        let element_log2 = bytes.trailing_zeros();
        let (width_log2, height_log2) = micro.size(element_log2);
        let form = match (macro_tile, micro) {
            (false, MicroTile::Linear) => Form::Rows,
            (false, _) => Form::Tiles { width_log2, height_log2 },
            (true, MicroTile::Linear) if bytes != 16 => {
                Form::Tiles { width_log2: MACRO_LOG2 - 3 - element_log2, height_log2: 3 }
            }
            (true, MicroTile::Tiled) if bytes == 2 => {
                Form::Nested { width_log2: 6, height_log2: 4, micro: (width_log2, height_log2) }
            }
            (true, _) => Form::Swizzled(TiledLayout::new(stride >> element_log2, 0, bytes)),
        };
        Layout { form, element_log2, stride, samples: 1 }
    }

    /// The same of one of so many samples of elements, which lie in macro tiles, as [`ctm_pipeline::Layout`] sees it.
    pub fn with_samples(self, samples: u32) -> Self {
        Layout { samples, ..self }
    }

    /// The tiling and pitch of surfaces with this layout, if they can have it.
    pub fn surface(&self) -> Option<(Tiling, u32)> {
        let tiling = match self.form {
            Form::Rows => Tiling::Linear,
            Form::Swizzled(_) => Tiling::Tiled,
            Form::Tiles { .. } | Form::Nested { .. } => return None,
        };
        Some((tiling, self.stride >> self.element_log2))
    }

    /// How the place of an element is calculated: the part of the column, and that of the row.
    pub fn formula(&self) -> [PartFormula; 2] {
        let [width_log2, height_log2] = self.tile_log2();
        let formula = |tile_log2: u32, part: &dyn Fn(u32) -> AddressPart| PartFormula {
            tile_log2,
            tile_bytes: part(1 << tile_log2).added,
            toggled: std::array::from_fn(|bit| part(1 << bit).toggled),
        };
        [formula(width_log2, &|x| self.column(x)), formula(height_log2, &|y| self.row(y))]
    }

    /// Whether each element has a place of its own: rows are of whole tiles.
    pub fn has_whole_tiles(&self) -> bool {
        let [width_log2, _] = self.tile_log2();
        (self.stride >> self.element_log2).is_multiple_of(1 << width_log2)
    }

    /// log2 of the columns and rows of a tile: the largest that the layout has.
    pub fn tile_log2(&self) -> [u32; 2] {
        match self.form {
            Form::Rows => [0, 0],
            Form::Tiles { width_log2, height_log2 } | Form::Nested { width_log2, height_log2, .. } => {
                [width_log2, height_log2]
            }
            Form::Swizzled(layout) => [layout.tile_width_log2, layout.tile_height_log2],
        }
    }

    /// Byte offset of an element from the beginning; coordinates are below 4096.
    #[inline]
    pub fn offset(&self, x: u32, y: u32) -> u32 {
        self.column(x).with(self.row(y))
    }

    /// Byte offset of the tile that an element is in.
    pub fn tile(&self, x: u32, y: u32) -> u32 {
        self.column(x).added.wrapping_add(self.row(y).added)
    }

    /// What the column says about an element's place.
    #[inline]
    pub fn column(&self, x: u32) -> AddressPart {
        let element = self.element_log2;
        let in_tile = |width_log2: u32| (x & ((1 << width_log2) - 1)) << element;
        let tile = |width_log2: u32, height_log2: u32| x >> width_log2 << (width_log2 + height_log2 + element);
        match self.form {
            Form::Rows => AddressPart { added: x << element, toggled: 0 },
            Form::Tiles { width_log2, height_log2 } => {
                AddressPart { added: tile(width_log2, height_log2), toggled: in_tile(width_log2) }
            }
            Form::Nested { width_log2, height_log2, micro: (columns, _) } => {
                let inner = (x & ((1 << width_log2) - 1)) >> columns;
                AddressPart { added: tile(width_log2, height_log2), toggled: inner << MICRO_LOG2 | in_tile(columns) }
            }
            Form::Swizzled(layout) => {
                AddressPart { added: x >> layout.tile_width_log2 << MACRO_LOG2, toggled: layout.column(x) }
            }
        }
    }

    /// What the row says about an element's place.
    #[inline]
    pub fn row(&self, y: u32) -> AddressPart {
        let in_tile =
            |width_log2: u32, height_log2: u32| (y & ((1 << height_log2) - 1)) << (width_log2 + self.element_log2);
        let tile = |height_log2: u32| (y >> height_log2).wrapping_mul(self.stride << height_log2);
        match self.form {
            Form::Rows => AddressPart { added: y.wrapping_mul(self.stride), toggled: 0 },
            Form::Tiles { width_log2, height_log2 } => {
                AddressPart { added: tile(height_log2), toggled: in_tile(width_log2, height_log2) }
            }
            Form::Nested { width_log2, height_log2, micro: (columns, rows) } => {
                let inner = (y & ((1 << height_log2) - 1)) >> rows << (width_log2 - columns);
                AddressPart { added: tile(height_log2), toggled: inner << MICRO_LOG2 | in_tile(columns, rows) }
            }
            Form::Swizzled(layout) => {
                let added = (y >> layout.tile_height_log2).wrapping_mul(layout.tile_row_bytes);
                AddressPart { added, toggled: layout.row(y) }
            }
        }
    }
}

impl ctm_pipeline::Layout for Layout {
    fn bytes(&self) -> u32 {
        1 << self.element_log2
    }

    fn size(&self) -> [u32; 2] {
        [self.stride >> self.element_log2, ROWS]
    }

    fn column(&self, x: u32) -> ctm_pipeline::AddressPart {
        self.column(x).of_samples(self.samples)
    }

    fn row(&self, y: u32, _: u32) -> ctm_pipeline::AddressPart {
        self.row(y).of_samples(self.samples)
    }

    fn offset(&self, x: u32, y: u32, _: u32) -> u64 {
        self.column(x).of_samples(self.samples).with(self.row(y).of_samples(self.samples))
    }

    fn quad(&self) -> [u64; 4] {
        // A quad is in one macro tile.
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| self.offset(x, y).into())
    }
}

/// The quads of a surface.
pub type SurfaceQuads<'a> = ctm_pipeline::SurfaceQuads<'a, Layout>;

/// Bits of a coordinate.
const COORDINATE_BITS: usize = 12;

/// How a [`AddressPart`] is calculated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartFormula {
    /// log2 of the elements of a tile along the coordinate.
    pub tile_log2: u32,
    /// What is added for each tile.
    pub tile_bytes: u32,
    /// What each bit of the coordinate toggles.
    pub toggled: [u32; COORDINATE_BITS],
}

/// What one coordinate says about an element's place, in bytes: something is added, and bits inside of the tile are toggled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressPart {
    added: u32,
    toggled: u32,
}

impl AddressPart {
    /// The place, of the parts of both coordinates.
    #[inline]
    pub fn with(self, other: AddressPart) -> u32 {
        self.added.wrapping_add(other.added).wrapping_add(self.toggled ^ other.toggled)
    }

    /// The same for one of so many samples: whole macro tiles are added.
    fn of_samples(self, samples: u32) -> ctm_pipeline::AddressPart {
        let AddressPart { added, toggled } = self;
        ctm_pipeline::AddressPart { added: u64::from(added) * u64::from(samples), toggled: toggled.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every element of an aligned surface has its own place, and all of them fill it.
    #[test]
    fn layouts_are_bijections() {
        let micros = [MicroTile::Linear, MicroTile::Tiled, MicroTile::Square];
        for bytes in [1, 2, 4, 8, 16] {
            for (macro_tile, micro) in [false, true].into_iter().flat_map(|on| micros.map(|micro| (on, micro))) {
                let (width, height) = (256, 64);
                let layout = Layout::new(bytes, width * bytes, macro_tile, micro);
                let places: BTreeSet<u32> =
                    (0..height).flat_map(|y| (0..width).map(move |x| layout.offset(x, y))).collect();
                assert_eq!(places.len() as u32, width * height, "{layout:?}");
                assert_eq!(places.last(), Some(&((width * height - 1) * bytes)), "{layout:?}");
                let quad = ctm_pipeline::Layout::quad(&layout);
                for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                    let first = u64::from(layout.offset(x & !1, y & !1));
                    let place = first + quad[(y % 2 * 2 + x % 2) as usize];
                    assert_eq!(u64::from(layout.offset(x, y)), place, "{layout:?} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn formulas_give_the_parts() {
        for bytes in [1, 2, 4, 8, 16] {
            for (macro_tile, micro) in
                [false, true].into_iter().flat_map(|on| [MicroTile::Linear, MicroTile::Tiled].map(|micro| (on, micro)))
            {
                let layout = Layout::new(bytes, 512 * bytes, macro_tile, micro);
                let [column, row] = layout.formula();
                let part = |formula: PartFormula, at: u32| AddressPart {
                    added: (at >> formula.tile_log2).wrapping_mul(formula.tile_bytes),
                    toggled: (0..12).filter(|bit| at >> bit & 1 != 0).fold(0, |all, bit| all ^ formula.toggled[bit]),
                };
                for at in (0..4096).step_by(7) {
                    assert_eq!(
                        (part(column, at), part(row, at)),
                        (layout.column(at), layout.row(at)),
                        "{layout:?} {at}"
                    );
                }
            }
        }
    }

    #[test]
    fn words_lie_together() {
        for (macro_tile, micro) in
            [(false, MicroTile::Linear), (false, MicroTile::Tiled), (true, MicroTile::Linear), (true, MicroTile::Tiled)]
        {
            let layout = Layout::new(4, 256 * 4, macro_tile, micro);
            for (x, y) in (0..64).flat_map(|y| (0..256).map(move |x| (x, y))) {
                let first = layout.offset(x / CONTIGUOUS_COLUMNS * CONTIGUOUS_COLUMNS, y);
                assert_eq!(layout.offset(x, y), first + x % CONTIGUOUS_COLUMNS * 4, "{layout:?}");
            }
        }
    }

    #[test]
    fn elements_of_micro_tiles_are_together() {
        let tiled = Layout::new(4, 64, false, MicroTile::Tiled);
        assert_eq!([(0, 0), (3, 0), (0, 1), (4, 0), (0, 2)].map(|(x, y)| tiled.offset(x, y)), [0, 12, 16, 32, 128]);
        let square = Layout::new(2, 64, false, MicroTile::Square);
        assert_eq!([(3, 0), (0, 1), (4, 0), (0, 4)].map(|(x, y)| square.offset(x, y)), [6, 8, 32, 256]);
        let linear = Layout::new(4, 512, true, MicroTile::Linear);
        assert_eq!([(63, 0), (0, 1), (64, 0), (0, 8)].map(|(x, y)| linear.offset(x, y)), [252, 256, 2048, 4096]);
        let nested = Layout::new(2, 256, true, MicroTile::Tiled);
        assert_eq!(
            [(7, 0), (0, 1), (8, 0), (0, 2), (64, 0)].map(|(x, y)| nested.offset(x, y)),
            [14, 16, 32, 256, 2048]
        );
    }
}
