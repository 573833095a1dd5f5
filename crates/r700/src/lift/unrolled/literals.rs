//! Literals that count from trip to trip.

use super::Search;

/// A literal that differs from trip to trip.
#[derive(Clone, Copy, Debug)]
pub(in crate::lift) struct Progression {
    /// Where it is in the first trip: a qword of the image, and which half of it.
    pub place: (u32, usize),
    /// What is added to it in each trip.
    pub step: Step,
}

/// What is added from trip to trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lift) enum Step {
    /// The bits of a float. The sum of all steps so far is added to the first trip's literal, both sums rounded, and no number is a denormal.
    Float(u32),
    /// An integer, modulo 2^32.
    Integer(u32),
}

impl Search<'_> {
    /// The trips, at most so many, over which all literals are progressions that differ, and those. `clauses` are the instructions of the first trip,
    /// and `later` gives for each of them that of another trip. Trips that are no longer `worth` anything need no further look.
    pub(super) fn progressions(
        &self,
        mut trips: usize,
        clauses: &[usize],
        later: impl Fn(usize, usize) -> usize,
        worth: impl Fn(usize) -> bool,
    ) -> (usize, Vec<Progression>) {
        let mut progressions = Vec::new();
        let literals = |pc: usize| self.literals.get(&pc).map_or(&[][..], Vec::as_slice);
        let all = clauses.iter().enumerate().flat_map(|(number, &pc)| {
            let places = literals(pc).iter().enumerate();
            places.flat_map(move |(at, &place)| [0, 1].map(|half| (number, at, place, half)))
        });
        for (number, at, place, half) in all {
            if !worth(trips) {
                break;
            }
            let value = |trip: usize| self.code[literals(later(trip, number))[at]][half];
            if (1..trips).all(|trip| value(trip) == value(0)) {
                continue;
            }
            let (step, held) = progression((0..trips).map(value));
            trips = held;
            progressions.push(Progression { place: (place as u32, half), step });
        }
        (trips, progressions)
    }
}

/// The step between values of which there are two at least, and how many of them it leads to.
fn progression(values: impl Iterator<Item = u32> + Clone) -> (Step, usize) {
    let mut two = values.clone();
    let [zeroth, next] = [(); 2].map(|()| two.next().unwrap_or_default());
    let integer = next.wrapping_sub(zeroth);
    let sums = (0..).map(|trip: u32| zeroth.wrapping_add(integer.wrapping_mul(trip)));
    let integers = sums.zip(values.clone()).take_while(|(sum, value)| sum == value).count();
    let first = f32::from_bits(zeroth);
    let float = f32::from_bits(next) - first;
    let bases = std::iter::successors(Some(0.0f32), |base| Some(base + float));
    let is_plain = |number: f32| number.is_normal() || number.to_bits() == 0;
    let floats = bases.zip(values).take_while(|&(base, value)| {
        let sum = base + first;
        sum.to_bits() == value && [base, sum, first, float].into_iter().all(is_plain)
    });
    let floats = floats.count();
    if floats >= integers { (Step::Float(float.to_bits()), floats) } else { (Step::Integer(integer), integers) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_count_as_floats() {
        let values = [6.5f32, 18.5, 30.5, 42.5].map(f32::to_bits);
        assert_eq!(progression(values.iter().copied()), (Step::Float(12.0f32.to_bits()), 4));
        let values = [3.0f32, 2.0, 1.0, 0.0, -1.0].map(f32::to_bits);
        assert_eq!(progression(values.iter().copied()), (Step::Float((-1.0f32).to_bits()), 5));
    }

    #[test]
    fn small_numbers_are_integers() {
        assert_eq!(progression([7, 6, 5].into_iter()), (Step::Integer(u32::MAX), 3));
        // Powers of two are one exponent apart.
        let values = [1.0f32, 2.0, 4.0, 8.0].map(f32::to_bits);
        assert_eq!(progression(values.iter().copied()), (Step::Integer(1 << 23), 4));
    }

    #[test]
    fn sums_are_exact() {
        // The sums of tenths are not the tenths that a compiler has rounded.
        let values: Vec<u32> = (0..20u8).map(|number| (f32::from(number) / 10.0).to_bits()).collect();
        assert!(progression(values.iter().copied()).1 < 20);
        let nan = f32::NAN.to_bits();
        assert_eq!(progression([nan, nan, 0].into_iter()).1, 2);
    }
}
