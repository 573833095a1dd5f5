//! Which instruction a name and its operands are.

mod access;
mod flow;
mod name;

pub(super) use flow::place_target;
pub(super) use name::{is_name, names};

use crate::codes::*;
use crate::control::Reuse;
use crate::field::{FieldId, key};
use crate::form::{Arg, Imm, Shape};
use crate::instruction::Instruction;
use crate::program::Code;
use crate::special::special_register_number;
use crate::table::{Op, ROWS, Row};
use crate::text::item::{Address, Base, Item};
use crate::text::literal::{half_bits, integer, single_bits, upper_bits, upper_double, whole_or_single_bits};
use ctm_bits::FieldValue;
use ctm_text::Span;
use name::{blank, match_suffixes, rest_after, unknown_suffix};

/// An instruction made from text, with what is still open about it.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    pub instruction: Instruction,
    pub reuse: Reuse,
    /// A target that has a name.
    pub label: Option<Label>,
}

/// A target: a name, and what is added to its address.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub name: String,
    pub displacement: i64,
    pub span: Span,
}

/// Why operands do not fit an instruction.
#[derive(Clone, Debug)]
pub(super) struct Misfit {
    pub span: Span,
    pub message: String,
    pub help: String,
    /// The operand is of another kind than this form has: other forms may say more about it.
    other_kind: bool,
}

/// Finds the form that a name (with all that it gets appended) and operands have.
///
/// # Errors
/// None has; the reason of the one that fitted farthest.
pub(super) fn fit(
    name: &str,
    span: Span,
    guard: Option<(u8, bool)>,
    items: &[Item],
    index: usize,
) -> Result<Fitted, Misfit> {
    let mut best: Option<Misfit> = None;
    for row in ROWS {
        let Some(rest) = rest_after(name, row.name) else { continue };
        for pattern in row.patterns {
            let blank = blank(row, pattern.shape, pattern.base);
            let misfit = match match_suffixes(row, pattern.shape, blank, rest) {
                Err((rest, id)) => unknown_suffix(row, pattern.shape, span, rest, id),
                Ok(word) => {
                    let at = Code::address(index);
                    let mut fitting = Fitting {
                        row,
                        shape: pattern.shape,
                        word,
                        items,
                        next: 0,
                        at,
                        reuse: Reuse::default(),
                        label: None,
                    };
                    match fitting.all(span, guard, name) {
                        Ok(fitted) => return Ok(fitted),
                        Err(misfit) => misfit,
                    }
                }
            };
            // A form that fitted farther says more.
            let rank = |misfit: &Misfit| (misfit.span.start, !misfit.other_kind);
            if best.as_ref().is_none_or(|best| rank(&misfit) > rank(best)) {
                best = Some(misfit);
            }
        }
    }
    Err(best.unwrap_or_else(|| {
        let near = ctm_text::nearest(name.split('.').next().unwrap_or(name), names());
        let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
        misfit(span, format!("unknown instruction `{}`", ctm_text::excerpt(name)), &help)
    }))
}

/// A form being filled with operands.
struct Fitting<'f> {
    row: &'static Row,
    shape: Shape,
    word: u64,
    items: &'f [Item],
    next: usize,
    at: u32,
    reuse: Reuse,
    label: Option<Label>,
}

type Fit = Result<(), Misfit>;

impl<'f> Fitting<'f> {
    fn all(&mut self, span: Span, guard: Option<(u8, bool)>, name: &str) -> Result<Fitted, Misfit> {
        if let Some((predicate, not)) = guard {
            if self.shape == Shape::Unguarded {
                return Err(misfit(span, format!("`{}` has no guard", self.row.name), "it is for all active lanes"));
            }
            self.set(FieldId::GUARD, predicate.into());
            self.set(FieldId::GUARD_NOT, not.into());
        }
        for &arg in self.row.args {
            self.arg(arg, span)?;
        }
        if let Some(item) = self.items.get(self.next) {
            return Err(misfit(item.span, format!("`{}` takes no more operands", self.row.name), ""));
        }
        let instruction = Instruction::decode(self.word);
        if instruction.op() != self.row.op || instruction.shape() != self.shape {
            return Err(misfit(span, "these operands and modifiers do not go together".into(), ""));
        }
        let spelled = instruction.mnemonic();
        let given = name.to_ascii_uppercase();
        let without_size = given.strip_suffix(".32").filter(|_| self.row.has_suffix(FieldId::ATTRIBUTE_SIZE));
        if given != spelled && without_size != Some(&spelled) {
            return Err(misfit(span, format!("with these operands this is `{spelled}`"), "write it so"));
        }
        Ok(Fitted { instruction, reuse: self.reuse, label: self.label.take() })
    }

    fn set(&mut self, id: FieldId, value: u32) {
        if let Some(bits) = self.row.bits_of(self.shape, id) {
            self.word = bits.set(self.word, value);
        }
    }

    fn get<T: FieldValue>(&self, key: crate::field::Key<T>) -> T {
        Instruction::of_form(self.row, self.shape, self.word).get(key)
    }

    fn has(&self, id: FieldId) -> bool {
        self.row.bits_of(self.shape, id).is_some()
    }

    fn peek(&self) -> Option<&'f Item> {
        self.items.get(self.next)
    }

    fn take(&mut self, what: &str, span: Span) -> Result<&'f Item, Misfit> {
        let after = self.items.last().map_or(span, |item| item.span);
        let item = self.peek().ok_or_else(|| misfit(after, format!("`{}` needs {what} too", self.row.name), ""))?;
        self.next += 1;
        Ok(item)
    }

    fn arg(&mut self, arg: Arg, span: Span) -> Fit {
        match arg {
            Arg::Rd => {
                let item = self.take("a destination register", span)?;
                let flags = item.suffixes.iter().any(|suffix| suffix == "CC") && self.has(FieldId::CC);
                self.set(FieldId::CC, flags.into());
                self.register(FieldId::RD, item, &["CC"][..usize::from(flags)])
            }
            Arg::RdUnlessZero if !matches!(self.peek(), Some(Item { base: Base::Register(_), .. })) => Ok(()),
            Arg::RdUnlessZero | Arg::Data => {
                let item = self.take("a register", span)?;
                self.register(FieldId::RD, item, &[])
            }
            Arg::RegisterUnlessZero(_) if !matches!(self.peek(), Some(Item { base: Base::Register(_), .. })) => Ok(()),
            Arg::Register(id) | Arg::RegisterUnlessZero(id) => {
                let item = self.take("a register", span)?;
                self.register(id, item, &[])
            }
            Arg::Name(id) => self.name(id, span),
            Arg::ScalarDim => self.scalar_dim(span),
            Arg::InputPredicate if self.peek().is_none() => Ok(()),
            Arg::InputPredicate => self.predicate(FieldId::PC, Some(FieldId::PC_NOT), span),
            Arg::Input => self.input(span),
            Arg::CasValues => self.cas_values(span),
            Arg::CacheAddress if self.get(key::CACHE_OP) == CacheOp::IvAll => Ok(()),
            Arg::CacheHeader if self.get(key::TEXTURE_CACHE_OP) == TextureCacheOp::IvAll => Ok(()),
            Arg::CacheHeader => self.number(FieldId::HANDLE, span),
            Arg::NamedBarrier if self.get(key::B2R_MODE) == BarrierRead::Number => {
                self.number(FieldId::BARRIER_ID, span)
            }
            Arg::NamedBarrier => {
                self.set(FieldId::BARRIER_ID, 0xff);
                Ok(())
            }
            Arg::Swizzle => self.swizzle(span),
            Arg::BytesA => self.bytes(FieldId::RA, FieldId::SELECT_A, span),
            Arg::BytesB => self.bytes(FieldId::RB, FieldId::SELECT_B, span),
            Arg::RdAgain => self.rd_again(span),
            Arg::A => {
                let item = self.take("a register", span)?;
                self.reuse.a |= self.modifiers(item, Operand::A)?;
                self.register_number(FieldId::RA, item)
            }
            Arg::B | Arg::SpacedB | Arg::ConvertedB => self.source_b(span),
            Arg::C => {
                let item = self.take("a third source", span)?;
                self.reuse.c |= self.modifiers(item, Operand::C)?;
                if self.shape == Shape::ConstantC {
                    self.constant(item)
                } else {
                    self.register_number(FieldId::RC, item)
                }
            }
            Arg::RcUnlessZero => match self.peek() {
                Some(item) => {
                    self.next += 1;
                    self.register(FieldId::RC, item, &[])
                }
                None => Ok(()),
            },
            Arg::PbUnlessTrue if self.peek().is_none() => Ok(()),
            Arg::PbUnlessTrue => self.predicate(FieldId::PB, None, span),
            Arg::PdUnlessTrue if !matches!(self.peek(), Some(Item { base: Base::Predicate(_), .. })) => Ok(()),
            Arg::Pd | Arg::PdUnlessTrue => self.predicate(FieldId::PD, None, span),
            Arg::Pq => self.predicate(FieldId::PQ, None, span),
            Arg::Pc => self.predicate(FieldId::PC, Some(FieldId::PC_NOT), span),
            Arg::Pa => self.predicate(FieldId::PA, Some(FieldId::PA_NOT), span),
            Arg::Pb => self.predicate(FieldId::PB, Some(FieldId::PB_NOT), span),
            Arg::Cc => {
                let item = self.take("`CC`", span)?;
                if is_word(item, "CC") { Ok(()) } else { Err(other_kind(item, "`CC`", "")) }
            }
            Arg::Flags => {
                let item = self.take("`PR` or `CC`", span)?;
                let found = Flags::ALL.into_iter().find(|flags| is_word(item, flags.name()));
                let flags = found.ok_or_else(|| other_kind(item, "`PR` or `CC`", ""))?;
                self.set(FieldId::FLAGS, flags.to_raw());
                Ok(())
            }
            Arg::NumberUnlessZero(_) | Arg::QuadMask if self.peek().is_none() => Ok(()),
            Arg::Number(id) | Arg::NumberUnlessZero(id) => self.number(id, span),
            Arg::QuadMask => self.number(FieldId::QUAD_MASK, span),
            Arg::Attribute => self.attribute(span),
            Arg::Logical => self.logical(span),
            Arg::Bracketed => {
                let (item, address) = self.memory(span)?;
                self.address(item, address, 0, 0)
            }
            Arg::Memory | Arg::CacheAddress => self.memory_address(span),
            Arg::ConstantMemory => {
                let item = self.take("an address in a constant bank", span)?;
                let Base::Constant { bank, address } = item.base else {
                    return Err(misfit(
                        item.span,
                        "this must be an address in a constant bank".into(),
                        "`c[0x0][R0+0x10]`",
                    ));
                };
                self.bank(item, bank)?;
                self.address(item, address, -0x8000, 0xffff)
            }
            Arg::Special => {
                let item = self.take("a special register", span)?;
                let Base::Word(word) = &item.base else {
                    return Err(other_kind(item, "a special register", "such as `SR_LANEID`"));
                };
                let name = item.suffixes.iter().fold(word.clone(), |name, suffix| name + "." + suffix);
                let near = || {
                    let near = ctm_text::nearest(&name, crate::special::special_register_names());
                    near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default()
                };
                let number = special_register_number(&name).ok_or_else(|| {
                    misfit(item.span, format!("unknown special register `{}`", ctm_text::excerpt(&name)), &near())
                })?;
                self.set(FieldId::SPECIAL, number.into());
                Ok(())
            }
            Arg::Test => self.test(),
            Arg::Target | Arg::Absolute => self.target(span),
            Arg::IndexedTarget | Arg::IndexedAbsolute => self.indexed(span),
            Arg::BarrierId | Arg::BarrierCount | Arg::BarrierPredicate => self.barrier(arg, span),
            Arg::Scoreboard | Arg::ScoreboardSet => self.scoreboards(arg, span),
            Arg::Lane => self.number_or_register(FieldId::LANE_IS_IMM, FieldId::RB, 0, 31, span),
            Arg::Clamp => self.number_or_register(FieldId::CLAMP_IS_IMM, FieldId::CLAMP_IMM, 5, 0x1fff, span),
        }
    }

    /// A register without modifiers but these.
    fn register(&mut self, id: FieldId, item: &Item, suffixes: &[&str]) -> Fit {
        let plain = !item.not && !item.inv && !item.neg && !item.abs && item.displacement.is_none();
        if !plain || item.suffixes.iter().any(|suffix| !suffixes.contains(&suffix.as_str())) {
            return Err(misfit(item.span, "this register takes no modifiers here".into(), ""));
        }
        self.register_number(id, item)
    }

    fn register_number(&mut self, id: FieldId, item: &Item) -> Fit {
        match item.base {
            Base::Register(number) if item.displacement.is_none() => {
                self.set(id, number.into());
                Ok(())
            }
            _ => Err(other_kind(item, "a register", "`R0` to `R254`, or `RZ`")),
        }
    }

    /// The destination that is a source, too.
    fn rd_again(&mut self, span: Span) -> Fit {
        let item = self.take("its destination as the third source", span)?;
        self.reuse.c |= self.modifiers(item, Operand::C)?;
        match item.base {
            Base::Register(number) if u32::from(number) == self.get(key::RD).to_raw() => Ok(()),
            _ => Err(other_kind(item, "the destination", "the instruction adds to it")),
        }
    }

    fn source_b(&mut self, span: Span) -> Fit {
        let item = self.take("a source", span)?;
        let operand = if matches!(self.shape, Shape::Immediate(_)) { Operand::Immediate } else { Operand::B };
        self.reuse.b |= self.modifiers(item, operand)?;
        match self.shape {
            Shape::Plain | Shape::Unguarded => Ok(()),
            Shape::Register => self.register_number(FieldId::RB, item),
            Shape::ConstantC => self.register_number(FieldId::RC, item),
            Shape::Constant => self.constant(item),
            Shape::Immediate(imm) => self.immediate(imm, item),
        }
    }

    /// Sets what stands around a source; gives whether its register is to be reused.
    fn modifiers(&mut self, item: &Item, operand: Operand) -> Result<bool, Misfit> {
        let [neg, abs, inv] = operand.signs();
        let mut given = vec![(item.abs, abs), (item.inv, inv)];
        // The sign of a number belongs to the number.
        if operand != Operand::Immediate {
            given.push((item.neg, neg));
        }
        let mut reuse = false;
        for suffix in &item.suffixes {
            match (suffix.as_str(), operand) {
                ("REUSE", Operand::A | Operand::B | Operand::C) if matches!(item.base, Base::Register(_)) => {
                    reuse = true
                }
                ("NEG", Operand::Immediate) => given.push((true, neg)),
                ("ABS", Operand::Immediate) => given.push((true, abs)),
                ("INV", Operand::Immediate) => given.push((true, inv)),
                _ => self.part(item, suffix, operand)?,
            }
        }
        for (given, id) in given {
            if given {
                let id = id.filter(|&id| self.has(id));
                let id = id.ok_or_else(|| misfit(item.span, "this operand takes no such sign here".into(), ""))?;
                self.set(id, 1);
            }
        }
        if item.not {
            return Err(misfit(item.span, "`!` belongs to predicates".into(), "bits are inverted by `~`"));
        }
        Ok(reuse)
    }

    /// Sets which part of a source is taken.
    fn part(&mut self, item: &Item, suffix: &str, operand: Operand) -> Fit {
        let dotted = format!(".{suffix}");
        let found = operand.parts().iter().filter(|&&id| self.has(id)).find_map(|&id| {
            let value = match id {
                FieldId::HIGH_A | FieldId::HIGH_B => (suffix == "H1").then_some(1),
                FieldId::BYTE_B if self.get(key::FROM_INT).bits() == 16 => (suffix == "H1").then_some(2),
                FieldId::VIDEO_A | FieldId::VIDEO_B => {
                    let given = Instruction::of_form(self.row, self.shape, self.word).value(id);
                    let parts =
                        (0..16).filter(|&raw| raw & !3 == given & !3 && (given & 4 == 0 || raw & 2 == given & 2));
                    parts.into_iter().find(|&raw| VideoPart::from_raw(raw).part_name() == dotted)
                }
                FieldId::BYTE_A | FieldId::BYTE_B => Byte::parse(&dotted).map(FieldValue::to_raw),
                _ => Half::parse(&dotted).map(FieldValue::to_raw),
            };
            value.map(|value| (id, value))
        });
        let (id, value) =
            found.ok_or_else(|| misfit(item.span, format!("this operand takes no `.{suffix}` here"), ""))?;
        self.set(id, value);
        Ok(())
    }

    fn constant(&mut self, item: &Item) -> Fit {
        let Base::Constant { bank, address: Address { register: None, offset } } = item.base else {
            return Err(other_kind(item, "a constant", "such as `c[0x0][0x10]`"));
        };
        self.bank(item, bank)?;
        if offset % 4 != 0 || !(-0x8000..=0xffff).contains(&offset) {
            let help = "offsets are multiples of 4 from 0 to 0xfffc";
            return Err(misfit(item.span, "this constant is out of reach".into(), help));
        }
        self.set(FieldId::BANK_WORD, u32::from(offset as u16) >> 2);
        Ok(())
    }

    fn bank(&mut self, item: &Item, bank: i64) -> Fit {
        if !(0..32).contains(&bank) {
            return Err(misfit(item.span, format!("there is no constant bank {bank}"), "banks are 0 to 31"));
        }
        self.set(FieldId::BANK, bank as u32);
        Ok(())
    }

    fn immediate(&mut self, imm: Imm, item: &Item) -> Fit {
        let Base::Number(spelled) = &item.base else {
            return Err(other_kind(item, "a number", ""));
        };
        let out_of_range = |help: &str| misfit(item.span, format!("`{spelled}` does not fit"), help);
        let value = match imm {
            Imm::Signed
            | Imm::Unsigned
            | Imm::Half
            | Imm::VideoHalf
            | Imm::Count
            | Imm::WideSigned
            | Imm::WideUnsigned => {
                // A move takes the bits of a float as well.
                let is_move = self.row.op == Op::Mov32i;
                let value = if is_move { whole_or_single_bits(item)? } else { integer(item)? };
                let bits = imm.field().bits.size();
                // Numbers without sign may be spelled with 32 bits.
                let wrapped = if bits == 20 && value > 0xfff0_0000 { value - (1 << 32) } else { value };
                let least = if imm == Imm::Count { 0 } else { -(1 << (bits - 1)) };
                let most = if imm == Imm::Signed { (1 << (bits - 1)) - 1 } else { (1i64 << bits) - 1 };
                if !(least..=most).contains(&wrapped) {
                    return Err(out_of_range(&format!("it must be from {least} to {most}")));
                }
                wrapped as u32
            }
            Imm::WideFloat => single_bits(item)?,
            Imm::Float => upper_bits(single_bits(item)?, item)?,
            Imm::Double => upper_double(item)?,
            Imm::Converted => match self.get(key::FROM_FLOAT) {
                FloatType::F16 => half_bits(item)?,
                FloatType::F64 => upper_double(item)?,
                _ => upper_bits(single_bits(item)?, item)?,
            },
        };
        self.word = imm.field().bits.set(self.word, value);
        Ok(())
    }

    fn predicate(&mut self, id: FieldId, not: Option<FieldId>, span: Span) -> Fit {
        let item = self.take("a predicate", span)?;
        let Base::Predicate(number) = item.base else {
            return Err(other_kind(item, "a predicate", "`P0` to `P6`, or `PT`"));
        };
        if item.neg || item.abs || item.inv || !item.suffixes.is_empty() || (item.not && not.is_none()) {
            return Err(misfit(item.span, "this predicate takes no modifiers here".into(), ""));
        }
        self.set(id, number.into());
        if let Some(not) = not {
            self.set(not, item.not.into());
        }
        Ok(())
    }

    fn number(&mut self, id: FieldId, span: Span) -> Fit {
        let item = self.take("a number", span)?;
        let most = self.row.bits_of(self.shape, id).map_or(0, |bits| bits.max());
        let value = integer(item)?;
        if !(0..=i64::from(most)).contains(&value) {
            return Err(misfit(item.span, format!("{value} does not fit"), &format!("it must be from 0 to {most}")));
        }
        self.set(id, value as u32);
        Ok(())
    }

    /// A number, or a register that the field holds in its bits from `shift` on.
    fn number_or_register(&mut self, is_imm: FieldId, id: FieldId, shift: u32, most: u32, span: Span) -> Fit {
        let item = self.take("a number or a register", span)?;
        if let Base::Register(number) = item.base {
            self.set(is_imm, 0);
            self.set(id, u32::from(number) << shift);
            return Ok(());
        }
        let value = integer(item)?;
        if !(0..=i64::from(most)).contains(&value) {
            return Err(misfit(item.span, format!("{value} does not fit"), &format!("it must be from 0 to {most}")));
        }
        self.set(is_imm, 1);
        self.set(id, value as u32);
        Ok(())
    }

    fn memory(&mut self, span: Span) -> Result<(&'f Item, Address), Misfit> {
        let item = self.take("an address", span)?;
        match item.base {
            Base::Memory(address) => Ok((item, address)),
            _ => Err(other_kind(item, "an address", "such as `[R0+0x10]`")),
        }
    }

    /// Sets address register and offset.
    fn address(&mut self, item: &Item, address: Address, least: i64, most: i64) -> Fit {
        if !(least..=most).contains(&address.offset) {
            let help = format!("the offset must be from {least} to {most}");
            return Err(misfit(item.span, "this address is out of reach".into(), &help));
        }
        self.set(FieldId::RA, address.register.unwrap_or(255).into());
        self.set(FieldId::OFFSET, address.offset as u32);
        Ok(())
    }

    fn attribute(&mut self, span: Span) -> Fit {
        let item = self.take("an attribute", span)?;
        let Base::Attribute(address) = item.base else {
            return Err(other_kind(item, "an attribute", "such as `a[0x80]`"));
        };
        match address.register {
            None | Some(255) => self.address(item, address, 0, 0x3ff),
            Some(_) if self.get(key::PATCH) => self.address(item, address, -0x400, 0x3ff),
            Some(_) if address.offset != 0 => {
                let help = "`AL2P` adds an offset to an address of attributes";
                Err(misfit(item.span, "only patch accesses take a register with an offset".into(), help))
            }
            Some(_) => self.address(item, address, 0, 0),
        }
    }

    fn logical(&mut self, span: Span) -> Fit {
        let item = self.take("a register or an address", span)?;
        let (offset, most) = match item.base {
            Base::Register(number) => {
                self.set(FieldId::RA, number.into());
                let Some(next) = self.peek() else { return Ok(()) };
                self.next += 1;
                (next, 0x3ff)
            }
            _ => (item, 0x3ff),
        };
        let value = integer(offset)?;
        if !(-0x400..=most).contains(&value) {
            return Err(misfit(offset.span, format!("{value} does not fit"), "it must be from -1024 to 1023"));
        }
        self.set(FieldId::OFFSET, value as u32);
        Ok(())
    }
}

/// Which operand a modifier stands at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    A,
    B,
    C,
    Immediate,
}

impl Operand {
    /// The fields that negate, take the absolute value, and invert.
    fn signs(self) -> [Option<FieldId>; 3] {
        match self {
            Self::A => [Some(FieldId::NEG_A), Some(FieldId::ABS_A), Some(FieldId::INV_A)],
            Self::B | Self::Immediate => [Some(FieldId::NEG_B), Some(FieldId::ABS_B), Some(FieldId::INV_B)],
            Self::C => [Some(FieldId::NEG_C), None, None],
        }
    }

    /// The fields that choose a part.
    fn parts(self) -> &'static [FieldId] {
        match self {
            Self::A => &[FieldId::HALF_A, FieldId::HIGH_A, FieldId::BYTE_A, FieldId::VIDEO_A],
            Self::B | Self::Immediate => &[FieldId::HALF_B, FieldId::HIGH_B, FieldId::BYTE_B, FieldId::VIDEO_B],
            Self::C => &[FieldId::HALF_C],
        }
    }
}

pub(super) fn misfit(span: Span, message: String, help: &str) -> Misfit {
    Misfit { span, message, help: help.to_owned(), other_kind: false }
}

pub(super) fn other_kind(item: &Item, wanted: &str, help: &str) -> Misfit {
    Misfit { other_kind: true, ..misfit(item.span, format!("this must be {wanted}"), help) }
}

fn is_word(item: &Item, word: &str) -> bool {
    matches!(&item.base, Base::Word(found) if found.eq_ignore_ascii_case(word)) && item.suffixes.is_empty()
}
