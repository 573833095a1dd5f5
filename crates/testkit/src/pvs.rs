//! Fuzz targets of PVS, see [`crate::targets`].

use ctm_pvs::reference::{Constants, run};
use ctm_pvs::{CONSTANTS, FLOW_ENTRIES, FlowEntry, FlowOp, INPUTS, Program, check, text};

/// Most instructions of an input that are printed and read again: what is longer only takes longer.
const LONGEST: usize = 48;
/// Steps of a program that is run.
const STEPS: u64 = 2_000;

/// Prints a program and reads it again, checks it, and runs it.
fn all_ways(program: &Program) {
    let printed = text::print_program(program);
    let parsed = text::parse(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
    assert_eq!(parsed.program, *program, "{printed}");
    check::check(program);
    let mut memory = [[0x3F80_0000; 4]; CONSTANTS];
    for (&number, &values) in &program.constants {
        memory[usize::from(number)] = values;
    }
    let inputs = std::array::from_fn::<_, INPUTS, _>(|n| [(n as f32).to_bits(); 4]);
    if let Ok(vertex) = run(program, Constants { memory: &memory, base: 3 }, &inputs, STEPS) {
        assert!(vertex.steps <= STEPS);
    }
}

/// Words decode and encode; a program of them, with flow control of the first ones, prints and parses back to itself, and runs to
/// its end, a trap or the step limit.
pub fn words(bytes: &[u8]) {
    let dwords: Vec<u32> = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let whole = &dwords[..(dwords.len() / 4 * 4).min(4 * LONGEST)];
    let Ok(mut program) = Program::from_dwords(whole) else { return };
    assert!(program.words().flatten().eq(whole.iter().copied()));
    for (number, &dword) in dwords.iter().take(FLOW_ENTRIES).enumerate().filter(|(_, dword)| **dword & 1 != 0) {
        let part = |shift: u32| (dword >> shift & 31) as u16;
        program.flow[number] = FlowEntry {
            op: FlowOp::ALL[(dword >> 1 & 3) as usize],
            act: part(3),
            count_or_target: part(8),
            last: part(13),
            resume: part(18),
            index: part(23) as u8,
            step: (dword >> 24).cast_signed() as i8,
            inherits: dword >> 31 != 0,
        };
    }
    program.last = (dwords.first().map_or(0, |dword| dword >> 5 & 63) as u16).min(program.last);
    all_ways(&program);
}

/// Any text gives a program or diagnostics whose spans lie in the text; a program prints and parses back to itself, and runs.
pub fn assembly(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    match text::parse(&source) {
        Ok(assembled) if assembled.program.code.len() <= LONGEST => all_ways(&assembled.program),
        Ok(_) => {}
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            for diagnostic in &diagnostics {
                assert!(source.get(diagnostic.span.clone()).is_some(), "{diagnostic:?}");
            }
        }
    }
}
