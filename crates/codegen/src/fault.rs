//! Faults of machine code become errors of its run.
//!
//! Memory that machine code works on lies between guard regions, which nobody can access. Should a bug of the code generator
//! let an access escape, it faults there, and by default a fault ends the process. With [`install`], it ends the run with
//! [`Halt::HostAccess`](ctm_lane::budget::Halt::HostAccess), and the kernel is interpreted from then on.
//!
//! # How
//!
//! While a thread is in machine code, it has a note of where that is and what belongs to the run (`Guarded`). The signal
//! handler looks at the note of the thread that faulted: if the instruction is the code's and the address one of the run's,
//! it goes on at the code's exit, which gives the caller its registers and modes back. The exit needs nothing but the stack
//! pointer, which the code does not change between prologue and exit. Every other fault is the previous handler's.
#![allow(unsafe_code, reason = "a signal handler is the system's interface")]

use std::cell::Cell;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::*, compiler_fence};

/// Installs a signal handler for faults (SIGSEGV), once for the process, if that is not done yet. It acts only on threads
/// that are in machine code of this crate, and only on accesses to guard regions of the run; everything else it passes on to
/// the handler that was there before. A program that installs handlers of its own later should pass on to this one in turn.
///
/// This is global state of the process, so a library leaves the decision to the program.
///
/// False if faults cannot be handled: on hosts other than Linux on x86-64, or if the system refuses.
pub fn install() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    return handler::install();
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    return false;
}

thread_local! {
    /// The call of this thread.
    static CURRENT: Cell<*const Guarded<'static>> = const { Cell::new(ptr::null()) };
}

/// A call of machine code: what the signal handler has to know of it.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "there is no handler on this host"))]
pub(crate) struct Guarded<'a> {
    code: Range<usize>,
    exit: usize,
    /// The addresses that belong to the run, and those that belong to the code.
    reserved: (&'a [Range<usize>], Range<usize>),
    /// The instruction that accessed a guard region, or 0.
    escaped: AtomicUsize,
}

impl<'a> Guarded<'a> {
    /// For code at these addresses, whose way out is `exit`.
    pub fn new(code: Range<usize>, exit: usize, reserved: (&'a [Range<usize>], Range<usize>)) -> Self {
        Guarded { code, exit, reserved, escaped: AtomicUsize::new(0) }
    }

    /// Where to go on after the instruction at `instruction` faulted at `address`, if that is a fault to stop at.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    fn stop(&self, instruction: usize, address: usize) -> Option<usize> {
        let is_ours = self.reserved.0.iter().chain([&self.reserved.1]).any(|range| range.contains(&address));
        if !self.code.contains(&instruction) || !is_ours {
            return None;
        }
        self.escaped.store(instruction, Relaxed);
        Some(self.exit)
    }
}

/// Calls machine code with this guard. Gives the instruction that accessed a guard region, if one did.
pub(crate) fn guarded(guard: &Guarded, call: impl FnOnce()) -> Option<usize> {
    // The note goes before `guard` does.
    CURRENT.set((&raw const *guard).cast());
    compiler_fence(SeqCst);
    call();
    compiler_fence(SeqCst);
    CURRENT.set(ptr::null());
    Some(guard.escaped.load(Relaxed)).filter(|&instruction| instruction != 0)
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod handler {
    use super::CURRENT;
    use libc::{c_int, c_void, sigaction, siginfo_t, ucontext_t};
    use std::mem::{MaybeUninit, transmute};
    use std::ptr;
    use std::sync::OnceLock;

    type Action = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

    /// What was done about faults before; `None` if the system let nobody change that.
    static PREVIOUS: OnceLock<Option<sigaction>> = OnceLock::new();

    /// Installs the handler, if it is not there yet; false if the system refuses.
    pub fn install() -> bool {
        let mut is_new = false;
        let previous = PREVIOUS.get_or_init(|| {
            is_new = true;
            let mut previous = MaybeUninit::<sigaction>::zeroed();
            // SAFETY: nothing changes; the structure has space for the answer.
            let known = unsafe { libc::sigaction(libc::SIGSEGV, ptr::null(), previous.as_mut_ptr()) };
            // SAFETY: all of its bytes are initialized, by the system or as zeros, which are a value.
            (known == 0).then(|| unsafe { previous.assume_init() })
        });
        if !is_new || previous.is_none() {
            return previous.is_some();
        }
        // SAFETY: zeros are a value: no flags, no signals blocked.
        let mut action = unsafe { MaybeUninit::<sigaction>::zeroed().assume_init() };
        action.sa_sigaction = on_fault as Action as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler does only what handlers may: it reads and writes the faulting thread's own note and context.
        unsafe { libc::sigaction(libc::SIGSEGV, &action, ptr::null_mut()) == 0 }
    }

    extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let guard = CURRENT.get();
        if !guard.is_null() {
            // SAFETY: the note is there until the call ends, and this is in the middle of it; the system's structures are
            // valid as long as the handler runs.
            let (guard, address, registers) = unsafe {
                let registers = &mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs;
                (&*guard, (*info).si_addr().addr(), registers)
            };
            let instruction = &mut registers[libc::REG_RIP as usize];
            if let Some(exit) = guard.stop(*instruction as usize, address) {
                *instruction = exit as i64;
                return;
            }
        }
        pass_on(signal, info, context);
    }

    /// Does what would be done without this handler.
    fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let previous = PREVIOUS.get().and_then(Option::as_ref);
        match previous {
            Some(previous) if ![libc::SIG_DFL, libc::SIG_IGN].contains(&previous.sa_sigaction) => {
                // SAFETY: whoever installed the address says by the flag which kind of function it is.
                unsafe {
                    if previous.sa_flags & libc::SA_SIGINFO != 0 {
                        transmute::<usize, Action>(previous.sa_sigaction)(signal, info, context);
                    } else {
                        transmute::<usize, extern "C" fn(c_int)>(previous.sa_sigaction)(signal);
                    }
                }
            }
            _ => {
                // SAFETY: the default action is not a function. The faulting instruction runs again and ends the process; a signal
                // that somebody sent has to be sent again.
                unsafe {
                    libc::signal(signal, libc::SIG_DFL);
                    if (*info).si_code <= 0 {
                        libc::raise(signal);
                    }
                }
            }
        }
    }
}
