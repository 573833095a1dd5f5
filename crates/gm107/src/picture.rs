//! What draws would write to, as pictures: up to the framebuffer's size, with the first of each pixel's samples.

use crate::context::DrawError;
use crate::format::{DepthFormat, SurfaceFormat};
use crate::methods::{ScreenScissorHoriz, ScreenScissorVert};
use crate::state::{Channel, Methods};
use crate::surface::{Plane, pixel};
use crate::targets::{self, Target};
use ctm_card::{DepthPicture, DrawTarget, Object, Picture};
use ctm_memory::Arena;
use ctm_raster::channel::Words;
use ctm_raster::depth::DepthNumbers;

/// Pixels of a side, at most.
const MOST: u32 = 16_384;

/// What a draw in this state would write to, if that is anything: colour target `number`, from 0.
///
/// # Errors
/// If the target has a format that is not drawn to.
pub fn picture(state: &Channel, memory: &Arena, number: usize) -> Result<Option<Picture>, DrawError> {
    let methods = &state.three_d;
    let Some((target, code)) = u32::try_from(number).ok().and_then(|number| targets::colour(methods, number)) else {
        return Ok(None);
    };
    let format = SurfaceFormat::of(code).ok_or(DrawError::Format { code })?;
    let Some((width, height, pixels)) = pixels(methods, memory, &target, format.bytes()) else { return Ok(None) };
    Ok(Some(Picture { width, height, pixels: pixels.iter().map(|words| format.decode(words)).collect() }))
}

/// The depth buffer that is bound, if there is one.
///
/// # Errors
/// If it has a format that is not tested with.
pub fn depth_picture(state: &Channel, memory: &Arena) -> Result<Option<DepthPicture>, DrawError> {
    let methods = &state.three_d;
    let Some((target, code)) = targets::depth(methods) else { return Ok(None) };
    let format = DepthFormat::of(code).ok_or(DrawError::Format { code })?;
    let Some((width, height, pixels)) = pixels(methods, memory, &target, format.bytes) else { return Ok(None) };
    let number = |words: &Words| match format.numbers {
        DepthNumbers::Fraction(_) => (format.numbers.value(format.depth(words)) as f32).to_bits(),
        DepthNumbers::OrderedFloat => format.depth(words),
    };
    let depths = pixels.iter().map(number).collect();
    let stencils = pixels.iter().map(|words| format.stencil(words)).collect();
    Ok(Some(DepthPicture { width, height, depths, stencils }))
}

/// The first colour target that a draw in this state would write to.
pub fn draw_target(state: &Channel) -> Option<DrawTarget> {
    let methods = &state.three_d;
    let (target, _) = (0..targets::TARGETS).find_map(|number| targets::colour(methods, number))?;
    let [width, height] = size(methods, &target);
    Some(DrawTarget { address: u32::try_from(target.layer(0).0).ok()?, width, height })
}

/// The pixels of a target that are in the framebuffer.
fn size(methods: &Methods, target: &Target) -> [u32; 2] {
    let (shift_x, shift_y) = targets::shifts(methods);
    let (horiz, vert) = (methods.get::<ScreenScissorHoriz>(), methods.get::<ScreenScissorVert>());
    let width = (target.width >> shift_x).min(u32::from(horiz.x) + u32::from(horiz.w)).min(MOST);
    let height = (target.height >> shift_y).min(u32::from(vert.y) + u32::from(vert.h)).min(MOST);
    [width, height]
}

/// Width, height, and what is stored of each pixel; `None` if the target is not in the memory, or has no pixels.
fn pixels(methods: &Methods, memory: &Arena, target: &Target, bytes: u32) -> Option<(u32, u32, Vec<Words>)> {
    let [width, height] = size(methods, target);
    let (address, slice) = target.layer(0);
    let start = u32::try_from(address).ok().filter(|&address| memory.contains(address, 1))?;
    if width == 0 || height == 0 {
        return None;
    }
    let object = Object { address: start, size: memory.base().wrapping_add(memory.size()).wrapping_sub(start) };
    let plane = Plane::of_bytes(ctm_card::ObjectBytes::new(memory, object, 0), target.layout);
    let (shift_x, shift_y) = targets::shifts(methods);
    let step = (bytes as usize) << shift_x;
    let mut row = vec![0; step * width as usize];
    let mut pixels = Vec::with_capacity(width as usize * height as usize);
    for y in 0..u64::from(height) {
        plane.read_row(0, y << shift_y, slice, &mut row);
        pixels.extend(row.chunks_exact(step).map(|samples| pixel(&samples[..bytes as usize])));
    }
    Some((width, height, pixels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn pictures_are_what_targets_hold() {
        let memory = Arc::new(Arena::new(0x10_0000, 0x10_0000).unwrap());
        let mut state = Channel::default();
        let words = [
            (0x804, 0x10_0000),
            (0x808, 8),
            (0x80C, 4),
            (0x810, 0xCF),
            (0xFF4, 3 << 16),
            (0xFF8, 2 << 16),
            (0xFE4, 0x11_0000),
            (0xFE8, 0x14),
            (0x1228, 8),
            (0x122C, 4),
            (0x1538, 1),
            (0x15D0, 1),
        ];
        words.iter().for_each(|&(method, word)| state.three_d.write(method, word));
        // The second row of samples, the third sample of it: the second pixel.
        memory.write_u32(0x10_0000 + 16 + 8, 0x00FF_0000);
        memory.write_u32(0x11_0000 + 16 + 8, 0xFFFF_FF07);
        let shown = picture(&state, &memory, 0).unwrap().unwrap();
        let one = 1.0f32.to_bits();
        assert_eq!((shown.width, shown.height, shown.pixels.len(), shown.pixels[4]), (3, 2, 6, [one, 0, 0, 0]));
        let depth = depth_picture(&state, &memory).unwrap().unwrap();
        assert_eq!((depth.depths[4], depth.stencils.map(|stencils| stencils[4])), (one, Some(7)));
        assert_eq!(draw_target(&state), Some(DrawTarget { address: 0x10_0000, width: 3, height: 2 }));
        assert_eq!(picture(&state, &memory, 1), Ok(None));
        state.three_d.write(0x810, 0xFE);
        assert_eq!(picture(&state, &memory, 0), Err(DrawError::Format { code: 0xFE }));
    }
}
