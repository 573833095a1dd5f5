//! Headers as the comments of latte-assembler's texts say them: `; $NAME[index].MEMBER = value`.

use super::header::{Header, HeaderKind, Row, extract, fields, insert, place, placed, tables};
use super::layout::{Column, Entry, NAMED, SAMPLERS, TYPES, Table};
use ctm_r700::Program;
use ctm_text::{Cause, Diagnostic, Severity, SourceFile, nearest, spell_float};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

/// Most rows of a table: uniform registers are the most that there are.
const MOST_ROWS: usize = 256;

/// A comment that says something of the header: where it stands, and its parts.
struct Said<'t> {
    span: Range<usize>,
    name: String,
    index: Option<usize>,
    member: String,
    value: &'t str,
}

/// The header that the comments of a text give a program.
///
/// # Errors
/// Comments that are none, or that name something that the header does not have.
pub fn parse(source: &SourceFile, program: &Program, kind: HeaderKind) -> Result<Header, Vec<Diagnostic>> {
    let file = Arc::new(source.clone());
    let mut header = Header::of(program, kind);
    let mut diagnostics = Vec::new();
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let span = start + indent..start + line.trim_end().len().max(indent);
        start += line.len();
        let Some(comment) = line.trim().strip_prefix(';').map(str::trim) else { continue };
        let Some(comment) = comment.strip_prefix('$') else { continue };
        let done = said(comment, span.clone()).and_then(|said| apply(&mut header, &said));
        if let Err((cause, message, help)) = done {
            let (severity, file) = (Severity::Error, file.clone());
            diagnostics.push(Diagnostic { cause, severity, file, span, message, help });
        }
    }
    header.complete();
    if diagnostics.is_empty() { Ok(header) } else { Err(diagnostics) }
}

type Wrong = (Cause, String, Option<String>);

fn wrong<T>(cause: Cause, message: String, help: impl Into<String>) -> Result<T, Wrong> {
    Err((cause, message, Some(help.into())))
}

/// Takes a comment apart, which begins after its dollar sign.
fn said(comment: &str, span: Range<usize>) -> Result<Said<'_>, Wrong> {
    let form = "write `; $NAME = value`, `; $NAME.MEMBER = value` or `; $NAME[index].MEMBER = value`";
    let Some((left, value)) = comment.split_once('=') else {
        return wrong(Cause::Syntax, "expected `=` after the name".to_owned(), form);
    };
    let (path, member) = match left.trim().split_once('.') {
        Some((path, member)) => (path, member.trim().to_ascii_uppercase()),
        None => (left.trim(), String::new()),
    };
    let (name, index) = match path.split_once('[') {
        Some((name, rest)) => match rest.strip_suffix(']').and_then(|index| index.trim().parse().ok()) {
            Some(index) => (name, Some(index)),
            None => return wrong(Cause::Syntax, "expected a number and `]` after `[`".to_owned(), form),
        },
        None => (path, None),
    };
    Ok(Said { span, name: name.trim().to_ascii_uppercase(), index, member, value: value.trim() })
}

fn apply(header: &mut Header, said: &Said<'_>) -> Result<(), Wrong> {
    debug_assert!(said.span.start <= said.span.end);
    let layout = header.kind.layout();
    let table = tables(layout).enumerate().find(|(_, (_, table))| table.name == said.name);
    if let Some((number, (_, table))) = table {
        return apply_row(&mut header.tables[number], table, said);
    }
    let Some((at, entry)) = place(layout, &said.name) else {
        let names = placed(layout).filter_map(|(_, entry)| name_of(entry));
        let near = nearest(&said.name, names);
        let help = near.map_or_else(
            || "the header has no register or table of this name".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return wrong(
            Cause::UnknownWord,
            format!("unknown register `{}` of a {:?} shader header", said.name, header.kind),
            help,
        );
    };
    let count = match entry {
        Entry::Registers(_, count, _) | Entry::Values(_, count) => *count,
        Entry::Register(..) | Entry::Value(_) | Entry::Program | Entry::Table(_) | Entry::Hidden(_) => 1,
    };
    let index = said.index.unwrap_or(0);
    if index >= count || said.index.is_some() && count == 1 {
        let message = format!("`{}` has no element {index}", said.name);
        let help =
            if count == 1 { "leave the index out".to_owned() } else { format!("its elements are 0 to {}", count - 1) };
        return wrong(Cause::Range, message, help);
    }
    let word = &mut header.words[at + index];
    let known = fields(entry);
    // Some texts give a number by a member of its own name.
    let is_whole = said.member.is_empty() || known.is_empty();
    let (high, low) = match known.iter().find(|(name, ..)| *name == said.member) {
        Some(&(_, high, low)) => (high, low),
        None if is_whole => (31, 0),
        None => {
            let names: Vec<&str> = known.iter().map(|(name, ..)| *name).collect();
            let message = format!("`{}` has no field `{}`", said.name, said.member);
            return wrong(Cause::UnknownWord, message, format!("it has {}", names.join(", ")));
        }
    };
    let named = if said.member.is_empty() { &said.name } else { &said.member };
    let value = number(said.value, named)?;
    if value > extract(u32::MAX, high, low) {
        let message = format!("{value} does not fit `{named}`");
        return wrong(Cause::Range, message, format!("expected 0 to {}", extract(u32::MAX, high, low)));
    }
    *word = insert(*word, high, low, value);
    Ok(())
}

fn apply_row(rows: &mut Vec<Row>, table: &Table, said: &Said<'_>) -> Result<(), Wrong> {
    let Some(index) = said.index.filter(|&index| index < MOST_ROWS) else {
        let message = format!("`{}` is a table: its rows have numbers", table.name);
        return wrong(
            Cause::Range,
            message,
            format!("write `{}[0].NAME = ...`, with a number below {MOST_ROWS}", table.name),
        );
    };
    while rows.len() <= index {
        let own = rows.len() as u32;
        let column = |column: &Column| match *column {
            Column::Name | Column::Float(_) => 0,
            Column::Type(default) | Column::Sampler(default) | Column::Number(_, default) => default,
            Column::Index(_) => own,
        };
        rows.push(Row { name: String::new(), numbers: table.columns.iter().map(column).collect() });
    }
    let row = &mut rows[index];
    let Some(number_of) = table.columns.iter().position(|column| column_name(column) == said.member) else {
        let names: Vec<&str> = table.columns.iter().map(column_name).collect();
        let message = format!("`{}` has no member `{}`", table.name, said.member);
        return wrong(Cause::UnknownWord, message, format!("it has {}", names.join(", ")));
    };
    let text = said.value.trim_matches('"');
    row.numbers[number_of] = match table.columns[number_of] {
        Column::Name => {
            row.name = text.to_owned();
            0
        }
        Column::Type(_) => {
            let is_named = |(name, glsl): &(&str, &str)| name.eq_ignore_ascii_case(text) || *glsl == text;
            match TYPES.iter().position(is_named).map(|number| number as u32).or_else(|| text.parse().ok()) {
                Some(number) => number,
                None => {
                    return wrong(
                        Cause::UnknownWord,
                        format!("unknown type `{text}`"),
                        "types are Float4, Int2, Matrix4x4, or as in GLSL vec4, ivec2, mat4",
                    );
                }
            }
        }
        Column::Sampler(_) => {
            let named = SAMPLERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, number)| *number);
            match named.or_else(|| text.parse().ok()) {
                Some(number) => number,
                None => {
                    return wrong(
                        Cause::UnknownWord,
                        format!("unknown type `{text}`"),
                        "types of samplers are sampler1D, sampler2D, sampler3D and samplerCube",
                    );
                }
            }
        }
        Column::Float(_) => match float(text) {
            Some(bits) => bits,
            None => return wrong(Cause::Syntax, format!("`{text}` is not a number"), "write a decimal number"),
        },
        Column::Number(name, _) | Column::Index(name) => number(said.value, name)?,
    };
    Ok(())
}

/// The bits of a float: a decimal number, perhaps with the `f` of C, or the bits themselves.
fn float(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().or_else(|_| text.trim_end_matches('f').parse()).ok().map(f32::to_bits),
    }
}

/// The number that a value of this name is.
fn number(text: &str, name: &str) -> Result<u32, Wrong> {
    let bare = text.trim_matches('"');
    if let Some((_, names)) = NAMED.iter().find(|(known, _)| *known == name)
        && let Some(number) = names.iter().position(|known| known.eq_ignore_ascii_case(bare))
    {
        return Ok(number as u32);
    }
    let parsed = match bare.to_ascii_lowercase().as_str() {
        "true" => Some(1),
        "false" => Some(0),
        text => match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => text
                .parse::<i64>()
                .ok()
                .filter(|value| (-1..=i64::from(u32::MAX)).contains(value))
                .map(|value| value as u32),
        },
    };
    match parsed {
        Some(number) => Ok(number),
        None => {
            let names = NAMED.iter().find(|(known, _)| *known == name).map(|(_, names)| names.join(", "));
            let help = names.map_or_else(
                || "write a number, true or false".to_owned(),
                |names| format!("write a number, or one of {names}"),
            );
            wrong(Cause::Syntax, format!("`{text}` is not a value of `{name}`"), help)
        }
    }
}

/// The comments that give a program this header, in lines.
pub fn print(header: &Header, program: &Program) -> String {
    let layout = header.kind.layout();
    let base = Header::of(program, header.kind);
    let mut implied = Header { tables: header.tables.clone(), ..base.clone() };
    let first_said = match header.kind {
        HeaderKind::Vertex => "NUM_SQ_VTX_SEMANTIC",
        HeaderKind::Pixel => "NUM_SPI_PS_INPUT_CNTL",
    };
    // A number that is said keeps what would follow from the attributes.
    let has_first_said = !has_semantics_of_attributes(header, &implied);
    if let Some((at, _)) = place(layout, first_said).filter(|_| has_first_said) {
        implied.words[at] = header.words[at];
    }
    implied.complete();
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        writeln!(text, "; ${name} = {value}").expect("a string takes it");
    };
    for (at, entry) in placed(layout) {
        let Some(name) = name_of(entry) else { continue };
        for (number, (&word, &known)) in
            header.words[at..].iter().zip(&implied.words[at..]).take(entry.words()).enumerate()
        {
            let is_first_said = name == first_said && has_first_said && word != base.words[at];
            if word == known && !is_first_said {
                continue;
            }
            let indexed = if entry.words() > 1 { format!("{name}[{number}]") } else { name.to_owned() };
            let mut rest = known;
            let mut lines = Vec::new();
            for &(field, high, low) in fields(entry) {
                let value = extract(word, high, low);
                if value != extract(known, high, low) {
                    lines.push((format!("{indexed}.{field}"), spelled(field, value)));
                    rest = insert(rest, high, low, value);
                }
            }
            // Bits that no field has are said with the others.
            if rest != word || fields(entry).is_empty() {
                lines = vec![(indexed, spelled(name, word))];
            }
            lines.into_iter().for_each(|(name, value)| line(&name, value));
        }
    }
    for ((_, table), rows) in tables(layout).zip(&header.tables) {
        for (number, row) in rows.iter().enumerate() {
            for (column, &value) in table.columns.iter().zip(&row.numbers) {
                let shown = match column {
                    Column::Name => format!("\"{}\"", row.name),
                    Column::Type(_) => {
                        TYPES.get(value as usize).map_or_else(|| value.to_string(), |(name, _)| format!("\"{name}\""))
                    }
                    Column::Sampler(_) => SAMPLERS
                        .iter()
                        .find(|(_, number)| *number == value)
                        .map_or_else(|| value.to_string(), |(name, _)| format!("\"{name}\"")),
                    Column::Number(..) | Column::Index(_) if value == u32::MAX => "-1".to_owned(),
                    Column::Number(..) | Column::Index(_) => value.to_string(),
                    Column::Float(_) => spell_float(value),
                };
                line(&format!("{}[{number}].{}", table.name, column_name(column)), shown);
            }
        }
    }
    text
}

/// Whether the semantics of a vertex shader are those that follow from its attributes, where nothing else is said.
fn has_semantics_of_attributes(header: &Header, unsaid: &Header) -> bool {
    let mut completed = unsaid.clone();
    completed.complete();
    let same = |name| {
        let Some((at, entry)) = place(header.kind.layout(), name) else { return false };
        let words = at..at + entry.words();
        header.words[words.clone()] == completed.words[words]
    };
    same("NUM_SQ_VTX_SEMANTIC") && same("SQ_VTX_SEMANTIC")
}

fn spelled(name: &str, value: u32) -> String {
    let names = NAMED.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, names)| names);
    names.get(value as usize).map_or_else(|| format!("{value:#x}"), |name| format!("\"{name}\""))
}

const fn name_of(entry: &Entry) -> Option<&'static str> {
    match entry {
        Entry::Register(name, _) | Entry::Registers(name, ..) | Entry::Value(name) | Entry::Values(name, _) => {
            Some(name)
        }
        Entry::Table(table) => Some(table.name),
        Entry::Program | Entry::Hidden(_) => None,
    }
}

const fn column_name(column: &Column) -> &'static str {
    match column {
        Column::Name => "NAME",
        Column::Type(_) | Column::Sampler(_) => "TYPE",
        Column::Number(name, _) | Column::Index(name) | Column::Float(name) => name,
    }
}
