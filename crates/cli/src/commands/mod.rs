//! The commands, one function each.

mod asm;
mod check;
mod completions;
#[cfg(feature = "debugger")]
mod dap;
#[cfg(feature = "debugger")]
mod debug;
mod diff;
mod dis;
mod explain;
mod folder;
mod import;
mod info;
mod man;
mod run;

pub use asm::asm;
pub use check::check;
pub use completions::completions;
#[cfg(feature = "debugger")]
pub use dap::dap;
#[cfg(feature = "debugger")]
pub use debug::debug;
pub use diff::diff;
pub use dis::dis;
pub use explain::explain;
pub use import::{import_mesa, import_sass};
pub use info::info;
pub use man::man;
pub use run::run;
