use super::*;
use ctm_cases::{Result, Unstructured};

/// What a task gives by each of the vectors that the host has.
fn by_vectors<T: SimdTask + Copy>(task: T) -> Vec<T::Output> {
    #[cfg(target_arch = "x86_64")]
    let by_each = [avx512::Avx512::new().map(|avx512| avx512.run(task)), avx2::Avx2::new().map(|avx2| avx2.run(task))];
    #[cfg(not(target_arch = "x86_64"))]
    let by_each = [Some(dispatch(task))];
    by_each.into_iter().flatten().collect()
}

/// Numbers of every kind that differ between roundings.
fn number(u: &mut Unstructured) -> Result<f64> {
    Ok(match u.int_in_range(0..=5)? {
        0 => f64::from_bits(u.arbitrary()?),
        1 => f64::from(u.int_in_range(-8..=1_000_000)?) / 2.0,
        2 => f64::from(f32::from_bits(u.arbitrary()?)),
        3 => f64::from_bits(f64::from(f32::from_bits(u.arbitrary()?)).to_bits().wrapping_add(u.int_in_range(0..=2)?)),
        4 => f64::from(f32::MIN_POSITIVE) * f64::from(u.int_in_range(-40..=40)?) / 16.0,
        _ => *u.choose(&[0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 16_777_214.5, 16_777_215.5])?,
    })
}

/// What all operations give.
struct All {
    words: [LaneWords; 2],
    numbers: [[f64; LANES]; 2],
    scalars: (i32, i32, u32, u8),
    vectors: [[u32; 4]; LANES],
}

impl SimdTask for &All {
    type Output = (Vec<LaneWords>, u8);

    fn run(self, s: impl Simd) -> Self::Output {
        let [a, b] = self.words.each_ref().map(|words| s.words(words));
        let (first, step, max, bits) = self.scalars;
        let mut found = vec![s.and(a, b), s.or(a, b), s.and_not(a, b), s.xor(a, b), s.up::<8>(a), s.down::<8>(a)];
        found.extend([s.add_words(a, b), s.progression(first, max.cast_signed()), s.progression(first, -step)]);
        found.extend([s.add_halves(a, b), s.mul_halves(a, b), s.down_halves::<8>(a)]);
        found.extend([
            s.greater(a, b),
            s.chosen(bits),
            s.splat(max),
            a,
            s.permuted(a, s.pack(bits)),
            s.permuted(a, s.spread(bits)),
        ]);
        // Vectors of different numbers come by conditions.
        for (n, (&x, &y)) in self.numbers[0].iter().zip(&self.numbers[1]).enumerate() {
            let (x, y) = (s.number(x), s.number(y));
            let fractions = s.fractions(first, step);
            let rows = s.rows(first, step);
            found.extend([
                s.normal_binary32(fractions),
                s.floors(fractions),
                s.floors(s.mul(fractions, s.number(1.5))),
            ]);
            found.push(s.normal_binary32(s.quotients(s.and(a, s.splat(0x4000_FFFF)), step)));
            found.extend([0, 1].map(|row| s.normal_binary32(s.add_row(fractions, rows, row))));
            found.extend([0, 1].map(|row| s.binary32(s.add_row(y, s.mul_rows(rows, self.numbers[0][n]), row))));
            for numbers in [x, s.add(x, y), s.mul(x, fractions), s.div(x, y), s.add(fractions, y)] {
                let one = s.chosen(1 << n);
                found.extend([s.nearest(numbers, max), s.binary32(numbers), s.and(one, s.binary32(numbers))]);
            }
        }
        let depths = s.rounded(s.fractions(first, step));
        let range = [0.25, 1.0 + f64::from(step)];
        found.extend([s.normal_binary32(depths), s.normal_binary32(s.clamped(depths, range[0], range[1]))]);
        found.push(s.nearest(s.clamped(s.number(self.numbers[0][0]), 2.0, 7.0), max));
        // Not all are NaNs, whose bits are not said.
        let number = |words| s.greatest(s.singles(words), s.single(-1e30));
        let (x, y) = (number(a), number(s.and(b, s.splat(0x3FFF_FFFF))));
        let (low, high) = (s.least(x, y), s.greatest(y, s.single(0.5)));
        let sums = [s.add_singles(low, high), s.sub_singles(low, high), s.mul_singles(low, high)];
        let sums = sums.map(|numbers| s.least(numbers, s.single(2.0)));
        let quotients = s.div_singles(x, high);
        found.extend([s.single_bits(quotients), s.binary32(s.widened(quotients))]);
        found.extend([s.at_least(s.singles(a), y), s.at_least(x, x), s.at_least(s.singles(b), s.singles(a))]);
        found.extend([s.flushed(a), s.flushed(s.down::<8>(a)), s.flushed(s.and(a, s.splat(0x80FF_FFFF)))]);
        for numbers in [x, y, low, high, sums[0], sums[1], sums[2], s.singles(b)] {
            found.extend([s.codes(numbers, 255), s.codes(numbers, 3), s.codes(numbers, 0x3F_FFFF)]);
            let fractions = s.least(s.greatest(numbers, s.single(0.0)), s.single(1.0));
            found.extend([s.codes_of_fractions(fractions, 255), s.codes_of_fractions(fractions, 0x3F_FFFF)]);
        }
        found.extend(s.components(&s.vectors([a, b, s.xor(a, b), s.splat(max)])));
        found.push(s.components(&self.vectors)[1]);
        (found.into_iter().map(|words| s.array(words)).collect(), s.bits(s.greater(a, b)))
    }
}

#[test]
fn vectors_give_the_bits_of_pixels_one_by_one() {
    ctm_cases::check(1500, |u| {
        let mut numbers = [[0.0; LANES]; 2];
        for place in numbers.as_flattened_mut() {
            *place = number(u)?;
        }
        let scalars = (
            u.int_in_range(-200_000..=200_000)?,
            u.int_in_range(1..=4096)?,
            u.int_in_range(0..=0x7FFF_FFFF)?,
            u.arbitrary()?,
        );
        let all = All { words: u.arbitrary()?, numbers, scalars, vectors: u.arbitrary()? };
        for found in by_vectors(&all) {
            assert_eq!(found, all.run(Portable));
        }
        Ok(())
    });
}

#[derive(Clone, Copy)]
struct Codes(LaneWords, u32);

impl SimdTask for Codes {
    type Output = LaneWords;

    fn run(self, s: impl Simd) -> LaneWords {
        let fractions = s.fractions_of_codes(s.words(&self.0), self.1);
        s.array(s.single_bits(fractions))
    }
}

/// Every fraction of at most 16 bits.
#[test]
fn fractions_of_codes_are_the_nearest() {
    for max in (1..=16).map(|bits| (1_u32 << bits) - 1) {
        for first in (0..=max).step_by(LANES) {
            let codes = std::array::from_fn(|n| max.min(first + n as u32));
            let expected = codes.map(|code| (code as f32 / max as f32).to_bits());
            assert!(by_vectors(Codes(codes, max)).iter().all(|found| *found == expected));
        }
    }
}

/// Fractions, whose low bits show in what they differ from others by.
#[derive(Clone, Copy)]
struct Fractions {
    first: i32,
    step: i32,
    near: [f64; LANES],
}

impl SimdTask for Fractions {
    type Output = LaneWords;

    fn run(self, s: impl Simd) -> LaneWords {
        let fractions = s.fractions(self.first, self.step);
        let mut sum = s.splat(0);
        for (n, near) in self.near.into_iter().enumerate() {
            let difference = s.normal_binary32(s.mul(s.add(fractions, s.number(-near)), s.number(1e20)));
            sum = s.or(sum, s.and(s.chosen(1 << n), difference));
        }
        s.array(sum)
    }
}

#[test]
fn fractions_are_rounded_once() {
    for step in [1, 3, 7, 12, 16, 255, 256, 4095, 4096] {
        let last = if step == 12 { 14 << 14 } else { 40_000 };
        for first in (-last..last).step_by(LANES) {
            let near = std::array::from_fn(|n| f64::from(first + n as i32) / f64::from(step));
            let integers = Fractions { first, step: 1, near: near.map(|_| 0.0) };
            assert!(by_vectors(integers).iter().all(|found| *found == integers.run(Portable)));
            let near = std::array::from_fn(|n| f64::from(first + n as i32 * step) / f64::from(step));
            let found = by_vectors(Fractions { first, step, near });
            assert!(found.iter().all(|found| *found == [0; LANES]), "{first} {step} {found:?}");
        }
    }
}

#[test]
fn words_are_packed_and_spread() {
    let words = [10, 11, 12, 13, 14, 15, 16, 17];
    assert_eq!(Portable.permuted(words, Portable.pack(0b1010_0110))[..4], [11, 12, 15, 17]);
    let spread = Portable.permuted(words, Portable.spread(0b1010_0110));
    assert_eq!([spread[1], spread[2], spread[5], spread[7]], [10, 11, 12, 13]);
    for bits in 0..=u8::MAX {
        let found = Portable.permuted(Portable.permuted(words, Portable.pack(bits)), Portable.spread(bits));
        assert!((0..LANES).all(|n| bits >> n & 1 == 0 || found[n] == words[n]), "{bits:b}");
    }
}
