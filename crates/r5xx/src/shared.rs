//! Pixels of objects that drivers share with other programs.

use crate::layout::{Layout, MicroTile};
use ctm_card::{CONTIGUOUS_PIXELS, PixelPlaces, SharedImage, TILING_MACRO, TILING_MICRO, TILING_MICRO_SQUARE};

/// Where they lie; `None` if they lie row by row.
pub fn pixel_places(image: &SharedImage) -> Option<PixelPlaces> {
    let SharedImage { tiling, stride, pixel_bytes, rows: _ } = *image;
    let [tiling, _] = tiling;
    let micro = match tiling & (TILING_MICRO | TILING_MICRO_SQUARE) {
        0 => MicroTile::Linear,
        TILING_MICRO => MicroTile::Tiled,
        _ => MicroTile::Square,
    };
    let macro_tile = tiling & TILING_MACRO != 0;
    if !macro_tile && micro == MicroTile::Linear {
        return None;
    }
    let layout = Layout::new(pixel_bytes, stride, macro_tile, micro);
    Some(Box::new(ctm_pipeline::row_places::<CONTIGUOUS_PIXELS>(layout)))
}
