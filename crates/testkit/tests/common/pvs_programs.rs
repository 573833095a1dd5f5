//! Vertex programs at random.

use ctm_cases::{Result, Unstructured};
use ctm_pvs::{DestinationKind, FlowEntry, FlowOp, Instruction, Operation, Program, Select, SourceKind};

/// All operations that there are.
pub fn operations() -> impl Iterator<Item = Operation> {
    Operation::all().filter(|&operation| operation != Operation::Reserved)
}

/// A number of a component: often a special one, or a small one.
pub fn number(u: &mut Unstructured) -> Result<u32> {
    Ok(match u.int_in_range(0..=5)? {
        0 => u.arbitrary()?,
        1 => *u.choose(&[0, 0x8000_0000, 1, 0x8000_0001, 0x7FC1_2345, 0xFF80_0000, 0x7F80_0000, 0x3F80_0000])?,
        _ => (u.int_in_range(-64..=64)? as f32 / 8.0).to_bits(),
    })
}

/// An instruction that uses few registers, so that values meet.
fn instruction(u: &mut Unstructured, operations: &[Operation]) -> Result<Instruction> {
    let mut instruction = Instruction::decode(&u.arbitrary()?);
    instruction.set_operation(*u.choose(operations)?);
    instruction.dual_math = false;
    let destination = &mut instruction.destination;
    destination.offset %= 4;
    destination.predicated = u.ratio(1, 4)?;
    if u.ratio(7, 8)? {
        (destination.mode_low, destination.mode_high) = (false, false);
        destination.kind = *u.choose(&[
            DestinationKind::Temporary,
            DestinationKind::Output,
            DestinationKind::Address,
            DestinationKind::Alternate,
        ])?;
    }
    for source in &mut instruction.sources {
        source.offset %= 4;
        if u.ratio(7, 8)? {
            (source.mode_low, source.mode_high) = (false, false);
        } else if source.kind != SourceKind::Constant && u.ratio(3, 4)? {
            source.kind = SourceKind::Temporary;
        }
        if u.ratio(1, 2)? {
            source.swizzle = [Select::X, Select::Y, Select::Z, Select::W];
        }
    }
    Ok(instruction)
}

/// A short program of these operations, with up to three entries of flow control.
pub fn program(u: &mut Unstructured, operations: &[Operation]) -> Result<Program> {
    let mut program = Program { max_constant: u.arbitrary()?, ..Program::default() };
    let count = u.int_in_range(1..=12)?;
    for _ in 0..count {
        program.code.push(instruction(u, operations)?);
    }
    program.last = count - 1;
    for entry in program.flow.iter_mut().take(u.int_in_range(0..=3)?) {
        let mut place = || u.int_in_range(0..=count - 1);
        let (act, resume, last, target) = (place()?, place()?, place()?, place()?);
        let op = *u.choose(&[FlowOp::Loop, FlowOp::Loop, FlowOp::Call, FlowOp::Jump])?;
        *entry = FlowEntry {
            op,
            act,
            count_or_target: if op == FlowOp::Loop { u.int_in_range(0..=5)? } else { target },
            last,
            resume,
            index: u.int_in_range(0..=3)?,
            step: u.int_in_range(-2..=2)?,
            inherits: u.arbitrary()?,
        };
    }
    Ok(program)
}
