//! Streams as text: a line for each register write and packet, with names and fields.

use crate::packets::{Opcode, Packet, packets};
use crate::registers::{
    self, GaUsVectorData, GaUsVectorIndex, Register, RegisterType, Shown, VapPvsUploadData, VapPvsVectorIndx, VapVfCntl,
};
use ctm_bits::{Field, extract};

/// Vectors of the vertex processor's memory before this one are code.
const FIRST_CONSTANT: u32 = 1024;

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The dword of the stream that it is about.
    pub at: usize,
    /// What stands there.
    pub text: String,
}

/// The lines of a stream. Dwords that are no packet give a line that says so, and end it.
pub fn listing(words: &[u32]) -> Vec<Line> {
    let mut lister = Lister { lines: Vec::new(), vertex_index: 0, fragment_index: GaUsVectorIndex::default() };
    for (at, packet) in packets(words) {
        match packet {
            Ok(packet) => lister.packet(at, packet),
            Err(error) => lister.line(at, format!("error: {error}")),
        }
    }
    lister.lines
}

/// A register's value in words: `RB3D_COLORPITCH_0 = 0x00c30040 (COLORPITCH 32, COLORTILE 1)`.
pub fn register_text(address: u32, value: u32) -> String {
    let name = registers::name(address);
    let meaning = match registers::at(address) {
        Some((register, _)) => meaning(register, value),
        None => String::from(" (not known)"),
    };
    format!("{name} = {value:#010x}{meaning}")
}

fn meaning(register: &Register, value: u32) -> String {
    match register.shown {
        Shown::Bits => String::new(),
        Shown::Float => format!(" ({})", f32::from_bits(value)),
        Shown::Address | Shown::Fields => fields_text(register.fields, value),
    }
}

/// The fields of a dword that are not 0.
fn fields_text(fields: &[Field], value: u32) -> String {
    let text = |field: &Field| {
        let raw = field.get(&[value]);
        let spelled = (field.spell)(raw);
        (raw != 0 || spelled.is_some()).then(|| match spelled {
            Some(spelled) => format!("{} {spelled}", field.name),
            None => format!("{} {raw}", field.name),
        })
    };
    let fields: Vec<_> = fields.iter().filter_map(text).collect();
    if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) }
}

struct Lister {
    lines: Vec<Line>,
    vertex_index: u32,
    fragment_index: GaUsVectorIndex,
}

impl Lister {
    fn line(&mut self, at: usize, text: String) {
        self.lines.push(Line { at, text });
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
                    self.line(at + 1 + number, register_text(address, value));
                }
            }
            Packet::Write { address, one_register: true, values } => self.upload(at, address, values),
            Packet::Command { opcode: Opcode::Nop, body } => self.line(at, format!("  relocation {}", body[0] / 4)),
            Packet::Command { opcode, body } => {
                let body_text = match opcode {
                    Opcode::DrawVbuf2 | Opcode::DrawImmd2 | Opcode::DrawIndx2 => {
                        fields_text(VapVfCntl::FIELDS, body[0]) + &dwords(&body[1..])
                    }
                    Opcode::LoadVbpntr => format!(" ({} arrays){}", extract(body[0], 4, 0), dwords(&body[1..])),
                    _ => dwords(body),
                };
                self.line(at, format!("{}{body_text}", opcode.info().name));
            }
        }
    }

    /// Data of a port: instructions and constants in their own form.
    fn upload(&mut self, at: usize, address: u32, values: &[u32]) {
        let first = usize::from(self.fragment_index.index);
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
                    self.line(at + 1 + number * 4, text);
                }
                self.vertex_index += values.len() as u32 / 4;
            }
            GaUsVectorData::ADDRESS if self.fragment_index.constants => {
                for (number, vector) in values.chunks(4).enumerate() {
                    self.line(at + 1 + number * 4, format!("US constant {}: {}", first + number, numbers(vector)));
                }
            }
            GaUsVectorData::ADDRESS => {
                for (number, instruction) in values.chunks(6).enumerate() {
                    let text = match instruction.try_into() {
                        Ok(words) => ctm_x1k::text::print_instruction(&ctm_x1k::Instruction::decode(words)),
                        Err(_) => format!("part of an instruction{}", dwords(instruction)),
                    };
                    self.line(at + 1 + number * 6, format!("US {}: {text}", first + number));
                }
            }
            _ => self.line(at, format!("{}: {} values{}", registers::name(address), values.len(), dwords(values))),
        }
    }
}

fn dwords(dwords: &[u32]) -> String {
    dwords.iter().map(|dword| format!(" {dword:08x}")).collect()
}

fn numbers(bits: &[u32]) -> String {
    let numbers: Vec<_> = bits.iter().map(|&bits| f32::from_bits(bits).to_string()).collect();
    format!("({})", numbers.join(", "))
}
