//! What all calls have in common: failures, their message, and that no panic leaves.

use crate::log;
use ctm_device::{OpenError, SubmitError};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use thiserror::Error;

/// Why a call failed.
#[derive(Debug, Error)]
pub(crate) enum CallError {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{0:#x} is not an open device: it was closed before, or amOpenManagedConnection did not give it")]
    NoDevice(usize),
    #[error("unknown device {0:?}: the names of the device are \"/dev/pcie0\", \"\" and NULL")]
    Name(String),
    #[error("AMXoptions has size {found}, expected {expected}: fill it with amxDefaultOptions first")]
    OptionsSize { found: u32, expected: u32 },
    #[error("AMXoptions.engine is {0}; expected one of the codes AMX_ENGINE_...")]
    Engine(u32),
    #[error("limit {limit} cannot be {value}: limits are the codes AMX_LIMIT_..., values are 0 or more")]
    Limit { limit: u32, value: f64 },
    #[error("{0} is not UTF-8 text")]
    Text(&'static str),
    #[error("{0:#010x} is not an address of the device's memory")]
    Unmapped(u32),
    #[error("the device does not record: set AMXoptions.record when opening it")]
    NotRecording,
    #[error("cannot write {path}: {error}", path = .0.display(), error = .1)]
    Write(PathBuf, std::io::Error),
    #[error("no memory for {0} bytes")]
    NoMemory(usize),
    #[error("{0:#x} is not a compiler: amuCompOpenCompiler did not give it")]
    Compiler(usize),
    #[error("{0} is not NULL: pass NULL")]
    Reserved(&'static str),
    #[error("unknown entry {0:?}: pass \"main\" or NULL")]
    Entry(String),
    #[error("the definitions name no language: define AMU_LANG_PS3 as \"1\", and end the list with two zeros")]
    Language,
    #[error("the text does not compile: {0}")]
    Compilation(String),
    #[error("the text does not assemble: {0}")]
    Assembly(String),
    #[error(transparent)]
    Image(#[from] ctm_object::elf::ElfError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
    #[error("a bug in libctm: {0}")]
    Panic(String),
}

thread_local! {
    /// Why this thread's last failed call failed, or the device's error that it last took.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a message for [`message`].
pub(crate) fn tell(text: String) {
    // While a thread ends it may have no message left; then nobody can ask for it.
    let _ = MESSAGE.try_with(|message| *message.borrow_mut() = text);
}

/// This thread's message.
pub(crate) fn message() -> String {
    MESSAGE.try_with(|message| message.borrow().clone()).unwrap_or_default()
}

/// The body of every function: returns `failure` and keeps a message if the call fails.
pub(crate) fn call<T>(failure: T, body: impl FnOnce() -> Result<T, CallError>) -> T {
    // What a panic leaves behind half done is never trusted: devices are looked up again by each call.
    let result =
        catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(CallError::Panic(panic_text(&*panic))));
    result.unwrap_or_else(|error| {
        let text = error.to_string();
        log::write(log::AMX_LOG_CALL, &text);
        tell(text);
        failure
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The text that a pointer points to; none for NULL.
///
/// # Safety
/// The pointer is NULL, or points to a text that ends with a NUL.
pub(crate) unsafe fn text_at<'a>(pointer: *const c_char) -> Option<&'a CStr> {
    // SAFETY: not NULL here, so a text as the caller promises.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) })
}

/// Copies a text, as much of it as fits, and a NUL. Returns the bytes that all of it needs.
///
/// # Safety
/// `size` bytes at `buffer` can be written, or `buffer` is NULL or `size` 0.
pub(crate) unsafe fn copy_text(text: &str, buffer: *mut c_char, size: u32) -> u32 {
    if !buffer.is_null() && size > 0 {
        let most = text.len().min(size as usize - 1);
        let length = (0..=most).rev().find(|&length| text.is_char_boundary(length)).unwrap_or_default();
        // SAFETY: `length` is less than `size`, so that the text and the NUL fit; the text is not in the buffer, which
        // the caller owns.
        unsafe {
            buffer.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
            buffer.add(length).write(0);
        }
    }
    text.len() as u32 + 1
}
