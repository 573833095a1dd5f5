//! Hunts for differences between engines, and for inputs that break a promise:
//!
//! ```text
//! hunt [--minutes N] [--isa x1k|r700|sm50|lane] [--target NAME] [--only PREFIX] [--seed S] [--threads T] [--count N]
//!      [--out DIR] [--json]
//! ```
//!
//! Without `--isa`, `--target` and `--only`, everything is hunted. The seed is new each time, and printed. `--count` is the
//! most that each worker checks of each entry. Finds are shrunk and written to the folder of `--out`; the exit code is 1 if
//! there are any. The options `--worker` and `--check` are for the processes that a hunt starts.

use ctm_testkit::hunt::campaign::{self, INVALID, Plan, WRONG};
use ctm_testkit::hunt::{subject, worker};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

struct Options {
    plan: Plan,
    target: Option<String>,
    json: bool,
    worker: Option<PathBuf>,
    check: Option<PathBuf>,
}

fn options(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let plan = Plan {
        time: Duration::from_secs(60),
        seed: now.as_nanos() as u64 >> 10,
        workers: 1,
        names: Vec::new(),
        count: u64::MAX,
        out: std::env::temp_dir().join("ctm-hunt"),
    };
    let mut options = Options { plan, target: None, json: false, worker: None, check: None };
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
            "--target" => {
                plan.names.push(format!("target/{value}"));
                options.target = Some(value);
            }
            "--worker" => options.worker = Some(value.into()),
            "--check" => options.check = Some(value.into()),
            _ => return Err(format!("`{option}` is no option")),
        }
    }
    Ok(options)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("hunt: {error}");
            return ExitCode::from(2);
        }
    };
    let done = match (&options.worker, &options.check) {
        (Some(notes), _) => work(&options.plan, notes),
        (None, Some(path)) => return check(options.target.as_deref(), path),
        (None, None) => hunt(&options),
    };
    done.unwrap_or_else(|error| {
        eprintln!("hunt: {error}");
        ExitCode::from(2)
    })
}

fn work(plan: &Plan, notes: &Path) -> std::io::Result<ExitCode> {
    let task = worker::Task {
        entries: plan.entries(),
        seed: plan.seed,
        stride: plan.workers,
        end: Instant::now() + plan.time,
        count: plan.count,
        notes: campaign::notes(notes)?,
    };
    worker::work(task).map(|()| ExitCode::SUCCESS)
}

fn check(target: Option<&str>, path: &Path) -> ExitCode {
    let code = match std::panic::catch_unwind(|| subject::check_file(target, path)) {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(error)) if !error.contains(ctm_testkit::filetest::DISAGREEMENT) => (INVALID, error),
        Ok(Err(error)) => (WRONG, error),
        Err(_) => (WRONG, "it panicked".into()),
    };
    eprintln!("{}", code.1);
    ExitCode::from(code.0 as u8)
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
