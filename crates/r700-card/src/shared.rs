//! Pixels of objects that drivers share with other programs.

use crate::layout::Layout;
use crate::registers::codes::ArrayMode;
use ctm_card::{PixelOffset, SharedImage, TILING_MACRO, TILING_MICRO};

/// Where they lie; `None` if they lie row by row.
pub fn pixel_offset(image: &SharedImage) -> Option<PixelOffset> {
    let SharedImage { tiling, stride, rows, pixel_bytes } = *image;
    let mode = match (tiling & TILING_MACRO, tiling & TILING_MICRO) {
        (0, 0) => return None,
        (0, _) => ArrayMode::Tiled1d,
        (_, _) => ArrayMode::Tiled2d,
    };
    let layout = Layout::new(mode, stride / pixel_bytes, rows, pixel_bytes)?;
    Some(Box::new(move |x, y| layout.offset(x, y, 0)))
}
