//! The pipeline of graphics cards in software, as far as it is the same for all of them: primitives wait in tiles, and threads draw these tile by tile, in
//! blocks of eight columns and two rows.
//!
//! A card brings what differs as [`Family`], and the program that runs for pixels as [`TileProgram`]. Nothing here knows a register or an instruction
//! set.
#![forbid(unsafe_code)]

mod alpha;
mod averages;
mod block_test;
mod colour;
mod depth;
mod draw;
mod interpolation;
mod late_tests;
mod lines;
mod primitives;
mod quad_masks;
mod rasterising;
mod runs;
mod samples;
mod storing;
mod surfaces;
mod threads;
mod values;
mod worker;

pub use alpha::AlphaTest;
pub use averages::{AverageRows, RowPair, SampleAverage, block_columns, block_pixels};
pub use colour::{BytesTask, ColourTarget, Colours, write_quads};
pub use depth::{DepthForm, DepthPlanes, DepthTests, IncomingQuads, with_reference};
pub use draw::{Family, Rules, TargetQuads, TileDraw, allows_pixels};
pub use lines::{BLOCK_PIXELS, BYTES, ComponentLines, Lines, PIXELS, QUADS, WORDS};
pub use primitives::{Attribute, ComponentSource, Components, Primitive, Primitives, Shown};
pub use quad_masks::block_quads;
pub use samples::SamplePattern;
pub use surfaces::{
    AddressPart, Block, BlockPlace, BlockPlaces, Chunk, Layers, Layout, PlaceCache, SurfaceBlocks, SurfaceQuads,
    row_places,
};
pub use threads::spread;
pub use values::{AtPixels, PixelPlace, Values};
pub use worker::{PixelCounts, TileProgram, TileWorker};
