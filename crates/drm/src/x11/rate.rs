//! Frames for each second, where `CTM_CARD_FPS` asks for them.

use crate::device::complain;
use std::env;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often they are written.
const PERIOD: Duration = Duration::from_secs(5);

/// Since when frames were counted, and how many.
static COUNTED: Mutex<Option<(Instant, u32)>> = Mutex::new(None);

/// Counts a frame that is presented.
pub fn count() {
    static ASKED: OnceLock<bool> = OnceLock::new();
    if !ASKED.get_or_init(|| env::var_os("CTM_CARD_FPS").is_some_and(|value| !value.is_empty())) {
        return;
    }
    let mut counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let (since, frames) = counted.get_or_insert_with(|| (Instant::now(), 0));
    *frames += 1;
    let passed = since.elapsed();
    if passed >= PERIOD {
        complain(&format!("{:.1} frames per second", f64::from(*frames) / passed.as_secs_f64()));
        *counted = Some((Instant::now(), 0));
    }
}
