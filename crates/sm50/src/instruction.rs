//! One instruction: a word and the row of the table that tells what it says.

mod spelling;

use crate::codes::*;
use crate::field::{Bits, FieldId, Key, key};
use crate::form::{Arg, Imm, Shape};
use crate::operand::{Pred, PredSource, Reg, Source, Value, WordPart};
use crate::table::{Op, RAW, ROWS, Row};
use ctm_bits::FieldValue;
use std::fmt;

/// One SM50 instruction.
///
/// It is its word, so that bits without meaning survive; the row of the table gives everything else.
#[derive(Clone, Copy)]
pub struct Instruction {
    word: u64,
    row: &'static Row,
    shape: Shape,
}

impl PartialEq for Instruction {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Instruction {}

impl std::hash::Hash for Instruction {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.word.hash(state);
    }
}

impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instruction({:#018x}, {:?})", self.word, self.op())
    }
}

impl Instruction {
    /// What compilers fill bundles up with.
    pub const NOP_WORD: u64 = 0x50b0_0000_0007_0f00;

    /// Decodes a word. Words that are not an instruction give [`Op::Raw`].
    ///
    /// ```
    /// use ctm_sm50::{Instruction, Op, Reg, key};
    /// let ast = Instruction::decode(0xeff1_ff80_0707_ff04);
    /// assert_eq!(ast.op(), Op::Ast);
    /// assert_eq!((ast.dst(), ast.get(key::OFFSET), ast.get(key::ATTRIBUTE_SIZE).words()), (Reg(4), 0x70, 4));
    /// assert_eq!(ast.encode(), 0xeff1_ff80_0707_ff04);
    /// ```
    pub fn decode(word: u64) -> Self {
        // The zero word does nothing, although no pattern has it.
        let pattern_word = if word == 0 { Self::NOP_WORD } else { word };
        for row in ROWS {
            for pattern in row.patterns {
                if pattern.matches(pattern_word) {
                    let instruction = Instruction { word, row, shape: pattern.shape };
                    return if instruction.is_valid() { instruction } else { Self::raw(word) };
                }
            }
        }
        Self::raw(word)
    }

    /// The word as no instruction.
    pub(crate) fn raw(word: u64) -> Self {
        Instruction { word, row: &RAW, shape: Shape::Unguarded }
    }

    /// An instruction of this form with these bits, which need not be valid.
    pub(crate) fn of_form(row: &'static Row, shape: Shape, word: u64) -> Self {
        Instruction { word, row, shape }
    }

    /// The word that was decoded.
    pub const fn encode(&self) -> u64 {
        self.word
    }

    /// The instruction.
    pub fn op(&self) -> Op {
        self.row.op
    }

    /// The row of the table.
    pub fn row(&self) -> &'static Row {
        self.row
    }

    /// What stands in the place of operand B.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the form has a field.
    pub fn has(&self, id: FieldId) -> bool {
        self.bits_of(id).is_some()
    }

    pub(crate) fn bits_of(&self, id: FieldId) -> Option<Bits> {
        self.row.bits_of(self.shape, id)
    }

    /// The value of a field; 0 where the form lacks it.
    ///
    /// A modifier that a form lacks has the meaning of 0 there, in every row. [`PO`](key::PO) and [`PHYS`](key::PHYS) follow
    /// from other fields, [`BINDLESS`](key::BINDLESS) and [`CAS`](key::CAS) from the row.
    pub fn value(&self, id: FieldId) -> u32 {
        match id {
            FieldId::PO => self.plus_one().into(),
            FieldId::PHYS => self.physical().into(),
            FieldId::BINDLESS | FieldId::CAS => self.row.has_suffix(id).into(),
            _ => self.bits_of(id).map_or(0, |bits| bits.get(self.word)),
        }
    }

    /// The value of a field, with its type; what 0 stands for where the form lacks the field.
    pub fn get<T: FieldValue>(&self, key: Key<T>) -> T {
        T::from_raw(self.value(key.id()))
    }

    /// The value of a field read as a signed number; 0 where the form lacks it.
    pub fn signed(&self, id: FieldId) -> i32 {
        self.bits_of(id).map_or(0, |bits| bits.signed(self.word))
    }

    fn plus_one(&self) -> bool {
        let set = |id| self.bits_of(id).is_none_or(|bits| bits.get(self.word) != 0);
        self.row.has_suffix(FieldId::PO) && set(FieldId::NEG_A) && set(FieldId::NEG_B) && set(FieldId::NEG_C)
    }

    fn physical(&self) -> bool {
        self.row.has_suffix(FieldId::PHYS) && !self.get(key::PATCH) && !self.get(key::RA).is_zero()
    }

    /// The predicate that guards the instruction; always true where there is none.
    pub fn guard(&self) -> PredSource {
        if !self.has(FieldId::GUARD) || self.word == 0 {
            return PredSource::TRUE;
        }
        PredSource { pred: self.get(key::GUARD), not: self.get(key::GUARD_NOT) }
    }

    /// The test of the condition code that flow control depends on beside the guard; `T` where there is none.
    pub fn test(&self) -> Test {
        if self.has(FieldId::TEST) && self.word != 0 { self.get(key::TEST) } else { Test::T }
    }

    /// The destination register, or the first data register of a store; RZ where there is none.
    pub fn dst(&self) -> Reg {
        self.reg(key::RD)
    }

    /// The register in a field; RZ where the form lacks it.
    pub fn reg(&self, key: Key<Reg>) -> Reg {
        if self.has(key.id()) { self.get(key) } else { Reg::RZ }
    }

    /// The predicate in a field; PT where the form lacks it.
    pub fn pred(&self, key: Key<Pred>) -> Pred {
        if self.has(key.id()) { self.get(key) } else { Pred::PT }
    }

    /// The predicate source.
    pub fn pred_c(&self) -> PredSource {
        PredSource { pred: self.pred(key::PC), not: self.get(key::PC_NOT) }
    }

    /// The first predicate operand of `PSETP` and `PSET`.
    pub fn pred_a(&self) -> PredSource {
        PredSource { pred: self.pred(key::PA), not: self.get(key::PA_NOT) }
    }

    /// The second predicate operand of `PSETP` and `PSET`.
    pub fn pred_b(&self) -> PredSource {
        PredSource { pred: self.pred(key::PB), not: self.get(key::PB_NOT) }
    }

    /// Operand A; RZ where there is none.
    pub fn a(&self) -> Source {
        let part = if self.has(FieldId::HALF_A) {
            half(self.get(key::HALF_A))
        } else if self.has(FieldId::HIGH_A) {
            WordPart::Half(self.value(FieldId::HIGH_A) as u8)
        } else if self.has(FieldId::BYTE_A) {
            WordPart::Byte(self.value(FieldId::BYTE_A) as u8)
        } else if self.has(FieldId::VIDEO_A) {
            self.get(key::VIDEO_A).part()
        } else {
            WordPart::Whole
        };
        Source {
            value: Value::Reg(self.reg(key::RA)),
            part,
            abs: self.get(key::ABS_A),
            neg: self.get(key::NEG_A) && !self.plus_one(),
            inv: self.get(key::INV_A),
        }
    }

    /// Operand B; RZ where there is none.
    pub fn b(&self) -> Source {
        let value = match self.shape {
            Shape::Plain | Shape::Unguarded | Shape::Register => Value::Reg(self.reg(key::RB)),
            Shape::Immediate(imm) => Value::Imm(self.immediate(imm)),
            Shape::Constant => self.constant(),
            Shape::ConstantC => Value::Reg(self.reg(key::RC)),
        };
        let part = if self.has(FieldId::HALF_B) {
            half(self.get(key::HALF_B))
        } else if self.has(FieldId::VIDEO_B) {
            self.get(key::VIDEO_B).part()
        } else if self.row.op == Op::Xmad {
            WordPart::Half(self.value(FieldId::HIGH_B) as u8)
        } else if self.has(FieldId::HIGH_B) {
            match self.get(key::FROM_FLOAT) {
                FloatType::F16 => WordPart::Half(self.value(FieldId::HIGH_B) as u8),
                _ => WordPart::Whole,
            }
        } else if self.has(FieldId::BYTE_B) {
            let byte = self.value(FieldId::BYTE_B) as u8;
            match self.get(key::FROM_INT).bits() {
                8 => WordPart::Byte(byte),
                16 => WordPart::Half(byte / 2),
                _ => WordPart::Whole,
            }
        } else {
            WordPart::Whole
        };
        Source {
            value,
            part,
            abs: self.get(key::ABS_B),
            neg: self.get(key::NEG_B) && !self.plus_one(),
            inv: self.get(key::INV_B),
        }
    }

    /// Operand C; RZ where there is none. `FFMA32I` and `IMAD32I` have their destination here.
    pub fn c(&self) -> Source {
        let value = match self.shape {
            Shape::ConstantC => self.constant(),
            _ if matches!(self.row.op, Op::Ffma32i | Op::Imad32i) => Value::Reg(self.dst()),
            _ => Value::Reg(self.reg(key::RC)),
        };
        Source {
            value,
            part: if self.has(FieldId::HALF_C) { half(self.get(key::HALF_C)) } else { WordPart::Whole },
            abs: false,
            neg: self.get(key::NEG_C) && !self.plus_one(),
            inv: false,
        }
    }

    fn constant(&self) -> Value {
        Value::Const { bank: self.get(key::BANK), offset: self.get(key::BANK_WORD) << 2 }
    }

    fn immediate(&self, imm: Imm) -> u32 {
        let field = imm.field();
        let raw = field.bits.get(self.word);
        match imm {
            Imm::Signed | Imm::Unsigned => field.bits.signed(self.word) as u32,
            Imm::Float | Imm::Double => raw << 12,
            Imm::Converted if self.get(key::FROM_FLOAT) == FloatType::F16 => raw & 0xffff,
            Imm::Converted => raw << 12,
            Imm::Half | Imm::VideoHalf | Imm::Count | Imm::WideSigned | Imm::WideUnsigned | Imm::WideFloat => raw,
        }
    }

    /// The byte addresses of the words that an attribute access names without a register; none for others.
    pub fn fixed_attributes(&self) -> impl Iterator<Item = u32> + use<> {
        let fixed = matches!(self.row.op, Op::Ald | Op::Ast) && self.reg(key::RA).is_zero();
        let size = self.get(key::ATTRIBUTE_SIZE);
        let first = self.get(key::OFFSET) & 0x3ff & !(size.alignment() - 1);
        let words = if fixed { size.words().into() } else { 0 };
        (0..words).map(move |word: u32| first + 4 * word)
    }

    /// The target of relative flow control that stands at byte address `at`; `None` where the target comes from a constant
    /// bank or the instruction has none.
    pub fn target(&self, at: u32) -> Option<u32> {
        if self.get(key::TARGET_CONST) {
            return None;
        }
        if self.has(FieldId::TARGET) {
            return Some(at.wrapping_add(8).wrapping_add_signed(self.signed(FieldId::TARGET)));
        }
        self.has(FieldId::ABSOLUTE).then(|| self.value(FieldId::ABSOLUTE))
    }

    /// The [target](Self::target) of flow control that goes there and nowhere else, without a register added.
    pub fn direct_target(&self, at: u32) -> Option<u32> {
        let indexed = matches!(self.row.op, Op::Brx | Op::Jmx);
        if indexed { None } else { self.target(at) }
    }

    /// Bank and byte offset of the constant that gives the target.
    pub fn target_constant(&self) -> (u8, i16) {
        let id = if self.has(FieldId::TARGET) { FieldId::TARGET } else { FieldId::ABSOLUTE };
        let raw = self.value(id);
        ((raw >> 16 & 31) as u8, raw as i16)
    }

    /// Whether all fields have values that make an instruction.
    fn is_valid(&self) -> bool {
        let spelled = |&id: &FieldId| self.spelling(id) != INVALID;
        self.row.suffixes.iter().all(spelled) && self.operands_valid() && self.operation_valid()
    }

    /// The rules that concern the operands.
    fn operands_valid(&self) -> bool {
        let halves = [key::HALF_A, key::HALF_B, key::HALF_C].into_iter().all(|key| self.get(key) != Half::Invalid);
        // Half words begin at even bytes.
        let byte = self.value(FieldId::BYTE_B);
        let split = self.has(FieldId::BYTE_B) && self.get(key::FROM_INT).bits() == 16 && !byte.is_multiple_of(2);
        let names = self.row.args.iter().all(|arg| match arg {
            Arg::Name(id) => self.spelling(*id) != INVALID,
            Arg::BytesA => self.spelling(FieldId::SELECT_A) != INVALID,
            Arg::BytesB => self.spelling(FieldId::SELECT_B) != INVALID,
            Arg::CasValues => self.cas_values_valid(),
            _ => true,
        });
        halves && !split && names
    }

    /// The values of a comparison with exchange are two registers, or two pairs.
    fn cas_values_valid(&self) -> bool {
        let first = self.reg(key::RB);
        let width = if self.get(key::WIDE) { 2 } else { 1 };
        match self.get(key::CAS_OPERANDS) {
            CasOperands::Both => first.0 < 255 - width,
            CasOperands::Compare | CasOperands::Store => !first.is_zero(),
            CasOperands::Invalid => false,
        }
    }

    /// The register of the value that a comparison with exchange stores.
    pub fn cas_store(&self) -> Reg {
        let first = self.reg(key::RB);
        match self.get(key::CAS_OPERANDS) {
            CasOperands::Both => Reg(first.0 + if self.get(key::WIDE) { 2 } else { 1 }),
            CasOperands::Store => first,
            CasOperands::Compare | CasOperands::Invalid => Reg::RZ,
        }
    }

    /// Whether bits that the machine wants to be zero are.
    fn zero(&self, hi: u8, lo: u8) -> bool {
        Bits::new(hi, lo).get(self.word) == 0
    }

    /// The rules of single operations.
    fn operation_valid(&self) -> bool {
        match self.row.op {
            // A physical address has no offset.
            Op::Ast | Op::Ald => !self.physical() || self.value(FieldId::OFFSET) == 0,
            // An immediate cannot be negated on its own.
            Op::Iadd32i => self.get(key::NEG_A) || !self.get(key::NEG_B),
            Op::Ldc => self.get(key::MEMORY_SIZE).bytes() <= 8,
            Op::Ldl | Op::Stl | Op::Stg | Op::St | Op::Lds | Op::Sts | Op::Suld | Op::Sust => {
                self.get(key::MEMORY_SIZE) != MemorySize::U128
            }
            Op::F2i => self.get(key::TO_INT).bits() >= 16,
            Op::I2i => self.get(key::TO_INT).bits() <= 32 && self.get(key::FROM_INT).bits() <= 32,
            // Barriers that take no predicate name PT.
            Op::Bar => {
                let takes = matches!(self.get(key::BARRIER_OP), BarrierOp::Red | BarrierOp::Scan);
                takes || self.pred_c() == PredSource::TRUE
            }
            // There are six scoreboards.
            Op::Depbar => !self.get(key::LE) || self.get(key::SCOREBOARD) < 6,
            // An input is named by a register, or by its address.
            Op::Ipa => self.get(key::IDX) || self.reg(key::RA).is_zero(),
            Op::TexB | Op::Tld4B => self.zero(40, 40),
            Op::Atoms | Op::Suatom => self.get(key::ATOM_OP) != AtomOp::SafeAdd,
            Op::SuatomCas => self.zero(32, 29),
            Op::Cctl => {
                let all = self.get(key::CACHE_OP) == CacheOp::IvAll;
                !all || self.reg(key::RA).is_zero() && self.value(FieldId::WORD_OFFSET) == 0
            }
            Op::Cctll => self.zero(5, 4),
            Op::Cctlt => self.get(key::TEXTURE_CACHE_OP) != TextureCacheOp::IvAll || self.value(FieldId::HANDLE) == 0,
            Op::B2r => self.get(key::B2R_MODE) == BarrierRead::Number || self.get(key::BARRIER_ID) == 0xff,
            Op::Vabsdiff4 => self.zero(54, 54),
            Op::Imadsp => self.get(key::SP_C) != SpC::Invalid,
            _ => true,
        }
    }
}

fn half(half: Half) -> WordPart {
    match half {
        Half::Whole | Half::Invalid => WordPart::Whole,
        Half::H0 => WordPart::Half(0),
        Half::H1 => WordPart::Half(1),
    }
}
