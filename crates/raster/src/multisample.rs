//! Pixels of several samples.

use crate::channel::{Channel, ChannelKind, Words};
use crate::coverage::MAX_SAMPLES;
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

/// The bits of a word that are channels, if pixels are a word of fractions of bytes.
fn bytes_of(format: &TargetFormat) -> Option<u32> {
    let is_byte = |channel: &Channel| {
        let is_whole = channel.word() == 0 && channel.width() == 8 && channel.shift().is_multiple_of(8);
        is_whole && channel.kind() == ChannelKind::Unorm
    };
    let channels = || format.channels.iter().flatten();
    let bits = || channels().fold(0, |bits, channel| bits | 0xFF << channel.shift());
    (format.bytes == 4 && channels().all(is_byte)).then(bits)
}

/// [`resolve`] of many pixels, of each of whose samples these are the words.
#[inline(always)]
pub fn resolve_each<const N: usize>(format: &TargetFormat, samples: &[[[u32; N]; 4]]) -> [[u32; N]; 4] {
    let count = samples.len() as u32;
    let mut averages = [[0; N]; 4];
    let Some(bits) = bytes_of(format).filter(|_| (1..=MAX_SAMPLES as u32).contains(&count)) else {
        for n in 0..N {
            let mut pixel = [[0; 4]; MAX_SAMPLES];
            for (words, sample) in pixel.iter_mut().zip(samples) {
                *words = [sample[0][n], sample[1][n], sample[2][n], sample[3][n]];
            }
            let average = resolve(format, pixel.get(..samples.len()).unwrap_or_default());
            averages.iter_mut().zip(average).for_each(|(words, word)| words[n] = word);
        }
        return averages;
    };
    for shift in [0, 8, 16, 24] {
        let mut sums = [count / 2; N];
        for [words, ..] in samples {
            sums.iter_mut().zip(words).for_each(|(sum, word)| *sum += word >> shift & 0xFF);
        }
        averages[0].iter_mut().zip(sums).for_each(|(word, sum)| *word |= quotient(sum, count) << shift);
    }
    averages[0].iter_mut().for_each(|word| *word &= bits);
    averages
}

/// What is left of a sum of bytes divided by their count, which is at most [`MAX_SAMPLES`]: the product is too large by less than one of so many parts.
#[inline(always)]
fn quotient(sum: u32, count: u32) -> u32 {
    const ONE: u32 = 1 << 16;
    (sum * (ONE / count + 1)) >> 16
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
    fn averages_of_many_pixels_are_those_of_each() {
        for count in 1..=MAX_SAMPLES as u32 {
            assert!((0..=255 * count + count / 2).all(|sum| quotient(sum, count) == sum / count));
        }
        let part = |shift, width, kind| Some(Channel::new(shift, width, kind));
        let bytes = [16, 8, 0, 24].map(|shift| part(shift, 8, ChannelKind::Unorm));
        let formats = [
            TargetFormat { bytes: 4, channels: bytes },
            TargetFormat { bytes: 4, channels: [bytes[0], None, bytes[2], None] },
            TargetFormat { bytes: 4, channels: [part(0, 8, ChannelKind::Snorm), None, None, bytes[3]] },
            TargetFormat {
                bytes: 2,
                channels: [part(0, 5, ChannelKind::Unorm), part(5, 6, ChannelKind::Unorm), None, None],
            },
            TargetFormat { bytes: 8, channels: [0, 16, 32, 48].map(|shift| part(shift, 16, ChannelKind::Float16)) },
        ];
        ctm_cases::check(2000, |u| {
            let format = u.choose(&formats)?;
            let mut samples = vec![[[0; 8]; 4]; u.int_in_range(0..=MAX_SAMPLES)?];
            for word in samples.iter_mut().flatten().flatten() {
                *word = u.arbitrary()?;
            }
            let found = resolve_each(format, &samples);
            for n in 0..8 {
                let pixel: Vec<Words> = samples.iter().map(|words| words.map(|words| words[n])).collect();
                assert_eq!(found.map(|words| words[n]), resolve(format, &pixel), "{format:?} {pixel:x?}");
            }
            Ok(())
        });
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
