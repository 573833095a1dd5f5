//! What is a loop and what only looks like one.

use crate::lift::{Dependence, Specialisation, lift, lift_with_loops, lift_with_names};
use crate::{Input, Job, Program, text};
use ctm_lane::domain::Domain;
use ctm_memory::Space;

/// Levels of the nests.
const LEVELS: usize = 40;

/// Instructions of a clause, enough of them that a loop is worth something; a literal goes on by 0.5.
fn groups(at: usize, last: &str) -> String {
    let literal = at as f32 * 0.5 + 1.0;
    let mut text = format!("0 x: ADD R2.x, R2.x, (0x{:08X}, 0.0).x\n", literal.to_bits());
    (1..30).for_each(|group| text += &format!(" {group} x: MULADD_IEEE R1.x, R1.x, R2.x, R0.y\n"));
    text + &format!(" 30 {last}\n")
}

/// A nest with these instructions inside, each a line or a clause. `{inner}`, `{else}` and `{end}` stand for the addresses of the first of these, of
/// the innermost ELSE, and after the nest.
fn nest(inner: &[&str]) -> String {
    nest_between(&[], inner, "")
}

/// The same with instructions before and one after.
fn nest_between(front: &[&str], inner: &[&str], behind: &str) -> String {
    let mut text = front.iter().map(|line| format!("{line}\n")).collect::<String>();
    let first_inner = front.len() + 2 * LEVELS;
    let first_else = first_inner + inner.len();
    let end = first_else + 2 * LEVELS;
    for level in 0..LEVELS {
        let test = groups(level, "x: PRED_SETGT ____.x, R0.x, R1.x UPDATE_EXEC_MASK");
        text += &format!("ALU_PUSH_BEFORE:\n {test}JUMP ADDR({})\n", end - 2 * (level + 1));
    }
    for line in inner {
        text += &format!("{line}\n");
    }
    for level in (0..LEVELS).rev() {
        let next = end - 2 * level;
        let literal = (level as f32).to_bits();
        text += &format!("ELSE POP_CNT(1) ADDR({next})\nALU_POP_AFTER:\n 0 x: MOV R3.x, (0x{literal:08X}, 0.0).x\n");
    }
    let places = [("{inner}", first_inner), ("{else}", first_else), ("{end}", end)];
    let text = text + behind + "\nEXP_DONE: PIX0, R3.xyzw\nEND_OF_PROGRAM";
    places.iter().fold(text, |text, (name, place)| text.replace(name, &place.to_string()))
}

fn parsed(source: &str) -> Program {
    text::parse(source).unwrap_or_else(|problems| panic!("{source}\n{problems:#?}")).program
}

fn specialisation(program: &Program, space: &Space) -> Specialisation {
    let mut job = Job::new(program, Domain { i0: 0, j0: 0, i1: 7, j1: 7 }, space);
    job.inputs.insert(0, Input::Position);
    Specialisation::of(&job)
}

/// Whether the program is shorter in its form with loops.
fn has_loop(source: &str, change: impl FnOnce(&mut Program, &mut Specialisation)) -> bool {
    let mut program = parsed(source);
    let space = Space::default();
    let mut specialisation = specialisation(&program, &space);
    change(&mut program, &mut specialisation);
    let Some(with_loops) = lift_with_loops(&program, None, &specialisation, &ctm_lane::effort::Effort::default())
    else {
        return false;
    };
    let plain = lift(&program, None, &specialisation).expect("what has loops can be lifted without");
    assert_eq!(plain.dependence, Dependence::Independent);
    assert_eq!((with_loops.most_steps, &with_loops.traps), (plain.most_steps, &plain.traps));
    let named =
        lift_with_names(&program, None, &specialisation, &with_loops.names(), &ctm_lane::effort::Effort::default())
            .expect("as plain");
    assert_eq!(named.function.surfaces, with_loops.function.surfaces);
    with_loops.function.inst_count() * 4 < plain.function.inst_count()
}

const MARK: &str = "ALU:\n 0 x: MOV R3.x, 7.5f";
const TEST: &str = "ALU_PUSH_BEFORE:\n 0 x: PRED_SETGT ____.x, R1.x, R2.x UPDATE_EXEC_MASK";

#[test]
fn clauses_in_line_are_a_loop() {
    let clauses = |count: usize| -> String {
        let clause = |at| format!("ALU:\n {}", groups(at, "x: MOV R4.x, R1.x"));
        (0..count).map(clause).collect::<String>() + "EXP_DONE: PIX0, R3.xyzw\nEND_OF_PROGRAM"
    };
    assert!(has_loop(&clauses(50), |_, _| ()));
    assert!(!has_loop(&clauses(20), |_, _| ()), "it saves too little");
}

#[test]
fn literals_go_on_evenly() {
    let source = |at: usize, odd: usize| {
        let number = if at == odd { 1.25 } else { at as f32 };
        let clause = groups(0, &format!("x: MOV R4.x, (0x{:08X}, 0.0).x", number.to_bits()));
        format!("ALU:\n {clause}")
    };
    let program =
        |odd| (0..50).map(|at| source(at, odd)).collect::<String>() + "EXP_DONE: PIX0, R3.xyzw\nEND_OF_PROGRAM";
    assert!(has_loop(&program(99), |_, _| ()));
    assert!(!has_loop(&program(20), |_, _| ()), "neither half is worth it");
}

#[test]
fn branches_inside_branches_are_a_loop() {
    assert!(has_loop(&nest(&[]), |_, _| ()));
    assert!(has_loop(&nest(&[MARK, MARK]), |_, _| ()));
    let branch = [MARK, TEST, "JUMP POP_CNT(1) ADDR({else})", MARK, "POP POP_CNT(1)"];
    assert!(has_loop(&nest(&branch), |_, _| ()));
}

#[test]
fn the_rest_of_the_program_stays_outside() {
    // Back to the middle.
    assert!(!has_loop(&nest_between(&[], &[], "JUMP ADDR(8)"), |_, _| ()));
    // From the front to the inside, with a mask on the stack that passes for that of the levels.
    let front = [TEST, "JUMP ADDR({inner})", "POP POP_CNT(1)"];
    assert!(!has_loop(&nest_between(&front, &[MARK], ""), |_, _| ()));
    let front = [TEST, "JUMP POP_CNT(1) ADDR(3)", "POP POP_CNT(1)"];
    assert!(has_loop(&nest_between(&front, &[MARK], ""), |_, _| ()));
    // From the inside to other branches, or past all of them.
    assert!(!has_loop(&nest(&[MARK, "JUMP ADDR({end})"]), |_, _| ()));
    assert!(!has_loop(&nest(&[MARK, "NOP EOP"]), |_, _| ()));
}

#[test]
fn the_inside_leaves_the_masks_of_the_levels_alone() {
    let narrows = "ALU:\n 0 x: PRED_SETGT ____.x, R1.x, R2.x UPDATE_EXEC_MASK";
    for inner in [
        &["POP POP_CNT(1)", "PUSH ADDR({else})"][..],
        &[TEST, "POP POP_CNT(2)", "PUSH ADDR({else})"],
        &["ELSE ADDR({else})"],
        &[narrows],
        &[TEST],
        &[MARK, "PUSH ADDR({else}) VALID_PIX", "POP POP_CNT(1)"],
        &[MARK, "LOOP_BREAK ADDR({else})"],
    ] {
        assert!(!has_loop(&nest(inner), |_, _| ()), "{inner:?}");
    }
}

#[test]
fn the_stack_is_as_deep_as_the_levels() {
    let with_stack =
        |entries| move |program: &mut Program, _: &mut Specialisation| program.info.stack_size = Some(entries);
    // Four masks to an entry, and the two that the first one reserves.
    let entries = LEVELS as u8 / 4 + 1;
    assert!(has_loop(&nest(&[MARK]), with_stack(entries)));
    // Three more do not fit.
    assert!(has_loop(&nest(&[TEST, TEST, TEST, "POP POP_CNT(3)"]), with_stack(entries)));
    assert!(!has_loop(&nest(&[]), with_stack(entries - 1)));
}

#[test]
fn pixels_that_kills_end_are_no_lanes_of_a_loop() {
    let ends = |_: &mut Program, specialisation: &mut Specialisation| specialisation.kill_stops_pixel = true;
    assert!(!has_loop(&nest(&[]), ends));
}
