//! Surfaces, arrays, counts.

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

    fn load(&mut self, surface: ctm_lane::Surface, x: Value, y: Value, lanes: Lanes) -> [Val; 4] {
        if !self.is_usable(surface) {
            return [Val::None; 4];
        }
        if matches!(lanes, Lanes::No) {
            return [Val::Const(0); 4];
        }
        let format = self.facts[surface.index()].surface.format;
        let hoped = if self.mode.interior { self.hoped(surface, x, y) } else { None };
        let place = match self.regular(surface, x, y) {
            Some(place) => place,
            None if hoped.is_some() => {
                let raw = match hoped {
                    Some(in_row) => self.load_either(surface, (x, y), in_row, format),
                    None => [Val::Const(0); 4],
                };
                let mut channels = self.unpacked(format, raw);
                if let Lanes::Of(mask) = lanes {
                    for channel in &mut channels {
                        *channel = match *channel {
                            Val::Reg(reg) => Val::Reg(self.zero_outside(mask, Arg::Reg(reg))),
                            Val::Const(bits) => {
                                let bits = self.constant(bits);
                                Val::Reg(self.zero_outside(mask, bits))
                            }
                            other => other,
                        };
                    }
                }
                return channels;
            }
            None => {
                let facts = self.facts[surface.index()].surface;
                let inside = (self.is_inside(x, facts.pitch), self.is_inside(y, facts.height));
                let (x, y) = (self.reg(x), self.reg(y));
                let (offset, lanes) = self.offsets(surface, x, y, lanes, inside);
                Place::Scattered(offset, lanes)
            }
        };
        let raw = self.load_raw(surface, format, &place);
        let mut channels = self.unpacked(format, raw);
        let Lanes::Of(mask) = lanes else { return channels };
        // Elements that no lane of a gather asks for are zero bytes, and these are the number 0.
        let is_zero = matches!(place, Place::Scattered(..));
        for (number, channel) in channels.iter_mut().enumerate() {
            *channel = match *channel {
                Val::Reg(reg) if !(is_zero && number < format.channels()) => {
                    Val::Reg(self.zero_outside(mask, Arg::Reg(reg)))
                }
                Val::Const(bits) => {
                    let bits = self.constant(bits);
                    Val::Reg(self.zero_outside(mask, bits))
                }
                other => other,
            };
        }
        channels
    }

    /// Whether the lanes may well ask for a row of elements (true) or for the same (false), which the code has to find out.
    fn hoped(&self, surface: ctm_lane::Surface, x: Value, y: Value) -> Option<bool> {
        let facts = self.facts[surface.index()];
        let linear = matches!(facts.surface.layout(), Layout::Linear(_));
        if self.mode.quads || !linear || facts.bounds != Bounds::Clamp {
            return None;
        }
        let along = |value: Value| match self.shapes.get(value) {
            Shape::Uniform => Some(Axis::Y),
            Shape::Index { axis, .. } | Shape::Coordinate { axis, .. } | Shape::Along(axis) => Some(axis),
            Shape::Varying => None,
        };
        (along(y)? == Axis::Y).then_some(along(x)? == Axis::X)
    }

    /// The lanes whose coordinate is not that of the first lane, plus the lane's number in a row; and the first lane's.
    fn astray(&mut self, value: Value, in_row: bool, size: u32) -> (Reg, Reg) {
        if let Some(&known) = self.astray.get(&(value, in_row)) {
            return known;
        }
        let lanes = self.clamped(value, size);
        let first = self.first_lane(lanes);
        let mut expected = self.splat(first);
        if in_row {
            let numbers: Vec<u32> = (0..LANES).collect();
            let numbers = self.vector_constant(&numbers);
            expected = self.vector(INT_ADD, &[Arg::Reg(expected), numbers]);
        }
        let astray = self.compare_integers(IntTest::Ne, lanes, Arg::Reg(expected), None);
        self.astray.insert((value, in_row), (astray, first));
        (astray, first)
    }

    /// Stored words by vectors or once for all lanes if the coordinates are such, else by gathers. Coordinates clamp.
    fn load_either(
        &mut self,
        surface: ctm_lane::Surface,
        (x, y): (Value, Value),
        in_row: bool,
        format: Format,
    ) -> [Val; 4] {
        let facts = self.facts[surface.index()].surface;
        let Layout::Linear(layout) = facts.layout() else { return [Val::None; 4] };
        let (size_x, size_y) = (facts.pitch.max(1), facts.height.max(1));
        let (astray_x, first_x) = self.astray(x, in_row, size_x);
        let (astray_y, first_y) = self.astray(y, false, size_y);
        let row_bytes = layout.row_bytes.cast_signed();
        let row = self.general(Code::Imul_r32_rm32_imm32, &[Arg::Reg(first_y), Arg::Imm(row_bytes)]);
        if let Some(last) = self.insts.last_mut() {
            last.foldable = false;
        }
        let base = self.base(surface);
        let row = self.tied_general(Code::Add_r64_rm64, &[Arg::Reg(row), Arg::Reg(base)]);
        let (index, scale) = if layout.element_log2 == 4 {
            (self.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(first_x), Arg::Imm(4)]), 1)
        } else {
            (first_x, 1 << layout.element_log2)
        };
        let mem = Mem { index: Some(index), scale, ..Mem::at(Base::Reg(row), 0) };
        self.insts.push(Inst::new(
            Kind::Plain(Code::VEX_Kortestw_kr_kr),
            None,
            &[Arg::Reg(astray_x), Arg::Reg(astray_y)],
        ));
        let [regular, scattered, after] = [self.label(), self.label(), self.label()];
        let edge = |block: usize| Edge { block, args: Vec::new() };
        let end = End::Branch { condition: Condition::NotEqual, then: edge(scattered), otherwise: edge(regular) };
        self.finish_block(end, regular, Vec::new());
        let words = (format.bytes_per_element() as usize).div_ceil(4);
        let place = if in_row { Place::Row(mem) } else { Place::Same(mem) };
        let collect = |raw: [Val; 4]| -> Vec<Arg> {
            let args = raw.into_iter().take(words).map(|val| match val {
                Val::Reg(reg) => Arg::Reg(reg),
                _ => Arg::None,
            });
            args.collect()
        };
        let raw = self.load_raw(surface, format, &place);
        let end = End::Jump(Edge { block: after, args: collect(raw) });
        self.finish_block(end, scattered, Vec::new());
        let inside = (self.is_inside(x, facts.pitch), self.is_inside(y, facts.height));
        let (x, y) = (self.reg(x), self.reg(y));
        let (offset, lanes) = self.offsets(surface, x, y, Lanes::All, inside);
        let raw = self.load_raw(surface, format, &Place::Scattered(offset, lanes));
        let params: Vec<Reg> = (0..words).map(|_| self.machine.reg(Class::Vector)).collect();
        let end = End::Jump(Edge { block: after, args: collect(raw) });
        self.finish_block(end, after, params.clone());
        std::array::from_fn(|word| params.get(word).map_or(Val::Const(0), |&reg| Val::Reg(reg)))
    }

    /// The stored words of elements, as [`Format::unpack`] takes them.
    fn load_raw(&mut self, surface: ctm_lane::Surface, format: Format, place: &Place) -> [Val; 4] {
        let mut raw = [Val::Const(0); 4];
        let words = (format.bytes_per_element() as usize).div_ceil(4);
        match *place {
            Place::Row(mem) => match format {
                Format::Float32_4 => return self.load_rows_of_four(mem).map(Val::Reg),
                Format::Float32_2 => return self.load_rows_of_two(mem),
                Format::Uint16_1 => {
                    raw[0] = Val::Reg(self.vector(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, &[Arg::Mem(mem)]))
                }
                Format::Uint8_4 | Format::Float32_1 => raw[0] = Val::Reg(self.vector(LOAD, &[Arg::Mem(mem)])),
            },
            Place::Same(mem) => {
                let code = if format == Format::Uint16_1 {
                    Code::EVEX_Vpbroadcastw_zmm_k1z_xmmm16
                } else {
                    Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32
                };
                for (number, raw) in raw.iter_mut().enumerate().take(words) {
                    let mem = Mem { disp: mem.disp + 4 * number as i32, ..mem };
                    *raw = Val::Reg(self.vector(code, &[Arg::Mem(mem)]));
                }
                if let (Format::Uint16_1, Val::Reg(reg)) = (format, raw[0]) {
                    let bits = self.constant(0xFFFF);
                    raw[0] = Val::Reg(self.vector(AND, &[Arg::Reg(reg), bits]));
                }
            }
            Place::Scattered(offset, lanes) if format == Format::Uint16_1 => {
                let bits = self.constant(!3);
                let word = self.vector(AND, &[Arg::Reg(offset), bits]);
                let word = self.gathered(surface, word, 0, lanes);
                let bits = self.constant(2);
                let half = self.vector(AND, &[Arg::Reg(offset), bits]);
                let shift = self.vector(SHIFT_LEFT, &[Arg::Reg(half), Arg::Imm(3)]);
                let shifted =
                    self.vector(Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(word), Arg::Reg(shift)]);
                let bits = self.constant(0xFFFF);
                raw[0] = Val::Reg(self.vector(AND, &[Arg::Reg(shifted), bits]));
            }
            Place::Scattered(offset, lanes) => {
                for (number, raw) in raw.iter_mut().enumerate().take(words) {
                    *raw = Val::Reg(self.gathered(surface, offset, 4 * number as i32, lanes));
                }
            }
        }
        raw
    }

    /// Sixteen elements of four words as four vectors, one for each word.
    fn load_rows_of_four(&mut self, mem: Mem) -> [Reg; 4] {
        let at = |number: i32| Arg::Mem(Mem { disp: mem.disp + 64 * number, ..mem });
        let pairs = [0, 2].map(|word: u32| {
            // Words `word` and `word + 1` of eight elements.
            let indices: Vec<u32> = (0..16).map(|lane| lane % 8 * 4 + word + lane / 8).collect();
            let indices = self.vector_constant(&indices);
            let indices = self.load_arg(indices);
            [0, 2].map(|first: i32| {
                let low = self.vector(LOAD, &[at(first)]);
                self.define(Class::Vector, Kind::Tied(PERMUTE), &[Arg::Reg(low), Arg::Reg(indices), at(first + 1)])
            })
        });
        let join = |selector: &mut Self, [low, high]: [Reg; 2], halves: i32| {
            let code = Code::EVEX_Vshuff32x4_zmm_k1z_zmm_zmmm512b32_imm8;
            selector.vector(code, &[Arg::Reg(low), Arg::Reg(high), Arg::Imm(halves)])
        };
        [(0, 0x44), (0, 0xEE), (1, 0x44), (1, 0xEE)].map(|(pair, halves): (usize, i32)| join(self, pairs[pair], halves))
    }

    fn load_rows_of_two(&mut self, mem: Mem) -> [Val; 4] {
        let at = |number: i32| Arg::Mem(Mem { disp: mem.disp + 64 * number, ..mem });
        let words = [0, 1].map(|word: u32| {
            let indices: Vec<u32> = (0..16).map(|lane| lane * 2 + word).collect();
            let indices = self.vector_constant(&indices);
            let indices = self.load_arg(indices);
            let low = self.vector(LOAD, &[at(0)]);
            self.define(Class::Vector, Kind::Tied(PERMUTE), &[Arg::Reg(low), Arg::Reg(indices), at(1)])
        });
        [Val::Reg(words[0]), Val::Reg(words[1]), Val::Const(0), Val::Const(0)]
    }

    /// Channels from stored words.
    fn unpacked(&mut self, format: Format, raw: [Val; 4]) -> [Val; 4] {
        let one = Val::Const(ONE);
        match (format, raw[0]) {
            (Format::Float32_4, _) => raw,
            (Format::Float32_2, _) => [raw[0], raw[1], one, one],
            (Format::Float32_1, _) => [raw[0], one, one, one],
            (Format::Uint16_1, Val::Reg(word)) => [Val::Reg(self.fraction_of(word, 65535)), one, one, one],
            (Format::Uint8_4, Val::Reg(word)) => std::array::from_fn(|channel| {
                let shifted = match channel {
                    0 => word,
                    _ => self.vector(SHIFT_RIGHT, &[Arg::Reg(word), Arg::Imm(8 * channel as i32)]),
                };
                let byte = if channel == 3 {
                    shifted
                } else {
                    let bits = self.constant(0xFF);
                    self.vector(AND, &[Arg::Reg(shifted), bits])
                };
                Val::Reg(self.fraction_of(byte, 255))
            }),
            _ => [Val::Const(0), one, one, one],
        }
    }

    /// code / max, correctly rounded: a product with the reciprocal, and one step of correction by its exact remainder.
    fn fraction_of(&mut self, code: Reg, max: u32) -> Reg {
        let x = self.vector(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, &[Arg::Reg(code)]);
        let reciprocal = (1.0 / max as f32).to_bits();
        let reciprocal = self.constant(reciprocal);
        let q = self.vector(Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, &[Arg::Reg(x), reciprocal]);
        let max = self.constant((max as f32).to_bits());
        let kind = Kind::Fma { negate_product: true, negate_addend: false };
        let rest = self.define(Class::Vector, kind, &[Arg::Reg(q), max, Arg::Reg(x)]);
        let kind = Kind::Fma { negate_product: false, negate_addend: false };
        self.define(Class::Vector, kind, &[Arg::Reg(rest), reciprocal, Arg::Reg(q)])
    }

    fn load_2x2(&mut self, surface: ctm_lane::Surface, args: &[Value], results: &[Value]) {
        if !self.is_usable(surface) {
            return;
        }
        let lanes = self.lanes(args[2]);
        if matches!(lanes, Lanes::No) {
            for &result in results {
                self.values[result.index()] = Val::Const(0);
            }
            return;
        }
        let format = self.facts[surface.index()].surface.format;
        let (x, y) = (self.reg(args[0]), self.reg(args[1]));
        let next = |selector: &mut Self, a: Reg| {
            let limit = selector.constant(0x7FFF_FFFE);
            let a = selector.vector(Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, &[Arg::Reg(a), limit]);
            let one = selector.constant(1);
            selector.vector(INT_ADD, &[Arg::Reg(a), one])
        };
        let (right, down) = (next(self, x), next(self, y));
        for (&result, (x, y)) in results.iter().zip([(right, y), (x, down), (right, down), (x, y)]) {
            let (offset, inside) = self.offsets(surface, x, y, lanes, (false, false));
            let raw = self.load_raw(surface, format, &Place::Scattered(offset, inside));
            let mut val = self.unpacked(format, raw)[0];
            if let (Lanes::Of(mask), Val::Reg(reg)) = (lanes, val) {
                val = Val::Reg(self.zero_outside(mask, Arg::Reg(reg)));
            }
            self.values[result.index()] = val;
        }
    }

    /// The nearest code of so many steps, halves up, of a number clamped to [0, 1].
    fn code_of(&mut self, value: Reg, max: u32) -> Reg {
        let zero = self.constant(0);
        let positive = self.vector(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, &[Arg::Reg(value), zero]);
        let one = self.constant(ONE);
        let inside = self.vector(Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, &[Arg::Reg(positive), one]);
        let half = self.constant(0x3F00_0000);
        let half = self.load_arg(half);
        let max = self.constant((max as f32).to_bits());
        let max = self.load_arg(max);
        // Rounding toward zero keeps the floor of the exact sum.
        let kind = Kind::Fma { negate_product: false, negate_addend: false };
        let sum = self.define(Class::Vector, kind, &[Arg::Reg(inside), Arg::Reg(max), Arg::Reg(half)]);
        if let Some(last) = self.insts.last_mut() {
            last.toward_zero = true;
        }
        self.vector(Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, &[Arg::Reg(sum)])
    }

    fn put(&mut self, code: Code, mem: Mem, value: Reg, lanes: Lanes) {
        let mut store = Inst::new(Kind::Plain(code), None, &[Arg::Mem(mem), Arg::Reg(value)]);
        store.foldable = false;
        if let Lanes::Of(mask) = lanes {
            store.mask = Some(mask);
        }
        self.insts.push(store);
    }

    fn scatter(&mut self, surface: ctm_lane::Surface, offset: Reg, disp: i32, value: Reg, lanes: Lanes) {
        let mem = Mem { index: Some(offset), ..Mem::at(Base::Reg(self.base(surface)), disp) };
        let mut scatter = Inst::new(Kind::Scatter, None, &[Arg::Reg(value), Arg::Mem(mem)]);
        scatter.mask = match lanes {
            Lanes::No => return,
            Lanes::All => None,
            Lanes::Of(mask) => Some(mask),
        };
        self.insts.push(scatter);
    }

    fn store(&mut self, surface: ctm_lane::Surface, channels: Channels, args: &[Value]) {
        if !self.is_usable(surface) {
            return;
        }
        let lanes = self.lanes(args[6]);
        if matches!(lanes, Lanes::No) {
            return;
        }
        let facts = self.facts[surface.index()];
        let format = facts.surface.format;
        let kept = format.stored_bits(channels.0);
        let (x, y) = (args[0], args[1]);
        let values = &args[2..6];
        let place = self.regular(surface, x, y).filter(|place| matches!(place, Place::Row(_)));
        if let (Some(Place::Row(mem)), Lanes::All, Format::Float32_4, 0xF) = (&place, lanes, format, channels.0) {
            let values = [0, 1, 2, 3].map(|at| self.reg(values[at]));
            self.store_rows_of_four(*mem, values);
            return;
        }
        let (offset, inside) = match place {
            Some(Place::Row(mem)) if matches!(format, Format::Float32_1 | Format::Uint16_1 | Format::Uint8_4) => {
                if !channels.has(0) && format != Format::Uint8_4 {
                    return;
                }
                match format {
                    Format::Float32_1 => {
                        let value = self.reg(values[0]);
                        self.put(STORE, mem, value, lanes);
                    }
                    Format::Uint16_1 => {
                        let value = self.reg(values[0]);
                        let code = self.code_of(value, 65535);
                        self.put(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, mem, code, lanes);
                    }
                    _ => {
                        let mut word = self.packed_bytes(values);
                        if channels.0 != 0xF {
                            let old = self.vector(LOAD, &[Arg::Mem(mem)]);
                            word = self.merged(word, old, kept[0]);
                        }
                        self.put(STORE, mem, word, lanes);
                    }
                }
                return;
            }
            _ => {
                let inside = (self.is_inside(x, facts.surface.pitch), self.is_inside(y, facts.surface.height));
                let (x, y) = (self.reg(x), self.reg(y));
                self.offsets(surface, x, y, lanes, inside)
            }
        };
        match format {
            Format::Uint16_1 if !channels.has(0) => {}
            Format::Uint16_1 => {
                let value = self.reg(values[0]);
                let code = self.code_of(value, 65535);
                let bits = self.constant(!3);
                let word = self.vector(AND, &[Arg::Reg(offset), bits]);
                let bits = self.constant(2);
                let half = self.vector(AND, &[Arg::Reg(offset), bits]);
                // Two elements share a word: first the lower ones, then the upper ones.
                for (half_offset, kept) in [(0, 0xFFFF), (2, 0xFFFF_0000)] {
                    let lanes = self.within(inside, IntTest::Eq, half, half_offset);
                    let old = self.gathered(surface, word, 0, lanes);
                    let shift = Arg::Imm(8 * half_offset.cast_signed());
                    let code = self.vector(SHIFT_LEFT, &[Arg::Reg(code), shift]);
                    let new = self.merged(code, old, kept);
                    self.scatter(surface, word, 0, new, lanes);
                }
            }
            Format::Uint8_4 => {
                let mut word = self.packed_bytes(values);
                if channels.0 != 0xF {
                    let old = self.gathered(surface, offset, 0, inside);
                    word = self.merged(word, old, kept[0]);
                }
                self.scatter(surface, offset, 0, word, inside);
            }
            _ => {
                for channel in (0..format.channels()).filter(|&channel| channels.has(channel)) {
                    let value = self.reg(values[channel]);
                    self.scatter(surface, offset, 4 * channel as i32, value, inside);
                }
            }
        }
    }

    fn packed_bytes(&mut self, values: &[Value]) -> Reg {
        let mut word = None;
        for (channel, &value) in values.iter().enumerate() {
            let value = self.reg(value);
            let mut byte = self.code_of(value, 255);
            if channel != 0 {
                byte = self.vector(SHIFT_LEFT, &[Arg::Reg(byte), Arg::Imm(8 * channel as i32)]);
            }
            word = Some(match word {
                None => byte,
                Some(word) => self.vector(OR, &[Arg::Reg(word), Arg::Reg(byte)]),
            });
        }
        word.unwrap_or(self.lane_x)
    }

    /// The bits of `kept` from the new word, the others from the old one.
    fn merged(&mut self, new: Reg, old: Reg, kept: u32) -> Reg {
        let (new_bits, old_bits) = (self.constant(kept), self.constant(!kept));
        let new = self.vector(AND, &[Arg::Reg(new), new_bits]);
        let old = self.vector(AND, &[Arg::Reg(old), old_bits]);
        self.vector(OR, &[Arg::Reg(new), Arg::Reg(old)])
    }

    fn store_rows_of_four(&mut self, mem: Mem, values: [Reg; 4]) {
        // Pairs of words, then pairs of pairs.
        let pairs = [0u32, 8].map(|start| {
            let indices: Vec<u32> = (0..16).map(|at| start + at / 2 + at % 2 * 16).collect();
            let indices = self.vector_constant(&indices);
            let indices = self.load_arg(indices);
            [0, 2].map(|first: usize| {
                let kind = Kind::Tied(PERMUTE);
                let args = [Arg::Reg(values[first]), Arg::Reg(indices), Arg::Reg(values[first + 1])];
                self.define(Class::Vector, kind, &args)
            })
        });
        for (part, start) in [0u32, 8].into_iter().enumerate() {
            let indices: Vec<u32> = (0..16).map(|at| start + at / 4 * 2 + at % 2 + at / 2 % 2 * 16).collect();
            let indices = self.vector_constant(&indices);
            let indices = self.load_arg(indices);
            for (half, &[low, high]) in pairs.iter().enumerate() {
                let args = [Arg::Reg(low), Arg::Reg(indices), Arg::Reg(high)];
                let four = self.define(Class::Vector, Kind::Tied(PERMUTE), &args);
                let disp = mem.disp + 64 * (2 * half + part) as i32;
                self.put(STORE, Mem { disp, ..mem }, four, Lanes::All);
            }
        }
    }

    /// A request to a conditional unit; `None` if its surface is of a kind that this cannot do.
    fn test(
        &mut self,
        surface: ctm_lane::Surface,
        (test, write): (UnitTest, UnitWrite),
        args: &[Value],
    ) -> Option<Reg> {
        let facts = self.facts[surface.index()];
        let format = facts.surface.format;
        if !self.is_usable(surface) || !matches!(format, Format::Float32_1 | Format::Uint8_4) {
            return None;
        }
        let lanes = self.lanes(args[3]);
        let value = self.reg(args[2]);
        let (x, y) = (self.reg(args[0]), self.reg(args[1]));
        // Two lanes with one element would have to wait for each other.
        let distinct = matches!(
            (self.shapes.get(args[0]), self.shapes.get(args[1])),
            (Shape::Index { axis: Axis::X, limit: None, .. }, Shape::Index { axis: Axis::Y, limit: None, .. })
        );
        if write == UnitWrite::Yes && (!distinct || facts.bounds == Bounds::Clamp) {
            return None;
        }
        let (offset, inside) = self.offsets(surface, x, y, lanes, (false, false));
        let mut old = self.gathered(surface, offset, 0, inside);
        let new = if format == Format::Uint8_4 {
            let bits = self.constant(0xFF_FFFF);
            old = self.vector(AND, &[Arg::Reg(old), bits]);
            self.code_of(value, 0xFF_FFFF)
        } else {
            value
        };
        let mask = match lanes {
            Lanes::All => None,
            Lanes::No => return Some(self.mask_constant(false)),
            Lanes::Of(mask) => Some(mask),
        };
        let float = match test {
            UnitTest::Lt => FloatTest::Olt,
            UnitTest::Le => FloatTest::Ole,
            UnitTest::Eq => FloatTest::Oeq,
            UnitTest::Ge => FloatTest::Oge,
            UnitTest::Gt => FloatTest::Ogt,
            UnitTest::Ne => FloatTest::Une,
            UnitTest::Never => return Some(self.mask_constant(false)),
            UnitTest::Always => FloatTest::Ueq,
        };
        let passed = match (test, format) {
            (UnitTest::Always, _) => match mask {
                Some(mask) => mask,
                None => self.mask_constant(true),
            },
            (_, Format::Float32_1) => self.compare(float, new, Arg::Reg(old), mask),
            _ => {
                let test = match test {
                    UnitTest::Lt => IntTest::Ult,
                    UnitTest::Le => IntTest::Ule,
                    UnitTest::Eq => IntTest::Eq,
                    UnitTest::Ge => IntTest::Uge,
                    UnitTest::Gt => IntTest::Ugt,
                    _ => IntTest::Ne,
                };
                self.compare_integers(test, new, Arg::Reg(old), mask)
            }
        };
        if write == UnitWrite::Yes {
            let writers = match inside {
                Lanes::All => Lanes::Of(passed),
                Lanes::No => Lanes::No,
                Lanes::Of(inside) => {
                    Lanes::Of(self.mask(Code::VEX_Kandw_kr_kr_kr, &[Arg::Reg(passed), Arg::Reg(inside)]))
                }
            };
            self.scatter(surface, offset, 0, new, writers);
        }
        Some(passed)
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
