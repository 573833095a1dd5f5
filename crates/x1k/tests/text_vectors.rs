//! Assembly text against known words: whole instructions both ways, and the fields of every statement.

use ctm_x1k::text::{SourceFile, parse, parse_with, print_instruction};
use ctm_x1k::{AddressOp, Body, BranchOp, Flow, FlowOp, Instruction, PredicateSelect, Program, Words};

fn assemble(text: &str) -> Program {
    match parse(text) {
        Ok(assembled) => assembled.program,
        Err(diagnostics) => {
            let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            panic!("{text}\n{}", messages.join("\n"))
        }
    }
}

fn words(text: &str) -> Vec<Words> {
    assemble(text).code.iter().map(Instruction::encode).collect()
}

/// Text, and the words that it stands for. Those marked "public" are also what the public R500 assembler makes of them.
const VECTORS: &[(&str, Words)] = &[
    (
        // move
        "src0.rgb = temp[2], src0.a = temp[2] :
           temp[5].rgb = exact * MAX src0.rgb src0.rgb src0.000, temp[5].a = exact * MAX src0.a src0.a src0.0 ;",
        [0x0000_7800, 0x0802_0002, 0x0802_0002, 0x1C44_0220, 0x1C60_C053, 0x2049_0055],
    ),
    (
        "src0.rgb = temp[0], src1.rgb = const[4], src2.rgb = temp[1], src0.a = temp[0], src1.a = const[4], src2.a = temp[1] :
           temp[3].rgb = MAD src0.rgb src1.rgb src2.rgb, temp[3].a = MAD src0.a src1.a src2.a ;",
        [0x0000_7800, 0x0014_1000, 0x0014_1000, 0x0044_2220, 0x0068_C030, 0x1C22_2030],
    ),
    (
        "src0.rgb = temp[0] : MAD src0.000 src0.000 src0.000, temp[1].a = RCP |src0.r| src0.0 src0.0 ;",
        [0x0000_4000, 0x0802_0000, 0x0802_0080, 0x0092_0490, 0x0084_001A, 0x2049_0000],
    ),
    (
        "src0.rgb = temp[0], src1.rgb = 1.625 : temp[0].rgb = MAD src0.rgb src0.111 src1.rgb, MAD src0.0 src0.0 src0.0 ;",
        [0x0000_3800, 0x0802_F400, 0x0802_0080, 0x00DB_0220, 0x0081_0000, 0x2022_1000],
    ),
    (
        "src0.rgb = temp[0], src1.rgb = temp[1], src0.a = temp[0], src1.a = temp[1] :
           temp[2].rgb = DP4 src0.rgb src1.rgb src0.000, temp[2].a = DP src0.a src1.a src0.0 ;",
        [0x0000_7800, 0x0800_0400, 0x0800_0400, 0x0044_2220, 0x0068_C021, 0x2049_0022],
    ),
    (
        "src0.rgb = temp[0] : pred[lt].r = exact * MAX src0.rgb src0.rgb src0.000, MAD src0.0 src0.0 src0.0 ;",
        [0x0000_8000, 0x0802_0000, 0x0802_0080, 0x3C44_0220, 0x0081_0000, 0x2049_0005],
    ),
    (
        "src0.rgb = temp[0] : result[ge] = exact * MAX src0.rgb src0.rgb src0.000, MAD src0.0 src0.0 src0.0 ;",
        [0x0100_0000, 0x0802_0000, 0x0802_0080, 0x9C44_0220, 0x0081_0000, 0x2049_0005],
    ),
    (
        "OUT TEX_SEM_WAIT src0.rgb = temp[5], src0.a = temp[5] :
           out[0].rgb = exact * MAX src0.rgb src0.rgb src0.000, out[0].a = exact * MAX src0.a src0.a src0.0 ;",
        [0x0007_8005, 0x0802_0005, 0x0802_0005, 0x1C44_0220, 0x1C60_C003, 0x2049_0005],
    ),
    (
        // public
        "OUT TEX_SEM_WAIT src0.a = temp[0], src0.rgb = temp[0] :
           out[0].a = MAX src0.a src0.a, out[0].rgb = MAX src0.rgb src0.rgb ;",
        [0x0007_8005, 0x0802_0000, 0x0802_0000, 0x0044_0220, 0x0060_C003, 0x0000_0005],
    ),
    (
        // public
        "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE temp[0].rgba = LD tex[0].rgba temp[0].rgaa ;",
        [0x0000_7807, 0x0240_0000, 0xE400_F400, 0, 0, 0],
    ),
    (
        // public
        "src0.rgb = temp[0] : temp[0].r = DP3 src0.rg0 src0.rg0 ;",
        [0x0000_0800, 0x0802_0000, 0x0802_0080, 0x0084_0420, 0, 1],
    ),
    (
        "TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[3].rgba temp[0].rgba ;",
        [0x0000_7807, 0x0A43_0000, 0xE401_E400, 0, 0, 0],
    ),
    (
        "FC ALU_WAIT JUMP 9, when = !alu, stay = incr, jump = incr ;",
        [0x0000_0402, 0, 0x0A00_0F00, 0x0009_0000, 0, 0],
    ),
    ("FC ALU_WAIT JUMP 13, else, jump = decr, pop_count = 1 ;", [0x0000_0402, 0, 0x0401_0010, 0x000D_0000, 0, 0]),
    ("FC ALU_WAIT JUMP 13, any, stay = decr, pop_count = 1 ;", [0x0000_0402, 0, 0x0101_0020, 0x000D_0000, 0, 0]),
    ("FC ALU_WAIT REP 21, i[2] ;", [0x0000_0402, 0, 3, 0x0015_0200, 0, 0]),
    ("FC ALU_WAIT ENDREP 16, i[2], any, when = always ;", [0x0000_0402, 0, 0x0000_FF24, 0x0010_0200, 0, 0]),
    ("FC ALU_WAIT JUMP 40, when = always, address = push ;", [0x0000_0402, 0, 0x0000_FF80, 0x0028_0000, 0, 0]),
    ("FC ALU_WAIT JUMP 0, when = always, address = pop ;", [0x0000_0402, 0, 0x0000_FF40, 0, 0, 0]),
];

#[test]
fn vectors_both_ways() {
    for (text, expected) in VECTORS {
        assert_eq!(words(text), [*expected], "{text}");
        let printed = print_instruction(&Instruction::decode(expected));
        assert!(!printed.contains('@') && !printed.contains("RAW"), "{printed}");
        assert_eq!(words(&printed), [*expected], "{printed}");
    }
}

#[test]
fn printed_form_is_the_written_one() {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (text, expected) in VECTORS.iter().filter(|(text, _)| !text.contains("out[0].a = MAX src0.a src0.a, ")) {
        assert_eq!(squeeze(&print_instruction(&Instruction::decode(expected))), squeeze(text));
    }
}

/// The flow-control part of each instruction.
fn flows(text: &str) -> Vec<Flow> {
    let program = assemble(text);
    let flow = |instruction: &Instruction| match instruction.body {
        Body::Flow(flow) => {
            assert!(instruction.common.alu_wait, "statements wait for the ALU");
            flow
        }
        _ => panic!("only statements here"),
    };
    program.code.iter().map(flow).collect()
}

const NONE: BranchOp = BranchOp::None;
const DECR: BranchOp = BranchOp::Decr;
const INCR: BranchOp = BranchOp::Incr;

#[test]
fn if_without_else() {
    let jump = Flow { op: FlowOp::Jump, ..Flow::default() };
    assert_eq!(
        flows("IF alu; ENDIF;"),
        [
            Flow { jump_func: 0x0F, b_op0: INCR, jump_addr: 2, ..jump },
            Flow { jump_any: true, b_op0: DECR, b_pop_cnt: 1, jump_addr: 2, ..jump },
        ]
    );
}

#[test]
fn if_with_else() {
    let jump = Flow { op: FlowOp::Jump, ..Flow::default() };
    assert_eq!(
        flows("IF b[7]; IF !alu; ENDIF; ELSE; ENDIF;"),
        [
            Flow { jump_func: 0x55, bool_addr: 7, b_op0: INCR, b_op1: INCR, jump_addr: 4, ..jump },
            Flow { jump_func: 0xF0, b_op0: INCR, jump_addr: 3, ..jump },
            Flow { jump_any: true, b_op0: DECR, b_pop_cnt: 1, jump_addr: 3, ..jump },
            Flow { b_else: true, b_op1: DECR, b_pop_cnt: 1, jump_addr: 5, ..jump },
            Flow { jump_any: true, b_op0: DECR, b_pop_cnt: 1, jump_addr: 5, ..jump },
        ]
    );
}

#[test]
fn conditions() {
    for (condition, table, select, inverted) in [
        ("alu", 0xF0, PredicateSelect::None, false),
        ("pred.g", 0xCC, PredicateSelect::Green, false),
        ("!pred.a", 0x33, PredicateSelect::Alpha, false),
        ("b[0]", 0xAA, PredicateSelect::None, false),
        ("alu & !pred.r | b[1]", 0xBA, PredicateSelect::Red, false),
        ("(alu ^ bool) & !(pred | never)", 0x12, PredicateSelect::None, false),
        ("0x96", 0x96, PredicateSelect::None, false),
    ] {
        let program = assemble(&format!("IF {condition}; ENDIF;"));
        let Body::Flow(flow) = program.code[0].body else { panic!() };
        assert_eq!(flow.jump_func, !table, "{condition}");
        assert_eq!(program.code[0].common.rgb.pred_sel, select, "{condition}");
        assert_eq!(program.code[0].common.rgb.pred_inv, inverted);
    }
    let program = assemble("PRED(rgb = !bbbb) IF pred; ENDIF;");
    assert_eq!(program.code[0].common.rgb.pred_sel, PredicateSelect::Blue);
    assert!(program.code[0].common.rgb.pred_inv);
}

#[test]
fn loops_with_break_and_continue() {
    for (head, tail, head_op, tail_op, break_op) in [
        ("LOOP", "ENDLOOP", FlowOp::Loop, FlowOp::EndLoop, FlowOp::BreakLoop),
        ("REP", "ENDREP", FlowOp::Rep, FlowOp::EndRep, FlowOp::BreakRep),
    ] {
        let text = format!(
            "IF alu; {head} i[3]; BREAK IF pred.r; IF alu; IF b[0]; BREAK; ELSE; CONTINUE; ENDIF; ENDIF; {tail}; ENDIF;"
        );
        let flows = flows(&text);
        let d0 = Flow::default();
        assert_eq!(flows[1], Flow { op: head_op, int_addr: 3, jump_addr: 11, ..d0 });
        assert_eq!(flows[2], Flow { op: break_op, jump_func: 0xCC, b_op1: DECR, jump_addr: 11, ..d0 });
        assert_eq!(flows[5], Flow { op: break_op, jump_func: 0xFF, b_op1: DECR, b_pop_cnt: 2, jump_addr: 11, ..d0 });
        let to_tail = Flow { op: FlowOp::Continue, jump_func: 0xFF, b_op1: DECR, b_pop_cnt: 2, jump_addr: 10, ..d0 };
        assert_eq!(flows[7], to_tail);
        let end = Flow { op: tail_op, jump_func: 0xFF, jump_any: true, int_addr: 3, jump_addr: 2, ..d0 };
        assert_eq!(flows[10], end);
    }
}

#[test]
fn unconditional_calls() {
    let jump = Flow { op: FlowOp::Jump, jump_func: 0xFF, ..Flow::default() };
    assert_eq!(
        flows("CALL sub; IF alu; CALL sub; ENDIF; sub: RETURN;")[2..],
        [
            Flow { a_op: AddressOp::Push, jump_addr: 4, ..jump },
            Flow { jump_func: 0, jump_any: true, b_op0: DECR, b_pop_cnt: 1, jump_addr: 4, ..jump },
            Flow { a_op: AddressOp::Pop, ..jump },
        ]
    );
}

#[test]
fn conditional_calls() {
    let jump = Flow { op: FlowOp::Jump, jump_func: 0xFF, ..Flow::default() };
    let (push, pop) = (Flow { a_op: AddressOp::Push, ..jump }, Flow { a_op: AddressOp::Pop, ..jump });
    assert_eq!(
        flows("CALL sub IF alu; CALL sub; CALL plain; sub: RETURN IF b[2]; RETURN; plain: RETURN IF alu; RETURN;"),
        [
            Flow { jump_func: 0xF0, jump_any: true, b_op1: INCR, jump_addr: 3, ..push },
            // Also counts: the RETURN takes one level off, whichever CALL it goes back to.
            Flow { b_op1: INCR, jump_addr: 3, ..push },
            Flow { jump_addr: 5, ..push },
            Flow { jump_func: 0xAA, bool_addr: 2, b_op0: INCR, b_op1: DECR, b_pop_cnt: 1, ..pop },
            Flow { b_op1: DECR, b_pop_cnt: 2, ..pop },
            Flow { jump_func: 0xF0, b_op0: INCR, b_op1: NONE, ..pop },
            Flow { b_op1: DECR, b_pop_cnt: 1, ..pop },
        ]
    );
}

#[test]
fn every_item_of_a_raw_jump() {
    let program = assemble(
        "FC LAST IGNORE_UNCOVERED STAT_WE(9) CONTINUE 300, i[4], else, any, when = !b[31], address = reserved3, stay = reserved3, \
         jump = incr, pop_count = 31, global ;",
    );
    let common = program.code[0].common;
    assert!(common.last && !common.alu_wait);
    assert_eq!(common.stat_we, 9);
    let expected = Flow {
        op: FlowOp::Continue,
        b_else: true,
        jump_any: true,
        a_op: AddressOp::Reserved3,
        jump_func: 0x55,
        b_pop_cnt: 31,
        b_op0: BranchOp::Reserved3,
        b_op1: INCR,
        ignore_uncovered: true,
        bool_addr: 31,
        int_addr: 4,
        jump_addr: 300,
        jump_global: true,
    };
    assert_eq!(program.code[0].body, Body::Flow(expected));
}

/// Each field that arithmetic has beyond the common language, set by its spelling.
#[test]
fn fields_by_spelling() {
    for (text, field, value) in [
        ("PRED(rgba) :;", "RGB_PRED_SEL", 1),
        ("PRED(rgba) :;", "ALPHA_PRED_SEL", 1),
        ("PRED(rgb = !gggg) :;", "RGB_PRED_INV", 1),
        ("PRED(rgb = rrrr, a = !bbbb) :;", "ALPHA_PRED_SEL", 4),
        ("PRED(rgb = rrrr, a = !bbbb) :;", "ALPHA_PRED_INV", 1),
        ("WRITE_INACTIVE :;", "WRITE_INACTIVE", 1),
        ("LAST NOP ALU_WAIT :;", "ALU_WAIT", 1),
        ("STAT_WE(5) :;", "STAT_WE", 5),
        ("src1.rgb = temp[3 + aL] :;", "RGB_ADDR1_REL", 1),
        ("src2.a = const[255 + aL] :;", "ALPHA_ADDR2", 255),
        ("src2.a = const[255 + aL] :;", "ALPHA_ADDR2_REL", 1),
        ("src0.a = 0.5 :;", "ALPHA_ADDR0", 0x80 | 48),
        ("src0.a = float(48) :;", "ALPHA_ADDR0", 0x80 | 48),
        ("srcp.a = neg :;", "ALPHA_SRCP_OP", 3),
        (": temp[7 + aL].r = MAX src0.rgb src0.rgb ;", "RGB_ADDRD_REL", 1),
        (": temp[7 + aL].a = MAX src0.a src0.a ;", "ALPHA_ADDRD_REL", 1),
        (": temp[7].a = clamp MAX src0.a src0.a ;", "ALPHA_CLAMP", 1),
        (": temp[7].rgb = clamp 0.125 * MAX src0.rgb src0.rgb ;", "RGB_CLAMP", 1),
        (": temp[7].rgb = clamp 0.125 * MAX src0.rgb src0.rgb ;", "RGB_OMOD", 6),
        (": temp[7].a = 4 * MAX src0.a src0.a ;", "ALPHA_OMOD", 2),
        (": pred[ne].a = MAX src0.a src0.a ;", "ALPHA_TARGET", 3),
        (": out[3].a = MAX src0.a src0.a ;", "ALPHA_OMASK", 1),
        (": result[ne] = MAX src0.a src0.a ;", "ALU_RESULT_SEL", 1),
        (": result[ne].a = MAX src0.a src0.a ;", "ALU_WMASK", 1),
        (": result[lt].none = MAX src0.rgb src0.rgb ;", "ALU_WMASK", 0),
        (": result[lt].none = MAX src0.rgb src0.rgb ;", "ALU_RESULT_OP", 1),
        (": w = MAX src0.a src0.a ;", "W_OMASK", 1),
        ("OUT : umrt[per_processor_idx].rgb = MAX src0.rgb src0.rgb ;", "RGB_TARGET", 2),
        (": MAD src0.rgb -|srcp.0h1| src2.___ ;", "RGB_MOD_B", 3),
        ("@ALPHA_ADDRD = 5 :;", "ALPHA_ADDRD", 5),
        ("TEX WRITE_INACTIVE UNSCALED temp[0].none = NOP tex[15].abgr temp[0].rgba ;", "TEX_ID", 15),
        ("TEX NOP tex[15].abgr temp[0].rgba ;", "INST", 0),
        ("TEX TEXKILL tex[0].rrrr temp[0 + aL].rgba ;", "SRC_ADDR_REL", 1),
        ("TEX temp[1 + aL].a = LOD tex[0].rrrr temp[0].rgba ;", "DST_ADDR_REL", 1),
        ("TEX IGNORE_UNCOVERED DXDY tex[0].rgba temp[0].rgba temp[1].rgba temp[2 + aL].gggg ;", "DY_ADDR_REL", 1),
        ("TEX IGNORE_UNCOVERED DXDY tex[0].rgba temp[0].rgba temp[1].rgba temp[2 + aL].gggg ;", "DX_ADDR", 1),
    ] {
        let program = assemble(text);
        let instruction = &program.code[0];
        let found = instruction.fields().find(|found| found.name == field).expect(field);
        assert_eq!(found.get(&instruction.encode()), value, "{text} {field}");
    }
}

#[test]
fn constants_by_value() {
    let program = assemble(
        ".const c4 = 1.0, 2.0, -3.5e-2, inf
         .const c5 = 0x7FC00001
         .int i2 = 10, 250, -128
         .int i3 = 7
         .bool b31 = true
         src0.rgb = const(1.0, 2, -0.035, inf), src1.rgb = const(0.1), src2.rgb = const[9], src0.a = const(0.1), src1.a = const(7.5) :
           temp[0].rgb = MAD src0.rgb src1.rgb src2.rgb ;",
    );
    let bits = |values: [f32; 4]| values.map(f32::to_bits);
    let floats = &program.constants.floats;
    assert_eq!(floats[&4], bits([1.0, 2.0, -0.035, f32::INFINITY]));
    assert_eq!(floats[&5], [0x7FC0_0001; 4]);
    assert_eq!(floats[&10], bits([0.1; 4]), "the first number above all that the text names");
    assert_eq!(floats[&11], bits([7.5; 4]));
    assert_eq!(floats.len(), 4, "equal values share a constant");
    let alu = program.code[0].alu().expect("arithmetic");
    assert_eq!(alu.rgb.src.map(|source| source.addr), [4, 10, 9]);
    assert_eq!(alu.alpha.src[0].addr, 10);
    assert!(alu.alpha.src[0].constant);
    let ints = &program.constants.ints;
    assert_eq!((ints[&2].count, ints[&2].init, ints[&2].step), (10, 250, -128));
    assert_eq!((ints[&3].count, ints[&3].init, ints[&3].step), (7, 0, 0));
    assert!(program.constants.bools[&31]);
    assert_eq!(program.references.float_constants, [4, 9, 10].into());
}

#[test]
fn program_information() {
    let implied = assemble(": temp[8].a = MAX src0.a src0.a ; OUT : ;").info;
    assert_eq!((implied.start, implied.end, implied.temps, implied.position), (0, 1, 9, Some(0)));
    assert!(!implied.full_flow_control && !implied.early_exit && !implied.cond_value_from_program);
    assert!(assemble("LOOP i[0]; ENDLOOP;").info.full_flow_control);
    assert!(assemble("CALL s; s: RETURN;").info.full_flow_control);
    assert!(!assemble(&("IF alu; ".repeat(6) + &"ENDIF; ".repeat(6))).info.full_flow_control);
    assert!(assemble(&("IF alu; ".repeat(7) + &"ENDIF; ".repeat(7))).info.full_flow_control);
    assert!(!assemble(&"IF alu; ENDIF; ".repeat(9)).info.full_flow_control);
    assert!(assemble(": w = MAX src0.a src0.a ;").info.cond_value_from_program);
    assert!(assemble("LAST : ; OUT : ;").info.early_exit);
    assert!(!assemble(": ; OUT LAST : ;").info.early_exit);

    let program = assemble(
        ".code_offset 1
         .start main
         .end finish
         .flow full
         .zero_times_anything yes
         .cond_value program
         .position none
         .temps 128
         .early_exit yes
         .inputs 3, 1
         .outputs none
         .cond_output yes
         : ;
         main: : ;
         FC JUMP finish ;
         FC JUMP finish, global ;
         finish: OUT : ;",
    );
    let info = program.info;
    assert_eq!((info.code_offset, info.start, info.end), (1, 0, 3));
    assert!(info.full_flow_control && info.zero_times_anything && info.cond_value_from_program && info.early_exit);
    assert_eq!((info.position, info.temps), (None, 0));
    assert_eq!(program.references.inputs, [1, 3].into());
    assert!(program.references.outputs.is_empty() && program.references.cond_output);
    let targets: Vec<u16> = program
        .code
        .iter()
        .filter_map(|instruction| if let Body::Flow(flow) = instruction.body { Some(flow.jump_addr) } else { None })
        .collect();
    assert_eq!(targets, [3, 4], "targets that are not global leave the code offset out");
}

#[test]
fn origins_of_instructions() {
    let text = "\n: ;\n-- comment\n#include \"more\" RAW 0 0 0 0 0 0;";
    let mut loader = |from: &str, name: &str| {
        assert_eq!((from, name), ("main", "more"));
        Ok(SourceFile { name: "folder/more".into(), text: "TEX\n NOP tex[0].rgba temp[0].rgba ;".into() })
    };
    let assembled = parse_with("main", text, &mut loader).expect("good");
    let origins = assembled.origins.iter();
    let lines: Vec<_> =
        origins.map(|origin| (origin.file.name.as_str(), origin.file.line_column(origin.span.start).0)).collect();
    assert_eq!(lines, [("main", 2), ("folder/more", 1), ("main", 4)]);
    assert_eq!(assembled.origins[2].file.text[assembled.origins[2].span.clone()], *"RAW 0 0 0 0 0 0;");
}
