//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod any_instruction;
mod attributes;
mod blocks;
mod corpus;
mod debug;
mod docs;
mod fragments;
mod images;
mod pipeline;
mod raster;
mod semantics;
mod tessellator;
mod text_errors;
mod textures;
mod vectors;
