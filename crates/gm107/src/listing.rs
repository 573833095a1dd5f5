//! Streams as text, and their draws.

use ctm_card::listing::Line;
use ctm_card::{Draw, Submission, SubmissionError};
use ctm_memory::Arena;

/// The lines of a submission whose objects lie in this memory.
pub fn listing(_submission: &Submission, _memory: &Arena) -> Vec<Line> {
    Vec::new()
}

/// The draws of a submission whose stream lies in this memory, found without executing it. Those that macros make are not known.
///
/// # Errors
/// The card rejects the submission.
pub fn draws(_submission: &Submission, _memory: &Arena) -> Result<Vec<Draw>, SubmissionError> {
    Ok(Vec::new())
}
