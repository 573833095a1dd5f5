//! Launches of programs.

use crate::context::{DrawContext, DrawError};
use crate::state::Channel;

/// Launches what the methods of the compute class say.
///
/// # Errors
/// At what is not executed, and if the time is up or the program stops.
pub fn launch(_channel: &mut Channel, _context: &DrawContext) -> Result<(), DrawError> {
    Err(DrawError::NotYet { what: "a launch" })
}
