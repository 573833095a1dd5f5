//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod debug;
mod lift_independent;
mod reference_conditional;
mod reference_run;
mod text_docs;
mod text_errors;
mod text_vectors;
