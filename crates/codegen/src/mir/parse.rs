//! Machine instructions from the text that `print` makes.

use super::{
    Arg, Base, Block, Class, Condition, Directed, Edge, End, Inst, InstKind, MachineFunction, Mem, Opcode, Reg, Steps,
};
use std::str::FromStr;

const CONDITIONS: [Condition; 10] = [
    Condition::Equal,
    Condition::NotEqual,
    Condition::Less,
    Condition::LessEqual,
    Condition::Greater,
    Condition::GreaterEqual,
    Condition::Below,
    Condition::BelowEqual,
    Condition::Above,
    Condition::AboveEqual,
];

type Parsed<T> = Result<T, String>;

impl<O: Opcode> FromStr for MachineFunction<O> {
    type Err = String;

    /// Reads text, and says which line is wrong.
    fn from_str(text: &str) -> Parsed<Self> {
        let mut machine = Self::default();
        let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        for (number, line) in lines.filter(|(_, line)| !line.is_empty()) {
            read_line(&mut machine, line).map_err(|error| format!("line {number}: {error}: {line}"))?;
        }
        Ok(machine)
    }
}

fn read_line<O: Opcode>(machine: &mut MachineFunction<O>, line: &str) -> Parsed<()> {
    if line == "steps" {
        machine.counts_steps = true;
    } else if let Some(words) = line.strip_prefix("pool ") {
        machine.pool = words.split(' ').map(word).collect::<Parsed<_>>()?;
    } else if let Some(head) = line.strip_suffix(':') {
        let (head, depth) = head.split_once(" depth ").unwrap_or((head, "0"));
        let (name, params) = with_list(head)?;
        if name != format!("b{}", machine.blocks.len()) {
            return Err("a block that is not the next one".into());
        }
        let params = params.into_iter().map(|param| reg(machine, param)).collect::<Parsed<_>>()?;
        machine.blocks.push(Block { params, insts: Vec::new(), end: End::Exit, depth: number(depth)? });
    } else if let Some(end) = end(machine, line)? {
        machine.blocks.last_mut().ok_or("no block")?.end = end;
    } else {
        let inst = inst(machine, line)?;
        machine.blocks.last_mut().ok_or("no block")?.insts.push(inst);
    }
    Ok(())
}

fn number<T: FromStr>(text: &str) -> Parsed<T> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn word(text: &str) -> Parsed<u32> {
    let digits = text.strip_prefix("0x").ok_or("no hexadecimal number")?;
    u32::from_str_radix(digits, 16).map_err(|error| error.to_string())
}

/// A name and what stands in parentheses after it.
fn with_list(text: &str) -> Parsed<(&str, Vec<&str>)> {
    match text.split_once('(') {
        None => Ok((text, Vec::new())),
        Some((name, list)) => Ok((name, list.strip_suffix(')').ok_or("no `)`")?.split(", ").collect())),
    }
}

fn reg<O>(machine: &mut MachineFunction<O>, text: &str) -> Parsed<Reg> {
    let classes = [Class::Vector, Class::Mask, Class::General];
    let class = classes.into_iter().find(|class| text.starts_with(class.letter())).ok_or("no register")?;
    let reg = Reg::new(number(&text[1..])?);
    while machine.classes.len() <= reg.index() {
        machine.classes.push(class);
    }
    machine.classes[reg.index()] = class;
    Ok(reg)
}

fn mem<O>(machine: &mut MachineFunction<O>, text: &str, broadcast: bool) -> Parsed<Mem> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).ok_or("no memory operand")?;
    let mut parts = inner.split(' ');
    let base = match parts.next().unwrap_or_default() {
        "pool" => Base::Pool,
        "context" => Base::Context,
        name => Base::Reg(reg(machine, name)?),
    };
    let mut mem = Mem { broadcast, ..Mem::at(base, 0) };
    while let (Some(sign), Some(part)) = (parts.next(), parts.next()) {
        match (sign, part.split_once('*')) {
            ("+", Some((index, scale))) => (mem.index, mem.scale) = (Some(reg(machine, index)?), number(scale)?),
            ("+", None) => mem.disp = number(part)?,
            ("-", None) => mem.disp = number(&format!("-{part}"))?,
            _ => return Err("no part of an address".into()),
        }
    }
    Ok(mem)
}

fn arg<O>(machine: &mut MachineFunction<O>, text: &str) -> Parsed<Arg> {
    Ok(match text.strip_prefix("each ") {
        Some(text) => Arg::Mem(mem(machine, text, true)?),
        None if text.starts_with('[') => Arg::Mem(mem(machine, text, false)?),
        None if text.starts_with(|first: char| first.is_ascii_alphabetic()) => Arg::Reg(reg(machine, text)?),
        None => Arg::Imm(number(text)?),
    })
}

fn edge<O>(machine: &mut MachineFunction<O>, text: &str) -> Parsed<Edge> {
    let (name, args) = with_list(text)?;
    let block = number(name.strip_prefix('b').ok_or("no block")?)?;
    Ok(Edge { block, args: args.into_iter().map(|text| arg(machine, text)).collect::<Parsed<_>>()? })
}

fn end<O>(machine: &mut MachineFunction<O>, line: &str) -> Parsed<Option<End>> {
    if line == "exit" {
        return Ok(Some(End::Exit));
    }
    if let Some(target) = line.strip_prefix("jump ") {
        return Ok(Some(End::Jump(edge(machine, target)?)));
    }
    let Some(branch) = line.strip_prefix("if ") else { return Ok(None) };
    let (name, targets) = branch.split_once(' ').ok_or("no block")?;
    let condition = CONDITIONS.into_iter().find(|condition| format!("{condition:?}") == name).ok_or("no condition")?;
    let (then, otherwise) = targets.split_once(" else ").ok_or("no `else`")?;
    Ok(Some(End::Branch { condition, then: edge(machine, then)?, otherwise: edge(machine, otherwise)? }))
}

fn code<O: Opcode>(name: &str) -> Parsed<O> {
    O::parse(name).ok_or_else(|| format!("no instruction `{name}`"))
}

fn inst<O: Opcode>(machine: &mut MachineFunction<O>, line: &str) -> Parsed<Inst<O>> {
    let (def, rest) = match line.split_once(" = ") {
        Some((def, rest)) => (Some(reg(machine, def)?), rest),
        None => (None, line),
    };
    // Some kinds are two words.
    let words = if ["tied ", "count ", "take "].iter().any(|word| rest.starts_with(word)) { 2 } else { 1 };
    let split = rest.match_indices(' ').nth(words - 1).map_or(rest.len(), |(at, _)| at);
    let (kind, operands) = (rest[..split].trim_end_matches(','), rest[split..].trim_start());
    let fma = |negate_product, negate_addend| InstKind::Fma { negate_product, negate_addend };
    let kind = match kind.split_once(' ') {
        Some(("tied", name)) => InstKind::Tied(code(name)?),
        Some(("count", count)) => InstKind::Count(number(count)?),
        Some((_, count)) => InstKind::Steps(Steps::Take(number(count)?)),
        None => match kind {
            "fma" => fma(false, false),
            "fms" => fma(false, true),
            "fnma" => fma(true, false),
            "fnms" => fma(true, true),
            "gather" => InstKind::Gather,
            "scatter" => InstKind::Scatter,
            "refill" => InstKind::Steps(Steps::Refill),
            "test" => InstKind::Steps(Steps::Test),
            name => InstKind::Plain(code(name)?),
        },
    };
    let mut inst = Inst::new(kind, def, &[]);
    let mut count = 0;
    for part in operands.split(", ").filter(|part| !part.is_empty()) {
        if let Some(mask) = part.strip_prefix("mask ") {
            let (mask, zeroing) = mask.strip_suffix(" zeroing").map_or((mask, false), |mask| (mask, true));
            (inst.mask, inst.zeroing) = (Some(reg(machine, mask)?), zeroing);
        } else if let Some(pc) = part.strip_prefix("pc ") {
            inst.pc = Some(number(pc)?);
        } else {
            match part {
                "effect" => inst.effect = true,
                "toward zero" => inst.rounding = Some(Directed::Zero),
                "up" => inst.rounding = Some(Directed::Up),
                "quiet" => inst.quiet = true,
                "commutes" => inst.commutes = true,
                _ => {
                    *inst.args.get_mut(count).ok_or("too many operands")? = arg(machine, part)?;
                    count += 1;
                }
            }
        }
    }
    Ok(inst)
}
