//! `libctm`: the C interface of the CTM device.
//!
//! The functions and types have the names and layouts of the CTM distribution of 2006 (CTM Guide p.51-52); names with
//! `amx` are extensions of this device. The headers are in `include/`, the manual is `docs/c-interface.md`.
//!
//! - `am*`: `amOpenManagedConnection` and the three functions on an open device;
//! - `amx*`: options, errors, reports of strict mode, traces;
//! - `amuABI*`: the constants that a program image wants;
//! - `amuAsm*`: assembly text to program images and back;
//! - `amuComp*`: the text of pixel shaders to program images.
//!
//! A device's handle is a number that the process has never used before, so that a closed or foreign handle is
//! recognized. No panic leaves a function, no function keeps a pointer that it was given, and what a pointer argument
//! points to must be as the function's documentation says.
#![allow(non_snake_case)]
#![warn(clippy::undocumented_unsafe_blocks)]

mod abi;
mod am;
mod amx;
mod asm;
mod call;
mod comp;
mod devices;
mod log;
mod memory;

pub use abi::*;
pub use am::*;
pub use amx::*;
pub use asm::*;
pub use comp::*;
pub use log::{AMX_LOG_CALL, AMX_LOG_ERROR, AMX_LOG_REPORT, AMXlogFunction, amxSetLog};
pub use memory::amxFree;

/// An unsigned 32-bit number.
pub type AMuint32 = u32;
