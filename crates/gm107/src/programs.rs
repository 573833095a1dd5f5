//! The programs of the stages: headers and code in memory, read again only when they change (decision D320).

use crate::methods::{CodeAddressHigh, SpSelect, SpStartId};
use crate::objects::Objects;
use crate::state::Methods;
use ctm_card::register::RegisterType;
use ctm_sm50::attributes::GENERIC;
use ctm_sm50::codes::IpaPlace;
use ctm_sm50::constant_use::ConstantUse;
use ctm_sm50::extract::{ExtractError, extract};
use ctm_sm50::launch::{LineInput, Shader};
use ctm_sm50::lift::line_inputs;
use ctm_sm50::pipeline::inputs::InputList;
use ctm_sm50::textures::{COMPUTE_HANDLE_BANK, HANDLE_BANK};
use ctm_sm50::{Header, Instruction, Op, Program, Stage, key};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};
use thiserror::Error;

/// Programs that are kept.
const MOST_KEPT: usize = 1 << 10;
/// Words of a header.
const HEADER_WORDS: usize = Header::DWORDS;

/// The stages that have programs, in the order of their methods from number 1 on.
const STAGES: [Stage; 5] = [Stage::Vertex, Stage::TessellationInit, Stage::Tessellation, Stage::Geometry, Stage::Pixel];

/// A program of a stage.
#[derive(Debug, PartialEq, Eq)]
pub struct StageProgram {
    /// Header and code.
    pub program: Program,
    /// The constants that it reads.
    pub constants: ConstantUse,
    /// It reads inputs at centroids.
    pub reads_centroids: bool,
    /// It kills fragments.
    pub kills: bool,
    /// What it reads of primitives, if it can run over lines: without and with a flat shade model.
    pub lines: [Option<Arc<[LineInput]>>; 2],
    /// The inputs of a fragment program.
    pub inputs: InputList,
    /// The attributes that a vertex program reads: bit n for attribute n.
    pub attributes: u32,
    /// Addresses of what it was read from, counted from where all programs lie, and the words there.
    text: Vec<(Range<u32>, Vec<u32>)>,
}

/// Why a stage has no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// There is no memory.
    #[error("the {} program at {at:#x} lies outside of the memory", stage.name())]
    Outside {
        /// The stage.
        stage: Stage,
        /// Where it is to be, counted from where all programs lie.
        at: u32,
    },
    /// The header is for another stage.
    #[error("the {} program at {at:#x} has the header of a {} program", stage.name(), found.name())]
    Stage {
        /// The stage.
        stage: Stage,
        /// Where it is.
        at: u32,
        /// What its header says.
        found: Stage,
    },
    /// The code cannot be read.
    #[error("the {} program at {at:#x} cannot be read: {cause}", stage.name())]
    Code {
        /// The stage.
        stage: Stage,
        /// Where it is.
        at: u32,
        /// What is wrong.
        cause: ExtractError,
    },
}

/// The programs that draws have had, by address. They are used again as long as memory holds the same.
#[derive(Debug, Default)]
pub struct ProgramCache {
    kept: Mutex<KeptPrograms>,
}

#[derive(Debug, Default)]
struct KeptPrograms {
    programs: HashMap<(u64, u32), KeptProgram>,
    /// The addresses that they lie in, and others.
    around: Option<Range<u64>>,
}

#[derive(Debug)]
struct KeptProgram {
    program: Arc<StageProgram>,
    /// Memory may have changed since it was looked at.
    is_doubtful: bool,
}

impl KeptPrograms {
    /// A program, if it is what is wanted and memory holds it still.
    fn get(&mut self, text: Text, at: u32, is_wanted: impl Fn(&StageProgram) -> bool) -> Option<Arc<StageProgram>> {
        let known = self.programs.get_mut(&(text.base, at)).filter(|known| is_wanted(&known.program))?;
        let is_there = if known.is_doubtful { known.program.is_in(text) } else { known.program.is_reached(text) };
        known.is_doubtful &= !is_there;
        is_there.then(|| Arc::clone(&known.program))
    }

    fn add(&mut self, text: Text, at: u32, program: &Arc<StageProgram>) {
        if self.programs.len() >= MOST_KEPT {
            self.programs.clear();
            self.around = None;
        }
        for range in program.addresses(text.base) {
            let around = self.around.get_or_insert_with(|| range.clone());
            *around = around.start.min(range.start)..around.end.max(range.end);
        }
        self.programs.insert((text.base, at), KeptProgram { program: Arc::clone(program), is_doubtful: false });
    }
}

/// Where programs lie in memory.
#[derive(Clone, Copy)]
struct Text<'a> {
    objects: &'a Objects,
    base: u64,
}

impl StageProgram {
    /// How launches see it.
    pub fn shader(&self) -> Shader<'_> {
        Shader::from(&self.program)
    }

    /// Its header.
    pub fn header(&self) -> Header {
        self.program.header.unwrap_or_default()
    }
}

impl ProgramCache {
    /// The program of a stage; `None` if the stage has none. The vertex program cannot be switched off.
    ///
    /// # Errors
    /// What is there is no program of the stage.
    pub fn program(
        &self,
        methods: &Methods,
        objects: &Objects,
        stage: Stage,
    ) -> Result<Option<Arc<StageProgram>>, ProgramError> {
        let Some(place) = STAGES.iter().position(|&known| known == stage) else { return Ok(None) };
        let number = place as u32 + 1;
        if stage != Stage::Vertex && !methods.at::<SpSelect>(number).enable {
            return Ok(None);
        }
        let at = methods.at::<SpStartId>(number).offset;
        let text = Text { objects, base: methods.address(CodeAddressHigh::ADDRESS) };
        let mut kept = self.lock();
        if let Some(known) = kept.get(text, at, |known| known.is(stage)) {
            return Ok(Some(known));
        }
        let program = Arc::new(text.program(stage, at)?);
        kept.add(text, at, &program);
        Ok(Some(program))
    }

    /// The program of a launch, which has no header: so far behind where programs lie.
    ///
    /// # Errors
    /// What is there is no program.
    pub fn launched(&self, base: u64, at: u32, objects: &Objects) -> Result<Arc<StageProgram>, ProgramError> {
        let text = Text { objects, base };
        let mut kept = self.lock();
        if let Some(known) = kept.get(text, at, |known| known.program.header.is_none()) {
            return Ok(known);
        }
        let program = Arc::new(text.code(Stage::None, at)?);
        kept.add(text, at, &program);
        Ok(program)
    }

    /// These addresses may have been written to.
    pub fn written(&self, addresses: &Range<u64>) {
        let meets = |range: &Range<u64>| range.start < addresses.end && addresses.start < range.end;
        let mut kept = self.lock();
        if kept.around.as_ref().is_some_and(meets) {
            for (&(base, _), known) in &mut kept.programs {
                known.is_doubtful |= known.program.addresses(base).any(|range| meets(&range));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, KeptPrograms> {
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl StageProgram {
    fn is(&self, stage: Stage) -> bool {
        self.header().stage == stage
    }

    /// The addresses of what it was made of.
    fn addresses(&self, base: u64) -> impl Iterator<Item = Range<u64>> + '_ {
        let address = move |at: u32| base.wrapping_add(at.into());
        self.text.iter().map(move |(place, _)| address(place.start)..address(place.end))
    }

    /// Whether the submission may reach what it was made of.
    fn is_reached(&self, text: Text) -> bool {
        let is_inside =
            |range: Range<u64>| text.objects.range(range.start).is_some_and(|object| range.end <= object.end);
        self.addresses(text.base).all(is_inside)
    }

    /// Whether memory holds what it was made of.
    fn is_in(&self, text: Text) -> bool {
        self.text.iter().all(|(place, words)| text.has(place.start, words))
    }
}

/// The attributes of vertices that a program reads: bit n for attribute n.
fn attributes_read(header: &Header) -> u32 {
    let generic = header.imap.iter().filter(|address| (GENERIC..GENERIC + 16 * 32).contains(address));
    generic.fold(0, |read, address| read | 1 << ((address - GENERIC) / 16))
}

impl Text<'_> {
    /// Reads words; whether they are in the memory.
    fn read(&self, at: u32, words: &mut [u32]) -> bool {
        let address = self.base.wrapping_add(at.into());
        let end = address.checked_add(4 * words.len() as u64);
        let is_inside = self.objects.range(address).is_some_and(|range| end.is_some_and(|end| end <= range.end));
        is_inside && self.objects.memory().read_words(address as u32, words)
    }

    /// Whether these words are there.
    fn has(&self, at: u32, words: &[u32]) -> bool {
        let mut found = [0; 64];
        (at..).step_by(4 * found.len()).zip(words.chunks(found.len())).all(|(at, words)| {
            let found = &mut found[..words.len()];
            self.read(at, found) && found == words
        })
    }

    fn program(self, stage: Stage, at: u32) -> Result<StageProgram, ProgramError> {
        let outside = ProgramError::Outside { stage, at };
        let mut header = [0; HEADER_WORDS];
        if !self.read(at, &mut header) {
            return Err(outside);
        }
        let start = at.checked_add(Header::BYTES as u32).ok_or(outside)?;
        let mut text = vec![(at..start, header.to_vec())];
        let header = Header::decode(&header);
        if header.stage != stage {
            return Err(ProgramError::Stage { stage, at, found: header.stage });
        }
        let mut program = self.code(stage, start)?;
        program.program.header = Some(header);
        if stage == Stage::Pixel && !header.does_global_store {
            program.lines = [false, true].map(|is_flat| Some(line_inputs(&program.shader(), is_flat)?.into()));
        }
        if stage == Stage::Pixel {
            program.inputs = InputList::of(&program.shader());
        }
        program.attributes = attributes_read(&header);
        text.append(&mut program.text);
        Ok(StageProgram { text, ..program })
    }

    /// The code from a place on, without a header.
    fn code(self, stage: Stage, start: u32) -> Result<StageProgram, ProgramError> {
        let word = |at: u32| {
            let mut pair = [0; 2];
            self.read(at, &mut pair).then(|| u64::from(pair[0]) | u64::from(pair[1]) << 32)
        };
        let extracted = extract(start, word).map_err(|cause| ProgramError::Code { stage, at: start, cause })?;
        let words = |place: Range<u32>| {
            let mut words = vec![0; place.len() / 4];
            self.read(place.start, &mut words);
            (place, words)
        };
        let text = extracted.places.into_iter().map(words).collect();
        let bank = if stage == Stage::None { COMPUTE_HANDLE_BANK } else { HANDLE_BANK };
        let constants = ConstantUse::of(&extracted.code, bank);
        let program = Program { header: None, code: extracted.code, constants: Vec::new() };
        let reads_centroid = |instruction: &Instruction| {
            instruction.op() == Op::Ipa && instruction.get(key::IPA_PLACE) == IpaPlace::Centroid
        };
        let instructions = program.code.instructions();
        let reads_centroids = instructions.iter().any(reads_centroid);
        let kills = instructions.iter().any(|instruction| instruction.op() == Op::Kil);
        Ok(StageProgram {
            program,
            constants,
            reads_centroids,
            kills,
            lines: [None, None],
            inputs: InputList::default(),
            attributes: 0,
            text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::CodeAddressLow;
    use ctm_card::Object;
    use ctm_memory::Arena;
    use ctm_sm50::text;

    const BASE: u32 = 0x1_0000;

    fn methods(start: u32) -> Methods {
        let mut methods = Methods::default();
        methods.write(CodeAddressLow::ADDRESS, BASE);
        methods.write(SpStartId::ADDRESS + SpStartId::STRIDE, start);
        methods.write(SpStartId::ADDRESS + 4 * SpStartId::STRIDE, start);
        methods
    }

    /// Puts a program at an offset, its code behind its header.
    fn put(memory: &Arena, at: u32, code: &str) {
        let program = text::parse(code).unwrap_or_else(|errors| panic!("{errors:?}")).program;
        let header = program.header.unwrap().encode();
        memory.write_words(BASE + at, &header);
        memory.write_bytes(BASE + at + Header::BYTES as u32, &program.code.to_bytes());
    }

    fn names(program: &StageProgram) -> Vec<&'static str> {
        program.program.code.instructions().iter().map(|instruction| instruction.row().name).collect()
    }

    #[test]
    fn programs_are_read_again_when_they_change() {
        let memory = Arc::new(Arena::new(BASE, 0x1000).unwrap());
        let objects = Objects::new(&memory, &[Object { address: BASE, size: 0x800 }]);
        let (cache, methods) = (ProgramCache::default(), methods(0x30));
        put(&memory, 0x30, ".stage vertex\n MOV R0, c[0x0][0x8]; EXIT;");
        let get = || cache.program(&methods, &objects, Stage::Vertex).unwrap().unwrap();
        let first = get();
        assert_eq!(names(&first), ["MOV", "EXIT", "NOP"]);
        assert!(Arc::ptr_eq(&first, &get()));
        // Behind its end.
        memory.write_u32(BASE + 0xA0, 7);
        assert!(Arc::ptr_eq(&first, &get()));
        put(&memory, 0x30, ".stage vertex\n FADD R0, R0, R0; EXIT;");
        let base = u64::from(BASE);
        cache.written(&(base + 0x400..base + 0x800));
        assert!(Arc::ptr_eq(&first, &get()), "nobody has said that it changes");
        cache.written(&(base + 0x84..base + 0x88));
        assert_eq!(names(&get()), ["FADD", "EXIT", "NOP"]);
        // Without its memory there is no program.
        assert!(cache.program(&methods, &Objects::new(&memory, &[]), Stage::Vertex).is_err());
    }

    #[test]
    fn stages_may_have_no_program() {
        let memory = Arc::new(Arena::new(BASE, 0x1000).unwrap());
        let objects = Objects::new(&memory, &[Object { address: BASE, size: 0x800 }]);
        let (cache, mut methods) = (ProgramCache::default(), methods(0x30));
        put(&memory, 0x30, ".stage vertex\n EXIT;");
        let mut get = |start: Option<u32>, stage: Stage| {
            if let Some(start) = start {
                methods.write(SpStartId::ADDRESS + 4 * SpStartId::STRIDE, start);
                methods.write(SpSelect::ADDRESS + 4 * SpSelect::STRIDE, 1);
            }
            cache.program(&methods, &objects, stage)
        };
        assert!(get(None, Stage::Vertex).unwrap().is_some(), "whatever is selected");
        assert_eq!(get(None, Stage::Geometry), Ok(None));
        let other = ProgramError::Stage { stage: Stage::Geometry, at: 0x30, found: Stage::Vertex };
        assert_eq!(get(Some(0x30), Stage::Geometry), Err(other));
        let outside = |at| Err(ProgramError::Outside { stage: Stage::Geometry, at });
        assert_eq!(
            (get(Some(0x7F0), Stage::Geometry), get(Some(u32::MAX - 3), Stage::Geometry)),
            (outside(0x7F0), outside(u32::MAX - 3))
        );
    }
}
