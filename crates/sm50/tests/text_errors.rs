//! What the assembler says about mistakes: each with its place, and all of them in one run.

use ctm_sm50::text::{Cause, Severity, parse};
use ctm_sm50::{Code, Control, Instruction};

/// The single mistake of a text: cause, the text that it points at, and what is said.
fn mistake(source: &str) -> (Cause, String, String) {
    let diagnostics = parse(source).expect_err(source);
    assert_eq!(diagnostics.len(), 1, "{source}\n{diagnostics:?}");
    let diagnostic = &diagnostics[0];
    assert_eq!(diagnostic.severity, Severity::Error);
    let help = diagnostic.help.as_deref().unwrap_or("");
    (diagnostic.cause, source[diagnostic.span.clone()].to_owned(), format!("{} ({help})", diagnostic.message))
}

#[track_caller]
fn says(source: &str, cause: Cause, at: &str, part: &str) {
    let (found, place, message) = mistake(source);
    assert_eq!((found, place.as_str()), (cause, at), "{message}");
    assert!(message.contains(part), "{message}");
}

#[test]
fn names_and_modifiers() {
    says("FADDD R0, R1, R2", Cause::UnknownWord, "FADDD", "did you mean `FADD`?");
    says("FMADD R0, R1, R2, R3", Cause::UnknownWord, "FMADD", "did you mean `FFMA`?");
    says("ADD R0, R1, R2", Cause::UnknownWord, "ADD", "`FADD` adds floats");
    says("MOV R0, 1.5", Cause::Operand, "1.5", "`MOV32I` moves a float");
    says("MOV32I R0, 1.5.5", Cause::Operand, "1.5.5", "");
    says("FADD.FTX R0, R1, R2", Cause::Operand, "FADD.FTX", "`FADD` has no `.FTX` here");
    says("ISETP.AND P0, PT, R1, R2, PT", Cause::Operand, "ISETP.AND", "it can have `.F`, `.LT`");
    says("OUT R0, R1, RZ", Cause::Operand, "OUT", "lacks a part of its name");
    says("ALD R0, a[R5]", Cause::Operand, "ALD", "with these operands this is `ALD.PHYS`");
    says("AST.PHYS a[0x80], R0", Cause::Operand, "AST.PHYS", "with these operands this is `AST`");
    says("MUFU.SQRT R0, R1", Cause::Operand, "MUFU.SQRT", "`.COS`");
}

#[test]
fn operands() {
    says("FADD R0, R1", Cause::Operand, "R1", "`FADD` needs a source too");
    says("FADD R0, R1, R2, R3", Cause::Operand, "R3", "takes no more operands");
    says("FMUL R0, -R1, R2", Cause::Operand, "-R1", "takes no such sign here");
    says("IADD R0, R255, R2", Cause::Operand, "R255", "must be a register");
    says("MOV R0, c[0x20][0x0]", Cause::Operand, "c[0x20][0x0]", "banks are 0 to 31");
    says("MOV R0, c[0x0][0x2]", Cause::Operand, "c[0x0][0x2]", "multiples of 4");
    says("IADD R0, R1, 0x80000", Cause::Operand, "0x80000", "from -524288 to 524287");
    says("FADD R0, R1, 0.1", Cause::Operand, "0.1", "the form with a whole immediate");
    says("ALD R0, a[0x400]", Cause::Operand, "a[0x400]", "from 0 to 1023");
    says("AST.PHYS a[R1+4], R0", Cause::Operand, "a[R1+4]", "`AL2P` adds an offset");
    says("S2R R0, SR_LANEIDD", Cause::Operand, "SR_LANEIDD", "did you mean `SR_LANEID`?");
    says("@P7 EXIT", Cause::UnknownWord, "P7", "`P0` to `P6`");
    says("@P0 SSY 0x10", Cause::Operand, "SSY", "has no guard");
    says("BAR.SYNC 0x100", Cause::Operand, "0x100", "from 0 to 255");
    says("DEPBAR.LE SB6, 0x0", Cause::Operand, "SB6", "`SB0` to `SB5`");
}

#[test]
fn labels_and_control() {
    says("BRA nowhere\nelsewhere: EXIT", Cause::Label, "nowhere", "unknown label `nowhere`");
    says("a: EXIT\na: EXIT", Cause::Duplicate, "a", "is already defined");
    says("EXIT: EXIT", Cause::Label, "EXIT", "names of instructions");
    says("[B0:R-:W-:Y:S01] EXIT", Cause::Syntax, "[B0:R-:W-:Y:S01]", "invalid control bits");
    says("[B------:R-:W-:Y:S16] EXIT", Cause::Syntax, "[B------:R-:W-:Y:S16]", "invalid control bits");
    says("NOP\n.control 0x0\nEXIT", Cause::Misplaced, "control", "a bundle begins after every 3 instructions");
    says("BRA 0x1000010", Cause::Operand, "0x1000010", "bytes away");
}

#[test]
fn headers() {
    says(".max_output_vertex_count 3\nEXIT", Cause::Misplaced, ".max_output_vertex_count", "needs a stage");
    says(".stage vertex\n.stage vertex\nEXIT", Cause::Duplicate, "stage", "given twice");
    says(".stage vertx\nEXIT", Cause::UnknownWord, "vertx", "did you mean `vertex`?");
    says(".stage vertex\n.does_fp65 yes\nEXIT", Cause::UnknownWord, "does_fp65", "did you mean `does_fp64`?");
    says(".stage vertex\n.imap 0x81\nEXIT", Cause::Range, "0x81", "multiples of 4");
    says(".stage vertex\n.imap 0x3c0\nEXIT", Cause::Range, "0x3c0", "out of range");
    says(".stage vertex", Cause::Syntax, "", "there is no instruction");
}

#[test]
fn all_mistakes_of_a_text_are_found() {
    let source = "MOV R0\nFADD R1, R2, R3\nNOSUCH R1\nIADD R0, R1, R2, R3;\nBRA away\n\u{fc} EXIT\nEXIT";
    let diagnostics = parse(source).unwrap_err();
    let mut lines: Vec<usize> =
        diagnostics.iter().map(|diagnostic| diagnostic.file.line_column(diagnostic.span.start).0).collect();
    lines.sort_unstable();
    assert_eq!(lines, [1, 3, 4, 5, 6]);
}

#[test]
fn other_spellings() {
    // What other tools and people write reads as the same words.
    let same = |a: &str, b: &str| {
        let words = |text: &str| parse(text).expect(text).program.code.instructions().to_vec();
        assert_eq!(words(a), words(b), "{a} | {b}");
    };
    same("ast.32 a[112], r4;", "AST a[0x70], R4");
    same("AST.P a[R0-16], R1", "AST.P a[R0+-0x10], R1");
    same("MOV R0, c[0x0][0x8000]", "MOV R0, c[0x0][-0x8000]");
    same("MOV R0, 0xffffffff", "MOV R0, -0x1");
    same("XMAD R0, R1, c[0x0][0x8], R2", "XMAD R0, R1, c[0x0] [0x8], R2");
    same("FADD R0, R1, 1e0", "FADD R0, R1, 0f3f800000");
    same("ALD R0, a[0x0]", "ALD R0, a[RZ]");
    same("@PT EXIT", "EXIT");
}

#[test]
fn control_bits_that_are_not_given() {
    let code = parse("ALD R0, a[0x80]\nFADD R0, R0, R0\nAST a[0x70], R0\nEXIT").expect("a program").program.code;
    let controls: Vec<String> = (0..4).map(|index| code.control(index).to_string()).collect();
    assert_eq!(controls, ["B------:R-:W0:Y:S15", "B0-----:R-:W-:Y:S15", "B------:R0:W-:Y:S15", "B0-----:R-:W-:Y:S15"]);
    let given = "[B01----:R2:W3:-:S07] FFMA R0, R1.reuse, R2, R3.reuse";
    let control = parse(given).expect("a program").program.code.control(0);
    assert_eq!(control, Control(7 | 1 << 4 | 3 << 5 | 2 << 8 | 3 << 11 | 0b101 << 17));
}

#[test]
fn targets() {
    let text = "start: NOP\nBRA start\nBRA start -0x8\nBRA 0x8\nJMP start\nEXIT";
    let code = parse(text).expect("a program").program.code;
    let target = |index: usize| code.instructions()[index].target(Code::address(index));
    assert_eq!([1, 2, 3, 4].map(target), [Some(8), Some(0), Some(8), Some(8)]);
    assert_eq!(code.index_at(0), Some(0));
    assert_eq!(code.instructions()[5], Instruction::decode(0xe300_0000_0007_000f));
}
