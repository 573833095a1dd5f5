//! Diagnostics: what is said, where, and how often.

use ctm_x1k::text::{Cause, Diagnostic, Severity, SourceFile, parse, parse_with};

fn errors(text: &str) -> Vec<Diagnostic> {
    let diagnostics = parse(text).expect_err(text);
    diagnostics.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
}

/// The text has exactly one error: of this kind, at this text, with these words in message or help.
fn one(text: &str, cause: Cause, at: &str, words: &str) {
    let errors = errors(text);
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    let error = &errors[0];
    let said = format!("{} {}", error.message, error.help.as_deref().unwrap_or_default());
    assert_eq!(error.cause, cause, "{text}: {said}");
    assert_eq!(&text[error.span.clone()], at, "{text}: {said}");
    assert!(said.contains(words), "{text}: {said}");
}

#[test]
fn words_and_characters() {
    one("~ : ;", Cause::Character, "~", "`--`");
    one("OUT \u{fc}ber TEX_SEM_WAIT : ;", Cause::Character, "\u{fc}ber", "unexpected `");
    one("OUT wei\u{df} : ;", Cause::Character, "wei\u{df}", "unexpected `");
    one("OUT \0 : ;", Cause::Character, "\0", "`\\0`");
    one("TEX_SEM_WIAT src0.rgb = temp[0] : ;", Cause::UnknownWord, "TEX_SEM_WIAT", "did you mean `TEX_SEM_WAIT`?");
    one(": temp[0].rgb = MADD src0.rgb src0.rgb src0.rgb ;", Cause::UnknownWord, "MADD", "did you mean `MAD`?");
    one(": temp[0].rgb = sat MAX src0.rgb src0.rgb ;", Cause::UnknownWord, "sat", "did you mean `clamp`?");
    one(
        ": temp[0].rgb = MUL src0.rgb src0.rgb ;",
        Cause::UnknownWord,
        "MUL",
        "`MAD src0.rgb src1.rgb src0.000` multiplies",
    );
    one("MOV temp[0], temp[1] ;", Cause::UnknownWord, "MOV", "sources come first");
    one("MAD temp[0], temp[1] ;", Cause::UnknownWord, "MAD", "sources come first");
    one(": tmp[0].rgb = MAX src0.rgb src0.rgb ;", Cause::UnknownWord, "tmp", "did you mean `temp`?");
    one("src0.rgb = tepm[0] : ;", Cause::UnknownWord, "tepm", "did you mean `temp`?");
    one("src0.rbg = temp[0] : ;", Cause::UnknownWord, "rbg", "did you mean `rgb`?");
    one("srcp.rgb = plus : ;", Cause::UnknownWord, "plus", "`neg2`, `sub`, `add` or `neg`");
    one("TEX temp[0].rgba = LOAD tex[0].rgba temp[0].rgba ;", Cause::UnknownWord, "LOAD", "unknown texture operation");
    one("JUMP 3, when = always ;", Cause::UnknownWord, "JUMP", "begins with `FC`");
    one("FC JMUP 3 ;", Cause::UnknownWord, "JMUP", "did you mean `JUMP`?");
    one("FC JUMP 3, stya = incr ;", Cause::UnknownWord, "stya", "did you mean `stay`?");
    one("IF allu; ENDIF;", Cause::UnknownWord, "allu", "did you mean `alu`?");
    one(".cnost c0 = 1.0", Cause::UnknownWord, "cnost", "did you mean `const`?");
    one(".flow most", Cause::UnknownWord, "most", "`partial` or `full`");
    one("@RGB_ADRD = 1 : ;", Cause::UnknownWord, "@RGB_ADRD = 1", "did you mean `RGB_ADDRD`?");
    one("@JUMP_ADDR = 1 : ;", Cause::UnknownWord, "@JUMP_ADDR = 1", "ALU instructions have no field");
}

#[test]
fn syntax() {
    one("src0.rgb temp[0] : ;", Cause::Syntax, "temp", "expected `=`");
    one("src0.rgb = temp[0] src1.rgb = temp[0] : ;", Cause::Syntax, "src1", "expected `,` or `:`");
    one(": temp[0].rgb = MAX src0.rgb src0.rgb", Cause::Syntax, "", "the end of the text");
    one(": temp[0].rgb = MAX |src0.rgb src0.rgb ;", Cause::Syntax, "src0", "expected `|`");
    one("src0.rgb = temp[3 + 4] : ;", Cause::Syntax, "4", "only the loop variable");
    one("RAW 1 2 3 4 5 ;", Cause::Syntax, ";", "a dword of the instruction");
    one(".const c0 = 1.5x", Cause::Syntax, "1.5x", "not a number");
    one(".const c0 = 1.0 2.0", Cause::Syntax, "2", "the end of the line");
    one("PRED(gggg : ;", Cause::Syntax, ":", "expected `)`");
}

#[test]
fn numbers() {
    one("src0.rgb = temp[128] : ;", Cause::Range, "128", "(0 to 127)");
    one("src0.rgb = const[256] : ;", Cause::Range, "256", "(0 to 255)");
    one("src0.rgb = float(99999999999999999999) : ;", Cause::Range, "99999999999999999999", "(0 to 127)");
    one(": out[4].rgb = MAX src0.rgb src0.rgb ;", Cause::Range, "4", "(0 to 3)");
    one("TEX temp[0].rgba = LD tex[16].rgba temp[0].rgba ;", Cause::Range, "16", "(0 to 15)");
    one("FC JUMP 512 ;", Cause::Range, "512", "(0 to 511)");
    one("@RGB_ADDRD = 128 : ;", Cause::Range, "@RGB_ADDRD = 128", "(0 to 127)");
    one(": temp[0].a = 3.0 * MAX src0.a src0.a ;", Cause::Range, "3.0", "`0.125`");
    one(".const c256 = 1.0", Cause::Range, "c256", "`c0` to `c255`");
    one(".const c0 = 1e39", Cause::Range, "1e39", "write `inf` for infinity");
    one(".int i0 = 1, 2, -129", Cause::Range, "129", "(0 to 128)");
}

#[test]
fn inline_constants() {
    one(
        "src0.rgb = 0.3 : ;",
        Cause::InlineConstant,
        "0.3",
        "`float(41)` = 0.28125 and `float(42)` = 0.3125; `const(0.3)`",
    );
    one("src0.a = -0.5 : ;", Cause::InlineConstant, "-0.5", "write 0.5 and negate the operand");
    one("src0.a = 481 : ;", Cause::InlineConstant, "481", "`float(127)` = 480.0");
}

#[test]
fn duplicates_and_misplaced_things() {
    one("NOP LAST NOP : ;", Cause::Duplicate, "NOP", "given twice");
    one("src0.a = temp[0], src0.rgb = temp[0], src0.a = temp[1] : ;", Cause::Duplicate, "src0.a", "given twice");
    one(": temp[0].r = temp[1].g = MAX src0.rgb src0.rgb ;", Cause::Duplicate, "temp[1].g", "such a destination");
    one("a: : ; a: : ;", Cause::Duplicate, "a", "is already defined");
    one(".bool b1 = true\n.bool b1 = true", Cause::Duplicate, "b1", "has a value already");
    one(".flow full\n.flow full", Cause::Duplicate, "flow", "given twice");
    one("FC JUMP 1, any, any ;", Cause::Duplicate, "any", "given twice");
    one("UNSCALED : ;", Cause::Misplaced, "UNSCALED", "it belongs to a texture instruction");
    one("TEX OUT NOP tex[0].rgba temp[0].rgba ;", Cause::Misplaced, "OUT", "texture instruction has no `OUT`");
    one("OUT IF alu ; ENDIF ;", Cause::Misplaced, "OUT", "flow-control");
    one("ALU OUT : ;", Cause::Misplaced, "OUT", "not both");
    one("OUT : pred[lt].r = MAX src0.rgb src0.rgb ;", Cause::Misplaced, "pred", "use an ALU instruction");
    one(": umrt[same_idx].r = MAX src0.rgb src0.rgb ;", Cause::Misplaced, "umrt", "only OUT");
}

#[test]
fn operands_and_units() {
    one(": temp[0].br = MAX src0.rgb src0.rgb ;", Cause::Operand, "br", "in the order `rgba`");
    one(": temp[0].rgb = MAX src0.rg src0.rgb ;", Cause::Operand, "rg", "a swizzle of 3 channels");
    one(": temp[0].a = MAX src0.x src0.a ;", Cause::Operand, "x", "a swizzle of 1 channel");
    one(": temp[0].a = MAX src0.a src0.a src0.a src0.a ;", Cause::Operand, "a", "three operands at most");
    one("TEX temp[0].rgba = LD tex[0].rgb0 temp[0].rgba ;", Cause::Operand, "rgb0", "four of the letters");
    one(".const c0 = 1, 2", Cause::Operand, "1, 2", "four values, found 2");
    one(": temp[0].rgba = MAX src0.rgb src0.rgb ;", Cause::Unit, "temp[0].rgba", "RGB unit has r, g and b");
    one(": temp[0].a = DP3 src0.rgb src0.rgb ;", Cause::Unit, "temp[0].a", "belongs to the alpha unit");
    one(
        ": MAX src0.a src0.a, temp[0].a = MIN src0.a src0.a ;",
        Cause::Unit,
        "MIN",
        "both operations belong to the alpha",
    );
    one(": MAX ;", Cause::Unit, "MAX", "nothing tells which unit");
    one(": DP, SOP, DP ;", Cause::Unit, "DP", "at most two operations");
}

#[test]
fn conditions() {
    one("IF b[0] & b[1]; ENDIF;", Cause::Condition, "b[1]", "only test one boolean");
    one("IF pred.r | pred.g; ENDIF;", Cause::Condition, "pred.g", "only test one predicate");
    one("PRED(rgb = gggg) IF pred.r; ENDIF;", Cause::Condition, "IF pred.r", "another predicate than `PRED`");
}

#[test]
fn labels_and_nesting() {
    one("FC JUMP mian ; main: : ;", Cause::Label, "mian", "did you mean `main`?");
    one("CALL nowhere ;", Cause::Label, "nowhere", "unknown label `nowhere`");
    one(".code_offset 2\nlow: FC JUMP low ;", Cause::Label, "low", "out of reach");
    one(": ; IF alu;", Cause::Nesting, "IF alu;", "`IF` has no `ENDIF`");
    one("LOOP i[0] ;", Cause::Nesting, "LOOP i[0] ;", "`LOOP` has no `ENDLOOP`");
    one("ENDIF;", Cause::Nesting, "ENDIF;", "`ENDIF` without `IF`");
    one("IF alu; ELSE; ELSE; ENDIF;", Cause::Nesting, "ELSE;", "`ELSE` without `IF`");
    one("REP i[0]; ENDLOOP; ENDREP;", Cause::Nesting, "ENDLOOP;", "must be `LOOP`");
    one("IF alu; BREAK; ENDIF;", Cause::Nesting, "BREAK;", "outside a loop");
}

#[test]
fn limits() {
    one(&": ;\n".repeat(513), Cause::TooLong, ":", "512 instructions at most");
    let deep = "!".repeat(70_000);
    one(&format!("IF {deep}alu; ENDIF;"), Cause::TooLong, "!", "nests too deep");
    let constants: String = (0..256).map(|n| format!(".const c{n} = {n}\n")).collect();
    one(&format!("{constants}src0.a = const(0.3) : ;"), Cause::NoConstantLeft, "const(0.3)", "no float constant");
    assert_eq!(parse(&"~ ".repeat(10_000)).expect_err("nonsense").len(), 256, "there is an end to complaints");
}

#[test]
fn every_error_of_a_text() {
    let text = "
        src0.rgb = temp[200], src1.rgb = 0.3 : temp[0].rgb = MUL src0.rgb src1.rgb ;
        TEX temp[0].rgba = LD tex[99].rgba temp[0].rgba ;
        FC JUMP nowhere ;
        IF alu
        OUT : out[0].rgb = MAX src0.rgb src0.rgb ;
        .const c0 = one
        OUT TEX_SEM_WAIT : out[0].q = MAX src0.a src0.a ;
    ";
    let found: Vec<&str> = errors(text).iter().map(|error| &text[error.span.clone()]).collect();
    assert_eq!(found, ["200", "0.3", "MUL", "99", "OUT", "one", "q", "nowhere"]);
}

#[test]
fn operands_left_out() {
    let assembled = parse(": temp[0].rgb = MAD src0.rgb src1.rgb ;").expect("good");
    let [warning] = &assembled.warnings[..] else { panic!("{:?}", assembled.warnings) };
    assert_eq!((warning.severity, warning.cause), (Severity::Warning, Cause::Operand));
    assert_eq!(warning.message, "MAD takes 3 operands, found 2");
    assert!(parse(": temp[0].a = SIN src0.a ;").expect("good").warnings.is_empty());
}

#[test]
fn includes() {
    let mut loader = |from: &str, name: &str| match name {
        "self" => Ok(SourceFile { name: "self".into(), text: "#include \"self\"".into() }),
        "bomb" => Ok(SourceFile { name: format!("{from}+"), text: "#include \"bomb\"\n#include \"bomb\"".into() }),
        "bad" => Ok(SourceFile { name: "bad".into(), text: "\n: temp[0].q = MAX src0.a src0.a ;".into() }),
        "half" => Ok(SourceFile { name: "half".into(), text: "src0.rgb = temp[1] :".into() }),
        _ => Err("there is no such file".into()),
    };
    let mut first = |text: &str| {
        let error = parse_with("main", text, &mut loader).expect_err(text).swap_remove(0);
        (error.file.name.clone(), error.file.text[error.span.clone()].to_owned(), error.message)
    };
    let text = "#include \"none\"";
    assert_eq!(first(text), ("main".into(), "\"none\"".into(), "cannot include `none`: there is no such file".into()));
    assert_eq!(first("#include \"self\""), ("self".into(), "\"self\"".into(), "`self` includes itself".into()));
    assert_eq!(first("#include \"bad\"").0, "bad");
    assert_eq!(first("#include \"bad\"").1, "q");
    assert_eq!(first("#include bad").2, "only `#include \"file\"` begins with `#`");
    assert_eq!(first("#include \"bad").2, "the name of the included file has no closing quote");
    assert_eq!(first("#include \"bomb\"").2, "files include each other more than 64 deep");
    // A text goes on where another that it includes stops.
    let halves = parse_with("main", "#include \"half\" temp[2].rgb = FRC src0.rgb ;", &mut loader).expect("good");
    assert_eq!(halves.program.code.len(), 1);
}

#[test]
fn display() {
    let error = &errors("\n  : temp[0].rgb = MADD src0.rgb src0.rgb src0.rgb ;")[0];
    let text = "<text>:2:19: error[unknown-word]: unknown operation or destination `MADD` (did you mean `MAD`?)";
    assert_eq!(error.to_string(), text);
}
