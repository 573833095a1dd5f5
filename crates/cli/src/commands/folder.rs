//! `ctm info` of a folder: a line for each program of its files.

use crate::args::InfoArgs;
use crate::isa::{Finding, Loaded, ProgramArgs, load_all};
use crate::{Console, Failure, source};
use ctm_text::findings::Severity;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Longest text of a cell but the last.
const WIDEST: usize = 60;

/// A program of a file.
struct Entry {
    file: String,
    /// Which one, of a file with several.
    program: Option<String>,
    stage: &'static str,
    uses: Vec<String>,
    /// What keeps it from running here as it would there.
    not_covered: Vec<String>,
    info: Value,
}

/// Reports the programs of all files of a folder, and which files have none.
pub fn folder(args: &InfoArgs, files: &[PathBuf], console: &mut Console) -> Result<(), Failure> {
    let (mut entries, mut others) = (Vec::new(), Vec::new());
    for path in files {
        let file = path.file_name().map_or_else(|| source::name(path), |name| Path::new(name).display().to_string());
        match read(args, path, &file, console) {
            Ok(programs) => entries.extend(programs),
            Err(failure @ (Failure::Output(_) | Failure::Interrupted)) => return Err(failure),
            Err(failure) => {
                let message = failure.into_messages().into_iter().next().map(|message| message.title);
                others.push((file, message.unwrap_or_default()));
            }
        }
    }
    if args.json {
        let entry = |Entry { file, program, uses, not_covered, info, .. }: &Entry| json!({ "file": file, "program": program, "uses": uses, "not_covered": not_covered, "info": info });
        let other = |(file, message): &(String, String)| json!({ "file": file, "message": message });
        return Ok(console.json(&json!({
            "files": entries.iter().map(entry).collect::<Vec<_>>(),
            "no_programs": others.iter().map(other).collect::<Vec<_>>(),
        }))?);
    }
    table(&entries, console)?;
    for (file, message) in others {
        writeln!(console.out, "{file}: {message}")?;
    }
    Ok(())
}

/// The programs of a file.
fn read(args: &InfoArgs, path: &Path, file: &str, console: &mut Console) -> Result<Vec<Entry>, Failure> {
    let programs = load_all(&ProgramArgs { program: path.into(), ..args.program.clone() }, console)?;
    let several = programs.len() > 1;
    let entry = |(number, program): (usize, &dyn Loaded)| {
        let summary = program.summary()?;
        let title = program.title().map_or_else(|| number.to_string(), str::to_owned);
        Ok(Entry {
            file: file.to_owned(),
            program: several.then_some(title),
            stage: program.stage().unwrap_or("-"),
            uses: summary.uses(),
            not_covered: not_covered(&program.check()?, program.unsupported()),
            info: summary.json(),
        })
    };
    programs.iter().map(|program| &**program).enumerate().map(entry).collect()
}

/// What findings say about instructions that do not run here, or nowhere; each text once.
fn not_covered(findings: &[Finding], unsupported: Option<&str>) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    for Finding { message, .. } in findings {
        let counts = message.severity == Severity::Error || message.code.is_some() && message.code == unsupported;
        if counts && !titles.contains(&message.title) {
            titles.push(message.title.clone());
        }
    }
    titles
}

fn table(entries: &[Entry], console: &mut Console) -> Result<(), Failure> {
    let listed = |texts: &[String]| if texts.is_empty() { "-".into() } else { texts.join(", ") };
    let row = |entry: &Entry| {
        let program = entry.program.iter().fold(entry.file.clone(), |file, program| format!("{file} {program}"));
        [program, entry.stage.into(), listed(&entry.uses), listed(&entry.not_covered)]
    };
    let head = ["file", "stage", "uses", "not covered"].map(str::to_owned);
    let rows: Vec<[String; 4]> = std::iter::once(head).chain(entries.iter().map(row)).collect();
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(WIDEST);
    let [file, stage, uses] = [0, 1, 2].map(widest);
    for [a, b, c, d] in &rows {
        let line = format!("{a:<file$}  {b:<stage$}  {c:<uses$}  {d}");
        writeln!(console.out, "{}", line.trim_end())?;
    }
    Ok(())
}
