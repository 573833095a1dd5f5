//! Program images: round trips, and every rule of the format broken once.

use ctm_object::elf::{self, ElfError};
use ctm_object::raw;
use ctm_x1k::sampler::TextureKind;
use ctm_x1k::{IntConstant, Program, ProgramInfo, References, WriteMode};
use std::path::Path;

/// Where `write` puts things: 52 bytes of header, three program headers, then the code.
const PROGRAM_HEADERS: usize = 52;
const CODE: usize = PROGRAM_HEADERS + 3 * 32;

fn corpus(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/x1k").join(name).join("program.u32");
    std::fs::read(path).unwrap()
}

/// A program with everything in its notes.
fn full_program() -> Program {
    let mut program = Program::from_code(raw::read_words(&corpus("cf_loop_dyn")).unwrap());
    program.info = ProgramInfo {
        zero_times_anything: true,
        cond_value_from_program: true,
        position: None,
        interpolants: [None, Some(127), None, None, None, None, None, Some(0)],
        temps: 5,
        early_exit: true,
        ..program.info
    };
    for (input, kind) in [(0, TextureKind::Cube), (1, TextureKind::Flat), (15, TextureKind::Volume)] {
        program.info.textures[input] = Some(kind);
    }
    program.references.cond_output = true;
    program.constants.floats.insert(255, [0x7FC0_1234, 1, 0x8000_0000, u32::MAX]);
    program.constants.ints.insert(0, IntConstant { count: 255, init: 3, step: -128 });
    program.constants.bools.extend([(31, true), (0, false)]);
    program
}

/// Byte position of the note with this name and type in an image.
fn named_note(image: &[u8], name: &[u8], kind: u32) -> usize {
    let header = |at: usize| {
        image[at..].starts_with(&(name.len() as u32).to_le_bytes())
            && image[at + 8..].starts_with(&kind.to_le_bytes())
            && image[at + 12..].starts_with(name)
    };
    (CODE..image.len() - 20).step_by(4).find(|at| header(*at)).unwrap()
}

/// Byte position of one of the guide's notes.
fn note(image: &[u8], kind: u32) -> usize {
    named_note(image, b"ATI DPP\0", kind)
}

fn patched(at: usize, dword: u32) -> Result<Program, ElfError> {
    let mut image = elf::write(&full_program());
    image[at..at + 4].copy_from_slice(&dword.to_le_bytes());
    elf::read(&image)
}

#[test]
fn programs_come_back() {
    for name in ["cf_discard", "cf_loop_dyn", "cf_nest3", "k_jacobi", "op_mad", "op_select", "op_sincos", "pre_sub"] {
        let program = Program::from_code(raw::read_words(&corpus(name)).unwrap());
        let image = elf::write(&program);
        assert_eq!(elf::read(&image).unwrap(), program, "{name}");
        assert_eq!(elf::write(&elf::read(&image).unwrap()), image, "{name}");
    }
    let program = full_program();
    assert_eq!(elf::read(&elf::write(&program)).unwrap(), program);
    let program = Program {
        info: ProgramInfo {
            start: 1,
            code_offset: 511,
            full_flow_control: false,
            write_mode: WriteMode::Umrt,
            position: Some(127),
            ..program.info
        },
        ..program
    };
    assert_eq!(elf::read(&elf::write(&program)).unwrap(), program);
}

#[test]
fn header_and_headers_are_as_the_guide_has_them() {
    let image = elf::write(&full_program());
    let ident = [0x7F, b'E', b'L', b'F', 1, 1, 1, 98, 1];
    assert_eq!(image[..9], ident);
    let half = |at: usize| u16::from_le_bytes([image[at], image[at + 1]]);
    let word = |at: usize| u32::from_le_bytes(image[at..at + 4].try_into().unwrap());
    assert_eq!((half(16), half(18), word(20), word(24), word(36)), (2, 122, 1, 0, 1));
    assert_eq!((half(40), half(42), half(44), half(46)), (52, 32, 3, 40));
    let segment = |number: usize| [0, 1, 2, 4, 6, 7].map(|field| word(PROGRAM_HEADERS + 32 * number + 4 * field));
    assert_eq!(segment(0), [1, CODE as u32, 0, 480, 5, 4]);
    assert_eq!([segment(1)[0], segment(1)[2], segment(1)[4], segment(1)[5]], [4, 0, 4, 4]);
    // The first section after the null one is .text.
    let text = word(32) as usize + 40;
    assert_eq!([word(text + 4), word(text + 8), word(text + 16), word(text + 20)], [1, 6, CODE as u32, 480]);
    // Program information: names of registers as in the guide.
    let info = note(&image, 1) + 20;
    assert_eq!(
        (0..11).map(|n| word(info + 4 * n)).collect::<Vec<_>>(),
        [1, 1, 2, 5, 0x8000_0000, 19 << 16, 0, 19 << 16, 0, 0, 0xFF]
    );
}

#[test]
fn header_rules() {
    for (field, at, value) in [
        ("e_ident[EI_CLASS]", 4, 0x6201_0102),
        ("e_ident[EI_DATA]", 4, 0x6201_0201),
        ("e_ident[EI_VERSION]", 4, 0x6200_0101),
        ("e_ident[EI_OSABI]", 4, 0x0001_0101),
        ("e_ident[EI_ABIVERSION]", 8, 2),
        ("e_type", 16, 0x007A_0001),
        ("e_machine", 16, 0x003E_0002),
        ("e_version", 20, 2),
        ("e_entry", 24, 4),
        ("e_flags", 36, 0),
        ("e_ehsize", 40, 0x0020_0040),
        ("e_phentsize", 40, 0x0038_0034),
        ("e_shentsize", 44, 0x0040_0003),
    ] {
        let error = patched(at, value).unwrap_err();
        assert!(matches!(error, ElfError::HeaderField { field: found, .. } if found == field), "{field}: {error}");
    }
    assert_eq!(patched(0, 0), Err(ElfError::Magic));
}

#[test]
fn segment_rules() {
    let load = PROGRAM_HEADERS;
    let second = PROGRAM_HEADERS + 32;
    assert_eq!(patched(load, 0), Err(ElfError::LoadSegments { offset: 52, count: 0 }));
    assert_eq!(patched(second, 1), Err(ElfError::LoadSegments { offset: 52, count: 2 }));
    for size in [0, 23, 481, 513 * 24] {
        assert_eq!(patched(load + 16, size), Err(ElfError::CodeSize { offset: 52, size }));
    }
    for (at, value, what) in [
        (28, 0xFFFF_FFFF, "a program header"),
        (load + 4, 0xFFFF_FFFF, "the code"),
        (second + 4, 0xFFFF_FFF0, "a note segment"),
        (second + 16, 0xFFFF_FFFF, "a note segment"),
    ] {
        let error = patched(at, value).unwrap_err();
        assert!(matches!(error, ElfError::Truncated { what: found, .. } if found == what), "{what}: {error}");
    }
}

#[test]
fn note_rules() {
    let image = elf::write(&full_program());
    let at = |kind| note(&image, kind);
    // Type 2 becomes a second type 3.
    assert!(matches!(patched(at(2) + 8, 3), Err(ElfError::RepeatedNote { note: "OUTPUTS", .. })));
    // An unknown type is skipped: without program information nothing loads, without inputs something does.
    assert_eq!(patched(at(1) + 8, 99), Err(ElfError::NoProgramInfo));
    assert_eq!(patched(at(2) + 8, 99).unwrap().references.inputs, [].into());
    // So is an unknown name.
    assert_eq!(patched(at(1) + 12, 0x4443_4241), Err(ElfError::NoProgramInfo));
    assert!(matches!(patched(at(1) + 20, 2), Err(ElfError::NoteValue { note: "PROGINFO", found: 2, .. })));
    assert!(matches!(patched(at(1) + 60, 128), Err(ElfError::NoteValue { field: "POS_REG", .. })));
    assert!(matches!(patched(at(4) + 20, 2), Err(ElfError::NoteValue { note: "CONDOUT", .. })));
    assert!(matches!(patched(at(2) + 20, 16), Err(ElfError::NoteIndex { note: "INPUTS", index: 16, limit: 16, .. })));
    assert!(matches!(patched(at(3) + 20, 4), Err(ElfError::NoteIndex { note: "OUTPUTS", .. })));
    assert!(matches!(patched(at(5) + 20, 256), Err(ElfError::NoteIndex { note: "FLOAT32CONSTS", .. })));
    assert!(matches!(patched(at(6) + 20, 32), Err(ElfError::NoteIndex { note: "INT32CONSTS", .. })));
    // A size that is not a multiple of a dword, and one beyond the segment.
    assert!(matches!(patched(at(2) + 4, 3), Err(ElfError::NoteSize { note: "INPUTS", size: 3, .. })));
    assert!(matches!(patched(at(7) + 4, 0x8000_0000), Err(ElfError::Truncated { .. })));
    assert!(matches!(patched(at(2), 0xFFFF_FFFD), Err(ElfError::Truncated { what: "a note's name", .. })));
}

/// Errors of notes say where the value is.
#[test]
fn errors_of_notes_have_places() {
    let image = elf::write(&full_program());
    let own = |kind| named_note(&image, b"ctm\0", kind);
    for (at, value) in [
        (note(&image, 2) + 20, 16),
        (note(&image, 4) + 20, 2),
        (own(1) + 16, 256),
        (own(2) + 16, 32),
        (own(2) + 20, 0x0100_0000),
        (own(3) + 20, 2),
        (own(4) + 20, 128),
        (own(4) + 24, 8),
        (own(4) + 28, 128),
        (own(5) + 20, 3),
        (own(5) + 32, 16),
        (own(5) + 36, 3),
    ] {
        let (ElfError::NoteIndex { offset, .. } | ElfError::NoteValue { offset, .. }) = patched(at, value).unwrap_err()
        else {
            panic!("{at:#x}")
        };
        assert_eq!(offset, at as u64);
    }
    let first = own(1);
    let rule = "a multiple of 20";
    let (offset, note, size) = (first as u64 + 16, "ctm float constant values", 76);
    assert_eq!(patched(first + 4, size), Err(ElfError::NoteSize { offset, note, size, rule }));
}

/// Other tools' notes may have any size; the next note begins at a whole dword.
#[test]
fn unknown_notes_are_padded() {
    let image = elf::write(&full_program());
    let inputs = note(&image, 2);
    let size = u32::from_le_bytes(image[inputs + 4..inputs + 8].try_into().unwrap());
    let with_size = |size: u32| {
        let mut image = image.clone();
        image[inputs + 8] = 99;
        image[inputs + 4..inputs + 8].copy_from_slice(&size.to_le_bytes());
        elf::read(&image)
    };
    assert!(size > 0 && with_size(size).is_ok());
    assert_eq!(with_size(size - 1), with_size(size));
}

#[test]
fn errors_have_help() {
    let headers = elf::read(b"\x7FELF").unwrap_err().help();
    assert!(headers.contains("copy it again"), "{headers}");
    for (at, value, part) in [
        (0, 0, "raw instruction words have no header"),
        (20, 2, "for another machine"),
        (PROGRAM_HEADERS, 0, "one PT_LOAD segment"),
        (note(&elf::write(&full_program()), 2) + 8, 3, "keep one"),
        (note(&elf::write(&full_program()), 2) + 20, 16, "the tool that wrote the note is wrong"),
        (note(&elf::write(&full_program()), 1) + 8, 99, "every image needs this note"),
    ] {
        let help = patched(at, value).unwrap_err().help();
        assert!(help.contains(part), "{help}");
    }
}

/// As many instructions as the machine holds, and section headers that are not there.
#[test]
fn what_images_may_have() {
    let most = Program::from_code(vec![ctm_x1k::Instruction::decode(&[0; 6]); ctm_x1k::MAX_INSTRUCTIONS]);
    let mut image = elf::write(&most);
    assert_eq!(elf::read(&image).as_ref(), Ok(&most));
    // e_shnum and e_shentsize
    image[46..48].fill(0);
    let field = "e_shentsize";
    assert_eq!(elf::read(&image), Err(ElfError::HeaderField { field, offset: 46, found: 0, expected: 40 }));
    image[48..50].fill(0);
    assert_eq!(elf::read(&image), Ok(most));
}

#[test]
fn images_are_loaded_if_the_device_accepts_them() {
    let program = Program::from_code(raw::read_words(&corpus("op_mad")).unwrap());
    assert_eq!(elf::load(&elf::write(&program)).as_ref(), Ok(&program));
    let mut illegal = program;
    illegal.info.start = 511;
    assert!(matches!(elf::load(&elf::write(&illegal)), Err(elf::LoadError::Illegal(_))));
    assert_eq!(elf::load(b"nothing"), Err(elf::LoadError::Elf(elf::read(b"nothing").unwrap_err())));
}

/// Other tools find the sections by their names.
#[test]
fn sections_have_names() {
    use object::{Object, ObjectSection};
    let image = elf::write(&full_program());
    let file = object::File::parse(&*image).unwrap();
    let sections: Vec<_> =
        file.sections().map(|section| (section.name().unwrap().to_owned(), section.align())).collect();
    let named = [".text", ".note", ".note.ctm"].map(|name| (name.to_owned(), 4));
    assert_eq!(sections[..3], named);
}

#[test]
fn constant_notes() {
    let image = elf::write(&full_program());
    let own = |kind| named_note(&image, b"ctm\0", kind);
    // Records of number and value follow 16 bytes of header and name.
    assert!(matches!(patched(own(1) + 16, 256), Err(ElfError::NoteIndex { index: 256, .. })));
    // Swallows the notes that follow.
    assert!(matches!(patched(own(1) + 4, 20 + 24 + 32), Err(ElfError::NoteSize { rule: "a multiple of 20", .. })));
    assert!(matches!(patched(own(2) + 16, 32), Err(ElfError::NoteIndex { index: 32, .. })));
    assert!(matches!(patched(own(2) + 20, 0x0100_0000), Err(ElfError::NoteValue { field: "a constant", .. })));
    assert!(matches!(patched(own(3) + 16, 32), Err(ElfError::NoteIndex { index: 32, .. })));
    assert!(matches!(patched(own(4) + 16, 8), Err(ElfError::NoteIndex { index: 8, .. })));
    assert!(matches!(patched(own(4) + 20, 128), Err(ElfError::NoteIndex { index: 128, .. })));
    assert!(matches!(patched(own(4) + 24, 1), Err(ElfError::NoteValue { field: "an interpolated input", .. })));
    assert!(matches!(patched(own(3) + 20, 2), Err(ElfError::NoteValue { rule: "0 or 1", .. })));
    assert!(matches!(patched(own(5) + 16, 16), Err(ElfError::NoteIndex { index: 16, limit: 16, .. })));
    assert!(matches!(patched(own(5) + 20, 3), Err(ElfError::NoteIndex { index: 3, limit: 3, .. })));
    assert!(matches!(patched(own(5) + 24, 0), Err(ElfError::NoteValue { field: "an input", .. })));
    // Other loaders skip them: so does this one with types that it does not know.
    assert_eq!(patched(own(3) + 8, 6).unwrap().constants.bools, [].into());
    // A program without constants has two segments only.
    let plain = Program::from_code(raw::read_words(&corpus("pre_sub")).unwrap());
    assert_eq!(elf::write(&plain)[44], 2);
}

#[test]
fn information_of_other_tools() {
    // 8 bytes of program information: what follows becomes a note with an unknown name.
    let mut image = elf::write(&full_program());
    let info = note(&image, 1);
    image[info + 4..info + 8].copy_from_slice(&8u32.to_le_bytes());
    let rest = info + 28;
    for (dword, value) in [0u32, 56 - 12, 77].into_iter().enumerate() {
        image[rest + 4 * dword..rest + 4 * dword + 4].copy_from_slice(&value.to_le_bytes());
    }
    let program = elf::read(&image).unwrap();
    let expected = ProgramInfo {
        end: 19,
        cond_value_from_program: true,
        early_exit: true,
        interpolants: full_program().info.interpolants,
        textures: full_program().info.textures,
        ..ProgramInfo::default()
    };
    assert_eq!(program.info, expected);
    // Its second dword counts where no other note says that a conditional value is written.
    let cond_out = note(&image, 4);
    image[cond_out + 20] = 0;
    assert!(elf::read(&image).unwrap().info.cond_value_from_program);
    image[info + 24] = 0;
    assert!(!elf::read(&image).unwrap().info.cond_value_from_program);
    image[info + 4] = 4;
    assert!(elf::read(&image).is_err());
}

#[test]
fn a_written_conditional_value_counts() {
    let mut program = full_program();
    program.info.cond_value_from_program = false;
    assert!(elf::read(&elf::write(&program)).unwrap().info.cond_value_from_program);
}

#[test]
fn boolean_references_come_from_the_code() {
    let mut program = full_program();
    let branch_on_b7 = [0x402, 0, 0x0200_5500, 0x0005_0007, 0, 0];
    program.code[2] = ctm_x1k::Instruction::decode(&branch_on_b7);
    program.references = References { bool_constants: [7].into(), ..program.references };
    assert_eq!(elf::read(&elf::write(&program)).unwrap().references.bool_constants, [7].into());
}

#[test]
fn cut_anywhere_is_an_error_or_the_program() {
    let program = full_program();
    let image = elf::write(&program);
    for length in (0..image.len()).step_by(if cfg!(miri) { 37 } else { 1 }) {
        if let Ok(found) = elf::read(&image[..length]) {
            assert_eq!(found, program, "cut at {length}");
        }
    }
    assert!(elf::read(&image[..image.len() / 2]).is_err());
}

#[test]
fn note_segments_that_overlap_do_not_take_for_ever() {
    let mut image = elf::write(&full_program());
    // 20000 program headers that all name the same notes, of unknown types; under Miri, where only time would be lost, 20.
    let count = if cfg!(miri) { 20u16 } else { 20_000 };
    let notes = image.len();
    for _ in 0..u32::from(count) * 5 / 2 {
        for dword in [0u32, 0, 99] {
            image.extend(dword.to_le_bytes());
        }
    }
    let size = image.len() - notes;
    let headers = image.len();
    for _ in 0..count {
        for dword in [4, notes as u32, 0, 0, size as u32, size as u32, 4, 4] {
            image.extend(dword.to_le_bytes());
        }
    }
    image[28..32].copy_from_slice(&(headers as u32).to_le_bytes());
    image[44..46].copy_from_slice(&count.to_le_bytes());
    assert!(matches!(elf::read(&image), Err(ElfError::OverlappingNotes { .. })));
}

#[test]
fn any_bytes_give_a_program_or_an_error() {
    let image = elf::write(&full_program());
    ctm_cases::check(20_000, |u| {
        let mut image = image.clone();
        for _ in 0..u.int_in_range(1..=4)? {
            let at = u.choose_index(image.len())?;
            image[at] = u.arbitrary()?;
        }
        let length = u.int_in_range(0..=image.len())?;
        if let Ok(program) = elf::read(&image[..length]) {
            // What loads can be written, and then comes back.
            assert_eq!(elf::read(&elf::write(&program)).as_ref(), Ok(&program));
        }
        Ok(())
    });
}
