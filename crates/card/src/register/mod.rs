//! Registers of cards: how they are described, found by address, and what they hold.

mod file;
mod map;
mod table;

pub use file::{Binding, RegisterFile, RegisterGroup};
pub use map::RegisterMap;
pub use table::{Register, RegisterType, ValueFormat};
