//! The reference of the language: every instruction, special register and field, with its meaning, rules, encoding and source.
//! Formulas and rules stand here by the table's own classes, without wildcards, so that a new row does not build until it has
//! some; meanings, encodings and values come from the tables.

mod access;
mod words;

use crate::field::{Bits, Field, FieldId};
use crate::form::{Arg, Shape};
use crate::header::Stage;
use crate::launch::TrapKind;
use crate::special::SPECIAL_REGISTERS;
use crate::table::{ROWS, Row};
use crate::text::header_fields;
use ctm_text::topic::{NamedValue, Topic};
use words::Words;

/// How an operand is called.
fn operand(arg: Arg) -> &'static str {
    match arg {
        Arg::Rd => "Rd",
        Arg::RdUnlessZero => "{Rd}",
        Arg::Data => "data (Rd)",
        Arg::RdAgain => "Rd again",
        Arg::Register(id) => match id {
            FieldId::RD2 => "Rd2",
            FieldId::RA => "A",
            FieldId::RB => "B",
            FieldId::RC => "C",
            _ => "register",
        },
        Arg::RegisterUnlessZero(FieldId::RC) => "{C}",
        Arg::RegisterUnlessZero(_) => "{B}",
        Arg::Name(FieldId::TEXTURE_DIM) | Arg::ScalarDim => "dimensions",
        Arg::Name(FieldId::SCALAR_MASK) | Arg::Number(FieldId::TEXTURE_MASK) => "components",
        Arg::Name(_) => "name",
        Arg::Number(FieldId::HANDLE) => "handle",
        Arg::PbUnlessTrue | Arg::InputPredicate => "{P}",
        Arg::Input => "a[address]",
        Arg::CasValues => "value to compare with, value to store",
        Arg::CacheAddress => "{[A + offset]}",
        Arg::CacheHeader | Arg::NamedBarrier => "{number}",
        Arg::Swizzle => "swizzle",
        Arg::BytesA => "A",
        Arg::BytesB => "B",
        Arg::A => "A",
        Arg::B | Arg::SpacedB | Arg::ConvertedB => "B",
        Arg::C => "C",
        Arg::RcUnlessZero => "{Rc}",
        Arg::Pd => "Pd",
        Arg::PdUnlessTrue => "{Pd}",
        Arg::Pq => "Pq",
        Arg::Pc => "P",
        Arg::Pa => "Pa",
        Arg::Pb => "Pb",
        Arg::Cc => "CC",
        Arg::Flags => "PR or CC",
        Arg::Number(FieldId::SHIFT) => "shift",
        Arg::Number(FieldId::LUT) => "lut",
        Arg::Number(_) => "number",
        Arg::NumberUnlessZero(FieldId::SHIFT) => "{shift}",
        Arg::NumberUnlessZero(_) => "{number}",
        Arg::QuadMask => "{mask}",
        Arg::Attribute => "a[A + offset]",
        Arg::Logical => "A, offset",
        Arg::Bracketed => "[A]",
        Arg::Memory => "[A + offset]",
        Arg::ConstantMemory => "c[bank][A + offset]",
        Arg::Special => "special register",
        Arg::Test => "{CC.test}",
        Arg::Target | Arg::Absolute => "target",
        Arg::IndexedTarget | Arg::IndexedAbsolute => "A offset",
        Arg::BarrierId => "number",
        Arg::BarrierCount => "{count}",
        Arg::BarrierPredicate => "{P}",
        Arg::Scoreboard => "{SBn, count}",
        Arg::ScoreboardSet => "{set}",
        Arg::Lane => "lane",
        Arg::Clamp => "clamp and mask",
    }
}

/// What stands in the place of operand B, for encodings.
fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Plain | Shape::Unguarded => "",
        Shape::Register => ", B a register",
        Shape::Immediate(_) => ", B an immediate",
        Shape::Constant => ", B a constant",
        Shape::ConstantC => ", C a constant",
    }
}

/// The rows of an instruction as one topic.
fn instruction(rows: &[&Row]) -> Topic {
    let (first, Words { formula, rules }) = (rows[0], words::of(rows[0].op));
    let mut encoding = Vec::new();
    for row in rows {
        for pattern in row.patterns {
            let fields = row.fields(pattern.shape).map(|Field { id, bits }| format!("{} {}", id.name(), bits.places()));
            let fields: Vec<String> = fields.collect();
            let (base, mask, shape) = (pattern.base, pattern.mask, shape(pattern.shape));
            encoding.push(format!("bits 63:48 are {base:#06x} under {mask:#06x}{shape}; {}", fields.join(", ")));
        }
    }
    let suffix = |&id: &FieldId| id.name().to_lowercase();
    let suffixes: Vec<String> = first.suffixes.iter().map(suffix).collect();
    let operands: Vec<&str> = first.args.iter().map(|&arg| operand(arg)).collect();
    let mut rules: Vec<String> = rules.iter().map(|&rule| rule.to_owned()).collect();
    if !suffixes.is_empty() {
        rules.push(format!("suffixes, in this order: {}", suffixes.join(", ")));
    }
    Topic {
        name: first.name.to_owned(),
        kind: "instruction",
        meaning: first.op.about().trim().to_owned(),
        formula: (!formula.is_empty()).then(|| formula.to_owned()),
        operands: (!operands.is_empty()).then(|| operands.join(", ")),
        rules,
        encoding,
        values: Vec::new(),
        source: "encoding: NVIDIA's disassembler, Mesa's nouveau and NAK, envytools; meaning: the same, PTX's manual, CUDA's binary utilities".to_owned(),
    }
}

/// Registers and what else operands name: name and meaning.
const REGISTERS: &[(&str, &str)] = &[
    (
        "Rn",
        "One of 255 registers of 32 bits, R0 to R254, of each lane. They hold 0 at the start. Parts of it are R1.H0, R1.H1, R1.B1 and so on.",
    ),
    ("RZ", "Register 255: it reads 0, and what is written to it is lost."),
    (
        "Pn",
        "One of seven predicates, P0 to P6, of each lane: false at the start. `@P0` and `@!P0` in front of an instruction guard it.",
    ),
    ("PT", "Predicate 7: it is true, and what is written to it is lost."),
    (
        "CC",
        "The condition code of a lane: zero, sign, carry, overflow; zero and sign together are those of a NaN. `.CC` after a destination sets it; flow \
         control, CSET and CSETP test it.",
    ),
    (
        "c[b][o]",
        "The 32-bit word at byte o of constant bank b. In compute launches bank 0 has the block's size at 0x8, the grid's at 0x14, the stack's at \
                 0x20, and the arguments from 0x140 on.",
    ),
    (
        "a[o]",
        "The attribute at byte address o: 0x70 is the position, 0x80 the first generic one, 0x2f0 the domain point, 0x2fc the vertex's number.",
    ),
];

/// What a text says beside instructions, registers and fields: kind, name, meaning.
const SYNTAX: &[(&str, &str, &str)] = &[
    ("operand", "SBn", "Scoreboard n, 0 to 5, an operand of DEPBAR."),
    ("operand", "PR", "All predicates of a lane as one word, an operand of P2R and R2P."),
    (
        "modifier",
        ".reuse",
        "`R1.reuse`: the operand's register stays in the operand cache for the next instruction. It changes no result.",
    ),
    (
        "modifier",
        ".NEG",
        "After an immediate: the sign bit of the instruction is set, apart from the number's own sign.",
    ),
    ("modifier", ".ABS", "After an immediate: its absolute value is taken, by the bit of the instruction."),
    (
        "modifier",
        ".INV",
        "After an immediate: all of its bits are inverted, by the bit of the instruction. Registers have `~` in front.",
    ),
    ("modifier", ".H0", "The lower half of a register: bits 15:0."),
    ("modifier", ".H1", "The upper half of a register: bits 31:16."),
    (
        "directive",
        ".stage",
        "`.stage vertex`, `tess_init`, `tessellation`, `geometry` or `pixel`: the program has a header for this stage. Compute code has no header.",
    ),
    (
        "directive",
        ".imap",
        "`.imap 0x80-0x8c, 0x2fc` or `none`: the attributes that the header declares as inputs, by address. By default those that the code loads.",
    ),
    (
        "directive",
        ".omap",
        "`.omap 0x70-0x7c` or `none`: the attributes that the header declares as outputs, by address. By default those that the code stores.",
    ),
    (
        "directive",
        ".imap_constant",
        "`.imap_constant 0x80-0x8c` or `none`: inputs of a fragment program that have the provoking vertex' value.",
    ),
    (
        "directive",
        ".imap_perspective",
        "`.imap_perspective 0x80-0x8c` or `none`: inputs of a fragment program that are interpolated with perspective.",
    ),
    (
        "directive",
        ".imap_linear",
        "`.imap_linear 0x80-0x8c` or `none`: inputs of a fragment program that are linear in the window. `.imap` names those that can only be read or not.",
    ),
    (
        "directive",
        ".control",
        "`.control 0x001f8000fc0007e0`: the control word of the bundle of three instructions that follows.",
    ),
    (
        "directive",
        ".constants",
        "`.constants 1.0, 0x80000000`: words of the program's own constants, which it reads in bank 1.",
    ),
    ("directive", ".raw", "`.raw 0x50b0000000070f00`: an instruction by its word, also one that is invalid."),
    ("value of a directive", "yes", "The flag of the header is set: `.kills_pixels yes`."),
    ("value of a directive", "no", "The flag of the header is clear."),
];

/// A directive that sets a field of the header.
fn header_field(field: &ctm_bits::Field) -> Topic {
    let name = format!(".{}", field.name.to_ascii_lowercase());
    let value = if field.width() == 1 { "yes` or `no" } else { "value" };
    let values = (0..=field.max().min(31))
        .filter_map(|value| Some(NamedValue { value, name: (field.spell)(value)?, meaning: (field.about)(value)? }));
    Topic {
        meaning: format!("`{name} {value}` sets the field {} of the program header: {}.", field.name, field.doc),
        name,
        kind: "directive",
        encoding: vec![format!("header dword {} bits {}:{}", field.word, field.hi, field.lo)],
        values: values.collect(),
        source: "NVIDIA's published shader program header".to_owned(),
        ..Topic::default()
    }
}

/// Everything that the language names, kind by kind.
pub fn topics() -> Vec<Topic> {
    let mut topics = Vec::new();
    for rows in ROWS.chunk_by(|a, b| (a.op, a.name) == (b.op, b.name)) {
        topics.push(instruction(&rows.iter().collect::<Vec<_>>()));
    }
    topics.extend(REGISTERS.iter().map(|&(name, meaning)| Topic {
        name: name.to_owned(),
        kind: "register",
        meaning: meaning.to_owned(),
        source: "NVIDIA's CUDA binary utilities; Mesa's nouveau".to_owned(),
        ..Topic::default()
    }));
    topics.extend(SYNTAX.iter().map(|&(kind, name, meaning)| Topic {
        name: name.to_owned(),
        kind,
        meaning: meaning.to_owned(),
        source: "docs/sm50-assembly.md".to_owned(),
        ..Topic::default()
    }));
    topics.extend(header_fields().map(header_field));
    topics.extend(Stage::ALL.into_iter().map(|stage| Topic {
        name: stage.name().to_owned(),
        kind: "stage",
        meaning: format!("In `.stage`: {}", stage.about().trim()),
        source: "NVIDIA's published shader program header".to_owned(),
        ..Topic::default()
    }));
    topics.extend(TrapKind::ALL.into_iter().map(|kind| {
        let text = kind.to_string();
        let (name, meaning) = text.split_once(": ").unwrap_or((&text, &text));
        Topic {
            name: name.to_owned(),
            kind: "trap",
            meaning: format!("The run ends: {meaning}."),
            source: "names: the open nouveau kernel driver".to_owned(),
            ..Topic::default()
        }
    }));
    topics.extend(SPECIAL_REGISTERS.iter().map(|&(number, name, meaning)| Topic {
        name: name.to_owned(),
        kind: "special register",
        meaning: meaning.to_owned(),
        operands: Some(format!("S2R Rd, {name}")),
        encoding: vec![format!("SPECIAL (27:20) = {number:#04x}")],
        source: "names: NVIDIA's disassembler; values: Mesa's nouveau and NAK".to_owned(),
        ..Topic::default()
    }));
    for &id in FieldId::ALL {
        let in_use = |row: &&Row| row.patterns.iter().any(|pattern| row.bits_of(pattern.shape, id).is_some());
        let mut names: Vec<&str> = ROWS.iter().filter(in_use).map(|row| row.name).collect();
        names.dedup();
        let size =
            ROWS.iter().flat_map(|row| row.patterns.iter().filter_map(move |pattern| row.bits_of(pattern.shape, id)));
        let most = size.map(Bits::max).max().unwrap_or_default().min(31);
        let values = (0..=most).filter_map(|value| {
            let name = id.spell(value).filter(|name| !name.is_empty())?;
            Some(NamedValue { value, name, meaning: id.about_value(value).unwrap_or("the flag is set").trim() })
        });
        topics.push(Topic {
            name: id.name().to_owned(),
            kind: "field",
            meaning: id.about().trim().to_owned(),
            encoding: vec![if names.len() > 40 {
                "most instructions".to_owned()
            } else {
                format!("in {}", names.join(", "))
            }],
            values: values.collect(),
            source: "NVIDIA's disassembler, bit by bit; Mesa's nouveau and NAK, envytools".to_owned(),
            ..Topic::default()
        });
    }
    topics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_language_has_a_page() {
        let topics = topics();
        let words = crate::text::vocabulary::words();
        let missing: Vec<_> =
            words.iter().filter(|word| ctm_text::topic::find(&topics, |topic| topic, word).is_empty()).collect();
        assert!(words.len() > 300 && missing.is_empty(), "{missing:?}");
    }
}
