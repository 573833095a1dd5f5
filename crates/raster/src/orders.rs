//! Comparisons of eight numbers at a time.

use crate::depth::CompareFunction;
use crate::simd::Simd;

/// For which orders of two numbers a comparison holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders {
    /// All bits if it holds where the first is less, where both are equal, where the first is greater.
    masks: [u32; 3],
}

impl Orders {
    /// Those of a function.
    pub fn of(function: CompareFunction) -> Self {
        let holds = match function {
            CompareFunction::Never => [false, false, false],
            CompareFunction::Less => [true, false, false],
            CompareFunction::LessOrEqual => [true, true, false],
            CompareFunction::Equal => [false, true, false],
            CompareFunction::GreaterOrEqual => [false, true, true],
            CompareFunction::Greater => [false, false, true],
            CompareFunction::NotEqual => [true, false, true],
            CompareFunction::Always => [true, true, true],
        };
        Orders { masks: holds.map(|holds| if holds { u32::MAX } else { 0 }) }
    }

    /// The conditions whether it holds for incoming and stored numbers, which have signs.
    #[inline(always)]
    pub fn hold<S: Simd>(&self, simd: S, incoming: S::Words, stored: S::Words) -> S::Words {
        let [less, equal, greater] = self.masks;
        let (less, equal, greater) = (simd.splat(less), simd.splat(equal), simd.splat(greater));
        let (is_less, is_greater) = (simd.greater(stored, incoming), simd.greater(incoming, stored));
        let ordered = simd.or(simd.and(is_less, less), simd.and(is_greater, greater));
        simd.or(ordered, simd.and_not(simd.or(is_less, is_greater), equal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Eight, Task, dispatch};

    struct Compared(Orders, [Eight; 2]);

    impl Task for Compared {
        type Output = Eight;

        fn run(self, simd: impl Simd) -> Eight {
            let [incoming, stored] = self.1.each_ref().map(|words| simd.words(words));
            simd.array(self.0.hold(simd, incoming, stored))
        }
    }

    #[test]
    fn orders_are_those_of_functions() {
        let numbers: [i32; 8] = [i32::MIN, -5, -1, 0, 1, 7, 0xFF_FFFF, i32::MAX];
        for function in CompareFunction::ALL {
            for turn in 0..8 {
                let stored: [i32; 8] = std::array::from_fn(|n| numbers[(n + turn) % 8]);
                let words = [numbers, stored].map(|numbers| numbers.map(i32::cast_unsigned));
                let found = dispatch(Compared(Orders::of(function), words));
                for n in 0..8 {
                    let expected = if function.holds(numbers[n], stored[n]) { u32::MAX } else { 0 };
                    assert_eq!(found[n], expected, "{} {} {}", numbers[n], function.name(), stored[n]);
                }
            }
        }
    }
}
