//! What the assembly languages of several instruction sets share: tokens, with `#include`; a [`Cursor`] that looks at
//! them, takes them and complains; [`Diagnostic`]s with their places; what a reference says of a name ([`topic`]).
//!
//! This crate knows no language: a [`Dialect`] says how one looks.
#![forbid(unsafe_code)]

mod assembled;
mod cursor;
mod diagnostic;
pub mod findings;
mod lexer;
mod number;
mod substitute;
pub mod topic;

pub use assembled::Assembled;
pub use cursor::{Cursor, Reported, Span};
pub use diagnostic::{Cause, Diagnostic, Origin, Severity, SourceFile, excerpt, list, nearest};
pub use lexer::{Dialect, Lexed, Loader, MAX_TEXT, MOST_DIAGNOSTICS, Token, TokenKind, lex};
pub use number::{parse_float, spell_float};
pub use substitute::{Substitute, instead};
