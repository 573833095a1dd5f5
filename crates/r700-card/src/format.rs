//! Formats of colour targets. Textures have the same codes, see [`crate::texels`].
//!
//! Source: Mesa `r600d.h` (`V_038004_FMT_...`, `V_0280A0_COLOR_...`).

use crate::registers::codes::NumberType;
use ctm_raster::channel::{Channel, ChannelKind};
use ctm_raster::pixel::{ComponentNumbers, PixelComponent, PixelFormat};

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
        0x0D => (&[32], false),
        0x0E => (&[32], true),
        0x0F => (&[16, 16], false),
        0x10 => (&[16, 16], true),
        0x11 => (&[24, 8], false),
        0x13 => (&[8, 24], false),
        0x16 => (&[11, 11, 10], true),
        0x19 => (&[10, 10, 10, 2], false),
        0x1A => (&[8, 8, 8, 8], false),
        0x1B => (&[2, 10, 10, 10], false),
        0x1D => (&[32, 32], false),
        0x1E => (&[32, 32], true),
        0x1F => (&[16, 16, 16, 16], false),
        0x20 => (&[16, 16, 16, 16], true),
        0x22 => (&[32, 32, 32, 32], false),
        0x23 => (&[32, 32, 32, 32], true),
        _ => return None,
    })
}

/// A channel of floating-point numbers or fractions; `None` if there are none of this width.
fn channel(shift: u32, width: u32, float: bool, signed: bool) -> Option<Channel> {
    let kind = match (float, width, signed) {
        (true, 32, _) => ChannelKind::Float32,
        (true, 16, _) => ChannelKind::Float16,
        (false, 2..=24, true) => ChannelKind::Snorm,
        (false, 1..=24, _) => ChannelKind::Unorm,
        _ => return None,
    };
    Some(Channel::new(shift, width, kind))
}

/// The bytes of a pixel of this format, and its parts, the lowest in memory first; those that hold colour (not alpha) with sRGB are given.
fn parts(code: u8, numbers: NumberType, is_colour: impl Fn(usize) -> bool) -> Option<(u32, Vec<PixelComponent>)> {
    // Depth and stencil values in two words; some bits are not used.
    let depth: (&[u32], bool) = (&[32, 8], true);
    let (widths, float) = if code == DEPTH_STENCIL { depth } else { components(code)? };
    let mut shift = 0;
    let part = |(n, &width): (usize, &u32)| {
        let integer = |numbers| (!float).then(|| PixelComponent::new(shift, width, numbers));
        let fraction = |signed| channel(shift, width, float, signed).map(PixelComponent::plain);
        let part = match numbers {
            NumberType::Float if float && matches!(width, 10 | 11) => {
                Some(PixelComponent::new(shift, width, ComponentNumbers::Float))
            }
            _ if code == DEPTH_STENCIL && n == 1 => Some(PixelComponent::new(shift, width, ComponentNumbers::Uint)),
            NumberType::Unorm | NumberType::Float => fraction(false),
            NumberType::Snorm => fraction(true),
            NumberType::Uint => integer(ComponentNumbers::Uint),
            NumberType::Sint => integer(ComponentNumbers::Sint),
            NumberType::Srgb if !is_colour(n) => fraction(false),
            NumberType::Srgb => {
                (width == 8 && !float).then(|| PixelComponent::new(shift, width, ComponentNumbers::Srgb))
            }
            NumberType::Uscaled | NumberType::Sscaled => None,
        };
        shift += width;
        part
    };
    let parts = widths.iter().enumerate().map(part).collect::<Option<Vec<_>>>()?;
    let bytes = if code == DEPTH_STENCIL { 8 } else { widths.iter().sum::<u32>() / 8 };
    Some((bytes, parts))
}

/// `X24_8_32_FLOAT`.
const DEPTH_STENCIL: u8 = 0x1C;

/// What a pixel of a colour target is. `swap` is the order of its components. `None` for formats that cannot be drawn to.
pub fn target(code: u8, numbers: NumberType, swap: u8) -> Option<PixelFormat> {
    let count = if code == DEPTH_STENCIL { 2 } else { components(code)?.0.len() };
    // The colour that each component in memory is, the lowest first.
    let order: &[usize] = match (count, swap) {
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
    let (bytes, parts) = parts(code, numbers, |n| order.get(n).is_some_and(|&colour| colour != 3))?;
    let mut format = PixelFormat { bytes, parts: [None; 4] };
    for (&colour, part) in order.iter().zip(parts) {
        format.parts[colour] = Some(part);
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
        for (code, numbers) in [
            (0x3F, NumberType::Unorm),
            (0x08, NumberType::Srgb),
            (0x0D, NumberType::Unorm),
            (0x0E, NumberType::Uint),
            (0x1A, NumberType::Uscaled),
        ] {
            assert!(target(code, numbers, 0).is_none(), "{code:#x}");
        }
    }

    #[test]
    fn targets_have_numbers_of_every_type() {
        let stored = |code, numbers, swap, values: [u32; 4]| target(code, numbers, swap).unwrap().encode(values);
        let half = [0.5f32; 4].map(f32::to_bits);
        assert_eq!(stored(0x1A, NumberType::Srgb, 1, half)[0], 0x80BC_BCBC);
        assert_eq!(stored(0x22, NumberType::Sint, 0, [1, 2, 3, u32::MAX]), [1, 2, 3, u32::MAX]);
        assert_eq!(stored(0x19, NumberType::Uint, 0, [1, 2, 3, 9])[0], 3 << 30 | 3 << 20 | 2 << 10 | 1);
        assert_eq!(stored(0x16, NumberType::Float, 0, half)[0], 14 << 27 | 14 << 17 | 14 << 6);
        let depth = target(0x1C, NumberType::Float, 0).unwrap();
        assert_eq!((depth.bytes, depth.encode([half[0], 7, 0, 0])), (8, [half[0], 7, 0, 0]));
    }

    #[test]
    fn elements_have_whole_bytes() {
        for code in 0..64 {
            if let Some((widths, _)) = components(code) {
                assert!(matches!(widths.iter().sum::<u32>(), 8 | 16 | 32 | 64 | 128), "{code:#x}");
            }
        }
    }
}
