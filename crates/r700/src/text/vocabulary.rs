//! Every word that the assembler accepts, for the test that each has a page.

use super::{aliases, assemble, control, fetch, slots};
use crate::alu::{Op2, Op3, Special};
use crate::cf::{CfAluOp, CfExportOp, CfOp};
use crate::codes::*;
use crate::program::Stage;

/// Operations, properties, directives, operands, and the names of values.
pub(crate) fn words() -> Vec<String> {
    let directives = assemble::DIRECTIVES.iter().map(|name| format!(".{name}"));
    let words = control::PROPERTIES
        .into_iter()
        .chain(fetch::PROPERTIES)
        .chain(slots::PROPERTIES)
        .chain(aliases().map(|(alias, _)| alias))
        .chain(Family::ALL.into_iter().flat_map(control::directions))
        .chain(fetch::SIGNS)
        .chain(fetch::ZEROS)
        .chain([
            assemble::END,
            "R0",
            "T0",
            "C0",
            "KC0",
            "KC1",
            "PV",
            "PS",
            "AL",
            "CB0",
            "SEM",
            "t0",
            "s0",
            "b0",
            "____",
        ])
        .chain(Op2::ALL.iter().map(|op| op.name()))
        .chain(Op3::ALL.iter().map(|op| op.name()))
        .chain(CfOp::ALL.iter().map(|op| op.name()))
        .chain(CfAluOp::ALL.iter().map(|op| op.name()))
        .chain(CfExportOp::ALL.iter().map(|op| op.name()))
        .chain(FetchOp::ALL.map(FetchOp::name))
        .chain(MemOp::ALL.map(MemOp::name))
        .chain(Special::ALL.iter().map(|special| special.name()))
        .chain(Condition::ALL.map(Condition::name))
        .chain(FetchType::ALL.map(FetchType::name))
        .chain(EndianSwap::ALL.map(EndianSwap::name))
        .chain(NumberFormat::ALL.map(NumberFormat::name))
        .chain(IndexMode::ALL.map(IndexMode::name))
        .chain(DataFormat::ALL.iter().map(|format| format.name()))
        .chain([ExportType::Pixel, ExportType::Position, ExportType::Parameter].map(ExportType::name))
        .chain(Family::ALL.map(Family::name))
        .chain(Stage::ALL.iter().map(|stage| stage.name()));
    words.map(str::to_owned).chain(directives).collect()
}
