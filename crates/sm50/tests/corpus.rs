//! Programs that a driver compiled (Mesa 22.3.6, nouveau for GM107), with NVIDIA's listings of them.

use ctm_sm50::{Code, Header, Program, text};
use std::fs;
use std::path::{Path, PathBuf};

/// The programs of the corpus: paths without what follows the stage.
fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/sm50");
    let cases = fs::read_dir(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    let files = cases.flat_map(|case| fs::read_dir(case.expect("a case").path()).expect("a folder"));
    let stage = |path: PathBuf| path.to_str()?.strip_suffix(".code.u32").map(PathBuf::from);
    files.filter_map(|file| stage(file.expect("a file").path())).collect()
}

fn load(stage: &Path) -> (Program, Vec<u8>) {
    let read = |ending: &str| fs::read(stage.with_extension(ending)).expect("a file of the corpus");
    let (header, code) = (read("sph.u32"), read("code.u32"));
    let mut words = [0; Header::DWORDS];
    for (word, bytes) in words.iter_mut().zip(header.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let decoded = Header::decode(&words);
    assert_eq!(decoded.encode(), words, "{}", stage.display());
    (Program { header: Some(decoded), code: Code::from_bytes(&code).expect("code"), constants: Vec::new() }, code)
}

/// Address, text and word of the instructions of a listing.
fn listed(listing: &str) -> Vec<(u32, String, u64)> {
    let lines = listing.lines().filter_map(|line| {
        let (address, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
        let (spelled, word) = rest.split_once("/* 0x")?;
        let address = u32::from_str_radix(address, 16).ok()?;
        let word = u64::from_str_radix(word.split(' ').next()?, 16).ok()?;
        Some((address, spelled.trim().trim_end_matches(';').trim_end().to_owned(), word))
    });
    lines.collect()
}

#[test]
fn listings_are_the_same() {
    let mut count = 0;
    for stage in programs() {
        let (program, _) = load(&stage);
        let code = &program.code;
        let listing = fs::read_to_string(stage.with_extension("nvdisasm.txt")).expect("a listing");
        let listing = listed(&listing);
        assert!(listing.len() >= code.instructions().len(), "{}", stage.display());
        for (index, (instruction, (address, spelled, word))) in code.instructions().iter().zip(&listing).enumerate() {
            assert_eq!((Code::address(index), instruction.encode()), (*address, *word), "{}", stage.display());
            let found = text::print_controlled(instruction, *address, code.control(index));
            assert_eq!(&found, spelled, "{} {address:04x}", stage.display());
            count += 1;
        }
    }
    assert!(count > 300, "{count} instructions");
}

#[test]
fn programs_come_back_from_text() {
    for stage in programs() {
        let (program, code) = load(&stage);
        let printed = text::print_program(&program);
        let read = text::parse(&printed).unwrap_or_else(|diagnostics| panic!("{}\n{printed}", diagnostics[0])).program;
        assert_eq!(read, program, "{}\n{printed}", stage.display());
        assert_eq!(read.code.to_bytes(), code);
    }
}

#[test]
fn headers_follow_from_code() {
    // What the assembler would write without being told is what the driver wrote, as far as fixed addresses go.
    for stage in programs() {
        let (program, _) = load(&stage);
        let header = program.header.expect("a header");
        let implied = Header::implied(header.stage, program.code.instructions());
        for address in implied.imap.iter() {
            assert!(header.imap.contains(address), "{} reads {address:#x}", stage.display());
        }
    }
}
