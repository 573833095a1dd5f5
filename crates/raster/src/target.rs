//! Formats of colour buffers.

use crate::channel::{Channel, Words};

/// What a pixel of a colour buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetFormat {
    /// Bytes of a pixel: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// Where channels 0 to 3 lie; `None` where the format lacks one. Usually red, green, blue, alpha, or blue first.
    pub channels: [Option<Channel>; 4],
}

impl TargetFormat {
    /// A pixel with these channels (bits). What the format lacks is dropped.
    #[inline]
    pub fn encode(&self, values: [u32; 4]) -> Words {
        self.pack(|n, channel| channel.encode(values[n]))
    }

    /// A pixel whose channels have the bits that `bits` gives for each channel, by number.
    #[inline]
    pub(crate) fn pack(&self, bits: impl Fn(usize, Channel) -> u32) -> Words {
        if self.bytes <= 4 {
            // In one register: an array that is written word by word and read as a whole takes longer.
            let bits = |n: usize| self.channels[n].map_or(0, |channel| channel.shifted(bits(n, channel)));
            return [bits(0) | bits(1) | bits(2) | bits(3), 0, 0, 0];
        }
        let mut words = [0; 4];
        for (n, channel) in self.channels.iter().enumerate() {
            if let Some(channel) = channel {
                channel.insert(&mut words, bits(n, *channel));
            }
        }
        words
    }

    /// The channels of a pixel (bits). Those that the format lacks are 0, channel 3 is 1.
    #[inline]
    pub fn decode(&self, words: &Words) -> [u32; 4] {
        const ONE: u32 = 0x3F80_0000;
        let mut values = [0, 0, 0, ONE];
        for (value, channel) in values.iter_mut().zip(self.channels) {
            if let Some(channel) = channel {
                *value = channel.decode(channel.extract(words));
            }
        }
        values
    }

    /// The stored bits that the channels of a mask (bit n: channel n) occupy.
    pub fn stored_bits(&self, mask: u8) -> Words {
        self.pack(|n, _| if mask >> n & 1 != 0 { u32::MAX } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::ChannelKind;

    const R5G6B5: TargetFormat = TargetFormat {
        bytes: 2,
        channels: [
            Some(Channel::new(0, 5, ChannelKind::Unorm)),
            Some(Channel::new(5, 6, ChannelKind::Unorm)),
            Some(Channel::new(11, 5, ChannelKind::Unorm)),
            None,
        ],
    };

    #[test]
    fn packed_pixels() {
        let values = [1.0f32, 0.5, 0.25, 0.0].map(f32::to_bits);
        assert_eq!(R5G6B5.encode(values), [8 << 11 | 32 << 5 | 31, 0, 0, 0]);
        let decoded = R5G6B5.decode(&[8 << 11 | 32 << 5 | 31, 0, 0, 0]).map(f32::from_bits);
        assert_eq!(decoded, [1.0, 32.0 / 63.0, 8.0 / 31.0, 1.0]);
        assert_eq!(R5G6B5.stored_bits(0b1010), [63 << 5, 0, 0, 0]);
        assert_eq!(R5G6B5.stored_bits(0b0101), [!(63 << 5) & 0xFFFF, 0, 0, 0]);
    }

    #[test]
    fn wide_pixels() {
        let channels = [0, 1, 2, 3].map(|n| Some(Channel::new(32 * n, 32, ChannelKind::Float32)));
        let float = TargetFormat { bytes: 16, channels };
        let odd = [0x7F80_0001, 0x8000_0001, 0xFFFF_FFFF, 1];
        assert_eq!(float.encode(odd), odd);
        assert_eq!(float.decode(&odd), odd);
        assert_eq!(float.stored_bits(0b1000), [0, 0, 0, u32::MAX]);
        let channels = [0, 1, 2, 3].map(|n| Some(Channel::new(16 * n, 16, ChannelKind::Float16)));
        let half = TargetFormat { bytes: 8, channels };
        assert_eq!(half.encode([1.0f32, -2.0, 65520.0, 0.0].map(f32::to_bits)), [0xC000_3C00, 0x7C00, 0, 0]);
    }
}
