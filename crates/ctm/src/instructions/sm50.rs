//! Instructions of SM50.

use super::registers::Registers;
use super::spelled::between_commas;
use super::{Instruction, Operation};
use ctm_sm50::codes::{SelectB, Test};
use ctm_sm50::{Arg, Code, FieldId, Op, Pred, PredSource, Reg, Value, key, special_register_name, text};

pub fn instructions(code: &Code) -> Vec<Instruction> {
    let instruction = |(index, instruction): (usize, &ctm_sm50::Instruction)| {
        let address = Code::address(index);
        let text = text::print_instruction(instruction, address);
        let name = instruction.row().name;
        // The guard stands in front of the name, suffixes behind it.
        let rest = text.split_once(name).map_or("", |(_, rest)| rest).trim_end_matches(';');
        let rest = rest.split_once(char::is_whitespace).map_or("", |(_, operands)| operands);
        let operations = vec![Operation { name: name.to_owned(), operands: between_commas(rest) }];
        let word = instruction.encode();
        let (reads, writes) = registers(instruction);
        Instruction { address, words: vec![word as u32, (word >> 32) as u32], operations, text, reads, writes }
    };
    code.instructions().iter().enumerate().map(instruction).collect()
}

/// What it reads, and what it writes.
fn registers(instruction: &ctm_sm50::Instruction) -> (Vec<String>, Vec<String>) {
    let (mut reads, mut writes) = (Registers::default(), Registers::default());
    // Groups of textures and images are not aligned; of one that begins with the same register as another, the longer one counts.
    let wide = instruction.wide_operands();
    let groups = instruction.register_groups();
    let all = |into: &mut Registers, reg: Reg| {
        let sized = groups.iter().chain(&wide).filter(|(first, _)| *first == reg);
        for number in 0..sized.map(|(_, words)| *words).max().unwrap_or(1) {
            let reg = Reg(reg.0.saturating_add(number));
            if !reg.is_zero() {
                into.add(reg.to_string());
            }
        }
    };
    let predicate = |into: &mut Registers, pred: Pred| {
        if !pred.is_true() {
            into.add(pred.to_string());
        }
    };
    let source = |into: &mut Registers, value: Value| match value {
        Value::Reg(reg) => all(into, reg),
        Value::Const { bank, offset } => into.add(format!("c[{bank:#x}][{offset:#x}]")),
        Value::Imm(_) => {}
    };
    let PredSource { pred: guard, .. } = instruction.guard();
    predicate(&mut reads, guard);
    let is_to_flags = instruction.op() == Op::R2p;
    for arg in instruction.row().args {
        match arg {
            Arg::Rd | Arg::RdUnlessZero => all(&mut writes, instruction.dst()),
            Arg::Register(FieldId::RD2) => all(&mut writes, instruction.reg(key::RD2)),
            Arg::Register(id) | Arg::RegisterUnlessZero(id) => all(&mut reads, Reg(instruction.value(*id) as u8)),
            Arg::CasValues => {
                all(&mut reads, instruction.reg(key::RB));
                all(&mut reads, instruction.cas_store());
            }
            Arg::BytesA => all(&mut reads, instruction.reg(key::RA)),
            Arg::BytesB if instruction.get(key::SELECT_B) != SelectB::Imm => all(&mut reads, instruction.reg(key::RB)),
            Arg::Input | Arg::CacheAddress => all(&mut reads, instruction.reg(key::RA)),
            Arg::InputPredicate => predicate(&mut reads, instruction.pred_c().pred),
            Arg::Data | Arg::RdAgain => all(&mut reads, instruction.dst()),
            Arg::A => source(&mut reads, instruction.a().value),
            Arg::B | Arg::SpacedB | Arg::ConvertedB => source(&mut reads, instruction.b().value),
            Arg::C => source(&mut reads, instruction.c().value),
            Arg::RcUnlessZero => all(&mut reads, instruction.reg(key::RC)),
            Arg::Pd | Arg::PdUnlessTrue => predicate(&mut writes, instruction.pred(key::PD)),
            Arg::Pq => predicate(&mut writes, instruction.pred(key::PQ)),
            Arg::Pc => predicate(&mut reads, instruction.pred_c().pred),
            Arg::Pa => predicate(&mut reads, instruction.pred_a().pred),
            Arg::Pb => predicate(&mut reads, instruction.pred_b().pred),
            Arg::Cc => reads.add("CC"),
            Arg::Flags => {
                let flags = instruction.get(key::FLAGS).name();
                if is_to_flags { &mut writes } else { &mut reads }.add(flags);
            }
            Arg::Attribute | Arg::Logical | Arg::Bracketed | Arg::Memory | Arg::ConstantMemory => {
                all(&mut reads, instruction.reg(key::RA));
            }
            Arg::Special => reads.add(special_register_name(instruction.get(key::SPECIAL))),
            Arg::Test => {
                if instruction.test() != Test::T {
                    reads.add("CC");
                }
            }
            Arg::IndexedTarget | Arg::IndexedAbsolute => all(&mut reads, instruction.reg(key::RA)),
            Arg::Lane if !instruction.get(key::LANE_IS_IMM) => all(&mut reads, instruction.reg(key::RB)),
            Arg::Clamp if !instruction.get(key::CLAMP_IS_IMM) => {
                all(&mut reads, Reg((instruction.get(key::CLAMP_IMM) >> 5) as u8));
            }
            Arg::BarrierId if !instruction.get(key::BARRIER_ID_IMM) => {
                all(&mut reads, Reg(instruction.get(key::BARRIER_ID)));
            }
            Arg::BarrierPredicate => predicate(&mut reads, instruction.pred_c().pred),
            Arg::BytesB
            | Arg::Name(_)
            | Arg::ScalarDim
            | Arg::PbUnlessTrue
            | Arg::CacheHeader
            | Arg::NamedBarrier
            | Arg::Swizzle
            | Arg::Lane
            | Arg::Clamp
            | Arg::BarrierId
            | Arg::BarrierCount
            | Arg::Scoreboard
            | Arg::ScoreboardSet
            | Arg::Number(_)
            | Arg::NumberUnlessZero(_)
            | Arg::QuadMask
            | Arg::Target
            | Arg::Absolute => {}
        }
    }
    if instruction.get(key::X) {
        reads.add("CC");
    }
    if instruction.get(key::CC) {
        writes.add("CC");
    }
    (reads.0, writes.0)
}
