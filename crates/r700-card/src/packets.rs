//! Packets of a command stream: how dwords are cut into them, and one table of those with an opcode.
//!
//! Sources: Mesa's r600 driver (`r600d.h`, `r600_cs.h`), the kernel's check of streams (`r600_cs.c`).

mod bodies;

pub use bodies::*;

use ctm_bits::{Field, extract};
use thiserror::Error;

/// A packet with an opcode (type 3).
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// What it is.
    pub opcode: Opcode,
    /// The code of the header.
    pub code: u8,
    /// The name of Mesa's tables.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Dwords that its body has at least.
    pub min_dwords: usize,
    /// Dwords that its body has at most.
    pub max_dwords: usize,
    /// The fields of its body. What is after them is data.
    pub fields: &'static [Field],
}

/// Dwords that the body of a packet has at most.
pub const MAX_BODY: usize = 1 << 14;

impl Opcode {
    /// The opcode of a code.
    pub fn of(code: u8) -> Option<Self> {
        Self::TABLE.iter().find(|info| info.code == code).map(|info| info.opcode)
    }

    /// For a packet that writes registers, where offset 0 is: a byte offset, and that after the last register.
    pub const fn register_space(self) -> Option<(u32, u32)> {
        match self {
            Opcode::SetConfigReg => Some((0x8000, 0xB000)),
            Opcode::SetContextReg => Some((0x2_8000, 0x2_9000)),
            Opcode::SetAluConst => Some((0x3_0000, 0x3_2000)),
            Opcode::SetResource => Some((0x3_8000, 0x3_C000)),
            Opcode::SetSampler => Some((0x3_C000, 0x3_CFF0)),
            Opcode::SetCtlConst => Some((0x3_CFF0, 0x3_E200)),
            Opcode::SetLoopConst => Some((0x3_E200, 0x3_E380)),
            Opcode::SetBoolConst => Some((0x3_E380, 0x4_0000)),
            Opcode::Nop
            | Opcode::SetPredication
            | Opcode::Start3dCmdbuf
            | Opcode::ContextControl
            | Opcode::IndexType
            | Opcode::DrawIndex
            | Opcode::DrawIndexAuto
            | Opcode::DrawIndexImmd
            | Opcode::NumInstances
            | Opcode::StrmoutBufferUpdate
            | Opcode::MemSemaphore
            | Opcode::CopyDw
            | Opcode::WaitRegMem
            | Opcode::MemWrite
            | Opcode::CpDma
            | Opcode::SurfaceSync
            | Opcode::EventWrite
            | Opcode::EventWriteEop
            | Opcode::StrmoutBaseUpdate
            | Opcode::SurfaceBaseUpdate => None,
        }
    }
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// A dword without meaning (type 2).
    Filler,
    /// Anything else (type 3).
    Command {
        /// What it does.
        opcode: Opcode,
        /// A draw that the predicate may drop.
        predicated: bool,
        /// What comes after the header.
        body: &'a [u32],
    },
}

/// Dwords that are not a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PacketError {
    /// The header says more dwords than there are.
    #[error("a packet of {needed} dwords is cut off: {left} are left")]
    Truncated {
        /// Dwords of the packet, header included.
        needed: usize,
        /// Dwords that are left.
        left: usize,
    },
    /// The header's type has no packets here.
    #[error("header {header:#010x} is of type {kind}; this card has packets of type 2 and 3")]
    Type {
        /// The header.
        header: u32,
        /// Its type: 0 or 1.
        kind: u32,
    },
    /// The header has an opcode that there is not.
    #[error("unknown opcode {opcode:#04x} in header {header:#010x}")]
    UnknownOpcode {
        /// The header.
        header: u32,
        /// Its opcode.
        opcode: u8,
    },
    /// The body is too short or too long.
    #[error("{name} has {dwords} dwords, expected {min} to {max}", name = opcode.info().name, min = opcode.info().min_dwords, max = opcode.info().max_dwords)]
    Length {
        /// What the packet does.
        opcode: Opcode,
        /// Dwords of its body.
        dwords: usize,
    },
}

/// The first packet of these dwords, and its length with the header.
///
/// # Errors
/// If they do not begin with a whole packet. Of no dwords there is none.
pub fn first_packet(words: &[u32]) -> Result<(Packet<'_>, usize), PacketError> {
    let Some((&header, rest)) = words.split_first() else { return Err(PacketError::Truncated { needed: 1, left: 0 }) };
    match extract(header, 31, 30) {
        2 => return Ok((Packet::Filler, 1)),
        3 => {}
        kind => return Err(PacketError::Type { header, kind }),
    }
    let code = extract(header, 15, 8) as u8;
    let opcode = Opcode::of(code).ok_or(PacketError::UnknownOpcode { header, opcode: code })?;
    let dwords = extract(header, 29, 16) as usize + 1;
    let body = rest.get(..dwords).ok_or(PacketError::Truncated { needed: dwords + 1, left: words.len() })?;
    let info = opcode.info();
    if !(info.min_dwords..=info.max_dwords).contains(&dwords) {
        return Err(PacketError::Length { opcode, dwords });
    }
    Ok((Packet::Command { opcode, predicated: header & 1 != 0, body }, dwords + 1))
}

/// The packets of a stream, each with the dword that it begins at. An error ends it.
pub fn packets(words: &[u32]) -> impl Iterator<Item = (usize, Result<Packet<'_>, PacketError>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = words.get(at..).filter(|rest| !rest.is_empty())?;
        let begins = at;
        let packet = first_packet(rest);
        at = packet.map_or(words.len(), |(_, length)| at + length);
        Some((begins, packet.map(|(packet, _)| packet)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_each_type() {
        let stream = [0xC001_6900, 0x10, 7, 0x8000_0000, 0xC000_1000, 8, 0xC001_2D01, 3, 2];
        let all: Vec<_> = packets(&stream).collect();
        let command = |opcode, predicated, body: &'static [u32]| Ok(Packet::Command { opcode, predicated, body });
        assert_eq!(
            all,
            [
                (0, command(Opcode::SetContextReg, false, &[0x10, 7])),
                (3, Ok(Packet::Filler)),
                (4, command(Opcode::Nop, false, &[8])),
                (6, command(Opcode::DrawIndexAuto, true, &[3, 2])),
            ]
        );
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        for (words, error) in [
            (&[0xC002_6900, 1, 2][..], PacketError::Truncated { needed: 4, left: 3 }),
            (&[0x0000_138A, 1], PacketError::Type { header: 0x0000_138A, kind: 0 }),
            (&[0x4000_0000], PacketError::Type { header: 0x4000_0000, kind: 1 }),
            (&[0xC000_3200, 0], PacketError::UnknownOpcode { header: 0xC000_3200, opcode: 0x32 }),
            (&[0xC000_2D00, 0], PacketError::Length { opcode: Opcode::DrawIndexAuto, dwords: 1 }),
            (&[0xC002_2D00, 0, 0, 0], PacketError::Length { opcode: Opcode::DrawIndexAuto, dwords: 3 }),
        ] {
            assert_eq!(first_packet(words), Err(error));
            assert_eq!(packets(words).count(), 1);
        }
    }

    #[test]
    fn the_table_is_ordered_by_code() {
        assert!(Opcode::TABLE.is_sorted_by_key(|info| info.code));
        for info in Opcode::TABLE {
            assert_eq!((Opcode::of(info.code), info.opcode.info().code), (Some(info.opcode), info.code));
            assert!(info.min_dwords <= info.max_dwords && info.max_dwords <= MAX_BODY);
            assert!(info.fields.iter().all(|field| field.word < info.max_dwords), "{}", info.name);
        }
    }
}
