//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod cursor;
mod diagnostics;
mod lexer;
mod topics;
