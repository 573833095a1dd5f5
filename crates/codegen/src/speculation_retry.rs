//! Whether code that speculates on NaNs is used, by how often it had to run again.

/// Strips in a hundred that may run twice before the exact code is used for all of them. It takes about twice the time.
const LIMIT: u32 = 40;
/// Strips that may run twice in any case.
const FEW: u8 = 8;
/// Strips that are remembered.
const MEMORY: u8 = 64;
/// Of so many strips for which the exact code is used, one is tried with speculation: what a program gets changes with time.
const RETRY: u8 = 32;

/// What became of strips with speculation, of one run or several.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempts {
    strips: u8,
    /// Those of them that had to run again.
    again: u8,
    /// Strips without, since the last one with speculation.
    exact: u8,
}

impl Attempts {
    /// Whether the next strip is to be run with speculation.
    pub fn is_wanted(&mut self) -> bool {
        if self.again <= FEW || u32::from(self.again) * 100 <= u32::from(self.strips) * LIMIT {
            return true;
        }
        self.exact = (self.exact + 1) % RETRY;
        self.exact == 0
    }

    /// Notes whether a strip with speculation had to run again.
    pub fn note(&mut self, again: bool) {
        self.strips += 1;
        self.again += u8::from(again);
        if self.strips >= MEMORY {
            (self.strips, self.again) = (self.strips / 2, self.again / 2);
        }
    }

    /// For [`from_word`](Self::from_word).
    pub fn to_word(self) -> u32 {
        u32::from_le_bytes([self.strips, self.again, self.exact, 0])
    }

    /// What [`to_word`](Self::to_word) gave.
    pub fn from_word(word: u32) -> Self {
        let [strips, again, exact, _] = word.to_le_bytes();
        Attempts { strips, again, exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strips with speculation among so many, all or none of which have to run again.
    fn speculated(attempts: &mut Attempts, strips: u32, again: bool) -> u32 {
        (0..strips).map(|_| u32::from(attempts.is_wanted() && (attempts.note(again), true).1)).sum()
    }

    #[test]
    fn speculation_ends_where_it_fails_and_comes_back() {
        let mut attempts = Attempts::default();
        assert_eq!(speculated(&mut attempts, 1000, false), 1000);
        // Those that are remembered have to be outnumbered first.
        let failing = speculated(&mut attempts, 10_000, true);
        assert!((20 + 10_000 / 32..100 + 10_000 / 32).contains(&failing), "{failing}");
        let mut attempts = Attempts::from_word(attempts.to_word());
        assert!(speculated(&mut attempts, 2000, false) < 1000);
        assert_eq!(speculated(&mut attempts, 1000, false), 1000, "it is back");
    }
}
