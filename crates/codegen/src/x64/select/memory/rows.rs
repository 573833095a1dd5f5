//! Elements side by side: between memory, where an element's words are together, and vectors of one word of each.

use super::*;

impl Selector<'_> {
    fn three(&mut self, code: Code, a: Reg, b: Reg, immediate: i32) -> Reg {
        self.vector(code, &[Arg::Reg(a), Arg::Reg(b), Arg::Imm(immediate)])
    }

    /// Words of two tables of vectors, by number.
    fn permuted(&mut self, low: Reg, high: Arg, indices: impl Fn(u32) -> u32) -> Reg {
        let indices: Vec<u32> = (0..16).map(indices).collect();
        let indices = self.vector_constant(&indices);
        let indices = self.load_arg(indices);
        let kind = InstKind::Tied(Code::EVEX_Vpermt2ps_zmm_k1z_zmm_zmmm512b32);
        self.define(Class::Vector, kind, &[Arg::Reg(low), Arg::Reg(indices), high])
    }

    /// Elements of four words, as they lie in memory, as four vectors, one for each word; of vectors of 16 words.
    pub(super) fn words_of_four(&mut self, rows: [Arg; 4]) -> [Reg; 4] {
        // Words `word` and `word + 1` of eight elements.
        let pairs = [0, 2].map(|word: u32| {
            [0, 2].map(|first: usize| {
                let low = self.load_arg(rows[first]);
                self.permuted(low, rows[first + 1], |lane| lane % 8 * 4 + word + lane / 8)
            })
        });
        [(0, 0x44), (0, 0xEE), (1, 0x44), (1, 0xEE)].map(|(pair, halves): (usize, i32)| {
            let [low, high] = pairs[pair];
            self.three(Code::EVEX_Vshuff32x4_zmm_k1z_zmm_zmmm512b32_imm8, low, high, halves)
        })
    }

    /// Four vectors of elements of four words, of which a row takes the words in this order from each and the next; of vectors of 16
    /// words.
    pub(super) fn load_shifted(&mut self, row: &ShiftedRow) -> [Reg; MAX_PIECES] {
        std::array::from_fn(|piece| {
            let low = self.vector_op(Vop::Load, &[Arg::Mem(row.pieces[piece])]);
            let kind = InstKind::Tied(Code::EVEX_Vpermt2ps_zmm_k1z_zmm_zmmm512b32);
            let next = Arg::Mem(row.pieces[piece + 1]);
            self.define(Class::Vector, kind, &[Arg::Reg(low), Arg::Reg(row.order), next])
        })
    }

    /// Elements of four words as four vectors, one for each word.
    pub(super) fn load_rows_of_four(&mut self, row: &Row) -> [Reg; 4] {
        let at = |bytes: i32| Arg::Mem(row.at(bytes));
        match self.isa {
            VectorIsa::Avx512 => self.words_of_four([0, 64, 128, 192].map(at)),
            VectorIsa::Avx2 => self.words_of_elements([0, 16, 32, 48, 64, 80, 96, 112].map(|bytes| row.at(bytes))),
        }
    }

    /// Elements of four words, each from its place, as four vectors, one for each word; of vectors of 8 words.
    pub(super) fn words_of_elements(&mut self, elements: [Mem; ELEMENTS_APART]) -> [Reg; 4] {
        // An element and the one four further, in halves of a vector.
        let [a, b, c, d] = [0, 1, 2, 3].map(|first: usize| self.pair(elements[first], elements[first + 4]));
        let (low, high) = (Code::VEX_Vunpcklps_ymm_ymm_ymmm256, Code::VEX_Vunpckhps_ymm_ymm_ymmm256);
        let [xy, xy_next] = [(a, b), (c, d)].map(|(a, b)| self.vector(low, &[Arg::Reg(a), Arg::Reg(b)]));
        let [zw, zw_next] = [(a, b), (c, d)].map(|(a, b)| self.vector(high, &[Arg::Reg(a), Arg::Reg(b)]));
        let (low, high) = (Code::VEX_Vunpcklpd_ymm_ymm_ymmm256, Code::VEX_Vunpckhpd_ymm_ymm_ymmm256);
        [(low, xy, xy_next), (high, xy, xy_next), (low, zw, zw_next), (high, zw, zw_next)]
            .map(|(code, a, b)| self.vector(code, &[Arg::Reg(a), Arg::Reg(b)]))
    }

    /// Elements of four words, each from its place, as vectors of memory, in order; of vectors of 8 words.
    pub(super) fn rows_of_elements(&mut self, elements: [Mem; ELEMENTS_APART]) -> [Reg; MAX_PIECES] {
        std::array::from_fn(|vector| self.pair(elements[2 * vector], elements[2 * vector + 1]))
    }

    /// Two elements of four words in a vector of 8.
    fn pair(&mut self, first: Mem, second: Mem) -> Reg {
        let low = self.vector(Code::VEX_Vmovups_xmm_xmmm128, &[Arg::Mem(first)]);
        let insert = Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8;
        self.vector(insert, &[Arg::Reg(low), Arg::Mem(second), Arg::Imm(1)])
    }

    /// Elements of two words as two vectors.
    pub(super) fn load_rows_of_two(&mut self, row: &Row) -> [Val; 4] {
        let next = Arg::Mem(row.at(self.isa.bytes()));
        let words = [0, 1].map(|word: u32| {
            let low = self.vector_op(Vop::Load, &[Arg::Mem(row.at(0))]);
            match self.isa {
                VectorIsa::Avx512 => self.permuted(low, next, |lane| lane * 2 + word),
                VectorIsa::Avx2 => {
                    let select = Arg::Imm(if word == 0 { 0x88 } else { 0xDD });
                    let mixed = self.vector(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, &[Arg::Reg(low), next, select]);
                    self.vector(Code::VEX_Vpermpd_ymm_ymmm256_imm8, &[Arg::Reg(mixed), Arg::Imm(0xD8)])
                }
            }
        });
        [Val::Reg(words[0]), Val::Reg(words[1]), Val::Const(0), Val::Const(0)]
    }

    /// Four vectors, one for each word, as vectors of memory, in order.
    pub(super) fn rows_of_four(&mut self, values: [Reg; 4]) -> [Reg; 4] {
        match self.isa {
            VectorIsa::Avx512 => {
                // Pairs of words, then pairs of pairs.
                let [low, high] = [0u32, 8].map(|start| {
                    [0, 2].map(|first: usize| {
                        let next = Arg::Reg(values[first + 1]);
                        self.permuted(values[first], next, |at| start + at / 2 + at % 2 * 16)
                    })
                });
                [(low, 0), (low, 8), (high, 0), (high, 8)].map(|([xy, zw], start): (_, u32)| {
                    self.permuted(xy, Arg::Reg(zw), |at| start + at / 4 * 2 + at % 2 + at / 2 % 2 * 16)
                })
            }
            VectorIsa::Avx2 => {
                let [x, y, z, w] = values;
                let (low, high) = (Code::VEX_Vunpcklps_ymm_ymm_ymmm256, Code::VEX_Vunpckhps_ymm_ymm_ymmm256);
                let [xy, zw] = [(x, y), (z, w)].map(|(a, b)| self.vector(low, &[Arg::Reg(a), Arg::Reg(b)]));
                let [xy_next, zw_next] = [(x, y), (z, w)].map(|(a, b)| self.vector(high, &[Arg::Reg(a), Arg::Reg(b)]));
                let (low, high) = (Code::VEX_Vunpcklpd_ymm_ymm_ymmm256, Code::VEX_Vunpckhpd_ymm_ymm_ymmm256);
                // An element and the one four further, in halves of a vector.
                let [a, b, c, d] = [(low, xy, zw), (high, xy, zw), (low, xy_next, zw_next), (high, xy_next, zw_next)]
                    .map(|(code, a, b)| self.vector(code, &[Arg::Reg(a), Arg::Reg(b)]));
                [(a, b, 0x20), (c, d, 0x20), (a, b, 0x31), (c, d, 0x31)]
                    .map(|(a, b, halves)| self.three(Code::VEX_Vperm2f128_ymm_ymm_ymmm256_imm8, a, b, halves))
            }
        }
    }

    /// For each vector of elements of four words the words that belong to lanes of the mask.
    fn rows_of_mask(&mut self, mask: Reg) -> [Reg; 4] {
        let lanes = self.isa.lanes();
        match self.isa {
            VectorIsa::Avx512 => {
                let bits = self.vector(Code::EVEX_Vpbroadcastmw2d_zmm_kr, &[Arg::Reg(mask)]);
                [0, 1, 2, 3].map(|row| {
                    let elements: Vec<u32> = (0..lanes).map(|word| 1 << (row * 4 + word / 4)).collect();
                    let elements = self.vector_constant(&elements);
                    self.mask(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, &[Arg::Reg(bits), elements])
                })
            }
            VectorIsa::Avx2 => [0, 1, 2, 3].map(|row| {
                let elements: Vec<u32> = (0..lanes).map(|word| row * 2 + word / 4).collect();
                let elements = self.vector_constant(&elements);
                let elements = self.load_arg(elements);
                self.mask(Code::VEX_Vpermd_ymm_ymm_ymmm256, &[Arg::Reg(elements), Arg::Reg(mask)])
            }),
        }
    }

    /// Stores elements of four words.
    pub(super) fn store_rows_of_four(&mut self, row: &Row, values: [Reg; 4], lanes: Lanes) {
        let rows = self.rows_of_four(values);
        let lanes = match lanes {
            Lanes::Of(mask) => self.rows_of_mask(mask).map(Lanes::Of),
            Lanes::All | Lanes::No => [lanes; 4],
        };
        for (number, (words, lanes)) in rows.into_iter().zip(lanes).enumerate() {
            self.put_in_row(row, number as i32, words, lanes);
        }
    }

    /// Whether [`Self::store_halves`] can leave the other lanes alone.
    pub(super) fn can_store_halves(&self, lanes: Lanes) -> bool {
        self.isa == VectorIsa::Avx512 || matches!(lanes, Lanes::All)
    }

    /// Stores the low halves of the lanes, one after the other.
    pub(super) fn store_halves(&mut self, mem: Mem, words: Reg, lanes: Lanes) {
        let (code, words) = match self.isa {
            VectorIsa::Avx512 => (Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, words),
            VectorIsa::Avx2 => {
                let packed = self.vector(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, &[Arg::Reg(words), Arg::Reg(words)]);
                let joined = self.vector(Code::VEX_Vpermq_ymm_ymmm256_imm8, &[Arg::Reg(packed), Arg::Imm(8)]);
                (Code::VEX_Vmovups_xmmm128_xmm, joined)
            }
        };
        let mut store = Inst::new(InstKind::Plain(code), None, &[Arg::Mem(mem), Arg::Reg(words)]);
        if let Lanes::Of(mask) = lanes {
            store.mask = Some(mask);
        }
        self.insts.push(store);
    }
}
