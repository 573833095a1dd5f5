//! The named values of fields.
//!
//! Every enumeration lists all codes that its field can hold. The spelling is what the instruction's name gets appended,
//! dot included; codes that print nothing have an empty spelling, and codes that the machine rejects have [`INVALID`].
//! Names are those of NVIDIA's disassembler and of the open compilers (Mesa's nouveau and NAK).

mod float;
mod flow;
mod integer;
mod memory;
mod surface;
mod system;
mod texture;
mod video;

pub use float::*;
pub use flow::*;
pub use integer::*;
pub use memory::*;
pub use surface::*;
pub use system::*;
pub use texture::*;
pub use video::*;

/// The spelling of codes that make a word no instruction.
pub const INVALID: &str = "?";
