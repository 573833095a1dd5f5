//! The files that commands write. All of them are [`Sink`]s: none replaces an input or another output, each has a name that
//! fits what it holds, and those of one command appear together or not at all.

mod form;
mod sink;

pub use form::OutputKind;
pub use sink::Sink;
