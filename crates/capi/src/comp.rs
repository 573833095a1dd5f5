//! `amuComp.h`: the text of pixel shaders to program images.

use crate::AMuint32;
use crate::asm::{AMUlogFunction, tell_diagnostics};
use crate::call::{CallError, call, text_at};
use crate::memory::hand_out;
use ctm_compile::compile_pixel_shader;
use ctm_compile::front::ps::Options;
use ctm_object::elf;
use std::ffi::{c_char, c_void};
use std::ptr;

/// What a handle points to, as far as C knows. There is no such object.
#[repr(C)]
pub struct AMUcompCompilerRec {
    opaque: [u8; 0],
}

/// The handle of the compiler: not an address.
pub type AMUcompCompiler = *mut AMUcompCompilerRec;

/// A macro.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AMUcompMacro {
    /// The name; NULL ends a list.
    pub name: *const c_char,
    /// The value.
    pub value: *const c_char,
}

/// The handle that every process has.
const COMPILER: usize = 1;
/// The macro that says that the text is a pixel shader, and its value.
const LANGUAGE: [&[u8]; 2] = [b"AMU_LANG_PS3", b"1"];
/// The name of the entry.
const ENTRY: &[u8] = b"main";
/// Macros of a list: what has more has no end.
const MOST_MACROS: usize = 64;

/// The compiler. It is never closed.
#[unsafe(no_mangle)]
pub extern "C" fn amuCompOpenCompiler() -> AMUcompCompiler {
    ptr::without_provenance_mut(COMPILER)
}

/// Compiles `length` bytes of text. 1 if that is done: `*binary` is a program image of `*size` bytes, to be freed with `amxFree`. 0 if
/// not. `log`, if it is not NULL, is told each error and warning.
///
/// # Safety
/// `length` bytes at `source` can be read; `definitions` is a list of macros that ends with a NULL name, and names and values are texts
/// that end with a NUL; `entry` is such a text or NULL; `size` and `binary` can be written. Or they are NULL, which is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuCompCompile(
    compiler: AMUcompCompiler,
    source: *const c_char,
    length: AMuint32,
    definitions: *const AMUcompMacro,
    reserved: *const c_void,
    entry: *const c_char,
    size: *mut AMuint32,
    binary: *mut *mut c_void,
    log: AMUlogFunction,
) -> AMuint32 {
    call(0, || {
        if compiler.addr() != COMPILER {
            return Err(CallError::Compiler(compiler.addr()));
        }
        for (argument, is_null) in
            [("source", source.is_null()), ("size", size.is_null()), ("binary", binary.is_null())]
        {
            if is_null {
                return Err(CallError::Null(argument));
            }
        }
        if !reserved.is_null() {
            return Err(CallError::Reserved("reserved"));
        }
        // SAFETY: the caller's promise.
        if let Some(entry) = unsafe { text_at(entry) }
            && entry.to_bytes() != ENTRY
        {
            return Err(CallError::Entry(entry.to_string_lossy().into_owned()));
        }
        // SAFETY: the caller's promise.
        unsafe { check_language(definitions) }?;
        // SAFETY: not NULL, so `length` bytes are there, as the caller promises.
        let source = unsafe { std::slice::from_raw_parts(source.cast::<u8>(), length as usize) };
        let source = std::str::from_utf8(source).map_err(|_| CallError::Text("source"))?;
        let shader = compile_pixel_shader("shader", source, Options::default())
            .map_err(|diagnostics| CallError::Compilation(tell_diagnostics(log, &diagnostics)))?;
        tell_diagnostics(log, &shader.warnings);
        let image = elf::write(&shader.compiled.program);
        let block = hand_out(&image)?;
        // SAFETY: not NULL, so they can be written, as the caller promises.
        unsafe {
            size.write(image.len() as u32);
            binary.write(block.cast());
        }
        Ok(1)
    })
}

/// Checks that the macros name the language.
///
/// # Safety
/// `definitions` is NULL or a list that ends with a NULL name, of texts that end with a NUL.
unsafe fn check_language(definitions: *const AMUcompMacro) -> Result<(), CallError> {
    if definitions.is_null() {
        return Err(CallError::Language);
    }
    for number in 0..MOST_MACROS {
        // SAFETY: the list has not ended yet.
        let AMUcompMacro { name, value } = unsafe { definitions.add(number).read() };
        // SAFETY: the caller's promise.
        let Some(name) = (unsafe { text_at(name) }) else { break };
        // SAFETY: the caller's promise.
        let value = unsafe { text_at(value) };
        if name.to_bytes() == LANGUAGE[0] && value.is_some_and(|value| value.to_bytes() == LANGUAGE[1]) {
            return Ok(());
        }
    }
    Err(CallError::Language)
}
