//! The options that say what a run may use.

use crate::host::Host;
use clap::Args;
use ctm_lane::budget::{DEFAULT_MEMORY, Limits};
use std::str::FromStr;
use std::time::Duration;

/// What a run may use. A run that uses more ends with exit code 4.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Limits")]
pub struct BudgetArgs {
    /// Seconds after which the run ends, complete or not [default: none]
    #[arg(long, value_name = "SECONDS|none")]
    pub timeout: Option<TimeLimit>,
    /// Seconds that a single group of lanes may take before it is treated as an infinite loop [default: 5]
    #[arg(long, value_name = "SECONDS|none")]
    pub group_timeout: Option<TimeLimit>,
    /// Instructions that the run may execute, summed over its lanes [default: none]
    #[arg(long, value_name = "N")]
    pub instruction_limit: Option<u64>,
    /// Memory that the run may take: bytes, or a number with K, M or G [default: 4G, or half of what this machine has]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
}

impl BudgetArgs {
    /// The limits that the options name, and the default of the others.
    pub fn limits(&self, host: &dyn Host) -> Limits {
        let default = Limits::default();
        Limits {
            instructions: self.instruction_limit.unwrap_or(default.instructions),
            run_time: self.timeout.map_or(default.run_time, |TimeLimit(limit)| limit),
            group_time: self.group_timeout.map_or(default.group_time, |TimeLimit(limit)| limit),
            memory: self.memory(host),
        }
    }

    /// Time that the run may take.
    pub fn time(&self) -> Option<Duration> {
        self.timeout.and_then(|TimeLimit(limit)| limit)
    }

    /// Bytes that the run may take.
    pub fn memory(&self, host: &dyn Host) -> u64 {
        let default = || host.memory().map_or(DEFAULT_MEMORY, |bytes| DEFAULT_MEMORY.min(bytes / 2));
        self.memory.map_or_else(default, |Size(bytes)| bytes)
    }
}

/// A time in seconds, or none: `1.5`, `none`. 0 is none too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit(pub Option<Duration>);

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(TimeLimit(None));
        }
        let seconds: Option<f64> = text.parse().ok();
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let time = time.ok_or("expected a number of seconds, like 10 or 0.5, or none")?;
        Ok(TimeLimit((!time.is_zero()).then_some(time)))
    }
}

/// A number of bytes: `1048576`, `1024K`, `1M`, `2G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units = [("K", 10), ("M", 20), ("G", 30)];
        let unit = units.into_iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)));
        let (digits, shift) = unit.unwrap_or((text, 0));
        let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
        bytes.map(Size).ok_or("expected a number of bytes, like 500000, 64K, 512M or 2G".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Local;

    #[test]
    fn times_and_sizes_are_read() {
        let time = |text: &str| text.parse::<TimeLimit>().map(|TimeLimit(limit)| limit);
        assert_eq!(time("0.25"), Ok(Some(Duration::from_millis(250))));
        assert_eq!([time("none"), time("0")], [Ok(None), Ok(None)]);
        for wrong in ["", "-1", "nan", "inf", "1e300", "5s"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
        let size = |text: &str| text.parse::<Size>().map(|Size(bytes)| bytes);
        assert_eq!([size("12"), size("3K"), size("4G")], [Ok(12), Ok(3072), Ok(4 << 30)]);
        for wrong in ["", "K", "-1", "1.5G", "99999999999G", "1k"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_timeout_beyond_the_clock_is_none() {
        let timeout = Some(TimeLimit(Some(Duration::MAX)));
        assert_eq!(BudgetArgs { timeout, ..BudgetArgs::default() }.limits(&Local::default()).start().deadline, None);
    }
}
