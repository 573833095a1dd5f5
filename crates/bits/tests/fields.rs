//! Fields of words, and codes of fields.

use ctm_bits::{Field, FieldValue, extract, insert};

ctm_bits::codes! {
    /// A comparison.
    pub enum Test: 2 {
        /// Never.
        0 Never "never",
        /// Equal.
        1 Equal "eq",
        /// Not equal:
        /// always, if it is a NaN.
        2 NotEqual "NE",
        /// Reserved.
        3 Reserved "reserved",
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Form {
    test: Test,
    flag: bool,
    byte: u8,
    half: u16,
    word: u32,
}

ctm_bits::field_table! { Form, words 3;
    TEST, 0 [1:0], {test}, Test, "a comparison";
    FLAG, 0 [31:31], {flag}, bool, "a flag";
    BYTE, 0 [15:8], {byte}, u8, "a byte";
    HALF, 1 [20:5], {half}, u16, "half a word";
    WORD, 2 [31:0], {word}, u32, "a word";
}

fn field(name: &str) -> &'static Field {
    Form::FIELDS.iter().find(|field| field.name == name).expect("a field")
}

#[test]
fn bits_are_taken_out_and_put_in() {
    assert_eq!(extract(0xABCD_EF12, 15, 8), 0xEF);
    assert_eq!(extract(0x8000_0001, 31, 31), 1);
    assert_eq!(extract(0x8000_0001, 0, 0), 1);
    assert_eq!(extract(0xABCD_EF12, 31, 0), 0xABCD_EF12);
    assert_eq!(insert(0xFFFF_FFFF, 15, 8, 0), 0xFFFF_00FF);
    assert_eq!(insert(0, 15, 8, 0x1EF), 0xEF00, "bits that do not fit are dropped");
    assert_eq!(insert(0xFFFF_FFFF, 31, 0, 7), 7);
    assert_eq!(insert(0x0F00, 31, 31, 1), 0x8000_0F00);
}

#[test]
fn fields_know_their_places() {
    for (name, width, max, mask) in [
        ("TEST", 2, 3, 3),
        ("FLAG", 1, 1, 0x8000_0000),
        ("BYTE", 8, 0xFF, 0xFF00),
        ("HALF", 16, 0xFFFF, 0x001F_FFE0),
        ("WORD", 32, u32::MAX, u32::MAX),
    ] {
        let field = field(name);
        assert_eq!((field.width(), field.max(), field.mask()), (width, max, mask), "{name}");
    }
    assert_eq!(Form::COVERED, [0x8000_FF03, 0x001F_FFE0, u32::MAX]);
    let mut words = [0xFFFF_FFFF, 0, 0xABCD];
    assert_eq!((field("BYTE").get(&words), field("WORD").get(&words)), (0xFF, 0xABCD));
    field("BYTE").set(&mut words, 0x112);
    field("HALF").set(&mut words, 1);
    assert_eq!(words, [0xFFFF_12FF, 0x20, 0xABCD]);
}

#[test]
fn forms_are_read_and_written() {
    let words = [0x8000_2A02, 0x0012_3460, 0xABCD_EF12];
    let form = Form { test: Test::NotEqual, flag: true, byte: 0x2A, half: 0x91A3, word: 0xABCD_EF12 };
    assert_eq!(Form::read(&words), form);
    let mut written = [0; 3];
    form.write(&mut written);
    assert_eq!(written, words);
    // Bits of no field stay.
    let mut full = [u32::MAX; 3];
    Form::default().write(&mut full);
    assert_eq!(full, [0x7FFF_00FC, 0xFFE0_001F, 0]);
}

#[test]
fn codes_have_words() {
    assert_eq!(Test::ALL.map(|test| test.to_raw()), [0, 1, 2, 3]);
    assert_eq!([0, 1, 2, 3].map(Test::from_raw), Test::ALL);
    assert_eq!(
        (Test::parse("EQ"), Test::parse("ne"), Test::parse("e")),
        (Some(Test::Equal), Some(Test::NotEqual), None)
    );
    assert_eq!(Test::NotEqual.about(), "Not equal: always, if it is a NaN.");
    let spell = field("TEST").spell;
    assert_eq!((spell(2), spell(4)), (Some("NE"), None));
    let about = field("TEST").about;
    assert_eq!((about(0), about(4)), (Some("Never."), None));
}

/// Numbers have no names.
#[test]
fn numbers_are_their_bits() {
    for name in ["FLAG", "BYTE", "HALF", "WORD"] {
        assert_eq!(((field(name).spell)(1), (field(name).about)(1)), (None, None), "{name}");
    }
    assert_eq!((bool::from_raw(0), bool::from_raw(1), true.to_raw(), false.to_raw()), (false, true, 1, 0));
    assert_eq!((u8::from_raw(0xAB), 0xABu8.to_raw()), (0xAB, 0xAB));
    assert_eq!((u16::from_raw(0xABCD), 0xABCDu16.to_raw()), (0xABCD, 0xABCD));
    assert_eq!((u32::from_raw(0xABCD_EF01), 0xABCD_EF01u32.to_raw()), (0xABCD_EF01, 0xABCD_EF01));
}
