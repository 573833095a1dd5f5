//! Code of Direct3D 9 pixel shaders: how each kind of token is spelled, and where errors are.

use ctm_object::d3d9::{CodeError, read};

/// A register of a type, without what results or sources have beside it.
const fn register(kind: u32, number: u32) -> u32 {
    1 << 31 | (kind & 7) << 28 | kind >> 3 << 11 | number
}

const fn result(kind: u32, number: u32) -> u32 {
    register(kind, number) | 0xF << 16
}

const fn source(kind: u32, number: u32) -> u32 {
    register(kind, number) | 0xE4 << 16
}

/// What one instruction of a version becomes; its operands follow its token.
fn spelled(version: u32, token: u32, operands: &[u32]) -> Result<String, CodeError> {
    let length = (operands.len() as u32) << 24;
    let dwords = [&[0xFFFF_0000 | version, token | length], operands, &[0xFFFF]].concat();
    let bytes: Vec<u8> = dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect();
    read(&bytes).map(|text| text.split_once('\n').unwrap().1.trim_end().to_owned())
}

const TEMP: u32 = 0;
const INPUT: u32 = 1;
const CONSTANT: u32 = 2;
const TEXTURE: u32 = 3;
const INT_CONSTANT: u32 = 7;
const DEPTH: u32 = 9;
const SAMPLER: u32 = 10;
const BOOL_CONSTANT: u32 = 14;
const LOOP: u32 = 15;
const MISC: u32 = 17;
const LABEL: u32 = 18;
const PREDICATE: u32 = 19;
/// A type that no register of pixel shaders has.
const NONE: u32 = 4;

const MOV: u32 = 1;
const DCL: u32 = 31;
const SHIFT: u32 = 1 << 24;
const RELATIVE: u32 = 1 << 13;
const PREDICATED: u32 = 1 << 28;

#[test]
fn versions() {
    for (version, name) in
        [(0x200, "ps_2_0"), (0x201, "ps_2_x"), (0x2FF, "ps_2_sw"), (0x300, "ps_3_0"), (0x3FF, "ps_3_sw")]
    {
        let bytes = [(0xFFFF_0000u32 | version).to_le_bytes(), 0xFFFFu32.to_le_bytes()].concat();
        assert_eq!(read(&bytes), Ok(format!("{name}\n")));
    }
    let bytes = [0xFFFF_0302u32.to_le_bytes(), 0xFFFFu32.to_le_bytes()].concat();
    assert_eq!(read(&bytes), Err(CodeError::Version { major: 3, minor: 2 }));
}

#[test]
fn definitions_and_declarations() {
    let minus_two = -2i32 as u32;
    for (version, token, operands, text) in [
        (0x300, 48, &[result(INT_CONSTANT, 3), 1, minus_two, 3, 4][..], "defi i3, 1, -2, 3, 4"),
        (0x300, 47, &[result(BOOL_CONSTANT, 2), 7], "defb b2, true"),
        (0x300, 47, &[result(BOOL_CONSTANT, 2), 0], "defb b2, false"),
        (0x200, DCL, &[1 << 31, result(INPUT, 0)], "dcl v0"),
        (0x200, DCL, &[1 << 31, register(TEXTURE, 1) | 3 << 16], "dcl t1.xy"),
        (0x300, DCL, &[1 << 31 | 2 << 16 | 10, result(INPUT, 5)], "dcl_color2 v5"),
        (0x300, DCL, &[1 << 31, result(MISC, 1)], "dcl vFace"),
        (0x300, DCL, &[1 << 31 | 3 << 27, result(SAMPLER, 4)], "dcl_cube s4"),
        (0x300, DCL, &[1 << 31 | 4 << 27, result(SAMPLER, 4)], "dcl_volume s4"),
        (0x300, DCL, &[1 << 31, result(INPUT, 0) | 6 << 20], "dcl_position0_pp_centroid v0"),
    ] {
        assert_eq!(spelled(version, token, operands).as_deref(), Ok(text));
    }
    let operands = |name, found, expected| Err(CodeError::Operands { offset: 1, name, found, expected });
    assert_eq!(spelled(0x300, 81, &[]), operands("def", 0, "a register"));
    assert_eq!(spelled(0x300, 81, &[result(CONSTANT, 0), 1, 2]), operands("def", 3, "a register and four values"));
    assert_eq!(spelled(0x300, 47, &[result(BOOL_CONSTANT, 0), 1, 2]), operands("defb", 3, "a register and a value"));
    assert_eq!(spelled(0x300, DCL, &[0]), operands("dcl", 1, "what it is for and a register"));
    let modifier = |offset, what, code| Err(CodeError::Modifier { offset, what, code });
    assert_eq!(spelled(0x300, 81, &[result(NONE, 0), 1, 2, 3, 4]), Err(CodeError::Register { offset: 2, kind: NONE }));
    assert_eq!(spelled(0x300, DCL, &[0, result(NONE, 0)]), Err(CodeError::Register { offset: 3, kind: NONE }));
    assert_eq!(spelled(0x300, DCL, &[0, result(INPUT, 0) | SHIFT]), modifier(3, "shift", 1));
    assert_eq!(spelled(0x300, DCL, &[14, result(INPUT, 0)]), modifier(2, "usage", 14));
    assert_eq!(spelled(0x300, DCL, &[5 << 27, result(SAMPLER, 0)]), modifier(2, "texture type", 5));
}

#[test]
fn registers_and_modifiers() {
    let r0 = source(TEMP, 0);
    for (token, operands, text) in [
        (MOV, &[result(DEPTH, 0), r0][..], "mov oDepth, r0"),
        (MOV, &[result(TEMP, 1), source(MISC, 0)], "mov r1, vPos"),
        (MOV, &[result(TEMP, 1) | 7 << 20, r0], "mov_sat_pp_centroid r1, r0"),
        (MOV, &[result(TEMP, 1), register(TEMP, 2) | 0b1010_0100 << 16], "mov r1, r2.xyz"),
        (MOV, &[result(TEMP, 1), register(TEMP, 2) | 0b0101_0100 << 16], "mov r1, r2.xy"),
        (MOV, &[result(TEMP, 1), register(TEMP, 2) | 0b1111_1111 << 16], "mov r1, r2.w"),
        (MOV, &[result(TEMP, 1), r0 | 12 << 24], "mov r1, -r0_abs"),
        (25, &[source(LABEL, 2)], "call l2"),
        (26, &[source(LABEL, 2), source(BOOL_CONSTANT, 3)], "callnz l2, b3"),
        (38, &[source(INT_CONSTANT, 1)], "rep i1"),
        (96, &[source(PREDICATE, 0) | 13 << 24], "breakp !p0"),
        // Samplers have no channels, whatever their bits say.
        (66, &[result(TEMP, 1), r0, register(SAMPLER, 1)], "texld r1, r0, s1"),
        (66 | 2 << 16, &[result(TEMP, 1), r0, source(SAMPLER, 1)], "texldb r1, r0, s1"),
        (45 | 6 << 16, &[r0, r0], "break_le r0, r0"),
    ] {
        assert_eq!(spelled(0x300, token, operands).as_deref(), Ok(text));
    }
}

#[test]
fn errors_are_where_the_operand_is() {
    let (r0, r1, none) = (source(TEMP, 0), result(TEMP, 1), source(NONE, 0));
    let modifier = |offset, what, code| Err(CodeError::Modifier { offset, what, code });
    let no_register = |offset, kind| Err(CodeError::Register { offset, kind });
    assert_eq!(spelled(0x300, MOV, &[r1 | RELATIVE, r0]), modifier(2, "relative result", 1));
    assert_eq!(spelled(0x300, MOV, &[r1 | SHIFT, r0]), modifier(2, "shift", 1));
    assert_eq!(spelled(0x300, MOV, &[r1 | 8 << 20, r0]), modifier(2, "modifier", 8));
    assert_eq!(spelled(0x300, MOV, &[r1, r0 | 2 << 24]), modifier(3, "modifier", 2));
    assert_eq!(spelled(0x300, MOV, &[result(NONE, 0), r0]), no_register(2, NONE));
    assert_eq!(spelled(0x300, 4, &[r1, r0, r0, none]), no_register(5, NONE));
    assert_eq!(spelled(0x300, MOV | PREDICATED, &[r1, none, r0]), no_register(3, NONE));
    assert_eq!(spelled(0x300, MOV | PREDICATED, &[r1, source(PREDICATE, 0), none]), no_register(4, NONE));
    // An index is the loop counter; what it is added to has a name.
    assert_eq!(spelled(0x300, MOV, &[r1, source(CONSTANT, 2) | RELATIVE, r0]), no_register(4, TEMP));
    assert_eq!(spelled(0x300, MOV, &[r1, none | RELATIVE, source(LOOP, 0)]), no_register(3, NONE));
    for (kind, number) in [(DEPTH, 1), (LOOP, 1), (MISC, 2)] {
        assert_eq!(spelled(0x300, MOV, &[r1, source(kind, number)]), no_register(3, kind));
    }
    assert_eq!(spelled(0x300, 66 | 3 << 16, &[r1, r0, r0]), modifier(1, "kind of look-up", 3));
    for code in [0, 7] {
        assert_eq!(spelled(0x300, 41 | code << 16, &[r0, r0]), modifier(1, "comparison", code));
    }
    let operands = |found, expected| Err(CodeError::Operands { offset: 1, name: "mov", found, expected });
    assert_eq!(spelled(0x300, MOV, &[]), operands(0, "a result"));
    assert_eq!(spelled(0x300, MOV | PREDICATED, &[r1]), operands(1, "a predicate"));
    assert_eq!(spelled(0x300, MOV, &[r1, r0 | RELATIVE]), operands(2, "an index"));
}
