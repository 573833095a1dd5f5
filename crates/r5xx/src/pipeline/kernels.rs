//! The kernels of a draw: those for primitives of many pixels, and those for quads of many primitives.

use super::DrawError;
use super::pixels::Pixels;
use super::rectangles::RectangleState;
use super::tiles::{TileMemory, TileRenderer, TileState};
use std::cell::{LazyCell, RefCell};

/// Makes what [`TileRenderer`] needs, when it is first asked for.
pub type LazyTileState<'s> = LazyCell<Option<TileState<'s>>, Box<dyn FnOnce() -> Option<TileState<'s>> + 's>>;

/// What can draw instead of the scalar pipeline.
pub struct Kernels<'s> {
    /// Primitives of many pixels.
    pub rectangles: Option<RectangleState<'s>>,
    /// Quads of many primitives.
    pub tiles: LazyTileState<'s>,
    /// Memory for the latter.
    pub memory: Option<&'s RefCell<TileMemory>>,
    /// What is done with pixels.
    pub pixels: &'s Pixels<'s>,
}

impl Kernels<'_> {
    /// What draws the primitives of a draw from now on, with so many quads of it, if a kernel can do that and is worth it.
    ///
    /// # Errors
    /// If the time is up.
    pub fn renderer(&self, quads: u64) -> Result<Option<TileRenderer<'_>>, DrawError> {
        match (self.memory, &*self.tiles) {
            (Some(memory), Some(state)) => Ok(TileRenderer::begin(state, self.pixels, memory, quads)?),
            (None, _) | (_, None) => Ok(None),
        }
    }
}
