//! Disassembly.

use super::Loaded;
use super::info::information;
use crate::isa::fields;
use crate::options::ListingArgs;
use crate::wording::one_line;
use crate::{Console, Failure};
use ctm_x1k::Instruction;
use ctm_x1k::text::{self, PrintOptions};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Prints assembly, or every field of every instruction.
pub fn dis(loaded: &Loaded, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
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

fn print_fields(out: &mut dyn Write, pc: usize, instruction: &Instruction) -> io::Result<()> {
    let words = instruction.encode();
    writeln!(out, "{pc}: {}", one_line(&text::print_instruction(instruction)))?;
    writeln!(out, "  words {}", words.map(|word| format!("{word:08x}")).join(" "))?;
    fields::print(out, fields::rows(std::iter::once(&Instruction::TYPE).chain(instruction.fields()), &words))?;
    if instruction.reserved != [0; 6] {
        let reserved = instruction.reserved.map(|word| format!("{word:08x}")).join(" ");
        writeln!(out, "  reserved bits that are set: {reserved}")?;
    }
    writeln!(out)
}

fn listing(loaded: &Loaded) -> Value {
    let instruction = |(pc, instruction): (usize, &Instruction)| {
        let words = instruction.encode();
        let rows = fields::rows(instruction.fields(), &words);
        json!({
            "pc": pc,
            "type": instruction.body.type_name(),
            "text": one_line(&text::print_instruction(instruction)),
            "words": words.map(|word| format!("0x{word:08x}")),
            "fields": rows.map(|row| row.json()).collect::<Vec<_>>(),
        })
    };
    json!({
        "isa": "x1k",
        "info": information(&loaded.program),
        "instructions": loaded.program.code.iter().enumerate().map(instruction).collect::<Vec<_>>(),
    })
}
