//! A run's way along the rows of a rectangle: which piece of code is called for which groups, and what is done when it stops.
#![allow(unsafe_code, reason = "calls machine code that was made here, on memory that the bindings keep alive")]

use crate::check::Decoding;
use crate::code_piece::CodePiece;
use crate::context::Context;
use crate::kernel::Kernel;
use crate::memory::Escape;
use crate::poll::Monitor;
use crate::select::Window;
use crate::speculation_retry::Attempts;
use ctm_engine::Incomplete;
use ctm_lane::budget::Halt;
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Instructions, summed over lanes, of a call of code with loops, about, and between two looks at the run's budget: less than
/// 1 ms in all.
const CALL_INSTRUCTIONS: u64 = 1 << 20;

/// A call's context on its way along the rows.
pub(crate) struct Run<'a, 'w, T> {
    pub kernel: &'a Kernel<T>,
    /// The addresses that belong to the run.
    pub reserved: &'a [Range<usize>],
    pub context: Context,
    pub monitor: Monitor<'a, 'w>,
    /// Groups that a call of code with loops may have.
    pub reach: u32,
    /// Instructions at the last look at the budget.
    pub polled: u64,
    /// No speculation on NaNs: strips cannot run again.
    pub exact: bool,
    /// What became of strips with speculation, of earlier runs and this one.
    pub attempts: Attempts,
}

impl<T: Decoding> Run<'_, '_, T> {
    /// Runs the groups that start at `x`, and before `end`, of so many rows, which code takes some at a time.
    fn call_rows(&mut self, piece: &CodePiece, (x, end): (u32, u32), rows: u32) {
        let first = self.context.y;
        for y in (first..first + rows).step_by((self.kernel.height() * piece.groups.rows) as usize) {
            self.context.y = y;
            self.call(piece, x, end);
            if self.monitor.halt.is_some() || self.context.stopped != 0 {
                break;
            }
        }
        self.context.y = first;
    }

    /// Runs the groups that start at `x`, and before `end`, of as many rows as the code takes.
    fn call(&mut self, piece: &CodePiece, x: u32, end: u32) {
        if !piece.entry.allows((x, end), self.context.y) {
            self.kernel.escaped.store(true, Relaxed);
            self.monitor.halt = Some(Halt::HostAccess { pc: None });
            return;
        }
        self.context.x = x;
        self.context.x_end = end;
        self.monitor.speculates = piece.speculates;
        self.context.monitor = (&raw mut self.monitor).cast();
        // SAFETY: the context has what `check::Objects` says of it: pointers to the run's surfaces, which are whole (so that
        // all their elements lie in an arena that the bindings borrow), to tables with as many entries as the function
        // declares, to buffers with their lengths, to arrays with space for all entries, and to the monitor, which nothing
        // here uses before the call ends. For these, and for the positions that the entry allows, the checker has shown
        // that no access of the code leaves its object.
        let called = unsafe { piece.code.call::<T>(&mut self.context, self.reserved) };
        if let Err(Escape { pc }) = called {
            self.kernel.escaped.store(true, Relaxed);
            self.monitor.halt = Some(Halt::HostAccess { pc });
        }
    }

    /// Runs groups of the interior by this code for it.
    fn strip(&mut self, piece: &CodePiece, (x, end): (u32, u32), rows: u32) {
        let kernel = self.kernel;
        if !piece.speculates {
            return self.call_rows(piece, (x, end), rows);
        }
        if self.exact || !self.attempts.is_wanted() {
            return self.exactly((x, end), rows);
        }
        let before = self.context.instructions;
        self.call(piece, x, end);
        let runs_again = self.context.flags & T::INVALID != 0 && self.monitor.halt.is_none();
        self.attempts.note(runs_again);
        if runs_again {
            kernel.checks.deoptimised.fetch_add(1, Relaxed);
            self.context.instructions = before;
            self.context.stopped = 0;
            self.exactly((x, end), rows);
        }
    }

    /// For code that the run needs and that is not there yet.
    fn effort(&self) -> Effort<'_> {
        self.monitor.poller.meter().effort()
    }

    /// Runs groups of the interior by code without speculation. The run stops if there is none.
    fn exactly(&mut self, groups: (u32, u32), rows: u32) {
        match self.kernel.exact(&self.effort()) {
            Some(piece) => self.call_rows(piece, groups, rows),
            None => self.context.stopped = 1,
        }
    }

    /// Runs groups that are not the interior's.
    fn general(&mut self, groups: Range<u32>, at: impl Fn(u32) -> u32, rows: u32) -> Result<(), Incomplete> {
        if groups.is_empty() {
            return Ok(());
        }
        let piece = self.kernel.general(&self.effort()).ok_or(Incomplete::Stopped)?;
        self.groups((piece, u32::MAX), groups, at, |run, x, end| run.call_rows(piece, (x, end), rows))
    }

    /// Runs groups, at most so many at a time, and not for long without a look at the run's budget.
    fn groups(
        &mut self,
        (piece, most): (&CodePiece, u32),
        groups: Range<u32>,
        at: impl Fn(u32) -> u32,
        call: impl Fn(&mut Self, u32, u32),
    ) -> Result<(), Incomplete> {
        let mut group = groups.start;
        while group < groups.end {
            let reach = if piece.has_loops { self.reach.next_multiple_of(piece.groups.columns) } else { u32::MAX };
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
            if self.context.instructions - self.polled > CALL_INSTRUCTIONS {
                self.polled = self.context.instructions;
                self.monitor.poller.begin_group();
                self.monitor.poller.poll(self.polled, (self.context.x, self.context.y))?;
            }
            group += count;
        }
        Ok(())
    }

    /// Runs the groups of a rectangle.
    pub fn rectangle(&mut self, rectangle: Domain) -> Result<(), Incomplete> {
        let height = self.kernel.height();
        let mut y = rectangle.j0 / height * height;
        while y <= rectangle.j1 {
            y += self.rows(rectangle, y)?;
        }
        Ok(())
    }

    /// Runs the groups that begin in a row, and of those below it as many as the code for the interior takes; gives how many rows
    /// are done.
    fn rows(&mut self, rectangle: Domain, y: u32) -> Result<u32, Incomplete> {
        let kernel = self.kernel;
        let height = kernel.height();
        let width = kernel.target.lanes() / height;
        // Selection takes it that groups begin at multiples of their columns.
        let start = rectangle.i0 & !(width - 1);
        self.context.y = y;
        let groups = i64::from((rectangle.i1 - start) / width + 1);
        let Window { x: across, y: down } = kernel.interior.window;
        let is_whole = |rows: u32| {
            y >= rectangle.j0
                && y + (rows - 1) <= rectangle.j1
                && i64::from(y) >= down.0
                && i64::from(y) + i64::from(rows) - 1 <= down.1
        };
        let several = height * kernel.interior.groups.rows;
        let (piece, rows) = match is_whole(several) {
            true => (&kernel.interior, several),
            false if is_whole(height) => (kernel.row(&self.effort()).ok_or(Incomplete::Stopped)?, height),
            // No group is the interior's.
            false => (&kernel.interior, height),
        };
        // Groups, counted from the first, that lie wholly in the rectangle and in the window.
        let (low, high) = (across.0.max(rectangle.i0.into()), across.1.min(rectangle.i1.into()));
        let (width_wide, start_wide) = (i64::from(width), i64::from(start));
        let first = (low - start_wide + width_wide - 1).div_euclid(width_wide).clamp(0, groups);
        let last = (high + 1 - start_wide).div_euclid(width_wide).clamp(0, groups);
        let (first, last) = if is_whole(height) && first < last { (first as u32, last as u32) } else { (0, 0) };
        let last = last - (last - first) % piece.groups.columns;
        let at = |group: u32| start + group * width;
        let interior = |run: &mut Self, x, end| run.strip(piece, (x, end), rows);
        self.general(0..first, at, rows)?;
        self.groups((piece, piece.strip), first..last, at, interior)?;
        self.general(last..groups as u32, at, rows)?;
        Ok(rows)
    }
}
