//! Programs whose OpenGL is drawn by something else than the card: they are told so when they end.

use crate::device::complain;
use crate::process::existing;
use crate::x11::screenshot;
use std::collections::BTreeSet;
use std::env;
use std::ffi::{CStr, c_int, c_void};
use std::panic::catch_unwind;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// `CTM_CARD_REQUIRE`: a program that draws without the card ends with [`NOT_ON_THE_CARD`].
const REQUIRE: &str = "CTM_CARD_REQUIRE";
/// The exit code of such a program.
const NOT_ON_THE_CARD: c_int = 1;

/// The process that loaded the library: a child of `fork` that executes nothing else has its parent's libraries.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The loader calls it before the program begins.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = at_start;

extern "C" fn at_start() {
    PROCESS.store(process::id(), Relaxed);
    // SAFETY: the function stays where it is: libraries that are preloaded are not unloaded.
    unsafe { libc::atexit(at_end) };
}

extern "C" fn at_end() {
    let look = || {
        screenshot::complain_of_missing();
        complain_of_others()
    };
    let is_wrong = catch_unwind(|| PROCESS.load(Relaxed) == process::id() && look());
    if is_wrong.unwrap_or(false) && env::var_os(REQUIRE).is_some_and(|value| !value.is_empty()) {
        // SAFETY: the calls write what the program has written, and end it.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::_exit(NOT_ON_THE_CARD);
        }
    }
}

/// The drivers that were loaded once.
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Notes the drivers that are loaded: some are not until the end of the program.
pub fn note_drivers() -> BTreeSet<String> {
    let loaded = drivers();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    seen.extend(loaded);
    seen.clone()
}

/// Says what drew in place of the card; whether something did.
fn complain_of_others() -> bool {
    let drivers = note_drivers();
    let submissions = existing().map(|device| device.submissions());
    let Some(driver) = drivers.iter().find(|driver| is_other(driver, submissions)) else { return false };
    complain(&format!(
        "the program's OpenGL was drawn by Mesa's software renderer ({driver}), not by the card: {}",
        reason()
    ));
    true
}

/// Whether a driver has drawn in place of the card, on which so many submissions were executed, if it was opened.
fn is_other(driver: &str, submissions: Option<u64>) -> bool {
    // Newer versions of Mesa have all drivers in one library.
    let is_software = driver.contains("swrast_dri");
    let is_any = driver.starts_with("libgallium");
    is_software && submissions.unwrap_or(0) == 0 || is_any && submissions.is_none()
}

/// Why there is reason to believe that Mesa took another driver, and what to do.
fn reason() -> String {
    let is_set =
        |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0" && value != "false");
    let asked = ["LIBGL_ALWAYS_SOFTWARE", "MESA_LOADER_DRIVER_OVERRIDE", "GALLIUM_DRIVER"].into_iter().find(is_set);
    let is_x = is_set(&"DISPLAY");
    match asked {
        Some(name) => format!("{name} is set; unset it"),
        None if existing().is_some() => {
            "the card was opened, and its driver is not installed or is too old; 'ctm card doctor' says what is missing".to_owned()
        }
        None if is_set(&"WAYLAND_DISPLAY") => {
            "the Wayland compositor does not run on the card; start one that does (ctm card run -- weston), or unset WAYLAND_DISPLAY, \
             so that the program uses X"
                .to_owned()
        }
        None if is_x => {
            "the X server has no Present extension, or the program talks to it without libxcb; 'ctm card doctor' says more".to_owned()
        }
        None => "it did not ask for the card; EGL without a window system (surfaceless), GBM, and windows of X do".to_owned(),
    }
}

/// The file names of Mesa's drivers that are loaded.
fn drivers() -> Vec<String> {
    /// Adds a driver's name.
    unsafe extern "C" fn add(library: *mut libc::dl_phdr_info, _: usize, names: *mut c_void) -> c_int {
        // SAFETY: the loader gives a structure whose name is null or a string that ends with 0; the names are those of the caller below.
        let (name, names) = unsafe { ((*library).dlpi_name, &mut *names.cast::<Vec<String>>()) };
        if !name.is_null() {
            // SAFETY: as above.
            let path = unsafe { CStr::from_ptr(name) }.to_string_lossy();
            let name = path.rsplit('/').next().unwrap_or_default();
            if name.ends_with("_dri.so") || name.starts_with("libgallium") {
                names.push(name.to_owned());
            }
        }
        0
    }
    let mut names = Vec::new();
    // SAFETY: the function takes what it is given here.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut names).cast()) };
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_that_draw_in_place_of_the_card() {
        for driver in ["swrast_dri.so", "kms_swrast_dri.so", "libgallium-25.0.7.so"] {
            assert!(is_other(driver, None), "{driver}");
        }
        assert!(is_other("swrast_dri.so", Some(0)) && !is_other("swrast_dri.so", Some(3)));
        assert!(!is_other("libgallium-25.0.7.so", Some(0)) && !is_other("r300_dri.so", None));
        assert_eq!(drivers(), [""; 0], "tests load none");
    }
}
