//! What commands have written since textures were last looked at.

use crate::methods::{TfbAddressHigh, TfbBufferEnable, TfbBufferSize, TfbEnable};
use crate::objects::Objects;
use crate::state::{FEEDBACK_BUFFERS, Methods};
use crate::storage::programs_store;
use crate::targets;
use ctm_card::Submission;
use std::ops::Range;

/// Ranges that are kept apart.
const MOST: usize = 64;
/// All of memory.
const ALL: Range<u64> = 0..u64::MAX;

/// Ranges of addresses that may have been written.
#[derive(Clone, Debug, Default)]
pub struct Written(Vec<Range<u64>>);

impl Written {
    /// These addresses as well.
    pub fn add(&mut self, range: Range<u64>) {
        let is_full = self.0.len() >= MOST;
        match self.0.last_mut() {
            Some(last) if range.start <= last.end && last.start <= range.end => {
                *last = last.start.min(range.start)..last.end.max(range.end);
            }
            Some(_) | None if is_full => self.0 = Vec::from_iter([ALL]),
            Some(_) | None => self.0.push(range),
        }
    }

    /// All of memory.
    pub fn add_all(&mut self) {
        self.add(ALL);
    }

    /// What the host may have written between submissions.
    pub fn add_objects(&mut self, submission: &Submission) {
        let mut untouched = submission.untouched.iter().peekable();
        for object in submission.objects {
            if untouched.next_if_eq(&object).is_none() {
                let first = u64::from(object.address);
                self.add(first..first + u64::from(object.size));
            }
        }
    }

    /// What a draw in this state may write: targets, feedback, and what its programs store.
    pub fn add_draw(&mut self, methods: &Methods, objects: &Objects) {
        targets::ranges(methods).for_each(|range| self.add(range));
        if methods.get::<TfbEnable>().enable {
            for buffer in (0..FEEDBACK_BUFFERS as u32).filter(|&buffer| methods.at::<TfbBufferEnable>(buffer).enable) {
                let address = methods.address_at::<TfbAddressHigh>(buffer);
                self.add(address..address.saturating_add(methods.at::<TfbBufferSize>(buffer).bytes.into()));
            }
        }
        if programs_store(methods, objects) {
            self.add_all();
        }
    }

    /// Takes all of them.
    pub fn take(&mut self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use ctm_sm50::Header;
    use std::sync::Arc;

    #[test]
    fn ranges_grow_together() {
        let mut written = Written::default();
        [0x10..0x14, 0x14..0x18, 0x8..0x10, 0x40..0x44].into_iter().for_each(|range| written.add(range));
        assert_eq!(written.take(), [0x8..0x18, 0x40..0x44]);
        (0..100).for_each(|n| written.add(16 * n..16 * n + 4));
        assert!(written.take().contains(&ALL));
        assert_eq!(written.take(), []);
    }

    #[test]
    fn objects_that_nobody_touched_are_left_out() {
        let objects = [0x1000, 0x3000, 0x5000].map(|address| Object { address, size: 0x100 });
        let mut written = Written::default();
        written.add_objects(&Submission { words: &[], objects: &objects, untouched: &objects[1..2] });
        assert_eq!(written.take(), [0x1000..0x1100, 0x5000..0x5100]);
    }

    #[test]
    fn draws_write_their_targets_and_what_programs_store() {
        let memory = Arc::new(Arena::new(0x10_0000, 0x10_0000).unwrap());
        let objects = Objects::new(&memory, &[Object { address: 0x10_0000, size: 0x1000 }]);
        let mut methods = Methods::default();
        let words = [
            (0x804, 0x11_0000),
            (0x808, 64),
            (0x80C, 64),
            (0x810, 0xD5),
            (0x814, 0x30),
            (0x818, 1),
            (0x160C, 0x10_0000),
        ];
        words.iter().for_each(|&(method, word)| methods.write(method, word));
        let after = |methods: &Methods| {
            let mut written = Written::default();
            written.add_draw(methods, &objects);
            written.take()
        };
        assert_eq!((after(&methods).len(), after(&methods).first()), (1, Some(&(0x11_0000..0x11_4000))));
        let feedback = [(0x744, 1), (0x380, 1), (0x388, 0x12_0000), (0x38C, 0x40)];
        feedback.iter().for_each(|&(method, word)| methods.write(method, word));
        assert_eq!(after(&methods), [0x11_0000..0x11_4000, 0x12_0000..0x12_0040]);
        let header = Header { does_global_store: true, ..Header::default() }.encode();
        memory.write_words(0x10_0000, &header);
        assert!(after(&methods).contains(&ALL));
    }
}
