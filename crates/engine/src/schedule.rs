//! Lanes over threads.
//!
//! Each thread has a share of pieces that lie together, and takes from the others' when its own is done. So a thread finds in
//! its core's caches what it read and wrote in the run before, and yet all of them end at about the same time: it takes a part of
//! what is left of a share (guided self-scheduling), so that the first bands are large, which costs little, and the last ones small.

use crate::workers::Workers;
use ctm_lane::budget::{Halt, Meter};
use ctm_lane::domain::{AXIS, Domain, Lanes};
use ctm_lane::run::{RunOptions, RunStats};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Most lanes that a worker takes at once.
const BAND_LANES: u64 = 1 << 14;
/// Bands per thread, at least, so that progress is reported.
const BANDS_PER_THREAD: u64 = 16;
/// Of what is left of a share, a worker takes one part in so many at most.
const PART: u64 = 4;
/// Pieces of a rectangle for each thread, so that threads finish at about the same time. As many as bands will do, where more would have fewer rows
/// than code takes at a time.
const PIECES_PER_THREAD: u64 = 128;
/// Pieces of a rectangle in one thread, at least, so that progress is reported.
const PIECES_ALONE: u64 = 4;
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
    /// The failure of the lowest band that failed, and that band's first piece.
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

    /// Lets threads take bands of pieces, each of so many lanes at most, until none is left. `worker` makes what a thread needs, and
    /// gives what runs a band, its pieces in order, and says how many lanes were in it.
    ///
    /// # Errors
    /// That of the lowest band that fails. Bands below it have run.
    pub fn work<W, F>(
        &self,
        workers: &Workers,
        threads: usize,
        (pieces, lanes): (u64, u64),
        worker: W,
    ) -> Result<RunStats, E>
    where
        W: Fn() -> F + Sync,
        F: FnMut(Range<u64>, &mut RunStats) -> Result<u64, E>,
    {
        let threads = threads.min(pieces.try_into().unwrap_or(usize::MAX)).max(1);
        let start = |share: usize| pieces * share as u64 / threads as u64;
        // The next piece of each share.
        let next: Vec<AtomicU64> = (0..threads).map(|share| AtomicU64::new(start(share))).collect();
        let next = next.as_slice();
        let most = (pieces / (threads as u64 * BANDS_PER_THREAD)).min(BAND_LANES / lanes.max(1)).max(1);
        let take = |share: usize| {
            let end = start(share + 1);
            let behind = |first: u64| first + ((end - first) / PART).clamp(1, most);
            let first =
                next[share].fetch_update(Relaxed, Relaxed, |first| (first < end).then(|| behind(first))).ok()?;
            Some(first..behind(first))
        };
        let work = |thread: usize| {
            let mut run = worker();
            for share in (thread..threads).chain(0..thread) {
                while let Some(band) = take(share).filter(|band| !self.has_failed_before(band.start)) {
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

    /// Runs all pieces in this thread, one after the other: `run` runs them and says how many lanes were there.
    ///
    /// # Errors
    /// That of the first piece that fails, which is the last one to run.
    pub fn work_here(
        &self,
        pieces: u64,
        mut run: impl FnMut(Range<u64>, &mut RunStats) -> Result<u64, E>,
    ) -> Result<RunStats, E> {
        (0..pieces).take_while(|&piece| self.run_band(piece..piece + 1, &mut run)).for_each(drop);
        self.finish()
    }

    /// Runs a band, and says whether that was possible.
    fn run_band(&self, band: Range<u64>, run: &mut impl FnMut(Range<u64>, &mut RunStats) -> Result<u64, E>) -> bool {
        let first = band.start;
        let mut stats = RunStats::default();
        let checked = self.meter.check().map_err(E::from);
        let result = checked.and_then(|()| {
            let lanes = run(band, &mut stats)?;
            self.meter.charge(stats.instructions)?;
            Ok(lanes)
        });
        let is_complete = result.is_ok();
        self.finish_band(first, &stats, result);
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

    fn has_failed_before(&self, first: u64) -> bool {
        self.lock().failure.as_ref().is_some_and(|(failed, _)| *failed < first)
    }

    fn finish_band(&self, first: u64, stats: &RunStats, result: Result<u64, E>) {
        let mut totals = self.lock();
        totals.stats.merge(stats);
        match result {
            Ok(lanes) => totals.done += lanes,
            Err(error) if totals.failure.as_ref().is_none_or(|(earlier, _)| first < *earlier) => {
                totals.failure = Some((first, error));
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

/// Lanes that do not depend on each other, in pieces that are rectangles.
pub enum Partition {
    /// Rows of quads.
    Area {
        /// All lanes.
        domain: Domain,
        /// Rows of a piece.
        rows: u32,
        /// Columns whose pieces come before those of the next ones.
        columns: u32,
    },
    /// Pieces of a line.
    Line(u32),
}

impl Partition {
    /// The pieces for so many threads, those that are large enough of a multiple of `at_once` rows, a power of two, and none of columns on both sides of
    /// a multiple of `columns`. There is at least one lane.
    pub fn new(lanes: Lanes, threads: usize, at_once: u32, columns: u32) -> Self {
        let domain = match lanes {
            Lanes::Area(domain) => domain,
            Lanes::Line(count) => return Partition::Line(count),
        };
        let across = (domain.i1 - domain.i0 + 1).min(columns);
        // One thread shares with none: more pieces would only cost time.
        let (pieces, most, least) = match threads {
            1 => (PIECES_ALONE, BAND_LANES, at_once),
            _ => {
                let least = (domain.j1 - domain.j0) / (threads as u32 * BANDS_PER_THREAD as u32);
                (threads as u64 * PIECES_PER_THREAD, BAND_LANES / PART, least.clamp(2, at_once))
            }
        };
        let rows = ((domain.lanes() / pieces).clamp(1, most) / u64::from(across)).clamp(least.into(), 4096) as u32;
        Partition::Area { domain, rows: if rows < at_once { rows & !1 } else { rows & !(at_once - 1) }, columns }
    }

    /// Number of pieces.
    pub fn count(&self) -> u64 {
        match *self {
            Partition::Area { domain, rows, columns } => {
                u64::from(domain.i1 / columns - domain.i0 / columns + 1) * pieces_down(domain, rows)
            }
            Partition::Line(count) => u64::from(count.div_ceil(LINE_BAND)),
        }
    }

    /// Lanes of a piece, at most.
    pub fn lanes(&self) -> u64 {
        match *self {
            Partition::Area { domain, rows, columns } => {
                u64::from(columns.min(domain.i1 - domain.i0 + 1)) * u64::from(rows)
            }
            Partition::Line(_) => LINE_BAND.into(),
        }
    }

    /// The rectangles of these pieces, in order.
    pub fn rectangles(&self, mut pieces: Range<u64>) -> impl Iterator<Item = Domain> {
        std::iter::from_fn(move || {
            let piece = pieces.next()?;
            match *self {
                Partition::Area { domain, rows, columns } => {
                    let down = pieces_down(domain, rows);
                    let (strip, above) = (piece / down, piece % down);
                    // Those below it, in the same columns.
                    let behind = pieces.end.min((strip + 1) * down);
                    pieces.start = behind;
                    let left = (domain.i0 / columns + strip as u32) * columns;
                    let top = domain.j0 & !1;
                    Some(Domain {
                        i0: left.max(domain.i0),
                        i1: left.saturating_add(columns - 1).min(domain.i1),
                        j0: (top + above as u32 * rows).max(domain.j0),
                        j1: (top + (behind - strip * down) as u32 * rows - 1).min(domain.j1),
                    })
                }
                Partition::Line(count) => {
                    let first = piece as u32 * LINE_BAND;
                    let last = first + (count - first).min(LINE_BAND) - 1;
                    Some(Domain { i0: first % AXIS, i1: last % AXIS, j0: first / AXIS, j1: last / AXIS })
                }
            }
        })
    }
}

/// Pieces of so many rows, one below the other.
fn pieces_down(domain: Domain, rows: u32) -> u64 {
    u64::from((domain.j1 - (domain.j0 & !1)) / rows + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each lane is in one rectangle, however many pieces are taken at once, and no rectangle has columns on both sides of a multiple of those
    /// that run before the next ones.
    #[test]
    fn rectangles_are_all_lanes() {
        for (i0, i1, j0, j1) in [(0, 127, 0, 511), (5, 200, 3, 40), (63, 64, 7, 7), (0, 0, 0, 0), (64, 127, 1, 99)] {
            let domain = Domain { i0, i1, j0, j1 };
            for (threads, at_once, columns) in [(1, 4, 64), (2, 4, 64), (3, 2, 48), (64, 4, 16), (2, 4, u32::MAX)] {
                let pieces = Partition::new(Lanes::Area(domain), threads, at_once, columns);
                for taken in [1, 3, 1000] {
                    let starts = (0..pieces.count()).step_by(taken);
                    let bands = starts.map(|first| first..(first + taken as u64).min(pieces.count()));
                    let rectangles: Vec<Domain> = bands.flat_map(|band| pieces.rectangles(band)).collect();
                    let mut lanes: Vec<(u32, u32)> = Vec::new();
                    for rectangle in &rectangles {
                        assert_eq!(rectangle.i0 / columns, rectangle.i1 / columns, "{rectangle:?}");
                        assert!(rectangle.lanes() <= pieces.lanes() * taken as u64, "{rectangle:?}");
                        lanes.extend(
                            (rectangle.j0..=rectangle.j1)
                                .flat_map(|j| (rectangle.i0..=rectangle.i1).map(move |i| (j, i))),
                        );
                    }
                    lanes.sort_unstable();
                    let all = (j0..=j1).flat_map(|j| (i0..=i1).map(move |i| (j, i)));
                    assert!(
                        lanes.into_iter().eq(all),
                        "{domain:?}, {threads} threads, {columns} columns: {rectangles:?}"
                    );
                }
            }
        }
    }

    /// The bands in which threads take so many pieces of 64 lanes.
    fn bands(threads: usize, pieces: u64) -> Vec<Range<u64>> {
        let taken = Mutex::new(Vec::new());
        let run = |band: Range<u64>, _: &mut RunStats| {
            taken.lock().unwrap().push(band.clone());
            Ok(64 * (band.end - band.start))
        };
        let options = RunOptions::default();
        let schedule = Schedule::<Halt>::new(&options, 64 * pieces);
        schedule.work(&Workers::default(), threads, (pieces, 64), || run).unwrap();
        let mut bands = taken.into_inner().unwrap();
        bands.sort_by_key(|band| band.start);
        bands
    }

    #[test]
    fn bands_are_all_pieces_and_the_last_ones_are_small() {
        for threads in [1, 2, 7] {
            let bands = bands(threads, 1000);
            assert_eq!((bands[0].start, bands.last().unwrap().end), (0, 1000), "{threads} threads: {bands:?}");
            assert!(bands.windows(2).all(|two| two[0].end == two[1].start), "{threads} threads: {bands:?}");
            assert_eq!(bands[0], 0..1000 / (threads as u64 * BANDS_PER_THREAD));
            assert_eq!(bands.last().unwrap(), &(999..1000), "{threads} threads");
            assert!(bands.len() < 40 * threads, "{threads} threads: {bands:?}");
        }
        assert_eq!(bands(1, 100_000)[0], 0..BAND_LANES / 64);
    }

    #[test]
    fn nothing_runs_behind_a_failure() {
        let ran = Mutex::new(0);
        let options = RunOptions::default();
        let schedule = Schedule::<Halt>::new(&options, 1000);
        let worker = || {
            |band: Range<u64>, _: &mut RunStats| {
                if band.contains(&100) {
                    return Err(Halt::NoMemory { bytes: band.start });
                }
                *ran.lock().unwrap() += band.end - band.start;
                Ok(band.end - band.start)
            }
        };
        let result = schedule.work(&Workers::default(), 1, (1000, 1), worker);
        assert_eq!(result, Err(Halt::NoMemory { bytes: 62 }));
        assert_eq!(ran.into_inner().unwrap(), 62);
    }

    #[test]
    fn the_lowest_failure_counts() {
        let options = RunOptions::default();
        let schedule = Schedule::<Halt>::new(&options, 10);
        for first in [5, 3, 4] {
            schedule.finish_band(first, &RunStats::default(), Err(Halt::NoMemory { bytes: first }));
        }
        assert!(schedule.has_failed_before(4) && !schedule.has_failed_before(3));
        assert_eq!(schedule.finish(), Err(Halt::NoMemory { bytes: 3 }));
    }
}
