//! The words before the body of an instruction: flags, predicates, fields by name.

use crate::codes::PredicateSelect;
use crate::instruction::{Common, Instruction};
use ctm_bits::Field;
use ctm_text::{Cause, Cursor, Reported, Span, excerpt};

/// The forms of instructions that headers differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Arithmetic,
    Flow,
    Tex,
}

impl Form {
    const fn name(self) -> &'static str {
        match self {
            Form::Arithmetic => "an arithmetic instruction",
            Form::Flow => "a flow-control instruction",
            Form::Tex => "a texture instruction",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    Alu,
    Out,
    TexSemWait,
    TexSemAcquire,
    Nop,
    Last,
    AluWait,
    WriteInactive,
    Unscaled,
    IgnoreUncovered,
    Pred,
    StatWe,
}

const EVERY: &[Form] = &[Form::Arithmetic, Form::Flow, Form::Tex];

const FLAGS: [(&str, Flag, &[Form]); 12] = [
    ("ALU", Flag::Alu, &[Form::Arithmetic]),
    ("OUT", Flag::Out, &[Form::Arithmetic]),
    ("TEX_SEM_WAIT", Flag::TexSemWait, EVERY),
    ("TEX_SEM_ACQUIRE", Flag::TexSemAcquire, &[Form::Tex]),
    ("NOP", Flag::Nop, EVERY),
    ("LAST", Flag::Last, EVERY),
    ("ALU_WAIT", Flag::AluWait, EVERY),
    ("WRITE_INACTIVE", Flag::WriteInactive, EVERY),
    ("UNSCALED", Flag::Unscaled, &[Form::Tex]),
    ("IGNORE_UNCOVERED", Flag::IgnoreUncovered, &[Form::Flow, Form::Tex]),
    ("PRED", Flag::Pred, EVERY),
    ("STAT_WE", Flag::StatWe, EVERY),
];

/// The words that begin a header item.
pub(super) fn flag_names() -> impl Iterator<Item = &'static str> {
    FLAGS.iter().map(|(name, ..)| *name)
}

/// What the words before the body say.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub common: Common,
    pub out: bool,
    pub sem_acquire: bool,
    pub unscaled: bool,
    pub ignore_uncovered: bool,
    flags: Vec<(Flag, Span)>,
    fields: Vec<(String, u32, Span)>,
}

impl Header {
    /// Reads header items up to the first word that is none. `form` is given if it is known already.
    pub fn read(cursor: &mut Cursor, form: Option<Form>) -> Result<Self, Reported> {
        let mut header = Header::default();
        loop {
            if cursor.is_symbol(b'@') {
                header.read_field(cursor)?;
                continue;
            }
            let Some(word) = cursor.word_ahead(0) else { break };
            let Some(&(name, flag, _)) = FLAGS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(word)) else { break };
            // The operation of a texture instruction may be NOP as well.
            let names_texture = cursor.word_ahead(1).is_some_and(|next| next.eq_ignore_ascii_case("tex"));
            if form == Some(Form::Tex) && flag == Flag::Nop && names_texture {
                break;
            }
            let token = cursor.take();
            if header.flags.iter().any(|(given, _)| *given == flag) {
                cursor.error(Cause::Duplicate, token, format!("`{name}` is given twice"), "remove one of them");
            }
            header.flags.push((flag, token.into()));
            header.set(cursor, flag)?;
        }
        if let Some(form) = form {
            header.check(cursor, form);
        }
        Ok(header)
    }

    fn set(&mut self, cursor: &mut Cursor, flag: Flag) -> Result<(), Reported> {
        let common = &mut self.common;
        match flag {
            Flag::Alu => {}
            Flag::Out => self.out = true,
            Flag::TexSemWait => common.tex_sem_wait = true,
            Flag::TexSemAcquire => self.sem_acquire = true,
            Flag::Nop => common.nop = true,
            Flag::Last => common.last = true,
            Flag::AluWait => common.alu_wait = true,
            Flag::WriteInactive => common.write_inactive = true,
            Flag::Unscaled => self.unscaled = true,
            Flag::IgnoreUncovered => self.ignore_uncovered = true,
            Flag::StatWe => {
                cursor.expect_symbol(b'(', "after `STAT_WE`")?;
                common.stat_we = cursor.number("the statistics mask", 15)? as u8;
                cursor.expect_symbol(b')', "after the statistics mask")?;
            }
            Flag::Pred => self.read_predicates(cursor)?,
        }
        Ok(())
    }

    /// Complains about header items that the form does not have.
    pub fn check(&self, cursor: &mut Cursor, form: Form) {
        for &(given, span) in &self.flags {
            for (name, flag, forms) in FLAGS {
                if flag == given && !forms.contains(&form) {
                    let message = format!("{} has no `{name}`", form.name());
                    let help: Vec<_> = forms.iter().map(|form| form.name()).collect();
                    cursor.error(Cause::Misplaced, span, message, &format!("it belongs to {}", help.join(" or ")));
                }
            }
        }
        if let [(Flag::Alu, _), (Flag::Out, span)] | [(Flag::Out, span), (Flag::Alu, _)] = self.flags[..] {
            cursor.error(Cause::Misplaced, span, "an instruction is `ALU` or `OUT`, not both", "remove one of them");
        }
    }

    /// `PRED(select)` for both units, or `PRED(rgb = select, a = select)`.
    fn read_predicates(&mut self, cursor: &mut Cursor) -> Result<(), Reported> {
        cursor.expect_symbol(b'(', "after `PRED`")?;
        loop {
            let unit = cursor.peek();
            let by_unit = (cursor.is_word("rgb"), cursor.is_word("a"));
            if by_unit.0 || by_unit.1 {
                cursor.take();
                cursor.expect_symbol(b'=', "after the unit of the predicate")?;
            }
            let inverted = cursor.accept_symbol(b'!');
            let names = PredicateSelect::ALL.map(PredicateSelect::name);
            let select = PredicateSelect::ALL[cursor.expect_name("a predicate select", &names)?];
            let common = &mut self.common;
            for (wanted, control) in [(!by_unit.1, &mut common.rgb), (!by_unit.0, &mut common.alpha)] {
                if wanted {
                    if control.pred_sel != PredicateSelect::None {
                        cursor.error(Cause::Duplicate, unit, "the unit has a predicate already", "remove one of them");
                    }
                    (control.pred_sel, control.pred_inv) = (select, inverted);
                }
            }
            if !cursor.accept_symbol(b',') {
                return cursor.expect_symbol(b')', "after the predicates");
            }
        }
    }

    /// `@FIELD = value`
    fn read_field(&mut self, cursor: &mut Cursor) -> Result<(), Reported> {
        let at = cursor.take();
        let name = cursor.expect_word("the name of a field after `@`", "such as `@JUMP_ADDR = 5`")?;
        let text = cursor.text(name).to_ascii_uppercase();
        cursor.expect_symbol(b'=', "after the name of the field")?;
        let value = cursor.number("the value of the field", u32::MAX)?;
        self.fields.push((text, value, Span::from(at).to(cursor.last().into())));
        Ok(())
    }

    /// The fields that are set by name, as fields of this instruction.
    pub fn named_fields(&self, cursor: &mut Cursor, instruction: &Instruction) -> Vec<(&'static Field, u32)> {
        let mut found = Vec::new();
        for (name, value, span) in &self.fields {
            match instruction.fields().find(|field| field.name == name) {
                Some(field) if *value <= field.max() => found.push((field, *value)),
                Some(field) => {
                    let message = format!("{value} is out of range for the field {name} (0 to {})", field.max());
                    cursor.error(Cause::Range, *span, message, "");
                }
                None => {
                    let kind = instruction.body.type_name();
                    let message = format!("{kind} instructions have no field `{}`", excerpt(name));
                    let near = ctm_text::nearest(name, instruction.fields().map(|field| field.name));
                    let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
                    cursor.error(Cause::UnknownWord, *span, message, &help);
                }
            }
        }
        found
    }
}
