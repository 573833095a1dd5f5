//! What a run may use of time, instructions and memory, and how its workers keep to it.
//!
//! A [`Meter`] holds the budget of one run together with what has been used of it; every worker checks it through a
//! [`Poller`] of its own, between groups and every few steps inside of one. Executors have no other rule about when a run
//! ends early: whatever they are, a run ends within milliseconds of its deadline.
//!
//! The instruction budget is exact: a run that completes executes as many instructions on every executor, with any number
//! of threads, and fails if these are more than the budget. When it is noticed, and so which groups are complete then,
//! depends on the executor, and so does whether a run that also traps reports the trap. The other limits depend on the host.

use crate::clock::Instant;
use std::fmt::{self, Debug};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use thiserror::Error;

/// Steps that making code of a program may take, unless a budget says otherwise: about two seconds of a processor's time. The longest programs of
/// compilers take a hundredth of it.
pub const DEFAULT_CODE_STEPS: u64 = 1 << 27;

/// Longest time that one group may take, unless a budget says otherwise. GPU drivers take a chip for hung after 2 to 10 s.
pub const DEFAULT_GROUP_TIME: Duration = Duration::from_secs(5);
/// Bytes that a run may allocate, unless a budget says otherwise.
pub const DEFAULT_MEMORY: u64 = 4 << 30;
/// Steps between two checks. The slowest instruction of the scalar references takes about 0.2 ms for a group of 256 lanes,
/// so that a check comes at least every 15 ms; the fastest take a thousand times less, and then a check costs 1 %.
const POLL_STEPS: u32 = 64;

/// What a run may use. The default has no deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Instructions that the run may execute, counted as [`RunStats::instructions`](crate::run::RunStats::instructions).
    pub instructions: u64,
    /// When the run ends, complete or not.
    pub deadline: Option<Instant>,
    /// Longest time that a single group may take.
    pub group_time: Option<Duration>,
    /// Bytes that executors may allocate at a time for what programs, jobs and options ask for: the lanes' registers,
    /// arrays, local and scratch memory, records between stages, captured vertices. What a job names, such as surfaces, is
    /// not counted: it is there before.
    pub memory: u64,
    /// Steps that making code of a program may take, as the passes count them. What takes more is interpreted, or run by the
    /// reference.
    pub code_steps: u64,
}

impl Default for Budget {
    fn default() -> Self {
        let Limits { instructions, run_time: _, group_time, memory } = Limits::DEFAULT;
        Budget { instructions, deadline: None, group_time, memory, code_steps: DEFAULT_CODE_STEPS }
    }
}

impl Budget {
    /// Whether so many bytes may be allocated at a time.
    ///
    /// # Errors
    /// [`Halt::Memory`].
    pub fn allows_memory(&self, bytes: u64) -> Result<(), Halt> {
        if bytes > self.memory { Err(Halt::Memory { wanted: bytes, limit: self.memory }) } else { Ok(()) }
    }
}

/// What each of several runs may use: a [`Budget`] with a time in place of the deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// As in [`Budget`].
    pub instructions: u64,
    /// Longest time of a run.
    pub run_time: Option<Duration>,
    /// As in [`Budget`].
    pub group_time: Option<Duration>,
    /// As in [`Budget`].
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Limits {
    /// Limits that end groups which do not end by themselves, and leave everything else its time.
    pub const DEFAULT: Limits =
        Limits { instructions: u64::MAX, run_time: None, group_time: Some(DEFAULT_GROUP_TIME), memory: DEFAULT_MEMORY };

    /// The budget of a run that begins now.
    pub fn start(&self) -> Budget {
        let Limits { instructions, run_time, group_time, memory } = *self;
        // A time that is beyond the clock never comes.
        let deadline = run_time.and_then(|time| Instant::now().checked_add(time));
        Budget { instructions, deadline, group_time, memory, code_steps: DEFAULT_CODE_STEPS }
    }
}

/// Who may want a run to end before it is complete.
pub trait Cancel: Debug + Send + Sync {
    /// Whether it is to end now. Every worker asks every few milliseconds; the thread that has started the run asks also while it
    /// waits for the others.
    fn is_cancelled(&self) -> bool;
}

impl Cancel for AtomicBool {
    fn is_cancelled(&self) -> bool {
        self.load(Relaxed)
    }
}

/// Why a run was ended from outside its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Halt {
    /// Who may cancel the run has.
    #[error("the run was cancelled before it was complete")]
    Cancelled,
    /// It executed more instructions than its budget has.
    #[error("the run executed more instructions than its budget has")]
    Instructions,
    /// The deadline came first.
    #[error("the run was not complete at its deadline")]
    Deadline,
    /// A group took too long.
    #[error("the group of lane ({x}, {y}) ran for more than {} s (infinite loop?)", .limit.as_secs_f64())]
    GroupTime {
        /// The longest time that a group may take.
        limit: Duration,
        /// Column of a lane of the group. Machine code may name a neighbouring group of the same row.
        x: u32,
        /// Row of that lane.
        y: u32,
    },
    /// It wants more memory than its budget has.
    #[error("the run needs {wanted} bytes of memory, and its budget has {limit}")]
    Memory {
        /// Bytes that it wants together with what it has.
        wanted: u64,
        /// Bytes that it may have.
        limit: u64,
    },
    /// Machine code accessed memory that is not the run's, and was stopped at the first such access; or it was asked for
    /// positions at which that could happen, and did not run. The program cannot be at fault: this is a bug of the engine,
    /// whose interpreter runs the program instead from now on.
    #[error("machine code was stopped at an access outside of the run's memory{}", Near(*.pc))]
    HostAccess {
        /// The guest instruction, where it is known; some engines number instructions in their own way. Code may have moved
        /// past its neighbours'.
        pc: Option<u32>,
    },
    /// The host has no such memory left.
    #[error("the host has no {bytes} bytes of memory left for the run")]
    NoMemory {
        /// Bytes of the allocation that failed.
        bytes: u64,
    },
}

/// Where something happened, if that is known.
struct Near(Option<u32>);

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.map_or(Ok(()), |pc| write!(f, ", at or near instruction {pc}"))
    }
}

/// So many default values, if the host has the memory for them.
///
/// # Errors
/// [`Halt::NoMemory`].
pub fn allocate<T: Clone + Default>(count: usize) -> Result<Vec<T>, Halt> {
    let mut values = Vec::new();
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    values.try_reserve_exact(count).map_err(|_| Halt::NoMemory { bytes })?;
    values.resize(count, T::default());
    Ok(values)
}

/// Makes sure that the host has so many bytes of memory for what comes next, which has no error for that.
///
/// # Errors
/// [`Halt::NoMemory`].
pub fn require(bytes: u64) -> Result<(), Halt> {
    let is_there = |bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
    if usize::try_from(bytes).is_ok_and(is_there) { Ok(()) } else { Err(Halt::NoMemory { bytes }) }
}

/// The budget of one run and what was used of it, for all of its workers.
#[derive(Debug)]
pub struct Meter<'a> {
    pub(crate) budget: Budget,
    pub(crate) cancel: Option<&'a dyn Cancel>,
    instructions: AtomicU64,
    memory: AtomicU64,
    /// What ended the run. Every later look says the same.
    halt: OnceLock<Halt>,
}

impl<'a> Meter<'a> {
    /// Of a run that begins, with its budget and who may cancel it.
    pub fn new(budget: Budget, cancel: Option<&'a dyn Cancel>) -> Self {
        Meter { budget, cancel, instructions: AtomicU64::new(0), memory: AtomicU64::new(0), halt: OnceLock::new() }
    }

    /// Looks whether the run goes on.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), Halt> {
        self.check_at(Instant::now(), 0)
    }

    /// Adds instructions that were executed, and looks whether the run goes on.
    ///
    /// # Errors
    /// Why not.
    pub fn charge(&self, instructions: u64) -> Result<(), Halt> {
        self.instructions.fetch_add(instructions, Relaxed);
        self.check()
    }

    /// Takes memory for the rest of the run.
    ///
    /// # Errors
    /// [`Halt::Memory`] if that is more than there is.
    pub fn reserve(&self, bytes: u64) -> Result<(), Halt> {
        let before = self.memory.fetch_add(bytes.min(u64::MAX / 2), Relaxed);
        self.budget.allows_memory(before.saturating_add(bytes)).map_err(|halt| self.raise(halt))
    }

    fn check_at(&self, now: Instant, pending: u64) -> Result<(), Halt> {
        let executed = self.instructions.load(Relaxed).saturating_add(pending);
        let halt = match self.halt.get() {
            Some(&halt) => halt,
            None if self.cancel.is_some_and(|cancel| cancel.is_cancelled()) => Halt::Cancelled,
            None if executed > self.budget.instructions => Halt::Instructions,
            None if self.budget.deadline.is_some_and(|deadline| now >= deadline) => Halt::Deadline,
            None => return Ok(()),
        };
        Err(self.raise(halt))
    }

    fn raise(&self, halt: Halt) -> Halt {
        *self.halt.get_or_init(|| halt)
    }
}

/// How one worker looks at the meter.
#[derive(Debug)]
pub struct Poller<'w> {
    meter: &'w Meter<'w>,
    /// Steps since the last look.
    steps: u32,
    /// When the group was looked at first.
    started: Option<Instant>,
}

impl<'w> Poller<'w> {
    /// For a worker of the run.
    pub fn new(meter: &'w Meter<'w>) -> Self {
        Poller { meter, steps: 0, started: None }
    }

    /// What is watched.
    pub fn meter(&self) -> &'w Meter<'w> {
        self.meter
    }

    /// A group begins.
    pub fn begin_group(&mut self) {
        self.started = None;
    }

    /// Takes note of steps of the group, and looks whether the run goes on if the last look was some time ago. `pending` are
    /// instructions that the worker has executed and not yet charged; `place` is a lane of the group.
    ///
    /// # Errors
    /// Why not.
    #[inline(always)]
    pub fn step(&mut self, steps: u32, pending: u64, place: impl FnOnce() -> (u32, u32)) -> Result<(), Halt> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps < POLL_STEPS { Ok(()) } else { self.poll(pending, place()) }
    }

    /// Looks whether the run goes on, with operands as of [`step`](Self::step).
    ///
    /// # Errors
    /// Why not.
    #[inline(never)]
    pub fn poll(&mut self, pending: u64, (x, y): (u32, u32)) -> Result<(), Halt> {
        self.steps = 0;
        let now = Instant::now();
        self.meter.check_at(now, pending)?;
        let started = *self.started.get_or_insert(now);
        match self.meter.budget.group_time {
            Some(limit) if now - started > limit => Err(self.meter.raise(Halt::GroupTime { limit, x, y })),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instruction_budget_is_exact() {
        let meter = Meter::new(Budget { instructions: 10, ..Budget::default() }, None);
        assert_eq!(meter.charge(7), Ok(()));
        let mut poller = Poller::new(&meter);
        assert_eq!(poller.poll(3, (0, 0)), Ok(()));
        assert_eq!(meter.charge(3), Ok(()));
        assert_eq!(meter.charge(1), Err(Halt::Instructions));
        assert_eq!(meter.check(), Err(Halt::Instructions), "and it stays so");
    }

    #[test]
    fn a_group_has_its_time_from_its_first_look_on() {
        let limit = Duration::from_millis(20);
        let meter = Meter::new(Budget { group_time: Some(limit), ..Budget::default() }, None);
        let mut poller = Poller::new(&meter);
        assert_eq!(poller.poll(0, (1, 2)), Ok(()));
        std::thread::sleep(2 * limit);
        poller.begin_group();
        assert_eq!(poller.poll(0, (3, 4)), Ok(()), "another group");
        std::thread::sleep(2 * limit);
        assert_eq!(poller.poll(0, (3, 4)), Err(Halt::GroupTime { limit, x: 3, y: 4 }));
    }

    #[test]
    fn polls_come_after_so_many_steps() {
        let cancel = AtomicBool::new(true);
        let meter = Meter::new(Budget::default(), Some(&cancel));
        let mut poller = Poller::new(&meter);
        assert_eq!(poller.step(POLL_STEPS - 1, 0, || (0, 0)), Ok(()));
        assert_eq!(poller.step(1, 0, || (0, 0)), Err(Halt::Cancelled));
        assert_eq!(Poller::new(&meter).step(u32::MAX, 0, || (0, 0)), Err(Halt::Cancelled));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri ends the program where the host has no memory to give")]
    fn memory_adds_up() {
        let meter = Meter::new(Budget { memory: 100, ..Budget::default() }, None);
        assert_eq!((meter.reserve(60), meter.reserve(40)), (Ok(()), Ok(())));
        assert_eq!(meter.reserve(1), Err(Halt::Memory { wanted: 101, limit: 100 }));
        assert!(
            meter.reserve(u64::MAX).is_err() && meter.reserve(u64::MAX).is_err() && meter.reserve(u64::MAX).is_err()
        );
        assert!(allocate::<u64>(usize::MAX / 16).is_err());
    }

    #[test]
    fn a_deadline_that_is_over_ends_the_run() {
        let budget = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        assert_eq!(Meter::new(budget, None).check(), Err(Halt::Deadline));
    }

    #[test]
    fn budgets_are_what_limits_say() {
        let limits = Limits { instructions: 7, run_time: None, group_time: Some(Duration::from_secs(3)), memory: 9 };
        let budget = limits.start();
        assert_eq!((budget.instructions, budget.deadline, budget.memory), (7, None, 9));
        assert_eq!(budget.group_time, Some(Duration::from_secs(3)));
        let soon =
            Limits { run_time: Some(Duration::from_secs(3600)), ..limits }.start().deadline.expect("there is one");
        assert!(soon > Instant::now());
        assert_eq!(Limits { run_time: Some(Duration::MAX), ..limits }.start().deadline, None, "it never comes");
        assert_eq!([true, false].map(|flag| AtomicBool::new(flag).is_cancelled()), [true, false]);
    }

    #[test]
    fn memory_that_no_host_has() {
        assert_eq!((require(1), require(u64::MAX / 2)), (Ok(()), Err(Halt::NoMemory { bytes: u64::MAX / 2 })));
        assert_eq!(require(u64::MAX), Err(Halt::NoMemory { bytes: u64::MAX }));
    }

    #[test]
    fn accesses_are_near_an_instruction_if_that_is_known() {
        let end = |pc| Halt::HostAccess { pc }.to_string().split("memory").nth(1).map(str::to_owned);
        assert_eq!((end(None), end(Some(7))), (Some(String::new()), Some(", at or near instruction 7".to_owned())));
    }
}
