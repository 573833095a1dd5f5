//! Pixels of objects that drivers share with other programs.

use crate::layout::Layout;
use crate::registers::codes::ArrayMode;
use ctm_card::{CONTIGUOUS_PIXELS, PixelPlaces, SharedImage, TILING_MACRO, TILING_MICRO};

/// Where they lie; `None` if they lie row by row.
pub fn pixel_places(image: &SharedImage) -> Option<PixelPlaces> {
    let SharedImage { tiling, stride, rows, pixel_bytes } = *image;
    let [tiling, _] = tiling;
    let mode = match (tiling & TILING_MACRO, tiling & TILING_MICRO) {
        (0, 0) => return None,
        (0, _) => ArrayMode::Tiled1d,
        (_, _) => ArrayMode::Tiled2d,
    };
    let layout = Layout::new(mode, stride / pixel_bytes, rows, pixel_bytes)?;
    Some(Box::new(ctm_pipeline::row_places::<CONTIGUOUS_PIXELS>(layout)))
}
