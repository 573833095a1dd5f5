//! Draws that copy: a depth buffer to a colour target, the averages of samples to a target without them.

use super::depth::DepthSurface;
use super::targets::{SamplePlace, TargetSurface};
use super::tiles::{CopyRows, FormatAverage};
use super::{DrawContext, DrawError};
use crate::registers::codes::SpecialOp;
use crate::registers::{CbColorControl, DbRenderControl, RegisterFile};
use ctm_card::history::{CopyHistory, CopyKind, PrimitiveHistory};
use ctm_memory::Arena;
use ctm_pipeline::{AverageRows, RowPair};
use ctm_raster::channel::Words;
use ctm_raster::multisample::mean;
use ctm_raster::simd::dispatch;

/// Samples of a pixel at most.
const MOST_SAMPLES: usize = 8;

/// What pixels that are drawn copy.
pub enum SurfaceCopy<'a> {
    /// The depth buffer, bit for bit, to target 0, which has as many samples (decision D232 of the card).
    Depth {
        /// The depth buffer.
        from: DepthSurface<'a>,
        /// The target.
        to: TargetSurface<'a>,
    },
    /// The averages of target 0's samples, to target 1.
    Resolve {
        /// The target with samples.
        from: TargetSurface<'a>,
        /// The one without.
        to: TargetSurface<'a>,
    },
    /// Nothing: what is stored is whole already.
    Nothing,
}

impl<'a> SurfaceCopy<'a> {
    /// What draws copy; `None` if they draw.
    ///
    /// # Errors
    /// If copies are between pixels of different sizes.
    pub fn of(registers: &RegisterFile, memory: &'a Arena) -> Result<Option<Self>, DrawError> {
        let render = registers.get::<DbRenderControl>();
        if render.depth_copy_enable || render.stencil_copy_enable {
            let Some(from) = DepthSurface::of(registers, memory)? else { return Ok(Some(SurfaceCopy::Nothing)) };
            let to = TargetSurface::of(registers, memory, 0)?.filter(|to| to.format.bytes == from.sample_bytes());
            let to = to.ok_or(DrawError::NotYet { what: "a copy of depth to a target of another size" })?;
            // Drivers compress no samples of such a target, and so say nothing of them there.
            let to = to.with_samples(from.samples());
            return Ok(Some(SurfaceCopy::Depth { from, to }));
        }
        if render.depth_compress_disable || render.stencil_compress_disable {
            return Ok(Some(SurfaceCopy::Nothing));
        }
        match registers.get::<CbColorControl>().special_op {
            SpecialOp::Normal | SpecialOp::Disable => Ok(None),
            SpecialOp::ExpandSamples => Ok(Some(SurfaceCopy::Nothing)),
            SpecialOp::Resolve => {
                let surfaces = (TargetSurface::of(registers, memory, 0)?, TargetSurface::of(registers, memory, 1)?);
                let (Some(from), Some(to)) = surfaces else { return Ok(Some(SurfaceCopy::Nothing)) };
                Ok(Some(SurfaceCopy::Resolve { from, to }))
            }
            op @ (SpecialOp::Reserved2 | SpecialOp::Reserved3 | SpecialOp::Reserved4 | SpecialOp::Reserved5) => {
                Err(DrawError::NotYet { what: op.name() })
            }
        }
    }

    /// Columns and rows that both sides have; `None` if nothing is copied.
    pub fn size(&self) -> Option<[u32; 2]> {
        let (from, to) = match self {
            SurfaceCopy::Depth { from, to } => (from.size(), to.size()),
            SurfaceCopy::Resolve { from, to } => (from.size(), to.size()),
            SurfaceCopy::Nothing => return None,
        };
        Some([from[0].min(to[0]), from[1].min(to[1])])
    }

    /// What is stored where a pixel is copied to: in its first sample.
    pub fn stored(&self, (x, y): (u32, u32), layer: u32) -> Option<Words> {
        match self {
            SurfaceCopy::Depth { to, .. } | SurfaceCopy::Resolve { to, .. } => {
                Some(to.read(SamplePlace { x, y, layer, sample: 0 }))
            }
            SurfaceCopy::Nothing => None,
        }
    }

    /// What copying a pixel would do to its first sample, if anything.
    pub fn history(
        &self,
        (x, y): (u32, u32),
        layer: u32,
        mask: u8,
        primitive: PrimitiveHistory,
    ) -> Option<CopyHistory> {
        let before = self.stored((x, y), layer)?;
        let place = |sample| SamplePlace { x, y, layer, sample };
        let (kind, samples, result) = match self {
            SurfaceCopy::Depth { from, .. } => {
                let copied = from.read(place(0));
                (CopyKind::Depth, vec![copied], if mask & 1 != 0 { copied } else { before })
            }
            SurfaceCopy::Resolve { from, to } => {
                let samples: Vec<Words> = (0..from.samples()).map(|sample| from.read(place(sample))).collect();
                let result = averaged(from, to, &samples);
                (CopyKind::Resolve, samples, result)
            }
            SurfaceCopy::Nothing => return None,
        };
        Some(CopyHistory { kind, primitive, place: (x, y), samples, before, result, after: before })
    }

    /// Whether [`rows`](Self::rows) can copy: no pixel is read that another one wrote.
    pub fn is_by_rows(&self) -> bool {
        let (read, written) = match self {
            SurfaceCopy::Depth { from, to } => (from.addresses(), to.addresses()),
            SurfaceCopy::Resolve { from, to } => (from.addresses(), to.addresses()),
            SurfaceCopy::Nothing => return false,
        };
        read.end <= written.start || written.end <= read.start
    }

    /// Copies many pixels of a layer, of a depth buffer these samples of them: of two rows each the columns, by the upper row, which is even.
    pub fn rows(&self, rows: &[RowPair], layer: u32, drawn: u8, context: &DrawContext) {
        let placed = |quads| context.cache.with_places(quads, true);
        match self {
            SurfaceCopy::Depth { from, to } => {
                let samples = from.sample_quads(placed).into_iter().zip(to.sample_quads(placed)).enumerate();
                for (_, (from, to)) in samples.filter(|(sample, _)| drawn >> sample & 1 != 0) {
                    dispatch(CopyRows { rows, layer, from: &from, to: &to });
                }
            }
            SurfaceCopy::Resolve { from, to } => {
                let (samples, quads) = (from.sample_quads(placed), placed(to.surface_quads()));
                let average = &FormatAverage { from: &from.format, to: &to.format };
                dispatch(AverageRows { rows, layer, from: &samples, to: &quads, average });
            }
            SurfaceCopy::Nothing => {}
        }
    }

    /// Copies a pixel: of a depth buffer the samples of this mask, each to itself.
    pub fn pixel(&self, x: u32, y: u32, layer: u32, mask: u8) {
        let place = |sample| SamplePlace { x, y, layer, sample };
        match self {
            SurfaceCopy::Depth { from, to } => {
                let enabled = (0..from.samples()).filter(|sample| mask >> sample & 1 != 0);
                enabled.for_each(|sample| to.write(place(sample), from.read(place(sample))));
            }
            SurfaceCopy::Resolve { from, to } => {
                let mut samples = [[0; 4]; MOST_SAMPLES];
                let count = (from.samples() as usize).min(MOST_SAMPLES);
                let samples = &mut samples[..count];
                (0..).zip(&mut *samples).for_each(|(sample, words)| *words = from.read(place(sample)));
                to.write(place(0), averaged(from, to, samples));
            }
            SurfaceCopy::Nothing => {}
        }
    }
}

/// What becomes of samples of one target in another.
fn averaged(from: &TargetSurface, to: &TargetSurface, samples: &[Words]) -> Words {
    let colours = samples.iter().map(|words| from.format.decode(words));
    to.format.encode(match from.format.is_integer() {
        true => samples.first().map(|words| from.format.decode(words)).unwrap_or_default(),
        false => average(colours),
    })
}

/// The average of colours, component by component: the sum in their order, divided.
fn average(colours: impl ExactSizeIterator<Item = [u32; 4]>) -> [u32; 4] {
    let count = colours.len() as f32;
    let sums = colours.fold([0.0; 4], |sums: [f32; 4], colour| {
        std::array::from_fn(|component| sums[component] + f32::from_bits(colour[component]))
    });
    sums.map(|sum| mean(sum, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_raster::NAN;

    #[test]
    fn averages_are_sums_in_order() {
        let colours = [[1.0f32, 0.0, -1.0, f32::NAN], [0.5, 0.0, 1.0, 0.0]].map(|colour| colour.map(f32::to_bits));
        assert_eq!(average(colours.into_iter()), [0.75f32.to_bits(), 0, 0, NAN]);
        let large = [1e30f32, 1.0, -1e30, 1.0].map(|value| [value.to_bits(); 4]);
        assert_eq!(average(large.into_iter())[0], 0.25f32.to_bits());
    }
}
