//! Conversions between integers and floats.

use super::float::{Denormals, rounding};
use super::machine::LiftState;
use super::operand::{Pair, SIGN};
use crate::codes::{FloatType, IntType, IntegerRounding};
use crate::field::key;
use crate::instruction::Instruction;
use crate::operand::Source;
use crate::table::ConvertOp;
use ctm_lane::{Denorm, FloatTest, Round, Rounding, Value};
use ctm_num::sm50::NAN_F16;

const ONE_F16: u32 = 0x3C00;

/// A result, by what its flags are made of.
enum Converted {
    Integer(Value),
    Half(Value),
    Single(Value),
    Double(Pair),
}

/// A float of any size as binary32 or binary64, whichever holds it exactly.
enum Float {
    Single(Value),
    Double(Pair),
}

/// Whether one of the floats of a conversion is a double: then FTZ and SAT do nothing.
fn has_double(instruction: &Instruction) -> bool {
    [key::FROM_FLOAT, key::TO_FLOAT].iter().any(|&key| instruction.get(key) == FloatType::F64)
}

/// What a conversion does with denormals.
fn denormals(instruction: &Instruction) -> Denormals {
    if instruction.get(key::FTZ) && !has_double(instruction) { Denormals::Flush } else { Denormals::Keep }
}

impl LiftState<'_> {
    pub fn convert(&mut self, op: ConvertOp, instruction: &Instruction) {
        let (from, to) = (instruction.get(key::FROM_INT), instruction.get(key::TO_INT));
        let (reads_integer, writes_integer) = match op {
            ConvertOp::I2f => (true, false),
            ConvertOp::F2i => (false, true),
            ConvertOp::F2f => (false, false),
            ConvertOp::I2i => (true, true),
        };
        // Few programs have integers of 64 bits.
        if reads_integer && from.bits() == 64 || writes_integer && to.bits() == 64 {
            return self.trap();
        }
        let source = instruction.b();
        let result = match op {
            ConvertOp::I2f => self.integer_to_float(source, from, instruction),
            ConvertOp::I2i => {
                Some(Converted::Integer(self.integer_to_integer(source, from, to, instruction.get(key::SAT))))
            }
            ConvertOp::F2i => self.float_source(instruction).map(|float| {
                let direction = match instruction.get(key::INT_ROUND) {
                    IntegerRounding::Nearest => Round::Even,
                    IntegerRounding::Floor => Round::Floor,
                    IntegerRounding::Ceil => Round::Ceil,
                    IntegerRounding::Trunc => Round::Trunc,
                };
                Converted::Integer(self.float_to_integer(float, direction, to))
            }),
            ConvertOp::F2f => self.float_to_float(instruction),
        };
        match result {
            None => self.trap(),
            Some(Converted::Integer(result)) => self.set_result(instruction, result),
            Some(Converted::Single(result)) => {
                self.set_reg(instruction.dst(), result);
                self.set_flags(instruction, |m| m.float_flags(result));
            }
            Some(Converted::Half(result)) => {
                self.set_reg(instruction.dst(), result);
                self.set_flags(instruction, |m| {
                    let single = m.b.htof(result);
                    m.float_flags(single)
                });
            }
            Some(Converted::Double(result)) => {
                self.set_pair(instruction.dst(), result);
                self.set_flags(instruction, |m| m.double_flags(result));
            }
        }
    }

    /// The low bits of a word as a number of a type of at most 32 bits.
    fn read_integer(&mut self, word: Value, ty: IntType) -> Value {
        if ty.bits() == 32 {
            return word;
        }
        if !ty.signed() {
            return self.only(word, (1 << ty.bits()) - 1);
        }
        let by = self.b.constant(32 - ty.bits());
        let top = self.b.shl(word, by);
        self.b.sar(top, by)
    }

    /// The number of at most 32 bits that a source with its modifiers is, which are those of its type: a signed number stays in
    /// it, so that the least one is its own negative. Whether an unsigned number is still to be negated comes with it.
    fn integer_operand(&mut self, source: Source, from: IntType) -> (Value, bool) {
        let word = self.part(source);
        let value = self.read_integer(word, from);
        if !from.signed() {
            return (value, source.neg);
        }
        let zero = self.b.constant(0);
        let opposite = |m: &mut Self, value| {
            let opposite = m.b.isub(zero, value);
            m.read_integer(opposite, from)
        };
        let value = if source.abs {
            let (negative, opposite) = (self.is_negative(value), opposite(self, value));
            self.b.select(negative, opposite, value)
        } else {
            value
        };
        (if source.neg { opposite(self, value) } else { value }, false)
    }

    /// The number of at most 32 bits that a source with its modifiers is, as binary64.
    fn integer_as_double(&mut self, source: Source, from: IntType) -> Pair {
        let (value, negated) = self.integer_operand(source, from);
        let [low, high] = if from.signed() { self.b.itod(value) } else { self.b.utod(value) };
        if !negated {
            return [low, high];
        }
        // There is no integer -0.
        let zero = self.b.constant(0);
        let sign = self.b.constant(SIGN);
        let high = self.b.xor(high, sign);
        self.b.dadd(Rounding::Even, zero, zero, low, high)
    }

    fn integer_to_float(&mut self, source: Source, from: IntType, instruction: &Instruction) -> Option<Converted> {
        let rounding = rounding(instruction.get(key::ROUND));
        let is_plain = !source.abs && !source.neg;
        Some(match instruction.get(key::TO_FLOAT) {
            FloatType::Invalid => return None,
            FloatType::F32 if is_plain && rounding == Rounding::Even => {
                let (value, _) = self.integer_operand(source, from);
                Converted::Single(if from.signed() { self.b.itof(value) } else { self.b.utof(value) })
            }
            FloatType::F32 => {
                let [low, high] = self.integer_as_double(source, from);
                Converted::Single(self.b.dtof(rounding, low, high))
            }
            FloatType::F64 => Converted::Double(self.integer_as_double(source, from)),
            FloatType::F16 => {
                let value = self.integer_as_double(source, from);
                Converted::Half(self.double_to_half(rounding, value))
            }
        })
    }

    fn integer_to_integer(&mut self, source: Source, from: IntType, to: IntType, saturate: bool) -> Value {
        if saturate {
            let value = self.integer_as_double(source, from);
            return self.double_to_integer(value, to);
        }
        let (mut value, negated) = self.integer_operand(source, from);
        if negated {
            let zero = self.b.constant(0);
            value = self.b.isub(zero, value);
        }
        if to.bits() == 32 { value } else { self.only(value, (1 << to.bits()) - 1) }
    }

    /// A float source with its modifiers, flushed if the instruction says so.
    fn float_source(&mut self, instruction: &Instruction) -> Option<Float> {
        let source = instruction.b();
        Some(match instruction.get(key::FROM_FLOAT) {
            FloatType::Invalid => return None,
            FloatType::F64 => Float::Double(self.long(source)),
            FloatType::F32 => {
                let bits = self.single(source);
                Float::Single(self.flushed(denormals(instruction), bits))
            }
            FloatType::F16 => {
                let bits = self.part(source);
                let value = self.b.htof(bits);
                let value = if source.abs { self.b.abs(value) } else { value };
                Float::Single(if source.neg { self.b.neg(value) } else { value })
            }
        })
    }

    fn float_to_integer(&mut self, float: Float, direction: Round, to: IntType) -> Value {
        match float {
            Float::Single(value) => {
                let value = self.b.fround(direction, Denorm::Keep, value);
                let value = if to.signed() { self.b.ftoi(value) } else { self.b.ftou(value) };
                self.narrowed(value, to)
            }
            Float::Double([low, high]) => {
                let value = self.b.dround(direction, low, high);
                let result = self.double_to_integer(value, to);
                let is_nan = self.b.dcmp(FloatTest::Uno, low, high, low, high);
                let of_nan = self.b.constant(SIGN);
                self.b.select(is_nan, of_nan, result)
            }
        }
    }

    /// An integral value brought into a type's range; NaN gives 0.
    fn double_to_integer(&mut self, [low, high]: Pair, to: IntType) -> Value {
        let value = if to.signed() { self.b.dtoi(low, high) } else { self.b.dtou(low, high) };
        self.narrowed(value, to)
    }

    /// A 32-bit number brought into the range of a type of the same signedness.
    fn narrowed(&mut self, value: Value, to: IntType) -> Value {
        let bits = to.bits();
        match (bits, to.signed()) {
            (32, _) => value,
            (_, false) => {
                let greatest = self.b.constant((1 << bits) - 1);
                self.b.umin(value, greatest)
            }
            (_, true) => {
                let greatest = (1u32 << (bits - 1)) - 1;
                let (greatest, least) = (self.b.constant(greatest), self.b.constant(!greatest));
                let value = self.b.smin(value, greatest);
                self.b.smax(value, least)
            }
        }
    }

    fn float_to_float(&mut self, instruction: &Instruction) -> Option<Converted> {
        let (from, to) = (instruction.get(key::FROM_FLOAT), instruction.get(key::TO_FLOAT));
        let code = instruction.get(key::F2F_ROUND);
        let rounding = [Rounding::Even, Rounding::Down, Rounding::Up, Rounding::Zero][usize::from(code & 3)];
        let integral = (code & 4 != 0 && from == to)
            .then(|| [Round::Even, Round::Floor, Round::Ceil, Round::Trunc][usize::from(code & 3)]);
        let float = match self.float_source(instruction)? {
            Float::Single(value) => Float::Single(match integral {
                Some(direction) => self.b.fround(direction, Denorm::Keep, value),
                None => value,
            }),
            Float::Double([low, high]) => Float::Double(match integral {
                Some(direction) => self.b.dround(direction, low, high),
                None => [low, high],
            }),
        };
        let saturate = instruction.get(key::SAT) && !has_double(instruction);
        Some(match (to, float) {
            (FloatType::Invalid, _) => return None,
            (FloatType::F32, float) => {
                let value = match float {
                    Float::Single(value) => value,
                    Float::Double([low, high]) => self.b.dtof(rounding, low, high),
                };
                let value = self.settled(denormals(instruction), value);
                Converted::Single(if saturate { self.b.clamp01(Denorm::Keep, value) } else { value })
            }
            (FloatType::F16, float) => {
                let value = match float {
                    Float::Single(value) => self.single_to_half(rounding, value),
                    Float::Double(value) => self.double_to_half(rounding, value),
                };
                Converted::Half(if saturate { self.clamped_half(value) } else { value })
            }
            (FloatType::F64, float) => {
                let value = match float {
                    Float::Single(value) => self.b.ftod(value),
                    Float::Double(value) => value,
                };
                Converted::Double(self.fixed_nan(value))
            }
        })
    }

    fn single_to_half(&mut self, rounding: Rounding, value: Value) -> Value {
        let (half, nan) = (self.b.ftoh(rounding, value), self.b.constant(NAN_F16.into()));
        let is_nan = self.b.fcmp(FloatTest::Uno, Denorm::Keep, value, value);
        self.b.select(is_nan, nan, half)
    }

    /// Rounded toward zero to a float, with the last bit telling of what is lost, then once more: that is one rounding.
    fn double_to_half(&mut self, rounding: Rounding, [low, high]: Pair) -> Value {
        let value = self.b.dtof(Rounding::Zero, low, high);
        let [back_low, back_high] = self.b.ftod(value);
        let inexact = self.b.dcmp(FloatTest::One, low, high, back_low, back_high);
        let rest = self.bit(inexact);
        let value = self.b.or(value, rest);
        self.single_to_half(rounding, value)
    }

    /// To 0..=1; NaN gives 0.
    fn clamped_half(&mut self, bits: Value) -> Value {
        let (zero, one, nan) = (self.b.constant(0), self.b.constant(ONE_F16), self.b.constant(NAN_F16.into()));
        let clamped = self.b.umin(bits, one);
        let negative = self.only(bits, 0x8000);
        let positive = self.is_zero(negative);
        let result = self.b.select(positive, clamped, zero);
        let is_nan = self.b.icmp(ctm_lane::IntTest::Eq, bits, nan);
        self.b.select(is_nan, zero, result)
    }
}
