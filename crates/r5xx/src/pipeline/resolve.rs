//! Draws that resolve (RB3D): the samples of a buffer are averaged in another one.

use super::DrawError;
use super::targets::{BufferFormat, samples, surface};
use crate::registers::{
    Rb3dAaresolveCtl, Rb3dAaresolveOffset, Rb3dAaresolvePitch, Rb3dColoroffset, Rb3dColorpitch, RegisterFile, UsOutFmt,
};
use crate::surface::Surface;
use ctm_memory::Arena;
use ctm_raster::channel::Words;
use ctm_raster::multisample;
use ctm_raster::target::TargetFormat;

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
