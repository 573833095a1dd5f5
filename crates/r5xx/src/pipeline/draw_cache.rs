//! Memory of the host that draws use again and again.

use super::{fragment, program, rectangles, tiles, vertices};
use ctm_engine::UseCounts;
use std::cell::RefCell;
use std::collections::HashSet;

/// What kernels read and write beside the card's memory.
pub struct DrawCache {
    pub(super) fragment_programs: RefCell<fragment::FragmentPrograms>,
    pub(super) vertex_programs: RefCell<program::VertexPrograms>,
    /// Pairs of a vertex and a fragment program that come to their end, by their hashes.
    pub(super) safe: RefCell<HashSet<[u64; 2]>>,
    pub(super) vertices: vertices::VertexMemory,
    /// The vertex program that ran last.
    pub(super) vertex_kernel: RefCell<Option<vertices::KnownVertexKernel>>,
    /// Vertices, by the hashes of their programs.
    pub(super) transformed: RefCell<UseCounts>,
    pub(super) rectangles: RefCell<rectangles::RectangleMemory>,
    pub(super) tiles: RefCell<tiles::TileMemory>,
}

impl DrawCache {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        Some(DrawCache {
            fragment_programs: RefCell::default(),
            vertex_programs: RefCell::default(),
            safe: RefCell::default(),
            vertices: vertices::VertexMemory::new()?,
            vertex_kernel: RefCell::default(),
            transformed: RefCell::default(),
            rectangles: RefCell::default(),
            tiles: RefCell::new(tiles::TileMemory::new()?),
        })
    }
}
