//! A graphics card of the R700 family (Radeon HD 4800, RV770) in software.
//!
//! - [`packets`]: command words, cut into packets, with one table of these and their fields;
//! - [`registers`]: every register with its fields, and what they hold;
//! - [`resources`]: what textures and buffers are that programs fetch from;
//! - [`stream`]: a command stream, checked as a whole before it runs;
//! - [`programs`]: the programs that registers name;
//! - [`listing()`]: streams as text;
//! - [`Card`]: executes streams. Draws that need what is not executed yet are dropped with a warning.
#![forbid(unsafe_code)]

mod card;
mod counters;
mod draws;
mod format;
mod layout;
mod levels;
mod listing;
pub mod packets;
mod pipeline;
pub mod programs;
pub mod registers;
pub mod resources;
mod shared;
mod state;
pub mod stream;
mod texels;
mod textures;

pub use card::{Card, Model, SavedCard};
pub use counters::Counters;
pub use draws::draws;
pub use listing::listing;
pub use pipeline::{DrawError, depth_picture, picture};
pub use shared::pixel_places;
pub use state::State;
