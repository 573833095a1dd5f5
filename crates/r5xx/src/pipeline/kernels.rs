//! The kernels of a draw: those for primitives of many pixels, and those for quads of many primitives.

use super::DrawError;
use super::area::AreaState;
use super::batch::{BatchState, KernelBatch, Memory};
use super::pixels::Pixels;
use std::cell::{LazyCell, RefCell};

/// Makes what [`KernelBatch`] needs, when it is first asked for.
pub type LazyBatch<'s> = LazyCell<Option<BatchState<'s>>, Box<dyn FnOnce() -> Option<BatchState<'s>> + 's>>;

/// What can draw instead of the scalar pipeline.
pub struct Kernels<'s> {
    /// Primitives of many pixels.
    pub area: Option<AreaState<'s>>,
    /// Quads of many primitives.
    pub batch: LazyBatch<'s>,
    /// Memory for the latter.
    pub memory: Option<&'s RefCell<Memory>>,
    /// What is done with pixels.
    pub pixels: &'s Pixels<'s>,
}

impl Kernels<'_> {
    /// What draws the primitives of a draw from now on, with so many quads of it, if a kernel can do that and is worth it.
    ///
    /// # Errors
    /// If the time is up.
    pub fn batch(&self, quads: u64) -> Result<Option<KernelBatch<'_>>, DrawError> {
        match (self.memory, &*self.batch) {
            (Some(memory), Some(state)) => Ok(KernelBatch::begin(state, self.pixels, memory, quads)?),
            (None, _) | (_, None) => Ok(None),
        }
    }
}
