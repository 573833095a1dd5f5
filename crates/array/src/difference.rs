//! How two arrays differ.

use super::{Array, Data, Shape};
use thiserror::Error;

/// How two arrays of one shape and type differ, bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Column, row and channel of the first value that differs, row by row.
    pub first: [usize; 3],
    /// What both have there: bits of a float32, or an integer.
    pub bits: [u32; 2],
    /// How many elements differ in some channel.
    pub elements: usize,
    /// The greatest difference of two values; NaNs aside, so that there may be none.
    pub largest: Option<f64>,
    /// The greatest difference of two float32 values in units in the last place: how many float32 values lie between them, and one.
    pub largest_ulps: Option<u64>,
}

/// Two arrays have not the same shape, or values of another type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("one is an array of {} {}, the other of {} {}", .0[0].0, .0[0].1, .0[1].0, .0[1].1)]
pub struct ArrayMismatch(pub [(Shape, &'static str); 2]);

impl Difference {
    /// Compares two arrays; none if they are equal.
    ///
    /// # Errors
    /// They have not the same shape and type.
    pub fn of(a: &Array, b: &Array) -> Result<Option<Self>, ArrayMismatch> {
        let unlike = ArrayMismatch([a, b].map(|array| (array.shape, array.data.type_name())));
        if a.shape != b.shape {
            return Err(unlike);
        }
        match (&a.data, &b.data) {
            (Data::U8(a_values), Data::U8(b_values)) => Ok(integers(a.shape, a_values, b_values)),
            (Data::U16(a_values), Data::U16(b_values)) => Ok(integers(a.shape, a_values, b_values)),
            (Data::F32(a_values), Data::F32(b_values)) => {
                let value = |bits: u32| f64::from(f32::from_bits(bits));
                let found = compare(a.shape, a_values, b_values, value);
                let ulps = |(&a, &b): (&u32, &u32)| {
                    let is_nan = [a, b].iter().any(|&bits| f32::from_bits(bits).is_nan());
                    (a != b && !is_nan).then(|| ordered(a).abs_diff(ordered(b)))
                };
                let largest_ulps = a_values.iter().zip(b_values).filter_map(ulps).max();
                Ok(found.map(|found| Difference { largest_ulps, ..found }))
            }
            (Data::U8(_) | Data::U16(_) | Data::F32(_), _) => Err(unlike),
        }
    }
}

fn integers<T: Copy + Into<u32>>(shape: Shape, a: &[T], b: &[T]) -> Option<Difference> {
    compare(shape, a, b, |value: T| f64::from(value.into()))
}

fn compare<T: Copy + Into<u32>>(shape: Shape, a: &[T], b: &[T], value: impl Fn(T) -> f64) -> Option<Difference> {
    let differs = |&(&a, &b): &(&T, &T)| a.into() != b.into();
    let at = a.iter().zip(b).position(|pair| differs(&pair))?;
    let element = at / shape.channels;
    let elements = a.chunks(shape.channels).zip(b.chunks(shape.channels));
    let distances = a.iter().zip(b).filter(differs).map(|(&a, &b)| (value(a) - value(b)).abs());
    Some(Difference {
        first: [element % shape.width, element / shape.width, at % shape.channels],
        bits: [a[at].into(), b[at].into()],
        elements: elements.filter(|(a, b)| a.iter().zip(*b).any(|pair| differs(&pair))).count(),
        largest: distances.filter(|distance| !distance.is_nan()).reduce(f64::max),
        largest_ulps: None,
    })
}

/// A number that floats have in their order; both zeros have the same.
fn ordered(bits: u32) -> i64 {
    let magnitude = i64::from(bits & 0x7FFF_FFFF);
    if bits >> 31 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { width: 2, height: 2, channels: 2 };

    fn floats(values: [f32; 8]) -> Array {
        Array::from_floats(SHAPE, &values).unwrap()
    }

    #[test]
    fn the_first_difference_and_the_largest() {
        let a = floats([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(Difference::of(&a, &a), Ok(None));
        let b = floats([0.0, 1.0, 2.0, 3.0, 4.0, 5.000_000_5, 6.5, 7.5]);
        let found = Difference::of(&a, &b).unwrap().unwrap();
        assert_eq!((found.first, found.elements, found.largest), ([0, 1, 1], 2, Some(0.5)));
        assert_eq!(found.bits, [5.0f32, 5.000_000_5].map(f32::to_bits));
        assert_eq!(found.largest_ulps, Some(1 << 20));
    }

    #[test]
    fn zeros_nans_and_infinities() {
        let a = floats([0.0; 8]);
        let zeros = Difference::of(&a, &floats([-0.0; 8])).unwrap().unwrap();
        assert_eq!((zeros.elements, zeros.largest, zeros.largest_ulps), (4, Some(0.0), Some(0)));
        let nans = Difference::of(&a, &floats([f32::NAN; 8])).unwrap().unwrap();
        assert_eq!((nans.elements, nans.largest, nans.largest_ulps), (4, None, None));
        let smallest = f32::from_bits(1);
        let signs = Difference::of(&floats([smallest; 8]), &floats([-smallest; 8])).unwrap().unwrap();
        assert_eq!(signs.largest_ulps, Some(2));
        let infinite = Difference::of(&a, &floats([f32::INFINITY; 8])).unwrap().unwrap();
        assert_eq!(infinite.largest, Some(f64::INFINITY));
    }

    #[test]
    fn integers_have_no_ulps_and_types_must_agree() {
        let bytes = |values: [u8; 8]| Array { shape: SHAPE, data: Data::U8(values.to_vec()) };
        let found = Difference::of(&bytes([9; 8]), &bytes([9, 9, 9, 2, 9, 9, 9, 8])).unwrap().unwrap();
        assert_eq!((found.first, found.bits, found.elements), ([1, 0, 1], [9, 2], 2));
        assert_eq!((found.largest, found.largest_ulps), (Some(7.0), None));
        let words = |last| Array { shape: SHAPE, data: Data::U16(vec![700, 700, 700, 700, 700, 700, 700, last]) };
        let found = Difference::of(&words(700), &words(60_000)).unwrap().unwrap();
        assert_eq!((found.first, found.bits, found.largest), ([1, 1, 1], [700, 60_000], Some(59_300.0)));
        let wrong = Difference::of(&bytes([0; 8]), &floats([0.0; 8])).unwrap_err();
        assert_eq!(wrong.to_string(), "one is an array of 2x2x2 uint8, the other of 2x2x2 float32");
        let wide = Array { shape: Shape { width: 4, height: 1, channels: 2 }, ..bytes([0; 8]) };
        assert!(Difference::of(&bytes([0; 8]), &wide).is_err());
    }
}
