//! What a colour buffer shows.

use super::DrawError;
use super::colour::targets;
use super::depth::ColourClear;
use crate::registers::ScScissorsBr;
use crate::state::State;
use ctm_card::Picture;
use ctm_memory::Arena;

/// What a draw with this state would write to, if that is anything: colour buffer `number`, from 0. Of several samples of a
/// pixel the first is shown.
///
/// # Errors
/// If the buffer has a format that the card does not have.
pub fn picture(state: &State, memory: &Arena, number: usize) -> Result<Option<Picture>, DrawError> {
    let targets = targets(&state.registers, memory)?;
    let Some(target) = targets.get(number) else { return Ok(None) };
    let corner = state.registers.get::<ScScissorsBr>();
    // Clears through the depth unit write the lower half as another buffer.
    let halves = if ColourClear::of(&state.registers, memory).is_some() { 2 } else { 1 };
    let width = (u32::from(corner.x) + 1).min(target.pitch());
    let Some(last) = width.checked_sub(1) else { return Ok(None) };
    let rows = 0..(u32::from(corner.y) + 1) * halves;
    let rows: Vec<u32> = rows.take_while(|&y| target.has_pixel(last, y)).collect();
    let pixels = rows.iter().flat_map(|&y| (0..width).map(move |x| (x, y))).map(|(x, y)| target.read(x, y)).collect();
    Ok((!rows.is_empty()).then_some(Picture { width, height: rows.len() as u32, pixels }))
}
