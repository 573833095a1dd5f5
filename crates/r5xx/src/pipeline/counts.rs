//! What draws do, in numbers.

use ctm_card::DrawCounts;
use ctm_x1k::{Body, Program};

/// What was counted, with the instructions that this program executed for the fragments.
pub fn with_program(counts: DrawCounts, program: &Program) -> DrawCounts {
    let range = usize::from(program.info.start)..=usize::from(program.info.end);
    let code = program.code.get(range).unwrap_or_default();
    let flows = code.iter().any(|instruction| matches!(instruction.body, Body::Flow(_)));
    let instructions = (!flows || counts.fragments == 0).then_some(counts.fragments * code.len() as u64);
    DrawCounts { instructions, ..counts }
}
