//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod debug;
mod listings;
mod reference_flow;
mod reference_values;
mod sampling;
mod support;
mod text_docs;
mod text_errors;
mod text_roundtrip;
mod text_swizzles;
mod text_vectors;
mod words;
