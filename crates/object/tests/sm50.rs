//! Programs of SM50 in files. `sm50/kernels.cubin` is what `ptxas -arch=sm_50` (12.4) made of `sm50/kernels.ptx`.

use ctm_object::sm50::*;
use ctm_sm50::{CodeError, Op, Stage};

const CUBIN: &[u8] = include_bytes!("sm50/kernels.cubin");

fn case(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/sm50").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn header_and_code_in_one_file_or_two() {
    let (header, code) = (case("t_quads/tesc.sph.u32"), case("t_quads/tesc.code.u32"));
    let program = read_pair(&header, &code).unwrap();
    assert_eq!(program.header.unwrap().stage, Stage::TessellationInit);
    assert_eq!(program.code.instructions().len(), 26);
    let whole = [header.as_slice(), &code].concat();
    assert!(begins_with_header(&whole));
    assert_eq!(read_program(&whole).unwrap(), program);
    assert_eq!(write(&program), whole);
    assert!(!begins_with_header(&code));
    let bare = read_code(&code).unwrap();
    assert_eq!((bare.header, &bare.code), (None, &program.code));
    assert_eq!(write(&bare), code);
}

#[test]
fn kernels_of_a_cubin() {
    assert!(!begins_with_header(CUBIN));
    let kernels = read_cubin(CUBIN).unwrap();
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["sum", "scale"]);
    let ops = |n: usize| kernels[n].program.code.instructions().iter().map(|instruction| instruction.op());
    assert!(ops(0).any(|op| op == Op::Ssy) && ops(1).any(|op| op == Op::Dfma));
    assert!(ops(0).chain(ops(1)).all(|op| op != Op::Raw));
}

#[test]
fn files_that_are_no_programs() {
    assert_eq!(read_program(&[0; 79]), Err(Sm50Error::Header { length: 79 }));
    let error = read_program(&[0; 80]).unwrap_err();
    assert!(matches!(error, Sm50Error::Code { error: CodeError::Empty, .. }), "{error}");
    let error = read_code(&[0; 20]).unwrap_err();
    assert!(matches!(error, Sm50Error::Code { error: CodeError::PartialWord { length: 20 }, .. }), "{error}");
    assert_eq!(read_pair(&[0; 81], &[0; 16]), Err(Sm50Error::Header { length: 81 }));
    assert!(matches!(read_cubin(b"\x7fELF"), Err(Sm50Error::Elf(_))));
    let change = |at: usize, byte: u8| {
        let mut cubin = CUBIN.to_vec();
        cubin[at] = byte;
        read_cubin(&cubin)
    };
    assert_eq!(change(18, 62), Err(Sm50Error::Machine { machine: 62 }));
    assert_eq!(change(48, 35), Err(Sm50Error::Architecture(35)));
}

#[test]
fn broken_cubins_give_errors() {
    // Whatever a byte of the file says, reading it ends.
    for at in (0..CUBIN.len()).step_by(if cfg!(miri) { 97 } else { 1 }) {
        for byte in [0, 0x7f, 0xff] {
            let mut cubin = CUBIN.to_vec();
            cubin[at] = byte;
            _ = read_cubin(&cubin);
        }
        _ = read_cubin(&CUBIN[..at]);
    }
}

/// A module of deko3d: its control section with what it says of each program, then code and constants.
struct Module {
    bytes: Vec<u8>,
}

impl Module {
    const CONTROL: usize = 512;
    const PROGRAMS: usize = 64;

    /// A module of programs: stage, code, and constants.
    fn of(programs: &[(u32, Vec<u8>, &[u32])]) -> Self {
        let mut module = Module { bytes: vec![0; Self::CONTROL] };
        module.bytes[..4].copy_from_slice(b"DKSH");
        for (number, (stage, code, constants)) in programs.iter().enumerate() {
            let start = module.add(code);
            let data: Vec<u8> = constants.iter().flat_map(|word| word.to_le_bytes()).collect();
            let at = if data.is_empty() { 0 } else { module.add(&data) };
            for (field, value) in [(0, *stage), (4, start), (12, at), (16, data.len() as u32)] {
                module.set(Self::PROGRAMS + 64 * number + field, value);
            }
        }
        let size = module.bytes.len() - Self::CONTROL;
        for (at, value) in [(8, Self::CONTROL), (12, size), (16, Self::PROGRAMS), (20, programs.len())] {
            module.set(at, value as u32);
        }
        module
    }

    /// Adds to the code section, filled up with zeros; gives where it begins there.
    fn add(&mut self, bytes: &[u8]) -> u32 {
        let at = self.bytes.len() - Self::CONTROL;
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(256), 0);
        at as u32
    }

    fn set(&mut self, at: usize, value: u32) {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
}

#[test]
fn programs_of_a_module_of_deko3d() {
    let (header, code) = (case("t_quads/tesc.sph.u32"), case("t_quads/tesc.code.u32"));
    let kernel = read_cubin(CUBIN).unwrap()[1].program.code.to_bytes();
    let whole = [header, code].concat();
    let module =
        Module::of(&[(3, whole.clone(), &[1, 0xFFFF_FFFF, 3]), (5, kernel.clone(), &[]), (0, whole.clone(), &[])]);
    let found = read_dksh(&module.bytes).unwrap();
    assert_eq!(
        found.iter().map(|kernel| kernel.name.as_str()).collect::<Vec<_>>(),
        ["tessellation control", "compute", "vertex"]
    );
    let constants = vec![1, 0xFFFF_FFFF, 3];
    let expected = ctm_sm50::Program { constants, ..read_program(&whole).unwrap() };
    assert_eq!(
        found.iter().map(|kernel| kernel.program.clone()).collect::<Vec<_>>(),
        [expected, read_code(&kernel).unwrap(), read_program(&whole).unwrap()]
    );
    for kernel in &found {
        let text = kernel.assembly();
        assert_eq!(ctm_sm50::text::parse(&text).unwrap().program.code, kernel.program.code, "{text}");
    }
    // Constants in front of the code, and some that end where the file does.
    let mut module = Module::of(&[(5, kernel.clone(), &[]), (5, kernel.clone(), &[])]);
    let end = (module.bytes.len() - Module::CONTROL) as u32;
    module.set(Module::PROGRAMS + 12, end - 8);
    module.set(Module::PROGRAMS + 16, 8);
    assert_eq!(read_dksh(&module.bytes).unwrap()[0].program.constants, [0, 0]);
    module.set(Module::PROGRAMS + 12, 64);
    module.set(Module::PROGRAMS + 16, 0);
    assert_eq!(read_dksh(&module.bytes).unwrap()[0].program, read_code(&kernel).unwrap(), "there are no constants");
    module.set(Module::PROGRAMS + 16, 8);
    module.set(Module::PROGRAMS + 12, end);
    let outside =
        Sm50Error::Module { what: "constants", offset: module.bytes.len(), size: 8, length: module.bytes.len() };
    assert_eq!(read_dksh(&module.bytes), Err(outside));
}

#[test]
fn modules_that_are_damaged() {
    let kernel = read_cubin(CUBIN).unwrap()[1].program.code.to_bytes();
    let with = |at: usize, value: u32| {
        let mut module = Module::of(&[(5, kernel.clone(), &[7])]);
        module.set(at, value);
        read_dksh(&module.bytes)
    };
    for count in [0, 7, u32::MAX] {
        assert_eq!(with(20, count), Err(Sm50Error::Programs(count)));
    }
    let module = Module::of(&[(5, kernel.clone(), &[7])]);
    let length = module.bytes.len();
    let missing = |what, offset, size| Err(Sm50Error::Module { what, offset, size, length });
    assert_eq!(with(12, length as u32), missing("the code section", Module::CONTROL, length));
    assert_eq!(with(16, length as u32), missing("the entry point of a program", length + 4, 4));
    assert!(with(16, u32::MAX).is_err());
    assert_eq!(with(20, 6).map(|kernels| kernels.len()), Ok(6), "there is one for each stage");
    // Code that begins at the end of the section is none.
    assert!(matches!(with(Module::PROGRAMS + 4, (length - Module::CONTROL) as u32), Err(Sm50Error::Code { .. })));
    for at in 0..length {
        _ = read_dksh(&module.bytes[..at]);
    }
    assert_eq!(
        read_dksh(&module.bytes[..20]),
        Err(Sm50Error::Module { what: "the number of programs", offset: 20, size: 4, length: 20 })
    );
}

/// What comes after something like a header is code if its first bundle is.
#[test]
fn headers_have_code_after_them() {
    let (header, code) = (case("t_quads/tesc.sph.u32"), case("t_quads/tesc.code.u32"));
    let begins = |code: &[u8]| begins_with_header(&[&header, code].concat());
    assert!(begins(&code[..16]) && !begins(&code[..8]) && !begins(&[]));
    let with_highest_bit = [&code[..7], &[code[7] | 0x80], &code[8..]].concat();
    assert!(!begins(&with_highest_bit));
    let no_instruction = [&code[..8], &[0xFF; 8], &code[16..]].concat();
    assert!(!begins(&no_instruction));
}
