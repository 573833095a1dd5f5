//! Elements of quads side by side: a group has two rows of half as many elements as it has lanes, and lanes have them quad by quad.

use super::*;

/// Where the rows of elements of a group of quads begin.
#[derive(Clone, Copy)]
pub(super) struct QuadRows {
    upper: Mem,
    lower: Mem,
}

impl Selector<'_> {
    /// Where the elements of an access to a linear surface lie, if they are words and those of the lanes' own positions, or so many columns and rows from
    /// there.
    pub(super) fn quad_rows(
        &mut self,
        surface: ctm_lane::Surface,
        layout: LinearLayout,
        (x, y): (Value, Value),
        (width, height): (u32, u32),
    ) -> Option<Elements> {
        /// log2 of the bytes of a word.
        const WORD: u32 = 2;
        let shape = |value: Value, along: Axis, size: u32| match self.shapes.get(value) {
            LaneShape::Index { axis, offset, limit } if axis == along && offset.unsigned_abs() < 4096 => {
                Some((offset, limit.map_or(size, |limit| limit.min(size))))
            }
            LaneShape::Index { .. }
            | LaneShape::Coordinate { .. }
            | LaneShape::Along(_)
            | LaneShape::Uniform
            | LaneShape::Varying => None,
        };
        let (column, columns) = shape(x, Axis::X, width)?;
        let (line, lines) = shape(y, Axis::Y, height)?;
        let bytes = layout.row_bytes.cast_signed();
        let upper = line.checked_mul(bytes)?.checked_add(column << WORD)?;
        let lower = upper.checked_add(bytes)?;
        let is_word = layout.element_log2 == WORD;
        if !is_word || !self.narrow(Axis::X, column, columns) || !self.narrow(Axis::Y, line, lines) {
            return None;
        }
        let row = self.row(surface, layout.row_bytes);
        let at = |disp: i32| Mem { index: Some(self.x), scale: 1 << WORD, ..Mem::at(Base::Reg(row), disp) };
        Some(Elements::Quads(QuadRows { upper: at(upper), lower: at(lower) }))
    }

    /// The words of both rows.
    pub(super) fn load_quads(&mut self, QuadRows { upper, lower }: QuadRows) -> Reg {
        let load = match self.isa {
            VectorIsa::Avx2 => Code::VEX_Vmovups_xmm_xmmm128,
            VectorIsa::Avx512 => Code::EVEX_Vmovups_ymm_k1z_ymmm256,
        };
        let first = self.vector(load, &[Arg::Mem(upper)]);
        let rows = self.vector_op(Vop::JoinHalves, &[Arg::Reg(first), Arg::Mem(lower), Arg::Imm(1)]);
        let pairs = self.isa.lanes() / 4;
        self.pairs(rows, |pair| pair / 2 + pair % 2 * pairs)
    }

    /// Stores words in both rows.
    pub(super) fn store_quads(&mut self, QuadRows { upper, lower }: QuadRows, words: Reg) {
        let pairs = self.isa.lanes() / 4;
        let rows = self.pairs(words, |pair| pair % pairs * 2 + pair / pairs);
        let store = match self.isa {
            VectorIsa::Avx2 => Code::VEX_Vmovups_xmmm128_xmm,
            VectorIsa::Avx512 => Code::EVEX_Vmovups_ymmm256_k1z_ymm,
        };
        self.insts.push(Inst::new(InstKind::Plain(store), None, &[Arg::Mem(upper), Arg::Reg(rows)]));
        let last = InstKind::Plain(self.isa.code(Vop::LastHalf));
        self.insts.push(Inst::new(last, None, &[Arg::Mem(lower), Arg::Reg(rows), Arg::Imm(1)]));
    }

    /// Pairs of lanes, each the one with this number.
    fn pairs(&mut self, words: Reg, from: impl Fn(u32) -> u32) -> Reg {
        let lanes = self.isa.lanes();
        match self.isa {
            VectorIsa::Avx2 => {
                let order = (0..lanes / 2).fold(0, |order, pair| order | from(pair) << (2 * pair));
                let permute = Code::VEX_Vpermpd_ymm_ymmm256_imm8;
                self.vector(permute, &[Arg::Reg(words), Arg::Imm(order.cast_signed())])
            }
            VectorIsa::Avx512 => {
                let order: Vec<u32> = (0..lanes).map(|lane| 2 * from(lane / 2) + lane % 2).collect();
                let order = self.vector_constant(&order);
                let order = self.load_arg(order);
                self.two(Vop::Permute, order, words)
            }
        }
    }
}
