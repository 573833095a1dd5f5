//! Launches: running a kernel for some lanes.

use crate::backend::{Bindings, Code, Incomplete};
use crate::interp::{Group, Program};
use crate::kernel::{Grouping, Kernel};
use crate::schedule::{Partition, Schedule};
use crate::stop::Stop;
use crate::tiles::{TILE_ROWS, positions, tiles};
use ctm_follow::InstructionPlace;
use ctm_lane::budget::Poller;
use ctm_lane::domain::{Domain, Lanes, Layout, QUAD};
use ctm_lane::run::{MAX_GROUP_WIDTH, RunOptions, RunStats};
use std::ops::Range;

/// Lanes of the interpreter's groups where it is free to choose.
const INDEPENDENT_WIDTH: usize = 128;

/// Rows that machine code may take at a time.
const CODE_ROWS: u32 = 4;

/// Bytes that machine code has for an entry of an array, at most: a vector.
const VECTOR_BYTES: u64 = 64;

/// One start of a kernel.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Where it runs.
    pub lanes: Lanes,
    /// What the names in its function stand for.
    pub bindings: Bindings<'a>,
    /// Most steps that a group takes in this launch, if the guest knows.
    pub max_steps: Option<u64>,
}

/// What runs the groups of a launch.
enum GroupRunner<'a> {
    Machine(&'a dyn Code),
    Interpreter(Program<'a>),
}

impl Kernel {
    /// Runs the kernel. Memory and results are the same for every thread count and backend, and of group-independent kernels for
    /// every group width; which trap is reported, and whether the step limit is reached, is decided by groups of the width that
    /// the grouping or the options name.
    ///
    /// # Errors
    /// The stop of the lowest group that stopped.
    pub fn run(&self, launch: &Launch, options: &RunOptions) -> Result<RunStats, Stop> {
        let width = self.width(options);
        let is_safe = self.is_safe(launch.max_steps, options);
        // Four lanes of a line are not square.
        let may_cut = !(self.uses_quads && matches!(launch.lanes, Lanes::Line(_)));
        if self.grouping == Grouping::Independent && may_cut && (is_safe || self.repeatable) {
            // A group takes at most as many steps as its lanes alone do together.
            let step_limit = if is_safe { u64::MAX } else { options.step_limit / width as u64 };
            match self.run_independent(launch, options, width, step_limit) {
                Err(Stop::Trap { .. } | Stop::StepLimit { .. }) => {}
                result => return result,
            }
        }
        self.run_groups(launch, options, width, &InstructionPlace::from)
    }

    /// Runs the kernel by the interpreter, in groups of the width that the grouping or the options name, for the counts that the
    /// options ask for. `place` says where the guest instruction with a number stands.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_counted(
        &self,
        launch: &Launch,
        options: &RunOptions,
        place: &(dyn Fn(u32) -> InstructionPlace + Sync),
    ) -> Result<RunStats, Stop> {
        self.run_groups(launch, options, self.width(options), place)
    }

    /// The width of groups.
    fn width(&self, options: &RunOptions) -> usize {
        let width = match self.grouping {
            Grouping::Independent | Grouping::Once | Grouping::LockstepOfRun => {
                options.group_width.clamp(1, MAX_GROUP_WIDTH)
            }
            Grouping::Lockstep(width) => width,
        };
        if self.uses_quads { width.next_multiple_of(QUAD) } else { width }
    }

    /// The best machine code for a launch.
    fn machine_for(&self, launch: &Launch, options: &RunOptions) -> Option<&dyn Code> {
        let machine = self.machine()?;
        let variants = self.variants.as_ref();
        let variant = variants.and_then(|all| all.code(&launch.bindings, launch.lanes.count(), &options.effort()));
        Some(variant.unwrap_or(machine))
    }

    /// Most steps that a group takes in the launch, if that is known.
    fn most_steps(&self, max_steps: Option<u64>) -> Option<u64> {
        [max_steps, self.longest].into_iter().flatten().min()
    }

    /// Whether no group traps or reaches the step limit. `max_steps` are the most that one takes, if the guest knows.
    pub fn is_safe(&self, max_steps: Option<u64>, options: &RunOptions) -> bool {
        !self.may_trap && self.most_steps(max_steps).is_some_and(|steps| steps <= options.step_limit)
    }

    /// Runs lanes in groups of any kind, each for `step_limit` steps at most. A stop other than a halt says no more than that
    /// there is one.
    ///
    /// # Errors
    /// That a group stopped, or how the run was halted.
    pub fn run_independent(
        &self,
        launch: &Launch,
        options: &RunOptions,
        width: usize,
        step_limit: u64,
    ) -> Result<RunStats, Stop> {
        let count = launch.lanes.count();
        if count == 0 {
            return Ok(RunStats::default());
        }
        let threads = self.workers.threads(options.threads, count.div_ceil(INDEPENDENT_WIDTH as u64));
        let schedule = Schedule::<Stop>::new(options, count);
        // Code that cannot stop is for groups that need not.
        let is_short = self.most_steps(launch.max_steps).is_some_and(|steps| steps <= step_limit);
        let code = || self.interpretation.code(&options.effort());
        let way = match self.machine_for(launch, options).filter(|_| self.may_stop || is_short) {
            Some(machine) => GroupRunner::Machine(machine),
            None => GroupRunner::Interpreter(Program::new(code(), &launch.bindings)),
        };
        let is_tiled = matches!(way, GroupRunner::Interpreter(_)) && code().has_loops;
        let (bytes, columns) = match &way {
            GroupRunner::Machine(machine) => (self.array_entries * VECTOR_BYTES, machine.columns()),
            GroupRunner::Interpreter(program) => (Group::bytes(program, INDEPENDENT_WIDTH), u32::MAX),
        };
        let pieces = Partition::new(launch.lanes, threads, if is_tiled { TILE_ROWS } else { CODE_ROWS }, columns);
        schedule.meter.reserve(bytes.saturating_mul(threads as u64))?;
        let stats = schedule.work(&self.workers, threads, (pieces.count(), pieces.lanes()), || {
            let (mut group, mut bound) = (None, None);
            let (way, pieces, meter) = (&way, &pieces, &schedule.meter);
            let mut poller = Poller::new(meter);
            let mut run = move |rectangle: Domain, stats: &mut RunStats| -> Result<(), Stop> {
                stats.lanes += rectangle.lanes();
                let program = match way {
                    GroupRunner::Interpreter(program) => program,
                    GroupRunner::Machine(machine) => {
                        let stop = |incomplete| match incomplete {
                            Incomplete::Stopped => Stop::StepLimit { pc: 0, x: rectangle.i0, y: rectangle.j0 },
                            Incomplete::Halted(halt) => halt.into(),
                        };
                        let bound = match &mut bound {
                            Some(bound) => bound,
                            none => none.insert(machine.bind(&launch.bindings).map_err(stop)?),
                        };
                        let outcome = bound.run(rectangle, step_limit, &mut poller).map_err(stop)?;
                        stats.instructions += outcome.instructions;
                        return Ok(());
                    }
                };
                let group = match &mut group {
                    Some(group) => group,
                    none => none.insert(Group::new(program, INDEPENDENT_WIDTH, step_limit, meter)?),
                };
                group.instructions = 0;
                if is_tiled && let Some(tiles) = tiles(rectangle, INDEPENDENT_WIDTH) {
                    for tile in tiles {
                        group.set_positions(positions(tile), |i, j| rectangle.contains(i, j));
                        group.run()?;
                    }
                } else if self.uses_quads {
                    let layout = Layout::new(rectangle, INDEPENDENT_WIDTH);
                    for number in 0..layout.groups() {
                        group.set_positions(layout.positions(number), |i, j| rectangle.contains(i, j));
                        group.run()?;
                    }
                } else {
                    for first in (0..rectangle.lanes()).step_by(INDEPENDENT_WIDTH) {
                        group.set_rows(rectangle, first);
                        group.run()?;
                    }
                }
                stats.instructions += group.instructions;
                Ok(())
            };
            move |band: Range<u64>, stats: &mut RunStats| {
                let before = stats.lanes;
                pieces.rectangles(band).try_for_each(|rectangle| run(rectangle, stats))?;
                Ok(stats.lanes - before)
            }
        })?;
        let groups = Layout::new(launch.lanes, width).occupied_groups();
        Ok(RunStats { groups, out_of_range: launch.bindings.out_of_range(), ..stats })
    }

    /// Runs groups of `width` lanes, each one as a whole.
    fn run_groups(
        &self,
        launch: &Launch,
        options: &RunOptions,
        width: usize,
        place: &(dyn Fn(u32) -> InstructionPlace + Sync),
    ) -> Result<RunStats, Stop> {
        let layout = Layout::new(launch.lanes, width);
        let program = Program::new(self.interpretation.code(&options.effort()), &launch.bindings);
        let threads = self.workers.threads(options.threads, layout.groups());
        let schedule = Schedule::<Stop>::new(options, launch.lanes.count());
        schedule.meter.reserve(Group::bytes(&program, width) * threads as u64)?;
        let stats = schedule.work(&self.workers, threads, (layout.groups(), width as u64), || {
            let mut group = None;
            let (program, schedule, layout) = (&program, &schedule, &layout);
            move |numbers: Range<u64>, stats: &mut RunStats| {
                let group = match &mut group {
                    Some(group) => group,
                    none => {
                        let group = Group::new(program, width, options.step_limit, &schedule.meter)?;
                        none.insert(group.with_counts(options.counts, place))
                    }
                };
                let before = stats.lanes;
                for number in numbers {
                    let covered = group.set_positions(layout.positions(number), |i, j| launch.lanes.contains(i, j));
                    if covered != 0 {
                        group.run()?;
                        stats.lanes += covered;
                        stats.groups += 1;
                    }
                }
                stats.instructions += std::mem::take(&mut group.instructions);
                Ok(stats.lanes - before)
            }
        })?;
        Ok(RunStats { out_of_range: launch.bindings.out_of_range(), ..stats })
    }
}
