//! The threads of an engine.
//!
//! Starting a thread takes as long as many a run, so an engine keeps its helpers, asleep, from one run to the next.

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Most threads of a run.
const MAX_THREADS: usize = 1024;
/// How long a thread waits awake for what the others have begun. To be woken takes about as long.
const AWAKE: Duration = Duration::from_micros(50);
/// How long it sleeps then, at most, before it looks at the run again.
const ASLEEP: Duration = Duration::from_millis(10);

/// Helpers that runs share. They start when a run first wants them, and end with the last that knows them.
#[derive(Clone, Default)]
pub struct Workers(Arc<State>);

#[derive(Default)]
struct State {
    /// Processors of this machine. Asking the system takes longer than many a small run.
    cores: OnceLock<usize>,
    crew: Mutex<Option<Arc<Crew>>>,
}

struct Crew {
    /// The threads go home when it is dropped, and therefore it is before them.
    pool: ThreadPool,
    _threads: Threads,
    /// Helpers that no run has. Only these are given work, so that no run waits for another one's.
    idle: AtomicUsize,
}

/// Threads that end before this does: a library may be unloaded next.
#[derive(Default)]
struct Threads(Vec<JoinHandle<()>>);

impl Drop for Threads {
    fn drop(&mut self) {
        // A helper that panicked has reported it.
        self.0.drain(..).for_each(|thread| drop(thread.join()));
    }
}

impl Workers {
    /// Threads for so many pieces of work where so many are requested, or 0 for one per processor.
    pub fn threads(&self, requested: usize, pieces: u64) -> usize {
        let threads = match requested {
            _ if pieces <= 1 => 1,
            0 => self.cores(),
            requested => requested,
        };
        threads.min(pieces.try_into().unwrap_or(usize::MAX)).clamp(1, MAX_THREADS)
    }

    /// Calls `work` with 0 in this thread and with 1 and so on in others, as many together as `threads`, or fewer if other
    /// runs have the helpers. What helpers do not do is left to this thread. While it waits for them, it calls `waiting` every few
    /// milliseconds.
    pub fn run(&self, threads: usize, work: impl Fn(usize) + Sync, waiting: impl Fn()) {
        let crew = if threads > 1 { self.crew(threads - 1) } else { None };
        let Some(crew) = crew else { return work(0) };
        let helpers = crew.reserve(threads - 1);
        let (busy, caller) = (AtomicUsize::new(helpers), thread::current());
        crew.pool.in_place_scope(|scope| {
            let (work, crew, busy, caller) = (&work, &crew, &busy, &caller);
            for thread in 1..=helpers {
                scope.spawn(move |_| {
                    work(thread);
                    crew.idle.fetch_add(1, Relaxed);
                    if busy.fetch_sub(1, Release) == 1 {
                        caller.unpark();
                    }
                });
            }
            work(0);
            let start = Instant::now();
            while busy.load(Acquire) > 0 {
                if start.elapsed() < AWAKE {
                    std::hint::spin_loop();
                } else {
                    waiting();
                    thread::park_timeout(ASLEEP);
                }
            }
            // The pool takes note a little later that its jobs are done.
            (0..25).for_each(|_| std::hint::spin_loop());
        });
    }

    fn cores(&self) -> usize {
        *self.0.cores.get_or_init(|| thread::available_parallelism().map_or(1, |cores| cores.get()))
    }

    /// At least so many helpers; `None` if the system has no threads left.
    fn crew(&self, helpers: usize) -> Option<Arc<Crew>> {
        let mut crew = self.0.crew.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if crew.as_ref().is_none_or(|crew| crew.pool.current_num_threads() < helpers) {
            let helpers = helpers.max(self.cores() - 1);
            let mut threads = Threads::default();
            let start = |helper: ThreadBuilder| {
                let builder = thread::Builder::new().name(format!("ctm-{}", helper.index() + 1));
                let (begins, begun) = sync_channel(1);
                let run = move || {
                    // Nobody waits who does not want to know.
                    _ = begins.send(());
                    helper.run();
                };
                threads.0.push(builder.spawn(run)?);
                // A thread that finds no memory while it starts ends the process: the caller, who is about to take much, waits for it.
                _ = begun.recv();
                Ok(())
            };
            let pool = ThreadPoolBuilder::new().num_threads(helpers).spawn_handler(start).build().ok()?;
            *crew = Some(Arc::new(Crew { pool, _threads: threads, idle: AtomicUsize::new(helpers) }));
        }
        crew.clone()
    }
}

impl Crew {
    /// Takes up to so many idle helpers, and says how many.
    fn reserve(&self, wanted: usize) -> usize {
        let taken = self.idle.fetch_update(Relaxed, Relaxed, |idle| Some(idle - idle.min(wanted)));
        taken.map_or(0, |idle| idle.min(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::channel;

    fn calls(workers: &Workers, threads: usize) -> usize {
        let calls = AtomicUsize::new(0);
        let call = |_| {
            calls.fetch_add(1, Relaxed);
        };
        workers.run(threads, call, || {});
        calls.into_inner()
    }

    #[test]
    fn helpers_come_back() {
        let workers = Workers::default();
        assert_eq!([1, 2, 2, 5, 3, 5].map(|threads| calls(&workers, threads)), [1, 2, 2, 5, 3, 5]);
    }

    #[test]
    fn who_waits_looks_at_the_run() {
        let workers = Workers::default();
        let is_over = AtomicBool::new(false);
        let wait = |thread| {
            let start = Instant::now();
            while thread > 0 && !is_over.load(Relaxed) {
                assert!(start.elapsed() < Duration::from_secs(60), "nobody has looked");
                thread::yield_now();
            }
        };
        workers.run(2, wait, || is_over.store(true, Relaxed));
        assert!(is_over.into_inner());
    }

    #[test]
    fn a_run_does_not_wait_for_another_ones_helpers() {
        let workers = Workers::default();
        let helpers = workers.cores().max(2) - 1;
        let (begins, begun) = channel();
        let (ends, ended) = channel();
        let ended = Mutex::new(ended);
        std::thread::scope(|scope| {
            let long = scope.spawn(|| {
                let wait = |thread| {
                    if thread > 0 {
                        begins.send(()).unwrap();
                        ended.lock().unwrap().recv_timeout(Duration::from_secs(60)).expect("the other run ends first");
                    }
                };
                workers.run(helpers + 1, wait, || {});
            });
            (0..helpers).for_each(|_| begun.recv().unwrap());
            assert_eq!(calls(&workers, helpers + 1), 1);
            (0..helpers).for_each(|_| ends.send(()).unwrap());
            long.join().unwrap();
        });
        assert_eq!(calls(&workers, helpers + 1), helpers + 1);
    }
}
