//! Limits the memory, the processor time, the output and the threads of the child.

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use std::fs;
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
/// Threads besides those that the system has when the child begins: four times what `--threads` may ask for, since the kernel counts all
/// threads of the user, and others start some too.
const THREADS: u64 = 4096;

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
        (Resource::Nproc, threads_of_system()?.saturating_add(THREADS)),
        (Resource::Memlock, 0),
    ] {
        // A limit that is lower already stays.
        let present = rustix::process::getrlimit(resource);
        let most = Some(present.maximum.map_or(most, |present| present.min(most)));
        setrlimit(resource, Rlimit { current: most, maximum: most })?;
    }
    Ok(())
}

/// Threads that the system has.
fn threads_of_system() -> io::Result<u64> {
    // 'runnable/all' is the fourth word: see proc_loadavg(5).
    let load = fs::read_to_string("/proc/loadavg")?;
    let all = load.split_whitespace().nth(3).and_then(|words| words.split_once('/')?.1.parse().ok());
    all.ok_or_else(|| io::Error::other("/proc/loadavg does not say how many threads there are"))
}
