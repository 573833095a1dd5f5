//! Image to program.

use super::error::{ElfError, LoadError};
use super::layout::{ABI_VERSION, FILE_FLAGS, FILE_TYPE, MACHINE, OS_ABI};
use super::notes::Notes;
use crate::raw;
use ctm_x1k::{INSTRUCTION_BYTES, MAX_INSTRUCTIONS, Program, References, check};
use object::LittleEndian as LE;
use object::elf::{ELFCLASS32, ELFDATA2LSB, ELFMAG, EV_CURRENT, FileHeader32, PT_LOAD, PT_NOTE, ProgramHeader32};
use object::pod::{Pod, from_bytes};

/// Reads a program image.
///
/// Program headers alone decide, as on the device; addresses, alignments and section headers are ignored. Bytes after
/// the image do not matter. The program is as the image has it: [`load`] also checks it against the machine's rules.
///
/// Three things that notes leave open are settled here: the boolean constants are those that the code depends on; a
/// CONDOUT note of 1 makes the conditional value come from the program; and an image of other tools, whose program
/// information has another size, starts at 0, ends at its last instruction, has full flow control, and takes the
/// position in register 0.
///
/// # Errors
/// The bytes break a rule of the format; see [`ElfError`].
pub fn read(bytes: &[u8]) -> Result<Program, ElfError> {
    let header: &FileHeader32<LE> = pod(bytes, 0, "the ELF header")?;
    check_header(header)?;

    let headers_at = u64::from(header.e_phoff.get(LE));
    let mut notes = Notes::default();
    let mut note_bytes = 0;
    let mut loads = Vec::new();
    for number in 0..u64::from(header.e_phnum.get(LE)) {
        let at = headers_at + number * size_of::<ProgramHeader32<LE>>() as u64;
        let segment: &ProgramHeader32<LE> = pod(bytes, at, "a program header")?;
        let (offset, size) = (segment.p_offset.get(LE), segment.p_filesz.get(LE));
        match segment.p_type.get(LE) {
            PT_LOAD => loads.push((at, offset, size)),
            PT_NOTE => {
                let (start, end) = range(bytes, offset.into(), size.into(), "a note segment")?;
                note_bytes += end - start;
                if note_bytes > bytes.len() {
                    return Err(ElfError::OverlappingNotes { offset: at });
                }
                notes.add_segment(bytes, start, end)?;
            }
            _ => {}
        }
    }

    let [(at, offset, size)] = loads[..] else {
        return Err(ElfError::LoadSegments { offset: headers_at, count: loads.len() });
    };
    let whole = INSTRUCTION_BYTES as u32;
    if size == 0 || size > MAX_INSTRUCTIONS as u32 * whole || !size.is_multiple_of(whole) {
        return Err(ElfError::CodeSize { offset: at, size });
    }
    let (start, end) = range(bytes, offset.into(), size.into(), "the code")?;
    let code = raw::decode(&bytes[start..end]);

    let info = notes.info(code.len())?;
    let bool_constants = References::of(&code, &info).bool_constants;
    let references = References { bool_constants, ..notes.references()? };
    Ok(Program { references, constants: notes.constants()?, code, info })
}

/// Reads a program image and checks that the device accepts the program: what [`read`] and [`check::legal`] ask for.
///
/// # Errors
/// The image or the program is ill-formed.
pub fn load(bytes: &[u8]) -> Result<Program, LoadError> {
    let program = read(bytes)?;
    check::legal(&program).map_err(LoadError::Illegal)?;
    Ok(program)
}

/// The bytes `offset..offset + size` as a range of the image.
fn range(bytes: &[u8], offset: u64, size: u64, what: &'static str) -> Result<(usize, usize), ElfError> {
    let (end, length) = (offset + size, bytes.len() as u64);
    if end > length {
        return Err(ElfError::Truncated { what, offset, end, length });
    }
    Ok((offset as usize, end as usize))
}

fn pod<'a, T: Pod>(bytes: &'a [u8], offset: u64, what: &'static str) -> Result<&'a T, ElfError> {
    let (start, end) = range(bytes, offset, size_of::<T>() as u64, what)?;
    Ok(from_bytes(&bytes[start..end]).expect("whole and unaligned").0)
}

fn check_header(header: &FileHeader32<LE>) -> Result<(), ElfError> {
    let ident = &header.e_ident;
    if ident.magic != ELFMAG {
        return Err(ElfError::Magic);
    }
    let fields: [(&'static str, u64, u32, u32); 12] = [
        ("e_ident[EI_CLASS]", 4, ident.class.0.into(), ELFCLASS32.0.into()),
        ("e_ident[EI_DATA]", 5, ident.data.0.into(), ELFDATA2LSB.0.into()),
        ("e_ident[EI_VERSION]", 6, ident.version.0.into(), EV_CURRENT.0.into()),
        ("e_ident[EI_OSABI]", 7, ident.os_abi.0.into(), OS_ABI.0.into()),
        ("e_ident[EI_ABIVERSION]", 8, ident.abi_version.into(), ABI_VERSION.into()),
        ("e_type", 16, header.e_type.get(LE).0.into(), FILE_TYPE.0.into()),
        ("e_machine", 18, header.e_machine.get(LE).0.into(), MACHINE.0.into()),
        ("e_version", 20, header.e_version.get(LE), EV_CURRENT.0.into()),
        ("e_entry", 24, header.e_entry.get(LE), 0),
        ("e_flags", 36, header.e_flags.get(LE).0, FILE_FLAGS.0),
        ("e_ehsize", 40, header.e_ehsize.get(LE).into(), size_of::<FileHeader32<LE>>() as u32),
        ("e_phentsize", 42, header.e_phentsize.get(LE).into(), size_of::<ProgramHeader32<LE>>() as u32),
    ];
    for (field, offset, found, expected) in fields {
        if found != expected {
            return Err(ElfError::HeaderField { field, offset, found, expected });
        }
    }
    // Section headers are optional: without any, their size may be left out.
    let (found, expected) = (u32::from(header.e_shentsize.get(LE)), 40);
    if found != expected && (found != 0 || header.e_shnum.get(LE) != 0) {
        return Err(ElfError::HeaderField { field: "e_shentsize", offset: 46, found, expected });
    }
    Ok(())
}
