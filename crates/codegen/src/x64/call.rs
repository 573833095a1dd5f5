//! The System V calling convention, on every host: how code is called, and what it calls.
#![allow(unsafe_code, reason = "calls machine code, and is called by it")]

use super::VectorIsa;
use crate::context::Context;
use crate::poll;

/// Calls code.
///
/// # Safety
/// Code starts at the address that keeps the rules of this convention, and the context has what it expects.
pub unsafe fn call(entry: *const u8, context: *mut Context) {
    // SAFETY: a function of this type starts at the address, by the caller's promise.
    let function: unsafe extern "sysv64" fn(*mut Context) = unsafe { std::mem::transmute(entry) };
    // SAFETY: the caller's promise.
    unsafe { function(context) }
}

/// Lets non-temporal stores come before all that this thread stores next.
pub fn finish_stores() {
    // SAFETY: every processor of this architecture has SSE.
    unsafe { std::arch::x86_64::_mm_sfence() };
}

/// What code calls when a slice of steps is used up.
///
/// # Safety
/// As of [`poll::poll`].
pub unsafe extern "sysv64" fn poll(context: *mut Context, left: i64) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { poll::poll::<VectorIsa>(context, left) }
}
