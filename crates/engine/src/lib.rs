//! Runs lane IR over a domain.
#![forbid(unsafe_code)]

pub mod backend;

pub use backend::{Backend, Bindings, Code, Outcome, Source, SurfaceFacts};
