//! Code for one function: its pieces, what runs of it have to bind, and what was learnt of it.

use crate::backend::{Checks, Jit};
use crate::bound::Memory;
#[cfg(test)]
use crate::bound::Skew;
use crate::memory::Blocks;
use crate::select::Mode;
use crate::target::Target;
use crate::unit::Unit;
use ctm_engine::{Bindings, Bound, Code, Incomplete, Source, SurfaceLayout};
use ctm_lane::{Buffer, Effect, ElementWrite, Function, Op, Surface};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Bytes from the start of a buffer to where its pointer points: offsets are signed there.
pub(crate) const BUFFER_MIDDLE: usize = 1 << 31;

/// Code for one function.
pub(crate) struct Kernel<T> {
    pub target: T,
    /// For covered groups in the window.
    pub interior: Unit,
    /// For all others.
    pub general: Unit,
    /// The interior without speculation on NaNs, made when that fails too often.
    exact: OnceLock<Option<Unit>>,
    pub function: Function,
    pub facts: Vec<SurfaceLayout>,
    pub quads: bool,
    may_stop: bool,
    checks: Arc<Checks>,
    /// What is read, and what is written.
    reads: Vec<Resource>,
    writes: Vec<Resource>,
    /// Strips that ran with speculation on NaNs, and those that ran again.
    pub speculated: AtomicU32,
    pub deoptimised: AtomicU32,
    pub blocks: Arc<Blocks>,
    /// The code was stopped when it accessed a guard region, and must not run again.
    pub escaped: AtomicBool,
    #[cfg(test)]
    pub skew: Skew,
}

/// All operations of a function.
pub(crate) fn operations(function: &Function) -> impl Iterator<Item = (ctm_lane::Inst, &Op)> {
    function.blocks().flat_map(move |block| function.insts(block).iter().map(move |&inst| (inst, function.op(inst))))
}

/// Memory that operations read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Surface(Surface),
    Buffer(Buffer),
}

impl Resource {
    /// The memory that an operation names.
    fn of(op: &Op) -> Option<Self> {
        op.surface().map(Self::Surface).or_else(|| op.buffer().map(Self::Buffer))
    }
}

fn read_by(op: &Op) -> Option<Resource> {
    let reads = match op.effect() {
        Effect::ReadsMemory => true,
        Effect::WritesMemory => matches!(op, Op::SurfaceTest { test, .. } if test.reads()),
        Effect::Pure | Effect::ReadsArray | Effect::WritesArray | Effect::Counts => false,
    };
    Resource::of(op).filter(|_| reads)
}

pub(crate) fn written_by(op: &Op) -> Option<Resource> {
    let writes = match op.effect() {
        Effect::WritesMemory => !matches!(op, Op::SurfaceTest { write: ElementWrite::No, .. }),
        Effect::Pure | Effect::ReadsMemory | Effect::ReadsArray | Effect::WritesArray | Effect::Counts => false,
    };
    Resource::of(op).filter(|_| writes)
}

impl<T: Target> Kernel<T> {
    pub fn new(source: &Source, jit: &Jit<T>) -> Option<Self> {
        // Both pieces of code get the same context.
        let declared = |function: &Function| {
            let tables: Vec<u32> = function.tables.iter().map(|table| table.entries).collect();
            let arrays: Vec<u32> = function.arrays.iter().map(|array| array.entries).collect();
            (tables, arrays, function.buffers)
        };
        if declared(source.function) != declared(source.interior) {
            return None;
        }
        let (target, checks) = (jit.target, &jit.checks);
        let may_stop = source.may_stop;
        let quads = operations(source.function).any(|(_, op)| matches!(op, Op::Quad { .. }));
        let named = |by: fn(&Op) -> Option<Resource>| -> Vec<Resource> {
            operations(source.function).filter_map(|(_, op)| by(op)).collect()
        };
        let (reads, writes) = (named(read_by), named(written_by));
        // What a group has written, it would read when it runs again.
        let speculates = !reads.iter().any(|read| writes.contains(read));
        let mode = Mode { quads, interior: true, speculates, may_stop, explicit: false };
        let interior = Unit::new(source.interior, source.surfaces, target, (mode, 2), checks)?;
        let mode = Mode { interior: false, speculates: false, ..mode };
        let general = Unit::new(source.function, source.surfaces, target, (mode, 1), checks)?;
        Some(Self {
            target,
            interior,
            general,
            exact: OnceLock::new(),
            function: source.interior.clone(),
            facts: source.surfaces.to_vec(),
            quads,
            may_stop,
            checks: checks.clone(),
            reads,
            writes,
            speculated: AtomicU32::new(0),
            deoptimised: AtomicU32::new(0),
            blocks: jit.blocks.clone(),
            escaped: AtomicBool::new(false),
            #[cfg(test)]
            skew: Skew::default(),
        })
    }

    pub fn exact(&self) -> &Unit {
        let exact = self.exact.get_or_init(|| {
            let Self { quads, may_stop, .. } = *self;
            let mode = Mode { quads, interior: true, speculates: false, may_stop, explicit: false };
            let mode = (mode, self.interior.groups);
            Unit::new(&self.function, &self.facts, self.target, mode, &self.checks)
                .filter(|unit| unit.covers(&self.interior))
        });
        exact.as_ref().unwrap_or(&self.general)
    }

    /// Whether the bindings are of the kind that the code was made for; anything else it must not touch.
    fn fits(&self, bindings: &Bindings) -> bool {
        let tables = self.function.tables.iter().enumerate();
        let mut surfaces = self.facts.iter().enumerate();
        tables
            .into_iter()
            .all(|(at, table)| bindings.tables.get(at).is_some_and(|entries| entries.len() >= table.entries as usize))
            && bindings.buffers.len() >= usize::from(self.function.buffers)
            && surfaces.all(|(at, facts)| {
                let view = bindings.surfaces.get(at);
                view.is_some_and(|view| SurfaceLayout::of(bindings.space, view.surface(), view.bounds()) == *facts)
            })
    }

    /// Whether something that is written shares memory with anything that is read.
    pub fn overlaps(&self, bindings: &Bindings) -> bool {
        let span = |&named: &Resource| match named {
            Resource::Surface(surface) => {
                let start = bindings.base(surface).addr();
                let surface = bindings.surfaces[surface.index()].surface();
                let height = if surface.height == 0 { 4096 } else { surface.height };
                let bytes = ctm_memory::Surface { height, ..*surface }.bytes();
                (start, start + bytes as usize)
            }
            Resource::Buffer(buffer) => {
                let buffer = &bindings.buffers[buffer.index()];
                let start = buffer.as_ptr().addr();
                (start, start + buffer.length() as usize)
            }
        };
        let read: Vec<(usize, usize)> = self.reads.iter().map(span).collect();
        self.writes.iter().map(span).any(|(start, end)| read.iter().any(|other| other.0 < end && start < other.1))
    }
}

impl<T: Target> Code for Kernel<T> {
    fn bind<'a>(&'a self, bindings: &'a Bindings) -> Result<Box<dyn Bound + 'a>, Incomplete> {
        if !self.fits(bindings) {
            debug_assert!(false, "bindings have the facts that the code was compiled for");
            return Err(Incomplete::Stopped);
        }
        Ok(Box::new(Memory::new(self, bindings)?))
    }

    fn is_sound(&self) -> bool {
        !self.escaped.load(Relaxed)
    }

    fn bytes(&self) -> usize {
        // The function is kept for code that is made later.
        let operations = operations(&self.function).count();
        self.interior.end + self.general.end + operations * size_of::<Op>()
    }
}
