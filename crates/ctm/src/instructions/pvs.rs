//! Instructions of PVS.

use super::Instruction;
use super::registers::Registers;
use super::spelled::assignments;
use ctm_pvs::{AddressMode, Program, Select, text};

const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

pub fn instructions(program: &Program) -> Vec<Instruction> {
    let instruction = |(address, instruction): (usize, &ctm_pvs::Instruction)| {
        let text = text::print_instruction(instruction);
        let operations = assignments(&text);
        Instruction {
            address: address as u32,
            words: instruction.encode().to_vec(),
            operations,
            text,
            reads: reads(instruction),
            writes: writes(instruction),
        }
    };
    program.code.iter().enumerate().map(instruction).collect()
}

fn name(kind: &str, number: u8, mode: AddressMode) -> String {
    match mode {
        AddressMode::Absolute | AddressMode::Reserved => format!("{kind}[{number}]"),
        AddressMode::A0(component) => format!("{kind}[a0.{} + {number}]", component.name()),
        AddressMode::LoopIndex => format!("{kind}[aL + {number}]"),
    }
}

fn reads(instruction: &ctm_pvs::Instruction) -> Vec<String> {
    let mut reads = Registers::default();
    for (_, source) in instruction.sources_read() {
        let component = |select: &Select| match select {
            Select::X => 1_u8,
            Select::Y => 2,
            Select::Z => 4,
            Select::W => 8,
            Select::Zero | Select::One | Select::Reserved6 | Select::Unused => 0,
        };
        let components = source.swizzle.iter().map(component).fold(0, |all, one| all | one);
        reads.add_channels(&name(source.kind.name(), source.offset, source.mode()), components, COMPONENTS);
    }
    if instruction.destination.predicated {
        reads.add("predicate");
    }
    reads.0
}

fn writes(instruction: &ctm_pvs::Instruction) -> Vec<String> {
    let mut writes = Registers::default();
    if instruction.writes() {
        let destination = &instruction.destination;
        let kind = destination.kind.name();
        // The address register is one.
        let register = match destination.kind.written() {
            Some(ctm_pvs::DestinationRegisters::Address) => kind.to_owned(),
            _ => name(kind, destination.offset, destination.mode()),
        };
        writes.add_channels(&register, destination.mask, COMPONENTS);
    }
    writes.0
}
