//! Pixel history: what draws do to one pixel, and why. A card that watches a pixel draws as it does otherwise. What becomes of the pixel is
//! worked out by the scalar references as well, and compared with what the buffers hold when that has been drawn.
//!
//! Vectors are bits of binary32 numbers or of integers, in the order red, green, blue, alpha or x, y, z, w.

mod listing;
mod pixel_log;

pub use listing::Listing;
pub use pixel_log::{DrawLog, PixelLog, StepLog};

use ctm_follow::{GroupEnd, LaneView, Step, ValueKind};
use ctm_raster::channel::Words;
use ctm_raster::depth::{DepthNumbers, DepthStencilResult, DepthStencilState, DepthStencilValue, Facing};
use std::sync::Arc;

/// The pixel that a card is to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelWatch {
    /// Its column in the buffers that draws write.
    pub x: u32,
    /// Its row.
    pub y: u32,
    /// Instructions that are kept of each run of a program, at most.
    pub steps: u64,
}

/// What a draw did to the pixel.
#[derive(Clone, Debug)]
pub struct DrawHistory {
    /// The dword of the submission that the draw begins at.
    pub at: usize,
    /// The colour buffers that it writes.
    pub targets: Vec<TargetHistory>,
    /// What happened, in order.
    pub events: Vec<PixelEvent>,
}

/// A colour buffer of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetHistory {
    /// Its number.
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
    /// Something else than the output of a program was written to it.
    Copy(CopyHistory),
}

impl PixelEvent {
    /// The primitive that it happens with.
    pub fn primitive_mut(&mut self) -> &mut PrimitiveHistory {
        match self {
            PixelEvent::Fragment(fragment) => &mut fragment.primitive,
            PixelEvent::Culled(primitive) => primitive,
            PixelEvent::Copy(copy) => &mut copy.primitive,
        }
    }
}

/// A vector with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// What it is, in the words of the machine.
    pub name: String,
    /// How its bits are to be read.
    pub kind: ValueKind,
    /// Its bits.
    pub bits: [u32; 4],
}

impl Vector {
    /// A vector of binary32 numbers.
    pub fn new(name: impl Into<String>, bits: [u32; 4]) -> Self {
        Vector { name: name.into(), kind: ValueKind::Float, bits }
    }

    /// A vector of which the machine does not know what it is.
    pub fn words(name: impl Into<String>, bits: [u32; 4]) -> Self {
        Vector { name: name.into(), kind: ValueKind::Word, bits }
    }
}

/// A primitive, or the part of one, that reaches the rasteriser.
#[derive(Clone, Debug, Default)]
pub struct PrimitiveHistory {
    /// Its number in the draw, from 0.
    pub number: u32,
    /// Runs of the programs that made it of other primitives, if there are some and they are followed.
    pub programs: Vec<ProgramRun>,
    /// Its vertices, as the last of their programs gave them.
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
    /// Which element of the vertex arrays it is, or which vertex of the packet; of a vertex that a program made, where that has left it.
    pub number: u32,
    /// What the vertex program got.
    pub inputs: Vec<Vector>,
    /// The run of the program that gave it, if it is followed.
    pub run: Option<ProgramRun>,
    /// What it gave.
    pub outputs: Vec<Vector>,
}

/// A vertex in the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowVertex {
    /// Its column, in pixels.
    pub x: f64,
    /// Its row.
    pub y: f64,
    /// Its depth, in the units that depths are interpolated in.
    pub depth: f32,
    /// How many bits these units are; `None` if depth is a number from 0 to 1.
    pub bits: Option<u32>,
    /// 1/w, bits of binary32.
    pub reciprocal: u32,
}

/// A fragment: what a primitive means for the pixel, or for one of its samples where programs run for each.
#[derive(Clone, Debug)]
pub struct FragmentHistory {
    /// The primitive.
    pub primitive: PrimitiveHistory,
    /// Bit s: sample s is covered.
    pub covered: u8,
    /// Bit s: sample s is covered, and can be drawn to.
    pub visible: u8,
    /// Why samples that are covered cannot be drawn to.
    pub hidden: Option<CoverageRejection>,
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
pub enum CoverageRejection {
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
    /// What interpolation gave. Of several for one register the last one counts.
    pub inputs: Vec<Vector>,
    /// The constants that the program reads, but zeros.
    pub constants: Vec<Vector>,
    /// What the fragment held at its start, and at its end; what it went through in between, of at most the wanted number of steps.
    pub run: Option<ProgramRun>,
    /// Why it stopped before its end, and its draw with it.
    pub trap: Option<String>,
    /// It was killed.
    pub killed: bool,
    /// Its outputs.
    pub outputs: Vec<Vector>,
    /// What it wrote as its depth.
    pub depth: u32,
}

/// The way of a lane through its program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRun {
    /// The texts of the program.
    pub listing: Arc<Listing>,
    /// How the lane is called.
    pub lane: String,
    /// Its start.
    pub start: LaneView,
    /// Instructions.
    pub steps: Vec<Step>,
    /// Its end.
    pub end: GroupEnd,
}

/// The alpha test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaHistory {
    /// How alpha is compared, with the two numbers in the test's units; `None` if it only makes a mask of samples.
    pub test: Option<(&'static str, f32, f32)>,
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
    /// What depths are in the buffer.
    pub numbers: DepthNumbers,
    /// What was stored.
    pub before: DepthStencilValue,
    /// The fragment's depth.
    pub incoming: u32,
    /// What came of them.
    pub outcome: DepthStencilResult,
    /// What was stored when the primitive had been drawn.
    pub after: DepthStencilValue,
}

/// A write to a colour buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteHistory {
    /// The number of the buffer.
    pub target: u32,
    /// The number of the output that goes there.
    pub output: usize,
    /// What happens to it on its way.
    pub operation: WriteOperation,
    /// Which channels are written: red, green, blue, alpha.
    pub written: [bool; 4],
    /// What was stored.
    pub before: Colour,
    /// What is to be stored.
    pub result: Colour,
    /// What was stored when the primitive had been drawn.
    pub after: Colour,
}

/// What happens to a colour between a program and a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteOperation {
    /// It is stored.
    Copy,
    /// It is blended with what is there.
    Blend {
        /// The equation of red, green and blue, as a formula.
        colour: String,
        /// That of alpha.
        alpha: String,
        /// The colour that the program gave.
        source: [u32; 4],
        /// The second one, if the equations take one.
        second: Option<[u32; 4]>,
    },
    /// Its bits are combined with those that are there, by this truth table.
    Logic(u8),
}

/// A stored pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colour {
    /// Its words.
    pub words: Words,
    /// What they mean: red, green, blue, alpha. Those that the buffer lacks are 0, 0, 0, 1.
    pub rgba: [u32; 4],
    /// They are integers.
    pub is_integer: bool,
}

/// A write of what is not the fragment program's.
#[derive(Clone, Debug)]
pub struct CopyHistory {
    /// What it is.
    pub kind: CopyKind,
    /// The primitive.
    pub primitive: PrimitiveHistory,
    /// The pixel of the primitive for which it was written: the watched one, or where other buffers have the same bytes.
    pub place: (u32, u32),
    /// The samples that were averaged, or what was copied.
    pub samples: Vec<Words>,
    /// What was stored.
    pub before: Words,
    /// What is to be stored.
    pub result: Words,
    /// What was stored when the primitive had been drawn.
    pub after: Words,
}

/// What is written in place of a fragment program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// The depth unit, as a second writer of colour, wrote a value.
    Clear,
    /// The average of the samples of the pixel of another buffer.
    Resolve,
    /// What the depth buffer holds.
    Depth,
}
