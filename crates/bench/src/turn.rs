//! Turns: two sides that are compared work one after the other, again and again, so that what else the machine does concerns both.

use crate::drawing::{Drawing, PeerError, Spent};
use crate::guest::Guest;
use std::time::Instant;

/// The seconds that something takes.
pub fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// How often to do what takes so long, for a turn of `length` seconds.
pub fn repetitions(length: f64, seconds: f64) -> u32 {
    (length / seconds).clamp(1.0, 1000.0) as u32
}

/// Our turn of about `length` seconds: once to warm up, then the time of one run.
pub fn turn(length: f64, ours: &dyn Guest, threads: usize) -> f64 {
    let times = repetitions(length, seconds(|| ours.run(threads)));
    seconds(|| (0..times).for_each(|_| ours.run(threads))) / f64::from(times)
}

/// Their turn, likewise.
///
/// # Errors
/// If the process is gone.
pub fn their_turn(length: f64, theirs: &mut Drawing) -> Result<f64, PeerError> {
    Ok(their_spending(length, theirs)?.clock)
}

/// The same, with the processor time.
///
/// # Errors
/// If the process is gone.
pub fn their_spending(length: f64, theirs: &mut Drawing) -> Result<Spent, PeerError> {
    let times = repetitions(length, theirs.draw(1)?);
    let Spent { clock, processor } = theirs.spend(times)?;
    Ok(Spent { clock: clock / f64::from(times), processor: processor / f64::from(times) })
}
