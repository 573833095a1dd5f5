//! Memory of machine code: the code itself, and what it has besides the surfaces and buffers of a run. All of it lies between
//! guard regions.
#![allow(unsafe_code, reason = "calls machine code")]

use crate::context::Context;
use crate::emit::Emitted;
use crate::fault::{Guarded, guarded};
use crate::target::Target;
use ctm_memory::{CodePages, Pages};
use std::ops::Range;
use std::sync::Mutex;

/// Bytes of a block at least, so that most runs fit into any of them.
const BLOCK: usize = 1 << 16;
/// Bytes of the largest block that is kept, and how many are kept.
const KEPT_BLOCK: usize = 1 << 22;
const KEPT: usize = 64;

/// Machine code of the host that takes a context.
pub struct Executable {
    pages: CodePages,
    entry: usize,
    exit: usize,
    /// From which byte on the code is that of a guest instruction, in ascending order.
    origins: Vec<(u32, Option<u32>)>,
}

/// The code was stopped where it accessed a guard region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escape {
    /// The guest instruction whose code that is, where it is known. Code may have moved past its neighbours'.
    pub pc: Option<u32>,
}

impl Executable {
    /// Makes the bytes executable. `None` if the host refuses.
    pub fn new(emitted: Emitted) -> Option<Self> {
        let Emitted { bytes, entry, exit, origins, .. } = emitted;
        Some(Self { pages: CodePages::new(&bytes)?, entry, exit, origins })
    }

    /// The constants and the code.
    pub fn bytes(&self) -> &[u8] {
        self.pages.bytes()
    }

    /// Where the code starts in the bytes.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// Calls the code. `reserved` are the addresses of everything that the context leads to, guard regions included.
    ///
    /// # Errors
    /// If the code accessed a guard region, and [`install`](crate::fault::install) was called before. What it did until then
    /// stays done.
    ///
    /// # Safety
    /// The bytes have to be code for this host that keeps the rules of the target's calling convention, and the context
    /// has to hold what that code expects: pointers to live memory large enough for all of its accesses.
    pub unsafe fn call<T: Target>(&self, context: &mut Context, reserved: &[Range<usize>]) -> Result<(), Escape> {
        let start = self.bytes().as_ptr();
        let code = start.addr()..start.addr() + self.bytes().len();
        let guard = Guarded::new(code, start.addr() + self.exit, (reserved, self.pages.reserved()));
        let entry = start.wrapping_add(self.entry);
        // SAFETY: the entry lies in the pages, which are executable; the caller answers for what the code does. The exit is
        // that of the code, which keeps the stack pointer as it is from its prologue on.
        match guarded(&guard, || unsafe { T::call(entry, context) }) {
            None => Ok(()),
            Some(address) => Err(Escape { pc: self.origin(address - start.addr()) }),
        }
    }

    /// The guest instruction of a byte of the code.
    fn origin(&self, byte: usize) -> Option<u32> {
        let after = self.origins.partition_point(|&(start, _)| start as usize <= byte);
        self.origins[..after].last()?.1
    }
}

/// Blocks for the tables and arrays of runs, each for one thread at a time. Taking a used one costs far less than a small run;
/// reserving addresses for a new one does not.
#[derive(Debug, Default)]
pub struct Blocks(Mutex<Vec<Pages>>);

impl Blocks {
    /// A block of so many bytes at least, which hold anything. `None` if the host has no memory.
    pub fn take(&self, bytes: usize) -> Option<Pages> {
        let kept = self.lock().pop();
        kept.filter(|block| block.length() >= bytes).or_else(|| Pages::new(bytes.max(BLOCK).next_power_of_two()))
    }

    /// Keeps a block for later runs.
    pub fn give_back(&self, block: Pages) {
        let mut kept = self.lock();
        if kept.len() < KEPT && block.length() <= KEPT_BLOCK {
            kept.push(block);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Pages>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
