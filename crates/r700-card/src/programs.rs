//! The programs that registers name. They lie in objects, and their lengths are nowhere: they are found by their control flow.

use crate::registers::{
    RegisterFile, RegisterType, SqPgmCfOffsetEs, SqPgmCfOffsetFs, SqPgmCfOffsetGs, SqPgmCfOffsetPs, SqPgmCfOffsetVs,
    SqPgmResourcesEs, SqPgmResourcesFs, SqPgmResourcesGs, SqPgmResourcesPs, SqPgmResourcesVs, SqPgmStartEs,
    SqPgmStartFs, SqPgmStartGs, SqPgmStartPs, SqPgmStartVs,
};
use ctm_card::{Object, ObjectBytes};
use ctm_memory::Arena;
use ctm_r700::{Cf, CfOp, Known, Outline, Program, ProgramInfo, Qword, SINK, Stage, Uses};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Qwords of a program at most.
const MAX_QWORDS: u64 = 1 << 16;

/// The registers of a stage's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageRegisters {
    /// The stage.
    pub stage: Stage,
    /// Byte offset of the register that says where the program begins.
    pub start: u32,
    /// Of the one that says what it needs.
    pub resources: u32,
    /// Of the one that says where its control flow begins.
    pub control_flow: u32,
}

/// The stages, and their registers.
pub const STAGES: [StageRegisters; 5] = [
    StageRegisters {
        stage: Stage::Pixel,
        start: SqPgmStartPs::ADDRESS,
        resources: SqPgmResourcesPs::ADDRESS,
        control_flow: SqPgmCfOffsetPs::ADDRESS,
    },
    StageRegisters {
        stage: Stage::Vertex,
        start: SqPgmStartVs::ADDRESS,
        resources: SqPgmResourcesVs::ADDRESS,
        control_flow: SqPgmCfOffsetVs::ADDRESS,
    },
    StageRegisters {
        stage: Stage::Geometry,
        start: SqPgmStartGs::ADDRESS,
        resources: SqPgmResourcesGs::ADDRESS,
        control_flow: SqPgmCfOffsetGs::ADDRESS,
    },
    StageRegisters {
        stage: Stage::Export,
        start: SqPgmStartEs::ADDRESS,
        resources: SqPgmResourcesEs::ADDRESS,
        control_flow: SqPgmCfOffsetEs::ADDRESS,
    },
    StageRegisters {
        stage: Stage::Fetch,
        start: SqPgmStartFs::ADDRESS,
        resources: SqPgmResourcesFs::ADDRESS,
        control_flow: SqPgmCfOffsetFs::ADDRESS,
    },
];

/// The program of a stage, if an object was named for it since the stream began: from where its control flow begins to the end of what that
/// reaches. Addresses in it count from there.
pub fn program(registers: &RegisterFile, stage: &StageRegisters, memory: &Arena) -> Option<Program> {
    let binding = registers.binding_at(stage.start)?;
    let offset = offset(registers, stage, binding.value);
    let mut info = ProgramInfo { stage: stage.stage, ..ProgramInfo::default() };
    info.set_resources(registers.value(stage.resources));
    Some(Program { code: code(memory, binding.object, offset, &info), info })
}

/// The words of a program that begins there.
fn code(memory: &Arena, object: Object, offset: u64, info: &ProgramInfo) -> Vec<Qword> {
    let bytes = ObjectBytes::new(memory, object, 0);
    let qwords = (bytes.size().saturating_sub(offset) / 8).min(MAX_QWORDS);
    // Most are short: not all of what follows in the object is looked at.
    let mut count = qwords.min(64);
    loop {
        let mut code: Vec<Qword> =
            (0..count).map(|n| [0, 4].map(|half| bytes.read_word(offset + 8 * n + half, 4))).collect();
        let Walk { end, complete } = Walk::of(&code, info);
        if complete && end <= count || count == qwords {
            code.truncate(usize::try_from(end).unwrap_or(usize::MAX));
            return code;
        }
        count = qwords.min(count * 4);
    }
}

/// A program that registers named, with what it uses.
#[derive(Debug)]
pub struct StageProgram {
    /// The program. Those that call a fetch program have all registers but [`SINK`], as the driver's fetch programs load more elements than
    /// the programs that call them have registers for.
    pub program: Program,
    /// A number that other programs do not have, most likely.
    pub hash: u64,
    uses: Arc<OnceLock<Uses>>,
}

impl StageProgram {
    fn new(mut program: Program) -> Self {
        match program.info.stage {
            Stage::Vertex | Stage::Export => program.info.num_gprs = program.info.num_gprs.max(SINK),
            Stage::Pixel | Stage::Geometry | Stage::Fetch | Stage::Copy => {}
        }
        let mut hasher = DefaultHasher::new();
        program.code.hash(&mut hasher);
        StageProgram { program, hash: hasher.finish(), uses: Arc::default() }
    }

    /// What it uses.
    pub fn uses(&self) -> &Uses {
        self.uses.get_or_init(|| Uses::of(&self.program))
    }

    /// It, for jobs.
    pub fn known(&self) -> Known<'_> {
        Known::kept(&self.program, &self.uses)
    }
}

/// Where a program is, and what registers say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ProgramPlace {
    stage: Stage,
    object: Object,
    offset: u64,
    resources: u32,
}

/// Programs that were named before.
#[derive(Debug, Default)]
pub struct KeptPrograms {
    programs: HashMap<ProgramPlace, Arc<StageProgram>>,
    words: Vec<u32>,
}

/// Programs that are kept.
const MOST_PROGRAMS: usize = 1024;

impl KeptPrograms {
    /// The program of a stage, as [`program`] finds it; none if it has no words.
    pub fn get(&mut self, registers: &RegisterFile, stage: Stage, memory: &Arena) -> Option<Arc<StageProgram>> {
        let stage_registers = STAGES.iter().find(|registers| registers.stage == stage)?;
        let binding = registers.binding_at(stage_registers.start)?;
        let (offset, resources) =
            (offset(registers, stage_registers, binding.value), registers.value(stage_registers.resources));
        let place = ProgramPlace { stage, object: binding.object, offset, resources };
        if let Some(kept) = self.programs.get(&place) {
            // Where the words are the same ones, so is all that their control flow reaches.
            let code = kept.program.code.as_flattened();
            self.words.resize(code.len(), 0);
            let address = ObjectBytes::new(memory, place.object, 0).address(offset, 4);
            if address.is_some_and(|address| memory.read_words(address, &mut self.words)) && self.words == code {
                return Some(Arc::clone(kept));
            }
        }
        let found = program(registers, stage_registers, memory).filter(|found| !found.code.is_empty())?;
        let found = Arc::new(StageProgram::new(found));
        if self.programs.len() >= MOST_PROGRAMS {
            self.programs.clear();
        }
        self.programs.insert(place, Arc::clone(&found));
        Some(found)
    }
}

/// Where the control flow of a stage's program begins in its object, which begins in this block of 256 bytes.
fn offset(registers: &RegisterFile, stage: &StageRegisters, block: u32) -> u64 {
    (u64::from(block) << 8) + 8 * u64::from(registers.value(stage.control_flow))
}

/// How far a program reaches.
struct Walk {
    /// The qword after the last one that it reaches.
    end: u64,
    /// Whether its control flow came to its end in these words.
    complete: bool,
}

impl Walk {
    fn of(code: &[Qword], info: &ProgramInfo) -> Self {
        let Outline { mut cf, .. } = Outline::of(code, info.family);
        let returns = |cf: &Cf| matches!(cf, Cf::Plain(plain) if plain.op == CfOp::Return);
        // A fetch program is a subroutine.
        let last = cf.iter().position(returns).filter(|_| info.stage == Stage::Fetch);
        let complete = last.is_some() || cf.len() < code.len() || cf.last().is_some_and(Cf::ends_program);
        cf.truncate(last.map_or(cf.len(), |last| last + 1));
        let clauses = cf.iter().filter_map(|cf| cf.clause(info.family));
        let ends = clauses.map(|clause| u64::from(clause.address) + u64::from(clause.length));
        let targets = cf.iter().filter_map(|cf| cf.target()).map(|target| u64::from(target) + 1);
        Walk { end: ends.chain(targets).fold(cf.len() as u64, u64::max), complete }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::after_reset;

    /// Those of Debian's driver for a triangle: fetch, pixel and vertex program.
    const FETCH: [u32; 12] = [
        0x0000_0002,
        0x8100_0400,
        0x0000_0000,
        0x8A00_0000,
        0x7C00_A000,
        0x08CD_1001,
        0x0008_0000,
        0,
        0x7C00_A100,
        0x08CD_1002,
        0x0008_0000,
        0,
    ];
    const PIXEL: [u32; 4] = [0xC000_0000, 0x9420_0688, 0, 0];

    fn found(stage: Stage, words: &[u32], size: u32) -> usize {
        let memory = Arena::new(0x1000, 0x4000).unwrap();
        let object = Object { address: 0x1000, size };
        assert!(memory.write_words(0x1200, words));
        let stage = STAGES.into_iter().find(|registers| registers.stage == stage).unwrap();
        let mut registers = after_reset();
        assert!(program(&registers, &stage, &memory).is_none());
        registers.bind(stage.start, 1, object);
        registers.write(stage.control_flow, 0x20);
        registers.write(stage.resources, 0x0020_0103);
        let program = program(&registers, &stage, &memory).unwrap();
        assert_eq!((program.info.num_gprs, program.info.dx10_clamp), (3, true));
        assert!(program.dwords().zip(words).all(|(found, &word)| found == word));
        program.code.len()
    }

    #[test]
    fn programs_end_where_their_control_flow_and_clauses_do() {
        assert_eq!(found(Stage::Fetch, &FETCH, 0x3000), 6);
        assert_eq!(found(Stage::Pixel, &PIXEL, 0x3000), 1);
        // An ALU clause much later, and one outside of the object.
        let mut far = [0; 0x400];
        [far[0], far[1]] = [0x0000_0100, 0xA000_0000];
        [far[2], far[3]] = [0xC000_0000, 0x9420_0688];
        assert_eq!(found(Stage::Pixel, &far, 0x3000), 0x101);
        assert_eq!(found(Stage::Pixel, &far, 0x208), 1, "what is outside of the object is not there");
        assert_eq!(found(Stage::Pixel, &far, 0x100), 0);
    }

    /// What is kept is the program that is there now, whoever wrote it.
    #[test]
    fn programs_are_found_again_until_their_words_change() {
        let memory = Arena::new(0x1000, 0x4000).unwrap();
        let object = Object { address: 0x1000, size: 0x3000 };
        let mut far = [0; 8];
        [far[0], far[1]] = [2, 0xA000_0000];
        [far[2], far[3]] = [0xC000_0000, 0x9420_0688];
        assert!(memory.write_words(0x1200, &far));
        let stage = STAGES.into_iter().find(|registers| registers.stage == Stage::Pixel).unwrap();
        let mut registers = after_reset();
        registers.bind(stage.start, 1, object);
        registers.write(stage.control_flow, 0x20);
        let mut kept = KeptPrograms::default();
        let mut get = |registers: &RegisterFile| kept.get(registers, Stage::Pixel, &memory).unwrap();
        let first = get(&registers);
        assert_eq!(first.program.code.len(), 3);
        assert!(Arc::ptr_eq(&first, &get(&registers)));
        memory.write_words(0x1210, &[7]);
        let second = get(&registers);
        assert_eq!((second.program.code[2], second.hash == first.hash), ([7, 0], false), "a word of its clause");
        registers.write(stage.resources, 3);
        assert_eq!(get(&registers).program.info.num_gprs, 3);
        registers.write(stage.control_flow, 0x21);
        assert_eq!(get(&registers).program.code, [[0xC000_0000, 0x9420_0688]]);
        memory.write_words(0x1208, &[0, 0]);
        assert!(get(&registers).program.code.len() > 1, "it goes on");
    }

    /// A subroutine without clauses ends where it returns.
    #[test]
    fn fetch_programs_end_where_they_return() {
        assert_eq!(found(Stage::Fetch, &[0, 0x8A00_0000, 0xA000_C03C, 0x9400_0688], 0x3000), 1);
    }
}
