//! An allocator that keeps memory back for what cannot fail.
//!
//! What a guest asks for is allocated so that a host without memory is an error ([`Vec::try_reserve`]). Beside it stand
//! the small allocations of messages, threads and libraries, which end the process when they fail.

#![allow(unsafe_code, reason = "implements an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};

/// What is kept back. Nothing touches it, so that it takes address space and no memory.
const RESERVE: Layout = match Layout::from_size_align(8 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("no layout of the reserve"),
};
/// Bytes of the largest request that the reserve is for. Larger ones hold what a guest or a user asks for, and can fail.
const SMALL: usize = 64 << 10;

/// The system's allocator with 8 MiB kept back. When the system refuses a request of up to 64 KiB, the reserve is given
/// back to it, and the request is made again. Larger requests are refused from then on, until the system can hold the
/// reserve again: what has an error for it fails first.
///
/// ```
/// use ctm_memory::Reserving;
///
/// #[global_allocator]
/// static ALLOCATOR: Reserving = Reserving::new();
///
/// assert!(ALLOCATOR.hold());
/// let text = String::from("allocated as ever");
/// # drop(text);
/// ```
#[derive(Debug)]
pub struct Reserving<A = System> {
    system: A,
    /// Null while it is not held.
    reserve: AtomicPtr<u8>,
    /// Whether it was held and is not now.
    is_spent: AtomicBool,
    /// Threads that are about to give it back.
    giving: AtomicUsize,
}

impl Reserving {
    /// Without a reserve, until [`hold`](Self::hold) is called.
    pub const fn new() -> Self {
        Reserving::over(System)
    }
}

impl Default for Reserving {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: GlobalAlloc> Reserving<A> {
    const fn over(system: A) -> Self {
        Reserving {
            system,
            reserve: AtomicPtr::new(ptr::null_mut()),
            is_spent: AtomicBool::new(false),
            giving: AtomicUsize::new(0),
        }
    }

    /// Takes the reserve from the system, if it is not held. Whether it is held then.
    pub fn hold(&self) -> bool {
        if !self.reserve.load(Acquire).is_null() {
            return true;
        }
        // SAFETY: the layout is not empty.
        let block = unsafe { self.system.alloc(RESERVE) };
        if block.is_null() {
            return false;
        }
        if self.reserve.compare_exchange(ptr::null_mut(), block, AcqRel, Acquire).is_err() {
            // SAFETY: it was allocated so, and nobody else has seen it.
            unsafe { self.system.dealloc(block, RESERVE) };
        }
        self.is_spent.store(false, Release);
        true
    }

    /// Gives the reserve back to the system. Whether the system may have more now than before.
    fn give_back(&self) -> bool {
        self.giving.fetch_add(1, AcqRel);
        let block = self.reserve.swap(ptr::null_mut(), AcqRel);
        if !block.is_null() {
            self.is_spent.store(true, Release);
            // SAFETY: `hold` allocated it so, and whoever takes it out of the field owns it.
            unsafe { self.system.dealloc(block, RESERVE) };
        }
        self.giving.fetch_sub(1, AcqRel);
        // Another thread may have it in its hands.
        while self.giving.load(Acquire) != 0 {
            std::hint::spin_loop();
        }
        self.is_spent.load(Acquire)
    }

    /// Makes a request of `size` bytes.
    fn request(&self, size: usize, make: impl Fn() -> *mut u8) -> *mut u8 {
        if size > SMALL {
            return if self.is_spent.load(Relaxed) && !self.hold() { ptr::null_mut() } else { make() };
        }
        let block = make();
        if block.is_null() && self.give_back() { make() } else { block }
    }
}

// SAFETY: every request is one of the system's allocator, with the same operands, and its answer is handed on.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Reserving<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        self.request(layout.size(), || unsafe { self.system.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        self.request(layout.size(), || unsafe { self.system.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises; a request that failed has left the block as it was.
        self.request(size, || unsafe { self.system.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { self.system.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system that has so many bytes.
    struct Small(AtomicUsize);

    // SAFETY: hands on what the system answers, or refuses.
    unsafe impl GlobalAlloc for Small {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let take = |left: usize| left.checked_sub(layout.size());
            match self.0.fetch_update(AcqRel, Acquire, take) {
                // SAFETY: as the caller promises.
                Ok(_) => unsafe { System.alloc(layout) },
                Err(_) => ptr::null_mut(),
            }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            self.0.fetch_add(layout.size(), AcqRel);
            // SAFETY: as the caller promises.
            unsafe { System.dealloc(block, layout) }
        }
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a layout")
    }

    #[test]
    fn small_requests_take_the_reserve_and_large_ones_do_not() {
        let large = RESERVE.size();
        let allocator = Reserving::over(Small(AtomicUsize::new(2 * large + 100)));
        assert!(allocator.hold() && allocator.hold());
        let get = |size| {
            // SAFETY: the layout is not empty.
            unsafe { allocator.alloc(layout(size)) }
        };
        let free = |block, size| {
            // SAFETY: `get` has allocated it so.
            unsafe { allocator.dealloc(block, layout(size)) }
        };
        let big = get(large);
        assert!(!big.is_null());
        assert!(get(SMALL + 1).is_null(), "the reserve is not for large requests");
        let small = get(101);
        assert!(!small.is_null(), "it is for small ones");
        assert!(get(SMALL + 1).is_null(), "there would be memory, but it is kept for small requests");
        let grown = get(SMALL);
        assert!(!grown.is_null());
        free(grown, SMALL);
        free(big, large);
        let again = get(SMALL + 1);
        assert!(!again.is_null(), "the reserve could be held again");
        assert!(get(large).is_null(), "and is");
        free(again, SMALL + 1);
        free(small, 101);
    }

    #[test]
    fn without_a_reserve_requests_are_the_systems() {
        let allocator = Reserving::over(Small(AtomicUsize::new(100)));
        // SAFETY: the layouts are not empty.
        let refused = unsafe { [allocator.alloc(layout(101)), allocator.alloc_zeroed(layout(SMALL + 1))] };
        assert!(refused.iter().all(|block| block.is_null()));
        assert!(!allocator.hold());
    }

    #[test]
    fn threads_that_fail_at_once_all_get_memory() {
        for _ in 0..100 {
            let allocator = Reserving::over(Small(AtomicUsize::new(RESERVE.size())));
            assert!(allocator.hold());
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        // SAFETY: the layout is not empty, and the block is freed as it was allocated.
                        unsafe {
                            let block = allocator.alloc(layout(SMALL));
                            assert!(!block.is_null());
                            allocator.dealloc(block, layout(SMALL));
                        }
                    });
                }
            });
        }
    }
}
