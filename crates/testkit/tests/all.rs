//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod budgets;
mod corpus;
#[path = "debugger/main.rs"]
mod debugger;
mod differential;
mod engine_kernels;
mod filetests;
#[path = "../../compile/tests/naga_random/generate.rs"]
mod generate;
mod hostile;
mod layers;
mod proven;
mod pvs_engines;
#[path = "common/pvs_programs.rs"]
mod pvs_programs;
mod r700_corpus;
mod r700_engines;
mod r700_shared;
mod r700_structured;
mod r700_text;
mod shaders;
mod shaders_random;
mod sm50_corpus;
mod sm50_engines;
mod sm50_grids;
mod sm50_hardware;
mod sm50_launches;
mod sm50_random;
mod sm50_text;
mod straight;
mod structured;
mod targets;
mod unfit;
mod x1k_text;
