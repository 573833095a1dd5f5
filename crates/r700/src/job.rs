//! One launch: what runs, for which pixels or vertices, on which data, and what can come of it. Every engine takes the
//! same [`Job`] and gives the same memory and results for it.

use crate::gradient::Gradient;
use crate::legal::GroupError;
use crate::program::{GPRS, Program, Stage};
use crate::resource::{Region, Sampler, Texels, Texture, VertexBuffer};
use crate::stack::Wavefront;
use crate::target::{COLOURS, PARAMETERS, POSITIONS, STREAMS};
use crate::uses::{Known, Uses};
use ctm_follow::{Address, InstructionPlace};
use ctm_lane::budget::Halt;
use ctm_lane::domain::{AXIS, Lanes};
use ctm_memory::{Buffer, Format, RangeError, Space, Surface};
use std::borrow::Cow;
use std::collections::BTreeMap;
use thiserror::Error;

/// Number of boolean, and of loop constants.
pub const FLOW_CONSTANTS: usize = 32;
/// Number of constant buffers.
pub const KCACHE_BANKS: usize = 16;
/// Bytes of a register, of a constant, and of an exported vector.
pub const VECTOR_BYTES: u32 = 16;

/// A loop constant: what LOOP_START counts with (Mesa `r600d.h`; one dword in the register file).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopConstant {
    /// Number of passes, 0 to 4095.
    pub count: u16,
    /// aL in the first pass, 0 to 4095.
    pub init: u16,
    /// What LOOP_END adds to aL. (Decision R3: signed, as in DirectX 9.)
    pub step: i8,
}

impl LoopConstant {
    /// Takes the constant from its dword.
    pub const fn from_dword(dword: u32) -> Self {
        LoopConstant { count: (dword & 0xFFF) as u16, init: (dword >> 12 & 0xFFF) as u16, step: (dword >> 24) as i8 }
    }

    /// The dword that holds the constant.
    pub const fn to_dword(self) -> u32 {
        (self.count & 0xFFF) as u32 | ((self.init & 0xFFF) as u32) << 12 | (self.step as u8 as u32) << 24
    }
}

impl Default for LoopConstant {
    /// 4095 passes, aL from 0 in steps of 1: what Mesa sets all loop constants to.
    fn default() -> Self {
        LoopConstant { count: 4095, init: 0, step: 1 }
    }
}

/// A region of which every lane has its own item: item n begins at dword n * `item_dwords`. What a lane writes beyond its item is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Items {
    /// Where the items are.
    pub region: Region,
    /// Dwords of an item.
    pub item_dwords: u32,
}

/// What a register holds at program start. Registers, and channels, that no input names are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// x and y are the lane's column and row, as floats.
    Position,
    /// As that, after these first ones: the domain is a part of a larger one.
    PositionFrom([u32; 2]),
    /// x is the lane's number after this first one, w is the instance; both are integers.
    Vertex {
        /// x of lane 0.
        first: u32,
        /// w.
        instance: u32,
    },
    /// The element at the lane's position; see [`Bounds::Clamp`](ctm_memory::Bounds::Clamp).
    Surface(Surface),
    /// Each channel is the first one of the element of its own surface, in the same way.
    Channels([Surface; 4]),
    /// Four dwords at the lane's number times 16; 0 outside.
    Buffer(Region),
    /// The same in every lane.
    Value([u32; 4]),
    /// Interpolated over the lanes.
    Gradient(Gradient),
}

/// What a stage's instructions name by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// The constant file, from C0 on; constants beyond it read 0.
    pub constants: Vec<[u32; 4]>,
    /// Constant buffers, vectors of 16 bytes; what is beyond one reads 0.
    pub kcache: [Option<Region>; KCACHE_BANKS],
    /// Textures by resource number.
    pub textures: BTreeMap<u8, Texture>,
    /// Samplers by number; the others are [`Sampler::default`].
    pub samplers: BTreeMap<u8, Sampler>,
    /// Fetch buffers by resource number.
    pub buffers: BTreeMap<u8, VertexBuffer>,
}

/// Where exports go. What is exported to a target that is not set is dropped, as with a target mask of 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Colours, at the lane's position.
    pub colours: [Option<Surface>; COLOURS],
    /// The same, where each channel has a surface of its own, of which it is the first channel.
    pub colour_channels: [Option<[Surface; 4]>; COLOURS],
    /// Computed depth (x), stencil reference (y) and mask of samples (z), at the lane's position: as many of them as the format has channels.
    pub depth: Option<Surface>,
    /// POS0 to POS3, four dwords at the lane's number times 16.
    pub positions: [Option<Region>; POSITIONS],
    /// PARAM0 to PARAM31, likewise.
    pub parameters: [Option<Region>; PARAMETERS],
    /// The dword at the lane's number becomes 1 where a program ends with a lane that has not been killed; others stay.
    pub valid: Option<Region>,
}

/// The memory that instructions write and read themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memories {
    /// Elements of 16 bytes that every lane has of scratch memory. It is 0 at program start.
    pub scratch_elements: u32,
    /// MEM_RING.
    pub ring: Option<Items>,
    /// MEM_STREAM0 to MEM_STREAM3.
    pub streams: [Option<Items>; STREAMS],
    /// MEM_REDUCTION, shared by all lanes.
    pub reduction: Option<Region>,
    /// MEM_EXPORT and scatter reads, shared by all lanes.
    pub export: Option<Region>,
    /// What geometry shaders emit: dword 0 of an item counts events, the following are the events: [`STRIP_VERTEX`] and
    /// [`STRIP_CUT`].
    pub strips: Option<Items>,
}

/// Event of a [strip](Memories::strips): a vertex.
pub const STRIP_VERTEX: u32 = 0;
/// Event of a [strip](Memories::strips): the strip ends.
pub const STRIP_CUT: u32 = 1;

/// A program with everything that one run of it depends on.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// What runs.
    pub program: &'a Program,
    /// What is known of it, if it is the same program: nothing depends on that but how long checks take.
    pub known: Known<'a>,
    /// What CALL_FS enters; without it, CALL_FS does nothing.
    pub fetch_program: Option<&'a Program>,
    /// The same of that as of the program, if it is known.
    pub known_fetch: Option<Known<'a>>,
    /// The pixels, or vertices, that it runs for. Lane (i, j) of an area has the number that counts row by row.
    pub lanes: Lanes,
    /// What registers hold at the start.
    pub inputs: BTreeMap<u8, Input>,
    /// Boolean constants.
    pub bools: [bool; FLOW_CONSTANTS],
    /// Loop constants.
    pub loops: [LoopConstant; FLOW_CONSTANTS],
    /// Constants, textures and buffers.
    pub bindings: Bindings,
    /// Those of the other stage, which ALT_CONST selects.
    pub alternate: Bindings,
    /// Added to the index of fetches of VERTEX_DATA.
    pub base_vertex: u32,
    /// Added to the index of fetches of INSTANCE_DATA.
    pub start_instance: u32,
    /// SQ_VTX_SEMANTIC: a SEMANTIC fetch of semantic `semantics[k]` goes to register k + 1.
    pub semantics: Vec<u8>,
    /// Where exports go.
    pub targets: Targets,
    /// What memory instructions access.
    pub memories: Memories,
    /// Samples of pixel programs that name no level take it from the differences of their coordinates across the quad;
    /// otherwise, and in other programs, they take level 0. Pixels of a quad that the job does not have compute coordinates
    /// where the program says WHOLE_QUAD_MODE.
    pub quad_derivatives: bool,
    /// Relative addressing that leads outside the registers of the program goes to the nearest one; otherwise it traps.
    /// (The guide has no rule.)
    pub clamp_gpr: bool,
    /// A pixel that is killed passes no further test, and executes no further group; otherwise it goes on, invalid. (The
    /// guide knows kills of pixels only, which lose their exports; emulators of the Wii U end geometry shaders so.)
    pub kill_stops_pixel: bool,
    /// The chip's wavefront, which stack entries depend on.
    pub wavefront: Wavefront,
    /// The memory that all of it lies in.
    pub memory: &'a Space,
}

impl<'a> Job<'a> {
    /// A run for these lanes with nothing bound, the loop constants that Mesa sets, and as much scratch memory as the
    /// program's instructions name.
    pub fn new(program: &'a Program, lanes: impl Into<Lanes>, memory: &'a Space) -> Self {
        Job::of(Known::of(program), lanes, memory)
    }

    /// The same of a program of which something is known.
    pub fn of(known: Known<'a>, lanes: impl Into<Lanes>, memory: &'a Space) -> Self {
        let scratch_elements = known.uses().scratch_elements;
        Job {
            program: known.program(),
            known,
            fetch_program: None,
            known_fetch: None,
            lanes: lanes.into(),
            inputs: BTreeMap::new(),
            bools: [false; FLOW_CONSTANTS],
            loops: [LoopConstant::default(); FLOW_CONSTANTS],
            bindings: Bindings::default(),
            alternate: Bindings::default(),
            base_vertex: 0,
            start_instance: 0,
            semantics: Vec::new(),
            targets: Targets::default(),
            memories: Memories { scratch_elements, ..Memories::default() },
            quad_derivatives: false,
            clamp_gpr: false,
            kill_stops_pixel: false,
            wavefront: Wavefront::default(),
            memory,
        }
    }

    /// True if samples take their level from differences across the quad: only pixels have quads.
    pub(crate) fn takes_derivatives(&self) -> bool {
        let has_quads = self.program.info.stage == Stage::Pixel && matches!(self.lanes, Lanes::Area(_));
        self.quad_derivatives && has_quads
    }

    /// The number of the lane at (i, j).
    pub fn lane_number(&self, i: u32, j: u32) -> u32 {
        match self.lanes {
            Lanes::Area(domain) => {
                let width = domain.i1 - domain.i0 + 1;
                j.wrapping_sub(domain.j0).wrapping_mul(width).wrapping_add(i.wrapping_sub(domain.i0))
            }
            Lanes::Line(_) => j << 16 | i,
        }
    }

    /// Checks the environment: coordinates fit, registers exist, regions are mapped, textures have levels, and everything
    /// that the program reads by number is there.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check(&self) -> Result<(), StateError> {
        if let Lanes::Area(domain) = self.lanes
            && !domain.is_empty()
            && (domain.i1 >= AXIS || domain.j1 >= AXIS)
        {
            return Err(StateError::Domain { i1: domain.i1, j1: domain.j1 });
        }
        if let Some((&register, _)) = self.inputs.iter().find(|(register, _)| usize::from(**register) >= GPRS) {
            return Err(StateError::InputRegister(register));
        }
        for (what, region) in self.regions() {
            Buffer::new(self.memory, region.base, region.length)
                .map_err(|range| StateError::Unmapped { what, range })?;
        }
        for bindings in [&self.bindings, &self.alternate] {
            for (&number, texture) in &bindings.textures {
                if texture.levels() == 0 || texture.samples() == 0 || texture.size.contains(&0) {
                    return Err(StateError::EmptyTexture(number));
                }
            }
        }
        if let Some(Surface { format: format @ Format::Uint8_4, .. }) = self.targets.depth {
            return Err(StateError::DepthFormat(format));
        }
        let uses = self.uses();
        let uses = || uses.iter().flatten();
        let of_stage = uses().map(|uses| (&uses.of_stage, &self.bindings));
        let of_other_stage = uses().map(|uses| (&uses.of_other_stage, &self.alternate));
        for (of, bindings) in of_stage.chain(of_other_stage) {
            if let Some(&number) = of.textures.iter().find(|number| !bindings.textures.contains_key(number)) {
                return Err(StateError::NoTexture(number));
            }
            if let Some(&number) = of.buffers.iter().find(|number| !bindings.buffers.contains_key(number)) {
                return Err(StateError::NoBuffer(number));
            }
            if let Some(&bank) = of.banks.iter().find(|bank| bindings.kcache[usize::from(**bank)].is_none()) {
                return Err(StateError::NoConstants(bank));
            }
        }
        Ok(())
    }

    /// What the program and the fetch program use.
    fn uses(&self) -> [Option<Cow<'_, Uses>>; 2] {
        let fetch = self.fetch_program.map(|fetch| match &self.known_fetch {
            Some(known) => known.uses_of(fetch),
            None => Cow::Owned(Uses::of(fetch)),
        });
        [Some(self.known.uses_of(self.program)), fetch]
    }

    /// Whether the program, or the fetch program, uses something.
    pub(crate) fn any_uses(&self, uses: impl Fn(&Uses) -> bool) -> bool {
        self.uses().iter().flatten().any(|of_program| uses(of_program))
    }

    /// Every region, with a name for it.
    fn regions(&self) -> impl Iterator<Item = (&'static str, Region)> {
        let Memories { ring, streams, reduction, export, strips, .. } = &self.memories;
        let inputs = self.inputs.values().filter_map(|input| match input {
            Input::Buffer(region) => Some(("an input", *region)),
            _ => None,
        });
        let bound = [&self.bindings, &self.alternate].into_iter().flat_map(|bindings| {
            let banks = bindings.kcache.iter().flatten().map(|region| ("a constant buffer", *region));
            let textures = bindings.textures.values().filter_map(|texture| match texture.texels {
                Texels::Vectors { region, .. } => Some(("a texture", region)),
                Texels::Surfaces(_) => None,
            });
            banks.chain(bindings.buffers.values().map(|buffer| ("a fetch buffer", buffer.region))).chain(textures)
        });
        let targets =
            self.targets.positions.iter().chain(&self.targets.parameters).chain([&self.targets.valid]).flatten();
        let items = streams.iter().chain([ring, strips]).flatten();
        inputs
            .chain(bound)
            .chain(targets.map(|region| ("an export target", *region)))
            .chain(items.map(|items| ("a ring or stream", items.region)))
            .chain(reduction.iter().chain(export).map(|region| ("a reduction or export buffer", *region)))
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
    /// The domain is larger than the coordinates that lanes have.
    #[error("the domain reaches to ({i1}, {j1}), but coordinates have 16 bits: use a domain of at most 65536 x 65536")]
    Domain {
        /// Last column.
        i1: u32,
        /// Last row.
        j1: u32,
    },
    /// An input names a register out of range.
    #[error("an input goes to register {0}: registers are R0 to R127")]
    InputRegister(u8),
    /// Bytes that the job names are not in memory.
    #[error("{what} is outside of memory: {range}")]
    Unmapped {
        /// What was to be there.
        what: &'static str,
        /// The bytes.
        range: RangeError,
    },
    /// A texture has no level, no sample, or a side of 0.
    #[error("texture resource {0} is empty: give it a surface and sides of at least 1")]
    EmptyTexture(u8),
    /// The depth target holds no numbers of depth.
    #[error(
        "the depth output's format is {0}: give it one channel for depth, two for depth and stencil, or four floats"
    )]
    DepthFormat(Format),
    /// The program fetches from a texture that is not bound.
    #[error("the program fetches from texture resource {0}, which has no data: bind a surface to it")]
    NoTexture(u8),
    /// The program fetches from a buffer that is not bound.
    #[error("the program fetches from buffer {0}, which has no data: bind a region to it")]
    NoBuffer(u8),
    /// The program reads a constant buffer that is not bound.
    #[error("the program reads constant buffer {0}, which has no data: bind a region to it")]
    NoConstants(u8),
}

/// A program did what the machine cannot do, or what is not executed. The lanes of its group wrote nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{kind} at {location}, in the group of lane ({i}, {j})")]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// Where.
    pub location: TrapLocation,
    /// Column of the group's first lane that was active (at the step limit: that would have executed the instruction),
    /// else of its first lane.
    pub i: u32,
    /// Row of that lane.
    pub j: u32,
}

/// Where a program trapped. Addresses are qword addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrapLocation {
    /// The control-flow instruction.
    pub pc: u32,
    /// The group or fetch instruction of its clause.
    pub slot: Option<u32>,
    /// Both are addresses of the fetch program.
    pub in_fetch_program: bool,
}

impl TrapLocation {
    /// The instruction, as counts and listings go by it.
    pub fn place(&self) -> InstructionPlace {
        let at = Address { program: self.in_fetch_program.into(), pc: self.slot.unwrap_or(self.pc) };
        InstructionPlace { at, in_clause: self.slot.is_some() }
    }
}

impl std::fmt::Display for TrapLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "control-flow address {}", self.pc)?;
        if let Some(slot) = self.slot {
            write!(f, ", clause address {slot}")?;
        }
        if self.in_fetch_program { write!(f, " of the fetch program") } else { Ok(()) }
    }
}

/// What a program did to trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TrapKind {
    /// A reserved opcode, or one that the family does not have.
    #[error("reserved operation")]
    BadOpcode,
    /// Execution went outside the image.
    #[error("program counter outside the code")]
    BadAddress,
    /// A clause that is not in the image, or a fetch clause at an odd address.
    #[error("clause outside the code or not aligned")]
    ClauseOutOfRange,
    /// A pop of the empty stack.
    #[error("stack underflow (pop, ELSE or RETURN without its counterpart)")]
    StackUnderflow,
    /// More open frames than STACK_SIZE has entries for.
    #[error("stack overflow (more than the program's STACK_SIZE)")]
    StackOverflow,
    /// The frame on top of the stack is of another kind than the instruction needs.
    #[error("stack mismatch (the innermost branch, loop or call is not what the instruction ends)")]
    StackMismatch,
    /// A loop end, break or continue outside any loop.
    #[error("loop operation outside any loop")]
    NoLoop,
    /// An instruction of geometry shaders in another stage.
    #[error("instruction that this stage does not have")]
    WrongStage,
    /// An ALU group that cannot be issued.
    #[error("illegal ALU group: {0}")]
    GroupIllegal(GroupError),
    /// A register beyond the program's.
    #[error("register outside of those that the program has")]
    GprOutOfRange,
    /// A constant outside what the clause locked.
    #[error("entry {entry} of constant-cache window {window}, which the clause did not lock")]
    ConstOutOfRange {
        /// The window.
        window: u8,
        /// The entry.
        entry: u8,
    },
    /// More instructions than the step limit.
    #[error("step limit reached (infinite loop?)")]
    StepLimit,
    /// Something that is decoded but not executed.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
}
