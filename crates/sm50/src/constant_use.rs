//! Which words of constant banks code reads: so many of them has to be at hand when it runs.

use crate::codes::ConstantMode;
use crate::field::{FieldId, key};
use crate::form::Shape;
use crate::instruction::Instruction;
use crate::launch::Constants;
use crate::program::Code;
use crate::table::Op;

/// What code reads of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankUse {
    /// The number of the bank.
    pub bank: u8,
    /// Words from its beginning that hold all of what instructions name.
    pub words: u32,
    /// Any word may be read: addresses are computed.
    pub is_indexed: bool,
}

/// The banks that code reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantUse {
    /// In the order of their numbers.
    banks: Vec<BankUse>,
}

impl ConstantUse {
    /// Of code whose texture handles are in this bank.
    ///
    /// ```
    /// use ctm_sm50::constant_use::{BankUse, ConstantUse};
    /// let code = ctm_sm50::text::parse("MOV R0, c[0x1][0x10]; LDC R1, c[0x3][R0]; EXIT;").unwrap().program.code;
    /// let used = |bank, words, is_indexed| BankUse { bank, words, is_indexed };
    /// assert_eq!(ConstantUse::of(&code, 15).banks(), [used(1, 6, false), used(3, 0, true)]);
    /// ```
    pub fn of(code: &Code, handles: u8) -> Self {
        let mut found = ConstantUse::default();
        for instruction in code.instructions() {
            found.add_operands(instruction);
            if instruction.has(FieldId::HANDLE) {
                found.add(handles, u32::from(instruction.get(key::HANDLE)) + 1, false);
            }
        }
        found
    }

    /// The banks, in the order of their numbers.
    pub fn banks(&self) -> &[BankUse] {
        &self.banks
    }

    fn add(&mut self, bank: u8, words: u32, is_indexed: bool) {
        match self.banks.binary_search_by_key(&bank, |used| used.bank) {
            Ok(place) => {
                let used = &mut self.banks[place];
                (used.words, used.is_indexed) = (used.words.max(words), used.is_indexed | is_indexed);
            }
            Err(place) => self.banks.insert(place, BankUse { bank, words, is_indexed }),
        }
    }

    fn add_operands(&mut self, instruction: &Instruction) {
        let bank = instruction.get(key::BANK);
        if instruction.op() == Op::Ldc {
            let offset = u32::try_from(instruction.signed(FieldId::OFFSET));
            match (instruction.get(key::CONSTANT_MODE), offset) {
                (ConstantMode::Plain, Ok(offset)) if instruction.reg(key::RA).is_zero() => {
                    let end = offset + instruction.get(key::MEMORY_SIZE).bytes();
                    self.add(bank, end.div_ceil(4), false);
                }
                (ConstantMode::Plain, _) => self.add(bank, 0, true),
                // The bank comes from a register, too.
                (ConstantMode::Il | ConstantMode::Is | ConstantMode::Isl, _) => {
                    (0..Constants::BANKS).for_each(|bank| self.add(bank, 0, true));
                }
            }
        } else if instruction.get(key::TARGET_CONST) {
            self.add(instruction.target_constant().0, 0, true);
        } else if matches!(instruction.shape(), Shape::Constant | Shape::ConstantC) {
            // Operands of 64 bits have one word more.
            self.add(bank, u32::from(instruction.get(key::BANK_WORD)) + 2, false);
        }
    }
}
