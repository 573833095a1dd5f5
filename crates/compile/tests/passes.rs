//! Passes over functions at random keep what these compute. Numbers are such that sums and products of them are exact.

use crate::common::{Small, function, size};
use ctm_compile::ir::{Axis, Builder, Function, Output, QUAD, eval, verify};
use ctm_compile::opt::optimise;

const STEPS: u64 = 100_000;
/// Programs that the test tries unless it is told another number.
const PROGRAMS: u64 = 20_000;

/// What the invocations that are not killed compute, with all zeros alike and all NaNs.
fn results(function: &Function) -> Vec<[Option<f32>; QUAD]> {
    let outcome = eval(function, &Small { position: [4, 6] }, STEPS).expect("it ends");
    let one = |bits: u32| if bits == 0x8000_0000 { 0 } else { bits };
    let lanes =
        |bits: &[u32; QUAD]| std::array::from_fn(|k| (!outcome.killed[k]).then(|| f32::from_bits(one(bits[k]))));
    outcome.outputs.iter().map(lanes).collect()
}

#[test]
fn passes_keep_meaning() {
    ctm_cases::check_sized(PROGRAMS, size, |u| {
        let function = function(u, false)?;
        let better = optimise(&function);
        assert_eq!(verify(&better), Ok(()), "{function}\n{better}");
        let (before, after) = (results(&function), results(&better));
        assert_eq!(format!("{before:?}"), format!("{after:?}"), "{function}\n{better}");
        Ok(())
    });
}

/// Numbers that are rounded: what is exact stays the same bit for bit.
#[test]
fn passes_keep_the_bits_of_what_is_exact() {
    let mut compared = 0;
    ctm_cases::check_sized(PROGRAMS, size, |u| {
        let function = function(u, true)?.exactly(true);
        let better = optimise(&function);
        assert!(better.is_exact);
        assert_eq!(verify(&better), Ok(()), "{function}\n{better}");
        let (before, after) = (results(&function), results(&better));
        // What only differs for NaNs and for signs of zeros, by which infinities differ, counts as the same.
        if before.iter().chain(&after).flatten().flatten().all(|number| number.is_finite()) {
            compared += 1;
            assert_eq!(format!("{before:?}"), format!("{after:?}"), "{function}\n{better}");
        }
        Ok(())
    });
    println!("{compared} compared");
}

/// A product with a choice of one and zero is a choice, but zeros of both signs are not.
#[test]
fn products_with_choices() {
    let product = |a: f32, b: f32| {
        let mut builder = Builder::new();
        // It holds in the quad's second column only.
        let (x, minus_five) = (builder.position(Axis::X), builder.float(-5.0));
        let number = builder.add(x, minus_five);
        let condition = builder.is_non_negative(number);
        let (a, b) = (builder.float(a), builder.float(b));
        let choice = builder.select(condition, a, b);
        let product = builder.mul(x, choice);
        builder.finish(vec![(Output::Colour { slot: 0, channel: 0 }, product)])
    };
    for (a, b) in [(1.0, 0.0), (0.0, 1.0), (-0.0, 1.0), (0.0, -0.0), (-0.0, 0.0), (1.0, 1.0)] {
        let function = product(a, b);
        let better = optimise(&function);
        assert_eq!(format!("{:?}", results(&function)), format!("{:?}", results(&better)), "{a} {b}\n{better}");
    }
}
