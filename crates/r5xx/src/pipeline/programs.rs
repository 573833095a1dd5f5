//! The programs of a draw.

use super::DrawContext;
use super::fragment::known_program;
use super::known::KnownProgram;
use super::program::{VertexProgram, vertex_program};
use crate::registers::VapCntlStatus;
use crate::state::State;
use ctm_x1k::Program;
use std::sync::Arc;

/// What vertices and fragments run.
pub struct Programs {
    /// `None` if vertices bypass the processor.
    pub vertices: Option<Arc<KnownProgram<VertexProgram>>>,
    /// Of fragments.
    pub fragments: Arc<KnownProgram<Program>>,
}

impl Programs {
    /// As the registers say.
    pub fn of(state: &State, context: &DrawContext) -> Self {
        let bypass = state.registers.get::<VapCntlStatus>().bypass;
        let vertices = || vertex_program(state, context.cache.map(|cache| &cache.vertex_programs));
        Programs {
            vertices: (!bypass).then(vertices),
            fragments: known_program(state, context.cache.map(|cache| &cache.fragment_programs)),
        }
    }

    /// Their hashes, if vertices have one.
    pub fn hashes(&self) -> Option<[u64; 2]> {
        Some([self.vertices.as_ref()?.hash, self.fragments.hash])
    }
}
