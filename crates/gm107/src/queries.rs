//! Reports: what queries ask for is stored in memory, and conditions look at it.

use crate::counters::{Counters, STREAMS};
use crate::methods::codes::ConditionMode;
use crate::methods::{QueryAddressHigh, QueryGet, QuerySequence};
use crate::objects::Objects;
use crate::state::{Channel, Methods};

/// Bytes of a report that is not short.
pub const REPORT_BYTES: u64 = 16;

/// The value of a report that is not short, of 64 bits; `None` if there is no such report.
pub fn value(channel: &Channel, get: QueryGet, sequence: u32) -> Option<u64> {
    let Counters { samples, written, needed, generated, statistics } = channel.counters;
    let stream = usize::from(get.stream) % STREAMS;
    let high = |high: u32| u64::from(high) << 32 | u64::from(sequence);
    let missing = |stream: usize| needed[stream].wrapping_sub(written[stream]);
    Some(match get.report {
        0x00 => sequence.into(),
        0x01 => statistics.vertices,
        0x02 => high(samples as u32),
        0x03 => statistics.primitives,
        0x05 => statistics.vertex_programs,
        0x06 => missing(stream),
        0x07 => statistics.geometry_programs,
        0x09 => statistics.geometry_primitives,
        0x0B => written[stream],
        0x0D => needed[stream],
        0x0F => statistics.clipped,
        0x11 => statistics.clipping_left,
        0x12 => generated[stream],
        0x13 => statistics.fragment_programs,
        0x1A => high(channel.feedback[stream]),
        0x1B => statistics.patches,
        0x1D => statistics.tessellation_programs,
        0x1E => (0..STREAMS).fold(0, |sum, stream| sum.wrapping_add(missing(stream))),
        _ => return None,
    })
}

/// Where a report goes, and its number.
pub fn place(methods: &Methods) -> (u64, u32) {
    (methods.address_at::<QueryAddressHigh>(0), methods.get::<QuerySequence>().value)
}

/// Stores a report that is not short: its value, and the time in nanoseconds.
pub fn store(objects: &Objects, address: u64, value: u64, time: u64) {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&value.to_le_bytes());
    bytes[8..].copy_from_slice(&time.to_le_bytes());
    objects.write(address, &bytes);
}

/// Whether a condition holds.
pub fn holds(objects: &Objects, address: u64, mode: ConditionMode) -> bool {
    let number = |offset: u64| {
        let mut bytes = [0; 8];
        objects.read(address.saturating_add(offset), &mut bytes);
        u64::from_le_bytes(bytes)
    };
    match mode {
        ConditionMode::Always => true,
        ConditionMode::Never => false,
        ConditionMode::NotZero => number(0) != 0,
        ConditionMode::Equal => number(0) == number(16),
        ConditionMode::NotEqual => number(0) != number(16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::RegisterType;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use std::sync::Arc;

    #[test]
    fn reports_have_the_counters_of_their_stream() {
        let mut channel = Channel::default();
        channel.counters.samples = 0x1_0000_0005;
        (channel.counters.needed, channel.counters.written) = ([9, 8, 7, 6], [1, 2, 3, 4]);
        channel.feedback[2] = 0x30;
        channel.counters.statistics.fragment_programs = 77;
        let value = |get: u32| value(&channel, QueryGet::decode(get), 0xAB);
        let stream = |number: u32| number << 5;
        assert_eq!(value(0x0100_F002), Some(0x5_0000_00AB));
        assert_eq!([0x0680_5002, 0x0580_5002].map(|get| value(get | stream(1))), [Some(8), Some(2)]);
        assert_eq!(value(0x0D00_5002 | stream(2)), Some(0x30_0000_00AB));
        assert_eq!((value(0x0300_5002 | stream(3)), value(0x0F00_5002)), (Some(2), Some(20)));
        assert_eq!((value(0x0980_A002), value(0x0000_5002)), (Some(77), Some(0xAB)));
        assert_eq!(value(0x0F80_0002), None);
    }

    #[test]
    fn conditions_look_at_reports() {
        let memory = Arc::new(Arena::new(0x1_0000, 0x1_0000).unwrap());
        let objects = Objects::new(&memory, &[Object { address: 0x1_0000, size: 0x100 }]);
        store(&objects, 0x1_0000, 1 << 40, 7);
        store(&objects, 0x1_0010, 1 << 40, 8);
        store(&objects, 0x1_0020, 5, 9);
        let modes = [0, 1, 2, 3, 4, 5, 9].map(<ConditionMode as ctm_bits::FieldValue>::from_raw);
        let all = |address: u64| modes.map(|mode| holds(&objects, address, mode));
        assert_eq!(all(0x1_0000), [false, true, true, true, false, true, true]);
        assert_eq!(all(0x1_0010), [false, true, true, false, true, true, true]);
        assert_eq!(all(u64::MAX), [false, true, false, true, false, true, true]);
    }
}
