//! Pixels of objects that drivers share with other programs.

use crate::layout::{BlockLayout, Layout};
use ctm_bits::extract;
use ctm_card::{CONTIGUOUS_PIXELS, PixelPlaces, SharedImage};

/// Where they lie; `None` if they lie row by row. The driver notes with an object the form of its blocks (`tile_mode`) and its kind of memory
/// (`tile_flags`, 15:8): kind 0 is linear.
pub fn pixel_places(image: &SharedImage) -> Option<PixelPlaces> {
    let SharedImage { tiling: [mode, flags], stride, rows, pixel_bytes } = *image;
    if extract(flags, 15, 8) == 0 {
        return None;
    }
    let (height_log2, depth_log2) = (extract(mode, 7, 4) as u8, extract(mode, 11, 8) as u8);
    let layout = Layout::Blocks(BlockLayout::new(stride.into(), rows.into(), height_log2, depth_log2));
    let step = CONTIGUOUS_PIXELS as u64 * u64::from(pixel_bytes);
    Some(Box::new(move |row, places| {
        let row = layout.row(row.into(), 0);
        (0..).zip(places).for_each(|(number, place)| *place = row + layout.column(number * step));
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_blocks_lie_apart() {
        let image = SharedImage { tiling: [0x10, 0xFE08], stride: 256, rows: 20, pixel_bytes: 4 };
        let places = |image: &SharedImage, row: u32| {
            let mut places = [0; 16];
            pixel_places(image).map(|find| {
                find(row, &mut places);
                places
            })
        };
        let found = places(&image, 9).unwrap();
        // The second row of GOBs, the second row there.
        assert_eq!(found[..5], [512 + 16, 512 + 48, 512 + 272, 512 + 304, 1024 + 512 + 16]);
        assert_eq!(places(&SharedImage { tiling: [0x10, 8], ..image }, 9), None);
    }
}
