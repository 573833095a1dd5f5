//! Direct3D 9 pixel shader assembly, versions 2.0 to 3.0, as compilers of Direct3D list it.
//!
//! [`table`] has the instructions, [`version`] the registers; [`parse()`] makes a [`Shader`](ast::Shader) of a text, [`lower()`] a function of that; `Display` of a shader is its text.

pub mod ast;
mod check;
mod lower;
mod parse;
mod print;
pub mod table;
mod uses;
pub mod version;

pub use lower::{Lowered, NotLowered, Options, lower};
pub use parse::Parsed;

use ctm_text::Diagnostic;

/// How many texture coordinates the device interpolates.
pub const TEXTURE_COORDINATES: u8 = 8;

const CALL_DEPTH_HELP: &str = "write the innermost subroutine where it is called";

/// Reads and checks a text. `name` is what diagnostics call it.
///
/// # Errors
/// Everything that is wrong with it, up to a limit.
pub fn parse(name: &str, text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let mut parsed = parse::parse(name, text)?;
    check::check(&mut parsed);
    parsed.without_errors()
}
