//! A graphics card of the R5xx family (Radeon X1300 to X1950) in software.
//!
//! - [`packets`]: command words, cut into packets;
//! - [`registers`]: every register with its fields, and what they hold;
//! - [`stream`]: a command stream, checked as a whole before it runs;
//! - [`listing`]: streams as text;
//! - [`Card`]: executes streams, and keeps what they do to one pixel.
#![forbid(unsafe_code)]

mod card;
mod draws;
mod layout;
pub mod listing;
pub mod packets;
mod pipeline;
mod ports;
pub mod registers;
mod shared;
mod state;
pub mod stream;
mod surface;
mod tx;

pub use card::{Card, Model, SavedCard};
pub use draws::draws;
pub use pipeline::{DrawError, depth_picture, fragment_constants, fragment_program, picture};
pub use ports::PortMemory;
pub use shared::pixel_places;
pub use state::State;
