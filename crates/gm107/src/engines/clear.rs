//! Clears of colour targets and of the depth buffer.

use crate::format::{DepthFormat, SurfaceFormat};
use crate::methods::{ClearBuffers, ClearColor, ClearDepth, ClearStencil, ScreenScissorHoriz, ScreenScissorVert};
use crate::objects::Objects;
use crate::state::Methods;
use crate::surface::{Area, Plane, repeated};
use crate::targets::{self, Target};
use ctm_raster::channel::Words;

/// Clears what the word says: all samples of the pixels in the screen scissor. Gives the code of a format that there is not.
pub fn clear(methods: &Methods, objects: &Objects, what: ClearBuffers) -> Result<(), u8> {
    let layer = what.layer.into();
    if what.z || what.s {
        clear_depth(methods, objects, what, layer)?;
    }
    let mask = [what.r, what.g, what.b, what.a].iter().rev().fold(0, |mask, &written| mask << 1 | u8::from(written));
    if let Some((target, code)) = targets::colour(methods, what.rt.into()).filter(|_| mask != 0) {
        let format = SurfaceFormat::of(code).ok_or(code)?;
        let colour = [0, 1, 2, 3].map(|n| methods.word_at::<ClearColor>(n));
        let (pixel, bits) = (format.encode(colour), format.pixel.stored_bits(mask));
        fill(methods, objects, &target, layer, format.bytes(), (pixel, bits));
    }
    Ok(())
}

fn clear_depth(methods: &Methods, objects: &Objects, what: ClearBuffers, layer: u32) -> Result<(), u8> {
    let Some((target, code)) = targets::depth(methods) else { return Ok(()) };
    let format = DepthFormat::of(code).ok_or(code)?;
    let depth = format.encode(methods.float_at::<ClearDepth>(0));
    let pixel = format.words(depth, methods.get::<ClearStencil>().value);
    fill(methods, objects, &target, layer, format.bytes, (pixel, format.stored_bits(what.z, what.s)));
    Ok(())
}

/// Replaces bits of all pixels of this many bytes by those of a pixel.
fn fill(methods: &Methods, objects: &Objects, target: &Target, layer: u32, bytes: u32, (pixel, bits): (Words, Words)) {
    let (shift_x, shift_y) = targets::shifts(methods);
    let (horiz, vert) = (methods.get::<ScreenScissorHoriz>(), methods.get::<ScreenScissorVert>());
    let side = |first: u16, count: u16, shift: u32, size: u32| {
        let [first, end] = [u64::from(first), u64::from(first) + u64::from(count)];
        (first << shift).min(size.into())..(end << shift).min(size.into())
    };
    let columns = side(horiz.x, horiz.w, shift_x, target.width);
    let rows = side(vert.y, vert.h, shift_y, target.height);
    let (address, slice) = target.layer(layer);
    let bytes_of = u64::from(bytes);
    let area = Area { columns: columns.start * bytes_of..columns.end * bytes_of, rows, slice };
    Plane::new(objects, address, target.layout).fill(&area, repeated(pixel, bytes), repeated(bits, bytes));
}
