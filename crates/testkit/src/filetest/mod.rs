//! Filetests: one text file is a program, its inputs, and what must come out.
//!
//! The program is assembly text; directives are comment lines in it:
//!
//! ```text
//! --; run: --domain 8x4 --input 0=8x4:FLOAT32_4:iota --clear -1
//! --; expect out0[*,*] = 2*i, j, _, 0x3F800000
//! --; expect lanes: 32
//! --; error: X1K004
//! ```
//!
//! [`directive`] lists all of them. Every run is made on every engine, with every group width and thread count of
//! [`GROUP_WIDTHS`] and [`THREADS`], and all have to give the same memory.

pub mod directive;
pub mod value;

use crate::buffers::Buffers;
use crate::forms::{DISAGREEMENT, Forms};
use crate::{GROUP_WIDTHS, THREADS, engines};
use ctm_engine::{Executor, GuestJob, in_order};
use ctm_lane::counts::InstructionCounts;
use ctm_memory::{Bounds, Format, Surface, Tiling, View};
use ctm_x1k::engine::NotCompiled;
use ctm_x1k::{
    Conditional, Domain, InputSampler, Interpolants, Job, OUTPUTS, Plane, Program, RunError, RunOptions, RunStats,
    WriteMode, check, reference, text,
};
use directive::{Contents, Expectation, Expected, OutputPlacement, Run, SurfaceSpec, random_elements};
use std::path::Path;

/// Runs the file, and says what is wrong.
pub fn run(path: &Path) -> Result<(), String> {
    let name = path.display();
    let source = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    check(&source).map_err(|error| format!("{name}: {error}"))
}

fn check(source: &str) -> Result<(), String> {
    let directives = directive::parse(source)?;
    let (program, errors) = match text::parse(source) {
        Ok(assembled) => {
            let findings = check::legal(&assembled.program).err().unwrap_or_default();
            let errors = findings.iter().map(|finding| (finding.code.as_str().to_owned(), finding.message.clone()));
            (Some(assembled.program), errors.collect::<Vec<_>>())
        }
        Err(diagnostics) => {
            let errors = diagnostics.iter().map(|diagnostic| (diagnostic.code().to_owned(), diagnostic.to_string()));
            (None, errors.collect())
        }
    };
    // A program that breaks the load rules can still be run, to see what the engines make of it.
    if program.is_none() || !directives.errors.is_empty() {
        let wanted: Vec<&str> = directives.errors.iter().map(|(_, code)| code.as_str()).collect();
        let got: Vec<&str> = errors.iter().map(|(code, _)| code.as_str()).collect();
        if wanted != got {
            let texts: Vec<&str> = errors.iter().map(|(_, message)| message.as_str()).collect();
            return Err(format!("errors {got:?} instead of {wanted:?}:\n{}", texts.join("\n")));
        }
    }
    let Some(program) = &program else { return Ok(()) };
    let mut bench = Bench::new();
    for run in &directives.runs {
        bench.run(program, run).map_err(|error| format!("line {}: {error}", run.line))?;
    }
    Ok(())
}

/// The memory of one run.
struct Environment<'b> {
    buffers: &'b mut Buffers,
    inputs: [Option<Surface>; ctm_x1k::INPUTS],
    samplers: [Option<InputSampler>; ctm_x1k::INPUTS],
    outputs: [Option<Surface>; OUTPUTS],
    cond_buffer: Option<Surface>,
}

impl<'b> Environment<'b> {
    fn new(buffers: &'b mut Buffers, program: &Program, run: &Run) -> Result<Self, String> {
        buffers.clear();
        let mut environment = Environment {
            buffers,
            inputs: [None; ctm_x1k::INPUTS],
            samplers: Default::default(),
            outputs: [None; OUTPUTS],
            cond_buffer: None,
        };
        for output in 0..OUTPUTS {
            let given = run.outputs.iter().find(|(number, _)| *number == output).map(|(_, target)| *target);
            let referenced = program.references.outputs.contains(&(output as u8));
            let default = || OutputPlacement::Own(default_output(program, run.domain));
            if let Some(target) = given.or_else(|| referenced.then(default)) {
                environment.outputs[output] = Some(environment.target(target, run.clear)?);
            }
        }
        for (number, contents) in &run.inputs {
            let surface = environment.surface_with(contents)?;
            *environment.inputs.get_mut(*number).ok_or("there are 16 inputs")? = Some(surface);
        }
        for (number, sampled) in &run.sampled {
            let (_, first) = run.inputs.iter().find(|(input, _)| input == number).ok_or("no such input is there")?;
            let levels = 1..=sampled.shape.last_level;
            let levels = levels.map(|level| environment.surface_with(&first.of_level(level, sampled)?));
            let levels = levels.collect::<Result<_, String>>()?;
            environment.samplers[*number] =
                Some(InputSampler { sampler: sampled.sampler, shape: sampled.shape, levels });
        }
        if let Some(contents) = &run.cond_buffer {
            environment.cond_buffer = Some(environment.surface_with(contents)?);
        }
        Ok(environment)
    }

    fn allocate(&mut self, spec: &SurfaceSpec) -> Result<Surface, String> {
        let surface = self.buffers.allocate(spec.width, spec.height, spec.format, spec.tiling);
        if surface.pitch != spec.width {
            return Err(format!("a surface of {} elements in a row needs a pitch of {}", spec.width, surface.pitch));
        }
        Ok(Surface { superfine: spec.superfine, ..surface })
    }

    fn output(&self, number: usize) -> Result<Surface, String> {
        self.outputs.get(number).copied().flatten().ok_or_else(|| format!("there is no out{number}"))
    }

    /// A surface like that of an output, so many bytes after it.
    fn beside(&self, number: usize, bytes: u32) -> Result<Surface, String> {
        let surface = self.output(number)?;
        Ok(Surface { base: surface.base.wrapping_add(bytes), ..surface })
    }

    fn target(&mut self, target: OutputPlacement, clear: u32) -> Result<Surface, String> {
        let (spec, base) = match target {
            OutputPlacement::Output(number, bytes) => return self.beside(number, bytes),
            OutputPlacement::Own(spec) => (spec, None),
            OutputPlacement::End(spec) => (spec, Some(self.buffers.last_block())),
        };
        let surface = self.allocate(&spec)?;
        self.buffers.fill(&surface, spec.width, |_, _| [clear; 4]);
        Ok(Surface { base: base.unwrap_or(surface.base), ..surface })
    }

    fn surface_with(&mut self, contents: &Contents) -> Result<Surface, String> {
        match contents {
            Contents::Output(number, bytes) => self.beside(*number, *bytes),
            Contents::Iota(spec) => {
                let surface = self.allocate(spec)?;
                self.buffers
                    .fill(&surface, spec.width, |x, y| [x, y, y * spec.width + x, 1].map(|n| (n as f32).to_bits()));
                Ok(surface)
            }
            Contents::Random(spec, seed, rarity) => {
                let surface = self.allocate(spec)?;
                let mut elements = random_elements(*seed, *rarity);
                self.buffers.fill(&surface, spec.width, |_, _| elements.next().unwrap_or_default());
                Ok(surface)
            }
            Contents::Values(spec, values) => {
                let surface = self.allocate(spec)?;
                let mut values = values.iter().copied().cycle();
                let view = View::new(self.buffers.space(), surface, Bounds::Drop);
                for (x, y) in (0..spec.height).flat_map(|y| (0..spec.width).map(move |x| (x, y))) {
                    let mut element = [0; 4];
                    element[..spec.format.channels()]
                        .iter_mut()
                        .for_each(|channel| *channel = values.next().unwrap_or(0));
                    view.store(x.into(), y.into(), element, 0xF);
                }
                Ok(surface)
            }
        }
    }

    fn job<'a>(&'a self, program: &'a Program, run: &Run) -> Job<'a> {
        Job {
            inputs: self.inputs,
            samplers: self.samplers.clone(),
            outputs: self.outputs,
            out_mask: run.out_mask,
            conditional: Conditional { surface: self.cond_buffer, ..run.conditional },
            unfused: run.unfused,
            interpolants: Some(interpolants()),
            ..Job::new(program, run.domain, self.buffers.space())
        }
    }

    fn raw(&self, surface: &Surface, x: u32, y: u32) -> [u32; 4] {
        View::new(self.buffers.space(), *surface, Bounds::Drop).load_raw(x.into(), y.into())
    }
}

/// Outputs take the domain's size; a program of immediate writes needs single floats.
fn default_output(program: &Program, domain: Domain) -> SurfaceSpec {
    let umrt = program.info.write_mode == WriteMode::Umrt;
    SurfaceSpec {
        width: (domain.i1 + 1).next_multiple_of(if umrt { 8 } else { 4 }),
        height: domain.j1 + 1,
        format: if umrt { Format::Float32_1 } else { Format::Float32_4 },
        tiling: Tiling::Linear,
        superfine: false,
    }
}

/// What runs are checked with: engines, the reference first, and memory.
#[derive(Debug)]
pub struct Bench {
    engines: Vec<Executor>,
    forms: Forms,
    buffers: Buffers,
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

/// What came of a run on all engines.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Statistics, or the error, of the reference.
    pub result: Result<RunStats, RunError>,
    /// Machine code ran it, or why not.
    pub compiled: Result<(), NotCompiled>,
    /// Runs of engines other than the reference.
    pub runs: u64,
}

impl Bench {
    /// What checks the forms.
    pub fn forms(&self) -> &Forms {
        &self.forms
    }

    /// All engines of this host, and memory for small surfaces.
    pub fn new() -> Self {
        Bench { engines: engines(), forms: Forms::new(), buffers: Buffers::dense(1 << 22) }
    }

    /// Checks that every engine does what the reference does.
    ///
    /// # Errors
    /// With what differs, or what the run lacks.
    pub fn agreement(&mut self, program: &Program, run: &Run, options: &RunOptions) -> Result<Checked, String> {
        let environment = Environment::new(&mut self.buffers, program, run)?;
        let job = environment.job(program, run);
        let before = environment.buffers.contents();
        let outcome = |run: &dyn Fn() -> Result<RunStats, RunError>| {
            environment.buffers.restore(&before);
            let result = run();
            // After a trap it is open which groups of other threads ran.
            let defined = result.is_ok() || in_order(&job, options).threads == 1;
            (result, defined.then(|| environment.buffers.contents()))
        };
        let wanted = outcome(&|| reference::run(&job, options));
        let engine = self.forms.engine();
        let compiled = engine.compiles(&job, options);
        let mut checked = Checked { result: wanted.0.clone(), compiled, runs: 0 };
        for name in self.forms.each(compiled.is_ok()) {
            checked.runs += 1;
            let got = outcome(&|| engine.run(&job, options));
            if wanted != got {
                let RunOptions { group_width, threads, step_limit, .. } = options;
                let how = format!("{name}, width {group_width}, {threads} threads, limit {step_limit}");
                return Err(format!("{how} {DISAGREEMENT}: {}", environment.difference(&wanted, &got)));
            }
        }
        self.forms.check_proven()?;
        // Where lanes meet in memory, neither width nor number of threads means anything.
        for (group_width, threads) in OTHERS.into_iter().filter(|_| job.order().is_some()) {
            let options = RunOptions { group_width, threads, ..*options };
            for executor in [&Executor::Reference, &Executor::Engine(engine.clone())] {
                let got = outcome(&|| executor.run(&job, &options));
                if wanted != got {
                    let how = format!("{}, width {group_width}, {threads} threads", executor.name());
                    return Err(format!("{how} {DISAGREEMENT}: {}", environment.difference(&wanted, &got)));
                }
            }
        }
        if wanted.0.is_ok() {
            let counted = |run: &dyn Fn(&RunOptions) -> Result<RunStats, RunError>| {
                let counts =
                    InstructionCounts::new(job.domain.into(), &options.budget).map_err(|halt| halt.to_string())?;
                let outcome = outcome(&|| run(&RunOptions { counts: Some(&counts), ..*options }));
                Ok::<_, String>((outcome, counts.instructions(), counts.lanes()))
            };
            let by_reference = counted(&|options| reference::run(&job, options))?;
            let by_engine = counted(&|options| engine.run(&job, options))?;
            if by_reference != by_engine || by_reference.0 != wanted {
                return Err(format!("counting {DISAGREEMENT}: {by_engine:?}\nand not {by_reference:?}"));
            }
        }
        Ok(checked)
    }

    fn run(&mut self, program: &Program, run: &Run) -> Result<(), String> {
        let is_agreement = |expectation: &Expectation| matches!(expectation.what, Expected::Agreement);
        let widths = run.widths.as_deref().unwrap_or(&GROUP_WIDTHS);
        let threads = run.threads.as_deref().unwrap_or(&THREADS);
        let options = widths.iter().flat_map(|&group_width| {
            threads.iter().map(move |&threads| RunOptions {
                group_width,
                threads,
                step_limit: run.step_limit,
                ..crate::untimed()
            })
        });
        let options: Vec<RunOptions> = options.collect();
        if run.expectations.iter().any(is_agreement) {
            for options in &options {
                self.agreement(program, run, options)?;
            }
        }
        if run.expectations.iter().all(is_agreement) {
            return Ok(());
        }
        let environment = Environment::new(&mut self.buffers, program, run)?;
        let before = environment.buffers.contents();
        let mut first: Option<Vec<u8>> = None;
        for engine in &self.engines {
            for options in &options {
                let what = format!("{}, width {}, {} threads", engine.name(), options.group_width, options.threads);
                environment.buffers.restore(&before);
                let result = engine.run(&environment.job(program, run), options);
                for expectation in run.expectations.iter().filter(|expectation| !is_agreement(expectation)) {
                    compare(&expectation.what, run, &environment, &result)
                        .map_err(|error| format!("{what}, expectation of line {}: {error}", expectation.line))?;
                }
                if result.is_ok() {
                    let memory = environment.buffers.contents();
                    if *first.get_or_insert_with(|| memory.clone()) != memory {
                        return Err(format!("{what}: memory differs from that of the first configuration"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Widths and numbers of threads that runs in order are checked with as well.
const OTHERS: [(usize, usize); 3] = [(1, 1), (5, 3), (64, 2)];

type Outcome = (Result<RunStats, RunError>, Option<Vec<u8>>);

impl Environment<'_> {
    /// The first thing that is not as it should be.
    fn difference(&self, wanted: &Outcome, got: &Outcome) -> String {
        if wanted.0 != got.0 {
            return format!("{:?}, not {:?}", got.0, wanted.0);
        }
        let bytes = wanted.1.iter().flatten().zip(got.1.iter().flatten());
        let Some(at) = bytes.clone().position(|(wanted, got)| wanted != got) else { return String::new() };
        let address = self.buffers.address_of(at) & !3;
        let word = |outcome: &Outcome| {
            let bytes: &[u8] = outcome.1.as_deref().unwrap_or_default();
            bytes[at & !3..].first_chunk().copied().map(u32::from_le_bytes).unwrap_or_default()
        };
        let surfaces = self.outputs.iter().chain([&self.cond_buffer]).enumerate();
        let holds =
            |surface: &Surface| (surface.base..surface.base.wrapping_add(surface.bytes() as u32)).contains(&address);
        let place =
            surfaces.filter_map(|(number, surface)| surface.filter(holds).map(|surface| (number, surface))).next();
        let place = match place {
            Some((OUTPUTS, surface)) => format!("byte {:#x} of the conditional buffer", address - surface.base),
            Some((number, surface)) => format!("byte {:#x} of out{number}", address - surface.base),
            None => format!("address {address:#x}, outside of all outputs,"),
        };
        format!("the word at {place} is {:#010x}, not {:#010x}", word(got), word(wanted))
    }
}

fn compare(
    expected: &Expected,
    run: &Run,
    environment: &Environment,
    result: &Result<RunStats, RunError>,
) -> Result<(), String> {
    match (expected, result) {
        (Expected::Trap(kind, pc), Err(RunError::Trap(trap))) if (trap.kind, trap.pc) == (*kind, *pc) => Ok(()),
        (Expected::State(name), Err(RunError::State(error))) if format!("{error:?}").starts_with(name) => Ok(()),
        (Expected::Lanes(lanes), Ok(stats)) if stats.lanes == *lanes => Ok(()),
        (Expected::Instructions(instructions), Ok(stats)) if stats.instructions == *instructions => Ok(()),
        (Expected::OutOfRange, Ok(stats)) if stats.out_of_range => Ok(()),
        (Expected::Elements { output, columns, rows, values }, _) => {
            let surface = match output {
                Some(number) => environment.outputs.get(*number).copied().flatten(),
                None => environment.cond_buffer,
            };
            let surface = surface.ok_or("there is no such surface")?;
            let Domain { i0, j0, i1, j1 } = run.domain;
            for j in rows.clone().unwrap_or(j0..=j1) {
                for i in columns.clone().unwrap_or(i0..=i1) {
                    // The conditional buffer is compared as it is stored.
                    let got = match output {
                        Some(_) => environment.buffers.read(&surface, i, j),
                        None => environment.raw(&surface, i, j),
                    };
                    let wanted: Vec<Option<u32>> = values.iter().map(|value| value.bits(i, j)).collect();
                    if !wanted.iter().zip(got).all(|(wanted, got)| wanted.is_none_or(|wanted| wanted == got)) {
                        return Err(format!("({i}, {j}) is {}, not {}", spell(got.map(Some)), spell(wanted)));
                    }
                }
            }
            match result {
                Ok(_) | Err(RunError::Trap(_)) => Ok(()),
                Err(error) => Err(error.to_string()),
            }
        }
        (expected, result) => Err(format!("{expected:?}, but the run gave {result:?}")),
    }
}

fn spell(values: impl IntoIterator<Item = Option<u32>>) -> String {
    let spelled = values.into_iter().map(|value| match value {
        None => "_".to_owned(),
        Some(bits) => format!("{:?} ({bits:#010x})", f32::from_bits(bits)),
    });
    format!("[{}]", spelled.collect::<Vec<_>>().join(", "))
}

/// The interpolated inputs of all filetests: planes of every slope, with an infinity, a NaN and denormals among them.
fn interpolants() -> Interpolants {
    let plane = |slot: usize, channel: usize| {
        let (slot, channel) = (slot as f32, channel as f32);
        let numbers = [slot - 0.25 * channel, 1.0 / (1.0 + channel), -0.5 * slot];
        let [first, by_column, by_row] = numbers.map(f32::to_bits);
        Plane { first, by_column, by_row }
    };
    let mut planes = std::array::from_fn(|slot| std::array::from_fn(|channel| plane(slot, channel)));
    planes[7] = [
        Plane { first: f32::NAN.to_bits(), by_column: 0, by_row: 0 },
        Plane { first: 0, by_column: f32::INFINITY.to_bits(), by_row: 0 },
        Plane { first: 1, by_column: 0x0040_0000, by_row: 0x8000_0000 },
        Plane { first: f32::MAX.to_bits(), by_column: f32::MAX.to_bits(), by_row: 0 },
    ];
    Interpolants { planes }
}

#[cfg(test)]
mod tests {
    use super::check;

    const PROGRAM: &str = "OUT TEX_SEM_WAIT src0.rgb = temp[0] : out[0].rgb = MAX src0.rgb src0.rgb ;\n";

    fn error_of(directives: &str) -> Option<String> {
        check(&format!("{PROGRAM}{directives}")).err()
    }

    #[test]
    fn what_holds_passes() {
        assert_eq!(error_of("--; run: --domain 3x2\n--; expect out0[1..2,*] = i, j, _, 0\n--; expect lanes: 6"), None);
        assert_eq!(error_of("--; run: --domain 2x2\n--; expect out0[*,1] = 2*i-i, 0x3F800000, 0, 0"), None);
    }

    #[test]
    fn failed_expectations_are_reported() {
        for (directives, expected) in [
            ("", "no `--; run:`"),
            ("--; run: --domain 2x2", "no `--; expect`"),
            ("--; expect lanes: 4", "before any run"),
            ("--; run: --domain 2x2 --color red\n--; expect lanes: 4", "unknown option `--color`"),
            ("--; run: --domain 2x2\n--; expect lanes: 5", "Lanes(5), but the run gave Ok"),
            ("--; run: --domain 2x2\n--; expect instructions: 5", "Instructions(5)"),
            ("--; run: --domain 2x2\n--; expect out0[*,*] = i, i, 0, 0", "(1, 0) is [1.0 (0x3f800000), 0.0"),
            ("--; run: --domain 2x2\n--; expect out0[1,1] = 1, 1, 0, 1", "(1, 1) is"),
            ("--; run: --domain 2x2\n--; expect trap: StepLimit pc 0", "Trap(StepLimit, 0), but"),
            ("--; run: --domain 2x2\n--; expect out of range", "OutOfRange, but"),
            ("--; run: --domain 2x2\n--; expect cond[0,0] = 0", "no such surface"),
            ("--; error: X1K004\n--; run: --domain 2x2\n--; expect lanes: 4", "errors [] instead of [\"X1K004\"]"),
            ("--; run: --domain 2x2 --step-limit 0\n--; expect lanes: 4", "StepLimit"),
        ] {
            let error = error_of(directives).unwrap_or_default();
            assert!(error.contains(expected), "{directives}: {error}");
        }
    }
}
