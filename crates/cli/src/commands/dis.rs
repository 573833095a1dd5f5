//! `ctm dis`.

use crate::args::DisArgs;
use crate::isa::load_one;
use crate::{Console, Failure};

/// Disassembles a program or a command buffer.
pub fn dis(args: &DisArgs, console: &mut Console) -> Result<(), Failure> {
    load_one(&args.program, console)?.disassemble(&args.listing, console)
}
