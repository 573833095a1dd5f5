//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod budget;
mod common;
mod large_sources;
mod machine_code;
#[path = "meaning/main.rs"]
mod meaning;
mod naga;
mod naga_mutated;
#[path = "naga_random/main.rs"]
mod naga_random;
mod passes;
mod precise;
#[path = "ps_random/main.rs"]
mod ps_random;
mod ps_text;
mod statements;
mod variables;
