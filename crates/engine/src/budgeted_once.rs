//! What is made when it is first wanted.

use ctm_lane::effort::Effort;
use std::sync::{Mutex, OnceLock, TryLockError};
use std::time::Duration;

/// How long who waits for another thread's work does not look at the run's limits.
const PAUSE: Duration = Duration::from_micros(200);

/// Something that is made once, by the first thread that wants it; the others wait. What a limit of a run has cut short is not kept: the next one
/// tries again.
#[derive(Debug)]
pub struct BudgetedOnce<T> {
    made: OnceLock<T>,
    making: Mutex<()>,
}

impl<T> Default for BudgetedOnce<T> {
    fn default() -> Self {
        BudgetedOnce { made: OnceLock::new(), making: Mutex::new(()) }
    }
}

impl<T> From<T> for BudgetedOnce<T> {
    fn from(made: T) -> Self {
        BudgetedOnce { made: made.into(), making: Mutex::new(()) }
    }
}

impl<T> BudgetedOnce<T> {
    /// It, to change it, if it is there.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.made.get_mut()
    }

    /// It, if it is there.
    pub fn get(&self) -> Option<&T> {
        self.made.get()
    }

    /// It, made with this effort if it is not there; `None` if a limit of the run came first.
    pub fn get_or_make(&self, effort: &Effort, make: impl FnOnce() -> T) -> Option<&T> {
        if let Some(made) = self.made.get() {
            return Some(made);
        }
        let _making = loop {
            match self.making.try_lock() {
                Ok(making) => break making,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    effort.look();
                    if effort.is_cut_by_run() {
                        return None;
                    }
                    std::thread::sleep(PAUSE);
                }
            }
        };
        if let Some(made) = self.made.get() {
            return Some(made);
        }
        let made = if effort.is_cut_by_run() { None } else { Some(make()) };
        let made = made.filter(|_| !effort.is_cut_by_run())?;
        Some(self.made.get_or_init(|| made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_lane::budget::Budget;

    #[test]
    fn what_a_run_has_cut_short_is_not_kept() {
        let made = BudgetedOnce::default();
        let small = Effort::new(&Budget { memory: 0, ..Budget::default() }, None);
        let make = |effort: &Effort| effort.has_memory_for(1 << 30);
        assert_eq!(made.get_or_make(&small, || make(&small)), None);
        let few = Effort::of_steps(0);
        assert_eq!(made.get_or_make(&few, || few.spend(1)), Some(&false), "that others would meet, too");
        assert_eq!(made.get_or_make(&small, || unreachable!("it is there")), Some(&false));
    }
}
