//! Draws of a stream, found without executing it.

use crate::packets::{Opcode, Packet, packets};
use crate::registers::{RegisterType, VapAltNumVertices};
use crate::stream::{Command, StreamError, VertexSource, commands};
use ctm_card::Submission;

/// The draws of a submission. A count of vertices that a register has is what this submission writes to it.
///
/// # Errors
/// The card rejects the submission.
pub fn draws(submission: &Submission) -> Result<Vec<ctm_card::Draw>, StreamError> {
    let (mut draws, mut alternate) = (Vec::new(), 0);
    for command in commands(submission)? {
        match command {
            Command::Draw(draw) => draws.push(ctm_card::Draw {
                at: draw.at,
                end: end(submission.words, draw.at),
                primitive: draw.control.primitive.name(),
                vertices: if draw.control.alternate_count { alternate } else { draw.control.count.into() },
                source: match draw.vertices {
                    VertexSource::List => "arrays",
                    VertexSource::Embedded(_) => "packet",
                    VertexSource::EmbeddedIndices(_) => "arrays, indices in packet",
                    VertexSource::IndexBuffer { .. } => "arrays, indices in object",
                },
            }),
            Command::Write { address: VapAltNumVertices::ADDRESS, value, .. } => {
                alternate = VapAltNumVertices::decode(value).count;
            }
            Command::Write { .. } | Command::Upload { .. } | Command::VertexArrays(_) => {}
        }
    }
    Ok(draws)
}

/// Where the draw that begins at a word ends, with what belongs to it.
fn end(words: &[u32], at: usize) -> usize {
    let belongs = |packet: &Packet| matches!(packet, Packet::Command { opcode: Opcode::IndxBuffer | Opcode::Nop, .. });
    let rest = words.get(at..).unwrap_or_default();
    let end = packets(rest).skip(1).find(|(_, packet)| !packet.as_ref().is_ok_and(belongs));
    end.map_or(words.len(), |(place, _)| at + place)
}
