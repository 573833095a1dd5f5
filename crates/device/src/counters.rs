//! The performance counters (CTM Guide p.5, 11-12).

use ctm_lane::clock::Instant;

/// Clocks per second: the engine clock of the boards that CTM was sold with.
const CLOCK_HZ: u128 = 650_000_000;

/// The device's clock.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// 650 MHz of elapsed time.
    Real(Instant),
    /// One clock per instruction that a lane executes, and none for anything else; the same in every run.
    Deterministic(u64),
}

impl Clock {
    /// Clocks since the device was opened.
    pub fn now(&self) -> u64 {
        match self {
            Clock::Real(start) => (start.elapsed().as_nanos() * CLOCK_HZ / 1_000_000_000) as u64,
            Clock::Deterministic(clocks) => *clocks,
        }
    }

    /// Lets a deterministic clock advance by the instructions that a program executed.
    pub fn executed(&mut self, instructions: u64) {
        if let Clock::Deterministic(clocks) = self {
            *clocks += instructions;
        }
    }
}

/// The two counters: clocks since `start_perf_counters`, and clocks of these in which processors were busy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    enabled: bool,
    /// When counting started, if it goes on.
    started: Option<u64>,
    /// Clocks when counting stopped.
    clocks: u64,
    busy: u64,
}

impl Counters {
    /// `init_perf_counters`.
    pub fn init(&mut self, enabled: bool) {
        *self = Counters { enabled, ..Counters::default() };
    }

    /// `start_perf_counters`, at this clock.
    pub fn start(&mut self, now: u64) {
        if self.enabled {
            *self = Counters { enabled: true, started: Some(now), clocks: 0, busy: 0 };
        }
    }

    /// `stop_perf_counters`, at this clock.
    pub fn stop(&mut self, now: u64) {
        if self.enabled && self.started.is_some() {
            self.clocks = self.elapsed(now);
            self.started = None;
        }
    }

    /// Processors were busy for some clocks.
    pub fn busy(&mut self, clocks: u64) {
        if self.started.is_some() {
            self.busy += clocks;
        }
    }

    /// `read_perf_counters`: both counters, low 32 bits, if they are enabled.
    pub fn read(&self, now: u64) -> Option<[u32; 2]> {
        self.enabled.then(|| [self.elapsed(now) as u32, self.busy as u32])
    }

    fn elapsed(&self, now: u64) -> u64 {
        self.started.map_or(self.clocks, |started| now.saturating_sub(started))
    }
}
