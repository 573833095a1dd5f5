//! The tests of this crate as one program: each program more would be linked with all that it tests.

mod bench;
mod card;
mod common;
mod draws;
mod launches;
mod pixels;
mod tiles;
