//! Fences: words of shared memory by which a client learns that a buffer is free. Here nobody else waits for them.

use super::xcb::Connection;
use crate::real::real;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A fence that is mapped.
struct Fence(*mut c_void);

// SAFETY: fences are words that threads and processes share.
unsafe impl Send for Fence {}

impl Fence {
    fn trigger(&self) {
        real!(c"libxshmfence.so.1", xshmfence_trigger: fn(*mut c_void) -> c_int, (self.0), else -1);
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        real!(c"libxshmfence.so.1", xshmfence_unmap_shm: fn(*mut c_void) -> (), (self.0), else ());
    }
}

/// Fences by connection and name.
static FENCES: Mutex<Option<HashMap<(usize, u32), Fence>>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<HashMap<(usize, u32), Fence>>> {
    FENCES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Maps the fence of a descriptor, under a name. Nothing happens if it is not one.
pub fn add(connection: Connection, name: u32, descriptor: c_int, is_triggered: bool) {
    let fence = real!(c"libxshmfence.so.1", xshmfence_map_shm: fn(c_int) -> *mut c_void, (descriptor),
        else std::ptr::null_mut());
    if fence.is_null() {
        return;
    }
    let fence = Fence(fence);
    if is_triggered {
        fence.trigger();
    }
    lock().get_or_insert_default().insert((connection as usize, name), fence);
}

/// Whether a name is that of a fence here.
pub fn is_known(connection: Connection, name: u32) -> bool {
    lock().as_ref().is_some_and(|fences| fences.contains_key(&(connection as usize, name)))
}

/// Triggers a fence; whether it is one of these.
pub fn trigger(connection: Connection, name: u32) -> bool {
    let fences = lock();
    let fence = fences.as_ref().and_then(|fences| fences.get(&(connection as usize, name)));
    fence.map(Fence::trigger).is_some()
}

/// Forgets a fence; whether it was one of these.
pub fn remove(connection: Connection, name: u32) -> bool {
    lock().as_mut().and_then(|fences| fences.remove(&(connection as usize, name))).is_some()
}

/// Forgets all of a connection.
pub fn disconnect(connection: Connection) {
    if let Some(fences) = lock().as_mut() {
        fences.retain(|(of, _), _| *of != connection as usize);
    }
}
