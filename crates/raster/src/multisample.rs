//! Pixels of several samples.

use crate::channel::{Channel, ChannelKind, Words};
use crate::target::TargetFormat;

/// Where a sample lies in a surface whose samples lie in pages of their own: each page (`page` bytes, a power of two) of the surface with
/// one sample per pixel is followed by the same page of the other samples. `offset` is that of the pixel in the surface with one sample.
#[inline]
pub fn sample_offset(offset: u32, sample: u32, samples: u32, page: u32) -> u32 {
    let inside = offset & (page - 1);
    (offset - inside).wrapping_mul(samples).wrapping_add(page.wrapping_mul(sample)).wrapping_add(inside)
}

/// The average of a pixel's samples, per channel: integers are rounded to nearest, halves up; floats are summed up in binary32 in order of
/// samples, and divided. 0 without samples.
pub fn resolve(format: &TargetFormat, samples: &[Words]) -> Words {
    format.pack(|_, channel| average(channel, samples))
}

/// The average of so many numbers, of which this is the sum: bits.
#[inline(always)]
pub fn mean(sum: f32, count: f32) -> u32 {
    crate::bits(sum / count)
}

fn average(channel: Channel, samples: &[Words]) -> u32 {
    let bits = samples.iter().map(|words| channel.extract(words));
    let count = samples.len() as u32;
    match channel.kind() {
        _ if count == 0 => 0,
        ChannelKind::Unorm => (bits.sum::<u32>() + count / 2) / count,
        ChannelKind::Snorm => {
            let unused = 32 - channel.width();
            let sum: i32 = bits.map(|bits| (bits << unused) as i32 >> unused).sum();
            (sum + count as i32 / 2).div_euclid(count as i32) as u32
        }
        ChannelKind::Float16 | ChannelKind::Float32 => {
            let sum = bits.fold(0.0, |sum, bits| sum + f32::from_bits(channel.decode(bits)));
            channel.encode(mean(sum, count as f32))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn samples_lie_apart_in_whole_pages() {
        let mut seen = BTreeSet::new();
        for offset in (0..3 * 2048).step_by(4) {
            for sample in 0..6 {
                let place = sample_offset(offset, sample, 6, 2048);
                assert_eq!(place % 2048, offset % 2048);
                assert!(seen.insert(place) && place < 3 * 2048 * 6);
            }
        }
        assert_eq!(sample_offset(2048 + 4, 2, 4, 2048), 4 * 2048 + 2 * 2048 + 4);
    }

    #[test]
    fn averages() {
        let one =
            |kind, width| TargetFormat { bytes: 4, channels: [Some(Channel::new(0, width, kind)), None, None, None] };
        let of = |format, samples: &[u32]| {
            let words: Vec<Words> = samples.iter().map(|&sample| [sample, 0, 0, 0]).collect();
            resolve(&format, &words)[0]
        };
        assert_eq!(of(one(ChannelKind::Unorm, 8), &[255, 255, 0, 0]), 128, "127.5 is rounded up");
        assert_eq!(of(one(ChannelKind::Unorm, 8), &[1, 0, 0, 0]), 0);
        assert_eq!(of(one(ChannelKind::Unorm, 8), &[1, 0, 1]), 1);
        assert_eq!(of(one(ChannelKind::Snorm, 8), &[0x81, 0x7F, 0xFD, 0xFE]), 0xFF, "-5/4");
        assert_eq!(of(one(ChannelKind::Float32, 32), &[1f32.to_bits(), 2f32.to_bits()]), 1.5f32.to_bits());
        assert_eq!(of(one(ChannelKind::Float16, 16), &[0x3C00, 0x4000, 0x4000, 0x3C00, 0, 0]), 0x3C00);
        assert_eq!(of(one(ChannelKind::Unorm, 8), &[]), 0);
    }
}
