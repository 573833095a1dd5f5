//! Functions of the C library and of others, which this library takes over or calls without being linked with them.

use std::ffi::{CStr, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// A function of another library, looked for when it is first needed.
pub struct Symbol {
    name: &'static CStr,
    /// The library that has it, if that need not be among those whose functions all of the program sees.
    library: Option<&'static CStr>,
    address: AtomicPtr<c_void>,
}

impl Symbol {
    /// The C library's function of that name.
    pub const fn new(name: &'static CStr) -> Self {
        Symbol { name, library: None, address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The function of that name of another library, which the program has loaded, as a rule.
    pub const fn of_library(name: &'static CStr, library: &'static CStr) -> Self {
        Symbol { name, library: Some(library), address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Its address; null if there is no such function.
    pub fn address(&self) -> *mut c_void {
        let known = self.address.load(Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name is a string that ends with 0, and looking it up executes nothing of its owner.
        let mut found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if let (true, Some(library)) = (found.is_null(), self.library) {
            // SAFETY: the names are strings that end with 0; the library is one that clients of X load themselves.
            let opened = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_NOW) };
            if !opened.is_null() {
                // SAFETY: the library stays loaded.
                found = unsafe { libc::dlsym(opened, self.name.as_ptr()) };
            }
        }
        self.address.store(found, Relaxed);
        found
    }
}

/// Calls the function of a name, of the type that is given: the C library's, or that of the library that stands before it. Where there is none, gives
/// the last operand and sets `errno` to `ENOSYS`.
macro_rules! real {
    ($name:ident: fn($($type:ty),*) -> $result:ty, ($($value:expr),*), else $missing:expr) => {
        $crate::real::real!(in $crate::real::Symbol::new, $name: fn($($type),*) -> $result, ($($value),*), else $missing)
    };
    ($library:literal, $name:ident: fn($($type:ty),*) -> $result:ty, ($($value:expr),*), else $missing:expr) => {{
        const fn of_library(name: &'static std::ffi::CStr) -> $crate::real::Symbol {
            $crate::real::Symbol::of_library(name, $library)
        }
        $crate::real::real!(in of_library, $name: fn($($type),*) -> $result, ($($value),*), else $missing)
    }};
    (in $symbol:path, $name:ident: fn($($type:ty),*) -> $result:ty, ($($value:expr),*), else $missing:expr) => {{
        static SYMBOL: $crate::real::Symbol = {
            const NAME: &str = concat!(stringify!($name), "\0");
            $symbol(match std::ffi::CStr::from_bytes_with_nul(NAME.as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name without zeros"),
            })
        };
        let address = SYMBOL.address();
        if address.is_null() {
            $crate::real::set_errno(libc::ENOSYS);
            $missing
        } else {
            // SAFETY: the library declares its function of this name so.
            let function: unsafe extern "C" fn($($type),*) -> $result = unsafe { std::mem::transmute(address) };
            // SAFETY: the operands are those of the caller of the same function, or stand for them.
            unsafe { function($($value),*) }
        }
    }};
}
pub(crate) use real;

/// Sets the calling thread's `errno`.
pub fn set_errno(code: i32) {
    // SAFETY: the C library gives the address of the thread's own variable.
    unsafe { *libc::__errno_location() = code };
}

/// Opens the file of a descriptor again, at its first byte.
pub fn reopen(file: BorrowedFd, flags: i32) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}\0", file.as_raw_fd());
    // SAFETY: the path is a string that ends with 0.
    let opened = unsafe { libc::open(path.as_ptr().cast(), flags) };
    if opened < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nobody else has it.
    Ok(unsafe { File::from_raw_fd(opened) })
}

/// What the file after a descriptor is. `None` if there is none.
pub fn fstat(descriptor: i32) -> Option<libc::stat> {
    // SAFETY: all of it are numbers.
    let mut found: libc::stat = unsafe { std::mem::zeroed() };
    let result = real!(fstat: fn(i32, *mut libc::stat) -> i32, (descriptor, &raw mut found), else -1);
    (result == 0).then_some(found)
}

/// The position of a descriptor in its file. `None` if it has none.
pub fn position(descriptor: i32) -> Option<u64> {
    seek(descriptor, 0, libc::SEEK_CUR)
}

/// Moves a descriptor to a position in its file, and gives the new one.
pub fn seek(descriptor: i32, offset: i64, origin: i32) -> Option<u64> {
    let result = real!(lseek: fn(i32, i64, i32) -> i64, (descriptor, offset, origin), else -1);
    u64::try_from(result).ok()
}
