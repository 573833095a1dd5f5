//! The CTM device in software.
//!
//! - [`command`]: command buffers, their words and their text;
//! - [`Connection`]: a device with its memory, which executes submitted command buffers;
//! - [`Client`] and [`Pass`]: a domain of work in ten lines;
//! - [`Processor`]: the device without queue and thread;
//! - [`Fault`]: what can go wrong; [`Report`]: what strict mode finds;
//! - [`topics`]: the reference of the commands and error codes;
//! - [`Trace`]: what a device executed, and [`replay`] of it.
#![forbid(unsafe_code)]

mod cache;
mod client;
pub mod command;
mod connection;
mod counters;
mod fault;
mod open;
mod options;
mod params;
mod pass;
mod processor;
mod program;
mod recorder;
mod region;
mod report;
mod state;
pub mod topics;
mod trace;

pub use client::{Client, ClientError, Heap};
pub use connection::*;
pub use fault::*;
pub use open::OpenError;
pub use options::*;
pub use pass::{LoadedProgram, Pass};
pub use processor::Processor;
pub use program::read_image;
pub use recorder::Patch;
pub use report::Report;
pub use state::{Binding, State};
pub use trace::*;
