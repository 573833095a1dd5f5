//! Runs whose lanes read what others write: one result for all engines, numbers of threads, and widths of groups.

use crate::common;

use common::Folder;
use ctm_codegen::EngineName;

/// Walks through input 0 along what it finds there, 200 times.
const X1K: &str = "\
.int i0 = 200
.flow full
REP i[0];
TEX TEX_SEM_WAIT TEX_SEM_ACQUIRE UNSCALED temp[1].rgba = LD tex[0].rgba temp[0].grrr ;
ENDREP;
OUT TEX_SEM_WAIT src0.rgb = temp[1], src1.rgb = temp[0] :
  out[0].rgb = MAD src0.rgb src0.hhh src1.rgr, out[0].a = MAX src0.1 src0.1 ;
";

/// Half of what it finds on the other side of the diagonal, and its place.
const R700: &str = "\
ALU:
  x: ADD R1.x, R0.y, 0.5f
  y: ADD R1.y, R0.x, 0.5f
TEX:
  SAMPLE R2.xyzw, R1.xy__, t0, s0 DENORM(XY)
ALU:
  x: MULADD_IEEE R3.x, R2.x, 0.5f, R0.x
  y: MULADD_IEEE R3.y, R2.y, 0.5f, R0.y
EXP_DONE: PIX0, R3.xy01
END_OF_PROGRAM
";

/// What a run leaves, which has to be the same on all engines, with all numbers of threads and widths of groups.
fn one_result(folder: &Folder, run: &str, reason: &str) -> Vec<u8> {
    let mut first: Option<Vec<u8>> = None;
    for engine in EngineName::available().map(EngineName::name) {
        for options in ["", " --threads 1", " --threads 3", " --group 1 --threads 2", " --group 200", " --counts"] {
            let done = folder.ctm(&format!("{run} --engine {engine}{options}")).ok();
            let notes = done.err().lines().filter(|line| line.contains("in their order, on one thread")).count();
            assert!(notes == 1 && done.err().contains(reason), "{}", done.err());
            let hint = done.err().contains("has no effect here");
            assert_eq!(hint, options.contains("--group") || options.contains("--threads 3"), "{}", done.err());
            let found = folder.read("out.npy");
            assert!(first.get_or_insert_with(|| found.clone()) == &found, "{run} on {engine}{options}");
        }
    }
    first.expect("there are engines")
}

#[test]
fn outputs_that_are_inputs() {
    let folder = Folder::new("order-inputs");
    folder.write("a.x1k", X1K).write("a.r700", R700);
    let reason = "an input and an output share memory";
    let run = "run a.x1k --domain 64x64 --input 0=@0 --clear 7 -o out.npy";
    one_result(&folder, run, reason);
    one_result(&folder, "run a.r700 --stage ps --domain 64x64 --clear 7 --input 0=@0 --output 0=out.npy", reason);
    // Lanes that stand in the same group see what was there before, those of later ones what is there now.
    let shown = folder.ctm(&format!("{run} --stats --threads 2")).ok();
    assert!(shown.out().contains("1 thread, groups of 48"), "{}", shown.out());
    let followed =
        folder.ctm("run a.x1k --domain 64x64 --input 0=@0 --clear 7 -o out.npy --follow 40,3 --group 7").ok();
    assert!(followed.out().contains("48"), "{}", followed.out());
}

#[test]
fn writes_to_anywhere() {
    let folder = Folder::new("order-anywhere");
    folder.write(
        "a.x1k",
        "\
OUT TEX_SEM_WAIT src0.rgb = temp[0] :
  umrt[same_idx].rgb = MAD src0.r00 src0.111 src0.g00, umrt[same_idx].a = MAX src0.0 src0.0 ;
",
    );
    one_result(&folder, "run a.x1k --domain 64x16 -o out.npy", "lanes write wherever they want");
}

#[test]
fn lanes_that_keep_to_themselves_have_no_order() {
    let folder = Folder::new("order-none");
    folder.write("plain.x1k", common::POSITION);
    let done = folder.ctm("run plain.x1k --domain 64x64 -o out.npy --threads 2").ok();
    assert!(!done.err().contains("order"), "{}", done.err());
}
