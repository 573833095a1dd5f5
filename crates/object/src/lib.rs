//! Containers of GPU programs. Nothing here executes.
//!
//! - [`mod@probe`]: what a file holds, whatever it is;
//! - [`elf`]: the program image of CTM, with a program of X1K;
//! - [`raw`]: bare instruction words of X1K;
//! - [`r700`]: programs of R700, in LLVM's objects, shader files of the Wii U, or bare words;
//! - [`sm50`]: programs of SM50, header and code, and the kernels of cubins;
//! - [`mesa`]: logs of Mesa's drivers;
//! - [`hex`]: dwords as hexadecimal text.
//!
//! Readers are total: any bytes give a program or a typed error that says where and what.
#![forbid(unsafe_code)]

mod allowance;
pub mod elf;
pub mod hex;
pub mod mesa;
pub mod probe;
pub mod r700;
pub mod raw;
pub mod sm50;

pub use probe::probe;
