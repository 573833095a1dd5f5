//! Literals that count from trip to trip.

use super::Search;
use crate::cf::Qword;

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
    /// The literals that differ from trip to trip, and the trips, at most so many, over which they are progressions.
    pub(super) fn progressions(
        &self,
        trips: usize,
        clauses: impl Fn(usize) -> Vec<usize>,
    ) -> (usize, Vec<Progression>) {
        let places: Vec<Vec<usize>> = (0..trips).map(|trip| self.literals_of(&clauses(trip))).collect();
        let mut trips = trips;
        let mut progressions = Vec::new();
        for (number, &place) in places[0].iter().enumerate() {
            for half in 0..2 {
                let values: Vec<u32> = places.iter().map(|places| literal(self.code, places[number], half)).collect();
                if values.iter().all(|value| *value == values[0]) {
                    continue;
                }
                let (step, held) = progression(&values);
                trips = trips.min(held);
                progressions.push(Progression { place: (place as u32, half), step });
            }
        }
        (trips, progressions)
    }

    fn literals_of(&self, clauses: &[usize]) -> Vec<usize> {
        clauses.iter().flat_map(|pc| self.literals.get(pc)).flatten().copied().collect()
    }
}

fn literal(code: &[Qword], qword: usize, half: usize) -> u32 {
    code[qword][half]
}

/// The step between values of which there are two at least, and how many of them it leads to.
fn progression(values: &[u32]) -> (Step, usize) {
    let integer = values[1].wrapping_sub(values[0]);
    let sums = (0..).map(|trip: u32| values[0].wrapping_add(integer.wrapping_mul(trip)));
    let integers = sums.zip(values).take_while(|(sum, value)| sum == *value).count();
    let first = f32::from_bits(values[0]);
    let float = f32::from_bits(values[1]) - first;
    let bases = std::iter::successors(Some(0.0f32), |base| Some(base + float));
    let is_plain = |number: f32| number.is_normal() || number.to_bits() == 0;
    let floats = bases.zip(values).take_while(|&(base, &value)| {
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
        assert_eq!(progression(&values), (Step::Float(12.0f32.to_bits()), 4));
        let values = [3.0f32, 2.0, 1.0, 0.0, -1.0].map(f32::to_bits);
        assert_eq!(progression(&values), (Step::Float((-1.0f32).to_bits()), 5));
    }

    #[test]
    fn small_numbers_are_integers() {
        assert_eq!(progression(&[7, 6, 5]), (Step::Integer(u32::MAX), 3));
        // Powers of two are one exponent apart.
        let values = [1.0f32, 2.0, 4.0, 8.0].map(f32::to_bits);
        assert_eq!(progression(&values), (Step::Integer(1 << 23), 4));
    }

    #[test]
    fn sums_are_exact() {
        // The sums of tenths are not the tenths that a compiler has rounded.
        let values: Vec<u32> = (0..20u8).map(|number| (f32::from(number) / 10.0).to_bits()).collect();
        assert!(progression(&values).1 < 20);
        let nan = f32::NAN.to_bits();
        assert_eq!(progression(&[nan, nan, 0]).1, 2);
    }
}
