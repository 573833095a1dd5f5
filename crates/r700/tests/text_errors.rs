//! What is wrong with a text is said, all of it, each with its place.

use ctm_r700::text::{Cause, parse};

/// The diagnostics of a text, as line, column, cause.
fn found(text: &str) -> Vec<(usize, usize, Cause)> {
    let diagnostics = parse(text).expect_err(text);
    let place = |at: usize| diagnostics[at].file.line_column(diagnostics[at].span.start);
    (0..diagnostics.len()).map(|at| (place(at).0, place(at).1, diagnostics[at].cause)).collect()
}

fn message(text: &str) -> String {
    let diagnostics = parse(text).expect_err(text);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    diagnostics[0].to_string()
}

#[test]
fn misspelled_instructions_are_no_labels() {
    let message = message("EXP_DON: PIX0, R0.xyzw\nNOP EOP\n");
    assert!(
        message.contains("unknown control-flow instruction `EXP_DON`") && message.contains("`EXP_DONE`"),
        "{message}"
    );
    let labels = "start: NOP\nagain:\n 01 NOP\nend: other: NOP\nlast: END_OF_PROGRAM\n";
    assert_eq!(parse(labels).unwrap().program.code.len(), 3);
}

#[test]
fn many_at_once() {
    let text = "\
JUMP ADDR(nowhere)
ALU:
  x: ADX R1.x, R0.x, R0.y
  y: ADD R1.x, R0.x, R0.y
  z: MOV R1.z, R200.x
  t: RECIP_IEEE R1.w, |R0.x
TEX:
  SAMPLE R1.xyzq, R0.xyzw, t0, s0
  SAMPLE R1.xyzw, R0.xyzw, t0, s99
EXP_DONE: PIXEL, R1.xyzw
07 NOP
LOOP_END BURSTCNT(2)
%
";
    assert_eq!(
        found(text),
        [
            (13, 1, Cause::Character),
            (3, 6, Cause::UnknownWord),
            (5, 16, Cause::UnknownWord),
            (7, 1, Cause::Syntax),
            (8, 13, Cause::Operand),
            (9, 32, Cause::Range),
            (10, 11, Cause::UnknownWord),
            (11, 1, Cause::Address),
            (12, 10, Cause::Misplaced),
            (1, 11, Cause::Label),
        ]
    );
}

#[test]
fn suggestions() {
    assert!(message("JUPM ADDR(1)").contains("did you mean `JUMP`?"), "{}", message("JUPM ADDR(1)"));
    let text = "ALU:\n x: MULADD_IEE R0.x, R0.x, R0.x, R0.x";
    assert!(message(text).contains("did you mean `MULADD_IEEE`?"), "{}", message(text));
    let text = "ALU:\n x: MAD R0.x, R0.x, R0.x, R0.x";
    assert!(message(text).contains("did you mean `MULADD`?"), "{}", message(text));
    let text = "ALU: ADR(3)\n x: MOV R0.x, R0.x";
    assert!(message(text).contains("did you mean `ADDR`?"), "{}", message(text));
}

#[test]
fn groups() {
    let units = |slots: &str| message(&format!("ALU:\n{slots}"));
    assert!(units("t: MOV R0.x, R1.x").contains("goes to unit x, not t"));
    assert!(units("x: MOV R0.x, R1.x\nt: MOV R0.x, R1.x\nx: MOV R0.x, R1.x").contains("both need unit t"));
    assert!(units("x: MOV R0.x, R1.x SCL_122").contains("this bank swizzle is of the trans unit"));
    assert!(units("0 x: MOV R0.x, R1.x\n0 y: MOV R0.y, R1.x").contains("do not increase"));
    assert!(units("x: ADD R0.x, 1.5f, 2.5f\ny: ADD R0.y, 3.5f, 4.5f\nz: MOV R0.z, 5.5f").contains("no literal"));
    assert!(units("x: ADD R0.x, 1.5f.x, 2.5f.x").contains("has another value already"));
    assert!(units("x: ADD R0.x, R1[AL].x, R2[AR.x].x").contains("one index mode"));
    assert!(units("x: MULADD R0.x, |R1.x|, R0.x, R0.x").contains("takes no absolute values"));
    assert!(units("x: MULADD ____, R1.x, R0.x, R0.x").contains("always writes"));
    assert!(units("x: MOV R0.x, 1.5").contains("write a float with `f`"));
    assert!(units("x: MOV R0.x, R1.x FOG_MERGE").contains("of R600"));
}

#[test]
fn places() {
    let text = "ALU: ADDR(8)\n x: MOV R0.x, R1.x\nALU: ADDR(8)\n x: MOV R0.y, R1.x\n";
    assert!(parse(&text.replace("x: MOV R0.y", "y: MOV R0.y")).is_err());
    assert!(message("ALU: ADDR(8)\nNOP").contains("has no clause"));
    assert!(message(".size 9999999").contains("out of range (0 to"));
    assert!(
        message("ALU: ADDR(4194303)\n 0 x: MOV R0.x, R1.x\n 1 x: MOV R0.x, R1.x").contains("4194304 is out of range")
    );
    assert!(message("NOP\n.family r600").contains("write it first"));
    assert!(message("a: NOP\na: NOP").contains("is already defined"));
    let fetch = "SAMPLE R0.xyzw, R0.xyzw, t0, s0\n";
    assert!(message(&format!("TEX:\n{}", fetch.repeat(17))).contains("17 instructions"));
    assert!(message(&format!(".family r600\nTEX:\n{}", fetch.repeat(9))).contains("9 instructions"));
}

#[test]
fn raw_words() {
    assert!(message("JUMP ADDR(1) RAW(0x00000001, 0x86900000)").contains("these words are of `ELSE`, not of `JUMP`"));
    assert!(message("TEX:\n MEM_DS_GLOBAL_READ").contains("needs its words"));
    let text = "ALU:\n x: MOV R0.x, R1.x RAW(0x80000001, 0x00000010)";
    assert!(message(text).contains("these words are of `ADD`, not of `MOV`"), "{}", message(text));
}

#[test]
fn warnings() {
    let assembled = parse("ALU:\n x: MOV R0.x, (0x40500000, 3.5)\nNOP EOP").unwrap();
    assert_eq!(assembled.warnings.len(), 1);
    assert!(assembled.warnings[0].message.contains("those of 3.25"));
    let counted = parse("ALU: CNT(3)\n x: MOV R0.x, R1.x").expect("its own length counts");
    assert_eq!(counted.warnings.len(), 1);
    assert!(counted.warnings[0].message.contains("a length of 1, not 3"));
}

/// Where each instruction of the image stands in the text.
#[test]
fn origins() {
    let text = "ALU:\n 0 x: MOV R0.x, 1.5f\nNOP EOP\n";
    let origins = parse(text).unwrap().origins;
    let spelled: Vec<(u32, &str)> = origins.iter().map(|(&at, origin)| (at, &text[origin.span.clone()])).collect();
    let slot = "x: MOV R0.x, 1.5f";
    assert_eq!(spelled, [(0, "ALU:"), (1, "NOP EOP"), (2, slot), (3, slot)]);
}
