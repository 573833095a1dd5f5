//! Every word that the assembler accepts, for the test that each has a page.

use super::{arithmetic, assemble, condition, directives, flow, header, statements};
use crate::codes::*;
use crate::sampled::TEXTURE_KINDS;

/// Statements, flags, operations, directives, modifiers, operands, and the names of values.
pub(crate) fn words() -> Vec<String> {
    let directives = directives::NAMES.iter().map(|name| format!(".{name}"));
    let words = assemble::FORMS
        .into_iter()
        .chain(header::flag_names())
        .chain(statements::WORDS)
        .chain(flow::ITEMS)
        .chain(condition::WORDS)
        .chain(arithmetic::SOURCE_WORDS)
        .chain(arithmetic::REGISTER_WORDS)
        .chain(arithmetic::DESTINATION_WORDS)
        .chain(arithmetic::UMRT_KINDS)
        .chain(["w", "clamp", "none"])
        .chain(RgbOp::ALL.map(RgbOp::name))
        .chain(AlphaOp::ALL.map(AlphaOp::name))
        .chain(TexOp::ALL.map(TexOp::name))
        .chain(FlowOp::ALL.map(FlowOp::name))
        .chain(AddressOp::ALL.map(AddressOp::name))
        .chain(BranchOp::ALL.map(BranchOp::name))
        .chain(ZeroTest::ALL.map(ZeroTest::name))
        .chain(PredicateSelect::ALL.map(PredicateSelect::name))
        .chain(Presubtract::ALL.map(Presubtract::name))
        .chain(OutputModifier::ALL.map(OutputModifier::name))
        .chain(TEXTURE_KINDS.map(|(name, _)| name));
    words.map(str::to_owned).chain(directives).collect()
}
