//! Vertex programs in the log of Mesa's r300 driver, as `RADEON_DEBUG=vp` prints them: four dwords for each instruction, then flow
//! control (`r3xx_vertprog_dump.c`). Anything else in the log is skipped.

use super::{Driver, Entry, MesaError};
use ctm_pvs::{FLOW_ENTRIES, FlowEntry, FlowOp, MAX_INSTRUCTIONS, Program, text};
use ctm_text::excerpt;

/// The heading of a program's machine code.
const HEADING: &str = "Final vertex program code:";
/// What begins the line of flow control.
const FLOW: &str = "Flow Control Ops:";
/// Names of flow-control operations, by code.
const OPERATIONS: [(&str, FlowOp); 4] =
    [("NOP", FlowOp::None), ("JUMP", FlowOp::Jump), ("LOOP", FlowOp::Loop), ("JSR", FlowOp::Call)];
/// What the driver lets the loop index begin with and gain in each pass; the log does not say so.
const LOOP_STEP: i8 = 1;

/// A program in a log.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Line of the heading.
    line: usize,
    /// Dwords, four for each instruction, and the line of each.
    dwords: Vec<(usize, u32)>,
    flow: Vec<FlowEntry>,
    /// What is wrong with the first line that is.
    damage: Option<MesaError>,
}

impl Found {
    /// What is known of it.
    pub fn entry(&self) -> Entry {
        let size = self.dwords.len() / 4;
        Entry {
            driver: Driver::R300Vertex,
            stage: Some("vertex"),
            name: None,
            size,
            unit: "instructions",
            line: self.line,
        }
    }
}

/// Finds the programs of a log, line by line.
#[derive(Default)]
pub(super) struct Finder {
    current: Option<Found>,
    in_flow: bool,
}

impl Finder {
    /// Takes a line, and gives the program that ends before it.
    pub fn line(&mut self, number: usize, line: &str) -> Option<Found> {
        let line = line.trim();
        if line == HEADING {
            self.in_flow = false;
            let found = Found { line: number, dwords: Vec::new(), flow: Vec::new(), damage: None };
            return self.current.replace(found);
        }
        let current = self.current.as_mut()?;
        if line.starts_with(FLOW) {
            self.in_flow = true;
        } else if self.in_flow {
            // What a loop is repeats its registers.
            if line.starts_with("Before =") {
                return None;
            }
            match flow_entry(line) {
                Some(entry) if current.flow.len() < FLOW_ENTRIES => current.flow.push(entry),
                _ => return self.current.take(),
            }
        } else if let Some((name, dword)) = dword(line) {
            let place = current.dwords.len() % 4;
            let is_next = match name {
                Name::Operation(index) => place == 0 && index == current.dwords.len() / 4,
                Name::Source(index) => place == index + 1,
            };
            if current.dwords.len() == 4 * MAX_INSTRUCTIONS {
                current.damage.get_or_insert(MesaError::TooLong { line: number });
            } else if is_next {
                current.dwords.push((number, dword));
            } else {
                let expected = match place {
                    0 => format!("`op` of instruction {}", current.dwords.len() / 4),
                    _ => format!("`src{}` of instruction {}", place - 1, current.dwords.len() / 4),
                };
                let damage = MesaError::Unexpected { line: number, expected, found: excerpt(line) };
                current.damage.get_or_insert(damage);
            }
        } else if !line.is_empty() {
            return self.current.take();
        }
        None
    }

    /// The program that was not complete.
    pub fn finish(self) -> Option<Found> {
        self.current
    }
}

/// What a dword is.
enum Name {
    /// The first dword of an instruction.
    Operation(usize),
    /// A source.
    Source(usize),
}

/// `0: op: 0x00f02203 dst: 1o op: VE_ADD`, `src0: 0x00d10021 reg: 1i swiz: X/ Y/ Z/ W`
fn dword(line: &str) -> Option<(Name, u32)> {
    let (name, rest) = line.split_once(':')?;
    let (name, rest) = match name.strip_prefix("src") {
        Some(number) => (Name::Source(number.parse().ok()?), rest),
        None => (Name::Operation(name.parse().ok()?), rest.trim_start().strip_prefix("op:")?),
    };
    Some((name, hexadecimal(rest)?))
}

fn hexadecimal(text: &str) -> Option<u32> {
    let digits = text.trim_start().strip_prefix("0x")?.get(..8)?;
    u32::from_str_radix(digits, 16).ok()
}

/// `LOOP: uw-> 0x00010004 lw-> 0x00080001`: the registers of a flow-control entry.
fn flow_entry(line: &str) -> Option<FlowEntry> {
    let (name, rest) = line.split_once(':')?;
    let &(_, op) = OPERATIONS.iter().find(|(known, _)| *known == name.trim())?;
    let (upper, lower) = rest.split_once("lw->")?;
    let upper = hexadecimal(upper.trim_start().strip_prefix("uw->")?)?;
    let lower = hexadecimal(lower)?;
    let halves = |word: u32| (word as u16, (word >> 16) as u16);
    let ((act, count_or_target), (last, resume)) = (halves(lower), halves(upper));
    let step = if op == FlowOp::Loop { LOOP_STEP } else { 0 };
    Some(FlowEntry { op, act, count_or_target, last, resume, step, ..FlowEntry::default() })
}

/// Turns a program into assembly text of PVS.
pub(super) fn import(found: &Found) -> Result<String, MesaError> {
    if let Some(damage) = &found.damage {
        return Err(damage.clone());
    }
    let whole = found.dwords.len() / 4 * 4;
    if let Some(&(line, _)) = found.dwords.get(whole) {
        let (instruction, dword) = (whole / 4, found.dwords.len() - whole);
        let name = ["op", "src0", "src1", "src2"][dword % 4];
        return Err(MesaError::MissingDword { line, instruction, dword, name });
    }
    if whole == 0 {
        return Err(MesaError::Empty { line: found.line });
    }
    let dwords: Vec<u32> = found.dwords.iter().map(|&(_, dword)| dword).collect();
    let mut program = Program::from_dwords(&dwords).map_err(|_| MesaError::TooLong { line: found.line })?;
    program.flow[..found.flow.len()].copy_from_slice(&found.flow);
    Ok(format!("-- Compiled by Mesa's r300 driver.\n\n{}", text::print_program(&program)))
}
