//! The pixels of a buffer object, which are copied row by row, whichever way tiles lie in the object.

use super::xcb::{self, Connection, Extent};
use crate::device::Device;
use ctm_card::{Object, PixelOffset};
use std::os::fd::OwnedFd;

/// Pixels that lie one after the other in every order of tiles.
const CONTIGUOUS_PIXELS: usize = 4;
/// Bytes of a request that are not pixels, and more.
const REQUEST: usize = 64;
/// Bytes of pixels that a request has at most.
const MOST: usize = 1 << 22;

/// The pixels of a buffer object.
pub struct Image {
    pub device: &'static Device,
    pub object: Object,
    /// As long as this is open, the object is there.
    pub(super) _descriptor: OwnedFd,
    pub extent: Extent,
    pub stride: usize,
    pub pixel_bytes: usize,
    /// Where pixels lie, if not row by row.
    pub offset: Option<PixelOffset>,
}

impl Image {
    /// Bytes of a row where rows follow each other, as the server has them: whole words.
    fn row_bytes(&self) -> usize {
        (usize::from(self.extent.width) * self.pixel_bytes).next_multiple_of(4)
    }

    /// Bytes of all rows.
    pub fn bytes(&self) -> usize {
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
    pub fn read(&self, rows: &mut [u8]) {
        let object = self.object_bytes();
        self.pieces(|from, to, bytes| {
            if let (Some(from), Some(to)) = (object.get(from..from + bytes), rows.get_mut(to..to + bytes)) {
                to.copy_from_slice(from);
            }
        });
    }

    /// Copies rows to the object's pixels.
    pub fn write(&self, rows: &[u8]) {
        let mut object = self.object_bytes();
        self.pieces(|to, from, bytes| {
            if let (Some(from), Some(to)) = (rows.get(from..from + bytes), object.get_mut(to..to + bytes)) {
                to.copy_from_slice(from);
            }
        });
        self.device.memory.arena().write_bytes(self.object.address, &object);
    }

    /// Sends all pixels to a drawable, with a graphics context.
    pub fn send(&self, connection: Connection, to: (u32, u32)) {
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
