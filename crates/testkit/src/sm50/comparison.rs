//! Runs every launch by the reference and by every form of the engine, and compares the results.

use crate::forms::{DISAGREEMENT, Forms};
use crate::hunt::tally::{Tally, add, one_more};
use ctm_lane::run::RunOptions;
use ctm_lane::verify;
use ctm_memory::{Arena, Buffer};
use ctm_sm50::launch::{LaunchReport, StageLaunch, StageRunner, Stop};
use ctm_sm50::lift::{NotLifted, Specialisation, lift};
use ctm_sm50::reference::Reference;
use ctm_sm50::{Op, ROWS};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// An executor that runs each launch with the reference and with every form of the engine.
#[derive(Debug, Default)]
pub struct ComparingRunner {
    forms: Forms,
    launches: AtomicUsize,
    lifted: AtomicUsize,
    compiled: AtomicUsize,
    names: Mutex<Names>,
}

/// Counters by name.
#[derive(Debug, Default)]
struct Names {
    traps: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
    operations: BTreeMap<String, u64>,
}

impl ComparingRunner {
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

    /// Adds what is counted by name to the counters of a hunt.
    pub fn count(&self, tally: &mut Tally) {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut tally.traps, &names.traps);
        add(&mut tally.refused, &names.refused);
        tally.operations.extend(ROWS.iter().filter(|row| row.op != Op::Raw).map(|row| (format!("{:?}", row.op), 0)));
        add(&mut tally.operations, &names.operations);
        self.forms.count(tally);
    }

    /// Counts a launch by name.
    fn count_launch(
        &self,
        launch: &StageLaunch,
        lifted: Option<Option<NotLifted>>,
        compiled: bool,
        result: &Result<LaunchReport, Stop>,
    ) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        for instruction in launch.shader.code.instructions() {
            one_more(&mut names.operations, format!("{:?}", instruction.op()));
        }
        match (lifted, compiled) {
            (None, _) => one_more(&mut names.refused, "records that are too short"),
            (Some(Some(reason)), _) => one_more(&mut names.refused, format!("not lifted: {reason}")),
            (Some(None), false) => one_more(&mut names.refused, "no code of the backend"),
            (Some(None), true) => {}
        }
        match result {
            Ok(_) => {}
            Err(Stop::Trap(trap)) => one_more(&mut names.traps, format!("{:?}", trap.kind)),
            Err(Stop::Halted(halt)) => one_more(&mut names.traps, halt.to_string()),
        }
    }
}

impl StageRunner for ComparingRunner {
    /// Runs the launch with all of them.
    ///
    /// # Panics
    /// They do not agree on records, emissions, statistics, warnings or the error, or machine code was not shown to be safe.
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop> {
        let records = [launch.outputs, launch.patches].into_iter().flatten().map(|records| records.buffer());
        let global = launch.environment.memory.into_iter().flat_map(|space| {
            let buffer = |arena: &Arc<Arena>| Buffer::new(space, arena.base(), arena.size()).expect("it is mapped");
            space.arenas().iter().map(buffer)
        });
        let written = records.chain(launch.emissions.map(|emissions| emissions.buffer())).chain(global);
        let written: Vec<Buffer> = written.chain(launch.pixels.map(|pixels| pixels.results())).collect();
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
        let specialisation = Specialisation::of(launch);
        let lifted = specialisation.as_ref().map(|specialisation| lift(launch.shader.code, specialisation));
        if let Some(Ok(lifted)) = &lifted {
            verify(&lifted.function).unwrap_or_else(|error| panic!("{error}\n{}", lifted.function));
        }
        let is_lifted = matches!(lifted, Some(Ok(_)));
        let compiled = is_lifted && engine.compiles(launch, options).is_ok();
        // What is not lifted is the reference's.
        for name in self.forms.each(compiled).take(if is_lifted { usize::MAX } else { 0 }) {
            restore(&before);
            let got = engine.run(launch, options);
            assert_eq!(got, expected, "{name} {DISAGREEMENT}");
            if expected.is_ok() {
                let words = words().concat().into_iter().zip(expected_words.concat()).enumerate();
                for (at, (got, expected)) in words {
                    assert_eq!(got, expected, "{name} {DISAGREEMENT}: word {at}, {got:#x} instead of {expected:#x}");
                }
            }
        }
        restore(&expected_words);
        self.forms.check_proven().unwrap_or_else(|error| panic!("{error}"));
        self.launches.fetch_add(1, Relaxed);
        self.lifted.fetch_add(is_lifted.into(), Relaxed);
        self.compiled.fetch_add(compiled.into(), Relaxed);
        self.count_launch(launch, lifted.map(Result::err), compiled, &expected);
        expected
    }
}
