//! Colour targets, as tiles see them.

use crate::raster::colour::ColourTarget;
use crate::raster::primitives::GRID;
use crate::tiles::{LineValues, TargetLayout};
use ctm_pipeline::{BytesTask, Colours, Family};
use ctm_raster::grid::Grid;

/// The cards of this family.
pub enum Gm107 {}

impl Family for Gm107 {
    const GRID: Grid = GRID;
    type Values = LineValues;
    type Target<'a> = TileTarget<'a>;
    type Layout = TargetLayout;
}

/// A target, with the colours of the program that go there.
pub struct TileTarget<'a> {
    /// The target.
    pub target: ColourTarget<'a>,
    /// Which of the program's colours it gets.
    pub output: usize,
    /// The one that is the second colour of blending, if that takes one.
    pub second: Option<usize>,
}

impl ctm_pipeline::ColourTarget for TileTarget<'_> {
    fn output(&self) -> usize {
        self.output
    }

    fn second(&self) -> Option<usize> {
        self.second
    }

    fn keeps(&self) -> bool {
        self.target.keeps()
    }

    fn stores_vectors(&self) -> bool {
        self.target.stores_vectors()
    }

    fn has_bytes(&self) -> bool {
        self.target.float_bytes().is_some()
    }

    #[inline(always)]
    fn with_bytes(&self, task: impl BytesTask) {
        let Some(bytes) = self.target.float_bytes() else { return };
        if let Some(over) = bytes.over() {
            task.run(over);
        } else if let Some(copied) = bytes.copied() {
            task.run(copied);
        } else {
            task.run(&bytes);
        }
    }

    #[inline(always)]
    fn merged<const N: usize>(
        &self,
        colours: &Colours<N>,
        second: Option<&Colours<N>>,
        memory: &Colours<N>,
    ) -> Colours<N> {
        self.target.merged_each(colours, second, memory)
    }
}
