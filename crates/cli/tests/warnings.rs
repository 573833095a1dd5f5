//! Nothing is lost silently: what a command leaves out is an error or a line of warning, and `--strict` makes warnings errors.

use crate::common::{Folder, POSITION, project};
use std::fs;

fn prepared(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("position.x1k", POSITION).write("kernel.sm50", "EXIT;\n").write("words.u32", [0; 12]);
    for half in ["vert.sph.u32", "vert.code.u32"] {
        folder.write(half, fs::read(project("tests/corpus/sm50/v_basic").join(half)).expect("a file of the corpus"));
    }
    folder
}

#[test]
fn pictures_that_do_not_show_all_values() {
    let folder = prepared("warnings-pictures");
    let run = |options: &str| {
        let line = format!("run position.x1k --domain 4x3 --threads 1 {options}");
        folder.ctm(&line).ok().err().to_string()
    };
    let report = run("--const 0=-1,0,0,0 -o out.png");
    for part in ["out.png", "3 below 0, 13 above 1 of 48 values were clamped in", "--tonemap -1,3"] {
        assert!(report.contains(part), "{part} is not in:\n{report}");
    }
    assert_eq!(report.matches("warning").count(), 1, "{report}");
    assert_eq!(run("--const 0=-1,0,0,0 --tonemap -1,3 -o out.png"), "");
    assert_eq!(run("--const 0=-1,0,0,0 -o out.npy"), "");
    let report = run("--const 0=nan,0,0,0 --tonemap 0,9 -o out.png");
    assert!(report.contains("12 NaN") && report.contains(".npy") && !report.contains("--tonemap"), "{report}");
}

#[test]
fn outputs_smaller_than_the_domain() {
    let folder = prepared("warnings-small");
    let report = folder.ctm("run position.x1k --domain 4x4 --const 0=0 -o out.npy:2x8x4").ok();
    assert!(report.err().contains("output 0 (2x8) is smaller than the domain (4x4)"), "{}", report.err());
    folder.write("listing.txt", fs::read(project("tests/corpus/r700/op_dot/listing.txt")).expect("a listing"));
    folder.ctm("run position.x1k --domain 4x4 --const 0=0 -o in.npy").ok();
    let line = "run listing.txt --domain 4x4 --input 18=in.npy --input 19=in.npy -o out.npy:4x2x4";
    assert!(folder.ctm(line).ok().err().contains("output 0 (4x2) is smaller than the domain (4x4)"));
}

#[test]
fn what_would_be_ignored_is_refused() {
    let folder = prepared("warnings-refused");
    let before = folder.names();
    for (code, line, expected) in [
        (2, "run position.x1k --const 0=1 --const 0=2", &["constant 0 is given twice"][..]),
        (2, "run position.x1k --const 0=1 --iconst 1=2 --iconst 1=2", &["integer constant 1 is given twice"]),
        (2, "run position.x1k --const 0=1 --bconst 1=0 --bconst 1=1", &["boolean constant 1 is given twice"]),
        (2, "run position.x1k --const 0=1 --emit lane -o a.npy", &["--emit", "'a.npy' would receive nothing"]),
        (2, "run position.x1k --const 0=1 --emit lane --cond-output a.npy", &["--emit", "'a.npy'", "STAGE=FILE"]),
        (2, "run position.x1k --const 0=1 --emit lane=a.png", &["a picture", "this output is text"]),
        (2, "asm position.x1k -o a.x1k", &["assembly", "a program in words", ".elf"]),
        (2, "draw --vs vert.sph.u32 --primitive points --vertices 1 --svg x.png", &["a picture", "SVG", ".svg"]),
        (2, "draw --vs vert.sph.u32 --primitive points --vertices 1 --obj x.svg", &["a drawing", ".obj"]),
        (2, "draw --vs vert.sph.u32 --primitive points --vertices 1 --tess-domain quads", &["--tes <FILE>"]),
        (2, "draw --vs vert.sph.u32 --primitive points --vertices 1 --tess-levels 1,1,1,1,1,1", &["--tes <FILE>"]),
        (
            1,
            "draw --vs vert.sph.u32 --primitive points --vertices 300 --attribute 0x80:1=words.u32 -o x.npy",
            &["'words.u32' has 3 rows, but vertices 0 to 299 are drawn", "--vertices"],
        ),
        (
            1,
            "draw --vs vert.sph.u32 --primitive points --vertices 3 --first 1 --attribute 0x80:1=words.u32 -o x.npy",
            &["vertices 0 to 3 are drawn"],
        ),
        (2, "run kernel.sm50 --global 0x1000=words.u32 --global 0x1004=words.u32", &["0x1004 is filled by two files"]),
    ] {
        println!("ctm {line}");
        folder.ctm(line).fails(code, expected);
        assert_eq!(folder.names(), before, "ctm {line}");
    }
}

/// A warning of every command that has warnings.
#[test]
fn strict_makes_warnings_errors() {
    let folder = prepared("warnings-strict");
    folder.write("unused.x1k", format!("{POSITION}.const c0 = 1\n"));
    folder.write(
        "loop.x1k",
        "again: TEX_SEM_WAIT src0.rgb = temp[0] : temp[1].r = MAX src0.rgb src0.rgb ;\nOUT TEX_SEM_WAIT : ;\n",
    );
    let before = folder.names();
    for line in [
        "run position.x1k --domain 2x2 -o a.npy",
        "run position.x1k --domain 2x2 -o a.npy --sandbox",
        "run position.x1k --domain 4x4 --const 0=0 -o a.png",
        "run position.x1k --domain 2x2 --emit-trace a.ctmtrace --cond-output b.npy",
        "run position.x1k --domain 2x2 --emit lane=a.txt",
    ] {
        println!("ctm {line}");
        let report = folder.ctm(line).ok();
        assert!(report.err().contains("warning: "), "{}", report.err());
        for name in folder.names().iter().filter(|name| !before.contains(name)) {
            fs::remove_file(folder.0.join(name)).expect("an output");
        }
        let done = folder.ctm(&format!("{line} --strict")).fails(1, &["error: ", "--strict makes warnings errors"]);
        assert!(!done.err().contains("warning: "), "{}", done.err());
        assert_eq!(folder.names(), before, "ctm {line}: no output is written");
    }
    folder.ctm("run position.x1k --domain 2x2 --const 0=0 --strict -o a.npy").ok();
    let check = folder.ctm("check loop.x1k").ok();
    assert!(check.err().contains("warning["), "{}", check.err());
    folder.ctm("check loop.x1k --strict").fails(1, &["error[X1K", "no warnings"]);
    assert!(folder.ctm("check loop.x1k --strict --json").fails(1, &[]).out().contains("\"severity\":\"error\""));
}

/// What has no effect beside the rest of the command line is one line of warning, and an error with `--strict`.
#[test]
fn options_without_effect() {
    let folder = prepared("warnings-idle");
    folder.write("constants.x1k", format!(".const c0 = 1\n.bool b3 = true\n{POSITION}"));
    folder.write("informed.x1k", format!(".position none\n{POSITION}"));
    folder.write("pixel.r700", ".gprs 1\nEXP_DONE: PIX0, R0.xyzw\nEND_OF_PROGRAM\n");
    folder.write("vertex.r700", ".stage vs\n.gprs 1\nEXP_DONE: POS0, R0.xyzw\nEND_OF_PROGRAM\n");
    folder.write("v.npy", []);
    let x1k = "run position.x1k --domain 1x1 --const 0=0";
    let r700 = "run pixel.r700 --domain 1x1 -o a.npy";
    let draw = "draw --vs vert.sph.u32 --primitive points --vertices 1";
    for (line, expected) in [
        (format!("{x1k} --repeat 3 -o a.npy"), "--repeat has no effect: all runs leave the same"),
        (format!("{x1k} --emit lane --repeat 3"), "--repeat has no effect: --emit does not run"),
        (format!("{x1k} --tonemap 0,1 -o a.npy"), "--tonemap has no effect: no output is a picture"),
        (
            format!("{x1k} --check-code --engine interp -o a.npy"),
            "--check-code has no effect: the engine makes no machine",
        ),
        (format!("{x1k} --const 7=1 -o a.npy"), "constant 7 is given, but the program does not read it"),
        (format!("{x1k} --frames 2 --uniform 7=time -o a%d.npy"), "constant 7 is given"),
        (format!("{x1k} --iconst 2=1 -o a.npy"), "integer constant 2 is given"),
        (format!("{x1k} --bconst 2=1 -o a.npy"), "boolean constant 2 is given"),
        (format!("{x1k} --output-format 2=uint8_4 -o a.npy"), "the format of output 2 is given"),
        (format!("{r700} --sampler 3=linear"), "sampler 3 is given, but the program does not use it"),
        (format!("{r700} --loop-const 3=2"), "loop constant 3 is given"),
        (format!("{r700} --bool-const 3=1"), "boolean constant 3 is given"),
        (format!("{r700} --const 3=1"), "constant 3 is given"),
        (
            "run pixel.r700 --domain 1x1 --frames 2 --uniform 3=time -o a%d.npy".into(),
            "constant 3 is given, but the program does not read it",
        ),
        (format!("{r700} --output-format 3=uint8_4"), "the format of output 3 is given"),
        (format!("{r700} --fetch-program pixel.r700"), "the program does not call one"),
        (format!("{draw} --capture 0x70:4,0xa0:1 -o a.npy"), "0xa0 (GENERIC2.x) is captured"),
        ("asm constants.x1k -o a.u32".into(), "the values of c0, b3 are lost"),
        ("asm informed.x1k -o a.u32".into(), "entries of the program information are lost"),
        ("asm vertex.r700 -o a.u32".into(), "stage and modes of the program are lost"),
    ] {
        println!("ctm {line}");
        let before = folder.names();
        let report = folder.ctm(&line).ok();
        assert_eq!(report.err().matches("warning: ").count(), 1, "{}", report.err());
        assert!(report.err().contains(expected), "{}", report.err());
        for name in folder.names().iter().filter(|name| !before.contains(name)) {
            fs::remove_file(folder.0.join(name)).expect("an output");
        }
        folder.ctm(&format!("{line} --strict")).fails(1, &[expected, "--strict makes warnings errors"]);
        assert_eq!(folder.names(), before, "ctm {line}: no output is written");
    }
    for (line, expected) in [
        (format!("{r700} --position-output 0=b.npy"), &["pixels have no positions", "--output N=FILE"][..]),
        ("run kernel.sm50 --clear 1".into(), &["--clear does not apply", "--global"]),
        ("run kernel.sm50 --emit asm".into(), &["--emit does not apply"]),
        (format!("{draw} --patch-vertices 4"), &["--tes <FILE>"]),
        ("explain X1K001 --isa sm50".into(), &["unknown code or name 'X1K001' of sm50"]),
    ] {
        println!("ctm {line}");
        folder.ctm(&line).fails(2, expected);
    }
    assert!(!folder.ctm("explain --isa sm50").ok().out().contains("X1K"));
    for words in ["asm position.x1k -o words2.u32", "asm pixel.r700 -o words2.u32"] {
        assert_eq!(folder.ctm(words).ok().err(), "", "nothing is lost");
    }
}

/// Colours that a display does not have are no news in the pictures of shaders; numbers that are none are.
#[test]
fn pictures_of_shaders_are_as_displays_have_them() {
    let folder = prepared("warnings-shaders");
    folder.write("bright.frag", "void main() { gl_FragColor = vec4(2.0, -1.0, 0.5, 1.0); }");
    assert_eq!(folder.ctm("run bright.frag --domain 2x2 -o out.png").ok().err(), "");
    folder.write(
        "none.frag",
        "uniform float zero; void main() { gl_FragColor = vec4(2.0, log2(zero - 1.0), 0.5, 1.0); }",
    );
    let report = folder.ctm("run none.frag --domain 2x2 --uniform zero=0 -o out.png").ok().err().to_string();
    assert!(report.contains("4 NaN of 16 values") && !report.contains("above"), "{report}");
}

/// What is printed in place of a run has no results to keep, and no domain that anybody cares for.
#[test]
fn stages_come_without_notes() {
    let folder = prepared("warnings-stages");
    for stage in ["lane", "lane-opt"] {
        let line = format!("run position.x1k --const 0=0 --emit {stage}");
        assert_eq!(folder.ctm(&line).ok().err(), "", "{stage}");
    }
}

/// Programs of ctm mean what the guide says: that Mesa's compiler takes a constant for another number is about Mesa's programs.
#[test]
fn hints_about_mesa_are_for_programs_that_mesa_may_have_made() {
    let folder = prepared("warnings-mesa");
    let small =
        "OUT TEX_SEM_WAIT src0.rgb = temp[0], src1.rgb = float(4) : out[0].rgb = MAD src0.rgb src1.rgb src0.000 ;\n";
    folder.write("small.x1k", small);
    assert!(
        folder.ctm("check small.x1k").ok().err().contains("X1K203")
            || folder.ctm("check small.x1k").ok().out().contains("X1K203")
    );
    folder.ctm("asm small.x1k -o small.elf").ok();
    let checked = folder.ctm("check small.elf").ok();
    assert!(!checked.out().contains("X1K203") && !checked.err().contains("X1K203"));
}

#[test]
fn long_logs_are_told_how_they_are_read() {
    let folder = prepared("warnings-long");
    let file = fs::File::create(folder.0.join("long.txt")).expect("a file");
    file.set_len((64 << 20) + 1).expect("a file without content takes no room");
    for command in ["dis long.txt", "run long.txt"] {
        folder.ctm(command).fails(
            1,
            &["too large for a program (over 64 MiB)", "'ctm import mesa FILE --index N -o PROGRAM'", "--list"],
        );
    }
}
