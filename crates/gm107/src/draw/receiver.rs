//! What becomes of the primitives of a draw: they are written to memory, counted, and rasterised.

use super::feedback::Feedback;
use crate::context::{DrawContext, DrawError};
use crate::counters::STREAMS;
use crate::methods::{RasterizeEnable, VertColorClampEn};
use crate::objects::Objects;
use crate::raster::Rasteriser;
use crate::state::{Channel, FEEDBACK_BUFFERS};
use ctm_card::DrawCounts;
use ctm_sm50::attributes::View;
use ctm_sm50::launch::Environment;
use ctm_sm50::pipeline::{Assembled, DrawError as PipelineError, Receiver, StageCounts, Stages};

/// Colours of vertices, of front and back faces.
const COLOURS: std::ops::Range<u32> = 0x280..0x2C0;

/// Takes the primitives of a draw.
pub struct DrawReceiver<'a> {
    objects: &'a Objects,
    feedback: Option<Feedback>,
    rasteriser: Option<Rasteriser<'a>>,
    clamps_colours: bool,
    generated: [u64; STREAMS],
    written: [u64; STREAMS],
}

/// What was done with the primitives of a draw.
pub struct DrawDone {
    /// What pixels say.
    pub counts: DrawCounts,
    feedback: Option<[u32; FEEDBACK_BUFFERS]>,
    generated: [u64; STREAMS],
    written: [u64; STREAMS],
    raster: crate::raster::RasterCounts,
}

impl<'a> DrawReceiver<'a> {
    /// For draws in the state of a channel, whose programs may choose viewports.
    ///
    /// # Errors
    /// Of what pixels need, something is not executed.
    pub fn new(
        channel: &Channel,
        context: &DrawContext<'a>,
        environment: &'a Environment<'a>,
        choose_viewports: bool,
    ) -> Result<Self, DrawError> {
        let methods = &channel.three_d;
        let rasteriser = match methods.get::<RasterizeEnable>().enable {
            true => Some(Rasteriser::new(channel, context, environment, choose_viewports)?),
            false => None,
        };
        Ok(DrawReceiver {
            objects: context.objects,
            feedback: Feedback::new(methods, channel.feedback),
            rasteriser,
            clamps_colours: methods.get::<VertColorClampEn>().enable,
            generated: [0; STREAMS],
            written: [0; STREAMS],
        })
    }

    /// Draws what still waits; gives what was done.
    ///
    /// # Errors
    /// A program stops.
    pub fn finish(self) -> Result<DrawDone, DrawError> {
        let raster = self.rasteriser.map(Rasteriser::finish).transpose()?.unwrap_or_default();
        Ok(DrawDone {
            counts: raster.draw,
            feedback: self.feedback.map(|feedback| feedback.offsets()),
            generated: self.generated,
            written: self.written,
            raster,
        })
    }
}

impl Receiver for DrawReceiver<'_> {
    fn receive(&mut self, stages: &mut Stages, assembled: &Assembled) -> Result<(), PipelineError> {
        let stream = usize::from(assembled.stream);
        let count = assembled.primitives().len() as u64;
        if let Some(generated) = self.generated.get_mut(stream) {
            *generated += count;
        }
        if let (Some(feedback), Some(written)) = (&mut self.feedback, self.written.get_mut(stream)) {
            stages.meter.check()?;
            *written += feedback.write(self.objects, assembled);
        }
        let Some(rasteriser) = self.rasteriser.as_mut().filter(|_| stream == 0 && count > 0) else { return Ok(()) };
        if self.clamps_colours {
            clamp_colours(&assembled.records);
        }
        rasteriser.receive(stages, assembled)
    }

    fn bytes(&self) -> u64 {
        self.rasteriser.as_ref().map_or(0, Receiver::bytes)
    }
}

/// Brings the colours of all records to 0 to 1 (decision D314).
fn clamp_colours(records: &View) {
    for address in records.addresses().filter(|address| COLOURS.contains(address)) {
        for record in 0..records.count() {
            let colour = f32::from_bits(records.get(record, address));
            // What is not a number becomes 0.
            let clamped = if colour > 0.0 { colour.min(1.0) } else { 0.0 };
            records.set(record, address, clamped.to_bits());
        }
    }
}

impl DrawDone {
    /// Adds to what the channel counts: what the stages and the primitives did, and so many vertices.
    pub fn put(&self, channel: &mut Channel, stages: &StageCounts, vertices: u64, has_tess_init: bool) {
        if let Some(offsets) = self.feedback {
            channel.feedback = offsets;
        }
        let counters = &mut channel.counters;
        for stream in 0..STREAMS {
            counters.generated[stream] += self.generated[stream];
            if self.feedback.is_some() {
                counters.needed[stream] += self.generated[stream];
                counters.written[stream] += self.written[stream];
            }
        }
        counters.samples += self.raster.samples;
        let statistics = &mut counters.statistics;
        statistics.vertices += vertices;
        statistics.primitives += stages.primitives;
        statistics.vertex_programs += stages.vertices;
        statistics.patches += if has_tess_init { stages.patches } else { 0 };
        statistics.tessellation_programs += stages.points;
        statistics.geometry_programs += stages.geometry_runs;
        statistics.geometry_primitives += stages.geometry_primitives;
        statistics.clipped += self.raster.clipped;
        statistics.clipping_left += self.raster.clipping_left;
        statistics.fragment_programs += self.raster.fragments;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_sm50::attributes::{Records, Slots};

    #[test]
    fn colours_are_clamped() {
        let records = Records::new(Slots::of(&[0x27C, 0x280, 0x2BC, 0x2C0].into_iter().collect()), 2).unwrap();
        let view = records.view();
        let values = [1.5f32, -2.0, f32::NAN, 0.25];
        for (record, values) in [(0, [1.5, 1.5, -2.0, 1.5]), (1, values)] {
            for (address, value) in [0x27C, 0x280, 0x2BC, 0x2C0].into_iter().zip(values) {
                view.set(record, address, value.to_bits());
            }
        }
        clamp_colours(&view);
        let found = |record| [0x27C, 0x280, 0x2BC, 0x2C0].map(|address| f32::from_bits(view.get(record, address)));
        assert_eq!((found(0), found(1)), ([1.5, 1.0, 0.0, 1.5], [1.5, 0.0, 0.0, 0.25]));
    }
}
