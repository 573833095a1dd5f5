//! R700 programs for tests.

pub mod case;
