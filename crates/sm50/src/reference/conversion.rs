//! Conversions between integers and floats.

use super::arithmetic::rounding;
use super::warp::Warp;
use crate::codes::{FloatType, IntType, IntegerRounding};
use crate::field::key;
use crate::instruction::Instruction;
use crate::launch::TrapKind;
use crate::operand::{Source, Value};
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
        let (result, bits) = match op {
            ConvertOp::I2f => {
                let to = format(instruction.get(key::TO_FLOAT))?;
                let source = self.integer_source(b, from_int)?;
                let direction = rounding(instruction.get(key::ROUND));
                (sm50::integer_to_float(integer_type(from_int), source, modifiers, to, direction), to.width())
            }
            ConvertOp::I2i => {
                let (source, to) = (self.integer_source(b, from_int)?, integer_type(to_int));
                (sm50::integer_to_integer(integer_type(from_int), source, modifiers, to, saturate), to.bits)
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
                (sm50::float_to_integer(from, source, ftz, direction, to), to.bits)
            }
            ConvertOp::F2f => {
                let from = format(instruction.get(key::FROM_FLOAT))?;
                let to = format(instruction.get(key::TO_FLOAT))?;
                let source = self.float_source(b, from)?;
                let how = float_rounding(instruction.get(key::F2F_ROUND), from == to);
                (sm50::float_to_float(from, to, source, how, ftz, saturate), to.width())
            }
        };
        if bits == 64 {
            self.set_pair(instruction.dst(), result)?;
            let flags = Flags { zero: result == 0, sign: result >> 63 != 0, ..Flags::default() };
            self.set_flags(instruction, flags);
        } else {
            self.set_result(instruction, result as u32, Flags::of(result as u32));
        }
        Ok(())
    }

    /// The bits of an integer source, before its modifiers.
    fn integer_source(&mut self, source: Source, from: IntType) -> Result<u64, TrapKind> {
        match source.value {
            // A whole immediate stands for its 64-bit extension.
            Value::Imm(bits) if from.bits() == 64 => Ok(i64::from(bits.cast_signed()).cast_unsigned()),
            value @ (Value::Reg(_) | Value::Const { .. }) if from.bits() == 64 => self.wide(value),
            Value::Imm(_) | Value::Reg(_) | Value::Const { .. } => self.part(source).map(u64::from),
        }
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
