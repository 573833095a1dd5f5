//! Pixels of objects that drivers share with other programs.

use crate::layout::BlockLayout;
use ctm_card::{CONTIGUOUS_PIXELS, PixelPlaces, SharedImage};

/// In `tile_flags`: how memory is laid out. 0 is row by row; all others are blocks (Mesa nvc0_miptree.c).
const KIND: u32 = 0xFF00;

/// Where they lie; `None` if they lie row by row.
pub fn pixel_places(image: &SharedImage) -> Option<PixelPlaces> {
    let SharedImage { tiling: [mode, flags], stride, rows, pixel_bytes } = *image;
    if flags & KIND == 0 {
        return None;
    }
    let [height_log2, depth_log2] = [4, 8].map(|at| (mode >> at & 0xF) as u8);
    let layout = BlockLayout::new(stride.into(), rows.into(), height_log2, depth_log2);
    let bytes = CONTIGUOUS_PIXELS * pixel_bytes as usize;
    let columns: Vec<u64> = (0..u64::from(stride)).step_by(bytes).map(|x| layout.column(x)).collect();
    Some(Box::new(move |y, places| {
        let row = layout.row(y.into(), 0);
        places.iter_mut().zip(&columns).for_each(|(place, column)| *place = row + column);
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_lie_in_blocks_if_the_flags_say_so() {
        let image = SharedImage { tiling: [0x10, 0], stride: 128, rows: 40, pixel_bytes: 4 };
        assert!(pixel_places(&image).is_none());
        // Blocks of two GOBs: 1024 bytes of 16 rows; a GOB is 16 pixels wide.
        let places = pixel_places(&SharedImage { tiling: [0x10, 0xFE00], ..image }).unwrap();
        let row = |y| {
            let mut found = [0; 8];
            places(y, &mut found);
            found
        };
        assert_eq!(row(0), [0, 32, 256, 288, 1024, 1056, 1280, 1312]);
        assert_eq!(row(1)[..2], [16, 48]);
        assert_eq!(row(2)[..2], [64, 96]);
        assert_eq!(row(8)[..2], [512, 544]);
        assert_eq!(row(16)[..2], [2048, 2080], "the second row of blocks");
    }
}
