//! Faults of machine code become errors of its run.
//!
//! Memory that machine code works on lies between guard regions, which nobody can access. Should a bug of the code generator
//! let an access escape, it faults there, and by default a fault ends the process. With [`install`], it ends the run with
//! [`Halt::HostAccess`](ctm_lane::budget::Halt::HostAccess), and the kernel is interpreted from then on.

/// Installs a signal handler for faults (SIGSEGV), once for the process, if that is not done yet. It acts only on threads
/// that are in machine code of this crate, and only on accesses to guard regions of the run; everything else it passes on to
/// the handler that was there before. A program that installs handlers of its own later should pass on to this one in turn.
///
/// This is global state of the process, so a library leaves the decision to the program.
///
/// False if faults cannot be handled: on hosts other than Linux on x86-64, or if the system refuses.
pub fn install() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    return crate::jit::install();
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    return false;
}
