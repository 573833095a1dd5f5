//! `--sandbox`: a command that executes guest code runs in a process of its own, which can compute and nothing else.
//!
//! ```text
//! supervisor (this process)                       child (the same program, with --in-sandbox)
//!   opens and writes files          <-- socket -->  asks for what the command line names
//!   enforces limits, reports the end                  seccomp filter: no files, no network, no processes
//! ```
//!
//! The child cannot open a file. It asks the supervisor over a socket, which gives it only what the command line names
//! ([`NamedFiles`](crate::execution::NamedFiles)) and what texts may include, and takes only what the command line lets it write. Results, messages and exit codes
//! are those of a run without a sandbox. What is forbidden is listed in `docs/sandbox.md`.

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod linux;
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod none;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub use linux::{enter, supervise};
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub use none::{enter, supervise};
