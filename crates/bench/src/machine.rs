//! The machine that is measured, as Linux describes it. What cannot be found out is left out.

use serde_json::{Map, Value};
use std::fs::{read_to_string, write};
use std::process::Command;

/// Names and values, in words.
#[derive(Clone, Debug, Default)]
pub struct Machine(pub Vec<(&'static str, String)>);

impl Machine {
    /// This machine, and how busy it is.
    pub fn new() -> Self {
        let mut facts = Vec::new();
        let mut fact = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
        fact(
            "date",
            Command::new("date")
                .args(["-u", "+%Y-%m-%d"])
                .output()
                .ok()
                .and_then(|output| Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())),
        );
        fact(
            "processor",
            value_in("/proc/cpuinfo", "model name").map(|name| match value_in("/proc/cpuinfo", "cpu family") {
                Some(family) => format!("{name} (family {family})"),
                None => name,
            }),
        );
        fact("cores", std::thread::available_parallelism().ok().map(|cores| cores.to_string()));
        let cache = |index| read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size")).ok();
        let caches: Vec<String> = [(0, "L1"), (2, "L2"), (3, "L3")]
            .into_iter()
            .filter_map(|(index, name)| Some(format!("{name} {}", cache(index)?.trim())))
            .collect();
        fact("caches", (!caches.is_empty()).then(|| caches.join(", ")));
        fact("memory", value_in("/proc/meminfo", "MemTotal"));
        let load = read_to_string("/proc/loadavg").ok();
        let load = load.and_then(|load| load.split(' ').next()?.parse::<f64>().ok());
        fact("load before the run", load.filter(|&load| load > 0.0).map(|load| format!("{load:.2}")));
        Machine(facts)
    }

    /// The facts as a JSON object.
    pub fn json(&self) -> Value {
        self.0
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::from(value.as_str())))
            .collect::<Map<_, _>>()
            .into()
    }
}

/// The value after the first such name in a file of lines "name : value".
fn value_in(path: &str, name: &str) -> Option<String> {
    let text = read_to_string(path).ok()?;
    let mut values = text.lines().filter_map(|line| line.split_once(':'));
    values.find(|(known, _)| known.trim() == name).map(|(_, value)| value.trim().to_owned())
}

/// Seconds of processor time, user's and system's, of the processes that this one has started and waited for.
pub fn children_time() -> Option<f64> {
    time_in(&read_to_string("/proc/self/stat").ok()?)
}

/// The same, in proc(5)'s `stat`: fields 16 and 17, in hundredths of a second on every architecture that Linux has glibc for but Alpha.
fn time_in(stat: &str) -> Option<f64> {
    // The second field is a name in parentheses, which may have blanks in it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Lets the count of [`peak_memory`] begin anew.
pub fn forget_peak_memory() {
    // Where this is not possible, the peak is that of the whole process.
    let _ = write("/proc/self/clear_refs", "5");
}

/// Most bytes of memory that this process has occupied.
pub fn peak_memory() -> Option<u64> {
    let text = value_in("/proc/self/status", "VmHWM")?;
    let kibibytes: u64 = text.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_children_is_the_user_s_and_the_system_s() {
        let stat = "77 (a (b) c) S 1 77 77 0 -1 4194304 1 2 3 4 500 600 1234 66 20 0 1 0 99 1 2";
        assert_eq!(time_in(stat), Some(13.0));
        assert_eq!(time_in("77 (a) S 1"), None);
    }
}
