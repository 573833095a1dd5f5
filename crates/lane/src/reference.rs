//! The reference of operations, made from the table.

use crate::op::{Effect, NanBits, Op, OpInfo};
use std::fmt::Write;

/// The reference of all operations as Markdown, one section for each heading of the table.
pub fn operation_reference() -> String {
    let mut text = String::new();
    let mut section = "";
    for info in Op::table() {
        if info.section != section {
            section = info.section;
            write!(text, "\n### {section}\n").expect("writing to a string works");
        }
        write!(text, "\n- `{}`{}<br>\n", signature(info), notes(info)).expect("writing to a string works");
        let lines = info.doc.lines().map(str::trim);
        lines.for_each(|line| writeln!(text, "  {line}").expect("writing to a string works"));
    }
    text.trim_start().to_owned()
}

/// Name, attributes, operands and result types.
fn signature(info: &OpInfo) -> String {
    let attributes: Vec<_> = info.attributes.iter().map(|(name, _)| *name).collect();
    let operands: Vec<_> = info.operands.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    let results: Vec<_> = info.results.iter().map(ToString::to_string).collect();
    let attributes = if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
    let operands = if operands.is_empty() { String::new() } else { format!(" {}", operands.join(", ")) };
    let results = if results.is_empty() { String::new() } else { format!(" -> {}", results.join(", ")) };
    format!("{}{attributes}{operands}{results}", info.name)
}

fn notes(info: &OpInfo) -> String {
    let effect = match info.effect {
        Effect::Pure => None,
        Effect::ReadsMemory => Some("reads memory"),
        Effect::WritesMemory => Some("writes memory"),
        Effect::ReadsArray => Some("reads an array"),
        Effect::WritesArray => Some("writes an array"),
        Effect::Counts => Some("counts"),
    };
    let nan = match info.nan_bits {
        NanBits::Loose => Some("NaN results have open bits"),
        NanBits::Passed => Some("passes the bits of NaNs"),
        NanBits::Ignored | NanBits::Observed | NanBits::Stored => None,
    };
    let notes: Vec<_> = effect.into_iter().chain(nan).collect();
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) }
}
