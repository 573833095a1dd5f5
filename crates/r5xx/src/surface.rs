//! Colour and depth buffers: pixels of an object, by column and row.

use crate::layout::{AddressPart, CONTIGUOUS_COLUMNS, Layout, MicroTile, ROWS, SurfaceQuads};
use crate::registers::Binding;
use ctm_card::ObjectBytes;
use ctm_engine::SurfaceLayout;
use ctm_memory::{Arena, BASE_ALIGNMENT, Bounds, Format, Space};
use ctm_pipeline::Layers;
use ctm_raster::channel::Words;
use ctm_raster::grid::Rect;
use ctm_raster::multisample::sample_offset;
use std::ops::Range;

/// Bytes of a page in which the samples of pixels alternate.
const SAMPLE_PAGE: u32 = 2048;

/// A surface that begins `offset` bytes from the first of these, if all of it that can be reached is among them.
pub fn surface_of(
    bytes: &ObjectBytes,
    space: &Space,
    offset: u64,
    surface: ctm_memory::Surface,
    bounds: Bounds,
) -> Option<ctm_memory::Surface> {
    let base = bytes.address(offset, 0)?;
    let surface = ctm_memory::Surface { base, ..surface };
    let layout = SurfaceLayout::of(space, &surface, bounds);
    let inside = layout.bytes() <= bytes.size() - offset;
    (layout.whole && inside && base.is_multiple_of(BASE_ALIGNMENT)).then_some(surface)
}

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
    /// The buffer that begins `offset` bytes after the beginning of the object. What of it lies outside of the object is not there.
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

    /// Whether samples have at most 4 bytes.
    pub fn is_small(&self) -> bool {
        self.bytes <= 4
    }

    /// The buffer as a surface of this memory, of so many rows, if it can be one.
    pub fn area(&self, space: &Space, height: u32, format: Format) -> Option<ctm_memory::Surface> {
        let (tiling, pitch) = self.layout.surface().filter(|_| self.samples == 1)?;
        let surface = ctm_memory::Surface { base: 0, pitch, height, tiling, superfine: false, format };
        surface_of(&self.memory, space, 0, surface, Bounds::Drop)
    }

    /// The quads of each of its samples, with places as `placed` gives them. Pixels have places of their own.
    pub fn quads(&self, placed: impl FnOnce(SurfaceQuads<'a>) -> SurfaceQuads<'a>) -> Vec<SurfaceQuads<'a>> {
        let first = placed(SurfaceQuads::new(self.layout.with_samples(self.samples), self.memory, Layers::default()));
        (0..self.samples).map(|sample| first.farther((sample * SAMPLE_PAGE).into())).collect()
    }

    /// Whether no two pixels have the same place.
    pub fn has_own_places(&self) -> bool {
        self.layout.has_whole_tiles()
    }

    /// Whether there is a sample of the pixel in this column and row.
    #[inline]
    pub fn contains(&self, x: u32, y: u32, sample: u32) -> bool {
        self.address(x, y, sample).is_some()
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
        Some(self.of_sample(self.layout.offset(x, y), sample).into())
    }

    /// The byte offset of a sample of the pixel that lies there if it has one.
    #[inline]
    fn of_sample(&self, offset: u32, sample: u32) -> u32 {
        if self.samples > 1 { sample_offset(offset, sample, self.samples, SAMPLE_PAGE) } else { offset }
    }

    /// The bytes that it lies in.
    pub fn bytes(&self) -> &ObjectBytes<'a> {
        &self.memory
    }

    /// Writes all samples of a rectangle of pixels, which have at most 4 bytes each, row by row; `fill` is asked for each row with its number in the
    /// rectangle. `None`, and nothing is written, if samples are larger.
    pub fn write_rectangle(&self, area: Rect, mut fill: impl FnMut(usize, &mut [u32])) -> Option<()> {
        let mut pixels = vec![0; area.right.min(self.pitch).saturating_sub(area.left) as usize];
        let mut filled = None;
        self.pieces(area, |row, columns, offset| {
            if filled != Some(row) {
                fill(row, &mut pixels);
                filled = Some(row);
            }
            match pixels[columns] {
                [first, second, third, fourth] => {
                    self.memory.write(offset, 4 * CONTIGUOUS_COLUMNS, [first, second, third, fourth]);
                }
                ref single => self.memory.write(offset, self.bytes, [single[0], 0, 0, 0]),
            }
        })
    }

    /// Replaces these bits of all samples of a rectangle of pixels, which have at most 4 bytes each. `None`, and nothing is written, if samples are
    /// larger.
    pub fn fill_rectangle(&self, area: Rect, word: u32, bits: u32) -> Option<()> {
        let new = |old: u32| old & !bits | word & bits;
        let fill = |area: Rect| {
            self.pieces(area, |_, columns, offset| {
                let bytes = columns.len() as u32 * self.bytes;
                let words = if bits == u32::MAX { [word; 4] } else { self.memory.read(offset, bytes).map(new) };
                self.memory.write(offset, bytes, words);
            })
        };
        let area = Rect { right: area.right.min(self.pitch), bottom: area.bottom.min(ROWS), ..area };
        // What tiles are inside lie side by side, row of tiles by row of tiles.
        let [across, down] = self.layout.tile_log2();
        let whole = |low: u32, high: u32, log2: u32| (low.next_multiple_of(1 << log2), high >> log2 << log2);
        let ((left, right), (top, bottom)) = (whole(area.left, area.right, across), whole(area.top, area.bottom, down));
        if self.bytes != 4 || left >= right || top >= bottom || !self.has_own_places() {
            return fill(area);
        }
        fill(Rect { bottom: top, ..area });
        for y in (top..bottom).step_by(1 << down) {
            let rows = Rect { top: y, bottom: y + (1 << down), ..area };
            // Where there are several samples, tiles are pages, which all samples have.
            let first = u64::from(self.layout.tile(left, y)) * u64::from(self.samples);
            if self.memory.fill_words(first, ((right - left) << down) * self.samples, word, bits) {
                fill(Rect { right: left, ..rows });
                fill(Rect { left: right, ..rows });
            } else {
                fill(rows);
            }
        }
        fill(Rect { top: bottom, ..area })
    }

    /// Calls `piece` for all samples of a rectangle of pixels, of at most 4 bytes each, with the number of their row in it, their numbers in the row,
    /// and their byte offset: for [`CONTIGUOUS_COLUMNS`] pixels of 4 bytes that lie together, or for one. `None` if samples are larger.
    fn pieces(&self, area: Rect, mut piece: impl FnMut(usize, Range<usize>, u64)) -> Option<()> {
        if !self.is_small() {
            return None;
        }
        if area.is_empty() {
            return Some(());
        }
        let columns: Vec<AddressPart> =
            (area.left..area.right.min(self.pitch)).map(|x| self.layout.column(x)).collect();
        // Pixels before the first whose column is a multiple of what lies together.
        let single = (area.left.next_multiple_of(CONTIGUOUS_COLUMNS) - area.left) as usize;
        let rows = || (area.top..area.bottom.min(ROWS)).enumerate();
        for (sample, (row, y)) in (0..self.samples).flat_map(|sample| rows().map(move |row| (sample, row))) {
            let part = self.layout.row(y);
            let mut n = 0;
            while n < columns.len() {
                let offset = u64::from(self.of_sample(part.with(columns[n]), sample));
                let lies_together = self.bytes == 4
                    && n + CONTIGUOUS_COLUMNS as usize <= columns.len()
                    && n % CONTIGUOUS_COLUMNS as usize == single % CONTIGUOUS_COLUMNS as usize
                    && self.memory.address(offset, 4 * CONTIGUOUS_COLUMNS).is_some();
                let end = n + if lies_together { CONTIGUOUS_COLUMNS as usize } else { 1 };
                piece(row, n..end, offset);
                n = end;
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

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_card::Object;
    use ctm_cases::Unstructured;
    use ctm_raster::grid::Rect;

    const BASE: u32 = 0x1_0000;
    const BYTES: u32 = 0x2_0000;

    /// All bytes after something was done with a surface of this form.
    fn after(form: SurfaceForm, size: u32, act: impl Fn(&Surface)) -> Vec<u8> {
        let memory = Arena::new(BASE, BYTES).unwrap();
        (0..BYTES / 4).for_each(|n| assert!(memory.write_u32(BASE + 4 * n, n.wrapping_mul(0x9E37_79B9))));
        let binding = Binding { object: Object { address: BASE, size }, value: 0 };
        act(&Surface::new(&memory, binding, 0, form));
        let mut bytes = vec![0; BYTES as usize];
        assert!(memory.read_bytes(BASE, &mut bytes));
        bytes
    }

    #[test]
    fn rectangles_are_filled_as_pixel_by_pixel() {
        ctm_cases::check(3000, |u: &mut Unstructured| {
            let form = SurfaceForm {
                pitch: *u.choose(&[32, 64, 128, 160])?,
                macro_tile: u.arbitrary()?,
                micro_tile: MicroTile::of(u.int_in_range(0..=2)?),
                bytes: *u.choose(&[1, 2, 4, 4, 4])?,
                samples: *u.choose(&[1, 1, 2, 4, 6])?,
            };
            let size = *u.choose(&[BYTES, 0x6000, 0x2468])?;
            let mut side = |limit: u32| {
                let (a, b) = (u.int_in_range(0..=limit)?, u.int_in_range(0..=limit)?);
                Ok((a.min(b), a.max(b)))
            };
            let ((left, right), (top, bottom)) = (side(170)?, side(100)?);
            let area = Rect { left, top, right, bottom };
            let (word, bits) = (u.arbitrary()?, *u.choose(&[u32::MAX, 0xFFFF_FF00, 0xFF, 0x0F0F_00F0])?);
            let filled = after(form, size, |surface| surface.fill_rectangle(area, word, bits).unwrap());
            let written = after(form, size, |surface| {
                for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
                    for sample in 0..form.samples {
                        let old = surface.read(x, y, sample)[0];
                        surface.write(x, y, sample, [old & !bits | word & bits, 0, 0, 0]);
                    }
                }
            });
            assert!(filled == written, "{form:?}, {size:#x} bytes, {area:?}, {word:#x} in {bits:#x}");
            Ok(())
        });
    }

    #[test]
    fn quads_have_the_samples_that_are_there() {
        ctm_cases::check(500, |u: &mut Unstructured| {
            let (macro_tile, micro_tile) = (u.arbitrary()?, MicroTile::of(u.int_in_range(0..=2)?));
            let (bytes, samples) = (*u.choose(&[1, 2, 4])?, *u.choose(&[1, 1, 2, 3, 4, 6])?);
            let form = SurfaceForm { pitch: 256, macro_tile, micro_tile, bytes, samples };
            let rows: u32 = u.int_in_range(1..=60)?;
            let height =
                if samples > 1 { 64 } else { 1 << Layout::new(bytes, 256, macro_tile, micro_tile).tile_log2()[1] };
            let size = (form.pitch * bytes * samples * rows.next_multiple_of(height)).min(BYTES);
            for size in [size, size - 4] {
                after(form, size, |surface| {
                    for (sample, quads) in (0..).zip(surface.quads(|quads| quads)) {
                        for (x, y) in (0..rows + 2).flat_map(|y| (0..form.pitch + 2).map(move |x| (x, y))) {
                            let (place, pixel) = (quads.place((x & !1, y & !1), 0), (y % 2 * 2 + x % 2) as usize);
                            let is_there = quads.existing(place) >> pixel & 1 != 0;
                            assert_eq!(
                                is_there,
                                surface.contains(x, y, sample),
                                "{form:?}, {rows} rows, {x} {y} {sample}"
                            );
                            let mut words = [[0; 4]; 4];
                            quads.read(place, 0, &mut words);
                            assert_eq!(words[0][pixel], surface.read(x, y, sample)[0], "{form:?} {x} {y} {sample}");
                        }
                    }
                });
            }
            Ok(())
        });
    }
}
