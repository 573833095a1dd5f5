//! Programs from files and to files.

use ctm_gpu::{Error, Kept, Machine, Program, Shader, ShaderOptions, open};
use std::fs;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name)
}

#[test]
fn what_is_saved_loads_as_the_same_program() {
    let folder = tempfile::tempdir().unwrap();
    for (source, names) in [
        ("examples/mandelbrot.x1k", &["a.x1k", "a.elf"][..]),
        ("examples/newton.r700", &["a.r700", "a.elf"]),
        ("examples/collatz.sm50", &["a.sm50"]),
        ("examples/ripple/vertex.sm50", &["a.sm50", "a.sph", "b.sph.u32"]),
        ("examples/transform.pvs", &["a.pvs"]),
    ] {
        let program = Program::open(example(source)).unwrap();
        for name in names {
            let path = folder.path().join(name);
            assert_eq!(program.save(&path).unwrap(), Kept::All, "{source}, {name}");
            assert_eq!(Program::open(&path).unwrap(), program, "{source}, {name}");
        }
    }
}

#[test]
fn words_keep_instructions_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.u32");
    let program = Program::open(example("examples/mandelbrot.x1k")).unwrap();
    assert_eq!(program.save(&path).unwrap(), Kept::Instructions);
    let words = open(&path, Some(Machine::X1k)).unwrap().remove(0).program;
    let code = |program: &Program| program.instructions().into_iter().map(|one| one.words).collect::<Vec<_>>();
    assert_eq!(code(&words), code(&program));
    assert_ne!(words, program);
    let error = program.save(folder.path().join("a.sph")).unwrap_err();
    assert!(
        matches!(&error, Error::Form { machine: Machine::X1k, .. }) && error.to_string().contains(".x1k, .elf or .u32")
    );
    assert!(matches!(program.save(folder.path().join("none/a.x1k")), Err(Error::Save { .. })));
}

#[test]
fn names_of_files_say_what_texts_are() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    // Only the name says that this is GLSL.
    let shader = write("flat.frag", "#include <common>\n");
    assert!(matches!(open(shader, None), Err(Error::Source { name, .. }) if name.ends_with("flat.frag")));
    let shader = write("flat.glsl", "void main() { gl_FragColor = vec4(1.0); }");
    assert!(open(&shader, None).unwrap()[0].shader.is_some());
    assert_eq!(Program::open(&shader).unwrap(), Shader::open(&shader, &ShaderOptions::default()).unwrap().program);
    assert!(matches!(open(&shader, Some(Machine::Sm50)), Err(Error::OtherMachine { .. })));
    // Errors of assembly name the file, and texts include others beside them.
    let wrong = write("wrong.sm50", "EXIT;\nMUVE R0, R1;\n");
    assert!(Program::open(wrong).unwrap_err().to_string().contains("wrong.sm50:2:1"));
    write("end.inc", "EXIT;\n");
    let including = write("including.sm50", "MOV R0, R1;\n#include \"end.inc\"\n");
    assert_eq!(Program::open(including).unwrap(), Program::assemble(Machine::Sm50, "MOV R0, R1; EXIT;").unwrap());
    let missing = write("missing.sm50", "#include \"none.inc\"\n");
    assert!(Program::open(missing).unwrap_err().to_string().contains("none.inc"));
}

#[test]
fn errors_have_the_codes_that_explain_knows() {
    let text = Program::assemble(Machine::Sm50, "MUVE R0, R1;").unwrap_err();
    assert_eq!(text.code(), Some("unknown-word"));
    let careless = Program::assemble(Machine::Sm50, "BRA 0x4000;").unwrap();
    let invalid = ctm_gpu::Threads::new(careless, [1; 3], [1; 3]).err().unwrap();
    for error in [text, invalid] {
        let code = error.code().unwrap();
        assert!(error.to_string().contains(code), "{error}");
        assert!(ctm_gpu::explain(code, None).is_some(), "{code}");
    }
}
