//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod bomb_containers;
mod bombs;
mod card;
mod commands;
mod common;
mod corpus;
mod counts;
mod debugger;
mod device;
mod diff;
mod errors;
mod failures;
mod files;
mod follow;
#[path = "../../debug/tests/support/halving.rs"]
mod halving;
#[path = "json/main.rs"]
mod json;
mod limits;
mod links;
mod order;
mod outputs;
mod pvs;
mod r700;
mod repeated;
mod run;
mod sandbox;
mod shaders;
mod sm50;
mod tour;
mod tutorials;
mod warnings;
