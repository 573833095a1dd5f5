//! Memory for test jobs: surfaces are allocated one after the other in one arena.

use ctm_memory::{Arena, BASE_ALIGNMENT, Bounds, Format, Space, Surface, Tiling, View};

const BASE: u32 = 0x1000_0000;
/// Between surfaces, so that writes beyond an end hit nothing.
const GAP: u32 = 0x1_0000;

/// An address space with an allocator.
#[derive(Debug)]
pub struct Buffers {
    space: Space,
    next: u32,
}

impl Buffers {
    /// Zeroed memory of at least `bytes` bytes.
    pub fn new(bytes: u32) -> Self {
        let mut space = Space::default();
        let arena = Arena::new(BASE, bytes.next_multiple_of(BASE_ALIGNMENT)).expect("arena");
        space.map(arena).expect("an empty space has room");
        Buffers { space, next: BASE }
    }

    /// The memory.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// A surface of at least `width` x `height` elements; its pitch is the next that suits the tiling, its height is
    /// `height`.
    pub fn allocate(&mut self, width: u32, height: u32, format: Format, tiling: Tiling) -> Surface {
        let granule = Surface::pitch_granule(tiling, format).max(4);
        let pitch = width.next_multiple_of(granule);
        let surface = Surface { base: self.next, pitch, height, tiling, superfine: false, format };
        let size = u32::try_from(surface.bytes()).expect("surface size");
        self.next += size.next_multiple_of(GAP) + GAP;
        surface
    }

    /// Sets the elements (x, y) with x < `width` of a surface.
    pub fn fill(&self, surface: &Surface, width: u32, mut value: impl FnMut(u32, u32) -> [u32; 4]) {
        let view = View::new(&self.space, *surface, Bounds::Drop);
        for y in 0..surface.height {
            for x in 0..width {
                view.store(x.into(), y.into(), value(x, y), 0xF);
            }
        }
        assert!(!view.out_of_range(), "the test arena is too small for {surface:?}");
    }

    /// An element of a surface, as lookups see it.
    pub fn read(&self, surface: &Surface, x: u32, y: u32) -> [u32; 4] {
        View::new(&self.space, *surface, Bounds::Drop).load(x.into(), y.into())
    }
}
