//! A draw whose primitives wait in tiles.

use crate::alpha::AlphaTest;
use crate::colour::ColourTarget;
use crate::depth::DepthTests;
use crate::primitives::Primitives;
use crate::samples::SamplePattern;
use crate::surfaces::{Layout, PlacedBlocks, SurfaceBlocks, SurfaceQuads};
use crate::values::Values;
use ctm_raster::covered::ShadingRate;
use ctm_raster::grid::Grid;
use ctm_raster::tiles::Tiles;

/// What is a card family's own, where it is part of inner loops.
pub trait Family {
    /// The grid of window coordinates.
    const GRID: Grid;
    /// What programs get over a primitive.
    type Values: Values;
    /// Where colours go.
    type Target<'a>: ColourTarget;
    /// Where pixels lie.
    type Layout: Layout + Sync;
}

/// What happens to pixels around the program.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Depth and stencil tests come before the program.
    pub early: bool,
    /// Something depends on the program.
    pub runs: bool,
    /// It may kill pixels.
    pub kills: bool,
    /// The alpha test.
    pub alpha: Option<AlphaTest>,
    /// Alpha says how many samples of a pixel are drawn to.
    pub alpha_to_mask: bool,
    /// The program says which samples are drawn to.
    pub exports_mask: bool,
}

impl Rules {
    /// Whether pixels are tested after the program.
    pub fn has_late_tests(&self) -> bool {
        !self.early || self.kills || self.alpha.is_some() || self.alpha_to_mask || self.exports_mask
    }
}

/// A surface that colours go to, and its quads, sample by sample: of samples that it does not have, colours are dropped.
pub type TargetQuads<'d, 'a, F> = (&'d <F as Family>::Target<'a>, Vec<SurfaceQuads<'d, <F as Family>::Layout>>);

/// What the threads of a draw have in common.
pub struct TileDraw<'d, 'a, F: Family> {
    /// The primitives that wait.
    pub primitives: &'d Primitives<F::Values>,
    /// The tiles that they touch.
    pub tiles: &'d Tiles,
    /// Components that programs get of each.
    pub components: usize,
    /// The samples of pixels.
    pub samples: SamplePattern<'d>,
    /// Which samples of the pixel in a column and a row can be covered, if others cannot.
    pub shown: Option<&'d (dyn Fn(u32, u32) -> u8 + Send + Sync)>,
    /// The depth and stencil tests, if there are some.
    pub depth: Option<DepthTests<'d, F::Layout>>,
    /// Where colours go.
    pub targets: &'d [TargetQuads<'d, 'a, F>],
    /// What happens to pixels around the program.
    pub rules: Rules,
    /// What it runs for.
    pub rate: ShadingRate,
}

/// Whether the program may run for the pixels that are drawn and no others, if none of these looks at another one: tests come before it, and colours are
/// stored as bytes.
pub fn allows_pixels<'t, T: ColourTarget + 't>(rules: &Rules, mut targets: impl Iterator<Item = &'t T>) -> bool {
    rules.runs && !rules.has_late_tests() && targets.all(|target| target.has_bytes() && target.second().is_none())
}

impl<'d, F: Family> TileDraw<'d, '_, F> {
    /// The surfaces that are read and written: those of depths first.
    pub(crate) fn surfaces(&self) -> impl Iterator<Item = &SurfaceQuads<'d, F::Layout>> {
        let depth = self.depth.iter().flat_map(|depth| &depth.quads);
        depth.chain(self.targets.iter().flat_map(|(_, quads)| quads))
    }

    /// The surfaces in which blocks that are covered know their places.
    pub(crate) fn known_blocks(&self) -> Option<PlacedBlocks<'_>> {
        PlacedBlocks::of(self.surfaces().filter_map(SurfaceQuads::blocks))
    }

    /// The blocks of a surface, if it has such.
    pub(crate) fn blocks_of<'s>(&'s self, quads: &'s SurfaceQuads<F::Layout>) -> Option<SurfaceBlocks<'s>> {
        Some(quads.blocks()?.with(&self.known_blocks()?))
    }
}
