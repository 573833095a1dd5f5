//! A vertex program that Mesa's r300 driver compiled from GLSL: a loop with a dynamic bound, a break, and a condition, beside
//! powers, logarithms and roots.

use ctm_pvs::reference::{Constants, run};
use ctm_pvs::{CONSTANTS, FlowEntry, FlowOp, INPUTS, Program};
use std::f32::consts::PI;

const WORDS: [u32; 34 * 4] = [
    0x00F00003, 0x00D10021, 0x01248021, 0x01248021, 0x00102003, 0x01FF8000, 0x01248000, 0x01248000, 0x0080C055,
    0x01248000, 0x01248000, 0x01248000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x0C104009, 0x01FF0020,
    0x01FF0002, 0x01248002, 0x0080C012, 0x00FFE0C0, 0x003FE040, 0x01248040, 0x0C80C046, 0x01248000, 0x01248000,
    0x01248000, 0x0080C05B, 0x00DB60C0, 0x012480C0, 0x012480C0, 0x0C10400A, 0x01FF2122, 0x01FF0000, 0x01248000,
    0x0080C012, 0x00FFE0C0, 0x003FE040, 0x01248040, 0x0C80C046, 0x01248000, 0x01248000, 0x01248000, 0x0080C05B,
    0x00DB60C0, 0x012480C0, 0x012480C0, 0x0C10400A, 0x01FF2000, 0x01FF4122, 0x01248122, 0x0C10010D, 0x01FF0020,
    0x01248020, 0x01248020, 0x0CF06003, 0x00D10000, 0x00D10032, 0x01248032, 0x0CF08004, 0x00D10000, 0x00DB6122,
    0x00924122, 0x0CF08006, 0x00D10080, 0x01248080, 0x01248080, 0x0CF08004, 0x00D10080, 0x00000142, 0x00492142,
    0x0C10A050, 0x00000080, 0x01248080, 0x01248080, 0x0C20A050, 0x00492080, 0x01248080, 0x01248080, 0x0C40A050,
    0x00924080, 0x01248080, 0x01248080, 0x0C80A050, 0x00DB6080, 0x01248080, 0x01248080, 0x0CF08004, 0x00D10000,
    0x00924142, 0x00D100A0, 0x0CF00004, 0x1E000040, 0x00D10080, 0x00D10080, 0x0CF00080, 0x00000040, 0x00D10060,
    0x00D10000, 0x0C102003, 0x01FF0020, 0x01FFA000, 0x01248000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
    0x00102045, 0x00000009, 0x01248001, 0x00000162, 0x0020204B, 0x00492001, 0x01248001, 0x01248001, 0x00304003,
    0x01F90009, 0x01FDA000, 0x01248000, 0x0040204C, 0x00000040, 0x01248040, 0x01248040, 0x00802048, 0x00492040,
    0x01248040, 0x01248040, 0x00F00204, 0x00D10020, 0x00492162, 0x00D10001, 0x00F02203, 0x00D10000, 0x01248000,
    0x01248000,
];

/// What the loop adds, where the first component of a vertex is small.
const ADDED: [[f32; 4]; 8] = [
    [0.5, 0.25, 0.0, 0.125],
    [0.25, 0.5, 0.25, 0.0],
    [-0.5, 0.75, 0.5, 1.0],
    [1.0, -0.25, 0.75, 0.5],
    [0.125, 0.5, -1.0, 0.25],
    [0.0, -0.75, 0.5, 0.75],
    [0.5, 0.5, 0.5, 0.5],
    [0.75, 0.25, -0.25, 1.0],
];
const LIMIT: f32 = 3.0;
const HALF: f32 = 0.5;
const SCALE: f32 = 0.75;
const EXPONENT: f32 = 1.5;
const WEIGHT: f32 = 0.25;

/// What the GLSL says.
fn expected(bound: f32, position: [f32; 4], start: [f32; 4]) -> [[f32; 4]; 2] {
    let mut value = start;
    for (passes, added) in ADDED.into_iter().enumerate() {
        if passes as f32 >= bound || LIMIT < value[0] {
            break;
        }
        value = match value[1] < HALF {
            true => std::array::from_fn(|k| value[k] + added[k]),
            false => value.map(|value| value * SCALE + value.sin()),
        };
    }
    let [x, y, ..] = position.map(f32::abs);
    let parts = [x.powf(EXPONENT), position[1].exp2(), (x + 1.0).log2(), 1.0 / (y + 1.0).sqrt()];
    [std::array::from_fn(|k| parts[k] * WEIGHT + position[k]), value]
}

#[test]
fn a_loop_with_a_break_and_a_condition() {
    let mut program = Program::from_dwords(&WORDS).expect("whole instructions");
    program.flow[0] = FlowEntry {
        op: FlowOp::Loop,
        act: 3,
        count_or_target: 255,
        resume: 4,
        last: 25,
        step: 1,
        ..FlowEntry::default()
    };
    program.max_constant = 11;
    let mut memory = [[0; 4]; CONSTANTS];
    let bits = |values: [f32; 4]| values.map(f32::to_bits);
    for (number, added) in ADDED.into_iter().enumerate() {
        memory[1 + number] = bits(added);
    }
    memory[9] = bits([0.0, LIMIT, HALF, 0.5 / PI]);
    memory[10] = bits([2.0 * PI, -PI, SCALE, 0.0]);
    memory[11] = bits([EXPONENT, WEIGHT, 0.0, 0.0]);
    for n in 0..64 {
        let at = |k: u32| ((n * 37 + k * 11) % 41) as f32 / 16.0 - 1.0;
        let (position, start, bound) = ([at(0), at(1), at(2), 1.0], [at(3), at(4), at(5), at(6)], (n % 9) as f32);
        memory[0] = bits([bound, 0.0, 0.0, 0.0]);
        let mut inputs = [[0; 4]; INPUTS];
        (inputs[0], inputs[1]) = (bits(position), bits(start));
        let constants = Constants { memory: &memory, base: 0 };
        let vertex = run(&program, constants, &inputs, 10_000).expect("it ends");
        assert!(vertex.steps < 4 + 12 * 22 + 8, "{n}: the loop goes on after its break");
        let found = [vertex.outputs[0], vertex.outputs[1]].map(|vector| vector.map(f32::from_bits));
        let expected = expected(bound, position, start);
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!((found - expected).abs() <= 2e-5 * expected.abs().max(1.0), "{n}: {found} is not {expected}");
        }
    }
}
