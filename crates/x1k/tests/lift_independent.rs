//! Which programs have a group-independent form, and how many steps they take at most. What they do is the business of the filetests
//! and of random programs.

use ctm_x1k::lift::{LiftedForm, NotLifted, Specialisation, lift};
use ctm_x1k::text::parse;
use ctm_x1k::{CondLocation, CondTest, Constants, OUTPUTS};

/// The most steps of the program's free form, or why it has none.
fn steps(text: &str) -> Result<u64, NotLifted> {
    let program = parse(text).unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    let specialisation = Specialisation {
        samplers: Default::default(),
        inputs: Default::default(),
        outputs: [true; OUTPUTS],
        out_mask: 0xF,
        test: CondTest::Always,
        location: CondLocation::Dpp,
        write: false,
        has_origin: false,
        unfused: false,
        finite: [true; 4],
    };
    let lifted = lift(&program, &specialisation, LiftedForm::Independent)?;
    let constants = Constants::from(&program.constants);
    Ok(lifted.max_steps(|int| constants.ints[usize::from(int)].count))
}

fn is_refused_at(pc: usize, text: &str) {
    assert_eq!(steps(text), Err(NotLifted::Unstructured(pc)), "{text}");
}

const TEST: &str = "src0.rgb = temp[0] : result[ge] = MAX src0.rrr src0.rrr ;";
const OUT: &str = "OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAX src0.rgb src0.rgb ;";
const ADD: &str = "src0.rgb = temp[1] : temp[1].r = MAD src0.r__ src0.1__ src0.1__ ;";

#[test]
fn subroutines_are_free_whoever_calls_them() {
    // Conditional calls, early returns, and calls that everybody takes of a subroutine that counts levels.
    let sub = format!("sub: {TEST} RETURN IF alu; {ADD} RETURN IF pred.r; {ADD} RETURN;");
    assert_eq!(steps(&format!(".end finish\n CALL sub; finish: {OUT} {sub}")), Ok(8));
    assert_eq!(steps(&format!(".end finish\n {TEST} CALL sub IF alu; finish: {OUT} {sub}")), Ok(9));
    assert_eq!(steps(&format!(".end finish\n {TEST} CALL sub IF alu; CALL sub; finish: {OUT} {sub}")), Ok(16));
    // In a loop that lanes leave, around a call.
    let in_loop = "REP i[0]; BREAK IF pred.g; CALL sub IF b[3]; ENDREP;";
    assert_eq!(steps(&format!(".int i0 = 5\n.end finish\n {in_loop} finish: {OUT} {sub}")), Ok(1 + 5 * 9 + 1));
}

#[test]
fn calls_and_returns_count_levels_as_they_must() {
    let program = |call: &str, first: &str, last: &str| {
        format!(
            ".flow full\n.end finish\n {TEST} FC JUMP sub, when = alu, address = push, {call} ; finish: {OUT}
             sub: {TEST} FC JUMP 0, when = alu, address = pop, {first} ; FC JUMP 0, when = always, address = pop, {last} ;"
        )
    };
    let call = "any, jump = incr";
    let (first, last) = ("stay = incr, jump = decr, pop_count = 1", "jump = decr, pop_count = 2");
    assert_eq!(steps(&program(call, first, last)), Ok(6));
    // "All" or "any" decides; counters are not raised, raised twice, not lowered, lowered too far.
    is_refused_at(1, &program("jump = incr", first, last));
    is_refused_at(1, &program("any", first, last));
    is_refused_at(1, &program("any, stay = incr, jump = incr", first, last));
    is_refused_at(4, &program(call, "any, stay = incr, jump = decr, pop_count = 1", last));
    is_refused_at(4, &program(call, "jump = decr, pop_count = 1", last));
    is_refused_at(4, &program(call, "stay = incr, jump = decr, pop_count = 2", last));
    is_refused_at(4, &program(call, "stay = incr", last));
    is_refused_at(5, &program(call, first, "jump = decr, pop_count = 1"));
    is_refused_at(5, &program(call, first, "jump = decr, pop_count = 3"));
    is_refused_at(5, &program(call, first, "any, jump = decr, pop_count = 2"));
}

#[test]
fn returns_in_branches_and_breaks_out_of_calls_are_refused() {
    let early = "FC JUMP 0, when = alu, address = pop, stay = incr, jump = decr, pop_count = 1 ;";
    let last = "FC JUMP 0, when = always, address = pop, jump = decr, pop_count = 1 ;";
    is_refused_at(
        4,
        &format!(".flow full\n.end finish\n CALL sub; finish: {OUT} sub: {TEST} IF alu; {early} ENDIF; {last}"),
    );
    // The end of the loop is the instruction after the call.
    let leave = "FC BREAKREP 3, when = always, jump = decr, pop_count = 0 ;";
    is_refused_at(
        4,
        &format!(".flow full\n.end finish\n REP i[0]; CALL sub; ENDREP; finish: {OUT} sub: {leave} RETURN;"),
    );
}

#[test]
fn where_everybody_is_active_inactive_lanes_do_not_matter() {
    let everywhere = ADD.replace("src0.rgb = ", "WRITE_INACTIVE src0.rgb = ");
    let last = ADD.replace("src0.rgb = ", "LAST src0.rgb = ");
    let program =
        |inside: &str, leave: &str| format!(".early_exit yes\n.int i0 = 2\nREP i[0]; {inside} {leave} ENDREP; {OUT}");
    let inner = "REP i[0]; BREAK IF pred.r; ENDREP;";
    for instruction in [&everywhere, &last] {
        assert_eq!(steps(&program(instruction, "")), Ok(1 + 2 * 2 + 1));
        assert_eq!(steps(&program(instruction, inner)), Ok(1 + 2 * (3 + 2 * 2) + 1), "only the inner loop is left");
        // Lanes that left in the first pass are inactive in the second.
        is_refused_at(1, &program(instruction, "BREAK IF pred.r;"));
        is_refused_at(1, &program(instruction, "CONTINUE IF pred.r;"));
        is_refused_at(
            1,
            &format!("IF pred.r; {instruction} ENDIF; {OUT}").replace("IF pred", ".early_exit yes\nIF pred"),
        );
        is_refused_at(
            2,
            &format!(".early_exit yes\n.end finish\n CALL sub IF pred.r; finish: {OUT} sub: {instruction} RETURN;"),
        );
        let called = format!(".early_exit yes\n.end finish\n CALL sub; finish: {OUT} sub: {instruction} RETURN;");
        assert!(steps(&called).is_ok());
    }
    // The group ends after a loop head or at a loop end, or goes on; that is another program.
    is_refused_at(0, &format!(".early_exit yes\n.int i0 = 2\nLAST REP i[0]; ENDREP; {OUT}"));
}
