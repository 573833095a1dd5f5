//! Loads from surfaces, and what the bits of their elements become.

use super::*;

impl Selector<'_> {
    /// The channels of elements; `first` is the first of these values.
    pub(in crate::x64::select) fn load(
        &mut self,
        surface: ctm_lane::Surface,
        (x, y): (Value, Value),
        lanes: Lanes,
        first: Value,
    ) -> [Val; 4] {
        if !self.is_usable(surface) {
            return [Val::None; 4];
        }
        if matches!(lanes, Lanes::No) {
            return [Val::Const(0); 4];
        }
        self.prefetch_tiles(surface, x, y);
        let format = self.layouts[surface.index()].surface.format;
        let likely = if self.mode.interior { self.likely(surface, x, y) } else { None };
        let elements = match self.regular(surface, x, y) {
            Some(elements) => elements,
            None if likely.is_some() => {
                let raw = match likely {
                    Some(in_row) => self.load_either(surface, (x, y), in_row, (format, first)),
                    None => [Val::Const(0); 4],
                };
                let channels = self.unpacked(format, raw);
                return self.zeros_outside(lanes, channels);
            }
            None => {
                if let Some(raw) = self.load_clamped_row(surface, (x, y)) {
                    let channels = self.unpacked(format, raw);
                    return self.zeros_outside(lanes, channels);
                }
                let bound_surface = self.layouts[surface.index()].surface;
                let inside = (self.is_inside(x, bound_surface.pitch), self.is_inside(y, bound_surface.height));
                let (x, y) = (self.reg(x), self.reg(y));
                let (offset, lanes) = self.offsets(surface, x, y, lanes, inside);
                Elements::Scattered(offset, lanes)
            }
        };
        if let (Elements::Row(row), true) = (&elements, self.wants_rows(first)) {
            let rows = self.operands_of_row(format, row, first);
            self.note_rows(first, rows);
        }
        let raw = self.load_raw(surface, format, &elements);
        let mut channels = self.unpacked(format, raw);
        let Lanes::Of(mask) = lanes else { return channels };
        // Elements that no lane of a gather asks for are zero bytes, and these are the number 0.
        let is_zero = matches!(elements, Elements::Scattered(..));
        for (number, channel) in channels.iter_mut().enumerate() {
            *channel = match *channel {
                Val::Reg(reg) if !(is_zero && number < format.channels()) => {
                    Val::Reg(self.zero_outside(mask, Arg::Reg(reg)))
                }
                Val::Const(bits) => {
                    let bits = self.constant(bits);
                    Val::Reg(self.zero_outside(mask, bits))
                }
                other @ (Val::None
                | Val::Reg(_)
                | Val::Entry(..)
                | Val::Vector(..)
                | Val::MaskConst(_)
                | Val::UniformConst(_)) => other,
            };
        }
        channels
    }

    /// Channels that are 0 outside of the lanes.
    fn zeros_outside(&mut self, lanes: Lanes, channels: [Val; 4]) -> [Val; 4] {
        let Lanes::Of(mask) = lanes else { return channels };
        channels.map(|channel| match channel {
            Val::Reg(reg) => Val::Reg(self.zero_outside(mask, Arg::Reg(reg))),
            Val::Const(bits) => {
                let bits = self.constant(bits);
                Val::Reg(self.zero_outside(mask, bits))
            }
            Val::None | Val::Entry(..) | Val::Vector(..) | Val::MaskConst(_) | Val::UniformConst(_) => channel,
        })
    }

    /// Whether the lanes may well ask for a row of elements (true) or for the same (false), which the code has to find out.
    pub(super) fn likely(&self, surface: ctm_lane::Surface, x: Value, y: Value) -> Option<bool> {
        let surface_layout = self.layouts[surface.index()];
        if self.mode.quads || self.mode.explicit || surface_layout.bounds != Bounds::Clamp {
            return None;
        }
        let along = |value: Value| match self.shapes.get(value) {
            LaneShape::Uniform => Some(Axis::Y),
            LaneShape::Index { axis, .. } | LaneShape::Coordinate { axis, .. } | LaneShape::Along(axis) => Some(axis),
            LaneShape::Varying => None,
        };
        let in_row = along(x)? == Axis::X;
        let (least, most) = self.ranges.get(x).int;
        let columns = (i64::from(most) - i64::from(least) + 1).min(surface_layout.surface.pitch.into());
        let is_reached = match surface_layout.surface.layout() {
            // Lanes whose coordinates are clamped to fewer columns are never in a row.
            Layout::Linear(_) => !in_row || columns >= self.isa.lanes().into(),
            Layout::Tiled(layout) => self.reaches_tiles(&surface_layout.surface, layout, in_row),
        };
        (is_reached && along(y)? == Axis::Y).then_some(in_row)
    }

    /// The lanes whose clamped coordinate is not that of the first lane, plus the lane's number in a row, if there may be such;
    /// and the first lane's.
    fn irregular_lanes(&mut self, coordinate: Coordinate) -> (Option<Reg>, Reg) {
        if let Some(&known) = self.irregular.get(&coordinate) {
            return known;
        }
        let Coordinate { value, in_row, size } = coordinate;
        let lanes = self.clamped(value, size);
        let first = self.first_lane(lanes);
        let irregular = (in_row || !self.is_uniform(value)).then(|| {
            let mut expected = self.splat(first);
            if in_row {
                let numbers: Vec<u32> = (0..self.isa.lanes()).collect();
                let numbers = self.vector_constant(&numbers);
                expected = self.vector_op(Vop::IntAdd, &[Arg::Reg(expected), numbers]);
            }
            self.compare_integers(IntTest::Ne, lanes, Arg::Reg(expected), None)
        });
        self.irregular.insert(coordinate, (irregular, first));
        (irregular, first)
    }

    /// Stored words by vectors or once for all lanes if the coordinates are such, else by gathers. Coordinates clamp.
    pub(super) fn load_either(
        &mut self,
        surface: ctm_lane::Surface,
        (x, y): (Value, Value),
        in_row: bool,
        (format, first): (Format, Value),
    ) -> [Val; 4] {
        let bound_surface = self.layouts[surface.index()].surface;
        let column = Coordinate { value: x, in_row, size: bound_surface.pitch.max(1) };
        let line = Coordinate { value: y, in_row: false, size: bound_surface.height.max(1) };
        let masks = [column, line].map(|coordinate| self.irregular_lanes(coordinate).0);
        let elements = self.regular_elements(surface, column, line);
        let [Some(a), Some(b)] = [masks[0].or(masks[1]), masks[1].or(masks[0])] else {
            return self.load_regular(surface, elements, (format, first)).0;
        };
        self.test_masks(a, b);
        let [regular, scattered, after] = [self.label(), self.label(), self.label()];
        let edge = |block: usize| Edge { block, args: Vec::new() };
        let end = End::Branch { condition: Condition::NotEqual, then: edge(scattered), otherwise: edge(regular) };
        self.finish_block(end, regular, Vec::new());
        let words = (format.bytes_per_element() as usize).div_ceil(4);
        let collect = |selector: &mut Self, (raw, rows): ([Val; 4], Vec<Val>)| -> Vec<Arg> {
            let args = raw.into_iter().take(words).map(|val| match val {
                Val::Reg(reg) => Arg::Reg(reg),
                Val::None
                | Val::Const(_)
                | Val::Entry(..)
                | Val::Vector(..)
                | Val::MaskConst(_)
                | Val::UniformConst(_) => Arg::None,
            });
            let rows: Vec<Arg> = rows.into_iter().map(|row| selector.arg_of(row)).collect();
            args.chain(rows.into_iter().map(|row| Arg::Reg(selector.load_arg(row)))).collect()
        };
        let loaded = self.load_regular(surface, elements, (format, first));
        let args = collect(self, loaded);
        let count = args.len();
        self.finish_block(End::Jump(Edge { block: after, args }), scattered, Vec::new());
        let loaded = self.load_scattered(surface, (x, y), (format, first));
        let args = collect(self, loaded);
        let params: Vec<Reg> = (0..count).map(|_| self.machine.reg(Class::Vector)).collect();
        self.finish_block(End::Jump(Edge { block: after, args }), after, params.clone());
        if count > words {
            self.note_rows(first, params[words..].iter().copied().map(Val::Reg).collect());
        }
        let params = &params[..words];
        std::array::from_fn(|word| params.get(word).map_or(Val::Const(0), |&reg| Val::Reg(reg)))
    }

    /// The elements at the first lane's coordinates: a row, or one.
    fn regular_elements(&mut self, surface: ctm_lane::Surface, column: Coordinate, line: Coordinate) -> Elements {
        let (first_x, first_y) = (self.irregular_lanes(column).1, self.irregular_lanes(line).1);
        match self.layouts[surface.index()].surface.layout() {
            Layout::Linear(layout) => {
                let mem = self.element_at(surface, layout, (first_x, first_y));
                if column.in_row { Elements::Row(Row::whole(mem)) } else { Elements::Same(mem) }
            }
            Layout::Tiled(layout) => self.elements_in_tiles(surface, layout, (column, first_x), (line, first_y)),
        }
    }

    /// The element of a linear surface at coordinates inside.
    fn element_at(&mut self, surface: ctm_lane::Surface, layout: LinearLayout, (x, y): (Reg, Reg)) -> Mem {
        let base = self.base(surface);
        let row = self.row_at(base, y, layout.row_bytes);
        let (index, scale) = if layout.element_log2 == 4 {
            (self.tied_general(Code::Shl_rm32_imm8, &[Arg::Reg(x), Arg::Imm(4)]), 1)
        } else {
            (x, 1 << layout.element_log2)
        };
        Mem { index: Some(index), scale, ..Mem::at(Base::Reg(row), 0) }
    }

    /// Stored words of the elements of a row whose columns are clamped to a linear surface, for groups at its edges; `None` where it is not known that
    /// there is such a row. The elements that lanes ask for begin with the first lane's and are no more than there are lanes: the row holds them all,
    /// and a permutation gives each lane its own.
    fn load_clamped_row(&mut self, surface: ctm_lane::Surface, (x, y): (Value, Value)) -> Option<[Val; 4]> {
        let surface_layout = self.layouts[surface.index()];
        let bound_surface = surface_layout.surface;
        let is_row = matches!(self.shapes.get(x), LaneShape::Index { axis: Axis::X, .. }) && self.is_uniform(y);
        let is_clamped = surface_layout.bounds == Bounds::Clamp && bound_surface.pitch >= self.isa.lanes();
        let Layout::Linear(layout) = bound_surface.layout() else { return None };
        if !is_row || !is_clamped || self.mode.quads || self.mode.explicit {
            return None;
        }
        let (start, order) = self.clamped_columns(x, bound_surface.pitch);
        let line = Coordinate { value: y, in_row: false, size: bound_surface.height.max(1) };
        let line = self.irregular_lanes(line).1;
        let row = Row::whole(self.element_at(surface, layout, (start, line)));
        let raw = self.load_raw(surface, bound_surface.format, &Elements::Row(row));
        Some(raw.map(|word| match word {
            Val::Reg(word) => Val::Reg(self.two(Vop::Permute, order, word)),
            Val::None | Val::Const(_) | Val::Entry(..) | Val::Vector(..) | Val::MaskConst(_) | Val::UniformConst(_) => {
                word
            }
        }))
    }

    /// The column with which a row inside of a surface begins that has all columns of the lanes, which are clamped; and the number in it of each
    /// lane's.
    fn clamped_columns(&mut self, x: Value, pitch: u32) -> (Reg, Reg) {
        if let Some(&known) = self.clamped_rows.get(&(x, pitch)) {
            return known;
        }
        let columns = self.clamped(x, pitch);
        let starts = self.with_constant(Vop::SignedMin, columns, pitch - self.isa.lanes());
        let start = self.first_lane(starts);
        let starts = self.splat(start);
        let order = self.two(Vop::IntSub, columns, starts);
        self.clamped_rows.insert((x, pitch), (start, order));
        (start, order)
    }

    /// Stored words of elements that lie in a row, or are the same in all lanes; and the vectors of the row, if they are wanted.
    fn load_regular(
        &mut self,
        surface: ctm_lane::Surface,
        elements: Elements,
        (format, first): (Format, Value),
    ) -> ([Val; 4], Vec<Val>) {
        let elements = match elements {
            Elements::Shifted(row) => Elements::Loaded(self.load_shifted(&row)),
            Elements::InTiles(row) => Elements::Apart(self.elements_apart(row)),
            Elements::Row(_)
            | Elements::Apart(_)
            | Elements::Loaded(_)
            | Elements::Quads(_)
            | Elements::Same(_)
            | Elements::Scattered(..) => elements,
        };
        let wants_rows = format == Format::Float32_4 && self.wants_rows(first);
        let rows = match &elements {
            Elements::Row(row) if wants_rows => self.operands_of_row(format, row, first),
            Elements::Apart(elements) if wants_rows => self.rows_of_elements(*elements).map(Val::Reg).to_vec(),
            Elements::Loaded(rows) if wants_rows => rows.map(Val::Reg).to_vec(),
            Elements::Row(_)
            | Elements::Shifted(_)
            | Elements::InTiles(_)
            | Elements::Apart(_)
            | Elements::Loaded(_)
            | Elements::Quads(_)
            | Elements::Same(_)
            | Elements::Scattered(..) => Vec::new(),
        };
        if !rows.is_empty() {
            self.note_rows(first, rows.clone());
        }
        (self.load_raw(surface, format, &elements), rows)
    }

    /// Stored words of elements that lie anywhere; and the vectors of the row that they would be, if they are wanted.
    fn load_scattered(
        &mut self,
        surface: ctm_lane::Surface,
        (x, y): (Value, Value),
        (format, first): (Format, Value),
    ) -> ([Val; 4], Vec<Val>) {
        let bound_surface = self.layouts[surface.index()].surface;
        let inside = (self.is_inside(x, bound_surface.pitch), self.is_inside(y, bound_surface.height));
        let (x, y) = (self.reg(x), self.reg(y));
        let (offset, lanes) = self.offsets(surface, x, y, Lanes::All, inside);
        let raw = self.load_raw(surface, format, &Elements::Scattered(offset, lanes));
        let rows = match raw {
            [Val::Reg(x), Val::Reg(y), Val::Reg(z), Val::Reg(w)] if self.wants_rows(first) => {
                self.rows_of_four([x, y, z, w]).map(Val::Reg).to_vec()
            }
            _ => Vec::new(),
        };
        if !rows.is_empty() {
            self.note_rows(first, rows.clone());
        }
        (raw, rows)
    }

    /// The stored words of elements, as [`Format::unpack`] takes them.
    pub(super) fn load_raw(&mut self, surface: ctm_lane::Surface, format: Format, elements: &Elements) -> [Val; 4] {
        let mut raw = [Val::Const(0); 4];
        let words = (format.bytes_per_element() as usize).div_ceil(4);
        match *elements {
            Elements::Row(row) => match format {
                Format::Float32_4 => return self.load_rows_of_four(&row).map(Val::Reg),
                Format::Float32_2 => return self.load_rows_of_two(&row),
                Format::Uint16_1 => raw[0] = Val::Reg(self.vector_op(Vop::LoadHalves, &[Arg::Mem(row.at(0))])),
                Format::Uint8_4 | Format::Float32_1 => {
                    raw[0] = Val::Reg(self.vector_op(Vop::Load, &[Arg::Mem(row.at(0))]))
                }
            },
            // What a group accesses is loaded where it is known to be in a row.
            Elements::Shifted(_) | Elements::InTiles(_) => self.refuse(),
            Elements::Apart(elements) => return self.words_of_elements(elements).map(Val::Reg),
            Elements::Loaded(rows) => return self.words_of_four(rows.map(Arg::Reg)).map(Val::Reg),
            Elements::Quads(rows) => raw[0] = Val::Reg(self.load_quads(rows)),
            Elements::Same(mem) => {
                let code = if format == Format::Uint16_1 { Vop::BroadcastHalf } else { Vop::Broadcast };
                for (number, raw) in raw.iter_mut().enumerate().take(words) {
                    let mem = Mem { disp: mem.disp + 4 * number as i32, ..mem };
                    *raw = Val::Reg(self.vector_op(code, &[Arg::Mem(mem)]));
                }
                if let (Format::Uint16_1, Val::Reg(reg)) = (format, raw[0]) {
                    raw[0] = Val::Reg(self.with_constant(Vop::And, reg, 0xFFFF));
                }
            }
            Elements::Scattered(offset, lanes) if format == Format::Uint16_1 => {
                let base = self.base(surface);
                raw[0] = Val::Reg(self.gather_half(base, offset, lanes));
            }
            Elements::Scattered(offset, lanes) => {
                let base = self.base(surface);
                for (number, raw) in raw.iter_mut().enumerate().take(words) {
                    *raw = Val::Reg(self.gather(base, offset, 4 * number as i32, lanes));
                }
            }
        }
        raw
    }

    /// The halves of words at these offsets.
    pub(super) fn gather_half(&mut self, base: Reg, offset: Reg, lanes: Lanes) -> Reg {
        let word = self.with_constant(Vop::And, offset, !3);
        let word = self.gather(base, word, 0, lanes);
        let half = self.with_constant(Vop::And, offset, 2);
        let shift = self.shifted(Vop::ShiftLeft, half, 3);
        let shifted = self.two(Vop::ShiftRightBy, word, shift);
        self.with_constant(Vop::And, shifted, 0xFFFF)
    }

    /// Channels from stored words.
    pub(super) fn unpacked(&mut self, format: Format, raw: [Val; 4]) -> [Val; 4] {
        let one = Val::Const(ONE);
        match (format, raw[0]) {
            (Format::Float32_4, _) => raw,
            (Format::Float32_2, _) => [raw[0], raw[1], one, one],
            (Format::Float32_1, _) => [raw[0], one, one, one],
            (Format::Uint16_1, Val::Reg(word)) => [Val::Reg(self.fraction_of(word, 65535)), one, one, one],
            (Format::Uint8_4, Val::Reg(word)) => std::array::from_fn(|channel| {
                let shifted = match channel {
                    0 => word,
                    _ => self.vector_op(Vop::ShiftRight, &[Arg::Reg(word), Arg::Imm(8 * channel as i32)]),
                };
                let byte = if channel == 3 {
                    shifted
                } else {
                    let bits = self.constant(0xFF);
                    self.vector_op(Vop::And, &[Arg::Reg(shifted), bits])
                };
                Val::Reg(self.fraction_of(byte, 255))
            }),
            _ => [Val::Const(0), one, one, one],
        }
    }

    /// code / max, correctly rounded, for a `max` of 255 or 65535: the sum of the products with both parts of 1/max. (All codes were tried.)
    pub(super) fn fraction_of(&mut self, code: Reg, max: u32) -> Reg {
        let high = 1.0 / max as f32;
        let low = (1.0 / f64::from(max) - f64::from(high)) as f32;
        let x = self.vector_op(Vop::FromInt, &[Arg::Reg(code)]);
        let low = self.constant(low.to_bits());
        let rest = self.vector_op(Vop::Mul, &[Arg::Reg(x), low]);
        let high = self.constant(high.to_bits());
        let kind = InstKind::Fma { negate_product: false, negate_addend: false };
        self.define(Class::Vector, kind, &[Arg::Reg(x), high, Arg::Reg(rest)])
    }

    pub fn load_2x2(&mut self, surface: ctm_lane::Surface, args: &[Value], results: &[Value]) {
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
        let format = self.layouts[surface.index()].surface.format;
        let (x, y) = (self.reg(args[0]), self.reg(args[1]));
        let next = |selector: &mut Self, a: Reg| {
            let limit = selector.constant(0x7FFF_FFFE);
            let a = selector.vector_op(Vop::SignedMin, &[Arg::Reg(a), limit]);
            let one = selector.constant(1);
            selector.vector_op(Vop::IntAdd, &[Arg::Reg(a), one])
        };
        let (right, down) = (next(self, x), next(self, y));
        for (&result, (x, y)) in results.iter().zip([(right, y), (x, down), (right, down), (x, y)]) {
            let (offset, inside) = self.offsets(surface, x, y, lanes, (false, false));
            let raw = self.load_raw(surface, format, &Elements::Scattered(offset, inside));
            let mut val = self.unpacked(format, raw)[0];
            if let (Lanes::Of(mask), Val::Reg(reg)) = (lanes, val) {
                val = Val::Reg(self.zero_outside(mask, Arg::Reg(reg)));
            }
            self.values[result.index()] = val;
        }
    }
}
