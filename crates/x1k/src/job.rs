//! One `start_program`: what runs, on which data, and what can come of it. Every engine takes the same [`Job`] and gives
//! the same memory and results for it.

use crate::conditional::{CondTest, Conditional};
use crate::interpolants::Interpolants;
use crate::program::{
    BOOL_CONSTANTS, ConstantValues, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, IntConstant, OUTPUTS, Program, WriteMode,
};
use crate::sampled::{InputSampler, reads_quads, texture_kind_name};
use ctm_memory::{Format, Space, Surface};
use ctm_raster::sampler::TextureKind;
use thiserror::Error;

use ctm_lane::budget::Halt;
pub use ctm_lane::domain::Domain;
pub use ctm_lane::run::{DEFAULT_STEP_LIMIT, MAX_GROUP_WIDTH, RunOptions, RunStats};

/// Largest coordinate of a domain: 12 bits (CTM Guide p.10-11).
pub const MAX_COORDINATE: u32 = 4095;

/// The constants that a program reads, captured when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// Float constants, four channels each, as binary32 bits.
    pub floats: [[u32; 4]; FLOAT_CONSTANTS],
    /// Integer constants.
    pub ints: [IntConstant; INT_CONSTANTS],
    /// Boolean constants.
    pub bools: [bool; BOOL_CONSTANTS],
}

impl Default for Constants {
    fn default() -> Self {
        Constants {
            floats: [[0; 4]; FLOAT_CONSTANTS],
            ints: [IntConstant::default(); INT_CONSTANTS],
            bools: [false; BOOL_CONSTANTS],
        }
    }
}

impl From<&ConstantValues> for Constants {
    /// The values that travel with a program; every other constant is 0. Numbers that no constant has are left out.
    fn from(values: &ConstantValues) -> Self {
        let mut constants = Constants::default();
        for (&index, &value) in &values.floats {
            constants.floats[usize::from(index)] = value;
        }
        for (&index, &value) in &values.ints {
            if let Some(constant) = constants.ints.get_mut(usize::from(index)) {
                *constant = value;
            }
        }
        for (&index, &value) in &values.bools {
            if let Some(constant) = constants.bools.get_mut(usize::from(index)) {
                *constant = value;
            }
        }
        constants
    }
}

/// A program with everything that one run of it depends on.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// What runs.
    pub program: &'a Program,
    /// The pairs (i, j) that it runs for (CTM Guide p.10), each at most [`MAX_COORDINATE`].
    pub domain: Domain,
    /// What is added to i and j where lanes get them as their position: the domain is a part of a larger one. Elements of outputs lie at
    /// (i, j) all the same.
    pub origin: [u32; 2],
    /// What its constants are.
    pub constants: Constants,
    /// What its interpolated inputs are. Programs that take some need them.
    pub interpolants: Option<Interpolants>,
    /// Inputs with a format set.
    pub inputs: [Option<Surface>; INPUTS],
    /// How inputs are sampled, as the textures of a card are; inputs without a sampler give the nearest element, as those of CTM do.
    pub samplers: [Option<InputSampler>; INPUTS],
    /// Outputs with a format set.
    pub outputs: [Option<Surface>; OUTPUTS],
    /// Bit k: channel k of every output is written (CTM Guide p.7, 21).
    pub out_mask: u8,
    /// The conditional unit.
    pub conditional: Conditional,
    /// Multiply-add, dot products and BIAS round twice.
    pub unfused: bool,
    /// The memory that the surfaces lie in.
    pub memory: &'a Space,
}

impl<'a> Job<'a> {
    /// A run over `domain` with the constants that travel with the program and everything else as the device has it
    /// after reset: no surfaces, all channels written, no conditional operation, fused arithmetic.
    pub fn new(program: &'a Program, domain: Domain, memory: &'a Space) -> Self {
        Job {
            program,
            domain,
            origin: [0; 2],
            constants: Constants::from(&program.constants),
            interpolants: None,
            inputs: [None; INPUTS],
            samplers: [const { None }; INPUTS],
            outputs: [None; OUTPUTS],
            out_mask: 0xF,
            conditional: Conditional::default(),
            unfused: false,
            memory,
        }
    }

    /// Whether some input has a sampler.
    pub fn has_samplers(&self) -> bool {
        self.samplers.iter().any(Option::is_some)
    }

    /// The surfaces that are read: inputs, and further levels of those that are sampled.
    pub fn read_surfaces(&self) -> impl Iterator<Item = &Surface> {
        let levels = self.samplers.iter().flatten().flat_map(|sampler| &sampler.levels);
        self.inputs.iter().flatten().chain(levels)
    }

    /// Whether texture instructions look at the coordinates of their quads.
    pub(crate) fn samples_quads(&self) -> bool {
        let sampled = |input: u8| self.samplers.get(usize::from(input)).and_then(Option::as_ref);
        reads_quads(&self.program.code, |input| sampled(input).map(|input| (&input.sampler, &input.shape)))
    }

    /// Checks the environment against the program's notes: every input and output that they list has a surface that is
    /// legal for its use, and so has the conditional unit if it needs one.
    pub fn check(&self) -> Result<(), StateError> {
        let (domain, references) = (&self.domain, &self.program.references);
        if !domain.is_empty() && (domain.i1 > MAX_COORDINATE || domain.j1 > MAX_COORDINATE) {
            return Err(StateError::Domain { i1: domain.i1, j1: domain.j1 });
        }
        if self.program.info.takes_interpolants() && self.interpolants.is_none() {
            return Err(StateError::NoInterpolants);
        }
        for &input in &references.inputs {
            if self.inputs.get(usize::from(input)).is_none_or(Option::is_none) {
                return Err(StateError::NoInput(input));
            }
        }
        for (input, wanted) in self.program.info.sampled_inputs().filter(|(input, _)| references.inputs.contains(input))
        {
            let sampler = self.samplers[usize::from(input)].as_ref();
            let found = sampler.map_or(TextureKind::Flat, |sampler| sampler.shape.kind);
            if found != wanted {
                return Err(StateError::TextureKind { input, wanted, found });
            }
        }
        for (number, (surface, sampler)) in (0..).zip(self.inputs.iter().zip(&self.samplers)) {
            if let (Some(surface), Some(sampler)) = (surface, sampler)
                && !sampler.fits(surface)
            {
                return Err(StateError::Sampled(number));
            }
        }
        for &output in &references.outputs {
            if self.outputs.get(usize::from(output)).is_none_or(Option::is_none) {
                return Err(StateError::NoOutput(output));
            }
        }
        if self.program.info.write_mode == WriteMode::Umrt {
            match self.outputs[0] {
                None => return Err(StateError::NoOutput(0)),
                Some(Surface { format: Format::Float32_1, .. }) => {}
                Some(Surface { format, .. }) => return Err(StateError::UmrtFormat(format)),
            }
        }
        if self.conditional.needs_buffer() {
            match self.conditional.surface {
                None => return Err(StateError::NoConditionalBuffer(self.conditional.test)),
                Some(Surface { format: Format::Float32_1 | Format::Uint16_1 | Format::Uint8_4, .. }) => {}
                Some(Surface { format, .. }) => return Err(StateError::ConditionalFormat(format)),
            }
        }
        Ok(())
    }
}

/// Why a run did not complete.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// The environment does not fit the program; nothing ran.
    #[error(transparent)]
    State(#[from] StateError),
    /// A group trapped; groups before it completed, of those after it some may have.
    #[error(transparent)]
    Trap(#[from] Trap),
    /// The run was ended from outside: it was cancelled, or its budget was used up.
    #[error(transparent)]
    Halted(#[from] Halt),
}

/// What of the environment does not fit the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// The domain is larger than the coordinates that the machine has.
    #[error(
        "the domain reaches to ({i1}, {j1}), but coordinates have 12 bits: use a domain of at most 4096 x 4096 and run \
         the program several times"
    )]
    Domain {
        /// Last column.
        i1: u32,
        /// Last row.
        j1: u32,
    },
    /// The program references an input that is not set.
    #[error("the program reads input {0}, which has no data: give input {0} a surface")]
    NoInput(u8),
    /// The program samples an input as another kind of texture.
    #[error(
        "the program samples input {input} as a {} texture, but the input is a {} one: give it such a texture, with a sampler",
        texture_kind_name(*.wanted), texture_kind_name(*.found)
    )]
    TextureKind {
        /// The input.
        input: u8,
        /// What the program's information says.
        wanted: TextureKind,
        /// What the input is; inputs without a sampler are flat.
        found: TextureKind,
    },
    /// An input is sampled as a texture that its surfaces cannot hold.
    #[error(
        "input {0} is sampled as a texture that does not lie in its surfaces: give each level a surface with its columns and, for all slices \
         or faces together, its rows; a cube has square faces"
    )]
    Sampled(u8),
    /// The program takes interpolated inputs, and there are none.
    #[error("the program takes interpolated inputs, which are not set: set the values at the corners of the domain")]
    NoInterpolants,
    /// The program references an output that is not set.
    #[error("the program writes output {0}, which has no surface: give output {0} a surface")]
    NoOutput(u8),
    /// Output 0 of a program with uncached writes has another format than one float.
    #[error(
        "the program writes output 0 uncached (UMRT), 32 bits at a time, but the output's format is {0}: give output 0 \
         the format FLOAT32_1"
    )]
    UmrtFormat(Format),
    /// The conditional unit needs a buffer and has none.
    #[error(
        "the conditional unit is set to test {0:?} or to write, but has no buffer: give the conditional output a surface, or \
         set the test to Always and the mask to 0"
    )]
    NoConditionalBuffer(CondTest),
    /// The conditional buffer has a format that cannot be tested.
    #[error("the conditional output's format is {0}: give it FLOAT32_1, UINT16_1 or UINT8_4")]
    ConditionalFormat(Format),
}

/// A program did what the machine cannot do. The lanes of its group wrote nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{kind} at instruction {pc}, in the group of lane ({i}, {j})")]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// The instruction.
    pub pc: usize,
    /// Column of the group's first lane that was active, else of its first live lane.
    pub i: u32,
    /// Row of that lane.
    pub j: u32,
}

/// What a program did to trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum TrapKind {
    /// A push on a full address stack.
    #[error("address stack overflow (too many nested calls)")]
    AddressStackOverflow,
    /// A pop of the empty address stack.
    #[error("return without a call (address stack empty)")]
    AddressStackEmpty,
    /// A loop entered with a full loop stack.
    #[error("loop stack overflow (too many nested loops)")]
    LoopStackOverflow,
    /// A loop end, BREAK or CONTINUE outside any loop.
    #[error("loop operation outside any loop (loop stack empty)")]
    LoopStackEmpty,
    /// More nested branches than the branch counters hold.
    #[error("branch counter overflow (too many nested branches)")]
    BranchCounterOverflow,
    /// A code that the guide reserves, or an operation without the partner that it copies from.
    #[error("reserved operation")]
    ReservedOperation,
    /// Execution went past the last instruction.
    #[error("program counter outside the code")]
    PcOutsideCode,
    /// More instructions than the step limit.
    #[error("step limit reached (infinite loop?)")]
    StepLimit,
}

impl TrapKind {
    /// Every kind.
    pub const ALL: [TrapKind; 8] = [
        TrapKind::AddressStackOverflow,
        TrapKind::AddressStackEmpty,
        TrapKind::LoopStackOverflow,
        TrapKind::LoopStackEmpty,
        TrapKind::BranchCounterOverflow,
        TrapKind::ReservedOperation,
        TrapKind::PcOutsideCode,
        TrapKind::StepLimit,
    ];
}
