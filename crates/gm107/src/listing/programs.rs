//! Programs that streams choose, as text.

use crate::methods::*;
use crate::state::Methods;
use ctm_memory::Arena;
use ctm_sm50::extract::extract;
use ctm_sm50::{Header, Program, text};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that are uploaded in a submission and kept, at most.
const MOST_BYTES: usize = 1 << 24;
/// Names of the stages, by their numbers.
const STAGES: [&str; 6] = ["", "VS", "TCS", "TES", "GS", "FS"];

/// What streams have said of programs up to a place.
pub struct Programs<'a> {
    memory: &'a Arena,
    /// Methods of the classes that have programs and uploads.
    three_d: Methods,
    compute: Methods,
    upload: Methods,
    /// What was uploaded, by address.
    uploaded: BTreeMap<u64, u32>,
    /// Where the next word that is uploaded goes.
    next: Option<u64>,
    /// Stages whose programs were chosen and are not listed.
    chosen: BTreeSet<u32>,
}

impl<'a> Programs<'a> {
    /// Nothing was said yet.
    pub fn new(memory: &'a Arena) -> Self {
        Programs {
            memory,
            three_d: Methods::default(),
            compute: Methods::default(),
            upload: Methods::default(),
            uploaded: BTreeMap::new(),
            next: None,
            chosen: BTreeSet::new(),
        }
    }

    /// Takes a word that is written to a method; gives the lines of programs that are run there and were not listed.
    pub fn write(&mut self, class: Class, method: u32, word: u32) -> Vec<String> {
        let methods = match class {
            Class::ThreeD => &mut self.three_d,
            Class::Compute => &mut self.compute,
            Class::Upload => &mut self.upload,
            Class::TwoD | Class::Copy | Class::Software => return Vec::new(),
        };
        methods.write(method, word);
        match (class, method) {
            (_, UploadExec::ADDRESS) => self.next = Some(methods.address_at::<UploadDstAddressHigh>(0)),
            (_, UploadData::ADDRESS) => self.upload(word),
            (Class::ThreeD, VertexEndGl::ADDRESS) => return self.of_draw(),
            (Class::ThreeD, _) => {
                let stage =
                    (0..SpStartId::COUNT).find(|&stage| SpStartId::ADDRESS + stage * SpStartId::STRIDE == method);
                self.chosen.extend(stage);
            }
            (..) => {}
        }
        Vec::new()
    }

    fn upload(&mut self, word: u32) {
        let Some(address) = self.next else { return };
        if self.uploaded.len() < MOST_BYTES / 4 {
            self.uploaded.insert(address, word);
        }
        self.next = Some(address.wrapping_add(4));
    }

    fn of_draw(&mut self) -> Vec<String> {
        let base = self.three_d.address_at::<CodeAddressHigh>(0);
        let stages = std::mem::take(&mut self.chosen);
        let listed = stages.into_iter().flat_map(|stage| {
            let start = self.three_d.at::<SpStartId>(stage).offset;
            let lines = self.program(base, start);
            let name = STAGES.get(stage as usize).copied().unwrap_or_default();
            lines.into_iter().map(move |line| format!("{name} {line}"))
        });
        listed.collect()
    }

    /// The lines of a program; none if there is no program.
    fn program(&self, base: u64, start: u32) -> Vec<String> {
        let word = |at: u32| self.word(base.wrapping_add(at.into()));
        let header: Option<Vec<u32>> = (0..Header::DWORDS as u32).map(|n| word(start.checked_add(4 * n)?)).collect();
        let Some(header) = header.and_then(|words| words.try_into().ok()).filter(|words| *words != [0; Header::DWORDS])
        else {
            return Vec::new();
        };
        let read = |at: u32| Some(u64::from(word(at)?) | u64::from(word(at.checked_add(4)?)?) << 32);
        let Some(code) = start.checked_add(Header::BYTES as u32) else { return Vec::new() };
        match extract(code, read) {
            Ok(found) => {
                let program =
                    Program { header: Some(Header::decode(&header)), code: found.code, constants: Vec::new() };
                text::print_program_with(&program, &OPTIONS).lines().map(str::to_owned).collect()
            }
            Err(error) => vec![format!("program at {start:#x}: {error}")],
        }
    }

    fn word(&self, address: u64) -> Option<u32> {
        let uploaded = self.uploaded.get(&address).copied();
        uploaded.or_else(|| self.memory.read_u32(u32::try_from(address).ok()?))
    }
}

/// Programs are shown without the bits that time them.
const OPTIONS: text::PrintOptions = text::PrintOptions { addresses: true, words: false, controls: false };
