//! Stores to surfaces, and the request to the conditional unit.

use super::*;

impl Selector<'_> {
    /// The nearest code of so many steps, halves up, of a number clamped to [0, 1].
    pub(super) fn code_of(&mut self, value: Reg, max: u32) -> Reg {
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

    pub(super) fn put(&mut self, code: Code, mem: Mem, value: Reg, lanes: Lanes) {
        let mut store = Inst::new(Kind::Plain(code), None, &[Arg::Mem(mem), Arg::Reg(value)]);
        store.foldable = false;
        if let Lanes::Of(mask) = lanes {
            store.mask = Some(mask);
        }
        self.insts.push(store);
    }

    pub(super) fn scatter(&mut self, surface: ctm_lane::Surface, offset: Reg, disp: i32, value: Reg, lanes: Lanes) {
        let mem = Mem { index: Some(offset), ..Mem::at(Base::Reg(self.base(surface)), disp) };
        let mut scatter = Inst::new(Kind::Scatter, None, &[Arg::Reg(value), Arg::Mem(mem)]);
        scatter.mask = match lanes {
            Lanes::No => return,
            Lanes::All => None,
            Lanes::Of(mask) => Some(mask),
        };
        self.insts.push(scatter);
    }

    pub(super) fn store(&mut self, surface: ctm_lane::Surface, channels: Channels, args: &[Value]) {
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

    pub(super) fn packed_bytes(&mut self, values: &[Value]) -> Reg {
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
    pub(super) fn merged(&mut self, new: Reg, old: Reg, kept: u32) -> Reg {
        let (new_bits, old_bits) = (self.constant(kept), self.constant(!kept));
        let new = self.vector(AND, &[Arg::Reg(new), new_bits]);
        let old = self.vector(AND, &[Arg::Reg(old), old_bits]);
        self.vector(OR, &[Arg::Reg(new), Arg::Reg(old)])
    }

    pub(super) fn store_rows_of_four(&mut self, mem: Mem, values: [Reg; 4]) {
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
    pub(super) fn test(
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
}
