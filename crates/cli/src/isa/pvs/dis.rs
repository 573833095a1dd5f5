//! Disassembly.

use super::info::{flow, information};
use crate::isa::fields;
use crate::options::ListingArgs;
use crate::{Console, Failure};
use ctm_pvs::text::{PrintOptions, print_instruction, print_program_with};
use ctm_pvs::{Instruction, Program};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Prints assembly, or every field of every instruction.
pub fn dis(program: &Program, args: &ListingArgs, console: &mut Console) -> Result<(), Failure> {
    if args.json {
        console.json(&listing(program))?;
    } else if args.fields {
        for (pc, instruction) in program.code.iter().enumerate() {
            print_fields(console.out, pc, instruction)?;
        }
    } else {
        let options = PrintOptions { addresses: args.addresses, words: args.words };
        console.out.write_all(print_program_with(program, options).as_bytes())?;
    }
    Ok(())
}

fn print_fields(out: &mut dyn Write, pc: usize, instruction: &Instruction) -> io::Result<()> {
    let words = instruction.encode();
    writeln!(out, "{pc}: {}", print_instruction(instruction))?;
    writeln!(out, "  words {}", words.map(|word| format!("{word:08x}")).join(" "))?;
    fields::print(out, fields::rows(Instruction::FIELDS, &words))?;
    writeln!(out)
}

fn listing(program: &Program) -> Value {
    let instruction = |(pc, instruction): (usize, &Instruction)| {
        let words = instruction.encode();
        json!({
            "pc": pc,
            "text": print_instruction(instruction),
            "words": words.map(|word| format!("0x{word:08x}")),
            "fields": fields::rows(Instruction::FIELDS, &words).map(|row| row.json()).collect::<Vec<_>>(),
        })
    };
    json!({
        "isa": "pvs",
        "info": information(program),
        "flow": flow(program),
        "instructions": program.code.iter().enumerate().map(instruction).collect::<Vec<_>>(),
    })
}
