//! What is worth a developer's attention: sentences, each once.

use std::collections::BTreeSet;

/// Sentences that are kept.
const MOST: usize = 256;

/// Sentences that wait to be taken, and those that were said.
#[derive(Clone, Debug, Default)]
pub struct Log {
    waiting: Vec<String>,
    /// Unknown methods that were told of: numbers of subchannels, byte offsets.
    unknown: BTreeSet<(u32, u32)>,
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

    /// Takes what was said.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.waiting)
    }
}
