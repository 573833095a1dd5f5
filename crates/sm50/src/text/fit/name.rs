//! The name of an instruction in the text, with all that it gets appended.

use super::{Misfit, misfit};
use crate::codes::{INVALID, VideoPart};
use crate::field::FieldId;
use crate::form::Shape;
use crate::instruction::Instruction;
use crate::table::{ROWS, Row};
use ctm_text::Span;

/// Names of instructions, without what they get appended.
pub(in crate::text) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Whether some instruction has this name, whatever it gets appended.
pub(in crate::text) fn is_name(text: &str) -> bool {
    names().any(|name| rest_after(text, name).is_some())
}

/// What follows `name` at the start of `text`: nothing, or something that begins with a dot.
pub(super) fn rest_after<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(name.len())?;
    (start.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.starts_with('.'))).then_some(rest)
}

/// The word of a form with all operands that can go without saying, and zeros.
pub(super) fn blank(row: &'static Row, shape: Shape, base: u16) -> u64 {
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
pub(super) fn match_suffixes<'t>(
    row: &'static Row,
    shape: Shape,
    mut word: u64,
    mut rest: &'t str,
) -> Result<u64, (&'t str, Option<FieldId>)> {
    for &id in row.suffixes {
        let mut best: Option<(usize, u64)> = None;
        for candidate in candidates(row, shape, word, id) {
            let spelled = Instruction::of_form(row, shape, candidate).spelling(id);
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
    let set = |word, id, value| row.bits_of(shape, id).map_or(word, |bits| bits.set(word, value));
    match id {
        FieldId::PO => {
            let both = [FieldId::NEG_A, FieldId::NEG_B, FieldId::NEG_C].iter().fold(word, |word, &id| set(word, id, 1));
            vec![word, both]
        }
        FieldId::PHYS => vec![word, set(word, FieldId::RA, 0)],
        // Types that go without saying do so for both operands.
        FieldId::VIDEO_A => {
            let all = 0..=VideoPart::S32 as u32;
            let words = set(set(word, FieldId::VIDEO_B, VideoPart::S32 as u32), FieldId::VIDEO_IMM, 1);
            all.map(|value| set(word, id, value)).chain([set(words, id, VideoPart::S32 as u32)]).collect()
        }
        _ => {
            let most = row.bits_of(shape, id).map_or(0, |bits| bits.max());
            (0..=most).map(|value| set(word, id, value)).collect()
        }
    }
}

pub(super) fn unknown_suffix(row: &Row, shape: Shape, span: Span, rest: &str, id: Option<FieldId>) -> Misfit {
    let possible: Vec<&str> = match id {
        Some(id) => {
            let most = row.bits_of(shape, id).map_or(0, |bits| bits.max());
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
