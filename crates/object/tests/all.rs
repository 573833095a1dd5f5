//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod d3d9;
mod elf;
mod mesa;
mod probe;
mod properties;
mod r700;
mod sm50;
