//! Filetests of the lane IR: one text file is a function, and what it runs on. Every backend has to agree with the plain
//! evaluator on memory, on the instructions executed, and on whether a group stops.
//!
//! The function is its text; the directive is a comment line in it:
//!
//! ```text
//! ;; agree: --surface FLOAT32_4:linear:64x9:clamp --data wild:2 --domain 3,1..40,4 --budget 1000
//! ```
//!
//! There is a `--surface` for each of the function: its format, its order of elements, its columns and rows, and what is
//! outside (`clamp` or `drop`). `--data` is what is in memory and tables: `wild`, `tame` or `sparse`, and a number that
//! chooses among contents of the kind. `--budget` is how many steps a group may execute.

use super::functions::Kind;
use super::support::Data;
use super::{Differential, Draft};
use crate::filetest::value::{Parsed, one, one_of, options, several};
use ctm_lane::Function;
use ctm_lane::domain::Domain;
use ctm_memory::{Bounds, Format, Tiling};
use std::path::Path;

const DIRECTIVE: &str = ";; agree:";
/// Elements that memory has for each surface.
const MOST_ELEMENTS: u32 = 1 << 12;
/// Lanes of a file.
const MOST_LANES: u64 = 1 << 12;

/// Runs the file, and says what is wrong.
pub fn run(path: &Path) -> Result<(), String> {
    let name = path.display();
    let source = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    check(&source).map_err(|error| format!("{name}: {error}"))
}

fn check(source: &str) -> Parsed<()> {
    let draft = read(source)?;
    Differential::new().check_draft(&draft)
}

fn read(source: &str) -> Parsed<Draft> {
    let function: Function = source.parse().map_err(|error| format!("{error}"))?;
    let line = source.lines().find_map(|line| line.trim().strip_prefix(DIRECTIVE));
    let line = line.ok_or_else(|| format!("there is no `{DIRECTIVE}` line"))?;
    let domain = Domain { i0: 0, j0: 0, i1: 15, j1: 0 };
    let mut draft = Draft { function, surfaces: Vec::new(), data: (Data::Wild, 0), domain, budget: u64::MAX };
    for (option, value) in options(line, &[])? {
        match option {
            "--surface" => draft.surfaces.push(surface(value)?),
            "--data" => {
                let (name, seed) = value.split_once(':').ok_or("write --data KIND:NUMBER")?;
                draft.data = (one_of(name, &Data::ALL)?, one(seed)?);
            }
            "--domain" => draft.domain = area(value)?,
            "--budget" => draft.budget = one(value)?,
            _ => return Err(format!("unknown option `{option}`")),
        }
    }
    if draft.surfaces.len() != draft.function.surfaces.len() {
        return Err(format!("the function has {} surfaces", draft.function.surfaces.len()));
    }
    Ok(draft)
}

fn name_of(value: impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

fn area(text: &str) -> Parsed<Domain> {
    let (first, last) = text.split_once("..").ok_or("write --domain I,J..I,J")?;
    let ([i0, j0], [i1, j1]) = (several(first, ',', one)?, several(last, ',', one)?);
    let domain = Domain { i0, j0, i1, j1 };
    if i1 < i0 || j1 < j0 || domain.lanes() > MOST_LANES {
        return Err(format!("a domain has 1 to {MOST_LANES} lanes"));
    }
    Ok(domain)
}

fn surface(text: &str) -> Parsed<Kind> {
    let parts: Vec<&str> = text.split(':').collect();
    let [format, tiling, sides, bounds] = parts[..] else { return Err("write FORMAT:TILING:WxH:BOUNDS".into()) };
    let [width, height]: [u32; 2] = several(sides, 'x', one)?;
    if width == 0 || width.saturating_mul(height.max(1)) > MOST_ELEMENTS {
        return Err(format!("a surface has 1 to {MOST_ELEMENTS} elements"));
    }
    let format = Format::parse(format).ok_or_else(|| format!("unknown format `{format}`"))?;
    let tiling = one_of(tiling, &[Tiling::Linear, Tiling::Tiled])?;
    Ok((format, tiling, width, height, one_of(bounds, &[Bounds::Clamp, Bounds::Drop])?))
}

/// The file of a draft.
pub fn print(draft: &Draft) -> String {
    let Domain { i0, j0, i1, j1 } = draft.domain;
    let (data, seed) = draft.data;
    let mut options =
        format!(" --data {}:{seed} --domain {i0},{j0}..{i1},{j1} --budget {}", name_of(data), draft.budget);
    for &(format, tiling, width, height, bounds) in &draft.surfaces {
        options += &format!(" --surface {format}:{}:{width}x{height}:{}", name_of(tiling), name_of(bounds));
    }
    format!("{DIRECTIVE}{options}\n{}", draft.function)
}

#[cfg(test)]
mod tests {
    use super::super::draft;
    use super::{check, print, read};

    #[test]
    fn drafts_read_back() {
        for seed in 0..40 {
            let draft = draft(seed);
            let text = print(&draft);
            let again = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(format!("{draft:?}"), format!("{again:?}"));
        }
    }

    #[test]
    fn what_is_no_file_is_refused() {
        for (text, expected) in [
            ("b0:\n    return", "no `;; agree:`"),
            (";; agree: --surface FLOAT32_4:linear:64x1:drop\nb0:\n    return", "0 surfaces"),
            (";; agree: --data wild:x\nb0:\n    return", "not a value"),
            (";; agree: --domain 4,4..3,9\nb0:\n    return", "lanes"),
            (";; agree:\nb0:\n    jump b1", "b1"),
        ] {
            let error = check(text).err().unwrap_or_default();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
