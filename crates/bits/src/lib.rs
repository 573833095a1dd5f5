//! Bit ranges, field tables and code enumerations.
//!
//! This crate knows no instruction set. It gives the instruction-set crates one way to write down every field of an
//! instruction word exactly once: a [`field_table!`] row names the field, its place in the words, and the place in the
//! decoded structure. Decoding, encoding, field listings, checks and test generators all come from those rows.
#![forbid(unsafe_code)]

mod codes;
mod table;

pub use table::{Field, FieldValue, extract, insert};
