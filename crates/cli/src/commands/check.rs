//! `ctm check`.

use crate::args::{CheckArgs, Isa};
use crate::isa::{File, ctm, r700, sm50, x1k};
use crate::{Console, Failure};

/// Reports what is wrong or suspicious in a program.
pub fn check(args: &CheckArgs, console: &mut Console) -> Result<(), Failure> {
    let file = File::read(&args.program)?;
    match file.isa {
        Isa::X1k => x1k::check(&x1k::Loaded::new(file, console)?, args, console),
        Isa::R700 => r700::check(&r700::Loaded::new(file, args.program.kernel.as_deref(), console)?, args, console),
        Isa::Sm50 => sm50::check(&sm50::Loaded::new(file, args.program.kernel.as_deref(), console)?, args, console),
        Isa::Ctm => Err(ctm::no_program()),
    }
}
