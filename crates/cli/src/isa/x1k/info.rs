//! Summarizes what a program contains.

use crate::isa::Summary;
use crate::wording::ranges;
use ctm_x1k::text::spell_float;
use ctm_x1k::{Alu, Body, Effects, Operand, Program, References, WriteMode, temps_used, texture_kind_name};
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
        let used = References::of(&self.0.code, &self.0.info);
        let numbered = [
            ("tex", &used.inputs),
            ("c", &used.float_constants),
            ("i", &used.int_constants),
            ("b", &used.bool_constants),
            ("out", &used.outputs),
        ];
        let numbered = numbered.into_iter().filter(|(_, numbers)| !numbers.is_empty());
        let conditional = used.cond_output.then(|| "conditional value".into());
        numbered.map(|(prefix, numbers)| ranges(prefix, numbers.iter().copied())).chain(conditional).collect()
    }

    fn print(&self, out: &mut dyn Write, _: Option<&str>) -> io::Result<()> {
        print(out, self.0)
    }
}

fn write_mode(mode: WriteMode) -> &'static str {
    match mode {
        WriteMode::Cached => "cached",
        WriteMode::Umrt => "umrt",
    }
}

/// Program information, for machines.
pub fn information(program: &Program) -> Value {
    let info = &program.info;
    json!({
        "start": info.start,
        "end": info.end,
        "code_offset": info.code_offset,
        "flow": if info.full_flow_control { "full" } else { "partial" },
        "zero_times_anything": info.zero_times_anything,
        "cond_value_from_program": info.cond_value_from_program,
        "write_mode": write_mode(info.write_mode),
        "position": info.position,
        "interpolants": info.interpolants,
        "textures": info.textures.map(|kind| kind.map(texture_kind_name)),
        "temps": info.temps,
        "early_exit": info.early_exit,
    })
}

/// How often instructions of each kind occur.
fn mix(program: &Program) -> Vec<(&'static str, Vec<(&'static str, usize)>)> {
    let mut groups: BTreeMap<(u32, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    let mut count = |order, group, name| *groups.entry((order, group)).or_default().entry(name).or_default() += 1;
    for instruction in &program.code {
        count(0, "type", instruction.body.type_name());
        let effects = Effects::of(instruction, program.info.write_mode);
        match &instruction.body {
            Body::Alu(alu) | Body::Out(alu) => {
                let Alu { rgb, alpha, .. } = alu;
                if effects.rgb_used != 0 {
                    count(1, "rgb", rgb.op.name());
                }
                if effects.alpha_used {
                    count(2, "alpha", alpha.op.name());
                }
            }
            Body::Flow(flow) => count(3, "flow", flow.op.name()),
            Body::Tex(tex) => count(4, "texture", tex.op.name()),
        }
    }
    let sorted = |names: BTreeMap<&'static str, usize>| {
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        names
    };
    groups.into_iter().map(|((_, group), names)| (group, sorted(names))).collect()
}

fn summary(program: &Program) -> Value {
    let References { inputs, outputs, float_constants, int_constants, bool_constants, cond_output } =
        &program.references;
    let used = References::of(&program.code, &program.info);
    let values = &program.constants;
    let floats: Map<_, _> = values.floats.iter().map(|(n, v)| (format!("c{n}"), json!(v.map(float_json)))).collect();
    let ints: Map<_, _> =
        values.ints.iter().map(|(n, v)| (format!("i{n}"), json!([v.count, v.init, v.step]))).collect();
    let bools: Map<_, _> = values.bools.iter().map(|(n, &v)| (format!("b{n}"), json!(v))).collect();
    let mix: Map<_, _> = mix(program)
        .into_iter()
        .map(|(group, names)| {
            (group.to_string(), names.into_iter().map(|(name, n)| (name.to_string(), json!(n))).collect())
        })
        .collect();
    json!({
        "isa": "x1k",
        "instructions": program.code.len(),
        "info": information(program),
        "notes": {
            "inputs": inputs, "outputs": outputs, "float_constants": float_constants,
            "int_constants": int_constants, "bool_constants": bool_constants, "cond_output": cond_output,
        },
        "code_uses": {
            "inputs": used.inputs, "outputs": used.outputs, "float_constants": used.float_constants,
            "int_constants": used.int_constants, "bool_constants": used.bool_constants, "cond_output": used.cond_output,
        },
        "registers": registers(program),
        "constants": Value::Object(floats.into_iter().chain(ints).chain(bools).collect()),
        "mix": mix,
    })
}

/// A number if JSON has it, else its spelling in assembly.
fn float_json(bits: u32) -> Value {
    let value = f32::from_bits(bits);
    if value.is_finite() { json!(value) } else { json!(spell_float(bits)) }
}

/// The temporaries that instructions name, in order.
fn registers(program: &Program) -> Vec<u8> {
    let mut registers = std::collections::BTreeSet::new();
    for instruction in &program.code {
        let effects = Effects::of(instruction, program.info.write_mode);
        registers.extend(effects.temps.iter().map(|write| write.index));
        registers.extend(effects.reads.iter().filter_map(|read| match read.operand {
            Operand::Temp { index, .. } => Some(index),
            _ => None,
        }));
    }
    registers.into_iter().collect()
}

fn print(out: &mut dyn Write, program: &Program) -> io::Result<()> {
    let info = &program.info;
    let notes = &program.references;
    let used = References::of(&program.code, info);
    let yes_no = |flag: bool| if flag { "yes" } else { "no" };
    let mut row = |name: &str, value: String| writeln!(out, "{name:<22} {value}");

    row("instructions", format!("{}, from {} to {}", program.code.len(), info.start, info.end))?;
    if info.code_offset != 0 {
        row("code offset", info.code_offset.to_string())?;
    }
    row("flow control", if info.full_flow_control { "full" } else { "partial" }.into())?;
    row("zero times anything", if info.zero_times_anything { "is zero" } else { "follows IEEE 754" }.into())?;
    row(
        "outputs are written",
        match info.write_mode {
            WriteMode::Cached => "when a lane ends (cached)".into(),
            WriteMode::Umrt => "by each OUT instruction, at an address it computes (UMRT)".to_string(),
        },
    )?;
    row("position goes to", info.position.map_or("no register".into(), |register| format!("r{register}")))?;
    if info.takes_interpolants() {
        let registers: Vec<String> =
            info.interpolant_registers().map(|(slot, register)| format!("{slot} to r{register}")).collect();
        row("interpolants go", registers.join(", "))?;
    }
    let textures: Vec<String> = info
        .sampled_inputs()
        .map(|(input, kind)| format!("input {input} as a {} texture", texture_kind_name(kind)))
        .collect();
    if !textures.is_empty() {
        row("samples", textures.join(", "))?;
    }
    row("early exit", yes_no(info.early_exit).into())?;
    let declared = if info.temps == 0 { 128 } else { info.temps.into() };
    row(
        "registers",
        format!("{} ({} in use, {declared} declared)", ranges("r", registers(program)), temps_used(&program.code)),
    )?;
    for (name, prefix, notes, used) in [
        ("inputs", "", &notes.inputs, &used.inputs),
        ("outputs", "", &notes.outputs, &used.outputs),
        ("float constants", "c", &notes.float_constants, &used.float_constants),
        ("integer constants", "i", &notes.int_constants, &used.int_constants),
        ("boolean constants", "b", &notes.bool_constants, &used.bool_constants),
    ] {
        let mut text = ranges(prefix, notes.iter().copied());
        if notes != used {
            text += &format!(" (the code uses {})", ranges(prefix, used.iter().copied()));
        }
        row(name, text)?;
    }
    row(
        "conditional value",
        if notes.cond_output || info.cond_value_from_program { "written" } else { "not written" }.into(),
    )?;

    if program.constants != Default::default() {
        writeln!(out, "\nconstant values")?;
        for (number, value) in &program.constants.floats {
            let value = value.map(spell_float).join(", ");
            writeln!(out, "  {:<20} {value}", format!("c{number}"))?;
        }
        for (number, value) in &program.constants.ints {
            let (count, init, step) = (value.count, value.init, value.step);
            writeln!(out, "  {:<20} {count} passes, aL from {init}, step {step}", format!("i{number}"))?;
        }
        for (number, value) in &program.constants.bools {
            writeln!(out, "  {:<20} {value}", format!("b{number}"))?;
        }
    }

    writeln!(out, "\ninstruction mix")?;
    for (group, names) in mix(program) {
        let names: Vec<_> = names.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(out, "  {group:<20} {}", names.join(", "))?;
    }
    Ok(())
}
