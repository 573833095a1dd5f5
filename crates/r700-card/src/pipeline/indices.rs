//! The vertices that a draw names, in order, cut into the parts that restarts make.

use super::DrawError;
use crate::draws::vertices;
use crate::packets::IndexWidth;
use crate::registers::{VgtIndxOffset, VgtMultiPrimIbResetEn, VgtMultiPrimIbResetIndx};
use crate::state::State;
use crate::stream::{Draw, Indices};
use ctm_card::ObjectBytes;
use ctm_memory::Arena;

/// Vertices of a draw at most.
const LIMIT: u32 = 1 << 24;

/// How many vertices a draw names, restarts among them, of one instance.
pub fn count(state: &State, draw: &Draw) -> Result<usize, DrawError> {
    match vertices(&state.registers, draw) {
        count @ ..=LIMIT => Ok(count as usize),
        count => Err(DrawError::Vertices { count }),
    }
}

/// The parts of a draw, each with the numbers of its vertices, offset added.
pub fn parts(state: &State, memory: &Arena, draw: &Draw) -> Result<Vec<Vec<u32>>, DrawError> {
    let count = count(state, draw)? as u32;
    let offset = state.registers.get::<VgtIndxOffset>().value;
    let bytes = if state.index_width == IndexWidth::Bits32 { 4 } else { 2 };
    let read: Vec<u32> = match draw.indices {
        Indices::Counted => return Ok(vec![(0..count).map(|n| n.wrapping_add(offset)).collect()]),
        Indices::Memory(place) => {
            let object = ObjectBytes::new(memory, place.object, 0);
            (0..count)
                .map(|n| object.read_word(place.offset.saturating_add(u64::from(n) * u64::from(bytes)), bytes))
                .collect()
        }
        Indices::Packet(words) => (0..count as usize)
            .map(|n| match bytes {
                4 => words.get(n).copied().unwrap_or_default(),
                _ => words.get(n / 2).copied().unwrap_or_default() >> (16 * (n % 2)) & 0xFFFF,
            })
            .collect(),
    };
    let restarts = state.registers.get::<VgtMultiPrimIbResetEn>().enable;
    let end = state.registers.get::<VgtMultiPrimIbResetIndx>().value & (u32::MAX >> (32 - 8 * bytes));
    let parts = read.split(|&index| restarts && index == end);
    Ok(parts.map(|part| part.iter().map(|index| index.wrapping_add(offset)).collect()).collect())
}
