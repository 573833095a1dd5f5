//! Elements of tiled surfaces: a place inside of a tile is made of the bits of both coordinates.

use super::*;
use ctm_memory::TiledLayout;
use std::collections::HashMap;

/// log2 of the bytes of a tile.
const TILE: u32 = 11;
/// Bits of a coordinate that decide a place inside of a tile.
const COORDINATE_BITS: u32 = 7;

/// Bits of a coordinate, and by how much they are shifted to the left for the place inside of the tile.
type Term = (u32, u32);

/// What a coordinate's bits from `first` on say about a place inside of a tile, which is the exclusive or of all terms. `part` is the
/// place of coordinates of one bit.
fn terms(first: u32, part: impl Fn(u32) -> u32) -> Vec<Term> {
    let mut masks = [0; TILE as usize];
    for bit in first..COORDINATE_BITS {
        let place = part(1 << bit);
        for address_bit in (0..TILE).filter(|address_bit| place >> address_bit & 1 != 0) {
            masks[(address_bit - bit) as usize] |= 1 << bit;
        }
    }
    (0..).zip(masks).filter(|&(_, mask)| mask != 0).map(|(shift, mask)| (mask, shift)).collect()
}

/// What is known of coordinates of the block in the making.
#[derive(Default)]
pub struct TileCoordinates {
    /// Of rows of elements, the pieces' bytes from the start of the row of tiles, as far as columns say; and the order of their words.
    columns: HashMap<Coordinate, ([Reg; MAX_PIECES + 1], Reg)>,
    /// The first tile of a row, and what the row says about places in tiles.
    rows: HashMap<(ctm_lane::Surface, Coordinate), (Reg, Option<Reg>)>,
}

impl TileCoordinates {
    /// Forgets them all.
    pub fn clear(&mut self) {
        self.columns.clear();
        self.rows.clear();
    }
}

impl Selector<'_> {
    /// Whether elements of a tiled surface can be found at run time that are in a row, or the same.
    pub(super) fn reaches_tiles(&self, surface: &ctm_memory::Surface, layout: TiledLayout, in_row: bool) -> bool {
        let is_whole = surface.pitch.is_multiple_of(1 << layout.tile_width_log2);
        let is_cut = surface.format == Format::Float32_4 && surface.pitch.is_power_of_two();
        is_whole && (!in_row || is_cut && self.form == Form::Avx512)
    }

    /// Where the elements of an access to a tiled surface lie whose lanes have these coordinates: the first lane's, and those that follow
    /// in a row.
    pub(super) fn elements_in_tiles(
        &mut self,
        surface: ctm_lane::Surface,
        layout: TiledLayout,
        (column, first_x): (Coordinate, Reg),
        (line, first_y): (Coordinate, Reg),
    ) -> Option<Elements> {
        let (row, place) = match self.tile_coordinates.rows.get(&(surface, line)) {
            Some(&known) => known,
            None => {
                let base = self.base(surface);
                let made = self.tile_row_at(base, first_y, layout);
                self.tile_coordinates.rows.insert((surface, line), made);
                made
            }
        };
        let at = |index: Reg| Mem { index: Some(index), ..Mem::at(Base::Reg(row), 0) };
        if !column.in_row {
            let (tile, place) = self.tile_column(first_x, place, (0, layout))?;
            let index = self.tied_general(Code::Add_r32_rm32, &[Arg::Reg(place), Arg::Reg(tile)]);
            return Some(Elements::Same(at(index)));
        }
        let (columns, order) = match self.tile_coordinates.columns.get(&column) {
            Some(&known) => known,
            None => {
                let made = self.pieces_from(first_x, column.size, layout)?;
                self.tile_coordinates.columns.insert(column, made);
                made
            }
        };
        let place = place?;
        let pieces =
            columns.map(|column| at(self.tied_general(Code::Xor_r32_rm32, &[Arg::Reg(column), Arg::Reg(place)])));
        Some(Elements::Shifted(ShiftedRow { pieces, order }))
    }

    /// Of the row of elements that begins in this column of a surface so wide (a power of two), the pieces' bytes from the start of the
    /// row of tiles, and the words that a vector takes from a piece and the next one. What lies behind the surface is not needed.
    fn pieces_from(&mut self, x: Reg, width: u32, layout: TiledLayout) -> Option<([Reg; MAX_PIECES + 1], Reg)> {
        let mut columns = Vec::new();
        for piece in 0..=MAX_PIECES as i32 {
            let column = self.tied_general(Code::Add_rm32_imm32, &[Arg::Reg(x), Arg::Imm(4 * piece)]);
            let column = self.masked(column, (width - 1) & !3);
            let (tile, place) = self.tile_column(column, None, (2, layout))?;
            columns.push(self.tied_general(Code::Add_r32_rm32, &[Arg::Reg(place), Arg::Reg(tile)]));
        }
        let first = self.masked(x, 3);
        let first = self.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(first), Arg::Imm(2)]);
        let first = self.splat(first);
        let words = self.vector_constant(&(0..self.form.lanes()).collect::<Vec<_>>());
        let order = self.vector_op(Vop::IntAdd, &[Arg::Reg(first), words]);
        Some((columns.try_into().ok()?, order))
    }

    /// Bytes from the start of the tiles to these elements.
    pub(super) fn place_in_tile(&mut self, layout: TiledLayout, x: Reg, y: Reg) -> Reg {
        let across = terms(0, |x| layout.column(x)).into_iter().map(|term| (x, term));
        let down = terms(0, |y| layout.row(y)).into_iter().map(|term| (y, term));
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

    /// The same of the first lane, on top of `place`.
    fn first_place(&mut self, place: Option<Reg>, coordinate: Reg, terms: Vec<Term>) -> Option<Reg> {
        terms.into_iter().fold(place, |place, (mask, shift)| {
            let bits = self.masked(coordinate, mask);
            let bits = self.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(bits), Arg::Imm(shift.cast_signed())]);
            Some(match place {
                Some(place) => self.tied_general(Code::Xor_r32_rm32, &[Arg::Reg(bits), Arg::Reg(place)]),
                None => bits,
            })
        })
    }

    fn masked(&mut self, value: Reg, mask: u32) -> Reg {
        self.tied_general(Code::And_rm32_imm32, &[Arg::Reg(value), Arg::Imm(mask.cast_signed())])
    }

    /// The first tile of row `y` of a surface that starts at `base`, and what the row says about places in tiles.
    fn tile_row_at(&mut self, base: Reg, y: Reg, layout: TiledLayout) -> (Reg, Option<Reg>) {
        let above = self.masked(y, u32::MAX << layout.tile_height_log2);
        let row_bytes = layout.tile_row_bytes >> layout.tile_height_log2;
        let row = self.general(Code::Imul_r32_rm32_imm32, &[Arg::Reg(above), Arg::Imm(row_bytes.cast_signed())]);
        let row = self.tied_general(Code::Add_r64_rm64, &[Arg::Reg(row), Arg::Reg(base)]);
        (row, self.first_place(None, y, terms(0, |y| layout.row(y))))
    }

    /// The same of the group's row.
    fn tile_row(&mut self, surface: ctm_lane::Surface, layout: TiledLayout) -> (Reg, Option<Reg>) {
        if let Some(&known) = self.tile_rows.get(&surface) {
            return known;
        }
        let base = self.base(surface);
        let made = self.once(|selector| selector.tile_row_at(base, selector.y, layout));
        self.tile_rows.insert(surface, made);
        made
    }

    /// Bytes from the start of the row of tiles to column `x`, and what both coordinates say about its place in the tile.
    fn tile_column(&mut self, x: Reg, place: Option<Reg>, (first, layout): (u32, TiledLayout)) -> Option<(Reg, Reg)> {
        let place = self.first_place(place, x, terms(first, |x| layout.column(x)))?;
        let tile = self.masked(x, u32::MAX << layout.tile_width_log2);
        let shift = TILE - layout.tile_width_log2;
        Some((self.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(tile), Arg::Imm(shift.cast_signed())]), place))
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
            let Shape::Index { axis, offset: 0, limit } = self.shapes.get(value) else { return None };
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
        let (row, place) = match rows {
            Some(_) => self.tile_row(surface, layout),
            None => {
                let base = self.base(surface);
                let number = self.clamped(y, height);
                let number = self.first_lane(number);
                self.tile_row_at(base, number, layout)
            }
        };
        let at = |index: Reg| Mem { index: Some(index), ..Mem::at(Base::Reg(row), 0) };
        if !is_row {
            let number = self.clamped(x, width);
            let number = self.first_lane(number);
            let (tile, place) = self.tile_column(number, place, (0, layout))?;
            let index = self.tied_general(Code::Add_r32_rm32, &[Arg::Reg(place), Arg::Reg(tile)]);
            return Some(Elements::Same(at(index)));
        }
        let lanes = self.form.lanes();
        let (tile, place) = self.tile_column(self.x, place, (lanes.ilog2(), layout))?;
        let pieces = std::array::from_fn(|piece| {
            let toggled = layout.column(4 * piece as u32 % lanes);
            let place = self.tied_general(Code::Xor_rm32_imm32, &[Arg::Reg(place), Arg::Imm(toggled.cast_signed())]);
            at(self.tied_general(Code::Add_r32_rm32, &[Arg::Reg(place), Arg::Reg(tile)]))
        });
        Some(Elements::Row(Row { pieces, piece_log2: 6 }))
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
            let (across, down) = (terms(0, |x| layout.column(x)), terms(0, |y| layout.row(y)));
            for value in 0..256 {
                assert_eq!(of(&across, value), layout.column(value), "{bytes} bytes, column {value}");
                assert_eq!(of(&down, value), layout.row(value), "{bytes} bytes, row {value}");
            }
        }
    }
}
