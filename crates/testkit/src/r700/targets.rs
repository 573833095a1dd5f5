//! Fuzz targets of R700, see [`crate::targets`].

use crate::r700::differential::Differential;
use crate::r700::jobs::{self, ProgramKind};
use crate::random::Random;
use ctm_object::r700::load;
use ctm_r700::{Family, Outline, Program, text};

/// Prints a program and reads it again.
fn round_trip(program: &Program) {
    let printed = text::print_program(program);
    let parsed = text::parse(&printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:?}"));
    assert_eq!(parsed.program, *program, "{printed}");
}

/// Words print and parse back to themselves; the first byte chooses the family.
pub fn words(bytes: &[u8]) {
    let Some((&family, words)) = bytes.split_first() else { return };
    let dwords: Vec<u32> = words.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    let mut program = Program::from_dwords(&dwords);
    program.info.family = Family::ALL[usize::from(family & 1)];
    round_trip(&program);
}

/// Any text gives a program or diagnostics whose spans lie in the text; a program prints and parses back to itself.
pub fn assembly(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    match text::parse(&source) {
        Ok(assembled) => {
            // Text can ask for large images; those are printed all the same, and only take longer.
            if assembled.program.code.len() < 1 << 12 {
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

/// Any file gives programs that can be taken apart, or an error with a text.
pub fn file(bytes: &[u8]) {
    match load(bytes) {
        Ok(programs) => {
            for loaded in programs {
                Outline::of(&loaded.program.code, loaded.program.info.family);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Whatever job the bytes stand for, all engines agree on memory, statistics and errors; the first byte chooses the kind
/// of program.
pub fn engines(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let kind = ProgramKind::ALL[usize::from(kind) % ProgramKind::ALL.len()];
    let checked = jobs::check(&mut Differential::new(), kind, Random::from_bytes(bytes));
    checked.unwrap_or_else(|difference| panic!("{difference}"));
}
