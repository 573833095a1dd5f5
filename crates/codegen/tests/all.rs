//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod edges;
mod filters;
#[path = "support/functions.rs"]
mod functions;
#[path = "../../lane/tests/support/generate.rs"]
mod generate;
mod interleaved_stores;
mod leaving;
mod limits;
mod operations;
#[path = "../../lane/tests/support/random.rs"]
mod random;
mod random_functions;
mod shared_coordinates;
mod support;
mod surfaces;
mod toy_guest;
mod transcendentals;
mod variants;
