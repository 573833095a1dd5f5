//! Loaders of R700 programs: LLVM's objects, Mesa's logs, shader files of the Wii U, bare words.

use ctm_object::mesa::{self, Driver, MesaError};
use ctm_object::r700::*;
use ctm_r700::{AluOp, Cf, Effect, Family, Op2, Outline, Program, ProgramInfo, Qword, Stage, clause_groups, text};
use object::{Object, ObjectSection, ObjectSymbol};
use std::path::PathBuf;

fn object_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/r700")
}

fn object() -> Vec<u8> {
    std::fs::read(object_folder().join("branches.o")).unwrap()
}

/// Names of control flow and of ALU operations, as LLVM's listings have them, function by function.
fn listed(listing: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let function = |text: &str| {
        let mut names = (Vec::new(), Vec::new());
        let instructions = text.lines().take_while(|line| !line.starts_with(".Lfunc_end"));
        for line in instructions.filter_map(|line| line.strip_prefix('\t')) {
            let name = line.trim().split([' ', ',']).next().unwrap_or_default();
            let heading = line.starts_with("ALU clause") || matches!(name, "CF_END" | "PAD");
            match line.starts_with(' ') {
                _ if heading || !name.starts_with(char::is_alphabetic) => {}
                true => names.1.push(name.to_owned()),
                false => names.0.push(name.to_owned()),
            }
        }
        names
    };
    listing.split(",@function\n").skip(1).map(function).collect()
}

fn decoded(program: &Program) -> (Vec<String>, Vec<String>) {
    let family = program.info.family;
    let outline = Outline::of(&program.code, family);
    let name = |cf: &Cf| match cf.name().unwrap() {
        "LOOP_END" => "END_LOOP".into(),
        "EXP_DONE" => "EXPORT".into(),
        name => name.into(),
    };
    let mut slots = Vec::new();
    for clause in outline.clauses.keys() {
        for group in clause_groups(&program.code, clause, family).unwrap() {
            slots.extend(group.slots.iter().map(|slot| slot.op.name().unwrap().to_owned()));
        }
    }
    (outline.cf.iter().map(name).collect(), slots)
}

/// The functions of an object are those of LLVM's own listing.
fn compare(object: &[u8], listing: &str) {
    let found: Vec<_> = read_llvm(object).unwrap().iter().map(|loaded| decoded(&loaded.program)).collect();
    assert_eq!(found, listed(listing));
    assert!(!found.is_empty());
}

#[test]
fn functions_of_an_object() {
    let functions = load(&object()).unwrap();
    let info = |place: usize| {
        let Loaded { name, program, repaired, gfd: _ } = &functions[place];
        let info = program.info;
        (name.as_deref(), info.stage, info.num_gprs, info.stack_size, info.kill_enable, *repaired)
    };
    assert_eq!(info(0), (Some("loops"), Stage::Pixel, 3, Some(3), false, 0));
    assert_eq!(info(1), (Some("indexed"), Stage::Vertex, 5, Some(1), false, 1));
    assert_eq!(info(2), (Some("killing"), Stage::Pixel, 2, Some(0), true, 0));
    assert_eq!(functions.len(), 3);
    // The wrong opcode of MOVA_INT was set right.
    let indexed = &functions[1].program;
    let outline = Outline::of(&indexed.code, Family::R700);
    let groups = clause_groups(&indexed.code, outline.clauses.keys().next().unwrap(), Family::R700).unwrap();
    let movas =
        groups.iter().flat_map(|group| &group.slots).filter(|slot| slot.op.properties().effect == Effect::Address);
    assert_eq!(movas.map(|slot| slot.op).collect::<Vec<_>>(), [AluOp::Op2(Op2::MovAInt)]);
    for function in &functions {
        let printed = text::print_program(&function.program);
        assert_eq!(text::parse(&printed).unwrap().program, function.program);
    }
}

#[test]
fn the_listing_of_llvm() {
    compare(&object(), &std::fs::read_to_string(object_folder().join("branches.s")).unwrap());
}

/// The same with what the installed compiler makes of the source, for both families. Without one, there is nothing to do.
#[test]
#[cfg_attr(miri, ignore = "Miri starts no other programs")]
fn the_listing_of_the_installed_llvm() {
    let source = object_folder().join("branches.ll");
    let compile = |processor: &str, kind: &str| {
        let arguments = ["-march=r600", processor, kind, "-o", "-"];
        let output = std::process::Command::new("llc-19").args(arguments).arg(&source).output().ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(output.stdout)
    };
    for processor in ["-mcpu=rv770", "-mcpu=rv730", "-mcpu=rv710"] {
        let Some(object) = compile(processor, "-filetype=obj") else { return };
        let listing = compile(processor, "-filetype=asm").unwrap();
        compare(&object, &String::from_utf8(listing).unwrap());
    }
}

#[test]
fn objects_that_cannot_be_used() {
    let mut other = object();
    other[18] = 62;
    assert_eq!(read_llvm(&other), Err(LlvmError::Machine(62)));
    let mut other = object();
    other[36] = 8;
    assert_eq!(read_llvm(&other), Err(LlvmError::Processor(8)));
    assert!(matches!(read_llvm(&object()[..600]), Err(LlvmError::Elf(_))));
}

/// Any program comes back from the object that is written of it, program information included.
#[test]
fn written_objects() {
    ctm_cases::check(2000, |u| {
        let info = ProgramInfo {
            family: *u.choose(&Family::ALL)?,
            stage: *u.choose(Stage::ALL)?,
            num_gprs: u.arbitrary()?,
            stack_size: u.arbitrary()?,
            dx10_clamp: u.arbitrary()?,
            prefer_vector: u.arbitrary()?,
            kill_enable: u.arbitrary()?,
        };
        // An ALU clause with the opcode that LLVM gets wrong is kept, too.
        let mut code = vec![[2, 0xA000_0000], [0, 0x8020_0000], [0x8000_0000, 0xCC << 7]];
        for _ in 0..u.int_in_range(0..=8)? {
            code.push(u.arbitrary::<Qword>()?);
        }
        let program = Program { code, info };
        let loaded = load(&write_object(&program, "swirl")).unwrap();
        assert_eq!(loaded, [Loaded { name: Some("swirl".into()), program, repaired: 0, gfd: None }]);
        Ok(())
    });
}

/// Other tools find the same in it as in LLVM's.
#[test]
fn written_objects_are_like_those_of_llvm() {
    let function = load(&object()).unwrap().swap_remove(2);
    let image = write_object(&function.program, "killing");
    let file = object::File::parse(&*image).unwrap();
    let theirs = object();
    let theirs = object::File::parse(&*theirs).unwrap();
    let config = |file: &object::File| file.section_by_name(".AMDGPU.config").unwrap().data().unwrap().to_vec();
    assert!(config(&theirs).ends_with(&config(&file)));
    assert_eq!((file.architecture(), file.flags()), (theirs.architecture(), theirs.flags()));
    let code = |file: &object::File| {
        let section = file.section_by_name(".text").unwrap();
        (section.kind(), section.flags(), section.align())
    };
    assert_eq!(code(&file), code(&theirs));
    let symbol = file.symbol_by_name("killing").unwrap();
    let same = theirs.symbol_by_name("killing").unwrap();
    assert_eq!((symbol.kind(), symbol.size(), symbol.is_global()), (same.kind(), same.size(), same.is_global()));
}

fn corpus() -> impl Iterator<Item = (String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/r700");
    std::fs::read_dir(folder).unwrap().map(|case| {
        let case = case.unwrap().path();
        let log = std::fs::read_to_string(case.join("listing.txt")).unwrap();
        (log, std::fs::read(case.join("program.u32")).unwrap())
    })
}

#[test]
fn logs_of_mesa() {
    let mut all = String::new();
    let mut cases = 0;
    for (log, words) in corpus().take(if cfg!(miri) { 1 } else { usize::MAX }) {
        assert_eq!(mesa::driver(&log), Some(Driver::R600));
        let assembly = mesa::import(&log).unwrap();
        let program = text::parse(&assembly).unwrap().program;
        assert_eq!(write_words(&program), words);
        assert_eq!(program.info.stage, Stage::Pixel);
        all.push_str(&log);
        cases += 1;
        assert_eq!(mesa::Log::of(&all, mesa::Keep::None).entries().len(), cases);
        assert_eq!(mesa::import_nth(&all, cases - 1).unwrap(), assembly);
    }
    assert!(cases >= 6 || cfg!(miri));
}

/// Fetch programs have a stage of their own, and programs have the numbers that the log gives them.
#[test]
fn lists_of_logs() {
    let code = "0000 0000203C 94000B08  EXPORT_DONE\n0002 00000000 80200000 NOP EOP\n";
    let log = format!(
        "===== SHADER #17 ======= VS/RV770/R700 =====\n===== 4 dw ===== 9 gprs ===== 0 stack ====\n{code}\
         --------\nVertex elements state:\n   {{src_offset = 0, }}\nbytecode 4 dw -- 1 gprs -- 0 nstack ----\n{code}"
    );
    let found = mesa::Log::of(&log, mesa::Keep::All);
    let known = |entry: &mesa::Entry| (entry.stage, entry.name.clone(), entry.size, entry.unit, entry.line);
    let expected = [(Some("vs"), Some("shader 17".to_owned()), 4, "dwords", 2), (Some("fs"), None, 4, "dwords", 8)];
    assert_eq!(found.entries().iter().map(known).collect::<Vec<_>>(), expected);
    let program = text::parse(&mesa::import_nth(&log, 1).unwrap()).unwrap().program;
    assert_eq!(program.info.stage, Stage::Fetch);
}

/// The headings that the driver itself and its optimizer print.
#[test]
fn headings_of_mesa() {
    let code = "0000 0000203C 94000B08  EXPORT_DONE\n0002 00000000 80200000 NOP EOP\n";
    let log = format!("noise\nbytecode 4 dw -- 2 gprs -- 1 nstack -------------\nshader 3 -- 6\n{code}");
    let program = text::parse(&mesa::import(&log).unwrap()).unwrap().program;
    let info = (program.info.family, program.info.stage, program.info.num_gprs, program.info.stack_size);
    assert_eq!(info, (Family::R600, Stage::Vertex, 2, Some(1)));
    let log =
        format!("===== SHADER #1 ======= GS/RV770/R700 =====\n===== 4 dw ===== 9 gprs ===== 0 stack ====\n{code}");
    let program = text::parse(&mesa::import(&log).unwrap()).unwrap().program;
    assert_eq!((program.info.family, program.info.stage, program.info.num_gprs), (Family::R700, Stage::Geometry, 9));

    let log = log.replace("/R700", "/CAYMAN");
    assert_eq!(mesa::import(&log), Err(MesaError::Chip { line: 2, chip: "CAYMAN".into() }));
    let log = format!("40 dwords, 2 gprs, stack 1\n{code}");
    assert_eq!(mesa::import(&log), Err(MesaError::CutOff { line: 1, expected: 40, found: 4 }));
    let log = format!("4 dwords, 2 gprs, stack 1\n{code}0001 00000000\n");
    assert_eq!(mesa::import(&log), Err(MesaError::Conflict { line: 4, index: 1 }));

    // A listing alone is a program, of which nothing else is known.
    let program = text::parse(&mesa::import(code).unwrap()).unwrap().program;
    assert_eq!(program.dwords().collect::<Vec<_>>(), [0x203C, 0x9400_0B08, 0, 0x8020_0000]);
    assert_eq!((program.info.num_gprs, program.info.stack_size), (128, None));
    assert_eq!(mesa::import("0002 00000000 80200000 NOP\n"), Err(MesaError::NoProgram));
}

fn big_endian(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn block(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut block = big_endian(&[0x424C_4B7B, 0x20, 1, 0, kind, data.len() as u32, 0, 0]);
    block.extend_from_slice(data);
    block
}

fn shader_file() -> Vec<u8> {
    let mut registers = vec![0; 0x100];
    registers[..4].copy_from_slice(&0x0020_0305u32.to_be_bytes());
    registers[0xA4..0xA8].copy_from_slice(&16u32.to_be_bytes());
    let code: Vec<u8> = [0u32, 0x8000_0000, 0, 0x8020_0000, 7, 7].iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut file = big_endian(&[0x4766_7832, 0x20, 7, 1, 2, 0, 0, 0]);
    file.extend(block(6, &registers));
    file.extend(block(2, &[0; 12]));
    file.extend(block(7, &code));
    file.extend(block(1, &[]));
    file
}

#[test]
fn shader_files_of_the_wii_u() {
    let [loaded] = &load(&shader_file()).unwrap()[..] else { panic!() };
    assert_eq!(loaded.program.code, [[0, 0x8000_0000], [0, 0x8020_0000]]);
    let info = loaded.program.info;
    assert_eq!((info.stage, info.num_gprs, info.stack_size, info.dx10_clamp), (Stage::Pixel, 5, Some(3), true));
    let file = shader_file();
    assert_eq!(
        load(&file[..0x60]),
        Err(LoadError::Gfd(GfdError::Truncated { what: "a block", offset: 0x40, size: 0x100 }))
    );
    assert_eq!(load(&file[..0x20]), Err(LoadError::Gfd(GfdError::NoProgram)));
    // KILL_ENABLE stands in the header, too.
    let mut killing = file.clone();
    killing[0x40 + 0x9C + 3] = 0x40;
    assert!(load(&killing).unwrap()[0].program.info.kill_enable && !info.kill_enable);
    let mut other = file;
    other[11] = 6;
    let error = GfdError::Unexpected { what: "the major version of the file", offset: 8, found: 6, expected: 7 };
    assert_eq!(load(&other), Err(LoadError::Gfd(error)));
}

/// A geometry program brings its copy program along, under one header; the vertex program before it feeds it.
#[test]
fn geometry_files_of_the_wii_u() {
    let code = |dwords: &[u32]| -> Vec<u8> { dwords.iter().flat_map(|word| word.to_le_bytes()).collect() };
    let header = |length: usize, fields: &[(usize, u32)]| {
        let mut header = vec![0; length];
        for &(at, value) in fields {
            header[at..at + 4].copy_from_slice(&value.to_be_bytes());
        }
        header
    };
    let mut file = big_endian(&[0x4766_7832, 0x20, 7, 1, 2, 0, 0, 0]);
    file.extend(block(3, &header(0x134, &[(0, 0x0101), (0xD0, 8), (0xD8, 2)])));
    file.extend(block(5, &code(&[0, 0x8020_0000])));
    file.extend(block(8, &header(0xC0, &[(0, 0x0209), (0x10, 0x0304), (0x4C, 8), (0x54, 16)])));
    file.extend(block(9, &code(&[1, 0x8020_0000])));
    file.extend(block(2, &[0; 8]));
    file.extend(block(10, &code(&[2, 0, 0, 0x8020_0000, 9, 9])));
    file.extend(block(1, &[]));
    let found: Vec<_> = load(&file)
        .unwrap()
        .iter()
        .map(|loaded| {
            let info = loaded.program.info;
            (info.stage, info.num_gprs, info.stack_size, loaded.program.code.len())
        })
        .collect();
    let expected = [(Stage::Export, 1, Some(1), 1), (Stage::Geometry, 9, Some(2), 1), (Stage::Copy, 4, Some(3), 2)];
    assert_eq!(found, expected);
    // A header that is too short for what it should say.
    let at = 0x20 + 0x20;
    let mut short = file[..0x20].to_vec();
    short.extend(block(3, &header(0x40, &[])));
    short.extend(block(5, &code(&[0, 0x8020_0000])));
    let error = GfdError::Truncated { what: "the size of the program", offset: at + 0xD0, size: 4 };
    assert_eq!(load(&short), Err(LoadError::Gfd(error)));
}

#[test]
fn bare_words() {
    let program = Program::from_dwords(&[1, 2, 3]);
    assert_eq!(program.code, [[1, 2], [3, 0]]);
    assert_eq!(read_words(&write_words(&program)), Ok(program));
    assert_eq!(read_words(&[]), Err(WordsError::Empty));
    assert_eq!(read_words(&[0; 7]), Err(WordsError::PartialDword { length: 7 }));
}

/// Files with damage give programs or errors.
#[test]
fn damaged_files() {
    ctm_cases::check(1000, |u| {
        for mut file in [object(), shader_file()] {
            for _ in 0..u.int_in_range(1..=4)? {
                let at = u.choose_index(file.len())?;
                file[at] = u.arbitrary()?;
            }
            file.truncate(u.int_in_range(0..=file.len())?);
            if let Err(error) = load(&file) {
                assert!(!error.to_string().is_empty());
            }
        }
        Ok(())
    });
}
