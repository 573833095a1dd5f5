//! Words in hexadecimal from standard input, one a line, to the text of the instruction at address 8; with `!` where the
//! text does not read as the word.

use ctm_sm50::{Code, Control, Instruction, Program, text};
use std::io::{BufRead, Write};

fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        let word = u64::from_str_radix(line.trim(), 16).expect("a word in hexadecimal");
        let spelled = text::print_instruction(&Instruction::decode(word), 8);
        let read = match text::parse(&spelled) {
            Ok(read) => read.program.code.instructions()[0].encode() == word,
            Err(_) => false,
        };
        let program = Program {
            header: None,
            code: Code::new([(Instruction::decode(word), Control(0x7e0))]),
            constants: Vec::new(),
        };
        let printed = text::print_program(&program);
        assert_eq!(text::parse(&printed).map(|read| read.program), Ok(program), "{printed}");
        writeln!(out, "{}{spelled}", if read { "" } else { "!" }).expect("standard output");
    }
}
