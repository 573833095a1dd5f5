//! The Debug Adapter Protocol over debugger sessions (`ctm_debug`): editors that speak it debug guest programs, forward and back.
//!
//! [`serve`] answers one client over a pair of streams. What a launch request's arguments mean is up to a [`Launch`].
//!
//! Threads are the lanes of the group that the session is at, and a stack frame is the instruction that is next, with the calls around it.
//! Registers, and what the lane has in outputs, are scopes. Addresses of instructions are the numbers of their rows in the listing.
#![forbid(unsafe_code)]

mod answer;
mod breakpoints;
mod server;
mod values;
mod wire;

pub use server::{Launch, serve};
pub use wire::WireError;
