//! `--utilisation`: how many of the lanes that instructions are issued to take part in them.

use ctm_follow::{GroupEnd, LaneView, Observer, Step};

/// Counts what is issued, when it observes each group of a run. A group issues each of its instructions to all lanes that it
/// started with.
#[derive(Debug, Default)]
pub struct Issued(pub u64);

impl Observer for Issued {
    fn starts(&mut self, _: &LaneView) {}

    fn step(&mut self, _: &Step) {}

    fn ends(&mut self, end: &GroupEnd) {
        self.0 += end.steps * u64::from(end.lanes);
    }

    fn wants_steps(&self) -> bool {
        false
    }
}

/// The part of what was issued that took part, if that was counted.
pub fn utilisation(instructions: u64, issued: Option<u64>) -> Option<f64> {
    issued.map(|issued| instructions as f64 / issued.max(1) as f64)
}

/// A line for people, if that was counted.
pub fn line(instructions: u64, issued: Option<u64>) -> Option<String> {
    let part = 100.0 * utilisation(instructions, issued)?;
    Some(format!("utilisation     {part:.1} %, {instructions} of {} that were issued", issued?))
}
