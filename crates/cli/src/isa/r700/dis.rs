//! Disassembly.

use super::Loaded;
use super::info::information;
use crate::isa::fields;
use crate::options::ListingArgs;
use crate::{Console, Failure};
use ctm_object::r700;
use ctm_r700::Program;
use ctm_r700::text::{self, Listed, PrintOptions, instructions};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Prints assembly, or every field of every instruction.
pub fn dis(loaded: &Loaded, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
    if args.json {
        console.json(&listing(loaded))?;
    } else if args.fields {
        instructions(&loaded.program).iter().try_for_each(|instruction| print_fields(console.out, instruction))?;
    } else {
        let options = PrintOptions { addresses: args.addresses, words: args.words };
        let text = text::print_program_with(&loaded.program, &options);
        if let Some(header) = &loaded.gfd {
            // Texts of shader files begin with what their headers say.
            writeln!(console.out, "{}", r700::print_gfd_comments(header, &loaded.program))?;
        }
        console.out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// The texts of all instructions by address; of a group, that of the first.
pub fn lines(program: &Program) -> BTreeMap<u32, String> {
    let mut lines = BTreeMap::new();
    for Listed { address, text, .. } in instructions(program) {
        lines.entry(address as u32).or_insert(text);
    }
    lines
}

fn print_fields(out: &mut dyn Write, instruction: &Listed) -> io::Result<()> {
    let words: Vec<String> = instruction.words.iter().map(|word| format!("{word:08x}")).collect();
    writeln!(out, "{}: {}", instruction.address, instruction.text)?;
    writeln!(out, "  words {}", words.join(" "))?;
    fields::print(out, fields::rows(instruction.fields.iter().copied(), &instruction.words))?;
    writeln!(out)
}

fn listing(loaded: &Loaded) -> Value {
    let instruction = |instruction: &Listed| {
        let rows = fields::rows(instruction.fields.iter().copied(), &instruction.words);
        json!({
            "address": instruction.address,
            "form": instruction.form,
            "text": instruction.text,
            "words": instruction.words.iter().map(|word| format!("0x{word:08x}")).collect::<Vec<_>>(),
            "fields": rows.map(|row| row.json()).collect::<Vec<_>>(),
        })
    };
    json!({
        "isa": "r700",
        "info": information(&loaded.program),
        "instructions": instructions(&loaded.program).iter().map(instruction).collect::<Vec<_>>(),
    })
}
