//! Shaders as text, in the form in which they were understood: every statement with its line, nesting by indentation.

use super::ast::{
    Comparison, Condition, Dest, Dimension, File, Guard, Instruction, Register, Shader, Source, Statement,
};
use super::version::Version;
use std::fmt::{self, Display, Formatter};

/// What channels are called.
const CHANNELS: [char; 4] = ['x', 'y', 'z', 'w'];
const IDENTITY: [u8; 4] = [0, 1, 2, 3];

impl Display for Shader {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.version.name())?;
        for (index, bits) in &self.floats {
            let numbers = bits.map(|bits| format!("{:?}", f32::from_bits(bits))).join(", ");
            writeln!(f, "def c{index}, {numbers}")?;
        }
        for (index, numbers) in &self.integers {
            writeln!(f, "defi i{index}, {}", numbers.map(|number| number.to_string()).join(", "))?;
        }
        for (index, value) in &self.booleans {
            writeln!(f, "defb b{index}, {value}")?;
        }
        for input in self.inputs.values() {
            match input.register.file {
                File::Input if self.version >= Version::Ps30 => {
                    writeln!(f, "dcl_{} {}{}", input.usage, input.register, mask(input.mask))?;
                }
                _ => writeln!(f, "dcl {}{}", input.register, mask(input.mask))?,
            }
        }
        for (index, dimension) in &self.samplers {
            let dimension = match dimension {
                Dimension::Plane => "2d",
                Dimension::Cube => "cube",
                Dimension::Volume => "volume",
            };
            writeln!(f, "dcl_{dimension} s{index}")?;
        }
        statements(f, &self.body, 0)?;
        for (label, body) in &self.subroutines {
            writeln!(f, "ret\nlabel l{label}")?;
            statements(f, body, 1)?;
        }
        f.write_str(if self.subroutines.is_empty() { "end\n" } else { "ret\nend\n" })
    }
}

fn statements(f: &mut Formatter<'_>, all: &[Statement], depth: usize) -> fmt::Result {
    for statement in all {
        let mut line = |depth: usize, text: &str, number: u32| {
            let text = format!("{:1$}{text}", "", 4 * depth);
            writeln!(f, "{text:<60} // line {number}")
        };
        match statement {
            Statement::Do(instruction) => line(depth, &instruction.to_string(), instruction.line)?,
            Statement::If { condition, then, otherwise, line: number } => {
                line(depth, &conditional("if", condition), *number)?;
                statements(f, then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{:1$}else", "", 4 * depth)?;
                    statements(f, otherwise, depth + 1)?;
                }
                writeln!(f, "{:1$}endif", "", 4 * depth)?;
            }
            Statement::Repeat { passes, counts, body, line: number } => {
                let (head, end) = if *counts { ("loop aL, i", "endloop") } else { ("rep i", "endrep") };
                line(depth, &format!("{head}{passes}"), *number)?;
                statements(f, body, depth + 1)?;
                writeln!(f, "{:1$}{end}", "", 4 * depth)?;
            }
            Statement::Break { condition: None, line: number } => line(depth, "break", *number)?,
            Statement::Break { condition: Some(condition), line: number } => {
                line(depth, &conditional("break", condition), *number)?;
            }
            Statement::Call { label, condition: None, line: number } => {
                line(depth, &format!("call l{label}"), *number)?
            }
            Statement::Call { label, condition: Some(condition), line: number } => {
                line(depth, &format!("callnz l{label}, {}", operands(condition)), *number)?;
            }
        }
    }
    Ok(())
}

/// `if_gt a, b`, `if b0`, `breakp p0.x`.
fn conditional(name: &str, condition: &Condition) -> String {
    match condition {
        Condition::Compare(comparison, ..) => format!("{name}_{} {}", spelling(*comparison), operands(condition)),
        Condition::Predicate { .. } if name == "break" => format!("breakp {}", operands(condition)),
        Condition::Predicate { .. } | Condition::Boolean { .. } => format!("{name} {}", operands(condition)),
    }
}

fn operands(condition: &Condition) -> String {
    let not = |invert: bool| if invert { "!" } else { "" };
    match condition {
        Condition::Boolean { index, invert } => format!("{}b{index}", not(*invert)),
        Condition::Predicate { channel, invert } => format!("{}p0.{}", not(*invert), CHANNELS[usize::from(*channel)]),
        Condition::Compare(_, a, b) => format!("{a}, {b}"),
    }
}

fn spelling(comparison: Comparison) -> &'static str {
    Comparison::SPELLINGS.iter().find(|(_, known)| *known == comparison).map_or("", |(spelling, _)| spelling)
}

fn mask(mask: u8) -> String {
    if mask == 0xF { String::new() } else { format!(".{}", channels(mask)) }
}

fn channels(mask: u8) -> String {
    (0..4).filter(|channel| mask >> channel & 1 != 0).map(|channel| CHANNELS[channel]).collect()
}

fn swizzle(channels: [u8; 4]) -> String {
    let mut letters: Vec<char> = channels.map(|channel| CHANNELS[usize::from(channel)]).to_vec();
    // What stands last counts for the rest.
    while letters.len() > 1 && letters[letters.len() - 1] == letters[letters.len() - 2] {
        letters.pop();
    }
    letters.into_iter().collect()
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(Guard { swizzle: channels, invert }) = self.guard {
            let not = if invert { "!" } else { "" };
            let channels = if channels == IDENTITY { String::new() } else { format!(".{}", swizzle(channels)) };
            write!(f, "({not}p0{channels}) ")?;
        }
        f.write_str(self.op.row().name)?;
        if let Some(comparison) = self.comparison {
            write!(f, "_{}", spelling(comparison))?;
        }
        if self.saturate {
            f.write_str("_sat")?;
        }
        let mut separator = " ";
        if let Some(dest) = self.dest {
            write!(f, "{separator}{dest}")?;
            separator = ", ";
        }
        for source in &self.sources {
            write!(f, "{separator}{source}")?;
            separator = ", ";
        }
        Ok(())
    }
}

impl Display for Dest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = if self.register.file == File::Depth { 1 } else { 0xF };
        write!(f, "{}", self.register)?;
        if self.mask == all { Ok(()) } else { write!(f, "{}", mask(self.mask)) }
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Register { file, index } = self.register;
        if self.invert {
            f.write_str("!")?;
        }
        if self.negate {
            f.write_str("-")?;
        }
        match self.relative {
            true => write!(f, "{}[aL + {index}]", file.letters())?,
            false => write!(f, "{}", self.register)?,
        }
        if self.absolute {
            f.write_str("_abs")?;
        }
        if self.swizzle == IDENTITY { Ok(()) } else { write!(f, ".{}", swizzle(self.swizzle)) }
    }
}
