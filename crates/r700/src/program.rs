//! A program: an image of qwords with what the host sets in registers before it starts.

use crate::cf::Qword;
use crate::codes::Family;
use crate::opcodes::opcodes;
use ctm_bits::field_table;

opcodes! {
    /// What a program is run for.
    pub enum Stage: u8 => &'static str {
        0 Pixel "ps" "pixel shader";
        1 Vertex "vs" "vertex shader";
        2 Geometry "gs" "geometry shader";
        3 Export "es" "vertex shader that feeds a geometry shader";
        4 Fetch "fs" "fetch subroutine";
        5 Copy "dc" "copy shader after a geometry shader";
    }
}

/// Number of registers of a pixel.
pub const GPRS: usize = 128;
/// First of the registers that may serve as clause temporaries; they exist whatever NUM_GPRS says.
const FIRST_TEMPORARY: u8 = 124;
/// The last register below the clause temporaries. Instructions of three operands have no write mask, so compilers send results there
/// that nobody reads (but through PV), and do not count it (Mesa's r600 compiler, `sfn_assembler.cpp`): where it lies outside of a
/// program's registers, writes to it are discarded (decision R34).
pub const SINK: u8 = 123;
/// Most qwords of an ALU clause.
pub const MAX_ALU_CLAUSE: usize = 128;

/// `SQ_PGM_RESOURCES_*`: what a program needs (decaf-emu `latte_registers_sq.h`, Mesa `r600d.h`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a pixel.
    pub num_gprs: u8,
    /// Entries of the stack.
    pub stack_size: u8,
    /// Clamping a NaN gives 0.
    pub dx10_clamp: bool,
}

field_table! { Resources, words 1;
    NUM_GPRS,   0 [7:0],   {num_gprs},   u8,   "registers of a pixel";
    STACK_SIZE, 0 [15:8],  {stack_size}, u8,   "entries of the stack";
    DX10_CLAMP, 0 [21:21], {dx10_clamp}, bool, "clamping a NaN gives 0";
}

/// Program information: what the host would set in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProgramInfo {
    /// The encoding.
    pub family: Family,
    /// What the program is run for.
    pub stage: Stage,
    /// Registers of a pixel; 128 if nothing is known.
    pub num_gprs: u8,
    /// Entries of the stack; none if nothing is known.
    pub stack_size: Option<u8>,
    /// `DX10_CLAMP`: clamping a NaN gives 0.
    pub dx10_clamp: bool,
    /// `ALU_INST_PREFER_VECTOR`, see [`assign_units`](crate::assign_units).
    pub prefer_vector: bool,
    /// `KILL_ENABLE`: the program may kill pixels.
    pub kill_enable: bool,
}

impl Default for ProgramInfo {
    fn default() -> Self {
        ProgramInfo {
            family: Family::R700,
            stage: Stage::Pixel,
            num_gprs: GPRS as u8,
            stack_size: None,
            dx10_clamp: false,
            prefer_vector: true,
            kill_enable: false,
        }
    }
}

impl ProgramInfo {
    /// Takes over what `SQ_PGM_RESOURCES_*` says.
    pub fn set_resources(&mut self, register: u32) {
        let resources = Resources::read(&[register]);
        self.num_gprs = resources.num_gprs;
        self.stack_size = Some(resources.stack_size);
        self.dx10_clamp = resources.dx10_clamp;
    }

    /// The registers below NUM_GPRS: those that relative addressing and bursts reach.
    pub fn counted_gprs(&self) -> u8 {
        self.num_gprs.min(GPRS as u8)
    }

    /// Whether instructions may read this register: it is counted, or a clause temporary.
    pub fn can_read(&self, gpr: u8) -> bool {
        gpr < self.counted_gprs() || (FIRST_TEMPORARY..GPRS as u8).contains(&gpr)
    }

    /// Whether a write to this register has no effect: it is [`SINK`], and the program does not count it.
    pub fn discards(&self, gpr: u8) -> bool {
        gpr == SINK && !self.can_read(gpr)
    }

    /// Whether instructions may write this register, with effect or without.
    pub fn can_write(&self, gpr: u8) -> bool {
        self.can_read(gpr) || self.discards(gpr)
    }

    /// What `SQ_PGM_RESOURCES_*` would hold; a stack of unknown size counts as none.
    pub fn resources(&self) -> u32 {
        let stack_size = self.stack_size.unwrap_or_default();
        let resources = Resources { num_gprs: self.num_gprs, stack_size, dx10_clamp: self.dx10_clamp };
        let mut register = [0];
        resources.write(&mut register);
        register[0]
    }
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Program {
    /// The image. Address 0 is the first control-flow instruction.
    pub code: Vec<Qword>,
    /// Program information.
    pub info: ProgramInfo,
}

impl Program {
    /// A program of these dwords, with default information; a last odd dword gets a zero for company.
    pub fn from_dwords(dwords: &[u32]) -> Self {
        let qword = |pair: &[u32]| [pair[0], pair.get(1).copied().unwrap_or(0)];
        Program { code: dwords.chunks(2).map(qword).collect(), info: ProgramInfo::default() }
    }

    /// The dwords of the image.
    pub fn dwords(&self) -> impl Iterator<Item = u32> {
        self.code.iter().flatten().copied()
    }
}
