//! Formats of colour targets. Textures have the same codes, see [`crate::texels`].
//!
//! Source: Mesa `r600d.h` (`V_038004_FMT_...`, `V_0280A0_COLOR_...`).

use crate::registers::codes::NumberType;
use ctm_raster::channel::{Channel, Kind};
use ctm_raster::target::TargetFormat;

/// The bits of a format's components, the lowest in memory first; whether they are floating-point numbers.
fn components(code: u8) -> Option<(&'static [u32], bool)> {
    Some(match code {
        0x01 => (&[8], false),
        0x02 => (&[4, 4], false),
        0x03 => (&[2, 3, 3], false),
        0x05 => (&[16], false),
        0x06 => (&[16], true),
        0x07 => (&[8, 8], false),
        0x08 => (&[5, 6, 5], false),
        0x0A => (&[5, 5, 5, 1], false),
        0x0B => (&[4, 4, 4, 4], false),
        0x0C => (&[1, 5, 5, 5], false),
        0x0E => (&[32], true),
        0x0F => (&[16, 16], false),
        0x10 => (&[16, 16], true),
        0x11 => (&[24, 8], false),
        0x13 => (&[8, 24], false),
        0x19 => (&[10, 10, 10, 2], false),
        0x1A => (&[8, 8, 8, 8], false),
        0x1B => (&[2, 10, 10, 10], false),
        0x1E => (&[32, 32], true),
        0x1F => (&[16, 16, 16, 16], false),
        0x20 => (&[16, 16, 16, 16], true),
        0x23 => (&[32, 32, 32, 32], true),
        _ => return None,
    })
}

/// The channels of a format, the lowest in memory first, and its bytes. `None` for codes that are not drawn yet.
fn channels(code: u8, signed: bool) -> Option<(Vec<Channel>, u32)> {
    let (widths, float) = components(code)?;
    let mut shift = 0;
    let channel = |&width: &u32| {
        let kind = match (float, width, signed) {
            (true, 32, _) => Kind::Float32,
            (true, ..) => Kind::Float16,
            (false, 2.., true) => Kind::Snorm,
            (false, ..) => Kind::Unorm,
        };
        let channel = Channel::new(shift, width, kind);
        shift += width;
        channel
    };
    let channels: Vec<_> = widths.iter().map(channel).collect();
    Some((channels, widths.iter().sum::<u32>() / 8))
}

/// What a pixel of a colour target is: channels 0 to 3 are red, green, blue and alpha. `swap` is their order. `None` for formats that are
/// not drawn yet.
pub fn target(code: u8, numbers: NumberType, swap: u8) -> Option<TargetFormat> {
    let signed = match numbers {
        NumberType::Unorm | NumberType::Float => false,
        NumberType::Snorm => true,
        NumberType::Uscaled | NumberType::Sscaled | NumberType::Uint | NumberType::Sint | NumberType::Srgb => {
            return None;
        }
    };
    let (found, bytes) = channels(code, signed)?;
    // The colour that each component in memory is, the lowest first.
    let order: &[usize] = match (found.len(), swap) {
        (4, 0) => &[0, 1, 2, 3],
        (4, 1) => &[2, 1, 0, 3],
        (4, 2) => &[3, 2, 1, 0],
        (4, _) => &[3, 0, 1, 2],
        (3, 0) => &[0, 1, 2],
        (3, 1) => &[0, 1, 3],
        (3, 2) => &[2, 1, 0],
        (3, _) => &[1, 2, 3],
        (2, 0) => &[0, 1],
        (2, 1) => &[0, 3],
        (2, 2) => &[1, 0],
        (2, _) => &[3, 0],
        (_, 0) => &[0],
        (_, 1) => &[1],
        (_, 2) => &[2],
        (..) => &[3],
    };
    let mut format = TargetFormat { bytes, channels: [None; 4] };
    for (&colour, channel) in order.iter().zip(found) {
        format.channels[colour] = Some(channel);
    }
    Some(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_have_their_order() {
        let colour = [1.0f32, 0.5, 0.25, 0.0].map(f32::to_bits);
        let stored = |code, swap| target(code, NumberType::Unorm, swap).unwrap().encode(colour)[0];
        assert_eq!([0, 1, 2, 3].map(|swap| stored(0x1A, swap)), [0x0040_80FF, 0x00FF_8040, 0xFF80_4000, 0x4080_FF00]);
        assert_eq!([stored(0x08, 0), stored(0x08, 2)], [8 << 11 | 32 << 5 | 31, 31 << 11 | 32 << 5 | 8]);
        assert_eq!([stored(0x07, 1), stored(0x01, 3)], [0x0000_00FF, 0]);
        assert!(target(0x1A, NumberType::Srgb, 0).is_none() && target(0x3F, NumberType::Unorm, 0).is_none());
    }

    #[test]
    fn elements_have_whole_bytes() {
        for code in 0..64 {
            if let Some((widths, _)) = components(code) {
                assert!(matches!(widths.iter().sum::<u32>(), 8 | 16 | 32 | 64 | 128), "{code:#x}");
                assert!(channels(code, true).is_some());
            }
        }
    }
}
