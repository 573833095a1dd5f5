//! From source text to functions, one module per language.

pub mod ps;
