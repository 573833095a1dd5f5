//! Memory of the host that draws use again and again.

use super::{area, batch, vertices};
use std::cell::RefCell;

/// What kernels read and write beside the card's memory.
pub struct Scratch {
    pub(super) vertices: vertices::Memory,
    pub(super) area: RefCell<area::Memory>,
    pub(super) batch: RefCell<batch::Memory>,
}

impl Scratch {
    /// New memory; `None` if the host has none.
    pub fn new() -> Option<Self> {
        Some(Scratch {
            vertices: vertices::Memory::new()?,
            area: RefCell::default(),
            batch: RefCell::new(batch::Memory::new()?),
        })
    }
}
