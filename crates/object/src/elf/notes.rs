//! Notes: finding them in the segments, and taking their contents apart.

use super::error::ElfError;
use super::layout::{CTM_NOTE_NAME, CtmNote, INFO_DWORDS, INFO_FIRST, InfoWords, NOTE_NAME, NoteType};
use ctm_x1k::sampler::TextureKind;
use ctm_x1k::{
    BOOL_CONSTANTS, ConstantValues, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, INTERPOLANTS, IntConstant, OUTPUTS,
    ProgramInfo, References, TEMPS, TEXTURE_KINDS,
};
use object::LittleEndian;
use object::elf::NoteHeader32;
use object::pod::from_bytes;
use std::collections::BTreeSet;

/// The content of a note: whole dwords, and where they are in the image.
struct Content {
    note: &'static str,
    offset: u64,
    dwords: Vec<u32>,
}

/// What the notes of an image say.
#[derive(Default)]
pub struct Notes {
    info: Option<Content>,
    cond_out: Option<Content>,
    early_exit: Option<Content>,
    lists: [Option<Content>; 4],
    own: [Option<Content>; CtmNote::ALL.len()],
}

/// Rounds up to whole dwords: names and contents of notes are padded to that.
fn padded(size: u32) -> u64 {
    u64::from(size).next_multiple_of(4)
}

impl Notes {
    /// Takes the notes of the segment `bytes[start..end]`; the range lies inside the image.
    pub fn add_segment(&mut self, bytes: &[u8], start: usize, end: usize) -> Result<(), ElfError> {
        let mut offset = start;
        while offset < end {
            let take = |what, from: u64, size: u64| {
                let to = from + size;
                if to > end as u64 {
                    return Err(ElfError::Truncated { what, offset: from, end: to, length: end as u64 });
                }
                Ok((&bytes[from as usize..to as usize], to))
            };
            let (header, name_at) = take("a note header", offset as u64, 12)?;
            let header = from_bytes::<NoteHeader32<LittleEndian>>(header).expect("12 unaligned bytes").0;
            let name_size = header.n_namesz.get(LittleEndian);
            let size = header.n_descsz.get(LittleEndian);
            let (name, content_at) = take("a note's name", name_at, padded(name_size))?;
            // The padding of the last note's content may be missing.
            let (content, content_end) = take("a note's content", content_at, size.into())?;
            let next = content_at + padded(size);

            let kind = header.n_type.get(LittleEndian).0;
            let name = &name[..name_size as usize];
            if let Some((slot, note)) = self.slot(name, kind) {
                if slot.is_some() {
                    return Err(ElfError::RepeatedNote { offset: offset as u64, note });
                }
                if !size.is_multiple_of(4) {
                    let rule = "a multiple of 4";
                    return Err(ElfError::NoteSize { offset: offset as u64, note, size, rule });
                }
                let dwords = content.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
                *slot = Some(Content { note, offset: content_at, dwords });
            }
            offset = next.max(content_end) as usize;
        }
        Ok(())
    }

    /// Where a note is kept, and its name in messages. None for notes that are skipped.
    fn slot(&mut self, name: &[u8], kind: u32) -> Option<(&mut Option<Content>, &'static str)> {
        if name == NOTE_NAME {
            let note = NoteType::ALL.into_iter().find(|note| *note as u32 == kind)?;
            let slot = match note {
                NoteType::ProgramInfo => &mut self.info,
                NoteType::Inputs => &mut self.lists[0],
                NoteType::Outputs => &mut self.lists[1],
                NoteType::FloatConstants => &mut self.lists[2],
                NoteType::IntConstants => &mut self.lists[3],
                NoteType::CondOut => &mut self.cond_out,
                NoteType::EarlyExit => &mut self.early_exit,
            };
            Some((slot, note.name()))
        } else if name == CTM_NOTE_NAME {
            let note = CtmNote::ALL.into_iter().find(|note| *note as u32 == kind)?;
            Some((&mut self.own[note as usize - 1], note.name()))
        } else {
            None
        }
    }

    /// The program information, for a program of `instructions` instructions.
    pub fn info(&self, instructions: usize) -> Result<ProgramInfo, ElfError> {
        let content = self.info.as_ref().ok_or(ElfError::NoProgramInfo)?;
        let [first, depth_source, ..] = content.dwords[..] else {
            return Err(content.size("at least 8"));
        };
        if first != INFO_FIRST {
            return Err(content.value(0, "the first word", "1"));
        }
        let mut info = match <&[u32; INFO_DWORDS]>::try_from(&content.dwords[..]) {
            Ok(words) => InfoWords::read(words)
                .info()
                .map_err(|_| content.value(10, "POS_REG", "a temporary, 0 to 127, or 255 for none"))?,
            // Another tool's layout: only the first two words are known.
            Err(_) => ProgramInfo {
                end: (instructions - 1) as u16,
                cond_value_from_program: depth_source & 1 == 1,
                ..ProgramInfo::default()
            },
        };
        // A program that says that it writes the value is believed, whatever the depth source says.
        info.cond_value_from_program |= flag(&self.cond_out)?;
        info.early_exit = flag(&self.early_exit)?;
        info.interpolants = self.interpolants()?;
        info.textures = self.textures()?;
        Ok(info)
    }

    /// The temporaries of interpolated inputs.
    fn interpolants(&self) -> Result<[Option<u8>; INTERPOLANTS], ElfError> {
        let [_, _, _, interpolants, _] = &self.own;
        let mut registers = [None; INTERPOLANTS];
        for (content, at, [slot, register]) in records::<2>(interpolants, "a multiple of 8")? {
            let slot = content.index(at, slot, INTERPOLANTS)?;
            let register = content.index(at + 1, register, TEMPS)?;
            if registers[usize::from(slot)].replace(register).is_some() {
                return Err(content.value(at, "an interpolated input", "named once"));
            }
        }
        Ok(registers)
    }

    /// What inputs have to be sampled as.
    fn textures(&self) -> Result<[Option<TextureKind>; INPUTS], ElfError> {
        let [.., textures] = &self.own;
        let mut kinds = [None; INPUTS];
        for (content, at, [input, code]) in records::<2>(textures, "a multiple of 8")? {
            let input = content.index(at, input, INPUTS)?;
            let code = content.index(at + 1, code, TEXTURE_KINDS.len())?;
            if kinds[usize::from(input)].replace(TEXTURE_KINDS[usize::from(code)].1).is_some() {
                return Err(content.value(at, "an input", "named once"));
            }
        }
        Ok(kinds)
    }

    /// What the notes list. There is no note of boolean constants.
    pub fn references(&self) -> Result<References, ElfError> {
        let [inputs, outputs, floats, ints] = &self.lists;
        Ok(References {
            inputs: indices(inputs, INPUTS)?,
            outputs: indices(outputs, OUTPUTS)?,
            float_constants: indices(floats, FLOAT_CONSTANTS)?,
            int_constants: indices(ints, INT_CONSTANTS)?,
            bool_constants: BTreeSet::new(),
            cond_output: flag(&self.cond_out)?,
        })
    }

    /// The constants that travel with the program.
    pub fn constants(&self) -> Result<ConstantValues, ElfError> {
        let mut constants = ConstantValues::default();
        let [floats, ints, bools, _, _] = &self.own;
        for (content, at, [index, values @ ..]) in records::<5>(floats, "a multiple of 20")? {
            constants.floats.insert(content.index(at, index, FLOAT_CONSTANTS)?, values);
        }
        for (content, at, [index, dword]) in records::<2>(ints, "a multiple of 8")? {
            let value = IntConstant::from_dword(dword);
            if value.to_dword() != dword {
                return Err(content.value(at + 1, "a constant", "count, aL start and step in the low three bytes"));
            }
            constants.ints.insert(content.index(at, index, INT_CONSTANTS)?, value);
        }
        for (content, at, [index, value]) in records::<2>(bools, "a multiple of 8")? {
            if value > 1 {
                return Err(content.value(at + 1, "a constant", "0 or 1"));
            }
            constants.bools.insert(content.index(at, index, BOOL_CONSTANTS)?, value == 1);
        }
        Ok(constants)
    }
}

impl Content {
    fn at(&self, dword: usize) -> u64 {
        self.offset + 4 * dword as u64
    }

    fn size(&self, rule: &'static str) -> ElfError {
        ElfError::NoteSize { offset: self.offset, note: self.note, size: 4 * self.dwords.len() as u32, rule }
    }

    fn value(&self, dword: usize, field: &'static str, rule: &'static str) -> ElfError {
        ElfError::NoteValue { offset: self.at(dword), note: self.note, field, found: self.dwords[dword], rule }
    }

    fn index(&self, dword: usize, index: u32, limit: usize) -> Result<u8, ElfError> {
        match u8::try_from(index) {
            Ok(number) if usize::from(number) < limit => Ok(number),
            _ => Err(ElfError::NoteIndex { offset: self.at(dword), note: self.note, index, limit }),
        }
    }
}

/// A note of one dword that says yes or no; an absent one says no.
fn flag(content: &Option<Content>) -> Result<bool, ElfError> {
    match content {
        None => Ok(false),
        Some(content) => match content.dwords[..] {
            [value @ (0 | 1)] => Ok(value == 1),
            [_] => Err(content.value(0, "the flag", "0 or 1")),
            _ => Err(content.size("4")),
        },
    }
}

/// A note that lists numbers; an absent one lists none.
fn indices(content: &Option<Content>, limit: usize) -> Result<BTreeSet<u8>, ElfError> {
    let listed = content.iter().flat_map(|content| content.dwords.iter().enumerate().map(move |item| (content, item)));
    listed.map(|(content, (at, index))| content.index(at, *index, limit)).collect()
}

/// Records of `N` dwords: the note, the number of the first dword, the dwords.
type Records<'a, const N: usize> = Vec<(&'a Content, usize, [u32; N])>;

/// The records of `N` dwords of a note, each with the number of its first dword.
fn records<'a, const N: usize>(content: &'a Option<Content>, rule: &'static str) -> Result<Records<'a, N>, ElfError> {
    let Some(content) = content else { return Ok(Vec::new()) };
    let (records, rest) = content.dwords.as_chunks::<N>();
    if !rest.is_empty() {
        return Err(content.size(rule));
    }
    Ok(records.iter().enumerate().map(|(number, record)| (content, number * N, *record)).collect())
}
