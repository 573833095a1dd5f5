//! Stores to surfaces, and the request to the conditional unit.

use super::*;
use ctm_engine::LINE;

/// Bytes of a surface in tiles from which on its stores go past the caches: those of one core are smaller.
const NOT_CACHED_TILES: u64 = 1 << 23;
/// Bytes of a surface in rows from which on its stores go past the caches: those of all cores are smaller, with what is read beside it. Rows
/// are overwritten in the order of their addresses, which processors foresee, so that stores to smaller ones do not wait.
const NOT_CACHED_ROWS: u64 = 1 << 25;

impl Selector<'_> {
    /// The nearest code of so many steps, halves up, of a number clamped to [0, 1].
    pub(super) fn code_of(&mut self, value: Reg, max: u32) -> Reg {
        let inside = self.clamped_to_one(value);
        self.nearest_code(inside, max)
    }

    pub fn store(&mut self, surface: ctm_lane::Surface, channels: Channels, args: &[Value]) {
        if !self.is_usable(surface) {
            return;
        }
        let op = Op::SurfaceStore { surface, channels };
        let lanes = self.lanes(args[6]);
        if matches!(lanes, Lanes::No) {
            return;
        }
        let surface_layout = self.layouts[surface.index()];
        let format = surface_layout.surface.format;
        let kept = format.stored_bits(channels.0);
        let (x, y) = (args[0], args[1]);
        let values = &args[2..6];
        let is_non_temporal = matches!(lanes, Lanes::All) && self.stores_past_caches(surface, x);
        if !is_non_temporal {
            self.prefetch_tiles(surface, x, y);
        }
        let mut elements = self.regular(surface, x, y);
        if let Some(Elements::Row(row)) = &mut elements {
            row.is_non_temporal = is_non_temporal;
        }
        let is_repeatable = self.is_repeatable(args);
        if let Some(Elements::Row(row)) = &elements
            && (is_repeatable || !self.mode.speculates)
            && self.store_untransposed(row, op, args)
        {
            return;
        }
        self.check_operands(&op, args);
        if !is_repeatable {
            self.leave_if_raised();
        }
        if let Some(Elements::Row(row)) = &elements
            && self.store_row(format, channels, row, values, lanes)
        {
            return;
        }
        if let (Some(Elements::Quads(rows)), Format::Float32_1, Lanes::All) = (&elements, format, lanes) {
            if channels.has(0) {
                let value = self.reg(values[0]);
                self.store_quads(*rows, value);
            }
            return;
        }
        let inside =
            (self.is_inside(x, surface_layout.surface.pitch), self.is_inside(y, surface_layout.surface.height));
        let (x, y) = (self.reg(x), self.reg(y));
        let (offset, inside) = self.offsets(surface, x, y, lanes, inside);
        let base = self.base(surface);
        match format {
            Format::Uint16_1 if !channels.has(0) => {}
            Format::Uint16_1 => {
                let value = self.reg(values[0]);
                let code = self.code_of(value, 65535);
                self.scatter_halves(base, offset, code, inside);
            }
            Format::Uint8_4 => {
                let mut word = self.packed_bytes(values);
                if channels.0 != 0xF {
                    let old = self.gather(base, offset, 0, inside);
                    word = self.merged(word, old, kept[0]);
                }
                self.scatter(base, offset, 0, word, inside);
            }
            Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => {
                for channel in (0..format.channels()).filter(|&channel| channels.has(channel)) {
                    let value = self.reg(values[channel]);
                    self.scatter(base, offset, 4 * channel as i32, value, inside);
                }
            }
        }
    }

    /// Whether the store writes the same elements, whatever numbers the group has come to.
    fn is_repeatable(&self, args: &[Value]) -> bool {
        let is_fixed = |at: usize| matches!(self.shapes.get(args[at]), LaneShape::Index { .. });
        is_fixed(0) && is_fixed(1) && self.function.mask_constant(args[6]).is_some()
    }

    /// Stores halves of words at these offsets.
    fn scatter_halves(&mut self, base: Reg, offset: Reg, code: Reg, lanes: Lanes) {
        let word = self.with_constant(Vop::And, offset, !3);
        let half = self.with_constant(Vop::And, offset, 2);
        // Two elements share a word: first the lower ones, then the upper ones.
        for (half_offset, kept) in [(0, 0xFFFF), (2, 0xFFFF_0000)] {
            let lanes = self.within(lanes, IntTest::Eq, half, half_offset);
            let old = self.gather(base, word, 0, lanes);
            let code = self.shifted(Vop::ShiftLeft, code, 8 * half_offset);
            let new = self.merged(code, old, kept);
            self.scatter(base, word, 0, new, lanes);
        }
    }

    /// Whether stores of whole groups to a surface go past the caches, which takes vectors at multiples of their bytes: each would wait for
    /// lines of the cache that it overwrites, and of a large surface nothing is there any more when it is read.
    fn stores_past_caches(&self, surface: ctm_lane::Surface, x: Value) -> bool {
        let layout = self.layouts[surface.index()];
        if layout.surface.format != Format::Float32_4 {
            return false;
        }
        match layout.surface.layout() {
            Layout::Tiled(_) => layout.bytes() >= NOT_CACHED_TILES,
            Layout::Linear(rows) => {
                // Groups begin at multiples of their columns.
                let is_whole = matches!(self.shapes.get(x), LaneShape::Index { axis: Axis::X, offset: 0, .. });
                is_whole && layout.aligned && rows.row_bytes.is_multiple_of(LINE) && layout.bytes() >= NOT_CACHED_ROWS
            }
        }
    }

    /// Stores a vector of a row, the one with this number.
    pub(super) fn put_in_row(&mut self, row: &Row, number: i32, words: Reg, lanes: Lanes) {
        let mem = row.at(self.isa.bytes() * number);
        if row.is_non_temporal {
            let kind = InstKind::Plain(self.isa.code(Vop::NonTemporalStore));
            self.insts.push(Inst::new(kind, None, &[Arg::Mem(mem), Arg::Reg(words)]));
        } else {
            self.put(mem, words, lanes);
        }
    }

    /// Stores elements side by side; false if there is no good way.
    fn store_row(&mut self, format: Format, channels: Channels, row: &Row, values: &[Value], lanes: Lanes) -> bool {
        let mem = row.at(0);
        match (format, lanes) {
            (Format::Float32_4, _) if channels == Channels::ALL => {
                let values = [0, 1, 2, 3].map(|at| self.reg(values[at]));
                self.store_rows_of_four(row, values, lanes);
            }
            (Format::Float32_1 | Format::Uint16_1, _) if !channels.has(0) => {}
            (Format::Float32_1, _) => {
                let value = self.reg(values[0]);
                self.put(mem, value, lanes);
            }
            (Format::Uint16_1, _) if self.can_store_halves(lanes) => {
                let value = self.reg(values[0]);
                let code = self.code_of(value, 65535);
                self.store_halves(mem, code, lanes);
            }
            (Format::Uint8_4, _) => {
                let mut word = self.packed_bytes(values);
                if channels != Channels::ALL {
                    let old = self.vector_op(Vop::Load, &[Arg::Mem(mem)]);
                    word = self.merged(word, old, format.stored_bits(channels.0)[0]);
                }
                self.put(mem, word, lanes);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn packed_bytes(&mut self, values: &[Value]) -> Reg {
        let mut word = None;
        for (channel, &value) in values.iter().enumerate() {
            let value = self.reg(value);
            let mut byte = self.code_of(value, 255);
            if channel != 0 {
                byte = self.shifted(Vop::ShiftLeft, byte, 8 * channel as u32);
            }
            word = Some(match word {
                None => byte,
                Some(word) => self.two(Vop::Or, word, byte),
            });
        }
        word.unwrap_or(self.lane_x)
    }

    /// The bits of `kept` from the new word, the others from the old one.
    pub(super) fn merged(&mut self, new: Reg, old: Reg, kept: u32) -> Reg {
        let new = self.with_constant(Vop::And, new, kept);
        let old = self.with_constant(Vop::And, old, !kept);
        self.two(Vop::Or, new, old)
    }

    /// A request to a conditional unit; `None` if its surface is of a kind that this cannot do.
    pub fn test(
        &mut self,
        surface: ctm_lane::Surface,
        (test, write): (ElementTest, ElementWrite),
        args: &[Value],
    ) -> Option<Reg> {
        let surface_layout = self.layouts[surface.index()];
        let format = surface_layout.surface.format;
        if !self.is_usable(surface) || !matches!(format, Format::Float32_1 | Format::Uint8_4 | Format::Uint16_1) {
            return None;
        }
        let lanes = self.lanes(args[3]);
        let value = self.reg(args[2]);
        let (x, y) = (self.reg(args[0]), self.reg(args[1]));
        // Two lanes with one element would have to wait for each other.
        let distinct = matches!(
            (self.shapes.get(args[0]), self.shapes.get(args[1])),
            (LaneShape::Index { axis: Axis::X, limit: None, .. }, LaneShape::Index { axis: Axis::Y, limit: None, .. })
        );
        if write == ElementWrite::Yes && (!distinct || surface_layout.bounds == Bounds::Clamp) {
            return None;
        }
        let (offset, inside) = self.offsets(surface, x, y, lanes, (false, false));
        let base = self.base(surface);
        let (old, new) = match format {
            Format::Uint16_1 => (self.gather_half(base, offset, inside), self.code_of(value, 0xFFFF)),
            Format::Uint8_4 => {
                let old = self.gather(base, offset, 0, inside);
                (self.with_constant(Vop::And, old, 0xFF_FFFF), self.code_of(value, 0xFF_FFFF))
            }
            Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => (self.gather(base, offset, 0, inside), value),
        };
        let mask = match lanes {
            Lanes::All => None,
            Lanes::No => return Some(self.mask_constant(false)),
            Lanes::Of(mask) => Some(mask),
        };
        let tests = match test {
            ElementTest::Never => return Some(self.mask_constant(false)),
            ElementTest::Always => None,
            ElementTest::Lt => Some((FloatTest::Olt, IntTest::Ult)),
            ElementTest::Le => Some((FloatTest::Ole, IntTest::Ule)),
            ElementTest::Eq => Some((FloatTest::Oeq, IntTest::Eq)),
            ElementTest::Ge => Some((FloatTest::Oge, IntTest::Uge)),
            ElementTest::Gt => Some((FloatTest::Ogt, IntTest::Ugt)),
            ElementTest::Ne => Some((FloatTest::Une, IntTest::Ne)),
        };
        let passed = match tests {
            None => mask.unwrap_or_else(|| self.mask_constant(true)),
            Some((test, _)) if format == Format::Float32_1 => self.compare(test, new, Arg::Reg(old), mask),
            Some((_, test)) => self.compare_integers(test, new, Arg::Reg(old), mask),
        };
        if write == ElementWrite::Yes {
            self.leave_if_raised();
            let writers = match inside {
                Lanes::All => Lanes::Of(passed),
                Lanes::No => Lanes::No,
                Lanes::Of(inside) => Lanes::Of(self.mask_binary(MaskOp::And, passed, inside)),
            };
            match format {
                Format::Uint16_1 => self.scatter_halves(base, offset, new, writers),
                Format::Uint8_4 | Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => {
                    self.scatter(base, offset, 0, new, writers);
                }
            }
        }
        Some(passed)
    }
}
