//! What is printed reads as the same program.

use ctm_cases::Unstructured;
use ctm_r700::text::{PrintOptions, parse, print_program, print_program_with};
use ctm_r700::*;

/// Prints and parses a program, and compares.
fn round_trip(program: &Program) {
    for text in [print_program(program), print_program_with(program, &PrintOptions { addresses: true, words: true })] {
        let assembled = parse(&text).unwrap_or_else(|diagnostics| {
            let messages: Vec<String> = diagnostics.iter().take(5).map(ToString::to_string).collect();
            panic!("{text}\n{}", messages.join("\n"))
        });
        assert!(assembled.warnings.is_empty(), "{text}\n{:?}", assembled.warnings);
        assert_eq!(assembled.program, *program, "{text}");
    }
}

fn info(u: &mut Unstructured) -> ctm_cases::Result<ProgramInfo> {
    Ok(ProgramInfo {
        family: *u.choose(&Family::ALL)?,
        stage: *u.choose(Stage::ALL)?,
        num_gprs: u.arbitrary()?,
        stack_size: u.arbitrary()?,
        dx10_clamp: u.arbitrary()?,
        prefer_vector: u.arbitrary()?,
        kill_enable: u.arbitrary()?,
    })
}

#[test]
fn any_image() {
    ctm_cases::check(10_000, |u| {
        let info = info(u)?;
        let mut code = Vec::new();
        for _ in 0..u.int_in_range(0..=40)? {
            code.push(u.arbitrary::<Qword>()?);
        }
        round_trip(&Program { code, info });
        Ok(())
    });
}

/// Clauses of arbitrary words under a control-flow program that names them.
#[test]
fn any_clauses() {
    ctm_cases::check(5000, |u| {
        let info = info(u)?;
        let sparse: u32 = *u.choose(&[0, 0x0030_0030, u32::MAX])?;
        let (alu, fetch) = (u.int_in_range(0..=20u32)?, u.int_in_range(0..=4u32)?);
        let mut code: Vec<Qword> = Vec::new();
        let mut cf = |fields: Cf| code.push(fields.encode());
        let fields = CfAluFields { addr: 4 + fetch * 2, count: alu as u8, ..CfAluFields::default() };
        cf(Cf::Alu(CfAlu { op: CfAluOp::Alu, fields }));
        let mut fields = CfFields { addr: 4, ..CfFields::default() };
        fields.set_fetch_count(fetch.max(1));
        cf(Cf::Plain(CfPlain { op: CfOp::Tex, fields }));
        let fields = CfFields { end_of_program: true, ..CfFields::default() };
        cf(Cf::Plain(CfPlain { op: CfOp::Nop, fields }));
        code.push([0; 2]);
        for _ in 0..fetch * 2 + alu + 1 {
            let [low, high] = u.arbitrary::<Qword>()?;
            code.push([low & !sparse, high & !sparse]);
        }
        round_trip(&Program { code, info });
        Ok(())
    });
}

/// Every opcode of every format, in an instruction that is otherwise arbitrary.
#[test]
fn any_instruction() {
    ctm_cases::check(20_000, |u| {
        let info = info(u)?;
        let words: Qword = u.arbitrary()?;
        let cf = text::print_cf(&Cf::decode(&words), info.family);
        if Cf::decode(&words).name().is_some() && Cf::decode(&words).clause(info.family).is_none() {
            assert_eq!(
                parse(&format!(".family {}\n{cf}", info.family.name())).expect(&cf).program.code,
                [words],
                "{cf}"
            );
        }
        let words: FetchWords = u.arbitrary()?;
        let fetch = text::print_fetch(&Fetch::decode(&words));
        let program = parse(&format!("TEX:\n{fetch}")).expect(&fetch).program;
        assert_eq!(program.code[2..], [[words[0], words[1]], [words[2], words[3]]], "{fetch}");
        Ok(())
    });
}

#[test]
fn words_behind_a_source_without_a_channel() {
    for source in ["0.5f", "2.0f", "PS"] {
        let source = format!("ALU: ADDR(1)\n 0 x: MOV R1.x, {source}\n.qword 6, 0x123456789ABCDEF0");
        let program = text::parse(&source).unwrap_or_else(|problems| panic!("{source}\n{problems:?}")).program;
        assert_eq!(program.code[6], [0x9ABC_DEF0, 0x1234_5678]);
    }
}
