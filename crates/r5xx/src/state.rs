//! What the card keeps between packets.

use crate::ports::{Cursor, Port, PortMemory};
use crate::registers::{RegisterFile, RegisterType, VapPvsVectorIndx, after_reset};
use crate::stream::{Command, VertexArray};

/// Vectors of the vertex processor's memory: code, constants, user clip planes.
const VERTEX_VECTORS: usize = 2048;
/// Instructions of the fragment processor's memory.
const FRAGMENT_INSTRUCTIONS: usize = 512;
/// Constants of the fragment processor's memory.
const FRAGMENT_CONSTANTS: usize = 256;

/// Everything that draws depend on besides the memory.
#[derive(Clone, Debug)]
pub struct State {
    /// What the registers hold.
    pub registers: RegisterFile,
    /// Code, constants and planes of the vertex processor.
    pub vertex_memory: PortMemory<4>,
    /// Instructions of the fragment processor.
    pub fragment_code: PortMemory<6>,
    /// Constants of the fragment processor.
    pub fragment_constants: PortMemory<4>,
    /// Where vertices come from.
    pub arrays: Vec<VertexArray>,
    /// Samples that passed depth and stencil tests since the counter was set.
    pub passed: u32,
    pub(crate) vertex_cursor: Cursor<4>,
    pub(crate) code_cursor: Cursor<6>,
    pub(crate) constant_cursor: Cursor<4>,
}

impl State {
    /// Writes to a port of the vertex processor's memory.
    pub(crate) fn put_in_vertex_memory(&mut self, port: Port, value: u32) {
        match port {
            Port::VertexIndex => self.vertex_cursor = Cursor::at(VapPvsVectorIndx::decode(value).index.into()),
            Port::VertexData => self.vertex_cursor.put(&mut self.vertex_memory, value),
            Port::FragmentIndex | Port::FragmentData | Port::Count | Port::StoreCount => {}
        }
    }

    /// Executes a command that changes nothing but what vertices are made of.
    pub(crate) fn change_vertices(&mut self, command: &Command) {
        match command {
            Command::Write { address, value, object } => {
                match object {
                    Some(object) => self.registers.bind(*address, *value, *object),
                    None => self.registers.write(*address, *value),
                }
                Port::of(*address).into_iter().for_each(|port| self.put_in_vertex_memory(port, *value));
            }
            Command::Upload { address, values } => {
                values.last().into_iter().for_each(|&value| self.registers.write(*address, value));
                let port = Port::of(*address);
                port.into_iter()
                    .for_each(|port| values.iter().for_each(|&value| self.put_in_vertex_memory(port, value)));
            }
            Command::VertexArrays(arrays) => self.arrays.clone_from(arrays),
            Command::Draw(_) => {}
        }
    }
}

impl Default for State {
    fn default() -> Self {
        State {
            registers: after_reset(),
            vertex_memory: PortMemory::new(VERTEX_VECTORS),
            fragment_code: PortMemory::new(FRAGMENT_INSTRUCTIONS),
            fragment_constants: PortMemory::new(FRAGMENT_CONSTANTS),
            arrays: Vec::new(),
            passed: 0,
            vertex_cursor: Cursor::default(),
            code_cursor: Cursor::default(),
            constant_cursor: Cursor::default(),
        }
    }
}
