use super::*;
use crate::program::SINK;
use crate::text;

fn program(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|problems| panic!("{source}\n{problems:#?}")).program
}

/// The codes of the findings, errors and warnings unless notes are asked for.
fn codes(program: &Program) -> Vec<FindingCode> {
    check(program, Wavefront::W64).into_iter().map(|finding| finding.code).collect()
}

/// Programs with one mistake each, and what the check says of it.
#[test]
fn every_rule_has_a_program_that_breaks_it() {
    let end = "EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM\n";
    let cases: &[(&str, &[FindingCode])] = &[
        ("NOP EOP\n", &[]),
        ("JUMP ADDR(9)\nNOP EOP\n", &[FindingCode::AddressOutside]),
        ("NOP\n", &[FindingCode::AddressOutside]),
        ("POP POP_CNT(1)\nNOP EOP\n", &[FindingCode::StackUnderflow]),
        ("ELSE ADDR(1)\nNOP EOP\n", &[FindingCode::StackUnderflow]),
        (
            "LOOP_START_DX10 FAIL_JUMP_ADDR(3)\nPUSH ADDR(2)\nLOOP_END CF_CONST(0) PASS_JUMP_ADDR(1)\nNOP EOP\n",
            &[FindingCode::StackMismatch, FindingCode::UnevenJoin],
        ),
        ("LOOP_BREAK ADDR(1)\nNOP EOP\n", &[FindingCode::NoLoop]),
        ("NOP VALID_PIX WHOLE_QUAD EOP\n", &[FindingCode::BothModes]),
        ("CUT_VERTEX EOP\n", &[FindingCode::WrongStage]),
        ("NOP CND(BOOL) EOP\n", &[FindingCode::ClauseCondition]),
        ("JUMP CND(FALSE) ADDR(2)\nNOP\nNOP EOP\n", &[FindingCode::Unreachable]),
        ("PUSH ADDR(2)\nNOP\nNOP EOP\n", &[FindingCode::UnevenJoin]),
        ("END_PROGRAM\n", &[FindingCode::Undocumented]),
        ("EXP: PIX0, R0.xyzw\nNOP EOP\n", &[FindingCode::ExportsNotDone]),
    ];
    for (source, expected) in cases {
        assert_eq!(&codes(&program(source)), expected, "{source}");
    }
    let clauses: &[(&str, &[FindingCode])] = &[
        ("x: MOV R0.x, R1.x", &[]),
        ("x: DOT4 R0.x, R1.x, R1.x", &[FindingCode::GroupIllegal]),
        ("x: ADD R0.x, R1.x, R2.x", &[]),
        ("x: ADD R0.x, R1.x, R2.x VEC_021\n y: MOV R0.y, R3.x VEC_012", &[FindingCode::ReadPorts]),
        ("x: ADD R0.x, R1.x, R2.x VEC_102\n y: MOV R0.y, R2.x", &[]),
        ("x: ADD R0.x, R1.x, R1.x\n y: ADD R0.y, R1.y, R2.x", &[]),
        ("x: MOV R0.x, R1.x VEC_012\n y: MOV R0.y, R2.x VEC_012", &[FindingCode::ReadPorts]),
        ("x: MOV R0.x, R1.x\n y: MOV R0.y, R2.x", &[]),
        ("t: MUL_LIT R0.x, 1.0f, 0.5f, 1 SCL_210", &[FindingCode::ReadPorts]),
        ("t: RECIP_IEEE R0.x, R1.x", &[]),
        ("x: MOV R0.x, KC0[3].x", &[FindingCode::Unlocked]),
        (
            "x: MUL_IEEE R0.x, C1.x, C2.x VEC_012\n y: MUL_IEEE R0.y, C3.x, C4.x VEC_012\n z: MOV R0.z, C5.x VEC_012",
            &[FindingCode::ConstantPorts],
        ),
        ("x: MUL_IEEE R0.x, C1.x, C2.x VEC_012\n y: MUL_IEEE R0.y, C3.x, C3.y VEC_012", &[FindingCode::ConstantHalves]),
        ("y: MOV R0.y, R1.x\n x: MOV R0.x, R1.x", &[FindingCode::SlotOrder]),
        ("x: ADD_INT R0.x, -R1.x, R1.y", &[FindingCode::IntegerModifier]),
        ("x: ADD_INT R0.x, R1.x, R1.y CLAMP", &[FindingCode::IntegerModifier]),
        ("x: MOV R0.x, PV.x", &[FindingCode::StalePrevious]),
        ("x: MOV R0.x, R1.x LAST\n 1 x: MOV R0.x, PV.x", &[]),
        ("x: MOV R0.x, R1.x LAST\n 1 x: MOV R0.x, PS", &[FindingCode::StalePrevious]),
        ("x: MOV R0.x, R1.x PRED_SEL_ONE", &[FindingCode::StalePredicate]),
        ("x: MOV R0.x, R1[AR.x].x", &[FindingCode::StaleAddress]),
        ("x: MOV R0.x, C1[AL].x", &[FindingCode::NoLoopIndex]),
        ("x: PRED_SETE ____.x, R0.x, 1.0f UPDATE_EXEC_MASK LAST\n 1 x: MOV R0.x, R1.x", &[FindingCode::EarlyUpdate]),
        ("x: MOV R0.x, R1.x UPDATE_PRED", &[FindingCode::IgnoredUpdate]),
        ("x: LSHL_INT R0.x, R1.x, 0x20", &[FindingCode::ShiftCount]),
        ("x: LSHL_INT R0.x, R1.x, R1.y", &[FindingCode::ShiftCount]),
        ("x: LSHL_INT R0.x, R1.x, 1", &[]),
    ];
    for (group, expected) in clauses {
        let source = format!("ALU:\n 0 {group}\n{end}");
        assert_eq!(&codes(&program(&source)), expected, "{source}");
    }
}

#[test]
fn registers_and_stack_are_counted() {
    let mut branch = program(
        "ALU_PUSH_BEFORE:\n 0 x: PRED_SETE ____.x, R0.x, 1.0f UPDATE_EXEC_MASK\nJUMP POP_CNT(1) ADDR(3)\n\
         POP POP_CNT(1)\nEXP_DONE: PIX0, R5.xyzw\nEND_OF_PROGRAM\n",
    );
    assert_eq!(stack_need(&branch, Wavefront::W64), StackNeed { entries: 1, stack_size: 1 });
    assert_eq!(codes(&branch), []);
    branch.info.stack_size = Some(0);
    branch.info.num_gprs = 5;
    assert_eq!(codes(&branch), [FindingCode::StackSize, FindingCode::RegisterBeyondCount]);
    let nested = "PUSH ADDR(12)\n".repeat(4) + &"POP POP_CNT(1)\n".repeat(4) + "NOP EOP\n";
    let nested = nested.replace("ADDR(12)", "ADDR(8) POP_CNT(0)");
    let need = stack_need(&program(&nested), Wavefront::W32);
    assert_eq!(need, StackNeed { entries: 1, stack_size: 2 });
    let mut nested = program(&nested);
    nested.info.stack_size = Some(1);
    let found = check(&nested, Wavefront::W32);
    assert!(found.iter().any(|finding| finding.code == FindingCode::StackSizeOfHardware), "{found:?}");
}

/// R123 takes what nobody reads, in as many instructions of a group as there are, unless the program counts it.
#[test]
fn a_register_takes_results_that_nobody_reads() {
    let findings = |body: &str, num_gprs: u8| {
        let mut program = program(&format!("{body}EXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM\n"));
        program.info.num_gprs = num_gprs;
        codes(&program)
    };
    let twice = "ALU:\n 0 x: MOV R123.x, R1.x\n t: RECIP_IEEE R123.x, R1.x\n";
    assert_eq!(findings(twice, 2), []);
    assert_eq!(findings(twice, SINK), []);
    assert_eq!(findings(twice, SINK + 1), [FindingCode::GroupIllegal]);
    let fetched = "TEX:\n 0 SAMPLE R123.xyzw, R0.xyzw, t0, s0\n";
    assert_eq!(findings(fetched, 2), []);
    let beyond = [FindingCode::RegisterBeyondCount];
    for body in [
        "ALU:\n 0 x: MOV R122.x, R1.x\n",
        "ALU:\n 0 x: MOV R0.x, R123.x\n",
        "TEX:\n 0 SAMPLE R0.xyzw, R123.xyzw, t0, s0\n",
        "TEX:\n 0 SAMPLE R122.xyzw, R0.xyzw, t0, s0\n",
        "EXP_DONE: PIX1, R123.xyzw\n",
    ] {
        assert_eq!(findings(body, 2), beyond, "{body}");
    }
}

#[test]
fn words_that_no_text_gives() {
    let raw = |words: &[u32]| codes(&Program::from_dwords(words));
    assert_eq!(codes(&Program::default()), [FindingCode::Empty]);
    assert_eq!(raw(&[0, 0x1E << 23, 0, 0x8020_0000]), [FindingCode::ReservedOpcode]);
    assert_eq!(raw(&[0, 0x8030_0000]), [FindingCode::ReservedBits]);
    assert_eq!(raw(&[9, 0xA000_0000, 0, 0x8020_0000]), [FindingCode::ClauseOutside]);
    assert_eq!(raw(&[0, 0x8900_0001, 0, 0x8020_0000]), [FindingCode::CallPops]);
    let into = raw(&[1, 0xA000_0000, 0x8000_0000, 0x0000_0C90]);
    assert_eq!(into, [FindingCode::IntoClause]);
}

#[test]
fn programs_that_grow_their_stack_for_ever() {
    let pushes = program(&("PUSH ADDR(0)\n".repeat(40) + "JUMP ADDR(0)\nNOP EOP\n"));
    check(&pushes, Wavefront::W64);
    let recursion = program("CALL CALL_COUNT(1) ADDR(0)\nNOP EOP\n");
    check(&recursion, Wavefront::W64);
    let deep = program(
        &("PUSH ADDR(700)\n".repeat(300) + &"POP POP_CNT(1)\n".repeat(300) + "NOP EOP\n").replace("700", "600"),
    );
    assert_eq!(stack_need(&deep, Wavefront::W64), StackNeed { entries: 76, stack_size: 76 });
}
