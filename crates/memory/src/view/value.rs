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
