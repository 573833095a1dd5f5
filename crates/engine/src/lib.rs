//! Runs lane IR over a domain.
#![deny(unsafe_code)]

pub mod backend;
#[cfg(target_arch = "x86_64")]
pub mod jit;

pub use backend::{Backend, Bindings, Code, Outcome, Source, SurfaceFacts};
