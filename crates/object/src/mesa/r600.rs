//! The log of Mesa's r600 driver: programs that it compiled for R600 and R700 chips, as `R600_DEBUG=ps,vs` prints them.
//!
//! Each line of a program has the place of its first dword and one to four dwords; what follows is for people. A heading
//! gives the length in dwords, the registers and the stack entries. There are two forms of both, one of the driver
//! (`r600_asm.c`) and one of its optimizer (`sb_bc_dump.cpp`), which also names the stage and the chip. `R600_DEBUG=fs` prints fetch
//! programs, after the vertex elements that each is for. A listing without any heading is one program.

use super::{Driver, Entry, MesaError};
use crate::r700::MAX_QWORDS;
use ctm_r700::{Cf, ExportType, ExportVariant, Family, Outline, Program, Stage, text};
use ctm_text::excerpt;

/// What a heading says of a program.
#[derive(Clone, Debug)]
struct Heading {
    dwords: usize,
    gprs: u8,
    stack: u8,
}

/// A program in a log.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Line of the heading, or of the first dword.
    line: usize,
    heading: Option<Heading>,
    /// What the log says of it before the heading.
    target: Target,
    /// The chip, with the line that names it.
    chip: Option<(usize, String)>,
    /// Lines with dwords: number of the line, place of the first dword, dwords.
    code: Vec<(usize, usize, Vec<u32>)>,
}

/// What a log says of the program that follows.
#[derive(Clone, Debug, Default)]
struct Target {
    stage: Option<Stage>,
    name: Option<String>,
}

/// Most lines with dwords of a program that are kept: those of the longest program, and its literals.
const MOST_LINES: usize = 4 * MAX_QWORDS;

impl Found {
    /// What is known of it.
    pub fn entry(&self) -> Entry {
        let found = || self.code.iter().map(|(_, place, dwords)| place.saturating_add(dwords.len())).max();
        let size = self.heading.as_ref().map_or_else(|| found().unwrap_or_default(), |heading| heading.dwords);
        // Of a program that is mostly missing, the stage does not show; headings may name any length.
        let listed: usize = self.code.iter().map(|(_, _, dwords)| dwords.len()).sum();
        let is_whole = size / 8 <= listed;
        let stage = self.target.stage.or_else(|| {
            let image = Program::from_dwords(&is_whole.then(|| image(self).ok())??);
            Some(implied_stage(&image))
        });
        let (stage, name) = (stage.map(Stage::name), self.target.name.clone());
        Entry { driver: Driver::R600, stage, name, size, unit: "dwords", line: self.line }
    }
}

/// Finds the programs of a log, line by line.
#[derive(Default)]
pub(super) struct Finder {
    current: Option<Found>,
    target: Target,
    chip: Option<String>,
    has_found: bool,
}

impl Finder {
    /// Takes a line, and gives the program that ends before it.
    pub fn line(&mut self, line: usize, text: &str) -> Option<Found> {
        if let Some(heading) = heading(text) {
            let (target, chip) = (std::mem::take(&mut self.target), self.chip.take().map(|chip| (line, chip)));
            self.has_found = true;
            return self.current.replace(Found { line, heading: Some(heading), target, chip, code: Vec::new() });
        }
        if let Some((target, chip)) = optimizer_target(text) {
            (self.target, self.chip) = (target, Some(chip));
        } else if text.starts_with(FETCH_HEADING) {
            self.target = Target { stage: Some(Stage::Fetch), name: None };
        } else if let Some(program) = &mut self.current {
            if let Some(chip) = driver_target(text) {
                program.chip = Some((line, chip));
            } else if let Some((place, dwords)) = dwords(text).filter(|_| program.code.len() < MOST_LINES) {
                program.code.push((line, place, dwords));
            }
        } else if let Some((0, dwords)) = dwords(text).filter(|(_, dwords)| dwords.len() > 1 && !self.has_found) {
            self.has_found = true;
            let (target, code) = (std::mem::take(&mut self.target), vec![(line, 0, dwords)]);
            self.current = Some(Found { line, heading: None, target, chip: None, code });
        }
        None
    }

    /// The program that was not complete.
    pub fn finish(self) -> Option<Found> {
        self.current
    }
}

/// What the driver prints before a fetch program: the vertex elements that it is for.
const FETCH_HEADING: &str = "Vertex elements state:";

/// `bytecode 80 dw -- 4 gprs -- 2 nstack ---`, `===== 80 dw ===== 4 gprs ===== 2 stack ===`, `80 dwords, 4 gprs, stack 2`
fn heading(line: &str) -> Option<Heading> {
    // Most lines of a log are none.
    if !line.contains("gprs") {
        return None;
    }
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let place = |names: &[&str]| words.iter().position(|word| names.contains(word));
    let before = |names: &[&str]| place(names)?.checked_sub(1).map(|at| words[at]);
    let dwords = before(&["dw", "dwords"])?.parse().ok()?;
    let gprs = before(&["gprs"])?.parse().ok()?;
    let stack = place(&["stack", "nstack"])?;
    let number = |at: usize| words.get(at)?.parse().ok();
    let stack = number(stack.wrapping_sub(1)).or_else(|| number(stack + 1))?;
    Some(Heading { dwords, gprs, stack })
}

/// `===== SHADER #12 ======= PS/RV770/R700 =====`: what it is, and the chip.
fn optimizer_target(line: &str) -> Option<(Target, String)> {
    let (_, rest) = line.split_once("SHADER #")?;
    let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let target: Vec<&str> = line.split_whitespace().find(|word| word.matches('/').count() == 2)?.split('/').collect();
    let name = (!number.is_empty()).then(|| format!("shader {number}"));
    Some((Target { stage: Stage::parse(target[0]), name }, target[2].to_owned()))
}

/// `shader 7 -- 7`: the last digit or letter stands for the family.
fn driver_target(line: &str) -> Option<String> {
    let (number, chip) = line.trim().strip_prefix("shader ")?.split_once(" -- ")?;
    number.parse::<usize>().ok()?;
    Some(match chip {
        "6" => "R600".to_owned(),
        "7" => "R700".to_owned(),
        other => other.to_owned(),
    })
}

/// `0004 00000009 83000000  LOOP_START_DX10 @18`: the place and the dwords.
fn dwords(line: &str) -> Option<(usize, Vec<u32>)> {
    let mut words =
        line.trim_start().starts_with(|first: char| first.is_ascii_digit()).then(|| line.split_whitespace())?;
    let place = words.next().filter(|word| word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let hexadecimal = |word: &&str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let dwords: Vec<u32> =
        words.take_while(hexadecimal).take(4).filter_map(|word| u32::from_str_radix(word, 16).ok()).collect();
    if dwords.is_empty() { None } else { Some((place.parse().ok()?, dwords)) }
}

/// Turns a program into assembly text, which assembles to the words of the log.
///
/// If the log does not name the stage, a program that exports positions or parameters is a vertex shader.
pub(super) fn import(found: &Found) -> Result<String, MesaError> {
    let mut program = Program::from_dwords(&image(found)?);
    program.info.family = family(found)?;
    if let Some(Heading { gprs, stack, .. }) = found.heading {
        (program.info.num_gprs, program.info.stack_size) = (gprs, Some(stack));
    }
    program.info.stage = found.target.stage.unwrap_or_else(|| implied_stage(&program));
    let heading =
        "; Compiled by Mesa's r600 driver, which gives every loop constant 4095 passes, start 0 and step 1.\n\n";
    Ok(format!("{heading}{}", text::print_program(&program)))
}

fn family(found: &Found) -> Result<Family, MesaError> {
    match &found.chip {
        None => Ok(Family::R700),
        Some((line, chip)) => Family::parse(chip).ok_or_else(|| MesaError::Chip { line: *line, chip: excerpt(chip) }),
    }
}

fn implied_stage(program: &Program) -> Stage {
    let outline = Outline::of(&program.code, program.info.family);
    let exports_vertex = outline.cf.iter().any(|cf| match cf {
        Cf::Export(export) if matches!(export.variant, ExportVariant::Swizzle(_)) => {
            matches!(export.export_type(), ExportType::Position | ExportType::Parameter)
        }
        _ => false,
    });
    if exports_vertex { Stage::Vertex } else { Stage::Pixel }
}

/// The dwords of the program. Those that the listing leaves out are zero: the fourth of fetches, fillers.
fn image(found: &Found) -> Result<Vec<u32>, MesaError> {
    if found.code.is_empty() {
        return Err(MesaError::Empty { line: found.line });
    }
    let end = found.code.iter().map(|(_, place, dwords)| place.saturating_add(dwords.len())).max().unwrap_or_default();
    let length = found.heading.as_ref().map_or(end.saturating_add(end % 2), |heading| heading.dwords);
    if length > MAX_QWORDS * 2 {
        return Err(MesaError::TooLong { line: found.line });
    }
    let mut image = vec![None; length];
    for (line, place, dwords) in &found.code {
        for (index, &dword) in (*place..).zip(dwords) {
            let Some(known) = image.get_mut(index) else {
                let expected = format!("the place of one of {length} dwords");
                return Err(MesaError::Unexpected { line: *line, expected, found: index.to_string() });
            };
            if *known.get_or_insert(dword) != dword {
                return Err(MesaError::Conflict { line: *line, index });
            }
        }
    }
    // The listing may leave out the last dword of a fetch or the filler of a literal, not more.
    let end = image.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    if end + 1 < image.len() {
        return Err(MesaError::CutOff { line: found.line, expected: image.len(), found: end });
    }
    Ok(image.into_iter().map(Option::unwrap_or_default).collect())
}
