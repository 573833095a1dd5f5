//! What can go wrong with traces of cards.

use ctm_card::trace::TraceError;
use ctm_cards::{Model, PictureError};
use ctm_memory::ArenaError;
use thiserror::Error;

/// Why a trace is not executed, or gives no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CardError {
    /// It is not a trace, or damaged.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// It is of a card that there is not here.
    #[error("{} card '{card}' in the trace: known are {}", if Model::is_left_out(card) { "this build lacks" } else { "unknown" }, Model::names())]
    Card {
        /// The card's name.
        card: String,
    },
    /// It has not so many draws.
    #[error("the trace has {draws} draws, and no number {draw}: draws are counted from 0")]
    NoDraw {
        /// The wanted one.
        draw: usize,
        /// Draws that there are.
        draws: usize,
    },
    /// A buffer cannot be shown.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// There is no memory for the card's.
    #[error(transparent)]
    Memory(#[from] ArenaError),
}
