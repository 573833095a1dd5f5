//! What graphics cards have in common that run under an unmodified driver: the driver makes buffer objects in the card's
//! memory and submits command words that name them; a [`Card`] executes these.
//!
//! The card's memory is one arena, shared with the driver: the address of an object is its place in there. Nothing here
//! knows a particular card, or how submissions come from a driver. [`trace`] keeps them in files.
#![forbid(unsafe_code)]

pub mod trace;

use ctm_memory::Arena;
use std::sync::Arc;

/// A buffer object that a submission names: a range of the card's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// Card address of its first byte.
    pub address: u32,
    /// Bytes.
    pub size: u32,
}

/// Command words, and the buffer objects that they name.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// The command words.
    pub words: &'a [u32],
    /// The objects, in the order in which the words count them.
    pub objects: &'a [Object],
}

/// What a driver learns of a card before it uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the chip in small letters: `rv515`.
    pub name: &'static str,
    /// PCI device number; the vendor is AMD's, 0x1002.
    pub device: u16,
    /// Pixel pipes, each of which has an occlusion counter of its own.
    pub pixel_pipes: u32,
    /// Depth pipes.
    pub depth_pipes: u32,
}

/// Why a submission was not executed to its end. If its words are wrong, nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("command word {at}: {message}")]
pub struct Rejected {
    /// Index of the command word that is wrong.
    pub at: usize,
    /// What is wrong with it, with the packet's name, and what would be right; or that the draw there took too long.
    pub message: String,
}

/// A graphics card.
pub trait Card: Send {
    /// Which card it is.
    fn identity(&self) -> Identity;

    /// Checks a submission, and executes it to the end: its results are in memory when this returns. Addresses outside of
    /// the objects read 0 and are not written.
    fn submit(&mut self, memory: &Arc<Arena>, submission: &Submission) -> Result<(), Rejected>;

    /// Takes what is worth a developer's attention since the last call and was executed nonetheless, a sentence each:
    /// unknown registers, accesses outside of objects.
    fn take_warnings(&mut self) -> Vec<String> {
        Vec::new()
    }
}
