//! What draws do, in numbers.

use ctm_x1k::{Body, Program};

/// What a draw does. The numbers do not depend on the engine: what a short cut or a kernel draws counts as if it was drawn pixel by pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
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

impl Counts {
    /// Adds what was done with other pixels.
    pub fn add_pixels(&mut self, other: Counts) {
        self.pixels += other.pixels;
        self.fragments += other.fragments;
        self.passed += other.passed;
    }

    /// The same, with the instructions of this program.
    pub fn with_program(self, program: &Program) -> Self {
        let range = usize::from(program.info.start)..=usize::from(program.info.end);
        let code = program.code.get(range).unwrap_or_default();
        let flows = code.iter().any(|instruction| matches!(instruction.body, Body::Flow(_)));
        let instructions = (!flows || self.fragments == 0).then_some(self.fragments * code.len() as u64);
        Counts { instructions, ..self }
    }
}
