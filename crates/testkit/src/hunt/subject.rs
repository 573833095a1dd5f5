//! The subjects of a hunt: generators of random programs, and fuzz targets.

use super::tally::Tally;
use crate::differential::{self, Draft};
use crate::random::Random;
use crate::{r700, sm50, targets};
use std::path::Path;

/// Something that makes a check of every seed.
pub trait Subject {
    /// Checks one seed.
    ///
    /// # Errors
    /// With what differs. A panic is a find too.
    fn check(&mut self, seed: u64) -> Result<(), String>;

    /// Adds what the checks so far counted.
    fn count(&self, tally: &mut Tally);

    /// A filetest that shows what a seed does, if the format can say it.
    fn filetest(&self, seed: u64) -> Option<String> {
        let _ = seed;
        None
    }

    /// The bytes that a seed gives to a fuzz target.
    fn bytes(&self, seed: u64) -> Option<Vec<u8>> {
        let _ = seed;
        None
    }
}

/// An entry of a hunt: a name, how much of the time it gets, and what makes it.
pub struct Entry {
    /// `x1k`, `r700/KIND`, `sm50/KIND`, `lane`, or `target/NAME`.
    pub name: String,
    /// Its share of the time.
    pub weight: u32,
    make: Box<dyn Fn() -> Box<dyn Subject>>,
}

impl Entry {
    fn new<Q: Subject + 'static>(name: String, weight: u32, make: impl Fn() -> Q + 'static) -> Self {
        Entry { name, weight, make: Box::new(move || Box::new(make())) }
    }

    /// Makes it.
    pub fn subject(&self) -> Box<dyn Subject> {
        (self.make)()
    }
}

/// Everything that can be hunted.
pub fn entries() -> Vec<Entry> {
    let mut entries = vec![Entry::new("x1k".into(), 100, || X1k(differential::Differential::new()))];
    for kind in r700::jobs::Kind::ALL {
        let weight = if kind == r700::jobs::Kind::Shared { 30 } else { 10 };
        let name = format!("r700/{kind:?}").to_lowercase();
        entries.push(Entry::new(name, weight, move || R700(r700::differential::Differential::new(), kind)));
    }
    for kind in sm50::jobs::Kind::ALL {
        let name = format!("sm50/{kind:?}").to_lowercase();
        entries.push(Entry::new(name, 6, move || Sm50(sm50::jobs::Differential::new(), kind)));
    }
    #[cfg(target_arch = "x86_64")]
    entries.push(Entry::new("lane".into(), 20, || Lane(crate::lane::Differential::new())));
    for target in targets::TARGETS {
        let make = move || Target { target, seeds: crate::mutate::seeds(target.name), inputs: 0 };
        entries.push(Entry::new(format!("target/{}", target.name), 1, make));
    }
    entries
}

struct X1k(differential::Differential);

impl Subject for X1k {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        self.0.check(Random::new(seed))
    }

    fn count(&self, tally: &mut Tally) {
        self.0.count(tally);
    }

    fn filetest(&self, seed: u64) -> Option<String> {
        Some(Draft::random(&mut Random::new(seed)).filetest())
    }
}

struct R700(r700::differential::Differential, r700::jobs::Kind);

impl Subject for R700 {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        r700::jobs::check(&mut self.0, self.1, Random::new(seed))
    }

    fn count(&self, tally: &mut Tally) {
        let r700::differential::Differential { jobs, not_lifted, free, compiled, trapped, .. } = &self.0;
        tally.programs += jobs;
        tally.compiled += compiled;
        tally.trapped += trapped;
        tally.refuse("not lifted", *not_lifted);
        tally.refuse("lanes depend on each other", jobs - not_lifted - free);
        tally.refuse("refused by machine code", free - compiled);
    }
}

struct Sm50(sm50::jobs::Differential, sm50::jobs::Kind);

impl Subject for Sm50 {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        self.0.check(self.1, Random::new(seed));
        Ok(())
    }

    fn count(&self, tally: &mut Tally) {
        tally.programs += self.0.draws;
        tally.trapped += self.0.draws - self.0.completed;
        let [launches, lifted, compiled] = self.0.launches();
        tally.compiled += compiled;
        tally.refuse("launches not lifted", launches - lifted);
        tally.refuse("launches refused by machine code", lifted - compiled);
    }
}

#[cfg(target_arch = "x86_64")]
struct Lane(crate::lane::Differential);

#[cfg(target_arch = "x86_64")]
impl Subject for Lane {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        self.0.check(seed)
    }

    fn count(&self, tally: &mut Tally) {
        let crate::lane::Differential { functions, compiled, stopped, .. } = &self.0;
        tally.programs += functions;
        tally.compiled += compiled;
        tally.trapped += stopped;
        tally.refuse("refused by machine code", functions - compiled);
    }
}

struct Target {
    target: targets::Target,
    seeds: Vec<Vec<u8>>,
    inputs: u64,
}

impl Subject for Target {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        let bytes = crate::mutate::input(&mut Random::new(seed), &self.seeds);
        (self.target.run)(&bytes);
        self.inputs += 1;
        Ok(())
    }

    fn count(&self, tally: &mut Tally) {
        tally.programs += self.inputs;
    }

    fn bytes(&self, seed: u64) -> Option<Vec<u8>> {
        Some(crate::mutate::input(&mut Random::new(seed), &self.seeds))
    }
}

/// Checks a file that a hunt wrote: a filetest of X1K, or the input of a fuzz target, `NAME` first.
///
/// # Errors
/// With what is wrong. Panics, and worse, are finds too.
pub fn check_file(target: Option<&str>, path: &Path) -> Result<(), String> {
    match target {
        None => crate::filetest::run(path),
        Some(name) => {
            let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let target = targets::TARGETS.into_iter().find(|target| target.name == name);
            (target.ok_or_else(|| format!("there is no fuzz target {name}"))?.run)(&bytes);
            Ok(())
        }
    }
}
