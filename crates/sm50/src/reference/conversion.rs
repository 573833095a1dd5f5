//! Conversions between integers and floats.

use super::arithmetic::rounding;
use super::warp::Warp;
use crate::codes::{FloatType, IntType, IntegerRounding};
use crate::field::key;
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::Source;
use crate::table::ConvertOp;
use ctm_num::ieee::{BINARY16, BINARY32, BINARY64, Format, Rounding};
use ctm_num::sm50::{self, Flags, FloatRounding, IntegerType};

fn format(float: FloatType) -> Result<Format, TrapKind> {
    match float {
        FloatType::F16 => Ok(BINARY16),
        FloatType::F32 => Ok(BINARY32),
        FloatType::F64 => Ok(BINARY64),
        FloatType::Invalid => Err(TrapKind::IllegalInstrEncoding),
    }
}

fn integer_type(int: IntType) -> IntegerType {
    IntegerType { bits: int.bits(), signed: int.signed() }
}

/// The rounding of F2F: bits 1:0 the direction, bit 2 to an integral value. Between numbers of one size the direction
/// means something only for integral values.
fn float_rounding(code: u8, same_size: bool) -> FloatRounding {
    let integral = code & 4 != 0 && same_size;
    let direction = Rounding::ALL[usize::from(code & 3)];
    if integral { FloatRounding::Integral(direction) } else { FloatRounding::Precision(direction) }
}

impl Warp<'_> {
    pub fn convert(&mut self, op: ConvertOp, instruction: &Instruction) -> Result<(), TrapKind> {
        let b = instruction.b();
        let modifiers = [b.abs, b.neg];
        let (from_int, to_int) = (instruction.get(key::FROM_INT), instruction.get(key::TO_INT));
        let (ftz, saturate) = (instruction.get(key::FTZ), instruction.get(key::SAT));
        // Also of narrow numbers the sign is that of the register (decision S51).
        let of_integer = |result: u64, bits: u32| {
            let sign = result >> (bits.max(32) - 1) != 0;
            (result, bits, Flags { zero: result == 0, sign, ..Flags::default() })
        };
        let of_float = |result: u64, format: Format| (result, format.width(), Flags::of_float(format, result));
        let (result, bits, flags) = match op {
            ConvertOp::I2f => {
                let to = format(instruction.get(key::TO_FLOAT))?;
                let source = self.integer_source(b, from_int)?;
                let direction = rounding(instruction.get(key::ROUND));
                of_float(sm50::integer_to_float(integer_type(from_int), source, modifiers, to, direction), to)
            }
            ConvertOp::I2i => {
                let (source, to) = (self.integer_source(b, from_int)?, integer_type(to_int));
                of_integer(sm50::integer_to_integer(integer_type(from_int), source, modifiers, to, saturate), to.bits)
            }
            ConvertOp::F2i => {
                let (from, to) = (format(instruction.get(key::FROM_FLOAT))?, integer_type(to_int));
                let source = self.float_source(b, from)?;
                let direction = match instruction.get(key::INT_ROUND) {
                    IntegerRounding::Nearest => Rounding::NearestEven,
                    IntegerRounding::Floor => Rounding::Down,
                    IntegerRounding::Ceil => Rounding::Up,
                    IntegerRounding::Trunc => Rounding::Zero,
                };
                of_integer(sm50::float_to_integer(from, source, ftz, direction, to), to.bits)
            }
            ConvertOp::F2f => {
                let from = format(instruction.get(key::FROM_FLOAT))?;
                let to = format(instruction.get(key::TO_FLOAT))?;
                let source = self.float_source(b, from)?;
                let how = float_rounding(instruction.get(key::F2F_ROUND), from == to);
                of_float(sm50::float_to_float(from, to, source, how, ftz, saturate), to)
            }
        };
        if bits == 64 {
            self.set_pair(instruction.dst(), result)?;
        } else {
            self.set_reg(instruction.dst(), result as u32);
        }
        self.set_flags(instruction, flags);
        Ok(())
    }

    /// The bits of an integer source, before its modifiers.
    fn integer_source(&mut self, source: Source, from: IntType) -> Result<u64, TrapKind> {
        if from.bits() == 64 { self.wide(source.value) } else { self.part(source).map(u64::from) }
    }

    /// The bits of a float source with its modifiers.
    fn float_source(&mut self, source: Source, from: Format) -> Result<u64, TrapKind> {
        if from == BINARY64 {
            return self.long(source);
        }
        let bits = u64::from(self.part(source)?);
        let sign = 1 << (from.width() - 1);
        let bits = if source.abs { bits & !sign } else { bits };
        Ok(if source.neg { bits ^ sign } else { bits })
    }
}
