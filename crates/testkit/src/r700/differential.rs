//! Random R700 jobs on every engine: memory, statistics and errors have to be those of the reference.

use crate::forms::{DISAGREEMENT, Forms};
use crate::hunt::tally::{Tally, add, one_more};
use crate::r700::environment::Memory;
use crate::r700::operations;
use ctm_engine::{Executor, GuestJob};
use ctm_lane::counts::InstructionCounts;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_r700::lift::{Dependence, NotLifted, Specialisation, lift, lift_with_loops};
use ctm_r700::text::print_program;
use ctm_r700::{Job, RunError, reference};
use std::collections::BTreeMap;

/// Engines, memory for jobs, and counters.
#[derive(Debug, Default)]
pub struct Differential {
    forms: Forms,
    memory: Option<Memory>,
    /// Jobs so far.
    pub jobs: u64,
    /// Those whose programs are not lifted.
    pub not_lifted: u64,
    /// Those that engines run themselves, as no lane depends on others.
    pub independent: u64,
    /// Those that the interpreter runs group by group.
    pub grouped: u64,
    /// Those whose lanes meet in memory.
    pub ordered: u64,
    /// Those of the independent ones that machine code runs.
    pub compiled: u64,
    /// Those of them that trapped.
    pub trapped: u64,
    /// Jobs whose machine code has loops that their programs have unrolled.
    pub rolled: u64,
    /// Traps by kind, why jobs did not run as machine code, and programs with each operation.
    traps: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    operations: BTreeMap<String, u64>,
}

type Outcome = (Result<RunStats, RunError>, Option<Vec<u8>>);

impl Differential {
    /// All engines of this host, but the reference.
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for the next job.
    pub fn memory(&mut self) -> Memory {
        self.memory.take().unwrap_or_default()
    }

    /// Takes the memory back.
    pub fn keep(&mut self, memory: Memory) {
        self.memory = Some(memory);
    }

    /// What the lanes of a job have to do with each other.
    ///
    /// # Errors
    /// Why it is not lifted.
    pub fn dependence(job: &Job) -> Result<Dependence, NotLifted> {
        let lifted = lift(job.program, job.fetch_program, &Specialisation::of(job))?;
        let sound = ctm_lane::verify(&lifted.function);
        assert!(sound.is_ok(), "{sound:?}\n{}", print_program(job.program));
        Ok(lifted.dependence)
    }

    /// Whether a job's program has loops that it has unrolled.
    fn is_unrolled(job: &Job) -> bool {
        let lifted = lift_with_loops(
            job.program,
            job.fetch_program,
            &Specialisation::of(job),
            &ctm_lane::effort::Effort::default(),
        );
        lifted.is_some_and(|lifted| {
            let sound = ctm_lane::verify(&lifted.function);
            assert!(sound.is_ok(), "{sound:?}\n{}", print_program(job.program));
            true
        })
    }

    /// How the jobs so far were run.
    pub fn summary(&self) -> String {
        let Differential { jobs, not_lifted, independent, grouped, ordered, compiled, trapped, .. } = self;
        let dependent = jobs - independent - grouped - ordered - not_lifted;
        format!(
            "{compiled} as machine code, {} interpreted, {grouped} interpreted group by group, {ordered} in \
             order, {dependent} with lanes that depend on each other, {not_lifted} not lifted; {trapped} trapped",
            independent - compiled
        )
    }

    /// Adds the counters to those of a hunt.
    pub fn count(&self, tally: &mut Tally) {
        tally.programs += self.jobs;
        tally.compiled += self.compiled;
        tally.trapped += self.trapped;
        add(&mut tally.traps, &self.traps);
        add(&mut tally.refused, &self.refused);
        tally.operations.extend(operations::all().map(|name| (name, 0)));
        add(&mut tally.operations, &self.operations);
        self.forms.count(tally);
    }

    /// Runs the job with each of the options on every engine.
    ///
    /// What engines run themselves is the same for all options, if nothing traps, unless they run it group by group: so the lift
    /// claims. The reference is asked first whether that is true, as engines can only differ from it if it is not.
    ///
    /// # Errors
    /// With what differs.
    pub fn check(&mut self, job: &Job, memory: &Memory, options: &[RunOptions]) -> Result<(), String> {
        self.jobs += 1;
        for program in [Some(job.program), job.fetch_program].into_iter().flatten() {
            operations::of(program).for_each(|name| one_more(&mut self.operations, name));
        }
        if let Some(aliasing) = job.order() {
            one_more(&mut self.refused, format!("the order of lanes matters: {aliasing}"));
            self.ordered += 1;
            return self.check_order(job, memory, options);
        }
        let dependence = Self::dependence(job);
        match dependence {
            Ok(Dependence::Independent) => self.independent += 1,
            Ok(Dependence::Group) => self.grouped += 1,
            Ok(Dependence::Order) => {
                one_more(&mut self.refused, "lanes depend on each other");
                return Ok(());
            }
            Err(reason) => {
                self.not_lifted += 1;
                one_more(&mut self.refused, format!("not lifted: {reason}"));
                return Ok(());
            }
        }
        self.rolled += u64::from(Self::is_unrolled(job));
        let engine = self.forms.engine();
        let compiled = engine.compiles(job, &RunOptions::default());
        self.compiled += u64::from(compiled.is_ok());
        if let Err(reason) = compiled {
            one_more(&mut self.refused, reason.to_string());
        }
        let expected: Vec<Outcome> =
            options.iter().map(|options| outcome(memory, || reference::run(job, options))).collect();
        let stopped = expected.iter().find_map(|(result, _)| result.as_ref().err());
        self.trapped += u64::from(stopped.is_some());
        if let Some(error) = stopped {
            one_more(&mut self.traps, trap_name(error));
        }
        let mut completed = options.iter().zip(&expected).filter_map(|(options, (result, contents))| {
            // Groups are all that may differ.
            let stats = RunStats { groups: 0, ..*result.as_ref().ok()? };
            Some((options, (Ok(stats), contents.clone())))
        });
        if dependence == Ok(Dependence::Independent)
            && let Some((_, first)) = completed.next()
        {
            for (options, found) in completed {
                compare(
                    (job, memory),
                    options,
                    "a false claim that lanes are independent: the reference",
                    &found,
                    &first,
                )?;
            }
        }
        for (options, expected) in options.iter().zip(&expected) {
            for name in self.forms.each(compiled.is_ok()) {
                compare((job, memory), options, name, &outcome(memory, || engine.run(job, options)), expected)?;
            }
        }
        for (options, expected) in options.iter().zip(&expected).filter(|(_, expected)| expected.0.is_ok()) {
            let counted = |run: &dyn Fn(&RunOptions) -> Result<RunStats, RunError>| {
                let counts = InstructionCounts::new(job.lanes, &options.budget).map_err(|halt| halt.to_string())?;
                let outcome = outcome(memory, || run(&RunOptions { counts: Some(&counts), ..*options }));
                Ok::<_, String>((outcome, counts.instructions(), counts.lanes()))
            };
            let by_reference = counted(&|options| reference::run(job, options))?;
            let by_engine = counted(&|options| engine.run(job, options))?;
            if by_reference != by_engine || by_reference.0 != *expected {
                let program = print_program(job.program);
                let counts = [&by_engine, &by_reference].map(|counted| (&counted.1, &counted.2));
                return Err(format!("counting {DISAGREEMENT}: {:?}\nand not {:?}\n{program}", counts[0], counts[1]));
            }
        }
        if let Some(address) = memory.stray_write() {
            let program = print_program(job.program);
            return Err(format!(
                "memory {DISAGREEMENT}: address {address:#x} was written, which is nobody's\n{job:#?}\n{program}"
            ));
        }
        self.forms.check_proven()
    }

    /// Runs a job whose lanes meet in memory: neither engine, nor width, nor number of threads may mean anything.
    fn check_order(&mut self, job: &Job, memory: &Memory, options: &[RunOptions]) -> Result<(), String> {
        let Some((first, others)) = options.split_first() else { return Ok(()) };
        let engine = Executor::Engine(self.forms.engine().clone());
        let expected = outcome(memory, || reference::run(job, first));
        let more = RunOptions { group_width: 32, threads: 3, ..*first };
        for options in [first, &more].into_iter().chain(others) {
            let options = &RunOptions { step_limit: first.step_limit, ..*options };
            for executor in [&Executor::Reference, &engine] {
                let found = outcome(memory, || executor.run(job, options));
                compare((job, memory), options, executor.name(), &found, &expected)?;
            }
        }
        if let Some(error) = expected.0.err() {
            self.trapped += 1;
            one_more(&mut self.traps, trap_name(&error));
        }
        if let Some(address) = memory.stray_write() {
            let program = print_program(job.program);
            return Err(format!("memory {DISAGREEMENT}: address {address:#x} was written\n{job:#?}\n{program}"));
        }
        self.forms.check_proven()
    }
}

/// The kind of a trap, without its place.
fn trap_name(error: &RunError) -> String {
    match error {
        RunError::Trap(trap) => format!("{:?}", trap.kind).split(['(', ' ']).next().unwrap_or_default().to_owned(),
        RunError::State(_) | RunError::Halted(_) => error.to_string(),
    }
}

/// What comes of a run, and memory if that is defined.
fn outcome(memory: &Memory, run: impl FnOnce() -> Result<RunStats, RunError>) -> Outcome {
    memory.reset();
    let result = run();
    let contents = result.is_ok().then(|| memory.contents());
    (result, contents)
}

fn compare(
    (job, memory): (&Job, &Memory),
    options: &RunOptions,
    name: &str,
    found: &Outcome,
    expected: &Outcome,
) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let first = found.1.iter().flatten().zip(expected.1.iter().flatten()).position(|(a, b)| a != b);
    let word = first.map(|at| {
        let word = |outcome: &Outcome| outcome.1.as_ref().and_then(|bytes| bytes[at & !3..].first_chunk().copied());
        let [found, expected] = [found, expected].map(|outcome| word(outcome).map(u32::from_le_bytes));
        format!("at address {:#x} {found:x?} instead of {expected:x?}", memory.address_of(at & !3))
    });
    Err(format!(
        "{name} {DISAGREEMENT}: {:?} instead of {:?}, {}\nwidth {}, {} threads, {} steps\n{job:#?}\n{}\n{}",
        found.0,
        expected.0,
        word.unwrap_or_default(),
        options.group_width,
        options.threads,
        options.step_limit,
        print_program(job.program),
        job.fetch_program.map(print_program).unwrap_or_default(),
    ))
}
