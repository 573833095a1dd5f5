//! Work in shares, of which threads take one after the other.

use ctm_engine::Workers;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Has as many threads as there are `workers` do so many shares of `work`, with what `begin` gives each thread, by its number; a thread for which it gives
/// nothing does none.
///
/// # Errors
/// That of the first share that fails, whichever thread was faster.
pub fn spread<W: Send, B, E: Send>(
    pool: Option<&Workers>,
    workers: &[Mutex<W>],
    shares: u32,
    begin: impl Fn(usize, &W) -> Option<B> + Sync,
    work: impl Fn(&mut W, &mut B, u32) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let next = AtomicU32::new(0);
    let failure: Mutex<Option<(u32, E)>> = Mutex::new(None);
    let thread = |number: usize| {
        let Some(worker) = workers.get(number) else { return };
        let mut worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut begun) = begin(number, &worker) else { return };
        loop {
            let share = next.fetch_add(1, Relaxed);
            if share >= shares {
                break;
            }
            if let Err(error) = work(&mut worker, &mut begun, share) {
                let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
                if failure.as_ref().is_none_or(|&(other, _)| share < other) {
                    *failure = Some((share, error));
                }
            }
        }
    };
    match pool.filter(|_| workers.len() > 1) {
        Some(pool) => pool.run(workers.len(), thread, || {}),
        None => thread(0),
    }
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
