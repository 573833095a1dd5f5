//! Summarizes what a program contains.

use crate::isa::Summary;
use crate::wording::ranges;
use ctm_pvs::{FlowOp, Operation, Program, Uses};
use ctm_text::spell_float;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What a program contains and uses.
pub struct Information<'p>(pub &'p Program);

impl Summary for Information<'_> {
    fn json(&self) -> Value {
        summary(self.0)
    }

    fn uses(&self) -> Vec<String> {
        let Uses { inputs, outputs, constants, .. } = Uses::of(self.0);
        let numbered = [("input", inputs), ("c", constants), ("out", outputs)];
        let numbered = numbered.into_iter().filter(|(_, numbers)| !numbers.is_empty());
        numbered.map(|(prefix, numbers)| ranges(prefix, numbers)).collect()
    }

    fn print(&self, out: &mut dyn Write, _: Option<&str>) -> io::Result<()> {
        print(out, self.0)
    }
}

/// Program information, for machines.
pub fn information(program: &Program) -> Value {
    json!({ "first": program.first, "last": program.last, "max_constant": program.max_constant })
}

/// Flow-control entries, for machines.
pub fn flow(program: &Program) -> Vec<Value> {
    let entries = program.flow.iter().enumerate().filter(|(_, entry)| entry.op != FlowOp::None);
    let form = entries.map(|(number, entry)| {
        json!({
            "entry": number, "op": entry.op.name(), "act": entry.act, "count_or_target": entry.count_or_target,
            "resume": entry.resume, "last": entry.last, "index": entry.index, "step": entry.step,
            "inherits": entry.inherits,
        })
    });
    form.collect()
}

/// How often operations occur, by the engine that executes them.
fn mix(program: &Program) -> BTreeMap<&'static str, BTreeMap<&'static str, usize>> {
    let mut mix: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for instruction in &program.code {
        let operation = instruction.operation();
        let engine = match operation {
            Operation::Vector(_) => "vector",
            Operation::Math(_) => "math",
            Operation::Macro(_) => "macro",
            Operation::Reserved => "reserved",
        };
        *mix.entry(engine).or_default().entry(operation.name().unwrap_or("reserved")).or_default() += 1;
    }
    mix
}

fn summary(program: &Program) -> Value {
    let Uses { inputs, outputs, constants, temporaries, alternates, address, loop_index, predicate } =
        Uses::of(program);
    let float = |bits: u32| match f32::from_bits(bits) {
        value if value.is_finite() => json!(value),
        _ => json!(spell_float(bits)),
    };
    let values: Map<_, _> =
        program.constants.iter().map(|(number, values)| (format!("c{number}"), json!(values.map(float)))).collect();
    json!({
        "isa": "pvs",
        "instructions": program.code.len(),
        "info": information(program),
        "flow": flow(program),
        "code_uses": {
            "inputs": inputs, "outputs": outputs, "constants": constants, "temporaries": temporaries,
            "alternates": alternates, "address": address, "loop_index": loop_index, "predicate": predicate,
        },
        "constants": values,
        "mix": mix(program),
    })
}

fn print(out: &mut dyn Write, program: &Program) -> io::Result<()> {
    let uses = Uses::of(program);
    let yes_no = |flag: bool| if flag { "yes" } else { "no" };
    let mut row = |name: &str, value: String| writeln!(out, "{name:<22} {value}");
    row("instructions", format!("{}, from {} to {}", program.code.len(), program.first, program.last))?;
    row("greatest constant", format!("c{}", program.max_constant))?;
    for (name, prefix, numbers) in [
        ("inputs", "", &uses.inputs),
        ("outputs", "", &uses.outputs),
        ("constants", "c", &uses.constants),
        ("temporaries", "temp", &uses.temporaries),
        ("alternates", "alt", &uses.alternates),
    ] {
        row(name, ranges(prefix, numbers.iter().copied()))?;
    }
    row("address register", yes_no(uses.address).into())?;
    row("loop index", yes_no(uses.loop_index).into())?;
    row("predicate", yes_no(uses.predicate).into())?;
    for (number, entry) in program.flow.iter().enumerate() {
        if let Some(what) = entry.words() {
            row(&format!("flow control {number}"), format!("{} after {}: {what}", entry.op.name(), entry.act))?;
        }
    }
    if !program.constants.is_empty() {
        writeln!(out, "\nconstant values")?;
        for (number, values) in &program.constants {
            writeln!(out, "  {:<20} {}", format!("c{number}"), values.map(spell_float).join(", "))?;
        }
    }
    writeln!(out, "\ninstruction mix")?;
    for (engine, names) in mix(program) {
        let names: Vec<_> = names.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(out, "  {engine:<20} {}", names.join(", "))?;
    }
    Ok(())
}
