//! SM50: corpus cases, random programs with divergence, in pipelines and grids, and what they must do.

pub mod case;
pub mod comparison;
pub mod draft;
pub mod filetest;
pub mod fragments;
pub mod generate;
pub mod grids;
pub mod images;
pub mod jobs;
pub mod launches;
pub mod structured;
pub mod targets;
pub mod textures;
