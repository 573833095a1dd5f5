//! The `ctm` program.
