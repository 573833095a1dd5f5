//! The SPA 5.0 instruction set (SM50, Maxwell GM107).
//!
//! - [`Instruction`]: decode and encode, total and inverse, from one table ([`ROWS`]);
//! - [`Header`]: the shader program header;
//! - [`Program`]: header and code, in bundles with control words ([`Control`]);
//! - [`text`]: the assembly language, both ways;
//! - [`attributes`]: the memory that stages hand attributes on in;
//! - [`check::check`]: what the machine would trap on, what headers make vanish, likely mistakes;
//! - [`launch`]: one run of a stage, for any executor; [`mod@reference`]: the golden model of the others;
//! - [`debug`]: launches step by step, forward and back;
//! - [`pipeline::Draw`]: vertices through all stages to captured records, with the tessellator, and to pixels.
#![forbid(unsafe_code)]

pub mod attributes;
pub mod check;
pub mod codes;
pub mod constant_use;
mod control;
pub mod debug;
pub mod engine;
pub mod extract;
mod field;
pub mod footprint;
mod form;
mod groups;
mod header;
pub mod images;
mod instruction;
pub mod launch;
pub mod lift;
pub mod link;
mod operand;
pub mod pipeline;
mod product;
mod program;
pub mod reference;
mod refused;
mod special;
pub mod stores;
mod table;
pub mod text;
pub mod textures;
pub mod topics;
mod wide;

pub use control::{Control, Latency, Reuse, latency};
pub use field::{Bits, Field, FieldId, Key, key};
pub use form::{Arg, Imm, Pattern, Shape};
pub use header::{AttributeMap, Header, Interpolation, PixelMaps, Stage, Topology};
pub use instruction::Instruction;
pub use operand::{Pred, PredSource, Reg, Source, Value, WordPart};
pub use program::{BUNDLE_BYTES, BUNDLE_SLOTS, Code, CodeError, MAX_INSTRUCTIONS, Program};
pub use special::{special_register_name, special_register_number};
pub use table::{Op, ROWS, Row};
