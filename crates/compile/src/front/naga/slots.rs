//! The interpolated inputs' slots, of four channels each.

use ctm_x1k::INTERPOLANTS;

/// Channels of a slot.
const CHANNELS: u8 = 4;

/// Hands out slots. An input has slots of its own, unless it is asked to share them.
#[derive(Debug, Default)]
pub(super) struct Slots {
    /// Channels that are taken, by slot.
    taken: [[bool; CHANNELS as usize]; INTERPOLANTS],
    /// Inputs without a location share slots.
    shares: bool,
}

impl Slots {
    pub(super) fn new(shares: bool) -> Slots {
        Slots { shares, ..Slots::default() }
    }

    /// The first of `count` slots, and its first channel, for so many channels of each, from a location on or in the first free place. `None` if there
    /// are not as many.
    pub(super) fn take(&mut self, location: Option<u32>, count: usize, channels: u8) -> Option<(u8, u8)> {
        let fits = |&(slot, channel): &(usize, u8)| {
            let slots = self.taken.get(slot..slot.checked_add(count)?)?;
            let wanted = usize::from(channel)..usize::from(channel + channels);
            let free = |slot: &[bool; 4]| !slot[wanted.clone()].contains(&true);
            slots.iter().all(free).then_some(())
        };
        let place = match location {
            Some(location) => (location as usize, 0),
            None => {
                let first = if self.shares { 0 } else { self.first_free() };
                let last = if self.shares { CHANNELS - channels } else { 0 };
                let places = (first..INTERPOLANTS).flat_map(|slot| (0..=last).map(move |channel| (slot, channel)));
                places.into_iter().find(|place| fits(place).is_some())?
            }
        };
        let (slot, channel) = place;
        let slots = self.taken.get_mut(slot..slot.checked_add(count)?)?;
        for taken in slots {
            taken[usize::from(channel)..usize::from(channel + channels)].fill(true);
        }
        Some((slot as u8, channel))
    }

    /// The slot after the last one that is used.
    fn first_free(&self) -> usize {
        self.taken.iter().rposition(|slot| slot.contains(&true)).map_or(0, |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_have_slots_of_their_own() {
        let mut slots = Slots::new(false);
        assert_eq!(slots.take(None, 1, 2), Some((0, 0)));
        assert_eq!(slots.take(None, 2, 3), Some((1, 0)));
        assert_eq!(slots.take(Some(5), 1, 1), Some((5, 0)));
        assert_eq!(slots.take(None, 2, 1), Some((6, 0)));
        assert_eq!(slots.take(None, 1, 1), None);
        assert_eq!(slots.take(Some(7), 2, 1), None);
        assert_eq!(slots.take(Some(u32::MAX), 1, 1), None);
    }

    #[test]
    fn inputs_share_slots() {
        let mut slots = Slots::new(true);
        assert_eq!(slots.take(None, 1, 2), Some((0, 0)));
        assert_eq!(slots.take(None, 7, 3), Some((1, 0)));
        assert_eq!(slots.take(None, 1, 2), Some((0, 2)));
        assert_eq!(slots.take(None, 7, 1), Some((1, 3)));
        assert_eq!(slots.take(None, 1, 1), None);
    }
}
