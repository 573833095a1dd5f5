//! The commands, one function each.

mod asm;
mod check;
mod completions;
mod dap;
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
pub use dap::dap;
pub use debug::debug;
pub use diff::diff;
pub use dis::dis;
pub use explain::explain;
pub use import::import_mesa;
pub use info::info;
pub use man::man;
pub use run::run;
