//! Transcendentals as machine code against their definition: a sample of the arguments, and, as it takes long, all of them
//! when it is asked for:
//!
//! ```sh
//! cargo test --release -p ctm-codegen --test transcendentals -- --ignored
//! ```
#![cfg(target_arch = "x86_64")]

mod support;

use ctm_codegen::x64::Jit;
use ctm_engine::{Backend, Bindings, Source, SurfaceLayout};
use ctm_lane::budget::{Budget, Meter, Poller};
use ctm_lane::domain::Domain;
use ctm_lane::{Denorm, Function, Op, assume_covered, evaluate, simplify};
use ctm_memory::{Bounds, Format, Tiling};
use support::*;

/// Arguments of one run are this many bits: columns, then rows.
const COLUMN_BITS: u32 = 7;
const ROW_BITS: u32 = 8;
const RUN_BITS: u32 = COLUMN_BITS + ROW_BITS;
const NAN: u32 = 0x7FFF_FFFF;

/// What is called, in the order of the results in memory.
const CALLS: [(Op, &str, Argument); 8] = [
    (Op::Ex2 {}, "ex2", Argument::Any),
    (Op::Ln2 {}, "ln2", Argument::Any),
    (Op::Sin {}, "sin", Argument::Any),
    (Op::Cos {}, "cos", Argument::Any),
    (Op::Sin {}, "sin", Argument::Fraction),
    (Op::Cos {}, "cos", Argument::Fraction),
    (Op::Sin {}, "sin", Argument::Finite),
    (Op::Cos {}, "cos", Argument::Finite),
];

/// What a function is called with, as code depends on what is known of it: a number as it is, its fraction, the nearest that is no
/// infinity.
#[derive(Clone, Copy)]
enum Argument {
    Any,
    Fraction,
    Finite,
}

impl Argument {
    /// In `%9`, `%10` and `%11` those of a number, `%8`.
    const TEXT: &str = "%9 = or %8, %8\n%10 = frc %8\n%5 = lane 0x7f7fffff\n%6 = lane 0xff7fffff\n\
                        %7 = fmin.ftz %8, %5\n%11 = fmax.ftz %7, %6\n";

    /// Those of a number, by the definition of the operations.
    fn all(bits: u32) -> [u32; 3] {
        let denorm = Denorm::Flush;
        let limited = evaluate(&Op::Fmin { denorm }, &[bits, 0x7F7F_FFFF]).unwrap();
        let finite = evaluate(&Op::Fmax { denorm }, &[limited, 0xFF7F_FFFF]).unwrap();
        [bits, evaluate(&Op::Frc {}, &[bits]).unwrap(), finite]
    }
}

/// The calls for a number whose low bits are the position.
fn function() -> Function {
    let call = |(at, &(_, name, argument)): (usize, &(Op, &str, Argument))| {
        let (of, raw, result) = (9 + argument as usize, 20 + at, 30 + at);
        format!("%{raw} = {name} %{of}\n%{result} = canon_nan {NAN:#x}, %{raw}\n")
    };
    let calls: String = CALLS.iter().enumerate().map(call).collect();
    let arguments = Argument::TEXT;
    let text = format!(
        "surface s0 whole\nsurface s1 whole\ntable t0 1\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = lane {COLUMN_BITS:#010x}\n\
         %4 = shl %1, %3\n%12 = or %4, %0\n%13 = table_splat t0, 0\n%8 = or %12, %13\n{arguments}{calls}\
         surface_store.rgba s0, %0, %1, %30, %31, %32, %33, %2\nsurface_store.rgba s1, %0, %1, %34, %35, %36, %37, %2\nreturn\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Compares the runs with these numbers; every run has 2^`RUN_BITS` arguments.
fn compare(runs: impl Iterator<Item = u32>) {
    let function = function();
    let kind = (Format::Float32_4, Tiling::Linear, 1 << COLUMN_BITS, 1 << ROW_BITS, Bounds::Drop);
    let (surfaces, space) = (surfaces(&[kind; 2]), space(0, Data::Tame));
    let layouts: Vec<_> =
        surfaces.iter().map(|(surface, bounds)| SurfaceLayout::of(&space, surface, *bounds)).collect();
    let mut interior = function.clone();
    assume_covered(&mut interior);
    simplify(&mut interior);
    let source = Source { function: &function, interior: &interior, surfaces: &layouts, may_stop: false };
    let compiled =
        |backend: Jit| (backend.name(), backend.compile(&source).expect("there is code for transcendentals"));
    let compiled: Vec<_> = backends().into_iter().map(compiled).collect();
    let domain = Domain { i0: 0, j0: 0, i1: (1 << COLUMN_BITS) - 1, j1: (1 << ROW_BITS) - 1 };
    let meter = Meter::new(Budget { group_time: None, ..Budget::default() }, None);
    let mut found = vec![0; 32 << RUN_BITS];
    let mut expected = Vec::with_capacity(found.len());
    for run in runs {
        let numbers = run << RUN_BITS..=(run << RUN_BITS) + ((1 << RUN_BITS) - 1);
        expected.clear();
        for calls in [&CALLS[..4], &CALLS[4..]] {
            for bits in numbers.clone() {
                let arguments = Argument::all(bits);
                for (op, _, argument) in calls {
                    let result = evaluate(op, &[arguments[*argument as usize]]).unwrap();
                    let canonical = if f32::from_bits(result).is_nan() { NAN } else { result };
                    expected.extend(canonical.to_le_bytes());
                }
            }
        }
        let tables = vec![vec![run << RUN_BITS]];
        let bindings = Bindings { surfaces: views(&space, &surfaces), tables, buffers: Vec::new() };
        for (name, code) in &compiled {
            let mut bound = code.bind(&bindings).expect("the memory is there");
            bound.run(domain, u64::MAX, &mut Poller::new(&meter)).expect("nothing stops it");
            space.read_bytes(surfaces[0].0.base, &mut found).expect("the memory is there");
            if found == expected {
                continue;
            }
            let at = found.iter().zip(&expected).position(|(found, expected)| found != expected).unwrap() / 4;
            let (bits, call) = (run << RUN_BITS | (at / 4 % (1 << RUN_BITS)) as u32, at % 4 + at / (4 << RUN_BITS) * 4);
            let word = |bytes: &[u8]| u32::from_le_bytes(bytes.as_chunks().0[at]);
            let (found, expected) = (word(&found), word(&expected));
            panic!("{}, number {call}, of {bits:#010x} is {expected:#010x}, not {found:#010x} ({name})", CALLS[call].1);
        }
    }
}

/// Compares every so many runs.
fn compare_every(step: usize) {
    let half = |first: usize| (first as u32..1 << (32 - RUN_BITS)).step_by(2 * step);
    std::thread::scope(|scope| {
        for first in [0, step] {
            scope.spawn(move || compare(half(first)));
        }
    });
}

#[test]
fn samples() {
    compare_every(4001);
}

#[test]
#[ignore = "takes minutes: all 2^32 arguments"]
fn all_arguments() {
    compare_every(1);
}
