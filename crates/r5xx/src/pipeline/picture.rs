//! What colour and depth buffers show.

use super::DrawError;
use super::depth::{ColourClear, DepthUnit};
use super::targets::{ColourTarget, targets};
use crate::registers::ScScissorsBr;
use crate::state::State;
use ctm_card::{DepthPicture, DrawTarget, Picture};
use ctm_memory::Arena;

/// What a draw with this state would write to, if that is anything: colour buffer `number`, from 0. Of several samples of a
/// pixel the first is shown.
///
/// # Errors
/// If the buffer has a format that the card does not have.
pub fn picture(state: &State, memory: &Arena, number: usize) -> Result<Option<Picture>, DrawError> {
    let targets = targets(&state.registers, memory)?;
    let Some(target) = targets.get(number) else { return Ok(None) };
    let [width, height] = size(target, state, memory);
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let pixels: Vec<_> = places.map(|(x, y)| target.read(x, y)).collect();
    Ok((!pixels.is_empty()).then_some(Picture { width, height, pixels }))
}

/// Columns and rows of a colour buffer that are the framebuffer.
fn size(target: &ColourTarget, state: &State, memory: &Arena) -> [u32; 2] {
    let corner = state.registers.get::<ScScissorsBr>();
    // Clears through the depth unit write the lower half as another buffer.
    let halves = if ColourClear::of(&state.registers, memory).is_some() { 2 } else { 1 };
    let width = (u32::from(corner.x) + 1).min(target.pitch());
    let rows = 0..(u32::from(corner.y) + 1) * halves;
    let is_there = |&y: &u32| width.checked_sub(1).is_some_and(|last| target.has_pixel(last, y));
    [width, rows.take_while(is_there).count() as u32]
}

/// The first colour buffer that a draw with this state would write to.
pub fn draw_target(state: &State, memory: &Arena) -> Option<DrawTarget> {
    let targets = targets(&state.registers, memory).ok()?;
    let target = targets.first()?;
    let [width, height] = size(target, state, memory);
    Some(DrawTarget { address: target.address()?, width, height })
}

/// The depth buffer that is bound, if there is one, whether draws test with it or not.
pub fn depth_picture(state: &State, memory: &Arena) -> Option<DepthPicture> {
    // Clears of colour have a part of the colour buffer in its place.
    if ColourClear::of(&state.registers, memory).is_some() {
        return None;
    }
    let buffer = DepthUnit::bound(&state.registers, memory)?;
    let corner = state.registers.get::<ScScissorsBr>();
    let width = (u32::from(corner.x) + 1).min(buffer.surface()?.pitch());
    let last = width.checked_sub(1)?;
    let rows: Vec<u32> = (0..=u32::from(corner.y)).take_while(|&y| buffer.held(last, y).is_some()).collect();
    let held = rows.iter().flat_map(|&y| (0..width).map(move |x| (x, y))).filter_map(|(x, y)| buffer.held(x, y));
    let (depths, stencils): (Vec<u32>, Vec<u8>) = held.map(|(depth, stencil)| (depth.to_bits(), stencil)).unzip();
    let stencils = (!buffer.has_sixteen_bits()).then_some(stencils);
    (!rows.is_empty()).then_some(DepthPicture { width, height: rows.len() as u32, depths, stencils })
}
