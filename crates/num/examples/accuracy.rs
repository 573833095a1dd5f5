//! Measures the X1K transcendentals against binary64 references, over all 2^32 inputs and on all cores, and prints the
//! table of `docs/accuracy.md`.
//!
//! `cargo run --release -p ctm-num --example accuracy -- [STEP]`: with a step, only every STEP-th input. Exits with 1 if
//! an error exceeds its bound or a special value is wrong.
#![forbid(unsafe_code)]

use std::f64::consts::TAU;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use ctm_num::{X1K_NAN, flush, x1k};

const INPUTS: u64 = 1 << 32;
const CHUNK: u64 = 1 << 22;

/// One operation, what it should give, and how an error counts.
struct Subject {
    name: &'static str,
    operation: fn(u32) -> u32,
    /// The result in binary64, right to about 2^-52 of its magnitude, special values included.
    reference: fn(f64) -> f64,
    measure: Measure,
    bound: f64,
    /// Inputs whose error counts. All others must still be right where the reference is NaN, infinite or zero.
    counts: fn(f64) -> bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Measure {
    Relative,
    /// Relative above 1, absolute below.
    Mixed,
    Absolute,
    /// Units in the last place of the reference.
    Ulp,
}

impl Measure {
    fn error(self, result: f64, reference: f64) -> f64 {
        let unit = match self {
            Measure::Relative => reference.abs(),
            Measure::Mixed => reference.abs().max(1.0),
            Measure::Absolute => 1.0,
            Measure::Ulp => ulp(reference),
        };
        (result - reference).abs() / unit
    }

    fn show(self, error: f64) -> String {
        match self {
            Measure::Relative => format!("2^{:.2} relative", error.log2()),
            Measure::Mixed => format!("2^{:.2} max(1, abs(result))", error.log2()),
            Measure::Absolute => format!("2^{:.2} absolute", error.log2()),
            Measure::Ulp => format!("{error:.4} ulp"),
        }
    }
}

fn ulp(value: f64) -> f64 {
    let exponent = (value.to_bits() >> 52 & 0x7FF) as i32 - 1023;
    f64::powi(2.0, exponent - 23)
}

/// sin(2 pi x). The reduction to a quarter turn is exact, so that results keep their relative precision near the zeros.
fn sine(x: f64) -> f64 {
    let r = x - x.round();
    let quarter = if r.abs() > 0.25 { f64::copysign(0.5, r) - r } else { r };
    (TAU * quarter).sin()
}

/// cos(2 pi x), likewise.
fn cosine(x: f64) -> f64 {
    let quarter = 0.25 - (x - x.round()).abs();
    (TAU * quarter).sin()
}

const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "EX2",
        operation: x1k::ex2,
        reference: f64::exp2,
        measure: Measure::Relative,
        bound: 1.0 / (1 << 22) as f64,
        counts: |_| true,
    },
    Subject {
        name: "LN2",
        operation: x1k::ln2,
        reference: f64::log2,
        measure: Measure::Mixed,
        bound: 1.0 / (1 << 22) as f64,
        counts: |_| true,
    },
    Subject {
        name: "RCP",
        operation: x1k::rcp,
        reference: |x| 1.0 / x,
        measure: Measure::Ulp,
        bound: 0.5,
        counts: |_| true,
    },
    Subject {
        name: "RSQ",
        operation: x1k::rsq,
        reference: |x| 1.0 / x.sqrt(),
        measure: Measure::Ulp,
        bound: 1.5,
        counts: |_| true,
    },
    Subject {
        name: "SIN",
        operation: x1k::sin,
        reference: sine,
        measure: Measure::Absolute,
        bound: 1.0 / (1 << 20) as f64,
        counts: |x| x.abs() <= 65536.0,
    },
    Subject {
        name: "COS",
        operation: x1k::cos,
        reference: cosine,
        measure: Measure::Absolute,
        bound: 1.0 / (1 << 20) as f64,
        counts: |x| x.abs() <= 65536.0,
    },
];

/// What was found over some inputs.
#[derive(Clone, Copy, Default)]
struct Findings {
    worst: f64,
    worst_input: u32,
    largest_ulp: f64,
    wrong_specials: u64,
    largest_magnitude: f64,
}

impl Findings {
    fn add(&mut self, subject: &Subject, input: u32) {
        let result = (subject.operation)(input);
        let x = f64::from(f32::from_bits(flush(input)));
        let reference = (subject.reference)(x);
        let value = f64::from(f32::from_bits(result));
        if value.is_finite() {
            self.largest_magnitude = self.largest_magnitude.max(value.abs());
        }
        // A tie at the upper end rounds to infinity, one at the lower end to 2^-126.
        let overflows = reference.abs() >= f64::from(f32::MAX) + ulp(f64::from(f32::MAX)) / 2.0;
        let tiny = reference.abs() < f64::from(f32::MIN_POSITIVE) * (1.0 - 1.0 / (1 << 25) as f64);
        if reference.is_nan() {
            self.wrong_specials += u64::from(result != X1K_NAN);
        } else if overflows {
            self.wrong_specials += u64::from(value != f64::INFINITY.copysign(reference));
        } else if tiny && subject.measure != Measure::Absolute {
            self.wrong_specials += u64::from(value != 0.0);
        } else if !value.is_finite() {
            self.wrong_specials += 1;
        } else if (subject.counts)(x) {
            let error = subject.measure.error(value, reference);
            if error > self.worst {
                (self.worst, self.worst_input) = (error, input);
            }
            self.largest_ulp = self.largest_ulp.max(Measure::Ulp.error(value, reference));
        }
    }

    fn merge(&mut self, other: Findings) {
        // The lowest of equally bad inputs, whichever worker met it.
        if other.worst > self.worst || other.worst == self.worst && other.worst_input < self.worst_input {
            (self.worst, self.worst_input) = (other.worst, other.worst_input);
        }
        self.largest_ulp = self.largest_ulp.max(other.largest_ulp);
        self.wrong_specials += other.wrong_specials;
        self.largest_magnitude = self.largest_magnitude.max(other.largest_magnitude);
    }
}

fn survey(subject: &Subject, step: u64, threads: usize) -> Findings {
    let next = AtomicU64::new(0);
    let work = || {
        let mut findings = Findings::default();
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= INPUTS {
                return findings;
            }
            let first = start.next_multiple_of(step);
            for input in (first..start + CHUNK).step_by(step as usize) {
                findings.add(subject, input as u32);
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut total = Findings::default();
        for worker in workers {
            total.merge(worker.join().expect("a worker panicked"));
        }
        total
    })
}

fn main() -> ExitCode {
    let step = match std::env::args().nth(1).map(|text| text.parse::<u64>()) {
        None => 1,
        Some(Ok(step)) if step > 0 => step,
        Some(_) => {
            eprintln!("usage: accuracy [STEP]   (a positive number: measure every STEP-th input)");
            return ExitCode::from(2);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    println!("| operation | largest error | bound | worst input | its result | largest error in ulp |");
    println!("|---|---|---|---|---|---|");
    let mut good = true;
    for subject in &SUBJECTS {
        let start = Instant::now();
        let found = survey(subject, step, threads);
        let worst = f32::from_bits(found.worst_input);
        let result = (subject.operation)(found.worst_input);
        println!(
            "| {} | {} | {} | {worst:e} (0x{:08X}) | 0x{result:08X} | {:.2} |",
            subject.name,
            subject.measure.show(found.worst),
            subject.measure.show(subject.bound),
            found.worst_input,
            found.largest_ulp,
        );
        good &= found.worst <= subject.bound && found.wrong_specials == 0;
        if found.wrong_specials > 0 {
            eprintln!("{}: {} special values are wrong", subject.name, found.wrong_specials);
        }
        if subject.measure == Measure::Absolute && found.largest_magnitude > 1.0 {
            eprintln!("{}: a result of magnitude {} exceeds 1", subject.name, found.largest_magnitude);
            good = false;
        }
        eprintln!("{}: {:.1} s on {threads} threads", subject.name, start.elapsed().as_secs_f64());
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
