//! How many registers the operands of an instruction are.

use crate::codes::{AtomType, FloatType, SharedType};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::operand::{Reg, Value};
use crate::table::{AttributeOp, Class, CompareOp, ConvertOp};

impl Instruction {
    /// Registers of a value of an atomic access: 1, 2 or 4.
    pub(crate) fn atom_words(&self) -> u8 {
        let wide = self.get(key::WIDE)
            || matches!(self.get(key::ATOM_TYPE), AtomType::U64 | AtomType::S64)
            || matches!(self.get(key::SHARED_TYPE), SharedType::U64 | SharedType::S64);
        match self.get(key::ATOM_TYPE) {
            AtomType::U128 => 4,
            _ if wide => 2,
            _ => 1,
        }
    }

    /// Operands that may be several registers, each with how many it is. All others are one.
    pub fn wide_operands(&self) -> Vec<(Reg, u8)> {
        let source = |value: Value| match value {
            Value::Reg(reg) => reg,
            Value::Imm(_) | Value::Const { .. } => Reg::RZ,
        };
        let (dst, b) = (self.dst(), source(self.b().value));
        let doubles = |registers: &[Reg]| registers.iter().map(|&reg| (reg, 2)).collect();
        match self.op().class() {
            Class::Double(_) => doubles(&[source(self.a().value), b, source(self.c().value), dst]),
            Class::Compare(op) => {
                use CompareOp::*;
                match op {
                    Dset | Dsetp => doubles(&[source(self.a().value), b]),
                    Fset | Fsetp | Fcmp | Fchk | Isetp | Iset | Icmp | Psetp | Pset | Csetp | Cset => Vec::new(),
                }
            }
            Class::Convert(ConvertOp::I2f | ConvertOp::F2i | ConvertOp::F2f | ConvertOp::I2i) => {
                let to = self.get(key::TO_FLOAT) == FloatType::F64
                    || self.has(FieldId::TO_INT) && self.get(key::TO_INT).bits() == 64;
                let from = self.get(key::FROM_FLOAT) == FloatType::F64
                    || self.has(FieldId::FROM_INT) && self.get(key::FROM_INT).bits() == 64;
                let words = |wide: bool| if wide { 2 } else { 1 };
                vec![(dst, words(to)), (b, words(from))]
            }
            Class::Constant(_) | Class::Local(_) | Class::Global(_) | Class::Shared(_) => {
                let words = self.get(key::MEMORY_SIZE).bytes().div_ceil(4) as u8;
                let address = if self.get(key::E) { 2 } else { 1 };
                vec![(dst, words), (self.reg(key::RA), address)]
            }
            // Attribute accesses align their registers without a word.
            Class::Attribute(AttributeOp::Ast | AttributeOp::Ald) => {
                let words = self.get(key::ATTRIBUTE_SIZE).words();
                let base = if dst.is_zero() { dst } else { Reg(dst.0 & !(words.next_power_of_two() - 1)) };
                vec![(base, words)]
            }
            Class::Atomic(_) => {
                let words = self.atom_words();
                let values = if self.has(FieldId::CAS_OPERANDS) { (self.reg(key::RB), words) } else { (b, words) };
                let address = if self.get(key::E) { 2 } else { 1 };
                vec![(dst, words), values, (self.reg(key::RA), address)]
            }
            Class::Attribute(AttributeOp::Al2p | AttributeOp::Isberd | AttributeOp::Out)
            | Class::Raw
            | Class::Special(_)
            | Class::Move(_)
            | Class::Float(_)
            | Class::Integer(_)
            | Class::Bits(_)
            | Class::Flags(_)
            | Class::Exchange(_)
            | Class::Surface(_)
            | Class::Cache(_)
            | Class::Fragment(_)
            | Class::Texture(_)
            | Class::Video(_)
            | Class::System(_)
            | Class::Flow(_)
            | Class::Order(_) => Vec::new(),
        }
    }
}
