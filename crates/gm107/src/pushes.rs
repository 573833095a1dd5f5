//! The words of a submission: a list of pieces of memory, whose dwords, one after the other, are its commands.
//!
//! The first word is the number of the channel. Two words for each piece follow: its address, and its bytes, a multiple of 4.

/// A piece of memory with commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Push {
    /// Card address of its first byte.
    pub address: u32,
    /// Dwords.
    pub dwords: u32,
}

/// The channel that a submission is for; 0 if it has no words.
pub fn channel(words: &[u32]) -> u32 {
    words.first().copied().unwrap_or_default()
}

/// The pieces of a submission, in order.
pub fn pushes(words: &[u32]) -> impl Iterator<Item = Push> {
    let (pairs, _) = words.get(1..).unwrap_or_default().as_chunks::<2>();
    pairs.iter().map(|&[address, bytes]| Push { address, dwords: bytes / 4 })
}

/// Dwords of commands in all of them.
pub fn length(words: &[u32]) -> usize {
    pushes(words).map(|push| push.dwords as usize).sum()
}

/// The words of a submission that ends after so many dwords of commands.
pub fn cut(words: &[u32], end: usize) -> Vec<u32> {
    let mut cut = words.get(..1).unwrap_or_default().to_vec();
    let mut left = end;
    for Push { address, dwords } in pushes(words) {
        if left == 0 {
            break;
        }
        let kept = left.min(dwords as usize);
        cut.extend([address, 4 * kept as u32]);
        left -= kept;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submissions_are_cut_inside_of_pieces() {
        let words = [3, 0x100_0000, 16, 0x200_0000, 0, 0x300_0000, 8, 0x400_0000];
        assert_eq!((channel(&words), length(&words), channel(&[])), (3, 6, 0));
        assert_eq!(cut(&words, 0), [3]);
        assert_eq!(cut(&words, 3), [3, 0x100_0000, 12]);
        assert_eq!(cut(&words, 5), [3, 0x100_0000, 16, 0x200_0000, 0, 0x300_0000, 4]);
        assert_eq!(cut(&words, 9), words[..7]);
        assert_eq!(cut(&[], 9), [0; 0]);
    }
}
