//! Objects like those of LLVM's r600 back end, of one function.

use super::llvm::{
    CONFIG, DB_SHADER_CONTROL, KILL_ENABLE, MACHINE, OWN_SECTION, OwnInfo, PGM_RESOURCES_PS, PGM_RESOURCES_VS,
    R600_FLAGS, R700_FLAGS, TEXT,
};
use super::write_words;
use ctm_r700::{Family, Program, Stage};
use object::Endianness;
use object::elf::{
    ELFOSABI_NONE, ET_REL, FileFlags, Machine, SHF_ALLOC, SHF_EXECINSTR, SHN_UNDEF, SHT_PROGBITS, STB_GLOBAL, STT_FUNC,
    SectionFlags, SymbolInfo, SymbolOther,
};
use object::write::elf::{FileHeader, SectionHeader, Sym, Writer};

/// Alignment of functions.
const FUNCTION_ALIGN: u64 = 256;
/// Alignment of the other sections.
const ALIGN: u64 = 4;

/// A section with bytes.
struct Section {
    name: &'static [u8],
    bytes: Vec<u8>,
    flags: SectionFlags,
    align: u64,
}

/// Writes an object with the program as its only function, which [`read_llvm`](super::read_llvm) gives back as it is.
///
/// What the register settings of LLVM have no place for stands in a section of the project's own, which other tools need
/// not know: the stage beyond pixel or not, whether a stack size is known, and ALU_INST_PREFER_VECTOR.
pub fn write_object(program: &Program, name: &str) -> Vec<u8> {
    let info = &program.info;
    let processor = match info.family {
        Family::R600 => *R600_FLAGS.end(),
        Family::R700 => *R700_FLAGS.end(),
    };
    let resources_of = if info.stage == Stage::Pixel { PGM_RESOURCES_PS } else { PGM_RESOURCES_VS };
    let kill_enable = if info.kill_enable { KILL_ENABLE } else { 0 };
    let config = [resources_of, info.resources(), DB_SHADER_CONTROL, kill_enable];
    let bytes = |dwords: &[u32]| dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect();
    let sections = [
        Section {
            name: TEXT.as_bytes(),
            bytes: write_words(program),
            flags: SHF_ALLOC | SHF_EXECINSTR,
            align: FUNCTION_ALIGN,
        },
        Section { name: CONFIG.as_bytes(), bytes: bytes(&config), flags: SectionFlags::default(), align: ALIGN },
        Section {
            name: OWN_SECTION.as_bytes(),
            bytes: bytes(&OwnInfo::of(info).to_dwords()),
            flags: SectionFlags::default(),
            align: ALIGN,
        },
    ];

    let mut image = Vec::new();
    let mut writer = Writer::new(Endianness::Little, false, &mut image);
    writer.reserve_file_header();
    let offsets = sections.each_ref().map(|section| writer.reserve(section.bytes.len() as u64, section.align));
    let names = sections.each_ref().map(|section| {
        let index = writer.reserve_section_index();
        (index, writer.add_section_name(section.name))
    });
    let text_index = names[0].0;
    let symbol_name = writer.add_string(name.as_bytes());
    writer.reserve_symbol_index(Some(text_index));
    writer.reserve_symtab_section_index();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();
    writer.reserve_symtab();
    writer.reserve_strtab().expect("one name fits");
    writer.reserve_shstrtab().expect("six names fit");
    writer.reserve_section_headers();

    writer
        .write_file_header(&FileHeader {
            os_abi: ELFOSABI_NONE,
            abi_version: 0,
            e_type: ET_REL,
            e_machine: Machine(MACHINE),
            e_entry: 0,
            e_flags: FileFlags(processor),
        })
        .expect("an image is far smaller than 4 GiB");
    for (section, offset) in sections.iter().zip(offsets) {
        writer.pad_until(offset);
        writer.write(&section.bytes);
    }
    writer.write_null_symbol();
    let st_name = writer.string_offset(Some(symbol_name));
    writer.write_symbol(&Sym {
        section: Some(text_index.0),
        st_name,
        st_info: SymbolInfo::new(STB_GLOBAL, STT_FUNC),
        st_other: SymbolOther::default(),
        st_shndx: SHN_UNDEF,
        st_value: 0,
        st_size: sections[0].bytes.len() as u64,
    });
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    for ((section, offset), (_, name)) in sections.iter().zip(offsets).zip(names) {
        let sh_name = writer.section_name_offset(Some(name));
        writer.write_section_header(&SectionHeader {
            sh_name,
            sh_type: SHT_PROGBITS,
            sh_flags: section.flags,
            sh_offset: offset,
            sh_size: section.bytes.len() as u64,
            sh_addralign: section.align,
            ..SectionHeader::default()
        });
    }
    // The null symbol is the only local one.
    writer.write_symtab_section_header(1);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    image
}
