//! Memory for test jobs: surfaces are allocated one after the other in one arena.

use ctm_memory::{Arena, BASE_ALIGNMENT, Bounds, Format, Space, Surface, Tiling, View};

const BASE: u32 = 0x1000_0000;
/// Between surfaces, so that writes beyond an end hit nothing.
const GAP: u32 = 0x1_0000;
/// The same where memory is compared as a whole.
const SMALL_GAP: u32 = BASE_ALIGNMENT;

/// An address space with an allocator.
#[derive(Debug)]
pub struct Buffers {
    space: Space,
    next: u32,
    end: u32,
    gap: u32,
}

impl Buffers {
    /// Zeroed memory of at least `bytes` bytes.
    pub fn new(bytes: u32) -> Self {
        let mut space = Space::default();
        let bytes = bytes.next_multiple_of(BASE_ALIGNMENT);
        space.map(Arena::new(BASE, bytes).expect("arena")).expect("an empty space takes an arena");
        Buffers { space, next: BASE, end: BASE + bytes, gap: GAP }
    }

    /// The same with small gaps, so that all of it is quickly [copied](Self::contents).
    pub fn dense(bytes: u32) -> Self {
        Buffers { gap: SMALL_GAP, ..Self::new(bytes) }
    }

    /// Forgets all surfaces. What they held stays.
    pub fn clear(&mut self) {
        self.next = BASE;
    }

    /// Address of the last block of memory, which no surface has.
    pub fn last_block(&self) -> u32 {
        self.end - BASE_ALIGNMENT
    }

    /// All bytes that surfaces and the gaps between them have, and those of the last block.
    pub fn contents(&self) -> Vec<u8> {
        let mut bytes = vec![0; (self.next - BASE + BASE_ALIGNMENT) as usize];
        let (surfaces, last) = bytes.split_at_mut((self.next - BASE) as usize);
        self.space.read_bytes(BASE, surfaces).expect("mapped memory");
        self.space.read_bytes(self.last_block(), last).expect("mapped memory");
        bytes
    }

    /// Puts back what [`contents`](Self::contents) gave.
    pub fn restore(&self, bytes: &[u8]) {
        let (surfaces, last) = bytes.split_at(bytes.len() - BASE_ALIGNMENT as usize);
        self.space.write_bytes(BASE, surfaces).expect("mapped memory");
        self.space.write_bytes(self.last_block(), last).expect("mapped memory");
    }

    /// The GPU address of a byte of [`contents`](Self::contents).
    pub fn address_of(&self, at: usize) -> u32 {
        let at = at as u32;
        let surfaces = self.next - BASE;
        if at < surfaces { BASE + at } else { self.last_block() + at - surfaces }
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
        self.next += size.next_multiple_of(self.gap) + self.gap;
        assert!(self.next <= self.last_block(), "the memory is too small for {surface:?}");
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
