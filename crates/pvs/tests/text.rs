//! The assembly language: what compilers make, every instruction both ways, and what is wrong.

use ctm_cases::Unstructured;
use ctm_pvs::text::{parse, print_instruction, print_program};
use ctm_pvs::{AddressMode, Component, DestinationKind, FlowEntry, FlowOp, Instruction, Operation, Program, Words};

fn one(text: &str) -> Instruction {
    let program = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
    assert_eq!(program.code.len(), 1, "{text}");
    program.code[0]
}

/// Words that Mesa's r300 driver makes of GL programs, and how they are spelled.
const MESA: [(Words, &str); 26] = [
    ([0x00F0_0203, 0x00D1_0001, 0x0124_8001, 0x0124_8001], "out[0].xyzw = VE_ADD input[0] input[0].0000 ;"),
    ([0x00F0_2203, 0x00D1_0021, 0x0124_8021, 0x0124_8021], "out[1].xyzw = VE_ADD input[1] input[1].0000 ;"),
    ([0x0010_2003, 0x01FF_8000, 0x0124_8000, 0x0124_8000], "temp[1].x = VE_ADD temp[0].0___ temp[0].0000 ;"),
    ([0x0080_C055, 0x0124_8000, 0x0124_8000, 0x0124_8000], "temp[6].w = ME_PRED_SET_EQ temp[0].0000 ;"),
    ([0; 4], "VE_NOP ;"),
    ([0x0C10_4009, 0x01FF_0020, 0x01FF_0002, 0x0124_8002], "(p) temp[2].x = VE_SGE temp[1].x___ const[0].x___ ;"),
    (
        [0x0080_C012, 0x00FF_E0C0, 0x003F_E040, 0x0124_8040],
        "temp[6].w = VE_PRED_SET_NEQ_PUSH temp[6].___w temp[2].___x ;",
    ),
    ([0x0C80_C046, 0x0124_8000, 0x0124_8000, 0x0124_8000], "(p) temp[6].w = ME_RECIP_DX temp[0].0000 ;"),
    ([0x0080_C05B, 0x00DB_60C0, 0x0124_80C0, 0x0124_80C0], "temp[6].w = ME_PRED_SET_POP temp[6].wwww ;"),
    ([0x0C10_400A, 0x01FF_2122, 0x01FF_0000, 0x0124_8000], "(p) temp[2].x = VE_SLT const[9].y___ temp[0].x___ ;"),
    ([0x0C10_400A, 0x01FF_2000, 0x01FF_4122, 0x0124_8122], "(p) temp[2].x = VE_SLT temp[0].y___ const[9].z___ ;"),
    ([0x0C10_010D, 0x01FF_0020, 0x0124_8020, 0x0124_8020], "(p) a0.x = VE_FLT2FIX temp[1].x___ ;"),
    ([0x0CF0_6003, 0x00D1_0000, 0x00D1_0032, 0x0124_8032], "(p) temp[3].xyzw = VE_ADD temp[0] const[a0.x + 1] ;"),
    (
        [0x0CF0_8004, 0x00D1_0000, 0x00DB_6122, 0x0092_4122],
        "(p) temp[4].xyzw = VE_MAD temp[0] const[9].wwww const[9].zzzz ;",
    ),
    ([0x0CF0_8006, 0x00D1_0080, 0x0124_8080, 0x0124_8080], "(p) temp[4].xyzw = VE_FRC temp[4] ;"),
    ([0x0C10_A050, 0x0000_0080, 0x0124_8080, 0x0124_8080], "(p) temp[5].x = ME_SIN temp[4].xxxx ;"),
    (
        [0x0CF0_0004, 0x1E00_0040, 0x00D1_0080, 0x00D1_0080],
        "(p) temp[0].xyzw = VE_MAD temp[2].-x-x-x-x temp[4] temp[4] ;",
    ),
    (
        [0x0CF0_0080, 0x0000_0040, 0x00D1_0060, 0x00D1_0000],
        "(p) temp[0].xyzw = PVS_MACRO_OP_2CLK_MADD temp[2].xxxx temp[3] temp[0] ;",
    ),
    ([0x0C10_2003, 0x01FF_0020, 0x01FF_A000, 0x0124_8000], "(p) temp[1].x = VE_ADD temp[1].x___ temp[0].1___ ;"),
    (
        [0x0010_2045, 0x0000_0009, 0x0124_8001, 0x0000_0162],
        "temp[1].x = ME_POWER_FUNC_FF |input[0]|.xxxx input[0].0000 const[11].xxxx ;",
    ),
    ([0x0020_204B, 0x0049_2001, 0x0124_8001, 0x0124_8001], "temp[1].y = ME_EXP_BASE2_FULL_DX input[0].yyyy ;"),
    ([0x0030_4003, 0x01F9_0009, 0x01FD_A000, 0x0124_8000], "temp[2].xy = VE_ADD |input[0]|.xy__ temp[0].11__ ;"),
    ([0x0040_204C, 0x0000_0040, 0x0124_8040, 0x0124_8040], "temp[1].z = ME_LOG_BASE2_FULL_DX temp[2].xxxx ;"),
    ([0x0080_2048, 0x0049_2040, 0x0124_8040, 0x0124_8040], "temp[1].w = ME_RECIP_SQRT_DX temp[2].yyyy ;"),
    ([0x00F0_0204, 0x00D1_0020, 0x0049_2162, 0x00D1_0001], "out[0].xyzw = VE_MAD temp[1] const[11].yyyy input[0] ;"),
    ([0x00F0_2203, 0x00D1_0000, 0x0124_8000, 0x0124_8000], "out[1].xyzw = VE_ADD temp[0] temp[0].0000 ;"),
];

#[test]
fn what_mesa_makes() {
    for (words, text) in MESA {
        assert_eq!(print_instruction(&Instruction::decode(&words)), text);
        assert_eq!(one(text).encode(), words, "{text}");
    }
}

/// Leaves out what no compiler sets, where instructions have no words for it.
fn make_spellable(instruction: &mut Instruction, operation: Operation, u: &mut Unstructured) -> ctm_cases::Result<()> {
    use DestinationKind::{Address, Alternate, Input, Output, OutputReplicated, Temporary};
    let is_math = matches!(operation, Operation::Math(_));
    let destination = &mut instruction.destination;
    destination.kind = *u.choose(&[Temporary, Address, Output, OutputReplicated, Alternate, Input])?;
    destination.vector_saturate &= !is_math;
    destination.math_saturate &= is_math;
    destination.predicate_sense &= destination.predicated;
    let modes = [AddressMode::Absolute, AddressMode::LoopIndex, AddressMode::A0(Component::Z)];
    let is_address = destination.kind == Address;
    destination.addr_sel = Component::X;
    destination.set_mode(if is_address { AddressMode::Absolute } else { *u.choose(&modes)? });
    destination.offset = if is_address { 0 } else { destination.offset };
    instruction.dual_math = false;
    for source in &mut instruction.sources {
        (source.spare, source.addr_sel) = (false, Component::X);
        source.set_mode(*u.choose(&modes)?);
    }
    Ok(())
}

/// Any words, and words that are nearly an instruction of each operation.
#[test]
fn every_instruction_reads_as_it_is_printed() {
    let (mut spelled, mut raw) = (0, 0);
    ctm_cases::check(4000, |u| {
        let mut instruction = Instruction::decode(&u.arbitrary()?);
        if u.ratio(3, 4)? {
            let operations: Vec<Operation> = Operation::all().collect();
            let operation = *u.choose(&operations)?;
            instruction.set_operation(operation);
            make_spellable(&mut instruction, operation, u)?;
        }
        let text = print_instruction(&instruction);
        if text.starts_with("RAW") {
            raw += 1
        } else {
            spelled += 1
        }
        assert_eq!(one(&text), instruction, "{text}");
        Ok(())
    });
    assert!(spelled > 2 * raw && raw > 0, "{spelled} are spelled, {raw} are raw");
}

#[test]
fn programs_read_as_they_are_printed() {
    let text = "
        .const c0 = 1.0, -0.5, inf, 0x00000001
        .max_const 12
        .flow 0 LOOP act=head count=255 resume=first last=end step=-1
        .flow 3 JSR act=0 target=head
    head:
        VE_NOP ;
    first:
        temp[0].x = VE_ADD.SAT temp[0].x___ const[aL + 3].-1___ ;
    end:
        (!p) alt[2]._ = ME_SIN |input[a0.w]|.___x ;
    ";
    let program = parse(text).unwrap().program;
    let head = FlowEntry {
        op: FlowOp::Loop,
        act: 0,
        count_or_target: 255,
        last: 2,
        resume: 1,
        step: -1,
        ..FlowEntry::default()
    };
    assert_eq!((program.flow[0], program.flow[3].op), (head, FlowOp::Call));
    assert_eq!((program.first, program.last, program.max_constant), (0, 2, 12));
    assert_eq!(program.constants[&0][3], 1);
    assert_eq!(parse(&print_program(&program)).unwrap().program, program);
    let part = Program { first: 1, last: 1, ..program };
    assert_eq!(parse(&print_program(&part)).unwrap().program, part);
}

#[test]
fn what_is_wrong_is_named() {
    for (text, message) in [
        ("temp[0].xyzw = VE_MADD temp[0] temp[1] temp[2] ;", "unknown operation `VE_MADD` (did you mean `VE_ADD`?)"),
        ("temp[0].xyzw = VE_MAD temp[0] temp[1] ;", "VE_MAD has 3 sources, and here are 2 (a * b + c.)"),
        ("temp[128].x = VE_FRC temp[0] ;", "register number 128 is out of range (0 to 127)"),
        ("temp[0].yx = VE_FRC temp[0] ;", "`yx` is not a write mask"),
        ("temp[0].x = VE_FRC temp[0].xyzwx ;", "expected four components, found `xyzwx`"),
        ("temp[0].x = VE_FRC temp[0].xyz ;", "expected a component of the source, found `;`"),
        ("temp[0].x = VE_FRC tmp[0] ;", "unknown source `tmp` (did you mean `temp`?)"),
        (
            "VE_ADD temp[0] temp[1] ;",
            "expected `;`, as an operation without a destination has no sources, found `temp`",
        ),
        (".flow 0 LOOP act=top ;", "expected a part of the entry"),
        (".flow 0 LOOP act=top\nVE_NOP ;", "unknown label `top`"),
        (".const c0 = 1, 2, 3, 4\n.const c0 = 1, 2, 3, 4", "`.const` says this a second time"),
        (".const d0 = 1, 2, 3, 4", "`d0` is not a constant; constants are c0 to c255"),
        ("RAW 1 2 3 ;", "expected a dword of the instruction"),
    ] {
        let errors = parse(text).expect_err(text);
        let first = errors[0].to_string();
        assert!(first.contains(message), "{text}: {first}");
    }
    let many = "VE_NOP ;\n".repeat(1025);
    assert!(parse(&many).expect_err("too long")[0].to_string().contains("1024 instructions at most"));
}

#[test]
fn examples_of_the_page() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pvs-assembly.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let examples: Vec<&str> =
        page.split("```pvs\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(examples.len() >= 2);
    for example in examples {
        parse(example).unwrap_or_else(|errors| panic!("{example}: {errors:?}"));
    }
}
