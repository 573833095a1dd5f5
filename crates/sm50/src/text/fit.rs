//! Which instruction a name and its operands are.

use super::instruction::half_to_f64;
use super::item::{Address, Base, Item, numbered};
use super::suffix::{mnemonic, spelling};
use crate::codes::*;
use crate::control::Reuse;
use crate::field::{FieldId, key};
use crate::form::{Arg, Imm, Row, Shape};
use crate::instruction::Instruction;
use crate::program::Code;
use crate::special::special_register_number;
use crate::table::ROWS;
use ctm_bits::FieldValue;
use ctm_text::Span;

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

/// Names of instructions, without what they get appended.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Whether some instruction has this name, whatever it gets appended.
pub(super) fn is_name(text: &str) -> bool {
    names().any(|name| rest_after(text, name).is_some())
}

/// What follows `name` at the start of `text`: nothing, or something that begins with a dot.
fn rest_after<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(name.len())?;
    (start.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.starts_with('.'))).then_some(rest)
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
        misfit(span, format!("`{}` is no instruction", ctm_text::excerpt(name)), &help)
    }))
}

/// The word of a form with all operands that can go without saying, and zeros.
fn blank(row: &'static Row, shape: Shape, base: u16) -> u64 {
    row.fields(shape).fold(u64::from(base) << 48, |word, field| {
        let value = match field.id {
            FieldId::RD | FieldId::RA | FieldId::RB | FieldId::RC => 255,
            FieldId::PD | FieldId::PQ | FieldId::PC | FieldId::PA | FieldId::PB | FieldId::GUARD => 7,
            FieldId::TEST | FieldId::QUAD_MASK => 15,
            _ => return word,
        };
        field.bits.set(word, value)
    })
}

/// Sets the fields that the name gets appended. The error is the part of the text that is none of them, and the field that
/// it would have to be.
fn match_suffixes<'t>(
    row: &'static Row,
    shape: Shape,
    mut word: u64,
    mut rest: &'t str,
) -> Result<u64, (&'t str, Option<FieldId>)> {
    for &id in row.suffixes {
        let mut best: Option<(usize, u64)> = None;
        for candidate in candidates(row, shape, word, id) {
            let spelled = spelling(&Instruction::of_form(row, shape, candidate), id);
            let matches = rest_after(rest, spelled).is_some();
            if matches && best.is_none_or(|(length, _)| spelled.len() > length) {
                best = Some((spelled.len(), candidate));
            }
        }
        let (length, matched) = best.ok_or((rest, Some(id)))?;
        (word, rest) = (matched, &rest[length..]);
    }
    // Sizes of one word may be spelled out.
    let spelled_size = row.has_suffix(FieldId::ATTRIBUTE_SIZE) && rest == ".32";
    if rest.is_empty() || spelled_size { Ok(word) } else { Err((rest, None)) }
}

/// The words that differ in one field that the name gets appended.
fn candidates(row: &'static Row, shape: Shape, word: u64, id: FieldId) -> Vec<u64> {
    let set = |word, id, value| row.place(shape, id).map_or(word, |bits| bits.set(word, value));
    match id {
        FieldId::PO => {
            let both = [FieldId::NEG_A, FieldId::NEG_B, FieldId::NEG_C].iter().fold(word, |word, &id| set(word, id, 1));
            vec![word, both]
        }
        FieldId::PHYS => vec![word, set(word, FieldId::RA, 0)],
        _ => {
            let most = row.place(shape, id).map_or(0, |bits| bits.max());
            (0..=most).map(|value| set(word, id, value)).collect()
        }
    }
}

fn unknown_suffix(row: &Row, shape: Shape, span: Span, rest: &str, id: Option<FieldId>) -> Misfit {
    let possible: Vec<&str> = match id {
        Some(id) => {
            let most = row.place(shape, id).map_or(0, |bits| bits.max());
            (0..=most).filter_map(|raw| id.spell(raw)).filter(|&spelled| spelled != INVALID).collect()
        }
        None => row.suffixes.iter().filter_map(|id| id.spell(1)).filter(|spelled| !spelled.is_empty()).collect(),
    };
    let message = match rest {
        "" => format!("`{}` lacks a part of its name", row.name),
        _ => format!("`{}` has no `{}` here", row.name, ctm_text::excerpt(rest)),
    };
    let help = if possible.is_empty() { String::new() } else { format!("it can have {}", ctm_text::list(&possible)) };
    misfit(span, message, &help)
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
        let spelled = mnemonic(&instruction);
        let given = name.to_ascii_uppercase();
        let without_size = given.strip_suffix(".32").filter(|_| self.row.has_suffix(FieldId::ATTRIBUTE_SIZE));
        if given != spelled && without_size != Some(&spelled) {
            return Err(misfit(span, format!("with these operands this is `{spelled}`"), "write it so"));
        }
        Ok(Fitted { instruction, reuse: self.reuse, label: self.label.take() })
    }

    fn set(&mut self, id: FieldId, value: u32) {
        if let Some(bits) = self.row.place(self.shape, id) {
            self.word = bits.set(self.word, value);
        }
    }

    fn get<T: FieldValue>(&self, key: crate::field::Key<T>) -> T {
        Instruction::of_form(self.row, self.shape, self.word).get(key)
    }

    fn has(&self, id: FieldId) -> bool {
        self.row.place(self.shape, id).is_some()
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
            Arg::Memory => {
                let (item, address) = self.memory(span)?;
                let most = if address.register.is_none_or(|register| register == 255) { 0xff_ffff } else { 0x7f_ffff };
                self.address(item, address, -0x80_0000, most)
            }
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
                    misfit(item.span, format!("`{}` is no special register", ctm_text::excerpt(&name)), &near())
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
            Imm::Signed | Imm::Unsigned | Imm::Half | Imm::Count | Imm::WideSigned | Imm::WideUnsigned => {
                let value = integer(item)?;
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
        let most = self.row.place(self.shape, id).map_or(0, |bits| bits.max());
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

    fn test(&mut self) -> Fit {
        let Some(item) = self.peek() else { return Ok(()) };
        if !matches!(&item.base, Base::Word(word) if word.eq_ignore_ascii_case("CC")) || item.suffixes.len() != 1 {
            return Ok(());
        }
        let names = Test::ALL.map(Test::name);
        let found = Test::parse(&format!(".{}", item.suffixes[0]));
        let test = found.ok_or_else(|| {
            let near = ctm_text::nearest(&format!(".{}", item.suffixes[0]), names);
            let help = near.map(|near| format!("did you mean `CC{near}`?")).unwrap_or_default();
            misfit(item.span, format!("there is no test `{}` of the condition code", item.suffixes[0]), &help)
        })?;
        self.set(FieldId::TEST, test.to_raw());
        self.next += 1;
        Ok(())
    }

    fn target(&mut self, span: Span) -> Fit {
        let item = self.take("a target", span)?;
        match &item.base {
            Base::Word(name) if item.suffixes.is_empty() => {
                let displacement = item.displacement.unwrap_or(0);
                self.label = Some(Label { name: name.clone(), displacement, span: item.span });
                Ok(())
            }
            Base::Constant { bank, address } if address.register.is_none() => {
                self.target_constant(item, *bank, *address)
            }
            _ => {
                let value = integer(item)?;
                let placed = place_target(self.row, self.shape, self.word, self.at, value);
                self.word = placed.map_err(|message| misfit(item.span, message, ""))?;
                Ok(())
            }
        }
    }

    fn target_constant(&mut self, item: &Item, bank: i64, address: Address) -> Fit {
        let reachable = (0..32).contains(&bank) && (-0x8000..=0xffff).contains(&address.offset);
        if !reachable || !self.has(FieldId::TARGET_CONST) {
            return Err(misfit(item.span, "this target cannot be a constant".into(), ""));
        }
        self.set(FieldId::TARGET_CONST, 1);
        let value = (bank as u32) << 16 | u32::from(address.offset as u16);
        self.set(FieldId::TARGET, value);
        self.set(FieldId::ABSOLUTE, value);
        Ok(())
    }

    /// A register plus a displacement, or a constant at such a place.
    fn indexed(&mut self, span: Span) -> Fit {
        let item = self.take("a register", span)?;
        match item.base {
            Base::Register(number) => {
                let displacement = item.displacement.unwrap_or(0);
                let id = if self.has(FieldId::TARGET) { FieldId::TARGET } else { FieldId::ABSOLUTE };
                let most = self.row.place(self.shape, id).map_or(0, |bits| i64::from(bits.max() / 2));
                if !(-most - 1..=most).contains(&displacement) {
                    return Err(misfit(item.span, format!("{displacement} is too far"), ""));
                }
                self.set(FieldId::RA, number.into());
                self.set(id, displacement as u32);
                Ok(())
            }
            Base::Constant { bank, address } => {
                self.set(FieldId::RA, address.register.unwrap_or(255).into());
                self.target_constant(item, bank, address)
            }
            _ => Err(other_kind(item, "a register", "such as `R0 0x10`")),
        }
    }

    fn barrier(&mut self, arg: Arg, span: Span) -> Fit {
        let predicated = matches!(self.get(key::BARRIER_OP), BarrierOp::Red | BarrierOp::Scan);
        let counted = matches!(self.get(key::BARRIER_OP), BarrierOp::Arv | BarrierOp::Scan);
        let at_predicate = matches!(self.peek(), None | Some(Item { base: Base::Predicate(_), .. }));
        match arg {
            Arg::BarrierId => self.number_or_register(FieldId::BARRIER_ID_IMM, FieldId::BARRIER_ID, 0, 255, span),
            Arg::BarrierCount if at_predicate && !counted => {
                self.set(FieldId::BARRIER_COUNT_IMM, 1);
                Ok(())
            }
            Arg::BarrierCount => {
                self.number_or_register(FieldId::BARRIER_COUNT_IMM, FieldId::BARRIER_COUNT, 0, 0xfff, span)
            }
            _ if predicated => self.predicate(FieldId::PC, Some(FieldId::PC_NOT), span),
            _ => Ok(()),
        }
    }

    fn scoreboards(&mut self, arg: Arg, span: Span) -> Fit {
        if arg == Arg::ScoreboardSet {
            let Some(item) = self.peek() else { return Ok(()) };
            let Base::Set(set) = item.base else {
                return Err(other_kind(item, "a set of scoreboards", "such as `{1,0}`"));
            };
            self.next += 1;
            self.set(FieldId::SCOREBOARD_SET, set.into());
            return Ok(());
        }
        if !self.get(key::LE) {
            return Ok(());
        }
        let item = self.take("a scoreboard", span)?;
        let number = match &item.base {
            Base::Word(word) if word.is_char_boundary(1) && word[..1].eq_ignore_ascii_case("S") => {
                numbered(&word[1..], b'B')
            }
            _ => None,
        };
        let help = "`SB0` to `SB5`";
        let number = number.filter(|&number| number < 6);
        let number = number.ok_or_else(|| other_kind(item, "a scoreboard", help))?;
        self.set(FieldId::SCOREBOARD, number.into());
        self.number(FieldId::SCOREBOARD_COUNT, span)
    }
}

/// Puts a target into a word of flow control at byte address `at`.
pub(super) fn place_target(row: &Row, shape: Shape, word: u64, at: u32, target: i64) -> Result<u64, String> {
    if let Some(bits) = row.place(shape, FieldId::TARGET) {
        let distance = target - i64::from(at) - 8;
        if !(-0x80_0000..0x80_0000).contains(&distance) {
            return Err(format!("the target is {distance} bytes away, more than 8388607"));
        }
        return Ok(bits.set(word, distance as u32));
    }
    match (row.place(shape, FieldId::ABSOLUTE), u32::try_from(target)) {
        (Some(bits), Ok(target)) => Ok(bits.set(word, target)),
        _ => Err("this target is out of reach".into()),
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
            Self::A => &[FieldId::HALF_A, FieldId::HIGH_A, FieldId::BYTE_A],
            Self::B | Self::Immediate => &[FieldId::HALF_B, FieldId::HIGH_B, FieldId::BYTE_B],
            Self::C => &[FieldId::HALF_C],
        }
    }
}

fn misfit(span: Span, message: String, help: &str) -> Misfit {
    Misfit { span, message, help: help.to_owned(), other_kind: false }
}

fn other_kind(item: &Item, wanted: &str, help: &str) -> Misfit {
    Misfit { other_kind: true, ..misfit(item.span, format!("this must be {wanted}"), help) }
}

fn is_word(item: &Item, word: &str) -> bool {
    matches!(&item.base, Base::Word(found) if found.eq_ignore_ascii_case(word)) && item.suffixes.is_empty()
}

fn integer(item: &Item) -> Result<i64, Misfit> {
    let Base::Number(spelled) = &item.base else {
        return Err(other_kind(item, "a number", ""));
    };
    let lower = spelled.to_ascii_lowercase();
    let value = match lower.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => lower.parse().ok(),
    };
    let value = value
        .ok_or_else(|| misfit(item.span, format!("`{}` is not a whole number", ctm_text::excerpt(spelled)), ""))?;
    Ok(if item.neg { -i64::from(value) } else { value.into() })
}

/// The bits of a float that is given by its value, by a name, or after `prefix` as bits.
fn float_bits<T>(
    item: &Item,
    prefix: &str,
    parse: impl Fn(&str) -> Option<T>,
    bits: impl Fn(&str) -> Option<T>,
    named: impl Fn(&str) -> Option<T>,
) -> Result<T, Misfit> {
    let Base::Number(spelled) = &item.base else {
        return Err(other_kind(item, "a number", ""));
    };
    let lower = spelled.to_ascii_lowercase();
    let value = match lower.strip_prefix(prefix) {
        Some(digits) => bits(digits),
        None => named(spelled).or_else(|| parse(&lower)),
    };
    let help = format!("such as `0.5`, `-1e3`, `+INF`, or bits after `{prefix}`");
    value.ok_or_else(|| misfit(item.span, format!("`{}` is not a float", ctm_text::excerpt(spelled)), &help))
}

fn single_bits(item: &Item) -> Result<u32, Misfit> {
    let bits = |digits: &str| (digits.len() == 8).then(|| u32::from_str_radix(digits, 16).ok())?;
    let named = |name: &str| match name {
        "INF" => Some(f32::INFINITY.to_bits()),
        "QNAN" => Some(0x7fc0_0000),
        _ => None,
    };
    let parse = |text: &str| text.parse::<f32>().ok().filter(|value| value.is_finite()).map(f32::to_bits);
    let magnitude = float_bits(item, "0f", parse, bits, named)?;
    Ok(magnitude | u32::from(item.neg) << 31)
}

fn double_bits(item: &Item) -> Result<u64, Misfit> {
    let bits = |digits: &str| (digits.len() == 16).then(|| u64::from_str_radix(digits, 16).ok())?;
    let named = |name: &str| match name {
        "INF" => Some(f64::INFINITY.to_bits()),
        "QNAN" => Some(0x7ff8_0000_0000_0000),
        "SNAN" => Some(0x7ff4_0000_0000_0000),
        _ => None,
    };
    let parse = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite()).map(f64::to_bits);
    let magnitude = float_bits(item, "0d", parse, bits, named)?;
    Ok(magnitude | u64::from(item.neg) << 63)
}

fn half_bits(item: &Item) -> Result<u32, Misfit> {
    let value = f64::from_bits(double_bits(item)?);
    let same = |&bits: &u16| {
        let half = half_to_f64(bits);
        half.to_bits() == value.to_bits() || (half.is_nan() && value.is_nan() && bits & 0x3ff == 0x200)
    };
    let sign = |&bits: &u16| (bits >> 15 != 0) == value.is_sign_negative();
    let found = (0..=u16::MAX).filter(sign).find(same);
    found.map(u32::from).ok_or_else(|| misfit(item.span, "no half-precision number has this value".into(), ""))
}

/// The upper twenty bits of a binary32, which must be all that are set.
fn upper_bits(bits: u32, item: &Item) -> Result<u32, Misfit> {
    if bits & 0xfff != 0 {
        let help = "only its upper 20 bits fit; load it with `MOV32I`, or use the form with a whole immediate";
        return Err(misfit(item.span, "this number has too many bits".into(), help));
    }
    Ok(bits >> 12)
}

/// The upper twenty bits of a binary64, which must be all that are set.
fn upper_double(item: &Item) -> Result<u32, Misfit> {
    let bits = double_bits(item)?;
    if bits & 0xfff_ffff_ffff != 0 {
        let help = "only its upper 20 bits fit; load it into a pair of registers";
        return Err(misfit(item.span, "this number has too many bits".into(), help));
    }
    Ok((bits >> 44) as u32)
}
