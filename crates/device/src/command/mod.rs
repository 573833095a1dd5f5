//! Command buffers: the guide's 27 commands and `set_params`, their words, and their text.
//!
//! - [`Command`] and [`COMMANDS`]: the commands and the one table that describes their words;
//! - [`Packet`], [`decode`], [`encode`]: words to commands and back;
//! - [`print()`], [`parse`]: words to readable text (`.ctmcb`) and back.

mod codec;
mod parse;
mod print;
mod table;

pub use codec::*;
pub use parse::*;
pub use print::*;
pub use table::*;
