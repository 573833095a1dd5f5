//! The framebuffer in tiles, of which threads take one after the other: their pixels stay in the cache of the thread.

use crate::grid::Rect;

/// Columns and rows of pixels of a tile, where these have one sample: multiples of those that blocks have.
pub const SIZE: [u32; 2] = [256, 128];

/// The same where they have so many samples: its memory is hardly more.
pub fn size_of(samples: usize) -> [u32; 2] {
    match samples {
        0..=1 => SIZE,
        2..=3 => [SIZE[0], SIZE[1] / 2],
        _ => SIZE.map(|side| side / 2),
    }
}

/// The primitives that may cover pixels of each tile, by their numbers.
#[derive(Default)]
pub struct Tiles {
    framebuffer: Option<Rect>,
    /// Columns and rows of pixels of a tile.
    size: [u32; 2],
    /// Tiles of a row of tiles.
    columns: u32,
    /// Of each tile, row by row from the one of the first pixel there is.
    primitives: Vec<Vec<u16>>,
    /// The tiles of which there are any.
    touched: Vec<u32>,
}

impl Tiles {
    /// Begins with those of a framebuffer, all without primitives: of so many columns and rows of pixels.
    pub fn begin(&mut self, framebuffer: Rect, size: [u32; 2]) {
        self.clear();
        self.size = size;
        let [columns, rows] = self.size;
        self.columns = framebuffer.right.div_ceil(columns);
        let count = (self.columns * framebuffer.bottom.div_ceil(rows)) as usize;
        if self.primitives.len() < count {
            self.primitives.resize_with(count, Vec::new);
        }
        self.framebuffer = Some(framebuffer);
    }

    /// Adds a primitive that covers pixels of this part of the framebuffer only.
    pub fn add(&mut self, area: Rect, primitive: u16) {
        if area.is_empty() {
            return;
        }
        let [columns, rows] = self.size;
        for row in area.top / rows..area.bottom.div_ceil(rows) {
            for column in area.left / columns..area.right.div_ceil(columns) {
                let number = row * self.columns + column;
                let primitives = &mut self.primitives[number as usize];
                if primitives.is_empty() {
                    self.touched.push(number);
                }
                primitives.push(primitive);
            }
        }
    }

    /// How many tiles there are with primitives.
    pub fn touched(&self) -> usize {
        self.touched.len()
    }

    /// One of these: its pixels and its primitives, in their order.
    pub fn get(&self, touched: usize) -> Option<(Rect, &[u16])> {
        let number = *self.touched.get(touched)?;
        let [columns, rows] = self.size;
        let (left, top) = (number % self.columns * columns, number / self.columns * rows);
        let tile = Rect { left, top, right: left + columns, bottom: top + rows };
        Some((tile.intersection(self.framebuffer?), &self.primitives[number as usize]))
    }

    /// Forgets all primitives.
    pub fn clear(&mut self) {
        for number in self.touched.drain(..) {
            self.primitives[number as usize].clear();
        }
    }
}
