//! What draws in tiles are made of: where the pixels of targets lie, what programs get over primitives, and the memory that outlives draws.

mod layout;
mod memory;
mod values;

pub use layout::TargetLayout;
pub use memory::{LineMemory, TileMemory};
pub use values::{LineValue, LineValues};
