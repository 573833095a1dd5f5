//! What graphics cards have in common that run under an unmodified driver: the driver makes buffer objects in the card's
//! memory and submits command words that name them; a [`Card`] executes these.
//!
//! The card's memory is one arena, shared with the driver: the address of an object is its place in there. Nothing here
//! knows a particular card, or how submissions come from a driver. [`trace`] keeps them in files; [`register`] describes the
//! registers of a card, [`listing`] has what texts of submissions are made of, [`history`] is what draws do to one pixel.
#![forbid(unsafe_code)]

mod draws;
pub mod history;
pub mod listing;
mod object;
pub mod register;
mod slow;
pub mod trace;

#[doc(hidden)]
pub use ctm_bits::field_table;
pub use draws::{DepthPicture, Draw, DrawCounts, DrawStats, DrawTarget, Picture};
pub use object::{ElementWords, Object, ObjectBytes};
pub use slow::{SlowPath, SlowPathNote};

use ctm_memory::Arena;
use std::sync::Arc;

/// What a driver has its card execute, and the buffer objects that it names.
///
/// Under [radeon](Kernel::Radeon) the words are the commands. Under [nouveau](Kernel::Nouveau) commands lie in the objects, where they are read when
/// their turn comes; the words say where: the number of the channel, then address and bytes of each piece.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// The words.
    pub words: &'a [u32],
    /// The objects, in the order in which the driver lists them.
    pub objects: &'a [Object],
    /// Those of them to which nobody but the card can have written since the last submission that named them, in the same order.
    pub untouched: &'a [Object],
}

/// How the pixels of an object lie that a driver shares with others, as it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedImage {
    /// What the driver has noted with the object: under radeon flags of tiling (`RADEON_TILING_*`) and a pitch, under nouveau `tile_mode` and
    /// `tile_flags`. It means something to this family of cards.
    pub tiling: [u32; 2],
    /// Bytes from a row of pixels to the next one.
    pub stride: u32,
    /// Rows of pixels.
    pub rows: u32,
    /// Bytes of a pixel: 1, 2 or 4.
    pub pixel_bytes: u32,
}

/// `RADEON_TILING_MACRO`: large tiles, which are spread over memory.
pub const TILING_MACRO: u32 = 1 << 0;
/// `RADEON_TILING_MICRO`: small tiles.
pub const TILING_MICRO: u32 = 1 << 1;
/// `RADEON_TILING_MICRO_SQUARE`: small tiles as wide as high.
pub const TILING_MICRO_SQUARE: u32 = 1 << 5;

/// Pixels of a row that lie one after the other in every order of tiles, from multiples of so many columns on.
pub const CONTIGUOUS_PIXELS: usize = 4;

/// Finds out where the pixels of a row lie: of each [so many](CONTIGUOUS_PIXELS) of them, where the first one does, in bytes from the picture's first
/// pixel on.
pub type PixelPlaces = Box<dyn Fn(u32, &mut [u64]) + Send>;

/// The kernel's interface by which drivers reach a card: the name of the kernel's driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// `radeon`, as of Linux 3.13 and later.
    Radeon,
    /// `nouveau`, without the requests of Vulkan drivers.
    Nouveau,
}

/// What a driver learns of a card before it uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the chip in small letters: `rv515`.
    pub name: &'static str,
    /// PCI vendor number.
    pub vendor: u16,
    /// PCI device number.
    pub device: u16,
    /// The interface by which drivers reach it.
    pub kernel: Kernel,
    /// Mesa's driver that draws on it: `r300`.
    pub driver: &'static str,
    /// What drivers may ask of it. What is not here, it does not have.
    pub properties: &'static [(CardProperty, u32)],
}

impl Identity {
    /// A property; `None` if the card does not have it.
    pub fn property(&self, property: CardProperty) -> Option<u32> {
        self.properties.iter().find(|(known, _)| *known == property).map(|&(_, value)| value)
    }
}

/// What a driver may ask of a card, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CardProperty {
    /// Pixel pipes, each of which has an occlusion counter of its own.
    PixelPipes,
    /// Depth pipes.
    DepthPipes,
    /// How tiles are spread over memory, in the card's own fields.
    TilingConfig,
    /// The clock that time stamps count, in kHz.
    TimeStampClock,
    /// Back ends, each of which has an occlusion counter of its own.
    Backends,
    /// Pipes that tiles are spread over.
    TilePipes,
    /// Which back ends there are, a field for each pipe.
    BackendMap,
    /// Pipes that shader programs run on.
    ShaderPipes,
    /// Engines that have shader pipes.
    ShaderEngines,
    /// The highest clock of shader programs, in kHz.
    ShaderClock,
    /// The number of the chip among its maker's.
    Chipset,
    /// Clusters of multiprocessors in the low byte, multiprocessors above.
    GraphicsUnits,
}

/// Why a submission was not executed to its end. If its words are wrong, nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("command word {at}: {message}")]
pub struct SubmissionError {
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
    fn submit(&mut self, memory: &Arc<Arena>, submission: &Submission) -> Result<(), SubmissionError>;

    /// Stores what the card has held back of submissions that are executed: values by which drivers learn that, which come too early for some
    /// drivers while the submission is being made.
    fn release(&mut self, _memory: &Arc<Arena>) {}

    /// Forgets what the card has for a channel, whose number does not come again.
    fn close_channel(&mut self, _channel: u32) {}

    /// Takes what is worth a developer's attention since the last call and was executed nonetheless, a sentence each:
    /// unknown registers, accesses outside of objects.
    fn take_warnings(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// The time that the card's time stamps have now; `None` if it has none.
    fn time_stamp(&self) -> Option<u64> {
        None
    }
}
