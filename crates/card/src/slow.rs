//! Slow ways that draws go.

use std::cell::Cell;
use std::fmt;

/// Why pixels of a draw were drawn quad by quad, or by the scalar reference, and not many together by machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlowPath {
    /// There is no engine.
    NoEngine,
    /// The program has run for too few pixels so far: preparing it would take longer.
    FewPixels,
    /// The draw reads what it writes, or two of its targets are the same memory: the order of pixels counts.
    SharedMemory,
    /// Its program writes memory, looks at more than its inputs and its quad, or samples textures in rare ways.
    Program,
    /// Its targets have different sizes, or lie or are written in a way that only the scalar pipeline has.
    Targets,
    /// Its pixels are tested in such a way.
    Tests,
    /// It has several samples, or clears or averages them, in a way that only the scalar pipeline has.
    Samples,
    /// It copies surfaces in a way that is done pixel by pixel.
    Copy,
    /// Programs get more inputs than machine code takes.
    Inputs,
    /// There is no machine code of the program.
    NotCompiled,
}

impl SlowPath {
    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            SlowPath::NoEngine => "no-engine",
            SlowPath::FewPixels => "few-pixels",
            SlowPath::SharedMemory => "shared-memory",
            SlowPath::Program => "program",
            SlowPath::Targets => "targets",
            SlowPath::Tests => "tests",
            SlowPath::Samples => "samples",
            SlowPath::Copy => "copy",
            SlowPath::Inputs => "inputs",
            SlowPath::NotCompiled => "not-compiled",
        }
    }

    /// What is told of the draw at this dword, when draws go this way for the first time.
    pub fn warning(self, at: usize) -> String {
        format!("the draw at dword {at} is slow, as are others of its kind: {self}; `ctm card stats` lists them")
    }

    /// Whether more draws like this one go the same way.
    pub const fn stays(self) -> bool {
        match self {
            SlowPath::NoEngine | SlowPath::FewPixels => false,
            SlowPath::SharedMemory
            | SlowPath::Program
            | SlowPath::Targets
            | SlowPath::Tests
            | SlowPath::Samples
            | SlowPath::Copy
            | SlowPath::Inputs
            | SlowPath::NotCompiled => true,
        }
    }
}

impl fmt::Display for SlowPath {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            SlowPath::NoEngine => "there is no engine",
            SlowPath::FewPixels => "its program has run for few pixels so far",
            SlowPath::SharedMemory => "it reads what it writes, or two of its targets are the same memory",
            SlowPath::Program => "its program writes memory, looks beyond its inputs, or samples textures in rare ways",
            SlowPath::Targets => "its targets differ in size, or are written in a way that is not done in blocks",
            SlowPath::Tests => "its pixels are tested in a way that is not done in blocks",
            SlowPath::Samples => {
                "it has several samples, or clears or averages them, in a way that is not done in blocks"
            }
            SlowPath::Copy => "it copies surfaces in a way that is not done by rows",
            SlowPath::Inputs => "its program has more inputs than machine code takes",
            SlowPath::NotCompiled => "there is no machine code of its program",
        })
    }
}

/// Notes the slow ways that a draw goes.
#[derive(Debug, Default)]
pub struct SlowPathNote(Cell<Option<SlowPath>>);

impl SlowPathNote {
    /// Notes one. Of several that which is last in their order counts.
    pub fn add(&self, path: SlowPath) {
        self.0.set(self.0.get().max(Some(path)));
    }

    /// Takes what was noted.
    pub fn take(&self) -> Option<SlowPath> {
        self.0.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_counts_more_than_what_passes() {
        let note = SlowPathNote::default();
        [SlowPath::FewPixels, SlowPath::SharedMemory, SlowPath::NoEngine].into_iter().for_each(|path| note.add(path));
        assert_eq!((note.take(), note.take()), (Some(SlowPath::SharedMemory), None));
    }
}
