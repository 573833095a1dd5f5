//! The number rules against independent models, and against the tables of the guides written out.

mod convert;
mod flushed;
mod ieee;
mod model;
mod r700;
mod sm50;
mod sm50_float;
mod sm50_integer;
mod transcendental;
mod x1k;
