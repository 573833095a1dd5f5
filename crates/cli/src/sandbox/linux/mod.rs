//! The sandbox of Linux: seccomp filters, resource limits, and no capabilities.

mod broker;
mod child;
mod filter;
mod limits;
mod protocol;
mod remote;
mod supervisor;

pub use child::enter;
pub use supervisor::supervise;
