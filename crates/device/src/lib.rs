//! The CTM device in software.
//!
//! - [`command`]: command buffers, their words and their text.
#![forbid(unsafe_code)]

pub mod command;
