//! Each simplification on a small function: `simplify.txt` holds what goes in and what comes out.

use crate::support::evaluate::{LANES, Run};
use ctm_lane::effort::Effort;
use ctm_lane::{
    Function, Op, assume_covered, hoist_invariants, run_inactive_lanes, simplify, verify, version_full_mask_loops,
    zero_inactive_lanes,
};

const CASES: &str = include_str!("simplify.txt");

fn read(name: &str, text: &str) -> Function {
    let function: Function = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
    verify(&function).unwrap_or_else(|error| panic!("{name}: {error}"));
    function
}

#[test]
fn functions_become_what_is_written() {
    let mut count = 0;
    for case in CASES.split("===== ").skip(1) {
        let (name, body) = case.split_once('\n').expect("a case has a name");
        let (before, after) = body.split_once("-----\n").expect("a case has two functions");
        let mut function = read(name, before);
        let outcome = Run::new(&function, 1, [true; LANES], 0x7FC0_0000).run();
        simplify(&mut function);
        assert_eq!(function.to_string(), after, "{name}");
        assert_eq!(function, read(name, after), "{name}");
        assert_eq!(Run::new(&function, 1, [true; LANES], 0xFFC0_0000).run(), outcome, "{name}");
        count += 1;
    }
    assert_eq!(count, CASES.matches("-----\n").count());
}

#[test]
fn long_computations_that_are_the_same_in_every_pass_go_in_front_of_a_loop() {
    let (before, after) = include_str!("hoist.txt").split_once("-----\n").expect("two functions");
    let mut function = read("before", before);
    let outcome = Run::new(&function, 1, [true; LANES], 0x7FC0_0000).run();
    simplify(&mut function);
    hoist_invariants(&mut function);
    assert_eq!(function.to_string(), after);
    assert_eq!(Run::new(&function, 1, [true; LANES], 0xFFC0_0000).run(), outcome);
}

#[test]
fn lanes_that_have_left_a_loop_go_on_where_the_host_takes_it() {
    let (before, after) = include_str!("run_inactive_lanes.txt").split_once("-----\n").expect("two functions");
    let mut function = read("before", before);
    let outcome = Run::new(&function, 1, [true; LANES], 0x7FC0_0000).run();
    simplify(&mut function);
    let kept = function.clone();
    let harmless = |op: &Op| !matches!(op, Op::Fadd { .. } | Op::Fmul { .. });
    assert!(!run_inactive_lanes(&mut function, &Effort::default(), harmless), "lanes that have left would do harm");
    assert_eq!(function, kept);
    assert!(run_inactive_lanes(&mut function, &Effort::default(), |_| true));
    assert_eq!(function.to_string(), after);
    assert_eq!(Run::new(&function, 1, [true; LANES], 0xFFC0_0000).run(), outcome);
}

#[test]
fn lanes_that_do_not_come_to_a_block_calculate_with_zeros_there() {
    let (before, after) = include_str!("zero_inactive_lanes.txt").split_once("-----\n").expect("two functions");
    let mut function = read("before", before);
    let outcome = Run::new(&function, 1, [true; LANES], 0x7FC0_0000).run();
    simplify(&mut function);
    let kept = function.clone();
    assert!(
        !zero_inactive_lanes(&mut function, &Effort::default(), |insts, choices| insts >= 6 && choices < 2),
        "it takes two choices"
    );
    assert_eq!(function, kept);
    assert!(zero_inactive_lanes(&mut function, &Effort::default(), |insts, choices| insts == 6 && choices <= 2));
    assert_eq!(function.to_string(), after);
    assert_eq!(Run::new(&function, 1, [true; LANES], 0xFFC0_0000).run(), outcome);
}

#[test]
fn passes_in_which_no_lane_leaves_have_a_loop_of_their_own() {
    let (before, after) = include_str!("version_full_mask_loops.txt").split_once("-----\n").expect("two functions");
    let mut function = read("before", before);
    let outcome = Run::new(&function, 1, [true; LANES], 0x7FC0_0000).run();
    simplify(&mut function);
    assert!(version_full_mask_loops(&mut function, &Effort::default()));
    assert_eq!(function.to_string(), after);
    assert_eq!(Run::new(&function, 1, [true; LANES], 0xFFC0_0000).run(), outcome);
    assert!(!version_full_mask_loops(&mut function, &Effort::default()), "the loop has one");
    // What is made after a test is wanted by a block to which both ways lead.
    let seen = before
        .replace("steps 1, 7, %16", "%17 = fadd.ftz %13, %3")
        .replace("s0, %1, %1, %30, %30", "s0, %1, %1, %30, %17");
    assert!(!version_full_mask_loops(&mut read("seen", &seen), &Effort::default()), "two blocks would make it");
}

#[test]
fn loops_carry_what_arithmetic_wants() {
    let (before, after) = include_str!("unmasked_recurrences.txt").split_once("-----\n").expect("two functions");
    let mut function = read("before", before);
    let outcome = Run::new(&function, 1, [true; LANES], 0x7FC0_0000).run();
    simplify(&mut function);
    let kept = function.clone();
    assert!(
        !run_inactive_lanes(&mut function, &Effort::default(), |op| !matches!(op, Op::Fsub { .. })),
        "lanes that have left would do harm"
    );
    assert_eq!(function, kept);
    assert!(run_inactive_lanes(&mut function, &Effort::default(), |_| true));
    assert_eq!(function.to_string(), after);
    assert_eq!(Run::new(&function, 1, [true; LANES], 0xFFC0_0000).run(), outcome);
}

#[test]
fn groups_inside_the_domain_need_no_cover() {
    let text = "b0:\n%0 = covered\n%1 = mask_not %0\nany %1, b1, b2\nb1:\nsteps 1, 0, %1\njump b2\nb2:\nsteps 2, 1, %0\nreturn";
    let mut function = read("covered", text);
    assume_covered(&mut function);
    simplify(&mut function);
    assert_eq!(function.to_string(), "b0:\n    %0 = mask true\n    steps 2, 1, %0\n    return\n");
}
