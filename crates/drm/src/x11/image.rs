//! The pixels of a buffer object, which are copied row by row, whichever way tiles lie in the object.

use super::xcb::{self, Connection, Extent};
use crate::device::Device;
use ctm_card::{CONTIGUOUS_PIXELS, Object, PixelPlaces};
use ctm_memory::Words;
use std::os::fd::OwnedFd;

/// Bytes of a request that are not pixels, and more.
const REQUEST: usize = 64;
/// Bytes of pixels that a request has at most.
const MOST: usize = 1 << 22;

/// Copies four pixels of four bytes at a time to rows of so many bytes; false if not all of them are there.
fn read_fours(find_places: &PixelPlaces, words: Words, rows: &mut [u8], row_bytes: usize) -> bool {
    let mut places = vec![0; row_bytes / 16];
    for (y, row) in (0..).zip(rows.chunks_exact_mut(row_bytes.max(16))) {
        find_places(y, &mut places);
        for (to, &place) in row.as_chunks_mut::<16>().0.iter_mut().zip(&places) {
            let Some(four) = words.four((place / 4) as usize).filter(|_| place.is_multiple_of(4)) else { return false };
            let [a, b, c, d] = four.get().map(u128::from);
            *to = (a | b << 32 | c << 64 | d << 96).to_le_bytes();
        }
    }
    true
}

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
        let is_four = usize::from(self.extent.width).is_multiple_of(CONTIGUOUS_PIXELS) && self.pixel_bytes == 4;
        if let (Some(find_places), Some(words), true) = (&self.places, words, is_four)
            && read_fours(find_places, words, rows, self.row_bytes())
        {
            return;
        }
        self.pieces(|from, to, bytes| {
            if let (Some(to), Some(address)) = (rows.get_mut(to..to + bytes), self.address(from, bytes)) {
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
