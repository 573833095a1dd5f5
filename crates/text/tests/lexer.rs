//! Texts become tokens: what separates them, what comments hide, what `#include` brings in, and where reading ends.

use ctm_text::{Cause, Dialect, Lexed, MAX_TEXT, MOST_DIAGNOSTICS, SourceFile, Token, TokenKind, lex};

static DIALECT: Dialect = Dialect {
    comments: &["//", "%"],
    block_comment: Some(["/*", "*/"]),
    symbols: b",;.-:",
    limit: "a program has few instructions",
};

fn file(name: &str, text: impl Into<String>) -> SourceFile {
    SourceFile { name: name.into(), text: text.into() }
}

fn lexed(text: &str) -> Lexed {
    lex(&DIALECT, file("main", text), &mut |_, name| Err(format!("there is no {name}")))
}

fn text(lexed: &Lexed, token: &Token) -> String {
    lexed.files[token.file as usize].text[token.start as usize..token.end as usize].to_owned()
}

/// The tokens but for the end, each as its text, with `|` before the first of a line.
fn tokens(lexed: &Lexed) -> Vec<String> {
    let (end, tokens) = lexed.tokens.split_last().expect("an end");
    assert_eq!(end.kind, TokenKind::End);
    let shown = |token: &Token| {
        let text = text(lexed, token);
        match token.kind {
            TokenKind::Word => assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'), "{text}"),
            TokenKind::Symbol(symbol) => assert_eq!(text.as_bytes(), [symbol]),
            TokenKind::End => panic!("an end in the middle"),
        }
        if token.first_of_line { format!("|{text}") } else { text }
    };
    tokens.iter().map(shown).collect()
}

fn problems(lexed: &Lexed) -> Vec<String> {
    lexed.diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn words_and_symbols() {
    let lexed = lexed("mov r_1,2x;\r\n\tadd.sat\n\n end:");
    assert_eq!(tokens(&lexed), ["|mov", "r_1", ",", "2x", ";", "|add", ".", "sat", "|end", ":"]);
    assert_eq!(problems(&lexed), [""; 0]);
    let end = lexed.tokens.last().unwrap();
    assert_eq!((end.start, end.end, end.first_of_line), (28, 28, true));
}

#[test]
fn comments_are_not_there() {
    assert_eq!(tokens(&lexed("a // b c\nd % e\n%\n//\nf")), ["|a", "|d", "|f"]);
    assert_eq!(tokens(&lexed("a /* b\n// c */ d /**/ e")), ["|a", "d", "e"]);
    assert_eq!(tokens(&lexed("% a comment at the end")), [""; 0]);
    let open = lexed("a\nb /* c */ d /* e\nf");
    assert_eq!(tokens(&open), ["|a", "|b", "d"]);
    assert_eq!(problems(&open), ["main:2:13: error[syntax]: this comment has no end (it ends with `*/`)"]);
    assert_eq!(open.diagnostics[0].span, 14..16);
}

#[test]
fn other_characters_are_reported_as_words() {
    let lexed = lexed("a $b c\ngrößer d\u{7}, é");
    assert_eq!(tokens(&lexed), ["|a", "c", "|d", ","]);
    let help = "(comments begin with `//` or `%`)";
    let expected = [("1:3", "$b"), ("2:1", "größer"), ("2:9", "\\u{7}"), ("2:12", "é")];
    let expected = expected.map(|(place, text)| format!("main:{place}: error[character]: unexpected `{text}` {help}"));
    assert_eq!(problems(&lexed), expected);
}

/// What begins a block comment in one language may be anything in another.
#[test]
fn languages_without_block_comments() {
    static PLAIN: Dialect = Dialect { comments: &["#!"], block_comment: None, symbols: b"/*", limit: "" };
    let lexed = lex(&PLAIN, file("main", "a /* b */ #! c\nd"), &mut |_, _| unreachable!("nothing is included"));
    assert_eq!(tokens(&lexed), ["|a", "/", "*", "b", "*", "/", "|d"]);
}

#[test]
fn included_texts_stand_where_they_are_included() {
    let mut asked = Vec::new();
    let main = file("main", "a\n#include \"x\" b\n#include\t \"y\"\n#include\"x\"");
    let lexed = lex(&DIALECT, main, &mut |from, name| {
        asked.push(format!("{from}: {name}"));
        Ok(match name {
            "x" => file("folder/x", "in_x ,"),
            _ => file("folder/y", "#include \"x\"\nin_y"),
        })
    });
    assert_eq!(tokens(&lexed), ["|a", "|in_x", ",", "|b", "|in_x", ",", "|in_y", "|in_x", ","]);
    assert_eq!(problems(&lexed), [""; 0]);
    assert_eq!(asked, ["main: x", "main: y", "folder/y: x", "main: x"]);
    let names: Vec<_> = lexed.files.iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["main", "folder/x", "folder/y"], "texts that come again are kept once");
}

#[test]
fn inclusions_that_cannot_be_are_named() {
    let cases = [
        (
            "#define a",
            "1:1: error[include]: only `#include \"file\"` begins with `#` (comments begin with `//` or `%`)",
        ),
        (
            "#includes \"x\"",
            "1:1: error[include]: only `#include \"file\"` begins with `#` (comments begin with `//` or `%`)",
        ),
        (
            "#include x",
            "1:1: error[include]: only `#include \"file\"` begins with `#` (comments begin with `//` or `%`)",
        ),
        ("#include", "1:1: error[include]: only `#include \"file\"` begins with `#` (comments begin with `//` or `%`)"),
        (
            "#include \"x",
            "1:10: error[include]: the name of the included file has no closing quote (write `#include \"file\"`)",
        ),
        ("#include \"x\"", "1:10: error[include]: cannot include `x`: there is no x"),
    ];
    for (line, expected) in cases {
        // The rest of the line belongs to what is wrong; the next line does not.
        let lexed = lexed(&format!("{line}\nnext\""));
        assert_eq!(problems(&lexed)[0], format!("main:{expected}"), "{line}");
        assert_eq!(tokens(&lexed), ["|next"], "{line}");
    }
}

#[test]
fn files_that_include_themselves() {
    let lexed = lex(&DIALECT, file("main", "a #include \"x\" b"), &mut |_, name| {
        Ok(file(name, if name == "x" { "c #include \"y\" d" } else { "e #include \"x\" f" }))
    });
    assert_eq!(tokens(&lexed), ["|a", "|c", "|e", "f", "d", "b"]);
    assert_eq!(problems(&lexed), ["y:1:12: error[include]: `x` includes itself (a file cannot be part of itself)"]);
}

/// 64 files are open at most, the main one among them.
#[test]
fn inclusions_are_not_endless() {
    let mut loaded = 0;
    let lexed = lex(&DIALECT, file("0", "#include \"1\""), &mut |_, name| {
        loaded += 1;
        let next = name.parse::<u32>().expect("a number") + 1;
        Ok(file(name, format!("#include \"{next}\" after")))
    });
    assert_eq!((loaded, tokens(&lexed).len()), (63, 63));
    assert_eq!(problems(&lexed), ["63:1:10: error[include]: files include each other more than 64 deep"]);
}

#[test]
fn ten_thousand_inclusions_are_enough() {
    let with = |count: usize| {
        let mut loaded = 0;
        let text = "#include \"x\"\n".repeat(count) + "end";
        let lexed = lex(&DIALECT, file("main", text), &mut |_, _| {
            loaded += 1;
            Ok(file("x", "x"))
        });
        assert_eq!(loaded, count.min(10_000));
        lexed
    };
    let most = with(10_000);
    assert_eq!((tokens(&most).len(), problems(&most)), (10_001, vec![]));
    let more = with(10_001);
    assert_eq!(tokens(&more).len(), 10_000, "the rest is not read");
    assert_eq!(
        problems(&more),
        ["main:10001:10: error[too-long]: more than 10000 inclusions (a program has few instructions)"]
    );
}

#[test]
fn sixteen_mebibytes_of_text_are_enough() {
    let message = "error[too-long]: more than 16 MiB of text (a program has few instructions)";
    let spaces = |count: usize| " ".repeat(count - 1) + "a";
    assert_eq!(tokens(&lexed(&spaces(MAX_TEXT))), ["|a"]);
    let longer = lexed(&spaces(MAX_TEXT + 1));
    assert_eq!((tokens(&longer), problems(&longer)), (vec![], vec![format!("main:1:1: {message}")]));

    // What is included counts each time.
    let half = spaces(MAX_TEXT / 2);
    let twice = lex(&DIALECT, file("main", "#include \"x\"\n#include \"x\"\nb"), &mut |_, name| Ok(file(name, &*half)));
    assert_eq!((tokens(&twice), problems(&twice)), (vec!["|a".to_owned()], vec![format!("x:1:1: {message}")]));
}

#[test]
fn reading_ends_when_enough_is_wrong() {
    let lexed = lexed(&"$ a ".repeat(MOST_DIAGNOSTICS + 10));
    assert_eq!((lexed.diagnostics.len(), tokens(&lexed).len()), (MOST_DIAGNOSTICS, MOST_DIAGNOSTICS - 1));
    assert!(lexed.diagnostics.iter().all(|diagnostic| diagnostic.cause == Cause::Character));
}
