//! The pipeline, from a draw packet to memory.

use crate::card::State;
use crate::stream::Draw;
use ctm_memory::Arena;
use thiserror::Error;

/// Why a draw has no effect.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DrawError {}

/// Draws.
pub fn draw(_state: &mut State, _memory: &Arena, _draw: &Draw) -> Result<(), DrawError> {
    Ok(())
}
