//! `--counts` and `--heat`: how often each instruction of a run executed, and how many each lane.

mod heat;
mod page;

use crate::options::ExecutionArgs;
use crate::outputs::Sink;
use crate::{Console, Failure};
use ctm_array::Shape;
use ctm_follow::{Address, InstructionPlace};
use ctm_lane::counts::{InstructionCount, InstructionCounts};
use ctm_lane::domain::Lanes;
use ctm_lane::run::{RunOptions, RunStats};
use heat::Heat;
use serde_json::json;

/// The instructions of a program, as counts are shown beside them.
pub struct Listing {
    /// All of them in order, with their texts.
    pub steps: Vec<(InstructionPlace, String)>,
    /// An address in text.
    pub address: fn(Address) -> String,
}

/// Counts of a run, with where they go.
pub struct Counting {
    counts: InstructionCounts,
    heat: Option<Heat>,
}

impl Counting {
    /// What the command line asks for, if it does, for a run over these lanes. Makes sure that the file can be written.
    ///
    /// # Errors
    /// It cannot, or there is no memory for the counts of the lanes.
    pub fn new(
        args: &ExecutionArgs,
        lanes: Lanes,
        options: &RunOptions,
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        if !args.counts && args.heat.is_none() {
            return Ok(None);
        }
        let heat = args.heat.as_deref().map(|path| Heat::open(console.host, path)).transpose()?;
        Ok(Some(Counting { counts: InstructionCounts::new(lanes, &options.budget)?, heat }))
    }

    /// What receives the counts.
    pub fn sink(counting: &Option<Counting>) -> Option<&InstructionCounts> {
        counting.as_ref().map(|counting| &counting.counts)
    }

    /// Shows the counts, and writes the picture of a run over a domain or a line. Row 0 is its last one if `bottom_up`.
    ///
    /// # Errors
    /// Standard output or the file cannot be written.
    pub fn finish(
        self,
        args: &ExecutionArgs,
        stats: &RunStats,
        listing: Listing,
        bottom_up: bool,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let (width, height) = match self.counts.over() {
            Lanes::Area(domain) => ((domain.i1 - domain.i0 + 1) as usize, (domain.j1 - domain.j0 + 1) as usize),
            Lanes::Line(count) => (count as usize, 1),
        };
        let rows = |lanes: &[u64]| match bottom_up {
            true => lanes.chunks(width.max(1)).rev().flatten().copied().collect(),
            false => lanes.to_vec(),
        };
        self.finish_as(args, stats, listing, |lanes| (rows(lanes), width, height), console)
    }

    /// As [`finish`](Self::finish); `picture` makes rows of a picture of the counts of the lanes, and gives its width and height.
    ///
    /// # Errors
    /// As there.
    pub fn finish_as(
        self,
        args: &ExecutionArgs,
        stats: &RunStats,
        listing: Listing,
        picture: impl FnOnce(&[u64]) -> (Vec<u64>, usize, usize),
        console: &mut Console,
    ) -> Result<(), Failure> {
        if let Some(heat) = self.heat {
            let (lanes, width, height) = picture(&self.counts.lanes());
            let sink = heat.paint(&lanes, Shape { width, height, channels: 1 })?;
            Sink::commit([sink], console)?;
        }
        if !args.counts {
            return Ok(());
        }
        let mut executed = self.counts.instructions();
        let count = |(place, text)| (place, text, executed.remove(&place).unwrap_or_default());
        let mut rows: Vec<(InstructionPlace, String, InstructionCount)> =
            listing.steps.into_iter().map(count).collect();
        let unlisted = || "an instruction that no path to here shows".to_owned();
        rows.extend(executed.into_iter().map(|(place, count)| (place, unlisted(), count)));
        if args.json {
            let counts = rows.iter().map(
                |(InstructionPlace { at, in_clause }, text, InstructionCount { executions, lanes })| {
                    json!({
                        "address": super::follow::address(*at),
                        "clause": in_clause,
                        "text": text,
                        "executions": executions,
                        "lanes": lanes,
                    })
                },
            );
            let counts: Vec<_> = counts.collect();
            return Ok(console.json(&json!({ "lanes": stats.lanes, "groups": stats.groups, "counts": counts }))?);
        }
        let page = page::page(&rows, listing.address, stats, console.colours);
        Ok(console.out.write_all(page.as_bytes())?)
    }
}
