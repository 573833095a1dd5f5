//! Elements of tiled surfaces: a place inside of a tile is made of the bits of both coordinates.

use super::*;
use ctm_memory::TiledLayout;
use std::collections::{HashMap, HashSet};

/// log2 of the bytes of a tile.
const TILE: u32 = 11;
/// Bytes of a row of tiles that is prefetched, at most: it is to stay in the second level of the cache until it is used.
const MOST_AHEAD: u32 = 1 << 18;
/// Bytes that a prefetch fetches.
const LINE: usize = 64;
/// Elements of a row of tiles that are loaded one by one, of vectors too short for the elements that lie together: as many as a group has.
pub(super) const ELEMENTS_APART: usize = 8;
/// Bits of a coordinate that decide a place inside of a tile.
const COORDINATE_BITS: u32 = 7;

/// Bits of a coordinate, and by how much they are shifted to the left for the place inside of the tile.
type Term = (u32, u32);

/// What a coordinate's bits say about a place inside of a tile, which is the exclusive or of all terms. `part` is the place of
/// coordinates of one bit.
fn terms(part: impl Fn(u32) -> u32) -> Vec<Term> {
    let mut masks = [0; TILE as usize];
    for bit in 0..COORDINATE_BITS {
        let place = part(1 << bit);
        for address_bit in (0..TILE).filter(|address_bit| place >> address_bit & 1 != 0) {
            masks[(address_bit - bit) as usize] |= 1 << bit;
        }
    }
    (0..).zip(masks).filter(|&(_, mask)| mask != 0).map(|(shift, mask)| (mask, shift)).collect()
}

/// How many columns (log2) have elements that lie together, wherever the first of them is a multiple of that.
fn together(layout: TiledLayout) -> u32 {
    (0..).take_while(|bit| layout.column(1 << bit) == 1 << (bit + layout.element_log2)).count() as u32
}

/// Where the row of a tile says that elements lie, for all rows that differ in that; a power of two of them.
fn row_places(layout: TiledLayout) -> Vec<u32> {
    let bits = (0..COORDINATE_BITS).filter(|bit| layout.row(1 << bit) != 0).map(|bit| bit + 1).max();
    (0..1 << bits.unwrap_or_default()).map(|row| layout.row(row)).collect()
}

/// Where so many (log2) columns that lie together begin, from the start of the row of tiles on, for a surface of this pitch.
fn column_places(layout: TiledLayout, pitch: u32, together: u32) -> impl Iterator<Item = u32> {
    let columns = (0..pitch).step_by(1 << together);
    columns.map(move |x| (x >> layout.tile_width_log2 << TILE) + layout.column(x))
}

/// The constants about a layout that code has: where rows are in their tiles, then where columns that lie together begin, from the start
/// of the row of tiles on. Groups that reach beyond the surface read some more, of which nothing is kept.
#[derive(Clone, Copy)]
struct Places {
    /// The address of the constants.
    table: Reg,
    rows: u32,
    together: u32,
}

impl Places {
    /// Words after the last column.
    const BEHIND: usize = ELEMENTS_APART;

    /// The word of a row, whose number modulo [`Places::rows`] this is.
    fn row(&self, row: Reg) -> Mem {
        Mem { index: Some(row), scale: 4, ..Mem::at(Base::Reg(self.table), 0) }
    }

    /// The word of the columns so many after those with this number.
    fn columns(&self, number: Reg, behind: usize) -> Mem {
        let at = 4 * (self.rows as i32 + behind as i32);
        Mem { index: Some(number), scale: 4, ..Mem::at(Base::Reg(self.table), at) }
    }
}

/// A row of elements: where its row of tiles begins, and where the row is in its tiles.
type TileRow = (Reg, Reg);

/// Elements of a row, from this column on, and what is known about single columns.
#[derive(Clone, Copy)]
pub(super) struct TiledRow {
    row: TileRow,
    first: Reg,
    places: Places,
}

/// What is known of the tiles of surfaces.
#[derive(Default)]
pub struct Tiles {
    /// By their place in the pool, where constants about layouts are.
    tables: HashMap<i32, Reg>,
    /// The group's row.
    own_rows: HashMap<ctm_lane::Surface, TileRow>,
    /// By the address of the constants, the word about the columns that the group begins with.
    own_columns: HashMap<Reg, Reg>,
    /// Of rows of elements that begin at coordinates of the block in the making: the number of the columns that lie together with the
    /// first, and the order of the words of what is there.
    columns: HashMap<Coordinate, (Reg, Reg)>,
    /// Rows at coordinates of the block in the making.
    rows: HashMap<(ctm_lane::Surface, Coordinate), TileRow>,
    /// Surfaces that are prefetched.
    prefetched: HashSet<ctm_lane::Surface>,
}

impl Tiles {
    /// Forgets coordinates.
    pub fn enter_block(&mut self) {
        self.columns.clear();
        self.rows.clear();
    }
}

impl Selector<'_> {
    /// Prefetches from a tiled surface that groups go along. In a row of groups, each takes a few lines of the cache from a tile of its own,
    /// which no processor foresees. So each asks for as many of the row of tiles below, but in the order of their addresses: when all rows
    /// of groups that a row of tiles has are done, the next row of tiles is there.
    pub(super) fn prefetch_tiles(&mut self, surface: ctm_lane::Surface, x: Value, y: Value) {
        let Layout::Tiled(layout) = self.layouts[surface.index()].surface.layout() else { return };
        let is_along = |value: Value, along: Axis| match self.shapes.get(value) {
            LaneShape::Index { axis, .. } | LaneShape::Coordinate { axis, .. } | LaneShape::Along(axis) => {
                axis == along
            }
            LaneShape::Uniform | LaneShape::Varying => false,
        };
        let goes_along = self.mode.interior && !self.mode.quads && is_along(x, Axis::X) && is_along(y, Axis::Y);
        if !goes_along || layout.tile_row_bytes > MOST_AHEAD || !self.tiles.prefetched.insert(surface) {
            return;
        }
        let row = self.row(surface, layout.tile_row_bytes >> layout.tile_height_log2);
        let bytes_log2 = layout.element_log2;
        self.first(|selector| {
            let (index, scale) = if bytes_log2 == 4 { (selector.x16, 1) } else { (selector.x, 1 << bytes_log2) };
            for line in (0..selector.isa.lanes() << bytes_log2).step_by(LINE) {
                let ahead = layout.tile_row_bytes + line;
                let at = Mem { index: Some(index), scale, ..Mem::at(Base::Reg(row), ahead.cast_signed()) };
                selector.insts.push(Inst::new(InstKind::Plain(Code::Prefetcht0_m8), None, &[Arg::Mem(at)]));
            }
        });
    }

    /// Whether elements of a tiled surface can be found at run time that are in a row, or the same.
    pub(super) fn reaches_tiles(&self, surface: &ctm_memory::Surface, layout: TiledLayout, in_row: bool) -> bool {
        let is_whole = surface.pitch.is_multiple_of(1 << layout.tile_width_log2);
        is_whole && (!in_row || surface.format == Format::Float32_4)
    }

    /// Where the elements of an access to a tiled surface lie whose lanes have these coordinates: the first lane's, and those that follow
    /// in a row.
    pub(super) fn elements_in_tiles(
        &mut self,
        surface: ctm_lane::Surface,
        layout: TiledLayout,
        (column, first_x): (Coordinate, Reg),
        (line, first_y): (Coordinate, Reg),
    ) -> Elements {
        let is_apart = column.in_row && self.isa == VectorIsa::Avx2;
        let places = self.places(surface, layout, if is_apart { 0 } else { together(layout) });
        let row = match self.tiles.rows.get(&(surface, line)) {
            Some(&known) => known,
            None => {
                let made = self.tile_row_at(surface, first_y, (layout, places));
                self.tiles.rows.insert((surface, line), made);
                made
            }
        };
        if !column.in_row {
            return Elements::Same(self.element_in_row(row, first_x, (layout, places)));
        }
        if is_apart {
            return Elements::InTiles(TiledRow { row, first: first_x, places });
        }
        let (number, order) = match self.tiles.columns.get(&column) {
            Some(&known) => known,
            None => {
                let made = self.columns_from(first_x, places);
                self.tiles.columns.insert(column, made);
                made
            }
        };
        let pieces = std::array::from_fn(|piece| self.piece_of_row(row, Arg::Mem(places.columns(number, piece))));
        Elements::Shifted(ShiftedRow { pieces, order })
    }

    /// Where elements of a row lie, one by one.
    pub(super) fn elements_apart(&mut self, TiledRow { row, first, places }: TiledRow) -> [Mem; ELEMENTS_APART] {
        std::array::from_fn(|element| self.piece_of_row(row, Arg::Mem(places.columns(first, element))))
    }

    /// The constants about the layout of a surface, with a word for so many (log2) columns that lie together.
    fn places(&mut self, surface: ctm_lane::Surface, layout: TiledLayout, together: u32) -> Places {
        let mut words = row_places(layout);
        let rows = words.len() as u32;
        let pitch = self.layouts[surface.index()].surface.pitch;
        words.extend(column_places(layout, pitch, together));
        words.extend([0; Places::BEHIND]);
        let at = self.pool_at(&words);
        let table = match self.tiles.tables.get(&at) {
            Some(&table) => table,
            None => {
                let address = Arg::Mem(Mem::at(Base::Pool, at));
                let table = self.once(|selector| selector.general(Code::Lea_r64_m, &[address]));
                self.tiles.tables.insert(at, table);
                table
            }
        };
        Places { table, rows, together }
    }

    /// For a row of elements that begins in this column, the number of the columns that lie together with the first, and the words that a
    /// vector takes from these and those that follow.
    fn columns_from(&mut self, x: Reg, places: Places) -> (Reg, Reg) {
        let number = self.shifted_general(Code::Shr_rm32_imm8, x, places.together);
        let first = self.masked(x, (1 << places.together) - 1);
        let first = self.shifted_general(Code::Shl_rm32_imm8, first, 2);
        let first = self.splat(first);
        let words = self.vector_constant(&(0..self.isa.lanes()).collect::<Vec<_>>());
        (number, self.vector_op(Vop::IntAdd, &[Arg::Reg(first), words]))
    }

    /// The elements of a row that lie together, by the word about their columns.
    fn piece_of_row(&mut self, (row, place): TileRow, columns: Arg) -> Mem {
        let index = self.tied_general(Code::Xor_r32_rm32, &[Arg::Reg(place), columns]);
        Mem { index: Some(index), ..Mem::at(Base::Reg(row), 0) }
    }

    /// The element of a row in this column.
    fn element_in_row(&mut self, row: TileRow, x: Reg, (layout, places): (TiledLayout, Places)) -> Mem {
        let number = self.shifted_general(Code::Shr_rm32_imm8, x, places.together);
        let piece = self.piece_of_row(row, Arg::Mem(places.columns(number, 0)));
        let inside = self.masked(x, (1 << places.together) - 1);
        let inside = self.shifted_general(Code::Shl_rm32_imm8, inside, layout.element_log2);
        let index =
            piece.index.map(|index| self.tied_general(Code::Add_r32_rm32, &[Arg::Reg(index), Arg::Reg(inside)]));
        Mem { index, ..piece }
    }

    /// Bytes from the start of the tiles to these elements.
    pub(super) fn place_in_tile(&mut self, layout: TiledLayout, x: Reg, y: Reg) -> Reg {
        let across = terms(|x| layout.column(x)).into_iter().map(|term| (x, term));
        let down = terms(|y| layout.row(y)).into_iter().map(|term| (y, term));
        let mut place = None;
        for (coordinate, (mask, shift)) in across.chain(down) {
            let bits = self.with_constant(Vop::And, coordinate, mask);
            let bits = self.shifted(Vop::ShiftLeft, bits, shift);
            place = Some(match place {
                Some(place) => self.two(Vop::Xor, place, bits),
                None => bits,
            });
        }
        place.unwrap_or(x)
    }

    fn masked(&mut self, value: Reg, mask: u32) -> Reg {
        self.tied_general(Code::And_rm32_imm32, &[Arg::Reg(value), Arg::Imm(mask.cast_signed())])
    }

    fn shifted_general(&mut self, code: Code, value: Reg, count: u32) -> Reg {
        self.tied_general(code, &[Arg::Reg(value), Arg::Imm(count.cast_signed())])
    }

    /// Row `y` of a surface.
    fn tile_row_at(&mut self, surface: ctm_lane::Surface, y: Reg, (layout, places): (TiledLayout, Places)) -> TileRow {
        let base = self.base(surface);
        let above = self.masked(y, u32::MAX << layout.tile_height_log2);
        let row = self.row_at(base, above, layout.tile_row_bytes >> layout.tile_height_log2);
        let number = self.masked(y, places.rows - 1);
        (row, self.general(Code::Mov_r32_rm32, &[Arg::Mem(places.row(number))]))
    }

    /// The group's row of a surface.
    fn own_tile_row(&mut self, surface: ctm_lane::Surface, layout: (TiledLayout, Places)) -> TileRow {
        if let Some(&known) = self.tiles.own_rows.get(&surface) {
            return known;
        }
        let made = self.once(|selector| selector.tile_row_at(surface, selector.y, layout));
        self.tiles.own_rows.insert(surface, made);
        made
    }

    /// The word about the columns that the group begins with.
    fn own_columns(&mut self, places: Places) -> Reg {
        if let Some(&known) = self.tiles.own_columns.get(&places.table) {
            return known;
        }
        let made = self.first(|selector| {
            let number = selector.shifted_general(Code::Shr_rm32_imm8, selector.x, places.together);
            selector.general(Code::Mov_r32_rm32, &[Arg::Mem(places.columns(number, 0))])
        });
        self.tiles.own_columns.insert(places.table, made);
        made
    }

    /// Where the elements of an access to a tiled surface of this size lie, if they are in a row, as pieces of 64 bytes, or the same.
    /// Groups begin at multiples of their lanes.
    pub(super) fn regular_in_tiles(
        &mut self,
        surface: ctm_lane::Surface,
        layout: TiledLayout,
        (x, y): (Value, Value),
        (width, height): (u32, u32),
    ) -> Option<Elements> {
        let surface_layout = self.layouts[surface.index()];
        let clamps = surface_layout.bounds == Bounds::Clamp;
        let limit = |value: Value, along: Axis, size: u32| {
            let LaneShape::Index { axis, offset: 0, limit } = self.shapes.get(value) else { return None };
            (axis == along).then(|| limit.map_or(size, |limit| limit.min(size)))
        };
        let (columns, rows) = (limit(x, Axis::X, width), limit(y, Axis::Y, height));
        let same = |value: Value, size: u32| self.is_uniform(value) && (clamps || self.is_inside(value, size));
        let is_row = columns.is_some() && surface_layout.surface.format == Format::Float32_4;
        let whole = surface_layout.surface.pitch.is_multiple_of(1 << layout.tile_width_log2);
        if !whole || !(is_row || same(x, width)) || !(rows.is_some() || same(y, height)) {
            return None;
        }
        let fits = columns.is_none_or(|columns| self.narrow(Axis::X, 0, columns))
            && rows.is_none_or(|rows| self.narrow(Axis::Y, 0, rows));
        if !fits {
            return None;
        }
        let places = self.places(surface, layout, together(layout));
        let row = match rows {
            Some(_) => self.own_tile_row(surface, (layout, places)),
            None => {
                let number = self.clamped_uniform(y, height);
                self.tile_row_at(surface, number, (layout, places))
            }
        };
        if !is_row {
            let number = self.clamped_uniform(x, width);
            return Some(Elements::Same(self.element_in_row(row, number, (layout, places))));
        }
        let columns = self.own_columns(places);
        let first = self.piece_of_row(row, Arg::Reg(columns));
        let pieces = std::array::from_fn(|piece| {
            let toggled = Arg::Imm(layout.column(4 * piece as u32 % self.isa.lanes()).cast_signed());
            let index = first.index.filter(|_| piece != 0);
            let index = index.map(|index| self.tied_general(Code::Xor_rm32_imm32, &[Arg::Reg(index), toggled]));
            Mem { index: index.or(first.index), ..first }
        });
        Some(Elements::Row(Row { pieces, piece_log2: 6, is_non_temporal: false }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_make_places() {
        for bytes in [1, 2, 4, 8, 16] {
            let layout = TiledLayout::new(256, 0, bytes);
            let of = |terms: &[Term], value: u32| {
                terms.iter().fold(0, |place, (mask, shift)| place ^ (value & mask) << shift)
            };
            let (across, down) = (terms(|x| layout.column(x)), terms(|y| layout.row(y)));
            for value in 0..256 {
                assert_eq!(of(&across, value), layout.column(value), "{bytes} bytes, column {value}");
                assert_eq!(of(&down, value), layout.row(value), "{bytes} bytes, row {value}");
            }
        }
    }

    #[test]
    fn constants_make_places() {
        for (bytes, apart) in [1, 2, 4, 8, 16].into_iter().flat_map(|bytes| [(bytes, false), (bytes, true)]) {
            let layout = TiledLayout::new(192, 0, bytes);
            let together = if apart { 0 } else { together(layout) };
            let (rows, columns) = (row_places(layout), column_places(layout, 192, together).collect::<Vec<_>>());
            for (x, y) in (0..192).flat_map(|x| (0..128).map(move |y| (x, y))) {
                let row = (y >> layout.tile_height_log2) * layout.tile_row_bytes;
                let place = columns[x as usize >> together] ^ rows[y as usize % rows.len()];
                let inside = (x & ((1 << together) - 1)) * bytes;
                assert_eq!(row + place + inside, layout.address(x, y), "{bytes} bytes, column {x}, row {y}");
            }
        }
    }
}
