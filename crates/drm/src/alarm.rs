//! Does something a while after it was asked for, in a thread of its own.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// An alarm. It rings once for all that sets it before.
///
/// No clock is read: programs can be run with one that stands still.
#[derive(Default)]
pub struct Alarm {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How often it was set since it rang last.
    count: u64,
    has_thread: bool,
}

impl Alarm {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has it ring. At the first call, `start` starts the thread, which [waits](Alarm::wait); false if that fails: then it never rings.
    pub fn set(&self, start: impl FnOnce() -> bool) -> bool {
        let mut state = self.lock();
        if !state.has_thread {
            state.has_thread = start();
        }
        state.count += 1;
        // A thread that is not waiting looks again.
        if state.count == 1 {
            self.changed.notify_one();
        }
        state.has_thread
    }

    /// Waits until it is to ring: so long after it was set last, or up to twice as long.
    pub fn wait(&self, after: Duration) {
        let mut state = self.lock();
        let mut count = 0;
        while state.count != count || count == 0 {
            if state.count == 0 {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            count = state.count;
            drop(state);
            thread::sleep(after);
            state = self.lock();
        }
        state.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn it_rings_once_after_the_last_call() {
        let alarm = Alarm::default();
        let after = Duration::from_millis(20);
        let start = Instant::now();
        assert!((0..3).all(|_| alarm.set(|| true)));
        alarm.wait(after);
        assert!(start.elapsed() >= after);
        assert_eq!(alarm.lock().count, 0);
        assert!(!Alarm::default().set(|| false), "without a thread it does not ring");
        thread::scope(|scope| {
            let ring = scope.spawn(|| alarm.wait(after));
            assert!(alarm.set(|| panic!("there is one")));
            ring.join().unwrap();
        });
    }
}
