//! Words with the text that NVIDIA's disassembler (12.4) gives for them.
//!
//! - `canonical.txt`: words that assemblers write; text and word say the same.
//! - `any.txt`: random words of every form, with bits that mean nothing; `-` where the disassembler rejects the word.
//! - `accesses.txt`: the same of memory, textures, images, inputs, video and system, most with one bit or field changed.
//! - `reuse.txt`: the reuse bits of an instruction before its word.

use ctm_sm50::{Code, Control, Instruction, Op, Program, Reuse, text};

fn lines(file: &str) -> impl Iterator<Item = (u64, &str)> {
    file.lines().map(|line| {
        let (word, text) = line.split_once(' ').expect("a word and a text");
        (u64::from_str_radix(word, 16).expect("a word"), text)
    })
}

/// The address that targets in the vectors are relative to.
const AT: u32 = 8;

#[test]
fn words_that_assemblers_write() {
    let mut count = 0;
    for (word, spelled) in lines(include_str!("vectors/canonical.txt")) {
        assert_eq!(text::print_instruction(&Instruction::decode(word), AT), spelled, "{word:016x}");
        let read = text::parse(spelled).unwrap_or_else(|diagnostics| panic!("{spelled}: {}", diagnostics[0]));
        let read = read.program.code.instructions()[0].encode();
        assert_eq!(read, word, "{spelled} reads as {read:016x}");
        count += 1;
    }
    assert!(count > 400, "{count} vectors");
}

#[test]
fn any_word() {
    let files = [include_str!("vectors/any.txt"), include_str!("vectors/accesses.txt")];
    for (word, spelled) in files.into_iter().flat_map(lines) {
        let instruction = Instruction::decode(word);
        assert_eq!(instruction.encode(), word);
        if spelled == "-" {
            assert_eq!(instruction.op(), Op::Raw, "{word:016x}");
        } else {
            assert_eq!(text::print_instruction(&instruction, AT), spelled, "{word:016x}");
            // The text reads as an instruction that is spelled the same.
            let read = text::parse(spelled).unwrap_or_else(|diagnostics| panic!("{spelled}: {}", diagnostics[0]));
            assert_eq!(text::print_instruction(&read.program.code.instructions()[0], AT), spelled);
        }
        let program =
            Program { header: None, code: Code::new([(instruction, Control::NEUTRAL)]), constants: Vec::new() };
        let printed = text::print_program(&program);
        assert_eq!(text::parse(&printed).expect("printed text").program, program, "{printed}");
    }
}

#[test]
fn registers_in_the_operand_caches() {
    for line in include_str!("vectors/reuse.txt").lines() {
        let (bits, line) = line.split_once(' ').expect("reuse bits");
        let bits: u32 = bits.parse().expect("reuse bits");
        let (word, spelled) = lines(line).next().expect("a word");
        let reuse = Reuse { a: bits & 1 != 0, b: bits & 2 != 0, c: bits & 4 != 0 };
        let control = Control::NEUTRAL.with_reuse(reuse);
        let instruction = Instruction::decode(word);
        assert_eq!(text::print_controlled(&instruction, AT, control), spelled, "{word:016x}");
        // Bits for registers that there are not come back, too.
        let program = Program { header: None, code: Code::new([(instruction, control)]), constants: Vec::new() };
        assert_eq!(text::parse(&text::print_program(&program)).expect("printed text").program, program, "{spelled}");
    }
}

#[test]
fn a_control_word_with_nothing_after_it() {
    for control in [0, 0x001f_8000_fc00_07e0u64] {
        let words = [0x7e0, Instruction::NOP_WORD, Instruction::NOP_WORD, Instruction::NOP_WORD, control];
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        let program = Program { header: None, code: Code::from_bytes(&bytes).expect("code"), constants: Vec::new() };
        let printed = text::print_program(&program);
        assert_eq!(text::parse(&printed).expect("printed text").program.code.to_bytes(), bytes, "{printed}");
    }
}
