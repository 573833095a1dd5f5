//! Summarizes what a program contains.

use super::Loaded;
use crate::isa::Summary;
use crate::wording::{listing, ranges};
use ctm_sm50::attributes::name;
use ctm_sm50::text::print_map;
use ctm_sm50::{AttributeMap, BUNDLE_SLOTS, FieldId, Header, PixelMaps, Program, Stage, key};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// What a program contains and uses.
pub struct Information<'l>(pub &'l Loaded);

impl Summary for Information<'_> {
    fn json(&self) -> Value {
        summary(self.0)
    }

    fn uses(&self) -> Vec<String> {
        let banks = banks(&self.0.program);
        let banks = (!banks.is_empty()).then(|| ranges("c", banks));
        let maps =
            self.0.program.header.iter().flat_map(|header| [("reads ", header.inputs()), ("writes ", header.omap)]);
        let maps = maps.map(|(verb, map)| (verb, attribute_names(&map))).filter(|(_, names)| !names.is_empty());
        banks.into_iter().chain(maps.map(|(verb, names)| verb.to_string() + &listing(names))).collect()
    }

    fn print(&self, out: &mut dyn Write, title: Option<&str>) -> io::Result<()> {
        print(out, &self.0.program, title)
    }
}

/// How often instructions occur, the most frequent ones first.
fn mix(program: &Program) -> Vec<(&'static str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for instruction in program.code.instructions() {
        *counts.entry(instruction.row().name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    counts
}

/// The constant banks that instructions name.
fn banks(program: &Program) -> BTreeSet<u8> {
    let naming = program.code.instructions().iter().filter(|instruction| instruction.has(FieldId::BANK));
    naming.map(|instruction| instruction.get(key::BANK)).collect()
}

/// The fields of a header that are not attribute maps, with the names of their values.
fn fields(header: &Header) -> impl Iterator<Item = (&'static str, &'static str, u32, Option<&'static str>)> {
    let words = header.encode();
    let of_pixel = if header.sph_type == Header::PIXEL_TYPE { PixelMaps::FIELDS } else { &[] };
    Header::FIELDS.iter().chain(of_pixel).map(move |field| {
        let value = field.get(&words);
        (field.name, field.doc, value, (field.spell)(value).filter(|name| !name.is_empty()))
    })
}

/// A header, for machines.
pub fn header(header: &Header) -> Value {
    let fields = fields(header).map(|(name, _, value, spelled)| {
        let value = spelled.map_or(json!(value), |name| json!(name));
        (name.to_lowercase(), value)
    });
    let map = |map: &AttributeMap| json!(map.iter().collect::<Vec<_>>());
    let maps = [("imap".to_string(), map(&header.inputs())), ("omap".to_string(), map(&header.omap))];
    Value::Object(fields.chain(maps).collect())
}

fn summary(loaded: &Loaded) -> Value {
    let program = &loaded.program;
    let mix: Map<_, _> = mix(program).into_iter().map(|(name, count)| (name.to_string(), json!(count))).collect();
    json!({
        "isa": "sm50",
        "name": loaded.title,
        "stage": program.header.map(|header| header.stage.name()),
        "instructions": program.code.instructions().len(),
        "bundles": program.code.controls().len(),
        "header": program.header.as_ref().map(header),
        "constant_banks": banks(program),
        "mix": mix,
    })
}

/// What a stage is called, by the machine and by OpenGL.
fn stage_name(stage: Stage) -> String {
    match stage {
        Stage::TessellationInit => "tess_init (tessellation control in OpenGL)".into(),
        Stage::Tessellation => "tessellation (tessellation evaluation in OpenGL)".into(),
        stage => stage.name().into(),
    }
}

/// The names of attributes, without components.
fn attribute_names(map: &AttributeMap) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for address in map.iter() {
        let whole = name(address);
        let attribute = whole.split_once('.').map_or(whole.as_str(), |(attribute, _)| attribute).to_string();
        if names.last() != Some(&attribute) {
            names.push(attribute);
        }
    }
    names
}

/// Addresses, and the names of what is there.
fn attributes(map: &AttributeMap) -> String {
    let names = attribute_names(map);
    if names.is_empty() { "none".into() } else { format!("{} ({})", print_map(map), listing(names)) }
}

/// What a fragment program puts out.
fn outputs(maps: &PixelMaps) -> String {
    let colours = maps.colours().map(|target| {
        let bits = maps.targets >> (4 * target);
        let components = "rgba".chars().enumerate().filter(|(n, _)| bits >> n & 1 != 0).map(|(_, name)| name);
        format!("target {target} ({})", components.collect::<String>())
    });
    let others = [(maps.sample_mask, "sample mask"), (maps.depth, "depth")];
    let others = others.into_iter().filter(|(is, _)| *is).map(|(_, name)| name.to_string());
    listing(colours.chain(others).collect::<Vec<_>>())
}

fn print(out: &mut dyn Write, program: &Program, title: Option<&str>) -> io::Result<()> {
    let count = program.code.instructions().len();
    let mut row = |name: &str, value: String| writeln!(out, "{name:<29} {value}");
    if let Some(title) = title {
        row("program", title.into())?;
    }
    row(
        "stage",
        program.header.map_or("none: compute code, without a header".into(), |header| stage_name(header.stage)),
    )?;
    row("instructions", format!("{count} in {} bundles of {BUNDLE_SLOTS}", count.div_ceil(BUNDLE_SLOTS)))?;
    row("constant banks", ranges("c", banks(program)))?;
    if let Some(header) = &program.header {
        row("reads attributes", attributes(&header.inputs()))?;
        if header.sph_type == Header::PIXEL_TYPE {
            row("writes", outputs(&header.pixel))?;
        } else {
            row("writes attributes", attributes(&header.omap))?;
        }
        writeln!(out, "\nheader")?;
        for (name, doc, value, spelled) in fields(header) {
            let value = spelled.map_or(value.to_string(), str::to_string);
            writeln!(out, "  {:<27} {value:<14} {doc}", name.to_lowercase())?;
        }
    }
    let mix = mix(program).into_iter().map(|(name, count)| format!("{name} {count}"));
    writeln!(out, "\ninstruction mix\n  {}", listing(mix))
}
