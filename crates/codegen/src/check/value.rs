//! What a register can hold, as far as addresses need it: integers in a range, floats in a range, and pointers into objects.

use super::objects::Object;

/// Integers of 32 bits between two bounds, inclusive. A vector has the bounds in every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    pub lo: i32,
    pub hi: i32,
    /// The bits that are 1 in some of them.
    pub ones: u32,
    /// They differ from the call's first position by multiples of the code's step.
    pub in_step: bool,
}

/// The bits that an integer up to this one can have.
fn bits_below(hi: i32) -> u32 {
    u32::MAX.checked_shr(hi.leading_zeros()).unwrap_or(0)
}

impl Int {
    pub const ANY: Self = Self { lo: i32::MIN, hi: i32::MAX, ones: u32::MAX, in_step: false };

    pub const fn constant(bits: u32) -> Self {
        let value = bits.cast_signed();
        Self { lo: value, hi: value, ones: bits, in_step: false }
    }

    /// What is among these; `None` if that is nothing.
    pub fn of_constants(words: &[u32]) -> Option<Self> {
        let values = || words.iter().map(|word| word.cast_signed());
        let ones = words.iter().fold(0, |ones, word| ones | word);
        Some(Self { lo: values().min()?, hi: values().max()?, ones, in_step: false })
    }

    /// Integers between these that have only these bits; anything if the bounds are not integers of 32 bits.
    fn new(lo: i64, hi: i64, ones: u32) -> Self {
        let (lo, hi) = match (i32::try_from(lo), i32::try_from(hi)) {
            (Ok(lo), Ok(hi)) => (lo, hi),
            _ => (i32::MIN, i32::MAX),
        };
        let hi = hi & Self::without_low_bits(ones.trailing_zeros()).cast_signed();
        let mut int = Self { lo, hi, ones, in_step: false };
        if ones.cast_signed() >= 0 {
            int.lo = lo.max(0);
            int.hi = hi.min(ones.cast_signed());
        }
        if int.lo >= 0 {
            int.ones &= bits_below(int.hi);
        }
        int
    }

    pub fn range(lo: i64, hi: i64) -> Self {
        Self::new(lo, hi, u32::MAX)
    }

    pub fn as_constant(self) -> Option<u32> {
        (self.lo == self.hi).then_some(self.lo.cast_unsigned())
    }

    fn is_unsigned(self) -> bool {
        self.lo >= 0
    }

    fn bounds(self) -> (i64, i64) {
        (self.lo.into(), self.hi.into())
    }

    pub fn join(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            ones: self.ones | other.ones,
            in_step: self.in_step && other.in_step,
        }
    }

    /// What is in both, if anything is.
    pub fn meet(self, other: Self) -> Option<Self> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        let met = Self::new(lo.into(), hi.into(), self.ones & other.ones);
        (lo <= hi && met.lo <= met.hi).then_some(Self { in_step: self.in_step || other.in_step, ..met })
    }

    /// The low bits that are 0 in all of them.
    fn low_zeros(self) -> u32 {
        self.ones.trailing_zeros()
    }

    fn without_low_bits(bits: u32) -> u32 {
        u32::MAX.checked_shl(bits).unwrap_or(0)
    }

    pub fn add(self, other: Self) -> Self {
        let ones = Self::without_low_bits(self.low_zeros().min(other.low_zeros()));
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        Self::new(a + c, b + d, ones)
    }

    pub fn sub(self, other: Self) -> Self {
        let ones = Self::without_low_bits(self.low_zeros().min(other.low_zeros()));
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        Self::new(a - d, b - c, ones)
    }

    pub fn mul(self, other: Self) -> Self {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        let corners = [a * c, a * d, b * c, b * d];
        let (lo, hi) = corners.iter().fold((i64::MAX, i64::MIN), |(lo, hi), &at| (lo.min(at), hi.max(at)));
        Self::new(lo, hi, Self::without_low_bits(self.low_zeros().saturating_add(other.low_zeros()).min(32)))
    }

    pub fn shift_left(self, count: u32) -> Self {
        let (lo, hi) = self.bounds();
        let ones = self.ones.checked_shl(count).unwrap_or(0);
        match count {
            0..32 => Self::new(lo << count, hi << count, ones),
            _ => Self::constant(0),
        }
    }

    pub fn shift_right(self, count: u32) -> Self {
        match count {
            0 => self,
            1..32 if self.is_unsigned() => {
                Self::new((self.lo >> count).into(), (self.hi >> count).into(), self.ones >> count)
            }
            1..32 => Self::new(0, (u32::MAX >> count).into(), self.ones >> count),
            _ => Self::constant(0),
        }
    }

    pub fn shift_right_signed(self, count: u32) -> Self {
        let count = count.min(31);
        let ones = (self.ones.cast_signed() >> count).cast_unsigned();
        Self::new((self.lo >> count).into(), (self.hi >> count).into(), ones)
    }

    pub fn and(self, other: Self) -> Self {
        let ones = self.ones & other.ones;
        // A constant that only takes low bits away rounds down.
        for (a, b) in [(self, other), (other, self)] {
            if let Some(mask) = b.as_constant()
                && b.lo < 0
                && (!mask).wrapping_add(1).is_power_of_two()
            {
                return Self::new((a.lo & b.lo).into(), (a.hi & b.lo).into(), ones);
            }
        }
        match (self.is_unsigned(), other.is_unsigned()) {
            (true, true) => Self::new(0, self.hi.min(other.hi).into(), ones),
            (true, false) => Self::new(0, self.hi.into(), ones),
            (false, true) => Self::new(0, other.hi.into(), ones),
            (false, false) => Self::of_sign_extended(self, other, ones),
        }
    }

    /// Integers with these bits whose high bits are copies of the sign where they are such in both.
    fn of_sign_extended(a: Self, b: Self, ones: u32) -> Self {
        let magnitude = |value: i32| value ^ (value >> 31);
        let most = [a.lo, a.hi, b.lo, b.hi].map(magnitude).into_iter().fold(0, i32::max);
        let hi = i64::from(bits_below(most));
        Self::new(-hi - 1, hi, ones)
    }

    pub fn or(self, other: Self) -> Self {
        let ones = self.ones | other.ones;
        match self.is_unsigned() && other.is_unsigned() {
            true => Self::new(self.lo.max(other.lo).into(), i32::MAX.into(), ones),
            false => Self::of_sign_extended(self, other, ones),
        }
    }

    pub fn xor(self, other: Self) -> Self {
        let ones = self.ones | other.ones;
        // Bits stay above all that the other operand has.
        let hi = |a: Self, b: Self| a.hi | bits_below(b.hi).cast_signed();
        match self.is_unsigned() && other.is_unsigned() {
            true => Self::new(0, hi(self, other).min(hi(other, self)).into(), ones),
            false => Self::of_sign_extended(self, other, ones),
        }
    }

    pub fn signed_min(self, other: Self) -> Self {
        Self::new(self.lo.min(other.lo).into(), self.hi.min(other.hi).into(), self.ones | other.ones)
    }

    pub fn signed_max(self, other: Self) -> Self {
        Self::new(self.lo.max(other.lo).into(), self.hi.max(other.hi).into(), self.ones | other.ones)
    }

    pub fn unsigned_min(self, other: Self) -> Self {
        match (self.is_unsigned(), other.is_unsigned()) {
            (true, true) => self.signed_min(other),
            (true, false) => Self::range(0, self.hi.into()),
            (false, true) => Self::range(0, other.hi.into()),
            (false, false) => Self::ANY,
        }
    }

    pub fn unsigned_max(self, other: Self) -> Self {
        if self.is_unsigned() && other.is_unsigned() { self.signed_max(other) } else { Self::ANY }
    }
}

/// What a register can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Nothing yet: no way to here has been followed.
    Never,
    /// What contradicts a constraint: code does not come here, or no lane is in the mask.
    Impossible,
    /// Any bits.
    Unknown,
    /// Integers, in each lane of a vector, or zero-extended in a general register.
    Int(Int),
    /// Floats between these, and no NaN.
    Float(f32, f32),
    /// The address of a byte between these of an object.
    Pointer(Object, i64, i64),
    /// In each lane the number of byte addresses of this buffer that have a whole word.
    Words(usize),
}

impl Value {
    pub fn int(self) -> Int {
        match self {
            Self::Int(int) => int,
            Self::Never | Self::Impossible | Self::Unknown | Self::Float(..) | Self::Pointer(..) | Self::Words(_) => {
                Int::ANY
            }
        }
    }

    /// The integers, if the bits are known to be some.
    pub fn known(int: Int) -> Self {
        if int == Int::ANY { Self::Unknown } else { Self::Int(int) }
    }

    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Never, value) | (value, Self::Never) => value,
            (Self::Int(a), Self::Int(b)) => Self::known(a.join(b)),
            (Self::Pointer(a, lo, hi), Self::Pointer(b, low, high)) if a == b => {
                Self::Pointer(a, lo.min(low), hi.max(high))
            }
            _ => Self::Unknown,
        }
    }

    /// The float that these bits are, if there is only one.
    fn as_float(self) -> Option<f32> {
        match self {
            Self::Int(int) => int.as_constant().map(f32::from_bits),
            Self::Float(lo, hi) => (lo == hi).then_some(lo),
            Self::Never | Self::Impossible | Self::Unknown | Self::Pointer(..) | Self::Words(_) => None,
        }
    }

    /// The greater one as the processor has it: the second operand, if one is a NaN.
    pub fn float_max(self, other: Self) -> Self {
        match (self, other.as_float()) {
            (_, Some(bound)) if bound.is_nan() => Self::Unknown,
            (Self::Float(lo, hi), Some(bound)) => Self::Float(lo.max(bound), hi.max(bound)),
            (_, Some(bound)) => Self::Float(bound, f32::INFINITY),
            _ => Self::Unknown,
        }
    }

    /// The smaller one, likewise.
    pub fn float_min(self, other: Self) -> Self {
        match (self, other.as_float()) {
            (_, Some(bound)) if bound.is_nan() => Self::Unknown,
            (Self::Float(lo, hi), Some(bound)) => Self::Float(lo.min(bound), hi.min(bound)),
            (_, Some(bound)) => Self::Float(f32::NEG_INFINITY, bound),
            _ => Self::Unknown,
        }
    }

    /// Truncation to an integer.
    pub fn truncated(self) -> Self {
        match self {
            // Below 2^31 truncation is exact.
            Self::Float(lo, hi) if lo >= -2_147_483_648.0 && hi < 2_147_483_648.0 => {
                Self::known(Int::range(lo as i64, hi as i64))
            }
            Self::Never
            | Self::Impossible
            | Self::Unknown
            | Self::Int(_)
            | Self::Float(..)
            | Self::Pointer(..)
            | Self::Words(_) => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Int;

    /// Whether the integers are said to be possible.
    fn has(int: Int, value: i32) -> bool {
        (int.lo..=int.hi).contains(&value) && value.cast_unsigned() & !int.ones == 0
    }

    /// Every operation on members of two sets gives a member of what is claimed.
    #[test]
    fn operations_cover_their_results() {
        let ends = [i32::MIN, i32::MIN + 1, -4096, -17, -2, -1, 0, 1, 3, 5, 16, 100, 2047, 4095, 65_535, i32::MAX];
        let mut sets = Vec::new();
        for (at, &lo) in ends.iter().enumerate() {
            sets.extend(ends[at..].iter().map(|&hi| (Int::range(lo.into(), hi.into()), [lo, hi])));
        }
        sets.extend([0x7F8, 0xFFFF_FFFC, 0x8000_0000].map(|ones: u32| {
            let int = Int::new(i32::MIN.into(), i32::MAX.into(), ones);
            (int, [0, (ones & 0x9999_9998).cast_signed()])
        }));
        type Operation = (&'static str, fn(Int, Int) -> Int, fn(i32, i32) -> i32);
        let operations: [Operation; 11] = [
            ("add", Int::add, i32::wrapping_add),
            ("sub", Int::sub, i32::wrapping_sub),
            ("mul", Int::mul, i32::wrapping_mul),
            ("and", Int::and, |a, b| a & b),
            ("or", Int::or, |a, b| a | b),
            ("xor", Int::xor, |a, b| a ^ b),
            ("signed min", Int::signed_min, i32::min),
            ("signed max", Int::signed_max, i32::max),
            ("unsigned min", Int::unsigned_min, |a, b| a.cast_unsigned().min(b.cast_unsigned()).cast_signed()),
            ("unsigned max", Int::unsigned_max, |a, b| a.cast_unsigned().max(b.cast_unsigned()).cast_signed()),
            ("join", Int::join, |a, _| a),
        ];
        for &(a, members) in &sets {
            for &(b, others) in &sets {
                for (name, of_sets, of_members) in operations {
                    let claimed = of_sets(a, b);
                    for (x, y) in members.into_iter().flat_map(|x| others.map(|y| (x, y))) {
                        assert!(has(claimed, of_members(x, y)), "{name}: {x} of {a:?}, {y} of {b:?}: {claimed:?}");
                    }
                }
            }
            for count in [0, 1, 4, 11, 31, 32, 40] {
                for x in members {
                    let unsigned = x.cast_unsigned();
                    let left = unsigned.checked_shl(count).unwrap_or(0).cast_signed();
                    let right = unsigned.checked_shr(count).unwrap_or(0).cast_signed();
                    assert!(has(a.shift_left(count), left), "{x} << {count}: {a:?}");
                    assert!(has(a.shift_right(count), right), "{x} >> {count}: {a:?}");
                    assert!(has(a.shift_right_signed(count), x >> count.min(31)), "{x} >> {count}: {a:?}");
                }
            }
        }
    }
}
