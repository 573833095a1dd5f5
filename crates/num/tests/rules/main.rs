//! The number rules against independent models, and against the tables of the guides written out.

mod convert;
mod flushed;
mod model;
mod r700;
mod transcendental;
mod x1k;
