//! R700 programs for tests.

pub mod case;
pub mod doors;
pub mod filetest;
pub mod generate;
pub mod structured;
