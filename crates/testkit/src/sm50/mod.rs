//! SM50: corpus cases, random programs with divergence, and what they must do.

pub mod case;
pub mod doors;
pub mod generate;
pub mod jobs;
pub mod judge;
pub mod structured;
