//! The functions of the C library that this library takes over. Each does what the C library's does, but for names and
//! descriptors of the node.
//!
//! Those with a variable number of operands are declared with the one that they may have: on the hosts that there are, it is
//! passed in the same place, and not looked at where it was not given.

use crate::device::Device;
use crate::foreign::size;
use crate::ioctl;
use crate::mapping;
use crate::memory::Descriptor;
use crate::process::{Opened, device, existing, opened, opened_as};
use crate::real::{real, set_errno};
use crate::renderer;
use crate::sysfs::{NODE, Redirection, redirection};
use libc::{DIR, FILE, mode_t, off_t, stat as Stat};
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::panic::catch_unwind;

/// Where a name leads; a null pointer, and a name while something is wrong here, lead to themselves.
///
/// # Safety
/// The name is null or a string that ends with 0.
unsafe fn lookup(name: *const c_char) -> Redirection {
    if name.is_null() {
        return Redirection::Itself;
    }
    // SAFETY: the caller says so.
    let name = unsafe { CStr::from_ptr(name) };
    catch_unwind(|| redirection(name)).unwrap_or(Redirection::Itself)
}

/// A descriptor of the node, opened with these flags.
fn open_node(flags: c_int) -> c_int {
    let opened = catch_unwind(|| device().map(|device| device.open(flags)));
    match opened {
        Ok(Some(Ok(descriptor))) => descriptor,
        Ok(Some(Err(error))) => {
            set_errno(error.raw_os_error().unwrap_or(libc::EIO));
            -1
        }
        Ok(None) | Err(_) => {
            set_errno(libc::ENODEV);
            -1
        }
    }
}

/// Functions that open a file of a name, which stands where the semicolon is, with flags after it.
macro_rules! opens {
    ($($name:ident($($before:ident: $before_type:ty)?; $flags:ident: $flags_type:ty $(, $after:ident: $after_type:ty)?);)*) => {$(
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($before: $before_type,)? path: *const c_char, $flags: $flags_type $(, $after: $after_type)?
        ) -> c_int {
            // SAFETY: the caller gives a string.
            let place = unsafe { lookup(path) };
            let path = match &place {
                Redirection::Node(_) => return open_node($flags),
                Redirection::Private(path) => path.as_ptr(),
                Redirection::Itself => path,
            };
            real!($name: fn($($before_type,)? *const c_char, $flags_type $(, $after_type)?) -> c_int,
                ($($before,)? path, $flags $(, $after)?), else -1)
        }
    )*};
}

opens! {
    open(; flags: c_int, mode: mode_t);
    open64(; flags: c_int, mode: mode_t);
    __open_2(; flags: c_int);
    __open64_2(; flags: c_int);
    openat(directory: c_int; flags: c_int, mode: mode_t);
    openat64(directory: c_int; flags: c_int, mode: mode_t);
    __openat_2(directory: c_int; flags: c_int);
    __openat64_2(directory: c_int; flags: c_int);
}

/// Functions that do something else with a file of a name, which stands where the semicolon is.
macro_rules! names {
    ($($name:ident($($before:ident: $before_type:ty)?; $($after:ident: $after_type:ty),*) -> $result:ty, else $missing:expr;)*) => {$(
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($before: $before_type,)? path: *const c_char $(, $after: $after_type)*) -> $result {
            // SAFETY: the caller gives a string.
            let place = unsafe { lookup(path) };
            let path = match &place {
                Redirection::Node(path) | Redirection::Private(path) => path.as_ptr(),
                Redirection::Itself => path,
            };
            real!($name: fn($($before_type,)? *const c_char $(, $after_type)*) -> $result,
                ($($before,)? path $(, $after)*), else $missing)
        }
    )*};
}

/// A function that `scandir` calls.
type Callback = *const c_void;

names! {
    opendir(;) -> *mut DIR, else std::ptr::null_mut();
    scandir(; list: *mut c_void, filter: Callback, compare: Callback) -> c_int, else -1;
    scandir64(; list: *mut c_void, filter: Callback, compare: Callback) -> c_int, else -1;
    fopen(; mode: *const c_char) -> *mut FILE, else std::ptr::null_mut();
    fopen64(; mode: *const c_char) -> *mut FILE, else std::ptr::null_mut();
    readlink(; buffer: *mut c_char, size: usize) -> isize, else -1;
    __readlink_chk(; buffer: *mut c_char, size: usize, room: usize) -> isize, else -1;
    realpath(; resolved: *mut c_char) -> *mut c_char, else std::ptr::null_mut();
    __realpath_chk(; resolved: *mut c_char, room: usize) -> *mut c_char, else std::ptr::null_mut();
    access(; mode: c_int) -> c_int, else -1;
    faccessat(directory: c_int; mode: c_int, flags: c_int) -> c_int, else -1;
}

/// Makes what was found the node.
fn be_node(found: &mut Stat) {
    found.st_mode = found.st_mode & !libc::S_IFMT | libc::S_IFCHR;
    found.st_rdev = libc::makedev(NODE.0, NODE.1);
}

/// Functions that find out about a file of a name; it, and where the answer goes, stand where the semicolon is. `stat` and `stat64` are the same structure on 64-bit hosts.
macro_rules! stats {
    ($($name:ident($($before:ident: $before_type:ty)?; $($after:ident: $after_type:ty)?);)*) => {$(
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($before: $before_type,)? path: *const c_char, found: *mut Stat $(, $after: $after_type)?
        ) -> c_int {
            // SAFETY: the caller gives a string.
            let place = unsafe { lookup(path) };
            let path = match &place {
                Redirection::Node(path) | Redirection::Private(path) => path.as_ptr(),
                Redirection::Itself => path,
            };
            let result = real!($name: fn($($before_type,)? *const c_char, *mut Stat $(, $after_type)?) -> c_int,
                ($($before,)? path, found $(, $after)?), else -1);
            if result == 0 && matches!(place, Redirection::Node(_)) {
                // SAFETY: the C library has just filled it.
                be_node(unsafe { &mut *found });
            }
            result
        }
    )*};
}

stats! {
    stat(;);
    stat64(;);
    lstat(;);
    lstat64(;);
    __xstat(version: c_int;);
    __xstat64(version: c_int;);
    __lxstat(version: c_int;);
    __lxstat64(version: c_int;);
    fstatat(directory: c_int; flags: c_int);
    fstatat64(directory: c_int; flags: c_int);
}

/// Whether a name is empty, which stands for the file of a descriptor.
///
/// # Safety
/// The name is null or a string that ends with 0.
unsafe fn is_empty(name: *const c_char) -> bool {
    // SAFETY: the caller says so.
    name.is_null() || unsafe { *name } == 0
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statx(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mask: c_uint,
    found: *mut libc::statx,
) -> c_int {
    // SAFETY: the caller gives a string.
    let place = unsafe { lookup(path) };
    let name = match &place {
        Redirection::Node(path) | Redirection::Private(path) => path.as_ptr(),
        Redirection::Itself => path,
    };
    let result = real!(statx: fn(c_int, *const c_char, c_int, c_uint, *mut libc::statx) -> c_int,
        (directory, name, flags, mask, found), else -1);
    // SAFETY: as above.
    let of_descriptor = unsafe { is_empty(path) } && is_node(opened(directory));
    if result == 0 && (of_descriptor || matches!(place, Redirection::Node(_))) {
        // SAFETY: the C library has just filled it.
        let found = unsafe { &mut *found };
        found.stx_mode = found.stx_mode & !(libc::S_IFMT as u16) | libc::S_IFCHR as u16;
        (found.stx_rdev_major, found.stx_rdev_minor) = NODE;
    }
    result
}

/// Whether a descriptor is one of the node, of this process or another one.
fn is_node(opened: Option<Opened>) -> bool {
    match opened {
        Some(Opened::Own(_, Descriptor::Node(_)) | Opened::Foreign(Descriptor::Node(_))) => true,
        Some(Opened::Own(_, Descriptor::Export(_)) | Opened::Foreign(Descriptor::Export(_))) | None => false,
    }
}

/// Functions that find out about the file of a descriptor.
macro_rules! fstats {
    ($($name:ident($($before:ident: $before_type:ty)?);)*) => {$(
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($before: $before_type,)? descriptor: c_int, found: *mut Stat) -> c_int {
            let result = real!($name: fn($($before_type,)? c_int, *mut Stat) -> c_int,
                ($($before,)? descriptor, found), else -1);
            if result == 0 {
                // SAFETY: the C library has just filled it.
                let found = unsafe { &mut *found };
                if is_node(opened_as(descriptor, found)) {
                    be_node(found);
                }
            }
            result
        }
    )*};
}

fstats! {
    fstat();
    fstat64();
    __fxstat(version: c_int);
    __fxstat64(version: c_int);
}

/// Functions that move a descriptor in its file. Importers ask for the end of an exported object to know its size.
macro_rules! seeks {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(descriptor: c_int, offset: off_t, origin: c_int) -> off_t {
            match opened(descriptor) {
                Some(Opened::Own(_, Descriptor::Export(export)) | Opened::Foreign(Descriptor::Export(export)))
                    if origin == libc::SEEK_END =>
                {
                    catch_unwind(|| size(descriptor, export)).ok().flatten().map_or(0, off_t::from)
                }
                // The position says what it is, in all processes that have it.
                Some(_) => 0,
                None => real!($name: fn(c_int, off_t, c_int) -> off_t, (descriptor, offset, origin), else -1),
            }
        }
    )*};
}

seeks! { lseek lseek64 }

/// Functions that map a file. Of the node, clients map buffer objects by their card addresses; of an exported object its own bytes.
macro_rules! maps {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            address: *mut c_void,
            length: usize,
            protection: c_int,
            flags: c_int,
            descriptor: c_int,
            offset: off_t,
        ) -> *mut c_void {
            let (descriptor, offset) = match opened(descriptor) {
                Some(opened) => {
                    let place = catch_unwind(|| mapping::place(opened, descriptor, offset, length)).ok().flatten();
                    let Some(place) = place else {
                        set_errno(libc::EINVAL);
                        return libc::MAP_FAILED;
                    };
                    place
                }
                None => (descriptor, offset),
            };
            real!($name: fn(*mut c_void, usize, c_int, c_int, c_int, off_t) -> *mut c_void,
                (address, length, protection, flags, descriptor, offset), else libc::MAP_FAILED)
        }
    )*};
}

maps! { mmap mmap64 }

/// Notices at once that the node or an exported object was closed for the last time. What is closed in other ways (`dup2`,
/// `close_range`, the end of another process) is noticed when the node is opened next, or memory runs out.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    let opened = opened(descriptor);
    let result = real!(close: fn(c_int) -> c_int, (descriptor), else -1);
    if let Some(Opened::Own(device, _)) = opened {
        let _ = catch_unwind(|| device.notice_closed());
    }
    result
}

/// Drivers that wait for the card call it while they look at memory.
#[unsafe(no_mangle)]
pub extern "C" fn sched_yield() -> c_int {
    let _ = catch_unwind(|| existing().map(Device::release_if_unused));
    real!(sched_yield: fn() -> c_int, (), else -1)
}

/// Notes which drivers there were, before one goes.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlclose(library: *mut c_void) -> c_int {
    let _ = catch_unwind(renderer::note_drivers);
    real!(dlclose: fn(*mut c_void) -> c_int, (library), else -1)
}

/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(descriptor: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    match ioctl::ioctl(descriptor, request, argument) {
        Some(result) => result,
        None => real!(ioctl: fn(c_int, c_ulong, *mut c_void) -> c_int, (descriptor, request, argument), else -1),
    }
}
