//! X1K text: what is printed parses as the same instruction or program, and no text makes the assembler panic or hang.

use ctm_testkit::{case::Case, project_path, random::Random};
use ctm_x1k::text::{
    PrintOptions, SourceFile, parse, parse_with, print_instruction, print_program, print_program_with,
};
use ctm_x1k::{ConstantValues, Instruction, IntConstant, Program, ProgramInfo, References, WriteMode};

fn check(instruction: Instruction) -> String {
    let printed = print_instruction(&instruction);
    let read = parse(&printed).unwrap_or_else(|diagnostics| panic!("{printed}\n{diagnostics:?}"));
    assert_eq!(read.program.code, [instruction], "{printed}");
    assert!(read.warnings.is_empty(), "{printed}");
    printed
}

#[test]
fn random_words() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        check(Instruction::decode(&std::array::from_fn(|_| random.bits())));
    }
}

/// Instructions of all forms with a few fields set: the way that words of tools look.
#[test]
fn random_fields() {
    let mut random = Random::new(2);
    let mut by_name = 0;
    for _ in 0..100_000 {
        let form = Instruction::decode(&[random.below(4) as u32, 0, 0, 0, 0, 0]);
        let mut words = form.encode();
        let fields: Vec<_> = form.fields().collect();
        for _ in 0..random.below(12) {
            random.pick(&fields).set(&mut words, random.bits());
        }
        by_name += usize::from(check(Instruction::decode(&words)).contains('@'));
    }
    assert!(by_name < 25_000, "{by_name} instructions needed fields by name");
}

/// Every value of every field, alone: codes that have names are not printed by field name.
#[test]
fn every_field_alone() {
    for form in 0..4 {
        let base = Instruction::decode(&[form, 0, 0, 0, 0, 0]);
        for field in base.fields() {
            for value in 0..=field.max() {
                let mut words = base.encode();
                field.set(&mut words, value);
                let printed = check(Instruction::decode(&words));
                // Texture and flow-control instructions have no results; the fields that control those are said by name.
                if form < 2 {
                    assert!(!printed.contains('@'), "{} = {value} prints as {printed}", field.name);
                }
            }
        }
    }
}

#[test]
fn programs_of_a_real_driver() {
    let mut cases = 0;
    for folder in std::fs::read_dir(project_path("tests/corpus/x1k")).expect("the corpus").flatten() {
        let case = Case::load(&folder.path());
        let printed = print_program(&case.program);
        let read = parse(&printed).unwrap_or_else(|diagnostics| panic!("{printed}\n{diagnostics:?}"));
        assert_eq!(read.program, case.program, "{}", case.name);
        assert!(!printed.contains('@') && !printed.contains("RAW"), "{}\n{printed}", case.name);
        assert_eq!(print_program(&read.program), printed, "printing is stable");
        let options = PrintOptions { addresses: true, words: true };
        let commented = print_program_with(&case.program, &options);
        assert_eq!(parse(&commented).expect("comments").program, case.program);
        cases += 1;
    }
    assert_eq!(cases, 8);
}

fn random_program(random: &mut Random) -> Program {
    let length = random.below(12);
    let code: Vec<Instruction> = (0..length)
        .map(|_| {
            let mut words = [0; 6].map(|_: u32| random.bits());
            words[0] = words[0] & !3 | random.pick(&[0, 1, 2, 2, 2, 3]);
            // Near targets, so that labels come up.
            words[3] &= !(0x1F0 << 16);
            Instruction { reserved: [0; 6], ..Instruction::decode(&words) }
        })
        .collect();
    let mut set = |count: usize| (0..random.below(4)).map(|_| random.below(count) as u8).collect();
    let (inputs, outputs, float_constants, int_constants, bool_constants) =
        (set(16), set(4), set(256), set(32), set(32));
    let info = ProgramInfo {
        start: random.below(512) as u16,
        end: random.below(512) as u16,
        code_offset: random.pick(&[0, 0, 3, 511]),
        full_flow_control: random.one_in(2),
        zero_times_anything: random.one_in(2),
        cond_value_from_program: random.one_in(2),
        write_mode: random.pick(&[WriteMode::Cached, WriteMode::Umrt]),
        position: random.pick(&[None, Some(0), Some(127)]),
        textures: std::array::from_fn(|_| random.one_in(8).then(|| random.pick(&ctm_x1k::TEXTURE_KINDS).1)),
        interpolants: std::array::from_fn(|_| random.pick(&[None, None, Some(0), Some(127)])),
        temps: random.below(128) as u8,
        early_exit: random.one_in(2),
    };
    let references = if random.one_in(2) {
        References::of(&code, &info)
    } else {
        let cond_output = random.one_in(2);
        References { inputs, outputs, float_constants, int_constants, bool_constants, cond_output }
    };
    let mut constants = ConstantValues::default();
    for _ in 0..random.below(4) {
        constants.floats.insert(random.below(256) as u8, [0; 4].map(|_: u32| random.float()));
        constants.ints.insert(random.below(32) as u8, IntConstant::from_dword(random.bits()));
        constants.bools.insert(random.below(32) as u8, random.one_in(2));
    }
    Program { code, info, references, constants }
}

#[test]
fn random_programs() {
    let mut random = Random::new(3);
    for _ in 0..3_000 {
        let program = random_program(&mut random);
        let printed = print_program(&program);
        let read = parse(&printed).unwrap_or_else(|diagnostics| panic!("{printed}\n{diagnostics:?}"));
        assert_eq!(read.program, program, "{printed}");
    }
}

/// The layout of a printed program, to the letter.
#[test]
fn layout() {
    let source = "
        .const c1 = 0.5
        .int i2 = 3, 0, -1
        .position none
        src0.rgb = const[1] : result[ne] = MAX src0.rgb src0.rgb ;
        IF alu;
        LOOP i[2];
        PRED(rgb = gggg) CALL sub IF pred;
        BREAK IF b[3];
        ENDLOOP;
        ELSE;
        src0.rgb = temp[1 + aL], src1.rgb = temp[2], src2.rgb = const[255], src0.a = 480, src1.a = temp[4], src2.a = temp[5],
        srcp.a = add :
          temp[0].rgb = MAD src0.rgb src1.rgb src2.rgb, temp[3].a = exact * MIN src0.a srcp.a ;
        ENDIF;
        finish: OUT LAST : ;
        sub: RETURN;
        .end finish
    ";
    let expected = "\
.end 9
.position none
.const c1 = 0.5, 0.5, 0.5, 0.5
.int i2 = 3, 0, -1

-- 0
src0.rgb = const[1] : result[ne] = MAX src0.rgb src0.rgb ;
-- 1
FC ALU_WAIT JUMP L7, when = !alu, stay = incr, jump = incr ;  -- IF alu
  -- 2
  FC ALU_WAIT LOOP L6, i[2] ;
L3:
    -- 3
    FC ALU_WAIT JUMP L10, any, when = pred.g, address = push, jump = incr ;  -- CALL IF pred.g
    -- 4
    FC ALU_WAIT BREAKLOOP L6, when = b[3], jump = decr ;  -- BREAK IF b[3]
  -- 5
  FC ALU_WAIT ENDLOOP L3, i[2], any, when = always ;
L6:
-- 6
FC ALU_WAIT JUMP L9, else, jump = decr, pop_count = 1 ;  -- ELSE
L7:
  -- 7
  src0.rgb = temp[1 + aL], src1.rgb = temp[2], src2.rgb = const[255], src0.a = 480.0, src1.a = temp[4],
    src2.a = temp[5], srcp.a = add :
    temp[0].rgb = MAD src0.rgb src1.rgb src2.rgb,
    temp[3].a = exact * MIN src0.a srcp.a ;
-- 8
FC ALU_WAIT JUMP L9, any, stay = decr, pop_count = 1 ;  -- ENDIF
L9:
-- 9
OUT LAST : ;
L10:
-- 10
FC ALU_WAIT JUMP 0, when = always, address = pop, jump = decr, pop_count = 1 ;  -- RETURN
";
    let program = parse(source).expect("good").program;
    let printed = print_program_with(&program, &PrintOptions { addresses: true, words: false });
    assert_eq!(printed, expected);
    let words = print_program_with(&program, &PrintOptions { addresses: false, words: true });
    assert!(words.contains("\n-- 00000101 08020080 08020080 00000000 00000000 00000000\nOUT LAST : ;\n"), "{words}");
}

/// Texts made of pieces of the language, of broken pieces, and of any characters.
#[test]
fn any_text_ends() {
    const PIECES: &[&str] = &[
        "src0",
        ".",
        "rgb",
        "=",
        "temp",
        "[",
        "3",
        "]",
        "+",
        "aL",
        ":",
        ";",
        ",",
        "MAD",
        "DP",
        "TEX",
        "FC",
        "JUMP",
        "IF",
        "ELSE",
        "ENDIF",
        "LOOP",
        "i",
        "ENDLOOP",
        "BREAK",
        "CALL",
        "RETURN",
        "x",
        "x:",
        "alu",
        "!",
        "(",
        ")",
        "|",
        "-",
        "--",
        "\n",
        "PRED",
        "RAW",
        "0x1F",
        "99999999999",
        "1.5",
        "1e",
        "e-",
        "0.5",
        "*",
        "exact",
        "clamp",
        "@",
        "TYPE",
        "JUMP_ADDR",
        "#include \"a\"",
        "#",
        "\"",
        "\0",
        "\u{1F600}",
        "const",
        "float",
        "inf",
        "none",
        "result",
        "pred",
        "w",
        "out",
        "lt",
        ".const",
        ".int",
        ".bool",
        ".start",
        ".end",
        "c0",
        "i0",
        "b0",
        "true",
        "OUT",
        "rgba",
        "a",
        "r",
        "STAT_WE",
        "when",
        "STATEMENT",
    ];
    let mut random = Random::new(4);
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.below(40) {
            match random.below(20) {
                0 => text.extend(char::from_u32(random.bits() % 0x11_0000)),
                _ => text.push_str(random.pick(PIECES)),
            }
            if random.one_in(2) {
                text.push(' ');
            }
        }
        let mut loader = |_: &str, _: &str| {
            Ok(SourceFile { name: format!("{round}"), text: "temp[0].a = MAX src0.a src0.a ;".into() })
        };
        if let Err(diagnostics) = parse_with("main", &text, &mut loader) {
            for diagnostic in diagnostics {
                // Spans are on character boundaries, and there is something to show.
                assert!(
                    diagnostic.file.text.get(diagnostic.span.clone()).is_some() && !diagnostic.to_string().is_empty()
                );
            }
        }
    }
}
