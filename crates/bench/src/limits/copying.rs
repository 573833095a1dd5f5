//! Bytes copied.

use std::sync::Barrier;
use std::time::Instant;

/// Memory to copy, a part for each thread.
pub struct Copying {
    parts: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Copying {
    /// For so many bytes that are read and written together.
    pub fn new(threads: usize, bytes: u64) -> Self {
        let part = bytes as usize / 2 / threads;
        Copying { parts: (0..threads).map(|_| (vec![1; part], vec![2; part])).collect() }
    }

    /// Copies everything with all threads, `times` after each other, and gives the seconds that this took.
    pub fn run(&mut self, times: u32) -> f64 {
        let barrier = Barrier::new(self.parts.len());
        let barrier = &barrier;
        std::thread::scope(|scope| {
            let copy = |(source, target): &mut (Vec<u8>, Vec<u8>)| {
                barrier.wait();
                let start = Instant::now();
                for _ in 0..times {
                    target.copy_from_slice(std::hint::black_box(source));
                    std::hint::black_box(&mut *target);
                }
                barrier.wait();
                start.elapsed().as_secs_f64()
            };
            let threads: Vec<_> = self.parts.iter_mut().map(|part| scope.spawn(move || copy(part))).collect();
            let times = threads.into_iter().map(|thread| thread.join().expect("copying does not fail"));
            times.fold(0.0, f64::max)
        })
    }
}
