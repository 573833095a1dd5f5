//! `ctm info`.

use crate::args::{InfoArgs, Isa};
use crate::isa::{File, ctm, r700, sm50, x1k};
use crate::{Console, Failure};

/// Tells what a program contains and uses.
pub fn info(args: &InfoArgs, console: &mut Console) -> Result<(), Failure> {
    let file = File::read(&args.program, console)?;
    match file.isa {
        Isa::X1k => x1k::info(&x1k::Loaded::new(file, console)?, args, console),
        Isa::R700 => r700::info(&r700::Loaded::of(file, args.program.kernel.as_deref(), console)?, args, console),
        Isa::Sm50 => sm50::info(&sm50::Loaded::new(file, args.program.kernel.as_deref(), console)?, args, console),
        Isa::Ctm => Err(ctm::no_program()),
    }
}
