//! Prints and reads back instructions made of random words, and says how fast that goes.
//!
//! ```text
//! cargo run --release -p ctm-x1k --example roundtrip -- 10000000
//! ```

use ctm_x1k::{Instruction, text};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1_000_000u64);
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    };
    let begun = Instant::now();
    let (mut named, mut raw) = (0u64, 0u64);
    for number in 0..count {
        let mut words = [0; 6];
        for word in &mut words {
            *word = random();
        }
        let instruction = Instruction::decode(&words);
        // Words as they are come out as dwords for the most part; half of them are freed of reserved bits.
        let instruction = if number % 2 == 0 { instruction } else { Instruction { reserved: [0; 6], ..instruction } };
        let printed = text::print_instruction(&instruction);
        named += u64::from(printed.contains('@'));
        raw += u64::from(printed.starts_with("RAW"));
        let read = text::parse(&printed);
        if !read.as_ref().is_ok_and(|read| read.program.code == [instruction]) {
            eprintln!("{:08X?} prints as\n{printed}\nwhich reads as {read:?}", instruction.encode());
            return ExitCode::FAILURE;
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("{count} instructions came back unchanged; {named} with fields by name, {raw} as dwords");
    println!("{seconds:.1} s, {:.0} instructions per second", count as f64 / seconds);
    ExitCode::SUCCESS
}
