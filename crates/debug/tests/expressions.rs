//! Expressions over what a lane holds.

use ctm_debug::{Expression, cell_name, find_cell, number_of};
use ctm_follow::{Cell, ValueKind};

fn cells() -> Vec<Cell> {
    let of = |pattern, channel, kind| Cell { pattern, number: 3, channel, kind, echoes: false };
    let channels = ['r', 'g', 'b', 'a'].map(|channel| of("t[#]", Some(channel), ValueKind::Float));
    [
        &channels[..],
        &[of("w#", None, ValueKind::Word), of("i", None, ValueKind::Integer), of("p", None, ValueKind::Truth)],
    ]
    .concat()
}

fn value(text: &str) -> f64 {
    let bits = [2.25f32.to_bits(), (-2.5f32).to_bits(), f32::NAN.to_bits(), 0, 0xFFFF_FFFE, 0xFFFF_FFFE, 8];
    Expression::parse(text, &cells()).unwrap_or_else(|error| panic!("{text}: {error}")).value(&|cell| bits[cell])
}

#[test]
fn functions_and_operators() {
    for (text, expected) in [
        ("abs(t[3].g)", 2.5),
        ("sqrt(t[3].r)", 1.5),
        ("floor(t[3].g)", -3.0),
        ("isnan(t[3].b)", 1.0),
        ("isnan(t[3].r)", 0.0),
        ("min(1, 2)", 1.0),
        ("max(1, 2)", 2.0),
        ("int(w3)", -2.0),
        ("bits(i)", 4_294_967_294.0),
        ("float(i) == float(i)", 0.0),
        ("w3", 4_294_967_294.0),
        ("i", -2.0),
        ("p", 1.0),
        ("-t[3].r", -2.25),
        ("- -3", 3.0),
        ("!0", 1.0),
        ("!2", 0.0),
        ("!t[3].b", 1.0),
        ("!!7", 1.0),
        ("0 || 0", 0.0),
        ("0 || 3", 1.0),
        ("nan || 0", 0.0),
        ("2 && 3", 1.0),
        ("2 && 0", 0.0),
        ("nan && 1", 0.0),
        ("1 == 1", 1.0),
        ("1 == 2", 0.0),
        ("1 != 1", 0.0),
        ("nan != nan", 1.0),
        ("1 < 2", 1.0),
        ("2 < 2", 0.0),
        ("2 <= 2", 1.0),
        ("3 <= 2", 0.0),
        ("2 > 2", 0.0),
        ("3 > 2", 1.0),
        ("2 >= 2", 1.0),
        ("1 >= 2", 0.0),
        ("7 - 2 - 1", 4.0),
        ("8 / 2 / 2", 2.0),
        ("7 % 4", 3.0),
        ("2 * 3 + 4 * 5", 26.0),
        ("1 + 1 < 3 && 1 || 0", 1.0),
        ("1 || 0 && 0", 1.0),
        ("0x10 + 0xf", 31.0),
        (".5 + 1.5E1", 15.5),
        ("2e+1 - 1", 19.0),
        ("2-1", 1.0),
        ("1 / inf", 0.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn what_holds_is_neither_zero_nor_a_nan() {
    let holds = |text: &str| Expression::parse(text, &[]).expect(text).holds(&|_| 0);
    assert_eq!(["1", "-1", "inf", "0", "-0", "nan"].map(holds), [true, true, true, false, false, false]);
    let cell = |text: &str| Expression::parse(text, &cells()).expect(text).cell();
    assert_eq!(["t[3].y", "i", "i + 0", "-i", "1"].map(cell), [Some(1), Some(5), None, None, None]);
    assert_eq!(Expression::parse("  i +  1 ", &cells()).expect("it is one").text, "i +  1");
}

#[test]
fn names_of_cells() {
    let cells = cells();
    let names = ["t[3].r", "t[3].x", "t[3].g", "t[3].y", "t[3].b", "t[3].z", "t[3].a", "t[3].w", "w3", "i"];
    let found = names.map(|name| find_cell(&cells, name));
    assert_eq!(found, [0, 0, 1, 1, 2, 2, 3, 3, 4, 5].map(Some));
    for name in ["t[3]", "t[4].x", "t[3].q", "i.x", "x", ""] {
        assert_eq!(find_cell(&cells, name), None, "{name}");
    }
    assert_eq!([0, 3, 4, 5].map(|cell| cell_name(&cells[cell])), ["t[3].r", "t[3].a", "w3", "i"]);
    let numbers = [ValueKind::Float, ValueKind::Integer, ValueKind::Truth, ValueKind::Word]
        .map(|kind| number_of(kind, 0xBF80_0000));
    assert_eq!(numbers, [-1.0, -1_082_130_432.0, 1.0, 3_212_836_864.0]);
    assert_eq!(number_of(ValueKind::Truth, 0), 0.0);
}

#[test]
fn mistakes_are_named_with_their_column() {
    let error = |text: &str| Expression::parse(text, &cells()).unwrap_err().to_string();
    let like = "; expressions are like 'r0.x * 2 > 1'";
    for (text, message) in [
        ("i + ", format!("column 5: unexpected end{like}")),
        ("ß + 1", "column 1: unknown register 'ß'; registers are t[3].r, t[3].g, t[3].b, t[3].a".into()),
        ("i + q", "column 5: unknown register 'q'; registers are t[3].r, t[3].g, t[3].b, t[3].a".into()),
        ("i $", format!("column 3: unexpected '$'{like}")),
        ("(i", format!("column 3: unexpected end{like}")),
        ("abs(1", format!("column 6: unexpected end{like}")),
        ("1 + abs(1, 2)", "column 5: abs takes 1 operand(s)".into()),
        ("max(1)", "column 1: max takes 2 operand(s)".into()),
        ("max(1, 2, 3)", "column 1: max takes 2 operand(s)".into()),
        ("abs(1, 2, 3)", "column 1: abs takes 1 operand(s)".into()),
        ("bits(i, i)", "column 1: bits takes 1 operand(s)".into()),
        ("int(1)", format!("column 1: unexpected int of something that is not a register{like}")),
        (
            "sin(1, 2)",
            format!(
                "column 1: unexpected function 'sin' (there are abs, min, max, sqrt, floor, isnan, float, int, bits){like}"
            ),
        ),
        ("0xg", format!("column 1: unexpected '0'{like}")),
        ("1.2.3", format!("column 1: unexpected '1'{like}")),
        ("1e-", format!("column 1: unexpected '1'{like}")),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
    let deep = "the expression nests more than 64 deep: split it";
    for (text, is_fine) in [
        ("-".repeat(63) + "1", true),
        ("-".repeat(64) + "1", false),
        ("(".repeat(63) + "1" + &")".repeat(63), true),
        ("(".repeat(64) + "1" + &")".repeat(64), false),
        ("1+".repeat(64) + "1", true),
        ("1+".repeat(65) + "1", false),
        // What stands side by side does not nest.
        ("(1) + ".repeat(60) + "((1))", true),
    ] {
        match Expression::parse(&text, &[]) {
            Ok(_) => assert!(is_fine, "{text}"),
            Err(error) => assert!(!is_fine && error.to_string() == deep, "{text}: {error}"),
        }
    }
}
