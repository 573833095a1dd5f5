//! Calls of libxcb and of the libraries of its extensions. Answers that the caller owns are freed when they are dropped.

use crate::real::{Symbol, real};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

/// A connection to a server.
pub type Connection = *mut c_void;

/// What a request is remembered by.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Cookie {
    pub sequence: c_uint,
}

/// Pixels follow pixels, not planes planes.
const Z_PIXMAP: u8 = 2;
/// The place in an answer that says whether there is the extension.
const PRESENT: usize = 8;

/// An answer of the server.
pub struct Reply(*mut u8);

impl Reply {
    /// What a call gave; `None` if it was an error.
    fn new(pointer: *mut c_void) -> Option<Self> {
        (!pointer.is_null()).then_some(Reply(pointer.cast()))
    }

    /// A byte of its first 32, which every answer has.
    fn byte(&self, at: usize) -> u8 {
        assert!(at < 32, "answers have 32 bytes");
        // SAFETY: answers have as many bytes.
        unsafe { *self.0.add(at) }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        // SAFETY: libxcb made it by `malloc`, and nobody else has it.
        unsafe { libc::free(self.0.cast()) };
    }
}

/// A new name of something that the server has.
pub fn generate_id(connection: Connection) -> u32 {
    real!(c"libxcb.so.1", xcb_generate_id: fn(Connection) -> u32, (connection), else 0)
}

/// Bytes that a request has at most.
pub fn maximum_request_bytes(connection: Connection) -> usize {
    let words =
        real!(c"libxcb.so.1", xcb_get_maximum_request_length: fn(Connection) -> u32, (connection), else 1 << 16);
    4 * words as usize
}

/// Waits until the server has done all that it was asked for.
pub fn wait(connection: Connection) {
    let cookie = real!(c"libxcb.so.1", xcb_get_input_focus: fn(Connection) -> Cookie, (connection), else return);
    Reply::new(
        real!(c"libxcb.so.1", xcb_get_input_focus_reply: fn(Connection, Cookie, *mut *mut c_void) -> *mut c_void,
        (connection, cookie, ptr::null_mut()), else ptr::null_mut()),
    );
}

/// Whether the server and this process are on one host, so that descriptors can be sent.
fn is_local(connection: Connection) -> bool {
    let descriptor = real!(c"libxcb.so.1", xcb_get_file_descriptor: fn(Connection) -> c_int, (connection), else -1);
    // SAFETY: all of it are numbers.
    let mut address: libc::sockaddr_storage = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    // SAFETY: the address has so many bytes.
    let found = unsafe { libc::getsockname(descriptor, (&raw mut address).cast(), &raw mut length) };
    found == 0 && i32::from(address.ss_family) == libc::AF_UNIX
}

/// What a server can do with memory that it shares with a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedMemory {
    /// Pixmaps can lie there.
    Pixmaps,
    /// Pixels can be copied from there.
    Copies,
    /// There is no such.
    None,
}

/// What this server can do with shared memory, which it is asked.
pub fn shared_memory(connection: Connection) -> SharedMemory {
    static EXTENSION: Symbol = Symbol::of_library(c"xcb_shm_id", c"libxcb-shm.so.0");
    let extension = EXTENSION.address();
    if extension.is_null() || !is_local(connection) {
        return SharedMemory::None;
    }
    let data = real!(c"libxcb.so.1", xcb_get_extension_data: fn(Connection, *mut c_void) -> *const u8,
        (connection, extension), else ptr::null());
    // SAFETY: the answer, which is libxcb's, has 12 bytes.
    if data.is_null() || unsafe { *data.add(PRESENT) } == 0 {
        return SharedMemory::None;
    }
    let cookie = real!(c"libxcb-shm.so.0", xcb_shm_query_version: fn(Connection) -> Cookie, (connection),
        else return SharedMemory::None);
    let reply = Reply::new(
        real!(c"libxcb-shm.so.0", xcb_shm_query_version_reply: fn(Connection, Cookie, *mut *mut c_void) -> *mut c_void,
        (connection, cookie, ptr::null_mut()), else ptr::null_mut()),
    );
    let Some(reply) = reply else { return SharedMemory::None };
    let version = [8, 10].map(|at| u16::from_ne_bytes([reply.byte(at), reply.byte(at + 1)]));
    match (version >= [1, 2], reply.byte(1) != 0) {
        (false, _) => SharedMemory::None,
        (true, false) => SharedMemory::Copies,
        (true, true) => SharedMemory::Pixmaps,
    }
}

/// Gives the server a descriptor of memory, under a name; whether it takes it.
pub fn attach(connection: Connection, segment: u32, descriptor: c_int) -> bool {
    let cookie = real!(c"libxcb-shm.so.0", xcb_shm_attach_fd_checked: fn(Connection, u32, c_int, u8) -> Cookie,
        (connection, segment, descriptor, 0), else return false);
    let error = real!(c"libxcb.so.1", xcb_request_check: fn(Connection, Cookie) -> *mut c_void,
        (connection, cookie), else ptr::null_mut());
    Reply::new(error).is_none()
}

/// Takes memory away from the server.
pub fn detach(connection: Connection, segment: u32) {
    real!(c"libxcb-shm.so.0", xcb_shm_detach: fn(Connection, u32) -> Cookie, (connection, segment), else Cookie::default());
}

/// A picture as the server sees it.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub width: u16,
    pub height: u16,
    pub depth: u8,
}

/// Asks for the extent of a drawable.
pub fn ask_extent(connection: Connection, drawable: u32) -> Cookie {
    real!(c"libxcb.so.1", xcb_get_geometry: fn(Connection, u32) -> Cookie, (connection, drawable), else Cookie::default())
}

/// The extent that was asked for, if there is such a drawable.
pub fn extent(connection: Connection, cookie: Cookie) -> Option<Extent> {
    let reply = Reply::new(
        real!(c"libxcb.so.1", xcb_get_geometry_reply: fn(Connection, Cookie, *mut *mut c_void) -> *mut c_void,
        (connection, cookie, ptr::null_mut()), else ptr::null_mut()),
    )?;
    let [width, height] = [16, 18].map(|at| u16::from_ne_bytes([reply.byte(at), reply.byte(at + 1)]));
    Some(Extent { width, height, depth: reply.byte(1) })
}

/// The connection of a display of Xlib's; null if there is none.
pub fn connection_of(display: *mut c_void) -> Connection {
    real!(c"libX11-xcb.so.1", XGetXCBConnection: fn(*mut c_void) -> Connection, (display), else ptr::null_mut())
}

/// Who looks for the error of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// The client's handler of events.
    Handled,
    /// The client asks for it by the request's cookie.
    Checked,
}

/// Makes a pixmap, of this name, for the screen of a drawable.
pub fn create_pixmap(connection: Connection, name: u32, drawable: u32, extent: Extent, errors: Errors) -> Cookie {
    let Extent { width, height, depth } = extent;
    match errors {
        Errors::Handled => real!(c"libxcb.so.1", xcb_create_pixmap: fn(Connection, u8, u32, u32, u16, u16) -> Cookie,
            (connection, depth, name, drawable, width, height), else Cookie::default()),
        Errors::Checked => real!(c"libxcb.so.1",
            xcb_create_pixmap_checked: fn(Connection, u8, u32, u32, u16, u16) -> Cookie,
            (connection, depth, name, drawable, width, height), else Cookie::default()),
    }
}

/// The same, of which the pixels lie in shared memory.
pub fn create_shared_pixmap(
    connection: Connection,
    name: u32,
    drawable: u32,
    extent: Extent,
    segment: u32,
    errors: Errors,
) -> Cookie {
    let Extent { width, height, depth } = extent;
    match errors {
        Errors::Handled => real!(c"libxcb-shm.so.0",
            xcb_shm_create_pixmap: fn(Connection, u32, u32, u16, u16, u8, u32, u32) -> Cookie,
            (connection, name, drawable, width, height, depth, segment, 0), else Cookie::default()),
        Errors::Checked => real!(c"libxcb-shm.so.0",
            xcb_shm_create_pixmap_checked: fn(Connection, u32, u32, u16, u16, u8, u32, u32) -> Cookie,
            (connection, name, drawable, width, height, depth, segment, 0), else Cookie::default()),
    }
}

/// A graphics context for a drawable: its name.
pub fn create_context(connection: Connection, drawable: u32) -> u32 {
    let name = generate_id(connection);
    real!(c"libxcb.so.1", xcb_create_gc: fn(Connection, u32, u32, u32, *const c_void) -> Cookie,
        (connection, name, drawable, 0, ptr::null()), else Cookie::default());
    name
}

/// Frees it.
pub fn free_context(connection: Connection, context: u32) {
    real!(c"libxcb.so.1", xcb_free_gc: fn(Connection, u32) -> Cookie, (connection, context), else Cookie::default());
}

/// Copies a picture from shared memory.
pub fn put_shared(connection: Connection, (drawable, context): (u32, u32), extent: Extent, segment: u32) {
    let Extent { width, height, depth } = extent;
    real!(c"libxcb-shm.so.0", xcb_shm_put_image:
        fn(Connection, u32, u32, u16, u16, u16, u16, u16, u16, i16, i16, u8, u8, u8, u32, u32) -> Cookie,
        (connection, drawable, context, width, height, 0, 0, width, height, 0, 0, depth, Z_PIXMAP, 0, segment, 0),
        else Cookie::default());
}

/// Sends rows of a picture, from this one on.
pub fn put(connection: Connection, (drawable, context): (u32, u32), extent: Extent, first: u16, pixels: &[u8]) {
    let Extent { width, height, depth } = extent;
    real!(c"libxcb.so.1", xcb_put_image:
        fn(Connection, u8, u32, u32, u16, u16, i16, i16, u8, u8, u32, *const u8) -> Cookie,
        (connection, Z_PIXMAP, drawable, context, width, height, 0, first as i16, 0, depth, pixels.len() as u32,
            pixels.as_ptr()),
        else Cookie::default());
}

/// The pixels of a drawable, if the server gives them.
pub fn get(connection: Connection, drawable: u32, extent: Extent) -> Option<Vec<u8>> {
    let cookie = real!(c"libxcb.so.1", xcb_get_image: fn(Connection, u8, u32, i16, i16, u16, u16, u32) -> Cookie,
        (connection, Z_PIXMAP, drawable, 0, 0, extent.width, extent.height, u32::MAX), else return None);
    let reply = Reply::new(
        real!(c"libxcb.so.1", xcb_get_image_reply: fn(Connection, Cookie, *mut *mut c_void) -> *mut c_void,
        (connection, cookie, ptr::null_mut()), else ptr::null_mut()),
    )?;
    let data = real!(c"libxcb.so.1", xcb_get_image_data: fn(*mut u8) -> *const u8, (reply.0), else ptr::null());
    let length = real!(c"libxcb.so.1", xcb_get_image_data_length: fn(*mut u8) -> c_int, (reply.0), else 0);
    if data.is_null() {
        return None;
    }
    // SAFETY: libxcb says that so many bytes lie there, in the answer.
    Some(unsafe { std::slice::from_raw_parts(data, usize::try_from(length).ok()?) }.to_vec())
}
