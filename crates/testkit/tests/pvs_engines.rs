//! Vertex programs on all engines, against the reference.

use arbtest::arbitrary::{Result, Unstructured};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Buffer, Space};
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::Constants;
use ctm_pvs::{CONSTANTS, FlowEntry, FlowOp, Instruction, Job, Operation, Program, Select, SourceKind};

const BASE: u32 = 0x1_0000;
const OUTPUTS_AT: u32 = 0x8000;
const VERTICES: u32 = 37;

fn number(u: &mut Unstructured) -> Result<u32> {
    Ok(match u.int_in_range(0..=5)? {
        0 => u.arbitrary()?,
        1 => *u.choose(&[0, 0x8000_0000, 1, 0x8000_0001, 0x7FC1_2345, 0xFF80_0000, 0x7F80_0000, 0x3F80_0000])?,
        _ => (u.int_in_range(-64..=64)? as f32 / 8.0).to_bits(),
    })
}

/// An instruction that uses few registers, so that values meet.
fn instruction(u: &mut Unstructured, operations: &[Operation]) -> Result<Instruction> {
    let mut instruction = Instruction::decode(&u.arbitrary()?);
    instruction.set_operation(*u.choose(operations)?);
    instruction.dual_math = false;
    let destination = &mut instruction.destination;
    destination.offset %= 4;
    destination.predicated = u.ratio(1, 4)?;
    if u.ratio(7, 8)? {
        (destination.mode_low, destination.mode_high) = (false, false);
        destination.kind = *u.choose(&[
            ctm_pvs::DestinationKind::Temporary,
            ctm_pvs::DestinationKind::Output,
            ctm_pvs::DestinationKind::Address,
            ctm_pvs::DestinationKind::Alternate,
        ])?;
    }
    for source in &mut instruction.sources {
        source.offset %= 4;
        if u.ratio(7, 8)? {
            (source.mode_low, source.mode_high) = (false, false);
        } else if source.kind != SourceKind::Constant && u.ratio(3, 4)? {
            source.kind = SourceKind::Temporary;
        }
        if u.ratio(1, 2)? {
            source.swizzle = [Select::X, Select::Y, Select::Z, Select::W];
        }
    }
    Ok(instruction)
}

fn program(u: &mut Unstructured, operations: &[Operation]) -> Result<Program> {
    let mut program = Program { max_constant: u.arbitrary()?, ..Program::default() };
    let count = u.int_in_range(1..=12)?;
    for _ in 0..count {
        program.code.push(instruction(u, operations)?);
    }
    program.last = count - 1;
    for entry in program.flow.iter_mut().take(u.int_in_range(0..=3)?) {
        let mut place = || u.int_in_range(0..=count - 1);
        let (act, resume, last, target) = (place()?, place()?, place()?, place()?);
        let op = *u.choose(&[FlowOp::Loop, FlowOp::Loop, FlowOp::Call, FlowOp::Jump])?;
        *entry = FlowEntry {
            op,
            act,
            count_or_target: if op == FlowOp::Loop { u.int_in_range(0..=5)? } else { target },
            last,
            resume,
            index: u.int_in_range(0..=3)?,
            step: u.int_in_range(-2..=2)?,
            inherits: u.arbitrary()?,
        };
    }
    Ok(program)
}

/// The outputs, or why there are none.
fn run(
    executor: &Executor,
    program: &Program,
    constants: Constants,
    inputs: &[u32],
) -> std::result::Result<Vec<u8>, ctm_pvs::RunError> {
    let mut space = Space::default();
    space.map(Arena::new(BASE, 0x1_0000).unwrap()).unwrap();
    let bytes: Vec<u8> = inputs.iter().flat_map(|word| word.to_le_bytes()).collect();
    space.write_bytes(BASE, &bytes).unwrap();
    let layout = Layout::of(program);
    let job = Job {
        program,
        constants,
        layout: &layout,
        vertices: VERTICES,
        inputs: Buffer::new(&space, BASE, OUTPUTS_AT).unwrap(),
        outputs: Buffer::new(&space, BASE + OUTPUTS_AT, OUTPUTS_AT).unwrap(),
        memory: &space,
    };
    executor.run(&job, &RunOptions { step_limit: 5000, ..RunOptions::default() })?;
    let mut outputs = vec![0; OUTPUTS_AT as usize];
    space.read_bytes(BASE + OUTPUTS_AT, &mut outputs).unwrap();
    Ok(outputs)
}

#[test]
fn engines_agree_with_the_reference() {
    let operations: Vec<Operation> = Operation::all().filter(|&operation| operation != Operation::Reserved).collect();
    for name in EngineName::available().filter(|&name| name != EngineName::Reference) {
        let executor = name.executor().expect("it is available");
        let mut lifted = 0;
        let mut ran = 0;
        arbtest::arbtest(|u| {
            let program = program(u, &operations)?;
            let mut memory = [[0; 4]; CONSTANTS];
            for value in memory.iter_mut().take(8).flatten() {
                *value = number(u)?;
            }
            let constants = Constants { memory: &memory, base: *u.choose(&[0, 0, 2, 250])? };
            let mut inputs = Vec::new();
            for _ in 0..VERTICES * 16 {
                inputs.push(number(u)?);
            }
            let expected = run(&Executor::Reference, &program, constants, &inputs);
            let found = run(&executor, &program, constants, &inputs);
            lifted += usize::from(ctm_pvs::lift::lift(&program, &Layout::of(&program)).is_ok());
            ran += usize::from(expected.is_ok());
            let text = ctm_pvs::text::print_program(&program);
            match (&expected, &found) {
                (Ok(expected), Ok(found)) => {
                    let at = expected.iter().zip(found).position(|(one, other)| one != other);
                    assert_eq!(at, None, "{}\n{text}", name.name());
                }
                _ => assert_eq!(expected, found, "{}\n{text}", name.name()),
            }
            Ok(())
        })
        .size_max(1 << 16)
        .budget_ms(2000)
        .run();
        assert!(lifted > 50 && ran > 50, "{}: {lifted} programs are lifted, {ran} ran", name.name());
    }
}
