//! Integer operations of the SPA 5.0 against sums and products of wide integers, and tables of the PTX ISA.

use crate::model::{Random, STEP};
use ctm_num::sm50::*;
use std::cmp::Ordering;

/// Words at the edges and at random, so many of them.
fn words(seed: u64, count: usize) -> Vec<u32> {
    const EDGES: [u32; 10] =
        [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF, 0xFFFF_FFFE, 0x0001_0000, 0xFFFF_8000];
    let mut random = Random(seed);
    let mut word = || match random.word() {
        choice if choice & 3 == 0 => EDGES[(choice >> 2) as usize % EDGES.len()],
        _ => random.word(),
    };
    (0..count).step_by(STEP).map(|_| word()).collect()
}

fn signed(word: u32) -> i64 {
    word.cast_signed().into()
}

fn long([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[test]
fn flags_have_their_bits() {
    let no = Flags::default();
    let flags = [
        (no, 0),
        (Flags { zero: true, ..no }, 1),
        (Flags { sign: true, ..no }, 2),
        (Flags { carry: true, ..no }, 4),
        (Flags { overflow: true, ..no }, 8),
    ];
    for (flags, image) in flags {
        assert_eq!((flags.image(), Flags::from_image(image), Flags::from_image(image | 0xFFF0)), (image, flags, flags));
    }
    assert_eq!((0..16).map(|image| Flags::from_image(image).image()).collect::<Vec<_>>(), Vec::from_iter(0..16));
    assert_eq!([0, 1, 0x8000_0000].map(|word| Flags::of(word).image()), [1, 0, 2]);
}

#[test]
fn sums_carry_and_overflow() {
    for pair in words(21, 8000).chunks_exact(2) {
        let [a, b] = [pair[0], pair[1]];
        let check = |rules: AddRules, carried: u64, exact: i64| {
            for saturate in [false, true] {
                let (result, flags) =
                    iadd(AddRules { saturate, ..rules }, a, b, Flags { carry: true, ..Flags::default() });
                let nearest = exact.clamp(i32::MIN.into(), i32::MAX.into()) as u32;
                let expected = if saturate { nearest } else { exact as u32 };
                assert_eq!(result, expected, "{a:#x} {b:#x} {rules:?}");
                let overflow = i32::try_from(exact).is_err();
                let flags_of = Flags { carry: carried >> 32 != 0, overflow, ..Flags::of(expected) };
                assert_eq!(flags, flags_of, "{a:#x} {b:#x} {rules:?}");
            }
        };
        let (wide_a, wide_b) = (u64::from(a), u64::from(b));
        check(AddRules::default(), wide_a + wide_b, signed(a) + signed(b));
        let (minus_a, minus_b) = (u64::from(!a) + 1, u64::from(!b) + 1);
        check(AddRules { negate_a: true, ..AddRules::default() }, minus_a + wide_b, signed(b) - signed(a));
        check(AddRules { negate_b: true, ..AddRules::default() }, wide_a + minus_b, signed(a) - signed(b));
        check(AddRules { plus_one: true, ..AddRules::default() }, wide_a + wide_b + 1, signed(a) + signed(b) + 1);
        // One is added once, whether the carry comes in or not.
        let both = AddRules { plus_one: true, extended: true, ..AddRules::default() };
        assert_eq!(iadd(both, a, b, Flags::default()).0, a.wrapping_add(b).wrapping_add(1));
    }
}

/// The flags of the last word are those of the whole number.
#[test]
fn flags_of_multiword_sums() {
    for parts in words(22, 8000).chunks_exact(4) {
        let [a, b] = [[parts[0], parts[1]], [parts[2], parts[3]]];
        for negate_b in [false, true] {
            let rules = AddRules { negate_b, ..AddRules::default() };
            let (low, flags) = iadd(rules, a[0], b[0], Flags::default());
            let (high, flags) = iadd(AddRules { extended: true, ..rules }, a[1], b[1], flags);
            let (x, y) = (long(a), long(b));
            let carried = u128::from(x) + if negate_b { u128::from(!y) + 1 } else { y.into() };
            let (x, y) = (i128::from(x.cast_signed()), i128::from(y.cast_signed()));
            let exact = if negate_b { x - y } else { x + y };
            let result = exact as u64;
            assert_eq!(long([low, high]), result);
            let expected = Flags {
                zero: result == 0,
                sign: result >> 63 != 0,
                carry: carried >> 64 != 0,
                overflow: i64::try_from(exact).is_err(),
            };
            assert_eq!(flags, expected, "{a:x?} {b:x?} {negate_b}");
        }
    }
}

#[test]
fn scaled_sums() {
    for parts in words(23, 8000).chunks_exact(4) {
        let ([a, b, c], shift) = ([parts[0], parts[1], parts[2]], parts[3] & 63);
        let scaled = a << (shift & 31);
        let of_sum = |carried: u64, x: u32, y: u32| Flags {
            carry: carried >> 32 != 0,
            overflow: i32::try_from(signed(x) + signed(y) + i64::from(carried > u64::from(x) + u64::from(y))).is_err(),
            ..Flags::of(carried as u32)
        };
        let sum = u64::from(scaled) + u64::from(b);
        let expected = (sum as u32, of_sum(sum, scaled, b));
        assert_eq!(iscadd(AddRules::default(), a, b, shift), expected);
        let minus = iscadd(AddRules { negate_a: true, ..AddRules::default() }, a, b, shift).0;
        assert_eq!(minus, b.wrapping_sub(scaled));
        assert_eq!(lea(false, a, b, shift, Flags::default()), expected);
        // The carry counts where the sum goes on from lower words; whether those were zero, too.
        let before = Flags { carry: true, ..Flags::default() };
        assert_eq!(lea(false, a, b, shift, before), expected);
        let and_one = of_sum(sum + 1, scaled, b);
        let and_one = ((sum + 1) as u32, Flags { zero: false, ..and_one });
        assert_eq!(lea(true, a, b, shift, before), and_one, "{a:#x} {b:#x} {shift}");

        let high = ((u128::from(long([a, c])) << (shift & 31)) >> 32) as u32;
        let sum = u64::from(high) + u64::from(b);
        assert_eq!(lea_high(false, [a, b, c], shift, before), (sum as u32, of_sum(sum, high, b)));
        let and_one = Flags { zero: false, ..of_sum(sum + 1, high, b) };
        assert_eq!(lea_high(true, [a, b, c], shift, before), ((sum + 1) as u32, and_one));
    }
}

#[test]
fn products_are_those_of_long_integers() {
    for parts in words(24, 6000).chunks_exact(3) {
        let [a, b, c] = [parts[0], parts[1], parts[2]];
        for signs in [[false, false], [false, true], [true, false], [true, true]] {
            let number = |word: u32, is_signed: bool| if is_signed { signed(word).into() } else { i128::from(word) };
            let product = number(a, signs[0]) * number(b, signs[1]);
            for high in [false, true] {
                let word = |product: i128| if high { (product >> 32) as u32 } else { product as u32 };
                assert_eq!(imul(a, b, signs, high), word(product), "{a:#x} {b:#x} {signs:?}");
                for (negate_a, product) in [(false, product), (true, -product)] {
                    let rules = AddRules { negate_a, ..AddRules::default() };
                    let sum = u64::from(word(product)) + u64::from(c);
                    let (result, flags) = imad(rules, [a, b, c], signs, high, Flags::default());
                    assert_eq!((result, flags.carry), (sum as u32, sum >> 32 != 0), "{a:#x} {b:#x} {c:#x} {rules:?}");
                    let less = AddRules { negate_b: true, ..rules };
                    let difference = word(product).wrapping_sub(c);
                    assert_eq!(imad(less, [a, b, c], signs, high, Flags::default()).0, difference);
                }
            }
        }
    }
}

#[test]
fn products_of_halves() {
    for parts in words(25, 6000).chunks_exact(3) {
        let [a, b, c] = [parts[0], parts[1], parts[2]];
        for bits in 0..128u32 {
            let [high_a, high_b, signed_a, signed_b, shift_product, merge, extended] =
                [0, 1, 2, 3, 4, 5, 6].map(|bit| bits >> bit & 1 != 0);
            let half = |word: u32, high: bool, is_signed: bool| {
                let half = if high { word >> 16 } else { word & 0xFFFF };
                if is_signed && half >> 15 != 0 { i64::from(half) - 0x1_0000 } else { half.into() }
            };
            let product = (half(a, high_a, signed_a) * half(b, high_b, signed_b)) as u32;
            let product = if shift_product { product << 16 } else { product };
            for (addend, added) in [
                (AddendOfXmad::Whole, c),
                (AddendOfXmad::Low, c & 0xFFFF),
                (AddendOfXmad::High, c >> 16),
                (AddendOfXmad::WithB, c.wrapping_add(b << 16)),
            ] {
                let rules = XmadRules {
                    high: [high_a, high_b],
                    signed: [signed_a, signed_b],
                    shift_product,
                    merge,
                    addend,
                    extended,
                };
                let before = Flags { carry: true, zero: true, ..Flags::default() };
                let sum = u64::from(product) + u64::from(added) + u64::from(extended);
                let result = if merge { sum as u32 & 0xFFFF | b << 16 } else { sum as u32 };
                let expected = Flags { carry: sum >> 32 != 0, ..Flags::of(result) };
                assert_eq!(xmad(rules, [a, b, c], before), (result, expected), "{a:#x} {b:#x} {c:#x} {rules:?}");
            }
        }
    }
}

/// CSFU: 0x10000 less for each word that is negative, if the lower half of the other is not zero.
#[test]
fn addends_are_corrected_for_signs() {
    for pair in words(26, 6000).chunks_exact(2) {
        let [a, b] = [pair[0], pair[1]];
        let rules = XmadRules { addend: AddendOfXmad::Signed, ..XmadRules::default() };
        let correction = |of: u32, by: u32| if of.cast_signed() < 0 && by & 0xFFFF != 0 { 0x1_0000 } else { 0 };
        let expected = (a & 0xFFFF).wrapping_mul(b & 0xFFFF);
        let expected = expected.wrapping_add(5).wrapping_sub(correction(a, b)).wrapping_sub(correction(b, a));
        assert_eq!(xmad(rules, [a, b, 5], Flags::default()).0, expected, "{a:#x} {b:#x}");
    }
}

#[test]
fn comparisons_minima_and_maxima() {
    for parts in words(27, 8000).chunks_exact(4) {
        let [a, b] = [parts[0], parts[1]];
        assert_eq!(icompare(false, a, b), Some(a.cmp(&b)).into());
        assert_eq!(icompare(true, a, b), Some(signed(a).cmp(&signed(b))).into());
        assert_eq!([imnmx(true, false, a, b), imnmx(false, false, a, b)], [a.min(b), a.max(b)]);
        let [least, greatest] = [signed(a).min(signed(b)) as u32, signed(a).max(signed(b)) as u32];
        assert_eq!([imnmx(true, true, a, b), imnmx(false, true, a, b)], [least, greatest]);

        // Of two words, of which the upper ones are often the same.
        let [a, b] = [[parts[0], parts[1]], [parts[2], if parts[3] & 1 == 0 { parts[1] } else { parts[3] }]];
        for (min, is_signed) in [(true, false), (true, true), (false, false), (false, true)] {
            let (high, flags) = imnmx_extended(true, min, is_signed, a[1], b[1], Flags::default());
            let (low, _) = imnmx_extended(false, min, false, a[0], b[0], flags);
            let order = |x: u64, y: u64| if is_signed { (x as i64).cmp(&(y as i64)) } else { x.cmp(&y) };
            let wanted = if min { Ordering::Less } else { Ordering::Greater };
            let expected = if order(long(a), long(b)) == wanted { long(a) } else { long(b) };
            assert_eq!(long([low, high]), expected, "{a:x?} {b:x?} {min} {is_signed}");
        }
    }
    let relations = [Relation::Less, Relation::Equal, Relation::Greater, Relation::Unordered];
    let holds = relations.map(|relation| (0..16).filter(|&code| relation.satisfies(code)).collect::<Vec<_>>());
    let with = |bit: u8| (0..16).filter(|code| code & bit != 0).collect::<Vec<_>>();
    assert_eq!(holds, [1, 2, 4, 8].map(with));
}

#[test]
fn shifts_by_any_count() {
    for (n, &a) in words(28, 4000).iter().enumerate() {
        for count in [n as u32 % 70, 31, 32, 33, 63, 64, 65, u32::MAX] {
            let by = |count: u32| if count < 128 { count } else { 127 };
            let (wide, sign) = (u128::from(a), i128::from(signed(a)));
            assert_eq!(shift_left(a, count, false), (wide << by(count)) as u32);
            assert_eq!(shift_left(a, count, true), a << (count & 31));
            assert_eq!(shift_right(a, count, false, false), (wide >> by(count)) as u32);
            assert_eq!(shift_right(a, count, false, true), (sign >> by(count)) as u32);
            assert_eq!(shift_right(a, count, true, false), a >> (count & 31));
            assert_eq!(shift_right(a, count, true, true), (sign >> (count & 31)) as u32);

            let high = a.rotate_left(13) ^ 0x8001_0003;
            let pair = long([a, high]);
            for (wrap, wide, count_of) in [
                (false, false, count.min(32)),
                (true, false, count & 31),
                (false, true, count.min(64)),
                (true, true, count & 63),
            ] {
                let left = (u128::from(pair) << count_of) as u64;
                assert_eq!(shift_funnel_left(a, high, count, wrap, wide), (left >> 32) as u32);
                for is_signed in [false, true] {
                    let number = if is_signed { i128::from(pair.cast_signed()) } else { pair.into() };
                    let right = (number >> count_of) as u64;
                    let word = |word| shift_funnel_right(a, high, count, wrap, wide, is_signed, word);
                    assert_eq!((word(ShiftWord::Low), word(ShiftWord::High)), (right as u32, (right >> 32) as u32));
                }
            }
        }
    }
}

#[test]
fn logic_of_three_is_a_table() {
    let [a, b, c] = [0b1111_0000, 0b1100_1100, 0b1010_1010];
    for table in 0..=u8::MAX {
        // Bit n of the operands together is the number n.
        assert_eq!(logic3(a, b, c, table) & 0xFF, table.into());
    }
    assert_eq!(logic3(0xFF00_FF00, 0xF0F0_F0F0, 0, 0xC0), 0xF000_F000, "a and b");
}

#[test]
fn leading_ones() {
    for (value, unsigned, of_signed) in [
        (0, u32::MAX, u32::MAX),
        (1, 0, 0),
        (0x0000_8000, 15, 15),
        (0x7FFF_FFFF, 30, 30),
        (0x8000_0000, 31, 30),
        (0xFFFF_0000, 31, 15),
        (0xFFFF_FFFF, 31, u32::MAX),
    ] {
        let shift = |bit: u32| if bit == u32::MAX { bit } else { 31 - bit };
        let found = |is_signed| [false, true].map(|is_shift| find_leading_one(value, is_signed, is_shift));
        assert_eq!(found(false), [unsigned, shift(unsigned)], "{value:#x}");
        assert_eq!(found(true), [of_signed, shift(of_signed)], "{value:#x}");
    }
}

/// The table of the PTX ISA ("prmt"), whose bytes stand from the highest to the lowest.
#[test]
fn bytes_are_permuted() {
    let modes = [
        (PermuteMode::Forward, ["3210", "4321", "5432", "6543"]),
        (PermuteMode::Backward, ["5670", "6701", "7012", "0123"]),
        (PermuteMode::Byte, ["0000", "1111", "2222", "3333"]),
        (PermuteMode::EdgeLeft, ["3210", "3211", "3222", "3333"]),
        (PermuteMode::EdgeRight, ["0000", "1110", "2210", "3210"]),
        (PermuteMode::Half, ["1010", "3232", "1010", "3232"]),
    ];
    // Byte n is n.
    let (a, c) = (0x0302_0100, 0x0706_0504);
    for (mode, rows) in modes {
        for (selector, row) in rows.into_iter().enumerate() {
            let expected = row.bytes().fold(0, |word, digit| word << 8 | u32::from(digit - b'0'));
            // Only the lowest two bits of the selector count.
            for selector in [selector as u32, selector as u32 | 0xFFF0, selector as u32 | 4] {
                assert_eq!(permute(mode, a, selector, c), expected, "{mode:?} {selector:#x}");
            }
        }
    }
    assert_eq!(permute(PermuteMode::Index, a, 0x7410, c), 0x0704_0100);
    assert_eq!(permute(PermuteMode::Index, 0x80FF_017F, 0xBA98, 0), 0xFFFF_0000, "signs of bytes 3 to 0");
    assert_eq!(permute(PermuteMode::Index, 0, 0xFEDC, 0x807F_FF00), 0xFF00_FF00);
}
