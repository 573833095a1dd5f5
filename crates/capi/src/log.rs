//! Who is told what goes wrong: a function of the client, and standard error if the environment asks for it.

use crate::AMuint32;
use ctm_device::{Connection, Notice};
use std::env;
use std::ffi::{CString, c_char, c_void};
use std::sync::{OnceLock, PoisonError, RwLock};

/// The environment variable that makes the library print what goes wrong.
const LOG_VARIABLE: &str = "CTM_LOG";

/// An error of a device, whether it is the sticky one or not.
pub const AMX_LOG_ERROR: AMuint32 = 1;
/// A report of strict mode.
pub const AMX_LOG_REPORT: AMuint32 = 2;
/// A call that failed.
pub const AMX_LOG_CALL: AMuint32 = 3;

/// A function that is told what goes wrong: one of `AMX_LOG_...`, a text that is valid during the call, and what was given beside the
/// function. Any thread may call it. It must not wait for the device.
pub type AMXlogFunction = Option<unsafe extern "C" fn(kind: AMuint32, text: *const c_char, user: *mut c_void)>;

/// The function of the client, with what is handed on to it. C has one for the process, as it has the devices.
static LOG: RwLock<Log> = RwLock::new(Log { function: None, user: 0 });

struct Log {
    function: AMXlogFunction,
    /// The address of what the client gave: it is handed on, and never looked at.
    user: usize,
}

/// Has a function told of every error and report of every device, and of every call that fails. NULL ends that.
///
/// # Safety
/// The function can be called from any thread, with `user`, until another one is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amxSetLog(function: AMXlogFunction, user: *mut c_void) {
    *LOG.write().unwrap_or_else(PoisonError::into_inner) = Log { function, user: user.expose_provenance() };
}

/// Has the log told what a device finds.
pub(crate) fn attach(connection: &Connection) {
    connection.set_log(|notice| match notice {
        Notice::Fault(fault) => write(AMX_LOG_ERROR, &fault.to_string()),
        Notice::Report(report) => write(AMX_LOG_REPORT, &report.to_string()),
    });
}

/// Tells a text.
pub(crate) fn write(kind: AMuint32, text: &str) {
    static PRINTS: OnceLock<bool> = OnceLock::new();
    if *PRINTS.get_or_init(|| env::var_os(LOG_VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")) {
        eprintln!("ctm: {text}");
    }
    let (function, user) = {
        let log = LOG.read().unwrap_or_else(PoisonError::into_inner);
        (log.function, log.user)
    };
    if let (Some(function), Ok(text)) = (function, CString::new(text)) {
        // SAFETY: the client's promise when it set the function; the text ends with a NUL and lives during the call.
        unsafe { function(kind, text.as_ptr(), std::ptr::with_exposed_provenance_mut(user)) };
    }
}
