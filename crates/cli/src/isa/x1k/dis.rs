//! Disassembly.

use super::Loaded;
use super::info::information;
use crate::args::DisArgs;
use crate::wording::one_line;
use crate::{Console, Failure};
use ctm_bits::Field;
use ctm_x1k::Instruction;
use ctm_x1k::text::{self, PrintOptions};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Prints assembly, or every field of every instruction.
pub fn dis(loaded: &Loaded, args: &DisArgs, console: &mut Console) -> Result<(), Failure> {
    if args.json {
        console.json(&listing(loaded))?;
    } else if args.fields {
        for (pc, instruction) in loaded.program.code.iter().enumerate() {
            print_fields(console.out, pc, instruction)?;
        }
    } else {
        let options = PrintOptions { addresses: args.addresses, words: args.words };
        console.out.write_all(text::print_program_with(&loaded.program, &options).as_bytes())?;
    }
    Ok(())
}

/// One field of one instruction.
struct Row {
    field: &'static Field,
    value: u32,
    /// The name of the value, where values have names.
    name: Option<&'static str>,
}

fn rows(instruction: &Instruction) -> impl Iterator<Item = Row> {
    let words = instruction.encode();
    instruction.fields().map(move |field| {
        let value = field.get(&words);
        Row { field, value, name: (field.spell)(value).filter(|name| !name.is_empty()) }
    })
}

fn print_fields(out: &mut dyn Write, pc: usize, instruction: &Instruction) -> io::Result<()> {
    let words = instruction.encode();
    writeln!(out, "{pc}: {}", one_line(&text::print_instruction(instruction)))?;
    writeln!(out, "  words {}", words.map(|word| format!("{word:08x}")).join(" "))?;
    writeln!(out, "  {:<18} {:>4} {:>5}  {:>6}  {:<10}  meaning", "field", "word", "bits", "value", "is")?;
    let type_name = instruction.body.type_name();
    let type_code = instruction.body.type_code();
    writeln!(out, "  {:<18} {:>4} {:>5}  {type_code:>6}  {type_name:<10}  form of the instruction", "TYPE", 0, "1:0")?;
    for Row { field, value, name } in rows(instruction) {
        let bits = if field.hi == field.lo { field.hi.to_string() } else { format!("{}:{}", field.hi, field.lo) };
        let (label, name) = (field.name, name.unwrap_or_default());
        writeln!(out, "  {label:<18} {:>4} {bits:>5}  {value:>6}  {name:<10}  {}", field.word, field.doc)?;
    }
    if instruction.reserved != [0; 6] {
        let reserved = instruction.reserved.map(|word| format!("{word:08x}")).join(" ");
        writeln!(out, "  reserved bits that are set: {reserved}")?;
    }
    writeln!(out)
}

fn listing(loaded: &Loaded) -> Value {
    let instruction = |(pc, instruction): (usize, &Instruction)| {
        let fields = rows(instruction).map(|Row { field, value, name }| {
            json!({
                "name": field.name, "word": field.word, "hi": field.hi, "lo": field.lo,
                "value": value, "is": name, "meaning": field.doc,
            })
        });
        json!({
            "pc": pc,
            "type": instruction.body.type_name(),
            "text": one_line(&text::print_instruction(instruction)),
            "words": instruction.encode().map(|word| format!("0x{word:08x}")),
            "fields": fields.collect::<Vec<_>>(),
        })
    };
    json!({
        "isa": "x1k",
        "info": information(&loaded.program),
        "instructions": loaded.program.code.iter().enumerate().map(instruction).collect::<Vec<_>>(),
    })
}
