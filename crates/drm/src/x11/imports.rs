//! Pixmaps that a program draws as textures: those of windows in a compositor (`GLX_EXT_texture_from_pixmap`), and EGL images of pixmaps.
//!
//! The server has their pixels, which no card of a client's can reach. So DRI3 gives the program a buffer object with a copy. GLX says that a
//! texture shows what a pixmap has when it is bound, and Mesa calls `XSync` just before it binds one: then the copies are brought up to date. An
//! EGL image keeps what the pixmap had when it was made.

use super::image::Image;
use super::xcb::{self, Connection, Cookie, Extent};
use crate::device::complain;
use crate::memory::{Descriptor, Export};
use crate::process::{Opened, device, opened};
use std::collections::HashMap;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Bytes that rows are multiples of: as many as the cards' drivers want of rows that lie one after the other.
const ROW: usize = 256;
/// Rows that the drivers may count an object in.
const ROWS: usize = 16;

/// A copy of a pixmap.
struct Import {
    image: Image,
    export: u64,
    /// The client has had an object of it.
    was_used: bool,
}

#[derive(Default)]
struct Known {
    /// Pixmaps that were asked for, by connection and the number of the request.
    asked: HashMap<(usize, u32), u32>,
    /// By connection and name.
    imports: HashMap<(usize, u32), Import>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What DRI3 says of a pixmap's buffer.
pub struct Buffer {
    /// The client's own.
    pub descriptor: OwnedFd,
    pub extent: Extent,
    pub size: u32,
    /// Bytes from a row to the next one.
    pub stride: u16,
    pub bits_per_pixel: u8,
}

/// Asks the server for what there is to know of a pixmap.
pub fn ask(connection: Connection, pixmap: u32) -> Cookie {
    let cookie = xcb::ask_extent(connection, pixmap);
    lock().get_or_insert_default().asked.insert((connection as usize, cookie.sequence), pixmap);
    cookie
}

/// A buffer with the pixels of the pixmap that was asked for.
pub fn take(connection: Connection, cookie: Cookie) -> Option<Buffer> {
    let pixmap = lock().as_mut()?.asked.remove(&(connection as usize, cookie.sequence))?;
    let extent = xcb::extent(connection, cookie)?;
    let made = make(extent);
    if made.is_none() {
        static COMPLAINED: Once = Once::new();
        COMPLAINED.call_once(|| {
            complain(&format!(
                "a pixmap of {}x{} pixels with {} bits of colour is not drawn as a texture: its depth is not supported (8, 15, 16, 24, 30 and 32 are), it is \
                 more than 16320 pixels wide, or the card has no memory left",
                extent.width, extent.height, extent.depth
            ));
        });
    }
    let (import, buffer) = made?;
    import.copy(connection, pixmap);
    lock().get_or_insert_default().imports.insert((connection as usize, pixmap), import);
    Some(buffer)
}

/// A new object for pixels.
fn make(extent: Extent) -> Option<(Import, Buffer)> {
    let bits_per_pixel: u8 = match extent.depth {
        8 => 8,
        15 | 16 => 16,
        24 | 30 | 32 => 32,
        _ => return None,
    };
    let device = device()?;
    let pixel_bytes = usize::from(bits_per_pixel / 8);
    let row_bytes = (usize::from(extent.width) * pixel_bytes).next_multiple_of(ROW);
    let size = row_bytes * usize::from(extent.height).next_multiple_of(ROWS);
    let flags = libc::O_RDWR | libc::O_CLOEXEC;
    let made = device.objects().create_exported(size as u64, (device.identity.device, flags), &device.memory)?;
    // SAFETY: the descriptor is new, and nobody else has it.
    let descriptor = unsafe { OwnedFd::from_raw_fd(made.ok()?) };
    let Some(Opened::Own(_, Descriptor::Export(Export { number: export, .. }))) = opened(descriptor.as_raw_fd()) else {
        return None;
    };
    let object = device.objects().exported(export)?.object;
    let buffer = Buffer {
        descriptor: descriptor.try_clone().ok()?,
        extent,
        size: object.size,
        stride: row_bytes.try_into().ok()?,
        bits_per_pixel,
    };
    let stride = row_bytes as u32;
    let image = Image { device, object, _descriptor: descriptor, extent, stride, pixel_bytes, places: None };
    Some((Import { image, export, was_used: false }, buffer))
}

impl Import {
    /// Gives the object the pixels that the server has now.
    fn copy(&self, connection: Connection, pixmap: u32) {
        if let Some(rows) = xcb::get(connection, pixmap, self.image.extent) {
            self.image.write(&rows);
        }
    }

    /// Whether the client has given the object up.
    fn is_given_up(&mut self) -> bool {
        let is_used = !self.image.device.objects().is_only_exported(self.export);
        self.was_used |= is_used;
        self.was_used && !is_used
    }
}

/// Brings the copies of a connection's pixmaps up to date.
pub fn refresh(connection: Connection) {
    let mut known = lock();
    let Some(known) = known.as_mut() else { return };
    known.imports.retain(|&(of, pixmap), import| {
        if of != connection as usize {
            return true;
        }
        let is_needed = !import.is_given_up();
        if is_needed {
            import.copy(connection, pixmap);
        }
        is_needed
    });
}

/// A card draws to the object at an address: if it is a copy, the server does not get what is drawn, which is said once.
///
/// It cannot be sent here: drivers submit from threads of their own, and Xlib lets only the program's thread use the connection.
pub fn note_drawn(address: u32) {
    let is_copy = lock()
        .as_ref()
        .is_some_and(|known| known.imports.values().any(|import| import.image.object.address == address));
    if is_copy {
        static COMPLAINED: Once = Once::new();
        COMPLAINED.call_once(|| {
            complain(
                "the program draws to a pixmap of X (glXCreatePixmap), and the X server does not get what it draws; let it draw to a window, or to a \
                 framebuffer object and read that",
            );
        });
    }
}

/// Whether there are copies.
pub fn is_needed() -> bool {
    lock().as_ref().is_some_and(|known| !known.imports.is_empty())
}

/// Forgets the copy of a pixmap that is freed.
pub fn free(connection: Connection, pixmap: u32) {
    if let Some(known) = lock().as_mut() {
        known.imports.remove(&(connection as usize, pixmap));
    }
}

/// Forgets all of a connection, which is closed.
pub fn disconnect(connection: Connection) {
    if let Some(known) = lock().as_mut() {
        known.asked.retain(|(of, _), _| *of != connection as usize);
        known.imports.retain(|(of, _), _| *of != connection as usize);
    }
}
