//! How much programs are used: preparing one is worth it from some time on.

use std::collections::HashMap;

/// Programs that are counted at most.
const MOST: usize = 4096;

/// Uses of programs, by hashes that others do not have, most likely.
#[derive(Debug, Default)]
pub struct UseCounts(HashMap<u64, u64>);

impl UseCounts {
    /// Adds uses to those of the program with this hash, and gives all of them.
    pub fn add(&mut self, program: u64, uses: u64) -> u64 {
        if self.0.len() >= MOST {
            self.0.clear();
        }
        let all = self.0.entry(program).or_default();
        *all = all.saturating_add(uses);
        *all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_add_up_and_few_programs_are_remembered() {
        let mut counts = UseCounts::default();
        assert_eq!([counts.add(1, 3), counts.add(2, 5), counts.add(1, 4)], [3, 5, 7]);
        assert_eq!(counts.add(1, u64::MAX), u64::MAX);
        (0..2 * MOST as u64).for_each(|program| _ = counts.add(program, 1));
        assert!(counts.0.len() <= MOST);
    }
}
