//! Number rules of the guest machines, bit-exact, as scalar functions.
//!
//! Every value is a `u32` that holds the bits of an IEEE-754 binary32 number, never an `f32`: the bits of a NaN are part
//! of a result here, and host code may change them when an `f32` is moved or computed with.
//!
//! - [`flushed`]: the arithmetic that all guest rules are made of. Round to nearest even, denormals read as zero, tiny
//!   results flushed, one NaN for everything.
//! - [`x1k`]: one function per operation of the X1K fragment processor.
//! - [`r700`]: one function per operation of the R700 shader processor.
//! - [`sm50`]: the operations of the SPA 5.0 (Maxwell) shader processor.
//! - [`ieee`]: numbers of IEEE 754 in all directions of rounding and all formats, exact by construction.
//! - [`transcendental`]: fixed sequences of steps for powers, logarithms, reciprocals, sine and cosine.
//! - [`fused`]: the multiply-add with one rounding, fast on every host.
//! - [`convert`]: normalized integers, element coordinates.
//!
//! A function of this crate is the definition of its operation. Engines that compute it some other way (vector
//! instructions, generated code) have to give the same bits for all arguments.
#![forbid(unsafe_code)]

pub mod convert;
pub mod flushed;
pub mod fused;
pub mod ieee;
pub mod r700;
pub mod sm50;
pub mod transcendental;
pub mod x1k;

pub use flushed::flush;
pub use r700::R700_NAN;
pub use x1k::{MadRules, X1K_NAN};
