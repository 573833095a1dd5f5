//! What comes out of an assembler.

use crate::diagnostic::{Diagnostic, Origin};

/// What a text became: a program `P`, with the places `O` that its instructions have in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled<P, O = Vec<Origin>> {
    /// The program.
    pub program: P,
    /// Where each instruction stands.
    pub origins: O,
    /// What may not be as it was meant.
    pub warnings: Vec<Diagnostic>,
}
