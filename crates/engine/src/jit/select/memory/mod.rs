//! Surfaces, arrays, counts: where the elements of an access lie. What moves them is in `load` and `store`.

mod load;
mod store;

use super::arithmetic::ONE;
use super::{LANES, Lanes, Selector, Val};
use crate::jit::context;
use crate::jit::mir::{Arg, Base, Class, Condition, Edge, End, Inst, Kind, Mem, Reg};
use ctm_lane::{Axis, Channels, FloatTest, IntTest, Op, Shape, UnitTest, UnitWrite, Value};
use ctm_memory::{Bounds, Format, Layout};
use iced_x86::Code;

const INT_ADD: Code = Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const SHIFT_LEFT: Code = Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
const SHIFT_RIGHT: Code = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
const AND: Code = Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const OR: Code = Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32;
const PERMUTE: Code = Code::EVEX_Vpermt2ps_zmm_k1z_zmm_zmmm512b32;
const LOAD: Code = Code::EVEX_Vmovups_zmm_k1z_zmmm512;
const STORE: Code = Code::EVEX_Vmovups_zmmm512_k1z_zmm;

/// Most entries of an array: each is cleared by an instruction of its own.
const MAX_ENTRIES: u32 = 256;

/// How the elements of an access lie.
enum Place {
    /// One after the other from the one at this place.
    Row(Mem),
    /// All lanes have the one at this place.
    Same(Mem),
    /// At offsets from the base, for these lanes.
    Scattered(Reg, Lanes),
}

impl Selector<'_> {
    /// Operations that have other effects, or not one result.
    pub fn special(&mut self, op: &Op, args: &[Value], results: &[Value]) {
        match *op {
            Op::SurfaceLoad { surface } => {
                let lanes = self.lanes(args[2]);
                let channels = self.load(surface, args[0], args[1], lanes);
                for (&result, val) in results.iter().zip(channels) {
                    self.values[result.index()] = val;
                }
            }
            Op::SurfaceLoad2x2 { surface } => self.load_2x2(surface, args, results),
            Op::SurfaceStore { surface, channels } => self.store(surface, channels, args),
            Op::SurfaceTest { surface, test, write } => {
                if let Some(passed) = self.test(surface, (test, write), args) {
                    self.set(results[0], passed);
                } else {
                    self.refuse();
                }
            }
            Op::Steps { count, .. } => match self.lanes(args[0]) {
                Lanes::No => {}
                Lanes::All => match count.checked_mul(LANES).filter(|&total| i32::try_from(total).is_ok()) {
                    Some(total) => self.count(total, &[]),
                    None => self.refuse(),
                },
                Lanes::Of(mask) => self.count(count, &[Arg::Reg(mask)]),
            },
            _ if op.array().is_some() => self.array(op, args, results),
            _ => self.refuse(),
        }
    }

    fn count(&mut self, count: u32, args: &[Arg]) {
        if let (Some(Inst { kind: Kind::Count(before), args: [Arg::None, ..], .. }), []) = (self.insts.last_mut(), args)
            && let Some(sum) = before.checked_add(count).filter(|&sum| i32::try_from(sum).is_ok())
        {
            *before = sum;
            return;
        }
        if count != 0 {
            self.insts.push(Inst::new(Kind::Count(count), None, args));
        }
    }

    fn base(&mut self, surface: ctm_lane::Surface) -> Reg {
        let at = surface.index();
        if let Some(reg) = self.surfaces[at] {
            return reg;
        }
        let reg = self.pointer(context::SURFACES_AT + 8 * at as i32);
        self.surfaces[at] = Some(reg);
        reg
    }

    /// The first element of the group's row of a surface.
    fn row(&mut self, surface: ctm_lane::Surface, row_bytes: u32) -> Reg {
        let at = surface.index();
        if let Some(reg) = self.rows[at] {
            return reg;
        }
        let base = self.base(surface);
        let [offset, sum] = [self.machine.reg(Class::General), self.machine.reg(Class::General)];
        let mut multiply = Inst::new(
            Kind::Plain(Code::Imul_r32_rm32_imm32),
            Some(offset),
            &[Arg::Reg(self.y), Arg::Imm(row_bytes.cast_signed())],
        );
        multiply.foldable = false;
        self.prologue.push(multiply);
        let add = Inst::new(Kind::Tied(Code::Add_r64_rm64), Some(sum), &[Arg::Reg(offset), Arg::Reg(base)]);
        self.prologue.push(add);
        self.rows[at] = Some(sum);
        sum
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
    fn regular(&mut self, surface: ctm_lane::Surface, x: Value, y: Value) -> Option<Place> {
        let facts = self.facts[surface.index()];
        let Layout::Linear(layout) = facts.surface.layout() else { return None };
        if !self.mode.interior || self.mode.quads {
            return None;
        }
        let width = match facts.bounds {
            Bounds::Clamp => facts.surface.pitch.max(1),
            Bounds::Drop => facts.surface.pitch,
        };
        let height = match (facts.bounds, facts.surface.height) {
            (Bounds::Clamp, 0) => 1,
            (Bounds::Drop, 0) => 4096,
            (_, height) => height,
        };
        let bytes = 1u32 << layout.element_log2;
        let shape_x = self.shapes.get(x);
        let shape_y = self.shapes.get(y);
        let within = |limit: Option<u32>, size: u32| limit.map_or(size, |limit| limit.min(size));
        // The row.
        let (row, row_offset) = match shape_y {
            Shape::Index { axis: Axis::Y, offset, limit } if offset.unsigned_abs() < 4096 => {
                if !self.narrow(Axis::Y, offset, within(limit, height)) {
                    return None;
                }
                (self.row(surface, layout.row_bytes), i64::from(offset) * i64::from(layout.row_bytes))
            }
            _ if self.is_uniform(y) && (facts.bounds == Bounds::Clamp || self.is_inside(y, height)) => {
                let base = self.base(surface);
                let number = self.clamped(y, height);
                let number = self.first_lane(number);
                let mut offset = Inst::new(
                    Kind::Plain(Code::Imul_r32_rm32_imm32),
                    Some(self.machine.reg(Class::General)),
                    &[Arg::Reg(number), Arg::Imm(layout.row_bytes.cast_signed())],
                );
                offset.foldable = false;
                let number = offset.def?;
                self.insts.push(offset);
                (self.tied_general(Code::Add_r64_rm64, &[Arg::Reg(number), Arg::Reg(base)]), 0)
            }
            _ => return None,
        };
        match shape_x {
            Shape::Index { axis: Axis::X, offset, limit } if offset.unsigned_abs() < 4096 => {
                if !self.narrow(Axis::X, offset, within(limit, width)) {
                    return None;
                }
                let disp = row_offset + i64::from(offset) * i64::from(bytes);
                let (index, scale) = if bytes == 16 { (self.x16, 1) } else { (self.x, bytes as u8) };
                let disp = i32::try_from(disp).ok()?;
                Some(Place::Row(Mem { index: Some(index), scale, ..Mem::at(Base::Reg(row), disp) }))
            }
            _ if self.is_uniform(x) && (facts.bounds == Bounds::Clamp || self.is_inside(x, width)) => {
                let number = self.clamped(x, width);
                let mut index = self.first_lane(number);
                let scale = if bytes == 16 {
                    index = self.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(index), Arg::Imm(4)]);
                    1
                } else {
                    bytes as u8
                };
                let disp = i32::try_from(row_offset).ok()?;
                Some(Place::Same(Mem { index: Some(index), scale, ..Mem::at(Base::Reg(row), disp) }))
            }
            _ => None,
        }
    }

    fn first_lane(&mut self, value: Reg) -> Reg {
        let reg = self.general(Code::EVEX_Vmovd_rm32_xmm, &[Arg::Reg(value)]);
        if let Some(last) = self.insts.last_mut() {
            last.foldable = false;
        }
        reg
    }

    fn is_inside(&self, value: Value, size: u32) -> bool {
        let (lo, hi) = match self.shapes.get(value) {
            Shape::Index { limit: Some(limit), .. } => (0, i64::from(limit) - 1),
            _ => {
                let range = self.ranges.get(value).int;
                (i64::from(range.0), i64::from(range.1))
            }
        };
        lo >= 0 && hi < i64::from(size)
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
        let zero = self.constant(0);
        let reg = self.vector(Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(reg), zero]);
        let last = self.constant(size.saturating_sub(1));
        self.vector(Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(reg), last])
    }

    fn within(&mut self, lanes: Lanes, test: IntTest, value: Reg, bound: u32) -> Lanes {
        let bound = self.constant(bound);
        match lanes {
            Lanes::No => Lanes::No,
            Lanes::All => Lanes::Of(self.compare_integers(test, value, bound, None)),
            Lanes::Of(mask) => Lanes::Of(self.compare_integers(test, value, bound, Some(mask))),
        }
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
        let facts = self.facts[surface.index()];
        let (pitch, height) = (facts.surface.pitch, facts.surface.height);
        let (mut x, mut y, mut lanes) = (x, y, lanes);
        match facts.bounds {
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
                    y = self.vector(AND, &[Arg::Reg(y), bits]);
                } else if !inside.1 {
                    lanes = self.within(lanes, IntTest::Ult, y, height);
                }
            }
        }
        let offset = match facts.surface.layout() {
            Layout::Linear(layout) => {
                let row = self.constant(layout.row_bytes);
                let row = self.vector(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(y), row]);
                let column = self.vector(SHIFT_LEFT, &[Arg::Reg(x), Arg::Imm(layout.element_log2 as i32)]);
                self.vector(INT_ADD, &[Arg::Reg(row), Arg::Reg(column)])
            }
            Layout::Tiled(layout) => {
                let tile = |selector: &mut Self, value: Reg, log2: u32| {
                    selector.vector(SHIFT_RIGHT, &[Arg::Reg(value), Arg::Imm(log2 as i32)])
                };
                let tile_y = tile(self, y, layout.tile_height_log2);
                let bytes = self.constant(layout.tile_row_bytes);
                let tile_y = self.vector(Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(tile_y), bytes]);
                let tile_x = tile(self, x, layout.tile_width_log2);
                let tile_x = self.vector(SHIFT_LEFT, &[Arg::Reg(tile_x), Arg::Imm(11)]);
                let start = self.vector(INT_ADD, &[Arg::Reg(tile_y), Arg::Reg(tile_x)]);
                let columns: Vec<u32> = (0..128).map(|x| layout.column(x)).collect();
                let rows: Vec<u32> = (0..64).map(|y| layout.row(y)).collect();
                let column = self.looked_up(&columns, x);
                let row = self.looked_up(&rows, y);
                let inner = self.vector(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(column), Arg::Reg(row)]);
                self.vector(INT_ADD, &[Arg::Reg(start), Arg::Reg(inner)])
            }
        };
        (offset, lanes)
    }

    /// The entry at the lane's index, modulo the number of entries (a power of two).
    fn looked_up(&mut self, entries: &[u32], index: Reg) -> Reg {
        let at = self.pool_at(entries);
        let bits = self.constant(entries.len() as u32 - 1);
        let index = self.vector(AND, &[Arg::Reg(index), bits]);
        let pool = self.general(Code::Lea_r64_m, &[Arg::Mem(Mem::at(Base::Pool, at))]);
        let mem = Mem { index: Some(index), scale: 4, ..Mem::at(Base::Reg(pool), 0) };
        self.define(Class::Vector, Kind::Gather, &[Arg::Mem(mem)])
    }

    fn gathered(&mut self, surface: ctm_lane::Surface, offset: Reg, disp: i32, lanes: Lanes) -> Reg {
        let mem = Mem { index: Some(offset), ..Mem::at(Base::Reg(self.base(surface)), disp) };
        let mask = match lanes {
            Lanes::All => None,
            Lanes::No => return self.constant_reg(0),
            Lanes::Of(mask) => Some(mask),
        };
        let reg = self.define(Class::Vector, Kind::Gather, &[Arg::Mem(mem)]);
        if let Some(last) = self.insts.last_mut() {
            last.mask = mask;
        }
        reg
    }

    fn is_usable(&mut self, surface: ctm_lane::Surface) -> bool {
        let facts = self.facts[surface.index()];
        let usable = facts.whole && facts.surface.pitch != 0 && facts.surface.pitch <= 4096;
        if !usable {
            self.refuse();
        }
        usable
    }

    /// Storage of an array, cleared for each group.
    fn array_base(&mut self, array: ctm_lane::Array) -> Reg {
        let at = array.index();
        if let Some(reg) = self.arrays[at] {
            return reg;
        }
        let reg = self.pointer(context::ARRAYS_AT + 8 * at as i32);
        self.arrays[at] = Some(reg);
        let entries = self.function.arrays[at].entries;
        if entries > MAX_ENTRIES {
            self.refuse();
            return reg;
        }
        let zeros = self.machine.reg(Class::Vector);
        let at = self.pool_at(&[0]);
        let load = Arg::Mem(Mem::at(Base::Pool, at));
        self.prologue.push(Inst::new(Kind::Plain(Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32), Some(zeros), &[load]));
        for number in 0..entries as i32 {
            let mem = Mem::at(Base::Reg(reg), number * 64);
            let mut clear = Inst::new(Kind::Plain(STORE), None, &[Arg::Mem(mem), Arg::Reg(zeros)]);
            clear.foldable = false;
            self.head.push(clear);
        }
        reg
    }

    fn array(&mut self, op: &Op, args: &[Value], results: &[Value]) {
        let Some((array, _)) = op.array() else { return };
        let entries = self.function.arrays[array.index()].entries;
        let base = Base::Reg(self.array_base(array));
        // Each entry has a vector's room, whatever it holds.
        let uniform_place = |selector: &mut Self| {
            let index = selector.wrapped(args[0], entries);
            let index = selector.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(index), Arg::Imm(6)]);
            Mem { index: Some(index), ..Mem::at(base, 0) }
        };
        let lane_place = |selector: &mut Self| {
            let index = selector.reg(args[0]);
            let bits = selector.constant(entries.wrapping_sub(1));
            let index = selector.vector(AND, &[Arg::Reg(index), bits]);
            let index = selector.vector(SHIFT_LEFT, &[Arg::Reg(index), Arg::Imm(6)]);
            let lanes: Vec<u32> = (0..LANES).map(|lane| lane * 4).collect();
            let lanes = selector.vector_constant(&lanes);
            let index = selector.vector(INT_ADD, &[Arg::Reg(index), lanes]);
            Mem { index: Some(index), ..Mem::at(base, 0) }
        };
        // Reads must not move across writes; keeping all of them in order does it.
        match *op {
            Op::ArrayRead { .. } => {
                let mem = uniform_place(self);
                let reg = self.vector(LOAD, &[Arg::Mem(mem)]);
                self.set(results[0], reg);
                self.watch_nans(results);
            }
            Op::ArrayGather { .. } => {
                let mem = lane_place(self);
                let reg = self.define(Class::Vector, Kind::Gather, &[Arg::Mem(mem)]);
                self.set(results[0], reg);
                self.watch_nans(results);
            }
            Op::ArrayWrite { .. } => {
                let (mem, value) = (uniform_place(self), self.reg(args[1]));
                match self.lanes(args[2]) {
                    Lanes::No => {}
                    lanes => self.put(STORE, mem, value, lanes),
                }
            }
            Op::ArrayScatter { .. } => {
                let (mem, value) = (lane_place(self), self.reg(args[1]));
                let mask = match self.lanes(args[2]) {
                    Lanes::No => return,
                    Lanes::All => None,
                    Lanes::Of(mask) => Some(mask),
                };
                let mut scatter = Inst::new(Kind::Scatter, None, &[Arg::Reg(value), Arg::Mem(mem)]);
                scatter.mask = mask;
                self.insts.push(scatter);
            }
            Op::MaskArrayRead { .. } => {
                let mem = uniform_place(self);
                let reg = self.mask(Code::VEX_Kmovw_kr_km16, &[Arg::Mem(mem)]);
                self.set(results[0], reg);
            }
            Op::MaskArrayWrite { .. } => {
                let (mem, value) = (uniform_place(self), Arg::Reg(self.mask_reg(args[1])));
                let mut store = Inst::new(Kind::Plain(Code::VEX_Kmovw_m16_kr), None, &[Arg::Mem(mem), value]);
                store.foldable = false;
                self.insts.push(store);
            }
            Op::UniformArrayRead { .. } => {
                let mem = uniform_place(self);
                let reg = self.general(Code::Mov_r32_rm32, &[Arg::Mem(mem)]);
                self.set(results[0], reg);
            }
            Op::UniformArrayWrite { .. } => {
                let (mem, value) = (uniform_place(self), Arg::Reg(self.uniform_reg(args[1])));
                let mut store = Inst::new(Kind::Plain(Code::Mov_rm32_r32), None, &[Arg::Mem(mem), value]);
                store.foldable = false;
                self.insts.push(store);
            }
            _ => self.refuse(),
        }
    }
}
