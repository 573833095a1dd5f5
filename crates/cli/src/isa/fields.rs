//! Fields of instruction words, with their values.

use ctm_bits::Field;
use serde_json::{Value, json};
use std::io::{self, Write};

/// One field of one instruction.
pub struct Row {
    field: &'static Field,
    value: u32,
    /// The name of the value, where values have names.
    name: Option<&'static str>,
}

/// The values that fields have in these words.
pub fn rows<'f>(
    fields: impl IntoIterator<Item = &'static Field> + 'f,
    words: &'f [u32],
) -> impl Iterator<Item = Row> + 'f {
    fields.into_iter().map(move |field| {
        let value = field.get(words);
        Row { field, value, name: (field.spell)(value).filter(|name| !name.is_empty()) }
    })
}

/// Prints the table of an instruction's fields.
pub fn print(out: &mut dyn Write, rows: impl Iterator<Item = Row>) -> io::Result<()> {
    writeln!(out, "  {:<20} {:>4} {:>5}  {:>10}  {:<10}  meaning", "field", "word", "bits", "value", "is")?;
    for Row { field, value, name } in rows {
        let (bits, name) = (bits(field), name.unwrap_or_default());
        writeln!(out, "  {:<20} {:>4} {bits:>5}  {value:>10}  {name:<10}  {}", field.name, field.word, field.doc)?;
    }
    Ok(())
}

/// The bits of a field as `hi:lo`, or the one that it has.
pub fn bits(field: &Field) -> String {
    if field.hi == field.lo { field.hi.to_string() } else { format!("{}:{}", field.hi, field.lo) }
}

impl Row {
    /// For machines.
    pub fn json(&self) -> Value {
        let Row { field, value, name } = self;
        json!({
            "name": field.name, "word": field.word, "hi": field.hi, "lo": field.lo,
            "value": value, "is": name, "meaning": field.doc,
        })
    }
}
