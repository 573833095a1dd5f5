//! Disassembly.

use super::Loaded;
use super::info::header;
use crate::options::ListingArgs;
use crate::{Console, Failure};
use ctm_sm50::text::{self, PrintOptions};
use ctm_sm50::{Code, Field, Instruction};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Prints assembly, or every field of every instruction.
pub fn dis(loaded: &Loaded, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
    let code = &loaded.program.code;
    if args.json {
        console.json(&listing(loaded))?;
    } else if args.fields {
        (0..code.instructions().len()).try_for_each(|index| print_fields(console.out, code, index))?;
    } else {
        let options = PrintOptions { addresses: args.addresses, words: args.words, ..PrintOptions::default() };
        console.out.write_all(text::print_program_with(&loaded.program, &options).as_bytes())?;
    }
    Ok(())
}

/// The fields of an instruction, from the highest bit down, each with its value and the name of that.
fn fields(instruction: &Instruction) -> Vec<(Field, u32, Option<&'static str>)> {
    let mut fields: Vec<Field> = instruction.row().fields(instruction.shape()).collect();
    fields.sort_by_key(|field| std::cmp::Reverse(field.bits.lo));
    let valued = fields.into_iter().map(|field| {
        let value = field.bits.get(instruction.encode());
        (field, value, field.id.spell(value).map(|name| name.trim_start_matches('.')).filter(|name| !name.is_empty()))
    });
    valued.collect()
}

fn print_fields(out: &mut dyn Write, code: &Code, index: usize) -> io::Result<()> {
    let (instruction, at, control) = (&code.instructions()[index], Code::address(index), code.control(index));
    writeln!(out, "{at:04x}: {}", text::print_controlled(instruction, at, control))?;
    writeln!(out, "  word {:016x}, control {control}", instruction.encode())?;
    writeln!(out, "  {:<18} {:>9}  {:>10}  is", "field", "bits", "value")?;
    for (field, value, name) in fields(instruction) {
        let line =
            format!("  {:<18} {:>9}  {value:>#10x}  {}", field.id.name(), field.bits.places(), name.unwrap_or(""));
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out)
}

fn listing(loaded: &Loaded) -> Value {
    let code = &loaded.program.code;
    let instruction = |(index, instruction): (usize, &Instruction)| {
        let (at, control) = (Code::address(index), code.control(index));
        let fields = fields(instruction).into_iter().map(|(field, value, name)| {
            json!({ "name": field.id.name(), "bits": field.bits.places(), "value": value, "is": name })
        });
        json!({
            "address": at,
            "name": instruction.row().name,
            "text": text::print_controlled(instruction, at, control),
            "word": format!("0x{:016x}", instruction.encode()),
            "control": control.to_string(),
            "fields": fields.collect::<Vec<_>>(),
        })
    };
    json!({
        "isa": "sm50",
        "header": loaded.program.header.as_ref().map(header),
        "instructions": code.instructions().iter().enumerate().map(instruction).collect::<Vec<_>>(),
    })
}
