//! Draws: what they are, what they do in numbers, and what they leave.

use crate::SlowPath;
use std::time::Duration;

/// A draw of a submission, found without executing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The dword of the submission that it begins at.
    pub at: usize,
    /// The dword after it, and after what belongs to it.
    pub end: usize,
    /// What it draws, in words.
    pub primitive: &'static str,
    /// Vertices that it names.
    pub vertices: u32,
    /// Where they come from, in words.
    pub source: &'static str,
}

/// What a draw does. The numbers do not depend on the engine: what a short cut or a kernel draws counts as if it was drawn pixel by pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawCounts {
    /// Vertices that it names.
    pub vertices: u64,
    /// Primitives that they make.
    pub primitives: u64,
    /// Points, lines and triangles that clipping and culling leave of them.
    pub drawn: u64,
    /// Pixels that these cover, in all, and that can be drawn to.
    pub pixels: u64,
    /// Fragments that the fragment program runs for.
    pub fragments: u64,
    /// Instructions that it executes for them; `None` if its flow control decides how many.
    pub instructions: Option<u64>,
    /// Samples that pass depth and stencil tests.
    pub passed: u64,
}

impl DrawCounts {
    /// Adds what was done with other pixels.
    pub fn add_pixels(&mut self, other: DrawCounts) {
        self.pixels += other.pixels;
        self.fragments += other.fragments;
        self.passed += other.passed;
    }
}

/// What a draw has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawStats {
    /// The dword of the submission that it begins at.
    pub at: usize,
    /// How long it took.
    pub time: Duration,
    /// What it did; nothing if it was dropped.
    pub counts: DrawCounts,
    /// The first of the colour buffers that it draws to.
    pub target: Option<DrawTarget>,
    /// Textures that its fragment program can read.
    pub textures: u32,
    /// Why some of its pixels were not drawn many together, if that is so.
    pub slow: Option<SlowPath>,
}

/// A colour buffer, up to the framebuffer's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawTarget {
    /// Card address of its first pixel.
    pub address: u32,
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// The part of a colour buffer that is the framebuffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row by row as they lie in memory, from the left: red, green, blue and alpha, as bits of binary32. Colours that the
    /// buffer lacks are 0, alpha is 1.
    pub pixels: Vec<[u32; 4]>,
}

/// The part of a depth buffer that is the framebuffer. Of several samples of a pixel it has the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepthPicture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row by row as they lie in memory, from the left: depths as bits of binary32. Those of buffers of integers are from 0 to 1.
    pub depths: Vec<u32>,
    /// Stencil values in the same order, if the buffer has some.
    pub stencils: Option<Vec<u8>>,
}
