//! Vertex programs on all engines, against the reference.

use crate::pvs_programs::{number, operations, program};
use ctm_codegen::EngineName;
use ctm_engine::Executor;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Buffer, Space};
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::Constants;
use ctm_pvs::{CONSTANTS, Job, Operation, Program};

const BASE: u32 = 0x1_0000;
const OUTPUTS_AT: u32 = 0x8000;
const VERTICES: u32 = 37;

/// What is in memory after the run, or why there is nothing: inputs, and outputs so many bytes after them.
fn run(
    executor: &Executor,
    program: &Program,
    constants: Constants,
    inputs: &[u32],
    outputs_at: u32,
) -> Result<Vec<u8>, ctm_pvs::RunError> {
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
        outputs: Buffer::new(&space, BASE + outputs_at, OUTPUTS_AT).unwrap(),
        memory: &space,
    };
    executor.run(&job, &RunOptions { step_limit: 5000, ..RunOptions::default() })?;
    let mut contents = vec![0; 2 * OUTPUTS_AT as usize];
    space.read_bytes(BASE, &mut contents).unwrap();
    Ok(contents)
}

#[test]
fn engines_agree_with_the_reference() {
    let operations: Vec<Operation> = operations().collect();
    for name in EngineName::available().filter(|&name| name != EngineName::Reference) {
        let executor = name.executor().expect("it is available");
        let mut lifted = 0;
        let mut ran = 0;
        // Each number takes some bytes.
        let size = |seed: u64| 1usize << (10 + seed % 7);
        ctm_cases::check_sized(400, size, |u| {
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
            // Outputs may lie on inputs: a vertex then reads what those before it gave.
            let outputs_at = *u.choose(&[OUTPUTS_AT, OUTPUTS_AT, 0, 16, 0x100])?;
            let expected = run(&Executor::Reference, &program, constants, &inputs, outputs_at);
            let found = run(&executor, &program, constants, &inputs, outputs_at);
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
        });
        assert!(lifted > 50 && ran > 50, "{}: {lifted} programs are lifted, {ran} ran", name.name());
    }
}
