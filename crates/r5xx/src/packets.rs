//! Packets of a command stream: how dwords are cut into them, and one table of those with an opcode.
//!
//! Sources: R5xx register tables and Mesa's r300 driver (`r300_reg.h`, `r300_cs.h`).

use ctm_bits::extract;
use thiserror::Error;

/// A packet with an opcode (type 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeInfo {
    /// What it is.
    pub opcode: Opcode,
    /// The code of the header.
    pub code: u8,
    /// The name of the register tables.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Dwords that its body has at least.
    pub min_dwords: usize,
}

macro_rules! opcodes {
    ($($variant:ident $code:literal $name:literal $min:literal $doc:literal;)+) => {
        /// What a packet of type 3 does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Opcode {
            $(#[doc = concat!("`", $name, "`: ", $doc, ".")] $variant,)+
        }

        impl Opcode {
            /// Every packet of type 3.
            pub const TABLE: &'static [OpcodeInfo] = &[$(OpcodeInfo {
                opcode: Opcode::$variant, code: $code, name: $name, doc: $doc, min_dwords: $min,
            }),+];

            /// Its row.
            pub const fn info(self) -> &'static OpcodeInfo {
                &Self::TABLE[self as usize]
            }
        }
    };
}

opcodes! {
    Nop 0x10 "NOP" 1 "nothing, or the relocation of what stands before it";
    DrawVbuf 0x28 "3D_DRAW_VBUF" 2 "a draw with vertices of arrays, in order";
    DrawImmd 0x29 "3D_DRAW_IMMD" 2 "a draw with vertices in the packet";
    DrawIndx 0x2A "3D_DRAW_INDX" 2 "a draw with vertices of arrays, by indices";
    LoadVbpntr 0x2F "3D_LOAD_VBPNTR" 1 "where vertex arrays lie";
    ClearZmask 0x32 "3D_CLEAR_ZMASK" 0 "clears compression of depth";
    IndxBuffer 0x33 "INDX_BUFFER" 3 "where indices lie";
    DrawVbuf2 0x34 "3D_DRAW_VBUF_2" 1 "a draw with vertices of arrays, in order";
    DrawImmd2 0x35 "3D_DRAW_IMMD_2" 1 "a draw with vertices in the packet";
    DrawIndx2 0x36 "3D_DRAW_INDX_2" 1 "a draw with vertices of arrays, by indices";
    ClearHiz 0x37 "3D_CLEAR_HIZ" 0 "clears coarse depth";
    ClearCmask 0x38 "3D_CLEAR_CMASK" 0 "clears the colour mask";
}

impl Opcode {
    /// The opcode of a code.
    pub fn of(code: u8) -> Option<Self> {
        Self::TABLE.iter().find(|info| info.code == code).map(|info| info.opcode)
    }
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// Register writes (type 0): to this byte offset and on, or all to it.
    Write {
        /// Byte offset of the first register.
        address: u32,
        /// All values go to the first register.
        one_register: bool,
        /// The values.
        values: &'a [u32],
    },
    /// A dword without meaning (type 2).
    Filler,
    /// Anything else (type 3).
    Command {
        /// What it does.
        opcode: Opcode,
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
    /// The header's type has no packets.
    #[error("header {header:#010x} has type 1, which is reserved")]
    TypeOne {
        /// The header.
        header: u32,
    },
    /// The header has an opcode that there is not.
    #[error("unknown opcode {opcode:#04x} in header {header:#010x}")]
    UnknownOpcode {
        /// The header.
        header: u32,
        /// Its opcode.
        opcode: u8,
    },
    /// The body is too short.
    #[error("{name} has {dwords} dwords, expected at least {needed}", name = opcode.info().name, needed = opcode.info().min_dwords)]
    TooShort {
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
    let count = extract(header, 29, 16) as usize + 1;
    let body = || rest.get(..count).ok_or(PacketError::Truncated { needed: count + 1, left: words.len() });
    match header >> 30 {
        0 => {
            let (address, one_register) = (extract(header, 12, 0) * 4, extract(header, 15, 15) != 0);
            Ok((Packet::Write { address, one_register, values: body()? }, count + 1))
        }
        2 => Ok((Packet::Filler, 1)),
        3 => {
            let code = extract(header, 15, 8) as u8;
            let opcode = Opcode::of(code).ok_or(PacketError::UnknownOpcode { header, opcode: code })?;
            let body = body()?;
            if body.len() < opcode.info().min_dwords {
                return Err(PacketError::TooShort { opcode, dwords: body.len() });
            }
            Ok((Packet::Command { opcode, body }, count + 1))
        }
        _ => Err(PacketError::TypeOne { header }),
    }
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
        let stream = [0x0001_138A, 5, 6, 0x8000_0000, 0xC000_1000, 8, 0x0001_8882, 1, 2];
        let all: Vec<_> = packets(&stream).collect();
        assert_eq!(
            all,
            [
                (0, Ok(Packet::Write { address: 0x4E28, one_register: false, values: &[5, 6] })),
                (3, Ok(Packet::Filler)),
                (4, Ok(Packet::Command { opcode: Opcode::Nop, body: &[8] })),
                (6, Ok(Packet::Write { address: 0x2208, one_register: true, values: &[1, 2] })),
            ]
        );
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        for (words, error) in [
            (&[0x0002_138A, 1, 2][..], PacketError::Truncated { needed: 4, left: 3 }),
            (&[0x4000_0000], PacketError::TypeOne { header: 0x4000_0000 }),
            (&[0xC000_9B00, 0], PacketError::UnknownOpcode { header: 0xC000_9B00, opcode: 0x9B }),
            (&[0xC001_3300, 0, 0], PacketError::TooShort { opcode: Opcode::IndxBuffer, dwords: 2 }),
        ] {
            assert_eq!(first_packet(words), Err(error));
            assert_eq!(packets(words).count(), 1);
        }
    }

    #[test]
    fn the_table_is_ordered_by_code() {
        assert!(Opcode::TABLE.is_sorted_by_key(|info| info.code));
        assert!(
            Opcode::TABLE.iter().all(|info| Opcode::of(info.code) == Some(info.opcode) && info.opcode.info() == info)
        );
    }
}
