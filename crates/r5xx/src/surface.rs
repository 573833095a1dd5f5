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

    /// Its rows up to this column, whose pixels have one sample.
    pub fn rows(&self, end: u32) -> SurfaceRows<'a> {
        let end = end.min(self.pitch);
        let columns = (0..end).step_by(TOGETHER as usize).map(|x| self.layout.column(x)).collect();
        SurfaceRows { surface: *self, columns, end }
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

/// The rows of a buffer whose pixels have one sample, with the places of columns, worked out once.
#[derive(Clone, Debug)]
pub struct SurfaceRows<'a> {
    surface: Surface<'a>,
    /// Of every column that begins a group of pixels which lie together, if they have 4 bytes.
    columns: Vec<Part>,
    /// The column behind the last of these.
    end: u32,
}

impl SurfaceRows<'_> {
    /// A row.
    #[inline]
    pub fn row(&self, y: u32) -> Option<SurfaceRow<'_>> {
        let Surface { memory, layout, pitch, bytes, samples } = self.surface;
        let (columns, end) = (&*self.columns, self.end);
        (samples == 1 && y < ROWS).then(|| SurfaceRow {
            memory,
            layout,
            part: layout.row(y),
            pitch,
            bytes,
            columns,
            end,
        })
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
    columns: &'a [Part],
    end: u32,
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

    /// Where the four bytes of a pixel before `end` are.
    #[inline]
    fn offset_of_four(&self, x: u32) -> u64 {
        let first = self.columns.get((x / TOGETHER) as usize).map_or(u32::MAX, |part| part.with(self.part));
        u64::from(first) + u64::from(x % TOGETHER * 4)
    }

    /// Word `word` of each pixel from column `x` on; 0 where there is none.
    #[inline]
    pub fn read(&self, x: u32, word: usize, words: &mut [u32]) {
        if self.bytes != 4 || x + words.len() as u32 > self.end {
            let pixel = |x| self.offset(x).map_or([0; 4], |offset| self.memory.read(offset, self.bytes));
            (x..).zip(words).for_each(|(x, value)| *value = pixel(x)[word]);
            return;
        }
        let (first, rest) = words.split_at_mut(together(x).min(words.len()));
        self.memory.read_words(self.offset_of_four(x), first);
        let mut x = x + first.len() as u32;
        let (groups, last) = rest.as_chunks_mut::<{ TOGETHER as usize }>();
        for group in groups {
            self.memory.read_words(self.offset_of_four(x), group);
            x += TOGETHER;
        }
        if !last.is_empty() {
            self.memory.read_words(self.offset_of_four(x), last);
        }
    }

    /// Writes word 0 of the pixels from column `x` on whose `chosen` holds, by their number; nothing happens where there is none. Pixels have
    /// at most 4 bytes.
    #[inline]
    pub fn write_words(&self, x: u32, words: &[u32], chosen: impl Fn(usize) -> bool) {
        if self.bytes != 4 || x + words.len() as u32 > self.end {
            for n in (0..words.len()).filter(|&n| chosen(n)) {
                self.write(x + n as u32, [words[n], 0, 0, 0]);
            }
            return;
        }
        let mut n = 0;
        while n < words.len() {
            let column = x + n as u32;
            let group = &words[n..words.len().min(n + together(column))];
            let bits = (0..group.len()).fold(0, |bits, at| bits | u32::from(chosen(n + at)) << at);
            if bits != 0 {
                let offset = self.offset_of_four(column);
                match (bits, <&[u32; TOGETHER as usize]>::try_from(group)) {
                    (0xF, Ok(group)) => self.memory.write_words(offset, group, |_| true),
                    _ => self.memory.write_words(offset, group, |at| bits >> at & 1 != 0),
                }
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
