//! Words to text.

use super::{CommandInfo, Notation, Packet, Parameter, decode};
use std::fmt::Write;

/// Prints a command buffer as text, one command per line.
///
/// Every buffer has a text: what is not a command appears as `.dword` lines, after a comment with the reason.
/// [`parse`](super::parse) gives the same words back.
///
/// ```
/// use ctm_device::command::print;
/// assert_eq!(print(&[0xC000_1900, 0x3, 0xC000_0800, 0]), "set_out_mask mask=0x3\nstart_program\n");
/// ```
pub fn print(words: &[u32]) -> String {
    let mut text = String::new();
    for item in decode(words) {
        match item {
            Ok((_, packet)) => text += &print_packet(&packet),
            Err(error) => {
                let _ = write!(text, "-- {error}");
                for word in &words[error.offset()..] {
                    let _ = write!(text, "\n.dword {word:#010X}");
                }
            }
        }
        text.push('\n');
    }
    text
}

/// Prints one command, without a line end.
pub fn print_packet(packet: &Packet) -> String {
    let info: &CommandInfo = packet.command.info();
    let parameters = packet.command.parameters();
    let mut text = info.name.to_string();
    for row in info.fields {
        let value = row.get(&parameters);
        if value != 0 || !row.optional {
            let _ = write!(text, " {}={}", row.field.name, spell(row, value));
        }
    }
    for (i, bits) in packet.reserved.iter().enumerate().filter(|(_, bits)| **bits != 0) {
        let _ = write!(text, " reserved{i}={bits:#X}");
    }
    if packet.consistent_opcode {
        let _ = write!(text, " opcode={:#X}", packet.opcode());
    }
    if let Some(extra) = packet.extra {
        let _ = write!(text, " extra={extra:#X}");
    }
    text
}

/// The text of a field's value.
fn spell(row: &Parameter, value: u32) -> String {
    match (row.notation, (row.field.spell)(value >> row.shift)) {
        (_, Some(name)) => name.to_string(),
        (Notation::Decimal, _) => value.to_string(),
        (Notation::Float, _) if f32::from_bits(value).is_finite() => format!("{:?}", f32::from_bits(value)),
        (Notation::Hex | Notation::Float, _) => format!("{value:#X}"),
    }
}
