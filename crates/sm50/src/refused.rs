//! Forms that the machine stops at, although each of their fields has a meaning.
//!
//! Source: nxgpucatch, whose author notes which forms abort execution on a GM20B (hardware, second hand). Forms of the same
//! kind that the notes do not name are decisions. NAK's comments name one more.

use crate::codes::{CasOperands, FloatType};
use crate::field::key;
use crate::instruction::Instruction;
use crate::table::{AtomicOp, Class, ConvertOp};

/// A form that the machine does not execute.
pub(crate) struct Refusal {
    /// The form, in words.
    pub form: &'static str,
    /// What to write instead.
    pub remedy: &'static str,
}

/// What the machine does not execute about an instruction; `None` if it executes it.
pub(crate) fn refusal(instruction: &Instruction) -> Option<Refusal> {
    let refused = |form, remedy| Some(Refusal { form, remedy });
    let (from, to) = (instruction.get(key::FROM_FLOAT), instruction.get(key::TO_FLOAT));
    match instruction.op().class() {
        Class::Convert(ConvertOp::F2f) => {
            let apart = [(FloatType::F16, FloatType::F64), (FloatType::F64, FloatType::F16)].contains(&(from, to));
            if apart { refused("F2F between F16 and F64", "convert to F32 first") } else { None }
        }
        Class::Convert(ConvertOp::F2i) => match (from, instruction.get(key::TO_INT).bits()) {
            (FloatType::F16, 64) => refused("F2I from F16 to 64 bits", "convert to F32 first"),
            // 16 bits by the notes, 8 bits by decision S56.
            (FloatType::F64, 8 | 16) => refused("F2I from F64 to less than 32 bits", "convert to 32 bits first"),
            (FloatType::Invalid | FloatType::F16 | FloatType::F32 | FloatType::F64, _) => None,
        },
        // IADD by the notes, IADD32I and IMAD by decision S38.
        Class::Integer(_) if instruction.get(key::PO) && instruction.get(key::X) => {
            refused(".PO together with .X", "add 1 in another instruction")
        }
        // NAK says that they do not work on the machine.
        Class::Atomic(AtomicOp::AtomCas | AtomicOp::AtomsCas)
            if instruction.get(key::CAS_OPERANDS) != CasOperands::Both =>
        {
            refused("CAS without a value to compare with, or to store", "give two registers, one after the other")
        }
        Class::Convert(ConvertOp::I2f | ConvertOp::I2i)
        | Class::Raw
        | Class::Attribute(_)
        | Class::Special(_)
        | Class::Move(_)
        | Class::Constant(_)
        | Class::Local(_)
        | Class::Global(_)
        | Class::Shared(_)
        | Class::Atomic(_)
        | Class::Surface(_)
        | Class::Cache(_)
        | Class::Fragment(_)
        | Class::Texture(_)
        | Class::Video(_)
        | Class::System(_)
        | Class::Float(_)
        | Class::Double(_)
        | Class::Compare(_)
        | Class::Integer(_)
        | Class::Bits(_)
        | Class::Flags(_)
        | Class::Exchange(_)
        | Class::Flow(_)
        | Class::Order(_) => None,
    }
}
