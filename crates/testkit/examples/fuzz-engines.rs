//! Random programs on every engine, compared with the reference:
//! `fuzz-engines [--isa x1k|r700|sm50] [count] [first seed]`.

use ctm_testkit::random::Random;
use ctm_testkit::{differential, r700, sm50};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Programs between two lines of progress.
const INTERVAL: u64 = 10_000;

/// Random programs of one instruction set.
trait Hunt {
    /// Makes the program of these random numbers, and runs it on every engine; says what differs.
    fn check(&mut self, random: Random) -> Result<(), String>;
    /// How programs were run so far.
    fn summary(&self) -> String;
}

impl Hunt for differential::Differential {
    fn check(&mut self, random: Random) -> Result<(), String> {
        differential::Differential::check(self, random)
    }

    fn summary(&self) -> String {
        differential::Differential::summary(self)
    }
}

impl Hunt for r700::differential::Differential {
    fn check(&mut self, mut random: Random) -> Result<(), String> {
        let kind = random.pick(&r700::jobs::Kind::ALL);
        r700::jobs::check(self, kind, random).map_err(|difference| format!("{kind:?}: {difference}"))
    }

    fn summary(&self) -> String {
        r700::differential::Differential::summary(self)
    }
}

impl Hunt for sm50::jobs::Differential {
    fn check(&mut self, mut random: Random) -> Result<(), String> {
        let kind = random.pick(&sm50::jobs::Kind::ALL);
        // Where an engine differs, it panics.
        sm50::jobs::Differential::check(self, kind, random);
        Ok(())
    }

    fn summary(&self) -> String {
        sm50::jobs::Differential::summary(self)
    }
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let isa = match arguments.first().is_some_and(|first| first == "--isa") {
        true => arguments.drain(..2).nth(1).expect("an instruction set"),
        false => "x1k".into(),
    };
    let mut numbers = arguments.iter().map(|text| text.parse::<u64>().expect("a number"));
    let count = numbers.next().unwrap_or(100_000);
    let first = numbers.next().unwrap_or(0);
    let mut hunt: Box<dyn Hunt> = match isa.as_str() {
        "x1k" => Box::new(differential::Differential::new()),
        "r700" => Box::new(r700::differential::Differential::new()),
        "sm50" => Box::new(sm50::jobs::Differential::new()),
        _ => panic!("`{isa}` is no instruction set"),
    };
    let mut wrong = 0;
    for (done, seed) in (1..=count).zip(first..) {
        // Where a check panics, the panic has said what is wrong.
        let checked = catch_unwind(AssertUnwindSafe(|| hunt.check(Random::new(seed))));
        if let Err(difference) = checked.unwrap_or_else(|_| Err("it panicked".into())) {
            println!("fuzz-engines --isa {isa} 1 {seed}: {difference}");
            wrong += 1;
        }
        if done % INTERVAL == 0 || done == count {
            println!("{done} programs, {wrong} differ: {}", hunt.summary());
        }
    }
    std::process::exit(i32::from(wrong > 0));
}
