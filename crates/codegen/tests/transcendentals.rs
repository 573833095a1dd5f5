//! Transcendentals as machine code against their definition: a sample of the arguments, and, as it takes long, all of them
//! when it is asked for:
//!
//! ```sh
//! cargo test --release -p ctm-codegen --test transcendentals -- --ignored
//! ```
#![cfg(target_arch = "x86_64")]

use crate::support::*;
use ctm_codegen::x64::Jit;
use ctm_engine::{Backend, Bindings, KernelSource, SurfaceLayout};
use ctm_lane::budget::{Budget, Meter, Poller};
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_lane::{Denorm, Function, Op, Round, Zero, assume_covered, evaluate, simplify};
use ctm_memory::{Bounds, Format, Tiling};

/// Arguments of one run are this many bits: columns, then rows.
const COLUMN_BITS: u32 = 7;
const ROW_BITS: u32 = 6;
const RUN_BITS: u32 = COLUMN_BITS + ROW_BITS;
const NAN: u32 = 0x7FFF_FFFF;

/// What is called, in the order of the results in memory.
const CALLS: [(Call, Argument); 20] = [
    (Call::Only(Op::Ex2 {}, "ex2"), Argument::Any),
    (Call::Only(Op::Ln2 {}, "ln2"), Argument::Any),
    (Call::Only(Op::Sin {}, "sin"), Argument::Any),
    (Call::Only(Op::Cos {}, "cos"), Argument::Any),
    (Call::Only(Op::Sin {}, "sin"), Argument::Fraction),
    (Call::Only(Op::Cos {}, "cos"), Argument::Fraction),
    (Call::Only(Op::Sin {}, "sin"), Argument::Finite),
    (Call::Only(Op::Cos {}, "cos"), Argument::Finite),
    // Of other numbers each: what only leads to a root is calculated otherwise than what is wanted for itself.
    (Call::RootReciprocal(Denorm::Flush, 1), Argument::Finite),
    (Call::RootReciprocal(Denorm::Flush, 2), Argument::Any),
    (Call::RootReciprocal(Denorm::Keep, 1), Argument::Finite),
    (Call::RootReciprocal(Denorm::Keep, 2), Argument::Any),
    (Call::Only(Op::Ex2 {}, "ex2"), Argument::Fraction),
    (Call::Only(Op::Ln2 {}, "ln2"), Argument::Fraction),
    (Call::Only(Op::Ex2 {}, "ex2"), Argument::Negated),
    (Call::Only(Op::Ln2 {}, "ln2"), Argument::AboveOne),
    (Call::Only(Op::Sin {}, "sin"), Argument::Centred),
    (Call::Only(Op::Cos {}, "cos"), Argument::Centred),
    (Call::Only(Op::Ex2 {}, "ex2"), Argument::Centred),
    (Call::Only(Op::Ln2 {}, "ln2"), Argument::Centred),
];

/// Results of a surface.
const CHANNELS: usize = 4;
const SURFACES: usize = CALLS.len() / CHANNELS;

/// A function of one number.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// One operation, and its name.
    Only(Op, &'static str),
    /// The square root, then so many reciprocals.
    RootReciprocal(Denorm, usize),
}

impl Call {
    /// Puts its result of `%of` into `%raw`; what it needs besides comes after 100.
    fn text(self, of: usize, raw: usize) -> String {
        match self {
            Call::Only(_, name) => format!("%{raw} = {name} %{of}\n"),
            Call::RootReciprocal(denorm, reciprocals) => {
                let suffix = if denorm == Denorm::Flush { ".ftz" } else { "" };
                let first = 100 + 4 * raw;
                let mut text = format!("%{first} = fsqrt{suffix} %{of}\n");
                for n in 1..=reciprocals {
                    let (result, of) = (if n == reciprocals { raw } else { first + n }, first + n - 1);
                    text += &format!("%{result} = fdiv{suffix} %18, %{of}\n");
                }
                text
            }
        }
    }

    /// The same by the definition of the operations.
    fn value(self, bits: u32) -> u32 {
        match self {
            Call::Only(op, _) => evaluate(&op, &[bits]).unwrap(),
            Call::RootReciprocal(denorm, reciprocals) => {
                let root = evaluate(&Op::Fsqrt { denorm }, &[bits]).unwrap();
                (0..reciprocals).fold(root, |of, _| evaluate(&Op::Fdiv { denorm }, &[1f32.to_bits(), of]).unwrap())
            }
        }
    }
}

/// What a function is called with, as code depends on what is known of it: a number as it is, its fraction, the nearest that is no
/// infinity, its magnitude negated, 1 more than its square, and how far it is from the middle between two integers.
#[derive(Clone, Copy)]
enum Argument {
    Any,
    Fraction,
    Finite,
    Negated,
    AboveOne,
    Centred,
}

impl Argument {
    /// In `%9` to `%14` those of a number, `%8`.
    const TEXT: &str = "%9 = or %8, %8\n%10 = frc %8\n%5 = lane 0x7f7fffff\n%6 = lane 0xff7fffff\n\
                        %7 = fmin.ftz %8, %5\n%11 = fmax.ftz %7, %6\n%12 = nabs %8\n%13 = fma.ftz %8, %8, %18\n\
                        %15 = fround.floor.ftz %8\n%19 = fsub.ftz %8, %15\n%60 = lane 0xbf000000\n%14 = fadd.ftz %19, %60\n";

    /// Those of a number, by the definition of the operations.
    fn all(bits: u32) -> [u32; 6] {
        let denorm = Denorm::Flush;
        let limited = evaluate(&Op::Fmin { denorm }, &[bits, 0x7F7F_FFFF]).unwrap();
        let finite = evaluate(&Op::Fmax { denorm }, &[limited, 0xFF7F_FFFF]).unwrap();
        let above_one = evaluate(&Op::Fma { denorm, zero: Zero::Ieee }, &[bits, bits, 1f32.to_bits()]).unwrap();
        let [fraction, negated] = [Op::Frc {}, Op::Nabs {}].map(|op| evaluate(&op, &[bits]).unwrap());
        let floor = evaluate(&Op::Fround { round: Round::Floor, denorm }, &[bits]).unwrap();
        let rest = evaluate(&Op::Fsub { denorm }, &[bits, floor]).unwrap();
        let centred = evaluate(&Op::Fadd { denorm }, &[rest, (-0.5f32).to_bits()]).unwrap();
        [bits, fraction, finite, negated, above_one, centred]
    }
}

/// The calls for a number whose low bits are the position.
fn function() -> Function {
    let call = |(at, &(call, argument)): (usize, &(Call, Argument))| {
        let (raw, result) = (20 + at, 40 + at);
        format!("{}%{result} = canon_nan {NAN:#x}, %{raw}\n", call.text(9 + argument as usize, raw))
    };
    let calls: String = CALLS.iter().enumerate().map(call).collect();
    let surfaces: String = (0..SURFACES).map(|n| format!("surface s{n} whole\n")).collect();
    let store = |n: usize| {
        let first = 40 + CHANNELS * n;
        let results = format!("%{first}, %{}, %{}, %{}", first + 1, first + 2, first + 3);
        format!("surface_store.rgba s{n}, %0, %1, {results}, %2\n")
    };
    let stores: String = (0..SURFACES).map(store).collect();
    let arguments = Argument::TEXT;
    let text = format!(
        "{surfaces}table t0 1\nb0:\n%0 = pos_x\n%1 = pos_y\n%2 = covered\n%3 = lane {COLUMN_BITS:#010x}\n%18 = lane 0x3f800000\n\
         %4 = shl %1, %3\n%16 = or %4, %0\n%17 = table_splat t0, 0\n%8 = or %16, %17\n{arguments}{calls}{stores}return\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Compares the runs with these numbers; every run has 2^`RUN_BITS` arguments.
fn compare(runs: impl Iterator<Item = u32>) {
    let function = function();
    let kind = (Format::Float32_4, Tiling::Linear, 1 << COLUMN_BITS, 1 << ROW_BITS, Bounds::Drop);
    let (surfaces, space) = (surfaces(&[kind; SURFACES]), space(0, Data::Tame));
    let layouts: Vec<_> =
        surfaces.iter().map(|(surface, bounds)| SurfaceLayout::of(&space, surface, *bounds)).collect();
    let mut interior = function.clone();
    assume_covered(&mut interior);
    simplify(&mut interior);
    let source = KernelSource { function: &function, interior: &interior, surfaces: &layouts, may_stop: false };
    let compiled = |backend: Jit| {
        (backend.name(), backend.compile(&source, &Effort::default()).expect("there is code for transcendentals"))
    };
    let compiled: Vec<_> = backends().into_iter().map(compiled).collect();
    let domain = Domain { i0: 0, j0: 0, i1: (1 << COLUMN_BITS) - 1, j1: (1 << ROW_BITS) - 1 };
    let meter = Meter::new(Budget { group_time: None, ..Budget::default() }, None);
    let mut found = vec![0; (4 * CALLS.len()) << RUN_BITS];
    let mut expected = Vec::with_capacity(found.len());
    for run in runs {
        let numbers = run << RUN_BITS..=(run << RUN_BITS) + ((1 << RUN_BITS) - 1);
        expected.clear();
        for calls in CALLS.as_chunks::<CHANNELS>().0 {
            for bits in numbers.clone() {
                let arguments = Argument::all(bits);
                for (call, argument) in calls {
                    let result = call.value(arguments[*argument as usize]);
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
            panic!(
                "{:?}, number {call}, of {bits:#010x} is {expected:#010x}, not {found:#010x} ({name})",
                CALLS[call].0
            );
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
