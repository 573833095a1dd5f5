//! Bank swizzles that the assembler finds where the text gives none.

use ctm_cases::{Result, Unstructured};
use ctm_r700::text::{Cause, parse, print_program};
use ctm_r700::*;

/// The slots of the only group of a program.
fn group_of(program: &Program) -> Group {
    let outline = Outline::of(&program.code, program.info.family);
    let clause = *outline.clauses.keys().next().unwrap();
    clause_groups(&program.code, &clause, program.info.family).unwrap().remove(0)
}

fn units(group: &Group) -> Vec<(Unit, &Alu)> {
    assign_units(&group.slots, Family::R700, true).unwrap().into_iter().zip(&group.slots).collect()
}

/// The names of the swizzles that the assembler gives a group.
fn found(group: &str) -> Vec<&'static str> {
    let text = format!("ALU:\n 0 {group}\nNOP EOP\n");
    let program = parse(&text).unwrap_or_else(|diagnostics| panic!("{text}\n{}", diagnostics[0])).program;
    let group = group_of(&program);
    units(&group).iter().map(|(unit, slot)| slot.fields.bank_swizzle.name(*unit == Unit::T).unwrap()).collect()
}

#[test]
fn groups_that_need_others_than_the_first() {
    let cases: &[(&str, &[&str])] = &[
        ("x: ADD R5.x, R0.x, R1.y\n w: SETGT_INT R2.w, R1.x, PV.w", &["VEC_012", "VEC_120"]),
        ("x: ADD R5.x, R0.x, R1.x\n y: ADD R5.y, R1.x, R0.x", &["VEC_012", "VEC_120"]),
        ("x: ADD R5.x, R0.x, R1.x\n y: ADD R5.y, R1.x, R2.x", &["VEC_012", "VEC_120"]),
        ("x: MULADD R5.x, R0.x, R1.x, R2.x\n y: MULADD R5.y, R2.x, R1.x, R0.x", &["VEC_012", "VEC_210"]),
        ("x: MULADD R5.x, R0.x, R1.x, R2.x\n y: ADD R5.y, R2.x, R0.x", &["VEC_012", "VEC_201"]),
        // One port serves both operands of y, whatever the cycle of the second.
        ("x: MOV R5.x, R1.x\n y: ADD R5.y, R1.x, R1.x", &["VEC_012", "VEC_012"]),
        // The constants of the trans unit take the first cycles.
        ("x: NOP\n t: MULADD R5.x, R0.x, 0.5f, 1.0f", &["VEC_012", "SCL_210"]),
        ("x: NOP\n t: MULADD R5.x, 0.5f, R0.x, 1.0f", &["VEC_012", "SCL_122"]),
        ("x: MOV R5.x, R1.x\n t: RECIP_IEEE R5.y, R2.x", &["VEC_012", "SCL_210"]),
        ("x: MULADD R5.x, R0.x, R1.x, R2.x\n t: RECIP_IEEE R5.y, R1.x", &["VEC_012", "SCL_122"]),
        // The vector unit gives way to the trans unit.
        ("x: MULADD R5.x, R0.x, R1.x, R2.x\n t: MULADD R6.x, 0.5f, 1.0f, R0.x", &["VEC_201", "SCL_122"]),
        ("z: MOV R5.z, R1.x\n t: MUL_LIT R5.y, R2.x, R3.x, R1.x", &["VEC_012", "SCL_210"]),
        // What the text names is kept.
        ("x: ADD R5.x, R0.x, R1.x VEC_120\n y: ADD R5.y, R3.x, R1.x", &["VEC_120", "VEC_021"]),
    ];
    for (group, expected) in cases {
        assert_eq!(&found(group), expected, "{group}");
    }
}

#[test]
fn groups_that_have_none() {
    let cases = [
        (
            "x: ADD R5.x, R0.x, R1.x\n y: ADD R5.y, R2.x, R3.x",
            "channel x of 4 registers is read, and there are 3 cycles to read one each",
        ),
        ("x: NOP\n t: MUL_LIT R5.x, 0.5f, 1.0f, 1", "the trans unit reads 3 constants, it can read 2"),
        (
            "x: ADD R5.x, R0.x, R1.x VEC_012\n y: MOV R5.y, R1.x VEC_012\n z: MOV R0.z, R9.z",
            "R0.x and R1.x are both read in cycle 0",
        ),
        (
            "x: MULADD R5.x, R0.x, R1.x, R2.x VEC_012\n t: MULADD R6.x, R1.x, 0.5f, 1.0f",
            "unit t finds no ports for its operands beside those of the other units",
        ),
        (
            "x: ADD R5.x, C0.x, C1.x\n y: MOV R5.y, C2.x",
            "the group reads 3 different xy or zw halves of constants; compilers read 2 at most",
        ),
    ];
    for (group, reason) in cases {
        let diagnostics = parse(&format!("ALU:\n 0 {group}\nNOP EOP\n")).unwrap_err();
        assert_eq!(diagnostics[0].cause, Cause::ReadPorts, "{group}");
        let message = format!("no bank swizzles let the group read its operands: {reason}");
        assert_eq!((diagnostics[0].message.as_str(), diagnostics.len()), (message.as_str(), 1), "{group}");
    }
    // With a swizzle for each instruction, the group is what the text says.
    assert_eq!(found("x: MOV R5.x, R0.x VEC_012\n y: MOV R5.y, R1.x VEC_012"), ["VEC_012"; 2]);
}

/// A group of instructions that could stand in it, with operands from few registers, so that they get into each other's way.
fn any_group(u: &mut Unstructured) -> Result<Vec<(Unit, Alu)>> {
    let mut group = Vec::new();
    for unit in Unit::ALL {
        if group.len() < 2 || u.ratio(2, 3)? {
            let op = *u.choose(&[AluOp::Op2(Op2::Mov), AluOp::Op2(Op2::Add), AluOp::Op3(Op3::MulAdd)])?;
            let form =
                if op.is_op3() { AluForm::Op3(Op3Fields::default()) } else { AluForm::Op2(Op2Fields::default()) };
            let mut alu = Alu { op, fields: AluFields::default(), form };
            // The trans unit takes what finds its vector unit taken.
            alu.fields.dst.chan = if unit == Unit::T { Channel::X } else { Channel::ALL[unit as usize] };
            alu.fields.dst.gpr = 10 + unit as u8;
            for source in 0..usize::from(op.properties().sources) {
                let selector = match u.int_in_range(0..=9)? {
                    0..=6 => Selector::Gpr(u.int_in_range(0..=2)?),
                    7 => Selector::PreviousVector,
                    8 => Selector::Constant(u.int_in_range(0..=1)?),
                    _ => Selector::Special(Special::One),
                };
                let chan = *u.choose(&Channel::ALL[..2])?;
                *alu.source_mut(source) = Source { sel: selector.encode(), chan, ..Source::default() };
            }
            group.push((unit, alu));
        }
    }
    group.last_mut().unwrap().1.fields.last = true;
    Ok(group)
}

/// Every assignment of codes, those of the last unit changing fastest.
fn assignments(units: &[Unit]) -> Vec<Vec<BankSwizzle>> {
    let Some((last, rest)) = units.split_last() else { return vec![Vec::new()] };
    let rest = assignments(rest).into_iter();
    rest.flat_map(|codes| BankSwizzle::all(*last == Unit::T).map(move |code| [&codes[..], &[code]].concat())).collect()
}

/// The first assignment that the check lets through is found, and none only if there is none.
#[test]
fn the_first_legal_ones_are_found() {
    ctm_cases::check(6000, |u| {
        let mut group = any_group(u)?;
        let legal = |group: &[(Unit, Alu)]| {
            let group: Vec<(Unit, &Alu)> = group.iter().map(|(unit, alu)| (*unit, alu)).collect();
            check_ports(&group).is_ok()
        };
        let borrowed: Vec<(Unit, &Alu)> = group.iter().map(|(unit, alu)| (*unit, alu)).collect();
        let found = find_swizzles(&borrowed, &vec![true; group.len()]).ok();
        let units: Vec<Unit> = group.iter().map(|(unit, _)| *unit).collect();
        let expected = assignments(&units).into_iter().find(|codes| {
            for ((_, alu), code) in group.iter_mut().zip(codes) {
                alu.fields.bank_swizzle = *code;
            }
            legal(&group)
        });
        assert_eq!(found, expected, "{group:?}");
        Ok(())
    });
}

/// Groups with any swizzles, legal or not, print as text that gives the same words.
#[test]
fn printed_groups_keep_their_swizzles() {
    ctm_cases::check(15_000, |u| {
        let mut group = any_group(u)?;
        for (unit, alu) in &mut group {
            if u.ratio(1, 3)? {
                let codes: Vec<BankSwizzle> = BankSwizzle::all(*unit == Unit::T).collect();
                alu.fields.bank_swizzle = *u.choose(&codes)?;
            }
        }
        let fields = CfAluFields { addr: 2, count: group.len() as u8 - 1, ..CfAluFields::default() };
        let end = CfFields { end_of_program: true, ..CfFields::default() };
        let mut code = vec![
            Cf::Alu(CfAlu { op: CfAluOp::Alu, fields }).encode(),
            Cf::Plain(CfPlain { op: CfOp::Nop, fields: end }).encode(),
        ];
        code.extend(group.iter().map(|(_, alu)| alu.encode(Family::R700)));
        let program = Program { code, info: ProgramInfo::default() };
        let text = print_program(&program);
        let parsed = parse(&text).unwrap_or_else(|diagnostics| panic!("{text}\n{}", diagnostics[0]));
        assert_eq!(parsed.program, program, "{text}");
        Ok(())
    });
}
