//! Moves, shifts, logic, bit fields, bytes.

use super::integer::is_signed;
use super::machine::LiftState;
use crate::codes::{FunnelPart, FunnelType, LogicOp, PredicateMode, PrmtMode, ShiftExtend};
use crate::field::key;
use crate::instruction::Instruction;
use crate::table::{BitsOp, MoveOp};
use ctm_lane::{IntTest, Value};

impl LiftState<'_> {
    /// Moves and selections.
    pub fn choose(&mut self, op: MoveOp, instruction: &Instruction) {
        let b = self.word(instruction.b().value);
        match op {
            MoveOp::Sel => {
                let (choice, a) = (self.pred(instruction.pred_c()), self.reg(instruction.reg(key::RA)));
                let result = self.b.select(choice, a, b);
                self.set_reg(instruction.dst(), result);
            }
            MoveOp::Mov | MoveOp::Mov32i => {
                // The mask says which lanes of each quad move.
                let mask = u32::from(instruction.get(key::QUAD_MASK));
                let all = self.taken;
                if mask != 15 {
                    let place = self.only(self.number, 3);
                    let mask = self.b.constant(mask);
                    let bit = self.b.shr(mask, place);
                    let bit = self.only(bit, 1);
                    let still = self.is_zero(bit);
                    self.taken = self.b.mask_andnot(all, still);
                }
                self.set_reg(instruction.dst(), b);
                self.taken = all;
            }
        }
    }

    pub fn bitwise(&mut self, op: BitsOp, instruction: &Instruction) {
        use BitsOp::*;
        if instruction.get(key::X)
            || instruction.get(key::SHIFT_EXTEND) != ShiftExtend::None
            || matches!(instruction.get(key::FUNNEL_PART), FunnelPart::X | FunnelPart::Xhi)
        {
            return self.trap();
        }
        let (a, b) = (self.int(instruction.a()), self.int(instruction.b()));
        let signed = is_signed(instruction);
        let result = match op {
            Shl => {
                let n = self.count(instruction, b, 32);
                self.b.shl(a, n)
            }
            Shr => {
                let (a, n) = (self.reversed(instruction, a), self.count(instruction, b, 32));
                if signed { self.b.sar(a, n) } else { self.b.shr(a, n) }
            }
            ShfL => self.funnel(true, instruction, a, b),
            ShfR => self.funnel(false, instruction, a, b),
            Lop | Lop32i => match instruction.get(key::LOGIC_OP) {
                LogicOp::And => self.b.and(a, b),
                LogicOp::Or => self.b.or(a, b),
                LogicOp::Xor => self.b.xor(a, b),
                LogicOp::PassB => b,
            },
            Lop3 => {
                let c = self.word(instruction.c().value);
                self.logic3([a, b, c], instruction.get(key::LUT))
            }
            Bfe => {
                let a = self.reversed(instruction, a);
                self.extract(a, b, signed)
            }
            Bfi => {
                let c = self.word(instruction.c().value);
                self.insert(a, b, c)
            }
            Flo => self.leading_one(b, signed, instruction.get(key::SH)),
            Popc => self.b.popcount(b),
            Prmt => {
                let c = self.word(instruction.c().value);
                self.permute(instruction.get(key::PRMT_MODE), a, b, c)
            }
        };
        let zero = self.is_zero(result);
        let pred = match instruction.get(key::PREDICATE_MODE) {
            PredicateMode::F => self.b.mask_constant(false),
            PredicateMode::T => self.b.mask_constant(true),
            PredicateMode::Z => zero,
            PredicateMode::Nz => self.b.mask_not(zero),
        };
        self.set_pred(instruction.pred(key::PD), pred);
        self.set_result(instruction, result);
    }

    fn reversed(&mut self, instruction: &Instruction, a: Value) -> Value {
        if instruction.get(key::BREV) { self.b.bit_reverse(a) } else { a }
    }

    /// A shift count: up to `width`, or modulo `width` if it wraps.
    fn count(&mut self, instruction: &Instruction, b: Value, width: u32) -> Value {
        if instruction.get(key::W) {
            return self.only(b, width - 1);
        }
        let width = self.b.constant(width);
        self.b.umin(b, width)
    }

    /// A word of c:a, shifted. Of the two shifts of a word, one goes by too much, which gives 0.
    fn funnel(&mut self, left: bool, instruction: &Instruction, low: Value, b: Value) -> Value {
        let high = self.word(instruction.c().value);
        let kind = instruction.get(key::FUNNEL_TYPE);
        let wide = matches!(kind, FunnelType::U64 | FunnelType::S64);
        let n = self.count(instruction, b, if wide { 64 } else { 32 });
        let width = self.b.constant(32);
        let (rest, beyond) = (self.b.isub(width, n), self.b.isub(n, width));
        if left {
            let (kept, come) = (self.b.shl(high, n), self.b.shr(low, rest));
            let far = self.b.shl(low, beyond);
            let near = self.b.or(kept, come);
            return self.b.or(near, far);
        }
        let signed = kind == FunnelType::S64;
        if instruction.get(key::FUNNEL_PART) == FunnelPart::Hi {
            return if signed { self.b.sar(high, n) } else { self.b.shr(high, n) };
        }
        let (kept, come) = (self.b.shr(low, n), self.b.shl(high, rest));
        let near = self.b.or(kept, come);
        if signed {
            let (far, is_near) = (self.b.sar(high, beyond), self.b.icmp(IntTest::Ult, n, width));
            return self.b.select(is_near, near, far);
        }
        let far = self.b.shr(high, beyond);
        self.b.or(near, far)
    }

    /// LOP3: by a, the function of b and c that the upper or the lower half of the table is.
    fn logic3(&mut self, [a, b, c]: [Value; 3], table: u8) -> Value {
        let [lower, upper] = [table & 15, table >> 4].map(|table| self.logic2(b, c, table));
        match (table & 15, table >> 4) {
            (same, other) if same == other => lower,
            (one, other) if one == !other & 15 => self.b.xor(a, lower),
            (0, _) => self.b.and(a, upper),
            (15, _) => {
                let inverse = self.not(a);
                self.b.or(inverse, upper)
            }
            (_, 15) => self.b.or(a, lower),
            _ => {
                let differ = self.b.xor(lower, upper);
                let change = self.b.and(a, differ);
                self.b.xor(lower, change)
            }
        }
    }

    /// Bit 2b + c of the table, for each bit.
    fn logic2(&mut self, b: Value, c: Value, table: u8) -> Value {
        let inverse = table & 1 != 0;
        // Of a function and its inverse, the one with 0 at 0.
        let value = match if inverse { !table & 15 } else { table } {
            0b0000 => self.b.constant(0),
            0b0010 => {
                let without = self.not(b);
                self.b.and(without, c)
            }
            0b0100 => {
                let without = self.not(c);
                self.b.and(b, without)
            }
            0b0110 => self.b.xor(b, c),
            0b1000 => self.b.and(b, c),
            0b1010 => c,
            0b1100 => b,
            _ => self.b.or(b, c),
        };
        if inverse { self.not(value) } else { value }
    }

    /// Position and length of a bit field.
    fn field(&mut self, b: Value) -> [Value; 2] {
        let position = self.only(b, 0xFF);
        let length = self.shifted_right(b, 8);
        [position, self.only(length, 0xFF)]
    }

    /// As many ones, from bit 0 on, up to 32.
    fn ones(&mut self, count: Value) -> Value {
        let (all, width) = (self.b.constant(u32::MAX), self.b.constant(32));
        let rest = self.b.isub(width, count);
        self.b.shr(all, rest)
    }

    /// BFE.
    fn extract(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let [position, length] = self.field(b);
        let (width, zero) = (self.b.constant(32), self.b.constant(0));
        let start = self.b.umin(position, width);
        let available = self.b.isub(width, start);
        let inside = self.b.umin(length, available);
        let mask = self.ones(inside);
        let bits = self.b.shr(a, position);
        let bits = self.b.and(bits, mask);
        if !signed {
            return bits;
        }
        let end = self.b.iadd(position, length);
        let last = self.plus(end, u32::MAX);
        let thirty_one = self.b.constant(31);
        let last = self.b.umin(last, thirty_one);
        let sign = self.b.shr(a, last);
        let sign = self.only(sign, 1);
        let copies = self.b.isub(zero, sign);
        let outside = self.not(mask);
        let copies = self.b.and(copies, outside);
        let result = self.b.or(bits, copies);
        let empty = self.is_zero(length);
        self.b.select(empty, zero, result)
    }

    /// BFI.
    fn insert(&mut self, a: Value, b: Value, c: Value) -> Value {
        let [position, length] = self.field(b);
        let width = self.b.constant(32);
        let length = self.b.umin(length, width);
        let mask = self.ones(length);
        let mask = self.b.shl(mask, position);
        let bits = self.b.shl(a, position);
        let bits = self.b.and(bits, mask);
        let outside = self.not(mask);
        let kept = self.b.and(c, outside);
        self.b.or(kept, bits)
    }

    /// FLO.
    fn leading_one(&mut self, value: Value, signed: bool, shift: bool) -> Value {
        let thirty_one = self.b.constant(31);
        let value = if signed {
            let sign = self.b.sar(value, thirty_one);
            self.b.xor(value, sign)
        } else {
            value
        };
        let above = self.b.clz(value);
        if shift {
            let (none, all) = (self.is_zero(value), self.b.constant(u32::MAX));
            return self.b.select(none, all, above);
        }
        // 31 - 32 is all ones.
        self.b.isub(thirty_one, above)
    }

    /// PRMT.
    fn permute(&mut self, mode: PrmtMode, a: Value, selector: Value, c: Value) -> Value {
        let first = self.only(selector, 3);
        let mut result = self.b.constant(0);
        for place in 0..4 {
            let number = self.b.constant(place);
            let byte = match mode {
                PrmtMode::F4e => {
                    let at = self.b.iadd(first, number);
                    self.byte_of(a, c, at)
                }
                PrmtMode::B4e => {
                    let at = self.b.isub(first, number);
                    self.byte_of(a, c, at)
                }
                PrmtMode::Rc8 => self.byte_of(a, c, first),
                PrmtMode::Ecl => {
                    let at = self.b.umax(first, number);
                    self.byte_of(a, c, at)
                }
                PrmtMode::Ecr => {
                    let at = self.b.umin(first, number);
                    self.byte_of(a, c, at)
                }
                PrmtMode::Rc16 => {
                    let half = self.only(selector, 1);
                    let start = self.shifted_left(half, 1);
                    let at = self.plus(start, place % 2);
                    self.byte_of(a, c, at)
                }
                // No instruction has the invalid codes.
                PrmtMode::Index
                | PrmtMode::Invalid7
                | PrmtMode::Invalid8
                | PrmtMode::Invalid9
                | PrmtMode::Invalid10
                | PrmtMode::Invalid11
                | PrmtMode::Invalid12
                | PrmtMode::Invalid13
                | PrmtMode::Invalid14
                | PrmtMode::Invalid15 => {
                    let at = self.shifted_right(selector, 4 * place);
                    let byte = self.byte_of(a, c, at);
                    let (replicates, sign) = (self.only(at, 8), self.only(byte, 0x80));
                    let plain = self.is_zero(replicates);
                    let (positive, none) = (self.is_zero(sign), self.b.constant(0));
                    let ones = self.b.constant(0xFF);
                    let copies = self.b.select(positive, none, ones);
                    self.b.select(plain, byte, copies)
                }
            };
            let byte = self.shifted_left(byte, 8 * place);
            result = self.b.or(result, byte);
        }
        result
    }

    /// Byte `at`, modulo 8, of c:a.
    fn byte_of(&mut self, a: Value, c: Value, at: Value) -> Value {
        let upper = self.only(at, 4);
        let lower = self.is_zero(upper);
        let word = self.b.select(lower, a, c);
        let place = self.only(at, 3);
        let shift = self.shifted_left(place, 3);
        let word = self.b.shr(word, shift);
        self.only(word, 0xFF)
    }
}
