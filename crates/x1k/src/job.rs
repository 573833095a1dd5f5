//! One `start_program`: what runs, on which data, and what can come of it. Every engine takes the same [`Job`] and gives
//! the same memory and results for it.

use crate::conditional::{CondTest, Conditional};
use crate::program::{
    BOOL_CONSTANTS, ConstantValues, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, IntConstant, OUTPUTS, Program, WriteMode,
};
use ctm_memory::{Format, Space, Surface};
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// Largest coordinate of a domain: 12 bits (CTM Guide p.10-11).
pub const MAX_COORDINATE: u32 = 4095;
/// Widest group that an engine runs.
pub const MAX_GROUP_WIDTH: usize = 256;
/// Instructions that a group may execute before it traps, unless [`RunOptions`] says otherwise.
pub const DEFAULT_STEP_LIMIT: u64 = 1 << 32;

/// The pairs (i, j) that a program runs for, bounds inclusive (CTM Guide p.10). Empty when `i1 < i0` or `j1 < j0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// First column.
    pub i0: u32,
    /// First row.
    pub j0: u32,
    /// Last column.
    pub i1: u32,
    /// Last row.
    pub j1: u32,
}

impl Domain {
    /// The domain of `width` x `height` pairs from (0, 0); `None` if a side is 0.
    pub fn of_size(width: u32, height: u32) -> Option<Domain> {
        Some(Domain { i0: 0, j0: 0, i1: width.checked_sub(1)?, j1: height.checked_sub(1)? })
    }

    /// True if no pair is in the domain.
    pub const fn is_empty(&self) -> bool {
        self.i1 < self.i0 || self.j1 < self.j0
    }

    /// True if (i, j) is in the domain.
    pub const fn contains(&self, i: u32, j: u32) -> bool {
        self.i0 <= i && i <= self.i1 && self.j0 <= j && j <= self.j1
    }

    /// Number of pairs.
    pub const fn lanes(&self) -> u64 {
        if self.is_empty() { 0 } else { (self.i1 - self.i0 + 1) as u64 * (self.j1 - self.j0 + 1) as u64 }
    }
}

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
    /// Where it runs.
    pub domain: Domain,
    /// What its constants are.
    pub constants: Constants,
    /// Inputs with a format set.
    pub inputs: [Option<Surface>; INPUTS],
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
            constants: Constants::from(&program.constants),
            inputs: [None; INPUTS],
            outputs: [None; OUTPUTS],
            out_mask: 0xF,
            conditional: Conditional::default(),
            unfused: false,
            memory,
        }
    }

    /// Checks the environment against the program's notes: every input and output that they list has a surface that is
    /// legal for its use, and so has the conditional unit if it needs one.
    pub fn check(&self) -> Result<(), StateError> {
        let (domain, references) = (&self.domain, &self.program.references);
        if !domain.is_empty() && (domain.i1 > MAX_COORDINATE || domain.j1 > MAX_COORDINATE) {
            return Err(StateError::Domain { i1: domain.i1, j1: domain.j1 });
        }
        for &input in &references.inputs {
            if self.inputs.get(usize::from(input)).is_none_or(Option::is_none) {
                return Err(StateError::NoInput(input));
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

/// How to run a job. Nothing here changes the results of a program that depends on no unspecified order.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Lanes of a group, 1 to [`MAX_GROUP_WIDTH`] (values outside are brought inside). Programs with quad operations
    /// use the next multiple of 4.
    pub group_width: usize,
    /// Worker threads; 0 is one per core.
    pub threads: usize,
    /// Instructions that a group may execute; one more traps.
    pub step_limit: u64,
    /// Told now and then, from any worker: pairs done, pairs in all.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    /// Ends the run soon after it becomes true.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        RunOptions { group_width: 64, threads: 0, step_limit: DEFAULT_STEP_LIMIT, progress: None, cancel: None }
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Lanes that ran: the pairs of the domain less those that conditional execution skipped.
    pub lanes: u64,
    /// Instructions executed, summed over the lanes that took part in each.
    pub instructions: u64,
    /// Groups that ran.
    pub groups: u64,
    /// Some access left the mapped memory: it read 0 or wrote nothing.
    pub out_of_range: bool,
}

impl RunStats {
    /// Adds what another part of the same run did.
    pub fn merge(&mut self, other: &RunStats) {
        self.lanes += other.lanes;
        self.instructions += other.instructions;
        self.groups += other.groups;
        self.out_of_range |= other.out_of_range;
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
    /// The cancel flag of the options was raised.
    #[error("the run was cancelled before it was complete")]
    Cancelled,
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
    #[error("step limit reached (endless loop?)")]
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
