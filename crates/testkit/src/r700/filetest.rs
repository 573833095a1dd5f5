//! Filetests of R700: one text file is a program, and what it does to eight lanes.
//!
//! The program is assembly text; directives are comment lines in it:
//!
//! ```text
//! ;; run: --bool 3 --loop 3=3,0,1 : CND(BOOL) CF_CONST(3)
//! ;; expect: 1 1 1 1 0 0 _ _
//! ;; trap: StackUnderflow at 1
//! ;; fetch program:
//! ```
//!
//! A run puts the text after its colon in place of every `?` of the program. R0.x is the number of a lane as an integer,
//! R3.x as a float; what is expected is x of PARAM0, which is -1 before: a number for each lane, or one for all. What follows
//! the line of the fetch program is the text of that. A file that begins with `;; agree:` has a whole job instead, whose
//! stage is the program's own, and asks only that every engine does what the reference does; its directives are those of
//! `directive.rs`. Every run is made on every engine, with every group width and thread
//! count of [`GROUP_WIDTHS`] and [`THREADS`].

use crate::r700::differential::Differential;
use crate::r700::directive::{self, Directives};
use crate::r700::environment::Memory;
use crate::{GROUP_WIDTHS, THREADS, engines};
use ctm_engine::Executor;
use ctm_lane::domain::Lanes;
use ctm_lane::run::RunOptions;
use ctm_memory::{Arena, Space};
use ctm_r700::{Input, Job, LoopConstant, Program, ProgramInfo, Region, RunError, Stage, text};
use std::path::Path;

const MARK: &str = ";;";
const FETCH_PROGRAM: &str = ";; fetch program:\n";
const LANES: usize = 8;
/// Where PARAM0 goes.
const RESULTS: Region = Region { base: 0x1_0000, length: LANES as u32 * 16 };
/// What PARAM0 holds before a run.
const BEFORE: f32 = -1.0;

type Parsed<T> = Result<T, String>;

/// One run of the program.
struct Run {
    line: usize,
    /// What stands for `?`.
    text: String,
    bools: Vec<usize>,
    loops: Vec<(usize, LoopConstant)>,
    expected: Option<Expected>,
}

/// What must come of a run.
enum Expected {
    /// A number for each lane; none where any will do.
    Values([Option<f32>; LANES]),
    /// The name of a trap, and the address of its control-flow instruction.
    Trap(String, u32),
}

/// Runs the file, and says what is wrong.
pub fn run(path: &Path) -> Result<(), String> {
    let name = path.display();
    let source = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    check(&source).map_err(|error| format!("{name}: {error}"))
}

fn check(source: &str) -> Parsed<()> {
    let (source, fetch_source) = source.split_once(FETCH_PROGRAM).map_or((source, None), |(a, b)| (a, Some(b)));
    if directive::asks_for_agreement(source) {
        return check_agreement(source, fetch_source);
    }
    let runs = read(source)?;
    for run in &runs {
        let expected = run.expected.as_ref().ok_or_else(|| format!("line {}: nothing is expected", run.line))?;
        for engine in engines() {
            for (group_width, threads) in GROUP_WIDTHS.into_iter().flat_map(|width| THREADS.map(|n| (width, n))) {
                let options = RunOptions { group_width, threads, step_limit: 10_000, ..crate::untimed() };
                check_run(source, fetch_source, run, expected, &engine, &options).map_err(|error| {
                    let how = format!("{}, width {group_width}, {threads} threads", engine.name());
                    format!("line {}, {how}: {error}", run.line)
                })?;
            }
        }
    }
    if runs.is_empty() { Err(format!("there is no `{MARK} run:` line")) } else { Ok(()) }
}

/// Checks that every engine does with a whole job what the reference does.
fn check_agreement(source: &str, fetch_source: Option<&str>) -> Parsed<()> {
    let program =
        |source: &str| text::parse(source).map(|parsed| parsed.program).map_err(|errors| errors[0].to_string());
    let (program, fetch_program) = (program(source)?, fetch_source.map(program).transpose()?);
    let mut memory = Memory::new();
    let space = memory.space().clone();
    let (job, image, options) = directive::read(source, &program, fetch_program.as_ref(), &space)?;
    memory.start_with(image)?;
    job.check().map_err(|error| error.to_string())?;
    Differential::new().check(&job, &memory, &options)
}

/// The file that asks for agreement on a job.
pub fn print(job: &Job, memory: &Memory, options: &[RunOptions]) -> String {
    let fetch_program = job.fetch_program.map(|program| format!("{FETCH_PROGRAM}{}", text::print_program(program)));
    let directives = Directives(job, memory.image(), options);
    format!("{directives}{}{}", text::print_program(job.program), fetch_program.unwrap_or_default())
}

/// The runs that a text asks for.
fn read(source: &str) -> Parsed<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for (line, text) in (1..).zip(source.lines()) {
        let Some(directive) = text.trim().strip_prefix(MARK) else { continue };
        let (name, rest) = directive.split_once(':').ok_or_else(|| format!("line {line}: no directive"))?;
        match (name.trim(), runs.last_mut()) {
            ("run", _) => runs.push(read_run(line, rest).map_err(|error| format!("line {line}: {error}"))?),
            ("expect", Some(run)) => run.expected = Some(Expected::Values(values(rest)?)),
            ("trap", Some(run)) => {
                let (kind, at) =
                    rest.split_once(" at ").ok_or_else(|| format!("line {line}: write KIND at ADDRESS"))?;
                run.expected = Some(Expected::Trap(kind.trim().to_owned(), number(at)?));
            }
            (name, _) => return Err(format!("line {line}: unexpected directive `{name}`")),
        }
    }
    Ok(runs)
}

fn read_run(line: usize, options: &str) -> Parsed<Run> {
    let (options, text) = options.split_once(" : ").unwrap_or((options, ""));
    let mut run = Run { line, text: text.trim().to_owned(), bools: Vec::new(), loops: Vec::new(), expected: None };
    let mut words = options.split_whitespace();
    while let Some(option) = words.next() {
        let value = words.next().ok_or_else(|| format!("`{option}` needs a value"))?;
        match option {
            "--bool" => run.bools.push(number(value)?),
            "--loop" => {
                let (place, constant) = value.split_once('=').ok_or("write --loop N=COUNT,INIT,STEP")?;
                let parts: Vec<&str> = constant.split(',').collect();
                let [count, init, step] = parts[..] else { return Err("write --loop N=COUNT,INIT,STEP".into()) };
                let constant = LoopConstant { count: number(count)?, init: number(init)?, step: number(step)? };
                run.loops.push((number(place)?, constant));
            }
            _ => return Err(format!("unknown option `{option}`")),
        }
    }
    Ok(run)
}

fn number<T: std::str::FromStr>(text: &str) -> Parsed<T> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

fn values(text: &str) -> Parsed<[Option<f32>; LANES]> {
    let value = |word| if word == "_" { Ok(None) } else { number(word).map(Some) };
    let values: Vec<Option<f32>> = text.split_whitespace().map(value).collect::<Parsed<_>>()?;
    match values[..] {
        [one] => Ok([one; LANES]),
        _ => values.try_into().map_err(|_| format!("expect one number, or {LANES}")),
    }
}

fn check_run(
    source: &str,
    fetch_source: Option<&str>,
    run: &Run,
    expected: &Expected,
    engine: &Executor,
    options: &RunOptions,
) -> Parsed<()> {
    let program = |source: &str| -> Parsed<Program> {
        let parsed = text::parse(&source.replace('?', &run.text)).map_err(|errors| errors[0].to_string())?;
        let info = ProgramInfo { stage: Stage::Vertex, ..parsed.program.info };
        Ok(Program { info, ..parsed.program })
    };
    let (program, fetch_program) = (program(source)?, fetch_source.map(program).transpose()?);
    let mut space = Space::default();
    space.map(Arena::new(RESULTS.base, 0x1000).expect("a small arena")).expect("an empty space");
    space.write_bytes(RESULTS.base, &BEFORE.to_le_bytes().repeat(LANES * 4)).expect("mapped memory");
    let mut job = Job::new(&program, Lanes::Line(LANES as u32), &space);
    job.fetch_program = fetch_program.as_ref();
    job.inputs.insert(0, Input::Vertex { first: 0, instance: 0 });
    job.inputs.insert(3, Input::Position);
    job.targets.parameters[0] = Some(RESULTS);
    run.bools.iter().for_each(|&place| job.bools[place] = true);
    run.loops.iter().for_each(|&(place, constant)| job.loops[place] = constant);
    let result = engine.run(&job, options);
    match (expected, result) {
        (Expected::Values(values), Ok(_)) => {
            let mut bytes = [0; RESULTS.length as usize];
            space.read_bytes(RESULTS.base, &mut bytes).expect("mapped memory");
            let found: Vec<f32> = bytes.as_chunks().0.iter().step_by(4).map(|&word| f32::from_le_bytes(word)).collect();
            let same = values.iter().zip(&found).all(|(value, found)| value.is_none_or(|value| value == *found));
            if same { Ok(()) } else { Err(format!("PARAM0.x is {found:?}")) }
        }
        (Expected::Trap(kind, pc), Err(RunError::Trap(trap)))
            if format!("{:?}", trap.kind).starts_with(kind) && trap.location.pc == *pc =>
        {
            Ok(())
        }
        (_, result) => Err(format!("the run gave {result:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::r700::jobs::{ProgramKind, with_job};
    use crate::random::Random;

    #[test]
    fn jobs_read_back() {
        let mut memory = Memory::new();
        for (seed, kind) in (0..12).flat_map(|seed| ProgramKind::ALL.map(|kind| (seed, kind))) {
            with_job(kind, Random::new(seed), &mut memory, |job, memory, options| {
                let file = print(job, memory, options);
                let source = file.split(FETCH_PROGRAM).next().unwrap_or_default();
                let read = directive::read(source, job.program, job.fetch_program, job.memory);
                let (again, image, runs) =
                    read.unwrap_or_else(|error| panic!("{kind:?}, seed {seed}: {error}\n{file}"));
                assert_eq!(format!("{again:?}"), format!("{job:?}"), "{kind:?}, seed {seed}\n{file}");
                assert_eq!(
                    Directives(&again, image, &runs).to_string(),
                    Directives(job, memory.image(), options).to_string()
                );
            });
        }
    }

    const PROGRAM: &str = "EXP_DONE: PARAM0, R3.?000\nEND_OF_PROGRAM\n";

    fn error_of(directives: &str) -> Option<String> {
        check(&format!("{PROGRAM}{directives}")).err()
    }

    #[test]
    fn what_holds_passes() {
        assert_eq!(error_of(";; run: : x\n;; expect: 0 1 2 3 4 _ 6 7\n;; run: : 1\n;; expect: 1"), None);
    }

    #[test]
    fn failed_expectations_are_reported() {
        for (directives, expected) in [
            ("", "no `;; run:`"),
            (";; run: : x", "nothing is expected"),
            (";; expect: 1", "unexpected directive `expect`"),
            (";; run: --loop 3 : x\n;; expect: 1", "COUNT,INIT,STEP"),
            (";; run: : x\n;; expect: 0 1 2 3 4 5 6 8", "6.0, 7.0]"),
            (";; run: : 1\n;; trap: StackUnderflow at 0", "gave Ok"),
        ] {
            let error = error_of(directives).unwrap_or_default();
            assert!(error.contains(expected), "{directives}: {error}");
        }
    }
}
