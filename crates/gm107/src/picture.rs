//! What draws would write to, as pictures.

use crate::context::DrawError;
use crate::state::Channel;
use ctm_card::{DepthPicture, Picture};
use ctm_memory::Arena;

/// What a draw in this state would write to, if that is anything: colour target `number`, from 0.
///
/// # Errors
/// If the target has a format that is not drawn to.
pub fn picture(_state: &Channel, _memory: &Arena, _number: usize) -> Result<Option<Picture>, DrawError> {
    Ok(None)
}

/// The depth buffer that is bound, if there is one.
///
/// # Errors
/// If it has a format that is not tested with.
pub fn depth_picture(_state: &Channel, _memory: &Arena) -> Result<Option<DepthPicture>, DrawError> {
    Ok(None)
}
