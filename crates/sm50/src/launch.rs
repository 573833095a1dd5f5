//! One launch of a stage: which program runs, for which invocations, on which attribute memory. Whoever executes it leaves
//! the same attribute memory at the end.
//!
//! Invocations form warps of 32 in order: invocation n is lane n % 32 of warp n / 32. Lanes without an invocation stand at
//! the end of a warp. All memory is blocks of dwords in which lanes with neighbouring numbers have neighbouring places:
//! records slot by slot ([`Records`]), facts about invocations column by column ([`Column`]).
//!
//! | stage | input records | output records |
//! |---|---|---|
//! | vertex | record n for invocation n | record n of invocation n |
//! | tessellation initialisation | by [`Primitives`] | record n of invocation n, patch record p of primitive p |
//! | tessellation | by [`Primitives`], patch record p of primitive p | record n of invocation n |
//! | fragment | [`Pixels`] | [`Pixels`] |
//! | geometry | by [`Primitives`] | record n * max_output_vertex_count + v: vertex v of invocation n |
//!
//! A vertex handle h in a warp is entry `h` of the warp's part of the index list: record
//! `indices[FirstPrimitive * vertices_per_primitive + h]`. The map that `ISBERD` reads is therefore the identity, `Handles`
//! bytes long. (Decision S16: the machine's handles are not public; programs only pass them on.)

mod constants;
mod lines;
mod pixels;
mod samples;

pub use constants::{BankMemory, Constants, LaunchConstantConflict, LaunchConstants};
pub use lines::{LineInput, PixelLines};
pub use pixels::{
    FRAGMENT_POSITION, FRONT_FACE, PixelInput, PixelPlace, PixelQuad, Pixels, PrimitiveValues, ResultColumns,
};
pub use samples::{MAX_SAMPLES, SAMPLE_GRID, sample_offset, sample_positions};

use crate::attributes::{Emissions, Records, Words};
use crate::header::{AttributeMap, Header, Stage};
use crate::images::Images;
use crate::program::{Code, Program};
use crate::stores::StoreRanges;
use crate::textures::Textures;
use ctm_lane::budget::Halt;
use ctm_lane::run::{RunOptions, RunStats};
use ctm_memory::Space;
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// Lanes of a warp.
pub const WARP: u32 = 32;
/// Vertex handles of a warp: they are bytes.
pub const MAX_HANDLES: u32 = 256;
/// Most bytes of local memory that a lane can have (CUDA C++ Programming Guide, compute capability 5.0).
pub const MAX_LOCAL_MEMORY: u32 = 512 << 10;
/// Most bytes of shared memory that a block can have (CUDA C++ Programming Guide, compute capability 5.0).
pub const MAX_SHARED_MEMORY: u32 = 48 << 10;
/// Instructions that a warp may execute, unless the options say otherwise.
pub const DEFAULT_STEP_LIMIT: u64 = 1 << 24;

/// What happens when a program does what it should not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The access reads 0 or is dropped, as on the machine, and a [`Warning`] tells of it.
    #[default]
    Lenient,
    /// The launch ends with a [`Trap`].
    Strict,
}

/// What all launches of a draw share.
#[derive(Clone, Debug)]
pub struct Environment<'a> {
    /// Constant banks. What a compute launch has of its own in bank 0 is not among them.
    pub constants: Constants,
    /// Memory of LDG and STG.
    pub memory: Option<&'a Space>,
    /// Where in it programs store, if that is known: without, anywhere.
    pub stores: Option<StoreRanges>,
    /// SR_Y_DIRECTION: bits of 1.0 or -1.0.
    pub y_direction: u32,
    /// Textures, by the numbers that handles have.
    pub textures: Textures,
    /// Images over the memory, by the numbers that handles have.
    pub images: Images,
    /// What happens when a program does what it should not.
    pub mode: Mode,
}

impl Default for Environment<'_> {
    fn default() -> Self {
        Environment {
            constants: Constants::default(),
            memory: None,
            stores: None,
            y_direction: 1.0f32.to_bits(),
            textures: Textures::default(),
            images: Images::default(),
            mode: Mode::default(),
        }
    }
}

/// What is known of each invocation. The word of invocation n in a column is dword column * invocations + n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The number of its primitive in the launch, or [`NO_INVOCATION`].
    Primitive,
    /// The first primitive of its warp. Programs see the difference.
    FirstPrimitive,
    /// Vertex handles of its warp: primitives times vertices.
    Handles,
    /// SR_INVOCATION_ID: its number in the patch, or the instance.
    Invocation,
    /// First coordinate of its domain point, binary32 bits.
    U,
    /// Second coordinate of its domain point, binary32 bits.
    V,
}

impl Column {
    /// Number of columns.
    pub const COUNT: u32 = 6;
}

/// [`Column::Primitive`] of lanes that have no invocation.
pub const NO_INVOCATION: u32 = u32::MAX;

/// The invocations of a launch.
#[derive(Clone, Debug)]
pub struct Invocations {
    /// How many, lanes without one in the middle included.
    pub count: u32,
    /// Facts about them, [`Column::COUNT`] columns; without, all are live, and all facts are 0.
    pub columns: Option<Words>,
}

impl Invocations {
    /// A word of a column. Lanes beyond the last invocation have none.
    pub fn get(&self, column: Column, invocation: u32) -> u32 {
        match (&self.columns, column) {
            _ if invocation >= self.count && column == Column::Primitive => NO_INVOCATION,
            (None, _) => 0,
            (Some(columns), column) => columns.buffer().load(4 * (column as u32 * self.count + invocation)),
        }
    }

    /// Number of warps.
    pub fn warps(&self) -> u32 {
        self.count.div_ceil(WARP)
    }
}

/// The input primitives of a launch.
#[derive(Clone, Debug)]
pub struct Primitives {
    /// Vertices of each, 1 to 32.
    pub vertices: u32,
    /// Input records: vertex v of primitive p is entry p * vertices + v.
    pub indices: Words,
    /// PRIMITIVE_ID of each primitive.
    pub ids: Words,
}

impl Primitives {
    /// Number of primitives.
    pub fn count(&self) -> u32 {
        self.ids.len()
    }
}

/// Shape of a compute launch: blocks of threads. Each block takes whole warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    blocks: [u32; 3],
    threads: [u32; 3],
}

impl Grid {
    /// Most threads of a block.
    pub const MAX_THREADS: u64 = 1024;

    /// `blocks` blocks of `threads` threads along each axis; `None` if a block has no threads or too many, or all together
    /// are more than launches can have.
    pub fn new(blocks: [u32; 3], threads: [u32; 3]) -> Option<Grid> {
        let product = |sizes: [u32; 3]| sizes.iter().try_fold(1u64, |all, &size| all.checked_mul(size.into()));
        let grid = Grid { blocks, threads };
        let (all_blocks, block) = (product(blocks)?, product(threads)?);
        let fits = (1..=Grid::MAX_THREADS).contains(&block)
            && all_blocks.checked_mul(block.next_multiple_of(WARP.into())).is_some_and(|all| all < u64::from(u32::MAX));
        fits.then_some(grid)
    }

    /// Threads of a block.
    pub fn block_threads(&self) -> u32 {
        self.threads.iter().product()
    }

    /// Invocations of one block, those that no thread has included.
    pub fn block_invocations(&self) -> u32 {
        self.block_threads().next_multiple_of(WARP)
    }

    /// Invocations of the launch, those that no thread has included.
    pub fn invocations(&self) -> u32 {
        self.blocks.iter().product::<u32>() * self.block_invocations()
    }

    /// Threads of the launch.
    pub fn threads(&self) -> u32 {
        self.blocks.iter().product::<u32>() * self.block_threads()
    }

    /// The invocation of a thread of the launch. Threads are counted block after block.
    pub fn invocation_of(&self, thread: u32) -> u32 {
        thread / self.block_threads() * self.block_invocations() + thread % self.block_threads()
    }

    /// The thread of an invocation that has one, counted block after block.
    pub fn thread_number(&self, invocation: u32) -> u32 {
        invocation / self.block_invocations() * self.block_threads() + invocation % self.block_invocations()
    }

    /// Whether an invocation has a thread.
    pub fn has_thread(&self, invocation: u32) -> bool {
        invocation % self.block_invocations() < self.block_threads()
    }

    /// Blocks along each axis.
    pub fn blocks(&self) -> [u32; 3] {
        self.blocks
    }

    /// Threads of a block along each axis.
    pub fn block_size(&self) -> [u32; 3] {
        self.threads
    }

    /// Coordinates of an invocation's thread in its block.
    pub fn thread_of(&self, invocation: u32) -> [u32; 3] {
        coordinates(self.threads, invocation % self.block_invocations())
    }

    /// Coordinates of an invocation's block.
    pub fn block_of(&self, invocation: u32) -> [u32; 3] {
        coordinates(self.blocks, invocation / self.block_invocations())
    }
}

/// The place of number `n` in a box of these sides, none of which is 0.
fn coordinates([x, y, _]: [u32; 3], n: u32) -> [u32; 3] {
    [n % x, n / x % y, n / x / y]
}

/// A program as executors see it.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// Its header. Compute code has none.
    pub header: Option<Header>,
    /// Its code.
    pub code: &'a Code,
    /// Bytes of local memory for each lane.
    pub local_memory: u32,
    /// Bytes of shared memory for each block.
    pub shared_memory: u32,
    /// Words of [`Program::CONSTANT_BANK`], where the environment has none there.
    pub constants: &'a [u32],
    /// Constant banks of its own: those of the environment with the same numbers are not seen.
    pub banks: Option<&'a Constants>,
}

impl<'a> Shader<'a> {
    /// The stage that the program is for.
    pub fn stage(&self) -> Stage {
        self.header.map_or(Stage::None, |header| header.stage)
    }
}

impl<'a> From<&'a Program> for Shader<'a> {
    /// The header says how much local memory there is, up to what a lane can have; compute code has none unless it is
    /// given some. How much shared memory a block has is not in programs either.
    fn from(program: &'a Program) -> Self {
        let local_memory = program.header.map_or(0, |header| header.local_memory_low_size).min(MAX_LOCAL_MEMORY);
        Shader {
            header: program.header,
            code: &program.code,
            local_memory,
            shared_memory: 0,
            constants: &program.constants,
            banks: None,
        }
    }
}

/// One launch of a stage.
#[derive(Clone, Copy, Debug)]
pub struct StageLaunch<'a> {
    /// What runs.
    pub shader: Shader<'a>,
    /// What it shares with the others of the draw.
    pub environment: &'a Environment<'a>,
    /// For whom it runs.
    pub invocations: &'a Invocations,
    /// Input records.
    pub inputs: Option<&'a Records>,
    /// Which of them belong to which primitive.
    pub primitives: Option<&'a Primitives>,
    /// Patch records: written by tessellation initialisation, read by tessellation.
    pub patches: Option<&'a Records>,
    /// Output records.
    pub outputs: Option<&'a Records>,
    /// Attribute stores that have an effect ([`surviving`](crate::attributes::surviving)).
    pub surviving: AttributeMap,
    /// Where geometry programs log what they emit.
    pub emissions: Option<&'a Emissions>,
    /// Shape of a compute launch.
    pub grid: Option<Grid>,
    /// The pixels of a launch of a fragment program.
    pub pixels: Option<&'a Pixels>,
    /// The lines of one that runs over lines. How many lanes it has is not said here.
    pub lines: Option<&'a PixelLines<'a>>,
}

impl<'a> StageLaunch<'a> {
    /// A launch without any attribute memory. Of its attribute stores those in `surviving` have an effect.
    pub fn new(
        shader: Shader<'a>,
        environment: &'a Environment<'a>,
        invocations: &'a Invocations,
        surviving: AttributeMap,
    ) -> Self {
        StageLaunch {
            shader,
            environment,
            invocations,
            inputs: None,
            primitives: None,
            patches: None,
            outputs: None,
            surviving,
            emissions: None,
            grid: None,
            pixels: None,
            lines: None,
        }
    }

    /// What the driver writes into constant bank 0: only compute launches have it, and of these only those whose constants are not a card's.
    pub fn constants(&self) -> Option<LaunchConstants> {
        let grid = self.grid.filter(|_| !self.environment.constants.is_open())?;
        Some(LaunchConstants::new(&grid, self.shader.local_memory))
    }

    /// The word that holds byte `offset` of a constant bank. [`LaunchConstants`] stand in front of what the environment has in
    /// their places; [`LaunchConstants::fit`] says whether that is nothing.
    pub fn constant(&self, bank: u8, offset: u32) -> Option<u32> {
        let of_launch = self.constants().and_then(|constants| constants.word(bank, offset));
        let word = of_launch.or_else(|| self.bank(bank)?.get(offset as usize / 4).copied());
        let word = word.or_else(|| {
            let BankMemory { address, bytes } = self.bank_memory(bank)?;
            let address = address.checked_add(offset & !3).filter(|_| offset < bytes)?;
            self.environment.memory?.arena_of(address, 4)?.read_u32(address)
        });
        word.or_else(|| self.has_open_banks().then_some(0))
    }

    /// Whether words that are in no constant bank are 0.
    pub fn has_open_banks(&self) -> bool {
        self.shader.banks.unwrap_or(&self.environment.constants).is_open()
    }

    /// The banks that have words, and those that are memory: a bit for each.
    pub(crate) fn bank_sets(&self) -> [u32; 2] {
        let [words, memory] = self.environment.constants.sets();
        let [own_words, own_memory] = self.shader.banks.map_or([0; 2], Constants::sets);
        let of_program = u32::from(!self.shader.constants.is_empty()) << Program::CONSTANT_BANK;
        [words | own_words | of_program, memory | own_memory]
    }

    /// The memory that a bank is.
    pub fn bank_memory(&self, bank: u8) -> Option<BankMemory> {
        let own = self.shader.banks.and_then(|banks| banks.memory(bank));
        own.or(self.environment.constants.memory(bank))
    }

    /// The words of a constant bank, without [`LaunchConstants`]: those of the shader's own banks, of the environment, or of the program itself.
    pub fn bank(&self, bank: u8) -> Option<&'a [u32]> {
        let of_program =
            (bank == Program::CONSTANT_BANK && !self.shader.constants.is_empty()).then_some(self.shader.constants);
        let own = self.shader.banks.and_then(|banks| banks.bank(bank));
        own.or(self.environment.constants.bank(bank)).or(of_program)
    }
}

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchReport {
    /// Counts. A group is a warp; instructions are summed over the active lanes.
    pub stats: RunStats,
    /// What the programs should not have done.
    pub warnings: Warnings,
}

impl LaunchReport {
    /// Adds what another launch did.
    pub fn merge(&mut self, other: &LaunchReport) {
        self.stats.merge(&other.stats);
        self.warnings.merge(&other.warnings);
    }
}

/// Something that runs the launches of stages. All give the same attribute memory, emissions, and traps.
pub trait StageRunner: Sync {
    /// Runs a launch.
    ///
    /// # Errors
    /// A trap of the lowest warp that traps; what other warps wrote may or may not be there. Cancellation, and an end of the
    /// options' budget.
    fn run(&self, launch: &StageLaunch, options: &RunOptions) -> Result<LaunchReport, Stop>;
}

/// Why a launch did not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Stop {
    /// A warp trapped.
    #[error(transparent)]
    Trap(#[from] Trap),
    /// The run was ended from outside: it was cancelled, or its budget was used up.
    #[error(transparent)]
    Halted(#[from] Halt),
}

/// A warp could not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{kind} at {pc:#06x} of the {} program, lane {lane} of warp {warp}", stage.name())]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// The stage.
    pub stage: Stage,
    /// Byte address of the instruction in the code.
    pub pc: u32,
    /// The warp in its launch.
    pub warp: u32,
    /// The first lane that it happened to.
    pub lane: u32,
}

/// What a program did that it should not. The names follow the trap reasons of the open nouveau kernel driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
pub enum TrapKind {
    /// A word that is not an instruction, or a form of one that the machine does not execute.
    #[error("IllegalInstrEncoding: the word is not an instruction that the machine executes")]
    IllegalInstrEncoding,
    /// A vector operand runs past R254.
    #[error("OutOfRangeReg: a vector of registers runs past R254")]
    OutOfRangeReg,
    /// A 64-bit or 128-bit operand in registers that are not aligned.
    #[error("MisalignedReg: a register of a wide operand is not aligned to its size")]
    MisalignedReg,
    /// An address that is not a multiple of the size.
    #[error("MisalignedAddr: the address is not a multiple of the access's size")]
    MisalignedAddr,
    /// An access outside the memory or the records.
    #[error("OutOfRangeAddr: the access is outside the memory, or the handle names no record")]
    OutOfRangeAddr,
    /// A constant bank that is missing, or an offset past its end.
    #[error("InvalidConstAddr: the constant bank is missing, or ends before this offset")]
    InvalidConstAddr,
    /// An instruction that the header or the stage does not allow.
    #[error("IllegalSphInstrCombo: the stage or the program header does not allow this access")]
    IllegalSphInstrCombo,
    /// A state of the geometry output that is not the latest one.
    #[error("GeometryError: the geometry state is not what the last OUT gave")]
    GeometryError,
    /// Control flow without its token.
    #[error("StackError: no matching SSY, PBK, PCNT or call")]
    StackError,
    /// An instruction that has an encoding but no execution here.
    #[error("Unsupported: the instruction can be assembled but not executed")]
    Unsupported,
    /// Execution went past the last instruction.
    #[error("PcOverflow: execution runs off the end of the code")]
    PcOverflow,
    /// A branch to an address where no instruction can stand.
    #[error("MisalignedPc: a branch to an address that is not a multiple of 8")]
    MisalignedPc,
    /// The warps of a block wait at barriers for each other.
    #[error("Deadlock: the warps of a block wait at barriers, and none of them can go on")]
    Deadlock,
    /// More instructions than the step limit.
    #[error("StepLimit: the warp reached the step limit (infinite loop?)")]
    StepLimit,
}

impl TrapKind {
    /// Every kind.
    pub const ALL: [TrapKind; 14] = [
        TrapKind::IllegalInstrEncoding,
        TrapKind::OutOfRangeReg,
        TrapKind::MisalignedReg,
        TrapKind::MisalignedAddr,
        TrapKind::OutOfRangeAddr,
        TrapKind::InvalidConstAddr,
        TrapKind::IllegalSphInstrCombo,
        TrapKind::GeometryError,
        TrapKind::StackError,
        TrapKind::Unsupported,
        TrapKind::PcOverflow,
        TrapKind::MisalignedPc,
        TrapKind::Deadlock,
        TrapKind::StepLimit,
    ];
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// What would be a trap in strict mode.
    Violation(TrapKind),
    /// A special register that has no value here reads as 0.
    SpecialRegister(u8),
    /// A patch store beyond the words that the header declares; it is kept.
    PatchBeyondCount,
    /// Threads of two warps access a word of shared memory, and one of them writes it, without a barrier between them.
    Race {
        /// The byte address of the other instruction.
        other: u32,
    },
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WarningKind::Violation(kind) => write!(f, "{kind}; it read 0 or did nothing"),
            WarningKind::SpecialRegister(number) => write!(f, "special register {number:#04x} reads as 0 here"),
            WarningKind::Race { other } => write!(
                f,
                "it races with the instruction at {other:#06x}: threads of two warps access a word of shared memory without a barrier between them, and one writes it"
            ),
            WarningKind::PatchBeyondCount => f.write_str("a store beyond the patch words that the header declares"),
        }
    }
}

/// Where a warning first came up, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The first warp of the first launch that had it.
    pub warp: u32,
    /// The first lane there.
    pub lane: u32,
    /// How often, over all lanes.
    pub count: u64,
}

/// The warnings of a run, by stage, byte address of the instruction, and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// The stage stands as its code, which has an order.
    warnings: BTreeMap<(u8, u32, WarningKind), Warning>,
}

impl Warnings {
    /// The warnings in order.
    pub fn iter(&self) -> impl Iterator<Item = (Stage, u32, WarningKind, Warning)> + '_ {
        self.warnings.iter().map(|(&(stage, pc, kind), &warning)| (Stage::ALL[usize::from(stage)], pc, kind, warning))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.warnings.is_empty()
    }

    /// Notes a warning of one lane.
    pub fn note(&mut self, stage: Stage, pc: u32, kind: WarningKind, warp: u32, lane: u32) {
        self.warnings.entry((stage as u8, pc, kind)).or_insert(Warning { warp, lane, count: 0 }).count += 1;
    }

    /// Adds the warnings of another launch, which came later.
    pub fn merge(&mut self, other: &Warnings) {
        for (&key, &warning) in &other.warnings {
            self.warnings.entry(key).or_insert(Warning { count: 0, ..warning }).count += warning.count;
        }
    }
}
