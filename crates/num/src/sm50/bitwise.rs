//! Shifts, logic, bit fields, bytes.

/// A shift count: unsigned, or modulo `width` if it wraps.
fn count(b: u32, wrap: bool, width: u32) -> u32 {
    if wrap { b & (width - 1) } else { b.min(width) }
}

/// SHL: 0 from 32 on, unless the count wraps.
pub fn shift_left(a: u32, b: u32, wrap: bool) -> u32 {
    a.checked_shl(count(b, wrap, 32)).unwrap_or(0)
}

/// SHR: zeros or (signed) copies of the sign come in.
pub fn shift_right(a: u32, b: u32, wrap: bool, signed: bool) -> u32 {
    let n = count(b, wrap, 32);
    if signed { (a.cast_signed() >> n.min(31)).cast_unsigned() } else { a.checked_shr(n).unwrap_or(0) }
}

/// Which word of a right funnel shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftWord {
    /// The low word.
    Low,
    /// The high word.
    High,
}

/// SHF.L: the high word of `high:low` shifted left. The count goes up to 32, of a wide shift to 64.
pub fn shift_funnel_left(low: u32, high: u32, b: u32, wrap: bool, wide: bool) -> u32 {
    let pair = u64::from(high) << 32 | u64::from(low);
    let n = count(b, wrap, if wide { 64 } else { 32 });
    (pair.checked_shl(n).unwrap_or(0) >> 32) as u32
}

/// SHF.R: a word of `high:low` shifted right. The count goes up to 32, of a wide shift to 64; `signed` is for wide ones.
pub fn shift_funnel_right(low: u32, high: u32, b: u32, wrap: bool, wide: bool, signed: bool, word: ShiftWord) -> u32 {
    let pair = u64::from(high) << 32 | u64::from(low);
    let n = count(b, wrap, if wide { 64 } else { 32 });
    let shifted = match signed {
        true => (pair.cast_signed() >> n.min(63)).cast_unsigned(),
        false => pair.checked_shr(n).unwrap_or(0),
    };
    match word {
        ShiftWord::Low => shifted as u32,
        ShiftWord::High => (shifted >> 32) as u32,
    }
}

/// LOP3: each bit of the result is the bit of the table that the bits of a, b and c number.
pub fn logic3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let term = |index: u32| {
        let choose = |value: u32, bit: u32| if index & bit != 0 { value } else { !value };
        if table >> index & 1 != 0 { choose(a, 4) & choose(b, 2) & choose(c, 1) } else { 0 }
    };
    (0..8).map(term).fold(0, |result, bits| result | bits)
}

/// Position (bits 7:0) and length (bits 15:8) of a bit field.
fn field(b: u32) -> (u32, u32) {
    (b & 0xFF, b >> 8 & 0xFF)
}

/// BFE: the field of a that b names. Bits beyond a's highest are zeros, or with `signed` the field's highest bit that a has.
pub fn bfe(a: u32, b: u32, signed: bool) -> u32 {
    let (position, length) = field(b);
    if length == 0 {
        return 0;
    }
    let sign = signed && a >> (position + length - 1).min(31) & 1 != 0;
    let inside = length.min(32u32.saturating_sub(position));
    let mask = u32::MAX.checked_shr(32 - inside).unwrap_or(0);
    let bits = a.checked_shr(position).unwrap_or(0) & mask;
    if sign { bits | !mask } else { bits }
}

/// BFI: c with the field that b names replaced by the low bits of a.
pub fn bfi(a: u32, b: u32, c: u32) -> u32 {
    let (position, length) = field(b);
    let mask = u32::MAX.checked_shr(32 - length.min(32)).unwrap_or(0);
    let mask = mask.checked_shl(position).unwrap_or(0);
    c & !mask | a.checked_shl(position).unwrap_or(0) & mask
}

/// FLO: the number of the highest bit that is set, of a negative signed number of the highest that is clear; all ones if
/// there is none. With `shift` the left shift that brings it to bit 31.
pub fn find_leading_one(value: u32, signed: bool, shift: bool) -> u32 {
    let value = if signed && value >> 31 != 0 { !value } else { value };
    match (value.checked_ilog2(), shift) {
        (None, _) => u32::MAX,
        (Some(bit), false) => bit,
        (Some(bit), true) => 31 - bit,
    }
}

/// How PRMT chooses bytes. Bytes 0 to 3 are those of a, 4 to 7 those of c.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PermuteMode {
    /// Each nibble of the selector names a byte; its bit 3 replicates the byte's sign.
    #[default]
    Index,
    /// F4E: four bytes upwards from the selected one.
    Forward,
    /// B4E: four bytes downwards from the selected one.
    Backward,
    /// RC8: the selected byte, four times.
    Byte,
    /// ECL: byte i, but not below the selected one.
    EdgeLeft,
    /// ECR: byte i, but not above the selected one.
    EdgeRight,
    /// RC16: the selected half, twice.
    Half,
}

/// PRMT: bytes of a and c.
pub fn permute(mode: PermuteMode, a: u32, selector: u32, c: u32) -> u32 {
    let pair = u64::from(c) << 32 | u64::from(a);
    let byte = |n: u32| (pair >> (8 * n)) as u8;
    let s = selector & 3;
    let chosen = |i: u32| match mode {
        PermuteMode::Index => {
            let nibble = selector >> (4 * i) & 15;
            let value = byte(nibble & 7);
            if nibble & 8 != 0 { (value.cast_signed() >> 7).cast_unsigned() } else { value }
        }
        PermuteMode::Forward => byte(s + i),
        PermuteMode::Backward => byte(s.wrapping_sub(i) & 7),
        PermuteMode::Byte => byte(s),
        PermuteMode::EdgeLeft => byte(i.max(s)),
        PermuteMode::EdgeRight => byte(i.min(s)),
        PermuteMode::Half => byte(2 * (s & 1) + i % 2),
    };
    u32::from_le_bytes([chosen(0), chosen(1), chosen(2), chosen(3)])
}
