//! R700 programs for tests.

mod aliases;
pub mod case;
pub mod differential;
mod directive;
pub mod environment;
pub mod filetest;
pub mod generate;
pub mod jobs;
pub mod operations;
mod shared;
pub mod structured;
pub mod targets;
mod unrolled;
mod woven;
