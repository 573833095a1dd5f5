//! Draws, from a list of vertices to primitives.

use crate::context::{DrawContext, DrawError};
use crate::state::Channel;
use ctm_card::DrawCounts;

/// What outlives draws: programs that were read, and memory. A card has one.
#[derive(Debug, Default)]
pub struct DrawCache {}

/// The vertices between the beginning and the end of a draw.
#[derive(Clone, Debug, Default)]
pub struct DrawList {}

impl DrawList {
    /// Begins a draw with the word of `VERTEX_BEGIN_GL`.
    pub fn begin(&mut self, _word: u32) {}

    /// Appends a range of indices. The edge flag of this and all others is the one of the time.
    pub fn arrays(&mut self, _first: u32, _count: u32, _edge: bool) {}

    /// Appends indices of the index buffer.
    pub fn elements(&mut self, _first: u32, _count: u32, _edge: bool) {}

    /// Appends an index.
    pub fn inline_u32(&mut self, _word: u32, _edge: bool) {}

    /// Appends two indices, the low one first.
    pub fn inline_u16(&mut self, _word: u32, _edge: bool) {}

    /// Appends four indices, the low one first.
    pub fn inline_u8(&mut self, _word: u32, _edge: bool) {}

    /// Appends the vertices that feedback has written up to so many bytes, in the state of the time.
    pub fn feedback_bytes(&mut self, _channel: &Channel, _bytes: u32, _edge: bool) {}

    /// How many vertices it has.
    pub fn vertices(&self) -> u64 {
        0
    }
}

/// Draws a list, and gives what that did.
///
/// # Errors
/// At what is not executed, and if the time is up or a program stops.
pub fn draw(_channel: &mut Channel, _context: &DrawContext, _list: &DrawList) -> Result<DrawCounts, DrawError> {
    Err(DrawError::NotYet { what: "a draw" })
}
