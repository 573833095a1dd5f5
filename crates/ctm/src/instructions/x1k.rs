//! Instructions of X1K.

use super::registers::Registers;
use super::spelled::assignments;
use super::{Instruction, Operation};
use ctm_x1k::{Body, Effects, Operand, Program, text};

const CHANNELS: [char; 4] = ['r', 'g', 'b', 'a'];

pub fn instructions(program: &Program) -> Vec<Instruction> {
    let instruction = |(address, instruction): (usize, &ctm_x1k::Instruction)| {
        let text = text::print_instruction_at(program, address);
        let effects = Effects::in_program(instruction, &program.info);
        let operations = operations(instruction, &text);
        let words = instruction.encode().to_vec();
        Instruction {
            address: address as u32,
            words,
            operations,
            text,
            reads: reads(&effects),
            writes: writes(&effects),
        }
    };
    program.code.iter().enumerate().map(instruction).collect()
}

fn operations(instruction: &ctm_x1k::Instruction, text: &str) -> Vec<Operation> {
    match &instruction.body {
        // Sources stand in front of the colon.
        Body::Alu(_) | Body::Out(_) => assignments(text.split_once(':').map_or(text, |(_, operations)| operations)),
        Body::Tex(_) => assignments(text),
        Body::Flow(flow) => vec![Operation { name: flow.op.name().to_owned(), operands: Vec::new() }],
    }
}

/// The name of a register or constant, without a channel.
fn name(kind: &str, index: u8, relative: bool) -> String {
    if relative { format!("{kind}[aL + {index}]") } else { format!("{kind}[{index}]") }
}

fn reads(effects: &Effects) -> Vec<String> {
    let mut reads = Registers::default();
    for read in &effects.reads {
        let register = match read.operand {
            Operand::Temp { index, relative } => name("temp", index, relative),
            Operand::Const { index, relative } => name("const", index, relative),
            Operand::Inline(_) => continue,
        };
        reads.add_channels(&register, read.channels, CHANNELS);
    }
    effects.input.iter().for_each(|input| reads.add(format!("tex[{input}]")));
    reads.add_channels("pred", effects.predicates_read, CHANNELS);
    if effects.alu_result_read {
        reads.add("alu");
    }
    effects.int_constant.iter().for_each(|number| reads.add(format!("i[{number}]")));
    effects.bool_constant.iter().for_each(|number| reads.add(format!("b[{number}]")));
    reads.0
}

fn writes(effects: &Effects) -> Vec<String> {
    let mut writes = Registers::default();
    for write in &effects.temps {
        writes.add_channels(&name("temp", write.index, write.relative), write.channels, CHANNELS);
    }
    for (number, &channels) in effects.outputs.iter().enumerate() {
        writes.add_channels(&format!("out[{number}]"), channels, CHANNELS);
    }
    writes.add_channels("pred", effects.predicates_written, CHANNELS);
    if effects.alu_result_written {
        writes.add("alu");
    }
    if effects.cond_value_written {
        writes.add("cond");
    }
    writes.0
}
