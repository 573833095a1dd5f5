//! `ctm dis`.

use crate::args::{DisArgs, Isa};
use crate::isa::{File, ctm, r700, sm50, x1k};
use crate::{Console, Failure};

/// Disassembles a program or a command buffer.
pub fn dis(args: &DisArgs, console: &mut Console) -> Result<(), Failure> {
    let file = File::read(&args.program, console)?;
    match file.isa {
        Isa::X1k => x1k::dis(&x1k::Loaded::new(file, console)?, args, console),
        Isa::R700 => r700::dis(&r700::Loaded::new(file, args.program.kernel.as_deref(), console)?, args, console),
        Isa::Sm50 => sm50::dis(&sm50::Loaded::new(file, args.program.kernel.as_deref(), console)?, args, console),
        Isa::Ctm => ctm::dis(&file, args, console),
    }
}
