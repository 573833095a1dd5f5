//! Machine code for x86-64, in two forms: AVX-512 with 16 lanes in a vector register, and AVX2 with 8.
//!
//! Selection turns a function into machine instructions over virtual registers, with one loop around it that goes over the
//! groups of a row; allocation assigns locations to the registers; the encoder makes bytes. Two pieces of code come out: one for
//! groups that are wholly covered and whose accesses at fixed distances stay inside their surfaces, and one for all others.
//! Between selection and allocation, two groups may be interleaved (`interleave`), masks split (`split`), and instructions
//! reordered (`order`).
//!
//! # Rules about NaNs
//!
//! Guests say what becomes of NaNs: zero times one of them may be zero, and results may have bits of their own. That costs
//! nothing here while nobody looks at a NaN (`select/speculation.rs` has the argument): the code calculates as IEEE 754 says, and
//! the processor's sticky flag for invalid operations tells afterwards whether that was enough. When the flag is up, the strip of
//! groups runs again with exact code, over what the first try has written; so this is done only where the second run
//! overwrites all of it and reads none of it.
//!
//! # Nothing is trusted
//!
//! Before code runs, `check` shows of the final instructions that no access leaves its object, and, where that is asked
//! for, of the bytes that they are these instructions. Code that it cannot show this of is made once more without anything
//! that is known of the function's values; if that does not help, the interpreter runs the function. [`Jit::check_counts`](Backend::check_counts) says how often.
//!
//! # Stops
//!
//! A group that traps, or has executed more steps than it may, leaves the code at once; steps are counted in a register,
//! which is looked at where loops go back and at the end of the group. A stop while the flag is up says nothing: exact code
//! decides. There, too, the code looks at the run's budget (`poll`), and the caller between calls, which it keeps
//! short where groups have loops.
//!
//! # Faults
//!
//! Everything that code accesses lies between guard regions ([`Pages`](ctm_memory::Pages)), at least as wide as an index of 32
//! bits reaches. Should an access escape in spite of everything, it faults there. With a handler installed (`fault`), the
//! call then ends, the run with it, and the kernel is interpreted from then on.
#![allow(unsafe_code, reason = "runs machine code that it has made, on memory that the bindings keep alive")]

mod allocate;
mod bound;
mod check;
mod context;
mod emit;
#[cfg(test)]
mod false_deoptimisations;
mod fault;
#[cfg(test)]
mod faults;
mod form;
#[cfg(any(test, debug_assertions))]
pub mod fuzz;
mod interleave;
#[cfg(test)]
mod kernels;
mod memory;
mod mir;
mod order;
#[cfg(test)]
mod passes;
mod poll;
mod select;
mod split;

#[cfg(target_os = "linux")]
pub(crate) use fault::install;

use allocate::{Allocation, allocate};
use bound::Memory;
use check::{Calls, Fault, Objects, check_accesses, check_locations};
use context::{Context, INVALID};
use ctm_engine::{Backend, Bindings, Bound, CheckCounts, Code, Incomplete, Source, SurfaceFacts};
use ctm_lane::budget::Halt;
use ctm_lane::domain::Domain;
use ctm_lane::{Buffer, Function, Op, Surface, UnitWrite};
use emit::Emitted;
use form::Form;
use memory::{Blocks, Escape, Executable};
use mir::Machine;
use poll::Monitor;
use select::{Mode, Selected, Window, select};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Groups that run before the invalid flag is looked at, at most, and the bytes of code that they run through, about.
const STRIP: u32 = 64;
const STRIP_BYTES: usize = 1 << 17;
/// Instructions, summed over lanes, of a call of code with loops, about, and between two looks at the run's budget: less than
/// 1 ms in all.
const CALL_INSTRUCTIONS: u64 = 1 << 20;
/// Bytes from the start of a buffer to where its pointer points: offsets are signed there.
const BUFFER_MIDDLE: usize = 1 << 31;
/// Strips in a hundred that may run twice before the exact code is used for all of them. It takes about twice the time.
const DEOPTIMISATION_LIMIT: u64 = 40;

/// The backend. It exists only on hosts that can run its code.
#[derive(Debug)]
pub struct Jit {
    form: Form,
    checks: Arc<Checks>,
    /// What runs of its kernels have tables and arrays in.
    blocks: Arc<Blocks>,
}

/// What is checked of code, and what was found of the code that a backend has made.
#[derive(Debug)]
struct Checks {
    /// The bytes are checked, and not only the instructions that they are made of.
    bytes: bool,
    proven: AtomicU64,
    explicit: AtomicU64,
    refused: AtomicU64,
    /// Nanoseconds that the checkers of accesses and of bytes took.
    access_time: AtomicU64,
    byte_time: AtomicU64,
}

impl Default for Checks {
    fn default() -> Self {
        let [proven, explicit, refused, access_time, byte_time] = [0; 5].map(AtomicU64::new);
        Self { bytes: cfg!(debug_assertions), proven, explicit, refused, access_time, byte_time }
    }
}

/// Adds the time that a check takes.
fn timed<T>(nanoseconds: &AtomicU64, check: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = check();
    nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    result
}

impl Jit {
    /// The backend that makes the best code that this host can run, if it can run any.
    pub fn new() -> Option<Self> {
        Form::ALL.into_iter().find_map(Self::of)
    }

    /// The backend for AVX-512 (F, CD, DQ, VL and BW), with 16 lanes, if this host has it.
    pub fn avx512() -> Option<Self> {
        Self::of(Form::Avx512)
    }

    /// The backend for AVX2 with FMA, F16C and BMI1, with 8 lanes, if this host has them.
    pub fn avx2() -> Option<Self> {
        Self::of(Form::Avx2)
    }

    /// The same, and the bytes of all code are checked too: that registers are where the checked instructions have them, on
    /// every way through the code. Builds with debug assertions always do that.
    pub fn with_checked_bytes(self) -> Self {
        Self { checks: Arc::new(Checks { bytes: true, ..Checks::default() }), ..self }
    }

    fn of(form: Form) -> Option<Self> {
        form.is_supported().then(|| Self { form, checks: Arc::default(), blocks: Arc::default() })
    }

    /// Lanes of a group.
    pub fn lanes(&self) -> u32 {
        self.form.lanes()
    }

    /// The machine code for a function as text, one instruction on a line; `None` if the backend refuses it.
    pub fn disassemble(&self, source: &Source) -> Option<String> {
        use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};
        let kernel = Kernel::new(source, self)?;
        let mut text = String::new();
        for (title, unit) in [("interior", &kernel.interior), ("general", &kernel.general)] {
            text.push_str(title);
            text.push_str(":\n");
            if let Some(fault) = &unit.fault {
                text.push_str(&format!(
                    "; explicit clamps and masks, as other code could not be shown to be safe: {fault}\n"
                ));
            }
            let mut formatter = IntelFormatter::new();
            let code = unit.code.bytes().get(unit.code.entry()..unit.end).unwrap_or_default();
            for instruction in Decoder::with_ip(64, code, unit.code.entry() as u64, DecoderOptions::NONE) {
                text.push_str(&format!("{:8x}  ", instruction.ip()));
                formatter.format(&instruction, &mut text);
                text.push('\n');
            }
        }
        Some(text)
    }
}

impl Backend for Jit {
    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn compile(&self, source: &Source) -> Option<Box<dyn Code>> {
        Kernel::new(source, self).map(|kernel| Box::new(kernel) as Box<dyn Code>)
    }

    fn check_counts(&self) -> CheckCounts {
        let Checks { bytes: _, proven, explicit, refused, access_time, byte_time } = &*self.checks;
        let [proven, explicit, refused] = [proven, explicit, refused].map(|count| count.load(Relaxed));
        let [access_time, byte_time] = [access_time, byte_time].map(|time| Duration::from_nanos(time.load(Relaxed)));
        CheckCounts { proven, explicit, refused, access_time, byte_time }
    }
}

/// A piece of machine code.
struct Unit {
    code: Executable,
    end: usize,
    window: Window,
    /// What it may be called for.
    entry: Calls,
    /// The invalid flag says whether results may be wrong.
    speculates: bool,
    /// Groups that the code takes at a time.
    groups: u32,
    /// Groups that run before it is looked at: what was wrong with one of them runs again for all of them.
    strip: u32,
    /// A group may take long.
    has_loops: bool,
    /// What could not be shown of code that relies on what is known of values, if this code does not.
    fault: Option<Fault>,
}

/// Machine instructions that may become a piece of code.
struct Draft {
    allocated: Allocated,
    window: Window,
    speculates: bool,
    groups: u32,
    objects: Objects,
}

impl Draft {
    /// Instructions that take so many groups at a time, at most: one or two.
    fn new(function: &Function, facts: &[SurfaceFacts], form: Form, (mode, at_once): (Mode, u32)) -> Option<Self> {
        let Selected { machine, window, speculates } = select(function, facts, form, mode)?;
        // The entries of arrays have room for one group.
        let can_interleave = at_once == 2 && function.arrays.is_empty();
        let both = if can_interleave { interleave::interleaved(&machine, form) } else { None };
        let mut allocated = Allocated::new(machine, form);
        let mut groups = 1;
        if let Some(both) = both.map(|both| Allocated::new(both, form))
            && both.allocation.visits - 2.0 * allocated.allocation.visits < both.allocation.executed / 2.0
        {
            (allocated, groups) = (both, 2);
        }
        let (columns, rows) = if mode.quads { (form.lanes() / 2, 2) } else { (form.lanes(), 1) };
        let entry = Calls::new(window.x, window.y, (columns * groups, rows));
        let objects = Objects::new(function, facts, form, entry);
        Some(Self { allocated, window, speculates, groups, objects })
    }

    /// The code, once it is shown that no access leaves its object; `None` if it cannot be encoded, or the host refuses it.
    fn checked(&self, form: Form, checks: &Checks) -> Option<Result<Unit, Fault>> {
        let Self { allocated: Allocated { machine, allocation }, objects, .. } = self;
        let inside = timed(&checks.access_time, || check_accesses(machine, &allocation.live, form, objects));
        if let Err(fault) = inside {
            return Some(Err(fault));
        }
        let emitted = emit::emit(machine, allocation, form).ok()?;
        if checks.bytes
            && let Err(fault) = timed(&checks.byte_time, || check_locations(machine, allocation, form, &emitted))
        {
            return Some(Err(fault));
        }
        self.unit(emitted).map(Ok)
    }

    /// The code, if it is known to be these instructions, and that they are safe; `None` if the host refuses it.
    fn unit(&self, emitted: Emitted) -> Option<Unit> {
        let &Self { allocated: Allocated { ref machine, .. }, window, speculates, groups, ref objects } = self;
        let code = Executable::new(emitted)?;
        let end = code.bytes().len();
        let strip = (STRIP_BYTES / (end - code.entry()).max(1)).clamp(1, STRIP as usize) as u32;
        let (entry, strip) = (objects.entry, strip * groups);
        let has_loops = machine.blocks.iter().any(|block| block.depth > 1);
        Some(Unit { code, end, window, entry, speculates, groups, strip, has_loops, fault: None })
    }
}

impl Unit {
    /// Code that takes so many groups at a time, at most: one or two.
    fn new(
        function: &Function,
        facts: &[SurfaceFacts],
        form: Form,
        (mode, at_once): (Mode, u32),
        checks: &Checks,
    ) -> Option<Self> {
        let made = |mode| Draft::new(function, facts, form, (mode, at_once))?.checked(form, checks);
        let (unit, count) = match made(mode)? {
            Ok(unit) => (Some(unit), &checks.proven),
            Err(fault) => match made(Mode { explicit: true, ..mode }) {
                Some(Ok(unit)) => (Some(Self { fault: Some(fault), ..unit }), &checks.explicit),
                Some(Err(_)) | None => (None, &checks.refused),
            },
        };
        count.fetch_add(1, Relaxed);
        unit
    }

    /// Whether it may be called for all that the other one may be called for.
    fn covers(&self, other: &Self) -> bool {
        let has = |own: (i64, i64), other: (i64, i64)| own.0 <= other.0 && other.1 <= own.1;
        has(self.window.x, other.window.x) && has(self.window.y, other.window.y)
    }
}

/// A function whose registers have locations.
struct Allocated {
    machine: Machine,
    allocation: Allocation,
}

impl Allocated {
    /// In an order in which the function does well with the registers that there are.
    fn new(mut machine: Machine, form: Form) -> Self {
        split::split_masks(&mut machine, form);
        let registers = form.registers(machine.counts_steps);
        let allocation = allocate(&machine, &registers);
        if allocation.has_register_pressure() {
            let ordered = order::ordered(&machine);
            let other = allocate(&ordered, &registers);
            if other.visits * 3.0 < allocation.visits * 2.0 {
                return Self { machine: ordered, allocation: other };
            }
        }
        Self { machine, allocation }
    }
}

/// Code for one function.
struct Kernel {
    form: Form,
    /// For covered groups in the window.
    interior: Unit,
    /// For all others.
    general: Unit,
    /// The interior without speculation on NaNs, made when that fails too often.
    exact: OnceLock<Option<Unit>>,
    function: Function,
    facts: Vec<SurfaceFacts>,
    quads: bool,
    may_stop: bool,
    checks: Arc<Checks>,
    /// What is read, and what is written.
    reads: Vec<Named>,
    writes: Vec<Named>,
    /// Strips that ran with speculation on NaNs, and those that ran again.
    speculated: AtomicU32,
    deoptimised: AtomicU32,
    blocks: Arc<Blocks>,
    /// The code was stopped when it accessed a guard region, and must not run again.
    escaped: AtomicBool,
    #[cfg(test)]
    skew: faults::Skew,
}

/// All operations of a function.
fn operations(function: &Function) -> impl Iterator<Item = (ctm_lane::Inst, &Op)> {
    function.blocks().flat_map(move |block| function.insts(block).iter().map(move |&inst| (inst, function.op(inst))))
}

/// What operations read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Surface(Surface),
    Buffer(Buffer),
}

fn read_by(op: &Op) -> Option<Named> {
    match *op {
        Op::SurfaceLoad { surface } | Op::SurfaceLoad2x2 { surface } => Some(Named::Surface(surface)),
        Op::SurfaceTest { surface, test, .. } if test.reads() => Some(Named::Surface(surface)),
        Op::BufferLoad { buffer } => Some(Named::Buffer(buffer)),
        _ => None,
    }
}

fn written_by(op: &Op) -> Option<Named> {
    match *op {
        Op::SurfaceStore { surface, .. } | Op::SurfaceTest { surface, write: UnitWrite::Yes, .. } => {
            Some(Named::Surface(surface))
        }
        Op::BufferStore { buffer } => Some(Named::Buffer(buffer)),
        _ => None,
    }
}

impl Kernel {
    fn new(source: &Source, jit: &Jit) -> Option<Self> {
        // Both pieces of code get the same context.
        let declared = |function: &Function| {
            let tables: Vec<u32> = function.tables.iter().map(|table| table.entries).collect();
            let arrays: Vec<u32> = function.arrays.iter().map(|array| array.entries).collect();
            (tables, arrays, function.buffers)
        };
        if declared(source.function) != declared(source.interior) {
            return None;
        }
        let (form, checks) = (jit.form, &jit.checks);
        let may_stop = source.may_stop;
        let quads = operations(source.function).any(|(_, op)| matches!(op, Op::Quad { .. }));
        let named = |by: fn(&Op) -> Option<Named>| -> Vec<Named> {
            operations(source.function).filter_map(|(_, op)| by(op)).collect()
        };
        let (reads, writes) = (named(read_by), named(written_by));
        // What a group has written, it would read when it runs again.
        let speculates = !reads.iter().any(|read| writes.contains(read));
        let mode = Mode { quads, interior: true, speculates, may_stop, explicit: false };
        let interior = Unit::new(source.interior, source.surfaces, form, (mode, 2), checks)?;
        let mode = Mode { interior: false, speculates: false, ..mode };
        let general = Unit::new(source.function, source.surfaces, form, (mode, 1), checks)?;
        Some(Self {
            form,
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
            skew: faults::Skew::default(),
        })
    }

    fn exact(&self) -> &Unit {
        let exact = self.exact.get_or_init(|| {
            let Self { quads, may_stop, .. } = *self;
            let mode = Mode { quads, interior: true, speculates: false, may_stop, explicit: false };
            let mode = (mode, self.interior.groups);
            Unit::new(&self.function, &self.facts, self.form, mode, &self.checks)
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
                view.is_some_and(|view| SurfaceFacts::of(bindings.space, view.surface(), view.bounds()) == *facts)
            })
    }

    /// Whether something that is written shares memory with anything that is read.
    fn overlaps(&self, bindings: &Bindings) -> bool {
        let span = |&named: &Named| match named {
            Named::Surface(surface) => {
                let start = bindings.base(surface).addr();
                let surface = bindings.surfaces[surface.index()].surface();
                let height = if surface.height == 0 { 4096 } else { surface.height };
                let bytes = ctm_memory::Surface { height, ..*surface }.bytes();
                (start, start + bytes as usize)
            }
            Named::Buffer(buffer) => {
                let buffer = &bindings.buffers[buffer.index()];
                let start = buffer.as_ptr().addr();
                (start, start + buffer.length() as usize)
            }
        };
        let read: Vec<(usize, usize)> = self.reads.iter().map(span).collect();
        self.writes.iter().map(span).any(|(start, end)| read.iter().any(|other| other.0 < end && start < other.1))
    }
}

/// A call's context on its way along the rows.
struct Run<'a, 'w> {
    kernel: &'a Kernel,
    /// The addresses that belong to the run.
    reserved: &'a [Range<usize>],
    context: Context,
    monitor: Monitor<'a, 'w>,
    /// Groups that a call of code with loops may have.
    reach: u32,
    /// Instructions at the last look at the budget.
    looked: u64,
    /// No speculation on NaNs: strips cannot run again.
    exact: bool,
    /// Strips with speculation, and those of them that ran again, of earlier runs and this one.
    speculated: u32,
    deoptimised: u32,
}

impl Run<'_, '_> {
    /// Runs the groups that start at `x`, and before `end`, of a row.
    fn call(&mut self, unit: &Unit, x: u32, end: u32) {
        if !unit.entry.allows((x, end), self.context.y) {
            self.kernel.escaped.store(true, Relaxed);
            self.monitor.halt = Some(Halt::HostAccess { pc: None });
            return;
        }
        self.context.x = x;
        self.context.x_end = end;
        self.monitor.speculates = unit.speculates;
        self.context.monitor = (&raw mut self.monitor).cast();
        // SAFETY: the context has what `check::Objects` says of it: pointers to the run's surfaces, which are whole (so that
        // all their elements lie in an arena that the bindings borrow), to tables with as many entries as the function
        // declares, to buffers with their lengths, to arrays with room for all entries, and to the monitor, which nothing
        // here uses before the call ends. For these, and for the positions that the entry allows, the checker has shown
        // that no access of the code leaves its object.
        let called = unsafe { unit.code.call(&mut self.context, self.reserved) };
        if let Err(Escape { pc }) = called {
            self.kernel.escaped.store(true, Relaxed);
            self.monitor.halt = Some(Halt::HostAccess { pc });
        }
    }

    fn strip(&mut self, x: u32, end: u32) {
        let kernel = self.kernel;
        if !kernel.interior.speculates {
            return self.call(&kernel.interior, x, end);
        }
        let too_often = u64::from(self.deoptimised) * 100 > u64::from(self.speculated) * DEOPTIMISATION_LIMIT;
        if self.exact || self.deoptimised > 8 && too_often {
            return self.call(kernel.exact(), x, end);
        }
        let before = self.context.instructions;
        self.call(&kernel.interior, x, end);
        self.speculated = self.speculated.saturating_add(1);
        if self.context.flags & INVALID != 0 && self.monitor.halt.is_none() {
            self.deoptimised = self.deoptimised.saturating_add(1);
            self.context.instructions = before;
            self.context.stopped = 0;
            self.call(kernel.exact(), x, end);
        }
    }

    /// Runs groups, at most so many at a time, and not for long without a look at the run's budget.
    fn groups(
        &mut self,
        (unit, most): (&Unit, u32),
        groups: Range<u32>,
        at: impl Fn(u32) -> u32,
        call: impl Fn(&mut Self, u32, u32),
    ) -> Result<(), Incomplete> {
        let mut group = groups.start;
        while group < groups.end {
            let reach = if unit.has_loops { self.reach.next_multiple_of(unit.groups) } else { u32::MAX };
            let count = reach.min(most).min(groups.end - group);
            let before = self.context.instructions;
            call(self, at(group), at(group + count));
            if let Some(halt) = self.monitor.halt {
                return Err(halt.into());
            }
            if self.context.stopped != 0 {
                return Err(Incomplete::Stopped);
            }
            let executed = self.context.instructions - before;
            let fitting = CALL_INSTRUCTIONS / (executed / u64::from(count)).max(1);
            self.reach = fitting.clamp(1, u64::from(self.reach) * 2) as u32;
            if self.context.instructions - self.looked > CALL_INSTRUCTIONS {
                self.looked = self.context.instructions;
                self.monitor.poller.begin_group();
                self.monitor.poller.look(self.looked, (self.context.x, self.context.y))?;
            }
            group += count;
        }
        Ok(())
    }

    fn row(&mut self, rectangle: Domain, y: u32) -> Result<(), Incomplete> {
        let lanes = self.kernel.form.lanes();
        let (width, height) = if self.kernel.quads { (lanes / 2, 2) } else { (lanes, 1) };
        let start = if self.kernel.quads { rectangle.i0 & !1 } else { rectangle.i0 };
        self.context.y = y;
        let groups = i64::from((rectangle.i1 - start) / width + 1);
        let Window { x: across, y: down } = self.kernel.interior.window;
        // Groups, counted from the first, that lie wholly in the rectangle and in the window.
        let (low, high) = (across.0.max(rectangle.i0.into()), across.1.min(rectangle.i1.into()));
        let whole_row = y >= rectangle.j0
            && y + (height - 1) <= rectangle.j1
            && i64::from(y) >= down.0
            && i64::from(y) + i64::from(height) - 1 <= down.1;
        let (width_wide, start_wide) = (i64::from(width), i64::from(start));
        let first = (low - start_wide + width_wide - 1).div_euclid(width_wide).clamp(0, groups);
        let last = (high + 1 - start_wide).div_euclid(width_wide).clamp(0, groups);
        let (first, last) = if whole_row && first < last { (first as u32, last as u32) } else { (0, 0) };
        let last = last - (last - first) % self.kernel.interior.groups;
        let at = |group: u32| start + group * width;
        let kernel = self.kernel;
        let general = |run: &mut Self, x, end| run.call(&kernel.general, x, end);
        self.groups((&kernel.general, u32::MAX), 0..first, at, general)?;
        self.groups((&kernel.interior, kernel.interior.strip), first..last, at, Self::strip)?;
        self.groups((&kernel.general, u32::MAX), last..groups as u32, at, general)
    }
}

impl Code for Kernel {
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
