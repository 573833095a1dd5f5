//! Mutated files on the doors of the testkit: `fuzz-doors [--door NAME] [--bytes N] [count] [first seed]`, so many on each.
//! Files are repeated until they have so many bytes.

use ctm_testkit::doors::DOORS;
use ctm_testkit::knock::{input, seeds};
use ctm_testkit::random::Random;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// What takes longer is told.
const LONG: Duration = Duration::from_secs(2);

/// Takes an option and its value out of the arguments.
fn option(arguments: &mut Vec<String>, name: &str) -> Option<String> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.drain(at..at + 2).nth(1)
}

/// The file, as often as it takes.
fn repeated(file: Vec<u8>, bytes: usize) -> Vec<u8> {
    let times = bytes.div_ceil(file.len().max(1)).max(1);
    file.repeat(times)
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = option(&mut arguments, "--door");
    let bytes = option(&mut arguments, "--bytes").map_or(0, |text| text.parse().expect("a number"));
    let mut numbers = arguments.iter().map(|text| text.parse::<u64>().expect("a number"));
    let count = numbers.next().unwrap_or(100_000);
    let first = numbers.next().unwrap_or(0);
    let mut broken = 0;
    for (name, door) in DOORS.into_iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)) {
        let seeds: Vec<Vec<u8>> = seeds(name).into_iter().map(|file| repeated(file, bytes)).collect();
        let (start, mut slowest) = (Instant::now(), Duration::ZERO);
        for seed in first..first + count {
            let file = input(&mut Random::new(seed), &seeds);
            let knock = Instant::now();
            if catch_unwind(|| door(&file)).is_err() {
                println!("fuzz-doors --door {name} --bytes {bytes} 1 {seed}: it broke");
                broken += 1;
            }
            let took = knock.elapsed();
            if took > LONG {
                println!("fuzz-doors --door {name} --bytes {bytes} 1 {seed}: {took:?} for {} bytes", file.len());
            }
            slowest = slowest.max(took);
        }
        println!("{name}: {count} in {:?}, the slowest in {slowest:?}", start.elapsed());
    }
    std::process::exit(i32::from(broken > 0));
}
