//! Every code is found in the example of its page, and not in the corrected example.

use super::*;
use crate::instruction::Body;
use crate::program::{IntConstant, ProgramInfo};
use crate::text;

/// The examples of a page: text, and whether it is the corrected one.
fn examples(page: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```x1k") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            found.push((text.join("\n"), kind == " fixed"));
        }
    }
    found
}

fn assemble(text: &str) -> Program {
    let assembled = text::parse(text).unwrap_or_else(|errors| panic!("{:?}\n{text}", errors[0].message));
    assembled.program
}

fn codes(program: &Program) -> Vec<&'static str> {
    check(program).iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn examples_show_what_their_pages_are_about() {
    // These cannot be spelled in assembly; tests below build them.
    let without_example = [FindingCode::CodeSize, FindingCode::NumberOutOfRange];
    for code in FindingCode::ALL {
        let examples = examples(code.explain());
        assert_eq!(examples.is_empty(), without_example.contains(code), "{code:?}");
        for (text, fixed) in examples {
            let found = codes(&assemble(&text));
            let right = if fixed { found.is_empty() } else { found.contains(&code.as_str()) };
            assert!(right, "{code:?}: {found:?} in\n{text}");
        }
    }
}

#[test]
fn programs_that_assembly_cannot_spell() {
    let empty = Program { info: ProgramInfo::default(), ..Program::default() };
    assert_eq!(codes(&empty), ["X1K001", "X1K002"]);
    let mut long = Program::from_code(vec![Instruction::decode(&[0x5, 0, 0, 0, 0, 0]); 513]);
    assert!(codes(&long).contains(&"X1K001"));
    long.code.truncate(512);
    long.info.end = 511;
    assert_eq!(legal(&long), Ok(()));

    let mut program = Program::from_code(vec![Instruction::decode(&[0x5, 0, 0, 0, 0, 0])]);
    program.references.inputs.insert(16);
    program.constants.ints.insert(32, IntConstant::default());
    let errors: Vec<_> = legal(&program).unwrap_err().into_iter().map(|finding| (finding.code, finding.pc)).collect();
    assert_eq!(errors, [(FindingCode::NumberOutOfRange, None); 2]);
}

#[test]
fn units_whose_result_nothing_takes_may_do_anything() {
    let rgb = "out[0].rgb = MAX src0.rgb src0.rgb";
    let alpha = "out[0].a = MAX src0.a src0.a";
    for (unused, used) in [
        ("temp[1].none = SOP", alpha),
        ("temp[1].none = exact * MAD src0.rgb src0.rgb src0.rgb", alpha),
        ("temp[1].none = DP", rgb),
        ("temp[1].none = exact * MAD src0.a src0.a src0.a", rgb),
    ] {
        let program = assemble(&format!("OUT TEX_SEM_WAIT src0.rgb = temp[0], src0.a = temp[0] : {unused}, {used} ;"));
        assert_eq!(legal(&program), Ok(()), "{unused}");
        let used = assemble(&format!(
            "src0.rgb = temp[0], src0.a = temp[0] : {}, {used} ;\nOUT TEX_SEM_WAIT : ;",
            unused.replace("none", if used == alpha { "r" } else { "a" })
        ));
        assert!(legal(&used).is_err(), "{unused}");
    }
}

#[test]
fn addresses_count_the_code_offset() {
    let mut program = assemble("FC JUMP 1, when = always ;\nOUT TEX_SEM_WAIT : ;");
    assert_eq!(codes(&program), [""; 0]);
    program.info.code_offset = 1;
    assert_eq!(codes(&program), ["X1K002", "X1K108"]);
    program.info.end = 0;
    let Body::Flow(flow) = &mut program.code[0].body else { panic!() };
    flow.jump_global = true;
    assert_eq!(codes(&program), ["X1K108"]);
}

/// What is written in a loop or branch is written after it for the lanes that get there.
#[test]
fn reads_behind_breaks_and_branches_are_initialised() {
    const END: &str = "OUT TEX_SEM_WAIT src0.rgb = temp[1] : out[0].rgb = MAD src0.rgb src0.111 src0.000 ;";
    const SET: &str = "ALU src0.rgb = temp[0] : temp[1].rgb = MAD src0.rgb src0.111 src0.000 ;";
    const TEST: &str = "ALU src0.rgb = temp[0] : result[lt] = MAD src0.rgb src0.111 src0.000 ;";
    for (body, clean) in [
        (format!("{TEST} IF alu ; {SET} ELSE ; {SET} ENDIF ;"), true),
        (format!("{TEST} IF alu ; {SET} ENDIF ;"), false),
        (format!("LOOP i[0] ; {SET} {TEST} BREAK IF alu ; ENDLOOP ;"), true),
        (format!("LOOP i[0] ; {TEST} BREAK IF alu ; {SET} ENDLOOP ;"), false),
        // Whoever does not set it leaves the loop, and sets it there.
        (format!("LOOP i[0] ; {TEST} IF alu ; {SET} ELSE ; {SET} BREAK ; ENDIF ; ENDLOOP ;"), true),
        (format!("LOOP i[0] ; {TEST} CONTINUE IF alu ; {SET} ENDLOOP ;"), false),
        (format!("CALL sub ; FC JUMP end, when = always ; sub: {SET} RETURN ; end:"), true),
        (format!("{SET} CALL sub ; CALL sub ; FC JUMP end, when = always ; sub: {TEST} RETURN ; end:"), true),
        (format!("{TEST} CALL sub IF alu ; FC JUMP end, when = always ; sub: {SET} RETURN ; end:"), false),
    ] {
        let program = assemble(&format!(".int i0 = 4\n{body}\n{END}"));
        let found = codes(&program).contains(&"X1K105");
        assert_eq!(found, !clean, "{body}");
    }
}

#[test]
fn a_second_caller_does_not_hide_an_uninitialised_read() {
    let program = assemble(
        "CALL sub ;
         ALU src0.rgb = temp[1] : temp[2].rgb = MAD src0.rgb src0.111 src0.000 ;
         ALU src0.rgb = temp[0] : temp[1].rgb = MAD src0.rgb src0.111 src0.000 ;
         CALL sub ;
         FC JUMP end, when = always ;
         sub: ALU src0.rgb = temp[0] : temp[0].rgb = MAD src0.rgb src0.rgb src0.rgb ;
         RETURN ;
         end: OUT TEX_SEM_WAIT src0.rgb = temp[1], src1.rgb = temp[2] : out[0].rgb = MAD src0.rgb src1.rgb src0.000 ;",
    );
    let found: Vec<_> =
        check(&program).into_iter().filter(|finding| finding.code == FindingCode::UninitialisedRead).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].pc, Some(1));
    assert!(found[0].message.contains("temp[1].rgb"), "{}", found[0].message);
}

#[test]
fn values_that_go_round_a_loop_are_used() {
    let program = assemble(
        ".int i0 = 4
         ALU src0.rgb = temp[0] : temp[1].rgb = MAD src0.rgb src0.111 src0.000 ;
         LOOP i[0] ;
           ALU src0.rgb = temp[1] : temp[0].rgb = MAD src0.rgb src0.rgb src0.000 ;
           ALU src0.rgb = temp[0] : temp[1].rgb = MAD src0.rgb src0.111 src0.000 ;
         ENDLOOP ;
         OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAD src0.rgb src0.111 src0.000 ;",
    );
    assert_eq!(codes(&program), [""; 0]);
}

#[test]
fn fetches_stay_pending_over_jumps_until_an_acquire_and_a_wait() {
    let program = |first: &str, second: &str, wait: &str| {
        assemble(&format!(
            "TEX {first} UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].rgaa ;
             TEX {second} UNSCALED temp[2].rgba = LD tex[0].rgba temp[0].rgaa ;
             ALU src0.rgb = temp[0] : result[lt] = MAD src0.rgb src0.111 src0.000 ;
             IF alu ;
               ALU {wait} src0.rgb = temp[1], src1.rgb = temp[2] : temp[0].rgb = MAD src0.rgb src1.rgb src0.rgb ;
             ENDIF ;
             OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAD src0.rgb src0.111 src0.000 ;"
        ))
    };
    let acquire = "TEX_SEM_WAIT TEX_SEM_ACQUIRE";
    assert_eq!(codes(&program("", acquire, "TEX_SEM_WAIT")), [""; 0]);
    assert_eq!(codes(&program("", acquire, "")), ["X1K102"]);
    let found = check(&program(acquire, "", "TEX_SEM_WAIT"));
    assert!(found[0].message.contains("temp[2].rgb,"), "only the second is not covered: {found:?}");
}

#[test]
fn programs_of_a_real_compiler() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/x1k");
    for case in std::fs::read_dir(corpus).unwrap() {
        let path = case.unwrap().path();
        let bytes = std::fs::read(path.join("program.u32")).unwrap();
        let dwords: Vec<u32> = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let program = Program::from_code(dwords.as_chunks().0.iter().map(Instruction::decode).collect());
        // Mesa's loops: their heads name their ends, and their counts are set elsewhere.
        let expected: &[&str] = if path.ends_with("cf_loop_dyn") { &["X1K111", "X1K202"] } else { &[] };
        assert_eq!(codes(&program), expected, "{path:?}");
    }
}

#[test]
fn any_program_can_be_checked() {
    ctm_cases::check(10_000, |u| {
        let code: Vec<Instruction> = (0..u.int_in_range(0..=40)?)
            .map(|_| {
                let mut words: [u32; 6] = u.arbitrary()?;
                // Flow control to near places, half of the time.
                if u.arbitrary()? {
                    words[0] = words[0] & !3 | 2;
                    words[3] &= !0x01C0_0000;
                }
                Ok(Instruction::decode(&words))
            })
            .collect::<Result<_, _>>()?;
        let mut program = Program::from_code(code);
        program.info.start = u.int_in_range(0..=5)?;
        program.info.end = u.int_in_range(0..=50)?;
        program.info.code_offset = u.int_in_range(0..=3)?;
        program.info.position = u.arbitrary()?;
        program.info.full_flow_control = u.arbitrary()?;
        let findings = check(&program);
        let errors: Vec<_> = findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect();
        assert_eq!(legal(&program).err().unwrap_or_default().len(), errors.len());
        Ok(())
    });
}

/// What the analyses cannot follow must not make them talk.
#[test]
fn predicated_relative_and_wide_writes() {
    const END: &str = "OUT TEX_SEM_WAIT src0.rgb = temp[3] : out[0].rgb = MAD src0.rgb src0.111 src0.000 ;";
    for body in [
        // The first write lasts in lanes whose predicate is false.
        "src0.rgb = temp[0] : pred[lt].r = MAD src0.rgb src0.111 src0.000 ;
         src0.rgb = temp[0] : temp[3].rgb = MAD src0.rgb src0.111 src0.000 ;
         PRED(rrrr) src0.rgb = temp[0] : temp[3].rgb = MAD src0.rgb src0.rgb src0.000 ;",
        // Together these write all lanes.
        "src0.rgb = temp[0] : pred[lt].r = MAD src0.rgb src0.111 src0.000 ;
         PRED(rrrr) src0.rgb = temp[0] : temp[3].rgb = MAD src0.rgb src0.111 src0.000 ;
         PRED(!rrrr) src0.rgb = temp[0] : temp[3].rgb = MAD src0.rgb src0.rgb src0.000 ;",
        // Which registers this writes depends on aL.
        "LOOP i[0] ; ALU src0.rgb = temp[0] : temp[1 + aL].rgb = MAD src0.rgb src0.111 src0.000 ; ENDLOOP ;",
        // Any register may be read.
        "src0.rgb = temp[0] : temp[9].rgb = MAD src0.rgb src0.111 src0.000 ;
         LOOP i[0] ; ALU src0.rgb = temp[7 + aL] : temp[3].rgb = MAD src0.rgb src0.111 src0.000 ; ENDLOOP ;",
        // This also reaches the lanes that do not enter the branch.
        "src0.rgb = temp[0] : result[lt] = MAD src0.rgb src0.111 src0.000 ;
         IF alu ; WRITE_INACTIVE src0.rgb = temp[0] : temp[3].rgb = MAD src0.rgb src0.111 src0.000 ; ENDIF ;",
    ] {
        assert_eq!(codes(&assemble(&format!(".int i0 = 4, 0, 1\n{body}\n{END}"))), [""; 0], "{body}");
    }
}

/// Hundreds of calls and returns, each of which can lead after each call: this must not take for ever.
#[test]
fn tangled_calls_and_returns() {
    let mut state = 1u32;
    let mut next = |limit: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % limit
    };
    for kinds in [2, 3, 3, 3] {
        let code = (0..512u32).map(|number| {
            let branch_ops = next(3) << 24 | next(3) << 26 | next(32) << 16;
            let target = next(511) << 16;
            let (read, write) = (next(128), (number % 128) << 4);
            Instruction::decode(&match next(kinds) {
                0 => [0x402, 0, 0xF080 | branch_ops, target, 0, 0],
                1 => [0x402, 0, 0xF040 | branch_ops | (next(2) * next(8)), target, 0, 0],
                _ => [
                    0x7800,
                    0x0802_0000 | read,
                    0x0802_0000 | read,
                    0x1C44_0220,
                    0x1C60_C003 | write,
                    0x2049_0005 | write,
                ],
            })
        });
        assert!(!check(&Program::from_code(code.collect())).is_empty());
    }
}
