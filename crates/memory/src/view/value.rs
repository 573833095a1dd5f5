//! Elements as one value each, which a conditional unit compares and replaces (CTM Guide p.22).

use super::View;
use crate::Format;
use ctm_num::{convert, flushed};
use std::cmp::Ordering;

/// The value that an element of UINT8_4 holds: a fraction of 24 bits. The top byte takes no part.
const FRACTION: u32 = 0xFF_FFFF;

impl View<'_> {
    /// Compares a value (binary32 bits) with the one of element (`x`, `y`), as the surface stores values: as numbers whose
    /// denormals are zeros, or as unsigned fractions of 16 bits (UINT16_1) and 24 bits (UINT8_4). None if one is a NaN.
    pub fn compare(&self, x: i64, y: i64, value: u32) -> Option<Ordering> {
        let (new, stored) = (self.stored(value), self.load_raw(x, y)[0]);
        match self.surface.format {
            Format::Uint16_1 => Some(new.cmp(&stored)),
            Format::Uint8_4 => Some(new.cmp(&(stored & FRACTION))),
            Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => flushed::compare(new, stored),
        }
    }

    /// Replaces element (`x`, `y`) by a value (binary32 bits).
    pub fn replace(&self, x: i64, y: i64, value: u32) {
        self.store_raw(x, y, [self.stored(value), 0, 0, 0]);
    }

    /// The bits that a value has in elements.
    fn stored(&self, value: u32) -> u32 {
        match self.surface.format {
            Format::Uint16_1 => convert::f32_to_unorm16(value).into(),
            Format::Uint8_4 => convert::f32_to_unorm24(value),
            Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Bounds, Space, Surface, Tiling};

    const NAN: u32 = 0x7FC0_0000;

    /// What is compared is what the surface can hold: a fraction of so many bits, or a number without denormals.
    #[test]
    fn elements_compare_as_their_surface_stores_them() {
        let f = |value: f32| value.to_bits();
        for (format, stored, rows) in [
            (
                Format::Uint16_1,
                0x8000,
                [(0.5, Some(Ordering::Equal)), (0.51, Some(Ordering::Greater)), (-3.0, Some(Ordering::Less))],
            ),
            // The top byte takes no part.
            (
                Format::Uint8_4,
                0xAB80_0000,
                [(0.5, Some(Ordering::Equal)), (0.51, Some(Ordering::Greater)), (f32::NAN, Some(Ordering::Less))],
            ),
            (
                Format::Float32_1,
                0x8000_0001,
                [(0.0, Some(Ordering::Equal)), (0.51, Some(Ordering::Greater)), (f32::NAN, None)],
            ),
            (
                Format::Float32_2,
                0x3F00_0000,
                [(0.5, Some(Ordering::Equal)), (-0.5, Some(Ordering::Less)), (f32::NAN, None)],
            ),
            (Format::Float32_4, NAN, [(0.5, None), (-0.5, None), (f32::NAN, None)]),
        ] {
            let mut space = Space::default();
            space.map(Arena::new(0x1000, 0x1000).unwrap()).unwrap();
            let surface =
                Surface { base: 0x1000, pitch: 32, height: 2, tiling: Tiling::Linear, superfine: false, format };
            let view = View::new(&space, surface, Bounds::Drop);
            view.store_raw(3, 1, [stored, 0, 0, 0]);
            for (value, expected) in rows {
                assert_eq!(view.compare(3, 1, f(value)), expected, "{format} {value}");
            }
            view.replace(3, 1, f(0.25));
            let replaced = match format {
                Format::Uint16_1 => 0x4000,
                Format::Uint8_4 => 0x40_0000,
                Format::Float32_1 | Format::Float32_2 | Format::Float32_4 => f(0.25),
            };
            assert_eq!(view.load_raw(3, 1)[0], replaced, "{format}");
        }
    }
}
