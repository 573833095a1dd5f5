//! Draws that resolve (RB3D): the samples of a buffer are averaged in another one.

use super::DrawError;
use super::targets::{BufferFormat, samples, surface};
use crate::layout::Layout;
use crate::registers::{
    Rb3dAaresolveCtl, Rb3dAaresolveOffset, Rb3dAaresolvePitch, Rb3dColoroffset, Rb3dColorpitch, RegisterFile, UsOutFmt,
};
use crate::surface::Surface;
use ctm_engine::Workers;
use ctm_memory::Arena;
use ctm_pipeline::{AverageRows, Colours, PlaceCache, RowPair, SampleAverage, spread};
use ctm_raster::channel::Words;
use ctm_raster::grid::Rect;
use ctm_raster::multisample;
use ctm_raster::simd::dispatch;
use ctm_raster::target::TargetFormat;
use std::convert::Infallible;
use std::sync::Mutex;

/// Pairs of rows that a thread takes at a time.
const BAND: usize = 32;

/// Averages of samples go from one buffer to another.
pub struct SampleResolve<'a> {
    from: Surface<'a>,
    to: Surface<'a>,
    format: TargetFormat,
}

impl<'a> SampleResolve<'a> {
    /// If draws resolve.
    ///
    /// # Errors
    /// If the buffer has a format that the card does not have.
    pub fn of(registers: &RegisterFile, memory: &'a Arena) -> Result<Option<Self>, DrawError> {
        if !registers.get::<Rb3dAaresolveCtl>().resolve {
            return Ok(None);
        }
        let bindings = (registers.binding::<Rb3dColoroffset>(0), registers.binding::<Rb3dAaresolveOffset>(0));
        let (Some(from), Some(to)) = bindings else { return Ok(None) };
        let (form, output) = (registers.at::<Rb3dColorpitch>(0), registers.at::<UsOutFmt>(0));
        let format = BufferFormat::of(form.format, output)
            .ok_or(DrawError::ColourFormat { colour: form.format, output: output.format })?
            .format;
        let pitch = u32::from(registers.get::<Rb3dAaresolvePitch>().pitch) * 2;
        Ok(Some(SampleResolve {
            from: surface(memory, from, &form, u32::from(form.pitch) * 2, format.bytes, samples(registers)),
            to: surface(memory, to, &form, pitch, format.bytes, 1),
            format,
        }))
    }

    /// Whether it does not matter in which order pixels are resolved.
    pub fn is_apart(&self) -> bool {
        self.to.has_own_places() && !self.from.bytes().overlaps(self.to.bytes())
    }

    /// Resolves a rectangle of pixels, by as many of the threads as that is worth.
    pub fn rectangle(&self, area: Rect, threads: Option<(&Workers, usize)>) {
        let mut places = PlaceCache::<Layout>::default();
        let from = self.from.quads(|quads| quads.with_places(&mut places, true));
        let to = self.to.quads(|quads| quads.with_places(&mut places, true));
        let Some(to) = to.first() else { return };
        let rows: Vec<RowPair> = (area.top & !1..area.bottom)
            .step_by(2)
            .map(|y| (y, [y, y + 1].map(|y| if area.contains(area.left, y) { area.left..area.right } else { 0..0 })))
            .collect();
        let bands = rows.chunks(BAND);
        let count = threads.map_or(1, |(workers, threads)| workers.threads(threads, bands.len() as u64));
        let workers: Vec<Mutex<()>> = (0..count).map(|_| Mutex::default()).collect();
        let average = |(): &mut (), (): &mut (), band: u32| {
            let rows = rows.chunks(BAND).nth(band as usize).unwrap_or_default();
            dispatch(AverageRows { rows, layer: 0, from: &from, to, average: &self.format() });
            Ok::<(), Infallible>(())
        };
        let Ok(()) = spread(threads.map(|(pool, _)| pool), &workers, bands.len() as u32, |_, ()| Some(()), average);
    }

    fn format(&self) -> ChannelAverage<'_> {
        ChannelAverage(&self.format)
    }

    /// Resolves a pixel.
    pub fn pixel(&self, x: u32, y: u32) {
        let (_, result) = self.average(x, y);
        self.to.write(x, y, 0, result);
    }

    /// The samples of a pixel, and their average.
    pub fn average(&self, x: u32, y: u32) -> (Vec<Words>, Words) {
        let samples: Vec<Words> = (0..self.from.samples()).map(|sample| self.from.read(x, y, sample)).collect();
        let average = multisample::resolve(&self.format, &samples);
        (samples, average)
    }

    /// Where averages go.
    pub fn to(&self) -> &Surface<'a> {
        &self.to
    }
}

/// Averages of samples of a format.
struct ChannelAverage<'f>(&'f TargetFormat);

impl SampleAverage for ChannelAverage<'_> {
    #[inline(always)]
    fn average<const N: usize>(&self, samples: &[Colours<N>]) -> Colours<N> {
        multisample::resolve_each(self.0, samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MicroTile;
    use crate::registers::Binding;
    use crate::surface::SurfaceForm;
    use ctm_card::Object;
    use ctm_raster::channel::{Channel, ChannelKind};

    const BASE: u32 = 0x1_0000;
    const BYTES: u32 = 0x4_0000;

    /// All bytes after averages of these samples were taken.
    fn after(format: TargetFormat, forms: [SurfaceForm; 2], act: impl Fn(&SampleResolve)) -> Vec<u8> {
        let memory = Arena::new(BASE, BYTES).unwrap();
        (0..BYTES / 4).for_each(|n| assert!(memory.write_u32(BASE + 4 * n, n.wrapping_mul(0x9E37_79B9))));
        let object = |address, size| Binding { object: Object { address, size }, value: 0 };
        let from = Surface::new(&memory, object(BASE, 0x2_8000), 0, forms[0]);
        let to = Surface::new(&memory, object(BASE + 0x3_0000, 0xC468), 0, forms[1]);
        let resolve = SampleResolve { from, to, format };
        if resolve.is_apart() {
            act(&resolve);
        }
        let mut bytes = vec![0; BYTES as usize];
        assert!(memory.read_bytes(BASE, &mut bytes));
        bytes
    }

    #[test]
    fn rectangles_are_averaged_as_pixel_by_pixel() {
        let channels = |width: u32| [2, 1, 0, 3].map(|n| Some(Channel::new(n * width, width, ChannelKind::Unorm)));
        let formats = [
            TargetFormat { bytes: 4, channels: channels(8) },
            TargetFormat { bytes: 2, channels: channels(4) },
            TargetFormat { bytes: 8, channels: channels(16) },
        ];
        ctm_cases::check(300, |u| {
            let format = *u.choose(&formats)?;
            let mut form = |samples| {
                Ok(SurfaceForm {
                    pitch: *u.choose(&[64, 96, 128])?,
                    macro_tile: u.arbitrary()?,
                    micro_tile: MicroTile::of(u.int_in_range(0..=2)?),
                    bytes: format.bytes,
                    samples,
                })
            };
            let count = if form(1)?.macro_tile { 4 } else { 6 };
            let forms = [form(count)?, form(1)?];
            let mut side = |limit: u32| {
                let (a, b) = (u.int_in_range(0..=limit)?, u.int_in_range(0..=limit)?);
                Ok((a.min(b), a.max(b)))
            };
            let ((left, right), (top, bottom)) = (side(140)?, side(90)?);
            let area = Rect { left, top, right, bottom };
            let together = after(format, forms, |resolve| resolve.rectangle(area, None));
            let alone = after(format, forms, |resolve| {
                (top..bottom).for_each(|y| (left..right).for_each(|x| resolve.pixel(x, y)));
            });
            assert!(together == alone, "{forms:?} {area:?} {format:?}");
            Ok(())
        });
    }
}
