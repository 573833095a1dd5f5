//! Machine instructions as text.
//!
//! Opcodes are written as their `Debug` has them; those below are of x86-64. A register is written by its class and number: `v3` in a vector register, `k4` in a mask register, `g5` in a general
//! one. An instruction starts with what it defines, and ends with its mask and what else is special about it:
//!
//! ```text
//! steps
//! pool 0x3f800000
//! b0:
//!   v1 = EVEX_Vbroadcastss_zmm_k1z_xmmm32 [pool]
//!   jump b1(v1, [context + 4])
//! b1(v2, g3) depth 1:
//!   v4 = EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er v2, each [g3 + g3*4 + 16], mask k5 zeroing, pc 7
//!   if Less b1(v4, g3) else b2
//! b2:
//!   exit
//! ```

use super::{Arg, Base, Class, Directed, Edge, End, Inst, InstKind, MachineFunction, Mem, Opcode, Reg, Steps};
use std::fmt::{self, Display, Formatter};

impl Class {
    /// The letter of its registers.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Vector => 'v',
            Self::Mask => 'k',
            Self::General => 'g',
        }
    }
}

/// Something that names registers, with their classes.
pub struct Text<'a, O, T>(pub &'a MachineFunction<O>, pub T);

impl<O> Display for Text<'_, O, Reg> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Text(machine, reg) = self;
        write!(f, "{}{}", machine.classes[reg.index()].letter(), reg.index())
    }
}

impl<O> Display for Text<'_, O, Mem> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let &Text(machine, Mem { base, index, scale, disp, broadcast }) = self;
        f.write_str(if broadcast { "each [" } else { "[" })?;
        match base {
            Base::Pool => f.write_str("pool")?,
            Base::Context => f.write_str("context")?,
            Base::Reg(reg) => Text(machine, reg).fmt(f)?,
        }
        if let Some(index) = index {
            write!(f, " + {}*{scale}", Text(machine, index))?;
        }
        match disp {
            0 => {}
            1.. => write!(f, " + {disp}")?,
            _ => write!(f, " - {}", disp.unsigned_abs())?,
        }
        f.write_str("]")
    }
}

impl<O> Display for Text<'_, O, Arg> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.1 {
            Arg::None => f.write_str("none"),
            Arg::Reg(reg) => Text(self.0, reg).fmt(f),
            Arg::Mem(mem) => Text(self.0, mem).fmt(f),
            Arg::Imm(value) => write!(f, "{value}"),
        }
    }
}

impl<O: Opcode> Display for InstKind<O> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match *self {
            Self::Plain(code) => write!(f, "{code:?}"),
            Self::Tied(code) => write!(f, "tied {code:?}"),
            Self::Fma { negate_product: false, negate_addend: false } => f.write_str("fma"),
            Self::Fma { negate_product: false, negate_addend: true } => f.write_str("fms"),
            Self::Fma { negate_product: true, negate_addend: false } => f.write_str("fnma"),
            Self::Fma { negate_product: true, negate_addend: true } => f.write_str("fnms"),
            Self::Gather => f.write_str("gather"),
            Self::Scatter => f.write_str("scatter"),
            Self::Count(count) => write!(f, "count {count}"),
            Self::Steps(Steps::Refill) => f.write_str("refill"),
            Self::Steps(Steps::Take(count)) => write!(f, "take {count}"),
            Self::Steps(Steps::Test) => f.write_str("test"),
        }
    }
}

impl<O: Opcode> Display for Text<'_, O, &Inst<O>> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let &Text(machine, &Inst { kind, def, args, mask, zeroing, effect, rounding, quiet, commutes, pc }) = self;
        if let Some(def) = def {
            write!(f, "{} = ", Text(machine, def))?;
        }
        kind.fmt(f)?;
        let count = args.iter().position(|arg| *arg == Arg::None).unwrap_or(args.len());
        for (number, &arg) in args[..count].iter().enumerate() {
            write!(f, "{}{}", if number == 0 { " " } else { ", " }, Text(machine, arg))?;
        }
        if let Some(mask) = mask {
            write!(f, ", mask {}", Text(machine, mask))?;
        }
        let words = [
            (zeroing, " zeroing"),
            (effect && def.is_some(), ", effect"),
            (rounding == Some(Directed::Zero), ", toward zero"),
            (rounding == Some(Directed::Up), ", up"),
            (quiet, ", quiet"),
            (commutes, ", commutes"),
        ];
        words.iter().filter(|(is_so, _)| *is_so).try_for_each(|(_, word)| f.write_str(word))?;
        pc.map_or(Ok(()), |pc| write!(f, ", pc {pc}"))
    }
}

impl<O> Display for Text<'_, O, &Edge> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Text(machine, Edge { block, args }) = self;
        write!(f, "b{block}")?;
        list(f, args.iter().map(|&arg| Text(machine, arg)))
    }
}

/// What stands in parentheses, if there is anything.
fn list<T: Display>(f: &mut Formatter, items: impl Iterator<Item = T>) -> fmt::Result {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    if items.is_empty() { Ok(()) } else { write!(f, "({})", items.join(", ")) }
}

impl<O: Opcode> Display for MachineFunction<O> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if self.counts_steps {
            writeln!(f, "steps")?;
        }
        if !self.pool.is_empty() {
            let words: Vec<String> = self.pool.iter().map(|word| format!("{word:#x}")).collect();
            writeln!(f, "pool {}", words.join(" "))?;
        }
        for (number, block) in self.blocks.iter().enumerate() {
            write!(f, "b{number}")?;
            list(f, block.params.iter().map(|&param| Text(self, param)))?;
            if block.depth > 0 {
                write!(f, " depth {}", block.depth)?;
            }
            writeln!(f, ":")?;
            block.insts.iter().try_for_each(|inst| writeln!(f, "  {}", Text(self, inst)))?;
            match &block.end {
                End::Jump(edge) => writeln!(f, "  jump {}", Text(self, edge))?,
                End::Branch { condition, then, otherwise } => {
                    writeln!(f, "  if {condition:?} {} else {}", Text(self, then), Text(self, otherwise))?;
                }
                End::Exit => writeln!(f, "  exit")?,
            }
        }
        Ok(())
    }
}
