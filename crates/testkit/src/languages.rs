//! Shader sources as fuzz targets.

use ctm_compile::{Language, Options, compile, ir};
use ctm_x1k::Instruction;
use ctm_x1k::check::{Severity, check};

/// Any text is refused with a line of it, or becomes a valid function and a program without mistakes.
pub fn glsl(bytes: &[u8]) {
    source(&String::from_utf8_lossy(bytes), Language::Glsl);
}

/// As [`glsl`].
pub fn wgsl(bytes: &[u8]) {
    source(&String::from_utf8_lossy(bytes), Language::Wgsl);
}

fn source(text: &str, language: Language) {
    match compile(text, language, &Options::default()) {
        Ok(compiled) => {
            for function in [&compiled.read, &compiled.optimised] {
                assert_eq!(ir::verify(function), Ok(()), "{text}\n{function}");
            }
            let code = &compiled.program.code;
            assert_eq!(compiled.lines.len(), code.len(), "{text}");
            for instruction in code {
                assert_eq!(Instruction::decode(&instruction.encode()), *instruction, "{text}");
            }
            let findings = check(&compiled.program);
            let mistake = findings.iter().find(|finding| finding.severity == Severity::Error);
            assert!(mistake.is_none(), "{mistake:?}\n{text}");
        }
        Err(error) => {
            assert!(!error.to_string().is_empty(), "{error:?}\n{text}");
            assert!(error.line() as usize <= 1 + text.matches('\n').count(), "line {}: {error}\n{text}", error.line());
        }
    }
}
