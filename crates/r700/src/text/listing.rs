//! The instructions of a program one by one, with their texts, words and fields.

use super::print::{print_alu, print_cf, print_fetch};
use crate::cf::Cf;
use crate::group::{Unit, assign_units};
use crate::outline::{ClauseKind, Outline, clause_groups, fetches};
use crate::program::Program;
use ctm_bits::Field;
use ctm_follow::{Address, InstructionPlace};
use std::collections::BTreeSet;

/// An instruction of an image.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Qword address.
    pub address: usize,
    /// Qword address of the first instruction of its group; the same, if it is in none.
    pub first: usize,
    /// What kind of instruction it is: `cf`, `export`, `alu` or `fetch`.
    pub form: &'static str,
    /// Its text.
    pub text: String,
    /// Its dwords, without the literals of its group.
    pub words: Vec<u32>,
    /// Its fields.
    pub fields: Vec<&'static Field>,
}

/// The instructions of the control flow, each followed by those of the clause that it is the first to run.
pub fn instructions(program: &Program) -> Vec<Listed> {
    let family = program.info.family;
    let outline = Outline::of(&program.code, family);
    let mut instructions = Vec::new();
    for (address, cf) in outline.cf.iter().enumerate() {
        let form = match cf {
            Cf::Export(_) => "export",
            Cf::Plain(_) | Cf::Alu(_) | Cf::Reserved(_) => "cf",
        };
        let text = match cf {
            Cf::Reserved(_) => "reserved".to_owned(),
            cf => print_cf(cf, family),
        };
        let fields = cf.fields().collect();
        instructions.push(Listed { address, first: address, form, text, words: cf.encode().to_vec(), fields });
        let clause = cf
            .clause(family)
            .filter(|clause| outline.clauses.get(clause).is_some_and(|users| users[0] as usize == address));
        let Some((clause, range)) = clause.and_then(|clause| Some((clause, clause.range(program.code.len())?))) else {
            continue;
        };
        match clause.kind {
            ClauseKind::Fetch => {
                instructions.extend(fetches(&program.code[range.clone()]).enumerate().map(|(number, fetch)| Listed {
                    address: range.start + 2 * number,
                    first: range.start + 2 * number,
                    form: "fetch",
                    text: print_fetch(&fetch),
                    words: fetch.encode().to_vec(),
                    fields: fetch.fields().iter().collect(),
                }));
            }
            ClauseKind::Alu => {
                for group in clause_groups(&program.code, &clause, family).unwrap_or_default() {
                    let units = assign_units(&group.slots, family, program.info.prefer_vector).unwrap_or_default();
                    instructions.extend(group.slots.iter().enumerate().map(|(number, alu)| {
                        let unit = units.get(number).copied().unwrap_or(Unit::vector(alu.fields.dst.chan));
                        Listed {
                            address: range.start + group.start + number,
                            first: range.start + group.start,
                            form: "alu",
                            text: print_alu(alu, unit, &group.literals, family),
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

/// The steps that the program's groups make, in the order of [`instructions`], with their texts: a line for each slot of a group.
/// What several clauses share stands where the first is.
pub fn steps(program: &Program) -> Vec<(InstructionPlace, String)> {
    let mut steps: Vec<(InstructionPlace, String)> = Vec::new();
    let mut listed = BTreeSet::new();
    for Listed { address, first, form, text, .. } in instructions(program) {
        let in_clause = matches!(form, "alu" | "fetch");
        if !listed.insert((in_clause, address)) {
            continue;
        }
        let place = InstructionPlace { at: Address::from(first as u32), in_clause };
        match steps.last_mut() {
            Some((last, lines)) if *last == place => *lines += &format!("\n{text}"),
            _ => steps.push((place, text)),
        }
    }
    steps
}

/// The steps that groups make in a program, then in the one that it calls, as [`steps`], with those of clauses indented.
pub fn steps_with_fetch(program: &Program, fetch: Option<&Program>) -> Vec<(InstructionPlace, String)> {
    let programs = (0..).zip(std::iter::once(program).chain(fetch));
    let steps = programs.flat_map(|(number, program)| {
        let called = move |(place, text): (InstructionPlace, String)| {
            let at = Address { program: number, ..place.at };
            let indent = if place.in_clause { "  " } else { "" };
            let lines: Vec<String> = text.lines().map(|line| format!("{indent}{line}")).collect();
            (InstructionPlace { at, ..place }, lines.join("\n"))
        };
        steps(program).into_iter().map(called)
    });
    steps.collect()
}
