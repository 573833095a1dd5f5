//! Debugger sessions in a terminal: the listing with counts, the registers of a lane, the lanes of its group, the picture, a timeline.
//!
//! [`App`] is what is shown and what keys do, without a terminal; [`run`] shows it in the one that the process has.
#![forbid(unsafe_code)]

mod app;
mod draw;
mod run;
mod signs;

pub use app::{App, Flow, Picture, View};
pub use draw::draw;
pub use run::run;
pub use signs::{ASCII, Signs, UNICODE};
