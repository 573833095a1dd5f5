//! Fuzz targets of SM50, see [`crate::targets`].

use crate::random::Random;
use crate::sm50::jobs::{Differential, DrawKind};
use ctm_object::sm50;
use ctm_sm50::{Code, Header, Instruction, Program, check, text};

/// Most instructions of an input that are printed and read again: what is longer only takes longer.
const LONGEST: usize = 48;

/// Prints a program and reads it again.
fn round_trip(program: &Program) {
    let printed = text::print_program(program);
    let parsed = text::parse(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
    assert_eq!(parsed.program, *program, "{printed}");
}

/// Words decode and encode, and a program of them, with the header that the first dwords are, prints and parses back to
/// itself.
pub fn words(bytes: &[u8]) {
    for word in bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)) {
        assert_eq!(Instruction::decode(word).encode(), word);
    }
    let mut words = [0; Header::DWORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let header = Header::decode(&words);
    assert_eq!(header.encode(), words);
    let whole = &bytes[..(bytes.len() / 8 * 8).min(LONGEST * 8)];
    if let Ok(code) = Code::from_bytes(whole) {
        assert_eq!(code.to_bytes(), whole);
        let program = Program { header: (bytes[0] & 1 != 0).then_some(header), code, constants: Vec::new() };
        check::check(&program);
        round_trip(&program);
    }
}

/// Any text gives a program or diagnostics whose spans lie in the text; a program prints and parses back to itself.
pub fn assembly(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    match text::parse(&source) {
        Ok(assembled) => {
            if assembled.program.code.instructions().len() <= LONGEST {
                round_trip(&assembled.program);
            }
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            for diagnostic in &diagnostics {
                assert!(source.get(diagnostic.span.clone()).is_some(), "{diagnostic:?}");
            }
        }
    }
}

/// Any file gives programs that are written as they were read, or an error with a text.
pub fn file(bytes: &[u8]) {
    if bytes.starts_with(b"\x7FELF") {
        if let Err(error) = sm50::read_cubin(bytes) {
            assert!(!error.to_string().is_empty());
        }
        return;
    }
    if bytes.starts_with(b"DKSH") {
        match sm50::read_dksh(bytes) {
            Ok(programs) => assert!(!programs.is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        return;
    }
    let program = if sm50::begins_with_header(bytes) { sm50::read_program(bytes) } else { sm50::read_code(bytes) };
    match program {
        Ok(program) => assert_eq!(sm50::write(&program), bytes),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Whatever draw the bytes stand for, all engines agree on records, statistics, warnings and errors; the first byte chooses
/// the kind of program.
pub fn engines(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let kind = DrawKind::ALL[usize::from(kind) % DrawKind::ALL.len()];
    Differential::new().check(kind, Random::from_bytes(bytes));
}
