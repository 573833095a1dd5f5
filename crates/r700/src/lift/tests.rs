use super::*;
use crate::{Input, Job, text};
use ctm_lane::domain::Domain;
use ctm_memory::Space;

const TEST: &str = "0 x: PRED_SETGT ____.x, R0.x, 4.0f UPDATE_EXEC_MASK UPDATE_PRED";
const MOVE: &str = "0 x: MOV R1.x, R0.y";

/// Whether engines run the program with this text.
fn is_independent(source: &str) -> bool {
    let source = source.replace("TEST", TEST).replace("MOVE", MOVE);
    let program = text::parse(&source).unwrap_or_else(|problems| panic!("{source}\n{problems:#?}")).program;
    let space = Space::default();
    let mut job = Job::new(&program, Domain { i0: 0, j0: 0, i1: 7, j1: 7 }, &space);
    job.inputs.insert(0, Input::Position);
    lift(&program, None, &Specialisation::of(&job)).expect("a small program").dependence == Dependence::Independent
}

#[test]
fn branches_of_compilers_are_free() {
    assert!(is_independent("ALU_PUSH_BEFORE:\n TEST\nJUMP POP_CNT(1) ADDR(4)\nALU:\n MOVE\nPOP POP_CNT(1)\nNOP EOP"));
    assert!(is_independent(
        "ALU_PUSH_BEFORE:\n TEST\nJUMP ADDR(3)\nALU:\n MOVE\nELSE POP_CNT(1) ADDR(6)\nALU:\n MOVE\nPOP POP_CNT(1)\nNOP EOP"
    ));
}

#[test]
fn a_jump_past_an_else_is_none() {
    // Lanes that wait for the ELSE become active there, if others take it along.
    assert!(!is_independent(
        "ALU_PUSH_BEFORE:\n TEST\nJUMP ADDR(4)\nELSE ADDR(3)\nALU:\n MOVE\nPOP POP_CNT(1)\nNOP EOP"
    ));
}

#[test]
fn a_jump_that_leaves_another_stack_is_none() {
    assert!(!is_independent("ALU_PUSH_BEFORE:\n TEST\nJUMP POP_CNT(1) ADDR(3)\nALU:\n MOVE\nPOP POP_CNT(1)\nNOP EOP"));
    assert!(!is_independent("ALU_PUSH_BEFORE:\n TEST\nJUMP ADDR(4)\nALU:\n MOVE\nPOP POP_CNT(1)\nNOP EOP"));
}

#[test]
fn a_jump_that_depends_on_valid_pixels_is_none() {
    assert!(!is_independent(
        "ALU_PUSH_BEFORE:\n TEST\nJUMP POP_CNT(1) ADDR(4) VALID_PIX\nALU:\n MOVE\nPOP POP_CNT(1)\nNOP EOP"
    ));
}

#[test]
fn a_jump_past_a_pop_that_tests_is_none() {
    let program = |jump: &str, pop: &str| {
        is_independent(&format!("ALU_PUSH_BEFORE:\n TEST\nJUMP {jump}\nALU:\n MOVE\nPOP POP_CNT(1) {pop}\nNOP EOP"))
    };
    // The pop makes lanes active, and its test turns them away again.
    assert!(!program("POP_CNT(1) ADDR(4)", "CND(BOOL)"));
    assert!(!program("POP_CNT(1) ADDR(4)", "VALID_PIX"));
    assert!(program("POP_CNT(1) ADDR(4)", "CND(NOT_BOOL)"), "the constant is false: all pass");
    assert!(program("ADDR(3)", "CND(BOOL)"), "all lanes come to the pop");
}

#[test]
fn a_jump_past_two_pops_is_none() {
    // Lanes that the first one makes active execute the second, and count.
    let program = |pops: &str| {
        is_independent(&format!(
            "ALU_PUSH_BEFORE:\n TEST\nALU_PUSH_BEFORE:\n TEST\nJUMP POP_CNT(2) ADDR(out)\nALU:\n MOVE\n{pops}\nout:\nNOP EOP"
        ))
    };
    assert!(!program("POP POP_CNT(1)\nPOP POP_CNT(1)"));
    assert!(program("POP POP_CNT(2)"));
}

#[test]
fn a_break_that_leads_elsewhere_is_none() {
    let program = |to: u32| {
        format!(
            "LOOP_START_DX10 ADDR(6)\nALU_PUSH_BEFORE:\n TEST\nJUMP POP_CNT(1) ADDR(5)\nLOOP_BREAK ADDR({to})\n\
             POP POP_CNT(1)\nLOOP_END ADDR(1)\nNOP EOP"
        )
    };
    assert!(is_independent(&program(5)));
    assert!(!is_independent(&program(6)));
}

#[test]
fn a_pass_that_leads_elsewhere_is_none() {
    // Lanes that have left the loop come along for as long as others go on.
    let program = |again: u32| {
        format!("LOOP_START_DX10 ADDR(3)\nALU_BREAK:\n TEST\nLOOP_END ADDR({again})\nALU:\n MOVE\nNOP EOP")
    };
    assert!(is_independent(&program(1)));
    assert!(!is_independent(&program(4)), "nobody comes to the end of the loop");
    assert!(!is_independent(&program(3)), "the move is part of the loop");
}

/// Several jumps inside a jump: short cuts themselves, or not.
#[test]
fn jumps_inside_jumps_count() {
    let program = |inner: &str| {
        format!(
            "ALU_PUSH_BEFORE:\n TEST\nJUMP POP_CNT(1) ADDR(7)\nALU_PUSH_BEFORE:\n TEST\nJUMP {inner}\nALU:\n MOVE\n\
             POP POP_CNT(1)\nPOP POP_CNT(1)\nNOP EOP"
        )
    };
    assert!(is_independent(&program("POP_CNT(1) ADDR(6)")));
    assert!(!is_independent(&program("POP_CNT(2) ADDR(6)")));
}
