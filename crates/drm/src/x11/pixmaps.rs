//! Pixmaps of the server that show buffer objects: their pixels are copied, row by row, whichever way tiles lie in the object.

use super::xcb::{self, Connection, Cookie, Extent, SharedMemory};
use crate::device::{Device, complain};
use crate::memory::Descriptor;
use crate::process::{Opened, opened};
use ctm_card::{Object, PixelOffset, SharedImage};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Pixels that lie one after the other in every order of tiles.
const CONTIGUOUS_PIXELS: usize = 4;
/// Bytes of a request that are not pixels, and more.
const REQUEST: usize = 64;
/// Bytes of pixels that a request has at most.
const MOST: usize = 1 << 22;

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

/// The pixels of a buffer object.
struct Image {
    device: &'static Device,
    object: Object,
    /// As long as this is open, the object is there.
    _descriptor: OwnedFd,
    extent: Extent,
    stride: usize,
    pixel_bytes: usize,
    /// Where pixels lie, if not row by row.
    offset: Option<PixelOffset>,
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

impl Image {
    /// Bytes of a row where rows follow each other, as the server has them: whole words.
    fn row_bytes(&self) -> usize {
        (usize::from(self.extent.width) * self.pixel_bytes).next_multiple_of(4)
    }

    /// Bytes of all rows.
    fn bytes(&self) -> usize {
        self.row_bytes() * usize::from(self.extent.height)
    }

    /// Visits all pieces of the picture that lie one after the other both in the object and in rows: where in the object, where in rows, and how
    /// many bytes.
    fn pieces(&self, mut piece: impl FnMut(usize, usize, usize)) {
        let (width, row_bytes) = (usize::from(self.extent.width), self.row_bytes());
        for y in 0..usize::from(self.extent.height) {
            let Some(offset) = &self.offset else {
                piece(y * self.stride, y * row_bytes, width * self.pixel_bytes);
                continue;
            };
            for x in (0..width).step_by(CONTIGUOUS_PIXELS) {
                let bytes = CONTIGUOUS_PIXELS.min(width - x) * self.pixel_bytes;
                piece(offset(x as u32, y as u32) as usize, y * row_bytes + x * self.pixel_bytes, bytes);
            }
        }
    }

    /// The bytes of the object.
    fn object_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.object.size as usize];
        self.device.memory.arena().read_bytes(self.object.address, &mut bytes);
        bytes
    }

    /// Copies the object's pixels to rows.
    fn read(&self, rows: &mut [u8]) {
        let object = self.object_bytes();
        self.pieces(|from, to, bytes| {
            if let (Some(from), Some(to)) = (object.get(from..from + bytes), rows.get_mut(to..to + bytes)) {
                to.copy_from_slice(from);
            }
        });
    }

    /// Copies rows to the object's pixels.
    fn write(&self, rows: &[u8]) {
        let mut object = self.object_bytes();
        self.pieces(|to, from, bytes| {
            if let (Some(from), Some(to)) = (rows.get(from..from + bytes), object.get_mut(to..to + bytes)) {
                to.copy_from_slice(from);
            }
        });
        self.device.memory.arena().write_bytes(self.object.address, &object);
    }

    /// Sends all pixels to a drawable, with a graphics context.
    fn send(&self, connection: Connection, to: (u32, u32)) {
        let mut rows = vec![0; self.bytes()];
        self.read(&mut rows);
        let most = xcb::maximum_request_bytes(connection).saturating_sub(REQUEST).min(MOST);
        let count = (most / self.row_bytes().max(1)).max(1);
        for (n, rows) in rows.chunks((count * self.row_bytes()).max(1)).enumerate() {
            let extent = Extent { height: (rows.len() / self.row_bytes()) as u16, ..self.extent };
            xcb::put(connection, to, extent, (n * count) as u16, rows);
        }
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
pub fn create(connection: Connection, name: u32, drawable: u32, description: Description, descriptor: c_int) -> Cookie {
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
        return xcb::create_pixmap(connection, name, drawable, extent);
    };
    let pixel_bytes = u32::from(bits_per_pixel / 8);
    let image = SharedImage { tiling: buffer.tiling.0, stride: stride.into(), rows: extent.height.into(), pixel_bytes };
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
            let cookie = xcb::create_shared_pixmap(connection, name, drawable, extent, segment.name);
            (cookie, ServerCopy::Shared(segment))
        }
        (segment, _) => {
            let cookie = xcb::create_pixmap(connection, name, drawable, extent);
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
        offset: device.model.pixel_offset(&image),
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
