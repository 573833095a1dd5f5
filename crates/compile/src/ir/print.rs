//! The text of functions, for people.

use super::{End, Function, Node, Op, Output, Passes, Region, Value};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl Display for Output {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Output::Colour { slot, channel } => write!(f, "out{slot}.{}", char_of(*channel)),
            Output::Depth => f.write_str("depth"),
        }
    }
}

/// The letter of a channel.
fn char_of(channel: u8) -> char {
    ['r', 'g', 'b', 'a'][usize::from(channel & 3)]
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Op::Const { bits } => {
                let value = f32::from_bits(*bits);
                if value.is_nan() { write!(f, " {bits:#010x}") } else { write!(f, " {value:?}") }
            }
            Op::Bool { value } => write!(f, " {value}"),
            Op::Scale { exponent } => write!(f, " 2^{exponent}"),
            Op::Uniform { register, channel } => write!(f, " c{register}.{}", char_of(*channel)),
            Op::UniformAt { register, channel, count } => {
                write!(f, " c{register}..c{}.{}", u32::from(*register) + u32::from(*count) - 1, char_of(*channel))
            }
            Op::UniformInLoop { register, channel, step } => {
                write!(f, " c{register}{step:+}n.{}", char_of(*channel))
            }
            Op::BoolConstant { index } => write!(f, " b{index}"),
            Op::Position { axis } => write!(f, " {axis:?}"),
            Op::Varying { slot, channel } => write!(f, " t{slot}.{}", char_of(*channel)),
            Op::Fetch(fetch) => {
                let size = if fetch.scaled { "scaled" } else { "elements" };
                write!(f, " in{} {:?} {}d {size}", fetch.unit, fetch.kind, fetch.coordinates)
            }
            _ => Ok(()),
        }
    }
}

fn list(f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
    for (k, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if k == 0 { "" } else { ", " })?;
    }
    Ok(())
}

fn indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str("  "))
}

fn region(f: &mut Formatter<'_>, region: &Region, depth: usize) -> fmt::Result {
    for node in &region.nodes {
        indent(f, depth)?;
        match node {
            Node::Inst(inst) => {
                list(f, &inst.results)?;
                f.write_str(if inst.results.is_empty() { "" } else { " = " })?;
                write!(f, "{}", inst.op)?;
                for (k, arg) in inst.args.iter().enumerate() {
                    write!(f, "{}{arg}", if k == 0 { " " } else { ", " })?;
                }
                f.write_char('\n')?;
            }
            Node::If(choice) => {
                list(f, &choice.results)?;
                f.write_str(if choice.results.is_empty() { "" } else { " = " })?;
                writeln!(f, "if {} {{", choice.condition)?;
                self::region(f, &choice.then, depth + 1)?;
                indent(f, depth)?;
                f.write_str("} else {\n")?;
                self::region(f, &choice.otherwise, depth + 1)?;
                indent(f, depth)?;
                f.write_str("}\n")?;
            }
            Node::Loop(repeat) => {
                list(f, &repeat.results)?;
                f.write_str(if repeat.results.is_empty() { "" } else { " = " })?;
                f.write_str("loop")?;
                match repeat.passes {
                    Passes::Endless => {}
                    Passes::Times(count) => write!(f, " {count}")?,
                    Passes::Constant(index) => write!(f, " i{index}")?,
                }
                f.write_str(" (")?;
                for (k, (param, init)) in repeat.params.iter().zip(&repeat.init).enumerate() {
                    write!(f, "{}{param} = {init}", if k == 0 { "" } else { ", " })?;
                }
                f.write_str(") {\n")?;
                self::region(f, &repeat.body, depth + 1)?;
                indent(f, depth)?;
                f.write_str("}\n")?;
            }
        }
    }
    indent(f, depth)?;
    let name = match &region.end {
        End::Yield(_) => "yield",
        End::Break(_) => "break",
        End::Continue(_) => "continue",
    };
    f.write_str(name)?;
    f.write_str(if region.end.values().is_empty() { "" } else { " " })?;
    list(f, region.end.values())?;
    f.write_char('\n')
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("function ->")?;
        for output in &self.outputs {
            write!(f, " {output}")?;
        }
        f.write_str(" {\n")?;
        region(f, &self.body, 1)?;
        f.write_str("}\n")
    }
}
