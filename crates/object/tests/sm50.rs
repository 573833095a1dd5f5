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
