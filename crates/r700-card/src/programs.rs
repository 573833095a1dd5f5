//! The programs that registers name. They lie in objects, and their lengths are nowhere: they are found by their control flow.

use crate::registers::{
    RegisterFile, RegisterType, SqPgmCfOffsetEs, SqPgmCfOffsetFs, SqPgmCfOffsetGs, SqPgmCfOffsetPs, SqPgmCfOffsetVs,
    SqPgmResourcesEs, SqPgmResourcesFs, SqPgmResourcesGs, SqPgmResourcesPs, SqPgmResourcesVs, SqPgmStartEs,
    SqPgmStartFs, SqPgmStartGs, SqPgmStartPs, SqPgmStartVs,
};
use ctm_card::{Object, ObjectBytes};
use ctm_memory::Arena;
use ctm_r700::{Cf, CfOp, Outline, Program, ProgramInfo, Qword, Stage};

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
    let offset = (u64::from(binding.value) << 8) + 8 * u64::from(registers.value(stage.control_flow));
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

/// How far a program reaches.
struct Walk {
    /// The qword behind the last one that it reaches.
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
        // An ALU clause far behind, and one outside of the object.
        let mut far = [0; 0x400];
        [far[0], far[1]] = [0x0000_0100, 0xA000_0000];
        [far[2], far[3]] = [0xC000_0000, 0x9420_0688];
        assert_eq!(found(Stage::Pixel, &far, 0x3000), 0x101);
        assert_eq!(found(Stage::Pixel, &far, 0x208), 1, "what is outside of the object is not there");
        assert_eq!(found(Stage::Pixel, &far, 0x100), 0);
    }

    /// A subroutine without clauses ends where it returns.
    #[test]
    fn fetch_programs_end_where_they_return() {
        assert_eq!(found(Stage::Fetch, &[0, 0x8A00_0000, 0xA000_C03C, 0x9400_0688], 0x3000), 1);
    }
}
