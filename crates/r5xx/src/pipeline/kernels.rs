//! The kernels of a draw: those for primitives of many pixels, and those for quads of many primitives.

use super::DrawError;
use super::area::AreaState;
use super::batch::{BatchState, KernelBatch};
use super::pixels::Pixels;
use std::cell::LazyCell;

/// Makes what [`KernelBatch`] needs, when it is first asked for.
pub type LazyBatch<'s> = LazyCell<Option<BatchState<'s>>, Box<dyn FnOnce() -> Option<BatchState<'s>> + 's>>;

/// What can draw instead of the scalar pipeline.
pub struct Kernels<'s> {
    /// Primitives of many pixels.
    pub area: Option<AreaState<'s>>,
    /// Quads of many primitives.
    pub batch: LazyBatch<'s>,
    /// What is done with pixels.
    pub pixels: &'s Pixels<'s>,
}

impl Kernels<'_> {
    /// What draws the quads of a draw from now on, after so many, if a kernel can do that and is worth it.
    ///
    /// # Errors
    /// If the time is up.
    pub fn batch(&self, quads: u64) -> Result<Option<KernelBatch<'_>>, DrawError> {
        match &*self.batch {
            Some(state) => Ok(KernelBatch::begin(state, self.pixels, quads)?),
            None => Ok(None),
        }
    }
}
