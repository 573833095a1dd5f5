//! Operands of accesses to memory, textures and inputs.

use super::{Fit, Fitting, misfit, other_kind};
use crate::codes::{CasOperands, SelectB};
use crate::field::{FieldId, key};
use crate::instruction::Instruction;
use crate::text::instruction::{SWIZZLES, offset_of, scalar_dim};
use crate::text::item::{Base, Item};
use crate::text::literal::integer;
use ctm_bits::FieldValue;
use ctm_text::Span;

/// How an operand that is a name, or looks like a number, is spelled.
fn spelled(item: &Item) -> &str {
    match &item.base {
        Base::Word(word) | Base::Number(word) => word,
        _ => "",
    }
}

impl Fitting<'_> {
    fn instruction(&self, word: u64) -> Instruction {
        Instruction::of_form(self.row, self.shape, word)
    }

    /// The words that differ in one field.
    fn values(&self, id: FieldId) -> impl Iterator<Item = u64> + use<> {
        let (bits, word) = (self.row.bits_of(self.shape, id), self.word);
        (0..=bits.map_or(0, |bits| bits.max())).map(move |value| bits.map_or(word, |bits| bits.set(word, value)))
    }

    /// The name of a field's value.
    pub(super) fn name(&mut self, id: FieldId, span: Span) -> Fit {
        let item = self.take("a name", span)?;
        let name = spelled(item);
        let found = self.values(id).find(|&word| self.instruction(word).spelling(id).eq_ignore_ascii_case(name));
        self.word = found.filter(|_| name != crate::codes::INVALID).ok_or_else(|| {
            let names: Vec<&str> = self.values(id).map(|word| self.instruction(word).spelling(id)).collect();
            let names: Vec<&str> = names.into_iter().filter(|&name| name != crate::codes::INVALID).collect();
            other_kind(item, "a name", &format!("it can be {}", ctm_text::list(&names)))
        })?;
        Ok(())
    }

    /// Dimensions, which the kind of a scalar texture access holds together with what the name gets appended.
    pub(super) fn scalar_dim(&mut self, span: Span) -> Fit {
        let item = self.take("dimensions", span)?;
        let id = if self.has(FieldId::TEXS_KIND) { FieldId::TEXS_KIND } else { FieldId::TLDS_KIND };
        let kind = self.instruction(self.word).spelling(id);
        let found = self.values(id).find(|&word| {
            let instruction = self.instruction(word);
            instruction.spelling(id) == kind && scalar_dim(&instruction).name().eq_ignore_ascii_case(spelled(item))
        });
        let help = "such as `2D`; not every kind of access has all dimensions";
        self.word = found.ok_or_else(|| other_kind(item, "dimensions", help))?;
        Ok(())
    }

    /// An address in memory; without a register, offsets have no sign.
    pub(super) fn memory_address(&mut self, span: Span) -> Fit {
        let (item, address) = self.memory(span)?;
        let (id, scale) = offset_of(&self.instruction(self.word));
        let most = self.row.bits_of(self.shape, id).map_or(0, |bits| i64::from(bits.max()));
        let named = address.register.is_some_and(|register| register != 255);
        let (least, most) = (-(most / 2 + 1) * scale, if named { most / 2 } else { most } * scale);
        if !(least..=most).contains(&address.offset) || address.offset % scale != 0 {
            let multiples = if scale == 1 { String::new() } else { format!(", a multiple of {scale}") };
            let help = format!("the offset must be from {least} to {most}{multiples}");
            return Err(misfit(item.span, "this address is out of reach".into(), &help));
        }
        self.set(FieldId::RA, address.register.unwrap_or(255).into());
        self.set(id, (address.offset / scale) as u32);
        Ok(())
    }

    /// An input: an address, or a register that holds one.
    pub(super) fn input(&mut self, span: Span) -> Fit {
        let item = self.take("an input", span)?;
        let Base::Attribute(address) = item.base else {
            return Err(other_kind(item, "an input", "such as `a[0x80]`"));
        };
        match address.register {
            Some(register) if self.get(key::IDX) => {
                self.set(FieldId::RA, register.into());
                Ok(())
            }
            None | Some(255) if !self.get(key::IDX) => self.address(item, address, 0, 0x3ff),
            Some(_) => Err(misfit(item.span, "an address in a register needs `.IDX`".into(), "write `IPA.IDX`")),
            None => Err(misfit(item.span, "with `.IDX` the address is in a register".into(), "such as `a[R1]`")),
        }
    }

    /// The value to compare with, and the one to store: registers one after the other, or one of them RZ.
    pub(super) fn cas_values(&mut self, span: Span) -> Fit {
        let mut numbers = [0; 2];
        for number in &mut numbers {
            let item = self.take("a register", span)?;
            self.register(FieldId::RB, item, &[])?;
            *number = self.get(key::RB).0;
        }
        let (operands, first) = match numbers {
            [255, store] => (CasOperands::Store, store),
            [compare, 255] => (CasOperands::Compare, compare),
            [compare, _] => (CasOperands::Both, compare),
        };
        self.set(FieldId::RB, first.into());
        self.set(FieldId::CAS_OPERANDS, operands.to_raw());
        let last = self.items.get(self.next - 1).map_or(span, |item| item.span);
        let instruction = self.instruction(self.word);
        if operands == CasOperands::Both && first < 253 && instruction.cas_store().0 != numbers[1] {
            let help = format!("here that is {}", instruction.cas_store());
            return Err(misfit(last, "the value to store is in the registers after the one to compare".into(), &help));
        }
        Ok(())
    }

    /// What the lanes of a quad add: `PNNPPNNP`.
    pub(super) fn swizzle(&mut self, span: Span) -> Fit {
        let item = self.take("a swizzle", span)?;
        let name = spelled(item).to_ascii_uppercase();
        let lanes: Option<Vec<u32>> = name
            .as_bytes()
            .chunks(2)
            .map(|pair| SWIZZLES.iter().position(|known| known.as_bytes() == pair).map(|code| code as u32))
            .collect();
        let lanes = lanes.filter(|lanes| lanes.len() == 4);
        let lanes = lanes.ok_or_else(|| other_kind(item, "a swizzle", "`PP`, `NP`, `PN` or `ZP` for each lane"))?;
        self.set(FieldId::SWIZZLE, lanes.into_iter().fold(0, |bits, code| bits << 2 | code));
        Ok(())
    }

    /// A register with the bytes that are taken, or a byte.
    pub(super) fn bytes(&mut self, register: FieldId, select: FieldId, span: Span) -> Fit {
        let item = self.take("a register", span)?;
        if let (Base::Number(_), FieldId::SELECT_B) = (&item.base, select) {
            let value = integer(item)?;
            if !(-128..=255).contains(&value) {
                return Err(misfit(item.span, format!("{value} does not fit"), "it must be from -128 to 255"));
            }
            self.set(register, value as u32 & 0xff);
            self.set(select, SelectB::Imm.to_raw());
            return Ok(());
        }
        let suffix = item.suffixes.iter().fold(String::new(), |text, suffix| text + "." + suffix);
        let found = self.values(select).find(|&word| self.instruction(word).spelling(select) == suffix);
        self.word = found.ok_or_else(|| misfit(item.span, format!("there are no bytes `{suffix}`"), ""))?;
        self.register_number(register, item)
    }
}
