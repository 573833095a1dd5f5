//! Random functions as machine code against a plain evaluator.

use super::generate;
use super::random::Random;
use super::support::*;
use ctm_codegen::x64::Jit;
use ctm_engine::Backend;
use ctm_lane::domain::Domain;
use ctm_lane::{Function, Op};
use ctm_memory::{Bounds, Format, Tiling};

/// In the text of every error that says that code and evaluator disagree.
pub const DISAGREEMENT: &str = "is not as the reference";

/// What came of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The backend makes no code of it.
    Refused,
    /// A group came to a trap, or took too many steps.
    Stopped,
    /// It came to its end.
    Completed,
}

/// Warps are wider than the groups of machine code, which refuses what looks across them.
fn without_warps(function: &Function) -> Function {
    let line = |line: &str| match line.split_once("= ballot ").or_else(|| line.split_once("= shuffle ")) {
        Some((result, _)) => format!("{result}= lane 0x00000005\n"),
        None => format!("{line}\n"),
    };
    let text: String = function.to_string().lines().map(line).collect();
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// The same with other surfaces to read than to write, and no buffer to read, as most programs have them.
fn without_feedback(function: &Function) -> Function {
    let line = |line: &str| {
        if let Some((result, _)) = line.split_once("= buffer_load ") {
            return format!("{result}= lane 0x3fc00000\n");
        }
        // Surfaces with even numbers are read, those with odd ones written.
        let read = line.contains("surface_load");
        if !read && !line.contains("surface_") {
            return format!("{line}\n");
        }
        let pairs = (0..generate::SURFACES).step_by(2);
        let moved = pairs.fold(line.to_owned(), |line, even| {
            let [even, odd] = [even, even + 1].map(|number| format!(" s{number},"));
            if read { line.replace(&odd, &even) } else { line.replace(&even, &odd) }
        });
        format!("{moved}\n")
    };
    let text: String = function.to_string().lines().map(line).collect();
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn tests_surface(function: &Function) -> bool {
    function
        .blocks()
        .any(|block| function.insts(block).iter().any(|&inst| matches!(function.op(inst), Op::SurfaceTest { .. })))
}

/// Format, order of elements, elements in a row, rows, and what is outside, of a surface.
pub type Kind = (Format, Tiling, u32, u32, Bounds);

/// A function, and what it runs on.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The function.
    pub function: Function,
    /// Its surfaces.
    pub surfaces: Vec<Kind>,
    /// What is in memory and tables, and a number that chooses among contents of the kind.
    pub data: (Data, u32),
    /// Where it runs.
    pub domain: Domain,
    /// Steps that a group may execute.
    pub budget: u64,
}

/// Makes the function of this seed, with surfaces, tables and buffers.
pub fn draft(seed: u64) -> Draft {
    let mut random = Random::new(seed);
    let size = 3 + random.below(120);
    let mut function = generate::function(&mut random, size, true);
    function.compact();
    let mut function = without_warps(&function);
    if seed.is_multiple_of(2) {
        function = without_feedback(&function);
    }
    let tiling = |random: &mut Random| random.pick(&[Tiling::Linear, Tiling::Linear, Tiling::Tiled]);
    let floats = if tests_surface(&function) {
        [Format::Float32_1; 3]
    } else {
        [Format::Float32_4, Format::Float32_1, Format::Float32_2]
    };
    let bounds = |random: &mut Random| random.pick(&[Bounds::Clamp, Bounds::Drop]);
    let unit = |random: &mut Random| random.pick(&[Format::Uint8_4, Format::Uint16_1]);
    let sides = |random: &mut Random| random.pick(&[(64, 9), (16, 33), (32, 3), (128, 2), (64, 1)]);
    let surfaces: Vec<Kind> = (0..generate::SURFACES)
        .map(|at| {
            let (width, height) = sides(&mut random);
            match at {
                0 => (unit(&mut random), tiling(&mut random), 64, 8, bounds(&mut random)),
                // What the function ends with is written here.
                1 => (random.pick(&floats), tiling(&mut random), 64, random.pick(&[8, 6, 0]), Bounds::Drop),
                4 => (unit(&mut random), tiling(&mut random), width, height, bounds(&mut random)),
                _ => (random.pick(&floats), tiling(&mut random), width, height, bounds(&mut random)),
            }
        })
        .collect();
    let data = (random.pick(&Data::ALL), random.below(4) as u32);
    let (x, y) = (random.below(20) as u32, random.below(4) as u32);
    let domain = Domain { i0: x, j0: y, i1: x + random.below(60) as u32, j1: y + random.below(5) as u32 };
    let few = random.below(40) as u64;
    let budget = random.pick(&[u64::MAX, u64::MAX, 1000, few]);
    Draft { function, surfaces, data, domain, budget }
}

/// Compares what the code of a function does with the evaluator.
///
/// # Errors
/// With what differs, or why the function is none.
pub fn check(backend: &Jit, draft: &Draft) -> Result<Checked, String> {
    let &Draft { ref function, surfaces: ref kinds, data: (data, number), domain, budget } = draft;
    ctm_lane::verify(function).map_err(|error| format!("{error:?}\n{function}"))?;
    let surfaces = surfaces(kinds);
    let tables: Vec<Vec<u32>> = (number..)
        .zip(&function.tables)
        .map(|(seed, table)| {
            let data = if table.finite { Data::Tame } else { data };
            (0..table.entries).map(|at| content(seed, at, data)).collect()
        })
        .collect();
    let (first, second) = (space(number, data), space(number, data));
    let setup = Setup { function, surfaces: &surfaces, tables: &tables, domain, budget };
    let Some(found) = run_code(backend, setup, &second) else { return Ok(Checked::Refused) };
    let name = backend.name();
    // Simplification decides on the shape of groups.
    let mut simplified = function.clone();
    ctm_lane::simplify(&mut simplified);
    let expected = run_plain(backend.lanes(), Setup { function: &simplified, ..setup }, &first);
    if found != expected {
        let what = format!("{found:?} instructions, not {expected:?}, {kinds:?} {domain:?} {budget}");
        return Err(format!("{name} {DISAGREEMENT}: {what}\n{function}"));
    }
    if found.is_none() {
        return Ok(Checked::Stopped);
    }
    match difference(&first, &second) {
        None => Ok(Checked::Completed),
        Some(difference) => Err(format!("{name} {DISAGREEMENT}: {difference}, {surfaces:?} {domain:?}\n{function}")),
    }
}
