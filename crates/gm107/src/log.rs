//! What is worth a developer's attention: sentences, each once.

use ctm_card::SlowPath;
use std::collections::BTreeSet;

/// Sentences that are kept.
const MOST: usize = 256;

/// Sentences that wait to be taken, and those that were said.
#[derive(Clone, Debug, Default)]
pub struct Log {
    waiting: Vec<String>,
    /// Unknown methods that were told of: numbers of subchannels, byte offsets.
    unknown: BTreeSet<(u32, u32)>,
    /// Slow ways that were told of, if these are of interest.
    slow: Option<BTreeSet<SlowPath>>,
}

impl Log {
    /// Says a sentence.
    pub fn warn(&mut self, sentence: String) {
        if self.waiting.len() < MOST {
            self.waiting.push(sentence);
        }
    }

    /// Says that a method is not known, once.
    pub fn unknown(&mut self, subchannel: u32, method: u32, class: &str) {
        if self.unknown.len() < MOST && self.unknown.insert((subchannel, method)) {
            self.warn(format!("method {method:#06x} of class {class} is not known; it is kept, and has no effect"));
        }
    }

    /// Tells of slow ways from now on.
    pub fn tell_slow_paths(&mut self) {
        self.slow.get_or_insert_default();
    }

    /// Tells of the slow way that the draw at a dword went, if draws go it for the first time.
    pub fn slow(&mut self, at: usize, path: Option<SlowPath>) {
        if let Some(path) =
            path.filter(|path| path.stays() && self.slow.as_mut().is_some_and(|told| told.insert(*path)))
        {
            self.warn(path.warning(at));
        }
    }

    /// Takes what was said.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.waiting)
    }
}
