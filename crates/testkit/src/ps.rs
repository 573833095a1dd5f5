//! Pixel shader text as a fuzz target.

use ctm_compile::front::ps::{Options, lower, parse};
use ctm_compile::ir;
use ctm_text::MOST_DIAGNOSTICS;

/// Any text is refused with places in it, or becomes a valid function.
pub fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match parse("fuzz", &text) {
        Ok(parsed) => {
            if let Ok(lowered) = lower(
                &parsed.shader,
                Options { scaled: bytes.len().is_multiple_of(2), precise: bytes.len().is_multiple_of(3) },
            ) {
                let valid = ir::verify(&lowered.function);
                assert!(valid.is_ok(), "{valid:?}\n{text}");
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty() && errors.len() <= MOST_DIAGNOSTICS + 16);
            for error in &errors {
                assert!(error.file.text.get(error.span.clone()).is_some(), "{error}");
            }
        }
    }
}
