//! The pixels of a buffer object, which are copied row by row, whichever way tiles lie in the object.

use super::xcb::{self, Connection, Extent};
use crate::device::Device;
use ctm_card::{CONTIGUOUS_PIXELS, Object, PixelPlaces};
use std::os::fd::OwnedFd;

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
    pub stride: u32,
    pub pixel_bytes: usize,
    /// Where pixels lie, if not row by row.
    pub places: Option<PixelPlaces>,
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
    fn pieces(&self, mut piece: impl FnMut(u32, usize, usize)) {
        let (width, row_bytes) = (usize::from(self.extent.width), self.row_bytes());
        let mut places = vec![0; width.div_ceil(CONTIGUOUS_PIXELS)];
        for y in 0..self.extent.height {
            let row = usize::from(y) * row_bytes;
            let Some(find_places) = &self.places else {
                piece(u32::from(y) * self.stride, row, width * self.pixel_bytes);
                continue;
            };
            find_places(y.into(), &mut places);
            for (x, &place) in (0..width).step_by(CONTIGUOUS_PIXELS).zip(&places) {
                let bytes = CONTIGUOUS_PIXELS.min(width - x) * self.pixel_bytes;
                piece(place as u32, row + x * self.pixel_bytes, bytes);
            }
        }
    }

    /// The address of so many bytes of the object, if it has them.
    fn address(&self, from: u32, bytes: usize) -> Option<u32> {
        let Object { address, size } = self.object;
        let is_there = from < size && bytes <= (size - from) as usize;
        is_there.then(|| address + from)
    }

    /// Copies the object's pixels to rows.
    pub fn read(&self, rows: &mut [u8]) {
        let arena = self.device.memory.arena();
        let words = arena.shared_words(self.object.address, self.object.size as usize / 4);
        self.pieces(|from, to, bytes| {
            let Some(to) = rows.get_mut(to..to + bytes) else { return };
            let four = words.filter(|_| from.is_multiple_of(4)).and_then(|words| words.four(from as usize / 4));
            if let (Some(four), Ok(to)) = (four, <&mut [u8; 16]>::try_from(&mut *to)) {
                to.as_chunks_mut().0.iter_mut().zip(four.get()).for_each(|(to, word)| *to = word.to_le_bytes());
            } else if let Some(address) = self.address(from, bytes) {
                arena.read_bytes(address, to);
            }
        });
    }

    /// Copies rows to the object's pixels.
    pub fn write(&self, rows: &[u8]) {
        let arena = self.device.memory.arena();
        self.pieces(|to, from, bytes| {
            if let (Some(from), Some(address)) = (rows.get(from..from + bytes), self.address(to, bytes)) {
                arena.write_bytes(address, from);
            }
        });
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
