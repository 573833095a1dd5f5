//! `amuAsm.h`: assembly text to program images and back.

use crate::AMuint32;
use crate::abi::image_at;
use crate::call::{CallError, call};
use crate::memory::hand_out;
use ctm_object::elf;
use ctm_x1k::text::{self, Diagnostic, Severity};
use std::ffi::{CString, c_char, c_void};

/// A client's function that takes a line of text, with its end of line.
pub type AMUlogFunction = Option<extern "C" fn(message: *const c_char)>;

/// Assembles `length` bytes of text. 1 if that is done: `*binary` is a program image of `*size` bytes, to be freed with
/// `amxFree`. 0 if not. `log`, if it is not NULL, is told each error and warning.
///
/// # Safety
/// `length` bytes at `source` can be read, `size` and `binary` can be written, or they are NULL, which is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuAsmAssemble(
    source: *const c_char,
    length: AMuint32,
    size: *mut AMuint32,
    binary: *mut *mut c_void,
    log: AMUlogFunction,
) -> AMuint32 {
    call(0, || {
        for (argument, is_null) in
            [("source", source.is_null()), ("size", size.is_null()), ("binary", binary.is_null())]
        {
            if is_null {
                return Err(CallError::Null(argument));
            }
        }
        // SAFETY: not NULL, so `length` bytes are there, as the caller promises.
        let source = unsafe { std::slice::from_raw_parts(source.cast::<u8>(), length as usize) };
        let source = std::str::from_utf8(source).map_err(|_| CallError::Text("source"))?;
        let image = match text::parse(source) {
            Ok(assembled) => {
                tell_diagnostics(log, &assembled.warnings);
                elf::write(&assembled.program)
            }
            Err(diagnostics) => {
                return Err(CallError::Assembly(tell_diagnostics(log, &diagnostics)));
            }
        };
        let block = hand_out(&image)?;
        // SAFETY: not NULL, so they can be written, as the caller promises.
        unsafe {
            size.write(image.len() as u32);
            binary.write(block.cast());
        }
        Ok(1)
    })
}

/// Tells `log` the lines of a program image's assembly text. What is not a program image gives one line that says so.
///
/// # Safety
/// `binary` is NULL or points to all of a program image, or to at least 52 bytes that do not begin one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuAsmDisassemble(binary: *const c_void, log: AMUlogFunction) {
    call((), || {
        // SAFETY: the caller's promise.
        let program = unsafe { image_at(binary) }.and_then(|image| Ok(elf::read(&image)?));
        match program {
            Ok(program) => {
                text::print_program(&program).lines().for_each(|line| tell_line(log, line));
                Ok(())
            }
            Err(error) => {
                tell_line(log, &format!("error: {error}"));
                Err(error)
            }
        }
    });
}

/// Tells `log` a line for each diagnostic, and returns the first one.
pub(crate) fn tell_diagnostics(log: AMUlogFunction, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().for_each(|diagnostic| tell_line(log, &line(diagnostic)));
    diagnostics.first().map(line).unwrap_or_default()
}

/// Place, severity, message and remedy in one line.
fn line(diagnostic: &Diagnostic) -> String {
    let (line, column) = diagnostic.file.line_column(diagnostic.span.start);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let help = diagnostic.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
    format!("{line}:{column}: {severity}: {}{help}", diagnostic.message)
}

fn tell_line(log: AMUlogFunction, line: &str) {
    // A NUL in a text would hide the rest of the line.
    let line = CString::new(format!("{line}\n").replace('\0', "\\0"));
    if let (Some(log), Ok(line)) = (log, line) {
        log(line.as_ptr());
    }
}
