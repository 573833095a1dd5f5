//! Colour and depth buffers: pixels of an object, by column and row.

use crate::layout::{Layout, MicroTile, Part, TOGETHER};
use crate::object::ObjectBytes;
use crate::registers::Binding;
use ctm_memory::{Arena, Bounds, Format, Space};
use ctm_raster::channel::Words;
use ctm_raster::grid::Rect;
use ctm_raster::multisample::sample_offset;

/// Bytes of a page in which the samples of pixels alternate.
const SAMPLE_PAGE: u32 = 2048;

/// Rows at most.
const ROWS: u32 = 4096;

/// A buffer that pixels are written to.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    memory: ObjectBytes<'a>,
    layout: Layout,
    /// Pixels of a row.
    pitch: u32,
    bytes: u32,
    samples: u32,
}

/// What the form of a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceForm {
    /// Pixels of a row.
    pub pitch: u32,
    /// Macro tiles.
    pub macro_tile: bool,
    /// Micro tiles.
    pub micro_tile: MicroTile,
    /// Bytes of a pixel, or of a sample.
    pub bytes: u32,
    /// Samples of a pixel.
    pub samples: u32,
}

impl<'a> Surface<'a> {
    /// The buffer that begins `offset` bytes behind the beginning of the object. What of it lies outside of the object is not there.
    pub fn new(memory: &'a Arena, binding: Binding, offset: u32, form: SurfaceForm) -> Self {
        let SurfaceForm { pitch, macro_tile, micro_tile, bytes, samples } = form;
        let memory = ObjectBytes::new(memory, binding.object, offset);
        // The tiling of multisampled buffers cannot be chosen.
        let layout = match samples {
            1 => Layout::new(bytes, pitch * bytes, macro_tile, micro_tile),
            _ => Layout::new(bytes, pitch * bytes, true, if bytes == 2 { MicroTile::Square } else { MicroTile::Tiled }),
        };
        Surface { memory, layout, pitch, bytes, samples }
    }

    /// Pixels of a row.
    pub fn pitch(&self) -> u32 {
        self.pitch
    }

    /// Samples of a pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// The buffer as a surface of this memory, of so many rows, if it can be one.
    pub fn area(&self, space: &Space, height: u32, format: Format) -> Option<ctm_memory::Surface> {
        let (tiling, pitch) = self.layout.surface().filter(|_| self.samples == 1)?;
        let surface = ctm_memory::Surface { base: 0, pitch, height, tiling, superfine: false, format };
        self.memory.surface(space, 0, surface, Bounds::Drop)
    }

    /// Whether no two pixels have the same place.
    pub fn has_own_places(&self) -> bool {
        self.layout.has_whole_tiles()
    }

    /// Whether all pixels of a rectangle are there. It may be that they are, and nobody knows.
    pub fn holds(&self, area: Rect) -> bool {
        // No tile is higher.
        let rows = area.bottom.next_multiple_of(64);
        let inside = area.right <= self.pitch && self.has_own_places() && rows <= ROWS;
        inside && self.memory.address(0, self.pitch * self.bytes * rows).is_some()
    }

    /// Whether there is a pixel in this column and row.
    #[inline]
    pub fn contains(&self, x: u32, y: u32) -> bool {
        self.address(x, y, 0).is_some()
    }

    /// The card address of a pixel's sample, if there is one.
    #[inline]
    pub fn address(&self, x: u32, y: u32, sample: u32) -> Option<u32> {
        self.memory.address(self.place(x, y, sample)?, self.bytes)
    }

    /// The byte offset of a sample, if it is inside of the pitch.
    #[inline]
    fn place(&self, x: u32, y: u32, sample: u32) -> Option<u64> {
        if x >= self.pitch || y >= ROWS {
            return None;
        }
        let offset = self.layout.offset(x, y);
        let spread = self.samples > 1;
        Some(if spread { sample_offset(offset, sample, self.samples, SAMPLE_PAGE) } else { offset }.into())
    }

    /// The bytes that it lies in.
    pub fn bytes(&self) -> &ObjectBytes<'a> {
        &self.memory
    }

    /// Writes a rectangle of pixels that have one sample of at most 4 bytes, row by row; `fill` is asked for each with its number in the
    /// rectangle. `None`, and nothing is written, if pixels are larger.
    pub fn write_rectangle(&self, area: Rect, mut fill: impl FnMut(usize, &mut [u32])) -> Option<()> {
        if self.samples != 1 || self.bytes > 4 {
            return None;
        }
        let columns: Vec<Part> = (area.left..area.right.min(self.pitch)).map(|x| self.layout.column(x)).collect();
        let mut pixels = vec![0; columns.len()];
        // Pixels before the first whose column is a multiple of what lies together.
        let single = (area.left.next_multiple_of(TOGETHER) - area.left) as usize;
        for (row, y) in (area.top..area.bottom.min(ROWS)).enumerate() {
            fill(row, &mut pixels);
            let part = self.layout.row(y);
            let mut n = 0;
            while n < pixels.len() {
                let offset = u64::from(part.with(columns[n]));
                match &pixels[n..] {
                    &[first, second, third, fourth, ..]
                        if self.bytes == 4
                            && n % TOGETHER as usize == single % TOGETHER as usize
                            && self.memory.address(offset, 4 * TOGETHER).is_some() =>
                    {
                        self.memory.write(offset, 4 * TOGETHER, [first, second, third, fourth]);
                        n += TOGETHER as usize;
                    }
                    rest => {
                        self.memory.write(offset, self.bytes, [rest[0], 0, 0, 0]);
                        n += 1;
                    }
                }
            }
        }
        Some(())
    }

    /// The pixels of a row, if they have one sample.
    #[inline]
    pub fn row(&self, y: u32) -> Option<SurfaceRow<'a>> {
        let Surface { memory, layout, pitch, bytes, .. } = *self;
        (self.samples == 1 && y < ROWS).then(|| SurfaceRow { memory, layout, part: layout.row(y), pitch, bytes })
    }

    /// A pixel's sample; zeros where there is none.
    #[inline]
    pub fn read(&self, x: u32, y: u32, sample: u32) -> Words {
        self.place(x, y, sample).map_or([0; 4], |offset| self.memory.read(offset, self.bytes))
    }

    /// Writes a pixel's sample; nothing happens where there is none.
    #[inline]
    pub fn write(&self, x: u32, y: u32, sample: u32, words: Words) {
        if let Some(offset) = self.place(x, y, sample) {
            self.memory.write(offset, self.bytes, words);
        }
    }
}

/// A row of a buffer whose pixels have one sample.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceRow<'a> {
    memory: ObjectBytes<'a>,
    layout: Layout,
    part: Part,
    pitch: u32,
    bytes: u32,
}

impl SurfaceRow<'_> {
    #[inline]
    fn offset(&self, x: u32) -> Option<u64> {
        (x < self.pitch).then(|| self.layout.column(x).with(self.part).into())
    }

    /// Whether there is a pixel in this column.
    #[inline]
    pub fn contains(&self, x: u32) -> bool {
        self.offset(x).is_some_and(|offset| self.memory.address(offset, self.bytes).is_some())
    }

    /// Word `word` of each pixel from column `x` on; 0 where there is none.
    #[inline]
    pub fn read(&self, x: u32, word: usize, words: &mut [u32]) {
        if self.bytes != 4 {
            let pixel = |x| self.offset(x).map_or([0; 4], |offset| self.memory.read(offset, self.bytes));
            (x..).zip(words).for_each(|(x, value)| *value = pixel(x)[word]);
            return;
        }
        let mut rest = words;
        let mut x = x;
        while !rest.is_empty() {
            let (group, others) = rest.split_at_mut(together(x).min(rest.len()));
            match self.offset(x) {
                Some(offset) if x + group.len() as u32 <= self.pitch => self.memory.read_words(offset, group),
                _ => (x..).zip(&mut *group).for_each(|(x, value)| {
                    *value = self.offset(x).map_or(0, |offset| self.memory.read_word(offset, 4));
                }),
            }
            x += group.len() as u32;
            rest = others;
        }
    }

    /// Writes word 0 of the pixels from column `x` on whose `chosen` holds, by their number; nothing happens where there is none. Pixels have
    /// at most 4 bytes.
    #[inline]
    pub fn write_words(&self, x: u32, words: &[u32], chosen: impl Fn(usize) -> bool) {
        let mut n = 0;
        while n < words.len() {
            let column = x + n as u32;
            let group = &words[n..words.len().min(n + together(column))];
            match self.offset(column) {
                Some(offset) if self.bytes == 4 && column + group.len() as u32 <= self.pitch => {
                    self.memory.write_words(offset, group, |at| chosen(n + at));
                }
                _ => (0..group.len()).filter(|at| chosen(n + at)).for_each(|at| {
                    self.write(column + at as u32, [group[at], 0, 0, 0]);
                }),
            }
            n += group.len();
        }
    }

    /// Writes a pixel; nothing happens where there is none.
    #[inline]
    pub fn write(&self, x: u32, words: Words) {
        if let Some(offset) = self.offset(x) {
            self.memory.write(offset, self.bytes, words);
        }
    }
}

/// Elements of 4 bytes that lie side by side from this column on.
#[inline]
fn together(x: u32) -> usize {
    (TOGETHER - x % TOGETHER) as usize
}
