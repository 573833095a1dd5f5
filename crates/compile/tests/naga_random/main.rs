//! Generated GLSL and WGSL: what their functions and their machine code compute is what an evaluator of naga's modules says, which
//! knows nothing of the compiler.

mod evaluate;
mod functions;
mod generate;
mod machine;
mod world;

use ctm_compile::backend::Unfit;
use ctm_compile::front::naga::{read_glsl, read_wgsl};
use ctm_compile::ir::{self, Function, Output, eval, verify};
use ctm_compile::opt::optimise;
use ctm_compile::{CompileError, Language, Options, compile};
use evaluate::{Evaluator, Outcome};
use world::{QUAD, World};

/// Programs that the test tries unless it is told another number.
const PROGRAMS: u64 = 300;

/// Runs with disturbances, whose results span what rounding may do.
const DISTURBED: u64 = 5;

#[derive(Default, Debug)]
struct Tally {
    programs: u32,
    /// Programs that the machine cannot hold.
    unfit: u32,
    compared: u32,
    /// Invocations of which nothing can be said, or too little.
    strange: u32,
    unsteady: u32,
    endless: u32,
}

fn check(text: &str, wgsl: bool, tally: &mut Tally) -> Result<(), String> {
    let (language, read) =
        if wgsl { (Language::Wgsl, read_wgsl(text)) } else { (Language::Glsl, read_glsl(text, &[])) };
    let module = read.map_err(|error| format!("{text}\nline {}: {error}", error.line))?;
    let shader = module.lower(None).map_err(|error| format!("{text}\nline {}: {error}", error.line))?;
    verify(&shader.function).map_err(|error| format!("{text}\n{}\n{error}", shader.function))?;
    let better = optimise(&shader.function);
    verify(&better).map_err(|error| format!("{text}\n{better}\n{error}"))?;
    tally.programs += 1;
    let (info, roles) = (module.module(), module.roles());
    let run = |noise| Evaluator::new(info.0, info.1, roles, noise).run();
    let several =
        |runs: std::ops::Range<u64>| runs.map(|noise| run((noise > 0).then_some(noise))).collect::<Option<Vec<_>>>();
    let Some(mut runs) = several(0..DISTURBED) else {
        tally.endless += 1;
        return Ok(());
    };
    let world = World::new(&shader.interface);
    let evaluated = |function: &Function| eval(function, &world, 1 << 22).map_err(|stop| stop.to_string());
    let mut outcomes = vec![("lowered", evaluated(&shader.function)?), ("optimised", evaluated(&better)?)];
    match compile(text, language, &Options::default()) {
        Ok(compiled) => outcomes.push(("machine code", machine::run(&compiled, &world)?)),
        Err(CompileError::Unfit { unfit, .. }) if !matches!(unfit, Unfit::Operation { .. }) => tally.unfit += 1,
        Err(error) => return Err(format!("{text}\nline {}: {error}", error.line())),
    }
    for (form, outcome) in outcomes {
        if compare(&better.outputs, &outcome, &runs, tally).is_err() {
            // A few runs may all have fallen on one side of a step.
            runs.extend(several(DISTURBED..100).unwrap_or_default());
        }
        compare(&better.outputs, &outcome, &runs, tally)
            .map_err(|error| format!("{text}\n{form}: {error}\n{better}"))?;
    }
    Ok(())
}

/// Whether the functions of two texts compute the same.
fn same(text: &str, equivalent: &str, wgsl: bool) -> Result<(), String> {
    let outcome = |text: &str| {
        let read = if wgsl { read_wgsl(text) } else { read_glsl(text, &[]) };
        let shader =
            read.and_then(|module| module.lower(None)).map_err(|error| format!("line {}: {error}", error.line))?;
        eval(&shader.function, &World::new(&shader.interface), 1 << 22).map_err(|stop| stop.to_string())
    };
    let (mine, other) = (outcome(text)?, outcome(equivalent)?);
    let close = |a: u32, b: u32| {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        a == b || (a - b).abs() <= 1e-5 * (1.0 + a.abs()) || !(a.is_finite() && b.is_finite())
    };
    let lanes = |lane: usize| mine.outputs.iter().zip(&other.outputs).all(|(a, b)| close(a[lane], b[lane]));
    let alike = mine.killed == other.killed && (0..QUAD).all(|lane| mine.killed[lane] || lanes(lane));
    if alike { Ok(()) } else { Err(format!("initial values and assignments differ: {mine:?} {other:?}")) }
}

fn compare(outputs: &[Output], outcome: &ir::Outcome, runs: &[Outcome], tally: &mut Tally) -> Result<(), String> {
    for lane in 0..QUAD {
        if runs.iter().any(|run| run.strange[lane]) {
            tally.strange += 1;
            continue;
        }
        if runs.iter().any(|run| run.killed[lane] != runs[0].killed[lane]) {
            tally.unsteady += 1;
            continue;
        }
        if outcome.killed[lane] != runs[0].killed[lane] {
            return Err(format!("lane {lane} is killed or not"));
        }
        if outcome.killed[lane] {
            continue;
        }
        for (output, bits) in outputs.iter().zip(&outcome.outputs) {
            let Output::Colour { slot, channel } = *output else { continue };
            let values: Vec<f64> = runs.iter().map(|run| run.outputs[&(slot.into(), channel.into())][lane]).collect();
            let (low, high) =
                values.iter().fold((f64::MAX, f64::MIN), |(low, high), &value| (low.min(value), high.max(value)));
            let found = f64::from(f32::from_bits(bits[lane]));
            let spread = high - low;
            if spread > 0.02 * (1.0 + high.abs()) {
                tally.unsteady += 1;
                continue;
            }
            let allowed = 8.0 * spread + 2e-5 * (1.0 + high.abs());
            if !(found >= low - allowed && found <= high + allowed) {
                return Err(format!(
                    "output {slot}.{channel} of lane {lane} is {found}, not {} ({low} to {high})",
                    values[0]
                ));
            }
            tally.compared += 1;
        }
    }
    Ok(())
}

#[test]
fn programs_compute_what_modules_mean() {
    let mut tally = Tally::default();
    ctm_cases::check_sized(
        PROGRAMS,
        |_| 4096,
        |u| {
            let (text, equivalent, wgsl) = generate::shader(u)?;
            check(&text, wgsl, &mut tally).unwrap_or_else(|error| panic!("{error}"));
            same(&text, &equivalent, wgsl).unwrap_or_else(|error| panic!("{error}\n{text}\n{equivalent}"));
            Ok(())
        },
    );
    println!("{tally:?}");
    // A few programs say nothing about how many are compared.
    assert!(
        tally.programs < 100
            || tally.compared > 30 * tally.programs
                && tally.unfit <= tally.programs / 20
                && tally.unsteady + tally.strange < tally.compared / 2,
        "{tally:?}"
    );
}
