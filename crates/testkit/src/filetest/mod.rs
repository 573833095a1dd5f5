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

use crate::buffers::Buffers;
use crate::{GROUP_WIDTHS, THREADS, engines};
use ctm_memory::{Bounds, Format, Surface, Tiling, View};
use ctm_x1k::{Conditional, Domain, Job, OUTPUTS, Program, RunError, RunOptions, RunStats, WriteMode, check, text};
use directive::{Contents, Expected, Run, SurfaceSpec};
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
    for run in &directives.runs {
        check_run(program, run).map_err(|error| format!("line {}: {error}", run.line))?;
    }
    Ok(())
}

/// The memory of one run.
struct Environment {
    buffers: Buffers,
    inputs: [Option<Surface>; ctm_x1k::INPUTS],
    outputs: [Option<Surface>; OUTPUTS],
    cond_buffer: Option<Surface>,
}

impl Environment {
    fn new(program: &Program, run: &Run) -> Result<Self, String> {
        let mut environment = Environment {
            buffers: Buffers::new(1 << 23),
            inputs: [None; ctm_x1k::INPUTS],
            outputs: [None; OUTPUTS],
            cond_buffer: None,
        };
        for output in 0..OUTPUTS {
            let given = run.outputs.iter().find(|(number, _)| *number == output).map(|(_, spec)| *spec);
            let referenced = program.references.outputs.contains(&(output as u8));
            if let Some(spec) = given.or_else(|| referenced.then(|| default_output(program, run.domain))) {
                let surface = environment.allocate(&spec)?;
                environment.buffers.fill(&surface, spec.width, |_, _| [run.clear; 4]);
                environment.outputs[output] = Some(surface);
            }
        }
        for (number, contents) in &run.inputs {
            let surface = environment.surface_with(contents)?;
            *environment.inputs.get_mut(*number).ok_or("there are 16 inputs")? = Some(surface);
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

    fn surface_with(&mut self, contents: &Contents) -> Result<Surface, String> {
        match contents {
            Contents::Output(number) => {
                self.outputs.get(*number).copied().flatten().ok_or_else(|| format!("there is no out{number}"))
            }
            Contents::Iota(spec) => {
                let surface = self.allocate(spec)?;
                self.buffers
                    .fill(&surface, spec.width, |x, y| [x, y, y * spec.width + x, 1].map(|n| (n as f32).to_bits()));
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
            outputs: self.outputs,
            out_mask: run.out_mask,
            conditional: Conditional { surface: self.cond_buffer, ..run.conditional },
            unfused: run.unfused,
            ..Job::new(program, run.domain, self.buffers.space())
        }
    }

    /// All that the run could have changed.
    fn memory(&self) -> Vec<u32> {
        let surfaces = self.outputs.iter().flatten().chain(&self.cond_buffer);
        let elements = surfaces.flat_map(|surface| {
            let pairs = (0..surface.height).flat_map(|y| (0..surface.pitch).map(move |x| (x, y)));
            pairs.flat_map(|(x, y)| self.raw(surface, x, y))
        });
        elements.collect()
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

fn check_run(program: &Program, run: &Run) -> Result<(), String> {
    let mut first: Option<Vec<u32>> = None;
    for engine in engines() {
        for &group_width in run.widths.as_deref().unwrap_or(&GROUP_WIDTHS) {
            for threads in THREADS {
                let what = format!("{}, width {group_width}, {threads} threads", engine.name());
                let environment = Environment::new(program, run)?;
                let job = environment.job(program, run);
                let options = RunOptions { group_width, threads, step_limit: run.step_limit, ..RunOptions::default() };
                let result = engine.run(&job, &options);
                let completed = result.is_ok();
                for expectation in &run.expectations {
                    compare(&expectation.what, run, &environment, &result)
                        .map_err(|error| format!("{what}, expectation of line {}: {error}", expectation.line))?;
                }
                if completed {
                    let memory = environment.memory();
                    if first.get_or_insert_with(|| memory.clone()) != &memory {
                        return Err(format!("{what}: memory differs from that of the first configuration"));
                    }
                }
            }
        }
    }
    Ok(())
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
    fn what_does_not_hold_is_told() {
        for (directives, told) in [
            ("", "no `--; run:`"),
            ("--; run: --domain 2x2", "no `--; expect`"),
            ("--; expect lanes: 4", "before any run"),
            ("--; run: --domain 2x2 --color red\n--; expect lanes: 4", "`--color` is no option"),
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
            assert!(error.contains(told), "{directives}: {error}");
        }
    }
}
