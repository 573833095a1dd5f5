//! Pixmaps of the server that show buffer objects: it gets a copy of their pixels.

use super::image::Image;
use super::xcb::{self, Connection, Cookie, Errors, Extent, SharedMemory};
use crate::device::complain;
use crate::memory::Descriptor;
use crate::process::{Opened, opened};
use ctm_card::SharedImage;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// A buffer object as its client describes it.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    pub extent: Extent,
    /// Bytes from a row to the next one.
    pub stride: u16,
    pub bits_per_pixel: u8,
}

/// A pixmap.
struct Pixmap {
    image: Image,
    copy: ServerCopy,
    /// The server has drawn to it.
    is_written: bool,
}

/// How the server gets pixels.
enum ServerCopy {
    /// The pixmap lies in memory that both have.
    Shared(Segment),
    /// It copies them from there.
    Copied(Segment, u32),
    /// They are sent, by this graphics context.
    Sent(u32),
}

/// Memory that the server has, too.
struct Segment {
    name: u32,
    address: *mut u8,
    length: usize,
}

// SAFETY: the memory is this process's, and only one thread has it at a time.
unsafe impl Send for Segment {}

impl Segment {
    /// New memory that the server of a connection takes.
    fn new(connection: Connection, length: usize) -> Option<Self> {
        // SAFETY: the name is a string that ends with 0.
        let descriptor = unsafe { libc::memfd_create(c"ctm picture".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return None;
        }
        // SAFETY: the descriptor is new, and nobody else has it.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        // SAFETY: the call takes numbers only.
        if unsafe { libc::ftruncate(descriptor.as_raw_fd(), length as i64) } != 0 {
            return None;
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping touches no other.
        let address =
            unsafe { libc::mmap(ptr::null_mut(), length, access, libc::MAP_SHARED, descriptor.as_raw_fd(), 0) };
        if address == libc::MAP_FAILED {
            return None;
        }
        let segment = Segment { name: xcb::generate_id(connection), address: address.cast(), length };
        // libxcb closes what it has sent.
        xcb::attach(connection, segment.name, descriptor.into_raw_fd()).then_some(segment)
    }

    /// Its bytes.
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has so many bytes; what the server writes there meanwhile are bytes, too.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.length) }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: nobody else has the mapping.
        unsafe { libc::munmap(self.address.cast::<c_void>(), self.length) };
    }
}

impl Pixmap {
    /// Gives the server the object's pixels as they are now.
    fn upload(&mut self, connection: Connection, name: u32) {
        let Pixmap { image, copy, .. } = self;
        match copy {
            ServerCopy::Shared(segment) => image.read(segment.bytes()),
            ServerCopy::Copied(segment, context) => {
                image.read(segment.bytes());
                xcb::put_shared(connection, (name, *context), image.extent, segment.name);
            }
            ServerCopy::Sent(context) => image.send(connection, (name, *context)),
        }
    }

    /// Gives the object what the server has drawn, which is done.
    fn download(&mut self, connection: Connection, name: u32) {
        self.is_written = false;
        let Pixmap { image, copy, .. } = self;
        match copy {
            ServerCopy::Shared(segment) => image.write(segment.bytes()),
            ServerCopy::Copied(..) | ServerCopy::Sent(_) => {
                if let Some(rows) = xcb::get(connection, name, image.extent) {
                    image.write(&rows);
                }
            }
        }
    }

    /// Gives back what the server has for it.
    fn free(self, connection: Connection) {
        match &self.copy {
            ServerCopy::Shared(segment) => xcb::detach(connection, segment.name),
            ServerCopy::Copied(segment, context) => {
                xcb::detach(connection, segment.name);
                xcb::free_context(connection, *context);
            }
            ServerCopy::Sent(context) => xcb::free_context(connection, *context),
        }
    }
}

/// What is known of connections and their pixmaps.
#[derive(Default)]
struct Known {
    /// What servers do with shared memory, by connection.
    servers: HashMap<usize, SharedMemory>,
    /// By connection and name.
    pixmaps: HashMap<(usize, u32), Pixmap>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a pixmap of this name, for the screen of a drawable, that shows the object of a descriptor, which is its own from now on.
pub fn create(
    connection: Connection,
    name: u32,
    drawable: u32,
    description: Description,
    descriptor: c_int,
    errors: Errors,
) -> Cookie {
    static COMPLAINED: Once = Once::new();
    let Description { extent, stride, bits_per_pixel } = description;
    // SAFETY: the caller gives it away.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let shared = match opened(descriptor.as_raw_fd()) {
        Some(Opened::Own(device, Descriptor::Export(export))) => {
            device.objects().exported(export.number).map(|buffer| (device, buffer))
        }
        Some(Opened::Own(..) | Opened::Foreign(_)) | None => None,
    };
    let Some((device, buffer)) = shared.filter(|_| matches!(bits_per_pixel, 8 | 16 | 32)) else {
        COMPLAINED.call_once(|| {
            complain(&format!(
                "a window's buffer is not one of this process's card, or has {bits_per_pixel} bits for each pixel (8, 16 and 32 are supported): \
                 it stays black"
            ));
        });
        return xcb::create_pixmap(connection, name, drawable, extent, errors);
    };
    let pixel_bytes = u32::from(bits_per_pixel / 8);
    let image = SharedImage { tiling: buffer.tiling, stride: stride.into(), rows: extent.height.into(), pixel_bytes };
    let mut known = lock();
    let known = known.get_or_insert_default();
    let server = *known.servers.entry(connection as usize).or_insert_with(|| xcb::shared_memory(connection));
    let length = (usize::from(extent.width) * pixel_bytes as usize).next_multiple_of(4) * usize::from(extent.height);
    let segment = match server {
        SharedMemory::None => None,
        SharedMemory::Copies | SharedMemory::Pixmaps => Segment::new(connection, length.max(1)),
    };
    let (cookie, copy) = match (segment, server) {
        (Some(segment), SharedMemory::Pixmaps) => {
            let cookie = xcb::create_shared_pixmap(connection, name, drawable, extent, segment.name, errors);
            (cookie, ServerCopy::Shared(segment))
        }
        (segment, _) => {
            let cookie = xcb::create_pixmap(connection, name, drawable, extent, errors);
            let context = xcb::create_context(connection, name);
            let copy = match segment {
                Some(segment) => ServerCopy::Copied(segment, context),
                None => ServerCopy::Sent(context),
            };
            (cookie, copy)
        }
    };
    let image = Image {
        device,
        object: buffer.object,
        _descriptor: descriptor,
        extent,
        stride: stride.into(),
        pixel_bytes: pixel_bytes as usize,
        places: device.model.pixel_places(&image),
    };
    let pixmap = Pixmap { image, copy, is_written: false };
    known.pixmaps.insert((connection as usize, name), pixmap);
    cookie
}

/// Runs with a pixmap, if it is one of these.
fn with(connection: Connection, name: u32, run: impl FnOnce(&mut Pixmap)) {
    if let Some(pixmap) = lock().as_mut().and_then(|known| known.pixmaps.get_mut(&(connection as usize, name))) {
        run(pixmap);
    }
}

/// Gives the server the pixels of a pixmap, if it is one of these: it is shown, or copied from.
pub fn upload(connection: Connection, name: u32) {
    with(connection, name, |pixmap| pixmap.upload(connection, name));
}

/// What a pixmap shows, if it is one of these: its extent, bits for each pixel, and rows of whole words.
pub fn rows(connection: Connection, name: u32) -> Option<(Extent, u8, Vec<u8>)> {
    let mut shown = None;
    with(connection, name, |Pixmap { image, .. }| {
        let mut rows = vec![0; image.bytes()];
        image.read(&mut rows);
        shown = Some((image.extent, 8 * image.pixel_bytes as u8, rows));
    });
    shown
}

/// Notes that the server draws to a pixmap, if it is one of these.
pub fn note_written(connection: Connection, name: u32) {
    with(connection, name, |pixmap| pixmap.is_written = true);
}

/// Gives objects what the server has drawn to their pixmaps.
pub fn download(connection: Connection) {
    let mut known = lock();
    let Some(known) = known.as_mut() else { return };
    let of = connection as usize;
    let mut written: Vec<_> =
        known.pixmaps.iter_mut().filter(|((other, _), pixmap)| *other == of && pixmap.is_written).collect();
    if !written.is_empty() {
        xcb::wait(connection);
    }
    for ((_, name), pixmap) in &mut written {
        pixmap.download(connection, *name);
    }
}

/// Forgets a pixmap that is freed, if it is one of these.
pub fn free(connection: Connection, name: u32) {
    let pixmap = lock().as_mut().and_then(|known| known.pixmaps.remove(&(connection as usize, name)));
    if let Some(pixmap) = pixmap {
        pixmap.free(connection);
    }
}

/// Forgets all of a connection, which is closed.
pub fn disconnect(connection: Connection) {
    if let Some(known) = lock().as_mut() {
        known.servers.remove(&(connection as usize));
        known.pixmaps.retain(|(of, _), _| *of != connection as usize);
    }
}
