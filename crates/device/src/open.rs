//! Opening a device: its address space, and why there may be none.

use crate::options::{HOST_BASE, LOCAL_BASE, MOST_HOST_BYTES, MOST_LOCAL_BYTES, Options};
use ctm_codegen::NoEngine;
use ctm_memory::{Arena, ArenaError, Space};
use thiserror::Error;

/// Why a device cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// Local memory is too large.
    #[error("{0:#x} bytes of local memory are more than {MOST_LOCAL_BYTES:#x}")]
    LocalBytes(u32),
    /// Host-visible memory is too large.
    #[error("{0:#x} bytes of host-visible memory are more than {MOST_HOST_BYTES:#x}")]
    HostBytes(u32),
    /// An arena cannot be made.
    #[error(transparent)]
    Arena(#[from] ArenaError),
    /// The host cannot have the engine.
    #[error(transparent)]
    Engine(#[from] NoEngine),
    /// The host gives no thread.
    #[error("no thread for the device: {0}")]
    Thread(String),
}

/// The address space of a device with these options.
pub(crate) fn map(options: &Options) -> Result<Space, OpenError> {
    let Options { local_bytes, host_bytes, .. } = *options;
    if local_bytes > MOST_LOCAL_BYTES {
        return Err(OpenError::LocalBytes(local_bytes));
    }
    if host_bytes > MOST_HOST_BYTES {
        return Err(OpenError::HostBytes(host_bytes));
    }
    let mut memory = Space::default();
    for (base, bytes) in [(LOCAL_BASE, local_bytes), (HOST_BASE, host_bytes)] {
        memory.map(Arena::new(base, bytes)?).expect("the two arenas are apart");
    }
    Ok(memory)
}
