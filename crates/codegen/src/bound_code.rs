//! Machine code with the memory of one run, for one thread.
#![allow(unsafe_code, reason = "puts tables into pages")]

use crate::check::Decoding;
use crate::context::Context;
use crate::kernel::Kernel;
use crate::memory::Blocks;
use crate::poll::{Monitor, SLICE};
use crate::resources::{BUFFER_MIDDLE, operations};
use crate::run::Run;
use crate::speculation_retry::Attempts;
use ctm_engine::{Bindings, BoundCode, Code, Incomplete, RectangleOutcome};
use ctm_lane::budget::{Halt, Poller};
use ctm_lane::domain::Domain;
use ctm_lane::effort::Effort;
use ctm_lane::{Op, Surface};
use ctm_memory::Pages;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of an array's entry: a vector of the widest form. Tables are aligned to it, too.
const ENTRY: usize = 64;

/// What the pointers of a context lead to.
pub(crate) struct Memory<'a, T> {
    kernel: &'a Kernel<T>,
    /// The run's tables, and the arrays of a group, at the end of a block.
    _block: Option<Block<'a>>,
    /// As [`Context::pointers`] and [`Context::words`].
    pointers: Vec<*mut u8>,
    words: Vec<u32>,
    /// The host addresses of all that, guard regions included.
    pub reserved: Vec<Range<usize>>,
    /// What is written shares memory with what is read.
    overlaps: bool,
}

/// A block that goes back to where it was taken from.
struct Block<'a> {
    blocks: &'a Blocks,
    pages: Option<Pages>,
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        if let Some(pages) = self.pages.take() {
            self.blocks.give_back(pages);
        }
    }
}

impl<'a, T: Decoding> Memory<'a, T> {
    /// The memory for a kernel that fits the bindings.
    pub fn new(kernel: &'a Kernel<T>, bindings: &'a Bindings) -> Result<Self, Halt> {
        let function = &kernel.function;
        let tables = function.tables.iter().map(|table| table.entries as usize * size_of::<u32>());
        let arrays = function.arrays.iter().map(|array| array.entries as usize * ENTRY);
        let sizes: Vec<usize> = tables.chain(arrays).map(|bytes| bytes.next_multiple_of(ENTRY)).collect();
        let bytes: usize = sizes.iter().sum();
        let buffers = &bindings.buffers[..function.buffers.into()];
        let surfaces = (0..kernel.layouts.len()).map(|number| bindings.base(Surface::new(number)));
        let middles = buffers.iter().map(|buffer| buffer.as_ptr().wrapping_add(BUFFER_MIDDLE));
        let others = surfaces.chain(middles);
        let mut reserved: Vec<Range<usize>> = Vec::new();
        for arena in bindings.surfaces.iter().flat_map(|view| view.space().arenas()) {
            let pages = arena.reserved();
            if !reserved.contains(&pages) {
                reserved.push(pages);
            }
        }
        reserved.extend(buffers.iter().filter_map(|buffer| buffer.reserved()));

        let mut pointers: Vec<*mut u8> = Vec::with_capacity(sizes.len() + kernel.layouts.len() + buffers.len());
        let mut block = None;
        if bytes == 0 {
            pointers.extend(others);
        } else {
            let pages = kernel.blocks.take(bytes).ok_or(Halt::NoMemory { bytes: bytes as u64 })?;
            reserved.push(pages.reserved());
            // After the last one, the guard region begins.
            let start = pages.as_ptr().wrapping_add(pages.length() - bytes);
            let mut offset = 0;
            let mut places = sizes.iter().map(|size| {
                offset += size;
                start.wrapping_add(offset - size)
            });
            for (table, (words, place)) in function.tables.iter().zip(bindings.tables.iter().zip(&mut places)) {
                let words = &words[..table.entries as usize];
                // SAFETY: the block has space for these words at this place, and is nobody else's now.
                unsafe { place.cast::<u32>().copy_from_nonoverlapping(words.as_ptr(), words.len()) };
                pointers.push(place);
            }
            pointers.extend(others);
            pointers.extend(places);
            block = Some(Block { blocks: &kernel.blocks, pages: Some(pages) });
        }
        #[cfg(test)]
        kernel.skew.apply(&mut pointers);
        let words = buffers.iter().map(|buffer| buffer.length().saturating_sub(3)).collect();
        let overlaps = kernel.interior.speculates && kernel.overlaps(bindings);
        Ok(Memory { kernel, _block: block, pointers, words, reserved, overlaps })
    }
}

impl<T: Decoding> Code for Kernel<T> {
    fn bind<'a>(&'a self, bindings: &'a Bindings) -> Result<Box<dyn BoundCode + 'a>, Incomplete> {
        if !self.fits(bindings) {
            debug_assert!(false, "bindings have the layouts that the code was compiled for");
            return Err(Incomplete::Stopped);
        }
        Ok(Box::new(Memory::new(self, bindings)?))
    }

    fn columns(&self) -> u32 {
        self.columns
    }

    fn is_sound(&self) -> bool {
        !self.escaped.load(Relaxed) && !matches!(self.general.get(), Some(None))
    }

    fn complete(&self) -> bool {
        self.general(&Effort::default()).is_some()
    }

    fn bytes(&self) -> usize {
        // The functions are kept for code that is made later: the general code, which is about as long, counts as made.
        let operations = operations(&self.function).count();
        2 * (self.interior.end + operations * size_of::<Op>())
    }
}

impl<T: Decoding> BoundCode for Memory<'_, T> {
    fn run(&mut self, rectangle: Domain, step_limit: u64, poller: &mut Poller) -> Result<RectangleOutcome, Incomplete> {
        let Memory { kernel, .. } = *self;
        let context = Context {
            x: 0,
            x_end: 0,
            y: 0,
            mode: T::FLOAT_MODE,
            saved_mode: 0,
            flags: 0,
            domain: [rectangle.i0, rectangle.j0, rectangle.i1, rectangle.j1],
            instructions: 0,
            step_limit: step_limit.try_into().unwrap_or(i64::MAX),
            slice: step_limit.try_into().unwrap_or(SLICE).min(SLICE),
            granted: 0,
            poll: T::poll(),
            monitor: std::ptr::null_mut(),
            stopped: 0,
            pointers: self.pointers.as_ptr(),
            words: self.words.as_ptr(),
        };
        let monitor = Monitor { poller, speculates: false, halt: None };
        let mut run = Run {
            kernel,
            reserved: &self.reserved,
            context,
            monitor,
            reach: 1,
            polled: 0,
            exact: self.overlaps,
            attempts: Attempts::from_word(kernel.attempts.load(Relaxed)),
        };
        let done = run.rectangle(rectangle);
        T::finish_stores();
        done?;
        // Threads overwrite each other's counts; any of them says what the data are like.
        kernel.attempts.store(run.attempts.to_word(), Relaxed);
        Ok(RectangleOutcome { instructions: run.context.instructions })
    }
}
