//! Every word that the assembler accepts, for the test that each has a page.

use super::{directives, instruction};
use crate::codes::SourceKind;
use crate::operation::Operation;
use crate::program::FlowOp;

/// Operations, modifiers, directives and operands.
pub(crate) fn words() -> Vec<String> {
    let directives = directives::NAMES.iter().map(|name| format!(".{name}"));
    let words = Operation::all()
        .filter_map(Operation::name)
        .chain(instruction::DESTINATIONS.map(|(name, _)| name))
        .chain(SourceKind::ALL.map(SourceKind::name))
        .chain(FlowOp::ALL.map(FlowOp::name))
        .chain(directives::FLOW_PARTS)
        .chain([instruction::ALTERNATE, "RAW", "SAT", "p", "aL", "a0"]);
    words.map(str::to_owned).chain(directives).collect()
}
