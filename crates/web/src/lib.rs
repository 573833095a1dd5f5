//! What the browser page of ctm asks its engine, as WebAssembly.
//!
//! A [`Workbench`] holds the state after the page: a text with its program, the memory of its picture, the lane that somebody looks at. A
//! [`TraceView`] holds a trace of the device or of a card.
//! It knows no browser, and its tests need none. [`bindings`] gives it to JavaScript: numbers and bytes as typed arrays,
//! everything else as JSON.

pub mod bindings;
pub mod canvas;
pub mod compute;
mod depth;
pub mod examples;
pub mod language;
pub mod pipeline;
pub mod problem;
pub mod scene;
pub mod source;
pub mod trace;
pub mod trail;
pub mod words;
pub mod workbench;

pub use language::Language;
pub use trace::TraceView;
pub use workbench::Workbench;
