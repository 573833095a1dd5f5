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

    /// A file that shows what a seed does, if there can be one.
    fn evidence(&self, seed: u64) -> Option<Evidence>;

    /// Checks such a file.
    ///
    /// # Errors
    /// With what differs, or what is wrong with the file. A panic is a find too.
    fn check_file(&self, path: &Path) -> Result<(), String>;
}

/// What is in a file that shows a find.
pub enum Evidence {
    /// A filetest, and the ending of its name.
    Text(&'static str, String),
    /// The input of a fuzz target.
    Bytes(Vec<u8>),
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
    /// An entry.
    pub fn new<Q: Subject + 'static>(name: String, weight: u32, make: impl Fn() -> Q + 'static) -> Self {
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
    for kind in r700::jobs::ProgramKind::ALL {
        let weight = if kind == r700::jobs::ProgramKind::Shared { 30 } else { 10 };
        let name = format!("r700/{kind:?}").to_lowercase();
        entries.push(Entry::new(name, weight, move || R700(r700::differential::Differential::new(), kind)));
    }
    for kind in sm50::jobs::DrawKind::ALL {
        let name = format!("sm50/{kind:?}").to_lowercase();
        entries.push(Entry::new(name, 6, move || Sm50(sm50::jobs::Differential::new(), kind)));
    }
    for kind in sm50::launches::LaunchKind::ALL {
        let name = format!("sm50/{kind:?}").to_lowercase();
        entries.push(Entry::new(name, 6, move || Sm50Launch(sm50::comparison::ComparingRunner::new(), kind)));
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

    fn evidence(&self, seed: u64) -> Option<Evidence> {
        Some(Evidence::Text("x1k", Draft::random(&mut Random::new(seed)).filetest()))
    }

    fn check_file(&self, path: &Path) -> Result<(), String> {
        crate::filetest::run(path)
    }
}

struct R700(r700::differential::Differential, r700::jobs::ProgramKind);

impl Subject for R700 {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        r700::jobs::check(&mut self.0, self.1, Random::new(seed))
    }

    fn count(&self, tally: &mut Tally) {
        self.0.count(tally);
    }

    fn evidence(&self, seed: u64) -> Option<Evidence> {
        let print = r700::filetest::print;
        let text = r700::jobs::with_job(self.1, Random::new(seed), &mut r700::environment::Memory::new(), print);
        Some(Evidence::Text("r700", text))
    }

    fn check_file(&self, path: &Path) -> Result<(), String> {
        r700::filetest::run(path)
    }
}

struct Sm50(sm50::jobs::Differential, sm50::jobs::DrawKind);

impl Subject for Sm50 {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        self.0.check(self.1, Random::new(seed));
        Ok(())
    }

    fn count(&self, tally: &mut Tally) {
        self.0.count(tally);
    }

    fn evidence(&self, seed: u64) -> Option<Evidence> {
        let (draft, _) = sm50::jobs::draft(self.1, Random::new(seed));
        Some(Evidence::Text("sm50", sm50::filetest::print(&draft)))
    }

    fn check_file(&self, path: &Path) -> Result<(), String> {
        sm50::filetest::run(path)
    }
}

struct Sm50Launch(sm50::comparison::ComparingRunner, sm50::launches::LaunchKind);

impl Subject for Sm50Launch {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        // That it traps is as good as that it ends: the engines agree.
        drop(sm50::launches::LaunchDraft::random(self.1, seed).run(&self.0));
        Ok(())
    }

    fn count(&self, tally: &mut Tally) {
        tally.programs += self.0.launches() as u64;
        tally.compiled += self.0.compiled() as u64;
        self.0.count(tally);
    }

    fn evidence(&self, seed: u64) -> Option<Evidence> {
        Some(Evidence::Text("sm50", sm50::launches::LaunchDraft::random(self.1, seed).print()))
    }

    fn check_file(&self, path: &Path) -> Result<(), String> {
        sm50::launches::LaunchDraft::check_file(path)
    }
}

#[cfg(target_arch = "x86_64")]
struct Lane(crate::lane::Differential);

#[cfg(target_arch = "x86_64")]
impl Subject for Lane {
    fn check(&mut self, seed: u64) -> Result<(), String> {
        self.0.check(seed)
    }

    fn evidence(&self, seed: u64) -> Option<Evidence> {
        Some(Evidence::Text("lane", crate::lane::filetest::print(&crate::lane::draft(seed))))
    }

    fn check_file(&self, path: &Path) -> Result<(), String> {
        crate::lane::filetest::run(path)
    }

    fn count(&self, tally: &mut Tally) {
        self.0.count(tally);
    }
}

struct Target {
    target: targets::FuzzTarget,
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

    fn evidence(&self, seed: u64) -> Option<Evidence> {
        Some(Evidence::Bytes(crate::mutate::input(&mut Random::new(seed), &self.seeds)))
    }

    fn check_file(&self, path: &Path) -> Result<(), String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        (self.target.run)(&bytes);
        Ok(())
    }
}
