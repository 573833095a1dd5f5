//! Printing.

use crate::entity::{Block, Inst, Value};
use crate::function::{BranchTarget, Function, Terminator};
use crate::op::Op;
use std::fmt::{self, Display, Write};

/// Values in a row, separated by commas.
fn write_list(f: &mut impl Write, items: impl IntoIterator<Item = impl Display>) -> fmt::Result {
    for (at, item) in items.into_iter().enumerate() {
        write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
    }
    Ok(())
}

impl Display for BranchTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.block)?;
        if self.args.is_empty() {
            return Ok(());
        }
        f.write_char('(')?;
        write_list(f, &self.args)?;
        f.write_char(')')
    }
}

impl Display for Terminator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jump(target) => write!(f, "jump {target}"),
            Self::If { test, a, b, then, otherwise } => write!(f, "if.{} {a}, {b}, {then}, {otherwise}", test.word()),
            Self::Any { mask, then, otherwise } => write!(f, "any {mask}, {then}, {otherwise}"),
            Self::Return => f.write_str("return"),
            Self::Trap { code, pc, mask } => write!(f, "trap {code}, {pc}, {mask}"),
        }
    }
}

impl Function {
    /// Prints one instruction, without indentation.
    pub fn print_inst(&self, inst: Inst) -> String {
        let op = self.op(inst);
        let mut text = String::new();
        let mut write = || {
            write_list(&mut text, self.results(inst))?;
            text.write_str(if op.info().results.is_empty() { "" } else { " = " })?;
            text.write_str(&print_op(op, self.args(inst)))
        };
        write().expect("writing to a string works");
        text
    }

    fn write_block(&self, f: &mut fmt::Formatter<'_>, block: Block) -> fmt::Result {
        write!(f, "{block}")?;
        if !self.params(block).is_empty() {
            f.write_char('(')?;
            let typed = |value: &Value| format!("{value}: {}", self.value_type(*value));
            write_list(f, self.params(block).iter().map(typed))?;
            f.write_char(')')?;
        }
        f.write_str(":\n")?;
        for &inst in self.insts(block) {
            write!(f, "    {}", self.print_inst(inst))?;
            if let Op::Lane { bits } = self.op(inst) {
                write!(f, " ; {:?}", f32::from_bits(bits.0))?;
            }
            f.write_char('\n')?;
        }
        match &self.blocks[block.index()].terminator {
            Some(terminator) => writeln!(f, "    {terminator}"),
            None => Ok(()),
        }
    }
}

/// The operation with its attributes and operands.
fn print_op(op: &Op, args: &[Value]) -> String {
    let mut text = op.name().to_owned();
    let mut operands = Vec::new();
    op.print_attributes(
        |suffix| text.push_str(&suffix),
        |operand| {
            if !operand.is_empty() {
                operands.push(operand);
            }
        },
    );
    operands.extend(args.iter().map(Value::to_string));
    if !operands.is_empty() {
        text.push(' ');
        text.push_str(&operands.join(", "));
    }
    text
}

impl Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, surface) in self.surfaces.iter().enumerate() {
            let unit = if surface.unit { " unit" } else { "" };
            let whole = if surface.whole { " whole" } else { "" };
            writeln!(f, "surface s{at}{unit}{whole}")?;
        }
        for (at, table) in self.tables.iter().enumerate() {
            writeln!(f, "table t{at} {}{}", table.entries, if table.finite { " finite" } else { "" })?;
        }
        for (at, array) in self.arrays.iter().enumerate() {
            writeln!(f, "array a{at} {} {}", array.entries, array.ty)?;
        }
        if self.buffers != 0 {
            writeln!(f, "buffers {}", self.buffers)?;
        }
        self.blocks().try_for_each(|block| self.write_block(f, block))
    }
}
