//! Random programs on every engine, compared with the reference: `fuzz-engines [count] [first seed]`.

use ctm_testkit::differential::Differential;
use ctm_testkit::random::Random;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let count = arguments.next().unwrap_or(100_000);
    let first = arguments.next().unwrap_or(0);
    let mut differential = Differential::new();
    let mut wrong = 0;
    for (done, seed) in (1..=count).zip(first..) {
        if let Err(difference) = differential.check(Random::new(seed)) {
            println!("seed {seed}, {difference}");
            wrong += 1;
        }
        if done % 10_000 == 0 || done == count {
            println!("{done} programs, {wrong} differ: {}", differential.summary());
        }
    }
    std::process::exit(i32::from(wrong > 0));
}
