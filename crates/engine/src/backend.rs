//! Where machine code plugs in: what a backend is given, and what it gives.
//!
//! A [`Backend`] turns a function into [`Code`] once per kernel; the code then runs rectangles of the domain, from
//! any thread, with the [`Bindings`] of each run. How it forms groups inside a rectangle is its own affair: rows of W lanes,
//! or, where quads matter, two rows of W/2. That is sound because a backend is handed only functions whose lanes do not
//! depend on the composition of groups ([`Grouping::Independent`](crate::Grouping::Independent)). Where a group traps or executes
//! too many steps, the code only says so: the interpreter runs the launch again, in the groups that the run's options name. What ends
//! the run from outside ends it for good.

use ctm_lane::Function;
use ctm_lane::budget::{Halt, Poller};
use ctm_lane::domain::Domain;
use ctm_lane::effort::{CutShort, Effort};
use ctm_memory::{Bounds, Buffer, Space, Surface, View};
use std::time::Duration;
use thiserror::Error;

/// What is known of a surface when a kernel is made: everything but where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfaceLayout {
    /// The surface, its base 0.
    pub surface: Surface,
    /// What becomes of accesses outside.
    pub bounds: Bounds,
    /// Every element that the bounds let through lies in one arena.
    pub whole: bool,
    /// The first element begins at a multiple of [`LINE`] bytes, in the host's memory too.
    pub aligned: bool,
}

/// Bytes of a line of the host's caches, which arenas are aligned to.
pub const LINE: u32 = 64;

impl SurfaceLayout {
    /// The layout of a surface that a run binds.
    pub fn of(space: &Space, surface: &Surface, bounds: Bounds) -> Self {
        let bytes = reached(surface, bounds);
        let granule = Surface::pitch_granule(surface.tiling, surface.format);
        let whole = surface.pitch != 0
            && surface.pitch <= 4096
            && surface.height <= 4096
            && surface.pitch.is_multiple_of(granule)
            && u32::try_from(bytes).is_ok_and(|bytes| space.arena_of(surface.base, bytes).is_some());
        let aligned = surface.layout().address(0, 0).is_multiple_of(LINE);
        Self { surface: Surface { base: 0, ..*surface }, bounds, whole, aligned }
    }

    /// Bytes from the first element to the end of the last one that the bounds let through.
    pub fn bytes(&self) -> u64 {
        reached(&self.surface, self.bounds)
    }
}

/// Bytes of the rows that the bounds let through.
fn reached(surface: &Surface, bounds: Bounds) -> u64 {
    match (bounds, surface.height) {
        // Without a bound, rows go up to the last coordinate.
        (Bounds::Drop, 0) => Surface { height: 4096, ..*surface }.bytes(),
        (Bounds::Drop, _) => surface.bytes(),
        (Bounds::Clamp, _) => Surface { height: surface.height.max(1), ..*surface }.bytes(),
    }
}

/// What a backend compiles.
#[derive(Clone, Copy, Debug)]
pub struct KernelSource<'a> {
    /// The function: verified, and simplified once at least.
    pub function: &'a Function,
    /// The same for groups all of whose lanes are covered, simplified.
    pub interior: &'a Function,
    /// The surfaces, as the function numbers them; all of them are whole.
    pub surfaces: &'a [SurfaceLayout],
    /// Groups may trap, or execute more steps than a run's limit, or so many that the code has to look at the run's budget
    /// inside of a group. Otherwise nobody needs to look.
    pub may_stop: bool,
}

/// What a run binds to the names in a function.
#[derive(Debug)]
pub struct Bindings<'a> {
    /// The surfaces, as the function numbers them.
    pub surfaces: Vec<View<'a>>,
    /// The tables, each with as many entries as the function declares.
    pub tables: Vec<Vec<u32>>,
    /// The buffers, as the function numbers them.
    pub buffers: Vec<Buffer<'a>>,
}

impl Bindings<'_> {
    /// Host address of element (0, 0) of a surface that is whole; its other elements lie at the offsets that its layout
    /// with base 0 gives. Null if the surface is not mapped.
    pub fn base(&self, surface: ctm_lane::Surface) -> *mut u8 {
        let view = &self.surfaces[surface.index()];
        let base = view.surface().layout().address(0, 0);
        match view.space().arena_of(base, 1) {
            Some(arena) => arena.as_ptr().wrapping_add((base - arena.base()) as usize),
            None => std::ptr::null_mut(),
        }
    }

    /// True if some access left the mapped memory.
    pub fn out_of_range(&self) -> bool {
        self.surfaces.iter().any(View::out_of_range)
    }
}

/// What running a rectangle did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RectangleOutcome {
    /// Instructions executed, summed over the lanes that took part in each.
    pub instructions: u64,
}

/// Why a rectangle is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// The source may stop, and a group trapped or executed too many steps; or code that some group needs could not be made.
    Stopped,
    /// The run was ended from outside.
    Halted(Halt),
}

impl From<Halt> for Incomplete {
    fn from(halt: Halt) -> Self {
        Incomplete::Halted(halt)
    }
}

/// Code for one kernel.
pub trait Code: Send + Sync {
    /// The code with what a run binds, for one of the run's threads. The bindings always have the layouts that the code was
    /// compiled for.
    ///
    /// # Errors
    /// If the host has no memory for what the thread needs.
    fn bind<'a>(&'a self, bindings: &'a Bindings) -> Result<Box<dyn BoundCode + 'a>, Incomplete>;

    /// Columns whose rows run before the next ones do, best: what loops read of so many columns, the host's caches hold. Rectangles best begin and
    /// end at multiples of that.
    fn columns(&self) -> u32;

    /// Whether the code may run: no run of it has ended with [`Halt::HostAccess`], and none has stopped for want of code that could
    /// not be made.
    fn is_sound(&self) -> bool;

    /// Makes now what would be made when a run first needs it, and says whether that was possible: for who looks at all code.
    fn complete(&self) -> bool;

    /// Bytes of memory that it takes, about.
    fn bytes(&self) -> usize;
}

/// Code for one kernel, in one run, in one thread.
pub trait BoundCode {
    /// Runs every position of the rectangle (bounds inclusive, not empty). Where quads matter, positions next to it that
    /// complete a quad are computed as lanes that are not covered.
    ///
    /// Groups may execute `step_limit` steps; the poller says whether the run goes on.
    ///
    /// # Errors
    /// Why not all groups are complete. What the rectangle's other groups did then is open.
    fn run(&mut self, rectangle: Domain, step_limit: u64, poller: &mut Poller) -> Result<RectangleOutcome, Incomplete>;
}

/// How much code a backend has made, by what it could show of its memory accesses, how long that took, and how the code did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeCounts {
    /// Pieces of code that were shown to stay inside their memory as they were made first.
    pub proven: u64,
    /// Those that were made a second time, with a clamp or mask for every access, and shown to be safe then.
    pub explicit: u64,
    /// Those that could not be shown to be safe. The interpreter runs their functions.
    pub refused: u64,
    /// Those that take several groups at a time.
    pub interleaved: u64,
    /// Those that speculate on NaNs having no bits of their own.
    pub speculating: u64,
    /// Calls of these that met such a NaN, and were made again with exact code.
    pub deoptimised: u64,
    /// The time that it took to show that accesses stay inside their memory.
    pub access_time: Duration,
    /// The time that it took to compare the bytes of code with its instructions; 0 where that is not asked for.
    pub byte_time: Duration,
    /// Programs and pieces of code that were not made, or not wholly, as making them took too long or too much memory: the interpreter or the reference
    /// runs what is missing.
    pub cut_short: u64,
    /// Why code was not made, or not wholly, the last time.
    pub last_refusal: Option<Refusal>,
    /// What could not be shown of the last piece of code that was made a second time or refused, and where in it, for people.
    pub fault: Option<String>,
}

/// Why there is no code of a function, or of some part of it: the interpreter or the reference runs what is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The effort was over first.
    #[error("making it takes {0}")]
    CutShort(#[from] CutShort),
    /// The function has something that the backend cannot do.
    #[error("it has something that this machine code cannot do")]
    Unsupported,
    /// More values live at a time than code may keep in memory.
    #[error("the values that it keeps outside of registers take {bytes} bytes, more than {limit}")]
    Frame {
        /// Bytes that they take.
        bytes: u64,
        /// Bytes that they may take.
        limit: u64,
    },
    /// What keeps accesses inside their memory was not found, not even with a clamp or mask for every one of them.
    #[error("its accesses could not be shown to stay inside their memory")]
    Unproven,
    /// The host has no memory for code.
    #[error("the system has no memory for code")]
    NoMemory,
}

/// Makes code.
pub trait Backend: Send + Sync {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// Code for a function. Bits of results, memory and counts are those of the IR's operations.
    ///
    /// # Errors
    /// Why there is none, so that the interpreter has to run the function.
    fn compile(&self, source: &KernelSource, effort: &Effort) -> Result<Box<dyn Code>, Refusal>;

    /// Counts of all code so far; zeros if the backend does not count.
    fn code_counts(&self) -> CodeCounts {
        CodeCounts::default()
    }
}
