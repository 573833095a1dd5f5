//! Code for one function: its pieces, what runs of it have to bind, and what was learnt of it.

use crate::check::Decoding;
use crate::code_checks::CodeChecks;
use crate::code_piece::CodePiece;
use crate::columns::columns_at_a_time;
use crate::groups::Groups;
use crate::memory::Blocks;
use crate::resources::{Resource, operations, read_by, written_by};
use crate::select::Mode;
use crate::speculation_retry::Attempts;
use ctm_engine::{Bindings, BudgetedOnce, KernelSource, Refusal, SurfaceLayout};
use ctm_lane::effort::Effort;
use ctm_lane::{Function, Op, simplify_within};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};

/// Code for one function.
pub(crate) struct Kernel<T> {
    pub target: T,
    /// For covered groups in the window.
    pub interior: CodePiece,
    /// For all others, made when there are some: runs over whole rows of whole groups need none.
    pub general: BudgetedOnce<Option<CodePiece>>,
    /// The interior without speculation on NaNs, made when that fails too often.
    exact: BudgetedOnce<Option<CodePiece>>,
    /// The interior for one row at a time, made when a row is left over.
    row: BudgetedOnce<Option<CodePiece>>,
    /// What the interior was made of, and what, simplified, the general code is made of.
    pub function: Function,
    pub general_function: Function,
    pub layouts: Vec<SurfaceLayout>,
    pub quads: bool,
    /// Columns of a rectangle that run before the next ones, a whole number of times what the interior takes at a time.
    pub columns: u32,
    may_stop: bool,
    pub checks: Arc<CodeChecks>,
    /// What is read, and what is written.
    reads: Vec<Resource>,
    writes: Vec<Resource>,
    /// What became of strips with speculation on NaNs: [`Attempts`].
    pub attempts: AtomicU32,
    pub blocks: Arc<Blocks>,
    /// The code was stopped when it accessed a guard region, and must not run again.
    pub escaped: AtomicBool,
    #[cfg(test)]
    pub skew: Skew,
}

/// An error that is put into one of a context's pointers: its number, and bytes.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct Skew(pub std::sync::Mutex<Option<(usize, i64)>>);

#[cfg(test)]
impl Skew {
    pub fn apply(&self, pointers: &mut [*mut u8]) {
        if let Some((number, bytes)) = *self.0.lock().unwrap() {
            pointers[number] = pointers[number].wrapping_offset(bytes as isize);
        }
    }
}

impl<T: Decoding> Kernel<T> {
    pub fn new(
        source: &KernelSource,
        target: T,
        (checks, blocks): (&Arc<CodeChecks>, &Arc<Blocks>),
        effort: &Effort,
    ) -> Result<Self, Refusal> {
        // Both pieces of code get the same context.
        let declared = |function: &Function| {
            let tables: Vec<u32> = function.tables.iter().map(|table| table.entries).collect();
            let arrays: Vec<u32> = function.arrays.iter().map(|array| array.entries).collect();
            (tables, arrays, function.buffers)
        };
        if declared(source.function) != declared(source.interior) {
            return Err(Refusal::Unsupported);
        }
        let may_stop = source.may_stop;
        let quads = operations(source.function).any(|(_, op)| matches!(op, Op::Quad { .. }));
        let named = |by: fn(&Op) -> Option<Resource>| -> Vec<Resource> {
            let all: HashSet<Resource> = operations(source.function).filter_map(|(_, op)| by(op)).collect();
            all.into_iter().collect()
        };
        let (reads, writes) = (named(read_by), named(written_by));
        // What a group has written, it would read when it runs again.
        let speculates = !reads.iter().any(|read| writes.contains(read));
        let mode = Mode { quads, interior: true, speculates, may_stop, explicit: false };
        let mut function = source.interior.clone();
        target.prepare_inactive_lanes(&mut function, effort);
        let interior = CodePiece::new(&function, source.surfaces, target, (mode, Groups::ANY), checks, effort)?;
        let at_once = target.lanes() / if quads { 2 } else { 1 } * interior.groups.columns;
        let columns = columns_at_a_time(&function, source.surfaces).unwrap_or(u32::MAX);
        let mut kernel = Self {
            target,
            interior,
            general: BudgetedOnce::default(),
            exact: BudgetedOnce::default(),
            row: BudgetedOnce::default(),
            function,
            general_function: source.function.clone(),
            layouts: source.surfaces.to_vec(),
            quads,
            columns: (columns / at_once).max(1) * at_once,
            may_stop,
            checks: checks.clone(),
            reads,
            writes,
            attempts: AtomicU32::new(Attempts::default().to_word()),
            blocks: blocks.clone(),
            escaped: AtomicBool::new(false),
            #[cfg(test)]
            skew: Skew::default(),
        };
        // A run that finds out that there is no such code starts again in the interpreter, which has to find what it reads.
        if !speculates {
            let general = kernel.make_general(effort)?;
            kernel.general = Some(general).into();
        }
        Ok(kernel)
    }

    /// Code for all groups that are not the interior's; `None` if it cannot be made.
    pub fn general(&self, effort: &Effort) -> Option<&CodePiece> {
        let make = || self.make_general(effort).map_err(|refusal| self.checks.note_refusal(refusal)).ok();
        self.made(&self.general, effort, make)
    }

    /// Makes that code, or gives why that is not possible.
    pub fn make_general(&self, effort: &Effort) -> Result<CodePiece, Refusal> {
        let &Self { quads, may_stop, .. } = self;
        let mode = Mode { quads, interior: false, speculates: false, may_stop, explicit: false };
        let mut function = self.general_function.clone();
        simplify_within(&mut function, effort);
        CodePiece::new(&function, &self.layouts, self.target, (mode, Groups::ONE), &self.checks, effort)
    }

    /// A piece of code that is made when it is first wanted.
    fn made<'k>(
        &self,
        piece: &'k BudgetedOnce<Option<CodePiece>>,
        effort: &Effort,
        make: impl FnOnce() -> Option<CodePiece>,
    ) -> Option<&'k CodePiece> {
        let made = piece.get_or_make(effort, make);
        self.checks.note_cut(effort);
        made?.as_ref()
    }

    /// Rows of a group.
    pub fn height(&self) -> u32 {
        if self.quads { 2 } else { 1 }
    }

    /// Exact code for what the interior may be called for, one row at a time.
    pub fn exact(&self, effort: &Effort) -> Option<&CodePiece> {
        let all = Groups { rows: 1, ..self.interior.groups };
        let make = || self.interior_as(false, all, effort);
        self.made(&self.exact, effort, make).or_else(|| self.general(effort))
    }

    /// Code for one row of what the interior may be called for, if that takes several rows at a time.
    pub fn row(&self, effort: &Effort) -> Option<&CodePiece> {
        if self.interior.groups.rows == 1 {
            return Some(&self.interior);
        }
        let all = Groups { rows: 1, ..Groups::ANY };
        let make = || self.interior_as(self.interior.speculates, all, effort);
        self.made(&self.row, effort, make).or_else(|| self.general(effort))
    }

    fn interior_as(&self, speculates: bool, all: Groups, effort: &Effort) -> Option<CodePiece> {
        let Self { quads, may_stop, .. } = *self;
        let mode = Mode { quads, interior: true, speculates, may_stop, explicit: false };
        let unit = CodePiece::new(&self.function, &self.layouts, self.target, (mode, all), &self.checks, effort);
        unit.ok().filter(|unit| unit.covers(&self.interior))
    }

    /// Whether the bindings are of the kind that the code was made for; anything else it must not touch.
    pub fn fits(&self, bindings: &Bindings) -> bool {
        let tables = self.function.tables.iter().enumerate();
        let mut surfaces = self.layouts.iter().enumerate();
        tables
            .into_iter()
            .all(|(at, table)| bindings.tables.get(at).is_some_and(|entries| entries.len() >= table.entries as usize))
            && bindings.buffers.len() >= usize::from(self.function.buffers)
            && surfaces.all(|(at, layout)| {
                let view = bindings.surfaces.get(at);
                view.is_some_and(|view| SurfaceLayout::of(view.space(), view.surface(), view.bounds()) == *layout)
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
