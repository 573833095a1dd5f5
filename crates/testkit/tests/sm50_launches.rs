//! Fragment programs and blocks of threads on every engine: what they leave is what the reference leaves, whether lanes keep to themselves, look at others of
//! their quad, or wait for those of their block.

use ctm_testkit::hunt::tally::Tally;
use ctm_testkit::sm50::comparison::ComparingRunner;
use ctm_testkit::sm50::launches::{LaunchDraft, LaunchKind};

/// Runs so many launches of a kind on all engines. Most are machine code, and come to their ends.
fn agree(kind: LaunchKind, count: u64) {
    let runner = ComparingRunner::new();
    let mut completed = 0;
    for seed in 0..count {
        let draft = LaunchDraft::random(kind, seed);
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| draft.run(&runner)));
        completed += u64::from(ran.unwrap_or_else(|_| panic!("{}", draft.print())).is_ok());
        assert_eq!(
            LaunchDraft::read(&draft.print()).map(|read| read.code.trim_end() == draft.code.trim_end()),
            Ok(true)
        );
    }
    let mut tally = Tally::default();
    runner.count(&mut tally);
    let compiled = runner.compiled() as u64;
    assert!(
        compiled.min(completed) > count / 2,
        "{kind:?}: {completed} of {count}, {compiled} compiled: {:?}",
        tally.refused
    );
}

#[test]
fn fragments() {
    agree(LaunchKind::Fragments, 150);
}

#[test]
fn fragments_that_sample_textures() {
    agree(LaunchKind::Textures, 80);
}

#[test]
fn fragments_that_access_images() {
    agree(LaunchKind::Pictures, 150);
}

#[test]
fn threads_that_access_images() {
    agree(LaunchKind::Images, 150);
}

#[test]
fn blocks_that_wait_for_each_other() {
    agree(LaunchKind::Blocks, 100);
}

/// Odd lanes go round once more before they come to the barrier, where the others have been without them: a warp comes to a barrier once, so they do not
/// see each other's words.
#[test]
fn lanes_come_to_a_barrier_apart() {
    let code = ".stage none
        S2R R0, SR_TID.X; S2R R1, SR_CTAID.X; SHL R2, R0, 0x2; LOP.XOR R3, R2, 0x4; LOP.AND R4, R0, 0x1; MOV R5, RZ; MOV R6, RZ; MOV R9, RZ;
        SSY end;
    again:
        IADD R5, R5, 0x1;
        ISETP.EQ.AND P0, PT, R5, R4, PT;
    @P0 BRA again;
        STS [R2], R5;
        BAR.SYNC 0x0;
        LDS R7, [R3];
        IADD R6, R6, R7;
        IADD R9, R9, 0x1;
        ISETP.LT.AND P1, PT, R9, 0x4, PT;
        BAR.SYNC 0x0;
    @P1 BRA again;
        SYNC;
    end:
        IMAD R8, R1, c[0x0][0x8], R0; SHL R8, R8, 0x2; IADD32I R8, R8, 0x40000; ST [R8], R6; EXIT;";
    let runner = ComparingRunner::new();
    for seed in 0..6 {
        LaunchDraft { kind: LaunchKind::Blocks, seed, code: code.into() }.run(&runner).unwrap();
    }
    assert_eq!((runner.launches(), runner.lifted()), (6, 6));
}
