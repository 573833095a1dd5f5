//! A graphics card of the first Maxwell generation (GeForce GTX 750 Ti, GM107) in software.
//!
//! - [`methods`]: every method of every class with its fields;
//! - [`state`]: what a channel holds: the methods of its classes, and its counters;
//! - [`macros`]: programs that write methods;
//! - [`layout`], [`mod@format`], [`surface`]: how surfaces lie in memory, and what their pixels are;
//! - [`pushes`]: where the commands of a submission lie;
//! - [`stream`]: packets, read from there;
//! - [`targets`]: what is drawn to;
//! - [`objects`]: the memory that a submission may reach;
//! - [`draw`]: draws, from a list of vertices to primitives;
//! - [`raster`]: from primitives to pixels;
//! - [`history`]: what looks at one pixel;
//! - [`storage`]: where programs store;
//! - [`textures`]: what programs read by handles;
//! - [`Card`]: executes streams.
#![forbid(unsafe_code)]

mod card;
mod compute;
mod constants;
mod context;
mod counters;
pub mod draw;
mod engines;
mod fences;
pub mod format;
pub mod history;
mod listing;
mod log;
pub mod macros;
pub mod methods;
pub mod objects;
mod picture;
mod processor;
pub mod programs;
pub mod pushes;
mod queries;
pub mod raster;
mod shared;
pub mod state;
pub mod storage;
pub mod stream;
pub mod surface;
pub mod targets;
pub mod textures;
mod tiles;
mod written;

pub use card::{Card, Model, SavedCard};
pub use context::{DrawCache, DrawContext, DrawError};
pub use counters::{Counters, Statistics};
pub use ctm_raster::layout;
pub use listing::{draws, listing};
pub use picture::{depth_picture, picture};
pub use shared::pixel_places;
