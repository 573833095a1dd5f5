//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod commands;
mod common;
mod connection;
mod params;
mod random;
mod strict;
mod traces;
mod units;
mod words;
