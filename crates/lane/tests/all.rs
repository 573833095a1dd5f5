//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod facts;
mod functions;
mod random;
mod reference;
mod rules;
mod simplify;
mod support;
mod text;
mod values;
mod verify;
