//! Programs that draws have had: each is decoded once, and keys of kernels name it by a number.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Programs that are remembered at most.
const MOST: usize = 128;

/// A program, with a number that others do not have, most likely.
#[derive(Debug)]
pub struct KnownProgram<P> {
    /// The program.
    pub program: P,
    /// The number.
    pub hash: u64,
}

impl<P> KnownProgram<P> {
    /// A program that was decoded from these words.
    pub fn new(program: P, words: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        KnownProgram { program, hash: hasher.finish() }
    }
}

impl<P> Hash for KnownProgram<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

impl<P: PartialEq> PartialEq for KnownProgram<P> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.hash == other.hash && self.program == other.program
    }
}

impl<P: Eq> Eq for KnownProgram<P> {}

/// Programs by what they were decoded from: words, and what registers say of them.
pub struct ProgramCache<const N: usize, S, P>(Vec<Entry<N, S, P>>);

struct Entry<const N: usize, S, P> {
    words: Vec<[u32; N]>,
    setup: S,
    known: Arc<KnownProgram<P>>,
}

impl<const N: usize, S, P> Default for ProgramCache<N, S, P> {
    fn default() -> Self {
        ProgramCache(Vec::new())
    }
}

impl<const N: usize, S: PartialEq, P> ProgramCache<N, S, P> {
    /// The program of these; it is decoded if it is not known.
    pub fn get(&mut self, words: &[[u32; N]], setup: S, decode: impl FnOnce(&S) -> P) -> Arc<KnownProgram<P>> {
        let ProgramCache(entries) = self;
        if let Some(at) = entries.iter().position(|entry| entry.words == words && entry.setup == setup) {
            // Most draws have the program of one of the last draws.
            entries[..=at].rotate_right(1);
        } else {
            entries.truncate(MOST - 1);
            let known = Arc::new(KnownProgram::new(decode(&setup), &words));
            entries.insert(0, Entry { words: words.to_vec(), setup, known });
        }
        Arc::clone(&entries[0].known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_decoded_once() {
        let mut cache = ProgramCache::default();
        let mut decoded = 0;
        let mut get = |word: u32, setup: u32| {
            cache.get(&[[word]], setup, |setup| {
                decoded += 1;
                (word, *setup)
            })
        };
        let (first, other, again) = (get(1, 2), get(1, 3), get(1, 2));
        assert_eq!((first.program, other.program), ((1, 2), (1, 3)));
        assert!(Arc::ptr_eq(&first, &again) && first != other && first.hash == other.hash);
        (0..2 * MOST as u32).for_each(|word| _ = get(word + 10, 0));
        assert!(!Arc::ptr_eq(&first, &get(1, 2)), "it is forgotten");
        assert_eq!((decoded, cache.0.len()), (2 + 2 * MOST + 1, MOST));
    }
}
