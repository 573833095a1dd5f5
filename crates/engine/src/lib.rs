//! Runs lane IR over a domain.
#![forbid(unsafe_code)]

pub mod backend;
pub mod interp;

pub use backend::{Backend, Bindings, Code, Outcome, Source, SurfaceFacts};
