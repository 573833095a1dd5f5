//! Containers of GPU programs. Nothing here executes.
//!
//! - [`mod@probe`]: what a file holds, whatever it is;
//! - [`elf`]: the program image of CTM, with a program of X1K;
//! - [`raw`]: bare instruction words of X1K;
//! - [`r700`]: programs of R700, in LLVM's objects, shader files of the Wii U, or bare words;
//! - [`sm50`]: programs of SM50, header and code, and the kernels of cubins;
//! - [`sass`]: listings of SM50 code by NVIDIA's tools and public assemblers;
//! - [`d3d9`]: code of Direct3D 9 pixel shaders, as text;
//! - [`mesa`]: logs of Mesa's drivers;
//! - [`c_array`]: arrays of bytes in C source;
//! - [`hex`]: dwords as hexadecimal text.
//!
//! Readers are total: any bytes give a program or a typed error that says where and what.
#![forbid(unsafe_code)]

mod allowance;
pub mod c_array;
pub mod d3d9;
pub mod elf;
pub mod hex;
pub mod mesa;
pub mod probe;
pub mod r700;
pub mod raw;
pub mod sass;
pub mod sm50;

pub use probe::probe;
