//! Limits the memory, the processor time and the output of the child.

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use std::io;

/// Bytes of memory that can be written, besides what the run's budget has: what guests address (4 GiB), three times that while
/// files are read and written, code, and the stacks and heaps of 1024 threads.
const MEMORY: u64 = 20 << 30;
/// Bytes of address space. Most of it is guards, 52 GiB around each piece of a guest's memory, which nothing can access.
const ADDRESS_SPACE: u64 = 64 << 40;
/// Seconds of processor time, over all threads: a day of sixteen cores.
const PROCESSOR_SECONDS: u64 = 16 * 24 * 3600;
/// Bytes that standard output may grow by, where it is a file.
const STANDARD_OUTPUT: u64 = 4 << 30;
/// Open files: the standard three and the socket, and what a new thread needs for a moment.
const FILES: u64 = 16;

/// Sets the limits of this process, whose runs may take so many bytes of memory; they cannot be raised again. It ends with its
/// parent.
pub fn apply(budget: u64) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::Data, MEMORY.saturating_add(budget)),
        (Resource::As, ADDRESS_SPACE),
        (Resource::Cpu, PROCESSOR_SECONDS),
        (Resource::Fsize, STANDARD_OUTPUT),
        (Resource::Nofile, FILES),
    ] {
        // A limit that is lower already stays.
        let present = rustix::process::getrlimit(resource);
        let most = Some(present.maximum.map_or(most, |present| present.min(most)));
        setrlimit(resource, Rlimit { current: most, maximum: most })?;
    }
    Ok(())
}
