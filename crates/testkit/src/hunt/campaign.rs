//! A campaign: worker processes, what they count and find, and what is left of their finds after shrinking.

use super::failure::Failure;
use super::subject::{Entry, Evidence};
use super::tally::Tally;
use super::{shrink, worker};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often workers are looked after.
const LOOK: Duration = Duration::from_millis(250);
/// How many finds of an entry are shrunk.
const SHRUNK: usize = 3;
/// A check of a shrunk candidate that takes longer hangs, whatever the plan says.
const PROBE: Duration = Duration::from_secs(20);
/// How often a line of progress is printed.
const PROGRESS: Duration = Duration::from_secs(60);

/// What to hunt.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Everything that can be hunted.
    pub entries: fn() -> Vec<Entry>,
    /// How long.
    pub time: Duration,
    /// The first seed.
    pub seed: u64,
    /// Worker processes.
    pub workers: u64,
    /// Beginnings of names of entries; all entries if there are none.
    pub names: Vec<String>,
    /// Most seeds of an entry in each worker.
    pub count: u64,
    /// A check that takes longer hangs; time is that of its process on processors.
    pub hang: Duration,
    /// Time to shrink one find.
    pub shrink: Duration,
    /// Where finds go.
    pub out: PathBuf,
}

/// Something that was found.
#[derive(Clone, Debug)]
pub struct Find {
    /// Entry.
    pub name: String,
    /// Seed.
    pub seed: u64,
    /// How the check fails.
    pub failure: Failure,
    /// What differs, the panic, the signal, or that it hangs.
    pub what: String,
    /// The file that shows it.
    pub file: Option<PathBuf>,
}

/// What came of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Counters by entry.
    pub tallies: BTreeMap<String, Tally>,
    /// Finds, in the order in which they were made.
    pub finds: Vec<Find>,
}

impl Plan {
    /// The entries that the names choose.
    pub fn chosen(&self) -> Vec<Entry> {
        let chosen =
            |entry: &Entry| self.names.is_empty() || self.names.iter().any(|name| entry.name.starts_with(name));
        (self.entries)().into_iter().filter(chosen).collect()
    }
}

/// A worker process.
struct Worker {
    child: Child,
    notes: PathBuf,
}

/// A message of a worker: the line, and which worker it is.
type Event = (u64, Value);

/// Hunts with processes of this program, which understands `--worker`.
///
/// # Errors
/// If processes or files cannot be made.
pub fn hunt(plan: &Plan, mut progress: impl FnMut(&Report, Duration)) -> io::Result<Report> {
    fs::create_dir_all(&plan.out)?;
    let start = Instant::now();
    let end = start + plan.time;
    let (sender, events) = channel();
    let mut workers: Vec<(u64, Option<Worker>)> = Vec::new();
    for number in 0..plan.workers {
        workers.push((number, Some(begin(plan, number, plan.seed + number, plan.time, &sender)?)));
    }
    let mut report = Report::default();
    // Counters of each life of each worker: a worker that crashed begins anew.
    let mut counts: BTreeMap<(u64, String), Tally> = BTreeMap::new();
    let mut lives = plan.workers;
    let mut spoken = start;
    while workers.iter().any(|(_, worker)| worker.is_some()) {
        thread::sleep(LOOK);
        listen(&events, &mut counts, &mut report);
        for (life, slot) in &mut workers {
            let Some(worker) = slot else { continue };
            let Some(status) = worker.child.try_wait()? else { continue };
            let note = fs::read_to_string(&worker.notes).unwrap_or_default();
            *slot = None;
            let Some(failure) = Failure::of_process(status) else { continue };
            let what = match failure {
                Failure::Hang => format!("it takes longer than {:?}", plan.hang),
                Failure::Difference | Failure::Panic | Failure::Crash => format!("the process died: {status}"),
            };
            let mut words = note.split_whitespace();
            let (Some(name), Some(Ok(seed))) = (words.next(), words.next().map(str::parse)) else { continue };
            report.finds.push(Find { name: name.to_owned(), seed, failure, what, file: None });
            if Instant::now() < end {
                // The next life goes on with other seeds.
                *life = lives;
                lives += 1;
                let seed = plan.seed ^ lives << 40;
                *slot = Some(begin(plan, *life, seed, end - Instant::now(), &sender)?);
            }
        }
        sum(&counts, &mut report);
        if spoken.elapsed() >= PROGRESS {
            spoken = Instant::now();
            progress(&report, start.elapsed());
        }
    }
    listen(&events, &mut counts, &mut report);
    sum(&counts, &mut report);
    let mut of_entry: BTreeMap<String, usize> = BTreeMap::new();
    for find in &mut report.finds {
        let number = of_entry.entry(find.name.clone()).or_default();
        *number += 1;
        find.file = Some(write(plan, find, *number <= SHRUNK)?);
    }
    Ok(report)
}

fn begin(plan: &Plan, life: u64, seed: u64, time: Duration, sender: &Sender<Event>) -> io::Result<Worker> {
    let notes = plan.out.join(format!("worker-{life}.note"));
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--worker".into(), notes.clone().into_os_string()]);
    command.args(["--seconds", &time.as_secs_f64().to_string(), "--seed", &seed.to_string()]);
    command.args(["--threads", &plan.workers.to_string(), "--count", &plan.count.to_string()]);
    command.args(["--hang", &plan.hang.as_secs_f64().to_string()]);
    for name in &plan.names {
        command.args(["--only", name]);
    }
    // What a panic prints comes with its find.
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let (lines, sender) = (child.stdout.take(), sender.clone());
    thread::spawn(move || {
        for line in lines.into_iter().flat_map(|lines| BufReader::new(lines).lines()).map_while(Result::ok) {
            if let Ok(value) = serde_json::from_str(&line)
                && sender.send((life, value)).is_err()
            {
                return;
            }
        }
    });
    Ok(Worker { child, notes })
}

fn listen(events: &Receiver<Event>, counts: &mut BTreeMap<(u64, String), Tally>, report: &mut Report) {
    for (life, value) in events.try_iter() {
        let failure = |find: &Value| Failure::parse(find["failure"].as_str()?);
        if let Some(find) = value.get("find")
            && let Some(failure) = failure(find)
        {
            report.finds.push(Find {
                name: find["name"].as_str().unwrap_or_default().to_owned(),
                seed: find["seed"].as_u64().unwrap_or_default(),
                failure,
                what: find["what"].as_str().unwrap_or_default().to_owned(),
                file: None,
            });
        }
        for (name, tally) in value["counts"].as_object().into_iter().flatten() {
            counts.insert((life, name.clone()), Tally::from_json(tally));
        }
    }
}

fn sum(counts: &BTreeMap<(u64, String), Tally>, report: &mut Report) {
    report.tallies.clear();
    for ((_, name), tally) in counts {
        report.tallies.entry(name.clone()).or_default().add(tally);
    }
}

/// Writes the file that shows a find.
fn write(plan: &Plan, find: &Find, may_shrink: bool) -> io::Result<PathBuf> {
    let stem = format!("{}-{}", find.name.replace('/', "-"), find.seed);
    let described = plan.out.join(format!("{stem}.txt"));
    fs::write(&described, format!("hunt --only {} --seed {} --count 1\n{}\n", find.name, find.seed, find.what))?;
    let entry = (plan.entries)().into_iter().find(|entry| entry.name == find.name);
    let Some(evidence) = entry.and_then(|entry| entry.subject().evidence(find.seed)) else { return Ok(described) };
    let end = Instant::now() + if may_shrink { plan.shrink } else { Duration::ZERO };
    let candidate = plan.out.join("candidate");
    let fails = |contents: &[u8]| fs::write(&candidate, contents).is_ok() && probe(plan, find, &candidate);
    let (ending, contents) = match evidence {
        Evidence::Text(ending, text) => (ending, shrink::text(&text, end, |text| fails(text.as_bytes())).into_bytes()),
        Evidence::Bytes(bytes) => ("bin", shrink::bytes(bytes, end, fails)),
    };
    let file = plan.out.join(format!("{stem}.{ending}"));
    fs::write(&file, contents)?;
    Ok(file)
}

/// Whether the check of the file fails as the find did.
fn probe(plan: &Plan, find: &Find, path: &Path) -> bool {
    let Ok(program) = std::env::current_exe() else { return false };
    let mut command = Command::new(program);
    command.arg("--check").arg(path).args(["--only", &find.name]);
    command.args(["--hang", &PROBE.min(plan.hang).as_secs_f64().to_string()]);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| Failure::of_process(status) == Some(find.failure))
}

/// Opens the file of a worker's notes.
///
/// # Errors
/// If there can be none.
pub fn notes(path: &Path) -> io::Result<File> {
    let file = File::create(path)?;
    file.set_len(worker::NOTE as u64)?;
    Ok(file)
}

impl Report {
    /// Counters of all entries that begin so.
    pub fn of(&self, prefix: &str) -> Tally {
        let mut all = Tally::default();
        self.tallies.iter().filter(|(name, _)| name.starts_with(prefix)).for_each(|(_, tally)| all.add(tally));
        all
    }

    /// The groups of entries: guests, the lane IR, and fuzz targets.
    fn groups(&self) -> BTreeSet<&str> {
        self.tallies.keys().map(|name| name.split('/').next().unwrap_or(name)).collect()
    }

    /// Programs and finds so far, in one line.
    pub fn line(&self, elapsed: Duration) -> String {
        let of = |group: &str| {
            let Tally { programs, compiled, .. } = self.of(group);
            format!("{group} {programs} ({compiled} compiled)")
        };
        let groups: Vec<String> = self.groups().into_iter().map(of).collect();
        format!("{:.1} min: {}; {} finds", elapsed.as_secs_f64() / 60.0, groups.join(", "), self.finds.len())
    }

    /// All counters as text, an entry each paragraph.
    pub fn text(&self) -> String {
        let list = |map: &BTreeMap<String, u64>| {
            map.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::new();
        for (name, tally) in &self.tallies {
            let seconds = tally.micros as f64 / 1e6;
            let rate = tally.programs as f64 / seconds.max(1e-6);
            text += &format!(
                "{name}: {} in {seconds:.0} s ({rate:.0}/s), {} compiled, {} trapped\n",
                tally.programs, tally.compiled, tally.trapped
            );
            for (what, map) in [("not compiled", &tally.refused), ("traps", &tally.traps), ("code", &tally.checks)] {
                if !map.is_empty() {
                    text += &format!("  {what}: {}\n", list(map));
                }
            }
        }
        for group in self.groups() {
            let operations = self.of(group).operations;
            if operations.is_empty() {
                continue;
            }
            let never: Vec<&str> =
                operations.iter().filter(|(_, count)| **count == 0).map(|(name, _)| name.as_str()).collect();
            let reached = operations.len() - never.len();
            text += &format!("{group}: operations {reached}/{}, never: {}\n", operations.len(), never.join(" "));
        }
        text
    }

    /// The same for scripts, in one line.
    pub fn to_json(&self, elapsed: Duration) -> Value {
        let finds = self.finds.iter().map(|find| {
            let file = find.file.as_ref().map(|file| file.display().to_string());
            let (failure, what) = (find.failure.name(), &find.what);
            json!({ "name": find.name, "seed": find.seed, "failure": failure, "what": what, "file": file })
        });
        let tallies: BTreeMap<&String, Value> =
            self.tallies.iter().map(|(name, tally)| (name, tally.to_json())).collect();
        json!({ "seconds": elapsed.as_secs_f64(), "finds": finds.collect::<Vec<_>>(), "entries": tallies })
    }
}
