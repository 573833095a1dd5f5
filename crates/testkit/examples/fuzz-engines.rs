//! Random programs on every engine, compared with the reference: `fuzz-engines [count] [first seed]`.

use ctm_testkit::differential;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let count = arguments.next().unwrap_or(100_000);
    let first = arguments.next().unwrap_or(0);
    let mut differential = differential::Differential::new();
    for seed in first..first + count {
        if let Err(difference) = differential.check(seed) {
            println!("{difference}");
            std::process::exit(1);
        }
        if (seed - first + 1) % 10_000 == 0 {
            println!("{} programs agree: {}", seed - first + 1, differential.summary());
        }
    }
    println!("{count} programs agree: {}", differential.summary());
}
