//! Words and their text, both ways: what LLVM 19 compiled for rv770, and programs written by hand.

use ctm_r700::text::{parse, print_program};
use ctm_r700::*;

fn words(text: &str) -> Vec<Qword> {
    let words: Vec<u32> = text
        .split_whitespace()
        .filter(|word| *word != "|")
        .map(|word| u32::from_str_radix(word, 16).unwrap())
        .collect();
    words.chunks(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// The text assembles to the words, and the words print as the text; comments and blanks do not count.
fn both_ways(expected: &str, text: &str) {
    let expected = words(expected);
    let assembled = parse(text).unwrap_or_else(|diagnostics| panic!("{text}\n{}", diagnostics[0]));
    assert!(assembled.warnings.is_empty(), "{:?}", assembled.warnings);
    assert_eq!(assembled.program.code, expected, "{text}");
    let printed = print_program(&assembled.program);
    let blank = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.filter(|line| !line.is_empty()).collect()
    };
    assert_eq!(blank(&printed), blank(text));
}

#[test]
fn arithmetic() {
    both_ways(
        "00000004 a00c0000 | c0000000 94200a88 | 00000000 80200000 | 00000000 00000000
         80800000 00000010 | 001fa0fe 20000110 | 800000fc 40000c90 | 40500000 00000000",
        "00 ALU: ADDR(4) CNT(4)
              0  x: ADD R0.x, R0.x, R0.y
              1  y: MUL_IEEE R0.y, PV0.x, (0x40500000, 3.25).x
                 z: MOV R0.z, 0.5f
         01 EXP_DONE: PIX0, R0.xyz1 ELEM_SIZE(3)
         END_OF_PROGRAM
         .qword 2, 0x8020000000000000",
    );
}

#[test]
fn r600_arithmetic() {
    both_ways(
        "00000002 a0080000 | 00000000 80200000 | 001fa0fe 20000210 | 800000fc 40001910 | 40500000 00000000",
        ".family r600
         00 ALU: ADDR(2) CNT(3)
              0  y: MUL_IEEE R0.y, PV.x, (0x40500000, 3.25).x
                 z: MOV R0.z, 0.5f
         01 NOP
         END_OF_PROGRAM",
    );
}

#[test]
fn vertex_shader_with_two_windows() {
    both_ways(
        "00000000 89800000 | 84000006 a0040002 | c000203c 94000b08 | c000c000 94200688
         00000000 80200000 | 00000000 00000000 | 80100001 00028485 | 81140401 20000110",
        ".stage vs
         00 CALL_FS
         01 ALU: ADDR(6) CNT(2) KCACHE0(CB0:0-31) KCACHE1(CB1:0-31)
              0  x: MULADD_IEEE R0.x, R1.x, KC0[0].x, KC0[5].y
              1  y: MUL_IEEE R0.y, R1.y, KC1[0].z
         02 EXP_DONE: POS0, R0.xy01 ELEM_SIZE(3)
         03 EXP_DONE: PARAM0, R1.xyzw ELEM_SIZE(3)
         END_OF_PROGRAM
         .qword 4, 0x8020000000000000",
    );
}

#[test]
fn loop_of_many_trips() {
    both_ways(
        "0000000a a0080000 | 00000007 83000000 | 0000000d a40c0000 | 00000006 85000001 | 00000006 84800000
         00000006 87000001 | 00000002 82800000 | c0000000 94200688 | 00000000 80200000 | 00000000 00000000
         000000fd 60200c90 | 80000001 00203590 | 00000000 00000000 | 801f4c01 60201a10 | 00800000 00000010
         819fc001 60481d90 | 801f0cfe 00002104",
        "00 ALU: ADDR(10) CNT(3)
              0  w: MOV R1.w, (0x00000000, 0.0).x
                 t: FLT_TO_INT R1.x, R1.x
         01 LOOP_START_DX10 FAIL_JUMP_ADDR(7)
         02 ALU_PUSH_BEFORE: ADDR(13) CNT(4)
              1  w: ADD_INT R1.w, R1.w, 1
              2  x: ADD R0.x, R0.x, R0.y
                 w: SETGT_INT R2.w, R1.x, PV1.w VEC_120
              3  x: PRED_SETE_INT ____.x, PV2.w, 0.0f UPDATE_EXEC_MASK
         03 JUMP POP_CNT(1) ADDR(6)
         04 LOOP_BREAK ADDR(6)
         05 POP POP_CNT(1) ADDR(6)
         06 LOOP_END CF_CONST(0) PASS_JUMP_ADDR(2)
         07 EXP_DONE: PIX0, R0.xyzw ELEM_SIZE(3)
         END_OF_PROGRAM
         .qword 8, 0x8020000000000000",
    );
}

#[test]
fn fetches_in_both_arms() {
    both_ways(
        "0000000c a4080000 | 00000003 85000000 | 00000008 80800000 | 00000006 86800001 | 0000000a 80800000
         00000006 87000001 | c0000000 94200688 | 00000000 80200000 | 00010110 f00d1000 | 68808000 00000000
         00000010 f00d1000 | 68800000 00000000 | 80800000 60400690 | 80000cfe 60401990 | 801f0cfe 00002284",
        "00 ALU_PUSH_BEFORE: ADDR(12) CNT(3)
              0  w: SETGT_DX10 R2.w, R0.x, R0.y
              1  w: NOT_INT R2.w, PV0.w
              2  x: PRED_SETNE_INT ____.x, PV1.w, 0.0f UPDATE_EXEC_MASK
         01 JUMP ADDR(3)
         02 TEX: ADDR(8) CNT(1)
              3  SAMPLE R0.xyzw, R1.xyzw, t1, s1
         03 ELSE POP_CNT(1) ADDR(6)
         04 TEX: ADDR(10) CNT(1)
              4  SAMPLE R0.xyzw, R0.xyzw, t0, s0
         05 POP POP_CNT(1) ADDR(6)
         06 EXP_DONE: PIX0, R0.xyzw ELEM_SIZE(3)
         END_OF_PROGRAM
         .qword 7, 0x8020000000000000",
    );
}

#[test]
fn streams_vertex_fetches_and_indices() {
    both_ways(
        "00000001 9000ffff | 00000004 81000000 | 80000006 a0040008 | 00000000 80200000 | 40000040 e8cd1000
         00080000 00000000 | 800000ff 00000c00 | 80000e00 60000c90",
        "00 MEM_STREAM0: WRITE(1), R0.xyzw ARRAY_SIZE(4095)
         01 VTX: ADDR(4) CNT(1)
              0  FETCH R0.xyzw, R0.x, b0 FETCH_TYPE(NO_INDEX_OFFSET) FORMAT(32_32_32_32_FLOAT SCALED SIGNED NO_ZERO) MEGA(17)
         02 ALU: ADDR(6) CNT(2) KCACHE0(CB0:32-63)
              1  x: MOVA_INT ____.x, PS
              2  w: MOV R0.w, R0[AR.x].w
         03 NOP
         END_OF_PROGRAM",
    );
}

#[test]
fn colour_of_sums() {
    both_ways(
        "00000002 a0080000 | 00008000 94200b08 | 00800000 00200010 | 801fa800 20200091 | 40500000 00000000",
        "00 ALU: ADDR(2) CNT(3)
              0  x: ADD             R1.x, R0.x, R0.y
                 y: MUL             R1.y, |R0.z|, (0x40500000, 3.25).x
         01 EXP_DONE: PIX0, R1.xy01
         END_OF_PROGRAM",
    );
}

#[test]
fn branches() {
    both_ways(
        "00000006 a4000000 | 00000003 85000000 | 00000007 a0000000 | 00000005 86800001 | 00000008 a8040000
         00008000 94200b20 | 80800000 0000108c | 80000000 00200c90 | 801fa400 00200090 | 40000000 00000000",
        "00 ALU_PUSH_BEFORE: ADDR(6) CNT(1)
              0  x: PRED_SETGT      ____.x, R0.x, R0.y UPDATE_EXEC_MASK UPDATE_PRED
         01 JUMP ADDR(3)
         02 ALU: ADDR(7) CNT(1)
              1  x: MOV             R1.x, R0.x
         03 ELSE POP_CNT(1) ADDR(5)
         04 ALU_POP_AFTER: ADDR(8) CNT(2)
              2  x: MUL             R1.x, R0.y, (0x40000000, 2.0).x
         05 EXP_DONE: PIX0, R1.x001
         END_OF_PROGRAM",
    );
}

#[test]
fn loop_over_constants() {
    both_ways(
        "00000003 82000000 | 00000004 a0000000 | 00000001 82800000 | 0000a03c 94200b20 | 90608001 00200010",
        "00 LOOP_START CF_CONST(0) FAIL_JUMP_ADDR(3)
         01 ALU: ADDR(4) CNT(1)
              0  x: ADD             R1.x, R1.x, C4[AL].x
         02 LOOP_END CF_CONST(0) PASS_JUMP_ADDR(1)
         03 EXP_DONE: POS0, R1.x001
         END_OF_PROGRAM",
    );
}

/// What a text leaves out is filled in: addresses, lengths, literals, labels, the last NOP.
#[test]
fn what_is_left_out() {
    let text = "
        LOOP_START_DX10 ADDR(done)
        body:
          ALU_BREAK:
            x: MULADD R1.x, R0.x, 3.25f, 2.0f
            t: MUL R1.y, R0.x, 3.25f
            0 x: PRED_SETGT ____, R1.x, -1 UPDATE_EXEC_MASK
          TEX:
            SAMPLE R2.xyzw, R1.xy__, t0, s0 DENORM(XY)
        LOOP_END ADDR(body)
        done:
        ALU: y: MOV R1.y, 1.0f
        END_OF_PROGRAM";
    let text = text.replace("t: MUL R1.y", "y: MUL R1.y");
    let program = parse(&text).unwrap_or_else(|diagnostics| panic!("{}", diagnostics[0])).program;
    let printed = print_program(&program);
    let expected = "00 LOOP_START_DX10 FAIL_JUMP_ADDR(4)
01 ALU_BREAK: ADDR(8) CNT(4)
      0  x: MULADD           R1.x, R0.x, (0x40500000, 3.25).x, (0x40000000, 2.0).y
         y: MUL              R1.y, R0.x, (0x40500000, 3.25).x
      1  x: PRED_SETGT       ____.x, R1.x, -1 UPDATE_EXEC_MASK
02 TEX: ADDR(6) CNT(1)
      2  SAMPLE R2.xyzw, R1.xy__, t0, s0 DENORM(XY)
03 LOOP_END CF_CONST(0) PASS_JUMP_ADDR(1)
04 ALU: ADDR(12) CNT(1)
      3  y: MOV              R1.y, 1.0f
05 NOP
END_OF_PROGRAM
";
    assert_eq!(printed, expected);
}

/// Bits that a family has no use for are kept, and CNT of a clause counts without them.
#[test]
fn reserved_length_bit_of_r600() {
    both_ways(
        "00000002 80a80000 | 00000000 00000000 | 00010110 f00d1000 | 68808000 00000000",
        ".family r600
         00 TEX: ADDR(2) CNT(1) RAW(0x00000002, 0x80A80000)
              0  SAMPLE R0.xyzw, R1.xyzw, t1, s1
         END_OF_PROGRAM",
    );
}
