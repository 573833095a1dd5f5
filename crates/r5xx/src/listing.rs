//! Streams as text: a line for each register write and packet, with names and fields.

use crate::packets::{Opcode, Packet, packets};
use crate::registers::{
    GaUsVectorData, GaUsVectorIndex, RegisterType, VapPvsUploadData, VapPvsVectorIndx, VapVfCntl, map,
};
use ctm_bits::extract;
use ctm_card::listing::{Line, dwords, fields_text, numbers};

/// Vectors of the vertex processor's memory before this one are code.
const FIRST_CONSTANT: u32 = 1024;

/// The lines of a stream. Dwords that are not a packet give a line that says so, and end it.
pub fn listing(words: &[u32]) -> Vec<Line> {
    let mut lister = Lister { lines: Vec::new(), vertex_index: 0, fragment_index: GaUsVectorIndex::default() };
    for (at, packet) in packets(words) {
        match packet {
            Ok(packet) => lister.packet(at, packet),
            Err(error) => lister.line(at, "", format!("error: {error}")),
        }
    }
    lister.lines
}

struct Lister {
    lines: Vec<Line>,
    vertex_index: u32,
    fragment_index: GaUsVectorIndex,
}

impl Lister {
    fn line(&mut self, at: usize, meaning: &'static str, text: String) {
        self.lines.push(Line { at, text, meaning });
    }

    fn packet(&mut self, at: usize, packet: Packet) {
        match packet {
            Packet::Filler => {}
            Packet::Write { address, one_register: false, values } => {
                for (number, &value) in values.iter().enumerate() {
                    let address = address + 4 * number as u32;
                    match address {
                        VapPvsVectorIndx::ADDRESS => self.vertex_index = VapPvsVectorIndx::decode(value).index.into(),
                        GaUsVectorIndex::ADDRESS => self.fragment_index = GaUsVectorIndex::decode(value),
                        _ => {}
                    }
                    self.line(at + 1 + number, map().doc(address), map().text(address, value));
                }
            }
            Packet::Write { address, one_register: true, values } => self.upload(at, address, values),
            Packet::Command { opcode: Opcode::Nop, body } => {
                self.line(at, Opcode::Nop.info().doc, format!("  relocation {}", body[0] / 4));
            }
            Packet::Command { opcode, body } => {
                let body_text = match opcode {
                    Opcode::DrawVbuf2 | Opcode::DrawImmd2 | Opcode::DrawIndx2 => {
                        fields_text(VapVfCntl::FIELDS, &body[..1]) + &dwords(&body[1..])
                    }
                    Opcode::LoadVbpntr => format!(" ({} arrays){}", extract(body[0], 4, 0), dwords(&body[1..])),
                    _ => dwords(body),
                };
                self.line(at, opcode.info().doc, format!("{}{body_text}", opcode.info().name));
            }
        }
    }

    /// Data of a port: instructions and constants in their own form.
    fn upload(&mut self, at: usize, address: u32, values: &[u32]) {
        let (first, meaning) = (usize::from(self.fragment_index.index), map().doc(address));
        match address {
            VapPvsUploadData::ADDRESS => {
                for (number, vector) in values.chunks(4).enumerate() {
                    let index = self.vertex_index + number as u32;
                    let text = match vector.try_into() {
                        Ok(words) if index < FIRST_CONSTANT => {
                            format!(
                                "PVS {index}: {}",
                                ctm_pvs::text::print_instruction(&ctm_pvs::Instruction::decode(words))
                            )
                        }
                        _ => format!("PVS vector {index}: {}", numbers(vector)),
                    };
                    self.line(at + 1 + number * 4, meaning, text);
                }
                self.vertex_index += values.len() as u32 / 4;
            }
            GaUsVectorData::ADDRESS if self.fragment_index.constants => {
                for (number, vector) in values.chunks(4).enumerate() {
                    let text = format!("US constant {}: {}", first + number, numbers(vector));
                    self.line(at + 1 + number * 4, meaning, text);
                }
            }
            GaUsVectorData::ADDRESS => {
                for (number, instruction) in values.chunks(6).enumerate() {
                    let text = match instruction.try_into() {
                        Ok(words) => ctm_x1k::text::print_instruction(&ctm_x1k::Instruction::decode(words)),
                        Err(_) => format!("part of an instruction{}", dwords(instruction)),
                    };
                    self.line(at + 1 + number * 6, meaning, format!("US {}: {text}", first + number));
                }
            }
            _ => {
                let text = format!("{}: {} values{}", map().name(address), values.len(), dwords(values));
                self.line(at, meaning, text);
            }
        }
    }
}
