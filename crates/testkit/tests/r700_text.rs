//! Legal R700 instructions have a spelling: the language needs no RAW for them.

use ctm_r700::text::{parse, print_alu, print_cf, print_fetch, print_program};
use ctm_r700::{CfFields, CfOp, CfPlain, *};
use ctm_testkit::r700::generate::{self, Allow};
use ctm_testkit::random::Random;

const ROUNDS: usize = 20_000;

#[test]
fn control_flow_is_spelled() {
    let mut random = Random::new(1);
    for _ in 0..ROUNDS {
        let cf = generate::control(&mut random);
        for family in Family::ALL {
            let count_3 = matches!(cf, Cf::Plain(plain) if plain.fields.count_3);
            let text = print_cf(&cf, family);
            // R600 has no bit for long fetch clauses.
            assert_eq!(text.contains("RAW"), count_3 && family == Family::R600, "{text}");
        }
    }
}

#[test]
fn fetches_are_spelled() {
    let mut random = Random::new(2);
    for _ in 0..ROUNDS {
        let text = print_fetch(&generate::fetch(&mut random));
        assert!(!text.contains("RAW"), "{text}");
    }
}

/// Programs of groups, each under its own clause.
#[test]
fn groups_are_spelled() {
    let mut random = Random::new(3);
    for _ in 0..500 {
        let mut code = Vec::new();
        let groups: Vec<Group> = (0..6)
            .map(|_| {
                let allow = Allow { previous: true, effects: random.one_in(2), windows: true };
                generate::group(&mut random, allow)
            })
            .collect();
        let bodies: Vec<Vec<Qword>> = groups.iter().map(generate::encode).collect();
        let mut addr = bodies.len() as u32 + 1;
        for body in &bodies {
            let fields = CfAluFields { addr, count: body.len() as u8 - 1, barrier: true, ..CfAluFields::default() };
            code.push(Cf::Alu(CfAlu { op: CfAluOp::Alu, fields }).encode());
            addr += body.len() as u32;
        }
        let fields = CfFields { end_of_program: true, barrier: true, ..CfFields::default() };
        code.push(Cf::Plain(CfPlain { op: CfOp::Nop, fields }).encode());
        code.extend(bodies.into_iter().flatten());
        let program = Program { code, info: ProgramInfo::default() };
        let text = print_program(&program);
        assert!(!text.contains("RAW"), "{text}");
        assert_eq!(parse(&text).unwrap().program, program, "{text}");
        for group in &groups {
            let units = assign_units(&group.slots, Family::R700, true).unwrap();
            for (slot, unit) in group.slots.iter().zip(units) {
                assert!(!print_alu(slot, unit, &group.literals, Family::R700).contains("RAW"));
            }
        }
    }
}
