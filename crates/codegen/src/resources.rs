//! The memory that operations read and write.

use ctm_lane::{Buffer, Effect, ElementWrite, Function, Op, Surface};

/// Bytes from the start of a buffer to where its pointer points: offsets are signed there.
pub const BUFFER_MIDDLE: usize = 1 << 31;

/// All operations of a function.
pub fn operations(function: &Function) -> impl Iterator<Item = (ctm_lane::Inst, &Op)> {
    function.blocks().flat_map(move |block| function.insts(block).iter().map(move |&inst| (inst, function.op(inst))))
}

/// Memory that operations read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    Surface(Surface),
    Buffer(Buffer),
}

impl Resource {
    /// The memory that an operation names.
    fn of(op: &Op) -> Option<Self> {
        op.surface().map(Self::Surface).or_else(|| op.buffer().map(Self::Buffer))
    }
}

pub fn read_by(op: &Op) -> Option<Resource> {
    let reads = match op.effect() {
        Effect::ReadsMemory => true,
        Effect::WritesMemory => matches!(op, Op::SurfaceTest { test, .. } if test.reads()),
        Effect::Pure | Effect::ReadsArray | Effect::WritesArray | Effect::Counts => false,
    };
    Resource::of(op).filter(|_| reads)
}

pub fn written_by(op: &Op) -> Option<Resource> {
    let writes = match op.effect() {
        Effect::WritesMemory => !matches!(op, Op::SurfaceTest { write: ElementWrite::No, .. }),
        Effect::Pure | Effect::ReadsMemory | Effect::ReadsArray | Effect::WritesArray | Effect::Counts => false,
    };
    Resource::of(op).filter(|_| writes)
}
