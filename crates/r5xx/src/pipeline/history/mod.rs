//! Pixel history: what draws do to one pixel, and why. A card that watches a pixel ([`Card::watch`](crate::Card::watch)) draws as it does
//! otherwise; what primitives are about to do to the pixel is worked out before they are drawn, by the scalar references, and what the buffers
//! hold is read when they have been drawn.
//!
//! Vectors are bits of binary32 numbers, in the order red, green, blue, alpha or x, y, z, w.

mod probe;

pub use super::vertex::{Vertex, VertexFormat};
pub use super::window::{GRID, WindowVertex};
pub use probe::{Probe, Watcher};

use crate::registers::codes::AlphaFunction;
use ctm_follow::{End, Step, View};
use ctm_raster::channel::Words;
use ctm_raster::colour::ColourState;
use ctm_raster::depth::{DepthStencilState, Facing, Outcome, Stored};
use ctm_x1k::{Constants, OUTPUTS, Program};

/// The pixel that a card is to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Its column in the buffers that draws write.
    pub x: u32,
    /// Its row.
    pub y: u32,
    /// Instructions that are kept of each run of a fragment program, at most.
    pub steps: u64,
}

/// What a draw did to the pixel.
#[derive(Clone, Debug)]
pub struct DrawHistory {
    /// The dword of the submission that the draw begins at.
    pub at: usize,
    /// The colour buffers that it writes.
    pub targets: Vec<TargetHistory>,
    /// Which vectors its vertices have.
    pub format: VertexFormat,
    /// Its fragment program.
    pub program: Program,
    /// The constants of that.
    pub constants: Constants,
    /// What happened, in order.
    pub events: Vec<PixelEvent>,
}

/// A colour buffer of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetHistory {
    /// Its number, 0 to 3.
    pub number: u32,
    /// The card address of the pixel's first sample there; `None` if it has no such pixel.
    pub address: Option<u32>,
}

/// Something that happened to the pixel.
#[derive(Clone, Debug)]
pub enum PixelEvent {
    /// A primitive covers it.
    Fragment(Box<FragmentHistory>),
    /// A polygon would have covered it, but its side is not drawn.
    Culled(PrimitiveHistory),
    /// The depth unit, as a second writer of colour, wrote a value to it.
    Clear(CopyHistory),
    /// It became the average of the samples of the pixel of another buffer.
    Resolve(CopyHistory),
}

/// A primitive, or the part of one, that reaches the rasteriser.
#[derive(Clone, Debug, Default)]
pub struct PrimitiveHistory {
    /// Its number in the draw, from 0.
    pub number: u32,
    /// Its vertices, as the vertex program gave them.
    pub vertices: Vec<VertexHistory>,
    /// The vertices of what is rasterised: of a triangle that clipping left, of a line, or of a point.
    pub window: Vec<WindowVertex>,
    /// The side that is seen.
    pub facing: Option<Facing>,
}

/// A vertex of a primitive.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexHistory {
    /// Its place in the draw, from 0.
    pub place: usize,
    /// Which element of the vertex arrays it is, or which vertex of the packet.
    pub number: u32,
    /// What the vertex program got: numbers of inputs with their vectors.
    pub inputs: Vec<(u8, [u32; 4])>,
    /// What it gave.
    pub vertex: Vertex,
}

/// A fragment: what a primitive means for the pixel.
#[derive(Clone, Debug)]
pub struct FragmentHistory {
    /// The primitive.
    pub primitive: PrimitiveHistory,
    /// Bit s: sample s is covered.
    pub covered: u8,
    /// Bit s: sample s is covered, and can be drawn to.
    pub visible: u8,
    /// Why samples that are covered cannot be drawn to.
    pub hidden: Option<Hidden>,
    /// Depth and stencil tests come before the program.
    pub early: bool,
    /// The run of the fragment program; `None` if no sample came so far, or if the draw has no use for it.
    pub program: Option<ProgramHistory>,
    /// The alpha test, if there is one.
    pub alpha: Option<AlphaHistory>,
    /// What became of samples that came as far as tests or buffers.
    pub samples: Vec<SampleHistory>,
}

/// What keeps covered samples from being drawn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// The pixel is outside of the scissor rectangle.
    Scissor,
    /// The rule of the clip rectangles.
    ClipRule,
    /// The stipple of lines.
    Stipple,
    /// The mask of samples.
    Screendoor,
}

/// A run of the fragment program for the pixel.
#[derive(Clone, Debug)]
pub struct ProgramHistory {
    /// What interpolation gave: numbers of temporaries with their vectors. Of several for one temporary the last one counts.
    pub inputs: Vec<(u8, [u32; 4])>,
    /// What the fragment held at its start, and at its end; what it went through in between, of at most the wanted number of steps.
    pub run: Option<ProgramRun>,
    /// Why it stopped before its end, and its draw with it.
    pub trap: Option<String>,
    /// It was killed.
    pub killed: bool,
    /// Outputs A to D.
    pub outputs: [[u32; 4]; OUTPUTS],
    /// What it wrote to W.
    pub depth: u32,
}

/// The way of a fragment through its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    /// Its start.
    pub start: View,
    /// Instructions.
    pub steps: Vec<Step>,
    /// Its end.
    pub end: End,
}

/// The alpha test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaHistory {
    /// How alpha is compared, with the two numbers in the test's units; `None` if it only makes a mask of samples.
    pub test: Option<(AlphaFunction, f32, f32)>,
    /// Bit s: sample s passes.
    pub passed: u8,
}

/// A sample of the pixel in a fragment.
#[derive(Clone, Debug, Default)]
pub struct SampleHistory {
    /// Its number.
    pub number: u32,
    /// Depth and stencil tests, if there are some.
    pub tests: Option<TestHistory>,
    /// What was written to colour buffers.
    pub writes: Vec<WriteHistory>,
}

/// Depth and stencil tests of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestHistory {
    /// The tests.
    pub state: DepthStencilState,
    /// The side whose stencil test it is.
    pub facing: Facing,
    /// Bits of depths in the buffer.
    pub bits: u32,
    /// What was stored.
    pub before: Stored,
    /// The fragment's depth.
    pub incoming: u32,
    /// What came of them.
    pub outcome: Outcome,
    /// What was stored when the primitive had been drawn.
    pub after: Stored,
}

/// A write to a colour buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteHistory {
    /// The number of the buffer.
    pub target: u32,
    /// The output of the program that goes there.
    pub output: usize,
    /// Which of its channels each channel of the buffer is.
    pub selects: [usize; 4],
    /// Format, blending, logic operation, mask of channels.
    pub state: ColourState,
    /// What was stored.
    pub before: Words,
    /// What is to be stored.
    pub result: Words,
    /// What was stored when the primitive had been drawn.
    pub after: Words,
}

impl WriteHistory {
    /// A stored pixel as red, green, blue, alpha. Those that the buffer lacks are 0, 0, 0, 1.
    pub fn colour(&self, words: &Words) -> [u32; 4] {
        const ONE: u32 = 0x3F80_0000;
        let mut colour = [0, 0, 0, ONE];
        for (channel, select) in self.state.format().channels.into_iter().zip(self.selects) {
            if let Some(channel) = channel {
                colour[select] = channel.decode(channel.extract(words));
            }
        }
        colour
    }
}

/// A write of what is not the fragment program's.
#[derive(Clone, Debug)]
pub struct CopyHistory {
    /// The primitive.
    pub primitive: PrimitiveHistory,
    /// The pixel of the primitive for which it was written: the watched one, or where other buffers have the same bytes.
    pub place: (u32, u32),
    /// The samples that were averaged.
    pub samples: Vec<Words>,
    /// What was stored.
    pub before: Words,
    /// What is to be stored.
    pub result: Words,
    /// What was stored when the primitive had been drawn.
    pub after: Words,
}

#[cfg(test)]
mod tests;
