//! The vertex program that the registers hold.

use crate::registers::{
    VapPvsCodeCntl0, VapPvsConstCntl, VapPvsFlowCntlAddrsLw, VapPvsFlowCntlAddrsUw, VapPvsFlowCntlLoopIndex,
    VapPvsFlowCntlOpc,
};
use crate::state::State;
use ctm_pvs::reference::Constants;
use ctm_pvs::{CONSTANTS, FLOW_ENTRIES, FlowEntry, FlowOp, Instruction, Program};

/// Where constants begin in the vertex processor's memory.
const FIRST_CONSTANT: usize = 1024;
/// Where user clip planes begin.
const FIRST_PLANE: usize = 1536;

/// The program.
pub fn vertex_program(state: &State) -> Program {
    let registers = &state.registers;
    let code = registers.get::<VapPvsCodeCntl0>();
    let operations = registers.get::<VapPvsFlowCntlOpc>().value;
    let entry = |number: usize| {
        let at = number as u32;
        let (low, high) = (registers.at::<VapPvsFlowCntlAddrsLw>(at), registers.at::<VapPvsFlowCntlAddrsUw>(at));
        let index = registers.at::<VapPvsFlowCntlLoopIndex>(at);
        FlowEntry {
            op: FlowOp::ALL[(operations >> (2 * number) & 3) as usize],
            act: low.act,
            count_or_target: low.count_or_target,
            last: high.last,
            resume: high.resume,
            index: index.index,
            step: index.step.cast_signed(),
            inherits: index.inherits,
        }
    };
    let words = state.vertex_memory.elements();
    let flow: [FlowEntry; FLOW_ENTRIES] = std::array::from_fn(entry);
    // Programs with flow control may go beyond their last instruction.
    let whole = flow.iter().any(|entry| entry.op != FlowOp::None);
    let end = if whole { FIRST_CONSTANT } else { usize::from(code.last) + 1 };
    Program {
        code: words[..end].iter().map(Instruction::decode).collect(),
        first: code.first,
        last: code.last,
        flow,
        max_constant: registers.get::<VapPvsConstCntl>().max,
        ..Program::default()
    }
}

/// Its constants.
pub fn vertex_constants(state: &State) -> Constants<'_> {
    let memory = &state.vertex_memory.elements()[FIRST_CONSTANT..];
    let memory: &[[u32; 4]; CONSTANTS] = memory.first_chunk().expect("the memory is longer");
    Constants { memory, base: state.registers.get::<VapPvsConstCntl>().base }
}

/// User clip plane `number`, as binary32 bits.
pub fn user_plane(state: &State, number: usize) -> [u32; 4] {
    state.vertex_memory.get(FIRST_PLANE + number)
}
