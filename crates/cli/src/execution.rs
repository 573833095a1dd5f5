//! Commands that execute programs, as the sandbox sees them: the files that they name, and what they may use.

use crate::options::BudgetArgs;
use crate::options::values::{InputSource, NamedValue};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// A command that executes programs, with its options.
pub trait Execution {
    /// Whether it is to run in a sandbox.
    fn is_sandboxed(&self) -> bool;

    /// Whether it prints for machines.
    fn is_json(&self) -> bool;

    /// What each of its runs may use.
    fn budget(&self) -> &BudgetArgs;

    /// The files that its options name.
    fn files(&self) -> NamedFiles;

    /// Time after which the whole command is to be complete; none if there is no such time.
    fn time_limit(&self) -> Option<Duration> {
        self.budget().time()
    }
}

/// Files that a command line names, as it names them.
#[derive(Debug, Default)]
pub struct NamedFiles {
    /// Files to be read; `-` is standard input.
    pub reads: BTreeSet<PathBuf>,
    /// Files to be written.
    pub writes: BTreeSet<PathBuf>,
}

impl NamedFiles {
    /// The files that inputs and their further levels are filled from; `file` gives the one that the text of an input names.
    pub fn of_inputs(
        inputs: &[NamedValue<InputSource>],
        mips: &[NamedValue<String>],
        file: fn(&str) -> Option<PathBuf>,
    ) -> Self {
        let inputs = inputs.iter().filter_map(|input| match &input.value {
            InputSource::File(text) => file(text),
            InputSource::Output(_) | InputSource::Made(_) => None,
        });
        let mips = mips.iter().filter_map(|mip| file(&mip.value));
        NamedFiles { reads: inputs.chain(mips).collect(), ..NamedFiles::default() }
    }

    /// Adds files to be read.
    pub fn read<'p>(&mut self, paths: impl IntoIterator<Item = &'p PathBuf>) {
        self.reads.extend(paths.into_iter().cloned());
    }

    /// Adds files to be written.
    pub fn write<'p>(&mut self, paths: impl IntoIterator<Item = &'p PathBuf>) {
        self.writes.extend(paths.into_iter().cloned());
    }

    /// Adds all of these files.
    pub fn add(&mut self, other: NamedFiles) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
    }
}
