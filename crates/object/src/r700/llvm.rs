//! Objects of LLVM's r600 back end (`llc -march=r600 -mcpu=rv770 -filetype=obj`).
//!
//! Source: LLVM's `R600AsmPrinter.cpp`, `R600MCCodeEmitter.cpp`, `AMDGPUELFStreamer`; objects that LLVM 19 wrote.

use super::{Loaded, dwords};
use crate::allowance::{Allowance, Exhausted};
use ctm_r700::{Alu, AluOp, Cf, ClauseKind, Family, Op2, Outline, Program, ProgramInfo, Stage};
use ctm_text::excerpt;
use object::elf::FileHeader32;
use object::read::elf::{ElfFile32, FileHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolKind};
use thiserror::Error;

/// `EM_AMDGPU`.
pub(super) const MACHINE: u16 = 224;
/// The section of code.
pub(super) const TEXT: &str = ".text";
/// The section of register settings.
pub(super) const CONFIG: &str = ".AMDGPU.config";
/// The section of [`OwnInfo`]. LLVM writes none.
pub(super) const OWN_SECTION: &str = ".ctm.info";
/// `e_flags` of the first processor with the encoding of R700, and of the last.
pub(super) const R700_FLAGS: std::ops::RangeInclusive<u32> = 5..=7;
/// The same of R600.
pub(super) const R600_FLAGS: std::ops::RangeInclusive<u32> = 1..=4;
pub(super) const PGM_RESOURCES_PS: u32 = 0x28850;
pub(super) const PGM_RESOURCES_VS: u32 = 0x28868;
pub(super) const DB_SHADER_CONTROL: u32 = 0x2880C;
const LDS_ALLOC: u32 = 0x288E8;
/// `DB_SHADER_CONTROL.KILL_ENABLE`
pub(super) const KILL_ENABLE: u32 = 1 << 6;
/// Most functions of an object: well above what a compiler makes of one source.
const MAX_FUNCTIONS: usize = 1 << 16;
/// What LLVM writes for MOVA_INT, whatever the processor: the opcode of the next family (decision R33).
const EVERGREEN_MOVA_INT: u8 = 0xCC;

/// Whether objects for the processor of these `e_flags` are read.
pub(crate) fn is_loaded(flags: u32) -> bool {
    R600_FLAGS.contains(&flags) || R700_FLAGS.contains(&flags)
}

/// Why a file is not an object with programs for R700 or R600.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LlvmError {
    /// Not a 32-bit little-endian ELF file, or a damaged one.
    #[error("not a usable ELF object: {0}; `llc -march=r600 -mcpu=rv770 -filetype=obj` writes one")]
    Elf(String),
    /// An object of another machine.
    #[error("the object is for ELF machine {0}, not for AMD's GPUs ({MACHINE})")]
    Machine(u16),
    /// An object of another processor.
    #[error("the object is for processor {0}; those of R600 are {start6} to {end6}, of R700 {start7} to {end7}; compile \
             with `-mcpu=rv770`",
        start6 = R600_FLAGS.start(), end6 = R600_FLAGS.end(), start7 = R700_FLAGS.start(), end7 = R700_FLAGS.end())]
    Processor(u32),
    /// A section is missing.
    #[error("the object has no section `{0}`")]
    NoSection(&'static str),
    /// No function.
    #[error("the object has no function")]
    NoFunction,
    /// A function that lies outside its section.
    #[error("function `{name}` (bytes {start} to {end}) lies outside `.text`, which has {size} bytes")]
    Function {
        /// The beginning of its name.
        name: String,
        /// First byte.
        start: u64,
        /// Byte after the last.
        end: u64,
        /// Bytes of the section.
        size: usize,
    },
    /// Sections, functions or names that lie over each other.
    #[error("the sections or functions of the object overlap: together they are longer than what they lie in")]
    Overlap,
    /// More functions than any compiler puts into an object.
    #[error("the object has {0} functions; at most {MAX_FUNCTIONS} are read")]
    TooManyFunctions(usize),
    /// Register settings that fit no function.
    #[error("`.AMDGPU.config` has settings for {records} programs, `.text` has {functions} functions")]
    Records {
        /// Settings that there are.
        records: usize,
        /// Functions that there are.
        functions: usize,
    },
    /// A section of this project that it did not write.
    #[error("`{OWN_SECTION}` does not hold what `ctm asm` writes there")]
    OwnInfo,
    /// A register that no program sets.
    #[error("`.AMDGPU.config` sets register {0:#x}, which is not supported")]
    Register(u32),
}

/// What an object of [`write_object`](super::write_object) says of its program that register settings do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnInfo {
    /// The stage; register settings distinguish pixel programs only.
    stage: Stage,
    /// The stack size of the register settings is the program's own; otherwise none is known.
    has_stack_size: bool,
    /// `ALU_INST_PREFER_VECTOR`
    prefer_vector: bool,
}

impl OwnInfo {
    pub fn of(info: &ProgramInfo) -> Self {
        OwnInfo { stage: info.stage, has_stack_size: info.stack_size.is_some(), prefer_vector: info.prefer_vector }
    }

    pub fn to_dwords(self) -> [u32; 3] {
        [self.stage.code().into(), self.has_stack_size.into(), self.prefer_vector.into()]
    }

    /// None if the dwords are not what [`to_dwords`](Self::to_dwords) gives.
    fn from_dwords(dwords: &[u32]) -> Option<Self> {
        let &[stage, stack, prefer] = dwords else { return None };
        let stage = u8::try_from(stage).ok().and_then(Stage::from_code)?;
        (stack < 2 && prefer < 2).then_some(OwnInfo { stage, has_stack_size: stack == 1, prefer_vector: prefer == 1 })
    }

    fn apply(self, info: &mut ProgramInfo) {
        info.stage = self.stage;
        info.prefer_vector = self.prefer_vector;
        info.stack_size = info.stack_size.filter(|_| self.has_stack_size);
    }
}

/// Reads all functions of an object, in the order of their addresses.
///
/// An object that [`write_object`](super::write_object) wrote gives its program as it was.
///
/// LLVM gives MOVA_INT the opcode of the next family of processors, whatever it compiles for. In programs for R700 such
/// instructions are set right, and counted in [`Loaded::repaired`].
///
/// # Errors
/// See [`LlvmError`].
pub fn read_llvm(bytes: &[u8]) -> Result<Vec<Loaded>, LlvmError> {
    let damaged = |error: object::read::Error| LlvmError::Elf(error.to_string());
    let mut names = Allowance::of_names(bytes);
    check_section_names(bytes, &mut names)?;
    let elf = ElfFile32::<LittleEndian>::parse(bytes).map_err(damaged)?;
    let header = elf.elf_header();
    let machine = header.e_machine(LittleEndian).0;
    if machine != MACHINE {
        return Err(LlvmError::Machine(machine));
    }
    let family = match header.e_flags(LittleEndian).0 {
        flags if R700_FLAGS.contains(&flags) => Family::R700,
        flags if R600_FLAGS.contains(&flags) => Family::R600,
        flags => return Err(LlvmError::Processor(flags)),
    };
    let section = |name| {
        let section = elf.section_by_name(name).ok_or(LlvmError::NoSection(name))?;
        let data = section.data().map_err(damaged)?;
        Ok((section.index(), data))
    };
    let (text_index, text) = section(TEXT)?;
    let (_, config) = section(CONFIG)?;
    let own_info = match section(OWN_SECTION) {
        Ok((_, bytes)) => Some(OwnInfo::from_dwords(&dwords(bytes)).ok_or(LlvmError::OwnInfo)?),
        Err(_) => None,
    };

    let mut functions: Vec<_> = elf
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.section_index() == Some(text_index))
        .map(|symbol| {
            let name = symbol.name().unwrap_or_default();
            names.take(name.len()).map_err(|Exhausted| LlvmError::Overlap)?;
            Ok((symbol.address(), symbol.size(), name.to_owned()))
        })
        .take(MAX_FUNCTIONS + 1)
        .collect::<Result<_, LlvmError>>()?;
    functions.sort();
    match functions.len() {
        0 => return Err(LlvmError::NoFunction),
        1..=MAX_FUNCTIONS => {}
        count => return Err(LlvmError::TooManyFunctions(count)),
    }
    let records = records(config)?;
    if records.len() != functions.len() {
        return Err(LlvmError::Records { records: records.len(), functions: functions.len() });
    }
    let mut contents = Allowance::of_contents(text);
    let program = |((start, size, name), record): ((u64, u64, String), Record)| {
        let end = start.saturating_add(size);
        let range = usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
        let Some(code) = text.get(range) else {
            return Err(LlvmError::Function { name: excerpt(&name), start, end, size: text.len() });
        };
        contents.take(code.len()).map_err(|Exhausted| LlvmError::Overlap)?;
        let mut program = Program::from_dwords(&dwords(code));
        program.info.family = family;
        program.info.stage = record.stage;
        program.info.set_resources(record.resources);
        program.info.kill_enable = record.kill_enable;
        own_info.iter().for_each(|own| own.apply(&mut program.info));
        let repaired = if family == Family::R700 && own_info.is_none() { repair(&mut program) } else { 0 };
        Ok(Loaded { name: Some(name), program, repaired, gfd: None })
    };
    functions.into_iter().zip(records).map(program).collect()
}

/// Refuses a file whose sections have longer names than it can hold: looking for a section looks at all names.
fn check_section_names(bytes: &[u8], names: &mut Allowance) -> Result<(), LlvmError> {
    let damaged = |error: object::read::Error| LlvmError::Elf(error.to_string());
    let header = FileHeader32::<LittleEndian>::parse(bytes).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    let sections = header.sections(endian, bytes).map_err(damaged)?;
    sections.iter().try_for_each(|section| {
        let name = sections.section_name(endian, section).map_err(damaged)?;
        names.take(name.len()).map_err(|Exhausted| LlvmError::Overlap)
    })
}

/// The register settings of one function.
struct Record {
    stage: Stage,
    resources: u32,
    kill_enable: bool,
}

/// Takes `.AMDGPU.config` apart: pairs of a register and its value; the resources begin a record.
fn records(config: &[u8]) -> Result<Vec<Record>, LlvmError> {
    let mut records: Vec<Record> = Vec::new();
    for pair in dwords(config).chunks_exact(2) {
        match (pair[0], records.last_mut()) {
            (PGM_RESOURCES_PS, _) => {
                records.push(Record { stage: Stage::Pixel, resources: pair[1], kill_enable: false })
            }
            (PGM_RESOURCES_VS, _) => {
                records.push(Record { stage: Stage::Vertex, resources: pair[1], kill_enable: false })
            }
            (DB_SHADER_CONTROL, Some(record)) => record.kill_enable = pair[1] & KILL_ENABLE != 0,
            (LDS_ALLOC, Some(_)) => {}
            (register, _) => return Err(LlvmError::Register(register)),
        }
    }
    Ok(records)
}

/// Gives MOVA_INT the opcode of R700, and returns how often.
fn repair(program: &mut Program) -> usize {
    let outline = Outline::of(&program.code, Family::R700);
    let mut repaired = 0;
    for clause in outline.clauses.keys().filter(|clause| clause.kind == ClauseKind::Alu) {
        let range = clause.range(program.code.len()).expect("the outline has clauses inside the image");
        for group in ctm_r700::groups(&program.code[range.clone()], Family::R700) {
            let start = range.start + group.start;
            for (place, slot) in group.slots.iter().enumerate() {
                if slot.op == AluOp::Reserved2(EVERGREEN_MOVA_INT) {
                    let mova = Alu { op: AluOp::Op2(Op2::MovAInt), ..*slot };
                    program.code[start + place] = mova.encode(Family::R700);
                    repaired += 1;
                }
            }
        }
    }
    debug_assert!(outline.cf.iter().zip(&program.code).all(|(cf, words)| *cf == Cf::decode(words)));
    repaired
}
