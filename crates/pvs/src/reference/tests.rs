use super::*;
use crate::text::parse;

const STEPS: u64 = 10_000;

fn bits(values: [f32; 4]) -> Vector {
    values.map(f32::to_bits)
}

/// The first output of a program, as numbers, and how many steps it took. Input n is (n, 0.5, -2, 1), constants are those of
/// the text.
fn ran(text: &str) -> Result<([f32; 4], u64), Trap> {
    let program = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
    let mut memory = [[0; 4]; CONSTANTS];
    for (&number, &values) in &program.constants {
        memory[usize::from(number)] = values;
    }
    let inputs = std::array::from_fn(|number| bits([number as f32, 0.5, -2.0, 1.0]));
    let vertex = run(&program, Constants { memory: &memory, base: 0 }, &inputs, STEPS)?;
    Ok((vertex.outputs[0].map(f32::from_bits), vertex.steps))
}

fn output(text: &str) -> [f32; 4] {
    ran(text).unwrap_or_else(|trap| panic!("{text}: {trap}")).0
}

/// The result of one operation on constants.
fn result(operation: &str, constants: &str) -> [f32; 4] {
    let values: Vec<&str> = constants.split(';').collect();
    let directives: String = values.iter().enumerate().map(|(n, values)| format!(".const c{n} = {values}\n")).collect();
    let sources: String = (0..values.len()).map(|n| format!("const[{n}] ")).collect();
    output(&format!("{directives}out[0].xyzw = {operation} {sources};"))
}

#[test]
fn operations_of_the_vector_engine() {
    let (a, b, c) = ("1, -2, 0.5, 3", "4, 5, 0.5, -1", "0, 1, -1, 10");
    let (inf, max) = (f32::INFINITY, f32::MAX);
    for (operation, constants, expected) in [
        ("VE_DOT", vec![a, b], [-8.75; 4]),
        ("VE_MUL", vec![a, b], [4.0, -10.0, 0.25, -3.0]),
        ("VE_MUL", vec!["0, -0, 1e-40, 1", "inf, inf, inf, inf"], [0.0, 0.0, 0.0, inf]),
        ("VE_ADD", vec![a, b], [5.0, 3.0, 1.0, 2.0]),
        ("VE_MAD", vec![a, b, c], [4.0, -9.0, -0.75, 7.0]),
        // The product is rounded before the sum: with one rounding the first would be nearly 2^-24.
        ("VE_MAD", vec!["0x3F800001, 1, 0, 0", "0x3F7FFFFF, 1, inf, 0", "-1, 0, 7, 0"], [0.0, 1.0, 7.0, 0.0]),
        ("VE_DST", vec![a, b], [1.0, -10.0, 0.5, -1.0]),
        ("VE_FRC", vec!["1.75, -0.25, 3, 0"], [0.75, 0.75, 0.0, 0.0]),
        ("VE_MAX", vec![a, b], [4.0, 5.0, 0.5, 3.0]),
        ("VE_MAX", vec!["nan, 1, 0, 0", "2, nan, 0, 0"], [2.0, f32::NAN, 0.0, 0.0]),
        ("VE_MIN", vec![a, b], [1.0, -2.0, 0.5, -1.0]),
        ("VE_SGE", vec![a, b], [0.0, 0.0, 1.0, 1.0]),
        ("VE_SLT", vec![a, b], [1.0, 1.0, 0.0, 0.0]),
        ("VE_SGT", vec![a, b], [0.0, 0.0, 0.0, 1.0]),
        ("VE_SEQ", vec![a, b], [0.0, 0.0, 1.0, 0.0]),
        ("VE_SNE", vec![a, b], [1.0, 1.0, 0.0, 1.0]),
        ("VE_MULTX2_ADD", vec![a, b, c], [8.0, -19.0, -0.5, 4.0]),
        ("VE_MULT_CLAMP", vec![a, b, c], [0.0, 0.0, -1.0, 0.0]),
        ("VE_FLT2FIX_RND", vec!["1.5, -1.5, 0.4, 2"], [2.0, -1.0, 0.0, 2.0]),
        ("VE_COND_WRITE_GT", vec!["1, 0, -1, 2", "5, 6, 7, 8"], [5.0, 0.0, 0.0, 8.0]),
        ("VE_COND_MUX_GTE", vec!["1, 0, -1, -0", b, c], [4.0, 5.0, -1.0, -1.0]),
        ("PVS_MACRO_OP_2CLK_M2X_ADD", vec![a, b, c], [8.0, -19.0, -0.5, 4.0]),
        ("VE_ADD.SAT", vec!["-3, 0.25, 7, nan", "0, 0, 0, 0"], [0.0, 0.25, 1.0, 0.0]),
        ("VE_ADD", vec!["1e-40, 3e38, -1e-40, 0", "0, 3e38, 0, 0"], [0.0, inf, 0.0, 0.0]),
        ("VE_MIN", vec!["3e38, 0, 0, 0", "inf, 0, 0, 0"], [3e38f32.min(max), 0.0, 0.0, 0.0]),
    ] {
        let found = result(operation, &constants.join(";"));
        let same = found.iter().zip(&expected).all(|(a, b)| a == b || a.is_nan() && b.is_nan());
        // Outputs that are not written hold 1 in w.
        assert!(same, "{operation} {constants:?}: {found:?}, not {expected:?}");
    }
}

#[test]
fn operations_of_the_math_engine() {
    let (inf, max) = (f32::INFINITY, f32::MAX);
    for (operation, constants, expected) in [
        ("ME_EXP_DX", "0, 0, 0, 2.5", [4.0, 0.5, 5.656_854, 1.0]),
        ("ME_LOG_DX", "0, 0, 0, -12", [3.0, 1.5, 3.584_962_6, 1.0]),
        ("ME_LOG_DX", "0, 0, 0, 0", [-max, 1.0, -max, 1.0]),
        ("ME_RECIP_DX", "1, 2, 3, 4", [0.25; 4]),
        ("ME_RECIP_DX", "0, 0, 0, -0", [max; 4]),
        ("ME_RECIP_DX", "0, 0, 0, 1e-40", [max; 4]),
        ("ME_RECIP_FF", "0, 0, 0, 0", [0.0; 4]),
        ("ME_RECIP_IEEE", "0, 0, 0, 0", [inf; 4]),
        ("ME_RECIP_SQRT_DX", "0, 0, 0, -4", [0.5; 4]),
        ("ME_RECIP_SQRT_DX", "0, 0, 0, -0", [max; 4]),
        ("ME_RECIP_SQRT_FF", "0, 0, 0, 0", [0.0; 4]),
        ("ME_RECIP_SQRT_IEEE", "0, 0, 0, 0", [inf; 4]),
        ("ME_LOG_BASE2_FULL_DX", "0, 0, 0, -8", [3.0; 4]),
        ("ME_LOG_BASE2_FULL_DX", "0, 0, 0, 0", [-max; 4]),
        ("ME_LOG_BASE2_IEEE", "0, 0, 0, 0", [-inf; 4]),
        ("ME_EXP_BASE2_FULL_DX", "0, 0, 0, 3", [8.0; 4]),
        ("ME_LOG_BASE2_FULL_DX", "0, 0, 0, 8", [3.0; 4]),
        ("ME_MULTIPLY", "0, 0, 0, 3; 0, 0, 0, -2", [-6.0; 4]),
        ("ME_POWER_FUNC_FF", "0, 0, 0, 2; 9, 9, 9, 9; 0, 0, 0, 3", [8.0; 4]),
        ("ME_POWER_FUNC_FF", "0, 0, 0, 0; 9, 9, 9, 9; 0, 0, 0, 0", [1.0; 4]),
        ("ME_POWER_FUNC_FF_CLAMP_B1", "0, 0, 0, 7; 9, 9, 9, 9; 0, 0, 0, 3", [1.0; 4]),
        ("ME_SIN", "0, 0, 0, 1.5707964", [1.0; 4]),
        ("ME_COS", "0, 0, 0, 3.1415927", [-1.0; 4]),
        ("ME_LIGHT_COEFF_DX", "2, 3, 0, 0.5; 0, 0, 0, 0; 0, 0, 0, 0", [1.0, 2.0, 0.125, 1.0]),
        ("ME_LIGHT_COEFF_DX", "-2, 3, 0, 0.5; 0, 0, 0, 0; 0, 0, 0, 0", [1.0, 0.0, 0.0, 1.0]),
        ("ME_PRED_SET_CLR", "0, 0, 0, 0", [f32::MAX; 4]),
        ("ME_PRED_SET_INV", "0, 0, 0, 2", [2.0; 4]),
        ("ME_PRED_SET_POP", "0, 0, 0, inf", [inf; 4]),
    ] {
        let found = result(operation, constants);
        let near = |(a, b): (&f32, &f32)| a == b || (a - b).abs() <= 1e-6 * b.abs();
        assert!(found.iter().zip(&expected).all(near), "{operation} {constants}: {found:?}, not {expected:?}");
    }
}

/// How compilers of today make atan(y, x) where both are 0: a NaN, were the reciprocal infinite.
#[test]
fn a_reciprocal_of_zero_less_itself_is_zero() {
    let found = output("temp[0].x = ME_RECIP_DX input[0].0000 ;\nout[0].xyzw = VE_ADD temp[0].xxxx temp[0].-x-x-x-x ;");
    assert_eq!(found, [0.0; 4]);
}

#[test]
fn operands() {
    for (source, expected) in [
        ("input[3]", [3.0, 0.5, -2.0, 1.0]),
        ("input[3].wzyx", [1.0, -2.0, 0.5, 3.0]),
        ("input[3].-x01_", [-3.0, 0.0, 1.0, 0.0]),
        ("|input[3]|.-zz-z0", [-2.0, 2.0, -2.0, 0.0]),
        ("input[32]", [0.0; 4]),
        ("temp[5]", [0.0; 4]),
        ("const[1]", [1.0, 2.0, 3.0, 4.0]),
        // Beyond the greatest constant.
        ("const[3]", [0.0; 4]),
        ("alt[4]", [0.0; 4]),
    ] {
        let program = format!(
            ".max_const 2\n.const c1 = 1, 2, 3, 4\n.const c3 = 9, 9, 9, 9\nout[0].xyzw = VE_ADD {source} temp[0].0000 ;"
        );
        assert_eq!(output(&program), expected, "{source}");
    }
    // The base of constants is added modulo their number, after the check.
    let program = parse("out[0].xyzw = VE_ADD const[2] const[2].0000 ;").unwrap().program;
    let memory = std::array::from_fn(|number| bits([number as f32; 4]));
    for (base, expected) in [(0, 2.0), (100, 102.0), (255, 1.0)] {
        let vertex = run(&program, Constants { memory: &memory, base }, &[[0; 4]; INPUTS], 10).unwrap();
        assert_eq!(vertex.outputs[0], bits([expected; 4]), "{base}");
    }
}

#[test]
fn relative_registers_and_replicated_outputs() {
    let text = "
        .const c0 = 1.75, -1.5, 0, 0
        .const c2 = 5, 6, 7, 8
        a0.xy = VE_FLT2FIX const[0] ;
        temp[a0.x + 3].xyzw = VE_ADD const[a0.x + 1] const[0].0000 ;
        temp[a0.y + 1].xyzw = VE_ADD temp[4] temp[4] ;
        outx[0].yzw = VE_ADD temp[4] temp[4].1111 ;
    ";
    // c[1 + 1] goes to temp[4]; temp[-1] does not exist; x is not written.
    assert_eq!(output(text), [0.0, 6.0, 6.0, 6.0]);
}

#[test]
fn predicates() {
    let text = |then: &str| {
        format!(
            ".const c0 = 1, 2, 3, 4
            temp[0].w = VE_PRED_SET_NEQ_PUSH temp[0] input[{then}].xxxx ;
            (p) out[0].x = VE_ADD const[0].wwww const[0].0000 ;
            temp[0].w = ME_PRED_SET_INV temp[0] ;
            (p) out[0].y = VE_ADD const[0].zzzz const[0].0000 ;
            temp[0].w = ME_PRED_SET_POP temp[0] ;
            (!p) out[0].z = VE_ADD const[0] const[0].0000 ;
            (p) out[0].w = VE_ADD const[0] const[0].0000 ;"
        )
    };
    assert_eq!(output(&text("1")), [4.0, 0.0, 0.0, 4.0]);
    assert_eq!(output(&text("0")), [0.0, 3.0, 0.0, 4.0]);
}

#[test]
fn loops_count_and_have_an_index() {
    let text = "
        .const c1 = 1, 10, 0, 0
        .const c3 = 2, 20, 0, 0
        .const c5 = 4, 40, 0, 0
        .flow 0 LOOP act=0 count=3 resume=body last=body index=1 step=2
        VE_NOP ;
    body:
        temp[0].xy = VE_ADD temp[0] const[aL + 0] ;
        out[0].xyzw = VE_ADD temp[0] const[aL + 0].0000 ;
    ";
    assert_eq!(ran(text), Ok(([7.0, 70.0, 0.0, 0.0], 5)));
    let nested = "
        .const c0 = 1, 0, 0, 0
        .flow 0 LOOP act=0 count=3 resume=1 last=3
        .flow 1 LOOP act=1 count=4 resume=2 last=2
        VE_NOP ;
        VE_NOP ;
        temp[0].x = VE_ADD temp[0] const[0] ;
        temp[1].x = VE_ADD temp[1] const[0] ;
        out[0].xy = VE_ADD temp[0].x0__ temp[1].0x__ ;
    ";
    assert_eq!(ran(nested), Ok(([12.0, 3.0, 0.0, 1.0], 1 + 3 * (1 + 4 + 1) + 1)));
}

#[test]
fn jumps_and_calls() {
    let text = "
        .const c0 = 1, 0, 0, 0
        .last end
        .flow 0 JSR act=0 target=add last=add resume=1
        .flow 1 JSR act=1 target=add last=add resume=2
        .flow 2 JUMP act=2 target=end
        VE_NOP ;
        VE_NOP ;
        VE_NOP ;
        temp[0].x = VE_ADD temp[0].1111 temp[0].1111 ;
    end:
        out[0].xyzw = VE_ADD temp[0] temp[0].0000 ;
    add:
        temp[0].x = VE_ADD temp[0] const[0] ;
    ";
    assert_eq!(ran(text), Ok(([2.0, 0.0, 0.0, 0.0], 6)));
}

/// Two loops of 65535 passes in one another, which a predicate leaves after two.
#[test]
fn loops_in_which_nothing_changes_are_left() {
    let loops = |body: &str| {
        format!(
            ".flow 0 LOOP act=0 count=65535 resume=1 last=4\n.flow 1 LOOP act=1 count=65535 resume=2 last=3\n\
             VE_NOP ;\nVE_NOP ;\n{body}\nVE_NOP ;\nVE_NOP ;\nout[0].x = VE_ADD temp[0] input[0].0000 ;"
        )
    };
    let (outputs, steps) = ran(&loops("temp[0].x = VE_MIN input[1] input[1] ;")).unwrap();
    assert_eq!((outputs[0], steps < 30), (1.0, true), "{steps}");
    let counts = loops("temp[0].x = VE_ADD temp[0] input[1] ;");
    assert!(matches!(ran(&counts), Err(Trap { kind: TrapKind::StepLimit, .. })), "each pass changes something");
    let indexed = loops("temp[0].x = VE_ADD const[aL + 1] input[0] ;");
    assert!(matches!(ran(&indexed), Err(Trap { kind: TrapKind::StepLimit, .. })), "the index changes");
}

#[test]
fn what_cannot_go_on_traps() {
    let endless = ".flow 0 JUMP act=0 target=0\nVE_NOP ;";
    let deep: String = (0..5).map(|n| format!(".flow {n} LOOP act={n} count=2 resume={} last=9\n", n + 1)).collect();
    let deep = deep + &"VE_NOP ;".repeat(10);
    for (text, pc, kind) in [
        (endless, 0, TrapKind::StepLimit),
        (&deep, 4, TrapKind::Depth),
        (".last 5\nVE_NOP ;", 1, TrapKind::NoInstruction),
        (".first 7\nVE_NOP ;", 7, TrapKind::NoInstruction),
        (".flow 0 JUMP act=0 target=65535\nVE_NOP ;", 65535, TrapKind::NoInstruction),
        ("RAW 0x3F 0 0 0 ;", 0, TrapKind::Reserved(63)),
        ("RAW 0x10000003 0 0 0 ;", 0, TrapKind::DualMath),
    ] {
        assert_eq!(ran(text), Err(Trap { kind, pc }), "{text}");
    }
}

/// Any program ends: with outputs, or with a trap.
#[test]
fn any_program_ends() {
    ctm_cases::check(3000, |u| {
        let mut program = Program { last: u.int_in_range(0..=20)?, max_constant: u.arbitrary()?, ..Program::default() };
        for _ in 0..u.int_in_range(1..=16)? {
            let mut instruction = Instruction::decode(&u.arbitrary()?);
            let operations: Vec<Operation> = Operation::all().collect();
            instruction.set_operation(*u.choose(&operations)?);
            instruction.dual_math = false;
            program.code.push(instruction);
        }
        for entry in program.flow.iter_mut().take(4) {
            *entry = crate::FlowEntry {
                op: *u.choose(&crate::FlowOp::ALL)?,
                act: u.int_in_range(0..=16)?,
                count_or_target: u.int_in_range(0..=16)?,
                last: u.int_in_range(0..=16)?,
                resume: u.int_in_range(0..=16)?,
                index: u.arbitrary()?,
                step: u.arbitrary()?,
                inherits: u.arbitrary()?,
            };
        }
        let inputs = [[u.arbitrary()?; 4]; INPUTS];
        let memory = [[u.arbitrary()?; 4]; CONSTANTS];
        if let Ok(vertex) = run(&program, Constants { memory: &memory, base: u.arbitrary()? }, &inputs, 1000) {
            assert!(vertex.steps <= 1000);
            // Nothing but NaNs of one kind, and no denormals, comes out of operations.
            for value in vertex.outputs.into_iter().flatten() {
                let number = f32::from_bits(value);
                assert!(!number.is_subnormal() && (!number.is_nan() || value == ctm_num::x1k::X1K_NAN), "{value:#x}");
            }
        }
        Ok(())
    });
}
