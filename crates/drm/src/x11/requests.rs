//! The functions of libxcb and of the libraries of its extensions that this library takes over, of the types that their headers give them.

use super::pixmaps::Description;
use super::xcb::{self, Connection, Cookie, Errors, Extent};
use super::{fences, imports, pixmaps, rate, screenshot};
use crate::process::{device, existing};
use crate::real::{real, set_errno};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::offset_of;
use std::os::fd::IntoRawFd;
use std::panic::catch_unwind;

/// `xcb_extension_t`.
#[repr(C)]
pub struct Extension {
    name: *const c_char,
    number: c_int,
}

/// `xcb_query_extension_reply_t`.
#[repr(C)]
pub struct ExtensionData {
    response_type: u8,
    padding: u8,
    sequence: u16,
    length: u32,
    present: u8,
    major_opcode: u8,
    first_event: u8,
    first_error: u8,
}

/// There is DRI3. Its opcode, which nothing is sent with, is the last one.
static DRI3: ExtensionData = ExtensionData {
    response_type: 1,
    padding: 0,
    sequence: 0,
    length: 0,
    present: 1,
    major_opcode: u8::MAX,
    first_event: 0,
    first_error: 0,
};

/// `xcb_dri3_query_version_reply_t`: of the whole size of answers.
#[repr(C)]
struct Version {
    response_type: u8,
    padding: u8,
    sequence: u16,
    length: u32,
    major: u32,
    minor: u32,
    rest: [u32; 4],
}

/// `xcb_dri3_open_reply_t`, and the descriptor after it.
#[repr(C)]
struct Opened {
    response_type: u8,
    descriptors: u8,
    sequence: u16,
    length: u32,
    rest: [u32; 6],
    descriptor: c_int,
}

/// `xcb_dri3_buffer_from_pixmap_reply_t`, and the descriptor after it.
#[repr(C)]
struct BufferOfPixmap {
    response_type: u8,
    descriptors: u8,
    sequence: u16,
    length: u32,
    size: u32,
    width: u16,
    height: u16,
    stride: u16,
    depth: u8,
    bits_per_pixel: u8,
    rest: [u32; 3],
    descriptor: c_int,
}

/// An answer, which the client frees. Null if there is no memory.
fn answer<T>(value: T) -> *mut c_void {
    // SAFETY: the size is not 0.
    let place = unsafe { libc::malloc(size_of::<T>()) };
    if !place.is_null() {
        // SAFETY: the memory is new, and has the size, and the alignment of everything.
        unsafe { place.cast::<T>().write(value) };
    }
    place
}

/// Runs what may not unwind into the client; gives `otherwise` if it panics, which the hook of panics has written.
fn guarded<T>(otherwise: T, run: impl FnOnce() -> T + std::panic::UnwindSafe) -> T {
    catch_unwind(run).unwrap_or(otherwise)
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_get_extension_data(
    connection: Connection,
    extension: *mut Extension,
) -> *const ExtensionData {
    // SAFETY: extensions of clients are structures whose names are strings that end with 0.
    if !extension.is_null() && unsafe { CStr::from_ptr((*extension).name) } == c"DRI3" {
        return &raw const DRI3;
    }
    real!(c"libxcb.so.1", xcb_get_extension_data: fn(Connection, *mut Extension) -> *const ExtensionData,
        (connection, extension), else std::ptr::null())
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_dri3_query_version(_connection: Connection, _major: u32, _minor: u32) -> Cookie {
    Cookie::default()
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_dri3_query_version_reply(
    _connection: Connection,
    _cookie: Cookie,
    error: *mut *mut c_void,
) -> *mut c_void {
    // SAFETY: the caller gives a place for it, or none.
    if let Some(error) = unsafe { error.as_mut() } {
        *error = std::ptr::null_mut();
    }
    answer(Version { response_type: 1, padding: 0, sequence: 0, length: 0, major: 1, minor: 0, rest: [0; 4] })
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_dri3_open(_connection: Connection, _drawable: u32, _provider: u32) -> Cookie {
    Cookie::default()
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_dri3_open_reply(
    _connection: Connection,
    _cookie: Cookie,
    error: *mut *mut c_void,
) -> *mut c_void {
    // SAFETY: the caller gives a place for it, or none.
    if let Some(error) = unsafe { error.as_mut() } {
        *error = std::ptr::null_mut();
    }
    let opened = guarded(None, || device().and_then(|device| device.open(libc::O_RDWR | libc::O_CLOEXEC).ok()));
    match opened {
        Some(descriptor) => {
            answer(Opened { response_type: 1, descriptors: 1, sequence: 0, length: 0, rest: [0; 6], descriptor })
        }
        None => {
            set_errno(libc::ENODEV);
            std::ptr::null_mut()
        }
    }
}

/// # Safety
/// As libxcb's: the answer is that of [`xcb_dri3_open_reply`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_dri3_open_reply_fds(_connection: Connection, reply: *mut c_void) -> *mut c_int {
    // SAFETY: the answer has the descriptor after what libxcb's has.
    unsafe { reply.cast::<u8>().add(offset_of!(Opened, descriptor)).cast() }
}

/// Functions that make a pixmap of a buffer.
macro_rules! pixmaps_from_buffers {
    ($($name:ident: $errors:expr;)*) => {$(
        /// # Safety
        /// As libxcb's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            connection: Connection,
            pixmap: u32,
            drawable: u32,
            _size: u32,
            width: u16,
            height: u16,
            stride: u16,
            depth: u8,
            bits_per_pixel: u8,
            descriptor: i32,
        ) -> Cookie {
            let description = Description { extent: Extent { width, height, depth }, stride, bits_per_pixel };
            let create = std::panic::AssertUnwindSafe(|| {
                pixmaps::create(connection, pixmap, drawable, description, descriptor, $errors)
            });
            guarded(Cookie::default(), create)
        }
    )*};
}

// Mesa 26 checks.
pixmaps_from_buffers! {
    xcb_dri3_pixmap_from_buffer: Errors::Handled;
    xcb_dri3_pixmap_from_buffer_checked: Errors::Checked;
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_dri3_buffer_from_pixmap(connection: Connection, pixmap: u32) -> Cookie {
    guarded(Cookie::default(), || imports::ask(connection, pixmap))
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_dri3_buffer_from_pixmap_reply(
    connection: Connection,
    cookie: Cookie,
    error: *mut *mut c_void,
) -> *mut c_void {
    // SAFETY: the caller gives a place for it, or none.
    if let Some(error) = unsafe { error.as_mut() } {
        *error = std::ptr::null_mut();
    }
    match guarded(None, || imports::take(connection, cookie)) {
        Some(imports::Buffer { descriptor, extent: Extent { width, height, depth }, size, stride, bits_per_pixel }) => {
            answer(BufferOfPixmap {
                response_type: 1,
                descriptors: 1,
                sequence: 0,
                length: 0,
                size,
                width,
                height,
                stride,
                depth,
                bits_per_pixel,
                rest: [0; 3],
                descriptor: descriptor.into_raw_fd(),
            })
        }
        None => std::ptr::null_mut(),
    }
}

/// # Safety
/// As libxcb's: the answer is that of [`xcb_dri3_buffer_from_pixmap_reply`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_dri3_buffer_from_pixmap_reply_fds(
    _connection: Connection,
    reply: *mut c_void,
) -> *mut c_int {
    // SAFETY: the answer has the descriptor after what libxcb's has.
    unsafe { reply.cast::<u8>().add(offset_of!(BufferOfPixmap, descriptor)).cast() }
}

/// # Safety
/// As Xlib's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn XSync(display: *mut c_void, discards: c_int) -> c_int {
    let done = real!(c"libX11.so.6", XSync: fn(*mut c_void, c_int) -> c_int, (display, discards), else 0);
    guarded((), || {
        if imports::is_needed() {
            imports::refresh(xcb::connection_of(display));
        }
    });
    done
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_free_pixmap(connection: Connection, pixmap: u32) -> Cookie {
    guarded((), || {
        pixmaps::free(connection, pixmap);
        imports::free(connection, pixmap);
    });
    real!(c"libxcb.so.1", xcb_free_pixmap: fn(Connection, u32) -> Cookie, (connection, pixmap), else Cookie::default())
}

/// Functions that make a fence of a descriptor. No request is sent, and the cookie of none has no error.
macro_rules! fences_from_descriptors {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libxcb's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            connection: Connection,
            _drawable: u32,
            fence: u32,
            is_triggered: u8,
            descriptor: i32,
        ) -> Cookie {
            guarded((), || fences::add(connection, fence, descriptor, is_triggered != 0));
            // SAFETY: the caller gives it away.
            unsafe { libc::close(descriptor) };
            Cookie::default()
        }
    )*};
}

fences_from_descriptors! { xcb_dri3_fence_from_fd xcb_dri3_fence_from_fd_checked }

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_sync_trigger_fence(connection: Connection, fence: u32) -> Cookie {
    let is_own = guarded(false, || {
        let is_known = fences::is_known(connection, fence);
        if is_known {
            // What the server was asked to draw before is there when the fence is triggered.
            pixmaps::download(connection);
            fences::trigger(connection, fence);
        }
        is_known
    });
    if is_own {
        return Cookie::default();
    }
    real!(c"libxcb-sync.so.1", xcb_sync_trigger_fence: fn(Connection, u32) -> Cookie, (connection, fence),
        else Cookie::default())
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_sync_destroy_fence(connection: Connection, fence: u32) -> Cookie {
    if guarded(false, || fences::remove(connection, fence)) {
        return Cookie::default();
    }
    real!(c"libxcb-sync.so.1", xcb_sync_destroy_fence: fn(Connection, u32) -> Cookie, (connection, fence),
        else Cookie::default())
}

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_present_pixmap(
    connection: Connection,
    window: u32,
    pixmap: u32,
    serial: u32,
    valid: u32,
    update: u32,
    x: i16,
    y: i16,
    crtc: u32,
    wait_fence: u32,
    idle_fence: u32,
    options: u32,
    target: u64,
    divisor: u64,
    remainder: u64,
    notify_count: u32,
    notifies: *const c_void,
) -> Cookie {
    guarded((), || {
        pixmaps::upload(connection, pixmap);
        rate::count();
        if let Some(device) = existing() {
            device.end_frame();
        }
        screenshot::present(|| pixmaps::rows(connection, pixmap));
    });
    // The server knows no fence of this process. The client waits for its events as well, which say when the pixmap is free.
    let own = |fence| guarded(false, || fences::is_known(connection, fence));
    let of_server = |fence| if own(fence) { 0 } else { fence };
    let cookie = real!(c"libxcb-present.so.0", xcb_present_pixmap:
        fn(Connection, u32, u32, u32, u32, u32, i16, i16, u32, u32, u32, u32, u64, u64, u64, u32, *const c_void) -> Cookie,
        (connection, window, pixmap, serial, valid, update, x, y, crtc, of_server(wait_fence), of_server(idle_fence),
            options, target, divisor, remainder, notify_count, notifies),
        else Cookie::default());
    guarded(false, || fences::trigger(connection, idle_fence));
    cookie
}

/// Functions that copy a part of a drawable to another one.
macro_rules! copies {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libxcb's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            connection: Connection,
            from: u32,
            to: u32,
            context: u32,
            from_x: i16,
            from_y: i16,
            to_x: i16,
            to_y: i16,
            width: u16,
            height: u16,
        ) -> Cookie {
            guarded((), || {
                pixmaps::upload(connection, from);
                pixmaps::note_written(connection, to);
            });
            real!(c"libxcb.so.1", $name: fn(Connection, u32, u32, u32, i16, i16, i16, i16, u16, u16) -> Cookie,
                (connection, from, to, context, from_x, from_y, to_x, to_y, width, height), else Cookie::default())
        }
    )*};
}

copies! { xcb_copy_area xcb_copy_area_checked }

/// # Safety
/// As libxcb's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xcb_disconnect(connection: Connection) {
    guarded((), || {
        pixmaps::disconnect(connection);
        imports::disconnect(connection);
        fences::disconnect(connection);
    });
    real!(c"libxcb.so.1", xcb_disconnect: fn(Connection) -> (), (connection), else ())
}
