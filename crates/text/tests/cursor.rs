//! What parsers do with tokens: look, take, complain.

use ctm_text::{Cause, Cursor, Dialect, MOST_DIAGNOSTICS, Severity, SourceFile, Span, TokenKind, lex};

static DIALECT: Dialect = Dialect { comments: &["//"], block_comment: None, symbols: b",;.-+", limit: "" };

fn cursor(text: &str) -> Cursor {
    let main = SourceFile { name: "main".into(), text: text.into() };
    Cursor::new(lex(&DIALECT, main, &mut |_, name| Ok(SourceFile { name: name.into(), text: "0".into() })))
}

fn problems(cursor: &Cursor) -> Vec<String> {
    cursor.diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn looking_and_taking() {
    let mut cursor = cursor("Mov r1, x");
    assert!(!cursor.at_end() && cursor.is_word("MOV") && !cursor.is_word("mo") && !cursor.is_symbol(b','));
    let texts: Vec<_> = (0..3).map(|ahead| cursor.text(cursor.look(ahead)).to_owned()).collect();
    assert_eq!(texts, ["Mov", "r1", ","]);
    assert_eq!([0, 1, 2, 3].map(|ahead| cursor.word_ahead(ahead)), [Some("Mov"), Some("r1"), None, Some("x")]);
    assert_eq!([4, 5, 99].map(|ahead| cursor.look(ahead).kind), [TokenKind::End; 3]);

    assert!(!cursor.accept_word("r1") && cursor.accept_word("mov"));
    assert_eq!(cursor.text(cursor.last()), "Mov");
    assert!(!cursor.accept_symbol(b','));
    let taken = cursor.take();
    assert_eq!(cursor.text(taken), "r1");
    assert!(cursor.is_symbol(b',') && !cursor.is_symbol(b';') && cursor.accept_symbol(b','));
    assert_eq!(cursor.expect_word("a register", "").map(|token| cursor.text(token).to_owned()).ok(), Some("x".into()));
    assert!(cursor.at_end());
    assert_eq!([cursor.take(), cursor.take(), cursor.peek()].map(|token| token.kind), [TokenKind::End; 3]);
    assert_eq!(cursor.text(cursor.last()), "x", "the end is not passed");
    assert_eq!(problems(&cursor), [""; 0]);
}

#[test]
fn what_else_was_expected() {
    let mut cursor = cursor("a ,");
    assert!(cursor.expect_symbol(b';', "after it").is_err());
    assert!(cursor.accept_word("a") && cursor.expect_symbol(b',', "").is_ok());
    assert!(cursor.expect_word("a register", "such as `r0`").is_err());
    assert_eq!(
        problems(&cursor),
        [
            "main:1:1: error[syntax]: expected `;` after it, found `a`",
            "main:1:4: error[syntax]: expected a register, found the end of the text (such as `r0`)"
        ]
    );
}

#[test]
fn names_of_a_list() {
    let names = ["MAD", "DP3", "CMP"];
    let mut few = cursor("cmp MAX frc ; mad");
    assert_eq!(few.expect_name("an operation", &names).ok(), Some(2));
    (0..3).for_each(|_| assert!(few.expect_name("an operation", &names).is_err()));
    few.take();
    assert_eq!(few.expect_name("an operation", &names).ok(), Some(0));
    assert_eq!(
        problems(&few),
        [
            "main:1:5: error[unknown-word]: unknown operation `MAX` (did you mean `MAD`?)",
            "main:1:9: error[unknown-word]: unknown operation `frc` (it can be `MAD`, `DP3` or `CMP`)",
            "main:1:13: error[syntax]: expected an operation, found `;` (it can be `MAD`, `DP3` or `CMP`)"
        ]
    );

    // A long list helps nobody.
    let many: Vec<String> = (10..31).map(|n| format!("name{n}")).collect();
    let many: Vec<&str> = many.iter().map(|name| &**name).collect();
    let mut cursor = cursor("x y");
    assert!(cursor.expect_name("a name", &many[..20]).is_err() && cursor.expect_name("a name", &many).is_err());
    assert!(problems(&cursor)[0].ends_with("`name28` or `name29`)"));
    assert_eq!(problems(&cursor)[1], "main:1:3: error[unknown-word]: unknown name `y`");
}

#[test]
fn spans_join_in_one_file() {
    let span = |file, start, end| Span { file, start, end };
    let ends = |span: Span| (span.file, span.start, span.end);
    assert_eq!(ends(span(0, 2, 3).to(span(0, 5, 7))), (0, 2, 7));
    assert_eq!(ends(span(0, 2, 7).to(span(0, 3, 5))), (0, 2, 7));
    assert_eq!(ends(span(0, 2, 3).to(span(1, 5, 7))), (0, 2, 3));
    let origin = cursor("one two").origin(span(0, 4, 7));
    assert_eq!((&origin.file.text[origin.span.clone()], &*origin.file.name), ("two", "main"));
}

#[test]
fn whole_numbers() {
    let read = |text: &str| {
        let mut cursor = cursor(text);
        let number = cursor.number("a slot", 31).ok();
        (number, problems(&cursor).pop().unwrap_or_default())
    };
    for (text, value) in [("0", 0), ("31", 31), ("007", 7), ("0x1F", 31), ("0X1f", 31)] {
        assert_eq!(read(text), (Some(value), String::new()), "{text}");
    }
    // Reading goes on, as nothing but the value is wrong.
    for text in ["32", "0x20", "4294967296", "0x100000000"] {
        let message = format!("main:1:1: error[range]: slot {text} is out of range (0 to 31)");
        assert_eq!(read(text), (Some(0), message));
    }
    for text in ["12z", "0x", "0xG", "1_0"] {
        let message = format!("`{text}` is not a whole number (a slot is a number from 0 to 31)");
        assert_eq!(read(text), (None, format!("main:1:1: error[syntax]: {message}")));
    }
    for (text, found) in [("x1", "`x1`"), ("-1", "`-`"), ("", "the end of the text")] {
        let message = format!("main:1:1: error[syntax]: expected a slot, a number from 0 to 31, found {found}");
        assert_eq!(read(text), (None, message));
    }
}

/// What belongs to a number, and what comes after it.
#[test]
fn numerals_end_where_numbers_do() {
    for (text, numeral, rest) in [
        ("12", "12", ""),
        ("1.5, 2", "1.5", ","),
        ("1.5.2", "1.5", "."),
        ("1.x", "1", "."),
        ("1.", "1", "."),
        ("1 .5", "1", "."),
        ("1e5", "1e5", ""),
        ("1e-5 x", "1e-5", "x"),
        ("1E+5", "1E+5", ""),
        ("1e-", "1e", "-"),
        ("1e-x", "1e", "-"),
        ("1-5", "1", "-"),
        ("1p-5", "1p", "-"),
        ("0x1.8p-3", "0x1.8p-3", ""),
        ("0X1.fP+3;", "0X1.fP+3", ";"),
        ("0x1.p3", "0x1", "."),
        ("0x1e-3", "0x1e", "-"),
        ("0x1.g", "0x1", "."),
        ("1.a", "1", "."),
        ("1_000", "1_000", ""),
    ] {
        let mut cursor = cursor(text);
        let (found, span) = cursor.numeral().expect("a number");
        assert_eq!((&*found, span.start, span.end), (numeral, 0, numeral.len() as u32), "{text}");
        assert_eq!(cursor.text(cursor.peek()), rest, "{text}");
    }
    for text in ["x", "-1", ".5", ""] {
        let mut cursor = cursor(text);
        assert!(cursor.numeral().is_none(), "{text}");
        assert_eq!(cursor.peek().start, 0, "{text}: nothing is taken");
    }
    // A number ends with its file, whatever stands after that.
    let mut cursor = cursor("#include \"x\" 5");
    let (spelled, span) = cursor.numeral().expect("a number");
    assert_eq!((&*spelled, span.file, cursor.text(cursor.peek())), ("0", 1, "5"));
}

#[test]
fn floats() {
    for (text, bits) in [
        ("0.5", 0x3F00_0000),
        ("-0.5", 0xBF00_0000),
        ("-0", 0x8000_0000),
        ("inf", 0x7F80_0000),
        ("-INF", 0xFF80_0000),
        ("3.4028235e38", 0x7F7F_FFFF),
        ("-3.4028235e38", 0xFF7F_FFFF),
        ("0x1.8p1", 0x4040_0000),
        ("-0x1.8p1", 0xC040_0000),
        ("0x3F800001", 0x3F80_0001),
        ("0x7F800000", 0x7F80_0000),
        ("0XFF800000", 0xFF80_0000),
        ("nan", 0x7FFF_FFFF),
    ] {
        let mut cursor = cursor(text);
        let (found, span) = cursor.float("a value").unwrap_or_else(|_| panic!("{text}"));
        assert_eq!((found, span.start, span.end), (bits, 0, text.len() as u32), "{text}: {found:#x}");
        assert!(cursor.at_end() && cursor.diagnostics.is_empty(), "{text}");
    }
    let largest = "the largest number is 3.4028235e38; write `inf` for infinity";
    let spelling = "bits are `0x` and up to 8 digits, without a sign";
    let numbers = "write a number such as `0.5`, `-1e3`, `inf`, or its bits, `0x3F000000`";
    for (text, bits, message) in [
        ("1e39", Some(0), format!("1:1: error[range]: value 1e39 is out of range ({largest})")),
        ("-1e39", Some(0), format!("1:1: error[range]: value -1e39 is out of range ({largest})")),
        ("-0x3F800000", None, format!("1:1: error[syntax]: `0x3F800000` is not a number ({spelling})")),
        ("0x123456789", None, format!("1:1: error[syntax]: `0x123456789` is not a number ({spelling})")),
        ("1x", None, format!("1:1: error[syntax]: `1x` is not a number ({spelling})")),
        ("-nan", None, format!("1:2: error[syntax]: expected a value, found `nan` ({numbers})")),
        ("x", None, format!("1:1: error[syntax]: expected a value, found `x` ({numbers})")),
    ] {
        let mut cursor = cursor(text);
        assert_eq!(cursor.float("a value").ok().map(|(bits, _)| bits), bits, "{text}");
        assert_eq!(problems(&cursor), [format!("main:{message}")], "{text}");
        assert_eq!(cursor.diagnostics[0].span.end, text.len(), "{text}");
    }
}

/// A text of nothing but warnings has a program, unless there are so many that the rest is not looked at.
#[test]
fn warnings_become_an_error_when_there_are_too_many() {
    let with = |first: Severity| {
        let mut cursor = cursor("a");
        let token = cursor.peek();
        match first {
            Severity::Error => _ = cursor.error(Cause::Label, token, "wrong", ""),
            Severity::Warning => cursor.warning(Cause::Label, token, "odd", "mend it"),
        }
        for n in 2..=MOST_DIAGNOSTICS {
            assert_eq!(cursor.diagnostics.len(), n - 1);
            cursor.warning(Cause::Raw, token, "odd", "");
        }
        cursor.diagnostics
    };
    let warnings = with(Severity::Warning);
    assert_eq!(warnings.len(), MOST_DIAGNOSTICS + 1);
    assert_eq!(warnings[0].to_string(), "main:1:1: warning[label]: odd (mend it)");
    assert_eq!(
        warnings[MOST_DIAGNOSTICS].to_string(),
        "main:1:1: error[too-long]: 256 warnings; the rest of the text was not looked at"
    );
    assert_eq!(with(Severity::Error).len(), MOST_DIAGNOSTICS);
}
