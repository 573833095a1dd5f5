//! What the library has in one process: its device, and where the card's files lie.
//!
//! A child of `fork` begins with a copy of its parent's memory. A device that is found there is not the child's: the engine's threads
//! are not in the child, locks may be held for ever, and the card's memory is the parent's. So everything hangs on a page that the
//! kernel clears in such a child, which then begins anew. Whoever shares memory (threads, children of `vfork`) shares the page too.

use crate::device::{Device, complain};
use crate::memory::{self, Descriptor};
use crate::real;
use std::io;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicBool, AtomicPtr};
use std::sync::{Once, OnceLock};

/// The page, once something was kept.
static ROOT: AtomicPtr<Root> = AtomicPtr::new(ptr::null_mut());
/// Complains of a kernel that cannot clear the page.
static NO_ROOT: Once = Once::new();

/// The content of the page; zeros, as the kernel leaves them, are one.
struct Root {
    process: AtomicPtr<Process>,
}

/// What one process has.
#[derive(Default)]
struct Process {
    /// Whoever opens the node first makes it; `None` where that failed.
    device: OnceLock<Option<Device>>,
    /// Whoever asks for the card's files first makes it; `None` where that failed.
    files: OnceLock<Option<PathBuf>>,
    /// Descriptors of other processes were complained of.
    foreign: AtomicBool,
}

/// A descriptor of a card's memory.
pub enum Opened {
    /// This process opened it.
    Own(&'static Device, Descriptor),
    /// Another process did, and this one got it by `fork`, by `exec` or over a socket: what it stands for is known there only.
    Foreign(Descriptor),
}

/// The process's device, made at the first call. Why there is none is written to standard error, once.
pub fn device() -> Option<&'static Device> {
    let make = || Device::new().inspect_err(|error| complain(error)).ok();
    process()?.device.get_or_init(make).as_ref()
}

/// The process's device, if it was made.
pub fn existing() -> Option<&'static Device> {
    known()?.device.get()?.as_ref()
}

/// Where the card's files lie, as made by the first call. Why they lie nowhere is written to standard error, once.
pub fn files(make: impl FnOnce(&Device) -> Result<PathBuf, String>) -> Option<&'static Path> {
    let make = || make(device()?).inspect_err(|error| complain(error)).ok();
    process()?.files.get_or_init(make).as_deref()
}

/// What a descriptor is, if it is one of a card's memory.
pub fn opened(descriptor: i32) -> Option<Opened> {
    opened_as(descriptor, &real::fstat(descriptor)?)
}

/// What a descriptor of this file is, if it is one of a card's memory.
pub fn opened_as(descriptor: i32, file: &libc::stat) -> Option<Opened> {
    if !memory::may_be_of_card(file) {
        return None;
    }
    match existing() {
        Some(device) if device.memory.is_it(file) => Some(Opened::Own(device, memory::descriptor(descriptor)?)),
        Some(_) | None if memory::is_of_card(descriptor) => Some(Opened::Foreign(memory::descriptor(descriptor)?)),
        Some(_) | None => None,
    }
}

/// Says, once, that a descriptor of another process is of no use here.
pub fn complain_of_foreign(descriptor: i32) {
    let Some(process) = process() else { return };
    if !process.foreign.swap(true, Relaxed) {
        complain(&format!(
            "descriptor {descriptor} belongs to the card of another process; each process has a card of its own: a child of fork, \
             or a program that gets a descriptor, must open /dev/dri/renderD128 itself"
        ));
    }
}

/// What this process has, if it has something.
fn known() -> Option<&'static Process> {
    // SAFETY: the page is never unmapped once it is stored here, and its content, zeros or what `process` stored, is a `Root`.
    let root = unsafe { ROOT.load(Acquire).as_ref() }?;
    // SAFETY: what is stored there is never freed.
    unsafe { root.process.load(Acquire).as_ref() }
}

/// What this process has. `None` where the kernel cannot tell children apart, which is written to standard error.
fn process() -> Option<&'static Process> {
    if let Some(process) = known() {
        return Some(process);
    }
    let root = match root() {
        Ok(root) => root,
        Err(error) => {
            let sentence =
                format!("no card: the kernel cannot keep memory from children (Linux has it since 4.14): {error}");
            NO_ROOT.call_once(|| complain(&sentence));
            return None;
        }
    };
    let new = Box::into_raw(Box::<Process>::default());
    match root.process.compare_exchange(ptr::null_mut(), new, AcqRel, Acquire) {
        // SAFETY: it was just made, and is never freed from now on.
        Ok(_) => Some(unsafe { &*new }),
        Err(other) => {
            // SAFETY: nobody else knows this one.
            drop(unsafe { Box::from_raw(new) });
            // SAFETY: what is stored is never freed.
            Some(unsafe { &*other })
        }
    }
}

/// The page, made at the first call.
fn root() -> io::Result<&'static Root> {
    let known = ROOT.load(Acquire);
    if !known.is_null() {
        // SAFETY: it is never unmapped.
        return Ok(unsafe { &*known });
    }
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping touches no other.
    let page = unsafe { libc::mmap(ptr::null_mut(), size_of::<Root>(), access, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: nobody else knows the page.
    let unmap = || unsafe { libc::munmap(page, size_of::<Root>()) };
    // SAFETY: the page is this function's own.
    if unsafe { libc::madvise(page, size_of::<Root>(), libc::MADV_WIPEONFORK) } != 0 {
        let error = io::Error::last_os_error();
        unmap();
        return Err(error);
    }
    let root = match ROOT.compare_exchange(ptr::null_mut(), page.cast(), AcqRel, Acquire) {
        Ok(_) => page.cast(),
        Err(other) => {
            unmap();
            other
        }
    };
    // SAFETY: it is never unmapped; zeros are a `Root`.
    Ok(unsafe { &*root })
}
