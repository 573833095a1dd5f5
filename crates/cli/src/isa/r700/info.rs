//! Summarizes what a program contains.

use super::Loaded;
use crate::isa::Summary;
use crate::wording::ranges;
use ctm_r700::check::stack_need;
use ctm_r700::{ClauseKind, ExportTarget, GPRS, Named, Outline, Program, Uses, Wavefront, clause_groups, fetches};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What a program contains and uses.
pub struct Information<'l>(pub &'l Loaded);

impl Summary for Information<'_> {
    fn json(&self) -> Value {
        summary(self.0)
    }

    fn uses(&self) -> Vec<String> {
        let uses = Uses::of(&self.0.program);
        let Named { textures, samplers, buffers, banks, elements: _ } = &uses.of_stage;
        let numbered = [("t", textures), ("s", samplers), ("b", buffers), ("CB", banks)];
        let numbered = numbered.into_iter().filter(|(_, numbers)| !numbers.is_empty());
        let named = [
            ("constants", uses.constant_file),
            ("flow constants", uses.flow_constants),
            ("scratch memory", uses.scratch_elements > 0),
            ("a fetch program", self.0.calls_fetch_program()),
        ];
        numbered
            .map(|(prefix, numbers)| ranges(prefix, numbers.iter().copied()))
            .chain(named.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name.into()))
            .chain(uses.exports.iter().map(target_name))
            .collect()
    }

    fn print(&self, out: &mut dyn Write, title: Option<&str>) -> io::Result<()> {
        print(out, &self.0.program, title)
    }
}

/// Program information, for machines.
pub fn information(program: &Program) -> Value {
    let info = &program.info;
    json!({
        "family": info.family.name(),
        "stage": info.stage.name(),
        "gprs": info.num_gprs,
        "stack_size": info.stack_size,
        "dx10_clamp": info.dx10_clamp,
        "prefer_vector": info.prefer_vector,
        "kill_enable": info.kill_enable,
    })
}

/// How assembly calls an export target.
fn target_name(target: &ExportTarget) -> String {
    match target {
        ExportTarget::Colour(number) => format!("PIX{number}"),
        ExportTarget::Depth => "depth".into(),
        ExportTarget::Position(number) => format!("POS{number}"),
        ExportTarget::Parameter(number) => format!("PARAM{number}"),
    }
}

/// How often instructions of each kind occur.
fn mix(program: &Program) -> Vec<(&'static str, Vec<(&'static str, usize)>)> {
    let family = program.info.family;
    let outline = Outline::of(&program.code, family);
    let mut kinds: [BTreeMap<&str, usize>; 3] = Default::default();
    let [control_flow, alu, fetch] = &mut kinds;
    let count = |kind: &mut BTreeMap<_, _>, name: Option<&'static str>| {
        *kind.entry(name.unwrap_or("reserved")).or_default() += 1;
    };
    outline.cf.iter().for_each(|cf| count(control_flow, cf.name()));
    for clause in outline.clauses.keys() {
        match clause.kind {
            ClauseKind::Alu => {
                let groups = clause_groups(&program.code, clause, family).unwrap_or_default();
                groups.iter().flat_map(|group| &group.slots).for_each(|slot| count(alu, slot.op.name()));
            }
            ClauseKind::Fetch => {
                let code = clause.range(program.code.len()).map_or(&[][..], |range| &program.code[range]);
                fetches(code).for_each(|instruction| count(fetch, Some(instruction.name())));
            }
        }
    }
    let sorted = |names: BTreeMap<&'static str, usize>| {
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        names
    };
    let named = ["control flow", "alu", "fetch"].into_iter().zip(kinds);
    named.filter(|(_, names)| !names.is_empty()).map(|(kind, names)| (kind, sorted(names))).collect()
}

/// Number of control-flow instructions, and of clauses.
fn size(program: &Program) -> (usize, usize) {
    let outline = Outline::of(&program.code, program.info.family);
    (outline.cf.len(), outline.clauses.len())
}

fn summary(loaded: &Loaded) -> Value {
    let program = &loaded.program;
    let uses = Uses::of(program);
    let (control_flow, clauses) = size(program);
    let names = |names: Vec<(&str, usize)>| names.into_iter().map(|(name, n)| (name.to_string(), json!(n))).collect();
    let mix: Map<_, _> = mix(program).into_iter().map(|(kind, counts)| (kind.to_string(), names(counts))).collect();
    let exports = uses.exports.iter().map(target_name);
    json!({
        "isa": "r700",
        "name": loaded.title,
        "qwords": program.code.len(),
        "control_flow": control_flow,
        "clauses": clauses,
        "info": information(program),
        "stack_needed": stack_need(program, Wavefront::default()).stack_size,
        "code_uses": {
            "textures": uses.of_stage.textures, "samplers": uses.of_stage.samplers,
            "buffers": uses.of_stage.buffers, "constant_buffers": uses.of_stage.banks,
            "constant_file": uses.constant_file, "flow_constants": uses.flow_constants,
            "scratch_elements": uses.scratch_elements, "exports": exports.collect::<Vec<_>>(),
        },
        "mix": mix,
    })
}

fn print(out: &mut dyn Write, program: &Program, title: Option<&str>) -> io::Result<()> {
    let info = &program.info;
    let uses = Uses::of(program);
    let (control_flow, clauses) = size(program);
    let yes_no = |flag: bool| if flag { "yes" } else { "no" }.to_string();
    let mut row = |name: &str, value: String| writeln!(out, "{name:<22} {value}");

    if let Some(title) = title {
        row("program", title.into())?;
    }
    row("stage", format!("{}, a {}", info.stage.name(), info.stage.properties()))?;
    row("family", info.family.name().to_string())?;
    row(
        "image",
        format!("{} qwords: {control_flow} control-flow instructions, {clauses} clauses", program.code.len()),
    )?;
    let declared = if usize::from(info.num_gprs) == GPRS { " (all)" } else { "" };
    row("registers", format!("{}{declared}", info.num_gprs))?;
    let need = stack_need(program, Wavefront::default()).stack_size;
    let declared = info.stack_size.map_or("nothing".into(), |size| size.to_string());
    row("stack", format!("{need} entries needed, {declared} declared"))?;
    if info.kill_enable {
        row("kills pixels", "yes".into())?;
    }
    for (name, prefix, numbers) in [
        ("textures", "t", &uses.of_stage.textures),
        ("samplers", "s", &uses.of_stage.samplers),
        ("fetch buffers", "b", &uses.of_stage.buffers),
        ("constant buffers", "CB", &uses.of_stage.banks),
    ] {
        row(name, ranges(prefix, numbers.iter().copied()))?;
    }
    row("constant file", if uses.constant_file { "read" } else { "not read" }.into())?;
    row("loop or bool constants", yes_no(uses.flow_constants))?;
    let exports: Vec<String> = uses.exports.iter().map(target_name).collect();
    row("exports", if exports.is_empty() { "none".into() } else { exports.join(", ") })?;
    if uses.scratch_elements > 0 {
        row("scratch memory", format!("{} vectors for each lane", uses.scratch_elements))?;
    }

    writeln!(out, "\ninstruction mix")?;
    for (kind, names) in mix(program) {
        let names: Vec<_> = names.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(out, "  {kind:<20} {}", names.join(", "))?;
    }
    Ok(())
}
