//! Programs that read their quads, where the domain's edge cuts some.
//!
//! A quad that the edge cuts is a group of its own, with helper lanes that decide nothing: what these do depends on the
//! lanes beside them. So such quads run in the exact form; those that are whole run in the group-independent one.

use super::Independent;
use super::exact::{ExactForm, group_width};
use crate::reference::{Lane, LaneKind};
use crate::{Job, RunError, RunOptions, RunStats};
use ctm_lane::domain::{Domain, QUAD};
use std::ops::Range;

/// The quads of a domain. Quad (I, J) has columns 2I and 2I + 1 and rows 2J and 2J + 1.
pub(super) struct Quads {
    domain: Domain,
    columns: Axis,
    rows: Axis,
}

/// The quads along an axis.
struct Axis {
    all: Range<u32>,
    /// Those that no edge at the ends of this axis cuts.
    whole: Range<u32>,
}

impl Axis {
    /// The quads of the positions from `first` to `last`.
    fn new(first: u32, last: u32) -> Self {
        Axis { all: first / 2..last / 2 + 1, whole: first.div_ceil(2)..last.div_ceil(2) }
    }
}

impl Quads {
    pub fn of(domain: Domain) -> Self {
        Quads { domain, columns: Axis::new(domain.i0, domain.i1), rows: Axis::new(domain.j0, domain.j1) }
    }

    /// Whether the edge cuts some.
    pub fn are_cut(&self) -> bool {
        self.whole() != Some(self.domain)
    }

    /// Runs a job with this domain; the exact form is needed where quads are cut.
    pub fn run(
        &self,
        independent: &Independent,
        exact: Option<&ExactForm>,
        job: &Job,
        options: &RunOptions,
    ) -> Result<RunStats, RunError> {
        // Progress of the second part goes on where the first has ended.
        let all = self.domain.lanes();
        let done = self.whole().map_or(0, |whole| whole.lanes());
        let report = |done: u64| options.progress.iter().for_each(|progress| progress(done, all));
        let (first_part, second_part) = (|lanes, _| report(lanes), |lanes, _| report(done + lanes));
        let mut stats = RunStats::default();
        if let Some(whole) = self.whole() {
            stats = independent.run(whole, job, &RunOptions { progress: Some(&first_part), ..*options })?;
        }
        if let Some(exact) = exact {
            let mut budget = options.budget;
            budget.instructions = budget.instructions.saturating_sub(stats.instructions);
            let options = RunOptions { progress: Some(&second_part), budget, ..*options };
            stats.merge(&exact.run_quads(&self.cut(), job, &options)?);
        }
        Ok(RunStats { groups: self.groups(group_width(options, true)), ..stats })
    }

    /// The rectangle of whole quads, if there are any.
    pub fn whole(&self) -> Option<Domain> {
        let (columns, rows) = (&self.columns.whole, &self.rows.whole);
        (!columns.is_empty() && !rows.is_empty()).then(|| Domain {
            i0: columns.start * 2,
            j0: rows.start * 2,
            i1: columns.end * 2 - 1,
            j1: rows.end * 2 - 1,
        })
    }

    /// The quads that are cut, in the order of the domain.
    pub fn cut(&self) -> Vec<[Lane; QUAD]> {
        let place = |i, j| {
            let kind = if self.domain.contains(i, j) { LaneKind::Runs } else { LaneKind::Helper };
            Lane { i, j, kind }
        };
        let quad = |column: u32, row: u32| {
            let (i, j) = (column * 2, row * 2);
            [place(i, j), place(i + 1, j), place(i, j + 1), place(i + 1, j + 1)]
        };
        let columns_of = |row: u32| {
            // Of a row that is not cut itself, the first and the last column may be.
            let whole = if self.rows.whole.contains(&row) { self.columns.whole.clone() } else { 0..0 };
            let Range { start, end } = self.columns.all;
            let (before, behind) = if whole.is_empty() { (end, end) } else { (whole.start, whole.end) };
            (start..before).chain(behind..end)
        };
        self.rows.all.clone().flat_map(|row| columns_of(row).map(move |column| quad(column, row))).collect()
    }

    /// Number of groups of `width` lanes: those with a whole quad, and the cut quads, each of which is one.
    pub fn groups(&self, width: usize) -> u64 {
        let quads_in_group = (width / QUAD) as u64;
        let Axis { all: columns, whole } = &self.columns;
        let across = u64::from(columns.end - columns.start);
        let quads = across * u64::from(self.rows.all.end - self.rows.all.start);
        let mut groups = 0;
        // Groups before this one are counted.
        let mut next = 0;
        for row in self.rows.whole.clone().filter(|_| !whole.is_empty()) {
            let first = u64::from(row - self.rows.all.start) * across;
            let of = |column: u32| (first + u64::from(column - columns.start)) / quads_in_group;
            let end = of(whole.end - 1) + 1;
            groups += end - of(whole.start).max(next);
            next = end;
        }
        let whole = self.whole().map_or(0, |whole| whole.lanes() / QUAD as u64);
        groups + (quads - whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::split_incomplete_quads;
    use ctm_lane::domain::Layout;

    /// Cut quads and numbers of groups, as cutting each group gives them.
    #[test]
    fn quads_are_those_that_groups_are_split_into() {
        let corners = (0..3).flat_map(|i0| (0..3).map(move |j0| (i0, j0)));
        let sizes = (1..8).flat_map(|width| (1..6).map(move |height| (width, height)));
        for ((i0, j0), (columns, rows)) in corners.flat_map(|corner| sizes.clone().map(move |size| (corner, size))) {
            let domain = Domain { i0, j0, i1: i0 + columns - 1, j1: j0 + rows - 1 };
            let quads = Quads::of(domain);
            for width in [4, 8, 12, 48] {
                let layout = Layout::new(domain, width);
                let (mut groups, mut cut, mut whole) = (0, Vec::new(), 0);
                for number in 0..layout.groups() {
                    let kind = |(i, j)| if domain.contains(i, j) { LaneKind::Runs } else { LaneKind::Uncovered };
                    let lane = |(i, j)| Lane { i, j, kind: kind((i, j)) };
                    let mut lanes: Vec<Lane> = layout.positions(number).map(lane).collect();
                    let incomplete = split_incomplete_quads(&mut lanes);
                    let left = lanes.iter().filter(|lane| lane.kind == LaneKind::Runs).count();
                    groups += u64::from(left > 0) + incomplete.len() as u64;
                    whole += left as u64;
                    cut.extend(incomplete);
                }
                assert!(quads.cut().iter().map(|quad| &quad[..]).eq(&cut), "{domain:?}");
                assert_eq!(quads.groups(width), groups, "{domain:?}, width {width}");
                assert_eq!(quads.whole().map_or(0, |whole| whole.lanes()), whole, "{domain:?}");
            }
        }
    }
}
