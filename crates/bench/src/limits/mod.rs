//! What this machine can do: multiply-adds, and bytes copied, per second.

mod multiply_add;

pub use multiply_add::Unit;

use std::sync::Barrier;
use std::time::Instant;

/// Measurements of each limit, the best of which counts.
const TRIES: usize = 20;
/// Seconds of one measurement, about.
const LENGTH: f64 = 0.01;

/// Bytes of a picture of 1024 x 1024 pixels: many caches hold it.
const SMALL: usize = 16 << 20;
/// Bytes of a picture of 4096 x 4096 pixels: no cache holds it.
const LARGE: usize = 256 << 20;

/// The limits of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// What multiplies and adds.
    pub unit: Unit,
    /// Operations of fused multiply-adds per second with one thread, two for each.
    pub flops_of_one: f64,
    /// The same with all threads.
    pub flops: f64,
    /// Bytes per second, read and written, of copying a picture of 1024 x 1024 pixels with all threads.
    pub small_copy: f64,
    /// The same with 4096 x 4096 pixels.
    pub large_copy: f64,
}

impl Limits {
    /// Measures this machine with so many threads.
    pub fn measure(threads: usize) -> Self {
        Limits {
            unit: Unit::widest(),
            flops_of_one: flops(1),
            flops: flops(threads),
            small_copy: copied(threads, SMALL),
            large_copy: copied(threads, LARGE),
        }
    }

    /// The better of two measurements.
    pub fn best(self, other: Self) -> Self {
        Limits {
            unit: self.unit,
            flops_of_one: self.flops_of_one.max(other.flops_of_one),
            flops: self.flops.max(other.flops),
            small_copy: self.small_copy.max(other.small_copy),
            large_copy: self.large_copy.max(other.large_copy),
        }
    }

    /// Bytes per second for so many bytes that are read or written once.
    pub fn copy(&self, bytes: f64) -> f64 {
        if bytes > 2.0 * SMALL as f64 { self.large_copy } else { self.small_copy }
    }
}

fn flops(threads: usize) -> f64 {
    let unit = Unit::widest();
    // At some 1e11 operations per second.
    let passes = (LENGTH * 1e11 / unit.flops_per_pass()) as u64;
    let seconds = best(threads, || move || std::hint::black_box(unit.run(passes)));
    threads as f64 * passes as f64 * unit.flops_per_pass() / seconds
}

/// Bytes per second, read and written, of copying so many bytes to another place, again and again.
fn copied(threads: usize, bytes: usize) -> f64 {
    let part = bytes / threads;
    // At some 20 GB/s.
    let passes = ((LENGTH * 1e10 / bytes as f64) as usize).max(1);
    let seconds = best(threads, || {
        let (source, mut target) = (vec![1u8; part], vec![2u8; part]);
        move || {
            for _ in 0..passes {
                target.copy_from_slice(std::hint::black_box(&source));
                std::hint::black_box(&mut target);
            }
        }
    });
    (2 * part * threads * passes) as f64 / seconds
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
    // All threads measure the same: from the barrier before the work to the one behind it.
    times.into_iter().fold(0.0, f64::max)
}
