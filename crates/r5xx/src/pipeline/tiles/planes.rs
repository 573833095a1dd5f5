//! Memory of kernels: planes with two lines of words for each component, of the upper pixels of quads and of the lower ones, so that kernels find the
//! quads of a launch in a domain of two rows.

use ctm_memory::{Format, Space, Surface, Tiling};
use ctm_pipeline::{BYTES, ComponentLines, WORDS};

/// Planes that a kernel reads, and planes that it writes, at most.
pub const PLANES: usize = 64;

/// The planes that kernels read, or those that they write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What quads bring.
    Input,
    /// What becomes of them.
    Output,
}

/// The memory.
pub struct Planes {
    space: Space,
    base: u32,
}

impl Planes {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        let mut space = Space::default();
        let base = space.append(2 * (PLANES * BYTES) as u64).ok()?;
        Some(Planes { space, base })
    }

    /// The space that they lie in.
    pub fn space(&self) -> &Space {
        &self.space
    }

    fn base(&self, side: Side) -> u32 {
        match side {
            Side::Input => self.base,
            Side::Output => self.base + (PLANES * BYTES) as u32,
        }
    }

    /// All planes of a side as one surface: plane p is rows 2p and 2p + 1.
    pub fn surface(&self, side: Side) -> Surface {
        Surface {
            base: self.base(side),
            pitch: WORDS as u32,
            height: 2 * PLANES as u32,
            tiling: Tiling::Linear,
            superfine: false,
            format: Format::Float32_1,
        }
    }

    /// The lines of a plane, if there is such a plane.
    pub fn lines(&self, side: Side, plane: usize) -> Option<ComponentLines<'_>> {
        let address = self.base(side) + (plane.min(PLANES) * BYTES) as u32;
        let arena = self.space.arena_of(address, BYTES as u32).filter(|_| plane < PLANES)?;
        ComponentLines::of(arena, address)
    }
}
