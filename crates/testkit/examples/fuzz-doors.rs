//! Mutated files on the doors of the testkit: `fuzz-doors [--door NAME] [count] [first seed]`, so many on each.

use ctm_testkit::doors::DOORS;
use ctm_testkit::knock::{input, seeds};
use ctm_testkit::random::Random;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// What takes longer is told.
const LONG: Duration = Duration::from_secs(2);

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = arguments.first().is_some_and(|first| first == "--door").then(|| arguments.drain(..2).nth(1));
    let mut numbers = arguments.iter().map(|text| text.parse::<u64>().expect("a number"));
    let count = numbers.next().unwrap_or(100_000);
    let first = numbers.next().unwrap_or(0);
    let mut broken = 0;
    for (name, door) in
        DOORS.into_iter().filter(|(name, _)| only.as_ref().is_none_or(|only| only.as_deref() == Some(name)))
    {
        let seeds = seeds(name);
        let (start, mut slowest) = (Instant::now(), Duration::ZERO);
        for seed in first..first + count {
            let bytes = input(&mut Random::new(seed), &seeds);
            let knock = Instant::now();
            if catch_unwind(|| door(&bytes)).is_err() {
                println!("fuzz-doors --door {name} 1 {seed}: it broke");
                broken += 1;
            }
            let took = knock.elapsed();
            if took > LONG {
                println!("fuzz-doors --door {name} 1 {seed}: {took:?} for {} bytes", bytes.len());
            }
            slowest = slowest.max(took);
        }
        println!("{name}: {count} in {:?}, the slowest in {slowest:?}", start.elapsed());
    }
    std::process::exit(i32::from(broken > 0));
}
