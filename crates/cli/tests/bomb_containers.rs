//! Containers whose tables claim more than there is, or name the same bytes again and again, are refused in little time and memory.
#![cfg(target_os = "linux")]

use crate::common;

use common::Folder;
use common::limits::refused;

/// `EM_AMDGPU` with the flags of rv770, and CUDA's machine with those of sm_50.
const AMD: (u16, u32) = (224, 5);
const CUDA: (u16, u32) = (190, 50);
/// The largest file that is read.
const MAX_FILE: usize = 64 << 20;

/// A section: name, type, offset and size in the file, link, size of an entry.
#[derive(Clone, Copy)]
struct Section {
    name: u32,
    kind: u32,
    offset: u32,
    size: u32,
    link: u32,
    entry: u32,
}

const fn section(name: u32, kind: u32, offset: u32, size: u32) -> Section {
    Section { name, kind, offset, size, link: 0, entry: 0 }
}

/// An ELF file: `content` comes after the header of 64 bytes, the sections after it; the first of them that is given is the
/// table of section names.
fn elf(wide: bool, (machine, flags): (u16, u32), content: &[u8], sections: &[Section]) -> Vec<u8> {
    let mut file = Vec::from(*b"\x7FELF");
    file.extend([if wide { 2 } else { 1 }, 1, 1]);
    file.resize(16, 0);
    let word = |file: &mut Vec<u8>, value: u64| match wide {
        true => file.extend(value.to_le_bytes()),
        false => file.extend((value as u32).to_le_bytes()),
    };
    file.extend([1u16, machine].map(u16::to_le_bytes).concat());
    file.extend(1u32.to_le_bytes());
    word(&mut file, 0);
    word(&mut file, 0);
    word(&mut file, 64 + content.len() as u64);
    file.extend(flags.to_le_bytes());
    let (header, row) = if wide { (64u16, 64u16) } else { (52, 40) };
    // More sections than 16 bits count are counted by the first.
    let count = sections.len() as u64 + 1;
    let short = if count < 0xFF00 { count as u16 } else { 0 };
    file.extend([header, 0, 0, row, short, 1].map(u16::to_le_bytes).concat());
    file.resize(64, 0);
    file.extend(content);
    let first =
        Section { name: 0, kind: 0, offset: 0, size: if short == 0 { count as u32 } else { 0 }, link: 0, entry: 0 };
    for section in [first].iter().chain(sections) {
        file.extend([section.name, section.kind].map(u32::to_le_bytes).concat());
        [0, 0, u64::from(section.offset), u64::from(section.size)].iter().for_each(|&value| word(&mut file, value));
        file.extend([section.link, 0].map(u32::to_le_bytes).concat());
        [1, u64::from(section.entry)].iter().for_each(|&value| word(&mut file, value));
    }
    file
}

/// Names of sections after the header, and where they begin in the table.
const NAMES: &[u8] = b"\0.text\0.AMDGPU.config\0.symtab\0.text.kernel\0";
const TEXT: u32 = 1;
const CONFIG: u32 = 7;
const SYMBOLS: u32 = 22;
const KERNEL: u32 = 30;

/// An object with so many functions of `size` bytes at the beginning of the code, all called by the same long name.
fn object(functions: u32, size: u32, name: usize, code: usize) -> Vec<u8> {
    let mut content = Vec::from(NAMES);
    let long_name = content.len() as u32;
    content.extend(vec![b'n'; name]);
    content.push(0);
    let names = content.len() as u32;
    let code_at = content.len() as u32;
    content.extend(vec![0; code]);
    let config_at = content.len() as u32;
    (0..functions).for_each(|_| content.extend([0x28850u32, 0].map(u32::to_le_bytes).concat()));
    let symbols_at = content.len() as u32;
    content.extend([0; 16]);
    for _ in 0..functions {
        content.extend([long_name, 0, size].map(u32::to_le_bytes).concat());
        content.extend([2, 0, 2, 0]);
    }
    let symbols = Section { link: 1, entry: 16, ..section(SYMBOLS, 2, 64 + symbols_at, 16 * (functions + 1)) };
    elf(
        false,
        AMD,
        &content,
        &[
            section(0, 3, 64, names),
            section(TEXT, 1, 64 + code_at, code as u32),
            section(CONFIG, 1, 64 + config_at, 8 * functions),
            symbols,
        ],
    )
}

#[test]
fn objects_of_llvm() {
    let folder = Folder::new("bomb-objects");
    // What is sound is read; only what follows is not.
    folder.write("sound.o", object(1, 64, 4, 64));
    folder.ctm("dis sound.o").ok();
    let many = |count: usize, one: Section| vec![one; count];
    let mut long_name = vec![b'x'; 20 << 20];
    long_name[0] = 0;
    long_name.push(0);
    let names = section(0, 3, 64, long_name.len() as u32);
    for (name, bytes, expected) in [
        // 20,000 functions that are all the same 8 MiB.
        ("overlap.o", object(20_000, 8 << 20, 4, 8 << 20), "overlap"),
        // 200,000 functions with one name of 8 MiB.
        ("names.o", object(60_000, 8, 8 << 20, 1 << 20), "overlap"),
        ("functions.o", object(1_000_000, 0, 4, 64), "at most 65536"),
        // 1,000,000 sections with one name of 20 MiB.
        (
            "sections.o",
            elf(false, AMD, &long_name, &[&[names][..], &many(1_000_000, section(1, 1, 64, 8))].concat()),
            "overlap",
        ),
        // A function that has a name of 8 MiB and lies outside, and two of 4 MiB of which there is something to say.
        ("outside.o", object(1, 64, 8 << 20, 32), "lies outside"),
        ("long.o", object(2, 64, 4 << 20, 128), "nnn..."),
        ("count.o", elf(false, AMD, b"", &[section(0, 3, 0xFFFF_FFFF, 0xFFFF_FFFF)]), "ELF"),
        ("cut.o", object(1, 64, 4, 64)[..200].to_vec(), "ELF"),
    ] {
        assert!(bytes.len() <= MAX_FILE, "{name}");
        folder.write(name, bytes);
        refused(&folder, &format!("check {name}"), &[name, expected]);
    }
}

#[test]
fn cubins() {
    let folder = Folder::new("bomb-cubins");
    let code = vec![0; 16 << 20];
    let content = [NAMES, &code].concat();
    let names = section(0, 3, 64, NAMES.len() as u32);
    let kernel = section(KERNEL, 1, 64 + NAMES.len() as u32, code.len() as u32 / 32 * 32);
    let mut long_name = b"\0.text.".to_vec();
    long_name.extend(vec![b'x'; 20 << 20]);
    long_name.push(0);
    let long_names = section(0, 3, 64, long_name.len() as u32);
    let mut huge = elf(true, CUDA, b"", &[names]);
    huge[60..62].copy_from_slice(&0xFFFEu16.to_le_bytes());
    for (name, bytes, expected) in [
        // 10,000 kernels that are all the same 16 MiB.
        ("overlap.cubin", elf(true, CUDA, &content, &[&[names][..], &vec![kernel; 10_000]].concat()), ""),
        // 500,000 kernels with one name of 20 MiB.
        (
            "names.cubin",
            elf(true, CUDA, &long_name, &[&[long_names][..], &vec![section(1, 1, 64, 64); 500_000]].concat()),
            "overlap",
        ),
        // Names of 20 MiB, of a kernel that is not code and of two of which there is something to say.
        ("odd.cubin", elf(true, CUDA, &long_name, &[long_names, section(1, 1, 64, 7)]), "xxx...`"),
        (
            "long.cubin",
            elf(true, CUDA, &long_name, &[long_names, section(1, 1, 72, 32), section(1, 1, 72, 32)]),
            "xxx...",
        ),
        ("sections.cubin", huge, "ELF"),
    ] {
        assert!(bytes.len() <= MAX_FILE, "{name}");
        folder.write(name, bytes);
        refused(&folder, &format!("check {name}"), &[name, expected]);
    }
}

#[test]
fn images_of_ctm() {
    let folder = Folder::new("bomb-images");
    folder.write("position.x1k", common::POSITION);
    folder.ctm("asm position.x1k").ok();
    let image = folder.read("position.elf");
    let with = |at: usize, value: &[u8]| {
        let mut bytes = image.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        bytes
    };
    // 65,535 note segments that are each the rest of the file.
    let mut notes = with(28, &(image.len() as u32).to_le_bytes());
    notes[44..46].copy_from_slice(&0xFFFFu16.to_le_bytes());
    let size = 32 * 0xFFFF + image.len() as u32;
    for _ in 0..0xFFFF {
        notes.extend([4u32, 0, 0, 0, size, size, 0, 4].map(u32::to_le_bytes).concat());
    }
    for (name, bytes) in [
        ("notes.elf", notes),
        ("headers.elf", with(44, &0xFFFFu16.to_le_bytes())),
        ("place.elf", with(28, &u32::MAX.to_le_bytes())),
    ] {
        folder.write(name, bytes);
        refused(&folder, &format!("check {name}"), &[name]);
    }
}

/// A shader file of the Wii U with blocks that claim so many bytes.
fn gfd(blocks: usize, kind: u32, size: u32) -> Vec<u8> {
    let mut file = [0x4766_7832u32, 0x20, 7, 1, 2, 0, 0, 0].map(u32::to_be_bytes).concat();
    for _ in 0..blocks {
        file.extend([0x424C_4B7Bu32, 0x20, 1, 0, kind, size, 0, 0].map(u32::to_be_bytes).concat());
    }
    file
}

#[test]
fn shader_files() {
    let folder = Folder::new("bomb-gfd");
    for (name, bytes) in [
        ("blocks.gsh", gfd(1_000_000, 0, 0)),
        ("programs.gsh", gfd(1_000_000, 5, 0)),
        ("huge.gsh", gfd(1, 5, u32::MAX)),
        ("headers.gsh", gfd(1_000_000, 3, 0)),
    ] {
        folder.write(name, bytes);
        refused(&folder, &format!("check {name}"), &[name]);
    }
}

#[test]
fn logs_of_mesa() {
    let folder = Folder::new("bomb-mesa");
    let text = |piece: &str| piece.repeat((16 << 20) / piece.len());
    for (name, content) in [
        ("r300.txt", text("R500 Fragment Program:\n")),
        ("listing.txt", text("# Radeon Compiler Program\n0: MOV\n")),
        ("heading.txt", text("bytecode 8000000 dw -- 4 gprs -- 2 nstack ---\n0000 00000000\n")),
        ("programs.txt", text("bytecode 2 dw -- 4 gprs -- 2 nstack ---\n0000 00000000 00000000\n")),
        ("place.txt", "bytecode 99999999999 dw -- 4 gprs -- 2 nstack ---\n0000 00000000\n".into()),
        ("far.txt", "0000 00000000 00000000\n18446744073709551614 00000000\n".into()),
        ("words.txt", text("0 ")),
        ("hex.txt", text("00000000 ") + "x"),
    ] {
        folder.write(name, content);
        // These have programs of which one can be taken out.
        if !["programs.txt", "hex.txt"].contains(&name) {
            refused(&folder, &format!("import mesa {name} -o out.x1k"), &[name]);
        }
        refused(&folder, &format!("run {name}"), &[name]);
    }
}

/// A trace with these chunks, and the checksum that makes it whole.
fn trace(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut file = b"CTMTRACE\x01\0\0\0".to_vec();
    for (tag, content) in chunks {
        file.extend(*tag);
        file.extend((content.len() as u32).to_le_bytes());
        file.extend(*content);
    }
    let sum = file
        .iter()
        .fold(0xCBF2_9CE4_8422_2325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    file.extend(sum.to_le_bytes());
    file
}

#[test]
fn traces() {
    let folder = Folder::new("bomb-traces");
    let submit = |address: u32, words: u32| [address.to_le_bytes(), words.to_le_bytes()].concat();
    let wide = submit(0x8000_0000, u32::MAX);
    let small: &[u8] = b"local_bytes=4096\nhost_bytes=4096\n";
    let many = |chunk: &[u8]| {
        let mut chunks: Vec<(&[u8; 4], Vec<u8>)> = vec![(b"OPTS", small.to_vec())];
        chunks.extend((0..1_000_000).map(|_| (b"SUBM", chunk.to_vec())));
        trace(&chunks.iter().map(|(tag, content)| (*tag, &content[..])).collect::<Vec<_>>())
    };
    for (name, bytes) in [
        ("local.ctmtrace", trace(&[(b"OPTS", b"local_bytes=4294967295\n")])),
        ("host.ctmtrace", trace(&[(b"OPTS", b"host_bytes=4294967295\n")])),
        ("unknown.ctmtrace", trace(&[(b"OPTS", &b"x=1\n".repeat(1 << 20))])),
        ("words.ctmtrace", trace(&[(b"OPTS", small), (b"SUBM", &wide)])),
        // A command buffer of 600 MiB, in a memory of that size.
        ("buffer.ctmtrace", trace(&[(b"OPTS", b"local_bytes=4096\nhost_bytes=629145600\n"), (b"SUBM", &wide)])),
        ("group.ctmtrace", trace(&[(b"OPTS", b"group_width=4294967295\n")])),
        ("patch.ctmtrace", trace(&[(b"OPTS", small), (b"MEMO", &[0xFF; 64]), (b"SUBM", &wide)])),
        ("many.ctmtrace", many(&wide)),
        ("length.ctmtrace", [&b"CTMTRACE\x01\0\0\0OPTS\xFF\xFF\xFF\xFF"[..], &[0; 8]].concat()),
        ("sum.ctmtrace", [&b"CTMTRACE\x01\0\0\0"[..], &vec![0; 128 << 20]].concat()),
    ] {
        folder.write(name, bytes);
        refused(&folder, &format!("replay {name}"), &[]);
    }
    std::fs::File::create(folder.0.join("long.ctmtrace"))
        .and_then(|file| file.set_len(1 << 40))
        .expect("a sparse file");
    refused(&folder, "replay long.ctmtrace", &["too large"]);
}

/// Dwords and nothing else, of every instruction set.
#[test]
fn bare_words() {
    let folder = Folder::new("bomb-words");
    for (name, length) in [("large.u32", 65 << 20), ("words.u32", 64 << 20), ("odd.u32", (16 << 20) + 3)] {
        folder.write(name, vec![0xFF; length]);
        for isa in ["x1k", "sm50"] {
            refused(&folder, &format!("check {name} --isa {isa}"), &[name]);
        }
        if name != "odd.u32" {
            refused(&folder, &format!("check {name} --isa r700"), &[name]);
        }
    }
}
