//! Surfaces, arrays, counts: where the elements of an access lie. What moves them is in `load` and `store`.

mod interleaved_stores;
mod load;
mod operands;
mod quads;
mod rows;
mod store;
mod tiles;

pub use interleaved_stores::InterleavedStores;
pub use operands::Operands;
use quads::QuadRows;
pub use tiles::Tiles;
use tiles::{ELEMENTS_APART, TiledRow};

use super::arithmetic::{ONE, SIGN};
use super::masks::MaskOp;
use super::{Coordinate, Lanes, Selector, Val};
use crate::mir::{Arg, Base, Class, Condition, Edge, End, Mem, Reg};
use crate::target::Target;
use crate::x64::isa::{VectorIsa, Vop};
use crate::x64::{Inst, InstKind};
use ctm_lane::{Axis, Channels, ElementTest, ElementWrite, FloatTest, IntTest, LaneShape, Op, Value};
use ctm_memory::{Bounds, Format, Layout, LinearLayout};
use iced_x86::Code;

/// Most entries of an array: each is cleared by an instruction of its own.
const MAX_ENTRIES: u32 = 256;

/// How the elements of an access lie.
enum Elements {
    /// One after the other.
    Row(Row),
    /// One after the other, from some element of the first piece on.
    Shifted(ShiftedRow),
    /// One after the other, from some column of a tiled surface on.
    InTiles(TiledRow),
    /// Each somewhere.
    Apart([Mem; ELEMENTS_APART]),
    /// One after the other, in these vectors.
    Loaded([Reg; MAX_PIECES]),
    /// In two rows, quad by quad.
    Quads(QuadRows),
    /// All lanes have this one.
    Same(Mem),
    /// At offsets from the base, for these lanes.
    Scattered(Reg, Lanes),
}

/// A row of elements in memory, in pieces of so many bytes (log2).
#[derive(Clone, Copy)]
struct Row {
    pieces: [Mem; MAX_PIECES],
    piece_log2: u32,
    /// Stores to all of it go past the caches.
    is_non_temporal: bool,
}

/// A row that begins inside of a piece of four elements.
struct ShiftedRow {
    pieces: [Mem; MAX_PIECES + 1],
    /// The words of two neighbouring pieces that make a vector.
    order: Reg,
}

/// Pieces of a row: a group's elements have four vectors at most.
const MAX_PIECES: usize = 4;

impl Row {
    /// In one piece.
    fn whole(mem: Mem) -> Self {
        Row { pieces: [mem; MAX_PIECES], piece_log2: 31, is_non_temporal: false }
    }

    /// The memory from so many bytes after the first element on.
    fn at(&self, bytes: i32) -> Mem {
        let piece = self.pieces[(bytes >> self.piece_log2) as usize];
        Mem { disp: piece.disp + (bytes & ((1u32 << self.piece_log2) - 1).cast_signed()), ..piece }
    }
}

impl Selector<'_> {
    /// Where words of a buffer lie: a base, signed offsets from it, and the lanes whose word is wholly inside.
    pub fn words(&mut self, buffer: ctm_lane::Buffer, address: Value, lanes: Value) -> (Reg, Reg, Lanes) {
        let base = self.buffer_middle(buffer);
        let (address, lanes) = (self.reg(address), self.lanes(lanes));
        let inside = match lanes {
            Lanes::No => Lanes::No,
            Lanes::All | Lanes::Of(_) => {
                let count = self.word_count(buffer);
                let within = if let Lanes::Of(mask) = lanes { Some(mask) } else { None };
                Lanes::Of(self.compare_integers(IntTest::Ult, address, Arg::Reg(count), within))
            }
        };
        (base, self.with_constant(Vop::Xor, address, SIGN), inside)
    }

    /// The first element of the group's row of a surface.
    fn row(&mut self, surface: ctm_lane::Surface, row_bytes: u32) -> Reg {
        if let Some(&reg) = self.rows.get(&surface) {
            return reg;
        }
        let base = self.base(surface);
        let row = self.once(|selector| selector.row_at(base, selector.y, row_bytes));
        self.rows.insert(surface, row);
        row
    }

    /// The first element of row `y`.
    fn row_at(&mut self, base: Reg, y: Reg, row_bytes: u32) -> Reg {
        let offset = self.general(Code::Imul_r32_rm32_imm32, &[Arg::Reg(y), Arg::Imm(row_bytes.cast_signed())]);
        self.tied_general(Code::Add_r64_rm64, &[Arg::Reg(offset), Arg::Reg(base)])
    }

    /// Takes positions plus `offset` that leave 0..size out of the window; false if nothing would be left.
    fn narrow(&mut self, axis: Axis, offset: i32, size: u32) -> bool {
        let range = match axis {
            Axis::X => &mut self.window.x,
            Axis::Y => &mut self.window.y,
        };
        let next = (range.0.max(-i64::from(offset)), range.1.min(i64::from(size) - 1 - i64::from(offset)));
        if next.0 > next.1 {
            return false;
        }
        *range = next;
        true
    }

    /// Where the elements of an access to a linear surface lie, if they are in a row or the same.
    fn regular(&mut self, surface: ctm_lane::Surface, x: Value, y: Value) -> Option<Elements> {
        let surface_layout = self.layouts[surface.index()];
        if !self.mode.interior || self.mode.explicit {
            return None;
        }
        let width = match surface_layout.bounds {
            Bounds::Clamp => surface_layout.surface.pitch.max(1),
            Bounds::Drop => surface_layout.surface.pitch,
        };
        let height = match (surface_layout.bounds, surface_layout.surface.height) {
            (Bounds::Clamp, 0) => 1,
            (Bounds::Drop, 0) => 4096,
            (_, height) => height,
        };
        let layout = match surface_layout.surface.layout() {
            Layout::Linear(layout) if self.mode.quads => {
                return self.quad_rows(surface, layout, (x, y), (width, height));
            }
            Layout::Linear(layout) => layout,
            Layout::Tiled(_) if self.mode.quads => return None,
            Layout::Tiled(layout) => return self.regular_in_tiles(surface, layout, (x, y), (width, height)),
        };
        let bytes = 1u32 << layout.element_log2;
        let shape_x = self.shapes.get(x);
        let shape_y = self.shapes.get(y);
        let within = |limit: Option<u32>, size: u32| limit.map_or(size, |limit| limit.min(size));
        // The row.
        let (row, row_offset) = if let LaneShape::Index { axis: Axis::Y, offset, limit } = shape_y
            && offset.unsigned_abs() < 4096
        {
            if !self.narrow(Axis::Y, offset, within(limit, height)) {
                return None;
            }
            (self.row(surface, layout.row_bytes), i64::from(offset) * i64::from(layout.row_bytes))
        } else if self.is_uniform(y) && (surface_layout.bounds == Bounds::Clamp || self.is_inside(y, height)) {
            let base = self.base(surface);
            let number = self.clamped_uniform(y, height);
            (self.row_at(base, number, layout.row_bytes), 0)
        } else {
            return None;
        };
        if let LaneShape::Index { axis: Axis::X, offset, limit } = shape_x
            && offset.unsigned_abs() < 4096
        {
            if !self.narrow(Axis::X, offset, within(limit, width)) {
                return None;
            }
            let disp = row_offset + i64::from(offset) * i64::from(bytes);
            let (index, scale) = if bytes == 16 { (self.x16, 1) } else { (self.x, bytes as u8) };
            let disp = i32::try_from(disp).ok()?;
            Some(Elements::Row(Row::whole(Mem { index: Some(index), scale, ..Mem::at(Base::Reg(row), disp) })))
        } else if self.is_uniform(x) && (surface_layout.bounds == Bounds::Clamp || self.is_inside(x, width)) {
            let mut index = self.clamped_uniform(x, width);
            let scale = if bytes == 16 {
                index = self.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(index), Arg::Imm(4)]);
                1
            } else {
                bytes as u8
            };
            let disp = i32::try_from(row_offset).ok()?;
            Some(Elements::Same(Mem { index: Some(index), scale, ..Mem::at(Base::Reg(row), disp) }))
        } else {
            None
        }
    }

    fn first_lane(&mut self, value: Reg) -> Reg {
        self.vector_op(Vop::FirstLane, &[Arg::Reg(value)])
    }

    fn is_inside(&self, value: Value, size: u32) -> bool {
        if self.mode.explicit {
            return false;
        }
        let (lo, hi) = if let LaneShape::Index { limit: Some(limit), .. } = self.shapes.get(value) {
            (0, i64::from(limit) - 1)
        } else {
            let range = self.ranges.get(value).int;
            (i64::from(range.0), i64::from(range.1))
        };
        lo >= 0 && hi < i64::from(size)
    }

    /// A coordinate that all lanes have, clamped to 0..size, in a general register.
    fn clamped_uniform(&mut self, value: Value, size: u32) -> Reg {
        match self.function.defining_op(value) {
            Some((Op::Splat {}, &[uniform])) if self.is_inside(value, size) => self.uniform_reg(uniform),
            _ => {
                let number = self.clamped(value, size);
                self.first_lane(number)
            }
        }
    }

    /// The coordinate clamped to 0..size.
    fn clamped(&mut self, value: Value, size: u32) -> Reg {
        let reg = self.reg(value);
        if self.is_inside(value, size) {
            return reg;
        }
        self.clamped_reg(reg, size)
    }

    fn clamped_reg(&mut self, reg: Reg, size: u32) -> Reg {
        let reg = self.with_constant(Vop::SignedMax, reg, 0);
        self.with_constant(Vop::SignedMin, reg, size.saturating_sub(1))
    }

    /// Byte offsets of elements by the bounds rule, and the lanes that access something.
    fn offsets(
        &mut self,
        surface: ctm_lane::Surface,
        x: Reg,
        y: Reg,
        lanes: Lanes,
        inside: (bool, bool),
    ) -> (Reg, Lanes) {
        let surface_layout = self.layouts[surface.index()];
        let (pitch, height) = (surface_layout.surface.pitch, surface_layout.surface.height);
        let (mut x, mut y, mut lanes) = (x, y, lanes);
        match surface_layout.bounds {
            Bounds::Clamp => {
                if !inside.0 {
                    x = self.clamped_reg(x, pitch.max(1));
                }
                if !inside.1 {
                    y = self.clamped_reg(y, height.max(1));
                }
            }
            Bounds::Drop => {
                if !inside.0 {
                    lanes = self.within(lanes, IntTest::Ult, x, pitch);
                }
                if height == 0 {
                    lanes = self.within(lanes, IntTest::Sge, y, 0);
                    let bits = self.constant(0xFFF);
                    y = self.vector_op(Vop::And, &[Arg::Reg(y), bits]);
                } else if !inside.1 {
                    lanes = self.within(lanes, IntTest::Ult, y, height);
                }
            }
        }
        let offset = match surface_layout.surface.layout() {
            Layout::Linear(layout) => {
                let row = self.multiplied(y, layout.row_bytes);
                let column = self.shifted(Vop::ShiftLeft, x, layout.element_log2);
                self.two(Vop::IntAdd, row, column)
            }
            Layout::Tiled(layout) => {
                let tile_y = self.shifted(Vop::ShiftRight, y, layout.tile_height_log2);
                let tile_y = self.multiplied(tile_y, layout.tile_row_bytes);
                let tile_x = self.shifted(Vop::ShiftRight, x, layout.tile_width_log2);
                let tile_x = self.shifted(Vop::ShiftLeft, tile_x, 11);
                let start = self.two(Vop::IntAdd, tile_y, tile_x);
                let inner = self.place_in_tile(layout, x, y);
                self.two(Vop::IntAdd, start, inner)
            }
        };
        (offset, lanes)
    }

    /// A product with a constant, by a shift where that can be.
    fn multiplied(&mut self, value: Reg, by: u32) -> Reg {
        match by.is_power_of_two() {
            true => self.shifted(Vop::ShiftLeft, value, by.ilog2()),
            false => self.with_constant(Vop::IntMul, value, by),
        }
    }

    fn is_usable(&mut self, surface: ctm_lane::Surface) -> bool {
        let surface_layout = self.layouts[surface.index()];
        let usable = surface_layout.whole && surface_layout.surface.pitch != 0 && surface_layout.surface.pitch <= 4096;
        if !usable {
            self.refuse();
        }
        usable
    }

    /// Storage of an array, cleared for each group.
    fn array_base(&mut self, array: ctm_lane::Array) -> Reg {
        let is_new = self.arrays.insert(array);
        let reg = self.array_pointer(array);
        let entries = self.function.arrays[array.index()].entries;
        if entries > MAX_ENTRIES {
            self.refuse();
        } else if is_new {
            let bytes = self.isa.bytes();
            self.first(|selector| {
                let zeros = selector.constant_reg(0);
                for number in 0..entries as i32 {
                    selector.put(Mem::at(Base::Reg(reg), number * bytes), zeros, Lanes::All);
                }
            });
        }
        reg
    }

    /// Bits by which the number of an entry is shifted: each has a vector's space, whatever it holds.
    fn entry_log2(&self) -> u32 {
        self.isa.bytes().ilog2()
    }

    /// The entry of an array that a uniform numbers.
    pub fn entry(&mut self, array: ctm_lane::Array, index: Value) -> Mem {
        let base = self.array_base(array);
        let index = self.wrapped(index, self.function.arrays[array.index()].entries);
        let shift = Arg::Imm(self.entry_log2().cast_signed());
        let index = self.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(index), shift]);
        Mem { index: Some(index), ..Mem::at(Base::Reg(base), 0) }
    }

    /// Where an array starts, and for each lane the offset of its word in the entry that it numbers.
    pub fn entries(&mut self, array: ctm_lane::Array, index: Value) -> (Reg, Reg) {
        let base = self.array_base(array);
        let index = self.reg(index);
        let entries = self.function.arrays[array.index()].entries;
        let index = self.with_constant(Vop::And, index, entries.wrapping_sub(1));
        let index = self.shifted(Vop::ShiftLeft, index, self.entry_log2());
        let lanes: Vec<u32> = (0..self.isa.lanes()).map(|lane| lane * 4).collect();
        let lanes = self.vector_constant(&lanes);
        (base, self.vector_op(Vop::IntAdd, &[Arg::Reg(index), lanes]))
    }
}
