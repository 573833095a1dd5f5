//! Comparisons of eight numbers at a time: any, and the most common ones without choices.

use crate::depth::CompareFunction;
use crate::simd::Simd;

/// For which orders of two numbers a comparison holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderMasks {
    /// All bits if it holds where the first is less, where both are equal, where the first is greater.
    masks: [u32; 3],
}

impl OrderMasks {
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
        OrderMasks { masks: holds.map(|holds| if holds { u32::MAX } else { 0 }) }
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

/// Which numbers pass next to others.
pub trait Compare: Copy {
    /// Of chosen pixels, those whose numbers pass next to what is stored. Numbers have signs.
    fn passes<S: Simd>(self, simd: S, incoming: S::Words, stored: S::Words, chosen: S::Words) -> S::Words;
}

/// Those that are less.
#[derive(Clone, Copy, Debug)]
pub struct Less;

impl Compare for Less {
    #[inline(always)]
    fn passes<S: Simd>(self, simd: S, incoming: S::Words, stored: S::Words, chosen: S::Words) -> S::Words {
        simd.and(simd.greater(stored, incoming), chosen)
    }
}

/// Those that are less or equal.
#[derive(Clone, Copy, Debug)]
pub struct LessOrEqual;

impl Compare for LessOrEqual {
    #[inline(always)]
    fn passes<S: Simd>(self, simd: S, incoming: S::Words, stored: S::Words, chosen: S::Words) -> S::Words {
        simd.and_not(simd.greater(incoming, stored), chosen)
    }
}

impl Compare for OrderMasks {
    #[inline(always)]
    fn passes<S: Simd>(self, simd: S, incoming: S::Words, stored: S::Words, chosen: S::Words) -> S::Words {
        simd.and(self.hold(simd, incoming, stored), chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{LANES, LaneWords, SimdTask, dispatch};

    struct Held(OrderMasks, [LaneWords; 2]);

    impl SimdTask for Held {
        type Output = LaneWords;

        fn run(self, simd: impl Simd) -> LaneWords {
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
                let found = dispatch(Held(OrderMasks::of(function), words));
                for n in 0..8 {
                    let expected = if function.holds(numbers[n], stored[n]) { u32::MAX } else { 0 };
                    assert_eq!(found[n], expected, "{} {} {}", numbers[n], function.name(), stored[n]);
                }
            }
        }
    }

    /// What passes by each comparison.
    struct Compared {
        depth: LaneWords,
        stored: LaneWords,
        chosen: u8,
    }

    impl SimdTask for &Compared {
        type Output = Vec<(CompareFunction, u8)>;

        fn run(self, simd: impl Simd) -> Self::Output {
            let (depth, stored) = (simd.words(&self.depth), simd.words(&self.stored));
            let chosen = simd.chosen(self.chosen);
            let any = |function| (function, simd.bits(OrderMasks::of(function).passes(simd, depth, stored, chosen)));
            let mut passed: Vec<_> = CompareFunction::ALL.into_iter().map(any).collect();
            passed.push((CompareFunction::Less, simd.bits(Less.passes(simd, depth, stored, chosen))));
            passed.push((CompareFunction::LessOrEqual, simd.bits(LessOrEqual.passes(simd, depth, stored, chosen))));
            passed
        }
    }

    #[test]
    fn comparisons_pass_what_holds() {
        ctm_cases::check(4000, |u| {
            let mut depths = || -> ctm_cases::Result<LaneWords> {
                let base = *u.choose(&[0, 7, 0xFF_FFFF - 2])?;
                let mut depths = [base; LANES];
                for depth in &mut depths {
                    *depth += u.int_in_range(0..=2)?;
                }
                Ok(depths)
            };
            let (depth, stored) = (depths()?, depths()?);
            let compared = Compared { depth, stored, chosen: u.arbitrary()? };
            for (function, passed) in dispatch(&compared) {
                let holds = |n: &usize| compared.chosen >> n & 1 != 0 && function.holds(depth[*n], stored[*n]);
                let expected = (0..LANES).filter(holds).fold(0, |bits, n| bits | 1 << n);
                assert_eq!(passed, expected, "{}: {depth:?} and {stored:?}", function.name());
            }
            Ok(())
        });
    }
}
