//! What launches of a run depend on beside the program, from the command line: constants, textures, images, and memory.

use super::data::constants;
use super::global::GlobalMemory;
use super::options::{BankWord, Sm50Args};
use super::resources::Resources;
use crate::options::RunArgs;
use crate::run::{Frames, Memory, ResultSettings, uniforms};
use crate::{Console, Failure};
use ctm_memory::Space;
use ctm_sm50::launch::{Constants, Environment, Mode};

/// It, for all frames.
pub struct Setup {
    /// The frames.
    pub frames: Frames,
    uniforms: Vec<BankWord>,
    constants: Constants,
    resources: Resources,
    mode: Mode,
}

impl Setup {
    /// Reads it, with global memory. Files of textures go through `memory`; their handles are put into a constant bank.
    ///
    /// # Errors
    /// An option or a file is wrong.
    pub fn prepare(
        (args, sm50): (&RunArgs, &Sm50Args),
        handle_bank: u8,
        memory: &mut Memory,
        console: &Console,
    ) -> Result<(Self, GlobalMemory), Failure> {
        let host = console.host;
        let resources = Resources::read((&args.inputs, &args.mips), &sm50.memory, memory, host)?;
        let mut constants = constants(host, &sm50.banks)?;
        resources.bind(&mut constants, handle_bank);
        let setup = Setup {
            frames: Frames::of(&args.frames),
            uniforms: uniforms(&args.frames)?,
            constants,
            resources,
            mode: if console.strict { Mode::Strict } else { Mode::Lenient },
        };
        let limit = args.execution.budget.memory(host);
        Ok((setup, GlobalMemory::prepare(host, &sm50.memory, ResultSettings::of(args), limit)?))
    }

    /// What the launch of a frame depends on, over this memory.
    pub fn environment<'a>(&self, frame: u32, memory: &'a Space) -> Environment<'a> {
        let mut constants = self.constants.clone();
        self.uniforms.iter().for_each(|word| word.set(&mut constants, self.frames, frame));
        let Resources { textures, images } = self.resources.clone();
        let memory = Some(memory);
        Environment { constants, memory, textures, images, mode: self.mode, ..Environment::default() }
    }
}
