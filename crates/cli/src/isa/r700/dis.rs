//! Disassembly.

use super::Loaded;
use super::info::information;
use crate::isa::fields;
use crate::options::ListingArgs;
use crate::{Console, Failure};
use ctm_bits::Field;
use ctm_r700::text::{self, PrintOptions};
use ctm_r700::{Cf, ClauseKind, Outline, Program, Unit, assign_units, clause_groups, fetches};
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
        console.out.write_all(text::print_program_with(&loaded.program, &options).as_bytes())?;
    }
    Ok(())
}

/// The texts of all instructions by address; of a group, that of the first.
pub fn lines(program: &Program) -> BTreeMap<u32, String> {
    let mut lines = BTreeMap::new();
    for Instruction { address, text, .. } in instructions(program) {
        lines.entry(address as u32).or_insert(text);
    }
    lines
}

/// The texts of a program's steps, by address: those of the control flow, and those of clauses, where a group has a line for
/// each of its slots.
pub fn steps(program: &Program) -> [BTreeMap<u32, String>; 2] {
    let mut steps = [BTreeMap::new(), BTreeMap::new()];
    for Instruction { first, form, text, .. } in instructions(program) {
        let in_clause = matches!(form, "alu" | "fetch");
        let step: &mut String = steps[usize::from(in_clause)].entry(first as u32).or_default();
        step.push_str(&format!("{}{text}\n", if in_clause { "  " } else { "" }));
    }
    steps
}

/// An instruction of the image.
struct Instruction {
    /// Qword address.
    address: usize,
    /// Qword address of the first instruction of its group.
    first: usize,
    /// What kind of instruction it is.
    form: &'static str,
    text: String,
    words: Vec<u32>,
    fields: Vec<&'static Field>,
}

/// The instructions of the control flow, each followed by those of the clause that it is the first to run.
fn instructions(program: &Program) -> Vec<Instruction> {
    let family = program.info.family;
    let outline = Outline::of(&program.code, family);
    let mut instructions = Vec::new();
    for (address, cf) in outline.cf.iter().enumerate() {
        let form = match cf {
            Cf::Export(_) => "export",
            _ => "cf",
        };
        let text = match cf {
            Cf::Reserved(_) => "reserved".to_owned(),
            cf => text::print_cf(cf, family),
        };
        let fields = cf.fields().collect();
        instructions.push(Instruction { address, first: address, form, text, words: cf.encode().to_vec(), fields });
        let clause = cf
            .clause(family)
            .filter(|clause| outline.clauses.get(clause).is_some_and(|users| users[0] as usize == address));
        let Some((clause, range)) = clause.and_then(|clause| Some((clause, clause.range(program.code.len())?))) else {
            continue;
        };
        match clause.kind {
            ClauseKind::Fetch => {
                instructions.extend(fetches(&program.code[range.clone()]).enumerate().map(|(number, fetch)| {
                    Instruction {
                        address: range.start + 2 * number,
                        first: range.start + 2 * number,
                        form: "fetch",
                        text: text::print_fetch(&fetch),
                        words: fetch.encode().to_vec(),
                        fields: fetch.fields().iter().collect(),
                    }
                }));
            }
            ClauseKind::Alu => {
                for group in clause_groups(&program.code, &clause, family).unwrap_or_default() {
                    let units = assign_units(&group.slots, family, program.info.prefer_vector).unwrap_or_default();
                    instructions.extend(group.slots.iter().enumerate().map(|(number, alu)| {
                        let unit = units.get(number).copied().unwrap_or(Unit::vector(alu.fields.dst.chan));
                        Instruction {
                            address: range.start + group.start + number,
                            first: range.start + group.start,
                            form: "alu",
                            text: text::print_alu(alu, unit, &group.literals, family),
                            words: alu.encode(family).to_vec(),
                            fields: alu.fields(family).collect(),
                        }
                    }));
                }
            }
        }
    }
    instructions
}

fn print_fields(out: &mut dyn Write, instruction: &Instruction) -> io::Result<()> {
    let words: Vec<String> = instruction.words.iter().map(|word| format!("{word:08x}")).collect();
    writeln!(out, "{}: {}", instruction.address, instruction.text)?;
    writeln!(out, "  words {}", words.join(" "))?;
    fields::print(out, fields::rows(instruction.fields.iter().copied(), &instruction.words))?;
    writeln!(out)
}

fn listing(loaded: &Loaded) -> Value {
    let instruction = |instruction: &Instruction| {
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
