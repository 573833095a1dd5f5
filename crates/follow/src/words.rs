//! Values and events in words, as pages for people have them.

use crate::{Address, Change, MemoryAccess, Next, Participation, Pass, Standing, Step, ValueKind};
use std::fmt;

/// Floats between these magnitudes are written without an exponent.
const PLAIN: std::ops::Range<f32> = 1e-4..1e7;
/// Bits of which nothing is known are taken for a float between these magnitudes, and else for an integer.
const LIKELY: std::ops::Range<f32> = 1e-12..1e12;
/// Integers that people read as such.
const SMALL: u32 = 1 << 24;

/// A value; with its bits where the number alone does not determine them.
pub fn value(kind: ValueKind, bits: u32) -> String {
    let float = f32::from_bits(bits);
    match kind {
        ValueKind::Truth => (bits != 0).to_string(),
        ValueKind::Integer => bits.cast_signed().to_string(),
        ValueKind::Float => number(bits),
        ValueKind::Word => match likely(bits) {
            ValueKind::Integer => format!("{} {bits:#x}", bits.cast_signed()),
            ValueKind::Word if float.is_normal() => format!("{bits:#010x}"),
            ValueKind::Float | ValueKind::Truth | ValueKind::Word => number(bits),
        },
    }
}

/// What a word of which nothing says what it is looks like: a float of a usual magnitude, a small integer, or neither.
pub fn likely(bits: u32) -> ValueKind {
    match f32::from_bits(bits).abs() {
        size if bits == 0 || LIKELY.contains(&size) => ValueKind::Float,
        _ if is_integer(bits) => ValueKind::Integer,
        _ => ValueKind::Word,
    }
}

/// Whether a word of which nothing says what it is looks like an integer.
pub fn is_integer(bits: u32) -> bool {
    bits.cast_signed().unsigned_abs() < SMALL
}

/// A float: the shortest decimal that reads as the same number, with an exponent where it is very large or small. A NaN has its bits.
pub fn float(bits: u32) -> String {
    let float = f32::from_bits(bits);
    match float.abs() {
        size if size.is_nan() => format!("nan {bits:#010x}"),
        size if size == 0.0 || PLAIN.contains(&size) => float.to_string(),
        _ => format!("{float:e}"),
    }
}

/// A float; with its bits where it is not a usual number.
fn number(bits: u32) -> String {
    let value = f32::from_bits(bits);
    let bits_too = value.is_infinite() || value.is_subnormal();
    if bits_too { format!("{} {bits:#010x}", float(bits)) } else { float(bits) }
}

/// Changes, the channels of a register together: `temp[2].rg = 0.5, -1`. What only repeats another change is left out.
pub fn changes(changes: &[Change]) -> Vec<String> {
    let shown = |bits| changes.iter().any(|change| !change.cell.echoes && change.bits == bits);
    let new: Vec<Change> =
        changes.iter().filter(|change| !change.cell.echoes || !shown(change.bits)).copied().collect();
    let same = |a: &Change, b: &Change| (a.cell.pattern, a.cell.number) == (b.cell.pattern, b.cell.number);
    new.chunk_by(same).map(register).collect()
}

fn register(changes: &[Change]) -> String {
    let channels: String = changes.iter().filter_map(|change| change.cell.channel).collect();
    let dot = if channels.is_empty() { "" } else { "." };
    let values: Vec<_> = changes.iter().map(|change| value(change.cell.kind, change.bits)).collect();
    format!("{}{dot}{channels} = {}", changes[0].cell.register(), values.join(", "))
}

impl fmt::Display for Change {
    /// The register with what it holds: `temp[2].r = 0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&register(std::slice::from_ref(self)))
    }
}

impl fmt::Display for MemoryAccess {
    /// What was read or written, and where: `reads tex[0] at (0, 1): 0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&access(self))
    }
}

impl fmt::Display for Address {
    /// The address; that of a called program has its name in front.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.program {
            0 => write!(f, "{}", self.pc),
            number => write!(f, "program {number}, {}", self.pc),
        }
    }
}

impl fmt::Display for Step {
    /// Number and address; what it did to the lane, or why the lane does not execute it; and where the group goes, if not to the following
    /// instruction: `3 at 2: temp[1].rg = 0.5, -1; jumps to 7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}: ", self.number, self.event.at)?;
        let name = |address: Address| address.to_string();
        let mut parts = absence(self, name).map_or_else(|| effects(self), |absence| vec![absence]);
        parts.extend(turn(self));
        parts.extend(way(self, name));
        f.write_str(if parts.is_empty() { "no effect" } else { "" })?;
        f.write_str(&parts.join("; "))
    }
}

/// What a step did to the lane: what it read, changed and wrote.
pub fn effects(step: &Step) -> Vec<String> {
    let (writes, reads): (Vec<_>, Vec<_>) = step.accesses.iter().partition(|access| access.write);
    let reads = reads.into_iter().map(access);
    reads.chain(changes(&step.changes)).chain(writes.into_iter().map(access)).collect()
}

/// What was read or written.
pub fn access(access: &MemoryAccess) -> String {
    let values: Vec<_> = access.values.iter().map(|&bits| value(access.kind, bits)).collect();
    let verb = if access.write { "writes" } else { "reads" };
    let at: Vec<_> = access.at.iter().map(|&bits| value(ValueKind::Word, bits)).collect();
    let at = if at.is_empty() { String::new() } else { format!(" at ({})", at.join(", ")) };
    format!("{verb} {}{at}: {}", access.place, values.join(", "))
}

/// Why the lane does not execute a step; `None` if it does.
pub fn absence(step: &Step, address: fn(Address) -> String) -> Option<String> {
    match &step.event.participation {
        Participation::Executes => None,
        Participation::Skips(reason) => Some(format!("skips: {reason}")),
        Participation::Waits(since) => {
            let since = since.map_or_else(|| "the start".into(), address);
            Some(format!("{} since {since}", standing(step.standing[0])))
        }
    }
}

/// What a lane that stands so does.
fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Active => "active",
        Standing::Branch(_) => "waits in a branch",
        Standing::Continue => "waits for the next pass",
        Standing::Break => "waits for the loop's end",
        Standing::Meeting => "waits where lanes meet",
        Standing::Ended => "has ended",
    }
}

/// What becomes of the lane, if something does.
pub fn turn(step: &Step) -> Option<String> {
    let [before, now] = step.standing;
    match (before, now) {
        _ if before == now => None,
        (_, Standing::Active) => Some("the lane is active again".into()),
        (_, Standing::Ended) if !step.event.flow => Some("the lane is killed".into()),
        (_, Standing::Ended) => Some("the lane ends".into()),
        (Standing::Branch(_), Standing::Branch(Some(counter))) => Some(format!("branch counter {counter}")),
        (_, now) => Some(format!("the lane {}", standing(now))),
    }
}

/// Where the group goes, if that is worth a word.
pub fn way(step: &Step, address: fn(Address) -> String) -> Vec<String> {
    let mut words = Vec::new();
    match &step.next {
        Next::Jump(target) => words.push(format!("jumps to {}", address(*target))),
        Next::Following if step.event.flow && step.pass[0] == step.pass[1] => words.push("no jump".into()),
        Next::Following => {}
        Next::End => words.push("the program ends".into()),
        Next::Trap(kind) => words.push(format!("trap: {kind}")),
    }
    let [before, now] = step.pass;
    match (before, now) {
        _ if before == now => {}
        (Some(left), now) if now.is_none_or(|now| now.depth < left.depth) => {
            words.push(format!("the loop ends in {}", pass(left)));
        }
        (_, Some(now)) => words.push(pass(now)),
        (_, None) => {}
    }
    words
}

fn pass(Pass { number, of, .. }: Pass) -> String {
    let of = of.map_or_else(String::new, |of| format!(" of {of}"));
    format!("pass {number}{of}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [(0.5f32, "0.5"), (-0.0, "-0"), (1e10, "1e10"), (1.5e-7, "1.5e-7"), (f32::INFINITY, "inf")]
        {
            assert_eq!(float(value.to_bits()), text);
        }
        assert_eq!(float(0x7FC0_0000), "nan 0x7fc00000");
        assert_eq!(number(0xFF80_0000), "-inf 0xff800000");
        assert_eq!(number(1), "1e-45 0x00000001");
    }
}
