//! Bands of lanes over threads.
//!
//! Each thread has a share of bands that lie together, and takes from the others' when its own is done. So a thread finds in
//! its core's caches what it read and wrote in the run before, and yet all of them end at about the same time.

use crate::workers::Workers;
use ctm_lane::budget::{Halt, Meter};
use ctm_lane::domain::{AXIS, Domain, Lanes};
use ctm_lane::run::{RunOptions, RunStats};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Most lanes that a worker takes at once.
const BAND_LANES: u64 = 1 << 14;
/// Bands per thread, at least, so that threads finish at about the same time.
const BANDS_PER_THREAD: u64 = 16;
/// Bands of a run in one thread, at least, so that progress is reported.
const BANDS_ALONE: u64 = 4;
/// Lanes of a line that a worker takes at once; a divisor of [`AXIS`].
const LINE_BAND: u32 = 1 << 12;

/// What the workers of a run share. It ends with an error of type E.
pub struct Schedule<'a, E> {
    options: &'a RunOptions<'a>,
    /// Whether the run goes on.
    pub meter: Meter<'a>,
    lanes: u64,
    totals: Mutex<Totals<E>>,
}

struct Totals<E> {
    stats: RunStats,
    /// Lanes of finished bands.
    done: u64,
    /// The failure of the lowest band that failed.
    failure: Option<(u64, E)>,
}

impl<E> Default for Totals<E> {
    fn default() -> Self {
        Totals { stats: RunStats::default(), done: 0, failure: None }
    }
}

impl<'a, E: From<Halt> + Send> Schedule<'a, E> {
    /// For a run of so many lanes.
    pub fn new(options: &'a RunOptions<'a>, lanes: u64) -> Self {
        Schedule { options, meter: Meter::new(options.budget, options.cancel), lanes, totals: Mutex::default() }
    }

    /// Groups that make a band where groups must not be cut.
    pub fn groups_of_a_band(groups: u64, width: usize, threads: usize) -> u64 {
        (groups / (threads as u64 * BANDS_PER_THREAD)).clamp(1, (BAND_LANES / width as u64).max(1))
    }

    /// Lets threads take bands until none is left. `worker` makes what a thread needs, and gives what runs a band and says
    /// how many lanes were in it.
    ///
    /// # Errors
    /// That of the lowest band that fails. Bands below it have run.
    pub fn work<W, F>(&self, workers: &Workers, threads: usize, bands: u64, worker: W) -> Result<RunStats, E>
    where
        W: Fn() -> F + Sync,
        F: FnMut(u64, &mut RunStats) -> Result<u64, E>,
    {
        let threads = threads.min(bands.try_into().unwrap_or(usize::MAX)).max(1);
        let start = |share: usize| bands * share as u64 / threads as u64;
        // The next band of each share.
        let next: Vec<AtomicU64> = (0..threads).map(|share| AtomicU64::new(start(share))).collect();
        let next = next.as_slice();
        let work = |thread: usize| {
            let mut run = worker();
            for share in (thread..threads).chain(0..thread) {
                loop {
                    let band = next[share].fetch_add(1, Relaxed);
                    if band >= start(share + 1) || self.has_failed_before(band) {
                        break;
                    }
                    self.run_band(band, &mut run);
                }
            }
        };
        workers.run(threads, work, || {
            // Workers see what ended the run, if something did.
            let _ = self.meter.check();
        });
        self.finish()
    }

    /// Runs all bands in this thread, in order: `run` runs a band and says how many lanes were in it.
    ///
    /// # Errors
    /// That of the first band that fails, which is the last one to run.
    pub fn work_here(
        &self,
        bands: u64,
        mut run: impl FnMut(u64, &mut RunStats) -> Result<u64, E>,
    ) -> Result<RunStats, E> {
        (0..bands).take_while(|&band| self.run_band(band, &mut run)).for_each(drop);
        self.finish()
    }

    /// Runs a band, and says whether that was possible.
    fn run_band(&self, band: u64, run: &mut impl FnMut(u64, &mut RunStats) -> Result<u64, E>) -> bool {
        let mut stats = RunStats::default();
        let checked = self.meter.check().map_err(E::from);
        let result = checked.and_then(|()| {
            let lanes = run(band, &mut stats)?;
            self.meter.charge(stats.instructions)?;
            Ok(lanes)
        });
        let is_complete = result.is_ok();
        self.finish_band(band, &stats, result);
        is_complete
    }

    fn finish(&self) -> Result<RunStats, E> {
        let totals = std::mem::take(&mut *self.lock());
        match totals.failure {
            Some((_, error)) => Err(error),
            None => Ok(totals.stats),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Totals<E>> {
        self.totals.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn has_failed_before(&self, band: u64) -> bool {
        self.lock().failure.as_ref().is_some_and(|(failed, _)| *failed < band)
    }

    fn finish_band(&self, band: u64, stats: &RunStats, result: Result<u64, E>) {
        let mut totals = self.lock();
        totals.stats.merge(stats);
        match result {
            Ok(lanes) => totals.done += lanes,
            Err(error) if totals.failure.as_ref().is_none_or(|(earlier, _)| band < *earlier) => {
                totals.failure = Some((band, error));
            }
            Err(_) => {}
        }
        let done = totals.done;
        drop(totals);
        if let Some(progress) = self.options.progress {
            progress(done, self.lanes);
        }
    }
}

/// Lanes that do not depend on each other, in bands that are rectangles.
pub enum Bands {
    /// Rows of quads.
    Area {
        /// All lanes.
        domain: Domain,
        /// Rows of a band.
        rows: u32,
        /// Columns whose bands come before those of the next ones.
        columns: u32,
    },
    /// Pieces of a line.
    Line(u32),
}

impl Bands {
    /// The bands for so many threads, those that are large enough of a multiple of `at_once` rows, a power of two, and none of columns on both sides of
    /// a multiple of `columns`. There is at least one lane.
    pub fn new(lanes: Lanes, threads: usize, at_once: u32, columns: u32) -> Self {
        let domain = match lanes {
            Lanes::Area(domain) => domain,
            Lanes::Line(count) => return Bands::Line(count),
        };
        let across = (domain.i1 - domain.i0 + 1).min(columns);
        // One thread shares with none: more bands would only cost time.
        let bands = if threads == 1 { BANDS_ALONE } else { threads as u64 * BANDS_PER_THREAD };
        let least = if threads == 1 { at_once } else { 2 };
        let rows = ((domain.lanes() / bands).clamp(1, BAND_LANES) / u64::from(across)).clamp(least.into(), 4096) as u32;
        Bands::Area { domain, rows: if rows < at_once { rows & !1 } else { rows & !(at_once - 1) }, columns }
    }

    /// Number of bands.
    pub fn count(&self) -> u64 {
        match *self {
            Bands::Area { domain, rows, columns } => {
                u64::from(domain.i1 / columns - domain.i0 / columns + 1) * bands_down(domain, rows)
            }
            Bands::Line(count) => u64::from(count.div_ceil(LINE_BAND)),
        }
    }

    /// The rectangle of a band.
    pub fn band(&self, number: u64) -> Domain {
        match *self {
            Bands::Area { domain, rows, columns } => {
                let down = bands_down(domain, rows);
                let (left, first) = (
                    (domain.i0 / columns + (number / down) as u32) * columns,
                    (domain.j0 & !1) + (number % down) as u32 * rows,
                );
                Domain {
                    i0: left.max(domain.i0),
                    i1: left.saturating_add(columns - 1).min(domain.i1),
                    j0: first.max(domain.j0),
                    j1: (first + rows - 1).min(domain.j1),
                }
            }
            Bands::Line(count) => {
                let first = number as u32 * LINE_BAND;
                let last = first + (count - first).min(LINE_BAND) - 1;
                Domain { i0: first % AXIS, i1: last % AXIS, j0: first / AXIS, j1: last / AXIS }
            }
        }
    }
}

/// Bands of so many rows, one below the other.
fn bands_down(domain: Domain, rows: u32) -> u64 {
    u64::from((domain.j1 - (domain.j0 & !1)) / rows + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each lane is in one band, and no band has columns on both sides of a multiple of those that run before the next ones.
    #[test]
    fn bands_are_all_lanes() {
        for (i0, i1, j0, j1) in [(0, 127, 0, 511), (5, 200, 3, 40), (63, 64, 7, 7), (0, 0, 0, 0), (64, 127, 1, 99)] {
            let domain = Domain { i0, i1, j0, j1 };
            for (threads, at_once, columns) in [(1, 4, 64), (2, 4, 64), (3, 2, 48), (64, 4, 16), (2, 4, u32::MAX)] {
                let bands = Bands::new(Lanes::Area(domain), threads, at_once, columns);
                let bands: Vec<Domain> = (0..bands.count()).map(|number| bands.band(number)).collect();
                let mut lanes: Vec<(u32, u32)> = Vec::new();
                for band in &bands {
                    assert_eq!(band.i0 / columns, band.i1 / columns, "{band:?}");
                    lanes.extend((band.j0..=band.j1).flat_map(|j| (band.i0..=band.i1).map(move |i| (j, i))));
                }
                lanes.sort_unstable();
                let all = (j0..=j1).flat_map(|j| (i0..=i1).map(move |i| (j, i)));
                assert!(lanes.into_iter().eq(all), "{domain:?}, {threads} threads, {columns} columns: {bands:?}");
            }
        }
    }
}
