//! What this machine can do: multiply-adds, and bytes copied, per second.

mod copying;
mod multiply_add;

pub use copying::Copying;
pub use multiply_add::Unit;

use ctm_codegen::EngineName;
use std::sync::Barrier;
use std::time::Instant;

/// Measurements, the best of which counts.
const TRIES: usize = 20;
/// Seconds of one measurement, about.
const LENGTH: f64 = 0.01;

/// The arithmetic of a machine, as far as an engine may use it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// What multiplies and adds.
    pub unit: Unit,
    /// Operations of fused multiply-adds per second with one thread, two for each.
    pub flops_of_one: f64,
    /// The same with all threads.
    pub flops: f64,
}

impl Limits {
    /// Measures this machine with so many threads.
    pub fn measure(engine: EngineName, threads: usize) -> Self {
        let unit = Unit::of(engine);
        Limits { unit, flops_of_one: flops(unit, 1), flops: flops(unit, threads) }
    }

    /// The better of two measurements.
    pub fn best(self, other: Self) -> Self {
        Limits {
            unit: self.unit,
            flops_of_one: self.flops_of_one.max(other.flops_of_one),
            flops: self.flops.max(other.flops),
        }
    }
}

fn flops(unit: Unit, threads: usize) -> f64 {
    // At some 1e11 operations per second.
    let passes = (LENGTH * 1e11 / unit.flops_per_pass()) as u64;
    let seconds = best(threads, || move || std::hint::black_box(unit.run(passes)));
    threads as f64 * passes as f64 * unit.flops_per_pass() / seconds
}

/// The shortest of several times of work that all threads do at once. `prepare` makes a thread's work.
fn best<W: FnMut() -> R, R>(threads: usize, prepare: impl Fn() -> W + Sync) -> f64 {
    let barrier = Barrier::new(threads);
    let times = std::thread::scope(|scope| {
        let thread = || {
            let mut work = prepare();
            work();
            let time = |_| {
                barrier.wait();
                let start = Instant::now();
                work();
                barrier.wait();
                start.elapsed().as_secs_f64()
            };
            (0..TRIES).map(time).fold(f64::INFINITY, f64::min)
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(thread)).collect();
        handles.into_iter().map(|handle| handle.join().expect("measuring does not fail")).collect::<Vec<_>>()
    });
    // All threads measure the same: from the barrier before the work to the one after it.
    times.into_iter().fold(0.0, f64::max)
}
