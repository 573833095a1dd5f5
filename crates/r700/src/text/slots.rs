//! ALU instructions: operation, destination, properties.

use super::operand::{channel, other_instruction, raw, register, register_word};
use super::source::source;
use super::substitutes::SUBSTITUTES;
use crate::alu::*;
use crate::codes::*;
use crate::group::Unit;
use ctm_text::{Cause, Cursor, Reported, Span, TokenKind, excerpt, instead};

/// Names that other tools give operations (decaf-emu's assembler, AMD's listings).
pub(super) const ALIASES: [(&str, AluOp); 15] = [
    ("MUL_e", AluOp::Op2(Op2::Mul)),
    ("MULADD_e", AluOp::Op3(Op3::MulAdd)),
    ("DOT4_e", AluOp::Op2(Op2::Dot4)),
    ("SQRT_e", AluOp::Op2(Op2::SqrtIeee)),
    ("EXP_e", AluOp::Op2(Op2::ExpIeee)),
    ("LOG_e", AluOp::Op2(Op2::LogIeee)),
    ("RSQ_e", AluOp::Op2(Op2::RecipSqrtIeee)),
    ("RCP_e", AluOp::Op2(Op2::RecipIeee)),
    ("LOG_sat", AluOp::Op2(Op2::LogClamped)),
    ("PREDGT", AluOp::Op2(Op2::PredSetGt)),
    ("ASHR", AluOp::Op2(Op2::AshrInt)),
    ("LSHR", AluOp::Op2(Op2::LshrInt)),
    ("LSHL", AluOp::Op2(Op2::LshlInt)),
    ("MULHI", AluOp::Op2(Op2::MulHiUint)),
    ("ALU_NOP", AluOp::Op2(Op2::Nop)),
];

/// What may follow the operands.
pub(super) const PROPERTIES: [&str; 20] = [
    "CLAMP",
    "VEC_012",
    "VEC_021",
    "VEC_120",
    "VEC_102",
    "VEC_201",
    "VEC_210",
    "SCL_210",
    "SCL_122",
    "SCL_212",
    "SCL_221",
    "PRED_SEL_RESERVED",
    "PRED_SEL_ZERO",
    "PRED_SEL_ONE",
    "UPDATE_EXEC_MASK",
    "UPDATE_PRED",
    "FOG_MERGE",
    "DST",
    "LAST",
    "RAW",
];

/// The operation with this name.
fn operation(name: &str) -> Option<AluOp> {
    let reserved = |prefix: &str| {
        let digits =
            name.get(..prefix.len()).filter(|head| head.eq_ignore_ascii_case(prefix)).map(|_| &name[prefix.len()..]);
        digits.filter(|digits| digits.len() == 2).and_then(|digits| u8::from_str_radix(digits, 16).ok())
    };
    let alias = || ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map(|&(_, op)| op);
    let reserved2 = || reserved("OP2_").filter(|&code| Op2::from_code(code).is_none()).map(AluOp::Reserved2);
    let reserved3 = || {
        let free = |code: &u8| (4..32).contains(code) && Op3::from_code(*code).is_none();
        reserved("OP3_").filter(free).map(AluOp::Reserved3)
    };
    let op2 = Op2::parse(name).map(AluOp::Op2);
    op2.or_else(|| Op3::parse(name).map(AluOp::Op3)).or_else(alias).or_else(reserved2).or_else(reserved3)
}

/// The spelling of an operation, reserved or not.
pub(super) fn spell_operation(op: AluOp) -> String {
    match op {
        AluOp::Op2(op) => op.name().to_owned(),
        AluOp::Op3(op) => op.name().to_owned(),
        AluOp::Reserved2(code) => format!("OP2_{code:02X}"),
        AluOp::Reserved3(code) => format!("OP3_{code:02X}"),
    }
}

/// A literal on its way to its place.
pub(super) struct Literal {
    /// The source that takes it.
    pub source: usize,
    pub bits: u32,
    /// Its dword, if the text says so.
    pub chan: Option<Channel>,
    pub span: Span,
}

/// What the text says of the bank swizzle of an instruction.
#[derive(Clone, Copy)]
pub(super) enum Swizzle {
    /// Nothing: the assembler finds one.
    Free,
    /// Its name, which is one of the trans unit or not.
    Named { trans: bool, span: Span },
    /// The words of the instruction, which hold one.
    InWords,
}

/// An instruction on its way to its group.
pub(super) struct Slot {
    pub alu: Alu,
    /// The unit that the text names.
    pub unit: Unit,
    pub literals: Vec<Literal>,
    pub swizzle: Swizzle,
    pub span: Span,
}

/// The unit that begins a slot here, after `skip` tokens.
pub(super) fn unit_ahead(cursor: &Cursor, skip: usize) -> Option<Unit> {
    let word = cursor.word_ahead(skip)?;
    let unit = Unit::ALL.into_iter().find(|unit| unit.name().eq_ignore_ascii_case(word))?;
    (cursor.look(skip + 1).kind == TokenKind::Symbol(b':')).then_some(unit)
}

/// Reads an instruction from its unit on.
pub(super) fn slot(cursor: &mut Cursor, unit: Unit, family: Family) -> Result<Slot, Reported> {
    let first = cursor.take();
    cursor.take();
    let mut slot = operands(cursor, unit)?;
    properties(cursor, &mut slot, family)?;
    slot.span = Span::from(first).to(cursor.last().into());
    Ok(slot)
}

/// The instruction of one line that [`print`](super::print) made, without its neighbours.
pub(super) fn single(text: &str, family: Family) -> Option<Alu> {
    super::single(text, |cursor| {
        let unit = unit_ahead(cursor, 0).ok_or(Reported)?;
        Ok(slot(cursor, unit, family)?.alu)
    })
}

fn operands(cursor: &mut Cursor, unit: Unit) -> Result<Slot, Reported> {
    let token = cursor.expect_word("an operation", "such as `MOV`")?;
    let Some(op) = operation(cursor.text(token)) else {
        let names = Op2::ALL.iter().map(|op| op.name()).chain(Op3::ALL.iter().map(|op| op.name()));
        let word = cursor.text(token);
        let (message, help) = (format!("`{}` is not an operation", excerpt(word)), instead(word, SUBSTITUTES, names));
        return Err(cursor.error(Cause::UnknownWord, token, message, &help));
    };
    let form = if op.is_op3() { AluForm::Op3(Op3Fields::default()) } else { AluForm::Op2(Op2Fields::default()) };
    let alu = Alu { op, fields: AluFields::default(), form };
    let mut slot = Slot { alu, unit, literals: Vec::new(), swizzle: Swizzle::Free, span: token.into() };
    output_modifier(cursor, &mut slot)?;
    let sources = usize::from(op.properties().sources);
    if unit != Unit::T {
        slot.alu.fields.dst.chan = Channel::ALL[unit as usize];
    }
    let destination_here = cursor.word_ahead(0).is_some_and(|word| word == "____" || register_word(word).is_some());
    if sources > 0 || destination_here {
        destination(cursor, &mut slot)?;
    }
    for number in 0..sources {
        let name = spell_operation(op);
        cursor.expect_symbol(b',', format_args!("before source {number} of `{name}`, which has {sources}"))?;
        source(cursor, &mut slot, number)?;
    }
    Ok(slot)
}

fn output_modifier(cursor: &mut Cursor, slot: &mut Slot) -> Result<(), Reported> {
    let first = cursor.peek();
    if !matches!(first.kind, TokenKind::Symbol(b'*' | b'/')) {
        return Ok(());
    }
    cursor.take();
    let number = cursor.take();
    let spelled = format!("{}{}", cursor.text(first), cursor.text(number));
    let span = Span::from(first).to(number.into());
    let factor = OutputModifier::parse(&spelled).filter(|&factor| factor != OutputModifier::None);
    match (factor, &mut slot.alu.form) {
        (Some(factor), AluForm::Op2(op2)) => op2.omod = factor,
        (Some(_), AluForm::Op3(_)) => {
            let message = format!("`{}` has no output modifier", spell_operation(slot.alu.op));
            cursor.error(Cause::Misplaced, span, message, "operations with three sources have none");
        }
        (None, _) => {
            let message = format!("`{}` is not an output modifier", excerpt(&spelled));
            return Err(cursor.error(Cause::Operand, span, message, "it can be `*2`, `*4` or `/2`"));
        }
    }
    Ok(())
}

fn destination(cursor: &mut Cursor, slot: &mut Slot) -> Result<(), Reported> {
    let token = cursor.peek();
    if cursor.accept_word("____") {
        if slot.alu.op.is_op3() {
            let message = format!("`{}` always writes its destination", spell_operation(slot.alu.op));
            cursor.error(Cause::Misplaced, token, message, "operations with three sources have no write mask");
        }
        if cursor.is_symbol(b'.') {
            slot.alu.fields.dst.chan = channel(cursor)?;
        }
        return Ok(());
    }
    slot.alu.fields.dst.gpr = register(cursor)?;
    if let Some(mode) = relative(cursor)? {
        slot.alu.fields.dst.relative = true;
        set_index_mode(cursor, slot, mode);
    }
    slot.alu.fields.dst.chan = channel(cursor)?;
    if let AluForm::Op2(op2) = &mut slot.alu.form {
        op2.write_mask = true;
    }
    Ok(())
}

/// Takes `[AR.x]` or `[AL]`, if one is here.
pub(super) fn relative(cursor: &mut Cursor) -> Result<Option<(IndexMode, Span)>, Reported> {
    if !cursor.is_symbol(b'[') {
        return Ok(None);
    }
    let first = cursor.take();
    let token = cursor.expect_word("an index", "it can be `AR.x`, `AR.y`, `AR.z`, `AR.w` or `AL`")?;
    let mut name = cursor.text(token).to_owned();
    if cursor.accept_symbol(b'.') {
        let chan = cursor.take();
        name = format!("{name}.{}", cursor.text(chan));
    }
    let Some(mode) = IndexMode::parse(&name) else {
        return Err(cursor.unknown_word(token, "an index", &["AR.x", "AR.y", "AR.z", "AR.w", "AL"]));
    };
    cursor.expect_symbol(b']', "after the index")?;
    Ok(Some((mode, Span::from(first).to(cursor.last().into()))))
}

/// Sets the index that an operand adds; all operands of the instruction must add the same.
pub(super) fn set_index_mode(cursor: &mut Cursor, slot: &mut Slot, (mode, span): (IndexMode, Span)) {
    let destination = slot.alu.fields.dst.relative;
    let others = slot.alu.encoded_operands().filter(|operand| operand.relative).count() + usize::from(destination);
    // The operand at hand is counted already.
    if others > 1 && slot.alu.fields.index_mode != mode {
        let message = "the operands of one instruction add different indices";
        cursor.error(Cause::Operand, span, message, "an instruction has one index mode for all its operands");
    }
    slot.alu.fields.index_mode = mode;
}

fn properties(cursor: &mut Cursor, slot: &mut Slot, family: Family) -> Result<(), Reported> {
    while cursor.peek().kind == TokenKind::Word {
        let token = cursor.peek();
        let word = cursor.text(token).to_ascii_uppercase();
        if cursor.look(1).kind == TokenKind::Symbol(b':') || !PROPERTIES.contains(&word.as_str()) {
            if token.first_of_line
                || cursor.look(1).kind == TokenKind::Symbol(b':')
                || word.as_bytes()[0].is_ascii_digit()
            {
                break;
            }
            cursor.take();
            return Err(cursor.unknown_word(token, "a property of an ALU instruction", &PROPERTIES));
        }
        if word == "RAW" && token.first_of_line {
            break;
        }
        cursor.take();
        if property(cursor, slot, &word, token.into(), family)? {
            break;
        }
    }
    Ok(())
}

/// Takes the rest of a property; true if nothing can follow.
fn property(cursor: &mut Cursor, slot: &mut Slot, word: &str, span: Span, family: Family) -> Result<bool, Reported> {
    let name = spell_operation(slot.alu.op);
    let fields = &mut slot.alu.fields;
    match word {
        "CLAMP" => fields.clamp = true,
        "LAST" => fields.last = true,
        "PRED_SEL_RESERVED" => fields.pred_sel = PredicateSelect::Reserved1,
        "PRED_SEL_ZERO" => fields.pred_sel = PredicateSelect::Zero,
        "PRED_SEL_ONE" => fields.pred_sel = PredicateSelect::One,
        "DST" => {
            cursor.expect_symbol(b'(', "after `DST`")?;
            fields.dst.gpr = register(cursor)?;
            cursor.expect_symbol(b')', "after the register")?;
        }
        "RAW" => {
            let words = raw::<2>(cursor)?;
            let found = Alu::decode(&words, family);
            if found.op != slot.alu.op {
                other_instruction(cursor, span, &name, Some(&spell_operation(found.op)));
            }
            slot.literals.retain(|literal| found.source(literal.source).is_some_and(|source| source.sel == LITERAL));
            for literal in &mut slot.literals {
                literal.chan = found.source(literal.source).map(|source| source.chan);
            }
            slot.alu = found;
            slot.swizzle = Swizzle::InWords;
            return Ok(true);
        }
        "UPDATE_EXEC_MASK" | "UPDATE_PRED" | "FOG_MERGE" => match &mut slot.alu.form {
            AluForm::Op2(op2) => match word {
                "UPDATE_EXEC_MASK" => op2.update_execute_mask = true,
                "UPDATE_PRED" => op2.update_pred = true,
                _ if family == Family::R600 => op2.fog_merge = true,
                _ => {
                    cursor.error(Cause::Misplaced, span, "`FOG_MERGE` is of R600", "write `.family r600`");
                }
            },
            AluForm::Op3(_) => {
                let message = format!("`{name}` has no `{word}`");
                cursor.error(Cause::Misplaced, span, message, "operations with three sources have none");
            }
        },
        _ => {
            let (swizzle, trans) = BankSwizzle::parse(word).expect("the other properties are bank swizzles");
            fields.bank_swizzle = swizzle;
            slot.swizzle = Swizzle::Named { trans, span };
        }
    }
    Ok(false)
}
