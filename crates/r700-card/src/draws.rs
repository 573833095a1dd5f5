//! Draws of a stream, found without executing it.

use crate::registers::{
    self, RegisterFile, RegisterType, VgtPrimitiveType, VgtStrmoutDrawOpaqueBufferFilledSize,
    VgtStrmoutDrawOpaqueOffset, VgtStrmoutDrawOpaqueVertexStride,
};
use crate::stream::{Command, Draw, Indices, StreamError, commands};
use ctm_card::Submission;

/// The draws of a submission. Of those whose count is what streamout wrote, that is 0 where a query gives it.
///
/// # Errors
/// The card rejects the submission.
pub fn draws(submission: &Submission) -> Result<Vec<ctm_card::Draw>, StreamError> {
    let mut registers = registers::after_reset();
    let mut draws = Vec::new();
    for command in commands(submission)? {
        match command {
            Command::Write { address, value, .. } if is_of_draws(address) => registers.write(address, value),
            Command::Draw(draw) => draws.push(ctm_card::Draw {
                at: draw.at,
                end: draw.end,
                primitive: registers.get::<VgtPrimitiveType>().prim_type.name(),
                vertices: vertices(&registers, &draw),
                source: match draw.indices {
                    Indices::Counted => "counted",
                    Indices::Memory(_) => "indices in object",
                    Indices::Packet(_) => "indices in packet",
                },
            }),
            Command::Write { .. }
            | Command::IndexWidth(_)
            | Command::Instances(_)
            | Command::Event { .. }
            | Command::Store { .. }
            | Command::Copy { .. }
            | Command::CopyDword { .. }
            | Command::Predicate(_)
            | Command::Streamout { .. } => {}
        }
    }
    Ok(draws)
}

/// Whether what draws are depends on the register.
fn is_of_draws(address: u32) -> bool {
    [
        VgtPrimitiveType::ADDRESS,
        VgtStrmoutDrawOpaqueOffset::ADDRESS,
        VgtStrmoutDrawOpaqueBufferFilledSize::ADDRESS,
        VgtStrmoutDrawOpaqueVertexStride::ADDRESS,
    ]
    .contains(&address)
}

/// How many vertices a draw names, of one instance.
pub fn vertices(registers: &RegisterFile, draw: &Draw) -> u32 {
    if !draw.opaque {
        return draw.count;
    }
    let filled = registers.get::<VgtStrmoutDrawOpaqueBufferFilledSize>().value;
    let offset = registers.get::<VgtStrmoutDrawOpaqueOffset>().value;
    let stride = registers.get::<VgtStrmoutDrawOpaqueVertexStride>().value.saturating_mul(4);
    filled.saturating_sub(offset).checked_div(stride).unwrap_or_default()
}
