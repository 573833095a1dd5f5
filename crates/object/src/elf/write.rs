//! Program to image.

use super::layout::{
    ABI_VERSION, CTM_NOTE_NAME, CtmNote, FILE_FLAGS, FILE_TYPE, INFO_DWORDS, InfoWords, MACHINE, NOTE_NAME, NoteType,
    OS_ABI,
};
use crate::raw;
use ctm_x1k::{Program, TEXTURE_KINDS};
use object::Endianness;
use object::elf::{
    PF_R, PF_X, PT_LOAD, PT_NOTE, ProgramFlags, ProgramType, SHF_ALLOC, SHF_EXECINSTR, SHT_NOTE, SHT_PROGBITS,
    SectionFlags, SectionType,
};
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, Writer};

/// A part of the image that has a segment and a section.
struct Part {
    name: &'static [u8],
    bytes: Vec<u8>,
    segment: (ProgramType, ProgramFlags),
    section: (SectionType, SectionFlags),
}

/// Alignment of everything in an image.
const ALIGN: u64 = 4;

/// Writes a program image with program headers and section headers (CTM Guide p.45-49).
///
/// [`read`](super::read()) gives an equal program back, if the program is legal
/// ([`check::legal`](ctm_x1k::check::legal)), if its boolean references are those of its code (an image has no note for
/// them), and if the conditional value comes from the program wherever the program writes one.
pub fn write(program: &Program) -> Vec<u8> {
    let parts = parts(program);
    let mut image = Vec::new();
    let mut writer = Writer::new(Endianness::Little, false, &mut image);

    writer.reserve_file_header();
    writer.reserve_program_headers(parts.len() as u32);
    let offsets: Vec<u64> = parts.iter().map(|part| writer.reserve(part.bytes.len() as u64, ALIGN)).collect();
    let names: Vec<_> = parts
        .iter()
        .map(|part| {
            writer.reserve_section_index();
            writer.add_section_name(part.name)
        })
        .collect();
    writer.reserve_shstrtab_section_index();
    writer.reserve_shstrtab().expect("three names fit");
    writer.reserve_section_headers();

    writer
        .write_file_header(&FileHeader {
            os_abi: OS_ABI,
            abi_version: ABI_VERSION,
            e_type: FILE_TYPE,
            e_machine: MACHINE,
            e_entry: 0,
            e_flags: FILE_FLAGS,
        })
        .expect("a program is far smaller than 4 GiB");
    writer.write_align_program_headers();
    for (part, offset) in parts.iter().zip(&offsets) {
        let size = part.bytes.len() as u64;
        writer.write_program_header(&ProgramHeader {
            p_type: part.segment.0,
            p_flags: part.segment.1,
            p_offset: *offset,
            p_vaddr: 0,
            p_paddr: 0,
            p_filesz: size,
            p_memsz: size,
            p_align: ALIGN,
        });
    }
    for (part, offset) in parts.iter().zip(&offsets) {
        writer.pad_until(*offset);
        writer.write(&part.bytes);
    }
    writer.write_shstrtab();
    writer.write_null_section_header();
    for ((part, offset), name) in parts.iter().zip(&offsets).zip(&names) {
        let sh_name = writer.section_name_offset(Some(*name));
        writer.write_section_header(&SectionHeader {
            sh_name,
            sh_type: part.section.0,
            sh_flags: part.section.1,
            sh_offset: *offset,
            sh_size: part.bytes.len() as u64,
            sh_addralign: ALIGN,
            ..SectionHeader::default()
        });
    }
    writer.write_shstrtab_section_header();
    image
}

fn parts(program: &Program) -> Vec<Part> {
    let notes =
        |name, bytes| Part { name, bytes, segment: (PT_NOTE, PF_R), section: (SHT_NOTE, SectionFlags::default()) };
    let code = Part {
        name: b".text",
        bytes: raw::write_words(&program.code),
        segment: (PT_LOAD, PF_R | PF_X),
        section: (SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR),
    };
    let mut parts = vec![code, notes(b".note", guide_notes(program))];
    let own = own_notes(program);
    if !own.is_empty() {
        parts.push(notes(b".note.ctm", own));
    }
    parts
}

fn add_note(bytes: &mut Vec<u8>, name: &[u8], kind: u32, content: impl IntoIterator<Item = u32>) {
    let content: Vec<u32> = content.into_iter().collect();
    for dword in [name.len() as u32, 4 * content.len() as u32, kind] {
        bytes.extend(dword.to_le_bytes());
    }
    bytes.extend(name);
    bytes.extend(content.into_iter().flat_map(u32::to_le_bytes));
}

/// The guide's seven notes.
fn guide_notes(program: &Program) -> Vec<u8> {
    let (info, references) = (&program.info, &program.references);
    let mut info_words = [0; INFO_DWORDS];
    InfoWords::new(info, program.code.len()).write(&mut info_words);

    let list = |numbers: &std::collections::BTreeSet<u8>| numbers.iter().map(|number| u32::from(*number)).collect();
    let mut bytes = Vec::new();
    for note in NoteType::ALL {
        let content: Vec<u32> = match note {
            NoteType::ProgramInfo => info_words.to_vec(),
            NoteType::Inputs => list(&references.inputs),
            NoteType::Outputs => list(&references.outputs),
            NoteType::CondOut => vec![references.cond_output.into()],
            NoteType::FloatConstants => list(&references.float_constants),
            NoteType::IntConstants => list(&references.int_constants),
            NoteType::EarlyExit => vec![info.early_exit.into()],
        };
        add_note(&mut bytes, NOTE_NAME, note as u32, content);
    }
    bytes
}

/// The project's own notes; none of a kind where there is nothing to say.
fn own_notes(program: &Program) -> Vec<u8> {
    let constants = &program.constants;
    let mut bytes = Vec::new();
    for note in CtmNote::ALL {
        let content: Vec<u32> = match note {
            CtmNote::Floats => {
                constants.floats.iter().flat_map(|(number, [r, g, b, a])| [(*number).into(), *r, *g, *b, *a]).collect()
            }
            CtmNote::Ints => {
                constants.ints.iter().flat_map(|(number, value)| [(*number).into(), value.to_dword()]).collect()
            }
            CtmNote::Bools => {
                constants.bools.iter().flat_map(|(number, value)| [(*number).into(), (*value).into()]).collect()
            }
            CtmNote::Interpolants => program
                .info
                .interpolant_registers()
                .flat_map(|(slot, register)| [slot as u32, register.into()])
                .collect(),
            CtmNote::Textures => {
                let code = |kind| TEXTURE_KINDS.iter().position(|(_, known)| *known == kind).unwrap_or(0) as u32;
                program.info.sampled_inputs().flat_map(|(input, kind)| [input.into(), code(kind)]).collect()
            }
        };
        if !content.is_empty() {
            add_note(&mut bytes, CTM_NOTE_NAME, note as u32, content);
        }
    }
    bytes
}
