//! An instruction of a text.

use super::print::{empty, filler};
use crate::codes::{Component, DestinationKind, Select, SourceKind};
use crate::instruction::{AddressMode, DWORDS, Destination, Instruction, SOURCES, Source};
use crate::operation::Operation;
use ctm_text::{Cause, Cursor, Reported, TokenKind};

pub(super) const DESTINATIONS: [(&str, DestinationKind); 7] = [
    ("temp", DestinationKind::Temporary),
    ("out", DestinationKind::Output),
    ("outx", DestinationKind::OutputReplicated),
    ("alt", DestinationKind::Alternate),
    (ALTERNATE, DestinationKind::Alternate),
    ("input", DestinationKind::Input),
    ("a0", DestinationKind::Address),
];

/// The long name of alternate temporaries, which programs of today use.
pub(super) const ALTERNATE: &str = "alt_temp";

/// Whether a word begins an instruction.
pub(super) fn begins(word: &str) -> bool {
    let same = |name: &str| name.eq_ignore_ascii_case(word);
    DESTINATIONS.iter().any(|(name, _)| same(name)) || same("RAW") || operation(word).is_some()
}

fn operation(word: &str) -> Option<Operation> {
    Operation::all().find(|operation| operation.name().is_some_and(|name| name.eq_ignore_ascii_case(word)))
}

/// Reads an instruction and its `;`.
pub(super) fn read(cursor: &mut Cursor) -> Result<Instruction, Reported> {
    if cursor.accept_word("RAW") {
        let mut words = [0; DWORDS];
        for word in &mut words {
            *word = cursor.number("a dword of the instruction", u32::MAX)?;
        }
        cursor.expect_symbol(b';', "after four dwords")?;
        return Ok(Instruction::decode(&words));
    }
    if let Some(operation) = cursor.word_ahead(0).and_then(operation) {
        cursor.take();
        if !cursor.is_symbol(b';') {
            return Err(cursor.expected(
                "`;`, as an operation without a destination has no sources",
                "write `temp[0].xyzw = VE_ADD ...`",
            ));
        }
        cursor.take();
        return Ok(empty(operation));
    }
    let mut instruction = Instruction { destination: predicate(cursor)?, ..Instruction::default() };
    destination(cursor, &mut instruction.destination)?;
    cursor.expect_symbol(b'=', "after the destination")?;
    read_operation(cursor, &mut instruction)?;
    sources(cursor, &mut instruction)?;
    cursor.expect_symbol(b';', "after the last source")?;
    Ok(instruction)
}

/// `(p)`, `(!p)`, or nothing.
fn predicate(cursor: &mut Cursor) -> Result<Destination, Reported> {
    let mut destination = Destination::default();
    if cursor.accept_symbol(b'(') {
        destination.predicated = true;
        destination.predicate_sense = !cursor.accept_symbol(b'!');
        cursor.expect_name("the predicate", &["p"])?;
        cursor.expect_symbol(b')', "after the predicate")?;
    }
    Ok(destination)
}

fn destination(cursor: &mut Cursor, destination: &mut Destination) -> Result<(), Reported> {
    let names = DESTINATIONS.map(|(name, _)| name);
    destination.kind = DESTINATIONS[cursor.expect_name("a destination", &names)?].1;
    if destination.kind != DestinationKind::Address {
        let (mode, offset) = number(cursor, 127)?;
        destination.set_mode(mode);
        destination.offset = offset;
    }
    cursor.expect_symbol(b'.', "and the components that are written, like `.xyzw`")?;
    destination.mask = mask(cursor)?;
    Ok(())
}

/// The components that are written, in their order, or `_`.
fn mask(cursor: &mut Cursor) -> Result<u8, Reported> {
    let help = "write some of `xyzw` in this order, or `_` for none";
    let token = cursor.expect_word("the components that are written", help)?;
    let word = cursor.text(token).to_ascii_lowercase();
    let mut mask = 0;
    for letter in word.chars().filter(|_| word != "_") {
        let bit = "xyzw".find(letter).map(|at| 1 << at);
        match bit {
            Some(bit) if bit > mask => mask |= bit,
            _ => {
                let message = format!("`{word}` is not a write mask");
                return Err(cursor.error(Cause::Operand, token, message, help));
            }
        }
    }
    Ok(mask)
}

/// `[5]`, `[a0.x + 5]`, `[aL + 5]`, or without the number.
fn number(cursor: &mut Cursor, most: u32) -> Result<(AddressMode, u8), Reported> {
    cursor.expect_symbol(b'[', "and the number of the register")?;
    let mode = if cursor.accept_word("aL") {
        AddressMode::LoopIndex
    } else if cursor.accept_word("a0") {
        cursor.expect_symbol(b'.', "and a component of a0")?;
        let names = Component::ALL.map(Component::name);
        AddressMode::A0(Component::ALL[cursor.expect_name("a component of a0", &names)?])
    } else {
        AddressMode::Absolute
    };
    let has_number = mode == AddressMode::Absolute || cursor.accept_symbol(b'+');
    let number = if has_number { cursor.number("a register number", most)? } else { 0 };
    cursor.expect_symbol(b']', "after the number of the register")?;
    Ok((mode, number as u8))
}

fn read_operation(cursor: &mut Cursor, instruction: &mut Instruction) -> Result<(), Reported> {
    let token = cursor
        .expect_word("an operation", "vector operations begin with `VE_`, those of the math engine with `ME_`")?;
    let Some(operation) = operation(cursor.text(token)) else {
        let names: Vec<&str> = Operation::all().filter_map(Operation::name).collect();
        return Err(cursor.unknown_word(token, "an operation", &names));
    };
    instruction.set_operation(operation);
    if cursor.accept_symbol(b'.') {
        cursor.expect_name("a result modifier", &["SAT"])?;
        match operation {
            Operation::Vector(_) | Operation::Macro(_) => instruction.destination.vector_saturate = true,
            Operation::Math(_) => instruction.destination.math_saturate = true,
            Operation::Reserved => {}
        }
    }
    Ok(())
}

/// The sources that are there, and what fills the others.
fn sources(cursor: &mut Cursor, instruction: &mut Instruction) -> Result<(), Reported> {
    let (mut count, first) = (0, cursor.peek());
    while !cursor.is_symbol(b';') && count < SOURCES {
        // A comma may stand between sources.
        if count > 0 {
            cursor.accept_symbol(b',');
        }
        instruction.sources[count] = source(cursor)?;
        count += 1;
    }
    let (operation, needed) = (instruction.operation(), instruction.operation().sources());
    if count < needed {
        let message = format!("{} has {needed} sources, and here are {count}", operation.name().unwrap_or_default());
        return Err(cursor.error(Cause::Operand, first, message, operation.about()));
    }
    let fill = filler(count.checked_sub(1).map(|last| &instruction.sources[last]));
    instruction.sources[count..].fill(fill);
    Ok(())
}

fn source(cursor: &mut Cursor) -> Result<Source, Reported> {
    let absolute = cursor.accept_symbol(b'|');
    let kind = match cursor.accept_word(ALTERNATE) {
        true => SourceKind::Alternate,
        false => SourceKind::ALL[cursor.expect_name("a source", &SourceKind::ALL.map(SourceKind::name))?],
    };
    let (mode, offset) = number(cursor, 255)?;
    if absolute {
        cursor.expect_symbol(b'|', "after the register")?;
    }
    let mut source = Source { kind, absolute, offset, swizzle: Source::IDENTITY, ..Source::default() };
    source.set_mode(mode);
    if cursor.accept_symbol(b'.') {
        swizzle(cursor, &mut source)?;
    }
    Ok(source)
}

/// Four of `xyzw01_`, each with a sign or without.
fn swizzle(cursor: &mut Cursor, source: &mut Source) -> Result<(), Reported> {
    let help = "write four of `x`, `y`, `z`, `w`, `0`, `1`, `_`, each with a `-` in front to negate it";
    let first = cursor.peek();
    let mut count = 0;
    while count < 4 {
        let negate = cursor.accept_symbol(b'-');
        if cursor.peek().kind != TokenKind::Word {
            return Err(cursor.expected("a component of the source", help));
        }
        let token = cursor.take();
        let word = cursor.text(token).to_ascii_lowercase();
        for (at, letter) in word.char_indices() {
            let select = Select::ALL.into_iter().find(|select| select.name().starts_with(letter));
            let (Some(select), true) = (select, count < 4) else {
                return Err(cursor.error(
                    Cause::Operand,
                    token,
                    format!("expected four components, found `{word}`"),
                    help,
                ));
            };
            source.swizzle[count] = select;
            source.negate[count] = negate && at == 0;
            count += 1;
        }
    }
    let is_adjacent = cursor.last().end == cursor.peek().start && cursor.peek().kind == TokenKind::Word;
    if is_adjacent {
        return Err(cursor.error(Cause::Operand, first, "more than four components", help));
    }
    Ok(())
}
