//! R700 programs for tests.

pub mod case;
pub mod differential;
pub mod doors;
pub mod environment;
pub mod filetest;
pub mod generate;
pub mod jobs;
pub mod structured;
mod woven;
