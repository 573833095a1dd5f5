//! Finds what is wrong in a program of 40 instructions that add to channels, of which one exchanges two: in registers from 1 to 39 the first channel is
//! greater than the second as long as nothing was exchanged.

/// Halves the way between the first register and the last, which is wrong: the first that is wrong. `is_good` looks at one.
pub fn first_wrong(mut is_good: impl FnMut(u32) -> bool) -> u32 {
    let (mut good, mut wrong) = (1, 39);
    while wrong - good > 1 {
        let middle = (good + wrong) / 2;
        if is_good(middle) { good = middle } else { wrong = middle }
    }
    wrong
}
