//! Every launch twice: by an engine and by the reference.

use ctm_engine::{Engine, EngineName, Executor as Named};
use ctm_lane::run::RunOptions;
use ctm_lane::verify;
use ctm_memory::Buffer;
use ctm_sm50::launch::{Executor, Launch, Outcome, Stop};
use ctm_sm50::lift::{Facts, lift};
use ctm_sm50::reference::Reference;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// An executor that runs each launch with an engine, and again with the reference.
pub struct Judge {
    engine: Engine,
    name: EngineName,
    launches: AtomicUsize,
    lifted: AtomicUsize,
    compiled: AtomicUsize,
}

impl Judge {
    /// One for each engine of this host.
    pub fn all() -> Vec<Judge> {
        let judge = |name| match Named::new(name).ok()? {
            Named::Engine(engine) => {
                let [launches, lifted, compiled] = [0; 3].map(AtomicUsize::new);
                Some(Judge { engine, name, launches, lifted, compiled })
            }
            Named::Reference => None,
        };
        EngineName::available().filter_map(judge).collect()
    }

    /// The engine's name.
    pub fn name(&self) -> EngineName {
        self.name
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
    /// Runs the launch with both.
    ///
    /// # Panics
    /// The two do not agree on records, emissions, statistics, warnings or the error.
    fn run(&self, launch: &Launch, options: &RunOptions) -> Result<Outcome, Stop> {
        let records = [launch.outputs, launch.patches].into_iter().flatten().map(|records| records.buffer());
        let written: Vec<Buffer> = records.chain(launch.emissions.map(|emissions| emissions.buffer())).collect();
        let words = || -> Vec<Vec<u32>> {
            let of = |buffer: &Buffer| (0..buffer.length()).step_by(4).map(|address| buffer.load(address)).collect();
            written.iter().map(of).collect()
        };
        let before = words();
        let got = Executor::run(&self.engine, launch, options);
        let got_words = words();
        for (buffer, words) in written.iter().zip(&before) {
            words.iter().zip((0..).step_by(4)).for_each(|(&word, address)| buffer.store(address, word));
        }
        let expected = Reference.run(launch, options);
        assert_eq!(got, expected, "{}", self.name.name());
        if expected.is_ok() {
            let words = got_words.concat().into_iter().zip(words().concat()).enumerate();
            for (at, (got, expected)) in words {
                assert_eq!(got, expected, "{}: word {at}, {got:#x} instead of {expected:#x}", self.name.name());
            }
        }
        self.launches.fetch_add(1, Relaxed);
        if let Some(lifted) = Facts::of(launch).and_then(|facts| lift(&facts).ok()) {
            verify(&lifted.function).unwrap_or_else(|error| panic!("{error}\n{}", lifted.function));
            self.lifted.fetch_add(1, Relaxed);
        }
        self.compiled.fetch_add(self.engine.compiles_sm50(launch).into(), Relaxed);
        expected
    }
}
