//! Measures ctm: ten kernels on its engines, side by side with Mesa's llvmpipe on the source of the same shaders, with kernels
//! written by hand, and against
//! what the machine can do at all.
//!
//! - [`kernel`]: the kernels, whatever their instruction set, and how much work they are;
//! - [`guest`]: a kernel in machine code of a guest, ready to be started; one module for each instruction set;
//! - [`drawing`]: the other sides, processes that draw when they are told to; they are compiled when they are wanted;
//! - [`gl`]: drawing by OpenGL, in C; [`native`]: the kernels by hand for this processor, in C++;
//! - [`limits`]: multiply-adds and copied bytes per second of this machine;
//! - [`peers`]: the measurement; [`report`]: how it is told;
//! - [`card`]: kernels and scenes by OpenGL on the card, beside runs of the same words, and beside llvmpipe;
//! - [`compile`]: how long programs take from words to machine code;
//! - [`frames`]: frames of glmark2's scenes on the cards beside llvmpipe, and what their parts cost;
//! - [`debug`]: going back in a debugger's session;
//! - [`grids`]: grids of a million threads with global memory;
//! - [`shaders`]: what the compiler makes of shaders in source, beside Mesa's;
//! - [`small_passes`]: what a run costs beside the kernel's own time.
//!
//! The programs are in `benches/x1k`, their sources in `benches/glsl`.
#![deny(unsafe_code)]

pub mod card;
pub mod compile;
pub mod debug;
pub mod drawing;
pub mod frames;
pub mod gl;
pub mod grids;
pub mod guest;
pub mod hostile;
pub mod kernel;
pub mod limits;
pub mod machine;
mod markdown;
pub mod native;
pub mod peers;
pub mod report;
pub mod sample;
pub mod shaders;
pub mod small_passes;
mod turn;
