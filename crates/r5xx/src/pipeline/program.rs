//! The vertex program that the registers hold.

use super::known::{KnownProgram, ProgramCache};
use crate::registers::{
    VapPvsCodeCntl0, VapPvsConstCntl, VapPvsFlowCntlAddrsLw, VapPvsFlowCntlAddrsUw, VapPvsFlowCntlLoopIndex,
    VapPvsFlowCntlOpc,
};
use crate::state::State;
use ctm_pvs::lift::Layout;
use ctm_pvs::reference::Constants;
use ctm_pvs::{CONSTANTS, FLOW_ENTRIES, FlowEntry, FlowOp, Instruction, Program};
use std::cell::RefCell;
use std::sync::Arc;

/// Where constants begin in the vertex processor's memory.
pub const FIRST_CONSTANT: usize = 1024;
/// Where user clip planes begin.
pub const FIRST_PLANE: usize = 1536;

/// A vertex program, and which vectors it reads and writes.
#[derive(Debug)]
pub struct VertexProgram {
    /// The program.
    pub program: Program,
    /// The vectors.
    pub layout: Layout,
}

/// Programs that draws have had: what registers say of them is a program without code.
pub type VertexPrograms = ProgramCache<4, Program, VertexProgram>;

/// The program, from among those that draws have had if there are such.
pub fn vertex_program(state: &State, known: Option<&RefCell<VertexPrograms>>) -> Arc<KnownProgram<VertexProgram>> {
    let (words, setup) = vertex_words(state);
    let decode = |setup: &Program| {
        let program = Program { code: words.iter().map(Instruction::decode).collect(), ..setup.clone() };
        VertexProgram { layout: Layout::of(&program), program }
    };
    match known.and_then(|known| known.try_borrow_mut().ok()) {
        Some(mut known) => known.get(words, setup, decode),
        None => Arc::new(KnownProgram::new(decode(&setup), &words)),
    }
}

/// The words of the program, and what registers say of it.
fn vertex_words(state: &State) -> (&[[u32; 4]], Program) {
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
    let max_constant = registers.get::<VapPvsConstCntl>().max;
    let setup = Program { first: code.first, last: code.last, flow, max_constant, ..Program::default() };
    (&words[..end], setup)
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
