//! Words in hexadecimal from standard input, one a line, to the text of the instruction at address 8.

use ctm_sm50::{Instruction, text::print_instruction};
use std::io::{BufRead, Write};

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        let word = u64::from_str_radix(line.trim(), 16).expect("a word in hexadecimal");
        writeln!(out, "{}", print_instruction(&Instruction::decode(word), 8)).expect("standard output");
    }
}
