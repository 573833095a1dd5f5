//! Kernels: a program, lifted and prepared for surfaces of given layouts.

use crate::backend::{Backend, Bindings, Code as MachineCode, Source, SurfaceFacts};
use crate::interp;
use ctm_lane::{Function, assume_covered, simplify};
use ctm_memory::{Bounds, Surface, View};
use ctm_x1k::lift::{self, Facts, Form, Lifted, Role};
use ctm_x1k::{CondTest, INPUTS, Instruction, Job, OUTPUTS, Program, ProgramInfo, References};
use std::sync::OnceLock;

/// Everything that a kernel depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    code: Vec<Instruction>,
    info: ProgramInfo,
    references: References,
    facts: Facts,
    inputs: [Option<SurfaceFacts>; INPUTS],
    outputs: [Option<SurfaceFacts>; OUTPUTS],
    conditional: Option<SurfaceFacts>,
}

impl Key {
    pub fn new(job: &Job) -> Self {
        let facts = |surface: &Option<Surface>, bounds| {
            surface.as_ref().map(|surface| SurfaceFacts::of(job.memory, surface, bounds))
        };
        let inputs = job.inputs.each_ref().map(|surface| facts(surface, Bounds::Clamp));
        let finite = std::array::from_fn(|channel| {
            job.constants.floats.iter().all(|value| f32::from_bits(value[channel]).is_finite())
        });
        Key {
            code: job.program.code.clone(),
            info: job.program.info,
            references: job.program.references.clone(),
            facts: Facts {
                inputs: inputs.each_ref().map(|input| input.map(|facts| (facts.surface, facts.whole))),
                outputs: job.outputs.each_ref().map(Option::is_some),
                out_mask: job.out_mask,
                test: job.conditional.test,
                location: job.conditional.location,
                write: job.conditional.write,
                unfused: job.unfused,
                finite,
            },
            inputs,
            outputs: job.outputs.each_ref().map(|surface| facts(surface, Bounds::Drop)),
            conditional: facts(&job.conditional.surface, Bounds::Drop),
        }
    }

    fn surface(&self, role: Role) -> Option<SurfaceFacts> {
        match role {
            Role::Input(number) => self.inputs[number],
            Role::Output(number) => self.outputs[number],
            Role::Conditional => self.conditional,
        }
    }
}

/// A lifted and simplified function with its code.
pub(crate) struct Prepared {
    pub lifted: Lifted,
    pub code: interp::Code,
    pub machine: Option<Box<dyn MachineCode>>,
}

impl Prepared {
    fn new(mut lifted: Lifted) -> Self {
        simplify(&mut lifted.function);
        Prepared { code: interp::Code::new(&lifted.function), lifted, machine: None }
    }
}

/// A program, ready to run on surfaces with the layouts of its key.
pub(crate) struct Kernel {
    pub key: Key,
    /// The form whose lanes do not depend on their group.
    pub free: Option<Prepared>,
    exact: OnceLock<Option<Prepared>>,
    program: Program,
}

impl Kernel {
    pub fn new(key: Key, program: &Program, backend: Option<&dyn Backend>) -> Self {
        let free = lift::lift(program, &key.facts, Form::Free).ok().map(Prepared::new).map(|mut free| {
            free.machine = backend.and_then(|backend| compile(backend, &key, &free.lifted));
            free
        });
        Kernel { key, free, exact: OnceLock::new(), program: program.clone() }
    }

    /// The form that follows the group; `None` if the program is too large for it.
    pub fn exact(&self) -> Option<&Prepared> {
        let make = || lift::lift(&self.program, &self.key.facts, Form::Exact).ok().map(Prepared::new);
        self.exact.get_or_init(make).as_ref()
    }
}

fn compile(backend: &dyn Backend, key: &Key, lifted: &Lifted) -> Option<Box<dyn MachineCode>> {
    let surfaces: Option<Vec<SurfaceFacts>> = lifted.surfaces.iter().map(|&role| key.surface(role)).collect();
    let surfaces = surfaces.filter(|surfaces| surfaces.iter().all(|facts| facts.whole))?;
    let mut interior: Function = lifted.function.clone();
    assume_covered(&mut interior);
    simplify(&mut interior);
    backend.compile(&Source { function: &lifted.function, interior: &interior, surfaces: &surfaces })
}

/// Binds the names of a function to the job's memory and constants.
pub(crate) fn bind<'a>(job: &Job<'a>, lifted: &Lifted) -> Bindings<'a> {
    let views = lifted.surfaces.iter().filter_map(|&role| {
        let (surface, bounds) = match role {
            Role::Input(number) => (job.inputs[number], Bounds::Clamp),
            Role::Output(number) => (job.outputs[number], Bounds::Drop),
            Role::Conditional => (job.conditional.surface, Bounds::Drop),
        };
        Some(View::new(job.memory, surface?, bounds))
    });
    let constants = &job.constants;
    let mut tables: Vec<Vec<u32>> =
        (0..lift::FLOAT_TABLES).map(|channel| constants.floats.iter().map(|value| value[channel]).collect()).collect();
    let fields = |int: &ctm_x1k::IntConstant| {
        [u32::from(int.count), u32::from(int.init), i32::from(int.step).cast_unsigned(), 0]
    };
    tables.push(constants.ints.iter().flat_map(fields).collect());
    tables.push(constants.bools.iter().map(|&set| u32::from(set)).collect());
    tables.push(vec![job.conditional.pe_value]);
    Bindings { space: job.memory, surfaces: views.collect(), tables }
}

/// Which of the ways to run a job gives the results of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Lanes may be grouped in any way.
    Free,
    /// The groups of the options, one instruction after the other.
    Exact,
    /// The order in which single lanes write matters.
    Reference,
}

/// Chooses the way, as far as it does not depend on the kernel.
pub(crate) fn way(job: &Job) -> Way {
    let umrt = job.program.info.write_mode == ctm_x1k::WriteMode::Umrt;
    let outputs = job.program.references.outputs.iter().filter_map(|&output| job.outputs[usize::from(output)]);
    let buffer = job.conditional.surface.filter(|_| job.conditional.needs_buffer());
    let written: Vec<Surface> = outputs.chain(buffer).collect();
    let pairs = |at: usize| written[..at].iter().any(|other| overlap(other, &written[at]));
    let unmapped = |surface: &Surface| !SurfaceFacts::of(job.memory, surface, Bounds::Drop).whole;
    // Where masks leave nothing of a store, the reference still notices that it leaves the memory.
    let stores_nothing = |surface: &Surface| job.out_mask & ((1 << surface.format.channels()) - 1) == 0;
    if (0..written.len()).any(pairs)
        || umrt && written.iter().any(|surface| surface.height == 0)
        || written.iter().any(|surface| stores_nothing(surface) && unmapped(surface))
    {
        return Way::Reference;
    }
    let reads_written = job.inputs.iter().flatten().any(|input| written.iter().any(|output| overlap(input, output)));
    let overlaps_itself =
        |surface: &Surface| !surface.pitch.is_multiple_of(Surface::pitch_granule(surface.tiling, surface.format));
    let executes_some = job.conditional.location == ctm_x1k::CondLocation::Pe
        && (job.conditional.write || job.conditional.test != CondTest::Always);
    if umrt || reads_written || executes_some || written.iter().any(overlaps_itself) { Way::Exact } else { Way::Free }
}

/// Whether two surfaces may share memory.
fn overlap(a: &Surface, b: &Surface) -> bool {
    let range = |surface: &Surface| {
        let height = if surface.height == 0 { 4096 } else { surface.height };
        let rounded = surface.pitch.next_multiple_of(Surface::pitch_granule(surface.tiling, surface.format));
        let bytes = Surface { height, pitch: rounded, ..*surface }.bytes();
        (u64::from(surface.base), u64::from(surface.base) + bytes)
    };
    let (a, b) = (range(a), range(b));
    // Addresses wrap at 32 bits.
    let wraps = a.1 > 1 << 32 || b.1 > 1 << 32;
    wraps || a.0 < b.1 && b.0 < a.1
}
