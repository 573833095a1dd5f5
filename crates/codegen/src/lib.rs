//! Makes machine code of lane IR for the host, and knows the engines by name.
//!
//! - [`jit`] is the backend of [`ctm_engine`] that makes and runs machine code;
//! - an [`EngineName`] names what executes jobs, machine code or not, and says what this host has;
//! - [`fault::install`] makes faults of machine code errors of its run.
#![deny(unsafe_code)]

mod engines;
pub mod fault;
#[cfg(target_arch = "x86_64")]
pub mod jit;

pub use engines::{EngineName, NoEngine};
