//! The kernels of a draw: those for primitives of many pixels, and those for quads of many primitives.

use super::DrawError;
use super::pixels::Pixels;
use super::rectangles::RectangleState;
use super::tiles::{TileMemory, TileRenderer, TileState};
use ctm_card::{SlowPath, SlowPathNote};
use ctm_engine::Workers;
use std::cell::{LazyCell, RefCell};

/// Makes what [`TileRenderer`] needs, when it is first asked for.
pub type LazyTileState<'s> = LazyCell<TileResult<'s>, Box<dyn FnOnce() -> TileResult<'s> + 's>>;
type TileResult<'s> = Result<TileState<'s>, SlowPath>;

/// What can draw instead of the scalar pipeline.
pub struct Kernels<'s> {
    /// Primitives of many pixels.
    pub rectangles: Option<RectangleState<'s>>,
    /// Quads of many primitives.
    pub tiles: LazyTileState<'s>,
    /// A number that other programs do not have, most likely.
    pub program: u64,
    /// Memory for the latter.
    pub memory: Option<&'s RefCell<TileMemory>>,
    /// What is done with pixels.
    pub pixels: &'s Pixels<'s>,
    /// Threads, and how many of them may be used.
    pub threads: Option<(&'s Workers, usize)>,
    /// Slow ways that draws go.
    pub slow: Option<&'s SlowPathNote>,
}

impl Kernels<'_> {
    /// What draws the primitives of a draw from now on, if a kernel can do that, and so many quads more of all draws with its program are worth one.
    ///
    /// # Errors
    /// If the time is up.
    pub fn renderer(&self, quads: u64) -> Result<Option<TileRenderer<'_>>, DrawError> {
        let Some(memory) = self.memory else { return Ok(self.without(SlowPath::NoEngine)) };
        if !memory.try_borrow_mut().is_ok_and(|mut memory| memory.is_worth_it(self.program, quads)) {
            return Ok(self.without(SlowPath::FewPixels));
        }
        match &*self.tiles {
            Ok(state) => match TileRenderer::begin(state, self.pixels, memory)? {
                Some(renderer) => Ok(Some(renderer)),
                None => Ok(self.without(SlowPath::NotCompiled)),
            },
            Err(reason) => Ok(self.without(*reason)),
        }
    }

    /// Notes why there is no renderer.
    fn without(&self, reason: SlowPath) -> Option<TileRenderer<'_>> {
        self.note(reason);
        None
    }

    /// Notes a slow way, if there is an engine that could go another one.
    pub fn note(&self, reason: SlowPath) {
        let reason = if self.memory.is_some() { reason } else { SlowPath::NoEngine };
        self.slow.inspect(|slow| slow.add(reason));
    }
}
