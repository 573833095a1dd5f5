//! GPU memory: address space, surfaces, element formats, address maps.
//!
//! A [`Space`] is a 32-bit byte address space in which [`Arena`]s of memory are mapped. A [`Surface`] says how a client
//! of the memory controller sees a piece of that space: base, pitch, height, tiling, format. A [`View`] is a surface
//! bound to its space, ready for loads and stores of elements. All values that leave or enter a view are bit patterns
//! of binary32 numbers.
//!
//! Arenas are shared between the threads that run a program and with the host, so every access is atomic and none is
//! ordered (an arena is an array of relaxed atomic words). A program that races with itself or with the host gets
//! unspecified values but never undefined behaviour.
//!
//! ```
//! use ctm_memory::{Arena, Bounds, Format, Space, Surface, Tiling, View};
//!
//! let mut space = Space::default();
//! space.map(Arena::new(0x1000_0000, 0x1_0000)?)?;
//! let surface = Surface {
//!     base: 0x1000_0000,
//!     pitch: 64,
//!     height: 64,
//!     tiling: Tiling::Tiled,
//!     superfine: false,
//!     format: Format::Float32_1,
//! };
//! let two = 2.0f32.to_bits();
//! View::new(&space, surface, Bounds::Drop).store(3, 5, [two, 0, 0, 0], 0xF);
//! let one = 1.0f32.to_bits();
//! assert_eq!(View::new(&space, surface, Bounds::Clamp).load(3, 5), [two, one, one, one]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

mod address;
mod arena;
mod buffer;
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
mod file;
mod format;
mod journal;
mod pages;
mod reach;
mod reserve;
mod rows;
mod space;
mod surface;
mod view;
mod words;

pub use address::{Layout, LinearLayout, TiledLayout, linear_address, tiled_address};
pub use arena::{Arena, ArenaError};
pub use buffer::Buffer;
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
pub use file::FileArenaError;
pub use format::{Format, ONE};
pub use journal::{Journal, StoredWord};
pub use pages::{CodePages, Pages};
pub use reach::{Aliasing, Reach};
pub use reserve::Reserving;
pub use rows::copy_rows;
pub use space::{AppendError, OverlapError, RangeError, Space};
pub use surface::{BASE_ALIGNMENT, ReservedFormat, Surface, Tiling};
pub use view::{Bounds, View};
pub use words::{
    Access, AvxAccess, EightWords, FourWords, RowWords, ScalarAccess, WordLine, WordPair, Words, prefetch,
};
