//! The measurement: each kernel on an engine, on llvmpipe and, if asked for, written by hand, in turns.

use crate::drawing::{Drawing, PeerError};
use crate::gl::{Driver, Programs};
use crate::guest::{self, Guest};
use crate::kernel::{Isa, KERNELS, Kernel};
use crate::limits::{Copying, Limits};
use crate::machine::{Machine, forget_peak_memory, peak_memory};
use crate::native::Native;
use crate::sample::Sample;
use crate::turn::{repetitions, seconds, their_turn, turn};
use ctm_codegen::EngineName;
use ctm_testkit::picture::Comparison;

/// Seconds that one side works before it is the other's turn, about.
const TURN: f64 = 0.04;
/// Times that a kernel is compiled.
const COMPILATIONS: usize = 9;

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The instruction set of our side.
    pub isa: Isa,
    /// The names of the kernels; none for all.
    pub kernels: Vec<String>,
    /// The engine of our side.
    pub engine: EngineName,
    /// Threads of both sides.
    pub threads: usize,
    /// Turns of each side.
    pub rounds: usize,
    /// Whether kernels written by hand are measured too.
    pub native: bool,
}

/// What a kernel written by hand did.
#[derive(Debug)]
pub struct ByHand {
    /// Its times.
    pub times: Sample,
    /// Its times with one thread.
    pub alone: Sample,
    /// Our picture, compared with its.
    pub comparison: Comparison,
}

/// What one kernel did.
#[derive(Debug)]
pub struct Row {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Our times, with all threads.
    pub ours: Sample,
    /// Our times with one thread.
    pub alone: Sample,
    /// Times of llvmpipe.
    pub theirs: Sample,
    /// The kernel written by hand, if it was asked for.
    pub native: Option<ByHand>,
    /// Times of copying as many bytes as the textures and the picture have, half of them from and half of them to memory.
    pub copying: Sample,
    /// Times from dwords to what the engine runs.
    pub compile: Sample,
    /// Our picture, compared with llvmpipe's.
    pub comparison: Comparison,
    /// Floating-point operations: two for everything that takes a multiply-add's place.
    pub flops: f64,
    /// Bytes of the textures and of the picture.
    pub bytes: u64,
    /// Most memory of this process while the kernel ran, beyond those bytes.
    pub overhead: Option<u64>,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Measurement {
    /// What was asked for.
    pub plan: Plan,
    /// Where.
    pub machine: Machine,
    /// The driver of the other side.
    pub driver: String,
    /// The compiler of the kernels written by hand, if they were asked for.
    pub compiler: Option<String>,
    /// What the machine can do.
    pub limits: Limits,
    /// The kernels.
    pub rows: Vec<Row>,
}

/// What a kernel cannot be faster than.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Its multiply-adds.
    Arithmetic,
    /// The bytes that it moves.
    Memory,
}

impl Row {
    /// How many times as fast as llvmpipe we are.
    pub fn ratio(&self) -> f64 {
        self.theirs.median() / self.ours.median()
    }

    /// How much of the speed of the kernel written by hand we have.
    pub fn of_native(&self) -> Option<f64> {
        self.native.as_ref().map(|native| native.times.median() / self.ours.median())
    }

    /// Whether our picture is right.
    pub fn picture_agrees(&self) -> bool {
        self.comparison.passes && self.native.as_ref().is_none_or(|native| native.comparison.passes)
    }

    /// How many times as fast all threads are as one.
    pub fn scaling(&self) -> f64 {
        self.alone.median() / self.ours.median()
    }

    /// The same of the kernel written by hand.
    pub fn scaling_of_native(&self) -> Option<f64> {
        self.native.as_ref().map(|native| native.alone.median() / native.times.median())
    }

    /// The limit that binds, and how much of it we reach.
    pub fn limit(&self, limits: &Limits) -> (Bound, f64) {
        let (arithmetic, memory) = (self.flops / limits.flops, self.copying.median());
        let bound = if arithmetic > memory { Bound::Arithmetic } else { Bound::Memory };
        (bound, arithmetic.max(memory) / self.ours.median())
    }

    /// Whether the kernel belongs to those that are summed up; variants of another size do not.
    pub fn counts(&self) -> bool {
        self.kernel.size.is_none()
    }
}

impl Measurement {
    /// Measures. `progress` is told the name of what comes next.
    ///
    /// # Errors
    /// If llvmpipe or the kernels written by hand cannot be measured.
    pub fn new(plan: Plan, progress: impl Fn(&str)) -> Result<Self, PeerError> {
        let programs = Programs::build()?;
        let native = if plan.native { Some(Native::build()?) } else { None };
        let machine = Machine::new();
        progress("limits");
        let limits = Limits::measure(plan.engine, plan.threads);
        let (mut driver, mut compiler) = (String::new(), None);
        let mut rows = Vec::new();
        let wanted = |kernel: &&Kernel| plan.kernels.is_empty() || plan.kernels.iter().any(|name| name == kernel.name);
        // Large pictures first: what other kernels leave in the process is not memory that they need.
        let mut kernels: Vec<&Kernel> = KERNELS.iter().filter(wanted).collect();
        kernels.sort_by_key(|kernel| kernel.size.is_none());
        for kernel in kernels {
            let Some(ours) = guest::load(kernel, plan.isa, plan.engine) else { continue };
            progress(kernel.name);
            let mut theirs =
                programs.kernel(kernel, ours.size(), &ours.textures(), (&Driver::Llvmpipe, plan.threads))?;
            theirs.driver().clone_into(&mut driver);
            let by_hand = |threads| {
                let drawing = native.as_ref().map(|all| all.kernel(kernel, ours.size(), &ours.textures(), threads));
                drawing.transpose()
            };
            let mut by_hand = by_hand(plan.threads)?.zip(by_hand(1)?);
            compiler = by_hand.as_ref().map(|(by_hand, _)| by_hand.driver().to_owned()).or(compiler);
            rows.push(measure(kernel, &*ours, (&mut theirs, by_hand.as_mut()), &plan)?);
        }
        rows.sort_by_key(|row: &Row| KERNELS.iter().position(|kernel| kernel.name == row.kernel.name));
        progress("limits");
        let limits = limits.best(Limits::measure(plan.engine, plan.threads));
        Ok(Measurement { plan, machine, driver, compiler, limits, rows })
    }

    /// Whether all pictures are right.
    pub fn pictures_agree(&self) -> bool {
        self.rows.iter().all(Row::picture_agrees)
    }

    /// The geometric mean of a number of the kernels that count; none if there are none.
    pub fn mean(&self, number: impl Fn(&Row) -> Option<f64>) -> Option<f64> {
        let numbers = self.rows.iter().filter(|row| row.counts()).filter_map(number);
        let logarithms: Vec<f64> = numbers.map(f64::ln).collect();
        let count = logarithms.len() as f64;
        (count > 0.0).then(|| (logarithms.into_iter().sum::<f64>() / count).exp())
    }
}

/// The turn of the memory's limit, likewise.
fn copying_turn(copying: &mut Copying) -> f64 {
    let times = repetitions(TURN, copying.run(1));
    copying.run(times) / f64::from(times)
}

fn measure(
    kernel: &'static Kernel,
    ours: &dyn Guest,
    (theirs, mut by_hand): (&mut Drawing, Option<&mut (Drawing, Drawing)>),
    plan: &Plan,
) -> Result<Row, PeerError> {
    let mut compile = Sample::default();
    (0..COMPILATIONS).for_each(|_| compile.add(seconds(|| ours.compile())));
    let (width, height) = ours.size();
    let areas = ours.textures().iter().map(|texture| u64::from(texture.width) * u64::from(texture.height)).sum::<u64>();
    let bytes = 16 * (areas + u64::from(width) * u64::from(height));
    ours.run(plan.threads);
    forget_peak_memory();
    ours.run(plan.threads);
    let overhead = peak_memory().map(|peak| peak.saturating_sub(bytes));
    theirs.draw(1)?;
    let picture = ours.picture();
    let comparison = kernel.tolerance.compare(&picture, &theirs.floats((width, height))?);
    let mut native = None;
    if let Some((by_hand, _)) = &mut by_hand {
        by_hand.draw(1)?;
        let comparison = kernel.tolerance.compare(&picture, &by_hand.floats((width, height))?);
        native = Some(ByHand { times: Sample::default(), alone: Sample::default(), comparison });
    }
    let flops = 2.0 * kernel.operations(&picture);
    drop(picture);
    let mut copying = Copying::new(plan.threads, bytes);
    let [mut all, mut alone, mut others, mut copies] = [(); 4].map(|()| Sample::default());
    for _ in 0..plan.rounds {
        all.add(turn(TURN, ours, plan.threads));
        others.add(their_turn(TURN, theirs)?);
        if let (Some((by_hand, alone)), Some(native)) = (&mut by_hand, &mut native) {
            native.times.add(their_turn(TURN, by_hand)?);
            native.alone.add(their_turn(TURN, alone)?);
        }
        copies.add(copying_turn(&mut copying));
        alone.add(turn(TURN, ours, 1));
    }
    Ok(Row {
        kernel,
        ours: all,
        alone,
        theirs: others,
        native,
        copying: copies,
        compile,
        comparison,
        flops,
        bytes,
        overhead,
    })
}
