//! Every launch by the reference and by every form of the engine.

use crate::forms::Forms;
use ctm_lane::run::RunOptions;
use ctm_lane::verify;
use ctm_memory::Buffer;
use ctm_sm50::launch::{Executor, Launch, Outcome, Stop};
use ctm_sm50::lift::{Facts, lift};
use ctm_sm50::reference::Reference;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// An executor that runs each launch with the reference and with every form of the engine.
#[derive(Debug, Default)]
pub struct Judge {
    forms: Forms,
    launches: AtomicUsize,
    lifted: AtomicUsize,
    compiled: AtomicUsize,
}

impl Judge {
    /// All forms of this host.
    pub fn new() -> Self {
        Self::default()
    }

    /// Launches so far.
    pub fn launches(&self) -> usize {
        self.launches.load(Relaxed)
    }

    /// Launches whose programs were lifted.
    pub fn lifted(&self) -> usize {
        self.lifted.load(Relaxed)
    }

    /// Launches that machine code ran.
    pub fn compiled(&self) -> usize {
        self.compiled.load(Relaxed)
    }
}

impl Executor for Judge {
    /// Runs the launch with all of them.
    ///
    /// # Panics
    /// They do not agree on records, emissions, statistics, warnings or the error.
    fn run(&self, launch: &Launch, options: &RunOptions) -> Result<Outcome, Stop> {
        let records = [launch.outputs, launch.patches].into_iter().flatten().map(|records| records.buffer());
        let written: Vec<Buffer> = records.chain(launch.emissions.map(|emissions| emissions.buffer())).collect();
        let words = || -> Vec<Vec<u32>> {
            let of = |buffer: &Buffer| (0..buffer.length()).step_by(4).map(|address| buffer.load(address)).collect();
            written.iter().map(of).collect()
        };
        let restore = |words: &[Vec<u32>]| {
            for (buffer, words) in written.iter().zip(words) {
                words.iter().zip((0..).step_by(4)).for_each(|(&word, address)| buffer.store(address, word));
            }
        };
        let before = words();
        let expected = Reference.run(launch, options);
        let expected_words = words();
        let engine = self.forms.engine();
        let is_lifted = Facts::of(launch).and_then(|facts| lift(&facts).ok()).is_some_and(|lifted| {
            verify(&lifted.function).unwrap_or_else(|error| panic!("{error}\n{}", lifted.function));
            true
        });
        let compiled = is_lifted && engine.compiles_sm50(launch);
        // What is not lifted is the reference's.
        for name in self.forms.each(compiled).take(if is_lifted { usize::MAX } else { 0 }) {
            restore(&before);
            let got = Executor::run(engine, launch, options);
            assert_eq!(got, expected, "{name}");
            if expected.is_ok() {
                let words = words().concat().into_iter().zip(expected_words.concat()).enumerate();
                for (at, (got, expected)) in words {
                    assert_eq!(got, expected, "{name}: word {at}, {got:#x} instead of {expected:#x}");
                }
            }
        }
        restore(&expected_words);
        self.launches.fetch_add(1, Relaxed);
        self.lifted.fetch_add(is_lifted.into(), Relaxed);
        self.compiled.fetch_add(compiled.into(), Relaxed);
        expected
    }
}
