//! The `ctm` program.
fn main() {}
