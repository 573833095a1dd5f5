//! The machine code of functions at random gives the bits of the functions.

use crate::common::{SIZE, Small, USER, function, size, texel};
use ctm_compile::backend::{Binding, Generated, Unfit, generate_optimised};
use ctm_compile::ir::{Builder, Environment, Function, Output, Passes, QUAD, Value, Variable, eval};
use ctm_compile::opt::optimise;
use ctm_x1k::fragments::{Fetch, FragmentJob, Quad, QuadVector, TextureUnit};
use ctm_x1k::reference::with_shader;
use ctm_x1k::{Constants, IntConstant, RunOptions};

const STEPS: u64 = 1_000_000;
/// Programs that the test tries unless it is told another number.
const PROGRAMS: u64 = 20_000;
const PLACE: [u32; 2] = [4, 6];

/// The elements that functions fetch.
struct Elements;

impl TextureUnit for Elements {
    fn fetch(&self, fetch: &Fetch) -> QuadVector {
        let place = |bits: u32| ctm_num::convert::float_to_index(bits, SIZE);
        std::array::from_fn(|lane| {
            let [s, t, ..] = fetch.coordinates[lane];
            std::array::from_fn(|channel| texel(fetch.unit, place(s), place(t), channel as u32))
        })
    }
}

/// What the program makes of the quad: outputs, and which invocations are killed.
fn run(generated: &Generated) -> (Vec<QuadVector>, [bool; QUAD]) {
    let small = Small { position: PLACE };
    let mut constants = Constants::from(&generated.program.constants);
    for register in 0..USER as u8 {
        constants.floats[usize::from(register)] = std::array::from_fn(|channel| small.uniform(register, channel as u8));
    }
    for index in 0..4 {
        constants.ints[usize::from(index)] = IntConstant { count: small.passes(index) as u8, init: 0, step: 0 };
    }
    let presets = [0];
    let job =
        FragmentJob { program: &generated.program, constants: &constants, presets: &presets, textures: &Elements };
    let position: QuadVector = std::array::from_fn(|lane| {
        [PLACE[0] + lane as u32 % 2, PLACE[1] + lane as u32 / 2, 0, 0].map(|x| (x as f32).to_bits())
    });
    let quad = Quad { position: (PLACE[0], PLACE[1]), covered: 15, inputs: vec![position] };
    let mut shaded = Vec::new();
    with_shader(&job, &RunOptions::default(), |shader| shader.shade(&[quad], &mut shaded)).expect("the program runs");
    (shaded[0].outputs.to_vec(), std::array::from_fn(|lane| shaded[0].live >> lane & 1 == 0))
}

/// Outputs may lose the sign of a zero, denormals, and which NaN one is.
fn flushed(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() {
        return f32::NAN.to_bits();
    }
    if f32::from_bits(bits).is_subnormal() || bits << 1 == 0 { 0 } else { bits }
}

fn assert_same(function: &Function, generated: &Generated) {
    let listing = || {
        let text = ctm_x1k::text::print_program(&generated.program);
        format!("{function}\n{text}")
    };
    let expected = eval(function, &Small { position: PLACE }, STEPS).expect("it ends");
    let (outputs, killed) = run(generated);
    assert_eq!(expected.killed, killed, "{}", listing());
    for (output, bits) in function.outputs.iter().zip(&expected.outputs) {
        let Output::Colour { slot, channel } = *output else { continue };
        for lane in (0..QUAD).filter(|&lane| !killed[lane]) {
            let found = outputs[usize::from(slot)][lane][usize::from(channel)];
            assert_eq!(flushed(bits[lane]), flushed(found), "{output}, lane {lane}\n{}", listing());
        }
    }
}

#[test]
fn machine_code_gives_the_bits_of_functions() {
    ctm_cases::check_sized(PROGRAMS, size, |u| {
        let function = optimise(&function(u, true)?);
        let binding = Binding { float_constants: USER, int_constants: 4, ..Binding::default() };
        match generate_optimised(&function, &binding) {
            Ok(generated) => assert_same(&function, &generated),
            Err(Unfit::Instructions { .. } | Unfit::Loops { .. }) => {}
            Err(unfit) => panic!("{unfit}\n{function}"),
        }
        Ok(())
    });
}

/// A loop of so many passes; `body` gets the counter, and may break.
fn repeat(b: &mut Builder, passes: u8, body: &mut dyn FnMut(&mut Builder, Value)) {
    let zero = b.float(0.0);
    let counter = b.variable(zero);
    b.begin_loop(Passes::Endless);
    let (pass, one, limit) = (b.load(counter), b.float(1.0), b.float(f32::from(passes)));
    let next = b.add(pass, one);
    let done = b.at_least(pass, limit);
    b.begin_if(done);
    b.break_loop();
    b.end_if();
    b.store(counter, next);
    body(b, pass);
    b.end_loop();
}

/// factor * pass + first
fn constant_of(b: &mut Builder, pass: Value, factor: f32, first: f32) -> Value {
    let (factor, first) = (b.float(factor), b.float(first));
    let index = b.mad(pass, factor, first);
    b.uniform_at(3, 1, 60, index)
}

/// Adds values up in loops, finds the sums, and counts the constants that loops choose.
fn chosen_by_loops(add: impl Fn(&mut Builder, Variable)) -> usize {
    let mut b = Builder::new();
    let zero = b.float(0.0);
    let sum = b.variable(zero);
    add(&mut b, sum);
    let sum = b.load(sum);
    let function = optimise(&b.finish(vec![(Output::Colour { slot: 0, channel: 0 }, sum)]));
    let binding = Binding { float_constants: USER, int_constants: 4, ..Binding::default() };
    assert_same(&function, &generate_optimised(&function, &binding).expect("it fits"));
    function.to_string().matches("uniform_in_loop").count()
}

fn accumulate(b: &mut Builder, sum: Variable, value: Value) {
    let (old, half) = (b.load(sum), b.float(0.5));
    let new = b.mad(old, half, value);
    b.store(sum, new);
}

#[test]
fn loop_variables_choose_constants() {
    let of_both = |b: &mut Builder, sum: Variable| {
        repeat(b, 40, &mut |b, outer| {
            let chosen = constant_of(b, outer, 1.0, 0.0);
            repeat(b, 35, &mut |b, inner| {
                let other = constant_of(b, inner, -1.0, 50.0);
                let product = b.mul(chosen, other);
                accumulate(b, sum, product);
            });
            accumulate(b, sum, chosen);
        });
    };
    assert_eq!(chosen_by_loops(of_both), 2);
    let of_outer_in_inner = |b: &mut Builder, sum: Variable| {
        repeat(b, 40, &mut |b, outer| {
            repeat(b, 35, &mut |b, inner| {
                let (outer, inner) = (constant_of(b, outer, 1.0, 7.0), constant_of(b, inner, 1.0, 0.0));
                let product = b.mul(outer, inner);
                accumulate(b, sum, product);
            });
        });
    };
    assert_eq!(chosen_by_loops(of_outer_in_inner), 1, "the inner loop has no variable of its own then");
    let of_steps = |b: &mut Builder, sum: Variable| {
        repeat(b, 33, &mut |b, pass| {
            let (one, two) = (constant_of(b, pass, 1.0, 2.0), constant_of(b, pass, -1.0, 59.0));
            let product = b.mul(one, two);
            accumulate(b, sum, product);
        });
    };
    assert_eq!(chosen_by_loops(of_steps), 1, "a loop has one variable");
    let beyond = |b: &mut Builder, sum: Variable| {
        repeat(b, 40, &mut |b, pass| {
            let chosen = constant_of(b, pass, 1.0, 30.0);
            accumulate(b, sum, chosen);
        });
    };
    assert_eq!(chosen_by_loops(beyond), 0, "numbers beyond the constants choose the last");
}
