//! Groups of ALU clauses: their instructions, literals and units.

use super::operand::raw;
use super::slots::{Slot, Swizzle, slot, unit_ahead};
use crate::alu::{Alu, Operand, Selector};
use crate::cf::Qword;
use crate::codes::Channel;
use crate::group::{GROUP_SLOTS, Unit, UnitError, assign_units, literal_qwords};
use crate::ports::{check_constants, find_swizzles};
use crate::program::ProgramInfo;
use ctm_text::{Cause, Cursor, Reported, Span, Token, TokenKind};

/// The body of a clause.
#[derive(Default)]
pub(super) struct Body {
    /// Its qwords, each with its place in the text.
    pub qwords: Vec<(Qword, Span)>,
    /// Some line of it is invalid, and was left out.
    pub damaged: bool,
}

/// Reads the body of an ALU clause.
pub(super) fn body(cursor: &mut Cursor, info: &ProgramInfo) -> Body {
    let mut body = Body::default();
    let mut group = Pending::default();
    let mut last_number = None;
    loop {
        let first = cursor.peek();
        if cursor.is_word("RAW") && cursor.look(1).kind == TokenKind::Symbol(b'(') {
            group.close(cursor, info, &mut body);
            cursor.take();
            match raw::<2>(cursor) {
                Ok(words) => body.qwords.push((words, Span::from(first).to(cursor.last().into()))),
                Err(Reported) => {
                    body.damaged = true;
                    skip_line(cursor, first);
                }
            }
            continue;
        }
        if unit_ahead(cursor, 1).is_some() && cursor.text(first).as_bytes()[0].is_ascii_digit() {
            group.close(cursor, info, &mut body);
            group.is_numbered = true;
            match cursor.number("the number of a group", u32::MAX) {
                Ok(value) if last_number.is_some_and(|last| value <= last) => {
                    let message = "the numbers of groups do not increase";
                    cursor.error(Cause::Address, first, message, "they can be left out");
                }
                Ok(value) => last_number = Some(value),
                // What follows is read as if there were no number.
                Err(Reported) => {
                    cursor.take();
                }
            }
        }
        let Some(unit) = unit_ahead(cursor, 0) else { break };
        match slot(cursor, unit, info.family) {
            Ok(slot) => {
                let last = slot.alu.fields.last;
                group.slots.push(slot);
                if last || group.slots.len() > GROUP_SLOTS {
                    group.close(cursor, info, &mut body);
                }
            }
            Err(Reported) => {
                group.damaged = true;
                skip_line(cursor, first);
            }
        }
    }
    group.close(cursor, info, &mut body);
    body
}

/// Goes to the next line after `first`, where an invalid line began.
pub(super) fn skip_line(cursor: &mut Cursor, first: Token) {
    let here = cursor.peek();
    if (here.file, here.start) == (first.file, first.start) {
        cursor.take();
    }
    while !cursor.at_end() && !cursor.peek().first_of_line {
        cursor.take();
    }
}

/// A group on its way.
#[derive(Default)]
struct Pending {
    slots: Vec<Slot>,
    /// An instruction of it is invalid.
    damaged: bool,
    /// The text says by a number that it begins.
    is_numbered: bool,
}

/// Warns where an instruction reads what one before it in the text writes, although both are of one group: it gets what was there before. Texts
/// that number their groups mean it.
fn warn_of_reads(cursor: &mut Cursor, slots: &[Slot]) {
    for (number, slot) in slots.iter().enumerate() {
        let written = |operand: &Operand| {
            let Selector::Gpr(gpr) = operand.selector else { return None };
            let before = slots[..number].iter().map(|slot| &slot.alu);
            let writes = |alu: &Alu| {
                let dst = alu.fields.dst;
                alu.writes() && !dst.relative && !operand.relative && (dst.gpr, dst.chan) == (gpr, operand.chan)
            };
            before.filter(|alu| writes(alu)).map(|_| format!("R{gpr}.{}", operand.chan.name())).next()
        };
        if let Some(register) = slot.alu.operands().find_map(|operand| written(&operand)) {
            let message =
                format!("{register} is read in the group that writes it, so this reads what was there before");
            let help = "`LAST` after the instruction that writes it ends the group; a number before the group says that this is meant";
            cursor.warning(Cause::Operand, slot.span, message, help);
        }
    }
}

impl Pending {
    /// Ends the group: places its literals, checks its units, finds its bank swizzles, and adds its qwords.
    fn close(&mut self, cursor: &mut Cursor, info: &ProgramInfo, body: &mut Body) {
        let Pending { mut slots, damaged, is_numbered } = std::mem::take(self);
        body.damaged |= damaged;
        if !is_numbered {
            warn_of_reads(cursor, &slots);
        }
        let Some(last) = slots.last_mut() else { return };
        last.alu.fields.last = true;
        let end = last.span;
        let literals = place_literals(cursor, &mut slots);
        if !damaged && let Some(units) = check_units(cursor, info, &slots) {
            place_swizzles(cursor, info, &mut slots, &units);
        }
        body.qwords.extend(slots.iter().map(|slot| (slot.alu.encode(info.family), slot.span)));
        let pairs = literals.chunks_exact(2).take(literal_qwords(slots.iter().map(|slot| &slot.alu)));
        body.qwords.extend(pairs.map(|pair| ([pair[0], pair[1]], end)));
    }
}

fn place_literals(cursor: &mut Cursor, slots: &mut [Slot]) -> [u32; 4] {
    let mut placed: [Option<u32>; 4] = [None; 4];
    for literal in slots.iter().flat_map(|slot| &slot.literals) {
        let Some(chan) = literal.chan else { continue };
        let place = &mut placed[chan as usize];
        if place.replace(literal.bits).is_some_and(|before| before != literal.bits) {
            let message = format!("literal {} of the group has another value already", chan.name());
            cursor.error(Cause::Duplicate, literal.span, message, "leave the channel out, and it gets a free place");
        }
    }
    for slot in slots {
        for literal in &slot.literals {
            let place = literal.chan.map(|chan| chan as usize).or_else(|| {
                let same = placed.iter().position(|&value| value == Some(literal.bits));
                same.or_else(|| placed.iter().position(Option::is_none))
            });
            let Some(place) = place else {
                let message = "no literal of the group is left for this value";
                cursor.error(Cause::NoConstantLeft, literal.span, message, "a group has four literals");
                continue;
            };
            placed[place] = Some(literal.bits);
            slot.alu.source_mut(literal.source).chan = Channel::ALL[place];
        }
    }
    placed.map(Option::unwrap_or_default)
}

/// The units of a group, if they are those that the text names.
fn check_units(cursor: &mut Cursor, info: &ProgramInfo, slots: &[Slot]) -> Option<Vec<Unit>> {
    let alus: Vec<Alu> = slots.iter().map(|slot| slot.alu).collect();
    let units = match assign_units(&alus, info.family, info.prefer_vector) {
        Ok(units) => units,
        Err(error) => {
            let place = match error {
                UnitError::Collision { second, .. } => second,
                UnitError::TooMany(_) => slots.len() - 1,
            };
            let help = "a number before the unit begins a new group";
            cursor.error(Cause::Unit, slots[place].span, error.to_string(), help);
            return None;
        }
    };
    let mut all_agree = true;
    for (slot, &unit) in slots.iter().zip(&units) {
        if slot.unit != unit {
            let message = format!("this instruction goes to unit {}, not {}", unit.name(), slot.unit.name());
            let help = "vector units are those of the destination channel; what finds its own taken, and what only \
                        the trans unit can do, goes to `t`";
            cursor.error(Cause::Unit, slot.span, message, help);
            all_agree = false;
        }
        if let Swizzle::Named { trans, span } = slot.swizzle
            && trans != (unit == Unit::T)
        {
            let (has, wants) = if trans { ("the trans unit", "VEC_") } else { ("a vector unit", "SCL_") };
            let message = format!("this bank swizzle is of {has}");
            cursor.error(Cause::Unit, span, message, &format!("here it begins with `{wants}`"));
            all_agree = false;
        }
    }
    all_agree.then_some(units)
}

/// Gives bank swizzles to the instructions of a group for which the text has none.
fn place_swizzles(cursor: &mut Cursor, info: &ProgramInfo, slots: &mut [Slot], units: &[Unit]) {
    let is_free: Vec<bool> = slots.iter().map(|slot| matches!(slot.swizzle, Swizzle::Free)).collect();
    if !is_free.contains(&true) {
        return;
    }
    let group: Vec<(Unit, &Alu)> = units.iter().copied().zip(slots.iter().map(|slot| &slot.alu)).collect();
    let constants = check_constants(slots.iter().map(|slot| &slot.alu), info.family).map_err(|error| error.to_string());
    let found = constants.and_then(|()| find_swizzles(&group, &is_free).map_err(|error| error.to_string()));
    match found {
        Ok(found) => {
            for (slot, swizzle) in slots.iter_mut().zip(found) {
                slot.alu.fields.bank_swizzle = swizzle;
            }
        }
        Err(reason) => {
            let span = slots[0].span.to(slots[slots.len() - 1].span);
            let message = format!("no bank swizzles let the group read its operands: {reason}");
            let help = "copy an operand to another register or channel in a group before, or split the group; bank swizzles \
                        that the text names for all its instructions are taken as they are";
            cursor.error(Cause::ReadPorts, span, message, help);
        }
    }
}
