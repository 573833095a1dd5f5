//! Logs of Mesa's drivers: machine code that they compiled, as their debug switches print it.
//!
//! A log may be far longer than the programs in it, and have thousands of them. [`Reader`] takes it line by line and hands out
//! each [`Program`] as soon as it is complete; [`Log`] keeps those that are wanted, in the order of the log.

mod r300;
mod r600;
mod vertex;

use thiserror::Error;

/// The driver that wrote a log, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// r300, for R500 chips: fragment programs of X1K, and perhaps vertex programs.
    R300,
    /// r300: vertex programs of PVS alone.
    R300Vertex,
    /// r600, for R600 and R700 chips.
    R600,
}

/// Why a log is not a program. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MesaError {
    /// There is no machine code.
    #[error(
        "no line says `R500 Fragment Program:`, `Final vertex program code:` or `... dw ... gprs ... stack`; run the program with \
         RADEON_DEBUG=fp,vp (r300) or R600_DEBUG=ps,vs,fs (r600) and keep what it prints"
    )]
    NoProgram,
    /// The wanted program is not there.
    #[error("the log has {count} programs, numbered from 0; there is no number {index}")]
    NoSuchProgram {
        /// The number that was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A program has no instructions.
    #[error("line {line}: no instruction follows the heading")]
    Empty {
        /// Line of the heading.
        line: usize,
    },
    /// Something else stands where a dword should.
    #[error("line {line}: expected {expected}, found `{found}`")]
    Unexpected {
        /// Line number.
        line: usize,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A dword of an instruction is missing.
    #[error("line {line}: instruction {instruction} has no dword {dword} ({name}); is the log cut off?")]
    MissingDword {
        /// Line where the instruction begins.
        line: usize,
        /// Address of the instruction.
        instruction: usize,
        /// Number of the dword.
        dword: usize,
        /// Name of the dword in the log.
        name: &'static str,
    },
    /// A program for a chip of another family.
    #[error("line {line}: the program is for {chip}; only those for R600 and R700 can be read")]
    Chip {
        /// Line number.
        line: usize,
        /// The chip, as the log names it.
        chip: String,
    },
    /// A program ends before its length.
    #[error("line {line}: the heading says {expected} dwords, but the listing has {found}; is the log cut off?")]
    CutOff {
        /// Line of the heading.
        line: usize,
        /// Dwords that the program has.
        expected: usize,
        /// Dwords that the listing has.
        found: usize,
    },
    /// A dword has two values.
    #[error("line {line}: dword {index} has another value already")]
    Conflict {
        /// Line number.
        line: usize,
        /// Place of the dword in the program.
        index: usize,
    },
    /// More instructions than the machine holds.
    #[error("line {line}: more instructions than the machine holds")]
    TooLong {
        /// Line of the first one too many.
        line: usize,
    },
}

/// What is known of a program in a log without reading its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Who compiled it, and for which machine: [`Driver::R300`] for a fragment program of X1K, [`Driver::R300Vertex`] for a vertex
    /// program of PVS.
    pub driver: Driver,
    /// The stage that it is for, in a word; none if only its code shows that.
    pub stage: Option<&'static str>,
    /// The name that the log gives it.
    pub name: Option<String>,
    /// Its length.
    pub size: usize,
    /// What its length counts.
    pub unit: &'static str,
    /// Line of its heading.
    pub line: usize,
}

/// A program of a log.
#[derive(Clone, Debug)]
pub struct Program {
    /// What is known of it.
    pub entry: Entry,
    found: Found,
}

/// The lines of a program.
#[derive(Clone, Debug)]
enum Found {
    Fragment(r300::Found),
    Vertex(vertex::Found),
    R600(r600::Found),
}

impl Program {
    fn new(found: Found) -> Self {
        let entry = match &found {
            Found::Fragment(found) => found.entry(),
            Found::Vertex(found) => found.entry(),
            Found::R600(found) => found.entry(),
        };
        Program { entry, found }
    }

    /// Turns it into assembly text: of X1K, PVS or R700, as its driver says.
    ///
    /// # Errors
    /// It is damaged.
    pub fn import(&self) -> Result<String, MesaError> {
        match &self.found {
            Found::Fragment(found) => r300::import(found),
            Found::Vertex(found) => vertex::import(found),
            Found::R600(found) => r600::import(found),
        }
    }
}

/// Takes a log line by line.
#[derive(Default)]
pub struct Reader {
    /// Lines so far.
    lines: usize,
    fragments: r300::Finder,
    vertices: vertex::Finder,
    r600: r600::Finder,
}

impl Reader {
    /// Takes the next line, and gives the programs that it shows to be complete.
    pub fn line(&mut self, line: &str, complete: &mut dyn FnMut(Program)) {
        self.lines += 1;
        let line = line.trim_end_matches(['\n', '\r']);
        let found = [
            self.fragments.line(self.lines, line).map(Found::Fragment),
            self.vertices.line(self.lines, line).map(Found::Vertex),
            self.r600.line(self.lines, line).map(Found::R600),
        ];
        found.into_iter().flatten().for_each(|found| complete(Program::new(found)));
    }

    /// The log is over: gives the programs that were not complete before.
    pub fn finish(self, complete: &mut dyn FnMut(Program)) {
        let found = [
            self.fragments.finish().map(Found::Fragment),
            self.vertices.finish().map(Found::Vertex),
            self.r600.finish().map(Found::R600),
        ];
        found.into_iter().flatten().for_each(|found| complete(Program::new(found)));
    }
}

/// Which programs of a log are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All.
    All,
    /// The one with this number, from 0.
    Number(usize),
    /// The last one; in logs of r300 the last fragment program, if there is one.
    Last,
    /// None: what is known of them is enough.
    None,
}

/// A log that was read. If it has programs of r300, lines that look like those of r600 do not count.
pub struct Log {
    keep: Keep,
    r300: Kept,
    r600: Kept,
}

/// Programs of one driver.
#[derive(Default)]
struct Kept {
    entries: Vec<Entry>,
    /// Programs with their numbers.
    programs: Vec<(usize, Program)>,
}

impl Log {
    /// An empty log, for [`add`](Self::add).
    pub fn new(keep: Keep) -> Self {
        Log { keep, r300: Kept::default(), r600: Kept::default() }
    }

    /// The programs of a text.
    pub fn of(text: &str, keep: Keep) -> Self {
        let (mut log, mut reader) = (Self::new(keep), Reader::default());
        text.lines().for_each(|line| reader.line(line, &mut |program| log.add(program)));
        reader.finish(&mut |program| log.add(program));
        log
    }

    /// Takes a program, in the order of the log.
    pub fn add(&mut self, program: Program) {
        let kept = match program.entry.driver {
            Driver::R300 | Driver::R300Vertex => &mut self.r300,
            Driver::R600 => &mut self.r600,
        };
        let number = kept.entries.len();
        kept.entries.push(program.entry.clone());
        match self.keep {
            Keep::All => kept.programs.push((number, program)),
            Keep::Number(wanted) if wanted == number => kept.programs.push((number, program)),
            Keep::Last => {
                // Fragment programs count more than vertex programs.
                let weaker = |(_, before): &(usize, Program)| {
                    before.entry.driver == Driver::R300 && program.entry.driver == Driver::R300Vertex
                };
                if !kept.programs.last().is_some_and(weaker) {
                    kept.programs = vec![(number, program)];
                }
            }
            Keep::Number(_) | Keep::None => {}
        }
    }

    fn kept(&self) -> &Kept {
        if self.r300.entries.is_empty() { &self.r600 } else { &self.r300 }
    }

    /// What is known of all programs of the log, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.kept().entries
    }

    /// The programs that were kept, with their numbers.
    pub fn programs(&self) -> &[(usize, Program)] {
        &self.kept().programs
    }

    /// The driver that wrote the log, if there is a program in it.
    pub fn driver(&self) -> Option<Driver> {
        let mut drivers = self.entries().iter().map(|entry| entry.driver);
        let first = drivers.clone().next()?;
        Some(drivers.find(|driver| *driver == Driver::R300).unwrap_or(first))
    }

    /// The program that was kept, and its number.
    ///
    /// # Errors
    /// The log has no program, or none with the number that is kept.
    pub fn only(&self) -> Result<(usize, &Program), MesaError> {
        let count = self.entries().len();
        match (self.programs().first(), self.keep) {
            (Some((number, program)), _) => Ok((*number, program)),
            (None, Keep::Number(index)) if count > 0 => Err(MesaError::NoSuchProgram { index, count }),
            (None, _) => Err(MesaError::NoProgram),
        }
    }
}

/// The driver that wrote a log, if there is a program in it.
pub fn driver(dump: &str) -> Option<Driver> {
    Log::of(dump, Keep::None).driver()
}

/// Turns the last program of a log into assembly text, of X1K, PVS or R700 as its driver says; see [`Keep::Last`].
///
/// # Errors
/// The log has no program, or the program is damaged.
pub fn import(dump: &str) -> Result<String, MesaError> {
    Log::of(dump, Keep::Last).only()?.1.import()
}

/// Turns the program with this number of a log, from 0, into assembly text; see [`import`].
///
/// # Errors
/// As [`import`], or there is no such program.
pub fn import_nth(dump: &str, index: usize) -> Result<String, MesaError> {
    Log::of(dump, Keep::Number(index)).only()?.1.import()
}
