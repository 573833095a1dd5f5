//! The hunt as a program: its options, what it prints, and its exit codes.

use super::campaign::{self, Plan};
use super::failure::{Failure, INVALID};
use super::subject::Entry;
use super::watchdog::Watchdog;
use super::worker;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

struct Options {
    plan: Plan,
    json: bool,
    worker: Option<PathBuf>,
    check: Option<PathBuf>,
}

fn options(entries: fn() -> Vec<Entry>, arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let plan = Plan {
        entries,
        time: Duration::from_secs(60),
        seed: now.as_nanos() as u64 >> 10,
        workers: 1,
        names: Vec::new(),
        count: u64::MAX,
        hang: Duration::from_secs(60),
        shrink: Duration::from_secs(90),
        out: std::env::temp_dir().join("ctm-hunt"),
    };
    let mut options = Options { plan, json: false, worker: None, check: None };
    let mut arguments = arguments.peekable();
    while let Some(option) = arguments.next() {
        if option == "--json" {
            options.json = true;
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("`{option}` needs a value"))?;
        let plan = &mut options.plan;
        match option.as_str() {
            "--minutes" => plan.time = Duration::from_secs_f64(60.0 * number::<f64>(&value)?),
            "--seconds" => plan.time = Duration::from_secs_f64(number(&value)?),
            "--seed" => plan.seed = number(&value)?,
            "--threads" => plan.workers = number::<u64>(&value)?.max(1),
            "--count" => plan.count = number(&value)?,
            "--out" => plan.out = value.into(),
            "--isa" | "--only" => plan.names.push(value),
            "--hang" => plan.hang = Duration::from_secs_f64(number(&value)?),
            "--shrink" => plan.shrink = Duration::from_secs_f64(number(&value)?),
            "--target" => plan.names.push(format!("target/{value}")),
            "--worker" => options.worker = Some(value.into()),
            "--check" => options.check = Some(value.into()),
            _ => return Err(format!("unknown option `{option}`")),
        }
    }
    Ok(options)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

/// Hunts among these entries, as the arguments of the process say. The exit code is 0 if nothing was found, 1 if something
/// was, and 2 if no hunt is possible.
pub fn run(entries: fn() -> Vec<Entry>) -> ExitCode {
    let options = match options(entries, std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("hunt: {error}");
            return ExitCode::from(2);
        }
    };
    let done = match (&options.worker, &options.check) {
        (Some(notes), _) => work(&options.plan, notes),
        (None, Some(path)) => return check(&options.plan, path),
        (None, None) => hunt(&options),
    };
    done.unwrap_or_else(|error| {
        eprintln!("hunt: {error}");
        ExitCode::from(2)
    })
}

fn work(plan: &Plan, notes: &Path) -> std::io::Result<ExitCode> {
    let task = worker::Task {
        entries: plan.chosen(),
        seed: plan.seed,
        stride: plan.workers,
        end: Instant::now() + plan.time,
        count: plan.count,
        hang: plan.hang,
        notes: campaign::notes(notes)?,
    };
    worker::work(task).map(|()| ExitCode::SUCCESS)
}

/// Checks a file that a hunt wrote, by the first entry of the names, or of the machine that the file's ending names.
fn check(plan: &Plan, path: &Path) -> ExitCode {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let names = if plan.names.is_empty() { vec![ending.into_owned()] } else { plan.names.clone() };
    let found = Plan { names, ..plan.clone() }.chosen().into_iter().next();
    let Some(entry) = found else {
        eprintln!("{}: what is to check it? write --target NAME or --only NAME", path.display());
        return ExitCode::from(INVALID);
    };
    let _watchdog = Watchdog::start(plan.hang);
    let found = Failure::of_check(catch_unwind(AssertUnwindSafe(|| entry.subject().check_file(path))));
    if let Some((_, what)) = &found {
        eprintln!("{what}");
    }
    Failure::code_of_file(found.as_ref())
}

fn hunt(options: &Options) -> std::io::Result<ExitCode> {
    let Options { plan, json, .. } = options;
    let (start, json) = (Instant::now(), *json);
    if !json {
        println!("seed {}", plan.seed);
    }
    let report = campaign::hunt(plan, |report, elapsed| {
        if !json {
            println!("{}", report.line(elapsed));
        }
    })?;
    if json {
        println!("{}", report.to_json(start.elapsed()));
    } else {
        print!("{}", report.text());
        println!("{}", report.line(start.elapsed()));
        for find in &report.finds {
            let file = find.file.as_deref().unwrap_or(Path::new("")).display();
            let what = find.what.lines().next().unwrap_or_default();
            println!("found: {} seed {}: {what}\n  {file}", find.name, find.seed);
        }
    }
    Ok(if report.finds.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
